//! The `[adversary]` section: which attacks a release must stand before it is handed over.

use std::path::PathBuf;

use serde::Deserialize;

use crate::assess::AttackOptions;
use crate::countermeasure::Countermeasure;
use crate::error::JobError;

/// The `[adversary]` section.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdversarySection {
    /// The attacks to make; those that need nothing but who is in the data when left out.
    pub attacks: Option<Vec<String>>,
    /// The file that says what the adversary knows besides.
    pub knowledge: Option<PathBuf>,
    /// How sure an adversary must be of a value for it to count as learned.
    pub confidence: f64,
    /// The largest share of people that the release may add to those about whom an adversary is sure and right without their records,
    /// as far as a control tells that; no release is written above it.
    pub max_risk: Option<f64>,
    /// The largest share of people about whom an adversary may be sure and right, whatever is known without the release.
    pub max_absolute_risk: Option<f64>,
    /// What is done against the minimality attack (survey ME-17).
    pub countermeasure: Option<Countermeasure>,
    /// The seed of attacks that draw at random.
    pub seed: u64,
}

impl Default for AdversarySection {
    fn default() -> Self {
        Self {
            attacks: None,
            knowledge: None,
            confidence: 0.9,
            max_risk: None,
            max_absolute_risk: None,
            countermeasure: None,
            seed: 1,
        }
    }
}

impl AdversarySection {
    /// What the flags of a command say.
    pub fn of_flags(options: &AttackOptions) -> Self {
        Self {
            attacks: options.attacks.clone(),
            confidence: options.confidence,
            max_risk: options.max_risk,
            max_absolute_risk: options.max_absolute_risk,
            ..Self::default()
        }
    }

    /// Whether a limit is set.
    pub fn is_limited(&self) -> bool {
        self.max_risk.is_some() || self.max_absolute_risk.is_some()
    }

    /// The same check, told in terms of the flags of a command.
    pub fn check_flags(&self, of_counts: bool) -> Result<(), JobError> {
        self.check(of_counts).map_err(|error| error.in_terms_of("adversary.", "--"))
    }

    /// The same of numbers alone: attacks on records that need not be anybody's have words of their own.
    pub fn check_flags_of_numbers(&self) -> Result<(), JobError> {
        let numbers = Self { attacks: None, ..self.clone() };
        numbers.check_flags(false)
    }

    /// Attacks on counts have words of their own.
    pub fn check(&self, of_counts: bool) -> Result<(), JobError> {
        match of_counts {
            true => self.check_among(&crate::counts::ATTACKS, "an unknown attack for counts"),
            false => self.check_among(&privet_attack::ATTACKS.map(|attack| attack.word), "an unknown attack"),
        }
    }

    /// The form, where these are the words of attacks; `unknown` says what another is.
    pub fn check_among(&self, words: &[&str], unknown: &str) -> Result<(), JobError> {
        if !(self.confidence > 0.0 && self.confidence <= 1.0) {
            return Err(JobError::key("adversary.confidence", "must be above 0 and at most 1, such as 0.9"));
        }
        for (key, risk) in [("max-risk", self.max_risk), ("max-absolute-risk", self.max_absolute_risk)] {
            if risk.is_some_and(|risk| !(0.0..=1.0).contains(&risk)) {
                let key = format!("adversary.{key}");
                return Err(JobError::key(key, "must be a share from 0 to 1, such as 0.05"));
            }
        }
        for attack in self.attacks.iter().flatten() {
            if !words.contains(&attack.as_str()) {
                let known: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                let known = known.join(", ");
                return Err(JobError::key(
                    "adversary.attacks",
                    format!("names {unknown}; accepted are {known}"),
                ));
            }
        }
        Ok(())
    }
}
