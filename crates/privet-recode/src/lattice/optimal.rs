//! The optimal full-domain generalization: over all nodes of the lattice, with records of failing classes
//! suppressed up to a limit, the node that minimizes the metric under all criteria.
//!
//! # Guarantee
//! Exact for every criterion. Nodes are left out for three reasons only, each of which is a proof:
//! - **cost**: an additive metric is at least its value without suppression, which the levels alone give;
//!   a metric over classes is at least its bound at any finer node;
//! - **hopelessness**: the criteria say how many records must at least leave a class before the rest can be
//!   cut into classes that hold (`Criterion::least_suppression`). When that exceeds the limit at one node it
//!   exceeds it at every finer one;
//! - **surcharge**: those records cost at least as much at every finer node as they cost here, and where every node of a
//!   finer level of a column is worth more than every node of the coarser one, more by at least the difference.
//!
//! Criteria that judge all classes together have their say once the others have: of what is kept so far, the classes
//! with the fewest records go whose suppression makes the others safe, whether these classes are exposed or expose
//! others. When the criteria are such that merging classes exposes nobody more, and some class goes, some record must be
//! suppressed at every finer node too. Finding these classes can take too long; then the search says that it does not
//! know, and promises no bound.
//!
//! A criterion of which nothing is known under merging gives a bound of 0, and only cost prunes.
//!
//! # How it runs
//! Nodes are visited from general to specific, so what is learned at a node reaches all finer ones through
//! its direct neighbours. The lattice is cut into blocks by the levels of its first columns; blocks with
//! the same sum of levels cannot reach each other and run in parallel. What a block learns is used from
//! the next sum on, so the result and the count of checked nodes do not depend on the number of threads.

use std::sync::{Mutex, OnceLock, PoisonError};

use privet_data::Progress;
use privet_measure::Objective;
use rayon::prelude::*;

use super::engine::{Buffers, Engine};
use super::judge::Judgement;
use super::minimal;
use super::problem::{Found, Problem, SearchError};
use super::search::{self, Outcome, Strategy};
use super::snapshot::Snapshot;
use crate::algorithm::{Algorithm, AlgorithmInfo, read};

/// What else is asked of the search.
#[derive(Debug, Clone, Copy, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Also find all minimal safe nodes.
    #[serde(skip)]
    pub minimal_nodes: bool,
}

/// Finds the optimal candidate.
///
/// # Errors
/// When no candidate is safe, the lattice is too large to search exactly, or the person stopped it.
pub fn optimal(
    problem: &Problem<'_>,
    options: Options,
    progress: &dyn Progress,
) -> Result<Found, SearchError> {
    search::run(problem, &options, progress)
}

impl Strategy for Options {
    fn name(&self) -> &'static str {
        "optimal"
    }

    fn leaves_ties(&self) -> bool {
        true
    }

    fn judges_together(&self) -> bool {
        true
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        let mut search = Search::new(engine);
        search.start();
        search.blocks(progress)?;
        let mut outcome = Outcome { checked: search.checked, ..Outcome::default() };
        if let Some(node) = search.best.node {
            outcome.best = Some(engine.prepared.lattice.levels(node));
            outcome.bound = Some(search.best.value);
            if self.minimal_nodes {
                outcome.minimal = Some(minimal::minimal_nodes(engine, &mut outcome.checked, progress)?);
            }
        }
        Ok(outcome)
    }
}

/// The best candidate so far.
#[derive(Debug, Clone, Copy)]
struct Best {
    node: Option<u64>,
    value: f64,
}

impl Best {
    /// Takes the better one; the node with the smaller number where both are equal.
    fn take(&mut self, other: Best) {
        let better = match (self.node, other.node) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(mine), Some(theirs)) => {
                other.value < self.value || (other.value == self.value && theirs < mine)
            }
        };
        if better {
            *self = other;
        }
    }
}

/// What is known of the nodes of a block.
enum Block {
    /// Nothing: it was left out by cost.
    Unknown,
    /// Every node suppresses too much.
    Hopeless,
    /// What suppression adds at least.
    Known(Bounds),
}

