//! A remark of a finding, with what it rests on and what it is about: code decides by these and never by its words.

use privet_kind::Basis;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What it rests on, which decides who may read it.
    pub basis: Basis,
    /// What it is about, where something else depends on that.
    pub topic: Topic,
    /// The remark: full sentences.
    pub text: String,
}

/// What a remark is about, where something else depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Topic {
    /// Nothing that anything depends on.
    #[default]
    Other,
    /// Why there is no control: pages need not say so again.
    NoControl,
    /// What those learn who know in which class each person stands.
    KnownClasses,
    /// Why nothing could be learned from a release.
    NotLearned,
}

impl Note {
    /// A remark that rests on the published files alone: everybody may read it.
    pub fn of_release(text: impl Into<String>) -> Self {
        Self { basis: Basis::Release, topic: Topic::Other, text: text.into() }
    }

    /// A remark that rests on what the adversary is assumed to know: everybody may read it.
    pub fn of_knowledge(text: impl Into<String>) -> Self {
        Self { basis: Basis::Knowledge, ..Self::of_release(text) }
    }

    /// A remark that rests on the original: for the owner alone.
    pub fn of_original(text: impl Into<String>) -> Self {
        Self { basis: Basis::Original, ..Self::of_release(text) }
    }

    /// Why there is no control: for the owner alone, as the control would be.
    pub fn no_control(text: impl Into<String>) -> Self {
        Self { topic: Topic::NoControl, ..Self::of_original(text) }
    }

    /// The same remark about a topic.
    #[must_use]
    pub fn about(self, topic: Topic) -> Self {
        Self { topic, ..self }
    }

    /// Whether everybody may read it.
    pub fn is_public(&self) -> bool {
        self.basis < Basis::Original
    }
}

/// Files hold the words: those of the public say nothing else, and the owner's are read by people.
impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

/// What a published file says is public.
impl<'de> Deserialize<'de> for Note {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::of_release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rests_on_the_original_is_not_public() {
        assert!(Note::of_release("a").is_public() && Note::of_knowledge("a").is_public());
        assert!(!Note::of_original("a").is_public() && !Note::no_control("a").is_public());
    }
}
