//! Intervals that the range of a number is cut into.

use crate::error::is_number;
use crate::{Noise, PerturbError};

/// Neighbouring intervals [l, u); the last holds its upper end.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct Grid {
    edges: Vec<f64>,
}

impl TryFrom<Vec<f64>> for Grid {
    type Error = PerturbError;

    fn try_from(edges: Vec<f64>) -> Result<Self, PerturbError> {
        Self::new(edges)
    }
}

impl From<Grid> for Vec<f64> {
    fn from(grid: Grid) -> Self {
        grid.edges
    }
}

/// The most intervals.
const MOST: usize = 10_000;

impl Grid {
    /// Intervals between these edges.
    ///
    /// # Errors
    /// When there are fewer than two edges, more than 10,001, or they do not rise.
    pub fn new(edges: Vec<f64>) -> Result<Self, PerturbError> {
        if edges.len() > MOST + 1 {
            return Err(PerturbError::TooLarge {
                what: "the number of intervals",
                found: edges.len() - 1,
                most: MOST,
            });
        }
        let rises = edges.is_sorted_by(|a, b| a < b);
        if edges.len() < 2 || !rises || !edges.iter().all(|&edge| is_number(edge)) {
            return Err(PerturbError::Parameter {
                name: "the edges of intervals",
                accepted: "at least two finite numbers that rise",
            });
        }
        Ok(Self { edges })
    }

    /// So many intervals of the same width.
    ///
    /// # Errors
    /// When there is none, there are more than 10,000, or the ends are not finite numbers that rise.
    pub fn even(low: f64, high: f64, intervals: usize) -> Result<Self, PerturbError> {
        if intervals > MOST {
            return Err(PerturbError::TooLarge {
                what: "the number of intervals",
                found: intervals,
                most: MOST,
            });
        }
        let step = (high - low) / intervals as f64;
        let edge = |i: usize| if i == intervals { high } else { low + step * i as f64 };
        Self::new((0..=intervals).map(edge).collect())
    }

    /// Each interval cut into equal parts, and how many: so many that none is wider than `narrow`, but at most 8, and at
    /// most `most` intervals in all. One part, which is the grid itself, where they are too narrow to be cut.
    pub fn refined(&self, most: usize, narrow: f64) -> (Self, usize) {
        let widest = self.intervals().map(|(low, high)| high - low).fold(0.0, f64::max);
        // Without a width to reach, or one that is no number, as many as may be.
        let wanted = if narrow > 0.0 { (widest / narrow).ceil().min(8.0) as usize } else { 8 };
        let parts = (most / self.len().max(1)).min(wanted).clamp(1, 8);
        let cut = |(low, high): (f64, f64)| {
            (0..parts).map(move |part| low + (high - low) * (part as f64 / parts as f64))
        };
        let edges = self.intervals().flat_map(cut).chain(self.edges.last().copied()).collect();
        Self::new(edges).map_or_else(|_| (self.clone(), 1), |fine| (fine, parts))
    }

    /// Even intervals that cover all originals that can be behind perturbed values: from the least value minus the most
    /// noise to the greatest plus it.
    ///
    /// # Errors
    /// When there is no value, the noise has no bound, or the ends are not finite numbers that rise.
    pub fn covering(values: &[f64], noise: Noise, intervals: usize) -> Result<Self, PerturbError> {
        let Some(reach) = noise.reach() else {
            return Err(PerturbError::Parameter {
                name: "the range of the originals",
                accepted: "given, because the noise has no bound",
            });
        };
        if values.is_empty() {
            return Err(PerturbError::Empty { what: "value" });
        }
        let low = values.iter().fold(f64::INFINITY, |low: f64, &value| low.min(value));
        let high = values.iter().fold(f64::NEG_INFINITY, |high: f64, &value| high.max(value));
        Self::even(low - reach, high + reach, intervals)
    }

    /// The edges, one more than intervals.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// The number of intervals.
    pub fn len(&self) -> usize {
        self.edges.len() - 1 // why: at least two edges
    }

    /// Whether there is no interval, which never is.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The intervals, each with its lower and upper end.
    pub fn intervals(&self) -> impl Iterator<Item = (f64, f64)> {
        self.edges.iter().copied().zip(self.edges.iter().skip(1).copied())
    }

    /// The interval that a number lies in.
    pub fn interval_of(&self, value: f64) -> Option<usize> {
        let above = self.edges.partition_point(|&edge| edge <= value);
        if above == 0 || value.is_nan() {
            None
        } else if above < self.edges.len() {
            Some(above - 1)
        } else {
            (self.edges.last() == Some(&value)).then(|| self.len() - 1)
        }
    }

    /// The width of the narrowest interval.
    pub(crate) fn narrowest(&self) -> f64 {
        self.intervals().map(|(low, high)| high - low).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_numbers() {
        let grid = Grid::new(vec![0.0, 1.0, 3.0]).unwrap();
        let cases =
            [(-0.1, None), (0.0, Some(0)), (0.9, Some(0)), (1.0, Some(1)), (3.0, Some(1)), (3.1, None)];
        for (value, interval) in cases {
            assert_eq!(grid.interval_of(value), interval);
        }
        assert_eq!(grid.interval_of(f64::NAN), None);
        assert_eq!(grid.interval_of(f64::INFINITY), None);
        assert_eq!((grid.len(), grid.narrowest()), (2, 1.0));
        assert_eq!(Grid::even(0.0, 1.0, 4).unwrap().edges(), [0.0, 0.25, 0.5, 0.75, 1.0]);
        let (fine, parts) = Grid::new(vec![0.0, 1.0, 3.0]).unwrap().refined(5, 0.0);
        assert_eq!((fine.edges(), parts), (&[0.0, 0.5, 1.0, 2.0, 3.0][..], 2));
        assert_eq!(Grid::even(0.0, 1.0, 4).unwrap().refined(3, 0.0).1, 1);
        assert_eq!(Grid::new(vec![1.0, 1.0 + f64::EPSILON]).unwrap().refined(64, 0.0).1, 1);
        assert_eq!(Grid::even(0.0, 1.0, 4).unwrap().refined(64, 0.1).1, 3);
        let noise = Noise::Uniform { half_width: 2.0 };
        assert_eq!(Grid::covering(&[1.0, 4.0], noise, 1).unwrap().edges(), [-1.0, 6.0]);
    }

    #[test]
    fn what_is_no_grid() {
        for edges in
            [vec![], vec![1.0], vec![1.0, 1.0], vec![2.0, 1.0], vec![0.0, f64::NAN], vec![0.0, f64::INFINITY]]
        {
            assert!(Grid::new(edges).is_err());
        }
        assert!(Grid::even(0.0, 1.0, 0).is_err() && Grid::even(0.0, 1.0, usize::MAX).is_err());
        assert!(Grid::even(1.0, 0.0, 3).is_err() && Grid::even(f64::NAN, 1.0, 3).is_err());
        assert!(Grid::new(vec![0.0; 20_000]).is_err());
        assert!(Grid::covering(&[], Noise::NONE, 3).is_err());
        assert!(Grid::covering(&[1.0], Noise::Gaussian { deviation: 1.0 }, 3).is_err());
        assert!(Grid::covering(&[1.0], Noise::NONE, 3).is_err());
        assert!(serde_json::from_str::<Grid>("[0.0, 2.0, 1.0]").is_err());
        assert_eq!(serde_json::from_str::<Grid>("[0.0,2.0]").unwrap(), Grid::new(vec![0.0, 2.0]).unwrap());
    }
}
