//! What Anatomy does about buckets that fail a criterion: it merges them with others (survey ME-13, for criteria beyond
//! l-diversity such as t-closeness and beta-likeness, which compare a bucket with the whole table).
//!
//! Buckets are taken in the order in which they were formed, which goes from frequent values to rare ones, and dealt to
//! as many parts as possible, like cards: so each part has its share of every stretch, and comes close to the table. Dealt
//! are the failing buckets alone, and, to compare, all buckets; what leaves more buckets is taken, the former when
//! both do. How many parts are possible is looked for by halving, then between the last two numbers.
//!
//! **Guarantee.** When all records in one bucket satisfy every criterion, so does every bucket of the result, whatever the
//! criteria do when classes are merged; when they do not, nothing is found, and no other buckets are safe unless a
//! criterion is one that a union can break. No value becomes more frequent in a bucket than it was in the worst of those
//! that were merged. The result depends on the buckets alone. Time: the records times the logarithm of the buckets.
//! Fewer merges may be possible, and `dealing.rs` looks for other buckets.

use privet_data::{Cancelled, Progress};

use super::buckets::SensitiveTable;
use super::judge::Judge;
use crate::groups::Groups;
use crate::lattice::Problem;

/// Judges unions of buckets.
pub(super) struct Merging<'p, 'a> {
    tables: Vec<SensitiveTable>,
    judge: Judge<'p, 'a>,
    /// How many buckets there are.
    count: usize,
}

impl<'p, 'a> Merging<'p, 'a> {
    /// For buckets of a problem.
    pub fn new(problem: &Problem<'_>, buckets: &Groups, judge: Judge<'p, 'a>) -> Self {
        let tables = problem.sensitive.iter().map(|column| SensitiveTable::new(buckets, column)).collect();
        Self { tables, judge, count: buckets.count }
    }

    /// Whether the union of some buckets keeps everything.
    fn holds(&mut self, buckets: impl Iterator<Item = u32>) -> bool {
        for bucket in buckets {
            for (column, table) in self.tables.iter().enumerate() {
                self.judge.fill(column, table.of(bucket as usize));
            }
        }
        self.judge.holds()
    }

    /// The buckets that fail.
    pub fn failing(&mut self) -> Vec<u32> {
        (0..self.count as u32).filter(|&bucket| !self.holds(std::iter::once(bucket))).collect()
    }

    /// Whether all records in one bucket keep everything.
    pub fn whole_holds(&mut self) -> bool {
        self.holds(0..self.count as u32)
    }

    /// Whether all of so many parts hold when the buckets are dealt to them.
    fn dealt(&mut self, buckets: &[u32], parts: usize) -> bool {
        (0..parts).all(|part| self.holds(buckets.iter().copied().skip(part).step_by(parts)))
    }

    /// The most parts that were found to hold; 0 when not even the union of all does.
    fn most_parts(&mut self, buckets: &[u32], progress: &dyn Progress) -> Result<usize, Cancelled> {
        let (mut failing, mut parts) = (buckets.len(), buckets.len() / 2);
        while parts > 0 && !self.dealt(buckets, parts) {
            progress.check()?;
            (failing, parts) = (parts, parts / 2);
        }
        if parts == 0 {
            return Ok(0);
        }
        // At `parts` it holds, at `failing` it does not; in between it need not change once only, but mostly does.
        while failing - parts > 1 {
            progress.check()?;
            let middle = parts + (failing - parts) / 2;
            if self.dealt(buckets, middle) {
                parts = middle;
            } else {
                failing = middle;
            }
        }
        Ok(parts)
    }

    /// The buckets as they are, when all hold, or merged ones of which all do; `None` when all records in one bucket do
    /// not.
    pub fn merge(mut self, buckets: Groups, progress: &dyn Progress) -> Result<Option<Merged>, Cancelled> {
        let all: Vec<u32> = (0..buckets.count as u32).collect();
        let failing = self.failing();
        if failing.is_empty() {
            return Ok(Some(Merged { groups: buckets, merged: false }));
        }
        if !self.whole_holds() {
            return Ok(None);
        }
        progress.stage("merging buckets that fail", None);
        // Where each bucket goes when only failing ones are merged, with as many of the others as they need.
        let parts = self.most_parts(&failing, progress)?;
        let fails = |bucket: &u32| failing.binary_search(bucket).is_ok();
        let mut apart: Vec<u32> = all.iter().copied().filter(|bucket| !fails(bucket)).collect();
        let mut joined = failing;
        if parts == 0 {
            while !self.holds(joined.iter().copied()) {
                progress.check()?;
                // Twice as many at a time, or this would take a square of the time.
                let more = joined.len().min(apart.len()).max(1);
                let left = apart.len().saturating_sub(more);
                joined.extend(apart.drain(left..));
            }
        }
        let kept = apart.len() + parts.max(1);
        let of_all = self.most_parts(&all, progress)?;
        let mut names = vec![0u32; all.len()];
        if of_all > kept {
            all.iter().for_each(|&bucket| names[bucket as usize] = bucket % of_all as u32);
        } else {
            apart.iter().zip(parts.max(1) as u32..).for_each(|(&bucket, name)| names[bucket as usize] = name);
            joined
                .iter()
                .zip((0..parts.max(1) as u32).cycle())
                .for_each(|(&bucket, name)| names[bucket as usize] = name);
        }
        let of = buckets.of.iter().map(|&bucket| names[bucket as usize]).collect();
        Ok(Some(Merged { groups: Groups { of, count: kept.max(of_all) }, merged: true }))
    }
}

/// Buckets that keep everything.
pub(super) struct Merged {
    pub groups: Groups,
    /// Whether any were merged.
    pub merged: bool,
}
