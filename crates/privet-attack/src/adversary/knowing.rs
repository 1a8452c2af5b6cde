//! Attacks by somebody who knows something about people: values, negations and Boolean statements (survey AT-03, AT-04).

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;

use super::Adversary;
use super::seats::{Left, Seats};
use super::skipped::{Fact, Usable};
use super::stage::stage;
use super::standing::Standing;
use crate::attacks::{AttackWord, Role};
use crate::chances::Chances;
use crate::finding::{AttackError, Belief, Beliefs, Found, Least, Verdict, Whom};
use crate::homogeneity;
use crate::knowledge::Statement as Said;
use crate::note::Note;
use crate::room::Room;
use crate::target::{Place, Suspects, Target};
use crate::worlds::{Statement, WorldsError, parse_statement, posterior};

/// The word of the attack in files.
pub const BACKGROUND_KNOWLEDGE: &str = "background-knowledge";

/// What it is.
pub(crate) const ABOUT_BACKGROUND_KNOWLEDGE: AttackWord = AttackWord {
    word: BACKGROUND_KNOWLEDGE,
    title: "Background knowledge",
    sentence: "The adversary knows some sensitive values that a person does not have, rules them out, and looks what is left.",
    about: "values of some people are known or excluded",
    needs: Some("records, negations or statements"),
    quick: false,
    role: Role::Counts,
};

/// Partial worlds that are gone through at most.
const MOST_WORLDS: u64 = 2_000_000;
/// Ways to place those who are spoken of that are gone through at most.
const MOST_PLACEMENTS: u64 = 2_000;

impl From<WorldsError> for AttackError {
    fn from(error: WorldsError) -> Self {
        match error {
            WorldsError::Cancelled(_) => Self::Cancelled,
            WorldsError::TooMany { .. } => Self::TooLarge(error.to_string()),
            WorldsError::Conflict => Self::Impossible(error.to_string()),
            other => Self::Contradiction(other.to_string()),
        }
    }
}

/// Whether a part of the knowledge is about this column.
pub(super) fn is_about(adversary: &Adversary<'_>, column: usize, named: Option<&str>) -> bool {
    match named {
        Some(name) => adversary.release.sensitive[column].name == name,
        None => column == 0,
    }
}

/// Knowledge about a column that is not there is a mistake, not nothing.
pub(super) fn check_columns(adversary: &Adversary<'_>) -> Result<(), AttackError> {
    let knowledge = adversary.knowledge;
    let stated = knowledge.statements.iter().filter_map(|said| match said {
        Said::Plain(_) => None,
        Said::Of { column, .. } => Some(("statements", column)),
    });
    let named = (knowledge.records.iter().filter_map(|own| Some(("records", own.column.as_ref()?))))
        .chain(knowledge.negations.iter().filter_map(|own| Some(("negations", own.column.as_ref()?))))
        .chain(knowledge.priors.iter().filter_map(|own| Some(("priors", own.column.as_ref()?))))
        .chain(stated);
    let is_there = |name: &String| adversary.release.sensitive.iter().any(|own| own.name == *name);
    match named.into_iter().find(|(_, name)| !is_there(name)) {
        Some((part, _)) => {
            let accepted: Vec<String> =
                adversary.release.sensitive.iter().map(|own| format!("`{}`", own.name)).collect();
            Err(AttackError::Knowledge(format!(
                "`{part}` names a column that is no sensitive column of the release; accepted {}",
                match accepted.is_empty() {
                    true => "is none, for it has no sensitive column".to_owned(),
                    false => format!("are {}", accepted.join(", ")),
                }
            )))
        }
        None => Ok(()),
    }
}

/// Whether all that is known can be understood: columns and people that there are, statements that can be read.
///
/// # Errors
/// When it cannot, with the place and without what stands there.
pub(super) fn check(adversary: &Adversary<'_>) -> Result<(), AttackError> {
    check_columns(adversary)?;
    let is_value = |text: &String| {
        (adversary.release.sensitive.iter().enumerate())
            .any(|(column, own)| own.domain.code_of(text).is_some() || (adversary.is_value)(column, text))
    };
    if let Some(at) = adversary.knowledge.strength.values.keys().position(|text| !is_value(text)) {
        return Err(AttackError::Knowledge(format!(
            "`values` under [strength], the {}. of them by name, is a value that no sensitive column of the release has",
            at + 1
        )));
    }
    for column in 0..adversary.release.sensitive.len() {
        // What contradicts the release is told by the attacks that use it.
        if let Err(error @ AttackError::Knowledge(_)) = facts(adversary, column) {
            return Err(error);
        }
    }
    Ok(())
}

