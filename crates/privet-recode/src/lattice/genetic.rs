//! A genetic search over level vectors, after Iyengar ("Transforming data to satisfy privacy constraints", KDD 2002;
//! survey ME-07 names it).
//!
//! A chromosome is one level per quasi column. Iyengar's holds one bit per value of a column, since there a value may
//! be generalized by itself; in the full domain those bits move together, and a level says the same. Parents are
//! chosen by tournaments of two, children take each level from one of them, levels mutate to a neighbouring or to
//! any other level, and the best of a generation live on. Fitness is the metric for safe candidates; unsafe ones
//! count less than all safe ones, by the records that they suppress beyond the limit.
//!
//! # Guarantee
//! The candidate is safe, and the best that was seen; the most general one is always among those. Nothing is said of
//! how far it is from the optimum. Equal seeds give equal results, whatever the number of threads.

use privet_data::Progress;
use serde::Deserialize;

use super::engine::Engine;
use super::explorer::Explorer;
use super::fitness::{Best, Fitness};
use super::problem::SearchError;
use super::search::{Outcome, Strategy};
use crate::algorithm::{Algorithm, AlgorithmInfo, read};
use privet_data::Random;

/// The parameters of the genetic search.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Genetic {
    /// Decides all that is random.
    pub seed: u64,
    /// Candidates in a generation, from 2 to 1,000,000.
    pub population: usize,
    /// How many generations follow the first one.
    pub generations: u64,
    /// The probability that a level mutates, from 0 to 1.
    pub mutation: f64,
    /// The probability that a child has two parents, from 0 to 1.
    pub crossover: f64,
    /// How many of the best candidates are taken into the next generation as they are.
    pub elite: usize,
}

impl Default for Genetic {
    fn default() -> Self {
        Self { seed: 0, population: 64, generations: 100, mutation: 0.1, crossover: 0.9, elite: 4 }
    }
}

const MOST: usize = 1_000_000;

impl Genetic {
    /// Whether every parameter is in range.
    ///
    /// # Errors
    /// When one is not; the error names its key.
    pub fn check(&self) -> Result<(), SearchError> {
        let error = |key, problem| Err(SearchError::Parameter { key, problem });
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        if !(2..=MOST).contains(&self.population) {
            return error("search.genetic.population", "must be from 2 to 1000000");
        }
        if self.generations == 0 {
            return error("search.genetic.generations", "must be at least 1");
        }
        if !is_share(self.mutation) {
            return error("search.genetic.mutation", "must be a probability from 0 to 1");
        }
        if !is_share(self.crossover) {
            return error("search.genetic.crossover", "must be a probability from 0 to 1");
        }
        if self.elite >= self.population {
            return error("search.genetic.elite", "must be less than search.genetic.population");
        }
        Ok(())
    }
}

impl Strategy for Genetic {
    fn name(&self) -> &'static str {
        "genetic"
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
        progress.stage("searching", Some(self.generations));
        let heights = engine.top();
        let mut explorer = Explorer::new(engine);
        let top = explorer.judge(&heights);
        if top.hopeless_below {
            // Nothing is safe.
            return Ok(Outcome { checked: explorer.checked(), ..Outcome::default() });
        }
        let fitness = Fitness::new(engine, &top);
        let mut best = Best::default();
        let mut random = Random::new(self.seed);
        let mut generation = vec![heights.clone()];
        generation.resize_with(self.population, || {
            heights.iter().map(|&height| random.below(height + 1)).collect()
        });
        for number in 0..=self.generations {
            let mut ranked: Vec<(f64, Vec<usize>)> = Vec::with_capacity(generation.len());
            for part in generation.chunks(PART) {
                progress.check()?;
                explorer.prepare(&finest_common(part));
                for (levels, judgement) in part.iter().zip(explorer.judge_all(part)) {
                    best.see(levels, &judgement);
                    ranked.push((fitness.of(&judgement), levels.clone()));
                }
            }
            progress.at(number);
            if number < self.generations {
                ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
                generation = self.next_generation(&ranked, &heights, &mut random);
            }
        }
        match best.levels() {
            Some(levels) => {
                Ok(Outcome { best: Some(levels), checked: explorer.checked(), ..Outcome::default() })
            }
            None => Err(SearchError::NothingFound { algorithm: self.name() }),
        }
    }
}

/// Candidates that are judged between two glances at whether to stop.
const PART: usize = 64;

/// The most general levels that are at least as fine as all of some candidates.
fn finest_common(candidates: &[Vec<usize>]) -> Vec<usize> {
    let mut finest = candidates.first().cloned().unwrap_or_default();
    for levels in candidates {
        for (least, &level) in finest.iter_mut().zip(levels) {
            *least = level.min(*least);
        }
    }
    finest
}

impl Genetic {
    /// The generation after one that is ranked, the best first.
    fn next_generation(
        &self,
        ranked: &[(f64, Vec<usize>)],
        heights: &[usize],
        random: &mut Random,
    ) -> Vec<Vec<usize>> {
        let mut next: Vec<Vec<usize>> =
            ranked.iter().take(self.elite).map(|(_, levels)| levels.clone()).collect();
        while next.len() < self.population {
            // The better of two is the one with the lower rank.
            let mut parent = || random.below(ranked.len()).min(random.below(ranked.len()));
            let (mother, father) = (&ranked[parent()].1, &ranked[parent()].1);
            let mut child = mother.clone();
            if random.chance(self.crossover) {
                for (level, &other) in child.iter_mut().zip(father) {
                    if random.chance(0.5) {
                        *level = other;
                    }
                }
            }
            for (level, &height) in child.iter_mut().zip(heights) {
                if random.chance(self.mutation) {
                    *level = mutated(*level, height, random);
                }
            }
            next.push(child);
        }
        next
    }
}

/// Mostly a neighbouring level, sometimes any.
fn mutated(level: usize, height: usize, random: &mut Random) -> usize {
    match random.below(4) {
        0 => random.below(height + 1),
        1 => height.min(level + 1),
        _ => level.saturating_sub(1),
    }
}

impl Genetic {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "genetic",
        summary: "A genetic algorithm over levels.",
        guarantees: &["The promises hold. Other choices of levels may lose less."],
        judges_together: true,
        needs_monotone: false,
        publishes: None,
        read: read::<Genetic>,
    };
}

impl Algorithm for Genetic {
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
