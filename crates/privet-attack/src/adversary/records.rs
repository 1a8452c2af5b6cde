//! Attacks that look for records and people rather than for values: membership (survey AT-31), and how many attributes
//! single somebody out (papers, exercises 14 to 16). Probabilistic record linkage is `linkage.rs`.

use super::held::Part;
use super::{Adversary, people, released};
use crate::dimensions::{Knowing, Subsets, by_attributes_known};
use crate::finding::{AttackError, Bin, Conclusions, Fate, Finding, Found, Score, Whom, tenths};
use crate::linking::candidates_alone;
use crate::membership::{distinguishing, presence};
use crate::rate::Rate;

/// Subsets of columns that are tried for each number of attributes.
const SUBSETS: usize = 40;
/// Conclusions about records: how many may be a person's, and how sure the adversary is.
pub(super) fn conclusions(
    adversary: &Adversary<'_>,
    attack: &'static str,
    chance: Option<Vec<f64>>,
    fate: Vec<Fate>,
) -> Conclusions {
    let candidates = adversary.suspects.candidates();
    let beliefs = candidates_alone(adversary.suspects, &candidates);
    Conclusions { attack, column: None, whom: Whom::People, beliefs, concepts: None, chance, fate }
}

pub(super) fn membership(adversary: &Adversary<'_>) -> Result<Vec<Found>, AttackError> {
    if !adversary.own_table {
        return Err(AttackError::Needs(
            "it needs a table of people some of whom are not in the data; give [people] in the knowledge file".to_owned(),
        ));
    }
    let found = presence(&released(adversary.release, &adversary.crowd), &people(&adversary.crowd))?;
    let chances = found.everybody();
    let is_sure = |chance: f64| chance >= adversary.confidence - 1e-12;
    let member =
        |person: usize| adversary.truth.and_then(|truth| truth.member.get(person).copied().flatten());
    // Where labels overlap the probability is an estimate, and may be too large.
    let exact = found.exact();
    let estimated =
        chances.iter().zip(&exact).filter(|(chance, exact)| is_sure(**chance) && !**exact).count();
    let counts = |person: usize, chance: f64| is_sure(chance) && exact.get(person) == Some(&true);
    let fate: Vec<Fate> = chances
        .iter()
        .enumerate()
        .map(|(person, &chance)| Fate::of(counts(person, chance).then(|| member(person))))
        .collect();
    let score = Score::count(&fate);
    // Whoever of the table is not in the data is the control; where nobody is, records are taken out.
    let strangers: Vec<usize> = (0..chances.len()).filter(|&person| member(person) == Some(false)).collect();
    let taken_for_members = strangers.iter().filter(|&&person| fate[person] != Fate::Hidden).count() as u64;
    let control = (!strangers.is_empty()).then(|| Rate::new(taken_for_members, strangers.len() as u64));
    let known: Vec<usize> = (0..chances.len()).filter(|&person| member(person).is_some()).collect();
    let (scores, members): (Vec<f64>, Vec<bool>) =
        known.iter().map(|&person| (chances[person], member(person) == Some(true))).unzip();
    let mut notes = Vec::new();
    if let Some(told) = distinguishing(&scores, &members) {
        notes.push(format!(
            "Telling who is in the data from who is not: area under the curve {:.3} (0.5 is guessing), advantage {:.3}.",
            told.auc, told.advantage
        ));
    }
    if estimated > 0 {
        notes.push(format!(
            "Not counted: {estimated} more who seem to be in the data; their labels overlap with others, and the probability is an \
             estimate that may be too large."
        ));
    }
    if found.overfull > 0 {
        notes.push(format!(
            "In {} places the release has more records than the table has people who fit: the table does not hold everybody.",
            found.overfull
        ));
    }
    if adversary.truth.is_some() && known.len() < chances.len() {
        notes.push(format!(
            "Of {} people it is not known whether they are in the data: others look like them. A column with names would tell.",
            chances.len() - known.len()
        ));
    }
    // Whoever knows that nearly everybody of the table is in the data is as sure without the release.
    let (records, people) = (adversary.release.table.rows, chances.len());
    let prior = records as f64 / people.max(1) as f64;
    // Not so where the table is seen not to hold everybody, or where many of it are known not to be in the data.
    let inside = (0..people).filter(|&person| member(person) != Some(false)).count();
    let is_known = is_sure(prior) && found.overfull == 0 && is_sure(inside as f64 / people.max(1) as f64);
    let not_counted = is_known.then(|| {
        format!(
            "the release has {records} records and the table {people} people, so one is as sure without it"
        )
    });
    let finding = Finding {
        attack: "membership",
        column: None,
        assumed: "a table of people among whom are all those in the data".to_owned(),
        success: format!(
            "the adversary is at least {} % sure that a person is in the data",
            crate::percent(adversary.confidence)
        ),
        exposed: score.exposed(),
        right: score.right(),
        control_group: control.map(|_| "people of the table who are not in the data".to_owned()),
        control,
        risk: if not_counted.is_some() { 0.0 } else { score.risk() },
        not_counted,
        histogram: tenths(chances.iter().copied()),
        histogram_of: "people by how probable it is that they are in the data",
        notes,
    };
    Ok(vec![Found { finding, conclusions: Some(conclusions(adversary, "membership", Some(chances), fate)) }])
}

