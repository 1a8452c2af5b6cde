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

use super::Found;
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
        labels: vec!["*".into()],
        leaves: vec![generalization.leaves],
    };
    Generalization { leaves: generalization.leaves, levels: vec![values, star] }
}
