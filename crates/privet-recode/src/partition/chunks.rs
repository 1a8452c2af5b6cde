//! Records that are read in passes, a chunk at a time, for tables that memory does not hold.
//!
//! Temporary files hold codes, four bytes for each, and no value of the table; whoever has the domains can still read
//! them. Where the system allows it they have no name from the moment they are made, so that nothing is left of them
//! however the process ends; elsewhere they are removed when they are dropped.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::lattice::{Problem, SearchError};

/// Some records, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// The number of the first one in the table.
    pub first: usize,
    /// How many there are.
    pub rows: usize,
    /// Per quasi column, in the order of the problem, their codes.
    pub quasi: &'a [&'a [u32]],
    /// Per sensitive column, in the order of the problem, their codes.
    pub sensitive: &'a [&'a [u32]],
    /// Their class labels, when the problem has some.
    pub label: Option<&'a [u32]>,
}

/// A table that can be read from its beginning to its end, any number of times.
pub trait Chunks {
    /// Hands over all records in their order, a chunk at a time.
    ///
    /// # Errors
    /// When a chunk cannot be read, or whoever takes it has an error.
    fn pass(
        &mut self,
        each: &mut dyn FnMut(&Chunk<'_>) -> Result<(), SearchError>,
    ) -> Result<(), SearchError>;
}

/// The records of a problem that memory holds anyway.
pub struct InMemory<'a> {
    problem: &'a Problem<'a>,
    most: usize,
}

impl<'a> InMemory<'a> {
    /// In chunks of at most so many records, and of one at least.
    pub fn new(problem: &'a Problem<'a>, most: usize) -> Self {
        Self { problem, most: most.max(1) }
    }
}

impl Chunks for InMemory<'_> {
    fn pass(
        &mut self,
        each: &mut dyn FnMut(&Chunk<'_>) -> Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        for first in (0..self.problem.rows).step_by(self.most) {
            let end = self.problem.rows.min(first.saturating_add(self.most));
            let quasi: Vec<&[u32]> =
                self.problem.quasi.iter().map(|quasi| &quasi.codes[first..end]).collect();
            let sensitive: Vec<&[u32]> =
                self.problem.sensitive.iter().map(|column| &column.codes[first..end]).collect();
            let label = self.problem.label.as_ref().map(|label| &label.codes[first..end]);
            each(&Chunk { first, rows: end - first, quasi: &quasi, sensitive: &sensitive, label })?;
        }
        Ok(())
    }
}

/// Takes a chunk of a [`CodeFile`]: the number of its first record, how many there are, and per column their codes.
pub type EachChunk<'a> = dyn FnMut(usize, usize, &[&[u32]]) -> Result<(), SearchError> + 'a;

/// Columns of codes in a temporary file: chunk after chunk, and in a chunk column after column.
#[derive(Debug)]
pub struct CodeFile {
    file: Temporary,
    columns: usize,
    /// Records of every chunk but the last.
    chunk: usize,
    rows: usize,
    /// Per column the codes that do not make a chunk yet.
    pending: Vec<Vec<u32>>,
    bytes: Vec<u8>,
}

