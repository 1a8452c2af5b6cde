//! What `verify` found: one entry for every check, with the place where a check fails.

use serde::Serialize;

use super::trust::Trusted;

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// What was checked, in a word or two.
    pub name: String,
    /// Whether it is well.
    pub ok: bool,
    /// A sentence for a person: what was found, and where when it is not well. Never a value of the table.
    pub detail: String,
    /// Promises: what the worst class reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<f64>,
    /// Promises: whether the published files show it within bounds only, because what suppressed records
    /// held is not published.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bounded: bool,
}

impl Check {
    /// A check that is well.
    pub fn passed(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { name: name.into(), ok: true, detail: detail.into(), reached: None, bounded: false }
    }

    /// A check that is not.
    pub fn failed(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { name: name.into(), ok: false, detail: detail.into(), reached: None, bounded: false }
    }

    /// A check of several things: well when no problem was found, otherwise all problems.
    pub(super) fn of(name: &str, well: impl Into<String>, problems: &[String]) -> Self {
        if problems.is_empty() { Self::passed(name, well) } else { Self::failed(name, problems.join("; ")) }
    }
}

/// The check of a signature; without a key it is well, and tells that none was checked.
pub(super) const SIGNED: &str = "signature";

/// The check that tells that a release promises no formal privacy.
pub(super) const NO_PROMISE: &str = "formal privacy";

/// Everything that was checked, and what could not be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// What is stated by the publisher and cannot be checked from the release.
    pub on_trust: Vec<Trusted>,
}

impl Verdict {
    /// What was found before anything could be believed: nothing is on trust then.
    pub(super) fn early(checks: Vec<Check>) -> Self {
        Self { checks, on_trust: Vec::new() }
    }

    /// Whether the release is what it says it is.
    pub fn holds(&self) -> bool {
        !self.checks.is_empty() && self.checks.iter().all(|check| check.ok)
    }

    /// Whether the key that was given signed the release.
    pub fn is_signed(&self) -> bool {
        self.checks.iter().any(|check| check.name == SIGNED && check.ok)
    }

    /// Whether anything is promised that could hold: swapped and synthetic records are published without.
    pub fn promises(&self) -> bool {
        self.checks.iter().all(|check| check.name != NO_PROMISE)
    }

    /// The checks that are not well.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.ok)
    }
}
