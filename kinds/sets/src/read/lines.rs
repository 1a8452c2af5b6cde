//! Baskets from a text file with one basket per line, as the FIMI repository keeps them.
//!
//! Items are separated by blanks unless a separator is set. An empty line is an empty basket. Items are compared exactly;
//! codes follow the canonical order of the texts (numbers by value), so the same file gives the same codes.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use foldhash::HashMap;
use privet_data::io::open_plain;
use privet_data::{Domain, Progress};

use super::USUAL_MOST_ITEMS;
use crate::{Baskets, Catalogue, SetData, SetsError};

/// How lines are to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineOptions {
    /// What stands between two items; blanks unless set.
    pub separator: Option<char>,
    /// The most items of a basket.
    pub most_items: usize,
}

impl Default for LineOptions {
    fn default() -> Self {
        Self { separator: None, most_items: USUAL_MOST_ITEMS }
    }
}

/// The longest line that is read: a longer one is no basket.
const LONGEST_LINE: u64 = 64 << 20;

/// Reads one basket per line.
///
/// # Errors
/// When the file cannot be read, is not UTF-8, or a basket has more items than are accepted.
pub fn read_lines(path: &Path, options: &LineOptions, progress: &dyn Progress) -> Result<SetData, SetsError> {
    let file = open_plain(path).map_err(SetsError::io(path))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut code_of: HashMap<Box<str>, u32> = HashMap::default();
    let mut baskets = Baskets::default();
    let (mut line, mut number, mut done) = (Vec::new(), 0u64, 0u64);
    let mut list = Vec::new();
    progress.stage("reading", None);
    loop {
        line.clear();
        let read =
            (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(SetsError::io(path))?;
        if read == 0 {
            break;
        }
        number += 1;
        done += read as u64;
        let too_large = || {
            let at = format!("{}, line {number}", path.display());
            SetsError::BasketTooLarge { at, most: options.most_items }
        };
        if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
            return Err(too_large());
        }
        if number % 4096 == 1 {
            progress.check()?;
            progress.at(done);
        }
        let mut text = std::str::from_utf8(&line)
            .map_err(|_| SetsError::Utf8 { path: path.to_owned(), line: number })?
            .trim_end_matches(['\n', '\r']);
        if number == 1 {
            text = text.trim_start_matches('\u{feff}');
        }
        list.clear();
        let mut add = |item: &str| {
            let next = code_of.len() as u32;
            let code = match code_of.get(item) {
                Some(&code) => code,
                None => *code_of.entry(item.into()).or_insert(next),
            };
            list.push(code);
        };
        match options.separator {
            None => text.split_whitespace().for_each(&mut add),
            Some(separator) => {
                text.split(separator).map(str::trim).filter(|item| !item.is_empty()).for_each(&mut add);
            }
        }
        if list.len() > options.most_items {
            return Err(too_large());
        }
        baskets.push(&mut list);
    }
    let mut texts: Vec<Option<Box<str>>> = vec![None; code_of.len()];
    for (text, code) in code_of {
        texts[code as usize] = Some(text);
    }
    let (domain, codes) = Domain::canonical(texts.into_iter().flatten().collect(), |_| false);
    let baskets = baskets.map(|item| codes.get(item as usize).copied());
    Ok(SetData { baskets, items: Catalogue::public(domain.texts().to_vec()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    fn written(text: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn lines_become_baskets() {
        let file = written(b"10 9 9\n\n 2\t10\r\n");
        let data = read_lines(file.path(), &LineOptions::default(), &Silent).unwrap();
        let labels: Vec<&str> = data.items.labels.iter().map(|label| &**label).collect();
        assert_eq!(labels, ["2", "9", "10"]);
        assert_eq!(data.baskets.iter().collect::<Vec<_>>(), [&[1, 2][..], &[], &[0, 2]]);
        let commas = LineOptions { separator: Some(','), ..LineOptions::default() };
        let file = written(b"red wine, milk\nmilk");
        let data = read_lines(file.path(), &commas, &Silent).unwrap();
        assert_eq!(data.baskets.iter().collect::<Vec<_>>(), [&[0, 1][..], &[0]]);
    }

    #[test]
    fn what_is_no_basket_is_refused() {
        let many = "7 ".repeat(1_000_000);
        let file = written(many.as_bytes());
        let error = read_lines(file.path(), &LineOptions::default(), &Silent).unwrap_err();
        assert!(error.to_string().contains("line 1: a basket of more than 100000 items"), "{error}");
        let file = written(b"a b\n\xff\xfe\n");
        let error = read_lines(file.path(), &LineOptions::default(), &Silent).unwrap_err();
        assert!(matches!(error, SetsError::Utf8 { line: 2, .. }));
        let file = written(b"");
        assert!(read_lines(file.path(), &LineOptions::default(), &Silent).unwrap().baskets.is_empty());
    }
}
