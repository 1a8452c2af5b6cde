//! Records that are read in passes, a chunk at a time, for tables that memory does not hold.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, Write};
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
            each(&Chunk { first, rows: end - first, quasi: &quasi, sensitive: &sensitive })?;
        }
        Ok(())
    }
}

/// Records in a temporary file that is removed when this is dropped. It holds codes, four bytes for each, and no value
/// of the table; whoever has the domains can still read it, so it belongs into a folder that nobody else reads.
#[derive(Debug)]
pub struct Spilled {
    path: PathBuf,
    file: File,
    /// The records of each chunk that was written.
    chunks: Vec<usize>,
    quasi: usize,
    sensitive: usize,
}

impl Spilled {
    /// Writes all records of a source into a new file in a folder.
    ///
    /// # Errors
    /// When the file cannot be written, or the source has an error.
    pub fn write(source: &mut dyn Chunks, folder: &Path) -> Result<Self, SearchError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("privet-{}-{number}.codes", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(|error| temporary("created", &error))?;
        // From here on the file is removed whatever happens.
        let mut spilled = Self { path, file, chunks: Vec::new(), quasi: 0, sensitive: 0 };
        let Self { file, chunks, quasi, sensitive, .. } = &mut spilled;
        let mut writer = BufWriter::new(file);
        source.pass(&mut |chunk| {
            chunks.push(chunk.rows);
            (*quasi, *sensitive) = (chunk.quasi.len(), chunk.sensitive.len());
            for code in chunk.quasi.iter().chain(chunk.sensitive).flat_map(|codes| codes.iter()) {
                writer.write_all(&code.to_le_bytes()).map_err(|error| temporary("written", &error))?;
            }
            Ok(())
        })?;
        writer.flush().map_err(|error| temporary("written", &error))?;
        drop(writer);
        Ok(spilled)
    }
}

impl Chunks for Spilled {
    fn pass(
        &mut self,
        each: &mut dyn FnMut(&Chunk<'_>) -> Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        let failed = |error: std::io::Error| temporary("read", &error);
        self.file.rewind().map_err(failed)?;
        let mut reader = BufReader::new(&self.file);
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); self.quasi + self.sensitive];
        let mut first = 0;
        for &rows in &self.chunks {
            for column in &mut columns {
                column.clear();
                for _ in 0..rows {
                    let mut code = [0; 4];
                    reader.read_exact(&mut code).map_err(failed)?;
                    column.push(u32::from_le_bytes(code));
                }
            }
            let all: Vec<&[u32]> = columns.iter().map(|column| &column[..]).collect();
            let (quasi, sensitive) = all.split_at(self.quasi);
            each(&Chunk { first, rows, quasi, sensitive })?;
            first += rows;
        }
        Ok(())
    }
}

impl Drop for Spilled {
    fn drop(&mut self) {
        // Nobody is left to be told of a failure.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn temporary(done: &'static str, error: &std::io::Error) -> SearchError {
    SearchError::Temporary { done, kind: error.kind() }
}
