//! AMA, k-anonymity by approximate microaggregation (thesis 2.13, Chapter 5 Algorithm 2).
//!
//! The groups are those of [`mdav`](super::mdav) on the key attributes alone, and *all* columns of a record are
//! replaced by what its group shows. There are about half as many key attributes as columns, and the others depend
//! on them, so it is faster than MDAV on all columns and loses little more.
//!
//! # Guarantee
//! That of MDAV: the columns that are looked at change who is with whom, not how many.

use privet_data::{Cancelled, Progress};

use super::dependency::DependencyTree;
use super::mdav::{Mdav, of_space};
use super::space::{Categories, Scale, Space};
use crate::lattice::{Problem, Quasi};

/// The groups on the key attributes; which columns those are, and the tree that says so; and where the records lie on
/// them.
pub(crate) struct Approximate {
    pub groups: Vec<Vec<u32>>,
    pub keys: Vec<usize>,
    pub tree: DependencyTree,
    pub space: Space,
}

pub(crate) fn approximate(
    problem: &Problem<'_>,
    k: usize,
    scale: Scale,
    categories: Categories,
    progress: &dyn Progress,
) -> Result<Approximate, Cancelled> {
    let columns: Vec<&[u32]> = problem.quasi.iter().map(|quasi| quasi.codes).collect();
    let tree = DependencyTree::new(&columns, progress)?;
    let keys = tree.key_attributes();
    let projected: Vec<Quasi<'_>> = keys.iter().map(|&column| problem.quasi[column]).collect();
    let space = Space::new(&projected, problem.rows, scale, categories);
    let groups = of_space(&space, &Mdav { k }, progress)?;
    Ok(Approximate { groups, keys, tree, space })
}
