//! Anatomy (survey ME-13; Xiao and Tao, "Anatomy: simple and effective privacy preservation", 2006): buckets of l or a
//! few more records that all have different sensitive values.
//!
//! Records are hashed by their sensitive value. While at least l values have records left, one record of each of the
//! l values with most records left forms a bucket; each of the fewer than l records left over goes to a bucket that
//! does not hold its value.
//!
//! Buckets that fail a criterion are then merged with others (`merging.rs`); where this is needed, or criteria compare a
//! bucket with the table, buckets that are like the table are tried as well (`dealing.rs`). The most buckets are taken.
//!
//! **Guarantee.** Every criterion holds in every bucket. No value of the first sensitive column is in more than 1/l of a
//! bucket, so that nobody's is likelier than 1/l to whoever knows the bucket alone; l is the one that is given, or the
//! least that criteria about the values of a bucket (l-diversity and its kin) need. It refuses only when all records in one
//! bucket fail a criterion or this bound; with a value in more than n/l records no partition could keep it. Where the table
//! cannot keep that l, criteria that bound by themselves how frequent a value may be (recursive and entropy l-diversity) ask
//! for none, because larger buckets may satisfy them. Criteria that
//! compare a bucket with the table (t-closeness, beta-likeness, delta-disclosure) ask for no l: where they are alone, l is
//! what their buckets happen to keep; it is told with the buckets, and may be 1, but no value is in all records of a bucket
//! unless it is in all of the table. In every further sensitive column that no
//! criterion is about the same bound is kept, or, where no l is asked for, that of the l that buckets of different values
//! would need, if the table allows it, or else the largest that it allows. Time and memory are linear in the records,
//! where buckets must be merged up to a logarithm. No record is left out, whatever `suppress-at-most` is.
//!
//! **Departures.** The paper keeps values in a heap; here they lie in an array that stays sorted by itself, because of
//! values with equally many records left the last in the array give theirs. Which records of a value are taken, and
//! which bucket takes in what is left over, is drawn from a seed as in the paper: with records taken in the order of
//! the table, an outsider who knows the method could exclude some of the ways in which values may belong to records.
//! The paper knows l-diversity alone. When l is not given, it is the least with which a bucket of the l most frequent
//! values, once each, satisfies all criteria on the column. Where buckets of l fail all the same, which happens with
//! criteria that tell values apart, compare with the table, or are about further columns, larger l (by half each time) are
//! tried as well, and what leaves most buckets is taken. With l = 1 every record that does not have the most frequent
//! value starts a bucket, and all others are dealt to these.

use privet_criteria::{Class, Criterion};
use privet_data::Progress;
use serde::Deserialize;

use super::buckets::{self, Buckets, Dense, SensitiveTable};
use super::dealing::{self, Dealing};
use super::judge::Judge;
use super::merging::{Merged, Merging};
use crate::groups::Groups;
use crate::lattice::{Codes, Problem, Random, SearchError};

const ALGORITHM: &str = "anatomy";

