//! Finds the dialect of a CSV from its first 64 KiB: quotation mark, delimiter, header.
//!
//! The delimiter is the one that cuts all records of the sample into the same number of cells; nothing is guessed about the
//! encoding. Whether the first line is a header is decided by evidence (`header.rs`), and where that does not suffice the
//! file is refused: a record that is taken for a header is published as the names of the columns.

use std::ops::Range;

use memchr::memchr;

use super::cell::{record, unquote};
use super::error::ReadErrorKind;
use super::header::{self, Evidence};
use super::options::{Encoding, ReadOptions, check_marks};

/// In the order in which they are preferred: the comma last, because it also stands inside numbers.
const DELIMITERS: [u8; 4] = [b'\t', b';', b'|', b','];
/// Records of the sample that are looked at.
const RECORDS: usize = 500;
/// More lines than this above a header are no title.
const MOST_ABOVE: usize = 20;

/// The part of a dialect that is found in a sample.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    pub(super) header: bool,
}

/// Finds what the options leave open. `is_all` says that the sample is the whole file.
pub(super) fn detect(sample: &[u8], is_all: bool, options: &ReadOptions) -> Result<Found, ReadErrorKind> {
    let quote = options.quote.unwrap_or_else(|| find_quote(sample, is_all, options));
    let delimiter = options.delimiter.unwrap_or_else(|| find_delimiter(sample, is_all, quote));
    check_marks(delimiter, quote).map_err(|(key, problem)| ReadErrorKind::Option { key, problem })?;
    let header = match options.header {
        Some(header) => header,
        None => has_header(sample, is_all, delimiter, quote, options)?,
    };
    Ok(Found { delimiter, quote, header })
}

/// Calls `visit` with each record of the sample that is not a blank line.
fn records<'a>(
    sample: &'a [u8],
    is_all: bool,
    delimiter: u8,
    quote: u8,
    mut visit: impl FnMut(&'a [u8], &[Range<usize>]),
) {
    let mut cells = Vec::new();
    let mut position = 0;
    let mut seen = 0;
    while position < sample.len() && seen < RECORDS {
        let next = record(sample, position, delimiter, quote, is_all, &mut cells);
        // The only record is looked at even if its end is not in the sample.
        if next.is_none() && seen > 0 {
            return;
        }
        if cells.len() > 1 || cells.first().is_some_and(|cell| !cell.is_empty()) {
            visit(sample, &cells);
            seen += 1;
        }
        let Some(next) = next else { return };
        position = next;
    }
}

/// The apostrophe only if it stands around every cell of some column, on at least two records of one line
/// each, and `"` is nowhere.
fn find_quote(sample: &[u8], is_all: bool, options: &ReadOptions) -> u8 {
    if memchr(b'"', sample).is_some() || memchr(b'\'', sample).is_none() {
        return b'"';
    }
    let delimiter = options.delimiter.unwrap_or_else(|| find_delimiter(sample, is_all, b'\''));
    let mut enclosed: Vec<bool> = Vec::new();
    let mut seen = 0;
    records(sample, is_all, delimiter, b'\'', |text, cells| {
        seen += 1;
        if seen == 1 {
            enclosed = vec![true; cells.len()];
        } else {
            enclosed.truncate(cells.len());
            for (enclosed, cell) in enclosed.iter_mut().zip(cells) {
                let cell = &text[cell.clone()];
                let is_quoted = cell.len() >= 2 && cell[0] == b'\'' && unquote(cell, b'\'').is_some();
                *enclosed &= is_quoted && memchr(b'\n', cell).is_none();
            }
        }
    });
    if seen > 2 && enclosed.contains(&true) { b'\'' } else { b'"' }
}

fn find_delimiter(sample: &[u8], is_all: bool, quote: u8) -> u8 {
    struct Candidate {
        delimiter: u8,
        cells: usize,
        records: usize,
        alike: usize,
    }
    let candidates = DELIMITERS.map(|delimiter| {
        let mut candidate = Candidate { delimiter, cells: 0, records: 0, alike: 0 };
        records(sample, is_all, delimiter, quote, |_, cells| {
            if candidate.records == 0 {
                candidate.cells = cells.len();
            }
            candidate.records += 1;
            candidate.alike += usize::from(cells.len() == candidate.cells);
        });
        candidate
    });
    let cutting = || candidates.iter().filter(|c| c.cells > 1 && c.delimiter != quote);
    let mut consistent = cutting().filter(|c| c.alike == c.records);
    if candidates[0].records > 1
        && let Some(first) = consistent.next()
    {
        return first.delimiter;
    }
    // A single record, or a file that will be refused: the cut that explains most of it.
    let best = cutting().max_by_key(|c| (c.alike * 1_000 / c.records.max(1), c.cells));
    if let Some(best) = best {
        return best.delimiter;
    }
    // One column: a delimiter that does not cut its text.
    let whole =
        candidates.iter().rev().find(|c| c.cells == 1 && c.alike == c.records && c.delimiter != quote);
    whole.map_or(b',', |c| c.delimiter)
}

