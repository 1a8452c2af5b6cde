//! Quantiles by the exponential mechanism over every point of a declared grid (Smith 2011; beside survey ME-31).
//!
//! Guarantee: epsilon-private for the declared neighbours, also with ties and without records. The distance of a
//! candidate y for the quantile p/q among n records, of which b are below y and e equal to it, is max(0, q·b − p·n,
//! p·n − q·(b+e)): 0 exactly for the quantiles. One record that is added or removed changes it by max(p, q−p) at
//! most, one that is replaced by q. All the points between two neighbouring values have the same distance, so they
//! are drawn together, with their number as a factor: the work depends on records, not on the grid.

use dashu::integer::UBig;

use crate::budget::{Epsilon, Loss, Privacy};
use crate::choice::{Ladder, draw};
use crate::people::{Neighbours, People};
use crate::{Bounds, DpError};

/// A private quantile of a column within declared bounds.
#[derive(Debug)]
pub struct Quantile {
    bounds: Bounds,
    above: u32,
    below: u32,
    ladder: Ladder,
    loss: Loss,
}

impl Quantile {
    /// The quantile `above/below`, such as 1/2 for the median; the denominator at most 1000.
    pub fn new(
        people: People,
        bounds: Bounds,
        above: u32,
        below: u32,
        epsilon: &Epsilon,
    ) -> Result<Self, DpError> {
        if below == 0 || above > below || below > 1000 {
            return Err(DpError::parameter(
                "the quantile",
                "a fraction from 0 to 1 with a denominator of 1 to 1000",
            ));
        }
        let common = greatest_common_divisor(above, below);
        let (above, below) = (above / common, below / common);
        let one = match people.neighbours() {
            Neighbours::AddRemove => above.max(below - above),
            Neighbours::ReplaceOne => below,
        };
        let sensitivity = u128::from(one) * u128::from(people.contributions());
        let ladder = Ladder::new(epsilon, sensitivity);
        let loss = Privacy::Pure(epsilon.clone()).loss();
        Ok(Self { bounds, above, below, ladder, loss })
    }

    /// By how many records the rank of an answer is off at most, with a probability of at least 95 %. Among N points,
    /// one of which has distance 0, those at distance D or more weigh at most N·W(D) together, and all of them at least
    /// W(0): with the least D that makes this 5 %, distances are below D; q units of distance are one record. `None` where
    /// the weights of the ladder end before: then all that is far weighs too much for any such bound, whatever the records.
    pub fn rank_error_95(&self) -> Option<f64> {
        self.rank_error_95_of_all(1)
    }

    /// The same for all of so many answers together, so also for those that are picked out because they are large: each
    /// is off by more with a probability of 5 % divided by their number.
    pub fn rank_error_95_of_all(&self, answers: u64) -> Option<f64> {
        let points = self.bounds.width() + 1;
        let least = self.ladder.weight(0) / points.checked_mul(20)?.checked_mul(answers.max(1).into())?;
        let distance = self.ladder.first_at_most(least)?;
        Some(distance.saturating_sub(1) as f64 / f64::from(self.below))
    }

    /// By how many records the rank is off at most, with about 95 %, where values are spread so that a step of rank is as many points of
    /// the grid everywhere: then the share of the weights from distance D on is W(D)/W(0). The bound of [`Quantile::rank_error_95`] holds for
    /// all tables, also for those in which all records have one value and all other points of the grid are far; few tables are like that.
    pub fn rank_error_95_if_even(&self, answers: u64) -> Option<f64> {
        let least = self.ladder.weight(0) / 20u128.checked_mul(answers.max(1).into())?;
        let distance = self.ladder.first_at_most(least)?;
        Some(distance as f64 / f64::from(self.below))
    }

    /// What an answer costs.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// A point of the grid near the quantile of values given in units, which are clamped to the bounds.
    pub fn release(&self, units: impl IntoIterator<Item = i64>) -> Result<i64, DpError> {
        let regions = self.regions(units);
        let weight = |region: &Region| UBig::from(self.ladder.weight(region.distance));
        let weights = regions.iter().map(|region| weight(region) * UBig::from(region.points));
        let (position, place) = draw(weights)?;
        let region = regions.get(position).ok_or(DpError::Generator)?;
        // All points of a region weigh the same, so the place within its weight chooses one of them uniformly.
        let step = u64::try_from(place / weight(region)).map_err(|_| DpError::Generator)?;
        Ok(region.first.saturating_add_unsigned(step))
    }