/// What is known of suppression, per node of a block.
#[derive(Debug, Clone, Default)]
struct Bounds {
    /// What it adds at least; infinite where it is hopeless.
    surcharges: Vec<f32>,
    /// The fewest records that must be suppressed; empty where the metric makes no use of them.
    records: Vec<u32>,
}

impl Bounds {
    fn new(nodes: usize, counts_records: bool) -> Self {
        Self { surcharges: vec![0.0; nodes], records: vec![0; if counts_records { nodes } else { 0 }] }
    }

    /// Nodes from `begin` on learn what holds of as many others, each one level above in a column, where every
    /// suppressed record costs `gain` less. `above` tells where these are: in `others`, or among the same nodes.
    fn inherit(&mut self, begin: usize, nodes: usize, others: Option<&Bounds>, above: usize, gain: f64) {
        for i in 0..nodes {
            let (theirs, records) = {
                let others = others.unwrap_or(self);
                (others.surcharges[above + i], others.records.get(above + i).copied().unwrap_or(0))
            };
            let mut surcharge = theirs;
            if records > 0 && gain > 0.0 && theirs.is_finite() {
                // Rounded down: a bound must not grow by being stored.
                let more = (f64::from(theirs) + f64::from(records) * gain) as f32;
                surcharge = surcharge.max(more.next_down().next_down());
            }
            let mine = &mut self.surcharges[begin + i];
            *mine = mine.max(surcharge);
            if let Some(mine) = self.records.get_mut(begin + i) {
                *mine = (*mine).max(records);
            }
        }
    }
}

struct Search<'a, const W: usize> {
    engine: &'a Engine<'a, W>,
    best: Best,
    checked: u64,
    /// Columns whose levels tell the blocks apart.
    outer: usize,
    /// Per node of a block what its inner columns cost before suppression.
    inner_cost: Vec<f64>,
    /// Per column and level by how much a suppressed record costs more there than one level above, at least.
    gains: Vec<Vec<f64>>,
    /// Buffers that no thread uses at the moment.
    spare: Mutex<Vec<Buffers<W>>>,
    /// The table with the outer columns as they are and all others at the top.
    outer_only: OnceLock<Option<Snapshot<W>>>,
    /// Per level of the first column the table with that column generalized and all others as they are,
    /// made when a block first needs it.
    first_column: Vec<OnceLock<Option<Snapshot<W>>>>,
}

/// Enough blocks to keep the cores busy; fewer would not, more would only repeat work.
const BLOCKS: u64 = 48;
/// A lattice of so many nodes is not worth cutting up.
const SMALL_LATTICE: u64 = 64;

