//! How useful each column is for a purpose (thesis 1.10, Definition 4.3).
//!
//! The columns are put in an order from the most to the least useful. The first has priority 1, the last 0, and
//! each in between is the mean of its neighbours, drawn to the one it depends on more. That is a tridiagonal
//! system; its solution falls linearly along the columns when each step is as long as the variation of
//! information between the two, which is how it is computed here. Where the thesis leaves the order of the
//! columns in the middle open (defect 3), it is for the person to give.
//!
//! # Guarantee
//! Priorities lie between 0 and 1 and never rise along the order (Theorem 4.2, whose printed proof covers equal
//! steps only). Columns of which the values correspond one to one have the same priority, unless all do: then
//! the steps are equal.

use super::OutOfRange;

/// The priorities of columns in an order, from the distances between each and the next: one more than there are
/// distances. A column alone has priority 1. When all distances are 0 the steps are equal: (m - i)/(m - 1).
///
/// A distance that is negative or not finite counts as 0.
///
/// ```
/// use privet_recode::purpose::priority::along;
/// assert_eq!(along(&[3.0, 1.0]), [1.0, 0.25, 0.0]);
/// assert_eq!(along(&[0.0, 0.0]), [1.0, 0.5, 0.0]);
/// assert_eq!(along(&[]), [1.0]);
/// ```
pub fn along(distances: &[f64]) -> Vec<f64> {
    let usable = |distance: &f64| if distance.is_finite() { distance.max(0.0) } else { 0.0 };
    let mut steps: Vec<f64> = distances.iter().map(usable).collect();
    if steps.iter().all(|&step| step == 0.0) {
        steps.fill(1.0);
    }
    // Divided by the longest before they are added: no sum overflows, and equal distances are equal steps exactly.
    let longest = steps.iter().copied().fold(0.0, f64::max);
    steps.iter_mut().for_each(|step| *step /= longest);
    let total: f64 = steps.iter().sum();
    let mut gone = 0.0;
    let rest = steps.iter().map(|step| {
        gone += step;
        // The last sum is the total itself, so the last priority is 0 exactly.
        1.0 - gone / total
    });
    std::iter::once(1.0).chain(rest).collect()
}

/// Checks priorities that a person gave: numbers from 0 to 1, one of them above 0, as [`along`] gives them. The degree is
/// shared out by their ratios, so their sum does not matter.
///
/// # Errors
/// When they are not.
pub fn check_given(priorities: &[f64]) -> Result<(), OutOfRange> {
    if !priorities.iter().all(|priority| (0.0..=1.0).contains(priority)) {
        return Err(OutOfRange("must be numbers from 0 to 1"));
    }
    if priorities.iter().all(|&priority| priority == 0.0) {
        return Err(OutOfRange("must give a column a number above 0"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Definition 4.3 as a system of linear equations, solved by elimination.
    fn tridiagonal(distances: &[f64]) -> Vec<f64> {
        let m = distances.len() + 1;
        // Row i: -right * P[i-1] + (left + right) * P[i] - left * P[i+1] = 0.
        let (mut upper, mut known) = (vec![0.0; m], vec![0.0; m]);
        known[0] = 1.0;
        for i in 1..m {
            let (below, diagonal, above) = if i + 1 == m {
                (0.0, 1.0, 0.0)
            } else {
                let (left, right) = (distances[i - 1], distances[i]);
                (-right, left + right, -left)
            };
            let pivot = diagonal - below * upper[i - 1];
            upper[i] = above / pivot;
            known[i] = -below * known[i - 1] / pivot;
        }
        for i in (0..m - 1).rev() {
            known[i] -= upper[i] * known[i + 1];
        }
        known
    }

    proptest! {
        /// The closed form solves the system of Definition 4.3 (thesis 1.10).
        #[test]
        fn the_closed_form_solves_the_system(distances in prop::collection::vec(0.001f64..8.0, 1..12)) {
            let solved = tridiagonal(&distances);
            let priorities = along(&distances);
            prop_assert_eq!(solved.len(), priorities.len());
            for (own, solved) in priorities.iter().zip(&solved) {
                prop_assert!((own - solved).abs() < 1e-9, "{priorities:?} {solved:?}");
            }
        }

        /// Theorem 4.2, distances of 0 included.
        #[test]
        fn priorities_fall_from_one_to_zero(
            distances in prop::collection::vec(prop_oneof![Just(0.0), 0.0f64..8.0], 1..12)
        ) {
            let priorities = along(&distances);
            prop_assert_eq!(priorities[0], 1.0);
            prop_assert_eq!(priorities[distances.len()], 0.0);
            prop_assert!(priorities.windows(2).all(|pair| pair[0] >= pair[1]), "{priorities:?}");
        }
    }

    #[test]
    fn equal_steps() {
        // Thesis L1288, Case 1: (m - i)/(m - 1).
        assert_eq!(along(&[0.7; 4]), [1.0, 0.75, 0.5, 0.25, 0.0]);
        assert_eq!(along(&[0.0; 4]), [1.0, 0.75, 0.5, 0.25, 0.0]);
        assert_eq!(along(&[0.3]), [1.0, 0.0]);
        assert_eq!(along(&[0.0]), [1.0, 0.0]);
    }

    #[test]
    fn distances_that_are_none() {
        assert_eq!(along(&[f64::NAN, 1.0, -1.0]), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(along(&[f64::INFINITY, 2.0]), [1.0, 1.0, 0.0]);
        assert_eq!(along(&[f64::MAX, f64::MAX]), [1.0, 0.5, 0.0]);
        assert_eq!(along(&[f64::MIN_POSITIVE, 0.0]), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn given_priorities() {
        assert_eq!(check_given(&[0.5, 0.3, 0.2]), Ok(()));
        assert_eq!(check_given(&[0.0, 0.4]), Ok(()));
        for none in [&[][..], &[0.0, -0.0]] {
            assert_eq!(check_given(none), Err(OutOfRange("must give a column a number above 0")));
        }
        assert!(check_given(&[1.0 + 1e-9, 0.5]).is_err());
        for wrong in [-0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(check_given(&[1.0, wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_an_order_yields_can_be_given() {
        for distances in [&[][..], &[3.0, 1.0], &[0.0, 0.0], &[f64::INFINITY, 2.0]] {
            assert_eq!(check_given(&along(distances)), Ok(()));
        }
    }
}
