//! A plain neighbourhood recommender, trained on the release: how well it predicts ratings that real people gave.
//!
//! Item-based (Sarwar and others 2001): items are similar by the cosine of their ratings' differences from the user's mean;
//! a rating is predicted from the most similar items that the person rated. A tenth of the original's ratings is hidden from
//! all training, also in the release where the cell is there, and predicted from the other original ratings of the person.

use privet_data::{Progress, Random};
use serde::{Deserialize, Serialize};

use super::shared_items;
use crate::attack::Released;
use crate::{Ratings, RatingsError};

/// How many similar items a prediction rests on.
const NEIGHBOURS: usize = 20;
/// The most items that are compared all with all: the most rated ones.
const MOST_ITEMS: usize = 1_000;

/// Root mean square errors of predictions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// How many ratings were predicted.
    pub predicted: u64,
    /// Trained on the original.
    pub before: f64,
    /// Trained on the release.
    pub after: f64,
    /// Control: each rating is predicted to be the item's mean in the original, without any person's row.
    pub control: f64,
}

/// Trains on both and predicts.
///
/// # Errors
/// When too little is published to predict anything, or the person asks to stop.
pub fn prediction(on: &Released<'_>, seed: u64, progress: &dyn Progress) -> Result<Prediction, RatingsError> {
    let mut items = shared_items(on);
    items.retain(|&(item, _)| !on.original.is_sensitive(item));
    let support = on.original.support();
    items.sort_by_key(|&(item, _)| std::cmp::Reverse(support[item as usize]));
    items.truncate(MOST_ITEMS);
    let profile =
        Rows::new(on.original, items.iter().map(|pair| pair.0), 0..on.original.users().len() as u32);
    let published = Rows::new(on.release, items.iter().map(|pair| pair.1), on.row_of.iter().copied());
    let mut random = Random::stream(seed, 13);
    let mut hidden: Vec<Vec<u32>> = Vec::new();
    for row in &profile.rows {
        hidden.push(row.iter().filter(|_| random.chance(0.1)).map(|cell| cell.0).collect());
    }
    let before = Model::train(&profile, &hidden, progress)?;
    let after = Model::train(&published, &hidden, progress)?;
    let mut errors = [0.0f64; 3];
    let mut count = 0u64;
    for (row, hidden) in profile.rows.iter().zip(&hidden) {
        progress.check()?;
        let known: Vec<(u32, f32)> = row.iter().filter(|cell| !hidden.contains(&cell.0)).copied().collect();
        for &(item, truth) in row.iter().filter(|cell| hidden.contains(&cell.0)) {
            let guesses =
                [before.predict(&known, item), after.predict(&known, item), before.mean[item as usize]];
            for (error, guess) in errors.iter_mut().zip(guesses) {
                *error += f64::from(guess - truth).powi(2);
            }
            count += 1;
        }
    }
    if count == 0 {
        return Err(RatingsError::Mismatch { what: "no rating of a published item is left to predict" });
    }
    let [before, after, control] = errors.map(|error| (error / count as f64).sqrt());
    Ok(Prediction { predicted: count, before, after, control })
}

/// Per person the ratings of the chosen items.
struct Rows {
    rows: Vec<Vec<(u32, f32)>>,
    items: usize,
    middle: f32,
}

impl Rows {
    fn new(ratings: &Ratings, items: impl Iterator<Item = u32>, rows: impl Iterator<Item = u32>) -> Self {
        let mut place = vec![u32::MAX; ratings.items().len()];
        let count = items.zip(0..).map(|(item, at)| place[item as usize] = at).count();
        let scale = ratings.scale();
        let of_row = |row: u32| {
            let own = ratings.row(row);
            let cells = own.of.iter().zip(own.ticks);
            cells
                .filter(|(item, _)| place[**item as usize] != u32::MAX)
                .map(|(&item, &tick)| (place[item as usize], scale.value(tick) as f32))
                .collect()
        };
        Self {
            rows: rows.map(of_row).collect(),
            items: count,
            middle: ((scale.low() + scale.high()) / 2.0) as f32,
        }
    }
}

/// Means and similarities of items.
struct Model {
    mean: Vec<f32>,
    items: usize,
    similarity: Vec<f32>,
}

impl Model {
    fn train(rows: &Rows, hidden: &[Vec<u32>], progress: &dyn Progress) -> Result<Self, RatingsError> {
        let items = rows.items;
        let (mut sum, mut count) = (vec![0.0f64; items], vec![0u32; items]);
        let mut product = vec![0.0f32; items * items];
        for (row, hidden) in rows.rows.iter().zip(hidden) {
            progress.check()?;
            let seen: Vec<(u32, f32)> =
                row.iter().filter(|cell| !hidden.contains(&cell.0)).copied().collect();
            let mean = seen.iter().map(|cell| cell.1).sum::<f32>() / seen.len().max(1) as f32;
            for &(a, rating) in &seen {
                sum[a as usize] += f64::from(rating);
                count[a as usize] += 1;
                for &(b, other) in &seen {
                    product[a as usize * items + b as usize] += (rating - mean) * (other - mean);
                }
            }
        }
        let mean = sum.iter().zip(&count).map(|(&sum, &count)| match count {
            0 => rows.middle,
            count => (sum / f64::from(count)) as f32,
        });
        let length: Vec<f32> = (0..items).map(|item| product[item * items + item].sqrt()).collect();
        let similarity = product.iter().enumerate().map(|(at, &product)| {
            let lengths = length[at / items] * length[at % items];
            if lengths > 0.0 { product / lengths } else { 0.0 }
        });
        Ok(Self { mean: mean.collect(), items, similarity: similarity.collect() })
    }

    fn predict(&self, known: &[(u32, f32)], item: u32) -> f32 {
        let similarity = |other: u32| self.similarity[item as usize * self.items + other as usize];
        let mut near: Vec<(f32, f32)> = known
            .iter()
            .filter(|cell| similarity(cell.0) > 0.0)
            .map(|&(other, rating)| (similarity(other), rating - self.mean[other as usize]))
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.truncate(NEIGHBOURS);
        let weight: f32 = near.iter().map(|pair| pair.0).sum();
        let shift: f32 = near.iter().map(|pair| pair.0 * pair.1).sum();
        self.mean[item as usize] + if weight > 0.0 { shift / weight } else { 0.0 }
    }
}
