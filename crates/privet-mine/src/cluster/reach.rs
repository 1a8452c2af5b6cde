//! Which points a person may be nearest to, whatever the private attributes are: spans of clusterings, exactly (papers F-PM5, II.2).
//!
//! - No private attribute: the nearest point.
//! - Euclidean, one private number: the lower envelope over its range. Points whose public distance exceeds a bound on the envelope are
//!   left out before.
//! - Euclidean, several private numbers: a linear program per point that is not nearest at its own private values.
//! - Gower: a point is nearest somewhere exactly when it is nearest at its *own* private values, because the private part of the
//!   distance is a metric: whoever is nearer there is nearer everywhere.
//!
//! Ties go to the point that comes first.

use std::ops::Range;

use dashu::rational::RBig;

use super::envelope::{Line, nearest_sites};
use super::program::{HalfSpace, maximize};
use super::space::{Metric, Space};
use crate::Visibility;

/// Parts of the range of a private number by which points are left out early.
const BINS: usize = 128;
/// Bins to either side that a bound looks at first.
const NEAR: usize = 6;

/// Points or centroids that people may be nearest to.
pub(crate) struct Sites<'a> {
    space: &'a Space,
    positions: &'a [Vec<u32>],
    public: Vec<usize>,
    private: Vec<usize>,
    shape: Shape,
}

enum Shape {
    Nearest,
    Envelope(Sorted),
    Programs,
    Dominance,
}

/// The points by their private coordinate, as columns of public ones.
struct Sorted {
    order: Vec<u32>,
    at: Vec<i64>,
    columns: Vec<Vec<f64>>,
    /// Where each bin begins in the order; one more than bins.
    starts: Vec<usize>,
    /// The least and the largest private coordinate of each bin.
    extents: Vec<(i64, i64)>,
    last: i64,
}

/// Buffers of one thread.
#[derive(Default)]
pub(crate) struct Scratch {
    heights: Vec<f64>,
    lines: Vec<Line>,
    ranked: Vec<(i64, u32)>,
}

impl<'a> Sites<'a> {
    pub fn new(space: &'a Space, positions: &'a [Vec<u32>]) -> Self {
        let (public, private) = (space.seen(Visibility::Public), space.seen(Visibility::Private));
        let shape = match (space.metric, &private[..]) {
            (_, []) => Shape::Nearest,
            (Metric::Gower, _) => Shape::Dominance,
            (Metric::Euclidean, &[axis]) => Shape::Envelope(Sorted::new(space, positions, &public, axis)),
            (Metric::Euclidean, _) => Shape::Programs,
        };
        Self { space, positions, public, private, shape }
    }

    /// The point that a record is nearest to.
    pub fn nearest(&self, record: &[u32]) -> u32 {
        let all: Vec<usize> = (0..self.space.axes.len()).collect();
        self.nearest_over(&all, record)
    }

    fn nearest_over(&self, axes: &[usize], record: &[u32]) -> u32 {
        let length = |site: &&Vec<u32>| self.space.distance(axes, site, record);
        let sites = self.positions.iter();
        sites.enumerate().min_by_key(|(_, site)| length(site)).map_or(0, |(place, _)| place as u32)
    }

    /// Replaces the content of `out` by the points that a person may be nearest to, ascending. The person is a whole record whose
    /// private positions are not looked at.
    pub fn reachable(&self, person: &[u32], scratch: &mut Scratch, out: &mut Vec<u32>) {
        out.clear();
        match &self.shape {
            Shape::Nearest => out.push(self.nearest_over(&self.public, person)),
            Shape::Envelope(sorted) => sorted.reachable(&self.public, person, scratch, out),
            Shape::Programs => self.by_programs(person, scratch, out),
            Shape::Dominance => self.by_dominance(person, scratch, out),
        }
    }

    /// The points near enough to be nearest for some private values, with their public distances, the nearest first.
    fn candidates(&self, person: &[u32], ranked: &mut Vec<(i64, u32)>) {
        ranked.clear();
        let mut bound = i64::MAX;
        for (site, position) in self.positions.iter().enumerate() {
            let height = self.space.distance(&self.public, position, person);
            let spread = |&axis: &usize| self.space.farthest(axis, position[axis]);
            bound = bound.min(height + self.private.iter().map(spread).sum::<i64>());
            ranked.push((height, site as u32));
        }
        ranked.retain(|&(height, _)| height <= bound);
        ranked.sort_unstable();
    }

    fn private_distance(&self, a: u32, b: u32) -> i64 {
        self.space.distance(&self.private, &self.positions[a as usize], &self.positions[b as usize])
    }

