//! Where the table, its ledger and its account are.
//!
//! Guarantee: the same table has the same ledger whichever way it is named (by itself or by a job file that says
//! nothing else), so that a question cannot be asked twice from two budgets by accident. A new ledger is signed: its key
//! is made beside it, for its owner's eyes alone, and found there later. Ledgers without a key from earlier stay as they
//! are.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use privet_data::io::ReadOptions;
use privet_dp::ledger::{Access, Ledger, LedgerError, PostgresLedger, SqliteLedger};

use super::error::QueryError;
use super::waiting::TRY;
use privet_job::Job;
use privet_job::JobError;
use privet_job::base_of;
use privet_job::{is_meant, other_table};

/// What flags say of the ledger.
#[derive(Debug, Clone, Default)]
pub struct LedgerFlags {
    /// `--ledger FILE`, or the URL of a PostgreSQL database.
    pub ledger: Option<String>,
    /// `--signing-key FILE`: what signs its entries.
    pub signing_key: Option<PathBuf>,
    /// `--account NAME`
    pub account: Option<String>,
    /// `--unsigned`: a new ledger without a key.
    pub unsigned: bool,
    /// `--unencrypted`: a server may be reached over a network.
    pub unencrypted: bool,
    /// `--new-population`: the table may be about other people than its account, or about people who have one already.
    pub new_population: bool,
}

/// The table that is asked about.
pub(super) struct Subject {
    pub path: PathBuf,
    pub options: ReadOptions,
    pub job: Option<(Job, PathBuf)>,
    /// As it was named.
    name: String,
    /// Whether that is the name of a job file.
    named_by_job: bool,
}

impl Subject {
    /// `data` is a table, or a job file whose input it is; `job` a job file that declares its columns.
    pub fn new(data: &Path, job: Option<&Path>) -> Result<Self, QueryError> {
        let is_job = data.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
        if is_job && job.is_some() {
            let problem = "two job files are named, and only one can declare the columns; leave --job out, or name the table";
            return Err(JobError::new(problem).into());
        }
        let job = match if is_job { Some(data) } else { job } {
            Some(file) => Some((Job::read_declarations(file)?, base_of(file))),
            None => None,
        };
        let options = job.as_ref().map_or(Ok(ReadOptions::default()), |(job, _)| job.input.options())?;
        // Every cell is read by itself: which texts are one value must not depend on what others have.
        let options = options.exactly();
        let path = match &job {
            Some((job, base)) if is_job => base.join(&job.input.path),
            _ => data.to_owned(),
        };
        // A table has one ledger, by whatever link it is reached.
        let path = path.canonicalize().unwrap_or(path);
        Ok(Self { path, options, job, name: data.display().to_string(), named_by_job: is_job })
    }

    /// Refuses a question about another table than this one: `data`, or its name with or without what follows the dot.
    pub fn must_be_meant(&self, tables: &[&str]) -> Result<(), QueryError> {
        // A job file has a name of its own, which is not that of the table.
        let named = Some(Path::new(&self.name)).filter(|_| !self.named_by_job);
        let of_job =
            self.job.as_ref().filter(|_| self.named_by_job).map(|(job, _)| Path::new(&job.input.path));
        let paths = [Some(self.path.as_path()), named, of_job].into_iter().flatten();
        match is_meant(tables, &["data"], paths) {
            true => Ok(()),
            false => Err(QueryError::Declaration(other_table("`data`, or the name of the table's file"))),
        }
    }

    /// Refuses a table that is not there or cannot be read. None of it is looked at.
    pub fn must_be_readable(&self) -> Result<(), QueryError> {
        let opened = std::fs::File::open(&self.path).and_then(|file| file.metadata());
        let problem = match opened {
            Ok(found) if found.is_file() && found.len() > 0 => return Ok(()),
            Ok(found) if found.is_file() => {
                "is empty, without even the names of columns; name the table that the account is for"
                    .to_owned()
            }
            Ok(_) => "is no file; name the table that the account is for".to_owned(),
            Err(error) => format!("cannot be read: {error}; name the table that the account is for"),
        };
        Err(JobError::new(problem).at(&self.path).into())
    }
}

