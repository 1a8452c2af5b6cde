//! How far a table was anonymized, as a number from 0 (as it was) to 1 (every value at its top level) (thesis 1.10,
//! Definitions 4.4 to 4.6).
//!
//! The thesis numbers the levels of a hierarchy from A_1 (most general) to A_h (the value). Here levels are those
//! of the rest of the program: 0 is the value, the height of the hierarchy the top, so level l is A_(height + 1 - l),
//! and the step from l to l + 1 has the thesis' weight w_(j,j-1) with j - 1 = height - l. Definition 4.4 is printed
//! with p < q where p > q is meant. The printed degrees of the example table (0.6, 0.05 and 0.125) leave out the
//! division of Definition 4.5 (defect 4); here it is made.
//!
//! # Guarantee
//! Every degree lies between 0 and 1, grows with the levels, and adds up along a way through the hierarchy.

use serde::Deserialize;

use super::OutOfRange;

/// Differences below this are rounding.
const ROUNDING: f64 = 1e-12;

/// How much each step of a hierarchy counts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Every step counts the same.
    #[default]
    Uniform,
    /// Steps near the top count more: the one that ends j levels below the top counts 1/(j + 1)^β. The exponent β
    /// is at least 1.
    Utility(f64),
}

impl Weights {
    /// Checks the exponent.
    ///
    /// # Errors
    /// When it is below 1 or no number.
    pub fn check(self) -> Result<(), OutOfRange> {
        match self {
            Weights::Utility(beta) if !(beta.is_finite() && beta >= 1.0) => {
                Err(OutOfRange("must be \"uniform\", or { utility = β } with a number β of at least 1"))
            }
            _ => Ok(()),
        }
    }

    /// The degree of attribute anonymization (Definition 4.4): that of a value which goes from one level to
    /// another in a hierarchy of this height. 0 when it does not go up, and in a hierarchy without levels.
    ///
    /// ```
    /// use privet_recode::purpose::Weights;
    /// // Day, month, year, decade, age group, *: from days to years.
    /// assert_eq!(Weights::Uniform.degree(5, 0, 2), 0.4);
    /// ```
    pub fn degree(self, height: usize, from: usize, to: usize) -> f64 {
        let to = to.min(height);
        if from >= to {
            return 0.0;
        }
        match self {
            Weights::Uniform => (to - from) as f64 / height as f64,
            Weights::Utility(beta) => {
                let steps = |levels: std::ops::Range<usize>| -> f64 {
                    levels.map(|level| ((height - level) as f64).powf(-beta)).sum()
                };
                steps(from..to) / steps(0..height)
            }
        }
    }

    /// The level that a value must go up to for at least this degree: the lowest one, the top when none will do.
    /// Any degree above 0 asks for at least one step.
    ///
    /// With uniform weights this is ceil(degree × height), the thesis' interval with its ends: a degree on the
    /// border of two intervals belongs to the lower one.
    pub fn level(self, height: usize, degree: f64) -> usize {
        if degree.is_nan() || degree <= 0.0 {
            return 0;
        }
        let enough = |&level: &usize| self.degree(height, 0, level) >= degree - ROUNDING;
        (1..=height).find(enough).unwrap_or(height)
    }
}

/// The scale by which tuples and tables are measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Degrees {
    /// How much each step counts.
    pub weights: Weights,
    /// Per column the height of its hierarchy.
    pub heights: Vec<usize>,
    /// Per column how much it counts; those of [`priority`](super::priority).
    pub priorities: Vec<f64>,
}

impl Degrees {
    /// What a column counts in the whole: its share of all priorities, or the same for all when none has any.
    pub fn share(&self, column: usize) -> f64 {
        share(&self.priorities, column)
    }

    /// The degree of tuple anonymization (Definition 4.5): of a tuple whose values went from these levels to
    /// those.
    pub fn tuple(&self, from: &[usize], to: &[usize]) -> f64 {
        let columns = self.heights.iter().zip(from).zip(to).enumerate();
        columns
            .map(|(column, ((&height, &from), &to))| {
                self.share(column) * self.weights.degree(height, from, to)
            })
            .sum()
    }

    /// The degree of table anonymization (Definition 4.6): the mean over tuples, of each of which the levels are
    /// given to which its values went. 0 without tuples.
    pub fn table<'a>(&self, tuples: impl IntoIterator<Item = &'a [usize]>) -> f64 {
        let from = vec![0; self.heights.len()];
        let (mut sum, mut count) = (0.0, 0u64);
        for to in tuples {
            sum += self.tuple(&from, to);
            count += 1;
        }
        if count == 0 { 0.0 } else { sum / count as f64 }
    }

    /// The degree of a table of which every column went to one level and some of all records were suppressed. A
    /// suppressed record counts as one that was generalized to the top; the thesis suppresses none.
    pub fn full_domain(&self, levels: &[usize], suppressed: u64, rows: u64) -> f64 {
        let kept = self.tuple(&vec![0; self.heights.len()], levels);
        if rows == 0 {
            return kept;
        }
        let gone = suppressed.min(rows) as f64 / rows as f64;
        gone + (1.0 - gone) * kept
    }
}

