//! The linking attack (survey AT-01): whoever has a list of people with names and the columns that a release shares with
//! it looks up which published records may be whose.
//!
//! A person may be a record when every published label covers the person's value. **Guarantee.** [`link`] finds exactly
//! the pairs that comparing every person with every record would find ([`matches()`] is that comparison), whatever the
//! labels: overlapping ranges, `*`, labels that cover nothing, values that no label knows. The result does not depend on
//! the number of threads.
//!
//! People are looked up once per *tuple*: values that the labels of the release do not tell apart are one. Where
//! no two labels of a column overlap (full-domain recoding) the values of a person tell the labels, and people and
//! records are joined by one hash table in linear time (`tuples.rs`). Otherwise the sorted tuples of people are walked
//! through an index of the published ones (`overlap.rs`).
//!
//! | file | |
//! | --- | --- |
//! | `columns` | labels that occur, and which of them a value may carry |
//! | `tuples` | tuples of codes as dense numbers |
//! | `overlap`, `trie`, `boxes`, `bits` | the search when labels overlap, and its three indexes |
//! | `several` | whether anybody may be in more than one group |
//! | `links` | what was found |

mod bits;
mod boxes;
mod columns;
mod links;
mod overlap;
mod several;
mod trie;
mod tuples;

use privet_data::{Cancelled, Coverage, Progress, Silent};
use rayon::prelude::*;

pub use links::{Candidate, Links};
pub use several::fits_several;

use columns::Column;
pub(crate) use tuples::Keys;

/// A value that the adversary has and the release knows nothing of: only labels that cover every value may stand for it.
pub const UNKNOWN: u32 = u32::MAX;

/// What is published: per shared column the label of each record, and who is with whom.
#[derive(Debug, Clone)]
pub struct Released<'a> {
    /// Per column the label of each record.
    pub labels: Vec<&'a [u32]>,
    /// Per column which values each label may stand for.
    pub coverage: Vec<&'a Coverage>,
    /// The group (class or bucket) of each record; any numbers.
    pub groups: &'a [u32],
}

/// What the adversary has: per shared column the value of each person.
#[derive(Debug, Clone)]
pub struct People<'a> {
    /// Per column the value of each person, as a code of the domain of its coverage; [`UNKNOWN`] for any other value.
    pub values: Vec<&'a [u32]>,
    /// How many people there are.
    pub count: usize,
}

/// Why people and records cannot be linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The columns do not correspond.
    #[error(
        "the release has {labels} shared columns, {coverage} lists of what labels cover, and the people have {values} \
         columns; all three must be the same"
    )]
    Columns {
        /// Columns of labels.
        labels: usize,
        /// Coverages.
        coverage: usize,
        /// Columns of values.
        values: usize,
    },
    /// A column is longer or shorter than the table.
    #[error("shared column {column} of {table} has {found} rows; {expected} are expected")]
    Rows {
        /// Which table.
        table: &'static str,
        /// The position of the column.
        column: usize,
        /// Its length.
        found: usize,
        /// The length of the table.
        expected: usize,
    },
    /// More rows than can be numbered.
    #[error("{table} has {rows} rows; at most 2147483647 can be linked at once")]
    TooManyRows {
        /// Which table.
        table: &'static str,
        /// Its rows.
        rows: usize,
    },
    /// The result would not fit.
    #[error(
        "more than {most} pairs of a tuple and a group are candidates; raise the limit, share more columns, or link \
         fewer people at a time"
    )]
    TooManyCandidates {
        /// The limit.
        most: usize,
    },
    /// The person asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl From<Cancelled> for LinkError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// The limit of [`link`] for pairs of a tuple and a group: 1 GiB of them.
pub const MOST_CANDIDATES: usize = 1 << 27;

/// Links people to the records that they may be.
///
/// # Errors
/// When columns do not correspond, or there are more than [`MOST_CANDIDATES`] candidates.
pub fn link(released: &Released<'_>, people: &People<'_>) -> Result<Links, LinkError> {
    link_at_most(released, people, MOST_CANDIDATES)
}

