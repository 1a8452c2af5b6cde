//! Top-down specialization (papers II.7, thesis 6; survey ME-07; Fung, Wang and Yu): every column starts at its
//! coarsest cut, and the node with the best score is replaced by its children, again and again, as long as the
//! result is safe.
//!
//! Score(v) = InfoGain(v) / (AnonyLoss(v) + 1). InfoGain is what the children of v tell about the class column;
//! AnonyLoss is by how much the smallest class shrinks. Equal scores are decided by what loss saves, then by the
//! order of columns and nodes.
//!
//! Guarantee: the result is safe, and unless `max-steps` ended the walk it is a local optimum: no single further
//! specialization of it is safe. Something is found exactly when the coarsest cut is safe. That is whenever any
//! cut is, for criteria that are monotone (all of them *absorbing*, or none *arbitrary* and no record suppressed);
//! with others the search is best effort.
//!
//! Departures from the printed text, and why:
//! - Any criteria take the place of k-anonymity, and records of failing classes may be suppressed up to the limit
//!   of the problem; the paper suppresses nothing. AnonyLoss then looks at the classes that are kept.
//! - One quasi-identifier, so AnonyLoss is no average.
//! - A numeric column follows its hierarchy; the paper splits it where the gain is largest.
//! - A specialization without information gain is still made when it is safe: the paper leaves it, but the release
//!   is there to be read for other things than the class too. They come last, those that save most loss first.
//! - Without a class column the gain is what the metric saves: non-uniform entropy, or else loss.
//!
//! As in the paper's TIPS structure, a step only looks at the classes that it splits: each class remembers what
//! becomes of it when a column is specialized, and each candidate the sum of that over its classes. A tuple is
//! looked at once per column for each step that splits its class.

use std::collections::BTreeMap;

use privet_data::Progress;
use serde::Deserialize;

use super::Found;
use super::setting::Setting;
use super::tuples::Scratch;
use crate::algorithm::{Algorithm, AlgorithmInfo, Selected, read};
use crate::lattice::{Problem, SearchError};

const NAME: &str = "top-down-specialization";

/// Top-down specialization. Its parameters are those of `[search.top-down-specialization]`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TopDownSpecialization {
    /// The most specializations to make; as many as are safe when left out.
    pub max_steps: Option<u64>,
}

impl TopDownSpecialization {
    /// Whether every parameter is in range.
    ///
    /// # Errors
    /// When one is not; the error names its key.
    pub fn check(&self) -> Result<(), SearchError> {
        if self.max_steps == Some(0) {
            return Err(SearchError::Parameter {
                key: "search.top-down-specialization.max-steps",
                problem: "must be a whole number of at least 1; leave it out to specialize as long as it is safe",
            });
        }
        Ok(())
    }

    /// Looks for a cut of every quasi column.
    ///
    /// # Errors
    /// When a parameter or the metric does not fit, not even the coarsest cut is safe, or the person stopped it.
    pub fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Found, SearchError> {
        self.check()?;
        let setting = Setting::new(problem, NAME)?;
        progress.stage("specializing", Some(setting.steps()));
        let mut walk = Walk::new(&setting);
        if walk.failing > setting.limit || walk.absent > 0 {
            return Err(setting.no_safe_cut(NAME));
        }
        for step in 0..self.max_steps.unwrap_or(u64::MAX) {
            progress.at(step);
            progress.check()?;
            let Some((column, node)) = walk.best() else { break };
            walk.specialize(column as usize, node);
        }
        setting.finish(NAME, &walk.cuts, walk.checked)
    }
}

/// Where the walk is.
struct Walk<'s> {
    setting: &'s Setting<'s>,
    cuts: Vec<Vec<bool>>,
    // Tuples, those of a class next to each other.
    order: Vec<u32>,
    classes: Vec<Class>,
    // Per class and column its node, and what specializing that node makes of the class.
    nodes: Vec<u32>,
    splits: Vec<Split>,
    // Per column and node; only those of candidates are kept up to date.
    candidates: Vec<Vec<Candidate>>,
    // Candidates that may still be specialized.
    open: Vec<(u32, u32)>,
    // Sizes of the classes that are kept, with how many have each.
    sizes: BTreeMap<u64, u32>,
    // Records in failing classes, and failing classes without records.
    failing: u64,
    absent: u64,
    checked: u64,
    buckets: Buckets,
    scratch: Scratch,
}