    /// Whoever is nearer than a point at the private values of that point; only points that were kept need to be asked.
    fn by_dominance(&self, person: &[u32], scratch: &mut Scratch, out: &mut Vec<u32>) {
        self.candidates(person, &mut scratch.ranked);
        let mut kept: Vec<(i64, u32)> = Vec::new();
        for &(height, site) in &scratch.ranked {
            let is_nearer = |&(other, by): &(i64, u32)| {
                let there = other + self.private_distance(by, site);
                there < height || (there == height && by < site)
            };
            if !kept.iter().any(is_nearer) {
                // Equally high points that come later may still win a tie against this one.
                kept.retain(|&(other, by)| {
                    let there = height + self.private_distance(by, site);
                    !(there < other || (there == other && site < by))
                });
                kept.push((height, site));
            }
        }
        out.extend(kept.iter().map(|(_, site)| *site));
        out.sort_unstable();
    }

    fn by_programs(&self, person: &[u32], scratch: &mut Scratch, out: &mut Vec<u32>) {
        self.candidates(person, &mut scratch.ranked);
        let ranked = &scratch.ranked;
        for &(height, site) in ranked {
            let at_own =
                ranked.iter().map(|&(other, by)| (other + self.private_distance(by, site), by)).min();
            if at_own.is_some_and(|(_, by)| by == site) || self.has_cell(height, site, ranked) {
                out.push(site);
            }
        }
        out.sort_unstable();
    }

    /// Whether the point is nearest for some private values: a linear program for the largest slack of the open sides of its cell.
    fn has_cell(&self, height: i64, site: u32, ranked: &[(i64, u32)]) -> bool {
        let private =
            |of: u32| self.private.iter().map(move |&axis| i64::from(self.positions[of as usize][axis]));
        let offset = |height: i64, of: u32| height + private(of).map(|own| own * own).sum::<i64>();
        let dimensions = self.private.len() + 1;
        let mut spaces: Vec<HalfSpace> = Vec::with_capacity(ranked.len());
        for &(other, by) in ranked.iter().filter(|(_, by)| *by != site) {
            let mut sides: Vec<RBig> =
                private(by).zip(private(site)).map(|(s, t)| RBig::from(2 * (s - t))).collect();
            sides.push(if by < site { RBig::ONE } else { RBig::ZERO });
            spaces.push((sides, RBig::from(offset(other, by) - offset(height, site))));
        }
        let last = |&axis: &usize| (RBig::ZERO, RBig::from(self.space.axes[axis].last()));
        let mut bounds: Vec<(RBig, RBig)> = self.private.iter().map(last).collect();
        bounds.push((RBig::ZERO, RBig::ONE));
        let mut objective = vec![RBig::ZERO; dimensions];
        objective[dimensions - 1] = RBig::ONE;
        maximize(&objective, &spaces, &bounds).is_some_and(|x| x[dimensions - 1] > RBig::ZERO)
    }
}

impl Sorted {
    fn new(space: &Space, positions: &[Vec<u32>], public: &[usize], private: usize) -> Self {
        let last = i64::from(space.axes[private].last());
        let mut order: Vec<u32> = (0..positions.len() as u32).collect();
        order.sort_unstable_by_key(|&site| (positions[site as usize][private], site));
        let at: Vec<i64> = order.iter().map(|&site| i64::from(positions[site as usize][private])).collect();
        let column = |&axis: &usize| {
            order.iter().map(|&site| f64::from(positions[site as usize][axis])).collect::<Vec<f64>>()
        };
        let width = last / BINS as i64 + 1;
        let edge = |bin: usize| at.partition_point(|&own| own < bin as i64 * width);
        let extent = |bin: usize| (bin as i64 * width, ((bin as i64 + 1) * width).min(last));
        Self {
            columns: public.iter().map(column).collect(),
            starts: (0..=BINS).map(edge).collect(),
            extents: (0..BINS).map(extent).filter(|(low, _)| *low <= last).collect(),
            order,
            at,
            last,
        }
    }

    fn reachable(&self, public: &[usize], person: &[u32], scratch: &mut Scratch, out: &mut Vec<u32>) {
        scratch.heights.clear();
        scratch.heights.resize(self.order.len(), 0.0);
        for (column, &axis) in self.columns.iter().zip(public) {
            let at = f64::from(person[axis]);
            let heights = scratch.heights.iter_mut().zip(column);
            heights.for_each(|(height, own)| *height += (own - at) * (own - at));
        }
        let bound = self.bound(&scratch.heights);
        scratch.lines.clear();
        for (place, &height) in scratch.heights.iter().enumerate() {
            if height <= bound {
                let line = Line { at: self.at[place], height: height as i64, site: self.order[place] };
                scratch.lines.push(line);
            }
        }
        nearest_sites(&scratch.lines, self.last, out);
    }

