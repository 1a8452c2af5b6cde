//! Noisy queries and clicks of a search log (Korolova, Kenthapadi, Mishra and Ntoulas 2009; survey AP-12).
//!
//! Of every person the first d distinct queries count, and the first d_c distinct pairs of a query and the address followed.
//! A query leaves when its noisy number of people reaches a threshold, with a second, fresh noisy number; a pair leaves when its
//! query does and its own noisy number reaches a threshold.
//!
//! *Guarantee*: (epsilon, delta)-differential privacy for persons who are added or removed, with
//! epsilon = d/b + d/b_q + d_c/b_c and delta = d·p + d_c·p_c, where p is what `stable.rs` proves of one key. Epsilon is exact:
//! the scales are fractions. Departures from the source, each to the safe side: a person counts once per query, addresses come
//! from the data and therefore pass a threshold of their own, noise is discrete, and no query of fewer than `people` people
//! leaves at all.

use privet_data::Progress;
use privet_dp::{Delta, Epsilon, Loss, Privacy, Rational, samplers};
use serde::Serialize;

use super::stable::{PlannedThreshold, first_distinct};
use super::{Log, NONE};
use crate::SetsError;
use crate::error::require;

/// What is asked of a release of queries and clicks.
#[derive(Debug, Clone, PartialEq)]
pub struct Korolova {
    /// The distinct queries of a person that count.
    pub queries_per_person: u32,
    /// The distinct pairs of query and address that count; 0 publishes no clicks.
    pub clicks_per_person: u32,
    /// No query and no pair of fewer people leaves.
    pub people: u64,
    /// The whole epsilon.
    pub epsilon: Epsilon,
    /// The whole delta.
    pub delta: Delta,
}

/// What a release came to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NoisyLog {
    /// Queries with their noisy numbers of people.
    pub queries: Vec<(u32, i64)>,
    /// Queries, addresses, and their noisy numbers of people.
    pub clicks: Vec<(u32, u32, i64)>,
}

/// Scales and thresholds, known before anything is spent.
#[derive(Debug, Clone, PartialEq)]
pub struct KorolovaPlan {
    asked: Korolova,
    /// How queries are chosen.
    pub queries: PlannedThreshold,
    /// The scale of the numbers that are published of queries.
    pub count_scale: Rational,
    /// How clicks are chosen and published.
    pub clicks: Option<PlannedThreshold>,
}

impl Korolova {
    /// Shares the budget: equal parts of epsilon to choosing queries, to their numbers, and to clicks; of delta to queries and
    /// clicks.
    ///
    /// # Errors
    /// When a parameter makes no sense.
    pub fn plan(&self) -> Result<KorolovaPlan, SetsError> {
        require(self.queries_per_person >= 1, "queries-per-person", "1 or more")?;
        let has_clicks = self.clicks_per_person > 0;
        let share = self.epsilon.value() / Rational::from(if has_clicks { 3u32 } else { 2 });
        let per_query = Rational::from(self.queries_per_person);
        let scale = &per_query / &share;
        let delta = self.delta.value() / Rational::from(if has_clicks { 2u32 } else { 1 });
        let clicks = match has_clicks {
            false => None,
            true => {
                let pairs = Rational::from(self.clicks_per_person);
                Some(PlannedThreshold::new(&pairs / &share, self.people, &(&delta / pairs))?)
            }
        };
        Ok(KorolovaPlan {
            asked: self.clone(),
            queries: PlannedThreshold::new(scale.clone(), self.people, &(delta / per_query))?,
            count_scale: scale,
            clicks,
        })
    }
}

impl KorolovaPlan {
    /// What a release costs: to be charged before.
    pub fn loss(&self) -> Loss {
        Privacy::Approximate(self.asked.epsilon.clone(), self.asked.delta.clone()).loss()
    }

