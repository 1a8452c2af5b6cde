//! Releases of records attacked and measured: what they are still good for, what their records risk, and what an adversary learns.

mod gate;
pub(crate) mod home;
#[cfg(test)]
mod lists;
pub(crate) mod measure;
mod minimality;
mod overlap;
mod run;
mod tracker;

use std::path::Path;

use privet_attack::Knowledge;
use privet_attack::knowledge::PeopleFile;
use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Progress, Table};
use privet_release::{ManifestFile, Published};
use privet_report::Assessment;

use crate::adversary::AdversarySection;
use crate::error::{JobError, RunError};
pub(crate) use gate::gate;
pub(crate) use measure::standardized;
use original::{Given, Original, opened};
use people::{PeopleTable, name_in_original};
pub(crate) use privet_microdata::assess::*;
pub(crate) use run::{Settings, run_attacks};

/// Attacks a release of records.
pub(crate) fn attack_records(
    options: &AttackOptions,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    AdversarySection::of_flags(options).check_flags(false)?;
    check_places(options)?;
    let knowledge = match &options.knowledge {
        Some(path) => {
            Knowledge::read(path).map_err(|error| JobError::new(error.problem.clone()).at(&error.path))?
        }
        None => Knowledge::default(),
    };
    // The job is no secret: the adversary may have it from the knowledge file or from the command line.
    let job_path = options.job.clone().or_else(|| knowledge.job.as_ref().map(|path| knowledge.resolve(path)));
    let original = options.original.as_deref();
    let given = original.map(|path| Given::new(path, job_path.as_deref(), &options.settings)).transpose()?;
    let alone = match (&given, &job_path) {
        (None, Some(path)) => Some(Given::of_job(path, &options.settings)?),
        _ => None,
    };
    let job_file = given.as_ref().or(alone.as_ref()).and_then(|own| own.job_file.as_deref());
    if job_file.is_none() && !options.settings.is_empty() {
        let problem = "--set sets keys of the job; give the job too, with --job, as --original or in the knowledge file";
        return Err(JobError::new(problem).into());
    }
    known::check_job(&knowledge, job_file).map_err(|error| match &options.knowledge {
        Some(path) => JobError::new(format!("`job`: {error}")).at(path),
        None => error,
    })?;
    let missing = given
        .as_ref()
        .or(alone.as_ref())
        .map_or_else(|| vec![String::new()], |own| own.options.missing.clone());
    let job = given.as_ref().or(alone.as_ref()).and_then(Given::job);
    let release = opened(&options.manifest()?, &missing, job, progress)?;
    let name = knowledge.people.as_ref().and_then(name_in_original);
    let original = match &given {
        Some(given) => {
            // What names people, and what other releases know them by, need not be a column of the original.
            let elsewhere = people::columns_of_others(&knowledge);
            let more: Vec<&str> = name.into_iter().chain(elsewhere.iter().map(String::as_str)).collect();
            Some(Original::read(&given.path, &given.options_for(&release), job, &release, &more, progress)?)
        }
        None => None,
    };
    let settings = Settings {
        attacks: options.attacks.as_deref(),
        named: options.attacks.as_deref(),
        confidence: options.confidence,
        max_risk: options.max_risk,
        max_absolute_risk: options.max_absolute_risk,
        seed: options.seed,
        most_records: MOST_RECORDS,
        knowledge: options.knowledge.as_deref(),
        people: options.people.as_deref(),
    };
    let assessment = run_attacks(&release, original.as_ref(), &knowledge, job, &settings, progress)?;
    if let (Some(path), Some(manifest)) = (&options.report, &release.manifest) {
        write::page(path, manifest, &assessment)?;
    }
    Ok(assessment)
}

