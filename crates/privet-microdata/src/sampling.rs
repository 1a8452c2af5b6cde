//! A random sample of the input (survey ME-15), drawn before anything else looks at the table.

use privet_data::{Progress, Table};
use privet_recode::bucket::{Sampling, SamplingKind};
use privet_recode::lattice::SearchError;
use privet_release::manifest;
use serde::Deserialize;

use crate::error::JobError;

/// The `[sampling]` section.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SamplingSection {
    /// Which part of the records is taken, above 0 and at most 1.
    pub fraction: f64,
    /// How it is drawn.
    #[serde(default)]
    pub kind: SamplingKind,
    /// The seed; from the operating system when left out. Whoever knows it knows who is in the sample.
    #[serde(default)]
    pub seed: Option<u64>,
}

impl SamplingSection {
    /// The form of the section.
    pub fn check(&self) -> Result<(), JobError> {
        match self.fraction > 0.0 && self.fraction <= 1.0 {
            true => Ok(()),
            false => Err(JobError::key("sampling.fraction", "must be above 0 and at most 1, such as 0.01")),
        }
    }

    /// Draws the sample; and which records it took.
    pub fn draw(&self, table: &Table, progress: &dyn Progress) -> Result<(Table, Vec<u32>), SearchError> {
        let sampling = Sampling { fraction: self.fraction, kind: self.kind };
        let drawn = sampling.sample(table.rows, seed(self.seed)?, progress)?;
        Ok((table.select(&drawn), drawn))
    }

    /// What the manifest says of it.
    pub fn manifest(&self, from_rows: u64) -> manifest::Sample {
        let kind = match self.kind {
            SamplingKind::Simple => "simple",
            SamplingKind::Bernoulli => "bernoulli",
        };
        manifest::Sample { fraction: self.fraction, kind: kind.to_owned(), from_rows }
    }

    /// Where its randomness came from, for the manifest.
    pub fn randomness(&self) -> String {
        format!("the sample was drawn with {}", source(self.seed))
    }
}

/// A seed that was given, or one from the operating system.
pub fn seed(given: Option<u64>) -> Result<u64, SearchError> {
    match given {
        Some(seed) => Ok(seed),
        None => getrandom::u64().map_err(|_| SearchError::NoRandomness),
    }
}

/// Where a secret seed came from. It is never published.
pub fn source(given: Option<u64>) -> &'static str {
    match given {
        Some(_) => "a seed of the job file, which must stay secret and is not published",
        None => "a seed from the operating system, which was not kept",
    }
}
