//! Local recoding (survey ME-06): what a record shows depends on the group it is in, so equal values may be published
//! differently. Every group shows the lowest nodes of the hierarchies above its records.
//!
//! - [`TopDownLocal`] is the thesis' top-down algorithm (2.7). With p-sensitivity it is `Localpk`, with p⁺ `localpk2`,
//!   with (p,α) `localpk3`, and with (p⁺,α) its fourth form; it takes every other criterion that can be judged group
//!   by group as well.
//! - [`LocalRecoding`] is an optimizer of our own: it starts from the best full-domain release and from a top-down
//!   one, and moves records until nothing gets better.

mod optimize;
mod regions;
mod specialize;

use privet_data::Progress;
use serde::Deserialize;

use crate::algorithm::{Algorithm, AlgorithmInfo, Publish, Selected, read};
use crate::groups::Groups;
use crate::jury::{Jury, require_groups};
use crate::lattice::{Problem, SearchError};
use specialize::{Choice, Specializer};

pub use optimize::{LocalRecoding, Start};

/// What a local recoding found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Who is with whom.
    pub groups: Groups,
    /// How many records changed their group after the first grouping.
    pub moves: u64,
}

/// Top-down local recoding (thesis 2.7): groups are divided along one column at a time, one level down.
///
/// It guarantees that every group satisfies all criteria, and that no group can be divided further along one column
/// into parts of which one is safe and the rest can be made safe.
///
/// The thesis describes one column. With several, the column in which most records go down a level is taken, the one
/// with fewest parts among equals (Wong et al., whose algorithm the thesis follows); the thesis is silent (defect 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TopDownLocal {
    /// Which column a group is divided along.
    pub choose: Choose,
}

/// Which column a group is divided along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// That in which most records go down a level.
    #[default]
    MostRecords,
    /// That in which records lose least afterwards.
    LeastLoss,
}

impl TopDownLocal {
    /// Divides the table.
    ///
    /// # Errors
    /// When a criterion cannot be judged group by group, or not even all records together are safe.
    pub fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Found, SearchError> {
        let records = prepare(problem, "top-down-local")?;
        progress.stage("dividing groups from the top", None);
        let choice = match self.choose {
            Choose::MostRecords => Choice::MostRecords,
            Choose::LeastLoss => Choice::LeastLoss,
        };
        let groups = Specializer::new(problem, choice).divide(records);
        progress.check()?;
        Ok(Found { groups: numbered(problem.rows, &groups), moves: 0 })
    }
}

/// All records of a table that can be recoded in groups.
fn prepare(problem: &Problem<'_>, algorithm: &'static str) -> Result<Vec<u32>, SearchError> {
    require_groups(problem, algorithm)?;
    Jury::new(problem).require_whole(problem.rows)?;
    Ok((0..problem.rows as u32).collect())
}

/// Groups from the records of each.
fn numbered(rows: usize, groups: &[Vec<u32>]) -> Groups {
    let mut of = vec![0; rows];
    for (group, records) in groups.iter().enumerate() {
        records.iter().for_each(|&record| of[record as usize] = group as u32);
    }
    Groups::numbered(&of)
}

impl TopDownLocal {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "top-down-local",
        summary: "Top-down local recoding of the thesis.",
        guarantees: &[
            "The promises hold in every group, and no group can be divided further along one column.",
        ],
        judges_together: false,
        needs_monotone: false,
        publishes: Some(Publish::Nodes),
        read: read::<TopDownLocal>,
    };
}

impl Algorithm for TopDownLocal {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn depends_on_order(&self) -> bool {
        true
    }

    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError> {
        Ok(Selected::Groups(self.search(problem, progress)?.groups))
    }
}
