//! Weighing all worlds, everybody's value following a prior by itself (survey AT-11): for `independence` what it believes, for
//! `bayes-optimal` what its closed form is held to.
//!
//! Where it is certain who of those of whom something is believed stands in a group, its worlds are its own (`reasoners/independence.rs`).
//! Where it is open who is there, worlds are those of all groups that are connected by people who fit several (`placing.rs`), given
//! that whoever is attacked is in the data.
//!
//! # Guarantee
//! Who is judged by worlds is believed what all of them give. Where these are too many, one is sure only of what is the single value
//! that is left to somebody wherever they stand.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;
use privet_release::published::SensitiveColumn;
use rayon::prelude::*;

use super::placing::{Connected, Kind, Placed, Unplaced};
use super::priors::{Open, Priors, beliefs_of, of_known_group, staged};
use super::standing::{Records, Standing};
use super::{Adversary, nearest};
use crate::chances::{Chances, Sets, connected, is_told};
use crate::finding::{AttackError, Belief, Beliefs, whichever_group};
use crate::homogeneity;
use crate::reasoners::{Independence, Reasoner, ReasonerError, View};
use crate::room::Room;
use crate::target::{Suspects, Target};
use crate::worlds::{Bucket, WorldsError};

/// So many times the steps for groups that are connected may be made for all of them.
const TOGETHER: usize = 32;

/// What weighing all worlds gives.
pub(super) struct Weighed<'a> {
    target: Target<'a>,
    priors: &'a Priors,
    pub beliefs: Beliefs,
    /// Per person by what they are judged.
    by: Vec<By>,
    /// Groups with somebody of whom something is believed: how many were weighed, have too many worlds, and none.
    pub reached: usize,
    pub left_out: usize,
    pub contradicted: usize,
}

/// By what somebody is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// All worlds.
    Worlds,
    /// Frequencies, which is what all worlds give; the same where it is open which group is theirs.
    Frequencies { is_counted: bool },
    /// Frequencies, because what is believed is true in no world.
    Contradicted { is_counted: bool },
    /// Worlds that are too many.
    TooMany,
}

impl Weighed<'_> {
    /// Whether all worlds were weighed for a person.
    pub fn is_weighed(&self, person: u32) -> bool {
        self.by.get(person as usize) == Some(&By::Worlds)
    }

    /// Whether what is believed can be true in no world of a person's.
    pub fn is_contradicted(&self, person: u32) -> bool {
        matches!(self.by.get(person as usize), Some(By::Contradicted { .. }))
    }

    /// How sure of a value of a person one is at least.
    pub fn least(&self, person: u32, value: u32) -> f64 {
        let shown = || self.beliefs.of(person).map_or(0.0, |own| own.of(value));
        match self.by.get(person as usize) {
            Some(By::Worlds) => shown(),
            Some(By::Frequencies { is_counted: true } | By::Contradicted { is_counted: true }) => shown(),
            Some(By::Frequencies { .. } | By::Contradicted { .. }) => {
                whichever_group(&self.target, None, person, value)
            }
            Some(By::TooMany) if self.is_single(person, value) => 1.0,
            Some(By::TooMany) | None => 0.0,
        }
    }

    /// Whether a value is the only one that somebody may have: no other is published where they may stand and possible for them.
    fn is_single(&self, person: u32, value: u32) -> bool {
        let Some(column) = self.target.column() else { return false };
        let prior = self.priors.of_person.get(person as usize).copied().flatten();
        let is_possible = |other: u32| {
            prior.is_none_or(|own| self.priors.shares[own as usize].get(other as usize) != Some(&0.0))
        };
        let places = self.target.people.places_of(person);
        let mut left = places.iter().flat_map(|place| column.histograms.of(place.group)).map(|cell| cell.0);
        !places.is_empty() && left.all(|own| own == value || !is_possible(own))
    }
}

/// Weighs all worlds, of groups with up to so many states.
pub(super) fn weighed<'a>(
    adversary: &Adversary<'_>,
    target: &Target<'a>,
    column: &SensitiveColumn,
    priors: &'a Priors,
    states_at_most: usize,
    progress: &dyn Progress,
) -> Result<Weighed<'a>, AttackError> {
    let (standing, chances) = (adversary.standing(), adversary.chances());
    // Of whom nothing is believed, what the release shows of everybody is.
    let total = column.histograms.total(column.domain.len());
    let records = total.iter().sum::<u64>().max(1) as f64;
    let by_chance: Vec<f64> = total.into_iter().map(|count| count as f64 / records).collect();
    let mut weighing =
        Weighing::new(*target, priors, &by_chance, &chances, Open::new(target, standing.room, priors));
    weighing.closed(states_at_most, progress)?;
    if !nearest::applies(&adversary.crowd) && is_told(standing.room, target.people) {
        weighing.open(column, &standing, states_at_most, progress)?;
    }
    Ok(weighing.done())
}

