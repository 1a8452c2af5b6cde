//! A release as its readers have it: the published table, who stands together in it, and what its labels may mean.
//!
//! Users and adversaries start from the same files. [`Published`] is what those files say, in codes, for everything
//! that measures a release, answers questions from it, or attacks it. It believes the manifest about the roles of
//! columns; that the release keeps its promises is for [`verify`](crate::verify()) to say.

mod fit;
mod histograms;
mod labels;
mod ordered;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use foldhash::{HashMap, HashMapExt};
use privet_data::io::{Encoding, Format, ReadError, ReadOptions, input_limit, open_plain, read, read_plain};
use privet_data::{Cancelled, Equality, Progress, Table};

use crate::folder::is_plain_name;
use crate::manifest::{File, Form};
use crate::parts::parts_of;
use crate::{MANIFEST, Manifest, ManifestError, ManifestFile};
pub use fit::{Recoded, fits, kind_shown, open_labels};
pub use histograms::{Histograms, SensitiveColumn};
pub use labels::{Meaning, Reading, coverage, hides_missing, kind_behind, reading_of, reading_of_levels};

/// A release read back.
#[derive(Debug, Clone)]
pub struct Published {
    /// What it says of itself; absent for a table that is no release of ours.
    pub manifest: Option<Box<Manifest>>,
    /// The published table.
    pub table: Table,
    /// Positions of the quasi columns.
    pub quasi: Vec<usize>,
    /// Per record the class or bucket it stands in, numbered in the order of their first records.
    pub group_of: Vec<u32>,
    /// Per group its records.
    pub groups: Vec<u64>,
    /// The sensitive columns.
    pub sensitive: Vec<SensitiveColumn>,
}

