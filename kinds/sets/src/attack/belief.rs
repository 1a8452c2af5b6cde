//! Frequency beliefs against hashed items (Lakshmanan, Ng and Ramesh 2005; survey AT-26).
//!
//! The adversary believes of each item that its frequency lies in an interval, and sees a frequency per hash. A hash can be an item
//! only if its frequency lies in the item's interval; a crack is a right edge of a perfect matching that is consistent with that.
//! Expected cracks are estimated in the source's two ways: the O-estimate, the sum of 1/outdegree over the items whose
//! hash is among their candidates, and the mean over consistent matchings drawn by a random walk of exchanges. Items with
//! a single candidate, and what follows from them, the adversary is sure of. The control believes nothing: any hash may be any
//! item, which has one crack on average.

use privet_data::Random;
use serde::Serialize;

use super::Score;
use crate::SetsError;
use crate::error::require;

/// What is believed of each item: its frequency lies within.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// Per item the least and the largest frequency.
    pub intervals: Vec<(f64, f64)>,
}

impl Beliefs {
    /// Intervals around the frequencies of similar data, so much to both sides of their logarithm: 0.1 is about 10 %.
    pub fn around(frequencies: &[f64], width: f64) -> Self {
        let (low, high) = ((-width).exp(), width.exp());
        Self { intervals: frequencies.iter().map(|own| (own * low, own * high)).collect() }
    }
}

/// What frequency beliefs reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cracking {
    /// What the adversary is sure of, and right.
    pub score: Score,
    /// Expected cracks by the O-estimate.
    pub o_estimate: f64,
    /// Expected cracks over consistent matchings; `None` where no consistent matching was found.
    pub sampled: Option<f64>,
}

/// Tries to find the item behind each hash. `frequencies` are those of the hashes; `truth` tells per item its hash, for scoring.
///
/// # Errors
/// When the numbers of items and hashes differ.
pub fn crack(
    beliefs: &Beliefs,
    frequencies: &[f64],
    truth: &[u32],
    seed: u64,
) -> Result<Cracking, SetsError> {
    let items = beliefs.intervals.len();
    require(items == frequencies.len() && items == truth.len(), "intervals", "one interval per hash")?;
    // Hashes by frequency: the candidates of an item are a range of them.
    let mut order: Vec<u32> = (0..items as u32).collect();
    order.sort_by(|&a, &b| frequencies[a as usize].total_cmp(&frequencies[b as usize]).then(a.cmp(&b)));
    let sorted: Vec<f64> = order.iter().map(|&hash| frequencies[hash as usize]).collect();
    let mut rank = vec![0usize; items];
    order.iter().enumerate().for_each(|(place, &hash)| rank[hash as usize] = place);
    let ranges: Vec<(usize, usize)> = beliefs
        .intervals
        .iter()
        .map(|&(low, high)| {
            (sorted.partition_point(|&own| own < low), sorted.partition_point(|&own| own <= high))
        })
        .collect();
    let holds = |item: usize| (ranges[item].0..ranges[item].1).contains(&rank[truth[item] as usize]);
    let o_estimate = (0..items)
        .filter(|&item| holds(item))
        .map(|item| 1.0 / (ranges[item].1 - ranges[item].0) as f64)
        .sum();
    let sure = forced(&ranges);
    let right =
        (0..items).filter(|&item| sure[item].is_some_and(|place| order[place] == truth[item])).count();
    let score = Score {
        of: items as u64,
        sure: sure.iter().flatten().count() as u64,
        right: right as u64,
        control: u64::from(items > 0),
        control_of: items as u64,
    };
    Ok(Cracking { score, o_estimate, sampled: sampled(&ranges, &order, truth, seed) })
}

