//! What a perturbation leaves before any record is seen: the condition number of its matrix (survey UM-32) and the items
//! that a transaction keeps (UM-33).

use nalgebra::DMatrix;

use super::{UtilityError, same_length};

/// σ_max/σ_min of a matrix given by its rows (UM-32): how much noise may grow when the perturbation is undone. 1 is the
/// least; infinite when it cannot be undone (as far as 64-bit numbers tell).
///
/// # Errors
/// When there is no row or no column, rows differ in length, or an entry is not finite.
pub fn condition_number(rows: &[&[f64]]) -> Result<f64, UtilityError> {
    let width = rows.first().map_or(0, |row| row.len());
    if width == 0 {
        return Err(UtilityError::Parameter {
            what: "a matrix",
            accepted: "of at least one row and one column",
        });
    }
    for row in rows {
        same_length("entries of a row", row.len(), width)?;
    }
    let entries = || rows.iter().flat_map(|row| row.iter().copied());
    if entries().any(|entry| !entry.is_finite()) {
        return Err(UtilityError::Parameter { what: "the entries of a matrix", accepted: "finite" });
    }
    let largest = entries().map(f64::abs).fold(0.0, f64::max);
    if largest == 0.0 {
        return Ok(f64::INFINITY);
    }
    // Divided by the largest entry, so that no square overflows; the quotient of singular values is the same.
    let matrix = DMatrix::from_row_iterator(rows.len(), width, entries().map(|entry| entry / largest));
    let values = matrix.singular_values();
    let (least, most) = (values.min(), values.max());
    // Below this a singular value cannot be told from 0.
    let noise = most * f64::EPSILON * rows.len().max(width) as f64;
    Ok(if least <= noise { f64::INFINITY } else { most / least })
}

/// E|I ∩ I'| of select-a-size randomization (UM-33): with `sizes[j]` the probability of keeping j items. The items that
/// are kept are a sample of the transaction and those that are added are not of it, so this is Σ j·`sizes[j]`; chance
/// additions do not matter.
///
/// # Errors
/// When the probabilities are not numbers of at least 0 that sum to 1.
pub fn expected_items_retained(sizes: &[f64]) -> Result<f64, UtilityError> {
    let sum: f64 = sizes.iter().sum();
    if sizes.iter().any(|&p| p.is_nan() || p < 0.0) || sum.is_nan() || (sum - 1.0).abs() > 1e-9 {
        let accepted = "at least 0 and sum to 1";
        return Err(UtilityError::Parameter { what: "the probabilities of the sizes", accepted });
    }
    Ok(sizes.iter().enumerate().map(|(items, p)| items as f64 * p).sum())
}

/// Mean over transactions of how many items a randomized one still has of its original (UM-33); `None` when there is
/// none. Items may be in any order; one that occurs twice counts once.
///
/// # Errors
/// When there are not as many randomized as original transactions.
pub fn mean_items_retained<T: AsRef<[u32]>>(
    original: &[T],
    randomized: &[T],
) -> Result<Option<f64>, UtilityError> {
    same_length("randomized transactions", randomized.len(), original.len())?;
    let (mut own, mut kept) = (Vec::new(), 0usize);
    for (before, after) in original.iter().zip(randomized) {
        own.clear();
        own.extend_from_slice(after.as_ref());
        own.sort_unstable();
        own.dedup();
        kept += own.iter().filter(|item| before.as_ref().contains(item)).count();
    }
    Ok((!original.is_empty()).then(|| kept as f64 / original.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn condition_numbers() {
        assert_eq!(condition_number(&[&[1.0, 0.0], &[0.0, 1.0]]), Ok(1.0));
        assert!((condition_number(&[&[3.0, 0.0], &[0.0, -0.5]]).unwrap() - 6.0).abs() < 1e-12);
        // Randomized response among m values that keeps with probability p: singular values 1 and (pm − 1)/(m − 1).
        let (keep, other) = (0.7, 0.15);
        let rows = [[keep, other, other], [other, keep, other], [other, other, keep]];
        let matrix: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        assert!((condition_number(&matrix).unwrap() - 1.0 / 0.55).abs() < 1e-9);
        // What forgets everything cannot be undone.
        assert_eq!(condition_number(&[&[0.5, 0.5], &[0.5, 0.5]]), Ok(f64::INFINITY));
        assert_eq!(condition_number(&[&[0.0]]), Ok(f64::INFINITY));
        assert!((condition_number(&[&[1e300, 0.0], &[0.0, 1e300]]).unwrap() - 1.0).abs() < 1e-12);
        // Three ways to answer two questions.
        assert!((condition_number(&[&[1.0, 0.0], &[0.0, 1.0], &[0.0, 0.0]]).unwrap() - 1.0).abs() < 1e-12);
        assert!(condition_number(&[]).is_err() && condition_number(&[&[]]).is_err());
        assert!(
            condition_number(&[&[1.0, 2.0], &[1.0]]).is_err() && condition_number(&[&[f64::NAN]]).is_err()
        );
    }

    #[test]
    fn items() {
        assert_eq!(expected_items_retained(&[0.25, 0.25, 0.5]), Ok(1.25));
        for bad in [&[][..], &[0.5], &[1.5, -0.5], &[f64::NAN, 1.0]] {
            assert!(expected_items_retained(bad).is_err());
        }
        let (before, after) = ([vec![1, 2, 3], vec![4]], [vec![3, 9, 1, 3], vec![]]);
        assert_eq!(mean_items_retained(&before, &after), Ok(Some(1.0)));
        assert_eq!(mean_items_retained::<Vec<u32>>(&[], &[]), Ok(None));
        assert!(mean_items_retained(&before, &after[..1]).is_err());
    }

    /// The closed form against select-a-size itself, gone through in full: every sample of {0, 1, 2} and every set of
    /// added items of {3, 4}, each with its probability.
    #[test]
    fn expectation_by_enumeration() {
        let (sizes, rho) = ([0.1, 0.2, 0.3, 0.4], 0.35f64);
        let samples_of_size = [1.0, 3.0, 3.0, 1.0];
        let mut mean = 0.0;
        for outcome in 0u32..32 {
            let (own, added) = (outcome & 0b111, outcome >> 3);
            let size = own.count_ones() as usize;
            let extra = added.count_ones() as i32;
            let p = sizes[size] / samples_of_size[size] * rho.powi(extra) * (1.0 - rho).powi(2 - extra);
            let items: Vec<u32> = (0..5).filter(|item| outcome >> item & 1 == 1).collect();
            mean += p * mean_items_retained(&[vec![0, 1, 2]], &[items]).unwrap().unwrap();
        }
        assert!((mean - expected_items_retained(&sizes).unwrap()).abs() < 1e-12);
    }
}
