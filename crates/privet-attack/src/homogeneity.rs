//! Homogeneity (survey AT-02) and similarity (AT-05): finding the group of a person is enough when its records agree.
//!
//! All worlds are equally probable, which is random worlds without further knowledge (AT-11): within a group a value is as probable as
//! it is frequent, and where a person may stand in several groups, a group is as probable as there are worlds in which they do
//! (`chances.rs`). Where these are too many to be counted, every record that may be a person's is taken to be as probable, and only who
//! is sure whichever group it is counts. For similarity, values
//! are first recoded to what they have in common: a concept of a hierarchy. What is near in numbers is in `proximity.rs`.
//!
//! The control: the same attack against the same people by someone whose copy of the release lacks their own record. What
//! still succeeds is statistics about people like them, which no publisher can take back; the rest is theirs.

use foldhash::{HashMap, HashMapExt};
use privet_data::{Domain, Hierarchy};
use rayon::prelude::*;

use crate::attacks::ids;
use crate::attacks::{AttackWord, Role};
use crate::chances::Chances;
use crate::finding::{Belief, Beliefs, Found, Least, Verdict, Whom, whichever_group};
use crate::proximity::{self, Near};
use crate::rate::Rate;
use crate::target::{Place, Suspects, Target};

/// The word of the attack in files.
pub const HOMOGENEITY: &str = "homogeneity";

/// What it is.
pub(crate) const ABOUT_HOMOGENEITY: AttackWord = AttackWord {
    word: HOMOGENEITY,
    title: "Homogeneity",
    sentence: "The adversary gathers the records that may be a person’s and looks whether they agree on the sensitive value, because then it need not be known which of them is the person’s.",
    about: "groups whose records agree on a sensitive value",
    needs: None,
    quick: true,
    role: Role::Counts,
};

/// What the values of a sensitive column are taken for: themselves, or what several have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Alike {
    /// Per value its concept.
    pub concept_of: Vec<u32>,
    /// What a concept is, in words: `one of level 1 of the hierarchy`.
    pub what: String,
    /// Per concept its label, for the owner.
    pub labels: Vec<String>,
    /// Per concept whether it stands for a missing value.
    pub missing: Vec<bool>,
}

impl Alike {
    /// The concepts at a level of a hierarchy; values that it does not know stay themselves.
    pub fn level(domain: &Domain, hierarchy: &Hierarchy, level: usize) -> Option<Self> {
        let own = hierarchy.levels().get(level.checked_sub(1)?)?;
        // A level with one label has everything in common with everything.
        if own.labels.len() < 2 {
            return None;
        }
        let same = domain.sameness();
        let leaf_of: std::collections::HashMap<_, usize> =
            hierarchy.leaves().iter().enumerate().map(|(leaf, text)| (same.key(text), leaf)).collect();
        let concepts = own.labels.len() as u32;
        let concept_of = (0..domain.len() as u32)
            .map(|code| match leaf_of.get(&same.key(domain.text(code))) {
                Some(&leaf) if !domain.is_missing(code) => own.node_of_leaf[leaf],
                _ => concepts + code,
            })
            .collect();
        let labels = own.labels.iter().map(|label| label.to_string()).collect();
        let what = format!("values with one label at level {level} of the hierarchy");
        Some(Self::new(domain, concept_of, what, labels))
    }

    /// Concepts with labels, and behind them the values that stay themselves.
    fn new(domain: &Domain, concept_of: Vec<u32>, what: String, mut labels: Vec<String>) -> Self {
        let mut missing = vec![false; labels.len()];
        labels.extend(domain.texts().iter().map(|text| text.to_string()));
        missing.extend((0..domain.len() as u32).map(|code| domain.is_missing(code)));
        Self { concept_of, what, labels, missing }
    }

    /// Whether to be sure of a concept is to have learned something.
    pub(crate) fn tells(&self, concept: u32) -> bool {
        !self.missing.get(concept as usize).copied().unwrap_or(false)
    }
}

/// What the values of a sensitive column have in common.
#[derive(Debug, Clone, PartialEq)]
pub enum Similar {
    /// A concept of a hierarchy.
    Concepts(Alike),
    /// Numbers or dates that are near to each other.
    Near(Near),
}

