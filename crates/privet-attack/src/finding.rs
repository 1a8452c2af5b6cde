//! What an attack found: who is exposed, how often the adversary is right, and how much of that the release is to
//! blame for.

use privet_data::Cancelled;
use serde::{Deserialize, Serialize};

use crate::histogram::HistogramOf;
use crate::homogeneity::Alike;
use crate::note::Note;
use crate::rate::Rate;
use crate::target::Target;
use crate::words::{self, Word};

/// What is believed of the people of one profile.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Belief {
    /// Records that may be theirs.
    pub candidates: u64,
    /// Sensitive values that they may have, each with its probability, the most probable first.
    pub values: Vec<(u32, f64)>,
}

impl Belief {
    /// From weights of values, in any order. Values without weight are impossible.
    pub fn of_weights(candidates: u64, weights: impl Iterator<Item = (u32, f64)>) -> Self {
        let mut values: Vec<(u32, f64)> = weights.filter(|(_, weight)| *weight > 1e-12).collect();
        let total: f64 = values.iter().map(|(_, weight)| weight).sum();
        for (_, weight) in &mut values {
            *weight /= total;
        }
        values.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Self { candidates, values }
    }

    /// The most probable value and how sure the adversary is.
    pub fn guess(&self) -> Option<(u32, f64)> {
        self.values.first().copied()
    }

    /// The most probable of the values that tell something: whoever is sure that a value is missing has learned nothing.
    pub fn best(&self, tells: impl Fn(u32) -> bool) -> Option<(u32, f64)> {
        self.values.iter().copied().find(|own| tells(own.0))
    }

    /// How probable a value is.
    pub fn of(&self, value: u32) -> f64 {
        self.values.iter().find(|own| own.0 == value).map_or(0.0, |own| own.1)
    }
}

/// Beliefs about all people: those of one index share one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Beliefs {
    /// Per person the belief.
    pub of_person: Vec<u32>,
    /// The different ones.
    pub distinct: Vec<Belief>,
}

impl Beliefs {
    /// The belief about a person.
    pub fn of(&self, person: u32) -> Option<&Belief> {
        self.distinct.get(*self.of_person.get(person as usize)? as usize)
    }
}

/// A bar of a histogram: so many people from one bound to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bin {
    /// The lower bound.
    pub from: f64,
    /// The upper bound.
    pub to: f64,
    /// How many.
    pub people: u64,
}

/// What is exposed in an attack, and counted by its rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// People.
    #[default]
    People,
    /// Published records, of which nobody says whose they are.
    Records,
    /// Hidden counts of a table: all of them, so their share has no interval. The risk is still of people.
    Cells,
    /// Predicates that an adversary bets on: those that hold for one person count as exposed.
    Predicates,
}

impl Unit {
    fn is_people(&self) -> bool {
        *self == Self::People
    }
}

/// A rate that is known, or nothing.
fn or_null<S: serde::Serializer>(rate: &Rate, serializer: S) -> Result<S::Ok, S::Error> {
    rate.is_known().then_some(rate).serialize(serializer)
}

/// What an attack found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The word for the attack in files.
    #[serde(deserialize_with = "words::lasting")]
    pub attack: Word,
    /// The sensitive column that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What the adversary was given, as a sentence.
    pub assumed: String,
    /// What counts as success, as a sentence.
    pub success: String,
    /// What is exposed, and counted; absent where it is people.
    #[serde(default, skip_serializing_if = "Unit::is_people")]
    pub unit: Unit,
    /// The people who are exposed in the adversary's eyes; `null` in files where nobody can say how many.
    #[serde(serialize_with = "or_null", deserialize_with = "words::rate")]
    pub exposed: Rate,
    /// Of those, the people about whom the adversary is right, where the truth is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<Rate>,
    /// The same attack on people whose records the release does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Rate>,
    /// Who these people are, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control_group: Option<String>,
    /// What the same success takes no record of the person for: of `control` the rate, where the control counts what the attack
    /// counts, so that it may be taken off the risk ([`Finding::added`]). Absent where it counts something else, such as people who
    /// are pointed at although they are not there, and where nobody can be said to be outside of what was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Rate>,
    /// The share of all people about whom the adversary is sure and right: those who are exposed, or all exposed where the truth
    /// is not known, and those whom the belief, though not every way to place people, makes as sure of. This is what
    /// `max-risk` is compared with; 0 where the attack does not count, and no number where it is not known besides.
    #[serde(deserialize_with = "words::number")]
    pub risk: f64,
    /// Why the attack does not count towards `max-risk` and only informs, as a sentence; absent where it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<String>,
    /// How sure the adversary is, or how many records may be a person's.
    pub histogram: Vec<Bin>,
    /// What `histogram` counts.
    pub histogram_of: HistogramOf,
    /// What else was found, as sentences.
    pub notes: Vec<Note>,
}

