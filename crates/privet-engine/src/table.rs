//! A table in many Parquet files: where they lie, what columns they have, and which records are in which row group.
//!
//! Files of a folder or pattern are one table, in the order of their paths. Folders named `COLUMN=VALUE` add a column. The footers
//! are read before anything else. **Guarantee.** All files have the columns of the first, of the same types and in the same
//! place, or the table is refused with the name of the file that differs; records are numbered in the order of the files.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use futures::stream::{self, StreamExt, TryStreamExt};
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use privet_job::engine::EngineError;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::store::{ObjectReader, address_of, store_of};

/// Footers that are read at once.
const AT_ONCE: usize = 16;
/// What Hive writes for a missing value of a partition column.
const HIVE_NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// A table in files.
#[derive(Debug, Clone)]
pub struct FileTable {
    /// The files, in the order of their records.
    pub files: Vec<TableFile>,
    /// The columns of the files, and then those of their folders.
    pub schema: SchemaRef,
    /// How many of the columns are those of folders.
    pub folder_columns: usize,
}

/// A file of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFile {
    /// Where it lies.
    pub url: String,
    /// Its length in bytes.
    pub size: u64,
    /// Per row group its records.
    pub groups: Vec<u64>,
    /// Per column of its folders the value.
    pub folders: Vec<Option<String>>,
}

/// Consecutive records of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// The number of the file.
    pub file: usize,
    /// The row groups that they lie in.
    pub groups: Vec<usize>,
    /// Records of these groups that come before them.
    pub skip: u64,
    /// How many they are.
    pub rows: u64,
    /// The number of the first one in the table.
    pub first: u64,
}

impl FileTable {
    /// Finds the files of a table and reads their footers.
    ///
    /// # Errors
    /// When there are none, one cannot be read, or one has other columns than the first.
    pub async fn open(source: &Url) -> Result<Self, EngineError> {
        let store = store_of(source)?;
        let listed = list(store.as_ref(), source).await?;
        if listed.is_empty() {
            return Err(EngineError::input(format!(
                "{}: no Parquet file is there; a file, a folder of them or a pattern such as data/*.parquet is accepted",
                address_of(source)
            )));
        }
        let read = |(url, size): (Url, u64)| {
            let store = Arc::clone(&store);
            async move {
                let (schema, groups) = footer(store, &url, size).await?;
                Ok::<_, EngineError>((url, size, schema, groups))
            }
        };
        let footers: Vec<_> = stream::iter(listed).map(read).buffered(AT_ONCE).try_collect().await?;
        let mut files = Vec::with_capacity(footers.len());
        let mut known: Option<(SchemaRef, Vec<String>, String)> = None;
        for (url, size, schema, groups) in footers {
            let folders = folders_of(source, &url);
            let names: Vec<String> = folders.iter().map(|own| own.0.clone()).collect();
            let name = address_of(&url);
            match &known {
                None => known = Some((schema, names, name)),
                Some((first, others, of)) => {
                    same_columns(first, &schema, &name, of)?;
                    if *others != names {
                        return Err(EngineError::input(format!(
                            "{name}: its folders are named by other columns than those of {of}; all files of a table lie in \
                             folders COLUMN=VALUE of the same columns, or in none"
                        )));
                    }
                }
            }
            files.push(TableFile {
                url: url.into(),
                size,
                groups,
                folders: folders.into_iter().map(|own| own.1).collect(),
            });
        }
        let Some((schema, names, _)) = known else {
            return Err(EngineError::input("the table has no files"));
        };
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().map(Arc::clone).collect();
        for name in &names {
            if schema.column_with_name(name).is_some() {
                return Err(EngineError::input(format!(
                    "the files have a column {name}, and so have the names of their folders; name one of the folders instead"
                )));
            }
            fields.push(Arc::new(Field::new(name, DataType::Utf8, true)));
        }
        Ok(Self { files, schema: Arc::new(Schema::new(fields)), folder_columns: names.len() })
    }

    /// The number of records.
    pub fn rows(&self) -> u64 {
        self.files.iter().flat_map(|file| &file.groups).sum()
    }

