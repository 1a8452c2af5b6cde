//! Naive Bayes on reconstructed distributions (papers T-AL3).
//!
//! The probability of an interval in a class is its reconstructed mass, with `smoothing` records added to each interval.
//! No record is put anywhere, so nothing is lost by placing.

use privet_measure::classify::Classifier;
use rayon::prelude::*;

use super::{NoisyColumn, NoisyRecords};
use crate::{Options, PerturbError, reconstruct};

/// Naive Bayes; a record is told by the interval of each column ([`Grid::interval_of`](crate::Grid::interval_of)).
#[derive(Debug, Clone, PartialEq)]
pub struct ReconstructedBayes {
    /// Per class the logarithm of its share; `None` for a class that no record has.
    prior: Vec<Option<f64>>,
    /// Per column, interval and class the logarithm of the probability of the interval in the class.
    likelihood: Vec<Vec<f64>>,
}

impl ReconstructedBayes {
    /// Learns; 1 for `smoothing` is Laplace's rule.
    ///
    /// # Errors
    /// When `smoothing` is not above 0, no value of a column and class can come from any interval, or an option is out
    /// of range.
    pub fn train(records: &NoisyRecords, smoothing: f64, options: &Options) -> Result<Self, PerturbError> {
        if !(smoothing > 0.0 && smoothing.is_finite()) {
            return Err(PerturbError::Parameter {
                name: "the smoothing",
                accepted: "a finite number above 0",
            });
        }
        let by_class = records.by_class();
        let classes = by_class.iter().filter(|rows| !rows.is_empty()).count() as f64;
        let all = records.classes.len() as f64 + smoothing * classes;
        let prior =
            |rows: &Vec<u32>| (!rows.is_empty()).then(|| ((rows.len() as f64 + smoothing) / all).ln());
        let likelihood = |column: &NoisyColumn| {
            let intervals = column.grid.len();
            let mut likelihood = vec![0.0; intervals * by_class.len()];
            for (class, rows) in by_class.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
                let values: Vec<f64> =
                    rows.iter().filter_map(|&row| column.values.get(row as usize).copied()).collect();
                let masses = reconstruct(&values, column.noise, &column.grid, options)?.masses;
                let n = rows.len() as f64;
                let own = likelihood.iter_mut().skip(class).step_by(by_class.len());
                for (own, mass) in own.zip(masses) {
                    // A whole number of records but for rounding is that number, or ties between classes would be
                    // broken by rounding.
                    let count = mass * n;
                    let count = if (count - count.round()).abs() < 1e-9 * n { count.round() } else { count };
                    *own = ((count + smoothing) / (n + smoothing * intervals as f64)).ln();
                }
            }
            Ok(likelihood)
        };
        Ok(Self {
            prior: by_class.iter().map(prior).collect(),
            likelihood: records.columns.par_iter().map(likelihood).collect::<Result<_, _>>()?,
        })
    }
}

impl Classifier for ReconstructedBayes {
    fn predict(&self, record: &[Option<u32>]) -> Option<u32> {
        let classes = self.prior.len();
        let mut best: Option<(u32, f64)> = None;
        for (class, prior) in self.prior.iter().enumerate() {
            let Some(mut score) = *prior else { continue };
            for (likelihood, interval) in self.likelihood.iter().zip(record) {
                let own = interval.and_then(|interval| likelihood.get(interval as usize * classes + class));
                score += own.copied().unwrap_or(0.0);
            }
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((class as u32, score));
            }
        }
        best.map(|(class, _)| class)
    }
}
