//! Measurements on generated networks: `cargo run --release -p privet-graph --example bench_graph -- [PART] [DIVISOR]`.
//!
//! Parts: `k-degree` (80,000 nodes, 1.8 million edges), `candidates` (5 million nodes, 77 million edges, H1 to H3),
//! `propagate` (two overlapping networks of 100,000 people). With a divisor the network is that many times smaller. Beside
//! every time stands that of one walk over all edges and neighbours' degrees in the same run, the floor of such work.

use std::time::{Duration, Instant};

use privet_data::{Random, Silent};
use privet_graph::attack::{PropagationOptions, Score, SeedOptions, find_seeds, propagate};
use privet_graph::{Classes, Direction, Graph, GraphError, candidate_sets, generate, k_degree};

fn main() -> Result<(), GraphError> {
    let mut words = std::env::args().skip(1);
    let part = words.next().unwrap_or_else(|| "all".to_owned());
    let divisor: usize = words.next().and_then(|word| word.parse().ok()).filter(|&own| own > 0).unwrap_or(1);
    for (name, run) in PARTS {
        if part == *name || part == "all" {
            run(divisor)?;
        }
    }
    Ok(())
}

type Run = fn(usize) -> Result<(), GraphError>;

const PARTS: &[(&str, Run)] =
    &[("k-degree", anonymize), ("candidates", candidates), ("propagate", two_networks)];

/// A growing network with about so many edges.
fn network(nodes: usize, edges: usize, triads: f64) -> Result<Graph, GraphError> {
    let start = Instant::now();
    // Ties that are drawn twice are lost, so the mean is drawn a little higher.
    let graph = generate::growing(nodes, 1.05 * edges as f64 / nodes as f64, triads, 1)?;
    let bytes = graph.bytes() / 1_000_000;
    println!(
        "network: {} nodes, {} edges, {bytes} MB, made in {:.1?}",
        graph.nodes(),
        graph.edge_count(),
        start.elapsed()
    );
    Ok(graph)
}

/// One walk over all edges that looks at both degrees.
fn floor(graph: &Graph) -> Duration {
    let start = Instant::now();
    let sum: u64 = graph.edges().map(|(a, b)| (graph.degree(a) ^ graph.degree(b)) as u64).sum();
    let walk = start.elapsed();
    println!("  one walk over all edges: {walk:.1?} (checksum {sum})");
    walk
}

fn report(what: &str, start: Instant, floor: Duration) {
    let time = start.elapsed();
    println!("  {what}: {time:.1?}, {:.1} walks", time.as_secs_f64() / floor.as_secs_f64());
}

fn anonymize(divisor: usize) -> Result<(), GraphError> {
    println!("k-degree");
    let graph = network(80_000 / divisor, 1_800_000 / divisor, 0.3)?;
    let walk = floor(&graph);
    for direction in [Direction::Adding, Direction::AddingAndDeleting] {
        for k in [10, 100] {
            let start = Instant::now();
            let published = k_degree(&graph, k, direction, 1)?;
            report(&format!("{direction:?}, k = {k}"), start, walk);
            let least = Classes::by_key(published.graph.degrees()).smallest();
            println!("    least class {least}, {:?}", published.changes);
        }
    }
    Ok(())
}

fn candidates(divisor: usize) -> Result<(), GraphError> {
    println!("candidate sets");
    let graph = network(5_000_000 / divisor, 77_000_000 / divisor, 0.0)?;
    let walk = floor(&graph);
    let start = Instant::now();
    let sets = candidate_sets(&graph, 3, None)?;
    report("H1 to H3", start, walk);
    for (depth, classes) in sets.iter().enumerate() {
        println!("    H{depth}: {:?}", classes.spread());
    }
    Ok(())
}

fn two_networks(divisor: usize) -> Result<(), GraphError> {
    println!("seed and propagate");
    let nodes = 100_000 / divisor;
    let whole = network(nodes, 10 * nodes, 0.3)?;
    let mut random = Random::new(1);
    let mut part = || -> Result<Graph, GraphError> {
        let edges: Vec<(u32, u32)> = whole.edges().filter(|_| random.chance(0.85)).collect();
        Ok(Graph::undirected(nodes, &edges)?.0)
    };
    let (known, other) = (part()?, part()?);
    let mut truth: Vec<u32> = (0..nodes as u32).collect();
    Random::new(2).shuffle(&mut truth);
    let published = other.renumbered(&truth)?;
    let walk = floor(&known);
    let mut hubs: Vec<u32> = (0..nodes as u32).collect();
    hubs.sort_by_key(|&node| std::cmp::Reverse(known.degree(node)));
    let given: Vec<(u32, u32)> = hubs[..30].iter().map(|&own| (own, truth[own as usize])).collect();
    let start = Instant::now();
    let found = find_seeds(&known, &published, SeedOptions::default(), &Silent)?;
    report("finding seeds", start, walk);
    let right = found.iter().filter(|own| truth[own.0 as usize] == own.1).count();
    println!("    {right} of {} seeds are right", found.len());
    for (name, seeds) in [("30 seeds given", &given), ("seeds found", &found)] {
        let start = Instant::now();
        let reached = propagate(&known, &published, seeds, PropagationOptions::default(), &Silent)?;
        report(name, start, walk);
        let score = Score::of(&reached.claims, &truth);
        let (exposed, precision) = (100.0 * score.exposed(), 100.0 * score.precision());
        println!(
            "    {exposed:.1} % re-identified, {precision:.1} % of claims right, {} rounds",
            reached.rounds
        );
    }
    let control = generate::rewired(&published, 5, 3);
    let reached = propagate(&known, &control, &given, PropagationOptions::default(), &Silent)?;
    let score = Score::of(&reached.claims, &truth);
    println!("    control: {:.2} % re-identified", 100.0 * score.exposed());
    Ok(())
}
