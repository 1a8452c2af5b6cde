//! Plausibly deniable search (Murugesan and Clifton 2009; survey AP-13, PM-41): a cover set goes out instead of the query.
//!
//! Canonical queries are cut into sets of k, once and for all; a query is replaced by the nearest canonical query, and its whole set is
//! sent. *Guarantee*, checked by [`CoverSets::check`]: the sets are a partition, so every member of a set sends the same set; the
//! members are about different things; and none is so much more popular than another that it would be believed: the posterior
//! of a member is at most its popularity over that of the set. The guarantee is about one query, not about a series: who asks
//! ten queries about one thing has one thing in common among ten sets.

use privet_data::Progress;
use serde::{Deserialize, Serialize};

use super::tokens_of;
use super::vectors::Vectors;
use crate::SetsError;
use crate::error::require;

/// What is asked of cover sets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CoverOptions {
    /// Queries of a set.
    pub size: usize,
    /// The fewest people of a canonical query: a query of fewer may tell who asked it.
    pub people: u64,
    /// The most times that a member is as popular as another.
    pub popularity_ratio: f64,
    /// The largest cosine of two members, of their words and in the index.
    pub most_similarity: f64,
    /// Dimensions of the index.
    pub dimensions: usize,
}

/// Cover sets over canonical queries.
#[derive(Debug, Clone)]
pub struct CoverSets {
    /// The sets, each in rising order.
    pub sets: Vec<Vec<u32>>,
    /// Per canonical query its set; `None` where no set was found.
    pub set_of: Vec<Option<u32>>,
    vectors: Vectors,
    words: Vec<Vec<Box<str>>>,
}

/// What was found of cover sets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CoverCheck {
    /// The number of sets.
    pub sets: u64,
    /// Canonical queries that no set covers; they are not sent.
    pub uncovered: u64,
    /// Whether every covered query is in exactly one set, all of the same size.
    pub is_partition: bool,
    /// The fewest people of a member.
    pub fewest_people: u64,
    /// The largest ratio of popularity within a set.
    pub largest_ratio: f64,
    /// The largest cosine within a set, of words and in the index.
    pub largest_similarity: f64,
    /// The largest posterior of a member: its popularity over that of its set.
    pub largest_posterior: f64,
    /// Whether all that was asked holds.
    pub holds: bool,
}

/// Sets that wait for members at any time. The most popular of more gives up: each query looks at so many sets and no more, so that
/// time grows with the queries.
const MOST_OPEN: usize = 500;