/// Whether somebody meant a server and wrote no URL that we know: `host=… password=…`, `mysql://…`.
fn names_a_server(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let settings = ["host", "hostaddr", "user", "password", "dbname"];
    text.contains("://")
        || text
            .split_whitespace()
            .any(|own| own.split_once('=').is_some_and(|(key, _)| settings.contains(&key)))
}

/// A ledger and an account in it.
pub(super) struct Account {
    ledger: Storage,
    key: Option<PathBuf>,
    unsigned: bool,
    new_population: bool,
    /// The account; none when neither a name nor a table is given.
    pub name: Option<String>,
    /// What follows `privet ledger open`, so that a person can repeat it.
    command: String,
}

enum Storage {
    File(PathBuf),
    Server(String),
}

impl Account {
    /// From flags first, then the job file, then the table: its name, and a file beside it.
    pub fn new(flags: &LedgerFlags, subject: Option<&Subject>) -> Result<Self, QueryError> {
        let job = subject.and_then(|own| own.job.as_ref());
        let beside = |base: &Path, path: &Path| base.join(path);
        let storage = |text: &str, base: Option<&Path>| {
            if text.starts_with("postgres://") || text.starts_with("postgresql://") {
                Storage::Server(text.to_owned())
            } else {
                Storage::File(base.map_or_else(|| PathBuf::from(text), |base| beside(base, Path::new(text))))
            }
        };
        let named = flags.ledger.as_deref().or_else(|| job.and_then(|(job, _)| job.query.ledger.as_deref()));
        if named.is_some_and(|name| name.trim().is_empty()) {
            return Err(JobError::new(
                "the ledger needs a name: a file, or the URL of a PostgreSQL database; left out, it is the one beside the table",
            )
            .into());
        }
        let of_job = job.and_then(|(job, base)| Some(storage(job.query.ledger.as_deref()?, Some(base))));
        let of_table = || subject.map(|own| Storage::File(with_ending(&own.path, ".ledger")));
        let is_of_table = flags.ledger.is_none() && of_job.is_none();
        let ledger = flags.ledger.as_deref().map(|text| storage(text, None)).or(of_job).or_else(of_table);
        let ledger = ledger.ok_or_else(|| {
            JobError::new("say which ledger: the table or job file that it is of, or --ledger FILE")
        })?;
        let ledger = match ledger {
            // Another way to name a server, perhaps with its password, which must not come back as the name of a file.
            Storage::File(path) if names_a_server(&path) => return Err(LedgerError::Address.into()),
            Storage::Server(url) => {
                if flags.unencrypted && PostgresLedger::demands_encryption(&url)? {
                    let problem = "--unencrypted contradicts the URL, whose `sslmode` or `sslrootcert` demands encryption; leave \
                                   one of them out";
                    return Err(JobError::new(problem).into());
                }
                let url = if flags.unencrypted { PostgresLedger::unencrypted(&url) } else { url };
                PostgresLedger::check(&url)?;
                Storage::Server(url)
            }
            Storage::File(path) => {
                // Beside a table there is a folder; whether there is the table is asked elsewhere.
                if !is_of_table {
                    must_be_a_place(&path)?;
                }
                Storage::File(path)
            }
        };
        if flags.unencrypted && matches!(ledger, Storage::File(_)) {
            return Err(JobError::new("--unencrypted is for a PostgreSQL ledger; this one is a file").into());
        }
        // Made beside the ledger when it was opened.
        let key_of_file = || match &ledger {
            Storage::File(path) => {
                Some(with_ending(path, ".key")).filter(|key| !flags.unsigned && key.is_file())
            }
            Storage::Server(_) => None,
        };
        let key_of_job = || job.and_then(|(job, base)| Some(beside(base, job.query.signing_key.as_deref()?)));
        let name_of_job = || job.and_then(|(job, _)| job.query.account.clone());
        let name_of_table = || {
            Some(subject?.path.file_name()?.to_string_lossy().into_owned()).filter(|name| !name.is_empty())
        };
        let named = flags.account.clone().or_else(name_of_job);
        if is_of_table && subject.is_some() && named.is_some() && named != name_of_table() {
            let problem = "the ledger beside a table has one account, that of the table, so that nobody has two budgets; for \
                           another account name another ledger with --ledger, or `ledger` in [query]";
            return Err(JobError::new(problem).into());
        }
        let mut command: Vec<String> = subject.map(|own| own.name.clone()).into_iter().collect();
        // A URL may hold a password.
        command.extend(flags.ledger.as_ref().map(|text| match storage(text, None) {
            Storage::File(_) => format!("--ledger {text}"),
            Storage::Server(_) => "--ledger postgres://…".to_owned(),
        }));
        command.extend(flags.account.as_ref().map(|name| format!("--account {name}")));
        let key = flags.signing_key.clone().or_else(key_of_job).or_else(key_of_file);
        if key.is_some() && flags.unsigned {
            return Err(JobError::new("either a signing key or --unsigned, not both").into());
        }
        Ok(Self {
            ledger,
            key,
            unsigned: flags.unsigned,
            new_population: flags.new_population,
            name: named.or_else(name_of_table),
            command: command.join(" "),
        })
    }

