//! Reads a CSV into dictionary codes, on all threads of the current pool.
//!
//! The first 64 KiB give the dialect and the header. The rest is cut into blocks of whole records; each
//! worker takes the next block, finds its cells and gives each a code of its own dictionaries. At the end
//! the dictionaries are merged into canonical domains, so the result does not depend on the number of
//! threads. Memory: the codes, and a few blocks. [`stream_csv`] hands the codes on, block by block, instead of
//! keeping them.

use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::{memchr, memchr_iter};
use rayon::prelude::*;

use super::cell::{needs_quotes, push_quoted, record, unquote};
use super::csv_column::{Codes, Finisher};
use super::dialect::{Found, detect};
use super::dictionary::Dictionary;
use super::error::ReadErrorKind;
use super::extent::Extent;
use super::index::{Batch, Indexer, Shape};
use super::options::{Dialect, Encoding, Format, Newline, ReadOptions};
use super::split::{Block, LONGEST_RECORD, Splitter};
use super::stream::Each;
use super::{Input, kept_columns};
use crate::{Cancelled, Progress, Table};

/// How much of the file gives the dialect.
pub(super) const SAMPLE: usize = 64 << 10;
/// The largest block, unless a record is longer.
const BLOCK: usize = 1 << 20;
/// A file this small is read by one thread: waking the others would take longer.
const SMALL: u64 = 256 << 10;

/// The parts of the work that tests want to force.
#[derive(Default)]
pub(super) struct Tuning {
    /// The size of blocks.
    pub(super) block: Option<usize>,
    /// Whether to use the pool even for a small file.
    pub(super) parallel: bool,
}

/// Reads a CSV. `size` is the length of the source if it is known.
pub(super) fn read_csv<R: Read + Send>(
    mut source: R,
    size: Option<u64>,
    options: &ReadOptions,
    progress: &dyn Progress,
    tuning: &Tuning,
) -> Result<Input, ReadErrorKind> {
    progress.stage("reading", size);
    let start = Start::read(&mut source, options)?;
    let kept = kept_columns(&start.names, options)?;
    let shape = start.shape();
    let small = start.is_all || size.is_some_and(|size| size <= SMALL);
    let threads = if small && !tuning.parallel { 1 } else { rayon::current_num_threads() };
    let block_size = tuning.block.unwrap_or_else(|| {
        let share = size.map_or(BLOCK as u64, |size| size / (4 * threads as u64));
        share.clamp(SMALL / 2, BLOCK as u64) as usize
    });

    let mut rest = Cursor::new(start.sample);
    rest.set_position(start.body as u64);
    let splitter = Splitter::new(rest.chain(source), shape.delimiter, shape.quote, block_size, start.line);
    let reading = Reading {
        splitter: Mutex::new(splitter),
        stop: AtomicBool::new(false),
        faults: Mutex::new(Vec::new()),
        workers: Mutex::new(Vec::new()),
        shape,
        kept: &kept,
        extent: Extent::new(kept.len(), options, false),
        offset: start.body as u64,
        progress,
    };
    if threads == 1 {
        reading.work();
    } else {
        rayon::in_place_scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| reading.work());
            }
            reading.work();
        });
    }

    let faults = reading.faults.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((_, fault)) = faults.into_iter().min_by_key(|(block, _)| *block) {
        return Err(fault);
    }
    let splitter = reading.splitter.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let workers = reading.workers.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let rows = workers.iter().flat_map(|worker| &worker.blocks).map(|block| block.rows).sum();
    let finishers = by_column(workers, &kept);
    let finish = |(&column, finisher): (&usize, Finisher)| {
        finisher.finish(start.names[column].clone(), rows, &shape, options)
    };
    let columns = if threads == 1 {
        kept.iter().zip(finishers).map(finish).collect()
    } else {
        kept.par_iter().zip(finishers).map(finish).collect()
    };
    let mut dialect = start.dialect;
    dialect.final_newline = splitter.final_newline.unwrap_or(dialect.final_newline);
    let bytes = reading.offset + splitter.taken;
    Ok(Input {
        table: Table { columns, rows },
        names: start.names,
        format: Format::Csv,
        dialect: Some(dialect),
        bytes,
    })
}

