//! Flows: how many trips go from one cell to another, with differential privacy.
//!
//! Guarantee: ε-differential privacy (or (ε, δ) with Gaussian noise) for a person with all the person's trips, under adding
//! or removing a person. At most `trips` trips of a person count, the first ones; cells are declared before looking at the
//! data, and every pair of declared cells gets a noisy count, empty ones too. A threshold drops counts that are mostly
//! noise, which costs nothing.

use foldhash::HashMap;
use privet_dp::{Histogram, Loss, Neighbours, Noise, People, Privacy};

use crate::{Cell, Tiling, TraceError, Traces};

/// The most pairs of cells.
const MOST_PAIRS: usize = 1 << 26;

/// From where to where how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// The number of the cell of origin, among those that were declared.
    pub origin: u32,
    /// The number of the cell of destination.
    pub destination: u32,
    /// How many trips.
    pub count: i64,
}

/// Flows between declared cells.
#[derive(Debug, Clone, Copy)]
pub struct PrivateFlows {
    /// The number of declared cells.
    pub cells: u32,
    /// The most trips of a person that count.
    pub trips: u32,
}

/// The trips of people: per trip whose it is, and the declared cells where it begins and ends.
pub fn ends_of_trips(
    traces: &Traces,
    tiling: &Tiling,
    level: u8,
    declared: &[Cell],
) -> Result<Vec<(u32, u32, u32)>, TraceError> {
    tiling.check(&traces.plane)?;
    let number: HashMap<Cell, u32> = declared.iter().copied().zip(0..).collect();
    let mut trips = Vec::with_capacity(traces.len());
    for (object, points) in traces.iter() {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
        let cell = |at| Ok::<_, TraceError>(tiling.coarser(tiling.finest(&traces.plane, at)?, level));
        let (from, to) = (number.get(&cell(first.at)?), number.get(&cell(last.at)?));
        if let (Some(&from), Some(&to)) = (from, to) {
            trips.push((object, from, to));
        }
    }
    Ok(trips)
}

impl PrivateFlows {
    fn histogram(&self) -> Result<Histogram, TraceError> {
        let pairs = (self.cells as usize).checked_mul(self.cells as usize).filter(|own| *own <= MOST_PAIRS);
        let cells = pairs.ok_or(TraceError::TooLarge {
            what: "the pairs of declared cells",
            most: MOST_PAIRS as u64,
            accepted: "coarser cells, or fewer of them",
        })?;
        if cells == 0 {
            return Err(TraceError::Empty { what: "declared cells" });
        }
        Ok(Histogram { people: People::new(Neighbours::AddRemove, self.trips)?, cells })
    }

    /// The noise that the answer needs, and with it what the answer costs.
    ///
    /// # Errors
    /// When there are no cells, too many pairs, or no trips count.
    pub fn noise(&self, privacy: &Privacy) -> Result<Noise, TraceError> {
        Ok(self.histogram()?.noise(privacy)?)
    }

    /// The noisy flows of trips (person, origin, destination) that are at least the threshold. How many of how many trips
    /// counted is not to be published.
    ///
    /// # Errors
    /// As [`noise`](Self::noise).
    pub fn release(
        &self,
        trips: &[(u32, u32, u32)],
        noise: &Noise,
        threshold: i64,
    ) -> Result<Vec<Flow>, TraceError> {
        let histogram = self.histogram()?;
        let persons: Vec<u64> = trips.iter().map(|own| own.0.into()).collect();
        let keep = histogram.people.keep(&persons);
        let kept = trips.iter().zip(keep).filter(|(_, keep)| *keep).map(|(own, _)| own);
        let codes: Vec<u32> = kept
            .filter(|own| own.1 < self.cells && own.2 < self.cells)
            .map(|own| own.1 * self.cells + own.2)
            .collect();
        let noisy = histogram.release(&codes, noise)?;
        let flow = |(pair, count): (usize, i64)| Flow {
            origin: (pair / self.cells as usize) as u32,
            destination: (pair % self.cells as usize) as u32,
            count,
        };
        Ok(noisy.into_iter().enumerate().map(flow).filter(|own| own.count >= threshold).collect())
    }

    /// What it costs.
    pub fn loss(noise: &Noise) -> &Loss {
        noise.loss()
    }
}

/// The threshold below which an empty pair shows with at most this probability among all pairs.
pub fn quiet_threshold(noise: &Noise, pairs: u64) -> i64 {
    noise.half_width_95_of_all(pairs).ceil() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pure(epsilon: &str) -> Privacy {
        Privacy::Pure(epsilon.parse().unwrap())
    }

    /// With epsilon 1000 the noise of a count of sensitivity 2 is above 5 with probability below e^−2000.
    #[test]
    fn a_large_budget_tells_the_truth() {
        let flows = PrivateFlows { cells: 3, trips: 2 };
        let noise = flows.noise(&pure("1000")).unwrap();
        // Person 7 has three trips; the third does not count.
        let trips = [(7, 0, 1), (7, 0, 1), (7, 2, 2), (8, 0, 1), (9, 1, 0), (9, 5, 0)];
        let released = flows.release(&trips, &noise, 1).unwrap();
        let found: Vec<(u32, u32, i64)> =
            released.iter().map(|own| (own.origin, own.destination, own.count)).collect();
        assert_eq!(found, [(0, 1, 3), (1, 0, 1)]);
        assert!(PrivateFlows { cells: 0, trips: 1 }.noise(&pure("1")).is_err());
        assert!(PrivateFlows { cells: 1 << 20, trips: 1 }.noise(&pure("1")).is_err());
    }

    #[test]
    fn the_threshold_hides_empty_pairs() {
        let flows = PrivateFlows { cells: 30, trips: 1 };
        let noise = flows.noise(&pure("1")).unwrap();
        let threshold = quiet_threshold(&noise, 900);
        assert!((8..14).contains(&threshold), "{threshold}");
        // Each run shows an empty pair with probability below 5 %; 30 runs all do with probability below 1e-38.
        let is_empty = |_| flows.release(&[], &noise, threshold + 1).unwrap().is_empty();
        assert!((0..30).any(is_empty));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Brute force: taking one person away changes the counts that noise is added to by at most `trips` in sum.
        #[test]
        fn one_person_moves_counts_by_so_many_trips(
            trips in prop::collection::vec((0u32..4, 0u32..3, 0u32..3), 0..20), most in 1u32..4,
        ) {
            let flows = PrivateFlows { cells: 3, trips: most };
            let histogram = flows.histogram().unwrap();
            let counts = |trips: &[(u32, u32, u32)]| {
                let persons: Vec<u64> = trips.iter().map(|own| own.0.into()).collect();
                let keep = histogram.people.keep(&persons);
                let codes: Vec<u32> =
                    trips.iter().zip(keep).filter(|own| own.1).map(|(own, _)| own.1 * 3 + own.2).collect();
                histogram.count(&codes)
            };
            let others: Vec<_> = trips.iter().copied().filter(|own| own.0 != 0).collect();
            let moved: u64 = counts(&trips).iter().zip(counts(&others)).map(|(a, b)| a.abs_diff(b)).sum();
            prop_assert!(u128::from(moved) <= histogram.sensitivity());
        }
    }
}
