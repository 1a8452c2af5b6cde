//! The k most frequent declared keys, by peeling: k times the exponential mechanism, each with epsilon/k.
//!
//! Guarantee: epsilon-private for the declared neighbours. The distance of a key is the largest count minus its own.
//! When a person with c records is added, the largest count rises by some a from 0 to c and every other by 0 to c, so
//! all distances change by between a − c and a: a ladder of weights e^(−x·distance) with x·c = epsilon/k changes no
//! probability by more (`choice.rs`). Taking away is the same backwards, and replacing is both, at half of x. A key
//! that was chosen is left out of the later rounds. Only the keys and their order are released, not their counts.

use dashu::integer::UBig;

use crate::DpError;
use crate::budget::{Epsilon, Loss, Privacy};
use crate::choice::{Ladder, draw};
use crate::people::{Neighbours, People};

/// The most frequent keys.
#[derive(Debug)]
pub struct TopK {
    k: usize,
    ladder: Ladder,
    loss: Loss,
    /// By how much a unit of distance lowers the logarithm of a weight.
    rate: f64,
}

impl TopK {
    /// The `k` most frequent.
    pub fn new(people: People, k: usize, epsilon: &Epsilon) -> Result<Self, DpError> {
        if k == 0 {
            return Err(DpError::parameter("k", "1 or more"));
        }
        let most = u128::from(people.contributions());
        let sensitivity = match people.neighbours() {
            Neighbours::AddRemove => most,
            Neighbours::ReplaceOne => 2 * most,
        };
        let share = epsilon.split(k as u64)?;
        let ladder = Ladder::one_sided(&share, sensitivity);
        let rate = share.value().to_f64().value() / sensitivity as f64;
        Ok(Self { k, ladder, loss: Privacy::Pure(epsilon.clone()).loss(), rate })
    }

    /// With a probability of at least 95 %, each of the chosen among so many keys has at most so many fewer records
    /// than the most frequent one that was left at its turn. In one turn a key at distance t is drawn with
    /// probability e^(−rate·t) at most; there are k turns and as many keys. `None` where the weights end before.
    pub fn falls_short_95(&self, keys: usize) -> Option<f64> {
        let turns = self.k.min(keys.max(1)) as f64;
        let short = ((turns * keys.max(1) as f64 / 0.05).ln() / self.rate).ceil();
        (short.is_finite() && short < self.ladder.len() as f64).then_some(short)
    }

    /// What an answer costs.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The chosen positions, most frequent first; all of them when there are fewer than k.
    pub fn release(&self, counts: &[u64]) -> Result<Vec<usize>, DpError> {
        let mut left: Vec<usize> = (0..counts.len()).collect();
        let mut chosen = Vec::new();
        while chosen.len() < self.k && !left.is_empty() {
            let largest = left.iter().map(|&i| counts[i]).max().unwrap_or(0);
            let weights = left.iter().map(|&i| UBig::from(self.ladder.weight((largest - counts[i]).into())));
            let (position, _) = draw(weights)?;
            chosen.push(left.swap_remove(position));
        }
        Ok(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All neighbours of small counts: the exact probability of every first choice changes by e^(epsilon/k) at most.
    #[test]
    fn ratio_for_all_small_counts() {
        for (neighbours, k) in [(Neighbours::AddRemove, 1), (Neighbours::ReplaceOne, 2)] {
            let top = TopK::new(People::one_record_each(neighbours), k, &"1.5".parse().unwrap()).unwrap();
            let share = 1.5 / k as f64;
            let probabilities = |counts: [u64; 3]| {
                let largest = *counts.iter().max().unwrap();
                let weights = counts.map(|c| top.ladder.weight((largest - c).into()) as f64);
                let sum: f64 = weights.iter().sum();
                weights.map(|w| w / sum)
            };
            let mut worst = 0f64;
            for cell in 0..125u64 {
                let counts = [cell % 5 + 1, cell / 5 % 5, cell / 25];
                for to in 0..3 {
                    let mut other = counts;
                    other[to] += 1;
                    if neighbours == Neighbours::ReplaceOne {
                        other[0] -= 1;
                    }
                    let (p, q) = (probabilities(counts), probabilities(other));
                    worst = p.iter().zip(&q).map(|(p, q)| (p / q).ln().abs()).fold(worst, f64::max);
                }
            }
            // And hardly more noise than needed: a bound that is never reached would be wasted.
            assert!(worst <= share + 1e-9 && worst > share * 0.6, "{neighbours:?}: {worst} of {share}");
        }
    }

    /// Counts for which the bound is nearly reached: all others fall one record more short than it allows. In the first turn
    /// one of them is drawn with probability 5w/(1 + 5w), w = e^(−0.25·23), which is 0.015665. Of 2000 choices fewer than 7 or
    /// more than 64 are then so with a probability of 1.1e-7 (binomial: 3.4e-8 and 7.3e-8); a bound that is missed in more
    /// than 5 % of choices, as one must not be, would be missed in 100.
    #[test]
    fn the_bound_of_the_choice_holds() {
        let people = People::one_record_each(Neighbours::AddRemove);
        let top = TopK::new(people, 2, &"0.5".parse().unwrap()).unwrap();
        let counts = [90u64, 67, 67, 67, 67, 67];
        let bound = top.falls_short_95(6).unwrap();
        // ln(2·6/0.05)/0.25 = 21.9
        assert_eq!(bound, 22.0);
        let missed = (0..2000).filter(|_| {
            let chosen = top.release(&counts).unwrap();
            let second =
                counts.iter().enumerate().filter(|(i, _)| *i != chosen[0]).map(|own| *own.1).max().unwrap();
            (90 - counts[chosen[0]]) as f64 > bound || (second - counts[chosen[1]]) as f64 > bound
        });
        let missed = missed.count();
        assert!((7..=64).contains(&missed), "{missed}");
        let tiny = TopK::new(people, 1, &"1e-9".parse().unwrap()).unwrap();
        assert_eq!(tiny.falls_short_95(6), None);
        assert!(top.falls_short_95(0).is_some());
    }

    #[test]
    fn the_order_with_a_large_budget_and_edges() {
        let people = People::one_record_each(Neighbours::AddRemove);
        let top = TopK::new(people, 3, &"1000".parse().unwrap()).unwrap();
        assert_eq!(top.release(&[5, 100, 1, 80, 60]).unwrap(), [1, 3, 4]);
        assert_eq!(top.release(&[5]).unwrap(), [0]);
        assert!(top.release(&[]).unwrap().is_empty());
        assert_eq!(top.release(&[0, u64::MAX]).unwrap(), [1, 0]);
        assert!(TopK::new(people, 0, &"1".parse().unwrap()).is_err());
    }
}
