//! Simulated annealing over level vectors (survey ME-07 names it for global recoding; Kirkpatrick, Gelatt and Vecchi,
//! 1983, with the acceptance rule of Metropolis).
//!
//! From a candidate it looks at one that is a level up or down in one column. A better one is always taken, a worse
//! one with probability exp(-difference/temperature), and the temperature falls by a factor with every step. The
//! difference is that of the shares of what the most general candidate costs; unsafe candidates count more than all
//! safe ones, by the records that they suppress beyond the limit. The first run starts at the top, where safe
//! candidates are; the others start anywhere.
//!
//! # Guarantee
//! The candidate is safe, and the best that was seen; the most general one is always among those. Nothing is said of
//! how far it is from the optimum. Equal seeds give equal results, whatever the number of threads.

use std::sync::atomic::{AtomicU64, Ordering};

use privet_data::Progress;
use rayon::prelude::*;
use serde::Deserialize;

use super::engine::Engine;
use super::explorer::Explorer;
use super::fitness::{Best, Fitness};
use super::problem::SearchError;
use super::search::{Outcome, Strategy};
use crate::algorithm::{Algorithm, AlgorithmInfo, read};
use privet_data::Random;

/// The parameters of simulated annealing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Annealing {
    /// Decides all that is random.
    pub seed: u64,
    /// The temperature at the start, above 0: a candidate that is worse by this share of what the most general one
    /// costs is taken with probability 1/e.
    pub temperature: f64,
    /// The factor by which the temperature falls with every step, between 0 and 1.
    pub cooling: f64,
    /// The steps of a run.
    pub steps: u64,
    /// How many more runs there are after the first.
    pub restarts: u32,
}

impl Default for Annealing {
    fn default() -> Self {
        Self { seed: 0, temperature: 0.1, cooling: 0.999, steps: 5000, restarts: 3 }
    }
}

impl Annealing {
    /// Whether every parameter is in range.
    ///
    /// # Errors
    /// When one is not; the error names its key.
    pub fn check(&self) -> Result<(), SearchError> {
        let error = |key, problem| Err(SearchError::Parameter { key, problem });
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return error("search.simulated-annealing.temperature", "must be a number above 0");
        }
        if !(self.cooling > 0.0 && self.cooling < 1.0) {
            return error("search.simulated-annealing.cooling", "must be above 0 and below 1");
        }
        if self.steps == 0 {
            return error("search.simulated-annealing.steps", "must be at least 1");
        }
        Ok(())
    }

    /// One run. Returns the best candidate it saw, and how many it looked at.
    fn run<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        fitness: Fitness,
        number: u32,
        step_done: &(dyn Fn() -> Result<(), SearchError> + Sync),
    ) -> Result<(Best, u64), SearchError> {
        let mut random = Random::stream(self.seed, u64::from(number));
        let mut explorer = Explorer::new(engine);
        let mut best = Best::default();
        let heights = engine.top();
        // Columns that have more than one level.
        let movable: Vec<usize> = (0..heights.len()).filter(|&column| heights[column] > 0).collect();
        let mut levels = match number {
            0 => heights.clone(),
            _ => heights.iter().map(|&height| random.below(height + 1)).collect(),
        };
        let judgement = explorer.judge(&levels);
        best.see(&levels, &judgement);
        let mut energy = fitness.of(&judgement);
        let mut temperature = self.temperature;
        for _ in 0..self.steps {
            step_done()?;
            let Some(&column) = movable.get(random.below(movable.len())) else { break };
            let here = levels[column];
            levels[column] = match here {
                0 => 1,
                top if top == heights[column] => top - 1,
                _ if random.chance(0.5) => here - 1,
                _ => here + 1,
            };
            let judgement = explorer.judge(&levels);
            best.see(&levels, &judgement);
            let there = fitness.of(&judgement);
            if there <= energy || random.chance(((energy - there) / temperature).exp()) {
                energy = there;
            } else {
                levels[column] = here;
            }
            temperature *= self.cooling;
        }
        Ok((best, explorer.checked()))
    }
}

impl Strategy for Annealing {
    fn name(&self) -> &'static str {
        "simulated-annealing"
    }

    fn enumerates(&self) -> bool {
        false
    }

    fn judges_together(&self) -> bool {
        true
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        self.check()?;
        let runs = u64::from(self.restarts) + 1;
        progress.stage("searching", Some(self.steps.saturating_mul(runs)));
        let mut explorer = Explorer::new(engine);
        let top = explorer.judge(&engine.top());
        if top.hopeless_below {
            // Nothing is safe.
            return Ok(Outcome { checked: explorer.checked(), ..Outcome::default() });
        }
        let fitness = Fitness::new(engine, &top);
        let done = AtomicU64::new(0);
        let step_done = || -> Result<(), SearchError> {
            progress.at(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(progress.check()?)
        };
        // Runs know nothing of each other, so any number of them may go at a time.
        let (best, checked) = (0..=self.restarts)
            .into_par_iter()
            .map(|number| self.run(engine, fitness, number, &step_done))
            .try_reduce(
                || (Best::default(), 0),
                |(best, checked), (other, more)| Ok((best.or(other), checked + more)),
            )?;
        match best.levels() {
            Some(levels) => Ok(Outcome { best: Some(levels), checked, ..Outcome::default() }),
            None => Err(SearchError::NothingFound { algorithm: self.name() }),
        }
    }
}

impl Annealing {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "simulated-annealing",
        summary: "Simulated annealing over levels.",
        guarantees: &["The promises hold. Other choices of levels may lose less."],
        judges_together: true,
        needs_monotone: false,
        publishes: None,
        read: read::<Annealing>,
    };
}

impl Algorithm for Annealing {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn check(&self) -> Result<(), SearchError> {
        Self::check(self)
    }

    fn seed(&self) -> Option<u64> {
        Some(self.seed)
    }

    crate::algorithm::searches_levels!();
}
