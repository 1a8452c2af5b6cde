//! Learning trees whose spans keep a guarantee (Friedman, Wolff, Schuster, Algorithm 1; papers F-AL2, F-AL3).
//!
//! One queue holds the splits of all leaves of all trees, the best first. A split is made when every span that it changes still
//! satisfies the criteria, and dropped for good otherwise: spans only get finer, so for criteria that a union of satisfying groups
//! satisfies as well, what is refused once stays refused. Spans are kept as the trees grow: a split by a public attribute cuts *every*
//! span that owns the leaf, with all its people, also those who stand in other leaves; a split by a private attribute cuts
//! none, and lets each of them reach more classes.
//!
//! # Guarantee
//! Every span with more than one class satisfies every requirement, or is empty. With several trees the spans are those of the
//! forest as one model. [`grow`] computes the spans once more from the finished model before it returns.
//!
//! Beyond the source: numbers are cut where the gain is largest among the cuts that are legal, and a forest grows from one queue.
//!
//! Growth: records × attributes × depth, and a sort of the splits.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rayon::prelude::*;

use super::gain::{Histogram, plain_between, rank};
use super::grouping::{with_groupings, without_unused};
use super::judge::Judge;
use super::prune::{Pruning, pruned};
use super::region::Left;
use super::{GrowOptions, Levels, Node, Test, TreeModel, TreeRelease};
use crate::{AttributeDomain, Examples, MineError};

/// What growing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Growth {
    /// Splits made.
    pub made: usize,
    /// Splits refused because a span would not have satisfied the criteria.
    pub refused: usize,
    /// Splits taken back by pruning.
    pub pruned: usize,
}

/// A model with its release.
#[derive(Debug, Clone, PartialEq)]
pub struct Grown {
    /// The model with the populations of its spans.
    pub release: TreeRelease,
    /// How it came about.
    pub growth: Growth,
}

/// Learns trees.
///
/// # Errors
/// When a requirement is wrong for the table, cannot be enforced on spans, or the whole table does not satisfy it.
pub fn grow(examples: &Examples, options: &GrowOptions) -> Result<Grown, MineError> {
    let mut state = State::new(examples, options)?;
    state.run();
    let mut growth = state.growth;
    let model = without_unused(&state.model);
    if options.pruning != Pruning::None {
        let (smaller, cut) = pruned(&model, examples, &options.pruning)?;
        let smaller = without_unused(&smaller);
        let release = TreeRelease::of(&smaller, examples, &options.requirements)?;
        // What pruning merges satisfies the criteria again; a release that should not is not given.
        if release.holds()? {
            growth.pruned = cut;
            return Ok(Grown { release, growth });
        }
    }
    let release = TreeRelease::of(&model, examples, &options.requirements)?;
    match release.holds()? {
        true => Ok(Grown { release, growth }),
        false => Err(MineError::Impossible { criterion: "what was asked" }),
    }
}

struct Leaf {
    rows: Arc<Vec<u32>>,
    /// Spans that own it; some may be gone.
    spans: Vec<u32>,
    tree: usize,
    depth: usize,
    left: Vec<Left>,
}

struct Span {
    rows: Arc<Vec<u32>>,
    leaves: Vec<u32>,
    many: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Split {
    Level { attribute: usize, level: usize },
    Cut { attribute: usize, code: u32 },
}

/// Ordered by gain, then the lower leaf, then the order of attributes and levels.
type Candidate = (u64, Reverse<u32>, Reverse<Split>);

struct State<'a> {
    examples: &'a Examples,
    options: &'a GrowOptions,
    judge: Judge,
    model: TreeModel,
    leaves: Vec<Option<Leaf>>,
    spans: Vec<Option<Span>>,
    queue: BinaryHeap<Candidate>,
    growth: Growth,
    classes: usize,
}

