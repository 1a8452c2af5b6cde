//! Assessing a release: what it is still good for, what its records risk, and what an adversary learns from it.
//!
//! `privet measure` and `privet attack` come here with a finished folder. Everything is for the owner.

use privet_data::Progress;
use privet_microdata::assess::check_places;
use privet_microdata::assess::places::{Inputs, Written};
use privet_report::Assessment;

use crate::error::{JobError, RunError};
use crate::layouts;
pub use privet_attack::ATTACKS;
pub use privet_microdata::assess::{AttackOptions, MeasureOptions, untried};

/// More queries than this say nothing more.
const MOST_QUERIES: usize = 100_000;

/// Attacks a release.
///
/// # Errors
/// When the release, the original, the knowledge or an option cannot be used.
pub fn attack(options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    if options.release.is_file() {
        check_places(options)?;
        return privet_randomized::attack_made(options, progress);
    }
    layouts::of(&options.release)?.attack(options, progress)
}

/// Measures a release.
///
/// # Errors
/// When the release, the original or an option cannot be used.
pub fn measure(options: &MeasureOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    let mut inputs = Inputs::of_release(&options.release);
    inputs.table(Some(&options.original));
    inputs.names(options.job.as_deref());
    inputs.table(options.test.as_deref());
    inputs.table(options.population.as_deref());
    inputs.table(options.workload.as_deref());
    inputs.spare(&[(&options.risk_file, Written::Risks), (&options.report, Written::Page)])?;
    if options.queries > MOST_QUERIES {
        return Err(JobError::new(format!("--queries takes a number up to {MOST_QUERIES}")).into());
    }
    if options.risk_threshold.is_some_and(|share| !(share > 0.0 && share < 1.0)) {
        return Err(JobError::new("--risk-threshold takes a share above 0 and below 1, such as 0.2").into());
    }
    for (flag, names) in [("--class", &options.class), ("--target", &options.target)] {
        let is_second = |(at, name): &(usize, &String)| names[..*at].contains(name);
        if let Some((_, name)) = names.iter().enumerate().find(is_second) {
            return Err(JobError::new(format!("{flag} names {name} twice; name each column once")).into());
        }
    }
    layouts::of(&options.release)?.measure(options, progress)
}
