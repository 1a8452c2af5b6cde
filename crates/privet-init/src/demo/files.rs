//! The files of the demo: the data, its hierarchies, and a job file that explains itself.
//!
//! Every file appears whole or not at all; the job comes last, so a folder with a job is complete. Only what the demo
//! wrote itself is ever replaced: hashes of that are kept beside it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use privet_release::sha256_of_file;

use super::hospital::DIAGNOSES;
use super::people::OCCUPATIONS;

/// The files that the demo wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoFiles {
    /// The admissions.
    pub data: PathBuf,
    /// The job that anonymizes them.
    pub job: PathBuf,
    /// The hierarchies that the job uses.
    pub hierarchies: Vec<PathBuf>,
}

/// The job file of the demo.
pub(super) const JOB: &str = include_str!("job.toml");

/// Where the hashes of what the demo wrote stand, in the form of `sha256sum`.
const WRITTEN: &str = ".demo.sha256";

/// Why the demo's files are not there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// A file that the demo did not write, or that was changed since, would be lost.
    #[error("{} is not as the demo wrote it, and would be replaced; move it away, or name another folder with --folder", .0.display())]
    NotOurs(PathBuf),
    /// The folder or a file cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Writes the demo's data, hierarchies and job into a folder, which is made when it is not there. Files of the same names
/// are replaced where an earlier demo wrote them and nobody changed them since.
///
/// # Errors
/// When the folder or a file cannot be written, or another file has such a name; then all are left as they were.
pub fn write_demo(folder: &Path, rows: usize, seed: u64) -> Result<DemoFiles, DemoError> {
    let hierarchies = folder.join("hierarchies");
    fs::create_dir_all(&hierarchies)?;
    let files = DemoFiles {
        data: folder.join("admissions.csv"),
        job: folder.join("job.toml"),
        hierarchies: vec![hierarchies.join("occupation.csv"), hierarchies.join("diagnosis.csv")],
    };
    let admissions = super::admissions(rows, seed);
    let whole = [
        Beside::write(&files.data, |file| admissions.write_csv(file))?,
        Beside::write(&files.hierarchies[0], |file| file.write_all(occupation_hierarchy().as_bytes()))?,
        Beside::write(&files.hierarchies[1], |file| file.write_all(diagnosis_hierarchy().as_bytes()))?,
        Beside::write(&files.job, |file| file.write_all(JOB.as_bytes()))?,
    ];
    let written = folder.join(WRITTEN);
    let before = match fs::read_to_string(&written) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        read => read.unwrap_or_default(),
    };
    let mut ours: BTreeSet<String> = BTreeSet::new();
    for own in &whole {
        let line = |hash: String| {
            format!("{hash}  {}\n", own.path.strip_prefix(folder).unwrap_or(&own.path).display())
        };
        let new = line(sha256_of_file(&own.beside)?);
        match sha256_of_file(&own.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            there => {
                let there = line(there?);
                if there != new && !before.contains(&there) {
                    return Err(DemoError::NotOurs(own.path.clone()));
                }
                ours.insert(there);
            }
        }
        ours.insert(new);
    }
    // First, and with what is replaced: wherever this stops, what is there is known to be the demo's.
    let hashes: String = ours.into_iter().collect();
    Beside::write(&written, |file| file.write_all(hashes.as_bytes()))?.put()?;
    for own in whole {
        own.put()?;
    }
    Ok(files)
}

/// One row per occupation: itself, its group, whether it is employment, everything.
pub(super) fn occupation_hierarchy() -> String {
    OCCUPATIONS.iter().fold(String::new(), |mut text, o| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{};{};{};*", o.name, o.group, o.status);
        text
    })
}

/// One row per diagnosis: itself, its chapter, everything.
pub(super) fn diagnosis_hierarchy() -> String {
    DIAGNOSES.iter().fold(String::new(), |mut text, d| {
        let _ = writeln!(text, "{};{};*", d.name, d.chapter);
        text
    })
}

/// A file that is written beside its place and then renamed, so that nothing half-written ever has its name. What is not
/// put in place is removed.
struct Beside {
    path: PathBuf,
    beside: PathBuf,
}

impl Beside {
    fn write(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<Self> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}.partial", std::process::id()));
        let own = Self { path: path.to_owned(), beside: PathBuf::from(beside) };
        let mut file = File::create(&own.beside)?;
        write(&mut file)?;
        file.sync_all()?;
        Ok(own)
    }

    fn put(self) -> io::Result<()> {
        fs::rename(&self.beside, &self.path)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // Once it is in place there is nothing to remove; otherwise the first error is the one to report.
        let _ = fs::remove_file(&self.beside);
    }
}
