//! What a run with a limit keeps in memory besides records, and whether that fits the limit.
//!
//! The distinct values of the columns and what is known of the groups cannot be read in passes. They are counted before
//! they are made, and what is left of the limit is for records. **Guarantee.** A run whose values and groups do not fit
//! ends with a refusal that says what would be enough; it does not go on beyond the limit. The figures per value, group
//! and record are those of the structures that hold them, rounded up, with what an allocator needs for each.

use privet_data::Column;
use privet_recode::lattice::Problem;
use privet_recode::partition::bytes_per_record;

use privet_microdata::memory_limit::{MOST_PASSES, MemoryLimit, TooLittle, Why};

use crate::load::Loaded;

/// What the program needs whatever the input: itself, and the chunks that are read and written.
pub(super) const PROGRAM: u64 = 27_000_000;
/// How many bytes are given up to what an allocator does not give back, for every five that records need: measured where all
/// records fit at once, which takes the most.
const SLACK: u64 = 3;
/// A text in a list, besides its characters: where it is, and what an allocator adds.
const TEXT: u64 = 32;
/// What is known of a group whatever the columns: its records, its class, and what that reaches.
const GROUP: u64 = 64;
/// What is known of a group in a column: what lies between its values, its codes, and its place on the page.
const GROUP_IN_COLUMN: u64 = 32;
/// A published label besides its characters: it is looked up by what it stands for and by its text, and kept in the
/// levels that are published and in what is written.
const LABEL: u64 = 140;
/// Times that the characters of a label are held.
const LABEL_TEXTS: u64 = 3;
/// Records are never fewer than these, or each takes a pass of its own.
const LEAST_RECORDS: u64 = 1 << 14;

/// What a run keeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    limit: MemoryLimit,
    /// Bytes of the distinct values.
    values: u64,
    /// The least records of a group.
    least: u64,
    groups: Option<Groups>,
}

/// What is known of the groups.
#[derive(Debug, Clone, Copy)]
struct Groups {
    count: u64,
    bytes: u64,
    /// What their labels may take that are not made yet.
    to_come: u64,
}

impl Budget {
    /// `least` is the least number of records that a group has.
    pub fn new(limit: MemoryLimit, loaded: &Loaded, least: u64) -> Self {
        Self { limit, values: bytes_of_values(loaded), least: least.max(1), groups: None }
    }

    /// The same, once it is known how many groups there are.
    pub fn with_groups(self, groups: usize, problem: &Problem<'_>) -> Self {
        let count = groups as u64;
        let (bytes, to_come) = (bytes_of_groups(count, problem), most_bytes_of_labels(count, problem));
        Self { groups: Some(Groups { count, bytes, to_come }), ..self }
    }

    /// The same, once it is known which labels they publish: per column how many, and their characters.
    pub fn with_labels(self, labels: impl Iterator<Item = (usize, u64)>) -> Self {
        let bytes: u64 =
            labels.map(|(labels, characters)| labels as u64 * LABEL + LABEL_TEXTS * characters).sum();
        let add = |own: Groups| Groups { bytes: own.bytes + bytes, to_come: 0, ..own };
        Self { groups: self.groups.map(add), ..self }
    }

    fn kept(&self) -> u64 {
        PROGRAM + self.values + self.groups.map_or(0, |own| own.bytes)
    }

    /// The records of a problem that may be held at once.
    pub fn records(&self, problem: &Problem<'_>) -> Result<u64, TooLittle> {
        let MemoryLimit::Bytes(limit) = self.limit else {
            let MemoryLimit::Records(records) = self.limit else { return Ok(1) };
            let records = records.max(1);
            return match passes(problem, records) {
                passes if passes <= MOST_PASSES => Ok(records),
                passes => Err(TooLittle {
                    limit: self.limit,
                    why: Why::Passes(passes),
                    enough: Some((2 * problem.rows as u64).div_ceil(MOST_PASSES - 2)),
                }),
            };
        };
        let of_records = |records: u64| records * bytes_per_record(problem) / 5 * (5 + SLACK);
        let least = LEAST_RECORDS.max((2 * problem.rows as u64).div_ceil(MOST_PASSES - 2));
        let least = of_records(least.min(problem.rows as u64)).max(1);
        let (kept, groups) = (self.kept(), self.groups.map(|own| own.count));
        match limit.checked_sub(kept).filter(|&free| free >= least) {
            Some(free) => Ok((free / (5 + SLACK) * 5 / bytes_per_record(problem)).max(1)),
            None => {
                let bytes = kept + least;
                // What is not known yet is taken to be as much as it can be.
                let to_come = self.groups.map_or_else(
                    || {
                        let groups = problem.rows as u64 / self.least;
                        bytes_of_groups(groups, problem) + most_bytes_of_labels(groups, problem)
                    },
                    |own| own.to_come,
                );
                let enough = bytes + to_come + bytes / 20;
                Err(TooLittle { limit: self.limit, why: Why::Kept { bytes, groups }, enough: Some(enough) })
            }
        }
    }

