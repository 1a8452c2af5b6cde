//! What an adversary finds in published traces. Conclusions rest on what is published and known; truth only scores them.

mod aggregates;
mod assignment;
mod home_work;
mod linking;
mod places;
mod tracking;
mod uniqueness;

pub use aggregates::{Recovered, recover_traces, score_recovery};
pub use assignment::{MOST_ASSIGNED, cheapest_assignment};
pub use home_work::{HomeWork, home_and_work};
pub use linking::{Profile, link_profiles, profiles};
pub use places::{Stay, longest_stays};
pub use tracking::{Followed, follow};
pub use uniqueness::{VisitIndex, visits_of};
