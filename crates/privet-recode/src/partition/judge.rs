//! Whether a part may stand by itself: every criterion is asked about the histograms of its records.

use privet_criteria::{Class, Criterion, Histogram, Merging};

use super::rows::Table;
use crate::lattice::{BUCKET_INDEPENDENT, Codes, Problem, SearchError};

pub(super) const ALGORITHM: &str = "mondrian";

/// What every part must satisfy.
pub(super) struct Rule<'a> {
    /// The least records of a part. All that matters for k-anonymity alone.
    pub least: u64,
    /// The criteria that look at more than the number of records.
    pub criteria: Vec<&'a dyn Criterion>,
    sensitive: &'a [Codes<'a>],
    /// Which histograms these criteria look at.
    used: Vec<usize>,
}

impl<'a> Rule<'a> {
    /// Admits the criteria of a problem. 3D privacy is admitted when the whole partition is checked for it.
    pub fn new(problem: &'a Problem<'_>, three_d: bool) -> Result<Self, SearchError> {
        let is_checked_apart = |criterion: &dyn Criterion| three_d && criterion.key() == "three-d";
        for criterion in problem.criteria.iter().filter(|criterion| !is_checked_apart(&***criterion)) {
            admit(&**criterion)?;
        }
        let criteria: Vec<&dyn Criterion> = problem
            .criteria
            .iter()
            .map(|criterion| &**criterion)
            .filter(|c| c.key() != "k-anonymity" && !is_checked_apart(*c))
            .collect();
        let mut used: Vec<usize> = criteria.iter().flat_map(|criterion| criterion.histograms()).collect();
        used.sort_unstable();
        used.dedup();
        let least = problem.criteria.iter().map(|criterion| criterion.least_rows()).max().unwrap_or(1).max(1);
        Ok(Self { least, criteria, sensitive: &problem.sensitive, used })
    }

    /// So many records, and nothing else.
    pub fn of_size(least: u64) -> Self {
        Self { least, criteria: Vec::new(), sensitive: &[], used: Vec::new() }
    }

    /// The same for records with these sensitive codes.
    pub fn over<'b>(&self, sensitive: &'b [Codes<'b>]) -> Rule<'b>
    where
        'a: 'b,
    {
        Rule { least: self.least, criteria: self.criteria.clone(), sensitive, used: self.used.clone() }
    }

    /// The criteria of a problem that the whole table fails, in words.
    pub fn failing_as_a_whole(&self, problem: &Problem<'_>, rows: u64, counts: &Counts) -> Vec<String> {
        counts.ask(rows, |class| {
            let failing = problem.criteria.iter().filter(|criterion| !criterion.holds(class));
            failing.map(|c| format!("{}: {}", c.key(), c.promise().trim_end_matches('.'))).collect()
        })
    }

    /// Empty counts.
    pub fn counts(&self) -> Counts {
        let counted = |(position, codes): (usize, &Codes<'_>)| {
            let values = if self.used.contains(&position) { codes.values } else { 0 };
            Counted { counts: vec![0; values], present: Vec::new() }
        };
        Counts { counted: self.sensitive.iter().enumerate().map(counted).collect() }
    }

    /// Counts one more record, whose codes are found with `code`.
    pub fn count(&self, counts: &mut Counts, code: impl Fn(usize) -> u32) {
        for &position in &self.used {
            counts.counted[position].add(code(position), 1);
        }
    }

    /// Counts a record of the table.
    pub fn count_record(&self, counts: &mut Counts, record: u32) {
        self.count(counts, |position| self.sensitive[position].codes[record as usize]);
    }

    /// Whether so many records with these counts may stand by themselves.
    pub fn holds(&self, rows: u64, counts: &Counts) -> bool {
        rows >= self.least
            && counts.ask(rows, |class| self.criteria.iter().all(|criterion| criterion.holds(class)))
    }
}

/// Refuses what cutting a table part by part cannot enforce.
fn admit(criterion: &dyn Criterion) -> Result<(), SearchError> {
    let refused = |accepts| {
        Err(SearchError::NotForCriterion { algorithm: ALGORITHM, criterion: criterion.key(), accepts })
    };
    if criterion.judges_absence() || criterion.counts_population() {
        return refused("criteria that look at the records of a class, not at a population table");
    }
    if !criterion.bucket_independent() {
        return refused(BUCKET_INDEPENDENT);
    }
    if criterion.merging() == Merging::Arbitrary {
        return Err(SearchError::NotMonotone {
            algorithm: ALGORITHM,
            criterion: criterion.key(),
            with_suppression: false,
        });
    }
    Ok(())
}

/// The histograms of some records.
#[derive(Debug, Clone)]
pub(super) struct Counts {
    counted: Vec<Counted>,
}

#[derive(Debug, Clone)]
struct Counted {
    counts: Vec<u32>,
    present: Vec<u32>,
}

impl Counted {
    fn add(&mut self, code: u32, records: u32) {
        let count = &mut self.counts[code as usize];
        if *count == 0 {
            self.present.push(code);
        }
        *count += records;
    }
}

impl Counts {
    pub fn clear(&mut self) {
        for counted in &mut self.counted {
            for code in counted.present.drain(..) {
                counted.counts[code as usize] = 0;
            }
        }
    }

    /// Adds the records of other counts.
    pub fn merge(&mut self, other: &Self) {
        for (counted, other) in self.counted.iter_mut().zip(&other.counted) {
            for &code in &other.present {
                counted.add(code, other.counts[code as usize]);
            }
        }
    }

    fn ask<R>(&self, rows: u64, ask: impl FnOnce(&Class<'_>) -> R) -> R {
        let histograms: Vec<Histogram<'_>> = self
            .counted
            .iter()
            .map(|counted| Histogram { counts: &counted.counts, present: &counted.present, total: rows })
            .collect();
        ask(&Class { rows, population: 0, histograms: &histograms })
    }
}

/// Says whether a cut is taken, once all its parts are large enough.
pub(super) trait Accept<T: Table> {
    /// Whether it is taken. The parts lie one after the other.
    fn accepts(&mut self, table: &T, parts: &[T::Row], sizes: &[u32]) -> bool;
}

/// Takes a cut when every part satisfies the rule.
pub(super) struct Judge<'a> {
    rule: &'a Rule<'a>,
    counts: Counts,
}

impl<'a> Judge<'a> {
    pub fn new(rule: &'a Rule<'a>) -> Self {
        Self { rule, counts: rule.counts() }
    }

    /// Whether some rows may stand by themselves.
    pub fn holds<T: Table>(&mut self, table: &T, rows: &[T::Row]) -> bool {
        if self.rule.criteria.is_empty() {
            return rows.len() as u64 >= self.rule.least;
        }
        self.counts.clear();
        for row in rows {
            self.rule.count_record(&mut self.counts, table.record(row));
        }
        self.rule.holds(rows.len() as u64, &self.counts)
    }
}

impl<T: Table> Accept<T> for Judge<'_> {
    fn accepts(&mut self, table: &T, parts: &[T::Row], sizes: &[u32]) -> bool {
        if self.rule.criteria.is_empty() {
            return true;
        }
        let mut rest = parts;
        sizes.iter().all(|&size| {
            let (part, after) = rest.split_at(size as usize);
            rest = after;
            self.holds(table, part)
        })
    }
}
