//! Pairwise (thesis 2.23, L2463): the matrix of all dissimilarities. The baseline of experiment E7.
//!
//! Growth: time in n² m, memory in n². It computes every distance in full, as the baseline of the thesis does.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::Neighbours;
use crate::{Points, RatingsError};

/// All distances.
#[derive(Debug, Clone)]
pub struct Pairwise {
    count: usize,
    ticks: u8,
    distances: Vec<u8>,
}

impl Pairwise {
    /// The most bytes of the matrix.
    pub const MOST: u64 = 4 << 30;

    /// Computes all distances.
    ///
    /// # Errors
    /// When the matrix takes more than [`Self::MOST`] bytes.
    pub fn new(points: &Points, ticks: u8) -> Result<Self, RatingsError> {
        let count = points.len();
        let needed = (count as u64).saturating_mul(count as u64);
        if needed > Self::MOST {
            return Err(RatingsError::Memory { needed, limit: Self::MOST });
        }
        let mut distances = vec![0; count * count];
        if count > 0 {
            distances.par_chunks_mut(count).zip(0..count as u32).for_each(|(row, a)| {
                for (distance, b) in row.iter_mut().zip(0..) {
                    let pairs = points.row(a).iter().zip(points.row(b));
                    *distance = pairs.fold(0, |most, (a, b)| a.abs_diff(*b).max(most));
                }
            });
        }
        Ok(Self { count, ticks, distances })
    }
}

impl Neighbours for Pairwise {
    fn near(&self, point: u32, mut visit: impl FnMut(u32) -> ControlFlow<()>) {
        let row = &self.distances[point as usize * self.count..][..self.count];
        for (&distance, other) in row.iter().zip(0..) {
            if distance <= self.ticks && visit(other).is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> usize {
        self.distances.len()
    }
}
