//! The published table as the referee reads it, and its equivalence classes.
//!
//! Texts are interned per column as they are read. Columns that no promise can be about (role
//! `insensitive`) are counted but not kept.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use privet_data::io::{
    Format, ReadErrorKind, check_columnar, check_columnar_parts, guarded, input_limit, read_plain,
};
use privet_data::{Kind, Progress};

use super::csv::{Malformed, Records, decode};
use super::kinds::Kinds;
use super::values::Rule;
use super::{VerifyError, columnar, sheet};
use crate::Manifest;
use crate::folder::is_plain_name;
use crate::parts::parts_of;

/// A table of interned texts.
pub(super) struct Table {
    pub names: Vec<String>,
    pub rows: usize,
    /// One for each name; without codes when the column is not kept.
    pub columns: Vec<Column>,
}

/// A column: its distinct texts in the order of their appearance, and per record which one; of one whose texts are not
/// kept, of which kinds they are.
#[derive(Default)]
pub(super) struct Column {
    pub texts: Vec<String>,
    pub codes: Vec<u32>,
    pub kinds: Option<Kinds>,
}

/// What is kept of a column.
#[derive(Clone, Copy)]
pub(super) enum Keep<'a> {
    /// Its texts.
    Texts,
    /// Of which kinds its values are, these markers of missing ones aside.
    Kinds(&'a [String]),
    Nothing,
}

impl From<bool> for Keep<'_> {
    fn from(keep: bool) -> Self {
        if keep { Keep::Texts } else { Keep::Nothing }
    }
}

/// Interns the texts of one column.
struct Interner<'a> {
    code_of: HashMap<Vec<u8>, u32>,
    codes: Vec<u32>,
    keep: Keep<'a>,
    kinds: Kinds,
}

impl<'a> Interner<'a> {
    fn new(keep: Keep<'a>) -> Self {
        Self { code_of: HashMap::new(), codes: Vec::new(), keep, kinds: Kinds::default() }
    }

    fn is_read(&self) -> bool {
        !matches!(self.keep, Keep::Nothing)
    }

    fn push(&mut self, text: &[u8]) {
        match self.keep {
            Keep::Nothing => return,
            Keep::Kinds(markers) => {
                let text = decode(text, std::str::from_utf8(text).is_ok());
                if !text.is_empty() && !markers.contains(&text) {
                    self.kinds.look(&text);
                }
                return;
            }
            Keep::Texts => {}
        }
        let code = match self.code_of.get(text) {
            Some(&code) => code,
            None => {
                let code = self.code_of.len() as u32;
                self.code_of.insert(text.to_vec(), code);
                code
            }
        };
        self.codes.push(code);
    }

    fn finish(self, utf8: bool) -> Column {
        let mut texts = vec![String::new(); self.code_of.len()];
        for (text, code) in self.code_of {
            texts[code as usize] = decode(&text, utf8);
        }
        let kinds = matches!(self.keep, Keep::Kinds(_)).then_some(self.kinds);
        Column { texts, codes: self.codes, kinds }
    }
}

/// Reads the published table. The inner error is a sentence about a table that does not parse.
pub(super) fn read(
    folder: &Path,
    manifest: &Manifest,
    intact: bool,
    progress: &dyn Progress,
) -> Result<Result<Table, String>, VerifyError> {
    let data = &manifest.data;
    // Columns are matched to the manifest by position; names are compared later.
    let markers = data.missing.as_deref().unwrap_or_default();
    let keep = |position: usize, _: &str| match data.columns.get(position) {
        Some(column) if column.role != "insensitive" => Keep::Texts,
        Some(column) if column.alike.is_some_and(|own| own.kind != Kind::Text) => Keep::Kinds(markers),
        _ => Keep::Nothing,
    };
    progress.stage("reading the published table", Some(data.rows));
    match parts_of(&data.file, &manifest.files)[..] {
        [file] => read_file(folder, Written::of(manifest), file, keep, intact, progress),
        ref files => read_parts(folder, &data.format, files, keep, intact, progress),
    }
}

