//! How a file is to be read, and how the cells of a CSV stand on their lines.
//!
//! Everything in [`ReadOptions`] is found from the file unless it is given; a [`Dialect`] is what was found,
//! and is enough to write a file that looks the same.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::arrow_read::Frame;
use super::formulas::Formulas;
use super::spelling::Spelling;
use crate::Equality;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Text with one record on a line and a delimiter between cells.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC, the file or the stream format.
    Arrow,
    /// A sheet of an Excel workbook.
    Xlsx,
    /// A sheet of an OpenDocument spreadsheet; read only.
    Ods,
}

impl Format {
    /// The format that the extension of a path stands for, if it is one of ours.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" | "tsv" | "txt" => Some(Format::Csv),
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "ipc" | "feather" => Some(Format::Arrow),
            "xlsx" | "xlsm" => Some(Format::Xlsx),
            "ods" => Some(Format::Ods),
            _ => None,
        }
    }

    /// The word used in job files and manifests; also the extension of a written file.
    pub fn word(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::Xlsx => "xlsx",
            Format::Ods => "ods",
        }
    }

    /// Every format.
    pub const ALL: [Self; 5] = [Format::Csv, Format::Parquet, Format::Arrow, Format::Xlsx, Format::Ods];

    /// The formats that are written.
    pub const WRITTEN: [Self; 4] = [Format::Csv, Format::Parquet, Format::Arrow, Format::Xlsx];
}

/// How the characters of a CSV are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// ISO 8859-1: one byte for each character.
    #[serde(rename = "latin-1")]
    Latin1,
    /// Windows-1252, which western spreadsheets write: ISO 8859-1 with printable characters, such as €, where that has
    /// control characters. Read only: what is read in it is written as UTF-8.
    #[serde(rename = "windows-1252")]
    Windows1252,
}

impl Encoding {
    /// The word used in job files.
    pub fn word(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Latin1 => "latin-1",
            Encoding::Windows1252 => "windows-1252",
        }
    }

    /// The encoding in which a table that was read in this one is written.
    pub(super) fn written(self) -> Self {
        match self {
            Encoding::Latin1 => Encoding::Latin1,
            Encoding::Utf8 | Encoding::Windows1252 => Encoding::Utf8,
        }
    }
}

/// How the lines of a CSV end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Newline {
    /// A line feed.
    #[default]
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl Newline {
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            Newline::Lf => b"\n",
            Newline::CrLf => b"\r\n",
        }
    }
}

/// How a file is to be read. What is `None` is found from the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; otherwise by the extension of the path.
    pub format: Option<Format>,
    /// CSV: the byte between two cells.
    pub delimiter: Option<u8>,
    /// CSV: the quotation mark.
    pub quote: Option<u8>,
    /// CSV: whether the first record holds the names of the columns.
    pub header: Option<bool>,
    /// CSV: lines above the header, such as a title, that are no part of the table; rows of a sheet.
    pub skip: u64,
    /// Spreadsheets: the name of the sheet; the only one that holds anything unless given.
    pub sheet: Option<String>,
    /// CSV: the encoding; UTF-8 unless given.
    pub encoding: Option<Encoding>,
    /// The texts that mark a missing value; by default the empty text. A null is always missing.
    pub missing: Vec<String>,
    /// The columns to keep in the table; all of them unless given. The others are checked and dropped.
    pub columns: Option<Vec<String>>,
    /// When two texts of a column are one value.
    pub equality: Equality,
    /// The same for single columns, by name.
    pub equality_of: BTreeMap<String, Equality>,
    /// The most bytes that the decoded table may take: four for each cell that is kept, and its distinct values. A
    /// quarter of the available memory unless given here or for the process ([`limit_input`](super::limit_input)).
    pub max_input: Option<u64>,
    /// Whether only a plain file is opened, and no pipe or device: for tables of a release. Parquet and Arrow files are
    /// always plain.
    pub plain: bool,
    /// What becomes of cells that a spreadsheet would take for formulas.
    pub formulas: Formulas,
    /// How the numbers and dates of single columns are spelled, by name; plainly where nothing is said.
    pub spelling_of: BTreeMap<String, Spelling>,
    /// Whether every cell is read by itself, whatever the others are like ([`exactly`](Self::exactly)).
    pub cell_by_cell: bool,
    /// A table in memory, read in place of a file where the path is the one that it stands for.
    pub frame: Option<Frame>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            delimiter: None,
            quote: None,
            header: None,
            skip: 0,
            sheet: None,
            encoding: None,
            missing: vec![String::new()],
            columns: None,
            equality: Equality::default(),
            equality_of: BTreeMap::new(),
            max_input: None,
            plain: false,
            formulas: Formulas::Keep,
            spelling_of: BTreeMap::new(),
            cell_by_cell: false,
            frame: None,
        }
    }
}

