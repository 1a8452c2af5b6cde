//! Where the others are left to stand once those who are spoken of have their places (survey AT-03): a record that is somebody's is
//! nobody else's.
//!
//! How many worlds complete a way to place those who are spoken of, and where the others then stand in how many of them, is counted
//! where that is possible (`chances.rs`). Besides, every way is completed by a flow (`room.rs`). One that no world completes is none, and where nobody
//! stands in any world that completes it, nobody does. That follows only where the list goes with the release. Where it does not, or
//! where there is too much to go through, people are left wherever they fit: less is concluded, and nobody is exposed by it.

use std::collections::BTreeSet;

use super::standing::{Records, Standing};
use crate::chances::{Chances, connected};
use crate::room::{Room, Seating};
use crate::target::{Place, Suspects};

/// People and places that are looked at, over all ways to place those who are spoken of, and steps of all flows.
const MOST_WORK: u64 = 1 << 23;
const MOST_STEPS: u64 = 1 << 28;

/// Where everybody may stand, with a profile for each of those who are spoken of.
pub(super) struct Seats<'a> {
    standing: &'a Standing,
    people: &'a Suspects,
    /// Where people are seen to stand: in groups, or among records that look alike.
    seen: &'a Suspects,
    sizes: &'a [u64],
    spoken_of: &'a [u32],
    placed: Suspects,
    /// Groups that are connected with those of people who are spoken of: elsewhere nothing changes.
    near: Vec<bool>,
    steps: u64,
}

/// What a way to place those who are spoken of leaves to the others.
pub(super) enum Left {
    /// No world completes it.
    Nothing,
    /// Wherever they fit, as far as is known.
    Anywhere,
    /// Per place of the profiles whether somebody may stand there.
    Places(Vec<bool>),
}

impl<'a> Seats<'a> {
    /// For so many ways to place those who are spoken of; `None` where nothing follows, or it would take too long.
    pub fn new(
        standing: &'a Standing,
        people: &'a Suspects,
        sizes: &'a [u64],
        spoken_of: &'a [u32],
        placements: u64,
    ) -> Option<Self> {
        let (seen, sizes) = match &standing.records {
            Records::OfGroups => (people, sizes),
            Records::OfLooks(looks) if looks.people.profile_of == people.profile_of => {
                (&looks.people, &looks.sizes[..])
            }
            Records::OfLooks(_) | Records::Unknown => return None,
        };
        let each = (seen.people() + seen.groups.len() + sizes.len()) as u64;
        if each.saturating_mul(placements) > MOST_WORK {
            return None;
        }
        let mut placed = seen.clone();
        for (&person, profile) in spoken_of.iter().zip(seen.profiles() as u32..) {
            *placed.profile_of.get_mut(person as usize)? = profile;
        }
        // Whatever they look like, who stands with somebody who is spoken of has what these leave.
        let of_spoken = spoken_of.iter().flat_map(|&person| people.places_of(person));
        let of_spoken: BTreeSet<u32> = of_spoken.map(|place| place.group).collect();
        let from = (0..sizes.len() as u32).filter(|&place| match &standing.records {
            Records::OfLooks(looks) => of_spoken.contains(&looks.group_of[place as usize]),
            Records::OfGroups | Records::Unknown => of_spoken.contains(&place),
        });
        let near = connected(seen, sizes.len(), from);
        let steps = MOST_STEPS / placements.max(1);
        Some(Self { standing, people, seen, sizes, spoken_of, placed, near, steps })
    }

    /// The group of a place as people are seen to stand.
    fn group_of(&self, place: &Place) -> u32 {
        match &self.standing.records {
            Records::OfLooks(looks) => looks.group_of[place.group as usize],
            Records::OfGroups | Records::Unknown => place.group,
        }
    }

    /// Puts those who are spoken of into these groups, or nowhere.
    pub fn place(&mut self, chosen: &[Option<Place>]) {
        self.placed.groups.truncate(self.seen.groups.len());
        self.placed.starts.truncate(self.seen.profiles() + 1);
        for (&person, chosen) in self.spoken_of.iter().zip(chosen) {
            let places = self.seen.places_of(person).iter();
            let own = places.filter(|place| chosen.is_some_and(|own| own.group == self.group_of(place)));
            self.placed.groups.extend(own.copied().collect::<Vec<_>>());
            self.placed.starts.push(self.placed.groups.len());
        }
    }

    /// What is left when they stand there.
    pub fn left(&self) -> Left {
        if self.standing.room == Room::Uncertain {
            return Left::Anywhere;
        }
        match Seating::completing(&self.placed, self.sizes, self.standing.room, self.steps) {
            None => Left::Anywhere,
            Some(None) => Left::Nothing,
            Some(Some(seating)) => Left::Places(self.of_groups(&seating.possible)),
        }
    }

    /// Where the others stand in how many worlds when they stand there; `None` where these are too many to be counted.
    pub fn chances(&self) -> Option<Chances> {
        let (room, present) = (self.standing.room, self.seen.profiles() as u32);
        let chances = Chances::given(&self.placed, self.sizes, room, present, Some(&self.near));
        chances.is_whole.then(|| match &self.standing.records {
            Records::OfLooks(looks) => {
                chances.joined(&self.placed, self.people, |look| looks.group_of[look as usize])
            }
            Records::OfGroups | Records::Unknown => chances,
        })
    }

    /// Per place of the profiles whether one of its records may be theirs.
    fn of_groups(&self, possible: &[bool]) -> Vec<bool> {
        if std::ptr::eq(self.people, self.seen) {
            return possible[..self.people.groups.len()].to_vec();
        }
        let mut all = Vec::with_capacity(self.people.groups.len());
        for profile in 0..self.people.profiles() {
            let seen = self.seen.places(profile as u32).iter();
            let from = self.seen.starts.get(profile).copied().unwrap_or(0);
            let left: Vec<u32> = (seen.zip(&possible[from..]))
                .filter(|(_, possible)| **possible)
                .map(|(place, _)| self.group_of(place))
                .collect();
            all.extend(self.people.places(profile as u32).iter().map(|own| left.contains(&own.group)));
        }
        all
    }
}
