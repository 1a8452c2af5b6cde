//! Condensation of a stream (papers T-AL8): records of numbers from a CSV, read one by one, and synthetic ones written as groups fill.
//!
//! # Guarantee
//! That of [`crate::condense::Stream`]: what is written is drawn from disjoint sets of at least k records. What a stream
//! writes is handed over at once, so that no attack is made on it first, and no folder says what it promises.

use std::collections::HashMap;
use std::io::Read;

use crate::condense::{Condensation, LARGEST, Stream, StreamSummary};
use privet_data::Progress;
use privet_data::io::{ReadError, ReadErrorKind, ReadOptions, RecordReader};
use privet_kind::KindError;

use crate::columns::{Columns, delimiter, no_number};
use crate::digits::{Precision, number_text};
use crate::{Input, failure, too_few};

/// What a stream came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct StreamReport {
    /// Records that were read.
    pub records: u64,
    /// Synthetic records that were written.
    pub published: u64,
    /// Sets of records that were drawn from.
    pub groups: u64,
    /// The records of the smallest of them.
    pub smallest_group: u64,
    /// Records of classes with fewer than k records.
    pub withheld: u64,
    /// Late records of which nothing but their number is told.
    pub counted_only: u64,
}

/// Where the records of a stream go: takes whole lines, and is `false` when the reader went away.
pub type Lines<'a> = dyn FnMut(&[u8]) -> Result<bool, KindError> + 'a;

/// Condenses records as they come; `None` when the reader went away. `decimals` are digits behind the point, otherwise three are shown.
///
/// # Errors
/// When the input or a parameter is wrong, there are too few records, or the person asked to stop. Lines that were written stand.
pub fn condense_stream(
    source: Box<dyn Read + '_>,
    input: &Input,
    options: &Condensation,
    decimals: Option<u8>,
    write: &mut Lines<'_>,
    progress: &dyn Progress,
) -> Result<Option<StreamReport>, KindError> {
    options.check().map_err(failure)?;
    // All classes share one seed.
    let options = Condensation { seed: Some(options.random_seed().map_err(failure)?), ..options.clone() };
    let mut records = Records::new(source, input, decimals)?;
    let mut report = StreamReport::default();
    let mut classes = Classes::default();
    // The header waits for the first records, so that a stream of too few leaves nothing.
    let mut text = Vec::new();
    records.push_header(&mut text);
    let (mut record, mut drawn) = (Vec::new(), Vec::new());
    progress.stage("condensing", None);
    loop {
        match records.advance(&mut record) {
            // A source that waits is interrupted by an error of its own.
            Err(error) => {
                progress.check()?;
                return Err(error);
            }
            Ok(false) => break,
            Ok(true) => {}
        }
        let class = classes.number(&records.class());
        if class == classes.streams.len() {
            let stream = Stream::new(&options, records.columns.numbers.len(), class as u64);
            classes.streams.push(stream.map_err(failure)?);
        }
        classes.streams[class].push(&record, &mut drawn).map_err(failure)?;
        if !records.write(&mut drawn, &classes.labels[class], &mut text, write)? {
            return Ok(None);
        }
        report.records += 1;
        if report.records.is_multiple_of(256) {
            progress.at(report.records);
        }
        progress.check()?;
    }
    let mut largest = 0;
    for (stream, label) in classes.streams.into_iter().zip(&classes.labels) {
        let class = stream.finish(&mut drawn);
        if !records.write(&mut drawn, label, &mut text, write)? {
            return Ok(None);
        }
        largest = largest.max(class.records);
        report.add(&class);
    }
    // Groups from which no record was drawn leave a table without records, not an empty file.
    if report.groups > 0 && !text.is_empty() && !write(&text)? {
        return Ok(None);
    }
    match () {
        () if report.groups == 0 => Err(too_few(largest, options.k)),
        () if report.published == 0 => Err(crate::nothing_drawn()),
        () => Ok(Some(report)),
    }
}

