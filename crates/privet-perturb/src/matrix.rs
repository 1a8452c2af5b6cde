//! Perturbation matrices: A[u,v] = P(u → v), each row a distribution (survey ME-21, ME-25; PRAM is the same matrix in
//! the hands of the publisher).
//!
//! # Guarantee
//! A matrix that exists is row-stochastic: entries from 0 to 1, rows with the sum 1 up to rounding. What has
//! probability 0 is never drawn. Other probabilities are met up to 2⁻⁵³, so an entry below that, though printed in the
//! matrix, may never be drawn: keep entries above 1e-12 where their ratios are to protect anybody.

use nalgebra::DMatrix;

use crate::error::check_probability;
use crate::{Coins, Drawn, PerturbError};

/// The most entries that a matrix can have.
pub(crate) const MOST_ENTRIES: usize = 1 << 24;

/// How far the sum of a row may be from 1 as it is given; what is kept is divided by its sum.
const ROUNDING: f64 = 1e-9;

/// Probabilities of what each value becomes.
#[derive(Debug, Clone, PartialEq)]
pub struct PerturbationMatrix {
    inputs: usize,
    outputs: usize,
    /// Row by row.
    entries: Vec<f64>,
}

impl PerturbationMatrix {
    /// A matrix with so many outputs, given row by row.
    ///
    /// # Errors
    /// When there is no row, the entries do not fill rows, or a row is no distribution.
    pub fn new(outputs: usize, entries: Vec<f64>) -> Result<Self, PerturbError> {
        if outputs == 0 || entries.is_empty() {
            return Err(PerturbError::Empty { what: "row" });
        }
        let inputs = entries.len() / outputs;
        if inputs * outputs != entries.len() {
            return Err(PerturbError::Length {
                what: "entries",
                found: entries.len(),
                expected: (inputs + 1) * outputs,
            });
        }
        check_size(inputs, outputs)?;
        let mut entries = entries;
        for (row, values) in entries.chunks_exact_mut(outputs).enumerate() {
            let sum: f64 = values.iter().sum();
            let are_probabilities = values.iter().all(|value| (0.0..=1.0 + ROUNDING).contains(value));
            if !are_probabilities || (sum - 1.0).abs() > ROUNDING {
                return Err(PerturbError::NotStochastic { row });
            }
            values.iter_mut().for_each(|value| *value /= sum);
        }
        Ok(Self { inputs, outputs, entries })
    }

    /// A square matrix whose entries are told by a function of row and column.
    ///
    /// # Errors
    /// As [`new`](Self::new), or when the matrix would be too large.
    pub fn from_fn(size: usize, entry: impl Fn(usize, usize) -> f64) -> Result<Self, PerturbError> {
        check_size(size, size)?;
        let entries = (0..size * size).map(|place| entry(place / size, place % size)).collect();
        Self::new(size, entries)
    }

    /// Keeps with probability `keep`, and lets the rest go evenly to the other values: Warner's response for any number
    /// of values.
    ///
    /// # Errors
    /// When `keep` is no probability, or there is no value.
    pub fn keeping(keep: f64, size: usize) -> Result<Self, PerturbError> {
        check_probability("the probability of keeping a value", keep)?;
        let other = (1.0 - keep) / (size.max(2) - 1) as f64;
        Self::from_fn(size, |u, v| match (u == v, size) {
            (true, 1) => 1.0,
            (true, _) => keep,
            _ => other,
        })
    }

    /// How many values go in.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many values can come out.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The distribution of what each value becomes, in the order of the values.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.entries.chunks_exact(self.outputs)
    }

    /// P(u → v); `None` when there are no such values.
    pub fn probability(&self, u: usize, v: usize) -> Option<f64> {
        if v < self.outputs { self.entries.get(u * self.outputs + v).copied() } else { None }
    }

    /// What is expected to come out of counts: AᵀX.
    ///
    /// # Errors
    /// When there is not one count per input.
    pub fn expected(&self, counts: &[f64]) -> Result<Vec<f64>, PerturbError> {
        let mut expected = vec![0.0; self.outputs];
        check_length("counts", counts.len(), self.inputs)?;
        for (row, &count) in self.rows().zip(counts) {
            expected.iter_mut().zip(row).for_each(|(expected, probability)| *expected += count * probability);
        }
        Ok(expected)
    }

    /// Perturbs a column of codes.
    ///
    /// # Errors
    /// When a code is not an input, or the source of randomness fails.
    pub fn randomize<C: Coins + ?Sized>(
        &self,
        codes: &[u32],
        coins: &mut C,
    ) -> Result<Drawn<Vec<u32>>, PerturbError> {
        let mut until = Vec::with_capacity(self.entries.len());
        for row in self.rows() {
            // From the last possible output on nothing is above: rounding cannot lead beyond it.
            let last = row.iter().rposition(|&probability| probability > 0.0);
            let mut sum = 0.0;
            until.extend(row.iter().enumerate().map(|(v, probability)| {
                sum += probability;
                if Some(v) >= last { f64::INFINITY } else { sum }
            }));
        }
        let mut value = Vec::with_capacity(codes.len());
        for (record, &code) in codes.iter().enumerate() {
            let start = code as usize * self.outputs;
            let row = until.get(start..start + self.outputs);
            let row = row.ok_or(PerturbError::Code { record, domain: self.inputs })?;
            let unit = coins.unit()?;
            value.push(row.partition_point(|&until| until <= unit) as u32);
        }
        Ok(Drawn { value, source: coins.source() })
    }

    /// The condition number: how much more the worst error grows than the best when the matrix is inverted. Infinite
    /// when it cannot be inverted.
    ///
    /// # Errors
    /// When the matrix is not square, or too large.
    pub fn condition_number(&self) -> Result<f64, PerturbError> {
        let values = self.square()?.singular_values();
        let (most, least) = (values.max(), values.min());
        Ok(if least > most * 1e-14 { most / least } else { f64::INFINITY })
    }

    /// The matrix for linear algebra.
    pub(crate) fn square(&self) -> Result<DMatrix<f64>, PerturbError> {
        const MOST: usize = 2048;
        check_length("outputs", self.outputs, self.inputs)?;
        if self.inputs > MOST {
            return Err(PerturbError::TooLarge {
                what: "the matrix to solve",
                found: self.inputs,
                most: MOST,
            });
        }
        Ok(DMatrix::from_row_slice(self.inputs, self.outputs, &self.entries))
    }
}

