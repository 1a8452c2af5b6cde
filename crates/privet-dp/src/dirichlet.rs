//! Synthetic points by Dirichlet resampling (survey ME-46, TH-22).
//!
//! H is the histogram over declared keys and every key gets `a` further balls. Drawing m points from a distribution X
//! ~ Dir(H + a) is the same as a Pólya urn: draw a ball, note it, put back two of its kind. The urn needs whole
//! numbers only, so that is how points are drawn: exactly.
//!
//! Guarantee: epsilon-private for both neighbourhoods when a ≥ m/(e^epsilon − 1). Between neighbours by replacement a
//! sequence changes its probability by (h+a+m)/(h+a) ≤ (a+m)/a at most, and the bound is reached at h = 0, so less
//! noise would not do. When a record is added instead, the total N grows too: the ratio is the former times N/(N+m) <
//! 1, or at most its inverse (N+m)/N ≤ (a+m)/a. With c records per person each gets epsilon/c. The (epsilon, delta)
//! variant with less noise is not here: the survey gives no formula.

use dashu::integer::IBig;
use dashu::rational::RBig;

use crate::bits::Bits;
use crate::budget::{Epsilon, Loss, Privacy};
use crate::people::People;
use crate::{DpError, exact};

/// Resampling of `draws` points.
#[derive(Debug)]
pub struct Dirichlet {
    draws: u64,
    balls: u64,
    loss: Loss,
}

impl Dirichlet {
    /// The least noise per key for so many points, rounded up: m/(e^epsilon − 1).
    pub fn least_noise(draws: u64, epsilon: &Epsilon) -> Result<RBig, DpError> {
        let factor = exact::exp_lower(epsilon.value()) - RBig::ONE;
        if factor <= RBig::ZERO {
            return Err(DpError::parameter("epsilon", "above 1e-40 for resampling"));
        }
        Ok(RBig::from(IBig::from(draws)) / factor)
    }

    /// Resampling of `draws` points at the cost of epsilon.
    pub fn new(people: People, draws: u64, epsilon: &Epsilon) -> Result<Self, DpError> {
        let least = Self::least_noise(draws, &epsilon.split(people.contributions().into())?)?;
        let most = u64::MAX >> 2;
        let balls =
            u64::try_from(least.ceil()).ok().filter(|&balls| balls < most && draws <= u64::from(u32::MAX));
        let balls =
            balls.ok_or(DpError::TooLarge { what: "the noise per key, or the number of points", most })?;
        Ok(Self { draws, balls, loss: Privacy::Pure(epsilon.clone()).loss() })
    }

    /// What it costs.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The balls that every key gets.
    pub fn noise(&self) -> u64 {
        self.balls
    }

