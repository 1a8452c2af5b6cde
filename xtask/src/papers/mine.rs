//! Experiments on models: examples of `privet-mine`, which need what is inside the crate.

use anyhow::Result;

use super::Papers;
use crate::workspace;

/// Figures 6, 7, 8 and Table 6 (papers II.6).
pub(super) fn friedman(papers: &Papers) -> Result<bool> {
    example(papers, "papers_friedman")
}

/// Accuracy beyond the source.
pub(super) fn models(papers: &Papers) -> Result<bool> {
    example(papers, "papers_models")
}

fn example(papers: &Papers, name: &str) -> Result<bool> {
    let program = workspace::example("privet-mine", name)?;
    let status = std::process::Command::new(program).arg(&papers.data).arg(&papers.evidence).status()?;
    Ok(status.success())
}