/// What follows for certain: an item with one candidate has it, and nobody else does, until nothing changes.
fn forced(ranges: &[(usize, usize)]) -> Vec<Option<usize>> {
    let mut sure: Vec<Option<usize>> = vec![None; ranges.len()];
    // Free places per range are counted over a tree of sums.
    let mut free = Sums::new(ranges.len());
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); ranges.len()];
    for (item, &(start, end)) in ranges.iter().enumerate() {
        // A range of more than 64 places hardly ever shrinks to one: what would follow from that is not looked for.
        (start..end).take(64).for_each(|place| waiting[place].push(item as u32));
    }
    let mut open: Vec<u32> = (0..ranges.len() as u32).collect();
    while let Some(item) = open.pop() {
        let (start, end) = ranges[item as usize];
        if sure[item as usize].is_some() || free.below(end) - free.below(start) != 1 {
            continue;
        }
        let place = free.nth(free.below(start));
        sure[item as usize] = Some(place);
        free.remove(place);
        open.extend(&waiting[place]);
    }
    sure
}

/// Places that are still free, counted by a Fenwick tree.
struct Sums {
    tree: Vec<usize>,
}

impl Sums {
    fn new(places: usize) -> Self {
        Self { tree: (0..=places).map(|at| at & at.wrapping_neg()).collect() }
    }

    fn below(&self, end: usize) -> usize {
        let (mut at, mut sum) = (end, 0);
        while at > 0 {
            sum += self.tree[at];
            at &= at - 1;
        }
        sum
    }

    fn remove(&mut self, place: usize) {
        let mut at = place + 1;
        while at < self.tree.len() {
            self.tree[at] -= 1;
            at += at & at.wrapping_neg();
        }
    }

    /// The place before which so many are free.
    fn nth(&self, before: usize) -> usize {
        let (mut at, mut left) = (0, before);
        let mut step = self.tree.len().next_power_of_two();
        while step > 0 {
            if at + step < self.tree.len() && self.tree[at + step] <= left {
                at += step;
                left -= self.tree[at];
            }
            step /= 2;
        }
        at
    }
}

