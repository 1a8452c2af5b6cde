//! A release of swapped records as the referee sees it (survey ME-33 to ME-35).
//!
//! From the release alone it can be checked that parameters are ones, that every number in the manifest fits the
//! others, that the swapped columns are there with as many distinct and missing values as is said, and that the window
//! of ranks is the one that follows from the table. What stays exactly, and how much was moved, compares with the
//! original and is the publisher's word. Swapping promises no formal privacy, and the verdict says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use privet_data::Progress;

use super::VerifyError;
use super::outcome::{Check, NO_PROMISE};
use super::perturbed::{are_named, read, shape};
use super::table::Table;
use crate::perturbed::{PerturbedManifest, Swap, SwapWay};

/// What is checked of swapped records.
pub(super) fn verify(
    folder: &Path,
    manifest: &PerturbedManifest,
    swap: &Swap,
    intact: bool,
    progress: &dyn Progress,
) -> Result<Vec<Check>, VerifyError> {
    let kept = match swap.keeps {
        1 => "each swapped column has the values that it had, each as often".to_owned(),
        many => format!("the joint counts of up to {many} swapped columns are those of the input"),
    };
    let well = format!(
        "{} swapping is well described; that {kept}, and that {} records changed, is the publisher's word",
        swap.way.word(),
        swap.changed
    );
    let mut checks = vec![Check::of("swap", well, &description(manifest, swap))];
    match read(folder, &manifest.data, &manifest.data.file, intact, progress)? {
        Ok(table) => checks.extend(records(manifest, swap, &table)),
        Err(problem) => checks.push(Check::failed("table", problem)),
    }
    let said =
        "none is promised: a record that was not moved is published as it is, and so is every single value";
    checks.push(Check::passed(NO_PROMISE, said));
    Ok(checks)
}

/// What of the description cannot be, whatever the table holds.
fn description(manifest: &PerturbedManifest, swap: &Swap) -> Vec<String> {
    let mut problems = Vec::new();
    let published: BTreeSet<&str> = manifest.model.columns.iter().map(|own| own.name.as_str()).collect();
    let swapped: BTreeSet<&str> = swap.columns.iter().map(|own| own.name.as_str()).collect();
    if swapped.is_empty() || swapped.len() != swap.columns.len() || !swapped.is_subset(&published) {
        problems.push("swapped columns must be published ones, at least one and each once".to_owned());
    }
    let is_share = |share: f64| share > 0.0 && share <= 1.0;
    let is_parameter = match &swap.way {
        SwapWay::Rank { percent } => *percent > 0.0 && *percent <= 100.0,
        SwapWay::Order { order, share } => {
            is_share(*share) && *order >= 1 && (*order as usize) < swap.columns.len()
        }
        SwapWay::Margin { share } => is_share(*share) && swapped.len() < published.len(),
        SwapWay::Nearest { probability, compared } => {
            let distinct: BTreeSet<&str> = compared.iter().map(String::as_str).collect();
            is_share(*probability)
                && !distinct.is_empty()
                && distinct.len() == compared.len()
                && distinct.is_subset(&published)
                && swapped.len() < published.len()
        }
    };
    if !is_parameter {
        problems.push("its parameters are none of this way of swapping".to_owned());
    }
    if swap.keeps != swap.way.keeps(swap.columns.len()) {
        problems.push("the manifest says that other counts stay than this way of swapping keeps".to_owned());
    }
    let most = swap.columns.iter().map(|own| own.changed).max().unwrap_or(0);
    let sum = swap.columns.iter().map(|own| own.changed).fold(0, u64::saturating_add);
    if swap.changed == 0 || !(most..=sum).contains(&swap.changed) || swap.changed > manifest.data.rows {
        problems.push("the numbers of changed records do not fit together".to_owned());
    }
    let with_new = matches!(swap.way, SwapWay::Order { .. } | SwapWay::Margin { .. });
    if swap.new_records.is_some() != with_new || swap.new_records.is_some_and(|own| own > swap.changed) {
        problems.push("the number of new records does not fit its way of swapping".to_owned());
    }
    let by_rank = matches!(swap.way, SwapWay::Rank { .. });
    for (number, own) in swap.columns.iter().enumerate() {
        let is_rank = match (own.window, own.mean_rank_distance) {
            (Some(window), Some(mean)) => by_rank && (0.0..=window as f64).contains(&mean),
            (None, None) => !by_rank,
            _ => false,
        };
        if !is_rank {
            problems.push(format!("swapped column {}: its ranks moved further than its window", number + 1));
        }
    }
    problems
}

/// Whether the table is the one that is described.
fn records(manifest: &PerturbedManifest, swap: &Swap, table: &Table) -> Vec<Check> {
    let well = format!("{}: {} records", manifest.data.file, table.rows);
    let mut checks = vec![Check::of("table", well, &shape(manifest, table))];
    if !are_named(manifest, table) {
        return checks;
    }
    let mut problems = Vec::new();
    let mut missing = BTreeMap::new();
    for (number, own) in swap.columns.iter().enumerate() {
        let place = table.names.iter().position(|name| *name == own.name);
        let Some(column) = place.and_then(|place| table.columns.get(place)) else { continue };
        if column.texts.len() as u64 != own.distinct {
            problems.push(format!(
                "swapped column {} has {} distinct values, the manifest says {}",
                number + 1,
                column.texts.len(),
                own.distinct
            ));
        }
        let is_missing: Vec<bool> =
            column.texts.iter().map(|text| manifest.model.missing.contains(text)).collect();
        let of_record = |code: &&u32| is_missing.get(**code as usize).copied().unwrap_or(false);
        let gone = column.codes.iter().filter(of_record).count() as u64;
        if gone > 0 {
            missing.insert(own.name.clone(), gone);
        }
        if let SwapWay::Rank { percent } = swap.way {
            let known = (table.rows as u64).saturating_sub(gone);
            if own.window != Some((percent * known as f64 / 100.0).ceil() as u64) {
                problems.push(format!(
                    "swapped column {}: its window is not the one that its values have",
                    number + 1
                ));
            }
        }
    }
    checks.push(Check::of("values", "each swapped column has as many distinct values as is said", &problems));
    let problems = match missing == manifest.data.missing {
        true => Vec::new(),
        false => vec!["another number of values is missing than the manifest says".to_owned()],
    };
    let well = match missing.values().sum::<u64>() {
        0 => "no swapped value is missing".to_owned(),
        many => format!("{many} values of swapped columns are missing, as many as before"),
    };
    checks.push(Check::of("missing values", well, &problems));
    checks
}
