//! The least and the most records of joint cells and of groups, for the attack on margins.
//!
//! Margins that can be joined one after the other, each sharing with those before it what one of them has, have bounds in closed
//! form (Fréchet; Dobra and Fienberg). All others are narrowed sum by sum (`recovery.rs`), and what that leaves open is settled by
//! linear programs, two per number, rounded inwards to whole numbers with some slack outwards.

use std::collections::BTreeMap;

use good_lp::{Expression, ResolutionError, Solution, SolverModel, constraint, microlp, variable, variables};
use privet_data::Progress;

use super::joint::{Joint, JointColumn, MarginsError, Placed};
use super::recovery::{Counts, Sum};

/// Joint cells beyond this would take linear programs too long.
const MOST_VARIABLES: usize = 1 << 11;
/// How far a linear program may be from the truth.
const SLACK: f64 = 1e-4;
/// Rounds of fitting at most, and how close is close enough.
const MOST_ROUNDS: usize = 2000;
const CLOSE: f64 = 1e-10;

/// The least and the most records that are possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The least.
    pub low: u64,
    /// The most.
    pub high: u64,
}

/// Bounds of cells and of groups.
pub(super) struct Solved {
    pub cells: Vec<Bounds>,
    pub groups: Vec<Bounds>,
    /// Whether some table reaches each bound: of cells, of groups.
    pub sharp: (bool, bool),
}

/// The bounds of all cells and groups.
pub(super) fn solve(
    joint: &Joint,
    group_of: &[u32],
    progress: &dyn Progress,
) -> Result<Solved, MarginsError> {
    let number_of_groups = group_of.last().map_or(0, |&last| last as usize + 1);
    let cells = Chain::of(&joint.margins).map(|chain| chain.bounds(&joint.cells));
    let groups = groups_in_closed_form(joint, group_of, number_of_groups);
    match (cells, groups) {
        (Some(cells), Some(groups)) => Ok(Solved { cells, groups, sharp: (true, true) }),
        (closed, groups) => {
            let is_closed = closed.is_some();
            let mut program = Narrowed::new(joint, group_of, number_of_groups)?;
            let sharp = (is_closed, groups.is_some());
            let cells = match closed {
                Some(cells) => cells,
                None => program.settle_cells(progress)?,
            };
            let groups = match groups {
                Some(groups) => groups,
                None => program.settle_groups(progress)?,
            };
            Ok(Solved { cells, groups, sharp })
        }
    }
}

/// Margins in an order in which each shares with all before it what one of them has.
struct Chain<'a> {
    margins: &'a [Placed],
    /// Per margin but the first the columns that it shares with those before it, and the counts of these.
    separators: Vec<(Vec<usize>, BTreeMap<Vec<u32>, u64>)>,
}

impl<'a> Chain<'a> {
    /// The margins in their order, when they have this property.
    fn of(margins: &'a [Placed]) -> Option<Self> {
        let mut separators = Vec::new();
        for (i, margin) in margins.iter().enumerate().skip(1) {
            let holds = |other: &Placed, column| other.columns.binary_search(&column).is_ok();
            let shared = margin.shared(|column| margins[..i].iter().any(|other| holds(other, column)));
            let is_within_one =
                margins[..i].iter().any(|other| shared.iter().all(|&column| holds(other, column)));
            if !is_within_one {
                return None;
            }
            let sums = margin.over(&shared);
            separators.push((shared, sums));
        }
        Some(Self { margins, separators })
    }

    /// The bounds of cells: at most the least of their counts, at least the counts less what neighbours share.
    fn bounds(&self, cells: &[Vec<u32>]) -> Vec<Bounds> {
        let bound = |cell: &Vec<u32>| {
            let (mut sum, mut high) = (0i128, u64::MAX);
            for margin in self.margins {
                let count = margin.cells.get(&margin.key(cell)).copied().unwrap_or(0);
                high = high.min(count);
                sum += i128::from(count);
            }
            for (columns, counts) in &self.separators {
                let key: Vec<u32> = columns.iter().map(|&column| cell[column]).collect();
                sum -= i128::from(counts.get(&key).copied().unwrap_or(0));
            }
            Bounds { low: u64::try_from(sum).unwrap_or(0), high }
        };
        cells.iter().map(bound).collect()
    }
}

