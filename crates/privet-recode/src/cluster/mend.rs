//! What is done about groups that do not keep the promises: they are merged with others.
//!
//! # Guarantee
//! All records in one group were found to hold first, so merging a failing group with others comes to an end at which
//! all hold.

use privet_data::{Cancelled, Progress};
use privet_measure::WeightError;

use crate::jury::{Jury, require_groups};
use crate::lattice::{Problem, SearchError};

/// Checks that groups can be made for a problem, and returns how many records a group needs at least.
pub(crate) fn least_rows(problem: &Problem<'_>, algorithm: &'static str) -> Result<usize, SearchError> {
    require_groups(problem, algorithm)?;
    let weights = || problem.quasi.iter().map(|quasi| quasi.weight);
    if weights().any(|weight| !weight.is_finite() || weight < 0.0)
        || (!problem.quasi.is_empty() && weights().all(|weight| weight == 0.0))
    {
        return Err(SearchError::Weight(WeightError::Invalid));
    }
    let most = problem.criteria.iter().map(|criterion| criterion.least_rows()).max().unwrap_or(1).max(1);
    Ok(usize::try_from(most).unwrap_or(usize::MAX))
}

/// Who a failing group is merged with.
pub(crate) trait Neighbours {
    /// The nearest of the groups that are still there to one of them.
    fn nearest(&self, of: usize) -> Option<usize>;
    /// A group has taken in another, which is empty now.
    fn merged(&mut self, groups: &[Vec<u32>], into: usize, from: usize);
}

/// Merges groups until all hold: one failing group after the other, in their order, with the nearest group, and the
/// next nearest, until it holds. Groups that went up in others are left out.
pub(crate) fn mend<N: Neighbours>(
    mut groups: Vec<Vec<u32>>,
    jury: &mut Jury<'_>,
    neighbours: impl FnOnce(&[Vec<u32>]) -> N,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, Cancelled> {
    let failing: Vec<bool> = groups.iter().map(|group| !jury.holds_for(group)).collect();
    if !failing.contains(&true) {
        return Ok(groups);
    }
    let mut neighbours = neighbours(&groups);
    progress.stage("merging groups that fail", Some(groups.len() as u64));
    for number in 0..groups.len() {
        if !failing[number] || groups[number].is_empty() {
            continue;
        }
        progress.check()?;
        progress.at(number as u64);
        jury.clear();
        jury.add(&groups[number]);
        while !jury.holds() {
            let Some(other) = neighbours.nearest(number) else { break };
            let records = std::mem::take(&mut groups[other]);
            jury.add(&records);
            groups[number].extend(records);
            neighbours.merged(&groups, number, other);
        }
    }
    groups.retain(|group| !group.is_empty());
    Ok(groups)
}
