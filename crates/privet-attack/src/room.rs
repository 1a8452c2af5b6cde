//! Whether a list of people and a release can belong together: whether all who fit it can be in it at once, and whether they can be
//! all of it.
//!
//! Attacks that reason about several people rest on who is in the data. A list of people is taken at its word as far as that is
//! possible: where all who fit have room at once, all of them are in the data, and records that are left are those of others. Where
//! there are too many for that and they can fill the whole release, the release has nobody else, and some of the list are not in it.
//! Where neither is possible, the list holds others and lacks people, and nothing is certain of anybody.
//!
//! Both are questions of flow: of people to groups that take as many as they have records. Where not all records of a group are
//! anybody's who fits it (buckets, which show what people look like), records that look alike are taken as groups.

use std::collections::VecDeque;

use crate::target::Suspects;

/// Pairs of a profile and a place, and how many of them are looked at, again and again; beyond, nothing is taken for certain.
const MOST_PLACES: usize = 1 << 24;
const MOST_STEPS: u64 = 1 << 28;

/// How the people of a list go with a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// All who fit it are in it at once.
    ForAll,
    /// They are too many, and fill it: some are not in it, and nobody else is.
    Filled,
    /// They have no room at once and cannot fill it, or it would take too long to tell.
    Uncertain,
}

impl Room {
    /// Of the adversary's people, in groups of so many records, each of which may be anybody's who fits the group.
    pub fn of(people: &Suspects, sizes: &[u64]) -> Self {
        if people.groups.len() > MOST_PLACES {
            return Self::Uncertain;
        }
        let supply = supply(people);
        let (all, records): (u64, u64) = (supply.iter().sum(), sizes.iter().sum());
        Self::told(Flow::new(people, supply, sizes).most(MOST_STEPS), all, records)
    }

    /// Whether the people can be all of the release; `None` where it would take too long to tell.
    pub(crate) fn fills(people: &Suspects, sizes: &[u64]) -> Option<bool> {
        if people.groups.len() > MOST_PLACES {
            return None;
        }
        let most = Flow::new(people, supply(people), sizes).most(MOST_STEPS)?;
        Some(most == sizes.iter().sum::<u64>())
    }

    fn told(most: Option<u64>, all: u64, records: u64) -> Self {
        match most {
            Some(most) if most == all => Self::ForAll,
            Some(most) if most == records => Self::Filled,
            _ => Self::Uncertain,
        }
    }

    /// Of a group that so many people fit by how many of them it may be without.
    pub(crate) fn absent(self, crowd: u64, records: u64) -> u64 {
        match self {
            Self::ForAll => 0,
            Self::Filled => crowd.saturating_sub(records),
            Self::Uncertain => crowd.saturating_sub(records).max(1),
        }
    }
}

/// Per profile how many people of the adversary's have it and fit somewhere.
pub(crate) fn supply(people: &Suspects) -> Vec<u64> {
    let mut supply = vec![0u64; people.profiles()];
    for &profile in people.profile_of.iter().take(people.own_people()) {
        if !people.places(profile).is_empty() {
            supply[profile as usize] += 1;
        }
    }
    supply
}

/// What follows for single people from a list going with a release: four people who fit four records alone leave these to nobody
/// else, and are all in the data.
///
/// By the components of what is left of a flow (Dulmage and Mendelsohn, 1958): somebody may stand where they do, or where moving
/// there begins a round in which everybody moves to where the one before was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seating {
    /// Whether the list may be all of the release.
    pub takes_all: bool,
    /// Per place of the profiles whether somebody stands there in some world that goes with the list.
    pub possible: Vec<bool>,
    /// Per profile whether all who have it are in the data.
    pub certain: Vec<bool>,
}

impl Seating {
    /// `None` where the list and the release do not belong together, or it would take too long.
    pub fn of(people: &Suspects, sizes: &[u64]) -> Option<Self> {
        Self::seated(people, sizes, |room, _| room != Room::Uncertain, MOST_STEPS).flatten()
    }

