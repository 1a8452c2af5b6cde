//! Exact answers behind an auditor: `privet query --audited` (papers T-AL11).
//!
//! Guarantee: that of `privet_mine::audit`, per audited column and group of analysts who may talk to each other. The decision is an entry of
//! the ledger, chained, signed and remembered as its other entries are, before its answer is given out; and the log, the declarations and
//! the table must be those of the first question, else nothing is answered. Two questions at the same time are decided one after the other:
//! an entry is written only behind those that its decision knew. A refused declaration or question leaves the ledger as it was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_data::Progress;
use privet_data::Table;
use privet_data::io::{ReadOptions, read};
use privet_mine::audit::{
    Assumptions, AuditError, AuditQuestion, AuditTerms, Audited, AuditedLog, AuditedTable, Control, Decision,
    Groups, LogEntry, LogError,
};

use privet_dp::DpError;
use privet_dp::ledger::{LedgerError, check_name};

use super::LedgerFlags;
use super::error::QueryError;
use super::place::{Account, Subject};
use super::waiting::patiently;
use privet_job::JobError;

/// A question to an auditor, and what is declared with it.
#[derive(Debug, Clone, Default)]
pub struct AuditedOptions {
    /// The table, or a job file whose input it is.
    pub data: PathBuf,
    /// The question, in SQL.
    pub question: String,
    /// A job file that declares the columns, when `data` is the table.
    pub job: Option<PathBuf>,
    /// Who asks; the job's, then the name of the user, when left out.
    pub analyst: Option<String>,
    /// The ledger that keeps the decisions; a file is made, with its key, when there is none.
    pub ledger: LedgerFlags,
    /// An entry of the log that must still be there, as `NUMBER:HASH`.
    pub since: Option<String>,
    /// The column that names each person once.
    pub person: Option<String>,
    /// What is declared.
    pub terms: AuditedFlags,
}

/// What the first question agrees on. Later ones may leave it out, or must say the same.
#[derive(Debug, Clone, Default)]
pub struct AuditedFlags {
    /// The columns that everybody knows.
    pub public: Vec<String>,
    /// The fewest people of a question.
    pub least: Option<u64>,
    /// The most people that two questions share.
    pub overlap: Option<u64>,
    /// Analysts who may talk to each other, with commas between them; one text per group.
    pub groups: Vec<String>,
    /// A condition: the analysts know the values of these people.
    pub known: Option<String>,
    /// Between which numbers values lie, as `LOW..HIGH`: then sums are audited for what they make likely, too.
    pub values: Option<String>,
}

/// A decision, with who asked and where it is logged.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AuditedAnswer {
    /// The decision.
    #[serde(flatten)]
    pub audited: Audited,
    /// Who asked.
    pub analyst: String,
    /// The ledger that keeps it.
    pub ledger: String,
}

/// What a ledger keeps of audited questions.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AuditedHistory {
    /// The ledger.
    pub ledger: String,
    /// What was agreed.
    pub terms: AuditTerms,
    /// The decisions.
    pub entries: Vec<LogEntry>,
    /// Per analyst how many questions were answered and denied.
    pub analysts: BTreeMap<String, (u64, u64)>,
    /// The last entry, to be asked for later.
    pub last: String,
}

impl AuditedFlags {
    fn is_empty(&self) -> bool {
        self.public.is_empty()
            && self.least.is_none()
            && self.overlap.is_none()
            && self.groups.is_empty()
            && self.known.is_none()
            && self.values.is_none()
    }

    fn groups(&self) -> Result<Groups, QueryError> {
        let mut groups = Groups::new();
        for (place, text) in self.groups.iter().enumerate() {
            for name in text.split(',').map(str::trim) {
                if name.is_empty() {
                    return Err(QueryError::Declaration("--group names nobody; write it as ann,bob".into()));
                }
                if groups.insert(name.to_owned(), (place + 1).to_string()).is_some() {
                    let problem =
                        "an analyst is in two groups; then both may talk to each other: make them one group";
                    return Err(QueryError::Declaration(problem.to_owned()));
                }
            }
        }
        Ok(groups)
    }

    /// These over what was agreed.
    fn over(&self, agreed: Option<AuditTerms>, table: String) -> Result<AuditTerms, QueryError> {
        let mut terms = agreed.unwrap_or_default();
        terms.table = table;
        if self.is_empty() {
            return Ok(terms);
        }
        if !self.public.is_empty() {
            terms.public.clone_from(&self.public);
        }
        if self.least.is_some() || self.overlap.is_some() {
            let before = terms.control.unwrap_or(Control { least: 1, overlap: None, known: 0 });
            let least = self.least.unwrap_or(before.least);
            terms.control = Some(Control { least, overlap: self.overlap.or(before.overlap), ..before });
        }
        if !self.groups.is_empty() {
            terms.groups = self.groups()?;
        }
        if self.known.is_some() {
            terms.known.clone_from(&self.known);
        }
        if let Some(text) = &self.values {
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            let ends = text.split_once("..").and_then(|(low, high)| Some((number(low)?, number(high)?)));
            let (low, high) = ends.filter(|(low, high)| low < high).ok_or_else(|| {
                QueryError::Declaration("--values takes two numbers, the lower first, such as 0..5000".into())
            })?;
            terms.assumed = Some(Assumptions { low, high, ..Assumptions::default() });
        }
        Ok(terms)
    }
}