impl<'a> State<'a> {
    fn new(examples: &'a Examples, options: &'a GrowOptions) -> Result<Self, MineError> {
        let schema = examples.schema();
        let counts = examples.class_counts();
        if counts.iter().filter(|&&count| count > 0).count() < 2 {
            return Err(MineError::OneClass { column: schema.class.name.clone() });
        }
        let judge = Judge::new(schema, &options.requirements, &counts)?;
        let attributes = schema.attributes.len();
        if let Some(&wrong) = options.trees.iter().flatten().find(|&&own| own >= attributes) {
            let (name, accepted) = ("attribute of a tree", "below the number of attributes");
            return Err(MineError::Parameter { name, value: wrong as f64, accepted });
        }
        let trees = options.trees.len().max(1);
        let roots: Vec<u32> = (0..trees as u32).collect();
        let tried = match options.levels {
            Levels::Pairs => with_groupings(examples),
            Levels::All | Levels::LowestFirst => schema.clone(),
        };
        let model = TreeModel { schema: tried, roots: roots.clone(), nodes: vec![Node::default(); trees] };
        let classes = schema.class.values.len();
        let mut own = Self {
            examples,
            options,
            judge,
            model,
            leaves: Vec::new(),
            spans: Vec::new(),
            queue: BinaryHeap::new(),
            growth: Growth::default(),
            classes,
        };
        let rows = Arc::new((0..examples.len() as u32).collect::<Vec<u32>>());
        if schema.class_is_private() {
            let all: Vec<u32> = counts.iter().map(|&count| count as u32).collect();
            if let Some(criterion) = own.judge.first_failing(&all) {
                return Err(MineError::Impossible { criterion });
            }
            own.spans.push(Some(Span { rows: rows.clone(), leaves: roots, many: true }));
        } else {
            for class in (0..classes as u32).filter(|&class| counts[class as usize] > 0) {
                let of_class = |row: &&u32| examples.classes()[**row as usize] == class;
                let rows = Arc::new(rows.iter().filter(of_class).copied().collect());
                own.spans.push(Some(Span { rows, leaves: roots.clone(), many: false }));
            }
        }
        for tree in 0..trees {
            let spans = (0..own.spans.len() as u32).collect();
            let left = vec![Left::All; attributes];
            own.leaves.push(Some(Leaf { rows: rows.clone(), spans, tree, depth: 0, left }));
            own.add_candidates(tree as u32);
        }
        Ok(own)
    }

    fn run(&mut self) {
        while let Some((_, Reverse(at), Reverse(split))) = self.queue.pop() {
            let Some(mut leaf) = self.leaves[at as usize].take() else { continue };
            leaf.spans.retain(|&span| self.spans[span as usize].is_some());
            if self.is_legal(&leaf, split) {
                self.growth.made += 1;
                self.split(at, leaf, split);
                continue;
            }
            self.growth.refused += 1;
            match split {
                Split::Cut { attribute, .. } => self.next_cut(at, &leaf, attribute),
                Split::Level { attribute, level } if self.options.levels == Levels::LowestFirst => {
                    self.next_level(at, &leaf, attribute, level + 1);
                }
                Split::Level { .. } => {}
            }
            self.leaves[at as usize] = Some(leaf);
        }
    }

    /// The answer that a split gives to a record, by its code.
    fn answer(&self, split: Split, code: u32) -> u32 {
        match split {
            Split::Level { attribute, level } => self.model.schema.attributes[attribute].node(level, code),
            Split::Cut { code: cut, .. } => u32::from(code > cut),
        }
    }

    fn answers(&self, split: Split) -> usize {
        match split {
            Split::Level { attribute, level } => self.model.schema.attributes[attribute].nodes(level),
            Split::Cut { .. } => 2,
        }
    }

    fn test(&self, split: Split) -> Test {
        match split {
            Split::Level { attribute, level } => Test::Category { attribute, level },
            Split::Cut { attribute, code } => {
                let numbers = &self.examples.column(attribute).numbers;
                let (low, high) = (numbers[code as usize], numbers[code as usize + 1]);
                Test::AtMost { attribute, number: plain_between(low, high) }
            }
        }
    }

    fn counts(&self, rows: &[u32]) -> Vec<u32> {
        let mut counts = vec![0; self.classes];
        for &row in rows {
            counts[self.examples.classes()[row as usize] as usize] += 1;
        }
        counts
    }

    /// Whether every span that the split changes satisfies the criteria afterwards.
    fn is_legal(&self, leaf: &Leaf, split: Split) -> bool {
        let test = self.test(split);
        let owners = || leaf.spans.iter().filter_map(|&span| self.spans[span as usize].as_ref());
        if !self.model.schema.is_public(test.attribute()) {
            let possible = self.possible(leaf, &test).iter().filter(|&&own| own).count();
            return possible < 2
                || owners().filter(|span| !span.many).all(|span| self.judge.holds(&self.counts(&span.rows)));
        }
        let (codes, class_of) = (&self.examples.column(test.attribute()).codes, self.examples.classes());
        owners().filter(|span| span.many).all(|span| {
            let mut counts = vec![0u32; self.answers(split) * self.classes];
            for &row in span.rows.iter() {
                let answer = self.answer(split, codes[row as usize]) as usize;
                counts[answer * self.classes + class_of[row as usize] as usize] += 1;
            }
            counts.chunks_exact(self.classes).all(|own| self.judge.holds(own))
        })
    }

