//! Composition (survey AT-25): what several releases about the same people tell together.
//!
//! Each release alone leaves several values. A person must have one that all of them allow, and groups of which it is known who
//! stands in them must have the values that they publish between them: what one release excludes for some leaves it to others
//! (`counting`). On a list of up to 200 people, each value that is left to somebody is tried: where no world gives it to them, it is not
//! theirs (`fitting`); on longer lists, and where that takes too many steps, what only all releases together exclude is not noticed. Whoever is attacked is taken to be in the data, and so in every release of the same table, whoever else is on the
//! list: a longer list hides nobody. Among what is left, what this release says of frequencies is shown. Beliefs are not multiplied: the releases may
//! be of the same table, and then how probable values are follows from where everybody stands in each of them, which only going
//! through all worlds would tell. So a person counts as exposed by releases of one table when a single value is left, or when so
//! many of those who stand together everywhere have it in every world. Where the knowledge file says that a release is
//! `independent`, made from another table, its probabilities are multiplied with these (`composition::compose`).

use std::collections::HashMap;

use privet_measure::counting::{Bound, Group, narrow};
use privet_release::Published;

use super::fitting::{Side, Tie, Worlds};
use super::standing::{Records, Standing, chances};
use super::{Adversary, Other, nearest};
use crate::attacks::{AttackWord, Role};
use crate::chances::{Chances, sets};
use crate::composition::compose;
use crate::finding::{AttackError, Belief, Beliefs, Found, Least, Verdict, Whom};
use crate::homogeneity;
use crate::note::Note;
use crate::room::Room;
use crate::target::{Place, Suspects, Target};

/// The word of the attack in files.
pub const COMPOSITION: &str = "composition";

/// What it is.
pub(crate) const ABOUT_COMPOSITION: AttackWord = AttackWord {
    word: COMPOSITION,
    title: "Composition",
    sentence: "The adversary lays this release beside another one about some of the same people and keeps only what fits both.",
    about: "several releases about the same people",
    needs: Some("releases"),
    quick: false,
    role: Role::Counts,
};

/// Where people may stand when those of the list are nowhere who are not in the table: whoever fits no group of a release that leaves
/// out nobody of it is in no other release of it. `None` where that is nobody, or they are nowhere anyway.
pub(super) fn present<'a>(adversary: &Adversary<'a>) -> Option<(Suspects, Vec<Other<'a>>)> {
    let own = adversary.suspects.own_people() as u32;
    let is_of_table = |other: &Other<'_>| other.holds_all && !other.independent;
    let whole: Vec<&Suspects> = (adversary.others.iter())
        .filter(|other| is_of_table(other) && other.is_whole)
        .map(|other| &other.suspects)
        .chain(is_whole(adversary.release).then_some(adversary.suspects))
        .collect();
    let fits = |people: &Suspects, person: u32| !people.places_of(person).is_empty();
    let is_absent = |person: u32| person < own && !whole.iter().all(|people| fits(people, person));
    let of_table = adversary.others.iter().filter(|own| is_of_table(own)).map(|own| &own.suspects);
    let mut stands = of_table.chain([adversary.suspects]);
    if !stands.any(|people| (0..own).any(|person| fits(people, person) && is_absent(person))) {
        return None;
    }
    let others = adversary.others.iter().map(|other| match is_of_table(other) {
        true => {
            let suspects = other.suspects.without(is_absent);
            let standing = other.standing.without(&suspects, &other.release.groups);
            Other { suspects, standing, ..other.clone() }
        }
        false => other.clone(),
    });
    Some((adversary.suspects.without(is_absent), others.collect()))
}

/// Whether nobody of its table is left out of a release.
fn is_whole(release: &Published) -> bool {
    let data = release.manifest.as_ref().map(|own| &own.data);
    data.is_none_or(|own| own.sample.is_none() && own.suppressed == 0)
}

