//! The release folder, its manifest, and its verification from the published files alone.
//!
//! A release is a folder: the published table, `report.html` and `manifest.json`. [`Draft`] writes one so
//! that at every moment the destination holds either the old release or the whole new one. [`verify()`]
//! checks everything that a manifest claims from the files of the folder, through code that shares
//! nothing with the search that made the release.
#![forbid(unsafe_code)]

pub mod counts;
mod folder;
mod hash;
pub mod manifest;
pub mod perturbed;
mod place;
pub mod published;
mod seal;
pub mod verify;
mod writing;

pub use counts::CountsManifest;
pub use folder::{Draft, DraftFile, FolderError, Scratch};
pub use hash::{BLOCK, sha256_of_file};
pub use manifest::Manifest;
pub use perturbed::{PerturbedManifest, PublishedPerturbed, PublishedRecords};
pub use published::{Published, PublishedError};
pub use seal::{ManifestError, Sealable};
pub use verify::{Check, Verdict, VerifyError, VerifyOptions, verify};

/// The name of the manifest in a release folder.
pub const MANIFEST: &str = "manifest.json";
