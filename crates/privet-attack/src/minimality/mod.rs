//! What the choice of a release tells (survey AT-09, AT-10): whoever knows the algorithm knows that it would have
//! published something else for other originals.
//!
//! [`disclosure_sets`] does this for any algorithm and any list of inputs; [`MinimalityAttack`] for the searches of
//! this program over the worlds of a release, and [`ListAttack`] where it is not known who of a list is in the data. Against it (survey ME-17): [`p_safe_choice`] looks for a choice of schemas that tells too
//! little, [`PSafeSearch`] is a search over candidates in their order that passes over what would tell too much, and [`distort`] publishes
//! groups that were formed without looking at sensitive values, with some of these changed.

mod attack;
mod belief;
mod certain;
mod disclosure;
mod distort;
mod listed;
mod p_safe;
mod ways;

pub use attack::{
    Bind, Effort, Leads, ListAttack, Minimality, MinimalityAttack, MinimalityError, Published, Released,
    Tried, attribute_suppression, looks_at_values, optimal_levels,
};
pub use belief::{holds_of_belief, holds_of_counts};
pub use disclosure::{DisclosureSets, PSafe, PSafeError, Schema, disclosure_sets, p_safe_choice};
pub use distort::{Distorted, DistortionError, distort};
pub use listed::{ABSENT, Listed};
pub use p_safe::{Grouping, PSafeSearch, PSafeSearchError, PSafelyChosen};
