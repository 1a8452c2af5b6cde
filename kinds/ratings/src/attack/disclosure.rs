//! Attribute disclosure: a sensitive rating is guessed from the rows that fit what is known.
//!
//! Every row counts with `exp(score / standard deviation of the scores)`, the scoreboard's lottery (Narayanan and Shmatikov
//! 2008, section 4.1), and the rating that most of the weight gave is guessed. The control guesses in the same way without
//! the row of the target: what it gets right follows from other people's ratings and is no disclosure. The plain guess is
//! the most frequent rating of the item.

use privet_data::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::scoreboard::{Scores, enough};
use super::{Index, Knowledge, Released};
use crate::RatingsError;

/// How guesses of sensitive ratings did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Disclosure {
    /// Sensitive ratings of the people attacked.
    pub ratings: u64,
    /// Guessed rightly.
    pub right: u64,
    /// Control: guessed rightly without the row of the target.
    pub control_right: u64,
    /// Guessed rightly by the item's most frequent rating.
    pub plain_right: u64,
}

impl Disclosure {
    /// By how much the share of right guesses exceeds that of the control.
    pub fn advantage(&self) -> f64 {
        (self.right as f64 - self.control_right as f64) / self.ratings.max(1) as f64
    }
}

/// Attacks people drawn at random. Those without a sensitive rating add nothing.
///
/// # Errors
/// When nobody has as many ratings as are known, or the person asks to stop.
pub fn disclosure(
    on: &Released<'_>,
    knowledge: &Knowledge,
    count: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Disclosure, RatingsError> {
    let index = Index::new(on.release);
    let drawn = enough(on, knowledge, count, seed)?;
    let items = on.items();
    let modes = modes(on);
    let run = |scores: &mut Scores, target: &super::Target| -> Result<Disclosure, RatingsError> {
        progress.check()?;
        let mut found = Disclosure::default();
        let row = on.original.row(target.user);
        let secret = row.of.iter().zip(row.ticks).filter(|(item, _)| on.original.is_sensitive(**item));
        let secret: Vec<(u32, u8)> = secret.map(|(&item, &tick)| (item, tick)).collect();
        if secret.is_empty() {
            return Ok(found);
        }
        index.score(&target.known, scores);
        let deviation = deviation(scores, on.release.users().len());
        for (item, truth) in secret {
            let guess = |without: Option<u32>| {
                items[item as usize].and_then(|item| guess(on, scores, item, deviation, without))
            };
            let mode = modes[item as usize];
            found.ratings += 1;
            found.right += u64::from(guess(None).or(mode) == Some(truth));
            found.control_right += u64::from(guess(Some(target.row)).or(mode) == Some(truth));
            found.plain_right += u64::from(mode == Some(truth));
        }
        Ok(found)
    };
    let each: Vec<Disclosure> = drawn.par_iter().map_init(Scores::default, run).collect::<Result<_, _>>()?;
    Ok(each.into_iter().fold(Disclosure::default(), |a, b| Disclosure {
        ratings: a.ratings + b.ratings,
        right: a.right + b.right,
        control_right: a.control_right + b.control_right,
        plain_right: a.plain_right + b.plain_right,
    }))
}

fn deviation(scores: &Scores, rows: usize) -> f64 {
    let (sum, squares) = scores.touched.iter().fold((0.0, 0.0), |(sum, squares), &row| {
        let score = scores.of(row);
        (sum + score, squares + score * score)
    });
    let mean = sum / rows.max(1) as f64;
    (squares / rows.max(1) as f64 - mean * mean).max(0.0).sqrt()
}

/// The rating of an item that most of the weight gave; none where no row rated it.
fn guess(on: &Released<'_>, scores: &Scores, item: u32, deviation: f64, without: Option<u32>) -> Option<u8> {
    let mut weight = [0.0f64; 256];
    for &row in scores.touched.iter().filter(|&&row| Some(row) != without) {
        if let Some(tick) = on.release.rating(row, item) {
            weight[usize::from(tick)] += (scores.of(row) / deviation.max(f64::MIN_POSITIVE)).min(500.0).exp();
        }
    }
    let best = (0..=255u8).max_by(|&a, &b| weight[usize::from(a)].total_cmp(&weight[usize::from(b)]))?;
    (weight[usize::from(best)] > 0.0).then_some(best)
}

/// Per item of the original its most frequent rating, which is taken to be known to everybody.
fn modes(on: &Released<'_>) -> Vec<Option<u8>> {
    let by_item = on.original.by_item();
    let mode = |item: u32| {
        let mut count = [0u32; 256];
        by_item.row(item).ticks.iter().for_each(|&tick| count[usize::from(tick)] += 1);
        let best = (0..=255u8).max_by_key(|&tick| count[usize::from(tick)])?;
        (count[usize::from(best)] > 0).then_some(best)
    };
    (0..by_item.items() as u32).map(mode).collect()
}
