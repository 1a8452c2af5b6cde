//! What a linear regression learns from a release (survey US-10, US-11, UM-17): how far it is off on raw records, beside
//! one that learned from the original and beside guessing the mean; and whether an analyst would read the same off its
//! coefficients (UM-26, UM-27).
//!
//! The error is the root of the mean square; R² is one minus its square over that of guessing the mean of the original
//! records that were learned from, so that it is below 0 for what is worse than guessing. Records without a target are left
//! out.

use privet_attack::Note;
use privet_data::{Column, Domain, Kind, Progress, Table};
use privet_measure::classify::TrainingColumn;
use privet_measure::learn::{Design, LearnError, LinearRegression, Reading, Scale};
use privet_measure::utility::Classes;
use privet_release::Published;
use privet_release::published::SensitiveColumn;
use privet_report::{Fit, Regression, Utility};

use super::learners::{NOTHING_TO_LEARN, in_buckets, kept, of_term, predicted};
use super::numbers::Moments;
use super::protocol::{Split, picked};
use super::{Beside, figure, spread_out};
use crate::error::{JobError, RunError};

/// Per code the number; not a number where it has none.
fn numbers_of(domain: &Domain) -> Vec<f64> {
    let number = |code: u32| match domain.is_missing(code) {
        true => f64::NAN,
        false => Kind::Decimal.number(domain.text(code)).unwrap_or(f64::NAN),
    };
    (0..domain.len() as u32).map(number).collect()
}

/// Per record the number; not a number where it has none.
pub fn numbers(column: &Column) -> Vec<f64> {
    let of_code = numbers_of(&column.domain);
    column.codes.iter().map(|&code| of_code[code as usize]).collect()
}

/// Linear regressions that learn from the release, tested on raw records.
pub fn regression(
    beside: &Beside<'_>,
    target: &str,
    apart: Option<&Table>,
    utility: &mut Utility,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let (original, release) = (beside.original, beside.release);
    let position = predicted(beside, "--target", target)?;
    let own = &original.table.columns[position];
    if !matches!(own.domain.kind(), Kind::Integer | Kind::Decimal) {
        let problem = format!("--target names {target}, which holds no numbers; name a column that does");
        return Err(JobError::new(problem).into());
    }
    let truth = numbers(own);
    let groups = spread_out(beside, &beside.groups_of(target));
    utility.figures.extend(figure(
        "regression-variance",
        "Variance of the target within groups",
        Classes::new(&groups, beside.mask())?.regression_variance(&truth)?,
        false,
        "How far the target is from the mean of its group, squared, on average: what no regression on groups can tell.",
    ));
    let split = Split::new(beside, target, apart)?;
    utility.protocol = Some(split.protocol.clone());
    let note = split.note().map(Note::of_original);
    utility.notes.extend(note.filter(|note| !utility.notes.contains(note)));
    let said = match in_buckets(release, target) {
        Some(column) => {
            utility.remark(OF_BUCKETS_NUMBERS);
            means_of_buckets(release, column)
        }
        None => release.table.column(target).map(numbers).unwrap_or_default(),
    };
    fit_both(&split, own, &said, utility, progress)
}

/// What is said where a target is learned from buckets.
const OF_BUCKETS_NUMBERS: &str = "Fitted to buckets: whoever is in one has the mean of its numbers, those of people who are tested included.";

/// Per published record the mean of the numbers of its bucket (survey US-13); not a number where it has none.
fn means_of_buckets(release: &Published, column: &SensitiveColumn) -> Vec<f64> {
    let number = numbers_of(&column.domain);
    let mean = |group: u32| {
        let cells = column.histograms.of(group).iter();
        Moments::of(cells.map(|&(value, count)| (number[value as usize], count))).mean
    };
    let of_group: Vec<f64> = (0..release.groups.len() as u32).map(mean).collect();
    release.group_of.iter().map(|&group| of_group[group as usize]).collect()
}

/// Fits a regression twice and tests it. `own` is the target in the original, `said` what the release says it is, per
/// published record.
pub fn fit_both(
    split: &Split<'_>,
    own: &Column,
    said: &[f64],
    utility: &mut Utility,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let (target, truth) = (own.name.as_str(), numbers(own));
    let to_learn = |targets: &[f64], records: &[usize]| -> (Vec<usize>, Vec<f64>) {
        let of = |(place, &record): (usize, &usize)| {
            targets.get(record).copied().filter(|number| number.is_finite()).map(|number| (place, number))
        };
        records.iter().enumerate().filter_map(of).unzip()
    };
    let (places, from_release) = to_learn(said, &split.published);
    let released: Vec<TrainingColumn> =
        split.coarsened(&split.released).iter().map(|own| picked(own, &places)).collect();
    let (places, from_raw) = to_learn(&truth, &split.originals);
    let raw: Vec<TrainingColumn> =
        split.coarsened(&split.raw).iter().map(|own| picked(own, &places)).collect();
    let (tested, told) = to_learn(&numbers(split.test_column(target)?), split.test_records());
    if from_release.is_empty() || from_raw.is_empty() || told.is_empty() || split.features.is_empty() {
        utility.not_learned(NOTHING_TO_LEARN);
        return Ok(());
    }
    progress.stage("learning", None);
    let scales: Vec<Scale> = split.features.iter().map(Scale::of).collect();
    let fit = |columns: &[TrainingColumn], targets: &[f64]| -> Result<LinearRegression, LearnError> {
        LinearRegression::fit(&Design::new(columns, &scales, Reading::Mean)?, targets)
    };
    let mean = from_raw.iter().sum::<f64>() / from_raw.len() as f64;
    let (from_release, from_raw) = match (fit(&released, &from_release), fit(&raw, &from_raw)) {
        (Ok(released), Ok(raw)) => (released, raw),
        (Err(why), _) | (_, Err(why)) => {
            utility.not_learned(format!("Linear regression was not fitted: {why}."));
            return Ok(());
        }
    };
    progress.check()?;
    let records = split.coarsely_tested();
    let error = |predict: &dyn Fn(usize) -> f64| {
        let squares = tested.iter().zip(&told).map(|(&place, number)| (predict(place) - number).powi(2));
        (squares.sum::<f64>() / told.len() as f64).sqrt()
    };
    let of_model = |model: &LinearRegression| {
        error(&|place| {
            let record: Vec<Option<u32>> = records.iter().map(|column| column[place]).collect();
            model.predict(&record)
        })
    };
    let baseline = error(&|_| mean);
    let fitted =
        |error: f64| Fit { error, determination: (baseline > 0.0).then(|| 1.0 - (error / baseline).powi(2)) };
    utility.regressions.push(Regression {
        name: "linear regression".to_owned(),
        target: target.to_owned(),
        tested: told.len() as u64,
        baseline,
        raw: fitted(of_model(&from_raw)),
        released: fitted(of_model(&from_release)),
    });
    let theirs = from_release.coefficients();
    let pairs = from_raw.coefficients().iter().map(|own| (own, of_term(theirs, own.term)));
    utility.figures.extend(kept(["linear-validity", "linear-overlap"], "linear regression", pairs)?);
    Ok(())
}
