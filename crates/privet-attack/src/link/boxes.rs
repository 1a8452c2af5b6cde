//! The different published tuples as boxes in a tree: every node knows per column the values from the first to the last
//! that any tuple below it covers, or, where a column has few kinds of values, which of these.
//!
//! For labels that are ranges, of which a value may carry thousands in each column and few in all columns together, such
//! as those that Mondrian cuts: building takes n log n steps, and a person's tuples are found without a look at most of
//! the others. What is found is compared with the labels themselves, so it is exact whatever the labels look like.

use rayon::prelude::*;

use super::columns::{Column, Kinds};
use super::overlap::{Index, Levels, Sorted};

/// Tuples below a leaf.
const LEAF: usize = 4;
/// Kinds that are told apart one by one.
const FEW_KINDS: usize = 64;

pub(super) struct Boxes<'a> {
    dimensions: Vec<Dimension<'a>>,
    /// Per position and dimension the number of its label.
    labels: Vec<u32>,
    /// Positions in the order of the leaves.
    positions: Vec<u32>,
    /// Node after node, its first part behind it.
    nodes: Vec<Node>,
    /// Per node and dimension what it covers.
    bounds: Vec<Bound>,
}

/// A column of the tuples.
pub(super) struct Dimension<'a> {
    column: &'a Column<'a>,
    /// Per kind one value of it, where kinds are told apart.
    value_of_kind: &'a [u32],
    /// Per label what it covers.
    bounds: Vec<Bound>,
    by_kind: bool,
}

/// From a first value to a last one, or the bits of kinds.
type Bound = [u32; 2];

#[derive(Debug, Clone, Copy)]
struct Node {
    /// Its places.
    begin: u32,
    end: u32,
    /// Its second part; 0 for a leaf.
    second: u32,
}

impl<'a> Dimension<'a> {
    /// `kinds` are those of its values, where they are known.
    pub fn new(column: &'a Column<'a>, kinds: Option<&'a Kinds>) -> Self {
        let value_of_kind = kinds.map_or(&[][..], |kinds| &kinds.first);
        let by_kind = (1..=FEW_KINDS).contains(&value_of_kind.len());
        let mut dimension = Self { column, value_of_kind, bounds: Vec::new(), by_kind };
        dimension.bounds = (0..column.labels()).map(|label| dimension.bound(label)).collect();
        dimension
    }

    /// What a label covers. What nobody knows is the value behind the last one.
    fn bound(&self, label: u32) -> Bound {
        if self.by_kind {
            let kinds = self.value_of_kind.iter().enumerate();
            let bits = kinds.filter(|(_, value)| self.covers(label, **value)).map(|(kind, _)| 1u64 << kind);
            let bits = bits.fold(0, |all, bit| all | bit);
            return [bits as u32, (bits >> 32) as u32];
        }
        let own = self.column.covered(label);
        match (own.first(), own.last()) {
            _ if self.column.covers_all(label) => [0, self.column.values()],
            (Some(first), Some(last)) => [first, last],
            _ => NOTHING,
        }
    }

    fn covers(&self, label: u32, value: u32) -> bool {
        match value < self.column.values() {
            true => self.column.covered(label).contains(value),
            false => self.column.covers_all(label),
        }
    }

    fn join(&self, all: Bound, own: Bound) -> Bound {
        match self.by_kind {
            true => [all[0] | own[0], all[1] | own[1]],
            false => [all[0].min(own[0]), all[1].max(own[1])],
        }
    }

    /// What joins with anything without a trace.
    fn nothing(&self) -> Bound {
        if self.by_kind { [0; 2] } else { NOTHING }
    }

    #[inline]
    fn holds(&self, bound: Bound, wanted: Wanted) -> bool {
        match self.by_kind {
            true => (bound[(wanted.kind / 32) as usize] >> (wanted.kind % 32)) & 1 == 1,
            false => bound[0] <= wanted.value && wanted.value <= bound[1],
        }
    }

    fn meet(&self, a: Bound, b: Bound) -> bool {
        match self.by_kind {
            true => a[0] & b[0] != 0 || a[1] & b[1] != 0,
            false => a[0] <= b[1] && b[0] <= a[1],
        }
    }

