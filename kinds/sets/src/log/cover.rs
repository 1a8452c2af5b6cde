//! Plausibly deniable search (Murugesan and Clifton 2009; survey AP-13, PM-41): a cover set goes out instead of the query.
//!
//! Canonical queries are cut into sets of k, once and for all; a query is replaced by the nearest canonical query, and its whole set is
//! sent. *Guarantee*, checked by [`CoverSets::check`]: the sets are a partition, so every member of a set sends the same set; the
//! members are about different things; and none is so much more popular than another that it would be believed: the posterior
//! of a member is at most its popularity over that of the set. The guarantee is about one query, not about a series: who asks
//! ten queries about one thing has one thing in common among ten sets.

use serde::{Deserialize, Serialize};

use super::vectors::Vectors;
use crate::SetsError;
use crate::error::require;

/// What is asked of cover sets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CoverOptions {
    /// Queries of a set.
    pub size: usize,
    /// The most times that a member is as popular as another.
    pub popularity_ratio: f64,
    /// The largest cosine of two members.
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
    /// The largest ratio of popularity within a set.
    pub largest_ratio: f64,
    /// The largest cosine within a set.
    pub largest_similarity: f64,
    /// The largest posterior of a member: its popularity over that of its set.
    pub largest_posterior: f64,
    /// Whether all that was asked holds.
    pub holds: bool,
}

/// Cuts canonical queries with their popularities into cover sets.
///
/// # Errors
/// When a parameter makes no sense.
pub fn cover_sets(
    texts: &[Box<str>],
    popularity: &[u64],
    options: CoverOptions,
) -> Result<CoverSets, SetsError> {
    require(options.size >= 2, "size", "2 or more")?;
    require(options.popularity_ratio >= 1.0, "popularity-ratio", "1 or more")?;
    require((0.0..=1.0).contains(&options.most_similarity), "most-similarity", "from 0 to 1")?;
    require(options.dimensions >= 1, "dimensions", "1 or more")?;
    require(popularity.len() == texts.len(), "popularity", "one number per query")?;
    let vectors = Vectors::index(texts, options.dimensions);
    let mut order: Vec<u32> =
        (0..texts.len() as u32).filter(|&query| popularity[query as usize] > 0).collect();
    order.sort_by_key(|&query| (std::cmp::Reverse(popularity[query as usize]), query));
    let mut open: Vec<Vec<u32>> = Vec::new();
    let mut sets: Vec<Vec<u32>> = Vec::new();
    for query in order {
        let own = popularity[query as usize] as f64;
        // Queries come from the most popular on: who is too popular for this one is for all that follow.
        open.retain(|set| popularity[set[0] as usize] as f64 <= own * options.popularity_ratio);
        let differs = |set: &Vec<u32>| {
            set.iter()
                .all(|&other| vectors.similarity(query as usize, other as usize) <= options.most_similarity)
        };
        match open.iter().position(differs) {
            None => open.push(vec![query]),
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
    Ok(CoverSets { sets, set_of, vectors })
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
        for set in &self.sets {
            let own: Vec<f64> = set.iter().map(|&query| popularity[query as usize] as f64).collect();
            let most = own.iter().copied().fold(0.0, f64::max);
            ratio = ratio.max(most / own.iter().copied().fold(f64::INFINITY, f64::min));
            posterior = posterior.max(most / own.iter().sum::<f64>());
            for (place, &query) in set.iter().enumerate() {
                seen[query as usize] += 1;
                for &other in &set[place + 1..] {
                    similarity = similarity.max(self.vectors.similarity(query as usize, other as usize));
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
            largest_ratio: ratio,
            largest_similarity: similarity,
            largest_posterior: posterior,
            holds: is_partition
                && ratio <= options.popularity_ratio + 1e-9
                && similarity <= options.most_similarity + 1e-9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queries() -> (Vec<Box<str>>, Vec<u64>) {
        let topics =
            ["flights rome", "apple pie", "tax form", "flu symptoms", "chess opening", "jazz guitar"];
        let texts =
            topics.iter().flat_map(|topic| (0..4).map(move |own| format!("{topic} variant{own}").into()));
        (texts.collect(), (0..24).map(|query| 100 - query).collect())
    }

    #[test]
    fn members_are_diverse_and_equally_likely() {
        let (texts, popularity) = queries();
        let options = CoverOptions { size: 3, popularity_ratio: 1.5, most_similarity: 0.5, dimensions: 8 };
        let made = cover_sets(&texts, &popularity, options).unwrap();
        let check = made.check(&popularity, options);
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
    fn the_check_sees_what_is_wrong() {
        let (texts, mut popularity) = queries();
        let options = CoverOptions { size: 2, popularity_ratio: 1.5, most_similarity: 0.5, dimensions: 8 };
        let mut made = cover_sets(&texts, &popularity, options).unwrap();
        popularity[made.sets[0][0] as usize] *= 10;
        assert!(!made.check(&popularity, options).holds);
        let (_, popularity) = queries();
        made.sets[0].push(23);
        assert!(!made.check(&popularity, options).is_partition);
        assert!(cover_sets(&texts, &popularity, CoverOptions { size: 1, ..options }).is_err());
    }
}
