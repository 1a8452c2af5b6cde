//! Variance and standard deviation of a column within declared bounds, from a noisy count, sum and sum of squares.
//!
//! Guarantee: epsilon-private, a third of epsilon for each of the three. Values are taken about the middle of the bounds, at a
//! distance of at most H units, so one record changes the count by 1, the sum by H and the sum of squares by H². What is computed
//! from the three noisy numbers, the width included, costs nothing. The width is that of all variances that numbers within the
//! three noises' reach would give, each reach one that holds with 1 − 5 %/3: so it covers the truth in at least 95 of 100 answers.

use dashu::integer::IBig;
use dashu::rational::RBig;

use crate::budget::{Epsilon, Loss, Privacy};
use crate::people::People;
use crate::{Bounds, DpError, Noise};

/// The largest distance from the middle in units: its square, times 2^31 records, still is a whole number of 128 bits.
const MOST_REACH: u64 = 1 << 47;

/// The variance of a column, or its root.
#[derive(Debug, Clone)]
pub struct Spread {
    bounds: Bounds,
    middle: i64,
    reach: u64,
    is_root: bool,
    count: Noise,
    sum: Noise,
    squares: Noise,
    loss: Loss,
}

/// A noisy variance or deviation, and how far off it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoisySpread {
    /// The number, in the column's own unit (squared for a variance).
    pub value: f64,
    /// With a probability of at least 95 % it is off by this much at most.
    pub half_width_95: f64,
}

impl Spread {
    /// A variance, or with `is_root` a standard deviation, that costs epsilon.
    pub fn new(people: People, bounds: Bounds, is_root: bool, epsilon: &Epsilon) -> Result<Self, DpError> {
        let middle = bounds.lower() + (bounds.width() / 2) as i64;
        let reach = bounds.lower().abs_diff(middle).max(bounds.upper().abs_diff(middle));
        if reach > MOST_REACH {
            return Err(DpError::TooLarge { what: "the width of the bounds in units", most: 2 * MOST_REACH });
        }
        let share = epsilon.split(3)?;
        let records = u128::from(people.contributions());
        // Selected records that are replaced may leave the selection: a count then changes by no more than where they leave
        // the table. A sum about the middle may change from one end to the other.
        let ends = match people.neighbours() {
            crate::Neighbours::AddRemove => u128::from(reach),
            crate::Neighbours::ReplaceOne => bounds.width(),
        };
        let reach_squared = u128::from(reach) * u128::from(reach);
        let too_large = DpError::TooLarge { what: "the number of records per person", most: 1 << 31 };
        let squares = reach_squared.checked_mul(records).ok_or(too_large)?;
        Ok(Self {
            bounds,
            middle,
            reach,
            is_root,
            count: Noise::laplace(records, &share),
            sum: Noise::laplace(ends * records, &share),
            squares: Noise::laplace(squares, &share),
            loss: Privacy::Pure(epsilon.clone()).loss(),
        })
    }

    /// What an answer costs.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The noises of the count, of the sum about the middle of the bounds, and of the sum of squares about it, in units.
    pub fn noises(&self) -> [&Noise; 3] {
        [&self.count, &self.sum, &self.squares]
    }

    /// How far off the answer may be, of about this many records, before anything is known of them: all of so many answers
    /// together, with a probability of at least 95 %.
    pub fn half_width_95_of_all(&self, records: u64, answers: u64) -> f64 {
        let own = records.max(1) as f64;
        let half = (self.reach as f64).powi(2) / 2.0;
        self.finished([own, 0.0, half * own], answers).half_width_95
    }

    /// The noisy number of values in units; that of the declared bounds alone where there may be no record.
    pub fn release(
        &self,
        units: impl IntoIterator<Item = i64>,
        answers: u64,
    ) -> Result<NoisySpread, DpError> {
        let (mut count, mut sum, mut squares) = (0i128, 0i128, 0i128);
        for value in units {
            let value = i128::from(self.bounds.clamp(value)) - i128::from(self.middle);
            count += 1;
            sum += value;
            squares = squares.saturating_add(value * value);
        }
        let real = |value: i128| RBig::from(IBig::from(value)).to_f64().value();
        let noisy = [self.count.add(count)?, self.sum.add(sum)?, self.squares.add(squares)?].map(real);
        Ok(self.finished(noisy, answers))
    }

