//! A file of probabilities: a CSV whose header names the values that can come out, and whose lines begin with the value
//! that goes in. Both are the same values, the lines in any order.

use std::io::Read as _;
use std::path::Path;

use privet_data::io::{ReadError, ReadOptions, RecordReader, input_limit, read_plain};

use crate::error::{JobError, RunError};

/// More values than this are refused before anything is read.
const MOST: usize = 1_000;

/// Values and probabilities, row by row in the order of the values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MatrixFile {
    pub values: Vec<String>,
    pub entries: Vec<f64>,
}

/// Reads a file of probabilities.
pub(crate) fn read(path: &Path) -> Result<MatrixFile, RunError> {
    let wrong = |problem: &str| {
        JobError::new(format!(
            "{problem}; a matrix is a CSV with a header `,a,b` and a line `a,0.9,0.1` for each value"
        ))
        .at(path)
    };
    let unreadable = |kind| ReadError { path: Some(path.to_owned()), kind };
    let bytes = read_plain(path, input_limit()).map_err(|error| unreadable(error.into()))?;
    // The corner of the table may be empty, where columns of other files must have a name.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let corner: &[u8] = if text.starts_with(b",") || text.starts_with(b";") || text.starts_with(b"\t") {
        b"(from)"
    } else {
        b""
    };
    let file = corner.chain(text);
    let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
    let mut records = RecordReader::new(file, &options).map_err(unreadable)?;
    let values: Vec<String> = records.names().iter().skip(1).cloned().collect();
    let size = values.len();
    if size > MOST {
        return Err(wrong("it has too many values").into());
    }
    let mut rows: Vec<Option<Vec<f64>>> = vec![None; size];
    while records.advance().map_err(unreadable)? {
        let line = records.line();
        let own = records.cell(0);
        let Some(slot) = values.iter().position(|value| *value == own).and_then(|at| rows.get_mut(at)) else {
            return Err(
                wrong(&format!("line {line} begins with a value that the header does not name")).into()
            );
        };
        if slot.is_some() {
            return Err(wrong(&format!("line {line} begins with the value of another line")).into());
        }
        let numbers =
            (1..=size).map(|column| records.cell(column).trim().parse().ok()).collect::<Option<Vec<f64>>>();
        *slot = Some(numbers.ok_or_else(|| wrong(&format!("line {line} has a cell that is no number")))?);
    }
    let rows: Option<Vec<Vec<f64>>> = rows.into_iter().collect();
    let entries = rows.ok_or_else(|| wrong("a value of the header has no line"))?.concat();
    Ok(MatrixFile { values, entries })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<MatrixFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("matrix.csv");
        std::fs::write(&path, text).unwrap();
        read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_are_sorted_as_the_header() {
        let file = read_text("from,a,b\nb,0.2,0.8\na,0.9,0.1\n").unwrap();
        assert_eq!(
            file,
            MatrixFile { values: vec!["a".into(), "b".into()], entries: vec![0.9, 0.1, 0.2, 0.8] }
        );
        // The corner may be empty, as the guide has it.
        for text in [",a,b\nb,0.2,0.8\na,0.9,0.1\n", "\u{feff};a;b\na;0.9;0.1\nb;0.2;0.8\n"] {
            assert_eq!(read_text(text).unwrap(), file);
        }
    }

    #[test]
    fn mistakes_are_told_by_line() {
        for (text, said) in [
            ("from,a,b\na,0.9,0.1\n", "no line"),
            ("from,a,b\na,0.9,0.1\na,0.9,0.1\n", "line 3"),
            ("from,a,b\na,0.9,0.1\nc,0.9,0.1\n", "line 3"),
            ("from,a,b\na,0.9,x\nb,0.9,0.1\n", "line 2"),
        ] {
            let error = read_text(text).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
