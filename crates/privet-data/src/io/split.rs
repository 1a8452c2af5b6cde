//! Cuts a stream of CSV text into blocks at record boundaries, so that blocks can be parsed apart.
//!
//! A block without quotation marks is cut after its last line feed. Otherwise the marks are followed from
//! the start of the block, which is the start of a record, to tell line feeds inside quoted cells from the
//! ends of records. What remains is carried into the next block; the file is never held as a whole.

use std::io::Read;

use memchr::{memchr, memchr_iter, memrchr};

use super::cell::{PADDING, after_closing};
use super::error::ReadErrorKind;

/// The longest record that is read. A longer one is a quotation mark that somebody forgot to close.
pub(super) const LONGEST_RECORD: usize = 64 << 20;

/// Whole records of the file.
#[derive(Default)]
pub(super) struct Block {
    /// The records, and [`PADDING`] bytes that mean nothing.
    pub(super) bytes: Vec<u8>,
    /// Where the records end. The last byte before it is a line feed.
    pub(super) len: usize,
    /// The place among the blocks.
    pub(super) index: usize,
    /// The number of the first line.
    pub(super) line: u64,
    /// Whether there is a quotation mark in it.
    pub(super) has_quotes: bool,
    /// Whether the last line feed is not in the file.
    pub(super) completed: bool,
}

/// Cuts blocks off a stream.
pub(super) struct Splitter<R> {
    source: R,
    delimiter: u8,
    quote: u8,
    size: usize,
    longest: usize,
    carried: Vec<u8>,
    next_index: usize,
    next_line: u64,
    /// Bytes taken from the source.
    pub(super) taken: u64,
    /// Whether the last block ended with a line feed of the file.
    pub(super) final_newline: Option<bool>,
}

impl<R: Read> Splitter<R> {
    /// Cuts blocks of about `size` bytes off a source whose first line has the number `line`.
    pub(super) fn new(source: R, delimiter: u8, quote: u8, size: usize, line: u64) -> Self {
        Self {
            source,
            delimiter,
            quote,
            size: size.max(1),
            longest: LONGEST_RECORD.max(size),
            carried: Vec::new(),
            next_index: 0,
            next_line: line,
            taken: 0,
            final_newline: None,
        }
    }

    /// Fills the block with the next records; `false` when there are none.
    pub(super) fn next(&mut self, block: &mut Block) -> Result<bool, ReadErrorKind> {
        let mut filled = self.carried.len();
        let mut target = self.size.max(2 * filled);
        make_room(&mut block.bytes, target);
        block.bytes[..filled].copy_from_slice(&self.carried);
        self.carried.clear();
        let (len, at_end) = loop {
            while filled < target {
                match self.source.read(&mut block.bytes[filled..target]) {
                    Ok(0) => break,
                    Ok(read) => {
                        filled += read;
                        self.taken += read as u64;
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if filled < target {
                break (filled, true);
            }
            let end = self.last_boundary(&block.bytes[..filled]);
            if end > 0 {
                break (end, false);
            }
            if target >= self.longest {
                let limit = self.longest >> 20;
                return Err(ReadErrorKind::TooLong { line: self.next_line, limit });
            }
            target = (2 * target).min(self.longest);
            make_room(&mut block.bytes, target);
        };
        if filled == 0 {
            return Ok(false);
        }
        block.len = len;
        block.completed = false;
        if at_end {
            block.completed = block.bytes[len - 1] != b'\n';
            if block.completed {
                block.bytes[len] = b'\n';
                block.len += 1;
            }
        } else {
            self.carried.extend_from_slice(&block.bytes[len..filled]);
        }
        self.final_newline = Some(!block.completed);
        let records = &block.bytes[..block.len];
        block.has_quotes = memchr(self.quote, records).is_some();
        block.index = self.next_index;
        block.line = self.next_line;
        self.next_index += 1;
        self.next_line += memchr_iter(b'\n', records).count() as u64;
        Ok(true)
    }

    /// Where the last record that ends in this text ends; 0 when none does.
    fn last_boundary(&self, text: &[u8]) -> usize {
        let Some(first_mark) = memchr(self.quote, text) else {
            return memrchr(b'\n', text).map_or(0, |end| end + 1);
        };
        let mut boundary = memrchr(b'\n', &text[..first_mark]).map_or(0, |end| end + 1);
        let mut outside = boundary;
        let mut look = boundary;
        while let Some(found) = memchr(self.quote, &text[look..]) {
            let mark = look + found;
            let opens = mark == 0 || text[mark - 1] == self.delimiter || text[mark - 1] == b'\n';
            if !opens {
                look = mark + 1;
                continue;
            }
            // Most often there is one delimiter or one line feed between two quoted cells.
            if mark > outside && text[mark - 1] == b'\n' {
                boundary = mark;
            } else if mark > outside + 1
                && let Some(end) = memrchr(b'\n', &text[outside..mark])
            {
                boundary = outside + end + 1;
            }
            match after_closing(text, mark, self.quote) {
                // A mark at the very end may be the first half of a doubled one.
                Some(after) if after < text.len() => {
                    outside = after;
                    look = after;
                }
                _ => return boundary,
            }
        }
        memrchr(b'\n', &text[outside..]).map_or(boundary, |end| outside + end + 1)
    }
}

fn make_room(bytes: &mut Vec<u8>, target: usize) {
    // One more for the line feed that the last line of the file may lack.
    if bytes.len() < target + 1 + PADDING {
        bytes.resize(target + 1 + PADDING, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &[u8], size: usize) -> Vec<(u64, Vec<u8>)> {
        let mut splitter = Splitter::new(text, b',', b'"', size, 1);
        let mut block = Block::default();
        let mut found = Vec::new();
        while splitter.next(&mut block).unwrap() {
            found.push((block.line, block.bytes[..block.len].to_vec()));
        }
        assert_eq!(splitter.taken, text.len() as u64);
        found
    }

    #[test]
    fn every_block_holds_whole_records() {
        let text = b"a,b\n\"x\ny\",1\nl\"it,2\n\"q\"\"\n\"\"\",3\n4,5";
        let records: [&[u8]; 5] = [b"a,b\n", b"\"x\ny\",1\n", b"l\"it,2\n", b"\"q\"\"\n\"\"\",3\n", b"4,5\n"];
        let starts: Vec<usize> =
            (0..=records.len()).map(|n| records[..n].iter().map(|r| r.len()).sum()).collect();
        for size in 1..60 {
            let mut offset = 0;
            for (line, block) in blocks(text, size) {
                assert!(starts.contains(&offset), "size {size}");
                let expected = 1 + memchr_iter(b'\n', &text[..offset]).count() as u64;
                assert_eq!(line, expected, "size {size}");
                offset += block.len();
            }
            assert_eq!(offset, text.len() + 1);
        }
    }

    #[test]
    fn a_record_that_never_ends_is_refused() {
        let mut text = b"a,b\n\"".to_vec();
        text.resize(4096, b'x');
        let mut splitter = Splitter::new(&text[..], b',', b'"', 64, 1);
        splitter.longest = 256;
        let mut block = Block::default();
        assert!(splitter.next(&mut block).unwrap());
        assert!(matches!(splitter.next(&mut block), Err(ReadErrorKind::TooLong { line: 2, .. })));
    }
}
