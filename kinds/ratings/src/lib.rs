//! Ratings of items by people: what can be published, and who is found all the same.
//!
//! Survey rating data of the thesis (chapters 6 and 7): users rate items on a declared scale, most cells are null, and the
//! ratings of sensitive items must stay unknown. An adversary knows a few ratings of a person, roughly.
//!
//! ```
//! use privet_ratings::{NULL, Scale, Survey};
//!
//! let survey = Survey::dense(Scale::whole(1, 6)?, &[(vec![5, 0, NULL], vec![5]), (vec![0, 5, NULL], vec![0])]);
//! assert_eq!((survey.users(), survey.row(0).0), (2, &[0, 1][..]));
//! # Ok::<(), privet_ratings::RatingsError>(())
//! ```
#![forbid(unsafe_code)]

pub mod attack;
mod criteria;
mod decide;
mod error;
pub mod generate;
mod groups;
mod hamming;
mod kind;
pub mod measure;
mod neighbours;
mod nulls;
pub mod publish;
mod ratings;
mod read;
mod scale;
mod survey;
mod write;

pub use criteria::{
    ExactDecomposition, ProximityGraph, SdNulls, Semantics, dissimilarity, is_clique,
    sensitive_dissimilarity, spread,
};
pub use decide::{
    Answer, Model, Outcome, Search, Verdict, judge, largest_k, smallest_epsilon, smallest_epsilon_for_l,
};
pub use error::RatingsError;
pub use groups::{Partition, partition};
pub use hamming::{HammingGroup, Points, hamming_groups};
pub use kind::{OriginalRatings, PublishedRatings, RatingsKind};
pub use neighbours::{Neighbours, Pairwise, Projection, Slicing};
pub use nulls::{DenseItems, NullRule, survey};
pub use ratings::{ByItem, Ratings, Row, Triples};
pub use read::{Layout, RatingsInput, RatingsOptions, Repairs, TimeUnit, read};
pub use scale::{NULL, Reach, Scale};
pub use survey::{Sensitive, Survey};
pub use write::write_triples;
