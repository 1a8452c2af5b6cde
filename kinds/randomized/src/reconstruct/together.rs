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
    /// How far off it typically is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_standard_error: Option<f64>,
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
    estimated(table.rows, &numbers, unused, progress)
}

/// What is most likely of the columns.
fn estimated(
    rows: usize,
    numbers: &[Numbers],
    unused: Vec<(String, String)>,
    progress: &dyn Progress,
) -> Result<Together, RunError> {
    let width = numbers.len();
    let cell = |own: &Numbers, row: usize| match (own.values.get(row).copied().flatten(), own.noise) {
        (None, _) => Masked::Suppressed,
        (Some(value), None) => Masked::Shown(value),
        (Some(value), Some(variance)) => Masked::Noisy { value, variance },
    };
    let cells: Vec<Masked> =
        (0..rows).flat_map(|row| numbers.iter().map(move |own| cell(own, row))).collect();
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
    Ok(told(rows as u64, numbers, unused, &found, errors.as_ref()))
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
    // Correlated noise was drawn from the covariance of these very records, so that what is by chance in it is in the noise
    // again: 1+d times, which the share takes off. Only what of the published covariances varies by the noise alone
    // (`drawn`) does the share make less.
    let noise = |a: usize, b: usize| match share(a, b) {
        part if part < 1.0 => covariance(a, b) * (1.0 / part - 1.0),
        _ if a == b => numbers.get(a).and_then(|own| own.noise).unwrap_or(0.0),
        _ => 0.0,
    };
    let vary = |(a, b): (usize, usize), (c, d): (usize, usize)| {
        let part = share(a, b) * share(c, d);
        let product = |of: &dyn Fn(usize, usize) -> f64| of(a, c) * of(b, d) + of(a, d) * of(b, c);
        let drawn =
            (product(&|a, b| covariance(a, b) + noise(a, b)) - product(&covariance)) / records.max(1) as f64;
        let published = errors?.between((a, b), (c, d))?;
        let own = published - drawn * (1.0 - part);
        // Chance may make less of it than the noise alone.
        Some(if (a, b) == (c, d) { own.max(published * part) } else { own })
    };
    let error = |a: usize, b: usize| vary((a, b), (a, b)).map(f64::sqrt);
    // By the slopes of the correlation.
    let error_of_correlation = |a: usize, b: usize, correlation: f64| {
        let pairs = [(a, b), (a, a), (b, b)];
        let root = (covariance(a, a) * covariance(b, b)).sqrt();
        let slopes =
            [1.0 / root, -0.5 * correlation / covariance(a, a), -0.5 * correlation / covariance(b, b)];
        let mut sum = 0.0;
        for (first, slope) in pairs.iter().zip(slopes) {
            for (second, other) in pairs.iter().zip(slopes) {
                sum += slope * other * vary(*first, *second)?;
            }
        }
        Some(sum.max(0.0).sqrt()).filter(|own| own.is_finite())
    };
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
        let correlation = correlation.filter(|_| both.abs() <= 1.01 * deviations);
        TogetherPair {
            columns: [names(a), names(b)],
            covariance: both,
            standard_error: error(a, b),
            correlation,
            correlation_standard_error: correlation.and_then(|own| error_of_correlation(a, b, own)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    /// Normal numbers, one after the other.
    struct Normal(u64);

    impl Normal {
        fn even(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }

        fn draw(&mut self) -> f64 {
            (-2.0 * (1.0 - self.even()).ln()).sqrt() * (std::f64::consts::TAU * self.even()).cos()
        }
    }

    /// Correlated noise is drawn from the covariance of the sample, and the errors are about the population: 95 of 100 estimates
    /// lie within two of them, of normal numbers and of skewed ones. Taken to be right is a coverage from 93 to 96 of 100, of
    /// skewed numbers, which need more records for their errors to be told as well, from 90. False alarm: 1e-6 for all 12.
    #[test]
    fn errors_behind_correlated_noise_are_those_of_the_population() {
        const RECORDS: usize = 400;
        const TIMES: usize = 1500;
        // What a normal number exceeds with a probability of 1e-6/24.
        const FAR: f64 = 5.36;
        let mut normal = Normal(1);
        for (factor, is_skewed) in [(0.3, false), (1.0, false), (1.0, true)] {
            let mut within = [0; 4];
            for _ in 0..TIMES {
                // Of variance 1 each and covariance 0.6.
                let pairs: Vec<[f64; 2]> = (0..RECORDS)
                    .map(|_| {
                        let mut own = || match is_skewed {
                            true => -(1.0 - normal.even()).ln() - 1.0,
                            false => normal.draw(),
                        };
                        let (a, b) = (own(), own());
                        [a, 0.6 * a + 0.8 * b]
                    })
                    .collect();
                let n = RECORDS as f64;
                let mean = |at: usize| pairs.iter().map(|own| own[at]).sum::<f64>() / n;
                let means = [mean(0), mean(1)];
                let both = |a: usize, b: usize| {
                    pairs.iter().map(|own| (own[a] - means[a]) * (own[b] - means[b])).sum::<f64>() / n
                };
                let (aa, ab, bb) = (factor * both(0, 0), factor * both(0, 1), factor * both(1, 1));
                let (first, slope) = (aa.sqrt(), ab / aa.sqrt());
                let other = (bb - slope * slope).sqrt();
                let noisy: Vec<[f64; 2]> = pairs
                    .iter()
                    .map(|own| {
                        let (u, v) = (normal.draw(), normal.draw());
                        [own[0] + first * u, own[1] + slope * u + other * v]
                    })
                    .collect();
                let column = |at: usize| Numbers {
                    name: at.to_string(),
                    dates: false,
                    noise: Some(0.0),
                    factor: Some(factor),
                    rounding: 0.0,
                    values: noisy.iter().map(|own| Some(own[at])).collect(),
                };
                let found = estimated(RECORDS, &[column(0), column(1)], Vec::new(), &Silent).unwrap();
                let [a, b] = &found.columns[..] else { panic!() };
                let pair = &found.pairs[0];
                for (slot, (told, error, truth)) in within.iter_mut().zip([
                    (a.variance, a.variance_standard_error, 1.0),
                    (b.variance, b.variance_standard_error, 1.0),
                    (pair.covariance, pair.standard_error, 0.6),
                    (pair.correlation.unwrap(), pair.correlation_standard_error, 0.6),
                ]) {
                    *slot += usize::from((told - truth).abs() <= Z95 * error.unwrap());
                }
            }
            let least = if is_skewed { 0.90 } else { 0.93 };
            let chance = |share: f64| FAR * (share * (1.0 - share) / TIMES as f64).sqrt();
            for covered in within.map(|own| own as f64 / TIMES as f64) {
                let right = least - chance(least)..=0.96 + chance(0.96);
                assert!(right.contains(&covered), "{factor} {is_skewed}: {within:?}");
            }
        }
    }
}
