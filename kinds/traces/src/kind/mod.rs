//! Traces on the seam: `kind = "traces"`. One file per part: the sections of the job, making, opening, attacks, measures, the
//! page with its maps, recognition and the demonstration.

mod attacks;
mod demo;
mod files;
mod init;
mod job;
mod make;
mod measures;
mod page;
mod places;
mod queries;
mod view;

pub use job::{Cloaking, Crowding, Method};
pub use view::{Form, OriginalTraces, PublishedTraces};

use std::path::PathBuf;

use privet_data::Progress;
use privet_kind::{
    Attack, Demo, JobFile, Kind, KindError, Measure, Original, Outcome, OwnerFiles, Proposal, Release,
    Sample, Section,
};
use privet_release::{Draft, ReleaseFolder};

use crate::TraceError;

/// The kind of release that publishes traces.
pub struct TracesKind;

impl Kind for TracesKind {
    fn id(&self) -> &'static str {
        "traces"
    }

    fn title(&self) -> &'static str {
        "Traces"
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
        let settings = job::Settings::read(job)?;
        let input = job.resolve(&job.required::<job::Input>("input")?.path);
        Ok([Some(input), settings.prior, settings.places].into_iter().flatten().collect())
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

impl From<TraceError> for KindError {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Read(error) => error.into(),
            TraceError::Cancelled(stopped) => stopped.into(),
            TraceError::Io { path, source } => Self::io(&path, &source),
            TraceError::Unreachable { .. } | TraceError::TooMuchSuppression { .. } => {
                Self::refused(error.to_string())
            }
            TraceError::TooLarge { .. } => Self::resources(error.to_string()),
            other => Self::bad_input(other.to_string()),
        }
    }
}
