//! Counts, sums and means (survey ME-28).
//!
//! Guarantee: epsilon-private, or (epsilon, delta)-private where a [`Privacy`] asks for it, for the declared
//! neighbours and at most c records per person, with these sensitivities:
//!
//! | | add/remove | replace-one |
//! | --- | --- | --- |
//! | count of selected records | c | c |
//! | sum of all records | c·max(\|lower\|, \|upper\|) | c·(upper − lower) |
//! | sum of selected records | c·max(\|lower\|, \|upper\|) | c·(max(upper, 0) − min(lower, 0)) |
//!
//! A selected record that is replaced may leave the selection, hence the 0 in the last row. A mean is a noisy sum
//! about the middle of the bounds over a noisy count, half of epsilon each; when the number of records is public (all
//! records, replace-one), all of epsilon goes into the sum.

use dashu::integer::IBig;
use dashu::rational::RBig;

use crate::budget::{Epsilon, Loss, Privacy};
use crate::people::{Neighbours, People};
use crate::{Accuracy, Bounds, DpError, Noise};

/// Which records a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// Every record of the table.
    All,
    /// Those that fulfil a condition.
    Subset,
}

/// How many records fulfil a condition.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    /// Whom the guarantee is for.
    pub people: People,
}

impl Count {
    /// The noise that the answer needs.
    pub fn noise(&self, privacy: &Privacy) -> Result<Noise, DpError> {
        Noise::of(privacy, self.sensitivity(), self.sensitivity().pow(2))
    }

    /// The most that one person can change the count.
    fn sensitivity(&self) -> u128 {
        self.people.contributions().into()
    }

    /// The noisy count. It may be negative, which is no error: cutting it off would bias sums of counts.
    pub fn release(&self, count: u64, noise: &Noise) -> Result<i128, DpError> {
        noise.must_hide(self.sensitivity(), self.sensitivity().pow(2))?;
        noise.add(count.into())
    }
}

/// The sum of a column whose values are clamped to declared bounds.
#[derive(Debug, Clone, Copy)]
pub struct Sum {
    /// Whom the guarantee is for.
    pub people: People,
    /// What values are clamped to.
    pub bounds: Bounds,
    /// Which records are summed.
    pub selection: Selection,
}

impl Sum {
    /// The most that one person can change the sum, in units.
    pub fn sensitivity(&self) -> u128 {
        let (lower, upper) = (i128::from(self.bounds.lower()), i128::from(self.bounds.upper()));
        let one = match (self.people.neighbours(), self.selection) {
            (Neighbours::AddRemove, _) => lower.abs().max(upper.abs()),
            (Neighbours::ReplaceOne, Selection::All) => upper - lower,
            (Neighbours::ReplaceOne, Selection::Subset) => upper.max(0) - lower.min(0),
        };
        one.unsigned_abs() * u128::from(self.people.contributions())
    }

    /// The noise that the answer needs.
    pub fn noise(&self, privacy: &Privacy) -> Result<Noise, DpError> {
        let most = self.sensitivity();
        match privacy {
            Privacy::Pure(epsilon) => Ok(Noise::laplace(most, epsilon)),
            Privacy::Approximate(..) | Privacy::Probabilistic(..) | Privacy::Concentrated(_) => {
                let squared = most.checked_mul(most).ok_or(DpError::TooLarge {
                    what: "the sensitivity of the sum in units",
                    most: u64::MAX,
                })?;
                Noise::of(privacy, most, squared)
            }
        }
    }

    /// The noisy sum of values given in units of the grid, in units.
    pub fn release(&self, units: impl IntoIterator<Item = i64>, noise: &Noise) -> Result<i128, DpError> {
        noise.must_hide(self.sensitivity(), self.sensitivity().saturating_mul(self.sensitivity()))?;
        noise.add(units.into_iter().map(|value| i128::from(self.bounds.clamp(value))).sum())
    }
}

/// The mean of a column whose values are clamped to declared bounds.
#[derive(Debug, Clone)]
pub struct Mean {
    bounds: Bounds,
    middle: i64,
    loss: Loss,
    sum: Noise,
    /// `None` when the number of records is public.
    count: Option<Noise>,
}

