//! Attacks by somebody who believes some values more probable for some people: Bayes-optimal belief (survey PM-06), and independent
//! people with known priors (AT-11). What they share with the least committed belief (`least_committed.rs`) is here.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt};
use privet_data::{Domain, Progress};

use super::Adversary;
use super::knowing::{absent, check_columns, crowds, is_about, knowing};
use super::stage::{Staged, stage_with};
use super::weighing::weighed;
use crate::attacks::{AttackWord, Role};
use crate::finding::{AttackError, Belief, Beliefs, Found, Least, Verdict};
use crate::knowledge::Prior;
use crate::note::Note;
use crate::reasoners::ReasonerError;
use crate::room::Room;
use crate::target::Target;
use crate::worlds::WorldsError;

/// The word of the attack in files.
pub const BAYES_OPTIMAL: &str = "bayes-optimal";

/// What it is.
pub(crate) const ABOUT_BAYES_OPTIMAL: AttackWord = AttackWord {
    word: BAYES_OPTIMAL,
    title: "Best possible guess",
    sentence: "The adversary knows how frequent each sensitive value is among people of each kind and draws the best conclusion that the laws of probability allow.",
    about: "values are more or less probable for some people",
    needs: Some("priors"),
    quick: false,
    role: Role::Counts,
};

/// The word of the attack in files.
pub const INDEPENDENCE: &str = "independence";

/// What it is.
pub(crate) const ABOUT_INDEPENDENCE: AttackWord = AttackWord {
    word: INDEPENDENCE,
    title: "Independent people",
    sentence: "The adversary knows how probable each value is for a person and that people have nothing to do with each other, and weighs every way in which the values of a group can be theirs.",
    about: "everybody's value follows a prior by itself",
    needs: Some("priors"),
    quick: false,
    role: Role::Counts,
};

/// People about whom beliefs may be sought at most.
const MOST_KNOWN: usize = 50_000;
/// States that may be kept for a group of independent people.
const MOST_STATES: usize = 1 << 20;
/// The same where a closed form is held to them, which is to take little time.
const FEWER_STATES: usize = 1 << 16;

/// How probable it is at most that somebody is in the data of whom nothing is then concluded: beliefs are found up to a tolerance.
const HARDLY_THERE: f64 = 1e-3;

/// Per person the prior that speaks of them (the last that does), or `None`; and per prior its shares over all values.
#[derive(Default)]
pub(super) struct Priors {
    pub of_person: Vec<Option<u32>>,
    /// Per person which priors speak of them, as the number of a set.
    pub set_of: Vec<u32>,
    /// Per prior the people it speaks of.
    pub among: Vec<Vec<bool>>,
    pub shares: Vec<Vec<f64>>,
}

/// The priors about a column that an attack uses.
pub(super) fn priors(
    adversary: &Adversary<'_>,
    column: usize,
    uses: impl Fn(&Prior) -> bool,
) -> Result<Option<Priors>, AttackError> {
    let knowledge = adversary.knowledge;
    if !knowledge.priors.iter().any(&uses) {
        return Err(AttackError::Needs("it needs [[priors]] with `shares` in the knowledge file".to_owned()));
    }
    check_columns(adversary)?;
    let domain = &adversary.release.sensitive[column].domain;
    let people = adversary.suspects.people();
    let mut found = Priors { of_person: vec![None; people], ..Priors::default() };
    for (prior, among) in knowledge.priors.iter().zip(adversary.of_prior) {
        if !uses(prior) || !is_about(adversary, column, prior.column.as_deref()) {
            continue;
        }
        found.shares.push(shares_of_all(domain, &prior.shares));
        let number = found.shares.len() as u32 - 1;
        found.among.push(among.clone());
        for (own, among) in found.of_person.iter_mut().zip(among) {
            if *among {
                *own = Some(number);
            }
        }
    }
    found.tell_apart();
    Ok((!found.shares.is_empty()).then_some(found))
}

