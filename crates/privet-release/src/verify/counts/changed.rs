//! A table of counts with all its totals whose counts were changed instead of hidden (survey ME-36, ME-37).
//!
//! What can be shown from the published table alone: that every combination and total is there, that all of it adds up,
//! and that no small count stands among the totals which were kept as they are. That those totals are the true ones, and
//! that small counts within were moved or drawn anew, only the original shows: it is the publisher's word.

use std::collections::BTreeSet;

use super::cube::Cube;
use super::labels;
use crate::counts::{ChangeWay, ChangedCells, CountsTable};
use crate::verify::outcome::{Check, NO_PROMISE};
use crate::verify::table::Table;

/// What of the claim cannot be, whatever the table holds.
pub(super) fn outline(claim: &CountsTable, changed: &ChangedCells) -> Vec<&'static str> {
    let mut problems = Vec::new();
    if changed.threshold < 2 {
        problems.push("its threshold must be at least 2");
    }
    let names: BTreeSet<&String> = claim.columns.iter().map(|column| &column.name).collect();
    let is_margin = |margin: &Vec<String>| {
        let own: BTreeSet<&String> = margin.iter().collect();
        !own.is_empty() && own.len() == margin.len() && own.is_subset(&names)
    };
    if changed.margins.is_empty() || !changed.margins.iter().all(is_margin) {
        problems.push("the totals that were kept are not of its columns");
    }
    // With all columns together in one margin nothing could have changed.
    if changed.margins.iter().any(|margin| margin.len() == claim.columns.len() && claim.columns.len() > 1) {
        problems.push("it keeps every count, so that none can have been changed");
    }
    match &changed.way {
        ChangeWay::Adjust { lower, upper, .. } if *lower == 0 || *upper == 0 => {
            problems.push("its protection must be at least 1 both ways");
        }
        ChangeWay::Resample { target, steps }
            if !["uniform", "hypergeometric"].contains(&target.as_str()) || *steps == 0 =>
        {
            problems.push("it does not say how its counts were drawn");
        }
        _ => {}
    }
    problems
}

/// Checks a table whose counts were changed.
pub(super) fn check(claim: &CountsTable, changed: &ChangedCells, table: &Table, records: u64) -> Vec<Check> {
    let name = |what: &str| format!("{what} {}", claim.file);
    let cube = match Cube::new(claim, table) {
        Ok(cube) => cube,
        Err(problem) => return vec![Check::failed(name("counts"), problem)],
    };
    let mut problems = labels(claim, cube.sizes.iter().map(|&size| size as u64));
    if cube.counts.len() as u64 != claim.cells {
        problems.push(format!("{} cells, the manifest says {}", cube.counts.len(), claim.cells));
    }
    if cube.counts.iter().any(Option::is_none) {
        problems.push("a count is hidden, where counts were changed".to_owned());
    }
    if cube.counts.last() != Some(&Some(records)) {
        problems.push("the grand total is not the number of records that the manifest says".to_owned());
    }
    let well = format!("{} cells, none of them hidden", cube.counts.len());
    let mut checks = vec![Check::of(&name("counts"), well, &problems), cube.sums(&name("totals"))];
    // A total over columns of a kept margin is a sum of that margin, and so is the true one.
    let margins: Vec<BTreeSet<usize>> = changed
        .margins
        .iter()
        .map(|margin| {
            margin.iter().filter_map(|own| claim.columns.iter().position(|c| c.name == *own)).collect()
        })
        .collect();
    let is_kept = |cell: usize| {
        let at = cube.coordinates(cell);
        let own: BTreeSet<usize> = (0..at.len()).filter(|&column| at[column] < cube.sizes[column]).collect(); // why: one coordinate per column
        own.is_empty() || at.len() > 1 && margins.iter().any(|margin| own.is_subset(margin))
    };
    let small = |count: Option<u64>| count.is_some_and(|count| (1..changed.threshold).contains(&count));
    let shown =
        cube.counts.iter().enumerate().filter(|&(cell, &count)| small(count) && is_kept(cell)).count();
    checks.push(match shown {
        0 => Check::passed(
            name("small counts"),
            format!(
                "no total that was kept is from 1 to {}; that the other counts were changed, or drawn anew, is the publisher's word",
                changed.threshold - 1
            ),
        ),
        _ => Check::failed(
            name("small counts"),
            format!("broken: {shown} totals below {} were kept as they are", changed.threshold),
        ),
    });
    checks.push(Check::passed(
        NO_PROMISE,
        format!(
            "none is promised: counts of {} were changed or drawn anew, and who knows how may reason back",
            claim.file
        ),
    ));
    checks
}
