//! Uniqueness by a few known points (de Montjoye, Hidalgo, Verleysen and Blondel 2013): how many traces hold all of p
//! known visits? Four are enough for most people.

use foldhash::HashMap;

use crate::{Cell, Tiling, TraceError, Traces};

/// The visits of each trace: spans of time and cells at a level, each once, in rising order.
///
/// # Errors
/// When the cells do not fit the plane or the window is not above 0.
pub fn visits_of(
    traces: &Traces,
    tiling: &Tiling,
    level: u8,
    window: i64,
) -> Result<Vec<Vec<(i64, Cell)>>, TraceError> {
    if window <= 0 {
        return Err(TraceError::parameter("window", "above 0 seconds"));
    }
    let cells = tiling.all(&traces.plane, traces.all_points().iter().map(|own| own.at))?;
    let of = |trace: usize| {
        let points = traces.points(trace).iter().zip(&cells[traces.range(trace)]);
        let mut visits: Vec<(i64, Cell)> = points
            .map(|(point, &cell)| (point.time.div_euclid(window), tiling.coarser(cell, level)))
            .collect();
        visits.sort_unstable();
        visits.dedup();
        visits
    };
    Ok((0..traces.len()).map(of).collect())
}

/// Which traces have which visits.
#[derive(Debug, Clone, Default)]
pub struct VisitIndex {
    traces: HashMap<(i64, Cell), Vec<u32>>,
}

impl VisitIndex {
    /// Indexes visits by trace.
    pub fn new(visits: &[Vec<(i64, Cell)>]) -> Self {
        let mut traces: HashMap<(i64, Cell), Vec<u32>> = HashMap::default();
        for (own, trace) in visits.iter().zip(0..) {
            own.iter().for_each(|visit| traces.entry(*visit).or_default().push(trace));
        }
        Self { traces }
    }

    /// The traces that have all of some visits, in rising order. Takes time in proportion to the rarest of them.
    pub fn with_all(&self, known: &[(i64, Cell)]) -> Vec<u32> {
        let lists: Option<Vec<&Vec<u32>>> = known.iter().map(|own| self.traces.get(own)).collect();
        let Some(mut lists) = lists else { return Vec::new() };
        lists.sort_by_key(|own| own.len());
        let Some((rarest, others)) = lists.split_first() else { return Vec::new() };
        let is_in_all = |trace: &&u32| others.iter().all(|list| list.binary_search(trace).is_ok());
        rarest.iter().filter(is_in_all).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{City, city};
    use privet_data::Random;

    #[test]
    fn four_points_are_enough() {
        let (traces, _) = city(&City { people: 300, days: 2, step: 900, ..City::default() }).unwrap();
        let tiling = Tiling::H3 { finest: 8, coarsest: 8 };
        let visits = visits_of(&traces, &tiling, 0, 3600).unwrap();
        let index = VisitIndex::new(&visits);
        let mut random = Random::new(3);
        let mut share = |points: usize| {
            let unique = (0..300).filter(|&own: &usize| {
                let known: Vec<_> =
                    (0..points).map(|_| visits[own][random.below(visits[own].len())]).collect();
                let found = index.with_all(&known);
                // Brute force agrees.
                let all: Vec<u32> = (0..300u32)
                    .filter(|&other| known.iter().all(|visit| visits[other as usize].contains(visit)))
                    .collect();
                assert_eq!(found, all);
                found == [own as u32]
            });
            unique.count()
        };
        let curve = [share(1), share(4), share(8)];
        assert!(curve[0] < curve[1] && curve[1] < curve[2], "{curve:?}");
        assert!(curve[1] > 100, "{curve:?}");
        assert!(index.with_all(&[(0, Cell(1))]).is_empty() && index.with_all(&[]).is_empty());
    }
}