impl Mean {
    /// A mean that costs epsilon.
    pub fn new(
        people: People,
        bounds: Bounds,
        selection: Selection,
        epsilon: &Epsilon,
    ) -> Result<Self, DpError> {
        let middle = bounds.lower() + (bounds.width() / 2) as i64;
        let about = Bounds::from_units(bounds.lower() - middle, bounds.upper() - middle, bounds.grid())?;
        let sum = Sum { people, bounds: about, selection };
        let public = people.neighbours() == Neighbours::ReplaceOne && selection == Selection::All;
        let share = epsilon.split(if public { 1 } else { 2 })?;
        let share = Privacy::Pure(share);
        let count = if public { None } else { Some(Count { people }.noise(&share)?) };
        Ok(Self {
            bounds,
            middle,
            loss: Privacy::Pure(epsilon.clone()).loss(),
            sum: sum.noise(&share)?,
            count,
        })
    }

    /// What an answer costs.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The noise of the sum about the middle of the bounds, in units, and that of the number of records unless that
    /// is public.
    pub fn noises(&self) -> (&Noise, Option<&Noise>) {
        (&self.sum, self.count.as_ref())
    }

    /// How far off the mean of about this many records is expected to be, in the column's own unit. The noise of the
    /// count matters only by the distance of the mean from the middle, which is taken at its largest.
    pub fn accuracy(&self, expected_records: u64) -> Accuracy {
        let records = expected_records.max(1) as f64;
        let sum = self.sum.accuracy().standard_deviation;
        let count = self.count.as_ref().map_or(0.0, |noise| noise.accuracy().standard_deviation);
        let one = self.bounds.grid().units_per_one() as f64;
        Accuracy {
            standard_deviation: sum.hypot(self.reach() * count) / records / one,
            half_width_95: self.half_width_95_of_all(expected_records, 1),
        }
    }

    /// With a probability of at least 95 %, all of so many means, each of about this many records, are off by this much at
    /// most, in the column's own unit; so also those that are picked out because they are large.
    pub fn half_width_95_of_all(&self, expected_records: u64, means: u64) -> f64 {
        let one = self.bounds.grid().units_per_one() as f64;
        self.width(self.reach(), means) / expected_records.max(1) as f64 / one
    }