/// What is known about values of the column, as statements; and how many of the values that statements name nobody is published
/// with.
fn facts(adversary: &Adversary<'_>, column: usize) -> Result<(Vec<Fact>, u64), AttackError> {
    check_columns(adversary)?;
    let knowledge = adversary.knowledge;
    let domain = &adversary.release.sensitive[column].domain;
    let finder = domain.finder();
    let value = |text: &str| finder.code(text);
    // Values that nobody is published with have codes from the last one down, each its own.
    let others = RefCell::new(Vec::<String>::new());
    let unpublished = |text: &str| {
        let mut others = others.borrow_mut();
        let at = others.iter().position(|own| own == text).unwrap_or_else(|| {
            others.push(text.to_owned());
            others.len() - 1
        });
        u32::MAX - at as u32
    };
    let nobody = |part: &str, number: usize| {
        AttackError::Knowledge(format!(
            "{}, is about a person who is not among the people, or not the only one of that name; people \
             are called by the column that `name` under [people] names, or else by the number of their record, from 1, in \
             that table or in the original",
            knowledge.lines.place(part, number)
        ))
    };
    let mut statements = Vec::new();
    let mut of_nobody = 0;
    for (number, known) in knowledge.records.iter().enumerate() {
        if !is_about(adversary, column, known.column.as_deref()) {
            continue;
        }
        let person = (adversary.person)(&known.person).ok_or_else(|| nobody("records", number))?;
        // Whoever has a value that nobody is published with is not published.
        let value = value(&known.value).unwrap_or_else(|| unpublished(&known.value));
        let says = Statement::Has { person, value };
        statements.push(Fact { says, place: knowledge.lines.place("records", number) });
    }
    for (number, known) in knowledge.negations.iter().enumerate() {
        if !is_about(adversary, column, known.column.as_deref()) {
            continue;
        }
        let person = (adversary.person)(&known.person).ok_or_else(|| nobody("negations", number))?;
        // A value that is not published is not had by anybody: to deny it says nothing.
        let denied = known.not.iter().filter_map(|text| value(text));
        statements.extend(denied.map(|value| Fact {
            says: Statement::Not(Box::new(Statement::Has { person, value })),
            place: knowledge.lines.place("negations", number),
        }));
    }
    for (number, said) in knowledge.statements.iter().enumerate() {
        let (named, text) = match said {
            Said::Plain(text) => (None, text),
            Said::Of { column, says } => (Some(column.as_str()), says),
        };
        if is_about(adversary, column, named) {
            // Whoever is published has no value that is not, so that to say so is false of them. An adversary may speak of values
            // that there are not.
            let others = Cell::new(0);
            let value = |text: &str| {
                let known = value(text);
                others.set(others.get() + u64::from(known.is_none()));
                Some(known.unwrap_or_else(|| unpublished(text)))
            };
            let says = parse_statement(text, adversary.person, &value);
            of_nobody += others.get();
            let says = says.map_err(|error| {
                AttackError::Knowledge(format!(
                    "{}, {error}; a statement is such as `Fox = \"Flu\" -> Ann = \"Flu\"`, of people, \
                     values of the column, `=`, `!=`, `not`, `and`, `or`, `->` and parentheses",
                    knowledge.lines.place("statements", number)
                ))
            })?;
            statements.push(Fact { says, place: knowledge.lines.place("statements", number) });
        }
    }
    Ok((statements, of_nobody))
}