/// Per value of the release how probable it is believed to be. Values that are not named share what is left; those that are
/// named and never published have no part in it, since nobody of the data has them. Whoever believes in nothing else learns
/// from the release that it is wrong, and has no reason to prefer one value to another.
fn shares_of_all(domain: &Domain, shares: &BTreeMap<String, f64>) -> Vec<f64> {
    let named = by_code(domain, shares);
    let left = (1.0 - shares.values().sum::<f64>()).max(0.0);
    let unnamed = named.iter().filter(|share| share.is_none()).count().max(1) as f64;
    let all: Vec<f64> = named.into_iter().map(|share| share.unwrap_or(left / unnamed)).collect();
    match all.iter().any(|&share| share > 0.0) {
        true => all,
        false => vec![1.0 / all.len().max(1) as f64; all.len()],
    }
}

/// Per value of the release what is believed of it, however it is written.
pub(super) fn by_code(domain: &Domain, shares: &BTreeMap<String, f64>) -> Vec<Option<f64>> {
    let finder = domain.finder();
    let mut named = vec![None; domain.len()];
    for (text, share) in shares {
        if let Some(code) = finder.code(text) {
            let slot: &mut Option<f64> = &mut named[code as usize]; // why: codes lie within their domain
            *slot = Some(slot.unwrap_or(0.0) + share);
        }
    }
    named
}

impl Priors {
    /// Per value how probable it is for a person; of whom nothing is believed, as by chance.
    pub fn row<'p>(&'p self, person: u32, by_chance: &'p [f64]) -> &'p [f64] {
        let number = self.of_person.get(person as usize).copied().flatten();
        number.map_or(by_chance, |number| &self.shares[number as usize])
    }

    /// Of the people of the list the prior that speaks of them.
    pub fn own(&self, target: &Target<'_>) -> &[Option<u32>] {
        self.of_person.get(..target.people.own_people()).unwrap_or(&self.of_person)
    }

    /// Numbers the sets of priors that speak of people.
    pub fn tell_apart(&mut self) {
        let mut number_of: HashMap<Vec<bool>, u32> = HashMap::new();
        self.set_of = (0..self.of_person.len())
            .map(|person| {
                let set = self.among.iter().map(|own| own.get(person) == Some(&true)).collect();
                let next = number_of.len() as u32;
                *number_of.entry(set).or_insert(next)
            })
            .collect();
    }
}

