//! Queries with how many people asked each: a table that somebody already counted, such as a public list of popular queries.
//!
//! Rows with the same query are added up, so a list by day or by country may be read as it is. Queries are made small and freed of
//! needless blanks, as in a log.

use std::path::Path;

use foldhash::HashMap;
use privet_data::Progress;
use privet_data::io::{self, ReadOptions};

use super::{column, refuse_missing};
use crate::SetsError;

/// Queries and how many people asked each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryList {
    /// The queries in the order of their texts.
    pub texts: Vec<Box<str>>,
    /// Per query how many people asked it.
    pub people: Vec<u64>,
}

const NEEDED: &str =
    "a list of queries needs two columns, one for the query and one for the number of people";

/// Reads a list of queries; the first two columns unless they are named.
///
/// # Errors
/// When the table cannot be read, a query is missing, or a number is not a whole number from 0 to 2^53.
pub fn read_counts(
    path: &Path,
    query: Option<&str>,
    count: Option<&str>,
    progress: &dyn Progress,
) -> Result<QueryList, SetsError> {
    let table = io::read(path, &ReadOptions::default().exactly(), progress)?.table;
    let all: Vec<u32> = (0..table.rows as u32).collect();
    let (_, queries) = column(path, &table.columns, query, 0, NEEDED)?;
    let (_, counts) = column(path, &table.columns, count, 1, NEEDED)?;
    refuse_missing(path, "query", queries, &all)?;
    refuse_missing(path, "number of people", counts, &all)?;
    let number = |text: &str| text.trim().parse::<u64>().ok().filter(|own| *own <= 1 << 53);
    let of_code: Vec<Option<u64>> = counts.domain.texts().iter().map(|text| number(text)).collect();
    let wrong = counts.codes.iter().filter(|&&code| of_code[code as usize].is_none()).count() as u64;
    if wrong > 0 {
        return Err(SetsError::Counts { path: path.to_owned(), rows: wrong });
    }
    progress.check()?;
    let mut people: HashMap<Box<str>, u64> = HashMap::default();
    for (&query, &count) in queries.codes.iter().zip(&counts.codes) {
        let text = super::log::normal(queries.domain.text(query));
        let sum = people.entry(text).or_default();
        *sum = sum.saturating_add(of_code[count as usize].unwrap_or_default());
    }
    let mut list: Vec<(Box<str>, u64)> = people.into_iter().collect();
    list.sort_unstable();
    let (texts, people) = list.into_iter().unzip();
    Ok(QueryList { texts, people })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    fn read(text: &str) -> Result<QueryList, SetsError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries.tsv");
        std::fs::write(&path, text).unwrap();
        read_counts(&path, Some("Query"), Some("Score"), &Silent)
    }

    #[test]
    fn rows_of_a_query_are_added() {
        let list = read("Day\tQuery\tScore\n1\tSars  Virus\t15\n2\tsars virus\t5\n2\tflu\t0\n").unwrap();
        assert_eq!(list.texts, ["flu", "sars virus"].map(Box::from));
        assert_eq!(list.people, [0, 20]);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let error = read("Day\tQuery\tScore\n1\tflu\tmany\n1\tflu\t-3\n").unwrap_err();
        assert!(error.to_string().contains("2 rows have no whole number of people"), "{error}");
        assert!(!error.to_string().contains("many"));
        assert!(matches!(read("Day\tQuery\tScore\n1\t\t3\n"), Err(SetsError::Missing { .. })));
    }
}
