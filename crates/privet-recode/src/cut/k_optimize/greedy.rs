//! A good candidate to begin with. Three moves, none of which involves chance:
//!
//! - *Climb*: from nothing, add the boundary that helps most, while one does. What is cut first decides what can still
//!   be cut. So this is done for all columns together, for each column first and then for all, and for some columns at
//!   a time, the few best choices of which are extended by another for as long as that helps.
//! - *Walk* (tabu search): turn the boundary that is best turned, added or taken away, even where that is a step back,
//!   and not again for a while.
//! - *Shake*: forget one column and climb in the others, then in all; or forget all but one, and climb.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use privet_data::Progress;
use rayon::prelude::*;

use super::boundaries::Boundaries;
use super::probe::{Depth, Prober};
use crate::lattice::SearchError;

/// A set of boundaries and what it is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub set: Boundaries,
    pub worth: Worth,
}

/// Smaller is better: first how many records too many are suppressed, then the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Worth {
    pub excess: u64,
    pub cost: u64,
}

/// Choices of columns that are extended.
const KEPT: usize = 3;
/// Steps of a walk without a better candidate, after which it ends.
const PATIENCE: u64 = 60;
/// The most steps of a walk.
const MOST_STEPS: u64 = 1_000;

/// The search for a first candidate.
pub(super) struct Greedy<'a> {
    prober: &'a Prober<'a>,
    until: Option<Instant>,
    progress: &'a dyn Progress,
    all: Boundaries,
    probes: AtomicU64,
}

impl<'a> Greedy<'a> {
    /// Looks for a candidate until the given time.
    pub fn new(prober: &'a Prober<'a>, until: Option<Instant>, progress: &'a dyn Progress) -> Self {
        let all = Boundaries::all(prober.alphabet.len());
        Self { prober, until, progress, all, probes: AtomicU64::new(0) }
    }

    /// Candidates whose neighbours were looked at.
    pub fn probes(&self) -> u64 {
        self.probes.load(Ordering::Relaxed)
    }

    /// Finds a candidate, which need not be safe.
    pub fn run(&self) -> Result<Candidate, SearchError> {
        self.progress.stage("first candidate", None);
        let columns: Vec<Boundaries> =
            (0..self.prober.alphabet.columns.len()).map(|column| self.prober.alphabet.of(column)).collect();
        let together = self.climb(Boundaries::none(self.prober.alphabet.len()), &self.all)?;
        let alone = columns.par_iter().map(|column| {
            let alone = self.climb(Boundaries::none(self.prober.alphabet.len()), column)?;
            self.climb(alone.set, &self.all)
        });
        let mut starts = alone.collect::<Result<Vec<_>, SearchError>>()?;
        starts.push(self.choose(&columns)?);
        let mut best = better(together, starts);
        while !self.late() {
            let walked = self.walk(best.clone())?;
            let shaken = columns.par_iter().map(|column| {
                let others = self.climb(walked.set.minus(column), &self.all.minus(column))?;
                let only = walked.set.minus(&self.all.minus(column));
                Ok(better(self.climb(others.set, &self.all)?, vec![self.climb(only, &self.all)?]))
            });
            let shaken = better(walked.clone(), shaken.collect::<Result<_, SearchError>>()?);
            if shaken.worth == walked.worth {
                return Ok(shaken);
            }
            best = shaken;
        }
        Ok(best)
    }

    /// Chooses the columns to cut one after the other.
    fn choose(&self, columns: &[Boundaries]) -> Result<Candidate, SearchError> {
        let nothing = Boundaries::none(self.prober.alphabet.len());
        let mut best = self.climb(nothing.clone(), &nothing)?;
        let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
        while !self.late() {
            let mut extended: Vec<Vec<usize>> = choices
                .iter()
                .flat_map(|chosen| {
                    let others = (0..columns.len()).filter(|column| !chosen.contains(column));
                    others.map(|column| [&chosen[..], &[column]].concat())
                })
                .collect();
            extended.iter_mut().for_each(|chosen| chosen.sort_unstable());
            extended.sort();
            extended.dedup();
            let climbed = extended.into_par_iter().map(|chosen| {
                let among = chosen.iter().fold(nothing.clone(), |set, &column| set.union(&columns[column]));
                Ok((self.climb(nothing.clone(), &among)?, chosen))
            });
            let mut climbed = climbed.collect::<Result<Vec<_>, SearchError>>()?;
            climbed.sort_by(|(a, chosen), (b, other)| a.worth.cmp(&b.worth).then(chosen.cmp(other)));
            climbed.truncate(KEPT);
            match climbed.first() {
                Some((first, _)) if first.worth < best.worth => best = first.clone(),
                _ => break,
            }
            choices = climbed.into_iter().map(|(_, chosen)| chosen).collect();
        }
        Ok(best)
    }

    /// Adds the boundary among some that helps most, while one does.
    fn climb(&self, mut set: Boundaries, among: &Boundaries) -> Result<Candidate, SearchError> {
        loop {
            let (now, turns) = self.additions(&set, among)?;
            match turns.into_iter().min() {
                Some((better, boundary)) if better < now && !self.late() => set.insert(boundary),
                _ => return Ok(Candidate { set, worth: now }),
            }
        }
    }

    fn walk(&self, start: Candidate) -> Result<Candidate, SearchError> {
        let mut set = start.set.clone();
        let mut best = start;
        let mut found_at = 0;
        // Per boundary the step from which on it may be turned again.
        let mut free_from = vec![0; self.prober.alphabet.len()];
        for step in 0..MOST_STEPS {
            if step - found_at > PATIENCE || self.late() {
                break;
            }
            let (_, mut turns) = self.additions(&set, &self.all)?;
            let without = self.prober.without(&set);
            turns
                .extend(without.into_iter().map(|(boundary, cost, gone)| (self.worth(cost, gone), boundary)));
            let record = best.worth;
            let free = |&(worth, boundary): &(Worth, usize)| free_from[boundary] <= step || worth < record;
            let Some((worth, boundary)) = turns.into_iter().filter(free).min() else { break };
            set = if set.contains(boundary) { set.without(boundary) } else { set.with(boundary) };
            // Pauses of different lengths, so that no cycle closes.
            free_from[boundary] = step + 5 + (step * 7 + boundary as u64) % 8;
            if worth < best.worth {
                best = Candidate { set: set.clone(), worth };
                found_at = step;
            }
        }
        Ok(best)
    }

    /// What a set is worth, and what it would be with one more boundary among some.
    fn additions(
        &self,
        set: &Boundaries,
        among: &Boundaries,
    ) -> Result<(Worth, Vec<(Worth, usize)>), SearchError> {
        self.progress.check()?;
        self.probes.fetch_add(1, Ordering::Relaxed);
        let probe = self.prober.probe(set, &among.minus(set), Depth::Costs);
        let with =
            probe.tail.iter().map(|choice| (self.worth(choice.cost, choice.suppressed), choice.boundary));
        Ok((self.worth(probe.cost, probe.suppressed), with.collect()))
    }

    fn worth(&self, cost: u64, suppressed: u64) -> Worth {
        Worth { excess: suppressed.saturating_sub(self.prober.judge.limit), cost }
    }

    fn late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// The best of some candidates; among equals the first.
fn better(first: Candidate, others: Vec<Candidate>) -> Candidate {
    others.into_iter().fold(first, |best, other| if other.worth < best.worth { other } else { best })
}