/// Why a release cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishedError {
    /// There is no such folder, or it is no release.
    #[error("{} holds no manifest.json, so it is not a release; give the folder that `privet anonymize` or `privet randomize` wrote", .0.display())]
    NotARelease(PathBuf),
    /// The same, where only a perturbed release would do.
    #[error("{} holds no manifest.json, so it is not a release; give the folder that `privet randomize` wrote", .0.display())]
    NotPerturbed(PathBuf),
    /// The manifest cannot be read.
    #[error("{}: {source}", folder.display())]
    Manifest {
        /// The release.
        folder: PathBuf,
        /// What is wrong.
        source: ManifestError,
    },
    /// The release has no table of records.
    #[error("{} is a `{kind}` release; this needs a `generalized` or `bucketized` one", folder.display())]
    Kind {
        /// The release.
        folder: PathBuf,
        /// Its kind.
        kind: String,
    },
    /// A table of the release cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The table is not the one that the manifest describes.
    #[error("{}: {problem}; `privet verify` tells more", folder.display())]
    Other {
        /// The release.
        folder: PathBuf,
        /// What does not fit.
        problem: &'static str,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The person asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl From<Cancelled> for PublishedError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl Published {
    /// Reads a release folder. Cells mean "not known" where its manifest says so.
    ///
    /// # Errors
    /// When it is no release, has no table of records, or its files are not those that its manifest describes.
    pub fn open(folder: &Path, progress: &dyn Progress) -> Result<Self, PublishedError> {
        Self::of(&ManifestFile::read(folder)?, None, progress)
    }

    /// Reads the release of a manifest; in its tables these cells mean "not known", or those that the manifest names.
    ///
    /// # Errors
    /// As [`Published::open`].
    pub fn of(
        file: &ManifestFile,
        missing: Option<&[String]>,
        progress: &dyn Progress,
    ) -> Result<Self, PublishedError> {
        let manifest = described(file, progress)?;
        let named = || manifest.data.missing.clone().unwrap_or_else(|| vec![String::new()]);
        let missing = missing.map_or_else(named, <[String]>::to_vec);
        Self::read(file.folder(), manifest, &missing, progress)
    }

    /// Reads the files of a release whose manifest is at hand; it may not be written yet.
    ///
    /// # Errors
    /// As [`Published::open`].
    pub fn read(
        folder: &Path,
        manifest: Manifest,
        missing: &[String],
        progress: &dyn Progress,
    ) -> Result<Self, PublishedError> {
        let wrong = |problem| PublishedError::Other { folder: folder.to_owned(), problem };
        let data = &manifest.data;
        let (format, delimiter, encoding) = (data.format.as_str(), data.delimiter, data.encoding.as_deref());
        // Labels are as they stand; values that are protected are the same however they are written.
        let known = manifest.equality();
        let sensitive = (data.columns.iter().filter(|own| own.role == "sensitive").map(|own| &own.name))
            .chain(data.sensitive_tables.iter().map(|own| &own.column));
        let equality_of =
            sensitive.map(|name| (name.clone(), known.get(name).copied().unwrap_or_default())).collect();
        let written = Written { format, delimiter, encoding, missing, equality_of };
        let table = read_table(folder, &data.file, &written, progress)?;
        let names: Vec<&str> = manifest.data.columns.iter().map(|column| column.name.as_str()).collect();
        if !table.columns.iter().map(|column| column.name.as_str()).eq(names) {
            return Err(wrong("the columns of the table are not those of the manifest"));
        }
        let with_role = |role: &str| -> Vec<usize> {
            let columns = manifest.data.columns.iter().enumerate();
            columns.filter(|(_, column)| column.role == role).map(|(position, _)| position).collect()
        };
        let (quasi, sensitive, buckets) = (with_role("quasi"), with_role("sensitive"), with_role("bucket"));
        let Some(&bucket) = buckets.first() else {
            let mut published = Self::of_table(table, quasi, sensitive, progress)?;
            published.manifest = Some(Box::new(manifest));
            return Ok(published);
        };
        // Groups are the buckets, whatever their records show.
        let (group_of, groups) = numbered(&table.columns[bucket].codes, table.columns[bucket].domain.len());
        let mut number_of: HashMap<&str, u32> = HashMap::new();
        for (record, &group) in group_of.iter().enumerate() {
            let column = &table.columns[bucket];
            number_of.insert(column.domain.text(column.codes[record]), group);
        }
        let mut columns = Vec::new();
        for own in &manifest.data.sensitive_tables {
            let counted = read_table(folder, &own.file, &written, progress)?;
            let [buckets, values, counts] = &*counted.columns else {
                return Err(wrong("a table of sensitive values has not the columns bucket, value and count"));
            };
            let mut cells = Vec::with_capacity(counted.rows);
            for row in 0..counted.rows {
                let group = number_of.get(buckets.domain.text(buckets.codes[row]));
                let count = counts.domain.text(counts.codes[row]).parse().ok();
                let (Some(&group), Some(count)) = (group, count) else {
                    return Err(wrong(
                        "a table of sensitive values names a bucket that the data has not, or no count",
                    ));
                };
                cells.push((group, values.codes[row], count));
            }
            cells.sort_unstable();
            let histograms = Histograms::of_cells(cells.into_iter(), groups.len());
            let sum = |group: u32| {
                let cells = histograms.of(group).iter();
                cells.map(|cell| cell.1).try_fold(0u64, u64::checked_add)
            };
            let fits = (0..groups.len() as u32).all(|group| sum(group) == Some(groups[group as usize]));
            if !fits {
                return Err(wrong("a bucket has another number of sensitive values than of records"));
            }
            let (name, domain) = (own.column.clone(), values.domain.clone());
            columns.push(SensitiveColumn { name, domain, codes: None, histograms });
        }
        Ok(Self { manifest: Some(Box::new(manifest)), table, quasi, group_of, groups, sensitive: columns })
    }

    /// A table whose records stand together when they show the same in all quasi columns.
    ///
    /// # Errors
    /// When the person asks to stop.
    pub fn of_table(
        table: Table,
        quasi: Vec<usize>,
        sensitive: Vec<usize>,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let (group_of, groups) = group(&table, &quasi, progress)?;
        let sensitive = sensitive
            .into_iter()
            .map(|position| {
                let column = &table.columns[position];
                SensitiveColumn {
                    name: column.name.clone(),
                    domain: column.domain.clone(),
                    codes: Some(column.codes.clone()),
                    histograms: Histograms::count(&group_of, groups.len(), &column.codes),
                }
            })
            .collect();
        Ok(Self { manifest: None, table, quasi, group_of, groups, sensitive })
    }

    /// The release to somebody who knows more columns than the quasi ones: records stand together when they show the same in these too.
    /// Buckets stay what they are.
    ///
    /// # Errors
    /// When the person asks to stop.
    pub fn knowing(&self, more: &[usize], progress: &dyn Progress) -> Result<Self, Cancelled> {
        let quasi: Vec<usize> = self.quasi.iter().chain(more).copied().collect();
        if self.sensitive.iter().any(|own| own.codes.is_none()) {
            return Ok(Self { quasi, ..self.clone() });
        }
        let (group_of, groups) = group(&self.table, &quasi, progress)?;
        let mut sensitive = self.sensitive.clone();
        for own in &mut sensitive {
            let codes = own.codes.as_deref().unwrap_or_default();
            own.histograms = Histograms::count(&group_of, groups.len(), codes);
        }
        Ok(Self {
            manifest: self.manifest.clone(),
            table: self.table.clone(),
            quasi,
            group_of,
            groups,
            sensitive,
        })
    }

    /// Records of the input: those published and those suppressed.
    pub fn input_rows(&self) -> u64 {
        self.manifest.as_ref().map_or(self.table.rows as u64, |manifest| manifest.data.input_rows)
    }

    /// Whether sensitive values are counted per group only, in tables of their own.
    pub fn separates_values(&self) -> bool {
        self.manifest.as_ref().is_some_and(|manifest| manifest.kind.separates_values())
    }

    /// Whether quasi columns are published as they are, so that whose record it is is no secret.
    pub fn shows_identities(&self) -> bool {
        self.manifest.as_ref().is_some_and(|manifest| manifest.kind.shows_identities())
    }

    /// The sensitive column with this name.
    pub fn sensitive(&self, name: &str) -> Option<&SensitiveColumn> {
        self.sensitive.iter().find(|column| column.name == name)
    }
}

