//! `privet reconstruct --class`: a classifier that learns from perturbed numbers and is used on true ones (papers T-AL3;
//! survey US-12; Agrawal and Srikant).
//!
//! The class is a column that is published as it was. Learned from are numbers and dates: those with added noise, whose
//! distributions are reconstructed, and those that are published as they were. The same classifier is trained on the
//! published numbers as they stand, so that both can be compared on true records, which only the owner has.
//!
//! # Guarantee
//! What is learned comes from the release alone; true records are tested on and never learned from. Rates are those of
//! the records that were tested, with their 95 % interval. Numbers beyond the intervals count as in the nearest. The
//! same on any number of threads. No figure of the training is given as an accuracy: on perturbed records it would mean
//! nothing.

use std::collections::HashMap;
use std::path::Path;

use privet_attack::Rate;
use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Column, Kind, Progress, Table};
use privet_measure::classify::{
    Classifier, DecisionTree, NaiveBayes, Span, Training, TrainingColumn, TreeOptions, accuracy,
};
use privet_perturb::learn::{
    Approach, MOST_CLASSES, NoisyColumn, NoisyRecords, ReconstructedBayes, ReconstructedTree, TreeTraining,
};
use privet_perturb::{Grid, Kernel, Noise, Options};
use privet_release::PublishedPerturbed;
use privet_release::perturbed::{Model, ModelFile, NoiseWay};
use serde::Serialize;

use super::numbers::{NumbersMethod, Spread, correlated_deviation, grid};
use super::{read_collected, unknown_in_release};
use crate::error::{JobError, RunError};
use crate::load::unknown_among;
use crate::randomize::model::{ReadyColumn, ReadyLaw, ReadyNoise, ready};

/// What learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LearnerWord {
    /// Naive Bayes.
    #[default]
    NaiveBayes,
    /// A decision tree.
    Tree,
}

/// What to learn, and how.
#[derive(Debug, Clone)]
pub struct LearnOptions {
    /// The column that is to be told; published as it was.
    pub class: String,
    /// What learns.
    pub learner: LearnerWord,
    /// Whose distributions are reconstructed.
    pub approach: Approach,
    /// The columns to learn from; every one that can be when there is none.
    pub columns: Vec<String>,
    /// Intervals of numbers.
    pub bins: usize,
    /// How distributions are reconstructed.
    pub method: NumbersMethod,
}

/// What was learned, and how good it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learned {
    /// The column that is told.
    pub class: String,
    /// What learned.
    pub learner: LearnerWord,
    /// Whose distributions were reconstructed.
    pub approach: Approach,
    /// Records that were learned from.
    pub records: u64,
    /// Records that were not, as their class or a number of theirs is missing.
    pub left_out: u64,
    /// The classes, with the records of each.
    pub classes: Vec<(String, u64)>,
    /// The columns that were learned from.
    pub columns: Vec<String>,
    /// The columns that were not, and why.
    pub unused: Vec<(String, &'static str)>,
    /// Intervals of each number.
    pub bins: usize,
    /// Leaves of the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves: Option<usize>,
    /// How often true records are told right; absent without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<Tested>,
}

/// How often the classes of true records are told right.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tested {
    /// By the classifier that learned from reconstructed distributions.
    pub reconstructed: Rate,
    /// By the same that learned from the published numbers as they are.
    pub perturbed: Rate,
    /// By always saying the most frequent class.
    pub most_frequent: Rate,
    /// Tested records whose class no published record has; they are told wrong.
    pub unknown_classes: u64,
}

/// Learns from a release folder, and tests on a file of true records.
///
/// # Errors
/// When it is no perturbed release, a column is missing or not of a kind that can be learned from, or the test file
/// cannot be read.
pub fn learn_release(
    folder: &Path,
    options: &LearnOptions,
    test: Option<&Path>,
    progress: &dyn Progress,
) -> Result<Learned, RunError> {
    let published = PublishedPerturbed::open(folder, progress)?;
    learn(&published.table, &published.manifest.model, options, test, progress)
}

/// Learns from records that were perturbed by a model before they were collected.
///
/// # Errors
/// As [`learn_release`].
pub fn learn_collected(
    path: &Path,
    model: &ModelFile,
    options: &LearnOptions,
    test: Option<&Path>,
    progress: &dyn Progress,
) -> Result<Learned, RunError> {
    let table = read_collected(path, model, progress)?;
    learn(&table, &model.model, options, test, progress)
}

/// A column of numbers, perturbed or not.
struct Numbers {
    position: usize,
    reading: Reading,
    noise: Noise,
    range: Option<[f64; 2]>,
    values: Vec<Option<f64>>,
}

