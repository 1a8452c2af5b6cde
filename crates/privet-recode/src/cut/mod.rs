//! Global recoding one column at a time (survey ME-07): equal values stay equal, but the values of a column may
//! go to different levels of its hierarchy, or to ranges that no hierarchy names.
//!
//! One file per search. All take the [`Problem`] of the full-domain searches.

mod attribute_suppression;
mod bottom_up_generalization;
mod information;
mod k_optimize;
mod setting;
mod taxonomy;
mod top_down_specialization;
mod tuples;

pub use attribute_suppression::{AttributeSuppressed, AttributeSuppression};
pub use bottom_up_generalization::BottomUpGeneralization;
pub use k_optimize::KOptimize;
pub use top_down_specialization::TopDownSpecialization;

use privet_data::{Generalization, GeneralizedLevel};
use privet_measure::{Metric, Objective, QuasiColumn, ReleasedClass};

use crate::lattice::{Partition, Problem, SearchError, partition, tuple_entropy};

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Per quasi column where its values go, in the order of the problem.
    pub columns: Vec<GeneralizedLevel>,
    /// The metric.
    pub value: f64,
    /// No safe candidate of the search's space has a smaller value of the metric; `None` when it cannot tell.
    pub bound: Option<f64>,
    /// Records in failing classes.
    pub suppressed: u64,
    /// Candidates that were looked at.
    pub checked: u64,
}

/// The classes of a recoding, and the metric of it.
///
/// # Errors
/// When the metric is not defined for recodings that have no levels, or cannot use the weights.
pub fn measure(problem: &Problem<'_>, columns: &[GeneralizedLevel]) -> Result<(Partition, f64), SearchError> {
    takes_cuts(problem.metric)?;
    let parts = partition(problem, &columns.iter().collect::<Vec<_>>());
    // A hierarchy of two levels, the value and where it goes, is all that a metric looks at.
    let two_levels: Vec<Generalization> = problem
        .quasi
        .iter()
        .zip(columns)
        .map(|(quasi, column)| Generalization {
            leaves: quasi.generalization.leaves,
            levels: vec![quasi.generalization.levels[0].clone(), column.clone()],
        })
        .collect();
    let measured: Vec<QuasiColumn<'_>> = problem
        .quasi
        .iter()
        .zip(&two_levels)
        .map(|(quasi, generalization)| QuasiColumn {
            generalization,
            counts: quasi.counts,
            weight: quasi.weight,
        })
        .collect();
    // One metric compares with the tuples of the input, and only it is worth looking at them.
    let entropy = if problem.metric == Metric::KullbackLeibler { tuple_entropy(problem) } else { 0.0 };
    let objective = Objective::new(problem.metric, &measured, problem.rows as u64, entropy)?;
    let width = columns.len();
    let nodes: Vec<u32> = parts
        .first
        .iter()
        .flat_map(|&record| {
            let columns = problem.quasi.iter().zip(columns);
            columns.map(move |(quasi, column)| column.node_of_code[quasi.codes[record as usize] as usize])
        })
        .collect();
    let classes = (0..parts.rows.len()).map(|class| ReleasedClass {
        rows: parts.rows[class],
        nodes: &nodes[class * width..(class + 1) * width],
        majority: parts.majority.get(class).copied().unwrap_or(0),
        kept: parts.kept[class],
    });
    let value = objective.evaluate(&measured, &vec![1; width], classes);
    Ok((parts, value))
}

/// Refuses metrics that need the level of a column.
fn takes_cuts(metric: Metric) -> Result<(), SearchError> {
    if matches!(metric, Metric::Height | Metric::Precision) {
        return Err(SearchError::NotForMetric {
            algorithm: "a search for cuts",
            accepts: "metrics that need no levels: loss, non-uniform-entropy, discernibility, average-class-size, ambiguity, kullback-leibler, classification",
        });
    }
    Ok(())
}
