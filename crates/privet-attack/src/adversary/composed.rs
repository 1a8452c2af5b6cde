//! Composition (survey AT-25): what several releases about the same people tell together.
//!
//! Each release alone leaves several values. A person must have one that all of them allow; among these, what this release
//! says of their frequencies is shown. Beliefs are not multiplied: the releases may be of the same table, and then how probable
//! values are follows from where everybody stands in each of them, which only going through all worlds would tell. So a person
//! counts as exposed by releases of one table when a single value is left, which is certain in every world. Where the knowledge file says that a release is `independent`, made from another
//! table, its probabilities are multiplied with these (`composition::compose`).

use std::collections::HashMap;

use super::Adversary;
use crate::composition::compose;
use crate::finding::{AttackError, Belief, Beliefs, Found, Verdict, Whom};
use crate::homogeneity;
use crate::target::Target;

pub(super) fn attack(adversary: &Adversary<'_>, target: &Target<'_>) -> Result<Option<Found>, AttackError> {
    let Some(column) = target.column() else { return Ok(None) };
    let mut several = vec![homogeneity::beliefs(target, None)];
    let mut independent = vec![false];
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
        let mut beliefs = homogeneity::beliefs(&theirs, None);
        // Their codes in terms of ours; a value that we never publish excludes ours.
        let domain = &other.release.sensitive[sensitive].domain;
        let ours: HashMap<&str, u32> =
            column.domain.texts().iter().zip(0..).map(|(text, code)| (&**text, code)).collect();
        for belief in &mut beliefs.distinct {
            for (value, _) in &mut belief.values {
                let text = domain.text(*value);
                *value = ours.get(text).copied().unwrap_or(column.domain.len() as u32 + *value);
            }
        }
        several.push(beliefs);
        independent.push(other.independent);
    }
    if several.len() < 2 {
        return Err(AttackError::Needs(
            "it needs another release with the same sensitive column; give [[releases]] in the knowledge file".to_owned(),
        ));
    }
    let mut number_of: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut together = Beliefs::default();
    let mut contradictions = 0u64;
    for person in 0..target.people.people() as u32 {
        let key: Vec<u32> = several.iter().map(|beliefs| beliefs.of_person[person as usize]).collect();
        let next = together.distinct.len() as u32;
        let number = *number_of.entry(key).or_insert_with_key(|key| {
            let own = |which: usize| &several[which].distinct[key[which] as usize];
            // A release in which a person is nowhere excludes nothing: they may not be in it.
            let allows = |value: u32| {
                (1..several.len()).all(|other| own(other).values.is_empty() || own(other).of(value) > 0.0)
            };
            let multiplied = || {
                let others = independent.iter().zip(0..).filter(|(is, _)| **is).map(|(_, other)| own(other));
                compose(std::iter::once(own(0)).chain(others).map(|belief| &belief.values[..]), None)
            };
            // Who is nowhere in this release is not found by the others.
            let here = if own(0).values.is_empty() { Vec::new() } else { multiplied() };
            let left = here.into_iter().filter(|&(value, _)| allows(value));
            together.distinct.push(Belief::of_weights(own(0).candidates, left));
            next
        });
        let nothing = together.distinct[number as usize].values.is_empty();
        let something = several
            .iter()
            .zip(0..)
            .any(|(beliefs, _)| beliefs.of(person).is_some_and(|own| !own.values.is_empty()));
        contradictions += u64::from(nothing && something);
        together.of_person.push(number);
    }
    let mut notes = vec![format!("Releases put together: {}.", several.len())];
    let multiplied = independent.iter().filter(|is| **is).count();
    if multiplied > 0 {
        notes.push(format!(
            "Said to be of other tables, so that what they say is multiplied with what this one says: {multiplied}."
        ));
    }
    if contradictions > 0 {
        notes.push(format!("People for whom the releases contradict each other: {contradictions}."));
    }
    let alone = homogeneity::attack(target, adversary.confidence, None).map(|alone| alone.finding.risk);
    if let Some(alone) = alone {
        notes.push(format!("This release alone exposes {} %.", crate::percent(alone)));
    }
    Ok(Some(
        Verdict {
            attack: "composition",
            assumed: "who is in the data, their quasi columns, and other releases about them".to_owned(),
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
            least: Some(Box::new(|person, value| {
                let (Some(own), Some(alone)) =
                    (together.of(person), several.first().and_then(|own| own.of(person)))
                else {
                    return 0.0;
                };
                let same_table = |(beliefs, independent): (&Beliefs, &bool)| {
                    !independent && beliefs.of(person).is_some_and(|other| !other.values.is_empty())
                };
                let has_several = several.iter().zip(&independent).skip(1).any(same_table);
                match own.values.len() {
                    1 => 1.0,
                    _ if has_several => 0.0,
                    // Multiplied with what this release says whichever group it is.
                    _ if target.people.places_of(person).len() > 1 && alone.values.len() > 1 => 0.0,
                    _ => own.of(value),
                }
            })),
            notes,
        }
        .found(),
    ))
}
