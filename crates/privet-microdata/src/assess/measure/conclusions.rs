//! Whether a reader of the release would come to the same conclusions: means with their confidence intervals (survey UM-26,
//! UM-27, UM-28) and random count queries (UM-18, UM-30, UM-31, the thesis' relative error).
//!
//! UM-30 and UM-31 are promises about mechanisms that draw at random, over what they draw. Of a table that was recoded they
//! are taken over random queries: a share close to one says that such queries can be trusted, and proves nothing of others.

use privet_measure::utility::{
    Answer, Estimate, Query, QueryAnswer, RandomQueries, Spread, UtilityError, reconstructible, useful,
};
use privet_release::published::SensitiveColumn;
use privet_report::{Figure, QueryUtility};
use rayon::prelude::*;

use super::super::original::translate;
use super::learners::conclusions;
use super::numbers::Moments;
use super::{Beside, Wanted, figure};
use crate::error::RunError;

/// Queries about fewer records than this are about single people, and are not what a release is for.
const FEWEST: u64 = 100;
/// The share of all combinations of values that a query asks for, about.
const SELECTIVITY: f64 = 0.1;
/// What a relative error must stay below.
const RELATIVE: f64 = 0.1;
/// How many times the root of the number of records an error may be.
const ROOTS: f64 = 1.0;

/// The mean of the numbers there are, with its standard error.
pub fn mean(numbers: &[f64]) -> Option<Estimate> {
    let own = Moments::of(numbers.iter().map(|&number| (number, 1)));
    if own.count < 2 {
        return None;
    }
    Some(Estimate { value: own.mean, standard_error: own.deviation / ((own.count - 1) as f64).sqrt() })
}

/// Whether the means of all columns of numbers say the same. A label is read as the mean of its values; the release's own
/// interval is what a reader would work out from numbers read in this way.
pub fn means(beside: &Beside<'_>) -> Result<Vec<Figure>, UtilityError> {
    let columns = beside.all_numbers().into_iter().chain(beside.other_numbers());
    let pairs: Vec<(Estimate, Option<Estimate>)> =
        columns.filter_map(|own| Some((mean(&own.before)?, mean(&own.after)))).collect();
    conclusions(["means-validity", "means-overlap"], "means", &pairs)
}

/// Random count queries over quasi columns; of buckets, which show these as they are, also over the sensitive column. `reach`
/// is the release by how far the values behind what it shows reach, where that could be listed: who may belong to a query is
/// told by it (UM-18), since behind a mean on one side of an edge there are people on the other side.
pub fn queries(
    beside: &Beside<'_>,
    spread: &Spread<'_>,
    reach: Option<&Spread<'_>>,
    wanted: &Wanted<'_>,
    figures: &mut Vec<Figure>,
) -> Result<Option<QueryUtility>, RunError> {
    let sizes = spread.domain_sizes();
    if wanted.queries == 0 || sizes.is_empty() || spread.rows() == 0 {
        return Ok(None);
    }
    let dimensions = sizes.len().min(2);
    let random =
        RandomQueries { count: wanted.queries, dimensions, selectivity: SELECTIVITY, seed: wanted.seed };
    let mut is_reached = true;
    let (found, also) = match beside.release.sensitive.iter().find(|own| own.codes.is_none()) {
        Some(column) => (of_buckets(beside, column, random, &sizes)?, format!(" and of {}", column.name)),
        None => {
            let all = random.draw(&sizes)?;
            let answer = |query: &Query| -> Result<Answer, UtilityError> {
                let own = spread.answer(query)?;
                Ok(match reach {
                    Some(reach) => Answer { possible: reach.answer(query)?.possible, ..own },
                    None => own,
                })
            };
            let all: Result<Vec<Answer>, _> = all.par_iter().map(answer).collect();
            is_reached = reach.is_some();
            (all?, String::new())
        }
    };
    let (mut errors, mut answers, mut surplus) = (Vec::new(), Vec::new(), 0i64);
    for answer in found {
        errors.extend(answer.relative_error());
        surplus += answer.imprecision();
        let truth = answer.truth as f64;
        answers.push(QueryAnswer { truth, released: answer.estimate, records: answer.truth });
    }
    let shares = [
        figure(
            "imprecision",
            "Imprecision of queries",
            match is_reached {
                true => surplus as f64 / answers.len().max(1) as f64 / spread.rows() as f64,
                false => f64::NAN,
            },
            true,
            "How many records more than there are may belong to what a random query asks for, of all records, on average.",
        ),
        reconstructible(&answers, FEWEST, RELATIVE)?.share().and_then(|share| {
            figure(
                "reconstructible",
                "Queries answered within 10 %",
                share,
                true,
                "The share of the random queries about at least 100 records whose answer is off by less than a tenth.",
            )
        }),
        useful(&answers, spread.rows(), ROOTS)?.share().and_then(|share| {
            figure(
                "useful",
                "Queries answered within √n",
                share,
                true,
                "The share of the random queries that are off by no more than the root of the number of records.",
            )
        }),
    ];
    figures.extend(shares.into_iter().flatten());
    if errors.is_empty() {
        return Ok(None);
    }
    errors.sort_by(f64::total_cmp);
    let plural = if dimensions == 1 { "" } else { "s" };
    Ok(Some(QueryUtility {
        queries: errors.len() as u64,
        mean_relative_error: errors.iter().sum::<f64>() / errors.len() as f64,
        median_relative_error: errors[errors.len() / 2], // why: it is not empty
        about: format!(
            "counts over ranges of {dimensions} identifying column{plural}{also} that hold about a tenth of all combinations of values"
        ),
    }))
}

