//! The scoreboard of Narayanan and Shmatikov (2008): rows are scored by how well they fit what is known, rare items count
//! more, and the best row is named only if it stands out.
//!
//! Score of a row: the sum over known items of `1 / ln(support) * (exp(-|rating - rating'| / 1.5) + exp(-|day - day'| / 30))`.
//! The best row is named when `(best - second) / standard deviation of all scores` is at least 1.5, their eccentricity; else
//! the adversary abstains. Where a release has no days, the second term is left out.
//!
//! Growth: each target costs the supports of its known items, by an index of the release.

use privet_data::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Knowledge, Known, Released, Target, targets};
use crate::{ByItem, Ratings, RatingsError};

/// The eccentricity from which on a row is named.
const ECCENTRIC: f64 = 1.5;
/// The scale of differences of ratings.
const RATINGS: f64 = 1.5;
/// The scale of differences of days.
const DAYS: f64 = 30.0;

/// A release, ready to be searched.
#[derive(Debug)]
pub struct Index<'a> {
    release: &'a Ratings,
    by_item: ByItem,
    /// Per item what it weighs.
    weight: Vec<f32>,
    /// Per difference of ticks what it is worth.
    worth: Vec<f32>,
}

/// The best row for what is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The best row; the first of equals.
    pub best: u32,
    /// How many rows share the best score.
    pub equals: u32,
    /// How far the best score stands out.
    pub eccentricity: f64,
}

impl Match {
    /// Whether the adversary names the row.
    pub fn is_named(&self) -> bool {
        self.equals == 1 && self.eccentricity >= ECCENTRIC
    }
}

/// The scores of one target: rows that any known item touches.
#[derive(Debug, Default)]
pub(crate) struct Scores {
    score: Vec<f32>,
    pub(crate) touched: Vec<u32>,
}

impl<'a> Index<'a> {
    /// Indexes a release.
    pub fn new(release: &'a Ratings) -> Self {
        let weight = release
            .support()
            .into_iter()
            .map(|support| 1.0 / f64::from(support.max(2)).ln())
            .map(|own| own as f32);
        let scale = release.scale();
        let worth =
            (0..scale.levels()).map(|ticks| (-f64::from(ticks) * scale.step() / RATINGS).exp() as f32);
        Self { release, by_item: release.by_item(), weight: weight.collect(), worth: worth.collect() }
    }

    /// Scores all rows; what a row scored stays until the scores are cleared.
    pub(crate) fn score(&self, known: &[Known], scores: &mut Scores) {
        scores.clear();
        scores.score.resize(self.release.users().len(), 0.0);
        for known in known {
            let Some(item) = known.published else { continue };
            let (row, weight) = (self.by_item.row(item), self.weight[item as usize]);
            for (at, (&user, &tick)) in row.of.iter().zip(row.ticks).enumerate() {
                let mut worth = self.worth[usize::from(tick.abs_diff(known.tick))];
                if let (Some(days), Some(day)) = (row.days, known.day) {
                    worth += (-f64::from(days[at].abs_diff(day)) / DAYS).exp() as f32;
                }
                let score = &mut scores.score[user as usize];
                if *score == 0.0 {
                    scores.touched.push(user);
                }
                *score += weight * worth;
            }
        }
    }

    /// The best of the scored rows, one of them left out; none where nothing fits.
    pub(crate) fn best(&self, scores: &Scores, without: Option<u32>) -> Option<Match> {
        let rows = self.release.users().len() - usize::from(without.is_some());
        let (mut best, mut top, mut second, mut equals) = (None, 0.0f32, 0.0f32, 0);
        let (mut sum, mut squares) = (0.0f64, 0.0f64);
        for &row in &scores.touched {
            if Some(row) == without {
                continue;
            }
            let score = scores.score[row as usize];
            sum += f64::from(score);
            squares += f64::from(score) * f64::from(score);
            // Sums of the same terms differ in their last bits by nothing: every row adds in the order of what is known.
            if score > top {
                (second, top, best, equals) = (top, score, Some(row), 1);
            } else if score == top {
                (second, equals) = (score, equals + 1);
                best = best.min(Some(row));
            } else if score > second {
                second = score;
            }
        }
        let mean = sum / rows.max(1) as f64;
        let deviation = (squares / rows.max(1) as f64 - mean * mean).max(0.0).sqrt();
        let gap = f64::from(top - second);
        let eccentricity = if gap == 0.0 { 0.0 } else { gap / deviation.max(f64::MIN_POSITIVE) };
        best.map(|best| Match { best, equals, eccentricity })
    }

