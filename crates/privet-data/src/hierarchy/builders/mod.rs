//! Builders of hierarchies (survey ME-05), one file each.
//!
//! Every built hierarchy nests, covers every value of the column that is not missing, and has a single label
//! at its top. Intervals, masks, dates and regions are derived: their leaves are exactly the column's values.
//! Groups and trees are written down: their leaves are the values that are written down.

pub(super) mod dates;
pub(super) mod groups;
pub(super) mod intervals;
pub(super) mod mask;
pub(super) mod regions;
pub(super) mod tree;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use super::{Hierarchy, HierarchyError, HierarchySpec, MOST_LEVELS, read_hierarchy};
use crate::{Domain, Kind};
use std::path::Path;

/// Makes the hierarchy that a job file asks for.
///
/// `base` is the folder that relative paths start from, `counts` the number of records for each code of
/// the domain.
///
/// # Errors
/// When a parameter cannot be used, the column is of a kind that the builder does not understand, a file
/// cannot be read, or the hierarchy does not cover the column.
pub fn build(
    spec: &HierarchySpec,
    base: &Path,
    domain: &Domain,
    counts: &[u64],
) -> Result<Hierarchy, HierarchyError> {
    let values = Values::of(domain, counts);
    match spec {
        HierarchySpec::File(path) => {
            let path = base.join(path);
            let hierarchy = read_hierarchy(&path)?.catching_all(domain);
            hierarchy.check_cover(domain).map_err(|error| error.in_file(&path))?;
            Ok(hierarchy)
        }
        HierarchySpec::Intervals(intervals) => intervals.build(&values),
        HierarchySpec::Mask(mask) => mask.build(&values),
        HierarchySpec::Dates(dates) => dates.build(&values),
        HierarchySpec::Groups(groups) => covering(groups.build()?, domain),
        HierarchySpec::Tree(tree) => covering(tree.build()?, domain),
        HierarchySpec::Regions(regions) => regions.build(&values),
    }
}

fn covering(hierarchy: Hierarchy, domain: &Domain) -> Result<Hierarchy, HierarchyError> {
    let hierarchy = hierarchy.catching_all(domain);
    hierarchy.check_cover(domain)?;
    Ok(hierarchy)
}

/// The values of a column that are not missing, in canonical order.
pub(super) struct Values<'a> {
    texts: &'a [Box<str>],
    kind: Kind,
    /// Records per value; nothing when the caller did not count one number for each code.
    counts: Option<&'a [u64]>,
}

impl<'a> Values<'a> {
    fn of(domain: &'a Domain, counts: &'a [u64]) -> Self {
        let missing = domain.missing() as usize;
        let counts = if counts.len() == domain.len() { counts.get(missing..) } else { None };
        Self { texts: &domain.texts()[missing..], kind: domain.kind(), counts }
    }

    /// Refuses a column of another kind. A column without a value has no kind and fits any builder.
    fn need_kind(&self, key: &str, accepted: &[Kind]) -> Result<(), HierarchyError> {
        if self.texts.is_empty() || accepted.contains(&self.kind) {
            return Ok(());
        }
        let accepted: Vec<&str> = accepted.iter().map(|&kind| plural(kind)).collect();
        let problem = format!(
            "the column holds {}; accepted are columns of {}",
            plural(self.kind),
            accepted.join(" or ")
        );
        Err(HierarchyError::parameter(key, problem))
    }

    fn leaves(&self) -> Vec<Box<str>> {
        self.texts.to_vec()
    }
}

fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "whole numbers",
        Kind::Decimal => "decimal numbers",
        Kind::Date => "dates",
        Kind::Boolean => "yes/no values",
        Kind::Text => "text",
    }
}

/// Refuses no level, and more levels than a hierarchy can sensibly have, the added top counted.
fn check_levels(key: &str, given: usize) -> Result<(), HierarchyError> {
    match given {
        0 => Err(HierarchyError::parameter(key, "is empty; give at least one level")),
        1..MOST_LEVELS => Ok(()),
        _ => {
            let problem = format!("makes more than {MOST_LEVELS} levels; fewer are accepted");
            Err(HierarchyError::parameter(key, problem))
        }
    }
}

/// The label of what lies between two values, both included.
fn from_to(first: &str, last: &str) -> String {
    if first == last { first.into() } else { format!("{first}-{last}") }
}
