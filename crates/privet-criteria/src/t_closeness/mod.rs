//! t-closeness (survey PM-26, papers T-PM6): the distribution of a sensitive column in every class is within
//! t of its distribution in the whole input.
//!
//! One file per distance. All are convex in the distribution of the class (papers T-TH8), so all are closed
//! under merging. A distance may exceed t by 1e-12, so that t = 0.2 means 0.2. Known limits (survey PM-26):
//! t-closeness never calls a table too sensitive, and it takes the input's own distribution as known.

mod hierarchical;
mod kl;
mod network;
mod ordered;
mod transport;
mod variational;

pub(crate) use hierarchical::Hierarchical;
pub(crate) use kl::KullbackLeibler;
pub(crate) use ordered::Ordered;
pub(crate) use transport::Transport;
pub(crate) use variational::Variational;

use crate::bound::{Bound, Grouping};
use crate::keep::{TOLERANCE, largest_kept};
use crate::{Better, Class, Criterion, Histogram, Merging};

/// A distance between the distribution of a class and that of the input.
pub(crate) trait Distance: Send + Sync {
    /// The distance of a class that is not empty.
    fn distance(&self, histogram: &Histogram<'_>) -> f64;

    /// Whether the distance is at most t.
    fn within(&self, histogram: &Histogram<'_>, t: f64) -> bool {
        self.distance(histogram) <= t + TOLERANCE
    }

    /// An upper bound on the records of a failing class that can be kept within t.
    fn most_kept(&self, histogram: &Histogram<'_>, t: f64) -> u64;

    /// Its name in a promise.
    fn name(&self) -> String;
}

/// The distribution in every class is within t of the one in the input.
pub(crate) struct TCloseness<D> {
    distance: D,
    t: f64,
    position: usize,
    column: String,
}

impl<D: Distance> TCloseness<D> {
    pub fn new(distance: D, t: f64, bound: &Bound<'_>) -> Self {
        Self { distance, t, position: bound.position, column: bound.name() }
    }
}

impl<D: Distance> Criterion for TCloseness<D> {
    fn key(&self) -> &'static str {
        "t-closeness"
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        format!(
            "{}, {} is distributed as in the whole \
             table up to a distance of t = {} ({}).",
            grouping.in_every(),
            self.column,
            self.t,
            self.distance.name()
        )
    }

    fn merging(&self) -> Merging {
        Merging::Closed
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let histogram = &class.histograms[self.position];
        histogram.total == 0 || self.distance.within(histogram, self.t)
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        let histogram = &class.histograms[self.position];
        if histogram.total == 0 { 0.0 } else { self.distance.distance(histogram) }
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        let histogram = &class.histograms[self.position];
        // All distances are closed under merging, so a failing class loses at least one record.
        histogram.total - self.distance.most_kept(histogram, self.t).min(histogram.total - 1)
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}

/// An upper bound on the records that can be kept when the mean of `distances` variational distances,
/// each between two coarsenings, must stay within t.
///
/// The variational distance of n kept records is 1 − Σ min(q, p), and p is at most r/n: with the parts
/// `(r, q)` of all the coarsenings together, Σ min(r, q·n) must reach (1 − t)·n for each distance.
fn most_kept(rows: u64, t: f64, distances: f64, parts: &(impl Iterator<Item = (f64, f64)> + Clone)) -> u64 {
    largest_kept(rows, distances * (1.0 - t - 2.0 * TOLERANCE), 0.0, parts)
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::testing::{Column, build_one, column, holds, reached};
    use crate::{CriterionError, Requirement};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    pub(crate) fn closeness(kind: &str, t: f64) -> Value {
        json!({"criterion": "t-closeness", "kind": kind, "t": t})
    }

    pub(crate) fn distance(requirement: Value, sensitive: &Column, class: &[u32]) -> f64 {
        reached(&*build_one(requirement, sensitive).unwrap(), class)
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-5
    }

    #[test]
    fn survey_fx_2_3_and_2_4_the_two_publishers() {
        let sensitive = column(&["Flu", "Cancer"], &[1200, 600]);
        for kind in ["variational", "equal"] {
            let distance = |class: &[u32]| distance(closeness(kind, 0.0), &sensitive, class);
            assert!(near(distance(&[400, 200]), 0.0), "FX-2.3: every class is the whole");
            assert!(near(distance(&[400, 0]), 1.0 / 3.0) && near(distance(&[0, 200]), 2.0 / 3.0), "FX-2.4");
            let strict = build_one(closeness(kind, 0.0), &sensitive).unwrap();
            assert!(holds(&*strict, &[400, 200]) && !holds(&*strict, &[400, 0]));
        }
        // TH-33: published alone, each class of FX-2.4 is its own whole, at distance 0.
        for class in [[400u32, 0], [0, 200], [400, 200]] {
            assert!(near(
                distance(closeness("variational", 0.0), &column(&["Flu", "Cancer"], &class), &class),
                0.0
            ));
        }
    }

    #[test]
    fn papers_fx_t3_both_classes() {
        let sensitive = column(&["HIV", "Hepatitis C", "Diabetes"], &[3, 2, 1]);
        for class in [[3, 0, 0], [0, 2, 1]] {
            assert!(near(distance(closeness("variational", 0.1), &sensitive, &class), 0.5));
            assert!(near(distance(closeness("kl", 0.1), &sensitive, &class), 2f64.ln()));
            assert!(near(distance(closeness("equal", 0.1), &sensitive, &class), 0.5));
            assert!(near(distance(closeness("matrix", 0.1), &sensitive, &class), 0.5), "all costs 1");
            let mut half = closeness("matrix", 0.1);
            half["costs"] = json!([["HIV", "Hepatitis C", 0.5]]);
            assert!(near(distance(half, &sensitive, &class), 1.0 / 3.0));
        }
    }

    #[test]
    fn papers_fx_t7_scalars() {
        let hiv = column(&["yes", "no"], &[1, 99]);
        assert!(near(distance(closeness("variational", 0.1), &hiv, &[1, 1]), 0.49));
        assert!(near(distance(closeness("kl", 0.1), &hiv, &[1, 1]), 1.614463));
    }

    #[test]
    fn papers_fx_l2_and_fx_l3_blocks() {
        let sensitive = column(&["Cancer", "Heart Disease", "Viral Infection"], &[5, 3, 4]);
        let blocks: [([u32; 3], f64, f64); 6] = [
            ([0, 2, 2], 5.0 / 12.0, 0.54931),
            ([1, 1, 2], 1.0 / 6.0, 0.07503),
            ([4, 0, 0], 7.0 / 12.0, 0.87547),
            ([2, 1, 1], 1.0 / 12.0, 0.01924),
            ([1, 1, 2], 1.0 / 6.0, 0.07503),
            ([2, 1, 1], 1.0 / 12.0, 0.01924),
        ];
        for (block, variational, kl) in blocks {
            assert!(near(distance(closeness("variational", 0.1), &sensitive, &block), variational));
            assert!(near(distance(closeness("kl", 0.1), &sensitive, &block), kl));
        }
    }

    #[test]
    fn t_means_what_it_says_at_the_tie() {
        let sensitive = column(&["1", "2"], &[5, 5]);
        for kind in ["variational", "equal", "ordered", "matrix"] {
            let at = |t: f64| build_one(closeness(kind, t), &sensitive).unwrap();
            assert!(holds(&*at(0.2), &[7, 3]), "{kind}");
            assert!(!holds(&*at(0.199_999), &[7, 3]), "{kind}");
        }
    }

    #[test]
    fn parameters_of_another_kind_are_refused() {
        let sensitive = column(&["a", "b"], &[5, 5]);
        let problem = |field: &str, value: Value| -> CriterionError {
            let mut requirement = closeness("variational", 0.1);
            requirement[field] = value;
            build_one(requirement, &sensitive).err().unwrap()
        };
        assert!(problem("costs", json!([["a", "b", 0.5]])).problem.contains("kind matrix"));
        assert!(problem("order", json!(["a", "b"])).problem.contains("kind ordered"));
        assert!(problem("hierarchy", json!("tree.csv")).problem.contains("kind hierarchical"));
        let _: Requirement = serde_json::from_value(closeness("kl", 0.1)).unwrap();
    }

    proptest! {
        /// Papers T-TH8, Lemma 20.3.3: the distance of a union is at most the weighted mean of the parts'.
        #[test]
        fn papers_t_th8_convexity(
            a in prop::collection::vec(0u32..6, 4), b in prop::collection::vec(0u32..6, 4),
            costs in prop::collection::vec(0.0f64..5.0, 6),
        ) {
            let (rows_a, rows_b) = (a.iter().sum::<u32>(), b.iter().sum::<u32>());
            prop_assume!(rows_a > 0 && rows_b > 0);
            let sensitive = column(&["1", "2", "3", "4"], &[5, 3, 2, 2]);
            let pairs = [("1", "2"), ("1", "3"), ("1", "4"), ("2", "3"), ("2", "4"), ("3", "4")];
            let mut matrix = closeness("matrix", 0.1);
            matrix["costs"] = json!(pairs.iter().zip(&costs).map(|(p, c)| json!([p.0, p.1, c])).collect::<Vec<_>>());
            let union: Vec<u32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            for requirement in [closeness("variational", 0.1), closeness("kl", 0.1), closeness("ordered", 0.1), matrix] {
                let of = |class: &[u32]| distance(requirement.clone(), &sensitive, class);
                let mean = (of(&a) * f64::from(rows_a) + of(&b) * f64::from(rows_b)) / f64::from(rows_a + rows_b);
                prop_assert!(of(&union) <= mean + 1e-9);
            }
        }
    }
}