    /// Whether two labels have a value in common, known or not.
    fn have_common(&self, a: u32, b: u32) -> bool {
        if !self.meet(self.bounds[a as usize], self.bounds[b as usize]) || self.by_kind {
            return self.by_kind && self.meet(self.bounds[a as usize], self.bounds[b as usize]);
        }
        let (mut own, mut other) = (self.column.covered(a).runs(), self.column.covered(b).runs());
        while let ([first, own_rest @ ..], [second, other_rest @ ..]) = (own, other) {
            if first.0 <= second.1 && second.0 <= first.1 {
                return true;
            }
            if first.1 < second.1 { own = own_rest } else { other = other_rest }
        }
        self.column.covers_all(a) && self.column.covers_all(b)
    }

    /// Twice the middle of what a label covers, and how far middles may lie apart.
    fn middle(&self, label: u32) -> u32 {
        let bound = self.bounds[label as usize];
        match self.by_kind {
            true => {
                let bits = u64::from(bound[0]) | u64::from(bound[1]) << 32;
                if bits == 0 { 0 } else { bits.trailing_zeros() + 63 - bits.leading_zeros() }
            }
            false => (bound[0] / 2).saturating_add(bound[1] / 2),
        }
    }

    fn width(&self) -> f64 {
        match self.by_kind {
            true => 2.0 * self.value_of_kind.len() as f64,
            false => f64::from(self.column.values()) + 1.0,
        }
    }
}

/// Values from the last to the first.
const NOTHING: Bound = [u32::MAX, 0];

/// A value that is looked for. One that nobody knows is the one behind the last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub value: u32,
    /// Its kind, where kinds are told apart.
    pub kind: u32,
}

impl<'a> Boxes<'a> {
    pub fn new(levels: &Levels<'a>, sorted: &Sorted) -> Self {
        let dimensions = (0..levels.count()).map(|level| {
            let (column, kinds) = levels.column(level);
            Dimension::new(column, Some(kinds))
        });
        let labels = (0..sorted.rows.len()).flat_map(|position| sorted.tuple(position)).copied().collect();
        Self::of(dimensions.collect(), labels, sorted.rows.len())
    }

    /// From the labels of so many tuples, one tuple after the other.
    pub fn of(dimensions: Vec<Dimension<'a>>, labels: Vec<u32>, tuples: usize) -> Self {
        let mut boxes = Self {
            dimensions,
            labels,
            positions: (0..tuples as u32).collect(),
            nodes: Vec::new(),
            bounds: Vec::new(),
        };
        let mut positions = std::mem::take(&mut boxes.positions);
        if tuples > 0 {
            boxes.grow(&mut positions, 0);
        }
        boxes.positions = positions;
        boxes
    }

    /// Adds the node of some positions, which begin at a place, and those below it.
    fn grow(&mut self, positions: &mut [u32], begin: usize) {
        let width = self.dimensions.len();
        let node = self.nodes.len();
        self.nodes.push(Node { begin: begin as u32, end: (begin + positions.len()) as u32, second: 0 });
        for (at, dimension) in self.dimensions.iter().enumerate() {
            let bound =
                |&position: &u32| dimension.bounds[self.labels[position as usize * width + at] as usize];
            let all = positions.iter().map(bound);
            self.bounds.push(all.fold(dimension.nothing(), |all, own| dimension.join(all, own)));
        }
        let Some(at) = self.widest(positions).filter(|_| positions.len() > LEAF) else { return };
        let half = positions.len() / 2;
        {
            let (dimension, labels) = (&self.dimensions[at], &self.labels);
            let middle = |&position: &u32| dimension.middle(labels[position as usize * width + at]);
            positions.select_nth_unstable_by_key(half, |position| (middle(position), *position));
        }
        let (before, after) = positions.split_at_mut(half);
        self.grow(before, begin);
        self.nodes[node].second = self.nodes.len() as u32;
        self.grow(after, begin + half);
    }

