//! Bounds inside a bucket, where it is known how often each sensitive value occurs and not who has it (survey US-04).
//!
//! With a records that match in the other columns and b values that match among n, between max(0, a + b − n) and
//! min(a, b) records match in both. Here that is a flow between kinds of records and kinds of values, which gives the
//! same numbers for conjunctions and stays exact for any condition on one counted column. With several counted
//! columns, which are dealt out independently, the upper bound is the least over the columns, the others being free;
//! the lower bound adds up the conjuncts of different columns (Bonferroni: Σ lower − (parts − 1) · records). Both are
//! sound for every condition, and exact for conjunctions when the other columns are published as they are.
//!
//! Between so many and so many records are taken, so a sum lies between those of the smallest and of the largest
//! numbers that can be taken; for a counted column with a matching records, the a smallest and the a largest.

use super::extremes::Extremes;
use super::flow::most_served;
use super::formula::{Node, Plan, evaluate};
use super::records::Tally;
use super::region::{Part, cut_value, merge};
use super::{AnswerColumn, AnswerError};

/// A kind of records of one bucket.
pub(super) struct Kind<'a> {
    /// The line of the answer it belongs to.
    pub line: usize,
    /// How many records.
    pub count: u64,
    /// Per slot its parts; empty for counted columns.
    pub parts: Vec<&'a [Part]>,
}

/// A counted column in one bucket.
pub(super) struct Counted {
    slot: usize,
    /// Kinds of values: a part for each outcome of the tests, and how often.
    kinds: Vec<(Part, u64)>,
    /// Its numbers with the outcome of the tests, and how often.
    numbers: Vec<(u64, f64, u64)>,
}

impl Counted {
    /// From how often each value occurs.
    pub fn new(plan: &Plan, slot: usize, column: &AnswerColumn, histogram: &[(u32, u64)]) -> Self {
        let mut own = Self { slot, kinds: Vec::new(), numbers: Vec::new() };
        let total: u64 = histogram.iter().map(|cell| cell.1).sum();
        let mut parts = Vec::new();
        let mut counts: Vec<(u64, u64)> = Vec::new();
        let predicates = plan.slots.get(slot).map_or(&[][..], |slot| &slot.predicates);
        for &(code, count) in
            histogram.iter().filter(|cell| cell.1 > 0 && (cell.0 as usize) < column.values.len())
        {
            let part = cut_value(column, code, predicates);
            merge(&mut parts, Part { share: count as f64 / total as f64, ..part });
            match counts.iter_mut().find(|(truth, _)| *truth == part.truth) {
                Some((_, own)) => *own += count,
                None => counts.push((part.truth, count)),
            }
            if part.mean.is_finite() {
                own.numbers.push((part.truth, part.mean, count));
            }
        }
        own.kinds = parts.into_iter().zip(counts).map(|(part, (_, count))| (part, count)).collect();
        own
    }
}

/// Adds what a bucket says of one line to its tally.
pub(super) fn add(
    plan: &Plan,
    line: usize,
    kinds: &[Kind<'_>],
    counted: &[Counted],
    tally: &mut Tally,
) -> Result<(), AnswerError> {
    let bucket = Bucket { plan, kinds: kinds.iter().filter(|kind| kind.line == line).collect(), counted };
    let free: Vec<Vec<Part>> =
        counted.iter().map(|column| column.kinds.iter().map(|kind| kind.0).collect()).collect();
    let target = plan.target.and_then(|slot| counted.iter().find(|column| column.slot == slot));
    let (mut highs, mut lows) = (Vec::new(), Vec::new());
    for kind in &bucket.kinds {
        let outcome = evaluate(&plan.formula, plan.target, &bucket.parts(kind, &free))?;
        tally.expect(&outcome, kind.count);
        if target.is_none() && outcome.possible {
            highs.push((outcome.most, kind.count));
            lows.push((-outcome.least, kind.count));
        }
    }
    let (at_least, at_most) = bucket.bounds(&free)?;
    tally.at_least += at_least;
    tally.at_most += at_most;
    if plan.target.is_none() {
        return Ok(());
    }
    if let Some(target) = target {
        // Numbers that some record of the line can have and be taken with.
        let table = bucket.table(&plan.formula, target, &free)?;
        for &(truth, number, count) in &target.numbers {
            let at = target.kinds.iter().position(|kind| kind.0.truth == truth);
            if at.is_some_and(|at| table.iter().any(|row| row.get(at).is_some_and(|own| own.1))) {
                highs.push((number, count));
                lows.push((-number, count));
            }
        }
    }
    tally.largest.take(highs, at_least, at_most);
    tally.smallest.take(lows, at_least, at_most);
    Ok(())
}

struct Bucket<'a> {
    plan: &'a Plan,
    kinds: Vec<&'a Kind<'a>>,
    counted: &'a [Counted],
}