    /// The same in the worlds in which the list goes with the release in this way; `None` within where there are none, and without where
    /// it would take more than so many steps.
    pub fn completing(people: &Suspects, sizes: &[u64], room: Room, steps: u64) -> Option<Option<Self>> {
        let goes = |own: Room, takes_all: bool| match room {
            Room::ForAll => own == Room::ForAll,
            Room::Filled => takes_all,
            Room::Uncertain => false,
        };
        Self::seated(people, sizes, goes, steps)
    }

    fn seated(
        people: &Suspects,
        sizes: &[u64],
        goes: impl Fn(Room, bool) -> bool,
        steps: u64,
    ) -> Option<Option<Self>> {
        if people.groups.len() > MOST_PLACES {
            return None;
        }
        let supply = supply(people);
        let (all, records): (u64, u64) = (supply.iter().sum(), sizes.iter().sum());
        let mut flow = Flow::new(people, supply.clone(), sizes);
        let most = Some(flow.most(steps)?);
        let room = Room::told(most, all, records);
        if !goes(room, most == Some(records)) {
            return Some(None);
        }
        let graph = flow.left_of(&supply, sizes);
        let (profiles, component_of) = (supply.len(), graph.components());
        let is_nobodys = |profile: usize| supply.get(profile) == Some(&0);
        let mut possible = vec![true; people.groups.len()];
        for profile in (0..profiles).filter(|&own| !is_nobodys(own)) {
            let first = people.starts[profile];
            for (at, place) in (first..).zip(people.places(profile as u32)) {
                possible[at] = flow.standing[at] > 0
                    || component_of[profile] == component_of[profiles + place.group as usize];
            }
        }
        let reached = graph.reached(profiles + sizes.len());
        let certain = (0..profiles).map(|own| {
            !is_nobodys(own) && (room == Room::ForAll || (flow.supply[own] == 0 && !reached[own]))
        });
        Some(Some(Self { takes_all: most == Some(records), possible, certain: certain.collect() }))
    }
}

/// A directed graph.
struct Graph {
    starts: Vec<usize>,
    to: Vec<u32>,
}

impl Graph {
    fn new(nodes: usize, arcs: impl Fn(&mut dyn FnMut(usize, usize))) -> Self {
        let mut starts = vec![0usize; nodes + 1];
        arcs(&mut |from, _| starts[from + 1] += 1);
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut to = vec![0; starts[nodes]];
        arcs(&mut |from, end| {
            to[next[from]] = end as u32;
            next[from] += 1;
        });
        Self { starts, to }
    }

    fn of(&self, node: usize) -> &[u32] {
        &self.to[self.starts[node]..self.starts[node + 1]]
    }

