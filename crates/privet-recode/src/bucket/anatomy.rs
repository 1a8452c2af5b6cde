//! Anatomy (survey ME-13; Xiao and Tao, "Anatomy: simple and effective privacy preservation", 2006): buckets of l or a
//! few more records that all have different sensitive values.
//!
//! Records are hashed by their sensitive value. While at least l values have records left, one record of each of the
//! l values with most records left forms a bucket; each of the fewer than l records left over goes to a bucket that
//! does not hold its value.
//!
//! **Guarantee.** When at most n/l records share a value (else it refuses: no partition could do better), every bucket
//! has at least l records with different values of the first sensitive column, so nobody's value is likelier than
//! 1/l to whoever knows the bucket alone. The same bound is checked for every further sensitive column that no
//! criterion is about, and all criteria are judged in every bucket; when one fails, nothing is published. Time and memory are linear in the
//! records. No record is left out, whatever `suppress-at-most` is.
//!
//! **Departures.** The paper keeps values in a heap; here they lie in an array that stays sorted by itself, because of
//! values with equally many records left the last in the array give theirs. Which records of a value are taken, and
//! which bucket takes in what is left over, is drawn from a seed as in the paper: with records taken in the order of
//! the table, an outsider who knows the method could exclude some of the ways in which values may belong to records.
//! When l is not given, it is the least with which a bucket of the l most frequent values, once each, satisfies all
//! criteria on the column; raised by half while a bucket that was really made fails one, which happens only with
//! criteria that tell values apart or are about further columns.

use privet_criteria::Class;
use privet_data::Progress;
use serde::Deserialize;

use super::buckets::{self, Buckets, Dense};
use crate::groups::Groups;
use crate::lattice::{Problem, Random, SearchError};

const ALGORITHM: &str = "anatomy";

/// Publishes sensitive values by buckets of different values: section `[search.anatomy]`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Anatomy {
    /// How many different sensitive values every bucket holds at least; derived from the criteria when not given.
    pub l: Option<u64>,
    /// Which of the equally good buckets are made. To be drawn anew for every release and kept secret: the default is
    /// for tests.
    pub seed: u64,
}

impl Anatomy {
    /// Divides the records into buckets.
    ///
    /// # Errors
    /// When l is below 2, there is no sensitive column, a criterion promises look-alikes, one value is in more than
    /// n/l records, a bucket fails a criterion, or the person stopped it.
    pub fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Buckets, SearchError> {
        if self.l.is_some_and(|l| l < 2) {
            return Err(SearchError::Parameter {
                key: "search.anatomy.l",
                problem: "must be at least 2: buckets of one record would publish the value of everybody",
            });
        }
        buckets::require(problem, ALGORITHM)?;
        progress.stage("counting sensitive values", None);
        let values = Values::new(problem);
        progress.check()?;
        if problem.rows == 0 {
            return buckets::judged(problem, &Groups::default(), self.l);
        }
        if let Some(l) = self.l {
            return self.with_l(problem, &values, l, progress);
        }
        let mut l = least_l(problem, &values)?;
        loop {
            match self.with_l(problem, &values, l, progress) {
                // Criteria that treat values differently may need larger buckets than those of the first guess.
                Err(SearchError::BucketsFail { buckets, records, criteria }) => {
                    l += (l / 2).max(1);
                    if values.most > problem.rows as u64 / l {
                        return Err(SearchError::BucketsFail { buckets, records, criteria });
                    }
                }
                found => return found,
            }
        }
    }

    fn with_l(
        &self,
        problem: &Problem<'_>,
        values: &Values,
        l: u64,
        progress: &dyn Progress,
    ) -> Result<Buckets, SearchError> {
        let allowed = problem.rows as u64 / l;
        if values.most > allowed {
            return Err(SearchError::NotEligible { most: values.most, allowed, l });
        }
        progress.stage("forming buckets", Some(problem.rows as u64));
        let groups = form(values, l as usize, self.seed, progress)?;
        let found = buckets::judged(problem, &groups, Some(l))?;
        // Every value at most once in the column that was divided; the same bound for columns that came along.
        for bucket in 0..found.count {
            let rows: u64 = found.tables[0].of(bucket).iter().map(|&(_, count)| u64::from(count)).sum();
            if rows < l || found.tables[0].of(bucket).iter().any(|&(_, count)| count > 1) {
                return Err(SearchError::Unsafe { algorithm: ALGORITHM });
            }
        }
        refuse_frequent(problem, &found, l)?;
        Ok(found)
    }
}

/// Refuses buckets in which a value of a further sensitive column, about which no criterion says anything, is likelier
/// than 1/l.
fn refuse_frequent(problem: &Problem<'_>, found: &Buckets, l: u64) -> Result<(), SearchError> {
    let said: Vec<usize> = problem.criteria.iter().flat_map(|criterion| criterion.histograms()).collect();
    let free =
        || found.tables.iter().enumerate().skip(1).filter(|(i, _)| !said.contains(i)).map(|(_, table)| table);
    let (mut failing, mut records) = (0, 0);
    for bucket in 0..found.count {
        let rows: u64 = found.tables[0].of(bucket).iter().map(|&(_, count)| u64::from(count)).sum();
        let frequent = |&(_, count): &(u32, u32)| u64::from(count) * l > rows;
        if free().any(|table| table.of(bucket).iter().any(frequent)) {
            failing += 1;
            records += rows;
        }
    }
    if failing == 0 {
        return Ok(());
    }
    let columns = problem.sensitive.len();
    Err(SearchError::BucketsFail {
        buckets: failing,
        records,
        criteria: vec![format!(
            "anatomy: no value of any of the {columns} sensitive columns is in more than 1/l of a bucket, and buckets are \
             formed by the first column alone"
        )],
    })
}

