//! How far numbers, means, variances and covariances moved (survey UM-20 … UM-23, and the variants of UM-25). The
//! released table has the same columns; only UM-20 needs the same records in the same order.
//!
//! A number that is not finite is missing. Means and variances are over the numbers that are there, covariances over
//! the records with a number in both columns, divided by one less than their count.
//!
//! The printed formulas divide by the original, which may be 0. Such a term is 0 when the released one is 0 too;
//! otherwise it has no relative size, and is left out and counted.

use rayon::prelude::*;

use super::UtilityError;
use super::correlation::{complete, mean};

/// How a difference is taken (UM-25).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Deviation {
    /// |x − x'|.
    Absolute,
    /// |x − x'|/|x|: as the survey prints UM-20 … UM-23.
    #[default]
    Relative,
    /// (x − x')².
    Squared,
}

impl Deviation {
    /// `None` when there is none to speak of.
    fn of(self, x: f64, y: f64) -> Option<f64> {
        let gap = (x - y).abs();
        let own = match self {
            Deviation::Absolute => gap,
            Deviation::Squared => gap * gap,
            Deviation::Relative if gap == 0.0 => 0.0,
            Deviation::Relative => gap / x.abs(),
        };
        (x.is_finite() && y.is_finite() && own.is_finite()).then_some(own)
    }
}

/// A mean of differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variation {
    /// Their mean; `None` when nothing could be compared.
    pub mean: Option<f64>,
    /// How many could be compared.
    pub compared: u64,
    /// How many could not, because one is missing or the original is 0.
    pub left_out: u64,
}

impl Variation {
    fn of(pairs: impl Iterator<Item = (f64, f64)>, deviation: Deviation) -> Self {
        let (mut sum, mut compared, mut left_out) = (0.0, 0, 0);
        for (x, y) in pairs {
            match deviation.of(x, y) {
                Some(own) => {
                    sum += own;
                    compared += 1;
                }
                None => left_out += 1,
            }
        }
        Self { mean: (compared > 0).then(|| sum / compared as f64), compared, left_out }
    }
}

/// Mean over all cells of how far each moved (UM-20).
///
/// # Errors
/// When the tables have not as many columns, or a column not as many records as before.
pub fn mean_variation(
    original: &[&[f64]],
    released: &[&[f64]],
    deviation: Deviation,
) -> Result<Variation, UtilityError> {
    super::same_length("released columns", released.len(), original.len())?;
    for (before, after) in original.iter().zip(released) {
        super::same_length("numbers of a released column", after.len(), before.len())?;
    }
    let cells = original.iter().zip(released).flat_map(|(x, y)| x.iter().copied().zip(y.iter().copied()));
    Ok(Variation::of(cells, deviation))
}

/// Mean over columns of how far the mean moved (UM-21).
///
/// # Errors
/// When the tables have not as many columns.
pub fn variation_of_means(
    original: &[&[f64]],
    released: &[&[f64]],
    deviation: Deviation,
) -> Result<Variation, UtilityError> {
    super::same_length("released columns", released.len(), original.len())?;
    let mean_of = |column: &[f64]| {
        let present: Vec<f64> = column.iter().copied().filter(|x| x.is_finite()).collect();
        if present.is_empty() { f64::NAN } else { mean(&present) }
    };
    Ok(Variation::of(original.iter().zip(released).map(|(x, y)| (mean_of(x), mean_of(y))), deviation))
}

/// Mean over columns of how far the variance moved (UM-23).
///
/// # Errors
/// When the tables have not as many columns.
pub fn variation_of_variances(
    original: &[&[f64]],
    released: &[&[f64]],
    deviation: Deviation,
) -> Result<Variation, UtilityError> {
    super::same_length("released columns", released.len(), original.len())?;
    let places: Vec<(usize, usize)> = (0..original.len()).map(|i| (i, i)).collect();
    covariances(original, released, places, deviation)
}

/// Mean over pairs of columns, each column with itself included, of how far the covariance moved (UM-22).
///
/// # Errors
/// When the tables have not as many columns, or columns of one of them differ in length.
pub fn variation_of_covariances(
    original: &[&[f64]],
    released: &[&[f64]],
    deviation: Deviation,
) -> Result<Variation, UtilityError> {
    super::same_length("released columns", released.len(), original.len())?;
    let places = (0..original.len()).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
    covariances(original, released, places, deviation)
}

fn covariances(
    original: &[&[f64]],
    released: &[&[f64]],
    places: Vec<(usize, usize)>,
    deviation: Deviation,
) -> Result<Variation, UtilityError> {
    let both: Result<Vec<(f64, f64)>, UtilityError> = places
        .into_par_iter()
        .map(|(i, j)| Ok((covariance(original[i], original[j])?, covariance(released[i], released[j])?)))
        .collect();
    Ok(Variation::of(both?.into_iter(), deviation))
}

