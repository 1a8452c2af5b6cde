//! Exact linear programs of few dimensions (Seidel's incremental algorithm over fractions), for people with several private numbers.
//!
//! A point is nearest somewhere when its cell of the power diagram meets the box of private values. The cell is an intersection of
//! half-spaces, open where a lower point wins ties; the program asks for the largest slack of the open ones.
//!
//! Growth: linear in the half-spaces for a fixed dimension, when they come in no special order.

use dashu::rational::RBig;

/// A half-space: the coefficients times x are at most the bound.
pub(crate) type HalfSpace = (Vec<RBig>, RBig);

/// A point of the box, within all half-spaces, at which the objective is largest; nothing when there is none.
pub(crate) fn maximize(
    objective: &[RBig],
    spaces: &[HalfSpace],
    bounds: &[(RBig, RBig)],
) -> Option<Vec<RBig>> {
    if objective.len() <= 1 {
        return line(objective, spaces, bounds);
    }
    let corner = objective.iter().zip(bounds);
    let mut x: Vec<RBig> =
        corner.map(|(own, (low, high))| if *own > RBig::ZERO { high.clone() } else { low.clone() }).collect();
    for (place, (coefficients, bound)) in spaces.iter().enumerate() {
        let value: RBig = coefficients.iter().zip(&x).map(|(a, b)| a * b).fold(RBig::ZERO, |a, b| a + b);
        if value <= *bound {
            continue;
        }
        // The optimum lies on this plane: one dimension less, over what came before.
        let pivot = coefficients.iter().position(|own| *own != RBig::ZERO)?;
        let plane = Plane { coefficients, bound, pivot };
        let mut lower: Vec<HalfSpace> = spaces[..place].iter().map(|own| plane.reduced(own)).collect();
        let (low, high) = &bounds[pivot];
        lower.push(plane.reduced(&unit(objective.len(), pivot, RBig::ONE, high.clone())));
        lower.push(plane.reduced(&unit(objective.len(), pivot, -RBig::ONE, -low.clone())));
        let (goal, _) = plane.reduced(&(objective.to_vec(), RBig::ZERO));
        let mut rest = bounds.to_vec();
        rest.remove(pivot);
        x = maximize(&goal, &lower, &rest)?;
        let known: RBig =
            without(coefficients, pivot).zip(&x).map(|(a, b)| a * b).fold(RBig::ZERO, |a, b| a + b);
        x.insert(pivot, (bound - known) / &coefficients[pivot]);
    }
    Some(x)
}

struct Plane<'a> {
    coefficients: &'a [RBig],
    bound: &'a RBig,
    pivot: usize,
}

impl Plane<'_> {
    /// A half-space on this plane, in the other coordinates.
    fn reduced(&self, (coefficients, bound): &HalfSpace) -> HalfSpace {
        let factor = &coefficients[self.pivot] / &self.coefficients[self.pivot];
        let rest = without(coefficients, self.pivot).zip(without(self.coefficients, self.pivot));
        let rest = rest.map(|(own, plane)| own - &factor * plane).collect();
        (rest, bound - &factor * self.bound)
    }
}

fn without(own: &[RBig], place: usize) -> impl Iterator<Item = &RBig> {
    own.iter().enumerate().filter(move |(other, _)| *other != place).map(|(_, own)| own)
}

fn unit(dimensions: usize, place: usize, value: RBig, bound: RBig) -> HalfSpace {
    let mut coefficients = vec![RBig::ZERO; dimensions];
    coefficients[place] = value;
    (coefficients, bound)
}

/// One dimension: an interval.
fn line(objective: &[RBig], spaces: &[HalfSpace], bounds: &[(RBig, RBig)]) -> Option<Vec<RBig>> {
    let Some((mut low, mut high)) = bounds.first().cloned() else {
        return spaces.iter().all(|(_, bound)| *bound >= RBig::ZERO).then(Vec::new);
    };
    for (coefficients, bound) in spaces {
        let own = &coefficients[0];
        if *own == RBig::ZERO {
            if *bound < RBig::ZERO {
                return None;
            }
            continue;
        }
        let at = bound / own;
        match *own > RBig::ZERO {
            true => high = high.min(at),
            false => low = low.max(at),
        }
    }
    let best = if objective[0] > RBig::ZERO { high.clone() } else { low.clone() };
    (low <= high).then(|| vec![best])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(own: i64) -> RBig {
        RBig::from(own)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// The optimum in the plane is the best corner of all pairs of boundaries that satisfies everything.
        #[test]
        fn optima_are_best_corners(
            own in prop::collection::vec((-3i64..4, -3i64..4, -4i64..8), 0..6), goal in (-2i64..3, -2i64..3)
        ) {
            let spaces: Vec<HalfSpace> =
                own.iter().map(|&(a, b, c)| (vec![number(a), number(b)], number(c))).collect();
            let bounds = vec![(number(0), number(5)), (number(0), number(4))];
            let objective = vec![number(goal.0), number(goal.1)];
            let mut all = own;
            all.extend([(1, 0, 5), (-1, 0, 0), (0, 1, 4), (0, -1, 0)]);
            let mut best: Option<RBig> = None;
            for (place, &(a, b, c)) in all.iter().enumerate() {
                for &(d, e, f) in &all[..place] {
                    let determinant = a * e - b * d;
                    if determinant == 0 {
                        continue;
                    }
                    let x = number(c * e - b * f) / number(determinant);
                    let y = number(a * f - c * d) / number(determinant);
                    let holds = all.iter().all(|&(a, b, c)| number(a) * &x + number(b) * &y <= number(c));
                    let value = number(goal.0) * &x + number(goal.1) * &y;
                    if holds && best.as_ref().is_none_or(|best| value > *best) {
                        best = Some(value);
                    }
                }
            }
            let found = maximize(&objective, &spaces, &bounds).map(|x| &objective[0] * &x[0] + &objective[1] * &x[1]);
            prop_assert_eq!(found, best);
        }
    }
}
