//! Private answers: `privet query` from a question in SQL to noisy numbers, and the ledger that pays for them (survey
//! PM-17, PM-29, PM-35, ME-28).
//!
//! Guarantee: the order is always parse, plan, read, charge, draw, give out. What cannot be answered is refused before
//! anything is charged; when the charge does not reach durable storage, nothing is drawn. The answers of one question
//! are (epsilon, delta)-private for one person with at most the declared number of records, and the charge is exactly
//! that. The guarantee is about the numbers; how long an answer took, and errors of a file that cannot be read, are
//! for the owner of the data and not for whoever asked.
//!
//! ```
//! use privet_data::Silent;
//! use privet_query::{Flags, QueryOptions, plan_query};
//!
//! let folder = tempfile::tempdir()?;
//! let data = folder.path().join("people.csv");
//! std::fs::write(&data, "age\n31\n34\n52\n")?;
//! let flags = Flags { epsilon: Some("0.5".to_owned()), ..Flags::default() };
//! let question = "select count(*) from people".to_owned();
//! let options = QueryOptions { data, question, flags, ..QueryOptions::default() };
//! // The plan charges nothing, and reads nothing of the data.
//! let (plan, _) = plan_query(&options, &Silent)?;
//! assert_eq!(plan.figures.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod audit;
mod audited;
mod audited_state;
mod beliefs;
mod choice;
mod classifier;
mod constants;
mod declared;
mod error;
mod execute;
mod keys;
mod ledger;
mod marginals;
mod method;
mod model;
mod origin;
mod place;
mod plan;
mod population;
mod reconstruction;
mod register;
mod report;
mod session;
mod shares;
mod synthetic;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_more;
#[cfg(test)]
mod tests_of_noise;
#[cfg(test)]
mod tests_of_ways;
mod tree;
mod trial;
mod unknown;
mod unused;
mod waiting;

use std::path::PathBuf;

use privet_data::Progress;
use privet_data::io::Frame;
use privet_dp::Loss;
use privet_dp::ledger::{Act, Head, Ledger, LedgerError, Record, Request};

pub use audited::{AuditedAnswer, AuditedHistory, AuditedOptions, query_audited, show_audited};
pub use beliefs::Belief;
pub use classifier::{
    Bayes, Classifier, ClassifierOptions, PrivateLearner, PrivateModel, TreeNode, learn_privately,
};
pub use declared::Flags;
pub use error::QueryError;
pub use execute::{Line, Number};
pub use ledger::{
    Amount, LedgerEntry, Opened, Shown, Verified, open_account, show_ledger, verify_ledger, visible,
};
pub use method::Method;
pub use place::LedgerFlags;
pub use privet_job::declarations::{Neighbourhood, Plain, QuerySection};
pub use reconstruction::{
    AnswerSource, LedgerAttack, LedgerAttackOptions, LineAttack, MOST_PEOPLE, SecretAttack, attack_ledger,
};
pub use report::{answer_page, ledger_page, time_of};
pub(crate) use trial::Trial;

use declared::Declared;
use execute::Exact;
use ledger::head;
use place::{Account, Subject};
use plan::Plan;
use waiting::patiently;

/// A question, and what it may use.
#[derive(Debug, Clone, Default)]
pub struct QueryOptions {
    /// The table, or a job file whose input it is.
    pub data: PathBuf,
    /// The question, in SQL.
    pub question: String,
    /// A job file that declares the columns, when `data` is the table.
    pub job: Option<PathBuf>,
    /// What is declared besides the job file.
    pub flags: Flags,
    /// Which ledger and account pay.
    pub ledger: LedgerFlags,
    /// Who asks; the job's, then the name of the user, when left out.
    pub analyst: Option<String>,
    /// A last entry of the ledger that was seen earlier, as `NUMBER:HASH`. Where it is not in the chain any more, nothing
    /// is answered: an old copy, put back, would be a fresh budget.
    pub since: Option<String>,
    /// The table itself, where a program holds it in memory; `data` is then the path that it stands for.
    pub frame: Option<Frame>,
}

/// What will be done, without having done it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Planned {
    /// The columns of `group by`.
    pub group_by: Vec<String>,
    /// The number of groups.
    pub groups: usize,
    /// The figures.
    pub figures: Vec<PlannedFigure>,
    /// What else there is to know of how it is answered, in sentences.
    pub remarks: Vec<String>,
    /// What it costs.
    pub cost: Amount,
    /// What it can make of beliefs about one person; none where there is a delta, with which there is no bound.
    pub beliefs: Vec<Belief>,
    /// Whom it protects.
    pub people: Protected,
    /// The account.
    pub account: String,
    /// Where its ledger is.
    pub ledger: String,
    /// What is left of the account; none when it is not open.
    pub remaining: Option<Amount>,
    /// Whether that suffices.
    pub suffices: bool,
}

