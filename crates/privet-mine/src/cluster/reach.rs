//! Which points a person may be nearest to, whatever the private attributes are: spans of clusterings, exactly (papers F-PM5, II.2).
//!
//! - No private attribute: the nearest point.
//! - Euclidean, one private number: the lower envelope over its range. Boxes of points above a bound on the envelope are passed over.
//! - Euclidean, several private numbers: a linear program per point that is not nearest at its own private values.
//!   Of both this and Gower, points beyond a bound by public axes are passed over box by box.
//! - Gower: a point is nearest somewhere exactly when it is nearest at its *own* private values, because the private part of the
//!   distance is a metric: whoever is nearer there is nearer everywhere.
//!
//! Ties go to the point that comes first.

use dashu::rational::RBig;

use super::boxes::Boxes;
use super::line::{LineScratch, Lines};
use super::program::{HalfSpace, maximize};
use super::space::{Metric, Space};
use crate::Visibility;

/// Points or centroids that people may be nearest to.
pub(crate) struct Sites<'a> {
    space: &'a Space,
    positions: &'a [Vec<u32>],
    public: Vec<usize>,
    private: Vec<usize>,
    shape: Shape,
}

enum Shape {
    Nearest(Boxes),
    Envelope(Box<Lines>),
    Programs(Boxes),
    Dominance(Boxes),
}

/// Buffers of one thread.
#[derive(Default)]
pub(crate) struct Scratch {
    line: LineScratch,
    ranked: Vec<(i64, u32)>,
}

impl<'a> Sites<'a> {
    pub fn new(space: &'a Space, positions: &'a [Vec<u32>]) -> Self {
        let (public, private) = (space.seen(Visibility::Public), space.seen(Visibility::Private));
        let shape = match (space.metric, &private[..]) {
            (_, []) => Shape::Nearest(Boxes::new(space, &public, positions)),
            (Metric::Gower, _) => Shape::Dominance(Boxes::new(space, &public, positions)),
            (Metric::Euclidean, &[axis]) => {
                Shape::Envelope(Box::new(Lines::new(space, positions, &public, axis)))
            }
            (Metric::Euclidean, _) => Shape::Programs(Boxes::new(space, &public, positions)),
        };
        Self { space, positions, public, private, shape }
    }

    /// The point that a record is nearest to.
    pub fn nearest(&self, record: &[u32]) -> u32 {
        match &self.shape {
            Shape::Nearest(boxes) => nearest_in(boxes, record),
            Shape::Envelope(lines) => lines.nearest(record),
            Shape::Programs(_) | Shape::Dominance(_) => nearest(self.space, self.positions, record),
        }
    }

    /// Replaces the content of `out` by the points that a person may be nearest to, ascending. The person is a whole record whose
    /// private positions are not looked at.
    pub fn reachable(&self, person: &[u32], scratch: &mut Scratch, out: &mut Vec<u32>) {
        out.clear();
        match &self.shape {
            Shape::Nearest(boxes) => out.push(nearest_in(boxes, person)),
            Shape::Envelope(lines) => lines.reachable(self.positions, person, &mut scratch.line, out),
            Shape::Programs(boxes) | Shape::Dominance(boxes) => {
                self.rank_near(boxes, person, scratch);
                self.by_rank(scratch, out);
            }
        }
    }

    /// The same when there were only these points.
    pub fn reachable_among(&self, person: &[u32], among: &[u32], scratch: &mut Scratch, out: &mut Vec<u32>) {
        out.clear();
        match &self.shape {
            Shape::Nearest(_) => {
                let length =
                    |&site: &u32| self.space.distance(&self.public, &self.positions[site as usize], person);
                out.extend(among.iter().copied().min_by_key(|site| (length(site), *site)));
            }
            Shape::Envelope(lines) => lines.reachable_among(self.positions, person, among, out),
            Shape::Programs(_) | Shape::Dominance(_) => {
                self.rank(person, among.iter().copied(), scratch);
                self.by_rank(scratch, out);
            }
        }
    }

