//! Coefficients in the units of the data, with their standard errors.
//!
//! Inside, numbers are moved by their mean μ and divided by their deviation s, so a coefficient b there is b/s here,
//! and the intercept b_0 is b_0 − Σ b μ/s. Of categories, which have a coefficient for each leaf inside, the records determine
//! only how far leaves are apart: told is how far each is from the first, which the intercept stands for. All of them are
//! sums a of the b, and their standard errors are √(aᵀ C a).

use super::design::{Encoded, EncodedKind};

/// What a coefficient belongs to. Columns and leaves are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// Every record.
    Intercept,
    /// Records with this leaf, as compared with the first leaf.
    Leaf {
        /// The column.
        column: usize,
        /// The leaf.
        leaf: u32,
    },
    /// A number.
    Number {
        /// The column.
        column: usize,
    },
    /// The lower bound of a number.
    Lower {
        /// The column.
        column: usize,
    },
    /// The upper bound of a number.
    Upper {
        /// The column.
        column: usize,
    },
}

/// A coefficient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficient {
    /// What it belongs to.
    pub term: Term,
    /// Its estimate.
    pub estimate: f64,
    /// Its standard error; `None` when the records do not determine the coefficient.
    pub standard_error: Option<f64>,
}

/// In the units of the data. `solved` has the intercept first; `variance` tells the variance of a sum of solved
/// coefficients times numbers, where it is determined.
pub(super) fn coefficients(
    columns: &[Encoded],
    solved: &[f64],
    variance: impl Fn(&[(usize, f64)]) -> Option<f64>,
) -> Vec<Coefficient> {
    let mut intercept = vec![(0, 1.0)];
    let mut found = Vec::with_capacity(solved.len());
    let estimate = |sum: &[(usize, f64)]| sum.iter().map(|&(place, factor)| solved[place] * factor).sum();
    let coefficient = |term: Term, sum: &[(usize, f64)]| Coefficient {
        term,
        estimate: estimate(sum),
        standard_error: variance(sum).map(|variance| variance.max(0.0).sqrt()),
    };
    for (column, own) in columns.iter().enumerate() {
        let begin = own.base + 1;
        match &own.kind {
            EncodedKind::Categories { means, .. } => {
                for place in 1..means.len() {
                    let term = Term::Leaf { column, leaf: place as u32 };
                    found.push(coefficient(term, &[(begin, -1.0), (begin + place, 1.0)]));
                }
                if !means.is_empty() {
                    intercept.push((begin, 1.0));
                }
            }
            EncodedKind::Numbers { units, .. } => {
                for (place, &(mean, unit)) in units.iter().enumerate() {
                    let term = match (units.len(), place) {
                        (1, _) => Term::Number { column },
                        (_, 0) => Term::Lower { column },
                        _ => Term::Upper { column },
                    };
                    found.push(coefficient(term, &[(begin + place, 1.0 / unit)]));
                    intercept.push((begin + place, -mean / unit));
                }
            }
        }
    }
    found.insert(0, coefficient(Term::Intercept, &intercept));
    found
}
