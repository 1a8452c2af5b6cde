//! `kind = "ratings"` on the seam: the job, the release folder, views, attacks, measures, page, recognition and demo.
//!
//! A release is `ratings.csv` (user, item, rating; a day only under plain pseudonyms) and, where groups are promised,
//! `groups.csv`, the groups as a witness that everybody can check. Users are numbered in the order of what is published of them, so that
//! numbers and the order of rows say nothing that the rows do not say.

mod attacks;
mod demo;
mod folder;
mod job;
mod measures;
mod page;
mod recognise;
mod satisfaction;

use std::path::PathBuf;

use privet_data::Progress;
use privet_kind::{
    Attack, Demo, Fault, JobFile, Kind, KindError, Measure, Original, Outcome, OwnerFiles, Proposal, Release,
    Sample, Section,
};
use privet_release::{Draft, ReleaseFolder};

use crate::RatingsError;

pub use folder::{OriginalRatings, PublishedRatings};

/// The kind of releases of ratings.
pub struct RatingsKind;

impl Kind for RatingsKind {
    fn id(&self) -> &'static str {
        "ratings"
    }

    fn title(&self) -> &'static str {
        "Ratings"
    }

    fn sections(&self) -> &'static [Section] {
        job::SECTIONS
    }

    fn attacks(&self) -> &'static [&'static dyn Attack] {
        &[&attacks::ScoreboardAttack, &attacks::LinkageAttack, &attacks::DisclosureAttack]
    }

    fn measures(&self) -> &'static [&'static dyn Measure] {
        &[
            &measures::Queries,
            &measures::Clusters,
            &measures::Moments,
            &measures::Recommender,
            &satisfaction::Satisfaction,
        ]
    }

    fn inputs(&self, job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
        Ok(vec![job.resolve(&job.required::<job::InputSection>("input")?.path)])
    }

    fn make(&self, job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
        folder::make(job, draft, progress)
    }

    fn open(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Box<dyn Release>, KindError> {
        Ok(Box::new(folder::open(folder, progress)?))
    }

    fn original(
        &self,
        job: &JobFile,
        owner: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError> {
        Ok(Box::new(folder::original(job, owner, progress)?))
    }

    fn recognise(&self, sample: &Sample<'_>) -> Option<Proposal> {
        recognise::recognise(sample)
    }

    fn demo(&self) -> Option<Demo> {
        demo::demo()
    }
}

impl From<RatingsError> for KindError {
    fn from(error: RatingsError) -> Self {
        match error {
            RatingsError::Read(error) => error.into(),
            RatingsError::Cancelled(cancelled) => cancelled.into(),
            RatingsError::Memory { .. } => KindError::new(Fault::Resources, error.to_string()),
            other => KindError::bad_input(other.to_string()),
        }
    }
}
