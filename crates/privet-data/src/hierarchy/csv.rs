//! Hierarchy files: one row per value, one column per level (survey ME-05). A first row that names the columns is left out.
//!
//! Cells are parted by `;`, a tab or `,`, whichever the file uses, and quoted as in RFC 4180. The text is UTF-8,
//! with or without a byte order mark; lines end with LF or CRLF; blank rows do not count. A file whose
//! name ends in `.toml` or `.json` holds a tree instead. Everything is checked on load, and an error
//! names the file, the line and the column.

use super::builders::tree::Tree;
use super::{Hierarchy, HierarchyError, Level, LevelBuilder, MOST_LEVELS};
use std::borrow::Cow;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

/// What may part two cells, the likeliest first: a comma is often part of a label such as `[20,25)`.
const DELIMITERS: [u8; 3] = [b';', b'\t', b','];

/// A hierarchy has one short line per value; a larger file is not one.
const MOST_BYTES: u64 = 1 << 30;

/// Reads a hierarchy file.
///
/// # Errors
/// When the file cannot be read, is not in the layout of a hierarchy, holds a value twice, or has levels
/// that do not nest. The error names the file, the line and the column.
pub fn read_hierarchy(path: &Path) -> Result<Hierarchy, HierarchyError> {
    let read = || {
        let bytes = read_bytes(path)?;
        if Tree::is_tree_file(path) { Tree::parse(path, &bytes)?.build() } else { parse_hierarchy(&bytes) }
    };
    read().map_err(|error| error.in_file(path))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, HierarchyError> {
    let unreadable = |error: io::Error| HierarchyError::Unreadable(format!("cannot be read: {error}"));
    let mut bytes = Vec::new();
    let file = crate::io::open_plain(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        let problem = "is larger than 1 GiB; a hierarchy has one short line for each value of a column";
        return Err(HierarchyError::Unreadable(problem.into()));
    }
    Ok(bytes)
}

/// Writes a hierarchy in the usual layout: one row per leaf, one column per level, no header.
///
/// Cells are quoted where a reader needs it. [`read_hierarchy`] finds the delimiter by itself when it is
/// `;`, a tab or `,`.
///
/// # Errors
/// When the sink fails, or the delimiter is a quotation mark or an end of line.
pub fn write_hierarchy<W: Write>(sink: W, hierarchy: &Hierarchy, delimiter: u8) -> io::Result<()> {
    if !delimiter.is_ascii() || matches!(delimiter, b'"' | b'\n' | b'\r' | 0) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the delimiter cannot part cells; use ; or ,",
        ));
    }
    let quoted = |text: &str| -> Option<String> {
        let needed = text.trim().is_empty()
            || text.contains('\u{feff}')
            || text
                .bytes()
                .any(|b| b == delimiter || DELIMITERS.contains(&b) || matches!(b, b'"' | b'\n' | b'\r'));
        needed.then(|| format!("\"{}\"", text.replace('"', "\"\"")))
    };
    // A label is quoted once for its node, not once for each leaf.
    let labels: Vec<Vec<Option<String>>> = hierarchy
        .levels()
        .iter()
        .map(|level| level.labels.iter().map(|text| quoted(text)).collect())
        .collect();
    let mut sink = BufWriter::new(sink);
    for (i, leaf) in hierarchy.leaves().iter().enumerate() {
        sink.write_all(quoted(leaf).as_deref().unwrap_or(leaf).as_bytes())?;
        for (level, labels) in hierarchy.levels().iter().zip(&labels) {
            let node = level.node_of_leaf[i] as usize;
            sink.write_all(&[delimiter])?;
            sink.write_all(labels[node].as_deref().unwrap_or(&level.labels[node]).as_bytes())?;
        }
        sink.write_all(b"\n")?;
    }
    sink.flush()
}

