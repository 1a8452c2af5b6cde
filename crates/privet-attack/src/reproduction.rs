//! Swapped and synthetic records against the people of the original: whose record came out again, and who is in the data
//! (survey AT-31, ME-33 to ME-45).
//!
//! A record that was made need not be new. **Reproduction** counts the people of whom a published record has every value,
//! though nobody else of the original has them: their record is published, whatever made it. **Membership** asks whether
//! published records stand nearer to the people whom they were made from than to others: a model that learned single
//! people by heart gives them away by that.
//!
//! # Guarantee
//! Both are about values that are published and known, and conclude nothing by themselves. A rate by itself says little: in
//! a table of few values records come out again by chance. So reproduction is set against people who are not in the data,
//! or, where it is known which record was made from whose, against the same people without their own. Membership cannot
//! be made without people who are not in the data.

use crate::attacks::AttackWord;
use crate::attacks::ids;
use crate::finding::{Belief, Beliefs, Conclusions, Fate, Finding, Found, Unit, Whom};
use crate::histogram::HistogramOf;
use crate::membership::distinguishing;
use crate::note::Note;
use crate::rate::Rate;

/// The word of the attack in files.
pub const REPRODUCTION: &str = "reproduction";

/// What it is.
pub(crate) const ABOUT_REPRODUCTION: AttackWord = AttackWord {
    word: REPRODUCTION,
    title: "Records that come out again",
    sentence: "Records that were swapped or made by a model are compared with those of the original: where one has every value of a person, and nobody else has these values, that person’s record is published after all.",
    ..AttackWord::APART
};

/// The share of people outside of the data who may be taken for members.
const FALSE_ALARMS: f64 = 0.05;

/// The largest squared distance that is the same as this one but for rounding.
pub(crate) fn slack(squared: f64) -> f64 {
    squared + 1e-9 * (1.0 + squared)
}

/// Records that equal those of people.
#[derive(Debug, Clone, Copy)]
pub struct Equal<'a> {
    /// Per person how many published records have every value of theirs.
    pub published: &'a [u64],
    /// Per person how many records of the original have, besides their own.
    pub others: &'a [u64],
}

impl Equal<'_> {
    /// Per person whether their record is published though nobody else of the original has it.
    fn each(&self) -> Vec<bool> {
        let both = self.published.iter().zip(self.others);
        both.map(|(published, others)| *published > 0 && *others == 0).collect()
    }

    /// How many these are.
    fn reproduced(&self) -> Rate {
        let hits = self.each().into_iter().filter(|own| *own).count();
        Rate::new(hits as u64, self.published.len() as u64)
    }
}

/// What is concluded about each person: all of them are in the data, so whoever is exposed is so rightly.
fn concluded(attack: &'static str, whom: Whom, exposed: Vec<bool>, beliefs: Beliefs) -> Conclusions {
    let fate = exposed.into_iter().map(|own| if own { Fate::Right } else { Fate::Hidden }).collect();
    Conclusions { attack, column: None, whom, beliefs, concepts: None, chance: None, fate, truth: None }
}

/// What reproduction is set against.
#[derive(Debug, Clone, Copy)]
pub struct Control<'a> {
    /// The same for other people.
    pub equal: Equal<'a>,
    /// Who they are.
    pub who: &'static str,
}

