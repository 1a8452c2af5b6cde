//! Attacks by somebody who believes some values more probable for some people: Bayes-optimal belief (survey PM-06), the
//! least committed belief (AT-13), and independent people with known priors (AT-11).
//!
//! The least committed belief also takes the strongest association rules of the original for known, where the knowledge file asks for
//! them: what is true is used there to say how much somebody is taken to know, as the file could, and not to conclude anything.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;
use rayon::prelude::*;

use super::Adversary;
use super::knowing::{absent, check_columns, crowds, is_about, knowing};
use super::stage::{Staged, stage};
use crate::chances::Chances;
use crate::finding::{AttackError, Belief, Beliefs, Found, Least, Verdict};
use crate::homogeneity;
use crate::knowledge::Rules;
use crate::link::UNKNOWN;
use crate::reasoners::{Constraint, Independence, MaxEnt, Reasoner, ReasonerError, Relation, View};
use crate::room::Room;
use crate::rules::strongest;
use crate::target::Target;
use crate::worlds::{Bucket, WorldsError};

/// People about whom the least committed belief may be sought at most.
const MOST_KNOWN: usize = 50_000;
/// How far, in people, shares may be missed where there is hardly any room to keep them.
const NEAR: f64 = 1e-3;
/// States that may be kept for a group of independent people.
const MOST_STATES: usize = 1 << 20;
/// The same where a closed form is held to them, which is to take little time.
const FEWER_STATES: usize = 1 << 16;

/// Per person the prior that speaks of them (the last that does), or `None`; and per prior its shares over all values.
struct Priors {
    of_person: Vec<Option<u32>>,
    /// Per person which priors speak of them, as the number of a set.
    set_of: Vec<u32>,
    /// Per prior the people it speaks of.
    among: Vec<Vec<bool>>,
    shares: Vec<Vec<f64>>,
}

