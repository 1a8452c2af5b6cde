//! Samarati's search: the safe candidates of the least height, by binary search on the height (papers T-AL4 and
//! FX-L4, thesis 2.6). The height of a candidate is the sum of its levels.
//!
//! # Guarantee
//! For criteria that are monotone under the suppression limit (others are refused), all safe candidates of the least
//! height are found; the one of them that the metric prefers is chosen. A candidate of greater height may have a
//! smaller metric, and a minimal safe candidate of greater height is not listed: height-minimal is less than
//! Pareto-minimal. For metrics that add up over columns the result comes with a bound: no candidate of that height
//! or more costs less before anything is suppressed.
//!
//! # Departures
//! - The printed search tests heights h/2, then h/4 or 3h/4, which is vague for odd heights; here it is the
//!   bisection of integers `lo..=hi`.
//! - The top of the lattice is judged first: when it fails, nothing is safe, and no height has to be looked at.
//! - Every height is looked at as a whole, but not every candidate is formed. Below a height with hits only those are,
//!   of which everything that is more general at that height was a hit. And where the least upper bound of a
//!   part of a height fails, so does the part; where its greatest lower bound is safe, so is the part.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use privet_data::Progress;
use privet_measure::{Additive, Objective};
use rayon::prelude::*;

use super::engine::{Buffers, Engine};
use super::judge::Judgement;
use super::problem::{Found, Problem, SearchError};
use super::search::{Outcome, Strategy, run};
use super::snapshot::Snapshot;
use super::space::Lattice;
use crate::algorithm::{Algorithm, AlgorithmInfo, read};

/// Samarati's search. It has no parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Samarati {}

/// One step of the binary search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// The height that was looked at.
    pub height: usize,
    /// How many of its candidates are safe.
    pub hits: usize,
}

impl Samarati {
    /// Runs the search and also tells which heights it looked at, in that order. The top of the lattice, which is
    /// judged before, is no part of it.
    ///
    /// # Errors
    /// As [`run`].
    pub fn probes(
        &self,
        problem: &Problem<'_>,
        progress: &dyn Progress,
    ) -> Result<(Found, Vec<Probe>), SearchError> {
        let traced = Traced::default();
        let found = run(problem, &traced, progress)?;
        Ok((found, traced.probes.into_inner()))
    }
}

impl Strategy for Samarati {
    fn name(&self) -> &'static str {
        "samarati"
    }

    fn needs_monotone(&self) -> bool {
        true
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        bisect(engine, progress, |_| {})
    }
}

/// The search with its steps written down.
#[derive(Default)]
struct Traced {
    probes: RefCell<Vec<Probe>>,
}

impl Strategy for Traced {
    fn name(&self) -> &'static str {
        Samarati {}.name()
    }

    fn needs_monotone(&self) -> bool {
        Samarati {}.needs_monotone()
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        bisect(engine, progress, |probe| self.probes.borrow_mut().push(probe))
    }
}

/// A safe node.
#[derive(Debug, Clone, Copy)]
struct Safe {
    node: u64,
    /// Its metric; infinite when it is known to be safe from a finer one, which does not happen at the least height.
    value: f64,
}

fn bisect<const W: usize>(
    engine: &Engine<'_, W>,
    progress: &dyn Progress,
    mut tell: impl FnMut(Probe),
) -> Result<Outcome, SearchError> {
    let lattice = &engine.prepared.lattice;
    let top = engine.top();
    let highest: usize = top.iter().sum();
    let look = Look {
        engine,
        progress,
        top: &top,
        spare: Mutex::default(),
        checked: AtomicU64::new(0),
        done: AtomicU64::new(0),
    };
    let judgement = look.judge(&engine.base, &top);
    if !judgement.safe {
        return Ok(Outcome { checked: 1, ..Outcome::default() });
    }
    // Something of height `hi` is safe, namely all of `safe`; nothing below `lo` is.
    let mut safe = vec![Safe { node: lattice.index(&top), value: judgement.value }];
    let (mut lo, mut hi) = (0, highest);
    while lo < hi {
        let height = lo + (hi - lo) / 2;
        let candidates = match hi == highest {
            true => nodes_of_height(lattice, height),
            false => wholly_under(lattice, safe.iter().map(|safe| safe.node).collect(), hi - height),
        };
        progress.stage(&format!("looking at height {height}"), Some(candidates.len() as u64));
        look.done.store(0, Ordering::Relaxed);
        let hits = look.at(&candidates, &engine.base)?;
        tell(Probe { height, hits: hits.len() });
        if hits.is_empty() {
            lo = height + 1;
        } else {
            hi = height;
            safe = hits;
        }
    }
    let best = safe.iter().min_by(|a, b| a.value.total_cmp(&b.value).then(a.node.cmp(&b.node)));
    Ok(Outcome {
        best: best.map(|best| lattice.levels(best.node)),
        checked: look.checked.into_inner(),
        bound: match engine.objective {
            Objective::Additive(additive) => Some(least_cost(additive, lattice, hi)),
            Objective::Grouped(_) => None,
        },
        minimal: Some(safe.iter().map(|safe| lattice.levels(safe.node)).collect()),
    })
}

