//! A file beside its destination, under another name until it is whole.
//!
//! What is written under such a name goes when it is dropped or the process is ended by a signal; what a killed process left
//! is removed by the next one that writes to the same destination.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::draft_folder::is_process_gone;
use crate::stop;

/// The name that a file has until it is whole.
#[derive(Debug)]
pub struct PartialFile {
    path: PathBuf,
    destination: PathBuf,
}

impl PartialFile {
    /// A name beside a destination. Nothing is created; files by such names that dead processes left are removed.
    pub fn beside(destination: &Path) -> Self {
        clear(destination);
        let mut name = destination.file_name().unwrap_or_default().to_owned();
        name.push(format!(".partial-{}", std::process::id()));
        let path = destination.with_file_name(name);
        stop::remember(&path);
        Self { path, destination: destination.to_owned() }
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it belongs.
    pub fn destination(&self) -> &Path {
        &self.destination
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When the file system refuses, or the process is ending. The file is gone then.
    pub fn put(self) -> std::io::Result<()> {
        stop::put(|| fs::rename(&self.path, &self.destination))
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // What got its name is not there any more, and what cannot be removed was never made.
        let _ = fs::remove_file(&self.path);
        stop::forget(&self.path);
    }
}

/// Removes what dead processes left for a destination.
fn clear(destination: &Path) {
    let Some(name) = destination.file_name() else { return };
    let folder = match destination.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut prefix: OsString = name.to_owned();
    prefix.push(".partial-");
    let Some(prefix) = prefix.to_str() else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(prefix)?.parse::<u32>().ok());
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if let Some(pid) = pid.filter(|&pid| is_file && pid != std::process::id())
            && is_process_gone(pid)
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_whole_goes_and_so_does_that_of_a_dead_process() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // No process has this number: it is above the largest that Linux gives out.
        for name in ["a.csv.partial-4194999", "a.csv.partial-x", "b.csv.partial-4194999"] {
            fs::write(at(name), "x").unwrap();
        }
        let dropped = PartialFile::beside(&at("a.csv"));
        fs::write(dropped.path(), "x").unwrap();
        drop(dropped);
        let put = PartialFile::beside(&at("a.csv"));
        fs::write(put.path(), "whole").unwrap();
        put.put().unwrap();
        assert_eq!(fs::read(at("a.csv")).unwrap(), b"whole");
        let is_there = |name: &str| at(name).exists();
        assert!(is_there("a.csv.partial-x") && is_there("b.csv.partial-4194999"));
        assert!(!Path::new("/proc/self").exists() || !is_there("a.csv.partial-4194999"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
