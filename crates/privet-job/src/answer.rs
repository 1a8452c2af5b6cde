//! Questions to a release (survey US-01 to US-04, US-14): from its folder to an answer with an expectation and bounds; and
//! a release written out for learners (US-11).
//!
//! Everything is computed from the published files. A job file adds what it says of the columns: which texts are
//! missing values, and the hierarchies that are written down (files, groups, trees). The input that it names is never
//! read: an answer tells no more than the release does.

use std::path::Path;

use privet_data::Progress;
use privet_measure::answer::Question;
pub use privet_microdata::answer::{AnswerBasis, AskError, Asked, Spread, must_be_meant};
pub use privet_records::{UnfoldOptions, UnfoldSummary};

use crate::layouts;

/// Answers a question in SQL from a release folder, with what a job file says of its columns.
///
/// # Errors
/// When the question is none or about another table, the release or the job cannot be read, or the release cannot answer
/// it.
pub fn ask(
    folder: &Path,
    question: &str,
    job: Option<&Path>,
    spread: Spread,
    progress: &dyn Progress,
) -> Result<Asked, AskError> {
    let question = Question::parse(question)?;
    must_be_meant(&question, folder)?;
    layouts::of(folder)?.answer(folder, &question, job, spread, progress)
}

/// Writes a release of records out for learners.
///
/// # Errors
/// When the release has no records, the release or the job cannot be read, or the file cannot be written.
pub fn unfold(options: &UnfoldOptions, progress: &dyn Progress) -> Result<UnfoldSummary, AskError> {
    layouts::of(&options.release)?.check_unfolds(&options.release)?;
    privet_records::unfold(options, progress)
}
