//! Cutting the spanning tree when records belong to the cluster with the nearest centroid.
//!
//! Every centroid that a cut makes moves cells of other clusters too, so the three-way rule of the source is wrong here (DEF-14): all
//! spans are computed again for every edge that is tried. Spans do not only get finer, so a refused edge is tried again after others
//! were cut, until a whole pass cuts none. Centroids are means (of categories: modes), rounded to the grid, so
//! that what is published is what was judged.
//!
//! Growth: people × clusters for every edge that is tried; `patience` bounds how many are.

use foldhash::{HashMap, HashMapExt};

use super::cut::Forest;
use super::space::{AxisDomain, Space};
use super::spanning::{Edge, spanning_tree};
use super::{Partition, Problem, reaches};
use crate::MineError;

pub(super) fn search(problem: &Problem<'_>) -> Result<Partition, MineError> {
    let mut edges = spanning_tree(problem.space, problem.sites, problem.progress)?;
    let mut state = State {
        problem,
        forest: Forest::new(problem.sites.len(), &edges),
        cluster_of: vec![0; problem.sites.len()],
        clusters: 1,
        members: vec![problem.weights.iter().sum()],
        centroids: Vec::new(),
    };
    state.centroids = centroids(problem.space, problem.sites, problem.weights, &state.cluster_of, 1);
    let (mut refused, mut in_a_row) = (0, 0);
    problem.progress.stage("cuts", Some(edges.len() as u64));
    loop {
        let before = edges.len();
        let mut left = Vec::with_capacity(before);
        for (place, &edge) in edges.iter().enumerate() {
            problem.progress.check()?;
            problem.progress.at(place as u64);
            if state.clusters >= problem.options.max_clusters || in_a_row >= problem.options.patience {
                return Ok(Partition { cluster_of_site: state.cluster_of, refused, exhausted: false });
            }
            match state.cut(edge) {
                Tried::Cut => in_a_row = 0,
                // Sides only lose members: too few once is too few for good.
                Tried::TooFew => {}
                Tried::Refused => {
                    in_a_row += 1;
                    refused += 1;
                    left.push(edge);
                }
            }
        }
        if left.len() == before || left.is_empty() || in_a_row >= left.len() {
            return Ok(Partition { cluster_of_site: state.cluster_of, refused, exhausted: true });
        }
        edges = left;
    }
}

enum Tried {
    Cut,
    TooFew,
    Refused,
}

struct State<'a> {
    problem: &'a Problem<'a>,
    forest: Forest,
    cluster_of: Vec<u32>,
    clusters: usize,
    members: Vec<u64>,
    centroids: Vec<Vec<u32>>,
}

impl State<'_> {
    fn cut(&mut self, edge: Edge) -> Tried {
        let problem = self.problem;
        let old = self.cluster_of[edge.a as usize] as usize;
        self.forest.set_alive(edge, false);
        let side = self.forest.smaller_side(edge);
        let members: u64 = side.iter().map(|&site| problem.weights[site as usize]).sum();
        let least = problem.options.min_members;
        if members < least || self.members[old] - members < least {
            self.forest.set_alive(edge, true);
            return Tried::TooFew;
        }
        let new = self.clusters as u32;
        for &site in &side {
            self.cluster_of[site as usize] = new;
        }
        let moved =
            centroids(problem.space, problem.sites, problem.weights, &self.cluster_of, self.clusters + 1);
        if self.is_legal(&moved) {
            self.centroids = moved;
            self.members[old] -= members;
            self.members.push(members);
            self.clusters += 1;
            return Tried::Cut;
        }
        for &site in &side {
            self.cluster_of[site as usize] = old as u32;
        }
        self.forest.set_alive(edge, true);
        Tried::Refused
    }

    fn is_legal(&self, centroids: &[Vec<u32>]) -> bool {
        let problem = self.problem;
        let mut spans: HashMap<Vec<u32>, u64> = HashMap::new();
        for (reached, people) in
            reaches(problem.space, centroids, problem.people).into_iter().zip(problem.population)
        {
            *spans.entry(reached).or_default() += people;
        }
        let options = problem.options;
        spans.iter().all(|(span, &people)| options.rule.allows(span.len(), people, options.k))
    }
}

/// Per cluster the mean of its records on every numeric axis, rounded to the grid, and the first of the most frequent categories.
pub(super) fn centroids(
    space: &Space,
    sites: &[Vec<u32>],
    weights: &[u64],
    cluster_of: &[u32],
    clusters: usize,
) -> Vec<Vec<u32>> {
    let mut members = vec![0u64; clusters];
    for (&cluster, weight) in cluster_of.iter().zip(weights) {
        members[cluster as usize] += weight;
    }
    let mut found = vec![Vec::with_capacity(space.axes.len()); clusters];
    for (place, axis) in space.axes.iter().enumerate() {
        match axis.domain {
            AxisDomain::Numbers { .. } => {
                let mut sums = vec![0u64; clusters];
                for ((site, &cluster), weight) in sites.iter().zip(cluster_of).zip(weights) {
                    sums[cluster as usize] += u64::from(site[place]) * weight;
                }
                for (own, (sum, &members)) in found.iter_mut().zip(sums.iter().zip(&members)) {
                    let members = members.max(1);
                    own.push(((sum + members / 2) / members) as u32);
                }
            }
            AxisDomain::Categories { ref values } => {
                let mut counts = vec![0u64; clusters * values.len()];
                for ((site, &cluster), weight) in sites.iter().zip(cluster_of).zip(weights) {
                    counts[cluster as usize * values.len() + site[place] as usize] += weight;
                }
                for (own, counts) in found.iter_mut().zip(counts.chunks_exact(values.len())) {
                    let most = counts.iter().max().copied().unwrap_or(0);
                    own.push(counts.iter().position(|&count| count == most).unwrap_or(0) as u32);
                }
            }
        }
    }
    found
}