/// The bounds of groups in closed form. A sensitive column that one margin alone has can be left out: whatever table the other
/// columns have can be given its values. A sensitive column that all margins have cuts the table into layers that are independent.
fn groups_in_closed_form(joint: &Joint, group_of: &[u32], number_of_groups: usize) -> Option<Vec<Bounds>> {
    let held_by = |column: usize| joint.margins.iter().filter(|m| m.columns.contains(&column)).count();
    let is_sensitive = |column: usize| matches!(joint.columns[column], JointColumn::Sensitive(_));
    let kept: Vec<usize> = (0..joint.columns.len()).filter(|&c| !is_sensitive(c) || held_by(c) > 1).collect();
    if kept.iter().any(|&c| is_sensitive(c) && held_by(c) < joint.margins.len()) {
        return None;
    }
    let reduced = |margin: &Placed| {
        let columns = margin.shared(|column| kept.contains(&column));
        Placed { cells: margin.over(&columns), columns }
    };
    let margins: Vec<Placed> = joint.margins.iter().map(reduced).collect();
    let chain = Chain::of(&margins)?;
    // One cell for each combination of the columns that are left, with its group.
    let mut layers: BTreeMap<(u32, Vec<u32>), usize> = BTreeMap::new();
    for (at, (cell, &group)) in joint.cells.iter().zip(group_of).enumerate() {
        layers.entry((group, kept.iter().map(|&column| cell[column]).collect())).or_insert(at);
    }
    let cells: Vec<Vec<u32>> = layers.values().map(|&at| joint.cells[at].clone()).collect();
    let mut groups = vec![Bounds { low: 0, high: 0 }; number_of_groups];
    for ((group, _), bounds) in layers.keys().zip(chain.bounds(&cells)) {
        groups[*group as usize].low += bounds.low;
        groups[*group as usize].high += bounds.high;
    }
    Some(groups)
}

/// Cells and groups within narrowed bounds, and the sums that they have to agree with.
struct Narrowed {
    cells: Vec<Bounds>,
    groups: Vec<Bounds>,
    /// Per group its cells.
    members: Vec<Vec<usize>>,
    /// The cells of each count of a margin, and the count.
    sums: Vec<(Vec<usize>, u64)>,
}

impl Narrowed {
    fn new(joint: &Joint, group_of: &[u32], number_of_groups: usize) -> Result<Self, MarginsError> {
        let number = joint.cells.len();
        if number > MOST_VARIABLES {
            return Err(MarginsError::TooManyCells { most: MOST_VARIABLES });
        }
        let mut sums: Vec<(Vec<usize>, u64)> = Vec::new();
        for margin in &joint.margins {
            let mut of: BTreeMap<&[u32], (Vec<usize>, u64)> =
                margin.cells.iter().map(|(values, count)| (&values[..], (Vec::new(), *count))).collect();
            for (at, cell) in joint.cells.iter().enumerate() {
                if let Some((cells, _)) = of.get_mut(&margin.key(cell)[..]) {
                    cells.push(at);
                }
            }
            sums.extend(of.into_values());
        }
        let mut members = vec![Vec::new(); number_of_groups];
        group_of.iter().enumerate().for_each(|(cell, &group)| members[group as usize].push(cell));
        let added = |cells: &[usize]| cells.iter().map(|&cell| (cell, true)).collect::<Vec<_>>();
        // A group is one cell more, which is the sum of its members.
        let of_group = |(group, cells): (usize, &Vec<usize>)| {
            let mut terms = added(cells);
            terms.push((number + group, false));
            Sum { terms, total: 0 }
        };
        let of_margins = sums.iter().map(|(cells, count)| Sum {
            terms: added(cells),
            // Counts are at most 2^53.
            total: i64::try_from(*count).unwrap_or(i64::MAX),
        });
        let counts = Counts {
            cells: vec![None; number + number_of_groups],
            sums: of_margins.chain(members.iter().enumerate().map(of_group)).collect(),
        };
        let narrowed = counts.narrowed().map_err(|_| MarginsError::Contradiction)?;
        let mut cells: Vec<Bounds> =
            narrowed.into_iter().map(|(low, high)| Bounds { low, high: high.unwrap_or(u64::MAX) }).collect();
        let groups = cells.split_off(number);
        Ok(Self { cells, groups, members, sums })
    }

