//! Private answers from a program: questions in SQL, answered with differential privacy and charged to an account.
//!
//! An [`Account`] has a total that was decided on once, and protects [`People`]. A question is planned with [`Query::plan`], which charges
//! nothing, and answered with [`Query::run`], which charges before it draws.

use std::path::{Path, PathBuf};

use privet_data::{Progress, Silent};
use privet_kind::KindError;
use privet_query::{self as private, Answered, Flags, LedgerFlags, Method, Neighbourhood, Opened};
use privet_query::{Planned, QueryError, QueryOptions, Shown};
use tempfile::TempDir;
use toml::Value;

use crate::job_keys::{JobKeys, scratch};
use crate::records::{KeptSource, Source, fault};

/// An account in a ledger.
#[derive(Debug, Clone)]
pub struct Account {
    flags: LedgerFlags,
}

impl Account {
    /// The account of this name in a ledger: a file, or the URL of a PostgreSQL database.
    pub fn new(ledger: impl AsRef<Path>, name: &str) -> Self {
        let ledger = ledger.as_ref().to_string_lossy().into_owned();
        Self {
            flags: LedgerFlags {
                ledger: Some(ledger),
                account: Some(name.to_owned()),
                ..LedgerFlags::default()
            },
        }
    }

    /// The file with the key that signs the entries; beside the ledger when left out.
    #[must_use]
    pub fn signing_key(mut self, path: impl Into<PathBuf>) -> Self {
        self.flags.signing_key = Some(path.into());
        self
    }

    /// A new ledger is not signed. It cannot tell whether it was changed, and knows nobody again.
    #[must_use]
    pub fn unsigned(mut self) -> Self {
        self.flags.unsigned = true;
        self
    }

    /// A PostgreSQL server may be reached over a network without encryption.
    #[must_use]
    pub fn unencrypted(mut self) -> Self {
        self.flags.unencrypted = true;
        self
    }

    /// These are other people than the account knows, or people who have an account already: both budgets add up.
    #[must_use]
    pub fn new_population(mut self) -> Self {
        self.flags.new_population = true;
        self
    }

    /// Opens the account for the people of a table, once, with its total.
    ///
    /// # Errors
    /// When the budget makes no sense, the table cannot be read, the account exists, its people have an account already, or the ledger
    /// cannot be written.
    pub fn open(
        &self,
        source: impl Into<Source>,
        people: &People,
        budget: Budget,
    ) -> Result<Opened, KindError> {
        let kept = KeptSource::new(&source.into())?;
        let delta = budget.delta.as_deref();
        private::open_account(Some(kept.path()), &self.flags, &people.flags, &budget.epsilon, delta, &Silent)
            .map_err(error)
    }

    /// Its entries: who asked when, at what cost, and what is left.
    ///
    /// # Errors
    /// When the ledger cannot be read, or was changed.
    pub fn show(&self) -> Result<Shown, KindError> {
        private::show_ledger(None, &self.flags, &Silent).map_err(error)
    }
}

/// What may be spent: epsilon, and delta where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    epsilon: String,
    delta: Option<String>,
}

impl Budget {
    /// A budget without delta. Amounts are exact: a decimal number or a fraction such as `"1/3"`.
    pub fn epsilon(epsilon: impl ToString) -> Self {
        Self { epsilon: epsilon.to_string(), delta: None }
    }

    /// The same with a probability that the guarantee fails.
    #[must_use]
    pub fn delta(self, delta: impl ToString) -> Self {
        Self { delta: Some(delta.to_string()), ..self }
    }
}

/// Whom an account and its questions protect. The default: everybody, with one record each, and whether they are in the table.
#[derive(Debug, Clone, Default)]
pub struct People {
    flags: Flags,
}

impl People {
    /// People are told apart by this column, and at most so many records of each count.
    pub fn identified_by(column: &str, max_records: u32) -> Self {
        let flags =
            Flags { per_person: Some(column.to_owned()), max_records: Some(max_records), ..Flags::default() };
        Self { flags }
    }

    /// Hidden is what somebody's records say; their number is public.
    #[must_use]
    pub fn replacing(mut self) -> Self {
        self.flags.neighbours = Some(Neighbourhood::Replace);
        self
    }
}

/// Begins a question in SQL to a table called `data`.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use privet::{Account, Budget, People};
///
/// let ages: ArrayRef = Arc::new(Int64Array::from_iter_values((0..500).map(|i| 20 + i % 60)));
/// let batch = RecordBatch::try_from_iter([("age", ages)])?;
/// let folder = tempfile::tempdir()?;
/// let account = Account::new(folder.path().join("people.ledger"), "people").unsigned();
/// account.open(&batch, &People::default(), Budget::epsilon(2))?;
///
/// let answer = privet::query(&batch, "select count(*) from data where age < 40", &account)
///     .spend(Budget::epsilon(0.5))
///     .run()?;
/// assert_eq!(answer.lines.len(), 1);
/// assert_eq!(answer.plan.remaining.map(|left| left.epsilon), Some("1.5".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn query(source: impl Into<Source>, question: &str, account: &Account) -> Query {
    Query {
        source: source.into(),
        job: JobKeys::default(),
        options: QueryOptions {
            question: question.to_owned(),
            ledger: account.flags.clone(),
            ..QueryOptions::default()
        },
    }
}

