//! The referee of graphs: every promise computed again from the published files, slow and plain, straight from the definitions
//! (survey AP-04 to AP-07). It has its own isomorphism test and its own isotonic fit; a question that it cannot decide within its
//! limit of steps is a failed check.

mod clusters;
mod isomorphism;

use std::collections::{BTreeMap, BTreeSet};

use privet_data::Progress;
use privet_data::io::ReadOptions;
use privet_release::{Check, OpenError, Promised, Referee, ReleaseFolder, Trusted};
use serde::Deserialize;

use crate::charged;

/// The referee.
pub struct Graph;

/// It, for the list of all.
pub const REFEREE: &dyn Referee = &Graph;

/// What the manifest states about a graph.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Body {
    method: serde_json::Value,
    nodes: u64,
    directed: bool,
    attributes: Vec<PublishedAttribute>,
    #[serde(default, rename = "charged")]
    _charged: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedAttribute {
    name: String,
    #[serde(rename = "role")]
    _role: serde_json::Value,
}

/// Which files a release has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Network,
    Clusters { samples: u64 },
    Degrees { samples: u64 },
}

impl Body {
    fn form(&self) -> Form {
        let samples = self.method["samples"].as_u64().unwrap_or(0);
        match self.method["method"].as_str() {
            Some("clusters") => Form::Clusters { samples },
            Some("private-degrees") => Form::Degrees { samples },
            _ => Form::Network,
        }
    }
}

fn body(folder: &ReleaseFolder) -> Result<Body, OpenError> {
    let wrong = |source| OpenError::Manifest { folder: folder.path().to_owned(), source };
    folder.envelope().body().map_err(wrong)
}

/// A column of whole numbers, each written as numbers are written.
fn numbers(
    folder: &ReleaseFolder,
    file: &str,
    column: &str,
    progress: &dyn Progress,
) -> Result<Vec<i64>, OpenError> {
    let options = ReadOptions { columns: Some(vec![column.to_owned()]), ..ReadOptions::default().exactly() };
    let table = folder.table(file, &options, progress)?;
    let found = table.column(column);
    let found = found.ok_or_else(|| folder.malformed(file, format!("the column `{column}` is missing")))?;
    let value = |text: &str| text.parse::<i64>().ok().filter(|own| own.to_string() == text);
    let values: Option<Vec<i64>> = found.codes.iter().map(|&code| value(found.domain.text(code))).collect();
    values.ok_or_else(|| {
        folder.malformed(file, format!("the column `{column}` holds something else than whole numbers"))
    })
}

/// A published network.
struct Network {
    directed: bool,
    /// Per node its neighbours; of a directed graph those that it points at.
    around: Vec<BTreeSet<u32>>,
    edges: u64,
    problems: Vec<String>,
}

impl Network {
    /// Reads edges between so many nodes and notes what no simple graph has.
    fn read(
        folder: &ReleaseFolder,
        file: &str,
        nodes: u64,
        directed: bool,
        progress: &dyn Progress,
    ) -> Result<Self, OpenError> {
        let sources = numbers(folder, file, "source", progress)?;
        let targets = numbers(folder, file, "target", progress)?;
        let mut around = vec![BTreeSet::new(); nodes as usize];
        let mut problems = Vec::new();
        for (row, (&a, &b)) in sources.iter().zip(&targets).enumerate() {
            if row.is_multiple_of(1 << 16) {
                progress.check()?;
            }
            let record = row + 1;
            let end = |own: i64| u32::try_from(own).ok().filter(|&own| u64::from(own) < nodes);
            match (end(a), end(b)) {
                (Some(a), Some(b)) if a == b => {
                    problems.push(format!("record {record} of {file} is a self-loop"));
                }
                (Some(a), Some(b)) => {
                    let is_new = around[a as usize].insert(b);
                    if !directed {
                        around[b as usize].insert(a);
                    }
                    if !is_new {
                        problems.push(format!("record {record} of {file} repeats an edge"));
                    }
                }
                _ => problems.push(format!("record {record} of {file} has an end that is no node")),
            }
        }
        problems.truncate(3);
        Ok(Self { directed, around, edges: sources.len() as u64, problems })
    }

    fn degrees(&self) -> Vec<u64> {
        self.around.iter().map(|own| own.len() as u64).collect()
    }

    /// Per node the edges between its neighbours.
    fn between(&self, node: usize) -> u64 {
        let own = &self.around[node];
        own.iter().map(|&other| self.around[other as usize].intersection(own).count() as u64).sum::<u64>() / 2
    }
}

/// The size of the smallest group of equal keys; nothing where there is no key.
fn smallest<K: Ord>(keys: impl IntoIterator<Item = K>) -> Option<u64> {
    let mut counts: BTreeMap<K, u64> = BTreeMap::new();
    keys.into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
    counts.into_values().min()
}