impl Similar {
    /// The concepts at the first level of a hierarchy; where there are none, what is near, of the values that are published.
    pub fn new(domain: &Domain, hierarchy: Option<&Hierarchy>, occurs: impl Fn(u32) -> bool) -> Option<Self> {
        match hierarchy.and_then(|hierarchy| Alike::level(domain, hierarchy, 1)) {
            Some(alike) => Some(Self::Concepts(alike)),
            None => Near::new(domain, occurs).map(Self::Near),
        }
    }
}

/// The attack on what values have in common.
pub fn similarity(target: &Target<'_>, confidence: f64, similar: &Similar) -> Option<Found> {
    similarity_by(target, confidence, similar, &Chances::default())
}

/// The same by how probable it is that people stand where they may.
pub(crate) fn similarity_by(
    target: &Target<'_>,
    confidence: f64,
    similar: &Similar,
    chances: &Chances,
) -> Option<Found> {
    match similar {
        Similar::Concepts(alike) => attack_by(target, confidence, Some(alike), chances),
        Similar::Near(near) => proximity::attack_by(target, confidence, near, chances),
    }
}

/// Beliefs from the frequencies in the groups that may hold people; values stand for their concepts when some are given.
pub(crate) fn beliefs(target: &Target<'_>, alike: Option<&Alike>, chances: &Chances) -> Beliefs {
    let Some(column) = target.column() else { return Beliefs::default() };
    let concept = |value: u32| alike.map_or(value, |alike| alike.concept_of[value as usize]);
    let distinct = (0..target.people.profiles() as u32)
        .into_par_iter()
        .map(|profile| {
            let mut weights: Vec<(u32, f64)> = Vec::new();
            let (of_place, _) = chances.weights(target.people, profile);
            for (place, weight) in target.people.places(profile).iter().zip(of_place) {
                let each = weight / target.release.groups[place.group as usize].max(1) as f64;
                let cells = column.histograms.of(place.group).iter();
                weights.extend(cells.map(|&(value, count)| (concept(value), each * count as f64)));
            }
            pooled(target.people.places(profile).iter().map(|place| place.records).sum(), weights)
        })
        .collect();
    Beliefs { of_person: target.people.profile_of.clone(), distinct }
}

/// A belief from weights in which a value may occur several times.
fn pooled(candidates: u64, mut weights: Vec<(u32, f64)>) -> Belief {
    weights.sort_by_key(|own| own.0);
    let pooled = weights.chunk_by(|a, b| a.0 == b.0);
    Belief::of_weights(candidates, pooled.map(|run| (run[0].0, run.iter().map(|own| own.1).sum())))
}

/// The attack, with all records that may be somebody's as probable.
pub fn attack(target: &Target<'_>, confidence: f64, alike: Option<&Alike>) -> Option<Found> {
    attack_by(target, confidence, alike, &Chances::default())
}

/// The attack by how probable it is that people stand where they may.
pub(crate) fn attack_by(
    target: &Target<'_>,
    confidence: f64,
    alike: Option<&Alike>,
    chances: &Chances,
) -> Option<Found> {
    let column = target.column()?;
    // The truth in terms of concepts; a value that is never published is none of them.
    let concept = |value: u32| match alike {
        Some(alike) => alike.concept_of.get(value as usize).copied().unwrap_or(u32::MAX),
        None => value,
    };
    let truth = target.truth.map(|truth| {
        let mut truth = truth.clone();
        for value in truth.values[target.sensitive.unwrap_or(0)].iter_mut().flatten() {
            *value = concept(*value);
        }
        truth
    });
    let target = Target { truth: truth.as_ref(), ..*target };
    let beliefs = beliefs(&target, alike, chances);
    let control = target.truth.is_some().then(|| without_own_record(&target, alike, chances, confidence));
    let is_counted = is_counted(target.people, chances);
    let least = |person: u32, code: u32| match is_counted(person) {
        true => 1.0,
        false => whichever_group(&target, alike, person, code),
    };
    Some(
        Verdict {
            attack: if alike.is_some() { ids::SIMILARITY } else { HOMOGENEITY },
            assumed: ASSUMED.to_owned(),
            success: success(&column.name, confidence, alike.map(|alike| &*alike.what)),
            confidence,
            target,
            whom: Whom::People,
            beliefs,
            alike,
            control,
            stated: Vec::new(),
            least: Some(Least::wherever(least)),
            notes: Vec::new(),
        }
        .found(),
    )
}

