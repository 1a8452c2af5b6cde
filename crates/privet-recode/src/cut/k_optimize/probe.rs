//! Looks at a node of the set-enumeration tree: what its head costs, what every candidate below it costs at least,
//! and what each boundary of its tail would change, all from one pass over the classes.
//!
//! The classes of the finest candidate below a node (head and tail together) are the items; those of the head are
//! groups of them. In each column a sweep over the runs of a head class moves items from the right part to the
//! left one, so that all boundaries between two occupied runs are judged at once.

use super::alphabet::{Alphabet, Runs};
use super::boundaries::Boundaries;
use super::grouping::{Grouping, Lists};
use super::judge::{Counters, Judge, Part};
use super::tuples::Tuples;

/// What is known of a node.
#[derive(Debug)]
pub(super) struct Probe {
    /// The cost of the head.
    pub cost: u64,
    /// The records that the head suppresses.
    pub suppressed: u64,
    /// What every candidate of the node costs at least.
    pub bound: u64,
    /// What every candidate of the node suppresses at least.
    pub forced: u64,
    /// The cost and the suppressed records of the finest candidate, when all its classes are large enough.
    pub finest: Option<(u64, u64)>,
    /// The boundaries of the tail.
    pub tail: Vec<Choice>,
}

/// A boundary of the tail.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub boundary: usize,
    /// The cost of the head with it.
    pub cost: u64,
    /// The records that the head with it suppresses.
    pub suppressed: u64,
    /// What every candidate with it costs at least.
    pub bound_with: u64,
    /// What every candidate with it suppresses at least.
    pub forced_with: u64,
    /// What every candidate without it costs at least.
    pub bound_without: u64,
    /// Whether a candidate with it can be better than the same without it.
    pub may_pay: bool,
    /// How many pairs of records it tells apart that nothing else of head and tail does.
    pub splits: u64,
}

/// What a boundary changes. Sums are taken modulo 2^64; the totals, being at most n², are exact.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    cost: u64,
    suppressed: u64,
    bound: u64,
    forced: u64,
    pays: u64,
}

impl Change {
    fn add(&mut self, other: &Self) {
        self.cost = self.cost.wrapping_add(other.cost);
        self.suppressed = self.suppressed.wrapping_add(other.suppressed);
        self.bound = self.bound.wrapping_add(other.bound);
        self.forced = self.forced.wrapping_add(other.forced);
        self.pays = self.pays.wrapping_add(other.pays);
    }

    fn subtract(&mut self, other: &Self) {
        self.cost = self.cost.wrapping_sub(other.cost);
        self.suppressed = self.suppressed.wrapping_sub(other.suppressed);
        self.bound = self.bound.wrapping_sub(other.bound);
        self.forced = self.forced.wrapping_sub(other.forced);
        self.pays = self.pays.wrapping_sub(other.pays);
    }
}

/// A problem made ready for probing.
pub(super) struct Prober<'a> {
    pub alphabet: &'a Alphabet,
    pub tuples: &'a Tuples,
    pub judge: &'a Judge<'a>,
}

/// How much a probe tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// All of it.
    Bounds,
    /// Costs only: what a boundary's absence entails is left out.
    Costs,
}

/// The classes of the finest candidate.
struct Items {
    grouping: Grouping,
    members: Lists,
    /// Per column, per item its run.
    runs: Vec<Vec<u32>>,
    rows: Vec<u64>,
    people: Vec<u64>,
    floor: Vec<u64>,
}