impl<'a, const W: usize> Search<'a, W> {
    fn new(engine: &'a Engine<'a, W>) -> Self {
        let lattice = &engine.prepared.lattice;
        let mut outer = 0;
        let mut blocks = 1;
        // Two columns must stay inside a block, or there would be nothing to roll up.
        while blocks < BLOCKS && outer + 2 < lattice.columns() && lattice.len() > SMALL_LATTICE {
            blocks *= lattice.height(outer) as u64 + 1;
            outer += 1;
        }
        let inner = if outer == 0 { lattice.len() } else { lattice.stride(outer - 1) } as usize;
        let inner_cost = match engine.objective {
            Objective::Grouped(_) => vec![0.0; inner],
            Objective::Additive(additive) => {
                let cost = |node: usize| {
                    let levels = lattice.levels(node as u64);
                    (outer..levels.len()).map(|column| additive.total(column, levels[column])).sum()
                };
                (0..inner).map(cost).collect()
            }
        };
        let levels = if lattice.columns() == 0 { 0 } else { lattice.height(0) + 1 };
        Self {
            engine,
            best: Best { node: None, value: f64::INFINITY },
            checked: 0,
            outer,
            inner_cost,
            gains: gains(engine),
            spare: Mutex::default(),
            outer_only: OnceLock::new(),
            first_column: (0..levels).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Whether it pays to know how many records must be suppressed.
    fn counts_records(&self) -> bool {
        self.engine.prepared.limit > 0 && self.gains.iter().flatten().any(|&gain| gain > 0.0)
    }

    fn borrow_buffers(&self) -> Buffers<W> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn return_buffers(&self, buffers: Buffers<W>) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
    }

    /// The most general node of a block is quick to judge, because only the outer columns tell its classes
    /// apart; when it is hopeless, so is the whole block.
    fn top_of(&self, levels: &[usize], buffers: &mut Buffers<W>) -> Judgement {
        let lattice = &self.engine.prepared.lattice;
        let tops = |outer: &dyn Fn(usize) -> usize| -> Vec<usize> {
            (0..lattice.columns())
                .map(|i| if i < self.outer { outer(i) } else { lattice.height(i) })
                .collect()
        };
        let base = &self.engine.base;
        let made =
            self.outer_only.get_or_init(|| self.engine.roll_up_if_smaller(buffers, base, &tops(&|_| 0)));
        let source = made.as_ref().unwrap_or(base);
        self.engine.check(buffers, source, &tops(&|i| levels[i]))
    }

    /// The smallest shared snapshot that a block can start from.
    fn shared(&self, levels: &[usize]) -> &Snapshot<W> {
        let base = &self.engine.base;
        let Some(&level) = levels.first().filter(|&&level| level > 0 && self.outer > 0) else { return base };
        let made = self.first_column[level].get_or_init(|| {
            let mut target = vec![0; levels.len()];
            target[0] = level;
            let mut buffers = self.borrow_buffers();
            let snapshot = self.engine.roll_up_if_smaller(&mut buffers, base, &target);
            self.return_buffers(buffers);
            snapshot
        });
        made.as_ref().unwrap_or(base)
    }

    /// A first good candidate, so that cost prunes from the beginning: go down from the top, each time in
    /// the column that saves most, as long as the candidate stays safe.
    fn start(&mut self) {
        let prepared = self.engine.prepared;
        let mut buffers = self.borrow_buffers();
        let mut levels: Vec<usize> = prepared.columns.iter().map(|column| column.height()).collect();
        // Most of the way lies in the upper half of the lattice, which a snapshot of its floor serves.
        let middle: Vec<usize> = levels.iter().map(|height| height / 2).collect();
        let snapshot = self.engine.roll_up_if_smaller(&mut buffers, &self.engine.base, &middle);
        let mut closed = vec![false; levels.len()];
        self.try_node(&mut buffers, snapshot.as_ref(), &levels);
        loop {
            let next = (0..levels.len())
                .filter(|&i| levels[i] > 0 && !closed[i])
                .max_by(|&a, &b| self.saving(a, levels[a]).total_cmp(&self.saving(b, levels[b])));
            let Some(column) = next else { break };
            levels[column] -= 1;
            if !self.try_node(&mut buffers, snapshot.as_ref(), &levels) {
                levels[column] += 1;
                closed[column] = true;
            }
        }
        self.improve(&mut buffers, snapshot.as_ref());
        self.return_buffers(buffers);
    }

    /// Where all records may be suppressed every candidate is safe, and going down as long as one is leads past all good
    /// ones. So, from the best one on the way, each column goes to the level that is best beside the others, in turn, until
    /// none changes.
    fn improve(&mut self, buffers: &mut Buffers<W>, snapshot: Option<&Snapshot<W>>) {
        let prepared = self.engine.prepared;
        if prepared.limit < self.engine.rows() {
            return;
        }
        let Some(mut node) = self.best.node else { return };
        loop {
            for column in 0..prepared.columns.len() {
                let mut levels = prepared.lattice.levels(self.best.node.unwrap_or(node));
                let here = levels[column];
                // Away from where it is, downwards and upwards, as long as that is better.
                for step in [-1isize, 1] {
                    levels[column] = here;
                    while let Some(level) = levels[column].checked_add_signed(step)
                        && level <= prepared.columns[column].height()
                    {
                        levels[column] = level;
                        let before = self.best.value;
                        self.try_node(buffers, snapshot, &levels);
                        if self.best.value >= before {
                            break;
                        }
                    }
                }
            }
            if self.best.node == Some(node) {
                return;
            }
            node = self.best.node.unwrap_or(node);
        }
    }

    fn try_node(&mut self, buffers: &mut Buffers<W>, upper: Option<&Snapshot<W>>, levels: &[usize]) -> bool {
        let source = upper
            .filter(|upper| upper.levels.iter().zip(levels).all(|(floor, level)| floor <= level))
            .unwrap_or(&self.engine.base);
        let judgement = self.engine.check(buffers, source, levels);
        self.checked += 1;
        if judgement.safe {
            let node = Some(self.engine.prepared.lattice.index(levels));
            self.best.take(Best { node, value: judgement.value });
        }
        judgement.safe
    }

    /// What going down one level in a column saves before suppression.
    fn saving(&self, column: usize, level: usize) -> f64 {
        match self.engine.objective {
            Objective::Additive(additive) => {
                additive.total(column, level) - additive.total(column, level - 1)
            }
            // Many more classes for one level: the larger domain splits them more.
            Objective::Grouped(_) => self.engine.prepared.columns[column].size(level - 1) as f64,
        }
    }

    /// Visits all blocks, from the most general to the most specific.
    fn blocks(&mut self, progress: &dyn Progress) -> Result<(), SearchError> {
        let lattice = &self.engine.prepared.lattice;
        let inner: u64 = if self.outer == 0 { lattice.len() } else { lattice.stride(self.outer - 1) };
        let count = (lattice.len() / inner) as usize;
        let mut by_sum: Vec<Vec<usize>> = Vec::new();
        for block in 0..count {
            let sum: usize = lattice.levels(block as u64 * inner)[..self.outer].iter().sum();
            by_sum.resize_with(by_sum.len().max(sum + 1), Vec::new);
            by_sum[sum].push(block);
        }
        let mut known: Vec<Block> = (0..count).map(|_| Block::Unknown).collect();
        progress.stage("searching", Some(count as u64));
        let mut done = 0;
        for wave in by_sum.iter().rev() {
            let visits: Vec<(Block, Best, u64)> = wave
                .par_iter()
                .map(|&block| {
                    if progress.cancelled() {
                        return (Block::Unknown, self.best, 0);
                    }
                    let mut visit = Visit::new(self, &known, block, inner as usize);
                    visit.run();
                    let block = visit.finish();
                    (block, visit.best, visit.checked)
                })
                .collect();
            progress.check()?;
            for (&block, (surcharges, best, checked)) in wave.iter().zip(visits) {
                known[block] = surcharges;
                self.best.take(best);
                self.checked += checked;
            }
            done += wave.len() as u64;
            progress.at(done);
        }
        Ok(())
    }
}

/// Per column and level by how much suppressing a record costs more than one level above, whatever the record.
fn gains<const W: usize>(engine: &Engine<'_, W>) -> Vec<Vec<f64>> {
    let gains = |costs: &Vec<Vec<f64>>| {
        let gain = |pair: &[Vec<f64>]| {
            let least = pair[0].iter().copied().fold(f64::INFINITY, f64::min);
            let most = pair[1].iter().copied().fold(0.0, f64::max);
            // A little less, for sums are rounded.
            ((least - most) * (1.0 - 1e-9)).clamp(0.0, f64::MAX)
        };
        costs.windows(2).map(gain).chain([0.0]).collect()
    };
    match engine.judge.surcharges.is_empty() {
        true => engine.prepared.columns.iter().map(|column| vec![0.0; column.height() + 1]).collect(),
        false => engine.judge.surcharges.iter().map(gains).collect(),
    }
}

/// The visit of one block.
struct Visit<'a, const W: usize> {
    search: &'a Search<'a, W>,
    engine: &'a Engine<'a, W>,
    outer: usize,
    levels: Vec<usize>,
    /// What the levels of the outer columns cost.
    outer_cost: f64,
    /// What suppression adds at least, as known so far.
    bounds: Bounds,
    /// General nodes above all open nodes of a part that were looked at, outermost first.
    joins: Vec<usize>,
    /// Snapshots on the way down: entry `i` is fixed in the first `outer + i` columns, and in the others as
    /// fine as any open node needs.
    path: Vec<Stop<W>>,
    best: Best,
    checked: u64,
    touched: bool,
    first_node: u64,
    buffers: Buffers<W>,
}

