//! Bucketization (survey ME-13): the records are divided into buckets; their quasi values are published as they are
//! together with the number of the bucket, and per bucket how often each sensitive value occurs in it.
//!
//! **Guarantee.** Every criterion of the problem holds in every bucket. Within a bucket nothing published tells which
//! record has which value: a [`SensitiveTable`] lists values in the order of their codes with their counts, whatever
//! the order of the records is. With several sensitive columns there is one table per column, so that their values
//! cannot be joined within a bucket either.
//!
//! **What it is not.** Quasi values are exact, so nobody looks like anybody else: criteria that promise look-alikes
//! (`k-anonymity`, the k of `alpha-k` and `p-sensitivity`, `k-map`, `delta-presence`) are refused. The sensitive
//! values of one person can still be inferred from those of people alike in other buckets (survey AT-12).

use privet_criteria::{Better, Class, Criterion, Grouping, Histogram};

use crate::groups::Groups;
use crate::lattice::{Codes, Problem, SearchError, require_bucket_independent};

/// Records in buckets, and the sensitive values of each bucket.
#[derive(Debug, Clone, PartialEq)]
pub struct Buckets {
    /// Per record its bucket. Buckets are numbered in the order in which they first appear, which tells nothing that
    /// the partition itself does not tell.
    pub of: Vec<u32>,
    /// How many buckets there are.
    pub count: usize,
    /// One table per histogram of the problem, in its order. When the problem has a last histogram over the
    /// combinations of all sensitive columns, its table is there for the owner and is not to be published.
    pub tables: Vec<SensitiveTable>,
    /// The l that Anatomy worked with; `None` for a given partition.
    pub l: Option<u64>,
    /// Per criterion what the worst bucket reaches, and which bucket that is.
    pub reached: Vec<Option<(f64, u32)>>,
}

/// Per bucket the values of a sensitive column that occur in it, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SensitiveTable {
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

impl SensitiveTable {
    /// The codes of a bucket in ascending order, each with the number of its records.
    pub fn of(&self, bucket: usize) -> &[(u32, u32)] {
        &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }

    /// The largest share of one value in a bucket: how likely it is that somebody in the bucket has it, to whoever
    /// knows the bucket and nothing else.
    pub fn largest_share(&self, bucket: usize) -> f64 {
        let (most, all) = self
            .of(bucket)
            .iter()
            .fold((0, 0u64), |(most, all), &(_, count)| (most.max(count), all + u64::from(count)));
        f64::from(most) / all.max(1) as f64
    }

    /// In time linear in the records, values and buckets.
    pub(super) fn new(groups: &Groups, column: &Codes<'_>) -> Self {
        // Records in the order of their values, then dealt to their buckets: each bucket gets its values in order.
        let by_value = counting_order(column.codes, column.values);
        let mut begin = vec![0u32; groups.count + 1];
        for &bucket in &groups.of {
            begin[bucket as usize + 1] += 1;
        }
        for bucket in 0..groups.count {
            begin[bucket + 1] += begin[bucket];
        }
        let mut next = begin.clone();
        let mut dealt = vec![0u32; groups.of.len()];
        for record in by_value {
            let place = &mut next[groups.of[record as usize] as usize];
            dealt[*place as usize] = column.codes[record as usize];
            *place += 1;
        }
        let mut table = Self { starts: vec![0], entries: Vec::new() };
        for bounds in begin.windows(2) {
            let codes = &dealt[bounds[0] as usize..bounds[1] as usize];
            table.entries.extend(codes.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)));
            table.starts.push(table.entries.len() as u32);
        }
        table
    }
}

/// The records in ascending order of their codes; those of equal codes in their own order.
pub(super) fn counting_order(codes: &[u32], values: usize) -> Vec<u32> {
    let mut next = vec![0u32; values + 1];
    for &code in codes {
        next[code as usize + 1] += 1;
    }
    for value in 0..values {
        next[value + 1] += next[value];
    }
    let mut order = vec![0u32; codes.len()];
    for (record, &code) in codes.iter().enumerate() {
        order[next[code as usize] as usize] = record as u32;
        next[code as usize] += 1;
    }
    order
}

/// Publishes the sensitive values of given groups, such as those of a multidimensional recoding, per group.
///
/// # Errors
/// When there is no sensitive column, a criterion promises look-alikes, the groups are not those of the table, or a
/// bucket fails a criterion.
pub fn bucketize(problem: &Problem<'_>, groups: &Groups) -> Result<Buckets, SearchError> {
    require(problem, "bucketize")?;
    judged(problem, &Groups::numbered(&groups.of), None)
}

