//! Whether a list of people fits several releases at once: whether there is a world at all in which everybody is where the list and
//! the releases say.
//!
//! A list may fit each of two releases and not both: whoever must be in both has a value that only one of them allows. Then it holds
//! others or lacks people, nobody knows whom, and what rests on it tells nothing. Such worlds are three-way tables with given
//! margins, for which only trying helps in general: that is done for few people, and where there are more, only what counting
//! contradicts is noticed (`counting.rs`).

use std::collections::BTreeMap;

use super::standing::Records;
use crate::room::Room;
use crate::target::Suspects;

/// People among whom a world is sought.
const MOST_PEOPLE: usize = 200;
/// Ways to place somebody.
const MOST_WAYS: usize = 1 << 12;
/// Steps of the search.
const MOST_STEPS: u64 = 100_000;

/// A release as the search sees it.
pub(super) struct Side<'a> {
    pub people: &'a Suspects,
    pub room: Room,
    /// Whose a record may be.
    pub records: &'a Records,
    /// Per group its values, and how often.
    pub groups: &'a [Vec<(u32, u64)>],
    /// How it goes with the first of the list.
    pub tie: Tie,
}

impl Side<'_> {
    /// Where people may stand: in groups, or, where records show what people look like, among those that look alike.
    fn seen(&self) -> &Suspects {
        match self.records {
            Records::OfLooks(looks) => &looks.people,
            Records::OfGroups | Records::Unknown => self.people,
        }
    }

    /// The places of a person.
    fn places(&self, person: u32) -> Vec<Stands> {
        let stands = |place: u32| match self.records {
            Records::OfLooks(looks) => {
                looks.group_of.get(place as usize).map(|&group| Stands { group, look: Some(place) })
            }
            Records::OfGroups | Records::Unknown => Some(Stands { group: place, look: None }),
        };
        self.seen().places_of(person).iter().filter_map(|place| stands(place.group)).collect()
    }

    /// Per look how many records have it.
    fn seats(&self) -> Vec<u64> {
        match self.records {
            Records::OfLooks(looks) => looks.sizes.clone(),
            Records::OfGroups | Records::Unknown => Vec::new(),
        }
    }
}

/// Where somebody stands in a release.
#[derive(Debug, Clone, Copy)]
struct Stands {
    group: u32,
    /// Among records that look like this.
    look: Option<u32>,
}

/// Who is in a release, by whether they are in the table of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// Everybody who fits it, and nobody else.
    All,
    /// Nobody else.
    Some,
    /// It is of another table.
    None,
}

/// Whether there is a world for the first `own` people; `None` where it cannot be told in so many steps.
pub(super) fn fits(sides: &[Side<'_>], own: usize) -> Option<bool> {
    if own > MOST_PEOPLE || sides.iter().any(|side| *side.records == Records::Unknown) {
        return None;
    }
    // Those alike stand behind each other, those with the fewest ways first.
    let profiles = |person: u32| -> Vec<u32> {
        let of = |side: &Side<'_>| side.seen().profile_of.get(person as usize).copied().unwrap_or(u32::MAX);
        sides.iter().map(of).collect()
    };
    let mut ways_of: BTreeMap<Vec<u32>, (u32, Vec<Way>)> = BTreeMap::new();
    for person in 0..own as u32 {
        match ways_of.entry(profiles(person)) {
            std::collections::btree_map::Entry::Occupied(mut entry) => entry.get_mut().0 += 1,
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert((1, ways(sides, person)?));
            }
        }
    }
    let mut kinds: Vec<(u32, Vec<Way>)> = ways_of.into_values().collect();
    kinds.sort_by_key(|kind| kind.1.len());
    let left = |side: &Side<'_>| side.groups.iter().map(|own| own.iter().copied().collect()).collect();
    let mut search = Search {
        people: kinds
            .iter()
            .enumerate()
            .flat_map(|(at, own)| std::iter::repeat_n(at, own.0 as usize))
            .collect(),
        kinds: kinds.into_iter().map(|own| own.1).collect(),
        left: sides.iter().map(left).collect(),
        seats: sides.iter().map(Side::seats).collect(),
        filled: sides.iter().map(|side| side.room == Room::Filled).collect(),
        open: Vec::new(),
        steps: 0,
    };
    search.open = search.left.iter().map(|own| own.iter().flat_map(BTreeMap::values).sum()).collect();
    search.go(0, 0)
}

/// A value, and per release where somebody stands, if they do.
#[derive(Debug, Clone)]
struct Way {
    value: u32,
    stands: Vec<Option<Stands>>,
}

