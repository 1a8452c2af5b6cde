//! Noise that fits the data gives the data away (survey AT-22, ME-31, TH-17).
//!
//! A desk adds Laplace noise of scale LS(Q, U)/ε, with the local sensitivity at its own table instead of the largest
//! there is. The amount of noise then tells of the table: where LS = 0 the answer is exact, and of two tables that differ
//! in one person one may be exact and the other not. The adversary knows everything but one person, so two tables are
//! possible ([`Desk`] says how each would answer), and weighs them by what is answered.
//!
//! # Guarantee
//! [`advantage`] is the total variation between the two laws of answers: who guesses between the tables after one answer
//! is right with probability at most (1 + advantage)/2, and [`belief`] reaches that. [`loss`] is the largest logarithm
//! of the ratio of probabilities: differential privacy at ε asks that it is at most ε; where scales differ it is
//! infinite. ERR-16: of the survey's witnesses `[0,0,Λ,Λ,Λ]` has the median Λ and `[0,0,0,Λ,Λ]` the median 0.

use super::records::{NoiseAttackError, check_numbers, check_spread};

/// How a desk answers a question if a table is the one that it holds: this answer, with Laplace noise of this scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Desk {
    answer: f64,
    scale: f64,
}

impl Desk {
    /// A scale of 0 means the exact answer.
    ///
    /// # Errors
    /// When the answer is no number, or the scale is no number from 0 on.
    pub fn new(answer: f64, scale: f64) -> Result<Self, NoiseAttackError> {
        check_numbers(&[answer], 1)?;
        check_spread("the scale of the noise", scale)?;
        Ok(Self { answer, scale })
    }

    /// The desk that answers the median with noise of scale LS/ε.
    ///
    /// # Errors
    /// As [`median`], and when ε is not above 0.
    pub fn median(values: &[f64], lower: f64, upper: f64, epsilon: f64) -> Result<Self, NoiseAttackError> {
        check_spread("epsilon", epsilon)?;
        if epsilon == 0.0 {
            return Err(NoiseAttackError::Parameter { name: "epsilon", accepted: "above 0" });
        }
        let (answer, sensitivity) = median(values, lower, upper)?;
        Self::new(answer, sensitivity / epsilon)
    }

    /// The probability of an answer below `x`, or at it.
    fn below(self, x: f64) -> f64 {
        let z = (x - self.answer) / self.scale;
        if z < 0.0 { 0.5 * z.exp() } else { 1.0 - 0.5 * (-z).exp() }
    }

    /// The logarithm of the density, for a scale above 0.
    fn log_density(self, x: f64) -> f64 {
        -(x - self.answer).abs() / self.scale - (2.0 * self.scale).ln()
    }
}

