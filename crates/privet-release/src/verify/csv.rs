//! The referee's own reader of CSV (RFC 4180), simple rather than fast.
//!
//! Bytes that are not valid UTF-8 are taken as Latin-1, a byte order mark is skipped, lines end in LF or CR LF.

use std::borrow::Cow;

/// Where and how a text is not CSV.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Malformed {
    pub line: usize,
    pub problem: &'static str,
}

/// Goes through the records of a CSV text, one after the other.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    delimiter: u8,
}

impl<'a> Records<'a> {
    pub fn new(bytes: &'a [u8], delimiter: u8) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        Self { bytes, at: 0, line: 1, delimiter }
    }

    /// The line on which the next record begins.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Reads the next record into `cells`; false at the end of the text.
    pub fn next(&mut self, cells: &mut Vec<Cow<'a, [u8]>>) -> Result<bool, Malformed> {
        cells.clear();
        if self.at == self.bytes.len() {
            return Ok(false);
        }
        loop {
            cells.push(if self.bytes.get(self.at) == Some(&b'"') { self.quoted()? } else { self.bare() });
            match self.bytes.get(self.at) {
                Some(&byte) if byte == self.delimiter => self.at += 1,
                Some(b'\r') => return self.end_record(2),
                Some(_) => return self.end_record(1),
                None => return Ok(true),
            }
        }
    }

    fn end_record(&mut self, length: usize) -> Result<bool, Malformed> {
        self.at += length;
        self.line += 1;
        Ok(true)
    }

    /// Whether a record ends here: at LF, or at CR when LF follows.
    fn at_line_end(&self) -> bool {
        match self.bytes.get(self.at) {
            Some(b'\n') => true,
            Some(b'\r') => self.bytes.get(self.at + 1) == Some(&b'\n'),
            _ => false,
        }
    }

    fn bare(&mut self) -> Cow<'a, [u8]> {
        let start = self.at;
        while self.at < self.bytes.len() && self.bytes[self.at] != self.delimiter && !self.at_line_end() {
            self.at += 1;
        }
        Cow::Borrowed(&self.bytes[start..self.at])
    }

    fn quoted(&mut self) -> Result<Cow<'a, [u8]>, Malformed> {
        let opened = self.line;
        self.at += 1;
        let start = self.at;
        let mut text: Option<Vec<u8>> = None;
        loop {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err(Malformed { line: opened, problem: "a quotation mark is never closed" });
            };
            self.at += 1;
            if byte == b'\n' {
                self.line += 1;
            }
            if byte != b'"' {
                if let Some(text) = &mut text {
                    text.push(byte);
                }
            } else if self.bytes.get(self.at) == Some(&b'"') {
                let so_far = &self.bytes[start..self.at - 1];
                text.get_or_insert_with(|| so_far.to_vec()).push(b'"');
                self.at += 1;
            } else {
                break;
            }
        }
        let end = self.at - 1;
        let ended =
            self.at == self.bytes.len() || self.bytes[self.at] == self.delimiter || self.at_line_end();
        if !ended {
            return Err(Malformed { line: self.line, problem: "text follows a closing quotation mark" });
        }
        Ok(text.map_or(Cow::Borrowed(&self.bytes[start..end]), Cow::Owned))
    }
}

/// Text from bytes: UTF-8 when `utf8`, otherwise Latin-1, where every byte is a character.
pub(super) fn decode(bytes: &[u8], utf8: bool) -> String {
    if utf8 {
        String::from_utf8_lossy(bytes).into_owned()
    } else {
        bytes.iter().map(|&b| char::from(b)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Vec<Vec<String>>, Malformed> {
        let mut records = Records::new(text.as_bytes(), b',');
        let (mut cells, mut all) = (Vec::new(), Vec::new());
        while records.next(&mut cells)? {
            all.push(cells.iter().map(|c| decode(c, true)).collect());
        }
        Ok(all)
    }

    #[test]
    fn rfc_4180() {
        let expected = vec![vec!["a", "b"], vec!["x,y", "say \"no\"\r\nplease"], vec!["", "z"]];
        assert_eq!(read("\u{FEFF}a,b\r\n\"x,y\",\"say \"\"no\"\"\r\nplease\"\r\n,z").unwrap(), expected);
        assert_eq!(read("a\n\nb\n").unwrap(), [["a"], [""], ["b"]]);
        assert_eq!(read("a,\n").unwrap(), [["a", ""]]);
        assert_eq!(read("a\rb,5\"\n").unwrap(), [["a\rb", "5\""]]);
        assert!(read("").unwrap().is_empty());
    }

    #[test]
    fn mistakes_are_located() {
        assert_eq!(read("a\n\"b\nc").unwrap_err().line, 2);
        assert_eq!(read("a\n\"b\"c\n").unwrap_err().line, 2);
    }

    #[test]
    fn latin_1_is_one_character_per_byte() {
        assert_eq!(decode(b"caf\xE9", false), "café");
    }

    proptest! {
        #[test]
        fn what_is_quoted_comes_back(rows in prop::collection::vec(prop::collection::vec("[a,\"\r\n é]{0,6}", 3), 1..6)) {
            let quote = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
            let text: String = rows
                .iter()
                .map(|row| row.iter().map(quote).collect::<Vec<_>>().join(",") + "\n")
                .collect();
            prop_assert_eq!(read(&text).unwrap(), rows);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[a,\"\r\n]{0,40}") {
            let _ = read(&text);
        }
    }
}
