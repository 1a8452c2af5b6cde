//! Incognito: all minimal safe nodes, level by level over subsets of the quasi-identifier (papers T-AL5; thesis 2.8
//! for the sensitivity criteria).
//!
//! What is safe for some columns is safe for fewer of them, because dropping a column merges classes. So the safe
//! nodes of single columns are found first; the candidates over i + 1 columns are the joins of safe nodes over i
//! columns, without those of which any projection on i columns is not safe. In the graph of the candidates of one
//! subset, nodes are checked breadth-first from below; what lies above a safe node is marked, not checked.
//!
//! # Guarantee
//! For criteria that are monotone (absorbing ones where records may be suppressed), `minimal` holds exactly the safe
//! nodes below which no node is safe. The chosen one is the best of these under the metric. Where nothing is
//! suppressed no safe node is better; otherwise a more general one may be, because it suppresses fewer records, and
//! `bound` says by how much at most.
//!
//! # Frequency sets
//! The classes of a candidate are formed from the frequency set of a failing node right below it. A candidate with
//! none below it (a root) is formed from the table; with `super-roots` the table is gone through once per subset, at
//! the lowest levels of all its roots, and the roots are formed from that; with `cube` every subset has a frequency
//! set of its ungeneralized columns before the search begins, and the table is not needed any more.
//!
//! # Departures from the printed text
//! - The prune rule is worded with "generalizations"; meant are projections (papers DEF-5).
//! - A column with one level only leaves nothing to choose: it belongs to every subset.
//! - The graph of a subset is not stored: candidates are upward closed, so the edges are those of the lattice.
//! - Super-roots are nested: roots that agree in some columns get one of their own (`roots.rs`).
//! - A frequency set that would hardly be smaller than the one it is made from is not made; the finer one serves.
//! - The textbook reports the nodes of the least height; here all minimal ones are.

mod cube;
mod graph;
mod roots;
mod source;
mod subset;

use std::cell::RefCell;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;
use privet_measure::Objective;
use rayon::prelude::*;

use self::cube::Cube;
use self::subset::{Nodes, Subset};
use super::engine::{Buffers, Engine, MOST_NODES};
use super::problem::{Found, Problem, SearchError};
use super::search::{self, Outcome, Strategy};
use crate::algorithm::{Algorithm, AlgorithmInfo, read};

/// The search and its switches. They change how often the table is gone through, never the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Incognito {
    /// Go through the table once per subset of columns, not once per root.
    pub super_roots: bool,
    /// Make the frequency sets of all subsets of columns before the search.
    pub cube: bool,
}

impl Default for Incognito {
    /// Super-roots make the search much faster and cost next to nothing. The cube makes it a little faster on
    /// top of that, and takes room for frequency sets that pruning may never ask for.
    fn default() -> Self {
        Self { super_roots: true, cube: false }
    }
}

/// What the search did, for those who want to follow it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    /// The subsets of columns that had candidates: by size, then by columns.
    pub subsets: Vec<SubsetCounters>,
    /// Frequency sets that the cube made.
    pub cube_sets: u64,
    /// Their cells.
    pub cube_cells: u64,
}

impl Counters {
    /// Candidates whose classes were formed.
    pub fn checks(&self) -> u64 {
        self.subsets.iter().map(|subset| subset.checks).sum()
    }

    /// How often the table was gone through.
    pub fn scans(&self) -> u64 {
        self.subsets.iter().map(|subset| subset.scans).sum()
    }

    /// How often classes were formed from a frequency set.
    pub fn roll_ups(&self) -> u64 {
        self.subsets.iter().map(|subset| subset.roll_ups).sum()
    }
}

/// What the search did for one subset of the columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubsetCounters {
    /// The columns, as the problem numbers them.
    pub columns: Vec<usize>,
    /// Nodes that joining and pruning left.
    pub candidates: u64,
    /// Candidates whose classes were formed.
    pub checks: u64,
    /// Safe nodes, checked or marked.
    pub safe: u64,
    /// Candidates with no candidate below them, as levels of `columns`.
    pub roots: Vec<Vec<usize>>,
    /// The super-root of all roots, where one was made.
    pub super_root: Option<SuperRoot>,
    /// Super-roots that were made, with those of parts of the roots.
    pub super_roots: u64,
    /// How often the table was gone through.
    pub scans: u64,
    /// How often classes were formed from a frequency set.
    pub roll_ups: u64,
}

/// A node from whose frequency set the roots of a subset are formed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuperRoot {
    /// Its levels.
    pub levels: Vec<usize>,
    /// How many cells its frequency set has.
    pub cells: u64,
}

