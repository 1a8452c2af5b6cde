//! Buckets that are all as like the table as can be, for criteria that compare a bucket with the table (survey ME-13 with
//! t-closeness, beta-likeness and delta-disclosure): the records, sorted by value, are dealt to the buckets like cards.
//!
//! Every bucket then gets the share of each value, rounded down or up, which merging buckets of l different values
//! does not reach: rare values recur among those at equal distances. Several sensitive columns are sorted by their
//! combination. How many buckets hold is looked for by doubling, then between the last two numbers, then among the next
//! larger numbers and from the largest possible downwards, because it need not change once only: a number that the
//! counts of values are multiples of may hold where smaller ones fail. That last part ends after a number of
//! steps that is linear in the records and values; in tables of few values it is enough to try every number.
//!
//! **Guarantee.** Every bucket keeps every criterion and bound that the judge knows, and has two records at least. Which
//! records of a combination go to which bucket is drawn from the seed, all ways equally likely. The number of buckets
//! does not depend on the seed. Not every partition is tried: more buckets may be possible.

use privet_data::{Cancelled, Progress};

use super::buckets;
use super::judge::Judge;
use crate::groups::Groups;
use crate::lattice::{Problem, Random};

/// Steps of the last part of the search, per record and value.
const STEPS: u64 = 200;

/// The records sorted by combinations of sensitive values.
pub(super) struct Dealing {
    records: Vec<u32>,
    /// Per place in `records` its combination.
    at: Vec<u32>,
    /// Per combination the first of its places, and the one after its last.
    spans: Vec<(u32, u32)>,
    /// Per combination its code in each column, one combination after the other.
    codes: Vec<u32>,
    columns: usize,
    /// What judging a bucket costs at least.
    values: u64,
    /// The last bucket that failed: with other numbers of buckets it often fails as well.
    failed: usize,
    steps: u64,
}

impl Dealing {
    /// Sorts the records: those with frequent values of the first column first.
    pub fn new(problem: &Problem<'_>) -> Self {
        let columns = problem.sensitive.len();
        let mut records: Vec<u32> = (0..problem.rows as u32).collect();
        // One stable sort per column, the last one first.
        for (i, column) in problem.sensitive.iter().enumerate().rev() {
            let codes: Vec<u32> = records.iter().map(|&record| column.codes[record as usize]).collect();
            let mut order = buckets::counting_order(&codes, column.values);
            if i == 0 {
                let mut runs: Vec<&[u32]> =
                    order.chunk_by(|&a, &b| codes[a as usize] == codes[b as usize]).collect();
                runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
                order = runs.concat();
            }
            records = order.into_iter().map(|place| records[place as usize]).collect();
        }
        let is_same = |a: u32, b: u32| {
            problem.sensitive.iter().all(|column| column.codes[a as usize] == column.codes[b as usize])
        };
        let (mut at, mut spans, mut codes) = (Vec::with_capacity(records.len()), Vec::new(), Vec::new());
        for run in records.chunk_by(|&a, &b| is_same(a, b)) {
            let begin = at.len() as u32;
            at.resize(at.len() + run.len(), spans.len() as u32);
            spans.push((begin, at.len() as u32));
            codes.extend(problem.sensitive.iter().map(|column| column.codes[run[0] as usize]));
        }
        let values = problem.sensitive.iter().map(|column| column.values as u64).sum();
        Self { records, at, spans, codes, columns, values, failed: 0, steps: 0 }
    }

    /// Whether one of so many buckets holds.
    fn part_holds(&mut self, judge: &mut Judge<'_, '_>, part: usize, parts: usize) -> bool {
        let mut put = |combination: usize, count: u32| {
            let codes = &self.codes[combination * self.columns..(combination + 1) * self.columns];
            codes.iter().enumerate().for_each(|(column, &code)| judge.fill(column, &[(code, count)]));
        };
        let records = self.at.len().saturating_sub(part).div_ceil(parts);
        if self.spans.len() < records {
            // Of the places part, part + parts, … those before an end.
            let before = |end: u32| (end as usize).saturating_sub(part).div_ceil(parts) as u32;
            for (combination, &(begin, end)) in self.spans.iter().enumerate() {
                let count = before(end) - before(begin);
                if count > 0 {
                    put(combination, count);
                }
            }
        } else {
            self.at.iter().skip(part).step_by(parts).for_each(|&combination| put(combination as usize, 1));
        }
        self.steps += (records.min(self.spans.len()) * self.columns) as u64 + self.values;
        judge.holds()
    }

    /// Whether all of so many buckets hold.
    fn holds(&mut self, judge: &mut Judge<'_, '_>, parts: usize) -> bool {
        let first = self.failed.min(parts - 1);
        for part in std::iter::once(first).chain((0..parts).filter(|&part| part != first)) {
            if !self.part_holds(judge, part, parts) {
                self.failed = part;
                return false;
            }
        }
        true
    }

    /// The largest number of buckets up to `limit` that was found to hold and is above `known`, if there is one.
    pub fn most_parts(
        &mut self,
        judge: &mut Judge<'_, '_>,
        known: usize,
        limit: usize,
        progress: &dyn Progress,
    ) -> Result<Option<usize>, Cancelled> {
        if limit <= known || !self.holds(judge, 1) {
            return Ok(None);
        }
        progress.stage("dealing records to buckets", None);
        let mut parts = 1;
        let mut next = 2;
        while next <= limit {
            progress.check()?;
            if self.holds(judge, next) {
                parts = next;
            }
            next *= 2;
        }
        let mut failing = (2 * parts).min(limit + 1);
        while failing - parts > 1 {
            progress.check()?;
            let middle = parts + (failing - parts) / 2;
            if self.holds(judge, middle) {
                parts = middle;
            } else {
                failing = middle;
            }
        }
        // Smaller numbers than the known one are of no use.
        parts = parts.max(known);
        let budget = STEPS / 2 * (self.at.len() as u64 + self.values);
        let near = parts + parts / 4 + 64;
        self.steps = 0;
        for more in parts + 1..=near.min(limit) {
            if self.steps > budget {
                break;
            }
            progress.check()?;
            if self.holds(judge, more) {
                parts = more;
            }
        }
        self.steps = 0;
        for most in (parts + 1..=limit).rev() {
            if self.steps > budget {
                break;
            }
            progress.check()?;
            if self.holds(judge, most) {
                parts = most;
                break;
            }
        }
        Ok(Some(parts).filter(|&parts| parts > known))
    }

    /// Deals the records to so many buckets, those of each combination in a random order.
    pub fn deal(mut self, parts: usize, seed: u64) -> Groups {
        shuffle(&mut self.records, &self.spans, &mut Random::new(seed));
        let mut of = vec![0; self.records.len()];
        let dealt = self.records.iter().zip((0..parts as u32).cycle());
        dealt.for_each(|(&record, bucket)| of[record as usize] = bucket);
        Groups { of, count: parts }
    }
}

/// Puts the records of each span into a random order.
pub(super) fn shuffle(records: &mut [u32], spans: &[(u32, u32)], random: &mut Random) {
    for &(begin, end) in spans {
        let span = &mut records[begin as usize..end as usize];
        for i in (1..span.len()).rev() {
            span.swap(i, random.below(i + 1));
        }
    }
}
