//! All strategies at once, each node of the lattice judged at most once (spec 2.4, last remark).
//!
//! Strategies share their nodes, so they are walked together: from the table up, in the order of the nodes'
//! numbers, in which a node comes after all nodes below it. Whether a node lies above a safe one is therefore
//! known when it is reached, and if so it is not judged. L\[i+1\] is formed from a snapshot below it; snapshots
//! live only on the way to the current node.
//!
//! A strategy whose later node fails has failed at every earlier one. Before a large part of the lattice is
//! walked, some nodes at the ends of its strategies are looked at: all columns at the top but one. They have
//! few classes, and each that fails raises the level from which that column has to be walked. The thesis goes
//! up only; on large tables this spares nearly all of the way.

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;

use super::super::engine::{Buffers, Engine};
use super::super::problem::SearchError;
use super::super::snapshot::Snapshot;

/// What the walk over all strategies came to.
pub struct Climbed {
    /// The minimal safe nodes, by ascending number, with their metric.
    pub minimal: Vec<(u64, f64)>,
    /// Nodes whose classes were formed.
    pub checked: u64,
}

/// A walk over all strategies.
pub struct Climb<'a, const W: usize> {
    engine: &'a Engine<'a, W>,
    progress: &'a dyn Progress,
    /// Per node whether it is safe or above a safe one. Once the walk has passed a node this is what is true.
    covered: Vec<bool>,
    /// Safe nodes that were judged before the walk came to them, with their metric.
    ahead: HashMap<usize, f64>,
    levels: Vec<usize>,
    minimal: Vec<(u64, f64)>,
    checked: u64,
    buffers: Buffers<W>,
}

/// A snapshot is worth making for so many nodes.
const WORTH_A_SNAPSHOT: usize = 8;
/// The ends of strategies are worth looking at for so many nodes.
const WORTH_LOOKING_AHEAD: usize = 32;

impl<'a, const W: usize> Climb<'a, W> {
    /// Stands at the bottom.
    pub fn new(engine: &'a Engine<'a, W>, progress: &'a dyn Progress) -> Self {
        Self {
            engine,
            progress,
            covered: Vec::new(),
            ahead: HashMap::new(),
            levels: vec![0; engine.prepared.lattice.columns()],
            minimal: Vec::new(),
            checked: 0,
            buffers: Buffers::default(),
        }
    }

    /// Walks.
    pub fn run(mut self) -> Result<Climbed, SearchError> {
        let engine = self.engine;
        let nodes = engine.prepared.lattice.len();
        self.progress.stage("walking strategies", Some(nodes));
        self.progress.check()?;
        // The algorithms presume that the top is safe; when it is not, nothing is.
        if self.is_safe_ahead(nodes as usize - 1, &engine.top(), &engine.base) {
            self.covered = vec![false; nodes as usize];
            self.part(0, 0, &vec![0; self.levels.len()], &engine.base)?;
        }
        Ok(Climbed { minimal: self.minimal, checked: self.checked })
    }

    /// Walks the nodes whose levels before `column` are those of `self.levels`; those from `column` on are at
    /// least `floors`, because nodes with lower ones are known to fail. The most general of the nodes is safe.
    /// `node` is the number of the one with these later columns at 0, and `source` is at or below all.
    fn part(
        &mut self,
        column: usize,
        node: usize,
        floors: &[usize],
        source: &Snapshot<W>,
    ) -> Result<(), SearchError> {
        let lattice = &self.engine.prepared.lattice;
        let columns = lattice.columns();
        if column == columns {
            self.visit(node, source);
            return Ok(());
        }
        let stride = lattice.stride(column) as usize;
        let lowest: usize = (column..columns).map(|i| floors[i] * lattice.stride(i) as usize).sum();
        if self.is_above_safe(node + lowest, &self.levels[..column]) {
            self.cover(column, node, floors);
            return Ok(());
        }
        let nodes = |floors: &[usize]| -> usize {
            (column..columns).map(|i| lattice.height(i) - floors[i] + 1).product()
        };
        let mut floors = floors.to_vec();
        if nodes(&floors) >= WORTH_LOOKING_AHEAD {
            self.progress.check()?;
            self.progress.at(node as u64);
            self.look_ahead(column, &mut floors, source);
        }
        let target = [&self.levels[..column], &floors[column..]].concat();
        let made = if nodes(&floors) >= WORTH_A_SNAPSHOT && source.levels != target {
            self.engine.roll_up_if_smaller(&mut self.buffers, source, &target)
        } else {
            None
        };
        let source = made.as_ref().unwrap_or(source);
        for level in floors[column]..=lattice.height(column) {
            self.levels[column] = level;
            self.part(column + 1, node + level * stride, &floors, source)?;
        }
        self.levels[column] = 0;
        Ok(())
    }