/// Reads a CSV on one thread and hands on the codes of every block. The table that is returned has, in each column, one
/// entry for each distinct cell in place of one for each record.
pub(super) fn stream_csv<R: Read>(
    mut source: R,
    size: Option<u64>,
    options: &ReadOptions,
    progress: &dyn Progress,
    tuning: &Tuning,
    each: &mut Each<'_>,
) -> Result<Input, ReadErrorKind> {
    progress.stage("reading", size);
    let start = Start::read(&mut source, options)?;
    let kept = kept_columns(&start.names, options)?;
    let shape = start.shape();
    let mut rest = Cursor::new(start.sample);
    rest.set_position(start.body as u64);
    let block_size = tuning.block.unwrap_or(BLOCK);
    let mut splitter =
        Splitter::new(rest.chain(source), shape.delimiter, shape.quote, block_size, start.line);
    let (mut worker, mut block, mut batch) = (Worker::new(kept.len()), Block::default(), Batch::default());
    let extent = Extent::new(kept.len(), options, true);
    let mut rows = 0;
    loop {
        progress.check()?;
        if !splitter.next(&mut block)? {
            break;
        }
        let found = worker.code(&block, &mut batch, &shape, &kept, &extent).map_err(|(_, fault)| fault)?;
        let codes: Vec<&[u32]> = worker.scratch.iter().map(|codes| &codes[..]).collect();
        if each(found, &codes) == ControlFlow::Break(()) {
            return Err(Cancelled.into());
        }
        rows += found;
        progress.at(start.body as u64 + splitter.taken);
    }
    let columns = kept.par_iter().zip(worker.dictionaries).map(|(&column, dictionary)| {
        let distinct = dictionary.len();
        let entries: Vec<u32> = (0..distinct as u32).collect();
        let pieces = vec![(0, Codes::pack(&entries, distinct))];
        let finisher = Finisher { dictionaries: vec![dictionary], pieces };
        finisher.finish(start.names[column].clone(), distinct, &shape, options)
    });
    let columns = columns.collect();
    let mut dialect = start.dialect;
    dialect.final_newline = splitter.final_newline.unwrap_or(dialect.final_newline);
    let bytes = start.body as u64 + splitter.taken;
    Ok(Input {
        table: Table { columns, rows },
        names: start.names,
        format: Format::Csv,
        dialect: Some(dialect),
        bytes,
    })
}

/// The line on which a record begins; records are counted from 0.
pub(super) fn line_of(
    mut source: impl Read,
    options: &ReadOptions,
    record: usize,
) -> Result<Option<u64>, ReadErrorKind> {
    let start = Start::read(&mut source, options)?;
    let shape = start.shape();
    let mut rest = Cursor::new(start.sample);
    rest.set_position(start.body as u64);
    let mut splitter = Splitter::new(rest.chain(source), shape.delimiter, shape.quote, BLOCK, start.line);
    let (mut block, mut batch, mut before) = (Block::default(), Batch::default(), 0);
    while splitter.next(&mut block)? {
        let mut indexer = Indexer::new(&block, &shape);
        while indexer.next(&mut batch).map_err(|fault| fault.error(&block, &shape))? {
            if let Some(&at) = batch.starts.get(record - before) {
                let above = memchr_iter(b'\n', &block.bytes[..at as usize]).count() as u64;
                return Ok(Some(block.line + above));
            }
            before += batch.starts.len();
        }
    }
    Ok(None)
}

/// What the beginning of the file says.
pub(super) struct Start {
    pub(super) sample: Vec<u8>,
    is_all: bool,
    /// How the file is written again.
    pub(super) dialect: Dialect,
    /// How its characters are encoded.
    encoding: Encoding,
    pub(super) names: Vec<String>,
    /// Where the first record of data begins, and on which line.
    pub(super) body: usize,
    pub(super) line: u64,
}

impl Start {
    fn shape(&self) -> Shape {
        Shape {
            delimiter: self.dialect.delimiter,
            quote: self.dialect.quote,
            columns: self.names.len(),
            encoding: self.encoding,
        }
    }

