//! What a perturbed release is still good for: the figures of the survey's section 4 that need no labels, from the original
//! beside what is published and, where the published laws can be inverted, beside what is reconstructed from it.
//!
//! Record by record a perturbed table says little, and is not meant to; distributions, moments and correlations are what it
//! is for. So UM-20 (how far single numbers are off) is left out, and the rest compares columns: UM-09, UM-13 and UM-14 for
//! each, UM-21 to UM-23, UM-28 and UM-35 for numbers. Numbers are compared over ranges that hold about as many records of
//! the original each.
//!
//! # Guarantee
//! Every figure compares with the original; nothing of it is published. Records need not stand in the same order; what is
//! measured of swapped and synthetic ones besides is in `records.rs`.

use privet_attack::Note;
use privet_data::{Column, Kind, Progress, Table};
use privet_measure::utility::{
    Deviation, Histograms, correlation_error, expected_items_retained, mean_items_retained,
    rank_correlation_error, variation_of_covariances, variation_of_means, variation_of_variances,
};
use privet_release::PublishedPerturbed;
use privet_release::perturbed::{ModelColumn, Perturbation};
use privet_report::{Assessment, ColumnUtility, Figure, Utility};

use super::super::MeasureOptions;
use super::super::perturbed::original_table;
use super::columns::{distances, moments};
use super::numbers::{Moments, Numbers, relative};
use super::{figure, pairs};
use crate::error::{JobError, RunError};
use crate::randomize::items::ReadyItems;
use crate::randomize::model::ReadyCategories;
use crate::reconstruct::{ColumnEstimate, ColumnReconstruction, ReconstructOptions, reconstruct_release};

/// Ranges of numbers.
const RANGES: usize = 20;
/// More values than this are not compared one by one.
const MOST_VALUES: usize = 5_000;

/// Measures a perturbed release.
pub(crate) fn measure(options: &MeasureOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    refuse_others(options)?;
    let published = PublishedPerturbed::open(&options.release, progress)?;
    let model = &published.manifest.model;
    let names: Vec<String> = model.columns.iter().map(|own| own.name.clone()).collect();
    let (original, _) = original_table(&options.original, &model.missing, &names, progress)?;
    progress.stage("measuring", None);
    // Columns of sets of items are left out, and laws that cannot be inverted are no mistake here.
    let how = ReconstructOptions { intervals: false, ..ReconstructOptions::default() };
    let rebuilt = reconstruct_release(&options.release, &how, progress);
    let rebuilt = rebuilt.map(|own| own.columns).unwrap_or_default();
    let (mut utility, numbers) =
        compared_columns(&model.columns, &original, &published.table, &rebuilt, progress)?;
    progress.check()?;
    // Sets of items are no categories.
    let is_set = |own: &ModelColumn| matches!(own.perturbation, Some(Perturbation::Items(_)));
    let sets: Vec<&str> =
        model.columns.iter().filter(|own| is_set(own)).map(|own| own.name.as_str()).collect();
    if !sets.is_empty() {
        items(&model.columns, &original, &published.table, &mut utility)?;
    }
    pairs::of_tables(&original, &published.table, &numbers, &sets, &mut utility)?;
    let assessment = Assessment { utility: Some(utility), ..Assessment::default() };
    if let Some(path) = &options.report {
        let page = privet_report::owner_perturbed_html(&published.manifest, &assessment);
        super::super::write::whole(path, page.as_bytes())?;
    }
    Ok(assessment)
}

/// All columns of a release beside those of the original, and figures about the columns of numbers, which are given back.
pub(super) fn compared_columns(
    columns: &[ModelColumn],
    original: &Table,
    published: &Table,
    rebuilt: &[ColumnReconstruction],
    progress: &dyn Progress,
) -> Result<(Utility, Vec<Numbers>), RunError> {
    let mut utility = Utility::default();
    let mut numbers = Vec::new();
    for (model, column) in columns.iter().zip(&published.columns) {
        progress.check()?;
        let Some(theirs) = original.column(&model.name) else { continue };
        let rebuilt = rebuilt.iter().find(|own| own.column == model.name);
        if matches!(model.perturbation, Some(Perturbation::Items(_))) {
            continue;
        }
        match kind_of(model, theirs) {
            Some(kind) => {
                let own = Numbers::new(&model.name, kind, theirs.numbers_as(kind), column.numbers_as(kind));
                utility.columns.push(numeric(model, &own, rebuilt)?);
                numbers.push(own);
            }
            None if theirs.domain.len() > MOST_VALUES => utility.remark(format!(
                "{} has more than {MOST_VALUES} different values, which are not compared one by one.",
                model.name
            )),
            None => utility.columns.push(categories(model, theirs, column, rebuilt)?),
        }
    }
    utility.figures = figures(&numbers, &mut utility.notes)?;
    Ok((utility, numbers))
}