/// Whether the list of people cannot be in all releases at once as it stands, by what a column says.
pub(super) fn is_refuted(adversary: &Adversary<'_>) -> bool {
    (0..adversary.release.sensitive.len()).any(|column| {
        let target = adversary.target(Some(column));
        let several = several(adversary, &target, false);
        several.len() > 1
            && (worlds(&target, &several, true).and_then(|mut own| own.fit()) == Some(false)
                || put_together(&target, &several, true).contradicts_all(&target, &several))
    })
}

/// What the releases with a column say of it, each by itself: this one first. Where worlds are counted, each says what all of its own
/// give, as far as they can be counted; otherwise all records that may be somebody's are as probable.
fn several<'a>(adversary: &Adversary<'a>, target: &Target<'a>, counted: bool) -> Vec<Said<'a>> {
    let Some(column) = target.column() else { return Vec::new() };
    let counted = counted && !nearest::applies(&adversary.crowd);
    let mut several = vec![Said::new(target, adversary.standing(), counted, |code| code)];
    // Their codes in terms of ours; a value that we never publish has a code behind ours, the same in all releases.
    let same = column.domain.sameness();
    let mut code_of: HashMap<String, u32> =
        column.domain.texts().iter().map(|text| same.key(text).into_owned()).zip(0..).collect();
    for other in adversary.others {
        let Some(sensitive) = other.release.sensitive.iter().position(|own| own.name == column.name) else {
            continue;
        };
        let theirs = Target {
            release: other.release,
            sensitive: Some(sensitive),
            people: &other.suspects,
            truth: None,
        };
        let domain = &other.release.sensitive[sensitive].domain;
        let ours: Vec<u32> = (domain.texts().iter())
            .map(|text| {
                let next = code_of.len() as u32;
                *code_of.entry(same.key(text).into_owned()).or_insert(next)
            })
            .collect();
        several.push(Said {
            independent: other.independent,
            holds_all: other.holds_all,
            ..Said::new(&theirs, other.standing.clone(), counted, |code| ours[code as usize])
        });
    }
    several
}

