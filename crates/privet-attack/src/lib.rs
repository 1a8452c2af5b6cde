//! Attacks on releases (survey, section 6): each takes what is published and what the adversary is assumed to know,
//! and tells who is exposed.
//!
//! An attack never looks at the original. The owner's original is used only afterwards, to score what the adversary
//! concluded: success is what an adversary *believes* with confidence, and the score says how often that is true.
#![forbid(unsafe_code)]

pub mod adversary;
pub mod composition;
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
pub mod quick;
pub mod rate;
pub mod reasoners;
mod target;
pub mod tracker;
pub mod worlds;

pub use adversary::{ATTACKS, Adversary, AttackWord};
pub use finding::{AttackError, Belief, Beliefs, Bin, Conclusions, Fate, Finding, Found, Whom};
pub use knowledge::Knowledge;
pub use rate::Rate;
pub use target::{Place, Suspects, Target, Truth};

/// A share in per cent, without digits that say nothing.
pub(crate) fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}
