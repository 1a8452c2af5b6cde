//! The ledger of privacy budgets: charged and made durable before an answer leaves (survey PM-35).
//!
//! Guarantee, for every [`Ledger`]: when [`Ledger::charge`] returns a receipt, the charge is on durable storage and
//! the budget sufficed for it and all charges before, whoever else was charging. When it returns an error, nothing
//! may be answered; the charge may still have been made (a crash during commit), which costs the asker and not the
//! people. [`answer`] is the only order in which things should happen: charge, then compute, then give out.

mod chain;
mod encryption;
mod entry;
mod holder;
mod memory;
mod population;
mod postgres;
mod sealed;
mod sqlite;
mod terms;

pub use population::{CodedColumn, Kinship, Population, PopulationKey};
pub use postgres::{PostgresLedger, connect_to_database};
pub use sealed::{open_beside, seal_beside};
pub use sqlite::SqliteLedger;
pub use terms::Terms;

use sha2::{Digest, Sha256};

use crate::DpError;
use crate::budget::Loss;

/// What is asked of a ledger. Holds a fingerprint of the question instead of the question, which may name values.
#[derive(Debug, Clone)]
pub struct Request {
    dataset: String,
    asker: String,
    fingerprint: String,
    loss: Loss,
    terms: Terms,
    population: Option<Population>,
    is_accepted: bool,
}

const LONGEST: usize = 1000;

impl Request {
    /// A question about a data set, by an asker, at a cost above nothing.
    pub fn new(dataset: &str, asker: &str, question: &str, loss: &Loss) -> Result<Self, DpError> {
        check_name(dataset)?;
        check_name(asker)?;
        if loss.is_none() {
            return Err(DpError::parameter("the cost of a question", "an epsilon or a delta above 0"));
        }
        Ok(Self {
            dataset: dataset.to_owned(),
            asker: asker.to_owned(),
            fingerprint: fingerprint(question),
            loss: loss.rounded_up(),
            terms: Terms::default(),
            population: None,
            is_accepted: false,
        })
    }

    /// The same question, whose answer protects other people than [`Terms::default`] says.
    pub fn on(self, terms: Terms) -> Self {
        Self { terms, ..self }
    }

    /// The same question about these people, which are compared with those of the account. Where it `is_accepted` that they
    /// are others, the account pays for both.
    pub fn about(self, population: Population, is_accepted: bool) -> Self {
        Self { population: Some(population), is_accepted, ..self }
    }
}

/// How a ledger is reached.
#[derive(Debug, Clone, Copy)]
pub struct Access<'a> {
    /// The file with the key that signs its entries.
    pub key: Option<&'a std::path::Path>,
    /// How long to wait for whoever else holds it.
    pub patience: std::time::Duration,
    /// Whether one that is made may stand beside the key of one that is gone.
    pub is_accepted: bool,
}

impl<'a> Access<'a> {
    /// With this key, a minute of patience, and nothing accepted.
    pub fn with(key: Option<&'a std::path::Path>) -> Self {
        Self { key, patience: PATIENCE, is_accepted: false }
    }
}

/// How long to wait for another writer.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// An account that is to be opened.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// The data set.
    pub dataset: &'a str,
    /// Whom it protects.
    pub terms: &'a Terms,
    /// Its total.
    pub budget: &'a Loss,
    /// Who is in the data set; without it that is learnt from the first question.
    pub population: Option<&'a Population>,
    /// Whether it may be about people who have an account already.
    pub is_accepted: bool,
}

/// By what a ledger knows people. Ledgers without a key know none.
#[derive(Debug, Clone)]
pub struct Marker {
    /// The secret under which records are hashed.
    pub key: PopulationKey,
    /// The columns that tell persons apart in its accounts.
    pub persons: Vec<String>,
    /// Whether the account that was named knows its persons, so that records need not be compared.
    pub by_person: bool,
}

