//! Records as points, so that it can be said how far apart they are (survey ME-11, thesis 2.13).
//!
//! Columns of numbers and dates are scaled, so that none outweighs the others by its unit, and columns of categories
//! are compared by Gower's distance. Where every column is a number and none is missing the records are [`Points`]
//! in Euclidean space; otherwise they are [`Mixed`]. The squared distance is the sum over the columns, each times its
//! weight over the largest weight.
//!
//! Edge cases: a column with one value says nothing, and so does one of weight 0. A missing number is at distance 1
//! from every number (one standard deviation, or the whole range) and at 0 from another. An infinite number
//! counts as the largest (or smallest) finite one of the column; as 0 when there is none.

use serde::Deserialize;

use super::mixed::{Column, Kind, Level, Mixed};
use super::points::Points;
use crate::lattice::Quasi;

/// How numbers are made comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// By the mean and standard deviation of the column.
    #[default]
    ZScore,
    /// By its smallest and largest value.
    Range,
}

/// How far two categories are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Categories {
    /// 1 unless they are the same.
    #[default]
    Equal,
    /// The leaves under their lowest common node over all leaves of the hierarchy; 0 when they are the same.
    Hierarchy,
    /// As numbers: their places in the order of the hierarchy's leaves, scaled like other numbers. This is what the
    /// thesis does. It is fast, and only means something where that order does.
    Order,
}

/// Where the records lie.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Space {
    /// Numbers alone.
    Points(Points),
    /// Numbers, categories and missing values.
    Mixed(Mixed),
}

