//! The original beside its release: columns by name, hierarchies, and which record became which.

use std::path::{Path, PathBuf};

use privet_data::hierarchy::{HierarchySpec, build, read_hierarchy};
use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Column, Coverage, Domain, Equality, Hierarchy, Progress, Table};
use privet_release::manifest::{LabelReading, Recoding};
use privet_release::published::{Meaning, PublishedError, Reading, Recoded, coverage, kind_behind};
use privet_release::{ManifestFile, Published};

use super::people::{equal_values, of_points, shows_points};
use crate::codes::{is_of_codes, masks};
use crate::error::{JobError, RunError};
use crate::job::Job;

/// A job and the folder that its paths are relative to.
#[derive(Clone, Copy)]
pub struct JobAt<'a> {
    /// The job.
    pub job: &'a Job,
    /// The folder that its paths are relative to.
    pub base: &'a Path,
}

impl JobAt<'_> {
    /// The hierarchy of a column, fitted to these values where it is made from values. What a file or a tree does not
    /// cover is no mistake here: the values may be somebody else's.
    pub fn hierarchy(
        &self,
        name: &str,
        domain: &Domain,
        counts: &[u64],
    ) -> Result<Option<Hierarchy>, RunError> {
        let Some(spec) = self.job.columns.get(name).and_then(|column| column.hierarchy.as_ref()) else {
            return Ok(None);
        };
        let failed = |source| RunError::Hierarchy { column: name.to_owned(), source };
        if let HierarchySpec::File(path) = spec {
            let written = read_hierarchy(&self.base.join(path)).map_err(failed)?;
            return Ok(Some(written.catching_all(domain)));
        }
        match build(spec, self.base, domain, counts) {
            Ok(hierarchy) => Ok(Some(hierarchy)),
            // A builder that does not understand somebody else's values: labels are then read as anyone would.
            Err(_) => Ok(None),
        }
    }

    /// How the labels of a column come about, whatever values somebody else's table has: of derived hierarchies how they are
    /// made, of those that are written down the whole, and where they have a row for all others, these values.
    pub fn recoded(&self, name: &str, values: &Domain) -> Result<HowRecoded, RunError> {
        let Some(column) = self.job.columns.get(name) else { return Ok(HowRecoded::Unknown) };
        let spec = match &column.hierarchy {
            None => return Ok(HowRecoded::Flat),
            Some(spec) => spec,
        };
        let failed = |source| RunError::Hierarchy { column: name.to_owned(), source };
        Ok(match spec {
            HierarchySpec::File(path) => {
                let written = read_hierarchy(&self.base.join(path)).map_err(failed)?;
                HowRecoded::Written(written.catching_all(values))
            }
            HierarchySpec::Groups(_) | HierarchySpec::Tree(_) => {
                // Whatever the values are that it has to cover.
                HowRecoded::Written(spec.written().map_err(failed)?.catching_all(values))
            }
            HierarchySpec::Intervals(_)
            | HierarchySpec::Mask(_)
            | HierarchySpec::Dates(_)
            | HierarchySpec::Regions(_) => HowRecoded::Made(spec.clone()),
        })
    }
}

/// How the labels of a column come about, as far as a job tells.
pub enum HowRecoded {
    /// The job does not tell.
    Unknown,
    /// The value, or the label of all values.
    Flat,
    /// By a hierarchy that is written down.
    Written(Hierarchy),
    /// By a hierarchy that is made from the values.
    Made(HierarchySpec),
}

impl HowRecoded {
    /// The same in the terms of what is published.
    pub fn as_known(&self) -> Recoded<'_> {
        match self {
            Self::Unknown => Recoded::Unknown,
            Self::Flat => Recoded::Flat,
            Self::Written(hierarchy) => Recoded::Written(hierarchy),
            Self::Made(spec) => Recoded::Made(spec),
        }
    }
}

/// How often each code occurs.
pub fn count(codes: &[u32], values: usize) -> Vec<u64> {
    let mut counts = vec![0; values];
    for &code in codes {
        if let Some(slot) = counts.get_mut(code as usize) {
            *slot += 1;
        }
    }
    counts
}

/// The original of a release.
#[derive(Clone)]
pub struct Original {
    /// The table.
    pub table: Table,
    /// Per quasi column of the release: its position here, and which values its labels may stand for.
    pub quasi: Vec<OriginalQuasi>,
    /// Per sensitive column of the release its position here.
    pub sensitive: Vec<usize>,
    /// Per published record the record it came from.
    pub record_of: Vec<u32>,
    /// Whether another choice of the records that were left out fits as well.
    pub may_differ: bool,
    /// Quasi columns with labels that nothing here explains, so that they are taken for any value.
    pub unread: Vec<String>,
    /// Columns of codes that are made of digits.
    codes: Vec<String>,
    /// Whether these are known: a job tells them by their hierarchies; without one only masks in the release do, which a
    /// column that shows single values has not.
    pub knows_codes: bool,
}

