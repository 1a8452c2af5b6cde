//! Assessing a release: what it is still good for, what its records risk, and what an adversary learns from it.
//!
//! `privet measure` and `privet attack` come here with a finished folder; `anonymize` comes here before it hands one
//! over. Everything is for the owner: nothing of it goes into the release but the rates of attacks.

mod categories;
mod chance;
pub(crate) mod counts;
mod gate;
pub(crate) mod home;
mod known;
mod known_columns;
#[cfg(test)]
mod lists;
mod made;
mod measure;
mod minimality;
mod nearness;
mod original;
mod overlap;
mod people;
mod perturbed;
pub(crate) mod places;
mod records;
mod run;
mod stacked;
mod three_risks;
mod tracker;
mod views;
pub(crate) mod write;

use std::path::{Path, PathBuf};

use privet_attack::Knowledge;
use privet_attack::knowledge::PeopleFile;
use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Progress, Table};
use privet_release::Published;
use privet_report::{Assessment, Limit, NotMade};

use crate::adversary::AdversarySection;
use crate::error::{JobError, RunError};
use crate::layouts;
pub(crate) use chance::{Chance, gate as gate_of_chance, words as words_of_chance};
pub(crate) use counts::attack_folder as attack_counts;
pub(crate) use gate::gate;
pub(crate) use measure::counts::measure as measure_counts;
pub(crate) use measure::perturbed::measure as measure_noise;
pub(crate) use measure::records::measure as measure_changed;
pub(crate) use measure::standardized;
use original::{Given, Original, opened};
use people::{PeopleTable, name_in_original};
pub(crate) use perturbed::attack as attack_noise;
use places::{Inputs, Written};
pub(crate) use records::attack as attack_changed;
pub(crate) use run::{Settings, run_attacks};

/// What `privet attack` is told.
#[derive(Debug, Clone, Default)]
pub struct AttackOptions {
    /// The release folder.
    pub release: PathBuf,
    /// The file that says what the adversary knows.
    pub knowledge: Option<PathBuf>,
    /// The original, or the job file that names it.
    pub original: Option<PathBuf>,
    /// The job file.
    pub job: Option<PathBuf>,
    /// Keys of the job that were set when the release was made, as `section.key=value`.
    pub settings: Vec<String>,
    /// The attacks to make; all that can be made when left out.
    pub attacks: Option<Vec<String>>,
    /// How sure the adversary must be.
    pub confidence: f64,
    /// The most that the release may add to the risk.
    pub max_risk: Option<f64>,
    /// The largest accepted risk, whatever is known without the release.
    pub max_absolute_risk: Option<f64>,
    /// The seed.
    pub seed: u64,
    /// Where to write what is concluded about each person.
    pub people: Option<PathBuf>,
    /// Where to write the owner's report.
    pub report: Option<PathBuf>,
}

/// What `privet measure` is told.
#[derive(Debug, Clone, Default)]
pub struct MeasureOptions {
    /// The original, or the job file that names it.
    pub original: PathBuf,
    /// The release folder.
    pub release: PathBuf,
    /// The job file.
    pub job: Option<PathBuf>,
    /// The columns that classifiers learn to predict, each by itself.
    pub class: Vec<String>,
    /// The columns of numbers that a regression learns to predict, each by itself.
    pub target: Vec<String>,
    /// A table of records that never were part of the release, to test on.
    pub test: Option<PathBuf>,
    /// How many random queries are asked.
    pub queries: usize,
    /// A file with questions of the owner's own.
    pub workload: Option<PathBuf>,
    /// The seed.
    pub seed: u64,
    /// A table of the population, for the journalist's risk.
    pub population: Option<PathBuf>,
    /// How many people the table is a random sample of, for the uniques among them.
    pub population_size: Option<u64>,
    /// From which chance of being found again on records are counted.
    pub risk_threshold: Option<f64>,
    /// Where to write what each record risks.
    pub risk_file: Option<PathBuf>,
    /// Where to write the owner's report.
    pub report: Option<PathBuf>,
}

/// deFinetti's attack is made on at most so many records.
const MOST_RECORDS: usize = 200_000;
/// What may be done where an attack on true records succeeds too often.
const MORE_PRIVACY: &str = "Ask for more under [privacy], coarsen or drop columns";
/// More queries than this say nothing more.
const MOST_QUERIES: usize = 100_000;

