//! How much of a table may be in memory at once, as a job says it.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::counts;
use crate::error::JobError;
use crate::job::{Job, Publish};
use crate::mondrian::MondrianSection;

const ACCEPTED: &str = "a number of records, such as 50_000_000, or a size, such as \"256MB\" or \"256MiB\"";

/// Units of sizes, as people write them in any case, and their bytes.
const UNITS: [(&str, u64); 9] = [
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

/// No run keeps to less: the program itself takes nearly as much.
const LEAST_BYTES: u64 = 32_000_000;

/// How much of a table may be in memory at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryLimit {
    /// So many records.
    Records(u64),
    /// So many bytes of memory, for the program and all that it holds.
    Bytes(u64),
}

impl MemoryLimit {
    /// What is wrong with it, if anything.
    pub fn fault(self) -> Option<&'static str> {
        match self {
            MemoryLimit::Records(0) => {
                Some("must be a number of records above 0, or a size such as \"256MB\"")
            }
            MemoryLimit::Bytes(bytes) if bytes < LEAST_BYTES => Some(
                "must be at least \"32MB\": the program itself takes nearly as much; or a number of records without a unit",
            ),
            _ => None,
        }
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryLimit::Records(records) => write!(f, "{records}"),
            MemoryLimit::Bytes(bytes) => write!(f, "\"{}MB\"", *bytes as f64 / 1e6),
        }
    }
}

impl FromStr for MemoryLimit {
    type Err = String;

    /// Reads a size.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = unit.trim().to_ascii_lowercase();
        let number = number.parse::<f64>().ok().filter(|number| number.is_finite());
        let unit = UNITS.iter().find(|(name, _)| *name == unit);
        match (number, unit) {
            (Some(number), Some((_, bytes))) => Ok(MemoryLimit::Bytes((number * *bytes as f64) as u64)),
            _ => Err(format!("`search.mondrian.memory-limit` must be {ACCEPTED}")),
        }
    }
}

impl<'de> Deserialize<'de> for MemoryLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl Visitor<'_> for Written {
            type Value = MemoryLimit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(ACCEPTED)
            }

            fn visit_u64<E: Error>(self, records: u64) -> Result<MemoryLimit, E> {
                Ok(MemoryLimit::Records(records))
            }

            fn visit_i64<E: Error>(self, records: i64) -> Result<MemoryLimit, E> {
                // One that is below 0 is refused with the others that are not above it.
                Ok(MemoryLimit::Records(u64::try_from(records).unwrap_or(0)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<MemoryLimit, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("256MB", 256_000_000),
            ("256MiB", 256 << 20),
            ("1.5 GB", 1_500_000_000),
            (" 2gib ", 2 << 30),
            ("4096kB", 4_096_000),
            ("7b", 7),
        ] {
            assert_eq!(text.parse(), Ok(MemoryLimit::Bytes(bytes)), "{text}");
        }
        for text in ["", "256", "MB", "256 MBit", "-1MB", "1..5MB", "lots", "1e400MB"] {
            assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
        }
    }

    #[test]
    fn too_little_is_refused() {
        assert!(MemoryLimit::Records(0).fault().is_some() && MemoryLimit::Records(1).fault().is_none());
        assert!(
            MemoryLimit::Bytes(31_999_999).fault().is_some()
                && MemoryLimit::Bytes(32 << 20).fault().is_none()
        );
    }
}

/// The limit of a job.
pub fn limit_of(job: &Job) -> Option<MemoryLimit> {
    job.search.parameters::<MondrianSection>().filter(|_| !counts::asked(job))?.memory_limit
}

/// Refuses what needs all records at once.
pub fn check(job: &Job) -> Result<(), JobError> {
    if limit_of(job).is_none() {
        return Ok(());
    }
    let refused = |key: &str, problem: &str| Err(JobError::key(key, problem));
    if !matches!(job.search.published(), Some(Publish::Nodes | Publish::Ranges)) {
        return refused(
            "search.publish",
            "must be \"nodes\" or \"ranges\" where search.mondrian.memory-limit is given: anything else needs all values \
             of a group at once; or leave memory-limit out",
        );
    }
    if job.output.rows_per_file().is_some() {
        return refused(
            "output.rows-per-file",
            "does not go with search.mondrian.memory-limit; leave one of them out",
        );
    }
    if job.sampling.is_some() {
        return refused(
            "sampling",
            "does not go with search.mondrian.memory-limit; draw the sample in a job of its own, or leave memory-limit out",
        );
    }
    let adversary = &job.adversary;
    if adversary.is_limited() || adversary.attacks.is_some() || adversary.knowledge.is_some() {
        return refused(
            "adversary",
            "asks for attacks that look at all records at once and does not go with search.mondrian.memory-limit; leave one \
             of them out, and attack the release with `privet attack`",
        );
    }
    if job.output.home.is_some() {
        return refused(
            "output.home",
            "compares all records with the original and does not go with search.mondrian.memory-limit; leave one of them \
             out, and use `privet measure`",
        );
    }
    if let Some(requirement) = job.privacy.iter().find(|requirement| requirement.judges_together()) {
        return refused(
            &format!("privacy.{}", requirement.key()),
            "looks at all groups together and does not go with search.mondrian.memory-limit; leave one of them out",
        );
    }
    Ok(())
}

/// More passes over the table than this do not end.
pub const MOST_PASSES: u64 = 1_000;

/// A limit that does not hold what a run must keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLittle {
    /// The limit.
    pub limit: MemoryLimit,
    /// Why it is too little.
    pub why: Why,
    /// What would do.
    pub enough: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
/// Why a limit is too little.
pub enum Why {
    /// The distinct values and the groups take so many bytes.
    Kept {
        /// How many bytes.
        bytes: u64,
        /// How many groups, where they are known.
        groups: Option<u64>,
    },
    /// So many passes over the table would be needed.
    Passes(u64),
}

impl std::error::Error for TooLittle {}

impl fmt::Display for TooLittle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no release was written: `search.mondrian.memory-limit` = {} is too little. ", self.limit)?;
        match &self.why {
            Why::Kept { bytes, groups } => {
                write!(f, "The program, the distinct values of the columns")?;
                if let Some(groups) = groups {
                    write!(f, ", what is known of {groups} groups")?;
                }
                write!(f, " and the records of one step take about {} MB. ", bytes.div_ceil(1_000_000))?;
            }
            Why::Passes(passes) => {
                write!(f, "The table would be read about {passes} times, and {MOST_PASSES} times at most. ")?;
            }
        }
        match (self.enough, self.limit) {
            (Some(enough), MemoryLimit::Records(_)) => write!(f, "A limit of {enough} records is enough")?,
            (Some(enough), MemoryLimit::Bytes(_)) => {
                write!(f, "A limit of \"{}MB\" is enough", enough.div_ceil(1_000_000))?;
            }
            (None, _) => write!(f, "Set a larger limit")?,
        }
        if let Why::Kept { .. } = self.why {
            write!(f, "; larger groups (a larger k) and fewer distinct values take less")?;
        }
        Ok(())
    }
}
