//! A source as a file: what verbs that read files are given for a frame.

use std::path::{Path, PathBuf};

use privet_kind::KindError;
use tempfile::TempDir;

use super::{Source, frame};

/// A file that holds a source as long as this lives. The copy of a frame is readable by this user alone.
#[derive(Debug)]
pub struct KeptSource {
    path: PathBuf,
    /// Removed when this is dropped.
    scratch: Option<TempDir>,
}

impl KeptSource {
    /// The file itself, or a private copy of a frame.
    ///
    /// # Errors
    /// When the frame cannot be written.
    pub fn new(source: &Source) -> Result<Self, KindError> {
        match source {
            Source::File(path) => Ok(Self { path: path.clone(), scratch: None }),
            Source::Frame(own) => {
                let scratch = super::private_folder();
                let scratch = scratch.map_err(|error| KindError::io(&std::env::temp_dir(), &error))?;
                let path = scratch.path().join("data.arrow");
                frame::write(own, &path)?;
                Ok(Self { path, scratch: Some(scratch) })
            }
        }
    }

    /// Whether the file is a private copy of a frame.
    pub fn is_copy(&self) -> bool {
        self.scratch.is_some()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
