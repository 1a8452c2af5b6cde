//! Questions to a release (survey US-01 to US-04, US-14): from its folder to an answer with an expectation and bounds; and
//! a release written out for learners (US-11).
//!
//! Everything is computed from the published files. A job file adds what it says of the columns: which texts are
//! missing values, and the hierarchies that are written down (files, groups, trees). The input that it names is never
//! read: an answer tells no more than the release does.

pub mod columns;

use std::path::Path;

use privet_data::hierarchy::{HierarchyError, HierarchySpec, build};
use privet_data::{Column, Domain, Hierarchy, Kind, Progress};
use privet_measure::answer::{
    Answer, AnswerCells, AnswerColumn, AnswerError, AnswerSource, Question, QuestionError, Records,
};
use privet_release::{Published, PublishedError};

use crate::candidate::base_of;
use crate::error::{JobError, Outcome, RunError, outcome_of_reading};
use crate::job::Job;
use crate::meant::{is_meant, other_table};

/// How likely the values behind a label are (survey US-02, US-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spread {
    /// All the same.
    #[default]
    Uniform,
    /// As often as the other records have them.
    Proportional,
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Asked {
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
    /// The release is a random sample of so many records; counts and sums are of the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled_from: Option<u64>,
    /// What it is worked out from.
    #[serde(flatten)]
    pub basis: AnswerBasis,
    /// What the answer owes to how labels look: a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What an answer is worked out from, which decides what its numbers mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AnswerBasis {
    /// Published records: bounds hold for the people behind them.
    #[default]
    Records,
    /// Published counts: bounds hold for every table with these counts.
    Counts,
    /// Records whose values were changed by chance: expectations have errors, and bounds are the trivial ones.
    Perturbed,
    /// Synthetic records: there are no bounds.
    Synthetic,
}

impl AnswerBasis {
    /// Its mark in files; records have none.
    fn mark(self) -> Option<&'static str> {
        match self {
            Self::Records => None,
            Self::Counts => Some("from_counts"),
            Self::Perturbed => Some("perturbed"),
            Self::Synthetic => Some("synthetic"),
        }
    }

    /// Whether expectations come with errors and intervals.
    pub fn has_errors(self) -> bool {
        self == Self::Perturbed
    }
}

/// The mark, which is true.
impl serde::Serialize for AnswerBasis {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.mark().map(|mark| (mark, true)))
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The question.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The question does not fit the release.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The release.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// The job file.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A table of counts, or a file that was to be written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A hierarchy of the job file.
    #[error("`columns.{column}.hierarchy`: {source}")]
    Hierarchy {
        /// The column.
        column: String,
        /// What is wrong with it.
        source: HierarchyError,
    },
}

impl AskError {
    /// What a pipeline should make of it.
    pub fn outcome(&self) -> Outcome {
        match self {
            AskError::Published(PublishedError::Cancelled) => Outcome::Stopped,
            AskError::Published(PublishedError::Read(error)) => outcome_of_reading(error),
            AskError::Job(error) if error.is_resources() => Outcome::Resources,
            AskError::Answer(
                AnswerError::TooEntangled | AnswerError::TooManyLines | AnswerError::JointTooLarge,
            ) => Outcome::Resources,
            AskError::Run(error) => error.outcome(),
            _ => Outcome::BadInput,
        }
    }
}

/// Refuses a question about another table than the release.
pub fn must_be_meant(question: &Question, folder: &Path) -> Result<(), JobError> {
    // A folder may be named as `.`, and then it has its name elsewhere.
    let whole = folder.canonicalize().ok();
    let paths = [Some(folder), whole.as_deref()].into_iter().flatten();
    match is_meant(&[&question.table], &["data", "release"], paths) {
        true => Ok(()),
        false => Err(JobError::new(other_table("`data`, `release`, or the name of the release's folder"))),
    }
}

/// A release of records, ready to be asked any number of questions.
pub struct Opened {
    published: Published,
    knowledge: Knowledge,
}

impl Opened {
    /// Opens a folder, with what a job file says of its columns.
    pub fn open(folder: &Path, job: Option<&Path>, progress: &dyn Progress) -> Result<Self, AskError> {
        let published = Published::open(folder, progress)?;
        let knowledge = match job {
            Some(path) => Knowledge::of(path, &published)?,
            None => Knowledge::default(),
        };
        Ok(Self { published, knowledge })
    }

    /// Answers a question.
    pub fn answer(&self, question: &Question, spread: Spread) -> Result<Asked, AskError> {
        let Self { published, knowledge } = self;
        let manifest = published.manifest.as_deref();
        if let Some(distorted) = manifest.and_then(|own| own.data.distorted.as_ref())
            && question.columns().iter().any(|name| name.eq_ignore_ascii_case(&distorted.column))
        {
            let problem = format!(
                "asks about {}, in which {} published values are not true (`distorted` in the manifest), so that no bounds would hold; \
                 ask about other columns, or count in the table itself",
                distorted.column, distorted.records
            );
            return Err(JobError::new(problem).into());
        }
        let (mut records, owed) = records(published, question, knowledge);
        if spread == Spread::Proportional {
            records.allocate();
        }
        let answer = records.answer(question)?;
        let sampled_from = manifest.and_then(|m| m.data.sample.as_ref()).map(|sample| sample.from_rows);
        let notes = notes(&owed, question);
        Ok(Asked { answer, sampled_from, basis: AnswerBasis::Records, notes })
    }

    /// A column that holds its values, with the names that the job's hierarchies have for some of them.
    pub fn exact(&self, column: &Column) -> AnswerColumn {
        let cells = AnswerCells::PerRecord(column.codes.clone());
        let own = AnswerColumn::exact(column.name.clone(), column.domain.clone(), cells);
        columns::named(own, self.knowledge.hierarchy(&column.name))
    }