/// An account that is about the same people as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The account.
    pub account: String,
    /// How that is seen.
    pub kinship: Kinship,
}

impl From<Related> for LedgerError {
    fn from(Related { account, kinship }: Related) -> Self {
        Self::SamePeople { account, kinship, ledger: None }
    }
}

/// Refuses what is no name of a data set or an asker.
///
/// # Errors
/// When it is empty, too long, or holds characters that are [`unseen`].
pub fn check_name(text: &str) -> Result<(), DpError> {
    if text.is_empty() || text.len() > LONGEST || text.chars().any(unseen) {
        let accepted = "1 to 1000 bytes without control characters or invisible ones";
        return Err(DpError::parameter("the name of a data set or an asker", accepted));
    }
    Ok(())
}

/// Whether a character does something else than stand there: a line break or an escape sequence would write lines of its own
/// when entries are shown, an override of the direction would turn a name round, and two names that differ in a character
/// that nobody sees would look the same.
#[must_use]
pub fn unseen(own: char) -> bool {
    own.is_control()
        || matches!(own,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// That something was charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The number of the entry.
    pub sequence: u64,
    /// What is left of the data set's budget.
    pub remaining: Loss,
    /// The hash of the entry, which covers all entries before it.
    pub hash: String,
}

/// An entry of a ledger, for its owner to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number, from 1 on.
    pub sequence: u64,
    /// What happened.
    pub act: Act,
    /// When, in seconds since 1970-01-01 UTC.
    pub time: u64,
    /// The data set.
    pub dataset: String,
    /// Who asked; empty for an opening.
    pub asker: String,
    /// The SHA-256 of the question, with what was declared for it, as hexadecimal text; empty for an opening.
    pub fingerprint: String,
    /// The charge, or the total that was opened.
    pub loss: Loss,
    /// What it left of the data set's budget.
    pub remaining: Loss,
    /// Its hash, which covers all entries before it.
    pub hash: String,
}

/// What an entry of a ledger is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// An account was opened.
    Opened,
    /// A question was charged.
    Charged,
    /// A decision about an exact answer was written down, which costs nothing.
    Audited,
}

/// The fingerprint by which a ledger knows a question.
pub fn fingerprint(question: &str) -> String {
    chain::hex(&Sha256::digest(question.as_bytes()))
}

/// The last entry of a ledger. Kept elsewhere, it shows later that nothing was cut off the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The number of the entry, 0 when there is none.
    pub sequence: u64,
    /// Its hash.
    pub hash: String,
}

/// Durable budgets.
pub trait Ledger {
    /// Opens an account for a data set. A second opening is refused, whatever its budget.
    fn open_account(&mut self, dataset: &str, budget: &Loss) -> Result<Receipt, LedgerError> {
        self.open_account_on(dataset, &Terms::default(), budget)
    }

    /// The same for other people than [`Terms::default`] says.
    fn open_account_on(
        &mut self,
        dataset: &str,
        terms: &Terms,
        budget: &Loss,
    ) -> Result<Receipt, LedgerError> {
        self.open_account_for(&Opening { dataset, terms, budget, population: None, is_accepted: false })
    }

