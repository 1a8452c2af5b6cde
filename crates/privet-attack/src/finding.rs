//! What an attack found: who is exposed, how often the adversary is right, and how much of that the release is to
//! blame for.

use privet_data::Cancelled;
use serde::Serialize;

use crate::rate::Rate;
use crate::target::Target;

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
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// The lower bound.
    pub from: f64,
    /// The upper bound.
    pub to: f64,
    /// How many.
    pub people: u64,
}

/// What an attack found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The word for the attack in files.
    pub attack: &'static str,
    /// The sensitive column that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What the adversary was given, as a sentence.
    pub assumed: String,
    /// What counts as success, as a sentence.
    pub success: String,
    /// The people who are exposed in the adversary's eyes.
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
    /// The share of all people who are exposed and about whom the adversary is right; those exposed where the truth
    /// is not known. This is what `max-risk` is compared with.
    pub risk: f64,
    /// How sure the adversary is, or how many records may be a person's.
    pub histogram: Vec<Bin>,
    /// What `histogram` counts.
    pub histogram_of: &'static str,
    /// What else was found, as sentences.
    pub notes: Vec<String>,
}

impl Finding {
    /// What may be told to readers of the release: nothing that was scored by the original.
    #[must_use]
    pub fn without_truth(&self) -> Self {
        Self {
            right: None,
            control: None,
            control_group: None,
            risk: self.exposed.rate,
            notes: Vec::new(),
            ..self.clone()
        }
    }
}

/// Why an attack was not made, or failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AttackError {
    /// The adversary lacks something that the attack needs.
    #[error("{0}")]
    Needs(String),
    /// What the adversary believes to know is impossible.
    #[error("{0}")]
    Contradiction(String),
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

/// What an attack says of each person: exposed or not, and right or not where the truth is known.
pub(crate) struct Score {
    exposed: u64,
    known: u64,
    right: u64,
    people: u64,
}

impl Score {
    /// Counts over people. `judge` tells whether a person is exposed, and then whether the adversary is right.
    pub fn count(people: u32, judge: impl Fn(u32) -> Option<Option<bool>>) -> Self {
        let mut score = Self { exposed: 0, known: 0, right: 0, people: u64::from(people) };
        for person in 0..people {
            let Some(right) = judge(person) else { continue };
            score.exposed += 1;
            score.known += u64::from(right.is_some());
            score.right += u64::from(right == Some(true));
        }
        score
    }

    pub fn exposed(&self) -> Rate {
        Rate::new(self.exposed, self.people)
    }

    pub fn right(&self) -> Option<Rate> {
        (self.known > 0).then(|| Rate::new(self.right, self.known))
    }

    /// The share of people who are exposed and rightly so. Where the truth of an exposed person is unknown, the
    /// adversary is taken to be right.
    pub fn risk(&self) -> f64 {
        (self.exposed - self.known + self.right) as f64 / self.people.max(1) as f64
    }
}

/// How sure the adversary is of the best guess, in ten bins.
pub(crate) fn confidences(beliefs: &Beliefs) -> Vec<Bin> {
    let sure: Vec<f64> =
        beliefs.distinct.iter().map(|belief| belief.guess().map_or(0.0, |guess| guess.1)).collect();
    let mut people = [0u64; 10];
    for &own in &beliefs.of_person {
        let sure = sure.get(own as usize).copied().unwrap_or(0.0);
        people[((sure * 10.0 + 1e-9) as usize).min(9)] += 1;
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
    pub beliefs: &'a Beliefs,
    /// Per person the belief of an adversary who does not have that person's record in the release.
    pub control: Option<(Rate, String)>,
    pub notes: Vec<String>,
}

impl Verdict<'_> {
    /// Scores the beliefs: a person is exposed when the adversary is at least `confidence` sure of a value.
    pub fn finding(self) -> Finding {
        let judge = |person: u32| {
            let (value, sure) = self.beliefs.of(person)?.guess()?;
            (sure >= self.confidence - 1e-12)
                .then(|| self.target.value_of(person).map(|truth| truth == value))
        };
        let score = Score::count(self.beliefs.of_person.len() as u32, judge);
        let (control, control_group) = self.control.unzip();
        Finding {
            attack: self.attack,
            column: self.target.column().map(|column| column.name.clone()),
            assumed: self.assumed,
            success: self.success,
            exposed: score.exposed(),
            right: score.right(),
            control,
            control_group,
            risk: score.risk(),
            histogram: confidences(self.beliefs),
            histogram_of: "people by how sure the adversary is of the best guess",
            notes: self.notes,
        }
    }
}