/// How the cells of a column are read.
enum Reading {
    Noisy(ReadyNoise),
    Plain { dates: bool },
}

impl Reading {
    fn number(&self, text: &str) -> Option<f64> {
        match self {
            Reading::Noisy(law) => law.number(text),
            Reading::Plain { dates } => plain_number(text, *dates),
        }
    }
}

fn plain_number(text: &str, dates: bool) -> Option<f64> {
    let kind = if dates { Kind::Date } else { Kind::Decimal };
    kind.number(text).filter(|number| number.abs() <= 1e100)
}

fn learn(
    table: &Table,
    model: &Model,
    options: &LearnOptions,
    test: Option<&Path>,
    progress: &dyn Progress,
) -> Result<Learned, RunError> {
    if options.bins < 2 || options.bins > 1_000 {
        return Err(JobError::new("--bins takes a number from 2 to 1000 where a classifier learns").into());
    }
    if options.learner == LearnerWord::NaiveBayes && options.approach != Approach::ByClass {
        return Err(JobError::new(
            "naive Bayes learns the distributions of each class; --by global and --by local go with --learner tree",
        )
        .into());
    }
    let ready = ready(model)?;
    for name in options.columns.iter().chain([&options.class]) {
        if table.position(name).is_none() {
            let names: Vec<String> = table.columns.iter().map(|own| own.name.clone()).collect();
            return Err(unknown_in_release(name, &names).into());
        }
    }
    progress.stage("learning", None);
    let class = class_column(table, &ready, &options.class)?;
    let (columns, unused) = columns(table, &ready, options)?;
    let names: Vec<String> = columns
        .iter()
        .filter_map(|own| table.columns.get(own.position).map(|column| column.name.clone()))
        .collect();
    // Only records whose class and numbers are all known are learned from.
    let is_whole = |row: usize| {
        class.codes.get(row).is_some_and(|&code| !class.domain.is_missing(code))
            && columns.iter().all(|own| own.values.get(row).copied().flatten().is_some())
    };
    let rows: Vec<usize> = (0..table.rows).filter(|&row| is_whole(row)).collect();
    if rows.is_empty() {
        return Err(JobError::new(
            "no record has its class and all its numbers, so there is nothing to learn from; name fewer columns",
        )
        .into());
    }
    let classes: Vec<u32> = rows.iter().filter_map(|&row| class.codes.get(row).copied()).collect();
    let mut noisy = Vec::with_capacity(columns.len());
    for (own, name) in columns.iter().zip(&names) {
        let failed = |source| RunError::Perturb { column: name.clone(), source };
        let values: Vec<f64> =
            rows.iter().filter_map(|&row| own.values.get(row).copied().flatten()).collect();
        let (step, dates) = match &own.reading {
            Reading::Noisy(law) => (law.step(), law.dates),
            Reading::Plain { dates } => (None, *dates),
        };
        let spread = Spread { range: own.range, step, dates };
        let grid = grid(spread, own.noise, &values, options.bins).map_err(failed)?;
        noisy.push(NoisyColumn { values, noise: own.noise, grid });
    }
    let failed = |source| RunError::Perturb { column: options.class.clone(), source };
    let records = NoisyRecords::new(noisy, classes).map_err(failed)?;
    progress.check()?;
    let (classifier, beside, leaves) = train(&records, options).map_err(failed)?;
    let mut count = vec![0u64; class.domain.len()];
    for &code in records.classes() {
        if let Some(slot) = count.get_mut(code as usize) {
            *slot += 1;
        }
    }
    progress.check()?;
    let tested = match test {
        None => None,
        Some(path) => {
            let grids: Vec<&Grid> = records.columns().iter().map(|own| &own.grid).collect();
            let truth = Truth::read(path, class, &columns, &names, &grids, model, progress)?;
            let most = count.iter().enumerate().rev().max_by_key(|(_, count)| **count);
            Some(truth.test(&*classifier, &*beside, most.map_or(0, |(code, _)| code as u32)))
        }
    };
    Ok(Learned {
        class: options.class.clone(),
        learner: options.learner,
        approach: options.approach,
        records: rows.len() as u64,
        left_out: (table.rows - rows.len()) as u64,
        classes: (0..)
            .zip(&count)
            .filter(|(_, count)| **count > 0)
            .map(|(code, &count)| (class.domain.text(code).to_owned(), count))
            .collect(),
        columns: names,
        unused,
        bins: options.bins,
        leaves,
        test: tested,
    })
}

