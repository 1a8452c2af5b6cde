//! The keys of a job that a program describes, section by section, as they would stand in a job file.

use std::path::{Path, PathBuf};

use privet_data::io::Frame;
use privet_kind::KindError;
use tempfile::TempDir;
use toml::{Table, Value};

use crate::records::{Source, write_frame};

/// Sections that need nothing of the input but its table.
const OF_A_TABLE: [&str; 6] = ["input", "columns", "privacy", "search", "adversary", "output"];

/// The keys of a job.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobKeys {
    table: Table,
    /// The first key that could not be set; told when the job is written.
    problem: Option<String>,
}

impl JobKeys {
    /// Sets a key, such as `search.mondrian.mode`.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        let path: Vec<&str> = key.split('.').collect();
        self.put(&path, value.into());
    }

    /// Sets a key by its path. What lies inside a value that is not a section is remembered as a problem.
    pub fn put(&mut self, path: &[&str], value: impl Into<Value>) {
        let Some((last, sections)) = path.split_last() else { return };
        let mut table = &mut self.table;
        for section in sections {
            let inner = table.entry((*section).to_owned()).or_insert_with(|| Value::Table(Table::new()));
            match inner {
                Value::Table(inner) => table = inner,
                _ => {
                    let key = path.join(".");
                    self.problem.get_or_insert(format!("`{key}` lies inside a value that is not a section"));
                    return;
                }
            }
        }
        table.insert((*last).to_owned(), value.into());
    }

    /// Sets a key that is not set yet.
    pub fn put_new(&mut self, path: &[&str], value: &str) {
        let found = path.iter().try_fold(None, |at: Option<&Value>, key| {
            let table = at.map_or(Some(&self.table), Value::as_table)?;
            table.get(*key).map(Some)
        });
        if found.is_none() {
            self.put(path, value);
        }
    }

    /// Sets every key of these sections; what was set before stays where they do not say otherwise.
    pub fn merge(&mut self, sections: Table) {
        merge(&mut self.table, sections);
    }

    /// Sets the role of a column.
    pub fn role(&mut self, column: &str, role: &str) {
        self.put(&["columns", column, "role"], role);
    }

    /// Writes the job and, of a frame, the records into a private folder. Gives where the job is, and its text.
    pub fn write(self, source: &Source, scratch: &TempDir) -> Result<(PathBuf, String), KindError> {
        let (path, text, frame) = self.write_lazily(source, scratch)?;
        if let Some(frame) = frame {
            write_frame(&frame, frame.path())?;
        }
        Ok((path, text))
    }

    /// The same without the records of a frame, where the job reads nothing but its table: the frame that stands for their file is given in
    /// its place.
    pub fn write_lazily(
        mut self,
        source: &Source,
        scratch: &TempDir,
    ) -> Result<(PathBuf, String, Option<Frame>), KindError> {
        if let Some(problem) = self.problem.take() {
            return Err(KindError::bad_input(problem));
        }
        let (input, mut frame) = match source {
            Source::File(path) => {
                (std::path::absolute(path).map_err(|error| KindError::io(path, &error))?, None)
            }
            Source::Frame(frame) => {
                let path = scratch.path().join("input.arrow");
                (path.clone(), Some(frame.clone().at(path)))
            }
        };
        // An engine, or a history of releases, looks for the file itself.
        if let Some(own) = frame.take_if(|_| self.table.keys().any(|key| !OF_A_TABLE.contains(&key.as_str())))
        {
            write_frame(&own, own.path())?;
        }
        let text = self.with_input(&input)?;
        let path = scratch.path().join("job.toml");
        std::fs::write(&path, &text).map_err(|error| KindError::io(&path, &error))?;
        Ok((path, text, frame))
    }

    fn with_input(&mut self, input: &Path) -> Result<String, KindError> {
        let Some(name) = input.to_str() else {
            let problem = "the path is not UTF-8; rename the file or the folder";
            return Err(KindError::bad_input(problem).at(input));
        };
        self.put(&["input", "path"], name);
        toml::to_string(&self.table)
            .map_err(|_| KindError::bad_input("a key of the job holds a value that TOML does not have"))
    }
}

/// A private folder, gone when it is dropped.
pub(crate) fn scratch() -> Result<TempDir, KindError> {
    crate::records::private_folder().map_err(|error| KindError::io(&std::env::temp_dir(), &error))
}

/// Sets the keys of `new`, section by section.
fn merge(old: &mut Table, new: Table) {
    for (key, value) in new {
        match (old.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (_, value) => {
                old.insert(key, value);
            }
        }
    }
}

/// A whole number as a job file has it.
pub(crate) fn whole(number: u64) -> Value {
    // A job file has no larger numbers, and no table has so many records.
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}
