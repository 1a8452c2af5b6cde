//! The searches that look at distinct tuples alone: those among levels of the hierarchies.

use privet_data::Progress;
use privet_recode::lattice::{self, Datafly, HashTable, Options, Problem, Samarati, SearchError};

use crate::algorithm::Algorithm;
use crate::chosen::Chosen;
use crate::job::Search;

impl Search {
    /// Whether the algorithm chooses levels of the hierarchies, so that distinct tuples are all it looks at.
    pub(crate) fn is_of_levels(&self) -> bool {
        matches!(
            self.algorithm,
            Algorithm::Optimal
                | Algorithm::Samarati
                | Algorithm::Incognito
                | Algorithm::HashTable
                | Algorithm::Datafly
                | Algorithm::TopDown
                | Algorithm::BottomUp
                | Algorithm::Genetic
                | Algorithm::SimulatedAnnealing
        )
    }

    /// Looks for a release among levels, in a problem that lists distinct tuples; `weights` tells the records of each.
    pub(crate) fn choose_weighted(
        &self,
        problem: &Problem<'_>,
        weights: &[u32],
        progress: &dyn Progress,
    ) -> Result<Chosen, SearchError> {
        let found = match self.algorithm {
            Algorithm::Optimal => {
                let options = Options { minimal_nodes: self.minimal_nodes };
                lattice::run_weighted(problem, weights, &options, progress)
            }
            Algorithm::Samarati => lattice::run_weighted(problem, weights, &Samarati {}, progress),
            Algorithm::Incognito => {
                lattice::run_weighted(problem, weights, &self.incognito.unwrap_or_default(), progress)
            }
            Algorithm::HashTable => lattice::run_weighted(problem, weights, &HashTable {}, progress),
            Algorithm::Datafly => lattice::run_weighted(problem, weights, &Datafly {}, progress),
            Algorithm::TopDown => {
                let search = self.top_down.clone().unwrap_or_default();
                lattice::run_weighted(problem, weights, &search, progress)
            }
            Algorithm::BottomUp => {
                let search = self.bottom_up.clone().unwrap_or_default();
                lattice::run_weighted(problem, weights, &search, progress)
            }
            Algorithm::Genetic => {
                let search = self.genetic.clone().unwrap_or_default();
                lattice::run_weighted(problem, weights, &search, progress)
            }
            Algorithm::SimulatedAnnealing => {
                let search = self.simulated_annealing.clone().unwrap_or_default();
                lattice::run_weighted(problem, weights, &search, progress)
            }
            _ => Err(SearchError::NothingFound { algorithm: self.algorithm.word() }),
        };
        found.map(Chosen::node)
    }
}
