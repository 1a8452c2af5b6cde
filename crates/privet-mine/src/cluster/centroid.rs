//! Cutting the spanning tree when records belong to the cluster with the nearest centroid.
//!
//! Every centroid that a cut makes moves cells of other clusters too, so the three-way rule of the source is wrong here (DEF-14): the
//! reach of everybody may change with every edge that is tried. It is kept per person, exactly: who could not belong to the cluster that
//! is cut belongs to one of the clusters before or to one of the two new ones. Spans do not only get finer, so a refused edge is tried again after others
//! were cut, until a whole pass cuts none. Centroids are means (of categories: modes), rounded to the grid, so
//! that what is published is what was judged.
//!
//! Growth: people and the points that are cut off for every edge that is tried, and people near the cut × log clusters; `patience` bounds how many
//! are. A clustering by Gower's distance or with several private numbers looks at all clusters in reach by public axes for every person near the cut.

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::cut::Forest;
use super::reach::{Scratch, Sites};
use super::space::{AxisDomain, Space};
use super::spanning::{Edge, spanning_tree};
use super::{Partition, Problem};
use crate::MineError;

pub(super) fn search(problem: &Problem<'_>) -> Result<Partition, MineError> {
    let mut edges = spanning_tree(problem.space, problem.sites, problem.progress)?;
    let all = Totals::of(problem, 0..problem.sites.len());
    let centroid = all.centroid(problem.space);
    let mut state = State {
        problem,
        forest: Forest::new(problem.sites.len(), &edges),
        cluster_of: vec![0; problem.sites.len()],
        clusters: 1,
        totals: vec![all],
        centroids: vec![centroid],
        reached: vec![vec![0]; problem.people.len()],
        spans: [(vec![0], problem.population.iter().sum())].into_iter().collect(),
    };
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
    /// Per cluster what its centroid is made of, and the centroid.
    totals: Vec<Totals>,
    centroids: Vec<Vec<u32>>,
    /// Per person the clusters that it may belong to.
    reached: Vec<Vec<u32>>,
    /// Per set of clusters its people.
    spans: HashMap<Vec<u32>, u64>,
}

impl State<'_> {
    fn cut(&mut self, edge: Edge) -> Tried {
        let problem = self.problem;
        let old = self.cluster_of[edge.a as usize] as usize;
        self.forest.set_alive(edge, false);
        let side = self.forest.smaller_side(edge);
        let part = Totals::of(problem, side.iter().map(|&site| site as usize));
        let rest = self.totals[old].less(&part);
        let least = problem.options.min_members;
        if part.members < least || rest.members < least {
            self.forest.set_alive(edge, true);
            return Tried::TooFew;
        }
        let mut moved = self.centroids.clone();
        moved[old] = rest.centroid(problem.space);
        moved.push(part.centroid(problem.space));
        let changed = self.changed(&moved, old as u32);
        if let Some(spans) = self.legal(&changed) {
            for (person, reached) in changed {
                self.reached[person] = reached;
            }
            self.spans.extend(spans);
            self.spans.retain(|_, people| *people > 0);
            for &site in &side {
                self.cluster_of[site as usize] = self.clusters as u32;
            }
            self.totals[old] = rest;
            self.totals.push(part);
            self.centroids = moved;
            self.clusters += 1;
            return Tried::Cut;
        }
        self.forest.set_alive(edge, true);
        Tried::Refused
    }

    /// The people whose reach changes with new centroids of a cluster and of one that is added, with their new reach.
    fn changed(&self, moved: &[Vec<u32>], old: u32) -> Vec<(usize, Vec<u32>)> {
        let oracle = Sites::new(self.problem.space, moved);
        let new = self.clusters as u32;
        let one = |scratch: &mut Scratch, (person, own): (usize, &Vec<u32>)| {
            let record = &self.problem.people[person];
            let mut out = Vec::new();
            match own.contains(&old) {
                true => oracle.reachable(record, scratch, &mut out),
                false => {
                    let among: Vec<u32> = own.iter().copied().chain([old, new]).collect();
                    oracle.reachable_among(record, &among, scratch, &mut out);
                }
            }
            (out != *own).then_some((person, out))
        };
        let people = self.reached.par_iter().enumerate().with_min_len(256);
        people.map_init(Scratch::default, one).flatten_iter().collect()
    }

    /// What the changes do to the people of each span; nothing when a span would break the rule.
    fn legal(&self, changed: &[(usize, Vec<u32>)]) -> Option<HashMap<Vec<u32>, u64>> {
        let mut spans: HashMap<&[u32], (u64, u64)> = HashMap::new();
        for (person, reached) in changed {
            let people = self.problem.population[*person];
            spans.entry(&self.reached[*person]).or_default().0 += people;
            spans.entry(reached).or_default().1 += people;
        }
        let options = self.problem.options;
        let mut after = HashMap::with_capacity(spans.len());
        for (span, (gone, come)) in spans {
            let people = self.spans.get(span).copied().unwrap_or(0) + come - gone;
            if !options.rule.allows(span.len(), people, options.k) {
                return None;
            }
            after.insert(span.to_vec(), people);
        }
        Some(after)
    }
}

/// What a centroid is made of.
struct Totals {
    members: u64,
    /// Per axis the sum of positions; of categories how many records have each.
    axes: Vec<Vec<u64>>,
}

impl Totals {
    fn of(problem: &Problem<'_>, some: impl Iterator<Item = usize>) -> Self {
        let axes = &problem.space.axes;
        let empty = axes.iter().map(|axis| match &axis.domain {
            AxisDomain::Numbers { .. } => vec![0],
            AxisDomain::Categories { values } => vec![0; values.len()],
        });
        let mut own = Self { members: 0, axes: empty.collect() };
        for site in some {
            let weight = problem.weights[site];
            own.members += weight;
            for ((total, axis), &at) in own.axes.iter_mut().zip(axes).zip(&problem.sites[site]) {
                match axis.domain {
                    AxisDomain::Numbers { .. } => total[0] += u64::from(at) * weight,
                    AxisDomain::Categories { .. } => total[at as usize] += weight,
                }
            }
        }
        own
    }

    /// These without a part of them.
    fn less(&self, part: &Self) -> Self {
        let less = |(own, part): (&Vec<u64>, &Vec<u64>)| own.iter().zip(part).map(|(a, b)| a - b).collect();
        Self {
            members: self.members - part.members,
            axes: self.axes.iter().zip(&part.axes).map(less).collect(),
        }
    }

    /// As [`centroids`] says.
    fn centroid(&self, space: &Space) -> Vec<u32> {
        let members = self.members.max(1);
        let at = |(total, axis): (&Vec<u64>, &super::Axis)| match axis.domain {
            AxisDomain::Numbers { .. } => ((total[0] + members / 2) / members) as u32,
            AxisDomain::Categories { .. } => {
                let most = total.iter().max().copied().unwrap_or(0);
                total.iter().position(|&count| count == most).unwrap_or(0) as u32
            }
        };
        self.axes.iter().zip(&space.axes).map(at).collect()
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