/// The share of one number in the sum of all; equal shares when all are 0.
pub(super) fn share(numbers: &[f64], position: usize) -> f64 {
    let total: f64 = numbers.iter().sum();
    let number = numbers.get(position).copied().unwrap_or(0.0);
    if total > 0.0 { number / total } else { 1.0 / numbers.len().max(1) as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn weights() -> impl Strategy<Value = Weights> {
        prop_oneof![Just(Weights::Uniform), (1.0f64..4.0).prop_map(Weights::Utility)]
    }

    #[test]
    fn birth_dates_and_gender() {
        // Thesis 1.10: {D/M/Y, M/Y, Y, 10Y, C/Y/M/O, *} and {M/F, *}.
        let utility = Weights::Utility(1.0);
        assert_eq!(Weights::Uniform.degree(5, 0, 2), 0.4);
        assert!((utility.degree(5, 0, 1) - 0.0876).abs() < 5e-5);
        assert_eq!(Weights::Uniform.degree(1, 0, 1), 1.0);
        assert_eq!(utility.degree(1, 0, 1), 1.0);
        assert!(1.0 < 12.0 * utility.degree(5, 0, 1) && 1.0 > 11.0 * utility.degree(5, 0, 1));
    }

    proptest! {
        #[test]
        fn degrees_add_up(weights in weights(), height in 0usize..9, a in 0usize..9, b in 0usize..9) {
            let (low, high) = (a.min(b).min(height), a.max(b).min(height));
            let parts = weights.degree(height, 0, low)
                + weights.degree(height, low, high)
                + weights.degree(height, high, height);
            let whole = if height == 0 { 0.0 } else { 1.0 };
            prop_assert!((parts - whole).abs() < 1e-12);
            prop_assert_eq!(weights.degree(height, high, low), 0.0);
        }

        /// The lowest level that will do, which the level's own degree leads back to.
        #[test]
        fn the_lowest_level(weights in weights(), height in 1usize..9, degree in 0.0f64..1.0) {
            let level = weights.level(height, degree);
            prop_assert!(weights.degree(height, 0, level) >= degree - 1e-12);
            prop_assert!(level == 0 || weights.degree(height, 0, level - 1) < degree);
            prop_assert_eq!(weights.level(height, weights.degree(height, 0, level)), level);
            if weights == Weights::Uniform {
                prop_assert_eq!(level, (degree * height as f64).ceil() as usize);
            }
        }
    }

    #[test]
    fn ends_of_the_scale() {
        for weights in [Weights::Uniform, Weights::Utility(1.0), Weights::Utility(1e6)] {
            assert_eq!(weights.level(4, 0.0), 0);
            assert_eq!(weights.level(4, -1.0), 0);
            assert_eq!(weights.level(4, f64::NAN), 0);
            assert_eq!(weights.level(4, 1.0), 4);
            assert_eq!(weights.level(4, 7.0), 4);
            assert_eq!(weights.level(0, 1.0), 0);
            assert!(weights.level(4, 1e-300) >= 1);
            assert_eq!(weights.degree(0, 0, 3), 0.0);
            assert_eq!(weights.degree(4, 0, 9), 1.0);
        }
    }

    #[test]
    fn the_exponent() {
        assert_eq!(Weights::Utility(1.0).check(), Ok(()));
        for wrong in [0.0, 0.99, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Weights::Utility(wrong).check().is_err(), "{wrong}");
        }
    }

    #[test]
    fn priorities_of_zero_count_alike() {
        let scale = Degrees { weights: Weights::Uniform, heights: vec![1, 2], priorities: vec![0.0, 0.0] };
        assert_eq!(scale.tuple(&[0, 0], &[1, 1]), 0.75);
        assert_eq!(scale.table([]), 0.0);
        assert_eq!(scale.full_domain(&[0, 0], 1, 4), 0.25);
        assert_eq!(scale.full_domain(&[1, 1], 9, 4), 1.0);
        assert_eq!(scale.full_domain(&[1, 1], 0, 0), 0.75);
        let none = Degrees { weights: Weights::Uniform, heights: vec![], priorities: vec![] };
        assert_eq!(none.tuple(&[], &[]), 0.0);
    }
}