/// Whose record came out again. `columns` is how many columns are compared, `whom` who the people are.
pub fn reproduction(people: Equal<'_>, control: Option<Control<'_>>, columns: usize, whom: Whom) -> Found {
    let exposed = people.reproduced();
    let any = people.published.iter().filter(|own| **own > 0).count();
    let alone = people.others.iter().filter(|own| **own == 0).count();
    let mut notes = vec![Note::of_original(format!(
        "A published record equals that of {any} of {} people in all {columns} columns that are compared; {alone} people have \
         values that nobody else of the original has.",
        people.published.len()
    ))];
    if control.is_none() {
        notes.push(
            Note::no_control("There is no control: give people who are certainly not in the data as [control] in the knowledge file, to \
             tell what comes out by chance."
                .to_owned()));
    }
    let equal = |&candidates: &u64| Belief { candidates, values: Vec::new() };
    let beliefs = Beliefs {
        of_person: (0..people.published.len() as u32).collect(),
        distinct: people.published.iter().map(equal).collect(),
    };
    let finding = Finding {
        attack: REPRODUCTION,
        column: None,
        assumed: "every published column of a person".to_owned(),
        success: "a published record has every value of the person, which nobody else of the original has"
            .to_owned(),
        unit: Unit::People,
        exposed,
        right: None,
        control: control.map(|own| own.equal.reproduced()),
        control_group: control.map(|own| own.who.to_owned()),
        baseline: control.map(|own| own.equal.reproduced()),
        risk: exposed.rate,
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Nothing,
        notes,
    };
    Found {
        finding,
        conclusions: Some(concluded(REPRODUCTION, whom, people.each(), beliefs)),
        failed: Vec::new(),
    }
}

