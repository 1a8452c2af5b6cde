//! A published folder that was opened once: its envelope, and the files that the envelope lists.
//!
//! Guarantee: every file that is read here is a plain file of the folder, is listed in the envelope, and has the bytes that the
//! envelope states; whoever opened it did check that, or wrote them.

use std::io;
use std::path::{Path, PathBuf};

use privet_data::io::{ReadError, ReadOptions, open_plain};
use privet_data::{Cancelled, Progress, Table};

use crate::envelope::Envelope;
use crate::folder::is_plain_name;
use crate::hash::hash_file;
use crate::manifest::File;
use crate::{MANIFEST, ManifestError, ManifestFile, manifest_at};

/// Why a release could not be opened. No message holds a value of the data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The folder holds no manifest.
    #[error("{} holds no manifest.json, so it is not a release; give the folder that `privet anonymize` wrote", .0.display())]
    NotARelease(PathBuf),
    /// The manifest was changed or belongs to another version.
    #[error("{}: {source}", folder.display())]
    Manifest {
        /// The release.
        folder: PathBuf,
        /// What is wrong.
        source: ManifestError,
    },
    /// The seal does not fit.
    #[error("{}: manifest.json was changed after it was sealed; `privet verify` tells more", .0.display())]
    Seal(PathBuf),
    /// A file is missing, was changed, or is not a plain file.
    #[error("{}: the file `{file}` is not the one that the manifest describes; `privet verify` tells more", folder.display())]
    Changed {
        /// The release.
        folder: PathBuf,
        /// The name of the file.
        file: String,
    },
    /// The release has no such file.
    #[error("{}: the manifest lists no file `{file}`; `privet verify` tells more", folder.display())]
    NoFile {
        /// The release.
        folder: PathBuf,
        /// The name of the file.
        file: String,
    },
    /// A published table cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A published file does not have the form that its kind gives it.
    #[error("{}: {file}: {problem}", folder.display())]
    Form {
        /// The release.
        folder: PathBuf,
        /// The name of the file.
        file: String,
        /// What is wrong with its form.
        problem: String,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The person asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl From<Cancelled> for OpenError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// A release folder with its envelope.
#[derive(Debug, Clone)]
pub struct ReleaseFolder {
    path: PathBuf,
    envelope: Envelope,
}

impl ReleaseFolder {
    /// Opens a published folder and checks its seal and the hash of every file.
    ///
    /// # Errors
    /// When the folder is not a release, or was changed since it was published.
    pub fn open(folder: &Path, progress: &dyn Progress) -> Result<Self, OpenError> {
        Self::of_bytes(folder, &read_manifest(folder)?, progress)
    }

    /// Opens the folder of a manifest that was read, and checks the same.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn of(file: &ManifestFile, progress: &dyn Progress) -> Result<Self, OpenError> {
        Self::of_bytes(file.folder(), file.bytes(), progress)
    }

    fn of_bytes(folder: &Path, bytes: &[u8], progress: &dyn Progress) -> Result<Self, OpenError> {
        let parsed = Envelope::parse(bytes);
        let envelope = parsed.map_err(|source| OpenError::Manifest { folder: folder.to_owned(), source })?;
        if crate::Manifest::seal_of(bytes).is_none_or(|seal| seal != envelope.seal) {
            return Err(OpenError::Seal(folder.to_owned()));
        }
        let opened = Self::trusted(folder, envelope);
        let total = opened.envelope.files.iter().map(|file| file.bytes).fold(0, u64::saturating_add);
        progress.stage("hashing", Some(total));
        let mut done: u64 = 0;
        for file in &opened.envelope.files {
            opened.check(file, progress)?;
            done = done.saturating_add(file.bytes);
            progress.at(done);
        }
        Ok(opened)
    }

    /// A folder whose files were just written or just checked by the caller.
    pub fn trusted(folder: &Path, envelope: Envelope) -> Self {
        Self { path: folder.to_owned(), envelope }
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the release states about itself.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// Where a listed file is.
    ///
    /// # Errors
    /// When the envelope does not list it.
    pub fn file(&self, name: &str) -> Result<PathBuf, OpenError> {
        match self.envelope.files.iter().any(|file| file.name == name) && is_plain_name(name) {
            true => Ok(self.path.join(name)),
            false => Err(OpenError::NoFile { folder: self.path.clone(), file: name.to_owned() }),
        }
    }

    /// The bytes of a listed file.
    ///
    /// # Errors
    /// When the envelope does not list it, or it has another size.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, OpenError> {
        use std::io::Read;
        let path = self.file(name)?;
        let stated = self.envelope.files.iter().find(|file| file.name == name).map_or(0, |file| file.bytes);
        let io = |source| OpenError::Io { path: path.clone(), source };
        let mut bytes = Vec::new();
        // One byte more than stated is enough to see that the file grew.
        let limit = stated.saturating_add(1);
        open_plain(&path).map_err(io)?.take(limit).read_to_end(&mut bytes).map_err(io)?;
        match bytes.len() as u64 == stated {
            true => Ok(bytes),
            false => Err(OpenError::Changed { folder: self.path.clone(), file: name.to_owned() }),
        }
    }

    /// A listed file as a table.
    ///
    /// # Errors
    /// When the envelope does not list it, or it is not a table.
    pub fn table(
        &self,
        name: &str,
        options: &ReadOptions,
        progress: &dyn Progress,
    ) -> Result<Table, OpenError> {
        // What is published begins with the names of its columns, whatever its cells look like.
        let options = ReadOptions { header: Some(options.header.unwrap_or(true)), ..options.clone() };
        Ok(privet_data::io::read(&self.file(name)?, &options, progress)?.table)
    }

    /// An error about the form of a file.
    pub fn malformed(&self, file: &str, problem: impl Into<String>) -> OpenError {
        OpenError::Form { folder: self.path.clone(), file: file.to_owned(), problem: problem.into() }
    }

    fn check(&self, file: &File, progress: &dyn Progress) -> Result<(), OpenError> {
        let changed = || OpenError::Changed { folder: self.path.clone(), file: file.name.clone() };
        if !is_plain_name(&file.name) {
            return Err(changed());
        }
        let path = self.path.join(&file.name);
        let stated = std::fs::symlink_metadata(&path).is_ok_and(|m| m.is_file() && m.len() == file.bytes);
        if !stated {
            return Err(changed());
        }
        let mut stopped = false;
        let found = hash_file(&path, &mut || {
            stopped = progress.cancelled();
            if stopped { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
        });
        if stopped {
            return Err(OpenError::Cancelled);
        }
        let found = found.map_err(|source| OpenError::Io { path: path.clone(), source })?;
        if found.sha256 == file.sha256 { Ok(()) } else { Err(changed()) }
    }
}

fn read_manifest(folder: &Path) -> Result<Vec<u8>, OpenError> {
    manifest_at(folder).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OpenError::NotARelease(folder.to_owned()),
        _ => OpenError::Io { path: folder.join(MANIFEST), source },
    })
}
