//! `privet attack ledger`: what an adversary rebuilds of a table from answers about it (survey AT-19, AT-20, AT-23, PM-30).
//!
//! Three questions of the owner of a table. What do the answers tell that were given out (`given.rs`)? What would answers tell that
//! use up all that the account allows (`allowed.rs`)? Which line can be fitted to answers, although nobody was to fit one
//! (`line.rs`)? Beside what the account allows stands what exact answers would tell.
//!
//! # Guarantee
//! The adversary sees answers and the public columns of everybody; the secret only scores what was concluded. Nothing is charged, and the
//! noise that is drawn here is part of no answer. People are taken to have one record each.

mod allowed;
mod given;
mod line;

use std::path::PathBuf;

use privet_attack::Rate;
use privet_data::io::{ReadOptions, read};
use privet_data::{Progress, Table};
use privet_dp::ledger::LedgerError;
use privet_dp::{Delta, DpError, Epsilon, Noise, Rho};
use privet_measure::answer::{Aggregate, Condition, Figure, PrivateQuestion, taken};
use serde::Serialize;

pub use line::LineAttack;

use super::declared::{Declared, Flags, problem};
use super::error::QueryError;
use super::ledger::{Amount, Shown, shown};
use super::origin::unknown as unknown_column;
use super::place::{Account, LedgerFlags, Subject};

/// The most people whose secret is looked for by questions about random sets.
pub const MOST_PEOPLE: usize = 128;

/// What is to be attacked.
#[derive(Debug, Clone)]
pub struct LedgerAttackOptions {
    /// The table, or a job file whose input it is.
    pub data: PathBuf,
    /// A job file that declares the columns, when `data` is the table.
    pub job: Option<PathBuf>,
    /// The ledger.
    pub ledger: LedgerFlags,
    /// A condition that is nobody's business, in SQL.
    pub secret: Option<String>,
    /// Answers that were given: a table with the columns `question` and `answer`, and perhaps `half_width_95`.
    pub answers: Option<PathBuf>,
    /// The columns that others know of everybody; all but those of the secret when there is none.
    pub public: Vec<String>,
    /// How many people are attacked by questions about random sets.
    pub people: usize,
    /// The column that a line is to explain.
    pub explained: Option<String>,
    /// The columns that explain it.
    pub explaining: Vec<String>,
    /// Into how many parts each explaining column is cut.
    pub parts: usize,
    /// Bounds of columns.
    pub flags: Flags,
    /// The limit for what is rebuilt beyond guessing.
    pub max_risk: Option<f64>,
    /// The seed of what is drawn besides noise.
    pub seed: u64,
}

impl Default for LedgerAttackOptions {
    fn default() -> Self {
        Self {
            data: PathBuf::new(),
            job: None,
            ledger: LedgerFlags::default(),
            secret: None,
            answers: None,
            public: Vec::new(),
            people: 60,
            explained: None,
            explaining: Vec::new(),
            parts: 4,
            flags: Flags::default(),
            max_risk: None,
            seed: 1,
        }
    }
}

/// From which answers something was rebuilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerSource {
    /// Those that were given.
    Given,
    /// Those that use up what the account allows.
    Allowed,
    /// Answers without noise: what the account is for.
    Exact,
}

/// What was rebuilt of a secret.
#[derive(Debug, Clone, Serialize)]
pub struct SecretAttack {
    /// The name of the attack.
    pub attack: &'static str,
    /// From which answers.
    pub from: AnswerSource,
    /// How many questions were used.
    pub questions: u64,
    /// How far off their answers are: the mean of their standard deviations, where it is known.
    pub deviation: Option<f64>,
    /// Of how many people the adversary says rightly whether they have the secret.
    pub right: Rate,
    /// The share that whoever says the same of everybody gets right.
    pub guessing: f64,
    /// Of how many whom the adversary names as having it, it is true.
    pub named: Rate,
    /// The most that anybody can get right by what the account allows, where that is a pure epsilon and guessing is right for a half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}

impl SecretAttack {
    /// What is rebuilt beyond guessing, of what guessing leaves open; for limits.
    #[must_use]
    pub fn risk(&self) -> f64 {
        if self.guessing >= 1.0 {
            return 0.0;
        }
        ((self.right.rate - self.guessing) / (1.0 - self.guessing)).max(0.0)
    }
}

/// All that was tried.
#[derive(Debug, Clone, Serialize)]
pub struct LedgerAttack {
    /// The account and its ledger; none where there is no ledger.
    pub account: Option<String>,
    /// What the account allows in all.
    pub allowed: Option<Amount>,
    /// How many questions were charged.
    pub charged: u64,
    /// What was rebuilt of the secret.
    pub secrets: Vec<SecretAttack>,
    /// The lines that were fitted.
    pub lines: Vec<LineAttack>,
    /// What else there is to know, in sentences.
    pub remarks: Vec<String>,
    /// The largest part of what guessing leaves open that was rebuilt from answers which were given or are allowed.
    pub risk: f64,
    /// The limit.
    pub max_risk: Option<f64>,
}

impl LedgerAttack {
    /// Whether more was rebuilt than the limit allows.
    #[must_use]
    pub fn is_beyond(&self) -> bool {
        self.max_risk.is_some_and(|most| self.risk > most)
    }
}

/// What may be spent.
enum Allowance {
    Pure(Epsilon),
    Approximate(Epsilon, Delta),
    Concentrated(Rho),
}

impl Allowance {
    fn of(amount: &Amount) -> Result<Self, DpError> {
        if let Some(rho) = &amount.rho {
            return Ok(Self::Concentrated(rho.parse()?));
        }
        let epsilon: Epsilon = amount.epsilon.parse()?;
        let delta: Delta = amount.delta.parse()?;
        Ok(if delta.value().is_zero() { Self::Pure(epsilon) } else { Self::Approximate(epsilon, delta) })
    }

