//! What `privet ledger` does: opening accounts, showing entries, verifying the chain.

use std::path::{Path, PathBuf};

use privet_data::io::{ReadError, ReadErrorKind, read};
use privet_data::{Progress, Table};
use privet_dp::ledger::{Act, Head, Ledger, LedgerError, Opening, Record, Terms, check_name, unseen};
use privet_dp::{Delta, Epsilon, Loss, Rational, Rho};

use super::declared::{Declared, Flags, probability, problem};
use super::error::QueryError;
use super::place::{Account, LedgerFlags, Subject};
use super::population::{known, must_be_unknown, population};
use super::register;
use super::waiting::patiently;
use privet_job::JobError;

/// An amount of privacy, as exact text: a decimal number or a fraction.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Amount {
    /// Epsilon.
    pub epsilon: String,
    /// Delta.
    pub delta: String,
    /// The amount itself, where it is a concentrated loss; epsilon and delta are then what follows from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rho: Option<String>,
    /// Both for people.
    #[serde(skip)]
    words: [String; 2],
}

/// The delta at which it is told what follows from a concentrated loss.
const TOLD_AT: &str = "1e-6";

impl From<&Loss> for Amount {
    fn from(loss: &Loss) -> Self {
        let [epsilon, delta] = loss.decimals();
        let Some([rho, _]) = loss.rho_text() else {
            return Self { epsilon, delta, rho: None, words: loss.words() };
        };
        // Rounded up, as losses are; of a budget that is used up nothing follows.
        let told = || {
            let delta: Delta = TOLD_AT.parse().ok()?;
            let exact = Rho::new(loss.rho()?.clone()).ok()?.epsilon_at(&delta)?;
            let thousand = Rational::from(1000u16);
            Loss::new(Rational::from((exact * &thousand).ceil()) / thousand, delta.value().clone()).ok()
        };
        let told = told().unwrap_or_else(Loss::none);
        let [epsilon, delta] = told.decimals();
        Self { epsilon, delta, rho: Some(rho), words: told.words() }
    }
}

impl Amount {
    /// Epsilon and delta with no more digits than people read.
    #[must_use]
    pub fn words(&self) -> &[String; 2] {
        &self.words
    }

    /// Epsilon, as far as people and pictures need it.
    #[must_use]
    pub fn real_epsilon(&self) -> f64 {
        real(&self.epsilon)
    }

    /// Delta, as far as people and pictures need it.
    #[must_use]
    pub fn real_delta(&self) -> f64 {
        real(&self.delta)
    }
}

/// A decimal number or a fraction. What is neither is told as no protection at all, never as a strong one.
fn real(text: &str) -> f64 {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let (above, below) = (above.trim(), below.trim());
    // Of very long fractions the first digits: all of them are beyond what such a number holds.
    let beyond = below.len().saturating_sub(300);
    let first = |text: &'_ str| text.get(..text.len().saturating_sub(beyond)).map(str::to_owned);
    let (above, below) = match beyond {
        0 => (above.to_owned(), below.to_owned()),
        _ => (
            first(above).filter(|own| !own.is_empty()).unwrap_or("0".into()),
            first(below).unwrap_or_default(),
        ),
    };
    match (above.parse::<f64>(), below.parse::<f64>()) {
        (Ok(above), Ok(below)) if below > 0.0 => above / below,
        _ => f64::INFINITY,
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [epsilon, delta] = &self.words;
        if let Some(rho) = &self.rho {
            return write!(f, "rho {rho} (epsilon {epsilon} at delta {delta})");
        }
        write!(f, "epsilon {epsilon}")?;
        if self.delta == "0" { Ok(()) } else { write!(f, ", delta {delta}") }
    }
}

/// An entry of a ledger.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LedgerEntry {
    /// Its number.
    pub entry: u64,
    /// When, in seconds since 1970-01-01 UTC.
    pub time: u64,
    /// The account.
    pub account: String,
    /// `open` or `charge`.
    pub kind: &'static str,
    /// Who asked; empty for an opening.
    pub analyst: String,
    /// The SHA-256 of the question and of what was declared for it; empty for an opening.
    pub question: String,
    /// The charge, or the total that was opened.
    pub amount: Amount,
    /// What it left of the account.
    pub remaining: Amount,
    /// Its hash, which covers all entries before it.
    pub hash: String,
}

/// A name from a ledger as it is shown: control characters and invisible ones, which older entries may hold, are written
/// out.
#[must_use]
pub fn visible(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for own in name.chars() {
        match unseen(own) {
            true => text.extend(own.escape_default()),
            false => text.push(own),
        }
    }
    text
}

impl From<Record> for LedgerEntry {
    fn from(record: Record) -> Self {
        Self {
            entry: record.sequence,
            time: record.time,
            account: record.dataset,
            kind: match record.act {
                Act::Opened => "open",
                Act::Charged => "charge",
                Act::Audited => "audited",
            },
            analyst: record.asker,
            question: record.fingerprint,
            amount: (&record.loss).into(),
            remaining: (&record.remaining).into(),
            hash: record.hash,
        }
    }
}

