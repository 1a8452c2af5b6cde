//! What a job declares for private answers: bounds, grids and keys of columns, and the section `[query]`.
//!
//! Guarantee: mistakes are found when the job is read; no number loses a digit that was written.

pub mod keys;
pub mod written;

use std::collections::BTreeMap;
use std::path::PathBuf;

use privet_dp::{Bounds, Delta, DpError, Epsilon, Grid, Neighbours, Rho};
use serde::Deserialize;

use crate::error::JobError;
use crate::job::Job;
pub use keys::{Decimal, check_keys, decimal};
pub use written::restore;

/// A text, or a number as text, so that no digit of it is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plain(pub String);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a number or a text")]
        enum Written {
            Whole(i64),
            Fraction(f64),
            Flag(bool),
            Text(String),
        }
        Ok(Self(match Written::deserialize(deserializer)? {
            Written::Whole(number) => number.to_string(),
            // The shortest text that reads back as this number: what was written, but for idle zeros. Where these count,
            // `written.rs` puts them back.
            Written::Fraction(number) => number.to_string(),
            Written::Flag(flag) => flag.to_string(),
            Written::Text(text) => text,
        }))
    }
}

/// The `[query]` section: who pays for answers, and whom they protect.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QuerySection {
    /// What a question costs unless it says otherwise.
    pub epsilon: Option<Plain>,
    /// The same for the probability of failure.
    pub delta: Option<Plain>,
    /// What a question costs in a concentrated loss, instead of epsilon and delta.
    pub rho: Option<Plain>,
    /// Which tables must be hard to tell apart.
    pub neighbours: Option<Neighbourhood>,
    /// The column that tells whose record it is.
    pub per_person: Option<String>,
    /// The most records of one person that count.
    pub max_records: Option<u32>,
    /// The most groups of a question that one person is in.
    pub max_groups: Option<u32>,
    /// The most records of one person in one group.
    pub max_per_group: Option<u32>,
    /// Columns whose keys are those that occur often enough.
    pub unknown_keys: Vec<String>,
    /// The files of tables that questions join, by name.
    pub tables: BTreeMap<String, PathBuf>,
    /// The ledger: a file, or the URL of a PostgreSQL database.
    pub ledger: Option<String>,
    /// The file with the key that signs the ledger's entries.
    pub signing_key: Option<PathBuf>,
    /// The account that is charged.
    pub account: Option<String>,
    /// Who asks.
    pub analyst: Option<String>,
}

/// Which tables must be hard to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbourhood {
    /// One person's records are added or taken away.
    #[default]
    AddRemove,
    /// One person's records become other records; the number of records is public.
    Replace,
}

impl Neighbourhood {
    /// As it stands in a job file.
    pub fn word(self) -> &'static str {
        match self {
            Self::AddRemove => "add-remove",
            Self::Replace => "replace",
        }
    }

    /// What it means for a mechanism.
    pub fn meaning(self) -> Neighbours {
        match self {
            Self::AddRemove => Neighbours::AddRemove,
            Self::Replace => Neighbours::ReplaceOne,
        }
    }
}

/// The number of decimals that a number is written with; 1.5e3 has none, and 1e-2 has two.
fn decimals(text: &str) -> u32 {
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i64);
    // A power that is none is told by whoever reads the number.
    let power: i32 = power.parse().unwrap_or(0);
    u32::try_from(fraction - i64::from(power)).unwrap_or(0)
}

/// Bounds on a grid; without one, on as many decimals as the bounds are written with.
///
/// # Errors
/// When they are no bounds, or the grid is no power of ten.
pub fn bounds_of(lower: &str, upper: &str, grid: Option<&str>) -> Result<Bounds, DpError> {
    let decimals = match grid {
        None => decimals(lower).max(decimals(upper)),
        Some(text) => unit(text).ok_or(DpError::Parameter {
            parameter: "the grid",
            accepted: "1, 0.1, 0.01 and so on, down to fifteen digits",
        })?,
    };
    let bounds = Bounds::parse(lower, upper, Grid::new(decimals)?)?;
    // Every record would count as this one value, and the answer would be the declaration.
    if bounds.width() == 0 {
        return Err(DpError::Parameter {
            parameter: "a pair of equal bounds",
            accepted: "a lower one, then an upper one above it",
        });
    }
    Ok(bounds)
}

/// The number of decimals of a unit such as 0.01.
fn unit(text: &str) -> Option<u32> {
    match text.split_once('.') {
        None if text == "1" => Some(0),
        Some(("0" | "", fraction)) => {
            let zeros = fraction.strip_suffix('1')?;
            zeros.bytes().all(|byte| byte == b'0').then_some(fraction.len() as u32)
        }
        _ => None,
    }
}