/// A column that is published as it is.
struct Same<'a> {
    own: &'a Column,
    /// Per code of the published column the code here.
    code_of: Vec<Option<u32>>,
    codes: &'a [u32],
}

/// A quasi column of the original.
#[derive(Clone)]
pub struct OriginalQuasi {
    /// Its place in the table.
    pub position: usize,
    /// Its hierarchy, as the job has it.
    pub hierarchy: Option<Hierarchy>,
    /// Which values the published labels stand for.
    pub coverage: Coverage,
}

impl Original {
    /// Reads the original of a release: the columns that the release has, and `more`.
    pub fn read(
        path: &Path,
        options: &ReadOptions,
        job: Option<JobAt<'_>>,
        release: &Published,
        more: &[&str],
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        let names = || {
            let published = release.table.columns.iter().map(|column| column.name.as_str());
            published.chain(release.sensitive.iter().map(|column| column.name.as_str()))
        };
        let bucket = release.manifest.as_ref().and_then(|manifest| {
            manifest
                .data
                .columns
                .iter()
                .find(|column| column.role == "bucket")
                .map(|column| column.name.as_str())
        });
        let mut more: Vec<&str> =
            more.iter().copied().filter(|own| names().all(|name| name != *own)).collect();
        more.sort_unstable();
        more.dedup();
        loop {
            let mut wanted: Vec<String> = names()
                .filter(|name| Some(*name) != bucket)
                .chain(more.iter().copied())
                .map(str::to_owned)
                .collect();
            wanted.sort();
            wanted.dedup();
            let mut options = ReadOptions { columns: Some(wanted), ..options.clone() };
            // What is no column of the release names people, or is learned: `007` is not the person `7`.
            for own in &more {
                options.equality_of.entry((*own).to_owned()).or_insert(Equality::CODES);
            }
            match read(path, &options, progress) {
                Ok(input) => return Self::of_table(input.table, path, job, release),
                Err(error) => match &error.kind {
                    ReadErrorKind::UnknownColumn { name, .. } if more.contains(&name.as_str()) => {
                        more.retain(|own| own != name);
                    }
                    ReadErrorKind::UnknownColumn { name, .. } => {
                        return Err(other(path, format!("has no column {name}, which the release has")));
                    }
                    _ => return Err(error.into()),
                },
            }
        }
    }

    /// Puts a table beside its release.
    pub fn of_table(
        table: Table,
        path: &Path,
        job: Option<JobAt<'_>>,
        release: &Published,
    ) -> Result<Self, RunError> {
        let position = |name: &str| {
            table
                .position(name)
                .ok_or_else(|| other(path, format!("has no column {name}, which the release has")))
        };
        let mut quasi = Vec::new();
        let mut unread = Vec::new();
        for &own in &release.quasi {
            let published = &release.table.columns[own];
            let position = position(&published.name)?;
            let column = &table.columns[position];
            let counts = count(&column.codes, column.domain.len());
            let hierarchy = match job {
                Some(job) => job.hierarchy(&published.name, &column.domain, &counts)?,
                None => None,
            };
            let meaning = Meaning { hierarchy: hierarchy.as_ref(), recoding: recoding(release, own) };
            let coverage = match shows_points(release, own) {
                true => of_points(release, &published.domain, &column.domain),
                false => coverage(&published.domain, &column.domain, meaning),
            };
            if hierarchy.is_none()
                && !shows_points(release, own)
                && has_unread(&published.domain, &column.domain, &coverage, meaning.recoding)
            {
                unread.push(published.name.clone());
            }
            quasi.push(OriginalQuasi { position, hierarchy, coverage });
        }
        let sensitive =
            release.sensitive.iter().map(|column| position(&column.name)).collect::<Result<Vec<_>, _>>()?;
        must_be_as_long(&table, path, release)?;
        let is_code = |name: &str| match job.and_then(|job| job.job.columns.get(name)) {
            Some(column) => column.hierarchy.as_ref().is_some_and(|spec| {
                let own = quasi.iter().find(|own| table.columns[own.position].name == name);
                is_of_codes(spec, || own.and_then(|own| own.hierarchy.as_ref()).is_some_and(masks))
            }),
            None => release.table.column(name).is_some_and(|column| has_masks(&column.domain)),
        };
        let names = table.columns.iter().map(|column| column.name.as_str());
        let codes = names.filter(|name| is_code(name)).map(str::to_owned).collect();
        let knows_codes = job.is_some() || !release.quasi.iter().any(|&own| shows_points(release, own));
        let mut original = Self {
            table,
            quasi,
            sensitive,
            record_of: Vec::new(),
            may_differ: false,
            unread,
            codes,
            knows_codes,
        };
        // Synthetic records are nobody's.
        if release.manifest.is_none() {
            return Ok(original);
        }
        (original.record_of, original.may_differ) = original.align(release).ok_or_else(|| {
            let hint = "give the table that the release was made from, and the job file with --job when its columns \
                        have hierarchies";
            other(path, format!("is not the original of this release: a published record fits none of its records; {hint}"))
        })?;
        // Whoever is put beside the wrong record gets the wrong figures, and nothing would show it.
        if original.may_differ && !original.unread.is_empty() {
            return Err(other(
                path,
                format!(
                    "does not tell which of its records were left out: nothing says what is below the labels of {}; give the job file that \
                     the release was made by, in place of the table or with --job",
                    original.unread.join(", ")
                ),
            ));
        }
        Ok(original)
    }

