//! Linking (survey AT-01): who has a single record that may be theirs.
//!
//! A person with one candidate record is re-identified in the adversary's eyes, rightly or not: that record may be of
//! somebody else when the person is not in the data, was suppressed, or when what the adversary knows is wrong.
//!
//! The control: the same people, had their own record not been published. Whoever then has one candidate is pointed at by
//! chance. In a release without groups of one nobody is: its groups were formed to be larger, and one of two people without
//! the other would have been put elsewhere or left out. Counting those would tell of smaller groups, not of people who are
//! not in the data.

use crate::attacks::{AttackWord, Role};
use crate::finding::{Belief, Beliefs, Bin, Conclusions, Fate, Finding, Found, Score, Unit, Whom};
use crate::histogram::HistogramOf;
use crate::note::Note;
use crate::rate::Rate;
use crate::target::{Suspects, Target};
use privet_kind::Basis;

/// The word of the attack in files.
pub const LINKING: &str = "linking";

/// What it is.
pub(crate) const ABOUT_LINKING: AttackWord = AttackWord {
    word: LINKING,
    title: "Linking",
    sentence: "The adversary takes what is known about a person from elsewhere, such as age and place of residence, and looks how few published records fit.",
    about: "which records may be whose",
    needs: None,
    quick: true,
    role: Role::CountsOnClasses,
};

/// The attack.
pub fn attack(target: &Target<'_>) -> Found {
    let people = target.people.people() as u32;
    let candidates = target.people.candidates();
    let of = |person: u32| candidates[target.people.profile_of[person as usize] as usize];
    // The record of a person whose candidates are one.
    let own = |person: u32| {
        let one = target.people.places_of(person).iter().find(|place| place.records == 1);
        target
            .truth
            .map(|_| target.group_of(person).is_some_and(|own| one.is_some_and(|one| one.group == own)))
    };
    let fate: Vec<Fate> =
        (0..people).map(|person| Fate::of((of(person) == 1).then(|| own(person)))).collect();
    let score = Score::count(&fate);
    // All of the data who are looked for: whose record was suppressed is pointed at by chance as it is.
    let control = target.truth.map(|_| {
        let holds = |person: u32| {
            let places = target.people.places_of(person);
            target.group_of(person).is_some_and(|own| places.iter().any(|place| place.group == own))
        };
        let is_by_chance = |&person: &u32| of(person) - u64::from(holds(person)) == 1;
        let inside = || (0..people).filter(|&person| !target.is_outside(person));
        let by_chance = match has_single(&target.release.groups) {
            true => inside().filter(is_by_chance).count(),
            false => 0,
        };
        Rate::new(by_chance as u64, inside().count() as u64)
    });
    let found = target.people.profile_of.iter().map(|&profile| candidates[profile as usize]);
    let nobody = found.clone().filter(|&candidates| candidates == 0).count() as u64;
    let least = found.clone().filter(|&candidates| candidates > 0).min();
    let finding = Finding {
        exposed: score.exposed(),
        right: score.right(),
        control_group: control.map(|_| WITHOUT.to_owned()),
        baseline: None,
        control,
        risk: score.risk(),
        histogram: sizes(found.map(|candidates| (candidates, 1))),
        notes: notes(least, nobody, Basis::Original),
        ..blank()
    };
    let conclusions = Conclusions {
        attack: LINKING,
        column: None,
        whom: Whom::People,
        beliefs: candidates_alone(target.people, &candidates),
        concepts: None,
        chance: None,
        fate,
        truth: None,
    };
    Found { finding, conclusions: Some(conclusions), failed: Vec::new() }
}

/// Beliefs that say nothing but how many records may be a person's.
pub(crate) fn candidates_alone(people: &Suspects, candidates: &[u64]) -> Beliefs {
    let belief = |&candidates: &u64| Belief { candidates, values: Vec::new() };
    Beliefs { of_person: people.profile_of.clone(), distinct: candidates.iter().map(belief).collect() }
}

/// Whether there is a group of one record.
pub(crate) fn has_single(groups: &[u64]) -> bool {
    groups.contains(&1)
}

/// Who the control group is.
pub(crate) const WITHOUT: &str = "the same people, attacked without their own record";