impl ReadOptions {
    /// The same, with every text a value of its own, and every cell read by itself: one that is spelled otherwise than is said
    /// stays as it is, and refuses nobody's table.
    pub fn exactly(self) -> Self {
        Self { equality: Equality::EXACT, equality_of: BTreeMap::new(), cell_by_cell: true, ..self }
    }

    /// When two texts of this column are one value.
    pub fn equality_in(&self, column: &str) -> Equality {
        self.equality_of.get(column).copied().unwrap_or(self.equality)
    }

    /// The table in memory that stands for a path.
    pub(super) fn frame_at(&self, path: &Path) -> Option<&Frame> {
        self.frame.as_ref().filter(|frame| frame.path() == path)
    }

    pub(super) fn is_missing(&self, text: &str) -> bool {
        self.missing.iter().any(|marker| marker == text)
    }
}

/// How the cells of a CSV stand on their lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// The byte between two cells.
    pub delimiter: u8,
    /// The quotation mark; doubled inside a quoted cell.
    pub quote: u8,
    /// Whether the first record holds the names of the columns.
    pub header: bool,
    /// The encoding.
    pub encoding: Encoding,
    /// Whether the file begins with the UTF-8 byte-order mark.
    pub byte_order_mark: bool,
    /// How lines end.
    pub newline: Newline,
    /// Whether the last line ends like the others.
    pub final_newline: bool,
    /// Names that are quoted in the header without need, or not quoted although it is usual: the name and
    /// the cell as it stood.
    pub verbatim_names: Vec<(String, String)>,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            delimiter: b',',
            quote: b'"',
            header: true,
            encoding: Encoding::Utf8,
            byte_order_mark: false,
            newline: Newline::Lf,
            final_newline: true,
            verbatim_names: Vec::new(),
        }
    }
}

/// What is wrong with a delimiter and a quotation mark, if anything.
pub(super) fn check_marks(delimiter: u8, quote: u8) -> Result<(), (&'static str, &'static str)> {
    for (key, mark) in [("delimiter", delimiter), ("quote", quote)] {
        if !mark.is_ascii() || matches!(mark, b'\n' | b'\r' | 0) {
            return Err((key, "must be one ASCII character other than the end of a line"));
        }
    }
    if delimiter == quote {
        return Err(("quote", "must not be the delimiter"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_gives_the_format() {
        for (path, format) in [
            ("a.csv", Some(Format::Csv)),
            ("a.TSV", Some(Format::Csv)),
            ("a.txt", Some(Format::Csv)),
            ("x/a.parquet", Some(Format::Parquet)),
            ("a.pq", Some(Format::Parquet)),
            ("a.feather", Some(Format::Arrow)),
            ("a.ipc", Some(Format::Arrow)),
            ("a.arrow", Some(Format::Arrow)),
            ("a.xlsx", Some(Format::Xlsx)),
            ("a.ods", Some(Format::Ods)),
            ("a.xls", None),
            ("csv", None),
        ] {
            assert_eq!(Format::of(Path::new(path)), format, "{path}");
        }
    }

    #[test]
    fn marks_must_be_told_apart() {
        assert!(check_marks(b',', b'"').is_ok());
        assert_eq!(check_marks(b',', b',').unwrap_err().0, "quote");
        assert_eq!(check_marks(0xe9, b'"').unwrap_err().0, "delimiter");
        assert_eq!(check_marks(b'\n', b'"').unwrap_err().0, "delimiter");
    }
}