    /// Whether everything fits into memory at once, as it is without a limit: the table, what is found for each record, and
    /// the release, which is read back before it is handed over where its labels may overlap.
    pub fn holds_all(&self, problem: &Problem<'_>, loaded: &Loaded) -> bool {
        let rows = problem.rows as u64;
        match self.limit {
            MemoryLimit::Records(records) => rows <= records,
            MemoryLimit::Bytes(limit) => {
                let columns = loaded.input.table.columns.len() as u64;
                let per_record = bytes_per_record(problem) + 16 * columns + 80;
                let groups = rows / self.least;
                // The values are read twice.
                let all = PROGRAM
                    + 2 * self.values
                    + rows * per_record / 5 * (5 + SLACK)
                    + bytes_of_groups(groups, problem)
                    + most_bytes_of_labels(groups, problem);
                all <= limit
            }
        }
    }
}

/// About how often a table is read with so many records at once.
fn passes(problem: &Problem<'_>, records: u64) -> u64 {
    2 + (2 * problem.rows as u64).div_ceil(records.max(1))
}

fn bytes_of_texts(texts: &[Box<str>]) -> u64 {
    texts.iter().map(|text| TEXT + text.len() as u64).sum()
}

/// The distinct values of all columns, and what hierarchies make of them.
fn bytes_of_values(loaded: &Loaded) -> u64 {
    let of_column = |column: &Column| {
        // Their texts, and their codes by entry and by number of records.
        bytes_of_texts(column.domain.texts()) + 24 * column.domain.len() as u64
    };
    let columns: u64 = loaded.input.table.columns.iter().map(of_column).sum();
    let of_levels = loaded.quasi.iter().map(|quasi| {
        let levels = quasi.generalization.levels.iter();
        let levels: u64 = levels
            .map(|own| bytes_of_texts(&own.labels) + 4 * (own.labels.len() + own.node_of_code.len()) as u64)
            .sum();
        // Its counts, its numbers and its places.
        levels + 20 * quasi.counts.len() as u64
    });
    columns + of_levels.sum::<u64>()
}

fn bytes_of_groups(groups: u64, problem: &Problem<'_>) -> u64 {
    groups * (GROUP + GROUP_IN_COLUMN * problem.quasi.len() as u64)
}

/// The labels that so many groups can have: no more than one each in a column, and in one without numbers no others than its
/// hierarchy has.
fn most_bytes_of_labels(groups: u64, problem: &Problem<'_>) -> u64 {
    let of_column = |quasi: &privet_recode::lattice::Quasi<'_>| {
        let levels = &quasi.generalization.levels;
        let values = levels.first().map_or(0, |own| own.labels.len() as u64);
        let nodes: u64 = levels.iter().map(|own| own.labels.len() as u64).sum();
        let ranges = if quasi.numbers.is_some() { values.saturating_mul(values) / 2 } else { 0 };
        let characters: u64 =
            levels.first().map_or(0, |own| own.labels.iter().map(|text| text.len() as u64).sum());
        let of_label = 2 * characters.div_ceil(values.max(1)) + 8;
        groups.min(nodes.saturating_add(ranges)) * (LABEL + LABEL_TEXTS * of_label)
    };
    problem.quasi.iter().map(of_column).sum()
}

/// Distinct values that are met while the table is read, before anything else is known of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    limit: MemoryLimit,
    values: u64,
}

impl Reading {
    pub fn new(limit: MemoryLimit) -> Self {
        Self { limit, values: 0 }
    }

    /// So many more values were met.
    pub fn met(&mut self, values: usize) {
        self.values += values as u64;
    }

    /// What is wrong with them, if they are too many.
    pub fn fault(&self) -> Option<TooLittle> {
        let MemoryLimit::Bytes(limit) = self.limit else { return None };
        // A text, the number that it is found by, and how often it was met.
        let bytes = PROGRAM + self.values * (TEXT + 40);
        (bytes > limit).then_some(TooLittle {
            limit: self.limit,
            why: Why::Kept { bytes, groups: None },
            enough: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the refusals say.
    #[test]
    fn a_refusal_says_which_limit_is_enough() {
        let bytes = |enough| TooLittle {
            limit: MemoryLimit::Bytes(64_000_000),
            why: Why::Kept { bytes: 83_000_001, groups: Some(104_538) },
            enough,
        };
        let told = bytes(Some(87_100_000)).to_string();
        assert!(told.contains("= \"64MB\" is too little") && told.contains("104538 groups"), "{told}");
        assert!(told.contains("about 84 MB") && told.contains("\"88MB\" is enough"), "{told}");
        assert!(bytes(None).to_string().contains("Set a larger limit"));
        let passes =
            TooLittle { limit: MemoryLimit::Records(10), why: Why::Passes(200_002), enough: Some(2005) };
        let told = passes.to_string();
        assert!(
            told.contains("200002 times") && told.contains("A limit of 2005 records is enough"),
            "{told}"
        );
    }

    #[test]
    fn distinct_values_are_counted_while_they_are_read() {
        let mut reading = Reading::new(MemoryLimit::Bytes(40_000_000));
        reading.met(100_000);
        assert_eq!(reading.fault(), None);
        reading.met(100_000);
        assert!(reading.fault().is_some());
        let mut reading = Reading::new(MemoryLimit::Records(1));
        reading.met(usize::MAX / 2);
        assert_eq!(reading.fault(), None);
    }
}
