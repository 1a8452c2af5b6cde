//! What the data is: tables of dictionary codes, roles, hierarchies, and the files they come from.
//!
//! A [`Table`] holds every column as a vector of `u32` codes and a [`Domain`] of distinct values.
//! A [`Hierarchy`] says how the values of a column are generalized, level by level. Everything that
//! is hot in privet works on codes; text appears at the edges only.
#![forbid(unsafe_code)]

mod coverage;
mod forms;
pub mod hierarchy;
pub mod io;
mod progress;
mod random;
mod sameness;
mod schema;
mod select;
mod table;

pub use coverage::{Coverage, Covered, Run};
pub use hierarchy::{Generalization, GeneralizedLevel, Hierarchy, HierarchyError};
pub use progress::{Cancelled, Notice, Progress, Silent};
pub use random::Random;
pub use sameness::{Comparison, Equality, Sameness};
pub use schema::Role;
pub use table::{Cells, Column, Domain, Finder, Kind, Quoting, Table, date_of};
