//! Records of numbers from a CSV, one by one, and how synthetic ones look in its place.

use std::borrow::Cow;
use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use privet_data::io::{Format, ReadErrorKind, ReadOptions, RecordReader};
use privet_data::{Cancelled, Progress};
use privet_recode::condense::LARGEST;

use crate::exit::{Failure, STOPPED};
use crate::progress::Bar;

/// Which columns are for what.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'a> {
    /// Those to publish; all others when there is none.
    pub columns: &'a [String],
    /// That of the classes.
    pub class: Option<&'a str>,
    /// That which names the groups.
    pub groups: Option<&'a str>,
}

/// The chosen columns of a CSV.
pub struct Input<'a> {
    /// What messages call it.
    name: String,
    records: RecordReader<Box<dyn Read + 'a>>,
    /// The columns that are published, in the order of the file.
    columns: Vec<usize>,
    class: Option<usize>,
    groups: Option<usize>,
    /// Per published number the most digits behind the point so far.
    decimals: Vec<usize>,
    bar: &'a Bar,
}

impl<'a> Input<'a> {
    /// Opens a file, or standard input, and finds the columns.
    pub fn open(
        path: Option<&Path>,
        delimiter: Option<char>,
        chosen: &Chosen<'_>,
        bar: &'a Bar,
    ) -> Result<Self, Failure> {
        let delimiter = match delimiter {
            Some(c) if c.is_ascii() => Some(c as u8),
            Some(_) => return Err(Failure::bad_input("--delimiter takes one ASCII character")),
            None => None,
        };
        let name = path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        let bad = |problem: &dyn std::fmt::Display| Failure::bad_input(format!("{name}: {problem}"));
        let source: Box<dyn Read + 'a> = match path {
            Some(path) => {
                if matches!(Format::of(path), Some(Format::Parquet | Format::Arrow)) {
                    return Err(bad(&"condense reads CSV only; write the table as CSV first"));
                }
                Box::new(File::open(path).map_err(|error| bad(&ReadErrorKind::Io(error)))?)
            }
            None if std::io::stdin().is_terminal() => {
                return Err(Failure::bad_input("no input: name a CSV file, or pipe one in"));
            }
            None => Box::new(Interruptible::new(bar)),
        };
        let options = ReadOptions { delimiter, ..ReadOptions::default() };
        let records = RecordReader::new(source, &options).map_err(|error| read_failure(&name, error, bar))?;
        let names = records.names();
        // A name that could be a number is a record that stands where the header should.
        if names.iter().all(|name| name.trim().parse::<f64>().is_ok()) {
            return Err(bad(
                &"line 1 holds numbers where the names of the columns are expected; add a header",
            ));
        }
        let find = |flag: &str, wanted: &str| {
            let found = names.iter().position(|name| name == wanted);
            found.ok_or_else(|| {
                let count = names.len();
                bad(&format!("{flag}: there is no column `{wanted}` among the {count} columns of the header"))
            })
        };
        let class = chosen.class.map(|class| find("--class", class)).transpose()?;
        let groups = chosen.groups.map(|groups| find("--groups-from", groups)).transpose()?;
        if groups.is_some() && groups == class {
            return Err(Failure::bad_input(
                "--groups-from names the class; leave it out, for classes are condensed apart anyway",
            ));
        }
        let mut published = Vec::new();
        for column in chosen.columns {
            let position = find("--columns", column)?;
            let is = if Some(position) == class {
                "which is the class"
            } else if Some(position) == groups {
                "which names the groups"
            } else if published.contains(&position) {
                return Err(Failure::bad_input(format!("--columns names `{column}` twice")));
            } else {
                published.push(position);
                continue;
            };
            return Err(Failure::bad_input(format!("--columns names `{column}`, {is}")));
        }
        if chosen.columns.is_empty() {
            let is_published = |&column: &usize| Some(column) != class && Some(column) != groups;
            published.extend((0..names.len()).filter(is_published));
        }
        if published.is_empty() {
            return Err(bad(&"there is no column to condense besides the class and the groups"));
        }
        published.sort_unstable();
        let decimals = vec![0; published.len()];
        Ok(Self { name, records, columns: published, class, groups, decimals, bar })
    }

    /// How many numbers a record has.
    pub fn dimension(&self) -> usize {
        self.columns.len()
    }

    /// Per column the most digits behind the point so far.
    pub fn decimals(&self) -> &[usize] {
        &self.decimals
    }

    /// Adds the numbers of the next record; `false` when there is none.
    pub fn advance(&mut self, values: &mut Vec<f64>) -> Result<bool, Failure> {
        if !self.records.advance().map_err(|error| read_failure(&self.name, error, self.bar))? {
            return Ok(false);
        }
        for (&column, most) in self.columns.iter().zip(&mut self.decimals) {
            let cell = self.records.cell(column);
            let text = cell.trim();
            match text.parse::<f64>() {
                Ok(x) if x.abs() <= LARGEST => {
                    values.push(x);
                    *most = decimals_of(text).max(*most);
                }
                _ => {
                    let problem = match text {
                        "" => "a missing value; condensation needs a number in every cell",
                        _ => "not a number between -1e60 and 1e60; choose columns of numbers with --columns",
                    };
                    let (line, number) = (self.records.line(), column + 1);
                    let name = &self.records.names()[column];
                    let message =
                        format!("{}: line {line}, column {number} (`{name}`): {problem}", self.name);
                    return Err(Failure::bad_input(message));
                }
            }
        }
        Ok(true)
    }

    /// The class of the current record; empty when there are no classes.
    pub fn class(&self) -> Cow<'_, str> {
        self.class.map_or(Cow::Borrowed(""), |column| self.records.cell(column))
    }

    /// The name of the group of the current record.
    pub fn group(&self) -> Result<Cow<'_, str>, Failure> {
        let name = self.groups.map_or(Cow::Borrowed(""), |column| self.records.cell(column));
        match self.groups {
            Some(column) if name.trim().is_empty() => Err(Failure::bad_input(format!(
                "{}: line {}, column {} (`{}`): a missing value; --groups-from needs the group of every record",
                self.name,
                self.records.line(),
                column + 1,
                self.records.names()[column],
            ))),
            _ => Ok(name),
        }
    }

    /// Writes the header of what is published.
    pub fn push_header(&self, out: &mut Vec<u8>) {
        let names = self.records.names();
        self.push_line(
            out,
            |number| Cow::Borrowed(&names[self.columns[number]]),
            self.class.map_or("", |at| &names[at]),
        );
    }

    /// Writes synthetic records of a class.
    pub fn push_records(&self, values: &[f64], class: &str, decimals: &[usize], out: &mut Vec<u8>) {
        for record in values.chunks_exact(self.dimension()) {
            self.push_line(out, |number| Cow::Owned(number_text(record[number], decimals[number])), class);
        }
    }

    /// Writes a line in the order of the file.
    fn push_line<'t>(&self, out: &mut Vec<u8>, cell: impl Fn(usize) -> Cow<'t, str>, class: &str) {
        let before_class = self.columns.iter().filter(|&&column| Some(column) < self.class).count();
        for number in 0..=self.columns.len() {
            if number == before_class && self.class.is_some() {
                self.records.push_cell(class, out);
                out.push(self.records.delimiter());
            }
            if number < self.columns.len() {
                self.records.push_cell(&cell(number), out);
                out.push(self.records.delimiter());
            }
        }
        out.pop();
        out.push(b'\n');
    }
}

