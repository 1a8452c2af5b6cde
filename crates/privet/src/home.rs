//! The owner's folder: what a run keeps for the owner alone.
//!
//! Guarantee: no file is written over that the run reads, and none that is not an earlier file of the same form. All files are on the disk
//! before the first one gets its name, and each is there whole or not at all. Only their owner may read them.

use std::path::{Path, PathBuf};

use privet_data::io::{input_limit, is_same_file, read_plain, real};
use privet_kind::{KindError, OwnerFiles, Page};
use privet_release::{PAGES, PartialFile};

use crate::pages;

/// Refuses to lose what is read, and to put what is for the owner alone where everybody reads. It is asked before anything is made.
pub(crate) fn check(
    release: &Path,
    home: Option<&Path>,
    inputs: &[PathBuf],
    job: &Path,
) -> Result<(), KindError> {
    let place = real(release);
    let read = || inputs.iter().map(PathBuf::as_path).chain([job]);
    if let Some(input) = read().find(|input| real(input).starts_with(&place)) {
        let problem = "lies in the folder of the release and would be lost; name another folder in [output]";
        return Err(KindError::bad_input(problem).at(input));
    }
    let Some(home) = home else { return Ok(()) };
    let own = real(home);
    if own.starts_with(&place) || place.starts_with(&own) {
        let problem =
            "must lie outside the release folder, and the release outside of it: it is for the owner alone";
        return Err(KindError::key("output.home", problem));
    }
    for name in PAGES {
        let path = home.join(name);
        spare(&path, read())?;
        // What is there and what will be is compared later; what is surely another's is refused before the work begins.
        if in_the_way(&path) && !read_earlier(&path).is_some_and(|text| is_page(name, &text)) {
            return Err(foreign(&path));
        }
    }
    Ok(())
}

/// Writes the owner's files.
pub(crate) fn keep(
    home: &Path,
    owner: &OwnerFiles,
    page: &Page,
    inputs: &[PathBuf],
    job: &Path,
) -> Result<(), KindError> {
    std::fs::create_dir_all(home).map_err(|error| KindError::io(home, &error))?;
    let pages = pages::files(page);
    let pages = pages.iter().map(|(name, bytes)| (*name, bytes.as_slice()));
    let files: Vec<(PathBuf, &[u8])> =
        owner.iter().chain(pages).map(|(name, bytes)| (home.join(name), bytes)).collect();
    for (path, bytes) in &files {
        spare(path, inputs.iter().map(PathBuf::as_path).chain([job]))?;
        if in_the_way(path) && !read_earlier(path).is_some_and(|old| is_earlier(path, &old, bytes)) {
            return Err(foreign(path));
        }
    }
    let written: Vec<(&Path, PartialFile)> = files
        .iter()
        .map(|(path, bytes)| Ok((path.as_path(), write(path, bytes)?)))
        .collect::<Result<_, KindError>>()?;
    written.into_iter().try_for_each(|(path, own)| own.put().map_err(|error| KindError::io(path, &error)))
}

/// Writes a file that only its owner may read, whole or not at all.
pub(crate) fn private(path: &Path, bytes: &[u8]) -> Result<(), KindError> {
    write(path, bytes)?.put().map_err(|error| KindError::io(path, &error))
}

fn write(path: &Path, bytes: &[u8]) -> Result<PartialFile, KindError> {
    use std::io::Write;
    let failed = |error: std::io::Error| KindError::io(path, &error);
    let partial = PartialFile::beside(path);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(partial.path()).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(partial)
}

fn spare<'a>(path: &Path, mut read: impl Iterator<Item = &'a Path>) -> Result<(), KindError> {
    match read.any(|input| is_same_file(path, input)) {
        true => {
            let problem = "is read by this command and would be lost; name another folder as `output.home`";
            Err(KindError::bad_input(problem).at(path))
        }
        false => Ok(()),
    }
}

