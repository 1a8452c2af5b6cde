//! How large a table may become when it is read: a small file can hold a table that no memory does.
//!
//! The size is that of the decoded table: four bytes for every cell that is kept, and the distinct values of each column.
//! Unless a limit is given it is a quarter of the memory that is available, since a search needs a table several times.
//! A table that goes by in passes may have any number of records; its distinct values are limited alike.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::ReadErrorKind;
use super::options::ReadOptions;

/// The limit of the whole process; 0 when none was given.
static GIVEN: AtomicU64 = AtomicU64::new(0);

/// Where the system does not tell how much memory there is.
const USUAL_MEMORY: u64 = 16 << 30;
/// What is read whatever the memory: refusing less would be no protection.
const LEAST: u64 = 64 << 20;

/// Limits the decoded size of every table that this process reads from now on, where
/// [`max_input`](ReadOptions::max_input) says nothing else.
pub fn limit_input(bytes: u64) {
    GIVEN.store(bytes.max(1), Ordering::Relaxed);
}

/// The limit of this process: the one that was given, or a quarter of the memory that was available when it was first asked
/// for. What was read may be read again, however much memory it took.
pub fn input_limit() -> u64 {
    static BY_MEMORY: OnceLock<u64> = OnceLock::new();
    match GIVEN.load(Ordering::Relaxed) {
        0 => *BY_MEMORY.get_or_init(|| (memory::available().unwrap_or(USUAL_MEMORY) / 4).max(LEAST)),
        bytes => bytes,
    }
}

/// Counts what a table has come to, and refuses what is too much.
#[derive(Debug)]
pub(super) struct Extent {
    limit: u64,
    /// Bytes per record, 0 where records are not kept.
    per_record: u64,
    records: AtomicU64,
    texts: AtomicU64,
}

impl Extent {
    /// A table of so many columns that are kept. Records `go_by` when they are handed on; a limit that was given counts
    /// them all the same.
    pub fn new(columns: usize, options: &ReadOptions, go_by: bool) -> Self {
        let given = options.max_input.or(match GIVEN.load(Ordering::Relaxed) {
            0 => None,
            bytes => Some(bytes),
        });
        let per_record = match go_by && given.is_none() {
            true => 0,
            false => 4 * columns.max(1) as u64,
        };
        Self {
            limit: given.unwrap_or_else(input_limit),
            per_record,
            records: AtomicU64::new(0),
            texts: AtomicU64::new(0),
        }
    }

    /// Refuses a table that will have so many records.
    pub fn expect(&self, records: u64) -> Result<(), ReadErrorKind> {
        self.check(records, 0)
    }

    /// Refuses a part of a file that decompresses to so many bytes at once.
    pub fn part(&self, bytes: u64) -> Result<(), ReadErrorKind> {
        self.check(0, bytes)
    }

    /// Counts records that were read, and bytes of values that were new among them.
    pub fn add(&self, records: usize, texts: usize) -> Result<(), ReadErrorKind> {
        let (records, texts) = (records as u64, texts as u64);
        let records = self.records.fetch_add(records, Ordering::Relaxed).saturating_add(records);
        let texts = self.texts.fetch_add(texts, Ordering::Relaxed).saturating_add(texts);
        self.check(records, texts)
    }

    fn check(&self, records: u64, bytes: u64) -> Result<(), ReadErrorKind> {
        let needed = records.saturating_mul(self.per_record).saturating_add(bytes);
        match needed > self.limit {
            true => Err(ReadErrorKind::TooLarge { needed, limit: self.limit }),
            false => Ok(()),
        }
    }
}

/// A size for people.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = "bytes";
    for next in UNITS {
        if value < 1000.0 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    match unit {
        "bytes" => format!("{bytes} bytes"),
        _ => format!("{value:.1} {unit}"),
    }
}

mod memory {
    use std::fs::read_to_string;

    /// The memory that this process may still take, as the system, its group and its own limit say.
    pub fn available() -> Option<u64> {
        [of_system(), of_group(), of_process()].into_iter().flatten().min()
    }

    fn of_system() -> Option<u64> {
        in_kilobytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
    }

    /// What is left to the group that a container runs in.
    fn of_group() -> Option<u64> {
        let number = |name: &str| -> Option<u64> {
            read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
        };
        let most = number("memory.max")?;
        // Pages of files can be dropped, so all of it may be had.
        Some(most)
    }

    /// What `ulimit -v` leaves.
    fn of_process() -> Option<u64> {
        let limits = read_to_string("/proc/self/limits").ok()?;
        let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        let most: u64 = line.split_whitespace().next()?.parse().ok()?;
        let taken = in_kilobytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
        Some(most.saturating_sub(taken))
    }

    fn in_kilobytes(text: &str, key: &str) -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(max_input: u64) -> ReadOptions {
        ReadOptions { max_input: Some(max_input), ..ReadOptions::default() }
    }

    #[test]
    fn cells_and_texts_count() {
        let extent = Extent::new(3, &limited(100), false);
        assert!(extent.expect(8).is_ok());
        assert!(extent.expect(9).is_err());
        assert!(extent.part(100).is_ok());
        assert!(extent.part(101).is_err());
        assert!(extent.add(4, 30).is_ok());
        assert!(extent.add(1, 10).is_ok());
        let error = extent.add(1, 0).unwrap_err();
        assert!(matches!(error, ReadErrorKind::TooLarge { needed: 112, limit: 100 }), "{error}");
        assert!(extent.expect(u64::MAX).is_err());
    }

    #[test]
    fn records_that_go_by_count_only_when_a_limit_was_given() {
        assert!(Extent::new(3, &ReadOptions::default(), true).expect(u64::MAX).is_ok());
        assert!(Extent::new(3, &limited(100), true).expect(9).is_err());
        assert!(Extent::new(3, &ReadOptions::default(), false).expect(u64::MAX).is_err());
    }

    #[test]
    fn sizes_are_for_people() {
        assert_eq!([0, 999, 1000, 6_300_000_000].map(size), ["0 bytes", "999 bytes", "1.0 kB", "6.3 GB"]);
    }
}
