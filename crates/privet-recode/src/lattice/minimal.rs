//! All minimal safe nodes: safe, and no node below them is (thesis Def 2.5 with the strict order of its
//! defect 1; papers DEF-26).
//!
//! Nodes are visited from general to specific. A node below a hopeless one is not looked at; all others
//! are, because a criterion that is not monotone may hold below a node where it fails.

use privet_data::Progress;

use super::engine::{Buffers, Engine};
use super::problem::SearchError;
use super::snapshot::Snapshot;

/// The levels of all minimal safe nodes, in the order of the search's columns.
pub fn minimal_nodes<const W: usize>(
    engine: &Engine<'_, W>,
    checked: &mut u64,
    progress: &dyn Progress,
) -> Result<Vec<Vec<usize>>, SearchError> {
    let lattice = &engine.prepared.lattice;
    let count = lattice.len() as usize;
    progress.stage("finding minimal nodes", Some(lattice.len()));
    let mut visit = Visit {
        engine,
        progress,
        levels: vec![0; lattice.columns()],
        hopeless: vec![false; count],
        safe: vec![false; count],
        checked: 0,
        buffers: Buffers::default(),
    };
    visit.descend(0, 0, &engine.base)?;
    *checked += visit.checked;
    // From below: a node is minimal when it is safe and nothing under it is.
    let mut minimal = Vec::new();
    let mut covered = vec![false; count];
    for node in 0..count {
        let levels = lattice.levels(node as u64);
        covered[node] = (0..levels.len()).any(|column| {
            levels[column] > 0 && {
                let under = node - lattice.stride(column) as usize;
                covered[under] || visit.safe[under]
            }
        });
        if visit.safe[node] && !covered[node] {
            minimal.push(levels);
        }
    }
    Ok(minimal)
}

struct Visit<'a, const W: usize> {
    engine: &'a Engine<'a, W>,
    progress: &'a dyn Progress,
    levels: Vec<usize>,
    hopeless: Vec<bool>,
    safe: Vec<bool>,
    checked: u64,
    buffers: Buffers<W>,
}

/// A snapshot is worth making for so many nodes.
const WORTH_A_SNAPSHOT: usize = 8;

impl<const W: usize> Visit<'_, W> {
    /// Visits the nodes whose levels before `column` are those of `self.levels`; `first` is the lowest of
    /// them, `source` has these levels and is as fine as possible in the other columns.
    fn descend(&mut self, column: usize, first: usize, source: &Snapshot<W>) -> Result<(), SearchError> {
        let lattice = &self.engine.prepared.lattice;
        if column == lattice.columns() {
            self.check(first, source);
            return Ok(());
        }
        let stride = lattice.stride(column) as usize;
        if stride > 64 {
            self.progress.check()?;
            self.progress.at(lattice.len() - first as u64);
        }
        for level in (0..=lattice.height(column)).rev() {
            self.levels[column] = level;
            let begin = first + level * stride;
            // What lies below a hopeless node in this column is hopeless too.
            if level < lattice.height(column) {
                for node in begin..begin + stride {
                    self.hopeless[node] |= self.hopeless[node + stride];
                }
            }
            if self.hopeless[begin..begin + stride].iter().all(|&hopeless| hopeless) {
                continue;
            }
            if level > 0 && stride >= WORTH_A_SNAPSHOT {
                let mut target = self.levels.clone();
                target[column + 1..].fill(0);
                let finer = self.engine.roll_up(&mut self.buffers, source, &target);
                self.descend(column + 1, begin, &finer)?;
            } else {
                self.descend(column + 1, begin, source)?;
            }
        }
        self.levels[column] = 0;
        Ok(())
    }

    fn check(&mut self, node: usize, source: &Snapshot<W>) {
        if !self.hopeless[node] {
            let judgement = self.engine.check(&mut self.buffers, source, &self.levels);
            self.checked += 1;
            self.hopeless[node] = judgement.hopeless_below;
            self.safe[node] = judgement.safe;
        }
    }
}
