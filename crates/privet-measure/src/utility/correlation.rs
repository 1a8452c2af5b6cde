//! Correlations of pairs of columns of numbers, before and after (survey UM-24, UM-35).
//!
//! Pearson's ρ of the numbers, and Spearman's: Pearson's ρ of the ranks, equal numbers sharing the mean of their ranks.
//! A pair of columns is compared on the records that have a number in both; one that is not finite is missing. A
//! column that does not vary correlates with nothing: 0. So a release that makes a column constant is not spared: it
//! loses what the correlation was.
//!
//! The survey prints the mean error with a garbled index (ERR-17); each pair counts once here.

use rayon::prelude::*;

use super::UtilityError;
use crate::exact::ExactSum;

/// Pearson's correlation of two columns.
///
/// # Errors
/// When they differ in length.
pub fn pearson(a: &[f64], b: &[f64]) -> Result<f64, UtilityError> {
    let (a, b) = complete(a, b)?;
    Ok(correlation(&a, &b))
}

/// Spearman's rank correlation of two columns.
///
/// # Errors
/// When they differ in length.
pub fn spearman(a: &[f64], b: &[f64]) -> Result<f64, UtilityError> {
    let (a, b) = complete(a, b)?;
    Ok(correlation(&mid_ranks(&a), &mid_ranks(&b)))
}

/// Pearson's correlation of every pair (i, j), i < j, of columns: (0,1), (0,2), …, (1,2), …
///
/// # Errors
/// When columns differ in length.
pub fn pearson_matrix(columns: &[&[f64]]) -> Result<Vec<f64>, UtilityError> {
    pairs(columns.len()).into_par_iter().map(|(i, j)| pearson(columns[i], columns[j])).collect()
}

/// Spearman's rank correlation of every pair (i, j), i < j, of columns: (0,1), (0,2), …, (1,2), …
///
/// # Errors
/// When columns differ in length.
pub fn spearman_matrix(columns: &[&[f64]]) -> Result<Vec<f64>, UtilityError> {
    // Ranks among all records serve every pair, unless numbers are missing.
    let ranks: Vec<Option<Vec<f64>>> = columns
        .par_iter()
        .map(|column| column.iter().all(|x| x.is_finite()).then(|| mid_ranks(column)))
        .collect();
    pairs(columns.len())
        .into_par_iter()
        .map(|(i, j)| match (&ranks[i], &ranks[j]) {
            (Some(a), Some(b)) => pearson(a, b),
            _ => spearman(columns[i], columns[j]),
        })
        .collect()
}

/// Mean over pairs of columns of |ρ − ρ'| with Pearson's ρ (UM-24); `None` when there is no pair.
///
/// # Errors
/// When the tables have not as many columns, or columns of one of them differ in length.
pub fn correlation_error(original: &[&[f64]], released: &[&[f64]]) -> Result<Option<f64>, UtilityError> {
    super::same_length("released columns", released.len(), original.len())?;
    Ok(mean_gap(&pearson_matrix(original)?, &pearson_matrix(released)?))
}

/// The same with Spearman's rank correlation (UM-35).
///
/// # Errors
/// When the tables have not as many columns, or columns of one of them differ in length.
pub fn rank_correlation_error(original: &[&[f64]], released: &[&[f64]]) -> Result<Option<f64>, UtilityError> {
    super::same_length("released columns", released.len(), original.len())?;
    Ok(mean_gap(&spearman_matrix(original)?, &spearman_matrix(released)?))
}

fn mean_gap(a: &[f64], b: &[f64]) -> Option<f64> {
    let sum: f64 = a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum();
    (!a.is_empty()).then(|| sum / a.len() as f64)
}

fn pairs(columns: usize) -> Vec<(usize, usize)> {
    (0..columns).flat_map(|i| (i + 1..columns).map(move |j| (i, j))).collect()
}

/// The records with a number in both columns.
pub(super) fn complete(a: &[f64], b: &[f64]) -> Result<(Vec<f64>, Vec<f64>), UtilityError> {
    super::same_length("numbers of a column", b.len(), a.len())?;
    Ok(a.iter().zip(b).filter(|(x, y)| x.is_finite() && y.is_finite()).unzip())
}

