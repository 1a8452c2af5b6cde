//! Select-a-size randomization of sets of items, and the supports behind it (survey ME-22, US-09; Evfimievski, Srikant,
//! Agrawal and Gehrke).
//!
//! Of a set of m items, j are kept with probability p_j, which ones is left to chance, and each other item of the
//! universe is added with probability ρ. Whether l of the k items of a candidate were in a set before decides how many
//! are in it after: q of them are among the j that are kept (hypergeometric), and each of the k−l others is added with
//! probability ρ. That makes a (k+1)×(k+1) perturbation matrix, which is inverted (outside knowledge; checked by
//! enumeration in the tests).
//!
//! # Guarantee
//! Estimated supports are unbiased, with unbiased variances. [`SelectASize::gamma`] is the exact amplification, and
//! [`SelectASize::amplifying`] keeps the most items on average that a given γ and ρ allow (for at least 2m items).
//! p_0 is allowed (ERR-14). Sizes other than m need parameters of their own: the size itself would tell.

use crate::error::check_probability;
use crate::estimate::{CountEstimate, Estimated, Population, estimate_counts};
use crate::{Coins, Drawn, PerturbError, PerturbationMatrix};

/// By how much a computed γ may be above the one that was asked for.
const GAMMA_ROUNDING: f64 = 1e-9;

/// How sets of one size are randomized.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectASize {
    /// p_j for j from 0 to m.
    keep: Vec<f64>,
    add: f64,
    items: u32,
}

/// The estimated support of a set of items.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    /// How many original sets held all of its items.
    pub all: Estimated,
    /// How many original sets held l of its items, for each l from 0; `None` when it has more items than the sets do,
    /// so that none can hold all of them.
    pub partial: Option<CountEstimate>,
}

impl SelectASize {
    /// Of `keep.len() - 1` items j are kept with probability `keep[j]`; each other of the `items` is added with
    /// probability `add`.
    ///
    /// # Errors
    /// When `keep` is no distribution, `add` no probability, or there are fewer items than a set has.
    pub fn new(keep: Vec<f64>, add: f64, items: u32) -> Result<Self, PerturbError> {
        check_probability("the probability of adding an item", add)?;
        let outputs = keep.len();
        check_set_size(outputs.saturating_sub(1))?;
        // The row of a matrix is a distribution, and is checked as one.
        let keep: Vec<f64> = PerturbationMatrix::new(outputs, keep)?.rows().flatten().copied().collect();
        if outputs - 1 > items as usize {
            return Err(PerturbError::Parameter {
                name: "the number of items",
                accepted: "at least that of a set",
            });
        }
        Ok(Self { keep, add, items })
    }

    /// The parameters that keep the most items of sets of this size, on average, among those with an amplification of
    /// at most γ and this probability of adding.
    ///
    /// P(t → t′) depends on the overlap q only through w(q) = p_q/C(m,q)·((1−ρ)/ρ)^q, so γ is the ratio of the largest
    /// and the smallest w. The mean Σ q·p_q is largest when w is as small as possible up to some overlap and as large
    /// as possible beyond it.
    ///
    /// # Errors
    /// When γ is not finite and at least 1, `add` is not above 0 and below 1, there are fewer items than a set has, or γ
    /// needs probabilities below the smallest number there is: they would become 0, and what is published would exclude
    /// originals.
    pub fn amplifying(size: u32, items: u32, add: f64, gamma: f64) -> Result<Self, PerturbError> {
        if !(add > 0.0 && add < 1.0) {
            return Err(PerturbError::Parameter {
                name: "the probability of adding an item",
                accepted: "above 0 and below 1",
            });
        }
        if !(gamma >= 1.0 && gamma.is_finite()) {
            return Err(PerturbError::Parameter { name: "γ", accepted: "a finite number from 1 on" });
        }
        if size > items {
            return Err(PerturbError::Parameter {
                name: "the number of items",
                accepted: "at least that of a set",
            });
        }
        check_set_size(size as usize)?;
        let table = Factorials::new(size as usize);
        let odds = add.ln() - (-add).ln_1p();
        let log = |q: usize| table.choose(size as usize, q) + q as f64 * odds;
        let most = (0..=size as usize).map(log).fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = (0..=size as usize).map(|q| (log(q) - most).exp()).collect();
        let tilted = |from: usize| -> Vec<f64> {
            let weights = weights.iter().enumerate().map(|(q, w)| if q < from { *w } else { w * gamma });
            let weights: Vec<f64> = weights.collect();
            let sum: f64 = weights.iter().sum();
            weights.into_iter().map(|w| w / sum).collect()
        };
        let mean = |keep: &[f64]| keep.iter().enumerate().map(|(q, p)| q as f64 * p).sum::<f64>();
        let mut best = tilted(0);
        for from in 1..=size as usize {
            let next = tilted(from);
            if mean(&next) > mean(&best) {
                best = next;
            }
        }
        let law = Self::new(best, add, items)?;
        if law.gamma() > gamma * (1.0 + GAMMA_ROUNDING) {
            return Err(PerturbError::Parameter {
                name: "the size of a set",
                accepted: "smaller for this γ and this probability of adding, or the latter nearer to 1/2: some probabilities of \
                           keeping items would be too small to write down",
            });
        }
        Ok(law)
    }

