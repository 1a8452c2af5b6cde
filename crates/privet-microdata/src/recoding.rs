//! The recoding of a release as a file for its owner, and the same recoding on new rows.
//!
//! A recoding says where the values of each quasi column went: to a level of its hierarchy, or to nodes of several levels, or to
//! ranges. New rows go where equal values went. Nothing is taken from the first release but the recoding: the classes are formed from
//! the new rows, every promise is judged again, and the gate and the pages are those of any release.
//!
//! Guarantee: a value that both tables hold has one label in both releases, or nothing is published. A value that the recoding does not
//! know goes to the label of the narrowest group that stood in the first release, and to `*` where there is none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use privet_data::{Column, GeneralizedLevel, Kind, Progress};
use privet_recode::algorithm::{Algorithm, AlgorithmInfo, Selected, read};
use privet_recode::lattice::{self, Partition, Problem, SearchError};
use privet_release::published::Reading;
use serde::{Deserialize, Serialize};

use crate::candidate::Candidate;
use crate::chosen::{Chosen, Place};
use crate::counts;
use crate::error::{JobError, RunError};
use crate::job::{Job, Search};
use crate::load::{Loaded, Quasi};
use crate::overwrite::real;
use crate::search::by_the_job;

/// The name of the file in the owner's folder.
pub const FILE: &str = "recoding.json";
/// How such a file begins.
pub const BEGINS: &str = "{\n  \"privet-recoding\": ";
const FORMAT: u32 = 1;
/// Recodings hold each value of each quasi column.
const MOST_BYTES: u64 = 1 << 30;

/// Where the values of a release went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recoding {
    #[serde(rename = "privet-recoding")]
    format: u32,
    software: String,
    /// The folder that paths of the job are relative to, seen from the folder of this file.
    base: PathBuf,
    /// The job that made the release.
    job: String,
    columns: Vec<ColumnRecoding>,
}

/// Where the values of a column went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ColumnRecoding {
    column: String,
    to: Target,
    /// Each value that the first table held, with its label.
    labels: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Target {
    /// A level of its hierarchy.
    Level(usize),
    /// Nodes of several levels.
    Cut,
    /// Ranges of values.
    Ranges,
}

impl Target {
    fn of(place: &Place) -> Option<Self> {
        match place {
            Place::Level(level) => Some(Self::Level(*level)),
            Place::Nodes { kind: "cut", .. } => Some(Self::Cut),
            Place::Nodes { kind: "ranges", .. } => Some(Self::Ranges),
            Place::Nodes { .. } | Place::Cells { .. } => None,
        }
    }
}

/// What `privet apply` is told besides the recoding.
#[derive(Debug, Clone, Default)]
pub struct ApplyOptions {
    /// The new rows.
    pub input: PathBuf,
    /// The release folder.
    pub output: PathBuf,
    /// The owner's folder.
    pub home: Option<PathBuf>,
    /// Whether an earlier release is replaced.
    pub replace: bool,
    /// Keys of the job that are set otherwise, as `section.key=value`.
    pub settings: Vec<String>,
}

impl Recoding {
    /// The recoding of a candidate; nothing where equal values may be published differently, so that there is none, and where values
    /// were changed or chosen by what cannot be repeated on other rows.
    pub fn of(candidate: &Candidate<'_>, home: &Path, base: &Path) -> Option<Self> {
        let Candidate { job, loaded, own, chosen, .. } = *candidate;
        if chosen.buckets.is_some() || job.adversary.countermeasure.is_some() || counts::asked(job) {
            return None;
        }
        let columns = loaded.quasi.iter().zip(&chosen.places).zip(&own.quasi).map(|((quasi, place), own)| {
            let to = Target::of(place)?;
            let level = match place {
                Place::Level(level) => &own.generalization.levels[*level],
                Place::Nodes { level, .. } => level,
                Place::Cells { .. } => return None,
            };
            let column = &loaded.input.table.columns[quasi.position];
            Some(ColumnRecoding { column: column.name.clone(), to, labels: labelled(quasi, column, level) })
        });
        Some(Self {
            format: FORMAT,
            software: privet_release::software(),
            base: relative(&real(base), &real(home)),
            job: job.source.clone(),
            columns: columns.collect::<Option<_>>()?,
        })
    }

    /// The file.
    pub fn to_json(&self) -> Result<String, JobError> {
        serde_json::to_string_pretty(self)
            .map_err(|error| JobError::new(format!("cannot be written: {error}")))
    }

