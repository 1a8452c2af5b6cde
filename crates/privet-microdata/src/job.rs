//! The job file: what is in the input, what must hold, what to minimize, where to put the release.
//!
//! A job is a TOML file (DESIGN section 5). Paths in it are relative to its folder. Every key can also be
//! set from the command line as `--set section.key=value`.

mod files;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_criteria::{CriterionError, Requirement};
use privet_data::hierarchy::HierarchySpec;
use privet_data::{Generalization, Role};
use serde::Deserialize;

use crate::adversary::AdversarySection;
use crate::buckets::{BUCKET, COUNT};
use crate::by_purpose::ByPurpose;
use crate::codes::{generalizes_by_masks, is_of_codes};
use crate::countermeasure;
use crate::counts::{self, CountTableSection, RawView, ViewSection};
use crate::declarations::{self, Plain, QuerySection};
use crate::engine::EngineSection;
use crate::error::JobError;
use crate::history::HistorySection;
use crate::memory_limit;
use crate::recoding::{NoSearch, Recoding};
use crate::sampling::SamplingSection;
pub use crate::search::{Publish, Search};
use crate::values;
pub use files::{Input, Output};

/// A job, read and checked for form.
#[derive(Debug, Clone)]
pub struct Job {
    /// Where the table is and how it is written.
    pub input: Input,
    /// What each column is.
    pub columns: BTreeMap<String, Column>,
    /// What must hold.
    pub privacy: Vec<Requirement>,
    /// How to look for it.
    pub search: Search,
    /// What for and for whom, when that decides how much is coarsened.
    pub purpose: PurposeSection,
    /// The part of the records that is drawn first.
    pub sampling: Option<SamplingSection>,
    /// Columns to be published together, as counts (survey ME-14).
    pub views: Vec<ViewSection>,
    /// Tables of counts with their totals (survey ME-02).
    pub count_tables: Vec<CountTableSection>,
    /// The attacks that it must stand.
    pub adversary: AdversarySection,
    /// Who pays for private answers, and whom they protect.
    pub query: QuerySection,
    /// What reads, groups and writes the table.
    pub engine: EngineSection,
    /// Where to put it.
    pub output: Output,
    /// What was published before about the same people.
    pub history: Option<HistorySection>,
    /// The text that says all this, with what settings changed.
    pub source: String,
    /// The recoding that is applied, in place of a search.
    pub recoding: Option<Recoding>,
}

/// More than any column weighs beside others.
const MOST_WEIGHT: f64 = 1e9;

/// A `[columns.NAME]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Column {
    /// What the column is to the person behind the record.
    pub role: Role,
    /// Quasi columns: how it is generalized; the value or `*` when left out. Sensitive columns: the
    /// hierarchy that hierarchical t-closeness measures by.
    #[serde(default)]
    pub hierarchy: Option<HierarchySpec>,
    /// Quasi columns: how much the metric weighs it.
    #[serde(default)]
    pub weight: Option<f64>,
    /// By what its values are compared: `value`, or `text` for codes made of digits; by its kind when left out.
    #[serde(default)]
    pub compare: Option<Compare>,
    /// Whether blanks at the ends of a cell do not count; as `[input]` says when left out.
    #[serde(default)]
    pub trim: Option<bool>,
    /// Whether the case of letters does not count; as `[input]` says when left out.
    #[serde(default)]
    pub fold_case: Option<bool>,
    /// Private answers: what its numbers are moved within.
    #[serde(default)]
    pub bounds: Option<[Plain; 2]>,
    /// Private answers: what its numbers are rounded to; as precise as the bounds are written when left out.
    #[serde(default)]
    pub grid: Option<Plain>,
    /// Private answers: the values to group by.
    #[serde(default)]
    pub keys: Option<Vec<Plain>>,
    /// Private answers: the label of the group of all other values; they are in no group when left out.
    #[serde(default)]
    pub other: Option<String>,
}

/// By what the values of a column are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// Cells that are numbers or dates by their values, whatever else the column holds.
    Value,
    /// By their texts: digits are codes.
    Text,
}

/// The `[purpose]` section: what a release is for and how far its requester is trusted (thesis 2.9).
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PurposeSection {
    /// The file of purposes and requesters.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// The purpose, one of the file's (`--purpose`).
    #[serde(default)]
    pub name: Option<String>,
    /// A requester of the file, or how far the requester is trusted, from 0 to 1 (`--trust`).
    #[serde(default)]
    pub trust: Option<Trust>,
    /// Raise levels beyond those that the purpose asks for until all promises hold; true when left out.
    #[serde(default)]
    pub until_safe: Option<bool>,
}

