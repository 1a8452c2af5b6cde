//! The points that may be nearest to a person with one unknown private number, found among many: boxes whose points cannot be nearest
//! anywhere on the person's line through the space are passed over.
//!
//! Some points near the line bound the distance to the nearest one, per bin of the private number and rounded up. A box is passed over when it
//! is farther than the bound in every bin, so what is left holds every point that is nearest or ties somewhere; the exact envelope decides
//! among these.

use super::Space;
use super::boxes::Boxes;
use super::envelope::{Line, lower_envelope, nearest_sites};

/// Parts of the range of the private number.
const BINS: usize = 64;
/// Places on the line whose nearest points bound the others.
const PROBES: i64 = 8;

/// Points by their public axes and the one private axis, which comes last.
pub(super) struct Lines {
    boxes: Boxes,
    public: Vec<usize>,
    private: usize,
    last: u32,
    /// The first and the last number of each bin.
    bins: [(f64, f64); BINS],
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct LineScratch {
    lines: Vec<Line>,
    /// Points that are probably near the next person, too.
    near: Vec<u32>,
    open: Vec<u32>,
}

impl Lines {
    pub fn new(space: &Space, positions: &[Vec<u32>], public: &[usize], private: usize) -> Self {
        let axes: Vec<usize> = public.iter().copied().chain([private]).collect();
        let last = space.axes[private].last();
        let edge = |bin: usize| f64::from(last) * bin as f64 / BINS as f64;
        Self {
            boxes: Boxes::new(space, &axes, positions),
            public: public.to_vec(),
            private,
            last,
            bins: std::array::from_fn(|bin| (edge(bin), edge(bin + 1))),
        }
    }

    fn from(&self, person: &[u32], private: u32) -> Vec<u32> {
        self.public.iter().map(|&axis| person[axis]).chain([private]).collect()
    }

    /// The point nearest to a whole record.
    pub fn nearest(&self, record: &[u32]) -> u32 {
        let from = self.from(record, record[self.private]);
        self.boxes.nearest(&from, i64::MAX, |_| false, |_| false, |point| point).map_or(0, |(_, point)| point)
    }

    /// Appends the points that a person may be nearest to, ascending.
    pub fn reachable(
        &self,
        positions: &[Vec<u32>],
        person: &[u32],
        scratch: &mut LineScratch,
        out: &mut Vec<u32>,
    ) {
        let public = &self.from(person, 0)[..self.public.len()];
        let mut from = self.from(person, 0);
        let mut near = std::mem::take(&mut scratch.near);
        near.retain(|&point| (point as usize) < positions.len());
        for probe in 0..=PROBES {
            let at = (i64::from(self.last) * probe / PROBES) as u32;
            if let Some(own) = from.last_mut() {
                *own = at;
            }
            let found = self.boxes.nearest(&from, i64::MAX, |_| false, |_| false, |point| point);
            near.extend(found.map(|(_, point)| point));
        }
        near.sort_unstable();
        near.dedup();
        let line = |&site: &u32| self.line(positions, person, site);
        let mut seeds: Vec<Line> = near.iter().map(line).collect();
        seeds.sort_unstable_by_key(|line| (line.at, line.site));
        let bounds = self.bounds(&seeds);
        scratch.lines.clear();
        self.collect(public, &bounds, scratch);
        scratch.lines.sort_unstable_by_key(|line| (line.at, line.site));
        let first = out.len();
        nearest_sites(&scratch.lines, i64::from(self.last), out);
        near.clear();
        near.extend_from_slice(&out[first..]);
        scratch.near = near;
    }

    /// The same among a few points.
    pub fn reachable_among(&self, positions: &[Vec<u32>], person: &[u32], among: &[u32], out: &mut Vec<u32>) {
        let mut lines: Vec<Line> = among.iter().map(|&site| self.line(positions, person, site)).collect();
        lines.sort_unstable_by_key(|line| (line.at, line.site));
        nearest_sites(&lines, i64::from(self.last), out);
    }

    fn line(&self, positions: &[Vec<u32>], person: &[u32], site: u32) -> Line {
        let own = &positions[site as usize];
        let part = |&axis: &usize| (i64::from(own[axis]) - i64::from(person[axis])).pow(2);
        Line { at: i64::from(own[self.private]), height: self.public.iter().map(part).sum(), site }
    }

    /// Per bin a bound on the distance to the nearest of some points, squared. Between corners of the envelope the distance is convex, so it
    /// is largest at a corner or at an edge of the bin.
    fn bounds(&self, seeds: &[Line]) -> [f64; BINS] {
        let (hull, _) = lower_envelope(seeds);
        let mut bounds = [0f64; BINS];
        let width = f64::from(self.last) / BINS as f64;
        let mut from = 0.0;
        for (place, line) in hull.iter().enumerate() {
            let to = hull.get(place + 1).map_or(f64::from(self.last), |right| line.meets(right).as_f64());
            let (low, high) = (f64::max(from, 0.0), to.min(f64::from(self.last)));
            from = to;
            if low > high {
                continue;
            }
            let distance = |at: f64| line.height as f64 + (line.at as f64 - at).powi(2);
            let bin = |at: f64| ((at / width) as usize).min(BINS - 1);
            // Rounding may put a corner into the bin beside its own.
            let touched = bin(low).saturating_sub(1)..=(bin(high) + 1).min(BINS - 1);
            for (bound, &(begin, end)) in bounds[touched.clone()].iter_mut().zip(&self.bins[touched]) {
                let (begin, end) = (low.clamp(begin, end), high.clamp(begin, end));
                *bound = bound.max(distance(begin)).max(distance(end));
            }
        }
        // More than rounding can have taken away.
        bounds.map(|bound| bound * (1.0 + 1e-12) + 1.0)
    }

    /// Gathers the points that may be within the bounds somewhere.
    fn collect(&self, public: &[u32], bounds: &[f64; BINS], scratch: &mut LineScratch) {
        scratch.open.clear();
        scratch.open.push(0);
        while let Some(node) = scratch.open.pop() {
            let ends = self.boxes.ends(node);
            let (low, high) = ends[public.len()];
            if !self.is_within(self.boxes.gap(public, node), low, high, bounds) {
                continue;
            }
            let own = &self.boxes.nodes[node as usize];
            if let Some((a, b)) = own.children {
                scratch.open.extend([a, b]);
                continue;
            }
            for place in own.points.start as usize..own.points.end as usize {
                let (height, at) = (self.boxes.length(public, place), self.boxes.at(place)[public.len()]);
                if self.is_within(height, at, at, bounds) {
                    let site = self.boxes.order[place];
                    scratch.lines.push(Line { at: i64::from(at), height, site });
                }
            }
        }
    }

    /// Whether points of this public distance, with private numbers between two, may be within the bound of some bin.
    fn is_within(&self, height: i64, low: u32, high: u32, bounds: &[f64; BINS]) -> bool {
        let (height, low, high) = (height as f64, f64::from(low), f64::from(high));
        let mut slack = f64::NEG_INFINITY;
        for (&(begin, end), bound) in self.bins.iter().zip(bounds) {
            let gap = (begin - high).max(low - end).max(0.0);
            slack = slack.max(bound - gap * gap);
        }
        slack >= height
    }
}