    /// Raises the floors of a part as far as the ends of its strategies tell: the nodes with all columns from
    /// `column` on at the top but one.
    fn look_ahead(&mut self, column: usize, floors: &mut [usize], source: &Snapshot<W>) {
        let lattice = &self.engine.prepared.lattice;
        let mut target = self.engine.top();
        target[..column].copy_from_slice(&self.levels[..column]);
        for raised in column..lattice.columns() {
            let top = lattice.height(raised);
            if floors[raised] == top {
                continue;
            }
            target[raised] = floors[raised];
            let few = self.engine.roll_up(&mut self.buffers, source, &target);
            for level in (floors[raised]..top).rev() {
                target[raised] = level;
                let node = lattice.index(&target) as usize;
                if !self.is_above_safe(node, &target[..column]) && !self.is_safe_ahead(node, &target, &few) {
                    floors[raised] = level + 1;
                    break;
                }
            }
            target[raised] = top;
        }
    }

    /// Whether a node is safe that the walk has not come to yet. One that fails is below the floors from then
    /// on, so that it is not asked for again.
    fn is_safe_ahead(&mut self, node: usize, levels: &[usize], source: &Snapshot<W>) -> bool {
        if self.ahead.contains_key(&node) {
            return true;
        }
        self.checked += 1;
        let judgement = self.engine.check(&mut self.buffers, source, levels);
        if judgement.safe {
            self.ahead.insert(node, judgement.value);
        }
        judgement.safe
    }

    /// Whether a node directly below is known to be safe or above a safe one; `levels` are those of the columns
    /// that are looked at.
    fn is_above_safe(&self, node: usize, levels: &[usize]) -> bool {
        let stride = |column: usize| self.engine.prepared.lattice.stride(column) as usize;
        levels.iter().enumerate().any(|(column, &level)| level > 0 && self.covered[node - stride(column)])
    }

    /// Judges a node unless it lies above a safe one. When it is safe, it is minimal.
    fn visit(&mut self, node: usize, source: &Snapshot<W>) {
        if self.is_above_safe(node, &self.levels) {
            self.covered[node] = true;
            return;
        }
        let value = match self.ahead.get(&node) {
            Some(&value) => Some(value),
            None => {
                self.checked += 1;
                let judgement = self.engine.check(&mut self.buffers, source, &self.levels);
                judgement.safe.then_some(judgement.value)
            }
        };
        if let Some(value) = value {
            self.covered[node] = true;
            self.minimal.push((node as u64, value));
        }
    }

    /// Notes that all nodes of a part lie above a safe one.
    fn cover(&mut self, column: usize, node: usize, floors: &[usize]) {
        let lattice = &self.engine.prepared.lattice;
        let (floor, height) = (floors[column], lattice.height(column));
        if column + 1 == lattice.columns() {
            self.covered[node + floor..=node + height].fill(true);
            return;
        }
        for level in floor..=height {
            self.cover(column + 1, node + level * lattice.stride(column) as usize, floors);
        }
    }
}