/// The mean cracks over consistent matchings, by a walk that exchanges the hashes of two items where both stay consistent.
fn sampled(ranges: &[(usize, usize)], order: &[u32], truth: &[u32], seed: u64) -> Option<f64> {
    let items = ranges.len();
    // A consistent matching, if there is one: places from below, always to the open item whose range ends first.
    let mut by_start: Vec<u32> = (0..items as u32).collect();
    by_start.sort_by_key(|&item| ranges[item as usize].0);
    let mut place_of = vec![usize::MAX; items];
    let mut open = std::collections::BinaryHeap::new();
    let mut next = 0;
    for place in 0..items {
        while next < items && ranges[by_start[next] as usize].0 <= place {
            open.push(std::cmp::Reverse((ranges[by_start[next] as usize].1, by_start[next])));
            next += 1;
        }
        let std::cmp::Reverse((end, item)) = open.pop()?;
        if end <= place {
            return None;
        }
        place_of[item as usize] = place;
    }
    if items == 0 {
        return Some(0.0);
    }
    let mut item_at = vec![0u32; items];
    place_of.iter().enumerate().for_each(|(item, &place)| item_at[place] = item as u32);
    let mut random = Random::stream(seed, 26);
    let is_right = |item: usize, place: usize| order[place] == truth[item];
    let mut cracks = (0..items).filter(|&item| is_right(item, place_of[item])).count() as i64;
    let within = |item: usize, place: usize| (ranges[item].0..ranges[item].1).contains(&place);
    let (burn_in, rounds) = (items * 20, items * 60);
    let mut sum = 0.0;
    for step in 0..burn_in + rounds {
        let a = random.below(items);
        // Exchanging a and b is proposed with probability (1/|range of a| + 1/|range of b|)/items, and so is taking it back: the
        // walk is symmetric, and all consistent matchings that it reaches are equally likely.
        let (start, end) = ranges[a];
        let place = start + random.below(end - start);
        let b = item_at[place] as usize;
        let own = place_of[a];
        if a != b && within(b, own) {
            let change = |item: usize, from: usize, to: usize| {
                i64::from(is_right(item, to)) - i64::from(is_right(item, from))
            };
            cracks += change(a, own, place) + change(b, place, own);
            (place_of[a], place_of[b]) = (place, own);
            (item_at[place], item_at[own]) = (a as u32, b as u32);
        }
        if step >= burn_in {
            sum += cracks as f64;
        }
    }
    Some(sum / rounds as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean cracks over all consistent matchings, by going through all permutations.
    fn exact(beliefs: &Beliefs, frequencies: &[f64], truth: &[u32]) -> Option<f64> {
        fn each(
            item: usize,
            used: u32,
            cracks: u32,
            ok: &dyn Fn(usize, usize) -> bool,
            truth: &[u32],
            sums: &mut (u64, u64),
        ) {
            if item == truth.len() {
                *sums = (sums.0 + 1, sums.1 + u64::from(cracks));
                return;
            }
            for hash in (0..truth.len()).filter(|hash| used >> hash & 1 == 0) {
                if ok(item, hash) {
                    each(
                        item + 1,
                        used | 1 << hash,
                        cracks + u32::from(truth[item] as usize == hash),
                        ok,
                        truth,
                        sums,
                    );
                }
            }
        }
        let ok = |item: usize, hash: usize| {
            let (low, high) = beliefs.intervals[item];
            (low..=high).contains(&frequencies[hash])
        };
        let mut sums = (0, 0);
        each(0, 0, 0, &ok, truth, &mut sums);
        (sums.0 > 0).then(|| sums.1 as f64 / sums.0 as f64)
    }

    #[test]
    fn distinct_frequencies_give_everything_away_and_equal_ones_nothing() {
        let frequencies = [0.5, 0.1, 0.3, 0.2];
        let truth = [2, 1, 0, 3];
        let known: Vec<f64> = truth.iter().map(|&hash| frequencies[hash as usize]).collect();
        let sharp = crack(&Beliefs::around(&known, 0.05), &frequencies, &truth, 1).unwrap();
        assert_eq!(
            (sharp.score.sure, sharp.score.right, sharp.o_estimate, sharp.sampled),
            (4, 4, 4.0, Some(4.0))
        );
        let blind = Beliefs { intervals: vec![(0.0, 1.0); 4] };
        let none = crack(&blind, &frequencies, &truth, 1).unwrap();
        assert_eq!((none.score.sure, none.o_estimate), (0, 1.0));
        assert!(crack(&blind, &frequencies[..3], &truth, 1).is_err());
    }

    /// The walk agrees with all matchings. 60 rounds per item of 7 items: 20 times more are drawn here than one run draws, and
    /// the mean of 20 runs lies within 0.25 of the truth; the runs are seeded, so it always does.
    #[test]
    fn sampled_cracks_agree_with_all_matchings() {
        let frequencies = [0.10, 0.12, 0.15, 0.19, 0.24, 0.30, 0.37];
        let truth = [3, 1, 4, 0, 5, 2, 6];
        let known: Vec<f64> = truth.iter().map(|&hash| frequencies[hash as usize]).collect();
        for width in [0.22, 0.3, 0.5, 1.0] {
            let beliefs = Beliefs::around(&known, width);
            let expected = exact(&beliefs, &frequencies, &truth).unwrap();
            let runs =
                (0..20).map(|seed| crack(&beliefs, &frequencies, &truth, seed).unwrap().sampled.unwrap());
            let mean = runs.sum::<f64>() / 20.0;
            assert!((mean - expected).abs() < 0.25, "{width}: {mean} {expected}");
        }
    }

    #[test]
    fn what_is_forced_follows() {
        // Item 0 can only be place 0; then item 1, of places 0 and 1, is place 1; items 2 and 3 stay open.
        assert_eq!(forced(&[(0, 1), (0, 2), (2, 4), (2, 4)]), [Some(0), Some(1), None, None]);
        assert_eq!(forced(&[(0, 0), (0, 1)]), [None, Some(0)]);
    }
}
