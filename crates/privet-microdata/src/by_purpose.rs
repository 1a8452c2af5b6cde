//! The algorithm of releases by purpose (thesis chapter 4): what it looks for is told by the section `[purpose]`.

use privet_data::Progress;
use privet_recode::algorithm::{Algorithm, AlgorithmInfo, Selected, read};
use privet_recode::lattice::{Problem, SearchError};
use serde::Deserialize;

use crate::search::by_the_job;

/// The algorithm of releases by purpose; what it looks for is told by `[purpose]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByPurpose {}

impl ByPurpose {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "decomposition",
        summary: "The thesis' decomposition of a degree of anonymization, for a purpose and a requester.",
        guarantees: &[
            "The promises hold, and no column is below the level that the purpose and the trust in the requester ask for. Of all such choices of levels none has a smaller value of the metric, unless there are too many of them to look at.",
        ],
        judges_together: false,
        needs_monotone: false,
        publishes: None,
        read: read::<Self>,
    };
}

impl Algorithm for ByPurpose {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn search(&self, _: &Problem<'_>, _: &dyn Progress) -> Result<Selected, SearchError> {
        by_the_job(&Self::INFO)
    }
}