    pub(super) fn read(source: &mut impl Read, options: &ReadOptions) -> Result<Self, ReadErrorKind> {
        let mut sample = Vec::with_capacity(SAMPLE);
        let mut wanted = SAMPLE;
        loop {
            source.by_ref().take((wanted - sample.len()) as u64).read_to_end(&mut sample)?;
            let is_all = sample.len() < wanted;
            if let Some(start) = Self::find(&mut sample, is_all, options)? {
                return Ok(start);
            }
            if wanted >= LONGEST_RECORD {
                return Err(ReadErrorKind::TooLong { line: 1, limit: LONGEST_RECORD >> 20 });
            }
            wanted *= 2;
        }
    }

    /// `None` when the first record does not end in the sample.
    fn find(
        sample: &mut Vec<u8>,
        is_all: bool,
        options: &ReadOptions,
    ) -> Result<Option<Self>, ReadErrorKind> {
        if sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff") {
            return Err(ReadErrorKind::Utf16);
        }
        let encoding = options.encoding.unwrap_or_default();
        let byte_order_mark = encoding == Encoding::Utf8 && sample.starts_with(b"\xef\xbb\xbf");
        let mut first = if byte_order_mark { 3 } else { 0 };
        for _ in 0..options.skip {
            match memchr(b'\n', &sample[first..]) {
                Some(end) => first += end + 1,
                None if is_all => return Err(ReadErrorKind::Skipped { lines: options.skip }),
                None => return Ok(None),
            }
        }
        if sample.len() == first {
            return match (is_all, options.skip) {
                (false, _) => Ok(None),
                (true, 0) => Err(ReadErrorKind::Empty),
                (true, lines) => Err(ReadErrorKind::Skipped { lines }),
            };
        }
        let Found { delimiter, quote, header } = detect(&sample[first..], is_all, options)?;
        let (mut cells, mut line) = (Vec::new(), 1 + options.skip);
        let mut body;
        loop {
            let Some(next) = record(sample, first, delimiter, quote, is_all, &mut cells) else {
                let ends_in_returns = memchr(b'\n', sample).is_none() && memchr(quote, sample).is_none();
                if ends_in_returns && memchr(b'\r', sample).is_some() {
                    return Err(ReadErrorKind::CarriageReturn { line: 1 });
                }
                return Ok(None);
            };
            body = next;
            // Blank lines before the first record are skipped if they cannot be records of one empty cell.
            let blank = cells.len() == 1 && cells[0].is_empty();
            if !blank || !has_more_columns(sample, body, delimiter, quote, is_all) {
                break;
            }
            first = body;
            line += 1;
        }
        let ending = &sample[first..body];
        let dialect = Dialect {
            delimiter,
            quote,
            header,
            encoding: encoding.written(),
            byte_order_mark,
            newline: if ending.ends_with(b"\r\n") { Newline::CrLf } else { Newline::Lf },
            final_newline: sample.ends_with(b"\n"),
            verbatim_names: Vec::new(),
        };
        let cells: Vec<&[u8]> = cells.iter().map(|cell| &sample[cell.clone()]).collect();
        let mut start = Self {
            sample: Vec::new(),
            is_all,
            names: (1..=cells.len()).map(|number| format!("column{number}")).collect(),
            dialect,
            encoding,
            body: first,
            line,
        };
        if header {
            start.take_header(ending, &cells)?;
            start.body = body;
            start.line = line + memchr_iter(b'\n', ending).count() as u64;
        }
        start.sample = std::mem::take(sample);
        Ok(Some(start))
    }

    fn take_header(&mut self, ending: &[u8], cells: &[&[u8]]) -> Result<(), ReadErrorKind> {
        let (dialect, encoding) = (&mut self.dialect, self.encoding);
        let line = self.line;
        let line_at = |at: usize| line + memchr_iter(b'\n', &ending[..at]).count() as u64;
        if let Some(at) = memchr(0, ending) {
            return Err(ReadErrorKind::Nul { line: line_at(at) });
        }
        if encoding == Encoding::Utf8
            && let Err(error) = std::str::from_utf8(ending)
        {
            return Err(ReadErrorKind::Utf8 { line: line_at(error.valid_up_to()) });
        }
        let mut offset = 0;
        for (name, cell) in self.names.iter_mut().zip(cells) {
            let line = line_at(offset.min(ending.len()));
            offset += cell.len() + 1;
            let Some(text) = unquote(cell, dialect.quote) else {
                let closed = super::cell::after_closing(cell, 0, dialect.quote).is_some();
                let after = ReadErrorKind::AfterQuote { line: line_at(offset.min(ending.len())) };
                return Err(if closed { after } else { ReadErrorKind::Unterminated { line } });
            };
            if cell.first() != Some(&dialect.quote) && memchr(b'\r', cell).is_some() {
                return Err(ReadErrorKind::CarriageReturn { line });
            }
            *name = decode(&text, encoding);
            let mut usual = text.to_vec();
            if needs_quotes(&text, dialect.delimiter, dialect.quote) {
                usual.clear();
                push_quoted(&text, dialect.quote, &mut usual);
            }
            if usual != *cell {
                dialect.verbatim_names.push((name.clone(), decode(cell, encoding)));
            }
        }
        check_names(&self.names)
    }
}

