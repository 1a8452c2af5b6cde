//! The registry of algorithms: what each one is, how its parameters are read, and how it is run.
//!
//! An algorithm is one file with a type for its parameters, an [`AlgorithmInfo`] and an implementation of [`Algorithm`]; one line in
//! [`ALGORITHMS`] registers it. Whoever runs searches knows this trait and no algorithm by name.

use std::any::Any;
use std::fmt::Debug;

use privet_data::Progress;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::cluster::{Clustering, Microaggregated, Microaggregation};
use crate::groups::{Groups, Represent};
use crate::lattice::{self, Problem, SearchError};
use crate::{cell, cut, local};

/// What an algorithm is.
#[derive(Debug)]
pub struct AlgorithmInfo {
    /// The word for it, and the name of the section with its parameters.
    pub id: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// What it guarantees: the first, unless parameters ask for one of the others.
    pub guarantees: &'static [&'static str],
    /// Whether it keeps promises that look at all classes together.
    pub judges_together: bool,
    /// Whether it refuses promises of which a coarser release may break what a finer one keeps.
    pub needs_monotone: bool,
    /// What its groups show unless something else is asked for; `None` when it forms no groups.
    pub publishes: Option<Publish>,
    /// Reads its parameters.
    pub read: fn(toml::Table) -> Result<Box<dyn Algorithm>, String>,
}

/// An algorithm with its parameters.
pub trait Algorithm: Any + Debug + Send + Sync {
    /// What it is.
    fn info(&self) -> &'static AlgorithmInfo;

    /// Refuses parameters that are out of range.
    ///
    /// # Errors
    /// When one is; the error names the parameter.
    fn check(&self) -> Result<(), SearchError> {
        Ok(())
    }

    /// What it guarantees with these parameters.
    fn guarantee(&self) -> &'static str {
        self.info().guarantees.first().copied().unwrap_or_default()
    }

    /// The seed of the random numbers that lead the search.
    fn seed(&self) -> Option<u64> {
        None
    }

    /// Whether time ends the search, so that what it finds depends on the machine.
    fn is_timed(&self) -> bool {
        false
    }

    /// Whether what it finds may depend on the order of the records.
    fn depends_on_order(&self) -> bool {
        false
    }

    /// Looks for a release.
    ///
    /// # Errors
    /// When a promise cannot be enforced or kept, a limit is reached, or the person asked to stop.
    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError>;

    /// Looks for a release in a problem that lists distinct tuples, `weights` telling the records of each; `None` when the algorithm
    /// looks at more than distinct tuples.
    fn search_weighted(
        &self,
        _problem: &Problem<'_>,
        _weights: &[u32],
        _progress: &dyn Progress,
    ) -> Option<Result<lattice::Found, SearchError>> {
        None
    }

    /// Whether distinct tuples are all it looks at.
    fn is_of_levels(&self) -> bool {
        false
    }
}

impl dyn Algorithm {
    /// The parameters, when it is the algorithm of this type.
    pub fn parameters<T: Algorithm>(&self) -> Option<&T> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
}

/// What an algorithm chose.
#[derive(Debug)]
pub enum Selected {
    /// A level of its hierarchy for each column.
    Levels(lattice::Found),
    /// Nodes of several levels, or ranges.
    Cut {
        /// What was found.
        found: cut::Found,
        /// What the labels are: `cut` or `ranges`.
        kind: &'static str,
        /// The minimal safe nodes of the lattice, where the algorithm lists them.
        minimal: Option<Vec<Vec<usize>>>,
    },
    /// Single cells.
    Cells(cell::Found),
    /// Who is with whom.
    Groups(Groups),
    /// Who is with whom, and what microaggregation says of it.
    Microaggregated(Microaggregated),
}

/// What groups of records show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Publish {
    /// The lowest nodes of the hierarchies above their values.
    Nodes,
    /// The ranges of their numbers and dates; nodes elsewhere.
    Ranges,
    /// The means of their numbers and dates; the most frequent values elsewhere.
    Means,
    /// The medians of their numbers and dates; the most frequent values elsewhere.
    Medians,
    /// Their most frequent values.
    Modes,
    /// Quasi columns as they are with the number of a bucket, and sensitive values counted per bucket.
    Buckets,
}

