//! The 3D criterion as one that searches and the last gate can ask.
//!
//! It is not bucket-independent (survey TH-09): a class that is safe by itself may be breached through a same-value
//! family in another. So [`holds`](Criterion::holds) tells only whether a class is safe when it is alone, which is
//! necessary; the classes of a release are judged together.

use super::{GlobalMaxima, ThreeD};
use crate::bound::Bound;
use crate::{Better, Class, Criterion, Merging};

/// The 3D criterion on a sensitive column.
pub(crate) struct ThreeDPrivacy {
    rule: ThreeD,
    position: usize,
    values: usize,
    column: String,
}

impl ThreeDPrivacy {
    pub fn new(rule: ThreeD, bound: &Bound<'_>) -> Result<Self, String> {
        if let Some(fault) = rule.fault() {
            return Err(format!("c {fault}"));
        }
        let values = bound.column.domain.len();
        Ok(Self { rule, position: bound.position, values, column: bound.name() })
    }

    fn alone(&self, class: &Class<'_>) -> f64 {
        let histogram = &class.histograms[self.position];
        let facts = self.rule.facts(&class_counts(histogram));
        facts.iter().map(|facts| 1.0 / (1.0 + facts.own.min(facts.alone))).fold(0.0, f64::max)
    }
}

fn class_counts(histogram: &crate::Histogram<'_>) -> Vec<(u32, u32)> {
    histogram.present.iter().map(|&code| (code, histogram.counts[code as usize])).collect()
}

impl Criterion for ThreeDPrivacy {
    fn key(&self) -> &'static str {
        "three-d"
    }

    fn promise(&self) -> String {
        format!("{} This is about {}.", self.rule.promise(), self.column)
    }

    fn merging(&self) -> Merging {
        Merging::Arbitrary
    }

    fn bucket_independent(&self) -> bool {
        false
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.rule.allows(self.alone(class))
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        self.alone(class)
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn reached_together(&self, classes: &[Vec<(u32, u32)>]) -> Option<Vec<f64>> {
        let mut maxima = GlobalMaxima::new(self.rule, self.values);
        for (class, counts) in (0..).zip(classes) {
            maxima.insert(class, counts);
        }
        Some((0..).zip(classes).map(|(class, counts)| maxima.breach_in(class, counts)).collect())
    }

    fn accepts(&self, reached: f64) -> bool {
        self.rule.allows(reached)
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}