/// People whose values are known or excluded (survey AT-03, AT-04): random worlds in which all of it is true.
///
/// Somebody who is spoken of and may stand in several groups is put into each in turn, and nowhere where the list of people is not
/// certain to be in the data (`room.rs`). Given where they stand, the others are left where they then have room (`seats.rs`), and
/// beliefs are what going through all worlds gives. A way to place them is as probable as there are worlds that complete it, times the
/// chance that the knowledge is then true. Where these are too many to be counted, it is taken for as probable as it has records for
/// them; what is shown is then the mixture, and who counts is sure in every one of them.
pub(super) fn background(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    column: usize,
    progress: &dyn Progress,
) -> Result<Option<Found>, AttackError> {
    let (facts, of_nobody) = facts(adversary, column)?;
    if facts.is_empty() {
        if adversary.knowledge.records.is_empty()
            && adversary.knowledge.negations.is_empty()
            && adversary.knowledge.statements.is_empty()
        {
            return Err(AttackError::Needs(
                "it needs [[records]], [[negations]] or statements in the knowledge file".to_owned(),
            ));
        }
        return Ok(None);
    }
    let all: Vec<Statement> = facts.iter().map(|fact| fact.says.clone()).collect();
    let values = stated(&all);
    let published = target.column().map_or(0, |column| column.domain.len() as u32);
    // Who has a value that nobody is published with is nowhere, and makes room for others.
    let is_suppressed = |person: u32| values.get(&person).is_some_and(|&value| value >= published);
    // Not where values were replaced: there it may have been theirs.
    let manifest = target.release.manifest.as_ref();
    let is_distorted = manifest.is_some_and(|manifest| manifest.data.distorted.is_some());
    let is_unclear = |fact: &&Fact| {
        let mut any = false;
        fact.says.people(&mut |person| any |= is_suppressed(person));
        is_distorted && any
    };
    if let Some(fact) = facts.iter().find(is_unclear) {
        return Err(AttackError::Contradiction(format!(
            "{} is about somebody who has a value that is not published, and some values were replaced by others, so that nothing tells \
             whether the record is; leave the fact out",
            fact.place
        )));
    }
    let suspects = target.people.without(is_suppressed);
    let is_nowhere = |person: u32| suspects.places_of(person).is_empty();
    let usable = Usable::of(facts, is_nowhere, &values)?;
    let adversary = &Adversary { suspects: &suspects, ..adversary.clone() };
    let target = &Target { people: &suspects, ..*target };
    if usable.facts.is_empty() {
        let note = usable.note().map_or(String::new(), |note| note.text);
        return Err(AttackError::OfNobody(format!(
            "nothing that is known is about anybody who is published. {note}"
        )));
    }
    let known: Vec<Statement> = usable.facts.iter().map(|fact| fact.says.clone()).collect();
    let spoken_of = spoken_of(&known);
    let chances = adversary.chances();
    let standing = adversary.standing();
    let found = mixed(target, &standing, &known, &spoken_of, progress)
        .map_err(|error| told_where(error, target, &standing, &usable.facts, progress))?;
    let mut beliefs = homogeneity::beliefs(target, None, &chances);
    for (&person, at) in spoken_of.iter().zip(0..) {
        let candidates = target.people.places_of(person).iter().map(|place| place.records).sum();
        beliefs.of_person[person as usize] = beliefs.distinct.len() as u32;
        beliefs.distinct.push(Belief::of_weights(candidates, found.of_spoken(at).into_iter()));
    }
    let others = others_beliefs(target, &found);
    let first = beliefs.distinct.len() as u32;
    let number_of: HashMap<u32, u32> =
        others.iter().zip(first..).map(|((profile, _), number)| (*profile, number)).collect();
    beliefs.distinct.extend(others.into_iter().map(|(_, belief)| belief));
    for (person, &profile) in (0..).zip(&target.people.profile_of) {
        if let Some(&number) = number_of.get(&profile)
            && spoken_of.binary_search(&person).is_err()
        {
            beliefs.of_person[person as usize] = number;
        }
    }
    let mut notes = vec![Note::of_knowledge(format!(
        "Statements that are known: {}, about {} people.",
        known.len(),
        spoken_of.len()
    ))];
    notes.extend(usable.note());
    let stated: Vec<u32> = values.into_keys().collect();
    if !stated.is_empty() {
        notes.push(Note::of_knowledge(format!(
            "People who are left out, because the knowledge itself says what they have: {}.",
            stated.len()
        )));
    }
    let unpublished = unpublished(adversary, column);
    if unpublished > 0 {
        notes.push(Note::of_knowledge(format!(
            "Denied values that nobody is published with, so that denying them tells nothing: {unpublished}."
        )));
    }
    if of_nobody > 0 {
        notes.push(Note::of_original(format!(
            "Values in statements that nobody is published with, so that nobody has them: {of_nobody}."
        )));
    }
    if let Some((all, left)) = found.worlds {
        notes.push(Note::of_release(format!(
            "Of {all} possible assignments in the groups of these people, {left} remain."
        )));
    }
    if found.placements > 1 {
        notes.push(Note::of_release(format!(
            "Some who are spoken of may stand in several groups, or in none: {} ways to place them were weighed.",
            found.placements
        )));
    }
    if !found.open.is_empty() {
        notes.push(Note::of_release(format!(
            "Groups that more people fit than they have records, so that nobody of them counts: {}.",
            found.open.len()
        )));
    }
    let alone = homogeneity::attack_by(target, adversary.confidence, None, &chances);
    let alone = alone.and_then(|own| own.conclusions);
    let alone = alone.map_or(0, |own| {
        let counts = |person: u32| stated.binary_search(&person).is_err();
        (0..).zip(&own.fate).filter(|(person, fate)| fate.is_exposed() && counts(*person)).count()
    });
    notes.push(Note::of_original(format!("Without that knowledge {alone} people are exposed.")));
    let assumed = "what the knowledge file says about some of them";
    // Whether what is believed of somebody is what all worlds give.
    let is_counted = homogeneity::is_counted(target.people, &chances);
    let is_counted = |person: u32| {
        let Some(&profile) = target.people.profile_of.get(person as usize) else { return false };
        let is_spoken_of = spoken_of.binary_search(&person).is_ok();
        match is_spoken_of || number_of.contains_key(&profile) {
            true => found.is_counted && (is_spoken_of || found.counts(target.people, profile)),
            false => is_counted(person),
        }
    };
    let least = |person: u32, value: u32| match is_counted(person) {
        true => 1.0,
        false => found.least(target, &spoken_of, person, value),
    };
    Ok(Some(
        Verdict {
            stated,
            least: Some(Least::wherever(least)),
            ..knowing(adversary, target, BACKGROUND_KNOWLEDGE, assumed, beliefs, notes)
        }
        .found(),
    ))
}