pub(super) fn attack(adversary: &Adversary<'_>, target: &Target<'_>) -> Result<Option<Found>, AttackError> {
    if target.column().is_none() {
        return Ok(None);
    }
    // What is multiplied must be what each says by all of its worlds.
    let is_multiplied = adversary.others.iter().any(|own| own.independent);
    let several = several(adversary, target, is_multiplied);
    if several.len() < 2 {
        return Err(AttackError::Needs(
            "it needs another release with the same sensitive column; give [[releases]] in the knowledge file".to_owned(),
        ));
    }
    // A list that cannot be in all releases as it says holds others or lacks people: then it is certain of nobody that they are in
    // a release of another table, or who stands together.
    let mut worlds_of_all = worlds(target, &several, true);
    let fits = worlds_of_all.as_mut().and_then(Worlds::fit);
    let mut put = put_together(target, &several, fits != Some(false));
    let is_refuted = put.contradicts_all(target, &several);
    if fits != Some(false) && is_refuted {
        put = put_together(target, &several, false);
    }
    // Of a list that does not fit, nobody knows who of it is in which release.
    let worlds_left = match fits {
        Some(true) => worlds_of_all,
        _ if fits == Some(false) || is_refuted => worlds(target, &several, false),
        _ => None,
    };
    if let Some(worlds) = worlds_left {
        exclude(target, &mut put.together, worlds);
    }
    let mut notes = vec![Note::of_knowledge(format!("Releases put together: {}.", several.len()))];
    let left_out = (adversary.others.len() + 1).saturating_sub(several.len());
    if left_out > 0 {
        notes.push(Note::of_knowledge(format!(
            "Releases that are not used, because they have no sensitive column of this name: {left_out}."
        )));
    }
    let multiplied = several.iter().filter(|own| own.independent).count();
    if multiplied > 0 {
        notes.push(Note::of_knowledge(format!(
            "Said to be of other tables, so that what they say is multiplied with what this one says: {multiplied}."
        )));
    }
    if put.not_told > 0 {
        notes.push(Note::of_knowledge(format!(
            "People of whom another release is not used, because they may not be in it: {}.",
            put.not_told
        )));
    }
    if put.contradictions > 0 {
        notes.push(Note::of_original(format!(
            "People for whom the releases contradict each other: {}.",
            put.contradictions
        )));
    }
    if fits == Some(false) || is_refuted {
        notes.push(
            Note::of_original("The list of people cannot be in all releases at once as it stands: it holds others, or lacks people. So nothing is \
             concluded from who stands together, nor from releases of other tables."
                .to_owned()));
    }
    let alone =
        homogeneity::attack(target, adversary.confidence, None).map(|alone| alone.finding.exposed.rate);
    if let Some(alone) = alone {
        notes.push(Note::of_original(format!("This release alone exposes {} %.", crate::percent(alone))));
    }
    let Put { together, counted, .. } = &put;
    let apart = Apart::new(target, &several);
    Ok(Some(
        Verdict {
            attack: COMPOSITION,
            assumed: "who is in the data, their identifying columns, and other releases about them"
                .to_owned(),
            success: format!(
                "the releases together make the adversary at least {} % sure of a value",
                crate::percent(adversary.confidence)
            ),
            confidence: adversary.confidence,
            target: *target,
            whom: Whom::People,
            beliefs: together.clone(),
            alike: None,
            control: None,
            stated: Vec::new(),
            // How probable the values are that several releases of one table leave follows from all people together: one is
            // sure of the only one that is left. Releases of other tables are multiplied.
            least: Some(Least::wherever(|person, value| {
                let Some(own) = together.of(person) else { return 0.0 };
                // Whoever is in none of the others has what these leave.
                let has_several = several.iter().skip(1).any(|own| !own.independent);
                match own.values.len() {
                    1 => 1.0,
                    _ if has_several => {
                        let number = together.of_person.get(person as usize).copied();
                        let cell =
                            number.and_then(|own| counted.cell_of.get(own as usize).copied().flatten());
                        let share = cell
                            .and_then(|own| counted.bounds.get(own as usize))
                            .map_or(0.0, |own| own.share(value));
                        // Of those who are alike, who is here may depend on what they have, unless all of them are.
                        let places = target.people.places_of(person);
                        let all_are_here = is_of_one_table(&several)
                            || several.first().is_some_and(|own| !own.held.may_lack(places));
                        if all_are_here || share >= 1.0 { share } else { 0.0 }
                    }
                    // Multiplied, where each says what all of its worlds give, and those do not depend on each other by somebody else.
                    _ if several.iter().all(|own| own.is_counted(person)) && apart.is_alone(person) => {
                        own.of(value)
                    }
                    _ => 0.0,
                }
            })),
            notes,
        }
        .found(),
    ))
}

/// Who of the list may be in several independent tables. What these say of somebody may be multiplied where nobody else who may be in
/// several of them stands with the person in any, or takes a place from somebody who does: what the other has in one of them is not the
/// person's in the next.
struct Apart<'a> {
    people: Vec<&'a Suspects>,
    /// Per release and group the set of groups that it is connected with by people who fit several.
    set_of: Vec<Vec<u32>>,
    /// Per release and set how many of those who may be in several tables may stand there.
    crowd: Vec<Vec<u64>>,
}

impl<'a> Apart<'a> {
    fn new(target: &Target<'a>, several: &[Said<'a>]) -> Self {
        let used = several.iter().enumerate().filter(|(at, own)| *at == 0 || own.independent);
        let (people, sizes): (Vec<&Suspects>, Vec<usize>) =
            used.map(|(_, own)| (own.held.people, own.held.records.len())).unzip();
        let set_of = people.iter().zip(&sizes).map(|(people, &groups)| sets(people, groups)).collect();
        let crowd = sizes.into_iter().map(|groups| vec![0; groups]).collect();
        let mut own = Self { people, set_of, crowd };
        for person in 0..target.people.own_people() as u32 {
            if !own.is_in_several(person) {
                continue;
            }
            for ((people, set_of), crowd) in own.people.iter().zip(&own.set_of).zip(&mut own.crowd) {
                if let Some(place) = people.places_of(person).first() {
                    crowd[set_of[place.group as usize] as usize] += 1;
                }
            }
        }
        own
    }

    fn is_in_several(&self, person: u32) -> bool {
        self.people.iter().filter(|own| !own.places_of(person).is_empty()).count() > 1
    }

    fn is_alone(&self, person: u32) -> bool {
        let own = u64::from(self.is_in_several(person));
        self.people.iter().zip(&self.set_of).zip(&self.crowd).all(|((people, set_of), crowd)| {
            let place = people.places_of(person).first();
            place.is_none_or(|place| crowd[set_of[place.group as usize] as usize] <= own)
        })
    }
}

