//! Linking two releases of traces (after De Mulder, Danezis, Batina and Preneel 2008, and Unnikrishnan and Naini 2013):
//! whoever is in both goes to the same cells, whatever the pseudonyms and times.
//!
//! A profile is how often a trace is in each cell, weighted down for cells where everybody goes. The most similar pairs
//! are linked one to one.

use foldhash::HashMap;

use super::assignment::{MOST_ASSIGNED, cheapest_assignment};
use crate::{Cell, Tiling, TraceError, Traces};

/// How much of a trace is in which cells: weights in the order of cells, of length 1 together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Profile {
    weights: Vec<(Cell, f64)>,
}

impl Profile {
    /// How similar two profiles are, from 0 to 1.
    pub fn similarity(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.weights.iter().peekable(), other.weights.iter().peekable());
        let mut sum = 0.0;
        while let (Some(&&(x, v)), Some(&&(y, w))) = (a.peek(), b.peek()) {
            match x.cmp(&y) {
                std::cmp::Ordering::Less => drop(a.next()),
                std::cmp::Ordering::Greater => drop(b.next()),
                std::cmp::Ordering::Equal => {
                    sum += v * w;
                    a.next();
                    b.next();
                }
            }
        }
        sum
    }
}

/// The profile of each object of some traces, at a level of cells.
///
/// # Errors
/// When the cells do not fit the plane.
pub fn profiles(traces: &Traces, tiling: &Tiling, level: u8) -> Result<Vec<Profile>, TraceError> {
    let cells = tiling.all(&traces.plane, traces.all_points().iter().map(|own| own.at))?;
    let mut counts: Vec<HashMap<Cell, f64>> = vec![HashMap::default(); traces.object_count()];
    for (&cell, object) in cells.iter().zip(traces.object_of_points()) {
        *counts[object as usize].entry(tiling.coarser(cell, level)).or_default() += 1.0;
    }
    let mut people: HashMap<Cell, f64> = HashMap::default();
    counts.iter().flat_map(HashMap::keys).for_each(|cell| *people.entry(*cell).or_default() += 1.0);
    let all = counts.len() as f64;
    let of = |counts: HashMap<Cell, f64>| {
        // How often, weighted by how few go there (the usual tf-idf of texts).
        let weight =
            |(cell, count): (Cell, f64)| (cell, (1.0 + count).ln() * ((1.0 + all) / people[&cell]).ln());
        let mut weights: Vec<(Cell, f64)> = counts.into_iter().map(weight).collect();
        weights.sort_unstable_by_key(|own| own.0);
        let length = weights.iter().map(|own| own.1 * own.1).sum::<f64>().sqrt().max(1e-300);
        weights.iter_mut().for_each(|own| own.1 /= length);
        Profile { weights }
    };
    Ok(counts.into_iter().map(of).collect())
}

/// Per profile of the one release that of the other that it is linked with. One to one by the largest sum of similarities,
/// up to [`MOST_ASSIGNED`](super::MOST_ASSIGNED) profiles; of more, the most similar for each. Takes time in proportion to
/// the product of their numbers.
pub fn link_profiles(a: &[Profile], b: &[Profile]) -> Vec<Option<u32>> {
    if b.is_empty() {
        return vec![None; a.len()];
    }
    if a.len() <= b.len() && b.len() <= MOST_ASSIGNED {
        let similarities = a.iter().flat_map(|own| b.iter().map(move |other| own.similarity(other)));
        let costs: Vec<f64> = similarities.map(|own| if own > 0.0 { -own } else { f64::INFINITY }).collect();
        return cheapest_assignment(&costs, a.len(), b.len());
    }
    use rayon::prelude::*;
    let best = |own: &Profile| {
        let similar = b.iter().zip(0u32..).map(|(other, place)| (own.similarity(other), place));
        let best = similar.max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1)));
        best.filter(|own| own.0 > 0.0).map(|own| own.1)
    };
    a.par_iter().map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;
    use crate::generate::{City, city};
    use privet_data::Random;

    #[test]
    fn two_days_of_the_same_people_are_linked() {
        let (traces, _) = city(&City { people: 100, days: 2, step: 900, ..City::default() }).unwrap();
        let half = |first: bool| {
            let mut own = Traces::on(traces.plane);
            for (object, points) in traces.iter() {
                let middle = points.len() / 2;
                let part: &[Point] = if first { &points[..middle] } else { &points[middle..] };
                own.push(object, part).unwrap();
            }
            own
        };
        let tiling = Tiling::H3 { finest: 9, coarsest: 9 };
        let (a, b) =
            (profiles(&half(true), &tiling, 0).unwrap(), profiles(&half(false), &tiling, 0).unwrap());
        let mut order: Vec<u32> = (0..100).collect();
        Random::new(1).shuffle(&mut order);
        let shuffled: Vec<Profile> = order.iter().map(|&own| b[own as usize].clone()).collect();
        let linked = link_profiles(&a, &shuffled);
        let right = linked
            .iter()
            .enumerate()
            .filter(|(own, to)| to.is_some_and(|to| order[to as usize] == *own as u32));
        let right = right.count();
        assert!(right > 80, "{right}");
        assert_eq!(link_profiles(&a, &[]), vec![None; 100]);
        let same = a[0].similarity(&a[0]);
        assert!((same - 1.0).abs() < 1e-9);
    }
}
