//! What a run says when it is done: one JSON object for a pipeline.

use std::collections::BTreeMap;
use std::path::PathBuf;

use privet_release::Manifest;
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
    /// Published classes.
    pub classes: u64,
    /// The smallest published class.
    pub min_class_size: u64,
    /// Candidates in the lattice of levels; null for a search among other candidates.
    pub lattice_nodes: Option<u64>,
    /// Candidates whose classes were formed.
    pub nodes_checked: u64,
    /// No safe candidate has a smaller value of the metric, where the search can tell.
    pub bound: Option<f64>,
    /// How long it took.
    pub seconds: Seconds,
    /// The most memory the process held; 0 where the system does not tell.
    pub peak_rss_bytes: u64,
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
    pub(crate) fn new(release: PathBuf, manifest: &Manifest, seconds: Seconds) -> Self {
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
            seconds,
            peak_rss_bytes: peak_rss_bytes(),
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