    /// A bound on the distance to the nearest point, over all private numbers.
    fn bound(&self, heights: &[f64]) -> f64 {
        let least = |bin: usize| {
            let own = &heights[self.starts[bin]..self.starts[bin + 1]];
            own.iter().fold(f64::INFINITY, |least, &height| least.min(height))
        };
        let least: Vec<f64> = (0..self.extents.len()).map(least).collect();
        let over = |bin: usize, others: Range<usize>| {
            let (low, high) = self.extents[bin];
            let reached = others.map(|other| {
                let (from, to) = self.extents[other];
                let far = (high - from).abs().max((to - low).abs()) as f64;
                least[other] + far * far
            });
            reached.fold(f64::INFINITY, f64::min)
        };
        let within = |bin: usize| match over(bin, bin.saturating_sub(NEAR)..(bin + NEAR + 1).min(least.len()))
        {
            // No point is near.
            f64::INFINITY => over(bin, 0..least.len()),
            bound => bound,
        };
        (0..least.len()).map(within).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::space::{Axis, AxisDomain};
    use super::*;

    fn axis(place: usize, visibility: Visibility, last: u32) -> Axis {
        let domain = AxisDomain::Numbers { low: 0.0, high: f64::from(last), steps: last };
        Axis { name: format!("a{place}"), visibility, domain }
    }

    fn found(space: &Space, sites: &[Vec<u32>], person: &[u32]) -> Vec<u32> {
        let mut out = Vec::new();
        Sites::new(space, sites).reachable(person, &mut Scratch::default(), &mut out);
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Several private numbers against a fine grid: whatever the grid finds is reachable, and with a tie-free middle point as a
        /// witness, whatever is reachable is on a grid that is fine enough.
        #[test]
        fn programs_agree_with_a_grid(
            own in prop::collection::btree_set((0u32..5, 0u32..5, 0u32..5), 1..6), person in 0u32..5
        ) {
            let axes = vec![axis(0, Visibility::Public, 4), axis(1, Visibility::Private, 4), axis(2, Visibility::Private, 4)];
            let space = Space { axes, metric: Metric::Euclidean };
            let sites: Vec<Vec<u32>> = own.into_iter().map(|(a, b, c)| vec![a, b, c]).collect();
            let by_program = found(&space, &sites, &[person, 0, 0]);
            // The grid has 1/24 of a step; distances are counted in these.
            let mut seen = BTreeSet::new();
            for x in 0..=96i64 {
                for y in 0..=96i64 {
                    let length = |site: &Vec<u32>| {
                        let own = |at: usize| 24 * i64::from(site[at]);
                        (own(0) - 24 * i64::from(person)).pow(2) + (own(1) - x).pow(2) + (own(2) - y).pow(2)
                    };
                    seen.insert(sites.iter().enumerate().min_by_key(|(_, site)| length(site)).unwrap().0 as u32);
                }
            }
            for site in &seen {
                prop_assert!(by_program.contains(site));
            }
            // A sliver between grid lines may be missed by the grid, but not by much more than one point.
            prop_assert!(by_program.len() <= seen.len() + 1, "{by_program:?} {seen:?}");
        }

        /// Gower's distance: every private value of the domain, by hand.
        #[test]
        fn dominance_agrees_with_the_domain(
            own in prop::collection::btree_set((0u32..4, 0u32..5, 0u32..3), 1..8), person in 0u32..4
        ) {
            let values = (0..3).map(|value| value.to_string()).collect();
            let colour = Axis {
                name: "colour".into(), visibility: Visibility::Private, domain: AxisDomain::Categories { values },
            };
            let axes = vec![axis(0, Visibility::Public, 3), axis(1, Visibility::Private, 4), colour];
            let space = Space { axes, metric: Metric::Gower };
            let sites: Vec<Vec<u32>> = own.into_iter().map(|(a, b, c)| vec![a, b, c]).collect();
            let oracle = Sites::new(&space, &sites);
            let mut expected = BTreeSet::new();
            for number in 0..5 {
                for category in 0..3 {
                    expected.insert(oracle.nearest(&[person, number, category]));
                }
            }
            let expected: Vec<u32> = expected.into_iter().collect();
            prop_assert_eq!(found(&space, &sites, &[person, 0, 0]), expected);
        }

        /// The bound by bins leaves out nobody: the same as programs over one private number.
        #[test]
        fn envelopes_agree_with_programs(
            own in prop::collection::btree_set((0u32..40, 0u32..100), 1..30), person in 0u32..40
        ) {
            let axes = vec![axis(0, Visibility::Public, 40), axis(1, Visibility::Private, 100)];
            let space = Space { axes, metric: Metric::Euclidean };
            let sites: Vec<Vec<u32>> = own.into_iter().map(|(a, b)| vec![a, b]).collect();
            let by_envelope = found(&space, &sites, &[person, 0]);
            let mut by_program = Vec::new();
            Sites::new(&space, &sites).by_programs(&[person, 0], &mut Scratch::default(), &mut by_program);
            prop_assert_eq!(by_envelope, by_program);
        }
    }
}
