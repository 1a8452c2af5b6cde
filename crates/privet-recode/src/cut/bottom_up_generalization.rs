//! Bottom-up generalization (survey ME-07; Wang, Yu and Chakraborty): every column starts at its finest cut, and the
//! children of one node are replaced by the node, again and again, until the result is safe.
//!
//! The generalization G with the least IP(G) is next: I(G)/P(G), or I(G) where P(G) = 0. I(G) is the class information
//! that is lost (the entropy below the parent minus the weighted entropies below the children), P(G) by how much the
//! smallest class grows; one with P(G) > 0 is *critical*. Equal values are decided by P(G), then by the
//! loss that is added, then by the order of columns and nodes.
//!
//! Guarantee: the result is safe, and something is found whenever the coarsest cut is safe. How good it is, is best
//! effort: a step may turn out to have been needless.
//!
//! Departures from the printed text, and why:
//! - Any criteria take the place of k-anonymity; the search ends as soon as no more records are in failing classes
//!   than may be suppressed.
//! - Only generalizations that reach a failing class are made: no other can mend it. Where all of these still wait for
//!   other nodes to be in the cut, those that they wait for come next.
//! - The smallest class counts only while one of that size fails: for k-anonymity that is always so, and for other
//!   criteria a class that holds need not grow.
//! - Without a class column I(G) is what the metric loses: non-uniform entropy, or else loss.
//!
//! Classes are merged, never formed anew, and per node it is known how many failing classes lie below it, so a step
//! costs little more than the classes that it merges.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};
use privet_criteria::Merging;
use privet_data::Progress;
use serde::Deserialize;

use super::Found;
use super::setting::Setting;
use super::tuples::Scratch;
use crate::algorithm::{Algorithm, AlgorithmInfo, Selected, read};
use crate::lattice::{Problem, SearchError};

const NAME: &str = "bottom-up-generalization";

/// Bottom-up generalization. It has no parameters.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BottomUpGeneralization {}

impl BottomUpGeneralization {
    /// Looks for a cut of every quasi column.
    ///
    /// # Errors
    /// When the metric does not fit, not even the coarsest cut is safe, or the person stopped it.
    pub fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Found, SearchError> {
        let setting = Setting::new(problem, NAME)?;
        progress.stage("generalizing", Some(setting.steps()));
        let mut walk = Walk::new(&setting);
        let mut steps = 0;
        while walk.failing > setting.limit || walk.absent > 0 {
            progress.at(steps);
            progress.check()?;
            let Some((column, node)) = walk.best() else { return Err(setting.no_safe_cut(NAME)) };
            walk.generalize(column as usize, node);
            steps += 1;
        }
        setting.finish(NAME, &walk.cuts, steps + 1)
    }
}

/// Where the walk is.
struct Walk<'s> {
    setting: &'s Setting<'s>,
    cuts: Vec<Vec<bool>>,
    classes: Vec<Class>,
    // Per class and column its node.
    nodes: Vec<u32>,
    // Classes that were not merged into others, in order.
    alive: Vec<u32>,
    // Per tuple the next one of its class.
    next: Vec<u32>,
    // Per column and node how many of its children are not in the cut.
    waits_for: Vec<Vec<u32>>,
    // Nodes all of whose children are in the cut.
    open: Vec<(u32, u32)>,
    // Per column and node the failing classes at its children, and those of the smallest size.
    failing_below: Vec<Vec<u32>>,
    smallest_below: Vec<Vec<u32>>,
    // Sizes of classes with records: how many have each, and how many of them fail.
    sizes: BTreeMap<u32, (u32, u32)>,
    smallest: u32,
    // Records in failing classes, and failing classes without records.
    failing: u64,
    absent: u64,
    scratch: Scratch,
}

#[derive(Debug, Clone, Copy)]
struct Class {
    rows: u32,
    people: u32,
    holds: bool,
    first: u32,
    last: u32,
}

/// How a generalization ranks: IP(G), P(G), and the loss that is added.
type Rank = (f64, u64, f64);

const NONE: u32 = u32::MAX;

