//! deFinetti's attack (survey AT-12): people are exchangeable, so what one group shows about how values go with quasi
//! columns is learned from for all others.
//!
//! The targets are the published records. Buckets show their quasi columns; of classes the adversary must know who is in
//! them, with their own values, or there is nothing to learn from within a class: then labels are used, which still tell
//! classes apart.
//!
//! Where there are few worlds all of them are gone through, and what is believed is exact. Otherwise walks through worlds are
//! averaged, and a record counts only where it would although its chance lies some standard errors below that.
//!
//! Its time grows with the table times the rounds of a walk. Above [`Adversary::most_records`] it is made on whole groups
//! drawn at random, of so many records together, and says so: what a group tells is learned from the groups that are
//! drawn, so a large sample tells nearly what all of them would.

use foldhash::HashMap;
use privet_data::{Progress, Random};
use privet_release::Published;
use privet_release::published::SensitiveColumn;

use super::Adversary;
use super::held::without;
use crate::attacks::{AttackWord, Role};
use crate::chances::Chances;
use crate::finding::{AttackError, Belief, Beliefs, Conclusions, Fate, Found, Least, Verdict, Whom};
use crate::homogeneity;
use crate::note::Note;
use crate::rate::Rate;
use crate::reasoners::{DeFinetti, ExactDeFinetti, Model, Reasoner, View};
use crate::target::{Place, Suspects, Target, Truth};
use crate::worlds::{Bucket, count_worlds};

/// The word of the attack in files.
pub const DEFINETTI: &str = "definetti";

/// What it is.
pub(crate) const ABOUT_DEFINETTI: AttackWord = AttackWord {
    word: DEFINETTI,
    title: "Learning from all buckets (deFinetti)",
    sentence: "The adversary learns from all groups together which kinds of people tend to have which value, and uses that to tell within a group whose value is whose.",
    about: "what the other groups teach about one (exchangeability)",
    needs: None,
    quick: false,
    role: Role::Counts,
};

pub(super) fn attack(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    progress: &dyn Progress,
) -> Result<Option<Found>, AttackError> {
    let rows = target.release.table.rows;
    if rows <= adversary.most_records {
        return whole(adversary, target, progress);
    }
    let part = Part::new(target, adversary.most_records, adversary.seed);
    let own = Target { release: &part.release, people: &part.people, truth: part.truth.as_ref(), ..*target };
    let theirs = Adversary {
        release: &part.release,
        suspects: &part.people,
        truth: part.truth.as_ref(),
        control: None,
        ..adversary.clone()
    };
    let mut found = whole(&theirs, &own, progress)?;
    if let Some(found) = &mut found {
        // Records of the part have other numbers.
        found.conclusions = None;
        found.finding.notes.push(Note::of_release(format!(
            "It was made on a random sample of the groups, with {} of {rows} records: on all of them it would take too long.",
            part.release.table.rows
        )));
    }
    Ok(found)
}

/// Some groups of a release, drawn at random, and the people who may stand in them.
struct Part {
    release: Published,
    people: Suspects,
    truth: Option<Truth>,
}

impl Part {
    fn new(target: &Target<'_>, records: usize, seed: u64) -> Self {
        let own = target.release;
        let mut order: Vec<u32> = (0..own.groups.len() as u32).collect();
        Random::stream(seed, 12).shuffle(&mut order);
        // At least two groups, or there is no other to learn from.
        let (mut drawn, mut sum) = (vec![false; own.groups.len()], 0);
        for (number, &group) in order.iter().enumerate() {
            let size = own.groups[group as usize];
            if number < 2 || sum + size <= records as u64 {
                drawn[group as usize] = true;
                sum += size;
            }
        }
        let gone: Vec<bool> = own.group_of.iter().map(|&group| !drawn[group as usize]).collect();
        let nothing = vec![HashMap::default(); own.sensitive.len()];
        let (release, number_of_group, number_of_record) = without(own, &gone, &nothing);
        let renumbered = |place: &Place| {
            let group = number_of_group.get(place.group as usize).copied().flatten()?;
            Some(Place { group, records: place.records })
        };
        let mut people = Suspects {
            profile_of: target.people.profile_of.clone(),
            starts: vec![0],
            groups: Vec::new(),
            strangers: 0,
        };
        for profile in 0..target.people.profiles() as u32 {
            people.groups.extend(target.people.places(profile).iter().filter_map(renumbered));
            people.starts.push(people.groups.len());
        }
        let truth = target.truth.map(|truth| {
            let mut truth = truth.clone();
            for record in &mut truth.record_of {
                *record = record.and_then(|record| number_of_record.get(record as usize).copied().flatten());
            }
            truth
        });
        Self { release, people, truth }
    }
}