/// A release, and what it says of everybody by itself.
struct Said<'a> {
    beliefs: Beliefs,
    /// Per profile whether that is what all worlds give.
    is_counted: Vec<bool>,
    held: Holding<'a>,
    /// Whose a record of it may be.
    records: Records,
    /// Whether it was made from another table, so that what it says is multiplied with what the first says.
    independent: bool,
    /// Whether whoever is in the data of the first, and fits a group, is in it.
    holds_all: bool,
    /// Whether nobody of its table is left out of it.
    is_whole: bool,
}

impl<'a> Said<'a> {
    /// The first release, or another with the values in other codes.
    fn new(target: &Target<'a>, standing: Standing, counted: bool, code: impl Fn(u32) -> u32) -> Self {
        let people = target.people;
        let chances = match counted {
            true => chances(&standing, people, &target.release.groups),
            false => Chances::default(),
        };
        let is_counted = (0..people.profiles() as u32).map(|own| chances.weights(people, own).1).collect();
        let mut beliefs = homogeneity::beliefs(target, None, &chances);
        for belief in &mut beliefs.distinct {
            belief.values.iter_mut().for_each(|(value, _)| *value = code(*value));
        }
        let is_whole = is_whole(target.release);
        let held = Holding::new(target, standing.room, code);
        let records = standing.records;
        Self { beliefs, is_counted, held, records, independent: false, holds_all: true, is_whole }
    }

    /// Whether what it says of a person is what all of its worlds give, or it says nothing of them.
    fn is_counted(&self, person: u32) -> bool {
        let profile = self.held.people.profile_of.get(person as usize);
        profile.and_then(|&own| self.is_counted.get(own as usize)).is_some_and(|own| *own)
    }
}

/// The worlds in which the list is where the releases say, or, where it is not trusted, in which nothing is certain of it; `None` where
/// they cannot be sought.
fn worlds(target: &Target<'_>, several: &[Said<'_>], trusted: bool) -> Option<Worlds> {
    let tie = |at: usize, own: &Said<'_>| match at {
        0 if own.is_whole => Tie::All,
        0 => Tie::Some,
        // Nothing follows from an independent one for who is in the others; whoever is in both has one value.
        _ if own.holds_all && !own.independent => Tie::All,
        _ => Tie::None,
    };
    let sides = several.iter().enumerate().map(|(at, own)| Side {
        people: own.held.people,
        room: if trusted { own.held.room } else { Room::Uncertain },
        records: &own.records,
        groups: &own.held.groups,
        tie: tie(at, own),
    });
    Worlds::new(&sides.collect::<Vec<_>>(), target.people.own_people())
}

/// Leaves out the values that people have in no world. Whoever has none in any is on the list and not in the data, and nothing is
/// learned of them.
fn exclude(target: &Target<'_>, together: &mut Beliefs, mut worlds: Worlds) {
    let mut first_of = vec![None; together.distinct.len()];
    for (person, &own) in (0u32..).zip(&together.of_person).take(target.people.own_people()) {
        first_of[own as usize].get_or_insert(person);
    }
    for (belief, person) in together.distinct.iter_mut().zip(first_of) {
        let Some(person) = person.filter(|_| !belief.values.is_empty()) else { continue };
        let left: Vec<(u32, f64)> = (belief.values.iter().copied())
            .filter(|own| worlds.may_have(person, own.0) != Some(false))
            .collect();
        if left.len() < belief.values.len() {
            *belief = Belief::of_weights(belief.candidates, left.into_iter());
        }
    }
}