    /// The smaller noise for one of so many figures which use it up together, each of which one person changes by so much.
    fn noise(&self, change: u64, figures: u64) -> Result<Noise, DpError> {
        let square = u128::from(change).pow(2);
        let laplace = |epsilon| Noise::laplace(change.into(), epsilon).as_one_of(figures);
        Ok(match self {
            Self::Pure(epsilon) => laplace(epsilon),
            Self::Concentrated(rho) => Noise::concentrated(square, rho).as_one_of(figures),
            Self::Approximate(epsilon, delta) => {
                let (pure, gaussian) =
                    (laplace(epsilon), Noise::gaussian(square, epsilon, delta)?.as_one_of(figures));
                let deviation = |own: &Noise| own.accuracy().standard_deviation;
                if deviation(&pure) < deviation(&gaussian) { pure } else { gaussian }
            }
        })
    }

    /// The most that anybody gets right about a yes or no which is as likely as not.
    fn most(&self) -> Option<f64> {
        match self {
            Self::Pure(epsilon) => Some(1.0 / (1.0 + (-epsilon.value().to_f64().value()).exp())),
            _ => None,
        }
    }
}

/// The table as the owner has it, and what the adversary knows.
struct Known<'a> {
    table: &'a Table,
    /// What is secret.
    secret: Condition,
    /// Per record whether it has it.
    truth: Vec<bool>,
    public: Vec<String>,
}

/// Attacks a table through its answers.
///
/// # Errors
/// When the table, the ledger, the answers or a condition cannot be used, or nothing is asked for.
pub fn attack_ledger(
    options: &LedgerAttackOptions,
    progress: &dyn Progress,
) -> Result<LedgerAttack, QueryError> {
    if options.secret.is_none() && options.explained.is_none() {
        return Err(problem(
            "say what the adversary is after: --secret \"CONDITION\", such as \"diagnosis = 'Stroke'\", or --explained COLUMN with \
             --explaining COLUMNS",
        ));
    }
    if options.answers.is_some() && options.secret.is_none() {
        return Err(problem("--answers needs the --secret that the answers are about"));
    }
    if options.max_risk.is_some_and(|own| !(0.0..=1.0).contains(&own)) {
        return Err(problem("--max-risk takes a share from 0 to 1"));
    }
    let subject = Subject::new(&options.data, options.job.as_deref())?;
    subject.must_be_readable()?;
    let account = account(options, &subject, progress)?;
    let opened = account.as_ref().and_then(|own| own.entries.iter().find(|entry| entry.kind == "open"));
    let allowance = opened.map(|own| Allowance::of(&own.amount)).transpose()?;
    progress.stage("reading", None);
    let table = read(&subject.path, &ReadOptions { columns: None, ..subject.options.clone() }, progress)?;
    let mut found = LedgerAttack {
        account: opened.map(|own| own.account.clone()),
        allowed: opened.map(|own| own.amount.clone()),
        charged: account
            .as_ref()
            .map_or(0, |own| own.entries.iter().filter(|entry| entry.kind == "charge").count() as u64),
        secrets: Vec::new(),
        lines: Vec::new(),
        remarks: Vec::new(),
        risk: 0.0,
        max_risk: options.max_risk,
    };
    progress.stage("attacking", None);
    if let Some(text) = &options.secret {
        let known = known(options, &subject, &table.table, &table.names, text)?;
        if let Some(answers) = &options.answers {
            let (attack, remarks) = given::attack(&known, answers, progress)?;
            found.secrets.push(attack);
            found.remarks.extend(remarks);
        }
        if let Some(allowance) = &allowance {
            let (attacks, remarks) = allowed::attack(&known, allowance, options, progress)?;
            found.secrets.extend(attacks);
            found.remarks.extend(remarks);
        }
    }
    if let Some(explained) = &options.explained {
        let job = subject.job.as_ref().map(|(job, base)| (job, base.as_path()));
        let declared = Declared { flags: &options.flags, job };
        let allowance = allowance.as_ref();
        found.lines = line::attack(&table.table, (explained, options), &declared, allowance, progress)?;
    }
    let counted = found.secrets.iter().filter(|own| own.from != AnswerSource::Exact);
    if options.max_risk.is_some() && counted.clone().next().is_none() {
        // A limit that nothing was held to must not seem to be kept.
        return Err(problem(format!(
            "--max-risk cannot be checked: no --secret was attacked by answers that were given or are allowed. {}",
            found.remarks.join(" ")
        )));
    }
    found.risk = counted.map(SecretAttack::risk).fold(0.0, f64::max);
    Ok(found)
}

