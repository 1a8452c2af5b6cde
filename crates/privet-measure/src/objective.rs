//! A metric made ready for one table.

use privet_data::Generalization;

use crate::{Additive, Grouped, GroupedKind, Metric};

/// A quasi column as metrics see it.
#[derive(Debug, Clone, Copy)]
pub struct QuasiColumn<'a> {
    /// Its hierarchy, fitted to its codes.
    pub generalization: &'a Generalization,
    /// Per code how many records have it.
    pub counts: &'a [u64],
    /// Its weight, 1 by default.
    pub weight: f64,
}

/// Weights that the metric cannot use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightError {
    /// A weight is not a number of at least 0.
    #[error("a column's weight must be a number of at least 0, and at least one must be above 0")]
    Invalid,
    /// The metric looks at classes, not at columns.
    #[error("`{0}` does not weigh columns; weights go with loss, height, precision and non-uniform-entropy")]
    NotWeighable(&'static str),
}

/// A metric made ready for one table.
#[derive(Debug, Clone)]
pub enum Objective {
    /// A sum over columns, corrected for suppressed records.
    Additive(Additive),
    /// A sum over classes.
    Grouped(Grouped),
}

impl Objective {
    /// Makes a metric ready for a table of `rows` records.
    ///
    /// `tuple_entropy` is the sum over the distinct tuples of the quasi-identifier of p ln p; only
    /// `kullback-leibler` looks at it.
    ///
    /// # Errors
    /// When a weight is not a number of at least 0 or the metric takes none.
    pub fn new(
        metric: Metric,
        columns: &[QuasiColumn<'_>],
        rows: u64,
        tuple_entropy: f64,
    ) -> Result<Self, WeightError> {
        let weights = columns.iter().map(|c| c.weight);
        if weights.clone().any(|w| !w.is_finite() || w < 0.0)
            || (!columns.is_empty() && weights.clone().sum::<f64>() <= 0.0)
        {
            return Err(WeightError::Invalid);
        }
        if !metric.takes_weights() && weights.clone().any(|w| w != 1.0) {
            return Err(WeightError::NotWeighable(metric.word()));
        }
        let grouped = |kind| Ok(Self::Grouped(Grouped::new(kind, columns, rows, tuple_entropy)));
        match metric {
            Metric::Loss | Metric::Height | Metric::Precision | Metric::NonUniformEntropy => {
                Ok(Self::Additive(Additive::new(metric, columns, rows)))
            }
            Metric::Discernibility => grouped(GroupedKind::Discernibility),
            Metric::AverageClassSize => grouped(GroupedKind::AverageClassSize),
            Metric::Ambiguity => grouped(GroupedKind::Ambiguity),
            Metric::KullbackLeibler => grouped(GroupedKind::KullbackLeibler),
            Metric::Classification => grouped(GroupedKind::Classification),
        }
    }
}

/// A class of a finished candidate.
#[derive(Debug, Clone)]
pub struct ReleasedClass<'a> {
    /// Its records.
    pub rows: u64,
    /// Per quasi column its node in the hierarchy, at the candidate's level.
    pub nodes: &'a [u32],
    /// Records with its most frequent class label; 0 without a class column.
    pub majority: u64,
    /// Whether it is published.
    pub kept: bool,
}

impl Objective {
    /// The value of the metric for a candidate with these levels and classes.
    pub fn evaluate<'c>(
        &self,
        columns: &[QuasiColumn<'_>],
        levels: &[usize],
        classes: impl Iterator<Item = ReleasedClass<'c>> + Clone,
    ) -> f64 {
        match self {
            Objective::Additive(additive) => {
                let suppressed = classes.filter(|class| !class.kept).map(|class| {
                    let each = class
                        .nodes
                        .iter()
                        .enumerate()
                        .map(|(i, &node)| additive.surcharge(i, levels[i])[node as usize]);
                    class.rows as f64 * each.sum::<f64>()
                });
                additive.floor(levels) + suppressed.sum::<f64>()
            }
            Objective::Grouped(grouped) => {
                let log_volume = |class: &ReleasedClass<'_>| -> f64 {
                    let leaves =
                        class.nodes.iter().zip(columns).zip(levels).map(|((&node, column), &level)| {
                            f64::from(column.generalization.levels[level].leaves[node as usize]).ln()
                        });
                    leaves.sum()
                };
                let mut tally = crate::Tally::default();
                for class in classes.clone() {
                    grouped.add(&mut tally, class.rows, log_volume(&class), class.majority, class.kept);
                }
                let kept = classes.filter(|class| class.kept).map(|class| (class.rows, log_volume(&class)));
                grouped.value(&tally, kept)
            }
        }
    }
}
