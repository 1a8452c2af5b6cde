//! `verify`: re-checks everything that a release claims, from the published files alone.
//!
//! This is the referee. It has its own reader of the table, forms the classes anew, and computes each
//! criterion straight from its definition; nothing here is shared with the search that made the release.
//! From the other crates it takes the *words* of a promise ([`privet_criteria::Requirement`]) and nothing else.
//! No message holds a value of the table: places are told by file, line, block and record number.

mod buckets;
mod columnar;
mod consistency;
mod counts;
mod csv;
mod definitions;
mod envelope;
mod grouped_values;
mod groups;
mod items;
mod kinds;
mod outcome;
mod p_safe;
mod pages;
mod perturbed;
mod population;
mod promises;
mod sheet;
mod shown;
mod signature;
mod structure;
mod swapped;
mod synthetic;
mod table;
mod trust;
mod values;

use std::io;
use std::path::{Path, PathBuf};

use privet_data::{Cancelled, Progress, Silent};

use crate::counts::COUNTS;
use crate::manifest::{File, Form};
use crate::parts::parts_of;
use crate::perturbed::PERTURBED;
use crate::referee::Referee;
use crate::{Manifest, ManifestError, ManifestFile, PublicKey, PublishedError};
pub use grouped_values::{GroupedValues, judge_grouped_values, statement_on_groups};
pub use groups::{Groups, GroupsJudged, groups_statement, judge_groups};
pub use outcome::{Check, Verdict};
pub use pages::{PAGES, Pages};
use population::Population;
use table::Released;
pub use trust::Trusted;

/// Checks the laws of a model by themselves, before anything is drawn from them: that each is one, and promises what
/// follows from it.
pub fn laws(model: &crate::perturbed::Model) -> Vec<Check> {
    perturbed::laws(model)
}

/// What `verify` is given besides the folder.
#[derive(Clone, Copy)]
pub struct VerifyOptions<'a> {
    /// The population table that promises about presence and k-map rest on.
    pub population: Option<&'a Path>,
    /// The key of the publisher: the release must be signed with it.
    pub key: Option<&'a PublicKey>,
    /// What makes pages from a manifest, so that those of the release can be compared.
    pub pages: Option<&'a Pages>,
    /// The referees of the kinds on the seam.
    pub referees: &'a [&'a dyn Referee],
    /// Who listens, and says when to stop.
    pub progress: &'a dyn Progress,
}

impl Default for VerifyOptions<'_> {
    fn default() -> Self {
        Self { population: None, key: None, pages: None, referees: &[], progress: &Silent }
    }
}

/// Why a release could not even be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// There is no such folder.
    #[error("{} is not a folder; give the folder of a release", .0.display())]
    NoFolder(PathBuf),
    /// The folder has no manifest.
    #[error("{} holds no manifest.json, so it is not a release; give the folder that `privet anonymize` or `privet randomize` wrote", .0.display())]
    NotARelease(PathBuf),
    /// The manifest is of another format.
    #[error(transparent)]
    Manifest(ManifestError),
    /// The release is of a kind that this version does not know.
    #[error(
        "this release is of a kind that this version cannot verify; it verifies `generalized`, `bucketized`, `counts` and `perturbed` releases. Use the version of privet that made it"
    )]
    Kind,
    /// A promise rests on a population table that was not given.
    #[error("a promise of this release rests on a population table; pass that table with --population FILE")]
    NeedsPopulation,
    /// The population table cannot be used.
    #[error("population table {}: {problem}", path.display())]
    Population {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// A table is larger than memory is meant to hold.
    #[error("{}: {problem}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large it is, and what to do.
        problem: String,
    },
    /// The person asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl From<Cancelled> for VerifyError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl VerifyError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// Checks a release folder.
///
/// The verdict lists every check that was made; the release holds when all of them are well. A manifest
/// that was damaged, a file that is missing or a table that does not parse is a verdict, not an error:
/// the release was changed.
///
/// # Errors
/// When there is nothing to judge: no folder, no manifest, a manifest of another version, a population
/// table that is needed and not given, or a file system that refuses.
pub fn verify(folder: &Path, options: VerifyOptions<'_>) -> Result<Verdict, VerifyError> {
    verify_manifest(&manifest_to_judge(folder)?, options)
}

/// Reads the manifest of a folder that is to be judged.
///
/// # Errors
/// When there is no folder, no manifest, or a file system that refuses.
pub fn manifest_to_judge(folder: &Path) -> Result<ManifestFile, VerifyError> {
    if !folder.is_dir() {
        return Err(VerifyError::NoFolder(folder.to_owned()));
    }
    ManifestFile::read(folder).map_err(|error| match error {
        PublishedError::Io { path, source } => VerifyError::Io { path, source },
        _ => VerifyError::NotARelease(folder.to_owned()),
    })
}

