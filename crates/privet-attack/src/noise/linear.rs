//! Rebuilding a table of bits from noisy sums over a few random subsets, by a linear program (survey AT-20; Dinur and
//! Nissim 2003).
//!
//! The adversary asks t = n(log n)² random subsets and solves A(Q) − E ≤ Σ_{i∈Q} c_i ≤ A(Q) + E with 0 ≤ c_i ≤ 1 for all
//! of them, then rounds at ½.
//!
//! # Guarantee
//! When every answer is within E of the truth, the fractions that are found satisfy every answer within E. For
//! E = o(√n) the rounded table is wrong in o(n) places with high probability (TH-19; asymptotic, so it is tested by
//! simulation); noise of the order of √n, as differential privacy asks of so many answers, defeats it.
//!
//! That is the attack on noise that is bounded. [`rebuild`] is the one for noise of which nothing is known: a few far answers
//! decide what the largest error is, and then this program finds little where others find nearly everything.
//!
//! Departures: the program minimizes the largest error instead of taking E as given, so the adversary need not know E, and
//! a stated E that is too small shows as a contradiction. Most answers do not bind: the program starts with 2n of
//! them and takes in those that its solution contradicts, until none is. The logarithm is to the base 2.

use good_lp::{Expression, Solution, SolverModel, constraint, microlp, variable, variables};
use privet_data::Random;

use super::decode::most_likely;
use super::dinur_nissim::Reconstruction;
use super::records::{NoiseAttackError, Records, check_length, check_moderate, check_spread};

/// The most people; the program takes some seconds for 100 and grows with the cube and more.
pub const MOST_PEOPLE: usize = 256;

/// The program is brought to [`rebuild`] as one more start for at most so many people.
const FEW_PEOPLE: usize = 32;

/// The most subsets.
pub const MOST_QUESTIONS: usize = 1 << 20;

/// Subsets of people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subsets {
    people: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Subsets {
    /// No subset yet.
    ///
    /// # Errors
    /// When there is nobody, or more than [`MOST_PEOPLE`].
    pub fn new(people: usize) -> Result<Self, NoiseAttackError> {
        if people > MOST_PEOPLE {
            return Err(NoiseAttackError::TooLarge {
                what: "the number of people",
                found: people,
                most: MOST_PEOPLE,
            });
        }
        if people == 0 {
            return Err(NoiseAttackError::Length { what: "people", found: 0, expected: 1 });
        }
        Ok(Self { people, words: people.div_ceil(64), bits: Vec::new() })
    }

    /// So many random subsets: everybody is in each with probability ½.
    ///
    /// # Errors
    /// As [`Subsets::new`], and when there are more than [`MOST_QUESTIONS`].
    pub fn random(people: usize, questions: usize, seed: u64) -> Result<Self, NoiseAttackError> {
        let mut subsets = Self::new(people)?;
        if questions > MOST_QUESTIONS {
            let (found, most) = (questions, MOST_QUESTIONS);
            return Err(NoiseAttackError::TooLarge { what: "the number of questions", found, most });
        }
        let mut random = Random::new(seed);
        let rest = people % 64;
        let last = if rest == 0 { u64::MAX } else { (1 << rest) - 1 };
        for _ in 0..questions {
            for word in 1..=subsets.words {
                subsets.bits.push(random.number() & if word == subsets.words { last } else { u64::MAX });
            }
        }
        Ok(subsets)
    }

    /// Adds a subset of these people; others than those that there are do not count.
    pub fn push(&mut self, members: impl IntoIterator<Item = usize>) {
        let from = self.bits.len();
        self.bits.resize(from + self.words, 0);
        for person in members.into_iter().filter(|person| *person < self.people) {
            if let Some(word) = self.bits.get_mut(from + person / 64) {
                *word |= 1 << (person % 64);
            }
        }
    }

    /// How many subsets there are.
    pub fn len(&self) -> usize {
        self.bits.len() / self.words
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// How many people there are.
    pub fn people(&self) -> usize {
        self.people
    }

    /// The members of each subset, in order.
    pub fn members(&self) -> impl Iterator<Item = impl Iterator<Item = usize> + '_> + '_ {
        self.bits.chunks_exact(self.words).map(members)
    }

    /// Per subset the sum over its members.
    pub fn sums(&self, values: &[f64]) -> Vec<f64> {
        let one = |words| members(words).filter_map(|person| values.get(person)).sum();
        self.bits.chunks_exact(self.words).map(one).collect()
    }

    /// Per subset and person 1 for its members and 0 for the others.
    pub(super) fn weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.len() * self.people];
        for (row, members) in weights.chunks_exact_mut(self.people).zip(self.members()) {
            members.filter(|person| *person < self.people).for_each(|person| row[person] = 1.0); // why: checked before
        }
        weights
    }

    fn of(&self, subset: usize) -> &[u64] {
        self.bits.get(subset * self.words..(subset + 1) * self.words).unwrap_or(&[])
    }
}

