//! Which names lead to one file.

use std::path::{Component, Path, PathBuf};

/// A path without links and detours, as far as it exists.
pub fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut found = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::CurDir => {}
            other => found.push(other),
        }
        if let Ok(canonical) = std::fs::canonicalize(&found) {
            found = canonical;
        }
    }
    found
}

/// Whether two paths lead to one file: by links, by hard links, or because they are the same.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    real(a) == real(b) || identity(a).is_some_and(|own| Some(own) == identity(b))
}

/// What a file is to the system, whatever it is called.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).ok()?;
    // A terminal or a pipe is read and written at once, and nothing is lost.
    found.is_file().then(|| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(_path: &Path) -> Option<(u64, u64)> {
    None
}