impl<'s> Walk<'s> {
    fn new(setting: &'s Setting<'s>) -> Self {
        let trees = &setting.taxonomies;
        let tuples = &setting.tuples;
        let zeros = || trees.iter().map(|tree| vec![0; tree.nodes().len()]).collect::<Vec<Vec<u32>>>();
        let mut walk = Self {
            setting,
            cuts: trees.iter().map(|tree| vec![false; tree.nodes().len()]).collect(),
            classes: Vec::with_capacity(tuples.len()),
            nodes: Vec::with_capacity(tuples.len() * trees.len()),
            alive: (0..tuples.len() as u32).collect(),
            next: vec![NONE; tuples.len()],
            waits_for: trees
                .iter()
                .map(|tree| tree.nodes().iter().map(|node| node.children.len() as u32).collect())
                .collect(),
            open: Vec::new(),
            failing_below: zeros(),
            smallest_below: zeros(),
            sizes: BTreeMap::new(),
            smallest: 0,
            failing: 0,
            absent: 0,
            scratch: Scratch::default(),
        };
        for (column, tree) in trees.iter().enumerate() {
            tree.leaves().iter().for_each(|&leaf| walk.add_to_cut(column, leaf));
        }
        for tuple in 0..tuples.len() as u32 {
            let leaf = |(column, tree): (usize, &super::taxonomy::Taxonomy)| {
                tree.leaves()[tuples.leaves[column][tuple as usize] as usize]
            };
            walk.nodes.extend(trees.iter().enumerate().map(leaf));
            let (rows, people) = (tuples.rows[tuple as usize], tuples.people[tuple as usize]);
            let mut class = Class { rows, people, holds: false, first: tuple, last: tuple };
            class.holds = walk.judge(&class);
            walk.classes.push(class);
            walk.count(tuple, true);
        }
        walk.follow_smallest();
        walk
    }

    fn add_to_cut(&mut self, column: usize, node: u32) {
        self.cuts[column][node as usize] = true;
        if let Some(parent) = self.setting.taxonomies[column].node(node).parent {
            let waits_for = &mut self.waits_for[column][parent as usize];
            *waits_for -= 1;
            if *waits_for == 0 {
                self.open.push((column as u32, parent));
            }
        }
    }

    fn judge(&mut self, class: &Class) -> bool {
        let mut tuple = class.first;
        let members = std::iter::from_fn(|| {
            let this = tuple;
            tuple = *self.next.get(this as usize)?;
            Some(this)
        });
        let (rows, people) = (u64::from(class.rows), u64::from(class.people));
        self.setting.judge.holds(&mut self.scratch, &self.setting.tuples, members, rows, people)
    }

    /// Adds a class to all counts, or takes it out of them.
    fn count(&mut self, class: u32, add: bool) {
        let Class { rows, holds, .. } = self.classes[class as usize];
        let change = |count: &mut u32| *count = if add { *count + 1 } else { *count - 1 };
        if rows > 0 {
            let (all, failing) = self.sizes.entry(rows).or_default();
            change(all);
            if !holds {
                change(failing);
            }
            if *all == 0 {
                self.sizes.remove(&rows);
            }
        }
        if !holds && rows == 0 {
            self.absent = if add { self.absent + 1 } else { self.absent - 1 };
        }
        if !holds {
            let records = u64::from(rows);
            self.failing = if add { self.failing + records } else { self.failing - records };
            self.count_below(class, |walk| &mut walk.failing_below, change);
        }
        if rows > 0 && rows == self.smallest {
            self.count_below(class, |walk| &mut walk.smallest_below, change);
        }
    }

    fn count_below(
        &mut self,
        class: u32,
        counts: impl Fn(&mut Self) -> &mut Vec<Vec<u32>>,
        change: impl Fn(&mut u32),
    ) {
        for column in 0..self.cuts.len() {
            let node = self.nodes[class as usize * self.cuts.len() + column];
            if let Some(parent) = self.setting.taxonomies[column].node(node).parent {
                change(&mut counts(self)[column][parent as usize]);
            }
        }
    }

    /// Counts the smallest classes below each node anew when their size has changed; it only ever grows.
    fn follow_smallest(&mut self) {
        let smallest = self.sizes.first_key_value().map_or(0, |(&size, _)| size);
        if smallest == self.smallest {
            return;
        }
        self.smallest = smallest;
        self.smallest_below.iter_mut().for_each(|below| below.fill(0));
        for class in self.alive.clone() {
            if self.classes[class as usize].rows == smallest {
                self.count_below(class, |walk| &mut walk.smallest_below, |count| *count += 1);
            }
        }
    }

    /// The generalization with the least loss of information per gain of anonymity.
    fn best(&self) -> Option<(u32, u32)> {
        let reaches = |&(column, node): &(u32, u32)| self.failing_below[column as usize][node as usize] > 0;
        let leads_to_one = |&(column, node): &(u32, u32)| {
            let tree = &self.setting.taxonomies[column as usize];
            let mut above = std::iter::successors(Some(node), |&node| tree.node(node).parent);
            above.any(|node| reaches(&(column, node)))
        };
        let open = self.open.iter().copied();
        self.best_of(open.clone().filter(reaches)).or_else(|| self.best_of(open.filter(leads_to_one)))
    }

