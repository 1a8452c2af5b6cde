//! Attacks on the seam: what an adversary concludes from a view, and how often that is right.

use privet_data::Progress;
use serde::{Deserialize, Serialize};

use crate::error::KindError;
use crate::knowledge::Knowledge;
use crate::note::Note;
use crate::page::Series;
use crate::views::Views;

/// An attack: one file, one line in the list of its kind.
pub trait Attack: Sync {
    /// What the attack is.
    fn info(&self) -> &'static AttackInfo;

    /// Attacks a release. The adversary sees `release` and what is `known`; the `original` only scores what was concluded, and is
    /// never used to conclude it. A finding without an original tells what the adversary is sure of.
    ///
    /// # Errors
    /// [`Unmade::Reason`] when the attack does not apply or lacks something; [`Unmade::Failed`] when the knowledge is wrong or the
    /// person asked to stop.
    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade>;
}

/// What an attack is, for help, pages, and the reference of the guide.
#[derive(Debug, Clone, Copy)]
pub struct AttackInfo {
    /// The word for it in jobs and knowledge files; a section of this name in a knowledge file is for this attack.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// One sentence: what the adversary does.
    pub sentence: &'static str,
    /// What it needs besides the release.
    pub needs: &'static [Need],
    /// Where it is made.
    pub standing: Standing,
    /// Where it is described.
    pub source: &'static str,
}

/// What an attack needs besides the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Need {
    /// The original and who is who, to score what is concluded.
    Original,
    /// A section of its own in the knowledge file.
    Section,
    /// A view that this release does not offer.
    View,
    /// Another release of the same people.
    OtherRelease,
}

impl Need {
    /// What is missing, as the end of a sentence that begins with "needs".
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Original => "the original, to be scored",
            Self::Section => "a section of its name in the knowledge file",
            Self::View => "something that a release of this form does not show",
            Self::OtherRelease => "another release about the same people",
        }
    }
}

/// Where an attack is made, and what it counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The gate makes it before anything is published, and its risk counts towards the limits.
    Gate,
    /// The gate makes it and shows it; it does not count towards the limits unless the job names it.
    Informs,
    /// Only made when it is named.
    OnRequest,
}

/// A share, counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// For how many.
    pub hits: u64,
    /// Of how many.
    pub of: u64,
}

impl Share {
    /// A share of some.
    pub fn new(hits: u64, of: u64) -> Self {
        Self { hits, of }
    }

    /// The share as a number; not a number when nobody was counted.
    pub fn rate(&self) -> f64 {
        if self.of == 0 { f64::NAN } else { self.hits as f64 / self.of as f64 }
    }

    /// The ends of Wilson's 95 % interval; from 0 to 1 when nobody was counted.
    pub fn interval(&self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        const Z: f64 = 1.959_963_984_540_054;
        let (n, p) = (self.of as f64, self.rate());
        let centre = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        ((centre - half).max(0.0), (centre + half).min(1.0))
    }
}

/// What an attack found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The id of the attack.
    pub attack: String,
    /// Which variant, such as `8 known ratings`; empty where there is one only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// About how many people, nodes or records the adversary is sure.
    pub sure: Share,
    /// About how many of all the adversary is sure and right; absent without the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<Share>,
    /// How many the adversary would be right about without these people's data, or by chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Share>,
    /// Whether those counted are a sample: then limits hold for what the sample shows with 95 % confidence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sampled: bool,
    /// Whether it counts towards the limits.
    pub counts: bool,
    /// Curves to be drawn, such as the share re-identified over what is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Series>,
    /// Remarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

impl Finding {
    /// A finding about whom the adversary is sure of.
    pub fn new(info: &AttackInfo, sure: Share) -> Self {
        Self {
            attack: info.id.to_owned(),
            variant: String::new(),
            sure,
            right: None,
            control: None,
            sampled: false,
            counts: info.standing == Standing::Gate,
            curves: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The risk: the share about which the adversary is sure and right, or, without the original, sure.
    pub fn risk(&self) -> f64 {
        self.right.unwrap_or(self.sure).rate()
    }

    /// What the release adds to what is reached without it, where a control tells that. Where people were sampled, the upper end of
    /// what the sample allows: a limit is kept only when the sample shows it.
    pub fn added(&self) -> f64 {
        let reached = self.right.unwrap_or(self.sure);
        let risk = if self.sampled { reached.interval().1 } else { reached.rate() };
        match self.control.filter(|control| control.of > 0) {
            Some(control) => (risk - control.rate()).max(0.0),
            None => risk,
        }
    }
}

/// Why an attack or a measure was not made.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unmade {
    /// It does not apply or lacks something; the verb goes on.
    Reason(Reason),
    /// The verb ends.
    Failed(KindError),
}

/// A typed reason why an attack or a measure was not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason", deny_unknown_fields)]
#[non_exhaustive]
pub enum Reason {
    /// Something is missing.
    Missing {
        /// What.
        need: Need,
    },
    /// It would take more than this.
    TooLarge {
        /// What is too large, as the subject of a sentence.
        what: String,
        /// The limit.
        most: u64,
    },
    /// There is nothing it could be made on.
    Nothing {
        /// What there is none of.
        what: String,
    },
    /// The attack changes the data before the release, and the method publishes nothing of the changed data.
    Refused {
        /// The changed data.
        of: String,
    },
}

impl Reason {
    /// The reason as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Missing { need } => format!("The attack needs {}.", need.phrase()),
            Self::TooLarge { what, most } => {
                format!("{what} is above {most}, the most that can be looked at.")
            }
            Self::Nothing { what } => format!("There is no {what} in the release."),
            Self::Refused { of } => format!("The method publishes no release of {of}."),
        }
    }
}

impl From<Reason> for Unmade {
    fn from(reason: Reason) -> Self {
        Self::Reason(reason)
    }
}

impl From<Need> for Unmade {
    fn from(need: Need) -> Self {
        Self::Reason(Reason::Missing { need })
    }
}

impl<E: Into<KindError>> From<E> for Unmade {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: AttackInfo = AttackInfo {
        id: "sample",
        title: "Sample",
        sentence: "",
        needs: &[],
        standing: Standing::Gate,
        source: "",
    };

    #[test]
    fn what_a_release_adds_is_what_its_control_does_not_reach() {
        let mut finding = Finding::new(&INFO, Share::new(90, 100));
        assert_eq!(finding.added(), 0.9);
        finding.right = Some(Share::new(70, 100));
        finding.control = Some(Share::new(50, 100));
        assert!((finding.added() - 0.2).abs() < 1e-12);
        finding.sampled = true;
        assert!(finding.added() > 0.2, "a sample must show that a limit is kept");
    }

    #[test]
    fn nobody_counted_is_not_zero() {
        assert!(Share::new(0, 0).rate().is_nan());
        assert_eq!(Share::new(0, 0).interval(), (0.0, 1.0));
    }
}