/// A ledger as it stands.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Shown {
    /// Where it is.
    pub ledger: String,
    /// Its entries in their order, those of other accounts left out when one was asked for.
    pub entries: Vec<LedgerEntry>,
    /// What is wrong with the ledger; none where every hash and every sum holds.
    pub problem: Option<String>,
    /// Whether its entries are signed. If not, whoever can write the ledger can write another one that holds.
    pub signed: bool,
}

/// A ledger whose chain holds.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Verified {
    /// Where it is.
    pub ledger: String,
    /// The number of entries.
    pub entries: u64,
    /// The last entry, as `NUMBER:HASH`; kept elsewhere, it shows later that nothing was cut off.
    pub head: String,
    /// Whether its entries are signed. If not, whoever can write the ledger can write another one that holds.
    pub signed: bool,
}

/// An account that was opened.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Opened {
    /// Where.
    pub ledger: String,
    /// The account.
    pub account: String,
    /// Its total.
    pub budget: Amount,
    /// Whom it protects.
    pub terms: String,
    /// The file with the key that signs its entries; none when they are not signed.
    pub signing_key: Option<String>,
    /// Whether copies of the table, and other tables, will be told from it: entries are signed.
    pub knows_people: bool,
    /// Other ledgers that may know its people and could not be looked at.
    pub not_compared: Vec<String>,
}

fn account(data: Option<&Path>, flags: &LedgerFlags) -> Result<Account, QueryError> {
    let subject = data.map(|data| Subject::new(data, None)).transpose()?;
    Account::new(flags, subject.as_ref())
}

/// Opens an account with its total budget. `people` are flags that say whom it protects; of a job file what it says.
///
/// # Errors
/// When the budget makes no sense, the table cannot be read, the account exists, or the ledger cannot be written.
pub fn open_account(
    data: Option<&Path>,
    flags: &LedgerFlags,
    people: &Flags,
    epsilon: &str,
    delta: Option<&str>,
    progress: &dyn Progress,
) -> Result<Opened, QueryError> {
    let budget = match (&people.rho, epsilon.is_empty(), delta) {
        (Some(rho), true, None) => Loss::concentrated(rho.parse::<Rho>()?.value().clone())?,
        (None, false, delta) => {
            let epsilon: Epsilon = epsilon.parse()?;
            let delta = delta.map(probability).transpose()?;
            Loss::new(epsilon.value().clone(), delta.map_or(Rational::ZERO, |delta| delta.value().clone()))?
        }
        _ => {
            return Err(problem(
                "an account is opened with a total in one unit: --epsilon, with or without a --delta, or --rho alone",
            ));
        }
    };
    let subject = data.map(|data| Subject::new(data, None)).transpose()?;
    // A budget for a table by a mistyped name would stand beside nothing.
    subject.as_ref().map_or(Ok(()), Subject::must_be_readable)?;
    let account = Account::new(flags, subject.as_ref())?;
    let job = subject.as_ref().and_then(|own| own.job.as_ref()).map(|(job, base)| (job, base.as_path()));
    let (whom, person) = Declared { flags: people, job }.people()?;
    let terms = Terms { neighbours: whom.neighbours(), person, records: whom.contributions() };
    let name = account.named()?.to_owned();
    // Before a file is made for it.
    check_name(&name)?;
    let is_accepted = account.accepts_others();
    let table = subject.as_ref().map(|subject| whole(subject, &terms, progress)).transpose()?;
    let not_compared = match (&table, &subject) {
        (Some(table), Some(subject)) if !is_accepted => {
            let own = account.files().map(|(ledger, _)| ledger);
            let files: Vec<&Path> = std::iter::once(subject.path.as_path()).chain(own).collect();
            let person = terms.person.as_deref();
            must_be_unknown(table, person, &known(&files, own), progress)?
        }
        _ => Vec::new(),
    };
    let place = account.place();
    let (mut ledger, key) = patiently(progress, &place, || account.made())?;
    let marker = patiently(progress, &place, || ledger.marker(None))?;
    let people = table.as_ref().zip(marker.as_ref());
    let people = people.map(|(table, marker)| population(table, terms.person.as_deref(), marker, false));
    let (terms, budget) = (&terms, &budget);
    let opening = Opening { dataset: &name, terms, budget, population: people.as_ref(), is_accepted };
    let receipt = patiently(progress, &place, || ledger.open_account_for(&opening))?;
    if let (Some((path, _)), Some(key)) = (account.files(), &key) {
        register::remember(path, key);
    }
    Ok(Opened {
        budget: (&receipt.remaining).into(),
        terms: terms.to_string(),
        signing_key: key.map(|path| path.display().to_string()),
        knows_people: marker.is_some(),
        not_compared: not_compared.iter().map(|path| path.display().to_string()).collect(),
        ledger: place,
        account: name,
    })
}