/// A place on the way down where a snapshot may be made.
struct Stop<const W: usize> {
    snapshot: Option<Snapshot<W>>,
    /// Nodes below it that were formed from something finer.
    passed: u32,
    /// Whether one was made and found not to be worth keeping.
    settled: bool,
}

impl<const W: usize> Default for Stop<W> {
    fn default() -> Self {
        Self { snapshot: None, passed: 0, settled: false }
    }
}

/// A snapshot is made when so many nodes could have been formed from it already: making it costs about
/// twice what forming a node costs, and whether there will be more nodes is not known.
const WORTH_A_SNAPSHOT: u32 = 1;
/// The node above all open nodes is looked at when they are so many.
const WORTH_A_JOIN: usize = 8;
/// The most general nodes are looked at when so many nodes are open.
const WORTH_TOPS: usize = 8;
/// Nor is it made from less than so many tuples, which are quick to go through anyway.
const SMALL: usize = 256;

impl<'a, const W: usize> Visit<'a, W> {
    fn new(search: &'a Search<'a, W>, known: &[Block], block: usize, inner: usize) -> Self {
        let engine = search.engine;
        let lattice = &engine.prepared.lattice;
        let first_node = block as u64 * inner as u64;
        let levels = lattice.levels(first_node);
        // Everything that is known of the neighbours, one level up in one of the outer columns, holds here.
        let mut bounds = Bounds::new(inner, search.counts_records());
        let mut touched = false;
        for column in (0..search.outer).filter(|&column| levels[column] < lattice.height(column)) {
            match &known[((first_node + lattice.stride(column)) / inner as u64) as usize] {
                Block::Unknown => continue,
                Block::Hopeless => bounds.surcharges.fill(f32::INFINITY),
                Block::Known(above) => {
                    bounds.inherit(0, inner, Some(above), 0, search.gains[column][levels[column]]);
                }
            }
            touched = true;
        }
        let outer_cost = match engine.objective {
            Objective::Additive(additive) => (0..search.outer).map(|i| additive.total(i, levels[i])).sum(),
            Objective::Grouped(_) => 0.0,
        };
        Self {
            search,
            engine,
            outer: search.outer,
            path: (search.outer..levels.len().max(search.outer + 1)).map(|_| Stop::default()).collect(),
            levels,
            outer_cost,
            bounds,
            joins: Vec::new(),
            best: search.best,
            checked: 0,
            touched,
            first_node,
            buffers: search.borrow_buffers(),
        }
    }

