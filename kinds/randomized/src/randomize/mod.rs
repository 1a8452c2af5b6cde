//! `privet randomize`: publish records whose values were changed by chance, with the law of that chance (survey 3.2, 3.3,
//! 3.5).
//!
//! ```text
//! job ─ model (domains, laws) ─▶ published model ─ ready ─▶ perturbed columns ─ publish ─▶ folder
//!                                      └─ model.json ─▶ respondents, one record at a time (respond.rs)
//! ```
//!
//! The model is made first and everything else from it alone, so that what is published is what was drawn from, and a
//! respondent's machine does the same as the publisher's. Methods that are no laws of columns (`swap.rs`,
//! `synthetic.rs`) make tables from the input, and what they publish of how they did it takes the place of a model.

mod columns;
pub(crate) mod facts;
pub(crate) mod items;
mod job;
pub(crate) mod matrix_file;
pub(crate) mod model;
mod publish;
#[cfg(test)]
mod record_tests;
mod respond;
mod rounding;
mod section;
mod spec;
mod swap;
mod synthetic;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Instant;

use privet_attack::Finding;
use privet_data::hierarchy::{HierarchySpec, build};
use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Column, Domain, Kind, Progress, Role, Table};
use privet_release::Draft;
use privet_release::perturbed::{
    Change, Model, ModelColumn, ModelFile, Perturbation, PerturbedManifest, Swap, SwapWay, Synthesis,
};

use privet_report::NotMade;

pub(crate) use columns::numbers;
pub use items::ItemsWord;
pub use job::{RandomizeColumn, RandomizeJob, ValueText};
pub use respond::{Respond, Responded};
pub use section::{Method, ModelWord, RandomizeSection, ScopeWord, SwapWord};
use serde::Serialize;
pub use spec::{Bound, NoiseWord, PerturbSpec, ResponseWord};

use crate::error::{JobError, RunError};
use crate::load::unknown_among;
use crate::overwrite::spare_inputs_within;
pub(crate) use privet_microdata::coins::coins;
use rounding::Grain;
use spec::DomainOf;

/// What a run is told besides the job.
#[derive(Debug, Clone, Default)]
pub struct RandomizeOptions {
    /// The folder that paths of the job are relative to.
    pub base: PathBuf,
    /// The seed; from the operating system when left out.
    pub seed: Option<u64>,
    /// The command that made it, for the report; without the seed.
    pub reproduce: Vec<String>,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RandomizeSummary {
    /// The release folder.
    pub release: PathBuf,
    /// How the values were changed: the method, and how records were swapped or made.
    #[serde(flatten)]
    pub change: Change,
    /// Records published, in each table; all of the input unless they are synthetic.
    pub records: u64,
    /// The columns.
    pub columns: Vec<ColumnSummary>,
    /// The most by which all columns together change the odds of anything about a record; absent when there is no
    /// bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// Columns of the input that are not published.
    pub removed_columns: Vec<String>,
    /// `operating-system` or `fixed-seed`.
    pub randomness: String,
    /// What attacks found before it was handed over, scored by the original: for the owner alone.
    pub attacks: Vec<Finding>,
    /// The attacks that were not made, and why.
    pub not_made: Vec<NotMade>,
    /// Seconds from start to end.
    pub seconds: f64,
}

/// What was done to a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Its law in a few words; absent when it is published as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub law: Option<String>,
    /// Categories: the most by which this column alone changes odds; absent for others and when there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// Categories: why there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// Values that are missing and stay so.
    pub missing: u64,
}

