//! Checks of private answers that need no data of anybody: an empirical audit of every mechanism, and attacks on answers
//! about a secret that is made up for it.
//!
//! # Guarantee
//! A mechanism that keeps its claim is contradicted with at most the declared probability of false alarm ([`privet_dp::audit`]:
//! Clopper–Pearson bounds on an event that is fixed before it is counted). An audit that finds nothing proves nothing;
//! what protects is the proof beside each mechanism, and this is a check of the program that claims to follow it. Every
//! mechanism is audited, and so is the way from a question in SQL to its answer. The deliberately broken ones show that
//! the audit can see: some are mistakes that people make, and every mechanism has a twin (`NAME-third`) that is made for
//! three times the epsilon that it claims, which is a third of the noise where noise is in proportion to it.
//!
//! Noise comes from the generator of the operating system, as it does for answers, so findings vary from run to run; the
//! seed decides what is made up: the secret and the questions.

mod answers;
mod broken;
mod mechanisms;
mod questions;

use std::sync::atomic::{AtomicU64, Ordering};

use privet_attack::noise::NoiseAttackError;
use privet_data::{Cancelled, Progress};
use privet_dp::audit::{Audit, Finding, lower_bound};
use privet_dp::{Delta, DpError, Epsilon, Privacy, Rational};
use rayon::prelude::*;
use serde::Serialize;

pub use answers::AnswerAttack;
use privet_job::Outcome;

/// The fewest and the most runs on each of two tables.
pub const RUNS: (u32, u32) = (1000, 2_000_000);

/// What to audit, as a person writes it.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// The epsilon that every mechanism is asked to keep.
    pub epsilon: String,
    /// The delta of the mechanisms that have one.
    pub delta: String,
    /// The mechanisms by name; all of the house when empty.
    pub mechanisms: Vec<String>,
    /// Whether those that are broken on purpose are audited too.
    pub broken: bool,
    /// How often each mechanism is run on each of two tables.
    pub runs: u32,
    /// The probability of contradicting one mechanism that keeps its claim.
    pub false_alarm: f64,
    /// The scale of noise that is too little: then answers are attacked, too.
    pub attack: Option<String>,
    /// The seed of the secret and of the questions.
    pub seed: u64,
}

/// Why there is no audit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A flag.
    #[error("`{flag}`: {accepted}")]
    Flag {
        /// Which one.
        flag: &'static str,
        /// What would be accepted.
        accepted: String,
    },
    /// A mechanism.
    #[error(transparent)]
    Private(#[from] DpError),
    /// An attack.
    #[error(transparent)]
    Attack(#[from] NoiseAttackError),
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl AuditError {
    /// What a pipeline should make of it.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Private(DpError::Generator) => Outcome::Resources,
            Self::Cancelled(_) => Outcome::Stopped,
            _ => Outcome::BadInput,
        }
    }
}

/// What is to be made of what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing speaks against the claim.
    NotContradicted,
    /// The claim does not hold, up to the probability of a false alarm.
    Contradicted,
    /// The claim is so weak that this number of runs could not contradict it.
    TooFewRuns,
    /// The mechanism cannot be made with this epsilon and delta.
    NotMade,
}

/// What the audit of one mechanism found.
#[derive(Debug, Clone, Serialize)]
pub struct AuditedMechanism {
    /// Its name.
    pub name: String,
    /// What it does, on which two tables.
    pub what: &'static str,
    /// Whether it is broken on purpose.
    pub broken: bool,
    /// The epsilon that it claims.
    pub claimed: f64,
    /// The delta that it claims.
    pub delta: f64,
    /// With the declared confidence, its epsilon is at least this.
    pub found_at_least: f64,
    /// How often the event was counted on the table that makes it likelier, and on the other.
    pub counted: (u32, u32),
    /// In so many runs on each.
    pub runs: u32,
    /// What is to be made of it.
    pub verdict: Verdict,
    /// Why it was not made.
    pub why: Option<String>,
}

