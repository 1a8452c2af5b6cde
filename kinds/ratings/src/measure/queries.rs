//! Average-rating queries (thesis, section 3; E6): the average rating of one item among those who rated another item from a
//! to b, asked of the original and of the release. The thesis says "100 random average-rating queries" and no more.

use privet_data::Random;
use serde::{Deserialize, Serialize};

use super::shared_items;
use crate::attack::Released;
use crate::{Ratings, RatingsError};

/// The fewest people of the original that an average is taken of.
const LEAST: usize = 10;

/// Relative errors of queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QueryErrors {
    /// How many queries were asked.
    pub asked: u32,
    /// How many of them the release has no rating for; each counts as an error of 1.
    pub unanswered: u32,
    /// The mean of the relative errors.
    pub mean: f64,
    /// The median of the relative errors.
    pub median: f64,
    /// The largest relative error.
    pub largest: f64,
}

/// Asks random queries about published items.
///
/// # Errors
/// When fewer than two items are published, or no query concerns enough people.
pub fn average_ratings(on: &Released<'_>, count: u32, seed: u64) -> Result<QueryErrors, RatingsError> {
    let items = shared_items(on);
    if items.len() < 2 {
        return Err(RatingsError::Mismatch {
            what: "average-rating queries need at least two published items",
        });
    }
    let (original, release) = (on.original.by_item(), on.release.by_item());
    let levels = on.original.scale().levels();
    let mut random = Random::stream(seed, 11);
    let (mut errors, mut unanswered) = (Vec::new(), 0);
    for _ in 0..count.saturating_mul(50) {
        if errors.len() == count as usize {
            break;
        }
        let condition = items[random.below(items.len())];
        let asked = items[random.below(items.len())];
        let ends = [0, 1].map(|_| random.below(usize::from(levels)) as u8);
        let range = ends[0].min(ends[1])..=ends[0].max(ends[1]);
        let average = |ratings: &Ratings, row: crate::Row<'_>, item: u32| {
            let mut seen = (0.0, 0usize);
            for (&user, _) in row.of.iter().zip(row.ticks).filter(|(_, tick)| range.contains(*tick)) {
                if let Some(tick) = ratings.rating(user, item) {
                    seen = (seen.0 + ratings.scale().value(tick), seen.1 + 1);
                }
            }
            seen
        };
        let truth = average(on.original, original.row(condition.0), asked.0);
        let actual = truth.0 / truth.1.max(1) as f64;
        if condition == asked || truth.1 < LEAST || actual.abs() < 1e-9 {
            continue;
        }
        let answer = average(on.release, release.row(condition.1), asked.1);
        errors.push(if answer.1 == 0 {
            unanswered += 1;
            1.0
        } else {
            ((actual - answer.0 / answer.1 as f64) / actual).abs()
        });
    }
    if errors.is_empty() {
        return Err(RatingsError::Mismatch {
            what: "no average-rating query concerns ten people; publish denser items",
        });
    }
    errors.sort_by(f64::total_cmp);
    Ok(QueryErrors {
        asked: errors.len() as u32,
        unanswered,
        mean: errors.iter().sum::<f64>() / errors.len() as f64,
        median: errors[errors.len() / 2],
        largest: errors[errors.len() - 1],
    })
}