/// A question that is being described.
#[derive(Debug, Clone)]
#[must_use = "nothing happens until `run`"]
pub struct Query {
    source: Source,
    job: JobKeys,
    options: QueryOptions,
}

impl Query {
    /// What the answer may cost.
    pub fn spend(mut self, budget: Budget) -> Self {
        (self.options.flags.epsilon, self.options.flags.delta) = (Some(budget.epsilon), budget.delta);
        self
    }

    /// Whom it protects: the people of the account.
    pub fn people(mut self, people: &People) -> Self {
        let Flags { per_person, max_records, neighbours, .. } = people.flags.clone();
        let flags = &mut self.options.flags;
        (flags.per_person, flags.max_records, flags.neighbours) = (per_person, max_records, neighbours);
        self
    }

    /// Between which numbers a column lies; numbers outside count as the nearest bound. They are decided on, never read off the data.
    pub fn bound(mut self, column: &str, lower: impl ToString, upper: impl ToString) -> Self {
        let bound = format!("{column}={}..{}", lower.to_string(), upper.to_string());
        self.options.flags.bounds.push(bound);
        self
    }

    /// What the numbers of a column are rounded to: 1, 0.1, 0.01 and so on.
    pub fn grid(mut self, column: &str, unit: impl ToString) -> Self {
        self.options.flags.grids.push(format!("{column}={}", unit.to_string()));
        self
    }

    /// The values of a column to group by.
    pub fn keys<'a>(mut self, column: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let values = values.into_iter().map(|value| Value::String(value.to_owned())).collect();
        self.job.put(&["columns", column, "keys"], Value::Array(values));
        self.job.put_new(&["columns", column, "role"], "insensitive");
        self
    }

    /// The label of the group of all other values of a column; without it they are in no group.
    pub fn other(mut self, column: &str, label: &str) -> Self {
        self.options.flags.others.push(format!("{column}={label}"));
        self
    }

    /// How to answer, instead of noise on every figure of every group.
    pub fn mechanism(mut self, method: Method) -> Self {
        self.options.flags.method = Some(method);
        self
    }

    /// Lets delta be the probability of noisy numbers for which epsilon does not hold, which is more than what is usual.
    pub fn probabilistic(mut self) -> Self {
        self.options.flags.probabilistic = true;
        self
    }

    /// Draws so many synthetic records from the counts of a `group by`.
    pub fn synthetic(mut self, records: u64) -> Self {
        self.options.flags.synthetic = Some(records);
        self
    }

    /// Who asks, for the ledger; the name of the user when left out.
    pub fn analyst(mut self, name: &str) -> Self {
        self.options.analyst = Some(name.to_owned());
        self
    }

    /// A last entry of the ledger that was seen earlier, as `NUMBER:HASH`: where it is not in the ledger any more, nothing is answered.
    pub fn since(mut self, entry: &str) -> Self {
        self.options.since = Some(entry.to_owned());
        self
    }

    /// Any key of the job file, such as `set("input.missing", …)`.
    pub fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.job.set(key, value);
        self
    }

    /// What the answer would cost and how far off its numbers would be. Nothing is charged, and the data is not opened.
    ///
    /// # Errors
    /// When the question cannot be answered from what is declared, the ledger cannot be read, or the account would refuse it.
    pub fn plan(self) -> Result<Planned, KindError> {
        let (options, _scratch) = self.options()?;
        let (planned, refusal) = private::plan_query(&options, &Silent).map_err(error)?;
        refusal.map_or(Ok(planned), |refusal| Err(error(refusal)))
    }

    /// Charges the account, and answers.
    ///
    /// # Errors
    /// When the question cannot be answered from what is declared, the data cannot be read, or the budget does not suffice
    /// ([`Fault::Budget`](privet_kind::Fault::Budget)); nothing is charged then. When the charge or the generator fails, nothing is answered.
    pub fn run(self) -> Result<Answered, KindError> {
        self.run_with(&Silent)
    }

    /// The same, with its progress.
    ///
    /// # Errors
    /// As [`Query::run`].
    pub fn run_with(self, progress: &dyn Progress) -> Result<Answered, KindError> {
        let (options, _scratch) = self.options()?;
        private::query(&options, progress).map_err(error)
    }

    /// The question with the job that declares its columns. The folder holds the job as long as it lives.
    fn options(self) -> Result<(QueryOptions, TempDir), KindError> {
        let scratch = scratch()?;
        let (data, _) = self.job.write(&self.source, &scratch)?;
        Ok((QueryOptions { data, ..self.options }, scratch))
    }
}

/// An error of a question as an error of this library.
fn error(error: QueryError) -> KindError {
    KindError::new(fault(error.outcome()), error.to_string())
}
