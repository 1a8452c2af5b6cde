//! Several tables about the same people, with several rows of each: what is promised counts people and not rows.
//!
//! The rows of a person are published under one keyed pseudonym in all tables, so whoever knows something from each of them joins it. A
//! class is therefore made of people who are alike in *everything* that is known of them over all tables (survey PM-05 over the join).
//! Keys lead to the same rows as before, dates are shifted by one number of days per person, and what is dropped is dropped everywhere.
//!
//! ```
//! // Person 0 and 1 have the same two rows, person 2 has one more.
//! let visits = vec![(0, 7), (0, 8), (1, 8), (1, 7), (2, 7), (2, 8), (2, 8)];
//! let (class_of, classes) = privet_tables::classes(3, &[visits], None);
//! assert_eq!((class_of, classes), (vec![0, 0, 1], 2));
//! ```
#![forbid(unsafe_code)]

mod adopt;
mod alike;
mod attacks;
mod body;
mod criteria;
mod demo;
mod job;
mod kind;
mod load;
mod make;
mod measures;
mod page;
mod people;
mod pseudonym;
mod search;

pub use alike::{Numbering, classes};
pub use body::{Body, PublishedColumn, PublishedTable, Role};
pub use criteria::{Criteria, Failing};
pub use kind::Tables;
pub use people::{People, Sensitive};
