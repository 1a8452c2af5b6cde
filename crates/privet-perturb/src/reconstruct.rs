//! The distribution of numbers from perturbed ones and the law of the noise (papers T-AL1, T-AL2; survey US-12).
//!
//! The range of the originals is cut into intervals, and the mass of each is fitted to the perturbed values by
//! expectation and maximization. The two methods of the literature differ only in how likely an interval makes a value:
//! [`Kernel::Midpoint`] takes the density of the noise from the middle of the interval (iterative Bayes, Agrawal and
//! Srikant), [`Kernel::Interval`] its mean over the interval (Agrawal and Aggarwal).
//!
//! # Guarantee
//! Masses are never negative and sum to 1; the log-likelihood never falls, and how far it can still be from the best is
//! part of the answer (`gap`), because the average change, which is the rule of the text, stops far too early on slow
//! runs (DEF-28). Values that no interval explains are counted and left out. With binned values the result is the one
//! for values rounded to the middle of their cell, which moves none by more than half a cell: a million values take as
//! long as a few thousand. The same on any number of threads.
//!
//! Where values were rounded to a step after the noise ([`Options::step`]), what counts is the probability of the step that a
//! value stands for, and cells are whole steps: then nothing is rounded twice.
//!
//! Where all originals are multiples of a unit ([`Options::unit`]), and these are not too many, they are single numbers
//! and not spread over intervals: the mass of each is fitted, and that of an interval is the sum of those in it.
//!
//! One attribute at a time: a joint distribution is not reconstructed. How sure the masses are is told by
//! [`share_intervals`]. How many rounds are worth it is seen by [`reconstruct_held_out`].

mod edges;
mod held_out;
mod intervals;
mod places;

use rayon::prelude::*;

use crate::em::{Mixture, Stop, Stopped};
use crate::error::check_numbers;
use crate::{Grid, Noise, PerturbError};

pub use held_out::reconstruct_held_out;
pub use intervals::{MOST_INTERVALS, NARROW, has_multiples, share_intervals};
use places::{Place, multiples};

/// How likely an interval makes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// As its middle does: iterative Bayes.
    Midpoint,
    /// As its numbers do on average.
    #[default]
    Interval,
}

/// How to reconstruct.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// How likely an interval makes a value.
    pub kernel: Kernel,
    /// How many cells the narrowest interval is cut into to bin the values; `None` takes them as they are, which costs
    /// as much as there are different values.
    pub cells: Option<u32>,
    /// When to stop.
    pub stop: Stop,
    /// What all originals are known to be multiples of, such as 1.
    pub unit: Option<f64>,
    /// What values were rounded to multiples of after the noise.
    pub step: Option<f64>,
}

impl Default for Options {
    /// Means over intervals, 16 cells for each, the default rule of stopping, any numbers, and no rounding.
    fn default() -> Self {
        Self { kernel: Kernel::Interval, cells: Some(16), stop: Stop::default(), unit: None, step: None }
    }
}

/// A reconstructed distribution.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reconstruction {
    /// The mass of each interval.
    pub masses: Vec<f64>,
    /// The log-likelihood at the start and after each round; it never falls.
    pub log_likelihood: Vec<f64>,
    /// No masses have a log-likelihood per value that is higher by more than this.
    pub gap: f64,
    /// The average change of a mass in the last round.
    pub change: f64,
    /// Why the rounds ended.
    pub stopped: Stopped,
    /// How many values were explained by no interval, and left out.
    pub unreachable: u64,
}

impl Reconstruction {
    /// How many rounds were run.
    pub fn rounds(&self) -> usize {
        self.log_likelihood.len().saturating_sub(1)
    }

    /// The density in each interval of the grid that it was reconstructed on.
    pub fn densities(&self, grid: &Grid) -> Vec<f64> {
        self.masses.iter().zip(grid.intervals()).map(|(mass, (low, high))| mass / (high - low)).collect()
    }
}

/// Different values times intervals: 512 MiB.
const MOST_ENTRIES: usize = 1 << 26;

