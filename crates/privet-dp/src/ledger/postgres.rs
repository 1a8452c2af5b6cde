//! A ledger in a PostgreSQL database, for a team.
//!
//! Guarantee: a charge is one transaction behind one lock for the whole ledger (an advisory lock, so that askers need
//! no more rights than to read and insert), and the number of an entry is a primary key: two askers can never both
//! write the next entry, with or without the lock. Statements of the transaction see what was committed before them
//! (`read committed`), and the first of them waits for the lock, so a budget is read after everybody else's charge.
//! The commit returns after the server has synced its log: `synchronous_commit` is raised where it is lower, and a
//! server that runs with `fsync = off` is refused. When the connection breaks during the commit, the charge may have
//! been made; nothing is answered then.
//!
//! What is kept of the key, to tell a forgotten or another key from a changed entry, is a comment on the table of entries: whoever
//! may read the table can read it, and only who made the table can write it. Ledgers of earlier versions have none.
//!
//! How the server is reached, and what is refused for not being encrypted, is decided in `encryption.rs`.

use std::path::Path;
use std::time::Duration;

use postgres::error::SqlState;
use postgres::{Client, GenericClient, IsolationLevel, Row, Transaction};

use super::chain::Seal;
use super::encryption::{Address, is_demanded};
use super::entry::{Audit, Entry, Since, whole};
use super::{Head, Ledger, LedgerError, Receipt, Record, Request, Terms};
use crate::budget::Loss;

