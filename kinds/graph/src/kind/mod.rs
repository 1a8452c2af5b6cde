//! Graphs on the seam: `kind = "graph"`. One file per part: the sections of the job, making, opening, attacks, measures, the page,
//! recognition and the demonstration.

mod attacks;
mod demo;
mod init;
mod job;
mod label;
mod make;
mod measures;
mod page;
mod view;
mod who;

pub use job::{Method, Settings};
pub use view::{Form, OriginalGraph, PublishedGraph};

use std::path::PathBuf;

use privet_data::Progress;
use privet_kind::{
    Attack, Demo, JobFile, Kind, KindError, Measure, Original, Outcome, OwnerFiles, Proposal, Release,
    Sample, Section,
};
use privet_release::{Draft, ReleaseFolder};

use crate::GraphError;

/// The kind of release that publishes a graph.
pub struct GraphKind;

impl Kind for GraphKind {
    fn id(&self) -> &'static str {
        "graph"
    }

    fn title(&self) -> &'static str {
        "Graph"
    }

    fn sections(&self) -> &'static [Section] {
        job::SECTIONS
    }

    fn attacks(&self) -> &'static [&'static dyn Attack] {
        attacks::ATTACKS
    }

    fn measures(&self) -> &'static [&'static dyn Measure] {
        measures::MEASURES
    }

    fn inputs(&self, job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
        job::inputs(job)
    }

    fn make(&self, job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
        make::make(job, draft, progress)
    }

    fn open(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Box<dyn Release>, KindError> {
        Ok(Box::new(view::open(folder, progress)?))
    }

    fn original(
        &self,
        job: &JobFile,
        owner: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError> {
        Ok(Box::new(view::original(job, owner, progress)?))
    }

    fn recognise(&self, sample: &Sample<'_>) -> Option<Proposal> {
        init::recognise(sample)
    }

    fn demo(&self) -> Option<Demo> {
        Some(demo::demo())
    }
}

impl From<GraphError> for KindError {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Read(error) => error.into(),
            GraphError::Cancelled(stopped) => stopped.into(),
            GraphError::Io { path, source } => Self::io(&path, &source),
            GraphError::NotFound { .. } => Self::refused(error.to_string()),
            GraphError::TooLarge { .. } => Self::resources(error.to_string()),
            other => Self::bad_input(other.to_string()),
        }
    }
}