/// The distinct words of a text in their order.
pub fn words_of(text: &str) -> Vec<Box<str>> {
    let mut words: Vec<Box<str>> = tokens_of(text).map(Box::from).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The cosine of two sets of words: those they share over the root of the product of their numbers.
pub fn word_cosine(a: &[Box<str>], b: &[Box<str>]) -> f64 {
    let shared = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    if shared == 0 { 0.0 } else { shared as f64 / ((a.len() * b.len()) as f64).sqrt() }
}

/// Cuts canonical queries with their popularities into cover sets.
///
/// # Errors
/// When a parameter makes no sense, or the person asked to stop.
pub fn cover_sets(
    texts: &[Box<str>],
    popularity: &[u64],
    options: CoverOptions,
    progress: &dyn Progress,
) -> Result<CoverSets, SetsError> {
    require(options.size >= 2, "size", "2 or more")?;
    require(options.people >= 1, "people", "1 or more")?;
    require(
        options.popularity_ratio >= 1.0 && options.popularity_ratio.is_finite(),
        "popularity-ratio",
        "1 or more",
    )?;
    require((0.0..=1.0).contains(&options.most_similarity), "most-similarity", "from 0 to 1")?;
    require((1..=500).contains(&options.dimensions), "dimensions", "from 1 to 500")?;
    require(popularity.len() == texts.len(), "popularity", "one number per query")?;
    let mut order: Vec<u32> =
        (0..texts.len() as u32).filter(|&query| popularity[query as usize] >= options.people).collect();
    order.sort_by_key(|&query| (std::cmp::Reverse(popularity[query as usize]), query));
    progress.stage("comparing queries", Some(order.len() as u64));
    let vectors = Vectors::index(texts, options.dimensions, progress)?;
    let words: Vec<Vec<Box<str>>> = texts.iter().map(|text| words_of(text)).collect();
    let mut open: Vec<Vec<u32>> = Vec::new();
    let mut sets: Vec<Vec<u32>> = Vec::new();
    for (done, query) in order.into_iter().enumerate() {
        if done % 256 == 0 {
            progress.check()?;
            progress.at(done as u64);
        }
        let own = popularity[query as usize] as f64;
        // Queries come from the most popular on: who is too popular for this one is for all that follow.
        open.retain(|set| popularity[set[0] as usize] as f64 <= own * options.popularity_ratio);
        let differs = |set: &Vec<u32>| {
            set.iter().all(|&other| {
                let (a, b) = (query as usize, other as usize);
                word_cosine(&words[a], &words[b]) <= options.most_similarity
                    && vectors.similarity(a, b) <= options.most_similarity
            })
        };
        match open.iter().position(differs) {
            None => {
                if open.len() == MOST_OPEN {
                    open.remove(0);
                }
                open.push(vec![query]);
            }
            Some(place) => {
                open[place].push(query);
                if open[place].len() == options.size {
                    let mut full = open.remove(place);
                    full.sort_unstable();
                    sets.push(full);
                }
            }
        }
    }
    sets.sort();
    let mut set_of = vec![None; texts.len()];
    for (number, set) in sets.iter().enumerate() {
        set.iter().for_each(|&query| set_of[query as usize] = Some(number as u32));
    }
    Ok(CoverSets { sets, set_of, vectors, words })
}

impl CoverSets {
    /// What is sent instead of a text: the set of the nearest canonical query, and how near that is. `None` when no canonical query
    /// has anything in common with it, or the nearest one is not covered: then nothing may be sent.
    pub fn cover(&self, text: &str) -> Option<(&[u32], f64)> {
        let (query, near) = self.vectors.nearest(text)?;
        let set = self.set_of[query]?;
        Some((&self.sets[set as usize], near))
    }

    /// Checks all that is asked of cover sets.
    pub fn check(&self, popularity: &[u64], options: CoverOptions) -> CoverCheck {
        let mut seen = vec![0u32; self.set_of.len()];
        let (mut ratio, mut similarity, mut posterior) = (1f64, 0f64, 0f64);
        let mut fewest = u64::MAX;
        for set in &self.sets {
            let own: Vec<f64> = set.iter().map(|&query| popularity[query as usize] as f64).collect();
            let most = own.iter().copied().fold(0.0, f64::max);
            ratio = ratio.max(most / own.iter().copied().fold(f64::INFINITY, f64::min));
            posterior = posterior.max(most / own.iter().sum::<f64>());
            for (place, &query) in set.iter().enumerate() {
                seen[query as usize] += 1;
                fewest = fewest.min(popularity[query as usize]);
                for &other in &set[place + 1..] {
                    let (a, b) = (query as usize, other as usize);
                    let words = word_cosine(&self.words[a], &self.words[b]);
                    similarity = similarity.max(self.vectors.similarity(a, b)).max(words);
                }
            }
        }
        let is_covered = |query: usize| u32::from(self.set_of[query].is_some());
        let is_partition = (0..seen.len()).all(|query| seen[query] == is_covered(query))
            && self.sets.iter().all(|set| set.len() == options.size);
        CoverCheck {
            sets: self.sets.len() as u64,
            uncovered: seen.iter().filter(|&&count| count == 0).count() as u64,
            is_partition,
            fewest_people: if self.sets.is_empty() { 0 } else { fewest },
            largest_ratio: ratio,
            largest_similarity: similarity,
            largest_posterior: posterior,
            holds: is_partition
                && fewest >= options.people
                && ratio <= options.popularity_ratio + 1e-9
                && similarity <= options.most_similarity + 1e-9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;
    use proptest::prelude::*;

    fn queries() -> (Vec<Box<str>>, Vec<u64>) {
        let topics =
            ["flights rome", "apple pie", "tax form", "flu symptoms", "chess opening", "jazz guitar"];
        let texts =
            topics.iter().flat_map(|topic| (0..4).map(move |own| format!("{topic} variant{own}").into()));
        (texts.collect(), (0..24).map(|query| 100 - query).collect())
    }

    fn options(size: usize) -> CoverOptions {
        CoverOptions { size, people: 5, popularity_ratio: 1.5, most_similarity: 0.5, dimensions: 8 }
    }

    #[test]
    fn members_are_diverse_and_equally_likely() {
        let (texts, popularity) = queries();
        let made = cover_sets(&texts, &popularity, options(3), &Silent).unwrap();
        let check = made.check(&popularity, options(3));
        assert!(check.holds && check.sets >= 5, "{check:?}");
        assert!(check.largest_posterior < 0.45);
        // Whichever member is asked for, the same set is sent.
        for set in &made.sets {
            for &query in set {
                let (sent, near) = made.cover(&texts[query as usize]).unwrap();
                assert!(sent == &set[..] && near > 0.99);
            }
        }
        let (sent, _) = made.cover("cheap flights to Rome").unwrap();
        assert!(sent.iter().any(|&query| texts[query as usize].starts_with("flights")));
        assert!(made.cover("zebra").is_none());
    }

    #[test]
    fn queries_of_few_people_are_never_covers() {
        let (texts, mut popularity) = queries();
        popularity[7] = 4;
        let made = cover_sets(&texts, &popularity, options(2), &Silent).unwrap();
        assert!(made.sets.iter().flatten().all(|&query| query != 7));
        assert!(made.cover(&texts[7]).is_none());
        assert!(made.check(&popularity, options(2)).holds);
    }

    #[test]
    fn the_check_sees_what_is_wrong() {
        let (texts, mut popularity) = queries();
        let mut made = cover_sets(&texts, &popularity, options(2), &Silent).unwrap();
        popularity[made.sets[0][0] as usize] *= 10;
        assert!(!made.check(&popularity, options(2)).holds);
        let (_, popularity) = queries();
        made.sets[0].push(23);
        assert!(!made.check(&popularity, options(2)).is_partition);
        assert!(cover_sets(&texts, &popularity, options(1), &Silent).is_err());
        let ratio = CoverOptions { popularity_ratio: f64::NAN, ..options(2) };
        assert!(cover_sets(&texts, &popularity, ratio, &Silent).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever the queries, what is made passes the check, and the check agrees with a count by hand.
        #[test]
        fn what_is_made_holds(
            words in prop::collection::vec((0u8..9, 0u8..9, 1u64..60), 1..60),
            size in 2usize..5,
            ratio in 1.0f64..4.0,
        ) {
            let texts: Vec<Box<str>> = words.iter().zip(0..).map(|(own, n)| format!("w{} v{} q{n}", own.0, own.1).into()).collect();
            let popularity: Vec<u64> = words.iter().map(|own| own.2).collect();
            let asked = CoverOptions { popularity_ratio: ratio, most_similarity: 0.4, ..options(size) };
            let made = cover_sets(&texts, &popularity, asked, &Silent).unwrap();
            prop_assert!(made.sets.is_empty() || made.check(&popularity, asked).holds);
            for set in &made.sets {
                for &a in set {
                    for &b in set {
                        let (x, y) = (popularity[a as usize] as f64, popularity[b as usize] as f64);
                        prop_assert!(x >= 5.0 && x <= y * ratio + 1e-9);
                        let (one, other) = (&words[a as usize], &words[b as usize]);
                        let shared = u8::from(one.0 == other.0) + u8::from(one.1 == other.1);
                        prop_assert!(a == b || f64::from(shared) / 3.0 <= 0.4 + 1e-9);
                    }
                }
            }
        }
    }
}