    /// How many of the new points have each key.
    pub fn release(&self, counts: &[u64]) -> Result<Vec<u64>, DpError> {
        let large = DpError::TooLarge { what: "the number of records and noise together", most: u64::MAX };
        let mut ends = Vec::with_capacity(counts.len());
        let mut total = 0u64;
        for &count in counts {
            match total.checked_add(count).and_then(|sum| sum.checked_add(self.balls)) {
                Some(sum) => total = sum,
                None => return Err(large),
            }
            ends.push(total);
        }
        if total.checked_add(self.draws).is_none() {
            return Err(large);
        }
        if total == 0 && self.draws > 0 {
            return Err(DpError::Declaration("at least one declared key"));
        }
        let mut bits = Bits::system();
        let mut points = vec![0u64; counts.len()];
        let mut drawn: Vec<u32> = Vec::new();
        for step in 0..self.draws {
            // The urn holds the first balls and one more of each kind that was drawn.
            let ball = bits.below(total + step)?;
            let key = match ball.checked_sub(total) {
                Some(earlier) => drawn[earlier as usize], // why: below the number of draws so far
                None => ends.partition_point(|&end| end <= ball) as u32,
            };
            drawn.push(key);
            points[key as usize] += 1; // why: ball < total, the last end
        }
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Neighbours;

    /// The probability that the urn gives a sequence.
    fn urn(balls: &[u64], sequence: &[usize]) -> RBig {
        let mut balls = balls.to_vec();
        let mut probability = RBig::ONE;
        for &key in sequence {
            probability *= RBig::from(balls[key]) / RBig::from(balls.iter().sum::<u64>());
            balls[key] += 1;
        }
        probability
    }

    fn sequences(keys: usize, length: u32) -> impl Iterator<Item = Vec<usize>> {
        (0..keys.pow(length)).map(move |i| (0..length).map(|d| i / keys.pow(d) % keys).collect())
    }

    /// survey TH-22: the same sequences as a Dirichlet distribution, by the integral
    /// ∫ Π x_i^{k_i} dDir(b) = Π (b_i+k_i−1)!/(b_i−1)! · (B−1)!/(B+m−1)!.
    #[test]
    fn urn_equals_dirichlet() {
        let factorial = |n: u64| (1..=n).fold(RBig::ONE, |product, i| product * RBig::from(i));
        let balls = [2u64, 5, 1];
        let mut sum = RBig::ZERO;
        for sequence in sequences(3, 4) {
            let mut integral = factorial(7) / factorial(11);
            for (key, &b) in balls.iter().enumerate() {
                let k = sequence.iter().filter(|&&s| s == key).count() as u64;
                integral *= factorial(b + k - 1) / factorial(b - 1);
            }
            assert_eq!(urn(&balls, &sequence), integral);
            sum += integral;
        }
        assert_eq!(sum, RBig::ONE);
    }

    /// survey ME-46: the worst ratio of neighbours is (a+m)/a, for a=3 and m=5 that is 8/3; for both neighbourhoods.
    #[test]
    fn worst_ratio_is_the_bound() {
        let mut worst = RBig::ZERO;
        let tables = [[0u64, 0], [0, 1], [1, 0], [0, 2], [1, 1], [2, 0]];
        let with = |table: [u64; 2]| [table[0] + 3, table[1] + 3];
        for a in tables {
            for b in tables {
                let distance = a[0].abs_diff(b[0]) + a[1].abs_diff(b[1]);
                let replaced = distance == 2 && a[0] + a[1] == b[0] + b[1];
                if distance == 1 || replaced {
                    let ratios = sequences(2, 5).map(|s| urn(&with(a), &s) / urn(&with(b), &s));
                    worst = ratios.fold(worst, |worst, ratio| worst.max(ratio));
                }
            }
        }
        assert_eq!(worst, RBig::from_parts(8.into(), 3u8.into()));
    }

    /// survey ME-46: m=100, epsilon=1 ⇒ 58.198.
    #[test]
    fn least_noise_of_the_survey() {
        let epsilon = "1".parse().unwrap();
        assert!((Dirichlet::least_noise(100, &epsilon).unwrap().to_f64().value() - 58.198).abs() < 5e-4);
        let people = People::one_record_each(Neighbours::ReplaceOne);
        assert_eq!(Dirichlet::new(people, 100, &epsilon).unwrap().noise(), 59);
        let two = People::new(Neighbours::ReplaceOne, 2).unwrap();
        assert_eq!(Dirichlet::new(two, 100, &epsilon).unwrap().noise(), 155); // 100/(e^0.5 − 1) = 154.15
    }

    #[test]
    fn points_and_edges() {
        let people = People::one_record_each(Neighbours::AddRemove);
        let dirichlet = Dirichlet::new(people, 1000, &"1000".parse().unwrap()).unwrap();
        assert_eq!(dirichlet.noise(), 1);
        let points = dirichlet.release(&[1_000_000_000, 0, 3]).unwrap();
        assert_eq!(points.iter().sum::<u64>(), 1000);
        assert!(points[0] > 990);
        assert!(dirichlet.release(&[]).is_err());
        assert!(dirichlet.release(&[u64::MAX]).is_err());
        let none = Dirichlet::new(people, 0, &"1".parse().unwrap()).unwrap();
        assert_eq!(none.release(&[4, 0]).unwrap(), [0, 0]);
        assert!(none.release(&[]).unwrap().is_empty());
        assert!(Dirichlet::new(people, u64::MAX, &"1e-9".parse().unwrap()).is_err());
    }

    /// Mean and variance are those of the Dirichlet-multinomial distribution: m·p and m·p(1−p)·(N+m)/(N+1). 4000 runs;
    /// the bounds are six standard deviations away or more, a false alarm in 10^8 runs. Plain resampling, without the
    /// ball that is put back, would have 1 where the last factor is 1.39.
    #[test]
    fn points_are_those_of_the_urn() {
        let people = People::one_record_each(Neighbours::AddRemove);
        let dirichlet = Dirichlet::new(people, 20, &"2".parse().unwrap()).unwrap();
        assert_eq!(dirichlet.noise(), 4);
        let draws: Vec<f64> = (0..4000).map(|_| dirichlet.release(&[30, 10]).unwrap()[0] as f64).collect();
        let mean = draws.iter().sum::<f64>() / 4000.0;
        let p = 34.0 / 48.0;
        assert!((mean / 20.0 - p).abs() < 0.012, "{mean}");
        let variance = draws.iter().map(|x| (x - 20.0 * p).powi(2)).sum::<f64>() / 4000.0;
        let factor = variance / (20.0 * p * (1.0 - p));
        assert!((1.19..1.60).contains(&factor), "{factor} instead of {}", 68.0 / 49.0);
    }
}
