//! Reversal of hashed words by their company (Kumar, Novak, Pang and Tomkins 2007; survey AT-27).
//!
//! The adversary has a log with words, of other people. Words and hashes are first matched by frequency; then each is described by how
//! often it stands with the words that are matched best, and matched again by the likeness of these descriptions, some rounds
//! long. A match counts as sure when it is the best of both sides and ahead of the second by a margin. The control matches words
//! to a log whose hashes were shuffled: its company is nobody's.

use foldhash::HashMap;
use privet_data::Random;
use serde::Serialize;

use super::Score;
use crate::Baskets;

/// What the reversal reaches.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reversal {
    /// Words that the adversary is sure of, and right.
    pub score: Score,
    /// Per hash the word that it was taken for, where the adversary is sure.
    pub word_of: Vec<Option<u32>>,
}

/// How many of the most frequent words are matched.
const MOST_WORDS: usize = 2000;
/// How many matched words describe the others, round by round: ranks are certain for the most frequent words only.
const ANCHORS: [usize; 7] = [10, 20, 40, 60, 60, 60, 60];
/// A match is sure when it is nearer than this share of the second nearest.
const LEAD: f64 = 0.45;

/// Matches hashes to words. Rows of both logs are sets of numbers of hashes or words; `truth` tells per hash its word in the reference
/// or `None` where the reference does not know it, for scoring alone.
pub fn reverse_tokens(hashed: &Baskets, reference: &Baskets, truth: &[Option<u32>], seed: u64) -> Reversal {
    let word_of = matched(hashed, reference, truth.len());
    let count = |found: &[Option<u32>]| {
        let right =
            found.iter().zip(truth).filter(|(found, truth)| found.is_some() && found == truth).count();
        (found.iter().flatten().count() as u64, right as u64)
    };
    let (sure, right) = count(&word_of);
    // The control: every row keeps its length, and its words are drawn from all words of the log.
    let mut all: Vec<u32> = hashed.flat().to_vec();
    Random::stream(seed, 27).shuffle(&mut all);
    let mut rest = all.as_slice();
    let shuffled = Baskets::of(hashed.iter().map(|row| {
        let (own, others) = rest.split_at(row.len());
        rest = others;
        own.to_vec()
    }));
    let control = count(&matched(&shuffled, reference, truth.len())).1;
    let of = truth.iter().flatten().count() as u64;
    Reversal { score: Score { of, sure, right, control, control_of: of }, word_of }
}

/// Words by frequency, the most frequent first, without those that never occur.
fn ranking(rows: &Baskets) -> Vec<u32> {
    let supports = rows.supports(rows.bound());
    let mut order: Vec<u32> =
        (0..supports.len() as u32).filter(|&word| supports[word as usize] > 0).collect();
    order.sort_by_key(|&word| (std::cmp::Reverse(supports[word as usize]), word));
    order.truncate(MOST_WORDS);
    order
}

/// Shares of company with the anchors, and the own frequency, of each ranked word.
fn descriptions(rows: &Baskets, ranked: &[u32], anchors: &[u32]) -> Vec<Vec<f64>> {
    let place: HashMap<u32, usize> = ranked.iter().copied().zip(0..).collect();
    let anchor: HashMap<u32, usize> = anchors.iter().copied().zip(0..).collect();
    let mut with: Vec<Vec<f64>> = vec![vec![0.0; anchors.len() + 1]; ranked.len()];
    for row in rows.iter() {
        let own: Vec<usize> = row.iter().filter_map(|word| anchor.get(word).copied()).collect();
        for word in row {
            if let Some(&at) = place.get(word) {
                with[at][anchors.len()] += 1.0;
                for &other in own.iter().filter(|&&other| anchors[other] != *word) {
                    with[at][other] += 1.0;
                }
            }
        }
    }
    for description in &mut with {
        let count: f64 = description[anchors.len()];
        description[..anchors.len()].iter_mut().for_each(|own| *own = (*own / count.max(1.0)).sqrt());
        description[anchors.len()] = (count / rows.len().max(1) as f64).ln();
    }
    with
}

