//! The attacks on traces, one file each.

mod aggregates;
mod few_points;
mod home_work;
mod outliers;
mod places;
mod tracking;
mod two_releases;

use privet_kind::{Attack, Need, Unmade, Views};

use super::view::OriginalTraces;

/// All of them.
pub(super) const ATTACKS: &[&dyn Attack] = &[
    &home_work::HomeAndWork,
    &tracking::Tracking,
    &few_points::FewPoints,
    &aggregates::Aggregates,
    &outliers::Outliers,
    &places::SensitivePlaces,
    &two_releases::TwoReleases,
];

/// The original with who is who of so many published traces or records.
fn scored(original: Option<Views<'_>>, published: usize) -> Option<(&OriginalTraces, &[u32])> {
    let original = original?.get::<OriginalTraces>()?;
    let who = original.who.as_deref().filter(|own| own.len() == published)?;
    Some((original, who))
}

/// The original, which the adversary's knowledge is drawn from.
fn needed(original: Option<Views<'_>>) -> Result<&OriginalTraces, Unmade> {
    Ok(original.and_then(|own| own.get::<OriginalTraces>()).ok_or(Need::Original)?)
}