    /// From the three noisy numbers.
    fn finished(&self, [count, sum, squares]: [f64; 3], answers: u64) -> NoisySpread {
        let shares = answers.max(1).saturating_mul(3);
        let reach = self.reach as f64;
        let [of_count, of_sum, of_squares] = self.noises().map(|noise| noise.half_width_95_of_all(shares));
        // The largest variance of numbers between two ends is a quarter of the square of their distance (Popoviciu).
        let most = (self.bounds.width() as f64 / 2.0).powi(2);
        let variance = |count: f64, mean: f64, squares: f64| (squares / count - mean * mean).clamp(0.0, most);
        let mean = |sum: f64, count: f64| (sum / count).clamp(-reach, reach);
        let told = |units: f64| {
            let one = self.bounds.grid().units_per_one() as f64;
            if self.is_root { units.sqrt() / one } else { units / one / one }
        };
        // Values are rounded to the grid first, each by half a unit at most, and so is the deviation.
        let rounding = |value: f64| {
            let half = 0.5 / self.bounds.grid().units_per_one() as f64;
            if self.is_root { half } else { half * (2.0 * value.sqrt() + half) }
        };
        let fewest = count - of_count;
        if fewest < 1.0 {
            let value = told(variance(count.max(1.0), mean(sum, count.max(1.0)), squares.max(0.0)));
            return NoisySpread { value, half_width_95: told(most).max(value) };
        }
        let value = told(variance(count, mean(sum, count), squares));
        let largest = count + of_count;
        let ends = [
            mean(sum - of_sum, fewest),
            mean(sum - of_sum, largest),
            mean(sum + of_sum, fewest),
            mean(sum + of_sum, largest),
        ];
        let (low, high) = ends
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| (low.min(*own), high.max(*own)));
        let furthest = low.abs().max(high.abs());
        let nearest = if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) };
        let least = told(variance(largest, furthest, (squares - of_squares).max(0.0)));
        let greatest = told(variance(fewest, nearest, squares + of_squares));
        let half = (value - least).max(greatest - value).max(0.0);
        NoisySpread {
            value,
            half_width_95: (half + rounding(greatest.max(value))).min(told(most).max(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Neighbours;

    fn spread(bounds: Bounds, is_root: bool, epsilon: &str) -> Spread {
        Spread::new(
            People::one_record_each(Neighbours::AddRemove),
            bounds,
            is_root,
            &epsilon.parse().unwrap(),
        )
        .unwrap()
    }

    /// By hand: 0, 10, 20 have the variance 200/3.
    #[test]
    fn large_budgets_give_the_truth() {
        let bounds = Bounds::integers(0, 20).unwrap();
        let values = || [0i64, 10, 20].into_iter().cycle().take(3000);
        let found = spread(bounds, false, "1000").release(values(), 1).unwrap();
        assert!((found.value - 200.0 / 3.0).abs() < 0.5, "{found:?}");
        assert!(found.half_width_95 > 0.0 && found.half_width_95 < 20.0, "{found:?}");
        let root = spread(bounds, true, "1000").release(values(), 1).unwrap();
        assert!((root.value - (200f64 / 3.0).sqrt()).abs() < 0.1, "{root:?}");
        // Nobody: the width is all that the bounds allow.
        let nobody = spread(bounds, false, "1").release([], 1).unwrap();
        assert_eq!(nobody.half_width_95, 100.0);
        assert!(
            Spread::new(
                People::one_record_each(Neighbours::AddRemove),
                Bounds::integers(0, 1 << 50).unwrap(),
                false,
                &"1".parse().unwrap()
            )
            .is_err()
        );
    }

    /// At least 95 % of 2,000 answers, whose share has a standard deviation of 0.5 %: six of them are 3 %.
    #[test]
    fn the_width_covers_the_truth() {
        for (bounds, values) in [
            (Bounds::integers(0, 100).unwrap(), vec![5i64, 20, 30, 31, 90]),
            (Bounds::integers(-3, 3).unwrap(), vec![-3, 3, 3, 3]),
            (Bounds::integers(0, 1).unwrap(), vec![0, 0, 0, 1]),
        ] {
            let own = spread(bounds, false, "0.8");
            let all: Vec<i64> = values.iter().copied().cycle().take(values.len() * 100).collect();
            let mean = all.iter().sum::<i64>() as f64 / all.len() as f64;
            let truth = all.iter().map(|&v| (v as f64 - mean).powi(2)).sum::<f64>() / all.len() as f64;
            let covered = (0..2000)
                .filter(|_| {
                    let found = own.release(all.iter().copied(), 1).unwrap();
                    (found.value - truth).abs() <= found.half_width_95
                })
                .count();
            assert!(covered >= 1840, "{covered}");
        }
    }
}
