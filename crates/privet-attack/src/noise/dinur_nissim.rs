//! Rebuilding a table of bits from noisy sums over all subsets (survey AT-19, Algorithm 3, PM-30; Dinur and Nissim 2003).
//!
//! Every person has a bit. A desk answers how many of any set of people have a 1, each answer being off by at most E.
//! The adversary asks for all 2ⁿ sets and takes any table that every answer allows.
//!
//! # Guarantee
//! When every answer is within E of the truth, a table is found and differs from the true one in at most 4E places
//! (TH-19): the survey prints "< 4E", but 4E is attained, and is tested to be. Exponential: at most 20 people.
//!
//! Departure in order, not in result: the survey goes through all 2ⁿ tables and asks each all 2ⁿ questions. Here people are
//! decided one after the other, and a beginning is given up at the first set of decided people whose answer contradicts
//! it. First comes the bit that is likelier by the mean answer about sets with that person less the mean without: noise
//! that is drawn by chance cancels there, and then the search hardly ever turns back.

use serde::Serialize;

use super::records::{NoiseAttackError, check_spread};

/// The most people for whom all subsets are asked.
pub const MOST_PEOPLE: u32 = 20;

/// A table of bits that fits answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reconstruction {
    /// Per person the bit.
    #[serde(skip)]
    pub bits: Vec<bool>,
    /// How many questions were answered.
    pub questions: u64,
    /// The error of the answers that the table implies: none is farther from it.
    pub error: f64,
}

/// Asks for every subset of people, as bits of a number, and finds a table that is within `error` of all answers. An
/// answer that is no number counts as refused.
///
/// # Errors
/// [`NoiseAttackError::Contradiction`] when no table is; when there are more than [`MOST_PEOPLE`], or the error is no
/// number from 0 on.
pub fn all_subsets(
    people: u32,
    error: f64,
    mut ask: impl FnMut(u32) -> f64,
) -> Result<Reconstruction, NoiseAttackError> {
    check_spread("the error of the answers", error)?;
    if people > MOST_PEOPLE {
        let (found, most) = (people as usize, MOST_PEOPLE as usize);
        return Err(NoiseAttackError::TooLarge { what: "the number of people", found, most });
    }
    let answers: Vec<f64> = (0..1u32 << people).map(&mut ask).collect();
    let likely = (0..people).map(|person| adds(&answers, person)).collect();
    let sums = vec![0; 1 << people];
    let mut search = Search { answers: &answers, error, people, sums, bits: Vec::new(), likely };
    // The empty set has the sum 0 in every table.
    let possible = answers.first().is_none_or(|&answer| !contradicts(0, answer, error));
    if !possible || !search.decide(0) {
        return Err(NoiseAttackError::Contradiction);
    }
    let off = |(sum, answer): (&u8, &f64)| (f64::from(*sum) - answer).abs();
    let worst = search.sums.iter().zip(&answers).map(off).filter(|own| own.is_finite());
    Ok(Reconstruction {
        error: worst.fold(0.0, f64::max),
        questions: answers.iter().filter(|answer| answer.is_finite()).count() as u64,
        bits: search.bits,
    })
}

struct Search<'a> {
    answers: &'a [f64],
    error: f64,
    people: u32,
    /// Per set of people that are decided, how many have a 1. At most 20.
    sums: Vec<u8>,
    bits: Vec<bool>,
    /// Per person the bit to try first.
    likely: Vec<bool>,
}

/// Whether a person adds more than half to the mean answer.
fn adds(answers: &[f64], person: u32) -> bool {
    let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
    for (set, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.is_finite()) {
        let with = set >> person & 1;
        sums[with] += answer; // why: 0 or 1
        counts[with] += 1.0; // why: as above
    }
    let [without, with] = [0, 1].map(|own| sums[own] / f64::max(counts[own], 1.0)); // why: as above
    with - without > 0.5
}

/// Whether a sum is too far from an answer. What is no number contradicts nothing; the last bits of numbers neither.
fn contradicts(sum: u8, answer: f64, error: f64) -> bool {
    answer.is_finite() && (f64::from(sum) - answer).abs() > error + 1e-9
}

