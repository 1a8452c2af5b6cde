//! Measurements on networks: `cargo xtask bench graph`, or
//! `cargo run --release -p privet-graph --example bench_graph -- PART [DIVISOR]`. Prints one line of JSON per measurement.
//!
//! Parts: `k-degree` (80,000 nodes, 1.8 million edges), `candidates` (5 million nodes, 77 million edges, H1 to H3),
//! `propagate` (two overlapping networks of 100,000 people), `file EDGES K`, which makes a network of a file k-degree anonymous, and
//! `plausibility EDGES K`, which tells added edges of such a network from real ones. With a
//! divisor the network is that many times smaller. Beside every time stands that of one walk over all edges and neighbours' degrees in
//! the same run, the floor of such work.

use std::path::Path;
use std::time::Instant;

use privet_data::{Random, Silent};
use privet_graph::attack::{
    Plausibility, PropagationOptions, Score, SeedOptions, find_seeds, plausibility, propagate,
};
use privet_graph::{
    Changes, Classes, Direction, Editor, Graph, NetworkOptions, candidate_sets, generate, k_degree, read,
};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["file", edges, k] => return file(Path::new(edges), k.parse()?),
        ["plausibility", edges, k] => return plausible(Path::new(edges), k.parse()?),
        _ => {}
    }
    let part = words.first().copied().unwrap_or("all");
    let divisor: usize = words.get(1).map_or(Ok(1), |word| word.parse())?;
    for (name, run) in PARTS {
        if part == *name || part == "all" {
            run(divisor.max(1))?;
        }
    }
    Ok(())
}

type Run = fn(usize) -> Result<()>;

const PARTS: &[(&str, Run)] =
    &[("k-degree", anonymize), ("candidates", candidates), ("propagate", two_networks)];

/// A growing network with about so many edges.
fn network(nodes: usize, edges: usize, triads: f64) -> Result<Graph> {
    // Ties that are drawn twice are lost, so the mean is drawn a little higher.
    Ok(generate::growing(nodes, 1.05 * edges as f64 / nodes as f64, triads, 1)?)
}

/// What is measured on a network: the floor, and one line per measurement.
struct Log<'a> {
    graph: &'a Graph,
    floor: f64,
}

impl<'a> Log<'a> {
    /// Walks once over all edges and looks at both degrees.
    fn new(graph: &'a Graph) -> Self {
        let start = Instant::now();
        let sum: u64 = graph.edges().map(|(a, b)| (graph.degree(a) ^ graph.degree(b)) as u64).sum();
        // The sum is used, so that the walk is not left out.
        let floor = start.elapsed().as_secs_f64() + if sum == u64::MAX { 1.0 } else { 0.0 };
        Self { graph, floor }
    }

    fn tell(&self, what: &str, start: Instant, most: f64, is_right: bool, said: Value) {
        let row = json!({
            "what": what, "nodes": self.graph.nodes(), "edges": self.graph.edge_count(), "seconds": start.elapsed().as_secs_f64(),
            "floor": self.floor, "limit": most, "right": is_right, "said": said, "peak": peak(),
        });
        println!("{row}");
    }
}

/// k-degree anonymity both ways; every class is counted again.
fn anonymize(divisor: usize) -> Result<()> {
    let graph = network(80_000 / divisor, 1_800_000 / divisor, 0.3)?;
    both_ways(&graph, &[10, 100], 10.0)
}

fn file(edges: &Path, k: u32) -> Result<()> {
    let network = read(edges, None, &NetworkOptions::default(), &Silent)?;
    both_ways(&network.graph, &[k], 10.0)
}

fn both_ways(graph: &Graph, ks: &[u32], most: f64) -> Result<()> {
    let log = Log::new(graph);
    for (direction, name) in
        [(Direction::Adding, "adding"), (Direction::AddingAndDeleting, "adding and deleting")]
    {
        for &k in ks {
            let start = Instant::now();
            let published = k_degree(graph, k, direction, 1)?;
            let Changes { kept, added, deleted } = Changes::between(graph, &published.graph);
            let is_right = Classes::by_key(published.graph.degrees()).smallest() >= k
                && (direction != Direction::Adding || deleted == 0);
            let said = json!({ "k": k, "kept": kept, "added": added, "deleted": deleted });
            log.tell(&format!("{name}, k = {k}"), start, most, is_right, said);
        }
    }
    Ok(())
}

/// The area under the curve from which on added edges count as found.
const LEAST_AREA: f64 = 0.8;