/// Runs a job from its input to a finished release folder.
///
/// # Errors
/// When the input or a law is at fault, an attack succeeds too often, or the release cannot be written. Nothing is left behind then, and an existing
/// release stays as it was.
pub fn randomize(
    job: &RandomizeJob,
    options: &RandomizeOptions,
    progress: &dyn Progress,
) -> Result<RandomizeSummary, RunError> {
    let start = Instant::now();
    let folder = options.base.join(&job.output.folder);
    // Before any work: a release that is in the way is better known now than at the end.
    spare_inputs_within(&folder, [options.base.join(&job.input.path).as_path()])?;
    let key = job.output.key(&options.base)?;
    let draft = Draft::begin(&folder, job.output.replace)?.signed_with(key);
    let published = job.columns.iter().filter(|(_, column)| column.role != Role::Identifier);
    let wanted = published.map(|(name, _)| name.clone()).collect();
    // A law is of the texts of its domain.
    let options_of_input = ReadOptions { columns: Some(wanted), ..job.input.options()?.exactly() };
    let input =
        read(&options.base.join(&job.input.path), &options_of_input, progress).map_err(
            |error| match &error.kind {
                ReadErrorKind::UnknownColumn { names, .. } => unknown_among(job.columns.keys(), names).into(),
                _ => RunError::from(error),
            },
        )?;
    if job.columns.keys().any(|name| !input.names.contains(name)) {
        return Err(unknown_among(job.columns.keys(), &input.names).into());
    }
    let model = model_of_table(job, &options.base, &input.table)?;
    let ready = model::ready(&model)?;
    let coins = &mut *coins(options.seed);
    let made = match job.randomize.method {
        Method::Columns => {
            publish::Made::of_columns(&input.table, columns::perturb(&input.table, &ready, coins, progress)?)
        }
        Method::Swap => swap::swap(&input.table, job, coins, progress)?,
        Method::Synthetic => {
            let format = publish::format(job, &input)?;
            let file = |number| publish::copy_name(number, format);
            synthetic::synthetic(&input.table, job, coins, file, progress)?
        }
    };
    let (manifest, assessment) =
        publish::publish(publish::Contents { job, options, input: &input, model, made }, draft, progress)?;
    let missing = |name: &str| manifest.data.missing.get(name).copied().unwrap_or(0);
    Ok(RandomizeSummary {
        release: folder,
        records: manifest.data.rows,
        columns: manifest
            .model
            .columns
            .iter()
            .map(|own| summary(Some(&manifest), own, missing(&own.name)))
            .collect(),
        gamma: manifest.model.gamma,
        change: manifest.change,
        removed_columns: manifest.data.removed_columns,
        randomness: manifest.randomness,
        attacks: assessment.attacks,
        not_made: assessment.not_made,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// The model of a job without looking at its data, for respondents.
///
/// # Errors
/// When a column's law or domain depends on data.
pub fn model_only(job: &RandomizeJob, base: &Path) -> Result<ModelFile, RunError> {
    if job.randomize.method != Method::Columns {
        let problem = "has no model without data; only laws of columns can be given to respondents";
        return Err(JobError::key("randomize.method", problem).into());
    }
    let mut columns = Vec::new();
    for (name, column) in job.columns.iter().filter(|(_, column)| column.role != Role::Identifier) {
        let perturbation = match &column.perturb {
            None => None,
            Some(spec) if spec.correlated_factor().is_some() => {
                return Err(JobError::key(
                    format!("columns.{name}.perturb.noise"),
                    "= \"correlated\" follows the data, so no model can be written without them; use another noise",
                )
                .into());
            }
            Some(spec) if spec.is_noise() => Some(Perturbation::Noise(spec.noise(name, None)?)),
            Some(spec) if spec.items.is_some() => Some(items_of(spec, name, column, base, job)?),
            Some(spec) => Some(Perturbation::Categories(match matrix_of(spec, name, base)? {
                Some(own) => own,
                None => {
                    let declared = declared(name, column, base)?.ok_or_else(|| {
                        JobError::key(
                            format!("columns.{name}.values"),
                            "is needed: which values the column can have must be declared where no data is read (or by a \
                             hierarchy that is written down)",
                        )
                    })?;
                    spec.categories(name, declared)?
                }
            })),
        };
        columns.push(ModelColumn { name: name.clone(), role: column.role.word().to_owned(), perturbation });
    }
    let mut missing = job.input.options()?.missing;
    // What is sent has the empty cell for every marker.
    if !missing.iter().any(String::is_empty) {
        missing.push(String::new());
    }
    markers_are_no_outcomes(&missing, &columns)?;
    let model = Model::new(missing, columns);
    Ok(ModelFile::new(format!("privet {}", env!("CARGO_PKG_VERSION")), model))
}

/// The model of a job for a table that was read.
fn model_of_table(job: &RandomizeJob, base: &Path, table: &Table) -> Result<Model, RunError> {
    let mut columns = Vec::new();
    for column in &table.columns {
        let name = &column.name;
        let Some(wanted) = job.columns.get(name) else { continue };
        let perturbation = match &wanted.perturb {
            None => None,
            Some(spec) if spec.is_noise() => {
                // A column without any value can be of any kind.
                Some(Perturbation::Noise(spec.noise(name, Grain::of(column, spec).as_ref())?))
            }
            Some(spec) if spec.items.is_some() => Some(items_of(spec, name, wanted, base, job)?),
            Some(spec) => Some(Perturbation::Categories(match matrix_of(spec, name, base)? {
                Some(own) => own,
                None => spec.categories(name, domain_of(name, wanted, base, column)?)?,
            })),
        };
        columns.push(ModelColumn { name: name.clone(), role: wanted.role.word().to_owned(), perturbation });
    }
    // Whatever stood for a missing value in the input, the release has the empty cell for it.
    Ok(Model::new(vec![String::new()], columns))
}

/// The law of a column of sets.
fn items_of(
    spec: &PerturbSpec,
    name: &str,
    column: &RandomizeColumn,
    base: &Path,
    job: &RandomizeJob,
) -> Result<Perturbation, RunError> {
    let markers = job.input.options()?.missing;
    Ok(Perturbation::Items(items::items(spec, name, declared(name, column, base)?, &markers)?))
}

/// The law of a matrix that stands in a file.
fn matrix_of(
    spec: &PerturbSpec,
    name: &str,
    base: &Path,
) -> Result<Option<privet_release::perturbed::Categories>, RunError> {
    let Some(path) = &spec.matrix else { return Ok(None) };
    spec::categories_of_file(name, matrix_file::read(&base.join(path))?).map(Some)
}

/// The domain that a job declares.
fn declared(name: &str, column: &RandomizeColumn, base: &Path) -> Result<Option<DomainOf>, RunError> {
    if let Some(values) = &column.values {
        let values: Vec<String> = values.iter().map(ValueText::text).collect();
        let distinct: std::collections::BTreeSet<&String> = values.iter().collect();
        if distinct.len() != values.len() {
            return Err(JobError::key(format!("columns.{name}.values"), "names a value twice").into());
        }
        return Ok(Some(DomainOf { values, from: "declared", counts: None }));
    }
    let Some(spec) = &column.hierarchy else { return Ok(None) };
    if !matches!(spec, HierarchySpec::File(_) | HierarchySpec::Groups(_) | HierarchySpec::Tree(_)) {
        return Err(JobError::key(
            format!("columns.{name}.hierarchy"),
            "is made from the values of the data and declares none; name the values, a file, groups or a tree",
        )
        .into());
    }
    let nothing = Domain::from_sorted(Vec::new(), 0, Kind::Text);
    let hierarchy = build(spec, base, &nothing, &[])
        .map_err(|source| RunError::Hierarchy { column: name.to_owned(), source })?;
    let values = hierarchy.leaves().iter().map(|leaf| leaf.to_string()).collect();
    Ok(Some(DomainOf { values, from: "hierarchy", counts: None }))
}

/// The domain of a column: declared, or the values that occur.
fn domain_of(
    name: &str,
    wanted: &RandomizeColumn,
    base: &Path,
    column: &Column,
) -> Result<DomainOf, RunError> {
    let domain = &column.domain;
    let mut own = match declared(name, wanted, base)? {
        Some(own) => own,
        None => {
            let values = (domain.missing()..domain.len() as u32).map(|code| domain.text(code).to_owned());
            DomainOf { values: values.collect(), from: "data", counts: None }
        }
    };
    let place_of: std::collections::HashMap<&str, usize> =
        own.values.iter().enumerate().map(|(place, value)| (value.as_str(), place)).collect();
    let of_code: Vec<Option<usize>> =
        domain.texts().iter().map(|text| place_of.get(&**text).copied()).collect();
    let mut counts = vec![0; own.values.len()];
    for &code in &column.codes {
        let place = of_code.get(code as usize).copied().flatten();
        if let Some(slot) = place.and_then(|place| counts.get_mut(place)) {
            *slot += 1;
        }
    }
    own.counts = Some(counts);
    Ok(own)
}

/// Markers of missing values that noise can bring forth would be taken for missing by whoever collects the answers.
fn markers_are_no_outcomes(missing: &[String], columns: &[ModelColumn]) -> Result<(), JobError> {
    for column in columns {
        let Some(Perturbation::Noise(own)) = &column.perturbation else { continue };
        let kind = if own.dates { Kind::Date } else { Kind::Decimal };
        if missing.iter().any(|marker| kind.number(marker).is_some()) {
            let what = if own.dates { "a date" } else { "a number" };
            return Err(JobError::key(
                "input.missing",
                format!(
                    "has {what}, which the noise of `{}` can make of any other; use a word or the empty cell",
                    column.name
                ),
            ));
        }
    }
    Ok(())
}

/// The law of a column in a few words.
pub fn words(perturbation: &Perturbation) -> String {
    use privet_release::perturbed::{CategoryLaw, NoiseWay};
    match perturbation {
        Perturbation::Categories(own) => {
            let size = own.values.len();
            match &own.law {
                CategoryLaw::Retention(keep) => format!(
                    "{} over {size} values: kept with probability {}, else any of them",
                    own.mechanism,
                    rounded(*keep)
                ),
                CategoryLaw::Matrix(_) => format!("{} over {size} values", own.mechanism),
            }
        }
        Perturbation::Items(own) => format!(
            "{} over {} items: sets of up to {}, {} of a full one kept on average, others added with probability {}",
            own.mechanism,
            own.values.len(),
            own.size,
            rounded(own.expected_kept()),
            rounded(own.add)
        ),
        Perturbation::Noise(own) => {
            let unit = if own.dates { " days" } else { "" };
            match (own.way, own.deviation) {
                (NoiseWay::Correlated, _) => format!(
                    "correlated gaussian noise, {} times the covariance of the data",
                    rounded(own.factor.unwrap_or(0.0))
                ),
                (NoiseWay::Multiplicative, sd) => {
                    format!("multiplied by 1 + {} noise, sd {}", own.law.word(), rounded(sd.unwrap_or(0.0)))
                }
                (NoiseWay::Additive, sd) => {
                    format!("{} noise, sd {}{unit}", own.law.word(), rounded(sd.unwrap_or(0.0)))
                }
            }
        }
    }
}

fn rounded(number: f64) -> f64 {
    format!("{number:.4e}").parse().unwrap_or(number)
}

/// What a model does to each column: what a respondent should know before anything is sent.
pub fn plan(model: &Model) -> Vec<ColumnSummary> {
    model.columns.iter().map(|column| summary(None, column, 0)).collect()
}

fn summary(manifest: Option<&PerturbedManifest>, column: &ModelColumn, missing: u64) -> ColumnSummary {
    let (gamma, open) = match &column.perturbation {
        Some(Perturbation::Categories(own)) => {
            let open = own.open();
            (own.protects.gamma.filter(|_| open.is_none()), open.map(|open| open.words().to_owned()))
        }
        Some(Perturbation::Items(own)) => {
            (own.protects.gamma, own.open().map(|open| open.words().to_owned()))
        }
        _ => (None, None),
    };
    let swapped = || words_of_swap(manifest?.change.swap()?, &column.name);
    let made = || words_of_synthesis(manifest?.change.synthesis()?, &column.name);
    let law = column.perturbation.as_ref().map(words).or_else(swapped).or_else(made);
    ColumnSummary { name: column.name.clone(), law, gamma, open, missing }
}

/// How a column was swapped, in a few words.
fn words_of_swap(swap: &Swap, name: &str) -> Option<String> {
    let own = swap.columns.iter().find(|own| own.name == name)?;
    let with = match &swap.way {
        SwapWay::Rank { .. } => format!("swapped within {} ranks", own.window.unwrap_or(0)),
        SwapWay::Order { order, .. } => format!("swapped, keeping joint counts of {order}"),
        SwapWay::Margin { .. } => "swapped, keeping joint counts of all swapped columns".to_owned(),
        SwapWay::Nearest { .. } => "swapped with the nearest record".to_owned(),
    };
    Some(format!("{with}; {} records changed", own.changed))
}

/// How a column was made, in a few words.
fn words_of_synthesis(synthesis: &Synthesis, name: &str) -> Option<String> {
    let own = synthesis.columns.iter().find(|own| own.name == name)?;
    let per_cent = |share: f64| format!("{} %", (share * 1e3).round() / 10.0);
    let equal = own.equal.map_or(String::new(), |equal| {
        format!("; {} equal what they replace (by chance {})", per_cent(equal), per_cent(own.by_chance))
    });
    let one = per_cent(own.of_one_record);
    Some(format!("made by {}{equal}; {one} equal a value that one person alone has", own.made_by))
}
