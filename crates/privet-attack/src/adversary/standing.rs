//! How the people of a list go with a release, and whose a record may be.
//!
//! A record of a class may be anybody's who fits the class. Those of a bucket show what people look like, so that they are taken by
//! what they show.

use privet_release::Published;
use rayon::prelude::*;

use super::{Crowd, Suspects, nearest, of_links, people, released};
use crate::chances::Chances;
use crate::link::{self, Released};
use crate::room::{Room, Seating};
use crate::target::Place;

/// How people go with a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Whether all of them can be in it at once, and whether they can be all of it.
    pub room: Room,
    /// Whose a record may be.
    pub(super) records: Records,
}

/// Whose a record may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Records {
    /// Anybody's who fits its group.
    OfGroups,
    /// Anybody's whom it looks like.
    OfLooks(Looks),
    /// That is not known.
    Unknown,
}

/// Records of a group that look alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Looks {
    /// The looks that fit each person, in place of groups.
    pub people: Suspects,
    /// Per look how many records have it, and their group.
    pub sizes: Vec<u64>,
    pub group_of: Vec<u32>,
}

impl Standing {
    /// The same with some people nowhere, as `suspects` has them.
    pub(super) fn without(&self, suspects: &Suspects, sizes: &[u64]) -> Self {
        match &self.records {
            Records::OfGroups => Self { room: Room::of(suspects, sizes), records: Records::OfGroups },
            Records::OfLooks(looks) => {
                let people = looks.people.without(|own| suspects.places_of(own).is_empty());
                let room = Room::of(&people, &looks.sizes);
                Self { room, records: Records::OfLooks(Looks { people, ..looks.clone() }) }
            }
            Records::Unknown => self.clone(),
        }
    }
}

/// How people go with a release.
pub fn standing(release: &Published, crowd: &Crowd<'_>, suspects: &Suspects) -> Standing {
    let size = |group: u32| release.groups.get(group as usize).copied().unwrap_or(0);
    if suspects.groups.iter().all(|place| place.records >= size(place.group)) {
        return Standing { room: Room::of(suspects, &release.groups), records: Records::OfGroups };
    }
    match looks(release, crowd, suspects) {
        Some(looks) => {
            Standing { room: Room::of(&looks.people, &looks.sizes), records: Records::OfLooks(looks) }
        }
        None => Standing { room: Room::Uncertain, records: Records::Unknown },
    }
}

fn looks(release: &Published, crowd: &Crowd<'_>, suspects: &Suspects) -> Option<Looks> {
    if crowd.count != suspects.people() || nearest::applies(crowd) {
        return None;
    }
    let released = released(release, crowd);
    let mut keys = link::Keys::new(release.table.rows);
    for codes in released.labels.iter().copied().chain([released.groups]) {
        let size = codes.iter().max().map_or(1, |&code| u64::from(code) + 1);
        keys.push(codes.par_iter().copied(), size);
    }
    let (look_of, first) = keys.finish();
    let links = link::link(&Released { groups: &look_of, ..released }, &people(crowd)).ok()?;
    let (mut sizes, mut group_of) = (vec![0; first.len()], vec![0; first.len()]);
    for (&look, &group) in look_of.iter().zip(&release.group_of) {
        sizes[look as usize] += 1;
        group_of[look as usize] = group;
    }
    let people = Suspects { strangers: suspects.strangers, ..of_links(&links) };
    // Whoever is known to be nowhere looks like nobody.
    let is_nowhere = |own: u32| suspects.places_of(own).is_empty() && !people.places_of(own).is_empty();
    let people = match (0..people.people() as u32).any(is_nowhere) {
        true => people.without(is_nowhere),
        false => people,
    };
    Some(Looks { people, sizes, group_of })
}

/// How probable it is that people stand in each of their places, by all worlds that go with the list, as far as these can be counted.
pub(super) fn chances(standing: &Standing, suspects: &Suspects, sizes: &[u64]) -> Chances {
    match &standing.records {
        Records::OfGroups => Chances::of(suspects, sizes, standing.room),
        Records::OfLooks(looks) if looks.people.profile_of == suspects.profile_of => {
            let chances = Chances::of(&looks.people, &looks.sizes, standing.room);
            chances.joined(&looks.people, suspects, |look| looks.group_of[look as usize])
        }
        Records::OfLooks(_) | Records::Unknown => Chances::default(),
    }
}

/// The places in which people stand in some world that goes with the list: four records that only four people fit are nobody
/// else's. `None` where that is everywhere they fit, or cannot be told.
pub(super) fn sharpened(standing: &Standing, suspects: &Suspects, sizes: &[u64]) -> Option<Suspects> {
    let has_choice = |own: &Suspects| (0..own.profiles() as u32).any(|profile| own.places(profile).len() > 1);
    if standing.room == Room::Uncertain || !has_choice(suspects) {
        return None;
    }
    let (seen, seating) = match &standing.records {
        Records::OfGroups => (suspects, Seating::of(suspects, sizes)?),
        Records::OfLooks(looks) if looks.people.people() == suspects.people() => {
            (&looks.people, Seating::of(&looks.people, &looks.sizes)?)
        }
        Records::OfLooks(_) | Records::Unknown => return None,
    };
    if seating.possible.iter().all(|own| *own) {
        return None;
    }
    let mut found = Suspects { starts: vec![0], groups: Vec::new(), ..seen.clone() };
    for profile in 0..seen.profiles() {
        let own = seen.starts[profile]..seen.starts[profile + 1];
        let left = seen.groups[own.clone()].iter().zip(&seating.possible[own]).filter(|own| *own.1);
        let from = found.groups.len();
        for (place, _) in left {
            let group = match &standing.records {
                Records::OfLooks(looks) => looks.group_of[place.group as usize],
                _ => place.group,
            };
            match found.groups[from..].iter_mut().find(|own| own.group == group) {
                Some(same) => same.records += place.records,
                None => found.groups.push(Place { group, records: place.records }),
            }
        }
        found.groups[from..].sort_unstable_by_key(|own| own.group);
        found.starts.push(found.groups.len());
    }
    Some(found)
}
