//! Interchangeable ways to reason from a release to people (survey AT-11): each takes what is published and gives what
//! is then believed about everybody.
//!
//! | reasoner | what it assumes |
//! | --- | --- |
//! | [`RandomWorlds`] | every original that fits is equally likely |
//! | [`Independence`] | the value of a person follows a known prior, and nobody tells anything about others |
//! | [`MaxEnt`] | of all distributions that fit what is known, the one that assumes least |
//! | [`DeFinetti`], [`ExactDeFinetti`] | people are exchangeable: what one group shows is learned from for all others |
//!
//! [`bayes_optimal`](bayes_optimal()) is the belief of whoever knows the true joint distribution (survey PM-06).

mod bayes_optimal;
mod definetti;
mod exact;
mod independence;
mod maxent;

pub use bayes_optimal::{BayesOptimal, Surprise, bayes_optimal, conditional};
pub use definetti::DeFinetti;
pub use exact::{ExactDeFinetti, Model, predictive};
pub use independence::Independence;
pub use maxent::{Constraint, MaxEnt, Relation};

use privet_data::{Cancelled, Progress};

use crate::worlds::{Beliefs, Bucket, Buckets, Statement, WorldsError, posterior};

/// A release as an adversary sees it who knows everybody's quasi-identifier and group.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Per quasi column a code for each person; people are numbered by their place in the columns.
    pub qi: &'a [&'a [u32]],
    /// Per quasi column how many codes there can be.
    pub qi_domains: &'a [u32],
    /// The groups, with their people and published sensitive values.
    pub groups: &'a [Bucket],
}

/// Why nothing is believed. No message holds a value of the data.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReasonerError {
    /// The groups, or what is known, do not fit.
    #[error(transparent)]
    Worlds(#[from] WorldsError),
    /// The quasi columns do not fit.
    #[error("identifying column {column}: {problem}")]
    Column {
        /// Its number, from 0.
        column: usize,
        /// What is wrong, and what would be accepted.
        problem: &'static str,
    },
    /// A parameter is out of range.
    #[error("{name} {problem}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What is wrong, and what would be accepted.
        problem: &'static str,
    },
    /// There is more to keep than fits.
    #[error(
        "{what} would need {needed} cells, and {most} are possible; use a coarser column or smaller groups"
    )]
    TooLarge {
        /// What would.
        what: &'static str,
        /// How many.
        needed: u128,
        /// The limit.
        most: u128,
    },
    /// The maximum-entropy distribution was not reached.
    #[error(
        "after {rounds} rounds a constraint is still off by {off:.2e} (accepted: {tolerance:.0e}); the constraints may \
         contradict each other or the release, or leave hardly any room, which takes more rounds; shares that leave some room \
         (0.01 for 0, or fewer of them) help"
    )]
    NotConverged {
        /// The rounds.
        rounds: u32,
        /// The largest violation.
        off: f64,
        /// What would have been accepted.
        tolerance: f64,
    },
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A way to reason.
pub trait Reasoner {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What is believed about everybody in the groups.
    ///
    /// # Errors
    /// When the view is not well-formed, a parameter is out of range, there is too much to do, or the person stopped it.
    fn beliefs(&self, view: &View<'_>, progress: &dyn Progress) -> Result<Beliefs, ReasonerError>;
}

impl View<'_> {
    /// Checks that everybody is in one group, with one value, and has a code in every column.
    ///
    /// # Errors
    /// When not.
    pub fn check(&self) -> Result<Buckets, ReasonerError> {
        let groups = buckets(self.groups)?;
        let fault = |column: usize, problem: &'static str| Err(ReasonerError::Column { column, problem });
        if self.qi.len() != self.qi_domains.len() {
            return fault(
                self.qi.len().min(self.qi_domains.len()),
                "every column needs one size of its domain",
            );
        }
        let people =
            self.groups.iter().flat_map(|group| &group.people).max().map_or(0, |&last| last as usize + 1);
        for (column, (codes, &domain)) in self.qi.iter().zip(self.qi_domains).enumerate() {
            if codes.len() < people {
                return fault(column, "has no code for somebody who is in a group");
            }
            if codes.iter().any(|&code| code >= domain) {
                return fault(column, "holds a code that is not below the size of its domain");
            }
        }
        Ok(groups)
    }
}