/// The manifest of a release of records, whose tables are those that it describes.
fn described(file: &ManifestFile, progress: &dyn Progress) -> Result<Manifest, PublishedError> {
    let folder = file.folder();
    if let Some(kind) = file.kind().filter(|kind| Form::of(kind).is_none()) {
        return Err(PublishedError::Kind { folder: folder.to_owned(), kind: kind.to_owned() });
    }
    let manifest = Manifest::parse(file.bytes())
        .map_err(|source| PublishedError::Manifest { folder: folder.to_owned(), source })?;
    let counted = manifest.data.sensitive_tables.iter().map(|own| own.file.as_str());
    let records = parts_of(&manifest.data.file, &manifest.files);
    intact(folder, &manifest.files, counted.chain(records), progress)?;
    Ok(manifest)
}

/// Whether tables of a release are those that its manifest describes: what is concluded from others would not be about it.
///
/// # Errors
/// When one is not, or cannot be read.
pub fn intact<'a>(
    folder: &Path,
    files: &[File],
    tables: impl Iterator<Item = &'a str>,
    progress: &dyn Progress,
) -> Result<(), PublishedError> {
    for name in tables.filter(|name| is_plain_name(name)) {
        let Some(described) = files.iter().find(|own| own.name == *name) else { continue };
        let path = folder.join(name);
        let mut stopped = false;
        // One of another size is not read to its end, which may be far.
        let is_other_size =
            || open_plain(&path).and_then(|file| file.metadata()).map(|file| file.len() != described.bytes);
        if is_other_size().is_ok_and(|other| other) {
            let problem =
                "a table of the release is not the one that its manifest describes: it was changed since";
            return Err(PublishedError::Other { folder: folder.to_owned(), problem });
        }
        let found = crate::hash::hash_file(&path, &mut || {
            stopped = progress.cancelled();
            if stopped { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
        });
        match found {
            _ if stopped => return Err(PublishedError::Cancelled),
            Ok(found) if (found.bytes, &found.sha256) == (described.bytes, &described.sha256) => {}
            Ok(_) => {
                let problem =
                    "a table of the release is not the one that its manifest describes: it was changed since";
                return Err(PublishedError::Other { folder: folder.to_owned(), problem });
            }
            // That it is not there, or no file, is told by whoever reads it.
            Err(_) => {}
        }
    }
    Ok(())
}

/// The bytes that a manifest may have: those of a release with millions of classes have many.
pub(crate) fn most_of_manifest() -> u64 {
    input_limit()
}

/// The manifest of a folder, as it stands there. Only a plain file is opened.
///
/// # Errors
/// When there is none, or it cannot be read.
pub fn manifest_at(folder: &Path) -> io::Result<Vec<u8>> {
    read_plain(&folder.join(MANIFEST), most_of_manifest())
}

/// The same, for readers of a release.
pub(crate) fn manifest_bytes(folder: &Path) -> Result<Vec<u8>, PublishedError> {
    let path = folder.join(MANIFEST);
    manifest_at(folder).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            PublishedError::NotARelease(folder.to_owned())
        }
        _ => PublishedError::Io { path, source },
    })
}

