//! k-anonymity in expectation and with high probability of points with Gaussian noise, and the least noise for a k
//! (survey PM-21, PM-22, TH-28; Aggarwal).
//!
//! # Guarantee
//! Expectations are exact up to rounding. `least_factor` is the least number by which all deviations must be multiplied
//! so that every record has k, to 1 in 10⁹. With high probability: each record is judged by draws with Hoeffding's
//! inequality, all of them together, at all factors that are tried, wrong with a probability of at most 0.001; a record
//! that is not shown to have k counts as one that has not. `least_shown` is a factor with which all records are shown to,
//! and the least one to 1 in 100 for these draws, in the range that is looked at: the same draws are taken for every
//! factor, and with more noise no other record fits worse. It is about records as a whole and about the noise, not about what was drawn: see
//! [`privet_perturb::anonymity`]. The same on any number of threads.
//!
//! Only columns with added Gaussian noise count. Where others are published too, a record may stand out by those, so
//! nothing holds for it unless the column was asked for by its name.

use std::path::Path;

use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Column, Kind, Progress};
use privet_perturb::SeededCoins;
use privet_perturb::anonymity::{Points, Spread, Verdict, expected, expected_all, fits, least_deviation};
use privet_release::perturbed::{Model, NoiseLaw, NoiseWay, Perturbation};
use rayon::prelude::*;
use serde::Serialize;

use super::{JudgeOptions, Judgement, Required, failed};
use crate::error::{JobError, RunError};
use crate::load::unknown_among;

/// Every record is compared with every other.
const MOST_RECORDS: usize = 20_000;

/// The most comparisons of draws. `privet judge --help` and the guide say so.
const MOST_DRAWN: f64 = 2e10;

/// The probability that draws call any record safe that is not, or the other way round.
const ERROR: f64 = 1e-3;

/// The range of factors: noise of a hundredth of the smallest difference never makes up for it, and beside a thousand times
/// the largest distance only the direction of the noise counts.
const BELOW: f64 = 100.0;
const BEYOND: f64 = 1000.0;

/// How near the factor that is found is to one that does not suffice.
const NEAR: f64 = 1.01;

/// How often that range is halved at most, on a logarithmic scale: enough for one of 10^17.
const HALVINGS: u32 = 12;

/// How many factors are judged at most: that of the model, the smallest, the largest, and one for each halving.
const JUDGED: f64 = 3.0 + HALVINGS as f64;

/// What noise does for records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointsJudged {
    /// The columns, with the deviation of the noise of each.
    pub columns: Vec<(String, f64)>,
    /// Columns that are published too and do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_counted: Vec<String>,
    /// Records with all their numbers.
    pub records: u64,
    /// Records without, which were left out.
    pub left_out: u64,
    /// How many other records are expected to fit the published record better than its own, at the record for which
    /// they are fewest.
    pub least_expected: f64,
    /// On average.
    pub mean_expected: f64,
    /// Records with the same numbers as another one. That fits as well as the own record does, and counts one half.
    pub with_equal: u64,
    /// Where there are such records: the fewest that are expected when an equal one counts 0, as in the strict inequality
    /// of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_expected_strictly: Option<f64>,
    /// Records for which fewer than k are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_k: Option<u64>,
    /// Where there are equal records: the same when those count 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_k_strictly: Option<u64>,
    /// The least factor of all deviations with which k are expected for every record; absent when no noise suffices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_factor: Option<f64>,
    /// With which probability k must fit better, not only in expectation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// The least factor that was found with which every record is shown to have k with the probability; absent when none
    /// was found up to `tried_up_to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_shown: Option<f64>,
    /// The largest factor for which this was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried_up_to: Option<f64>,
    /// Records that are shown to have k with the probability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<u64>,
    /// Records that are shown not to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown_not: Option<u64>,
}