impl Search<'_> {
    /// Decides the bits from `person` on; false when no choice fits.
    fn decide(&mut self, person: u32) -> bool {
        if person == self.people {
            return true;
        }
        let likely = self.likely.get(person as usize) == Some(&true);
        for bit in [likely, !likely] {
            if self.fits(person, bit) {
                self.bits.push(bit);
                if self.decide(person + 1) {
                    return true;
                }
                self.bits.pop();
            }
        }
        false
    }

    /// Whether all sets of this person and those before allow the bit; their sums are noted.
    fn fits(&mut self, person: u32, bit: bool) -> bool {
        let (before, after) = self.sums.split_at_mut(1 << person); // why: there are 2^people sums, person < people
        let answers = self.answers.iter().skip(1 << person);
        for ((sum, without), &answer) in after.iter_mut().zip(&*before).zip(answers) {
            *sum = without + u8::from(bit);
            if contradicts(*sum, answer, self.error) {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::BitScore;
    use privet_data::Random;
    use proptest::prelude::*;

    fn sum(table: u32, set: u32) -> f64 {
        f64::from((table & set).count_ones())
    }

    fn bits(table: u32, people: u32) -> Vec<bool> {
        (0..people).map(|person| table >> person & 1 == 1).collect()
    }

    /// survey AT-19 [D✓]: dist(C, D) = 4E is attained. Two people of whom one has a 1, and E = 1/2: both tables fit, and
    /// whichever is found, the truth may be the other, two bits away.
    #[test]
    fn four_times_the_error_is_attained() {
        let found = all_subsets(2, 0.5, |set| [0.0, 0.5, 0.5, 1.0][set as usize]).unwrap();
        let truth: Vec<bool> = found.bits.iter().map(|bit| !bit).collect();
        let table = u32::from(truth[0]) + 2 * u32::from(truth[1]);
        for set in 0..4 {
            assert!((sum(table, set) - [0.0, 0.5, 0.5, 1.0][set as usize]).abs() <= 0.5);
        }
        assert_eq!(f64::from(BitScore::of(&truth, &found.bits).unwrap().wrong as u32), 4.0 * 0.5);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        /// survey AT-19, TH-19: a table is found, every answer allows it, and it is at most 4E off.
        #[test]
        fn within_four_times_the_error(people in 0u32..9, seed in any::<u64>(), error in 0f64..2.0) {
            let mut random = Random::new(seed);
            let table = random.below(1 << people) as u32;
            let answers: Vec<f64> =
                (0..1 << people).map(|set| sum(table, set) + error * (2.0 * random.unit() - 1.0)).collect();
            let found = all_subsets(people, error, |set| answers[set as usize]).unwrap();
            prop_assert!(found.error <= error + 1e-9);
            let own = found.bits.iter().rev().fold(0, |all, bit| 2 * all + u32::from(*bit));
            let worst = (0..1 << people).map(|set| (sum(own, set) - answers[set as usize]).abs()).fold(0.0, f64::max);
            prop_assert!((worst - found.error).abs() < 1e-9);
            let score = BitScore::of(&bits(table, people), &found.bits).unwrap();
            prop_assert!(score.wrong as f64 <= 4.0 * error + 1e-9);
        }

        /// A table is found exactly when some table fits, whatever the answers.
        #[test]
        fn finds_one_if_there_is_one(people in 0u32..6, answers in prop::collection::vec(0u32..5, 32), halves in 0u32..6) {
            let error = f64::from(halves) / 2.0;
            let answer = |set: u32| f64::from(answers[set as usize]);
            let fits = |table: u32| (0..1 << people).all(|set| (sum(table, set) - answer(set)).abs() <= error);
            let some = (0..1 << people).any(fits);
            match all_subsets(people, error, answer) {
                Ok(found) => prop_assert!(fits(found.bits.iter().rev().fold(0, |all, bit| 2 * all + u32::from(*bit)))),
                Err(problem) => prop_assert!(!some && problem == NoiseAttackError::Contradiction),
            }
        }
    }

    /// Noise that goes with n hides the table: with every answer at half the size of the set and E = n/2 anything fits.
    #[test]
    fn noise_as_large_as_the_table_hides_it() {
        let found = all_subsets(10, 5.0, |set| f64::from(set.count_ones()) / 2.0).unwrap();
        assert!(found.bits.iter().all(|bit| !bit));
    }

    #[test]
    fn twenty_people() {
        let table = 0b1011_0010_1110_0101_1001;
        let found = all_subsets(20, 1.0, |set| sum(table, set) + f64::from(set % 3) - 1.0).unwrap();
        let score = BitScore::of(&bits(table, 20), &found.bits).unwrap();
        assert!(score.wrong <= 4 && found.questions == 1 << 20, "{score:?}");
    }

    /// Even noise of every size, up to half of the people: found at once, and never farther than the promise.
    #[test]
    fn eighteen_people_at_any_noise() {
        for error in 0..10 {
            let (error, mut random) = (f64::from(error), Random::new(19));
            let table = 0b10_1101_0010_0111_0001;
            let found =
                all_subsets(18, error, |set| sum(table, set) + error * (2.0 * random.unit() - 1.0)).unwrap();
            let score = BitScore::of(&bits(table, 18), &found.bits).unwrap();
            assert!(score.wrong as f64 <= 4.0 * error && found.error <= error, "{error} {score:?}");
        }
    }

    #[test]
    fn edges() {
        assert!(all_subsets(0, 0.0, |_| 0.0).unwrap().bits.is_empty());
        assert_eq!(all_subsets(0, 0.0, |_| 1.0), Err(NoiseAttackError::Contradiction));
        assert!(all_subsets(21, 1.0, |_| 0.0).is_err());
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(all_subsets(2, bad, |_| 0.0).is_err());
        }
        assert_eq!(
            all_subsets(2, 0.4, |set| [0.0, 1.0, 1.0, 0.0][set as usize]),
            Err(NoiseAttackError::Contradiction)
        );
        let refused = all_subsets(3, 0.0, |_| f64::NAN).unwrap();
        assert_eq!((refused.questions, refused.bits.len()), (0, 3));
    }
}
