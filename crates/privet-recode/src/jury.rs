//! Judges groups of records by all criteria of a problem.
//!
//! # Guarantee
//! Criteria must be such that the union of classes that satisfy them does (survey Def 4.3) and must judge a class by
//! its records alone (Def 4.4); others are refused by [`require_groups`]. Then groups of which all hold stay safe when
//! some of them come to look alike in the release; and if all records in one group fail, no grouping is safe.

use privet_criteria::{Class, Criterion, Histogram, Merging};

use crate::lattice::{BUCKET_INDEPENDENT, Codes, Problem, SearchError};

/// Judges groups, one after the other.
pub(crate) struct Jury<'a> {
    criteria: &'a [Box<dyn Criterion>],
    /// One per sensitive column; not filled when no criterion looks at it.
    counted: Vec<(bool, Counted<'a>)>,
    rows: u64,
    least_rows: u64,
}

impl<'a> Jury<'a> {
    /// Judges by the criteria of a problem.
    pub fn new(problem: &Problem<'a>) -> Self {
        let looked_at: Vec<usize> = problem.criteria.iter().flat_map(|c| c.histograms()).collect();
        let counted = problem.sensitive.iter().enumerate();
        let counted =
            counted.map(|(number, codes)| (looked_at.contains(&number), Counted::new(codes))).collect();
        let least_rows = problem.criteria.iter().map(|criterion| criterion.least_rows()).max().unwrap_or(1);
        Self { criteria: problem.criteria, counted, rows: 0, least_rows }
    }

    /// Begins with an empty group.
    pub fn clear(&mut self) {
        self.rows = 0;
        self.counted.iter_mut().for_each(|(_, histogram)| histogram.clear());
    }

    /// Adds records to the group.
    pub fn add(&mut self, records: &[u32]) {
        self.rows += records.len() as u64;
        for (_, histogram) in self.counted.iter_mut().filter(|(looked_at, _)| *looked_at) {
            histogram.fill(records);
        }
    }

    /// Whether every criterion holds for the group.
    pub fn holds(&self) -> bool {
        // What fails by its size alone needs no other look.
        self.rows >= self.least_rows
            && self.view(|class| self.criteria.iter().all(|criterion| criterion.holds(class)))
    }

    /// Whether every criterion holds for these records.
    pub fn holds_for(&mut self, records: &[u32]) -> bool {
        if (records.len() as u64) < self.least_rows {
            return false;
        }
        self.clear();
        self.add(records);
        self.holds()
    }

    fn view<T>(&self, look: impl FnOnce(&Class<'_>) -> T) -> T {
        let histograms: Vec<Histogram<'_>> = if self.only_counts() {
            Vec::new()
        } else {
            self.counted.iter().map(|(_, own)| own.view()).collect()
        };
        look(&Class { rows: self.rows, population: 0, histograms: &histograms })
    }

    /// Whether the criteria look at the number of records alone.
    pub fn only_counts(&self) -> bool {
        !self.counted.iter().any(|(looked_at, _)| *looked_at)
    }

    /// Whether so many records satisfy all criteria, when these look at nothing else.
    pub fn enough(&self, rows: u64) -> bool {
        let class = Class { rows, population: 0, histograms: &[] };
        self.criteria.iter().all(|criterion| criterion.holds(&class))
    }

    /// The histograms whose values do not satisfy the criteria that look at them, even were the group larger with
    /// the same shares of values: it lacks values, not records.
    pub fn lacking(&mut self, least_rows: usize) -> Vec<Lack> {
        let own = self.rows.max(1);
        // No count may outgrow its 32 bits.
        let times = (least_rows as u64).div_ceil(own).min(u64::from(u32::MAX) / own).max(1);
        self.scale(|count| count * times);
        let mut lacking: Vec<Lack> = self.view(|class| {
            let failing = self.criteria.iter().filter(|criterion| !criterion.holds(class));
            let lack = failing.flat_map(|criterion| {
                let wanted = criterion.wanted(class);
                criterion
                    .histograms()
                    .into_iter()
                    .map(move |histogram| Lack { histogram, wanted: wanted.clone() })
            });
            lack.collect()
        });
        self.scale(|count| count / times);
        lacking.sort_unstable();
        lacking.dedup();
        lacking
    }

