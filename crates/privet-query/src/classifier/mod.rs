//! Private classifiers (`privet mine private`): naive Bayes and a decision tree from noisy tables of counts.
//!
//! Naive Bayes asks for the tables of the class with each column, all at once. The tree asks for them with half of the cost, keeps the columns that
//! tell most of the class by what came back, and asks with the other half for one table of the class with all of these together; the tree is
//! grown on that table.
//!
//! # Guarantee
//! The data are looked at by [`query`] alone, which charges every question to the ledger before it is answered; the model is computed from the
//! answers and the declarations. So the model costs what its questions cost, whatever is computed from it. With `test`, predictions are compared with
//! records of the owner: that figure is exact, protected by nothing, and for the owner alone.

mod bayes;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use privet_attack::Rate;
use privet_data::Progress;
use privet_data::io::{ReadOptions, read};
use privet_dp::{Delta, Epsilon, Rational, Rho};
use privet_job::Job;
use serde::{Deserialize, Serialize};

pub use bayes::Bayes;
pub use tree::TreeNode;

use super::declared::problem;
use super::error::QueryError;
use super::ledger::Amount;
use super::origin::unknown as unknown_column;
use super::place::Subject;
use super::{Answered, QueryOptions, query};

/// The most columns that a classifier looks at.
const MOST_COLUMNS: usize = 64;

/// What is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PrivateLearner {
    /// Naive Bayes.
    #[default]
    Bayes,
    /// A decision tree.
    Tree,
}

/// What is to be learned, and at which cost.
#[derive(Debug, Clone, Default)]
pub struct ClassifierOptions {
    /// The table, what is declared, and who pays. The question is made here.
    pub query: QueryOptions,
    /// The column that is predicted.
    pub class: String,
    /// The columns from which it is.
    pub columns: Vec<String>,
    /// What is learned.
    pub learner: PrivateLearner,
    /// The most columns that a tree asks.
    pub depth: usize,
    /// Records to test on.
    pub test: Option<PathBuf>,
}

/// A classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "learner", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PrivateModel {
    /// Naive Bayes.
    NaiveBayes(Bayes),
    /// A decision tree.
    Tree {
        /// The column that is predicted.
        class: String,
        /// Its root.
        root: TreeNode,
    },
}

/// The largest file that is taken for a model.
const MOST_BYTES: u64 = 1 << 28;

impl PrivateModel {
    /// The model of a file; none when the file is no such model.
    #[must_use]
    pub fn read(path: &Path) -> Option<Self> {
        let bytes = privet_data::io::read_plain(path, MOST_BYTES).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The column that is predicted.
    #[must_use]
    pub fn class(&self) -> &str {
        match self {
            Self::NaiveBayes(own) => &own.class,
            Self::Tree { class, .. } => class,
        }
    }

    /// The columns that predictions look at.
    #[must_use]
    pub fn columns(&self) -> BTreeSet<&str> {
        match self {
            Self::NaiveBayes(own) => own.columns.keys().map(String::as_str).collect(),
            Self::Tree { root, .. } => root.columns(),
        }
    }

    /// The classes of all records of a table.
    ///
    /// # Errors
    /// When the table lacks a column of the model.
    pub fn predict_all(&self, table: &privet_data::Table) -> Result<Vec<String>, QueryError> {
        if let Some(name) = self.columns().into_iter().find(|name| table.column(name).is_none()) {
            return Err(problem(format!("the table has no column `{name}`, which the model asks for")));
        }
        let text = |name: &str, row: usize| {
            let own = table.column(name)?;
            let code = own.codes.get(row).copied().filter(|code| !own.domain.is_missing(*code))?;
            Some(own.domain.text(code))
        };
        Ok((0..table.rows).map(|row| self.predict(&|name: &str| text(name, row)).to_owned()).collect())
    }

    /// The class of a record, of which the text of a column is given where it is known.
    pub fn predict<'a>(&self, text: &impl Fn(&str) -> Option<&'a str>) -> &str {
        match self {
            Self::NaiveBayes(own) => own.predict(text),
            Self::Tree { root, .. } => root.predict(text),
        }
    }
}