#[derive(Debug, Clone, Copy)]
struct Class {
    start: u32,
    end: u32,
    outcome: Split,
}

/// Classes that a class is split into (or the class itself), taken together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Split {
    // Records in those that fail.
    failing: u64,
    // Those that fail and have no records.
    absent: u32,
    // Records of the smallest that is kept; 0 when none is.
    smallest: u64,
}

impl Split {
    fn add(&mut self, holds: bool, rows: u64) {
        match (holds, rows) {
            (true, 0) => {}
            (true, _) if self.smallest == 0 => self.smallest = rows,
            (true, _) => self.smallest = self.smallest.min(rows),
            (false, 0) => self.absent += 1,
            (false, _) => self.failing += rows,
        }
    }
}

/// A node of the cut that has children, over all classes at it.
#[derive(Debug, Clone, Default)]
struct Candidate {
    open: bool,
    classes: Vec<u32>,
    before: Totals,
    after: Totals,
    // The `smallest` of the splits, with how many have each.
    smallest: BTreeMap<u64, u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    failing: u64,
    absent: u64,
}

impl Totals {
    fn add(&mut self, split: &Split) {
        self.failing += split.failing;
        self.absent += u64::from(split.absent);
    }

    fn subtract(&mut self, split: &Split) {
        self.failing -= split.failing;
        self.absent -= u64::from(split.absent);
    }
}

fn put(sizes: &mut BTreeMap<u64, u32>, size: u64) {
    if size > 0 {
        *sizes.entry(size).or_default() += 1;
    }
}

fn take(sizes: &mut BTreeMap<u64, u32>, size: u64) {
    if let Some(count) = sizes.get_mut(&size) {
        *count -= 1;
        if *count == 0 {
            sizes.remove(&size);
        }
    }
}

impl<'s> Walk<'s> {
    fn new(setting: &'s Setting<'s>) -> Self {
        let trees = &setting.taxonomies;
        let mut walk = Self {
            setting,
            cuts: trees.iter().map(|tree| vec![false; tree.nodes().len()]).collect(),
            order: Vec::with_capacity(setting.tuples.len()),
            classes: Vec::new(),
            nodes: Vec::new(),
            splits: Vec::new(),
            candidates: trees.iter().map(|tree| vec![Candidate::default(); tree.nodes().len()]).collect(),
            open: Vec::new(),
            sizes: BTreeMap::new(),
            failing: 0,
            absent: 0,
            checked: 1,
            buckets: Buckets::default(),
            scratch: Scratch::default(),
        };
        for (column, tree) in trees.iter().enumerate() {
            tree.roots().for_each(|root| walk.add_to_cut(column, root));
        }
        for members in setting.top_classes() {
            let class = walk.classes.len();
            let start = walk.order.len() as u32;
            let first = members[0] as usize;
            let root = |(column, tree): (usize, &super::taxonomy::Taxonomy)| {
                tree.at_depth(0)[setting.tuples.leaves[column][first] as usize]
            };
            walk.nodes.extend(trees.iter().enumerate().map(root));
            walk.splits.resize(walk.nodes.len(), Split::default());
            walk.order.extend(members);
            walk.classes.push(Class { start, end: walk.order.len() as u32, outcome: Split::default() });
            walk.judge(class);
            (0..trees.len()).for_each(|column| walk.enter(class, column, true));
        }
        walk
    }

    fn add_to_cut(&mut self, column: usize, node: u32) {
        self.cuts[column][node as usize] = true;
        if !self.setting.taxonomies[column].node(node).is_leaf() {
            self.candidates[column][node as usize].open = true;
            self.open.push((column as u32, node));
        }
    }

    /// Judges a class, which is new.
    fn judge(&mut self, class: usize) {
        let Class { start, end, .. } = self.classes[class];
        let members = &self.order[start as usize..end as usize];
        let (rows, people) = self.setting.count(members);
        let (judge, tuples) = (&self.setting.judge, &self.setting.tuples);
        let holds = judge.holds(&mut self.scratch, tuples, members.iter().copied(), rows, people);
        let mut outcome = Split::default();
        outcome.add(holds, rows);
        self.classes[class].outcome = outcome;
        self.failing += outcome.failing;
        self.absent += u64::from(outcome.absent);
        put(&mut self.sizes, outcome.smallest);
    }