    /// Per answer whether the path to the leaf allows it.
    fn possible(&self, leaf: &Leaf, test: &Test) -> Vec<bool> {
        let left = &leaf.left[test.attribute()];
        let schema = &self.model.schema;
        (0..test.answers(schema)).map(|answer| !left.after(schema, test, answer).is_empty()).collect()
    }

    fn split(&mut self, at: u32, leaf: Leaf, split: Split) {
        let test = self.test(split);
        let attribute = test.attribute();
        let possible = self.possible(&leaf, &test);
        let parts = self.parts(&leaf.rows, split);
        let mut children = vec![None; possible.len()];
        for (answer, rows) in parts.iter().enumerate().filter(|(answer, _)| possible[*answer]) {
            let child = self.leaves.len() as u32;
            children[answer] = Some(child);
            let mut left = leaf.left.clone();
            left[attribute] = left[attribute].after(&self.model.schema, &test, answer);
            let rows = rows.clone();
            self.model.nodes.push(Node::default());
            let depth = leaf.depth + 1;
            self.leaves.push(Some(Leaf { rows, spans: Vec::new(), tree: leaf.tree, depth, left }));
        }
        match self.model.schema.is_public(attribute) {
            true => self.split_spans(at, &leaf, split, &parts, &children),
            false => self.widen_spans(at, &leaf, &children),
        }
        for &child in children.iter().flatten() {
            self.add_candidates(child);
        }
        self.model.nodes[at as usize] = Node { test: Some(test), children };
    }

    /// Rows by the answer of a split.
    fn parts(&self, rows: &[u32], split: Split) -> Vec<Arc<Vec<u32>>> {
        let (Split::Level { attribute, .. } | Split::Cut { attribute, .. }) = split;
        let codes = &self.examples.column(attribute).codes;
        let mut parts = vec![Vec::new(); self.answers(split)];
        for &row in rows {
            parts[self.answer(split, codes[row as usize]) as usize].push(row);
        }
        parts.into_iter().map(Arc::new).collect()
    }

    /// A public attribute: every span that owns the leaf is cut, with all its people.
    fn split_spans(
        &mut self,
        at: u32,
        leaf: &Leaf,
        split: Split,
        parts: &[Arc<Vec<u32>>],
        children: &[Option<u32>],
    ) {
        for &owner in &leaf.spans {
            let Some(span) = self.spans[owner as usize].take() else { continue };
            // The span of one leaf whose only span it is has the leaf's records: cut once.
            let parts = match Arc::ptr_eq(&span.rows, &leaf.rows) {
                true => parts.to_vec(),
                false => self.parts(&span.rows, split),
            };
            for (rows, &child) in parts.into_iter().zip(children) {
                let (false, Some(child)) = (rows.is_empty(), child) else { continue };
                let new = self.spans.len() as u32;
                let leaves = span.leaves.iter().map(|&own| if own == at { child } else { own }).collect();
                for &own in &leaves {
                    if let Some(leaf) = &mut self.leaves[own as usize] {
                        leaf.spans.push(new);
                    }
                }
                self.spans.push(Some(Span { rows, leaves, many: span.many }));
            }
        }
    }

    /// A private attribute: every span that owns the leaf owns its children now.
    fn widen_spans(&mut self, at: u32, leaf: &Leaf, children: &[Option<u32>]) {
        let children: Vec<u32> = children.iter().flatten().copied().collect();
        for &owner in &leaf.spans {
            let Some(span) = &mut self.spans[owner as usize] else { continue };
            span.leaves.retain(|&own| own != at);
            span.leaves.extend(&children);
            span.many |= children.len() > 1;
        }
        for &child in &children {
            if let Some(own) = &mut self.leaves[child as usize] {
                own.spans.clone_from(&leaf.spans);
            }
        }
    }

    fn add_candidates(&mut self, at: u32) {
        let Some(leaf) = &self.leaves[at as usize] else { return };
        let total = self.counts(&leaf.rows);
        if leaf.depth >= self.options.max_depth || total.iter().filter(|&&count| count > 0).count() < 2 {
            return;
        }
        let attributes: Vec<usize> = match self.options.trees.get(leaf.tree) {
            Some(own) => own.clone(),
            None => (0..self.model.schema.attributes.len()).collect(),
        };
        let of = |&attribute: &usize| self.candidates(at, leaf, &total, attribute, 0);
        let found: Vec<Vec<Candidate>> = match leaf.rows.len() * attributes.len() > 1 << 16 {
            true => attributes.par_iter().map(of).collect(),
            false => attributes.iter().map(of).collect(),
        };
        self.queue.extend(found.into_iter().flatten());
    }

