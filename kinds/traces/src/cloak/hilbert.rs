//! Hilbert k-buckets (Kalnis et al. 2007; survey AP-15): people in the order of a Hilbert curve, cut into runs that hold what
//! they must.
//!
//! Guarantee: all people of a run have the same region, so the method itself excludes nobody (reciprocity). The region is
//! the smallest rectangle around the run: its edges lie on positions of people of the run.

use super::{Cloaked, Crowd, Region, Threat};
use crate::TraceError;

/// The place of a cell on the Hilbert curve over 2^32 by 2^32 cells.
pub(crate) fn hilbert(mut x: u32, mut y: u32) -> u64 {
    let mut place = 0u64;
    for bit in (0..32).rev() {
        let (right, up) = (x >> bit & 1, y >> bit & 1);
        place = place << 2 | u64::from((3 * right) ^ up);
        if up == 0 {
            if right == 1 {
                (x, y) = (!x, !y);
            }
            std::mem::swap(&mut x, &mut y);
        }
    }
    place
}

/// Gives every person of a crowd the region of a run.
///
/// # Errors
/// When the whole crowd does not have what a region must hold, or lies within less than the least area.
pub fn hilbert_buckets(crowd: Crowd<'_>, threat: &Threat) -> Result<Cloaked, TraceError> {
    crowd.check(threat)?;
    let whole = Region::around(crowd.positions.iter().copied());
    if whole.is_some_and(|own| own.area() < threat.area()) {
        return Err(TraceError::parameter(
            "area",
            "at most the area of all positions; use a quadtree for more",
        ));
    }
    let mut order: Vec<(u64, u32)> = crowd
        .positions
        .iter()
        .zip(0..)
        .map(|(&at, person)| {
            let (x, y) = super::quadtree::shifted(at);
            (hilbert(x, y), person)
        })
        .collect();
    order.sort_unstable();
    // Where runs end.
    let mut ends: Vec<usize> = Vec::new();
    let (mut start, mut region, mut seen) = (0, None, Vec::new());
    for (place, &(_, person)) in order.iter().enumerate() {
        let at = crowd.positions[person as usize];
        let wider = Region::around(region.iter().flat_map(|own: &Region| [own.low, own.high]).chain([at]));
        region = wider;
        if threat.l() > 1 && seen.len() < threat.l() as usize {
            let value = crowd.values[person as usize];
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
        let is_diverse = threat.l() <= 1 || seen.len() >= threat.l() as usize;
        let is_wide = wider.is_some_and(|own| own.area() >= threat.area());
        if place + 1 - start >= threat.k() as usize && is_diverse && is_wide {
            ends.push(place + 1);
            (start, region) = (place + 1, None);
            seen.clear();
        }
    }
    // What is left joins the last run.
    match ends.last_mut() {
        Some(last) => *last = order.len(),
        None => ends.push(order.len()),
    }
    let mut done = Cloaked { regions: Vec::with_capacity(ends.len()), of: vec![0; order.len()] };
    let mut start = 0;
    for end in ends {
        let run = &order[start..end];
        let around = Region::around(run.iter().map(|own| crowd.positions[own.1 as usize]));
        let Some(around) = around else { continue };
        for own in run {
            done.of[own.1 as usize] = done.regions.len() as u32;
        }
        done.regions.push(around);
        start = end;
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloak::tests::crowd;

    /// The curve visits all cells of a block and steps to a neighbour each time.
    #[test]
    fn the_curve_is_one() {
        let mut cells: Vec<(u64, i64, i64)> =
            (0..8).flat_map(|x| (0..8).map(move |y| (hilbert(x, y), i64::from(x), i64::from(y)))).collect();
        cells.sort_unstable();
        for pair in cells.windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, 1);
            assert_eq!((pair[1].1 - pair[0].1).abs() + (pair[1].2 - pair[0].2).abs(), 1);
        }
    }

    #[test]
    fn runs_hold_k_to_2k_less_1() {
        let (positions, _) = crowd(3, 103, 100_000, 1);
        let done = hilbert_buckets(Crowd { positions: &positions, values: &[] }, &Threat::Identity { k: 10 })
            .unwrap();
        let mut sizes = vec![0; done.regions.len()];
        done.of.iter().for_each(|&own| sizes[own as usize] += 1);
        assert!(sizes.iter().all(|size| (10..20).contains(size)), "{sizes:?}");
        // The curve keeps neighbours together: regions are far smaller than the whole.
        let mean = done.regions.iter().map(Region::area).sum::<f64>() / done.regions.len() as f64;
        assert!(mean < 1e6 / 4.0, "{mean}");
    }
}
