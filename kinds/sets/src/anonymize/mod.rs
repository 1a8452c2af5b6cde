//! Methods that make sets fulfil a criterion. Whatever a method does, the criterion is judged once more on what would be
//! published, and nothing is handed over that fails.

mod constraints;
mod disassociate;
mod global;
mod local;
mod suppress;

pub use constraints::{Constrained, Policies, Selection, constrained};
pub use disassociate::{DisassociateOptions, disassociate};
pub use global::{Order, apriori, count_tree, vertical};
pub use local::horizontal;
pub use suppress::{Suppressed, suppress_coherence, suppress_rho};

use privet_data::Progress;

use crate::criteria::{Atoms, k_m};
use crate::{Baskets, Cut, ItemTree, SetsError};

/// Sets of nodes of a hierarchy, as they would be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generalized {
    /// Per basket the nodes that stand for its items, in the order of the input.
    pub sets: Baskets,
    /// Global recoding: what every item is published as.
    pub cut: Option<Cut>,
}

/// Refuses sets of nodes that are not k^m-anonymous.
fn prove(
    method: &'static str,
    sets: &Baskets,
    tree: &ItemTree,
    k: u64,
    m: usize,
    progress: &dyn Progress,
) -> Result<(), SetsError> {
    progress.stage("judging what would be published", None);
    let atoms = Atoms::new(sets, tree)?;
    match k_m(&atoms.baskets, k, m, progress)?.holds {
        true => Ok(()),
        false => Err(SetsError::Unproven { method, criterion: "k^m-anonymity" }),
    }
}
