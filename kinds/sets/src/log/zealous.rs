//! ZEALOUS (Götz, Machanavajjhala, Wang, Xiao and Gehrke 2009): two thresholds, one on the true counts and one on the noisy.
//!
//! Of every person the first m distinct queries count. Queries of fewer than `people` people are dropped; the others get discrete
//! Laplace noise of scale m/epsilon, and leave when the noisy number reaches the second threshold.
//!
//! *Guarantee*, for persons who are added or removed. `Approximate`: (epsilon, delta)-differential privacy with delta = m·p,
//! where p is the probability that a query of exactly `people` people leaves (`stable.rs`). `Probabilistic`: outside a set of
//! outputs of probability delta, every output is at most e^epsilon times as likely with a person as without, which is
//! stronger. The set are the outputs with a query of exactly `people` people: of a log of at most U persons there are at most
//! U·m/people of them, so delta = (U·m/people)·p. U has to be declared; it must not be read off the log.

use privet_data::Progress;
use privet_dp::{Delta, Epsilon, Loss, Privacy, Rational};

use super::stable::{PlannedThreshold, first_distinct};
use super::{Log, NoisyLog};
use crate::SetsError;
use crate::error::require;

/// Which kind of differential privacy the second threshold is set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "privacy")]
pub enum ZealousKind {
    /// (epsilon, delta)-differential privacy.
    Approximate,
    /// (epsilon, delta)-probabilistic differential privacy.
    Probabilistic {
        /// The most persons that the log may have.
        population: u64,
    },
}

/// What is asked of a release of queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Zealous {
    /// The distinct queries of a person that count.
    pub queries_per_person: u32,
    /// The first threshold: no query of fewer people leaves.
    pub people: u64,
    /// The whole epsilon.
    pub epsilon: Epsilon,
    /// The whole delta.
    pub delta: Delta,
    /// Which kind of differential privacy.
    pub kind: ZealousKind,
}

impl Zealous {
    /// The noise and the second threshold.
    ///
    /// # Errors
    /// When a parameter makes no sense.
    pub fn plan(&self) -> Result<PlannedThreshold, SetsError> {
        require(self.queries_per_person >= 1, "queries-per-person", "1 or more")?;
        require(self.people >= 1, "people", "1 or more")?;
        let per_person = Rational::from(self.queries_per_person);
        let keys = match self.kind {
            ZealousKind::Approximate => per_person.clone(),
            ZealousKind::Probabilistic { population } => {
                require(population >= 1, "population", "1 or more")?;
                let at_threshold = Rational::from(population) * &per_person / Rational::from(self.people);
                if at_threshold > per_person { at_threshold } else { per_person.clone() }
            }
        };
        PlannedThreshold::new(&per_person / self.epsilon.value(), self.people, &(self.delta.value() / keys))
    }

    /// What a release costs: to be charged before.
    pub fn loss(&self) -> Loss {
        let (epsilon, delta) = (self.epsilon.clone(), self.delta.clone());
        match self.kind {
            ZealousKind::Approximate => Privacy::Approximate(epsilon, delta).loss(),
            ZealousKind::Probabilistic { .. } => Privacy::Probabilistic(epsilon, delta).loss(),
        }
    }

    /// Draws the noise and chooses.
    ///
    /// # Errors
    /// When a parameter makes no sense, the log has more persons than were declared, or the generator fails.
    pub fn release(&self, log: &Log, progress: &dyn Progress) -> Result<NoisyLog, SetsError> {
        if let ZealousKind::Probabilistic { population } = self.kind {
            require(
                log.people() as u64 <= population,
                "population",
                "at least the number of persons of the log",
            )?;
        }
        let threshold = self.plan()?;
        progress.stage("counting queries", None);
        let queries = log.queries();
        let counts = first_distinct(log, self.queries_per_person, |row| Some(u64::from(queries[row])));
        progress.check()?;
        let released = threshold.release(&counts)?;
        Ok(NoisyLog {
            queries: released.into_iter().map(|(key, number)| (key as u32, number)).collect(),
            clicks: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::planted_log;
    use privet_data::Silent;

    fn asked(kind: ZealousKind) -> Zealous {
        Zealous {
            queries_per_person: 4,
            people: 5,
            epsilon: "1".parse().unwrap(),
            delta: "1e-6".parse().unwrap(),
            kind,
        }
    }

    #[test]
    fn the_stronger_kind_has_the_higher_threshold() {
        let weak = asked(ZealousKind::Approximate).plan().unwrap();
        let strong = asked(ZealousKind::Probabilistic { population: 10_000 }).plan().unwrap();
        assert!(weak.noisy < strong.noisy);
        // (U·m/people)·p ≤ delta with the exact tail: U·m/people = 8000.
        let above = (strong.noisy - strong.people) as f64 / 4.0;
        assert!(8000.0 * (-above).exp() / (1.0 + (-0.25f64).exp()) <= 1e-6);
        assert!(asked(ZealousKind::Probabilistic { population: 0 }).plan().is_err());
    }

    #[test]
    fn planted_queries_never_leave() {
        let (log, planted, frequent) = planted_log(4000, 5);
        for kind in [ZealousKind::Approximate, ZealousKind::Probabilistic { population: 4000 }] {
            for _ in 0..10 {
                let released = asked(kind).release(&log, &Silent).unwrap();
                assert!(released.queries.iter().all(|(query, _)| !planted.contains(query)));
                assert!(frequent.iter().all(|query| released.queries.iter().any(|own| own.0 == *query)));
            }
        }
        let declared = asked(ZealousKind::Probabilistic { population: 100 });
        assert!(declared.release(&log, &Silent).is_err());
    }
}