    fn run(&mut self) {
        let inner = self.bounds.surcharges.len();
        if !(0..inner).any(|node| self.is_open(node)) {
            return;
        }
        if self.outer > 0 {
            let top = self.search.top_of(&self.levels, &mut self.buffers);
            self.checked += 1;
            if let Some(last) = inner.checked_sub(1) {
                self.learn(last, &top);
            }
            if top.hopeless_below {
                self.bounds.surcharges.fill(f32::INFINITY);
                return;
            }
        }
        self.descend(self.outer, 0);
    }

    fn finish(&mut self) -> Block {
        self.search.return_buffers(std::mem::take(&mut self.buffers));
        if !self.touched {
            Block::Unknown
        } else if self.bounds.surcharges.iter().all(|s| s.is_infinite()) {
            Block::Hopeless
        } else {
            Block::Known(std::mem::take(&mut self.bounds))
        }
    }

    /// Whether a node could still be better than the best.
    fn is_open(&self, node: usize) -> bool {
        self.outer_cost + self.search.inner_cost[node] + f64::from(self.bounds.surcharges[node])
            < self.best.value
    }

    /// How many nodes have the current levels before `column`.
    fn size(&self, column: usize) -> usize {
        match column {
            0 => self.engine.prepared.lattice.len() as usize,
            _ => self.engine.prepared.lattice.stride(column - 1) as usize,
        }
    }

