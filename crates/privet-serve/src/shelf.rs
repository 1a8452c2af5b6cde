//! Tables that were read, kept for the next page: at most so many bytes of all projects together, and one table is read at a time.
//!
//! The table that was used last is always kept, so what is held is at most the larger of the limit and one table, which the reader limits.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::project::Read;

/// Bytes that are held of all tables together.
const MOST: u64 = 512 << 20;

/// Tables by the folder of their project and the `[input]` section that they were read by.
pub(crate) struct Shelf<T = Read> {
    most: u64,
    /// The one that was used last comes last.
    held: Mutex<Vec<Held<T>>>,
    /// Held while a table is read: two at once would need the memory of two.
    reading: Mutex<()>,
}

struct Held<T> {
    folder: PathBuf,
    section: String,
    bytes: u64,
    table: Arc<T>,
}

impl<T> Shelf<T> {
    pub fn new() -> Self {
        Self::of(MOST)
    }

    fn of(most: u64) -> Self {
        Self { most, held: Mutex::new(Vec::new()), reading: Mutex::new(()) }
    }

    fn held(&self) -> MutexGuard<'_, Vec<Held<T>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, folder: &Path, section: &str) -> Option<Arc<T>> {
        let mut held = self.held();
        let place = held.iter().position(|own| own.folder == folder && own.section == section)?;
        let own = held.remove(place);
        let table = Arc::clone(&own.table);
        held.push(own);
        Some(table)
    }

    /// The table of a project as a section says, read where it is not held; `read` gives it with its size in bytes.
    pub fn table(
        &self,
        folder: &Path,
        section: &str,
        read: impl FnOnce() -> Result<(T, u64), String>,
    ) -> Result<Arc<T>, String> {
        if let Some(table) = self.find(folder, section) {
            return Ok(table);
        }
        let _one_at_a_time = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have read it meanwhile.
        if let Some(table) = self.find(folder, section) {
            return Ok(table);
        }
        // A project has one table: the one that was read in another way goes first.
        self.forget(folder);
        let (table, bytes) = read()?;
        let table = Arc::new(table);
        let mut held = self.held();
        held.push(Held {
            folder: folder.to_owned(),
            section: section.to_owned(),
            bytes,
            table: Arc::clone(&table),
        });
        while held.len() > 1 && held.iter().map(|own| own.bytes).sum::<u64>() > self.most {
            held.remove(0);
        }
        Ok(table)
    }

    /// Forgets the table of a project.
    pub fn forget(&self, folder: &Path) {
        self.held().retain(|own| own.folder != folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_projects_hold_no_more_than_the_limit() {
        let shelf: Shelf<usize> = Shelf::of(100);
        let read = |project: usize, bytes: u64| {
            let mut was_read = false;
            let folder = PathBuf::from(format!("p{project}"));
            let table = shelf.table(&folder, "input", || {
                was_read = true;
                Ok((project, bytes))
            });
            assert_eq!(*table.unwrap(), project);
            was_read
        };
        let bytes = || shelf.held().iter().map(|own| own.bytes).sum::<u64>();
        for project in 0..20 {
            assert!(read(project, 30));
            assert!(bytes() <= 100);
        }
        assert!(!read(19, 30) && !read(18, 30) && !read(17, 30), "the last three are held");
        assert!(read(0, 30), "the first one is not");
        assert!(!read(17, 30) && read(16, 30) && !read(17, 30), "what was used last stays");
        // One that is larger than the limit is held by itself.
        assert!(read(50, 500) && !read(50, 500));
        assert_eq!(bytes(), 500);
        shelf.forget(Path::new("p50"));
        assert_eq!(bytes(), 0);
    }

    #[test]
    fn a_table_that_is_read_in_another_way_takes_the_place_of_the_old_one() {
        let shelf: Shelf<u8> = Shelf::of(100);
        let folder = Path::new("p");
        assert_eq!(*shelf.table(folder, "a", || Ok((1, 10))).unwrap(), 1);
        assert!(shelf.table(folder, "b", || Err("broken".to_owned())).is_err());
        assert_eq!(*shelf.table(folder, "b", || Ok((2, 10))).unwrap(), 2);
        assert_eq!(shelf.held().len(), 1);
    }
}
