//! The report of a release: one self-contained page for a data steward, her lawyer and a statistician.
//!
//! The page is made from the manifest and a few [`Facts`] and from nothing else, so it can say no more
//! than what is published anyway. The same input gives the same bytes. It loads nothing and runs no
//! script; names and labels are treated as hostile text.
//!
//! A second page is for the owner of the original and never part of a release: it adds an [`Assessment`], which
//! compares with the original. It names no value of the original either.
//!
//! ```
//! use privet_kind::page::{Level, Verdict};
//! use privet_kind::{Block, Page, PageSection};
//!
//! let page = Page {
//!     title: "Report".to_owned(),
//!     subtitle: "3 people".to_owned(),
//!     is_for_owner: false,
//!     verdict: Verdict { level: Level::Good, text: "Everything holds.".to_owned(), points: Vec::new() },
//!     sections: vec![PageSection::new("people", "People", vec![Block::text("Names are <hostile> text.")])],
//! };
//! assert!(privet_report::page_html(&page).contains("&lt;hostile&gt;"));
//! assert!(privet_report::page_text(&page).contains("<hostile>"));
//! ```
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
mod blocks;
mod column;
mod counts;
mod draw;
mod facts;
mod form;
mod glossary;
mod grid;
mod json;
mod limits;
mod owner;
mod page;
mod pages;
mod perturbed;
mod private;
mod sections;
mod svg;
mod text;
mod workload;

pub use assessment::{
    Assessment, CandidatePoint, Figure, Fit, Learner, NotMade, PairUtility, Protocol, QueryUtility,
    Regression, Risk, RiskBin, Utility, above,
};
pub use blocks::{page_html, page_json, page_text};
pub use column::{ColumnUtility, RestOfValues};
pub use counts::html as counts_html;
pub use facts::{
    Axis, Boxes, ColumnFacts, CountsFacts, Facts, Grid, GroupBox, LabelCount, LeftOut, MOST_BOXES,
    MOST_LABELS,
};
pub use limits::{Exceeded, Limit};
pub use pages::{PageError, counts_pages, pages, pages_of, perturbed_pages, told, told_of_pictures};
pub use perturbed::{PerturbedFacts, PerturbedPicture, html as perturbed_html};
pub use private::{
    AnswerBelief, AnswerFacts, AnswerFigure, AnswerLine, AnswerNumber, Budget, LedgerFacts, LedgerLine,
    NoiseKind, answer_html, ledger_html,
};
pub use sections::attacks::not_tried;
pub use text::share_in_text;
pub use workload::{Workload, WorkloadAnswer};

use privet_release::{CountsManifest, Manifest, PerturbedManifest};

/// The report as one HTML page.
///
/// Labels in `facts` are shown only for columns that the manifest says were generalized (level 1 or
/// more); of a column published as it was, the page shows ranks and counts.
#[must_use]
pub fn html(manifest: &Manifest, facts: &Facts) -> String {
    page::render(manifest, facts)
}

/// The facts of the public page as JSON, with the same rule about labels. What is no number is `null`.
#[must_use]
pub fn json(manifest: &Manifest, facts: &Facts) -> serde_json::Value {
    json::public(manifest, facts)
}

/// The facts of the page of a release of counts as JSON.
#[must_use]
pub fn counts_json(manifest: &CountsManifest, facts: &CountsFacts) -> serde_json::Value {
    json::of_counts(manifest, facts)
}

/// The facts of the page of a perturbed release as JSON: what the page shows of each column, and the manifest.
#[must_use]
pub fn perturbed_json(manifest: &PerturbedManifest, facts: &PerturbedFacts) -> serde_json::Value {
    json::of_perturbed(manifest, facts)
}

/// The owner's page: the verdict on the worst attack, all attacks, risks, and what the release is still good for.
///
/// It must not be published: it compares with the original.
#[must_use]
pub fn owner_html(manifest: &Manifest, facts: &Facts, assessment: &Assessment) -> String {
    owner::render(manifest, facts, assessment)
}

/// The owner's page of a perturbed release: what measuring and attacking it found.
///
/// It must not be published: it compares with the original.
#[must_use]
pub fn owner_perturbed_html(manifest: &PerturbedManifest, assessment: &Assessment) -> String {
    owner::render_perturbed(manifest, assessment)
}

/// The owner's page of a release of counts: what measuring it found.
///
/// It must not be published: it compares with the original.
#[must_use]
pub fn owner_counts_html(manifest: &CountsManifest, assessment: &Assessment) -> String {
    counts::owner_html(manifest, assessment)
}

/// The facts of the owner's page as JSON. What is no number is `null`.
#[must_use]
pub fn owner_json(manifest: &Manifest, facts: &Facts, assessment: &Assessment) -> serde_json::Value {
    owner::json(manifest, facts, assessment)
}

/// Whether a text begins as the pages of this crate do.
#[must_use]
pub fn is_page(text: &str) -> bool {
    page::is_page(text)
}

/// Whether a text is what [`owner_json`] makes.
#[must_use]
pub fn is_owner_json(text: &str) -> bool {
    owner::is_json(text)
}