/// How a manifest says that its tables are written.
pub(crate) struct Written<'a> {
    pub format: &'a str,
    pub delimiter: Option<char>,
    pub encoding: Option<&'a str>,
    pub missing: &'a [String],
    /// When two texts of a column are one value; in columns that are not named every text is one.
    pub equality_of: BTreeMap<String, Equality>,
}

/// A table of a release.
pub(crate) fn read_table(
    folder: &Path,
    file: &str,
    written: &Written<'_>,
    progress: &dyn Progress,
) -> Result<Table, PublishedError> {
    let wrong = |problem| PublishedError::Other { folder: folder.to_owned(), problem };
    if !is_plain_name(file) {
        return Err(wrong("the manifest names a file that cannot stand in a release folder"));
    }
    let Some(format) = Format::WRITTEN.into_iter().find(|format| format.word() == written.format) else {
        return Err(wrong("the manifest names an unknown format"));
    };
    let options = ReadOptions {
        format: Some(format),
        delimiter: written.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok()),
        quote: Some(b'"'),
        header: Some(true),
        encoding: (written.encoding == Some("latin-1")).then_some(Encoding::Latin1),
        missing: written.missing.to_vec(),
        equality: Equality::EXACT,
        equality_of: written.equality_of.clone(),
        plain: true,
        ..ReadOptions::default()
    };
    progress.stage("reading the release", None);
    Ok(read(&folder.join(file), &options, progress)?.table)
}

/// Numbers codes in the order of their first appearance, and counts them.
fn numbered(codes: &[u32], values: usize) -> (Vec<u32>, Vec<u64>) {
    let mut number = vec![u32::MAX; values];
    let mut sizes: Vec<u64> = Vec::new();
    let of = codes
        .iter()
        .map(|&code| {
            let slot = &mut number[code as usize];
            if *slot == u32::MAX {
                *slot = sizes.len() as u32;
                sizes.push(0);
            }
            sizes[*slot as usize] += 1;
            *slot
        })
        .collect();
    (of, sizes)
}

/// Records that show the same in all these columns, column by column: groups of the columns so far are told apart by
/// the next.
fn group(
    table: &Table,
    columns: &[usize],
    progress: &dyn Progress,
) -> Result<(Vec<u32>, Vec<u64>), Cancelled> {
    let mut of = vec![0u32; table.rows];
    let mut count = 1usize;
    for &position in columns {
        progress.check()?;
        let column = &table.columns[position];
        let mut number_of: HashMap<u64, u32> = HashMap::with_capacity(count);
        for (own, &code) in of.iter_mut().zip(&column.codes) {
            let next = number_of.len() as u32;
            *own = *number_of.entry(u64::from(*own) << 32 | u64::from(code)).or_insert(next);
        }
        count = number_of.len().max(1);
    }
    let mut sizes = vec![0u64; if table.rows == 0 { 0 } else { count }];
    for &own in &of {
        sizes[own as usize] += 1;
    }
    Ok((of, sizes))
}

#[cfg(test)]
mod tests;
