//! Writing a release folder: beside its destination first, in place at once at the end.
//!
//! Guarantee: at every moment the destination holds either what it held before or the whole new release.
//! A draft that is dropped leaves nothing behind; a draft whose process was killed is removed by the next
//! [`Draft::begin`] for the same destination. Nobody but the owner can read a draft.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::draft_folder::{self, DraftFolder};
use crate::hash::hash_file;
use crate::manifest::File;
use crate::place::{self, Place};
use crate::seal::{self, Sealable};
use crate::writing::{self, FileWriter, Syncing};
use crate::{MANIFEST, ManifestError, PrivateKey, SIGNATURE};

/// Why a release folder was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// Something stands where the release should go.
    #[error("{} exists already; choose another folder, or pass --force to replace the release in it", .0.display())]
    Exists(PathBuf),
    /// What should be replaced is not a release.
    #[error(
        "{} is not a release of privet (a folder with its manifest.json) and is never replaced; choose another folder, or remove it yourself",
        .0.display()
    )]
    NotARelease(PathBuf),
    /// What should be replaced is not the result of several parties.
    #[error(
        "{} is not an earlier result of parties (a folder with their result.json) and is never replaced; choose another folder, or remove it yourself",
        .0.display()
    )]
    NotAResult(PathBuf),
    /// The release or result that should be replaced lies among other files.
    #[error(
        "{} holds {count} files besides its release, and they would be lost with it; move them elsewhere first",
        folder.display()
    )]
    OtherFiles {
        /// The folder.
        folder: PathBuf,
        /// How many.
        count: usize,
    },
    /// The destination has no name of its own.
    #[error("{} cannot be a release folder; give a path that ends in the folder's name", .0.display())]
    NoName(PathBuf),
    /// A file of the release has a name that cannot stand in a folder, or stands there already.
    #[error(
        "a release cannot hold a file called `{0}`: it needs a plain name, used once, other than manifest.json"
    )]
    FileName(String),
    /// A file was begun and not finished.
    #[error("{0} was not written to its end; the release is not put in place")]
    Unfinished(String),
    /// The manifest cannot be written.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl From<io::Error> for FolderError {
    /// An error of a process that is ending.
    fn from(source: io::Error) -> Self {
        Self::Io { path: PathBuf::new(), source }
    }
}

impl FolderError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// A release folder being written next to its destination, as `.<name>.partial-<pid>-<n>`.
///
/// Dropped without [`commit`](Self::commit), it removes itself.
#[derive(Debug)]
pub struct Draft {
    place: Place,
    folder: DraftFolder,
    files: Arc<Mutex<Vec<Entry>>>,
    key: Option<PrivateKey>,
}

/// A file of the draft; its hashes once it is finished.
#[derive(Debug)]
struct Entry {
    name: String,
    finished: Option<(Syncing, File)>,
}

impl Draft {
    /// Begins a release for this destination. The parent folder is made when it does not exist.
    ///
    /// # Errors
    /// When the destination exists and `replace` is false; when it is to be replaced and is not a
    /// release; when the file system refuses.
    pub fn begin(destination: &Path, replace: bool) -> Result<Self, FolderError> {
        let place = Place::at(destination, replace)?;
        place.clear_leftovers();
        place.check()?;
        let folder = place.make_draft()?;
        Ok(Self { place, folder, files: Arc::default(), key: None })
    }

    /// Signs the release with this key when it is put in place.
    #[must_use]
    pub fn signed_with(mut self, key: Option<PrivateKey>) -> Self {
        self.key = key;
        self
    }

    /// The folder of the draft.
    pub fn path(&self) -> &Path {
        &self.folder.path
    }

