//! k-neighbourhood anonymity (survey AP-06; Zhou and Pei 2008): edges are added and labels made more general until every node's
//! neighbourhood, the graph between its neighbours with their labels, is isomorphic to those of k-1 others.
//!
//! Guarantee. Labels only rise in their tree, and the result has been judged by canonical codes. With [`Direction::Adding`] every
//! edge is kept; where that is not reached within a number of added edges there is an error and no graph. With
//! [`Direction::AddingAndDeleting`] there always is a graph: where adding does not reach it soon, edges are deleted. As in the source, nodes with most
//! neighbours come first, nodes that are alike are made equal, and new neighbours are nodes of low degree. Differs in
//! that nodes whose neighbourhoods change later are simply judged again, and in what is compared when nodes are matched.
//!
//! Limit. Where many neighbourhoods overlap, as around hubs, every edge that is added in one of them changes others, so adding alone ends
//! with an error, and deleting takes most of the triangles away; k-degree anonymity or clusters keep more of such networks.

mod deleting;
#[cfg(test)]
mod tests;

use foldhash::HashMap;
use privet_data::{Progress, Random};
use rayon::prelude::*;

use super::degrees::Direction;
use super::labels::LabelTree;
use super::{Changes, Edited};
use crate::criteria::canonical::{Lists, code};
use crate::{Editor, Graph, GraphError};

/// The most calls for one code.
const BUDGET: u64 = 20_000;
/// How often all nodes that fail are gone through.
const ROUNDS: u64 = 60;
/// The same where edges may be deleted afterwards.
const FEW_ROUNDS: u64 = 8;
/// Candidates that are looked at for a new neighbour.
const LOOK: usize = 256;

/// A graph whose neighbourhoods are anonymous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The graph and what was added.
    pub edited: Edited,
    /// The label of each node, where labels were given.
    pub labels: Option<Vec<u32>>,
}

/// Makes every neighbourhood isomorphic to those of `k` - 1 other nodes.
///
/// ```
/// use privet_graph::{Direction, generate, k_neighbourhood, neighbourhood_classes};
/// let graph = generate::uniform(200, 90, 3)?;
/// let published = k_neighbourhood(&graph, 2, Direction::Adding, None, 1, &privet_data::Silent)?;
/// let classes = neighbourhood_classes(&published.edited.graph, None)?.classes;
/// assert!(classes.smallest() >= 2);
/// # Ok::<(), privet_graph::GraphError>(())
/// ```
///
/// # Errors
/// When the graph is directed, labels do not fit, `k` is 0 or more than there are nodes, nothing was found within the
/// limits by adding alone, or the person asked to stop.
pub fn k_neighbourhood(
    graph: &Graph,
    k: u32,
    direction: Direction,
    labels: Option<(&[u32], &LabelTree)>,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Labelled, GraphError> {
    graph.must_be_undirected("k-neighbourhood anonymity")?;
    let nodes = graph.nodes();
    if k == 0 {
        return Err(GraphError::Parameter { key: "k", accepted: "1 or more" });
    }
    if k as usize > nodes && nodes > 0 {
        return Err(GraphError::Unreachable { k: k.into(), nodes: nodes as u64 });
    }
    if let Some((codes, tree)) = labels {
        if codes.len() != nodes {
            return Err(GraphError::Length { what: "the labels", nodes });
        }
        if codes.iter().any(|&code| code as usize >= tree.codes()) {
            return Err(GraphError::Parameter { key: "labels", accepted: "codes of the tree" });
        }
    }
    let mut state = State::new(graph, k, labels, seed)?;
    progress.stage("making neighbourhoods alike", None);
    let rounds = match direction {
        Direction::Adding => ROUNDS,
        Direction::AddingAndDeleting => {
            state.most = graph.edge_count() + graph.edge_count() / 4;
            FEW_ROUNDS
        }
    };
    if !state.add_until_alike(rounds, progress)? {
        if direction == Direction::Adding {
            return Err(GraphError::NotFound {
                what: "a graph whose neighbourhoods occur k times",
                tries: rounds,
            });
        }
        progress.stage("deleting edges", None);
        state = State::new(graph, k, labels, seed)?;
        state.delete_until_alike(progress)?;
    }
    let published = state.editor.graph();
    let changes = Changes::between(graph, &published);
    let edited = Edited { graph: published, changes };
    Ok(Labelled { edited, labels: labels.map(|_| state.labels) })
}

struct State<'a> {
    editor: Editor,
    k: u32,
    labels: Vec<u32>,
    tree: Option<&'a LabelTree>,
    /// The class of each node's code and how many have it.
    class: Vec<u32>,
    sizes: Vec<u32>,
    number: HashMap<Vec<u32>, u32>,
    is_stale: Vec<bool>,
    /// Nodes of low degree first.
    low: Vec<u32>,
    most: u64,
    random: Random,
}

