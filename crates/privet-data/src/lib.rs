//! What the data is: tables of dictionary codes, roles, hierarchies, and the files they come from.
//!
//! A [`Table`] holds every column as a vector of `u32` codes and a [`Domain`] of distinct values.
//! A [`Hierarchy`] says how the values of a column are generalized, level by level. Everything that
//! is hot in privet works on codes; text appears at the edges only.
//!
//! ```
//! use privet_data::Hierarchy;
//! use privet_data::io::{ReadOptions, read_csv_bytes};
//!
//! let input = read_csv_bytes(b"age;city\n30;Bonn\n29;Bonn\n", &ReadOptions::default())?;
//! assert_eq!(input.table.columns[0].codes, [1, 0]);
//!
//! let leaves = ["29", "30"].map(Box::from).to_vec();
//! let decades = ["20-29", "30-39"].map(Box::from).to_vec();
//! let hierarchy = Hierarchy::new(leaves, vec![decades, ["*", "*"].map(Box::from).to_vec()])?;
//! assert_eq!(hierarchy.height(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod coverage;
mod forms;
pub mod hierarchy;
pub mod io;
mod kind_test;
mod progress;
mod random;
mod sameness;
mod schema;
mod select;
mod table;
mod texts;

pub use coverage::{Coverage, Covered, Run};
pub use hierarchy::{Generalization, GeneralizedLevel, Hierarchy, HierarchyError};
pub use kind_test::KindTest;
pub use progress::{Cancelled, Notice, Progress, Silent};
pub use random::Random;
pub use sameness::{Comparison, Equality, Sameness};
pub use schema::Role;
pub use table::{Cells, Column, Domain, Finder, Kind, Quoting, Table, date_of};
pub use texts::Texts;