/// A check that at least `k` nodes share each key.
fn at_least(name: &str, k: u64, found: Option<u64>, what: &str) -> Check {
    let least = found.unwrap_or(0);
    let mut check = match least >= k && k > 0 {
        true => Check::passed(name, format!("every {what} occurs at {least} nodes or more")),
        false => Check::failed(name, format!("a {what} occurs at {least} nodes only, and {k} are promised")),
    };
    check.reached = Some(least as f64);
    check
}

impl Referee for Graph {
    fn kind(&self) -> &'static str {
        "graph"
    }

    fn files(&self, folder: &ReleaseFolder) -> Result<Vec<String>, OpenError> {
        let with_samples = |names: &[&str], samples: u64| {
            let names = names.iter().map(|&own| own.to_owned());
            names.chain((1..=samples).map(|number| format!("sample-{number}.csv"))).collect()
        };
        Ok(match body(folder)?.form() {
            Form::Network => with_samples(&["edges.csv", "nodes.csv"], 0),
            Form::Clusters { samples } => with_samples(&["clusters.csv", "cluster-edges.csv"], samples),
            Form::Degrees { samples } => with_samples(&["degrees.csv"], samples),
        })
    }

    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
        let body = body(folder)?;
        let mut checks = match body.form() {
            Form::Network => network(folder, &body, progress)?,
            Form::Clusters { samples } => clusters::clusters(folder, body.nodes, samples, progress)?,
            Form::Degrees { samples } => clusters::degrees(folder, body.nodes, samples, progress)?,
        };
        if folder.envelope().promises.is_empty() {
            checks.push(Check::failed("promises", "the manifest promises nothing"));
        }
        Ok(checks)
    }

    fn on_trust(&self) -> &'static [Trusted] {
        &[
            Trusted {
                what: "noise",
                why: "That noise was drawn as differential privacy asks cannot be seen from the numbers that were drawn.",
            },
            Trusted {
                what: "original edges",
                why: "Which edges are real and which were added or deleted is known to the owner alone.",
            },
        ]
    }

    fn statement(&self, promised: &Promised) -> Option<String> {
        let k = || promised.whole("k");
        Some(match promised.id.as_str() {
            "simple-graph" => format!(
                "The network has {} nodes and {} edges, none twice and none from a node to itself.",
                promised.whole("nodes")?,
                promised.whole("edges")?
            ),
            "k-degree" => format!("Every degree occurs at {} nodes or more.", k()?),
            "k-count" => format!(
                "Every degree together with a number of edges between the neighbours occurs at {} nodes or more.",
                k()?
            ),
            "k-neighbourhood" => format!(
                "Every neighbourhood, with its labels and the edges between the neighbours, occurs at {} nodes or more.",
                k()?
            ),
            "k-clusters" => {
                format!("Every cluster has {} nodes or more, which nothing published tells apart.", k()?)
            }
            "l-diversity" => {
                let (l, attribute) = (promised.number("l")?, promised.word("attribute")?);
                let known = match promised.word("against")? {
                    "degree" => "the same degree",
                    "neighbourhood" => "the same neighbourhood",
                    _ => return None,
                };
                format!("Nodes of {known} have at least {l} different values of `{attribute}`.")
            }
            "differential-privacy" => format!(
                "The degrees are differentially private with epsilon {} for {} edges that come or go at once. {}",
                promised.word("epsilon")?,
                promised.whole("edges")?,
                charged::ledger(promised)
            ),
            _ => return None,
        })
    }
}