impl StreamReport {
    fn add(&mut self, class: &StreamSummary) {
        self.smallest_group = match (self.groups, class.sets) {
            (_, 0) => self.smallest_group,
            (0, _) => class.smallest_set,
            _ => self.smallest_group.min(class.smallest_set),
        };
        self.groups += class.sets;
        self.published += class.published;
        self.withheld += class.withheld;
        self.counted_only += class.counted_only;
    }
}

/// The classes so far, in the order in which they first appeared.
#[derive(Default)]
struct Classes {
    numbers: HashMap<String, usize>,
    labels: Vec<String>,
    streams: Vec<Stream>,
}

impl Classes {
    fn number(&mut self, label: &str) -> usize {
        if let Some(&number) = self.numbers.get(label) {
            return number;
        }
        let number = self.labels.len();
        self.labels.push(label.to_owned());
        self.numbers.insert(label.to_owned(), number);
        number
    }
}

/// The chosen columns of a CSV.
struct Records<'a> {
    name: String,
    records: RecordReader<Box<dyn Read + 'a>>,
    columns: Columns,
    /// A stream cannot look ahead to see how exact a column is.
    precision: Precision,
}

impl<'a> Records<'a> {
    fn new(source: Box<dyn Read + 'a>, input: &Input, decimals: Option<u8>) -> Result<Self, KindError> {
        let options = ReadOptions { delimiter: delimiter(input.delimiter)?, ..ReadOptions::default() };
        let name = input.path.display().to_string();
        let records = RecordReader::new(source, &options).map_err(|error| unread(&name, error))?;
        let names: Vec<&str> = records.names().iter().map(String::as_str).collect();
        let columns = Columns::find(&names, input)?;
        let precision = decimals.map_or(Precision::Three, |own| Precision::Decimals(own.into()));
        Ok(Self { name, records, columns, precision })
    }

    /// Reads the numbers of the next record; `false` when there is none.
    fn advance(&mut self, values: &mut Vec<f64>) -> Result<bool, KindError> {
        values.clear();
        if !self.records.advance().map_err(|error| unread(&self.name, error))? {
            return Ok(false);
        }
        for &column in &self.columns.numbers {
            let cell = self.records.cell(column);
            let text = cell.trim();
            match text.parse::<f64>() {
                Ok(number) if number.abs() <= LARGEST => values.push(number),
                _ => {
                    let (line, name) = (self.records.line(), &self.records.names()[column]);
                    let place = format!("{}: line {line}, column {} (`{name}`)", self.name, column + 1);
                    return Err(no_number(&place, text));
                }
            }
        }
        Ok(true)
    }

    /// The class of the current record; empty when there are no classes.
    fn class(&self) -> String {
        self.columns.class.map_or_else(String::new, |column| self.records.cell(column).into_owned())
    }

    fn push_header(&self, out: &mut Vec<u8>) {
        let names = self.records.names();
        let class = self.columns.class.map_or("", |at| names[at].as_str());
        self.push_line(out, |at| names[self.columns.numbers[at]].clone(), class);
    }

    /// Hands on synthetic records of a class, after what waits.
    fn write(
        &self,
        drawn: &mut Vec<f64>,
        class: &str,
        text: &mut Vec<u8>,
        write: &mut Lines<'_>,
    ) -> Result<bool, KindError> {
        if drawn.is_empty() {
            return Ok(true);
        }
        for record in drawn.chunks_exact(self.columns.numbers.len()) {
            self.push_line(text, |at| number_text(record[at], self.precision), class);
        }
        drawn.clear();
        let written = write(text);
        text.clear();
        written
    }

    /// Writes a line in the order of the file.
    fn push_line(&self, out: &mut Vec<u8>, cell: impl Fn(usize) -> String, class: &str) {
        let before_class = self.columns.before_class();
        for at in 0..=self.columns.numbers.len() {
            if at == before_class && self.columns.class.is_some() {
                self.records.push_cell(class, out);
                out.push(self.records.delimiter());
            }
            if at < self.columns.numbers.len() {
                self.records.push_cell(&cell(at), out);
                out.push(self.records.delimiter());
            }
        }
        out.pop();
        out.push(b'\n');
    }
}

fn unread(name: &str, error: ReadErrorKind) -> KindError {
    ReadError { path: Some(name.into()), kind: error }.into()
}