/// Judges the Gaussian noise of a model on true records.
pub(super) fn of_model(
    model: &Model,
    data: &Path,
    options: &JudgeOptions,
    found: &mut Judgement,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let (mut columns, mut not_counted) = (Vec::new(), Vec::new());
    for column in &model.columns {
        let is_wanted = options.column.as_ref().is_none_or(|name| *name == column.name);
        if is_wanted
            && let Some(Perturbation::Noise(own)) = &column.perturbation
            && own.way == NoiseWay::Additive
            && own.law == NoiseLaw::Gaussian
            && let Some(deviation) = own.deviation
        {
            columns.push((column.name.clone(), deviation));
        } else {
            not_counted.push(column.name.clone());
        }
    }
    if columns.is_empty() {
        return Err(JobError::new(
            "--data is for columns with added Gaussian noise, and the model has none: k-anonymity in expectation is defined \
             for it alone",
        )
        .into());
    }
    judge(data, Counted { columns, not_counted }, &model.missing, options, found, progress)
}

/// Which columns count, each with the deviation of its noise, and which do not.
pub(super) struct Counted {
    pub columns: Vec<(String, f64)>,
    pub not_counted: Vec<String>,
}

/// Judges points of a file.
pub(super) fn judge(
    path: &Path,
    counted: Counted,
    missing: &[String],
    options: &JudgeOptions,
    found: &mut Judgement,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let columns = &counted.columns;
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let mut markers = ReadOptions::default().missing;
    markers.extend(missing.iter().cloned());
    let how = ReadOptions {
        columns: Some(names.clone()),
        missing: markers,
        header: Some(true),
        ..ReadOptions::default().exactly()
    };
    let table = read(path, &how, progress)
        .map_err(|error| match &error.kind {
            ReadErrorKind::UnknownColumn { names: found, .. } => {
                RunError::from(unknown_among(names.iter(), found).at(path))
            }
            _ => RunError::from(error),
        })?
        .table;
    let mut read = Vec::with_capacity(columns.len());
    for (name, deviation) in columns {
        let Some(column) = table.column(name) else {
            return Err(JobError::new(format!("the records have no column `{name}`")).at(path).into());
        };
        read.push(in_units(column, *deviation)?);
    }
    let width = columns.len();
    let mut values = Vec::with_capacity(table.rows * width);
    for row in 0..table.rows {
        let record: Option<Vec<f64>> =
            read.iter().map(|own: &Vec<Option<f64>>| own.get(row).copied().flatten()).collect();
        values.extend(record.into_iter().flatten());
    }
    let records = values.len() / width.max(1);
    if records == 0 || records > MOST_RECORDS {
        return Err(JobError::new(format!(
            "every record is compared with every other, so 1 to {MOST_RECORDS} records with all their numbers are taken, and \
             there are {records}; of more, give a part: with all of them the noise does at least as much"
        ))
        .at(path)
        .into());
    }
    let left_out = (table.rows - records) as u64;
    let points = Points::new(&values, width).map_err(failed)?;
    let judged = of_points(points, counted, left_out, options, found, progress)?;
    found.points = Some(judged);
    Ok(())
}

/// The numbers of a column, divided by the deviation of its noise.
fn in_units(column: &Column, deviation: f64) -> Result<Vec<Option<f64>>, JobError> {
    let domain = &column.domain;
    let kind = match domain.kind() {
        Kind::Date => Kind::Date,
        Kind::Integer | Kind::Decimal => Kind::Decimal,
        Kind::Boolean | Kind::Text if domain.len() > domain.missing() as usize => {
            return Err(JobError::new(format!("`{}` holds no numbers or dates", column.name)));
        }
        Kind::Boolean | Kind::Text => Kind::Decimal,
    };
    if !(deviation > 0.0 && deviation.is_finite()) {
        return Err(JobError::new(format!(
            "the deviation of the noise of `{}` must be a number above 0",
            column.name
        )));
    }
    let number = |code: u32| match domain.is_missing(code) {
        true => None,
        false => kind.number(domain.text(code)).map(|own| own / deviation).filter(|own| own.is_finite()),
    };
    let of_code: Vec<Option<f64>> = (0..domain.len() as u32).map(number).collect();
    Ok(column.codes.iter().map(|&code| of_code.get(code as usize).copied().flatten()).collect())
}

