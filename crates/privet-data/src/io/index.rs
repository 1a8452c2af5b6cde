//! Finds the cells of a block and checks its shape.
//!
//! A batch holds, for some whole records, where each begins and where each cell ends; columns are then
//! encoded one after the other from the batch. Faults are told by their byte, the first one first, so that
//! the error of a file does not depend on how it was cut into blocks.

use memchr::{memchr, memchr_iter};

use super::cell::{Marks, after_closing};
use super::error::ReadErrorKind;
use super::options::Encoding;
use super::split::Block;

/// Cells of a batch: their text and their ends stay in the nearest caches.
const BATCH: usize = 4096;

/// What every record must look like.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    pub(super) columns: usize,
    pub(super) encoding: Encoding,
}

/// The cells of some records.
#[derive(Default)]
pub(super) struct Batch {
    /// Per record where it begins.
    pub(super) starts: Vec<u32>,
    /// Per record and column where the cell ends: at a delimiter, or at a line feed for the last column.
    pub(super) ends: Vec<u32>,
}

/// Something wrong, and the byte of the block that it is told by.
#[derive(Clone, Copy)]
pub(super) struct Fault {
    at: usize,
    kind: FaultKind,
}

#[derive(Clone, Copy)]
enum FaultKind {
    Utf8,
    Nul,
    CarriageReturn,
    Ragged { found: usize, end: usize },
    Unterminated,
    AfterQuote,
}

impl Fault {
    /// Where it shows. The number of cells shows at the end of the record only, so that what may have
    /// caused it, such as a carriage return, comes first.
    fn shows_at(&self) -> usize {
        if let FaultKind::Ragged { end, .. } = self.kind { end } else { self.at }
    }

    /// The error that tells the line.
    pub(super) fn error(self, block: &Block, shape: &Shape) -> ReadErrorKind {
        let line = block.line + memchr_iter(b'\n', &block.bytes[..self.at]).count() as u64;
        match self.kind {
            FaultKind::Utf8 => ReadErrorKind::Utf8 { line },
            FaultKind::Nul => ReadErrorKind::Nul { line },
            FaultKind::CarriageReturn => ReadErrorKind::CarriageReturn { line },
            FaultKind::Ragged { found, .. } => ReadErrorKind::Ragged { line, expected: shape.columns, found },
            FaultKind::Unterminated => ReadErrorKind::Unterminated { line },
            FaultKind::AfterQuote => ReadErrorKind::AfterQuote { line },
        }
    }
}

/// Walks through the records of a block, batch by batch.
pub(super) struct Indexer<'a> {
    block: &'a Block,
    shape: &'a Shape,
    position: usize,
    /// The first fault that does not depend on where cells begin.
    flaw: Option<Fault>,
    has_loose_return: bool,
}

impl<'a> Indexer<'a> {
    pub(super) fn new(block: &'a Block, shape: &'a Shape) -> Self {
        let text = &block.bytes[..block.len];
        let nul = memchr(0, text).map(|at| Fault { at, kind: FaultKind::Nul });
        let utf8 = match shape.encoding {
            Encoding::Utf8 => std::str::from_utf8(text).err(),
            Encoding::Latin1 | Encoding::Windows1252 => None,
        };
        let utf8 = utf8.map(|error| Fault { at: error.valid_up_to(), kind: FaultKind::Utf8 });
        let loose = loose_return(text, block.completed);
        let flaw = loose.filter(|_| !block.has_quotes);
        let flaw = flaw.map(|at| Fault { at, kind: FaultKind::CarriageReturn });
        let flaw = [nul, utf8, flaw].into_iter().flatten().min_by_key(|fault| fault.at);
        Self { block, shape, position: 0, flaw, has_loose_return: loose.is_some() }
    }

    /// Fills the batch with the next records; `false` when there are none.
    pub(super) fn next(&mut self, batch: &mut Batch) -> Result<bool, Fault> {
        batch.starts.clear();
        batch.ends.clear();
        let indexed =
            if self.block.has_quotes { self.index::<true>(batch) } else { self.index::<false>(batch) };
        match (indexed, self.flaw) {
            (Err(fault), Some(flaw)) => Err(if flaw.at < fault.shows_at() { flaw } else { fault }),
            (Err(fault), None) => Err(fault),
            (Ok(()), Some(flaw)) if self.position >= self.block.len => Err(flaw),
            (Ok(()), _) => Ok(!batch.starts.is_empty()),
        }
    }

    fn index<const QUOTES: bool>(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        let (text, len) = (&*self.block.bytes, self.block.len);
        let columns = self.shape.columns;
        let mut marks = Marks::new(text, self.position, self.shape.delimiter);
        'records: while self.position < len && batch.ends.len() < BATCH {
            let start = self.position;
            let mut cell = start;
            for column in 1..=columns {
                let end = self.cell_end::<QUOTES>(&mut marks, cell)?;
                if (text[end] == b'\n') != (column == columns) {
                    let blank = end == start || (end == start + 1 && text[start] == b'\r');
                    if column == 1 && blank && text[end] == b'\n' {
                        self.position = end + 1;
                        continue 'records;
                    }
                    return Err(self.ragged(&mut marks, start, end, column));
                }
                batch.ends.push(end as u32);
                cell = end + 1;
            }
            batch.starts.push(start as u32);
            self.position = cell;
        }
        Ok(())
    }

    /// Where the cell that begins here ends.
    #[inline(always)]
    fn cell_end<const QUOTES: bool>(&self, marks: &mut Marks<'_>, cell: usize) -> Result<usize, Fault> {
        let text = &*self.block.bytes;
        if QUOTES && text[cell] == self.shape.quote {
            let unterminated = Fault { at: cell, kind: FaultKind::Unterminated };
            let records = &text[..self.block.len];
            let after = after_closing(records, cell, self.shape.quote).ok_or(unterminated)?;
            marks.seek(after);
            let end = marks.next().filter(|&end| end < self.block.len).ok_or(unterminated)?;
            let returned = end == after + 1 && text[after] == b'\r' && text[end] == b'\n';
            if end != after && !returned {
                return Err(Fault { at: after, kind: FaultKind::AfterQuote });
            }
            if returned && self.block.completed && end + 1 == self.block.len {
                return Err(Fault { at: after, kind: FaultKind::CarriageReturn });
            }
            return Ok(end);
        }
        // The last byte of a block is a line feed, so there is a mark unless all were given out.
        let end = marks.next().filter(|&end| end < self.block.len).unwrap_or(self.block.len - 1);
        if QUOTES && self.has_loose_return {
            let last_is_ours = self.block.completed && end + 1 == self.block.len;
            if let Some(at) = loose_return(&text[cell..=end], last_is_ours) {
                return Err(Fault { at: cell + at, kind: FaultKind::CarriageReturn });
            }
        }
        Ok(end)
    }

    #[cold]
    fn ragged(&self, marks: &mut Marks<'_>, start: usize, mut end: usize, mut found: usize) -> Fault {
        while self.block.bytes[end] != b'\n' {
            match self.cell_end::<true>(marks, end + 1) {
                Ok(next) => end = next,
                Err(fault) => return fault,
            }
            found += 1;
        }
        Fault { at: start, kind: FaultKind::Ragged { found, end } }
    }
}

/// The first carriage return that no line feed of the file follows.
fn loose_return(text: &[u8], last_feed_is_ours: bool) -> Option<usize> {
    let len = text.len() - usize::from(last_feed_is_ours);
    memchr_iter(b'\r', &text[..len]).find(|&at| at + 1 >= len || text[at + 1] != b'\n')
}