fn spoken_of(known: &[Statement]) -> Vec<u32> {
    let mut spoken_of = Vec::new();
    for statement in known {
        statement.people(&mut |person| spoken_of.push(person));
    }
    spoken_of.sort_unstable();
    spoken_of.dedup();
    spoken_of
}

/// Why facts cannot be used together, with the first of them that cannot be used beside those before it: what is too much, or cannot
/// be true, stays so with more facts.
fn told_where(
    error: AttackError,
    target: &Target<'_>,
    standing: &Standing,
    facts: &[Fact],
    progress: &dyn Progress,
) -> AttackError {
    let fails = |many: usize| {
        let known: Vec<Statement> = facts.iter().take(many).map(|fact| fact.says.clone()).collect();
        mixed(target, standing, &known, &spoken_of(&known), progress).is_err()
    };
    let tell = |problem: String| {
        let (mut fits, mut fails_with) = (0, facts.len());
        while fails_with - fits > 1 && !progress.cancelled() {
            let middle = fits + (fails_with - fits) / 2;
            if fails(middle) { fails_with = middle } else { fits = middle }
        }
        let place = facts.get(fails_with - 1).map_or("", |fact| fact.place.as_str());
        format!("{problem}. The first fact that stands in the way is {place}")
    };
    match error {
        AttackError::Contradiction(problem) => AttackError::Contradiction(tell(problem)),
        AttackError::Impossible(problem) => AttackError::Impossible(tell(problem)),
        AttackError::TooLarge(problem) => AttackError::TooLarge(tell(problem)),
        other => other,
    }
}

/// How many of the values that `negations` deny the column does not have.
fn unpublished(adversary: &Adversary<'_>, column: usize) -> usize {
    let domain = &adversary.release.sensitive[column].domain;
    let own =
        adversary.knowledge.negations.iter().filter(|own| is_about(adversary, column, own.column.as_deref()));
    own.flat_map(|own| &own.not).filter(|text| domain.code_of(text).is_none()).count()
}