fn foreign(path: &Path) -> KindError {
    let problem = "is there already and is no such file of privet’s, so it stays; name another folder as `output.home`, or remove the file";
    KindError::bad_input(problem).at(path)
}

fn in_the_way(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// A plain file, as text. A link leads elsewhere, so what it leads to is none of ours.
fn read_earlier(path: &Path) -> Option<String> {
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|own| own.is_file());
    is_file.then(|| String::from_utf8(read_plain(path, input_limit()).ok()?).ok())?
}

/// Whether a text is a page of a release or of its owner, or nothing that could be lost.
fn is_page(name: &str, text: &str) -> bool {
    text.is_empty()
        || match name.ends_with(".html") {
            true => privet_report::is_page(text),
            false => {
                privet_report::is_owner_json(text)
                    || keys(text).is_some_and(|own| own.contains(&"verdict".into()))
            }
        }
}

/// Whether a file has the form of the one that is to replace it: the same header of a table, the same keys of JSON, a key as long.
fn is_earlier(path: &Path, old: &str, new: &[u8]) -> bool {
    let name = path.file_name().and_then(|own| own.to_str()).unwrap_or_default();
    let new = std::str::from_utf8(new).unwrap_or_default();
    let is_key = |text: &str| text.trim_end().bytes().all(|byte| byte.is_ascii_hexdigit());
    if old.is_empty() || old == new {
        return true;
    }
    if PAGES.contains(&name) {
        return is_page(name, old);
    }
    match path.extension().and_then(|own| own.to_str()) {
        Some("csv") => old.lines().next() == new.lines().next(),
        Some("json") => match (keys(old), keys(new)) {
            (Some(old), Some(new)) => !old.is_empty() && (is_within(&old, &new) || is_within(&new, &old)),
            _ => false,
        },
        _ => old.len() == new.len() && is_key(old) && is_key(new),
    }
}

fn is_within(some: &[String], all: &[String]) -> bool {
    some.iter().all(|key| all.contains(key))
}

/// The keys of a text that is an object in JSON.
fn keys(text: &str) -> Option<Vec<String>> {
    match serde_json::from_str(text) {
        Ok(serde_json::Value::Object(own)) => Some(own.into_iter().map(|(key, _)| key).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_of_the_same_form_is_an_earlier_one() {
        let is = |name: &str, old: &str, new: &str| is_earlier(Path::new(name), old, new.as_bytes());
        assert!(is("who.csv", "record,person\n1,2\n", "record,person\n"));
        assert!(!is("who.csv", "name,age\nx,3\n", "record,person\n"));
        assert!(is("history.json", r#"{"releases":[]}"#, r#"{"releases":[1],"format":1}"#));
        assert!(!is("history.json", r#"{"mine":1}"#, r#"{"releases":[1]}"#));
        assert!(!is("history.json", "{}", r#"{"releases":[1]}"#) && !is("history.json", "x", r#"{"a":1}"#));
        assert!(is("release.key", "00ff\n", "12ab\n") && !is("release.key", "mine\n", "12ab\n"));
        assert!(is("release.key", "", "12ab\n"), "nothing is lost");
        assert!(!is("report.html", "<!DOCTYPE html><p>mine", "<!DOCTYPE html>"));
        assert!(!is("report.json", "[1]", "{}"));
    }

    #[test]
    fn what_is_read_or_not_ours_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("home")).unwrap();
        std::fs::write(at("home/report.json"), r#"{"mine":1}"#).unwrap();
        let judged =
            |home: &str, inputs: &[PathBuf]| check(&at("release"), Some(&at(home)), inputs, &at("job.toml"));
        assert!(judged("home", &[]).is_err(), "a report of somebody else");
        std::fs::write(at("home/report.json"), r#"{"verdict":{}}"#).unwrap();
        judged("home", &[]).unwrap();
        assert!(judged("home", &[at("home/report.json")]).is_err(), "it is read");
        assert!(judged("release/home", &[]).is_err() && judged("new", &[at("release/t.csv")]).is_err());
    }
}