/// Whether whoever is in one of the releases, and fits another, is in that as well.
fn is_of_one_table(several: &[Said<'_>]) -> bool {
    several.iter().enumerate().all(|(at, own)| own.holds_all && (at > 0 || own.is_whole))
}

/// What several releases leave.
struct Put {
    together: Beliefs,
    counted: Counted,
    /// People to whom they leave nothing, and those of whom another release says nothing, because they may not be in it.
    contradictions: u64,
    not_told: u64,
}

impl Put {
    /// Whether what was found shows that the list cannot be in all releases.
    fn contradicts_all(&self, target: &Target<'_>, several: &[Said<'_>]) -> bool {
        let all_are_in =
            several.iter().filter(|own| !own.independent).all(|own| own.held.room == Room::ForAll);
        let of_list = self.together.of_person.iter().take(target.people.own_people()).zip(0..);
        let is_nobody = |(own, person): (&u32, u32)| {
            let here = several.first().and_then(|own| own.beliefs.of(person));
            self.together.distinct[*own as usize].values.is_empty()
                && here.is_some_and(|own| !own.values.is_empty())
        };
        self.counted.contradicting > 0 || (all_are_in && of_list.into_iter().any(is_nobody))
    }
}

/// Puts releases together; `trusted` tells whether the list may be in all of them as it stands.
fn put_together(target: &Target<'_>, several: &[Said<'_>], trusted: bool) -> Put {
    let own_people = target.people.own_people();
    let of_one_table = is_of_one_table(several);
    // Whether somebody who is attacked, and so is in the data, may still not be in a release; and the same of anybody else, of whom it
    // is certain only where all releases are of one table that they are in one when they are in another.
    let may_be_absent = |which: usize, key: u32, of_others: bool| {
        let said = &several[which];
        let certainly = if of_others { of_one_table } else { said.holds_all };
        let places = said.held.people.places(key);
        places.is_empty() || (!certainly && (!trusted || said.held.may_lack(places)))
    };
    let mut number_of: HashMap<Vec<u32>, u32> = HashMap::new();
    // Per different one the values that all releases allow which certainly have the person.
    let mut allowed: Vec<Vec<u32>> = Vec::new();
    let mut together = Beliefs::default();
    let (mut contradictions, mut not_told) = (0u64, 0u64);
    // Per different one whether a release says nothing of its people, who may not be in it.
    let mut unsure: Vec<bool> = Vec::new();
    for person in 0..target.people.people() as u32 {
        let key: Vec<u32> = several.iter().map(|said| said.beliefs.of_person[person as usize]).collect();
        let next = together.distinct.len() as u32;
        let number = *number_of.entry(key).or_insert_with_key(|key| {
            let own = |which: usize| &several[which].beliefs.distinct[key[which] as usize];
            // A release in which a person is nowhere excludes nothing, nor one of another table that they may not be in. Whoever is
            // attacked is attacked given that they are in the data, and so in all releases of it, however many others fit.
            let is_absent = |which: usize, of_others: bool| may_be_absent(which, key[which], of_others);
            let tell: Vec<usize> = (1..several.len()).filter(|&other| !is_absent(other, false)).collect();
            unsure.push(
                (1..several.len()).any(|other| !tell.contains(&other) && !own(other).values.is_empty()),
            );
            let allows = |value: u32| tell.iter().all(|&other| own(other).of(value) > 0.0);
            let multiplied = || {
                let others = (0..several.len()).filter(|&other| several[other].independent).map(own);
                compose(std::iter::once(own(0)).chain(others).map(|belief| &belief.values[..]), None)
            };
            // Who is nowhere in this release is not found by the others.
            let here = if own(0).values.is_empty() { Vec::new() } else { multiplied() };
            let left = here.into_iter().filter(|&(value, _)| allows(value));
            let certain: Vec<usize> = (0..several.len()).filter(|&which| !is_absent(which, true)).collect();
            let first = certain.first().map_or(&[][..], |&which| &own(which).values);
            let all = first.iter().map(|own| own.0);
            allowed
                .push(all.filter(|&value| certain.iter().all(|&which| own(which).of(value) > 0.0)).collect());
            together.distinct.push(Belief::of_weights(own(0).candidates, left));
            next
        });
        let nothing = together.distinct[number as usize].values.is_empty();
        let is_here = several[0].beliefs.of(person).is_some_and(|own| !own.values.is_empty());
        contradictions += u64::from(nothing && is_here);
        not_told += u64::from(is_here && unsure[number as usize] && (person as usize) < own_people);
        together.of_person.push(number);
    }
    let holding: Vec<&Holding<'_>> =
        several.iter().filter(|own| !own.independent && trusted).map(|own| &own.held).collect();
    let counted = counted(own_people, &together, &allowed, &holding);
    // How often a value is here does not bound what another table says of it.
    if !several.iter().any(|own| own.independent) {
        for (belief, cell) in together.distinct.iter_mut().zip(&counted.cell_of) {
            if let Some(bounds) = cell.and_then(|cell| counted.bounds.get(cell as usize)) {
                reconcile(belief, bounds);
            }
        }
    }
    Put { together, counted, contradictions, not_told }
}