    /// A folder beside the draft for what must never be published. It goes when it is dropped; that of a process that
    /// was killed is removed by the next [`Draft::begin`] for the same destination.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn scratch(&self) -> Result<Scratch, FolderError> {
        Ok(Scratch { folder: self.place.make_draft()? })
    }

    /// Creates a file of the release. Finish it with [`DraftFile::finish`].
    ///
    /// # Errors
    /// When the name is not a plain file name, is taken, or the file system refuses.
    pub fn create(&self, name: &str) -> Result<DraftFile, FolderError> {
        let mut entries = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_plain_name(name)
            || name == MANIFEST
            || name == SIGNATURE
            || entries.iter().any(|entry| entry.name == name)
        {
            return Err(FolderError::FileName(name.to_owned()));
        }
        let path = self.folder.path.join(name);
        let file = FileWriter::new(draft_folder::create(&path).map_err(FolderError::io(&path))?);
        entries.push(Entry { name: name.to_owned(), finished: None });
        Ok(DraftFile { name: name.to_owned(), path, file, files: Arc::clone(&self.files) })
    }

    /// Takes a file that was written elsewhere on the same file system, such as in [`scratch`](Self::scratch), into the release
    /// under a name, and returns what the manifest says of it.
    ///
    /// # Errors
    /// When the name is not a plain file name, is taken, or the file system refuses.
    pub fn adopt(&self, name: &str, written: &Path) -> Result<File, FolderError> {
        let mut entries = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = |entry: &Entry| entry.name == name;
        if !is_plain_name(name) || name == MANIFEST || name == SIGNATURE || entries.iter().any(is_taken) {
            return Err(FolderError::FileName(name.to_owned()));
        }
        let path = self.folder.path.join(name);
        std::fs::rename(written, &path).map_err(FolderError::io(&path))?;
        let hashes = hash_file(&path, &mut || Ok(())).map_err(FolderError::io(&path))?;
        let durable = std::fs::File::open(&path).map_err(FolderError::io(&path))?;
        let syncing = std::thread::Builder::new().spawn(move || durable.sync_all());
        let syncing = syncing.map_err(FolderError::io(&path))?;
        let file =
            File { name: name.to_owned(), bytes: hashes.bytes, sha256: hashes.sha256, blocks: hashes.blocks };
        entries.push(Entry { name: name.to_owned(), finished: Some((syncing, file.clone())) });
        Ok(file)
    }

    /// What the manifest will say of the files that are finished so far, in the order in which they were created.
    pub fn finished(&self) -> Vec<File> {
        let entries = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().filter_map(|entry| Some(entry.finished.as_ref()?.1.clone())).collect()
    }

    /// The manifest as [`Draft::commit`] will write it when no file is added: for what is said about a release before it is
    /// put in place.
    ///
    /// # Errors
    /// When the manifest cannot be written.
    pub fn sealed<M: Sealable>(&self, mut manifest: M) -> Result<M, FolderError> {
        *manifest.files() = self.finished();
        *manifest.signer() = self.signer();
        seal::to_json_sealed(&mut manifest)?;
        Ok(manifest)
    }

    /// The fingerprint of the key that signs.
    fn signer(&self) -> Option<String> {
        self.key.as_ref().map(|key| key.public().fingerprint())
    }

    /// Fills in the files and the seal of the manifest, writes it, signs it where a key was given, makes everything durable and puts the
    /// folder in place. Returns the manifest as it was written.
    ///
    /// # Errors
    /// When a file was not finished, the manifest cannot be written, something else came to stand at the
    /// destination in the meantime, or the file system refuses. Nothing is left behind then.
    pub fn commit<M: Sealable>(self, mut manifest: M) -> Result<M, FolderError> {
        let entries = std::mem::take(&mut *self.files.lock().unwrap_or_else(PoisonError::into_inner));
        let mut files = Vec::with_capacity(entries.len());
        let mut handles = Vec::with_capacity(entries.len());
        for entry in entries {
            let (syncing, file) = entry.finished.ok_or(FolderError::Unfinished(entry.name))?;
            handles.push((self.folder.path.join(&file.name), syncing));
            files.push(file);
        }
        *manifest.files() = files;
        *manifest.signer() = self.signer();
        let json = seal::to_json_sealed(&mut manifest)?;
        self.write_whole(MANIFEST, json.as_bytes())?;
        if let Some(key) = &self.key {
            self.write_whole(SIGNATURE, &key.sign(json.as_bytes()))?;
        }
        for (path, syncing) in handles {
            writing::join(syncing).map_err(FolderError::io(&path))?;
        }
        // A mark that a power failure brought back would be a file too many in the release.
        self.folder.unmark().map_err(FolderError::io(&self.folder.path))?;
        place::sync_folder(&self.folder.path)?;
        self.place.put(&self.folder)?;
        Ok(manifest)
    }

    /// Writes a file that the manifest does not list.
    fn write_whole(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.folder.path.join(name);
        let mut file = draft_folder::create(&path).map_err(FolderError::io(&path))?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(FolderError::io(&path))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After an exchange the path holds the release that was replaced, which must go as well. What
        // cannot be removed now is removed by the next draft for this destination.
        self.folder.discard();
    }
}

/// A folder for temporary files, which is removed with all that is in it.
#[derive(Debug)]
pub struct Scratch {
    folder: DraftFolder,
}

impl Scratch {
    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.folder.discard();
    }
}

/// Whether a name stands for a file directly in a folder, on every system, and is not hidden.
pub(crate) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0', ':'])
}

/// A file of a draft: what is written to it is hashed on the way.
pub struct DraftFile {
    name: String,
    path: PathBuf,
    file: FileWriter,
    files: Arc<Mutex<Vec<Entry>>>,
}

impl DraftFile {
    /// Writes what is left and returns what the manifest says of the file, all of which is now written. A file that
    /// is not finished keeps its release from being put in place.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn finish(self) -> Result<File, FolderError> {
        let (hashes, syncing) = self.file.end().map_err(FolderError::io(&self.path))?;
        let file =
            File { name: self.name, bytes: hashes.bytes, sha256: hashes.sha256, blocks: hashes.blocks };
        let mut entries = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter_mut().find(|entry| entry.name == file.name) {
            entry.finished = Some((syncing, file.clone()));
        }
        Ok(file)
    }
}

impl Write for DraftFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
