//! Possible worlds (survey section 0, PM-11): all the originals that a release could have come from.
//!
//! A release by generalization or in buckets tells, for each class, who is in it and which sensitive values occur in
//! it how often. A world gives everybody of a class one of its values. The *random worlds* adversary believes every
//! world equally likely, and leaves out those that contradict what it knows.
//!
//! [`enumerate`] goes through worlds one by one, [`knowledge`] says what an adversary knows, [`posterior()`] what it then
//! believes, [`ck`] and [`brute`] what the worst knowledge of a given size would tell.

pub mod beliefs;
pub mod brute;
pub mod ck;
pub mod enumerate;
pub mod knowledge;
pub mod posterior;

pub use beliefs::{Belief, Beliefs};
pub use brute::{Consequent, ck_breach_by_worlds, three_d_breach_by_worlds};
pub use ck::{CkBreach, CkShare, ck_breach, ck_worst};
pub use enumerate::{Worlds, count_worlds};
pub use knowledge::{KnowledgeError, Statement, parse_knowledge, parse_statement};
pub use posterior::{Posterior, posterior};

use foldhash::{HashMap, HashMapExt};
use privet_data::Cancelled;

/// A class or bucket: who is in it, and the sensitive values that are published for it, in any order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bucket {
    /// The people, by number.
    pub people: Vec<u32>,
    /// The values, by code: as many as people.
    pub values: Vec<u32>,
}

impl Bucket {
    /// Its values, each once and in ascending order, with how often they occur.
    pub fn counts(&self) -> Vec<(u32, u32)> {
        let mut sorted = self.values.clone();
        sorted.sort_unstable();
        sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
    }
}

/// What is wrong with buckets, or why a question about them was not answered. No message holds a value of the data.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldsError {
    /// A bucket has another number of people than of values.
    #[error(
        "bucket {bucket} has {people} people and {values} values; it needs one value for each of its people"
    )]
    Uneven {
        /// Its number, from 0.
        bucket: usize,
        /// Its people.
        people: usize,
        /// Its values.
        values: usize,
    },
    /// A value is not in the domain.
    #[error("bucket {bucket} holds a code that is not below the size of the domain, {domain}")]
    OutsideDomain {
        /// Its number, from 0.
        bucket: usize,
        /// The size of the domain.
        domain: u32,
    },
    /// A person is in two places.
    #[error("somebody is in bucket {bucket} and in another place too; everybody must be in one bucket, once")]
    Twice {
        /// The second place, from 0.
        bucket: usize,
    },
    /// Knowledge speaks of somebody who is in no bucket.
    #[error("statement {statement} speaks of somebody who is in no class of the release; leave it out")]
    NotInRelease {
        /// Its number, from 1.
        statement: usize,
    },
    /// No world fits the knowledge.
    #[error(
        "no possible original fits the knowledge: the statements contradict each other or the release; check them"
    )]
    Conflict,
    /// There are too many worlds to go through.
    #[error(
        "more than {limit} cases would have to be gone through; allow more, or know less about fewer classes"
    )]
    TooMany {
        /// How many are allowed.
        limit: u64,
    },
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The buckets of a release, checked: everybody is in one bucket, and has one value.
#[derive(Debug, Clone)]
pub struct Buckets {
    list: Vec<Bucket>,
    domain: u32,
    /// Per person the bucket and the place in it.
    place: HashMap<u32, (u32, u32)>,
}

impl Buckets {
    /// Buckets over a sensitive column with codes from 0 to below `domain`.
    ///
    /// # Errors
    /// When a bucket has more people than values or the reverse, a code is not below `domain`, or somebody occurs
    /// twice.
    pub fn new(list: Vec<Bucket>, domain: u32) -> Result<Self, WorldsError> {
        let mut place = HashMap::with_capacity(list.iter().map(|bucket| bucket.people.len()).sum());
        for (number, bucket) in list.iter().enumerate() {
            let (people, values) = (bucket.people.len(), bucket.values.len());
            if people != values {
                return Err(WorldsError::Uneven { bucket: number, people, values });
            }
            if bucket.values.iter().any(|&value| value >= domain) {
                return Err(WorldsError::OutsideDomain { bucket: number, domain });
            }
            for (at, &person) in (0u32..).zip(&bucket.people) {
                if place.insert(person, (number as u32, at)).is_some() {
                    return Err(WorldsError::Twice { bucket: number });
                }
            }
        }
        Ok(Self { list, domain, place })
    }

    /// The buckets.
    pub fn list(&self) -> &[Bucket] {
        &self.list
    }