/// A release of the same table: where people stand in it, and what its groups hold.
struct Holding<'a> {
    people: &'a Suspects,
    room: Room,
    /// Per group its values, and how often.
    groups: Vec<Vec<(u32, u64)>>,
    /// Per group its records, and the people of the adversary who may stand there.
    records: Vec<u64>,
    crowd: Vec<u64>,
}

impl<'a> Holding<'a> {
    /// With the values in other codes.
    fn new(target: &Target<'a>, room: Room, code: impl Fn(u32) -> u32) -> Self {
        let records = target.release.groups.clone();
        let mut crowd = vec![0; records.len()];
        for person in 0..target.people.own_people() as u32 {
            target.people.places_of(person).iter().for_each(|place| crowd[place.group as usize] += 1);
        }
        let cells = |group: u32| target.column().map_or(&[][..], |column| column.histograms.of(group));
        let group = |group: u32| cells(group).iter().map(|own| (code(own.0), own.1)).collect();
        let groups = (0..records.len() as u32).map(group).collect();
        Self { people: target.people, room, groups, records, crowd }
    }

    /// Whether the release may be without somebody who fits these places.
    fn may_lack(&self, places: &[Place]) -> bool {
        places.iter().any(|place| {
            let group = place.group as usize;
            self.room.absent(self.crowd[group], self.records[group]) > 0
        })
    }

    /// Groups of which it is certain who stands in them: as many people as records, nobody of whom may stand elsewhere. A list that
    /// does not go with the release makes nothing certain.
    fn closed(&self, own: usize) -> Vec<bool> {
        if self.room == Room::Uncertain {
            return vec![false; self.records.len()];
        }
        let mut closed: Vec<bool> = self
            .crowd
            .iter()
            .zip(&self.records)
            .map(|(crowd, records)| crowd == records && *records > 0)
            .collect();
        for person in 0..own as u32 {
            let places = self.people.places_of(person);
            if places.len() > 1 {
                places.iter().for_each(|place| closed[place.group as usize] = false);
            }
        }
        closed
    }
}

/// How many of the people of whom the same is believed have each value, in every world.
#[derive(Default)]
struct CellBounds {
    people: u64,
    bounds: Vec<Bound>,
}

impl CellBounds {
    /// The share that has a value at least.
    fn share(&self, value: u32) -> f64 {
        let least = self.bounds.iter().find(|own| own.value == value).map_or(0, |own| own.least);
        least as f64 / self.people.max(1) as f64
    }
}

struct Counted {
    /// Per different belief the cell of its people; none for those who are in no release.
    cell_of: Vec<Option<u32>>,
    /// Per cell.
    bounds: Vec<CellBounds>,
    /// Groups whose values cannot be shared out among those who stand there.
    contradicting: usize,
}