/// What is the same for every such attack.
pub(crate) fn blank() -> Finding {
    Finding {
        attack: LINKING,
        column: None,
        assumed: "an identified table of people with their identifying columns, and how labels are read"
            .to_owned(),
        success: "exactly one published record may be the person's".to_owned(),
        unit: Unit::People,
        exposed: Rate::new(0, 0),
        right: None,
        control: None,
        control_group: None,
        baseline: None,
        risk: 0.0,
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Candidates,
        notes: Vec::new(),
    }
}

pub(crate) fn notes(least: Option<u64>, nobody: u64, basis: Basis) -> Vec<Note> {
    let mut notes = Vec::new();
    if let Some(least) = least {
        notes.push(Note::of_release(format!("The fewest records that may be one person's: {least}.")));
    }
    if nobody > 0 {
        notes.push(Note::of_release(format!("People whom no published record fits: {nobody}.")));
    }
    notes.into_iter().map(|note| Note { basis, ..note }).collect()
}

/// People by how many records may be theirs, in bins that double: 0, 1, 2, 3-4, 5-8, …
pub(crate) fn sizes(candidates: impl Iterator<Item = (u64, u64)>) -> Vec<Bin> {
    let mut people = Vec::new();
    for (candidates, more) in candidates {
        let bin = match candidates {
            0 => 0,
            n => 1 + (64 - (n - 1).leading_zeros() as usize),
        };
        if people.len() <= bin {
            people.resize(bin + 1, 0);
        }
        people[bin] += more;
    }
    let bounds = |bin: usize| match bin {
        0 => (0.0, 0.0),
        1 => (1.0, 1.0),
        _ => (((1u64 << (bin - 2)) + 1) as f64, 2f64.powi(bin as i32 - 1)),
    };
    let bin = |(bin, &people): (usize, &u64)| Bin { from: bounds(bin).0, to: bounds(bin).1, people };
    people.iter().enumerate().filter(|(_, people)| **people > 0).map(bin).collect()
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use privet_data::io::{ReadOptions, read_csv_bytes};
    use privet_release::Published;

    use super::*;
    use crate::target::Truth;

    /// survey AT-01, FX-1.1: with the values themselves Eshwar has one candidate. FX-1.2: with the generalized ones, four.
    #[test]
    fn one_candidate_is_a_person() {
        let csv = "age,zip\n50,14853\n55,14750\n47,14562\n47,14562\n";
        let table = read_csv_bytes(csv.as_bytes(), &ReadOptions::default()).unwrap().table;
        let release = Published::of_table(table, vec![0, 1], vec![], &Silent).unwrap();
        // The last person is not in the data but looks like the first; the one before was suppressed.
        let groups = [Some(0), Some(1), Some(2), Some(2), None, Some(0)];
        let people = Suspects::in_groups(groups.into_iter(), &release.groups);
        let truth = Truth {
            record_of: vec![Some(0), Some(1), Some(2), Some(3), None, None],
            values: vec![],
            member: [true, true, true, true, true, false].map(Some).to_vec(),
        };
        let target = Target { release: &release, sensitive: None, people: &people, truth: Some(&truth) };
        let finding = attack(&target).finding;
        assert_eq!((finding.exposed.hits, finding.exposed.of), (3, 6));
        assert_eq!(finding.right.map(|right| (right.hits, right.of)), Some((2, 3)));
        assert!((finding.risk - 2.0 / 6.0).abs() < 1e-12);
        // Had the two who look alike been one, the other would be pointed at; who is not in the data is no control here.
        assert_eq!(finding.control.map(|control| (control.hits, control.of)), Some((2, 5)));
        let bins: Vec<(f64, f64, u64)> = finding.histogram.iter().map(|b| (b.from, b.to, b.people)).collect();
        assert_eq!(bins, [(0.0, 0.0, 1), (1.0, 1.0, 3), (2.0, 2.0, 2)]);
    }

    #[test]
    fn bins_double() {
        let bins = sizes([1, 2, 3, 4, 5, 8, 9, 16, 17].map(|n| (n, 1)).into_iter());
        let bins: Vec<(f64, f64, u64)> = bins.iter().map(|b| (b.from, b.to, b.people)).collect();
        assert_eq!(
            bins,
            [(1.0, 1.0, 1), (2.0, 2.0, 1), (3.0, 4.0, 2), (5.0, 8.0, 2), (9.0, 16.0, 2), (17.0, 32.0, 1)]
        );
    }
}
