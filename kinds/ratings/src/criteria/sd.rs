//! The spread of sensitive ratings in a group (thesis 1.11, Eq 6.3, Def 6.3).
//!
//! Defect 5: Eq 6.3 divides by the size of the group although the mean is taken over the ratings, and reads a null as if it
//! were the rating 0. [`SdNulls::AsZero`] is that literal reading. The default, [`SdNulls::Skip`], is the standard deviation
//! of the ratings that there are. Only for it do the thesis' Lemma 7.2 and Corollary 7.1 hold: with nulls as 0, the parts
//! {1, 6} and {4, 3, null, 6} both spread more than their union. The literal reading also calls a group diverse whose
//! members all gave the same rating, as soon as one of them gave none.
//!
//! A group in which nobody rated an issue discloses no rating of it: it has no spread and counts as diverse.

use serde::{Deserialize, Serialize};

use crate::{NULL, Scale};

/// How nulls count in the standard deviation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SdNulls {
    /// Not at all.
    #[default]
    Skip,
    /// As the rating 0, in a sum that is divided by the size of the group (Eq 6.3, literally).
    AsZero,
}

/// Counts and sums of ticks: what the spread of a union needs of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Summary {
    rated: u64,
    nulls: u64,
    sum: u64,
    squares: u64,
}

impl Summary {
    pub(crate) fn add(&mut self, tick: u8) {
        if tick == NULL {
            self.nulls += 1;
        } else {
            let tick = u64::from(tick);
            self.rated += 1;
            self.sum += tick;
            self.squares += tick * tick;
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.rated += other.rated;
        self.nulls += other.nulls;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The spread in units of ratings; none where nobody rated.
    pub(crate) fn spread(&self, scale: Scale, nulls: SdNulls) -> Option<f64> {
        if self.rated == 0 {
            return None;
        }
        let (count, sum) = (self.rated as f64, self.sum as f64);
        // Exact in integers until the division.
        let deviations =
            (u128::from(self.rated) * u128::from(self.squares) - u128::from(self.sum).pow(2)) as f64 / count;
        let deviations = deviations * scale.step() * scale.step();
        let square = match nulls {
            SdNulls::Skip => deviations / count,
            SdNulls::AsZero => {
                let mean = scale.low() + scale.step() * sum / count;
                (deviations + self.nulls as f64 * mean * mean) / (count + self.nulls as f64)
            }
        };
        Some(square.max(0.0).sqrt())
    }
}

/// The standard deviation of sensitive ratings; none where there is no rating.
///
/// ```
/// use privet_ratings::{Scale, SdNulls, spread};
/// // Issue 4 of Table 6.1 (a): 6, 1, 1, 1, 5 spread by 2.23.
/// let sd = spread(Scale::whole(1, 6)?, [5, 0, 0, 0, 4], SdNulls::Skip);
/// assert!((sd.unwrap() - 2.2271).abs() < 1e-4);
/// # Ok::<(), privet_ratings::RatingsError>(())
/// ```
pub fn spread(scale: Scale, ticks: impl IntoIterator<Item = u8>, nulls: SdNulls) -> Option<f64> {
    let mut summary = Summary::default();
    ticks.into_iter().for_each(|tick| summary.add(tick));
    summary.spread(scale, nulls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Section 4, Lemma 7.2: false with nulls as 0, and the printed counterexample.
    #[test]
    fn nulls_as_zero_break_lemma_7_2() {
        let scale = Scale::whole(1, 6).unwrap();
        let all = spread(scale, [0, 5, 3, 2, NULL, 5], SdNulls::AsZero).unwrap();
        let parts = [&[0, 5][..], &[3, 2, NULL, 5]]
            .map(|part| spread(scale, part.to_vec(), SdNulls::AsZero).unwrap());
        assert!((all - 2.380).abs() < 1e-3 && (parts[1] - 2.421).abs() < 1e-3, "{all} {parts:?}");
        assert!(all < parts[0].min(parts[1]));
        assert_eq!(spread(scale, [NULL, NULL], SdNulls::AsZero), None);
    }

    proptest! {
        /// Lemma 7.2 without nulls, and Theorem 7.2 (Popoviciu).
        #[test]
        fn unions_spread_at_least_as_their_least_part(
            a in proptest::collection::vec(0u8..5, 1..9),
            b in proptest::collection::vec(0u8..5, 1..9),
        ) {
            let scale = Scale::whole(1, 5).unwrap();
            let of = |ticks: &[u8]| spread(scale, ticks.to_vec(), SdNulls::Skip).unwrap();
            let both: Vec<u8> = a.iter().chain(&b).copied().collect();
            prop_assert!(of(&both) + 1e-9 >= of(&a).min(of(&b)));
            let (low, high) = (both.iter().min().unwrap(), both.iter().max().unwrap());
            prop_assert!(of(&both) <= f64::from(high - low) / 2.0 + 1e-9);
        }
    }
}
