//! What an answer can make of a belief, for somebody who knows everybody else's records (survey PM-18).
//!
//! Guarantee: whatever was believed of one person beforehand, and whatever the answer turns out to be, the belief afterwards
//! is at most what stands here, rounded up. Whether a person is in the table changes its odds by e^epsilon at most. What her
//! records say does so too when persons are replaced; when they come and go, saying one thing instead of another is leaving
//! and coming, so twice epsilon counts. With a delta there is no such bound, and none is given: it fails together with
//! epsilon.

use privet_dp::{Epsilon, Loss, Neighbours, Rational, largest_posterior};
use serde::Serialize;

/// Beliefs of which it is told what they become, in percent.
const BEFORE: [u8; 3] = [1, 10, 50];

/// What a belief can become.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Belief {
    /// What is believed: `presence`, that a person is in the table, or `records`, anything about what her records say.
    pub about: &'static str,
    /// How probable it is thought to be beforehand.
    pub before: f64,
    /// How probable it can be thought to be afterwards, at most.
    pub at_most_after: f64,
}

/// The beliefs that a cost bounds.
pub(super) fn bounded(loss: &Loss, neighbours: Neighbours) -> Vec<Belief> {
    if !loss.delta().is_zero() || loss.rho().is_some() {
        return Vec::new();
    }
    let about: &[(&'static str, u8)] = match neighbours {
        Neighbours::AddRemove => &[("presence", 1), ("records", 2)],
        Neighbours::ReplaceOne => &[("records", 1)],
    };
    let mut beliefs = Vec::new();
    for &(about, times) in about {
        for percent in BEFORE {
            let before = Rational::from(percent) / Rational::from(100u8);
            // An epsilon that is too large to be one bounds nothing.
            let after = Epsilon::new(loss.epsilon() * Rational::from(times))
                .and_then(|epsilon| largest_posterior(&before, &epsilon))
                .map_or(1.0, |after| up(&after));
            beliefs.push(Belief { about, before: f64::from(percent) / 100.0, at_most_after: after });
        }
    }
    beliefs
}

/// A probability, rounded up to a millionth.
fn up(value: &Rational) -> f64 {
    let million = Rational::from(1_000_000u32);
    let above = Rational::from((value * &million).ceil()) / million;
    above.to_f64().value()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(epsilon: &str, delta: &str, neighbours: Neighbours) -> Vec<(&'static str, f64, f64)> {
        let exact = |text| Rational::from_str_decimal(text).unwrap();
        let loss = Loss::new(exact(epsilon), exact(delta)).unwrap();
        bounded(&loss, neighbours).iter().map(|own| (own.about, own.before, own.at_most_after)).collect()
    }

    /// survey PM-18, by hand: prior p and ratio r give r·p/(1 − p + r·p). With e^0.5 = 1.648721 a belief of 0.1 becomes
    /// 0.1648721/1.0648721 = 0.154828; with e^1 = 2.718282 it becomes 0.2718282/1.1718282 = 0.231969.
    #[test]
    fn informed_adversaries_are_bounded() {
        let replaced = found("0.5", "0", Neighbours::ReplaceOne);
        assert_eq!(replaced[1], ("records", 0.1, 0.154829));
        assert_eq!(replaced.len(), 3);
        let coming = found("0.5", "0", Neighbours::AddRemove);
        assert_eq!((coming[1], coming[4]), (("presence", 0.1, 0.154829), ("records", 0.1, 0.231970)));
        assert!(found("0.5", "0.000001", Neighbours::AddRemove).is_empty());
        // Twice 900 is no epsilon any more.
        assert!(found("900", "0", Neighbours::AddRemove)[3..].iter().all(|own| own.2 == 1.0));
    }
}
