//! Swapping of segments (Salas, Megías and Torra 2018): where two traces meet, their pseudonyms are exchanged by a coin.
//!
//! Every point that is published is true, and counts of positions at any time stay as they are. What is protected is which
//! points belong together, and only as far as traces meet; no number bounds it, so attacks must measure it. The coins come
//! from a seeded generator and promise no differential privacy.

use foldhash::HashMap;
use privet_data::{Progress, Random};

use crate::point::{Point, Position};
use crate::prepare::sample_all;
use crate::{TraceError, Traces};

/// Traces whose segments were swapped.
#[derive(Debug, Clone)]
pub struct Swapped {
    /// The published traces.
    pub traces: Traces,
    /// Per point of the published traces which trace of the input it is from. Stays with the owner.
    pub source: Vec<u32>,
    /// How often two traces exchanged pseudonyms.
    pub swaps: u64,
    /// The mean over published traces of the largest share of points that are from one trace.
    pub largest_share: f64,
}

/// Exchanges pseudonyms of traces that come within some metres of each other at the same time.
///
/// # Errors
/// When the distance or the step is not above 0.
pub fn swap_segments(
    traces: &Traces,
    metres: f64,
    step: i64,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Swapped, TraceError> {
    if !(metres > 0.0 && metres <= 1e6) {
        return Err(TraceError::parameter("distance", "above 0 and at most 1,000,000 metres"));
    }
    let sampled = sample_all(traces, step, progress)?;
    let side = (metres * crate::UNITS_PER_METRE).ceil() as i64;
    let mut events: Vec<(i64, u32, Position)> = Vec::with_capacity(sampled.all_points().len());
    for trace in 0..sampled.len() {
        events.extend(sampled.points(trace).iter().map(|own| (own.time, trace as u32, own.at)));
    }
    events.sort_unstable();
    let mut random = Random::new(seed);
    // Pseudonyms begin in a random order, so that they tell nothing of the order of the input.
    let mut pseudonym: Vec<u32> = (0..sampled.len() as u32).collect();
    random.shuffle(&mut pseudonym);
    let mut lists: Vec<Vec<(Point, u32)>> = vec![Vec::new(); sampled.len()];
    let mut swaps = 0;
    for now in events.chunk_by(|a, b| a.0 == b.0) {
        progress.check()?;
        let mut near: HashMap<(i64, i64), Vec<u32>> = HashMap::default();
        for (place, own) in now.iter().enumerate() {
            let cell = (i64::from(own.2.x).div_euclid(side), i64::from(own.2.y).div_euclid(side));
            near.entry(cell).or_default().push(place as u32);
        }
        let mut cells: Vec<((i64, i64), Vec<u32>)> = near.into_iter().collect();
        cells.sort_unstable();
        for (_, mut members) in cells {
            random.shuffle(&mut members);
            for pair in members.chunks_exact(2) {
                let (a, b) = (now[pair[0] as usize], now[pair[1] as usize]);
                let is_near = a.2.squared_distance(b.2) <= side * side;
                if is_near && random.chance(0.5) {
                    pseudonym.swap(a.1 as usize, b.1 as usize);
                    swaps += 1;
                }
            }
        }
        for &(time, trace, at) in now {
            lists[pseudonym[trace as usize] as usize].push((Point { time, at }, trace));
        }
    }
    let mut published = Traces::on(sampled.plane);
    let (mut source, mut shares, mut count) = (Vec::new(), 0.0, 0u32);
    for list in lists.iter().filter(|own| !own.is_empty()) {
        let points: Vec<Point> = list.iter().map(|own| own.0).collect();
        published.push(published.len() as u32, &points)?;
        let mut of: HashMap<u32, u32> = HashMap::default();
        list.iter().for_each(|own| *of.entry(own.1).or_default() += 1);
        shares += f64::from(of.values().copied().max().unwrap_or_default()) / list.len() as f64;
        count += 1;
        source.extend(list.iter().map(|own| own.1));
    }
    let largest_share = if count == 0 { 0.0 } else { shares / f64::from(count) };
    Ok(Swapped { traces: published, source, swaps, largest_share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{City, city};
    use privet_data::Silent;

    #[test]
    fn points_stay_and_owners_mix() {
        let (traces, _) = city(&City { people: 60, step: 300, side: 3000.0, ..City::default() }).unwrap();
        let done = swap_segments(&traces, 200.0, 300, 5, &Silent).unwrap();
        let sorted = |own: &Traces| {
            let mut all = own.all_points().to_vec();
            all.sort_unstable();
            all
        };
        assert_eq!(sorted(&done.traces), sorted(&traces), "no point is changed");
        assert!(done.swaps > 20 && done.largest_share < 0.9, "{} {}", done.swaps, done.largest_share);
        let again = swap_segments(&traces, 200.0, 300, 5, &Silent).unwrap();
        assert_eq!(again.traces.all_points(), done.traces.all_points());
        assert!(swap_segments(&traces, f64::NAN, 300, 5, &Silent).is_err());
    }
}
