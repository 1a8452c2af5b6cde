//! A random sample of the records (survey ME-15): whoever is looked for may not be in the release at all.
//!
//! **Guarantee.** `simple` takes exactly round(fraction · n) records, every set of so many equally likely; `bernoulli`
//! takes each record with that probability, independently of all others, so that its size is random too.
//! The order of the records is kept. A sample by itself promises nobody anything: who is unique in the sample may be
//! unique in the table.
//!
//! The draw is by selection sampling (Fan, Muller and Rezucha; Knuth's Algorithm S): each record is taken with the
//! probability (records still wanted) / (records still to come). The seed decides everything; the caller draws it from
//! the operating system and keeps it secret, since whoever knows it knows who is in the sample.

use privet_data::Progress;
use serde::Deserialize;

use crate::lattice::{Random, SearchError};

/// What is drawn, in section `[sampling]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sampling {
    /// Which part of the records is taken: above 0 and at most 1.
    pub fraction: f64,
    /// How it is drawn.
    pub kind: SamplingKind,
}

/// How a sample is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplingKind {
    /// A fixed number of records, without replacement.
    #[default]
    Simple,
    /// Each record by itself.
    Bernoulli,
}

impl Default for Sampling {
    /// The 1% that statistical offices publish.
    fn default() -> Self {
        Self { fraction: 0.01, kind: SamplingKind::Simple }
    }
}

impl Sampling {
    /// The records that are taken, in ascending order.
    ///
    /// # Errors
    /// When the fraction is not above 0 and at most 1, there are too many records, or the person stopped it.
    pub fn sample(&self, rows: usize, seed: u64, progress: &dyn Progress) -> Result<Vec<u32>, SearchError> {
        if !(self.fraction > 0.0 && self.fraction <= 1.0) {
            return Err(SearchError::Parameter {
                key: "sampling.fraction",
                problem: "must be above 0 and at most 1",
            });
        }
        if rows >= u32::MAX as usize {
            return Err(SearchError::TooManyRows);
        }
        let mut random = Random::new(seed);
        let mut wanted = ((self.fraction * rows as f64).round() as usize).min(rows);
        let mut taken = Vec::with_capacity(wanted);
        progress.stage("drawing a sample", Some(rows as u64));
        for record in 0..rows {
            if record.is_multiple_of(1 << 16) {
                progress.at(record as u64);
                progress.check()?;
            }
            let take = match self.kind {
                SamplingKind::Simple => random.below(rows - record) < wanted,
                SamplingKind::Bernoulli => random.chance(self.fraction),
            };
            if take {
                wanted = wanted.saturating_sub(1);
                taken.push(record as u32);
            }
        }
        Ok(taken)
    }
}