/// A figure and how far off it will be.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PlannedFigure {
    /// Its name.
    pub name: String,
    /// The law of its noise.
    pub noise: String,
    /// The same as numbers, where it is one of two well-known ones.
    pub law: Option<Law>,
    /// With a probability of 95 % the noise is at most this, in the figure's own unit; that of all groups at once where
    /// lines are chosen by this figure.
    pub half_width_95: Option<f64>,
    /// Averages: the same, to be divided by the number of records.
    pub half_width_95_times_records: Option<f64>,
    /// Averages: what is added to that for rounding, half of `rounded_to`. The width beside an answer includes both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounding: Option<f64>,
    /// Quantiles: with a probability of 95 % at most so many records lie between the answer and the true quantile. Absent
    /// where epsilon is so small that nothing can be said.
    pub rank_error_95: Option<f64>,
    /// The same with about 95 % where values are spread evenly near the quantile, instead of at least 95 % for all tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_error_95_if_even: Option<f64>,
    /// What the numbers of its column are rounded to before anything is computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounded_to: Option<f64>,
    /// The noise that is drawn for it, each with the sensitivity that it hides; none where noise is not of that kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub noises: Vec<NoiseOf>,
    /// Why no error is told with an answer, in words; for figures of which none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untold: Option<String>,
}

/// The law of the error of a figure, in the figure's own unit.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Law {
    /// `laplace` or `gaussian`.
    pub kind: &'static str,
    /// The scale of the one, the standard deviation of the other.
    pub scale: f64,
    /// With a probability of 95 % one draw of it is at most this.
    pub half_width_95: f64,
}

/// Noise that is drawn, and what it hides, in the column's own unit.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct NoiseOf {
    /// What gets it.
    pub of: &'static str,
    /// `laplace` or `gaussian`.
    pub kind: &'static str,
    /// The scale of the one, the standard deviation of the other.
    pub scale: f64,
    /// The most by which one person changes what gets it, over all groups together.
    pub sensitivity: f64,
    /// How that is measured: `l1`, the sum of all changes, or `l2`, the root of the sum of their squares.
    pub norm: &'static str,
}

impl NoiseOf {
    fn new(of: &'static str, noise: &privet_dp::Noise, units_per_one: f64) -> Self {
        let Law { kind, scale, .. } = Law::of(noise, units_per_one);
        let norm = if noise.is_gaussian() { "l2" } else { "l1" };
        Self { of, kind, scale, sensitivity: noise.sensitivity() / units_per_one, norm }
    }
}

impl Law {
    fn of(noise: &privet_dp::Noise, units_per_one: f64) -> Self {
        let kind = if noise.is_gaussian() { "gaussian" } else { "laplace" };
        let scale = noise.scale().to_f64().value() / units_per_one;
        Self { kind, scale, half_width_95: noise.accuracy().per(units_per_one).half_width_95 }
    }
}

/// Whom an answer protects.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Protected {
    /// `add-remove` or `replace`.
    pub neighbours: &'static str,
    /// The most records of one person that count.
    pub max_records: u32,
    /// The column that tells whose record it is; without it the limit is taken on trust.
    pub per_person: Option<String>,
    /// Columns of `group by` whose undeclared values are in no group.
    pub dropped: Vec<String>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Answered {
    /// What was done.
    #[serde(flatten)]
    pub plan: Planned,
    /// Who asked.
    pub analyst: String,
    /// The number of the ledger's entry.
    pub entry: u64,
    /// The hash of that entry.
    pub hash: String,
    /// The total that the account was opened with.
    pub budget: Option<Amount>,
    /// The numbers.
    pub lines: Vec<Line>,
}

/// Plans a question: what it would cost, how far off its numbers would be, and, when the account would refuse it, why
/// ([`query`] ends with the same error). Nothing is charged, and the data is not opened. An account that is not open
/// yet refuses nothing here: a plan is what its owner decides on the total by.
///
/// # Errors
/// When the question cannot be answered from what is declared, or the ledger cannot be read.
pub fn plan_query(
    options: &QueryOptions,
    progress: &dyn Progress,
) -> Result<(Planned, Option<QueryError>), QueryError> {
    let prepared = Prepared::new(options)?;
    let Prepared { account, name, request, since, .. } = &prepared;
    let looked = patiently(progress, &account.place(), || {
        let mut ledger = account.existing()?;
        must_be_there(&mut *ledger, since.as_ref())?;
        Ok((ledger.remaining(name)?, ledger.check(request)))
    });
    let (left, refusal) = match looked {
        Ok((left, checked)) => (Some(left), checked.err()),
        Err(error) => match account.explain(error) {
            QueryError::NoAccount { .. } if since.is_none() => (None, None),
            other => return Err(other),
        },
    };
    let suffices = !matches!(refusal, Some(LedgerError::Insufficient { .. }));
    let planned = Planned { suffices: suffices && left.is_some(), ..prepared.planned(left.as_ref()) };
    Ok((planned, refusal.map(|error| account.explain(error))))
}