fn has_header(
    sample: &[u8],
    is_all: bool,
    delimiter: u8,
    quote: u8,
    options: &ReadOptions,
) -> Result<bool, ReadErrorKind> {
    let text_of = |cell: &[u8]| {
        let text = unquote(cell, quote).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    };
    let mut first: Vec<String> = Vec::new();
    let mut below: Vec<Vec<String>> = Vec::new();
    let mut is_ragged = false;
    records(sample, is_all, delimiter, quote, |text, cells| {
        if first.is_empty() {
            first = cells.iter().map(|cell| text_of(&text[cell.clone()])).collect();
            below = vec![Vec::new(); first.len()];
        } else {
            is_ragged |= cells.len() != first.len();
            for (below, cell) in below.iter_mut().zip(cells) {
                below.push(text_of(&text[cell.clone()]));
            }
        }
    });
    match header::judge(&first, &below, options) {
        Evidence::Header => Ok(true),
        Evidence::Record => Ok(false),
        // What is wrong with the cells is told by whoever reads them all.
        Evidence::Doubt(_) if is_ragged || !is_text(sample, options) => Ok(true),
        Evidence::Doubt(why) => Err(ReadErrorKind::HeaderInDoubt { why }),
    }
}

/// Whether the sample is in the encoding that it is read in; a character may be cut at its end.
fn is_text(sample: &[u8], options: &ReadOptions) -> bool {
    let is_utf8 = || std::str::from_utf8(sample).map_or_else(|error| error.error_len().is_none(), |_| true);
    options.encoding.is_some_and(|encoding| encoding != Encoding::Utf8) || is_utf8()
}

/// How many lines above the header are no part of the table, such as a title: none when the file is a table from its first
/// line on, or none begins within the first lines.
pub(super) fn lines_above(sample: &[u8], is_all: bool, options: &ReadOptions) -> u64 {
    let quote = options.quote.unwrap_or(b'"');
    let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', sample).map(|end| end + 1));
    let is_table = |from: usize| {
        let marks = options.delimiter.map_or(DELIMITERS.to_vec(), |own| vec![own]);
        marks.into_iter().any(|delimiter| {
            let (mut cells_of_first, mut alike, mut seen, mut names) = (0, true, 0, 0);
            records(&sample[from..], is_all, delimiter, quote, |_, cells| {
                if seen == 0 {
                    cells_of_first = cells.len();
                    names = cells.iter().filter(|cell| !cell.is_empty()).count();
                }
                seen += 1;
                alike &= cells.len() == cells_of_first;
            });
            // Spreadsheets fill the line of a title up with delimiters.
            seen > 1 && alike && cells_of_first > 1 && 2 * names > cells_of_first
        })
    };
    let found = starts.take(MOST_ABOVE + 1).take_while(|&from| from < sample.len()).position(is_table);
    found.unwrap_or(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (char, char, bool) {
        let found = detect(text.as_bytes(), true, &ReadOptions::default()).unwrap();
        (found.delimiter as char, found.quote as char, found.header)
    }

    #[test]
    fn the_delimiter_cuts_all_records_alike() {
        assert_eq!(found("a,b\n1,2\n").0, ',');
        assert_eq!(found("a;b\n1,5;2,5\n").0, ';');
        assert_eq!(found("1,5;2,5\n3,5;4,5\n").0, ';');
        assert_eq!(found("a\tb\nx, y\tz\n").0, '\t');
        assert_eq!(found("a|b\n1|2\n").0, '|');
        assert_eq!(found("a,b;c,d\n").0, ',');
        assert_eq!(found("name\nDoe, John\nRoe, Jane\n").0, '|');
        assert_eq!(found("a,b\n\"x;y\",2\n\"p;q\",3\n").0, ',');
        assert_eq!(found("a,b\n1,2\n1,2,3\n").0, ',');
        assert_eq!(found("name\nx\n").0, ',');
    }

    #[test]
    fn the_apostrophe_is_a_quotation_mark_only_when_it_encloses_a_column() {
        assert_eq!(found("a,b\n'x,y',1\n'z',2\n").1, '\'');
        assert_eq!(found("a,b\n'tis,1\nO'Brien,2\n").1, '"');
        assert_eq!(found("a,b\n',1\n,2\n").1, '"');
        assert_eq!(found("a,b\n',1\n,2\n',3\n").1, '"');
        assert_eq!(found("a,b\n'x',\"1\"\n'y',2\n").1, '"');
    }

    #[test]
    fn lines_above_the_header_are_counted() {
        let above = |text: &str| lines_above(text.as_bytes(), true, &ReadOptions::default());
        assert_eq!(above("a,b\n1,2\n3,4\n"), 0);
        assert_eq!(above("Admissions 2026\na,b\n1,2\n3,4\n"), 1);
        assert_eq!(
            above("Admissions, all wards\n\na;b;c\n1;2;3\n3;4;5\n"),
            1,
            "blank lines are skipped anyway"
        );
        assert_eq!(above("Admissions;;\n;;\na;b;c\n1;2;3\n3;4;5\n"), 2);
        // One column, and a file that is no table.
        assert_eq!(above("a\nx\ny\n"), 0);
        assert_eq!(above("a,b\n1,2,3\n4\n"), 0);
    }

    #[test]
    fn what_is_given_is_not_guessed() {
        let options = ReadOptions {
            delimiter: Some(b';'),
            quote: Some(b'\''),
            header: Some(false),
            ..ReadOptions::default()
        };
        let expected = Found { delimiter: b';', quote: b'\'', header: false };
        assert_eq!(detect(b"a,b\n1,2\n", true, &options).unwrap(), expected);
        let options = ReadOptions { delimiter: Some(b'"'), ..ReadOptions::default() };
        assert!(matches!(detect(b"a", true, &options), Err(ReadErrorKind::Option { key: "quote", .. })));
    }

    #[test]
    fn an_unfinished_last_record_of_the_sample_does_not_count() {
        let found = detect(b"a,b,c\n1,2,3\n4,5", false, &ReadOptions::default()).unwrap();
        assert_eq!(found.delimiter, b',');
    }
}
