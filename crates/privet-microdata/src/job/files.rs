//! The `[input]` and `[output]` sections of a job: where its table is, and where the release goes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_data::io::{Encoding, Format, Formulas, Frame, ReadOptions, Spelling};
use privet_release::{KeyError, PrivateKey};
use serde::Deserialize;

use crate::error::JobError;
use crate::size::Size;

/// The `[input]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Input {
    /// The file.
    pub path: PathBuf,
    /// `csv`, `parquet`, `arrow`, `xlsx` or `ods`; told by the file's ending when left out.
    #[serde(default)]
    format: Option<String>,
    /// CSV: the delimiter; detected when left out.
    #[serde(default)]
    delimiter: Option<char>,
    /// CSV: the quotation mark.
    #[serde(default)]
    quote: Option<char>,
    /// CSV: whether the first line names the columns; detected when left out.
    #[serde(default)]
    header: Option<bool>,
    /// Spreadsheets: the name of the sheet; the only one that holds anything when left out.
    #[serde(default)]
    sheet: Option<String>,
    /// CSV: lines above the header that are no part of the table, such as a title; rows of a sheet.
    #[serde(default)]
    skip: u64,
    /// CSV: `utf-8`, `windows-1252` or `latin-1`.
    #[serde(default)]
    encoding: Option<String>,
    /// Cells that mean "not known". The empty cell when left out.
    #[serde(default)]
    missing: Option<Vec<String>>,
    /// Whether blanks at the ends of a cell do not count; true when left out.
    #[serde(default)]
    pub trim: Option<bool>,
    /// Whether the case of letters does not count; false when left out.
    #[serde(default)]
    pub fold_case: Option<bool>,
    /// The most bytes that the decoded table may take; a quarter of the available memory when left out.
    #[serde(default)]
    max_input: Option<Size>,
    /// Cells that a spreadsheet would take for formulas: `keep` or `prefix`, which reads them with an apostrophe.
    #[serde(default)]
    formulas: Formulas,
    /// PostgreSQL: the query whose rows are the table.
    #[serde(default)]
    pub query: Option<String>,
    /// PostgreSQL: the table, with its schema where that is not found.
    #[serde(default)]
    pub table: Option<String>,
    /// How the numbers and dates of single columns are spelled, by name.
    #[serde(default)]
    spelling: BTreeMap<String, Spelling>,
    /// The table itself, where a program holds it in memory; no key of a job file.
    #[serde(skip)]
    pub frame: Option<Frame>,
}

/// The `[output]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Output {
    /// The release folder.
    #[serde(default = "release")]
    pub folder: PathBuf,
    /// `csv`, `parquet` or `arrow`; the format of the input when left out.
    #[serde(default)]
    format: Option<String>,
    /// Replace an existing release (`--force`).
    #[serde(default)]
    pub replace: bool,
    /// The owner's folder: what measuring and attacking found (`--home`). Never inside the release.
    #[serde(default)]
    pub home: Option<PathBuf>,
    /// The private key that signs the release.
    #[serde(default)]
    pub sign: Option<PathBuf>,
    /// Parquet and Arrow: the table in several files, each of so many records of the input.
    #[serde(default)]
    rows_per_file: Option<u64>,
    /// PostgreSQL: the database that the published table goes to as well, beside the release folder.
    #[serde(default)]
    pub database: Option<String>,
    /// PostgreSQL: the table there, which is made.
    #[serde(default)]
    pub table: Option<String>,
}

impl Output {
    /// The key that signs, where one is named. Paths are relative to `base`.
    pub fn key(&self, base: &Path) -> Result<Option<PrivateKey>, KeyError> {
        self.sign.as_ref().map(|path| PrivateKey::read(&base.join(path))).transpose()
    }
}

impl Output {
    pub(super) fn check(&self) -> Result<(), JobError> {
        if self.rows_per_file == Some(0) {
            return Err(JobError::key("output.rows-per-file", "must be at least 1"));
        }
        if self.rows_per_file.is_some() && self.format()? == Some(Format::Csv) {
            return Err(JobError::key("output.rows-per-file", "goes with format = \"parquet\" or \"arrow\""));
        }
        match self.database.is_some() == self.table.is_some() {
            true => Ok(()),
            false => Err(JobError::key("output.database", "and `output.table` go together")),
        }
    }

    /// How many records of the input go to one file, where the table is written in several.
    pub fn rows_per_file(&self) -> Option<u64> {
        self.rows_per_file
    }
}

pub(super) fn release() -> PathBuf {
    "release".into()
}

impl Default for Output {
    fn default() -> Self {
        Self {
            folder: release(),
            format: None,
            replace: false,
            home: None,
            sign: None,
            rows_per_file: None,
            database: None,
            table: None,
        }
    }
}

impl Input {
    /// How to read the file, for all columns.
    ///
    /// # Errors
    /// When a value is not one of those accepted.
    pub fn options(&self) -> Result<ReadOptions, JobError> {
        let encoding = match self.encoding.as_deref() {
            None => None,
            Some("utf-8") => Some(Encoding::Utf8),
            Some("latin-1") => Some(Encoding::Latin1),
            Some("windows-1252") => Some(Encoding::Windows1252),
            Some(_) => {
                let problem = "must be \"utf-8\", \"windows-1252\" or \"latin-1\"";
                return Err(JobError::key("input.encoding", problem));
            }
        };
        let mut options = ReadOptions {
            format: self
                .format
                .as_deref()
                .map(|word| format_of("input.format", word, &Format::ALL))
                .transpose()?,
            delimiter: byte("input.delimiter", self.delimiter)?,
            quote: byte("input.quote", self.quote)?,
            header: self.header,
            skip: self.skip,
            sheet: self.sheet.clone(),
            encoding,
            max_input: self.max_input.map(|Size(bytes)| bytes),
            formulas: self.formulas,
            spelling_of: self.spelling.clone(),
            frame: self.frame.clone(),
            ..ReadOptions::default()
        };
        if let Some(missing) = &self.missing {
            options.missing = missing.clone();
        }
        options.equality = self.equality();
        Ok(options)
    }
}

impl Input {
    /// The most bytes that the decoded table may take, when the job says it.
    pub fn max_input(&self) -> Option<u64> {
        self.max_input.map(|Size(bytes)| bytes)
    }
}

impl Output {
    /// The format asked for.
    ///
    /// # Errors
    /// When it is not one of those accepted.
    pub fn format(&self) -> Result<Option<Format>, JobError> {
        self.format.as_deref().map(|word| format_of("output.format", word, &Format::WRITTEN)).transpose()
    }
}

pub(super) fn format_of(key: &str, word: &str, accepted: &[Format]) -> Result<Format, JobError> {
    let words =
        || accepted.iter().map(|format| format!("\"{}\"", format.word())).collect::<Vec<_>>().join(", ");
    let found = accepted.iter().copied().find(|format| format.word() == word);
    found.ok_or_else(|| JobError::key(key, format!("must be one of {}", words())))
}

pub(super) fn byte(key: &str, character: Option<char>) -> Result<Option<u8>, JobError> {
    match character {
        None => Ok(None),
        Some(c) if c.is_ascii() && c != '\n' && c != '\r' => Ok(Some(c as u8)),
        Some(_) => Err(JobError::key(key, "must be one ASCII character that does not end a line")),
    }
}