/// Whether what is believed of a person is what all worlds give, so that nothing else has to make as sure.
pub(crate) fn is_counted<'c>(people: &'c Suspects, chances: &'c Chances) -> impl Fn(u32) -> bool + 'c {
    let of_profile: Vec<bool> =
        (0..people.profiles() as u32).map(|profile| chances.weights(people, profile).1).collect();
    move |person: u32| {
        let profile = people.profile_of.get(person as usize);
        profile.and_then(|&own| of_profile.get(own as usize)).is_some_and(|own| *own)
    }
}

/// What the adversary is given.
pub(crate) const ASSUMED: &str = "who is in the data, their identifying columns, and how labels are read";

/// What counts as success.
pub(crate) fn success(column: &str, confidence: f64, alike: Option<&str>) -> String {
    let what = alike.map_or("of the value".to_owned(), |alike| format!("that it is one of {alike}"));
    format!(
        "the records that may be a person's make the adversary at least {} % sure {what} in {column}",
        crate::percent(confidence)
    )
}

/// The people about whom the adversary would be sure, and right, had their own record not been published. They are all of the
/// data who are looked for: of those whose record was suppressed none can be taken out, and the attack on them is as it was.
fn without_own_record(
    target: &Target<'_>,
    alike: Option<&Alike>,
    chances: &Chances,
    confidence: f64,
) -> (Rate, String) {
    let concept = |value: u32| alike.map_or(value, |alike| alike.concept_of[value as usize]);
    let tells = |code: u32| match (alike, target.column()) {
        (Some(alike), _) => alike.tells(code),
        (None, column) => column.is_none_or(|column| !column.domain.is_missing(code)),
    };
    let (mut hits, mut people) = (0, 0);
    // People who look alike, stand in the same group and have the same value share an answer.
    let mut known: HashMap<(u32, Option<u32>, Option<u32>), bool> = HashMap::new();
    for (person, &profile) in (0..).zip(&target.people.profile_of) {
        if target.is_outside(person) {
            continue;
        }
        people += 1;
        let truth = target.value_of(person);
        let own = target
            .group_of(person)
            .filter(|own| target.people.places(profile).iter().any(|place| place.group == *own));
        let falls = known.entry((profile, own.filter(|_| truth.is_some()), truth)).or_insert_with(|| {
            let (weights, is_counted) = chances.weights(target.people, profile);
            let places: Vec<(Place, f64)> =
                target.people.places(profile).iter().copied().zip(weights).collect();
            let guess = without(target, &places, own.zip(truth), &concept).best(tells);
            let is_right = |value: u32| truth.is_none_or(|truth| truth == value);
            // As for the attack itself: whichever group it is.
            let holds = |value: u32| {
                let of = |place| without(target, std::slice::from_ref(place), own.zip(truth), &concept);
                let left = places.iter().map(of).filter(|own| own.candidates > 0);
                is_counted || left.map(|own| own.of(value)).all(|sure| sure >= confidence - 1e-9)
            };
            guess.is_some_and(|(value, sure)| is_right(value) && sure >= confidence - 1e-12 && holds(value))
        });
        hits += u64::from(*falls);
    }
    (Rate::new(hits, people), crate::linking::WITHOUT.to_owned())
}

/// What is believed of people who may stand there when a record with this concept is taken out of a group.
fn without(
    target: &Target<'_>,
    places: &[(Place, f64)],
    own: Option<(u32, u32)>,
    concept: &impl Fn(u32) -> u32,
) -> Belief {
    let Some(column) = target.column() else { return Belief::default() };
    let mut weights: Vec<(u32, f64)> = Vec::new();
    let mut candidates = 0;
    for (place, weight) in places {
        let taken = own.filter(|own| own.0 == place.group);
        let gone = u64::from(taken.is_some());
        let (size, records) = (target.release.groups[place.group as usize] - gone, place.records - gone);
        // What is left of the group's weight, spread over its records.
        let each = weight * records as f64 / place.records.max(1) as f64 / size.max(1) as f64;
        candidates += records;
        let cells = column.histograms.of(place.group).iter();
        weights.extend(cells.map(|&(value, count)| (concept(value), each * count as f64)));
        weights.extend(taken.map(|(_, truth)| (truth, -each)));
    }
    pooled(candidates, weights)
}