    /// The same to somebody who knows more columns of the release than the quasi ones, which come behind these
    /// ([`Published::knowing`]) and are published as they are.
    pub fn knowing(&self, release: &Published) -> Result<Self, RunError> {
        let mut quasi = self.quasi.clone();
        for &at in release.quasi.iter().skip(quasi.len()) {
            let published = &release.table.columns[at];
            let Some(position) = self.table.position(&published.name) else {
                let problem = format!("the original has no column {}, which the release has", published.name);
                return Err(JobError::new(problem).into());
            };
            let coverage = equal_values(&published.domain, &self.table.columns[position].domain);
            quasi.push(OriginalQuasi { position, hierarchy: None, coverage });
        }
        // What is known is not learned.
        let sensitive = release.sensitive.iter().filter_map(|own| self.table.position(&own.name)).collect();
        Ok(Self { quasi, sensitive, ..self.clone() })
    }

    /// Whether a column holds codes, whose digits are no number: nothing is to be added up or averaged. The job says so by
    /// the hierarchy; without a job it is told by labels such as `476**`.
    pub fn is_code(&self, name: &str) -> bool {
        self.codes.iter().any(|own| own == name)
    }

    /// Which record became which, and whether that may be otherwise: both tables are in the same order, and some records were
    /// left out. Of several records that fit, the first is taken. Where labels do not overlap these show the same, and a class
    /// is left out as a whole, so that there is one way; where they overlap, or may be anything, there may be others.
    fn align(&self, release: &Published) -> Option<(Vec<u32>, bool)> {
        let distorted =
            release.manifest.as_ref().and_then(|manifest| Some(&manifest.data.distorted.as_ref()?.column));
        // Columns that are published as they are, by the codes of the original.
        let same: Vec<Same<'_>> = release
            .table
            .columns
            .iter()
            .enumerate()
            .filter(|(position, own)| !release.quasi.contains(position) && Some(&own.name) != distorted)
            .filter_map(|(_, published)| {
                let own = &self.table.columns[self.table.position(&published.name)?];
                let code_of = translate(&published.domain, &own.domain);
                Some(Same { own, code_of, codes: &published.codes })
            })
            .collect();
        let fits = |published: usize, record: usize| {
            same.iter()
                .all(|same| same.code_of[same.codes[published] as usize] == Some(same.own.codes[record]))
                && self.quasi.iter().zip(&release.quasi).all(|(quasi, &at)| {
                    let label = release.table.columns[at].codes[published];
                    quasi.coverage.contains(label, self.table.columns[quasi.position].codes[record])
                })
        };
        let (rows, all) = (release.table.rows, self.table.rows);
        let first = in_order(0..rows, 0..all, &fits)?;
        // The ways to place records in order lie between the one that takes the first that fit and the one that takes the last.
        let may_differ = rows < all
            && in_order((0..rows).rev(), (0..all).rev(), &fits)
                .is_some_and(|last| !first.iter().eq(last.iter().rev()));
        Some((first, may_differ))
    }
}

/// Gives each published record the next record that it fits.
fn in_order(
    published: impl ExactSizeIterator<Item = usize>,
    mut records: impl Iterator<Item = usize>,
    fits: &impl Fn(usize, usize) -> bool,
) -> Option<Vec<u32>> {
    let mut record_of = Vec::with_capacity(published.len());
    for own in published {
        record_of.push(records.find(|&record| fits(own, record))? as u32);
    }
    Some(record_of)
}

/// Whether a label that is no `*` is taken for any value, because nothing says what is below it.
fn has_unread(labels: &Domain, values: &Domain, coverage: &Coverage, recoding: Option<&Recoding>) -> bool {
    let is_named =
        recoding.is_some_and(|own| own.level != Some(0) && own.reading == Some(LabelReading::Names));
    let kind = kind_behind(labels, values);
    let is_unread = |label: u32| {
        let reading = Reading::of(labels.text(label), kind);
        coverage.of(label).len() == values.len()
            && reading != Some(Reading::Everything)
            && (is_named || reading.is_none())
    };
    values.len() > 1 && (labels.missing()..labels.len() as u32).any(is_unread)
}