/// The column of classes.
fn class_column<'a>(table: &'a Table, ready: &[ReadyColumn], name: &str) -> Result<&'a Column, RunError> {
    let wrong = |problem: String| RunError::from(JobError::new(format!("--class names `{name}`, {problem}")));
    let (Some(column), Some(own)) = (table.column(name), ready.iter().find(|own| own.name == name)) else {
        return Err(wrong("which the release has not".to_owned()));
    };
    if !matches!(own.law, ReadyLaw::Keep) {
        return Err(wrong("which is perturbed; classes must be published as they were".to_owned()));
    }
    let codes = column.domain.len();
    if codes > MOST_CLASSES as usize {
        return Err(wrong(format!("which has more than {MOST_CLASSES} values")));
    }
    Ok(column)
}

/// Columns that are learned from, and those that are not with the reason.
type Columns = (Vec<Numbers>, Vec<(String, &'static str)>);

/// Tells columns that can be learned from and others apart.
fn columns(table: &Table, ready: &[ReadyColumn], options: &LearnOptions) -> Result<Columns, RunError> {
    let (mut used, mut unused) = (Vec::new(), Vec::new());
    for (position, (column, own)) in table.columns.iter().zip(ready).enumerate() {
        let is_asked = options.columns.contains(&column.name);
        if column.name == options.class {
            if is_asked {
                return Err(JobError::new(format!("`{}` cannot tell itself", column.name)).into());
            }
            continue;
        }
        if !is_asked && !options.columns.is_empty() {
            continue;
        }
        match numbers_of(column, own, position)? {
            Ok(own) => used.push(own),
            Err(why) if is_asked => {
                let name = &column.name;
                return Err(JobError::new(format!("`{name}` cannot be learned from: {why}")).into());
            }
            Err(why) => unused.push((column.name.clone(), why)),
        }
    }
    if used.is_empty() {
        return Err(JobError::new(
            "the release has no column to learn from: numbers and dates with added noise, or published as they were",
        )
        .into());
    }
    Ok((used, unused))
}

/// The numbers of a column, or why it has none to learn from.
fn numbers_of(
    column: &Column,
    own: &ReadyColumn,
    position: usize,
) -> Result<Result<Numbers, &'static str>, RunError> {
    let law = match &own.law {
        ReadyLaw::Noise(law) => law,
        ReadyLaw::Keep => {
            let dates = match column.domain.kind() {
                Kind::Date => true,
                Kind::Integer | Kind::Decimal => false,
                Kind::Boolean | Kind::Text => return Ok(Err("it holds no numbers")),
            };
            let of_code: Vec<Option<f64>> = (0..column.domain.len() as u32)
                .map(|code| match column.domain.is_missing(code) {
                    true => None,
                    false => plain_number(column.domain.text(code), dates),
                })
                .collect();
            let values =
                column.codes.iter().map(|&code| of_code.get(code as usize).copied().flatten()).collect();
            let reading = Reading::Plain { dates };
            return Ok(Ok(Numbers { position, reading, noise: Noise::NONE, range: None, values }));
        }
        _ => return Ok(Err("it is perturbed as categories")),
    };
    if law.way == NoiseWay::Multiplicative {
        return Ok(Err("its noise multiplies, and the distribution behind it is not reconstructed"));
    }
    let values = crate::randomize::numbers(column, law)?;
    let noise = match law.way {
        NoiseWay::Correlated => {
            let deviation = correlated_deviation(&values, law.factor, law.rounding_variance());
            Noise::Gaussian { deviation }
        }
        _ => law.noise,
    };
    Ok(Ok(Numbers { position, reading: Reading::Noisy(law.clone()), noise, range: law.range, values }))
}

type Trained = (Box<dyn Classifier>, Box<dyn Classifier>, Option<usize>);

/// The classifier from reconstructed distributions, the same from published numbers, and the leaves of the first.
fn train(records: &NoisyRecords, options: &LearnOptions) -> Result<Trained, privet_perturb::PerturbError> {
    let kernel = match options.method {
        NumbersMethod::Em => Kernel::Interval,
        NumbersMethod::Bayes => Kernel::Midpoint,
    };
    let reconstruction = Options { kernel, ..Options::default() };
    let as_published = |column: &NoisyColumn| TrainingColumn {
        leaves: column.grid.len() as u32,
        is_ordered: true,
        codes: column.values.iter().map(|&value| nearest(&column.grid, value)).collect(),
        spans: (0..column.grid.len() as u32).map(Span::one).collect(),
    };
    let training =
        Training::new(records.columns().iter().map(as_published).collect(), records.classes().to_vec());
    let training = training.map_err(|_| privet_perturb::PerturbError::Empty { what: "record" })?;
    Ok(match options.learner {
        LearnerWord::NaiveBayes => {
            let own = ReconstructedBayes::train(records, 1.0, &reconstruction)?;
            (Box::new(own), Box::new(NaiveBayes::train(&training, 1.0)), None)
        }
        LearnerWord::Tree => {
            let tree = TreeOptions::default();
            let how = TreeTraining { approach: options.approach, reconstruction, tree };
            let own = ReconstructedTree::train(records, &how)?;
            let leaves = own.leaves();
            (Box::new(own), Box::new(DecisionTree::train(&training, tree)), Some(leaves))
        }
    })
}

/// The interval that a number lies in, or the nearest.
fn nearest(grid: &Grid, value: f64) -> u32 {
    let last = grid.len() as u32 - 1; // why: a grid has at least one interval
    match grid.interval_of(value) {
        Some(interval) => interval as u32,
        None if grid.edges().first().is_some_and(|&low| value < low) => 0,
        None => last,
    }
}

/// True records, as intervals and classes.
struct Truth {
    columns: Vec<Vec<Option<u32>>>,
    classes: Vec<Option<u32>>,
}

impl Truth {
    fn read(
        path: &Path,
        class: &Column,
        columns: &[Numbers],
        names: &[String],
        grids: &[&Grid],
        model: &Model,
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        let wanted: Vec<String> = names.iter().chain([&class.name]).cloned().collect();
        let mut missing = ReadOptions::default().missing;
        missing.extend(model.missing.iter().cloned());
        let how = ReadOptions {
            columns: Some(wanted.clone()),
            missing,
            header: Some(true),
            ..ReadOptions::default().exactly()
        };
        let table = read(path, &how, progress)
            .map_err(|error| match &error.kind {
                ReadErrorKind::UnknownColumn { names: found, .. } => {
                    unknown_among(wanted.iter(), found).into()
                }
                _ => RunError::from(error),
            })?
            .table;
        let lacks = |name: &str| JobError::new(format!("the test records have no column `{name}`"));
        let mut intervals = Vec::with_capacity(columns.len());
        for ((own, name), grid) in columns.iter().zip(names).zip(grids) {
            let column = table.column(name).ok_or_else(|| lacks(name))?;
            let mut of_code = Vec::with_capacity(column.domain.len());
            for code in 0..column.domain.len() as u32 {
                of_code.push(match column.domain.is_missing(code) {
                    true => None,
                    false => {
                        let number = own.reading.number(column.domain.text(code)).ok_or_else(|| {
                            JobError::new(format!(
                                "`{name}` of the test records holds cells that are neither missing nor numbers or dates as \
                                 in the release"
                            ))
                        })?;
                        Some(nearest(grid, number))
                    }
                });
            }
            let of = |&code: &u32| of_code.get(code as usize).copied().flatten();
            intervals.push(column.codes.iter().map(of).collect());
        }
        let told = table.column(&class.name).ok_or_else(|| lacks(&class.name))?;
        let known: HashMap<&str, u32> = (class.domain.missing()..class.domain.len() as u32)
            .map(|code| (class.domain.text(code), code))
            .collect();
        let of_code: Vec<Option<u32>> =
            told.domain.texts().iter().map(|text| known.get(&**text).copied()).collect();
        let classes: Vec<Option<u32>> =
            told.codes.iter().map(|&code| of_code.get(code as usize).copied().flatten()).collect();
        // A record whose class is missing can be told neither right nor wrong.
        let is_told: Vec<bool> = told.codes.iter().map(|&code| !told.domain.is_missing(code)).collect();
        let of_told = |own: &[Option<u32>]| {
            own.iter().zip(&is_told).filter(|(_, is_told)| **is_told).map(|(own, _)| *own).collect::<Vec<_>>()
        };
        let columns = intervals.iter().map(|own: &Vec<Option<u32>>| of_told(own)).collect();
        let classes = of_told(&classes);
        if classes.is_empty() {
            return Err(JobError::new("the test file has no record with a class").into());
        }
        Ok(Self { columns, classes })
    }

    fn test(&self, own: &dyn Classifier, beside: &dyn Classifier, most: u32) -> Tested {
        let all = self.classes.len() as u64;
        let rate = |classifier: &dyn Classifier| {
            let share = accuracy(classifier, &self.columns, &self.classes).unwrap_or(0.0);
            Rate::new((share * all as f64).round() as u64, all)
        };
        let count = |wanted: Option<u32>| self.classes.iter().filter(|own| **own == wanted).count() as u64;
        Tested {
            reconstructed: rate(own),
            perturbed: rate(beside),
            most_frequent: Rate::new(count(Some(most)), all),
            unknown_classes: count(None),
        }
    }
}