    /// Whether a text that is a label may as well be meant as a value, so that a question means the value.
    pub fn is_ambiguous(&self, column: &str) -> bool {
        let described = self.published.manifest.as_deref().and_then(|own| {
            own.data.columns.iter().find(|own| own.name == column).and_then(|own| own.recoding.as_ref())
        });
        self.knowledge.hierarchy(column).is_none() && described.is_some_and(columns::is_ambiguous)
    }
}

/// What a job file says beyond the release.
#[derive(Debug, Default)]
pub struct Knowledge {
    /// Texts that stand for a missing value.
    missing: Vec<String>,
    /// Hierarchies that are written down.
    hierarchies: Vec<(String, Hierarchy)>,
    /// Columns of dates.
    dates: Vec<String>,
    /// Columns whose labels are made by the program.
    made: Vec<String>,
}

/// Columns that a question may use, and what an answer then owes to reading their labels.
pub type Owing = Vec<(String, columns::Owed)>;

/// What to say of those that the question uses.
pub fn notes(owed: &Owing, question: &Question) -> Vec<String> {
    let of = |which: columns::Owed| -> Vec<&str> {
        let used = question.columns();
        let is_used = |name: &str| used.iter().any(|own| own.eq_ignore_ascii_case(name));
        owed.iter().filter(|own| own.1 == which && is_used(&own.0)).map(|own| own.0.as_str()).collect()
    };
    let mut notes = Vec::new();
    let names = of(columns::Owed::Expectations);
    if !names.is_empty() {
        notes.push(format!(
            "The labels of {} are names, and need not hold what they look like: `expected` takes them for that, and the bounds \
             for any value. With --job, the hierarchy says what is below them.",
            names.join(", ")
        ));
    }
    let unsure = of(columns::Owed::Bounds);
    if !unsure.is_empty() {
        notes.push(format!(
            "The manifest does not say whether the labels of {} hold what they look like; the bounds take it that they do. With \
             --job, the hierarchy says what is below them.",
            unsure.join(", ")
        ));
    }
    notes
}

impl Knowledge {
    /// The same for the columns of a release of records.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn of(path: &Path, published: &Published) -> Result<Self, AskError> {
        Self::read(path, &|name| {
            published.table.position(name).is_some() || published.sensitive(name).is_some()
        })
    }

    /// What a job file says of the columns that are published.
    ///
    /// # Errors
    /// When the job or a hierarchy cannot be read.
    pub fn read(path: &Path, is_published: &dyn Fn(&str) -> bool) -> Result<Self, AskError> {
        let job = Job::read(path, &[])?;
        let base = base_of(path);
        let nothing = Domain::from_sorted(Vec::new(), 0, Kind::Text);
        let mut own = Self { missing: job.input.options()?.missing, ..Self::default() };
        for (name, column) in job.columns.iter().filter(|(name, _)| is_published(name)) {
            match &column.hierarchy {
                Some(spec @ (HierarchySpec::File(_) | HierarchySpec::Groups(_) | HierarchySpec::Tree(_))) => {
                    let hierarchy = build(spec, &base, &nothing, &[])
                        .map_err(|source| AskError::Hierarchy { column: name.clone(), source })?;
                    own.hierarchies.push((name.clone(), hierarchy));
                }
                Some(HierarchySpec::Dates(_)) => {
                    own.dates.push(name.clone());
                    own.made.push(name.clone());
                }
                Some(HierarchySpec::Mask(mask)) if mask.symbol != '*' => {}
                // Others are derived from the values of the input, which is not looked at; their labels can be read.
                _ => own.made.push(name.clone()),
            }
        }
        Ok(own)
    }

    /// Whether it is known what is below the labels of a column, or that they hold what they look like.
    pub fn knows(&self, column: &str) -> bool {
        self.hierarchy(column).is_some() || self.made.iter().any(|own| own == column)
    }

    /// The hierarchy of a column.
    pub fn hierarchy(&self, column: &str) -> Option<&Hierarchy> {
        self.hierarchies.iter().find(|(name, _)| name == column).map(|(_, hierarchy)| hierarchy)
    }
}

/// The columns of a release of records as a question reads them, and what the answer then owes to their labels.
pub fn records(published: &Published, question: &Question, knowledge: &Knowledge) -> (Records, Owing) {
    let manifest = published.manifest.as_deref();
    let mut list: Vec<AnswerColumn> = Vec::new();
    let mut owing = Vec::new();
    for (position, column) in published.table.columns.iter().enumerate() {
        let described = manifest.and_then(|m| m.data.columns.get(position));
        let recoding = described.and_then(|own| own.recoding.as_ref());
        let alike = described.and_then(|own| own.alike.as_ref());
        let label = columns::Labelled { column, recoding, alike, knowledge, question };
        let read = label.read();
        owing.extend(label.owes(&read).map(|own| (column.name.clone(), own)));
        list.push(read);
    }
    for own in published.sensitive.iter().filter(|own| own.codes.is_none()) {
        let told =
            manifest.and_then(|m| m.data.sensitive_tables.iter().find(|table| table.column == own.name));
        let alike = told.and_then(|own| own.alike.as_ref());
        list.push(columns::counted(own, alike, published.groups.len(), knowledge));
    }
    let suppressed = manifest.map_or(0, |m| m.data.suppressed);
    let (rows, group_of) = (published.table.rows, published.group_of.clone());
    (Records { columns: list, rows, group_of, suppressed }, owing)
}
