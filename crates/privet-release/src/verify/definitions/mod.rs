//! The privacy models once more, straight from their definitions.
//!
//! Each file states its definition and computes it in the plainest way. Most models judge a class by its
//! own records, so what a class reaches is known exactly. Those that compare a class with the *input*
//! (t-closeness, beta-likeness, delta-disclosure) know the input exactly only when nothing was suppressed.
//! Otherwise the share of a value in the input lies in an interval, what a class reaches does too, and a
//! promise is called broken only when it is broken for every input that fits the published table.

mod ck_safety;
mod closeness;
mod diversity;
mod likeness;
mod presence;
mod proximity;
mod sensitivity;
mod three_d;
mod transport;

use privet_criteria::Requirement;

use super::population::Population;
use super::table::Released;
use crate::manifest::Evidence;

/// Differences of this size are arithmetic, not privacy.
const TOLERANCE: f64 = 1e-9;

/// What a class reaches: between `low` and `high`, which are equal when it is known exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::verify) struct Reach {
    pub low: f64,
    pub high: f64,
    /// Whether the class breaks the promise, whatever is not known.
    pub broken: bool,
}

impl Reach {
    fn exactly(value: f64, holds: bool) -> Self {
        Self { low: value, high: value, broken: !holds }
    }
}

/// Which class is the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::verify) enum Worst {
    /// The one that reaches least (k, l).
    Smallest,
    /// The one that reaches most (t, beta).
    Largest,
}

/// A promise, judged.
pub(in crate::verify) struct Judged {
    pub worst: Worst,
    /// Per class of the release what it reaches.
    pub classes: Vec<Reach>,
    /// Something beyond the classes that breaks the promise.
    pub problem: Option<String>,
}

impl Judged {
    fn new(worst: Worst, classes: Vec<Reach>) -> Self {
        Self { worst, classes, problem: None }
    }

    /// What the release reaches as a whole: what its worst class does.
    pub fn worst_reach(&self) -> Option<Reach> {
        self.classes.iter().copied().reduce(|a, b| {
            let pick = if self.worst == Worst::Smallest { f64::min } else { f64::max };
            Reach { low: pick(a.low, b.low), high: pick(a.high, b.high), broken: a.broken || b.broken }
        })
    }
}

/// Judges a promise on the published table. The error is a sentence that says why it cannot be judged.
pub(in crate::verify) fn judge(
    requirement: &Requirement,
    evidence: &Evidence,
    released: &Released,
    population: Option<&Population>,
) -> Result<Judged, String> {
    let position = requirement.column().and_then(|name| sensitive(Some(name), released).ok());
    let position = position.or_else(|| sensitive(None, released).ok());
    let spoken = match position.and_then(|position| released.rules.get(&position)) {
        Some(rule) => rule.spoken(requirement, evidence)?,
        None => (requirement.clone(), evidence.clone()),
    };
    let (requirement, evidence) = (&spoken.0, &spoken.1);
    let judged = match requirement {
        Requirement::KAnonymity { k } => k_anonymity(*k, released),
        Requirement::AlphaK { alpha, k, values, column } => {
            sensitivity::alpha_k(*alpha, *k, values, sensitive(column.as_deref(), released)?, released)
        }
        Requirement::LDiversity { kind, l, c, c2, allowed, protected, multi_attribute, column } => {
            let form = diversity::Form::new(*kind, *l, *c)?;
            let form = form.allowing(allowed).protecting(*c2, protected)?;
            match (multi_attribute, column) {
                (false, column) => form.judge(sensitive(column.as_deref(), released)?, released),
                (true, None) => form.judge_multi_attribute(&released.sensitive, released),
                (true, Some(name)) => {
                    form.judge_multi_attribute(&[sensitive(Some(name), released)?], released)
                }
            }
        }
        Requirement::ConceptDiversity { l, kind, c, concepts, column } => {
            let column = sensitive(column.as_deref(), released)?;
            diversity::Form::new(*kind, *l, *c)?.judge_concepts(concepts, column, released)
        }
        Requirement::TCloseness { kind, t, costs, order, column, hierarchy: _ } => {
            let column = sensitive(column.as_deref(), released)?;
            closeness::t_closeness(
                *kind,
                *t,
                &closeness::Ground { costs, order, evidence },
                column,
                released,
            )?
        }
        Requirement::PSensitivity { p, k, plus, alpha, categories, weights, column } => {
            let column = sensitive(column.as_deref(), released)?;
            let categories = sensitivity::Categories::new(categories, weights)?;
            sensitivity::p_sensitivity(*p, *k, *plus, *alpha, &categories, column, released)?
        }
        Requirement::ProximityDiversity { kind, l, width, balance, column } => {
            let column = sensitive(column.as_deref(), released)?;
            let form = proximity::Form { kind: *kind, l: *l, width: *width, balance: *balance };
            form.judge(&evidence.missing, column, released)
        }
        Requirement::DeltaPresence { min, max, population: _ } => {
            let people = population.ok_or(NO_POPULATION)?.people(evidence, released)?;
            presence::delta_presence(*min, *max, &people, released)
        }
        Requirement::KMap { k, population: _ } => {
            let people = population.ok_or(NO_POPULATION)?.people(evidence, released)?;
            presence::k_map(*k, &people)
        }
        Requirement::BetaLikeness { beta, kind, column } => {
            likeness::beta_likeness(*beta, *kind, sensitive(column.as_deref(), released)?, released)
        }
        Requirement::ThreeD { l, k, m, c, points, values, column } => {
            let plain = c.map(|c| three_d::Point::new(*l, *k, *m, c));
            let more = points.iter().map(|point| three_d::Point::new(point.l, point.k, point.m, point.c));
            let own = values.iter().map(|(value, point)| {
                (value.as_str(), three_d::Point::new(point.l, point.k, point.m, point.c))
            });
            let skyline =
                three_d::Skyline { points: plain.into_iter().chain(more).collect(), own: own.collect() };
            skyline.judge(sensitive(column.as_deref(), released)?, released)?
        }
        Requirement::CKSafety { c, k, column } => {
            ck_safety::judge(*c, *k, sensitive(column.as_deref(), released)?, released)?
        }
        Requirement::DeltaDisclosure { delta, column } => {
            let column = sensitive(column.as_deref(), released)?;
            likeness::delta_disclosure(*delta, evidence.domain_size, column, released)
        }
    };
    Ok(judged)
}

const NO_POPULATION: &str = "no population table was given";

/// k-anonymity (survey PM-05): every class has at least k records.
fn k_anonymity(k: u64, released: &Released) -> Judged {
    let classes = released.classes.iter();
    Judged::new(
        Worst::Smallest,
        classes.map(|class| Reach::exactly(class.rows as f64, class.rows >= k)).collect(),
    )
}

/// The position of the sensitive column that a promise is about.
fn sensitive(name: Option<&str>, released: &Released) -> Result<usize, String> {
    let mut columns = released.sensitive.iter().copied();
    let found = match name {
        Some(name) => columns.find(|&column| released.table.names[column] == name),
        None if released.sensitive.len() == 1 => columns.next(),
        None => None,
    };
    found.ok_or_else(|| "it names no sensitive column of the table".to_owned())
}