    fn scale(&mut self, change: impl Fn(u64) -> u64) {
        self.rows = change(self.rows);
        for (_, Counted { counts, present, total, .. }) in &mut self.counted {
            *total = change(*total);
            for &code in present.iter() {
                counts[code as usize] = change(u64::from(counts[code as usize])) as u32;
            }
        }
    }

    /// Whether a record has a value that the group lacks in one of these histograms.
    pub fn is_lacked(&self, record: u32, lacking: &[Lack]) -> bool {
        lacking.iter().any(|Lack { histogram, wanted }| {
            let (looked_at, Counted { codes, counts, .. }) = &self.counted[*histogram];
            let code = codes[record as usize] as usize;
            *looked_at && wanted.as_ref().map_or(counts[code] == 0, |wanted| wanted[code])
        })
    }

    /// Refuses a table of which even all records together fail.
    pub fn require_whole(&mut self, rows: usize) -> Result<(), SearchError> {
        if rows == 0 {
            return Ok(());
        }
        self.clear();
        self.add(&(0..rows as u32).collect::<Vec<u32>>());
        let criteria: Vec<String> = self.view(|class| {
            let failing = self.criteria.iter().filter(|criterion| !criterion.holds(class));
            failing.map(|c| format!("{}: {}", c.key(), c.promise().trim_end_matches('.'))).collect()
        });
        match criteria.is_empty() {
            true => Ok(()),
            // No record is ever left out, whatever may be.
            false => Err(SearchError::NoSafeTable { criteria }),
        }
    }
}

/// What a group lacks to satisfy a criterion.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lack {
    /// The histogram that the criterion looks at.
    histogram: usize,
    /// Per value whether a record with it helps; `None` where any helps that the group does not have.
    wanted: Option<Vec<bool>>,
}

/// A histogram that is filled for one set of records after the other.
pub(crate) struct Counted<'a> {
    codes: &'a [u32],
    counts: Vec<u32>,
    present: Vec<u32>,
    total: u64,
}

impl<'a> Counted<'a> {
    pub fn new(codes: &Codes<'a>) -> Self {
        Self { codes: codes.codes, counts: vec![0; codes.values], present: Vec::new(), total: 0 }
    }

    /// Adds records.
    pub fn fill(&mut self, records: &[u32]) {
        for &record in records {
            let code = self.codes[record as usize];
            if self.counts[code as usize] == 0 {
                self.present.push(code);
            }
            self.counts[code as usize] += 1;
        }
        self.total += records.len() as u64;
    }

    /// Adds records, or tuples with so many records each.
    pub fn fill_weighted(&mut self, listed: &[u32], weights: Option<&[u32]>) {
        let Some(weights) = weights else { return self.fill(listed) };
        for &tuple in listed {
            let (code, weight) = (self.codes[tuple as usize], weights[tuple as usize]);
            if self.counts[code as usize] == 0 && weight > 0 {
                self.present.push(code);
            }
            self.counts[code as usize] += weight;
            self.total += u64::from(weight);
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

/// Refuses criteria that no method can enforce which forms groups one by one: those that do not judge a class by
/// itself, those that two classes may satisfy and their union not (groups that show the same are one class), and
/// those that compare with a population, because groups say nothing of where its people would belong.
pub(crate) fn require_groups(problem: &Problem<'_>, algorithm: &'static str) -> Result<(), SearchError> {
    if problem.rows >= u32::MAX as usize {
        return Err(SearchError::TooManyRows);
    }
    for criterion in problem.criteria {
        let refusal =
            |accepts| SearchError::NotForCriterion { algorithm, criterion: criterion.key(), accepts };
        if !criterion.bucket_independent() {
            return Err(refusal(BUCKET_INDEPENDENT));
        }
        if criterion.judges_absence() || criterion.counts_population() {
            return Err(refusal("criteria that look at the table alone, and at no population"));
        }
        if criterion.merging() == Merging::Arbitrary {
            return Err(refusal("criteria that hold for the union of groups for which they hold"));
        }
    }
    Ok(())
}
