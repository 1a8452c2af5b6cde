//! What a job may ask for that runs on an engine, which knows tuples and no records.

use privet_data::io::{Format, Formulas};

use crate::by_purpose::ByPurpose;
use crate::counts;
use crate::error::JobError;
use crate::job::Job;
use crate::publish::rows_per_file_of_csv;

/// Refuses what needs all records at once.
///
/// # Errors
/// When a job asks for it; the message names the key.
pub fn check(job: &Job) -> Result<(), JobError> {
    let refused = |key: &str, problem: &str| Err(JobError::key(key, problem));
    if counts::asked(job) {
        return refused("views", "and count tables are made in memory; run the job in memory");
    }
    if !job.search.is_of_levels() {
        return refused(
            "search.algorithm",
            "must be one that chooses levels of the hierarchies where an engine reads the table: optimal, samarati, \
             incognito, hash-table, datafly, top-down, bottom-up, genetic or simulated-annealing; all others run in memory",
        );
    }
    if job.search.is::<ByPurpose>() {
        return refused("purpose", "is worked out in memory; run the job in memory");
    }
    if job.sampling.is_some() {
        return refused("sampling", "is done in memory; draw the sample in a job of its own");
    }
    // Limits are held against the attacks that are counted from tuples.
    let adversary = &job.adversary;
    for (key, is_given) in [
        ("adversary.attacks", adversary.attacks.is_some()),
        ("adversary.knowledge", adversary.knowledge.is_some()),
        ("adversary.countermeasure", adversary.countermeasure.is_some()),
    ] {
        if is_given {
            return refused(
                key,
                "asks for attacks that look at all records at once, which an engine does not give; leave the key out, and \
                 attack the release with `privet attack`",
            );
        }
    }
    if job.output.home.is_some() {
        return refused(
            "output.home",
            "compares all records with the original, which an engine does not give; leave the key out, and use \
             `privet measure`",
        );
    }
    if let Some(requirement) = job.privacy.iter().find(|requirement| requirement.population().is_some()) {
        return refused(
            &format!("privacy.{}", requirement.key()),
            "compares with a population table, which is done in memory; run the job in memory",
        );
    }
    if job.history.is_some() {
        return refused("history", "is compared with record by record, in memory; run the job in memory");
    }
    let options = job.input.options()?;
    if !options.spelling_of.is_empty() {
        return refused("input.spelling", "is applied in memory; write the column plainly");
    }
    if options.formulas != Formulas::Keep {
        return refused("input.formulas", "must be \"keep\" where an engine reads the table");
    }
    match job.output.format()? {
        Some(format @ (Format::Xlsx | Format::Ods)) => refused("output.format", &no_engine_writes(format)),
        _ => Ok(()),
    }
}

/// Refuses formats in which an engine does not write a table of this format, before it is read.
///
/// # Errors
/// As [`check`].
pub fn check_output(job: &Job, input: Format) -> Result<(), JobError> {
    let format = job.output.format()?.unwrap_or(input);
    match format {
        Format::Parquet | Format::Arrow => Ok(()),
        Format::Csv if input == Format::Parquet => {
            let problem =
                "must be \"parquet\" or \"arrow\" where an engine reads Parquet files or a database";
            Err(JobError::key("output.format", problem))
        }
        Format::Csv if job.output.rows_per_file().is_some() => Err(rows_per_file_of_csv()),
        Format::Csv => Ok(()),
        Format::Xlsx | Format::Ods => Err(JobError::key("output.format", no_engine_writes(format))),
    }
}

fn no_engine_writes(format: Format) -> String {
    format!(
        "must be \"csv\", \"parquet\" or \"arrow\" where an engine writes the table; \"{}\" is written in memory",
        format.word()
    )
}
