//! The page of a published graph: what there is, the degrees (before and after, for the owner), and how many nodes are alone.

use privet_kind::page::{Axis, Cell, Chart, Series, Style, Table};
use privet_kind::{Assessment, Block, PageSection};

use super::attacks::visible;
use super::job::Method;
use super::view::{Form, PublishedGraph};
use crate::measure::degree_counts;
use crate::{Around, Attribute, Direction, Graph, Knowledge, candidate_sets};

/// Title and subtitle.
pub(super) fn heading(release: &PublishedGraph) -> (String, String) {
    let what = match &release.form {
        Form::Network { graph, .. } => format!("{} nodes, {} edges", graph.nodes(), graph.edge_count()),
        Form::Clusters(summary) => format!(
            "{} nodes in {} clusters, {} edges",
            summary.nodes(),
            summary.sizes.len(),
            summary.edge_count()
        ),
        Form::Degrees(found) => format!("the degrees of {} nodes, with noise", found.degrees.len()),
    };
    ("Report on a network".to_owned(), what)
}

/// The sections of the page.
pub(super) fn sections(release: &PublishedGraph, assessment: &Assessment) -> Vec<PageSection> {
    let mut sections =
        vec![PageSection::new("method", "How the network was published", method(&release.method))];
    let mut blocks = Vec::new();
    match &release.form {
        Form::Network { graph, attributes } => {
            blocks.push(Block::Chart(degrees(graph, assessment)));
            blocks.extend(candidates(graph, attributes));
        }
        Form::Clusters(summary) => {
            let mut counts: std::collections::BTreeMap<u32, u64> = Default::default();
            summary.sizes.iter().for_each(|&size| *counts.entry(size).or_default() += 1);
            let points = counts.iter().map(|(&size, &count)| (f64::from(size), count as f64)).collect();
            blocks.push(Block::Chart(Chart {
                caption: "How many clusters have so many nodes".to_owned(),
                x: Axis::linear("nodes of a cluster"),
                y: Axis::linear("clusters"),
                style: Style::Bars,
                series: vec![Series { name: "clusters".to_owned(), points }],
            }));
            if let Ok(graphs) = summary.ln_graphs() {
                blocks.push(Block::text(format!(
                    "About 10 to the power of {:.0} networks have these numbers of edges; the published numbers tell none of them \
                     from another.",
                    graphs / std::f64::consts::LN_10
                )));
            }
        }
        Form::Degrees(found) => {
            let mut counts = vec![0u64; found.degrees.iter().max().map_or(0, |&most| most as usize + 1)];
            found.degrees.iter().for_each(|&own| counts[own as usize] += 1);
            blocks.push(Block::Chart(chart(vec![curve("published", &counts)])));
            blocks.push(Block::text(spent(release.charged)));
        }
    }
    sections.push(PageSection::new("network", "The network", blocks));
    sections
}

fn method(method: &Method) -> Vec<Block> {
    let text = match method {
        Method::Pseudonyms => "Nodes have new numbers, and all edges are as they were. That hides names and nothing else: whoever \
                               knows a few friendships of a person may find the person."
            .to_owned(),
        Method::Perturbation { share } => format!(
            "{:.1} % of the edges were exchanged for others drawn by lot. No number of candidates is promised.",
            100.0 * share
        ),
        Method::KDegree { k, .. } => format!(
            "Edges were changed until at least {k} nodes have each degree. Who knows more than a degree may tell nodes apart."
        ),
        Method::KNeighbourhood { k, label, direction } => {
            let labels = if label.is_some() { ", with their labels" } else { "" };
            let changed = match direction {
                Direction::Adding => "added",
                Direction::AddingAndDeleting => "added or deleted",
            };
            format!(
                "Edges were {changed} until at least {k} nodes have each form of neighbourhood: who the neighbours are tied to among \
                 each other{labels}."
            )
        }
        Method::Deletion { k, around: Around::Degree } => {
            format!("Edges were deleted until at least {k} nodes have each degree; no edge is made up.")
        }
        Method::Deletion { k, around: Around::Count } => format!(
            "Edges were deleted until at least {k} nodes have each degree together with each number of edges between neighbours; \
             no edge is made up."
        ),
        Method::Clusters { k, .. } => format!(
            "Nodes were put into clusters of at least {k}. Published are the sizes of the clusters and how many edges there are \
             within and between them. Nodes of a cluster are interchangeable, whatever is known of the structure."
        ),
        Method::PrivateDegrees { epsilon, edges, .. } => format!(
            "Published are the degrees in rising order with noise: differential privacy with epsilon {epsilon} for {edges} edges \
             at once. The number of nodes is public. Relationships are hidden, and not people with more edges than that."
        ),
    };
    vec![Block::text(text)]
}

fn spent(charged: Option<bool>) -> &'static str {
    match charged {
        Some(true) => {
            "The privacy loss was charged to a ledger, which adds up what is released about the same network."
        }
        _ => {
            "The privacy loss was charged to no ledger. Losses of several releases about the same network add up, and nothing here \
              keeps count of them."
        }
    }
}

fn curve(name: &str, counts: &[u64]) -> Series {
    let points = counts.iter().enumerate().filter(|own| *own.1 > 0);
    Series {
        name: name.to_owned(),
        points: points.map(|(degree, &count)| (degree as f64, count as f64)).collect(),
    }
}

fn chart(series: Vec<Series>) -> Chart {
    Chart {
        caption: "How many nodes have so many neighbours".to_owned(),
        x: Axis::linear("neighbours"),
        y: Axis::logarithmic("nodes"),
        style: Style::Dots,
        series,
    }
}

/// The degrees; beside those of the original where the assessment has them, which is on the owner's page alone.
fn degrees(graph: &Graph, assessment: &Assessment) -> Chart {
    let compared = assessment.figures.iter().find(|own| own.measure == "degrees" && own.curves.len() == 2);
    match compared {
        Some(figure) => chart(figure.curves.clone()),
        None => chart(vec![curve("published", &degree_counts(graph))]),
    }
}

/// How many nodes have how many candidates for growing knowledge.
fn candidates(graph: &Graph, attributes: &[Attribute]) -> Option<Block> {
    let mut sets = candidate_sets(graph, 3, None).ok()?;
    let mut names =
        vec!["nothing", "the degree", "and the degrees of the neighbours", "and one step further"];
    let all = Knowledge::Within { steps: 64 };
    sets.push(all.classes(graph, None).ok()?.0);
    names.push("all degrees, however far");
    if let Some(codes) = visible(attributes, graph.nodes()) {
        let mut known = candidate_sets(graph, 1, Some(&codes)).ok()?;
        known.push(all.classes(graph, Some(&codes)).ok()?.0);
        sets.extend(known);
        names.extend(["the published attributes", "these and the degree", "these and all degrees"]);
    }
    let row = |(name, classes): (&str, &crate::Classes)| {
        let spread = classes.spread();
        let counts =
            [spread.one, spread.two_to_four, spread.five_to_ten, spread.eleven_to_twenty, spread.more];
        [Cell::from(name)].into_iter().chain(counts.map(Cell::from)).collect()
    };
    Some(Block::Table(Table {
        caption: "How many nodes have so many candidates, if this is known of the published network"
            .to_owned(),
        columns: ["known", "1", "2 to 4", "5 to 10", "11 to 20", "more"].map(str::to_owned).to_vec(),
        rows: names.into_iter().zip(&sets).map(row).collect(),
    }))
}