/// What was learned.
#[derive(Debug, Clone, Serialize)]
pub struct Classifier {
    /// The model.
    pub model: PrivateModel,
    /// What its questions cost, one after the other.
    pub costs: Vec<Amount>,
    /// What is left of the account.
    pub remaining: Option<Amount>,
    /// The account.
    pub account: String,
    /// The ledger.
    pub ledger: String,
    /// What there is to know of the answers.
    pub remarks: Vec<String>,
    /// How many records of the test are predicted rightly.
    pub right: Option<Rate>,
    /// The same for whoever says the most frequent class of the test of everybody.
    pub most_frequent: Option<f64>,
}

/// A noisy table: per combination of texts its count.
type Table = Vec<(Vec<String>, f64)>;

/// Learns a classifier, and charges it.
///
/// # Errors
/// When a question cannot be answered or paid for, or the records of the test cannot be read.
pub fn learn_privately(
    options: &ClassifierOptions,
    progress: &dyn Progress,
) -> Result<Classifier, QueryError> {
    let columns = &options.columns;
    if columns.is_empty() || columns.len() > MOST_COLUMNS {
        return Err(problem(format!("--from takes from one to {MOST_COLUMNS} columns")));
    }
    let mut seen: Vec<&String> = columns.iter().chain([&options.class]).collect();
    seen.sort_unstable();
    seen.dedup();
    if seen.len() != columns.len() + 1 {
        return Err(problem(
            "a column is named twice; the class is none of the columns from which it is predicted",
        ));
    }
    // Before anything is charged.
    let subject = Subject::new(&options.query.data, options.query.job.as_deref())?;
    let test = options.test.as_deref().map(|path| tested(path, options, &subject, progress)).transpose()?;
    let (model, answers) = match options.learner {
        PrivateLearner::Bayes => {
            let answered = ask(options, &options.query, columns, progress)?;
            let tables = pair_tables(&answered, &options.class, columns);
            (PrivateModel::NaiveBayes(Bayes::new(&options.class, columns, &tables)), vec![answered])
        }
        PrivateLearner::Tree => {
            let half = halved(&options.query, subject.job.as_ref().map(|(job, _)| job))?;
            let first = ask(options, &half, columns, progress)?;
            let tables = pair_tables(&first, &options.class, columns);
            let chosen = tree::columns_worth_asking(columns, &tables, options.depth.max(1), width_of(&first));
            let second = ask_together(options, &half, &chosen, progress)?;
            let table = whole_table(&second, &options.class, &chosen);
            let root = tree::grow(&chosen, &table, width_of(&second));
            (PrivateModel::Tree { class: options.class.clone(), root }, vec![first, second])
        }
    };
    let last = answers.last().ok_or_else(|| problem("nothing was asked"))?;
    let (right, most_frequent) = test.map(|own| own.judged(&model)).unzip();
    Ok(Classifier {
        costs: answers.iter().map(|own| own.plan.cost.clone()).collect(),
        remaining: last.plan.remaining.clone(),
        account: last.plan.account.clone(),
        ledger: last.plan.ledger.clone(),
        remarks: answers.iter().flat_map(|own| own.plan.remarks.iter().cloned()).collect(),
        right,
        most_frequent,
        model,
    })
}

/// A name as SQL takes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Asks for the tables of the class with each column.
fn ask(
    options: &ClassifierOptions,
    paid: &QueryOptions,
    columns: &[String],
    progress: &dyn Progress,
) -> Result<Answered, QueryError> {
    if let [only] = columns {
        return ask_together(options, paid, std::slice::from_ref(only), progress);
    }
    let class = quoted(&options.class);
    let sets: Vec<String> = columns.iter().map(|own| format!("({class}, {})", quoted(own))).collect();
    let question = format!("select count(*) from data group by grouping sets ({})", sets.join(", "));
    query(&QueryOptions { question, ..paid.clone() }, progress)
}

/// Asks for one table of the class with all columns together.
fn ask_together(
    options: &ClassifierOptions,
    paid: &QueryOptions,
    columns: &[String],
    progress: &dyn Progress,
) -> Result<Answered, QueryError> {
    let names: Vec<String> = std::iter::once(&options.class).chain(columns).map(|own| quoted(own)).collect();
    let names = names.join(", ");
    let question = format!("select {names}, count(*) from data group by {names}");
    query(&QueryOptions { question, ..paid.clone() }, progress)
}