fn whole(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    progress: &dyn Progress,
) -> Result<Option<Found>, AttackError> {
    let (release, Some(column)) = (target.release, target.column()) else { return Ok(None) };
    if release.groups.len() < 2 {
        return Err(AttackError::Needs("there is one group only, and no other to learn from".to_owned()));
    }
    let known = people_of_records(adversary, target);
    // Records of classes are published with their values: what is learned is learned of people, if it is known where they stand.
    let may_stand_elsewhere = |person: u32| target.people.places_of(person).len() > 1;
    if known.is_none()
        && !release.separates_values()
        && (0..target.people.people() as u32).any(may_stand_elsewhere)
    {
        return Err(AttackError::Needs(
            "people may stand in several classes, whose labels overlap, so that nobody knows who is in each"
                .to_owned(),
        ));
    }
    let qi = known_codes(adversary, release, known.as_deref());
    let domains: Vec<u32> = qi.iter().map(|codes| codes.iter().max().map_or(1, |&most| most + 1)).collect();
    let groups = buckets(release, column);
    let columns: Vec<&[u32]> = qi.iter().map(Vec::as_slice).collect();
    let view = View { qi: &columns, qi_domains: &domains, groups: &groups };
    let walks = DeFinetti { seed: adversary.seed, ..DeFinetti::default() };
    let few = few_worlds(&view, release.table.rows);
    let found = match few {
        Some(limit) => {
            ExactDeFinetti { prior: walks.prior, model: Model::NaiveBayes, limit }.beliefs(&view, progress)?
        }
        None => walks.beliefs(&view, progress)?,
    };
    let distinct = (0..release.table.rows as u32)
        .map(|record| {
            let candidates = release.groups[release.group_of[record as usize] as usize];
            // What rounding alone makes must not decide between values that are as probable.
            let rounded = |&(value, chance): &(u32, f64)| (value, (chance * 1e12).round() / 1e12);
            Belief::of_weights(candidates, found.of(record).iter().map(rounded))
        })
        .collect();
    let beliefs = Beliefs { of_person: (0..release.table.rows as u32).collect(), distinct };
    // Records as people: the truth of a record is its own value, where it is published with it or the owner tells.
    let people = Suspects::in_groups(release.group_of.iter().map(|&group| Some(group)), &release.groups);
    let truth = truth_of_records(adversary, target, known.as_deref());
    let records = Target { release, sensitive: target.sensitive, people: &people, truth: truth.as_ref() };
    let control = control_by_frequencies(&records, adversary.confidence);
    let mut notes: Vec<Note> = learned_note(&records, column, &beliefs).into_iter().collect();
    notes.extend(assumptions(release, known.is_some(), few.is_some()));
    notes.extend(disagreement_note(&found, release.table.rows));
    let mut found = Verdict {
        attack: DEFINETTI,
        assumed: "the release, and the identifying columns of those in it".to_owned(),
        success: format!(
            "learning from all groups makes the adversary at least {} % sure of a record's value",
            crate::percent(adversary.confidence)
        ),
        confidence: adversary.confidence,
        target: records,
        whom: Whom::Records,
        beliefs,
        alike: None,
        control,
        stated: Vec::new(),
        least: Some(Least {
            of: Box::new(|record, value| found.least(record, value)),
            otherwise: "more of whom one seems to be as sure, but only within the error of the walks.",
        }),
        notes,
    }
    .found();
    if let (Some(person_of), Some(own)) = (known, &mut found.conclusions) {
        about_people(own, &person_of, target.people.people());
    }
    Ok(Some(found))
}

