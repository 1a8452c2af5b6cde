//! Attacks on ratings: who is found by a few known ratings, and whose sensitive ratings are learned.
//!
//! Every attack runs against the truth (which row is whose), and beside a control: the same adversary with the same
//! knowledge when the row of the target is not there. What the control finds is no fault of the release.

mod disclosure;
mod knowledge;
mod linkage;
mod scoreboard;

pub use disclosure::{Disclosure, disclosure};
pub use knowledge::{Knowledge, Known, Target, targets};
pub use linkage::{Linkage, Preference, candidates, linkage};
pub use scoreboard::{CurvePoint, Index, Match, Scoreboard, curve, scoreboard};

use crate::{Ratings, RatingsError};

/// A release beside the ratings it was made from, with the truth.
#[derive(Debug, Clone, Copy)]
pub struct Released<'a> {
    /// The ratings of the people.
    pub original: &'a Ratings,
    /// What is published.
    pub release: &'a Ratings,
    /// Per user of the original the row of the release.
    pub row_of: &'a [u32],
}

impl<'a> Released<'a> {
    /// A release whose rows stand as those of the original.
    ///
    /// # Errors
    /// When it has another number of users, or another scale.
    pub fn in_order(
        original: &'a Ratings,
        release: &'a Ratings,
        row_of: &'a [u32],
    ) -> Result<Self, RatingsError> {
        let users = original.users().len();
        let beyond = row_of.iter().any(|&row| row as usize >= release.users().len());
        if row_of.len() != users || beyond {
            return Err(RatingsError::Mismatch {
                what: "every user of the original needs a row of the release",
            });
        }
        if original.scale() != release.scale() {
            return Err(RatingsError::Mismatch {
                what: "the release and the original have different scales",
            });
        }
        Ok(Self { original, release, row_of })
    }

    /// Per item of the original the item of the release with the same name.
    pub(crate) fn items(&self) -> Vec<Option<u32>> {
        let number: foldhash::HashMap<&str, u32> =
            self.release.items().iter().map(|item| &**item).zip(0..).collect();
        self.original.items().iter().map(|item| number.get(&**item).copied()).collect()
    }
}
