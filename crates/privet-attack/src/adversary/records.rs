//! Attacks that look for records and people rather than for values: probabilistic record linkage (survey AT-24),
//! membership (AT-31), and how many attributes single somebody out (papers, exercises 14 to 16).

use super::{Adversary, people, released};
use crate::dimensions::{Subsets, by_attributes_known};
use crate::finding::{AttackError, Bin, Finding};
use crate::linkage::{Assignment, Compared, MISSING, Options, Rates, assign, compare, decide, estimate};
use crate::membership::{distinguishing, presence};
use crate::rate::Rate;

/// Subsets of columns that are tried for each number of attributes.
const SUBSETS: usize = 40;
/// The most people who are compared with all records that share a block with them.
const MOST_LINKED: usize = 20_000;

pub(super) fn linkage(adversary: &Adversary<'_>) -> Result<Vec<Finding>, AttackError> {
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
    let links = assign(&pairs, &estimation, Assignment::Greedy).map_err(too_large)?;
    let rates = Rates { false_matches: 0.01, false_rejections: 0.1 };
    let linked = decide(&pairs, &estimation, &links, rates).map_err(too_large)?;
    let called: Vec<(u32, u32)> = linked.matches().map(|link| (link.person, link.record)).collect();
    let rows = adversary.crowd.count as u64;
    let own = |person: u32| adversary.truth?.record_of.get(person as usize).copied();
    let right = adversary
        .truth
        .map(|_| called.iter().filter(|(person, record)| own(*person) == Some(Some(*record))).count() as u64);
    let exposed = Rate::new(called.len() as u64, rows);
    let notes = vec![format!(
        "Of these links the model itself expects {:.0} to be false. Pairs compared: {}.",
        linked.estimated_false,
        pairs.pairs.len()
    )];
    Ok(vec![Finding {
        attack: "record-linkage",
        column: None,
        assumed: "an identified table of people, which may be wrong in places".to_owned(),
        success: "a record is called the person's, with at most 1 % of wrong pairs called so by the model"
            .to_owned(),
        exposed,
        right: right.map(|right| Rate::new(right, called.len() as u64)),
        control: None,
        control_group: None,
        risk: right.map_or(exposed.rate, |right| right as f64 / rows.max(1) as f64),
        histogram: Vec::new(),
        histogram_of: "",
        notes,
    }])
}

pub(super) fn membership(adversary: &Adversary<'_>) -> Result<Vec<Finding>, AttackError> {
    if !adversary.own_table {
        return Err(AttackError::Needs(
            "it needs a table of people some of whom are not in the data; give [people] in the knowledge file".to_owned(),
        ));
    }
    let found = presence(&released(adversary.release, &adversary.crowd), &people(&adversary.crowd))?;
    let chances = found.everybody();
    let mut bins = [0u64; 10];
    for chance in &chances {
        bins[((chance * 10.0 + 1e-9) as usize).min(9)] += 1;
    }
    let members = adversary.truth.map(|truth| &truth.member);
    let sure: Vec<u32> = (0..chances.len() as u32)
        .filter(|&person| chances[person as usize] >= adversary.confidence - 1e-12)
        .collect();
    let right = members.map(|members| sure.iter().filter(|&&person| members[person as usize]).count() as u64);
    let exposed = Rate::new(sure.len() as u64, chances.len() as u64);
    // Guessing "in the data" for everybody is right as often as people are in it.
    let control = members.map(|members| {
        Rate::new(members.iter().filter(|&&member| member).count() as u64, members.len() as u64)
    });
    let mut notes = Vec::new();
    if let Some(told) = members.and_then(|members| distinguishing(&chances, members)) {
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
    Ok(vec![Finding {
        attack: "membership",
        column: None,
        assumed: "a table of people among whom are all those in the data".to_owned(),
        success: format!(
            "the adversary is at least {} % sure that a person is in the data",
            crate::percent(adversary.confidence)
        ),
        exposed,
        right: right.map(|right| Rate::new(right, sure.len() as u64)),
        control_group: control.map(|_| "calling everybody of the table a member".to_owned()),
        control,
        risk: right.map_or(exposed.rate, |right| right as f64 / chances.len().max(1) as f64),
        histogram: (0..10)
            .map(|bin| Bin { from: bin as f64 / 10.0, to: (bin + 1) as f64 / 10.0, people: bins[bin] })
            .collect(),
        histogram_of: "people by how probable it is that they are in the data",
        notes,
    }])
}

pub(super) fn known_attributes(adversary: &Adversary<'_>) -> Result<Vec<Finding>, AttackError> {
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
    Ok(vec![Finding {
        attack: "known-attributes",
        column: None,
        assumed: format!("{known} of the quasi columns of each person, any of them equally likely"),
        success: "exactly one published record may be the person's".to_owned(),
        exposed: unique,
        right: None,
        control: None,
        control_group: None,
        risk: unique.rate,
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
    }])
}
