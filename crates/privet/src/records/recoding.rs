//! The recoding of a release, used again on other records (survey ME-01).
//!
//! Guarantee: a record keeps the labels of the release's levels only where a class of the release has the same labels, so that at least as
//! many people of the release as it promised look like that; every other record has `*` in all quasi columns. What a release promises of
//! sensitive values holds for its own records and not for those that are recoded later.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use privet_data::hierarchy::{HierarchySpec, build};
use privet_data::io::{ReadOptions, read};
use privet_data::{Column, Domain, Hierarchy, HierarchyError, Progress};
use privet_job::{Job, base_of};
use privet_kind::KindError;

use super::release::manifest_in;
use super::{Source, frame};

/// What a column shows where its record is like nobody of the release.
const HIDDEN: &str = "*";

/// How the columns of a release were generalized, ready for other records.
#[derive(Debug, Clone)]
pub struct Recoding {
    quasi: Vec<RecodedColumn>,
    /// Published columns in their order.
    published: Vec<String>,
    /// The labels of every class.
    classes: HashSet<Vec<Box<str>>>,
    options: ReadOptions,
}

#[derive(Debug, Clone)]
struct RecodedColumn {
    name: String,
    spec: Option<HierarchySpec>,
    base: PathBuf,
    level: usize,
    domain: Domain,
    /// Per code of the domain its label.
    labels: Vec<Box<str>>,
}

impl Recoding {
    /// The recoding of a release folder; `job` made it, and its input is still there.
    ///
    /// # Errors
    /// When the release is not one of records, its columns are not each at one level, or the original cannot be read.
    pub fn of(folder: &Path, job: &Path, progress: &dyn Progress) -> Result<Self, KindError> {
        let manifest = manifest_in(folder)?;
        let base = base_of(job);
        let wrong = |error: privet_job::JobError| KindError::bad_input(error.to_string());
        let job = Job::read(job, &[]).map_err(wrong)?;
        let options = job.options(&base).map_err(wrong)?;
        let original = read(&base.join(&job.input.path), &options, progress)?.table;
        let mut quasi = Vec::new();
        for column in manifest.data.columns.iter().filter(|column| column.role == "quasi") {
            let level = column.recoding.as_ref().and_then(|recoding| recoding.level);
            let (Some(level), Some(own)) = (level, original.column(&column.name)) else {
                return Err(KindError::bad_input(
                    "the recoding cannot be used again: its columns are not each at one level; choose an algorithm that \
                     generalizes whole columns, such as `optimal`",
                ));
            };
            let spec = job.columns.get(&column.name).and_then(|own| own.hierarchy.clone());
            let labels = labels(spec.as_ref(), &base, &own.domain, &own.codes, level).map_err(|error| {
                KindError::key(format!("columns.{}.hierarchy", column.name), error.to_string())
            })?;
            quasi.push(RecodedColumn {
                name: column.name.clone(),
                spec,
                base: base.clone(),
                level,
                domain: own.domain.clone(),
                labels,
            });
        }
        let table = read(&folder.join(&manifest.data.file), &ReadOptions::default(), progress)?.table;
        let shown: Vec<&Column> = quasi.iter().filter_map(|own| table.column(&own.name)).collect();
        let class =
            |record: usize| shown.iter().map(|own| own.domain.text(own.codes[record]).into()).collect();
        let classes = (0..table.rows).map(class).collect();
        let published = manifest.data.columns.into_iter().map(|column| column.name).collect();
        Ok(Self { quasi, published, classes, options })
    }

    /// The published columns.
    pub fn columns(&self) -> &[String] {
        &self.published
    }

