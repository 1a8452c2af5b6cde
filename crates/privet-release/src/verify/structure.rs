//! The folder and its files: the seal, the hashes, nothing missing, nothing added.
//!
//! When a file changed, the hashes of its blocks of 64 KiB tell where; in a text file the place is told in lines.

use std::fs;
use std::io;
use std::path::Path;

use privet_data::Progress;
use privet_data::io::read_plain;

use super::VerifyError;
use super::outcome::Check;
use super::pages::PAGES;
use crate::folder::is_plain_name;
use crate::hash::{BLOCK, Hashes, hash_file};
use crate::manifest::{File, Manifest};
use crate::{MANIFEST, SIGNATURE};

/// A file that is larger than its manifest says, by this and by half, is not read.
const MOST_ADDED: u64 = 1 << 20;

/// Whether the manifest carries its own seal.
pub(super) fn seal(bytes: &[u8], claimed: &str) -> Check {
    if Manifest::seal_of(bytes).is_some_and(|seal| seal == claimed) {
        Check::passed("seal", "manifest.json is unchanged")
    } else {
        Check::failed("seal", "manifest.json was changed after it was sealed")
    }
}

/// Whether the folder holds the files of the manifest, unchanged, and nothing else. `tables` are those that the
/// manifest speaks of.
pub(super) fn files(
    folder: &Path,
    files: &[File],
    tables: &[&str],
    progress: &dyn Progress,
) -> Result<Vec<Check>, VerifyError> {
    let mut checks = vec![listing(folder, files, tables)?];
    progress.stage("hashing", Some(files.iter().map(|file| file.bytes).fold(0, u64::saturating_add)));
    let mut done: u64 = 0;
    for (number, file) in files.iter().enumerate() {
        let name = file_label(number, &file.name);
        if !is_plain_name(&file.name) {
            checks
                .push(Check::failed(name, "the manifest lists a file that cannot stand in a release folder"));
            continue;
        }
        checks.push(match self::file(folder, file, progress)? {
            Ok(()) => Check::passed(name, format!("{} is unchanged ({} bytes)", file.name, file.bytes)),
            Err(problem) => Check::failed(name, problem),
        });
        done = done.saturating_add(file.bytes);
        progress.at(done);
    }
    Ok(checks)
}

fn file_label(number: usize, name: &str) -> String {
    if is_plain_name(name) { format!("file {name}") } else { format!("file {}", number + 1) }
}

fn listing(folder: &Path, files: &[File], tables: &[&str]) -> Result<Check, VerifyError> {
    let mut problems = Vec::new();
    for entry in fs::read_dir(folder).map_err(VerifyError::io(folder))? {
        let entry = entry.map_err(VerifyError::io(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().map_err(VerifyError::io(folder))?;
        if kind.is_dir() {
            problems.push(format!("`{name}` is a folder; a release holds files only"));
        } else if !kind.is_file() {
            problems.push(format!("`{name}` is a link or a special file; a release holds plain files only"));
        } else if name != MANIFEST && name != SIGNATURE && !files.iter().any(|file| file.name == name) {
            problems.push(format!("`{name}` is not in the manifest; it was added afterwards"));
        }
    }
    problems.sort();
    for (number, file) in files.iter().enumerate() {
        if files[..number].iter().any(|other| other.name == file.name) {
            problems.push(format!("the manifest lists file {} twice", number + 1));
        }
    }
    let is_known = |file: &&File| tables.contains(&file.name.as_str()) || PAGES.contains(&file.name.as_str());
    let unknown = files.iter().filter(|file| !is_known(file)).count();
    if unknown > 0 {
        problems.push(format!("{unknown} listed files are neither a table of the release nor its report"));
    }
    if tables.iter().any(|table| !files.iter().any(|file| file.name == *table)) {
        problems.push("the manifest does not list the file of the published table".to_owned());
    }
    Ok(Check::of("folder", "nothing was added to the folder", &problems))
}

/// Compares a file with what the manifest says of it.
fn file(folder: &Path, file: &File, progress: &dyn Progress) -> Result<Result<(), String>, VerifyError> {
    let path = folder.join(&file.name);
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Err(format!("{} is missing", file.name)));
        }
        Err(source) => return Err(VerifyError::Io { path, source }),
        Ok(metadata) if !metadata.is_file() => return Ok(Err(format!("{} is not a plain file", file.name))),
        // Where it changed need not be found in a file that may have no end.
        Ok(metadata) if metadata.len() > file.bytes.saturating_mul(2).saturating_add(MOST_ADDED) => {
            let found = metadata.len();
            return Ok(Err(format!("{} has {found} bytes, the manifest says {}", file.name, file.bytes)));
        }
        Ok(_) => {}
    }
    let mut stopped = false;
    let found = hash_file(&path, &mut || {
        stopped = progress.cancelled();
        if stopped { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    });
    if stopped {
        return Err(VerifyError::Cancelled);
    }
    let found = found.map_err(VerifyError::io(&path))?;
    if found.sha256 == file.sha256 && found.bytes == file.bytes {
        // The blocks only locate a change, but a manifest that contradicts itself was edited.
        let consistent = file.blocks.is_empty() || file.blocks == found.blocks;
        return Ok(if consistent {
            Ok(())
        } else {
            Err(format!("{}: the manifest's hashes of its blocks do not fit the hash of the file", file.name))
        });
    }
    Ok(Err(locate(&path, file, &found).map_err(VerifyError::io(&path))?))
}

/// Says where a file differs from what was written.
fn locate(path: &Path, file: &File, found: &Hashes) -> io::Result<String> {
    let name = &file.name;
    let size = if found.bytes == file.bytes {
        String::new()
    } else {
        format!(" (it has {} bytes, the manifest says {})", found.bytes, file.bytes)
    };
    let differs = |i: usize| file.blocks.get(i) != found.blocks.get(i);
    let count = file.blocks.len().max(found.blocks.len());
    let Some(first) = (0..count).find(|&i| differs(i)) else {
        return Ok(format!("{name} was changed{size}"));
    };
    let last = (0..count).rev().find(|&i| differs(i)).unwrap_or(first);
    let (start, end) = (first * BLOCK, ((last + 1) * BLOCK).min(found.bytes as usize));
    if start >= found.bytes as usize {
        return Ok(format!("{name} was cut off{size}"));
    }
    let text = [".csv", ".tsv", ".txt", ".html", ".json"].iter().any(|ending| name.ends_with(ending));
    Ok(if text {
        let bytes = read_plain(path, found.bytes)?;
        let line_at = |offset: usize| 1 + bytes[..offset].iter().filter(|&&b| b == b'\n').count();
        let (start, end) = (start.min(bytes.len()), end.min(bytes.len()));
        format!(
            "{name}: changed between line {} and {}{size}",
            line_at(start),
            line_at(end.saturating_sub(1))
        )
    } else {
        format!("{name}: changed between byte {start} and {end}{size}")
    })
}
