//! One promise against the published table: whether it holds, and whether what the manifest says was
//! reached is what the table shows.

use privet_criteria::{Grouping, Requirement, statement_of};

use super::consistency::close;
use super::definitions::{Judged, Reach, Worst, judge};
use super::outcome::Check;
use super::population::Population;
use super::table::Released;
use crate::manifest::Promise;

/// A promise that a release of this kind can never keep.
pub(super) fn refused(promise: &Promise, why: &str, number: usize) -> Check {
    let name = format!("promise {}: {}", number + 1, word(&promise.requirement));
    Check::failed(name, format!("cannot be kept: {why}"))
}

/// Whether a promise says in words what it says in numbers; nothing where it does.
pub(super) fn worded(
    promise: &Promise,
    sensitive: &[&str],
    bucketized: bool,
    number: usize,
) -> Option<Check> {
    let grouping = if bucketized { Grouping::Buckets } else { Grouping::Classes };
    let expected = statement_of(&promise.requirement, sensitive, grouping);
    let name = format!("promise {}: words", number + 1);
    let wrong = "its sentence is not the one that its parameters make";
    (promise.statement != expected).then(|| Check::failed(name, wrong))
}

/// Checks promise number `number` (from 0). `names_class` tells whether manifests of this kind name the worst class.
pub(super) fn check(
    promise: &Promise,
    released: &Released,
    population: Option<&Population>,
    names_class: bool,
    number: usize,
) -> Check {
    let name = format!("promise {}: {}", number + 1, word(&promise.requirement));
    let judged = match judge(&promise.requirement, &promise.evidence, released, population) {
        Ok(judged) => judged,
        Err(problem) => return Check::failed(name, format!("cannot be shown to hold: {problem}")),
    };
    let mut problems = Vec::new();
    if let Some(problem) = broken(&judged, released) {
        problems.push(problem);
    }
    problems.extend(judged.problem.iter().cloned());
    let Some(worst) = judged.worst_reach() else {
        if promise.worst_class.is_some() {
            problems.push("the manifest names a worst class, and the table has no class".to_owned());
        }
        return Check::of(&name, "holds of every class, since no record is published", &problems);
    };
    problems.extend(claim(promise, &judged, worst, released, names_class));
    let exact = worst.low == worst.high;
    let well = if exact {
        format!("holds; the worst class reaches {}", short(worst.low))
    } else {
        format!(
            "is not contradicted; the worst class reaches between {} and {}: what the {} suppressed records held \
             is not published, so it cannot be told more exactly",
            short(worst.low),
            short(worst.high),
            released.suppressed
        )
    };
    let reached = if exact { worst.low } else { promise.reached };
    Check {
        reached: reached.is_finite().then_some(reached),
        bounded: !exact,
        ..Check::of(&name, well, &problems)
    }
}

/// The classes that break the promise, in a sentence.
fn broken(judged: &Judged, released: &Released) -> Option<String> {
    let mut breaking = judged.classes.iter().zip(&released.classes).filter(|(reach, _)| reach.broken);
    let (reach, class) = breaking.next()?;
    let others = breaking.count();
    let more = if others > 0 { format!(", and so do {others} other classes") } else { String::new() };
    Some(format!(
        "broken: the class of record {} ({} records) reaches {}{more}",
        class.record,
        class.rows,
        short(if judged.worst == Worst::Smallest { reach.high } else { reach.low })
    ))
}

/// What is wrong with what the manifest says was reached.
fn claim(
    promise: &Promise,
    judged: &Judged,
    worst: Reach,
    released: &Released,
    names_class: bool,
) -> Option<String> {
    let within = |reach: Reach| {
        let reached = promise.reached;
        (reach.low <= reached && reached <= reach.high)
            || close(reach.low, reached)
            || close(reach.high, reached)
    };
    if !within(worst) {
        return Some(format!(
            "the manifest says that {} was reached, the table shows {}",
            short(promise.reached),
            if worst.low == worst.high {
                short(worst.low)
            } else {
                format!("between {} and {}", short(worst.low), short(worst.high))
            }
        ));
    }
    let Some(claimed) = &promise.worst_class else {
        if !names_class {
            return None;
        }
        return Some("the manifest names no worst class".to_owned());
    };
    let Some(class) = released.classes.iter().position(|class| class.record == claimed.record) else {
        return Some(format!(
            "no class begins at record {}, where the manifest has the worst class",
            claimed.record
        ));
    };
    if released.classes[class].rows != claimed.rows {
        return Some(format!(
            "the class of record {} has {} records, the manifest says {}",
            claimed.record, released.classes[class].rows, claimed.rows
        ));
    }
    (!within(judged.classes[class])).then(|| {
        format!("the class of record {} is not the worst class that the manifest says it is", claimed.record)
    })
}

/// A number for a person: enough digits to compare, no more.
fn short(number: f64) -> String {
    if !number.is_finite() {
        return "no bound at all".to_owned();
    }
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The key of a requirement in a job file.
fn word(requirement: &Requirement) -> &'static str {
    match requirement {
        Requirement::KAnonymity { .. } => "k-anonymity",
        Requirement::AlphaK { .. } => "alpha-k",
        Requirement::LDiversity { .. } => "l-diversity",
        Requirement::TCloseness { .. } => "t-closeness",
        Requirement::PSensitivity { .. } => "p-sensitivity",
        Requirement::ConceptDiversity { .. } => "concept-diversity",
        Requirement::ProximityDiversity { .. } => "proximity-diversity",
        Requirement::DeltaPresence { .. } => "delta-presence",
        Requirement::KMap { .. } => "k-map",
        Requirement::BetaLikeness { .. } => "beta-likeness",
        Requirement::DeltaDisclosure { .. } => "delta-disclosure",
        Requirement::ThreeD { .. } => "three-d",
        Requirement::CKSafety { .. } => "c-k-safety",
    }
}