/// The whole table, whose people are to be known. A column that tells persons apart must be there.
fn whole(subject: &Subject, terms: &Terms, progress: &dyn Progress) -> Result<Table, QueryError> {
    let input = read(&subject.path, &subject.options, progress)?;
    match terms.person.as_ref().filter(|person| !input.names.contains(person)) {
        Some(person) => {
            let kind = ReadErrorKind::UnknownColumn { name: person.clone(), names: input.names };
            Err(ReadError { path: Some(subject.path.clone()), kind }.into())
        }
        None => Ok(input.table),
    }
}

/// The entries of a ledger, of one account when a table or an account is named, and whether they hold.
///
/// # Errors
/// When there is no ledger, or it cannot be read.
pub fn show_ledger(
    data: Option<&Path>,
    flags: &LedgerFlags,
    progress: &dyn Progress,
) -> Result<Shown, QueryError> {
    shown(&account(data, flags)?, progress)
}

/// The same of an account that is known already.
pub(super) fn shown(account: &Account, progress: &dyn Progress) -> Result<Shown, QueryError> {
    let place = account.place();
    let mut ledger = existing(account, progress)?;
    let records = patiently(progress, &place, || ledger.records())?;
    // Entries that do not hold can be looked at, but are not told as facts.
    let problem = match patiently(progress, &place, || ledger.verify(None)) {
        Ok(_) => None,
        Err(wrong @ (LedgerError::Broken { .. } | LedgerError::Foreign)) => Some(wrong.to_string()),
        Err(other) => return Err(other.into()),
    };
    let wanted = |record: &Record| account.name.as_ref().is_none_or(|name| *name == record.dataset);
    let entries: Vec<LedgerEntry> = records.into_iter().filter(wanted).map(Into::into).collect();
    if entries.is_empty() && account.name.is_some() && problem.is_none() {
        return Err(account.explain(LedgerError::NoAccount));
    }
    Ok(Shown { ledger: place, entries, problem, signed: account.is_signed() })
}

/// Recomputes every hash and every sum of a ledger. `since` is a head that was seen earlier, as `NUMBER:HASH`.
///
/// # Errors
/// When the chain does not hold, with the entry where it breaks; when there is no ledger.
pub fn verify_ledger(
    data: Option<&Path>,
    flags: &LedgerFlags,
    since: Option<&str>,
    progress: &dyn Progress,
) -> Result<Verified, QueryError> {
    let since = since.map(head).transpose()?;
    let account = account(data, flags)?;
    let mut ledger = existing(&account, progress)?;
    let head = patiently(progress, &account.place(), || ledger.verify(since.as_ref()))?;
    Ok(Verified {
        ledger: account.place(),
        entries: head.sequence,
        head: format!("{}:{}", head.sequence, head.hash),
        signed: account.is_signed(),
    })
}

fn existing(account: &Account, progress: &dyn Progress) -> Result<Box<dyn Ledger>, QueryError> {
    patiently(progress, &account.place(), || account.existing()).map_err(|error| match error {
        LedgerError::NoLedger => {
            JobError::new("there is no ledger").at(&PathBuf::from(account.place())).into()
        }
        other => other.into(),
    })
}

/// A last entry as `verify` prints it.
pub(super) fn head(text: &str) -> Result<Head, JobError> {
    let read = || {
        let (sequence, hash) = text.trim().split_once(':')?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(Head { sequence: sequence.parse().ok()?, hash: hash.to_ascii_lowercase() }).filter(|_| is_hash)
    };
    read().ok_or_else(|| JobError::new("--since takes NUMBER:HASH, as `privet ledger verify` prints it"))
}

#[cfg(test)]
mod tests {
    use super::{real, visible};

    #[test]
    fn names_of_old_entries_write_no_lines() {
        assert_eq!(visible("ann\n\u{1b}[2J\u{9b}x é"), "ann\\n\\u{1b}[2J\\u{9b}x é");
        assert_eq!(visible("ann\u{202e}bob\u{feff}"), "ann\\u{202e}bob\\u{feff}");
        assert_eq!(visible("people.csv"), "people.csv");
    }

    #[test]
    fn fractions_of_any_length_are_numbers() {
        let sevens = "7".repeat(900);
        for (text, value) in [
            ("0.25".to_owned(), 0.25),
            ("7/3".to_owned(), 7.0 / 3.0),
            (format!("{sevens}/{sevens}0"), 0.1),
            (format!("1/{sevens}"), 0.0),
            ("x".to_owned(), f64::INFINITY),
            ("1/0".to_owned(), f64::INFINITY),
        ] {
            let found = real(&text);
            assert!(found == value || (found - value).abs() < 1e-12, "{found} {value}");
        }
    }
}