#[cfg(test)]
pub(crate) mod tests {
    use privet_data::Silent;
    use privet_data::hierarchy::parse_hierarchy;
    use privet_data::io::{ReadOptions, read_csv_bytes};
    use privet_release::Published;

    use super::*;
    use crate::target::{Suspects, Truth};

    /// FX-1.2: the 4-anonymous table of the survey.
    pub(crate) fn table_1_2() -> Published {
        let csv = "age,gender,zip,nationality,condition\n".to_owned()
            + &["HD", "HD", "VI", "VI"].map(|c| format!("20-29,*,130**,*,{c}\n")).concat()
            + &["Cancer", "Flu", "HD", "Flu"].map(|c| format!("40-59,*,14***,Asian,{c}\n")).concat()
            + &["Cancer"; 4].map(|c| format!("30-39,*,1322*,American,{c}\n")).concat();
        let table = read_csv_bytes(csv.as_bytes(), &ReadOptions::default()).unwrap().table;
        Published::of_table(table, vec![0, 1, 2, 3], vec![4], &Silent).unwrap()
    }

    pub(crate) fn everyone(release: &Published) -> (Suspects, Truth) {
        let people = Suspects::in_groups(release.group_of.iter().map(|&g| Some(g)), &release.groups);
        let codes = release.sensitive[0].codes.clone().unwrap();
        let truth = Truth {
            record_of: (0..release.table.rows as u32).map(Some).collect(),
            values: vec![codes.into_iter().map(Some).collect()],
            member: vec![Some(true); release.table.rows],
        };
        (people, truth)
    }

    /// survey AT-02, FX-1.2: class 3 is homogeneous, so four of twelve people are exposed, and rightly.
    #[test]
    fn the_third_class_falls() {
        let release = table_1_2();
        let (people, truth) = everyone(&release);
        let target = Target { release: &release, sensitive: Some(0), people: &people, truth: Some(&truth) };
        let finding = attack(&target, 1.0, None).unwrap().finding;
        assert_eq!((finding.exposed.hits, finding.exposed.of), (4, 12));
        assert_eq!(finding.right.map(|right| right.hits), Some(4));
        assert!((finding.risk - 1.0 / 3.0).abs() < 1e-12);
        // Without their own record the other three say the same: here statistics alone would tell.
        assert_eq!(finding.control.map(|control| control.hits), Some(4));
        // At half, everybody of class 1 is exposed (2 of 4 each), half of them rightly; so are those with flu.
        let finding = attack(&target, 0.5, None).unwrap().finding;
        assert_eq!(finding.exposed.hits, 12);
        assert_eq!(finding.right.map(|right| right.hits), Some(2 + 2 + 4));
    }

    /// survey AT-05, FX-2.F1: three diseases of the stomach are three values and one concept.
    #[test]
    fn stomach_diseases_are_one() {
        let csv = "zip,disease\n".to_owned()
            + &"1,ulcer\n".repeat(3)
            + &"1,dyspepsia\n".repeat(3)
            + &"1,gastroenteritis\n".repeat(4)
            + "2,ulcer\n2,angina\n";
        let table = read_csv_bytes(csv.as_bytes(), &ReadOptions::default()).unwrap().table;
        let release = Published::of_table(table, vec![0], vec![1], &Silent).unwrap();
        let hierarchy = parse_hierarchy(
            b"ulcer;stomach;*\ndyspepsia;stomach;*\ngastroenteritis;stomach;*\nangina;heart;*\n",
        )
        .unwrap();
        let (people, truth) = everyone(&release);
        let target = Target { release: &release, sensitive: Some(0), people: &people, truth: Some(&truth) };
        assert_eq!(attack(&target, 0.9, None).unwrap().finding.exposed.hits, 0);
        let alike = Alike::level(&release.sensitive[0].domain, &hierarchy, 1).unwrap();
        let finding = attack(&target, 0.9, Some(&alike)).unwrap().finding;
        assert_eq!((finding.attack, finding.exposed.hits), ("similarity", 10));
        assert!(Alike::level(&release.sensitive[0].domain, &hierarchy, 2).is_none());
    }
}
