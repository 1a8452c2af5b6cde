//! The files of the demo: the data, its hierarchies, and a job file that explains itself.
//!
//! Every file appears whole or not at all; the job comes last, so a folder with a job is complete.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

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

/// Writes the demo's data, hierarchies and job into a folder, which is made when it is not there. Files of the
/// same names are replaced.
///
/// # Errors
/// When the folder or a file cannot be written.
pub fn write_demo(folder: &Path, rows: usize, seed: u64) -> io::Result<DemoFiles> {
    let hierarchies = folder.join("hierarchies");
    fs::create_dir_all(&hierarchies)?;
    let files = DemoFiles {
        data: folder.join("admissions.csv"),
        job: folder.join("job.toml"),
        hierarchies: vec![hierarchies.join("occupation.csv"), hierarchies.join("diagnosis.csv")],
    };
    let admissions = super::admissions(rows, seed);
    write_whole(&files.data, |file| admissions.write_csv(file))?;
    write_whole(&files.hierarchies[0], |file| file.write_all(occupation_hierarchy().as_bytes()))?;
    write_whole(&files.hierarchies[1], |file| file.write_all(diagnosis_hierarchy().as_bytes()))?;
    write_whole(&files.job, |file| file.write_all(JOB.as_bytes()))?;
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

/// Writes beside the place and renames, so that nothing half-written ever has the file's name.
fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.partial", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = File::create(&beside).and_then(|mut file| {
        write(&mut file)?;
        file.sync_all()
    });
    let done = written.and_then(|()| fs::rename(&beside, path));
    if done.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    done
}
