//! Public networks, where `../shared/data` is there: what only shows on networks with hubs and communities.

use std::path::Path;

use privet_data::{Random, Silent};
use privet_graph::attack::{Plausibility, plausibility};
use privet_graph::{
    Direction, Editor, Graph, NetworkOptions, k_degree, k_neighbourhood, neighbourhood_classes, read,
};

fn network(name: &str) -> Option<Graph> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !root.is_dir() {
        eprintln!("skipped: ../shared/data is not there");
        return None;
    }
    let edges = root.join(name).join("edges.csv");
    Some(read(&edges, None, &NetworkOptions::default(), &Silent).unwrap().graph)
}

/// Edges that were added by lot or for equal degrees are told from real ones (Zhang and others 2020 report areas
/// above 0.95 for naive additions on their networks; here 0.86).
#[test]
fn added_edges_of_real_networks_are_found() {
    let Some(graph) = network("graph-lastfm-asia") else { return };
    let truth: Vec<u32> = (0..graph.nodes() as u32).collect();
    let mut editor = Editor::new(&graph).unwrap();
    let mut random = Random::new(3);
    while editor.edge_count() < graph.edge_count() + graph.edge_count() / 20 {
        editor.add(random.below(graph.nodes()) as u32, random.below(graph.nodes()) as u32);
    }
    let by_degrees = k_degree(&graph, 10, Direction::Adding, 1).unwrap().graph;
    for (name, published) in [("by lot", editor.graph()), ("for degrees", by_degrees)] {
        let of = |by| plausibility(&graph, &published, &truth, by, 1, &Silent).unwrap().unwrap();
        let areas = Plausibility::ALL.map(|by| of(by).area);
        let best = areas.into_iter().fold(0.0, f64::max);
        assert!(best >= 0.8, "{name}: {areas:?}");
        assert!((of(Plausibility::Jaccard).control - 0.5).abs() < 0.05, "{name}: the control is a coin");
    }
}

/// Equal neighbourhoods come out of a real network with hubs.
#[test]
fn a_real_network_gets_equal_neighbourhoods() {
    let Some(graph) = network("graph-lastfm-asia") else { return };
    let found = k_neighbourhood(&graph, 5, Direction::AddingAndDeleting, None, 1, &Silent).unwrap();
    assert!(neighbourhood_classes(&found.edited.graph, None).unwrap().classes.smallest() >= 5);
    let changes = found.edited.changes;
    assert!(changes.added == 0 && changes.kept * 2 > graph.edge_count(), "{changes:?}");
}