/// The nodes of one height, in the order of their numbers.
fn nodes_of_height(lattice: &Lattice, height: usize) -> Vec<u64> {
    // Per column the levels that it and all later ones have together.
    let mut room = vec![0; lattice.columns() + 1];
    for column in (0..lattice.columns()).rev() {
        room[column] = room[column + 1] + lattice.height(column);
    }
    let mut nodes = Vec::new();
    if height <= room[0] {
        extend(lattice, &room, 0, 0, height, &mut nodes);
    }
    nodes
}

/// Lists the nodes that are `node` before `column` and have so many levels from there on; `left` is at most
/// `room[column]`.
fn extend(lattice: &Lattice, room: &[usize], column: usize, node: u64, left: usize, nodes: &mut Vec<u64>) {
    if column == lattice.columns() {
        nodes.push(node);
        return;
    }
    for level in left.saturating_sub(room[column + 1])..=left.min(lattice.height(column)) {
        let node = node + level as u64 * lattice.stride(column);
        extend(lattice, room, column + 1, node, left - level, nodes);
    }
}

/// Of the nodes that lie `steps` below the height of `nodes`, those of which every more general node of that height
/// is in `nodes`; in the order of their numbers. No other can be safe where `nodes` are all that are safe.
fn wholly_under(lattice: &Lattice, mut nodes: Vec<u64>, steps: usize) -> Vec<u64> {
    for _ in 0..steps {
        let mut under: Vec<u64> = Vec::new();
        for &node in &nodes {
            let columns = (0..lattice.columns()).filter(|&column| level(lattice, node, column) > 0);
            under.extend(columns.map(|column| node - lattice.stride(column)));
        }
        under.par_sort_unstable();
        // A node was put here once for each direct neighbour above it that is in `nodes`.
        let above = |node: u64| {
            let below_top = |&column: &usize| level(lattice, node, column) < lattice.height(column);
            (0..lattice.columns()).filter(below_top).count()
        };
        nodes = under
            .chunk_by(|a, b| a == b)
            .filter(|same| same.len() == above(same[0]))
            .map(|same| same[0])
            .collect();
    }
    nodes
}

/// The level of a node in one column.
fn level(lattice: &Lattice, node: u64, column: usize) -> usize {
    (node / lattice.stride(column) % (lattice.height(column) as u64 + 1)) as usize
}

/// The least that a candidate of at least this height costs before anything is suppressed. Sums are formed in the
/// order in which the metric forms them, so rounding cannot lift this above the value of a candidate.
fn least_cost(additive: &Additive, lattice: &Lattice, height: usize) -> f64 {
    // Per height the least cost of the columns so far.
    let mut least = vec![0.0];
    for column in 0..lattice.columns() {
        let mut more = vec![f64::INFINITY; least.len() + lattice.height(column)];
        for (below, cost) in least.iter().enumerate() {
            for level in 0..=lattice.height(column) {
                let slot: &mut f64 = &mut more[below + level];
                *slot = slot.min(cost + additive.total(column, level));
            }
        }
        least = more;
    }
    least[height..].iter().copied().fold(f64::INFINITY, f64::min)
}

/// Fewer nodes than this are formed one by one; more are worth a snapshot and a look at their bounds.
const FEW: usize = 8;

/// Looks at the nodes of one height. What is formed, and from what, does not depend on the number of threads.
struct Look<'a, const W: usize> {
    engine: &'a Engine<'a, W>,
    progress: &'a dyn Progress,
    top: &'a [usize],
    /// Buffers that no thread uses at the moment.
    spare: Mutex<Vec<Buffers<W>>>,
    checked: AtomicU64,
    done: AtomicU64,
}

