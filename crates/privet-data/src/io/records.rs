//! Reads a CSV record by record, as they arrive: for pipes that never end, and for whoever keeps no table.
//!
//! A record is given out as soon as its line feed has arrived; no more than the record and one read of the source is
//! held. The first record gives the names of the columns, and the delimiter unless it is given. What is refused, and in
//! which words, is as in [`read`](super::read); the encoding is UTF-8.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::cell::{after_closing, needs_quotes, push_quoted, record, unquote};
use super::csv_read::check_names;
use super::dialect::detect;
use super::error::ReadErrorKind;
use super::options::ReadOptions;
use super::split::LONGEST_RECORD;

/// How much is asked of the source at once.
const CHUNK: usize = 64 << 10;

/// The records of a CSV, one after another.
///
/// # Examples
/// ```
/// use privet_data::io::{ReadOptions, RecordReader};
///
/// let mut records = RecordReader::new(&b"age;city\n30;Bonn\n"[..], &ReadOptions::default())?;
/// assert_eq!(records.names(), ["age", "city"]);
/// assert!(records.advance()?);
/// assert_eq!((records.line(), records.cell(1)), (2, "Bonn".into()));
/// assert!(!records.advance()?);
/// # Ok::<(), privet_data::io::ReadErrorKind>(())
/// ```
#[derive(Debug)]
pub struct RecordReader<R> {
    source: R,
    delimiter: u8,
    quote: u8,
    names: Vec<String>,
    text: Vec<u8>,
    /// Where the current record begins and ends.
    current: Range<usize>,
    at_end: bool,
    line: u64,
    next_line: u64,
    cells: Vec<Range<usize>>,
}

impl<R: Read> RecordReader<R> {
    /// Reads the names of the columns.
    ///
    /// # Errors
    /// When there are none, or the source cannot be read.
    pub fn new(source: R, options: &ReadOptions) -> Result<Self, ReadErrorKind> {
        let quote = options.quote.unwrap_or(b'"');
        let mut reader = Self {
            source,
            delimiter: b'\n',
            quote,
            names: Vec::new(),
            text: Vec::new(),
            current: 0..0,
            at_end: false,
            line: 1,
            next_line: 1,
            cells: Vec::new(),
        };
        // No delimiter yet: the first record is one line, unless a cell of it holds a line feed.
        if !reader.find()? {
            return Err(ReadErrorKind::Empty);
        }
        let header = &reader.text[reader.current.clone()];
        if header.starts_with(b"\xff\xfe") || header.starts_with(b"\xfe\xff") {
            return Err(ReadErrorKind::Utf16);
        }
        if header.starts_with(b"\xef\xbb\xbf") {
            reader.current.start += 3;
        }
        let known = ReadOptions { header: Some(true), quote: Some(quote), ..options.clone() };
        reader.delimiter = detect(&reader.text[reader.current.clone()], true, &known)?.delimiter;
        // The header again, with its cells told apart.
        reader.current.end = reader.current.start;
        reader.next_line = reader.line;
        // Behind a byte-order mark there may be nothing.
        if !reader.find()? {
            return Err(ReadErrorKind::Empty);
        }
        reader.check()?;
        reader.names = (0..reader.cells.len()).map(|column| reader.cell(column).into_owned()).collect();
        check_names(&reader.names)?;
        Ok(reader)
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Goes on to the next record; `false` when there is none.
    ///
    /// # Errors
    /// When it is malformed or has another number of cells than the header, or the source cannot be read.
    pub fn advance(&mut self) -> Result<bool, ReadErrorKind> {
        if !self.find()? {
            return Ok(false);
        }
        self.check()?;
        if self.cells.len() != self.names.len() {
            let (expected, found) = (self.names.len(), self.cells.len());
            return Err(ReadErrorKind::Ragged { line: self.line, expected, found });
        }
        Ok(true)
    }

    /// The line on which the current record begins, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The text of a cell of the current record; empty when there is none.
    pub fn cell(&self, column: usize) -> Cow<'_, str> {
        let Some(cell) = self.cells.get(column) else { return Cow::Borrowed("") };
        match unquote(&self.text[cell.clone()], self.quote) {
            Some(Cow::Borrowed(text)) => String::from_utf8_lossy(text),
            Some(Cow::Owned(text)) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
            None => Cow::Borrowed(""),
        }
    }

    /// A text as a cell of a file that looks like this one.
    pub fn push_cell(&self, text: &str, out: &mut Vec<u8>) {
        match needs_quotes(text.as_bytes(), self.delimiter, self.quote) {
            true => push_quoted(text.as_bytes(), self.quote, out),
            false => out.extend_from_slice(text.as_bytes()),
        }
    }

