//! Exchangeable people, exactly (survey AT-12; Kifer's deFinetti attack): all worlds one by one, each weighed by how well
//! one naive Bayes model explains it.
//!
//! The model is unknown, with a Dirichlet prior on each of its distributions, and integrated out. The values that the
//! groups publish fix how often each occurs, so P(s) weighs all worlds alike, and what remains of a world's weight is
//! Π over columns, quasi values q and sensitive values s of Γ(N(q, s) + prior), where N counts people.
//!
//! What it guarantees: exact up to rounding, for as many worlds as `limit` allows. It is the reference for
//! [`DeFinetti`](super::DeFinetti).

use privet_data::Progress;

use super::{Reasoner, ReasonerError, View, check_prior};
use crate::worlds::{Beliefs, Worlds};

/// What is exchangeable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Given the sensitive value the quasi columns are independent: P(s) Π P(q_i | s).
    NaiveBayes,
    /// The sensitive value depends on the whole quasi-identifier: P(q) P(s | q). With one column and even priors this
    /// weighs worlds as naive Bayes does.
    Joint,
}

/// The deFinetti attack by enumeration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExactDeFinetti {
    /// The Dirichlet prior: how many people of each kind are imagined beforehand.
    pub prior: f64,
    /// The model.
    pub model: Model,
    /// How many worlds may be gone through.
    pub limit: u64,
}

/// The chance of each value for the next of exchangeable people, after so many of each: (n(s) + prior) / (n + prior · values).
///
/// # Errors
/// When the prior is out of range.
pub fn predictive(counts: &[u64], prior: f64) -> Result<Vec<f64>, ReasonerError> {
    check_prior(prior)?;
    let all: f64 = counts.iter().map(|&count| count as f64 + prior).sum();
    Ok(counts.iter().map(|&count| (count as f64 + prior) / all).collect())
}

impl Reasoner for ExactDeFinetti {
    fn name(&self) -> &'static str {
        "exchangeability, all worlds"
    }

    fn beliefs(&self, view: &View<'_>, progress: &dyn Progress) -> Result<Beliefs, ReasonerError> {
        check_prior(self.prior)?;
        view.check()?;
        let mut worlds = Worlds::new(view.groups, self.limit)?;
        let people: Vec<u32> = view.groups.iter().flat_map(|group| group.people.iter().copied()).collect();
        let mut codes: Vec<u32> = view.groups.iter().flat_map(|group| group.values.iter().copied()).collect();
        codes.sort_unstable();
        codes.dedup();
        let columns = self.columns(view, &people);
        let width = codes.len();
        let needed: u128 = columns.iter().map(|column| column.1 as u128 * width as u128).sum();
        let most = 1u128 << 26;
        if needed > most {
            return Err(ReasonerError::TooLarge { what: "the counts of a world", needed, most });
        }
        progress.stage("Worlds", None);
        let mut counts: Vec<Vec<u32>> = columns.iter().map(|column| vec![0; column.1 * width]).collect();
        let mut with = vec![0.0f64; people.len() * width];
        let (mut all, mut scale) = (0.0f64, f64::NEG_INFINITY);
        let mut own: Vec<usize> = vec![0; people.len()];
        let mut done = 0u64;
        while let Some(world) = worlds.advance() {
            if done.is_multiple_of(1024) {
                progress.check()?;
                progress.at(done);
            }
            done += 1;
            let places = world.iter().map(|value| codes.partition_point(|code| code < value));
            own.iter_mut().zip(places).for_each(|(own, place)| *own = place);
            let mut weight = 0.0;
            for ((quasi, _), counts) in columns.iter().zip(&mut counts) {
                counts.fill(0);
                for (&q, &s) in quasi.iter().zip(&own) {
                    let count = &mut counts[q * width + s];
                    // Γ(N + prior) / Γ(prior), one factor for each person.
                    weight += (f64::from(*count) + self.prior).ln();
                    *count += 1;
                }
            }
            // Weights are kept relative to the largest so far.
            if weight > scale {
                let shrink = (scale - weight).exp();
                with.iter_mut().for_each(|with| *with *= shrink);
                all *= shrink;
                scale = weight;
            }
            let weight = (weight - scale).exp();
            all += weight;
            own.iter().enumerate().for_each(|(person, &s)| with[person * width + s] += weight);
        }
        let mut beliefs = Beliefs::with_capacity(people.len());
        let mut row = 0;
        for group in view.groups {
            let values: Vec<u32> = group.counts().into_iter().map(|(value, _)| value).collect();
            for &person in &group.people {
                let chance =
                    |value: u32| with[row * width + codes.partition_point(|&code| code < value)] / all;
                let distribution = beliefs.add(values.iter().map(|&value| (value, chance(value))));
                beliefs.about(person, distribution);
                row += 1;
            }
        }
        Ok(beliefs)
    }
}