/// Links people to the records that they may be, with another limit.
///
/// # Errors
/// When columns do not correspond, or there are more than `most` pairs of a tuple and a group.
pub fn link_at_most(released: &Released<'_>, people: &People<'_>, most: usize) -> Result<Links, LinkError> {
    link_watched(released, people, most, &Silent)
}

/// Links people to the records that they may be, until the person asks to stop.
///
/// # Errors
/// As [`link_at_most`], and when the person asks to stop.
pub fn link_watched(
    released: &Released<'_>,
    people: &People<'_>,
    most: usize,
    progress: &dyn Progress,
) -> Result<Links, LinkError> {
    check(released, people)?;
    let columns: Vec<Column<'_>> = released
        .labels
        .par_iter()
        .zip(&released.coverage)
        .map(|(labels, coverage)| Column::new(labels, coverage))
        .collect();
    if columns.iter().all(Column::is_function) {
        join(&columns, released, people, most)
    } else {
        overlap::search(&columns, released, people, most, (overlap::Choice::Better, progress))
    }
}

/// Whether a person may be a record, from the definition.
pub fn matches(released: &Released<'_>, record: usize, people: &People<'_>, person: usize) -> bool {
    released.labels.iter().zip(&released.coverage).zip(&people.values).all(|((labels, coverage), values)| {
        match (labels.get(record), values.get(person)) {
            (Some(&label), Some(&value)) => coverage.contains(label, value),
            _ => false,
        }
    })
}

/// A value tells its label: records and people are numbered together, and equal numbers match.
fn join(
    columns: &[Column<'_>],
    released: &Released<'_>,
    people: &People<'_>,
    most: usize,
) -> Result<Links, LinkError> {
    let records = released.groups.len();
    let mut keys = Keys::new(records + people.count);
    for (i, column) in columns.iter().enumerate() {
        // One number more, for values without a label: no record has it.
        let none = column.labels();
        let of_records = released.labels[i].par_iter().map(|&label| column.local(label));
        let of_people = people.values[i]
            .par_iter()
            .map(|&value| column.labels_of(value).first().copied().unwrap_or(none));
        keys.push(of_records.chain(of_people), u64::from(none) + 1);
    }
    let (tuple_of, _) = keys.finish();
    let (published, persons) = tuple_of.split_at(records);
    let groups = links::GroupsOfTuples::new(published, released.groups);
    // The tuples of people, in the order in which people have them.
    const NEW: u32 = u32::MAX;
    let mut number = vec![NEW; tuple_of.iter().max().map_or(0, |&last| last as usize + 1)];
    let mut tuple_of_person = Vec::with_capacity(persons.len());
    let (mut starts, mut candidates) = (vec![0], Vec::new());
    for &tuple in persons {
        let place = &mut number[tuple as usize];
        if *place == NEW {
            *place = starts.len() as u32 - 1;
            candidates.extend_from_slice(groups.of(tuple));
            starts.push(candidates.len());
            if candidates.len() > most {
                return Err(LinkError::TooManyCandidates { most });
            }
        }
        tuple_of_person.push(*place);
    }
    Ok(Links::new(tuple_of_person, starts, candidates))
}

pub(crate) fn check(released: &Released<'_>, people: &People<'_>) -> Result<(), LinkError> {
    let (labels, coverage, values) = (released.labels.len(), released.coverage.len(), people.values.len());
    if labels != coverage || labels != values {
        return Err(LinkError::Columns { labels, coverage, values });
    }
    let tables = [
        ("the release", &released.labels, released.groups.len()),
        ("the list of people", &people.values, people.count),
    ];
    for (table, columns, expected) in tables {
        if expected > i32::MAX as usize {
            return Err(LinkError::TooManyRows { table, rows: expected });
        }
        for (column, codes) in columns.iter().enumerate() {
            if codes.len() != expected {
                return Err(LinkError::Rows { table, column, found: codes.len(), expected });
            }
        }
    }
    Ok(())
}
