//! A session of a limited number of counting questions (survey ME-32: Dinur–Nissim, SuLQ).
//!
//! Guarantee: all answers together are private at the declared cost, whatever is asked and however later questions
//! depend on earlier answers; after the limit nothing is answered. With (epsilon, delta) every answer gets Gaussian
//! noise of size proportional to √T for T questions, the survey's Õ(√T); with epsilon alone Laplace noise
//! proportional to T. The survey names the order of magnitude only; the calibration is that of `noise.rs` for T
//! counts at once, and concentrated loss adds up over questions that depend on each other as well. The cost of the
//! session is charged when it is opened.

use crate::budget::{Loss, Privacy};
use crate::people::People;
use crate::{Accuracy, DpError, Noise};

/// A session.
#[derive(Debug)]
pub struct Sulq {
    noise: Noise,
    limit: u64,
    asked: u64,
}

impl Sulq {
    /// A session of at most `limit` questions that costs `privacy` as a whole.
    pub fn new(people: People, limit: u64, privacy: &Privacy) -> Result<Self, DpError> {
        if limit == 0 {
            return Err(DpError::parameter("the number of questions", "1 or more"));
        }
        let (questions, most) = (u128::from(limit), u128::from(people.contributions()));
        let squared = (most * most).checked_mul(questions);
        let squared =
            squared.ok_or(DpError::TooLarge { what: "the number of questions", most: u64::MAX >> 1 })?;
        Ok(Self { noise: Noise::of(privacy, questions * most, squared)?, limit, asked: 0 })
    }

    /// Another session on the same terms, of which nothing is asked yet. It costs as much again.
    pub fn again(&self) -> Self {
        Self { noise: self.noise.clone(), limit: self.limit, asked: 0 }
    }

    /// What the whole session costs.
    pub fn loss(&self) -> &Loss {
        self.noise.loss()
    }

    /// How far off each answer is expected to be.
    pub fn accuracy(&self) -> Accuracy {
        self.noise.accuracy()
    }

    /// The noise that every answer gets.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// How many questions are left.
    pub fn left(&self) -> u64 {
        self.limit - self.asked
    }

    /// The noisy answer to a counting question, if one is left.
    pub fn answer(&mut self, count: u64) -> Result<i128, DpError> {
        if self.asked == self.limit {
            return Err(DpError::NoQuestionsLeft { limit: self.limit });
        }
        // Counted before the noise is drawn, so that a failure cannot be used to ask once more.
        self.asked += 1;
        self.noise.add(count.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Neighbours;

    #[test]
    fn noise_grows_with_the_root_of_the_limit() {
        let people = People::one_record_each(Neighbours::ReplaceOne);
        let approximate = Privacy::Approximate("1".parse().unwrap(), "1e-6".parse().unwrap());
        let pure = Privacy::Pure("1".parse().unwrap());
        let size = |limit, privacy| Sulq::new(people, limit, privacy).unwrap().accuracy().standard_deviation;
        assert!((size(10_000, &approximate) / size(100, &approximate) - 10.0).abs() < 0.01);
        assert!((size(10_000, &pure) / size(100, &pure) - 100.0).abs() < 0.01);
    }

    #[test]
    fn the_limit_holds() {
        let people = People::one_record_each(Neighbours::AddRemove);
        let mut session = Sulq::new(people, 2, &Privacy::Pure("1000".parse().unwrap())).unwrap();
        assert!((session.answer(40).unwrap() - 40).abs() <= 1 && session.answer(1).is_ok());
        assert_eq!(session.left(), 0);
        assert!(matches!(session.answer(1), Err(DpError::NoQuestionsLeft { limit: 2 })));
        assert!(Sulq::new(people, 0, &Privacy::Pure("1".parse().unwrap())).is_err());
        let crowd = People::new(Neighbours::AddRemove, u32::MAX).unwrap();
        assert!(Sulq::new(crowd, u64::MAX, &Privacy::Pure("1".parse().unwrap())).is_ok());
    }
}
