//! Classifiers that are trained on perturbed numbers and used on plain ones (papers T-AL3; survey US-12; Agrawal and
//! Srikant).
//!
//! The distribution of each column is reconstructed, and a classifier learns from the distributions. Class labels are
//! not perturbed. [`ReconstructedBayes`] needs nothing but the distribution per class. For a tree, records are needed:
//! sorted by their perturbed value, as many of them as the reconstruction says are put into the first interval, the
//! next into the second, and so on ([`corrected`]). The approaches differ in whose distribution is reconstructed.
//!
//! # Guarantee
//! With no noise, and all values within the grids, both are the ordinary classifiers on the intervals
//! (`privet_measure::classify`). Deterministic, on any number of threads. No promise of privacy: that is the noise's.

mod naive_bayes;
mod tree;

pub use naive_bayes::ReconstructedBayes;
pub use tree::{ReconstructedTree, TreeTraining};

use rayon::prelude::*;

use crate::error::check_numbers;
use crate::matrix::check_length;
use crate::{Grid, Noise, Options, PerturbError, reconstruct};

/// Class codes are below this.
pub const MOST_CLASSES: u32 = 65_536;

/// A column of perturbed numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisyColumn {
    /// One per record.
    pub values: Vec<f64>,
    /// The law of what was added.
    pub noise: Noise,
    /// The intervals of the originals.
    pub grid: Grid,
}

/// Perturbed records with their classes.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisyRecords {
    columns: Vec<NoisyColumn>,
    classes: Vec<u32>,
    class_count: usize,
}

/// Whose distributions are reconstructed for a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Approach {
    /// Those of all records together, once.
    Global,
    /// Those of each class, once.
    #[default]
    ByClass,
    /// Those of each class among the records of each node.
    Local,
}

impl NoisyRecords {
    /// Records of these columns, each with the code of its class.
    ///
    /// # Errors
    /// When there is no record, columns have different lengths, a value or a width of noise is none to compute with, or
    /// a class is not below [`MOST_CLASSES`].
    pub fn new(columns: Vec<NoisyColumn>, classes: Vec<u32>) -> Result<Self, PerturbError> {
        for column in &columns {
            check_length("records in a column", column.values.len(), classes.len())?;
            check_numbers(&column.values, 1)?;
            column.noise.check()?;
        }
        let most = *classes.iter().max().ok_or(PerturbError::Empty { what: "record" })?;
        if most >= MOST_CLASSES {
            return Err(PerturbError::Parameter { name: "the code of a class", accepted: "below 65536" });
        }
        Ok(Self { columns, classes, class_count: most as usize + 1 })
    }

    /// The columns.
    pub fn columns(&self) -> &[NoisyColumn] {
        &self.columns
    }

    /// The class of each record.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// Per class its records.
    fn by_class(&self) -> Vec<Vec<u32>> {
        let mut by_class = vec![Vec::new(); self.class_count];
        for (row, &class) in (0..).zip(&self.classes) {
            if let Some(rows) = by_class.get_mut(class as usize) {
                rows.push(row);
            }
        }
        by_class
    }
}

/// Per column the interval of each record, as the reconstruction of all records together ([`Approach::Global`]) or of
/// each class (the others) places them.
///
/// # Errors
/// When no value of a column (and class) can come from any of its intervals, or an option is out of range.
pub fn corrected(
    records: &NoisyRecords,
    approach: Approach,
    options: &Options,
) -> Result<Vec<Vec<u32>>, PerturbError> {
    let groups = match approach {
        Approach::Global => vec![(0..records.classes.len() as u32).collect()],
        Approach::ByClass | Approach::Local => records.by_class(),
    };
    let column = |column: &NoisyColumn| {
        let mut codes = vec![0; column.values.len()];
        for rows in groups.iter().filter(|rows| !rows.is_empty()) {
            let placed = place(column, &column.grid, rows, options)?;
            for (&row, interval) in rows.iter().zip(placed) {
                if let Some(code) = codes.get_mut(row as usize) {
                    *code = interval;
                }
            }
        }
        Ok(codes)
    };
    records.columns.par_iter().map(column).collect()
}

/// The interval of the grid that each of the rows is put into.
fn place(
    column: &NoisyColumn,
    grid: &Grid,
    rows: &[u32],
    options: &Options,
) -> Result<Vec<u32>, PerturbError> {
    let values: Vec<f64> = rows.iter().filter_map(|&row| column.values.get(row as usize).copied()).collect();
    let masses = reconstruct(&values, column.noise, grid, options)?.masses;
    let mut order: Vec<(f64, u32)> = values.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut placed = vec![0; values.len()];
    // Record r of n, in the order of values, is where the masses sum to (r + ½)/n.
    let (mut interval, mut until) = (0, masses.first().copied().unwrap_or(1.0));
    for (rank, &(_, row)) in order.iter().enumerate() {
        let at = (rank as f64 + 0.5) / values.len() as f64;
        while until < at && interval + 1 < masses.len() {
            interval += 1;
            until += masses.get(interval).copied().unwrap_or(0.0);
        }
        if let Some(place) = placed.get_mut(row as usize) {
            *place = interval as u32;
        }
    }
    Ok(placed)
}

#[cfg(test)]
mod tests;