/// Whether labels show digits and mask the rest.
fn has_masks(labels: &Domain) -> bool {
    let is_mask = |label: &str| {
        let shown = label.trim_matches('*');
        shown.len() < label.len() && !shown.is_empty() && shown.bytes().all(|byte| byte.is_ascii_digit())
    };
    labels.texts().iter().any(|label| is_mask(label))
}

/// Per code of one domain the code of the same value in another. Missing is one value, whatever marks it.
pub fn translate(from: &Domain, to: &Domain) -> Vec<Option<u32>> {
    let finder = to.finder_of(from.texts());
    let missing = (to.missing() > 0).then_some(0);
    let codes = from.texts().iter().zip(0..);
    codes.map(|(text, code)| finder.code(text).or(missing.filter(|_| from.is_missing(code)))).collect()
}

/// What the manifest says of a column.
pub fn recoding(release: &Published, position: usize) -> Option<&Recoding> {
    release.manifest.as_ref()?.data.columns.get(position)?.recoding.as_ref()
}

fn other(path: &Path, problem: String) -> RunError {
    JobError::new(problem).at(path).into()
}

/// Cells that stand for a missing value, as the release tells; the empty one is always one.
pub fn told_missing(release: &Published) -> Option<Vec<String>> {
    release.manifest.as_ref().and_then(|manifest| manifest.data.missing.clone())
}

/// Opens a release whose cells are missing as the job says, and without one as the release tells.
pub fn opened(
    manifest: &ManifestFile,
    missing: &[String],
    job: Option<JobAt<'_>>,
    progress: &dyn Progress,
) -> Result<Published, PublishedError> {
    Published::of(manifest, job.map(|_| missing), progress)
}

/// A table given on the command line: the table itself, or a job file whose input it is.
pub struct Given {
    /// The table.
    pub path: PathBuf,
    /// How it is read.
    pub options: ReadOptions,
    /// The job, with the folder that its paths are relative to.
    pub job: Option<(Job, PathBuf)>,
    /// Where the job was read from.
    pub job_file: Option<PathBuf>,
}

impl Given {
    /// `original` is a table or a job file; `job` a job file with the hierarchies; `settings` are keys of the job that were set besides.
    pub fn new(original: &Path, job: Option<&Path>, settings: &[String]) -> Result<Self, RunError> {
        let is_job = original.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
        let file = if is_job { Some(original) } else { job };
        let job = match file {
            Some(file) => Some((Job::read(file, settings)?, crate::candidate::base_of(file))),
            None => None,
        };
        let options = job.as_ref().map_or(Ok(ReadOptions::default()), |(job, base)| job.options(base))?;
        let path = match &job {
            Some((job, base)) if is_job => base.join(&job.input.path),
            _ => original.to_owned(),
        };
        Ok(Self { path, options, job, job_file: file.map(Path::to_owned) })
    }

    /// How the original is read: as the job says, and without one with the marks of missing values that the release tells.
    pub fn options_for(&self, release: &Published) -> ReadOptions {
        let mut options = self.options.clone();
        if let (None, Some(missing)) = (&self.job, told_missing(release)) {
            options.missing = missing;
        }
        // Columns whose values are told apart by their texts are so in the original.
        if let (None, Some(manifest)) = (&self.job, &release.manifest) {
            options.equality_of = manifest.equality();
        }
        options
    }

    /// A job file, whatever its name ends in.
    pub fn of_job(file: &Path, settings: &[String]) -> Result<Self, RunError> {
        let (job, base) = (Job::read(file, settings)?, crate::candidate::base_of(file));
        Ok(Self {
            path: base.join(&job.input.path),
            options: job.options(&base)?,
            job: Some((job, base)),
            job_file: Some(file.to_owned()),
        })
    }

    /// The job, where there is one.
    pub fn job(&self) -> Option<JobAt<'_>> {
        self.job.as_ref().map(|(job, base)| JobAt { job, base })
    }
}

/// Refuses a table that has another number of records than the one that the release was made from.
fn must_be_as_long(table: &Table, path: &Path, release: &Published) -> Result<(), RunError> {
    if let Some(data) = release.manifest.as_ref().map(|manifest| &manifest.data)
        && data.input_rows != table.rows as u64
    {
        let problem = match &data.sample {
            Some(_) => {
                "is the table that a sample was drawn from, and nobody can tell which of its records were drawn; \
                        what compares with it is measured when the release is made: set output.home"
            }
            None => "is not the original of this release: it has another number of records",
        };
        return Err(other(path, problem.to_owned()));
    }
    Ok(())
}
