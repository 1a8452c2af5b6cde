//! `privet reconstruct`: what a perturbed column was made of, estimated from the release alone (survey US-07, US-08, US-12;
//! papers T-AL1, T-AL2).
//!
//! Categories: the counts of the originals by inverting the published law, unbiased and with standard errors, and beside
//! them counts that are not negative (`categories.rs`). Numbers: the distribution of the originals over intervals, by
//! expectation and maximization (`numbers.rs`). Sets of items: supports (`items.rs`). A classifier can learn from such distributions (`learn.rs`). One column at a time, in each class of a column that is published as it
//! was; means and covariances of several columns together in `together.rs`.
//!
//! Intervals are about the records of the release; with `sampled`, about the population that they were drawn from. Those
//! of distributions are always about the population, and so rather wide for the records. Where little can be concluded,
//! that is said (`certainty.rs`).

mod categories;
mod certainty;
mod items;
mod learn;
mod numbers;
mod together;

use std::path::Path;

use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Column, Progress, Table};
use privet_perturb::Population;
use privet_release::PublishedPerturbed;
use privet_release::perturbed::{Model, ModelFile, NoiseWay};
use serde::Serialize;

pub use categories::{CountsEstimate, ValueEstimate};
pub use items::{ItemsEstimate, SetEstimate};
pub use learn::{LearnOptions, Learned, LearnerWord, Tested, learn_collected, learn_release};
pub use numbers::{Bin, NumbersEstimate, NumbersMethod};
pub use together::{Together, TogetherColumn, TogetherPair, together_collected, together_release};

use crate::error::{JobError, RunError};
use crate::load::unknown_among;
use crate::randomize::model::{ReadyColumn, ReadyLaw, ready};

/// The most classes of `by`.
const MOST_CLASSES: usize = 1_000;

/// What to reconstruct, and how.
#[derive(Debug, Clone)]
pub struct ReconstructOptions {
    /// The columns; all perturbed ones when there is none.
    pub columns: Vec<String>,
    /// A column that is published as it was: each of its values by itself.
    pub by: Option<String>,
    /// Intervals for numbers.
    pub bins: usize,
    /// How numbers are reconstructed.
    pub method: NumbersMethod,
    /// Sets of items whose supports are asked for, as texts; each item by itself when there is none.
    pub itemsets: Vec<String>,
    /// The records are a sample, and it is the population that is asked about.
    pub sampled: bool,
    /// How sure the shares of intervals are is told as well; it takes longer than the shares themselves.
    pub intervals: bool,
}

impl Default for ReconstructOptions {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            by: None,
            bins: 20,
            method: NumbersMethod::Em,
            itemsets: Vec::new(),
            sampled: false,
            intervals: true,
        }
    }
}

/// What was reconstructed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reconstructed {
    /// Records of the release.
    pub records: u64,
    /// The column of classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The columns, and of each its classes.
    pub columns: Vec<ColumnReconstruction>,
}

/// What a column was made of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnReconstruction {
    /// Its name.
    pub column: String,
    /// The class that it is about; all records when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Records of the class.
    pub records: u64,
    /// Records of it in which the value is missing. They are in none of the estimates.
    pub missing: u64,
    /// What cannot be concluded, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The estimate.
    #[serde(flatten)]
    pub estimate: ColumnEstimate,
}

/// An estimate, by the kind of column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ColumnEstimate {
    /// Of categories.
    Counts(CountsEstimate),
    /// Of numbers.
    Numbers(NumbersEstimate),
    /// Of sets of items.
    Items(ItemsEstimate),
}

/// Reconstructs columns of a release folder.
///
/// # Errors
/// When it is no perturbed release, a column is not there or not perturbed, or its law cannot be inverted.
pub fn reconstruct_release(
    folder: &Path,
    options: &ReconstructOptions,
    progress: &dyn Progress,
) -> Result<Reconstructed, RunError> {
    let published = PublishedPerturbed::open(folder, progress)?;
    reconstruct_table(&published.table, &published.manifest.model, options, progress)
}

/// Reconstructs columns of a table whose records were perturbed by a model before they were collected.
///
/// # Errors
/// As [`reconstruct_release`]; when the table has not the columns of the model.
pub fn reconstruct_collected(
    path: &Path,
    model: &ModelFile,
    options: &ReconstructOptions,
    progress: &dyn Progress,
) -> Result<Reconstructed, RunError> {
    let table = read_collected(path, model, progress)?;
    reconstruct_table(&table, &model.model, options, progress)
}

/// Reads collected records: the columns of the model, in its order.
fn read_collected(path: &Path, model: &ModelFile, progress: &dyn Progress) -> Result<Table, RunError> {
    let names: Vec<String> = model.model.columns.iter().map(|column| column.name.clone()).collect();
    let how = ReadOptions {
        columns: Some(names.clone()),
        missing: model.model.missing.clone(),
        header: Some(true),
        ..ReadOptions::default().exactly()
    };
    let mut table = read(path, &how, progress)
        .map_err(|error| match &error.kind {
            ReadErrorKind::UnknownColumn { names: found, .. } => unknown_among(names.iter(), found).into(),
            _ => RunError::from(error),
        })?
        .table;
    // In the order of the model.
    let place = |column: &Column| names.iter().position(|name| *name == column.name);
    table.columns.sort_by_key(place);
    Ok(table)
}

