//! The least committed belief under which what is known in numbers holds (survey AT-13).
//!
//! Besides what the knowledge file says of shares it takes the strongest association rules of the original for known, where the file asks
//! for them: what is true is used there to say how much somebody is taken to know, as the file could, and not to conclude anything.

use privet_data::Progress;

use super::Adversary;
use super::knowing::{absent, crowds, is_about, knowing};
use super::priors::{
    Open, Priors, beliefs_of, by_code, not_too_many, notes, of_known_group, priors, staged, unpublished,
};
use super::standing::{Records, Standing};
use crate::attacks::{AttackWord, Role};
use crate::chances::Chances;
use crate::finding::{AttackError, Found, Least, Verdict, whichever_group};
use crate::homogeneity;
use crate::knowledge::Rules;
use crate::link::UNKNOWN;
use crate::note::Note;
use crate::reasoners::{Constraint, MaxEnt, Reasoner, ReasonerError, Relation, View};
use crate::room::Room;
use crate::rules::strongest;
use crate::target::Target;

/// The word of the attack in files.
pub const MAX_ENTROPY: &str = "max-entropy";

/// What it is.
pub(crate) const ABOUT_MAX_ENTROPY: AttackWord = AttackWord {
    word: MAX_ENTROPY,
    title: "Most even guess (maximum entropy)",
    sentence: "The adversary assumes nothing beyond what is published and known, and among all explanations that fit takes the one that favours nobody.",
    about: "the least committed belief that fits all that is known",
    needs: Some("priors or rules"),
    quick: false,
    role: Role::Counts,
};

/// How far, in people, shares may be missed where there is hardly any room to keep them.
const NEAR: f64 = 1e-3;

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
        match own.make(MAX_ENTROPY, progress) {
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
            own.finding.notes.push(Note::of_original(format!(
                "With the {} strongest rules of each kind: {} people exposed.",
                list(&mut tops.iter().map(usize::to_string)),
                list(&mut counts.iter().map(u64::to_string)),
            )));
        }
    }
    Ok(())
}