    /// The account's name, where one is needed.
    pub fn named(&self) -> Result<&str, QueryError> {
        let missing = "say which account: the table or job file that it is of, or --account NAME";
        self.name.as_deref().ok_or_else(|| JobError::new(missing).into())
    }

    /// Where the ledger is, for people.
    pub fn place(&self) -> String {
        match &self.ledger {
            Storage::File(path) => path.display().to_string(),
            Storage::Server(_) => "the PostgreSQL ledger".to_owned(),
        }
    }

    /// Where the state of the auditors of an account is kept, and the key that seals it; nowhere without a key.
    pub fn audit_state(&self) -> Option<(PathBuf, &Path)> {
        let plain = |own: char| if own.is_ascii_alphanumeric() { own } else { '_' };
        let account: String = self.name.as_deref()?.chars().map(plain).collect();
        let key = self.key.as_deref()?;
        Some((with_ending(key, &format!(".{account}.audited")), key))
    }

    /// Whether the entries of an existing ledger are signed: with a key an unsigned one is not opened, nor a signed one without.
    pub fn is_signed(&self) -> bool {
        self.key.is_some()
    }

    /// Whether other people than the account's are accepted, or people who have another.
    pub fn accepts_others(&self) -> bool {
        self.new_population
    }

    /// The file that the ledger is, and that of its key, where it is one.
    pub fn files(&self) -> Option<(&Path, Option<&Path>)> {
        match &self.ledger {
            Storage::File(path) => Some((path, self.key.as_deref())),
            Storage::Server(_) => None,
        }
    }

