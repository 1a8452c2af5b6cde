//! Attacks on releases (survey, section 6): each takes what is published and what the adversary is assumed to know,
//! and tells who is exposed.
//!
//! An attack never looks at the original. The owner's original is used only afterwards, to score what the adversary
//! concluded: success is what an adversary *believes* with confidence, and the score says how often that is true.
#![forbid(unsafe_code)]

pub mod added;
pub mod adversary;
mod chances;
pub mod composition;
pub mod counting;
pub mod dimensions;
mod finding;
pub mod homogeneity;
pub mod knowledge;
pub mod link;
pub mod linkage;
pub mod linking;
pub mod margins;
pub mod membership;
pub mod minimality;
pub mod noise;
pub mod proximity;
pub mod quick;
pub mod rate;
pub mod reasoners;
pub mod reproduction;
mod room;
pub mod rules;
mod target;
pub mod three_risks;
pub mod tracker;
pub mod words;
pub mod worlds;

pub use adversary::{ATTACKS, Adversary, AttackWord};
pub use finding::{AttackError, Belief, Beliefs, Bin, Conclusions, Fate, Finding, Found, Unit, Whom};
pub use knowledge::Knowledge;
pub use rate::Rate;
pub use room::Room;
pub use target::{Place, Suspects, Target, Truth};

/// A share in per cent with two decimals; with more of them where a small share would be 0 or one below 100 % would be
/// rounded to it.
pub fn percent(share: f64) -> f64 {
    let percent = share * 100.0;
    let scale = match percent.abs() {
        small if small > 0.0 && small < 0.01 => 10f64.powi(1 - small.log10().floor().max(-300.0) as i32),
        large if (99.99..100.0).contains(&large) => 1e4,
        _ => 100.0,
    };
    (percent * scale).round() / scale
}

#[cfg(test)]
mod tests {
    #[test]
    fn per_cent_without_digits_that_say_nothing() {
        for (share, told) in [
            (0.121_497, 12.15),
            (0.286_96, 28.7),
            (1.0, 100.0),
            (0.999_99, 99.999),
            (0.000_012_34, 0.0012),
            (0.0, 0.0),
        ] {
            assert_eq!(super::percent(share), told);
        }
        assert!(super::percent(f64::NAN).is_nan() && super::percent(f64::MIN_POSITIVE) >= 0.0);
    }
}