    /// Per node whether a way leads there.
    fn reached(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.starts.len() - 1];
        let mut waiting = vec![from];
        while let Some(node) = waiting.pop() {
            for &next in self.of(node) {
                if !std::mem::replace(&mut reached[next as usize], true) {
                    waiting.push(next as usize);
                }
            }
        }
        reached
    }

    /// Per node its component: nodes from each of which a way leads to every other (Tarjan, 1972).
    fn components(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let nodes = self.starts.len() - 1;
        let (mut index, mut low, mut component_of) =
            (vec![NONE; nodes], vec![NONE; nodes], vec![NONE; nodes]);
        let (mut open, mut count, mut components) = (Vec::new(), 0u32, 0u32);
        for root in 0..nodes {
            if index[root] != NONE {
                continue;
            }
            // Nodes on the way, with the next of their arcs.
            let mut way = vec![(root, 0usize)];
            while let Some(&mut (node, ref mut arc)) = way.last_mut() {
                if *arc == 0 {
                    (index[node], low[node]) = (count, count);
                    count += 1;
                    open.push(node);
                }
                if let Some(&next) = self.of(node).get(*arc) {
                    let next = next as usize;
                    *arc += 1;
                    if index[next] == NONE {
                        way.push((next, 0));
                    } else if component_of[next] == NONE {
                        low[node] = low[node].min(index[next]);
                    }
                    continue;
                }
                way.pop();
                if let Some(&(before, _)) = way.last() {
                    low[before] = low[before].min(low[node]);
                }
                if low[node] == index[node] {
                    while let Some(own) = open.pop() {
                        component_of[own] = components;
                        if own == node {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
        component_of
    }
}

/// People of profiles, dealt out to groups: a flow from profiles to groups, made as large as possible by Dinic's algorithm.
struct Flow<'a> {
    people: &'a Suspects,
    /// Per profile those who have no place yet, and per group the records that are nobody's.
    supply: Vec<u64>,
    left: Vec<u64>,
    /// Per place of each profile how many stand there, and per group the profiles that may, with the position of their place.
    standing: Vec<u64>,
    into: Vec<Vec<(u32, usize)>>,
}

/// How far profiles and groups are from somebody without a place.
struct Distances {
    profiles: Vec<u32>,
    groups: Vec<u32>,
    /// Up to where ways were tried.
    next_place: Vec<usize>,
    next_profile: Vec<usize>,
}

/// Somebody of a profile moves to a place; behind the first of a way, from the place in which they stand.
struct Move {
    profile: u32,
    from: Option<usize>,
    to: usize,
}

impl<'a> Flow<'a> {
    fn new(people: &'a Suspects, supply: Vec<u64>, sizes: &[u64]) -> Self {
        let mut into = vec![Vec::new(); sizes.len()];
        for profile in (0..people.profiles() as u32).filter(|&own| supply[own as usize] > 0) {
            let first = people.starts[profile as usize];
            for (at, place) in (first..).zip(people.places(profile)) {
                into[place.group as usize].push((profile, at));
            }
        }
        Self { people, supply, left: sizes.to_vec(), standing: vec![0; people.groups.len()], into }
    }

    /// How many can stand somewhere at once; `None` when it takes too many steps.
    fn most(&mut self, mut steps: u64) -> Option<u64> {
        let records: u64 = self.left.iter().sum();
        // Those with the fewest places first: then hardly anybody has to make room afterwards.
        let mut order: Vec<u32> =
            (0..self.supply.len() as u32).filter(|&own| self.supply[own as usize] > 0).collect();
        order.sort_by_key(|&own| self.people.places(own).len());
        for &profile in &order {
            let first = self.people.starts[profile as usize];
            for (at, place) in (first..).zip(self.people.places(profile)) {
                self.settle(&[Move { profile, from: None, to: at }], place.group);
            }
        }
        loop {
            let mut far = self.distances(&mut steps)?;
            let mut moved = false;
            for &profile in order.iter() {
                while self.supply[profile as usize] > 0 {
                    let Some((way, end)) = self.way(profile, &mut far, &mut steps)? else { break };
                    self.settle(&way, end);
                    moved = true;
                }
            }
            if !moved {
                return Some(records - self.left.iter().sum::<u64>());
            }
        }
    }

    /// Along what people can move: profiles, groups, those without a place, and records that are nobody's.
    fn left_of(&self, supply: &[u64], sizes: &[u64]) -> Graph {
        let profiles = supply.len();
        let (absent, open) = (profiles + sizes.len(), profiles + sizes.len() + 1);
        Graph::new(open + 1, |arc| {
            for profile in (0..profiles).filter(|&own| supply[own] > 0) {
                let first = self.people.starts[profile];
                for (at, place) in (first..).zip(self.people.places(profile as u32)) {
                    let group = profiles + place.group as usize;
                    arc(profile, group);
                    if self.standing[at] > 0 {
                        arc(group, profile);
                    }
                }
                if self.supply[profile] > 0 {
                    arc(absent, profile);
                }
                if self.supply[profile] < supply[profile] {
                    arc(profile, absent);
                }
            }
            for (group, (&left, &size)) in self.left.iter().zip(sizes).enumerate() {
                if left > 0 {
                    arc(profiles + group, open);
                }
                if left < size {
                    arc(open, profiles + group);
                }
            }
        })
    }

    /// Moves as many as can go a way that ends in a group with room.
    fn settle(&mut self, way: &[Move], end: u32) {
        let Some(first) = way.first() else { return };
        let stand = way.iter().filter_map(|own| own.from).map(|at| self.standing[at]);
        let room = stand.chain([self.supply[first.profile as usize], self.left[end as usize]]);
        let many = room.min().unwrap_or(0);
        for own in way {
            self.standing[own.to] += many;
            if let Some(from) = own.from {
                self.standing[from] -= many;
            }
        }
        self.supply[first.profile as usize] -= many;
        self.left[end as usize] -= many;
    }

    fn distances(&self, steps: &mut u64) -> Option<Distances> {
        let mut profiles = vec![u32::MAX; self.supply.len()];
        let mut groups = vec![u32::MAX; self.left.len()];
        let mut waiting = VecDeque::new();
        for profile in (0..self.supply.len() as u32).filter(|&own| self.supply[own as usize] > 0) {
            profiles[profile as usize] = 0;
            waiting.push_back(profile);
        }
        let mut nearest_room = u32::MAX;
        while let Some(profile) = waiting.pop_front() {
            let far = profiles[profile as usize] + 1;
            if far > nearest_room {
                break;
            }
            let places = self.people.places(profile);
            *steps = steps.checked_sub(places.len() as u64)?;
            for group in places.iter().map(|place| place.group as usize) {
                if groups[group] != u32::MAX {
                    continue;
                }
                groups[group] = far;
                if self.left[group] > 0 {
                    nearest_room = far;
                    continue;
                }
                *steps = steps.checked_sub(self.into[group].len() as u64)?;
                for &(other, at) in &self.into[group] {
                    if self.standing[at] > 0 && profiles[other as usize] == u32::MAX {
                        profiles[other as usize] = far + 1;
                        waiting.push_back(other);
                    }
                }
            }
        }
        let (next_place, next_profile) = (vec![0; profiles.len()], vec![0; groups.len()]);
        Some(Distances { profiles, groups, next_place, next_profile })
    }

    /// A shortest way from somebody without a place to a group with room; `None` within when there is none left.
    fn way(&self, start: u32, far: &mut Distances, steps: &mut u64) -> Option<Option<(Vec<Move>, u32)>> {
        // The last one has no place to move to yet.
        let mut way = vec![Move { profile: start, from: None, to: usize::MAX }];
        while let Some(last) = way.last_mut() {
            *steps = steps.checked_sub(1)?;
            let profile = last.profile as usize;
            let Some(place) = self.people.places(last.profile).get(far.next_place[profile]) else {
                // No way leads through this profile any more.
                way.pop();
                if let Some(before) = way.last() {
                    let group = self.people.groups[before.to].group as usize;
                    far.next_profile[group] += 1;
                }
                continue;
            };
            let group = place.group as usize;
            if far.groups[group] == far.profiles[profile].saturating_add(1) {
                last.to = self.people.starts[profile] + far.next_place[profile];
                if self.left[group] > 0 {
                    return Some(Some((way, group as u32)));
                }
                let next = self.into[group][far.next_profile[group]..].iter().position(|&(other, at)| {
                    self.standing[at] > 0 && far.profiles[other as usize] == far.groups[group] + 1
                });
                *steps = steps.checked_sub(next.map_or(self.into[group].len(), |next| next + 1) as u64)?;
                if let Some(next) = next {
                    far.next_profile[group] += next;
                    let (other, at) = self.into[group][far.next_profile[group]];
                    way.push(Move { profile: other, from: Some(at), to: usize::MAX });
                    continue;
                }
                far.next_profile[group] = self.into[group].len();
            }
            far.next_place[profile] += 1;
        }
        Some(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::target::Place;

    /// Everybody is put everywhere in turn, and nowhere.
    fn most_by_trying(fits: &[u32], left: &mut [u64]) -> u64 {
        let Some((own, rest)) = fits.split_first() else { return 0 };
        let mut most = most_by_trying(rest, left);
        for group in 0..left.len() {
            if own >> group & 1 == 1 && left[group] > 0 {
                left[group] -= 1;
                most = most.max(1 + most_by_trying(rest, left));
                left[group] += 1;
            }
        }
        most
    }

    fn suspects(fits: &[u32], sizes: &[u64]) -> Suspects {
        let mut looks = fits.to_vec();
        looks.sort_unstable();
        looks.dedup();
        let mut suspects = Suspects { starts: vec![0], ..Suspects::default() };
        for look in &looks {
            let places = (0u32..).zip(sizes).filter(|(group, _)| look >> group & 1 == 1);
            suspects.groups.extend(places.map(|(group, &records)| Place { group, records }));
            suspects.starts.push(suspects.groups.len());
        }
        suspects.profile_of = fits.iter().map(|own| looks.binary_search(own).unwrap() as u32).collect();
        suspects
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn as_by_trying(
            fits in prop::collection::vec(0u32..16, 0..8),
            sizes in prop::collection::vec(0u64..4, 4),
            strangers in 0usize..3,
        ) {
            let mut people = suspects(&fits, &sizes);
            people.strangers = strangers.min(fits.len());
            let own = &fits[..fits.len() - people.strangers];
            let most = most_by_trying(own, &mut sizes.clone());
            let (all, records) = (own.iter().filter(|own| **own > 0).count() as u64, sizes.iter().sum::<u64>());
            let expected = match most {
                most if most == all => Room::ForAll,
                most if most == records => Room::Filled,
                _ => Room::Uncertain,
            };
            prop_assert_eq!(Room::of(&people, &sizes), expected);
            // Who may stand where, and who is in it in any case, by trying as well.
            let seating = Seating::of(&people, &sizes);
            prop_assert_eq!(seating.is_some(), expected != Room::Uncertain);
            let Some(seating) = seating else { return Ok(()) };
            prop_assert_eq!(seating.takes_all, most == records);
            for (person, _) in own.iter().enumerate().filter(|(_, fit)| **fit > 0) {
                let others: Vec<u32> =
                    own.iter().enumerate().filter(|(at, _)| *at != person).map(|(_, &fit)| fit).collect();
                let profile = people.profile_of[person];
                let first = people.starts[profile as usize];
                for (at, place) in (first..).zip(people.places(profile)) {
                    let mut left = sizes.clone();
                    let has_room = left[place.group as usize] > 0;
                    left[place.group as usize] = left[place.group as usize].saturating_sub(1);
                    let can = has_room && 1 + most_by_trying(&others, &mut left) == most;
                    prop_assert_eq!(seating.possible[at], can);
                }
                let may_lack = expected == Room::Filled && most_by_trying(&others, &mut sizes.clone()) == most;
                prop_assert_eq!(seating.certain[profile as usize], !may_lack);
            }
        }
    }

    #[test]
    fn a_group_that_one_of_two_leaves_to_the_other() {
        // Two people fit both groups, a third only the first: they have room, by whichever is placed first.
        assert_eq!(Room::of(&suspects(&[3, 3, 1], &[1, 2]), &[1, 2]), Room::ForAll);
        assert_eq!(Room::of(&suspects(&[1, 1, 3], &[1, 2]), &[1, 2]), Room::Uncertain);
        assert_eq!(Room::of(&suspects(&[1, 1, 2], &[1, 1]), &[1, 1]), Room::Filled);
    }
}
