//! One name for each record of a table: the part that it is in. In memory, or in a temporary file when the table is too
//! large even for that.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::chunks::{Temporary, temporary};
use crate::groups::Groups;
use crate::lattice::SearchError;

/// Names that are gone through at once.
const WINDOW: usize = 1 << 14;

/// One name for each record.
#[derive(Debug)]
pub struct Names {
    rows: usize,
    store: Store,
}

#[derive(Debug)]
enum Store {
    Memory(Vec<u32>),
    File { file: Temporary, bytes: Vec<u8>, names: Vec<u32> },
}

impl Names {
    /// Names that are all 0, in memory: four bytes for each record.
    pub fn in_memory(rows: usize) -> Self {
        Self { rows, store: Store::Memory(vec![0; rows]) }
    }

    /// Names that are all 0, in a temporary file in a folder.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn in_file(folder: &Path, rows: usize) -> Result<Self, SearchError> {
        let file = Temporary::create(folder)?;
        file.file.set_len(4 * rows as u64).map_err(|error| temporary("written", &error))?;
        Ok(Self { rows, store: Store::File { file, bytes: Vec::new(), names: Vec::new() } })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Looks at the names of some records. They are kept as they were left when `look` says so.
    ///
    /// # Errors
    /// When the file cannot be read or written, or `look` has an error.
    pub fn look<E: From<SearchError>>(
        &mut self,
        first: usize,
        rows: usize,
        look: impl FnOnce(&mut [u32]) -> Result<bool, E>,
    ) -> Result<(), E> {
        let (first, rows) = (first.min(self.rows), rows.min(self.rows.saturating_sub(first)));
        match &mut self.store {
            Store::Memory(names) => look(&mut names[first..first + rows]).map(|_| ()),
            Store::File { file, bytes, names } => {
                let file = &mut file.file;
                let start = SeekFrom::Start(4 * first as u64);
                bytes.resize(4 * rows, 0);
                let read = file.seek(start).and_then(|_| file.read_exact(bytes));
                read.map_err(|error| temporary("read", &error))?;
                names.clear();
                names.extend(bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
                if look(names)? {
                    bytes.clear();
                    bytes.extend(names.iter().flat_map(|name| name.to_le_bytes()));
                    let written = file.seek(start).and_then(|_| file.write_all(bytes));
                    written.map_err(|error| temporary("written", &error))?;
                }
                Ok(())
            }
        }
    }

    /// Goes through all names, some at a time; `change` is told the first record of those at hand, and says whether it
    /// changed any.
    ///
    /// # Errors
    /// As [`look`](Self::look).
    pub fn change(
        &mut self,
        mut change: impl FnMut(usize, &mut [u32]) -> Result<bool, SearchError>,
    ) -> Result<(), SearchError> {
        for first in (0..self.rows).step_by(WINDOW) {
            self.look(first, WINDOW, |names| change(first, names))?;
        }
        Ok(())
    }

    /// All names as groups.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn into_groups(mut self, count: usize) -> Result<Groups, SearchError> {
        if let Store::Memory(of) = self.store {
            return Ok(Groups { of, count });
        }
        let mut of = Vec::with_capacity(self.rows);
        self.change(|_, names| {
            of.extend_from_slice(names);
            Ok(false)
        })?;
        Ok(Groups { of, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_memory_hold_the_same() {
        let rows = 2 * WINDOW + 17;
        let mut all = [Names::in_memory(rows), Names::in_file(&std::env::temp_dir(), rows).unwrap()].map(
            |mut names| {
                names
                    .change(|first, names| {
                        names.iter_mut().zip(first as u32..).for_each(|(name, record)| *name = record * 3);
                        Ok(first != WINDOW)
                    })
                    .unwrap();
                names
                    .look::<SearchError>(rows - 3, 3, |names| {
                        assert_eq!(names, [0, 1, 2].map(|i| 3 * (rows as u32 - 3 + i)));
                        names[1] = 7;
                        Ok(true)
                    })
                    .unwrap();
                names.look::<SearchError>(rows + 5, 3, |names| Ok(!names.is_empty())).unwrap();
                names
            },
        );
        // Memory keeps what it is given, asked to or not.
        all[0]
            .look::<SearchError>(WINDOW, WINDOW, |names| {
                Ok({
                    names.fill(0);
                    true
                })
            })
            .unwrap();
        let [memory, file] = all.map(|names| names.into_groups(1).unwrap());
        assert_eq!(memory, file);
        assert_eq!(memory.of[rows - 2], 7);
    }
}
