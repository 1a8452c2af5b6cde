//! How probable it is that somebody stands in a place, when all worlds are as probable (survey AT-11 where labels overlap).
//!
//! A world gives people records of their own, as the list goes with the release (`room.rs`). Whoever fits one group alone takes a
//! record there from those who fit several, so that a group is not as probable as it has records: of two people of whom one fits
//! the first record alone, the other has the second. What counts is in how many worlds somebody stands there, which is a
//! permanent, and hard in general. Here people are placed one after the other, profile by profile, and ways are told apart only
//! by how many records are left in the groups that somebody still to come may take (a frontier, as in counting paths); groups that
//! share no people are counted apart.
//!
//! # Guarantee
//! A chance that is given is that of going through all worlds, but for rounding. Where there are too many ways to tell apart none
//! is given.

use foldhash::{HashMap, HashMapExt};

use crate::room::{Room, supply};
use crate::target::Suspects;

/// Steps that are remembered for groups that share people, and for all of them.
const MOST_STEPS: usize = 1 << 18;
const MOST_STEPS_TOGETHER: usize = 1 << 21;
/// Where a list goes with nothing, that was seen by a search that may have been broken off: not on lists of this size.
const MOST_PLACES_UNCERTAIN: usize = 1 << 16;

/// Where people stand, by all worlds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Chances {
    /// Per place of the profiles in how large a part of all worlds somebody with the profile stands there; `None` where that was
    /// not counted. Who is not in the data stands nowhere, so the places of a profile need not add up to 1.
    pub of_place: Vec<Option<f64>>,
    /// The logarithm of the number of worlds, as far as people were counted; minus infinity where there is none.
    pub worlds: f64,
    /// Whether all were counted who were to be.
    pub is_whole: bool,
}

impl Chances {
    /// Of people in groups of so many records.
    pub fn of(people: &Suspects, sizes: &[u64], room: Room) -> Self {
        Self::given(people, sizes, room, people.profiles() as u32, None)
    }

    /// The same when whoever has one of the profiles from `present` on certainly stands somewhere; where `near` is given, only of those
    /// who fit one of these groups, of whom nobody may stand in another.
    pub fn given(people: &Suspects, sizes: &[u64], room: Room, present: u32, near: Option<&[bool]>) -> Self {
        let mut chances = Self { of_place: vec![None; people.groups.len()], worlds: 0.0, is_whole: true };
        if !is_told(room, people) {
            return Self { is_whole: false, ..chances };
        }
        let is_near = |group: u32| near.is_none_or(|near| near.get(group as usize).is_some_and(|own| *own));
        let supply = supply(people);
        let mut left = sizes.to_vec();
        let mut several = Vec::new();
        for profile in (0..people.profiles() as u32).filter(|&own| supply[own as usize] > 0) {
            match people.places(profile) {
                [place] if room == Room::ForAll && is_near(place.group) => {
                    // They are certainly there, whatever the others do.
                    let own = &mut left[place.group as usize];
                    for _ in 0..supply[profile as usize] {
                        chances.worlds += (*own as f64).ln();
                        *own = own.saturating_sub(1);
                    }
                    chances.of_place[people.starts[profile as usize]] = Some(1.0);
                }
                places if places.iter().any(|place| is_near(place.group)) => several.push(profile),
                _ => {}
            }
        }
        let mut steps = MOST_STEPS_TOGETHER;
        // Those of few people first, so that the large ones leave them time.
        let mut sets = apart(people, several, sizes.len());
        sets.sort_by_key(|own| own.iter().map(|&profile| supply[profile as usize]).sum::<u64>());
        for profiles in sets {
            let ways = Ways::count(people, &supply, &left, (room, present), &profiles, MOST_STEPS.min(steps));
            let Some(ways) = ways else {
                chances.is_whole = false;
                steps = steps.saturating_sub(MOST_STEPS);
                continue;
            };
            steps -= ways.steps;
            chances.worlds += ways.worlds;
            for (at, chance) in ways.of_place {
                chances.of_place[at] = Some(chance);
            }
        }
        chances
    }