/// Per number of attributes what knowing them gives, and how many the adversary knows.
fn curve(adversary: &Adversary<'_>) -> Result<(Vec<Knowing>, usize), AttackError> {
    if adversary.crowd.shared.is_empty() {
        return Err(AttackError::Needs(
            "it needs people with quasi columns: give the original or a table of people".to_owned(),
        ));
    }
    let subsets = Subsets { most: SUBSETS, seed: adversary.seed };
    let curve = by_attributes_known(
        &released(adversary.release, &adversary.crowd),
        &people(&adversary.crowd),
        subsets,
    )?;
    let known = adversary.knowledge.known_attributes.unwrap_or(curve.len()).max(1);
    if known > curve.len() {
        return Err(AttackError::Knowledge(format!(
            "`known-attributes` takes a number up to {}, the columns that people and the release share",
            curve.len()
        )));
    }
    Ok((curve, known))
}

/// The share of the people, over subsets of columns, whom a single record fits.
pub(super) fn singled_out(adversary: &Adversary<'_>) -> Result<f64, AttackError> {
    let (curve, known) = curve(adversary)?;
    Ok(curve.get(known - 1).map_or(0.0, |own| own.unique.rate))
}

pub(super) fn known_attributes(adversary: &Adversary<'_>) -> Result<Vec<Found>, AttackError> {
    let target = adversary.target(None);
    let inside: Vec<u32> =
        (0..adversary.crowd.count as u32).filter(|&person| !target.is_outside(person)).collect();
    let part = Part::new(adversary, &inside);
    let adversary = &part.adversary(adversary.clone());
    let (curve, known) = curve(adversary)?;
    let Some(own) = curve.get(known - 1) else { return Ok(Vec::new()) };
    // Over subsets of columns a person is singled out more or less often; on average so many are.
    let people = adversary.crowd.count as u64;
    let unique = Rate::new((own.unique.rate * people as f64).round() as u64, people);
    let notes = curve
        .iter()
        .map(|own| {
            format!(
                "Knowing {} of the columns leaves {:.1} records in the mean and one alone for {} % of the people.",
                own.attributes,
                own.remaining,
                crate::percent(own.unique.rate)
            )
        })
        .collect();
    let finding = Finding {
        attack: "known-attributes",
        column: None,
        assumed: format!("{known} of the quasi columns of each person, any of them equally likely"),
        success: "exactly one published record may be the person's".to_owned(),
        exposed: unique,
        right: None,
        control: None,
        control_group: None,
        risk: unique.rate,
        not_counted: None,
        // Per number of attributes the people who are singled out.
        histogram: curve
            .iter()
            .map(|own| Bin {
                from: own.attributes as f64,
                to: own.attributes as f64,
                people: (own.unique.rate * adversary.crowd.count as f64).round() as u64,
            })
            .collect(),
        histogram_of: "people singled out, by how many of their attributes are known",
        notes,
    };
    Ok(vec![Found { finding, conclusions: None }])
}