/// Whether the first line after `position` that is not blank has more than one cell.
fn has_more_columns(sample: &[u8], mut position: usize, delimiter: u8, quote: u8, is_all: bool) -> bool {
    let mut cells = Vec::new();
    while position < sample.len() {
        match record(sample, position, delimiter, quote, is_all, &mut cells) {
            Some(next) if cells.len() == 1 && cells[0].is_empty() => position = next,
            _ => return cells.len() > 1,
        }
    }
    false
}

/// Every column has a name of its own. All that have none or one of another are told at once.
pub(super) fn check_names(names: &[String]) -> Result<(), ReadErrorKind> {
    let mut columns_of: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut place_of = std::collections::HashMap::new();
    for (name, column) in names.iter().zip(1..) {
        let place = *place_of.entry(name.as_str()).or_insert_with(|| {
            columns_of.push((name, Vec::new()));
            columns_of.len() - 1
        });
        columns_of[place].1.push(column);
    }
    let empty = place_of.get("").map_or(Vec::new(), |&place| columns_of[place].1.clone());
    let shared: Vec<Vec<usize>> =
        columns_of.into_iter().filter(|own| !own.0.is_empty() && own.1.len() > 1).map(|own| own.1).collect();
    match (empty.is_empty(), shared.is_empty()) {
        (true, true) => Ok(()),
        (false, true) => Err(ReadErrorKind::EmptyName { columns: empty }),
        (_, false) => Err(ReadErrorKind::DuplicateName { columns: shared, empty }),
    }
}

/// The text of bytes that were checked to be in this encoding.
pub(super) fn decode(bytes: &[u8], encoding: Encoding) -> String {
    match encoding {
        Encoding::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
        Encoding::Latin1 => bytes.iter().map(|&byte| char::from(byte)).collect(),
        Encoding::Windows1252 => bytes.iter().map(|&byte| windows_1252(byte)).collect(),
    }
}

/// The character of a byte in Windows-1252; the five bytes without one are control characters, as browsers have it.
fn windows_1252(byte: u8) -> char {
    const FROM_80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => FROM_80[usize::from(byte) - 0x80],
        byte => char::from(byte),
    }
}

/// What the workers share.
struct Reading<'a, R> {
    splitter: Mutex<Splitter<R>>,
    stop: AtomicBool,
    /// The number of the block, and what is wrong with it.
    faults: Mutex<Vec<(usize, ReadErrorKind)>>,
    workers: Mutex<Vec<Worker>>,
    shape: Shape,
    kept: &'a [usize],
    extent: Extent,
    /// Bytes before the first block.
    offset: u64,
    progress: &'a dyn Progress,
}

impl<R: Read> Reading<'_, R> {
    /// Takes and encodes blocks until there are none, or one is wrong.
    fn work(&self) {
        let mut worker = Worker::new(self.kept.len());
        let mut block = Block::default();
        let mut batch = Batch::default();
        while !self.stop.load(Ordering::Relaxed) {
            let outcome = match self.take(&mut block) {
                Ok(false) => break,
                Ok(true) => worker.encode(&block, &mut batch, &self.shape, self.kept, &self.extent),
                // No block has this number; blocks before it may still be found wrong.
                Err(error) => Err((usize::MAX, error)),
            };
            if let Err(fault) = outcome {
                self.stop.store(true, Ordering::Relaxed);
                self.faults.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(fault);
            }
        }
        self.workers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(worker);
    }

    fn take(&self, block: &mut Block) -> Result<bool, ReadErrorKind> {
        let mut splitter = self.splitter.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.progress.check()?;
        let found = splitter.next(block)?;
        self.progress.at(self.offset + splitter.taken);
        Ok(found)
    }
}

