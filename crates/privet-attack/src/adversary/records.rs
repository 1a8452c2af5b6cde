//! Attacks that look for records and people rather than for values: membership (survey AT-31), and how many attributes
//! single somebody out (papers, exercises 14 to 16). Probabilistic record linkage is `linkage.rs`.

use super::held::Part;
use super::{Adversary, people, released};
use crate::attacks::{AttackWord, Role};
use crate::dimensions::{self, Knowing, Singled, Subsets, by_attributes_known};
use crate::finding::{
    AttackError, Belief, Beliefs, Bin, Conclusions, Fate, Finding, Found, Score, Unit, Whom, tenths,
};
use crate::histogram::HistogramOf;
use crate::link::UNKNOWN;
use crate::linking::candidates_alone;
use crate::membership::{Distinguishing, distinguishing, presence};
use crate::note::Note;
use crate::rate::Rate;

/// The word of the attack in files.
pub const MEMBERSHIP: &str = "membership";

/// What it is.
pub(crate) const ABOUT_MEMBERSHIP: AttackWord = AttackWord {
    word: MEMBERSHIP,
    title: "Membership",
    sentence: "The adversary only wants to know whether a person is in the table at all.",
    about: "whether somebody is in the data at all",
    needs: Some("people"),
    quick: false,
    role: Role::Counts,
};

/// The word of the attack in files.
pub const KNOWN_ATTRIBUTES: &str = "known-attributes";

/// What it is.
pub(crate) const ABOUT_KNOWN_ATTRIBUTES: AttackWord = AttackWord {
    word: KNOWN_ATTRIBUTES,
    title: "Known attributes",
    sentence: "The adversary happens to know some true values of a person, in any columns, and looks how few published records fit.",
    about: "how many attributes single somebody out",
    needs: None,
    quick: false,
    role: Role::CountsOnClasses,
};

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
    Conclusions {
        attack,
        column: None,
        whom: Whom::People,
        beliefs,
        concepts: None,
        chance,
        fate,
        truth: None,
    }
}

/// How well the probability of being in the data tells who is from who is not, of those of whom that is known.
pub(super) fn told_apart(adversary: &Adversary<'_>, chances: &[f64]) -> Option<Distinguishing> {
    let truth = adversary.truth?;
    let known = chances.iter().zip(&truth.member).filter_map(|(&chance, &member)| Some((chance, member?)));
    let (scores, members): (Vec<f64>, Vec<bool>) = known.unzip();
    distinguishing(&scores, &members)
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
    let mut notes = Vec::new();
    if let Some(told) = told_apart(adversary, &chances) {
        notes.push(Note::of_original(format!(
            "Telling who is in the data from who is not: area under the curve {:.3} (0.5 is guessing), advantage {:.3}.",
            told.auc, told.advantage
        )));
    }
    if estimated > 0 && !found.incomplete {
        notes.push(Note::of_release(format!(
            "Not counted: {estimated} more who seem to be in the data; their labels overlap with others, and the probability is an \
             estimate that may be too large."
        )));
    }
    if found.overfull > 0 {
        notes.push(Note::of_original(format!(
            "In {} places the release has more records than the table has people who fit: the table does not hold everybody.",
            found.overfull
        )));
    } else if found.incomplete {
        notes.push(Note::of_original(
            "The records cannot all be given to people of the table: it does not hold everybody.".to_owned(),
        ));
    }
    if found.incomplete {
        notes.push(Note::of_original(format!(
            "So records may be those of people whom it does not list, and {estimated} who seem to be in the data are not counted."
        )));
    }
    if adversary.truth.is_some() && known.len() < chances.len() {
        notes.push(Note::of_original(format!(
            "Of {} people it is not known whether they are in the data: others look like them. A column with names would tell.",
            chances.len() - known.len()
        )));
    }
    // Whoever knows that nearly everybody of the table is in the data is as sure without the release.
    let (records, people) = (adversary.release.table.rows, chances.len());
    let prior = records as f64 / people.max(1) as f64;
    // Not so where the table is seen not to hold everybody, or where many of it are known not to be in the data.
    let inside = (0..people).filter(|&person| member(person) != Some(false)).count();
    let is_known = is_sure(prior) && !found.incomplete && is_sure(inside as f64 / people.max(1) as f64);
    let not_counted = is_known.then(|| {
        format!(
            "the release has {records} records and the table {people} people, so one is as sure without it"
        )
    });
    let finding = Finding {
        attack: MEMBERSHIP,
        column: None,
        assumed: "a table of people among whom are all those in the data".to_owned(),
        success: format!(
            "the adversary is at least {} % sure that a person is in the data",
            crate::percent(adversary.confidence)
        ),
        unit: Unit::People,
        exposed: score.exposed(),
        right: score.right(),
        control_group: control.map(|_| "people of the table who are not in the data".to_owned()),
        baseline: None,
        control,
        risk: if not_counted.is_some() { 0.0 } else { score.risk() },
        not_counted,
        histogram: tenths(chances.iter().copied()),
        histogram_of: HistogramOf::Presence,
        notes,
    };
    Ok(vec![Found {
        finding,
        conclusions: Some(conclusions(adversary, MEMBERSHIP, Some(chances), fate)),
        failed: Vec::new(),
    }])
}