    /// The points near enough to be nearest for some private values, with their public distances, the nearest first.
    fn rank(&self, person: &[u32], among: impl Iterator<Item = u32>, scratch: &mut Scratch) {
        let ranked = &mut scratch.ranked;
        ranked.clear();
        let height = |site: u32| self.space.distance(&self.public, &self.positions[site as usize], person);
        ranked.extend(among.map(|site| (height(site), site)));
        self.pass_over(ranked);
    }

    /// The same of all points. The nearest one by public axes is no farther than this anywhere, so nobody beyond it is looked at.
    fn rank_near(&self, boxes: &Boxes, person: &[u32], scratch: &mut Scratch) {
        let from: Vec<u32> = self.public.iter().map(|&axis| person[axis]).collect();
        let ranked = &mut scratch.ranked;
        ranked.clear();
        if let Some((height, site)) = boxes.nearest(&from, i64::MAX, |_| false, |_| false, |point| point) {
            boxes.within(&from, height + self.spread(site), ranked);
        }
        self.pass_over(ranked);
    }

    /// The most that private values can add to the distance of a point.
    fn spread(&self, site: u32) -> i64 {
        let position = &self.positions[site as usize];
        self.private.iter().map(|&axis| self.space.farthest(axis, position[axis])).sum()
    }

    /// Leaves those that are nearer than everybody is somewhere, the nearest first.
    fn pass_over(&self, ranked: &mut Vec<(i64, u32)>) {
        let bound = ranked.iter().map(|&(height, site)| height + self.spread(site)).min();
        ranked.retain(|&(height, _)| bound.is_some_and(|bound| height <= bound));
        ranked.sort_unstable();
    }

    fn by_rank(&self, scratch: &Scratch, out: &mut Vec<u32>) {
        match self.shape {
            Shape::Dominance(_) => self.by_dominance(&scratch.ranked, out),
            _ => self.by_programs(&scratch.ranked, out),
        }
        out.sort_unstable();
    }

    fn private_distance(&self, a: u32, b: u32) -> i64 {
        self.space.distance(&self.private, &self.positions[a as usize], &self.positions[b as usize])
    }