/// What is known of the people of each record by identifying column: their own values, or what is published.
fn known_codes(adversary: &Adversary<'_>, release: &Published, known: Option<&[u32]>) -> Vec<Vec<u32>> {
    let qi: Vec<Vec<u32>> = match known {
        Some(person_of) => adversary
            .crowd
            .shared
            .iter()
            .map(|own| {
                let most = own.coverage.values();
                person_of.iter().map(|&person| own.values[person as usize].min(most)).collect()
            })
            .collect(),
        None => release.quasi.iter().map(|&position| release.table.columns[position].codes.clone()).collect(),
    };
    qi.into_iter().map(coarse).collect()
}

/// The records of each group, and the values that they have among them.
fn buckets(release: &Published, column: &SensitiveColumn) -> Vec<Bucket> {
    let mut groups: Vec<Bucket> = vec![Bucket::default(); release.groups.len()];
    for (record, &group) in (0..).zip(&release.group_of) {
        groups[group as usize].people.push(record);
    }
    for (group, bucket) in (0..).zip(&mut groups) {
        let cells = column.histograms.of(group).iter();
        bucket.values =
            cells.flat_map(|&(value, count)| std::iter::repeat_n(value, count as usize)).collect();
    }
    groups
}

/// How often the best guess is right, beside the best guess by frequencies within the group alone; where the truth is known.
fn learned_note(records: &Target<'_>, column: &SensitiveColumn, beliefs: &Beliefs) -> Option<Note> {
    let accuracy = |beliefs: &Beliefs| {
        let truth = records.truth?;
        let values = truth.values.get(records.sensitive?)?;
        let tells = |value: u32| !column.domain.is_missing(value);
        let right = (0..records.release.table.rows as u32)
            .filter(|&record| {
                values[record as usize].is_some()
                    && beliefs.of(record).and_then(|own| own.best(tells)).map(|own| own.0)
                        == values[record as usize]
            })
            .count();
        Some(right as f64 / records.release.table.rows.max(1) as f64)
    };
    let plain = homogeneity::beliefs(records, None, &Chances::default());
    let (learned, plain) = accuracy(beliefs).zip(accuracy(&plain))?;
    Some(Note::of_original(format!(
        "The best guess is right for {} % of the records; for {} % by frequencies within the group alone.",
        crate::percent(learned),
        crate::percent(plain)
    )))
}

/// Of how many records the walks disagree, where they do.
fn disagreement_note(found: &crate::worlds::Beliefs, rows: usize) -> Option<Note> {
    let disagree = |record: u32| {
        found.of(record).iter().any(|&(value, _)| found.standard_error(record, value) > DISAGREEING)
    };
    let apart = (0..rows as u32).filter(|&record| disagree(record)).count();
    (apart > 0).then(|| {
        Note::of_release(format!(
            "Of {apart} records the walks disagree, by a standard error of more than {} %.",
            crate::percent(DISAGREEING)
        ))
    })
}

/// What frequencies within each group alone tell of the same records.
fn control_by_frequencies(records: &Target<'_>, confidence: f64) -> Option<(Rate, String)> {
    homogeneity::attack(records, confidence, None).map(|alone| {
        let alone = alone.finding;
        (
            Rate::new((alone.risk * alone.exposed.of as f64).round() as u64, alone.exposed.of),
            "the same records, by frequencies within their group alone".to_owned(),
        )
    })
}

/// What the adversary knows of the people in a group, and whether all worlds were gone through.
fn assumptions(release: &Published, is_known: bool, is_exact: bool) -> [Note; 2] {
    let who = Note::of_release(match is_known {
        true => "The adversary knows who is in each class, with their own values.".to_owned(),
        false if release.shows_identities() => "Buckets show the identifying columns as they are.".to_owned(),
        false => {
            "Only labels are known of the people in a class, which are the same for all of them.".to_owned()
        }
    });
    let how = Note::of_release(match is_exact {
        true => "All worlds were gone through.".to_owned(),
        false => {
            "There are too many worlds to go through: twelve walks through them were averaged.".to_owned()
        }
    });
    [who, how]
}

