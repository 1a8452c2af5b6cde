//! Where files for the owner may be written.
//!
//! # Guarantee
//! Nothing is written into a release, nor over what the command reads: the original, jobs, hierarchies, what an adversary
//! knows, people, a population, records to test on, by whatever path they are named. Of other files only those are
//! replaced that were written here before, which is told by how they begin.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use privet_data::io::{open_plain, read_plain_text};
use privet_release::MANIFEST;

use super::write;
use crate::candidate::base_of;
use crate::error::JobError;
use crate::overwrite::{real, spare_inputs, spare_inputs_within};
use crate::recoding;

/// What is written, which tells how a file of ours begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// A page.
    Page,
    /// What is concluded about each person.
    People,
    /// What each record risks.
    Risks,
    /// The facts of the owner's page.
    Facts,
    /// Where the values of a release went.
    Recoding,
}

/// How a file with what each record risks begins.
const RISKS: &str = "record,published,records_alike_before,";
/// Pages say who made them near their beginning.
const BEGINNING: u64 = 2048;

/// What a command reads.
#[derive(Debug, Default)]
pub struct Inputs {
    files: BTreeSet<PathBuf>,
    releases: BTreeSet<PathBuf>,
}

impl Inputs {
    /// Of a release folder, or a table in its stead.
    pub fn of_release(release: &Path) -> Self {
        Self { files: BTreeSet::new(), releases: BTreeSet::from([real(release)]) }
    }

    /// A table, or a job file, which says so by its ending.
    pub fn table(&mut self, path: Option<&Path>) {
        let Some(path) = path else { return };
        match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
            true => self.names(Some(path)),
            false => drop(self.files.insert(real(path))),
        }
    }

    /// A file in TOML, and everything that it names. What is wrong with it is told by whoever needs it.
    pub fn names(&mut self, path: Option<&Path>) {
        let Some(path) = path else { return };
        if !self.files.insert(real(path)) {
            return;
        }
        let text = read_plain_text(path).unwrap_or_default();
        let Ok(table) = toml::from_str::<toml::Table>(&text) else { return };
        let base = base_of(path);
        let mut open: Vec<&toml::Value> = table.values().collect();
        while let Some(value) = open.pop() {
            match value {
                // Any text may be a path: those that lead to something are.
                toml::Value::String(text) => {
                    let named = base.join(text);
                    if named.join(MANIFEST).is_file() {
                        self.releases.insert(real(&named));
                    } else if named.is_file() {
                        self.table(Some(&named));
                    }
                }
                toml::Value::Array(all) => open.extend(all),
                toml::Value::Table(all) => open.extend(all.values()),
                _ => {}
            }
        }
    }

    /// Refuses to write over what is read.
    pub fn spare_read(&self, path: &Path) -> Result<(), JobError> {
        spare_inputs(path, self.files.iter().map(PathBuf::as_path))
    }

    /// Refuses to replace a folder in which something is read.
    pub fn spare_read_in(&self, folder: &Path) -> Result<(), JobError> {
        spare_inputs_within(folder, self.files.iter().map(PathBuf::as_path))
    }

    /// Refuses to write where something else would be lost or handed over.
    pub fn spare(&self, files: &[(&Option<PathBuf>, Written)]) -> Result<(), JobError> {
        let given = || files.iter().filter_map(|(path, what)| Some((path.as_deref()?, *what)));
        for (at, (path, what)) in given().enumerate() {
            let place = real(path);
            if self.releases.iter().any(|release| place.starts_with(release)) {
                let problem =
                    "lies in the release folder; what is for the owner alone must be written elsewhere";
                return Err(JobError::new(problem).at(path));
            }
            self.spare_read(path)?;
            if given().take(at).any(|(other, _)| real(other) == place) {
                return Err(JobError::new("is named twice to be written; give each its own file").at(path));
            }
            spare(path, what)?;
        }
        Ok(())
    }
}

/// Refuses to replace what was not written here.
pub fn spare(path: &Path, what: Written) -> Result<(), JobError> {
    // A link is replaced, not what it leads to, which tells what is kept under this name.
    let in_the_way = path.exists() || path.is_symlink();
    if in_the_way && !is_ours(path, what) {
        let problem =
            "is there already and is no such file of privet’s, so it stays; name another, or remove it";
        return Err(JobError::new(problem).at(path));
    }
    Ok(())
}

/// Whether a file can be told to be an earlier one of the same kind. An empty one holds nothing that could be lost.
fn is_ours(path: &Path, what: Written) -> bool {
    if !path.is_file() {
        return false;
    }
    let most = if what == Written::Facts { u64::MAX } else { BEGINNING };
    let mut bytes = Vec::new();
    if open_plain(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).is_err() {
        return false;
    }
    // The cut may lie within a letter.
    let text = String::from_utf8_lossy(&bytes);
    text.is_empty()
        || match what {
            Written::Page => privet_report::is_page(&text),
            Written::People => text.starts_with(write::PEOPLE),
            Written::Risks => text.starts_with(RISKS),
            Written::Facts => privet_report::is_owner_json(&text),
            Written::Recoding => text.starts_with(recoding::BEGINS),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a job or a knowledge file leads to is spared, by any name.
    #[test]
    fn what_is_read_is_spared_by_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, text) in [
            (
                "k.toml",
                "job = \"job.toml\"\n[people]\npath = \"people.csv\"\n[[releases]]\nfolder = \"other\"\n",
            ),
            (
                "job.toml",
                "[input]\npath = \"sub/../data.csv\"\n[columns.a]\nhierarchy = { file = \"tree.csv\" }\n",
            ),
            ("people.csv", write::PEOPLE),
            ("data.csv", ""),
            ("tree.csv", ""),
            ("mine.csv", write::PEOPLE),
            ("notes.txt", "not ours"),
        ] {
            std::fs::write(at(name), text).unwrap();
        }
        std::fs::create_dir_all(at("sub")).unwrap();
        std::fs::create_dir_all(at("other")).unwrap();
        std::fs::write(at("other/manifest.json"), "{}").unwrap();
        let mut inputs = Inputs::of_release(&at("release"));
        inputs.names(Some(&at("k.toml")));
        let refused = |name: &str, what| match inputs.spare(&[(&Some(at(name)), what)]) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        for name in ["k.toml", "job.toml", "people.csv", "data.csv", "tree.csv", "sub/../data.csv"] {
            assert!(refused(name, Written::People).contains("is read by this command"), "{name}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("data.csv"), at("link.csv")).unwrap();
            assert!(refused("link.csv", Written::People).contains("is read by this command"));
            std::os::unix::fs::symlink(at("nowhere"), at("dangling.csv")).unwrap();
            assert!(refused("dangling.csv", Written::People).contains("is there already"));
        }
        assert!(refused("other/x.html", Written::Page).contains("release folder"));
        assert!(refused("notes.txt", Written::Page).contains("is there already"));
        assert!(refused("sub", Written::Page).contains("is there already"));
        // A file of ours is replaced by one of the same kind only.
        assert_eq!(refused("mine.csv", Written::People), "");
        assert!(refused("mine.csv", Written::Risks).contains("is there already"));
        assert_eq!(refused("new.html", Written::Page), "");
        let twice = Some(at("new.html"));
        let both = inputs.spare(&[(&twice, Written::Page), (&twice, Written::People)]);
        assert!(both.unwrap_err().to_string().contains("twice"));
    }
}
