//! Looks at candidates within a budget and keeps the best.

use std::time::Instant;

use privet_data::Progress;

use crate::lattice::engine::Engine;
use crate::lattice::explorer::Explorer;
use crate::lattice::judge::{Judgement, Stop};
use crate::lattice::problem::SearchError;

/// Why a search ends before it has seen everything.
#[derive(Debug)]
pub enum End {
    /// The budget is used up.
    Budget,
    /// It cannot go on.
    Error(SearchError),
}

/// How much a search may do.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// In seconds.
    pub time: Option<f64>,
    /// Candidates whose classes are formed.
    pub nodes: Option<u64>,
}

/// A safe candidate.
#[derive(Debug, Clone)]
pub struct Safe {
    /// Its levels.
    pub levels: Vec<usize>,
    /// The metric.
    pub value: f64,
}

/// Looks at candidates.
pub struct Scout<'a, const W: usize> {
    /// The problem.
    pub engine: &'a Engine<'a, W>,
    /// The best candidate so far.
    pub best: Option<Safe>,
    explorer: Explorer<'a, W>,
    budget: Budget,
    started: Instant,
    progress: &'a dyn Progress,
}

/// Candidates that are looked at between two glances at the clock.
const BATCH: usize = 16;
/// A snapshot is worth making for so many candidates: making it costs about twice what judging one costs.
const WORTH_A_SNAPSHOT: usize = 4;
/// The parts in which progress is told.
const PARTS: f64 = 1000.0;

impl<'a, const W: usize> Scout<'a, W> {
    /// Starts the clock and looks at the most general candidate, whatever the budget.
    pub fn new(
        engine: &'a Engine<'a, W>,
        budget: Budget,
        progress: &'a dyn Progress,
    ) -> Result<(Self, Judgement), SearchError> {
        progress.stage("searching", Some(PARTS as u64));
        progress.check()?;
        let explorer = Explorer::new(engine);
        let started = Instant::now();
        let mut scout = Self { engine, best: None, explorer, budget, started, progress };
        let top = engine.top();
        scout.explorer.look_at(std::slice::from_ref(&top), Stop::WhenHopeless);
        let judgement = scout.explorer.known(&top).unwrap_or_else(Judgement::hopeless);
        scout.note(&top, &judgement);
        Ok((scout, judgement))
    }

    /// Candidates whose classes were formed.
    pub fn checked(&self) -> u64 {
        self.explorer.checked()
    }

    /// Whether a candidate that costs at least this may be better than the best.
    pub fn may_improve(&self, least: f64) -> bool {
        self.best.as_ref().is_none_or(|best| least < best.value)
    }

    /// Judges some candidates. Those that exceed the budget are not looked at, and then the search ends.
    pub fn judge_all(&mut self, candidates: &[Vec<usize>]) -> Result<Vec<Judgement>, End> {
        self.judge_from(candidates, None)
    }

    /// The same for candidates that are all coarser than `finest`, of which a snapshot is made where it pays.
    pub fn judge_above(
        &mut self,
        finest: &[usize],
        candidates: &[Vec<usize>],
    ) -> Result<Vec<Judgement>, End> {
        self.judge_from(candidates, Some(finest))
    }

    fn judge_from(
        &mut self,
        candidates: &[Vec<usize>],
        finest: Option<&[usize]>,
    ) -> Result<Vec<Judgement>, End> {
        // Asked before anything is looked at: what proves a candidate hopeless may be forgotten meanwhile.
        let mut judged: Vec<Option<Judgement>> =
            candidates.iter().map(|levels| self.explorer.known(levels)).collect();
        let mut unknown: Vec<Vec<usize>> = Vec::new();
        for (levels, known) in candidates.iter().zip(&judged) {
            if known.is_none() && !unknown.contains(levels) {
                unknown.push(levels.clone());
            }
        }
        if let Some(finest) = finest.filter(|_| unknown.len() >= WORTH_A_SNAPSHOT) {
            self.explorer.prepare(finest);
        }
        for batch in unknown.chunks(BATCH) {
            let left = self.left()?;
            let batch = &batch[..batch.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            self.explorer.look_at(batch, Stop::WhenHopeless);
            for levels in batch {
                if let Some(judgement) = self.explorer.known(levels) {
                    self.note(levels, &judgement);
                }
            }
        }
        for (levels, known) in candidates.iter().zip(&mut judged) {
            *known = known.or_else(|| self.explorer.known(levels));
        }
        // Whoever is still unknown was beyond the budget.
        judged.into_iter().collect::<Option<_>>().ok_or(End::Budget)
    }

    /// Judges a candidate.
    pub fn judge(&mut self, levels: &[usize]) -> Result<Judgement, End> {
        if let Some(known) = self.explorer.known(levels) {
            return Ok(known);
        }
        let judged = self.judge_all(&[levels.to_vec()])?;
        judged.first().copied().ok_or(End::Budget)
    }

    /// What is known of a candidate without looking at it.
    pub fn known(&self, levels: &[usize]) -> Option<Judgement> {
        self.explorer.known(levels)
    }

    /// A lower bound of the metric for these levels and all coarser ones.
    pub fn bound_above(&mut self, levels: &[usize]) -> Result<f64, End> {
        self.left()?;
        Ok(self.explorer.bound_above(levels))
    }

    /// Candidates coarser than these levels are going to be judged.
    pub fn prepare(&mut self, levels: &[usize]) {
        self.explorer.prepare(levels);
    }

    /// How many candidates may still be looked at; ends the search when there are none.
    fn left(&self) -> Result<u64, End> {
        self.progress.check().map_err(|cancelled| End::Error(cancelled.into()))?;
        let checked = self.explorer.checked();
        let by_nodes = self.budget.nodes.map_or(0.0, |most| checked as f64 / most as f64);
        let by_time = self.budget.time.map_or(0.0, |most| self.started.elapsed().as_secs_f64() / most);
        self.progress.at((by_nodes.max(by_time).min(1.0) * PARTS) as u64);
        let left = self.budget.nodes.map_or(u64::MAX, |most| most.saturating_sub(checked));
        if left == 0 || by_time >= 1.0 { Err(End::Budget) } else { Ok(left) }
    }

    fn note(&mut self, levels: &[usize], judgement: &Judgement) {
        if judgement.safe && self.best.as_ref().is_none_or(|best| judgement.value < best.value) {
            self.best = Some(Safe { levels: levels.to_vec(), value: judgement.value });
        }
    }
}