/// A requester's name, or a number from 0 to 1.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Trust {
    /// How far the requester is trusted.
    Number(f64),
    /// Who asks.
    Requester(String),
}

impl Trust {
    /// As it stands on a command line.
    pub fn text(&self) -> String {
        match self {
            Trust::Number(number) => number.to_string(),
            Trust::Requester(name) => name.clone(),
        }
    }
}

impl PurposeSection {
    fn check(&self, search: &Search) -> Result<(), JobError> {
        let parts = [
            ("purpose.file", self.file.is_some(), "the file of purposes and requesters"),
            ("purpose.name", self.name.is_some(), "one of the purposes in the file; also --purpose"),
            (
                "purpose.trust",
                self.trust.is_some(),
                "a requester of the file or a number from 0 to 1; also --trust",
            ),
        ];
        if !search.is::<ByPurpose>() {
            // The file alone does no harm: `--purpose` and `--trust` may use it another time.
            return match self.name.is_some() || self.trust.is_some() || self.until_safe.is_some() {
                true => {
                    Err(JobError::key("purpose", "goes with algorithm = \"decomposition\" in [search] only"))
                }
                false => Ok(()),
            };
        }
        match parts.iter().find(|part| !part.1) {
            Some((key, _, what)) => {
                Err(JobError::key(key, format!("is needed by algorithm = \"decomposition\": {what}")))
            }
            None => Ok(()),
        }
    }
}

/// The file as it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    input: Input,
    #[serde(default)]
    columns: BTreeMap<String, Column>,
    #[serde(default)]
    privacy: toml::Table,
    #[serde(default)]
    search: Search,
    #[serde(default)]
    purpose: PurposeSection,
    #[serde(default)]
    sampling: Option<SamplingSection>,
    #[serde(default)]
    views: Vec<RawView>,
    #[serde(default)]
    count_tables: Vec<CountTableSection>,
    #[serde(default)]
    adversary: AdversarySection,
    #[serde(default)]
    query: QuerySection,
    #[serde(default)]
    history: Option<HistorySection>,
    #[serde(default)]
    engine: EngineSection,
    #[serde(default)]
    output: Output,
}

impl Job {
    /// Reads a job file and applies `section.key=value` settings on top.
    ///
    /// # Errors
    /// When the file cannot be read, is not TOML, has an unknown key, or a value of the wrong form.
    pub fn read(path: &Path, settings: &[String]) -> Result<Self, JobError> {
        Self::parse(&read_text(path)?, settings).map_err(|error| error.at(path))
    }

    /// Reads a job from its text.
    ///
    /// # Errors
    /// As [`Job::read`].
    pub fn parse(text: &str, settings: &[String]) -> Result<Self, JobError> {
        let job = Self::parse_form(text, settings)?;
        job.check()?;
        Ok(job)
    }

    /// Reads what a job file declares for private answers. It need not promise or publish anything.
    ///
    /// # Errors
    /// As [`Job::read`].
    pub fn read_declarations(path: &Path) -> Result<Self, JobError> {
        Self::parse_declarations(&read_text(path)?).map_err(|error| error.at(path))
    }

    /// The same of the text of a job file.
    ///
    /// # Errors
    /// As [`Job::read`].
    pub fn parse_declarations(text: &str) -> Result<Self, JobError> {
        let job = Self::parse_form(text, &[])?;
        job.input.options()?;
        declarations::check(&job)?;
        Ok(job)
    }

    fn parse_form(text: &str, settings: &[String]) -> Result<Self, JobError> {
        let (raw, source): (Raw, String) = if settings.is_empty() {
            let mut raw: Raw = toml::from_str(text).map_err(|e| JobError::of_job(text, &e, false))?;
            // Settings are for releases, where the digits of bounds and keys do not count.
            declarations::restore(text, &mut raw.columns);
            (raw, text.to_owned())
        } else {
            let mut table: toml::Table =
                toml::from_str(text).map_err(|e| JobError::of_job(text, &e, false))?;
            for setting in settings {
                set(&mut table, setting)?;
            }
            let source = table.to_string();
            (table.try_into().map_err(|e: toml::de::Error| JobError::of_job(text, &e, false))?, source)
        };
        let privacy = promises(&raw.privacy).map_err(|error| JobError::criterion(&error))?;
        let views = raw.views.into_iter().zip(1..).map(|(view, number)| view.read(number));
        let job = Self {
            input: raw.input,
            columns: raw.columns,
            privacy,
            search: raw.search,
            purpose: raw.purpose,
            sampling: raw.sampling,
            views: views.collect::<Result<_, _>>()?,
            count_tables: raw.count_tables,
            adversary: raw.adversary,
            query: raw.query,
            engine: raw.engine,
            output: raw.output,
            history: raw.history,
            source,
            recoding: None,
        };
        Ok(job)
    }

