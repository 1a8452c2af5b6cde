//! Randomized records attacked and measured.

mod categories;
mod chance;
mod made;
mod measure;
mod nearness;
mod perturbed;
mod records;
mod stacked;

pub(crate) use chance::{Chance, gate as gate_of_chance, words as words_of_chance};
pub use made::attack as attack_made;
pub(crate) use measure::perturbed::measure as measure_noise;
pub(crate) use measure::records::measure as measure_changed;
pub(crate) use perturbed::attack as attack_noise;
pub(crate) use privet_microdata::assess::*;
pub(crate) use records::attack as attack_changed;