    /// How probable the places of a profile are, where that was counted.
    pub fn of_profile(&self, people: &Suspects, profile: u32) -> Option<Vec<f64>> {
        let own = self.of_place.get(range(people, profile))?;
        own.iter().copied().collect()
    }

    /// What the places of a profile weigh, and whether that is by all worlds. Otherwise a group is taken to be as probable as it has
    /// records for them; where there is one group alone, that is the same.
    pub fn weights(&self, people: &Suspects, profile: u32) -> (Vec<f64>, bool) {
        let by_records = || people.places(profile).iter().map(|place| place.records as f64).collect();
        match self.of_profile(people, profile) {
            Some(own) if own.iter().any(|chance| *chance > 0.0) => (own, true),
            _ => (by_records(), people.places(profile).len() <= 1),
        }
    }

    /// The same of places that are several of these: per place of other profiles which they are.
    pub fn joined(&self, seen: &Suspects, people: &Suspects, group_of: impl Fn(u32) -> u32) -> Self {
        let of_place = (0..people.profiles() as u32).flat_map(|profile| {
            let own = range(seen, profile);
            let own: Vec<(u32, Option<f64>)> = (seen.places(profile).iter().zip(&self.of_place[own]))
                .map(|(place, chance)| (group_of(place.group), *chance))
                .collect();
            let of = move |group: u32| own.iter().filter(|own| own.0 == group).map(|own| own.1).sum();
            people.places(profile).iter().map(move |place| of(place.group))
        });
        Self { of_place: of_place.collect(), ..*self }
    }
}

/// Whether it was seen how a list goes with a release, so that worlds can be counted by it.
pub(crate) fn is_told(room: Room, people: &Suspects) -> bool {
    room != Room::Uncertain || people.groups.len() <= MOST_PLACES_UNCERTAIN
}

/// The groups that are connected with some of them by people who fit several.
pub(crate) fn connected(people: &Suspects, groups: usize, from: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut sets = Sets::new(groups);
    let supply = supply(people);
    for profile in (0..people.profiles() as u32).filter(|&own| supply[own as usize] > 0) {
        people.places(profile).windows(2).for_each(|own| sets.join(own[0].group, own[1].group));
    }
    let mut near = vec![false; groups];
    for group in from {
        near[sets.root(group) as usize] = true;
    }
    (0..groups as u32).map(|group| near[sets.root(group) as usize]).collect()
}

/// Per group one of those that it is connected with by people who fit several, the same for all of them.
pub(crate) fn sets(people: &Suspects, groups: usize) -> Vec<u32> {
    let mut sets = Sets::new(groups);
    for profile in 0..people.profiles() as u32 {
        people.places(profile).windows(2).for_each(|own| sets.join(own[0].group, own[1].group));
    }
    (0..groups as u32).map(|group| sets.root(group)).collect()
}

/// Profiles whose people may take each other's records, set by set; in the order of the groups, so that few are open at once.
fn apart(people: &Suspects, mut profiles: Vec<u32>, groups: usize) -> Vec<Vec<u32>> {
    let mut sets = Sets::new(groups);
    for &profile in &profiles {
        people.places(profile).windows(2).for_each(|own| sets.join(own[0].group, own[1].group));
    }
    let reach = |profile: u32| {
        let groups = people.places(profile).iter().map(|place| place.group);
        (groups.clone().min(), groups.max())
    };
    profiles.sort_by_key(|&profile| reach(profile));
    let mut number_of: HashMap<u32, usize> = HashMap::new();
    let mut found: Vec<Vec<u32>> = Vec::new();
    for profile in profiles {
        let Some(place) = people.places(profile).first() else { continue };
        let number = *number_of.entry(sets.root(place.group)).or_insert(found.len());
        if number == found.len() {
            found.push(Vec::new());
        }
        found[number].push(profile);
    }
    found
}

/// Disjoint sets of groups.
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    pub fn new(groups: usize) -> Self {
        Self((0..groups as u32).collect())
    }

    pub fn root(&mut self, group: u32) -> u32 {
        let mut own = group;
        while self.0[own as usize] != own {
            let above = self.0[self.0[own as usize] as usize];
            self.0[own as usize] = above;
            own = above;
        }
        own
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a as usize] = b;
    }
}

