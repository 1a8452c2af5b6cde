//! Bounds of joint cells from released margins (survey AT-06): even margins with large counts can prove small cells.
//!
//! The solver is the attack's alone and shares no code with the makers of releases, so that a wrong bound of a maker is not
//! confirmed by the attack on its release (`joint.rs`, `solver.rs`). **Guarantee.** No table that agrees with all margins has a
//! cell or a group outside its bounds. Where `sharp` says so, some table of whole numbers reaches each of them.

use std::collections::BTreeSet;

use privet_data::Progress;

use super::joint::{Joint, JointColumn, Margin, MarginsError};
use super::solver::{self, Bounds};

/// What margins tell together.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginBounds {
    /// The columns of all margins, ascending: those that identify first.
    pub columns: Vec<JointColumn>,
    /// Per joint cell that no margin excludes its values, in the order of `columns`; in ascending order.
    pub cells: Vec<Vec<u32>>,
    /// Per joint cell its bounds.
    pub bounds: Vec<Bounds>,
    /// Per joint cell the estimate of maximum entropy (survey US-14).
    pub fitted: Vec<f64>,
    /// Per joint cell its group: cells with the same identifying values. Groups are in the order of their cells.
    pub group_of: Vec<u32>,
    /// Per group its bounds.
    pub group_bounds: Vec<Bounds>,
    /// Whether some table reaches each bound of a cell, and each of a group.
    pub sharp: (bool, bool),
    /// Groups that must exist and have fewer than k records.
    pub small: Vec<u32>,
    /// Per sensitive column what is known of it.
    pub inferences: Vec<MarginInference>,
    /// Joint cells whose count is known: both bounds are the same, and not 0.
    pub determined: Vec<usize>,
    /// Joint cells with fewer than k records, if any: the upper bound is above 0 and below k.
    pub below_k: Vec<usize>,
}

/// What margins tell about a sensitive column.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginInference {
    /// The number of the sensitive column.
    pub column: usize,
    /// Groups in which only one of its values is possible: the group, and the value.
    pub determined: Vec<(u32, u32)>,
    /// The largest estimated share of a value in a group.
    pub largest: Option<f64>,
}

impl MarginBounds {
    /// The joint cell with these values.
    pub fn cell(&self, values: &[u32]) -> Option<usize> {
        self.cells.binary_search_by(|cell| cell.as_slice().cmp(values)).ok()
    }
}

/// Bounds of joint cells from margins.
///
/// # Errors
/// When margins are malformed or contradict each other, k is 0, there are too many cells, a linear program fails, or the
/// person stopped it.
pub fn bounds(margins: &[Margin], k: u64, progress: &dyn Progress) -> Result<MarginBounds, MarginsError> {
    if k == 0 {
        return Err(MarginsError::NoSize);
    }
    let joint = Joint::new(margins, progress)?;
    let group_of = groups(&joint);
    let solved = solver::solve(&joint, &group_of, progress)?;
    let fitted = solver::fit(&joint, &solved.cells, progress)?;
    let sensitive = joint.columns.iter().enumerate().filter_map(|(at, column)| match column {
        JointColumn::Sensitive(number) => Some((at, *number)),
        JointColumn::Quasi(_) => None,
    });
    let inferences =
        sensitive.map(|(at, number)| infer(at, number, &joint.cells, &group_of, &solved.cells, &fitted));
    let inferences = inferences.collect();
    let possible = || solved.cells.iter().enumerate().filter(|(_, bounds)| bounds.high > 0);
    let is_small = |group: &u32| {
        let bounds = solved.groups[*group as usize];
        bounds.low > 0 && bounds.high < k
    };
    Ok(MarginBounds {
        determined: possible().filter(|(_, of)| of.low == of.high).map(|(cell, _)| cell).collect(),
        below_k: possible().filter(|(_, of)| of.high < k).map(|(cell, _)| cell).collect(),
        small: (0..solved.groups.len() as u32).filter(is_small).collect(),
        inferences,
        columns: joint.columns,
        cells: joint.cells,
        bounds: solved.cells,
        fitted,
        group_of,
        group_bounds: solved.groups,
        sharp: solved.sharp,
    })
}

/// Per cell its group. Cells are in ascending order, identifying values first.
fn groups(joint: &Joint) -> Vec<u32> {
    let quasi = joint.quasi();
    let mut group = 0;
    let mut of = Vec::with_capacity(joint.cells.len());
    for (i, cell) in joint.cells.iter().enumerate() {
        if i > 0 && cell[..quasi] != joint.cells[i - 1][..quasi] {
            group += 1;
        }
        of.push(group);
    }
    of
}

/// What is known of one sensitive column in each group.
fn infer(
    at: usize,
    number: usize,
    cells: &[Vec<u32>],
    group_of: &[u32],
    bounds: &[Bounds],
    fitted: &[f64],
) -> MarginInference {
    let mut inference = MarginInference { column: number, determined: Vec::new(), largest: None };
    let mut begin = 0;
    for run in group_of.chunk_by(|a, b| a == b) {
        let members = begin..begin + run.len();
        begin = members.end;
        let members = || members.clone().filter(|&cell| bounds[cell].high > 0);
        let values: BTreeSet<u32> = members().map(|cell| cells[cell][at]).collect();
        let all: f64 = members().map(|cell| fitted[cell]).sum();
        for &value in &values {
            let with = members().filter(|&cell| cells[cell][at] == value);
            let share = with.map(|cell| fitted[cell]).sum::<f64>() / all;
            if all > 0.0 && inference.largest.is_none_or(|largest| share > largest) {
                inference.largest = Some(share);
            }
        }
        if let (1, Some(&only)) = (values.len(), values.first()) {
            inference.determined.push((run[0], only));
        }
    }
    inference
}
