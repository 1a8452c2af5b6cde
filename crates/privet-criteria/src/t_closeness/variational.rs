//! The variational distance (papers T-PM6 (i)): half the sum of |p − q|. It is also the earth mover's distance
//! when all values are equally far apart (papers I.2, closed forms).

use super::{Distance, most_kept};
use crate::Histogram;
use crate::bound::Bound;

/// Half the sum of absolute differences.
pub(crate) struct Variational {
    shares: Vec<f64>,
    name: &'static str,
}

impl Variational {
    pub fn new(bound: &Bound<'_>) -> Self {
        Self { shares: bound.shares(), name: "variational distance" }
    }

    /// The same distance under the name of the earth mover's.
    pub fn equal(bound: &Bound<'_>) -> Self {
        Self { name: "earth mover's distance, all values equally far apart", ..Self::new(bound) }
    }
}

impl Distance for Variational {
    /// Both distributions add up to 1, so half of all differences are those above 0.
    fn distance(&self, histogram: &Histogram<'_>) -> f64 {
        let each = 1.0 / histogram.total as f64;
        let over = |&code: &u32| {
            (f64::from(histogram.counts[code as usize]) * each - self.shares[code as usize]).max(0.0)
        };
        histogram.present.iter().map(over).sum()
    }

    fn most_kept(&self, histogram: &Histogram<'_>, t: f64) -> u64 {
        let part = |&code: &u32| (f64::from(histogram.counts[code as usize]), self.shares[code as usize]);
        most_kept(histogram.total, t, 1.0, &histogram.present.iter().map(part))
    }

    fn name(&self) -> String {
        self.name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::t_closeness::tests::{closeness, distance};
    use crate::testing::{Sample, build_one, column};
    use proptest::prelude::*;

    #[test]
    fn least_suppression_finds_the_largest_part() {
        let sensitive = column(&["a", "b"], &[5, 5]);
        let criterion = build_one(closeness("variational", 0.25), &sensitive).unwrap();
        // At most 3 of 4 may have the first value: 2 others allow 6 of it.
        assert_eq!(Sample::of(&[20, 2]).ask(|class| criterion.least_suppression(class)), 14);
        assert_eq!(Sample::of(&[20, 0]).ask(|class| criterion.least_suppression(class)), 20);
    }

    proptest! {
        #[test]
        fn half_the_sum_of_differences(class in prop::collection::vec(0u32..9, 4)) {
            let rows = class.iter().sum::<u32>();
            prop_assume!(rows > 0);
            let input = [5u32, 3, 2, 2];
            let sum: f64 = class.iter().zip(input)
                .map(|(&r, q)| (f64::from(r) / f64::from(rows) - f64::from(q) / 12.0).abs()).sum();
            let d = distance(closeness("variational", 0.1), &column(&["a", "b", "c", "d"], &input), &class);
            prop_assert!((d - sum / 2.0).abs() < 1e-12);
        }
    }
}
