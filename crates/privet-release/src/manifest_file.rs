//! The manifest of a release folder as it was read: once, by whoever looks first, and handed on from there.
//!
//! Nothing is parsed beyond the kind that it names. What is concluded from a folder is concluded from one reading, so that a manifest
//! that changes meanwhile cannot be judged by one text and used by another.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::published::{PublishedError, manifest_bytes};
use crate::seal;

/// A manifest, read and not yet understood.
#[derive(Debug, Clone)]
pub struct ManifestFile {
    folder: PathBuf,
    bytes: Arc<[u8]>,
    kind: Option<String>,
}

impl ManifestFile {
    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn read(folder: &Path) -> Result<Self, PublishedError> {
        let bytes = manifest_bytes(folder)?;
        let kind = seal::kind_of(&bytes);
        Ok(Self { folder: folder.to_owned(), bytes: bytes.into(), kind })
    }

    /// The release folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What stands in the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The kind that it names, if it names one.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }
}
