//! How many people in each cell have a property, from answers about sets of cells (survey AT-20; Dinur and Nissim 2003).
//!
//! Real questions name people by columns that others know, so people who agree on all of these are in the same questions. They
//! are one cell here, whose number of people with the property is looked for; a cell of one person is a bit.
//!
//! # Guarantee
//! Whole numbers from 0 to the size of each cell. They are the weighted least squares of the answers with a faint pull towards
//! the share that is expected of everybody, rounded, and then changed by one as long as that fits the answers better; so no change of
//! one cell by one fits better. The same answers give the same numbers. A pass takes as many steps as cells stand in questions.

use super::records::{NoiseAttackError, check_length, check_moderate, check_spread};

/// The most passes over all cells.
const PASSES: usize = 400;

/// How much the expected share weighs beside an answer of weight 1.
const PULL: f64 = 1e-4;

/// An answer about the people of some cells together.
#[derive(Debug, Clone, PartialEq)]
pub struct CellAnswer {
    /// The cells, by their places, each once.
    pub cells: Vec<u32>,
    /// How many of their people have the property, perhaps with noise.
    pub answer: f64,
    /// How far off the answer is expected to be; answers count by the square of its reciprocal.
    pub deviation: f64,
}

/// Estimates how many people of each cell have the property. `share` is that expected of everybody.
///
/// # Errors
/// When an answer, a deviation or the share is no number that can be computed with, or names a cell that is not there.
pub fn counts_of_cells(
    sizes: &[u64],
    share: f64,
    answers: &[CellAnswer],
) -> Result<Vec<u64>, NoiseAttackError> {
    check_moderate(&answers.iter().map(|own| own.answer).collect::<Vec<f64>>())?;
    check_spread("the expected share", share)?;
    let mut questions_of: Vec<Vec<u32>> = vec![Vec::new(); sizes.len()];
    for (place, own) in answers.iter().enumerate() {
        check_spread("the deviation of an answer", own.deviation)?;
        for &cell in &own.cells {
            let found = cell as usize + 1;
            let Some(questions) = questions_of.get_mut(cell as usize) else {
                return Err(NoiseAttackError::Length { what: "cells", found: sizes.len(), expected: found });
            };
            questions.push(place as u32);
        }
    }
    check_length("expected shares", usize::from((0.0..=1.0).contains(&share)), 1)?;
    let least = answers.iter().map(|own| own.deviation).fold(f64::INFINITY, f64::min).max(1e-9);
    let weights: Vec<f64> = answers.iter().map(|own| (least / own.deviation.max(least)).powi(2)).collect();
    let mut fit = Fit {
        left: answers.iter().map(|own| own.answer).collect(),
        counts: vec![0.0; sizes.len()],
        weights,
        questions_of,
    };
    for (cell, &size) in sizes.iter().enumerate() {
        fit.set(cell, share * size as f64);
    }
    fit.relax(sizes, share);
    Ok(fit.rounded(sizes))
}

struct Fit {
    /// Per question the answer less what the counts say.
    left: Vec<f64>,
    counts: Vec<f64>,
    weights: Vec<f64>,
    questions_of: Vec<Vec<u32>>,
}

impl Fit {
    fn set(&mut self, cell: usize, to: f64) {
        let by = to - self.counts[cell]; // why: cells are below the number of counts, and so below
        self.counts[cell] = to;
        for &question in &self.questions_of[cell] {
            self.left[question as usize] -= by; // why: places of answers
        }
    }

    /// What moving a cell gains per step, and how fast that falls.
    fn slope(&self, cell: usize) -> (f64, f64) {
        self.questions_of[cell].iter().fold((0.0, 0.0), |(gain, bend), &question| {
            let weight = self.weights[question as usize]; // why: as many weights as answers
            (gain + weight * self.left[question as usize], bend + weight)
        })
    }

    /// One cell after the other, to where the answers fit best.
    fn relax(&mut self, sizes: &[u64], share: f64) {
        for _ in 0..PASSES {
            let mut moved = 0.0f64;
            for (cell, &size) in sizes.iter().enumerate() {
                let (gain, bend) = self.slope(cell);
                let now = self.counts[cell];
                let pulled = gain + PULL * (share * size as f64 - now);
                let to = (now + pulled / (bend + PULL)).clamp(0.0, size as f64);
                moved = moved.max((to - now).abs());
                self.set(cell, to);
            }
            if moved < 1e-6 {
                return;
            }
        }
    }

