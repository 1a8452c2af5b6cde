//! Attacks that look for records and people rather than for values: probabilistic record linkage (survey AT-24),
//! membership (AT-31), and how many attributes single somebody out (papers, exercises 14 to 16).

use super::{Adversary, people, released};
use crate::dimensions::{Knowing, Subsets, by_attributes_known};
use crate::finding::{AttackError, Bin, Conclusions, Fate, Finding, Found, Score, Whom, tenths};
use crate::linkage::{Compared, MISSING, Options, Rates, compare, decide, estimate, untied};
use crate::linking::candidates_alone;
use crate::membership::{distinguishing, presence};
use crate::rate::Rate;

/// Subsets of columns that are tried for each number of attributes.
const SUBSETS: usize = 40;
/// The most people who are compared with all records that share a block with them.
const MOST_LINKED: usize = 20_000;

pub(super) fn linkage(adversary: &Adversary<'_>) -> Result<Vec<Found>, AttackError> {
    let shared = &adversary.crowd.shared;
    if !adversary.own_table {
        return Err(AttackError::Needs(
            "it needs a table of people whose values may differ from those in the data; give [people] in the knowledge file"
                .to_owned(),
        ));
    }
    if adversary.release.table.rows > MOST_LINKED || adversary.crowd.count > MOST_LINKED {
        return Err(AttackError::TooLarge(format!(
            "it compares pairs, and there are more than {MOST_LINKED} records or people"
        )));
    }
    let right: Vec<Vec<u32>> = shared
        .iter()
        .map(|own| {
            own.values
                .iter()
                .map(|&value| if value == crate::link::UNKNOWN { MISSING } else { value })
                .collect()
        })
        .collect();
    let columns: Vec<Compared<'_>> = shared
        .iter()
        .zip(&right)
        .map(|(own, right)| Compared::Labels {
            left: &adversary.release.table.columns[adversary.release.quasi[own.quasi]].codes,
            right,
            coverage: own.coverage,
        })
        .collect();
    let too_large = |error: crate::linkage::LinkageError| AttackError::TooLarge(error.to_string());
    let pairs = compare(&columns, &[]).map_err(too_large)?;
    let estimation = estimate(&pairs, &Options::default());
    let found = untied(&pairs, &estimation);
    let rates = Rates { false_matches: 0.01, false_rejections: 0.1 };
    let linked = decide(&pairs, &estimation, &found.links, rates).map_err(too_large)?;
    let called: Vec<(u32, u32)> = linked.matches().map(|link| (link.person, link.record)).collect();
    let own =
        |person: u32| adversary.truth.map(|truth| truth.record_of.get(person as usize).copied().flatten());
    let mut fate = vec![Fate::Hidden; adversary.crowd.count];
    for &(person, record) in &called {
        fate[person as usize] = Fate::of(Some(own(person).map(|own| own == Some(record))));
    }
    let score = Score::count(&fate);
    let compared = pairs.pairs.len();
    let mut notes = vec![match called.is_empty() {
        true => format!("No pair is called a link. Pairs compared: {compared}."),
        false => format!(
            "Of these links the model itself expects {:.1} to be false. Pairs compared: {compared}.",
            linked.estimated_false
        ),
    }];
    let is_linked = {
        let mut linked = vec![false; adversary.crowd.count];
        found.links.iter().for_each(|link| linked[link.person as usize] = true);
        linked
    };
    let people = 0..adversary.crowd.count as u32;
    let tied = |person: &u32| found.of_person[*person as usize] > 0 && !is_linked[*person as usize];
    let ties = people.clone().filter(tied).count();
    if ties > 0 {
        let mut note = format!(
            "For {ties} people several records, or for a record several people, fit equally well: nobody is told apart, and \
             none of them counts as exposed."
        );
        if adversary.truth.is_some() {
            let lot = |person: u32| {
                own(person).flatten().map_or(0.0, |record| found.by_lot(&pairs, record, person))
            };
            let by_lot: f64 = people.filter(tied).map(lot).sum();
            note.push_str(&format!(" Drawing lots among these would be right for {by_lot:.1} of them."));
        }
        notes.push(note);
    }
    let finding = Finding {
        attack: "record-linkage",
        column: None,
        assumed: "an identified table of people, which may be wrong in places".to_owned(),
        success: "one record fits the person better than any other, nobody else fits it as well, and it is called the \
                  person's, with at most 1 % of wrong pairs called so by the model"
            .to_owned(),
        exposed: score.exposed(),
        right: score.right(),
        control: None,
        control_group: None,
        risk: score.risk(),
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: "",
        notes,
    };
    Ok(vec![Found { finding, conclusions: Some(conclusions(adversary, "record-linkage", None, fate)) }])
}

/// Conclusions about records: how many may be a person's, and how sure the adversary is.
fn conclusions(
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
    let fate: Vec<Fate> = chances
        .iter()
        .enumerate()
        .map(|(person, &chance)| Fate::of(is_sure(chance).then(|| member(person))))
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
        risk: score.risk(),
        not_counted: None,
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
    let known = adversary.knowledge.known_attributes.unwrap_or(curve.len()).clamp(1, curve.len().max(1));
    Ok((curve, known))
}

/// The share of the people, over subsets of columns, whom a single record fits.
pub(super) fn singled_out(adversary: &Adversary<'_>) -> Result<f64, AttackError> {
    let (curve, known) = curve(adversary)?;
    Ok(curve.get(known - 1).map_or(0.0, |own| own.unique.rate))
}

pub(super) fn known_attributes(adversary: &Adversary<'_>) -> Result<Vec<Found>, AttackError> {
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
