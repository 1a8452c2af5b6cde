//! Adjustment whose largest move is least (survey ME-37, the norm L∞), and among those whose weighted sum is.
//!
//! Whether some table moves no cell by more than a bound is a question of limits, and the larger the bound the easier it is; so
//! the least one is found by halving, each time by the search for the least sum under that limit. That keeps the tables with at
//! most two margins networks, and their moves whole.

use super::{Adjusted, Adjustment, Method, Problem};
use crate::tables::TableError;

/// Adjusts a table so that the largest move of a cell is as small as can be, and among all such tables the weighted sum is.
/// [`Method::Exact`] says that both are.
///
/// # Errors
/// As [`super::adjust_table`].
pub fn adjust_evenly(adjustment: &Adjustment<'_>) -> Result<Adjusted, TableError> {
    let before = &adjustment.table.counts;
    let largest = |found: &Adjusted| {
        let moves = before.iter().zip(&found.table.counts).map(|(&a, &b)| a.abs_diff(b));
        moves.max().unwrap_or(0)
    };
    let mut best = Problem::new(adjustment)?.search()?;
    // A sensitive cell moves by the smaller of its protections at least: with less than that nothing can be.
    let least = adjustment.sensitive.iter().map(|own| own.down.min(own.up)).max().unwrap_or(0);
    let (mut below, mut enough) = (least.saturating_sub(1), largest(&best));
    let (mut is_proven, mut tried) = (true, 0);
    while below + 1 < enough {
        tried += 1;
        let most = below + (enough - below) / 2;
        let limit =
            |cell: usize| adjustment.limits.and_then(|own| own.get(cell)).map_or(most, |&own| own.min(most));
        let limits: Vec<u64> = (0..before.len()).map(limit).collect();
        let within = Adjustment { limits: Some(&limits), ..*adjustment };
        match Problem::new(&within).and_then(|own| own.search()) {
            Ok(found) => {
                enough = largest(&found);
                best = found;
            }
            Err(TableError::NoRoom { .. } | TableError::Together { .. }) => below = most,
            Err(TableError::NotFound { .. }) => (below, is_proven) = (most, false),
            Err(other) => return Err(other),
        }
    }
    if !is_proven && best.method == Method::Exact {
        best.method = Method::FixedDirections { tried };
    }
    Ok(best)
}