    /// The bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// The records between each number of an ascending list and the next one, in one pass over the row groups.
    pub fn cut(&self, ends: &[u64]) -> Vec<Vec<Stretch>> {
        let mut parts: Vec<Vec<Stretch>> = vec![Vec::new(); ends.len().saturating_sub(1)];
        let (mut first, mut open) = (0, 0);
        for (file, own) in self.files.iter().enumerate() {
            for (group, &rows) in own.groups.iter().enumerate() {
                // Parts that end before this group are complete.
                while open < parts.len() && ends[open + 1] <= first {
                    open += 1;
                }
                for (part, ends) in parts[open..].iter_mut().zip(ends[open..].windows(2)) {
                    if ends[0] >= first + rows {
                        break;
                    }
                    let (start, end) = (first.max(ends[0]), (first + rows).min(ends[1]));
                    match part.last_mut() {
                        _ if start >= end => {}
                        Some(last) if last.file == file => {
                            last.groups.push(group);
                            last.rows += end - start;
                        }
                        _ => part.push(Stretch {
                            file,
                            groups: vec![group],
                            skip: start - first,
                            rows: end - start,
                            first: start,
                        }),
                    }
                }
                first += rows;
            }
        }
        parts
    }

    /// All records in about so many parts of consecutive row groups.
    pub fn parts(&self, wanted: usize) -> Vec<Vec<Stretch>> {
        let rows = self.rows();
        let each = rows.div_ceil(wanted.max(1) as u64).max(1);
        // Parts end where row groups end, so that no group is decoded twice.
        let mut ends = vec![0];
        let mut at = 0;
        for group in self.files.iter().flat_map(|file| &file.groups) {
            at += group;
            if at - ends.last().copied().unwrap_or(0) >= each {
                ends.push(at);
            }
        }
        if ends.last() != Some(&rows) {
            ends.push(rows);
        }
        self.cut(&ends)
    }
}

/// The Parquet files that an address stands for, in the order of their paths.
async fn list(store: &dyn ObjectStore, source: &Url) -> Result<Vec<(Url, u64)>, EngineError> {
    let path = path_of(source)?;
    let failed = |error: object_store::Error| failed_at(source, &error);
    let url_of = |path: &ObjectPath| {
        let mut url = source.clone();
        url.set_path(&format!("/{path}"));
        url
    };
    let raw = path.as_ref().to_owned();
    let (above, last) = raw.rsplit_once('/').unwrap_or(("", &raw));
    let is_pattern = last.contains(['*', '?']) || last.contains("%2A") || last.contains("%3F");
    if !is_pattern {
        match store.head(&path).await {
            Ok(meta) => return Ok(vec![(url_of(&path), meta.size)]),
            Err(object_store::Error::NotFound { .. }) => {}
            // A folder of a file system is no object.
            Err(_) if source.scheme() == "file" => {}
            Err(error) => return Err(failed(error)),
        }
    }
    let (folder, pattern) = match is_pattern {
        true => {
            let folder = ObjectPath::parse(above);
            let folder = folder.map_err(|_| EngineError::input("`input.path` is no path of objects"))?;
            (folder, Some(last.replace("%2A", "*").replace("%3F", "?")))
        }
        false => (path, None),
    };
    let listed: Vec<_> = store.list(Some(&folder)).try_collect().await.map_err(failed)?;
    let mut files: Vec<(ObjectPath, u64)> = Vec::new();
    for meta in listed {
        let Some(below) = meta.location.prefix_match(&folder) else { continue };
        let below: Vec<String> = below.map(|own| own.as_ref().to_owned()).collect();
        let Some((name, folders)) = below.split_last() else { continue };
        // Files and folders of programs are left out, and so are folders that name no column.
        let is_hidden = |name: &String| name.starts_with(['.', '_']);
        if is_hidden(name) || folders.iter().any(|own| is_hidden(own) || !own.contains('=')) {
            continue;
        }
        let fits = match &pattern {
            Some(pattern) => fits(pattern, name) && folders.is_empty(),
            None => [".parquet", ".pq"].iter().any(|end| name.to_ascii_lowercase().ends_with(end)),
        };
        if fits {
            files.push((meta.location, meta.size));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(path, size)| (url_of(&path), size)).collect())
}

