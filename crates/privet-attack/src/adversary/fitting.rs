//! Whether a list of people fits several releases at once: whether there is a world at all in which everybody is where the list and
//! the releases say, and one in which somebody has a value.
//!
//! A list may fit each of two releases and not both: whoever must be in both has a value that only one of them allows. Then it holds
//! others or lacks people, nobody knows whom, and what rests on it tells nothing. Where it fits, a value that a person has in no world
//! is not theirs, however many releases allow it. Such worlds are three-way tables with given margins, for which only trying helps in
//! general: that is done for up to 200 people and for so many steps, and beyond, only what counting tells is concluded
//! (`counting.rs`). A world that is found answers for everybody in it, so few have to be sought.

use std::collections::{BTreeMap, BTreeSet};

use super::standing::Records;
use crate::room::Room;
use crate::target::Suspects;

/// People among whom a world is sought.
const MOST_PEOPLE: usize = 200;
/// Ways to place somebody.
const MOST_WAYS: usize = 1 << 12;
/// Steps of the search for a world, and of all of them together.
const MOST_STEPS: u64 = 100_000;
const MOST_STEPS_TOGETHER: u64 = 2_000_000;

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

/// The worlds of several releases for a list of people.
pub(super) struct Worlds {
    search: Search,
    /// Per person the kind: those of one may be put into the same places.
    kind_of: Vec<usize>,
    /// Per kind the values that somebody of it has in a world that was found, and those who have it are in the first release.
    seen: Vec<BTreeSet<u32>>,
    /// Steps that are left for all searches.
    steps: u64,
}

impl Worlds {
    /// For the first `own` people; `None` where they are too many, or may stand in too many ways.
    pub fn new(sides: &[Side<'_>], own: usize) -> Option<Self> {
        if own > MOST_PEOPLE || sides.iter().any(|side| *side.records == Records::Unknown) {
            return None;
        }
        // Those alike stand behind each other, those with the fewest ways first.
        let profiles = |person: u32| -> Vec<u32> {
            let of =
                |side: &Side<'_>| side.seen().profile_of.get(person as usize).copied().unwrap_or(u32::MAX);
            sides.iter().map(of).collect()
        };
        let mut ways_of: BTreeMap<Vec<u32>, (Vec<u32>, Vec<Way>)> = BTreeMap::new();
        for person in 0..own as u32 {
            match ways_of.entry(profiles(person)) {
                std::collections::btree_map::Entry::Occupied(mut entry) => entry.get_mut().0.push(person),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert((vec![person], ways(sides, person)?));
                }
            }
        }
        let mut kinds: Vec<(Vec<u32>, Vec<Way>)> = ways_of.into_values().collect();
        kinds.sort_by_key(|kind| kind.1.len());
        let mut kind_of = vec![0; own];
        for (at, person) in kinds.iter().enumerate().flat_map(|(at, own)| own.0.iter().map(move |&p| (at, p)))
        {
            kind_of[person as usize] = at;
        }
        let mut people = kind_of.clone();
        people.sort_unstable();
        let left = |side: &Side<'_>| side.groups.iter().map(|own| own.iter().copied().collect()).collect();
        let mut search = Search {
            people,
            kinds: kinds.into_iter().map(|own| own.1).collect(),
            left: sides.iter().map(left).collect(),
            seats: sides.iter().map(Side::seats).collect(),
            filled: sides.iter().map(|side| side.room == Room::Filled).collect(),
            open: Vec::new(),
            found: Vec::new(),
            steps: 0,
        };
        search.open = search.left.iter().map(|own| own.iter().flat_map(BTreeMap::values).sum()).collect();
        let seen = vec![BTreeSet::new(); search.kinds.len()];
        Some(Self { search, kind_of, seen, steps: MOST_STEPS_TOGETHER })
    }

    /// Whether there is a world; `None` where it cannot be told in so many steps.
    pub fn fit(&mut self) -> Option<bool> {
        self.sought(|search| search.go(0, 0))
    }

    /// Whether there is a world in which a person is in the first release and has this value; `None` where it cannot be told in so many
    /// steps.
    pub fn may_have(&mut self, person: u32, value: u32) -> Option<bool> {
        let kind = *self.kind_of.get(person as usize)?;
        if self.seen[kind].contains(&value) {
            return Some(true);
        }
        self.sought(|search| search.with(kind, value))
    }

    /// Seeks a world, and notes what people have in it.
    fn sought(&mut self, seek: impl Fn(&mut Search) -> Option<bool>) -> Option<bool> {
        self.search.found.clear();
        self.search.steps = MOST_STEPS.min(self.steps);
        let most = self.search.steps;
        let found = seek(&mut self.search);
        self.steps -= most - self.search.steps;
        if found == Some(true) {
            for &(kind, at) in &self.search.found {
                let way = &self.search.kinds[kind][at];
                if way.is_in_first() {
                    self.seen[kind].insert(way.value);
                }
            }
        }
        found
    }
}

/// A value, and per release where somebody stands, if they do.
#[derive(Debug, Clone)]
struct Way {
    value: u32,
    stands: Vec<Option<Stands>>,
}

impl Way {
    fn is_in_first(&self) -> bool {
        self.stands.first().is_some_and(Option::is_some)
    }
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
    /// Kinds and ways of those who were placed in a world that was found.
    found: Vec<(usize, usize)>,
    /// Steps that are left.
    steps: u64,
}

impl Search {
    /// Places people from one on; who is alike takes no way before that of the one before.
    fn go(&mut self, person: usize, from: usize) -> Option<bool> {
        self.steps = self.steps.checked_sub(1)?;
        let rest = (self.people.len() - person) as u64;
        if self.filled.iter().zip(&self.open).any(|(filled, open)| *filled && *open > rest) {
            return Some(false);
        }
        let Some(&kind) = self.people.get(person) else { return Some(true) };
        for at in from..self.kinds[kind].len() {
            let next = self.people.get(person + 1) == Some(&kind);
            let found = self.try_way(kind, at, |search| search.go(person + 1, if next { at } else { 0 }));
            if found != Some(false) {
                return found;
            }
        }
        Some(false)
    }

    /// Places one of a kind in the first release with a value, and then everybody else.
    fn with(&mut self, kind: usize, value: u32) -> Option<bool> {
        let Some(one) = self.people.iter().position(|&own| own == kind) else { return Some(false) };
        self.people.remove(one);
        let mut found = Some(false);
        for at in 0..self.kinds[kind].len() {
            let way = &self.kinds[kind][at];
            if way.value != value || !way.is_in_first() {
                continue;
            }
            found = self.try_way(kind, at, |search| search.go(0, 0));
            if found != Some(false) {
                break;
            }
        }
        self.people.insert(one, kind);
        found
    }

    /// Whether a way can be taken, and what follows then holds.
    fn try_way(
        &mut self,
        kind: usize,
        at: usize,
        then: impl FnOnce(&mut Self) -> Option<bool>,
    ) -> Option<bool> {
        let way = self.kinds[kind][at].clone();
        if !self.take(&way) {
            return Some(false);
        }
        let found = then(self);
        self.give_back(&way);
        if found == Some(true) {
            self.found.push((kind, at));
        }
        found
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
