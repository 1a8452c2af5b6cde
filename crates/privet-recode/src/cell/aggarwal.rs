//! A forest of nearest neighbours, cut into groups: Aggarwal et al., "Approximation algorithms for k-anonymity"
//! (survey ME-04).
//!
//! Guarantee: at most 3k - 3 times the fewest suppressed cells (k ≥ 2). Why:
//!
//! *The forest is no heavier than the optimum.* While a component has fewer than k records, the one record of it
//! without an outgoing edge gets one, to the nearest record outside. Of its k - 1 nearest neighbours at most k - 2
//! are in the component, so the edge is no longer than the distance to the (k-1)-th, which is a lower bound on the
//! cells that this record loses in any solution (see [`nearness`](super::tuples::nearness)). Every record has at
//! most one outgoing edge.
//!
//! *A group costs at most its records × the weight of a tree that spans it*, since a column that varies changes
//! along some edge. Components are cut from the leaves up into groups whose trees share no edge, of at most 3k - 3
//! records. At a vertex the bundles handed up by its children, each of fewer than k records, are joined until
//! there are k (so at most 2k - 2); the last bundle is filled up with copies of the vertex; what is then too small
//! is handed up with the edge above it. What is left at the root, fewer than k records, joins a group: the tree
//! that spans it touches that of some group of this component, or is one unused edge away, so that group has at
//! most (2k - 2) + (k - 1) records and still shares no edge. It joins the group where it costs least, which is no
//! dearer.
//!
//! Equal records are one vertex with copies: in the forest of the paper they are joined first, by edges of length
//! 0, and such edges may be laid in any way. A group of copies alone costs nothing however large it is.
//!
//! The paper picks components and neighbours at will. Here records with near neighbours go first, and of several
//! nearest neighbours the one is taken with which the fewest columns vary in the joined component.

use privet_data::{Cancelled, Progress};

use super::group::{Group, count};
use super::tuples::Tuples;

/// Groups of at least k records. `nearest` is the distance from each tuple to the nearest other one.
pub fn solve(
    tuples: &Tuples,
    k: u64,
    nearest: &[u16],
    progress: &dyn Progress,
) -> Result<Vec<Group>, Cancelled> {
    let forest = grow(tuples, k, nearest, progress)?;
    progress.check()?;
    Ok(cut(tuples, k, &forest))
}

/// Marks a root.
const NONE: u32 = u32::MAX;

struct Forest {
    /// Per tuple where its edge goes.
    parent: Vec<u32>,
    /// Per tuple its component.
    component: Vec<u32>,
}

fn grow(tuples: &Tuples, k: u64, nearest: &[u16], progress: &dyn Progress) -> Result<Forest, Cancelled> {
    let mut components = Components::new(tuples);
    let mut parent = vec![NONE; tuples.len()];
    let mut order: Vec<usize> = (0..tuples.len()).collect();
    order.sort_by_key(|&tuple| nearest[tuple]);
    progress.stage("joining near records", Some(tuples.len() as u64));
    let (mut distances, mut joined) = (Vec::new(), vec![0; tuples.words()]);
    for (done, &tuple) in order.iter().enumerate() {
        progress.at(done as u64);
        progress.check()?;
        // It has no edge yet, and a component has one such tuple only: this is the root of its component.
        let own = components.find(tuple);
        if components.rows[own] >= k {
            continue;
        }
        tuples.distances(tuple, &mut distances);
        for &member in &components.members[own] {
            distances[member as usize] = u16::MAX;
        }
        let Some(&shortest) = distances.iter().min() else { continue };
        let candidates = distances.iter().enumerate().filter(|&(_, &distance)| distance == shortest);
        let mut stars_with = |other: usize| {
            joined.copy_from_slice(components.varying(own));
            tuples.add_differing(tuple, other, &mut joined);
            let theirs = components.find(other);
            joined.iter_mut().zip(components.varying(theirs)).for_each(|(word, more)| *word |= more);
            count(&joined)
        };
        let Some(neighbour) = candidates.map(|(other, _)| other).min_by_key(|&other| stars_with(other))
        else {
            continue;
        };
        parent[tuple] = neighbour as u32;
        components.join(tuples, k, tuple, neighbour);
    }
    let component = (0..tuples.len()).map(|tuple| components.find(tuple) as u32).collect();
    Ok(Forest { parent, component })
}

/// The components of the forest, as disjoint sets.
struct Components {
    leader: Vec<u32>,
    /// Per leader the records.
    rows: Vec<u64>,
    /// Per leader the tuples, while they have fewer than k records.
    members: Vec<Vec<u32>>,
    // Per leader the columns that vary.
    varying: Vec<u64>,
    words: usize,
}

