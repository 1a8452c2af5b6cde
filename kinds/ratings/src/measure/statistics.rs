//! Centroid and spread (thesis, section 3; E6): the mean of each item over those who rated it, and the standard deviation.
//!
//! The thesis compares an "inner product of the centroid"; it is read as that of the centroid with itself, before and after.

use serde::{Deserialize, Serialize};

use super::shared_items;
use crate::attack::Released;
use crate::{Ratings, Row};

/// Centroids and spreads of the published items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// How many items are published.
    pub items: u32,
    /// How many of them nobody has a rating of any more; they count in nothing else.
    pub lost: u32,
    /// The inner product of the original's centroid with itself.
    pub centroid_before: f64,
    /// That of the release.
    pub centroid_after: f64,
    /// The mean absolute change of an item's mean.
    pub mean_shift: f64,
    /// The mean of the items' standard deviations in the original.
    pub sd_before: f64,
    /// That of the release.
    pub sd_after: f64,
    /// Ratings of the published items in the original.
    pub ratings_before: u64,
    /// Ratings in the release.
    pub ratings_after: u64,
}

/// Compares centroids and spreads.
pub fn statistics(on: &Released<'_>) -> Statistics {
    let (original, release) = (on.original.by_item(), on.release.by_item());
    let pairs = shared_items(on);
    let mut all = Statistics {
        items: pairs.len() as u32,
        lost: 0,
        centroid_before: 0.0,
        centroid_after: 0.0,
        mean_shift: 0.0,
        sd_before: 0.0,
        sd_after: 0.0,
        ratings_before: 0,
        ratings_after: 0,
    };
    for (old, new) in pairs {
        let (before, after) = (original.row(old), release.row(new));
        all.ratings_before += before.of.len() as u64;
        all.ratings_after += after.of.len() as u64;
        let (Some(before), Some(after)) = (moments(on.original, before), moments(on.release, after)) else {
            all.lost += 1;
            continue;
        };
        all.centroid_before += before.0 * before.0;
        all.centroid_after += after.0 * after.0;
        all.mean_shift += (before.0 - after.0).abs();
        all.sd_before += before.1;
        all.sd_after += after.1;
    }
    let kept = f64::from((all.items - all.lost).max(1));
    all.mean_shift /= kept;
    all.sd_before /= kept;
    all.sd_after /= kept;
    all
}

/// The mean and the standard deviation.
fn moments(ratings: &Ratings, row: Row<'_>) -> Option<(f64, f64)> {
    let count = row.ticks.len() as f64;
    let values = || row.ticks.iter().map(|&tick| ratings.scale().value(tick));
    let mean = values().sum::<f64>() / count;
    let square = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (count > 0.0).then(|| (mean, square.sqrt()))
}
