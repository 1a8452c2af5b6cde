//! Which links are believed: the two thresholds of Fellegi and Sunter, and how many links are false.
//!
//! Pairs at or above the upper threshold are matches, those below the lower one are not, and those between are for a
//! person to look at. Thresholds are set so that, by the model, at most the wanted share of pairs that are no match is
//! called one, and at most the wanted share of matches is rejected. Patterns that occur are weighed by how often they
//! do; whole patterns fall on one side, so the rates that are reached are at or below those that were wanted.

use serde::{Deserialize, Serialize};

use super::{Estimation, Link, LinkageError, Pairs};
use crate::Rate;

/// Wanted error rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The most of the pairs that are no match that may be called one.
    pub false_matches: f64,
    /// The most of the matches that may be rejected.
    pub false_rejections: f64,
}

/// Weights at which decisions change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// At or above this it is a match; infinite when no pattern can be one.
    pub upper: f64,
    /// Below this it is none; negative infinity when no pattern may be rejected. Never above `upper`.
    pub lower: f64,
}

/// What a pair is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// A match.
    Match,
    /// For a person to look at.
    Possible,
    /// None.
    NoMatch,
}

impl Thresholds {
    /// What a pair with a weight is taken for.
    pub fn decide(&self, weight: f64) -> Decision {
        if weight >= self.upper {
            Decision::Match
        } else if weight < self.lower {
            Decision::NoMatch
        } else {
            Decision::Possible
        }
    }
}

/// Links with decisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Linkage {
    /// The thresholds.
    pub thresholds: Thresholds,
    /// The links, by ascending record, and what each is taken for.
    pub links: Vec<(Link, Decision)>,
    /// How many of those called a match are expected to be false.
    pub estimated_false: f64,
}

/// What only the owner can say.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinkageTruth {
    /// False ones among those called a match.
    pub false_matches: Rate,
    /// True pairs that were not called a match, of all true pairs.
    pub missed: Rate,
}

impl Linkage {
    /// Those called a match.
    pub fn matches(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|link| link.1 == Decision::Match).map(|(link, _)| link)
    }

    /// Compares with the truth: per record the person whose it is, `None` when the person is not on the list.
    pub fn against(&self, truth: &[Option<u32>]) -> LinkageTruth {
        let (mut called, mut right) = (0, 0);
        for link in self.matches() {
            called += 1;
            right += u64::from(truth.get(link.record as usize) == Some(&Some(link.person)));
        }
        let all = truth.iter().flatten().count() as u64;
        LinkageTruth { false_matches: Rate::new(called - right, called), missed: Rate::new(all - right, all) }
    }
}

/// Decides about links by the thresholds that keep the wanted rates.
///
/// # Errors
/// When a rate is not between 0 and 1.
pub fn decide(
    pairs: &Pairs,
    estimation: &Estimation,
    links: &[Link],
    rates: Rates,
) -> Result<Linkage, LinkageError> {
    let is_rate = |rate: f64| (0.0..=1.0).contains(&rate);
    if !is_rate(rates.false_matches) || !is_rate(rates.false_rejections) {
        return Err(LinkageError::Rate);
    }
    // Weight, expected matches, expected others; the largest weight first.
    let mut patterns: Vec<(f64, f64, f64)> = estimation
        .weights
        .iter()
        .zip(&estimation.posterior)
        .zip(&pairs.counts)
        .map(|((&weight, p), &count)| (weight, p * count as f64, (1.0 - p) * count as f64))
        .collect();
    patterns.sort_by(|a, b| b.0.total_cmp(&a.0));
    let matches: f64 = patterns.iter().map(|pattern| pattern.1).sum();
    let others: f64 = patterns.iter().map(|pattern| pattern.2).sum();
    let (mut upper, mut lower) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut above = 0.0;
    for same in patterns.chunk_by(|a, b| a.0 == b.0) {
        above += same.iter().map(|pattern| pattern.2).sum::<f64>();
        if above > rates.false_matches * others {
            break;
        }
        upper = same[0].0;
    }
    let mut below = 0.0;
    patterns.reverse();
    for same in patterns.chunk_by(|a, b| a.0 == b.0) {
        // Below the threshold is rejected, so the threshold is the first weight that is not.
        lower = same[0].0;
        below += same.iter().map(|pattern| pattern.1).sum::<f64>();
        if below > rates.false_rejections * matches {
            break;
        }
    }
    // When both rates leave room, nothing is between: what may be a match is one.
    let thresholds = Thresholds { upper, lower: lower.min(upper) };
    let links: Vec<(Link, Decision)> =
        links.iter().map(|&link| (link, thresholds.decide(link.weight))).collect();
    let mut linkage = Linkage { thresholds, links, estimated_false: 0.0 };
    linkage.estimated_false = linkage.matches().map(|link| 1.0 - link.probability).sum();
    Ok(linkage)
}