/// The ways to place people who may take each other's records.
struct Ways {
    worlds: f64,
    of_place: Vec<(usize, f64)>,
    steps: usize,
}

/// Somebody is placed: from a state to one of the next, by a place of their profile or by none, in so many ways.
struct Step {
    from: u32,
    to: u32,
    place: Option<u32>,
    ways: f64,
}

/// A group while somebody still to come may take its records.
#[derive(Clone, Copy)]
struct Open {
    /// Where in a state stands how many of its records are left.
    at: u32,
    bits: u32,
    first: usize,
    last: usize,
}

impl Open {
    fn one(self) -> u128 {
        1 << self.at
    }

    fn mask(self) -> u128 {
        ((1 << self.bits) - 1) << self.at
    }

    fn left(self, state: u128) -> u64 {
        ((state & self.mask()) >> self.at) as u64
    }
}

/// Where groups are remembered while they are open; `None` where these are too many, or too large, at once.
fn slots(people: &Suspects, profiles: &[u32], left: &[u64]) -> Option<HashMap<u32, Open>> {
    let mut open: HashMap<u32, Open> = HashMap::new();
    for (at, &profile) in profiles.iter().enumerate() {
        for place in people.places(profile) {
            let bits = u64::BITS - left[place.group as usize].leading_zeros();
            open.entry(place.group).or_insert(Open { at: 0, bits, first: at, last: at }).last = at;
        }
    }
    let mut order: Vec<u32> = open.keys().copied().collect();
    order.sort_unstable_by_key(|group| (open[group].first, *group));
    // Per bit of a state the first profile for which it is free again.
    let mut free = [0usize; u128::BITS as usize];
    for group in order {
        let own = open.get_mut(&group)?;
        let bits = own.bits.max(1) as usize;
        let at = free.windows(bits).position(|bits| bits.iter().all(|&from| from <= own.first))?;
        free[at..at + bits].fill(own.last + 1);
        own.at = at as u32;
    }
    Some(open)
}