    /// The best row for what is known.
    pub fn search(&self, known: &[Known]) -> Option<Match> {
        let mut scores = Scores::default();
        self.score(known, &mut scores);
        self.best(&scores, None)
    }
}

impl Scores {
    fn clear(&mut self) {
        self.touched.drain(..).for_each(|row| self.score[row as usize] = 0.0);
    }

    pub(crate) fn of(&self, row: u32) -> f64 {
        f64::from(self.score[row as usize])
    }
}

/// How the scoreboard did.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Scoreboard {
    /// The people attacked.
    pub targets: u64,
    /// Named rightly: re-identified.
    pub identified: u64,
    /// Named wrongly.
    pub mistaken: u64,
    /// The expected number of right guesses by an adversary who always takes the best row, one of the equals at random.
    pub best_guess: f64,
    /// Control: rows named although the target's row was taken out. Every one is wrong.
    pub control_named: u64,
    /// The expected number of right guesses of a row at random.
    pub by_chance: f64,
}

impl Scoreboard {
    /// The share of people re-identified.
    pub fn rate(&self) -> f64 {
        self.identified as f64 / self.targets.max(1) as f64
    }
}

/// Attacks people drawn at random.
///
/// # Errors
/// When nobody has as many ratings as are known, or the person asks to stop.
pub fn scoreboard(
    on: &Released<'_>,
    knowledge: &Knowledge,
    count: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Scoreboard, RatingsError> {
    let index = Index::new(on.release);
    attack(&index, &enough(on, knowledge, count, seed)?, progress)
}

pub(crate) fn enough(
    on: &Released<'_>,
    knowledge: &Knowledge,
    count: usize,
    seed: u64,
) -> Result<Vec<Target>, RatingsError> {
    let targets = targets(on, knowledge, count, seed);
    match targets.is_empty() {
        true => {
            Err(RatingsError::Parameter { key: "known", accepted: "at most the ratings that somebody has" })
        }
        false => Ok(targets),
    }
}

fn attack(
    index: &Index<'_>,
    targets: &[Target],
    progress: &dyn Progress,
) -> Result<Scoreboard, RatingsError> {
    let rows = index.release.users().len().max(1);
    let run = |scores: &mut Scores, target: &Target| -> Result<Scoreboard, RatingsError> {
        progress.check()?;
        index.score(&target.known, scores);
        let found = index.best(scores, None);
        let control = index.best(scores, Some(target.row));
        let named = found.filter(Match::is_named);
        let is_right = named.is_some_and(|named| named.best == target.row);
        let top = found.map_or(0.0, |found| scores.of(found.best));
        let guessed = found.is_some_and(|_| scores.of(target.row) == top);
        Ok(Scoreboard {
            targets: 1,
            identified: u64::from(is_right),
            mistaken: u64::from(named.is_some() && !is_right),
            best_guess: match found {
                Some(found) if guessed => 1.0 / f64::from(found.equals),
                Some(_) => 0.0,
                // Nothing fits: a row at random.
                None => 1.0 / rows as f64,
            },
            control_named: u64::from(control.is_some_and(|control| control.is_named())),
            by_chance: 1.0 / rows as f64,
        })
    };
    let sum = |a: Scoreboard, b: Scoreboard| Scoreboard {
        targets: a.targets + b.targets,
        identified: a.identified + b.identified,
        mistaken: a.mistaken + b.mistaken,
        best_guess: a.best_guess + b.best_guess,
        control_named: a.control_named + b.control_named,
        by_chance: a.by_chance + b.by_chance,
    };
    let each: Vec<Scoreboard> =
        targets.par_iter().map_init(Scores::default, run).collect::<Result<_, _>>()?;
    // In the order of the targets, so that the figures do not depend on the threads.
    Ok(each.into_iter().fold(Scoreboard::default(), sum))
}

/// One point of the curve of re-identification.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// How many ratings are known.
    pub known: u32,
    /// What came of it.
    pub found: Scoreboard,
}