    /// The grid cut where the distance may change: every value that occurs, and what lies between.
    fn regions(&self, units: impl IntoIterator<Item = i64>) -> Vec<Region> {
        let mut values: Vec<i64> = units.into_iter().map(|value| self.bounds.clamp(value)).collect();
        values.sort_unstable();
        let n = values.len();
        let distance = |below: usize, equal: usize| {
            let (p, q) = (u128::from(self.above), u128::from(self.below));
            let (target, below, reached) = (p * n as u128, q * below as u128, q * (below + equal) as u128);
            below.saturating_sub(target).max(target.saturating_sub(reached))
        };
        let mut regions = Vec::new();
        let mut next = i128::from(self.bounds.lower());
        let mut below = 0;
        for run in values.chunk_by(|a, b| a == b) {
            let value = i128::from(run[0]);
            if value > next {
                regions.push(Region {
                    first: next as i64,
                    points: (value - next) as u128,
                    distance: distance(below, 0),
                });
            }
            regions.push(Region { first: run[0], points: 1, distance: distance(below, run.len()) });
            next = value + 1;
            below += run.len();
        }
        let left = i128::from(self.bounds.upper()) + 1 - next;
        if left > 0 {
            regions.push(Region { first: next as i64, points: left as u128, distance: distance(below, 0) });
        }
        regions
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if a == 0 { b } else { greatest_common_divisor(b % a, a) }
}

struct Region {
    first: i64,
    points: u128,
    distance: u128,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quantile(neighbours: Neighbours, bounds: (i64, i64), p: u32, q: u32, epsilon: &str) -> Quantile {
        let bounds = Bounds::integers(bounds.0, bounds.1).unwrap();
        Quantile::new(People::one_record_each(neighbours), bounds, p, q, &epsilon.parse().unwrap()).unwrap()
    }

    /// The exact probability of a larger error of the rank is below 5 %, and not absurdly so.
    #[test]
    fn the_error_of_the_rank_is_a_bound() {
        let values: Vec<i64> = (0..400).map(|i| i * 7 % 1000).collect();
        for (p, q, epsilon) in [(1, 2, "0.5"), (9, 10, "2"), (1, 4, "0.1")] {
            let quantile = quantile(Neighbours::AddRemove, (0, 999), p, q, epsilon);
            let limit = quantile.rank_error_95().unwrap() * f64::from(q);
            let weight =
                |region: &Region| quantile.ladder.weight(region.distance) as f64 * region.points as f64;
            let regions = quantile.regions(values.iter().copied());
            let all: f64 = regions.iter().map(weight).sum();
            let beyond: f64 =
                regions.iter().filter(|region| region.distance as f64 > limit).map(weight).sum();
            assert!(beyond / all <= 0.05, "{p}/{q}: {}", beyond / all);
            for answers in [3u64, 100] {
                let limit = quantile.rank_error_95_of_all(answers).unwrap() * f64::from(q);
                let far = regions.iter().filter(|region| region.distance as f64 > limit);
                let beyond = far.map(weight).sum::<f64>() / all;
                assert!(beyond <= 0.05 / answers as f64, "{p}/{q} among {answers}: {beyond}");
            }
            let near: f64 =
                regions.iter().filter(|region| region.distance as f64 > limit / 8.0).map(weight).sum();
            assert!(near / all > 0.05, "{p}/{q}: the bound is useless");
        }
    }

