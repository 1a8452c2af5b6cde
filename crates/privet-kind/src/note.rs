//! A remark with what it rests on, which decides who may read it.

use serde::{Deserialize, Serialize};

/// What a remark rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The published files alone: everybody may read it.
    Release,
    /// What the adversary is assumed to know besides: everybody may read it.
    Knowledge,
    /// The original: for the owner alone.
    Original,
}

/// A remark about a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// What it rests on.
    pub basis: Basis,
    /// The remark: full sentences.
    pub text: String,
}

impl Note {
    /// A remark that rests on the published files alone.
    pub fn of_release(text: impl Into<String>) -> Self {
        Self { basis: Basis::Release, text: text.into() }
    }

    /// A remark that rests on what the adversary is assumed to know.
    pub fn of_knowledge(text: impl Into<String>) -> Self {
        Self { basis: Basis::Knowledge, text: text.into() }
    }

    /// A remark that rests on the original.
    pub fn of_original(text: impl Into<String>) -> Self {
        Self { basis: Basis::Original, text: text.into() }
    }

    /// Whether everybody may read it.
    pub fn is_public(&self) -> bool {
        self.basis < Basis::Original
    }
}