    /// With this key; somebody who waits is told in between.
    fn access<'a>(&self, key: Option<&'a Path>) -> Access<'a> {
        Access { key, patience: TRY, is_accepted: self.new_population }
    }

    /// The ledger, when there is one.
    pub fn existing(&self) -> Result<Box<dyn Ledger>, LedgerError> {
        let access = self.access(self.key.as_deref());
        Ok(match &self.ledger {
            Storage::File(path) => {
                Box::new(SqliteLedger::find(path, &access).map_err(|error| self.signed(error))?)
            }
            Storage::Server(url) => {
                Box::new(PostgresLedger::find(url, &access).map_err(|error| self.signed(error))?)
            }
        })
    }

    /// The ledger, made when there is none; with it a key that signs its entries, unless one is named or none is
    /// wanted. Tells where the key is.
    pub fn made(&self) -> Result<(Box<dyn Ledger>, Option<PathBuf>), LedgerError> {
        match (&self.ledger, &self.key) {
            // An empty file is no ledger yet.
            (Storage::File(path), None)
                if self.unsigned || path.metadata().is_ok_and(|file| file.len() > 0) =>
            {
                let beside = with_ending(path, ".key");
                if !self.new_population && beside.is_file() {
                    SqliteLedger::must_allow_new(path, &beside)?;
                }
                let ledger =
                    SqliteLedger::make(path, &self.access(None)).map_err(|error| self.signed(error))?;
                Ok((Box::new(ledger), None))
            }
            (Storage::File(path), None) => {
                let key = with_ending(path, ".key");
                make_key(&key)?;
                match SqliteLedger::make(path, &self.access(Some(&key))) {
                    Ok(ledger) => Ok((Box::new(ledger), Some(key))),
                    Err(error) => {
                        // Nothing is signed with it yet.
                        let _ = std::fs::remove_file(&key);
                        Err(error)
                    }
                }
            }
            (Storage::File(path), Some(key)) => {
                Ok((Box::new(SqliteLedger::make(path, &self.access(Some(key)))?), Some(key.clone())))
            }
            (Storage::Server(_), None) if !self.unsigned => Err(LedgerError::NoKey),
            (Storage::Server(url), key) => {
                let ledger = PostgresLedger::make(url, &self.access(key.as_deref()))
                    .map_err(|error| self.signed(error))?;
                Ok((Box::new(ledger), key.clone()))
            }
        }
    }

    /// The same error; a missing key is none that is missed where --unsigned says that there is none.
    fn signed(&self, error: LedgerError) -> LedgerError {
        match error {
            LedgerError::KeyMissing if self.unsigned => LedgerError::Signed,
            other => other,
        }
    }

    /// The same error, with what to do when there is no account.
    pub fn explain(&self, error: LedgerError) -> QueryError {
        match error {
            LedgerError::NoAccount | LedgerError::NoLedger => QueryError::NoAccount {
                account: self.name.clone().unwrap_or_default(),
                ledger: self.place(),
                command: self.command.clone(),
            },
            other => other.into(),
        }
    }
}

/// Refuses what can hold no ledger: a folder that is not there, a device, or memory that is gone when the program ends.
fn must_be_a_place(path: &Path) -> Result<(), QueryError> {
    let refused = |problem: &str| Err(JobError::new(problem).at(path).into());
    // A name by which the database means no file at all.
    if path.file_name().is_some_and(|name| name == ":memory:") {
        return refused("is no file; name one, which stays for the next question");
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match path.metadata() {
        // A folder is refused in the words for other files that are no ledgers.
        Ok(found) if found.is_file() || found.is_dir() => Ok(()),
        Ok(_) => refused("is no file; name one, or for a new ledger a name that is free"),
        Err(_) if folder.is_some_and(|folder| !folder.is_dir()) => {
            refused("its folder does not exist; make it first, or name another ledger")
        }
        Err(_) => Ok(()),
    }
}

pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Makes a key of 32 random bytes, as text, that only its owner can read.
fn make_key(path: &Path) -> Result<(), LedgerError> {
    let mut bytes = [0u8; 32];
    let no_random = |_| LedgerError::Storage("the generator of random numbers failed".to_owned());
    getrandom::fill(&mut bytes).map_err(no_random)?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut is_made = false;
    let written = options.open(path).and_then(|mut file| {
        is_made = true;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_all()
    });
    written.map_err(|error| {
        // Half a key must not be found later.
        if is_made {
            let _ = std::fs::remove_file(path);
        }
        match error.kind() {
            ErrorKind::PermissionDenied
            | ErrorKind::AlreadyExists
            | ErrorKind::NotFound
            | ErrorKind::ReadOnlyFilesystem => LedgerError::KeyPlace { place: path.display().to_string() },
            kind => LedgerError::Storage(format!("its key cannot be written: {kind}")),
        }
    })
}
