//! The worst that somebody could know: (c,k)-safety (survey PM-12, AT-04) and 3D privacy (PM-13) as attacks.
//!
//! Nobody is said to know it. These tell how little would be needed: a person is exposed when the worst knowledge of this
//! size makes the adversary sure of their value. They have no risk of their own; who wants to bound them promises the
//! criterion of the same name.

use std::collections::BTreeMap;

use privet_criteria::{Class, Histogram, Requirement, SensitiveColumn, Summaries, build};

use super::Adversary;
use crate::finding::{AttackError, Conclusions, Fate, Finding, Found, Score, Whom, tenths};
use crate::linking::candidates_alone;
use crate::target::Target;
use crate::worlds::ck_worst;

/// So many statements somebody is taken to know.
const STATEMENTS: u32 = 1;

/// The counts of the sensitive values of each group, the largest first.
fn counts(target: &Target<'_>) -> Vec<Vec<u64>> {
    let Some(column) = target.column() else { return Vec::new() };
    let of = |group| {
        let mut counts: Vec<u64> = column.histograms.of(group).iter().map(|cell| cell.1).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    };
    (0..target.release.groups.len() as u32).map(of).collect()
}

pub(super) fn boolean(adversary: &Adversary<'_>, target: &Target<'_>) -> Result<Option<Found>, AttackError> {
    let groups = counts(target);
    // Groups that are alike are equally in danger.
    let mut chances: foldhash::HashMap<&[u64], f64> = foldhash::HashMap::default();
    let sure: Vec<f64> = groups
        .iter()
        .map(|own| {
            *chances.entry(own).or_insert_with(|| ck_worst(std::slice::from_ref(own), STATEMENTS).chance)
        })
        .collect();
    let worst = |k: u32| ck_worst(&groups, k).chance;
    let notes = vec![
        format!(
            "The worst that any statements about the whole table would tell, with none, one, two and three of them: {:.3}, {:.3}, {:.3}, {:.3}.",
            worst(0),
            worst(1),
            worst(2),
            worst(3)
        ),
        "To bound this, promise `c-k-safety`.".to_owned(),
    ];
    let success = format!(
        "{STATEMENTS} statement of the form \"if this person has this value, then that person has that\" about people of the same \
         group makes the adversary at least {} % sure of a value",
        crate::percent(adversary.confidence)
    );
    Ok(Some(found(
        "boolean",
        "the worst statement of that form that is true, chosen for each person",
        success,
        adversary,
        target,
        &sure,
        notes,
    )))
}

pub(super) fn three_d(adversary: &Adversary<'_>, target: &Target<'_>) -> Result<Option<Found>, AttackError> {
    let Some(column) = target.column() else { return Ok(None) };
    let rule = Requirement::ThreeD {
        l: 1,
        k: 1,
        m: 1,
        c: Some(1.0),
        points: Vec::new(),
        values: BTreeMap::new(),
        column: Some(column.name.clone()),
    };
    let total = column.histograms.total(column.domain.len());
    let own = SensitiveColumn { name: &column.name, domain: &column.domain, counts: &total, hierarchy: None };
    let built = build(&[rule], &[own], None, target.release.table.rows as u64);
    let [criterion] = &built.map_err(|error| AttackError::Needs(error.to_string()))?[..] else {
        return Ok(None);
    };
    let mut classes = Summaries::default();
    let mut counts = vec![0u32; column.domain.len()];
    for (group, &rows) in (0..).zip(&target.release.groups) {
        let cells = column.histograms.of(group);
        let present: Vec<u32> = cells.iter().map(|cell| cell.0).collect();
        for &(value, count) in cells {
            counts[value as usize] = u32::try_from(count).unwrap_or(u32::MAX);
        }
        let histogram = Histogram { counts: &counts, present: &present, total: rows };
        classes.add(&**criterion, &Class { rows, population: 0, histograms: &[histogram] });
        for &value in &present {
            counts[value as usize] = 0;
        }
    }
    let sure = criterion.reached_together(&classes);
    let notes = vec![
        format!("The surest that anybody could be: {:.3}.", sure.iter().copied().fold(0.0, f64::max)),
        "To bound this, promise `three-d`.".to_owned(),
    ];
    let success = format!(
        "knowing one value that a person does not have, the value of one other, and one who would give the person away makes \
         the adversary at least {} % sure of a value",
        crate::percent(adversary.confidence)
    );
    Ok(Some(found(
        "three-d",
        "the worst such knowledge, chosen for each person",
        success,
        adversary,
        target,
        &sure,
        notes,
    )))
}

/// How sure somebody could be of people. Who may stand in several groups is believed the mixture of them, each by its
/// records: the worst knowledge about a group tells nothing about one who stands elsewhere. Since the worst of each may be
/// about another value, this bounds what one such statement could tell; for people of one group it is exact.
fn found(
    attack: &'static str,
    assumed: &str,
    success: String,
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    sure: &[f64],
    mut notes: Vec<String>,
) -> Found {
    let chances = |profile: u32| {
        let places = target.people.places(profile);
        let candidates = places.iter().map(|place| place.records).sum::<u64>().max(1) as f64;
        let own = places.iter().map(|place| (place, sure.get(place.group as usize).copied().unwrap_or(0.0)));
        own.fold((0.0, 0.0f64), |(mixture, worst), (place, own)| {
            (mixture + own * place.records as f64 / candidates, worst.max(own))
        })
    };
    let of_profile: Vec<(f64, f64)> = (0..target.people.profiles() as u32).map(chances).collect();
    let own = |profile: &u32| of_profile.get(*profile as usize).copied().unwrap_or_default();
    let is_sure = |chance: f64| chance >= adversary.confidence - 1e-12;
    let chance: Vec<f64> = target.people.profile_of.iter().map(|profile| own(profile).0).collect();
    let fate: Vec<Fate> = chance.iter().map(|&own| Fate::of(is_sure(own).then_some(None))).collect();
    let score = Score::count(&fate);
    let in_one = target.people.profile_of.iter().filter(|profile| is_sure(own(profile).1)).count() as u64;
    if in_one > score.exposed().hits {
        notes.push(format!(
            "Some people may stand in several groups, and count by the mixture of these; {in_one} would be exposed to \
             somebody who also knew in which."
        ));
    }
    let finding = Finding {
        attack,
        column: target.column().map(|column| column.name.clone()),
        assumed: format!("who is in the data, their quasi columns, and {assumed}"),
        success,
        exposed: score.exposed(),
        right: None,
        control: None,
        control_group: None,
        // How little would be needed, not what anybody knows: it does not count as an attack that succeeded.
        risk: 0.0,
        histogram: tenths(chance.iter().copied()),
        histogram_of: "people by how sure somebody could be of their value",
        notes,
    };
    let conclusions = Conclusions {
        attack,
        column: target.sensitive,
        whom: Whom::People,
        beliefs: candidates_alone(target.people, &target.people.candidates()),
        concepts: None,
        chance: Some(chance),
        fate,
    };
    Found { finding, conclusions: Some(conclusions) }
}