/// Of a group how many of those who may stand there are not in the data, where that is known and nobody of them may stand elsewhere.
fn beyond<'t>(target: &'t Target<'_>, standing: &Standing, crowds: &'t [u64]) -> impl Fn(u32) -> u64 + 't {
    let is_known = standing.room == Room::Filled && standing.records == Records::OfGroups;
    let mut elsewhere = vec![!is_known; target.release.groups.len()];
    for &profile in target.people.profile_of.iter().take(target.people.own_people()) {
        if let places @ [_, _, ..] = target.people.places(profile) {
            places.iter().for_each(|place| elsewhere[place.group as usize] = true);
        }
    }
    let without = absent(target, standing.room, crowds);
    move |group: u32| if elsewhere.get(group as usize) == Some(&false) { without(group) } else { 0 }
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
        false => priors(adversary, column, |_| true)?,
    };
    let mut priors = match stated {
        Some(priors) => priors,
        None if has_rules => {
            Priors { of_person: vec![None; adversary.suspects.people()], ..Priors::default() }
        }
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
    let (standing, crowds) = (adversary.standing(), crowds(target));
    let beyond = beyond(target, &standing, &crowds);
    let (known, elsewhere) = of_known_group(target, &priors, &beyond);
    not_too_many(&known)?;
    let staged = staged(target, &known, &beyond)?;
    let values = target.column().map(|own| &own.domain);
    let mut constraints = Vec::new();
    let mine = adversary
        .knowledge
        .priors
        .iter()
        .filter(|prior| is_about(adversary, column, prior.column.as_deref()));
    let is_beyond = |person: u32| target.people.places_of(person).iter().any(|place| beyond(place.group) > 0);
    let absent = values.map_or(0, |own| own.len()) as u32;
    // What is said of a share holds of all whom it is about, in the data or not: who is not may have the value besides.
    let say =
        |constraints: &mut Vec<Constraint>, people: &[u32], value: u32, relation: Relation, share: f64| {
            let own = Constraint::share(people, value, relation, share);
            let absent: Vec<(u32, u32)> =
                people.iter().filter(|&&person| is_beyond(person)).map(|&person| (person, absent)).collect();
            if absent.is_empty() {
                return constraints.push(own);
            }
            if relation != Relation::AtMost {
                let cells = own.cells.iter().copied().chain(absent).collect();
                constraints.push(Constraint { cells, relation: Relation::AtLeast, bound: own.bound });
            }
            if relation != Relation::AtLeast {
                constraints.push(Constraint { relation: Relation::AtMost, ..own });
            }
        };
    // Who is spoken of by several is one of the people of each.
    let mut not_used = 0u64;
    let people_of = |among: &[bool]| {
        let people: Vec<u32> =
            known.iter().copied().filter(|&person| among.get(person as usize) == Some(&true)).collect();
        // A share among some says nothing of a part of them.
        let all = among.iter().take(target.people.own_people()).filter(|among| **among).count();
        (people.len() >= all).then_some(people)
    };
    for (prior, among) in mine.zip(&priors.among) {
        let Some(people) = people_of(among) else {
            not_used += 1;
            continue;
        };
        let said = [
            (&prior.shares, Relation::Equal),
            (&prior.at_least, Relation::AtLeast),
            (&prior.at_most, Relation::AtMost),
        ];
        for (shares, relation) in said {
            let of_values = values.map(|domain| by_code(domain, shares)).unwrap_or_default();
            for (value, share) in (0..).zip(of_values) {
                if let Some(share) = share {
                    say(&mut constraints, &people, value, relation, share);
                }
            }
        }
    }
    let mut rules_not_used = 0u64;
    for (rule, among) in rules.iter().zip(&priors.among[priors_stated..]) {
        match people_of(among) {
            Some(people) => {
                say(&mut constraints, &people, rule.value, Relation::Equal, rule.share);
            }
            None => rules_not_used += 1,
        }
    }
    let mut reasoner = MaxEnt { constraints, tolerance: 1e-6, rounds: 20_000 };
    let view = View { qi: &[], qi_domains: &[], groups: staged.buckets.list() };
    let mut notes = notes(known.len(), elsewhere);
    notes.extend(unpublished(adversary, column));
    if not_used > 0 {
        notes.push(Note::of_original(format!(
            "Priors that are not used, because some of the people they are about may stand elsewhere or not be in the data: {not_used}."
        )));
    }
    if has_rules {
        notes.push(Note::of_original(format!(
            "Rules of the original that are known: {}.",
            rules.len() as u64 - rules_not_used
        )));
    }
    if rules_not_used > 0 {
        notes.push(Note::of_original(format!(
            "Rules that are not used, because some of the people they are about may stand elsewhere or not be in the release: \
             {rules_not_used}."
        )));
    }
    let found = match reasoner.beliefs(&view, progress) {
        // Where what is believed leaves no room, the belief is approached ever more slowly. It is near enough.
        Err(ReasonerError::NotConverged { off, .. }) if off <= NEAR => {
            notes.push(Note::of_knowledge(format!(
                "What is believed beforehand leaves hardly any room within the release: it was reached up to {off:.0e} people."
            )));
            reasoner.tolerance = (off * 1.001).max(reasoner.tolerance);
            reasoner.beliefs(&view, progress)?
        }
        found => found?,
    };
    let mut beliefs = homogeneity::beliefs(target, None, &Chances::default());
    beliefs_of(target, &priors, &known, &staged, &found, &mut beliefs, |_, _| true);
    let assumed = "shares of values among some of them";
    let open = Open::new(target, standing.room, &priors);
    // Where it is open who stands in a group, one is sure of what everybody has wherever somebody may stand.
    let least = |person: u32, value: u32| match open.closed(target, person) || is_beyond(person) {
        true => 1.0,
        false => whichever_group(target, None, person, value).floor(),
    };
    let verdict = knowing(adversary, target, MAX_ENTROPY, assumed, beliefs, notes);
    // The belief is found up to a tolerance; who is as sure up to it counts.
    let verdict = Verdict { confidence: verdict.confidence - 2.0 * reasoner.tolerance, ..verdict };
    Ok(Some(Verdict { least: Some(Least::wherever(least)), ..verdict }.found()))
}
