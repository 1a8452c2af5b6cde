//! Writes a CSV from dictionary codes, on all threads of the current pool.
//!
//! Per column and code the cell is made once, quoted and encoded and with what follows it, so that a row is
//! a few copies. Chunks of rows are formatted in parallel while the chunks before them are written. A column
//! without labels comes out as it stood in a CSV of the same dialect, byte for byte.

use std::io::Write;
use std::ops::Range;

use rayon::prelude::*;

use super::WriteError;
use super::cell::{needs_quotes, push_quoted, unquote};
use super::options::{Dialect, Encoding, check_marks};
use super::view::{View, ViewColumn};
use crate::{Cells, Progress, Quoting};

/// Rows that are formatted at once.
const CHUNK: usize = 1024;
/// Copies of these lengths cost less than asking how long the cell is.
const NARROW: usize = 16;
const WIDE: usize = 32;

pub(super) fn write_csv<W: Write + Send>(
    mut sink: W,
    view: &View<'_>,
    dialect: &Dialect,
    progress: &dyn Progress,
) -> Result<u64, WriteError> {
    progress.stage("writing", Some(view.rows as u64));
    let columns = prepare(&view.columns, dialect)?;
    let mut lines = Lines::begin(&mut sink, &view.columns, dialect)?;
    let mut written = 0;
    if view.rows <= CHUNK {
        let mut text = Vec::new();
        progress.check()?;
        written += format_rows(view, &columns, 0..view.rows, &mut text);
        lines.write(&text)?;
    } else {
        written += write_in_parallel(&mut lines, view, &columns, progress)?;
    }
    lines.end(dialect)?;
    Ok(written)
}

/// A CSV whose records arrive in chunks.
pub(super) struct CsvChunks<'a, W> {
    lines: Lines<W>,
    columns: Vec<PreparedColumn<'a>>,
    dialect: Dialect,
}

impl<'a, W: Write + Send> CsvChunks<'a, W> {
    pub(super) fn begin(
        sink: W,
        columns: &'a [ViewColumn<'_>],
        dialect: &Dialect,
    ) -> Result<Self, WriteError> {
        let prepared = prepare(columns, dialect)?;
        let lines = Lines::begin(sink, columns, dialect)?;
        Ok(Self { lines, columns: prepared, dialect: dialect.clone() })
    }

    /// How many entries each column has.
    pub(super) fn entries(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().map(|column| column.codes.len())
    }

    /// Writes so many records; per column which entry each is, all of which there are.
    pub(super) fn write(&mut self, rows: usize, entries: &[&[u32]]) -> Result<(), WriteError> {
        let Self { lines, columns, .. } = self;
        let texts: Vec<Vec<u8>> = (0..rows.div_ceil(CHUNK))
            .into_par_iter()
            .map(|piece| {
                let mut text = Vec::new();
                for row in piece * CHUNK..rows.min((piece + 1) * CHUNK) {
                    for (column, entries) in columns.iter().zip(entries) {
                        column.push(column.codes[entries[row] as usize], &mut text);
                    }
                }
                text
            })
            .collect();
        texts.iter().try_for_each(|text| lines.write(text))?;
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), WriteError> {
        self.lines.end(&self.dialect)
    }
}

/// Makes the cells of every column.
fn prepare<'a>(
    columns: &'a [ViewColumn<'_>],
    dialect: &Dialect,
) -> Result<Vec<PreparedColumn<'a>>, WriteError> {
    check_marks(dialect.delimiter, dialect.quote)
        .map_err(|(key, problem)| WriteError::Dialect { key, problem })?;
    let last = columns.len().saturating_sub(1);
    let columns = columns.iter().enumerate().map(|(i, column)| {
        let delimiter = std::slice::from_ref(&dialect.delimiter);
        PreparedColumn::new(column, if i == last { dialect.newline.bytes() } else { delimiter }, dialect)
    });
    columns.collect()
}

