//! What each verb does with a release of randomized records.

mod changed;
mod noise;

use privet_microdata::layouts::Layout;

pub use changed::read as read_changed;
pub use noise::read as read_noise;
