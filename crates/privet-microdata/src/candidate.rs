//! A table that was read, ready to be searched, and a candidate for publication that was chosen among those of a search.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_criteria::{Criterion, Joint, Requirement, SensitiveColumn, build};
use privet_recode::cluster::Microaggregation;
use privet_recode::lattice::{self, Codes, Partition, Problem};
use privet_release::manifest::Purpose;

use crate::chosen::Chosen;
use crate::error::RunError;
use crate::job::{Job, Publish};
use crate::load::{Loaded, Quasi};

/// What a run is told besides the job.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// The folder that paths of the job are relative to: that of the job file.
    pub base: PathBuf,
    /// The command that makes this release again, for the report.
    pub reproduce: Vec<String>,
    /// Whether errors may tell values of the data, to the owner who asked for them.
    pub show_values: bool,
}

/// A candidate that was chosen, with all it rests on.
pub struct Candidate<'a> {
    /// The job.
    pub job: &'a Job,
    /// The table.
    pub loaded: &'a Loaded,
    /// The problem that the search was given.
    pub own: &'a Problem<'a>,
    /// The problem in which the published table is a choice of levels: that one, but where the search went beyond
    /// levels.
    pub problem: &'a Problem<'a>,
    /// What the search chose.
    pub chosen: &'a Chosen,
    /// The level of each quasi column.
    pub levels: &'a [usize],
    /// Its classes.
    pub partition: &'a Partition,
    /// What for and for whom, when that decided.
    pub purpose: Option<&'a Purpose>,
    /// Per group its first record, when codes and classes are those of groups and not of records, because the records
    /// are not in memory.
    pub first_of_group: Option<&'a [u32]>,
    /// What stands where records stood, when that is distinct tuples.
    pub weighted: Option<Weighted<'a>>,
}

impl Candidate<'_> {
    /// Whether a column is published in a table of its own.
    pub fn stands_apart(&self, position: usize) -> bool {
        self.chosen.buckets.is_some() && self.loaded.sensitive.iter().any(|s| s.position == position)
    }
}

/// The combinations of sensitive values, when a criterion looks at them.
pub struct Prepared {
    joint: Option<(Joint, Vec<u32>)>,
}

impl Prepared {
    /// Looks at what the criteria will need of a table.
    pub fn new(loaded: &Loaded) -> Result<Self, RunError> {
        let wanted = loaded.requirements.iter().any(|requirement| requirement.needs_joint());
        Ok(Self { joint: wanted.then(|| combine(loaded)) })
    }

    /// The same, when the records are not in memory.
    pub fn of_joint(joint: Option<Joint>) -> Self {
        Self { joint: joint.map(|joint| (joint, Vec::new())) }
    }

    /// The criteria of some requirements.
    pub fn criteria(
        &self,
        loaded: &Loaded,
        requirements: &[Requirement],
    ) -> Result<Vec<Box<dyn Criterion>>, RunError> {
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
        Ok(build(requirements, &columns, joint, loaded.input.table.rows as u64)?)
    }

    /// The problem that a search is given.
    pub fn problem<'a>(
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
        // Postal codes have no mean and no median, although they are made of digits. Microaggregation measures distances
        // as well, which they have not, whatever is published.
        let by_numbers = job.search.is::<Microaggregation>()
            || matches!(job.search.published(), Some(Publish::Means | Publish::Medians));
        let is_code = |quasi: &Quasi| job.is_code(&table.columns[quasi.position].name, &quasi.generalization);
        let quasi = loaded
            .quasi
            .iter()
            .map(|quasi| lattice::Quasi {
                codes: quasi.codes(&table.columns[quasi.position]),
                counts: &quasi.counts,
                generalization: &quasi.generalization,
                numbers: quasi.numbers.as_deref().filter(|_| !(by_numbers && is_code(quasi))),
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
    // Records, or the tuples that stand where records stood.
    let codes = (0..columns.first().map_or(0, |codes| codes.len()))
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

/// Distinct tuples that stand where records stood.
pub struct Weighted<'a> {
    /// Per tuple its records.
    pub weights: &'a [u32],
    /// The place in the published table, counted from 1, of the first records of tuples.
    pub places: BTreeMap<u32, u64>,
    /// How many records look alike by their class and the insensitive columns, where the engine told.
    pub alike: Option<Vec<(u64, u64)>>,
}