fn members(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                64 * place + bit
            })
        })
    })
}

/// n(log₂ n)², the number of random subsets that the attack asks.
pub fn questions_for(people: usize) -> usize {
    let n = people as f64;
    if people < 2 { people } else { (n * n.log2().powi(2)).ceil() as usize }
}

/// Finds the table that comes closest to all answers, and rounds it. With a stated `error` it stops at a table that is
/// within that.
///
/// # Errors
/// [`NoiseAttackError::Contradiction`] when no table, not even of fractions, is within the stated error; when there is not
/// one answer per subset, or one is no number; or when the program cannot be solved.
pub fn from_subsets(
    subsets: &Subsets,
    answers: &[f64],
    error: Option<f64>,
) -> Result<Reconstruction, NoiseAttackError> {
    let (table, error) = fractions(subsets, answers, error)?;
    let bits = table.iter().map(|own| *own > 0.5).collect();
    Ok(Reconstruction { bits, questions: answers.len() as u64, error })
}

/// The fractions that come closest to all answers, and how far the farthest answer is from them.
fn fractions(
    subsets: &Subsets,
    answers: &[f64],
    error: Option<f64>,
) -> Result<(Vec<f64>, f64), NoiseAttackError> {
    check_length("answers", answers.len(), subsets.len())?;
    check_moderate(answers)?;
    let allowed = error.unwrap_or(0.0);
    check_spread("the error of the answers", allowed)?;
    // The solver's own tolerance.
    let slack = 1e-6;
    let people = subsets.people();
    let mut taken: Vec<usize> = (0..answers.len().min(2 * people)).collect();
    let mut is_taken = vec![false; answers.len()];
    loop {
        taken.iter().for_each(|&own| {
            if let Some(own) = is_taken.get_mut(own) {
                *own = true;
            }
        });
        let (table, least) = closest(subsets, answers, &taken)?;
        if error.is_some() && least > allowed + slack {
            return Err(NoiseAttackError::Contradiction);
        }
        let off: Vec<f64> =
            subsets.sums(&table).iter().zip(answers).map(|(sum, answer)| (sum - answer).abs()).collect();
        let limit = least.max(allowed) + slack;
        let mut broken: Vec<(usize, f64)> = off
            .iter()
            .copied()
            .enumerate()
            .filter(|&(own, off)| off > limit && is_taken.get(own) == Some(&false))
            .collect();
        if broken.is_empty() {
            return Ok((table, off.into_iter().fold(0.0, f64::max)));
        }
        broken.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        taken.extend(broken.iter().take(people / 2 + 1).map(|own| own.0));
    }
}

/// The most likely table when nothing is known of the noise, such as Laplace or normal noise, which has no largest error:
/// see [`super::decode`].
///
/// # Errors
/// When there is not one answer per subset, or one is no number.
pub fn rebuild(subsets: &Subsets, answers: &[f64]) -> Result<Reconstruction, NoiseAttackError> {
    check_length("answers", answers.len(), subsets.len())?;
    check_moderate(answers)?;
    let people = subsets.people();
    // What binds the program is the worst answers; with noise that has no largest one it is only one more start.
    let start = match people <= FEW_PEOPLE && !answers.is_empty() {
        true => fractions(subsets, answers, None).ok().map(|own| own.0),
        false => None,
    };
    let weights = subsets.weights();
    let bits = most_likely(Records::new(&weights, people)?, answers, start.as_slice())?;
    let values: Vec<f64> = bits.iter().map(|bit| f64::from(*bit)).collect();
    let off = subsets.sums(&values).into_iter().zip(answers).map(|(sum, answer)| (sum - answer).abs());
    Ok(Reconstruction { error: off.fold(0.0, f64::max), questions: answers.len() as u64, bits })
}