/// Checks groups over a domain that is as large as their values need.
pub(crate) fn buckets(groups: &[Bucket]) -> Result<Buckets, WorldsError> {
    let most = groups.iter().flat_map(|group| &group.values).max();
    Buckets::new(groups.to_vec(), most.map_or(0, |&most| most.saturating_add(1)))
}

/// A prior that a Dirichlet distribution can have.
pub(crate) fn check_prior(prior: f64) -> Result<(), ReasonerError> {
    // Smaller ones make chances that numbers cannot hold.
    if prior.is_finite() && (1e-6..=1e6).contains(&prior) {
        return Ok(());
    }
    Err(ReasonerError::Parameter {
        name: "prior",
        problem: "must be between 0.000001 and 1000000; 1 is even",
    })
}

/// Every world that fits is equally likely (survey PM-11).
#[derive(Debug, Clone, Default)]
pub struct RandomWorlds {
    /// What is known besides the release.
    pub knowledge: Vec<Statement>,
    /// How many partial worlds may be looked at.
    pub limit: u64,
}

impl Reasoner for RandomWorlds {
    fn name(&self) -> &'static str {
        "random worlds"
    }

    fn beliefs(&self, view: &View<'_>, progress: &dyn Progress) -> Result<Beliefs, ReasonerError> {
        Ok(posterior(&view.check()?, &self.knowledge, self.limit, progress)?.beliefs)
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;

    use super::*;

    /// survey FX-6.3: tuples 0-99 (no smoker, no cancer), 100-198 (smoker, cancer), 199 a smoker of whom nothing is
    /// published. That nothing is known of a value is a group with somebody who is unlike all others and could have
    /// either value.
    #[test]
    fn survey_fx63_four_reasoners() {
        let smoker: Vec<u32> = (0..201)
            .map(|i| [0, 1, 1, 2][usize::from(i >= 100) + usize::from(i >= 199) + usize::from(i == 200)])
            .collect();
        let known = (0..199).map(|i| Bucket { people: vec![i], values: vec![u32::from(i >= 100)] });
        let unknown = Bucket { people: vec![199, 200], values: vec![0, 1] };
        let groups: Vec<Bucket> = known.chain([unknown]).collect();
        let view = View { qi: &[&smoker], qi_domains: &[3], groups: &groups };
        let cancer = |reasoner: &dyn Reasoner| reasoner.beliefs(&view, &Silent).unwrap().chance(199, 1);
        assert_eq!(cancer(&RandomWorlds::default()), 0.5);
        // Independence: the prior, whatever the others have; one who could have either value is even.
        let prior = |person: u32, value: u32| match (person, value) {
            (200, _) => 0.5,
            (_, 1) => 0.3,
            _ => 0.7,
        };
        let independent = cancer(&Independence { prior, states_at_most: 100 });
        assert!((independent - 0.3).abs() < 1e-12);
        assert!((cancer(&MaxEnt::default()) - 0.5).abs() < 1e-9);
        for model in [Model::NaiveBayes, Model::Joint] {
            let exchangeable = cancer(&ExactDeFinetti { prior: 1.0, model, limit: 10 });
            assert!((exchangeable - 100.0 / 101.0).abs() < 1e-9, "{exchangeable}");
        }
        let sampled = DeFinetti { rounds: 400, burn_in: 50, seed: 1, prior: 1.0 };
        assert!((cancer(&sampled) - 100.0 / 101.0).abs() < 0.01);
        assert!((predictive(&[0, 99], 1.0).unwrap()[1] - 100.0 / 101.0).abs() < 1e-12);
    }

    #[test]
    fn views_are_checked() {
        let groups = [Bucket { people: vec![0, 1], values: vec![0, 1] }];
        let check =
            |qi: &[&[u32]], domains: &[u32]| View { qi, qi_domains: domains, groups: &groups }.check();
        assert!(check(&[&[0, 1]], &[2]).is_ok() && check(&[], &[]).is_ok());
        assert!(matches!(check(&[&[0, 1]], &[]), Err(ReasonerError::Column { column: 0, .. })));
        assert!(matches!(check(&[&[0]], &[2]), Err(ReasonerError::Column { .. })));
        assert!(matches!(check(&[&[0, 2]], &[2]), Err(ReasonerError::Column { .. })));
        let twice = [groups[0].clone(), groups[0].clone()];
        let view = View { qi: &[], qi_domains: &[], groups: &twice };
        assert_eq!(view.check().unwrap_err(), ReasonerError::Worlds(WorldsError::Twice { bucket: 1 }));
    }
}
