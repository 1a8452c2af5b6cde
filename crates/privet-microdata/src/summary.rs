//! What a run says when it is done: one JSON object for a pipeline.

use std::collections::BTreeMap;
use std::path::PathBuf;

use privet_attack::Finding;
use privet_release::counts::Together;
use privet_release::manifest::{Anatomy, Microaggregation};
use privet_release::{CountsManifest, Manifest};
use privet_report::{Assessment, NotMade};
use serde::Serialize;

/// The facts of a finished run.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The release folder.
    pub release: PathBuf,
    /// Records of the input.
    pub rows: u64,
    /// Records suppressed.
    pub suppressed: u64,
    /// The level of each quasi column; null where its values went to different levels.
    pub levels: serde_json::Map<String, serde_json::Value>,
    /// The metric that was minimized.
    pub metric: String,
    /// Every metric by its name, `loss` always among them.
    #[serde(flatten)]
    pub metrics: BTreeMap<String, f64>,
    /// Published classes; of a bucketized release its buckets.
    pub classes: u64,
    /// The smallest published class.
    pub min_class_size: u64,
    /// Candidates in the lattice of levels; null for a search among other candidates.
    pub lattice_nodes: Option<u64>,
    /// Candidates whose classes were formed.
    pub nodes_checked: u64,
    /// No safe candidate has a smaller value of the metric, where the search can tell.
    pub bound: Option<f64>,
    /// Microaggregation: what the groups were formed by, and how much of the spread they hide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microaggregation: Option<Microaggregation>,
    /// Anatomy: how its buckets came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anatomy: Option<Anatomy>,
    /// Whether the classes are buckets.
    #[serde(skip)]
    pub is_bucketized: bool,
    /// How long it took.
    pub seconds: Seconds,
    /// The most memory the process held; 0 where the system does not tell.
    pub peak_rss_bytes: u64,
    /// What whoever runs the job should know of how values were written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<String>,
    /// What attacks found before it was handed over.
    pub attacks: Vec<Finding>,
    /// The attacks that were not made, by their words.
    pub not_tried: Vec<&'static str>,
    /// The owner's folder, when one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<PathBuf>,
    /// A release of counts: what there is to say of it. It stands alone, in place of the rest.
    #[serde(skip)]
    pub counts: Option<CountsSummary>,
}

/// The facts of a finished run that published counts.
#[derive(Debug, Clone, Serialize)]
pub struct CountsSummary {
    /// The release folder.
    pub release: PathBuf,
    /// `counts`.
    pub kind: String,
    /// Records of the input.
    pub rows: u64,
    /// The tables.
    pub tables: Vec<TableSummary>,
    /// The level of each quasi column.
    pub levels: BTreeMap<String, usize>,
    /// Views: what they tell together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// What attacks on the published tables found.
    pub attacks: Vec<Finding>,
    /// Attacks that were not made, and why.
    pub not_made: Vec<NotMade>,
    /// How long it took.
    pub seconds: Seconds,
    /// The most memory the process held; 0 where the system does not tell.
    pub peak_rss_bytes: u64,
}

/// The facts of a table of counts.
#[derive(Debug, Clone, Serialize)]
pub struct TableSummary {
    /// The file.
    pub file: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// Its cells.
    pub cells: u64,
    /// Views: the smallest class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_class_size: Option<u64>,
    /// Tables with totals: hidden cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<u64>,
    /// Tables with totals whose counts were changed: `adjust` or `resample`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
}

impl CountsSummary {
    /// From the manifest of a release of counts.
    pub fn new(
        release: PathBuf,
        manifest: &CountsManifest,
        assessment: Assessment,
        seconds: Seconds,
    ) -> Self {
        let columns = manifest.tables.iter().flat_map(|table| &table.columns);
        let tables = manifest.tables.iter().map(|table| TableSummary {
            file: table.file.clone(),
            columns: table.columns.iter().map(|column| column.name.clone()).collect(),
            cells: table.cells,
            min_class_size: table.classes.as_ref().map(|classes| classes.smallest),
            hidden: table.suppression.as_ref().map(|suppression| suppression.hidden),
            changed: table.changed.as_ref().map(|own| own.word().to_owned()),
        });
        Self {
            release,
            kind: manifest.kind.clone(),
            rows: manifest.data.records,
            tables: tables.collect(),
            levels: columns.filter_map(|column| Some((column.name.clone(), column.level?))).collect(),
            together: manifest.together.clone(),
            attacks: assessment.attacks,
            not_made: assessment.not_made,
            seconds,
            peak_rss_bytes: peak_rss_bytes(),
        }
    }
}

/// How long each part took.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Seconds {
    /// From the start to a coded table with fitted hierarchies.
    pub read: f64,
    /// From the coded table to the chosen candidate.
    pub search: f64,
    /// Of the search: one grouping of all records by all quasi columns, the floor of any search.
    pub group_by: f64,
    /// From the candidate to a durable release.
    pub write: f64,
    /// All of it.
    pub total: f64,
}

impl Summary {
    /// The summary of a release of counts: what has no meaning there is 0 or left empty.
    pub fn of_counts(counts: CountsSummary) -> Self {
        let levels = counts.levels.iter().map(|(name, level)| (name.clone(), (*level).into())).collect();
        Self {
            release: counts.release.clone(),
            rows: counts.rows,
            suppressed: 0,
            levels,
            metric: String::new(),
            metrics: BTreeMap::new(),
            classes: 0,
            min_class_size: counts.tables.iter().filter_map(|table| table.min_class_size).min().unwrap_or(0),
            lattice_nodes: None,
            nodes_checked: 0,
            bound: None,
            microaggregation: None,
            anatomy: None,
            is_bucketized: false,
            seconds: counts.seconds,
            peak_rss_bytes: counts.peak_rss_bytes,
            written: Vec::new(),
            attacks: Vec::new(),
            not_tried: Vec::new(),
            home: None,
            counts: Some(counts),
        }
    }

    /// From the manifest of a release of records.
    pub fn new(release: PathBuf, manifest: &Manifest, seconds: Seconds) -> Self {
        let levels = manifest
            .data
            .columns
            .iter()
            .filter_map(|column| Some((column.name.clone(), column.recoding.as_ref()?.level.into())))
            .collect();
        Self {
            release,
            rows: manifest.data.input_rows,
            suppressed: manifest.data.suppressed,
            levels,
            metric: manifest.search.minimize.clone(),
            metrics: manifest.metrics.clone(),
            classes: manifest.classes.count,
            min_class_size: manifest.classes.min,
            lattice_nodes: manifest.search.lattice_nodes,
            nodes_checked: manifest.search.nodes_checked,
            bound: manifest.search.bound,
            microaggregation: manifest.search.microaggregation.clone(),
            anatomy: manifest.search.anatomy.clone(),
            is_bucketized: manifest.kind.separates_values(),
            seconds,
            peak_rss_bytes: peak_rss_bytes(),
            written: Vec::new(),
            attacks: Vec::new(),
            not_tried: Vec::new(),
            home: None,
            counts: None,
        }
    }
}

/// The high-water mark of resident memory, as Linux tells it.
fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok())
        .map_or(0, |kib| kib * 1024)
}