/// Who has which value by what is said alone, without a look at the release: what is stated, and what follows from it step
/// by step. Nobody learns that from a release.
fn stated(known: &[Statement]) -> BTreeMap<u32, u32> {
    let mut facts: BTreeMap<u32, u32> = BTreeMap::new();
    let mut open: Vec<&Statement> = known.iter().collect();
    loop {
        let before = (open.len(), facts.len());
        let mut left = Vec::new();
        while let Some(statement) = open.pop() {
            let value_of = |person: u32| facts.get(&person).copied();
            match statement {
                Statement::Has { person, value } => {
                    facts.insert(*person, *value);
                }
                Statement::And(parts) => open.extend(parts),
                Statement::Implies(when, then) if when.holds(&value_of) == Some(true) => open.push(then),
                Statement::Or(parts) => {
                    let mut may = parts.iter().filter(|part| part.holds(&value_of) != Some(false));
                    match (may.next(), may.next()) {
                        (Some(only), None) => open.push(only),
                        _ => left.push(statement),
                    }
                }
                other => left.push(other),
            }
        }
        open = left;
        if (open.len(), facts.len()) == before {
            return facts;
        }
    }
}

/// Values with their chances.
type Shares = Vec<(u32, f64)>;

/// What is believed when those who are spoken of stand in one way.
struct Placed {
    /// The share of this way in the mixture.
    weight: f64,
    /// Per person who is spoken of the values with their chances; none for somebody who is nowhere.
    spoken: Vec<Shares>,
    /// Per group that may hold one of them what its other records hold, and how many of its records these are.
    others: BTreeMap<u32, (u64, Shares)>,
    /// Per place of the profiles whether one of the others may stand there; none where they may in all.
    left: Option<Vec<bool>>,
    /// In how many worlds they do, where that was counted.
    chances: Option<Chances>,
}

impl Placed {
    /// Whether one of the others may stand in a place of the profiles.
    fn leaves(&self, at: usize) -> bool {
        self.left.as_ref().and_then(|left| left.get(at)).is_none_or(|own| *own)
    }
}

/// The places of a profile, by their position among those of all.
fn numbered(people: &Suspects, profile: u32) -> impl Iterator<Item = (usize, &Place)> {
    let first = people.starts.get(profile as usize).copied().unwrap_or(0);
    (first..).zip(people.places(profile))
}

/// What is believed when those who are spoken of are placed in every way.
struct Mixed {
    all: Vec<Placed>,
    /// Groups that may hold somebody who is spoken of.
    groups: BTreeSet<u32>,
    /// Of these, those in which it is open who is there at all, in more ways than were gone through.
    open: BTreeSet<u32>,
    /// Worlds and those that are left, where there is one way to place people.
    worlds: Option<(u128, u128)>,
    placements: u64,
    /// Whether the worlds that complete each way were counted.
    is_counted: bool,
}

impl Mixed {
    /// The weights of values of somebody who is spoken of.
    fn of_spoken(&self, at: usize) -> BTreeMap<u32, f64> {
        let mut sums = BTreeMap::new();
        for own in &self.all {
            for &(value, chance) in own.spoken.get(at).into_iter().flatten() {
                *sums.entry(value).or_default() += own.weight * chance;
            }
        }
        sums
    }

    /// Whether it was counted where people with a profile stand; of others who are attacked beside the list it is not.
    fn counts(&self, people: &Suspects, profile: u32) -> bool {
        let is_counted = |own: &Placed| {
            own.chances.as_ref().is_some_and(|chances| chances.of_profile(people, profile).is_some())
        };
        self.all.iter().all(is_counted)
    }