    /// The byte between two cells.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Finds the next record that is not a blank line, and its cells.
    fn find(&mut self) -> Result<bool, ReadErrorKind> {
        loop {
            let start = self.current.end;
            self.line = self.next_line;
            if self.at_end && start == self.text.len() {
                return Ok(false);
            }
            let found = record(&self.text, start, self.delimiter, self.quote, self.at_end, &mut self.cells);
            let Some(end) = found else {
                self.read()?;
                continue;
            };
            self.current = start..end;
            self.next_line += memchr_iter(b'\n', &self.text[start..end]).count() as u64;
            // A blank line is a record only in a table of one column, where the cell is empty.
            let blank = self.cells.len() == 1 && self.cells[0].is_empty();
            if !blank || self.names.len() == 1 {
                return Ok(true);
            }
        }
    }

    /// Takes what the source has, and lets go of the records before the current one.
    fn read(&mut self) -> Result<(), ReadErrorKind> {
        self.text.drain(..self.current.end);
        self.current = 0..0;
        let kept = self.text.len();
        if kept > LONGEST_RECORD {
            return Err(ReadErrorKind::TooLong { line: self.line, limit: LONGEST_RECORD >> 20 });
        }
        // More at once when a record is long, so that it is not looked through again and again.
        self.text.resize(kept + CHUNK.max(kept), 0);
        let read = loop {
            match self.source.read(&mut self.text[kept..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.text.truncate(kept + *read.as_ref().unwrap_or(&0));
        self.at_end = read? == 0;
        Ok(())
    }

    /// Refuses a record that is not well-formed text.
    fn check(&self) -> Result<(), ReadErrorKind> {
        let whole = &self.text[self.current.clone()];
        let line_at = |at: usize| self.line + memchr_iter(b'\n', &whole[..at]).count() as u64;
        if let Some(at) = memchr(0, whole) {
            return Err(ReadErrorKind::Nul { line: line_at(at) });
        }
        if let Err(error) = std::str::from_utf8(whole) {
            return Err(ReadErrorKind::Utf8 { line: line_at(error.valid_up_to()) });
        }
        for range in &self.cells {
            let cell = &self.text[range.clone()];
            let line = line_at(range.start - self.current.start);
            if cell.first() != Some(&self.quote) {
                if memchr(b'\r', cell).is_some() {
                    return Err(ReadErrorKind::CarriageReturn { line });
                }
                continue;
            }
            match after_closing(cell, 0, self.quote) {
                None => return Err(ReadErrorKind::Unterminated { line }),
                Some(after) if after != cell.len() => {
                    return Err(ReadErrorKind::AfterQuote {
                        line: line_at(range.start - self.current.start + after),
                    });
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out a few bytes at a time, as a slow pipe does.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    type Cells = Vec<(u64, Vec<String>)>;

    fn all(text: &[u8], step: usize) -> Result<Cells, ReadErrorKind> {
        let mut reader = RecordReader::new(Slow(text, step), &ReadOptions::default())?;
        let row = |reader: &RecordReader<Slow<'_>>| {
            (
                reader.line(),
                (0..reader.names().len()).map(|column| reader.cell(column).into_owned()).collect(),
            )
        };
        let mut found = vec![(1, reader.names().to_vec())];
        while reader.advance()? {
            found.push(row(&reader));
        }
        Ok(found)
    }

    #[test]
    fn records_are_the_same_however_they_arrive() {
        let text = b"\xef\xbb\xbfa;\"b;\nc\"\r\n1;\"x\"\"y\"\r\n\r\n\"2\n\";\n3;4";
        for step in 1..text.len() {
            let found = all(text, step).unwrap();
            let rows: Vec<(u64, [&str; 2])> =
                found.iter().map(|(line, row)| (*line, [&*row[0], &*row[1]])).collect();
            assert_eq!(
                rows,
                [(1, ["a", "b;\nc"]), (3, ["1", "x\"y"]), (5, ["2\n", ""]), (7, ["3", "4"])],
                "{step}"
            );
        }
    }

    #[test]
    fn an_empty_cell_of_the_only_column_is_a_record() {
        assert_eq!(all(b"\na\n\n1\n", 3).unwrap().len(), 3);
    }

    #[test]
    fn what_is_malformed_is_refused_with_its_line() {
        let message = |text: &[u8]| all(text, 5).unwrap_err().to_string();
        assert!(message(b"").contains("empty"));
        assert!(message(b"\n\n").contains("empty"));
        // It used to panic.
        assert!(message(b"\xef\xbb\xbf").contains("empty"));
        assert!(message(b"\xef\xbb\xbf\n\n").contains("empty"));
        assert!(message(b"\xff\xfea\0").contains("UTF-16"));
        assert!(message(b"a,b\n1,2\n3\n").starts_with("line 3: 1 cells where 2"));
        assert!(message(b"a,b\n1,\"2\n3\n").starts_with("line 2: the quotation mark"));
        assert!(message(b"a,b\n1,\"2\"x\n").starts_with("line 2: text after"));
        assert!(message(b"a,b\n1,\xff\n").starts_with("line 2: not valid UTF-8"));
        assert!(message(b"a,b\n1,\0\n").starts_with("line 2: a NUL"));
        assert!(message(b"a,b\n1,2\r3\n").starts_with("line 2: a carriage return"));
        assert!(message(b"a,a\n").contains("same name"));
        assert!(message(b"a,\n").contains("no name"));
    }
}