impl<'a> State<'a> {
    fn new(
        graph: &Graph,
        k: u32,
        labels: Option<(&[u32], &'a LabelTree)>,
        seed: u64,
    ) -> Result<Self, GraphError> {
        let nodes = graph.nodes();
        let mut random = Random::stream(seed, 27);
        let mut low: Vec<u32> = (0..nodes as u32).collect();
        random.shuffle(&mut low);
        low.sort_by_key(|&node| graph.degree(node));
        Ok(Self {
            editor: Editor::new(graph)?,
            k,
            labels: labels.map_or_else(|| vec![0; nodes], |own| own.0.to_vec()),
            tree: labels.map(|own| own.1),
            class: vec![u32::MAX; nodes],
            sizes: Vec::new(),
            number: HashMap::default(),
            is_stale: vec![true; nodes],
            low,
            most: 6 * graph.edge_count() + 4 * u64::from(k) * nodes as u64,
            random,
        })
    }

    /// Adds edges; whether every neighbourhood occurs k times afterwards.
    fn add_until_alike(&mut self, rounds: u64, progress: &dyn Progress) -> Result<bool, GraphError> {
        for _ in 0..rounds {
            self.refresh(progress)?;
            if self.failing().next().is_none() {
                return Ok(true);
            }
            self.round(progress)?;
            if self.editor.edge_count() > self.most {
                break;
            }
        }
        self.refresh(progress)?;
        Ok(self.failing().next().is_none())
    }

    /// The graph between the neighbours, by their places in the list.
    fn inner(&self, node: u32) -> Lists {
        let around = self.editor.neighbours(node);
        let each = around.iter().map(|&other| {
            let (list, mut found) = (self.editor.neighbours(other), Vec::new());
            let (mut i, mut j) = (0, 0);
            while i < around.len() && j < list.len() {
                match around[i].cmp(&list[j]) {
                    std::cmp::Ordering::Less => i += 1,
                    std::cmp::Ordering::Greater => j += 1,
                    std::cmp::Ordering::Equal => {
                        found.push(i as u32);
                        i += 1;
                        j += 1;
                    }
                }
            }
            found
        });
        each.collect()
    }

    /// The label and the code of the neighbourhood; of one whose code takes too long, something that no other node has.
    fn key(&self, node: u32) -> Vec<u32> {
        let around = self.editor.neighbours(node);
        let colours: Vec<u32> = around.iter().map(|&other| self.labels[other as usize]).collect();
        let mut key = vec![self.labels[node as usize]];
        match code(&self.inner(node), &colours, &mut BUDGET.clone()) {
            Some(own) => key.extend(own),
            None => key.extend([u32::MAX, node]),
        }
        key
    }

    fn refresh(&mut self, progress: &dyn Progress) -> Result<(), GraphError> {
        let stale: Vec<u32> =
            self.is_stale.iter().zip(0..).filter(|own| *own.0).map(|(_, node)| node).collect();
        let state = &*self;
        let keys: Vec<Vec<u32>> = stale
            .par_iter()
            .map(|&node| progress.check().map(|()| state.key(node)))
            .collect::<Result<_, privet_data::Cancelled>>()?;
        for (node, key) in stale.into_iter().zip(keys) {
            self.is_stale[node as usize] = false;
            if let Some(size) = self.sizes.get_mut(self.class[node as usize] as usize) {
                *size -= 1;
            }
            let own = *self.number.entry(key).or_insert(self.sizes.len() as u32);
            if own as usize == self.sizes.len() {
                self.sizes.push(0);
            }
            self.sizes[own as usize] += 1;
            self.class[node as usize] = own;
        }
        Ok(())
    }

    fn fails(&self, node: u32) -> bool {
        self.sizes[self.class[node as usize] as usize] < self.k
    }

    fn failing(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.class.len() as u32).filter(|&node| self.fails(node))
    }

