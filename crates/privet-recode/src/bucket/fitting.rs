//! Iterative proportional fitting (survey US-14; Deming and Stephan): the joint table that agrees with all views and
//! assumes nothing else, that is the one of maximum entropy.
//!
//! Starting from ones in every cell that is possible, the cells are scaled to the counts of one view after the other,
//! over and over. For decomposable views two rounds are exact; for others it converges, and what is left to do is
//! reported.

use privet_data::Progress;

use crate::lattice::SearchError;

const MOST_ROUNDS: usize = 2000;
const CLOSE: f64 = 1e-10;

/// The estimates, and how far the sums of the worst view cell still are from its count, relative to it.
pub(super) struct Fitted {
    pub cells: Vec<f64>,
    pub off: f64,
}

/// Fits cells, of which some are known to be empty, to views: per view the view cell of each cell, and the counts of the view cells.
pub(super) fn fit(
    possible: impl Iterator<Item = bool>,
    views: &[(&[u32], &[u64])],
    progress: &dyn Progress,
) -> Result<Fitted, SearchError> {
    let mut fitted =
        Fitted { cells: possible.map(|possible| f64::from(u8::from(possible))).collect(), off: 0.0 };
    let mut sums: Vec<f64> = Vec::new();
    progress.stage("estimating the joint table", None);
    for _ in 0..MOST_ROUNDS {
        progress.check()?;
        fitted.off = 0.0;
        for (view_cell, counts) in views {
            sums.clear();
            sums.resize(counts.len(), 0.0);
            for (&at, estimate) in view_cell.iter().zip(&fitted.cells) {
                sums[at as usize] += estimate;
            }
            for (sum, &count) in sums.iter_mut().zip(*counts) {
                // What is left of cells that must vanish may be too small for a number.
                let factor = if *sum > 0.0 { count as f64 / *sum } else { 0.0 };
                fitted.off = fitted.off.max((factor - 1.0).abs());
                *sum = factor;
            }
            for (&at, estimate) in view_cell.iter().zip(&mut fitted.cells) {
                *estimate *= sums[at as usize];
            }
        }
        if fitted.off < CLOSE {
            break;
        }
    }
    Ok(fitted)
}