impl Finding {
    /// By how much the risk exceeds what the same success takes no record of the person for: the risk less the lower end of the
    /// interval of the baseline, so that what chance may have added to the control is not taken off. The risk itself where there is no
    /// baseline.
    #[must_use]
    pub fn added(&self) -> f64 {
        match self.baseline {
            Some(own) if own.of > 0 && own.low.is_finite() => (self.risk - own.low).max(0.0),
            _ => self.risk,
        }
    }

    /// What may be told to readers of the release: nothing that was scored by the original, and the remarks that do not rest on it.
    #[must_use]
    pub fn public(&self) -> Self {
        Self {
            right: None,
            control: None,
            control_group: None,
            baseline: None,
            risk: if self.not_counted.is_some() { 0.0 } else { self.exposed.rate },
            notes: self.notes.iter().filter(|note| note.is_public()).cloned().collect(),
            ..self.clone()
        }
    }
}

/// What became of a person in an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Not exposed.
    Hidden,
    /// Not exposed, because not every way to place people makes as sure as the adversary's belief; the guess is right.
    Guessed,
    /// Exposed; whether rightly is not known.
    Exposed,
    /// Exposed, and the adversary is right.
    Right,
    /// Exposed, and the adversary is wrong.
    Wrong,
    /// Not counted: the adversary knew the value beforehand.
    Stated,
}

impl Fate {
    /// Whether somebody is exposed, rightly or not.
    #[must_use]
    pub fn is_exposed(self) -> bool {
        matches!(self, Self::Exposed | Self::Right | Self::Wrong)
    }

    /// From whether somebody is exposed, and then whether rightly.
    pub(crate) fn of(judged: Option<Option<bool>>) -> Self {
        match judged {
            None => Self::Hidden,
            Some(None) => Self::Exposed,
            Some(Some(true)) => Self::Right,
            Some(Some(false)) => Self::Wrong,
        }
    }
}

/// Whom conclusions are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whom {
    /// The people who are looked for.
    People,
    /// The published records, in their order.
    Records,
    /// The records of the original, in their order.
    Rows,
}

/// What an attack concludes about each person: for the owner alone, and to set a control against.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusions {
    /// The word for the attack.
    pub attack: &'static str,
    /// The sensitive column that it is about, by its position in the release.
    pub column: Option<usize>,
    /// Whom it is about.
    pub whom: Whom,
    /// Per person the records that may be theirs, and how probable values are.
    pub beliefs: Beliefs,
    /// What the codes of the beliefs mean where they are no values of the column.
    pub concepts: Option<Vec<String>>,
    /// Per person how sure the adversary is, or could be, where that is not about single values.
    pub chance: Option<Vec<f64>>,
    /// Per person what became of them.
    pub fate: Vec<Fate>,
    /// Per person the true code of the beliefs, where the attack itself knows it.
    pub truth: Option<Vec<u32>>,
}

/// What an attack found, and what it concludes about each person.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What was found.
    pub finding: Finding,
    /// Person by person; absent where an attack is about columns rather than people.
    pub conclusions: Option<Conclusions>,
    /// The sensitive columns that the same attack could not be made on, and why.
    pub failed: Vec<(String, AttackError)>,
}