    /// Groups the nodes that fail, those with most neighbours first, with those most like them.
    fn round(&mut self, progress: &dyn Progress) -> Result<(), GraphError> {
        let shape = |state: &Self, node: u32| {
            let edges: usize = state.inner(node).iter().map(Vec::len).sum();
            (state.editor.degree(node), edges / 2)
        };
        let mut open: Vec<(usize, usize, u32)> = Vec::new();
        for node in self.failing() {
            let (degree, edges) = shape(self, node);
            open.push((degree, edges, node));
        }
        // Those with most neighbours are at the end, where they are taken from.
        open.sort_unstable();
        let k = self.k as usize;
        while let Some(first) = open.pop() {
            progress.check()?;
            let window = open.len().min(8 * k);
            let mut near: Vec<usize> = (open.len() - window..open.len()).rev().collect();
            // Edges that are added in one of two overlapping neighbourhoods change the other of a third node.
            let known = self.editor.neighbours(first.2);
            near.sort_by_cached_key(|&place| {
                let own = open[place];
                let shared = known.iter().filter(|&&node| self.editor.has_edge(node, own.2)).count();
                let is_tied = usize::from(self.editor.has_edge(first.2, own.2));
                10 * (first.0 - own.0) + first.1.abs_diff(own.1) + 20 * shared + 40 * is_tied
            });
            // What is left must not be too few for a group.
            let take = if open.len() + 1 < 2 * k { open.len() } else { k - 1 };
            near.truncate(take);
            near.sort_unstable_by(|a, b| b.cmp(a));
            let mut group = vec![first.2];
            group.extend(near.into_iter().map(|place| open.remove(place).2));
            if group.len() < k {
                self.join_others(&mut group);
            }
            self.make_alike(&group, progress)?;
            if self.editor.edge_count() > self.most {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Fills a group with nodes of the nearest degrees, out of classes that can spare one where there are any.
    fn join_others(&self, group: &mut Vec<u32>) {
        let degree = self.editor.degree(group[0]);
        let mut others: Vec<u32> = (0..self.class.len() as u32).filter(|own| !group.contains(own)).collect();
        others.sort_by_key(|&own| {
            let can_spare = self.sizes[self.class[own as usize] as usize] > self.k;
            (!can_spare, self.editor.degree(own).abs_diff(degree), own)
        });
        others.truncate(self.k as usize - group.len());
        group.extend(others);
    }

    fn make_alike(&mut self, group: &[u32], progress: &dyn Progress) -> Result<(), GraphError> {
        let leader = group[0];
        for _ in 0..2 * group.len() + 8 {
            let mut are_alike = true;
            for &other in &group[1..] {
                progress.check()?;
                if self.key(leader) != self.key(other) {
                    are_alike = false;
                    self.align(leader, other);
                }
                if self.editor.edge_count() > self.most {
                    return Ok(());
                }
            }
            if are_alike {
                break;
            }
        }
        Ok(())
    }

    /// Makes two neighbourhoods isomorphic, as far as what one step changes does not undo the other.
    fn align(&mut self, a: u32, b: u32) {
        while self.editor.degree(a) != self.editor.degree(b) {
            let (short, long) = if self.editor.degree(a) < self.editor.degree(b) { (a, b) } else { (b, a) };
            if !self.add_neighbour(short, long) {
                break;
            }
        }
        let pairs = self.matched(a, b);
        self.unite_labels(a, b);
        for (place, &(x, y)) in pairs.iter().enumerate() {
            self.unite_labels(x, y);
            for &(u, v) in &pairs[..place] {
                match (self.editor.has_edge(x, u), self.editor.has_edge(y, v)) {
                    (true, false) => self.add(y, v),
                    (false, true) => self.add(x, u),
                    _ => {}
                }
            }
        }
    }

    /// Neighbours of both nodes in pairs. Who is a neighbour of both stands for itself, so that an edge that is added in one
    /// neighbourhood never changes the other. Equal components without such nodes are left out, since nothing is missing.
    fn matched(&self, a: u32, b: u32) -> Vec<(u32, u32)> {
        let shared = |&own: &u32| self.editor.has_edge(a, own) && self.editor.has_edge(b, own);
        let mut pairs: Vec<(u32, u32)> =
            self.editor.neighbours(a).iter().copied().filter(shared).map(|own| (own, own)).collect();
        if self.editor.has_edge(a, b) {
            pairs.push((b, a));
        }
        let is_apart = |own: &u32| *own != a && *own != b && !shared(own);
        let (one, other) = (self.parts(a), self.parts(b));
        let is_whole = |part: &(Vec<u32>, Vec<u32>)| part.1.iter().all(is_apart);
        let mut codes: HashMap<&[u32], i64> = HashMap::default();
        one.iter().filter(|own| is_whole(own)).for_each(|part| *codes.entry(&part.0).or_default() += 1);
        other.iter().filter(|own| is_whole(own)).for_each(|part| *codes.entry(&part.0).or_default() -= 1);
        let rest = |parts: &[(Vec<u32>, Vec<u32>)], sign: i64| -> Vec<u32> {
            let mut left: HashMap<&[u32], i64> =
                codes.iter().map(|(&code, &count)| (code, (count * sign).max(0))).collect();
            let mut rest = Vec::new();
            for part in parts {
                if !is_whole(part) {
                    rest.extend(part.1.iter().copied().filter(is_apart));
                } else if let Some(count) = left.get_mut(&part.0[..]).filter(|count| **count > 0) {
                    *count -= 1;
                    rest.extend_from_slice(&part.1);
                }
            }
            rest
        };
        let (mut xs, mut ys) = (rest(&one, 1), rest(&other, -1));
        // Nodes with many neighbours first, and each with the one that has most edges to partners of its neighbours.
        let weight =
            |own: &[u32], node: u32| own.iter().filter(|&&to| self.editor.has_edge(node, to)).count();
        let (by_x, by_y) = (xs.clone(), ys.clone());
        xs.sort_by_cached_key(|&node| (weight(&by_x, node), self.labels[node as usize], node));
        ys.sort_by_cached_key(|&node| (weight(&by_y, node), self.labels[node as usize], node));
        while let Some(x) = xs.pop() {
            let tied: Vec<u32> =
                pairs.iter().filter(|pair| self.editor.has_edge(pair.0, x)).map(|pair| pair.1).collect();
            let likeness = |&(_, &y): &(usize, &u32)| {
                let same = weight(&tied, y);
                (same, self.labels[x as usize] == self.labels[y as usize])
            };
            // The last of equal ones has most neighbours.
            let Some((place, _)) = ys.iter().enumerate().max_by_key(likeness) else { break };
            pairs.push((x, ys.remove(place)));
        }
        pairs
    }

    /// The components of a neighbourhood: code and members.
    fn parts(&self, node: u32) -> Vec<(Vec<u32>, Vec<u32>)> {
        let (around, lists) = (self.editor.neighbours(node), self.inner(node));
        let mut part = vec![u32::MAX; lists.len()];
        let mut parts = Vec::new();
        for start in 0..lists.len() {
            if part[start] != u32::MAX {
                continue;
            }
            let mut members = vec![start as u32];
            part[start] = 0;
            let mut next = 0;
            while next < members.len() {
                for &other in &lists[members[next] as usize] {
                    if part[other as usize] == u32::MAX {
                        part[other as usize] = members.len() as u32;
                        members.push(other);
                    }
                }
                next += 1;
            }
            let renamed = |list: &Vec<u32>| {
                let mut own: Vec<u32> = list.iter().map(|&other| part[other as usize]).collect();
                own.sort_unstable();
                own
            };
            let inner: Lists = members.iter().map(|&own| renamed(&lists[own as usize])).collect();
            let nodes: Vec<u32> = members.iter().map(|&own| around[own as usize]).collect();
            let colours: Vec<u32> = nodes.iter().map(|&own| self.labels[own as usize]).collect();
            let own = code(&inner, &colours, &mut BUDGET.clone());
            parts.push((own.unwrap_or_else(|| vec![u32::MAX, node, start as u32]), nodes));
        }
        parts
    }

    fn unite_labels(&mut self, a: u32, b: u32) {
        let Some(tree) = self.tree else { return };
        let common = tree.common(self.labels[a as usize], self.labels[b as usize]);
        for node in [a, b] {
            if self.labels[node as usize] != common {
                self.labels[node as usize] = common;
                self.is_stale[node as usize] = true;
                self.editor.neighbours(node).iter().for_each(|&own| self.is_stale[own as usize] = true);
            }
        }
    }

    fn add(&mut self, a: u32, b: u32) {
        if self.editor.add(a, b) {
            self.is_stale[a as usize] = true;
            self.is_stale[b as usize] = true;
            let (short, long) = if self.editor.degree(a) < self.editor.degree(b) { (a, b) } else { (b, a) };
            for &own in self.editor.neighbours(short) {
                if self.editor.has_edge(own, long) {
                    self.is_stale[own as usize] = true;
                }
            }
        }
    }

    /// Ties a node to one of low degree that shares no neighbour with it, if possible with a label that the other
    /// neighbourhood has more of. False where the node knows everyone.
    fn add_neighbour(&mut self, node: u32, like: u32) -> bool {
        let mut wanted: HashMap<u32, i64> = HashMap::default();
        for (list, by) in [(like, 1), (node, -1)] {
            let labels = self.editor.neighbours(list).iter().map(|&own| self.labels[own as usize]);
            labels.for_each(|label| *wanted.entry(label).or_default() += by);
        }
        let begin = self.random.below((self.low.len() / 8).max(1));
        let mut best: Option<(u32, u32)> = None;
        let all = self.low[begin..].iter().chain(&self.low[..begin]).copied();
        let mut seen = 0;
        for own in all.filter(|&own| own != node && own != like) {
            if !self.editor.may_add(node, own) {
                continue;
            }
            let is_apart =
                !self.editor.neighbours(own).iter().any(|&other| self.editor.has_edge(other, node));
            let is_wanted = wanted.get(&self.labels[own as usize]).is_some_and(|&count| count > 0);
            let rank = 2 * u32::from(is_apart) + u32::from(is_wanted);
            if best.is_none_or(|best| rank > best.0) {
                best = Some((rank, own));
            }
            seen += 1;
            if rank == 3 || seen >= LOOK {
                break;
            }
        }
        let last = || (best.is_none() && self.editor.may_add(node, like)).then_some(like);
        match best.map(|own| own.1).or_else(last) {
            Some(own) => {
                self.add(node, own);
                true
            }
            None => false,
        }
    }
}
