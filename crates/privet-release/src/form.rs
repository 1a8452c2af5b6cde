//! The forms in which records are published, and what each of them shows.
//!
//! Whoever reads a release asks what it shows, not which form it has: a form answers for itself here, and nowhere else.

use serde::{Deserialize, Serialize};

/// A form of published records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Each record with its sensitive values, its quasi columns coarsened until it looks like others.
    Generalized,
    /// Each record as it is with the number of its bucket; the sensitive values counted per bucket, in tables of their own.
    Bucketized,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Generalized, Self::Bucketized];

    /// The word in a manifest.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Generalized => "generalized",
            Self::Bucketized => "bucketized",
        }
    }

    /// The form of this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.word() == word)
    }

    /// Whether quasi columns are published as they are, so that whose record it is is no secret.
    pub fn shows_identities(self) -> bool {
        self == Self::Bucketized
    }

    /// Whether sensitive values stand in tables of their own, counted per group, so that no record tells its own.
    pub fn separates_values(self) -> bool {
        self == Self::Bucketized
    }
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_manifests() {
        for form in Form::ALL {
            assert_eq!(Form::of(form.word()), Some(form));
            assert_eq!(serde_json::to_value(form).unwrap(), form.word());
        }
        assert_eq!(Form::of("sketched"), None);
    }
}
