//! Measures on the seam: what a release is still good for, beside its original.

use privet_data::Progress;
use serde::{Deserialize, Serialize};

use crate::attack::Unmade;
use crate::note::Note;
use crate::page::Series;
use crate::views::Views;

/// A measure: one file, one line in the list of its kind.
pub trait Measure: Sync {
    /// What the measure is.
    fn info(&self) -> &'static MeasureInfo;

    /// Compares a release with its original.
    ///
    /// # Errors
    /// As [`Attack::run`](crate::Attack::run).
    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade>;
}

/// What a measure is.
#[derive(Debug, Clone, Copy)]
pub struct MeasureInfo {
    /// The word for it.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// One sentence: what it tells.
    pub sentence: &'static str,
}

/// A number about a release, beside the same number of the original where there is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The id of the measure.
    pub measure: String,
    /// What the number is, such as `mean degree`.
    pub name: String,
    /// In the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// In the release, or the difference itself where there is no `before`.
    #[serde(deserialize_with = "number")]
    pub after: f64,
    /// Whether it is a share, told in per cent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_share: bool,
    /// Curves to be drawn, such as a distribution before and after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Series>,
    /// Remarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// A number; JSON has no word for one that nobody knows, and writes null.
fn number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl Figure {
    /// A number of the release beside that of the original.
    pub fn compared(info: &MeasureInfo, name: impl Into<String>, before: f64, after: f64) -> Self {
        Self { before: Some(before), ..Self::single(info, name, after) }
    }

    /// A number by itself.
    pub fn single(info: &MeasureInfo, name: impl Into<String>, after: f64) -> Self {
        Self {
            measure: info.id.to_owned(),
            name: name.into(),
            before: None,
            after,
            is_share: false,
            curves: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The same number as a share.
    #[must_use]
    pub fn as_share(mut self) -> Self {
        self.is_share = true;
        self
    }
}