    /// The parameters by which each item of a set is kept with one probability, independently of the others.
    ///
    /// # Errors
    /// When `retention` or `add` is no probability, or there are fewer items than a set has.
    pub fn keeping(retention: f64, size: u32, items: u32, add: f64) -> Result<Self, PerturbError> {
        check_probability("the probability of keeping an item", retention)?;
        check_set_size(size as usize)?;
        let (m, table) = (size as usize, Factorials::new(size as usize));
        let power = |base: f64, times: usize| if times == 0 { 0.0 } else { times as f64 * base.ln() };
        let keep: Vec<f64> = (0..=m)
            .map(|j| (table.choose(m, j) + power(retention, j) + power(1.0 - retention, m - j)).exp())
            .collect();
        // Powers of logarithms lose digits for large sets.
        let sum: f64 = keep.iter().sum();
        Self::new(keep.into_iter().map(|p| p / sum).collect(), add, items)
    }

    /// The probabilities of how many items are kept, from 0 on.
    pub fn keep(&self) -> &[f64] {
        &self.keep
    }

    /// ρ.
    pub fn add(&self) -> f64 {
        self.add
    }

    /// The number of items of a set.
    pub fn size(&self) -> usize {
        self.keep.len() - 1 // why: made from at least one entry
    }

    /// The expected number of items that are kept.
    pub fn expected_kept(&self) -> f64 {
        self.keep.iter().enumerate().map(|(j, p)| j as f64 * p).sum()
    }

    /// The amplification: the most by which a randomized set changes the odds between two original sets.
    pub fn gamma(&self) -> f64 {
        let (m, items) = (self.size(), self.items as usize);
        let table = Factorials::new(m);
        // 0 to the power of 0 is 1.
        let power = |base: f64, times: usize| if times == 0 { 0.0 } else { times as f64 * base.ln() };
        // What is the same for every overlap is left out: beside a large universe it would swallow the digits.
        let odds = (self.add > 0.0 && self.add < 1.0).then(|| (-self.add).ln_1p() - self.add.ln());
        let mut most = 1.0f64;
        // At sizes in between every overlap is possible, as it is at size m, and the ratios are the same.
        for size in (0..=items.min(m)).chain(items.saturating_sub(m)..=items) {
            let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
            for q in (m + size).saturating_sub(items)..=m.min(size) {
                let kept = self.keep.get(q).map_or(f64::NEG_INFINITY, |p| p.ln()) - table.choose(m, q);
                let log = match odds {
                    Some(odds) => kept + q as f64 * odds,
                    None => kept + power(self.add, size - q) + power(1.0 - self.add, items + q - m - size),
                };
                (high, low) = (high.max(log), low.min(log));
            }
            if high > f64::NEG_INFINITY {
                most = most.max((high - low).exp());
            }
        }
        most
    }

    /// Randomizes sets, each of which must hold as many different items as this is for; what comes out is sorted.
    ///
    /// # Errors
    /// When a set has another size, holds an item twice or an unknown one, or the source of randomness fails.
    pub fn randomize<C: Coins + ?Sized>(
        &self,
        sets: &[Vec<u32>],
        coins: &mut C,
    ) -> Result<Drawn<Vec<Vec<u32>>>, PerturbError> {
        let mut value = Vec::with_capacity(sets.len());
        for (record, set) in sets.iter().enumerate() {
            let mut own = set.clone();
            own.sort_unstable();
            own.dedup();
            if own.len() != set.len() || own.len() != self.size() {
                return Err(PerturbError::Length {
                    what: "different items in a set",
                    found: own.len(),
                    expected: self.size(),
                });
            }
            if own.last().is_some_and(|&item| item >= self.items) {
                return Err(PerturbError::Code { record, domain: self.items as usize });
            }
            value.push(self.randomize_one(own, coins)?);
        }
        Ok(Drawn { value, source: coins.source() })
    }

