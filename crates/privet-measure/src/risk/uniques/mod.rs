//! How many people of a population are alone in their class, when only a sample is known (survey PM-01b; outside
//! knowledge throughout).
//!
//! A release is often a sample of n of N people, π = n/N. Who is unique in the sample need not be in the population.
//! Of the sample only the frequencies of class sizes matter ([`Frequencies`]): n_i classes have i records, u = Σ n_i,
//! n = Σ i·n_i. Three models:
//!
//! - [`zayatz`]: classes of the population have the sizes that those of the sample have;
//! - [`slide_negative_binomial`] (Chen and Keller-McNulty): sizes follow a negative binomial distribution, moved by
//!   one;
//! - [`pitman`] (Hoshino): classes form like tables in the Ewens–Pitman model.
//!
//! [`dankar`] chooses among them by the rule that Dankar, El Emam, Neisa and Roffey (2012) found best in experiments.
//!
//! # Guarantee
//! Every estimate is between 0 and n_1/π: a person who is unique in the population is in the sample with probability
//! π and unique there, so more would contradict the sample's own n_1. Without sample uniques it is 0, with π = 1 it
//! is n_1. Searches are bisections or stay in brackets; they end, and say so when there is no solution. Whether a
//! model fits the population nobody can tell from the sample; an estimate is no bound.

mod pitman;
mod slide_negative_binomial;
mod zayatz;

pub use pitman::pitman;
pub use slide_negative_binomial::slide_negative_binomial;
pub use zayatz::zayatz;

use std::collections::BTreeMap;

/// How many classes there are of each size.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frequencies {
    /// Sizes, ascending, with the number of classes that have them.
    classes_of_size: Vec<(u64, u64)>,
    records: u64,
    classes: u64,
}

impl Frequencies {
    /// Of classes with these sizes; those without records are left out. Sums that do not fit 64 bits stay at the most
    /// that does.
    pub fn new(sizes: &[u64]) -> Self {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for &size in sizes.iter().filter(|&&size| size > 0) {
            *counts.entry(size).or_default() += 1;
        }
        let records = sizes.iter().fold(0u64, |sum, &size| sum.saturating_add(size));
        let classes = counts.values().sum();
        Self { classes_of_size: counts.into_iter().collect(), records, classes }
    }

    /// The records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The classes with records.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// How many classes have this size.
    pub fn of_size(&self, size: u64) -> u64 {
        let found = self.classes_of_size.binary_search_by_key(&size, |&(own, _)| own);
        found.map_or(0, |place| self.classes_of_size[place].1)
    }

    /// Sizes that occur, ascending, with the number of classes that have them.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.classes_of_size.iter().copied()
    }
}

/// A model of the population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// [`zayatz`].
    Zayatz,
    /// [`slide_negative_binomial`].
    SlideNegativeBinomial,
    /// [`pitman`].
    Pitman,
}

/// Why a model tells nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UniquesError {
    /// The sampling fraction is none.
    #[error("the sampling fraction must be above 0 and at most 1")]
    Fraction,
    /// No two records of the sample are alike, so nothing says how classes grow.
    #[error("every class of the sample has one record: take all people of the population as unique")]
    AllUnique,
    /// No parameters of the model agree with the sample.
    #[error(
        "no parameters of the slide negative binomial model agree with the sample; use Zayatz's estimator"
    )]
    NoSolution,
    /// The likelihood has no maximum that could be found.
    #[error("the likelihood of Pitman's model has no maximum inside its parameters; use Zayatz's estimator")]
    NoMaximum,
}

/// What every model has in common: the cases that need none, and the limit n_1/π. `None` says that the model is to
/// be asked.
fn without_model(sample: &Frequencies, fraction: f64) -> Result<Option<f64>, UniquesError> {
    if !(fraction > 0.0 && fraction <= 1.0) {
        return Err(UniquesError::Fraction);
    }
    let uniques = sample.of_size(1);
    Ok(if uniques == 0 || fraction == 1.0 { Some(uniques as f64) } else { None })
}

fn limited(estimate: f64, sample: &Frequencies, fraction: f64) -> f64 {
    estimate.clamp(0.0, sample.of_size(1) as f64 / fraction)
}

/// The estimate of the model that fits the sampling fraction, and which it was: up to a tenth Pitman's; above, the
/// slide negative binomial's unless Zayatz's is lower. Where a model tells nothing, Zayatz's.
///
/// The rule was found by its authors on clinical data sets; a fallback for models without a solution is part of how
/// it is used in practice.
///
/// # Errors
/// When the sampling fraction is not above 0 and at most 1.
pub fn dankar(sample: &Frequencies, fraction: f64) -> Result<(Model, f64), UniquesError> {
    let plain = zayatz(sample, fraction)?;
    let (model, estimate) = match fraction <= 0.1 {
        true => (Model::Pitman, pitman(sample, fraction)),
        false => (Model::SlideNegativeBinomial, slide_negative_binomial(sample, fraction)),
    };
    Ok(match estimate {
        Ok(estimate) if model == Model::Pitman || estimate <= plain => (model, estimate),
        _ => (Model::Zayatz, plain),
    })
}

#[cfg(test)]
mod tests;