    /// Draws the noise and chooses. Queries stand in the order of their texts, whatever their numbers.
    ///
    /// # Errors
    /// When the generator fails, or the person asks to stop.
    pub fn release(&self, log: &Log, progress: &dyn Progress) -> Result<NoisyLog, SetsError> {
        progress.stage("counting queries", None);
        let queries = log.queries();
        let counts = first_distinct(log, self.asked.queries_per_person, |row| Some(u64::from(queries[row])));
        progress.check()?;
        let chosen: Vec<u64> = self.queries.release(&counts)?.into_iter().map(|(key, _)| key).collect();
        let people: Vec<u64> = chosen
            .iter()
            // cannot fail: what was chosen is among the counts
            .map(|key| counts.keys.binary_search(key).map_or(0, |place| counts.people[place]))
            .collect();
        let numbers = samplers::add_discrete_laplace(&self.count_scale, &people)?;
        let released: Vec<(u32, i64)> =
            chosen.iter().zip(numbers).map(|(&key, number)| (key as u32, number)).collect();
        let mut clicks = Vec::new();
        if let (Some(threshold), Some(followed)) = (&self.clicks, log.clicks()) {
            let pair = |row: usize| {
                (followed[row] != NONE).then(|| u64::from(queries[row]) << 32 | u64::from(followed[row]))
            };
            let counts = first_distinct(log, self.asked.clicks_per_person, pair);
            progress.check()?;
            for (key, number) in threshold.release(&counts)? {
                let (query, address) = ((key >> 32) as u32, key as u32);
                if chosen.binary_search(&u64::from(query)).is_ok() {
                    clicks.push((query, address, number));
                }
            }
        }
        Ok(NoisyLog { queries: released, clicks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::planted_log;
    use privet_data::Silent;

    fn asked(epsilon: &str, people: u64, clicks: u32) -> Korolova {
        Korolova {
            queries_per_person: 5,
            clicks_per_person: clicks,
            people,
            epsilon: epsilon.parse().unwrap(),
            delta: "1e-6".parse().unwrap(),
        }
    }

    #[test]
    fn the_budget_is_what_the_proof_adds_up_to() {
        let plan = asked("1.5", 4, 2).plan().unwrap();
        let clicks = plan.clicks.as_ref().unwrap();
        let spent = Rational::from(5) / &plan.queries.scale
            + Rational::from(5) / &plan.count_scale
            + Rational::from(2) / &clicks.scale;
        assert_eq!(spent, *"1.5".parse::<Epsilon>().unwrap().value());
        assert_eq!(plan.loss().to_string(), "epsilon 1.5, delta 0.000001");
        // d·p + d_c·p_c with the exact tail of discrete Laplace noise.
        let p = |threshold: &PlannedThreshold| {
            let scale = threshold.scale.to_f64().value();
            let above = (threshold.noisy - threshold.people) as f64;
            (-above / scale).exp() / (1.0 + (-1.0 / scale).exp())
        };
        assert!(5.0 * p(&plan.queries) + 2.0 * p(clicks) <= 1e-6);
        assert!(p(&plan.queries) <= 1.0 - (-1.0 / plan.queries.scale.to_f64().value()).exp());
        assert!(asked("1", 0, 0).plan().is_err());
    }

    /// Planted queries of one to four people never leave; what thousands ask does. The thresholds are some hundreds, so that a
    /// query of 3000 people is missed with a probability below e^(−100).
    #[test]
    fn planted_queries_never_leave_and_frequent_ones_do() {
        let (log, planted, frequent) = planted_log(4000, 5);
        for seed in 0..20u32 {
            let released = asked("1", 5, seed % 3).plan().unwrap().release(&log, &Silent).unwrap();
            assert!(released.queries.iter().all(|(query, _)| !planted.contains(query)));
            assert!(released.clicks.iter().all(|(query, ..)| !planted.contains(query)));
            assert!(frequent.iter().all(|query| released.queries.iter().any(|own| own.0 == *query)));
            assert_eq!(released.clicks.is_empty(), seed % 3 == 0);
        }
    }
}