/// Reconstructs the distribution of the originals over the intervals of a grid.
///
/// # Errors
/// When a value or a parameter is none to compute with, there is no value, none can come from any interval, or there are
/// too many different values to be taken as they are.
pub fn reconstruct(
    values: &[f64],
    noise: Noise,
    grid: &Grid,
    options: &Options,
) -> Result<Reconstruction, PerturbError> {
    let units = multiples(grid, options.unit, noise);
    let places: Vec<Place> = match &units {
        Some(units) => units.iter().map(|own| Place::At(own.0)).collect(),
        None => grid.intervals().map(|(low, high)| Place::Within(low, high)).collect(),
    };
    let cells = Cells::new(grid, options)?;
    let (mixture, unreachable) = mixture(values, noise, grid, &places, options, cells)?;
    let fit = mixture.fit(&options.stop)?;
    let masses = match units {
        None => fit.masses,
        Some(units) => {
            let mut masses = vec![0.0; grid.len()];
            for ((_, interval), mass) in units.into_iter().zip(fit.masses) {
                masses[interval] += mass; // why: an interval of the grid
            }
            masses
        }
    };
    Ok(Reconstruction {
        masses,
        log_likelihood: fit.log_likelihood,
        gap: fit.gap,
        change: fit.change,
        stopped: fit.stopped,
        unreachable,
    })
}

/// How likely each place makes each value, and how many values none explains. Values are binned by the cells.
fn mixture(
    values: &[f64],
    noise: Noise,
    grid: &Grid,
    places: &[Place],
    options: &Options,
    cells: Cells,
) -> Result<(Mixture, u64), PerturbError> {
    noise.check()?;
    check_numbers(values, 1)?;
    if values.is_empty() {
        return Err(PerturbError::Empty { what: "value" });
    }
    let counted = count(values, noise, grid, cells);
    let size = counted.len().saturating_mul(places.len());
    if size > MOST_ENTRIES {
        return Err(PerturbError::TooLarge {
            what: "different values times intervals",
            found: size,
            most: MOST_ENTRIES,
        });
    }
    let mut mixture = Mixture::new(places.len());
    let mut unreachable = 0;
    let mut likelihoods = vec![0.0; places.len()];
    for &(value, count) in &counted {
        for (likelihood, place) in likelihoods.iter_mut().zip(places) {
            *likelihood = place.likelihood(value, noise, options.kernel, cells);
        }
        if !mixture.push(count as f64, &likelihoods) {
            unreachable += count;
        }
    }
    Ok((mixture, unreachable))
}

/// How values are binned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cells {
    /// How wide a cell is; 0 where values are taken as they are.
    width: f64,
    /// Where values are rounded: to which step, and how many steps a cell has.
    steps: Option<(f64, f64)>,
}

impl Cells {
    fn new(grid: &Grid, options: &Options) -> Result<Self, PerturbError> {
        let width = match options.cells {
            None => 0.0,
            Some(0) => {
                return Err(PerturbError::Parameter {
                    name: "the cells of an interval",
                    accepted: "at least 1",
                });
            }
            Some(cells) => grid.narrowest() / f64::from(cells),
        };
        Self::of_width(width, options.step)
    }

    /// Cells that are about so wide: whole steps, where values are rounded.
    fn of_width(width: f64, step: Option<f64>) -> Result<Self, PerturbError> {
        match step {
            Some(step) if !(step > 0.0 && step.is_finite()) => {
                Err(PerturbError::Parameter { name: "the step of rounding", accepted: "a number above 0" })
            }
            Some(step) => {
                let many = (width / step + 1e-9).floor().max(1.0);
                Ok(Self { width: many * step, steps: Some((step, many)) })
            }
            None => Ok(Self { width, steps: None }),
        }
    }

    /// The middle of the cell of a value.
    fn middle(self, value: f64, low: f64) -> f64 {
        match self.steps {
            Some((step, many)) => {
                let cell = ((value / step).round() / many).floor();
                (cell * many + 0.5 * (many - 1.0)) * step
            }
            None if self.width > 0.0 => low + (((value - low) / self.width).floor() + 0.5) * self.width,
            None => value,
        }
    }
}

/// The different values, or the middles of their cells, in order, with their numbers.
fn count(values: &[f64], noise: Noise, grid: &Grid, cells: Cells) -> Vec<(f64, u64)> {
    let mut sorted = values.to_vec();
    if noise.is_none() {
        // Only the interval matters, and rounding must not lead into another.
        let start = |interval: usize| grid.edges().get(interval).copied();
        for value in &mut sorted {
            *value = grid.interval_of(*value).and_then(start).unwrap_or(f64::NEG_INFINITY);
        }
    } else if cells.width > 0.0 {
        let low = grid.edges().first().copied().unwrap_or(0.0);
        for value in &mut sorted {
            let middle = cells.middle(*value, low);
            // Far out, where cells are finer than numbers, there is nothing to round.
            if (middle - *value).abs() <= cells.width {
                *value = middle;
            }
        }
    }
    sorted.par_sort_unstable_by(f64::total_cmp);
    sorted
        .chunk_by(|a, b| a == b)
        .filter_map(|same| same.first().map(|&value| (value, same.len() as u64)))
        .collect()
}

#[cfg(test)]
mod tests;