    /// The splits of a leaf by one attribute, from a level on.
    fn candidates(
        &self,
        at: u32,
        leaf: &Leaf,
        total: &[u32],
        attribute: usize,
        from: usize,
    ) -> Vec<Candidate> {
        let histogram = self.histogram(&leaf.rows, attribute);
        if histogram.codes.len() < 2 {
            return Vec::new();
        }
        let scale = self.scale(leaf);
        let own = &self.model.schema.attributes[attribute];
        if own.domain == AttributeDomain::Numbers {
            let best = histogram.best_cut(self.options.gain, total, |_| true);
            let cut = best.map(|(_, code, gain)| (rank(gain * scale), Split::Cut { attribute, code }));
            return cut.map(|(gain, split)| (gain, Reverse(at), Reverse(split))).into_iter().collect();
        }
        let mut found = Vec::new();
        let is_pair = self.options.levels == Levels::Pairs;
        let is_alone = is_pair && self.owns_its_span(leaf) && self.model.schema.is_public(attribute);
        for level in from..=own.levels().len() {
            if is_pair && own.nodes(level) != 2 {
                continue;
            }
            let groups = histogram.grouped(self.classes, own.nodes(level), |code| own.node(level, code));
            // The leaf's records are the span's: what is illegal now is not kept waiting.
            if is_alone && !groups.chunks_exact(self.classes).all(|group| self.judge.holds(group)) {
                continue;
            }
            let gain = rank(self.options.gain.of(total, &groups) * scale);
            if gain > 0 {
                found.push((gain, Reverse(at), Reverse(Split::Level { attribute, level })));
                if self.options.levels == Levels::LowestFirst {
                    break;
                }
            }
        }
        found
    }

    /// Whether the records of a leaf are those of the one span that owns it, about whose private attributes the tree tells.
    fn owns_its_span(&self, leaf: &Leaf) -> bool {
        let mut spans = leaf.spans.iter().filter_map(|&span| self.spans[span as usize].as_ref());
        let is_it = spans.next().is_some_and(|span| span.many && Arc::ptr_eq(&span.rows, &leaf.rows));
        is_it && spans.next().is_none()
    }

    fn histogram(&self, rows: &[u32], attribute: usize) -> Histogram {
        let column = self.examples.column(attribute);
        let size = self.model.schema.attributes[attribute].size().max(column.numbers.len());
        Histogram::of(rows, &column.codes, size, self.examples.classes(), self.classes)
    }

    fn scale(&self, leaf: &Leaf) -> f64 {
        match self.options.weighted {
            true => leaf.rows.len() as f64 / self.examples.len() as f64,
            false => 1.0,
        }
    }

    fn next_level(&mut self, at: u32, leaf: &Leaf, attribute: usize, from: usize) {
        let total = self.counts(&leaf.rows);
        let found = self.candidates(at, leaf, &total, attribute, from);
        self.queue.extend(found);
    }

    /// After a cut was refused: the best among those that are legal now. What becomes illegal later is found when its turn comes.
    fn next_cut(&mut self, at: u32, leaf: &Leaf, attribute: usize) {
        let histogram = self.histogram(&leaf.rows, attribute);
        let total = self.counts(&leaf.rows);
        let mut legal = vec![true; histogram.codes.len()];
        if self.model.schema.is_public(attribute) {
            let owners = leaf.spans.iter().filter_map(|&span| self.spans[span as usize].as_ref());
            for span in owners.filter(|span| span.many) {
                self.keep_legal(&mut legal, &histogram.codes, &self.histogram(&span.rows, attribute));
            }
        } else {
            // Every cut by a private attribute changes the same spans in the same way.
            legal.fill(false);
        }
        let best = histogram.best_cut(self.options.gain, &total, |place| legal[place]);
        if let Some((_, code, gain)) = best {
            let gain = rank(gain * self.scale(leaf));
            if gain > 0 {
                self.queue.push((gain, Reverse(at), Reverse(Split::Cut { attribute, code })));
            }
        }
    }

    /// Strikes the cuts after which a part of the span would fail.
    fn keep_legal(&self, legal: &mut [bool], cuts: &[u32], span: &Histogram) {
        let mut below = vec![0u32; self.classes];
        let mut above = span.grouped(self.classes, 1, |_| 0);
        let mut next = 0;
        for (legal, &cut) in legal.iter_mut().zip(cuts) {
            while next < span.codes.len() && span.codes[next] <= cut {
                let own = &span.counts[next * self.classes..][..self.classes];
                for (class, &count) in own.iter().enumerate() {
                    below[class] += count;
                    above[class] -= count;
                }
                next += 1;
            }
            *legal = *legal && self.judge.holds(&below) && self.judge.holds(&above);
        }
    }
}