    /// Rounded, then changed by one as long as that fits better.
    fn rounded(mut self, sizes: &[u64]) -> Vec<u64> {
        for cell in 0..sizes.len() {
            self.set(cell, self.counts[cell].round());
        }
        for _ in 0..PASSES {
            let mut is_better = false;
            for (cell, &size) in sizes.iter().enumerate() {
                let (gain, bend) = self.slope(cell);
                let step = gain.signum();
                let to = self.counts[cell] + step;
                // The squares fall by 2·|gain| and rise by the bend.
                if 2.0 * gain.abs() > bend + 1e-9 && (0.0..=size as f64).contains(&to) {
                    self.set(cell, to);
                    is_better = true;
                }
            }
            if !is_better {
                break;
            }
        }
        self.counts.iter().map(|own| *own as u64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Random;
    use proptest::prelude::*;

    fn answer(cells: &[u32], answer: f64) -> CellAnswer {
        CellAnswer { cells: cells.to_vec(), answer, deviation: 1.0 }
    }

    /// By hand: of {a, b} 3 people, of {b, c} 2, of {a, c} 1, so a = 1, b = 2, c = 0.
    #[test]
    fn three_sums_tell_three_cells() {
        let answers = [answer(&[0, 1], 3.0), answer(&[1, 2], 2.0), answer(&[0, 2], 1.0)];
        assert_eq!(counts_of_cells(&[2, 2, 2], 0.5, &answers).unwrap(), [1, 2, 0]);
        // A precise answer counts for more than one that is far off.
        let two = [answer(&[0], 5.0), CellAnswer { deviation: 100.0, ..answer(&[0], 9.0) }];
        assert_eq!(counts_of_cells(&[10], 0.0, &two).unwrap(), [5]);
        // Cells of which nothing is told are as everybody.
        assert_eq!(counts_of_cells(&[10, 4], 0.5, &[]).unwrap(), [5, 2]);
    }

    /// survey TH-19: with noise below the root of the number of people nearly every bit comes back, with far more hardly any.
    #[test]
    fn little_noise_hides_nothing() {
        let mut random = Random::new(19);
        let truth: Vec<f64> = (0..60).map(|_| f64::from(random.chance(0.5))).collect();
        for (spread, from, to) in [(0.0, 60, 60), (1.0, 58, 60), (200.0, 15, 45)] {
            let answers: Vec<CellAnswer> = (0..1500)
                .map(|_| {
                    let cells: Vec<u32> = (0..60).filter(|_| random.chance(0.5)).collect();
                    let sum: f64 = cells.iter().map(|&cell| truth[cell as usize]).sum();
                    CellAnswer {
                        cells,
                        answer: sum + spread * (2.0 * random.unit() - 1.0),
                        deviation: spread,
                    }
                })
                .collect();
            let found = counts_of_cells(&[1; 60], 0.5, &answers).unwrap();
            let right = found.iter().zip(&truth).filter(|(own, truth)| **own as f64 == **truth).count();
            assert!((from..=to).contains(&right), "{spread}: {right}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// No change of one cell by one fits better, and every cell keeps its size.
        #[test]
        fn nothing_fits_better(seed in any::<u64>(), cells in 1usize..12, questions in 0usize..20) {
            let mut random = Random::new(seed);
            let sizes: Vec<u64> = (0..cells).map(|_| random.below(5) as u64).collect();
            let answers: Vec<CellAnswer> = (0..questions).map(|_| CellAnswer {
                cells: (0..cells as u32).filter(|_| random.chance(0.5)).collect(),
                answer: 20.0 * random.unit() - 5.0,
                deviation: 1.0,
            }).collect();
            let found = counts_of_cells(&sizes, 0.3, &answers).unwrap();
            let squares = |counts: &[u64]| -> f64 { answers.iter().map(|own| {
                let sum: u64 = own.cells.iter().map(|&cell| counts[cell as usize]).sum();
                (own.answer - sum as f64).powi(2)
            }).sum() };
            let own = squares(&found);
            for cell in 0..cells {
                prop_assert!(found[cell] <= sizes[cell]);
                for to in [found[cell].wrapping_sub(1), found[cell] + 1] {
                    if to <= sizes[cell] {
                        let mut other = found.clone();
                        other[cell] = to;
                        prop_assert!(squares(&other) >= own - 1e-6);
                    }
                }
            }
        }
    }

    #[test]
    fn edges() {
        assert!(counts_of_cells(&[], 0.5, &[]).unwrap().is_empty());
        assert!(counts_of_cells(&[1], 0.5, &[answer(&[1], 1.0)]).is_err());
        assert!(counts_of_cells(&[1], 0.5, &[answer(&[0], f64::NAN)]).is_err());
        assert!(counts_of_cells(&[1], 2.0, &[]).is_err());
        let wild = CellAnswer { deviation: f64::NAN, ..answer(&[0], 1.0) };
        assert!(counts_of_cells(&[1], 0.5, &[wild]).is_err());
        assert_eq!(counts_of_cells(&[3], 0.5, &[answer(&[0], 1e9)]).unwrap(), [3]);
    }
}