/// Criteria that compare a bucket with the whole table: one bucket of all records satisfies them.
const COMPARING: [&str; 3] = ["t-closeness", "beta-likeness", "delta-disclosure"];

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
    /// n/l records, all records in one bucket fail a criterion, or the person stopped it.
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
        let rows = problem.rows as u64;
        if rows == 0 {
            return buckets::judged(problem, &Groups::default(), self.l);
        }
        // No value can be in a smaller part of all buckets than it is in the table.
        let possible = rows / values.most.max(1);
        let unspoken = unspoken(problem);
        let allowed = unspoken
            .iter()
            .map(|&column| rows / most_frequent(&problem.sensitive[column]).max(1))
            .fold(possible, u64::min);
        if let Some(l) = self.l {
            if l > possible {
                return Err(SearchError::NotEligible { rows, most: values.most, l });
            }
            refuse_frequent(&unspoken, rows, allowed, l)?;
            let merged = self.with_l(problem, &values, l, l, progress)?;
            return self.or_dealt(problem, merged, l, l, progress)?.judged(problem);
        }
        if !problem.criteria.iter().any(|criterion| criterion.histograms() == [0]) {
            return Err(SearchError::Parameter {
                key: "search.anatomy.l",
                problem: "is not given and cannot be derived: no criterion in [privacy] is about the first sensitive column; \
                          give an l of at least 2, or such a criterion",
            });
        }
        if rows < 2 {
            // A bucket of one record tells its value, whatever a criterion says of it.
            return Err(SearchError::NotEligible { rows, most: values.most, l: 2 });
        }
        let is_meant = |criterion: &dyn Criterion| !COMPARING.contains(&criterion.key());
        let mut asked = least_l(problem, &values, is_meant);
        if asked.is_some_and(|l| l > possible) {
            // Criteria that bound how frequent a value may be say so themselves, and fewer values may do in larger buckets.
            asked = least_l(problem, &values, |c| is_meant(c) && !bounds_frequency(problem, &values, c));
        }
        if let Some(l) = asked.filter(|&l| l > possible) {
            return Err(SearchError::NotEligible { rows, most: values.most, l });
        }
        // What nobody asked for must not refuse anything.
        let floor = asked.unwrap_or(1);
        refuse_frequent(&unspoken, rows, allowed, floor)?;
        let wanted = least_l(problem, &values, |_| true).unwrap_or(values.codes.len() as u64);
        let first = wanted.min(possible).max(floor);
        let mut l = first;
        let mut best = self.with_l(problem, &values, l, l.min(allowed), progress)?;
        while best.merged {
            l += (l / 2).max(1);
            // More buckets than this there cannot be.
            if l > possible || rows / l <= best.groups.count as u64 {
                break;
            }
            let found = self.with_l(problem, &values, l, l.min(allowed), progress)?;
            if found.groups.count > best.groups.count {
                best = found;
            }
        }
        self.or_dealt(problem, best, floor, first.min(allowed), progress)?.judged(problem)
    }

    /// Buckets in which everything holds, formed of `l` different values and merged where they fail: no value is in more
    /// than 1/l of one, and in columns that no criterion is about in more than 1/bound, which is no larger.
    fn with_l(
        &self,
        problem: &Problem<'_>,
        values: &Values,
        l: u64,
        bound: u64,
        progress: &dyn Progress,
    ) -> Result<Formed, SearchError> {
        progress.stage("forming buckets", Some(problem.rows as u64));
        let groups = match l {
            1 => deal(values, self.seed),
            _ => form(values, l as usize, self.seed, progress)?,
        };
        let bounded = unspoken(problem).into_iter().map(|column| (column, bound)).collect();
        match Merging::new(problem, &groups, Judge::new(problem, bounded)).merge(groups, progress)? {
            Some(Merged { groups, merged }) => Ok(Formed { groups, merged, l: bound }),
            None => {
                // Judged as one bucket, the table says what fails.
                let whole =
                    Formed { groups: Groups { of: vec![0; problem.rows], count: 1 }, merged: true, l: bound };
                whole.judged(problem)?;
                Err(SearchError::Unsafe { algorithm: ALGORITHM })
            }
        }
    }

    /// These buckets, or more of them that are like the table. No value is in more than 1/floor of one, and in columns
    /// that no criterion is about in more than 1/bound.
    fn or_dealt(
        &self,
        problem: &Problem<'_>,
        found: Formed,
        floor: u64,
        bound: u64,
        progress: &dyn Progress,
    ) -> Result<Formed, SearchError> {
        // Buckets of as few records as l asks for cannot be more.
        let limit = (problem.rows as u64 / floor.max(2)) as usize;
        let compares = problem.criteria.iter().any(|criterion| COMPARING.contains(&criterion.key()));
        if !(found.merged || compares) || limit <= found.groups.count {
            return Ok(found);
        }
        let bounded: Vec<(usize, u64)> =
            unspoken(problem).into_iter().map(|column| (column, bound)).chain([(0, floor)]).collect();
        let mut dealing = Dealing::new(problem);
        let mut judge = Judge::new(problem, bounded.clone());
        match dealing.most_parts(&mut judge, found.groups.count, limit, progress)? {
            Some(parts) => {
                let groups = dealing.deal(parts, self.seed);
                let l = kept(problem, &groups, bounded.iter().map(|&(column, _)| column));
                Ok(Formed { groups, merged: true, l: self.l.unwrap_or(l) })
            }
            None => Ok(found),
        }
    }
}

/// Buckets before they are judged once more.
struct Formed {
    groups: Groups,
    /// Whether some were merged.
    merged: bool,
    l: u64,
}

impl Formed {
    fn judged(&self, problem: &Problem<'_>) -> Result<Buckets, SearchError> {
        let found = buckets::judged(problem, &Groups::numbered(&self.groups.of), Some(self.l))?;
        let columns = unspoken(problem).into_iter().chain([0]);
        if found.count > 0 && kept(problem, &self.groups, columns) < self.l {
            return Err(SearchError::Unsafe { algorithm: ALGORITHM });
        }
        Ok(found)
    }
}

/// The largest l for which no value of these columns is in more than 1/l of a bucket.
fn kept(problem: &Problem<'_>, groups: &Groups, columns: impl Iterator<Item = usize>) -> u64 {
    let of_column = |column: usize| {
        let table = SensitiveTable::new(groups, &problem.sensitive[column]);
        let ls = (0..groups.count).map(|bucket| {
            let (rows, most) = size(&table, bucket);
            rows / most.max(1)
        });
        ls.min().unwrap_or(0)
    };
    columns.map(of_column).min().unwrap_or(0)
}

