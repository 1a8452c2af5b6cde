//! Condensation of a stream with group splitting (papers T-AL8, T-TH10).
//!
//! A record goes to the group whose mean is nearest. Groups have k to 2k - 1 records (the first one fewer, until it has
//! k); a group that reaches 2k is split along its longest axis into two of k. Memory: the groups.
//!
//! *When synthetic records are drawn.* Every group keeps the statistics of the records that came since it last
//! published. When it reaches 2k these are at least k records (2k in the first group, k in all others); as many
//! synthetic ones are drawn from them. At the end of the stream the groups with records that are not yet represented
//! are bundled with their neighbours until each bundle has k of them, and each bundle is drawn from.
//!
//! *Guarantee.* What is drawn from are the statistics of *disjoint* sets of at least k records, so no difference of two
//! publications is about fewer than k. (Drawing from the growing statistics of a group would break this: the
//! statistics of k + 1 records less those of k are a record.) Each record is in exactly one set, and there are as many
//! synthetic records as records, times alpha, rounded for the stream as a whole. When fewer than k records are left at
//! the end and there is no bundle to join, nothing of them is told but their number: as many are drawn from what other
//! groups had published before. A stream of fewer than k records publishes nothing.
//! When records are written tells when groups fill.
//!
//! *Departure.* The text does not say to which group a record goes, nor when to draw. The units of the columns are
//! those of all records so far, looked at anew whenever the number of groups has doubled.

use super::draw::draw;
use super::tree::{Query, Tree};
use super::{Condensation, CondenseError, GroupStatistics, Spread, is_condensable};
use privet_recode::lattice::Random;

/// Condenses records as they come.
#[derive(Debug, Clone)]
pub struct Stream {
    options: Condensation,
    groups: Vec<Group>,
    /// The means of the groups in units of the columns; of use as soon as there are two.
    tree: Tree,
    query: Query,
    scaled: Vec<f64>,
    spread: Spread,
    units: Vec<f64>,
    /// The groups when units and tree were last made.
    groups_then: usize,
    random: Random,
    summary: StreamSummary,
}

/// A group of a stream.
#[derive(Debug, Clone)]
struct Group {
    /// The half of a split that it began as; nothing in the first group. Its records are represented.
    inherited: GroupStatistics,
    /// The records that came since.
    fresh: GroupStatistics,
}

/// What a stream has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamSummary {
    /// Records that came.
    pub records: u64,
    /// Synthetic records that were given back.
    pub published: u64,
    /// Sets of records that were drawn from.
    pub sets: u64,
    /// The records of the smallest of them; 0 when there is none.
    pub smallest_set: u64,
    /// Records that are represented in number by what was given back.
    pub represented: u64,
    /// Of these, the records of which nothing but their number is told.
    pub counted_only: u64,
    /// Records that are not represented: all of them when there were fewer than k.
    pub withheld: u64,
}

impl Stream {
    /// A stream of records of so many numbers. Streams of one seed with different numbers have different random
    /// numbers: one per class.
    ///
    /// # Errors
    /// When a parameter is out of range.
    pub fn new(options: &Condensation, dimension: usize, number: u64) -> Result<Self, CondenseError> {
        options.check()?;
        if dimension == 0 {
            return Err(CondenseError::Shape("a record must have at least one column"));
        }
        let seed = options.random_seed()?;
        Ok(Self {
            options: options.clone(),
            groups: vec![Group::beginning_as(GroupStatistics::new(dimension))],
            tree: Tree::new(dimension, Vec::new()),
            query: Query::default(),
            scaled: Vec::new(),
            spread: Spread::new(dimension),
            units: vec![1.0; dimension],
            groups_then: 0,
            random: Random::stream(seed, number),
            summary: StreamSummary::default(),
        })
    }

    /// Takes a record, and adds to `out` the synthetic ones that it releases, most often none.
    ///
    /// # Errors
    /// When the record has another number of columns, or a number that is not finite or too large. It is not taken.
    pub fn push(&mut self, record: &[f64], out: &mut Vec<f64>) -> Result<(), CondenseError> {
        if record.len() != self.units.len() {
            return Err(CondenseError::Shape("every record must have the same number of columns"));
        }
        if let Some(column) = record.iter().position(|&x| !is_condensable(x)) {
            return Err(CondenseError::Number { record: self.summary.records + 1, column: column + 1 });
        }
        self.summary.records += 1;
        self.spread.add(record);
        let nearest = self.nearest_group(record);
        let group = &mut self.groups[nearest];
        group.fresh.add(record);
        if group.records() == 2 * self.options.k {
            self.publish_and_split(nearest, out);
        } else if self.groups.len() > 1 {
            self.place(nearest);
        }
        Ok(())
    }

    /// Ends the stream: adds to `out` the synthetic records of what is not yet represented.
    pub fn finish(mut self, out: &mut Vec<f64>) -> StreamSummary {
        if self.groups_then == 0 {
            self.units = self.spread.units(self.options.standardize);
        }
        let (sets, rest) = self.bundles();
        for set in &sets {
            self.publish(set, out);
        }
        if self.groups.len() > 1 {
            for _ in 0..rest {
                let count = self.count_for(1);
                let group = &self.groups[self.random.below(self.groups.len())];
                draw(&group.inherited, &self.units, count, false, &mut self.random, out);
            }
            self.summary.counted_only = rest;
        }
        self.summary.withheld = self.summary.records - self.summary.represented;
        self.summary
    }

