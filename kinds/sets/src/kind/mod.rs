//! Sets on the seam: what a job says, how a release is made, opened, attacked, measured and shown.

mod attacks;
mod begin;
mod files;
mod job;
mod log_attacks;
mod make;
mod make_log;
mod measures;
mod open;
mod page;
mod sections;

pub use files::Body;
pub use job::{Input, Method};
pub use open::{Opened, OriginalLog, OriginalSets, PublishedLog, PublishedNodes};

use std::path::PathBuf;

use privet_data::Progress;
use privet_kind::{
    Attack, Demo, Fault, JobFile, Kind, KindError, Measure, Original, Outcome, OwnerFiles, Proposal, Release,
    Sample, Section,
};
use privet_release::{Draft, ReleaseFolder};

use crate::SetsError;

/// The kind `sets`.
pub struct Sets;

impl Kind for Sets {
    fn id(&self) -> &'static str {
        "sets"
    }

    fn title(&self) -> &'static str {
        "Sets and logs"
    }

    fn sections(&self) -> &'static [Section] {
        sections::SECTIONS
    }

    fn attacks(&self) -> &'static [&'static dyn Attack] {
        &[
            &attacks::KnownItems,
            &attacks::SensitiveItem,
            &log_attacks::RareQueries,
            &log_attacks::Accounts,
            &log_attacks::Beliefs,
            &log_attacks::Company,
            &log_attacks::Trails,
            &log_attacks::Sequences,
        ]
    }

    fn measures(&self) -> &'static [&'static dyn Measure] {
        &[
            &measures::Loss,
            &measures::ItemsKept,
            &measures::Frequencies,
            &measures::Itemsets,
            &measures::RowsKept,
            &measures::Threats,
        ]
    }

    fn inputs(&self, job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
        let input: Input = job.required("input")?;
        Ok(std::iter::once(&input.path).chain(&input.hierarchy).map(|path| job.resolve(path)).collect())
    }

    fn make(&self, job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
        make::make(job, draft, progress)
    }

    fn open(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Box<dyn Release>, KindError> {
        Ok(Box::new(open::open(folder, progress)?))
    }

    fn original(
        &self,
        job: &JobFile,
        owner: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError> {
        open::original(job, owner, progress)
    }

    fn recognise(&self, sample: &Sample<'_>) -> Option<Proposal> {
        begin::recognise(sample)
    }

    fn demo(&self) -> Option<Demo> {
        Some(begin::demo())
    }
}

impl From<SetsError> for KindError {
    fn from(error: SetsError) -> Self {
        use privet_dp::DpError;
        use privet_dp::ledger::LedgerError;
        let fault = match &error {
            SetsError::Read(own) if own.is_cancelled() => Fault::Stopped,
            SetsError::Read(own) if own.is_resources() => Fault::Resources,
            SetsError::Cancelled(_) => Fault::Stopped,
            SetsError::TooLarge { .. } => Fault::Resources,
            SetsError::Suppression { .. } | SetsError::Unproven { .. } | SetsError::Unreachable { .. } => {
                Fault::Refused
            }
            SetsError::Dp(DpError::Ledger(LedgerError::Insufficient { .. })) => Fault::Budget,
            _ => Fault::BadInput,
        };
        Self::new(fault, error.to_string())
    }
}
