//! Attribute suppression (survey ME-03): a set of quasi columns is suppressed for all records, the others stay as they
//! are.
//!
//! # Guarantee
//! Exact for every criterion: the chosen set minimizes the problem's metric over all 2^d sets, with records of failing
//! classes suppressed up to the limit, and all minimal sets are listed (safe, and no proper part of them is). A
//! release that is the least distorting safe one tells a reader that everything less distorting was not safe:
//! that is what the minimality attack uses (survey AT-09, FX-6.1). Nothing here protects against it.
//!
//! # Departures
//! The survey enumerates all sets. Here each column gets a hierarchy of two levels, its values and `*`, and the
//! exact search over that lattice of 2^d candidates prunes what it can prove to be unsafe or too dear. The metrics
//! `height` and `precision` read these two levels: they count suppressed columns.

use privet_data::{Generalization, GeneralizedLevel, Progress};
use privet_measure::Metric;

use super::Found;
use crate::algorithm::{Algorithm, AlgorithmInfo, Selected, read};
use crate::lattice::{Options, Problem, Quasi, SearchError, optimal};

/// Attribute suppression. It has no parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AttributeSuppression {}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeSuppressed {
    /// The recoding: a column is at level 0 of its hierarchy, or all its values are `*`.
    pub found: Found,
    /// The numbers of the suppressed columns, ascending.
    pub chosen: Vec<usize>,
    /// All sets of column numbers that are safe to suppress and have no proper part that is; small sets first, then
    /// in the order of their numbers.
    pub minimal: Vec<Vec<usize>>,
}

impl AttributeSuppression {
    /// Finds the best set of columns to suppress.
    ///
    /// # Errors
    /// When not even suppressing all columns is safe, a column holds `*` as a value, there are too many columns, or the
    /// person stopped it.
    pub fn search(
        &self,
        problem: &Problem<'_>,
        progress: &dyn Progress,
    ) -> Result<AttributeSuppressed, SearchError> {
        if problem.holds_star() {
            return Err(SearchError::Parameter {
                key: "search.algorithm",
                problem: "is `attribute-suppression`, which publishes suppressed columns as `*`, and a quasi column \
                          already holds that as a value; write the value in another way, or use `optimal`",
            });
        }
        let all_or_nothing: Vec<Generalization> =
            problem.quasi.iter().map(|quasi| value_or_star(quasi.generalization)).collect();
        let derived = Problem {
            rows: problem.rows,
            quasi: problem
                .quasi
                .iter()
                .zip(&all_or_nothing)
                .map(|(quasi, generalization)| Quasi { generalization, ..*quasi })
                .collect(),
            sensitive: problem.sensitive.clone(),
            label: problem.label,
            criteria: problem.criteria,
            metric: problem.metric,
            suppress_at_most: problem.suppress_at_most,
        };
        let best = optimal(&derived, Options { minimal_nodes: true }, progress)?;
        let mut minimal: Vec<Vec<usize>> =
            best.minimal.iter().flatten().map(|levels| suppressed_columns(levels)).collect();
        minimal.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        Ok(AttributeSuppressed {
            found: Found {
                columns: derived.at(&best.levels).into_iter().cloned().collect(),
                value: best.value,
                bound: best.bound,
                suppressed: best.suppressed,
                checked: best.nodes_checked,
            },
            chosen: suppressed_columns(&best.levels),
            minimal,
        })
    }
}

/// The columns that are not at level 0.
fn suppressed_columns(levels: &[usize]) -> Vec<usize> {
    (0..levels.len()).filter(|&column| levels[column] > 0).collect()
}

/// The hierarchy of a column that is either published as it is or not at all. A missing value goes to `*` too.
fn value_or_star(generalization: &Generalization) -> Generalization {
    let values = generalization.levels[0].clone();
    let star = GeneralizedLevel {
        node_of_code: vec![0; values.node_of_code.len()],
        labels: vec!["*".into()].into(),
        leaves: vec![generalization.leaves],
    };
    Generalization { leaves: generalization.leaves, levels: vec![values, star] }
}

impl AttributeSuppression {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "attribute-suppression",
        summary: "Whole columns published as `*`.",
        guarantees: &[
            "No other set of columns, published as * as a whole, satisfies all promises and has a smaller value of the metric.",
        ],
        judges_together: true,
        needs_monotone: false,
        publishes: None,
        read: read::<AttributeSuppression>,
    };
}

impl Algorithm for AttributeSuppression {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError> {
        if matches!(problem.metric, Metric::Height | Metric::Precision) {
            // A column that is published as `*` is at no level of its hierarchy, or at any that looks like it.
            return Err(SearchError::NotForMetric {
                algorithm: "attribute-suppression",
                accepts: "metrics that need no levels, such as loss",
            });
        }
        let suppressed = self.search(problem, progress)?;
        let minimal = tops(problem, &suppressed.minimal);
        Ok(Selected::Cut { found: suppressed.found, kind: "cut", minimal })
    }
}

/// Sets of columns as nodes of the lattice, the columns of a set being at their top, when every column has one label
/// there.
fn tops(problem: &Problem<'_>, sets: &[Vec<usize>]) -> Option<Vec<Vec<usize>>> {
    let single = |quasi: &Quasi<'_>| {
        quasi.generalization.height() > 0
            && quasi.generalization.levels.last().is_some_and(|top| top.labels.len() == 1)
    };
    let level = |set: &[usize], column: usize| match set.contains(&column) {
        true => problem.quasi[column].generalization.height(),
        false => 0,
    };
    problem.quasi.iter().all(single).then(|| {
        sets.iter().map(|set| (0..problem.quasi.len()).map(|column| level(set, column)).collect()).collect()
    })
}
