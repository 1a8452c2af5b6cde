//! The search in the graph of the candidates of one subset (papers T-AL5, step 4): breadth-first from below, marking
//! what lies above a safe node, with frequency sets rolled up from failing nodes.
//!
//! Candidates are upward closed. So every candidate that is not a root has a candidate right below it, and when it is
//! not marked, that one was checked and failed: its frequency set is there. Nodes of one height do not depend on each
//! other and are checked in parallel; frequency sets are kept until the next height is done.

use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;
use rayon::prelude::*;

use super::super::problem::SearchError;
use super::roots::Roots;
use super::source::{Checked, Source, Used, check};
use super::subset::{Nodes, Subset};
use super::{Search, SubsetCounters, SuperRoot, lowest};

/// What came out for one subset.
pub struct Visited {
    /// Its safe nodes.
    pub safe: Nodes,
    /// Those that were checked and not marked: no node below them is safe.
    pub minimal: Vec<u64>,
    /// What was done.
    pub counters: SubsetCounters,
}

/// Finds the safe nodes among the candidates of a subset. `done` counts heights.
pub fn visit<'a, const W: usize>(
    search: &Search<'a, W>,
    subset: &Subset,
    candidates: Nodes,
    progress: &dyn Progress,
    done: &AtomicU64,
) -> Result<Visited, SearchError> {
    let roots: Vec<u64> = candidates
        .iter()
        .filter(|&node| !subset.below(node).any(|below| candidates.contains(below)))
        .collect();
    let root_levels: Vec<Vec<usize>> = roots.iter().map(|&root| search.levels(subset, root)).collect();
    let mut counters = SubsetCounters { candidates: candidates.len(), ..SubsetCounters::default() };
    counters.columns =
        search.in_problem_order(&search.levels(subset, 0)).into_iter().map(|(column, _)| column).collect();
    let levels_of = |levels: &Vec<usize>| -> Vec<usize> {
        search.in_problem_order(levels).into_iter().map(|(_, level)| level).collect()
    };
    counters.roots = root_levels.iter().map(levels_of).collect();
    counters.roots.sort();

    let mut start = match &search.cube {
        Some(cube) => cube.set(subset.mask),
        None => Source::Table(&search.engine.base),
    };
    let mut used = Used::default();
    // A single root is its own super-root.
    if search.options.super_roots
        && roots.len() > 1
        && let Some(levels) = lowest(&root_levels)
    {
        let set = search.with_buffers(|buffers| search.engine.roll_up(buffers, start.tuples(), &levels));
        used += start.used();
        counters.super_roots = 1;
        counters.super_root = Some(SuperRoot { levels: levels_of(&levels), cells: set.len() as u64 });
        start = Source::set(set);
    }
    let all = Roots { search, subset, nodes: &roots, levels: &root_levels, progress };
    let outcomes = all.check(0, roots.len(), 0, &start);
    progress.check()?;
    used += outcomes.used;
    counters.super_roots += outcomes.super_roots;
    counters.checks = roots.len() as u64;

    let mut safe = Nodes::none(subset.lattice.len());
    let mut minimal = Vec::new();
    // Per height its roots, and the nodes that lie above failing ones.
    let mut roots_at: Vec<Vec<(u64, Checked<'a, W>)>> = Vec::new();
    roots_at.resize_with(subset.height() + 1, Vec::new);
    for (root, checked) in roots.into_iter().zip(outcomes.checked) {
        roots_at[subset.lattice.levels(root).iter().sum::<usize>()].push((root, checked));
    }
    let mut nodes: Vec<u64> = Vec::new();
    // The failing nodes of the height below, and what to form nodes from that lie above them.
    let mut failing: HashMap<u64, Source<'a, W>> = HashMap::new();
    for roots in roots_at {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|&node| !safe.contains(node));
        let checked: Vec<(Used, Checked<'a, W>)> = nodes
            .par_iter()
            .map(|&node| {
                let below = subset.below(node).filter_map(|below| failing.get(&below));
                let source = below.min_by_key(|source| source.tuples().len()).unwrap_or(&start);
                (source.used(), check(search, source, &search.levels(subset, node), progress))
            })
            .collect();
        progress.check()?;
        counters.checks += nodes.len() as u64;
        let checked = nodes.iter().zip(checked).map(|(&node, (from, checked))| {
            used += from;
            (node, checked)
        });
        let mut failing_here = HashMap::new();
        for (node, checked) in checked.chain(roots) {
            match checked {
                Checked::Safe => {
                    minimal.push(node);
                    mark(subset, &mut safe, node);
                }
                Checked::Failing(source) => {
                    failing_here.insert(node, source);
                }
            }
        }
        nodes = failing_here.keys().flat_map(|&node| subset.above(node)).collect();
        failing = failing_here;
        progress.at(done.fetch_add(1, Ordering::Relaxed) + 1);
    }
    counters.safe = safe.len();
    (counters.scans, counters.roll_ups) = (used.scans, used.roll_ups);
    Ok(Visited { safe, minimal, counters })
}

/// Puts a node and all above it into an upward closed set.
fn mark(subset: &Subset, nodes: &mut Nodes, node: u64) {
    let mut rest = vec![node];
    while let Some(node) = rest.pop() {
        if !nodes.contains(node) {
            nodes.insert(node);
            rest.extend(subset.above(node));
        }
    }
}