    /// Whoever is nearer than a point at the private values of that point; only points that were kept need to be asked.
    fn by_dominance(&self, ranked: &[(i64, u32)], out: &mut Vec<u32>) {
        let mut kept: Vec<(i64, u32)> = Vec::new();
        for &(height, site) in ranked {
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
    }

    fn by_programs(&self, ranked: &[(i64, u32)], out: &mut Vec<u32>) {
        for &(height, site) in ranked {
            let at_own =
                ranked.iter().map(|&(other, by)| (other + self.private_distance(by, site), by)).min();
            if at_own.is_some_and(|(_, by)| by == site) || self.has_cell(height, site, ranked) {
                out.push(site);
            }
        }
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

/// The point that a record is nearest to, looking at all of them: for a few records, or a few points.
pub(crate) fn nearest(space: &Space, positions: &[Vec<u32>], record: &[u32]) -> u32 {
    let all: Vec<usize> = (0..space.axes.len()).collect();
    let length = |site: &Vec<u32>| space.distance(&all, site, record);
    let lengths = positions.iter().map(length).enumerate();
    lengths.min_by_key(|&(_, length)| length).map_or(0, |(place, _)| place as u32)
}

/// The same by boxes over all axes.
fn nearest_in(boxes: &Boxes, record: &[u32]) -> u32 {
    let found = boxes.nearest(record, i64::MAX, |_| false, |_| false, |point| point);
    found.map_or(0, |(_, point)| point)
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

    /// Whether some private values in the box are nearest to a site, by the vertices of the closure of its cell in the plane.
    fn has_vertices(sites: &[Vec<u32>], site: usize, person: u32) -> bool {
        let at = |of: usize, axis: usize| i64::from(sites[of][axis]);
        let height = |of: usize| (at(of, 0) - i64::from(person)).pow(2) + at(of, 1).pow(2) + at(of, 2).pow(2);
        // Per side the coefficients of x and y, their bound, and whether the bound itself is outside.
        let mut sides = vec![(-1, 0, 0, false), (1, 0, 4, false), (0, -1, 0, false), (0, 1, 4, false)];
        for other in (0..sites.len()).filter(|&other| other != site) {
            let (x, y) = (2 * (at(other, 1) - at(site, 1)), 2 * (at(other, 2) - at(site, 2)));
            sides.push((x, y, height(other) - height(site), other < site));
        }
        let value = |&(a, b, c, _): &(i64, i64, i64, bool), x: &RBig, y: &RBig| {
            RBig::from(a) * x + RBig::from(b) * y - RBig::from(c)
        };
        let mut vertices: Vec<(RBig, RBig)> = Vec::new();
        for (place, &(a, b, c, _)) in sides.iter().enumerate() {
            for &(d, e, f, _) in &sides[..place] {
                let determinant = a * e - b * d;
                if determinant != 0 {
                    let x = RBig::from(c * e - b * f) / RBig::from(determinant);
                    let y = RBig::from(a * f - c * d) / RBig::from(determinant);
                    if sides.iter().all(|side| value(side, &x, &y) <= RBig::ZERO) {
                        vertices.push((x, y));
                    }
                }
            }
        }
        let count = RBig::from(vertices.len().max(1));
        let middle = |own: fn(&(RBig, RBig)) -> &RBig| {
            vertices.iter().fold(RBig::ZERO, |sum, vertex| sum + own(vertex)) / &count
        };
        let (x, y) = (middle(|own| &own.0), middle(|own| &own.1));
        let is_inside = |side: &(i64, i64, i64, bool)| !side.3 || value(side, &x, &y) < RBig::ZERO;
        !vertices.is_empty() && sides.iter().all(is_inside)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Several private numbers against vertices: a cell is met exactly when the middle of the vertices of its closure keeps its open sides.
        #[test]
        fn programs_agree_with_vertices(
            own in prop::collection::btree_set((0u32..5, 0u32..5, 0u32..5), 1..7), person in 0u32..5
        ) {
            let axes = vec![axis(0, Visibility::Public, 4), axis(1, Visibility::Private, 4), axis(2, Visibility::Private, 4)];
            let space = Space { axes, metric: Metric::Euclidean };
            let sites: Vec<Vec<u32>> = own.into_iter().map(|(a, b, c)| vec![a, b, c]).collect();
            let expected: Vec<u32> =
                (0..sites.len()).filter(|&site| has_vertices(&sites, site, person)).map(|site| site as u32).collect();
            prop_assert_eq!(found(&space, &sites, &[person, 0, 0]), expected);
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

        /// Boxes and bounds by bins leave out nobody: the same as programs over one private number, also when points come from the
        /// person before, and when there are only some of the points.
        #[test]
        fn envelopes_agree_with_programs(
            own in prop::collection::btree_set((0u32..40, 0u32..100), 1..70), person in 0u32..40, before in 0u32..40
        ) {
            let axes = vec![axis(0, Visibility::Public, 40), axis(1, Visibility::Private, 100)];
            let space = Space { axes, metric: Metric::Euclidean };
            let sites: Vec<Vec<u32>> = own.into_iter().map(|(a, b)| vec![a, b]).collect();
            let oracle = Sites::new(&space, &sites);
            let (mut scratch, mut by_envelope, mut by_program) = (Scratch::default(), Vec::new(), Vec::new());
            oracle.reachable(&[before, 0], &mut scratch, &mut by_envelope);
            oracle.reachable(&[person, 0], &mut scratch, &mut by_envelope);
            oracle.rank(&[person, 0], 0..sites.len() as u32, &mut scratch);
            oracle.by_programs(&scratch.ranked, &mut by_program);
            by_program.sort_unstable();
            prop_assert_eq!(by_envelope, by_program);
            let some: Vec<u32> = (0..sites.len() as u32).step_by(3).collect();
            let (mut among, mut alone) = (Vec::new(), Vec::new());
            oracle.reachable_among(&[person, 0], &some, &mut scratch, &mut among);
            let sites_alone: Vec<Vec<u32>> = some.iter().map(|&site| sites[site as usize].clone()).collect();
            Sites::new(&space, &sites_alone).reachable(&[person, 0], &mut Scratch::default(), &mut alone);
            let alone: Vec<u32> = alone.into_iter().map(|place| some[place as usize]).collect();
            prop_assert_eq!(among, alone);
        }
    }
}
