//! Attacks by somebody who knows something about people: values, negations and Boolean statements (survey AT-03, AT-04),
//! prior beliefs (PM-06), and the least committed belief that fits both (AT-13).

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;

use super::Adversary;
use crate::finding::{AttackError, Belief, Beliefs, Finding, Verdict};
use crate::homogeneity;
use crate::knowledge::Statement as Said;
use crate::reasoners::{Constraint, MaxEnt, Reasoner, ReasonerError, Relation, View};
use crate::target::Target;
use crate::worlds::{Bucket, Buckets, Statement, WorldsError, parse_statement, posterior};

/// Partial worlds that are gone through at most.
const MOST_WORLDS: u64 = 2_000_000;
/// People about whom the least committed belief may be sought at most.
const MOST_KNOWN: usize = 50_000;

impl From<WorldsError> for AttackError {
    fn from(error: WorldsError) -> Self {
        match error {
            WorldsError::Cancelled(_) => Self::Cancelled,
            WorldsError::TooMany { .. } => Self::TooLarge(error.to_string()),
            other => Self::Contradiction(other.to_string()),
        }
    }
}

/// Whether a part of the knowledge is about this column.
fn is_about(adversary: &Adversary<'_>, column: usize, named: Option<&str>) -> bool {
    match named {
        Some(name) => adversary.release.sensitive[column].name == name,
        None => column == 0,
    }
}

/// Knowledge about a column that is not there is a mistake, not nothing.
fn check_columns(adversary: &Adversary<'_>) -> Result<(), AttackError> {
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
        Some((part, _)) => Err(AttackError::Needs(format!(
            "`{part}` names a column that is no sensitive column of the release"
        ))),
        None => Ok(()),
    }
}

/// What is known about values of the column, as statements.
fn statements(adversary: &Adversary<'_>, column: usize) -> Result<Vec<Statement>, AttackError> {
    check_columns(adversary)?;
    let knowledge = adversary.knowledge;
    let domain = &adversary.release.sensitive[column].domain;
    let code_of: HashMap<&str, u32> =
        domain.texts().iter().zip(0..).map(|(text, code)| (&**text, code)).collect();
    let value = |text: &str| code_of.get(text).copied();
    let nobody = |part: &str, number: usize| {
        AttackError::Needs(format!(
            "`{part}`, the {}. of them, is about a person who is not among the people, or not the only one of that name",
            number + 1
        ))
    };
    let mut statements = Vec::new();
    for (number, known) in knowledge.records.iter().enumerate() {
        if !is_about(adversary, column, known.column.as_deref()) {
            continue;
        }
        let person = (adversary.person)(&known.person).ok_or_else(|| nobody("records", number))?;
        let value = value(&known.value).ok_or_else(|| {
            AttackError::Contradiction(format!(
                "`records`, the {}. of them, has a value that is not published",
                number + 1
            ))
        })?;
        statements.push(Statement::Has { person, value });
    }
    for (number, known) in knowledge.negations.iter().enumerate() {
        if !is_about(adversary, column, known.column.as_deref()) {
            continue;
        }
        let person = (adversary.person)(&known.person).ok_or_else(|| nobody("negations", number))?;
        // A value that is not published is not had by anybody: to deny it says nothing.
        let denied = known.not.iter().filter_map(|text| value(text));
        statements.extend(denied.map(|value| Statement::Not(Box::new(Statement::Has { person, value }))));
    }
    for (number, said) in knowledge.statements.iter().enumerate() {
        let (named, text) = match said {
            Said::Plain(text) => (None, text),
            Said::Of { column, says } => (Some(column.as_str()), says),
        };
        if is_about(adversary, column, named) {
            let statement = parse_statement(text, adversary.person, &value).map_err(|error| {
                AttackError::Needs(format!("`statements`, the {}. of them: {error}", number + 1))
            })?;
            statements.push(statement);
        }
    }
    Ok(statements)
}

/// The groups as buckets of worlds. Of the people only those who are spoken of are themselves; the others of a group are
/// alike, and stand for themselves by numbers beyond all people: per group the first of them.
struct Staged {
    buckets: Buckets,
    others: Vec<Option<u32>>,
}

