//! Sessions instead of histories (Adar 2007; survey AP-10): the rows of a person are cut, and nothing tells which sessions were one
//! person's.
//!
//! A cut falls where the next query comes too late, or where its words have too little in common with those of the session so far.
//! Adar calls the second the safer one: a session then speaks of one thing. *Guarantee*: none. A session can name its person by
//! itself, and rare habits join sessions again.

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use super::{Log, tokens_of};
use crate::SetsError;
use crate::error::require;

/// Where sessions are cut. At least one of both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case", default)]
pub struct Splitting {
    /// A pause of more seconds ends a session.
    pub gap_seconds: Option<i64>,
    /// A query whose words overlap less with the session (shared words over words of the query) begins another.
    pub least_similarity: Option<f64>,
}

/// A log of sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct Sessions {
    /// The rows, each session a person of its own, in an order that says nothing; without times.
    pub log: Log,
    /// Per session the person it came from. Never published.
    pub person_of: Vec<u32>,
}

/// Cuts histories into sessions.
///
/// # Errors
/// When nothing says where to cut, or gaps are asked for and the log has no times.
pub fn split_sessions(log: &Log, splitting: Splitting) -> Result<Sessions, SetsError> {
    let Splitting { gap_seconds, least_similarity } = splitting;
    require(gap_seconds.is_some() || least_similarity.is_some(), "sessions", "a gap, a similarity, or both")?;
    require(gap_seconds.is_none_or(|gap| gap >= 0), "gap-seconds", "0 or more")?;
    require(
        least_similarity.is_none_or(|own| (0.0..=1.0).contains(&own)),
        "least-similarity",
        "from 0 to 1",
    )?;
    require(gap_seconds.is_none() || log.times().is_some(), "gap-seconds", "used on logs with times only")?;
    let words: Vec<Vec<&str>> = match least_similarity {
        Some(_) => log.texts().iter().map(|text| tokens_of(text).collect()).collect(),
        None => Vec::new(),
    };
    let mut sessions: Vec<(u32, std::ops::Range<usize>)> = Vec::new();
    for person in 0..log.people() {
        let rows = log.rows_of(person);
        let (mut start, mut known) = (rows.start, HashSet::<&str>::default());
        for row in rows.clone() {
            let late = row > start
                && gap_seconds.zip(log.times()).is_some_and(|(gap, times)| times[row] - times[row - 1] > gap);
            let query = log.queries()[row] as usize;
            let strange = row > start
                && least_similarity.is_some_and(|least| {
                    let shared = words[query].iter().filter(|word| known.contains(**word)).count();
                    (shared as f64) < least * words[query].len().max(1) as f64
                });
            if late || strange {
                sessions.push((person as u32, start..row));
                (start, known) = (row, HashSet::default());
            }
            if least_similarity.is_some() {
                known.extend(&words[query]);
            }
        }
        if start < rows.end {
            sessions.push((person as u32, start..rows.end));
        }
    }
    // By content: neither the order of people nor that of time is kept between sessions.
    let content = |rows: &std::ops::Range<usize>| {
        (&log.queries()[rows.clone()], log.clicks().map(|own| &own[rows.clone()]))
    };
    sessions.sort_by(|a, b| content(&a.1).cmp(&content(&b.1)));
    let (mut users, mut queries) = (Vec::with_capacity(log.rows()), Vec::with_capacity(log.rows()));
    let mut clicks = log.clicks().map(|_| Vec::with_capacity(log.rows()));
    for (number, (_, rows)) in sessions.iter().enumerate() {
        for row in rows.clone() {
            users.push(number as u32);
            queries.push(log.queries()[row]);
            if let (Some(all), Some(own)) = (&mut clicks, log.clicks()) {
                all.push(own[row]);
            }
        }
    }
    let person_of = sessions.iter().map(|(person, _)| *person).collect();
    let log = Log::new(users, queries, None, clicks, log.texts().to_vec(), log.addresses().to_vec())?;
    Ok(Sessions { log, person_of })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::search_log;

    /// FX-7.1, person 2: two queries within two minutes, then a pause of two days.
    #[test]
    fn fixture_by_time() {
        let log = search_log();
        let split =
            split_sessions(&log, Splitting { gap_seconds: Some(1800), ..Splitting::default() }).unwrap();
        let count = |person: u32| split.person_of.iter().filter(|own| **own == person).count();
        assert_eq!([count(0), count(1), count(2)], [1, 4, 2]);
        assert_eq!((split.log.rows(), split.log.times()), (8, None));
    }

    #[test]
    fn fixture_by_similarity() {
        let log = search_log();
        let both = Splitting { gap_seconds: None, least_similarity: Some(0.5) };
        let split = split_sessions(&log, both).unwrap();
        assert_eq!(split.person_of.len(), 7);
        let longest = (0..split.log.people()).map(|own| split.log.queries_of(own).len()).max();
        assert_eq!(longest, Some(2)); // the restaurant, asked twice
        assert!(split_sessions(&log, Splitting::default()).is_err());
        let untimed = Log::new(vec![0], vec![0], None, None, vec!["a".into()], Vec::new()).unwrap();
        assert!(
            split_sessions(&untimed, Splitting { gap_seconds: Some(1), ..Splitting::default() }).is_err()
        );
    }
}
