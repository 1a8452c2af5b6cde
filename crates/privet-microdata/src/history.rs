//! The `[history]` section: what was published before about the same people.

use std::path::PathBuf;

use serde::Deserialize;

use crate::counts;
use crate::error::JobError;
use crate::job::{Job, Publish};

/// The `[history]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HistorySection {
    /// The file, in the owner's folder.
    pub file: PathBuf,
    /// How many sensitive values must stay possible for somebody, all releases together.
    pub least: u64,
    /// The largest posterior of a sensitive value, all releases together; no limit unless set.
    pub max_posterior: Option<f64>,
    /// The share of people for whom fewer values may stay possible, or one may be more likely.
    pub max_risk: f64,
    /// Whether every record of each earlier release is one of the new table: then correspondence attacks are made.
    pub continues: bool,
    /// `continues`: how many records must be left of every class when those that cannot be the target's are taken out.
    pub least_left: u64,
}

impl Default for HistorySection {
    fn default() -> Self {
        Self {
            file: "history.json".into(),
            least: 2,
            max_posterior: None,
            max_risk: 0.0,
            continues: false,
            least_left: 2,
        }
    }
}

impl HistorySection {
    /// Refuses what cannot be remembered.
    pub fn check(&self, job: &Job) -> Result<(), JobError> {
        let key = |name: &str, problem: &str| Err(JobError::key(format!("history.{name}"), problem));
        if job.output.home.is_none() {
            return Err(JobError::key("history", "is kept in the owner's folder; set home in [output]"));
        }
        if self.file.components().count() != 1 {
            return key("file", "must be the name of a file in the owner's folder");
        }
        if !(0.0..=1.0).contains(&self.max_risk) {
            return key("max-risk", "must be a share from 0 to 1, such as 0.01");
        }
        if self.max_posterior.is_some_and(|most| !(most > 0.0 && most <= 1.0)) {
            return key("max-posterior", "must be a probability above 0 and up to 1, such as 0.8");
        }
        if counts::asked(job) || job.search.published() == Some(Publish::Buckets) {
            return Err(JobError::key(
                "history",
                "goes with releases of generalized records, and not with counts or buckets",
            ));
        }
        Ok(())
    }
}