fn of_points(
    points: Points<'_>,
    counted: Counted,
    left_out: u64,
    options: &JudgeOptions,
    found: &mut Judgement,
    progress: &dyn Progress,
) -> Result<PointsJudged, RunError> {
    let records = points.len();
    let mut all = expected_all(points, &vec![Spread::Sphere(1.0); records]).map_err(failed)?;
    // Sums of tiny probabilities may end a rounding error below 0, and an empty sum is -0.
    all.iter_mut().for_each(|own| *own = own.max(0.0) + 0.0);
    let fewest = |all: &[f64]| all.iter().copied().fold(f64::INFINITY, f64::min);
    let least_expected = fewest(&all);
    let equals = points.equals();
    let with_equal = equals.iter().filter(|own| **own > 0).count();
    let strict = |(own, &equal): (&f64, &usize)| (own - 0.5 * equal as f64).max(0.0);
    let strictly: Option<Vec<f64>> = (with_equal > 0).then(|| all.iter().zip(&equals).map(strict).collect());
    let Counted { columns, not_counted } = counted;
    let mut judged = PointsJudged {
        columns,
        not_counted,
        records: records as u64,
        left_out,
        least_expected,
        mean_expected: all.iter().sum::<f64>() / records as f64,
        with_equal: with_equal as u64,
        least_expected_strictly: strictly.as_deref().map(fewest),
        below_k: None,
        below_k_strictly: None,
        least_factor: None,
        probability: options.probability,
        least_shown: None,
        tried_up_to: None,
        shown: None,
        shown_not: None,
    };
    let Some(k) = options.k else { return Ok(judged) };
    progress.check()?;
    let fewer = |all: &[f64]| all.iter().filter(|own| **own < k).count() as u64;
    let below = fewer(&all);
    judged.below_k = Some(below);
    judged.below_k_strictly = strictly.as_deref().map(fewer);
    judged.least_factor = least_factor(points, &all, k)?;
    let names: Vec<&str> = judged.columns.iter().map(|(name, _)| name.as_str()).collect();
    let by = format!("by {} alone", names.join(", "));
    // Who asks for a column by its name asks about that column; otherwise the question is about records.
    let is_whole = judged.not_counted.is_empty() || options.column.is_some();
    let others = match is_whole {
        true => String::new(),
        false => format!(
            "; {} {} published too and not counted, so nothing is shown for records (--column judges one column by itself)",
            judged.not_counted.join(", "),
            if judged.not_counted.len() == 1 { "is" } else { "are" }
        ),
    };
    let Some(probability) = options.probability else {
        let what = format!("{by}, {k} other records are expected to fit every record better than its own");
        let least = format!(
            "{least_expected:.4} at the record that has fewest; {below} records have fewer than {k}{others}"
        );
        found.required.push(Required::new(what, below == 0 && is_whole, least));
        return Ok(judged);
    };
    progress.check()?;
    if (records as f64).powi(2) * options.draws as f64 > MOST_DRAWN {
        let most = (MOST_DRAWN / options.draws as f64).sqrt().floor();
        return Err(JobError::new(format!(
            "so many draws for so many records take too long: {} draws are for {most} records at most; give fewer with \
             --draws, or a part of the records",
            options.draws
        ))
        .into());
    }
    let draws = Draws { points, k: k as usize, probability, options };
    let every: Vec<usize> = (0..records).collect();
    let verdicts = draws.judge(&every, 1.0)?;
    let count = |wanted: Verdict| verdicts.iter().filter(|own| **own == wanted).count();
    let (shown, shown_not) = (count(Verdict::Holds), count(Verdict::Fails));
    judged.shown = Some(shown as u64);
    judged.shown_not = Some(shown_not as u64);
    let (low, high) = draws.range();
    judged.tried_up_to = Some(high);
    judged.least_shown = draws.least(low, high, (shown == records).then_some(1.0), progress)?;
    found.required.push(Required::new(
        format!("{by}, with probability {probability}, {k} other records fit every record better than its own"),
        shown == records && is_whole,
        format!(
            "shown for {shown} of {records} records, shown not to be for {shown_not}; {} draws leave {} open{others}",
            options.draws,
            records - shown - shown_not
        ),
    ));
    Ok(judged)
}

