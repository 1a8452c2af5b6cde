//! The release folder, its manifest, and its verification from the published files alone.
//!
//! A release is a folder: the published table, `report.html` and `manifest.json`. [`Draft`] writes one so
//! that at every moment the destination holds either the old release or the whole new one. [`verify()`]
//! checks everything that a manifest claims from the files of the folder, through code that shares
//! nothing with the search that made the release.
//!
//! ```
//! use privet_release::{Draft, Envelope};
//!
//! let home = tempfile::tempdir()?;
//! let folder = home.path().join("release");
//! let draft = Draft::begin(&folder, false)?;
//! assert!(!folder.exists(), "nothing is there before all of it is");
//! draft.commit(Envelope::new("sample", serde_json::json!({})))?;
//! assert!(folder.join("manifest.json").is_file());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod clean;
pub mod counts;
mod draft_folder;
mod envelope;
mod folder;
mod form;
mod hash;
pub mod manifest;
mod manifest_file;
mod partial_file;
mod parts;
pub mod perturbed;
mod place;
pub mod published;
mod referee;
mod release_folder;
mod result_folder;
mod seal;
pub mod shown;
mod signature;
pub mod stop;
pub mod verify;
mod writing;

pub use clean::{Fate, clean};
pub use counts::CountsManifest;
pub use envelope::{Envelope, Promised, Randomness, software};
pub use folder::{Draft, DraftFile, FolderError, Scratch};
pub use hash::{BLOCK, sha256_of_file};
pub use manifest::Manifest;
pub use manifest_file::ManifestFile;
pub use partial_file::PartialFile;
pub use parts::{part_name, parts_of};
pub use perturbed::{PerturbedManifest, PublishedPerturbed, PublishedRecords};
pub use published::{Published, PublishedError, manifest_at};
pub use referee::Referee;
pub use release_folder::{OpenError, ReleaseFolder};
pub use result_folder::ResultDraft;
pub use seal::{ManifestError, Sealable, kind_of};
pub use shown::Shown;
pub use signature::{KeyError, KeyFiles, PrivateKey, PublicKey, SIGNATURE, make_keys};
pub use verify::{Check, PAGES, Pages, Trusted, Verdict, VerifyError, VerifyOptions, verify};

/// The name of the manifest in a release folder.
pub const MANIFEST: &str = "manifest.json";