/// The (lower) median and its local sensitivity when one value may be replaced by any from `lower` to `upper`.
///
/// # Errors
/// When there is no value, one is outside of the bounds, or the bounds are none.
pub fn median(values: &[f64], lower: f64, upper: f64) -> Result<(f64, f64), NoiseAttackError> {
    check_numbers(values, 1)?;
    check_numbers(&[lower, upper], 1)?;
    if lower > upper || values.iter().any(|value| !(lower..=upper).contains(value)) {
        let accepted = "a lower and an upper bound with all values between them";
        return Err(NoiseAttackError::Parameter { name: "the bounds", accepted });
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = values.len().saturating_sub(1) / 2;
    let Some(&median) = sorted.get(middle) else {
        return Err(NoiseAttackError::Length { what: "values", found: 0, expected: 1 });
    };
    // Replacing a value at or below the median by a large one makes the next the median, and the other way round.
    let next = sorted.get(middle + 1).copied().unwrap_or(upper);
    let previous = middle.checked_sub(1).and_then(|place| sorted.get(place)).copied().unwrap_or(lower);
    Ok((median, (next - median).max(median - previous)))
}

/// How sure the adversary is of the first of two tables after these answers, both being equally likely before.
///
/// # Errors
/// When an answer is no number.
pub fn belief(first: Desk, second: Desk, answers: &[f64]) -> Result<f64, NoiseAttackError> {
    check_numbers(answers, 1)?;
    let exact = |desk: Desk, answer: f64| desk.scale == 0.0 && desk.answer == answer;
    let mut odds = 0.0;
    for &answer in answers {
        odds += match (first.scale == 0.0, second.scale == 0.0) {
            (false, false) => first.log_density(answer) - second.log_density(answer),
            // An answer that is exactly one table's has probability 0 under noise.
            _ => match (exact(first, answer), exact(second, answer)) {
                (true, true) => 0.0,
                (true, false) => f64::INFINITY,
                (false, true) => f64::NEG_INFINITY,
                (false, false) if first.scale > 0.0 => f64::INFINITY,
                (false, false) if second.scale > 0.0 => f64::NEG_INFINITY,
                // Neither table can have given it.
                (false, false) => 0.0,
            },
        };
        if odds.is_nan() {
            // Answers that contradict each other under both tables tell nothing.
            odds = 0.0;
        }
    }
    Ok(1.0 / (1.0 + (-odds).exp()))
}

/// The total variation between the answers of two tables: 0 when they cannot be told apart, 1 when always.
pub fn advantage(first: Desk, second: Desk) -> f64 {
    if first == second {
        return 0.0;
    }
    if first.scale == 0.0 || second.scale == 0.0 {
        return 1.0;
    }
    // The logarithm of the ratio of densities is piecewise linear with kinks at the two answers: its sign changes at
    // most once on each of the three pieces.
    let ratio = |x: f64| first.log_density(x) - second.log_density(x);
    let (a, b) = (first.answer.min(second.answer), first.answer.max(second.answer));
    let slope = 1.0 / first.scale - 1.0 / second.scale;
    let (before, after) = (a - ratio(a) / slope, b + ratio(b) / slope);
    let mut cuts = vec![f64::NEG_INFINITY];
    if before < a {
        cuts.push(before);
    }
    if (ratio(a) < 0.0) != (ratio(b) < 0.0) {
        cuts.push(a + (b - a) * (ratio(a) / (ratio(a) - ratio(b))));
    }
    if after > b && after.is_finite() {
        cuts.push(after);
    }
    cuts.push(f64::INFINITY);
    let mass = |desk: Desk, from: f64, to: f64| desk.below(to) - desk.below(from);
    let each = cuts.windows(2).map(|piece| match piece {
        &[from, to] => (mass(first, from, to) - mass(second, from, to)).max(0.0),
        _ => 0.0,
    });
    each.sum::<f64>().clamp(0.0, 1.0)
}

/// The largest logarithm of the ratio of probabilities between two tables, over all answers and both directions.
pub fn loss(first: Desk, second: Desk) -> f64 {
    if first == second {
        0.0
    } else if first.scale == second.scale && first.scale > 0.0 {
        (first.answer - second.answer).abs() / first.scale
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Random;
    use proptest::prelude::*;

    /// survey ME-31 with ERR-16 and TH-17: between [0,0,Λ,Λ,Λ] and [0,0,0,Λ,Λ] everything changes; with one more record
    /// equal to the median the local sensitivity is 0 and the answer exact.
    #[test]
    fn the_witnesses() {
        let large = 100.0;
        assert_eq!(median(&[0.0, 0.0, large, large, large], 0.0, large), Ok((large, large)));
        assert_eq!(median(&[0.0, 0.0, 0.0, large, large], 0.0, large), Ok((0.0, large)));
        // max{x2 − x3, x3 − x4} for the i-th largest.
        assert_eq!(median(&[9.0, 2.0, 7.0, 4.0, 3.0], 0.0, large), Ok((4.0, 3.0)));
        assert_eq!(median(&[0.0, large, large, large, large], 0.0, large), Ok((large, 0.0)));
        // One person decides whether there is noise at all: U has LS = 0, its neighbour LS = Λ.
        let exact = Desk::median(&[0.0, large, large, large, large], 0.0, large, 1.0).unwrap();
        let noisy = Desk::median(&[0.0, 0.0, large, large, large], 0.0, large, 1.0).unwrap();
        assert_eq!((advantage(exact, noisy), loss(exact, noisy)), (1.0, f64::INFINITY));
        assert_eq!(belief(exact, noisy, &[large]), Ok(1.0));
        assert_eq!(belief(exact, noisy, &[large - 0.25]), Ok(0.0));
    }

    /// Global sensitivity: the same scale for both, and the loss is what was promised. For equal scales the advantage is
    /// 1 − e^(−d/2b).
    #[test]
    fn noise_for_the_worst_table_withstands() {
        let (first, second) = (Desk::new(0.0, 100.0).unwrap(), Desk::new(100.0, 100.0).unwrap());
        assert_eq!(loss(first, second), 1.0);
        assert!((advantage(first, second) - (1.0 - (-0.5f64).exp())).abs() < 1e-12);
        for answer in [-1e6, 0.0, 50.0, 100.0, 1e6] {
            let sure = belief(first, second, &[answer]).unwrap();
            assert!(
                sure <= 1.0 / (1.0 + (-1.0f64).exp()) + 1e-12 && sure >= 1.0 / (1.0 + 1f64.exp()) - 1e-12
            );
        }
        // Half of the probability that the noise of the local sensitivity would give up.
        assert!(advantage(first, second) < 0.4);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Against numerical integration of half the absolute difference of the densities.
        #[test]
        fn advantage_is_total_variation(d in -5f64..5.0, s in 0.2f64..4.0, t in 0.2f64..4.0) {
            let (first, second) = (Desk::new(0.0, s).unwrap(), Desk::new(d, t).unwrap());
            let (from, step) = (-100.0, 1e-3);
            let sum: f64 = (0..200_000)
                .map(|place| from + (f64::from(place) + 0.5) * step)
                .map(|x| (first.log_density(x).exp() - second.log_density(x).exp()).abs())
                .sum();
            prop_assert!((advantage(first, second) - 0.5 * step * sum).abs() < 1e-3);
            prop_assert!((advantage(first, second) - advantage(second, first)).abs() < 1e-9);
        }

        /// The local sensitivity of the median by trying every replacement from a grid.
        #[test]
        fn local_sensitivity_by_definition(values in prop::collection::vec(0i32..9, 1..8)) {
            let values: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
            let (own, sensitivity) = median(&values, 0.0, 8.0).unwrap();
            let mut most = 0.0f64;
            for place in 0..values.len() {
                for other in 0..9 {
                    let mut changed = values.clone();
                    changed[place] = f64::from(other);
                    most = most.max((median(&changed, 0.0, 8.0).unwrap().0 - own).abs());
                }
            }
            prop_assert_eq!(sensitivity, most);
        }
    }

    /// The scale alone tells: same median, different sensitivity. The share of right guesses after one answer is
    /// (1 + advantage)/2; after 40 answers the table is known. False alarm 1e-6: 20,000 guesses, 5 deviations.
    #[test]
    fn the_amount_of_noise_tells() {
        let mut random = Random::new(22);
        let mut laplace = |scale: f64| {
            let unit = random.unit() - 0.5;
            -scale * unit.signum() * (1.0 - 2.0 * unit.abs()).max(1e-300).ln()
        };
        let quiet = Desk::median(&[40.0, 49.0, 50.0, 51.0, 60.0], 0.0, 100.0, 1.0).unwrap();
        let loud = Desk::median(&[40.0, 49.0, 50.0, 60.0, 60.0], 0.0, 100.0, 1.0).unwrap();
        assert_eq!((quiet.answer, quiet.scale, loud.answer, loud.scale), (50.0, 1.0, 50.0, 10.0));
        let rounds = 10_000;
        let mut right = 0;
        for _ in 0..rounds {
            right += u32::from(belief(quiet, loud, &[50.0 + laplace(1.0)]).unwrap() > 0.5);
            right += u32::from(belief(quiet, loud, &[50.0 + laplace(10.0)]).unwrap() < 0.5);
        }
        let share = f64::from(right) / f64::from(2 * rounds);
        let expected = (1.0 + advantage(quiet, loud)) / 2.0;
        assert!((share - expected).abs() < 5.0 * 0.5 / f64::from(2 * rounds).sqrt(), "{share} {expected}");
        let many: Vec<f64> = (0..40).map(|_| 50.0 + laplace(10.0)).collect();
        assert!(belief(quiet, loud, &many).unwrap() < 1e-9);
    }

    #[test]
    fn edges() {
        assert!(median(&[], 0.0, 1.0).is_err() && median(&[2.0], 0.0, 1.0).is_err());
        assert!(median(&[f64::NAN], 0.0, 1.0).is_err() && median(&[0.0], 1.0, 0.0).is_err());
        assert_eq!(median(&[0.5], 0.0, 1.0), Ok((0.5, 0.5)));
        assert!(Desk::new(f64::NAN, 1.0).is_err() && Desk::new(0.0, -1.0).is_err());
        assert!(Desk::median(&[0.5], 0.0, 1.0, 0.0).is_err());
        let (a, b) = (Desk::new(1.0, 0.0).unwrap(), Desk::new(2.0, 0.0).unwrap());
        assert_eq!((advantage(a, a), advantage(a, b), loss(a, a)), (0.0, 1.0, 0.0));
        assert_eq!(belief(a, b, &[]), Ok(0.5));
        assert_eq!((belief(a, b, &[1.0]), belief(a, b, &[3.0])), (Ok(1.0), Ok(0.5)));
        assert_eq!(belief(a, b, &[1.0, 2.0]), Ok(0.5));
        assert!(belief(a, b, &[f64::NAN]).is_err());
        // Very different scales.
        let (small, large) = (Desk::new(0.0, 1e-30).unwrap(), Desk::new(0.0, 1e30).unwrap());
        assert!(advantage(small, large) > 0.999);
    }
}