fn stage(target: &Target<'_>, spoken_of: &[u32]) -> Result<Staged, AttackError> {
    let column = target
        .column()
        .ok_or_else(|| AttackError::Needs("the release has no sensitive column".to_owned()))?;
    let mut named: HashMap<u32, Vec<u32>> = HashMap::new();
    for &person in spoken_of {
        match target.people.places_of(person) {
            [place] => named.entry(place.group).or_default().push(person),
            [] => return Err(AttackError::Contradiction("the knowledge is about somebody whom no published record fits".to_owned())),
            _ => return Err(AttackError::TooLarge(
                "the knowledge is about somebody who may stand in several groups; that is more worlds than can be gone through".to_owned(),
            )),
        }
    }
    let mut next = target.people.people() as u32;
    let mut others = Vec::with_capacity(target.release.groups.len());
    let mut list = Vec::with_capacity(target.release.groups.len());
    for (group, &size) in (0..).zip(&target.release.groups) {
        let mut people = named.remove(&group).unwrap_or_default();
        if people.len() as u64 > size {
            return Err(AttackError::Contradiction(
                "the knowledge is about more people of a group than it has records".to_owned(),
            ));
        }
        let rest = size as u32 - people.len() as u32;
        others.push((rest > 0).then_some(next));
        people.extend(next..next + rest);
        next += rest;
        let values = column.histograms.of(group).iter();
        let values = values.flat_map(|&(value, count)| std::iter::repeat_n(value, count as usize)).collect();
        list.push(Bucket { people, values });
    }
    let buckets = Buckets::new(list, column.domain.len() as u32)?;
    Ok(Staged { buckets, others })
}

/// People whose values are known or excluded (survey AT-03, AT-04): random worlds in which all of it is true.
pub(super) fn background(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    column: usize,
    progress: &dyn Progress,
) -> Result<Option<Finding>, AttackError> {
    let known = statements(adversary, column)?;
    if known.is_empty() {
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
    let mut spoken_of = Vec::new();
    for statement in &known {
        statement.people(&mut |person| spoken_of.push(person));
    }
    spoken_of.sort_unstable();
    spoken_of.dedup();
    let staged = stage(target, &spoken_of)?;
    let found = posterior(&staged.buckets, &known, MOST_WORLDS, progress)?;
    // Everybody else of a touched group is believed what those who stand for them are.
    let mut beliefs = homogeneity::beliefs(target, None);
    let before = beliefs.clone();
    let belief = |person: u32, candidates: u64| {
        Belief::of_weights(candidates, found.beliefs.of(person).iter().copied())
    };
    let mut touched: HashMap<u32, u32> = HashMap::new();
    for &person in &spoken_of {
        let candidates = before.of(person).map_or(0, |own| own.candidates);
        beliefs.of_person[person as usize] = beliefs.distinct.len() as u32;
        beliefs.distinct.push(belief(person, candidates));
        if let [place] = target.people.places_of(person)
            && let Some(other) = staged.others[place.group as usize]
        {
            touched.entry(place.group).or_insert_with(|| {
                beliefs.distinct.push(belief(other, candidates));
                beliefs.distinct.len() as u32 - 1
            });
        }
    }
    for person in 0..target.people.people() as u32 {
        if let [place] = target.people.places_of(person)
            && let Some(&own) = touched.get(&place.group)
            && spoken_of.binary_search(&person).is_err()
        {
            beliefs.of_person[person as usize] = own;
        }
    }
    let mut notes =
        vec![format!("Statements that are known: {}, about {} people.", known.len(), spoken_of.len())];
    if let Some((all, left)) = found.worlds {
        notes.push(format!("Of {all} worlds of the groups that are spoken of, {left} are left."));
    }
    let alone = homogeneity::attack(target, adversary.confidence, None).map_or(0, |own| own.exposed.hits);
    notes.push(format!("Without that knowledge {alone} people are exposed."));
    Ok(Some(verdict(
        adversary,
        target,
        "background-knowledge",
        "what the knowledge file says about some of them",
        &beliefs,
        notes,
    )))
}

fn verdict(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    attack: &'static str,
    assumed: &str,
    beliefs: &Beliefs,
    notes: Vec<String>,
) -> Finding {
    Verdict {
        attack,
        assumed: format!("who is in the data, their quasi columns, and {assumed}"),
        success: format!(
            "the adversary is at least {} % sure of a value",
            crate::percent(adversary.confidence)
        ),
        confidence: adversary.confidence,
        target: *target,
        beliefs,
        control: None,
        notes,
    }
    .finding()
}

/// Per person the prior that speaks of them (the last that does), or `None`; and per prior its shares over all values.
struct Priors {
    of_person: Vec<Option<u32>>,
    shares: Vec<Vec<f64>>,
}

fn priors(adversary: &Adversary<'_>, column: usize) -> Result<Option<Priors>, AttackError> {
    let knowledge = adversary.knowledge;
    if knowledge.priors.is_empty() {
        return Err(AttackError::Needs("it needs [[priors]] in the knowledge file".to_owned()));
    }
    check_columns(adversary)?;
    let domain = &adversary.release.sensitive[column].domain;
    let mut found = Priors { of_person: vec![None; adversary.suspects.people()], shares: Vec::new() };
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
        for (own, among) in found.of_person.iter_mut().zip(among) {
            if *among {
                *own = Some(number);
            }
        }
    }
    Ok((!found.shares.is_empty()).then_some(found))
}