impl Incognito {
    /// Finds all minimal safe nodes, and says what it did.
    ///
    /// # Errors
    /// When a criterion is not monotone, no candidate is safe, there are too many candidates, or the person
    /// stopped it.
    pub fn trace(
        &self,
        problem: &Problem<'_>,
        progress: &dyn Progress,
    ) -> Result<(Found, Counters), SearchError> {
        let traced = Traced { options: *self, counters: RefCell::default() };
        let found = search::run(problem, &traced, progress)?;
        Ok((found, traced.counters.into_inner()))
    }

    fn search_and_count<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<(Outcome, Counters), SearchError> {
        let mut search = Search::new(engine, *self)?;
        if self.cube {
            search.cube = Some(Cube::new(&search, progress)?);
        }
        let (minimal, counters) = search.all_subsets(progress)?;
        let mut outcome = Outcome { checked: counters.checks(), ..Outcome::default() };
        if let Some((best, bound)) = search.best(&minimal, progress)? {
            outcome.best = Some(minimal[best].clone());
            outcome.bound = Some(bound);
        }
        outcome.minimal = Some(minimal);
        Ok((outcome, counters))
    }
}

impl Strategy for Incognito {
    fn name(&self) -> &'static str {
        "incognito"
    }

    fn needs_monotone(&self) -> bool {
        true
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        Ok(self.search_and_count(engine, progress)?.0)
    }
}

/// The same search, which leaves its counters behind.
struct Traced {
    options: Incognito,
    counters: RefCell<Counters>,
}

impl Strategy for Traced {
    fn name(&self) -> &'static str {
        self.options.name()
    }

    fn needs_monotone(&self) -> bool {
        self.options.needs_monotone()
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        let (outcome, counters) = self.options.search_and_count(engine, progress)?;
        self.counters.replace(counters);
        Ok(outcome)
    }
}

/// What all subsets share.
struct Search<'a, const W: usize> {
    engine: &'a Engine<'a, W>,
    options: Incognito,
    /// The columns that have a choice of levels. Subsets are subsets of these.
    free: Vec<usize>,
    /// The levels of the empty subset: free columns dropped, all others as they are.
    nothing: Vec<usize>,
    cube: Option<Cube<'a, W>>,
    /// Buffers that no thread uses at the moment.
    spare: Mutex<Vec<Buffers<W>>>,
}

impl<'a, const W: usize> Search<'a, W> {
    fn new(engine: &'a Engine<'a, W>, options: Incognito) -> Result<Self, SearchError> {
        let columns = &engine.prepared.columns;
        let free: Vec<usize> = (0..columns.len()).filter(|&i| columns[i].height() > 0).collect();
        // Each column is at one of its levels or is dropped.
        let nodes: f64 = free.iter().map(|&i| columns[i].height() as f64 + 2.0).product();
        if nodes > MOST_NODES as f64 {
            let nodes = format!("{nodes:.3e} (with those of its projections)");
            return Err(SearchError::TooManyNodes { nodes, most: MOST_NODES });
        }
        let nothing =
            columns.iter().map(|column| if column.height() > 0 { column.dropped() } else { 0 }).collect();
        Ok(Self { engine, options, free, nothing, cube: None, spare: Mutex::default() })
    }

    fn with_buffers<R>(&self, work: impl FnOnce(&mut Buffers<W>) -> R) -> R {
        let lock = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = lock().pop();
        let mut buffers = spare.unwrap_or_default();
        let result = work(&mut buffers);
        lock().push(buffers);
        result
    }