impl AuditedMechanism {
    /// Whether this is not as it should be: a mechanism of the house is contradicted, or a broken one is not.
    pub fn is_wrong(&self) -> bool {
        match self.verdict {
            Verdict::Contradicted => !self.broken,
            Verdict::NotContradicted | Verdict::TooFewRuns => self.broken,
            // The house says nothing of an epsilon that it refuses; a broken one that was not run was not caught.
            Verdict::NotMade => self.broken && self.delta == 0.0,
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Audited {
    /// The probability of contradicting one mechanism that keeps its claim.
    pub false_alarm: f64,
    /// At most this is the probability of contradicting any of them.
    pub false_alarm_of_all: f64,
    /// The largest epsilon that so many runs could find.
    pub reach: f64,
    /// One entry for each mechanism.
    pub mechanisms: Vec<AuditedMechanism>,
    /// Attacks on answers about a made-up secret.
    pub attacks: Vec<AnswerAttack>,
}

impl Audited {
    /// Whether anything is not as it should be.
    pub fn fails(&self) -> bool {
        self.mechanisms.iter().any(AuditedMechanism::is_wrong)
    }
}

/// What a mechanism is asked to keep, and how it is audited.
struct Setting {
    audit: Audit,
    epsilon: Epsilon,
    delta: Delta,
}

impl Setting {
    fn pure(&self) -> Privacy {
        Privacy::Pure(self.epsilon.clone())
    }

    fn approximate(&self) -> Privacy {
        Privacy::Approximate(self.epsilon.clone(), self.delta.clone())
    }

    fn probabilistic(&self) -> Privacy {
        Privacy::Probabilistic(self.epsilon.clone(), self.delta.clone())
    }

    /// The same for a mechanism that is made for so many times the epsilon.
    fn times(&self, times: u8) -> Result<Self, DpError> {
        let epsilon = Epsilon::new(self.epsilon.value() * Rational::from(times))?;
        Ok(Self { audit: self.audit, epsilon, delta: self.delta.clone() })
    }

    /// The same with four times as many runs, for what is harder to see.
    fn longer(&self) -> Self {
        let audit = Audit { runs: self.audit.runs.saturating_mul(4), ..self.audit };
        Self { audit, epsilon: self.epsilon.clone(), delta: self.delta.clone() }
    }

    /// Runs a mechanism that claims epsilon alone.
    fn run<T: ?Sized>(
        &self,
        first: &T,
        second: &T,
        mechanism: impl FnMut(&T) -> Result<i64, DpError>,
    ) -> Result<Finding, DpError> {
        self.audit.run(first, second, 0.0, mechanism)
    }

    /// Runs a mechanism that claims epsilon and delta.
    fn run_approximate<T: ?Sized>(
        &self,
        first: &T,
        second: &T,
        mechanism: impl FnMut(&T) -> Result<i64, DpError>,
    ) -> Result<Finding, DpError> {
        self.audit.run(first, second, self.delta.value().to_f64().value(), mechanism)
    }
}

/// A mechanism with two neighbouring tables on which it shows most.
struct Subject {
    name: &'static str,
    what: &'static str,
    has_delta: bool,
    run: fn(&Setting) -> Result<Finding, DpError>,
}

/// A mechanism that is to be audited.
struct Chosen {
    subject: &'static Subject,
    broken: bool,
    /// For how many times the epsilon that it claims it is made.
    times: u8,
}

impl Chosen {
    fn name(&self) -> String {
        match self.times {
            1 => self.subject.name.to_owned(),
            _ => format!("{}-third", self.subject.name),
        }
    }

    fn what(&self) -> &'static str {
        match self.times {
            1 => self.subject.what,
            _ => "the same, made for three times the epsilon that it claims",
        }
    }
}

/// All of them: the house, what is broken on purpose, and for each of the house a twin that is.
fn all() -> impl Iterator<Item = Chosen> {
    let house = || mechanisms::ALL.iter().chain(questions::ALL);
    let own = |(broken, times)| move |subject| Chosen { subject, broken, times };
    house()
        .map(own((false, 1)))
        .chain(broken::ALL.iter().map(own((true, 1))))
        .chain(house().map(own((true, 3))))
}

/// The names of all mechanisms, those that are broken on purpose last.
pub fn mechanisms() -> Vec<String> {
    all().map(|own| own.name()).collect()
}

/// Audits mechanisms and, when asked to, attacks answers.
///
/// # Errors
/// When a flag cannot be understood, the generator of random numbers fails, or the person asks to stop.
pub fn audit(options: &AuditOptions, progress: &dyn Progress) -> Result<Audited, AuditError> {
    let setting = setting(options)?;
    let attack =
        options.attack.as_deref().map(|scale| answers::scale(scale, &setting.epsilon)).transpose()?;
    let subjects = chosen(options)?;
    progress.stage("auditing", Some(subjects.len() as u64));
    let done = AtomicU64::new(0);
    let one = |chosen: &Chosen| -> Result<AuditedMechanism, AuditError> {
        progress.check()?;
        let audited = judged(chosen, &setting)?;
        progress.at(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(audited)
    };
    let mechanisms = subjects.par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
    let attacks = match attack {
        None => Vec::new(),
        Some(desks) => answers::all(&desks, options.seed, progress)?,
    };
    let house = mechanisms.iter().filter(|own| !own.broken).count() as f64;
    Ok(Audited {
        false_alarm: options.false_alarm,
        false_alarm_of_all: (options.false_alarm * house).min(1.0),
        reach: reach(&setting.audit),
        mechanisms,
        attacks,
    })
}

fn setting(options: &AuditOptions) -> Result<Setting, AuditError> {
    let flag =
        |flag, problem: &dyn std::fmt::Display| AuditError::Flag { flag, accepted: problem.to_string() };
    let epsilon: Epsilon = options.epsilon.parse().map_err(|problem: DpError| flag("epsilon", &problem))?;
    let delta: Delta = options.delta.parse().map_err(|problem: DpError| flag("delta", &problem))?;
    let (fewest, most) = RUNS;
    if !(fewest..=most).contains(&options.runs) {
        return Err(flag("runs", &format!("a whole number from {fewest} to {most}")));
    }
    if !(options.false_alarm > 0.0 && options.false_alarm < 1.0) {
        return Err(flag("false-alarm", &"a probability above 0 and below 1"));
    }
    let audit = Audit { runs: options.runs, false_alarm: options.false_alarm };
    Ok(Setting { audit, epsilon, delta })
}

/// The mechanisms that were asked for.
fn chosen(options: &AuditOptions) -> Result<Vec<Chosen>, AuditError> {
    let known = mechanisms();
    if let Some(unknown) = options.mechanisms.iter().find(|name| !known.contains(name)) {
        let accepted = format!("{unknown} is none; there are {}", known.join(", "));
        return Err(AuditError::Flag { flag: "mechanism", accepted });
    }
    let named =
        |name: &str| options.mechanisms.is_empty() || options.mechanisms.iter().any(|own| own == name);
    let taken = |own: &Chosen| match (own.broken, own.times) {
        (false, _) => named(own.subject.name),
        // A twin is audited beside its own.
        (true, 3..) if options.broken => named(own.subject.name) || named(&own.name()),
        (true, _) => options.broken || (!options.mechanisms.is_empty() && named(&own.name())),
    };
    Ok(all().filter(taken).collect())
}

fn judged(chosen: &Chosen, setting: &Setting) -> Result<AuditedMechanism, AuditError> {
    let subject = chosen.subject;
    let claimed = setting.epsilon.value().to_f64().value();
    let delta = if subject.has_delta { setting.delta.value().to_f64().value() } else { 0.0 };
    let mut audited = AuditedMechanism {
        name: chosen.name(),
        what: chosen.what(),
        broken: chosen.broken,
        claimed,
        delta,
        found_at_least: 0.0,
        counted: (0, 0),
        runs: setting.audit.runs / 2,
        verdict: Verdict::NotMade,
        why: None,
    };
    match setting.times(chosen.times).and_then(|own| (subject.run)(&own)) {
        Ok(finding) => {
            audited.found_at_least = finding.epsilon_at_least;
            audited.counted = finding.counted;
            audited.runs = finding.runs;
            audited.verdict = if finding.epsilon_at_least > claimed {
                Verdict::Contradicted
            } else if claimed >= reach(&setting.audit) {
                Verdict::TooFewRuns
            } else {
                Verdict::NotContradicted
            };
        }
        // An epsilon that this mechanism cannot be made for says nothing about the others.
        Err(problem @ (DpError::Parameter { .. } | DpError::TooLarge { .. })) => {
            audited.why = Some(problem.to_string());
        }
        Err(problem) => return Err(problem.into()),
    }
    Ok(audited)
}

/// The largest epsilon that an audit can find: an event that always happens on one table and never on the other.
fn reach(audit: &Audit) -> f64 {
    let half = audit.runs / 2;
    let sure = lower_bound(half, half, audit.false_alarm / 2.0);
    (sure / (1.0 - sure)).ln().max(0.0)
}

#[cfg(test)]
mod tests;
