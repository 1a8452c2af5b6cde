//! How probable a link is when everybody has one record at most and every record is one person's at most (survey AT-24).
//!
//! The model by itself judges pairs one by one: where fifty records look alike it calls fifty pairs matches of one
//! person, each nearly certain. Knowing that at most one is, the chance of a pair is its weight among those of all pairs
//! of the same person and of the possibility that there is none: P = s·2^w / ((1 − n·s) + s·Σ 2^w), with n pairs and s the
//! chance of a pair before it is looked at. The same holds for the record, and the smaller of the two is taken.
//!
//! **Guarantee.** The chances of a person's pairs, and those of a record's, add up to at most 1. They are the model's:
//! right as far as it is. Where only the pairs above a weight are listed (`tally.rs`), the weights of the others are left out
//! of the sum, and the chances are upper bounds.

use super::{Estimation, Pairs};

/// Chances of pairs.
pub(super) struct OneToOne {
    /// Per pattern the logarithm of s·2^w; nothing where no pair is a match.
    of_pattern: Vec<f64>,
    records: Vec<Sum>,
    people: Vec<Sum>,
}

/// A sum of exponentials, the largest taken out of it.
#[derive(Clone, Copy)]
struct Sum {
    largest: f64,
    rest: f64,
    pairs: u32,
}

impl Sum {
    const NOTHING: Self = Self { largest: f64::NEG_INFINITY, rest: 0.0, pairs: 0 };

    fn add(&mut self, exponent: f64) {
        if exponent > self.largest {
            self.rest = self.rest * (self.largest - exponent).exp() + 1.0;
            self.largest = exponent;
        } else if exponent > f64::NEG_INFINITY {
            self.rest += (exponent - self.largest).exp();
        }
    }

    fn share(&self, exponent: f64) -> f64 {
        match self.rest > 0.0 && exponent > f64::NEG_INFINITY {
            true => ((exponent - self.largest).exp() / self.rest).min(1.0),
            false => 0.0,
        }
    }
}

impl OneToOne {
    pub fn new(pairs: &Pairs, estimation: &Estimation) -> Self {
        // No more pairs are matches than the shorter side has members.
        let most = 1.0 / pairs.rows.0.max(pairs.rows.1).max(1) as f64;
        let share = if estimation.share.is_nan() { 0.0 } else { estimation.share.clamp(0.0, most) };
        let of_pattern =
            estimation.weights.iter().map(|weight| share.ln() + weight * std::f64::consts::LN_2).collect();
        let mut own = Self {
            of_pattern,
            records: vec![Sum::NOTHING; pairs.rows.0],
            people: vec![Sum::NOTHING; pairs.rows.1],
        };
        for pair in &pairs.pairs {
            let exponent = own.exponent(pair);
            let sums = [own.records.get_mut(pair.0 as usize), own.people.get_mut(pair.1 as usize)];
            for sum in sums.into_iter().flatten() {
                sum.add(exponent);
                sum.pairs += 1;
            }
        }
        // Where only some of the pairs are listed, the others are no less pairs.
        if pairs.counts.iter().sum::<u64>() > pairs.pairs.len() as u64 {
            own.records.iter_mut().for_each(|sum| sum.pairs = pairs.rows.1 as u32);
            own.people.iter_mut().for_each(|sum| sum.pairs = pairs.rows.0 as u32);
        }
        // None of them.
        for sum in own.records.iter_mut().chain(&mut own.people) {
            sum.add((1.0 - f64::from(sum.pairs) * share).max(0.0).ln());
        }
        own
    }

    fn exponent(&self, pair: &(u32, u32, u32)) -> f64 {
        self.of_pattern.get(pair.2 as usize).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// The chance that a pair of the list is a match.
    pub fn of(&self, pair: &(u32, u32, u32)) -> f64 {
        let exponent = self.exponent(pair);
        let of = |sums: &[Sum], own: u32| sums.get(own as usize).map_or(0.0, |sum| sum.share(exponent));
        of(&self.records, pair.0).min(of(&self.people, pair.1))
    }
}