    /// Visits all nodes of the block whose levels before `column` are those of `self.levels`; `offset` is
    /// the first of them.
    fn descend(&mut self, column: usize, offset: usize) {
        let lattice = &self.engine.prepared.lattice;
        if column == lattice.columns() {
            self.visit(offset);
            return;
        }
        self.path[column - self.outer] = Stop::default();
        if !(offset..offset + self.size(column)).any(|node| self.is_open(node))
            || self.bounded_out(column, offset)
        {
            return;
        }
        self.look_at_tops(column, offset);
        let joins = self.joins.len();
        self.look_at_join(column, offset);
        let stride = lattice.stride(column) as usize;
        for level in (0..=lattice.height(column)).rev() {
            self.levels[column] = level;
            let begin = offset + level * stride;
            // What is known one level up in this column holds here too.
            if level < lattice.height(column) {
                self.bounds.inherit(begin, stride, None, begin + stride, self.search.gains[column][level]);
            }
            self.descend(column + 1, begin);
        }
        self.levels[column] = 0;
        self.joins.truncate(joins);
    }

    /// Judges the least general node above all open nodes of a part: when it is hopeless, so are they all. It costs too much
    /// to be chosen itself, or it would be open.
    fn look_at_join(&mut self, column: usize, offset: usize) {
        let lattice = &self.engine.prepared.lattice;
        let mut join = self.levels.clone();
        let mut count = 0;
        for node in (offset..offset + self.size(column)).filter(|&node| self.is_open(node)) {
            for (later, joined) in join.iter_mut().enumerate().skip(column) {
                let level = node / lattice.stride(later) as usize % (lattice.height(later) + 1);
                *joined = if count == 0 { level } else { level.max(*joined) };
            }
            count += 1;
        }
        if count < WORTH_A_JOIN {
            return;
        }
        let place = |later: usize| join[later] * lattice.stride(later) as usize;
        let node = offset + (column..lattice.columns()).map(place).sum::<usize>();
        if self.is_open(node) || self.bounds.surcharges[node].is_infinite() || self.joins.contains(&node) {
            return;
        }
        self.joins.push(node);
        let mut buffers = std::mem::take(&mut self.buffers);
        let judgement = self.engine.check(&mut buffers, self.source(column), &join);
        self.buffers = buffers;
        self.checked += 1;
        self.learn(node, &judgement);
        if judgement.hopeless_below {
            for node in offset..offset + self.size(column) {
                if self.is_open(node) {
                    self.bounds.surcharges[node] = f32::INFINITY;
                }
            }
        }
    }

    /// Judges the most general node of each part that fixes one more column, where enough nodes are open to
    /// make it worth while. Few columns tell the classes of these nodes apart, so they are quick to form.
    fn look_at_tops(&mut self, column: usize, offset: usize) {
        let lattice = &self.engine.prepared.lattice;
        let (stride, height) = (lattice.stride(column) as usize, lattice.height(column));
        let open = (offset..offset + self.size(column)).filter(|&node| self.is_open(node));
        if stride < 4 || open.clone().take(WORTH_TOPS).count() < WORTH_TOPS {
            return;
        }
        let lowest = open.map(|node| node / stride % (height + 1)).min().unwrap_or(0);
        let mut target: Vec<usize> = (0..lattice.columns()).map(|i| lattice.height(i)).collect();
        target[..column].copy_from_slice(&self.levels[..column]);
        target[column] = lowest;
        let mut buffers = std::mem::take(&mut self.buffers);
        let few = self.engine.roll_up(&mut buffers, self.source(column), &target);
        for level in (lowest..=height).rev() {
            target[column] = level;
            let last = offset + (level + 1) * stride - 1;
            if self.bounds.surcharges[last].is_infinite() {
                break;
            }
            let judgement = self.engine.check(&mut buffers, &few, &target);
            self.checked += 1;
            self.learn(last, &judgement);
            if judgement.hopeless_below {
                self.bounds.surcharges[offset..=last].fill(f32::INFINITY);
                break;
            }
        }
        self.buffers = buffers;
    }

