//! What an adversary reaches with published sets and logs, beside what is reached without them.

mod belief;
mod inject;
mod link;
mod reconstruct;
mod tokens;
mod trails;

pub use belief::{Beliefs, Cracking, crack};
pub use inject::{Injection, inject};
pub use link::{Known, LinkTarget, link, link_disassociated};
pub use reconstruct::{Reconstruction, reconstruct, solve};
pub use tokens::{Reversal, reverse_tokens};
pub use trails::{Matching, match_trails};

use serde::Serialize;

/// How often an adversary is sure, and right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Score {
    /// Of so many targets …
    pub of: u64,
    /// … the adversary is sure about so many …
    pub sure: u64,
    /// … and right about so many.
    pub right: u64,
    /// About how many the adversary would be right, or sure, without these people's data.
    pub control: u64,
    /// Of how many.
    pub control_of: u64,
}
