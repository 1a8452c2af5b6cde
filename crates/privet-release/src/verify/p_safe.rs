//! What a p-safe search says of its choice (survey ME-17), as far as the files show it: which column it is about, that something is
//! promised of it, and that no more originals are told than the published groups leave. Whether just this would have been
//! published for so many takes the original and the job, and is for the owner to check (`privet attack`).

use std::collections::HashMap;

use super::outcome::Check;
use super::table::Released;
use crate::Manifest;

/// What is told of a p-safe search, against the table; nothing where none is told of.
pub(super) fn told(manifest: &Manifest, released: &Released) -> Option<Check> {
    let told = manifest.search.p_safe.as_ref()?;
    let search = &manifest.search;
    let mut problems = Vec::new();
    if manifest.kind.shows_identities() || search.algorithm != "optimal" {
        problems
            .push("only a search among choices of levels, by algorithm `optimal`, is p-safe here".to_owned());
    }
    if search.bound.is_some() || search.minimal_nodes.is_some() || manifest.data.distorted.is_some() {
        problems
            .push("what is told of other candidates, or of replaced values, does not go with it".to_owned());
    }
    if search.nodes_checked == 0 || search.lattice_nodes.is_none_or(|nodes| search.nodes_checked > nodes) {
        problems.push("the place of the candidate is none in the lattice".to_owned());
    }
    let is_promised =
        |promise: &crate::manifest::Promise| promise.requirement.column() == Some(told.column.as_str());
    if !manifest.promises.iter().any(is_promised) {
        problems.push("nothing is promised of the column that it protects".to_owned());
    }
    match released.sensitive[..] {
        [column] if released.table.names[column] == told.column => {
            let left = originals_left(released, column);
            let is_more =
                manifest.data.suppressed == 0 && (told.originals as f64).ln() > left + 1e-9 * left.max(1.0);
            if told.originals == 0 || is_more {
                problems
                    .push("there are more originals, or fewer, than the published groups leave".to_owned());
            }
        }
        _ => problems.push("the column that it protects is not the one sensitive column".to_owned()),
    }
    let well = format!(
        "as far as the files show: {} originals lead to this release, which its owner can work out again",
        told.originals
    );
    Some(Check::of("p-safe", well, &problems))
}

/// The logarithm of how many ways there are to share out the values of each class among its records.
fn originals_left(released: &Released, column: usize) -> f64 {
    let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
    for (&class, &code) in released.class_of.iter().zip(&released.table.columns[column].codes) {
        *counts.entry((class, code)).or_default() += 1;
    }
    let mut ln_factorial = vec![0.0; released.class_of.len() + 1];
    for n in 1..ln_factorial.len() {
        ln_factorial[n] = ln_factorial[n - 1] + (n as f64).ln();
    }
    let all: f64 = released.classes.iter().map(|class| ln_factorial[class.rows as usize]).sum();
    let mut alike: Vec<u64> = counts.into_values().collect();
    // Summed in one order, so that the same release is judged alike.
    alike.sort_unstable();
    all - alike.iter().map(|&count| ln_factorial[count as usize]).sum::<f64>()
}
