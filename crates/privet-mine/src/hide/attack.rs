//! The attack on hidden rules: whoever guesses that supports were lowered mines below the threshold.
//!
//! Hiding leaves sensitive itemsets just below the threshold, where few others are. For a row of guesses, the shares of the threshold
//! that the adversary mines at, the attack tells which sensitive rules come back, and among how many candidates that were not minable
//! at the threshold they stand: the fewer, the surer the adversary is.

use privet_data::Progress;
use serde::{Deserialize, Serialize};

use super::{Sensitive, Thresholds};
use crate::MineError;
use crate::rules::{Transactions, frequent_itemsets};

/// What one guess brings back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guess {
    /// The share of the thresholds that is mined at.
    pub share: f64,
    /// Itemsets that are frequent at the guess and not at the threshold, over which sensitive ones are not told apart.
    pub candidates: u64,
    /// Sensitive rules among them, by position.
    pub returned: Vec<usize>,
}

/// A sensitive rule and the first guess that brings it back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returned {
    /// The position of the rule.
    pub rule: usize,
    /// The largest share of the thresholds at which it is mined; none when no guess brings it back.
    pub share: Option<f64>,
}

/// Mines shared transactions below the thresholds.
///
/// # Errors
/// When a guess finds more than `limit` itemsets, or the operation was stopped.
pub fn attack(
    shared: &Transactions,
    sensitive: &[Sensitive],
    thresholds: &Thresholds,
    guesses: &[f64],
    limit: usize,
    progress: &dyn Progress,
) -> Result<(Vec<Guess>, Vec<Returned>), MineError> {
    let lowered = |share: f64| Thresholds {
        support: ((thresholds.support as f64 * share).floor() as u64).max(1),
        confidence: (thresholds.confidence * share).max(f64::MIN_POSITIVE),
    };
    let at_threshold = frequent_itemsets(shared, thresholds.support, limit, progress)?.len() as u64;
    let mut order: Vec<f64> = guesses.to_vec();
    order.sort_by(|a, b| b.total_cmp(a));
    let mut returned: Vec<Returned> =
        (0..sensitive.len()).map(|rule| Returned { rule, share: None }).collect();
    let mut found = Vec::new();
    for share in order {
        if !(share > 0.0 && share <= 1.0) {
            let accepted = "above 0 and up to 1";
            return Err(MineError::Parameter { name: "a guess", value: share, accepted });
        }
        let guess = lowered(share);
        let candidates = frequent_itemsets(shared, guess.support, limit, progress)?.len() as u64;
        let mut back = Vec::new();
        for (place, rule) in sensitive.iter().enumerate() {
            if rule.is_minable(shared, &guess) {
                back.push(place);
                returned[place].share.get_or_insert(share);
            }
        }
        found.push(Guess { share, candidates: candidates - at_threshold, returned: back });
    }
    Ok((found, returned))
}
