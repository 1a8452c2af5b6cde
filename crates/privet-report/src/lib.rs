//! The report of a release: one self-contained page for a data steward, her lawyer and a statistician.
//!
//! The page is made from the manifest and a few [`Facts`] and from nothing else, so it can say no more
//! than what is published anyway. The same input gives the same bytes. It loads nothing and runs no
//! script; names and labels are treated as hostile text.
//!
//! A second page is for the owner of the original and never part of a release: it adds an [`Assessment`], which
//! compares with the original. It names no value of the original either.
#![forbid(unsafe_code)]

/// Appends formatted text to a `String`.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{
        use std::fmt::Write as _;
        // Writing to a String cannot fail.
        let _ = write!($out, $($arg)*);
    }};
}

mod asked;
mod assessment;
mod counts;
mod draw;
mod facts;
mod glossary;
mod grid;
mod owner;
mod page;
mod sections;
mod svg;
mod text;

pub use assessment::{
    Assessment, CandidatePoint, ColumnUtility, Figure, Learner, NotMade, PairUtility, QueryUtility, Risk,
    RiskBin, Utility,
};
pub use counts::html as counts_html;
pub use facts::{Axis, Boxes, ColumnFacts, CountsFacts, Facts, Grid, GroupBox, LabelCount};

use privet_release::Manifest;

/// The report as one HTML page.
///
/// Labels in `facts` are shown only for columns that the manifest says were generalized (level 1 or
/// more); of a column published as it was, the page shows ranks and counts.
#[must_use]
pub fn html(manifest: &Manifest, facts: &Facts) -> String {
    page::render(manifest, facts)
}

/// The owner's page: the verdict on the worst attack, all attacks, risks, and what the release is still good for.
///
/// It must not be published: it compares with the original.
#[must_use]
pub fn owner_html(manifest: &Manifest, facts: &Facts, assessment: &Assessment) -> String {
    owner::render(manifest, facts, assessment)
}

/// The facts of the owner's page as JSON. What is no number is `null`.
#[must_use]
pub fn owner_json(manifest: &Manifest, facts: &Facts, assessment: &Assessment) -> serde_json::Value {
    owner::json(manifest, facts, assessment)
}
