//! Means and covariances of numbers together, from what is published of them (survey US-15: Little's likelihood).
//!
//! Numbers that are published as they are, with added noise, or missing are masked values of records that are taken to be normal;
//! the mean and the covariance that make the release most likely are found (`privet_measure::masked`). What one column shows
//! counts for the others: a missing number is estimated by those beside it.
//!
//! # Guarantee
//! Means and covariances are consistent whatever the distribution of the numbers, and whatever noise was added, for both are
//! moments; where numbers are missing, as long as these are normal and which are missing depends on what is published and on
//! chance alone. Rounding counts as noise. Standard errors are about the population. Of columns with correlated noise, whose
//! covariance is (1+d) times that of the originals, the covariance among them is divided by that.

use std::path::Path;

use privet_data::{Kind, Progress, Table};
use privet_measure::masked::{
    Masked, MaskedError, MaskedErrors, MaskedFit, MaskedOptions, fit, standard_errors,
};
use privet_release::PublishedPerturbed;
use privet_release::perturbed::{Model, ModelFile, NoiseWay};
use serde::Serialize;

use super::{read_collected, unknown_in_release};
use crate::error::{JobError, RunError};
use crate::randomize::model::{ReadyColumn, ReadyLaw, ready};

/// The most columns: there is a covariance for each pair.
const MOST_COLUMNS: usize = 30;

/// When estimation ends. Rounds are quick, and behind much noise each brings little.
const PRECISE: MaskedOptions = MaskedOptions { rounds: 100_000, tolerance: 1e-13 };

/// Two-sided 95 % of the normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// What numbers were made of, together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Together {
    /// Records of the release.
    pub records: u64,
    /// The columns.
    pub columns: Vec<TogetherColumn>,
    /// Every pair of them.
    pub pairs: Vec<TogetherPair>,
    /// Columns that are not used, and why.
    pub unused: Vec<(String, String)>,
    /// The logarithm of the likelihood of what is published.
    pub log_likelihood: f64,
    /// Rounds that were made.
    pub rounds: u64,
    /// Whether the likelihood stopped rising.
    pub converged: bool,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TogetherColumn {
    /// Its name.
    pub name: String,
    /// Its numbers are days since 1970-01-01.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dates: bool,
    /// The standard deviation of the noise, where it has some; estimated when it is correlated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_deviation: Option<f64>,
    /// Records in which it is missing.
    pub missing: u64,
    /// The mean of the originals.
    pub mean: f64,
    /// How far off it typically is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_standard_error: Option<f64>,
    /// An interval that holds the mean of the population with about 95 %: from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// To.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The variance of the originals.
    pub variance: f64,
    /// How far off it typically is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_standard_error: Option<f64>,
}

/// Two columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TogetherPair {
    /// Their names.
    pub columns: [String; 2],
    /// The covariance of the originals.
    pub covariance: f64,
    /// How far off it typically is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The correlation; absent where the noise drowns one of the columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation: Option<f64>,
}

/// Estimates the numbers of a release folder together; all of them when none is named.
///
/// # Errors
/// When it is no perturbed release, a column is not there or holds no such numbers, or nothing can be estimated.
pub fn together_release(
    folder: &Path,
    columns: &[String],
    progress: &dyn Progress,
) -> Result<Together, RunError> {
    let published = PublishedPerturbed::open(folder, progress)?;
    together(&published.table, &published.manifest.model, columns, progress)
}

/// Estimates the numbers of collected records together.
///
/// # Errors
/// As [`together_release`]; when the table has not the columns of the model.
pub fn together_collected(
    path: &Path,
    model: &ModelFile,
    columns: &[String],
    progress: &dyn Progress,
) -> Result<Together, RunError> {
    let table = read_collected(path, model, progress)?;
    together(&table, &model.model, columns, progress)
}

/// A column of numbers as it is masked.
struct Numbers {
    name: String,
    dates: bool,
    /// Whether noise was added, independently of other columns, and its variance with that of rounding.
    noise: Option<f64>,
    /// The factor of noise that is correlated as the data are.
    factor: Option<f64>,
    /// The variance of rounding where noise is correlated.
    rounding: f64,
    values: Vec<Option<f64>>,
}

fn together(
    table: &Table,
    model: &Model,
    names: &[String],
    progress: &dyn Progress,
) -> Result<Together, RunError> {
    let ready = ready(model)?;
    for name in names {
        if table.position(name).is_none() {
            let all: Vec<String> = table.columns.iter().map(|own| own.name.clone()).collect();
            return Err(unknown_in_release(name, &all).into());
        }
    }
    let (mut numbers, mut unused) = (Vec::new(), Vec::new());
    for (at, own) in ready.iter().enumerate() {
        let is_asked = names.contains(&own.name);
        if !is_asked && !names.is_empty() {
            continue;
        }
        match masked(table, at, own)? {
            Ok(own) => numbers.push(own),
            Err(why) if is_asked => {
                let problem = format!("--together cannot use `{}`: {why}", own.name);
                return Err(JobError::new(problem).into());
            }
            Err(why) => unused.push((own.name.clone(), why.to_owned())),
        }
    }
    if numbers.is_empty() {
        let problem = "--together needs columns of numbers or dates that are published as they are or with added noise, and there is none";
        return Err(JobError::new(problem).into());
    }
    if numbers.len() > MOST_COLUMNS {
        let problem =
            format!("--together takes at most {MOST_COLUMNS} columns; name those that are asked about");
        return Err(JobError::new(problem).into());
    }
    progress.stage("estimating", None);
    progress.check()?;
    let width = numbers.len();
    let cell = |own: &Numbers, row: usize| match (own.values.get(row).copied().flatten(), own.noise) {
        (None, _) => Masked::Suppressed,
        (Some(value), None) => Masked::Shown(value),
        (Some(value), Some(variance)) => Masked::Noisy { value, variance },
    };
    let cells: Vec<Masked> =
        (0..table.rows).flat_map(|row| numbers.iter().map(move |own| cell(own, row))).collect();
    let failed = |error: MaskedError| {
        RunError::from(JobError::new(match error {
            MaskedError::Unknown { column } => format!(
                "--together: `{}` shows fewer than two different numbers; leave it out",
                numbers.get(column).map_or("", |own| &own.name)
            ),
            _ => format!("--together: {error}"),
        }))
    };
    let found = fit(&cells, width, PRECISE).map_err(failed)?;
    progress.check()?;
    let errors = standard_errors(&cells, width, &found).map_err(failed)?;
    Ok(told(table.rows as u64, &numbers, unused, &found, errors.as_ref()))
}

