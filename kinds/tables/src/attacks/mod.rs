//! Attacks on tables about the same people, one file each.

mod common_value;
mod households;
mod intervals;
mod known_rows;
mod population;
mod row_counts;

use privet_kind::{Attack, Reason, Unmade, Views};

use crate::people::People;

/// All of them.
pub const ALL: &[&dyn Attack] = &[
    &known_rows::KnownRows,
    &common_value::CommonValue,
    &row_counts::RowCounts,
    &intervals::Intervals,
    &households::Households,
    &population::Population,
];

fn people(release: Views<'_>) -> Result<&People, Unmade> {
    let people: &People = release.get().ok_or(nothing("person"))?;
    if people.is_empty() { Err(nothing("person").into()) } else { Ok(people) }
}

fn nothing(what: &str) -> Reason {
    Reason::Nothing { what: what.to_owned() }
}

/// How many people are alone with what is known of them besides their class.
fn alone<T: std::hash::Hash + Eq>(people: &People, known: impl Fn(usize) -> T) -> u64 {
    let mut numbers = crate::alike::Numbering::default();
    let of: Vec<u32> = (0..people.len()).map(|own| numbers.of((people.class_of[own], known(own)))).collect();
    let mut sizes = vec![0_u64; numbers.len()];
    of.iter().for_each(|&own| sizes[own as usize] += 1);
    sizes.into_iter().filter(|&size| size == 1).count() as u64
}