struct Weighing<'a, 'w> {
    target: Target<'a>,
    priors: &'a Priors,
    by_chance: &'w [f64],
    open: Open,
    beliefs: Beliefs,
    /// Per person by what they are judged, and whether frequencies are counted by all worlds.
    by: Vec<Option<By>>,
    is_counted: Vec<bool>,
    /// Groups that may hold somebody of whom something is believed.
    touched: BTreeSet<u32>,
}

impl<'a, 'w> Weighing<'a, 'w> {
    fn new(
        target: Target<'a>,
        priors: &'a Priors,
        by_chance: &'w [f64],
        chances: &Chances,
        open: Open,
    ) -> Self {
        let people = target.people;
        let spoken_of = (0..).zip(priors.own(&target)).filter(|(_, prior)| prior.is_some());
        let touched: BTreeSet<u32> = spoken_of
            .flat_map(|(person, _)| people.places_of(person).iter().map(|place| place.group))
            .collect();
        let near = connected(people, target.release.groups.len(), touched.iter().copied());
        let is_counted = homogeneity::is_counted(people, chances);
        let is_counted: Vec<bool> = (0..people.people() as u32).map(is_counted).collect();
        // In groups without anybody of whom something is believed all are alike; but whether somebody stands there may hang on others.
        let is_free = |person: u32| match people.places_of(person) {
            _ if priors.of_person.get(person as usize).copied().flatten().is_some() => false,
            [place] => !touched.contains(&place.group),
            places => !places.iter().any(|place| near.get(place.group as usize) == Some(&true)),
        };
        let by = (0..)
            .zip(&is_counted)
            .map(|(person, &is_counted)| is_free(person).then_some(By::Frequencies { is_counted }));
        Self {
            by: by.collect(),
            target,
            priors,
            by_chance,
            open,
            beliefs: homogeneity::beliefs(&target, None, chances),
            is_counted,
            touched,
        }
    }

    /// Groups of which it is certain who is there of those of whom something is believed: each by itself.
    fn closed(&mut self, states_at_most: usize, progress: &dyn Progress) -> Result<(), AttackError> {
        let (target, priors) = (self.target, self.priors);
        let (known, _) = of_known_group(&target, priors, |_| 0);
        let known: Vec<u32> = known.into_iter().filter(|&person| self.open.closed(&target, person)).collect();
        let staged = staged(&target, &known, |_| 0)?;
        let groups: BTreeSet<u32> = known
            .iter()
            .flat_map(|&person| target.people.places_of(person).iter().map(|place| place.group))
            .collect();
        let buckets: Vec<(u32, &Bucket)> =
            (0..).zip(staged.buckets.list()).filter(|(group, _)| groups.contains(group)).collect();
        let prior = |person: u32, value: u32| {
            priors.row(person, self.by_chance).get(value as usize).copied().unwrap_or(0.0)
        };
        let reasoner = Independence { prior, states_at_most };
        let each: Vec<(u32, Result<_, ReasonerError>)> = buckets
            .into_par_iter()
            .map(|(group, bucket)| {
                let view = View { qi: &[], qi_domains: &[], groups: std::slice::from_ref(bucket) };
                (group, reasoner.beliefs(&view, progress))
            })
            .collect();
        let mut found = crate::worlds::Beliefs::default();
        let (mut left_out, mut contradicted) = (BTreeSet::new(), BTreeSet::new());
        for (group, own) in each {
            match own {
                Ok(own) => {
                    for &person in own.people() {
                        let number = found.add(own.of(person).iter().copied());
                        found.about(person, number);
                    }
                }
                Err(ReasonerError::TooLarge { .. }) => {
                    left_out.insert(group);
                }
                // What is believed cannot be true here; that says nothing of other groups.
                Err(ReasonerError::Worlds(WorldsError::Conflict)) => {
                    contradicted.insert(group);
                }
                Err(error) => return Err(error.into()),
            }
        }
        // What holds of one of whom the same is believed holds of others who are attacked beside the list.
        let sets: BTreeSet<(u32, u32)> = known
            .iter()
            .flat_map(|&person| {
                let places = target.people.places_of(person).iter();
                places.map(move |place| (place.group, priors.set_of[person as usize]))
            })
            .collect();
        let is_closed = |person: u32, group: u32| {
            let is_known = priors.of_person[person as usize].is_none()
                || sets.contains(&(group, priors.set_of[person as usize]));
            groups.contains(&group) && is_known && self.open.closed(&target, person)
        };
        let is_reached = |person: u32, group: u32| {
            is_closed(person, group) && !left_out.contains(&group) && !contradicted.contains(&group)
        };
        let told = beliefs_of(&target, priors, &known, &staged, &found, &mut self.beliefs, is_reached);
        for person in told {
            self.by[person as usize] = Some(By::Worlds);
        }
        for (person, own) in (0..).zip(&mut self.by) {
            let [place] = target.people.places_of(person) else { continue };
            if is_closed(person, place.group) && left_out.contains(&place.group) {
                *own = Some(By::TooMany);
            } else if is_closed(person, place.group) && contradicted.contains(&place.group) {
                *own = Some(By::Contradicted { is_counted: self.is_counted[person as usize] });
            }
        }
        Ok(())
    }

