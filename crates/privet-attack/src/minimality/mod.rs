//! What the choice of a release tells (survey AT-09, AT-10): whoever knows the algorithm knows that it would have
//! published something else for other originals.
//!
//! [`disclosure_sets`] does this for any algorithm and any list of inputs; [`MinimalityAttack`] for the searches of
//! this program over the worlds of a release. Against it: [`p_safe_choice`] looks for a choice that tells too little,
//! and [`distort`] publishes groups that were formed without looking at sensitive values, with some of these changed
//! (survey ME-17).

mod attack;
mod certain;
mod disclosure;
mod distort;

pub use attack::{
    Bind, Minimality, MinimalityAttack, MinimalityError, Published, Released, Tried, attribute_suppression,
    optimal_levels,
};
pub use disclosure::{DisclosureSets, PSafe, PSafeError, Schema, disclosure_sets, p_safe_choice};
pub use distort::{Distorted, DistortionError, distort};
