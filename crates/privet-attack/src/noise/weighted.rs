//! Rebuilding a table of bits from weighted sums of which a part is arbitrarily wrong (survey AT-21, TH-20; Dwork, McSherry
//! and Talwar 2007).
//!
//! The adversary asks O(n) questions Σ a_i·d_i with weights from the standard normal distribution and takes the table
//! that minimizes Σ |answer − a·c| over 0 ≤ c ≤ 1, which is a linear program; then rounds at ½, and turns bits as long as
//! that makes the answers likelier ([`super::decode`]). A sum of absolute errors
//! does not care how wrong the wrong answers are.
//!
//! # Guarantee
//! The fractions have the least sum of absolute errors. When the share of arbitrary answers is below ρ* ≈ 0.239 and the
//! others are within α, there are O(α) mistakes with high probability. That is asymptotic, in n and in questions per
//! person: near ρ* many are needed, and tests show by simulation what it is for few. Above one half, answers that
//! agree on another table bring back that one.
//!
//! The survey names minimization of the sum of absolute errors without its program. Here answer_i = a_i·c + p_i − q_i
//! with p, q ≥ 0, and Σ(p_i + q_i) is minimized. The bounds on c, which the paper does without, can only help.

use good_lp::{Expression, Solution, SolverModel, constraint, microlp, variable, variables};
use privet_perturb::{Coins, SeededCoins};
use serde::Serialize;

use super::decode::most_likely;
use super::records::{NoiseAttackError, Records, check_length, check_moderate};

/// The share of arbitrary answers below which the attack is proven.
pub const WRONG_SHARE: f64 = 0.239;

/// The most people.
pub const MOST_PEOPLE: usize = 128;

/// The most questions; the program has two unknowns for each.
pub const MOST_QUESTIONS: usize = 4096;

/// A table of bits that fits most answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decoded {
    /// Per person the bit.
    #[serde(skip)]
    pub bits: Vec<bool>,
    /// How many questions were answered.
    pub questions: u64,
    /// Half of the answers are within this of the table.
    pub median_error: f64,
}

/// Weights of so many questions about people, question by question.
///
/// # Errors
/// When there are too many people or questions, or nobody.
pub fn gaussian_weights(people: usize, questions: usize, seed: u64) -> Result<Vec<f64>, NoiseAttackError> {
    check_size(people, questions)?;
    let mut coins = SeededCoins::new(seed);
    (0..people * questions).map(|_| Ok(coins.normal()?)).collect()
}

fn check_size(people: usize, questions: usize) -> Result<(), NoiseAttackError> {
    let limits = [
        ("the number of people", people, MOST_PEOPLE),
        ("the number of questions", questions, MOST_QUESTIONS),
    ];
    for (what, found, most) in limits {
        if found > most {
            return Err(NoiseAttackError::TooLarge { what, found, most });
        }
    }
    if people == 0 {
        return Err(NoiseAttackError::Length { what: "people", found: 0, expected: 1 });
    }
    Ok(())
}