/// Where somebody stands in a release.
#[derive(PartialEq, Eq, Hash)]
enum Stands {
    Nowhere,
    /// In this group, certainly.
    In(u32),
    /// Wherever those do who have this profile.
    Like(Option<u32>),
}

/// Shares out the values of all groups of which it is certain who stands in them. People who may stand in the same groups of every
/// release, and to whom the same is left, are one cell: a bucket in which they all are may give each what another has,
/// whatever they look like. Where they may not be in it, or stand elsewhere, that depends on what they look like, and only those
/// who look alike are one cell. The first `own` people are the adversary's; others are attacked for a control and are in no
/// release.
fn counted(own: usize, together: &Beliefs, allowed: &[Vec<u32>], holding: &[&Holding<'_>]) -> Counted {
    let mut number_of: HashMap<(Vec<Stands>, &[u32]), u32> = HashMap::new();
    let mut cell_of = vec![None; together.distinct.len()];
    let mut people: Vec<u64> = Vec::new();
    let mut first: Vec<u32> = Vec::new();
    let mut bounds: Vec<Vec<Bound>> = Vec::new();
    for (person, &belief) in (0u32..).zip(&together.of_person).take(own) {
        let cell = *cell_of[belief as usize].get_or_insert_with(|| {
            let stands = |own: &&Holding<'_>| match own.people.places_of(person) {
                [] => Stands::Nowhere,
                [place] if own.room == Room::ForAll => Stands::In(place.group),
                _ => Stands::Like(own.people.profile_of.get(person as usize).copied()),
            };
            let left = &allowed[belief as usize];
            *number_of.entry((holding.iter().map(stands).collect(), left)).or_insert_with(|| {
                people.push(0);
                first.push(person);
                bounds.push(left.iter().map(|&value| Bound { value, least: 0, most: 0 }).collect());
                people.len() as u32 - 1
            })
        });
        people[cell as usize] += 1;
    }
    for (own, &people) in bounds.iter_mut().zip(&people) {
        own.sort_unstable_by_key(|own| own.value);
        own.iter_mut().for_each(|own| own.most = people);
    }
    let mut groups = Vec::new();
    for release in holding {
        let mut standing: Vec<Vec<u32>> = vec![Vec::new(); release.groups.len()];
        for (cell, &person) in (0u32..).zip(&first) {
            release
                .people
                .places_of(person)
                .iter()
                .for_each(|place| standing[place.group as usize].push(cell));
        }
        let closed = release.closed(own).into_iter().zip(&release.groups).zip(standing);
        groups.extend(
            closed
                .filter(|((closed, _), _)| *closed)
                .map(|((_, values), cells)| Group { cells, values: values.clone() }),
        );
    }
    let contradicting = narrow(&mut bounds, &people, &groups);
    let bounds = people.into_iter().zip(bounds).map(|(people, bounds)| CellBounds { people, bounds });
    Counted { cell_of, bounds: bounds.collect(), contradicting }
}

/// Brings a belief within the bounds: what nobody can have is out, and the rest is scaled alike, as far as the bounds let it.
fn reconcile(belief: &mut Belief, counted: &CellBounds) {
    if counted.people == 0 || counted.bounds.is_empty() || belief.values.is_empty() {
        return;
    }
    let people = counted.people as f64;
    let left: Vec<(u32, f64, f64, f64)> = (belief.values.iter())
        .filter_map(|&(value, p)| {
            let own = counted.bounds.iter().find(|own| own.value == value)?;
            Some((value, p, own.least as f64 / people, own.most as f64 / people))
        })
        .collect();
    let scaled =
        |scale: f64| left.iter().map(move |&(value, p, low, high)| (value, (p * scale).clamp(low, high)));
    // The sum rises with the scale; bounds that a world has lie around 1.
    let (mut low, mut high) = (0.0, 1.0);
    let sum = |scale: f64| scaled(scale).map(|own| own.1).sum::<f64>();
    while sum(high) < 1.0 && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if sum(middle) < 1.0 { low = middle } else { high = middle }
    }
    *belief = Belief::of_weights(belief.candidates, scaled(high).collect::<Vec<_>>().into_iter());
}
