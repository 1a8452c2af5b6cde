//! Releases of counts: `[[views]]` (survey ME-14) and `[[count-tables]]` (survey ME-02) of a job.
//!
//! One job makes either views or tables with totals. Totals are views of fewer columns, and small ones among them are
//! hidden because somebody could subtract them; a view beside them would publish what was hidden. For the same reason
//! tables with totals may share no column. Without a shared column, whatever counts one of them leaves open fit whatever
//! counts another does (any two tables with the same grand total have a joint one), so each is as safe as it is alone.
//!
//! ```
//! use privet_data::Silent;
//! use privet_microdata::candidate::RunOptions;
//! use privet_microdata::job::Job;
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("people.csv"), "town,ill\nA,flu\nA,flu\nA,cough\nA,cough\nB,flu\nB,flu\nB,cough\nB,cough\n")?;
//! let job = "[input]\npath = \"people.csv\"\n[columns.town]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n\
//!            [[count-tables]]\ncolumns = [\"town\", \"ill\"]\nthreshold = 2\n";
//! let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
//! let summary = privet_counts::run(&Job::parse(job, &[])?, &options, &Silent)?;
//! assert_eq!(summary.counts.map(|counts| counts.rows), Some(8));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod attack;
mod change;
mod composition;
mod measure;
mod promises;
mod publish;
mod tables;
mod verbs;
mod views;

use std::time::Instant;

use privet_data::Progress;
use privet_microdata::candidate::RunOptions;
use privet_microdata::countermeasure;
use privet_microdata::counts::{self, CountTableSection, TableMethod, ViewSection};
use privet_microdata::engine::check_memory;
use privet_microdata::load::load_showing;
use privet_microdata::overwrite::spare_inputs_within;
use privet_microdata::summary::{CountsSummary, Seconds, Summary};
use privet_microdata::{alike, assess, candidate, error, job, load};
use privet_release::Draft;

use error::RunError;
use job::Job;
pub use verbs::read;

/// Runs a job from its input to a finished release folder.
///
/// # Errors
/// When the input, a hierarchy or a promise is at fault, no safe release exists, or the release cannot be written. Nothing is left
/// behind then, and an existing release stays as it was.
pub fn run(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Summary, RunError> {
    let start = Instant::now();
    check_memory(job)?;
    let folder = options.base.join(&job.output.folder);
    let input = options.base.join(&job.input.path);
    spare_inputs_within(&folder, [input.as_path()])?;
    // Flags may have changed the job since it was read.
    countermeasure::check(job)?;
    counts::check(job)?;
    // Before any work: a release that is in the way is better known now than at the end.
    let key = job.output.key(&options.base)?;
    let draft = Draft::begin(&folder, job.output.replace)?.signed_with(key);
    let loaded = load_showing(job, &options.base, options.show_values, progress)?;
    let read = start.elapsed();
    let searching = Instant::now();
    let contents = match job.views.is_empty() {
        true => tables::protect(job, &loaded, progress)?,
        false => views::choose(job, &loaded, progress)?,
    };
    let search = searching.elapsed();
    let writing = Instant::now();
    let (manifest, assessment) =
        publish::publish(draft, job, &loaded, contents, &options.reproduce, progress)?;
    let seconds = Seconds {
        read: read.as_secs_f64(),
        search: search.as_secs_f64(),
        group_by: 0.0,
        write: writing.elapsed().as_secs_f64(),
        total: start.elapsed().as_secs_f64(),
    };
    let summary = Summary::of_counts(CountsSummary::new(folder, &manifest, assessment, seconds));
    Ok(Summary { written: loaded.written, ..summary })
}

/// What is to be published.
struct Contents {
    tables: Vec<Content>,
    together: Option<privet_release::counts::Together>,
}

/// A table to be published: what the manifest says of it but its file and format, and its lines.
struct Content {
    claim: privet_release::counts::CountsTable,
    /// Per column its labels, and per line which.
    columns: Vec<(Vec<Box<str>>, Vec<u32>)>,
    /// Per line its count, `None` for a hidden one; without counts each line stands for a record.
    counts: Option<Vec<Option<u64>>>,
}