/// Reads a table that is in several files.
fn read_parts<'k, K: Into<Keep<'k>>>(
    folder: &Path,
    format: &str,
    files: &[&str],
    keep: impl Fn(usize, &str) -> K,
    intact: bool,
    progress: &dyn Progress,
) -> Result<Result<Table, String>, VerifyError> {
    if !matches!(format, "parquet" | "arrow") {
        return Ok(Err("only Parquet and Arrow tables are in several files".to_owned()));
    }
    if !intact {
        return Ok(Err("not read, since a file was changed".to_owned()));
    }
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    read_columnar(&paths, format, keep, progress)
}

/// How the tables of a release are written, as its manifest says.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub format: &'a str,
    pub delimiter: Option<char>,
    pub encoding: Option<&'a str>,
}

impl<'a> Written<'a> {
    pub fn of(manifest: &'a Manifest) -> Self {
        let data = &manifest.data;
        Self { format: &data.format, delimiter: data.delimiter, encoding: data.encoding.as_deref() }
    }
}

/// Reads a table of the release. A binary file whose hash is wrong (`intact` is false) is not read at all: nothing
/// could be learned from what it holds.
pub(super) fn read_file<'k, K: Into<Keep<'k>>>(
    folder: &Path,
    written: Written<'_>,
    file: &str,
    keep: impl Fn(usize, &str) -> K,
    intact: bool,
    progress: &dyn Progress,
) -> Result<Result<Table, String>, VerifyError> {
    if !is_plain_name(file) {
        return Ok(Err("the manifest names a data file that cannot stand in a release folder".to_owned()));
    }
    let path = folder.join(file);
    if !fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(Err(format!("{file} is missing or not a plain file")));
    }
    Ok(match written.format {
        "csv" => {
            let Some(delimiter) = written.delimiter.filter(char::is_ascii) else {
                return Ok(Err("the manifest names no delimiter that CSV can have".to_owned()));
            };
            let bytes = read_plain(&path, input_limit()).map_err(VerifyError::io(&path))?;
            let latin_1 = written.encoding == Some("latin-1");
            read_csv(&bytes, delimiter as u8, latin_1, keep, progress)?
        }
        _ if !intact => Err("not read, since the file was changed".to_owned()),
        "xlsx" => read_sheet(&path, keep, progress)?,
        format => read_columnar(&[path], format, keep, progress)?,
    }
    .map_err(|problem| format!("{file}: {problem}")))
}

/// Reads a CSV text with a header, keeping the columns that `keep` names.
pub(super) fn read_csv<'k, K: Into<Keep<'k>>>(
    bytes: &[u8],
    delimiter: u8,
    latin_1: bool,
    keep: impl Fn(usize, &str) -> K,
    progress: &dyn Progress,
) -> Result<Result<Table, String>, VerifyError> {
    // A table that says nothing of its encoding (a population table) is Latin-1 when it cannot be UTF-8.
    let utf8 = !latin_1 && std::str::from_utf8(bytes).is_ok();
    let mut records = Records::new(bytes, delimiter);
    let mut cells: Vec<Cow<'_, [u8]>> = Vec::new();
    let malformed = |error: Malformed| Ok(Err(format!("line {}: {}", error.line, error.problem)));
    match records.next(&mut cells) {
        Ok(true) => {}
        Ok(false) => {
            return Ok(Err("the file is empty; it should begin with the names of the columns".to_owned()));
        }
        Err(error) => return malformed(error),
    }
    let names: Vec<String> = cells.iter().map(|cell| decode(cell, utf8)).collect();
    let mut columns: Vec<Interner<'_>> =
        names.iter().enumerate().map(|(i, name)| Interner::new(keep(i, name).into())).collect();
    let mut rows = 0;
    loop {
        let line = records.line();
        match records.next(&mut cells) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return malformed(error),
        }
        if cells.len() != columns.len() {
            let (found, expected) = (cells.len(), columns.len());
            return Ok(Err(format!("line {line}: {found} cells where the header has {expected}")));
        }
        for (column, cell) in columns.iter_mut().zip(&cells) {
            column.push(cell);
        }
        rows += 1;
        tick(rows, progress)?;
    }
    Ok(Ok(Table { names, rows, columns: columns.into_iter().map(|c| c.finish(utf8)).collect() }))
}