    /// Groups of which that is open, with all that are connected with them.
    fn open(
        &mut self,
        column: &SensitiveColumn,
        standing: &Standing,
        steps_at_most: usize,
        progress: &dyn Progress,
    ) -> Result<(), AttackError> {
        let target = self.target;
        let Some(seen) = Seen::new(standing, &target) else { return Ok(()) };
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for person in 0..target.people.people() as u32 {
            // Who is of the list fits one part alone. Of others who fit several nothing is told.
            let mut roots = target.people.places_of(person).iter().map(|place| seen.part_of(place.group));
            if let Some(root) = roots.next()
                && roots.all(|own| own == root)
            {
                parts.entry(root).or_default().push(person);
            }
        }
        let is_open = |people: &Vec<u32>| people.iter().any(|&person| self.by[person as usize].is_none());
        let mut parts: Vec<Vec<u32>> = parts.into_values().filter(is_open).collect();
        // Those of few people first, so that the large ones leave them time.
        parts.sort_by_key(Vec::len);
        let mut steps = steps_at_most.saturating_mul(TOGETHER);
        for people in parts {
            progress.check()?;
            self.part(column, &seen, standing.room, &people, &mut |connected, room| {
                let (found, made) = connected.weigh(room, steps_at_most.min(steps));
                steps -= made.min(steps);
                found
            });
        }
        Ok(())
    }

    /// Weighs the worlds of people who may stand in the same groups.
    fn part(
        &mut self,
        column: &SensitiveColumn,
        seen: &Seen<'_>,
        room: Room,
        people: &[u32],
        weigh: &mut dyn FnMut(&Connected<'_>, Room) -> Placed,
    ) {
        let own_people = self.target.people.own_people() as u32;
        let (priors, by_chance) = (self.priors, self.by_chance);
        let mut alike: BTreeMap<(u32, Option<u32>), Vec<u32>> = BTreeMap::new();
        for &person in people {
            let prior = priors.of_person.get(person as usize).copied().flatten();
            alike.entry((seen.people.profile_of[person as usize], prior)).or_default().push(person);
        }
        // Those of the list stand before others.
        let (listed, others): (Vec<Vec<u32>>, Vec<Vec<u32>>) =
            alike.into_values().partition(|people| people[0] < own_people);
        let kind = |people: &[u32], is_present: bool| Kind {
            places: seen.places_of(people[0]),
            prior: priors.row(people[0], by_chance),
            people: people.iter().filter(|&&person| person < own_people).count().max(1),
            is_present,
        };
        let kinds: Vec<Kind<'_>> = listed.iter().map(|people| kind(people, false)).collect();
        let connected = Connected { kinds, looks: &seen.looks, histograms: &column.histograms, by_chance };
        let is_open = |people: &Vec<u32>| people.iter().any(|&person| self.by[person as usize].is_none());
        let others: Vec<Vec<u32>> = others.into_iter().filter(is_open).collect();
        if listed.iter().any(is_open) {
            let found = weigh(&connected, room);
            for (number, people) in listed.iter().enumerate() {
                let weights = found.as_ref().map(|all| &all[number][..]);
                self.judge(people, weights.map_err(|why| *why));
            }
        }
        // Others are attacked beside the list, given that they are in the data: where it leaves them no room, somebody of it is not.
        for people in others {
            let kinds = connected.kinds.iter().cloned().chain([kind(&people, true)]).collect();
            let beside = Connected { kinds, ..connected };
            let rooms =
                [Room::ForAll, Room::Filled, Room::Uncertain].into_iter().skip_while(|own| *own != room);
            let mut found = Err(Unplaced::Nowhere);
            for room in rooms {
                if found == Err(Unplaced::Nowhere) {
                    found = weigh(&beside, room);
                }
            }
            let weights = found.as_ref().map(|all| all.last().map_or(&[][..], Vec::as_slice));
            self.judge(&people, weights.map_err(|why| *why));
        }
    }

    /// What is believed of people who are alike.
    fn judge(&mut self, people: &[u32], found: Result<&[(u32, f64)], Unplaced>) {
        if let Ok(weights) = found.as_ref()
            && !weights.is_empty()
        {
            let places = self.target.people.places_of(people[0]);
            let candidates = places.iter().map(|place| place.records).sum();
            let number = self.beliefs.distinct.len() as u32;
            self.beliefs.distinct.push(Belief::of_weights(candidates, weights.iter().copied()));
            for &person in people {
                self.beliefs.of_person[person as usize] = number;
                self.by[person as usize] = Some(By::Worlds);
            }
            return;
        }
        for &person in people {
            let is_counted = self.is_counted[person as usize];
            self.by[person as usize].get_or_insert(match found {
                // They are in no world, and nothing can be said against what frequencies tell.
                Ok(_) => By::Frequencies { is_counted },
                Err(Unplaced::Nowhere) => By::Contradicted { is_counted },
                Err(Unplaced::TooMany) => By::TooMany,
            });
        }
    }

    fn done(self) -> Weighed<'a> {
        let by: Vec<By> = self.by.into_iter().map(|own| own.unwrap_or(By::TooMany)).collect();
        let (mut left_out, mut contradicted) = (BTreeSet::new(), BTreeSet::new());
        for (person, by) in (0..self.target.people.own_people() as u32).zip(&by) {
            let failed = match by {
                By::Worlds | By::Frequencies { .. } => continue,
                By::TooMany => &mut left_out,
                By::Contradicted { .. } => &mut contradicted,
            };
            let groups = self.target.people.places_of(person).iter().map(|place| place.group);
            failed.extend(groups.filter(|group| self.touched.contains(group)));
        }
        Weighed {
            target: self.target,
            priors: self.priors,
            beliefs: self.beliefs,
            by,
            reached: self
                .touched
                .iter()
                .filter(|own| !left_out.contains(own) && !contradicted.contains(own))
                .count(),
            left_out: left_out.len(),
            contradicted: contradicted.len(),
        }
    }
}

