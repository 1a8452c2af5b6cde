//! Anonymization that looks at what the data is wanted for and at who wants it (thesis 1.10, 2.9, 2.10).
//!
//! A purpose says which columns are useful; [`priority`] turns that into a number for each column, with the help
//! of how much the columns tell about each other ([`information`]). A requester is trusted to some degree, which
//! [`trust`] projects to how much of the data is to be given up, measured as in [`degree`]. [`mod@decomposition`]
//! shares that out among the columns, and raises levels further until every promise is kept.

pub mod decomposition;
pub mod degree;
pub mod information;
pub mod priority;
pub mod trust;

pub use decomposition::{Decomposition, Plan, Priorities, decomposition};
pub use degree::{Degrees, Weights};
pub use information::{IndependencyMatrix, entropy, joint_entropy, variation_of_information};
pub use trust::Projection;

/// What is wrong with a value, and what would be accepted: `must be …`. Who knows the key under which a person
/// gave it puts that in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OutOfRange(pub &'static str);
