//! Synthetic data (survey section 3.6, ME-38 to ME-45): values that are drawn from a model of the table instead of the
//! values themselves.
//!
//! A [`Frame`] is a table of numbers and categories. A [`Plan`] says which columns and records are made, by which
//! [`Method`], in how many copies. [`synthesize`] gives the copies, a description of the model of each column, and how
//! often a value equals what it replaces. [`impute`] completes missing values instead.
//!
//! | method | makes | keeps |
//! | --- | --- | --- |
//! | [`Method::Cart`] | anything, partly or fully | dependence as trees find it |
//! | [`Method::Regression`] | anything, partly or fully | linear dependence, logistic for categories |
//! | [`Method::Sufficiency`] | numbers | regression coefficients and residual covariance, exactly |
//! | [`Method::FranconiStander`] | numbers, partly | what other columns predict |
//! | [`Method::Moments`] | numbers | means and covariances, exactly |
//! | [`Method::LatinHypercube`] | numbers | each distribution, rank correlations nearly |
//! | [`Method::MaximumEntropy`] | anything, fully | chosen margins of categories |
//!
//! # Guarantee
//! No method here promises privacy: single outliers move the parameters (survey, L1390), and parameters may tell of
//! people (L1380). Each file says what its method does keep, repeat and reveal. Equal coins give equal copies on any
//! number of threads. What comes back apart from the copies holds no value of the data.

mod algebra;
mod cart;
mod draws;
mod error;
mod frame;
mod franconi_stander;
mod latin_hypercube;
mod max_entropy;
mod moments;
mod multiple;
mod plan;
mod regression;
mod statistics;
mod sufficiency;

pub use self::cart::{Cart, TreeModel};
pub use self::error::SyntheticError;
pub use self::frame::{Column, Frame, MISSING, MOST_CATEGORIES};
pub use self::franconi_stander::FranconiStander;
pub use self::latin_hypercube::LatinHypercube;
pub use self::max_entropy::MaximumEntropy;
pub use self::multiple::EstimateError;
pub use self::plan::{MOST_COPIES, MOST_VALUES, Method, Plan, Scope};
pub use self::regression::{MOST_FEATURES, MOST_OUTCOMES, Regression, RegressionModel, impute};
pub use self::statistics::{ColumnStatistics, Statistics};

use self::plan::Task;
use crate::{Coins, Source};

/// What a column was made by.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Model {
    /// Trees.
    Tree {
        /// Whether there is a number, when some are missing.
        presence: Option<TreeModel>,
        /// Which value; `None` when none is known.
        values: Option<TreeModel>,
    },
    /// A regression.
    Regression(RegressionModel),
    /// A regression whose sufficient statistics are kept.
    Sufficiency {
        /// The features, with the intercept.
        features: usize,
        /// Features that others determine, which were left out.
        left_out: usize,
    },
    /// Midpoints of predicted intervals.
    FranconiStander {
        /// The records of each tail.
        tail_records: usize,
        /// The features, with the intercept.
        features: usize,
    },
    /// Normal numbers with the same moments.
    Moments,
    /// The same distribution, dealt out by ranks.
    LatinHypercube {
        /// The largest difference of a rank correlation from the original's, in the first copy.
        rank_correlation_off: f64,
        /// Whether values lie between those of the original.
        smooth: bool,
    },
    /// The joint table of maximum entropy.
    MaximumEntropy {
        /// The margins that are kept.
        margins: usize,
        /// The cells of the joint table.
        cells: usize,
        /// The largest difference of a count of a margin from the original's, as a share of the records.
        off: f64,
    },
}

/// What is told of the model of a column.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ColumnModel {
    /// The column.
    pub column: usize,
    /// What it was made by.
    pub model: Model,
    /// The decimals that its numbers were rounded to.
    pub decimals: Option<u8>,
}

/// Synthetic copies, and what is told of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    /// The copies.
    pub copies: Vec<Frame>,
    /// The model of each column that was made, in the order of the plan.
    pub models: Vec<ColumnModel>,
    /// How they compare with the original: for the owner.
    pub statistics: Statistics,
    /// Where the randomness came from.
    pub source: Source,
    /// Whether copies are draws from a posterior.
    posterior: bool,
    /// The records of a copy over those of the original, when all records are new.
    size: Option<f64>,
}

/// Makes the copies that a plan asks for.
///
/// ```
/// use privet_perturb::SeededCoins;
/// use privet_perturb::synthetic::{Cart, Column, Frame, Method, Plan, synthesize};
///
/// let region = Column::Categorical { codes: (0..100).map(|row| row % 2).collect(), categories: 2 };
/// let income = Column::Numeric((0..100).map(|row| f64::from(1000 * (row % 2) + row)).collect());
/// let frame = Frame::new(vec![region, income])?;
/// // The income is replaced, given the region, which is kept.
/// let plan = Plan::partial(vec![1], Method::Cart(Cart::default())).copies(3);
/// let made = synthesize(&frame, &plan, &mut SeededCoins::new(1))?;
/// assert_eq!(made.copies.len(), 3);
/// assert_eq!(made.copies[0].columns()[0], frame.columns()[0]);
/// assert!(made.statistics.columns[0].equal < Some(0.2));
/// # Ok::<(), privet_perturb::synthetic::SyntheticError>(())
/// ```
///
/// # Errors
/// When the plan does not fit the frame, a parameter is out of range, the method cannot make these columns (see
/// [`SyntheticError`]), or the source of randomness fails.
pub fn synthesize<C: Coins + ?Sized>(
    frame: &Frame,
    plan: &Plan,
    coins: &mut C,
) -> Result<Synthetic, SyntheticError> {
    let task = Task::new(frame, plan)?;
    let (copies, models) = match &plan.method {
        Method::Cart(options) => cart::synthesize(&task, *options, coins)?,
        Method::Regression(options) => regression::synthesize(&task, *options, coins)?,
        Method::Sufficiency => sufficiency::synthesize(&task, coins)?,
        Method::FranconiStander(options) => franconi_stander::synthesize(&task, *options)?,
        Method::Moments => moments::synthesize(&task, coins)?,
        Method::LatinHypercube(options) => latin_hypercube::synthesize(&task, *options, coins)?,
        Method::MaximumEntropy(options) => max_entropy::synthesize(&task, options, coins)?,
    };
    Ok(Synthetic {
        statistics: statistics::compare(&task, &copies),
        copies,
        models,
        source: coins.source(),
        posterior: matches!(plan.method, Method::Cart(_) | Method::Regression(_)),
        size: task.full.then(|| task.made.len() as f64 / frame.records() as f64),
    })
}

#[cfg(test)]
mod tests;