/// The mean of finite numbers, whatever their size; 0 of none.
pub(super) fn mean(numbers: &[f64]) -> f64 {
    if numbers.is_empty() {
        return 0.0;
    }
    let n = numbers.len() as f64;
    let (sum, size) = numbers.iter().fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
    // Where numbers of either sign nearly cancel, or are too large to add up, only the exact sum is right.
    if size.is_finite() && sum.abs() >= size * 1e-6 {
        return sum / n;
    }
    let mut exact = ExactSum::default();
    numbers.iter().for_each(|&number| exact.add(number, 1));
    exact.divided(n)
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (mean_a, mean_b) = (mean(a), mean(b));
    // Halved and divided by the widest distance, so that no square overflows or vanishes.
    let widest =
        |own: &[f64], mean: f64| own.iter().map(|x| (x / 2.0 - mean / 2.0).abs()).fold(0.0, f64::max);
    let (wide_a, wide_b) = (widest(a, mean_a), widest(b, mean_b));
    // A constant column may be off its own mean by rounding.
    let is_constant = |own: &[f64]| own.iter().all(|x| Some(x) == own.first());
    if is_constant(a) || is_constant(b) || wide_a == 0.0 || wide_b == 0.0 {
        return 0.0;
    }
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = ((x / 2.0 - mean_a / 2.0) / wide_a, (y / 2.0 - mean_b / 2.0) / wide_b);
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    (ab / (aa.sqrt() * bb.sqrt())).clamp(-1.0, 1.0)
}

/// Ranks from 1, equal numbers sharing the mean of their ranks.
fn mid_ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&i, &j| numbers[i].total_cmp(&numbers[j]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut before = 0.0;
    // Zero and minus zero stand side by side in this order and are equal.
    for equal in order.chunk_by(|&i, &j| numbers[i] == numbers[j]) {
        let rank = before + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|&place| ranks[place] = rank);
        before += equal.len() as f64;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 1.0, 4.0, 3.0, 5.0]);
        // Σ of products of distances is 8, of squares 10 and 10; numbers are ranks here.
        assert!((pearson(&a, &b).unwrap() - 0.8).abs() < 1e-12);
        assert!((spearman(&a, &b).unwrap() - 0.8).abs() < 1e-12);
        let curved = [1.0, 8.0, 27.0, 64.0, 125.0];
        assert!((spearman(&a, &curved).unwrap() - 1.0).abs() < 1e-12);
        assert!(pearson(&a, &curved).unwrap() < 0.99);
        assert_eq!(mid_ranks(&[7.0, 1.0, 7.0, -0.0, 0.0]), [4.5, 3.0, 4.5, 1.5, 1.5]);
    }

    #[test]
    fn what_is_missing_or_constant() {
        let (a, gap) = ([1.0, 2.0, 3.0, 4.0], [2.0, f64::NAN, 6.0, 8.0]);
        assert!((pearson(&a, &gap).unwrap() - 1.0).abs() < 1e-12);
        assert!((spearman_matrix(&[&a, &gap]).unwrap()[0] - 1.0).abs() < 1e-12);
        assert_eq!((pearson(&a, &[0.1; 4]), spearman(&a, &[0.1; 4])), (Ok(0.0), Ok(0.0)));
        assert_eq!((pearson(&[], &[]), pearson(&[1.0], &[1.0])), (Ok(0.0), Ok(0.0)));
        assert!(pearson(&a, &[1.0]).is_err());
        // The widest numbers that there are.
        assert!((pearson(&[-f64::MAX, 0.0, f64::MAX], &[-1e-300, 0.0, 1e-300]).unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn errors_before_and_after() {
        let (a, b, c) = ([1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 2.0, 1.0]);
        let error = correlation_error(&[&a, &b, &c], &[&a, &b, &[5.0; 3]]).unwrap().unwrap();
        assert!((error - 2.0 / 3.0).abs() < 1e-12);
        let error = rank_correlation_error(&[&a, &b], &[&a, &c]).unwrap().unwrap();
        assert!((error - 2.0).abs() < 1e-12);
        assert_eq!(correlation_error(&[&a], &[&a]), Ok(None));
        assert!(correlation_error(&[&a], &[]).is_err() && rank_correlation_error(&[&a], &[]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Without ties, 1 − 6Σd²/(n(n²−1)); with them, any rise in the numbers leaves ranks alone.
        #[test]
        fn spearman_by_rank_differences(order in Just((0..9).collect::<Vec<usize>>()).prop_shuffle()) {
            let a: Vec<f64> = (0..9).map(f64::from).collect();
            let b: Vec<f64> = order.iter().map(|&x| (x as f64).exp()).collect();
            let squares: f64 = order.iter().enumerate().map(|(i, &x)| (i as f64 - x as f64).powi(2)).sum();
            let expected = 1.0 - 6.0 * squares / (9.0 * 80.0);
            prop_assert!((spearman(&a, &b).unwrap() - expected).abs() < 1e-9);
            let tied: Vec<f64> = order.iter().map(|&x| (x / 2) as f64).collect();
            let risen: Vec<f64> = tied.iter().map(|x| x * x * x + 5.0).collect();
            prop_assert_eq!(spearman(&a, &tied).unwrap(), spearman(&a, &risen).unwrap());
        }
    }
}