/// Added edges, by k-degree anonymity and by lot, told from real ones; published areas are above 0.95 (Zhang and others 2020),
/// on other networks and against naive additions.
fn plausible(edges: &Path, k: u32) -> Result<()> {
    let graph = read(edges, None, &NetworkOptions::default(), &Silent)?.graph;
    let log = Log::new(&graph);
    let by_degrees = k_degree(&graph, k, Direction::Adding, 1)?.graph;
    let mut editor = Editor::new(&graph)?;
    let mut random = Random::new(3);
    while editor.edge_count() < graph.edge_count() + graph.edge_count() / 20 {
        editor.add(random.below(graph.nodes()) as u32, random.below(graph.nodes()) as u32);
    }
    let truth: Vec<u32> = (0..graph.nodes() as u32).collect();
    for (name, published) in [("added for degrees", by_degrees), ("added by lot", editor.graph())] {
        let start = Instant::now();
        let mut said = serde_json::Map::new();
        let (mut best, mut control) = (0.0f64, 0.5);
        for by in Plausibility::ALL {
            if let Some(found) = plausibility(&graph, &published, &truth, by, 1, &Silent)? {
                said.insert(
                    serde_json::to_value(by)?.as_str().unwrap_or_default().to_owned(),
                    found.area.into(),
                );
                said.insert("added".to_owned(), found.added.into());
                (best, control) = (best.max(found.area), found.control);
            }
        }
        said.insert("control".to_owned(), control.into());
        log.tell(
            &format!("edges {name}, told from real ones"),
            start,
            600.0,
            best >= LEAST_AREA,
            said.into(),
        );
    }
    Ok(())
}

fn candidates(divisor: usize) -> Result<()> {
    let graph = network(5_000_000 / divisor, 77_000_000 / divisor, 0.0)?;
    let log = Log::new(&graph);
    let start = Instant::now();
    let sets = candidate_sets(&graph, 3, None)?;
    // Who knows more has no more candidates; and those who know nothing have everybody.
    let counts: Vec<usize> = sets.iter().map(Classes::count).collect();
    let is_right = counts.windows(2).all(|pair| pair[0] <= pair[1]) && counts[0] == 1;
    log.tell("candidate sets H1 to H3", start, 120.0, is_right, json!({ "classes": counts }));
    Ok(())
}

fn two_networks(divisor: usize) -> Result<()> {
    let nodes = 100_000 / divisor;
    let whole = network(nodes, 10 * nodes, 0.3)?;
    let mut random = Random::new(1);
    let mut part = || -> Result<Graph> {
        let edges: Vec<(u32, u32)> = whole.edges().filter(|_| random.chance(0.85)).collect();
        Ok(Graph::undirected(nodes, &edges)?.0)
    };
    let (known, other) = (part()?, part()?);
    let mut truth: Vec<u32> = (0..nodes as u32).collect();
    Random::new(2).shuffle(&mut truth);
    let published = other.renumbered(&truth)?;
    let log = Log::new(&known);
    let mut hubs: Vec<u32> = (0..nodes as u32).collect();
    hubs.sort_by_key(|&node| std::cmp::Reverse(known.degree(node)));
    let given: Vec<(u32, u32)> = hubs[..30].iter().map(|&own| (own, truth[own as usize])).collect();
    let start = Instant::now();
    let found = find_seeds(&known, &published, SeedOptions::default(), &Silent)?;
    let right = found.iter().filter(|own| truth[own.0 as usize] == own.1).count();
    log.tell("finding seeds", start, 600.0, true, json!({ "seeds": found.len(), "right": right }));
    for (name, seeds) in [("propagating from 30 seeds", &given), ("propagating from seeds found", &found)] {
        let start = Instant::now();
        let reached = propagate(&known, &published, seeds, PropagationOptions::default(), &Silent)?;
        let score = Score::of(&reached.claims, &truth);
        let said =
            json!({ "found": score.exposed(), "precision": score.precision(), "rounds": reached.rounds });
        log.tell(name, start, 600.0, score.exposed() > 0.5, said);
    }
    let start = Instant::now();
    let control = generate::rewired(&published, 5, 3);
    let reached = propagate(&known, &control, &given, PropagationOptions::default(), &Silent)?;
    let score = Score::of(&reached.claims, &truth);
    let said = json!({ "found": score.exposed() });
    log.tell("control: a network with the same degrees", start, 600.0, score.exposed() < 0.01, said);
    Ok(())
}

/// The largest resident set of this process so far, in megabytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1000)
}
