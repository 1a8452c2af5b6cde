//! Releases of models and what an adversary learns by linking them with people (Friedman, Wolff, Schuster; papers F-PM2..8, F-AL1).
//!
//! A model maps every record of the domain to an equivalence class. What is released is the model and how many records of the
//! table fall into each class. Whoever knows the public attributes of a person knows the *span*: all classes that the person may be
//! in, whatever the private attributes are.
//!
//! # Guarantee
//! [`Release::check`] is Claim 3 of the source: the release links no private value to fewer than k people if every span that
//! people fall into has one class only (then the model says nothing of private attributes) or at least k people. Both
//! conditions are looked at; the test is also necessary, because a span with two classes and fewer than k people is such a link.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};
use serde::{Deserialize, Serialize};

use crate::MineError;

/// A model that tells the spans of records.
pub trait SpanOracle {
    /// A record with its public and private attributes.
    type Record: ?Sized;

    /// Appends a key of the span of the record's public attributes. Two records have equal keys exactly when they have equal spans;
    /// private attributes never change it.
    fn span(&self, record: &Self::Record, key: &mut Vec<u32>);

    /// How many classes the span with this key has, at least 1. A model with more than it can count says `u64::MAX`.
    fn classes(&self, span: &[u32]) -> u64;

    /// Appends a key of the equivalence class of the record.
    fn class(&self, record: &Self::Record, key: &mut Vec<u32>);
}

/// The people of one span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanPopulation {
    /// The key of the span.
    pub span: Vec<u32>,
    /// How many classes the span has in the domain.
    pub classes: u64,
    /// The records of the table whose span it is.
    pub records: u64,
    /// Per class that occurs, how many of these records it has.
    pub populations: BTreeMap<String, u64>,
}

/// What a linking adversary sees of a model: spans with their populations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Release {
    /// The spans into which records fall, in the order of their keys.
    pub spans: Vec<SpanPopulation>,
}

/// A span that breaks the promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// Its position among the spans.
    pub span: usize,
    /// Its classes.
    pub classes: u64,
    /// Its people, fewer than k.
    pub records: u64,
}

/// What the check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// What was asked.
    pub k: u64,
    /// The largest k for which the release would hold; none when every span has one class only.
    pub reached: Option<u64>,
    /// The spans with several classes and fewer than k people.
    pub violations: Vec<Violation>,
    /// Records in spans with one class only, about whose private attributes the model says nothing.
    pub silent: u64,
}

impl Verdict {
    /// Whether the release is k-anonymous.
    pub fn holds(&self) -> bool {
        self.violations.is_empty()
    }
}

/// What linking tells of people with one span (Definition 6 of the source).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The people, as positions in the identified table.
    pub people: Vec<usize>,
    /// The classes that records of the table with this span have, with their populations.
    pub populations: BTreeMap<String, u64>,
    /// Whether the span has more than one class, so that the populations tell of private values.
    pub tells: bool,
}