impl Publish {
    /// What groups show in their quasi columns; nothing but their values when published as buckets.
    pub fn represent(self) -> Option<Represent> {
        match self {
            Publish::Nodes => Some(Represent::Nodes),
            Publish::Ranges => Some(Represent::Ranges),
            Publish::Means => Some(Represent::Means),
            Publish::Medians => Some(Represent::Medians),
            Publish::Modes => Some(Represent::Modes),
            Publish::Buckets => None,
        }
    }
}

/// The algorithms of this crate.
pub const ALGORITHMS: [&AlgorithmInfo; 18] = [
    &lattice::Options::INFO,
    &lattice::Samarati::INFO,
    &lattice::Incognito::INFO,
    &lattice::HashTable::INFO,
    &lattice::Datafly::INFO,
    &lattice::TopDown::INFO,
    &lattice::BottomUp::INFO,
    &lattice::Genetic::INFO,
    &lattice::Annealing::INFO,
    &cut::TopDownSpecialization::INFO,
    &cut::BottomUpGeneralization::INFO,
    &cut::KOptimize::INFO,
    &cut::AttributeSuppression::INFO,
    &cell::CellSuppression::INFO,
    &Clustering::INFO,
    &Microaggregation::INFO,
    &local::TopDownLocal::INFO,
    &local::LocalRecoding::INFO,
];

/// Reads the parameters of an algorithm.
///
/// # Errors
/// When a key is unknown or holds something else than it should.
pub fn read<T: Algorithm + DeserializeOwned>(table: toml::Table) -> Result<Box<dyn Algorithm>, String> {
    match table.try_into::<T>() {
        Ok(own) => Ok(Box::new(own)),
        Err(error) => Err(error.to_string().trim_end().to_owned()),
    }
}

/// How an algorithm that chooses levels is run.
macro_rules! searches_levels {
    () => {
        fn search(
            &self,
            problem: &crate::lattice::Problem<'_>,
            progress: &dyn privet_data::Progress,
        ) -> Result<crate::algorithm::Selected, crate::lattice::SearchError> {
            crate::lattice::run(problem, self, progress).map(crate::algorithm::Selected::Levels)
        }

        fn search_weighted(
            &self,
            problem: &crate::lattice::Problem<'_>,
            weights: &[u32],
            progress: &dyn privet_data::Progress,
        ) -> Option<Result<crate::lattice::Found, crate::lattice::SearchError>> {
            Some(crate::lattice::run_weighted(problem, weights, self, progress))
        }

        fn is_of_levels(&self) -> bool {
            true
        }
    };
}

pub(crate) use searches_levels;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_algorithm_can_be_read_without_parameters_and_says_what_it_is() {
        let ids: BTreeSet<&str> = ALGORITHMS.iter().map(|info| info.id).collect();
        assert_eq!(ids.len(), ALGORITHMS.len());
        for info in ALGORITHMS {
            let read = (info.read)(toml::Table::new()).unwrap();
            assert_eq!(read.info().id, info.id);
            assert_eq!(read.check(), Ok(()), "{}", info.id);
            assert!(info.guarantees.contains(&read.guarantee()), "{}", info.id);
            assert!(info.summary.ends_with('.'), "{}", info.id);
            let mut odd = toml::Table::new();
            odd.insert("nowhere".to_owned(), 1.into());
            assert!((info.read)(odd).unwrap_err().contains("nowhere"), "{}", info.id);
        }
    }

    #[test]
    fn parameters_are_found_by_their_type() {
        let mut table = toml::Table::new();
        table.insert("seed".to_owned(), 7.into());
        let read = (lattice::Genetic::INFO.read)(table).unwrap();
        assert_eq!(
            (read.seed(), read.parameters::<lattice::Genetic>().map(|own| own.seed)),
            (Some(7), Some(7))
        );
        assert!(read.parameters::<lattice::Annealing>().is_none());
    }
}
