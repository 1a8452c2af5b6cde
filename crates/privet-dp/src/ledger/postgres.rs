//! A ledger in a PostgreSQL database, for a team.
//!
//! Guarantee: a charge is one transaction behind one lock for the whole ledger (an advisory lock, so that askers need
//! no more rights than to read and insert), and the number of an entry is a primary key: two askers can never both
//! write the next entry, with or without the lock. Statements of the transaction see what was committed before them
//! (`read committed`), and the first of them waits for the lock, so a budget is read after everybody else's charge.
//! The commit returns after the server has synced its log: `synchronous_commit` is raised where it is lower, and a
//! server that runs with `fsync = off` is refused. When the connection breaks during the commit, the charge may have
//! been made; nothing is answered then. The key file remembers charges as it does for files (`memory.rs`).
//!
//! What is kept of the key, to tell a forgotten or another key from a changed entry, is a comment on the table of entries: whoever
//! may read the table can read it, and only who made the table can write it. Ledgers of earlier versions have none.
//!
//! How the server is reached, and what is refused for not being encrypted, is decided in `encryption.rs`.

use std::path::Path;
use std::time::{Duration, Instant};

use postgres::error::SqlState;
use postgres::{Client, GenericClient, IsolationLevel, Row, Transaction};

use super::chain::Seal;
use super::encryption::{Address, is_demanded};
use super::entry::{Audit, Entry, Since, whole};
use super::memory::Memory;
use super::population::Population;
use super::{Access, Head, Ledger, LedgerError, Marker, Opening, Receipt, Record, Related, Request};
use crate::budget::Loss;

/// How long to wait for the server to answer the first time.
const FIRST_ANSWER: Duration = Duration::from_secs(20);

/// How long the server lets a statement wait for a lock before it is tried again.
const TURN: Duration = Duration::from_millis(250);

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

/// Who holds that lock.
const HOLDER: &str = "SELECT l.pid, coalesce(a.usename::text, '') FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid \
    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 28786 AND l.objid = 1769366900 LIMIT 1";

const ENTRIES: &str = "SELECT sequence, kind, time, dataset, asker, fingerprint, epsilon, delta, \
    epsilon_remaining, delta_remaining, hash FROM privet_entries";

/// Budgets in a database.
pub struct PostgresLedger {
    client: Client,
    seal: Seal,
    patience: Duration,
    /// What the key remembers; none without a key.
    memory: Option<Memory>,
}

impl From<postgres::Error> for LedgerError {
    fn from(error: postgres::Error) -> Self {
        // The code alone: a message of the server may repeat what was written.
        Self::Storage(match error.code() {
            Some(code) if *code == SqlState::UNDEFINED_TABLE => return Self::NoLedger,
            Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => return Self::Locked { holder: None },
            Some(code) if *code == SqlState::DISK_FULL => {
                "the disk of the PostgreSQL server is full; nothing was charged".to_owned()
            }
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
        "23505" => "another asker was faster; ask again",
        "53300" => "too many connections",
        _ => "see the server's log",
    }
}

/// Connects to a database as a ledger does: to another machine by TLS, or as it is when the URL says so. The password is in
/// the URL, in the environment as `PGPASSWORD`, or in the file that `PGPASSFILE` names (`~/.pgpass`).
///
/// # Errors
/// When the URL is none, nothing answers, or nobody is let in.
pub fn connect_to_database(url: &str) -> Result<Client, LedgerError> {
    let mut address = Address::parse(url)?;
    let config = &mut address.config;
    if config.get_password().is_none()
        && let Some(password) = std::env::var("PGPASSWORD").ok().or_else(|| password_of_file(config))
    {
        config.password(password);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(FIRST_ANSWER);
    }
    address.connect()
}

/// The password that a password file has for a database: lines of `host:port:database:user:password`.
fn password_of_file(config: &postgres::Config) -> Option<String> {
    let path = match std::env::var_os("PGPASSFILE") {
        Some(path) => std::path::PathBuf::from(path),
        None => std::path::PathBuf::from(std::env::var_os("HOME")?).join(".pgpass"),
    };
    let host = match config.get_hosts().first()? {
        postgres::config::Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        postgres::config::Host::Unix(_) => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user()?;
    let database = config.get_dbname().unwrap_or(user);
    let wanted = [&*host, &*port, database, user];
    std::fs::read_to_string(path).ok()?.lines().find_map(|line| password_of_line(line, &wanted))
}

/// The password of a line, when it is for this host, port, database and user.
fn password_of_line(line: &str, wanted: &[&str; 4]) -> Option<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.trim_end_matches('\r').chars();
    while let Some(letter) = letters.next() {
        // The rest of the line is the password, which may hold colons.
        if letter == ':' && fields.len() < 5 {
            fields.push(String::new());
            continue;
        }
        let is_escaped = letter == '\\';
        fields.last_mut()?.extend(if is_escaped { letters.next() } else { Some(letter) });
    }
    let fits =
        fields.len() == 5 && fields.iter().zip(wanted).all(|(own, wanted)| own == "*" || own == wanted);
    (fits && !line.starts_with('#')).then(|| fields.swap_remove(4))
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
        Self::make(url, &Access::with(key))
    }

    /// The same, reached so.
    pub fn make(url: &str, access: &Access<'_>) -> Result<Self, LedgerError> {
        let mut own = Self::connect(url, access)?;
        let Self { client, seal, patience, memory } = &mut own;
        patiently(client, *patience, |client| {
            let mut transaction = client.transaction()?;
            transaction.execute(LOCK, &[])?;
            transaction.batch_execute(TABLES)?;
            let is_empty = transaction.query_opt("SELECT 1 FROM privet_entries LIMIT 1", &[])?.is_none();
            if let (true, false, Some(memory)) = (is_empty, access.is_accepted, &memory) {
                memory.must_allow_new(seal)?;
            }
            let (kept, mark) = (mark(&mut transaction)?, seal.mark()?);
            // Where nothing is signed yet, this key is the ledger's.
            if is_empty && kept != mark {
                transaction
                    .batch_execute(&format!("COMMENT ON TABLE privet_entries IS '{KEY_OF_LEDGER}{mark}'"))?;
            } else {
                seal.must_fit(kept)?;
            }
            Ok(transaction.commit()?)
        })?;
        Ok(own)
    }

    /// The same without making tables; they are missed when they are first used.
    pub fn open_existing(url: &str, key: Option<&Path>) -> Result<Self, LedgerError> {
        Self::find(url, &Access::with(key))
    }

    /// The same, reached so.
    pub fn find(url: &str, access: &Access<'_>) -> Result<Self, LedgerError> {
        let mut own = Self::connect(url, access)?;
        let kept = mark(&mut own.client)?;
        own.seal.must_fit(kept)?;
        Ok(own)
    }

    fn connect(url: &str, access: &Access<'_>) -> Result<Self, LedgerError> {
        let seal = access.key.map_or(Ok(Seal::Plain), Seal::from_key_file)?;
        let mut address = Address::parse(url)?;
        let config = &mut address.config;
        if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(FIRST_ANSWER);
        }
        let place = place_of(config);
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
        client.batch_execute(&format!("SET lock_timeout = '{}ms'", TURN.as_millis()))?;
        let memory = access.key.map(|key| Memory::beside(key, place)).transpose()?;
        Ok(Self { client, seal, patience: access.patience, memory })
    }

