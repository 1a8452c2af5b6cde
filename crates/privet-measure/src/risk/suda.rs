//! Special uniques: records that few of their values already tell apart (SUDA2: Manning, Haglin and Keane, 2008;
//! scores: Elliot, Manning and Ford, 2002; outside knowledge).
//!
//! A set of columns is a *sample unique* of a record when no other record has the same values in them, and a
//! *minimal* one (MSU) when that holds for no proper subset. Many small MSUs make a record special: it is likely to
//! be unique in the population as well.
//!
//! With m columns and MSUs of at most M, an MSU of size s scores Π_{i=s}^{M−1} (m−i), the number of ways to extend
//! it, column by column, to a set of M; the score of a record is the sum over its MSUs. (Elliot's text lets the
//! product end at M; that multiplies all scores by the same m−M, which is 0 when all columns may be in an MSU.)
//!
//! *DIS*, data intrusion simulation (Skinner and Elliot, 2002), estimates the probability that a match with a sample
//! unique is right from the n_1 uniques and n_2 pairs over all columns: n_1 π/(n_1 π + 2 n_2 (1−π)). *DIS-SUDA* deals
//! it out to the sample uniques in proportion to their scores. What a record would get above 1 goes to the others, so
//! that the mean over sample uniques stays DIS as long as somebody with a score can take it. How the published
//! programs deal it out differs in detail; this is our reading.
//!
//! # How
//! Sets of columns are visited in depth, columns with the most values first. Each has the groups of records that are
//! alike in it, of which those of one record are left out: what falls out of a group when a column is added is unique
//! in the larger set and not in the one before. Every MSU is found so, together with sets that are not minimal but
//! only could not know; those are taken out for each record at the end. SUDA2 recurses over values where this
//! recurses over columns; the result is the same.
//!
//! # Guarantee
//! All MSUs up to the given size, of every record, and no others; the same on any number of threads. The time is in
//! the worst case that of looking at all records once for each set of at most M columns.

use rayon::prelude::*;

/// The minimal sample uniques of every record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecialUniques {
    columns: usize,
    max_size: usize,
    /// Where the sets of each record begin, and at last where they end.
    starts: Vec<usize>,
    /// Sets of columns, as bits.
    sets: Vec<u64>,
    uniques: u64,
    pairs: u64,
}

/// Why no special uniques can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SudaError {
    /// More columns than bits in a set.
    #[error("there are {columns} columns; at most 64 can be looked at together")]
    Columns {
        /// The columns.
        columns: usize,
    },
    /// Columns have different lengths, or too many records.
    #[error("column {column} has {found} records where the first has {expected}; there may be 4294967295")]
    Length {
        /// The column, counted from 0.
        column: usize,
        /// Its records.
        found: usize,
        /// Those of the first column.
        expected: usize,
    },
    /// Sets of no column tell nobody apart.
    #[error("the largest size of a set must be at least 1")]
    Size,
    /// The sampling fraction is none.
    #[error("the sampling fraction must be above 0 and at most 1")]
    Fraction,
}

impl SpecialUniques {
    /// Finds the minimal sample uniques of at most `max_size` columns. A column is one code per record.
    ///
    /// # Errors
    /// When there are more than 64 columns, columns differ in length, or the size is 0.
    pub fn find(columns: &[&[u32]], max_size: usize) -> Result<Self, SudaError> {
        if columns.len() > 64 {
            return Err(SudaError::Columns { columns: columns.len() });
        }
        let records = columns.first().map_or(0, |column| column.len());
        let wrong = |column: &&[u32]| column.len() != records || records >= u32::MAX as usize;
        if let Some(column) = columns.iter().position(wrong) {
            return Err(SudaError::Length { column, found: columns[column].len(), expected: records });
        }
        if max_size == 0 {
            return Err(SudaError::Size);
        }
        let max_size = max_size.min(columns.len());
        let mut dense: Vec<Dense> =
            columns.iter().enumerate().map(|(bit, codes)| Dense::new(bit, codes)).collect();
        // The most values first: groups fall apart soon. Stable, so that the order is that of the input among equals.
        dense.sort_by_key(|column| std::cmp::Reverse(column.values));
        let everybody = Groups::all(records);
        let search = Search { columns: &dense, max_size };
        let found = search.descend_together(&everybody, 0, 0, 0);
        let (starts, sets) = minimal(found, records);
        let (uniques, pairs) = search.over_all_columns(everybody);
        Ok(Self { columns: columns.len(), max_size, starts, sets, uniques, pairs })
    }

    /// How many records there are.
    pub fn records(&self) -> usize {
        self.starts.len() - 1
    }