fn priors(adversary: &Adversary<'_>, column: usize) -> Result<Option<Priors>, AttackError> {
    let knowledge = adversary.knowledge;
    if knowledge.priors.is_empty() {
        return Err(AttackError::Needs("it needs [[priors]] in the knowledge file".to_owned()));
    }
    check_columns(adversary)?;
    let domain = &adversary.release.sensitive[column].domain;
    let people = adversary.suspects.people();
    let mut found =
        Priors { of_person: vec![None; people], set_of: Vec::new(), among: Vec::new(), shares: Vec::new() };
    for (prior, among) in knowledge.priors.iter().zip(adversary.of_prior) {
        if !is_about(adversary, column, prior.column.as_deref()) {
            continue;
        }
        // Values that are not named share what is left; those that are named and never published have no part in it.
        let named: Vec<Option<f64>> =
            domain.texts().iter().map(|text| prior.shares.get(&**text).copied()).collect();
        let left = (1.0 - prior.shares.values().sum::<f64>()).max(0.0);
        let unnamed = named.iter().filter(|share| share.is_none()).count().max(1) as f64;
        found.shares.push(named.into_iter().map(|share| share.unwrap_or(left / unnamed)).collect());
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

impl Priors {
    /// Numbers the sets of priors that speak of people.
    fn tell_apart(&mut self) {
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

/// A share of a value among people, by a rule of the original.
struct Mined {
    among: Vec<bool>,
    value: u32,
    share: f64,
}

/// The strongest rules of the original, where they are asked for.
fn mined(adversary: &Adversary<'_>, target: &Target<'_>) -> Result<Vec<Mined>, AttackError> {
    let Some(Rules { top, support }) = adversary.knowledge.rules else { return Ok(Vec::new()) };
    let needs = || {
        AttackError::Needs(
            "[rules] are of the original's people: give it, and no [people] in the knowledge file".to_owned(),
        )
    };
    let truth = adversary.truth.filter(|_| !adversary.own_table && !adversary.crowd.shared.is_empty());
    let values = truth.ok_or_else(needs)?.values.get(target.sensitive.unwrap_or(0)).ok_or_else(needs)?;
    let column = target.column().ok_or_else(needs)?;
    let (own, people) = (target.people.own_people(), target.people.people());
    // That a value is missing is no conclusion.
    let conclusions: Vec<u32> =
        (0..column.domain.len() as u32).filter(|&code| !column.domain.is_missing(code)).collect();
    let told: Vec<Option<u32>> = values.iter().take(own).copied().collect();
    let public = |own: &super::SharedColumn<'_>| -> Vec<Option<u32>> {
        own.values.iter().map(|&code| (code != UNKNOWN).then_some(code)).collect()
    };
    let columns: Vec<Vec<Option<u32>>> = adversary.crowd.shared.iter().map(public).collect();
    let rules = strongest(&columns, &told, &conclusions, top, support);
    let of = |rule: crate::rules::Rule| {
        let has = |person: usize| {
            person < own
                && columns[rule.column].get(person) == Some(&Some(rule.public))
                && told.get(person).is_some_and(Option::is_some)
        };
        Mined { among: (0..people).map(has).collect(), value: rule.value, share: rule.share }
    };
    Ok(rules.into_iter().map(of).collect())
}

/// Tells how what is exposed grows with the number of rules that are known.
pub(super) fn growth(
    adversary: &Adversary<'_>,
    found: &mut [Found],
    progress: &dyn Progress,
) -> Result<(), AttackError> {
    let Some(rules) = adversary.knowledge.rules else { return Ok(()) };
    let mut tops = vec![0];
    tops.extend((0..).map(|power| 1usize << power).take_while(|&top| top < rules.top));
    let mut counts: Vec<Vec<u64>> = vec![Vec::new(); found.len()];
    for &top in &tops {
        let knowledge =
            crate::Knowledge { rules: Some(Rules { top, ..rules }), ..adversary.knowledge.clone() };
        let own = Adversary { knowledge: &knowledge, control: None, ..adversary.clone() };
        match own.make("max-entropy", progress) {
            Ok(fewer) => {
                for (counts, own) in counts.iter_mut().zip(found.iter()) {
                    let same = fewer.iter().find(|fewer| fewer.finding.column == own.finding.column);
                    counts.extend(same.map(|own| own.finding.exposed.hits));
                }
            }
            Err(AttackError::Cancelled) => return Err(AttackError::Cancelled),
            // It is told of as many as it can be.
            Err(_) => return Ok(()),
        }
    }
    tops.push(rules.top);
    for (counts, own) in counts.iter_mut().zip(found) {
        counts.push(own.finding.exposed.hits);
        let list = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>().join(", ");
        if counts.len() == tops.len() {
            own.finding.notes.push(format!(
                "With the {} strongest rules of each kind: {} people exposed.",
                list(&mut tops.iter().map(usize::to_string)),
                list(&mut counts.iter().map(u64::to_string)),
            ));
        }
    }
    Ok(())
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
    let (Some(priors), Some(own)) = (priors(adversary, column)?, target.column()) else { return Ok(None) };
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
    let mut notes = vec![format!("People of whom something is believed beforehand: {spoken_of}.")];
    let is_nobody = |own: &&u32| {
        beliefs.distinct.get(**own as usize).is_some_and(|own| own.values.is_empty() && own.candidates > 0)
    };
    let contradicted = beliefs.of_person.iter().filter(is_nobody).count();
    if contradicted > 0 {
        notes.push(format!(
            "People to whom what is believed beforehand leaves no value that is published where they stand: {contradicted}. It cannot be \
             true of them, and nothing is concluded about them."
        ));
    }
    let (known, _) = of_known_group(target, &priors);
    let exact = weighed(target, &priors, &known, &total, FEWER_STATES, progress)?;
    let open = Open::new(target, adversary.room(), &priors);
    // In which group somebody stands who may stand in several is not told by frequencies once values have priors.
    let least = |person: u32, value: u32| match target.people.places_of(person) {
        [place] if exact.failed.contains(&place.group) => 0.0,
        _ => open.closed(target, person) * exact.beliefs.of(person).map_or(0.0, |own| own.of(value)),
    };
    let otherwise = "Not counted as exposed: {} more of whom this belief is as sure. Weighing all worlds of their group does not make as sure, \
                     or there are too many of them, or it is open who stands where.";
    let least = Least { of: Box::new(least), otherwise };
    let assumed = "how probable values are for some of them";
    let verdict = knowing(adversary, target, "bayes-optimal", assumed, beliefs, notes);
    Ok(Some(Verdict { least: Some(least), ..verdict }.found()))
}

/// Those of whom something is believed and whose group is known, and how many there are besides whose group is not. A
/// group takes as many as it has records: a table of people may hold more who fit, of whom some are not in the data.
fn of_known_group(target: &Target<'_>, priors: &Priors) -> (Vec<u32>, u64) {
    let mut left = target.release.groups.clone();
    let (mut known, mut elsewhere) = (Vec::new(), 0);
    for (person, prior) in (0..).zip(&priors.of_person) {
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
struct Open {
    /// Groups that may hold somebody of them, without it being certain that they are there.
    groups: BTreeSet<u32>,
    /// Per group the only one of them who may be there.
    only: HashMap<u32, Option<u32>>,
}

impl Open {
    fn new(target: &Target<'_>, room: Room, priors: &Priors) -> Self {
        let crowds = crowds(target);
        let without = absent(target, room, &crowds);
        let mut open = Self { groups: BTreeSet::new(), only: HashMap::new() };
        for (person, _) in (0..).zip(&priors.of_person).filter(|(_, prior)| prior.is_some()) {
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

    /// 1 where beliefs about a person are what all worlds give: where they stand in one group, and it is certain who of those of whom
    /// something is believed stands there too; 0 where not. Whoever is attacked is there.
    fn closed(&self, target: &Target<'_>, person: u32) -> f64 {
        match target.people.places_of(person) {
            [place] if !self.groups.contains(&place.group) => 1.0,
            [place] if self.only.get(&place.group) == Some(&Some(person)) => 1.0,
            _ => 0.0,
        }
    }
}

fn notes(known: &[u32], elsewhere: u64) -> Vec<String> {
    let mut notes = vec![format!("People of whom something is known beforehand: {}.", known.len())];
    if elsewhere > 0 {
        notes.push(format!(
            "Of {elsewhere} more it is not used, because they may stand in several groups; bayes-optimal uses it."
        ));
    }
    notes
}

/// Beliefs of a reasoner about staged people: those who are themselves, and those for whom another stands. People of one
/// group of whom the same is believed beforehand are believed the same afterwards.
fn beliefs_of(
    target: &Target<'_>,
    priors: &Priors,
    known: &[u32],
    staged: &Staged,
    found: &crate::worlds::Beliefs,
    reached: impl Fn(u32) -> bool,
) -> Beliefs {
    let mut stands_for: HashMap<(u32, u32), u32> = HashMap::new();
    for &person in known {
        if let [place] = target.people.places_of(person) {
            stands_for.entry((place.group, priors.set_of[person as usize])).or_insert(person);
        }
    }
    let mut beliefs = homogeneity::beliefs(target, None, &Chances::default());
    let mut shared: HashMap<u32, u32> = HashMap::new();
    for (person, &set) in (0u32..).zip(&priors.set_of) {
        let [place] = target.people.places_of(person) else { continue };
        if !reached(place.group) {
            continue;
        }
        let of_others = staged.others.get(&place.group).map(|others| others.0);
        let Some(other) = stands_for.get(&(place.group, set)).copied().or(of_others) else { continue };
        let next = beliefs.distinct.len() as u32;
        beliefs.of_person[person as usize] = *shared.entry(other).or_insert_with(|| {
            beliefs.distinct.push(Belief::of_weights(place.records, found.of(other).iter().copied()));
            next
        });
    }
    beliefs
}

/// The least committed belief under which the priors hold as shares of the people they are about (survey AT-13).
pub(super) fn max_entropy(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    column: usize,
    progress: &dyn Progress,
) -> Result<Option<Found>, AttackError> {
    let rules = mined(adversary, target)?;
    let has_rules = adversary.knowledge.rules.is_some();
    let stated = match adversary.knowledge.priors.is_empty() && has_rules {
        true => None,
        false => priors(adversary, column)?,
    };
    let mut priors = match stated {
        Some(priors) => priors,
        None if has_rules => Priors {
            of_person: vec![None; adversary.suspects.people()],
            set_of: Vec::new(),
            among: Vec::new(),
            shares: Vec::new(),
        },
        None => return Ok(None),
    };
    let priors_stated = priors.among.len();
    for rule in &rules {
        priors.among.push(rule.among.clone());
        let number = priors.among.len() as u32 - 1;
        for (own, _) in priors.of_person.iter_mut().zip(&rule.among).filter(|(_, among)| **among) {
            own.get_or_insert(number);
        }
    }
    priors.tell_apart();
    let (known, elsewhere) = of_known_group(target, &priors);
    not_too_many(&known)?;
    let staged = staged(target, &known)?;
    let own = target.column().map_or(&[][..], |own| own.domain.texts());
    let mut constraints = Vec::new();
    let mine = adversary
        .knowledge
        .priors
        .iter()
        .filter(|prior| is_about(adversary, column, prior.column.as_deref()));
    // Who is spoken of by several is one of the people of each.
    let mut not_used = 0u64;
    let people_of = |among: &[bool]| {
        let people: Vec<u32> =
            known.iter().copied().filter(|&person| among.get(person as usize) == Some(&true)).collect();
        // A share among some says nothing of a part of them.
        let all = among.iter().take(target.people.own_people()).filter(|among| **among).count();
        let known = people.iter().filter(|&&person| (person as usize) < target.people.own_people()).count();
        (known >= all).then_some(people)
    };
    for (prior, among) in mine.zip(&priors.among) {
        let Some(people) = people_of(among) else {
            not_used += 1;
            continue;
        };
        for (value, text) in (0..).zip(own) {
            if let Some(&share) = prior.shares.get(&**text) {
                constraints.push(Constraint::share(&people, value, Relation::Equal, share));
            }
        }
    }
    let mut rules_not_used = 0u64;
    for (rule, among) in rules.iter().zip(&priors.among[priors_stated..]) {
        match people_of(among) {
            Some(people) => {
                constraints.push(Constraint::share(&people, rule.value, Relation::Equal, rule.share));
            }
            None => rules_not_used += 1,
        }
    }
    let mut reasoner = MaxEnt { constraints, tolerance: 1e-6, rounds: 20_000 };
    let view = View { qi: &[], qi_domains: &[], groups: staged.buckets.list() };
    let mut notes = notes(&known, elsewhere);
    if not_used > 0 {
        notes.push(format!(
            "Priors that are not used, because some of the people they are about may stand elsewhere or not be in the data: {not_used}."
        ));
    }
    if has_rules {
        notes.push(format!("Rules of the original that are known: {}.", rules.len() as u64 - rules_not_used));
    }
    if rules_not_used > 0 {
        notes.push(format!(
            "Rules that are not used, because some of the people they are about may stand elsewhere or not be in the release: \
             {rules_not_used}."
        ));
    }
    let found = match reasoner.beliefs(&view, progress) {
        // Where what is believed leaves no room, the belief is approached ever more slowly. It is near enough.
        Err(ReasonerError::NotConverged { off, .. }) if off <= NEAR => {
            notes.push(format!(
                "What is believed beforehand leaves hardly any room within the release: it was reached up to {off:.0e} people."
            ));
            reasoner.tolerance = (off * 1.001).max(reasoner.tolerance);
            reasoner.beliefs(&view, progress)?
        }
        found => found?,
    };
    let beliefs = beliefs_of(target, &priors, &known, &staged, &found, |_| true);
    let assumed = "shares of values among some of them";
    let open = Open::new(target, adversary.room(), &priors);
    let verdict = knowing(adversary, target, "max-entropy", assumed, beliefs, notes);
    // The belief is found up to a tolerance; who is as sure up to it counts.
    let verdict = Verdict { confidence: verdict.confidence - 2.0 * reasoner.tolerance, ..verdict };
    Ok(Some(
        Verdict { least: Some(Least::wherever(|person, _| open.closed(target, person))), ..verdict }.found(),
    ))
}

/// Independent people (survey AT-11): everybody's value follows a prior by itself, and the group only tells which values
/// its people have between them. Exact, where bayes-optimal has a closed form that takes a group for large.
pub(super) fn independence(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    column: usize,
    progress: &dyn Progress,
) -> Result<Option<Found>, AttackError> {
    let (Some(priors), Some(own)) = (priors(adversary, column)?, target.column()) else { return Ok(None) };
    let (known, elsewhere) = of_known_group(target, &priors);
    not_too_many(&known)?;
    // Of whom nothing is believed, what the release shows of everybody is.
    let total: Vec<f64> =
        own.histograms.total(own.domain.len()).into_iter().map(|count| count as f64).collect();
    let Weighed { beliefs, left_out, contradicted, reached, .. } =
        weighed(target, &priors, &known, &total, MOST_STATES, progress)?;
    if reached == 0 && contradicted > 0 && left_out == 0 {
        return Err(ReasonerError::Worlds(WorldsError::Conflict).into());
    }
    if reached == 0 && left_out > 0 {
        return Err(AttackError::TooLarge(
            "every group with people of whom something is believed is too large to sum over its worlds"
                .to_owned(),
        ));
    }
    let mut notes = notes(&known, elsewhere);
    if left_out > 0 {
        notes.push(format!(
            "Groups that are too large for it, and count by their frequencies alone: {left_out}."
        ));
    }
    if contradicted > 0 {
        notes.push(format!(
            "Groups in which what is believed cannot be true, and which count by their frequencies alone: {contradicted}."
        ));
    }
    let assumed = "how probable values are for each of them, independently of all others";
    let open = Open::new(target, adversary.room(), &priors);
    let verdict = knowing(adversary, target, "independence", assumed, beliefs, notes);
    Ok(Some(
        Verdict { least: Some(Least::wherever(|person, _| open.closed(target, person))), ..verdict }.found(),
    ))
}

/// What weighing all worlds of each group gives, everybody's value following a prior by itself.
struct Weighed {
    /// Of those who are in a group with somebody of whom something is believed; of others the frequencies within their group.
    beliefs: Beliefs,
    /// Groups whose worlds were not weighed: too many of them, or none in which what is believed is true.
    failed: BTreeSet<u32>,
    /// How many groups were weighed, have too many worlds, and contradict what is believed.
    reached: usize,
    left_out: u64,
    contradicted: u64,
}

fn weighed(
    target: &Target<'_>,
    priors: &Priors,
    known: &[u32],
    total: &[f64],
    states_at_most: usize,
    progress: &dyn Progress,
) -> Result<Weighed, AttackError> {
    let staged = staged(target, known)?;
    let prior = |person: u32, value: u32| {
        let number = priors.of_person.get(person as usize).copied().flatten();
        let row = number.map_or(total, |number| &priors.shares[number as usize]);
        row.get(value as usize).copied().unwrap_or(0.0)
    };
    // Only groups with somebody of whom something is believed differ from the frequencies within them.
    let groups: BTreeSet<u32> = known
        .iter()
        .flat_map(|&person| target.people.places_of(person).iter().map(|place| place.group))
        .collect();
    let reasoner = Independence { prior, states_at_most };
    let mut found = crate::worlds::Beliefs::default();
    let (mut failed, mut left_out, mut contradicted): (BTreeSet<u32>, u64, u64) = (BTreeSet::new(), 0, 0);
    let buckets: Vec<(u32, &Bucket)> =
        (0..).zip(staged.buckets.list()).filter(|(group, _)| groups.contains(group)).collect();
    let each: Vec<(u32, Result<_, ReasonerError>)> = buckets
        .into_par_iter()
        .map(|(group, bucket)| {
            let view = View { qi: &[], qi_domains: &[], groups: std::slice::from_ref(bucket) };
            (group, reasoner.beliefs(&view, progress))
        })
        .collect();
    for (group, own) in each {
        match own {
            Ok(own) => {
                for &person in own.people() {
                    let number = found.add(own.of(person).iter().copied());
                    found.about(person, number);
                }
                continue;
            }
            Err(ReasonerError::TooLarge { .. }) => left_out += 1,
            // What is believed cannot be true here; that says nothing of other groups.
            Err(ReasonerError::Worlds(WorldsError::Conflict)) => contradicted += 1,
            Err(error) => return Err(error.into()),
        }
        failed.insert(group);
    }
    let reached = groups.len() - failed.len();
    let is_reached = |group: u32| groups.contains(&group) && !failed.contains(&group);
    let beliefs = beliefs_of(target, priors, known, &staged, &found, is_reached);
    Ok(Weighed { beliefs, failed, reached, left_out, contradicted })
}

fn not_too_many(known: &[u32]) -> Result<(), AttackError> {
    match known.len() > MOST_KNOWN {
        true => Err(AttackError::TooLarge(format!("the priors are about more than {MOST_KNOWN} people"))),
        false => Ok(()),
    }
}

/// All groups, with those who are known in their own.
fn staged(target: &Target<'_>, known: &[u32]) -> Result<Staged, AttackError> {
    let placed: Vec<(u32, u32)> = known
        .iter()
        .filter_map(|&person| Some((person, target.people.places_of(person).first()?.group)))
        .collect();
    stage(target, &placed, 0..target.release.groups.len() as u32)
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
