//! Models as a kind of release: decision trees, clusterings and association rules, published with the populations of their spans
//! (Friedman, Wolff, Schuster; papers part II).
//!
//! What is published is `model.json`, the documented form of [`privet_mine`]'s releases, and for one tree also `model.pmml`. The promise is
//! Claim 3 of the source: whoever knows the public attributes of everybody links no private value to fewer than k people.
//!
//! ```
//! use privet_data::Silent;
//! use privet_kind::{JobFile, Kind};
//! use privet_model::Model;
//! use privet_release::Draft;
//!
//! let folder = tempfile::tempdir()?;
//! let loans = "age,risk\nYoung,Good\nYoung,Good\nYoung,Bad\nOld,Bad\nOld,Bad\nOld,Good\n";
//! std::fs::write(folder.path().join("loans.csv"), loans)?;
//! let job = "kind = \"model\"\n[input]\npath = \"loans.csv\"\npublic = [\"age\"]\nclass = \"risk\"\n\
//!            [model]\ntype = \"tree\"\nk = 3\n";
//! let job = JobFile::in_folder(folder.path(), toml::from_str(job)?);
//! let draft = Draft::begin(&folder.path().join("release"), false)?;
//! let made = Model.make(&job, &draft, &Silent)?;
//! assert!(!made.promises.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod attacks;
mod demo;
mod error;
mod hiding;
mod input;
mod job;
mod linked;
mod make;
mod measures;
mod page;
mod patterns;
mod predict;
mod records;
mod view;

pub use hiding::{HiddenRules, HideOptions, HideRequest, hide_rules};
pub use linked::{Linked, linked};
pub use patterns::{Closing, PatternOptions, SafePatterns, safe_patterns};
pub use predict::{PredictError, predict};
pub use view::{ClaimChecked, OriginalModel, PublishedModel};

use std::path::PathBuf;

use privet_data::Progress;
use privet_kind::{
    Attack, Demo, JobFile, Kind, KindError, Measure, Original, Outcome, OwnerFiles, Release, Section,
};
use privet_release::{Draft, ReleaseFolder};

/// The published model.
pub const MODEL_FILE: &str = "model.json";
/// Records recoded by the spans of the model.
pub const RECORDS_FILE: &str = "records.csv";
/// The same tree for other programs.
pub const PMML_FILE: &str = "model.pmml";

/// The kind.
pub struct Model;

impl Kind for Model {
    fn id(&self) -> &'static str {
        "model"
    }

    fn title(&self) -> &'static str {
        "Model"
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
        input::files(job)
    }

    fn make(&self, job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
        make::make(job, draft, progress)
    }

    fn open(&self, folder: &ReleaseFolder, _: &dyn Progress) -> Result<Box<dyn Release>, KindError> {
        let model = PublishedModel::parse(&folder.read(MODEL_FILE)?);
        let model = model.map_err(|error| folder.malformed(MODEL_FILE, error.to_string()))?;
        Ok(Box::new(model))
    }

    fn original(
        &self,
        job: &JobFile,
        _: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError> {
        Ok(Box::new(input::read(job, progress)?))
    }

    fn demo(&self) -> Option<Demo> {
        Some(demo::demo())
    }
}