/// The records of a bucket, and those with its most frequent value.
fn size(table: &SensitiveTable, bucket: usize) -> (u64, u64) {
    let counts = || table.of(bucket).iter().map(|&(_, count)| u64::from(count));
    (counts().sum(), counts().max().unwrap_or(0))
}

/// Further sensitive columns about which no criterion says anything.
fn unspoken(problem: &Problem<'_>) -> Vec<usize> {
    buckets::unspoken(problem).into_iter().filter(|&column| column > 0).collect()
}

/// How many records have the most frequent value of a column.
fn most_frequent(column: &Codes<'_>) -> u64 {
    let mut counts = vec![0u64; column.values];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    counts.into_iter().max().unwrap_or(0)
}

/// Refuses an l above what further sensitive columns allow about which no criterion says anything: even one bucket of all
/// records has one of their values in more than 1/l.
fn refuse_frequent(unspoken: &[usize], rows: u64, allowed: u64, l: u64) -> Result<(), SearchError> {
    if l <= allowed {
        return Ok(());
    }
    let help = match allowed {
        0 | 1 => String::from("what helps is"),
        _ => format!("what helps is search.anatomy.l = {allowed} or less, or"),
    };
    let columns = unspoken.len();
    Err(SearchError::BucketsFail {
        buckets: 1,
        records: rows,
        criteria: vec![format!(
            "anatomy: no value of a further sensitive column that no criterion is about (columns like this: {columns}) is \
             in more than 1/{l} of a bucket, and one of them is in more than 1/{l} of all records; {help} a criterion in \
             [privacy] about each such column"
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

/// The least l at which a bucket with the l most frequent values, once each, satisfies these criteria on that column; `None`
/// when there are none, or not even all values together do.
fn least_l(problem: &Problem<'_>, values: &Values, is_meant: impl Fn(&dyn Criterion) -> bool) -> Option<u64> {
    let on_first: Vec<&dyn Criterion> = problem
        .criteria
        .iter()
        .map(|criterion| &**criterion)
        .filter(|criterion| criterion.histograms() == [0] && is_meant(*criterion))
        .collect();
    if on_first.is_empty() {
        return None;
    }
    let mut all: Vec<Dense> = problem.sensitive.iter().map(|column| Dense::new(column.values)).collect();
    for (i, &code) in values.codes.iter().enumerate() {
        all[0].fill(&[(code, 1)]);
        let histograms: Vec<_> = all.iter().map(Dense::view).collect();
        let class = Class { rows: i as u64 + 1, population: 0, histograms: &histograms };
        // A bucket of one record tells its value, whatever a criterion says of it.
        if i >= 1 && on_first.iter().all(|criterion| criterion.holds(&class)) {
            return Some(i as u64 + 1);
        }
    }
    None
}

/// Whether a criterion on the first column refuses a bucket of all values in which one of them is nearly everybody's, as
/// recursive and entropy l-diversity do and distinct l-diversity does not.
fn bounds_frequency(problem: &Problem<'_>, values: &Values, criterion: &dyn Criterion) -> bool {
    const NEARLY_ALL: u32 = 1 << 24;
    let mut all: Vec<Dense> = problem.sensitive.iter().map(|column| Dense::new(column.values)).collect();
    let mut rows = 0;
    for (i, &code) in values.codes.iter().enumerate() {
        let count = if i == 0 { NEARLY_ALL } else { 1 };
        all[0].fill(&[(code, count)]);
        rows += u64::from(count);
    }
    let histograms: Vec<_> = all.iter().map(Dense::view).collect();
    !criterion.holds(&Class { rows, population: 0, histograms: &histograms })
}

/// Buckets of two records and more, as alike as the values allow, in a table that is not eligible for l = 2: as many as
/// there are records that do not have the most frequent value. Records are dealt to them value by value.
fn deal(values: &Values, seed: u64) -> Groups {
    let records = shuffled(values, &mut Random::new(seed));
    let count = (records.len() - values.most as usize).max(1);
    let mut of = vec![0; records.len()];
    let by_frequency = values.spans.iter().flat_map(|&(begin, end)| &records[begin as usize..end as usize]);
    by_frequency.zip((0..count as u32).cycle()).for_each(|(&record, bucket)| of[record as usize] = bucket);
    Groups { of, count }
}

/// The records of each value in a random order.
fn shuffled(values: &Values, random: &mut Random) -> Vec<u32> {
    let mut records = values.records.clone();
    dealing::shuffle(&mut records, &values.spans, random);
    records
}

/// The buckets, in the order in which they are formed. At most n/l records share a value.
fn form(values: &Values, l: usize, seed: u64, progress: &dyn Progress) -> Result<Groups, SearchError> {
    const NONE: u32 = u32::MAX;
    let mut random = Random::new(seed);
    let records = shuffled(values, &mut random);
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
    Ok(Groups { of, count: count as usize })
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
