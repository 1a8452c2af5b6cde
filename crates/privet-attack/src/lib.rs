//! Attacks on releases (survey, section 6): each takes what is published and what the adversary is assumed to know,
//! and tells who is exposed.
//!
//! An attack never looks at the original. The owner's original is used only afterwards, to score what the adversary
//! concluded: success is what an adversary *believes* with confidence, and the score says how often that is true.
//!
//! Four different values in one bucket, and one value twice beside two others in another: whoever knows one statement about the table
//! is sure of a value with three chances in four (survey PM-12).
//!
//! ```
//! let buckets = [vec![1, 1, 1, 1], vec![2, 1, 1]];
//! assert!((privet_attack::worlds::ck_breach(&buckets, 1) - 0.75).abs() < 1e-12);
//! ```
#![forbid(unsafe_code)]

pub mod added;
pub mod adversary;
pub mod attacks;
mod chances;
pub mod composition;
pub mod dimensions;
mod finding;
mod histogram;
pub mod homogeneity;
pub mod knowledge;
pub mod link;
pub mod linkage;
pub mod linking;
pub mod margins;
pub mod membership;
pub mod minimality;
pub mod noise;
mod note;
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

pub use adversary::Adversary;
pub use attacks::{ATTACKS, AttackWord, OTHER_ATTACKS, attack_info, ids};
pub use finding::{AttackError, Belief, Beliefs, Bin, Conclusions, Fate, Finding, Found, Unit, Whom};
pub use histogram::HistogramOf;
pub use knowledge::Knowledge;
pub use note::{Note, Topic};
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