/// All worlds are gone through where that takes so many steps at most.
const MOST_STEPS: u128 = 10_000_000;
/// A standard error above which walks are said to disagree.
const DISAGREEING: f64 = 0.05;

/// How many worlds there are, where all can be gone through.
fn few_worlds(view: &View<'_>, rows: usize) -> Option<u64> {
    let worlds = count_worlds(view.groups).0?;
    let steps = worlds.checked_mul(rows as u128 * (view.qi.len() as u128 + 1))?;
    u64::try_from(worlds).ok().filter(|_| steps <= MOST_STEPS)
}

/// Conclusions about records as conclusions about the people who stand for them.
fn about_people(own: &mut Conclusions, person_of: &[u32], people: usize) {
    let nothing = own.beliefs.distinct.len() as u32;
    own.beliefs.distinct.push(Belief::default());
    let (mut of_person, mut fate) = (vec![nothing; people], vec![Fate::Hidden; people]);
    for (record, &person) in person_of.iter().enumerate() {
        of_person[person as usize] = own.beliefs.of_person[record];
        fate[person as usize] = own.fate[record];
    }
    own.beliefs.of_person = of_person;
    (own.fate, own.whom) = (fate, Whom::People);
}

/// A column with many values teaches nothing about any one of them; neighbours in its order are taken together.
fn coarse(codes: Vec<u32>) -> Vec<u32> {
    const MOST: usize = 64;
    let mut seen = codes.clone();
    seen.sort_unstable();
    seen.dedup();
    if seen.len() <= MOST {
        return codes;
    }
    let place = |code: u32| seen.partition_point(|&own| own < code) * MOST / seen.len();
    codes.into_iter().map(|code| place(code) as u32).collect()
}

/// Per record a person of its class, when it is known who is in every class. Which of them is of no account: within a class
/// they are what the attack tells apart.
fn people_of_records(adversary: &Adversary<'_>, target: &Target<'_>) -> Option<Vec<u32>> {
    if target.release.separates_values() || adversary.crowd.shared.is_empty() {
        return None;
    }
    let mut of_group: Vec<Vec<u32>> = vec![Vec::new(); target.release.groups.len()];
    for person in 0..target.people.people() as u32 {
        match target.people.places_of(person) {
            [place] => of_group[place.group as usize].push(person),
            [] => {}
            _ => return None,
        }
    }
    let complete =
        of_group.iter().zip(&target.release.groups).all(|(people, &size)| people.len() as u64 == size);
    if !complete {
        return None;
    }
    let mut next = vec![0usize; of_group.len()];
    let of = target.release.group_of.iter().map(|&group| {
        let place = &mut next[group as usize];
        *place += 1;
        of_group[group as usize][*place - 1]
    });
    Some(of.collect())
}

/// The values of records, or of the people who stand for them.
fn truth_of_records(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    person_of: Option<&[u32]>,
) -> Option<Truth> {
    let release = target.release;
    let rows = release.table.rows;
    let sensitive = target.sensitive?;
    let mut values = vec![None; rows];
    match person_of {
        Some(person_of) => {
            adversary.truth?;
            for (value, &person) in values.iter_mut().zip(person_of) {
                *value = target.value_of(person);
            }
        }
        None => match &release.sensitive[sensitive].codes {
            Some(codes) => values = codes.iter().map(|&code| Some(code)).collect(),
            None => {
                let truth = adversary.truth?;
                for (person, record) in (0..).zip(&truth.record_of) {
                    if let Some(record) = record {
                        values[*record as usize] = target.value_of(person);
                    }
                }
            }
        },
    }
    let mut all = vec![Vec::new(); release.sensitive.len()];
    all[sensitive] = values;
    Some(Truth {
        record_of: (0..rows as u32).map(Some).collect(),
        values: all,
        member: vec![Some(true); rows],
    })
}