/// Reconstructs columns of a table whose columns are those of the model in their order.
fn reconstruct_table(
    table: &Table,
    model: &Model,
    options: &ReconstructOptions,
    progress: &dyn Progress,
) -> Result<Reconstructed, RunError> {
    if options.bins == 0 || options.bins > 1_000 {
        return Err(JobError::new("--bins takes a number from 1 to 1000").into());
    }
    let ready = ready(model)?;
    for name in options.columns.iter().chain(&options.by) {
        if table.position(name).is_none() {
            let names: Vec<String> = table.columns.iter().map(|own| own.name.clone()).collect();
            return Err(unknown_in_release(name, &names).into());
        }
    }
    if !options.itemsets.is_empty() && !ready.iter().any(|own| matches!(own.law, ReadyLaw::Items(_))) {
        return Err(JobError::new(
            "--itemset is for columns that hold sets of items (perturb = { items = \"select-a-size\", … }), and there is none",
        )
        .into());
    }
    let classes = classes(table, &ready, options.by.as_deref())?;
    let mut columns = Vec::new();
    progress.stage("reconstructing", None);
    for (position, (column, own)) in table.columns.iter().zip(&ready).enumerate() {
        let is_asked = options.columns.contains(&column.name);
        if matches!(own.law, ReadyLaw::Keep) {
            if is_asked {
                return Err(JobError::new(format!(
                    "`{}` is published as it was: there is nothing to reconstruct",
                    column.name
                ))
                .into());
            }
            continue;
        }
        let is_left_out = !options.itemsets.is_empty() && !matches!(own.law, ReadyLaw::Items(_));
        if !is_asked && (!options.columns.is_empty() || is_left_out) {
            continue;
        }
        for class in &classes {
            progress.check()?;
            columns.push(one(table, &ready, position, class, options)?);
        }
    }
    Ok(Reconstructed { records: table.rows as u64, by: options.by.clone(), columns })
}

fn unknown_in_release(name: &str, names: &[String]) -> JobError {
    JobError::new(format!("the release has no column `{name}`; it has {}", names.join(", ")))
}

/// Some records: all of them, or those of a class.
pub(crate) struct Class {
    name: Option<String>,
    /// `None` is every record.
    records: Option<Vec<u32>>,
}

impl Class {
    /// All records.
    pub fn all() -> Self {
        Self { name: None, records: None }
    }

    /// What of one value per record belongs to it.
    pub(crate) fn of<T: Copy>(&self, values: &[T]) -> Vec<T> {
        match &self.records {
            None => values.to_vec(),
            Some(records) => {
                records.iter().filter_map(|&record| values.get(record as usize).copied()).collect()
            }
        }
    }
}

fn classes(table: &Table, ready: &[ReadyColumn], by: Option<&str>) -> Result<Vec<Class>, RunError> {
    let Some(name) = by else { return Ok(vec![Class::all()]) };
    let (Some(column), Some(own)) = (table.column(name), ready.iter().find(|own| own.name == name)) else {
        return Err(JobError::new(format!("the release has no column `{name}`")).into());
    };
    if !matches!(own.law, ReadyLaw::Keep) {
        return Err(JobError::new(format!(
            "--by needs a column that is published as it was, and `{name}` is perturbed: whom a record belongs to is not known"
        ))
        .into());
    }
    if column.domain.len() > MOST_CLASSES {
        return Err(JobError::new(format!("--by: `{name}` has more than {MOST_CLASSES} values")).into());
    }
    let mut records = vec![Vec::new(); column.domain.len()];
    for (record, &code) in column.codes.iter().enumerate() {
        if let Some(own) = records.get_mut(code as usize) {
            own.push(record as u32);
        }
    }
    let named = records.into_iter().enumerate().map(|(code, records)| Class {
        name: Some(column.domain.text(code as u32).to_owned()),
        records: Some(records),
    });
    Ok(named.collect())
}

/// Reconstructs a perturbed column in a class.
pub(crate) fn one(
    table: &Table,
    ready: &[ReadyColumn],
    position: usize,
    class: &Class,
    options: &ReconstructOptions,
) -> Result<ColumnReconstruction, RunError> {
    let (Some(column), Some(own)) = (table.columns.get(position), ready.get(position)) else {
        return Err(JobError::new("the model has not the columns of the table").into());
    };
    let population = if options.sampled { Population::Sampled } else { Population::Fixed };
    let (records, missing, estimate) = match &own.law {
        ReadyLaw::Keep => {
            return Err(JobError::new(format!("`{}` is published as it was", column.name)).into());
        }
        ReadyLaw::Categories(law) => {
            let (observed, missing) = categories::observed(column, law, class)?;
            let estimate = categories::estimate(&column.name, law, &observed, population)?;
            (observed.iter().sum::<u64>() + missing, missing, ColumnEstimate::Counts(estimate))
        }
        ReadyLaw::Items(law) => {
            let (records, estimate) = items::estimate(column, law, class, &options.itemsets, population)?;
            (records, 0, ColumnEstimate::Items(estimate))
        }
        ReadyLaw::Noise(law) => {
            let all = crate::randomize::numbers(column, law)?;
            let deviation = match law.way {
                NoiseWay::Correlated => {
                    Some(numbers::correlated_deviation(&all, law.factor, law.rounding_variance()))
                }
                _ => None,
            };
            let of_class = class.of(&all);
            let known: Vec<f64> = of_class.iter().copied().flatten().collect();
            let missing = of_class.len() - known.len();
            let estimate = numbers::estimate(&column.name, law, deviation, &known, options)?;
            (of_class.len() as u64, missing as u64, ColumnEstimate::Numbers(estimate))
        }
    };
    Ok(ColumnReconstruction {
        column: column.name.clone(),
        class: class.name.clone(),
        records,
        missing,
        // Nobody asked how sure it is.
        warnings: if options.intervals { certainty::warnings(&estimate) } else { Vec::new() },
        estimate,
    })
}
