//! Frequent patterns with their supports, without inference channels (papers II.7): what `privet mine patterns` does.
//!
//! # Guarantee
//! From the supports that are given, inclusion and exclusion tells of no pattern (some items held, others not) that from one to k − 1 baskets
//! have; it is looked for again in what is given. Items are taken to be known of nobody; what several publications tell together
//! is not looked at.

use privet_data::Progress;
use privet_kind::KindError;
use privet_mine::rules::channels::{close_by_adding, close_by_leaving_out, find, supports_of};
use privet_mine::rules::frequent_itemsets;
use serde::{Deserialize, Serialize};

use crate::error::told;

/// How inference channels are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Closing {
    /// Supports are raised, as if k baskets more had each pattern of few.
    Add,
    /// Patterns are left out, with all that contain them.
    LeaveOut,
}

/// Which patterns are published.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PatternOptions {
    /// The baskets that make a pattern frequent: a number, or below 1 a share of them.
    pub support: f64,
    /// The baskets that every pattern that follows must have, or none.
    pub k: u64,
    /// How channels are closed.
    pub closing: Closing,
    /// Patterns beyond which it is an error.
    pub limit: usize,
}

/// Patterns that can be published, and what that took.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SafePatterns {
    /// A CSV of patterns and supports, the most frequent first; the empty pattern has the number of baskets.
    #[serde(skip)]
    pub text: String,
    /// The baskets that make a pattern frequent.
    pub support: u64,
    /// What was asked.
    pub k: u64,
    /// Patterns that are frequent.
    pub frequent: usize,
    /// Patterns that are given.
    pub patterns: usize,
    /// Patterns of fewer than k baskets that followed from the supports before.
    pub channels: usize,
    /// The fewest baskets of these.
    pub fewest: Option<u64>,
    /// By how much supports are raised, as a share of all supports.
    pub raised: f64,
    /// Patterns that are left out.
    pub left_out: usize,
}

/// The support as a number of baskets.
pub(crate) fn support_of(asked: f64, baskets: usize) -> Result<u64, KindError> {
    if !(asked > 0.0 && asked.is_finite()) {
        let problem = "the support must be a number of baskets, or a share of them, above 0";
        return Err(KindError::bad_input(problem));
    }
    let support = match asked < 1.0 {
        true => (asked * baskets as f64 - 1e-9).ceil() as u64,
        false => asked.ceil() as u64,
    };
    Ok(support.max(1))
}

/// Finds the frequent patterns of baskets, one basket per line, and closes their inference channels.
///
/// # Errors
/// When the text holds no basket, or patterns of fewer than k baskets are asked for.
pub fn safe_patterns(
    text: &str,
    separator: Option<char>,
    options: &PatternOptions,
    progress: &dyn Progress,
) -> Result<SafePatterns, KindError> {
    let (baskets, labels) = crate::input::baskets(text, separator)?;
    let support = support_of(options.support, baskets.len())?;
    let k = options.k;
    if k < 2 || k > support {
        let problem = format!(
            "k may be from 2 to {support}, the support in baskets: a pattern that fewer than k have is none to publish"
        );
        return Err(KindError::bad_input(problem));
    }
    let itemsets = frequent_itemsets(&baskets, support, options.limit, progress).map_err(told)?;
    let before = supports_of(&itemsets, baskets.len() as u64);
    let channels = find(&before, k, progress).map_err(told)?;
    let closed = match options.closing {
        Closing::Add => close_by_adding(&before, k, progress),
        Closing::LeaveOut => close_by_leaving_out(&before, k, progress),
    };
    let closed = closed.map_err(told)?;
    if !find(&closed.supports, k, progress).map_err(told)?.is_empty() {
        return Err(KindError::refused("an inference channel is left between the patterns"));
    }
    let mut rows: Vec<(&Vec<u32>, u64)> = closed.supports.iter().map(|(set, own)| (set, *own)).collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| (a.0.len(), a.0).cmp(&(b.0.len(), b.0))));
    let between = separator.map_or(" ".to_owned(), |separator| format!("{separator} "));
    let line = |(set, support): (&Vec<u32>, u64)| {
        let items: Vec<&str> = set.iter().map(|&item| labels[item as usize].as_str()).collect();
        format!("{},{support}\n", field(&items.join(&between)))
    };
    let all: u64 = before.values().sum();
    Ok(SafePatterns {
        text: std::iter::once("pattern,support\n".to_owned()).chain(rows.into_iter().map(line)).collect(),
        support,
        k,
        frequent: before.len() - 1,
        patterns: closed.supports.len().saturating_sub(1),
        channels: channels.len(),
        fewest: channels.iter().map(|own| own.records).min(),
        raised: closed.added as f64 / all.max(1) as f64,
        left_out: closed.left_out,
    })
}

/// A cell of a CSV.
fn field(text: &str) -> String {
    match text.contains([',', '"', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;

    use super::*;

    /// FX-T8, whose patterns of three baskets tell of two that hold a and c and not b.
    const BASKETS: &str = "a b c\na b d\na b c\na c d\nb c d\na b c d\na c\nb d\n";

    fn found(closing: Closing, support: f64, k: u64) -> Result<SafePatterns, KindError> {
        let options = PatternOptions { support, k, closing, limit: 1000 };
        safe_patterns(BASKETS, None, &options, &Silent)
    }

    #[test]
    fn channels_are_told_and_closed() {
        let added = found(Closing::Add, 3.0, 3).unwrap();
        assert!(added.channels > 0 && added.fewest == Some(1) && added.raised > 0.0);
        assert_eq!((added.frequent, added.patterns, added.left_out), (11, 11, 0));
        let less = found(Closing::LeaveOut, 3.0, 3).unwrap();
        assert!(less.left_out > 0 && less.raised == 0.0);
        assert!(less.text.starts_with("pattern,support\n,8\n") && !less.text.contains("a b c"));
        assert!(found(Closing::Add, 3.0, 4).is_err() && found(Closing::Add, 3.0, 1).is_err());
        assert!(found(Closing::Add, -3.0, 2).is_err());
    }
}
