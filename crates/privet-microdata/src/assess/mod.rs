//! Assessing a release: what it is still good for, what its records risk, and what an adversary learns from it.
//!
//! `privet measure` and `privet attack` come here with a finished folder; `anonymize` comes here before it hands one
//! over. Everything is for the owner: nothing of it goes into the release but the rates of attacks.

pub mod known;
pub mod known_columns;
pub mod measure;
pub mod original;
pub mod people;
pub mod places;
pub mod three_risks;
pub mod write;

use std::path::PathBuf;

use privet_attack::{Finding, Topic};
use privet_data::Hierarchy;
use privet_release::{ManifestFile, Published, PublishedError};
use privet_report::{Assessment, Limit, NotMade};

use crate::adversary::AdversarySection;
use crate::error::{JobError, RunError};
use original::JobAt;
use places::{Inputs, Written};

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
    /// The manifest of the release, where it was read already; nobody reads it again then.
    pub manifest: Option<ManifestFile>,
}

impl AttackOptions {
    /// The manifest of the release.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn manifest(&self) -> Result<ManifestFile, PublishedError> {
        self.manifest.clone().map_or_else(|| ManifestFile::read(&self.release), Ok)
    }
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
    /// Keys of the job that were set besides.
    pub settings: Vec<String>,
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

/// What came through the gate.
pub struct Gated {
    /// For the owner.
    pub assessment: Assessment,
    /// What the release's own report may say: what its readers could find out themselves.
    pub public: Vec<Finding>,
}

/// deFinetti's attack is made on at most so many records.
pub const MOST_RECORDS: usize = 200_000;
/// What may be done where an attack on true records succeeds too often.
pub const MORE_PRIVACY: &str = "Ask for more under [privacy], coarsen or drop columns";

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
pub fn hold_limit(
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
    let knowing = knowing(own.finding);
    let (reaches, limit) = (own.reaches(), own.limit.word());
    Err(RunError::Attacked { attack, column, reaches, limit, knowing, accepted, instead })
}

/// The first of attacks asked for by name that was not made on any column, and why on each.
pub fn not_made_of(names: &[String], assessment: &Assessment) -> Option<String> {
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

/// What the owner learns must not lie in what is handed over, nor take the place of what is read.
pub fn check_places(options: &AttackOptions) -> Result<(), JobError> {
    let mut inputs = Inputs::of_release(&options.release);
    inputs.table(options.original.as_deref());
    inputs.names(options.job.as_deref());
    inputs.names(options.knowledge.as_deref());
    inputs.spare(&[(&options.people, Written::People), (&options.report, Written::Page)])
}

/// What one knows for what was found beyond what the attack assumes, as the end of a sentence.
pub fn knowing(finding: &Finding) -> &'static str {
    match finding.notes.iter().any(|note| note.topic == Topic::KnownClasses) {
        true => ", for somebody who knows in which class each stands",
        false => "",
    }
}

/// The hierarchies of the sensitive columns.
pub fn sensitive_hierarchies(
    release: &Published,
    job: Option<JobAt<'_>>,
) -> Result<Vec<Option<Hierarchy>>, RunError> {
    let Some(job) = job else { return Ok(vec![None; release.sensitive.len()]) };
    let of = |column: &privet_release::published::SensitiveColumn| {
        let counts = column.histograms.total(column.domain.len());
        job.hierarchy(&column.name, &column.domain, &counts)
    };
    release.sensitive.iter().map(of).collect()
}
