//! From a job to a release, of whichever kind it asks for.

use privet_data::Progress;
use privet_microdata::candidate::RunOptions;
use privet_microdata::counts;
use privet_microdata::error::RunError;
use privet_microdata::job::Job;
use privet_microdata::summary::Summary;

/// Runs a job from its input to a finished release folder.
///
/// # Errors
/// When the input, a hierarchy or a promise is at fault, no safe release exists, or the release cannot be
/// written. Nothing is left behind then, and an existing release stays as it was.
pub fn run(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Summary, RunError> {
    match counts::asked(job) {
        true => privet_counts::run(job, options, progress),
        false => privet_records::run(job, options, progress),
    }
}
