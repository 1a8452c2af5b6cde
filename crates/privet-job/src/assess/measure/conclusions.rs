//! Whether a reader of the release would come to the same conclusions: means with their confidence intervals (survey UM-26,
//! UM-27, UM-28) and random count queries (UM-18, UM-30, UM-31, the thesis' relative error).
//!
//! UM-30 and UM-31 are promises about mechanisms that draw at random, over what they draw. Of a table that was recoded they
//! are taken over random queries: a share close to one says that such queries can be trusted, and proves nothing of others.

use privet_measure::utility::{
    Estimate, QueryAnswer, RandomQueries, Spread, UtilityError, reconstructible, useful,
};
use privet_report::{Figure, QueryUtility};

use super::learners::conclusions;
use super::numbers::Moments;
use super::{Beside, Wanted, figure};
use crate::error::RunError;

/// Queries about fewer records than this are about single people, and are not what a release is for.
const FEWEST: u64 = 100;
/// What a relative error must stay below.
const RELATIVE: f64 = 0.1;
/// How many times the root of the number of records an error may be.
const ROOTS: f64 = 1.0;

/// The mean of the numbers there are, with its standard error.
pub(super) fn mean(numbers: &[f64]) -> Option<Estimate> {
    let own = Moments::of(numbers.iter().map(|&number| (number, 1)));
    if own.count < 2 {
        return None;
    }
    Some(Estimate { value: own.mean, standard_error: own.deviation / ((own.count - 1) as f64).sqrt() })
}

/// Whether the means of all columns of numbers say the same. A label is read as the mean of its values; the release's own
/// interval is what a reader would work out from numbers read in this way.
pub(super) fn means(beside: &Beside<'_>) -> Result<Vec<Figure>, UtilityError> {
    let columns = beside.all_numbers().into_iter().chain(beside.other_numbers());
    let pairs: Vec<(Estimate, Estimate)> =
        columns.filter_map(|own| mean(&own.before).zip(mean(&own.after))).collect();
    conclusions(["means-validity", "means-overlap"], "means", &pairs)
}

/// Random count queries over quasi columns.
pub(super) fn queries(
    spread: &Spread<'_>,
    wanted: &Wanted<'_>,
    figures: &mut Vec<Figure>,
) -> Result<Option<QueryUtility>, RunError> {
    let sizes = spread.domain_sizes();
    if wanted.queries == 0 || sizes.is_empty() || spread.rows() == 0 {
        return Ok(None);
    }
    let dimensions = sizes.len().min(2);
    let random = RandomQueries { count: wanted.queries, dimensions, selectivity: 0.1, seed: wanted.seed };
    let (mut errors, mut answers, mut surplus) = (Vec::new(), Vec::new(), 0i64);
    for query in random.draw(&sizes)? {
        let answer = spread.answer(&query)?;
        errors.extend(answer.relative_error());
        surplus += answer.imprecision();
        let truth = answer.truth as f64;
        answers.push(QueryAnswer { truth, released: answer.estimate, records: answer.truth });
    }
    let shares = [
        figure(
            "imprecision",
            "Imprecision of queries",
            surplus as f64 / answers.len().max(1) as f64 / spread.rows() as f64,
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
    Ok(Some(QueryUtility {
        queries: errors.len() as u64,
        mean_relative_error: errors.iter().sum::<f64>() / errors.len() as f64,
        median_relative_error: errors[errors.len() / 2], // why: it is not empty
        about: format!(
            "counts over ranges of {dimensions} identifying columns that hold about a tenth of all combinations of values"
        ),
    }))
}