/// How long to wait for the server to answer the first time.
const PATIENCE: Duration = Duration::from_secs(20);

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS privet_accounts (
        dataset TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS privet_entries (
        sequence BIGINT PRIMARY KEY, kind TEXT NOT NULL, time BIGINT NOT NULL,
        dataset TEXT NOT NULL REFERENCES privet_accounts, asker TEXT NOT NULL, fingerprint TEXT NOT NULL,
        epsilon TEXT NOT NULL, delta TEXT NOT NULL,
        epsilon_remaining TEXT NOT NULL, delta_remaining TEXT NOT NULL, hash TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS privet_entries_of ON privet_entries (dataset, sequence);";

/// What the comment on the table of entries begins with; a number that follows from the key comes next.
const KEY_OF_LEDGER: &str = "privet ledger, mark of its key: ";

/// Held while the ledger is written; any number that nobody else uses (here `privet` in ASCII).
const LOCK: &str = "SELECT pg_advisory_xact_lock(123654014329204)";

const ENTRIES: &str = "SELECT sequence, kind, time, dataset, asker, fingerprint, epsilon, delta, \
    epsilon_remaining, delta_remaining, hash FROM privet_entries";

/// Budgets in a database.
pub struct PostgresLedger {
    client: Client,
    seal: Seal,
}

impl From<postgres::Error> for LedgerError {
    fn from(error: postgres::Error) -> Self {
        // The code alone: a message of the server may repeat what was written.
        Self::Storage(match error.code() {
            Some(code) if *code == SqlState::UNDEFINED_TABLE => return Self::NoLedger,
            Some(code) => format!("the PostgreSQL server says {} ({})", code.code(), meaning(code)),
            None => "the PostgreSQL server cannot be reached, or the connection broke".to_owned(),
        })
    }
}

/// The usual codes in words.
fn meaning(code: &SqlState) -> &'static str {
    match code.code() {
        "28P01" | "28000" => "user or password is not accepted",
        "3D000" => "there is no such database",
        "42501" => {
            "the user lacks the right; an asker must read and insert, and whoever opens an account, create"
        }
        "55P03" => "another asker held the ledger for too long",
        "23505" => "another asker was faster; ask again",
        "53300" => "too many connections",
        _ => "see the server's log",
    }
}

impl PostgresLedger {
    /// Refuses a URL that is none, or that asks for what cannot be done: encryption in a build without it, or another
    /// machine with neither encryption nor `sslmode=disable`. Nothing is sent.
    pub fn check(url: &str) -> Result<(), LedgerError> {
        Address::parse(url).map(|_| ())
    }

    /// Whether a URL demands encryption, by `sslmode` or `sslrootcert`.
    pub fn demands_encryption(url: &str) -> Result<bool, LedgerError> {
        is_demanded(url)
    }

    /// The same URL with the consent that everything, the password too, goes to another machine as it is.
    pub fn unencrypted(url: &str) -> String {
        let sign = if url.contains('?') { '&' } else { '?' };
        format!("{url}{sign}sslmode=disable")
    }

    /// The ledger in the database that a `postgres://user:password@host/database` names; its tables are made when they
    /// are not there. The password may be in the environment, as `PGPASSWORD`.
    pub fn open(url: &str, key: Option<&Path>) -> Result<Self, LedgerError> {
        let mut own = Self::connect(url, key)?;
        let mut transaction = own.client.transaction()?;
        transaction.execute(LOCK, &[])?;
        transaction.batch_execute(TABLES)?;
        let is_empty = transaction.query_opt("SELECT 1 FROM privet_entries LIMIT 1", &[])?.is_none();
        let (kept, mark) = (mark(&mut transaction)?, own.seal.mark()?);
        // Where nothing is signed yet, this key is the ledger's.
        if is_empty && kept != mark {
            transaction
                .batch_execute(&format!("COMMENT ON TABLE privet_entries IS '{KEY_OF_LEDGER}{mark}'"))?;
        } else {
            own.seal.must_fit(kept)?;
        }
        transaction.commit()?;
        Ok(own)
    }

    /// The same without making tables; they are missed when they are first used.
    pub fn open_existing(url: &str, key: Option<&Path>) -> Result<Self, LedgerError> {
        let mut own = Self::connect(url, key)?;
        let kept = mark(&mut own.client)?;
        own.seal.must_fit(kept)?;
        Ok(own)
    }

    fn connect(url: &str, key: Option<&Path>) -> Result<Self, LedgerError> {
        let seal = key.map_or(Ok(Seal::Plain), Seal::from_key_file)?;
        let mut address = Address::parse(url)?;
        let config = &mut address.config;
        if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        let mut client = address.connect()?;
        let setting = |client: &mut Client, name: &str| -> Result<String, LedgerError> {
            Ok(client.query_one("SELECT current_setting($1)", &[&name])?.get(0))
        };
        if setting(&mut client, "fsync")? != "on" {
            let problem = "the PostgreSQL server runs with fsync = off, so a charge could be lost";
            return Err(LedgerError::Storage(problem.to_owned()));
        }
        if matches!(&*setting(&mut client, "synchronous_commit")?, "off" | "local") {
            client.batch_execute("SET synchronous_commit = on")?;
        }
        client.batch_execute("SET lock_timeout = '60s'")?;
        Ok(Self { client, seal })
    }

    /// A transaction that holds the ledger.
    fn writing(client: &mut Client) -> Result<Transaction<'_>, LedgerError> {
        let level = IsolationLevel::ReadCommitted;
        let mut transaction = client.build_transaction().isolation_level(level).read_only(false).start()?;
        transaction.execute(LOCK, &[])?;
        Ok(transaction)
    }

    fn append(
        transaction: &mut Transaction<'_>,
        seal: &Seal,
        audit: &Audit,
        mut entry: Entry,
    ) -> Result<Receipt, LedgerError> {
        entry.follow(&audit.last(), seal)?;
        let [epsilon, delta] = &entry.loss;
        let [epsilon_left, delta_left] = &entry.remaining;
        transaction.execute(
            "INSERT INTO privet_entries VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            &[
                &(entry.sequence as i64),
                &entry.kind,
                &(entry.time as i64),
                &entry.dataset,
                &entry.asker,
                &entry.fingerprint,
                epsilon,
                delta,
                epsilon_left,
                delta_left,
                &entry.hash,
            ],
        )?;
        if go_through(transaction, seal)?.last().hash != entry.hash {
            return Err(LedgerError::Storage("an entry was written and is not there".to_owned()));
        }
        entry.receipt()
    }
}

/// What the database keeps of the ledger's key; 0 where there is none, or no ledger.
fn mark(client: &mut impl GenericClient) -> Result<i32, LedgerError> {
    let comment = "SELECT obj_description(to_regclass('privet_entries'), 'pg_class')";
    let comment: Option<String> = client.query_one(comment, &[])?.try_get(0)?;
    let mark = comment.as_deref().and_then(|own| own.strip_prefix(KEY_OF_LEDGER)?.parse().ok());
    Ok(mark.unwrap_or(0))
}

