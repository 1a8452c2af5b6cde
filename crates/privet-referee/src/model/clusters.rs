//! Clusterings by nearest centroid: a span is a set of clusters; it tells of private attributes when there are several.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{Span, Spans, read};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    version: u32,
    records: u64,
    k: u64,
    rule: String,
    space: Space,
    centroids: Vec<Vec<u64>>,
    spans: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Space {
    axes: Vec<Axis>,
    metric: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Axis {
    #[serde(rename = "name")]
    _name: String,
    visibility: String,
    domain: Domain,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Domain {
    Numbers { low: f64, high: f64, steps: u64 },
    Categories { values: Vec<String> },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    clusters: Vec<usize>,
    populations: Vec<u64>,
}

impl Axis {
    fn last(&self) -> Option<u64> {
        match &self.domain {
            Domain::Numbers { low, high, steps } => (low < high && *steps > 0).then_some(*steps),
            Domain::Categories { values } => (values.len() as u64).checked_sub(1),
        }
    }
}

impl Release {
    /// The clusters in reach of whoever stands where a centroid stands, by public attributes: it and every cluster that is nearest for some
    /// private values. For spans of one cluster only a necessary condition can be checked without the people: with no private
    /// attribute there is no span of several.
    fn tells_without_reason(&self, span: &Listed) -> bool {
        span.clusters.len() > 1 && !self.space.axes.iter().any(|axis| axis.visibility == "private")
    }
}

pub(super) fn spans(value: &Value) -> Result<Spans, String> {
    let release: Release = read(value)?;
    let wrong = |problem: &str| Err(problem.to_owned());
    if release.version != 1 || release.k == 0 {
        return wrong("the version of the clustering is not known, or k is 0");
    }
    let known = |own: &str, words: &[&str]| words.contains(&own);
    if !known(&release.rule, &["claim3", "three-way"])
        || !known(&release.space.metric, &["euclidean", "gower"])
    {
        return wrong("the rule or the metric is not known");
    }
    let visible = |axis: &Axis| known(&axis.visibility, &["public", "private"]);
    let last: Option<Vec<u64>> = release.space.axes.iter().map(Axis::last).collect();
    let Some(last) = last.filter(|_| release.space.axes.iter().all(visible)) else {
        return wrong("an axis has no range");
    };
    let fits = |own: &Vec<u64>| own.len() == last.len() && own.iter().zip(&last).all(|(at, last)| at <= last);
    if !release.centroids.iter().all(fits) {
        return wrong("a centroid is outside its space");
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (place, span) in release.spans.iter().enumerate() {
        let ascends = span.clusters.windows(2).all(|pair| pair[0] < pair[1]);
        let exist = span.clusters.last().is_some_and(|&own| own < release.centroids.len());
        if !ascends || !exist || span.populations.len() != span.clusters.len() || !seen.insert(&span.clusters)
        {
            return Err(format!("span {}: its clusters do not exist, or it is listed twice", place + 1));
        }
        if release.tells_without_reason(span) {
            return Err(format!(
                "span {}: nothing is private, so nobody can be in several clusters",
                place + 1
            ));
        }
        let records = span.populations.iter().sum();
        found.push(Span { records, tells: span.clusters.len() > 1, classes: None });
    }
    Ok(Spans { records: release.records, spans: found })
}