    /// Settles the bounds of cells that narrowing left open.
    fn settle_cells(&mut self, progress: &dyn Progress) -> Result<Vec<Bounds>, MarginsError> {
        progress.stage("computing bounds", Some(self.cells.len() as u64));
        for cell in 0..self.cells.len() {
            progress.check()?;
            progress.at(cell as u64);
            self.cells[cell] = self.settled(&[cell], self.cells[cell])?;
        }
        Ok(self.cells.clone())
    }

    /// Settles the bounds of groups that narrowing left open.
    fn settle_groups(&mut self, progress: &dyn Progress) -> Result<Vec<Bounds>, MarginsError> {
        progress.stage("computing bounds", Some(self.groups.len() as u64));
        for group in 0..self.groups.len() {
            progress.check()?;
            progress.at(group as u64);
            self.groups[group] = self.settled(&self.members[group], self.groups[group])?;
        }
        Ok(self.groups.clone())
    }

    /// The bounds of a sum of cells, within what is known of it.
    fn settled(&self, cells: &[usize], known: Bounds) -> Result<Bounds, MarginsError> {
        if known.low == known.high {
            return Ok(known);
        }
        let low = (self.optimum(cells, false)? - SLACK).ceil().max(0.0) as u64;
        let high = (self.optimum(cells, true)? + SLACK).floor().max(0.0) as u64;
        Ok(Bounds { low: low.max(known.low), high: high.min(known.high) })
    }

    /// The most, or the least, that some cells are together in fractions of records.
    fn optimum(&self, cells: &[usize], is_most: bool) -> Result<f64, MarginsError> {
        let mut unknowns = variables!();
        let of: Vec<_> = self
            .cells
            .iter()
            .map(|bounds| unknowns.add(variable().min(bounds.low as f64).max(bounds.high as f64)))
            .collect();
        let sum = |cells: &[usize]| {
            let mut expression = Expression::with_capacity(cells.len());
            cells.iter().for_each(|&cell| expression.add_mul(1.0, of[cell]));
            expression
        };
        let wanted = sum(cells);
        let goal =
            if is_most { unknowns.maximise(wanted.clone()) } else { unknowns.minimise(wanted.clone()) };
        let mut model = goal.using(microlp);
        for (cells, count) in &self.sums {
            model = model.with(constraint!(sum(cells) == *count as f64));
        }
        match model.solve() {
            Ok(solution) => Ok(solution.eval(&wanted)),
            Err(ResolutionError::Infeasible) => Err(MarginsError::Contradiction),
            Err(_) => Err(MarginsError::Unstable),
        }
    }
}

/// The joint table that agrees with all margins and assumes nothing else (survey US-14; Deming and Stephan): cells are scaled to the
/// counts of one margin after the other until nothing changes.
pub(super) fn fit(
    joint: &Joint,
    bounds: &[Bounds],
    progress: &dyn Progress,
) -> Result<Vec<f64>, MarginsError> {
    let views: Vec<(Vec<usize>, Vec<u64>)> = joint
        .margins
        .iter()
        .map(|margin| {
            let numbers: BTreeMap<&[u32], usize> =
                margin.cells.keys().enumerate().map(|(number, values)| (&values[..], number)).collect();
            let at = |cell: &Vec<u32>| numbers.get(&margin.key(cell)[..]).copied().unwrap_or(0);
            (joint.cells.iter().map(at).collect(), margin.cells.values().copied().collect())
        })
        .collect();
    let mut fitted: Vec<f64> = bounds.iter().map(|bounds| f64::from(u8::from(bounds.high > 0))).collect();
    progress.stage("estimating the joint table", None);
    for _ in 0..MOST_ROUNDS {
        progress.check()?;
        let mut off = 0.0f64;
        for (at, counts) in &views {
            let mut factors = vec![0.0; counts.len()];
            at.iter().zip(&fitted).for_each(|(&at, estimate)| factors[at] += estimate);
            for (factor, &count) in factors.iter_mut().zip(counts) {
                *factor = if *factor > 0.0 { count as f64 / *factor } else { 0.0 };
                off = off.max((*factor - 1.0).abs());
            }
            at.iter().zip(&mut fitted).for_each(|(&at, estimate)| *estimate *= factors[at]);
        }
        if off < CLOSE {
            break;
        }
    }
    Ok(fitted)
}