    /// By simulation: of 4,000 answers about values that are spread over the grid, those that are farther off in rank than is told for such
    /// values are 5 %, with a standard deviation of 0.34 %: between 2.9 and 7.1 is six of them. The bound for all tables holds nearly always.
    #[test]
    fn the_error_of_the_rank_of_even_values() {
        for (p, q, epsilon) in [(1, 2, "0.5"), (9, 10, "1")] {
            let quantile = quantile(Neighbours::AddRemove, (0, 99_999), p, q, epsilon);
            let values: Vec<i64> = (0..20_000).map(|i| i * 5 + 2).collect();
            let (even, all) = (quantile.rank_error_95_if_even(1).unwrap(), quantile.rank_error_95().unwrap());
            assert!(even < 0.4 * all, "{even} {all}");
            let target = 20_000.0 * f64::from(p) / f64::from(q);
            let regions = quantile.regions(values.iter().copied());
            let weights: Vec<f64> = regions
                .iter()
                .map(|own| quantile.ladder.weight(own.distance) as f64 * own.points as f64)
                .collect();
            let total: f64 = weights.iter().sum();
            let mut random = uniform(p);
            let mut beyond = 0;
            for _ in 0..4000 {
                let mut place = random() * total;
                let at = weights.iter().position(|own| {
                    place -= own;
                    place < 0.0
                });
                let first = regions[at.unwrap_or(0)].first;
                let rank = values.partition_point(|value| *value < first) as f64;
                beyond += i32::from((rank - target).abs() > even);
            }
            let share = f64::from(beyond) / 4000.0;
            assert!((0.029..=0.071).contains(&share), "{p}/{q}: {share}");
        }
    }