impl Space {
    /// Where so many records of these columns lie.
    pub fn new(quasi: &[Quasi<'_>], rows: usize, scale: Scale, categories: Categories) -> Self {
        let largest = quasi.iter().map(|quasi| quasi.weight).fold(0.0, f64::max);
        let columns: Vec<(Scaled, f64)> = quasi
            .iter()
            .filter(|quasi| quasi.weight > 0.0)
            .map(|quasi| (Scaled::new(quasi, scale, categories), quasi.weight / largest))
            .collect();
        let numeric = columns.iter().all(|(column, _)| matches!(column, Scaled::Known { .. }));
        if numeric {
            let mut values = vec![0.0; rows * columns.len()];
            for (i, (column, weight)) in columns.iter().enumerate() {
                let Scaled::Known { codes, numbers } = column else { continue };
                let numbers: Vec<f64> = numbers.iter().map(|number| number * weight.sqrt()).collect();
                let cells = values.iter_mut().skip(i).step_by(columns.len());
                cells.zip(codes).for_each(|(cell, &code)| *cell = numbers[code as usize]);
            }
            return Space::Points(Points::new(rows, values));
        }
        let columns = columns.into_iter().map(|(column, weight)| {
            let (codes, kind) = match column {
                Scaled::Known { codes, numbers } | Scaled::Partly { codes, numbers } => {
                    (codes, Kind::Numbers(numbers))
                }
                Scaled::Categories { codes, levels } => (codes, Kind::Categories(levels)),
            };
            Column { codes, weight, kind }
        });
        Space::Mixed(Mixed::new(rows, columns.collect()))
    }
}

/// A column made comparable.
enum Scaled {
    /// Numbers, none missing.
    Known { codes: Vec<u32>, numbers: Vec<f64> },
    /// Numbers, some missing.
    Partly { codes: Vec<u32>, numbers: Vec<f64> },
    /// Leaves.
    Categories { codes: Vec<u32>, levels: Vec<Level> },
}

impl Scaled {
    fn new(quasi: &Quasi<'_>, scale: Scale, categories: Categories) -> Self {
        if let Some(numbers) = quasi.numbers {
            let codes = quasi.codes.to_vec();
            let missing = codes.iter().any(|&code| numbers[code as usize].is_nan());
            let numbers = scaled(numbers, &codes, scale);
            return if missing { Self::Partly { codes, numbers } } else { Self::Known { codes, numbers } };
        }
        let values = &quasi.generalization.levels[0];
        let leaf = |code: u32| values.node_of_code[code as usize];
        let codes: Vec<u32> = quasi.codes.iter().map(|&code| leaf(code)).collect();
        let leaves = values.labels.len();
        if categories == Categories::Order {
            let places: Vec<f64> = (0..leaves).map(|leaf| leaf as f64).collect();
            return Self::Known { numbers: scaled(&places, &codes, scale), codes };
        }
        let used = if categories == Categories::Hierarchy { quasi.generalization.levels.len() } else { 1 };
        let levels = quasi.generalization.levels[..used].iter().enumerate().map(|(number, level)| {
            let mut node_of_leaf = vec![0; leaves];
            for (code, &node) in level.node_of_code.iter().enumerate() {
                node_of_leaf[leaf(code as u32) as usize] = node;
            }
            let share = |covered: u32| f64::from(covered) / f64::from(quasi.generalization.leaves.max(1));
            // A value is at no distance from itself.
            let squared = |covered: &u32| if number == 0 { 0.0 } else { share(*covered) * share(*covered) };
            Level { node_of_leaf, squared: level.leaves.iter().map(squared).collect() }
        });
        let mut levels: Vec<Level> = levels.collect();
        // Leaves that the data does not hold are told apart, too.
        levels[0].node_of_leaf = (0..leaves as u32).collect();
        Self::Categories { codes, levels }
    }
}

/// Per code its number, made comparable; NaN stays.
pub(crate) fn scaled(numbers: &[f64], codes: &[u32], scale: Scale) -> Vec<f64> {
    let mut counts = vec![0u64; numbers.len()];
    codes.iter().for_each(|&code| counts[code as usize] += 1);
    let occurring = || {
        let pairs = numbers.iter().zip(&counts);
        pairs
            .filter(|(number, count)| **count > 0 && !number.is_nan())
            .map(|(&number, &count)| (number, count))
    };
    let finite = || occurring().map(|(number, _)| number).filter(|number| number.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    if low >= high {
        return numbers.iter().map(|number| if number.is_nan() { f64::NAN } else { 0.0 }).collect();
    }
    // Over the largest magnitude first, so that no sum of squares overflows.
    let unit = low.abs().max(high.abs());
    let within = |number: f64| number.clamp(low, high) / unit;
    let (middle, width) = match scale {
        Scale::Range => (within(low), within(high) - within(low)),
        Scale::ZScore => {
            let rows = occurring().map(|(_, count)| count).sum::<u64>() as f64;
            let mean = occurring().map(|(number, count)| within(number) * count as f64).sum::<f64>() / rows;
            let square = |number: f64| (within(number) - mean) * (within(number) - mean);
            let squares = occurring().map(|(number, count)| square(number) * count as f64).sum::<f64>();
            (mean, (squares / rows).sqrt())
        }
    };
    // Numbers that differ in their last bits only may have no spread that can be told from rounding.
    let width = if width > 0.0 { width } else { 1.0 };
    numbers.iter().map(|&number| (within(number) - middle) / width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn z(numbers: &[f64], scale: Scale) -> Vec<f64> {
        scaled(numbers, &(0..numbers.len() as u32).collect::<Vec<u32>>(), scale)
    }

    #[test]
    fn numbers_are_standardized_by_the_records_that_have_them() {
        assert_eq!(z(&[2.0, 4.0], Scale::ZScore), [-1.0, 1.0]);
        assert_eq!(z(&[2.0, 4.0, 3.0], Scale::Range), [0.0, 1.0, 0.5]);
        // 9 occurs nowhere; 2 and 4 are there three times to one: mean 2.5, standard deviation sqrt(0.75).
        let skewed = scaled(&[2.0, 4.0, 9.0], &[0, 0, 0, 1], Scale::ZScore);
        assert!((skewed[0] + 0.5 / 0.75f64.sqrt()).abs() < 1e-12, "{skewed:?}");
        assert!((skewed[1] - 1.5 / 0.75f64.sqrt()).abs() < 1e-12, "{skewed:?}");
    }

    #[test]
    fn constant_columns_missing_values_and_infinities() {
        assert_eq!(z(&[7.0, 7.0], Scale::ZScore), [0.0, 0.0]);
        assert_eq!(z(&[7.0], Scale::Range), [0.0]);
        assert!(z(&[f64::NAN, f64::NAN], Scale::ZScore).iter().all(|x| x.is_nan()));
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let numbers = z(&[nan, -inf, 0.0, 10.0, inf], Scale::Range);
        assert!(numbers[0].is_nan());
        assert_eq!(numbers[1..], [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(z(&[-inf, inf], Scale::ZScore), [0.0, 0.0]);
        let huge = z(&[-f64::MAX, 0.0, f64::MAX], Scale::ZScore);
        assert!(huge.iter().all(|x| x.is_finite()) && huge[0] < huge[1] && huge[1] < huge[2], "{huge:?}");
        let tiny = z(&[5e-324, 1e-323], Scale::ZScore);
        assert!(tiny.iter().all(|x| x.is_finite()), "{tiny:?}");
    }
}
