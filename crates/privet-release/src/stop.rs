//! Ending the process in the midst of whatever it does: what is being written goes, and what is put in place stays whole.
//!
//! **Guarantee.** From [`end`] on nothing is put in place any more, and drafts that this process began are removed. A
//! release that is just being put in place is waited for, so that it is there whole or not at all.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::draft_folder;

/// What this process is writing, and whether it may still put anything in place.
#[derive(Debug)]
pub(crate) struct Writing {
    /// Folders and files that are not what they are to be yet. A draft with our process id that is not among them was left
    /// by an earlier process with the same id.
    drafts: BTreeSet<PathBuf>,
    is_ending: bool,
    /// Whether anything was put in place.
    has_put: bool,
}

static WRITING: Mutex<Writing> =
    Mutex::new(Writing { drafts: BTreeSet::new(), is_ending: false, has_put: false });

fn writing() -> MutexGuard<'static, Writing> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a draft: makes it, and knows of it from then on.
///
/// # Errors
/// When it cannot be made, or the process is ending.
pub fn begin<T>(path: &Path, make: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    let mut writing = writing();
    if writing.is_ending {
        return Err(std::io::ErrorKind::Interrupted.into());
    }
    let made = make()?;
    writing.drafts.insert(path.to_owned());
    Ok(made)
}

/// Knows of a draft that is made later.
pub(crate) fn remember(path: &Path) {
    writing().drafts.insert(path.to_owned());
}

/// A draft that is gone, or has become what it was to be.
pub fn forget(path: &Path) {
    writing().drafts.remove(path);
}

/// Whether this process is writing a draft.
pub(crate) fn is_writing(path: &Path) -> bool {
    writing().drafts.contains(path)
}

/// Puts something in place, which nothing interrupts.
///
/// # Errors
/// When the process is ending, or `put` has an error.
pub fn put<T, E: From<std::io::Error>>(put: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let mut writing = writing();
    if writing.is_ending {
        return Err(std::io::Error::from(std::io::ErrorKind::Interrupted).into());
    }
    let done = put()?;
    writing.has_put = true;
    Ok(done)
}

/// Removes what is being written, for a process that ends at once. Tells whether anything was put in place before.
pub fn end() -> bool {
    let mut writing = writing();
    writing.is_ending = true;
    for path in std::mem::take(&mut writing.drafts) {
        // Another thread may be about to create a file in it.
        for _ in 0..8 {
            let removed = if path.is_dir() { draft_folder::remove(&path) } else { fs::remove_file(&path) };
            if removed.is_ok() || fs::symlink_metadata(&path).is_err() {
                break;
            }
        }
    }
    writing.has_put
}