    fn check(&self) -> Result<(), JobError> {
        // What tables with totals promise stands in their sections.
        let by_views = self.views.iter().any(|view| !view.privacy.is_empty());
        if self.privacy.is_empty() && self.count_tables.is_empty() && !by_views {
            return Err(JobError::key(
                "privacy",
                format!("promises nothing; give at least one of {}", privet_criteria::KEYS.join(", ")),
            ));
        }
        if !self.columns.values().any(|column| column.role == Role::Quasi) && !counts::asked(self) {
            return Err(JobError::key(
                "columns",
                "has no column with role = \"quasi\"; without one there is nothing to generalize",
            ));
        }
        self.engine.check()?;
        self.output.check()?;
        self.adversary.check(counts::asked(self))?;
        countermeasure::check(self)?;
        declarations::check(self)?;
        let share = self.search.suppress_at_most;
        if !(0.0..=1.0).contains(&share) {
            return Err(JobError::key(
                "search.suppress-at-most",
                "must be a share from 0 to 1, such as 0.02",
            ));
        }
        self.check_columns()?;
        if let Some(class) = &self.search.class {
            match self.columns.get(class).map(|column| column.role) {
                Some(Role::Sensitive | Role::Insensitive) => {}
                Some(_) => {
                    return Err(JobError::key("search.class", "must name a sensitive or insensitive column"));
                }
                None => {
                    return Err(JobError::key(
                        "search.class",
                        "names a column that has no [columns] section",
                    ));
                }
            }
        }
        if self.search.is::<NoSearch>() {
            let problem =
                "= \"recoding\" searches nothing; `privet apply recoding.json new.csv` applies a recoding";
            return Err(JobError::key("search.algorithm", problem));
        }
        self.search.check_sections()?;
        self.search.check_anatomy(&self.columns)?;
        if self.search.published() == Some(Publish::Buckets) {
            self.check_buckets()?;
        }
        if counts::asked(self) {
            counts::check(self)?;
        }
        self.purpose.check(&self.search)?;
        values::check(self)?;
        self.sampling.as_ref().map_or(Ok(()), SamplingSection::check)?;
        self.check_together()?;
        self.history.as_ref().map_or(Ok(()), |history| history.check(self))?;
        memory_limit::check(self)?;
        self.input.options()?;
        self.output.format()?;
        Ok(())
    }

    /// Keys of columns that do not go with their roles.
    fn check_columns(&self) -> Result<(), JobError> {
        for (name, column) in &self.columns {
            let key = |what: &str| format!("columns.{name}.{what}");
            if let Some(weight) = column.weight {
                if column.role != Role::Quasi {
                    return Err(JobError::key(key("weight"), "goes with role = \"quasi\" only"));
                }
                // Sums of larger ones would not be numbers.
                if !(0.0..=MOST_WEIGHT).contains(&weight) {
                    return Err(JobError::key(key("weight"), "must be a number from 0 to 1e9"));
                }
            }
            if column.hierarchy.is_some() && matches!(column.role, Role::Identifier | Role::Insensitive) {
                return Err(JobError::key(
                    key("hierarchy"),
                    "goes with role = \"quasi\" or \"sensitive\" only",
                ));
            }
        }
        Ok(())
    }

    /// Promises that look at all classes together are not bucket-independent: most searches judge one class after the
    /// other and cannot keep them.
    fn check_together(&self) -> Result<(), JobError> {
        let Some(requirement) = self
            .privacy
            .iter()
            .find(|requirement| requirement.judges_together() && !self.search.judges_together(requirement))
        else {
            return Ok(());
        };
        let mondrian = if matches!(requirement, Requirement::ThreeD { .. }) { "mondrian, " } else { "" };
        Err(JobError::key(
            format!("privacy.{}", requirement.key()),
            format!(
                "looks at all classes together (it is not bucket-independent), and algorithm = \"{}\" in [search] judges \
                 one after the other; use optimal, datafly, top-down, bottom-up, genetic, {mondrian}simulated-annealing or \
                 attribute-suppression",
                self.search.word()
            ),
        ))
    }

