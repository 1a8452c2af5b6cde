//! Baskets from a table of pairs: a person, an item, and nothing else that is kept. A time may say which pairs count.
//!
//! The rows may stand in any order. Persons and items are compared exactly; their codes follow the canonical order of the
//! texts. Persons leave with the reader: a basket is known by its place alone.

use std::ops::ControlFlow;
use std::path::Path;

use privet_data::io::{self, ReadOptions};
use privet_data::{Column, Domain, Progress};
use rayon::prelude::*;

use super::{USUAL_MOST_ITEMS, column, refuse_missing};
use crate::{Baskets, Catalogue, SetData, SetsError};

/// How pairs are to be read.
#[derive(Debug, Clone)]
pub struct PairOptions {
    /// The column of the person; the first unless named.
    pub person: Option<String>,
    /// The column of the item; the second unless named.
    pub item: Option<String>,
    /// The column of the time and the span whose pairs count; all pairs unless given.
    pub span: Option<Span>,
    /// The most items of a basket.
    pub most_items: usize,
    /// How the table is to be read.
    pub read: ReadOptions,
}

/// A span of time: pairs outside of it are not read, and people without a pair in it have no basket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The column of the time.
    pub time: String,
    /// The first second that counts; from the beginning unless given.
    pub from: Option<i64>,
    /// The first second that counts no more; to the end unless given.
    pub until: Option<i64>,
}

impl Span {
    fn holds(&self, second: i64) -> bool {
        self.from.is_none_or(|from| from <= second) && self.until.is_none_or(|until| second < until)
    }
}

impl Default for PairOptions {
    fn default() -> Self {
        Self {
            person: None,
            item: None,
            span: None,
            most_items: USUAL_MOST_ITEMS,
            read: ReadOptions::default(),
        }
    }
}

const NEEDED: &str = "a table of pairs needs two columns, one for the person and one for the item";

/// Reads pairs of person and item.
///
/// # Errors
/// When the table cannot be read, a person, an item or a time is missing, or a basket has more items than are accepted.
pub fn read_pairs(path: &Path, options: &PairOptions, progress: &dyn Progress) -> Result<SetData, SetsError> {
    let mut entries: Vec<Vec<u32>> = Vec::new();
    let reading = ReadOptions {
        columns: options.person.clone().zip(options.item.clone()).map(|(person, item)| {
            [person, item].into_iter().chain(options.span.as_ref().map(|own| own.time.clone())).collect()
        }),
        ..options.read.clone().exactly()
    };
    let input = io::stream(path, &reading, progress, &mut |_, columns| {
        entries.resize_with(columns.len(), Vec::new);
        for (all, own) in entries.iter_mut().zip(columns) {
            all.extend_from_slice(own);
        }
        ControlFlow::Continue(())
    })?;
    let columns = &input.table.columns;
    entries.resize_with(columns.len(), Vec::new);
    let (at_person, person) = column(path, columns, options.person.as_deref(), 0, NEEDED)?;
    let (at_item, item) = column(path, columns, options.item.as_deref(), 1, NEEDED)?;
    let (persons, items) = (&entries[at_person], &entries[at_item]);
    refuse_missing(path, "person", person, persons)?;
    refuse_missing(path, "item", item, items)?;
    progress.check()?;
    let (persons_missing, items_missing) = (person.domain.missing(), item.domain.missing());
    let code = |column: &Column, entry: u32, missing: u32| u64::from(column.codes[entry as usize] - missing);
    let counts = options.span.as_ref().map(|own| counting(path, columns, &entries, own)).transpose()?;
    let is_counted = |row: usize| counts.as_ref().is_none_or(|own| own[row]);
    let mut pairs: Vec<u64> = (persons.par_iter().zip(items).enumerate())
        .filter(|(row, _)| is_counted(*row))
        .map(|(_, (&who, &what))| code(person, who, persons_missing) << 32 | code(item, what, items_missing))
        .collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    progress.check()?;
    let mut count = person.domain.len() - persons_missing as usize;
    if counts.is_some() {
        // Who has no pair in the span is nobody of this table: people are numbered anew.
        let (mut before, mut next) = (None, 0u64);
        for pair in &mut pairs {
            let (who, what) = (*pair >> 32, *pair & u64::from(u32::MAX));
            next += u64::from(before.is_some_and(|own| own != who));
            before = Some(who);
            *pair = next << 32 | what;
        }
        count = before.map_or(0, |_| next as usize + 1);
    }
    let baskets = Baskets::from_sorted_pairs(&pairs, count);
    if baskets.iter().any(|basket| basket.len() > options.most_items) {
        let at = path.display().to_string();
        return Err(SetsError::BasketTooLarge { at, most: options.most_items });
    }
    Ok(SetData { baskets, items: Catalogue::public(present(&item.domain)) })
}