    /// Within which the noise of the sum less `mean` times that of the count lies with 95 %, in units, for all of so many
    /// means at once. Both are Laplace noise; a discrete draw is at most half a unit further out than a continuous one (2√a ≤ 1 + a),
    /// and sums keep that, because all laws here fall to both sides of 0.
    fn width(&self, mean: f64, means: u64) -> f64 {
        let scale = |noise: &Noise| noise.scale().to_f64().value();
        let (a, b) = (scale(&self.sum), self.count.as_ref().map_or(0.0, scale) * mean.abs());
        let beyond = 0.05 / means.max(1) as f64;
        let tail = |x: f64| match () {
            () if b < a * 1e-9 => (-x / a).exp(),
            () if (a - b).abs() < a * 1e-6 => (1.0 + x / (2.0 * a)) * (-x / a.max(b)).exp(),
            () => (a * a * (-x / a).exp() - b * b * (-x / b).exp()) / (a * a - b * b),
        };
        let (mut low, mut high) = (0.0, (a + b) * (2.0 / beyond).ln());
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if tail(middle) > beyond { low = middle } else { high = middle }
        }
        let continuous =
            high * (1.0 + 1e-6) + 0.5 + if self.count.is_some() { mean.abs() / 2.0 } else { 0.0 };
        // Where noise is nearly always 0, each within its own width is the better bound.
        let each = |noise: &Noise| noise.half_width_95_of_all(means.max(1).saturating_mul(2));
        continuous.min(each(&self.sum) + mean.abs() * self.count.as_ref().map_or(0.0, each))
    }

    /// How far off the mean is that these two noisy numbers give, in the column's own unit, with a probability of at least 95 %
    /// for all of so many means at once: the noise of the sum less m times that of the count is the noisy sum less m times the noisy
    /// count where m is the true mean, so every m for which that is no wider than it may be is a possible one (Fieller). The width
    /// of the bounds where there may be no record.
    fn half_width_95(&self, sum: f64, records: f64, means: u64) -> f64 {
        let (one, reach) = (self.bounds.grid().units_per_one() as f64, self.reach());
        if records - self.records_off_95_of_all(means) < 1.0 {
            return self.bounds.width() as f64 / one;
        }
        let is_possible = |mean: f64| (sum - mean * records).abs() <= self.width(mean, means);
        let mean = (sum / records).clamp(-reach, reach);
        let end = |limit: f64| {
            if is_possible(limit) {
                return limit;
            }
            let (mut inside, mut outside) = (mean, limit);
            for _ in 0..50 {
                let middle = (inside + outside) / 2.0;
                if is_possible(middle) { inside = middle } else { outside = middle }
            }
            outside
        };
        (end(reach) - mean).max(mean - end(-reach)) / one
    }

    /// With a probability of at least 95 %, the noisy numbers of records of so many means are all off by this much at most.
    pub fn records_off_95_of_all(&self, means: u64) -> f64 {
        self.count.as_ref().map_or(0.0, |noise| noise.half_width_95_of_all(means))
    }

    /// How far the mean can be from the middle, in units.
    fn reach(&self) -> f64 {
        self.bounds.width() as f64 / 2.0
    }

    /// The noisy mean as an exact fraction within the bounds; the middle when the noisy count is below 1.
    pub fn release(&self, units: impl IntoIterator<Item = i64>) -> Result<RBig, DpError> {
        self.release_with_records(units).map(|(mean, _)| mean)
    }

    /// The noisy mean, and how far off it is at most, with a probability of at least 95 % for all of so many means at once.
    pub fn release_with_width(
        &self,
        units: impl IntoIterator<Item = i64>,
        means: u64,
    ) -> Result<(RBig, f64), DpError> {
        let (sum, records) = self.noisy(units)?;
        let real = |value: i128| RBig::from(IBig::from(value)).to_f64().value();
        Ok((self.quotient(sum, records), self.half_width_95(real(sum), real(records), means)))
    }

    /// The same with the noisy number of records that it was divided by, which is part of what epsilon pays for:
    /// [`Mean::accuracy`] of it tells how far off this mean may be.
    pub fn release_with_records(
        &self,
        units: impl IntoIterator<Item = i64>,
    ) -> Result<(RBig, i128), DpError> {
        let (sum, records) = self.noisy(units)?;
        Ok((self.quotient(sum, records), records))
    }

    /// The noisy sum about the middle, in units, and the noisy number of records.
    fn noisy(&self, units: impl IntoIterator<Item = i64>) -> Result<(i128, i128), DpError> {
        let (mut sum, mut records) = (0i128, 0i128);
        for value in units {
            sum += i128::from(self.bounds.clamp(value)) - i128::from(self.middle);
            records += 1;
        }
        let sum = self.sum.add(sum)?;
        let records = match &self.count {
            Some(noise) => noise.add(records)?,
            None => records,
        };
        Ok((sum, records))
    }

    fn quotient(&self, sum: i128, records: i128) -> RBig {
        let grid = self.bounds.grid();
        let (lower, upper) =
            (grid.fraction(self.bounds.lower().into()), grid.fraction(self.bounds.upper().into()));
        if records < 1 {
            return grid.fraction(self.middle.into());
        }
        let about = RBig::from(IBig::from(sum)) / RBig::from(IBig::from(records));
        let mean = (about + RBig::from(self.middle)) / RBig::from(grid.units_per_one());
        mean.clamp(lower, upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;
    use proptest::prelude::*;

    fn pure(text: &str) -> Privacy {
        Privacy::Pure(text.parse().unwrap())
    }

    #[test]
    fn sensitivities_are_explicit() {
        let bounds = Bounds::parse("-2", "5", Grid::new(1).unwrap()).unwrap();
        let people = |neighbours, c| People::new(neighbours, c).unwrap();
        let sum =
            |neighbours, c, selection| Sum { people: people(neighbours, c), bounds, selection }.sensitivity();
        assert_eq!(sum(Neighbours::AddRemove, 1, Selection::All), 50);
        assert_eq!(sum(Neighbours::ReplaceOne, 1, Selection::All), 70);
        assert_eq!(sum(Neighbours::ReplaceOne, 3, Selection::Subset), 210);
        let high = Bounds::integers(10, 12).unwrap();
        let of = |selection| {
            Sum { people: people(Neighbours::ReplaceOne, 1), bounds: high, selection }.sensitivity()
        };
        assert_eq!((of(Selection::All), of(Selection::Subset)), (2, 12));
        let count = Count { people: people(Neighbours::ReplaceOne, 4) };
        assert_eq!(count.noise(&pure("2")).unwrap().scale(), &RBig::from(2));
        let wide = Bounds::integers(-(1 << 61), 1 << 61).unwrap();
        let sum =
            Sum { people: people(Neighbours::ReplaceOne, u32::MAX), bounds: wide, selection: Selection::All };
        let approximate = Privacy::Approximate("1".parse().unwrap(), "1e-6".parse().unwrap());
        assert!(sum.noise(&approximate).is_err() && sum.noise(&pure("1")).is_ok());
    }

    #[test]
    fn large_budgets_give_the_truth() {
        // epsilon 1000 and sensitivity below 120: noise of more than 10 has probability below e^−80.
        let bounds = Bounds::integers(0, 100).unwrap();
        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            let people = People::one_record_each(neighbours);
            let sum = Sum { people, bounds, selection: Selection::All };
            let answer = sum.release([50, 70, 900, -4], &sum.noise(&pure("1000")).unwrap()).unwrap();
            assert!((answer - 220).abs() <= 10);
            let mean = Mean::new(people, bounds, Selection::All, &"1000".parse().unwrap()).unwrap();
            let values = vec![30; 1000];
            assert!((mean.release(values).unwrap().to_f64().value() - 30.0).abs() < 1.0);
            assert!(mean.accuracy(1000).half_width_95 < 1.0);
            assert!(mean.release([]).unwrap() <= RBig::from(100));
            let (_, records) = mean.release_with_records(vec![30; 1000]).unwrap();
            assert!((records - 1000).abs() <= 10);
        }
    }

    /// The width is 95 % and not 99 or 100: of 4,000 answers, whose share has a standard deviation of 0.35 % (six are 2.1 %), for
    /// means in the middle, at an end and in between.
    #[test]
    fn widths_of_means_are_95_percent() {
        let bounds = Bounds::integers(0, 1000).unwrap();
        let people = People::one_record_each(Neighbours::AddRemove);
        let mean = Mean::new(people, bounds, Selection::Subset, &"0.5".parse().unwrap()).unwrap();
        for values in [[0i64, 1000], [1000, 1000], [0, 0], [700, 800]] {
            let truth = (values[0] + values[1]) as f64 / 2.0;
            let covered = (0..4000).filter(|_| {
                let (found, half) = mean.release_with_width(values.into_iter().cycle().take(300), 1).unwrap();
                (found.to_f64().value() - truth).abs() <= half
            });
            let share = covered.count() as f64 / 4000.0;
            // At an end of the bounds half of the answers are moved to the end, which is the truth.
            let most = if truth == 500.0 || truth == 750.0 { 0.971 } else { 1.0 };
            assert!((0.929..=most).contains(&share), "{truth}: {share}");
        }
        let (_, half) = mean.release_with_width([], 1).unwrap();
        assert_eq!(half, 1000.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Brute force: no neighbour moves the sum by more than the sensitivity.
        #[test]
        fn no_neighbour_moves_the_sum_further(
            lower in -20i64..20, width in 0i64..30, mut table in prop::collection::vec((-60i64..60, any::<bool>()), 1..8),
            new in (-60i64..60, any::<bool>()), subset in any::<bool>(),
        ) {
            let bounds = Bounds::integers(lower, lower + width).unwrap();
            let selection = if subset { Selection::Subset } else { Selection::All };
            let total = |table: &[(i64, bool)]| -> i128 {
                table.iter().filter(|row| !subset || row.1).map(|row| i128::from(bounds.clamp(row.0))).sum()
            };
            let sum = |neighbours| Sum { people: People::one_record_each(neighbours), bounds, selection }.sensitivity();
            let before = total(&table);
            table[0] = new;
            prop_assert!((total(&table) - before).unsigned_abs() <= sum(Neighbours::ReplaceOne));
            let before = total(&table);
            table.pop();
            prop_assert!((total(&table) - before).unsigned_abs() <= sum(Neighbours::AddRemove));
        }
    }
}