/// Measures a release of records.
pub(crate) fn measure_records(
    options: &MeasureOptions,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    let questions = options
        .workload
        .as_deref()
        .map(|path| measure::Questions::read(path, &options.release))
        .transpose()?;
    let given = Given::new(&options.original, options.job.as_deref(), &options.settings)?;
    if given.job_file.is_none() && !options.settings.is_empty() {
        let problem = "--set sets keys of the job; give the job too, with --job or as --original";
        return Err(JobError::new(problem).into());
    }
    let release =
        opened(&ManifestFile::read(&options.release)?, &given.options.missing, given.job(), progress)?;
    let more: Vec<&str> = options.class.iter().chain(&options.target).map(String::as_str).collect();
    if options.test.is_some() && more.is_empty() {
        return Err(JobError::new("--test needs --class or --target: what is to be predicted").into());
    }
    let read_as = given.options_for(&release);
    let original = Original::read(&given.path, &read_as, given.job(), &release, &more, progress)?;
    if options.population_size.is_some_and(|people| people < original.table.rows as u64) {
        return Err(JobError::new(format!(
            "--population-size says how many people the {} records are a sample of, so it takes at least that number",
            original.table.rows
        ))
        .into());
    }
    let population = match &options.population {
        Some(path) => {
            let file = PeopleFile { path: path.clone(), ..PeopleFile::default() };
            let people = PeopleTable::read(&file, &Knowledge::default(), given.job(), &release, progress)?;
            fits_as_population(&people, &release).map_err(|problem| problem.at(path))?;
            Some(people)
        }
        None => None,
    };
    let apart = match &options.test {
        Some(path) => Some(apart(path, &given, &release, &more, progress)?),
        None => None,
    };
    let wanted = measure::Wanted {
        population: population.as_ref(),
        population_size: options.population_size,
        risk_threshold: options.risk_threshold,
        class: &options.class,
        target: &options.target,
        apart: apart.as_ref(),
        queries: options.queries,
        seed: options.seed,
        risk_file: options.risk_file.as_deref(),
    };
    let mut utility = measure::utility(&original, &release, &wanted, progress)?;
    if let Some(questions) = &questions {
        let (folder, job) = (&options.release, given.job_file.as_deref());
        utility.workload = Some(measure::workload(questions, folder, job, &original, &release, progress)?);
    }
    let assessment = Assessment {
        utility: Some(utility),
        risk: Some(measure::risk(&original, &release, &wanted, progress)?),
        ..Assessment::default()
    };
    if let (Some(path), Some(manifest)) = (&options.report, &release.manifest) {
        write::page(path, manifest, &assessment)?;
    }
    Ok(assessment)
}

/// A population by which risks can be told: a column that it lacks would make everybody fit, and risks look smaller than they
/// are.
fn fits_as_population(people: &PeopleTable, release: &Published) -> Result<(), JobError> {
    if people.count() == 0 {
        return Err(JobError::new("has no records; a population holds at least the people of the data"));
    }
    match people.lacks(release)[..] {
        [] => Ok(()),
        ref lacking => Err(JobError::new(format!(
            "has no column {}; a population has all identifying columns of the release, called as they are there: people who \
             could have any value would make risks look smaller than they are",
            lacking.join(", ")
        ))),
    }
}

/// Records to test on: the identifying columns of the release, what is to be predicted, and of the other published columns
/// those that the table has.
fn apart(
    path: &Path,
    given: &Given,
    release: &Published,
    more: &[&str],
    progress: &dyn Progress,
) -> Result<Table, RunError> {
    let names = |is_quasi: bool| {
        let columns = release.table.columns.iter().enumerate();
        columns
            .filter(move |(at, _)| release.quasi.contains(at) == is_quasi)
            .map(|(_, own)| own.name.as_str())
    };
    let mut others: Vec<&str> = names(false).filter(|name| !more.contains(name)).collect();
    loop {
        let wanted = names(true).chain(more.iter().copied()).chain(others.iter().copied());
        let mut columns: Vec<String> = wanted.map(str::to_owned).collect();
        columns.sort();
        columns.dedup();
        let options = ReadOptions { columns: Some(columns), ..given.options.clone() };
        let error = match read(path, &options, progress) {
            Ok(input) if input.table.rows == 0 => {
                return Err(JobError::new("has no records to test on").at(path).into());
            }
            Ok(input) => return Ok(input.table),
            Err(error) => error,
        };
        let ReadErrorKind::UnknownColumn { name, .. } = &error.kind else { return Err(error.into()) };
        if !others.contains(&name.as_str()) {
            let problem =
                format!("has no column {name}; records to test on have all columns that are learned from");
            return Err(JobError::new(problem).at(path).into());
        }
        others.retain(|own| own != name);
    }
}