    /// Other records with the same columns, recoded: one for each record, in their order. Columns that were not published are left out.
    ///
    /// # Errors
    /// When a published column is missing, or the records cannot be read.
    pub fn apply(&self, source: &Source, progress: &dyn Progress) -> Result<RecordBatch, KindError> {
        let mut options = ReadOptions { columns: Some(self.published.clone()), ..self.options.clone() };
        let path = match source {
            Source::File(path) => path.clone(),
            Source::Frame(own) => {
                let own = own.clone().at("the frame");
                let path = own.path().to_owned();
                options.frame = Some(own);
                path
            }
        };
        let table = read(&path, &options, progress)?.table;
        let missing = |name: &str| KindError::bad_input(format!("the records have no column {name}"));
        let mut recoded: Vec<(Vec<Option<Box<str>>>, &[u32])> = Vec::with_capacity(self.quasi.len());
        for own in &self.quasi {
            let column = table.column(&own.name).ok_or_else(|| missing(&own.name))?;
            recoded.push((own.labels_of(column), &column.codes));
        }
        let mut shown: Vec<Vec<Box<str>>> = vec![Vec::with_capacity(table.rows); self.quasi.len()];
        for record in 0..table.rows {
            let label =
                |(labels, codes): &(Vec<Option<Box<str>>>, &[u32])| labels[codes[record] as usize].clone();
            let class: Option<Vec<Box<str>>> = recoded.iter().map(label).collect();
            let class = class.filter(|class| self.classes.contains(class));
            for (at, shown) in shown.iter_mut().enumerate() {
                shown.push(class.as_ref().map_or_else(|| HIDDEN.into(), |class| class[at].clone()));
            }
        }
        let given = match source {
            Source::Frame(own) => frame::whole(own)?,
            _ => frame::of_table(&table)?,
        };
        let mut fields: Vec<Arc<Field>> = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for name in &self.published {
            match self.quasi.iter().position(|own| own.name == *name) {
                Some(at) => {
                    fields.push(Arc::new(Field::new(name, arrow_schema::DataType::Utf8, false)));
                    arrays.push(Arc::new(
                        shown[at].iter().map(|label| Some(&**label)).collect::<StringArray>(),
                    ));
                }
                None => {
                    let at = given.schema().index_of(name).map_err(|_| missing(name))?;
                    fields.push(Arc::clone(&given.schema().fields()[at]));
                    arrays.push(Arc::clone(given.column(at)));
                }
            }
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .map_err(|_| KindError::bad_input("the records are not a table"))
    }
}

impl RecodedColumn {
    /// Per code of a column of other records its label: that of the release for values that were there, and what the hierarchy says of
    /// others. Nothing where it says nothing.
    fn labels_of(&self, column: &Column) -> Vec<Option<Box<str>>> {
        let finder = self.domain.finder();
        let codes = 0..column.domain.len() as u32;
        let known: Vec<Option<u32>> = codes.map(|code| finder.code(column.domain.text(code))).collect();
        let others = known.iter().any(Option::is_none).then(|| self.labels_of_others(column)).flatten();
        let label = |(code, known): (usize, &Option<u32>)| match known {
            Some(own) => Some(self.labels[*own as usize].clone()),
            None => others.as_ref().map(|labels| labels[code].clone()),
        };
        known.iter().enumerate().map(label).collect()
    }

    fn labels_of_others(&self, column: &Column) -> Option<Vec<Box<str>>> {
        // The values of both: what a hierarchy says of a value may hang on the others, and the classes decide whether it is shown.
        let both: Vec<Box<str>> = column.domain.texts().iter().chain(self.domain.texts()).cloned().collect();
        let is_missing =
            |text: &str| column.domain.markers().chain(self.domain.markers()).any(|own| own == text);
        let (domain, code_of) = self.domain.like(both, is_missing);
        let labels = labels(self.spec.as_ref(), &self.base, &domain, &code_of, self.level).ok()?;
        Some(code_of[..column.domain.len()].iter().map(|&code| labels[code as usize].clone()).collect())
    }
}

/// Per code of a domain its label at a level.
fn labels(
    spec: Option<&HierarchySpec>,
    base: &Path,
    domain: &Domain,
    codes: &[u32],
    level: usize,
) -> Result<Vec<Box<str>>, HierarchyError> {
    let mut counts = vec![0; domain.len()];
    codes.iter().for_each(|&code| counts[code as usize] += 1);
    let hierarchy = match spec {
        Some(spec) => build(spec, base, domain, &counts)?,
        None => Hierarchy::flat(domain),
    };
    let generalization = hierarchy.bind(domain)?;
    let level = &generalization.levels[level];
    Ok(level.node_of_code.iter().map(|&node| level.labels[node as usize].clone()).collect())
}