/// Somebody who believes some values more probable for some people (survey PM-06, Theorem 2.1). The formula takes a group for
/// large, and in a small one believes more people to have a value than have it. It is what is shown; who counts is as sure when
/// all worlds of the group are weighed.
pub(super) fn bayes_optimal(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    column: usize,
    progress: &dyn Progress,
) -> Result<Option<Found>, AttackError> {
    let found = priors(adversary, column, has_shares)?;
    let (Some(priors), Some(own)) = (found, target.column()) else { return Ok(None) };
    let total: Vec<f64> =
        own.histograms.total(own.domain.len()).into_iter().map(|count| count as f64).collect();
    // Of whom nothing is believed, what the release shows of everybody is.
    let row = |prior: Option<u32>| prior.map_or(&total, |prior| &priors.shares[prior as usize]);
    let scale = |row: &[f64]| 1.0 / row.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    // Per group how many people there may be of each prior.
    let mut crowd: HashMap<(u32, Option<u32>), f64> = HashMap::new();
    for (person, prior) in (0..).zip(&priors.of_person) {
        let places = target.people.places_of(person);
        let candidates: u64 = places.iter().map(|place| place.records).sum();
        for place in places {
            *crowd.entry((place.group, *prior)).or_default() += place.records as f64 / candidates as f64;
        }
    }
    let mut of_group: HashMap<u32, Vec<(Option<u32>, f64)>> = HashMap::new();
    for ((group, prior), people) in crowd {
        of_group.entry(group).or_default().push((prior, people));
    }
    for list in of_group.values_mut() {
        list.sort_by_key(|own| own.0);
    }
    let mut number_of: HashMap<(u32, Option<u32>), u32> = HashMap::new();
    let mut beliefs = Beliefs::default();
    for (person, prior) in (0..).zip(&priors.of_person) {
        let profile = target.people.profile_of[person as usize];
        let next = beliefs.distinct.len() as u32;
        let number = *number_of.entry((profile, *prior)).or_insert_with(|| {
            let mut weights: HashMap<u32, f64> = HashMap::new();
            let mut candidates = 0;
            for place in target.people.places(profile) {
                candidates += place.records;
                let cells = own.histograms.of(place.group);
                let counts: Vec<u64> = cells.iter().map(|cell| cell.1).collect();
                let given_q: Vec<f64> = cells.iter().map(|cell| row(*prior)[cell.0 as usize]).collect();
                let given_class: Vec<f64> = cells
                    .iter()
                    .map(|cell| {
                        let crowd = of_group.get(&place.group).map_or(&[][..], Vec::as_slice);
                        crowd
                            .iter()
                            .map(|(other, people)| people * row(*other)[cell.0 as usize] * scale(row(*other)))
                            .sum()
                    })
                    .collect();
                // A group in which nothing is possible for this person is not theirs.
                if let Ok(found) = crate::reasoners::bayes_optimal(&counts, &given_q, &given_class) {
                    for (cell, chance) in cells.iter().zip(found.posterior) {
                        *weights.entry(cell.0).or_default() += place.records as f64 * chance;
                    }
                }
            }
            let mut weights: Vec<(u32, f64)> = weights.into_iter().collect();
            weights.sort_by_key(|own| own.0);
            beliefs.distinct.push(Belief::of_weights(candidates, weights.into_iter()));
            next
        });
        beliefs.of_person.push(number);
    }
    let spoken_of = priors.of_person.iter().filter(|prior| prior.is_some()).count();
    let mut notes =
        vec![Note::of_knowledge(format!("People of whom something is believed beforehand: {spoken_of}."))];
    let is_nobody = |own: &&u32| {
        beliefs.distinct.get(**own as usize).is_some_and(|own| own.values.is_empty() && own.candidates > 0)
    };
    let contradicted = beliefs.of_person.iter().filter(is_nobody).count();
    if contradicted > 0 {
        notes.push(Note::of_original(format!(
            "People to whom what is believed beforehand leaves no value that is published where they stand: {contradicted}. It cannot be \
             true of them, and nothing is concluded about them."
        )));
    }
    notes.extend(unpublished(adversary, column));
    let exact = weighed(adversary, target, own, &priors, FEWER_STATES, progress)?;
    // Of somebody of whom what is believed cannot be true nothing is concluded.
    let least = |person: u32, value: u32| match exact.is_contradicted(person) {
        true => 0.0,
        false => exact.least(person, value),
    };
    let otherwise = "more of whom this belief is as sure. Weighing all worlds does not make as sure, or there are \
                     too many of them.";
    let least = Least { of: Box::new(least), otherwise };
    let assumed = "how probable values are for some of them";
    let verdict = knowing(adversary, target, BAYES_OPTIMAL, assumed, beliefs, notes);
    Ok(Some(Verdict { least: Some(least), ..verdict }.found()))
}

/// How many of the values that somebody believes in nobody is published with.
pub(super) fn unpublished(adversary: &Adversary<'_>, column: usize) -> Option<Note> {
    let finder = adversary.release.sensitive[column].domain.finder();
    let mine = adversary.knowledge.priors.iter();
    let mine = mine.filter(|own| is_about(adversary, column, own.column.as_deref()));
    let texts = mine.flat_map(|own| own.shares.keys().chain(own.at_least.keys()).chain(own.at_most.keys()));
    match texts.filter(|text| finder.code(text).is_none()).count() {
        0 => None,
        values => Some(Note::of_original(format!(
            "Values that somebody believes in and nobody is published with, so that their share weighs nothing: {values}."
        ))),
    }
}

/// What is only bounded is used by the least committed belief alone.
fn has_shares(prior: &Prior) -> bool {
    !prior.shares.is_empty()
}