fn read(row: &Row) -> Result<Entry, LedgerError> {
    Ok(Entry {
        sequence: whole(row.try_get(0)?)?,
        kind: row.try_get(1)?,
        time: whole(row.try_get(2)?)?,
        dataset: row.try_get(3)?,
        asker: row.try_get(4)?,
        fingerprint: row.try_get(5)?,
        loss: [row.try_get(6)?, row.try_get(7)?],
        remaining: [row.try_get(8)?, row.try_get(9)?],
        hash: row.try_get(10)?,
    })
}

/// What could make the tables do otherwise than they are told.
const HOOKS: &str = "SELECT (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN \
    ('privet_entries'::regclass, 'privet_accounts'::regclass)) + (SELECT count(*) FROM pg_rewrite \
    WHERE ev_class IN ('privet_entries'::regclass, 'privet_accounts'::regclass))";

/// Goes through all entries. What single entries say is not believed.
fn go_through(transaction: &mut Transaction<'_>, seal: &Seal) -> Result<Audit, LedgerError> {
    if transaction.query_one(HOOKS, &[])?.try_get::<_, i64>(0)? > 0 {
        return Err(LedgerError::Foreign);
    }
    let mut audit = Audit::default();
    for row in transaction.query(&format!("{ENTRIES} ORDER BY sequence"), &[])? {
        audit.take(seal, read(&row)?)?;
    }
    let mut accounts = Vec::new();
    for row in transaction.query("SELECT dataset, epsilon, delta FROM privet_accounts", &[])? {
        accounts.push((row.try_get(0)?, [row.try_get(1)?, row.try_get(2)?]));
    }
    audit.compare(accounts)?;
    Ok(audit)
}

impl Ledger for PostgresLedger {
    fn open_account_on(
        &mut self,
        dataset: &str,
        terms: &Terms,
        budget: &Loss,
    ) -> Result<Receipt, LedgerError> {
        let entry = Entry::opening(dataset, terms, budget)?;
        let mut transaction = Self::writing(&mut self.client)?;
        let audit = go_through(&mut transaction, &self.seal)?;
        let [epsilon, delta] = &entry.loss;
        let added = transaction.execute(
            "INSERT INTO privet_accounts VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            &[&dataset, epsilon, delta],
        )?;
        if added == 0 {
            return Err(LedgerError::AccountExists);
        }
        let receipt = Self::append(&mut transaction, &self.seal, &audit, entry)?;
        transaction.commit()?;
        Ok(receipt)
    }

    fn remaining(&mut self, dataset: &str) -> Result<Loss, LedgerError> {
        let mut transaction = reading(&mut self.client)?;
        go_through(&mut transaction, &self.seal)?.left(dataset)
    }

    fn check(&mut self, request: &Request) -> Result<Loss, LedgerError> {
        let mut transaction = reading(&mut self.client)?;
        go_through(&mut transaction, &self.seal)?.charge(request)?.left()
    }

    fn charge(&mut self, request: &Request) -> Result<Receipt, LedgerError> {
        let mut transaction = Self::writing(&mut self.client)?;
        let audit = go_through(&mut transaction, &self.seal)?;
        let entry = audit.charge(request)?;
        let receipt = Self::append(&mut transaction, &self.seal, &audit, entry)?;
        transaction.commit()?;
        Ok(receipt)
    }

    fn verify(&mut self, since: Option<&Head>) -> Result<Head, LedgerError> {
        let mut transaction = reading(&mut self.client)?;
        let mut since = Since::new(since);
        let audit = go_through(&mut transaction, &self.seal)?;
        for row in transaction.query("SELECT sequence, hash FROM privet_entries ORDER BY sequence", &[])? {
            since.pass(&Head { sequence: whole(row.try_get(0)?)?, hash: row.try_get(1)? });
        }
        since.finish(audit.last())
    }

    fn records(&mut self) -> Result<Vec<Record>, LedgerError> {
        let rows = self.client.query(&format!("{ENTRIES} ORDER BY sequence"), &[])?;
        rows.iter().map(|row| read(row)?.record()).collect()
    }
}

/// A transaction with one view of both tables.
fn reading(client: &mut Client) -> Result<Transaction<'_>, LedgerError> {
    let level = IsolationLevel::RepeatableRead;
    Ok(client.build_transaction().isolation_level(level).read_only(true).start()?)
}