    /// How sure of a value of a person one is at least.
    fn least(&self, target: &Target<'_>, spoken_of: &[u32], person: u32, value: u32) -> f64 {
        let places = target.people.places_of(person);
        if places.iter().any(|place| self.open.contains(&place.group)) {
            return 0.0;
        }
        let chance = |shares: &Shares| shares.iter().find(|own| own.0 == value).map_or(0.0, |own| own.1);
        let least = |all: &mut dyn Iterator<Item = f64>| all.reduce(f64::min);
        if let Ok(at) = spoken_of.binary_search(&person) {
            let own = self.all.iter().filter_map(|own| own.spoken.get(at));
            return least(&mut own.filter(|own| !own.is_empty()).map(chance)).unwrap_or(0.0);
        }
        let of_place = |(at, place): (usize, &Place)| {
            let mut all = self.all.iter().filter(|own| own.leaves(at));
            match self.groups.contains(&place.group) {
                true => least(&mut all.filter_map(|own| Some(chance(&own.others.get(&place.group)?.1)))),
                false => {
                    all.next()?;
                    let cells = target.column().map_or(&[][..], |column| column.histograms.of(place.group));
                    let own = cells.iter().find(|cell| cell.0 == value).map_or(0, |cell| cell.1);
                    Some(own as f64 / size_of(target, place.group))
                }
            }
        };
        let Some(&profile) = target.people.profile_of.get(person as usize) else { return 0.0 };
        least(&mut numbered(target.people, profile).filter_map(of_place)).unwrap_or(0.0)
    }
}

fn size_of(target: &Target<'_>, group: u32) -> f64 {
    target.release.groups.get(group as usize).copied().unwrap_or(0).max(1) as f64
}

/// Per group how many people may stand in it.
pub(super) fn crowds(target: &Target<'_>) -> Vec<u64> {
    let mut of_profile = vec![0u64; target.people.profiles()];
    for &profile in target.people.profile_of.iter().take(target.people.own_people()) {
        if let Some(own) = of_profile.get_mut(profile as usize) {
            *own += 1;
        }
    }
    let mut crowds = vec![0u64; target.release.groups.len()];
    for (profile, people) in (0..).zip(of_profile) {
        for place in target.people.places(profile) {
            if let Some(own) = crowds.get_mut(place.group as usize) {
                *own += people;
            }
        }
    }
    crowds
}

/// Of a group by how many of the people who fit it it may be without.
pub(super) fn absent<'t>(target: &'t Target<'_>, room: Room, crowds: &'t [u64]) -> impl Fn(u32) -> u64 + 't {
    move |group: u32| {
        let of = |counts: &[u64]| counts.get(group as usize).copied().unwrap_or(0);
        room.absent(of(crowds), of(&target.release.groups))
    }
}

