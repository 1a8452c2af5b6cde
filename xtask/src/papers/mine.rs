//! Experiments on models: examples of `privet-mine`, which need what is inside the crate.

use anyhow::Result;

use super::{Papers, example};

/// Figures 6, 7, 8 and Table 6 (papers II.6).
pub(super) fn friedman(papers: &Papers) -> Result<bool> {
    example(papers, "privet-mine", "papers_friedman")
}

/// Accuracy beyond the source.
pub(super) fn models(papers: &Papers) -> Result<bool> {
    example(papers, "privet-mine", "papers_models")
}