impl CodeFile {
    /// Makes a file in a folder that nobody else reads, for so many columns, in chunks of so many records.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(folder: &Path, columns: usize, chunk: usize) -> Result<Self, SearchError> {
        let chunk = chunk.clamp(1, u32::MAX as usize);
        let pending = vec![Vec::new(); columns];
        Ok(Self { file: Temporary::create(folder)?, columns, chunk, rows: 0, pending, bytes: Vec::new() })
    }

    /// Adds so many records, of which `columns` has the codes, as many columns as the file has.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn push(&mut self, rows: usize, columns: &[&[u32]]) -> Result<(), SearchError> {
        let mut done = 0;
        while done < rows {
            let pending = self.rows % self.chunk;
            let taken = (self.chunk - pending).min(rows - done);
            for (pending, column) in self.pending.iter_mut().zip(columns) {
                pending.extend_from_slice(column.get(done..done + taken).unwrap_or_default());
            }
            (self.rows, done) = (self.rows + taken, done + taken);
            if self.rows.is_multiple_of(self.chunk) {
                self.write_pending()?;
            }
        }
        Ok(())
    }

    /// How many records were added.
    pub fn rows(&self) -> usize {
        self.rows
    }

    fn write_pending(&mut self) -> Result<(), SearchError> {
        self.bytes.clear();
        for column in &mut self.pending {
            self.bytes.extend(column.iter().flat_map(|code| code.to_le_bytes()));
            column.clear();
        }
        self.file.file.write_all(&self.bytes).map_err(|error| temporary("written", &error))
    }

    /// Hands over all records in their order.
    ///
    /// # Errors
    /// When the file cannot be read, or whoever takes a chunk has an error.
    pub fn pass(&mut self, each: &mut EachChunk<'_>) -> Result<(), SearchError> {
        if self.pending.iter().any(|column| !column.is_empty()) {
            self.write_pending()?;
        }
        let failed = |error: std::io::Error| temporary("read", &error);
        self.file.file.rewind().map_err(failed)?;
        let mut codes: Vec<u32> = Vec::with_capacity(self.chunk.min(self.rows) * self.columns);
        for first in (0..self.rows).step_by(self.chunk) {
            let rows = self.chunk.min(self.rows - first);
            self.bytes.resize(4 * rows * self.columns, 0);
            self.file.file.read_exact(&mut self.bytes).map_err(failed)?;
            codes.clear();
            codes.extend(self.bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
            let columns: Vec<&[u32]> = match self.columns {
                0 => Vec::new(),
                _ => codes.chunks_exact(rows).collect(),
            };
            each(first, rows, &columns)?;
        }
        // What is added later goes behind what there is; a last chunk that is not full stays pending.
        let full = (self.rows - self.rows % self.chunk) as u64;
        self.file.file.seek(SeekFrom::Start(4 * full * self.columns as u64)).map_err(failed)?;
        if !self.rows.is_multiple_of(self.chunk) {
            let rest = codes.chunks_exact(self.rows % self.chunk);
            self.pending.iter_mut().zip(rest).for_each(|(pending, rest)| pending.extend_from_slice(rest));
        }
        Ok(())
    }
}

/// The records of a problem in a temporary file. It is removed when this is dropped.
#[derive(Debug)]
pub struct Spilled {
    file: CodeFile,
    quasi: usize,
    sensitive: usize,
}

impl Spilled {
    /// Writes all records of a source into a new file in a folder.
    ///
    /// # Errors
    /// When the file cannot be written, or the source has an error.
    pub fn write(source: &mut dyn Chunks, folder: &Path) -> Result<Self, SearchError> {
        const CHUNK: usize = 1 << 14;
        // Made before anything is read, so that a folder that cannot be written to is known at once.
        let mut spilled = Self { file: CodeFile::create(folder, 0, CHUNK)?, quasi: 0, sensitive: 0 };
        let Self { file, quasi, sensitive } = &mut spilled;
        source.pass(&mut |chunk| {
            (*quasi, *sensitive) = (chunk.quasi.len(), chunk.sensitive.len());
            let columns: Vec<&[u32]> =
                chunk.quasi.iter().chain(chunk.sensitive).copied().chain(chunk.label).collect();
            if file.rows == 0 {
                (file.columns, file.pending) = (columns.len(), vec![Vec::new(); columns.len()]);
            }
            file.push(chunk.rows, &columns)
        })?;
        Ok(spilled)
    }
}

impl Chunks for Spilled {
    fn pass(
        &mut self,
        each: &mut dyn FnMut(&Chunk<'_>) -> Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        let (quasi, sensitive) = (self.quasi, self.sensitive);
        self.file.pass(&mut |first, rows, columns| {
            let (quasi, rest) = columns.split_at(quasi);
            let (sensitive, label) = rest.split_at(sensitive);
            each(&Chunk { first, rows, quasi, sensitive, label: label.first().copied() })
        })
    }
}

/// A file that goes with its process.
#[derive(Debug)]
pub(super) struct Temporary {
    pub file: File,
    /// Where it still has a name.
    path: Option<PathBuf>,
}

impl Temporary {
    pub fn create(folder: &Path) -> Result<Self, SearchError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("privet-{}-{number}.codes", std::process::id()));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| temporary("created", &error))?;
        // An open file needs no name on Unix; elsewhere this fails, and it is removed in the end.
        let is_nameless = cfg!(unix) && std::fs::remove_file(&path).is_ok();
        Ok(Self { file, path: (!is_nameless).then_some(path) })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nobody is left to be told of a failure.
            let _ = std::fs::remove_file(path);
        }
    }
}

pub(super) fn temporary(done: &'static str, error: &std::io::Error) -> SearchError {
    SearchError::Temporary { done, kind: error.kind() }
}