    /// Repeatable uniform numbers.
    fn uniform(seed: u32) -> impl FnMut() -> f64 {
        let mut state = u64::from(seed);
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// Where the ladder ends before what is far weighs little, there is no bound, and none is told: at an epsilon of 1e-6 with
    /// values that may be anything, nearly all answers are at its end. With one point nothing can be off.
    #[test]
    fn the_end_of_the_ladder_is_no_bound() {
        let wide = quantile(Neighbours::AddRemove, (0, 1 << 60), 1, 2, "0.000001");
        assert_eq!(wide.rank_error_95(), None);
        let regions = wide.regions((0..1000).map(|i| i << 40));
        let weight = |region: &Region| wide.ladder.weight(region.distance) as f64 * region.points as f64;
        let (all, far): (f64, f64) = regions.iter().fold((0.0, 0.0), |(all, far), region| {
            (all + weight(region), far + if region.distance > 400 { weight(region) } else { 0.0 })
        });
        assert!(far / all > 0.9);
        // Epsilon 1e-4 on two points: weights end at 2^20 steps of 5e-5, that is e^-52, and the bound is (ln 40)/5e-5 = 73778.
        let narrow = quantile(Neighbours::AddRemove, (0, 1), 1, 2, "0.0001");
        let bound = narrow.rank_error_95().unwrap();
        assert!((bound * 2.0 - 40f64.ln() / 5e-5).abs() < 2.0, "{bound}");
        assert!(quantile(Neighbours::AddRemove, (5, 5), 1, 2, "1000").rank_error_95().unwrap() < 1.0);
        // The largest grid: ln(20·2^62) = 45.97, in steps of 1/2, two of which are a record.
        let widest = quantile(Neighbours::AddRemove, (-(1 << 61), 1 << 61), 1, 2, "1");
        assert!(widest.rank_error_95().is_some_and(|bound| bound > 45.0 && bound < 46.5));
    }

    /// Weight per grid point, straight from the regions.
    fn weights(quantile: &Quantile, values: &[i64]) -> Vec<u128> {
        let mut all = Vec::new();
        for region in quantile.regions(values.iter().copied()) {
            (0..region.points).for_each(|_| all.push(quantile.ladder.weight(region.distance)));
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// The whole distribution on a small grid against the definition, and the ratio for all neighbours.
        #[test]
        fn exact_distribution_and_ratio(
            values in prop::collection::vec(0i64..8, 0..6), new in 0i64..8, p in 0u32..4, replace in any::<bool>(),
        ) {
            let neighbours = if replace { Neighbours::ReplaceOne } else { Neighbours::AddRemove };
            let quantile = quantile(neighbours, (0, 7), p, 3, "0.7");
            let now = weights(&quantile, &values);
            prop_assert_eq!(now.len(), 8);
            let n = values.len() as i64;
            let (p, q) = if p % 3 == 0 { (i64::from(p / 3), 1) } else { (p.into(), 3) };
            for y in 0..8i64 {
                let b = values.iter().filter(|&&v| v < y).count() as i64;
                let e = values.iter().filter(|&&v| v == y).count() as i64;
                let distance = 0.max(q * b - p * n).max(p * n - q * (b + e));
                prop_assert_eq!(now[y as usize], quantile.ladder.weight(distance as u128));
            }
            let mut other = values;
            match (replace, other.first_mut()) {
                (true, Some(first)) => *first = new,
                (true, None) => {}
                (false, _) => other.push(new),
            }
            let then = weights(&quantile, &other);
            let total = |weights: &[u128]| weights.iter().map(|&w| w as f64).sum::<f64>();
            let (sum, total) = (total(&now), total(&then));
            for (a, b) in now.iter().zip(&then) {
                let ratio = (*a as f64 / sum) / (*b as f64 / total);
                prop_assert!(ratio.ln().abs() <= 0.7 + 1e-9);
            }
        }
    }

    /// The ladder is made for exactly the most that a distance changes, found by trying all tables of three values.
    #[test]
    fn sensitivity_by_brute_force() {
        let tables = |length: u32| {
            (0..4i64.pow(length)).map(move |i| (0..length).map(|d| i / 4i64.pow(d) % 4).collect())
        };
        for (neighbours, other_length) in [(Neighbours::AddRemove, 4u32), (Neighbours::ReplaceOne, 3)] {
            let quantile = quantile(neighbours, (0, 3), 1, 3, "1");
            let distances = |values: &Vec<i64>| -> Vec<u128> {
                let regions = quantile.regions(values.iter().copied());
                regions.iter().flat_map(|r| (0..r.points).map(|_| r.distance)).collect()
            };
            let mut most = 0;
            let first: Vec<Vec<i64>> = tables(3).collect();
            let second: Vec<Vec<i64>> = tables(other_length).collect();
            for a in &first {
                // Neighbours up to order: the first two values stay, and with them the third when one is added.
                let same = other_length as usize - 1;
                for b in second.iter().filter(|b| b[..same] == a[..same]) {
                    let changes = distances(a).into_iter().zip(distances(b)).map(|(x, y)| x.abs_diff(y));
                    most = changes.fold(most, u128::max);
                }
            }
            assert_eq!(most, if neighbours == Neighbours::AddRemove { 2 } else { 3 });
            assert_eq!(quantile.ladder.weight(1), Ladder::new(&"1".parse().unwrap(), most).weight(1));
        }
    }

    #[test]
    fn near_the_truth_with_a_large_budget() {
        // 1001 distinct values: one rank off costs e^−25 at epsilon 50, so more than 3 off has probability < 10^−30.
        let values: Vec<i64> = (0..1001).map(|i| i * 1_000_000).collect();
        let median = quantile(Neighbours::AddRemove, (0, 1 << 60), 1, 2, "50");
        let answer = median.release(values).unwrap();
        assert!((answer - 500_000_000).abs() <= 3_000_000, "{answer}");
        // Ties: six of ten are 4.
        let ties = quantile(Neighbours::ReplaceOne, (0, 1000), 1, 2, "1000");
        assert_eq!(ties.release([4, 4, 4, 4, 4, 4, 9, 9, 9, 9]).unwrap(), 4);
    }

    #[test]
    fn edges() {
        let empty = quantile(Neighbours::AddRemove, (-3, 3), 1, 2, "1");
        assert!((-3..=3).contains(&empty.release([]).unwrap()));
        let point = quantile(Neighbours::AddRemove, (5, 5), 1, 1, "1");
        assert_eq!(point.release([1, 9, 5]).unwrap(), 5);
        let widest = quantile(Neighbours::AddRemove, (-(1 << 61), 1 << 61), 1, 2, "0.1");
        assert!(widest.release([0, i64::MAX, i64::MIN]).is_ok());
        let people = People::one_record_each(Neighbours::AddRemove);
        let bounds = Bounds::integers(0, 1).unwrap();
        for (p, q) in [(1, 0), (3, 2), (1, 1001)] {
            assert!(Quantile::new(people, bounds, p, q, &"1".parse().unwrap()).is_err());
        }
    }
}