    /// The same for people who are told, and refused where they have an account.
    fn open_account_for(&mut self, opening: &Opening<'_>) -> Result<Receipt, LedgerError>;

    /// By what the ledger knows people; none where its entries are not signed.
    fn marker(&mut self, dataset: Option<&str>) -> Result<Option<Marker>, LedgerError>;

    /// The accounts that are about the same people as a table.
    fn related(&mut self, population: &Population) -> Result<Vec<Related>, LedgerError>;

    /// What is left of a data set's budget.
    fn remaining(&mut self, dataset: &str) -> Result<Loss, LedgerError>;

    /// What a charge would leave, or its refusal, in the words of [`Ledger::charge`]. Nothing is written, so a charge that
    /// comes later may be refused all the same.
    fn check(&mut self, request: &Request) -> Result<Loss, LedgerError>;

    /// Charges, durably, or refuses.
    fn charge(&mut self, request: &Request) -> Result<Receipt, LedgerError>;

    /// What was written down about exact answers from a data set, in order.
    fn audited(&mut self, dataset: &str) -> Result<Vec<String>, LedgerError>;

    /// Writes down, durably, a decision about an exact answer, behind so many others about the same data set. The text is encrypted where
    /// the ledger has a key.
    ///
    /// # Errors
    /// [`LedgerError::Moved`] when somebody else wrote one since; then nothing is written.
    fn keep_audited(
        &mut self,
        dataset: &str,
        asker: &str,
        text: &str,
        after: u64,
    ) -> Result<Receipt, LedgerError>;

    /// Recomputes every hash and every sum. `since` is a head that was seen earlier and must still be there.
    fn verify(&mut self, since: Option<&Head>) -> Result<Head, LedgerError>;

    /// All entries in their order, as they stand; whether they hold is `verify`'s matter.
    fn records(&mut self) -> Result<Vec<Record>, LedgerError>;
}

/// Charges, and only then computes the answer.
pub fn answer<T>(
    ledger: &mut (impl Ledger + ?Sized),
    request: &Request,
    compute: impl FnOnce() -> Result<T, DpError>,
) -> Result<(Receipt, T), DpError> {
    let receipt = ledger.charge(request)?;
    Ok((receipt, compute()?))
}

/// Why a ledger refused or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The budget does not suffice.
    #[error(
        "the privacy budget does not suffice: asked {asked}, left {left}; ask for less, or have the account's owner decide"
    )]
    Insufficient {
        /// What was asked for.
        asked: Box<Loss>,
        /// What is left.
        left: Box<Loss>,
    },
    /// There is no ledger where one was looked for.
    #[error("there is no ledger yet; open an account with its total budget first")]
    NoLedger,
    /// Where a ledger was looked for, there is something else.
    #[error(
        "the file is no ledger but holds something else; name the one that `privet ledger open` made (beside a table it is \
         called TABLE.ledger), or for a new one a name that is free"
    )]
    NotALedger,
    /// There is no such account.
    #[error("the ledger has no account for this data set; open one with its total budget first")]
    NoAccount,
    /// There is one already.
    #[error("the ledger has an account for this data set already; a budget is decided once")]
    AccountExists,
    /// The budget or name makes no sense.
    #[error(
        "an account needs a name of 1 to 1000 bytes without control characters or invisible ones, as does the column that \
         tells people apart, and a budget with an epsilon above 0"
    )]
    BadAccount,
    /// The account protects more, or other people, than the question would.
    #[error(
        "the account was opened for {account}, and this question is asked for {asked}; ask on the account's terms"
    )]
    OtherTerms {
        /// Whom the account protects.
        account: Box<Terms>,
        /// Whom the question would protect.
        asked: Box<Terms>,
    },
    /// The people of a table have an account already.
    #[error(
        "this table is about people who have an account already, `{account}`{}: {kinship}. Two budgets for the same people add \
         up; ask that account, also where the table has grown or was copied (`--account`, and `--ledger` where it is elsewhere). \
         If these are other people, or a second budget for them is meant, say --new-population",
        ledger.as_ref().map_or(String::new(), |ledger| format!(" in {ledger}"))
    )]
    SamePeople {
        /// The account that they have.
        account: String,
        /// How that is seen.
        kinship: Kinship,
        /// Where its ledger is, where that is another one.
        ledger: Option<String>,
    },
    /// The people of a table are not those of the account.
    #[error(
        "this table has hardly anybody of those whom the account `{account}` was opened for; name the table that the account is \
         for, or the account of this table. If the table has new people on purpose, say --new-population once, and the account \
         pays for all of them"
    )]
    OtherPeople {
        /// The account.
        account: String,
    },
    /// A ledger that its key file remembers is not there.
    #[error(
        "the key file remembers a ledger of {entries} entries, {place}, that is not there any more; a new one would be a fresh \
         budget for the same people. Restore it from a copy; if the new one is for other people, say --new-population"
    )]
    Gone {
        /// Where it was.
        place: String,
        /// How many entries it had.
        entries: u64,
    },
    /// Another program holds the ledger.
    #[error("{} has locked the ledger for too long, so nothing is answered and nothing was charged; ask again when it is done",
        holder.as_deref().unwrap_or("another program"))]
    Locked {
        /// Who, as far as the system tells.
        holder: Option<String>,
    },
    /// Another question about the same data set was decided since this one was.
    #[error("another audited question was decided meanwhile, so this one must be decided anew; ask again")]
    Moved,
    /// The person asked to stop while somebody else held the ledger.
    #[error("stopped on request while waiting for the ledger; nothing was charged")]
    Stopped,
    /// The ledger contradicts itself.
    #[error(
        "entry {sequence} of the ledger does not hold: {problem}; stop answering and restore a copy that verifies"
    )]
    Broken {
        /// Which entry.
        sequence: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// There is more than a ledger holds.
    #[error(
        "the ledger holds more than a ledger does, such as a trigger, a rule or a view that was added; stop answering and restore a copy \
         that verifies"
    )]
    Foreign,
    /// The key does not fit.
    #[error(
        "the key of a ledger is a file of at least 16 bytes that can be read, the same one for all its entries"
    )]
    Key,
    /// A key cannot be made.
    #[error(
        "{place}: the key that signs the ledger cannot be written here; name one with --signing-key, or say --unsigned"
    )]
    KeyPlace {
        /// Where it was to be.
        place: String,
    },
    /// A server needs a key.
    #[error(
        "a PostgreSQL ledger needs a key that signs its entries, because whoever administers the server could change them: \
         --signing-key FILE (such as from `head -c 32 /dev/urandom`), the same one for everybody who asks; or say --unsigned"
    )]
    NoKey,
    /// Entries are signed, and no key was given.
    #[error(
        "the entries of this ledger are signed and its key is not there; name the file that holds it with --signing-key \
         (`privet ledger open` makes it beside the ledger, as LEDGER.key)"
    )]
    KeyMissing,
    /// Entries are signed, and it was said that they are not.
    #[error(
        "the entries of this ledger are signed, and --unsigned says that they are not; leave --unsigned out (its key is \
         found beside it as LEDGER.key, or named with --signing-key)"
    )]
    Signed,
    /// What goes to a server could be read on its way.
    #[error(
        "the connection to a PostgreSQL ledger is not encrypted in this build, so whoever is on the way to another machine \
         could read it, its password too, or change what is charged; use a socket or a tunnel to localhost (`ssh -L \
         5432:localhost:5432 server`), build with `--features tls`, or say --unencrypted or `sslmode=disable` where you trust \
         the network"
    )]
    NotEncrypted,
    /// Encryption was demanded.
    #[error(
        "the URL demands an encrypted connection (sslmode), and this program was built without it; build with `--features \
         tls`, use a socket or a tunnel to localhost (`ssh -L 5432:localhost:5432 server`) without `sslmode`, or \
         `sslmode=disable` where you trust the network"
    )]
    NoEncryption,
    /// Entries are signed with another key.
    #[error(
        "this is not the key that the entries of this ledger are signed with; name the file that holds the right one with \
         --signing-key"
    )]
    OtherKey,
    /// What a server is to be trusted by cannot be read.
    #[error("`sslrootcert` names no file with a certificate in PEM form (-----BEGIN CERTIFICATE-----)")]
    Certificate,
    /// The URL of a server is none.
    #[error("a PostgreSQL ledger is named like postgres://user@host:5432/database")]
    Address,
    /// The database failed. Nothing may be answered.
    #[error("the ledger cannot be used, so nothing is answered: {0}")]
    Storage(String),
}