    /// The subset with these positions in `free`.
    fn subset(&self, mask: u64) -> Subset {
        let columns = self.free.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, &c)| c);
        Subset::new(mask, columns.collect(), &self.engine.prepared.columns)
    }

    /// The levels of all columns at a node of a subset; columns outside it are dropped.
    fn levels(&self, subset: &Subset, node: u64) -> Vec<usize> {
        let mut levels = self.nothing.clone();
        for (&column, level) in subset.columns.iter().zip(subset.lattice.levels(node)) {
            levels[column] = level;
        }
        levels
    }

    /// The columns of a subset in the order of the problem, each with its level. Those of one level, which every
    /// subset has, are among them.
    fn in_problem_order(&self, levels: &[usize]) -> Vec<(usize, usize)> {
        let prepared = self.engine.prepared;
        let mut pairs: Vec<(usize, usize)> = (0..levels.len())
            .filter(|&i| levels[i] != prepared.columns[i].dropped())
            .map(|i| (prepared.order[i], levels[i]))
            .collect();
        pairs.sort_unstable();
        pairs
    }

    /// Goes through the subsets by size. Returns the minimal safe nodes over all columns.
    fn all_subsets(&self, progress: &dyn Progress) -> Result<(Vec<Vec<usize>>, Counters), SearchError> {
        let whole = (1u64 << self.free.len()) - 1;
        let mut counters = Counters::default();
        if let Some(cube) = &self.cube {
            (counters.cube_sets, counters.cube_cells) = (cube.sets, cube.cells);
        }
        let mut minimal = Vec::new();
        let mut safe: HashMap<u64, Nodes> = HashMap::new();
        let mut masks: Vec<u64> =
            if whole == 0 { vec![0] } else { (0..self.free.len()).map(|i| 1 << i).collect() };
        while !masks.is_empty() {
            let subsets: Vec<Subset> = masks.iter().map(|&mask| self.subset(mask)).collect();
            let steps = subsets.iter().map(|subset| subset.height() as u64 + 1).sum();
            let columns = subsets[0].columns.len();
            progress.stage(&format!("searching in subsets of {columns} columns"), Some(steps));
            let done = AtomicU64::new(0);
            let visits: Vec<Result<graph::Visited, SearchError>> = subsets
                .par_iter()
                .map(|subset| graph::visit(self, subset, subset.candidates(&safe), progress, &done))
                .collect();
            safe.clear();
            for (subset, visited) in subsets.iter().zip(visits) {
                let visited = visited?;
                counters.subsets.push(visited.counters);
                if subset.mask == whole {
                    minimal = visited.minimal.iter().map(|&node| self.levels(subset, node)).collect();
                }
                if !visited.minimal.is_empty() {
                    safe.insert(subset.mask, visited.safe);
                }
            }
            masks = subset::next(&masks, &safe, self.free.len());
        }
        counters.subsets.sort_by(|a, b| (a.columns.len(), &a.columns).cmp(&(b.columns.len(), &b.columns)));
        Ok((minimal, counters))
    }

    /// The position of the minimal node that the metric prefers, of equal ones that with the smallest number; and a
    /// value that no safe node is below, since each lies above a minimal one.
    fn best(
        &self,
        minimal: &[Vec<usize>],
        progress: &dyn Progress,
    ) -> Result<Option<(usize, f64)>, SearchError> {
        let engine = self.engine;
        progress.stage("comparing minimal nodes", None);
        let Some(lowest) = lowest(minimal) else { return Ok(None) };
        let made = self.with_buffers(|buffers| engine.roll_up_if_smaller(buffers, &engine.base, &lowest));
        let source = made.as_ref().unwrap_or(&engine.base);
        let judged: Vec<(f64, f64)> = minimal
            .par_iter()
            .map(|levels| {
                if progress.cancelled() {
                    return (f64::INFINITY, 0.0);
                }
                self.with_buffers(|buffers| {
                    let value = engine.check(buffers, source, levels).value;
                    let bound = match engine.objective {
                        Objective::Additive(additive) => additive.floor(levels),
                        Objective::Grouped(_) => {
                            let set = engine.roll_up(buffers, source, levels);
                            engine.judge.bound(&set, &mut buffers.histograms)
                        }
                    };
                    (value, bound.min(value))
                })
            })
            .collect();
        progress.check()?;
        let number = |i: usize| engine.prepared.lattice.index(&minimal[i]);
        let best = (0..minimal.len())
            .min_by(|&a, &b| judged[a].0.total_cmp(&judged[b].0).then(number(a).cmp(&number(b))));
        Ok(best.map(|best| (best, judged.iter().map(|(_, bound)| *bound).fold(judged[best].0, f64::min))))
    }
}

/// The lowest level of each column in some nodes.
fn lowest(nodes: &[Vec<usize>]) -> Option<Vec<usize>> {
    let (first, others) = nodes.split_first()?;
    let mut lowest = first.clone();
    for node in others {
        for (low, &level) in lowest.iter_mut().zip(node) {
            *low = level.min(*low);
        }
    }
    Some(lowest)
}

impl Incognito {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "incognito",
        summary: "All minimal nodes, by subsets of columns (Incognito).",
        guarantees: &[
            "All minimal choices of levels were found: no column of them can go one level down. None of them has a smaller value of the metric.",
        ],
        judges_together: false,
        needs_monotone: true,
        publishes: None,
        read: read::<Incognito>,
    };
}

impl Algorithm for Incognito {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    crate::algorithm::searches_levels!();
}
