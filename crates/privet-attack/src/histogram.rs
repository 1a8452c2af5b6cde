//! What the bars of a finding count, and what goes across them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a histogram counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HistogramOf {
    /// There is no histogram.
    #[default]
    Nothing,
    /// How many records may be a person's.
    Candidates,
    /// How sure the adversary is of the best guess.
    Certainty,
    /// How sure somebody could be who knows the worst.
    WorstCertainty,
    /// How probable it is that a person is in the data.
    Presence,
    /// How many attributes must be known to single a person out.
    Attributes,
}

impl HistogramOf {
    const ALL: [Self; 6] = [
        Self::Nothing,
        Self::Candidates,
        Self::Certainty,
        Self::WorstCertainty,
        Self::Presence,
        Self::Attributes,
    ];

    /// The title of the histogram, which is also its word in files.
    pub fn title(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Candidates => "people by how many records may be theirs",
            Self::Certainty => "people by how sure the adversary is of the best guess",
            Self::WorstCertainty => "people by how sure somebody could be of their value",
            Self::Presence => "people by how probable it is that they are in the data",
            Self::Attributes => "people singled out, by how many of their attributes are known",
        }
    }

    /// The name of the axis across.
    pub fn across(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Candidates => "how many records may be theirs",
            Self::Certainty => "how sure the adversary is of the best guess",
            Self::WorstCertainty => "how sure somebody could be of their value",
            Self::Presence => "how probable it is that they are in the data",
            Self::Attributes => "how many of their attributes are known",
        }
    }
}

impl Serialize for HistogramOf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.title().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HistogramOf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let title = String::deserialize(deserializer)?;
        let found = Self::ALL.into_iter().find(|own| own.title() == title);
        found.ok_or_else(|| D::Error::custom("no title of a histogram"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_name_the_axis() {
        for own in HistogramOf::ALL {
            assert!(own.title().ends_with(own.across()));
            let read: HistogramOf = serde_json::from_value(serde_json::to_value(own).unwrap()).unwrap();
            assert_eq!(read, own);
        }
        assert!(serde_json::from_str::<HistogramOf>("\"people\"").is_err());
    }
}