/// People as they are seen to stand: in groups, or among records of a bucket that look alike.
struct Seen<'s> {
    people: &'s Suspects,
    /// Per look its group, where it is looks.
    group_of: Option<&'s [u32]>,
    /// Per look of a group that has several how many records look so.
    looks: HashMap<u32, u64>,
    /// Per group the first of those that it is connected with.
    parts: Vec<u32>,
}

impl<'s> Seen<'s> {
    /// `None` where it is not known whose a record may be.
    fn new(standing: &'s Standing, target: &Target<'s>) -> Option<Self> {
        let mut looks = HashMap::new();
        let (people, group_of) = match &standing.records {
            Records::OfGroups => (target.people, None),
            Records::OfLooks(own) if own.people.people() == target.people.people() => {
                let mut of_group: HashMap<u32, u32> = HashMap::new();
                own.group_of.iter().for_each(|&group| *of_group.entry(group).or_default() += 1);
                let several = (0..).zip(&own.group_of).zip(&own.sizes);
                looks.extend(
                    several
                        .filter(|((_, group), _)| of_group[*group] > 1)
                        .map(|((look, _), &size)| (look, size)),
                );
                (&own.people, Some(&own.group_of[..]))
            }
            Records::OfLooks(_) | Records::Unknown => return None,
        };
        let mut seen = Self { people, group_of, looks, parts: Vec::new() };
        let mut sets = Sets::new(target.release.groups.len());
        for &profile in people.profile_of.iter().take(target.people.own_people()) {
            let groups: Vec<u32> =
                people.places(profile).iter().map(|place| seen.group(place.group)).collect();
            groups.windows(2).for_each(|own| sets.join(own[0], own[1]));
        }
        seen.parts = (0..target.release.groups.len() as u32).map(|group| sets.root(group)).collect();
        Some(seen)
    }

    fn group(&self, place: u32) -> u32 {
        self.group_of.map_or(place, |groups| groups[place as usize])
    }

    /// Where somebody may stand, each with its group.
    fn places_of(&self, person: u32) -> Vec<(u32, u32)> {
        self.people.places_of(person).iter().map(|place| (place.group, self.group(place.group))).collect()
    }

    fn part_of(&self, group: u32) -> u32 {
        self.parts.get(group as usize).copied().unwrap_or(group)
    }
}