/// How many items sets keep (survey UM-33): by the law, and counted where records of both tables correspond.
fn items(
    columns: &[ModelColumn],
    original: &Table,
    published: &Table,
    utility: &mut Utility,
) -> Result<(), RunError> {
    // Records stand in the order of the original, unless somebody put one of the tables in another.
    let same = |(model, own): (&ModelColumn, &Column)| {
        let theirs = original.column(&model.name).filter(|_| model.perturbation.is_none());
        theirs.is_none_or(|theirs| {
            let cells = own.codes.iter().zip(&theirs.codes);
            cells.into_iter().all(|(&a, &b)| own.domain.text(a) == theirs.domain.text(b))
        })
    };
    let corresponds = original.rows == published.rows && columns.iter().zip(&published.columns).all(same);
    for (model, column) in columns.iter().zip(&published.columns) {
        let (Some(Perturbation::Items(law)), Some(theirs)) =
            (&model.perturbation, original.column(&model.name))
        else {
            continue;
        };
        let ready = ReadyItems::new(law)
            .map_err(|source| RunError::Perturb { column: model.name.clone(), source })?;
        let sets = |column: &Column| -> Option<Vec<Vec<u32>>> {
            let text = |code: u32| match column.domain.is_missing(code) {
                true => "",
                false => column.domain.text(code),
            };
            let of_code: Option<Vec<Vec<u32>>> =
                (0..column.domain.len() as u32).map(|code| ready.published(text(code))).collect();
            let of_code = of_code?;
            Some(column.codes.iter().map(|&code| of_code[code as usize].clone()).collect())
        };
        let (Some(before), Some(after)) = (sets(theirs), sets(column)) else {
            utility.remark(format!("{} holds items that its law does not know.", model.name));
            continue;
        };
        let held = before.iter().map(Vec::len).sum::<usize>() as f64 / before.len().max(1) as f64;
        // Of a set that is filled up to the size of the law each item is kept as likely.
        let expected = expected_items_retained(&law.keep)? * held / f64::from(law.size.max(1));
        utility.figures.extend(figure(
            "items-retained-expected",
            &format!("Items of {} kept, by the law", model.name),
            expected,
            false,
            &format!("How many of its items a set keeps, on average, as the law expects it: of {held:.2}."),
        ));
        if !corresponds {
            utility.remark(format!(
                "How many items of {} are kept is not counted: the records do not stand in the order of the original.",
                model.name
            ));
            continue;
        }
        utility.figures.extend(mean_items_retained(&before, &after)?.and_then(|kept| {
            figure(
                "items-retained",
                &format!("Items of {} kept", model.name),
                kept,
                false,
                &format!(
                    "How many of its items a published set still has, on average, of {held:.2}. Items that were added are not \
                     counted."
                ),
            )
        }));
    }
    Ok(())
}

/// What has no meaning for these releases.
fn refuse_others(options: &MeasureOptions) -> Result<(), JobError> {
    let given = [
        ("--job", options.job.is_some()),
        ("--class", !options.class.is_empty()),
        ("--target", !options.target.is_empty()),
        ("--test", options.test.is_some()),
        ("--population", options.population.is_some()),
        ("--population-size", options.population_size.is_some()),
        ("--risk-threshold", options.risk_threshold.is_some()),
        ("--risk-file", options.risk_file.is_some()),
        ("--queries FILE", options.workload.is_some()),
    ];
    super::super::perturbed::refuse(
        &given,
        "a perturbed release is measured by its distributions, moments and correlations, and `privet reconstruct` learns from it",
    )
}

/// The kind of a column that is compared as numbers; `None` for categories.
fn kind_of(model: &ModelColumn, original: &Column) -> Option<Kind> {
    match &model.perturbation {
        Some(Perturbation::Noise(own)) => Some(if own.dates { Kind::Date } else { Kind::Decimal }),
        Some(_) => None,
        None => match original.domain.kind() {
            Kind::Date => Some(Kind::Date),
            Kind::Integer | Kind::Decimal => Some(Kind::Decimal),
            Kind::Boolean | Kind::Text => None,
        },
    }
}