/// What every bucketization needs.
pub(super) fn require(problem: &Problem<'_>, algorithm: &'static str) -> Result<(), SearchError> {
    if problem.rows >= u32::MAX as usize {
        return Err(SearchError::TooManyRows);
    }
    if problem.sensitive.is_empty() {
        return Err(SearchError::Parameter {
            key: "search.algorithm",
            problem: "publishes sensitive values by buckets, and there is no sensitive column; name one in [columns]",
        });
    }
    require_bucket_independent(problem, algorithm)?;
    for criterion in problem.criteria {
        if criterion.histograms().is_empty() || criterion.least_rows() > 1 || criterion.judges_absence() {
            return Err(SearchError::NotForCriterion {
                algorithm,
                criterion: criterion.key(),
                accepts: "promises about sensitive values such as l-diversity (it publishes quasi values as they are, \
                          so nobody looks like anybody else)",
            });
        }
    }
    Ok(())
}

/// A partition must be one of the records of the table.
pub(super) fn require_all_records(problem: &Problem<'_>, groups: &Groups) -> Result<(), SearchError> {
    match groups.of.len() == problem.rows {
        true => Ok(()),
        false => Err(SearchError::Parameter {
            key: "search.algorithm",
            problem: "was given groups of another table; one group per record is needed",
        }),
    }
}

/// Sensitive columns about which no criterion says anything.
pub(super) fn unspoken(problem: &Problem<'_>) -> Vec<usize> {
    let said: Vec<usize> = problem.criteria.iter().flat_map(|criterion| criterion.histograms()).collect();
    (0..problem.sensitive.len()).filter(|column| !said.contains(column)).collect()
}

/// Whether a column has two different values.
pub(super) fn varies(column: &Codes<'_>) -> bool {
    column.codes.windows(2).any(|pair| pair[0] != pair[1])
}

/// The tables of a partition, once every bucket satisfies every criterion.
pub(super) fn judged(problem: &Problem<'_>, groups: &Groups, l: Option<u64>) -> Result<Buckets, SearchError> {
    require_all_records(problem, groups)?;
    let tables: Vec<SensitiveTable> =
        problem.sensitive.iter().map(|column| SensitiveTable::new(groups, column)).collect();
    let mut dense: Vec<Dense> = problem.sensitive.iter().map(|column| Dense::new(column.values)).collect();
    let mut reached = vec![None; problem.criteria.len()];
    let mut fails = vec![false; problem.criteria.len()];
    let (mut buckets, mut records) = (0, 0);
    for bucket in 0..groups.count {
        for (dense, table) in dense.iter_mut().zip(&tables) {
            dense.fill(table.of(bucket));
        }
        let rows = dense.first().map_or(0, |dense| dense.total);
        let histograms: Vec<Histogram<'_>> = dense.iter().map(Dense::view).collect();
        let class = Class { rows, population: 0, histograms: &histograms };
        let mut holds = true;
        for (i, criterion) in problem.criteria.iter().enumerate() {
            if !criterion.holds(&class) {
                fails[i] = true;
                holds = false;
            }
            note_worst(&**criterion, criterion.reached(&class), bucket as u32, &mut reached[i]);
        }
        if !holds {
            buckets += 1;
            records += rows;
        }
        dense.iter_mut().for_each(Dense::clear);
    }
    if buckets > 0 {
        return Err(SearchError::BucketsFail { buckets, records, criteria: promises(problem, &fails) });
    }
    Ok(Buckets { of: groups.of.clone(), count: groups.count, tables, l, reached })
}

/// The criteria that fail, as `key: promise`.
fn promises(problem: &Problem<'_>, fails: &[bool]) -> Vec<String> {
    let failing = problem.criteria.iter().zip(fails).filter(|&(_, &fails)| fails);
    failing
        .map(|(criterion, _)| {
            format!("{}: {}", criterion.key(), criterion.promise_of(Grouping::Buckets).trim_end_matches('.'))
        })
        .collect()
}

pub(super) fn note_worst(
    criterion: &dyn Criterion,
    reached: f64,
    class: u32,
    worst: &mut Option<(f64, u32)>,
) {
    let worse = match (*worst, criterion.better()) {
        (None, _) => true,
        (Some((so_far, _)), Better::Higher) => reached < so_far,
        (Some((so_far, _)), Better::Lower) => reached > so_far,
    };
    if worse {
        *worst = Some((reached, class));
    }
}

/// A histogram that is filled for one bucket after the other.
pub(super) struct Dense {
    counts: Vec<u32>,
    present: Vec<u32>,
    pub total: u64,
}

impl Dense {
    pub fn new(values: usize) -> Self {
        Self { counts: vec![0; values], present: Vec::new(), total: 0 }
    }

    pub fn fill(&mut self, entries: &[(u32, u32)]) {
        for &(code, count) in entries {
            if self.counts[code as usize] == 0 {
                self.present.push(code);
            }
            self.counts[code as usize] += count;
            self.total += u64::from(count);
        }
    }

    pub fn view(&self) -> Histogram<'_> {
        Histogram { counts: &self.counts, present: &self.present, total: self.total }
    }

    pub fn clear(&mut self) {
        for code in self.present.drain(..) {
            self.counts[code as usize] = 0;
        }
        self.total = 0;
    }
}
