//! Every published column before and after.

use privet_data::{Column, Domain, Kind};
use privet_measure::utility::{Classes, Histograms, Spread};
use privet_report::{ColumnUtility, Figure};

use super::super::original::{Original, translate};
use super::numbers::{Moments, is_numeric, numbers_of, unit};
use super::{Beside, figure, spread_out};
use crate::assess::people::shows_points;
use crate::error::RunError;

/// Every published column before and after.
pub fn all_columns(
    beside: &Beside<'_>,
    spread: &Spread<'_>,
    reach: Option<&Spread<'_>>,
) -> Result<Vec<ColumnUtility>, RunError> {
    let (original, release) = (beside.original, beside.release);
    let mut columns = Vec::new();
    let losses = reach.map(Spread::losses).unwrap_or_default();
    let replaced = reach.map(Spread::root_replacements).unwrap_or_default();
    let rows = original.table.rows.max(1) as f64;
    let groups = spread_out(beside, &release.group_of);
    let classes = Classes::new(&groups, beside.mask())?;
    for (quasi, &at) in release.quasi.iter().enumerate() {
        let domain = &original.table.columns[original.quasi[quasi].position].domain;
        let Some(own) = spread.marginal(quasi) else { continue };
        let mut figures: Vec<Figure> = figure(
            "loss-observed",
            "Loss of detail over observed values",
            losses.get(quasi).copied().unwrap_or(f64::NAN),
            false,
            "How much of the column's detail is given up: 0 nothing, 1 everything.",
        )
        .into_iter()
        .collect();
        figures.extend(figure(
            "replaced",
            "Cells that could be any value",
            replaced.get(quasi).map_or(f64::NAN, |&cells| cells as f64 / rows),
            true,
            "The share of all records that are published with a label here that excludes nothing.",
        ));
        figures.extend(distances_as(&own, OF_VALUES));
        if let Some(numbers) = beside.numbers(quasi) {
            let of = |numbers: &[f64]| Moments::of(numbers.iter().map(|&number| (number, 1)));
            // Those of the bars: a label stands for its values evenly, not for the middle of them. A mean is what it is.
            let after = match shows_points(release, at) {
                true => of(&numbers.after),
                false => {
                    let values: Vec<f64> =
                        numbers_of(domain).iter().map(|number| number / numbers.unit).collect();
                    Moments::of_shares(&values, own.after())
                }
            };
            figures.extend(moments(of(&numbers.before), after, numbers.unit, numbers.is_date));
        }
        columns.push(column(&release.table.columns[at].name, "quasi", &own, domain, figures));
    }
    for (own, &position) in release.sensitive.iter().zip(&original.sensitive) {
        let theirs = &original.table.columns[position];
        let mut after = vec![0.0; theirs.domain.len()];
        let code_of = translate(&own.domain, &theirs.domain);
        for (code, count) in code_of.iter().zip(own.histograms.total(own.domain.len())) {
            if let Some(code) = code {
                after[*code as usize] += count as f64;
            }
        }
        let mut column = plain(original, (&own.name, "sensitive"), &theirs.domain, &theirs.codes, after)?;
        if let (Some(column), Kind::Integer | Kind::Decimal) = (&mut column, theirs.domain.kind())
            && !original.is_code(&theirs.name)
        {
            column.figures.extend(widths(beside, &classes, theirs)?);
        }
        columns.extend(column);
    }
    for (at, own) in release.table.columns.iter().enumerate() {
        let is_other = release.quasi.contains(&at) || release.sensitive(&own.name).is_some();
        let Some(position) = original.table.position(&own.name).filter(|_| !is_other) else { continue };
        let theirs = &original.table.columns[position];
        let mut after = vec![0.0; theirs.domain.len()];
        for &record in &original.record_of {
            after[theirs.codes[record as usize] as usize] += 1.0;
        }
        columns.extend(plain(original, (&own.name, "insensitive"), &theirs.domain, &theirs.codes, after)?);
    }
    Ok(columns)
}

/// A column, by its name and role, whose values are published as they are: counts before and after.
fn plain(
    original: &Original,
    (name, role): (&str, &str),
    domain: &Domain,
    codes: &[u32],
    after: Vec<f64>,
) -> Result<Option<ColumnUtility>, RunError> {
    let mut before = vec![0.0; domain.len()];
    for &code in codes {
        before[code as usize] += 1.0;
    }
    if before.is_empty() || after.iter().all(|own| *own == 0.0) {
        return Ok(None);
    }
    let own = Histograms::new(&before, &after)?;
    let mut figures = distances_as(&own, OF_VALUES);
    if is_numeric(domain.kind()) && !original.is_code(name) {
        let number = numbers_of(domain);
        let of = |counts: &[f64]| {
            Moments::of(number.iter().copied().zip(counts.iter().map(|&count| count as u64)))
        };
        figures.extend(moments(of(&before), of(&after), 1.0, domain.kind() == Kind::Date));
    }
    Ok(Some(column(name, role, &own, domain, figures)))
}

