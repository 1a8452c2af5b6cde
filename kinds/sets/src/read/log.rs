//! Search logs from tables: a person, a query, and optionally a time and a followed address.
//!
//! Queries keep their texts in the log's domain; equal texts are one query after blanks are trimmed and letters are made
//! small. Rows are ordered by person and time; without times, by person and place in the file.

use std::ops::ControlFlow;
use std::path::Path;

use foldhash::HashMap;
use privet_data::io::{self, ReadOptions};
use privet_data::{Column, Progress};
use rayon::prelude::*;

use super::{column, refuse_missing, seconds_of};
use crate::SetsError;
use crate::log::{Log, NONE};

/// How a search log is to be read.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// The column of the person; the first unless named.
    pub person: Option<String>,
    /// The column of the query; the second unless named.
    pub query: Option<String>,
    /// The column of the time, where there is one.
    pub time: Option<String>,
    /// The column of the address that was followed, where there is one.
    pub click: Option<String>,
    /// How the table is to be read.
    pub read: ReadOptions,
}

const NEEDED: &str = "a search log needs two columns, one for the person and one for the query";

/// Reads a search log.
///
/// # Errors
/// When the table cannot be read, a person or a query is missing, or a time is none.
pub fn read_log(path: &Path, options: &LogOptions, progress: &dyn Progress) -> Result<Log, SetsError> {
    let mut entries: Vec<Vec<u32>> = Vec::new();
    let named = options.person.clone().zip(options.query.clone());
    let reading = ReadOptions {
        columns: named.map(|(person, query)| {
            [Some(person), Some(query), options.time.clone(), options.click.clone()]
                .into_iter()
                .flatten()
                .collect()
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
    let (at_query, query) = column(path, columns, options.query.as_deref(), 1, NEEDED)?;
    refuse_missing(path, "person", person, &entries[at_person])?;
    refuse_missing(path, "query", query, &entries[at_query])?;
    let users: Vec<u32> = codes(person, &entries[at_person]);
    let (query_texts, query_of) = normalized(query);
    let queries: Vec<u32> = entries[at_query].par_iter().map(|&entry| query_of[entry as usize]).collect();
    progress.check()?;
    let times = match options.time.as_deref() {
        None => None,
        Some(name) => {
            let (at, times) = column(path, columns, Some(name), 2, NEEDED)?;
            refuse_missing(path, "time", times, &entries[at])?;
            Some(moments(path, times, &entries[at])?)
        }
    };
    let (clicks, addresses) = match options.click.as_deref() {
        None => (None, Vec::new()),
        Some(name) => {
            let (at, clicked) = column(path, columns, Some(name), 3, NEEDED)?;
            let missing = clicked.domain.missing();
            let of_entry: Vec<u32> =
                clicked.codes.iter().map(|&code| code.checked_sub(missing).unwrap_or(NONE)).collect();
            let clicks = entries[at].par_iter().map(|&entry| of_entry[entry as usize]).collect();
            (Some(clicks), super::pairs::present(&clicked.domain))
        }
    };
    drop(entries);
    Log::new(users, queries, times, clicks, query_texts, addresses)
}

fn codes(column: &Column, entries: &[u32]) -> Vec<u32> {
    let missing = column.domain.missing();
    entries.par_iter().map(|&entry| column.codes[entry as usize] - missing).collect()
}

/// A query in small letters, with one blank between two words.
pub(super) fn normal(text: &str) -> Box<str> {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ").into_boxed_str()
}

/// The distinct queries in the order of their texts, and per entry its query.
fn normalized(column: &Column) -> (Vec<Box<str>>, Vec<u32>) {
    let of_entry: Vec<Box<str>> =
        column.codes.par_iter().map(|&code| normal(column.domain.text(code))).collect();
    let mut texts = of_entry.clone();
    texts.par_sort_unstable();
    texts.dedup();
    let number: HashMap<&str, u32> = texts.iter().map(|text| &**text).zip(0..).collect();
    let queries = of_entry.iter().map(|text| number[&**text]).collect();
    (texts, queries)
}

/// Per row the second that its time names.
pub(super) fn moments(path: &Path, column: &Column, entries: &[u32]) -> Result<Vec<i64>, SetsError> {
    let of_entry: Vec<Option<i64>> =
        column.codes.par_iter().map(|&code| seconds_of(column.domain.text(code))).collect();
    match of_entry.iter().filter(|time| time.is_none()).count() as u64 {
        0 => Ok(entries.par_iter().map(|&entry| of_entry[entry as usize].unwrap_or_default()).collect()),
        values => Err(SetsError::Times { path: path.to_owned(), values }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    fn read(text: &str) -> Result<Log, SetsError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.csv");
        std::fs::write(&path, text).unwrap();
        let options =
            LogOptions { time: Some("time".into()), click: Some("url".into()), ..LogOptions::default() };
        read_log(&path, &options, &Silent)
    }

    #[test]
    fn rows_are_ordered_by_person_and_time() {
        let log = read("user,query,time,url\nb,Tax  SSN,20,\na,x,30,u\nb,tax ssn,10,v\na,y,5,\n").unwrap();
        assert_eq!((log.people(), log.rows()), (2, 4));
        assert_eq!(log.queries_of(0), [2, 1]);
        assert_eq!(log.queries_of(1), [0, 0]);
        assert_eq!(log.query_text(0), "tax ssn");
        assert_eq!(log.clicks().unwrap()[..2], [NONE, 0]);
    }

    #[test]
    fn times_that_are_none_are_refused() {
        let error = read("user,query,time,url\nb,q,soon,\nb,q,soon,\n").unwrap_err();
        assert!(error.to_string().contains("1 distinct times cannot be read"), "{error}");
        assert!(matches!(read("user,query,time,url\nb,,5,\n"), Err(SetsError::Missing { .. })));
    }
}