    /// Counts a class to the candidate that its node in a column is.
    fn enter(&mut self, class: usize, column: usize, is_new: bool) {
        let place = class * self.cuts.len() + column;
        let node = self.nodes[place];
        if !self.candidates[column][node as usize].open {
            return;
        }
        let Class { start, end, outcome } = self.classes[class];
        let members = &self.order[start as usize..end as usize];
        let split = split(self.setting, &mut self.buckets, &mut self.scratch, members, column, node);
        self.splits[place] = split;
        let candidate = &mut self.candidates[column][node as usize];
        candidate.before.add(&outcome);
        candidate.after.add(&split);
        put(&mut candidate.smallest, split.smallest);
        if is_new {
            candidate.classes.push(class as u32);
        }
    }

    /// Takes what a class adds back from the candidate in a column. It stays in the list of its classes.
    fn leave(&mut self, class: usize, column: usize) {
        let place = class * self.cuts.len() + column;
        let candidate = &mut self.candidates[column][self.nodes[place] as usize];
        if candidate.open {
            candidate.before.subtract(&self.classes[class].outcome);
            candidate.after.subtract(&self.splits[place]);
            take(&mut candidate.smallest, self.splits[place].smallest);
        }
    }

    /// The safe candidate with the best score.
    fn best(&mut self) -> Option<(u32, u32)> {
        let smallest = self.sizes.first_key_value().map_or(0, |(&size, _)| size);
        let mut best: Option<((f64, f64), (u32, u32))> = None;
        let mut open = std::mem::take(&mut self.open);
        open.retain(|&(column, node)| {
            let candidate = &mut self.candidates[column as usize][node as usize];
            let failing = self.failing - candidate.before.failing + candidate.after.failing;
            let absent = self.absent - candidate.before.absent + candidate.after.absent;
            self.checked += 1;
            if failing > self.setting.limit || absent > 0 {
                // Then also after every other step: nobody needs to look at it again.
                if self.setting.monotone {
                    *candidate = Candidate::default();
                }
                return !self.setting.monotone;
            }
            let shrunk =
                candidate.smallest.first_key_value().map_or(smallest, |(&size, _)| size.min(smallest));
            let gain = self.setting.gains[column as usize][node as usize];
            let score = gain / ((smallest - shrunk) as f64 + 1.0);
            let rank = (score, self.setting.savings[column as usize][node as usize]);
            let order = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
            let better = best.is_none_or(|(so_far, at)| {
                order(&rank, &so_far).then_with(|| at.cmp(&(column, node))).is_gt()
            });
            if better {
                best = Some((rank, (column, node)));
            }
            true
        });
        self.open = open;
        best.map(|(_, at)| at)
    }

    /// Replaces a node by its children.
    fn specialize(&mut self, column: usize, node: u32) {
        let columns = self.cuts.len();
        let setting = self.setting;
        self.open.retain(|&at| at != (column as u32, node));
        self.cuts[column][node as usize] = false;
        setting.taxonomies[column]
            .node(node)
            .children
            .clone()
            .for_each(|child| self.add_to_cut(column, child));
        let candidate = std::mem::take(&mut self.candidates[column][node as usize]);
        for class in candidate.classes {
            let class = class as usize;
            let Class { start, end, outcome } = self.classes[class];
            self.buckets.sort(setting, &self.order[start as usize..end as usize], column, node, true);
            self.order[start as usize..end as usize].copy_from_slice(&self.buckets.sorted);
            let parts = self.buckets.parts();
            if let [(child, _)] = parts[..] {
                self.nodes[class * columns + column] = child;
                self.enter(class, column, true);
                continue;
            }
            (0..columns).filter(|&other| other != column).for_each(|other| self.leave(class, other));
            self.failing -= outcome.failing;
            self.absent -= u64::from(outcome.absent);
            take(&mut self.sizes, outcome.smallest);
            let mut begin = start;
            for (number, (child, tuples)) in parts.into_iter().enumerate() {
                // The first part takes the place of the class, so that the lists of other candidates stay right.
                let part = if number == 0 { class } else { self.classes.len() };
                let now = Class { start: begin, end: begin + tuples, outcome: Split::default() };
                if number == 0 {
                    self.classes[part] = now;
                } else {
                    self.classes.push(now);
                    self.nodes.extend_from_within(class * columns..(class + 1) * columns);
                    self.splits.resize(self.nodes.len(), Split::default());
                }
                self.nodes[part * columns + column] = child;
                begin += tuples;
                self.judge(part);
                (0..columns).for_each(|other| self.enter(part, other, number > 0 || other == column));
            }
        }
    }
}