fn read_failure(name: &str, error: ReadErrorKind, bar: &Bar) -> Failure {
    match bar.cancelled() {
        true => Failure { code: STOPPED, message: Cancelled.to_string() },
        false => Failure::bad_input(format!("{name}: {error}")),
    }
}

/// A number with so many digits behind the point, and no sign when nothing but zeros is left.
fn number_text(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

/// How many digits behind the point a number is written with, its exponent taken into account.
fn decimals_of(text: &str) -> usize {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let behind = digits.split_once('.').map_or(0, |(_, behind)| behind.len()) as i64;
    (behind - exponent.parse::<i64>().unwrap_or(0)).clamp(0, 17) as usize
}

/// Standard input that Ctrl-C reaches even while nothing arrives: another thread does the waiting.
struct Interruptible<'a> {
    arriving: Receiver<std::io::Result<Vec<u8>>>,
    rest: Vec<u8>,
    taken: usize,
    bar: &'a Bar,
}

impl<'a> Interruptible<'a> {
    fn new(bar: &'a Bar) -> Self {
        let (sender, arriving) = sync_channel(2);
        std::thread::spawn(move || {
            let mut chunk = vec![0; 64 << 10];
            loop {
                let read = std::io::stdin().lock().read(&mut chunk);
                let is_last = matches!(read, Ok(0) | Err(_));
                // Nobody listens any more once the verb has ended.
                if sender.send(read.map(|count| chunk[..count].to_vec())).is_err() || is_last {
                    return;
                }
            }
        });
        Self { arriving, rest: Vec::new(), taken: 0, bar }
    }
}

impl Read for Interruptible<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.rest.len() {
            match self.arriving.recv_timeout(Duration::from_millis(100)) {
                Ok(read) => {
                    self.rest = read?;
                    self.taken = 0;
                    if self.rest.is_empty() {
                        return Ok(0);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) => self.bar.check().map_err(std::io::Error::other)?,
            }
        }
        let count = buffer.len().min(self.rest.len() - self.taken);
        (&mut buffer[..count]).write_all(&self.rest[self.taken..][..count])?;
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_counted() {
        for (text, expected) in [
            ("12", 0),
            ("12.50", 2),
            ("-.125", 3),
            ("1e-3", 3),
            ("1.5E2", 0),
            ("1.5e-2", 3),
            ("1e-400", 17),
            ("5.", 0),
        ] {
            assert_eq!(decimals_of(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_have_their_decimals_and_zero_no_sign() {
        assert_eq!(number_text(-0.04, 1), "0.0");
        assert_eq!(number_text(-0.4, 0), "0");
        assert_eq!(number_text(-0.06, 1), "-0.1");
        assert_eq!(number_text(1234.5678, 2), "1234.57");
    }
}