/// Those of whom something is believed and whose group is known, and how many there are besides whose group is not. A
/// group takes as many as it has records, and `absent` more: a table of people may hold more who fit, of whom some are not in the data.
pub(super) fn of_known_group(
    target: &Target<'_>,
    priors: &Priors,
    absent: impl Fn(u32) -> u64,
) -> (Vec<u32>, usize) {
    let mut left: Vec<u64> =
        (0..).zip(&target.release.groups).map(|(group, own)| own + absent(group)).collect();
    let (mut known, mut elsewhere) = (Vec::new(), 0);
    for (person, prior) in (0..).zip(priors.own(target)) {
        match (prior, target.people.places_of(person)) {
            (Some(_), [place]) => {
                if let Some(left) = left.get_mut(place.group as usize).filter(|left| **left > 0) {
                    *left -= 1;
                    known.push(person);
                }
            }
            (Some(_), [_, _, ..]) => elsewhere += 1,
            _ => {}
        }
    }
    (known, elsewhere)
}

/// In which groups it is certain who is there of those of whom something is believed.
pub(super) struct Open {
    /// Groups that may hold somebody of them, without it being certain that they are there.
    groups: BTreeSet<u32>,
    /// Per group the only one of them who may be there.
    only: HashMap<u32, Option<u32>>,
}

impl Open {
    pub fn new(target: &Target<'_>, room: Room, priors: &Priors) -> Self {
        let crowds = crowds(target);
        let without = absent(target, room, &crowds);
        let mut open = Self { groups: BTreeSet::new(), only: HashMap::new() };
        for (person, _) in (0..).zip(priors.own(target)).filter(|(_, prior)| prior.is_some()) {
            let places = target.people.places_of(person);
            let is_open = places.len() > 1 || places.iter().any(|place| without(place.group) > 0);
            for place in places {
                open.only.entry(place.group).and_modify(|own| *own = None).or_insert(Some(person));
                if is_open {
                    open.groups.insert(place.group);
                }
            }
        }
        open
    }

    /// Whether a person stands in one group, and it is certain who of those of whom something is believed stands there too. Whoever is
    /// attacked is there.
    pub fn closed(&self, target: &Target<'_>, person: u32) -> bool {
        match target.people.places_of(person) {
            [place] => {
                !self.groups.contains(&place.group) || self.only.get(&place.group) == Some(&Some(person))
            }
            _ => false,
        }
    }
}

pub(super) fn notes(known: usize, elsewhere: usize) -> Vec<Note> {
    let mut notes =
        vec![Note::of_knowledge(format!("People of whom something is known beforehand: {known}."))];
    if elsewhere > 0 {
        notes.push(Note::of_release(format!(
            "Of {elsewhere} more it is not used, because they may stand in several groups; bayes-optimal uses it."
        )));
    }
    notes
}

/// Beliefs of a reasoner about staged people: those who are themselves, and those for whom another stands. People of one
/// group of whom the same is believed beforehand are believed the same afterwards. Gives who they are.
pub(super) fn beliefs_of(
    target: &Target<'_>,
    priors: &Priors,
    known: &[u32],
    staged: &Staged,
    found: &crate::worlds::Beliefs,
    beliefs: &mut Beliefs,
    reached: impl Fn(u32, u32) -> bool,
) -> Vec<u32> {
    let mut stands_for: HashMap<(u32, u32), u32> = HashMap::new();
    for &person in known {
        if let [place] = target.people.places_of(person) {
            stands_for.entry((place.group, priors.set_of[person as usize])).or_insert(person);
        }
    }
    let domain = target.column().map_or(0, |column| column.domain.len() as u32);
    let mut shared: HashMap<u32, Option<u32>> = HashMap::new();
    let mut told = Vec::new();
    for (person, &set) in (0u32..).zip(&priors.set_of) {
        let [place] = target.people.places_of(person) else { continue };
        if !reached(person, place.group) {
            continue;
        }
        let of_others = staged.others.get(&place.group).map(|others| others.0);
        let Some(other) = stands_for.get(&(place.group, set)).copied().or(of_others) else { continue };
        let number = *shared.entry(other).or_insert_with(|| {
            // Given that they are in the data. Whom what is known all but excludes from it is judged as without it.
            let values = || found.of(other).iter().copied().filter(|own| own.0 < domain);
            (values().map(|own| own.1).sum::<f64>() > HARDLY_THERE).then(|| {
                beliefs.distinct.push(Belief::of_weights(place.records, values()));
                beliefs.distinct.len() as u32 - 1
            })
        });
        if let Some(number) = number {
            beliefs.of_person[person as usize] = number;
            told.push(person);
        }
    }
    told
}

