//! The table of a population, which some promises compare with, in the codes of the input.

use std::path::Path;

use privet_criteria::Requirement;
use privet_data::io::{ReadOptions, read};
use privet_data::{Column, Domain, Progress, Role, Table};

use crate::error::{JobError, RunError};
use crate::job::Job;
use crate::load::options_of;

pub(super) struct Joined {
    pub(super) domain: Domain,
    pub(super) codes: Vec<u32>,
    pub(super) code_of: Vec<u32>,
    pub(super) population: Vec<u32>,
}

/// The population table that a criterion compares with.
pub struct Population {
    /// The fingerprint of the file.
    pub sha256: String,
}

/// The population table that requirements name; all of them must name the same.
pub fn one_population(requirements: &[Requirement]) -> Result<Option<&Path>, JobError> {
    let mut paths: Vec<&Path> = requirements.iter().filter_map(Requirement::population).collect();
    paths.dedup();
    match paths[..] {
        [] => Ok(None),
        [path] => Ok(Some(path)),
        _ => Err(JobError::key("privacy", "names several population tables; all criteria must share one")),
    }
}

/// The population that a job's requirements compare with, where they do.
pub fn population_of(job: &Job, base: &Path, progress: &dyn Progress) -> Result<Option<Table>, RunError> {
    let options = options_of(job, base)?;
    let path = one_population(&job.privacy)?;
    path.map(|path| read_population(job, &base.join(path), &options, progress)).transpose()
}

pub(super) fn read_population(
    job: &Job,
    path: &Path,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Table, RunError> {
    let quasi: Vec<String> = job.with_role(Role::Quasi).map(str::to_owned).collect();
    let options = ReadOptions { columns: Some(quasi), format: None, ..options.clone() };
    Ok(read(path, &options, progress)?.table)
}

/// Brings a column of the table and one of the population to the same codes.
pub(super) fn join(column: &Column, population: &Column) -> Joined {
    let mut texts: Vec<Box<str>> = column.domain.texts().to_vec();
    let known = texts.len() as u32;
    texts.extend(population.domain.texts().iter().cloned());
    let place_of: Vec<u32> = (known..texts.len() as u32).collect();
    let is_missing =
        |domain: &Domain, text: &str| (0..domain.missing()).any(|code| domain.text(code) == text);
    // Values are the same as in the table, whatever the population holds besides.
    let (domain, code_of) = column
        .domain
        .like(texts, |text| is_missing(&column.domain, text) || is_missing(&population.domain, text));
    Joined {
        codes: column.codes.iter().map(|&code| code_of[code as usize]).collect(),
        population: population.codes.iter().map(|&code| code_of[place_of[code as usize] as usize]).collect(),
        code_of: code_of[..column.domain.len()].to_vec(),
        domain,
    }
}
