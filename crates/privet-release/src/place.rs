//! The place of a release folder: what may stand there, and how a finished draft gets there.
//!
//! On Linux a release is replaced by one exchange of two names, which no kill can split. Where the file
//! system or the system knows no exchange, the old release is moved aside first; a kill between the two
//! moves leaves it aside, and the next draft for the place moves it back.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::clean::{self, Kind};
use crate::draft_folder::{DraftFolder, discard};
use crate::folder::FolderError;
use crate::published::manifest_at;
use crate::result_folder::{foreign, is_result};
use crate::{MANIFEST, SIGNATURE, stop};

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Where a release goes.
#[derive(Debug)]
pub(crate) struct Place {
    parent: PathBuf,
    name: OsString,
    destination: PathBuf,
    replace: bool,
    /// Whether it is the place of a result of several parties.
    of_result: bool,
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
        Ok(Self { destination: parent.join(name), name: name.to_owned(), parent, replace, of_result: false })
    }

    /// Where the result of several parties goes.
    pub fn of_result(destination: &Path, replace: bool) -> Result<Self, FolderError> {
        Ok(Self { of_result: true, ..Self::at(destination, replace)? })
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
        let foreign = match (metadata.is_dir(), self.of_result) {
            (false, _) => None,
            (true, true) => is_result(&self.destination).then(|| foreign(&self.destination)),
            (true, false) => {
                files_of_release(&self.destination).map(|listed| others(&self.destination, &listed))
            }
        };
        let Some(foreign) = foreign else {
            let path = self.destination.clone();
            return Err(if self.of_result {
                FolderError::NotAResult(path)
            } else {
                FolderError::NotARelease(path)
            });
        };
        match foreign {
            0 => Ok(()),
            count => Err(FolderError::OtherFiles { folder: self.destination.clone(), count }),
        }
    }

    /// Makes an empty folder for a draft.
    pub fn make_draft(&self) -> Result<DraftFolder, FolderError> {
        loop {
            let path = self.neighbour(Kind::Draft);
            match DraftFolder::make(path.clone()) {
                Ok(draft) => return Ok(draft),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(FolderError::Io { path, source }),
            }
        }
    }

    /// Puts the draft in place and makes that durable.
    pub fn put(&self, draft: &DraftFolder) -> Result<(), FolderError> {
        self.check()?;
        stop::put(|| {
            draft.open_up().map_err(FolderError::io(&draft.path))?;
            match fs::symlink_metadata(&self.destination).is_ok() {
                true => self.exchange(&draft.path),
                false => self.move_in(&draft.path),
            }
        })?;
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
        let aside = self.neighbour(Kind::Aside);
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
        for entry in entries.flatten() {
            if let Some((name, kind, pid)) = clean::parse(&entry.file_name())
                && name == self.name
            {
                // What cannot be removed stays hidden, and is told by `privet clean`.
                let _ =
                    clean::settle(&self.parent.join(entry.file_name()), &self.destination, kind, pid, false);
            }
        }
    }

    /// A name beside the destination that nobody else uses.
    fn neighbour(&self, kind: Kind) -> PathBuf {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(format!(".{}-{}-{number}", kind.word(), std::process::id()));
        self.parent.join(name)
    }
}

/// The files that the manifest of a release lists, whole or damaged; `None` when the folder is no release: its
/// manifest is JSON with the fields of ours. Many other things have a `manifest.json`, and none of them may ever be
/// replaced.
pub(crate) fn files_of_release(folder: &Path) -> Option<Vec<String>> {
    let fields = match serde_json::from_slice(&manifest_at(folder).ok()?) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => return None,
    };
    let has = |keys: &[&str]| keys.iter().all(|key| fields.contains_key(*key));
    let is_ours = has(&["format", "software", "files", "seal"])
        && (has(&["kind", "promises", "randomness", "body"])
            || has(&["data"]) && (has(&["promises"]) || has(&["kind", "tables"]) || has(&["kind", "model"])));
    let files = fields.get("files").and_then(|files| files.as_array());
    let names = files.into_iter().flatten().filter_map(|file| file["name"].as_str());
    is_ours.then(|| names.map(str::to_owned).collect())
}

/// How many things lie in the folder of a release that its manifest does not list. They are somebody else's.
pub(crate) fn others(folder: &Path, listed: &[String]) -> usize {
    // What cannot be listed cannot be shown to be a release and nothing else.
    let Ok(entries) = fs::read_dir(folder) else { return 1 };
    let is_ours = |name: &std::ffi::OsStr| {
        name == MANIFEST || name == SIGNATURE || listed.iter().any(|own| name == own.as_str())
    };
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
    fn a_release_that_was_set_aside_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::at(&folder.path().join("release"), true).unwrap();
        // No process has this number: it is above the largest that Linux gives out.
        let aside = folder.path().join(".release.replaced-4194999-0");
        fs::create_dir(&aside).unwrap();
        fs::write(aside.join("data.csv"), "x").unwrap();
        let manifest = r#"{"format":1,"software":"privet","data":{},"files":[],"seal":"","promises":[]}"#;
        fs::write(aside.join(MANIFEST), manifest).unwrap();
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
        fs::write(draft.path.join("new"), "x").unwrap();
        place.move_aside_and_in(&draft.path).unwrap();
        draft.discard();
        assert!(folder.path().join("release/new").exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