/// All ways to place a person; `None` when there are too many.
fn ways(sides: &[Side<'_>], person: u32) -> Option<Vec<Way>> {
    let mut found = vec![Way { value: u32::MAX, stands: vec![None; sides.len()] }];
    let is_whole = |way: &Way, side: &Side<'_>, at: usize| {
        let fits = !side.people.places_of(person).is_empty();
        side.room != Room::ForAll || !fits || way.stands[at].is_some()
    };
    for in_table in [true, false] {
        let mut all: Vec<Vec<Option<Stands>>> = vec![Vec::new()];
        for side in sides {
            let places = side.places(person);
            let must = in_table && side.tie == Tie::All && !places.is_empty();
            let may = in_table || side.tie == Tie::None;
            let mut here: Vec<Option<Stands>> = Vec::new();
            if may {
                here.extend(places.into_iter().map(Some));
            }
            if !must {
                here.push(None);
            }
            if all.len() * here.len() > MOST_WAYS {
                return None;
            }
            all = all
                .iter()
                .flat_map(|own| here.iter().map(move |&next| own.iter().copied().chain([next]).collect()))
                .collect();
        }
        for stands in all {
            let mut standing = stands.iter().zip(sides).filter_map(|(own, side)| {
                own.map(|own| side.groups.get(own.group as usize).map_or(&[][..], Vec::as_slice))
            });
            let Some(first) = standing.next() else { continue };
            let others: Vec<&[(u32, u64)]> = standing.collect();
            let values = first.iter().map(|own| own.0);
            let shared =
                values.filter(|value| others.iter().all(|own| own.iter().any(|own| own.0 == *value)));
            found.extend(shared.map(|value| Way { value, stands: stands.clone() }));
            if found.len() > MOST_WAYS {
                return None;
            }
        }
    }
    found.retain(|way| sides.iter().enumerate().all(|(at, side)| is_whole(way, side, at)));
    Some(found)
}

struct Search {
    /// Per person the kind, and per kind the ways.
    people: Vec<usize>,
    kinds: Vec<Vec<Way>>,
    /// Per release and group how many records have each value and are nobody's yet.
    left: Vec<Vec<BTreeMap<u32, u64>>>,
    /// Per release and look how many records are nobody's yet.
    seats: Vec<Vec<u64>>,
    /// Per release whether nobody else is in it, and how many records are nobody's yet.
    filled: Vec<bool>,
    open: Vec<u64>,
    steps: u64,
}

impl Search {
    /// Places people from one on; who is alike takes no way before that of the one before.
    fn go(&mut self, person: usize, from: usize) -> Option<bool> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        let rest = (self.people.len() - person) as u64;
        if self.filled.iter().zip(&self.open).any(|(filled, open)| *filled && *open > rest) {
            return Some(false);
        }
        let Some(&kind) = self.people.get(person) else { return Some(true) };
        for at in from..self.kinds[kind].len() {
            let way = self.kinds[kind][at].clone();
            if !self.take(&way) {
                continue;
            }
            let next = self.people.get(person + 1) == Some(&kind);
            let found = self.go(person + 1, if next { at } else { 0 });
            self.give_back(&way);
            if found != Some(false) {
                return found;
            }
        }
        Some(false)
    }

    fn take(&mut self, way: &Way) -> bool {
        let has = |(at, own): (usize, &Stands)| {
            let left = self.left[at].get(own.group as usize).and_then(|left| left.get(&way.value));
            let seats = own.look.map_or(Some(&1), |look| self.seats[at].get(look as usize));
            [left, seats].iter().all(|own| own.is_some_and(|left| *left > 0))
        };
        if !way.stands.iter().enumerate().filter_map(|(at, own)| Some((at, own.as_ref()?))).all(has) {
            return false;
        }
        self.change(way, |left| left - 1);
        true
    }

    fn give_back(&mut self, way: &Way) {
        self.change(way, |left| left + 1);
    }

    fn change(&mut self, way: &Way, by: impl Fn(u64) -> u64) {
        for (at, own) in way.stands.iter().enumerate().filter_map(|(at, own)| Some((at, (*own)?))) {
            let left = self.left[at].get_mut(own.group as usize).and_then(|left| left.get_mut(&way.value));
            if let Some(left) = left {
                *left = by(*left);
                self.open[at] = by(self.open[at]);
            }
            if let Some(seats) = own.look.and_then(|look| self.seats[at].get_mut(look as usize)) {
                *seats = by(*seats);
            }
        }
    }
}
