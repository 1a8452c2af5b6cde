//! The seam for kinds of release.
//!
//! **Kinds offer views; verbs consume views.** A [`Kind`] makes and opens releases of one form: a graph, a rating matrix, a model.
//! An opened [`Release`] offers [`Views`], which its [`Attack`]s and [`Measure`]s look at. Verbs such as `verify`, `attack` and
//! `measure` are written once, in the crate `privet`, and know no kind by name. This crate holds no mathematics.
//!
//! ```
//! use privet_kind::Views;
//!
//! struct Degrees(Vec<u32>);
//!
//! let published = Degrees(vec![2, 2, 1, 1]);
//! let views = Views::of(&published);
//! assert_eq!(views.get::<Degrees>().map(|degrees| degrees.0.len()), Some(4));
//! ```
#![forbid(unsafe_code)]

mod answer;
mod assessment;
mod attack;
mod error;
mod job;
mod kind;
mod knowledge;
mod measure;
mod note;
pub mod page;
mod views;

pub use answer::{NoAnswer, Question, ReleaseAnswer};
pub use assessment::{Assessment, Exceeded, Limit, NotMade};
pub use attack::{Attack, AttackInfo, Finding, Need, Reason, Share, Standing, Unmade};
pub use error::{Fault, KindError};
pub use job::{AdversarySection, JobFile, OutputSection, Section};
pub use kind::{Demo, Kind, NO_LEDGER, Original, Outcome, OwnerFiles, Proposal, Release, Sample};
pub use knowledge::Knowledge;
pub use measure::{Figure, Measure, MeasureInfo};
pub use note::{Basis, Note};
pub use page::{Block, Page, PageSection};
pub use views::Views;