/// Somebody who believes some values more probable for some people (survey PM-06, Theorem 2.1).
pub(super) fn bayes_optimal(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    column: usize,
) -> Result<Option<Finding>, AttackError> {
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
    let notes = vec![format!("People of whom something is believed beforehand: {spoken_of}.")];
    Ok(Some(verdict(
        adversary,
        target,
        "bayes-optimal",
        "how probable values are for some of them",
        &beliefs,
        notes,
    )))
}

/// The least committed belief under which the priors hold as shares of the people they are about (survey AT-13).
pub(super) fn max_entropy(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    column: usize,
    progress: &dyn Progress,
) -> Result<Option<Finding>, AttackError> {
    let Some(priors) = priors(adversary, column)? else { return Ok(None) };
    let known: Vec<u32> = (0..target.people.people() as u32)
        .filter(|&person| priors.of_person[person as usize].is_some())
        .filter(|&person| target.people.places_of(person).len() == 1)
        .collect();
    if known.len() > MOST_KNOWN {
        return Err(AttackError::TooLarge(format!("the priors are about more than {MOST_KNOWN} people")));
    }
    let staged = stage(target, &known)?;
    let own = target.column().map_or(&[][..], |own| own.domain.texts());
    let mut constraints = Vec::new();
    let mine = adversary
        .knowledge
        .priors
        .iter()
        .filter(|prior| is_about(adversary, column, prior.column.as_deref()));
    for (number, prior) in (0..).zip(mine) {
        let people: Vec<u32> = known
            .iter()
            .copied()
            .filter(|&person| priors.of_person[person as usize] == Some(number))
            .collect();
        for (value, text) in (0..).zip(own) {
            if let Some(&share) = prior.shares.get(&**text) {
                constraints.push(Constraint::share(&people, value, Relation::Equal, share));
            }
        }
    }
    let reasoner = MaxEnt { constraints, tolerance: 1e-6, rounds: 20_000 };
    let view = View { qi: &[], qi_domains: &[], groups: staged.buckets.list() };
    let found = reasoner.beliefs(&view, progress)?;
    let mut beliefs = homogeneity::beliefs(target, None);
    for person in 0..target.people.people() as u32 {
        let [place] = target.people.places_of(person) else { continue };
        let stands_for = match known.binary_search(&person) {
            Ok(_) => Some(person),
            Err(_) => staged.others[place.group as usize],
        };
        if let Some(stands_for) = stands_for {
            let belief = Belief::of_weights(place.records, found.of(stands_for).iter().copied());
            beliefs.of_person[person as usize] = beliefs.distinct.len() as u32;
            beliefs.distinct.push(belief);
        }
    }
    let notes = vec![format!("People of whom something is known beforehand: {}.", known.len())];
    Ok(Some(verdict(
        adversary,
        target,
        "max-entropy",
        "shares of values among some of them",
        &beliefs,
        notes,
    )))
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