/// A column of numbers: distributions over ranges, and moments.
fn numeric(
    model: &ModelColumn,
    own: &Numbers,
    rebuilt: Option<&ColumnReconstruction>,
) -> Result<ColumnUtility, RunError> {
    let bounds = own.bounds(RANGES);
    let histogram = |numbers: &[f64]| {
        let mut counts = vec![0.0; bounds.len() + 1];
        for number in numbers.iter().filter(|number| number.is_finite()) {
            counts[bounds.partition_point(|bound| bound <= number)] += 1.0; // why: one more range than bounds
        }
        counts
    };
    let (before, after) = (histogram(&own.before), histogram(&own.after));
    let mut figures = Vec::new();
    let both = compared(&before, &after, &mut figures)?;
    let of = |numbers: &[f64]| Moments::of(numbers.iter().map(|&number| (number, 1)));
    figures.extend(moments(of(&own.before), of(&own.after), own.unit, own.is_date));
    if let Some(ColumnEstimate::Numbers(told)) = rebuilt.map(|own| &own.estimate) {
        if !told.bins.is_empty() {
            let shares = spread(
                told.bins.iter().map(|bin| (bin.from / own.unit, bin.to / own.unit, bin.share)),
                &bounds,
            );
            figures.extend(reconstructed(&before, &shares)?);
        }
        if !own.is_date {
            let says = "The mean as it is estimated from the release and the law of the noise.";
            figures.extend(
                told.mean
                    .and_then(|mean| figure("mean-reconstructed", "Mean, reconstructed", mean, false, says)),
            );
        }
        let says = "The standard deviation without the noise, as it is estimated from the release and the law of the noise.";
        figures.extend(told.deviation.and_then(|own| {
            figure("deviation-reconstructed", "Standard deviation, reconstructed", own, false, says)
        }));
    }
    Ok(ColumnUtility::of_ranges(&model.name, &model.role, shares(both)).with(figures))
}

/// A column of categories.
fn categories(
    model: &ModelColumn,
    original: &Column,
    published: &Column,
    rebuilt: Option<&ColumnReconstruction>,
) -> Result<ColumnUtility, RunError> {
    // Values of either, those of the original first; missing ones are a value.
    let mut texts: Vec<&str> = original.domain.texts().iter().map(|text| &**text).collect();
    let known = texts.len();
    let mut place: std::collections::HashMap<&str, usize> =
        texts.iter().enumerate().map(|(at, text)| (*text, at)).collect();
    let mut of_code = Vec::with_capacity(published.domain.len());
    for text in published.domain.texts() {
        let at = *place.entry(text).or_insert_with(|| {
            texts.push(text);
            texts.len() - 1
        });
        of_code.push(at);
    }
    let (mut before, mut after) = (vec![0.0; texts.len()], vec![0.0; texts.len()]);
    original.codes.iter().for_each(|&code| before[code as usize] += 1.0); // why: codes of the first values
    published.codes.iter().for_each(|&code| after[of_code[code as usize]] += 1.0); // why: a place for every code
    let mut figures = Vec::new();
    let both = compared(&before, &after, &mut figures)?;
    figures.extend(condition_number(model));
    if let Some(ColumnEstimate::Counts(told)) = rebuilt.map(|own| &own.estimate) {
        let mut shares = vec![0.0; texts.len()];
        for own in &told.values {
            if let Some(&at) = place.get(own.value.as_str()) {
                shares[at] += own.nonnegative.max(0.0); // why: a place of a value
            }
        }
        // Missing values are published as they are.
        for (at, share) in shares.iter_mut().enumerate().take(known) {
            if original.domain.is_missing(at as u32) {
                *share = after[at]; // why: as many as values
            }
        }
        if shares.iter().any(|share| *share > 0.0) {
            figures.extend(reconstructed(&before, &shares)?);
        }
    }
    Ok(ColumnUtility::of_values(&model.name, &model.role, shares(both), false).with(figures))
}

/// How much the law of a column makes errors grow when it is inverted (survey UM-32).
fn condition_number(model: &ModelColumn) -> Option<Figure> {
    let Some(Perturbation::Categories(own)) = &model.perturbation else { return None };
    let (key, name) = ("condition-number", "Condition number of the law");
    let not = |why: &str| {
        let says = format!("Not computed: {why}.");
        Some(Figure {
            key,
            name: name.to_owned(),
            column: None,
            value: f64::NAN,
            says,
            is_share: false,
            is_estimate: false,
        })
    };
    let found = ReadyCategories::new(own).and_then(|ready| ready.condition_number());
    match found {
        Ok(number) if number.is_finite() => figure(
            key,
            name,
            number,
            false,
            "How many times larger, relative to the counts, errors can become when counts are reconstructed: 1 is the best possible.",
        ),
        Ok(_) => not("the law cannot be inverted, so that no counts can be reconstructed"),
        Err(why) => not(&why.to_string()),
    }
}

