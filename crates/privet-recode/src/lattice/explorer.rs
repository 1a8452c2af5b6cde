//! For searches that go from candidate to candidate as they see fit: every candidate is judged once, from the
//! smallest finer snapshot at hand, several at a time where several are asked for.
//!
//! What is judged, from which snapshot, and in which order it is remembered does not depend on the number of
//! threads.

use std::sync::{Mutex, PoisonError};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use privet_measure::Objective;
use rayon::prelude::*;

use super::engine::{Buffers, Engine};
use super::judge::{Judgement, Stop};
use super::snapshot::Snapshot;

/// Judges candidates and remembers them.
pub struct Explorer<'a, const W: usize> {
    engine: &'a Engine<'a, W>,
    judged: HashMap<Box<[usize]>, Known>,
    /// Of the candidates met last, those of which every finer one is hopeless.
    hopeless: Vec<Box<[usize]>>,
    next_hopeless: usize,
    /// The least recently used first.
    snapshots: Vec<Snapshot<W>>,
    /// Levels whose snapshots would hardly be smaller than the table.
    too_fine: Vec<Box<[usize]>>,
    /// Buffers that no thread uses at the moment.
    spare: Mutex<Vec<Buffers<W>>>,
    checked: u64,
}

/// What is known of a candidate.
#[derive(Clone, Copy)]
struct Known {
    judgement: Judgement,
    /// Whether all its suppressed records were counted.
    complete: bool,
}

/// Snapshots that are kept.
const KEPT: usize = 32;
/// All together they hold at most so many times the tuples of the table.
const KEPT_TUPLES: usize = 4;
/// A snapshot is not made from less than so many tuples, which are quick to go through anyway.
const SMALL: usize = 1024;
/// One that nobody asked for must be smaller by this factor than what it is made from.
const SHRINKS: usize = 4;
/// Hopeless candidates that are kept: enough to prove most, few enough to be gone through for each.
const KEPT_HOPELESS: usize = 512;

fn is_finer(fine: &[usize], coarse: &[usize]) -> bool {
    fine.iter().zip(coarse).all(|(fine, coarse)| fine <= coarse)
}

impl<'a, const W: usize> Explorer<'a, W> {
    /// Knows nothing yet.
    pub fn new(engine: &'a Engine<'a, W>) -> Self {
        Self {
            engine,
            judged: HashMap::new(),
            hopeless: Vec::new(),
            next_hopeless: 0,
            snapshots: Vec::new(),
            too_fine: Vec::new(),
            spare: Mutex::default(),
            checked: 0,
        }
    }

    /// Candidates whose classes were formed.
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// What is known of a candidate, looking at it when it was not looked at before. The count of suppressed
    /// records is complete.
    pub fn judge(&mut self, levels: &[usize]) -> Judgement {
        if let Some(known) = self.judged.get(levels).filter(|known| known.complete) {
            return known.judgement;
        }
        let mut buffers = self.borrow_buffers();
        if let Some(position) = self.nearest(levels) {
            let used = self.snapshots.remove(position);
            self.snapshots.push(used);
        }
        let source = self.source(levels);
        let judgement = self.engine.check_all(&mut buffers, source, levels);
        let classes = buffers.scratch.classes.rows().len();
        if source.len() > SMALL && classes * SHRINKS <= source.len() {
            let columns = &self.engine.prepared.columns;
            let snapshot = buffers.scratch.snapshot(columns, source, levels);
            self.keep(snapshot);
        }
        self.return_buffers(buffers);
        self.learn(levels, judgement, Stop::Never);
        judgement
    }

    /// What is known of a candidate without looking at it; of its suppressed records perhaps not all are counted.
    pub fn known(&self, levels: &[usize]) -> Option<Judgement> {
        match self.judged.get(levels) {
            Some(known) => Some(known.judgement),
            None => self.hopeless.iter().any(|coarser| is_finer(levels, coarser)).then(Judgement::hopeless),
        }
    }

    /// Judges some candidates in parallel, counting all suppressed records of each.
    pub fn judge_all(&mut self, candidates: &[Vec<usize>]) -> Vec<Judgement> {
        let mut seen = HashSet::new();
        let unknown: Vec<Vec<usize>> = candidates
            .iter()
            .filter(|levels| !self.judged.get(&levels[..]).is_some_and(|known| known.complete))
            .filter(|levels| seen.insert(&levels[..]))
            .cloned()
            .collect();
        self.look_at(&unknown, Stop::Never);
        candidates.iter().map(|levels| self.judge(levels)).collect()
    }

