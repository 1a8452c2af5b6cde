//! How likely people are to be found again in what is published (survey PM-01 to PM-04).
//!
//! - [`prosecutor`], [`journalist`], [`marketer`]: risks from the sizes of classes, of the release and of the
//!   population;
//! - [`uniques`]: how many people are alone in their class in a population of which only a sample is known;
//! - [`smallest_count`], [`small_counts`]: small cells of published counts;
//! - [`spruill`]: masked numbers whose nearest neighbour is their own original;
//! - [`lambert`]: the risks of a probabilistic rule of identification;
//! - [`Uncertainty`]: what is left in doubt about a person;
//! - [`SpecialUniques`]: records that few of their values already tell apart (SUDA).
//!
//! Everything here is a pure function of slices. Nothing here is a promise: a risk is measured under the assumptions
//! that its file names.

mod classes;
mod distance;
mod identification;
mod small_counts;
mod suda;
mod uncertainty;
pub mod uniques;

pub use classes::{
    ReidentificationRisk, RiskError, SampleUniques, journalist, marketer, prosecutor, sample_uniques,
};
pub use distance::{DistanceError, SpruillRisk, spruill};
pub use identification::{IdentificationError, LambertRisk, lambert};
pub use small_counts::{CountError, SmallCount, Zeros, marginal, small_counts, smallest_count};
pub use suda::{SpecialUniques, SudaError};
pub use uncertainty::{
    Uncertainty, UncertaintyError, least_entropy, least_variance, posterior_entropy, posterior_variance,
};
