//! Sets and logs from files: one basket per line, pairs of person and item, the rows of a search log, or queries that were counted.

mod counts;
mod lines;
mod log;
mod pairs;
mod times;

pub use counts::{QueryList, read_counts};
pub use lines::{LineOptions, read_lines};
pub use log::{LogOptions, read_log};
pub use pairs::{PairOptions, Span, read_pairs};
pub use times::seconds_of;

/// The most items of a basket unless something else is set. The longest real baskets have some thousands.
pub const USUAL_MOST_ITEMS: usize = 100_000;

use std::path::Path;

use privet_data::Column;

use crate::SetsError;

/// The column with a name, or the one at a place.
fn column<'a>(
    path: &Path,
    columns: &'a [Column],
    name: Option<&str>,
    place: usize,
    needed: &'static str,
) -> Result<(usize, &'a Column), SetsError> {
    let found = match name {
        Some(name) => columns.iter().enumerate().find(|(_, column)| column.name == name),
        None => columns.iter().enumerate().nth(place),
    };
    found.ok_or_else(|| match name {
        Some(name) => SetsError::UnknownColumn { path: path.to_owned(), name: name.to_owned() },
        None => SetsError::Columns { path: path.to_owned(), needed },
    })
}

/// Refuses missing cells, of entries that stand for codes.
fn refuse_missing(
    path: &Path,
    what: &'static str,
    column: &Column,
    entries: &[u32],
) -> Result<(), SetsError> {
    let missing =
        entries.iter().filter(|&&entry| column.domain.is_missing(column.codes[entry as usize])).count();
    match missing as u64 {
        0 => Ok(()),
        rows => Err(SetsError::Missing { path: path.to_owned(), what, rows }),
    }
}
