//! Cutting the spanning tree when records belong to the cluster of the nearest training point.
//!
//! The cells of points do not move when a cluster is cut, so the points that a person may be nearest to are computed once. A cut
//! splits every span that holds the cluster in three: people who reach only one part, only the other, or both. Spans only get finer, so
//! what is refused once stays refused, and one pass over the edges, the longest first, finds what the source's loop finds.
//!
//! Growth: a cut is judged in the size of its smaller side, and of the people who reach into it.

use foldhash::{HashMap, HashMapExt};

use super::spanning::{Edge, spanning_tree};
use super::{Partition, Problem, reaches};
use crate::MineError;

pub(super) fn search(problem: &Problem<'_>) -> Result<Partition, MineError> {
    let edges = spanning_tree(problem.space, problem.sites, problem.progress)?;
    let reached = reaches(problem.space, problem.sites, problem.people, problem.progress)?;
    let mut state = State::new(problem, &edges, &reached);
    let (mut refused, mut in_a_row, mut exhausted) = (0, 0, true);
    problem.progress.stage("cuts", Some(edges.len() as u64));
    for (place, &edge) in edges.iter().enumerate() {
        if place % 256 == 0 {
            problem.progress.check()?;
            problem.progress.at(place as u64);
        }
        if state.clusters as usize >= problem.options.max_clusters || in_a_row >= problem.options.patience {
            exhausted = false;
            break;
        }
        match state.cut(edge) {
            true => in_a_row = 0,
            false => {
                in_a_row += 1;
                refused += 1;
            }
        }
    }
    Ok(Partition { cluster_of_site: state.cluster_of, refused, exhausted })
}

/// A forest of points whose edges can be cut; finds the smaller side of an edge in the size of that side.
pub(super) struct Forest {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    is_alive: Vec<bool>,
    seen: Vec<u32>,
    round: u32,
}

impl Forest {
    pub fn new(points: usize, edges: &[Edge]) -> Self {
        let mut degrees = vec![0u32; points + 1];
        for edge in edges {
            degrees[edge.a as usize + 1] += 1;
            degrees[edge.b as usize + 1] += 1;
        }
        for place in 1..degrees.len() {
            degrees[place] += degrees[place - 1];
        }
        let (starts, mut next) = (degrees.clone(), degrees);
        let mut neighbours = vec![0; edges.len() * 2];
        for edge in edges {
            for (from, to) in [(edge.a, edge.b), (edge.b, edge.a)] {
                neighbours[next[from as usize] as usize] = to;
                next[from as usize] += 1;
            }
        }
        Self { starts, is_alive: vec![true; neighbours.len()], neighbours, seen: vec![0; points], round: 0 }
    }

    pub fn set_alive(&mut self, edge: Edge, alive: bool) {
        for (from, to) in [(edge.a, edge.b), (edge.b, edge.a)] {
            for place in self.starts[from as usize]..self.starts[from as usize + 1] {
                if self.neighbours[place as usize] == to {
                    self.is_alive[place as usize] = alive;
                }
            }
        }
    }

    /// The side of an edge, which must be cut, that has fewer points; both sides grow in turn until one is complete.
    pub fn smaller_side(&mut self, edge: Edge) -> Vec<u32> {
        self.round += 1;
        let mut sides = [vec![edge.a], vec![edge.b]];
        let mut done = [0usize; 2];
        self.seen[edge.a as usize] = self.round;
        self.seen[edge.b as usize] = self.round;
        loop {
            for side in 0..2 {
                let Some(&at) = sides[side].get(done[side]) else { return std::mem::take(&mut sides[side]) };
                done[side] += 1;
                for place in self.starts[at as usize]..self.starts[at as usize + 1] {
                    let to = self.neighbours[place as usize];
                    if self.is_alive[place as usize] && self.seen[to as usize] != self.round {
                        self.seen[to as usize] = self.round;
                        sides[side].push(to);
                    }
                }
            }
        }
    }
}

struct State<'a> {
    problem: &'a Problem<'a>,
    forest: Forest,
    cluster_of: Vec<u32>,
    clusters: u32,
    /// Per cluster its records.
    members: Vec<u64>,
    /// Per point the people who reach it.
    starts: Vec<u32>,
    touching: Vec<u32>,
    /// Per person the clusters in reach, with how many of their points.
    within: Vec<Vec<(u32, u32)>>,
    span_of: Vec<u32>,
    /// Per span how many clusters it has, and its people.
    spans: Vec<(u32, u64)>,
    /// How many points of the smaller side a person reaches.
    counts: Vec<u32>,
}

