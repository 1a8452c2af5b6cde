//! Exact answers behind an auditor: `privet query --audited` (papers T-AL11).
//!
//! Guarantee: that of `privet_mine::audit`, per audited column and group of analysts who may talk to each other. The decision is an entry of
//! the ledger, chained, signed and remembered as its other entries are, before its answer is given out; and the log, the declarations and
//! the table must be those of the first question, else nothing is answered. Two questions at the same time are decided one after the other:
//! an entry is written only behind those that its decision knew. A refused declaration or question leaves the ledger as it was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_data::io::{ReadOptions, read};
use privet_data::{Progress, Table};
use privet_dp::DpError;
use privet_dp::ledger::{LedgerError, check_name};
use privet_mine::audit::{
    AuditDeclarations, AuditError, AuditQuestion, AuditTerms, Audited, AuditedLog, AuditedTable, LogEntry,
};

use super::LedgerFlags;
use super::audited_state as state;
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
    pub terms: AuditDeclarations,
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

/// How often a question is decided anew because others were decided meanwhile.
const TRIES: usize = 20;

/// Answered sums after which the state of the auditors is kept anew.
const OFTEN: u64 = 16;

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
    let terms = options.terms.over(agreed, of_file.to_owned()).map_err(AuditError::from)?;
    let (person, since) = (options.person.as_deref(), options.since.as_deref());
    let state = state::read(account);
    let mut auditors = AuditedTable::resume(table, terms, person, &lines, since, state.as_ref(), progress)?;
    if auditors.eliminated() >= OFTEN
        && let Some(state) = auditors.state()
    {
        state::keep(account, &state);
    }
    let pending = auditors.ask(analyst, question)?;
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
    let log = AuditedLog::read(&lines).map_err(AuditError::from)?;
    let analysts = log.analysts();
    let Some(terms) = log.terms else {
        let problem = "holds no audited question of this table; `privet query --audited` begins with one";
        return Err(JobError::new(format!("{} {problem}", account.place())).into());
    };
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
