//! A perturbed release as its readers have it: the manifest and the published table.

use std::path::Path;

use privet_data::{Progress, Table};

use super::{Change, PERTURBED, PerturbedManifest};
use crate::PublishedError;
use crate::manifest_file::ManifestFile;
use crate::published::{Written, intact, read_table};

/// A perturbed release read back.
#[derive(Debug, Clone)]
pub struct PublishedPerturbed {
    /// What it says of itself.
    pub manifest: PerturbedManifest,
    /// The published table, with the columns of the manifest in their order.
    pub table: Table,
}

impl PublishedPerturbed {
    /// Reads a release folder. It believes the manifest; [`verify`](crate::verify()) judges it.
    ///
    /// # Errors
    /// When it is no perturbed release, its records were changed by another method than laws of columns, or its table is
    /// not the one that its manifest describes.
    pub fn open(folder: &Path, progress: &dyn Progress) -> Result<Self, PublishedError> {
        Self::of(&manifest_at(folder)?, progress)
    }

    /// Reads the release of a manifest.
    ///
    /// # Errors
    /// As [`PublishedPerturbed::open`].
    pub fn of(file: &ManifestFile, progress: &dyn Progress) -> Result<Self, PublishedError> {
        let manifest = manifest_of(file)?;
        intact(file.folder(), &manifest.files, [manifest.data.file.as_str()].into_iter(), progress)?;
        Self::read(file.folder(), manifest, progress)
    }

    /// Reads the table of a folder whose manifest is at hand, such as one that is not handed over yet.
    ///
    /// # Errors
    /// As [`PublishedPerturbed::open`].
    pub fn read(
        folder: &Path,
        manifest: PerturbedManifest,
        progress: &dyn Progress,
    ) -> Result<Self, PublishedError> {
        if let Some(problem) = manifest.lawless() {
            return Err(PublishedError::Other { folder: folder.to_owned(), problem });
        }
        let table = table_of(folder, &manifest, &manifest.data.file, progress)?;
        Ok(Self { manifest, table })
    }
}

/// A release of swapped or synthetic records read back, with all its copies.
#[derive(Debug, Clone)]
pub struct PublishedRecords {
    /// What it says of itself.
    pub manifest: PerturbedManifest,
    /// The published tables, at least one, each with the columns of the manifest in their order.
    pub tables: Vec<Table>,
}

impl PublishedRecords {
    /// Reads a release folder. It believes the manifest; [`verify`](crate::verify()) judges it.
    ///
    /// # Errors
    /// When its records were neither swapped nor are they synthetic, or a table is not the one that the manifest describes.
    pub fn open(folder: &Path, progress: &dyn Progress) -> Result<Self, PublishedError> {
        Self::of(&manifest_at(folder)?, progress)
    }

    /// Reads the release of a manifest.
    ///
    /// # Errors
    /// As [`PublishedRecords::open`].
    pub fn of(file: &ManifestFile, progress: &dyn Progress) -> Result<Self, PublishedError> {
        let manifest = manifest_of(file)?;
        let tables = manifest.tables().into_iter().chain([manifest.data.file.as_str()]);
        intact(file.folder(), &manifest.files, tables, progress)?;
        Self::read(file.folder(), manifest, progress)
    }

    /// Reads the tables of a folder whose manifest is at hand, such as one that is not handed over yet.
    ///
    /// # Errors
    /// As [`PublishedRecords::open`].
    pub fn read(
        folder: &Path,
        manifest: PerturbedManifest,
        progress: &dyn Progress,
    ) -> Result<Self, PublishedError> {
        let has_tables = match &manifest.change {
            Change::Laws => false,
            Change::Swapped(_) => true,
            Change::Synthetic(own) => !own.copies.is_empty(),
        };
        if !has_tables {
            let problem = "its records were neither swapped nor are they synthetic";
            return Err(PublishedError::Other { folder: folder.to_owned(), problem });
        }
        let files = manifest.tables().into_iter();
        let tables =
            files.map(|file| table_of(folder, &manifest, file, progress)).collect::<Result<_, _>>()?;
        Ok(Self { manifest, tables })
    }

    /// Whether published records stand in the order of the original, one for each of its records.
    pub fn is_in_order(&self) -> bool {
        self.manifest.change.synthesis().is_none_or(|own| own.scope == "partial")
    }

    /// The names of the columns whose values were changed.
    pub fn changed(&self) -> Vec<&str> {
        match &self.manifest.change {
            Change::Laws => Vec::new(),
            Change::Swapped(own) => own.columns.iter().map(|column| column.name.as_str()).collect(),
            Change::Synthetic(own) => own.columns.iter().map(|column| column.name.as_str()).collect(),
        }
    }
}

fn manifest_at(folder: &Path) -> Result<ManifestFile, PublishedError> {
    ManifestFile::read(folder).map_err(|error| match error {
        PublishedError::NotARelease(folder) => PublishedError::NotPerturbed(folder),
        other => other,
    })
}

fn manifest_of(file: &ManifestFile) -> Result<PerturbedManifest, PublishedError> {
    let folder = file.folder();
    if file.kind().is_some_and(|kind| kind != PERTURBED) {
        let problem = "it is a release of another kind; this needs one that `privet randomize` made";
        return Err(PublishedError::Other { folder: folder.to_owned(), problem });
    }
    PerturbedManifest::parse(file.bytes())
        .map_err(|source| PublishedError::Manifest { folder: folder.to_owned(), source })
}

fn table_of(
    folder: &Path,
    manifest: &PerturbedManifest,
    file: &str,
    progress: &dyn Progress,
) -> Result<Table, PublishedError> {
    let data = &manifest.data;
    let written = Written {
        format: &data.format,
        delimiter: data.delimiter,
        encoding: data.encoding.as_deref(),
        missing: &manifest.model.missing,
        equality_of: Default::default(),
    };
    let table = read_table(folder, file, &written, progress)?;
    let names = manifest.model.columns.iter().map(|column| column.name.as_str());
    if !table.columns.iter().map(|column| column.name.as_str()).eq(names) {
        let problem = "the columns of the table are not those of the manifest";
        return Err(PublishedError::Other { folder: folder.to_owned(), problem });
    }
    Ok(table)
}