/// The ledger with the account. Answers stand by themselves, so they need none; one that is there and cannot be used is an error all the same.
fn account(
    options: &LedgerAttackOptions,
    subject: &Subject,
    progress: &dyn Progress,
) -> Result<Option<Shown>, QueryError> {
    let account = Account::new(&options.ledger, Some(subject))?;
    let is_needed = options.answers.is_none();
    let found = match shown(&account, progress) {
        Ok(found) => found,
        Err(QueryError::NoAccount { .. }) if !is_needed => return Ok(None),
        Err(_) if !is_needed && matches!(account.existing(), Err(LedgerError::NoLedger)) => return Ok(None),
        Err(error) => return Err(error),
    };
    if let Some(broken) = &found.problem {
        return Err(problem(format!("the ledger does not hold: {broken}")));
    }
    // Audited questions alone make a ledger too; it allows nothing.
    if is_needed && found.entries.iter().all(|entry| entry.kind != "open") {
        return Err(account.explain(LedgerError::NoAccount));
    }
    Ok(Some(found))
}

/// A condition on its own.
fn condition(text: &str) -> Result<Condition, QueryError> {
    let question = PrivateQuestion::parse(&format!("select count(*) from data where {text}"))?;
    plain_count(&question).then_some(question.filter).ok_or_else(|| {
        problem("--secret takes a condition as it stands after `where`, such as \"diagnosis = 'Stroke'\"")
    })
}

/// Whether a question is one count of records.
fn plain_count(question: &PrivateQuestion) -> bool {
    let counts = matches!(&question.select[..], [only] if only.figure == Figure::Aggregate(Aggregate::Count));
    counts
        && question.model.is_none()
        && question.origin.is_plain()
        && question.group_by.is_empty()
        && question.order.is_none()
}

fn columns_of(condition: &Condition) -> Vec<&str> {
    let mut columns = Vec::new();
    condition.for_each_test(&mut |test| columns.push(test.column.as_str()));
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn known<'a>(
    options: &LedgerAttackOptions,
    subject: &Subject,
    table: &'a Table,
    names: &[String],
    text: &str,
) -> Result<Known<'a>, QueryError> {
    let secret = condition(text)?;
    let of_secret = columns_of(&secret);
    if of_secret.is_empty() {
        return Err(problem("the --secret is true of everybody; name a column in it"));
    }
    let named = of_secret.iter().map(|own| (*own).to_owned()).chain(options.public.iter().cloned());
    for name in named {
        if !names.contains(&name) {
            return Err(unknown_column(&subject.path, &name, names.to_vec()));
        }
    }
    if let Some(both) = options.public.iter().find(|own| of_secret.contains(&own.as_str())) {
        return Err(problem(format!("`{both}` is in the --secret, so it cannot be --public")));
    }
    let public = match options.public.is_empty() {
        true => names.iter().filter(|own| !of_secret.contains(&own.as_str())).cloned().collect(),
        false => options.public.clone(),
    };
    let truth = taken(&secret, table);
    Ok(Known { table, secret, truth, public })
}

/// Per record its cell: who agrees on all public columns is in one.
fn cells_of(known: &Known<'_>) -> (Vec<u32>, usize) {
    let columns: Vec<_> = known.public.iter().filter_map(|name| known.table.column(name)).collect();
    let mut places = std::collections::HashMap::new();
    let cell = |row: usize| -> Vec<u32> {
        columns.iter().map(|own| own.codes.get(row).copied().unwrap_or(u32::MAX)).collect()
    };
    let of_record = (0..known.table.rows)
        .map(|row| {
            let next = places.len() as u32;
            *places.entry(cell(row)).or_insert(next)
        })
        .collect();
    (of_record, places.len())
}

#[cfg(test)]
mod tests;
