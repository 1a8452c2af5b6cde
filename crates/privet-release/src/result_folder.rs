//! The folder of a result that several parties computed: `result.json`, a page, and perhaps the release that belongs to it.
//!
//! Guarantee: it is written as a release is. Until it is put in place nobody but its owner can read it, a process that is told to end
//! removes it, and `privet clean` removes what a killed one left. A folder is replaced only when it holds such a result and nothing else.

use std::io::Write;
use std::path::Path;

use crate::draft_folder::{self, DraftFolder};
use crate::folder::FolderError;
use crate::place::{self, Place, files_of_release, others};

/// The name of the file that says what was computed.
pub(crate) const RESULT: &str = "result.json";
/// The name of the page for people.
const PAGE: &str = "report.md";
/// The name of the release that belongs to a result.
const RELEASE: &str = "release";
/// The most bytes that are read of a `result.json` to see whether it is one of ours.
const MOST_BYTES: u64 = 1 << 28;

/// A result that is being written beside its destination. Dropped without [`ResultDraft::commit`], it removes itself.
#[derive(Debug)]
pub struct ResultDraft {
    place: Place,
    folder: DraftFolder,
}

impl ResultDraft {
    /// Begins a result for this destination.
    ///
    /// # Errors
    /// When something stands there and `replace` is false, or it is not an earlier result and nothing else; when the file system refuses.
    pub fn begin(destination: &Path, replace: bool) -> Result<Self, FolderError> {
        let place = Place::of_result(destination, replace)?;
        place.clear_leftovers();
        place.check()?;
        let folder = place.make_draft()?;
        Ok(Self { place, folder })
    }

    /// The folder of the draft.
    pub fn path(&self) -> &Path {
        &self.folder.path
    }

    /// Where the release goes that belongs to the result.
    pub fn release(&self) -> std::path::PathBuf {
        self.folder.path.join(RELEASE)
    }

    /// Writes what was computed, and the page for people, to the disk.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write(&self, result: &[u8], page: &[u8]) -> Result<(), FolderError> {
        for (name, bytes) in [(RESULT, result), (PAGE, page)] {
            let path = self.folder.path.join(name);
            let mut file = draft_folder::create(&path).map_err(FolderError::io(&path))?;
            file.write_all(bytes).and_then(|()| file.sync_all()).map_err(FolderError::io(&path))?;
        }
        Ok(())
    }

    /// Puts the result in place.
    ///
    /// # Errors
    /// When something else came to stand at the destination, or the file system refuses. Nothing is left behind then.
    pub fn commit(self) -> Result<(), FolderError> {
        self.folder.unmark().map_err(FolderError::io(&self.folder.path))?;
        place::sync_folder(&self.folder.path)?;
        self.place.put(&self.folder)
    }
}

impl Drop for ResultDraft {
    fn drop(&mut self) {
        // After an exchange the path holds the result that was replaced.
        self.folder.discard();
    }
}

/// Whether a folder holds a result of ours: its `result.json` has our fields.
pub(crate) fn is_result(folder: &Path) -> bool {
    let bytes = privet_data::io::read_plain(&folder.join(RESULT), MOST_BYTES);
    let parsed = bytes.ok().and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    let has = |fields: &serde_json::Value| {
        ["version", "job", "parties", "result"].iter().all(|key| fields.get(key).is_some())
    };
    parsed.is_some_and(|fields| has(&fields))
}

/// How many things lie in the folder of a result that are no part of it.
pub(crate) fn foreign(folder: &Path) -> usize {
    let release = folder.join(RELEASE);
    // A folder that cannot be looked through may hold anything.
    let Ok(entries) = std::fs::read_dir(folder) else { return 1 };
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
    let strange = names.filter(|name| ![RESULT, PAGE, RELEASE].iter().any(|own| name == own)).count();
    let is_folder = std::fs::symlink_metadata(&release).map(|found| found.is_dir());
    let within = match is_folder {
        Err(_) => 0,
        Ok(true) => files_of_release(&release).map_or(1, |listed| others(&release, &listed)),
        Ok(false) => 1,
    };
    strange + within
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const OURS: &[u8] = br#"{"version":1,"job":"00","parties":[],"result":{}}"#;

    #[test]
    fn a_result_is_put_in_place_and_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("result");
        for page in ["first", "second"] {
            let draft = ResultDraft::begin(&at, page == "second").unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(fs::metadata(draft.path()).unwrap().permissions().mode() & 0o777, 0o700);
            }
            draft.write(OURS, page.as_bytes()).unwrap();
            draft.commit().unwrap();
            assert_eq!(fs::read_to_string(at.join("report.md")).unwrap(), page);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
        }
        assert!(matches!(ResultDraft::begin(&at, false), Err(FolderError::Exists(_))));
    }

    #[test]
    fn what_is_no_result_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("result");
        let begin = || ResultDraft::begin(&at, true);
        fs::create_dir(&at).unwrap();
        assert!(matches!(begin(), Err(FolderError::NotAResult(_))), "an empty folder is somebody's");
        fs::write(at.join(RESULT), r#"{"result":1}"#).unwrap();
        assert!(matches!(begin(), Err(FolderError::NotAResult(_))), "not every result.json is ours");
        fs::write(at.join(RESULT), OURS).unwrap();
        drop(begin().unwrap());
        fs::write(at.join("north.csv"), "the table").unwrap();
        assert!(matches!(begin(), Err(FolderError::OtherFiles { count: 1, .. })));
        fs::remove_file(at.join("north.csv")).unwrap();
        fs::create_dir(at.join(RELEASE)).unwrap();
        fs::write(at.join("release/data.csv"), "x").unwrap();
        assert!(
            matches!(begin(), Err(FolderError::OtherFiles { count: 1, .. })),
            "a folder without a manifest"
        );
        let manifest = r#"{"format":1,"software":"privet","data":{},"files":[{"name":"data.csv"}],"seal":"","promises":[]}"#;
        fs::write(at.join("release/manifest.json"), manifest).unwrap();
        drop(begin().unwrap());
        fs::write(at.join("release/notes.txt"), "mine").unwrap();
        assert!(matches!(begin(), Err(FolderError::OtherFiles { count: 1, .. })));
        assert!(at.join("release/notes.txt").exists());
    }
}
