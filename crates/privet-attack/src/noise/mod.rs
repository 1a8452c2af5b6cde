//! Attacks on weak randomness (survey AT-14 to AT-23): they take noisy numbers, or a desk that answers questions with
//! noise, and get back what the noise was to hide.
//!
//! | what is published | attack |
//! | --- | --- |
//! | the same answer again and again | [`averaging`] (AT-14) |
//! | a column in which everybody has the same value | [`constant`] (AT-15) |
//! | columns that depend on each other | [`spectral`] (AT-16) |
//! | records of people whom the adversary has in another file | [`linkage`] (AT-17) |
//! | a series in time | [`series`] (AT-18) |
//! | many sums over subsets | [`dinur_nissim`] (AT-19), [`linear`] and [`cells`] (AT-20), [`weighted`] (AT-21) |
//! | noise that fits the data instead of the worst data | [`local_sensitivity`] (AT-22) |
//! | counts, means and sums of squares | [`undesired`] (AT-23) |
//!
//! [`assess()`] makes those that apply to a table of perturbed numbers and says of the others why not. Noise that is
//! calibrated to differential privacy, with a ledger that stops questions, withstands those on answers: `tests/noise.rs`
//! shows it for averaging, the linear program and the median.
//!
//! # Guarantee
//! An attack sees what is published and what its comment says the adversary knows, never the original. The original
//! is used only to score. That an attack fails proves nothing: another one may succeed.

pub mod assess;
pub mod averaging;
pub mod categories;
pub mod cells;
pub mod constant;
pub mod decode;
mod densities;
pub mod dinur_nissim;
pub mod linear;
pub mod linkage;
pub mod local_sensitivity;
mod nearest;
mod records;
mod score;
pub mod series;
pub mod spectral;
pub mod undesired;
pub mod weighted;

pub use assess::{
    Knowing, NoiseFinding, Outcome, PerturbedColumn, assess, assess_beside, average_copies, filter_series,
};
pub use categories::PerturbedCategories;
pub use records::{NoiseAttackError, NoiseShape, Records};
pub use score::{BitScore, Score};