/// Draws by which records are judged.
struct Draws<'a> {
    points: Points<'a>,
    k: usize,
    probability: f64,
    options: &'a JudgeOptions,
}

impl Draws<'_> {
    /// What draws say of these records when all deviations are multiplied by a factor.
    fn judge(&self, records: &[usize], factor: f64) -> Result<Vec<Verdict>, RunError> {
        let error = ERROR / (self.points.len() as f64 * JUDGED);
        let spread = Spread::Sphere(factor);
        let one = |&record: &usize| {
            // Every record has its own draws, whatever thread it is on and whatever the factor is.
            let seed = self.options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(record as u64);
            let mut coins = SeededCoins::new(seed);
            let drawn = fits(self.points, record, &spread, self.k, self.options.draws, &mut coins)?;
            Ok(drawn.value.judge(self.probability, error))
        };
        records.par_iter().map(one).collect::<Result<_, _>>().map_err(failed)
    }

    /// From noise that never goes from one record to another to noise beside which all of them are the same: what
    /// depends on the noise is decided between. Points are in units of the deviations.
    fn range(&self) -> (f64, f64) {
        match self.points.gaps() {
            (gap, far) if gap > 0.0 => (gap / BELOW, far * BEYOND),
            _ => (1.0, 1.0),
        }
    }

    /// The least factor in a range, up to the steps of the search, with which all records are shown to have k: 0 where the
    /// smallest suffices, `None` when the largest does not. `known` is a factor that does.
    fn least(
        &self,
        low: f64,
        high: f64,
        known: Option<f64>,
        progress: &dyn Progress,
    ) -> Result<Option<f64>, RunError> {
        progress.stage("looking for the least noise", Some(u64::from(HALVINGS)));
        let every: Vec<usize> = (0..self.points.len()).collect();
        let suffices = |factor: f64| -> Result<bool, RunError> {
            progress.check()?;
            Ok(self.judge(&every, factor)?.iter().all(|own| *own == Verdict::Holds))
        };
        if suffices(low)? {
            return Ok(Some(0.0));
        }
        let mut high = match known.filter(|known| (low..=high).contains(known)) {
            Some(known) => known,
            None if suffices(high)? => high,
            None => return Ok(None),
        };
        let mut low = low;
        // With the same draws, what is shown for a factor is shown for every larger one: only the others are drawn again.
        let mut open: Vec<usize> = (0..self.points.len()).collect();
        for step in 0..HALVINGS {
            progress.check()?;
            progress.at(u64::from(step));
            if high <= low * NEAR {
                break;
            }
            let middle = low.sqrt() * high.sqrt();
            let verdicts = self.judge(&open, middle)?;
            let still: Vec<usize> = (open.iter().zip(verdicts))
                .filter_map(|(&record, own)| (own != Verdict::Holds).then_some(record))
                .collect();
            if still.is_empty() {
                high = middle;
            } else {
                (low, open) = (middle, still);
            }
        }
        Ok(Some(high))
    }
}

/// The least factor that suffices for every record; `None` when none does.
fn least_factor(points: Points<'_>, all: &[f64], k: f64) -> Result<Option<f64>, RunError> {
    // No noise makes more than half of the others fit better, but for records that are equal.
    if k >= (points.len() as f64 - 1.0) / 2.0 {
        return Ok(None);
    }
    // The record that has fewest now needs most as a rule; the others are looked at only where that does not suffice.
    let first = all.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(record, _)| record);
    let mut factor = least_deviation(points, first, k).map_err(failed)?;
    let need: Vec<usize> = (0..points.len())
        .into_par_iter()
        .map(|record| Ok((record, expected(points, record, &Spread::Sphere(factor))? < k)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?
        .into_iter()
        .filter_map(|(record, needs)| needs.then_some(record))
        .collect();
    for record in need {
        // Those before may have raised it far enough.
        if expected(points, record, &Spread::Sphere(factor)).map_err(failed)? < k {
            factor = factor.max(least_deviation(points, record, k).map_err(failed)?);
        }
    }
    Ok(Some(factor))
}