impl Ways {
    /// `None` where it takes more steps than that.
    fn count(
        people: &Suspects,
        supply: &[u64],
        left: &[u64],
        (room, present): (Room, u32),
        profiles: &[u32],
        most: usize,
    ) -> Option<Self> {
        let open = slots(people, profiles, left)?;
        let mut layers: Vec<Vec<Step>> = Vec::new();
        // Per state how much is left in the open groups, and the share of the ways that lead there.
        let mut states: Vec<(u128, f64)> = vec![(0, 1.0)];
        let (mut worlds, mut steps) = (0.0, 0);
        let mut widths = vec![1usize];
        let mut shares: Vec<Vec<f64>> = vec![vec![1.0]];
        // Per profile the layer of its first person: all who have it stand alike.
        let mut first_of = Vec::with_capacity(profiles.len());
        for (at, &profile) in profiles.iter().enumerate() {
            let places: Vec<Open> = people.places(profile).iter().map(|own| open[&own.group]).collect();
            first_of.push(layers.len());
            for (own, place) in places.iter().zip(people.places(profile)).filter(|(own, _)| own.first == at) {
                let left = u128::from(left[place.group as usize]) << own.at;
                states.iter_mut().for_each(|state| state.0 |= left);
            }
            for person in 0..supply[profile as usize] {
                let is_last = person + 1 == supply[profile as usize];
                let mut number_of: HashMap<u128, u32> = HashMap::new();
                let mut next: Vec<(u128, f64)> = Vec::new();
                let mut layer = Vec::new();
                for (from, &(state, share)) in (0u32..).zip(&states) {
                    let stays = (room != Room::ForAll && profile < present).then_some((None, 1.0));
                    let taken =
                        (0u32..).zip(&places).map(|(place, own)| (Some(place), own.left(state) as f64));
                    for (place, ways) in stays.into_iter().chain(taken).filter(|own| own.1 > 0.0) {
                        let mut after = state;
                        if let Some(place) = place {
                            after -= places[place as usize].one();
                        }
                        // What nobody takes any more is no matter, unless the list is all there is.
                        if is_last {
                            let done = || places.iter().filter(|own| own.last == at);
                            if room == Room::Filled && done().any(|own| own.left(after) > 0) {
                                continue;
                            }
                            done().for_each(|own| after &= !own.mask());
                        }
                        steps += 1;
                        if steps > most {
                            return None;
                        }
                        let to = *number_of.entry(after).or_insert_with(|| {
                            next.push((after, 0.0));
                            next.len() as u32 - 1
                        });
                        next[to as usize].1 += share * ways;
                        layer.push(Step { from, to, place, ways });
                    }
                }
                let sum: f64 = next.iter().map(|own| own.1).sum();
                worlds += sum.ln();
                next.iter_mut().for_each(|own| own.1 /= sum);
                widths.push(next.len());
                shares.push(next.iter().map(|own| own.1).collect());
                layers.push(layer);
                states = next;
            }
        }
        if states.is_empty() {
            let places = profiles.iter().flat_map(|&own| range(people, own));
            let of_place = places.map(|at| (at, 0.0)).collect();
            return Some(Self { worlds: f64::NEG_INFINITY, of_place, steps });
        }
        // Backwards: per state in how many ways it goes on, as parts of the largest.
        let mut of_place = Vec::new();
        let mut ahead = vec![1.0; states.len()];
        for (at, layer) in layers.iter().enumerate().rev() {
            if let Ok(profile) = first_of.binary_search(&at) {
                let profile = profiles[profile];
                let first = people.starts[profile as usize];
                let mut chances = vec![0.0; people.places(profile).len()];
                let mut all = 0.0;
                for step in layer {
                    let own = shares[at][step.from as usize] * step.ways * ahead[step.to as usize];
                    all += own;
                    if let Some(place) = step.place {
                        chances[place as usize] += own;
                    }
                }
                of_place.extend((first..).zip(chances).map(|(at, own)| (at, own / all)));
            }
            let mut before = vec![0.0; widths[at]];
            for step in layer {
                before[step.from as usize] += step.ways * ahead[step.to as usize];
            }
            let most = before.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            before.iter_mut().for_each(|own| *own /= most);
            ahead = before;
        }
        Some(Self { worlds, of_place, steps })
    }
}

