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
pub(crate) mod disclosure;
mod distort;
mod listed;
mod p_safe;
mod ways;

use crate::attacks::{AttackWord, Role};

/// The word of the attack in files.
pub const MINIMALITY: &str = "minimality";

/// What it is.
pub(crate) const ABOUT_MINIMALITY: AttackWord = AttackWord {
    word: MINIMALITY,
    title: "Minimality",
    sentence: "The adversary knows how the release was made and reasons that nothing was hidden without need, so that what is hidden tells what made it necessary.",
    about: "what the search did not publish (on request, or on small tables)",
    needs: Some("job"),
    quick: false,
    role: Role::Counts,
};

pub use attack::{
    Bind, Effort, Leads, ListAttack, Minimality, MinimalityAttack, MinimalityError, Published, Released,
    Tried, attribute_suppression, looks_at_values, optimal_levels,
};
pub use belief::{holds_of_belief, holds_of_counts};
pub use disclosure::{DisclosureSets, PSafe, PSafeError, Schema, disclosure_sets, p_safe_choice};
pub use distort::{Distorted, DistortionError, distort};
pub use listed::{ABSENT, Listed};
pub use p_safe::{Grouping, PSafeSearch, PSafeSearchError, PSafelyChosen};