/// Per kind of records and kind of values: certainly, possibly taken.
type Table = Vec<Vec<(bool, bool)>>;

impl Bucket<'_> {
    /// The parts of a record, its counted values being any of the bucket's.
    fn parts<'b>(&self, kind: &Kind<'b>, free: &'b [Vec<Part>]) -> Vec<&'b [Part]> {
        let mut parts = kind.parts.clone();
        for (column, own) in self.counted.iter().zip(free) {
            if let Some(slot) = parts.get_mut(column.slot) {
                *slot = own;
            }
        }
        parts
    }

    /// Which records are taken with which value of one counted column, whatever they have in the others.
    fn table(&self, node: &Node, column: &Counted, free: &[Vec<Part>]) -> Result<Table, AnswerError> {
        let row = |kind: &&Kind<'_>| {
            let all = self.parts(kind, free);
            let with = |(part, _): &(Part, u64)| {
                let one = [*part];
                let mut parts = all.clone();
                if let Some(slot) = parts.get_mut(column.slot) {
                    *slot = &one;
                }
                evaluate(node, None, &parts).map(|outcome| (outcome.certain, outcome.possible))
            };
            column.kinds.iter().map(with).collect::<Result<Vec<_>, _>>()
        };
        self.kinds.iter().map(row).collect()
    }

    /// How many records of the line are taken: at least, at most.
    fn bounds(&self, free: &[Vec<Part>]) -> Result<(u64, u64), AnswerError> {
        let records: Vec<u64> = self.kinds.iter().map(|kind| kind.count).collect();
        let total: u64 = records.iter().sum();
        let values = |column: &Counted| column.kinds.iter().map(|kind| kind.1).collect::<Vec<u64>>();
        let mut at_most = total;
        for column in self.counted {
            let table = self.table(&self.plan.formula, column, free)?;
            let most = most_served(&records, &values(column), |r, v| table[r][v].1); // why: a cell for every pair
            at_most = at_most.min(most);
        }
        let mut slack = 0u64;
        for (node, columns) in self.components() {
            let mut least = 0;
            for column in columns {
                let table = self.table(&node, column, free)?;
                let spared = most_served(&records, &values(column), |r, v| !table[r][v].0); // why: as above
                least = least.max(total - spared.min(total));
            }
            slack += total - least;
        }
        let at_least = total.saturating_sub(slack);
        Ok((at_least, at_most.max(at_least)))
    }

    /// The conjuncts by the counted columns they speak of; those that speak of none stand with the first.
    fn components(&self) -> Vec<(Node, Vec<&Counted>)> {
        let conjuncts = match &self.plan.formula {
            Node::All(nodes) => nodes.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut components: Vec<(Vec<Node>, Vec<usize>)> = Vec::new();
        let mut plain = Vec::new();
        for conjunct in conjuncts {
            let mut slots = Vec::new();
            conjunct.for_each_slot(&mut |slot| {
                if self.counted.iter().any(|column| column.slot == slot) {
                    slots.push(slot);
                }
            });
            if slots.is_empty() {
                plain.push(conjunct.clone());
                continue;
            }
            let (mut nodes, mut own) = (vec![conjunct.clone()], slots);
            components.retain_mut(|(others, theirs)| {
                let shares = theirs.iter().any(|slot| own.contains(slot));
                if shares {
                    nodes.append(others);
                    own.append(theirs);
                }
                !shares
            });
            components.push((nodes, own));
        }
        match components.first_mut() {
            Some(first) => first.0.append(&mut plain),
            None => components.push((plain, self.counted.iter().map(|column| column.slot).collect())),
        }
        let of = |(nodes, slots): (Vec<Node>, Vec<usize>)| {
            let columns = self.counted.iter().filter(|column| slots.contains(&column.slot)).collect();
            (Node::All(nodes), columns)
        };
        components.into_iter().map(of).collect()
    }
}

/// Adds what the smallest and largest numbers are of records that are known one by one.
pub(super) fn add_record(outcome: &super::formula::Outcome, count: u64, tally: &mut Tally) {
    tally.expect(outcome, count);
    let push = |extremes: &mut Extremes, number: f64| match outcome.certain {
        true => extremes.forced.push((number, count)),
        false => extremes.optional.push((number, count)),
    };
    if outcome.possible {
        tally.at_most += count;
        tally.at_least += if outcome.certain { count } else { 0 };
        if tally.has_target {
            push(&mut tally.largest, outcome.most);
            push(&mut tally.smallest, -outcome.least);
        }
    }
}
