//! The place of a release folder: what may stand there, and how a finished draft gets there.
//!
//! On Linux a release is replaced by one exchange of two names, which no kill can split. Where the file
//! system or the system knows no exchange, the old release is moved aside first; a kill between the two
//! moves leaves it aside, and the next draft for the place moves it back.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::MANIFEST;
use crate::folder::FolderError;

const DRAFT: &str = "partial";
const ASIDE: &str = "replaced";

/// Drafts that this process is writing. A draft with our process id that is not among them was left by
/// an earlier process with the same id.
static OURS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Where a release goes.
#[derive(Debug)]
pub(crate) struct Place {
    parent: PathBuf,
    name: OsString,
    destination: PathBuf,
    replace: bool,
}

impl Place {
    pub fn at(destination: &Path, replace: bool) -> Result<Self, FolderError> {
        let Some(name) = destination.file_name() else {
            return Err(FolderError::NoName(destination.to_owned()));
        };
        let parent = match destination.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        fs::create_dir_all(&parent).map_err(FolderError::io(&parent))?;
        Ok(Self { destination: parent.join(name), name: name.to_owned(), parent, replace })
    }

    /// Whether a release may be put here.
    pub fn check(&self) -> Result<(), FolderError> {
        let metadata = match fs::symlink_metadata(&self.destination) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(FolderError::io(&self.destination))?,
        };
        if !self.replace {
            return Err(FolderError::Exists(self.destination.clone()));
        }
        let listed = match metadata.is_dir() {
            true => files_of_release(&self.destination),
            false => None,
        };
        let Some(listed) = listed else { return Err(FolderError::NotARelease(self.destination.clone())) };
        match others(&self.destination, &listed) {
            0 => Ok(()),
            count => Err(FolderError::OtherFiles { folder: self.destination.clone(), count }),
        }
    }

    /// Makes an empty folder for a draft.
    pub fn make_draft(&self) -> Result<PathBuf, FolderError> {
        loop {
            let path = self.neighbour(DRAFT);
            let mut ours = OURS.lock().unwrap_or_else(PoisonError::into_inner);
            match fs::create_dir(&path) {
                Ok(()) => {
                    ours.insert(path.clone());
                    return Ok(path);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(FolderError::Io { path, source }),
            }
        }
    }

    /// Puts the draft in place and makes that durable.
    pub fn put(&self, draft: &Path) -> Result<(), FolderError> {
        self.check()?;
        let occupied = fs::symlink_metadata(&self.destination).is_ok();
        if occupied {
            self.exchange(draft)?;
        } else {
            self.move_in(draft)?;
        }
        sync_folder(&self.parent)
    }

    #[cfg(target_os = "linux")]
    fn move_in(&self, draft: &Path) -> Result<(), FolderError> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, draft, CWD, &self.destination, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(FolderError::Exists(self.destination.clone())),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.rename_in(draft),
            Err(error) => Err(FolderError::Io { path: self.destination.clone(), source: error.into() }),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn move_in(&self, draft: &Path) -> Result<(), FolderError> {
        self.rename_in(draft)
    }

    fn rename_in(&self, draft: &Path) -> Result<(), FolderError> {
        fs::rename(draft, &self.destination).map_err(FolderError::io(&self.destination))
    }

    #[cfg(target_os = "linux")]
    fn exchange(&self, draft: &Path) -> Result<(), FolderError> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, draft, CWD, &self.destination, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(()),
            Err(Errno::NOENT) => self.move_in(draft),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.move_aside_and_in(draft),
            Err(error) => Err(FolderError::Io { path: self.destination.clone(), source: error.into() }),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn exchange(&self, draft: &Path) -> Result<(), FolderError> {
        self.move_aside_and_in(draft)
    }

    fn move_aside_and_in(&self, draft: &Path) -> Result<(), FolderError> {
        let aside = self.neighbour(ASIDE);
        fs::rename(&self.destination, &aside).map_err(FolderError::io(&self.destination))?;
        if let Err(source) = fs::rename(draft, &self.destination) {
            fs::rename(&aside, &self.destination).map_err(FolderError::io(&aside))?;
            return Err(FolderError::Io { path: self.destination.clone(), source });
        }
        discard(&aside);
        Ok(())
    }

    /// Removes what killed processes left here, and moves back a release that one of them had set aside.
    pub fn clear_leftovers(&self) {
        let Ok(entries) = fs::read_dir(&self.parent) else { return };
        let mut prefix = OsString::from(".");
        prefix.push(&self.name);
        let prefix = prefix.to_string_lossy().into_owned();
        for entry in entries.flatten() {
            let file_name = entry.file_name().to_string_lossy().into_owned();
            let Some(rest) = file_name.strip_prefix(&prefix) else { continue };
            let Some((kind, pid)) = parse_leftover(rest) else { continue };
            let path = self.parent.join(entry.file_name());
            if !abandoned(pid, &path) {
                continue;
            }
            if kind == ASIDE && fs::symlink_metadata(&self.destination).is_err() {
                // When this fails the release stays aside, where nothing is lost.
                let _ = fs::rename(&path, &self.destination);
            } else {
                discard(&path);
            }
        }
    }

    /// A name beside the destination that nobody else uses.
    fn neighbour(&self, kind: &str) -> PathBuf {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(format!(".{kind}-{}-{number}", std::process::id()));
        self.parent.join(name)
    }
}

