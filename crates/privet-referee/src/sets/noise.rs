//! Noisy counts of queries: what the stated scales and thresholds cost, and whether what is published keeps to them.
//!
//! For a person who is added or removed, each of her keys changes by one. A key of exactly `people` people leaves with probability
//! p = e^(−t/scale)/(1 + e^(−1/scale)), t the distance of the threshold: that is delta, once per key. Otherwise the noise costs
//! 1/scale, and silence about a key that could not leave before costs −ln(1 − p).

use std::collections::BTreeSet;

use privet_data::Progress;
use privet_release::{Check, OpenError, ReleaseFolder};
use serde::Deserialize;

use super::Rows;

/// A threshold as the manifest states it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Stated {
    scale: String,
    people: u64,
    noisy: u64,
    per_person: u32,
}

/// What one key costs.
struct Cost {
    epsilon: f64,
    p: f64,
}

impl Stated {
    fn cost(&self) -> Option<Cost> {
        let scale = fraction(&self.scale).filter(|scale| *scale > 0.0)?;
        let above = self.noisy.checked_sub(self.people)? as f64;
        if self.people == 0 || self.per_person == 0 || above < 1.0 {
            return None;
        }
        let p = (-above / scale).exp() / (1.0 + (-1.0 / scale).exp());
        Some(Cost { epsilon: (1.0 / scale).max(-(-p).ln_1p()), p })
    }
}

/// A whole number or a fraction.
fn fraction(text: &str) -> Option<f64> {
    match text.split_once('/') {
        None => text.trim().parse().ok(),
        Some((above, below)) => {
            let (above, below): (f64, f64) = (above.trim().parse().ok()?, below.trim().parse().ok()?);
            (below > 0.0).then_some(above / below)
        }
    }
}

pub(super) fn verify(
    folder: &ReleaseFolder,
    queries: &Stated,
    fresh_scale: Option<&str>,
    clicks: Option<&Stated>,
    progress: &dyn Progress,
) -> Result<Vec<Check>, OpenError> {
    let mut checks = Vec::new();
    for promised in &folder.envelope().promises {
        if promised.id != "differential-privacy" {
            checks.push(Check::failed(promised.id.clone(), "this form of release has no such promise"));
            continue;
        }
        let number = |name: &str| promised.word(name).and_then(fraction);
        let population = match promised.word("kind") {
            Some("approximate") => Some(None),
            Some("probabilistic") => promised.whole("population").map(Some),
            _ => None,
        };
        let (Some(epsilon), Some(delta), Some(population)) = (number("epsilon"), number("delta"), population)
        else {
            checks.push(Check::failed("privacy", "the promise does not name its kind, epsilon and delta"));
            continue;
        };
        checks.push(match spent(queries, fresh_scale, clicks, population) {
            None => Check::failed("privacy", "the manifest states no scale or threshold that makes sense"),
            Some((own, p)) if own <= epsilon * (1.0 + 1e-9) && p <= delta * (1.0 + 1e-9) => Check {
                bounded: true,
                ..Check::passed(
                    "privacy",
                    format!(
                        "the stated noise and thresholds cost epsilon {own:.6} and delta {p:.3e}, no more than is promised; that this \
                         noise was drawn is the publisher's word"
                    ),
                )
            },
            Some((own, p)) => Check::failed(
                "privacy",
                format!("the stated noise and thresholds cost epsilon {own:.6} and delta {p:.3e}, more than is promised"),
            ),
        });
        let people = promised.whole("people");
        let stated = people == Some(queries.people) && clicks.is_none_or(|own| people == Some(own.people));
        checks.push(match stated {
            true => Check {
                bounded: true,
                ..Check::passed(
                    "fewest people",
                    format!(
                        "the thresholds begin at {} people; that queries of fewer were left out is the publisher's word",
                        queries.people
                    ),
                )
            },
            false => Check::failed(
                "fewest people",
                "the thresholds begin at another number of people than is promised",
            ),
        });
    }
    let published = queries_of(folder, queries, fresh_scale.is_none(), &mut checks, progress)?;
    if let Some(stated) = clicks {
        clicks_of(folder, stated, &published, &mut checks, progress)?;
    }
    Ok(checks)
}

