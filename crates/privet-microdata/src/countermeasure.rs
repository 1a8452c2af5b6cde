//! Against minimality (survey ME-17): a search that publishes no more coarsely than it must tells something by what it did not
//! publish (survey AT-09).
//!
//! What is guaranteed of every countermeasure: where it cannot be taken, the job is refused. None is left out in silence.

pub mod p_safe;

use serde::Deserialize;

use crate::by_purpose::ByPurpose;
use crate::counts;
use crate::error::JobError;
use crate::job::Job;
use crate::mondrian::MondrianSection;

/// The key of the job.
pub const KEY: &str = "adversary.countermeasure";

/// What is done against minimality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Countermeasure {
    /// Groups are formed by k-anonymity alone, and some values of the protected kind are replaced.
    Distort,
    /// What would tell too much to those who know the search is passed over for something coarser.
    PSafe,
}

impl Countermeasure {
    /// The word in job files.
    pub fn word(self) -> &'static str {
        match self {
            Countermeasure::Distort => "distort",
            Countermeasure::PSafe => "p-safe",
        }
    }
}

/// Refuses what a countermeasure does not go with.
pub fn check(job: &Job) -> Result<(), JobError> {
    let Some(countermeasure) = job.adversary.countermeasure else { return Ok(()) };
    let refused =
        |problem: &str| Err(JobError::key(KEY, format!("= \"{}\" {problem}", countermeasure.word())));
    if counts::asked(job) {
        return refused(
            "goes with releases of records and not with [[views]] or [[count-tables]]; leave one of them out",
        );
    }
    if job.search.parameters::<MondrianSection>().is_some_and(|mondrian| mondrian.memory_limit.is_some()) {
        return refused(
            "looks at all records at once and does not go with search.mondrian.memory-limit; leave one of them out",
        );
    }
    if job.search.is::<ByPurpose>() {
        return refused(
            "does not go with a purpose, which decides on levels of its own; choose another algorithm in [search], such as \
             \"optimal\", or leave it out",
        );
    }
    match countermeasure {
        Countermeasure::Distort => Ok(()),
        Countermeasure::PSafe => p_safe::check(job),
    }
}