fn mixed(
    target: &Target<'_>,
    standing: &Standing,
    known: &[Statement],
    spoken_of: &[u32],
    progress: &dyn Progress,
) -> Result<Mixed, AttackError> {
    let places: Vec<&[Place]> = spoken_of.iter().map(|&person| target.people.places_of(person)).collect();
    if places.iter().any(|own| own.is_empty()) {
        return Err(AttackError::Contradiction(
            "the knowledge is about somebody whom no published record fits".to_owned(),
        ));
    }
    let groups: BTreeSet<u32> = places.iter().flat_map(|own| own.iter().map(|place| place.group)).collect();
    // Who fits a group that may be without them may be nowhere; that is one more way to place them.
    let crowds = crowds(target);
    let without = absent(target, standing.room, &crowds);
    let beyond = |own: &&[Place]| own.iter().map(|place| without(place.group)).max().unwrap_or(0);
    let mut absent: Vec<u64> = places.iter().map(beyond).collect();
    let ways = |absent: &[u64]| {
        let of = |(own, absent): (&&[Place], &u64)| own.len() as u64 + u64::from(*absent > 0);
        places.iter().zip(absent).map(of).fold(1u64, u64::saturating_mul)
    };
    let mut open = BTreeSet::new();
    if ways(&absent) > MOST_PLACEMENTS {
        open = groups.iter().copied().filter(|&group| without(group) > 0).collect();
        absent.fill(0);
    }
    let placements = ways(&absent);
    if placements > MOST_PLACEMENTS {
        return Err(AttackError::TooLarge(format!(
            "those who are spoken of may stand in several groups, and there are more than {MOST_PLACEMENTS} ways to place \
             them; know less, or more of their identifying columns"
        )));
    }
    // With one way to place them everybody stands where they do anyway; and what is left to others is known of all ways or of none.
    let mut seats = open
        .is_empty()
        .then(|| Seats::new(standing, target.people, &target.release.groups, spoken_of, placements))
        .flatten();
    let mut all: Vec<Placed> = Vec::new();
    let mut worlds = None;
    let mut is_counted = seats.is_some();
    let mut choice = vec![0usize; places.len()];
    loop {
        progress.check()?;
        let chosen: Vec<Option<Place>> =
            places.iter().zip(&choice).map(|(own, &at)| own.get(at).copied()).collect();
        let weight = weight_of(target, spoken_of, &chosen, &absent);
        let (left, chances) = match &mut seats {
            Some(seats) if weight.is_finite() => {
                seats.place(&chosen);
                let left = if placements > 1 { seats.left() } else { Left::Anywhere };
                (left, if is_counted { seats.chances() } else { None })
            }
            _ => (Left::Anywhere, None),
        };
        // Ways are weighed against each other by one measure.
        is_counted &= !weight.is_finite() || chances.is_some();
        if weight.is_finite() && !matches!(left, Left::Nothing) {
            let placed: Vec<(u32, u32)> = spoken_of
                .iter()
                .zip(&chosen)
                .filter_map(|(&person, place)| Some((person, place.as_ref()?.group)))
                .collect();
            // What is known of somebody who is nowhere says nothing of the release.
            let is_placed = |person: u32| placed.binary_search_by_key(&person, |own| own.0).is_ok();
            let about: Vec<Statement> = known
                .iter()
                .filter(|statement| {
                    let mut all = true;
                    statement.people(&mut |person| all &= is_placed(person));
                    all
                })
                .cloned()
                .collect();
            let staged = stage(target, &placed, groups.iter().copied())?;
            match posterior(&staged.buckets, &about, MOST_WORLDS / placements, progress) {
                Ok(found) => {
                    worlds = found.worlds;
                    let other = |&group: &u32| {
                        let &(number, rest) = staged.others.get(&group)?;
                        Some((group, (rest, found.beliefs.of(number).to_vec())))
                    };
                    let of_spoken = |&person: &u32| match is_placed(person) {
                        true => found.beliefs.of(person).to_vec(),
                        false => Vec::new(),
                    };
                    all.push(Placed {
                        weight: weight + found.evidence,
                        spoken: spoken_of.iter().map(of_spoken).collect(),
                        others: groups.iter().filter_map(other).collect(),
                        left: match left {
                            Left::Places(left) => Some(left),
                            Left::Anywhere | Left::Nothing => None,
                        },
                        chances: chances.map(|own| Chances { worlds: own.worlds + found.evidence, ..own }),
                    });
                }
                // Nobody can stand so; they stand otherwise.
                Err(WorldsError::Conflict) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // Count up, the last one first.
        let most = |at: usize| places[at].len() + usize::from(absent[at] > 0); // why: as many as there are choices
        let Some(at) = (0..choice.len()).rev().find(|&at| choice[at] + 1 < most(at)) else { break };
        choice[at] += 1;
        choice[at + 1..].fill(0);
    }
    if all.is_empty() {
        return Err(WorldsError::Conflict.into());
    }
    for own in all.iter_mut() {
        match own.chances.as_ref().filter(|_| is_counted) {
            Some(chances) => own.weight = chances.worlds,
            None => own.chances = None,
        }
    }
    all.retain(|own| own.weight > f64::NEG_INFINITY);
    let most = all.iter().map(|own| own.weight).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = all.iter().map(|own| (own.weight - most).exp()).sum();
    all.iter_mut().for_each(|own| own.weight = (own.weight - most).exp() / total);
    Ok(Mixed { all, groups, open, worlds: worlds.filter(|_| placements == 1), placements, is_counted })
}

/// The logarithm of how many ways there are to give each of those who are spoken of a record in their place; minus infinity
/// where there is none.
fn weight_of(target: &Target<'_>, spoken_of: &[u32], chosen: &[Option<Place>], absent: &[u64]) -> f64 {
    let profile = |person: u32| target.people.profile_of.get(person as usize).copied();
    // Records that are gone: of a class any may be anybody's, of a bucket those that fit others who look the same.
    let mut in_group: HashMap<u32, u64> = HashMap::new();
    let mut alike: HashMap<(u32, Option<u32>), u64> = HashMap::new();
    let mut weight = 0.0;
    for ((&person, place), &absent) in spoken_of.iter().zip(chosen).zip(absent) {
        let Some(place) = place else {
            weight += (absent as f64).ln();
            continue;
        };
        let size = target.release.groups.get(place.group as usize).copied().unwrap_or(0);
        let in_group = in_group.entry(place.group).or_default();
        let alike = alike.entry((place.group, profile(person))).or_default();
        let gone = if place.records >= size { *in_group } else { *alike };
        if *in_group >= size {
            return f64::NEG_INFINITY;
        }
        weight += (place.records.saturating_sub(gone) as f64).ln();
        *in_group += 1;
        *alike += 1;
    }
    weight
}

/// What is then believed of everybody else who may stand in one of those groups, by their profile.
fn others_beliefs(target: &Target<'_>, found: &Mixed) -> Vec<(u32, Belief)> {
    let Some(column) = target.column() else { return Vec::new() };
    let touched = |profile: &u32| {
        numbered(target.people, *profile).any(|(at, place)| {
            let is_counted = |own: &Placed| {
                own.chances.as_ref().is_some_and(|own| own.of_place.get(at).is_some_and(Option::is_some))
            };
            found.groups.contains(&place.group)
                || found.all.iter().any(|own| !own.leaves(at) || is_counted(own))
        })
    };
    let belief = |profile: u32| {
        let places = target.people.places(profile);
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        let is_counted = found.counts(target.people, profile);
        for own in &found.all {
            if let Some(chances) = own.chances.as_ref().filter(|_| is_counted) {
                for (at, place) in numbered(target.people, profile) {
                    let weight = own.weight * chances.of_place.get(at).copied().flatten().unwrap_or(0.0);
                    match (found.groups.contains(&place.group), own.others.get(&place.group)) {
                        (true, Some((_, shares))) => {
                            shares.iter().for_each(|own| *sums.entry(own.0).or_default() += weight * own.1);
                        }
                        (true, None) => {}
                        (false, _) => {
                            for &(value, count) in column.histograms.of(place.group) {
                                *sums.entry(value).or_default() +=
                                    weight * count as f64 / size_of(target, place.group);
                            }
                        }
                    }
                }
                continue;
            }
            // In this way of placing the others: a group is as probable as it has records left.
            let mut here: BTreeMap<u32, f64> = BTreeMap::new();
            let mut total = 0.0;
            for (_, place) in numbered(target.people, profile).filter(|(at, _)| own.leaves(*at)) {
                let (size, records) = (size_of(target, place.group), place.records as f64);
                match (found.groups.contains(&place.group), own.others.get(&place.group)) {
                    (true, Some((rest, shares))) => {
                        let weight = records * *rest as f64 / size;
                        total += weight;
                        shares.iter().for_each(|own| *here.entry(own.0).or_default() += weight * own.1);
                    }
                    (true, None) => {}
                    (false, _) => {
                        total += records;
                        for &(value, count) in column.histograms.of(place.group) {
                            *here.entry(value).or_default() += records * count as f64 / size;
                        }
                    }
                }
            }
            if total > 0.0 {
                here.iter()
                    .for_each(|(&value, sum)| *sums.entry(value).or_default() += own.weight * sum / total);
            }
        }
        let candidates = places.iter().map(|place| place.records).sum();
        (profile, Belief::of_weights(candidates, sums.into_iter()))
    };
    (0..target.people.profiles() as u32).filter(touched).map(belief).collect()
}

/// The verdict on beliefs of somebody who knows something besides who is in the data.
pub(super) fn knowing<'a>(
    adversary: &Adversary<'_>,
    target: &Target<'a>,
    attack: &'static str,
    assumed: &str,
    beliefs: Beliefs,
    notes: Vec<Note>,
) -> Verdict<'a> {
    Verdict {
        attack,
        assumed: format!("who is in the data, their identifying columns, and {assumed}"),
        success: format!(
            "the adversary is at least {} % sure of a value",
            crate::percent(adversary.confidence)
        ),
        confidence: adversary.confidence,
        target: *target,
        whom: Whom::People,
        beliefs,
        alike: None,
        control: None,
        stated: Vec::new(),
        least: None,
        notes,
    }
}