/// Reads the Parquet or Arrow files of a table, one after the other, keeping the columns that `keep` names.
pub(super) fn read_columnar<'k, K: Into<Keep<'k>>>(
    paths: &[PathBuf],
    format: &str,
    keep: impl Fn(usize, &str) -> K,
    progress: &dyn Progress,
) -> Result<Result<Table, String>, VerifyError> {
    // What states more than it holds, or holds more than memory does, is not read at all.
    let stated = if format == "parquet" { Format::Parquet } else { Format::Arrow };
    match check_columnar_parts(paths, stated) {
        Ok(()) => {}
        Err((path, error @ ReadErrorKind::TooLarge { .. })) => {
            return Err(VerifyError::TooLarge { path, problem: error.to_string() });
        }
        Err(_) => return Ok(Err("the file is damaged, or not of its format".to_owned())),
    }
    // The libraries panic on some files that were made to break them; a referee must not.
    guarded(|| read_batches(paths, format, keep, progress))
        .unwrap_or_else(|| Ok(Err("the file is damaged".to_owned())))
}

/// Reads a published sheet, keeping the columns that `keep` names.
fn read_sheet<'k, K: Into<Keep<'k>>>(
    path: &Path,
    keep: impl Fn(usize, &str) -> K,
    progress: &dyn Progress,
) -> Result<Result<Table, String>, VerifyError> {
    match check_columnar(path, Format::Xlsx) {
        Ok(()) => {}
        Err(error @ ReadErrorKind::TooLarge { .. }) => {
            return Err(VerifyError::TooLarge { path: path.to_owned(), problem: error.to_string() });
        }
        Err(_) => return Ok(Err("the file is damaged, or not of its format".to_owned())),
    }
    let (mut names, mut rows) = (None, 0);
    let mut columns: Vec<Interner<'_>> = Vec::new();
    let read = guarded(|| {
        sheet::rows(path, &mut |cells| {
            if names.is_none() {
                columns =
                    cells.iter().enumerate().map(|(i, name)| Interner::new(keep(i, name).into())).collect();
                names = Some(cells.to_vec());
                return true;
            }
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell.as_bytes()));
            rows += 1;
            !progress.cancelled()
        })
    });
    progress.check()?;
    match read {
        Some(Ok(())) => {}
        Some(Err(problem)) => return Ok(Err(problem.to_owned())),
        None => return Ok(Err("the file is damaged".to_owned())),
    }
    let columns = columns.into_iter().map(|column| column.finish(true)).collect();
    Ok(Ok(Table { names: names.unwrap_or_default(), rows, columns }))
}

fn read_batches<'k, K: Into<Keep<'k>>>(
    paths: &[PathBuf],
    format: &str,
    keep: impl Fn(usize, &str) -> K,
    progress: &dyn Progress,
) -> Result<Result<Table, String>, VerifyError> {
    let mut names: Vec<String> = Vec::new();
    let mut batches: Vec<Box<dyn Iterator<Item = Result<RecordBatch, ()>>>> = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        let own = match columnar::open(path, format) {
            Ok(own) => own,
            Err(problem) => return Ok(Err(problem.to_owned())),
        };
        match number {
            0 => names = own.names,
            _ if names == own.names => {}
            _ => return Ok(Err(format!("file {} has other columns than the first", number + 1))),
        }
        batches.push(own.batches);
    }
    let batches = batches.into_iter().flatten();
    let mut columns: Vec<Interner<'_>> =
        names.iter().enumerate().map(|(i, name)| Interner::new(keep(i, name).into())).collect();
    let mut rows = 0;
    for batch in batches {
        let damaged = |rows: usize| Ok(Err(format!("the file is damaged after record {rows}")));
        let Ok(batch) = batch else { return damaged(rows) };
        for (column, array) in columns.iter_mut().zip(batch.columns()) {
            if column.is_read() && columnar::texts(array, &mut |text| column.push(text.as_bytes())).is_err() {
                return damaged(rows);
            }
        }
        rows += batch.num_rows();
        progress.check()?;
        progress.at(rows as u64);
    }
    Ok(Ok(Table { names, rows, columns: columns.into_iter().map(|c| c.finish(true)).collect() }))
}

