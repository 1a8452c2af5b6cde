//! Columns as features for a regression: a number is itself, brought to mean 0 and deviation 1; a category is one feature
//! for each category that occurs but the most frequent one.
//!
//! # Guarantee
//! A category that did not occur reads as the most frequent one. Categories of fewer records than are asked for are one
//! feature together, and where these are too few as well, they read as the most frequent one;
//! constant columns and columns without a known value are no features. At most [`MOST_FEATURES`].

use super::super::{Column, MISSING, SyntheticError};

/// The most features, apart from the intercept.
pub const MOST_FEATURES: usize = 500;

/// How columns become features; the intercept is feature 0.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Features {
    encoded: Vec<Encoded>,
    /// With the intercept.
    pub(in super::super) size: usize,
    /// Categories that occur, but in too few records to be features.
    pub(in super::super) merged: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Encoded {
    Numeric {
        column: usize,
        feature: u32,
        mean: f64,
        inverse: f64,
    },
    /// Per code the feature; 0 when it has none.
    Categorical {
        column: usize,
        features: Vec<u32>,
    },
}

impl Features {
    /// Learns from the values of these rows.
    pub(in super::super) fn new(
        columns: &[Column],
        known: &[usize],
        rows: &[u32],
    ) -> Result<Self, SyntheticError> {
        Self::of_at_least(1, columns, known, rows)
    }

    /// The same with categories of at least so many records.
    pub(in super::super) fn of_at_least(
        least: u32,
        columns: &[Column],
        known: &[usize],
        rows: &[u32],
    ) -> Result<Self, SyntheticError> {
        let mut found = Self { encoded: Vec::new(), size: 1, merged: 0 };
        for &column in known {
            match &columns[column] {
                Column::Numeric(values) => {
                    let own = rows.iter().map(|&row| values[row as usize]).filter(|value| !value.is_nan());
                    let (mean, deviation) = mean_and_deviation(own);
                    if deviation > 0.0 {
                        let (feature, inverse) = (found.size as u32, 1.0 / deviation);
                        found.encoded.push(Encoded::Numeric { column, feature, mean, inverse });
                        found.size += 1;
                    }
                }
                Column::Categorical { codes, categories } => {
                    let mut counts = vec![0u32; *categories];
                    for &row in rows {
                        if let Some(count) = counts.get_mut(codes[row as usize] as usize) {
                            *count += 1;
                        }
                    }
                    let most = counts.iter().copied().max().unwrap_or(0);
                    let reference = counts.iter().position(|&count| count == most);
                    let mut features = vec![0u32; *categories];
                    // Those of few records are one feature together, where they are enough for that.
                    let is_rare =
                        |code: usize| counts[code] > 0 && counts[code] < least && Some(code) != reference;
                    let rare: Vec<usize> = (0..*categories).filter(|&code| is_rare(code)).collect();
                    if rare.iter().map(|&code| counts[code]).sum::<u32>() >= least.max(2) && rare.len() > 1 {
                        rare.iter().for_each(|&code| features[code] = found.size as u32);
                        found.size += 1;
                        found.merged += rare.len() - 1;
                    } else {
                        found.merged += rare.len();
                    }
                    for (code, feature) in features.iter_mut().enumerate() {
                        if counts[code] == 0 || Some(code) == reference || counts[code] < least {
                            continue;
                        }
                        *feature = found.size as u32;
                        found.size += 1;
                    }
                    found.encoded.push(Encoded::Categorical { column, features });
                }
            }
            if found.size > MOST_FEATURES + 1 {
                return Err(SyntheticError::TooLarge {
                    what: "the features of a regression",
                    found: found.size - 1,
                    most: MOST_FEATURES,
                });
            }
        }
        Ok(found)
    }

    /// The features of a record that are not 0, in rising order; the intercept is the first.
    pub(in super::super) fn read(&self, columns: &[Column], record: usize, row: &mut Vec<(u32, f64)>) {
        row.clear();
        row.push((0, 1.0));
        for encoded in &self.encoded {
            match encoded {
                Encoded::Numeric { column, feature, mean, inverse } => {
                    if let Column::Numeric(values) = &columns[*column] {
                        let value = values[record];
                        // Missing reads as the mean.
                        row.push((*feature, if value.is_nan() { 0.0 } else { (value - mean) * inverse }));
                    }
                }
                Encoded::Categorical { column, features } => {
                    if let Column::Categorical { codes, .. } = &columns[*column] {
                        let code = codes[record];
                        let feature = if code == MISSING { None } else { features.get(code as usize) };
                        if let Some(&feature) = feature.filter(|&&feature| feature > 0) {
                            row.push((feature, 1.0));
                        }
                    }
                }
            }
        }
    }
}

/// Mean and standard deviation (divisor n−1); a deviation of 0 when fewer than two values differ by more than rounding.
pub(in super::super) fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.clone().count() as f64;
    // Measured from the first value, so that a constant column has a deviation of exactly 0.
    let Some(origin) = values.clone().next() else { return (0.0, 0.0) };
    let mean = origin + values.clone().map(|value| (value - origin) / n).sum::<f64>();
    let most = values.clone().map(|value| (value - mean).abs()).fold(0.0, f64::max);
    if n < 2.0 || most <= 1e-14 * mean.abs() || most < 1e-150 {
        return (mean, 0.0);
    }
    // Squares of shares of the largest, which cannot be too small to add up.
    let squares: f64 = values.map(|value| ((value - mean) / most).powi(2)).sum();
    (mean, most * (squares / (n - 1.0)).sqrt())
}