/// Per number of attributes what knowing them gives, and how many the adversary knows.
fn curve(adversary: &Adversary<'_>) -> Result<(Vec<Knowing>, usize), AttackError> {
    if adversary.crowd.shared.is_empty() {
        return Err(AttackError::Needs(
            "it needs people with identifying columns: give the original or a table of people".to_owned(),
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
    let whole = adversary;
    let part = Part::new(whole, &inside);
    let adversary = &part.adversary(whole.clone());
    let (curve, known) = curve(adversary)?;
    let each = each_person(adversary, &inside, known)?;
    // Over subsets of columns a person is singled out more or less often; on average so many are.
    let of = adversary.crowd.count as u64;
    let [alone, wrong] = [|own: &Singled| own.alone, |own: &Singled| own.wrong]
        .map(|share| each.iter().map(share).sum::<f64>());
    let unique = Rate::expected(alone, of);
    let right = adversary.truth.is_some() && unique.hits > 0;
    let right = right.then(|| Rate::expected((1.0 - wrong / alone) * unique.hits as f64, unique.hits));
    let notes = curve
        .iter()
        .map(|own| {
            Note::of_original(format!(
                "Knowing {} of the columns leaves {:.1} records in the mean and one alone for {} % of the people.",
                own.attributes,
                own.remaining,
                crate::percent(own.unique.rate)
            ))
        })
        .collect();
    let finding = Finding {
        attack: KNOWN_ATTRIBUTES,
        column: None,
        assumed: format!("{known} of the identifying columns of each person, any of them equally likely"),
        success: "exactly one published record may be the person's".to_owned(),
        unit: Unit::People,
        exposed: unique,
        right,
        control: None,
        control_group: None,
        baseline: None,
        risk: (alone - wrong).max(0.0) / of.max(1) as f64,
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
        histogram_of: HistogramOf::Attributes,
        notes,
    };
    let conclusions = Some(pointed_at(whole, &inside, &each));
    Ok(vec![Found { finding, conclusions, failed: Vec::new() }])
}

/// What knowing so many columns of each of these people leaves. `inside` are their numbers in the truth.
fn each_person(adversary: &Adversary<'_>, inside: &[u32], known: usize) -> Result<Vec<Singled>, AttackError> {
    let shared = &adversary.crowd.shared;
    let is_own = |person: usize, subset: &[usize]| {
        let record = adversary.truth?.record_of.get(*inside.get(person)? as usize).copied().flatten()?;
        let fits = |&column: &usize| {
            let own = shared.get(column)?;
            let labels = &adversary.release.table.columns[adversary.release.quasi[own.quasi]].codes;
            let (label, value) = (*labels.get(record as usize)?, *own.values.get(person)?);
            Some(value == UNKNOWN || own.coverage.contains(label, value))
        };
        subset.iter().map(fits).try_fold(true, |all, fits| Some(all && fits?))
    };
    let released = released(adversary.release, &adversary.crowd);
    let subsets = Subsets { most: SUBSETS, seed: adversary.seed };
    Ok(dimensions::singled_out(&released, &people(&adversary.crowd), known, subsets, is_own)?)
}

/// Conclusions about people by how often a single record is left: who is pointed at whichever columns are known, or nearly
/// so, is exposed.
fn pointed_at(adversary: &Adversary<'_>, inside: &[u32], each: &[Singled]) -> Conclusions {
    let people = adversary.crowd.count;
    let (mut fate, mut chance) = (vec![Fate::Hidden; people], vec![0.0; people]);
    let mut candidates = vec![0; people];
    for (&person, own) in inside.iter().zip(each) {
        chance[person as usize] = own.alone;
        if own.alone >= adversary.confidence - 1e-12 {
            let right = adversary.truth.map(|_| own.wrong < 1e-12);
            fate[person as usize] = Fate::of(Some(right));
        }
        candidates[person as usize] = own.remaining.round() as u64;
    }
    let mut different = candidates.clone();
    different.sort_unstable();
    different.dedup();
    let place = |own: &u64| different.partition_point(|other| other < own) as u32;
    let beliefs = Beliefs {
        of_person: candidates.iter().map(place).collect(),
        distinct: different.iter().map(|&candidates| Belief { candidates, values: Vec::new() }).collect(),
    };
    Conclusions {
        attack: KNOWN_ATTRIBUTES,
        column: None,
        whom: Whom::People,
        beliefs,
        concepts: None,
        chance: Some(chance),
        fate,
        truth: None,
    }
}