/// The dictionaries of one thread, and the blocks that it encoded.
struct Worker {
    dictionaries: Vec<Dictionary>,
    scratch: Vec<Vec<u32>>,
    blocks: Vec<EncodedBlock>,
}

struct EncodedBlock {
    index: usize,
    rows: usize,
    columns: Vec<Codes>,
}

impl Worker {
    fn new(columns: usize) -> Self {
        Self {
            dictionaries: (0..columns).map(|_| Dictionary::new()).collect(),
            scratch: vec![Vec::new(); columns],
            blocks: Vec::new(),
        }
    }

    /// Codes the cells of a block and keeps the codes.
    fn encode(
        &mut self,
        block: &Block,
        batch: &mut Batch,
        shape: &Shape,
        kept: &[usize],
        extent: &Extent,
    ) -> Result<(), (usize, ReadErrorKind)> {
        let rows = self.code(block, batch, shape, kept, extent)?;
        let packed = self.scratch.iter().zip(&self.dictionaries);
        let columns = packed.map(|(codes, dictionary)| Codes::pack(codes, dictionary.len())).collect();
        self.blocks.push(EncodedBlock { index: block.index, rows, columns });
        Ok(())
    }

    /// Codes the cells of a block, leaves the codes in the scratch, and says how many records there are.
    fn code(
        &mut self,
        block: &Block,
        batch: &mut Batch,
        shape: &Shape,
        kept: &[usize],
        extent: &Extent,
    ) -> Result<usize, (usize, ReadErrorKind)> {
        let mut indexer = Indexer::new(block, shape);
        let mut rows = 0;
        self.scratch.iter_mut().for_each(Vec::clear);
        let bytes = |dictionaries: &[Dictionary]| dictionaries.iter().map(Dictionary::bytes).sum::<usize>();
        let before = bytes(&self.dictionaries);
        while indexer.next(batch).map_err(|fault| (block.index, fault.error(block, shape)))? {
            rows += batch.starts.len();
            for ((&column, dictionary), codes) in
                kept.iter().zip(&mut self.dictionaries).zip(&mut self.scratch)
            {
                encode_column(&block.bytes, batch, shape, column, dictionary, codes);
            }
        }
        if self.dictionaries.iter().any(|dictionary| dictionary.len() > u32::MAX as usize - block.len) {
            return Err((block.index, ReadErrorKind::TooManyValues));
        }
        extent.add(rows, bytes(&self.dictionaries) - before).map_err(|error| (block.index, error))?;
        Ok(rows)
    }
}

/// Gives a code to each cell of a column.
fn encode_column(
    text: &[u8],
    batch: &Batch,
    shape: &Shape,
    column: usize,
    dictionary: &mut Dictionary,
    codes: &mut Vec<u32>,
) {
    let records = batch.ends.chunks_exact(shape.columns).zip(&batch.starts);
    let is_last = column + 1 == shape.columns;
    codes.extend(records.map(|(ends, &start)| {
        let start = if column == 0 { start as usize } else { ends[column - 1] as usize + 1 };
        let mut end = ends[column] as usize;
        if is_last && end > start && text[end - 1] == b'\r' {
            end -= 1;
        }
        dictionary.code_at(text, start, end - start)
    }));
}

/// Turns what workers found, block by block, into what each column needs, blocks in order.
fn by_column(workers: Vec<Worker>, kept: &[usize]) -> Vec<Finisher> {
    let mut finishers: Vec<Finisher> = kept.iter().map(|_| Finisher::default()).collect();
    let mut blocks = Vec::new();
    for (number, worker) in workers.into_iter().enumerate() {
        for (finisher, dictionary) in finishers.iter_mut().zip(worker.dictionaries) {
            finisher.dictionaries.push(dictionary);
        }
        blocks.extend(worker.blocks.into_iter().map(|block| (number, block)));
    }
    blocks.sort_unstable_by_key(|(_, block)| block.index);
    for (number, block) in blocks {
        for (finisher, codes) in finishers.iter_mut().zip(block.columns) {
            finisher.pieces.push((number, codes));
        }
    }
    finishers
}