/// Takes `.partial-<pid>-<n>` or `.replaced-<pid>-<n>` apart.
fn parse_leftover(rest: &str) -> Option<(&'static str, u32)> {
    let rest = rest.strip_prefix('.')?;
    let kind = [DRAFT, ASIDE].into_iter().find(|kind| rest.starts_with(kind))?;
    let (pid, number) = rest[kind.len()..].strip_prefix('-')?.split_once('-')?;
    number.parse::<u64>().ok()?;
    Some((kind, pid.parse().ok()?))
}

/// Whether the process that made this is gone. Where that cannot be told, it is taken to be alive.
fn abandoned(pid: u32, path: &Path) -> bool {
    if pid == std::process::id() {
        return !OURS.lock().unwrap_or_else(PoisonError::into_inner).contains(path);
    }
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(pid.to_string()).exists()
}

/// Removes a folder; what cannot be removed is left to the next draft.
pub(crate) fn discard(path: &Path) {
    let _ = fs::remove_dir_all(path);
    OURS.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
}

/// The files that the manifest of a release lists, whole or damaged; `None` when the folder is no release: its
/// manifest is JSON with the fields of ours. Many other things have a `manifest.json`, and none of them may ever be
/// replaced.
fn files_of_release(folder: &Path) -> Option<Vec<String>> {
    let fields = match serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => return None,
    };
    let has = |keys: &[&str]| keys.iter().all(|key| fields.contains_key(*key));
    let is_ours = has(&["format", "software", "data", "files", "seal"])
        && (has(&["promises"]) || has(&["kind", "tables"]) || has(&["kind", "model"]));
    let files = fields.get("files").and_then(|files| files.as_array());
    let names = files.into_iter().flatten().filter_map(|file| file["name"].as_str());
    is_ours.then(|| names.map(str::to_owned).collect())
}

/// How many things lie in the folder of a release that its manifest does not list. They are somebody else's.
fn others(folder: &Path, listed: &[String]) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let is_ours = |name: &std::ffi::OsStr| name == MANIFEST || listed.iter().any(|own| name == own.as_str());
    entries.filter_map(Result::ok).filter(|entry| !is_ours(&entry.file_name())).count()
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(path: &Path) -> Result<(), FolderError> {
    if cfg!(unix) {
        let folder = fs::File::open(path).map_err(FolderError::io(path))?;
        folder.sync_all().map_err(FolderError::io(path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_told_from_other_hidden_files() {
        assert_eq!(parse_leftover(".partial-12-3"), Some((DRAFT, 12)));
        assert_eq!(parse_leftover(".replaced-12-0"), Some((ASIDE, 12)));
        for other in ["", ".partial", ".partial-x-1", ".partial-1-x", ".backup-1-2", "partial-1-2"] {
            assert_eq!(parse_leftover(other), None, "{other}");
        }
    }

    #[test]
    fn a_release_that_was_set_aside_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::at(&folder.path().join("release"), true).unwrap();
        // No process has this number: it is above the largest that Linux gives out.
        let aside = folder.path().join(".release.replaced-4194999-0");
        fs::create_dir(&aside).unwrap();
        fs::write(aside.join("data.csv"), "x").unwrap();
        place.clear_leftovers();
        assert!(!Path::new("/proc/self").exists() || folder.path().join("release/data.csv").exists());
    }

    #[test]
    fn without_an_exchange_the_old_release_moves_aside_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::at(&folder.path().join("release"), true).unwrap();
        fs::create_dir(folder.path().join("release")).unwrap();
        fs::write(folder.path().join("release/old"), "x").unwrap();
        let draft = place.make_draft().unwrap();
        fs::write(draft.join("new"), "x").unwrap();
        place.move_aside_and_in(&draft).unwrap();
        discard(&draft);
        assert!(folder.path().join("release/new").exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