impl Release {
    /// The populations of a model's spans on records.
    pub fn of<'a, O: SpanOracle>(oracle: &O, records: impl IntoIterator<Item = &'a O::Record>) -> Self
    where
        O::Record: 'a,
    {
        let mut found: HashMap<Vec<u32>, (u64, Populations)> = HashMap::new();
        let (mut span, mut class) = (Vec::new(), Vec::new());
        for record in records {
            span.clear();
            class.clear();
            oracle.span(record, &mut span);
            oracle.class(record, &mut class);
            if !found.contains_key(&span) {
                found.insert(span.clone(), (0, HashMap::new()));
            }
            let Some((count, classes)) = found.get_mut(&span) else { continue };
            *count += 1;
            match classes.get_mut(&class) {
                Some(population) => *population += 1,
                None => drop(classes.insert(class.clone(), 1)),
            }
        }
        let mut spans: Vec<SpanPopulation> = (found.into_iter())
            .map(|(span, (records, classes))| {
                let populations = classes.into_iter().map(|(key, count)| (joined(&key), count)).collect();
                SpanPopulation { classes: oracle.classes(&span), span, records, populations }
            })
            .collect();
        spans.sort_unstable_by(|a, b| a.span.cmp(&b.span));
        Self { spans }
    }

    /// All records.
    pub fn records(&self) -> u64 {
        self.spans.iter().map(|span| span.records).sum()
    }

    /// Whether the release is k-anonymous: every span has one class or at least k people.
    ///
    /// # Errors
    /// When k is 0 or above the number of records.
    pub fn check(&self, k: u64) -> Result<Verdict, MineError> {
        let records = self.records();
        if k == 0 || k > records {
            return Err(MineError::KTooLarge { k, records });
        }
        let many = || self.spans.iter().enumerate().filter(|(_, span)| span.classes > 1 && span.records > 0);
        let violations = many()
            .filter(|(_, span)| span.records < k)
            .map(|(place, span)| Violation { span: place, classes: span.classes, records: span.records })
            .collect();
        let silent = self.spans.iter().filter(|span| span.classes <= 1).map(|span| span.records).sum();
        Ok(Verdict { k, reached: many().map(|(_, span)| span.records).min(), violations, silent })
    }

    /// The linking attack: people of an identified table grouped by span, with what the release tells of each group.
    pub fn link<'a, O: SpanOracle>(
        &self,
        oracle: &O,
        people: impl IntoIterator<Item = &'a O::Record>,
    ) -> Vec<Link>
    where
        O::Record: 'a,
    {
        let mut groups: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (place, person) in people.into_iter().enumerate() {
            let mut key = Vec::new();
            oracle.span(person, &mut key);
            groups.entry(key).or_default().push(place);
        }
        let link = |(key, people): (Vec<u32>, Vec<usize>)| {
            let found = self.spans.binary_search_by(|span| span.span.cmp(&key)).ok();
            let populations = found.map(|place| self.spans[place].populations.clone()).unwrap_or_default();
            Link { people, populations, tells: oracle.classes(&key) > 1 }
        };
        groups.into_iter().map(link).collect()
    }
}

/// Records by the key of their class.
type Populations = HashMap<Vec<u32>, u64>;

fn joined(key: &[u32]) -> String {
    key.iter().map(u32::to_string).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model over one public and one private bit: class = private bit where the public bit is 1, else one class.
    struct Bits;

    impl SpanOracle for Bits {
        type Record = [bool; 2];
        fn span(&self, record: &[bool; 2], key: &mut Vec<u32>) {
            key.push(u32::from(record[0]));
        }
        fn classes(&self, span: &[u32]) -> u64 {
            1 + u64::from(span[0])
        }
        fn class(&self, record: &[bool; 2], key: &mut Vec<u32>) {
            key.push(u32::from(record[0]) * (1 + u32::from(record[1])));
        }
    }

    /// Claim 3: one person in a span of one class is safe, one in a span of two is not.
    #[test]
    fn both_conditions_of_the_claim_count() {
        let alone_but_silent = [[false, true], [true, false], [true, true]];
        let release = Release::of(&Bits, &alone_but_silent);
        let verdict = release.check(2).unwrap();
        assert!(verdict.holds() && verdict.reached == Some(2) && verdict.silent == 1);
        let alone = [[false, true], [false, false], [true, true]];
        let verdict = Release::of(&Bits, &alone).check(2).unwrap();
        assert_eq!(verdict.violations, [Violation { span: 1, classes: 2, records: 1 }]);
        assert_eq!(Release::of(&Bits, &alone).check(4), Err(MineError::KTooLarge { k: 4, records: 3 }));
        assert!(Release::of(&Bits, &alone).check(0).is_err());
    }

    /// The linking attack tells of the one person what the release says of the span.
    #[test]
    fn linking_groups_people_by_span() {
        let table = [[false, true], [true, true], [true, true]];
        let release = Release::of(&Bits, &table);
        let links = release.link(&Bits, &table);
        assert_eq!(links.len(), 2);
        assert_eq!((links[1].people.as_slice(), links[1].tells), (&[1, 2][..], true));
        assert_eq!(links[1].populations.get("2"), Some(&2));
        assert!(!links[0].tells);
    }
}