/// The table whose weighted sums have the least sum of absolute distances from the answers, rounded. A question is a
/// record of `weights`.
///
/// # Errors
/// When there is not one answer per question, one is no number, there are too many, or the program cannot be solved.
pub fn from_weighted_sums(weights: Records<'_>, answers: &[f64]) -> Result<Decoded, NoiseAttackError> {
    let people = weights.width();
    check_size(people, weights.len())?;
    check_length("answers", answers.len(), weights.len())?;
    check_moderate(answers)?;
    check_moderate(weights.values())?;
    let mut unknowns = variables!();
    let table: Vec<_> = (0..people).map(|_| unknowns.add(variable().min(0.0).max(1.0))).collect();
    let errors: Vec<_> = answers
        .iter()
        .map(|_| (unknowns.add(variable().min(0.0)), unknowns.add(variable().min(0.0))))
        .collect();
    let mut total = Expression::with_capacity(2 * errors.len());
    for &(above, below) in &errors {
        total.add_mul(1.0, above);
        total.add_mul(1.0, below);
    }
    let mut model = unknowns.minimise(total).using(microlp);
    for ((weights, &answer), &(above, below)) in weights.rows().zip(answers).zip(&errors) {
        let mut sum = Expression::with_capacity(people + 2);
        weights.iter().zip(&table).for_each(|(weight, person)| sum.add_mul(*weight, *person));
        sum.add_mul(1.0, above);
        sum.add_mul(-1.0, below);
        model.add_constraint(constraint!(sum == answer));
    }
    let solution = model.solve().map_err(|_| NoiseAttackError::Solver)?;
    let found: Vec<f64> = table.iter().map(|&own| solution.value(own)).collect();
    if found.iter().any(|own| own.is_nan()) {
        return Err(NoiseAttackError::Solver);
    }
    let bits = most_likely(weights, answers, &[found])?;
    let mut off: Vec<f64> = weights
        .rows()
        .zip(answers)
        .map(|(weights, answer)| {
            let sum: f64 = weights.iter().zip(&bits).filter(|(_, bit)| **bit).map(|(weight, _)| weight).sum();
            (sum - answer).abs()
        })
        .collect();
    off.sort_by(f64::total_cmp);
    let median_error = off.get(off.len() / 2).copied().unwrap_or(0.0);
    Ok(Decoded { bits, questions: answers.len() as u64, median_error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::BitScore;
    use privet_data::Random;
    use proptest::prelude::*;

    fn sums(weights: &[f64], bits: &[bool]) -> Vec<f64> {
        weights
            .chunks_exact(bits.len())
            .map(|own| own.iter().zip(bits).map(|(weight, bit)| weight * f64::from(*bit)).sum())
            .collect()
    }

    /// What is wrong after `wrong` of the answers are made those of the opposite table, and the rest are off by up to α.
    fn attack(people: usize, questions: usize, wrong: f64, alpha: f64, seed: u64) -> BitScore {
        let mut random = Random::new(seed);
        let truth: Vec<bool> = (0..people).map(|_| random.chance(0.5)).collect();
        let other: Vec<bool> = truth.iter().map(|bit| !bit).collect();
        let weights = gaussian_weights(people, questions, seed ^ 7).unwrap();
        let lies = (wrong * questions as f64).floor() as usize;
        let mut answers = sums(&weights, &truth);
        for (place, (answer, lie)) in answers.iter_mut().zip(sums(&weights, &other)).enumerate() {
            *answer = if place < lies { lie } else { *answer + alpha * (2.0 * random.unit() - 1.0) };
        }
        let found = from_weighted_sums(Records::new(&weights, people).unwrap(), &answers).unwrap();
        BitScore::of(&truth, &found.bits).unwrap()
    }

    /// survey AT-21: a fifth of the answers lie in the worst way, for another table, and the table still comes back.
    #[test]
    fn lies_do_not_help() {
        for seed in 0..3 {
            assert_eq!(attack(16, 160, 0.2, 0.0, seed).wrong, 0);
            assert!(attack(16, 160, 0.15, 0.5, seed).wrong <= 1);
        }
    }

    /// When most answers lie for one table, that one comes back; and noise beyond √n hides the bits.
    #[test]
    fn too_many_lies_and_too_much_noise() {
        assert_eq!(attack(12, 120, 0.8, 0.0, 3).wrong, 12);
        let wrong: u64 = (0..6).map(|seed| attack(12, 60, 0.0, 200.0, seed).wrong).sum();
        // 36 of 72 are expected of a coin; fewer than 14 happen with probability 1e-7.
        assert!(wrong >= 14, "{wrong}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(25))]
        /// Exact answers to more questions than people bring back the table, and one wild answer changes nothing.
        #[test]
        fn exact_answers(people in 1usize..6, seed in any::<u64>(), wild in -1e6f64..1e6) {
            let mut random = Random::new(seed);
            let truth: Vec<bool> = (0..people).map(|_| random.chance(0.5)).collect();
            let weights = gaussian_weights(people, 6 * people + 10, seed).unwrap();
            let mut answers = sums(&weights, &truth);
            answers[0] = wild;
            let found = from_weighted_sums(Records::new(&weights, people).unwrap(), &answers).unwrap();
            prop_assert_eq!(found.bits, truth);
            prop_assert!(found.median_error < 1e-6);
        }
    }

    #[test]
    fn edges() {
        assert!(gaussian_weights(0, 1, 1).is_err() && gaussian_weights(129, 1, 1).is_err());
        assert!(gaussian_weights(1, 4097, 1).is_err());
        let weights = [1.0, 1.0, 2.0, -1.0];
        let records = Records::new(&weights, 2).unwrap();
        assert!(from_weighted_sums(records, &[1.0]).is_err());
        assert!(from_weighted_sums(records, &[1.0, f64::NAN]).is_err());
        assert_eq!(from_weighted_sums(records, &[1.0, 2.0]).unwrap().bits, [true, false]);
        let none = from_weighted_sums(Records::new(&[], 2).unwrap(), &[]).unwrap();
        assert_eq!((none.bits.len(), none.questions), (2, 0));
        assert!((WRONG_SHARE - 0.239).abs() < f64::EPSILON);
    }
}