/// How wide groups are in a sensitive column of numbers (UM-19): what somebody whose group is known still does not tell.
fn widths(beside: &Beside<'_>, classes: &Classes, column: &Column) -> Result<Vec<Figure>, RunError> {
    let mut number = numbers_of(&column.domain);
    let unit = unit(number.iter().copied());
    number.iter_mut().for_each(|number| *number /= unit);
    let shown = column.codes.iter().zip(&beside.suppressed);
    let numbers: Vec<f64> =
        shown.map(|(&code, &gone)| if gone { f64::NAN } else { number[code as usize] }).collect();
    let loss = classes.range_loss(&numbers)?;
    let all = number.iter().copied().filter(|own| own.is_finite());
    let (low, high) =
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| (low.min(own), high.max(own)));
    if high <= low || classes.count() == 0 {
        return Ok(Vec::new());
    }
    // Shares of the range of the column, so that no value can be worked out from them.
    let figures = [
        figure(
            "range-loss",
            "Width of groups, on average",
            loss.sum / (high - low) / classes.count() as f64,
            true,
            "The largest minus the smallest number of a group, of the range of the column, on average over groups.",
        ),
        figure(
            "range-loss-largest",
            "Width of the widest group",
            loss.largest / (high - low),
            true,
            "The same for the group in which the numbers lie furthest apart.",
        ),
    ];
    Ok(figures.into_iter().flatten().collect())
}

/// What a total variation distance over single values says.
const OF_VALUES: &str =
    "The largest error in the share of any set of values, when it is estimated from the release.";
/// The same where numbers are compared by the ranges of `perturbed.rs`.
const OF_RANGES: &str = "The largest error in the share of any set of values, when it is counted in the release as published. Numbers and \
                         dates are compared by 20 ranges, not one by one: within a range nothing is told.";

/// The distances of perturbed, swapped and synthetic columns.
pub fn distances(own: &Histograms) -> Vec<Figure> {
    distances_as(own, OF_RANGES)
}

fn distances_as(own: &Histograms, says: &str) -> Vec<Figure> {
    let figures = [
        figure("total-variation", "Total variation distance", own.total_variation(), false, says),
        figure(
            "hellinger",
            "Hellinger distance",
            own.hellinger(),
            false,
            "Another distance between before and after, from 0 to 1.",
        ),
        figure(
            "kl",
            "Kullback-Leibler divergence",
            own.kullback_leibler(),
            false,
            "How surprised somebody would be by the original who believes the release, in nats.",
        ),
    ];
    figures.into_iter().flatten().collect()
}

/// Mean and standard deviation before and after (UM-28: the first and second moments of each column of numbers), of numbers
/// that were divided by `unit`. Of dates only the deviation says something without naming a day.
pub fn moments(first: Moments, second: Moments, unit: f64, is_date: bool) -> Vec<Figure> {
    let mut figures = Vec::new();
    if !is_date {
        figures.push(figure(
            "mean-before",
            "Mean before",
            first.mean * unit,
            false,
            "The mean in the original.",
        ));
        figures.push(figure(
            "mean-after",
            "Mean after",
            second.mean * unit,
            false,
            "The mean as a reader of the release would work it out.",
        ));
    }
    figures.push(figure(
        "deviation-before",
        "Standard deviation before",
        first.deviation * unit,
        false,
        "How far numbers are from their mean, typically, in the original; of dates in days.",
    ));
    figures.push(figure(
        "deviation-after",
        "Standard deviation after",
        second.deviation * unit,
        false,
        "The same as a reader of the release would work it out.",
    ));
    figures.into_iter().flatten().collect()
}

/// A column with its distributions.
fn column(name: &str, role: &str, own: &Histograms, domain: &Domain, figures: Vec<Figure>) -> ColumnUtility {
    let is_ordered = matches!(domain.kind(), Kind::Integer | Kind::Decimal | Kind::Date);
    let shares = own.before().iter().copied().zip(own.after().iter().copied()).collect();
    ColumnUtility::of_values(name, role, shares, is_ordered).with(figures)
}