fn tick(rows: usize, progress: &dyn Progress) -> Result<(), VerifyError> {
    if rows.is_multiple_of(1 << 16) {
        progress.check()?;
        progress.at(rows as u64);
    }
    Ok(())
}

/// An equivalence class of the published table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    /// Its first record, counted from 1.
    pub record: u64,
    pub rows: u64,
}

/// How often each text of a column occurs, by the code of the text.
pub(super) type Histogram = BTreeMap<u32, u64>;

/// The published table and its classes.
pub(super) struct Released {
    pub table: Table,
    /// Positions of the quasi columns.
    pub quasi: Vec<usize>,
    /// Positions of the sensitive columns.
    pub sensitive: Vec<usize>,
    /// The classes, in the order of their first record.
    pub classes: Vec<Class>,
    /// Per record its class.
    pub class_of: Vec<u32>,
    /// Where a line of the table stands for several records: how many.
    pub weights: Option<Vec<u64>>,
    /// Per sensitive column which of its texts are one value. Their columns have one code for each value.
    pub rules: BTreeMap<usize, Rule>,
    pub input_rows: u64,
    pub suppressed: u64,
}

impl Released {
    /// Forms the classes: records with the same published texts in all quasi columns.
    pub fn group(
        table: Table,
        rules: BTreeMap<usize, Rule>,
        manifest: &Manifest,
        progress: &dyn Progress,
    ) -> Result<Self, VerifyError> {
        let with_role = |role: &str| -> Vec<usize> {
            let columns = manifest.data.columns.iter().enumerate();
            columns.filter(|(_, column)| column.role == role).map(|(i, _)| i).collect()
        };
        let (quasi, sensitive) = (with_role("quasi"), with_role("sensitive"));
        let (input_rows, suppressed) = (manifest.data.input_rows, manifest.data.suppressed);
        let released = Self::weighted(table, rules, (quasi, sensitive), None, progress)?;
        Ok(Self { input_rows, suppressed, ..released })
    }

    /// Forms the classes of a table whose lines may stand for several records each, of which none was suppressed.
    pub fn weighted(
        table: Table,
        rules: BTreeMap<usize, Rule>,
        (quasi, sensitive): (Vec<usize>, Vec<usize>),
        weights: Option<Vec<u64>>,
        progress: &dyn Progress,
    ) -> Result<Self, VerifyError> {
        let mut number_of: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut classes: Vec<Class> = Vec::new();
        let mut class_of = Vec::with_capacity(table.rows);
        let mut key = Vec::with_capacity(quasi.len());
        for row in 0..table.rows {
            tick(row + 1, progress)?;
            key.clear();
            key.extend(quasi.iter().map(|&column| table.columns[column].codes[row]));
            let number = match number_of.get(&key) {
                Some(&number) => number,
                None => {
                    let number = classes.len() as u32;
                    number_of.insert(key.clone(), number);
                    classes.push(Class { record: row as u64 + 1, rows: 0 });
                    number
                }
            };
            classes[number as usize].rows += weights.as_ref().map_or(1, |weights| weights[row]);
            class_of.push(number);
        }
        let input_rows = classes.iter().map(|class| class.rows).sum();
        Ok(Self { table, quasi, sensitive, classes, class_of, weights, rules, input_rows, suppressed: 0 })
    }

    /// Per class the histogram of a column.
    pub fn histograms(&self, column: usize) -> Vec<Histogram> {
        let mut histograms = vec![Histogram::new(); self.classes.len()];
        let codes = &self.table.columns[column].codes;
        for (row, (&class, &code)) in self.class_of.iter().zip(codes).enumerate() {
            *histograms[class as usize].entry(code).or_default() += self.weight(row);
        }
        histograms
    }

    /// The histogram of a column in the whole published table.
    pub fn histogram(&self, column: usize) -> Histogram {
        let mut histogram = Histogram::new();
        for (row, &code) in self.table.columns[column].codes.iter().enumerate() {
            *histogram.entry(code).or_default() += self.weight(row);
        }
        histogram
    }

    fn weight(&self, row: usize) -> u64 {
        self.weights.as_ref().map_or(1, |weights| weights[row])
    }
}