/// NaN when there are fewer than two records with both.
fn covariance(a: &[f64], b: &[f64]) -> Result<f64, UtilityError> {
    let (a, b) = complete(a, b)?;
    if a.len() < 2 {
        return Ok(f64::NAN);
    }
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let sum: f64 = a.iter().zip(&b).map(|(x, y)| (x - mean_a) * (y - mean_b)).sum();
    Ok(sum / (a.len() - 1) as f64)
}

/// Several measures in one number (UM-25): their mean, each with its weight; `None` when no weight is above 0, or one is
/// negative or not finite.
pub fn weighted_mean(weights_and_values: &[(f64, f64)]) -> Option<f64> {
    let weights: f64 = weights_and_values.iter().map(|own| own.0).sum();
    let is_fine = weights_and_values.iter().all(|own| own.0 >= 0.0) && weights.is_finite() && weights > 0.0;
    is_fine.then(|| weights_and_values.iter().map(|(weight, value)| weight / weights * value).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_is(variation: Result<Variation, UtilityError>, expected: f64) {
        let own = variation.unwrap().mean.unwrap();
        assert!((own - expected).abs() < 1e-12, "{own} {expected}");
    }

    const A: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
    const B: [f64; 4] = [10.0, 10.0, 20.0, 20.0];

    #[test]
    fn by_hand() {
        let (half, same) = ([0.5, 1.0, 1.5, 2.0], B);
        let (before, after): ([&[f64]; 2], [&[f64]; 2]) = ([&A, &B], [&half, &same]);
        let relative = Deviation::Relative;
        mean_is(mean_variation(&before, &after, relative), 0.25);
        mean_is(variation_of_means(&before, &after, relative), 0.25);
        // Half the numbers: a quarter of the variance, half of the covariance.
        mean_is(variation_of_variances(&before, &after, relative), 0.375);
        mean_is(variation_of_covariances(&before, &after, relative), (0.75 + 0.5) / 3.0);
        mean_is(mean_variation(&before, &after, Deviation::Absolute), 5.0 / 8.0);
        mean_is(mean_variation(&before, &after, Deviation::Squared), 7.5 / 8.0);
        // Var(A) = 5/3, and a quarter of it is 5/12.
        mean_is(variation_of_variances(&before, &after, Deviation::Absolute), 15.0 / 12.0 / 2.0);
    }

    /// Survey FX-4.5: group means keep the mean of all, and take from the variance what lay within groups.
    #[test]
    fn microaggregation_keeps_the_mean() {
        let ages = [25.0, 23.0, 20.0, 27.0, 19.0, 24.0, 40.0, 30.0];
        let (a, b) = (68.0 / 3.0, 70.0 / 3.0);
        let released = [a, a, a, b, b, b, 35.0, 35.0];
        mean_is(variation_of_means(&[&ages], &[&released], Deviation::Relative), 0.0);
        let within = 38.0 / 3.0 + 98.0 / 3.0 + 50.0;
        mean_is(variation_of_variances(&[&ages], &[&released], Deviation::Relative), within / 312.0);
    }

    #[test]
    fn zeros_and_missing_numbers() {
        let relative = Deviation::Relative;
        let own = mean_variation(&[&[0.0, 0.0, 2.0, f64::NAN]], &[&[0.0, 1.0, 3.0, 1.0]], relative).unwrap();
        assert_eq!(own, Variation { mean: Some(0.25), compared: 2, left_out: 2 });
        let nothing = Variation { mean: None, compared: 0, left_out: 1 };
        assert_eq!(variation_of_means(&[&[]], &[&[]], relative), Ok(nothing));
        assert_eq!(variation_of_variances(&[&[1.0]], &[&[1.0]], relative), Ok(nothing));
        assert_eq!(variation_of_variances(&[&[-1e300, 1e300]], &[&A], relative), Ok(nothing));
        assert_eq!(variation_of_means(&[], &[], relative).unwrap().mean, None);
        assert!(mean_variation(&[&A], &[], relative).is_err());
        assert!(mean_variation(&[&A], &[&[1.0]], relative).is_err());
        assert!(variation_of_covariances(&[&A, &[1.0]], &[&A, &A], relative).is_err());
        // A released table may have other records.
        mean_is(variation_of_means(&[&A], &[&[2.5]], relative), 0.0);
    }

    #[test]
    fn weights() {
        assert_eq!(weighted_mean(&[(3.0, 1.0), (1.0, 5.0)]), Some(2.0));
        for bad in
            [&[][..], &[(0.0, 1.0)], &[(-1.0, 1.0), (3.0, 1.0)], &[(f64::INFINITY, 1.0)], &[(f64::NAN, 1.0)]]
        {
            assert_eq!(weighted_mean(bad), None);
        }
    }
}