impl ExactDeFinetti {
    /// Per column of the model a number for each person, and how many different ones there are.
    fn columns(&self, view: &View<'_>, people: &[u32]) -> Vec<(Vec<usize>, usize)> {
        let number = |tuples: Vec<Vec<u32>>| {
            let mut distinct = tuples.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let numbers =
                tuples.iter().map(|tuple| distinct.partition_point(|other| other < tuple)).collect();
            (numbers, distinct.len())
        };
        let code = |column: &[u32], person: u32| column[person as usize];
        match self.model {
            Model::NaiveBayes => view
                .qi
                .iter()
                .map(|column| number(people.iter().map(|&person| vec![code(column, person)]).collect()))
                .collect(),
            Model::Joint => {
                let tuple = |&person: &u32| view.qi.iter().map(|column| code(column, person)).collect();
                vec![number(people.iter().map(tuple).collect())]
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use privet_data::Silent;

    use super::*;
    use crate::worlds::{Bucket, WorldsError};

    /// survey FX-6.4; tuples are numbered from 0, values are cancer, flu, none.
    pub fn anatomy() -> (Vec<u32>, Vec<Bucket>) {
        let smokers = [1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0].to_vec();
        let values = [[0, 1], [1, 2], [0, 2], [0, 2], [1, 2], [0, 2]];
        let group = |(number, values): (u32, [u32; 2])| Bucket {
            people: vec![2 * number, 2 * number + 1],
            values: values.to_vec(),
        };
        (smokers, (0..).zip(values).map(group).collect())
    }

    /// survey FX-6.4: 5/32, 27/32 and 1/2.
    #[test]
    fn survey_fx64_golden() {
        let (smokers, groups) = anatomy();
        let view = View { qi: &[&smokers], qi_domains: &[2], groups: &groups };
        for model in [Model::NaiveBayes, Model::Joint] {
            let beliefs = ExactDeFinetti { prior: 1.0, model, limit: 64 }.beliefs(&view, &Silent).unwrap();
            for person in 0..12 {
                let expected = match person {
                    5 | 11 => 5.0 / 32.0,
                    4 | 10 => 27.0 / 32.0,
                    _ => 0.5,
                };
                let value = if person == 2 || person == 3 || person == 8 || person == 9 { 1 } else { 0 };
                let found = beliefs.chance(person, value);
                assert!((found - expected).abs() < 1e-12, "{person}: {found}");
            }
        }
        let many = ExactDeFinetti { prior: 1.0, model: Model::Joint, limit: 63 }.beliefs(&view, &Silent);
        assert_eq!(many.unwrap_err(), ReasonerError::Worlds(WorldsError::TooMany { limit: 63 }));
        for prior in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                ExactDeFinetti { prior, model: Model::Joint, limit: 64 }.beliefs(&view, &Silent).is_err()
            );
        }
    }

    /// survey FX-6.3: (99 + 1) / (99 + 2).
    #[test]
    fn survey_fx63_predictive() {
        assert!((predictive(&[99, 0], 1.0).unwrap()[0] - 100.0 / 101.0).abs() < 1e-12);
        assert!(predictive(&[], 1.0).unwrap().is_empty());
        assert!(predictive(&[1], f64::NAN).is_err());
    }

    #[test]
    fn nobody() {
        let view = View { qi: &[], qi_domains: &[], groups: &[] };
        let found =
            ExactDeFinetti { prior: 1.0, model: Model::Joint, limit: 1 }.beliefs(&view, &Silent).unwrap();
        assert!(found.people().is_empty());
    }
}
