//! A perturbed release as its readers have it: the manifest and the published table.

use std::fs;
use std::io;
use std::path::Path;

use privet_data::io::{Encoding, Format, ReadOptions, read};
use privet_data::{Progress, Table};

use super::{PERTURBED, PerturbedManifest};
use crate::folder::is_plain_name;
use crate::{MANIFEST, PublishedError, seal};

/// A perturbed release read back.
#[derive(Debug, Clone)]
pub struct PublishedPerturbed {
    /// What it says of itself.
    pub manifest: PerturbedManifest,
    /// The published table, with the columns of the manifest in their order.
    pub table: Table,
}

impl PublishedPerturbed {
    /// Whether a folder says of itself that it is a perturbed release. What cannot be read is none.
    pub fn is_at(folder: &Path) -> bool {
        fs::read(folder.join(MANIFEST)).is_ok_and(|bytes| seal::kind_of(&bytes).as_deref() == Some(PERTURBED))
    }

    /// Reads a release folder. It believes the manifest; [`verify`](crate::verify()) judges it.
    ///
    /// # Errors
    /// When it is no perturbed release, its records were changed by another method than laws of columns, or its table is not the one that its manifest describes.
    pub fn open(folder: &Path, progress: &dyn Progress) -> Result<Self, PublishedError> {
        let path = folder.join(MANIFEST);
        let bytes = fs::read(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                PublishedError::NotARelease(folder.to_owned())
            }
            _ => PublishedError::Io { path, source },
        })?;
        let wrong = |problem| PublishedError::Other { folder: folder.to_owned(), problem };
        if seal::kind_of(&bytes).is_some_and(|kind| kind != PERTURBED) {
            return Err(wrong(
                "it is a release of another kind; this needs one that `privet randomize` made",
            ));
        }
        let manifest = PerturbedManifest::parse(&bytes)
            .map_err(|source| PublishedError::Manifest { folder: folder.to_owned(), source })?;
        if let Some(problem) = manifest.lawless() {
            return Err(wrong(problem));
        }
        let data = &manifest.data;
        if !is_plain_name(&data.file) {
            return Err(wrong("the manifest names a data file that cannot stand in a release folder"));
        }
        let formats = [Format::Csv, Format::Parquet, Format::Arrow];
        let Some(format) = formats.into_iter().find(|format| format.word() == data.format) else {
            return Err(wrong("the manifest names an unknown format"));
        };
        let options = ReadOptions {
            format: Some(format),
            delimiter: data.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok()),
            quote: Some(b'"'),
            header: Some(true),
            encoding: (data.encoding.as_deref() == Some("latin-1")).then_some(Encoding::Latin1),
            missing: manifest.model.missing.clone(),
            columns: None,
        };
        let table = read(&folder.join(&data.file), &options, progress)?.table;
        let names = manifest.model.columns.iter().map(|column| column.name.as_str());
        if !table.columns.iter().map(|column| column.name.as_str()).eq(names) {
            return Err(wrong("the columns of the table are not those of the manifest"));
        }
        Ok(Self { manifest, table })
    }
}