/// Answers a question, having charged for it.
///
/// # Errors
/// When the question cannot be answered from what is declared, the data cannot be read, or the account is not there or
/// does not suffice; nothing is charged then. When the charge or the generator fails, nothing is answered.
pub fn query(options: &QueryOptions, progress: &dyn Progress) -> Result<Answered, QueryError> {
    let prepared = Prepared::new(options)?;
    let Prepared { plan, subject, account, name, analyst, request, since } = &prepared;
    let place = account.place();
    let looked = patiently(progress, &place, || {
        let mut ledger = account.existing()?;
        must_be_there(&mut *ledger, since.as_ref())?;
        // A question that would be refused need not be computed; whether it is, is decided by the charge.
        ledger.check(request)?;
        Ok((ledger.marker(Some(name))?, ledger))
    });
    let (marker, mut ledger) = looked.map_err(|error| account.explain(error))?;
    let (exact, people) = Exact::read(plan, &subject.path, &subject.options, marker.as_ref(), progress)?;
    progress.check()?;
    let request = match people {
        Some(people) => request.clone().about(people, account.accepts_others()),
        None => request.clone(),
    };
    // Charged first, then drawn: where the charge fails, nothing is.
    let receipt =
        patiently(progress, &place, || ledger.charge(&request)).map_err(|error| account.explain(error))?;
    let released = exact.release_until(plan, progress)?;
    let released = released.ok_or(QueryError::Stopped { entry: receipt.sequence })?;
    // For the reader only; what was charged does not hang on it.
    let records = patiently(progress, &place, || ledger.records()).unwrap_or_default();
    let is_opening = |own: &&Record| own.act == Act::Opened && own.dataset == *name;
    let budget = records.iter().find(is_opening).map(|own| (&own.loss).into());
    let mut planned = Planned { suffices: true, ..prepared.planned(Some(&receipt.remaining)) };
    planned.remarks.extend(released.remarks);
    Ok(Answered {
        plan: planned,
        analyst: analyst.clone(),
        entry: receipt.sequence,
        hash: receipt.hash,
        budget,
        lines: released.lines,
    })
}

struct Prepared {
    plan: Plan,
    subject: Subject,
    account: Account,
    name: String,
    analyst: String,
    request: Request,
    since: Option<Head>,
}

/// Refuses a ledger without the entry that was seen earlier.
fn must_be_there(ledger: &mut dyn Ledger, since: Option<&Head>) -> Result<(), LedgerError> {
    since.map_or(Ok(()), |since| ledger.verify(Some(since)).map(|_| ()))
}

impl Prepared {
    fn new(options: &QueryOptions) -> Result<Self, QueryError> {
        let since = options.since.as_deref().map(head).transpose()?;
        let mut subject = Subject::new(&options.data, options.job.as_deref())?;
        if let Some(frame) = &options.frame {
            (subject.path, subject.options.frame) = (frame.path().to_owned(), Some(frame.clone()));
        }
        let job = subject.job.as_ref().map(|(job, base)| (job, base.as_path()));
        let plan = Plan::new(&options.question, &Declared { flags: &options.flags, job })?;
        unused::refuse(&plan, &options.flags)?;
        subject.must_be_meant(&plan.tables())?;
        let account = Account::new(&options.ledger, Some(&subject))?;
        let name = account.named()?.to_owned();
        let of_job = || job.and_then(|(job, _)| job.query.analyst.clone());
        let user = || std::env::var("USER").ok().filter(|name| !name.is_empty());
        let analyst = options.analyst.clone().or_else(of_job).or_else(user);
        let analyst = analyst.unwrap_or_else(|| "unknown".to_owned());
        let question = plan.fingerprinted(options.question.trim(), &options.flags);
        let request = Request::new(&name, &analyst, &question, &plan.loss)?.on(plan.terms());
        Ok(Self { plan, subject, account, name, analyst, request, since })
    }

    fn planned(&self, left: Option<&Loss>) -> Planned {
        let plan = &self.plan;
        let dropped = plan.keys.iter().filter(|keys| keys.other.is_none()).map(|keys| keys.column.clone());
        let neighbours = match plan.people.neighbours() {
            privet_dp::Neighbours::AddRemove => Neighbourhood::AddRemove,
            privet_dp::Neighbours::ReplaceOne => Neighbourhood::Replace,
        };
        Planned {
            group_by: plan.question.group_by.clone(),
            groups: plan.groups.get(),
            figures: plan.figures(),
            remarks: plan.remarks(),
            cost: (&plan.loss).into(),
            beliefs: beliefs::bounded(&plan.loss, plan.people.neighbours()),
            people: Protected {
                neighbours: neighbours.word(),
                max_records: plan.people.contributions(),
                per_person: plan.per_person.clone(),
                dropped: dropped.collect(),
            },
            account: self.name.clone(),
            ledger: self.account.place(),
            remaining: left.map(Into::into),
            suffices: left.is_some(),
        }
    }
}