/// Why an attack was not made, or failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AttackError {
    /// The adversary lacks something that the attack needs.
    #[error("{0}")]
    Needs(String),
    /// What the adversary is said to know cannot be understood: a mistake of the file that says it.
    #[error("{0}")]
    Knowledge(String),
    /// What the adversary believes to know does not go with what is published.
    #[error("{0}")]
    Contradiction(String),
    /// What the adversary is said to know about single people is true in no original that is left.
    #[error("{0}")]
    Impossible(String),
    /// All that the adversary knows for it is about people who are not published, and tells nothing of the others.
    #[error("{0}")]
    OfNobody(String),
    /// Two ways to compute the same disagree: a mistake of this program.
    #[error("{0}; this is a mistake of privet, please tell its makers")]
    Internal(String),
    /// The attack would take too long or too much memory.
    #[error("{0}")]
    TooLarge(String),
    /// The person asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl From<Cancelled> for AttackError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// How many are exposed, and about how many of them the adversary is right.
pub(crate) struct Score {
    exposed: u64,
    known: u64,
    right: u64,
    guessed: u64,
    people: u64,
}

impl Score {
    /// Counts what became of people.
    pub fn count(fates: &[Fate]) -> Self {
        let count = |wanted: Fate| fates.iter().filter(|&&fate| fate == wanted).count() as u64;
        let (unknown, right, wrong) = (count(Fate::Exposed), count(Fate::Right), count(Fate::Wrong));
        let people = fates.len() as u64 - count(Fate::Stated);
        let guessed = count(Fate::Guessed);
        Self { exposed: unknown + right + wrong, known: right + wrong, right, guessed, people }
    }

    pub fn exposed(&self) -> Rate {
        Rate::new(self.exposed, self.people)
    }

    pub fn right(&self) -> Option<Rate> {
        (self.known > 0).then(|| Rate::new(self.right, self.known))
    }

    /// The share of people about whom the adversary is sure and right, proven or not. Where the truth of an exposed person is
    /// unknown, the adversary is taken to be right.
    pub fn risk(&self) -> f64 {
        (self.exposed - self.known + self.right + self.guessed) as f64 / self.people.max(1) as f64
    }
}

/// Ten bins of people by a share.
pub(crate) fn tenths(shares: impl Iterator<Item = f64>) -> Vec<Bin> {
    let mut people = [0u64; 10];
    for share in shares {
        people[((share * 10.0 + 1e-9) as usize).min(9)] += 1;
    }
    (0..10)
        .map(|bin| Bin { from: bin as f64 / 10.0, to: (bin + 1) as f64 / 10.0, people: people[bin] })
        .collect()
}

/// What beliefs about a sensitive column amount to.
pub(crate) struct Verdict<'a> {
    pub attack: &'static str,
    pub assumed: String,
    pub success: String,
    pub confidence: f64,
    pub target: Target<'a>,
    pub whom: Whom,
    pub beliefs: Beliefs,
    /// What the codes of beliefs are when they are no values.
    pub alike: Option<&'a Alike>,
    pub control: Option<(Rate, String)>,
    /// People whose value the adversary knew beforehand, ascending: nobody learns it from the release.
    pub stated: Vec<u32>,
    /// How sure of a value of a person one is at least, however people stand in groups. Without it, the least share of the
    /// value in a group that may hold the person.
    pub least: Option<Least<'a>>,
    pub notes: Vec<Note>,
}

/// How sure one is at least, and why that may be less than what is shown.
pub(crate) struct Least<'a> {
    /// Of a person and a value how sure of it one is at least.
    pub of: Box<dyn Fn(u32, u32) -> f64 + 'a>,
    /// What is told of those who do not count for that, after how many they are.
    pub otherwise: &'static str,
}

impl<'a> Least<'a> {
    /// Less than shown where it is open who stands where.
    pub fn wherever(of: impl Fn(u32, u32) -> f64 + 'a) -> Self {
        Self { of: Box::new(of), otherwise: WHEREVER }
    }
}

/// What is told of those who are not exposed because it is open who stands where.
const WHEREVER: &str = "more of whom one would be as sure if all records that may be theirs were as probable. \
                        Who stands where is open, and not every way to place people makes as sure.";

