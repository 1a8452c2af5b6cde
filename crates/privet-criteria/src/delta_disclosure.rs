//! delta-disclosure privacy (Brickell and Shmatikov): for every value of the input, |ln(p/q)| < delta, where p is
//! its share in the class and q in the input.
//!
//! The inequality is strict, and a value that a class does not hold fails it. A logarithm within 1e-12 of delta
//! counts as equal and fails. Closed, because each share of a union lies between those of its parts.

use crate::bound::{Bound, Grouping, check_positive};
use crate::keep::{TOLERANCE, largest_kept, whole_records};
use crate::{Better, Class, Criterion, Merging};

/// The share of every value is within a factor of its share in the input.
pub(crate) struct DeltaDisclosure {
    delta: f64,
    shares: Vec<f64>,
    /// Per code the shares between which, both excluded, a class must lie.
    bounds: Vec<(f64, f64)>,
    /// How many values the input has.
    distinct: usize,
    position: usize,
    column: String,
}

impl DeltaDisclosure {
    pub fn new(delta: f64, bound: &Bound<'_>) -> Result<Self, String> {
        check_positive("delta", delta)?;
        let shares = bound.shares();
        let bounds = shares
            .iter()
            .map(|share| {
                (share * (-delta).exp() * (1.0 + TOLERANCE), share * delta.exp() * (1.0 - TOLERANCE))
            })
            .collect();
        let distinct = bound.distinct() as usize;
        Ok(Self { delta, shares, bounds, distinct, position: bound.position, column: bound.name() })
    }
}

impl Criterion for DeltaDisclosure {
    fn key(&self) -> &'static str {
        "delta-disclosure"
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        let every = grouping.every();
        format!(
            "{every} holds every value of {} with a share that differs from its share in the whole table by less \
             than a factor e^delta, delta = {}.",
            self.column, self.delta
        )
    }

    fn merging(&self) -> Merging {
        Merging::Closed
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let histogram = &class.histograms[self.position];
        let rows = histogram.total as f64;
        let inside = |&code: &u32| {
            let (low, high) = self.bounds[code as usize];
            let count = f64::from(histogram.counts[code as usize]);
            low * rows < count && count < high * rows
        };
        histogram.present.len() >= self.distinct && histogram.present.iter().all(inside)
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        let histogram = &class.histograms[self.position];
        if histogram.present.len() < self.distinct {
            return f64::INFINITY;
        }
        let rows = histogram.total as f64;
        let logarithm = |&code: &u32| {
            (f64::from(histogram.counts[code as usize]) / rows / self.shares[code as usize]).ln().abs()
        };
        histogram.present.iter().map(logarithm).fold(0.0, f64::max)
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        if self.holds(class) {
            return 0;
        }
        let histogram = &class.histograms[self.position];
        let rows = histogram.total;
        if histogram.present.len() < self.distinct {
            return rows;
        }
        let count = |&code: &u32| f64::from(histogram.counts[code as usize]);
        let high = histogram.present.iter().map(|code| (count(code), self.bounds[*code as usize].1));
        let above = largest_kept(rows, 1.0, 0.0, &high);
        // No value may fall to its lower bound, so each allows only so many records.
        let low = |code: &u32| count(code) / self.bounds[*code as usize].0;
        let below = histogram.present.iter().map(low).fold(f64::INFINITY, f64::min);
        rows - above.min(whole_records(below)).min(rows - 1)
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}

#[cfg(test)]
mod tests {
    use crate::Criterion;
    use crate::testing::{Sample, build_one, column, holds, reached};
    use serde_json::json;

    fn disclosure(delta: f64) -> Box<dyn Criterion> {
        let requirement = json!({"criterion": "delta-disclosure", "delta": delta});
        build_one(requirement, &column(&["a", "b"], &[5, 5])).unwrap()
    }

    #[test]
    fn every_value_within_the_factor_and_strictly() {
        let two = disclosure(2f64.ln());
        assert!(holds(&*two, &[5, 5]) && holds(&*two, &[74, 26]));
        assert!(!holds(&*two, &[3, 1]), "1/4 by 1/2 is exactly the factor 2");
        assert!(!holds(&*two, &[9, 0]), "an absent value fails");
        assert!((reached(&*two, &[3, 1]) - 2f64.ln()).abs() < 1e-12);
        assert_eq!(reached(&*two, &[9, 0]), f64::INFINITY);
        assert_eq!(Sample::of(&[9, 0]).ask(|class| two.least_suppression(class)), 9);
        assert_eq!(Sample::of(&[90, 1]).ask(|class| two.least_suppression(class)), 87, "at most 3 with 1");
    }
}