/// The delta that a job file declares, unless the cost is a concentrated loss, which has none.
fn delta_of_job(job: Option<&Job>) -> Option<String> {
    job.and_then(|job| job.query.delta.as_ref()).map(|own| own.0.clone())
}

/// The same with half of the cost.
fn halved(options: &QueryOptions, job: Option<&Job>) -> Result<QueryOptions, QueryError> {
    let mut half = options.clone();
    let two = Rational::from(2u8);
    if let Some(text) = &options.flags.epsilon {
        half.flags.epsilon = Some((text.parse::<Epsilon>()?.value() / &two).to_string());
    }
    // A delta of the job file would be charged by each of the two questions.
    let of_job = || delta_of_job(job).filter(|_| options.flags.rho.is_none());
    if let Some(text) = options.flags.delta.clone().or_else(of_job) {
        half.flags.delta = Some((text.parse::<Delta>()?.value() / &two).to_string());
    }
    if let Some(text) = &options.flags.rho {
        half.flags.rho = Some((text.parse::<Rho>()?.value() / &two).to_string());
    }
    if options.flags.epsilon.is_none() && options.flags.rho.is_none() {
        return Err(problem("a tree asks twice, so it needs its cost here: --epsilon, such as 1, or --rho"));
    }
    Ok(half)
}

/// The half width of a count, as the plan tells it.
fn width_of(answered: &Answered) -> f64 {
    answered.plan.figures.first().and_then(|own| own.half_width_95).unwrap_or(0.0)
}

/// Per column its table with the class: the text of the class, then that of the column.
fn pair_tables(answered: &Answered, class: &str, columns: &[String]) -> Vec<Table> {
    columns.iter().map(|column| table_of(answered, &[class, column], true)).collect()
}

fn whole_table(answered: &Answered, class: &str, columns: &[String]) -> Table {
    let names: Vec<&str> = std::iter::once(class).chain(columns.iter().map(String::as_str)).collect();
    table_of(answered, &names, false)
}

/// The lines of an answer that are about these columns; `alone` leaves out lines that are about others as well.
fn table_of(answered: &Answered, names: &[&str], alone: bool) -> Table {
    let group_by = &answered.plan.group_by;
    let places: Vec<usize> =
        names.iter().filter_map(|name| group_by.iter().position(|own| own == name)).collect();
    let line = |line: &super::Line| {
        let texts: Option<Vec<String>> = places.iter().map(|&place| line.group.get(place)?.clone()).collect();
        let others = line.group.iter().flatten().count();
        let is_meant = !alone || others == places.len();
        Some((texts.filter(|_| is_meant)?, line.numbers.first()?.value))
    };
    answered.lines.iter().filter_map(line).collect()
}

/// Records to test on.
struct Tested {
    table: privet_data::Table,
    class: String,
}

/// Reads them as the job reads the table: with its delimiter, its missing values and its numbers.
fn tested(
    path: &Path,
    options: &ClassifierOptions,
    subject: &Subject,
    progress: &dyn Progress,
) -> Result<Tested, QueryError> {
    let input = read(path, &ReadOptions { columns: None, ..subject.options.clone() }, progress)?;
    for name in options.columns.iter().chain([&options.class]) {
        if !input.names.contains(name) {
            return Err(unknown_column(path, name, input.names));
        }
    }
    Ok(Tested { table: input.table, class: options.class.clone() })
}

impl Tested {
    /// How many are predicted rightly, and by the most frequent class alone. Records without a class do not count.
    fn judged(self, model: &PrivateModel) -> (Rate, f64) {
        let text = |name: &str, row: usize| {
            let own = self.table.column(name)?;
            let code = own.codes.get(row).copied().filter(|code| !own.domain.is_missing(*code))?;
            Some(own.domain.text(code))
        };
        let mut frequent: BTreeMap<&str, u64> = BTreeMap::new();
        let (mut right, mut of) = (0, 0);
        for row in 0..self.table.rows {
            let Some(truth) = text(&self.class, row) else { continue };
            *frequent.entry(truth).or_default() += 1;
            of += 1;
            right += u64::from(model.predict(&|name: &str| text(name, row)) == truth);
        }
        let most = frequent.into_values().max().unwrap_or(0);
        (Rate::new(right, of), most as f64 / (of as f64).max(1.0))
    }
}