    /// The minimal sample uniques of a record, the smallest first: sets of columns, as bits. None for a record that
    /// there is not.
    pub fn of(&self, record: usize) -> &[u64] {
        match (self.starts.get(record), self.starts.get(record + 1)) {
            (Some(&from), Some(&to)) => &self.sets[from..to],
            _ => &[],
        }
    }

    /// Records that are unique over all columns.
    pub fn sample_uniques(&self) -> u64 {
        self.uniques
    }

    /// What a set of so many columns scores.
    fn weight(&self, size: usize) -> f64 {
        (size..self.max_size).map(|i| (self.columns - i) as f64).product()
    }

    /// The score of each record; 0 where there is no minimal sample unique.
    pub fn scores(&self) -> Vec<f64> {
        let weights: Vec<f64> = (0..=self.max_size).map(|size| self.weight(size)).collect();
        let of = |record: usize| self.of(record).iter().map(|set| weights[set.count_ones() as usize]);
        // The sum of nothing is -0, which looks like a negative score.
        (0..self.records()).map(|record| of(record).sum::<f64>() + 0.0).collect()
    }

    /// Per column the share of all scores that comes from sets with this column: what makes records special.
    pub fn column_shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.columns];
        let mut all = 0.0;
        for &set in &self.sets {
            let weight = self.weight(set.count_ones() as usize);
            all += weight;
            for (column, share) in shares.iter_mut().enumerate() {
                *share += if set >> column & 1 == 1 { weight } else { 0.0 };
            }
        }
        shares.iter_mut().for_each(|share| *share /= if all > 0.0 { all } else { 1.0 });
        shares
    }

    /// DIS: the probability that a match with a sample unique is right, for a sample of this fraction.
    ///
    /// # Errors
    /// When the fraction is not above 0 and at most 1.
    pub fn intrusion_risk(&self, fraction: f64) -> Result<f64, SudaError> {
        if !(fraction > 0.0 && fraction <= 1.0) {
            return Err(SudaError::Fraction);
        }
        let (uniques, pairs) = (self.uniques as f64, self.pairs as f64);
        let right = uniques * fraction;
        Ok(if right > 0.0 { right / (right + 2.0 * pairs * (1.0 - fraction)) } else { 0.0 })
    }

    /// DIS-SUDA: the risk of each record, in [0, 1].
    ///
    /// # Errors
    /// When the fraction is not above 0 and at most 1.
    pub fn intrusion_scores(&self, fraction: f64) -> Result<Vec<f64>, SudaError> {
        let mut scores = self.scores();
        let mut left = self.intrusion_risk(fraction)? * self.uniques as f64;
        let mut order: Vec<usize> = (0..scores.len()).filter(|&record| scores[record] > 0.0).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let mut sum: f64 = order.iter().map(|&record| scores[record]).sum();
        // From the highest score down: whoever would get more than 1 gets 1, and the rest is dealt out again.
        let mut scale = None;
        for &record in &order {
            let own = scores[record];
            if scale.is_none() && own * left < sum {
                scale = Some(left / sum);
            }
            scores[record] = scale.map_or(1.0, |scale| (own * scale).clamp(0.0, 1.0));
            (left, sum) = (left - 1.0, sum - own);
        }
        Ok(scores)
    }
}

/// A column with codes from 0 on without gaps.
struct Dense {
    bit: usize,
    codes: Vec<u32>,
    values: usize,
}

impl Dense {
    fn new(bit: usize, codes: &[u32]) -> Self {
        let mut values = codes.to_vec();
        values.sort_unstable();
        values.dedup();
        let code = |code: &u32| values.partition_point(|value| value < code) as u32;
        Self { bit, codes: codes.iter().map(code).collect(), values: values.len() }
    }
}

/// Records that are alike, in groups of two or more.
#[derive(Default)]
struct Groups {
    records: Vec<u32>,
    ends: Vec<usize>,
}

impl Groups {
    fn all(records: usize) -> Self {
        match records {
            0 | 1 => Self::default(),
            _ => Self { records: (0..records as u32).collect(), ends: vec![records] },
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, &to)| &self.records[from..to])
    }
}

const NOWHERE: usize = usize::MAX;

/// Room to count values in; all counts are 0 and all places nowhere between uses.
struct Scratch {
    counts: Vec<u32>,
    places: Vec<usize>,
}

struct Search<'a> {
    columns: &'a [Dense],
    max_size: usize,
}