    /// Buckets show every quasi value as it is, so only promises about sensitive values can be kept.
    fn check_buckets(&self) -> Result<(), JobError> {
        if self.with_role(Role::Sensitive).next().is_none() {
            return Err(JobError::key(
                "columns",
                "has no column with role = \"sensitive\"; buckets keep sensitive values apart from the others",
            ));
        }
        if self.columns.get(BUCKET).is_some_and(|column| column.role != Role::Identifier) {
            return Err(JobError::key(
                format!("columns.{BUCKET}"),
                "has the name of the column that numbers the buckets; rename it in the input",
            ));
        }
        if self.with_role(Role::Sensitive).any(|name| name == COUNT) {
            return Err(JobError::key(
                format!("columns.{COUNT}"),
                "has the name of the column that counts the sensitive values of a bucket; rename it in the input",
            ));
        }
        match self.privacy.iter().find(|requirement| !requirement.fits_buckets()) {
            None => Ok(()),
            Some(requirement) => Err(JobError::key(
                format!("privacy.{}", requirement.key()),
                "cannot be kept with buckets, which publish the quasi columns as they are; promise l-diversity, \
                 t-closeness or another model of single sensitive values, or set publish = \"nodes\" in [search]",
            )),
        }
    }

    /// Whether a quasi column holds codes, whose digits are no number, by its hierarchy.
    pub fn is_code(&self, name: &str, generalization: &Generalization) -> bool {
        let spec = self.columns.get(name).and_then(|column| column.hierarchy.as_ref());
        spec.is_some_and(|spec| is_of_codes(spec, || generalizes_by_masks(generalization)))
    }

    /// The columns with this role.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(move |(_, column)| column.role == role).map(|(name, _)| name.as_str())
    }
}

/// What a section of promises asks for.
pub fn promises(section: &toml::Table) -> Result<Vec<Requirement>, CriterionError> {
    let mut promises = Vec::new();
    for (key, value) in section {
        let value = serde_json::to_value(value).map_err(|_| CriterionError {
            key: key.clone(),
            problem: "it is not a value that can be read".to_owned(),
        })?;
        promises.extend(Requirement::parse(key, &value)?);
    }
    Ok(promises)
}

/// The text of a job file.
pub fn read_text(path: &Path) -> Result<String, JobError> {
    privet_data::io::read_plain_text(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::InvalidData => {
            JobError::new("the job file is not valid UTF-8; save it as UTF-8").at(path)
        }
        _ => JobError::new(format!("the job file cannot be read: {source}")).at(path),
    })
}

/// Sets `section.key=value`; the value is TOML, or a plain text when it is not.
pub fn set(table: &mut toml::Table, setting: &str) -> Result<(), JobError> {
    let Some((path, value)) = setting.split_once('=') else {
        return Err(JobError::new("--set takes KEY=VALUE, such as search.suppress-at-most=0.02"));
    };
    let (path, value) = (path.trim(), value.trim());
    let parsed: toml::Value = toml::from_str::<toml::Table>(&format!("value = {value}"))
        .ok()
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| toml::Value::String(value.to_owned()));
    // A dotted key as TOML reads it, so that quoted column names work.
    let skeleton: toml::Table = toml::from_str(&format!("{path} = 0"))
        .map_err(|_| JobError::new("--set: the part before `=` is not a key of a job file"))?;
    let mut keys = Vec::new();
    let mut level = &skeleton;
    while let Some((key, next)) = level.iter().next() {
        keys.push(key.clone());
        match next {
            toml::Value::Table(inner) => level = inner,
            _ => break,
        }
    }
    let Some(last) = keys.pop() else {
        return Err(JobError::new("--set: the part before `=` is empty"));
    };
    let mut table = table;
    for key in keys {
        let entry = table.entry(key).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        match entry {
            toml::Value::Table(inner) => table = inner,
            _ => return Err(JobError::new("--set: the key lies inside a value that is not a table")),
        }
    }
    table.insert(last, parsed);
    Ok(())
}