impl Prober<'_> {
    /// Looks at the node with this head and tail.
    pub fn probe(&self, head: &Boundaries, tail: &Boundaries, depth: Depth) -> Probe {
        let finest_runs = self.alphabet.runs(&head.union(tail));
        let mut left = self.judge.counters();
        let items = self.items(&finest_runs, &mut left);
        let head_runs = self.alphabet.runs(head);
        let values: Vec<Vec<u32>> = (self.tuples.values.iter())
            .map(|column| items.grouping.first.iter().map(|&tuple| column[tuple as usize]).collect())
            .collect();
        let classes = Grouping::new(&values, &head_runs, items.rows.len());
        let members = Lists::of_groups(&classes.group_of, classes.len());
        let sweep = Sweep::new(self, &items, &finest_runs, left);
        let Swept { total, changes, settled } = sweep.run(&classes, &members);

        let mut choices = Vec::with_capacity(tail.len());
        for (column, runs) in finest_runs.iter().enumerate() {
            let mut change = Change::default();
            for (i, &boundary) in runs.boundaries.iter().enumerate() {
                change.add(&changes[column][i]);
                if tail.contains(boundary) {
                    choices.push(Choice {
                        boundary,
                        cost: total.cost.wrapping_add(change.cost),
                        suppressed: total.suppressed.wrapping_add(change.suppressed),
                        bound_with: total.bound.wrapping_add(change.bound),
                        forced_with: total.forced.wrapping_add(change.forced),
                        bound_without: total.bound,
                        may_pay: !self.judge.absorbing || change.pays > 0,
                        splits: 0,
                    });
                }
            }
        }
        let mut finest = None;
        if depth == Depth::Bounds {
            let mut counters = self.judge.counters();
            self.merges(&items, &finest_runs, &classes, &settled, &mut choices, &mut counters);
            finest = self.finest(&items, &mut counters);
        }
        Probe {
            cost: total.cost,
            suppressed: total.suppressed,
            bound: total.bound,
            forced: total.forced,
            finest,
            tail: choices,
        }
    }

    /// Per boundary of a set the cost of the set without it, and the records that are then suppressed.
    pub fn without(&self, set: &Boundaries) -> Vec<(usize, u64, u64)> {
        let runs = self.alphabet.runs(set);
        let mut counters = self.judge.counters();
        let items = self.items(&runs, &mut counters);
        let mut class = |item: usize, other: Option<usize>| {
            let (mut rows, mut people) = (0, 0);
            for item in [Some(item), other].into_iter().flatten() {
                rows += items.rows[item];
                people += items.people[item];
                self.add(&items, item as u32, &mut counters);
            }
            let part = self.judge.part(rows, people, 0, &counters);
            counters.clear();
            (self.judge.cost(&part), self.judge.suppressed(&part))
        };
        let alone: Vec<(u64, u64)> = (0..items.rows.len()).map(|item| class(item, None)).collect();
        let all = alone.iter().fold((0, 0), |sum, class| (sum.0 + class.0, sum.1 + class.1));
        let mut result = Vec::with_capacity(set.len());
        for (column, runs) in runs.iter().enumerate() {
            let mut sums = vec![all; runs.boundaries.len()];
            for item in 0..items.rows.len() {
                let Some(sum) = sums.get_mut(items.runs[column][item] as usize) else { continue };
                let Some(other) = items.grouping.next_to(item, column) else { continue };
                let merged = class(item, Some(other));
                sum.0 = sum.0 - alone[item].0 - alone[other].0 + merged.0;
                sum.1 = sum.1 - alone[item].1 - alone[other].1 + merged.1;
            }
            result.extend(runs.boundaries.iter().zip(sums).map(|(&boundary, sum)| (boundary, sum.0, sum.1)));
        }
        result
    }

    fn items(&self, runs: &[Runs], counters: &mut Counters) -> Items {
        let tuples = self.tuples;
        let grouping = Grouping::new(&tuples.values, runs, tuples.len());
        let members = if self.judge.looks {
            Lists::of_groups(&grouping.group_of, grouping.len())
        } else {
            Lists::none()
        };
        let mut rows = vec![0; grouping.len()];
        let mut people = vec![0; grouping.len()];
        for (tuple, &item) in grouping.group_of.iter().enumerate() {
            rows[item as usize] += tuples.rows[tuple];
            people[item as usize] += tuples.people[tuple];
        }
        let run = |(column, runs): (&Vec<u32>, &Runs)| -> Vec<u32> {
            grouping.first.iter().map(|&tuple| runs.of_value[column[tuple as usize] as usize]).collect()
        };
        let runs = tuples.values.iter().zip(runs).map(run).collect();
        let mut items = Items { grouping, members, runs, rows, people, floor: Vec::new() };
        items.floor = (0..items.rows.len())
            .map(|item| {
                let majority = if self.judge.classification {
                    self.add(&items, item as u32, counters);
                    let majority = self.judge.majority(counters);
                    counters.clear();
                    majority
                } else {
                    0
                };
                self.judge.floor(items.rows[item], majority)
            })
            .collect();
        items
    }

    fn add(&self, items: &Items, item: u32, counters: &mut Counters) {
        if self.judge.looks {
            for &tuple in items.members.of(item as usize) {
                self.tuples.entries(tuple).iter().for_each(|&entry| counters.add(entry));
            }
        }
    }

    fn subtract(&self, items: &Items, item: u32, counters: &mut Counters) {
        if self.judge.looks {
            for &tuple in items.members.of(item as usize) {
                self.tuples.entries(tuple).iter().for_each(|&entry| counters.subtract(entry));
            }
        }
    }

    /// What the absence of a boundary entails: the classes on its two sides merge in the finest candidate. Only
    /// where no record is known to be suppressed (`settled` tells where one is) does the bound follow the floors.
    fn merges(
        &self,
        items: &Items,
        runs: &[Runs],
        classes: &Grouping,
        settled: &[bool],
        choices: &mut [Choice],
        counters: &mut Counters,
    ) {
        let mut choice_of = vec![usize::MAX; self.alphabet.len()];
        choices.iter().enumerate().for_each(|(i, choice)| choice_of[choice.boundary] = i);
        for (column, runs) in runs.iter().enumerate() {
            for item in 0..items.rows.len() {
                let run = items.runs[column][item] as usize;
                let Some(&boundary) = runs.boundaries.get(run) else { continue };
                let Some(choice) = choices.get_mut(choice_of[boundary]) else { continue };
                let Some(other) = items.grouping.next_to(item, column) else { continue };
                let (here, there) = (items.rows[item], items.rows[other]);
                choice.splits += 2 * here * there;
                if settled[classes.group_of[item] as usize] {
                    continue;
                }
                let apart = items.floor[item] + items.floor[other];
                let majority = if self.judge.classification {
                    self.add(items, item as u32, counters);
                    self.add(items, other as u32, counters);
                    let majority = self.judge.majority(counters);
                    counters.clear();
                    majority
                } else {
                    0
                };
                choice.bound_without += self.judge.floor(here + there, majority) - apart;
            }
        }
    }

    /// The finest candidate costs exactly its floor when all its classes hold, and is then the best of the node.
    fn finest(&self, items: &Items, counters: &mut Counters) -> Option<(u64, u64)> {
        let large = |&rows: &u64| rows == 0 || rows >= self.judge.least_rows;
        if !items.rows.iter().all(large) {
            return None;
        }
        let (mut cost, mut suppressed) = (0, 0);
        for item in 0..items.rows.len() {
            self.add(items, item as u32, counters);
            let part = self.judge.part(items.rows[item], items.people[item], 0, counters);
            counters.clear();
            cost += self.judge.cost(&part);
            suppressed += self.judge.suppressed(&part);
        }
        Some((cost, suppressed))
    }
}