/// Checks a published network.
fn network(folder: &ReleaseFolder, body: &Body, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
    let mut checks = Vec::new();
    let rows = numbers(folder, "nodes.csv", "node", progress)?;
    let are_numbered = rows.len() as u64 == body.nodes && rows.iter().zip(0..).all(|(&own, row)| own == row);
    checks.push(match are_numbered {
        true => Check::passed("nodes", format!("{} nodes, numbered from 0 on", body.nodes)),
        false => {
            Check::failed("nodes", "the nodes are not numbered from 0 on, or are more or fewer than stated")
        }
    });
    if !are_numbered {
        return Ok(checks);
    }
    let names: Vec<&str> = body.attributes.iter().map(|own| own.name.as_str()).collect();
    let options = ReadOptions::default().exactly();
    let table = folder.table("nodes.csv", &options, progress)?;
    let extra = table.columns.iter().any(|own| own.name != "node" && !names.contains(&own.name.as_str()));
    checks.push(match !extra && names.iter().all(|name| table.column(name).is_some()) {
        true => Check::passed("attributes", format!("{} attributes, those that are stated", names.len())),
        false => {
            Check::failed("attributes", "the columns of nodes.csv are not the attributes that are stated")
        }
    });
    let graph = Network::read(folder, "edges.csv", body.nodes, body.directed, progress)?;
    let label =
        body.method["label"].as_str().and_then(|name| table.column(name)).map(|own| own.codes.clone());
    if body.method["label"].is_string() && label.is_none() {
        checks.push(Check::failed("label", "the label is not among the columns of nodes.csv"));
    }
    let mut neighbourhoods: Option<Option<Vec<u32>>> = None;
    for promised in &folder.envelope().promises {
        progress.check()?;
        let k = promised.whole("k").unwrap_or(u64::MAX);
        let needs_classes =
            promised.id == "k-neighbourhood" || promised.word("against") == Some("neighbourhood");
        if needs_classes && neighbourhoods.is_none() && !graph.directed {
            neighbourhoods = Some(isomorphism::classes(&graph.around, label.as_deref(), progress)?);
        }
        checks.push(match promised.id.as_str() {
            "simple-graph" => simple(&graph, promised, body.nodes),
            _ if graph.directed => {
                Check::failed(&promised.id, "the promise is not defined for directed graphs")
            }
            "k-degree" => at_least("k-degree", k, smallest(graph.degrees()), "degree"),
            "k-count" => {
                let degrees = graph.degrees();
                let keys = degrees.iter().enumerate().map(|(node, &degree)| (degree, graph.between(node)));
                at_least("k-count", k, smallest(keys), "pair of degree and edges between neighbours")
            }
            "k-neighbourhood" => match neighbourhoods.as_ref().and_then(Option::as_ref) {
                Some(classes) => {
                    at_least("k-neighbourhood", k, smallest(classes.iter().copied()), "neighbourhood")
                }
                None => undecided("k-neighbourhood"),
            },
            "l-diversity" => {
                let classes = match promised.word("against") {
                    Some("degree") => Some(graph.degrees()),
                    Some("neighbourhood") => neighbourhoods
                        .as_ref()
                        .and_then(Option::as_ref)
                        .map(|own| own.iter().map(|&class| u64::from(class)).collect()),
                    _ => None,
                };
                match classes {
                    Some(classes) => diversity(&table, &classes, promised),
                    None => undecided("l-diversity"),
                }
            }
            _ => Check::failed(&promised.id, "this form of release has no such promise"),
        });
    }
    Ok(checks)
}

fn undecided(name: &str) -> Check {
    Check::failed(name, "whether two neighbourhoods are isomorphic was not decided within the limit of steps")
}

fn simple(graph: &Network, promised: &Promised, nodes: u64) -> Check {
    let is_stated = promised.whole("nodes") == Some(nodes) && promised.whole("edges") == Some(graph.edges);
    match (graph.problems.is_empty(), is_stated) {
        (true, true) => {
            Check::passed("simple graph", format!("{} different edges between different nodes", graph.edges))
        }
        (true, false) => Check::failed("simple graph", "there are more or fewer nodes or edges than stated"),
        (false, _) => Check::failed("simple graph", graph.problems.join("; ")),
    }
}

