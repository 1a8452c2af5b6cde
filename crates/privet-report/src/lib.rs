//! The report of a release: one self-contained page for a data steward, her lawyer and a statistician.
//!
//! The page is made from the manifest and a few [`Facts`] and from nothing else, so it can say no more
//! than what is published anyway. The same input gives the same bytes. It loads nothing and runs no
//! script; names and labels are treated as hostile text.
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
mod counts;
mod facts;
mod glossary;
mod grid;
mod page;
mod sections;
mod svg;
mod text;

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