/// Random queries that also ask for values of a sensitive column, answered from buckets as a reader would: whoever stands in a
/// bucket has any of its values equally likely.
fn of_buckets(
    beside: &Beside<'_>,
    column: &SensitiveColumn,
    random: RandomQueries,
    sizes: &[u32],
) -> Result<Vec<Answer>, RunError> {
    let share = |columns: usize| SELECTIVITY.powf(columns as f64 / (random.dimensions + 1) as f64);
    let regions = RandomQueries { selectivity: share(random.dimensions), ..random }.draw(sizes)?;
    let values =
        RandomQueries { dimensions: 1, selectivity: share(1), seed: random.seed.wrapping_add(1), ..random };
    let values = values.draw(&[column.domain.len() as u32])?;
    // Per record of the original its sensitive value, in the codes of the release; it may be published nowhere.
    let own = beside.original.table.column(&column.name);
    let truth: Vec<Option<u32>> = own.map_or(Vec::new(), |own| {
        let code_of = translate(&own.domain, &column.domain);
        own.codes.iter().map(|&code| code_of.get(code as usize).copied().flatten()).collect()
    });
    let release = beside.release;
    let answer = |(region, values): (&Query, &Query)| {
        let of = |set: &Option<Vec<u32>>, size: usize| {
            let mut asked = vec![set.is_none(); size];
            set.iter().flatten().for_each(|&code| asked[code as usize] = true);
            asked
        };
        let columns: Vec<(&[u32], Vec<bool>)> = (region.sets().iter().enumerate())
            .filter(|(_, set)| set.is_some())
            .map(|(quasi, set)| (beside.quasi_codes(quasi), of(set, sizes[quasi] as usize)))
            .collect();
        let asked = of(&values.sets()[0], column.domain.len());
        let is_within = |record: usize| columns.iter().all(|(codes, asked)| asked[codes[record] as usize]);
        let has =
            |record: usize| truth.get(record).copied().flatten().is_some_and(|value| asked[value as usize]);
        let everybody = 0..beside.suppressed.len();
        let truth = everybody.filter(|&record| is_within(record) && has(record)).count() as u64;
        let mut within = vec![0u64; release.groups.len()];
        for (&record, &group) in beside.original.record_of.iter().zip(&release.group_of) {
            within[group as usize] += u64::from(is_within(record as usize));
        }
        // Records that are left out may be anybody with any value.
        let left_out = beside.suppressed.iter().filter(|own| **own).count() as u64;
        let shares = columns.iter().map(|own| &own.1).chain([&asked]);
        let share = |own: &Vec<bool>| own.iter().filter(|own| **own).count() as f64 / own.len().max(1) as f64;
        let (mut possible, mut estimate) = (left_out, left_out as f64 * shares.map(share).product::<f64>());
        for (group, &within) in (0u32..).zip(&within).filter(|own| *own.1 > 0) {
            let cells = column.histograms.of(group).iter().filter(|cell| asked[cell.0 as usize]);
            let having: u64 = cells.map(|cell| cell.1).sum();
            possible += within.min(having);
            estimate += within as f64 * having as f64 / release.groups[group as usize].max(1) as f64;
        }
        Answer { truth, possible, estimate }
    };
    Ok(regions.par_iter().zip(&values).map(answer).collect())
}
