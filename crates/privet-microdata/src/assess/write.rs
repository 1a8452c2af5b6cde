//! Files for the owner: what is concluded about each person, and the page.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use privet_attack::{Conclusions, Fate, Truth, Whom};
use privet_release::{Manifest, PartialFile, Published};
use privet_report::{Assessment, Facts};

use crate::error::{JobError, RunError};

/// Writes the owner's page.
pub fn page(path: &Path, manifest: &Manifest, assessment: &Assessment) -> Result<(), RunError> {
    let facts = Facts { attacks: assessment.attacks.clone(), ..Facts::default() };
    whole(path, privet_report::owner_html(manifest, &facts, assessment).as_bytes())
}

/// Writes a file whole or not at all.
pub fn whole(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let mut files = Staged::default();
    files.write(path, bytes)?;
    files.put()
}

/// The same for a file that tells no more than a release does, which others may read.
pub fn whole_for_others(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let mut files = Staged { access: Access::Others, files: Vec::new(), folders: Vec::new() };
    files.write(path, bytes)?;
    files.put()
}

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Access {
    /// Who wrote it: it tells of people by their records.
    #[default]
    Owner,
    /// Whoever the system lets.
    Others,
}

impl Access {
    fn create(self, path: &Path) -> std::io::Result<std::fs::File> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        if self == Self::Owner {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        options.open(path)
    }
}

/// Files that are written under other names, and put in place together. What is not put in place goes when it is dropped.
#[derive(Debug, Default)]
pub struct Staged {
    access: Access,
    /// What was written, and where it belongs.
    files: Vec<PartialFile>,
    /// Folders that were made for them, the innermost first.
    folders: Vec<PathBuf>,
}

impl Staged {
    /// Files of a folder, which is made when it is not there.
    pub fn in_folder(folder: &Path) -> Result<Self, RunError> {
        let new = folder.ancestors().take_while(|own| !own.as_os_str().is_empty() && !own.exists());
        let staged =
            Self { access: Access::Owner, files: Vec::new(), folders: new.map(Path::to_owned).collect() };
        std::fs::create_dir_all(folder)
            .map_err(|error| JobError::unwritten("cannot be made", folder, &error))?;
        Ok(staged)
    }

    /// Where to write a file that belongs here.
    pub fn part_of(&mut self, path: &Path) -> PathBuf {
        let part = PartialFile::beside(path);
        let written = part.path().to_owned();
        self.files.push(part);
        written
    }

    /// Writes a file.
    pub fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), RunError> {
        let part = self.part_of(path);
        let access = self.access;
        let write = || -> std::io::Result<()> {
            let mut file = access.create(&part)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        write().map_err(|error| cannot_be_written(path, &error))
    }

    /// Puts all files in place.
    pub fn put(mut self) -> Result<(), RunError> {
        self.folders.clear();
        while let Some(part) = self.files.pop() {
            let path = part.destination().to_owned();
            part.put().map_err(|error| cannot_be_written(&path, &error))?;
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // Files first: a folder with something in it stays.
        self.files.clear();
        for folder in &self.folders {
            // why: as above; a folder with something in it stays
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn cannot_be_written(path: &Path, error: &std::io::Error) -> RunError {
    JobError::unwritten("cannot be written", path, error).into()
}

/// The header of what is concluded about each person.
pub const PEOPLE: &str = "person,attack,column,candidates,exposed,guess,probability,right,possible\n";

/// A CSV with one line for each person and attack: candidates left, whether the person is exposed (`known`: the adversary knew the value
/// beforehand), the best guess with its
/// probability and whether it is right, and all values that are possible with their probabilities.
pub fn people(
    path: &Path,
    release: &Published,
    truth: Option<&Truth>,
    conclusions: &[Conclusions],
    name_of: &dyn Fn(u32) -> String,
) -> Result<(), RunError> {
    let mut text = String::from(PEOPLE);
    let mut person_of = HashMap::new();
    for (person, record) in (0u32..).zip(truth.into_iter().flat_map(|own| &own.record_of)) {
        person_of.extend(record.map(|record| (record, person)));
    }
    for own in conclusions {
        let column = own.column.and_then(|column| release.sensitive.get(column));
        let label = |value: u32| match (&own.concepts, column) {
            (Some(concepts), _) => concepts.get(value as usize).map_or("", String::as_str),
            (None, Some(column)) if (value as usize) < column.domain.len() => column.domain.text(value),
            _ => "",
        };
        let tells = |value: u32| {
            own.concepts.is_some() || column.is_none_or(|column| !column.domain.is_missing(value))
        };
        for (person, fate) in (0u32..).zip(&own.fate) {
            // Whose a record is the owner may know.
            let someone = match own.whom {
                Whom::People => Some(person),
                Whom::Records => person_of.get(&person).copied(),
                Whom::Rows => None,
            };
            let name = match (own.whom, someone) {
                (Whom::Rows, _) => format!("original record {}", u64::from(person) + 1),
                (_, Some(someone)) => name_of(someone),
                (_, None) => format!("record {}", u64::from(person) + 1),
            };
            let belief = own.beliefs.of(person);
            let guess = belief.and_then(|belief| belief.best(tells));
            let chance = own.chance.as_ref().and_then(|chance| chance.get(person as usize).copied());
            let value = match &own.truth {
                Some(codes) => codes.get(person as usize).copied(),
                None => someone.filter(|_| own.concepts.is_none()).and_then(|someone| {
                    truth?.values.get(own.column?)?.get(someone as usize).copied().flatten()
                }),
            };
            let right = match (fate, guess, value) {
                (Fate::Right, ..) => "yes",
                (Fate::Wrong, ..) => "no",
                (_, Some((guess, _)), Some(value)) if guess == value => "yes",
                (_, Some(_), Some(_)) => "no",
                _ => "",
            };
            let possible: Vec<String> = belief
                .iter()
                .flat_map(|belief| &belief.values)
                .map(|(value, chance)| format!("{} {chance:.4}", label(*value)))
                .collect();
            text.push_str(&format!(
                "{},{},{},{},{},{},{},{right},{}\n",
                quoted(&name),
                own.attack,
                column.map_or(String::new(), |column| quoted(&column.name)),
                belief.map_or(0, |belief| belief.candidates),
                match fate {
                    Fate::Hidden | Fate::Guessed => "no",
                    Fate::Stated => "known",
                    Fate::Exposed | Fate::Right | Fate::Wrong => "yes",
                },
                guess.map_or(String::new(), |(value, _)| quoted(label(value))),
                guess.map(|guess| guess.1).or(chance).map_or(String::new(), |chance| format!("{chance:.4}")),
                quoted(&possible.join("; ")),
            ));
        }
    }
    whole(path, text.as_bytes())
}

/// A cell of a CSV.
pub fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