impl<const W: usize> Look<'_, W> {
    /// The safe ones of some nodes, which are sorted; `source` is finer than all of them.
    fn at(&self, nodes: &[u64], source: &Snapshot<W>) -> Result<Vec<Safe>, SearchError> {
        if nodes.len() < FEW {
            let judged: Vec<Option<Safe>> =
                nodes.par_iter().map(|&node| self.one(node, source)).collect::<Result<_, _>>()?;
            return Ok(judged.into_iter().flatten().collect());
        }
        self.progress.check()?;
        let lattice = &self.engine.prepared.lattice;
        let columns = || 0..lattice.columns();
        let levels = |column: usize| nodes.iter().map(move |&node| level(lattice, node, column));
        let upper: Vec<usize> = columns().map(|column| levels(column).max().unwrap_or(0)).collect();
        // Nothing below an unsafe node is safe. The top is known to be.
        if upper != self.top && !self.judge(source, &upper).safe {
            self.tell(nodes.len());
            return Ok(Vec::new());
        }
        let lower: Vec<usize> = columns().map(|column| levels(column).min().unwrap_or(0)).collect();
        let snapshot = match lower == source.levels {
            true => None,
            false => self.with_buffers(|buffers| self.engine.roll_up_if_smaller(buffers, source, &lower)),
        };
        let source = snapshot.as_ref().unwrap_or(source);
        // Everything above a safe node is safe.
        if self.judge(source, &lower).safe {
            self.tell(nodes.len());
            return Ok(nodes.iter().map(|&node| Safe { node, value: f64::INFINITY }).collect());
        }
        // Sorted as they are, all nodes agree on the columns on which the first and the last agree.
        let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
        let stride =
            columns().map(|column| lattice.stride(column)).find(|stride| first / stride != last / stride);
        let stride = stride.unwrap_or(1);
        let parts: Vec<&[u64]> = nodes.chunk_by(|a, b| a / stride == b / stride).collect();
        let found: Vec<Vec<Safe>> =
            parts.par_iter().map(|part| self.at(part, source)).collect::<Result<_, _>>()?;
        Ok(found.concat())
    }

    fn one(&self, node: u64, source: &Snapshot<W>) -> Result<Option<Safe>, SearchError> {
        self.progress.check()?;
        let judgement = self.judge(source, &self.engine.prepared.lattice.levels(node));
        self.tell(1);
        Ok(judgement.safe.then_some(Safe { node, value: judgement.value }))
    }

    fn judge(&self, source: &Snapshot<W>, levels: &[usize]) -> Judgement {
        self.checked.fetch_add(1, Ordering::Relaxed);
        self.with_buffers(|buffers| self.engine.check(buffers, source, levels))
    }

    fn tell(&self, nodes: usize) {
        self.progress.at(self.done.fetch_add(nodes as u64, Ordering::Relaxed) + nodes as u64);
    }

    fn with_buffers<R>(&self, work: impl FnOnce(&mut Buffers<W>) -> R) -> R {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffers = spare().pop().unwrap_or_default();
        let result = work(&mut buffers);
        spare().push(buffers);
        result
    }
}

impl Samarati {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "samarati",
        summary: "The least height, by binary search (Samarati).",
        guarantees: &[
            "No choice of levels with a smaller sum satisfies all promises; of those with this sum, none has a smaller value of the metric.",
        ],
        judges_together: false,
        needs_monotone: true,
        publishes: None,
        read: read::<Samarati>,
    };
}

impl Algorithm for Samarati {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    crate::algorithm::searches_levels!();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn height_of(lattice: &Lattice, node: u64) -> usize {
        lattice.levels(node).iter().sum()
    }

    proptest! {
        #[test]
        fn a_height_is_listed_whole_and_in_order(heights in prop::collection::vec(0usize..4, 0..5), height in 0usize..14) {
            let lattice = Lattice::new(&heights);
            let all: Vec<u64> =
                (0..lattice.len()).filter(|&node| height_of(&lattice, node) == height).collect();
            prop_assert_eq!(nodes_of_height(&lattice, height), all);
        }

        /// Straight from what it says: every more general node of the upper height is among the chosen.
        #[test]
        fn nothing_under_a_miss_is_a_candidate(
            heights in prop::collection::vec(0usize..4, 1..5),
            upper in 0usize..14,
            steps in 0usize..5,
            chosen in prop::collection::vec(any::<bool>(), 256),
        ) {
            let lattice = Lattice::new(&heights);
            let highest: usize = heights.iter().sum();
            let upper = upper % (highest + 1);
            let steps = steps.min(upper);
            let hits: Vec<u64> =
                nodes_of_height(&lattice, upper).into_iter().filter(|&node| chosen[node as usize % 256]).collect();
            let above = |a: u64, b: u64| lattice.levels(a).iter().zip(lattice.levels(b)).all(|(x, y)| *x >= y);
            let expected: Vec<u64> = nodes_of_height(&lattice, upper - steps)
                .into_iter()
                .filter(|&node| {
                    nodes_of_height(&lattice, upper).iter().all(|&up| !above(up, node) || hits.contains(&up))
                })
                .collect();
            prop_assert_eq!(wholly_under(&lattice, hits, steps), expected);
        }
    }
}