/// Epsilon and delta of the stated scales and thresholds.
fn spent(
    queries: &Stated,
    fresh_scale: Option<&str>,
    clicks: Option<&Stated>,
    population: Option<u64>,
) -> Option<(f64, f64)> {
    let per_person = f64::from(queries.per_person);
    let own = queries.cost()?;
    let mut epsilon = per_person * own.epsilon;
    // Probabilistic: of so many persons, so many keys at most have exactly `people` people.
    let keys = match population {
        None => per_person,
        Some(population) => (population as f64 * per_person / queries.people as f64).max(per_person),
    };
    let mut delta = keys * own.p;
    if let Some(scale) = fresh_scale {
        epsilon += per_person / fraction(scale).filter(|scale| *scale > 0.0)?;
    }
    if let Some(clicks) = clicks {
        let own = clicks.cost()?;
        epsilon += f64::from(clicks.per_person) * own.epsilon;
        delta += f64::from(clicks.per_person) * own.p;
    }
    Some((epsilon, delta))
}

fn queries_of(
    folder: &ReleaseFolder,
    stated: &Stated,
    same_noise: bool,
    checks: &mut Vec<Check>,
    progress: &dyn Progress,
) -> Result<BTreeSet<String>, OpenError> {
    const FILE: &str = "queries.csv";
    let rows = Rows::read(folder, FILE, progress)?;
    let numbers: Vec<i64> = rows.numbers(folder, FILE, "people")?;
    let column = rows.column(folder, FILE, "query")?;
    let texts: BTreeSet<String> =
        column.codes.iter().map(|&code| column.domain.text(code).to_owned()).collect();
    let low = numbers.iter().filter(|&&own| i128::from(own) < i128::from(stated.noisy)).count();
    checks.push(match (texts.len() == numbers.len(), same_noise && low > 0) {
        (false, _) => Check::failed("queries", "a query is listed twice"),
        (true, true) => Check::failed("queries", format!("{low} queries have a number below the threshold")),
        (true, false) => Check::passed("queries", format!("{} queries, each listed once", numbers.len())),
    });
    Ok(texts)
}

fn clicks_of(
    folder: &ReleaseFolder,
    stated: &Stated,
    published: &BTreeSet<String>,
    checks: &mut Vec<Check>,
    progress: &dyn Progress,
) -> Result<(), OpenError> {
    const FILE: &str = "clicks.csv";
    let rows = Rows::read(folder, FILE, progress)?;
    let numbers: Vec<i64> = rows.numbers(folder, FILE, "people")?;
    let query = rows.column(folder, FILE, "query")?;
    let low = numbers.iter().filter(|&&own| i128::from(own) < i128::from(stated.noisy)).count();
    let strange = query.codes.iter().filter(|&&code| !published.contains(query.domain.text(code))).count();
    checks.push(match (low, strange) {
        (0, 0) => Check::passed(
            "clicks",
            format!("{} clicks reach the threshold and belong to published queries", numbers.len()),
        ),
        _ => Check::failed(
            "clicks",
            format!("{low} clicks are below the threshold, {strange} belong to no published query"),
        ),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(scale: &str, people: u64, noisy: u64) -> Stated {
        Stated { scale: scale.to_owned(), people, noisy, per_person: 4 }
    }

    #[test]
    fn costs_by_hand() {
        let own = stated("8", 5, 5 + 100);
        let (epsilon, delta) = spent(&own, Some("8"), None, None).unwrap();
        assert!((epsilon - 1.0).abs() < 1e-12);
        let p = (-12.5f64).exp() / (1.0 + (-0.125f64).exp());
        assert!((delta - 4.0 * p).abs() < 1e-12);
        let (_, more) = spent(&own, None, None, Some(1000)).unwrap();
        assert!((more - 800.0 * p).abs() < 1e-12);
        // A threshold that is next to nothing: silence costs more than the noise.
        let (costly, _) = spent(&stated("100000", 5, 6), None, None, None).unwrap();
        assert!(costly > 2.0);
        assert!(spent(&stated("0", 5, 10), None, None, None).is_none());
        assert!(spent(&stated("1", 5, 5), None, None, None).is_none());
        assert_eq!(
            (fraction("7/2"), fraction("3"), fraction("1/0"), fraction("1e-6")),
            (Some(3.5), Some(3.0), None, Some(1e-6))
        );
    }
}