    /// Reads the file that `privet anonymize` wrote to the owner's folder.
    ///
    /// # Errors
    /// When it cannot be read, or is no recoding.
    pub fn read(path: &Path) -> Result<Self, JobError> {
        let bytes = privet_data::io::read_plain(path, MOST_BYTES)
            .map_err(|error| JobError::new(format!("the recoding cannot be read: {error}")).at(path))?;
        let read: Self = serde_json::from_slice(&bytes).map_err(|_| {
            let problem = "is no recoding; give the file recoding.json that `privet anonymize --home` wrote";
            JobError::new(problem).at(path)
        })?;
        if read.format == FORMAT {
            return Ok(read);
        }
        Err(JobError::new("was written by another version of privet; make the release again").at(path))
    }

    /// The job that applies it to new rows, and the folder that paths of the job are relative to. `home` is the folder of the file.
    ///
    /// # Errors
    /// When the job that it holds, with the settings, cannot be used.
    pub fn job(self, home: &Path, options: ApplyOptions) -> Result<(Job, PathBuf), JobError> {
        let base = home.join(&self.base);
        let mut job = Job::parse(&self.job, &options.settings)?;
        let Search { minimize, suppress_at_most, class, .. } = job.search;
        job.search = Search::without_search(minimize, suppress_at_most, class);
        job.purpose = Default::default();
        job.input.path = options.input;
        job.output.folder = options.output;
        // The history lies beside the recoding: a release that left it out would be compared with nothing.
        let kept = job.history.as_ref().map(|_| home.to_owned());
        if kept.is_some() && options.home.as_deref().is_some_and(|asked| real(asked) != real(home)) {
            return Err(JobError::key("history", "lies beside the recoding; leave --home out"));
        }
        job.output.home = options.home.or(kept);
        job.output.replace = options.replace;
        job.recoding = Some(self);
        Ok((job, base))
    }

    /// Where the values of new rows go.
    pub fn choose(&self, loaded: &Loaded, problem: &Problem<'_>) -> Result<Chosen, RunError> {
        let mut notes = Vec::new();
        let mut places = Vec::new();
        for (quasi, own) in loaded.quasi.iter().zip(&problem.quasi) {
            let column = &loaded.input.table.columns[quasi.position];
            let found = self.columns.iter().find(|known| known.column == column.name);
            let known = found
                .ok_or_else(|| JobError::new(format!("the recoding knows no column `{}`", column.name)))?;
            let place = match known.to {
                Target::Level(level) => {
                    let own = own.generalization.levels.get(level);
                    let own = own.ok_or_else(|| changed(&column.name, "has fewer levels"))?;
                    let labels = labelled(quasi, column, own);
                    let other = |(value, label): (&String, &String)| {
                        known.labels.get(value).is_some_and(|before| before != label)
                    };
                    match labels.iter().filter(|own| other(*own)).count() {
                        0 => Place::Level(level),
                        values => {
                            let what = format!("gives other labels to {values} values that both tables hold");
                            return Err(changed(&column.name, &what).into());
                        }
                    }
                }
                Target::Cut | Target::Ranges => {
                    let (level, new) = known.nodes(quasi, column, &own.generalization.levels);
                    if new > 0 {
                        notes.push(format!(
                            "{new} values of `{}` are in no group of the recoding; they are published as *",
                            column.name
                        ));
                    }
                    let kind = if known.to == Target::Cut { "cut" } else { "ranges" };
                    Place::Nodes { kind, level }
                }
            };
            places.push(place);
        }
        Ok(Chosen::given(places, notes))
    }

    /// Why new rows cannot be published in this way.
    pub fn refusal(problem: &Problem<'_>, levels: &[&GeneralizedLevel], suppressed: u64) -> RunError {
        let failing = |at: usize| {
            let alone = Problem {
                criteria: &problem.criteria[at..=at],
                quasi: problem.quasi.clone(),
                sensitive: problem.sensitive.clone(),
                ..*problem
            };
            let Partition { rows, kept, .. } = lattice::partition(&alone, levels);
            let records: u64 = rows.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(rows, _)| rows).sum();
            let classes = kept.iter().filter(|kept| !**kept).count();
            (records > 0).then(|| {
                format!("{} fails in {classes} classes with {records} records", problem.criteria[at].key())
            })
        };
        RunError::NoLonger {
            promises: (0..problem.criteria.len()).filter_map(failing).collect(),
            suppressed,
            limit: problem.suppress_at_most,
        }
    }
}

