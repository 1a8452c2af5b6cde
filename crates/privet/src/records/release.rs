//! Anonymized records that a program holds: a complete release, not yet put anywhere.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use privet_data::Silent;
use privet_data::io::{Format, input_limit, read_plain, read_plain_text};
use privet_job::{Summary, assess};
use privet_kind::{KindError, Knowledge};
use privet_release::manifest::File;
use privet_release::{Draft, Manifest, Verdict, VerifyOptions};
use tempfile::TempDir;

use super::{error, frame};
use crate::compare::{Comparison, compare};

/// Anonymized records. What was not written with [`AnonymizedRelease::write`] is gone when this is dropped.
#[derive(Debug)]
pub struct AnonymizedRelease {
    /// The private folder with the release, the job and, for frames, the input.
    scratch: TempDir,
    summary: Summary,
}

impl AnonymizedRelease {
    pub(super) fn new(scratch: TempDir, summary: Summary) -> Self {
        Self { scratch, summary }
    }

    /// The private folder that holds the release until this is dropped.
    pub fn folder(&self) -> PathBuf {
        self.scratch.path().join("release")
    }

    /// The job file that made it, which names the original.
    pub fn job(&self) -> PathBuf {
        self.scratch.path().join("job.toml")
    }

    /// What was done: records, classes, levels, metrics.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// What the release states about itself.
    ///
    /// # Errors
    /// When the release is not one of records.
    pub fn manifest(&self) -> Result<Manifest, KindError> {
        manifest_in(&self.folder())
    }

    /// The published records as a frame.
    ///
    /// # Errors
    /// When the release is not one of records.
    pub fn batch(&self) -> Result<RecordBatch, KindError> {
        read_records(&self.folder())
    }

    /// Checks every promise again from the published files alone.
    ///
    /// # Errors
    /// When a promise rests on a population table, which a folder is verified with.
    pub fn verify(&self) -> Result<Verdict, KindError> {
        privet_job::verify(&self.folder(), VerifyOptions::default())
            .map_err(|error| KindError::bad_input(error.to_string()))
    }

    /// Attacks the release with what an adversary is assumed to know, scored by the original.
    ///
    /// # Errors
    /// When the knowledge cannot be used.
    pub fn attack(&self, known: &Knowledge) -> Result<privet_report::Assessment, KindError> {
        let options = assess::AttackOptions {
            release: self.folder(),
            knowledge: known.file().map(Path::to_owned),
            original: Some(self.job()),
            confidence: known.confidence,
            seed: known.seed,
            ..assess::AttackOptions::default()
        };
        assess::attack(&options, &Silent).map_err(error)
    }

    /// Compares the release with its original: what it is still good for, and what its records risk.
    ///
    /// # Errors
    /// When the original cannot be read any more.
    pub fn measure(&self) -> Result<privet_report::Assessment, KindError> {
        self.compare().run()
    }

    /// Begins to compare the release with its original: what is learned, which questions are asked, what a population knows.
    pub fn compare(&self) -> Comparison {
        compare(self.job(), self.folder())
    }

    /// The report of the release as one HTML page.
    ///
    /// # Errors
    /// When the page cannot be read.
    pub fn report(&self) -> Result<String, KindError> {
        let path = self.folder().join("report.html");
        read_plain_text(&path).map_err(|error| KindError::io(&path, &error))
    }

    /// Puts the release into a folder of its own, whole or not at all; a release that stands there is replaced.
    ///
    /// # Errors
    /// When something else stands there, or the system refuses.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), KindError> {
        let draft = Draft::begin(folder.as_ref(), true)?;
        let manifest = self.manifest()?;
        copy_files(&self.folder(), &manifest.files, &draft)?;
        draft.commit(manifest)?;
        Ok(())
    }
}

/// Copies the files of a release into a draft.
pub(crate) fn copy_files(folder: &Path, files: &[File], draft: &Draft) -> Result<(), KindError> {
    use std::io::Write;
    for file in files {
        let path = folder.join(&file.name);
        let bytes = read_plain(&path, input_limit()).map_err(|error| KindError::io(&path, &error))?;
        let mut copy = draft.create(&file.name)?;
        copy.write_all(&bytes).map_err(|error| KindError::io(&path, &error))?;
        copy.finish()?;
    }
    Ok(())
}

/// The records of a published folder as a frame.
///
/// # Errors
/// When the release is not one of records.
pub fn read_records(folder: &Path) -> Result<RecordBatch, KindError> {
    frame::read(&folder.join(manifest_in(folder)?.data.file))
}

/// The names of the published tables of a folder of any kind, in alphabetical order.
///
/// # Errors
/// When the folder cannot be read.
pub fn table_names(folder: &Path) -> Result<Vec<String>, KindError> {
    let failed = |error: std::io::Error| KindError::io(folder, &error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if let (Some(_), Some(name)) = (Format::of(&path), path.file_name()) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// A published table of a folder of any kind; the only one where none is named.
///
/// # Errors
/// When there is no such table, or several and none is named.
pub fn read_table(folder: &Path, name: Option<&str>) -> Result<RecordBatch, KindError> {
    let names = table_names(folder)?;
    let chosen = match (name, &names[..]) {
        (Some(name), _) => names.iter().find(|own| *own == name),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    match chosen {
        Some(name) => frame::read(&folder.join(name)),
        None if names.is_empty() => Err(KindError::bad_input("the release has no table")),
        None => {
            Err(KindError::bad_input(format!("name one of the tables of the release: {}", names.join(", "))))
        }
    }
}

pub(super) fn manifest_in(folder: &Path) -> Result<Manifest, KindError> {
    let path = folder.join(privet_release::MANIFEST);
    let bytes = privet_release::manifest_at(folder).map_err(|error| KindError::io(&path, &error))?;
    Ok(Manifest::parse(&bytes)?)
}