/// Reads a hierarchy from the bytes of a file with one row per value.
///
/// # Errors
/// As [`read_hierarchy`], without the name of the file.
///
/// ```
/// use privet_data::hierarchy::parse_hierarchy;
/// let hierarchy = parse_hierarchy(b"20;20-29;*\n23;20-29;*\n41;40-49;*\n")?;
/// assert_eq!((hierarchy.leaves().len(), hierarchy.height()), (3, 2));
/// # Ok::<(), privet_data::HierarchyError>(())
/// ```
pub fn parse_hierarchy(bytes: &[u8]) -> Result<Hierarchy, HierarchyError> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(malformed(1, 1, "the file is in UTF-16; save it as UTF-8"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut rows = Rows { rest: bytes, line: 1, delimiter: delimiter_of(bytes) };
    let (mut leaves, mut lines) = (Vec::<Box<str>>::new(), Vec::new());
    let mut levels: Vec<LevelBuilder> = Vec::new();
    let mut cells: Vec<Cow<'_, str>> = Vec::new();
    while let Some(line) = rows.next(&mut cells)? {
        let [leaf, labels @ ..] = &*cells else { continue };
        if leaves.is_empty() {
            levels.resize_with(labels.len(), LevelBuilder::default);
        } else if labels.len() != levels.len() {
            return Err(HierarchyError::Ragged { line, found: cells.len(), expected: levels.len() + 1 });
        }
        // The row of the empty value may say that it stays empty; any other empty label is an oversight.
        if !leaf.is_empty()
            && let Some(position) = labels.iter().position(|label| label.is_empty())
        {
            return Err(HierarchyError::EmptyLabel { line, column: position + 2 });
        }
        for (level, label) in levels.iter_mut().zip(labels) {
            level.push(label);
        }
        leaves.push((&**leaf).into());
        lines.push(line);
    }
    if leaves.is_empty() {
        return Err(HierarchyError::Empty);
    }
    let mut levels: Vec<Level> = levels.into_iter().map(LevelBuilder::finish).collect();
    if is_header(&leaves[0], &levels) {
        leaves.remove(0);
        lines.remove(0);
        levels.iter_mut().for_each(Level::drop_first);
    }
    Hierarchy::from_levels(leaves, levels).map_err(|error| error.on_lines(&lines))
}

/// Whether the first row names the columns: its labels are all different and occur in no other row. The others agree at the top,
/// or its cells are words such as `value` and `level 1`.
fn is_header(leaf: &str, levels: &[Level]) -> bool {
    const WORDS: [&str; 22] = [
        "value",
        "values",
        "level",
        "levels",
        "leaf",
        "label",
        "group",
        "original",
        "hierarchy",
        "top",
        "all",
        "wert",
        "ebene",
        "stufe",
        "gruppe",
        "valeur",
        "niveau",
        "groupe",
        "valor",
        "nivel",
        "grupo",
        "generalization",
    ];
    let rows = levels.first().map_or(0, |level| level.node_of_leaf.len());
    let alone = |level: &Level| level.node_of_leaf[1..].iter().all(|&node| node != level.node_of_leaf[0]);
    if rows < 3 || !levels.iter().all(alone) {
        return false;
    }
    // The node of the first row is the first of each level.
    let cells: Vec<&str> = std::iter::once(leaf)
        .chain(levels.iter().map(|level| level.labels.first().map_or("", |own| own)))
        .collect();
    let are_names = cells.iter().all(|cell| {
        // An asterisk or a range is a label.
        cell.chars().any(char::is_alphabetic) && !cell.contains(['*', '[', '<', '>', '≤', '≥'])
    });
    let differ = cells.iter().enumerate().all(|(at, cell)| !cells[..at].contains(cell));
    let is_word = |cell: &&str| {
        let word: String =
            cell.chars().take_while(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
        WORDS.contains(&word.as_str())
    };
    // Only names would lead elsewhere than to the star.
    let agree = levels.last().is_some_and(|top| top.labels.len() == 2 && &*top.labels[1] == "*");
    are_names && differ && (agree && rows > 3 && levels.len() > 1 || cells.iter().skip(1).all(is_word))
}

/// The first of `;`, tab and `,` that stands outside quotation marks on at least half of the lines.
fn delimiter_of(bytes: &[u8]) -> u8 {
    let mut lines = 0;
    let mut lines_with = [0; DELIMITERS.len()];
    let mut found = [false; DELIMITERS.len()];
    let (mut inside, mut cell_starts, mut blank) = (false, true, true);
    for &byte in bytes.iter().chain(b"\n") {
        let delimiter = DELIMITERS.iter().position(|&d| d == byte);
        match (inside, byte) {
            // A doubled mark closes the cell and opens it again.
            (true, b'"') => (inside, cell_starts) = (false, true),
            (true, _) => {}
            (false, b'"') if cell_starts => (inside, blank) = (true, false),
            (false, b'\n') => {
                lines += usize::from(!blank);
                let counts = lines_with.iter_mut().zip(found);
                counts.for_each(|(count, found)| *count += usize::from(found && !blank));
                (found, cell_starts, blank) = ([false; DELIMITERS.len()], true, true);
            }
            (false, _) => {
                if let Some(position) = delimiter {
                    found[position] = true;
                }
                cell_starts = delimiter.is_some();
                blank &= byte.is_ascii_whitespace();
            }
        }
    }
    let usual = lines_with.iter().position(|&count| count > 0 && 2 * count >= lines);
    DELIMITERS[usual.or_else(|| lines_with.iter().position(|&count| count > 0)).unwrap_or(0)]
}

fn malformed(line: usize, column: usize, problem: &str) -> HierarchyError {
    HierarchyError::Malformed { line, column, problem: problem.into() }
}

/// The rows of a file, one after the other.
struct Rows<'a> {
    rest: &'a [u8],
    line: usize,
    delimiter: u8,
}

/// What stands behind a cell.
#[derive(PartialEq)]
enum End {
    Cell,
    Row,
}

impl<'a> Rows<'a> {
    /// Reads the cells of the next row that is not blank, and says on which line it begins.
    fn next(&mut self, cells: &mut Vec<Cow<'a, str>>) -> Result<Option<usize>, HierarchyError> {
        while !self.rest.is_empty() {
            let (line, from) = (self.line, self.rest);
            cells.clear();
            while self.cell(cells)? == End::Cell {
                if cells.len() > MOST_LEVELS {
                    let problem = format!("there are more than {MOST_LEVELS} levels");
                    return Err(malformed(line, cells.len() + 1, &problem));
                }
            }
            // Spreadsheets leave rows of nothing but delimiters behind.
            let row = &from[..from.len() - self.rest.len()];
            if !row.iter().all(|&b| b.is_ascii_whitespace() || b == self.delimiter) {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    fn cell(&mut self, cells: &mut Vec<Cow<'a, str>>) -> Result<End, HierarchyError> {
        let (line, column) = (self.line, cells.len() + 1);
        let content: Cow<'a, [u8]> = match self.rest {
            [b'"', rest @ ..] => {
                self.rest = rest;
                self.quoted(line, column)?
            }
            _ => {
                let length = memchr::memchr2(self.delimiter, b'\n', self.rest).unwrap_or(self.rest.len());
                let (content, rest) = self.rest.split_at(length);
                // The CR of a CRLF stays with the end of the line.
                let carriage_return =
                    content.last() == Some(&b'\r') && rest.first().is_none_or(|&b| b == b'\n');
                let length = length - usize::from(carriage_return);
                let (content, rest) = self.rest.split_at(length);
                if memchr::memchr(b'\r', content).is_some() {
                    let problem = "a carriage return stands within a line; lines end with LF or CRLF";
                    return Err(malformed(line, column, problem));
                }
                self.rest = rest;
                Cow::Borrowed(content)
            }
        };
        if memchr::memchr(0, &content).is_some() {
            return Err(malformed(line, column, "a NUL character; a hierarchy file is text"));
        }
        let text = match content {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        };
        cells.push(text.ok_or_else(|| malformed(line, column, "not UTF-8; save the file as UTF-8"))?);
        self.end(column)
    }

    /// The content of a cell behind its opening quotation mark, up to and with the closing one.
    fn quoted(&mut self, line: usize, column: usize) -> Result<Cow<'a, [u8]>, HierarchyError> {
        let mut content = Cow::Borrowed(&[][..]);
        loop {
            let Some(length) = memchr::memchr(b'"', self.rest) else {
                return Err(malformed(
                    line,
                    column,
                    "the cell is quoted and its closing quotation mark is missing",
                ));
            };
            let part = &self.rest[..length];
            self.line += memchr::memchr_iter(b'\n', part).count();
            if content.is_empty() {
                content = Cow::Borrowed(part);
            } else {
                content.to_mut().extend_from_slice(part);
            }
            self.rest = &self.rest[length + 1..];
            if self.rest.first() != Some(&b'"') {
                return Ok(content);
            }
            content.to_mut().push(b'"');
            self.rest = &self.rest[1..];
        }
    }

    fn end(&mut self, column: usize) -> Result<End, HierarchyError> {
        let (end, length) = match self.rest {
            [] => (End::Row, 0),
            [b'\n', ..] => (End::Row, 1),
            [b'\r', b'\n', ..] => (End::Row, 2),
            [b'\r'] => (End::Row, 1),
            [first, ..] if *first == self.delimiter => (End::Cell, 1),
            _ => {
                let problem =
                    "text stands behind the closing quotation mark; write \"\" for a mark within a cell";
                return Err(malformed(self.line, column, problem));
            }
        };
        self.line += usize::from(end == End::Row);
        self.rest = &self.rest[length..];
        Ok(end)
    }
}

#[cfg(test)]
mod tests;