/// Checks the release of a manifest that was read: what is judged is this text, whatever becomes of the file.
///
/// # Errors
/// As [`verify`].
pub fn verify_manifest(file: &ManifestFile, options: VerifyOptions<'_>) -> Result<Verdict, VerifyError> {
    let folder = file.folder();
    let (kind, bytes) = (file.kind(), file.bytes());
    let referee = options.referees.iter().find(|referee| kind == Some(referee.kind()));
    let mut verdict = match referee.copied() {
        None => built_in(kind)?(folder, bytes, options)?,
        Some(referee) => envelope::verify(folder, bytes, referee, options)?,
    };
    // What all kinds have in common; a manifest that cannot be read says nothing of it.
    #[derive(serde::Deserialize)]
    struct Common {
        files: Vec<File>,
        #[serde(default)]
        signer: Option<String>,
    }
    let common = serde_json::from_slice(bytes).unwrap_or(Common { files: Vec::new(), signer: None });
    if let Some(check) = signature::check(folder, bytes, common.signer.as_deref(), options.key)? {
        verdict.checks.insert(0, check);
    }
    // Pages of a release that is not what it says it is are not worth comparing, and may be costly to make.
    if verdict.holds() && referee.is_none() {
        verdict.checks.extend(pages::check(folder, bytes, &common.files, options.pages)?);
    }
    Ok(verdict)
}

/// Judges a release whose manifest has a layout of its own.
type BuiltIn = fn(&Path, &[u8], VerifyOptions<'_>) -> Result<Verdict, VerifyError>;

/// Who judges releases that have no envelope yet, by the kind that their manifest names. A manifest that names none was damaged,
/// which whoever reads it says.
fn built_in(kind: Option<&str>) -> Result<BuiltIn, VerifyError> {
    const ALL: [(&str, BuiltIn); 4] = [
        (COUNTS, counts::verify),
        (PERTURBED, perturbed::verify),
        (Form::Generalized.word(), records),
        (Form::Bucketized.word(), records),
    ];
    let Some(kind) = kind else { return Ok(records) };
    let found = ALL.into_iter().find(|(word, _)| *word == kind);
    found.map(|(_, verify)| verify).ok_or(VerifyError::Kind)
}

/// Checks a release of records.
fn records(folder: &Path, bytes: &[u8], options: VerifyOptions<'_>) -> Result<Verdict, VerifyError> {
    let manifest = match Manifest::parse(bytes) {
        Ok(manifest) => manifest,
        Err(error) => return unreadable(error),
    };
    let bucketized = manifest.kind.separates_values();

    let mut checks = vec![structure::seal(bytes, &manifest.seal)];
    checks.extend(structure::files(folder, &manifest.files, &tables_of(&manifest), options.progress)?);
    let intact = checks.iter().all(|check| check.ok);
    let mut table = match table::read(folder, &manifest, intact, options.progress)? {
        Ok(table) => table,
        Err(problem) => {
            checks.push(Check::failed("table", problem));
            return Ok(Verdict::early(checks));
        }
    };
    checks.push(Check::passed("table", format!("{}: {} records", manifest.data.file, table.rows)));
    checks.push(consistency::columns(&manifest, &table));
    if checks.iter().any(|check| check.name == "columns" && !check.ok) {
        return Ok(Verdict::early(checks));
    }
    options.progress.stage("forming classes", None);
    let rules = values::unite(&mut table, &manifest);
    let released = match bucketized {
        false => Ok(Released::group(table, rules, &manifest, options.progress)?),
        true => buckets::join(folder, &manifest, table, intact, options.progress)?,
    };
    let released = match released {
        Ok(released) => released,
        Err(problem) => {
            checks.push(Check::failed("buckets", problem));
            return Ok(Verdict::early(checks));
        }
    };
    checks.extend(consistency::all(&manifest, &released));
    checks.push(shown::check(&manifest, &released));
    checks.extend(buckets::divided(&manifest, &released));
    checks.extend(p_safe::told(&manifest, &released));

    let population = Population::read(&manifest, &released, options)?;
    let sensitive: Vec<&str> =
        released.sensitive.iter().map(|&at| released.table.names[at].as_str()).collect();
    options.progress.stage("checking promises", Some(manifest.promises.len() as u64));
    for (done, promise) in manifest.promises.iter().enumerate() {
        options.progress.check()?;
        let refusal = if bucketized { buckets::refusal(&promise.requirement) } else { None };
        checks.push(match refusal {
            Some(why) => promises::refused(promise, why, done),
            None => promises::check(promise, &released, population.as_ref(), true, done),
        });
        checks.extend(promises::worded(promise, &sensitive, bucketized, done));
        options.progress.at(done as u64 + 1);
    }
    if manifest.promises.is_empty() {
        checks
            .push(Check::failed("promises", "the manifest promises nothing, so there is nothing to rely on"));
    }
    Ok(Verdict { checks, on_trust: trust::of_records(&manifest, options.pages.is_some()) })
}

/// The files of the tables that a manifest speaks of.
fn tables_of(manifest: &Manifest) -> Vec<&str> {
    let apart = manifest.data.sensitive_tables.iter().map(|own| own.file.as_str());
    parts_of(&manifest.data.file, &manifest.files).into_iter().chain(apart).collect()
}

/// What is made of a manifest that cannot be read.
fn unreadable(error: ManifestError) -> Result<Verdict, VerifyError> {
    if let ManifestError::Format { .. } = error {
        return Err(VerifyError::Manifest(error));
    }
    let detail = format!("{error}. The manifest was changed after it was written");
    Ok(Verdict::early(vec![Check::failed("manifest", detail)]))
}