    /// Reads the ledger, in one view of it.
    fn reading<T>(
        &mut self,
        act: impl Fn(&mut Transaction<'_>, &Audit, &Seal) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let Self { client, seal, patience, memory } = self;
        patiently(client, *patience, |client| {
            // Remembered before it is read, so that whoever charges in between is no contradiction.
            let remembered = remembered(client, seal, memory.as_ref())?;
            let level = IsolationLevel::RepeatableRead;
            let mut transaction =
                client.build_transaction().isolation_level(level).read_only(true).start()?;
            let audit = go_through(&mut transaction, seal, remembered)?;
            act(&mut transaction, &audit, seal)
        })
    }

    /// Writes an entry in a transaction that holds the ledger.
    fn writing(
        &mut self,
        act: impl Fn(&mut Transaction<'_>, &Audit, &Seal) -> Result<Entry, LedgerError>,
    ) -> Result<Receipt, LedgerError> {
        let Self { client, seal, patience, memory } = self;
        let (id, receipt) = patiently(client, *patience, |client| {
            let remembered = remembered(client, seal, memory.as_ref())?;
            let level = IsolationLevel::ReadCommitted;
            let mut transaction =
                client.build_transaction().isolation_level(level).read_only(false).start()?;
            transaction.execute(LOCK, &[])?;
            let audit = go_through(&mut transaction, seal, remembered)?;
            let entry = act(&mut transaction, &audit, seal)?;
            let receipt = Self::append(&mut transaction, seal, &audit, entry)?;
            transaction.commit()?;
            Ok((audit.id().unwrap_or(&receipt.hash).to_owned(), receipt))
        })?;
        if let Some(memory) = memory {
            memory.keep(seal, &id, &Head { sequence: receipt.sequence, hash: receipt.hash.clone() });
        }
        Ok(receipt)
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
        if go_through(transaction, seal, None)?.last().hash != entry.hash {
            return Err(LedgerError::Storage("an entry was written and is not there".to_owned()));
        }
        entry.receipt()
    }
}

/// Tries again while another asker holds the ledger. A statement that waited in vain has undone its transaction, and a
/// commit waits for nobody, so nothing is written twice.
fn patiently<T>(
    client: &mut Client,
    patience: Duration,
    act: impl Fn(&mut Client) -> Result<T, LedgerError>,
) -> Result<T, LedgerError> {
    let begun = Instant::now();
    loop {
        match act(client) {
            Err(LedgerError::Locked { .. }) if begun.elapsed() < patience => {}
            Err(LedgerError::Locked { .. }) => return Err(LedgerError::Locked { holder: holder(client) }),
            other => return other,
        }
    }
}

/// Who holds the ledger, as far as the server tells.
fn holder(client: &mut Client) -> Option<String> {
    let row = client.query_opt(HOLDER, &[]).ok()??;
    let (process, user): (i32, String) = (row.try_get(0).ok()?, row.try_get(1).ok()?);
    let user: String = user.chars().filter(|own| !super::unseen(*own)).collect();
    Some(format!("user {user} of the server (process {process} there)"))
}

/// Where a ledger is, as its key remembers it: without user and password.
fn place_of(config: &postgres::Config) -> String {
    let hosts: Vec<String> = config.get_hosts().iter().map(|host| format!("{host:?}")).collect();
    let place = format!(
        "PostgreSQL {} {:?} {}",
        hosts.join(","),
        config.get_ports(),
        config.get_dbname().unwrap_or_default()
    );
    if place.chars().any(char::is_control) { String::new() } else { place }
}

/// The last entry that the key of the ledger remembers.
fn remembered(
    client: &mut Client,
    seal: &Seal,
    memory: Option<&Memory>,
) -> Result<Option<Head>, LedgerError> {
    let Some(memory) = memory else { return Ok(None) };
    let first = client.query_opt("SELECT hash FROM privet_entries ORDER BY sequence LIMIT 1", &[])?;
    let first: Option<String> = first.map(|row| row.try_get(0)).transpose()?;
    Ok(first.and_then(|id| memory.head(seal, &id)))
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
fn go_through(
    transaction: &mut Transaction<'_>,
    seal: &Seal,
    remembered: Option<Head>,
) -> Result<Audit, LedgerError> {
    if transaction.query_one(HOOKS, &[])?.try_get::<_, i64>(0)? > 0 {
        return Err(LedgerError::Foreign);
    }
    let mut audit = Audit::awaiting(remembered);
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
    fn open_account_for(&mut self, opening: &Opening<'_>) -> Result<Receipt, LedgerError> {
        self.writing(|transaction, audit, seal| {
            let entry = audit.opening(opening, seal)?;
            let [epsilon, delta] = &entry.loss;
            let added = transaction.execute(
                "INSERT INTO privet_accounts VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                &[&opening.dataset, epsilon, delta],
            )?;
            if added == 0 { Err(LedgerError::AccountExists) } else { Ok(entry) }
        })
    }

    fn marker(&mut self, dataset: Option<&str>) -> Result<Option<Marker>, LedgerError> {
        self.reading(|_, audit, seal| audit.marker(dataset, seal))
    }

    fn related(&mut self, population: &Population) -> Result<Vec<Related>, LedgerError> {
        self.reading(|_, audit, seal| audit.related(population, seal))
    }

    fn remaining(&mut self, dataset: &str) -> Result<Loss, LedgerError> {
        self.reading(|_, audit, _| audit.left(dataset))
    }

    fn check(&mut self, request: &Request) -> Result<Loss, LedgerError> {
        self.reading(|_, audit, seal| audit.charge(request, seal)?.left())
    }

    fn charge(&mut self, request: &Request) -> Result<Receipt, LedgerError> {
        self.writing(|_, audit, seal| audit.charge(request, seal))
    }

    fn audited(&mut self, dataset: &str) -> Result<Vec<String>, LedgerError> {
        self.reading(|_, audit, seal| audit.audited(dataset, seal))
    }

    fn keep_audited(
        &mut self,
        dataset: &str,
        asker: &str,
        text: &str,
        after: u64,
    ) -> Result<Receipt, LedgerError> {
        self.writing(|transaction, audit, seal| {
            let (entry, is_new) = audit.audited_entry((dataset, asker, text), after, seal)?;
            if is_new {
                let [epsilon, delta] = &entry.loss;
                let added = "INSERT INTO privet_accounts VALUES ($1, $2, $3)";
                transaction.execute(added, &[&entry.dataset, epsilon, delta])?;
            }
            Ok(entry)
        })
    }

    fn verify(&mut self, since: Option<&Head>) -> Result<Head, LedgerError> {
        self.reading(|transaction, audit, _| {
            let mut since = Since::new(since);
            let all = "SELECT sequence, hash FROM privet_entries ORDER BY sequence";
            for row in transaction.query(all, &[])? {
                since.pass(&Head { sequence: whole(row.try_get(0)?)?, hash: row.try_get(1)? });
            }
            since.finish(audit.last())
        })
    }

    fn records(&mut self) -> Result<Vec<Record>, LedgerError> {
        let Self { client, patience, .. } = self;
        patiently(client, *patience, |client| {
            let rows = client.query(&format!("{ENTRIES} ORDER BY sequence"), &[])?;
            rows.iter().map(|row| read(row)?.record()).collect()
        })
    }
}
