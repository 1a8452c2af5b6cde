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
                if Format::of(path).is_some_and(|format| format != Format::Csv) {
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

    /// The name of a published number.
    pub fn name(&self, at: usize) -> &str {
        let column = self.columns.get(at).and_then(|&column| self.records.names().get(column));
        column.map_or("", |name| name.as_ref())
    }

    /// The name of the column of classes.
    pub fn class_name(&self) -> Option<&str> {
        self.class.and_then(|at| self.records.names().get(at)).map(|name| name.as_ref())
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
    pub fn push_records(&self, values: &[f64], class: &str, precision: &[Precision], out: &mut Vec<u8>) {
        for record in values.chunks_exact(self.dimension()) {
            self.push_line(out, |number| Cow::Owned(number_text(record[number], precision[number])), class);
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
        false => {
            // What a job file would say with a key; this verb always takes the first line for the names.
            let said = error.to_string().replace("set header = false if", "add a line of names if");
            Failure::bad_input(format!("{name}: {said}"))
        }
    }
}

/// How exactly a column is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// So many digits behind the point.
    Decimals(usize),
    /// Three of them, and where a number is so small that less than three of its digits would be seen, three of these.
    Three,
}

/// More digits behind the point than these are written with an exponent.
const MOST_DECIMALS: usize = 17;

/// A number as exactly as asked for, and no sign when nothing but zeros is left.
pub fn number_text(x: f64, precision: Precision) -> String {
    let text = match precision {
        Precision::Decimals(decimals) if decimals <= MOST_DECIMALS => format!("{x:.decimals$}"),
        Precision::Decimals(decimals) => with_exponent(x, decimals),
        Precision::Three => match exponent(x) {
            Some(exponent @ -5..-1) => format!("{x:.0$}", (2 - exponent) as usize),
            Some(exponent) if exponent < -5 => format!("{x:.2e}"),
            _ => format!("{x:.3}"),
        },
    };
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

/// A number rounded to so many digits behind the point, with the shortest digits that say it.
fn with_exponent(x: f64, decimals: usize) -> String {
    let digits = exponent(x).map(|exponent| i64::from(exponent) + decimals as i64);
    let rounded = match digits {
        None | Some(i64::MIN..-1) => 0.0,
        // Rounds to the last digit or to nothing.
        Some(-1) => {
            let last: f64 = format!("1e-{decimals}").parse().unwrap_or(0.0);
            if x.abs() >= last / 2.0 { last.copysign(x) } else { 0.0 }
        }
        Some(digits) => {
            let digits = digits.min(17) as usize;
            format!("{x:.digits$e}").parse().unwrap_or(x)
        }
    };
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded:e}") }
}

/// The power of ten of the first digit of a number; `None` for 0.
fn exponent(x: f64) -> Option<i32> {
    let text = format!("{x:e}");
    let (_, exponent) = text.split_once('e')?;
    exponent.parse().ok().filter(|_| x != 0.0)
}

/// How many digits behind the point a number is written with, its exponent taken into account.
fn decimals_of(text: &str) -> usize {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let behind = digits.split_once('.').map_or(0, |(_, behind)| behind.len()) as i64;
    // Below the least number that there is, nothing can be told.
    behind.saturating_sub(exponent.parse::<i64>().unwrap_or(0)).clamp(0, 324) as usize
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
            ("1e-25", 25),
            ("2.50e-30", 32),
            ("1e-400", 324),
            ("1e99999999999999999999", 0),
            ("5.", 0),
        ] {
            assert_eq!(decimals_of(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_have_their_decimals_and_zero_no_sign() {
        for (x, decimals, expected) in [
            (-0.04, 1, "0.0"),
            (-0.4, 0, "0"),
            (-0.06, 1, "-0.1"),
            (1234.5678, 2, "1234.57"),
            // Beyond what digits behind the point show.
            (2.3456e-25, 27, "2.35e-25"),
            (2.0e-25, 27, "2e-25"),
            (-2.3456e-25, 25, "-2e-25"),
            (-4e-26, 25, "0"),
            (6e-26, 25, "1e-25"),
            (0.0, 25, "0"),
            (12.5, 25, "1.25e1"),
            (5e-324, 324, "5e-324"),
        ] {
            assert_eq!(number_text(x, Precision::Decimals(decimals)), expected, "{x} {decimals}");
        }
    }

    #[test]
    fn a_stream_shows_three_digits_of_every_number() {
        for (x, expected) in [
            (1234.5678, "1234.568"),
            (0.5, "0.500"),
            (-0.25, "-0.250"),
            (0.0, "0.000"),
            (-0.0, "0.000"),
            (0.012345, "0.0123"),
            (0.000_012_345, "0.0000123"),
            (0.000_001_234_5, "1.23e-6"),
            (-1e-25, "-1.00e-25"),
        ] {
            assert_eq!(number_text(x, Precision::Three), expected, "{x}");
        }
    }
}