/// How often a question is decided anew because others were decided meanwhile.
const TRIES: usize = 20;

/// Decides about a question and, where that is safe, answers it exactly.
///
/// # Errors
/// When the question, the declarations, the table or the ledger cannot be used. Nothing is decided or logged then.
pub fn query_audited(options: &AuditedOptions, progress: &dyn Progress) -> Result<AuditedAnswer, QueryError> {
    let question = AuditQuestion::parse(&options.question).map_err(AuditError::from)?;
    let subject = Subject::new(&options.data, options.job.as_deref())?;
    subject.must_be_meant(&[&question.table])?;
    subject.must_be_readable()?;
    let account = Account::new(&options.ledger, Some(&subject))?;
    let name = account.named()?;
    let analyst = analyst(options.analyst.as_deref(), &subject);
    check_name(&analyst)?;
    let before = digest(&subject.path)?;
    let read_all = ReadOptions { columns: None, ..subject.options.clone() };
    let table = read(&subject.path, &read_all, progress)?.table;
    if digest(&subject.path)? != before {
        return Err(JobError::new("changed while it was read; ask again").at(&subject.path).into());
    }
    for _ in 0..TRIES {
        match decided(options, (&account, name), (&table, &before), (&analyst, &question), progress) {
            Err(QueryError::Private(DpError::Ledger(LedgerError::Moved))) => {}
            other => {
                let audited = other?;
                return Ok(AuditedAnswer { audited, analyst, ledger: account.place() });
            }
        }
    }
    Err(LedgerError::Moved.into())
}

/// Decides about a question by what the ledger holds, and writes the decision behind it.
fn decided(
    options: &AuditedOptions,
    (account, name): (&Account, &str),
    (table, of_file): (&Table, &str),
    (analyst, question): (&str, &AuditQuestion),
    progress: &dyn Progress,
) -> Result<Audited, QueryError> {
    let lines = kept(account, name, progress)?;
    let agreed = AuditedLog::read(&lines).map_err(AuditError::from)?.terms;
    let terms = options.terms.over(agreed, of_file.to_owned())?;
    let (person, since) = (options.person.as_deref(), options.since.as_deref());
    let pending =
        AuditedTable::open(table, terms, person, &lines, since, progress)?.ask(analyst, question)?;
    let mut ledger = None;
    let mut after = lines.len() as u64;
    pending.kept(|line| -> Result<(), QueryError> {
        let place = account.place();
        if ledger.is_none() {
            ledger = Some(patiently(progress, &place, || account.made().map(|(ledger, _)| ledger))?);
        }
        let Some(ledger) = &mut ledger else { return Err(LedgerError::NoLedger.into()) };
        patiently(progress, &place, || ledger.keep_audited(name, analyst, &line, after))?;
        after += 1;
        Ok(())
    })
}

/// What the ledger holds about audited questions; nothing when there is no ledger yet.
fn kept(account: &Account, name: &str, progress: &dyn Progress) -> Result<Vec<String>, QueryError> {
    match patiently(progress, &account.place(), || account.existing()?.audited(name)) {
        Err(LedgerError::NoLedger) => Ok(Vec::new()),
        other => Ok(other?),
    }
}

/// What was asked so far.
///
/// # Errors
/// When there is no audited question, or the ledger cannot be used.
pub fn show_audited(
    data: &Path,
    flags: &LedgerFlags,
    progress: &dyn Progress,
) -> Result<AuditedHistory, QueryError> {
    let subject = Subject::new(data, None)?;
    let account = Account::new(flags, Some(&subject))?;
    let lines = kept(&account, account.named()?, progress)?;
    let log = AuditedLog::read(&lines).map_err(|error: LogError| AuditError::from(error))?;
    let Some(terms) = log.terms else {
        let problem = "holds no audited question of this table; `privet query --audited` begins with one";
        return Err(JobError::new(format!("{} {problem}", account.place())).into());
    };
    let mut analysts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for entry in &log.entries {
        let own = analysts.entry(entry.analyst.clone()).or_default();
        match entry.decision {
            Decision::Answer => own.0 += 1,
            Decision::Deny(_) => own.1 += 1,
        }
    }
    let ledger = account.place();
    Ok(AuditedHistory { ledger, terms, entries: log.entries, analysts, last: log.last })
}

fn analyst(named: Option<&str>, subject: &Subject) -> String {
    let of_job = || subject.job.as_ref().and_then(|(job, _)| job.query.analyst.clone());
    let user = || std::env::var("USER").ok().filter(|name| !name.is_empty());
    named.map(str::to_owned).or_else(of_job).or_else(user).unwrap_or_else(|| "unknown".to_owned())
}

fn digest(path: &Path) -> Result<String, QueryError> {
    privet_release::sha256_of_file(path)
        .map_err(|error| JobError::new(format!("cannot be read: {error}")).at(path).into())
}