/// Whether a name fits a pattern, in which `*` stands for any characters and `?` for one.
fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.chars().next(), name.chars().next()) {
        (None, None) => true,
        (Some('*'), next) => {
            fits(&pattern[1..], name) || next.is_some_and(|own| fits(pattern, &name[own.len_utf8()..]))
        }
        (Some(own), Some(next)) if own == '?' || own == next => {
            fits(&pattern[own.len_utf8()..], &name[next.len_utf8()..])
        }
        _ => false,
    }
}

/// The columns and values that the folders of a file are named by.
fn folders_of(source: &Url, file: &Url) -> Vec<(String, Option<String>)> {
    let decoded = |url: &Url| -> Vec<String> {
        url.path_segments().into_iter().flatten().map(|own| decode(&decode(own))).collect()
    };
    let above = decoded(source);
    let own = decoded(file);
    let same = above.iter().zip(&own).take_while(|(a, b)| a == b).count();
    let folders = &own[same.min(own.len().saturating_sub(1))..own.len().saturating_sub(1)];
    folders
        .iter()
        .filter_map(|folder| folder.split_once('='))
        .map(|(name, value)| (name.to_owned(), (value != HIVE_NULL).then(|| value.to_owned())))
        .collect()
}

/// Undoes `%41`.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|own| std::str::from_utf8(own).ok());
        match code.and_then(|own| u8::from_str_radix(own, 16).ok()).filter(|_| bytes[at] == b'%') {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(plain).unwrap_or_else(|_| text.to_owned())
}

/// The path of an object.
pub(crate) fn path_of(url: &Url) -> Result<ObjectPath, EngineError> {
    ObjectPath::from_url_path(url.path())
        .map_err(|_| EngineError::input(format!("{}: this is no path of an object", address_of(url))))
}

/// What is wrong with a store, without what it says of keys.
pub(crate) fn failed_at(url: &Url, error: &object_store::Error) -> EngineError {
    let name = address_of(url);
    match error {
        object_store::Error::NotFound { .. } => EngineError::input(format!("{name}: there is no such file")),
        object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
            EngineError::input(format!("{name}: the store does not give access; check the credentials"))
        }
        _ => EngineError::resources(format!("{name}: the store did not answer, or was cut off")),
    }
}

/// Reads the footer of a file: its columns, and per row group its records.
async fn footer(
    store: Arc<dyn ObjectStore>,
    url: &Url,
    size: u64,
) -> Result<(SchemaRef, Vec<u64>), EngineError> {
    let mut reader = ObjectReader { store, path: path_of(url)?, size };
    let metadata = ArrowReaderMetadata::load_async(&mut reader, ArrowReaderOptions::new()).await;
    // What the library says may quote the file.
    let metadata = metadata.map_err(|_| {
        EngineError::input(format!("{}: it is not a Parquet file, or its footer is damaged", address_of(url)))
    })?;
    let groups = metadata.metadata().row_groups().iter().map(|group| group.num_rows().max(0) as u64);
    Ok((Arc::clone(metadata.schema()), groups.collect()))
}

/// Two files have the same columns, or which differs.
fn same_columns(first: &Schema, other: &Schema, name: &str, of: &str) -> Result<(), EngineError> {
    let refused = |problem: String| Err(EngineError::input(format!("{name}: {problem}")));
    for field in first.fields() {
        match other.field_with_name(field.name()) {
            Err(_) => return refused(format!("it lacks the column {}, which {of} has", field.name())),
            Ok(own) if own.data_type() != field.data_type() => {
                return refused(format!(
                    "its column {} is of type {}, and that of {of} of type {}",
                    field.name(),
                    own.data_type(),
                    field.data_type()
                ));
            }
            Ok(_) => {}
        }
    }
    if let Some(field) = other.fields().iter().find(|own| first.field_with_name(own.name()).is_err()) {
        return refused(format!("it has the column {}, which {of} lacks", field.name()));
    }
    match first.fields().iter().zip(other.fields()).all(|(a, b)| a.name() == b.name()) {
        true => Ok(()),
        false => refused(format!("its columns stand in another order than those of {of}")),
    }
}