impl Components {
    fn new(tuples: &Tuples) -> Self {
        let numbers = 0..tuples.len() as u32;
        Self {
            leader: numbers.clone().collect(),
            rows: tuples.copies.clone(),
            members: numbers.map(|tuple| vec![tuple]).collect(),
            varying: vec![0; tuples.len() * tuples.words()],
            words: tuples.words(),
        }
    }

    fn find(&mut self, tuple: usize) -> usize {
        let mut at = tuple;
        while self.leader[at] as usize != at {
            let above = self.leader[at] as usize;
            self.leader[at] = self.leader[above];
            at = above;
        }
        at
    }

    fn varying(&self, leader: usize) -> &[u64] {
        &self.varying[leader * self.words..(leader + 1) * self.words]
    }

    fn join(&mut self, tuples: &Tuples, k: u64, from: usize, to: usize) {
        let (from_leader, to_leader) = (self.find(from), self.find(to));
        let begin = to_leader * self.words;
        for word in 0..self.words {
            self.varying[begin + word] |= self.varying[from_leader * self.words + word];
        }
        tuples.add_differing(from, to, &mut self.varying[begin..begin + self.words]);
        self.leader[from_leader] = to_leader as u32;
        self.rows[to_leader] += self.rows[from_leader];
        let more = std::mem::take(&mut self.members[from_leader]);
        if self.rows[to_leader] < k {
            self.members[to_leader].extend(more);
        } else {
            self.members[to_leader] = Vec::new();
        }
    }
}

fn cut(tuples: &Tuples, k: u64, forest: &Forest) -> Vec<Group> {
    let mut children = vec![0u32; tuples.len()];
    for &parent in forest.parent.iter().filter(|&&parent| parent != NONE) {
        children[parent as usize] += 1;
    }
    let mut ready: Vec<usize> = (0..tuples.len()).filter(|&tuple| children[tuple] == 0).collect();
    let mut handed_up: Vec<Vec<Group>> = vec![Vec::new(); tuples.len()];
    let mut groups: Vec<Vec<Group>> = vec![Vec::new(); tuples.len()];
    while let Some(tuple) = ready.pop() {
        let groups = &mut groups[forest.component[tuple] as usize];
        let rest = gather(tuples, k, tuple, std::mem::take(&mut handed_up[tuple]), groups);
        let parent = forest.parent[tuple];
        if parent == NONE {
            if let Some(rest) = rest {
                join_cheapest(tuples, k, rest, groups);
            }
            continue;
        }
        handed_up[parent as usize].extend(rest);
        children[parent as usize] -= 1;
        if children[parent as usize] == 0 {
            ready.push(parent as usize);
        }
    }
    groups.into_iter().flatten().collect()
}

/// Makes groups of what came up to a tuple and of its copies. Returns what is too small for one.
fn gather(
    tuples: &Tuples,
    k: u64,
    tuple: usize,
    mut bundles: Vec<Group>,
    groups: &mut Vec<Group>,
) -> Option<Group> {
    // Bundles that vary in the same columns go together.
    bundles.sort_by(|a, b| (&a.varying, a.members[0]).cmp(&(&b.varying, b.members[0])));
    let mut open: Option<Group> = None;
    for bundle in bundles {
        let mut joined = bundle;
        if let Some(open) = open.take() {
            joined.absorb(tuples, open);
        }
        if joined.rows >= k {
            groups.push(joined);
        } else {
            open = Some(joined);
        }
    }
    let mut copies = tuples.copies[tuple];
    if let Some(mut open) = open {
        let fill = copies.min(k - open.rows);
        open.absorb(tuples, Group::of(tuples, tuple, fill));
        copies -= fill;
        if open.rows < k {
            return Some(open);
        }
        groups.push(open);
    }
    if copies >= k {
        groups.push(Group::of(tuples, tuple, copies));
        return None;
    }
    (copies > 0).then(|| Group::of(tuples, tuple, copies))
}

/// Adds what is too small for a group to the one where it costs least. Of copies of one tuple only as many are
/// taken as are needed, if the others can do without.
fn join_cheapest(tuples: &Tuples, k: u64, mut rest: Group, groups: &mut Vec<Group>) {
    let missing = k - rest.rows;
    let spares = |group: &Group| group.members.len() == 1 && group.rows >= k + missing;
    let dearer = |group: &Group| {
        let stars = group.stars_with(tuples, &rest);
        if spares(group) { k * stars } else { (group.rows + rest.rows) * stars - group.cells() }
    };
    let Some(cheapest) = (0..groups.len()).min_by_key(|&group| dearer(&groups[group])) else {
        // A component has k records, so it has a group; should it not, the check at the end refuses this one.
        groups.push(rest);
        return;
    };
    let group = &mut groups[cheapest];
    if spares(group) {
        let tuple = group.members[0].0;
        group.release(tuples, tuple, missing);
        rest.absorb(tuples, Group::of(tuples, tuple as usize, missing));
        groups.push(rest);
    } else {
        group.absorb(tuples, rest);
    }
}