/// The least share of a value, or of a concept, in a group that may hold a person. Within a group everybody is as likely to
/// have any of its records, so whatever is known of who stands where, one is at least as sure.
pub(crate) fn whichever_group(target: &Target<'_>, alike: Option<&Alike>, person: u32, code: u32) -> f64 {
    let Some(column) = target.column() else { return 0.0 };
    let concept = |value: u32| match alike {
        Some(alike) => alike.concept_of.get(value as usize).copied().unwrap_or(u32::MAX),
        None => value,
    };
    let share = |place: &crate::target::Place| {
        let cells = column.histograms.of(place.group).iter();
        let own: u64 = cells.filter(|cell| concept(cell.0) == code).map(|cell| cell.1).sum();
        own as f64 / target.release.groups.get(place.group as usize).copied().unwrap_or(0).max(1) as f64
    };
    target.people.places_of(person).iter().map(share).reduce(f64::min).unwrap_or(0.0)
}

impl Verdict<'_> {
    /// Scores the beliefs: a person is exposed when the adversary is at least `confidence` sure of a value that is not
    /// missing. Beliefs about somebody who may stand in several groups take all of their candidate records for as probable,
    /// which is not what going through all worlds gives; they are exposed only where every way to place people makes as sure.
    /// Somebody who acts upon such a belief is right all the same as often as it turns out, and that is a risk.
    pub fn found(mut self) -> Found {
        let tells = |code: u32| match (self.alike, self.target.column()) {
            (Some(alike), _) => alike.tells(code),
            (None, column) => column.is_none_or(|column| !column.domain.is_missing(code)),
        };
        let best: Vec<Option<(u32, f64)>> =
            self.beliefs.distinct.iter().map(|belief| belief.best(tells)).collect();
        let best_of = |own: &u32| best.get(*own as usize).copied().flatten();
        let holds = |person: u32, value: u32| match (&self.least, self.whom) {
            (Some(least), _) => (least.of)(person, value) >= self.confidence - 1e-9,
            (None, Whom::People) if self.target.people.places_of(person).len() > 1 => {
                whichever_group(&self.target, self.alike, person, value) >= self.confidence - 1e-9
            }
            (None, _) => true,
        };
        let mut not_proven = 0u64;
        let fate: Vec<Fate> = (0..)
            .zip(&self.beliefs.of_person)
            .map(|(person, own)| {
                if self.stated.binary_search(&person).is_ok() {
                    return Fate::Stated;
                }
                let sure = best_of(own).filter(|(_, sure)| *sure >= self.confidence - 1e-12);
                if let Some((value, _)) = sure.filter(|(value, _)| !holds(person, *value)) {
                    not_proven += 1;
                    let is_right = self.target.value_of(person) == Some(value);
                    return if is_right { Fate::Guessed } else { Fate::Hidden };
                }
                Fate::of(sure.map(|(value, _)| self.target.value_of(person).map(|truth| truth == value)))
            })
            .collect();
        let score = Score::count(&fate);
        if not_proven > 0 {
            let otherwise = self.least.as_ref().map_or(WHEREVER, |least| least.otherwise);
            self.notes.push(Note::of_release(format!("Not counted as exposed: {not_proven} {otherwise}")));
        }
        if score.guessed > 0 {
            self.notes.push(Note::of_original(format!(
                "The best guess is right for {} of those who are not counted as exposed; they count as a risk.",
                score.guessed
            )));
        }
        let (control, control_group) = self.control.unzip();
        let counted = self.beliefs.of_person.iter().zip(&fate).filter(|(_, fate)| **fate != Fate::Stated);
        let sure = counted.map(|(own, _)| best_of(own).map_or(0.0, |best| best.1));
        let finding = Finding {
            attack: self.attack,
            column: self.target.column().map(|column| column.name.clone()),
            assumed: self.assumed,
            success: self.success,
            unit: Unit::People,
            exposed: score.exposed(),
            right: score.right(),
            control,
            control_group,
            baseline: None,
            risk: score.risk(),
            not_counted: None,
            histogram: tenths(sure),
            histogram_of: HistogramOf::Certainty,
            notes: self.notes,
        };
        let conclusions = Conclusions {
            attack: self.attack,
            column: self.target.sensitive,
            whom: self.whom,
            beliefs: self.beliefs,
            concepts: self.alike.map(|alike| alike.labels.clone()),
            chance: None,
            fate,
            truth: None,
        };
        Found { finding, conclusions: Some(conclusions), failed: Vec::new() }
    }
}