    /// The column in which the middles of tuples lie farthest apart; `None` when they are the same in all of them.
    fn widest(&self, positions: &[u32]) -> Option<usize> {
        let width = self.dimensions.len();
        let spread = |at: usize| {
            let dimension = &self.dimensions[at];
            let middles = positions.iter().map(|&p| dimension.middle(self.labels[p as usize * width + at]));
            let (low, high) = middles.fold((u32::MAX, 0), |(low, high), own| (low.min(own), high.max(own)));
            f64::from(high.saturating_sub(low)) / dimension.width()
        };
        let spreads = (0..width).map(|at| (spread(at), at)).filter(|own| own.0 > 0.0);
        spreads.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|own| own.1)
    }

    /// Whether two tuples of different groups have values in common in every column, so that somebody could be both.
    /// `group_of` tells the group of each tuple.
    pub fn any_two_meet(&self, group_of: &[u32], stop: &(dyn Fn() -> bool + Sync)) -> bool {
        (0..self.positions.len()).into_par_iter().any(|position| !stop() && self.meets(position, group_of))
    }

    /// Whether a tuple has values in common with one of another group.
    fn meets(&self, position: usize, group_of: &[u32]) -> bool {
        let width = self.dimensions.len();
        let own = &self.labels[position * width..][..width];
        let bound = |at: usize| self.dimensions[at].bounds[own[at] as usize];
        let mut waiting = vec![0u32];
        while let Some(node) = waiting.pop() {
            let bounds = &self.bounds[node as usize * width..][..width];
            if !(0..width).all(|at| self.dimensions[at].meet(bounds[at], bound(at))) {
                continue;
            }
            let Node { begin, end, second } = self.nodes[node as usize];
            if second > 0 {
                waiting.extend([second, node + 1]);
                continue;
            }
            let met = self.positions[begin as usize..end as usize].iter().any(|&other| {
                let labels = &self.labels[other as usize * width..][..width];
                group_of[other as usize] != group_of[position]
                    && (0..width).all(|at| self.dimensions[at].have_common(own[at], labels[at]))
            });
            if met {
                return true;
            }
        }
        false
    }

    /// What a kind of values is in a dimension.
    fn wanted(&self, at: usize, kind: u32) -> Wanted {
        let value = self.dimensions[at].value_of_kind.get(kind as usize).copied().unwrap_or(u32::MAX);
        Wanted { value, kind }
    }

    /// Calls `found` with the positions of tuples that cover all that is wanted, until it says that this is enough; how many
    /// steps that took.
    pub fn find(&self, wanted: &[Wanted], waiting: &mut Vec<u32>, mut found: impl FnMut(u32) -> bool) -> u64 {
        let width = self.dimensions.len();
        let mut steps = 0;
        waiting.clear();
        waiting.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(node) = waiting.pop() {
            steps += 1;
            let bounds = &self.bounds[node as usize * width..][..width];
            let own = self.dimensions.iter().zip(bounds).zip(wanted);
            if !own.into_iter().all(|((dimension, &bound), &wanted)| dimension.holds(bound, wanted)) {
                continue;
            }
            let Node { begin, end, second } = self.nodes[node as usize];
            if second > 0 {
                waiting.extend([second, node + 1]);
                continue;
            }
            for &position in &self.positions[begin as usize..end as usize] {
                let labels = &self.labels[position as usize * width..][..width];
                steps += 1;
                let mut cells = self.dimensions.iter().zip(labels).zip(wanted);
                let covers = cells.all(|((dimension, &label), wanted)| {
                    dimension.holds(dimension.bounds[label as usize], *wanted)
                        && (dimension.by_kind || dimension.covers(label, wanted.value))
                });
                if covers && !found(position) {
                    return steps;
                }
            }
        }
        steps
    }
}

/// What is at hand of a search.
pub(super) struct At {
    wanted: Vec<Wanted>,
    waiting: Vec<u32>,
    found: Vec<u32>,
}

impl Index for Boxes<'_> {
    type Left = At;

    fn begin(&self) -> At {
        At { wanted: Vec::new(), waiting: Vec::new(), found: Vec::new() }
    }

    fn narrow(&self, _: &Levels<'_>, left: &mut At, tuple: &[u32], _: usize) -> u64 {
        let At { wanted, waiting, found } = left;
        wanted.clear();
        wanted.extend(tuple.iter().enumerate().map(|(at, &kind)| self.wanted(at, kind)));
        found.clear();
        self.find(wanted, waiting, |position| {
            found.push(position);
            true
        })
    }

    fn positions(&self, left: &At, into: &mut Vec<u32>) {
        into.extend(&left.found);
    }
}
