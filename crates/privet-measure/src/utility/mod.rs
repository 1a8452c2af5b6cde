//! How much of a table its release still says: the utility metrics of survey section 4 and thesis section 3 that apply
//! to one table, before and after.
//!
//! Everything here is a plain function of codes, [`privet_data::Coverage`] and numbers; nothing knows by which
//! mechanism a release was made. The metrics that a search minimizes are [`crate::Metric`]; those that are sums over
//! classes are computed by the same code here, from a finished release.
//!
//! | entry | where |
//! | --- | --- |
//! | UM-01, 03, 04, 08; UM-02 and the thesis' distortion ratio | `cells.rs` |
//! | UM-05, 06, 07, 11, 16, 17, 19; the thesis' SSE and SST | `classes.rs` |
//! | UM-09, 10, 13, 14 of quasi-identifier tuples | `spread.rs`, `reconstruction.rs`, `squares.rs` |
//! | UM-09, 10, 13, 14 of two histograms | `histogram.rs` |
//! | UM-12, variation of information | `entropy.rs` |
//! | UM-15 | `association.rs` |
//! | UM-18, the thesis' relative error of queries | `queries.rs` |
//! | UM-18, UM-30 of a workload of somebody's own | `workload.rs` |
//! | UM-20 … UM-25, UM-35 | `moments.rs`, `correlation.rs` |
//! | UM-26, 27, 30, 31 | `inference.rs` |
//! | UM-32, 33 | `perturbation.rs` |
//!
//! UM-34 is in [`crate::classify`]. Two warnings of the survey hold for all of them: a release that is better by one of
//! these numbers need not be better for any given analysis, and choosing the best release under a privacy constraint
//! may itself tell something.

mod arrangement;
mod association;
mod cells;
mod classes;
mod correlation;
mod entropy;
mod grouping;
mod histogram;
mod inference;
mod moments;
mod peak;
mod perturbation;
mod queries;
mod reconstruction;
mod spread;
mod squares;
mod stabbing;
mod workload;

pub use association::{
    Association, AssociationDifference, Buckets, PairAssociation, association, association_in_buckets,
    associations, mean_association_difference,
};
pub use cells::{Climb, distortion_ratio, generalization_steps, range_losses};
pub use classes::{Classes, RangeLoss, SumOfSquares};
pub use correlation::{
    correlation_error, pearson, pearson_matrix, rank_correlation_error, spearman, spearman_matrix,
};
pub use entropy::{
    conditional_entropy, entropy, entropy_difference, mutual_information, variation_of_information,
};
pub use histogram::Histograms;
pub use inference::{
    Estimate, Interval, Kept, NORMAL_95, QueryAnswer, analytical_validity, interval_overlap,
    mean_interval_overlap, reconstructible, useful,
};
pub use moments::{
    Deviation, Variation, mean_variation, variation_of_covariances, variation_of_means,
    variation_of_variances, weighted_mean,
};
pub use perturbation::{condition_number, expected_items_retained, mean_items_retained};
pub use queries::{Answer, Query, QueryErrors, RandomQueries};
pub use reconstruction::{Bracket, Reconstruction};
pub use spread::{Spread, SpreadColumn};
pub use workload::{Compared, NEAR, WorkloadErrors};

/// Input that a metric cannot be computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UtilityError {
    /// Two inputs that belong together differ in length.
    #[error("{what}: {found} found, {expected} expected, as many as the other input has")]
    Length {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// An original code lies outside its domain.
    #[error(
        "column {column}, counted from 0, has a code outside its domain; codes are below the number of values"
    )]
    Code {
        /// The column.
        column: usize,
    },
    /// A published label stands for no value.
    #[error(
        "column {column}, counted from 0, publishes a label that stands for no value; it must stand for at least one"
    )]
    Label {
        /// The column.
        column: usize,
    },
    /// A parameter that makes no sense.
    #[error("{what} must be {accepted}")]
    Parameter {
        /// The parameter.
        what: &'static str,
        /// What would do.
        accepted: &'static str,
    },
}

/// Whether two inputs have the same length.
fn same_length(what: &'static str, found: usize, expected: usize) -> Result<(), UtilityError> {
    if found == expected { Ok(()) } else { Err(UtilityError::Length { what, found, expected }) }
}

/// ln(eᵃ + eᵇ), also where one of them is zero or would be too small to write.
fn ln_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high.is_infinite() { high } else { high + (low - high).exp().ln_1p() }
}
