//! The searches that look at distinct tuples alone: those among levels of the hierarchies.

use privet_data::Progress;
use privet_recode::lattice::{Problem, SearchError};

use crate::chosen::Chosen;
use crate::job::Search;

impl Search {
    /// Whether the algorithm chooses levels of the hierarchies, so that distinct tuples are all it looks at.
    pub(crate) fn is_of_levels(&self) -> bool {
        self.algorithm.is_of_levels()
    }

    /// Looks for a release among levels, in a problem that lists distinct tuples; `weights` tells the records of each.
    pub(crate) fn choose_weighted(
        &self,
        problem: &Problem<'_>,
        weights: &[u32],
        progress: &dyn Progress,
    ) -> Result<Chosen, SearchError> {
        let found = self.algorithm.search_weighted(problem, weights, progress);
        found.unwrap_or(Err(SearchError::NothingFound { algorithm: self.word() })).map(Chosen::node)
    }
}