/// Who is in the data, by how far the nearest published record is. `None` without people, without others, or when a
/// distance is no number.
///
/// Whoever is nearer than all but a twentieth of those outside is taken for a member. A twentieth of anybody is: what
/// counts as risk is what being in the data adds. Distances that differ by rounding are the same. `whom` says who the
/// members are.
pub fn membership(members: &[f64], strangers: &[f64], whom: Whom) -> Option<Found> {
    let mut places: Vec<f64> = members.iter().chain(strangers).copied().collect();
    if places.iter().any(|distance| distance.is_nan()) {
        return None;
    }
    places.sort_by(f64::total_cmp);
    places.dedup_by(|next, first| *next * *next <= slack(*first * *first));
    // Only who is nearer than whom plays a part, so the places in that order stand for the distances.
    let ranks = |all: &[f64]| -> Vec<usize> {
        all.iter().map(|distance| places.partition_point(|place| place <= distance)).collect()
    };
    let (members, strangers) = (ranks(members), ranks(strangers));
    let scores: Vec<f64> = members.iter().chain(&strangers).map(|&rank| -(rank as f64)).collect();
    let is_member: Vec<bool> = (0..scores.len()).map(|at| at < members.len()).collect();
    let told = distinguishing(&scores, &is_member)?;
    let mut outside = strangers.clone();
    outside.sort_unstable();
    // The nearest who is one too many: all who are nearer are taken for members.
    let most = (FALSE_ALARMS * outside.len() as f64).floor() as usize;
    let threshold = outside.get(most).copied().unwrap_or(usize::MAX);
    let near = |all: &[usize]| {
        let hits = all.iter().filter(|rank| **rank < threshold).count();
        Rate::new(hits as u64, all.len() as u64)
    };
    let (exposed, control) = (near(&members), near(&strangers));
    let taken = members.iter().map(|rank| *rank < threshold).collect();
    let finding = Finding {
        attack: ids::MEMBERSHIP,
        column: None,
        assumed: "every published column of a person, and people who are not in the data to compare with"
            .to_owned(),
        success:
            "a published record is nearer to the person than to 95 % of the people who are not in the data"
                .to_owned(),
        unit: Unit::People,
        exposed,
        right: None,
        control: Some(control),
        control_group: Some("people of the control table, who are not in the data".to_owned()),
        baseline: None,
        // Whoever tells members from others by another distance than this tells them better.
        risk: told.advantage.max(exposed.rate - control.rate).max(0.0),
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Nothing,
        notes: vec![
            Note::of_original(format!(
                "Telling who is in the data from who is not: area under the curve {:.3} (0.5 is guessing), advantage {:.3}.",
                told.auc, told.advantage
            )),
            Note::of_original(
                "Some people outside of the data are as near by chance; what is compared with a limit is what being in the data \
             adds.",
            ),
        ],
    };
    let conclusions = concluded(ids::MEMBERSHIP, whom, taken, Beliefs::default());
    Some(Found { finding, conclusions: Some(conclusions), failed: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_is_alone_is_given_away() {
        // The second looks like another one, the third did not come out again.
        let people = Equal { published: &[1, 3, 0, 2], others: &[0, 1, 0, 0] };
        let without = Equal { published: &[0, 3, 0, 1], others: &[0, 1, 0, 0] };
        let control = Control { equal: without, who: "the same" };
        let Found { finding: found, conclusions, .. } = reproduction(people, Some(control), 3, Whom::People);
        let conclusions = conclusions.unwrap();
        assert_eq!(conclusions.fate, [Fate::Right, Fate::Hidden, Fate::Hidden, Fate::Right]);
        assert_eq!(conclusions.beliefs.of(1).map(|own| own.candidates), Some(3));
        assert_eq!((found.exposed.hits, found.exposed.of, found.risk), (2, 4, 0.5));
        assert_eq!(found.control.map(|own| own.hits), Some(1));
        assert!(found.notes[0].text.contains("of 3 of 4 people"), "{}", found.notes[0].text);
        let nobody = reproduction(Equal { published: &[], others: &[] }, None, 0, Whom::People).finding;
        assert_eq!((nobody.exposed.of, nobody.risk), (0, 0.0));
        assert!(nobody.notes[1].text.contains("[control]"));
    }

    fn membership(members: &[f64], strangers: &[f64]) -> Option<Finding> {
        let found = super::membership(members, strangers, Whom::People)?;
        let fate = found.conclusions?.fate;
        let exposed = fate.iter().filter(|own| **own == Fate::Right).count() as u64;
        assert_eq!((exposed, fate.len()), (found.finding.exposed.hits, members.len()));
        Some(found.finding)
    }

    /// 0.1 + 0.2 is not 0.3 in floating point: who is as near as strangers is not nearer.
    #[test]
    fn ties_are_not_decided_by_rounding() {
        let (less, more) = (0.3, 0.1 + 0.2);
        assert!(less < more);
        let found = membership(&[less; 10], &[more; 30]).unwrap();
        assert_eq!((found.exposed.hits, found.risk), (0, 0.0));
        assert!(found.notes[0].text.contains("curve 0.500"), "{}", found.notes[0].text);
        assert_eq!(membership(&[0.2; 10], &[more; 30]).unwrap().exposed.hits, 10);
        assert_eq!(membership(&[f64::INFINITY], &[f64::INFINITY]).unwrap().exposed.hits, 0);
    }

    #[test]
    fn who_is_nearer_than_strangers() {
        let members: Vec<f64> = (0..100).map(|at| if at < 40 { 0.0 } else { 1.0 + f64::from(at) }).collect();
        let strangers: Vec<f64> = (0..100).map(|at| 1.0 + f64::from(at)).collect();
        let found = membership(&members, &strangers).unwrap();
        // The five nearest strangers are below the threshold of 6; of members the forty who are learned by heart.
        assert_eq!((found.exposed.hits, found.control.map(|own| own.hits)), (40, Some(5)));
        // Each threshold may be the adversary's: the one at which nobody but the forty is nearer tells most.
        assert!((found.risk - 0.4).abs() < 1e-12);
        assert!(found.notes[0].text.contains("advantage 0.400"), "{}", found.notes[0].text);
        // The same distances tell nobody apart.
        let same = membership(&strangers, &strangers).unwrap();
        assert_eq!((same.risk, same.exposed.hits), (0.0, 5));
        assert!(membership(&[], &strangers).is_none() && membership(&members, &[]).is_none());
        assert!(membership(&[f64::NAN], &[1.0]).is_none());
        // All equally near: nobody is nearer than others.
        assert_eq!(membership(&[0.0; 5], &[0.0; 9]).unwrap().exposed.hits, 0);
    }
}