/// Formats some chunks while those before them are written.
fn write_in_parallel<W: Write + Send>(
    lines: &mut Lines<W>,
    view: &View<'_>,
    columns: &[PreparedColumn<'_>],
    progress: &dyn Progress,
) -> Result<u64, WriteError> {
    let window = 2 * rayon::current_num_threads();
    let mut ready: Vec<(u64, Vec<u8>)> = vec![(0, Vec::new()); window];
    let mut next: Vec<(u64, Vec<u8>)> = vec![(0, Vec::new()); window];
    let mut written = 0;
    let mut from = 0;
    let mut pending = false;
    while from < view.rows || pending {
        progress.check()?;
        progress.at(from as u64);
        let (wrote, ()) = rayon::join(
            || ready.iter().try_for_each(|(_, text)| lines.write(text)),
            || {
                next.par_iter_mut().enumerate().for_each(|(i, (rows, text))| {
                    let start = (from + i * CHUNK).min(view.rows);
                    let end = (start + CHUNK).min(view.rows);
                    text.clear();
                    *rows = format_rows(view, columns, start..end, text);
                });
            },
        );
        wrote?;
        pending = from < view.rows;
        from += window * CHUNK;
        written += next.iter().map(|(rows, _)| rows).sum::<u64>();
        std::mem::swap(&mut ready, &mut next);
    }
    progress.at(view.rows as u64);
    Ok(written)
}

/// Writes lines, holding back the end of the last one.
struct Lines<W> {
    sink: W,
    newline: &'static [u8],
    /// Whether the end of the last line is still to be written.
    owed: bool,
    last_is_blank: bool,
}

impl<W: Write> Lines<W> {
    /// Begins with the header.
    fn begin(sink: W, columns: &[ViewColumn<'_>], dialect: &Dialect) -> Result<Self, WriteError> {
        let mut lines = Self { sink, newline: dialect.newline.bytes(), owed: false, last_is_blank: false };
        if dialect.byte_order_mark && dialect.encoding == Encoding::Utf8 {
            lines.sink.write_all(b"\xef\xbb\xbf")?;
        }
        if dialect.header {
            lines.write(&header(columns, dialect)?)?;
        }
        Ok(lines)
    }

    fn end(mut self, dialect: &Dialect) -> Result<(), WriteError> {
        // A blank last line would vanish without its end.
        if self.owed && (dialect.final_newline || self.last_is_blank) {
            self.sink.write_all(self.newline)?;
        }
        self.sink.flush()?;
        Ok(())
    }

    fn write(&mut self, lines: &[u8]) -> std::io::Result<()> {
        let Some(text) = lines.strip_suffix(self.newline) else { return Ok(()) };
        if self.owed {
            self.sink.write_all(self.newline)?;
        }
        self.owed = true;
        self.last_is_blank = text.is_empty() || text.ends_with(b"\n");
        self.sink.write_all(text)
    }
}

fn header(columns: &[ViewColumn<'_>], dialect: &Dialect) -> Result<Vec<u8>, WriteError> {
    let mut line = Vec::new();
    for (i, ViewColumn { column, .. }) in columns.iter().enumerate() {
        if i > 0 {
            line.push(dialect.delimiter);
        }
        let name = &column.name;
        let verbatim = dialect.verbatim_names.iter().find(|(of, _)| of == name).map(|(_, cell)| &**cell);
        push_cell(name, verbatim, Quoting::Needed, dialect, &mut line)
            .ok_or_else(|| WriteError::Latin1 { column: name.clone() })?;
    }
    line.extend_from_slice(dialect.newline.bytes());
    Ok(line)
}

/// Adds the cell of a text: as it stood, if it still reads as that text, or quoted by the rule. `None` when
/// the encoding cannot represent it.
fn push_cell(
    text: &str,
    verbatim: Option<&str>,
    quoting: Quoting,
    dialect: &Dialect,
    out: &mut Vec<u8>,
) -> Option<()> {
    let reads_as_text = |cell: &str| {
        let cell = cell.as_bytes();
        let is_bare = cell.first() != Some(&dialect.quote);
        let breaks = is_bare && cell.iter().any(|b| *b == dialect.delimiter || matches!(b, b'\n' | b'\r'));
        !breaks && unquote(cell, dialect.quote).is_some_and(|read| *read == *text.as_bytes())
    };
    let quoted;
    let cell = match verbatim.filter(|cell| reads_as_text(cell)) {
        Some(cell) => cell.as_bytes(),
        None if quoting == Quoting::Always
            || needs_quotes(text.as_bytes(), dialect.delimiter, dialect.quote) =>
        {
            let mut cell = Vec::with_capacity(text.len() + 2);
            push_quoted(text.as_bytes(), dialect.quote, &mut cell);
            quoted = cell;
            &quoted
        }
        None => text.as_bytes(),
    };
    match dialect.encoding {
        Encoding::Utf8 | Encoding::Windows1252 => out.extend_from_slice(cell),
        Encoding::Latin1 if cell.is_ascii() => out.extend_from_slice(cell),
        Encoding::Latin1 => {
            for character in String::from_utf8_lossy(cell).chars() {
                out.push(u8::try_from(character).ok()?);
            }
        }
    }
    Some(())
}

/// A column whose cells are ready to be copied.
struct PreparedColumn<'a> {
    codes: &'a [u32],
    /// Cell after cell, each with what follows it, and some bytes that mean nothing.
    cells: Vec<u8>,
    /// Per code where its cell begins; one more for the end.
    starts: Vec<usize>,
    /// The length of the longest cell.
    longest: usize,
}

impl<'a> PreparedColumn<'a> {
    fn new(column: &'a ViewColumn<'_>, after: &[u8], dialect: &Dialect) -> Result<Self, WriteError> {
        let ViewColumn { column, labels, codes } = column;
        let domain = &column.domain;
        let codes = *codes;
        let own = codes.unwrap_or(&column.codes);
        let mut prepared = Self { codes: own, cells: Vec::new(), starts: vec![0], longest: 0 };
        let mut push = |text: &str, verbatim: Option<&str>, quoting| -> Result<(), WriteError> {
            push_cell(text, verbatim, quoting, dialect, &mut prepared.cells)
                .ok_or_else(|| WriteError::Latin1 { column: column.name.clone() })?;
            prepared.cells.extend_from_slice(after);
            let start = prepared.starts.last().copied().unwrap_or(0);
            prepared.longest = prepared.longest.max(prepared.cells.len() - start);
            prepared.starts.push(prepared.cells.len());
            Ok(())
        };
        match (labels, &column.cells) {
            (None, Cells::Verbatim { codes, cells, texts }) => {
                let problem = "its cells as they stood are not told for each record";
                let shape = || WriteError::Shape { column: column.name.clone(), problem };
                if codes.len() != column.codes.len() {
                    return Err(shape());
                }
                let mut value_of = vec![None; cells.len()];
                for (&cell, &code) in codes.iter().zip(&column.codes) {
                    *value_of.get_mut(cell as usize).ok_or_else(shape)? = Some(code);
                }
                for (place, (cell, code)) in cells.iter().zip(value_of).enumerate() {
                    let own = texts.as_ref().and_then(|texts| texts.get(place)).map(|text| &**text);
                    let text = own.or(code.map(|code| domain.text(code)));
                    push(text.unwrap_or_default(), Some(cell), Quoting::Needed)?;
                }
                prepared.codes = codes;
            }
            (labels, cells) => {
                let labels = labels.as_deref().unwrap_or(domain.texts());
                for (label, code) in labels.iter().zip(0..) {
                    let is_marker = || domain.is_missing(code) && **label == *domain.text(code);
                    let always = matches!(cells, Cells::Quoted) && (codes.is_some() || !is_marker());
                    push(label, None, if always { Quoting::Always } else { Quoting::Needed })?;
                }
            }
        }
        prepared.cells.resize(prepared.cells.len() + WIDE, 0);
        Ok(prepared)
    }

    /// Adds the cell of a code, and what follows it.
    #[inline(always)]
    fn push(&self, code: u32, text: &mut Vec<u8>) {
        let (start, end) = (self.starts[code as usize], self.starts[code as usize + 1]);
        let all = text.len() + end - start;
        // All cells of a column go the same way, which a processor learns.
        if self.longest <= NARROW {
            text.extend_from_slice(&self.cells[start..start + NARROW]);
            text.truncate(all);
        } else if self.longest <= WIDE {
            text.extend_from_slice(&self.cells[start..start + WIDE]);
            text.truncate(all);
        } else {
            text.extend_from_slice(&self.cells[start..end]);
        }
    }
}

/// Adds the lines of the rows that are kept, and returns how many.
fn format_rows(
    view: &View<'_>,
    columns: &[PreparedColumn<'_>],
    rows: Range<usize>,
    text: &mut Vec<u8>,
) -> u64 {
    let mut kept = 0;
    for row in rows {
        if !view.keeps(row) {
            continue;
        }
        kept += 1;
        for column in columns {
            column.push(column.codes[row], text);
        }
    }
    kept
}
