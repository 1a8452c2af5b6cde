//! What a release of ratings is still good for, beside the original.

mod clusters;
mod queries;
mod recommender;
mod statistics;

pub use clusters::{Membership, membership_change};
pub use queries::{QueryErrors, average_ratings};
pub use recommender::{Prediction, prediction};
pub use statistics::{Statistics, statistics};

use crate::Ratings;
use crate::attack::Released;

/// The published items: their numbers in the original and in the release, in the order of the release.
fn shared_items(on: &Released<'_>) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> =
        on.items().into_iter().zip(0..).filter_map(|(published, item)| Some((item, published?))).collect();
    pairs.sort_unstable_by_key(|pair| pair.1);
    pairs
}

/// Rows of ratings of some items, nulls filled with the item's mean.
fn filled(ratings: &Ratings, items: &[u32], rows: impl Iterator<Item = u32>) -> Vec<f32> {
    let mut place = vec![u32::MAX; ratings.items().len()];
    items.iter().zip(0..).for_each(|(&item, at)| place[item as usize] = at);
    let (mut sum, mut count) = (vec![0.0f64; items.len()], vec![0u32; items.len()]);
    let mut cells = Vec::new();
    for row in rows {
        let start = cells.len();
        cells.resize(start + items.len(), f32::NAN);
        let own = ratings.row(row);
        for (&item, &tick) in own.of.iter().zip(own.ticks) {
            let at = place[item as usize];
            if at != u32::MAX {
                let value = ratings.scale().value(tick);
                cells[start + at as usize] = value as f32;
                sum[at as usize] += value;
                count[at as usize] += 1;
            }
        }
    }
    let mean: Vec<f32> =
        sum.iter().zip(&count).map(|(sum, &count)| (sum / f64::from(count.max(1))) as f32).collect();
    for (at, cell) in cells.iter_mut().enumerate() {
        if cell.is_nan() {
            *cell = mean[at % items.len()];
        }
    }
    cells
}
