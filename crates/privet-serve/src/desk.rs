//! Where data lies: a private folder with one folder per project.
//!
//! Only the owner can read it (mode 0700, files 0600). Without `--keep` it is removed at the end; what a killed program left is removed by
//! the next one, which knows it by its name and by a lock that nobody holds any more. A request never makes a path: it names a project by a
//! random id that is looked up, and files have names of their own.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ServeError;
use crate::guard::hex;
use crate::project::Project;
use crate::shelf::Shelf;

/// Projects at once.
const MOST: usize = 50;
/// What the names of private folders begin with.
const PREFIX: &str = "privet-serve-";
const LOCK: &str = ".lock";

/// The private folder.
pub(crate) struct Desk {
    folder: PathBuf,
    is_kept: bool,
    /// The largest file that is taken.
    pub max_upload: u64,
    projects: Mutex<BTreeMap<String, Arc<Project>>>,
    /// The tables of all projects, as far as they are kept.
    shelf: Arc<Shelf>,
    _lock: File,
}

impl Desk {
    pub fn open(keep: Option<&Path>, max_upload: u64) -> Result<Self, ServeError> {
        let failed =
            |path: &Path, error: &std::io::Error| ServeError::System(format!("{}: {error}", path.display()));
        let folder = match keep {
            Some(folder) => {
                make_private(folder).map_err(|error| failed(folder, &error))?;
                std::path::absolute(folder).map_err(|error| failed(folder, &error))?
            }
            None => {
                let parent = std::env::temp_dir();
                remove_left(&parent);
                let mut builder = tempfile::Builder::new();
                builder.prefix(PREFIX);
                // Others could look into it otherwise.
                #[cfg(unix)]
                builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
                let made = builder.tempdir_in(&parent);
                made.map_err(|error| failed(&parent, &error))?.keep()
            }
        };
        let path = folder.join(LOCK);
        let lock = File::create(&path).map_err(|error| failed(&path, &error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(ServeError::Usage(format!(
                    "{}: another privet serve uses this folder",
                    folder.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(&path, &error)),
        }
        let shelf = Arc::new(Shelf::new());
        let projects = match keep {
            Some(_) => found(&folder, &shelf),
            None => BTreeMap::new(),
        };
        let (is_kept, projects) = (keep.is_some(), Mutex::new(projects));
        Ok(Self { folder, is_kept, max_upload, projects, shelf, _lock: lock })
    }

    fn projects(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Project>>> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether projects stay after the end.
    pub fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Where tables of projects are kept.
    pub fn shelf(&self) -> &Arc<Shelf> {
        &self.shelf
    }

    /// All projects, by name.
    pub fn all(&self) -> Vec<Arc<Project>> {
        let mut all: Vec<Arc<Project>> = self.projects().values().cloned().collect();
        all.sort_by_key(|own| own.name().to_owned());
        all
    }

    pub fn project(&self, id: &str) -> Option<Arc<Project>> {
        self.projects().get(id).cloned()
    }

    /// An empty private folder for a file that is about to arrive, with its id.
    pub fn begin(&self) -> Result<(String, PathBuf), String> {
        if self.projects().len() >= MOST {
            return Err(format!("there are {MOST} projects; remove one first"));
        }
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
        let id = hex(&bytes);
        let folder = self.folder.join(&id);
        make_private(&folder).map_err(|error| error.to_string())?;
        Ok((id, folder))
    }

    pub fn add(&self, id: &str, project: Project) {
        self.projects().insert(id.to_owned(), Arc::new(project));
    }

    /// Removes a project with everything that belongs to it.
    pub fn remove(&self, id: &str) {
        if let Some(project) = self.projects().remove(id) {
            self.shelf.forget(project.folder());
            // why: what cannot be removed now is removed with the whole folder
            let _ = fs::remove_dir_all(project.folder());
        }
    }

    /// Removes the folder unless it is kept.
    pub fn close(&self) {
        if !self.is_kept {
            // why: nobody is left to tell; the next start removes what is left
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Makes a folder that only its owner can read.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(folder)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(std::io::Error::other("others can read the folder; chmod 700 it first"));
        }
    }
    Ok(())
}

/// Removes data whose upload or copy did not end. A folder that holds no data of ours is another program's, and stays unless it is empty.
fn remove_unfinished(folder: &Path) {
    let is_data = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with("data.");
    let holds_data = fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(is_data));
    // why: what cannot be removed now is removed next time
    let _ = if holds_data { fs::remove_dir_all(folder) } else { fs::remove_dir(folder) };
}

/// The projects of a kept folder.
fn found(folder: &Path, shelf: &Arc<Shelf>) -> BTreeMap<String, Arc<Project>> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    let open = |entry: fs::DirEntry| {
        let id = entry.file_name().into_string().ok()?;
        let is_id = id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_id && !Project::is_in(&entry.path()) {
            remove_unfinished(&entry.path());
            return None;
        }
        Some((id, Arc::new(is_id.then(|| Project::open(entry.path(), shelf))??)))
    };
    entries.flatten().filter_map(open).collect()
}

/// Removes private folders whose program is gone.
fn remove_left(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir());
        if !is_ours {
            continue;
        }
        // Whoever made it holds its lock as long as it runs; a folder of somebody else cannot be opened.
        if let Ok(lock) = File::open(path.join(LOCK))
            && lock.try_lock().is_ok()
        {
            // why: what cannot be removed is left to whoever can
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_private_and_are_removed() {
        use std::os::unix::fs::PermissionsExt;
        let desk = Desk::open(None, 1).unwrap();
        let (_, folder) = desk.begin().unwrap();
        for own in [&desk.folder, &folder] {
            assert_eq!(fs::metadata(own).unwrap().permissions().mode() & 0o777, 0o700);
        }
        remove_left(desk.folder.parent().unwrap());
        assert!(folder.is_dir(), "a folder in use stays");
        desk.close();
        assert!(!desk.folder.exists());
    }

    #[test]
    fn what_a_killed_program_left_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join(format!("{PREFIX}left"));
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        let other = parent.path().join("other");
        fs::create_dir(&other).unwrap();
        remove_left(parent.path());
        assert!(!left.exists() && other.exists());
    }

    #[test]
    fn a_kept_folder_is_used_once_at_a_time() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("kept");
        let first = Desk::open(Some(&folder), 1).unwrap();
        assert!(Desk::open(Some(&folder), 1).is_err());
        first.close();
        assert!(folder.is_dir());
    }
}
