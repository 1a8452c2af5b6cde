//! Linkability (WP216): two sources each know some columns of a person, and the release tells that both are about the same.
//!
//! Each source looks for the k records that are nearest by what it knows. They are linked when both found one record in
//! common. Of records that are equally near each source takes one at random: it does not know what the other one found.

use privet_data::Random;
use rayon::prelude::*;

use super::distance::Whose;
use super::{Beside, Compared, Effort, Nearest, Tried, sample};
use crate::rate::Rate;

/// What two sources know, and how many records each considers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// The columns of the first.
    pub first: Vec<usize>,
    /// Those of the second.
    pub second: Vec<usize>,
    /// How many records each takes.
    pub neighbours: usize,
}

/// Tries to link people; `None` when there is nobody to be linked, or a source knows nothing.
pub fn linkability(beside: &Beside<'_>, sources: &Sources, effort: Effort) -> Option<Tried> {
    let neighbours = sources.neighbours.clamp(1, beside.records.max(1));
    if sources.first.is_empty() || sources.second.is_empty() || beside.people == 0 || beside.records == 0 {
        return None;
    }
    let by = [Nearest::new(beside, &sources.first), Nearest::new(beside, &sources.second)];
    let links = |whose: Whose, of: usize, without_own: bool, stream: u64| -> Rate {
        let targets = sample(of, effort.attacks, effort.seed, stream);
        let linked = |buffers: &mut (Vec<f32>, Vec<f32>), person: &u32| {
            let own = beside.own.filter(|_| without_own).map_or_else(Vec::new, |own| own(*person));
            let mut random = Random::stream(effort.seed ^ stream, u64::from(*person));
            let [first, second] = by.each_ref().map(|nearest| {
                nearest.distances(whose, *person, &mut buffers.0, &mut buffers.1);
                Nearest::some_nearest(&buffers.0, &own, neighbours, &mut random)
            });
            first.iter().any(|record| second.contains(record))
        };
        let hits = targets.par_iter().map_init(Default::default, linked).filter(|own| *own).count();
        Rate::new(hits as u64, targets.len() as u64)
    };
    let attack = links(Whose::Original, beside.people, false, 21);
    let columns = [sources.first.as_slice(), &sources.second].concat();
    let control = match (beside.strangers_with(&columns), beside.own) {
        (Some(strangers), _) => Some((Compared::Strangers, links(Whose::Control, strangers, false, 22))),
        (None, Some(_)) => Some((Compared::WithoutOwn, links(Whose::Original, beside.people, true, 21))),
        (None, None) => None,
    };
    // Two random choices of k of n records have one in common: hypergeometric, so nothing needs to be drawn.
    let (n, k) = (beside.records as f64, neighbours as f64);
    let none: f64 = (0..neighbours).map(|own| ((n - k - own as f64) / (n - own as f64)).max(0.0)).product();
    Some(Tried { baseline: Rate::expected((1.0 - none) * attack.of as f64, attack.of), attack, control })
}
