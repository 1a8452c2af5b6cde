//! What can go wrong between a file and a table. No message holds a value of the data.
//!
//! A [`ReadError`] carries the path that was given to `read`, and its message begins with it. A
//! [`WriteError`] knows no path, because it writes to a sink; the caller adds the path.

use std::path::PathBuf;

use crate::Cancelled;

/// A file that could not be read: which one, and why.
#[derive(Debug)]
pub struct ReadError {
    /// The path as the caller gave it; none when bytes were read.
    pub path: Option<PathBuf>,
    /// What is wrong.
    pub kind: ReadErrorKind,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.kind)
    }
}

impl ReadError {
    /// Whether the person asked to stop.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.kind.innermost(), ReadErrorKind::Cancelled(_))
    }

    /// Whether memory or the like does not suffice, rather than that something is wrong with the file.
    pub fn is_resources(&self) -> bool {
        match self.kind.innermost() {
            ReadErrorKind::TooLarge { .. } => true,
            ReadErrorKind::Io(error) => error.kind() == std::io::ErrorKind::OutOfMemory,
            _ => false,
        }
    }
}

/// What is wrong with a file. Lines are physical lines, counted from 1; columns are counted from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The operating system said no.
    #[error("cannot be read: {0}")]
    Io(#[source] std::io::Error),
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The extension says nothing.
    #[error(
        "the format cannot be told from the extension; use .csv, .tsv, .txt, .parquet, .pq, .arrow, .ipc, .feather, .xlsx or .ods, or set format = \"csv\", \"parquet\", \"arrow\", \"xlsx\" or \"ods\""
    )]
    UnknownFormat,
    /// An option cannot be used.
    #[error("`{key}` {problem}")]
    Option {
        /// The key of the option.
        key: &'static str,
        /// What is wrong and what would be accepted.
        problem: &'static str,
    },
    /// There is nothing in the file.
    #[error("the file is empty; a table needs at least a line with the names of its columns")]
    Empty,
    /// UTF-16.
    #[error("the file is encoded in UTF-16; save it as UTF-8")]
    Utf16,
    /// A byte sequence that is not UTF-8.
    #[error(
        "line {line}: not valid UTF-8; spreadsheets often write Windows-1252: set encoding = \"windows-1252\", or \"latin-1\" for ISO 8859-1"
    )]
    Utf8 {
        /// The line.
        line: u64,
    },
    /// A NUL byte.
    #[error("line {line}: a NUL byte; this is not a text file in UTF-8 or Latin-1")]
    Nul {
        /// The line.
        line: u64,
    },
    /// Another number of cells than the first record has.
    #[error(
        "line {line}: {found} cells where {expected} are expected; a cell that holds the delimiter needs quotation marks"
    )]
    Ragged {
        /// The line on which the record begins.
        line: u64,
        /// The cells of the first record.
        expected: usize,
        /// The cells of this one.
        found: usize,
    },
    /// A quotation mark that is never closed.
    #[error("line {line}: the quotation mark that opens a cell here is never closed")]
    Unterminated {
        /// The line of the opening mark.
        line: u64,
    },
    /// Text between the closing mark and the delimiter.
    #[error(
        "line {line}: text after the closing quotation mark of a cell; a quotation mark inside a quoted cell is written twice"
    )]
    AfterQuote {
        /// The line of the closing mark.
        line: u64,
    },
    /// A carriage return that ends no line.
    #[error(
        "line {line}: a carriage return without a line feed; lines end in LF or CRLF, and a carriage return inside a cell needs quotation marks"
    )]
    CarriageReturn {
        /// The line.
        line: u64,
    },
    /// A record that is longer than any record should be.
    #[error(
        "line {line}: the record that begins here is longer than {limit} MiB; is a quotation mark never closed?"
    )]
    TooLong {
        /// The line on which the record begins.
        line: u64,
        /// The longest record that is read.
        limit: usize,
    },
    /// Columns without a name.
    #[error("the header gives no name to column {}; name it, or set header = false if the first line is a record", list(.columns))]
    EmptyName {
        /// The numbers of the columns.
        columns: Vec<usize>,
    },
    /// Columns of the same name.
    #[error(
        "the header gives the same name to columns {}{}; rename them, or set header = false if the first line is a record",
        columns.iter().map(|own| list(own)).collect::<Vec<_>>().join(", to columns "),
        if empty.is_empty() { String::new() } else { format!(", and none to column {}", list(empty)) }
    )]
    DuplicateName {
        /// The numbers of the columns, those of one name together.
        columns: Vec<Vec<usize>>,
        /// The numbers of the columns without a name.
        empty: Vec<usize>,
    },
    /// The first line may be a header, and may be a record.
    #[error(
        "it cannot be told whether the first line names the columns or is a record: {why}. Say which with --header or --no-header, or with header = true or header = false in [input]"
    )]
    HeaderInDoubt {
        /// What speaks for either.
        why: &'static str,
    },
    /// Fewer lines than are to be left out.
    #[error("`skip` leaves out the first {lines} lines, and the file has no table behind them")]
    Skipped {
        /// How many are to be left out.
        lines: u64,
    },
    /// A spelling is given for a column whose cells are spelled otherwise.
    #[error(
        "column `{column}`: {values} of its {distinct} distinct values are not spelled as `{spelling}` says{first}; correct them, list them under `missing` if they say that nobody knows, or take the column out of [input.spelling]"
    )]
    Spelling {
        /// The column.
        column: String,
        /// The spelling that was said.
        spelling: &'static str,
        /// How many distinct values are spelled otherwise.
        values: usize,
        /// How many there are.
        distinct: usize,
        /// The first record with one of them, in words; nothing where it is not known.
        first: String,
    },
    /// A column mixes units that a plain number does not tell.
    #[error(
        "column `{column}`: its numbers have {units} different units (such as € and $, or some % and some nothing){first}; a column needs one"
    )]
    Units {
        /// The column.
        column: String,
        /// How many different units there are.
        units: usize,
        /// The first record with another unit than the first, in words; nothing where it is not known.
        first: String,
    },
    /// A folder or pattern that stands for no file.
    #[error("{problem}")]
    Parts {
        /// What is wrong and what would be accepted.
        problem: String,
    },
    /// One of the files of a folder or pattern.
    #[error("{}: {kind}", path.display())]
    Part {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        kind: Box<ReadErrorKind>,
    },
    /// A column was asked for that the file does not have.
    #[error("there is no column `{name}` among the {} columns of the file", .names.len())]
    UnknownColumn {
        /// The name that was asked for.
        name: String,
        /// The names in the file. Not part of the message: a first record taken for a header is data.
        names: Vec<String>,
    },
    /// More distinct values than codes.
    #[error("a column has more distinct values than fit into 32-bit codes")]
    TooManyValues,
    /// A column of a type that a table of people does not hold.
    #[error(
        "column `{column}` has the type {kind}; integers, floats, decimals, booleans, dates, timestamps, strings and dictionaries of strings can be read"
    )]
    Type {
        /// Its name.
        column: String,
        /// Its Arrow type.
        kind: String,
    },
    /// A value that has no text, such as a date beyond the calendar.
    #[error("column `{column}` holds a value that cannot be written as text")]
    NoText {
        /// Its name.
        column: String,
    },
    /// More than memory is meant to hold.
    #[error(
        "the table takes {} once it is decoded, and {} are accepted; accept more with --max-input (or key input.max-input), read fewer columns, have mondrian read it in passes (key search.mondrian.memory-limit), or an engine group it (privet-cluster)",
        super::extent::size(*.needed), super::extent::size(*.limit)
    )]
    TooLarge {
        /// What it takes, or has taken so far.
        needed: u64,
        /// What is accepted.
        limit: u64,
    },
    /// A sheet that cannot be read in one way only.
    #[error("{problem}")]
    Sheet {
        /// What is wrong and what would be accepted.
        problem: String,
    },
    /// The file is not in its format.
    #[error("not a readable {format} file: {problem}")]
    Damaged {
        /// The format.
        format: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl ReadErrorKind {
    /// What is wrong, whichever of several files it is wrong with.
    pub fn innermost(&self) -> &Self {
        match self {
            ReadErrorKind::Part { kind, .. } => kind.innermost(),
            other => other,
        }
    }
}

impl ReadErrorKind {
    /// The line that is told.
    pub(super) fn line_mut(&mut self) -> Option<&mut u64> {
        match self {
            Self::Utf8 { line }
            | Self::Nul { line }
            | Self::Ragged { line, .. }
            | Self::Unterminated { line }
            | Self::AfterQuote { line }
            | Self::CarriageReturn { line }
            | Self::TooLong { line, .. } => Some(line),
            _ => None,
        }
    }
}

impl From<std::io::Error> for ReadErrorKind {
    fn from(error: std::io::Error) -> Self {
        ReadErrorKind::Io(error)
    }
}

fn list(columns: &[usize]) -> String {
    let numbers: Vec<String> = columns.iter().map(usize::to_string).collect();
    match numbers.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => numbers.concat(),
    }
}

/// Why a table could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system said no.
    #[error("cannot be written: {0}")]
    Io(#[from] std::io::Error),
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The dialect cannot be used.
    #[error("`{key}` {problem}")]
    Dialect {
        /// The key.
        key: &'static str,
        /// What is wrong and what would be accepted.
        problem: &'static str,
    },
    /// Nothing to write.
    #[error("there is no column to write; at least one must be published")]
    NoColumns,
    /// Codes, labels or kept rows do not fit the table.
    #[error("column `{column}` does not fit the table: {problem}")]
    Shape {
        /// Its name.
        column: String,
        /// What does not fit.
        problem: &'static str,
    },
    /// A character that Latin-1 does not have.
    #[error(
        "column `{column}` holds a character that Latin-1 cannot represent; write UTF-8 instead (encoding = \"utf-8\")"
    )]
    Latin1 {
        /// Its name.
        column: String,
    },
    /// The Arrow or Parquet writer failed.
    #[error("the {format} file cannot be written: {problem}")]
    Format {
        /// The format.
        format: &'static str,
        /// What the writer said, without values.
        problem: String,
    },
}