    /// The statistics of each group, for whoever wants to state them.
    pub fn groups(&self) -> impl Iterator<Item = GroupStatistics> + '_ {
        self.groups.iter().map(Group::statistics)
    }

    /// What was done so far.
    pub fn summary(&self) -> StreamSummary {
        self.summary
    }

    fn nearest_group(&mut self, record: &[f64]) -> usize {
        if self.groups.len() == 1 {
            return 0;
        }
        self.scaled.clear();
        self.scaled.extend(record.iter().zip(&self.units).map(|(x, unit)| x / unit));
        self.tree.nearest(&self.scaled, 1, &mut self.query);
        self.query.found.first().map_or(0, |found| found.1 as usize)
    }

    fn publish_and_split(&mut self, number: usize, out: &mut Vec<f64>) {
        if self.groups.len() >= 2 * self.groups_then {
            self.units = self.spread.units(self.options.standardize);
        }
        let group = &mut self.groups[number];
        let whole = group.statistics();
        let empty = GroupStatistics::new(whole.dimension());
        let fresh = std::mem::replace(&mut group.fresh, empty);
        self.publish(&fresh, out);
        // 2k is even, so there always are halves.
        let Some([one, other]) = whole.split(&self.units) else { return };
        self.groups[number] = Group::beginning_as(one);
        self.groups.push(Group::beginning_as(other));
        if self.groups.len() > 2 * self.groups_then {
            self.groups_then = self.groups.len() - 1;
            let means = self.groups.iter().flat_map(|group| group.mean());
            let units = self.units.iter().cycle();
            self.tree = Tree::new(self.units.len(), means.zip(units).map(|(x, unit)| x / unit).collect());
        } else {
            self.place(number);
            self.scale(self.groups.len() - 1);
            self.tree.push(&self.scaled);
        }
    }

    /// Tells the tree where a group is now.
    fn place(&mut self, number: usize) {
        self.scale(number);
        self.tree.place(number as u32, &self.scaled);
    }

    /// Puts the mean of a group, in units, where it can be handed to the tree.
    fn scale(&mut self, number: usize) {
        self.scaled.clear();
        let mean = self.groups[number].mean();
        self.scaled.extend(mean.zip(&self.units).map(|(x, unit)| x / unit));
    }

    /// Draws from the statistics of a set of records, which are now represented.
    fn publish(&mut self, set: &GroupStatistics, out: &mut Vec<f64>) {
        let count = self.count_for(set.records());
        draw(set, &self.units, count, self.options.recentre, &mut self.random, out);
        self.summary.smallest_set = match self.summary.sets {
            0 => set.records(),
            _ => self.summary.smallest_set.min(set.records()),
        };
        self.summary.sets += 1;
    }

    /// How many synthetic records stand for so many more. What rounding takes from one set it gives to the next.
    fn count_for(&mut self, records: u64) -> usize {
        self.summary.represented += records;
        let due = (self.options.alpha * self.summary.represented as f64).round() as u64;
        let count = due - self.summary.published;
        self.summary.published = due;
        count as usize
    }

    /// Sets of at least k records that are not yet represented, and how many remain when they are too few for any.
    fn bundles(&self) -> (Vec<GroupStatistics>, u64) {
        let k = self.options.k;
        let waiting: Vec<&GroupStatistics> =
            self.groups.iter().map(|group| &group.fresh).filter(|fresh| fresh.records() > 0).collect();
        let total: u64 = waiting.iter().map(|fresh| fresh.records()).sum();
        if total < k {
            return (Vec::new(), total);
        }
        let dimension = self.units.len();
        let scaled = |set: &GroupStatistics| -> Vec<f64> {
            set.mean().iter().zip(&self.units).map(|(x, unit)| x / unit).collect()
        };
        let mut tree = Tree::new(dimension, waiting.iter().flat_map(|set| scaled(set)).collect());
        let mut query = Query::default();
        let mut taken = vec![false; waiting.len()];
        let mut bundles: Vec<GroupStatistics> = Vec::new();
        let mut left = total;
        for first in 0..waiting.len() {
            if left < k {
                break;
            }
            if taken[first] {
                continue;
            }
            let mut bundle = GroupStatistics::new(dimension);
            // Each neighbour has at least one record, so k of them are enough, the group itself included.
            tree.nearest(&scaled(waiting[first]), k as usize, &mut query);
            let neighbours = query.found.iter().map(|found| found.1).filter(|&other| other != first as u32);
            for member in std::iter::once(first as u32).chain(neighbours) {
                if bundle.records() >= k {
                    break;
                }
                bundle.merge(waiting[member as usize]);
                taken[member as usize] = true;
                tree.remove(member);
            }
            left -= bundle.records();
            bundles.push(bundle);
        }
        let centres = Tree::new(dimension, bundles.iter().flat_map(scaled).collect());
        for (set, _) in waiting.iter().zip(&taken).filter(|(_, taken)| !**taken) {
            centres.nearest(&scaled(set), 1, &mut query);
            let nearest = query.found.first().map_or(0, |found| found.1 as usize);
            bundles[nearest].merge(set);
        }
        (bundles, 0)
    }
}

impl Group {
    fn beginning_as(inherited: GroupStatistics) -> Self {
        let fresh = GroupStatistics::new(inherited.dimension());
        Self { inherited, fresh }
    }

    fn records(&self) -> u64 {
        self.inherited.records() + self.fresh.records()
    }

    fn mean(&self) -> impl Iterator<Item = f64> + '_ {
        let share = self.fresh.records() as f64 / self.records().max(1) as f64;
        let means = self.inherited.mean().iter().zip(self.fresh.mean());
        means.map(move |(inherited, fresh)| inherited + (fresh - inherited) * share)
    }

    fn statistics(&self) -> GroupStatistics {
        let mut all = self.inherited.clone();
        all.merge(&self.fresh);
        all
    }
}