    fn best_of(&self, candidates: impl Iterator<Item = (u32, u32)>) -> Option<(u32, u32)> {
        let (smallest, failing) = self.sizes.first_key_value().map_or((0, 0), |(_, &counts)| counts);
        let mut best: Option<(Rank, (u32, u32))> = None;
        for (column, node) in candidates {
            let at = (column as usize, node as usize);
            // The smallest class can only grow when every class of that size is generalized.
            let may_grow = failing > 0 && self.smallest_below[at.0][at.1] == smallest;
            let growth = if may_grow { self.growth(at.0, node) } else { 0 };
            let score = self.setting.gains[at.0][at.1] / growth.max(1) as f64;
            let rank = (score, growth, self.setting.savings[at.0][at.1]);
            let better = best.is_none_or(|(so_far, place)| {
                let by_score = rank.0.total_cmp(&so_far.0).then(so_far.1.cmp(&rank.1));
                by_score.then(rank.2.total_cmp(&so_far.2)).then((column, node).cmp(&place)).is_lt()
            });
            if better {
                best = Some((rank, (column, node)));
            }
        }
        best.map(|(_, at)| at)
    }

    /// The classes at the children of a node, grouped into those that the node makes one: per class the number of
    /// its group. Groups are numbered in the order in which they first appear.
    fn groups(&self, column: usize, node: u32) -> (Vec<(u32, u32)>, u32) {
        let columns = self.cuts.len();
        let children = &self.setting.taxonomies[column].node(node).children;
        let mut number: HashMap<(&[u32], &[u32]), u32> = HashMap::new();
        let mut grouped = Vec::new();
        for &class in &self.alive {
            let nodes = &self.nodes[class as usize * columns..(class as usize + 1) * columns];
            if children.contains(&nodes[column]) {
                let fresh = number.len() as u32;
                let group = *number.entry((&nodes[..column], &nodes[column + 1..])).or_insert(fresh);
                grouped.push((class, group));
            }
        }
        (grouped, number.len() as u32)
    }

    /// By how much the smallest class grows when a node replaces its children.
    fn growth(&self, column: usize, node: u32) -> u64 {
        let (grouped, groups) = self.groups(column, node);
        let mut merged = vec![0u64; groups as usize];
        let mut others =
            self.sizes.iter().map(|(&size, &(count, _))| (size, count)).collect::<BTreeMap<_, _>>();
        for (class, group) in grouped {
            let rows = self.classes[class as usize].rows;
            merged[group as usize] += u64::from(rows);
            if let Some(count) = others.get_mut(&rows) {
                *count -= 1;
            }
        }
        let others = others.into_iter().find(|(_, count)| *count > 0).map(|(size, _)| u64::from(size));
        let smallest = merged.into_iter().filter(|&rows| rows > 0).chain(others).min();
        smallest.map_or(0, |size| size - u64::from(self.smallest))
    }

    /// Replaces the children of a node by the node.
    fn generalize(&mut self, column: usize, node: u32) {
        let columns = self.cuts.len();
        let children = self.setting.taxonomies[column].node(node).children.clone();
        self.open.retain(|&at| at != (column as u32, node));
        children.for_each(|child| self.cuts[column][child as usize] = false);
        self.add_to_cut(column, node);
        let (mut grouped, _) = self.groups(column, node);
        // Stable, so the classes of a group stay in order.
        grouped.sort_by_key(|&(_, group)| group);
        for group in grouped.chunk_by(|a, b| a.1 == b.1) {
            group.iter().for_each(|&(class, _)| self.count(class, false));
            let parts = group.iter().map(|&(class, _)| self.classes[class as usize]);
            let mut whole = self.classes[group[0].0 as usize];
            for part in parts.clone().skip(1) {
                whole.rows += part.rows;
                whole.people += part.people;
                self.next[whole.last as usize] = part.first;
                whole.last = part.last;
            }
            if group.len() > 1 {
                let with_records = parts.clone().all(|part| part.rows > 0);
                let holds = match self.setting.merging {
                    Merging::Absorbing => with_records && parts.clone().any(|part| part.holds),
                    Merging::Closed => with_records && parts.clone().all(|part| part.holds),
                    Merging::Arbitrary => false,
                };
                whole.holds = holds || self.judge(&whole);
            }
            let (kept, _) = group[0];
            self.classes[kept as usize] = whole;
            self.nodes[kept as usize * columns + column] = node;
            for &(merged, _) in &group[1..] {
                self.classes[merged as usize].first = NONE;
            }
            self.count(kept, true);
        }
        let classes = &self.classes;
        self.alive.retain(|&class| classes[class as usize].first != NONE);
        self.follow_smallest();
    }
}

impl BottomUpGeneralization {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "bottom-up-generalization",
        summary: "Generalizes the best node of a hierarchy, again and again (Wang, Yu and Chakraborty).",
        guarantees: &["The promises hold. Other labels may lose less."],
        judges_together: false,
        needs_monotone: false,
        publishes: None,
        read: read::<BottomUpGeneralization>,
    };
}

impl Algorithm for BottomUpGeneralization {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError> {
        Ok(Selected::Cut { found: self.search(problem, progress)?, kind: "cut", minimal: None })
    }
}
