//! The folder of a draft: nobody else can look into it, and whether whoever made it still works on it can be told.
//!
//! Guarantee: until [`DraftFolder::open_up`] a draft has mode 0700 and its files 0600, whatever the umask, so that a
//! release which the gate refuses was never readable to others. A folder is taken for a leftover only when it is certainly
//! a draft of ours (by its mark, or by the manifest in it) and its process is certainly gone (by the lock that it held).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::result_folder::{RESULT, is_result};
use crate::{MANIFEST, stop};

/// What lies in a draft and tells that it is one, with the name of the machine that made it.
const MARK: &str = ".privet-draft";

/// A lock is taken right after a folder is made. When nobody holds it after this time, its process is gone.
const SETTLED: Duration = Duration::from_secs(60);

/// A folder that a release is written in.
#[derive(Debug)]
pub(crate) struct DraftFolder {
    pub path: PathBuf,
    /// The mode that folders usually get here; none where the file system knows no modes.
    usual_mode: Option<u32>,
    /// Held until this process ends with the folder.
    _lock: Option<File>,
}

impl DraftFolder {
    /// Makes an empty folder.
    pub fn make(path: PathBuf) -> io::Result<Self> {
        stop::begin(&path, || fs::create_dir(&path))?;
        let usual_mode = hide(&path);
        let lock = File::open(&path).ok().filter(|folder| folder.try_lock().is_ok());
        let own = Self { path, usual_mode, _lock: lock };
        let mark = create(&own.path.join(MARK)).and_then(|mut file| {
            use io::Write;
            file.write_all(machine().as_bytes())
        });
        match mark {
            Ok(()) => Ok(own),
            Err(error) => {
                own.discard();
                Err(error)
            }
        }
    }

    /// Makes a release of the draft, whose manifest is in it: the mark goes, and its files get the modes that they would
    /// usually have had from the start. Nobody else can reach them until [`DraftFolder::open_up`].
    pub fn unmark(&self) -> io::Result<()> {
        fs::remove_file(self.path.join(MARK))?;
        #[cfg(unix)]
        if let Some(mode) = self.usual_mode {
            use std::os::unix::fs::PermissionsExt;
            for entry in fs::read_dir(&self.path)? {
                let entry = entry?;
                // A release in it got its modes when it was put there.
                if !entry.file_type()?.is_dir() {
                    fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode & 0o666))?;
                }
            }
        }
        Ok(())
    }

    /// Gives the folder its usual mode. It must be put in place at once.
    pub fn open_up(&self) -> io::Result<()> {
        #[cfg(unix)]
        if let Some(mode) = self.usual_mode {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&self.path, fs::Permissions::from_mode(mode))?;
        }
        #[cfg(not(unix))]
        let _ = self.usual_mode;
        Ok(())
    }

    /// Removes what stands at the path.
    pub fn discard(&self) {
        discard(&self.path);
    }
}

/// Creates a file that only its owner may read.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Takes a new folder from everybody but its owner. Returns the mode that it had.
#[cfg(unix)]
fn hide(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o7777;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).ok()?;
    Some(mode)
}

#[cfg(not(unix))]
fn hide(_path: &Path) -> Option<u32> {
    None
}

/// Removes a folder; what cannot be removed is left to the next draft.
pub(crate) fn discard(path: &Path) {
    let _ = remove(path);
    stop::forget(path);
}

/// Removes a folder. What tells that it is ours goes last: whoever is killed in between leaves nothing that nobody may remove.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let tells = |name: &std::ffi::OsStr| name == MARK || name == MANIFEST || name == RESULT;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            _ if tells(&entry.file_name()) => {}
            true => fs::remove_dir_all(entry.path())?,
            false => fs::remove_file(entry.path())?,
        }
    }
    fs::remove_dir_all(path)
}

/// Whether a folder is certainly a draft of ours, or a release.
pub(crate) fn is_ours(path: &Path) -> bool {
    let is_plain = |path: PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    // Who was killed before the mark was made left an empty folder.
    let is_empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    let is_whole = || crate::place::files_of_release(path).is_some() || is_result(path);
    is_folder && (is_plain(path.join(MARK)) || is_whole() || is_empty())
}

/// Whether the process that made a folder is certainly gone. `locks` says whether it would hold the lock of the folder.
pub(crate) fn is_abandoned(pid: u32, path: &Path, locks: bool) -> bool {
    let is_own_id = pid == std::process::id();
    if is_own_id && stop::is_writing(path) {
        return false;
    }
    let is_gone = is_own_id || is_process_gone(pid);
    if !locks {
        return is_gone;
    }
    match File::open(path).map_err(TryLockError::Error).and_then(|folder| folder.try_lock()) {
        Ok(()) => is_gone || is_settled(path),
        Err(TryLockError::WouldBlock) => false,
        // No locks here: a process of another machine cannot be seen.
        Err(TryLockError::Error(_)) => {
            is_gone && fs::read_to_string(path.join(MARK)).is_ok_and(|text| text == machine())
        }
    }
}

/// Whether there certainly is no such process. Where that cannot be told, it is taken to be alive.
pub(crate) fn is_process_gone(pid: u32) -> bool {
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(pid.to_string()).exists()
}

fn is_settled(path: &Path) -> bool {
    let changed = fs::symlink_metadata(path).and_then(|found| found.modified());
    changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > SETTLED))
}

/// The name of this machine.
fn machine() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_draft_is_for_its_owner_until_it_is_published() {
        let folder = tempfile::tempdir().unwrap();
        let usual = folder.path().join("usual");
        fs::create_dir(&usual).unwrap();
        fs::write(usual.join("file"), "").unwrap();
        let draft = DraftFolder::make(folder.path().join(".release.partial-1-0")).unwrap();
        create(&draft.path.join("data.csv")).unwrap();
        assert_eq!((mode(&draft.path), mode(&draft.path.join("data.csv"))), (0o700, 0o600));
        draft.unmark().unwrap();
        assert_eq!(mode(&draft.path), 0o700);
        draft.open_up().unwrap();
        assert_eq!(mode(&draft.path), mode(&usual));
        assert_eq!(mode(&draft.path.join("data.csv")), mode(&usual.join("file")));
        assert_eq!(fs::read_dir(&draft.path).unwrap().count(), 1);
    }

    #[test]
    fn a_draft_whose_lock_is_held_is_not_abandoned() {
        let folder = tempfile::tempdir().unwrap();
        // No process has this number: it is above the largest that Linux gives out.
        let path = folder.path().join(".release.partial-4194999-0");
        let draft = DraftFolder::make(path.clone()).unwrap();
        assert!(is_ours(&path) && !is_abandoned(4_194_999, &path, true));
        drop(draft);
        assert!(!Path::new("/proc/self").exists() || is_abandoned(4_194_999, &path, true));
    }

    #[test]
    fn a_folder_of_somebody_else_is_not_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".films.partial-4194999-0");
        fs::create_dir(&path).unwrap();
        assert!(is_ours(&path), "an empty one loses nothing");
        fs::write(path.join("film.part"), "x").unwrap();
        assert!(!is_ours(&path));
    }
}