    /// Whether a metric over classes already costs too much at the finest open node of this part.
    fn bounded_out(&mut self, column: usize, offset: usize) -> bool {
        if matches!(self.engine.objective, Objective::Additive(_)) || self.size(column) < 4 {
            return false;
        }
        self.make_snapshot(column, offset);
        let mut buffers = std::mem::take(&mut self.buffers);
        let bound = self.engine.judge.bound(self.source(column), &mut buffers.histograms);
        self.buffers = buffers;
        bound >= self.best.value
    }

    fn visit(&mut self, node: usize) {
        if !self.is_open(node) {
            return;
        }
        self.make_path(node);
        let mut buffers = std::mem::take(&mut self.buffers);
        let source = self.source(self.engine.prepared.lattice.columns().saturating_sub(1));
        let judgement = self.engine.check(&mut buffers, source, &self.levels);
        self.buffers = buffers;
        self.checked += 1;
        self.learn(node, &judgement);
    }

    fn learn(&mut self, node: usize, judgement: &Judgement) {
        self.touched = true;
        // Rounded down: a bound must not grow by being stored.
        let surcharge = match judgement.hopeless_below {
            true => f32::INFINITY,
            false => (judgement.surcharge as f32).next_down().max(0.0),
        };
        let known = &mut self.bounds.surcharges[node];
        *known = known.max(surcharge);
        if let Some(records) = self.bounds.records.get_mut(node) {
            *records = (*records).max(u32::try_from(judgement.least).unwrap_or(u32::MAX));
        }
        if judgement.safe {
            let node = self.first_node + node as u64;
            self.best.take(Best { node: Some(node), value: judgement.value });
        }
    }

    /// The coarsest snapshot on the way that fixes at most the first `column` columns.
    fn source(&self, column: usize) -> &Snapshot<W> {
        let stops = self.path.iter().take(column + 1 - self.outer).rev();
        stops
            .filter_map(|stop| stop.snapshot.as_ref())
            .next()
            .unwrap_or_else(|| self.search.shared(&self.levels))
    }

    /// Makes snapshots on the way to a node where enough nodes passed by.
    fn make_path(&mut self, node: usize) {
        for column in self.outer..self.engine.prepared.lattice.columns() {
            let stop = &mut self.path[column - self.outer];
            if stop.snapshot.is_some() || stop.settled {
                continue;
            }
            if stop.passed < WORTH_A_SNAPSHOT {
                stop.passed += 1;
                continue;
            }
            let size = self.size(column);
            if size >= 4 && self.source(column).len() > SMALL {
                self.make_snapshot(column, node / size * size);
            }
        }
    }

    /// Makes the snapshot that fixes the columns before `column`; the others are as fine as any open node
    /// from `offset` on needs.
    fn make_snapshot(&mut self, column: usize, offset: usize) {
        let lattice = &self.engine.prepared.lattice;
        // Per later column the lowest level at which any node is open.
        let lowest = |later: usize| {
            let (stride, height) = (lattice.stride(later) as usize, lattice.height(later));
            let open = (offset..offset + self.size(column)).filter(|&node| self.is_open(node));
            open.map(|node| node / stride % (height + 1)).min().unwrap_or(0)
        };
        let mut target = self.levels[..column].to_vec();
        target.extend((column..lattice.columns()).map(lowest));
        let source = self.source(column);
        if source.levels == target {
            return;
        }
        let mut buffers = std::mem::take(&mut self.buffers);
        let snapshot = self.engine.roll_up_if_smaller(&mut buffers, self.source(column), &target);
        self.buffers = buffers;
        let stop = &mut self.path[column - self.outer];
        stop.settled = snapshot.is_none();
        stop.snapshot = snapshot;
    }
}

impl Options {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "optimal",
        summary: "The best full-domain generalization, exactly.",
        guarantees: &[
            "No other choice of levels with at most this much suppression satisfies all promises and has a smaller value of the metric.",
        ],
        judges_together: true,
        needs_monotone: false,
        publishes: None,
        read: read::<Options>,
    };
}

impl Algorithm for Options {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    crate::algorithm::searches_levels!();
}