/// Independent people (survey AT-11): everybody's value follows a prior by itself, and the group only tells which values
/// its people have between them. Exact, where bayes-optimal has a closed form that takes a group for large.
pub(super) fn independence(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    column: usize,
    progress: &dyn Progress,
) -> Result<Option<Found>, AttackError> {
    let found = priors(adversary, column, has_shares)?;
    let (Some(priors), Some(own)) = (found, target.column()) else { return Ok(None) };
    let (known, _) = of_known_group(target, &priors, |_| 0);
    not_too_many(&known)?;
    let exact = weighed(adversary, target, own, &priors, MOST_STATES, progress)?;
    if exact.reached == 0 && exact.contradicted > 0 && exact.left_out == 0 {
        return Err(ReasonerError::Worlds(WorldsError::Conflict).into());
    }
    if exact.reached == 0 && exact.left_out > 0 {
        return Err(AttackError::TooLarge(
            "every group with people of whom something is believed is too large to sum over its worlds"
                .to_owned(),
        ));
    }
    let spoken_of = (0..).zip(priors.own(target)).filter(|(_, prior)| prior.is_some());
    let (used, others): (Vec<u32>, Vec<u32>) =
        spoken_of.map(|(person, _)| person).partition(|&person| exact.is_weighed(person));
    let has_several = |person: &&u32| target.people.places_of(**person).len() > 1;
    let mut notes = notes(used.len(), others.iter().filter(has_several).count());
    notes.extend(unpublished(adversary, column));
    if exact.left_out > 0 {
        notes.push(Note::of_release(format!(
            "Groups that are too large for it, and count by their frequencies alone: {}.",
            exact.left_out
        )));
    }
    if exact.contradicted > 0 {
        notes.push(Note::of_release(format!(
            "Groups in which what is believed cannot be true, and which count by their frequencies alone: {}.",
            exact.contradicted
        )));
    }
    let assumed = "how probable values are for each of them, independently of all others";
    let verdict = knowing(adversary, target, INDEPENDENCE, assumed, exact.beliefs.clone(), notes);
    let least = Least::wherever(|person, value| exact.least(person, value));
    Ok(Some(Verdict { least: Some(least), ..verdict }.found()))
}

pub(super) fn not_too_many(known: &[u32]) -> Result<(), AttackError> {
    match known.len() > MOST_KNOWN {
        true => Err(AttackError::TooLarge(format!("the priors are about more than {MOST_KNOWN} people"))),
        false => Ok(()),
    }
}

/// All groups, with those who are known in their own, of whom as many are not in the data as `absent` says.
pub(super) fn staged(
    target: &Target<'_>,
    known: &[u32],
    absent: impl Fn(u32) -> u64,
) -> Result<Staged, AttackError> {
    let placed: Vec<(u32, u32)> = known
        .iter()
        .filter_map(|&person| Some((person, target.people.places_of(person).first()?.group)))
        .collect();
    stage_with(target, &placed, 0..target.release.groups.len() as u32, absent)
}

impl From<ReasonerError> for AttackError {
    fn from(error: ReasonerError) -> Self {
        match error {
            ReasonerError::Cancelled(_) => Self::Cancelled,
            ReasonerError::Worlds(error) => error.into(),
            ReasonerError::TooLarge { .. } => Self::TooLarge(error.to_string()),
            other => Self::Contradiction(other.to_string()),
        }
    }
}