    fn randomize_one<C: Coins + ?Sized>(
        &self,
        own: Vec<u32>,
        coins: &mut C,
    ) -> Result<Vec<u32>, PerturbError> {
        let mut out = self.added(&own, coins)?;
        let (mut rest, unit) = (1.0, coins.unit()?);
        let mut kept = 0;
        for (j, p) in self.keep.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            kept = j;
            rest -= p;
            if 1.0 - rest > unit {
                break;
            }
        }
        let mut left = own;
        for _ in 0..kept {
            let place = coins.below(left.len() as u64)? as usize;
            if place < left.len() {
                out.push(left.swap_remove(place));
            }
        }
        out.sort_unstable();
        Ok(out)
    }

    /// Items that are not in the set, each with the probability of adding: from one to the next is a geometric step.
    fn added<C: Coins + ?Sized>(&self, own: &[u32], coins: &mut C) -> Result<Vec<u32>, PerturbError> {
        let others = u64::from(self.items) - own.len() as u64;
        let mut out = Vec::new();
        if self.add == 0.0 {
            return Ok(out);
        }
        let scale = (-self.add).ln_1p();
        let (mut place, mut before) = (0u64, 0usize);
        loop {
            // With ρ = 1 the scale is −∞, and every step is 0.
            let step = ((1.0 - coins.unit()?).ln() / scale).floor();
            // More than all items: as good as infinite.
            place = place.saturating_add(step.min(1e18) as u64);
            if place >= others {
                return Ok(out);
            }
            // The item with this place among those that are not in the set.
            while own.get(before).is_some_and(|&item| u64::from(item) <= place + before as u64) {
                before += 1;
            }
            out.push((place + before as u64) as u32);
            place += 1;
        }
    }

    /// P(l → l′) for a candidate of k items, of which a set holds l before and l′ after.
    ///
    /// # Errors
    /// When k is above the number of items of a set, or too large.
    pub fn transition(&self, k: usize) -> Result<PerturbationMatrix, PerturbError> {
        let m = self.size();
        if k > m {
            return Err(PerturbError::Parameter {
                name: "the size of a candidate",
                accepted: "at most that of a set",
            });
        }
        let table = Factorials::new(m);
        let power = |base: f64, times: usize| base.powi(times as i32);
        // kept[l][q]: of l items, q are among those that are kept.
        let kept = |l: usize, q: usize| -> f64 {
            let of = |(j, p): (usize, &f64)| {
                if j < q || j - q > m - l {
                    return 0.0;
                }
                p * (table.choose(l, q) + table.choose(m - l, j - q) - table.choose(m, j)).exp()
            };
            self.keep.iter().enumerate().map(of).sum()
        };
        let mut entries = vec![0.0; (k + 1) * (k + 1)];
        for (l, row) in entries.chunks_exact_mut(k + 1).enumerate() {
            for q in 0..=l {
                let kept = kept(l, q);
                for (added, entry) in row.iter_mut().skip(q).take(k - l + 1).enumerate() {
                    let chance = power(self.add, added) * power(1.0 - self.add, k - l - added);
                    *entry += kept * table.choose(k - l, added).exp() * chance;
                }
            }
        }
        PerturbationMatrix::new(k + 1, entries)
    }

    /// The support of a set of items before the sets were randomized.
    ///
    /// # Errors
    /// When the candidate holds an item twice or an unknown one, or the parameters cannot be inverted.
    pub fn support(
        &self,
        candidate: &[u32],
        randomized: &[Vec<u32>],
        population: Population,
    ) -> Result<Support, PerturbError> {
        let mut own = candidate.to_vec();
        own.sort_unstable();
        own.dedup();
        if own.len() != candidate.len() || own.last().is_some_and(|&item| item >= self.items) {
            return Err(PerturbError::Parameter {
                name: "the candidate",
                accepted: "different items of the universe",
            });
        }
        if own.len() > self.size() {
            return Ok(Support { all: Estimated { value: 0.0, variance: 0.0, few: 0.0 }, partial: None });
        }
        let mut observed = vec![0; own.len() + 1];
        for set in randomized {
            let held = own.iter().filter(|item| set.contains(item)).count();
            if let Some(count) = observed.get_mut(held) {
                *count += 1;
            }
        }
        let partial = estimate_counts(&self.transition(own.len())?, &observed, population)?;
        Ok(Support { all: partial.count(own.len())?, partial: Some(partial) })
    }
}

fn check_set_size(found: usize) -> Result<(), PerturbError> {
    const MOST: usize = 1000;
    if found > MOST {
        return Err(PerturbError::TooLarge { what: "the items of a set", found, most: MOST });
    }
    Ok(())
}

/// Logarithms of factorials.
struct Factorials(Vec<f64>);

impl Factorials {
    fn new(most: usize) -> Self {
        let mut sum = 0.0;
        let next = |n: usize| {
            sum += (n.max(1) as f64).ln();
            sum
        };
        Self((0..=most).map(next).collect())
    }

    /// ln C(n, k).
    fn choose(&self, n: usize, k: usize) -> f64 {
        match (self.0.get(n), self.0.get(k), self.0.get(n.wrapping_sub(k))) {
            (Some(all), Some(some), Some(rest)) if k <= n => all - some - rest,
            _ => f64::NEG_INFINITY,
        }
    }
}

#[cfg(test)]
mod tests;