/// Per row whether its time lies in the span.
fn counting(
    path: &Path,
    columns: &[Column],
    entries: &[Vec<u32>],
    span: &Span,
) -> Result<Vec<bool>, SetsError> {
    let (at, times) = column(path, columns, Some(&span.time), 2, NEEDED)?;
    refuse_missing(path, "time", times, &entries[at])?;
    let seconds = super::log::moments(path, times, &entries[at])?;
    Ok(seconds.into_iter().map(|own| span.holds(own)).collect())
}

/// The texts of a domain that are not missing.
pub(super) fn present(domain: &Domain) -> Vec<Box<str>> {
    domain.texts()[domain.missing() as usize..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    fn read(text: &str, options: &PairOptions) -> Result<SetData, SetsError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.csv");
        std::fs::write(&path, text).unwrap();
        read_pairs(&path, options, &Silent)
    }

    #[test]
    fn pairs_become_baskets() {
        let text = "who,what,when\n10,milk,1\n9,beer,2\n10,beer,3\n10,milk,4\n";
        let data = read(text, &PairOptions::default()).unwrap();
        assert_eq!(data.baskets.iter().collect::<Vec<_>>(), [&[0][..], &[0, 1]]);
        assert_eq!(&*data.items.labels[0], "beer");
        let named =
            PairOptions { person: Some("what".into()), item: Some("who".into()), ..PairOptions::default() };
        assert_eq!(read(text, &named).unwrap().baskets.iter().collect::<Vec<_>>(), [&[0, 1][..], &[1]]);
    }

    #[test]
    fn only_the_pairs_of_the_span_count() {
        let text = "who,what,when\na,milk,2024-01-31\nb,beer,2024-02-01\nb,milk,2024-02-29T23:59\nc,milk,2024-03-01\nd,beer,2024-02-02\n";
        let month = |from: &str, until: &str| PairOptions {
            span: Some(Span {
                time: "when".into(),
                from: crate::seconds_of(from),
                until: crate::seconds_of(until),
            }),
            ..PairOptions::default()
        };
        let data = read(text, &month("2024-02-01", "2024-03-01")).unwrap();
        assert_eq!(data.baskets.iter().collect::<Vec<_>>(), [&[0, 1][..], &[0]], "b and d, and nobody else");
        assert_eq!(read(text, &month("2025-01-01", "2026-01-01")).unwrap().baskets.len(), 0);
        let soon = read("who,what,when\na,milk,soon\n", &month("2024-02-01", "2024-03-01")).unwrap_err();
        assert!(matches!(soon, SetsError::Times { .. }) && !soon.to_string().contains("soon"), "{soon}");
    }

    #[test]
    fn what_is_missing_is_refused() {
        let missing = read("who,what\n1,\n,a\n,b\n", &PairOptions::default()).unwrap_err();
        assert!(missing.to_string().contains("2 rows have no person"), "{missing}");
        assert!(matches!(read("who\n1\n", &PairOptions::default()), Err(SetsError::Columns { .. })));
        let unknown = PairOptions { item: Some("x".into()), ..PairOptions::default() };
        assert!(matches!(read("who,what\n1,a\n", &unknown), Err(SetsError::UnknownColumn { .. })));
        let small = PairOptions { most_items: 1, ..PairOptions::default() };
        assert!(matches!(read("who,what\n1,a\n1,b\n", &small), Err(SetsError::BasketTooLarge { .. })));
    }
}