/// The records of the first sensitive column by their values.
struct Values {
    /// The records, those of one value after those of another.
    records: Vec<u32>,
    /// Per value with records the first of its records and the one after its last, most records first.
    spans: Vec<(u32, u32)>,
    /// The codes of `spans`.
    codes: Vec<u32>,
    /// Records with the most frequent value.
    most: u64,
}

impl Values {
    fn new(problem: &Problem<'_>) -> Self {
        let column = &problem.sensitive[0];
        let records = buckets::counting_order(column.codes, column.values);
        let mut spans = Vec::new();
        let mut begin = 0;
        for run in records.chunk_by(|&a, &b| column.codes[a as usize] == column.codes[b as usize]) {
            spans.push((begin, begin + run.len() as u32));
            begin += run.len() as u32;
        }
        // The sort is stable, so equal counts keep the order of their codes. Values are at most as many as records.
        spans.sort_by_key(|&(begin, end)| std::cmp::Reverse(end - begin));
        let codes = spans.iter().map(|&(begin, _)| column.codes[records[begin as usize] as usize]).collect();
        let most = spans.first().map_or(0, |&(begin, end)| u64::from(end - begin));
        Self { records, spans, codes, most }
    }
}

/// The least l at which a bucket with the l most frequent values, once each, satisfies all criteria on that column.
fn least_l(problem: &Problem<'_>, values: &Values) -> Result<u64, SearchError> {
    let on_first = || problem.criteria.iter().filter(|criterion| criterion.histograms() == [0]);
    if on_first().next().is_none() {
        return Err(SearchError::Parameter {
            key: "search.anatomy.l",
            problem: "is not given and cannot be derived: no criterion in [privacy] is about the first sensitive column; \
                      give an l of at least 2, or such a criterion",
        });
    }
    let mut all: Vec<Dense> = problem.sensitive.iter().map(|column| Dense::new(column.values)).collect();
    for (i, &code) in values.codes.iter().enumerate() {
        all[0].fill(&[(code, 1)]);
        let histograms: Vec<_> = all.iter().map(Dense::view).collect();
        let class = Class { rows: i as u64 + 1, population: 0, histograms: &histograms };
        // A bucket of one record tells its value, whatever a criterion says of it.
        if i >= 1 && on_first().all(|criterion| criterion.holds(&class)) {
            return Ok(i as u64 + 1);
        }
    }
    // Not even all values together do: what that means for the table is said by judging it as one bucket.
    let one = Groups { of: vec![0; problem.rows], count: 1 };
    buckets::judged(problem, &one, None)?;
    Ok((values.codes.len() as u64).max(2))
}

/// The buckets. At most n/l records share a value.
fn form(values: &Values, l: usize, seed: u64, progress: &dyn Progress) -> Result<Groups, SearchError> {
    const NONE: u32 = u32::MAX;
    let mut random = Random::new(seed);
    let mut records = values.records.clone();
    for &(begin, end) in &values.spans {
        let span = &mut records[begin as usize..end as usize];
        for i in (1..span.len()).rev() {
            span.swap(i, random.below(i + 1));
        }
    }
    // Per value the records left: those before `left`. Values stay sorted by how many that are.
    let mut left: Vec<u32> = values.spans.iter().map(|&(begin, end)| end - begin).collect();
    // How many values have at least so many records left.
    let mut at_least = vec![0usize; values.most as usize + 2];
    for &count in &left {
        at_least[count as usize] += 1;
    }
    for count in (0..=values.most as usize).rev() {
        at_least[count] += at_least[count + 1];
    }
    let mut of = vec![NONE; records.len()];
    let mut count = 0u32;
    while at_least[1] >= l {
        // The l-th largest value and those as large as it are `ties`; the larger ones before them all give a record.
        let least = left[l - 1] as usize;
        let ties = at_least[least + 1]..at_least[least];
        let givers = (0..ties.start).chain(ties.end - (l - ties.start)..ties.end);
        for value in givers {
            at_least[left[value] as usize] -= 1;
            left[value] -= 1;
            let record = records[(values.spans[value].0 + left[value]) as usize];
            of[record as usize] = count;
        }
        count += 1;
        if count.is_multiple_of(1 << 12) {
            progress.at(u64::from(count) * l as u64);
            progress.check()?;
        }
    }
    place_rest(values, &records, &left, at_least[1], count, &mut random, &mut of)?;
    Ok(Groups::numbered(&of))
}

/// Puts each record left over into a bucket that does not hold its value. Fewer than l values have one, so that this
/// takes no longer than forming the buckets did.
fn place_rest(
    values: &Values,
    records: &[u32],
    left: &[u32],
    rest: usize,
    count: u32,
    random: &mut Random,
    of: &mut [u32],
) -> Result<(), SearchError> {
    let mut free: Vec<u32> = Vec::with_capacity(count as usize);
    let mut holds = vec![false; count as usize];
    for (&(begin, end), &left) in values.spans.iter().zip(left).take(rest) {
        let (waiting, placed) = records[begin as usize..end as usize].split_at(left as usize);
        placed.iter().for_each(|&record| holds[of[record as usize] as usize] = true);
        free.clear();
        free.extend((0..count).filter(|&bucket| !holds[bucket as usize]));
        placed.iter().for_each(|&record| holds[of[record as usize] as usize] = false);
        for &record in waiting {
            if free.is_empty() {
                // Cannot happen when at most n/l records share a value (Property 1 and 2 of the paper).
                return Err(SearchError::Unsafe { algorithm: ALGORITHM });
            }
            of[record as usize] = free.swap_remove(random.below(free.len()));
        }
    }
    Ok(())
}