/// The numbers of a column, or why it cannot be used.
fn masked(table: &Table, at: usize, own: &ReadyColumn) -> Result<Result<Numbers, &'static str>, RunError> {
    let Some(column) = table.columns.get(at) else { return Ok(Err("it is not in the table")) };
    let name = column.name.clone();
    Ok(match &own.law {
        ReadyLaw::Keep => {
            let (kind, dates) = match column.domain.kind() {
                Kind::Integer | Kind::Decimal => (Kind::Decimal, false),
                Kind::Date => (Kind::Date, true),
                Kind::Boolean | Kind::Text => return Ok(Err("it holds no numbers or dates")),
            };
            let values = column.numbers_as(kind).into_iter().map(|own| Some(own).filter(|own| !own.is_nan()));
            let values = values.collect();
            Ok(Numbers { name, dates, noise: None, factor: None, rounding: 0.0, values })
        }
        ReadyLaw::Categories(_) | ReadyLaw::Items(_) => Err("it is perturbed as categories"),
        ReadyLaw::Noise(law) if law.way == NoiseWay::Multiplicative => {
            Err("its noise multiplies, so that it is the larger the larger the number")
        }
        ReadyLaw::Noise(law) => {
            let values = crate::randomize::numbers(column, law)?;
            let (dates, rounding) = (law.dates, law.rounding_variance());
            let (noise, factor) = match law.way {
                NoiseWay::Correlated => (Some(rounding), Some(law.factor)),
                _ => (Some(law.noise.variance() + rounding), None),
            };
            Ok(Numbers { name, dates, noise, factor, rounding, values })
        }
    })
}

fn told(
    records: u64,
    numbers: &[Numbers],
    unused: Vec<(String, String)>,
    found: &MaskedFit,
    errors: Option<&MaskedErrors>,
) -> Together {
    let width = numbers.len();
    // Of two columns with correlated noise d of (1+d) parts are noise.
    let share = |a: usize, b: usize| {
        let factor = |at: usize| numbers.get(at).and_then(|own| own.factor);
        factor(a).zip(factor(b)).map_or(1.0, |(factor, _)| 1.0 / (1.0 + factor))
    };
    let covariance =
        |a: usize, b: usize| found.covariance.get(a * width + b).map_or(0.0, |own| own * share(a, b));
    let error = |a: usize, b: usize| Some(errors?.covariance.get(a * width + b)? * share(a, b));
    let columns = numbers.iter().enumerate().map(|(at, own)| {
        let mean = found.mean.get(at).copied().unwrap_or(f64::NAN);
        let standard_error = errors.and_then(|own| own.mean.get(at)).copied();
        let variance = covariance(at, at);
        let noise = match own.factor {
            Some(factor) => Some(factor * variance),
            None => own.noise.map(|noise| (noise - own.rounding).max(0.0)),
        };
        TogetherColumn {
            name: own.name.clone(),
            dates: own.dates,
            noise_deviation: noise.map(f64::sqrt),
            missing: own.values.iter().filter(|value| value.is_none()).count() as u64,
            mean,
            mean_standard_error: standard_error,
            low: standard_error.map(|error| mean - Z95 * error),
            high: standard_error.map(|error| mean + Z95 * error),
            variance,
            variance_standard_error: error(at, at),
        }
    });
    let names = |at: usize| numbers.get(at).map_or(String::new(), |own| own.name.clone());
    let pairs = (0..width).flat_map(|a| (a + 1..width).map(move |b| (a, b))).map(|(a, b)| {
        let (both, deviations) = (covariance(a, b), (covariance(a, a) * covariance(b, b)).sqrt());
        // What rounding of the estimates leaves beyond is none.
        let correlation = (deviations > 1e-9 * both.abs()).then(|| (both / deviations).clamp(-1.0, 1.0));
        TogetherPair {
            columns: [names(a), names(b)],
            covariance: both,
            standard_error: error(a, b),
            correlation: correlation.filter(|_| both.abs() <= 1.01 * deviations),
        }
    });
    Together {
        records,
        columns: columns.collect(),
        pairs: pairs.collect(),
        unused,
        log_likelihood: found.log_likelihood,
        rounds: found.rounds as u64,
        converged: found.converged,
    }
}
