//! Search logs: what people asked, when, and what they followed; what endangers them and how such logs are published
//! (survey section 8.2).

pub mod cover;
mod detect;
mod hashing;
mod korolova;
mod session;
pub mod sketch;
mod stable;
mod threshold;
mod vectors;
mod zealous;

pub use detect::{Lexicon, Threat, Threats, detect};
pub use hashing::{HashedLog, TokenKey, hash_tokens, tokens_of};
pub use korolova::{Korolova, NoisyLog};
pub use session::{Sessions, Splitting, split_sessions};
pub use stable::{KeyCounts, PlannedThreshold, first_distinct};
pub use threshold::{QueryCounts, people_per_query, remove_infrequent};
pub use zealous::{Zealous, ZealousKind};

use rayon::prelude::*;

use crate::SetsError;

/// No click.
pub const NONE: u32 = u32::MAX;

/// A search log, its rows ordered by person and time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// Where the rows of each person begin.
    offsets: Vec<usize>,
    queries: Vec<u32>,
    times: Option<Vec<i64>>,
    clicks: Option<Vec<u32>>,
    texts: Vec<Box<str>>,
    addresses: Vec<Box<str>>,
}

impl Log {
    /// A log from rows in any order: per row the person, the query, the time in seconds, and the followed address or
    /// [`NONE`]; then the texts of queries and addresses.
    ///
    /// # Errors
    /// When the columns have different lengths, or a code lies beyond its texts.
    pub fn new(
        users: Vec<u32>,
        queries: Vec<u32>,
        times: Option<Vec<i64>>,
        clicks: Option<Vec<u32>>,
        texts: Vec<Box<str>>,
        addresses: Vec<Box<str>>,
    ) -> Result<Self, SetsError> {
        let rows = users.len();
        let even = queries.len() == rows
            && times.as_ref().is_none_or(|own| own.len() == rows)
            && clicks.as_ref().is_none_or(|own| own.len() == rows);
        crate::error::require(even, "the columns of a log", "of the same length")?;
        let beyond = queries.par_iter().any(|&query| query as usize >= texts.len())
            || clicks.iter().flatten().any(|&click| click != NONE && click as usize >= addresses.len());
        crate::error::require(!beyond, "the codes of a log", "below the number of their texts")?;
        let people = users.par_iter().max().map_or(0, |&user| user as usize + 1);
        let mut offsets = vec![0usize; people + 1];
        for &user in &users {
            offsets[user as usize + 1] += 1;
        }
        for person in 0..people {
            offsets[person + 1] += offsets[person];
        }
        let in_order = users.windows(2).all(|pair| pair[0] <= pair[1])
            && times.as_ref().is_none_or(|times| {
                (0..rows.saturating_sub(1))
                    .all(|row| users[row] != users[row + 1] || times[row] <= times[row + 1])
            });
        if in_order {
            return Ok(Self { offsets, queries, times, clicks, texts, addresses });
        }
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.par_sort_unstable_by_key(|&row| {
            let time = times.as_ref().map_or(0, |times| times[row as usize]);
            (users[row as usize], time, row)
        });
        let take = |column: &Vec<u32>| order.iter().map(|&row| column[row as usize]).collect::<Vec<_>>();
        Ok(Self {
            offsets,
            queries: take(&queries),
            times: times.map(|times| order.iter().map(|&row| times[row as usize]).collect()),
            clicks: clicks.as_ref().map(take),
            texts,
            addresses,
        })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.queries.len()
    }

    /// The number of people, those without a row below the last one included.
    pub fn people(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The rows of a person.
    pub fn rows_of(&self, person: usize) -> std::ops::Range<usize> {
        self.offsets[person]..self.offsets[person + 1]
    }

    /// The queries of a person in their order.
    pub fn queries_of(&self, person: usize) -> &[u32] {
        &self.queries[self.rows_of(person)]
    }

    /// The query of each row.
    pub fn queries(&self) -> &[u32] {
        &self.queries
    }

    /// The time of each row, in seconds since 1970, where it is known.
    pub fn times(&self) -> Option<&[i64]> {
        self.times.as_deref()
    }

    /// The followed address of each row, or [`NONE`], where clicks are known.
    pub fn clicks(&self) -> Option<&[u32]> {
        self.clicks.as_deref()
    }

    /// The distinct queries.
    pub fn texts(&self) -> &[Box<str>] {
        &self.texts
    }

    /// The distinct addresses.
    pub fn addresses(&self) -> &[Box<str>] {
        &self.addresses
    }

    /// The text of a query. Never put it into a message.
    pub fn query_text(&self, query: u32) -> &str {
        &self.texts[query as usize]
    }

    /// Per person the set of queries.
    pub fn baskets(&self) -> crate::Baskets {
        crate::Baskets::of((0..self.people()).map(|person| self.queries_of(person).iter().copied()))
    }

    /// The rows that fulfil a condition, of the same people.
    pub(crate) fn retain(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self {
            offsets: vec![0],
            queries: Vec::new(),
            times: self.times.as_ref().map(|_| Vec::new()),
            clicks: self.clicks.as_ref().map(|_| Vec::new()),
            texts: self.texts.clone(),
            addresses: self.addresses.clone(),
        };
        for person in 0..self.people() {
            for row in self.rows_of(person).filter(|&row| keep(row)) {
                kept.queries.push(self.queries[row]);
                if let (Some(all), Some(own)) = (&mut kept.times, &self.times) {
                    all.push(own[row]);
                }
                if let (Some(all), Some(own)) = (&mut kept.clicks, &self.clicks) {
                    all.push(own[row]);
                }
            }
            kept.offsets.push(kept.queries.len());
        }
        kept
    }
}

impl Log {
    /// Forgets followed addresses that fulfil a condition.
    pub(crate) fn drop_clicks(&mut self, drop: impl Fn(u32) -> bool) {
        for click in self.clicks.iter_mut().flatten() {
            if *click != NONE && drop(*click) {
                *click = NONE;
            }
        }
    }

    /// Without the texts that no row needs.
    pub(crate) fn compacted(self) -> Self {
        let (texts, queries) = used_only(self.texts, self.queries);
        let (addresses, clicks) = match self.clicks {
            None => (Vec::new(), None),
            Some(clicks) => {
                let (addresses, clicks) = used_only(self.addresses, clicks);
                (addresses, Some(clicks))
            }
        };
        Self { texts, queries, addresses, clicks, ..self }
    }
}

fn used_only(texts: Vec<Box<str>>, mut codes: Vec<u32>) -> (Vec<Box<str>>, Vec<u32>) {
    let mut number = vec![NONE; texts.len()];
    for &code in codes.iter().filter(|&&code| code != NONE) {
        number[code as usize] = 0;
    }
    let mut kept = Vec::new();
    for (text, number) in texts.into_iter().zip(&mut number) {
        if *number != NONE {
            *number = kept.len() as u32;
            kept.push(text);
        }
    }
    for code in codes.iter_mut().filter(|code| **code != NONE) {
        *code = number[*code as usize];
    }
    (kept, codes)
}
