//! The main job: read, search, publish.

use std::path::{Path, PathBuf};
use std::time::Instant;

use privet_criteria::{Criterion, Joint, SensitiveColumn, build};
use privet_data::Progress;
use privet_recode::lattice::{self, Codes, Found, Options, Partition, Problem};

use crate::error::RunError;
use crate::job::{Algorithm, Job};
use crate::load::{Loaded, load};
use crate::publish::publish;
use crate::summary::{Seconds, Summary};

/// What a run is told besides the job.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// The folder that paths of the job are relative to: that of the job file.
    pub base: PathBuf,
    /// The command that makes this release again, for the report.
    pub reproduce: Vec<String>,
}

/// Runs a job from its input to a finished release folder.
///
/// # Errors
/// When the input, a hierarchy or a promise is at fault, no safe release exists, or the release cannot be
/// written. Nothing is left behind then, and an existing release stays as it was.
pub fn run(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Summary, RunError> {
    let start = Instant::now();
    let folder = options.base.join(&job.output.folder);
    // Before any work: a release that is in the way is better known now than at the end.
    let draft = privet_release::Draft::begin(&folder, job.output.replace)?;

    let loaded = load(job, &options.base, progress)?;
    let read = start.elapsed();

    let prepared = Prepared::new(&loaded)?;
    let criteria = prepared.criteria(&loaded)?;
    let problem = prepared.problem(&loaded, job, &criteria);
    let searching = Instant::now();
    let found = match job.search.algorithm {
        Algorithm::Optimal => {
            let options = Options { minimal_nodes: job.search.minimal_nodes };
            lattice::optimal(&problem, options, progress)?
        }
    };
    let search = searching.elapsed();

    let writing = Instant::now();
    let partition = lattice::partition(&problem, &found.levels);
    let candidate =
        Candidate { job, loaded: &loaded, problem: &problem, found: &found, partition: &partition };
    let manifest = publish(draft, &candidate, &options.reproduce, progress)?;
    let write = writing.elapsed();

    let seconds = Seconds {
        read: read.as_secs_f64(),
        search: search.as_secs_f64(),
        group_by: found.reduction.as_secs_f64(),
        write: write.as_secs_f64(),
        total: start.elapsed().as_secs_f64(),
    };
    Ok(Summary::new(folder, &manifest, seconds))
}

/// A candidate that was chosen, with all it rests on.
pub(crate) struct Candidate<'a> {
    pub job: &'a Job,
    pub loaded: &'a Loaded,
    pub problem: &'a Problem<'a>,
    pub found: &'a Found,
    pub partition: &'a Partition,
}

/// The combinations of sensitive values, when a criterion looks at them.
struct Prepared {
    joint: Option<(Joint, Vec<u32>)>,
}

impl Prepared {
    fn new(loaded: &Loaded) -> Result<Self, RunError> {
        let wanted = loaded.requirements.iter().any(|requirement| requirement.needs_joint());
        Ok(Self { joint: wanted.then(|| combine(loaded)) })
    }

    fn criteria(&self, loaded: &Loaded) -> Result<Vec<Box<dyn Criterion>>, RunError> {
        let columns: Vec<SensitiveColumn<'_>> = loaded
            .sensitive
            .iter()
            .map(|sensitive| {
                let column = &loaded.input.table.columns[sensitive.position];
                SensitiveColumn {
                    name: &column.name,
                    domain: &column.domain,
                    counts: &sensitive.counts,
                    hierarchy: sensitive.hierarchy.as_ref(),
                }
            })
            .collect();
        let joint = self.joint.as_ref().map(|(joint, _)| joint);
        Ok(build(&loaded.requirements, &columns, joint, loaded.input.table.rows as u64)?)
    }

    fn problem<'a>(
        &'a self,
        loaded: &'a Loaded,
        job: &Job,
        criteria: &'a [Box<dyn Criterion>],
    ) -> Problem<'a> {
        let table = &loaded.input.table;
        let codes = |position: usize| Codes {
            codes: &table.columns[position].codes,
            values: table.columns[position].domain.len(),
        };
        let mut sensitive: Vec<Codes<'_>> = loaded.sensitive.iter().map(|s| codes(s.position)).collect();
        if let Some((joint, joint_codes)) = &self.joint {
            sensitive.push(Codes { codes: joint_codes, values: joint.combinations.len() });
        }
        let quasi = loaded
            .quasi
            .iter()
            .map(|quasi| lattice::Quasi {
                codes: quasi.codes(&table.columns[quasi.position]),
                counts: &quasi.counts,
                generalization: &quasi.generalization,
                weight: quasi.weight,
                population: quasi.population(),
            })
            .collect();
        // A share of the records, rounded down; the small addend keeps 0.29 of 100 from becoming 28.
        let limit = (job.search.suppress_at_most * table.rows as f64 + 1e-9).floor() as u64;
        Problem {
            rows: table.rows,
            quasi,
            sensitive,
            label: job.search.class.as_deref().and_then(|name| table.position(name)).map(codes),
            criteria,
            metric: job.search.minimize,
            suppress_at_most: limit,
        }
    }
}

/// Numbers the combinations of all sensitive columns that occur, in the order of the records.
fn combine(loaded: &Loaded) -> (Joint, Vec<u32>) {
    let columns: Vec<&[u32]> =
        loaded.sensitive.iter().map(|s| &*loaded.input.table.columns[s.position].codes).collect();
    let mut number = std::collections::HashMap::new();
    let mut combinations = Vec::new();
    let codes = (0..loaded.input.table.rows)
        .map(|row| {
            let combination: Vec<u32> = columns.iter().map(|codes| codes[row]).collect();
            *number.entry(combination).or_insert_with_key(|combination| {
                combinations.push(combination.clone());
                combinations.len() as u32 - 1
            })
        })
        .collect();
    (Joint { combinations }, codes)
}

/// The folder of a job file, to which its paths are relative.
pub fn base_of(job_file: &Path) -> PathBuf {
    match job_file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