impl<'a> State<'a> {
    fn new(problem: &'a Problem<'a>, edges: &[Edge], reached: &[Vec<u32>]) -> Self {
        let points = problem.sites.len();
        let mut starts = vec![0u32; points + 1];
        for &site in reached.iter().flatten() {
            starts[site as usize + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut touching = vec![0; starts[points] as usize];
        for (person, sites) in reached.iter().enumerate() {
            for &site in sites {
                touching[next[site as usize] as usize] = person as u32;
                next[site as usize] += 1;
            }
        }
        Self {
            problem,
            forest: Forest::new(points, edges),
            cluster_of: vec![0; points],
            clusters: 1,
            members: vec![problem.weights.iter().sum()],
            starts,
            touching,
            within: reached.iter().map(|sites| vec![(0, sites.len() as u32)]).collect(),
            span_of: vec![0; reached.len()],
            spans: vec![(1, problem.population.iter().sum())],
            counts: vec![0; reached.len()],
        }
    }

    /// Cuts an edge if the rule allows it.
    fn cut(&mut self, edge: Edge) -> bool {
        let old = self.cluster_of[edge.a as usize];
        self.forest.set_alive(edge, false);
        let side = self.forest.smaller_side(edge);
        let members: u64 = side.iter().map(|&site| self.problem.weights[site as usize]).sum();
        let least = self.problem.options.min_members;
        let touched = self.touched(&side);
        let parts = self.parts(&touched, old);
        let is_legal = members >= least
            && self.members[old as usize] - members >= least
            && parts.iter().all(|(&span, &part)| self.allows(span, part));
        if is_legal {
            self.apply(&side, members, &touched, old);
        } else {
            self.forest.set_alive(edge, true);
        }
        for &person in &touched {
            self.counts[person as usize] = 0;
        }
        is_legal
    }

    /// The people who reach into a side; counts the points that they reach there.
    fn touched(&mut self, side: &[u32]) -> Vec<u32> {
        let mut touched = Vec::new();
        for &site in side {
            for place in self.starts[site as usize]..self.starts[site as usize + 1] {
                let person = self.touching[place as usize];
                if self.counts[person as usize] == 0 {
                    touched.push(person);
                }
                self.counts[person as usize] += 1;
            }
        }
        touched
    }

    /// Per span the people who reach only the side, and those who reach both.
    fn parts(&self, touched: &[u32], old: u32) -> HashMap<u32, (u64, u64)> {
        let mut parts: HashMap<u32, (u64, u64)> = HashMap::new();
        for &person in touched {
            let (only, both) = parts.entry(self.span_of[person as usize]).or_default();
            let people = self.problem.population[person as usize];
            match self.is_only(person, old) {
                true => *only += people,
                false => *both += people,
            }
        }
        parts
    }

    fn is_only(&self, person: u32, old: u32) -> bool {
        let counts = &self.within[person as usize];
        counts.iter().any(|&(cluster, count)| cluster == old && count == self.counts[person as usize])
    }

    fn allows(&self, span: u32, (only, both): (u64, u64)) -> bool {
        let options = self.problem.options;
        let (clusters, people) = self.spans[span as usize];
        let allowed = |clusters: u32, people| options.rule.allows(clusters as usize, people, options.k);
        allowed(clusters, only) && allowed(clusters + 1, both) && allowed(clusters, people - only - both)
    }

    fn apply(&mut self, side: &[u32], members: u64, touched: &[u32], old: u32) {
        let new = self.clusters;
        self.clusters += 1;
        self.members[old as usize] -= members;
        self.members.push(members);
        for &site in side {
            self.cluster_of[site as usize] = new;
        }
        let mut numbers: HashMap<(u32, bool), u32> = HashMap::new();
        for &person in touched {
            let is_only = self.is_only(person, old);
            let count = self.counts[person as usize];
            let within = &mut self.within[person as usize];
            for own in within.iter_mut().filter(|(cluster, _)| *cluster == old) {
                own.1 -= count;
            }
            within.retain(|&(_, count)| count > 0);
            within.push((new, count));
            let span = self.span_of[person as usize];
            let clusters = within.len() as u32;
            let next = self.spans.len() as u32;
            let number = *numbers.entry((span, is_only)).or_insert(next);
            if number == next {
                self.spans.push((clusters, 0));
            }
            let people = self.problem.population[person as usize];
            self.spans[span as usize].1 -= people;
            self.spans[number as usize].1 += people;
            self.span_of[person as usize] = number;
        }
    }
}