pub(crate) fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), PerturbError> {
    if found == expected { Ok(()) } else { Err(PerturbError::Length { what, found, expected }) }
}

fn check_size(inputs: usize, outputs: usize) -> Result<(), PerturbError> {
    let found = inputs.saturating_mul(outputs);
    if found > MOST_ENTRIES {
        return Err(PerturbError::TooLarge { what: "the entries of the matrix", found, most: MOST_ENTRIES });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_mean, assert_near};
    use crate::{OsCoins, SeededCoins, Source};

    #[test]
    fn rows_must_be_distributions() {
        assert!(PerturbationMatrix::new(2, vec![0.5, 0.5, 1.0, 0.0]).is_ok());
        for (outputs, entries) in [
            (2, vec![0.5, 0.6, 1.0, 0.0]),
            (2, vec![1.5, -0.5, 1.0, 0.0]),
            (2, vec![f64::NAN, 0.5, 1.0, 0.0]),
            (2, vec![f64::INFINITY, 0.5, 1.0, 0.0]),
        ] {
            assert_eq!(
                PerturbationMatrix::new(outputs, entries),
                Err(PerturbError::NotStochastic { row: 0 })
            );
        }
        assert!(PerturbationMatrix::new(2, vec![1.0, 0.0, 1.0]).is_err());
        assert!(PerturbationMatrix::new(0, vec![]).is_err() && PerturbationMatrix::new(2, vec![]).is_err());
        assert!(PerturbationMatrix::from_fn(usize::MAX, |_, _| 0.0).is_err());
        assert!(PerturbationMatrix::keeping(0.5, 0).is_err() && PerturbationMatrix::keeping(2.0, 3).is_err());
        assert_eq!(PerturbationMatrix::keeping(0.3, 1).unwrap().probability(0, 0), Some(1.0));
        assert_eq!(PerturbationMatrix::keeping(0.3, 3).unwrap().probability(0, 3), None);
    }

    /// False alarm: 1e-6.
    #[test]
    fn codes_become_what_the_rows_say() {
        let rows = [0.2, 0.0, 0.5, 0.3, 0.0, 1.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.0];
        let matrix = PerturbationMatrix::new(4, rows.to_vec()).unwrap();
        let draws = 60_000;
        let codes: Vec<u32> = (0..3 * draws).map(|i| i % 3).collect();
        let drawn = matrix.randomize(&codes, &mut SeededCoins::new(5)).unwrap();
        assert_eq!(drawn.source, Source::Seeded);
        let mut counts = [0u32; 12];
        for (&from, &to) in codes.iter().zip(&drawn.value) {
            counts[from as usize * 4 + to as usize] += 1;
        }
        for (count, p) in counts.into_iter().zip(rows) {
            if p == 0.0 || p == 1.0 {
                assert_eq!(f64::from(count), p * f64::from(draws));
            } else {
                assert_mean(
                    f64::from(count),
                    p * f64::from(draws),
                    (p * (1.0 - p) * f64::from(draws)).sqrt(),
                    7,
                );
            }
        }
        assert_eq!(matrix.randomize(&codes, &mut SeededCoins::new(5)), Ok(drawn));
        assert_eq!(matrix.randomize(&[1; 9], &mut OsCoins::new()).unwrap().value, [1; 9]);
        let error = matrix.randomize(&[0, 3], &mut SeededCoins::new(1));
        assert_eq!(error, Err(PerturbError::Code { record: 1, domain: 3 }));
        assert!(matrix.randomize(&[], &mut SeededCoins::new(1)).unwrap().value.is_empty());
        // Other sizes in than out: nothing to solve.
        assert!(matrix.condition_number().is_err());
        assert_eq!(matrix.expected(&[10.0, 1.0, 4.0]).unwrap(), [3.0, 2.0, 7.0, 3.0]);
        assert!(matrix.expected(&[1.0]).is_err());
    }

    /// A source that always gives the highest number.
    struct Highest;

    impl Coins for Highest {
        fn source(&self) -> Source {
            Source::Seeded
        }

        fn word(&mut self) -> Result<u64, PerturbError> {
            Ok(u64::MAX)
        }
    }

    /// Nine times a ninth is less than 1 in numbers, and still nothing beyond the last possible output is drawn.
    #[test]
    fn rounding_does_not_lead_out_of_the_row() {
        let row = [vec![1.0 / 9.0; 9], vec![0.0]].concat();
        let matrix = PerturbationMatrix::new(10, row).unwrap();
        assert_eq!(matrix.randomize(&[0], &mut Highest).unwrap().value, [8]);
    }

    #[test]
    fn condition_numbers() {
        // Eigenvalues 1 and 2p−1.
        assert_near(PerturbationMatrix::keeping(0.75, 2).unwrap().condition_number().unwrap(), 2.0, 1e-9);
        assert_eq!(PerturbationMatrix::keeping(0.5, 2).unwrap().condition_number(), Ok(f64::INFINITY));
        assert_near(PerturbationMatrix::keeping(1.0, 5).unwrap().condition_number().unwrap(), 1.0, 1e-9);
    }
}