/// Checks what a job file declares, so that mistakes are found when it is read.
pub fn check(job: &Job) -> Result<(), JobError> {
    let section = &job.query;
    let number = |key: &str, problem: &DpError| JobError::new(format!("`query.{key}`: {problem}"));
    if let Some(Plain(text)) = &section.epsilon {
        text.parse::<Epsilon>().map_err(|error| number("epsilon", &error))?;
    }
    if let Some(Plain(text)) = &section.rho {
        text.parse::<Rho>().map_err(|error| number("rho", &error))?;
        if section.epsilon.is_some() || section.delta.is_some() {
            return Err(JobError::key(
                "query.rho",
                "is the whole cost of a question; leave `epsilon` and `delta` out",
            ));
        }
    }
    if let Some(Plain(text)) = &section.delta {
        text.parse::<Delta>().map_err(|error| number("delta", &error))?;
    }
    for (key, value) in [
        ("query.max-records", section.max_records),
        ("query.max-groups", section.max_groups),
        ("query.max-per-group", section.max_per_group),
    ] {
        if value == Some(0) {
            return Err(JobError::key(key, "must be 1 or more"));
        }
    }
    for (name, column) in &job.columns {
        let key = |what: &str| format!("columns.{name}.{what}");
        match (&column.bounds, &column.grid) {
            (Some([lower, upper]), grid) => {
                bounds_of(&lower.0, &upper.0, grid.as_ref().map(|grid| grid.0.as_str()))
                    .map_err(|error| JobError::new(format!("`{}`: {error}", key("bounds"))))?;
            }
            (None, Some(_)) => return Err(JobError::key(key("grid"), "goes with `bounds` only")),
            (None, None) => {}
        }
        if let Some(keys) = &column.keys {
            let keys: Vec<String> = keys.iter().map(|key| key.0.clone()).collect();
            check_keys(&keys, column.other.as_deref()).map_err(|what| JobError::key(key("keys"), what))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_powers_of_ten() {
        let units = ["1", "0.1", "0.01", ".001", "0.02", "10", "0", "x", "0.", "1.0"].map(unit);
        assert_eq!(units, [Some(0), Some(1), Some(2), Some(3), None, None, None, None, None, None]);
        let cents = bounds_of("0", "99.95", None).unwrap();
        assert_eq!((cents.upper(), cents.grid().units_per_one()), (9995, 100));
        assert!(bounds_of("0", "99.95", Some("1")).is_err() && bounds_of("1", "0", None).is_err());
        assert!(bounds_of("5", "5", None).is_err() && bounds_of("5", "5.0", None).is_err());
        // As they are written, idle zeros included.
        let places = [("0.00", "1.00"), ("0", "1"), ("0", "1.5e3"), ("0", "1e-2"), ("0", "2.5e1")]
            .map(|(lower, upper)| bounds_of(lower, upper, None).unwrap().grid().units_per_one());
        assert_eq!(places, [100, 1, 1, 100, 1]);
        assert!(bounds_of("0", "inf", None).is_err() && bounds_of("NaN", "1", None).is_err());
    }

    #[test]
    fn a_job_that_declares_nonsense_is_refused() {
        for (more, key) in [
            ("[query]\nepsilon = 0", "query.epsilon"),
            ("[query]\nepsilon = -1", "query.epsilon"),
            ("[query]\nepsilon = inf", "query.epsilon"),
            ("[query]\ndelta = 1", "query.delta"),
            ("[query]\nmax-records = 0", "query.max-records"),
            ("[columns.a]\nrole = \"quasi\"\nbounds = [2, 1]", "columns.a.bounds"),
            ("[columns.a]\nrole = \"quasi\"\nbounds = [5, 5]", "columns.a.bounds"),
            ("[columns.a]\nrole = \"quasi\"\ngrid = 0.1", "columns.a.grid"),
            ("[columns.a]\nrole = \"quasi\"\nkeys = []", "columns.a.keys"),
            ("[columns.a]\nrole = \"quasi\"\nkeys = [1, 1]", "columns.a.keys"),
            ("[columns.a]\nrole = \"quasi\"\nkeys = [1, 1.0]", "columns.a.keys"),
            ("[query]\nneighbours = \"all\"", "add-remove"),
        ] {
            let error = Job::parse_declarations(&format!("input.path = \"a.csv\"\n{more}\n")).unwrap_err();
            assert!(error.to_string().contains(key), "{more}: {error}");
        }
    }
}