impl ColumnRecoding {
    /// Where the values of a column go that went to nodes of several levels, and how many go to `*` for want of a group.
    fn nodes(&self, quasi: &Quasi, column: &Column, levels: &[GeneralizedLevel]) -> (GeneralizedLevel, u64) {
        let domain = quasi.domain(column);
        let stood: BTreeSet<&str> = self.labels.values().map(String::as_str).collect();
        let ranges: Vec<(&str, Reading<'_>)> = match domain.kind() {
            kind @ (Kind::Integer | Kind::Decimal | Kind::Date) => {
                stood.iter().filter_map(|label| Some((*label, Reading::of(label, kind)?))).collect()
            }
            _ => Vec::new(),
        };
        let all = levels.first().map_or(0, |values| values.leaves.len() as u32);
        let mut new = 0;
        let mut labels: Vec<Box<str>> = Vec::new();
        let (mut leaves, mut node_of_code): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut node_of: BTreeMap<String, u32> = BTreeMap::new();
        let mut counted: BTreeSet<(u32, u32)> = BTreeSet::new();
        for code in 0..domain.len() as u32 {
            let text = domain.text(code);
            let above = levels.iter().map(|own| &*own.labels[own.node_of_code[code as usize] as usize]);
            let label = match self.labels.get(text) {
                Some(label) => label.as_str(),
                None => {
                    let group = above.skip(1).find(|label| stood.contains(label));
                    let range = || {
                        let takes = |own: &&(&str, Reading<'_>)| {
                            own.1 != Reading::Everything && own.1.takes(domain, code, domain.kind())
                        };
                        ranges.iter().find(takes).map(|own| own.0)
                    };
                    group.or_else(range).unwrap_or_else(|| {
                        new += 1;
                        "*"
                    })
                }
            };
            let next = labels.len() as u32;
            let node = *node_of.entry(label.to_owned()).or_insert_with(|| {
                labels.push(label.into());
                // Where the hierarchy has the group, it says how many values it covers.
                let covers = levels.iter().find_map(|own| {
                    let node = own.node_of_code[code as usize] as usize;
                    (*own.labels[node] == *label).then(|| own.leaves[node])
                });
                leaves.push(covers.unwrap_or(if label == "*" { all } else { 0 }));
                next
            });
            node_of_code.push(node);
            counted.insert((node, levels.first().map_or(code, |own| own.node_of_code[code as usize])));
        }
        for (node, covers) in (0..).zip(&mut leaves).filter(|own| *own.1 == 0) {
            *covers = counted.range((node, 0)..=(node, u32::MAX)).count() as u32;
        }
        let level = GeneralizedLevel { node_of_code, labels: labels.into(), leaves };
        (level, new)
    }
}

/// The labels of the values of a column that are not missing.
fn labelled(quasi: &Quasi, column: &Column, level: &GeneralizedLevel) -> BTreeMap<String, String> {
    let domain = quasi.domain(column);
    let label = |code: u32| level.labels[level.node_of_code[code as usize] as usize].to_string();
    let values =
        (domain.missing()..domain.len() as u32).filter(|code| (*code as usize) < level.node_of_code.len());
    values.map(|code| (domain.text(code).to_owned(), label(code))).collect()
}

fn changed(column: &str, what: &str) -> JobError {
    JobError::key(
        format!("columns.{column}.hierarchy"),
        format!(
            "{what} than when the recoding was written: it depends on the values that a table holds, or its file was changed. Write it \
             down as a file, groups or a tree, or fix its bounds, and make the first release again"
        ),
    )
}

/// A folder seen from another; both are absolute.
fn relative(to: &Path, from: &Path) -> PathBuf {
    let (to, from): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (to.components().collect(), from.components().collect());
    let common = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return to.iter().collect();
    }
    let up = from[common..].iter().map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to[common..].iter().copied()).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

/// The algorithm of a recoding that is applied: it searches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoSearch {}

impl NoSearch {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "recoding",
        summary: "No search: the recoding of an earlier release.",
        guarantees: &[
            "The promises hold. Values went where an earlier release put them; nothing was searched, so other choices may lose less.",
        ],
        judges_together: true,
        needs_monotone: false,
        publishes: None,
        read: read::<Self>,
    };
}

impl Algorithm for NoSearch {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn search(&self, _: &Problem<'_>, _: &dyn Progress) -> Result<Selected, SearchError> {
        by_the_job(&Self::INFO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_seen_from_another() {
        let seen = |to: &str, from: &str| relative(Path::new(to), Path::new(from)).display().to_string();
        assert_eq!(seen("/a/b", "/a/b/home"), "..");
        assert_eq!(seen("/a/b", "/a/c/home"), "../../b");
        assert_eq!(seen("/a", "/a"), ".");
    }
}
