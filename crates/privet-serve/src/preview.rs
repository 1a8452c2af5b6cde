//! The first records of a file that privet wrote, without reading the rest of it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use privet_data::Silent;
use privet_data::io::{ReadOptions, read, read_csv_bytes};

use crate::pages::rows_of;

/// Bytes of a CSV file that are looked at.
const HEAD: u64 = 256 << 10;
/// The largest file of another format, which is read as a whole.
const WHOLE: u64 = 64 << 20;

/// Names of columns, and records as texts.
pub(crate) struct Preview {
    pub names: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// The first records of a file, at most so many.
pub(crate) fn first(path: &Path, options: &ReadOptions, most: usize) -> Result<Preview, String> {
    let failed = |error: std::io::Error| error.to_string();
    let is_csv = path.extension().is_none_or(|own| own == "csv" || own == "tsv" || own == "txt");
    let length = std::fs::metadata(path).map_err(failed)?.len();
    let input = if is_csv {
        let mut head = Vec::new();
        File::open(path).map_err(failed)?.take(HEAD).read_to_end(&mut head).map_err(failed)?;
        if length > HEAD {
            head.truncate(whole_records(&head));
        }
        read_csv_bytes(&head, options)
    } else if length <= WHOLE {
        read(path, options, &Silent)
    } else {
        return Err("the file is too large for a preview".to_owned());
    };
    let input = input.map_err(|error| error.to_string())?;
    let rows = rows_of(&input.table, most);
    Ok(Preview { names: input.names, rows })
}

/// Where the last record ends that is there as a whole: a line that ends outside of quotes.
fn whole_records(bytes: &[u8]) -> usize {
    let (mut end, mut is_quoted) = (0, false);
    for (place, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => end = place + 1,
            _ => {}
        }
    }
    end
}

/// How many records a CSV file with a header holds.
pub(crate) fn count(path: &Path) -> Result<u64, String> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(|error| error.to_string())?);
    let (mut lines, mut is_quoted, mut is_open) = (0_u64, false, false);
    loop {
        let bytes = file.fill_buf().map_err(|error| error.to_string())?;
        if bytes.is_empty() {
            return Ok((lines + u64::from(is_open)).saturating_sub(1));
        }
        for byte in bytes {
            match byte {
                b'"' => is_quoted = !is_quoted,
                b'\n' if !is_quoted => lines += 1,
                _ => {}
            }
        }
        is_open = bytes.last() != Some(&b'\n');
        let read = bytes.len();
        file.consume(read);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_reads_the_first_records_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        let mut text = "name,note\n".to_owned();
        for row in 0..40_000 {
            text.push_str(&format!("p{row},\"two\nlines, \"\"quoted\"\" {row}\"\n"));
        }
        // Broken far behind what is looked at.
        let broken = format!("{text}\"never closed");
        assert!(broken.len() as u64 > HEAD);
        std::fs::write(&path, &broken).unwrap();
        let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
        let preview = first(&path, &options, 3).unwrap();
        assert_eq!(preview.names, ["name", "note"]);
        assert_eq!(preview.rows.len(), 3);
        assert_eq!(preview.rows[2], ["p2", "two\nlines, \"quoted\" 2"]);
        std::fs::write(&path, &text).unwrap();
        assert_eq!(count(&path).unwrap(), 40_000);
        std::fs::write(&path, "a\n1\n2").unwrap();
        assert_eq!((count(&path).unwrap(), first(&path, &options, 9).unwrap().rows.len()), (2, 2));
    }
}