/// Re-identification over the number of known ratings, 1 to `most`; at most as many of them are wrong as the knowledge says,
/// and never more than a quarter. Points for which nobody has enough ratings are left out.
///
/// # Errors
/// When the person asks to stop.
pub fn curve(
    on: &Released<'_>,
    knowledge: &Knowledge,
    most: u32,
    count: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<CurvePoint>, RatingsError> {
    let index = Index::new(on.release);
    let mut points = Vec::new();
    for known in 1..=most {
        let wrong = knowledge.wrong.min(known / 4);
        let drawn = targets(on, &Knowledge { known, wrong, ..*knowledge }, count, seed);
        if !drawn.is_empty() {
            points.push(CurvePoint { known, found: attack(&index, &drawn, progress)? });
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Size};
    use privet_data::Silent;

    /// The formula, summed and searched plainly.
    #[test]
    fn the_index_scores_as_the_formula_says() {
        let size = Size { users: 60, items: 30, ratings: 700, days: 200 };
        let ratings = generate::ratings(size, 3).unwrap();
        let rows: Vec<u32> = (0..60).collect();
        let on = Released::in_order(&ratings, &ratings, &rows).unwrap();
        let index = Index::new(&ratings);
        let support = ratings.support();
        for target in targets(&on, &Knowledge { known: 4, wrong: 1, ..Knowledge::default() }, 20, 5) {
            let score = |row: u32| -> f64 {
                let terms = target.known.iter().filter_map(|known| {
                    let own = ratings.row(row);
                    let at = own.of.binary_search(&known.item).ok()?;
                    let off = f64::from(own.ticks[at].abs_diff(known.tick));
                    let days = f64::from(own.days?[at].abs_diff(known.day?));
                    let weight = 1.0 / f64::from(support[known.item as usize]).ln();
                    Some(weight * ((-off / 1.5).exp() + (-days / 30.0).exp()))
                });
                terms.sum()
            };
            let scores: Vec<f64> = (0..60).map(score).collect();
            let mut sorted = scores.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let mean = scores.iter().sum::<f64>() / 60.0;
            let deviation = (scores.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / 60.0).sqrt();
            let found = index.search(&target.known).unwrap();
            assert!((scores[found.best as usize] - sorted[0]).abs() < 1e-4);
            assert!((found.eccentricity - (sorted[0] - sorted[1]) / deviation).abs() < 1e-3);
        }
    }

    #[test]
    fn pseudonyms_protect_nobody_and_the_control_says_so() {
        let size = Size { users: 400, items: 200, ratings: 16_000, days: 1000 };
        let ratings = generate::ratings(size, 1).unwrap();
        let rows: Vec<u32> = (0..400).collect();
        let on = Released::in_order(&ratings, &ratings, &rows).unwrap();
        let found = scoreboard(&on, &Knowledge::default(), 200, 7, &Silent).unwrap();
        assert!(found.rate() > 0.9 && found.best_guess > 180.0, "{found:?}");
        assert!(found.control_named * 10 < found.targets, "{found:?}");
        let points = curve(&on, &Knowledge::default(), 8, 100, 7, &Silent).unwrap();
        assert!(points[0].found.rate() < points[7].found.rate());
        // Where all rows are equal nobody is named.
        let nobody = Knowledge { known: 10_000, ..Knowledge::default() };
        assert!(scoreboard(&on, &nobody, 10, 7, &Silent).is_err());
    }
}