/// Attacks a release.
///
/// # Errors
/// When the release, the original, the knowledge or an option cannot be used.
pub fn attack(options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    if options.release.is_file() {
        check_places(options)?;
        return made::attack(options, progress);
    }
    layouts::of(&options.release)?.attack(options, progress)
}

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
    let release = opened(&options.release, &missing, job, progress)?;
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

/// What was asked for and not tried, so that a limit cannot be called kept: an attack asked for by name that was made on
/// no column, or a limit with which nothing that was made can be compared.
pub fn untried(options: &AttackOptions, assessment: &Assessment) -> Option<String> {
    let names = options.attacks.as_deref();
    if let Some(skipped) = names.and_then(|names| not_made_of(names, assessment)) {
        return Some(format!("`--attacks` asks for {skipped}"));
    }
    let is_limited = assessment.is_limited();
    if let Some(problem) = assessment.not_done().filter(|_| names.is_some() || is_limited) {
        return Some(problem);
    }
    let limit = if options.max_risk.is_some() { Limit::Added } else { Limit::Absolute };
    let limit = format!("`--{}` is given", limit.word());
    let counts = assessment.attacks.iter().any(|own| own.not_counted.is_none());
    (is_limited && !counts).then(|| match names {
        Some(_) => {
            format!("{limit}, and none of `--attacks` counts towards it; name one that does, such as homogeneity")
        }
        None if options.original.is_none() => format!(
            "{limit}, and no attack was made that counts towards it; give --original, which tells how many records fall"
        ),
        None => format!(
            "{limit}, and no attack was made that counts towards it, so that nothing shows that it is kept"
        ),
    })
}

/// Refuses what an attack succeeds against more often than is accepted, and what nothing shows to keep a limit; `instead` is what
/// may be done. What was asked for and not tried is an error, whether there is a limit or not: the owner would take the release for
/// tried.
fn hold_limit(
    section: &AdversarySection,
    assessment: &Assessment,
    instead: &'static str,
) -> Result<(), RunError> {
    if let Some(missing) = section.attacks.as_ref().and_then(|names| not_made_of(names, assessment)) {
        return Err(JobError::key("adversary.attacks", format!("asks for {missing}")).into());
    }
    if let Some(problem) = assessment.not_done() {
        return Err(JobError::key("adversary", format!("asks for more than can be tried: {problem}")).into());
    }
    if !section.is_limited() {
        return Ok(());
    }
    if assessment.worst().is_none() {
        let why = assessment.not_made.first().map_or("no attack that counts applies", |own| own.why.as_str());
        let limit = if section.max_risk.is_some() { Limit::Added } else { Limit::Absolute };
        let problem = format!("is given, and nothing shows that it is kept: {why}");
        return Err(JobError::key(format!("adversary.{}", limit.word()), problem).into());
    }
    let Some(own) = assessment.exceeded() else { return Ok(()) };
    let (attack, column, accepted) = (own.finding.attack, own.finding.column.clone(), own.accepted);
    let knowing = gate::knowing(own.finding);
    let (reaches, limit) = (own.reaches(), own.limit.word());
    Err(RunError::Attacked { attack, column, reaches, limit, knowing, accepted, instead })
}

/// The first of attacks asked for by name that was not made on any column, and why on each.
fn not_made_of(names: &[String], assessment: &Assessment) -> Option<String> {
    // On releases with noise it is told which column an attack could not be made on.
    let is_asked = |own: &&NotMade| names.contains(&own.attack);
    let is_made = |own: &NotMade| assessment.attacks.iter().any(|made| made.attack == own.attack);
    let first = assessment.not_made.iter().filter(is_asked).find(|own| !is_made(own))?;
    let same = assessment.not_made.iter().filter(|own| own.attack == first.attack);
    let mut whys: Vec<String> =
        same.map(|own| format!("`{}`, which cannot be made: {}", own.label(), own.why)).collect();
    whys.dedup();
    Some(whys.join("; "))
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
    let given = Given::new(&options.original, options.job.as_deref(), &[])?;
    let release = opened(&options.release, &given.options.missing, given.job(), progress)?;
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

/// What the owner learns must not lie in what is handed over, nor take the place of what is read.
pub(crate) fn check_places(options: &AttackOptions) -> Result<(), JobError> {
    let mut inputs = Inputs::of_release(&options.release);
    inputs.table(options.original.as_deref());
    inputs.names(options.job.as_deref());
    inputs.names(options.knowledge.as_deref());
    inputs.spare(&[(&options.people, Written::People), (&options.report, Written::Page)])
}

pub use privet_attack::ATTACKS;
