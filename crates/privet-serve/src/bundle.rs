//! What is handed over: the release as an archive, scripts that make it again, and everything that they need.
//!
//! Archives are written to a file of the private folder that has no name, and sent from there part by part: memory does not grow with them.

use std::fs::{self, File};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::edit::Edit;
use crate::project::{JOB, POPULATION, Project};

/// Where hierarchies of a project are.
const HIERARCHIES: &str = "hierarchies";

/// A part of an archive.
enum Part {
    File(PathBuf),
    Text(String),
}

/// Writes parts with their names as an archive. The same parts give the same bytes.
fn archive(folder: &Path, parts: Vec<(String, Part)>) -> Result<File, String> {
    let failed = |error: &dyn std::fmt::Display| format!("the archive cannot be made: {error}");
    let file = tempfile::tempfile_in(folder).map_err(|error| failed(&error))?;
    let mut archive = ZipWriter::new(file);
    let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
    for (name, part) in parts {
        match part {
            Part::Text(text) => {
                archive.start_file(name, options).map_err(|error| failed(&error))?;
                archive.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
            }
            Part::File(path) => {
                let mut file = File::open(&path).map_err(|error| failed(&error))?;
                let length = file.metadata().map_err(|error| failed(&error))?.len();
                let options = options.large_file(length >= 1 << 32);
                archive.start_file(name, options).map_err(|error| failed(&error))?;
                std::io::copy(&mut file, &mut archive).map_err(|error| failed(&error))?;
            }
        }
    }
    let mut file = archive.finish().map_err(|error| failed(&error))?;
    file.rewind().map_err(|error| failed(&error))?;
    Ok(file)
}

/// The plain files of a folder by name; none when there is no such folder.
fn files(folder: &Path) -> Result<Vec<String>, String> {
    let failed = |error: std::io::Error| format!("the archive cannot be made: {error}");
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    Ok(names)
}

/// The release folder as an archive.
pub(crate) fn release(project: &Project) -> Result<File, String> {
    let folder = project.release();
    let part = |name: String| (format!("release/{name}"), Part::File(folder.join(name)));
    archive(project.folder(), files(&folder)?.into_iter().map(part).collect())
}

/// Everything that makes the release again: the job file, the data under the name that its owner knows, hierarchies, and scripts.
pub(crate) fn project(project: &Project) -> Result<File, String> {
    let folder = project.folder().join(HIERARCHIES);
    let mut parts = vec![
        (JOB.to_owned(), Part::Text(job(project)?)),
        (data_name(project), Part::File(project.data())),
        ("release.sh".to_owned(), Part::Text(shell(project)?)),
        ("release.py".to_owned(), Part::Text(python(project)?)),
    ];
    for name in files(&folder)? {
        let path = folder.join(&name);
        parts.push((format!("{HIERARCHIES}/{name}"), Part::File(path)));
    }
    if let Some(name) = project.population() {
        let path = project.folder().join(&name);
        parts.push((name, Part::File(path)));
    }
    archive(project.folder(), parts)
}

/// The job file for use outside the page: it names the data as its owner does.
pub(crate) fn job(project: &Project) -> Result<String, String> {
    renamed(&project.job_text(), &project.meta().data, &data_name(project))
}

/// A job file as its owner has it, for use on the page.
pub(crate) fn job_inside(project: &Project, text: &str) -> Result<String, String> {
    renamed(text, &data_name(project), &project.meta().data)
}

/// A job file that names its input otherwise: whichever key of `[input]` does.
fn renamed(text: &str, from: &str, to: &str) -> Result<String, String> {
    let table: toml::Table = toml::from_str(text).map_err(|_| "the job file is not TOML".to_owned())?;
    let mut edit = Edit::new(text)?;
    for (key, value) in table.get("input").and_then(toml::Value::as_table).into_iter().flatten() {
        if value.as_str() == Some(from) {
            edit.set(&["input"], key, to);
        }
    }
    Ok(edit.text())
}

/// What the data is called outside the page: the name that its owner gave it, as far as that is the plain name of a file of the same
/// format that nothing else in the archive has.
pub(crate) fn data_name(project: &Project) -> String {
    let (given, ours) = (project.name(), &project.meta().data);
    plain_name(given, ours).unwrap_or_else(|| ours.clone())
}

/// A name of the owner as a name in the archive, where it is plain and not one that the archive has.
fn plain_name(given: &str, ours: &str) -> Option<String> {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let ending = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    // Characters that some systems do not have in names, or that a comment of a script could not hold.
    let is_odd = |own: char| own.is_control() || "<>:\"|?*$`'%".contains(own);
    let is_plain =
        !last.starts_with(['.', '-', '~']) && !last.contains(is_odd) && last.chars().count() <= 100;
    let is_taken = last.rsplit_once('.').is_some_and(|(stem, _)| stem.eq_ignore_ascii_case(POPULATION));
    (is_plain && !is_taken && ending(last) == ending(ours)).then(|| last.to_owned())
}

/// What lies beside a script, as lines of a comment.
fn beside(project: &Project) -> Result<String, String> {
    let mut lines = format!("#   {JOB}\n#   {}\n", data_name(project));
    for name in files(&project.folder().join(HIERARCHIES))? {
        lines.push_str(&format!("#   {HIERARCHIES}/{name}\n"));
    }
    if let Some(name) = project.population() {
        lines.push_str(&format!("#   {name}\n"));
    }
    Ok(lines)
}

/// A shell script that makes the same release.
pub(crate) fn shell(project: &Project) -> Result<String, String> {
    Ok(format!(
        "#!/bin/sh\n# Makes the release that the job file asks for, and proves it from the published files. Beside this script lie:\n{}\
         set -eu\ncd \"$(dirname \"$0\")\"\nprivet anonymize {JOB}\nprivet verify release\n",
        beside(project)?
    ))
}

/// The same in Python.
pub(crate) fn python(project: &Project) -> Result<String, String> {
    Ok(format!(
        "# Makes the release that the job file asks for, and proves it from the published files. Beside this script lie:\n{}\
         from pathlib import Path\n\nimport privet\n\nrelease = privet.Job.read(Path(__file__).resolve().parent / \"{JOB}\").run()\n\
         assert release.verify(), \"a promise does not hold\"\nprint(release.folder)\n",
        beside(project)?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_keeps_a_name_that_is_plain() {
        for (given, outside) in [
            ("patients.csv", "patients.csv"),
            ("Ärzte 2026.XLSX", "Ärzte 2026.XLSX"),
            ("C:\\Users\\me\\patients.csv", "patients.csv"),
            ("../../etc/x.csv", "x.csv"),
        ] {
            let ours = if given.ends_with("XLSX") { "data.xlsx" } else { "data.csv" };
            assert_eq!(plain_name(given, ours).unwrap(), outside);
        }
        for other in [
            "public.patients",
            ".csv",
            "-rf.csv",
            "a\nb.csv",
            "job.toml",
            "x.csv/",
            "a$(b).csv",
            "population.csv",
            "",
        ] {
            assert!(plain_name(other, "data.csv").is_none(), "{other}");
        }
    }
}
