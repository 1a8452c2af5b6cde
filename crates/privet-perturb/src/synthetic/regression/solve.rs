//! Solving for coefficients: a triangular factor that leaves out features which others determine.
//!
//! # Guarantee
//! A feature whose part that earlier features do not explain is below 1e-9 of it (in squares) gets the coefficient 0; so
//! collinear columns are no error, and the first of them is the one that is used.

/// What earlier features leave of one, in squares, below which it is left out.
const LEAST: f64 = 1e-9;

/// L·Lᵗ of the symmetric matrix of the features that are kept.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Factor {
    /// The features that are kept, in rising order.
    pub(in super::super) kept: Vec<usize>,
    /// Row by row, the first `kept.len()` entries of each row are used.
    lower: Vec<f64>,
    size: usize,
}

impl Factor {
    /// Of a symmetric matrix without negative eigenvalues, row by row; its lower half is read.
    pub(in super::super) fn new(matrix: &[f64], size: usize) -> Self {
        let mut kept: Vec<usize> = Vec::with_capacity(size);
        let mut lower: Vec<f64> = Vec::with_capacity(size * size);
        let mut row = vec![0.0; size];
        for feature in 0..size {
            let own = &matrix[feature * size..(feature + 1) * size];
            for (place, &earlier) in kept.iter().enumerate() {
                let line = &lower[place * size..place * size + place + 1];
                let sum: f64 = line.iter().zip(&row).take(place).map(|(a, b)| a * b).sum();
                row[place] = (own[earlier] - sum) / line[place];
            }
            let rest = own[feature] - row.iter().take(kept.len()).map(|a| a * a).sum::<f64>();
            // Also refuses what is no number.
            if rest > LEAST * own[feature] && own[feature] > 0.0 {
                row[kept.len()] = rest.sqrt();
                lower.extend_from_slice(&row);
                kept.push(feature);
            }
        }
        Self { kept, lower, size }
    }

    /// How many features are kept.
    pub(in super::super) fn rank(&self) -> usize {
        self.kept.len()
    }

    fn line(&self, place: usize) -> &[f64] {
        &self.lower[place * self.size..place * self.size + place + 1]
    }

    /// L⁻¹ of the kept entries of a vector over all features.
    pub(in super::super) fn forward(&self, right: &[f64]) -> Vec<f64> {
        let mut solved: Vec<f64> = Vec::with_capacity(self.rank());
        for (place, &feature) in self.kept.iter().enumerate() {
            let line = self.line(place);
            let sum: f64 = line.iter().zip(&solved).map(|(a, b)| a * b).sum();
            solved.push((right[feature] - sum) / line[place]);
        }
        solved
    }

    /// L⁻ᵗ of a vector over the kept features, spread over all features.
    pub(in super::super) fn backward(&self, mut right: Vec<f64>) -> Vec<f64> {
        let mut solved = vec![0.0; self.size];
        for place in (0..self.rank()).rev() {
            let line = self.line(place);
            let own = right[place] / line[place];
            solved[self.kept[place]] = own;
            right.iter_mut().zip(line).take(place).for_each(|(right, entry)| *right -= entry * own);
        }
        solved
    }

    /// What the matrix of the kept features times the answer gives this; 0 for others.
    pub(in super::super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        self.backward(self.forward(right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// The residual of the normal equations is 0 for kept features, and a copy of a feature is left out.
        #[test]
        fn solves_what_is_kept(values in prop::collection::vec(-3.0f64..3.0, 24), y in prop::collection::vec(-3.0f64..3.0, 8)) {
            // 8 rows, an intercept, three features, and the sum of the first two.
            let rows: Vec<Vec<f64>> = values.chunks(3).map(|v| vec![1.0, v[0], v[1], v[0] + v[1], v[2]]).collect();
            let entry = |a: usize, b: usize| rows.iter().map(|row| row[a] * row[b]).sum::<f64>();
            let matrix: Vec<f64> = (0..25).map(|place| entry(place / 5, place % 5)).collect();
            let right: Vec<f64> = (0..5).map(|a| rows.iter().zip(&y).map(|(row, y)| row[a] * y).sum()).collect();
            let factor = Factor::new(&matrix, 5);
            prop_assume!(factor.rank() == 4);
            prop_assert_eq!(&factor.kept, &[0, 1, 2, 4]);
            let solved = factor.solve(&right);
            prop_assert_eq!(solved[3], 0.0);
            let scale = solved.iter().fold(1.0f64, |most, own| most.max(own.abs()));
            for a in [0, 1, 2, 4] {
                let left: f64 = (0..5).map(|b| entry(a, b) * solved[b]).sum();
                prop_assert!((left - right[a]).abs() < 1e-7 * scale * scale, "{} {}", left, right[a]);
            }
        }
    }

    #[test]
    fn nothing_to_solve() {
        assert_eq!(Factor::new(&[], 0).rank(), 0);
        let none = Factor::new(&[0.0, 0.0, 0.0, f64::NAN], 2);
        assert_eq!((none.rank(), none.solve(&[1.0, 1.0])), (0, vec![0.0, 0.0]));
    }
}
