//! Baskets from a table of pairs: a person, an item, and nothing else that is kept.
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
    /// The most items of a basket.
    pub most_items: usize,
    /// How the table is to be read.
    pub read: ReadOptions,
}

impl Default for PairOptions {
    fn default() -> Self {
        Self { person: None, item: None, most_items: USUAL_MOST_ITEMS, read: ReadOptions::default() }
    }
}

const NEEDED: &str = "a table of pairs needs two columns, one for the person and one for the item";

/// Reads pairs of person and item.
///
/// # Errors
/// When the table cannot be read, a person or an item is missing, or a basket has more items than are accepted.
pub fn read_pairs(path: &Path, options: &PairOptions, progress: &dyn Progress) -> Result<SetData, SetsError> {
    let mut entries: Vec<Vec<u32>> = Vec::new();
    let reading = ReadOptions {
        columns: options.person.clone().zip(options.item.clone()).map(|(person, item)| vec![person, item]),
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
    let mut pairs: Vec<u64> = persons
        .par_iter()
        .zip(items)
        .map(|(&who, &what)| code(person, who, persons_missing) << 32 | code(item, what, items_missing))
        .collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    progress.check()?;
    let count = person.domain.len() - persons_missing as usize;
    let baskets = Baskets::from_sorted_pairs(&pairs, count);
    if baskets.iter().any(|basket| basket.len() > options.most_items) {
        let at = path.display().to_string();
        return Err(SetsError::BasketTooLarge { at, most: options.most_items });
    }
    Ok(SetData { baskets, items: Catalogue::public(present(&item.domain)) })
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