/// Two histograms with their distances; `None` when one of them is empty.
fn compared(
    before: &[f64],
    after: &[f64],
    figures: &mut Vec<Figure>,
) -> Result<Option<Histograms>, RunError> {
    if before.iter().all(|own| *own == 0.0) || after.iter().all(|own| *own == 0.0) {
        return Ok(None);
    }
    let both = Histograms::new(before, after)?;
    figures.extend(distances(&both));
    Ok(Some(both))
}

/// The distances of what is reconstructed.
fn reconstructed(before: &[f64], shares: &[f64]) -> Result<Vec<Figure>, RunError> {
    if before.iter().all(|own| *own == 0.0) || shares.iter().all(|own| *own == 0.0) {
        return Ok(Vec::new());
    }
    let both = Histograms::new(before, shares)?;
    let figures = [
        figure(
            "total-variation-reconstructed",
            "Total variation distance, reconstructed",
            both.total_variation(),
            false,
            "The same distance for what is reconstructed from the release by the laws that it tells.",
        ),
        figure(
            "hellinger-reconstructed",
            "Hellinger distance, reconstructed",
            both.hellinger(),
            false,
            "The same distance for what is reconstructed from the release by the laws that it tells.",
        ),
    ];
    Ok(figures.into_iter().flatten().collect())
}

/// Shares of intervals, spread evenly within each, over other ranges.
fn spread(intervals: impl Iterator<Item = (f64, f64, f64)>, bounds: &[f64]) -> Vec<f64> {
    let mut shares = vec![0.0; bounds.len() + 1];
    for (from, to, share) in intervals {
        if !(share > 0.0 && from.is_finite() && to.is_finite()) {
            continue;
        }
        let width = to - from;
        for (range, own) in shares.iter_mut().enumerate() {
            let low =
                range.checked_sub(1).and_then(|at| bounds.get(at)).copied().unwrap_or(f64::NEG_INFINITY);
            let high = bounds.get(range).copied().unwrap_or(f64::INFINITY);
            *own += match width > 0.0 {
                true => share * ((to.min(high) - from.max(low)).max(0.0) / width),
                false if low <= from && from < high => share,
                false => 0.0,
            };
        }
    }
    shares
}

fn shares(both: Option<Histograms>) -> Vec<(f64, f64)> {
    let pairs = |both: Histograms| both.before().iter().copied().zip(both.after().iter().copied()).collect();
    both.map_or(Vec::new(), pairs)
}

/// Figures about all columns of numbers.
fn figures(numbers: &[Numbers], notes: &mut Vec<Note>) -> Result<Vec<Figure>, RunError> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let before: Vec<&[f64]> = numbers.iter().map(|own| own.before.as_slice()).collect();
    let after: Vec<&[f64]> = numbers.iter().map(|own| own.after.as_slice()).collect();
    let mut all = vec![
        (
            "variation-of-means",
            "Change of means",
            relative(numbers, variation_of_means)?,
            true,
            "How far the means of columns are from those that are published, relative to the means; of dates, which have no \
             zero, relative to their standard deviation.",
        ),
        (
            "variation-of-variances",
            "Change of variances",
            variation_of_variances(&before, &after, Deviation::Relative)?.mean,
            true,
            "How far the variances of columns are from those that are published, relative to the variances.",
        ),
    ];
    if numbers.len() > 1 {
        all.extend([
            (
                "variation-of-covariances",
                "Change of covariances",
                variation_of_covariances(&before, &after, Deviation::Relative)?.mean,
                true,
                "How far the covariances of columns are from those that are published, relative to the covariances.",
            ),
            (
                "correlation-error",
                "Change of correlations",
                correlation_error(&before, &after)?,
                false,
                "How far correlations (from -1 to 1) are from those that are published, on average.",
            ),
            (
                "rank-correlation-error",
                "Change of rank correlations",
                rank_correlation_error(&before, &after)?,
                false,
                "The same for correlations of ranks (Spearman).",
            ),
        ]);
    }
    let mut figures = Vec::new();
    for (key, name, value, is_share, says) in all {
        match value.and_then(|value| figure(key, name, value, is_share, says)) {
            Some(own) => figures.push(own),
            None => notes
                .push(Note::of_original(format!("{name} has no finite value for the columns of numbers."))),
        }
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_spread_over_ranges() {
        let shares =
            spread([(0.0, 10.0, 0.5), (10.0, 20.0, 0.25), (7.0, 7.0, 0.25)].into_iter(), &[5.0, 15.0]);
        let expected = [0.25, 0.25 + 0.125 + 0.25, 0.125];
        assert!(shares.iter().zip(expected).all(|(own, told)| (own - told).abs() < 1e-12), "{shares:?}");
        assert_eq!(spread([(f64::NAN, 1.0, 0.5)].into_iter(), &[]), [0.0]);
    }
}