impl Search<'_> {
    fn scratch(&self) -> Scratch {
        let values = self.columns.iter().map(|column| column.values).max().unwrap_or(0);
        Scratch { counts: vec![0; values], places: vec![NOWHERE; values] }
    }

    /// Divides groups by a column; tells who is left alone.
    fn refine(
        &self,
        groups: &Groups,
        column: usize,
        scratch: &mut Scratch,
        mut alone: impl FnMut(u32),
    ) -> Groups {
        let codes = &self.columns[column].codes;
        let mut finer = Groups { records: Vec::with_capacity(groups.records.len()), ends: Vec::new() };
        let code = |record: u32| codes[record as usize] as usize;
        for group in groups.iter() {
            for &record in group {
                scratch.counts[code(record)] += 1;
            }
            for &record in group {
                let value = code(record);
                let count = scratch.counts[value] as usize;
                if count == 1 {
                    alone(record);
                    continue;
                }
                if scratch.places[value] == NOWHERE {
                    scratch.places[value] = finer.records.len();
                    finer.records.resize(finer.records.len() + count, 0);
                    finer.ends.push(finer.records.len());
                }
                finer.records[scratch.places[value]] = record;
                scratch.places[value] += 1;
            }
            for &record in group {
                let value = code(record);
                (scratch.counts[value], scratch.places[value]) = (0, NOWHERE);
            }
        }
        finer
    }

    /// Sets that begin with those of `set`, with the records that they leave alone: each branch on a thread.
    fn descend_together(&self, groups: &Groups, set: u64, size: usize, first: usize) -> Vec<(u32, u64)> {
        let branch = |column: usize| {
            let mut scratch = self.scratch();
            let own = set | 1 << self.columns[column].bit;
            let mut found = Vec::new();
            let finer = self.refine(groups, column, &mut scratch, |record| found.push((record, own)));
            if size + 1 < self.max_size && !finer.records.is_empty() {
                if size == 0 {
                    found.extend(self.descend_together(&finer, own, 1, column + 1));
                } else {
                    self.descend(&finer, own, size + 1, column + 1, &mut scratch, &mut found);
                }
            }
            found
        };
        // Collected in the order of columns, whichever is done first.
        let branches: Vec<Vec<(u32, u64)>> =
            (first..self.columns.len()).into_par_iter().map(branch).collect();
        branches.concat()
    }

    fn descend(
        &self,
        groups: &Groups,
        set: u64,
        size: usize,
        first: usize,
        scratch: &mut Scratch,
        found: &mut Vec<(u32, u64)>,
    ) {
        for column in first..self.columns.len() {
            let own = set | 1 << self.columns[column].bit;
            let finer = self.refine(groups, column, scratch, |record| found.push((record, own)));
            if size + 1 < self.max_size && !finer.records.is_empty() {
                self.descend(&finer, own, size + 1, column + 1, scratch, found);
            }
        }
    }

    /// Records alone and pairs over all columns.
    fn over_all_columns(&self, everybody: Groups) -> (u64, u64) {
        // One record is alone from the beginning; no record is nobody.
        let records = self.columns.first().map_or(0, |column| column.codes.len());
        let mut uniques = u64::from(records == 1);
        let mut scratch = self.scratch();
        let mut groups = everybody;
        for column in 0..self.columns.len() {
            groups = self.refine(&groups, column, &mut scratch, |_| uniques += 1);
        }
        (uniques, groups.iter().filter(|group| group.len() == 2).count() as u64)
    }
}

/// Per record the sets of which no other of its sets is a part.
fn minimal(found: Vec<(u32, u64)>, records: usize) -> (Vec<usize>, Vec<u64>) {
    let mut starts = vec![0usize; records + 1];
    found.iter().for_each(|&(record, _)| starts[record as usize + 1] += 1);
    for record in 0..records {
        starts[record + 1] += starts[record];
    }
    let mut next = starts.clone();
    let mut sets = vec![0u64; found.len()];
    for (record, set) in found {
        sets[next[record as usize]] = set;
        next[record as usize] += 1;
    }
    let of = |record: usize| {
        let mut own = sets[starts[record]..starts[record + 1]].to_vec();
        own.sort_unstable_by_key(|set| (set.count_ones(), *set));
        let mut kept: Vec<u64> = Vec::new();
        for set in own {
            if kept.iter().all(|smaller| smaller & set != *smaller) {
                kept.push(set);
            }
        }
        kept
    };
    let kept: Vec<Vec<u64>> = (0..records).into_par_iter().map(of).collect();
    let mut starts = Vec::with_capacity(records + 1);
    starts.push(0);
    let mut end = 0;
    starts.extend(kept.iter().map(|own| {
        end += own.len();
        end
    }));
    (starts, kept.concat())
}

#[cfg(test)]
mod tests;