/// What the sweeps over all head classes came to.
struct Swept {
    total: Change,
    /// Per column and boundary of the finest candidate what changes from one boundary to the next.
    changes: Vec<Vec<Change>>,
    /// Per head class whether some of its records are known to be suppressed.
    settled: Vec<bool>,
}

/// The sweeps over the head classes, and their buffers.
struct Sweep<'a> {
    prober: &'a Prober<'a>,
    items: &'a Items,
    left: Counters,
    right: Counters,
    swept: Swept,
    /// Per run the last item that was put there, and per item the one before it.
    last_of_run: Vec<u32>,
    before: Vec<u32>,
    occupied: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<'a> Sweep<'a> {
    fn new(prober: &'a Prober<'a>, items: &'a Items, runs: &[Runs], left: Counters) -> Self {
        let longest = runs.iter().map(Runs::len).max().unwrap_or(1);
        Self {
            prober,
            items,
            left,
            right: prober.judge.counters(),
            swept: Swept {
                total: Change::default(),
                changes: runs.iter().map(|runs| vec![Change::default(); runs.len()]).collect(),
                settled: Vec::new(),
            },
            last_of_run: vec![NONE; longest],
            before: vec![NONE; items.rows.len()],
            occupied: Vec::new(),
        }
    }

    fn run(mut self, classes: &Grouping, members: &Lists) -> Swept {
        let (judge, items) = (self.prober.judge, self.items);
        for class in 0..classes.len() {
            let members = members.of(class);
            let sum = |of: &[u64]| members.iter().map(|&item| of[item as usize]).sum::<u64>();
            let (rows, people, floor) = (sum(&items.rows), sum(&items.people), sum(&items.floor));
            for &item in members {
                self.prober.add(items, item, &mut self.right);
            }
            let whole = judge.part(rows, people, floor, &self.right);
            let largest = members.iter().map(|&item| items.rows[item as usize]).max().unwrap_or(0);
            let dearest = judge.each(largest);
            let bound = judge.bound(&whole, dearest);
            let total = &mut self.swept.total;
            total.cost += judge.cost(&whole);
            total.suppressed += judge.suppressed(&whole);
            total.bound += bound;
            total.forced += whole.least;
            self.swept.settled.push(whole.least > 0);
            if members.len() > 1 {
                for column in 0..items.runs.len() {
                    if self.swept.changes[column].len() > 1 {
                        self.column(column, members, &whole, people, dearest);
                    }
                }
            }
            self.right.clear();
        }
        self.swept
    }

    /// Sweeps over one column of a head class, whose counts are all on the right.
    fn column(&mut self, column: usize, members: &[u32], whole: &Part, people: u64, dearest: u64) {
        let (prober, items, judge) = (self.prober, self.items, self.prober.judge);
        let run_of = &items.runs[column];
        for &item in members {
            let run = run_of[item as usize] as usize;
            if self.last_of_run[run] == NONE {
                self.occupied.push(run as u32);
            }
            self.before[item as usize] = self.last_of_run[run];
            self.last_of_run[run] = item;
        }
        self.occupied.sort_unstable();
        let uncut = Change {
            cost: judge.cost(whole),
            suppressed: judge.suppressed(whole),
            bound: judge.bound(whole, dearest),
            forced: whole.least,
            pays: 0,
        };
        let (mut rows, mut floor, mut moved) = (0, 0, 0);
        for i in 0..self.occupied.len() {
            let run = self.occupied[i] as usize;
            let mut item = std::mem::replace(&mut self.last_of_run[run], NONE);
            // A single run is not cut, and its counts stay where they are.
            while item != NONE && self.occupied.len() > 1 {
                rows += items.rows[item as usize];
                floor += items.floor[item as usize];
                moved += items.people[item as usize];
                prober.add(items, item, &mut self.left);
                prober.subtract(items, item, &mut self.right);
                item = self.before[item as usize];
            }
            let Some(&next) = self.occupied.get(i + 1) else { break };
            let left = judge.part(rows, moved, floor, &self.left);
            let right = judge.part(whole.rows - rows, people - moved, whole.floor - floor, &self.right);
            let bound = judge.bound(&left, dearest) + judge.bound(&right, dearest);
            let mut change = Change {
                cost: judge.cost(&left) + judge.cost(&right),
                suppressed: judge.suppressed(&left) + judge.suppressed(&right),
                // What holds for the whole class holds for the candidates that cut it.
                bound: bound.max(uncut.bound),
                forced: (left.least + right.least).max(uncut.forced),
                pays: u64::from(judge.may_pay(whole, &left, &right)),
            };
            change.subtract(&uncut);
            let changes = &mut self.swept.changes[column];
            changes[run].add(&change);
            changes[next as usize].subtract(&change);
        }
        if self.occupied.len() > 1 {
            std::mem::swap(&mut self.left, &mut self.right);
        }
        self.occupied.clear();
    }
}