    /// Looks at some candidates, all of which are still unknown, in parallel.
    pub fn look_at(&mut self, candidates: &[Vec<usize>], stop: Stop) {
        let look = |levels: &Vec<usize>| {
            let mut buffers = self.borrow_buffers();
            let source = self.source(levels);
            let judgement = match stop {
                Stop::WhenHopeless => self.engine.check(&mut buffers, source, levels),
                Stop::Never => self.engine.check_all(&mut buffers, source, levels),
            };
            self.return_buffers(buffers);
            judgement
        };
        let judgements: Vec<Judgement> = match candidates {
            [only] => vec![look(only)],
            _ => candidates.par_iter().map(look).collect(),
        };
        for (levels, judgement) in candidates.iter().zip(judgements) {
            self.learn(levels, judgement, stop);
        }
    }

    /// Makes a snapshot that serves these levels and all coarser ones, unless it would hardly be smaller than
    /// what is there.
    pub fn prepare(&mut self, levels: &[usize]) {
        if let Some(position) = self.snapshots.iter().position(|snapshot| snapshot.levels == levels) {
            let used = self.snapshots.remove(position);
            self.snapshots.push(used);
            return;
        }
        let source = self.source(levels);
        let from_table = source.levels.iter().all(|&level| level == 0);
        let is_too_fine = from_table && self.too_fine.iter().any(|coarser| is_finer(levels, coarser));
        if source.len() <= SMALL || source.levels == levels || is_too_fine {
            return;
        }
        let mut buffers = self.borrow_buffers();
        match self.engine.roll_up_if_smaller(&mut buffers, source, levels) {
            Some(snapshot) => self.keep(snapshot),
            // Nor would a finer one be smaller.
            None if from_table => {
                self.too_fine.retain(|finer| !is_finer(finer, levels));
                self.too_fine.push(levels.into());
            }
            None => {}
        }
        self.return_buffers(buffers);
    }

    /// A lower bound of the metric for these levels and all coarser ones. Where the levels alone do not tell, the
    /// classes are formed.
    pub fn bound_above(&mut self, levels: &[usize]) -> f64 {
        if matches!(self.engine.objective, Objective::Additive(_)) {
            return self.engine.floor(levels);
        }
        let mut buffers = self.borrow_buffers();
        let source = self.source(levels);
        let bound = if source.levels == levels {
            self.engine.judge.bound(source, &mut buffers.histograms)
        } else {
            let snapshot = self.engine.roll_up(&mut buffers, source, levels);
            let bound = self.engine.judge.bound(&snapshot, &mut buffers.histograms);
            if source.len() > SMALL && snapshot.len() * SHRINKS <= source.len() {
                self.keep(snapshot);
            }
            bound
        };
        self.return_buffers(buffers);
        self.checked += 1;
        bound
    }

    fn learn(&mut self, levels: &[usize], judgement: Judgement, stop: Stop) {
        self.checked += 1;
        if judgement.hopeless_below {
            // What a coarser one proves too need not be kept.
            if !self.hopeless.iter().any(|coarser| is_finer(levels, coarser)) {
                match self.hopeless.get_mut(self.next_hopeless) {
                    Some(oldest) => *oldest = levels.into(),
                    None => self.hopeless.push(levels.into()),
                }
                self.next_hopeless = (self.next_hopeless + 1) % KEPT_HOPELESS;
            }
        }
        let complete = stop == Stop::Never || !judgement.hopeless_below;
        self.judged.insert(levels.into(), Known { judgement, complete });
    }

    /// The smallest snapshot that is finer than some levels.
    fn nearest(&self, levels: &[usize]) -> Option<usize> {
        (0..self.snapshots.len())
            .filter(|&i| is_finer(&self.snapshots[i].levels, levels))
            .min_by_key(|&i| self.snapshots[i].len())
    }

    fn source(&self, levels: &[usize]) -> &Snapshot<W> {
        self.nearest(levels).map_or(&self.engine.base, |position| &self.snapshots[position])
    }

    fn keep(&mut self, snapshot: Snapshot<W>) {
        self.snapshots.push(snapshot);
        let tuples = |snapshots: &[Snapshot<W>]| snapshots.iter().map(Snapshot::len).sum::<usize>();
        while self.snapshots.len() > KEPT
            || tuples(&self.snapshots) > KEPT_TUPLES.saturating_mul(self.engine.base.len())
        {
            self.snapshots.remove(0);
        }
    }

    fn borrow_buffers(&self) -> Buffers<W> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn return_buffers(&self, buffers: Buffers<W>) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
    }
}