    /// How many sensitive codes there can be.
    pub fn domain(&self) -> u32 {
        self.domain
    }

    /// The number of the bucket that somebody is in.
    pub fn bucket_of(&self, person: u32) -> Option<usize> {
        self.place.get(&person).map(|&(bucket, _)| bucket as usize)
    }

    /// The same people with coarser values: `concept_of` gives per code its concept or range. The beliefs about
    /// these are those of the similarity and proximity attacks (survey AT-05). A code beyond its end keeps a concept
    /// of its own.
    #[must_use]
    pub fn recoded(&self, concept_of: &[u32]) -> Self {
        let concepts = concept_of.iter().copied().max().map_or(0, |most| most.saturating_add(1));
        let recode = |value: u32| match concept_of.get(value as usize) {
            Some(&concept) => concept,
            None => concepts.saturating_add(value),
        };
        let list = self.list.iter().map(|bucket| Bucket {
            people: bucket.people.clone(),
            values: bucket.values.iter().map(|&value| recode(value)).collect(),
        });
        Self { list: list.collect(), domain: concepts.saturating_add(self.domain), place: self.place.clone() }
    }
}

#[cfg(test)]
pub(crate) mod fixtures {
    use super::*;

    /// Heart disease, viral infection, cancer, flu.
    pub const HD: u32 = 0;
    pub const VI: u32 = 1;
    pub const CA: u32 = 2;
    pub const FLU: u32 = 3;

    /// Buckets of people numbered through, from the values of each.
    pub fn buckets(values: &[&[u32]]) -> Buckets {
        let mut next = 0;
        let list = values.iter().map(|values| {
            let people = (next..next + values.len() as u32).collect();
            next += values.len() as u32;
            Bucket { people, values: values.to_vec() }
        });
        let domain = values.iter().flat_map(|v| v.iter()).max().map_or(0, |most| most + 1);
        Buckets::new(list.collect(), domain).unwrap()
    }

    /// survey FX-1.2 and FX-1.4: people are numbered from 0 (Ann) to 11 (Lewis).
    pub fn table_1_2() -> Buckets {
        buckets(&[&[HD, HD, VI, VI], &[CA, FLU, HD, FLU], &[CA, CA, CA, CA]])
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;

    use super::fixtures::*;
    use super::*;

    #[test]
    fn faults_are_named() {
        let bucket =
            |people: &[u32], values: &[u32]| Bucket { people: people.to_vec(), values: values.to_vec() };
        let uneven = Buckets::new(vec![bucket(&[1, 2], &[0])], 1).unwrap_err();
        assert_eq!(uneven, WorldsError::Uneven { bucket: 0, people: 2, values: 1 });
        let outside = Buckets::new(vec![bucket(&[1], &[3])], 3).unwrap_err();
        assert_eq!(outside, WorldsError::OutsideDomain { bucket: 0, domain: 3 });
        let twice = Buckets::new(vec![bucket(&[1], &[0]), bucket(&[1], &[0])], 3).unwrap_err();
        assert_eq!(twice, WorldsError::Twice { bucket: 1 });
        assert!(Buckets::new(vec![], 0).unwrap().list().is_empty());
        assert!(Buckets::new(vec![Bucket::default()], 0).is_ok());
    }

    /// survey AT-02: everybody of the third class of FX-1.2 has cancer, Jean (9) among them.
    #[test]
    fn survey_at02_homogeneity() {
        let beliefs = posterior(&table_1_2(), &[], 10, &Silent).unwrap().beliefs;
        assert_eq!(beliefs.of(9), [(CA, 1.0)]);
        let certain: Vec<u32> = beliefs.exposed(0.99).iter().map(|belief| belief.person).collect();
        assert_eq!(certain, [8, 9, 10, 11]);
        assert_eq!(beliefs.exposed(0.5).len(), 12, "at least one half");
    }

    /// survey AT-05, FX-2.F1: ulcer 3, dyspepsia 3, gastroenteritis 4 are three values and one concept.
    #[test]
    fn survey_at05_similarity() {
        let class = buckets(&[&[0, 0, 0, 1, 1, 1, 2, 2, 2, 2]]);
        assert_eq!(posterior(&class, &[], 10, &Silent).unwrap().beliefs.most_likely(4), Some((2, 0.4)));
        let concepts = class.recoded(&[0, 0, 0]);
        assert_eq!(posterior(&concepts, &[], 10, &Silent).unwrap().beliefs.most_likely(4), Some((0, 1.0)));
        assert_eq!(class.recoded(&[7]).list()[0].counts(), [(7, 3), (9, 3), (10, 4)]);
    }
}