fn range(people: &Suspects, profile: u32) -> std::ops::Range<usize> {
    // Whoever was taken out of the groups has a profile that others do not know of.
    match (people.starts.get(profile as usize), people.starts.get(profile as usize + 1)) {
        (Some(&from), Some(&to)) => from..to,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::target::Place;

    fn suspects(masks: &[u32], sizes: &[u64]) -> Suspects {
        let mut people = Suspects { starts: vec![0], ..Suspects::default() };
        let mut known: Vec<u32> = Vec::new();
        for &mask in masks {
            let profile = known.iter().position(|own| *own == mask).unwrap_or_else(|| {
                known.push(mask);
                let fits = (0..sizes.len() as u32).filter(|group| mask >> group & 1 == 1);
                people.groups.extend(fits.map(|group| Place { group, records: sizes[group as usize] }));
                people.starts.push(people.groups.len());
                known.len() - 1
            });
            people.profile_of.push(profile as u32);
        }
        people
    }

    /// By going through all ways: their number, and per person and group in how many they stand there.
    fn tried(masks: &[u32], sizes: &[u64], room: Room) -> (f64, Vec<Vec<f64>>) {
        fn go(
            masks: &[u32],
            left: &mut [u64],
            room: Room,
            stands: &mut Vec<Option<usize>>,
            ways: f64,
            found: &mut (f64, Vec<Vec<f64>>),
        ) {
            let Some(&mask) = masks.get(stands.len()) else {
                if room == Room::Filled && left.iter().any(|own| *own > 0) {
                    return;
                }
                found.0 += ways;
                for (person, group) in stands.iter().enumerate() {
                    if let Some(group) = group {
                        found.1[person][*group] += ways;
                    }
                }
                return;
            };
            if room != Room::ForAll || mask == 0 {
                stands.push(None);
                go(masks, left, room, stands, ways, found);
                stands.pop();
            }
            for group in (0..left.len()).filter(|group| mask >> group & 1 == 1) {
                if left[group] > 0 {
                    let ways = ways * left[group] as f64;
                    left[group] -= 1;
                    stands.push(Some(group));
                    go(masks, left, room, stands, ways, found);
                    stands.pop();
                    left[group] += 1;
                }
            }
        }
        let mut found = (0.0, vec![vec![0.0; sizes.len()]; masks.len()]);
        go(masks, &mut sizes.to_vec(), room, &mut Vec::new(), 1.0, &mut found);
        found
    }

    /// Two records and two people, one of whom fits the first alone: the other has the second.
    #[test]
    fn a_record_that_is_needed_is_nobody_elses() {
        let people = suspects(&[1, 3], &[1, 1]);
        let chances = Chances::of(&people, &[1, 1], Room::ForAll);
        assert_eq!(chances.of_place, [Some(1.0), Some(0.0), Some(1.0)]);
        assert!(chances.is_whole && chances.worlds.abs() < 1e-12);
    }

    /// Three who fit two classes of two and three records, two of whom fit only one each. By hand: 1 way in the first (2 · 3 · 1),
    /// 2 in the second (2 · 3 · 2).
    #[test]
    fn who_fits_several_stands_where_records_are_left() {
        let people = suspects(&[1, 2, 3], &[2, 3]);
        let chances = Chances::of(&people, &[2, 3], Room::ForAll);
        let of_third = chances.of_profile(&people, 2).unwrap();
        assert!((of_third[0] - 1.0 / 3.0).abs() < 1e-12 && (of_third[1] - 2.0 / 3.0).abs() < 1e-12);
        assert!((chances.worlds - 18f64.ln()).abs() < 1e-12);
    }

    /// A chain of a thousand groups has a narrow frontier; its ends push everybody along.
    #[test]
    fn a_long_chain_is_counted() {
        let groups = 1000u32;
        let mut people = Suspects { starts: vec![0], ..Suspects::default() };
        for own in 0..groups {
            let fits = if own == 0 { vec![0] } else { vec![own - 1, own] };
            people.groups.extend(fits.into_iter().map(|group| Place { group, records: 1 }));
            people.starts.push(people.groups.len());
            people.profile_of.push(own);
        }
        let sizes = vec![1; groups as usize];
        let chances = Chances::of(&people, &sizes, Room::ForAll);
        assert_eq!(chances.of_profile(&people, groups - 1), Some(vec![0.0, 1.0]));
        let near = connected(&people, groups as usize, [0].into_iter());
        assert!(near.iter().all(|own| *own));
    }

    proptest! {
        #[test]
        fn chances_are_those_of_all_worlds(
            masks in prop::collection::vec(0u32..16, 1..7),
            sizes in prop::collection::vec(1u64..4, 4),
        ) {
            let people = suspects(&masks, &sizes);
            for room in [Room::ForAll, Room::Filled, Room::Uncertain] {
                let (all, stand) = tried(&masks, &sizes, room);
                let chances = Chances::of(&people, &sizes, room);
                prop_assert!(chances.is_whole);
                // Groups whom nobody fits are not filled, and were not looked at.
                let fits = |group: usize| masks.iter().any(|mask| mask >> group & 1 == 1);
                if room == Room::Filled && !(0..sizes.len()).all(fits) {
                    continue;
                }
                if all == 0.0 {
                    prop_assert_eq!(chances.worlds, f64::NEG_INFINITY);
                    continue;
                }
                prop_assert!((chances.worlds - all.ln()).abs() < 1e-9, "{} {}", chances.worlds, all.ln());
                for (person, &profile) in people.profile_of.iter().enumerate() {
                    for (at, place) in (people.starts[profile as usize]..).zip(people.places(profile)) {
                        let own = stand[person][place.group as usize] / all;
                        prop_assert!((chances.of_place[at].unwrap() - own).abs() < 1e-9);
                    }
                }
            }
        }
    }
}