/// The table of fractions with the least largest error over some answers, and that error.
fn closest(subsets: &Subsets, answers: &[f64], taken: &[usize]) -> Result<(Vec<f64>, f64), NoiseAttackError> {
    let mut unknowns = variables!();
    let table: Vec<_> = (0..subsets.people()).map(|_| unknowns.add(variable().min(0.0).max(1.0))).collect();
    let worst = unknowns.add(variable().min(0.0));
    let mut model = unknowns.minimise(worst).using(microlp);
    for &own in taken {
        let answer = answers.get(own).copied().unwrap_or(0.0);
        let mut sum = Expression::with_capacity(table.len() + 1);
        members(subsets.of(own))
            .filter_map(|person| table.get(person))
            .for_each(|&person| sum.add_mul(1.0, person));
        model.add_constraint(constraint!(sum.clone() - worst <= answer));
        model.add_constraint(constraint!(sum + worst >= answer));
    }
    let solution = model.solve().map_err(|_| NoiseAttackError::Solver)?;
    let found: Vec<f64> = table.iter().map(|&own| solution.value(own)).collect();
    let least = solution.value(worst);
    if found.iter().any(|own| own.is_nan()) || least.is_nan() {
        return Err(NoiseAttackError::Solver);
    }
    Ok((found, least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::BitScore;
    use proptest::prelude::*;

    fn table(people: usize, seed: u64) -> Vec<bool> {
        let mut random = Random::new(seed);
        (0..people).map(|_| random.chance(0.5)).collect()
    }

    fn as_numbers(table: &[bool]) -> Vec<f64> {
        table.iter().map(|bit| f64::from(*bit)).collect()
    }

    /// Answers that are off by up to `error`, evenly.
    fn answers(subsets: &Subsets, table: &[bool], error: f64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let sums = subsets.sums(&as_numbers(table));
        sums.into_iter().map(|sum| sum + error * (2.0 * random.unit() - 1.0)).collect()
    }

    /// survey AT-20: below √n everything comes back; the error of the answers is found without being told.
    #[test]
    fn a_little_noise_hides_nothing() {
        let people = 24;
        let truth = table(people, 20);
        let subsets = Subsets::random(people, questions_for(people), 21).unwrap();
        assert_eq!(subsets.len(), 505);
        let noisy = answers(&subsets, &truth, 2.0, 22);
        for error in [None, Some(2.0)] {
            let found = from_subsets(&subsets, &noisy, error).unwrap();
            let score = BitScore::of(&truth, &found.bits).unwrap();
            assert!(score.wrong <= 1, "{score:?}");
            assert!(score.right.rate > score.control.rate + 0.2, "{score:?}");
            assert!(found.error <= 2.0 + 1e-5 && found.error > 1.5, "{found:?}");
        }
        assert_eq!(from_subsets(&subsets, &noisy, Some(0.5)), Err(NoiseAttackError::Contradiction));
    }

    /// Noise of several √n leaves about half of the bits wrong, whatever is asked.
    #[test]
    fn much_noise_hides() {
        let people = 16;
        let mut wrong = 0;
        for seed in 0..6 {
            let truth = table(people, seed);
            let subsets = Subsets::random(people, questions_for(people), 31 + seed).unwrap();
            let found = from_subsets(&subsets, &answers(&subsets, &truth, 60.0, 61 + seed), None).unwrap();
            wrong += BitScore::of(&truth, &found.bits).unwrap().wrong;
        }
        // 48 of 96 are expected of a coin; fewer than 22 happen with probability 1e-7.
        assert!(wrong >= 22, "{wrong}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(25))]
        /// No table of bits does better than the fractions that are found, and exact answers to all single people and
        /// pairs bring back the table.
        #[test]
        fn is_the_least_error(people in 1usize..6, seed in any::<u64>(), error in 0f64..3.0) {
            let truth = table(people, seed);
            let subsets = Subsets::random(people, 12, seed ^ 1).unwrap();
            let noisy = answers(&subsets, &truth, error, seed ^ 2);
            let found = from_subsets(&subsets, &noisy, None).unwrap();
            for other in 0..1u32 << people {
                let bits: Vec<bool> = (0..people).map(|person| other >> person & 1 == 1).collect();
                let off = subsets.sums(&as_numbers(&bits)).iter().zip(&noisy).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                prop_assert!(found.error <= off + 1e-5);
            }
            let mut single = Subsets::new(people).unwrap();
            (0..people).for_each(|person| single.push([person]));
            let exact = single.sums(&as_numbers(&truth));
            prop_assert_eq!(from_subsets(&single, &exact, Some(0.0)).unwrap().bits, truth);
        }
    }

    #[test]
    fn edges() {
        assert!(Subsets::new(0).is_err() && Subsets::new(257).is_err());
        assert!(Subsets::random(3, MOST_QUESTIONS + 1, 1).is_err());
        let mut subsets = Subsets::new(70).unwrap();
        assert!(subsets.is_empty() && from_subsets(&subsets, &[], None).unwrap().bits.len() == 70);
        subsets.push([0, 69, 70, 1000]);
        assert_eq!(subsets.members().map(|own| own.collect::<Vec<_>>()).collect::<Vec<_>>(), [[0, 69]]);
        assert!(from_subsets(&subsets, &[], None).is_err());
        for bad in [f64::NAN, f64::INFINITY, 1e10] {
            assert!(from_subsets(&subsets, &[bad], None).is_err());
        }
        assert!(from_subsets(&subsets, &[-1e9], None).unwrap().error > 9e8);
        assert!(from_subsets(&subsets, &[1.0], Some(-1.0)).is_err());
        // An answer that no table gives.
        assert_eq!(from_subsets(&subsets, &[9.0], Some(1.0)), Err(NoiseAttackError::Contradiction));
        assert!((from_subsets(&subsets, &[9.0], None).unwrap().error - 7.0).abs() < 1e-5);
        assert_eq!([0, 1, 2, 64].map(questions_for), [0, 1, 2, 2304]);
        let full = Subsets::random(64, 3, 5).unwrap();
        assert!(full.members().all(|own| own.last().is_some_and(|last| last < 64)));
    }
}