/// What becomes of a class when a node is specialized.
fn split(
    setting: &Setting<'_>,
    buckets: &mut Buckets,
    scratch: &mut Scratch,
    members: &[u32],
    column: usize,
    node: u32,
) -> Split {
    buckets.sort(setting, members, column, node, setting.judge.looks());
    let mut split = Split::default();
    let mut begin = 0;
    for bucket in buckets.filled.iter().map(|&child| &buckets.all[child as usize]) {
        let range = if setting.judge.looks() { begin..begin + bucket.tuples as usize } else { 0..0 };
        begin += bucket.tuples as usize;
        let members = buckets.sorted[range].iter().copied();
        let holds = setting.judge.holds(scratch, &setting.tuples, members, bucket.rows, bucket.people);
        split.add(holds, bucket.rows);
        // The candidate is closed for good: what else fails is of no interest.
        if setting.monotone && (split.failing > setting.limit || split.absent > 0) {
            break;
        }
    }
    split
}

/// Tuples of a class by the children of a node.
#[derive(Debug, Default)]
struct Buckets {
    all: Vec<Bucket>,
    // Children that have tuples, in order, counted from the first child.
    filled: Vec<u32>,
    first_child: u32,
    sorted: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Bucket {
    tuples: u32,
    rows: u64,
    people: u64,
    // Where the next tuple goes.
    next: u32,
}

impl Buckets {
    /// Counts the tuples of each child, and when asked to sorts them by child.
    fn sort(&mut self, setting: &Setting<'_>, members: &[u32], column: usize, node: u32, sort: bool) {
        let tree = &setting.taxonomies[column];
        let parent = tree.node(node);
        let child_of_leaf = tree.at_depth(parent.depth + 1);
        let leaves = &setting.tuples.leaves[column];
        let first_child = parent.children.start;
        let child = |tuple: u32| child_of_leaf[leaves[tuple as usize] as usize] - first_child;
        self.first_child = first_child;
        for child in self.filled.drain(..) {
            self.all[child as usize] = Bucket::default();
        }
        if self.all.len() < parent.children.len() {
            self.all.resize(parent.children.len(), Bucket::default());
        }
        for &tuple in members {
            let child = child(tuple);
            let bucket = &mut self.all[child as usize];
            if bucket.tuples == 0 {
                self.filled.push(child);
            }
            bucket.tuples += 1;
            bucket.rows += u64::from(setting.tuples.rows[tuple as usize]);
            bucket.people += u64::from(setting.tuples.people[tuple as usize]);
        }
        self.filled.sort_unstable();
        self.sorted.clear();
        if sort {
            let mut next = 0;
            for &child in &self.filled {
                self.all[child as usize].next = next;
                next += self.all[child as usize].tuples;
            }
            self.sorted.resize(members.len(), 0);
            for &tuple in members {
                let next = &mut self.all[child(tuple) as usize].next;
                self.sorted[*next as usize] = tuple;
                *next += 1;
            }
        }
    }

    /// The children that have tuples, and how many.
    fn parts(&self) -> Vec<(u32, u32)> {
        let part = |&child: &u32| (self.first_child + child, self.all[child as usize].tuples);
        self.filled.iter().map(part).collect()
    }
}

const LIMITED: &str = "The promises hold. The number of steps was limited, so finer labels may be possible.";

impl TopDownSpecialization {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "top-down-specialization",
        summary: "Specializes the best node of a hierarchy, again and again (Fung, Wang and Yu).",
        guarantees: &[
            "The promises hold, and no single label can be replaced by the finer ones below it without breaking one.",
            LIMITED,
        ],
        judges_together: false,
        needs_monotone: false,
        publishes: None,
        read: read::<TopDownSpecialization>,
    };
}

impl Algorithm for TopDownSpecialization {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn check(&self) -> Result<(), SearchError> {
        Self::check(self)
    }

    fn guarantee(&self) -> &'static str {
        if self.max_steps.is_some() { LIMITED } else { Self::INFO.guarantees[0] }
    }

    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError> {
        Ok(Selected::Cut { found: self.search(problem, progress)?, kind: "cut", minimal: None })
    }
}
