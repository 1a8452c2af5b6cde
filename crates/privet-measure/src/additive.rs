//! Metrics that are a sum over cells: loss, height, precision, non-uniform entropy.
//!
//! Such a metric splits into a part that depends on the levels alone, known before any class is formed,
//! and a surcharge for each suppressed record. The first part is a lower bound of the whole, it only
//! grows with the levels, and the surcharge of a record only grows as its table gets finer.

use crate::{Metric, QuasiColumn};

/// An additive metric made ready for one table.
#[derive(Debug, Clone)]
pub struct Additive {
    /// Per column and level: what all records cost together, normalized.
    total: Vec<Vec<f64>>,
    /// Per column, level and node of the generalization: what suppressing one record adds, normalized.
    surcharge: Vec<Vec<Vec<f64>>>,
}

impl Additive {
    pub(crate) fn new(metric: Metric, columns: &[QuasiColumn<'_>], rows: u64) -> Self {
        let n = rows.max(1) as f64;
        let weights: f64 = columns.iter().map(|c| c.weight).sum();
        let (mut total, mut surcharge) = (Vec::new(), Vec::new());
        for column in columns {
            let generalization = column.generalization;
            let height = generalization.height();
            let (mut totals, mut surcharges) = (Vec::new(), Vec::new());
            for (number, level) in generalization.levels.iter().enumerate() {
                let mut frequency = vec![0u64; level.labels.len()];
                for (code, &count) in column.counts.iter().enumerate() {
                    frequency[level.node_of_code[code] as usize] += count;
                }
                let share = if height == 0 { 0.0 } else { number as f64 / height as f64 };
                // Cost of a cell, and cost of the same cell when its record is suppressed.
                let (sum, extra): (f64, Vec<f64>) = match metric {
                    Metric::Height => (number as f64 * n * weights, vec![0.0; frequency.len()]),
                    Metric::Precision => (share * n, vec![1.0 - share; frequency.len()]),
                    Metric::NonUniformEntropy => {
                        let bits = |part: u64, whole: f64| {
                            if part == 0 { 0.0 } else { (whole / part as f64).log2() }
                        };
                        let sum = column
                            .counts
                            .iter()
                            .enumerate()
                            .map(|(code, &count)| {
                                let node = level.node_of_code[code] as usize;
                                count as f64 * bits(count, frequency[node] as f64)
                            })
                            .sum();
                        (sum, frequency.iter().map(|&f| bits(f, n)).collect())
                    }
                    _ => {
                        let cell = |node: usize| generalization.node_loss(level.leaves[node]);
                        let sum = frequency.iter().enumerate().map(|(i, &f)| f as f64 * cell(i)).sum();
                        (sum, (0..frequency.len()).map(|i| 1.0 - cell(i)).collect())
                    }
                };
                let scale = if weights > 0.0 { column.weight / (n * weights) } else { 0.0 };
                totals.push(sum * scale);
                surcharges.push(extra.into_iter().map(|e| e * scale).collect());
            }
            total.push(totals);
            surcharge.push(surcharges);
        }
        Self { total, surcharge }
    }

    /// What all records cost in one column at one level when none is suppressed.
    pub fn total(&self, column: usize, level: usize) -> f64 {
        self.total[column][level]
    }

    /// The cost of a candidate before any record is suppressed.
    pub fn floor(&self, levels: &[usize]) -> f64 {
        levels.iter().enumerate().map(|(column, &level)| self.total[column][level]).sum()
    }

    /// What suppressing one record adds in one column, given the node it is in at this level.
    pub fn surcharge(&self, column: usize, level: usize) -> &[f64] {
        &self.surcharge[column][level]
    }
}

#[cfg(test)]
mod tests {
    use privet_data::{Domain, Generalization, Hierarchy};

    use super::*;

    fn age() -> Generalization {
        let text = |v: &[&str]| v.iter().map(|s| Box::from(*s)).collect::<Vec<Box<str>>>();
        let leaves = text(&["20", "21", "22", "23", "24", "25"]);
        let levels = vec![text(&["a", "a", "a", "b", "b", "b"]), text(&["*"; 6])];
        let (domain, _) = Domain::canonical(leaves.clone(), |_| false);
        Hierarchy::new(leaves, levels).unwrap().bind(&domain).unwrap()
    }

    /// Survey FX-4.3: nationality costs 0.4 and age 0.4 at the published levels.
    #[test]
    fn loss_of_the_single_dimensional_recoding() {
        let age = age();
        let counts = [2, 3, 1, 1, 2, 3];
        let column = QuasiColumn { generalization: &age, counts: &counts, weight: 1.0 };
        let loss = Additive::new(Metric::Loss, &[column], 12);
        assert!((loss.floor(&[1]) - 0.4).abs() < 1e-12);
        assert_eq!(loss.floor(&[0]), 0.0);
        assert_eq!(loss.floor(&[2]), 1.0);
        assert!((loss.surcharge(0, 1)[0] - 0.6 / 12.0).abs() < 1e-12);
    }

    #[test]
    fn height_and_precision_read_the_level() {
        let age = age();
        let counts = [2, 3, 1, 1, 2, 3];
        let column = QuasiColumn { generalization: &age, counts: &counts, weight: 1.0 };
        assert_eq!(Additive::new(Metric::Height, &[column], 12).floor(&[2]), 2.0);
        assert_eq!(Additive::new(Metric::Precision, &[column], 12).floor(&[1]), 0.5);
        let heavy = QuasiColumn { weight: 3.0, ..column };
        let weighted = Additive::new(Metric::Precision, &[heavy, column], 12);
        assert!((weighted.floor(&[1, 0]) - 0.375).abs() < 1e-12);
    }

    #[test]
    fn entropy_counts_the_bits_that_a_label_hides() {
        let age = age();
        let counts = [2, 2, 0, 1, 1, 2];
        let column = QuasiColumn { generalization: &age, counts: &counts, weight: 1.0 };
        let entropy = Additive::new(Metric::NonUniformEntropy, &[column], 8);
        assert_eq!(entropy.floor(&[0]), 0.0);
        // a: 4 records of 2+2, one bit each; b: two records of share 1/4 and two of 1/2.
        assert!((entropy.floor(&[1]) - (4.0 + 2.0 * 2.0 + 2.0) / 8.0).abs() < 1e-12);
    }
}