/// At least l different values in every class; a missing value counts for nothing.
fn diversity(table: &privet_data::Table, classes: &[u64], promised: &Promised) -> Check {
    let column = promised.word("attribute").and_then(|name| table.column(name));
    let (Some(column), Some(l)) = (column, promised.number("l")) else {
        return Check::failed("l-diversity", "the attribute is not among the columns of nodes.csv");
    };
    let mut values: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
    for (&class, &code) in classes.iter().zip(&column.codes) {
        let own = values.entry(class).or_default();
        if !column.domain.is_missing(code) {
            own.insert(code);
        }
    }
    let least = values.values().map(BTreeSet::len).min().unwrap_or(0) as f64;
    let mut check = match least >= l - 1e-12 {
        true => Check::passed("l-diversity", format!("every class has {least} values or more")),
        false => {
            Check::failed("l-diversity", format!("a class has {least} values only, and {l} are promised"))
        }
    };
    check.reached = Some(least);
    check
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use privet_data::Silent;
    use privet_release::{Draft, Envelope};
    use serde_json::json;

    use super::*;

    /// A release with these files and promises, whatever they are worth.
    fn release(
        body: serde_json::Value,
        promises: Vec<Promised>,
        files: &[(&str, &str)],
    ) -> (tempfile::TempDir, ReleaseFolder) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("release");
        let draft = Draft::begin(&path, false).unwrap();
        for (name, text) in files {
            let mut file = draft.create(name).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.finish().unwrap();
        }
        let mut envelope = Envelope::new("graph", body);
        envelope.promises = promises;
        draft.commit(envelope).unwrap();
        let opened = ReleaseFolder::open(&path, &Silent).unwrap();
        (folder, opened)
    }

    fn failed(folder: &ReleaseFolder) -> Vec<String> {
        let checks = Graph.verify(folder, &Silent).unwrap();
        checks.into_iter().filter(|check| !check.ok).map(|check| check.name).collect()
    }

    fn network(edges: &str, promises: Vec<Promised>) -> Vec<String> {
        let body = json!({
            "method": { "method": "k-degree" }, "nodes": 6, "directed": false,
            "attributes": [{ "name": "party", "role": "sensitive" }],
        });
        let nodes = "node,party\n0,l\n1,r\n2,l\n3,l\n4,r\n5,\n";
        failed(&release(body, promises, &[("edges.csv", edges), ("nodes.csv", nodes)]).1)
    }

    /// The network of the survey (FX-7.F1) keeps none of these promises; a ring of six keeps all.
    #[test]
    fn false_promises_are_seen() {
        let survey = "source,target\n0,2\n1,2\n2,3\n2,4\n3,4\n4,5\n";
        let ring = "source,target\n0,1\n1,2\n2,3\n3,4\n4,5\n0,5\n";
        let ids = ["k-degree", "k-count", "k-neighbourhood"];
        for id in ids {
            let promised = || vec![Promised::new(id).with("k", 2)];
            assert_eq!(network(survey, promised()), [id]);
            assert!(network(ring, promised()).is_empty());
        }
        let diversity = |l: f64| {
            vec![
                Promised::new("l-diversity")
                    .with("l", l)
                    .with("attribute", "party")
                    .with("against", "degree"),
            ]
        };
        assert!(network(ring, diversity(2.0)).is_empty());
        assert_eq!(network(ring, diversity(3.0)), ["l-diversity"]);
        assert_eq!(network(survey, diversity(2.0)), ["l-diversity"]);
        assert_eq!(network(ring, vec![Promised::new("k-clusters").with("k", 2)]), ["k-clusters"]);
        assert_eq!(network(ring, Vec::new()), ["promises"]);
    }

    #[test]
    fn what_is_no_simple_graph_is_seen() {
        let shape = || vec![Promised::new("simple-graph").with("nodes", 6).with("edges", 2)];
        assert!(network("source,target\n0,1\n1,2\n", shape()).is_empty());
        for edges in ["0,1\n1,0\n", "0,1\n1,1\n", "0,1\n1,6\n", "0,1\n"] {
            assert_eq!(network(&format!("source,target\n{edges}"), shape()), ["simple graph"], "{edges}");
        }
        let body =
            json!({ "method": { "method": "k-degree" }, "nodes": 6, "directed": false, "attributes": [] });
        let files = [("edges.csv", "source,target\n0,1\n1,02\n"), ("nodes.csv", "node\n0\n1\n2\n3\n4\n5\n")];
        let (_folder, opened) = release(body, shape(), &files);
        assert!(Graph.verify(&opened, &Silent).is_err());
    }

    #[test]
    fn clusters_and_degrees_are_checked() {
        let body = json!({
            "method": { "method": "clusters", "k": 2, "samples": 1 }, "nodes": 5, "directed": false, "attributes": [],
        });
        let promised = |k: u64| vec![Promised::new("k-clusters").with("k", k)];
        let check = |k: u64, sizes: &str, edges: &str, sample: &str| {
            let files = [("clusters.csv", sizes), ("cluster-edges.csv", edges), ("sample-1.csv", sample)];
            failed(&release(body.clone(), promised(k), &files).1)
        };
        let (sizes, edges) = ("cluster,nodes\n0,3\n1,2\n", "source,target,edges\n0,0,1\n0,1,2\n");
        let sample = "source,target\n0,2\n0,3\n1,4\n";
        assert!(check(2, sizes, edges, sample).is_empty());
        assert_eq!(check(3, sizes, edges, sample), ["k-clusters"]);
        assert_eq!(check(2, sizes, edges, "source,target\n0,2\n0,3\n3,4\n"), ["samples"]);
        assert_eq!(check(2, "cluster,nodes\n0,3\n1,3\n", edges, sample), ["clusters"]);
        assert_eq!(check(2, sizes, "source,target,edges\n0,0,4\n", sample), ["edges", "samples"]);

        let body = json!({
            "method": { "method": "private-degrees", "samples": 0 }, "nodes": 3, "directed": false, "attributes": [],
        });
        let promised = || vec![Promised::new("differential-privacy").with("epsilon", "1").with("edges", 1)];
        let check = |text: &str| failed(&release(body.clone(), promised(), &[("degrees.csv", text)]).1);
        assert!(check("noisy,degree\n1,1\n4,2\n-1,2\n").is_empty());
        assert_eq!(check("noisy,degree\n1,1\n4,2\n-1,1\n"), ["degrees"]);
        let statement = Graph.statement(&promised()[0]).unwrap();
        assert!(statement.contains("epsilon 1 for 1 edges"));
        assert_eq!(Graph.statement(&Promised::new("k-anonymity").with("k", 2)), None);
    }
}