fn matched(hashed: &Baskets, reference: &Baskets, hashes: usize) -> Vec<Option<u32>> {
    let (theirs, ours) = (ranking(hashed), ranking(reference));
    let size = theirs.len().min(ours.len());
    // Per rank of a hash the rank of its word; by frequency at first.
    let mut pairs: Vec<(usize, usize)> = (0..size.min(ANCHORS[0])).map(|rank| (rank, rank)).collect();
    let mut sure: Vec<Option<u32>> = vec![None; hashes];
    for round in 0..ANCHORS.len() {
        let anchors_theirs: Vec<u32> = pairs.iter().map(|pair| theirs[pair.0]).collect();
        let anchors_ours: Vec<u32> = pairs.iter().map(|pair| ours[pair.1]).collect();
        let (a, b) =
            (descriptions(hashed, &theirs, &anchors_theirs), descriptions(reference, &ours, &anchors_ours));
        let distance =
            |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(p, q)| (p - q) * (p - q)).sum() };
        let mut best: Vec<(f64, f64, usize)> = vec![(f64::INFINITY, f64::INFINITY, usize::MAX); theirs.len()];
        let mut back: Vec<(f64, usize)> = vec![(f64::INFINITY, usize::MAX); ours.len()];
        for (i, own) in a.iter().enumerate() {
            for (j, other) in b.iter().enumerate() {
                let far = distance(own, other);
                if far < best[i].0 {
                    best[i] = (far, best[i].0, j);
                } else if far < best[i].1 {
                    best[i].1 = far;
                }
                if far < back[j].0 {
                    back[j] = (far, i);
                }
            }
        }
        let mutual = |i: &usize| best[*i].2 != usize::MAX && back[best[*i].2].1 == *i;
        let mut found: Vec<usize> = (0..theirs.len()).filter(mutual).collect();
        // The clearest first: far ahead of the second, as a share of it.
        let lead = |i: usize| best[i].0 / best[i].1.max(1e-12);
        found.sort_by(|&x, &y| lead(x).total_cmp(&lead(y)).then(x.cmp(&y)));
        if round + 1 == ANCHORS.len() {
            for &i in found.iter().filter(|&&i| lead(i) < LEAD) {
                sure[theirs[i] as usize] = Some(ours[best[i].2]);
            }
        }
        // Frequent words tell more of their company than rare ones.
        let wanted = ANCHORS.get(round + 1).copied().unwrap_or(0);
        let mut anchors: Vec<usize> = found.into_iter().take(2 * wanted).collect();
        anchors.sort_unstable();
        pairs = anchors.into_iter().take(wanted).map(|i| (i, best[i].2)).collect();
        if pairs.is_empty() {
            break;
        }
    }
    sure
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of two words of a topic and one of twenty common words, which each topic favours in a way of its own.
    fn rows(seed: u64, renamed: &[u32]) -> Baskets {
        let topics = crate::generate::Zipf::new(12, 1.0);
        let inner = crate::generate::Zipf::new(8, 0.8);
        let common = crate::generate::Zipf::new(20, 1.0);
        let mut random = Random::new(seed);
        Baskets::of((0..12_000).map(|_| {
            let topic = topics.draw(&mut random);
            let words = [0, 1].map(|_| 20 + topic * 8 + inner.draw(&mut random));
            let usual = common.draw(&mut random);
            let other = if random.chance(0.6) { (usual * (1 + topic % 3) + topic * 7) % 20 } else { usual };
            words.into_iter().chain([other]).map(|word| renamed[word as usize]).collect::<Vec<_>>()
        }))
    }

    #[test]
    fn company_gives_words_away() {
        let plain: Vec<u32> = (0..116).collect();
        let mut renamed = plain.clone();
        Random::new(9).shuffle(&mut renamed);
        let mut truth = vec![None; 116];
        plain.iter().for_each(|&word| truth[renamed[word as usize] as usize] = Some(word));
        let found = reverse_tokens(&rows(1, &renamed), &rows(2, &plain), &truth, 1);
        assert!(found.score.right > 35, "{:?}", found.score);
        assert!(found.score.right * 10 >= found.score.sure * 8, "{:?}", found.score);
        assert!(found.score.control * 5 < found.score.right, "{:?}", found.score);
        assert!(reverse_tokens(&Baskets::default(), &Baskets::default(), &[], 1).word_of.is_empty());
    }
}
