//! The referee of models: Claim 3 of Friedman, Wolff and Schuster (papers F-PM8) written again from the published file, for trees, clusterings
//! and rules. It reads the JSON by itself, walks the trees by itself, and shares nothing with whoever made the model.
//!
//! A span is checked by a person who has it: public attributes that lie on all ways to its leaves. The tree is walked with them, into
//! every child at a private test, and must end at exactly these leaves.

mod bayes;
mod clusters;
mod recoded;
mod rules;
mod tree;

use privet_data::Progress;
use privet_release::verify::{Groups, groups_statement, judge_groups};
use privet_release::{Check, OpenError, Promised, Referee, ReleaseFolder, Trusted};
use serde::Deserialize;
use serde_json::Value;

const MODEL: &str = "model.json";
const PMML: &str = "model.pmml";
const RECORDS: &str = "records.csv";

/// The referee.
pub struct Model;

/// It, for the list of all.
pub const REFEREE: &dyn Referee = &Model;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    records: u64,
    pmml: bool,
    #[serde(default)]
    recoded: bool,
}

/// What a model says about its spans, once it is known to be well formed.
struct Spans {
    records: u64,
    /// Per span its people, whether it tells of private attributes, and, for a private class, its people by class.
    spans: Vec<Span>,
}

struct Span {
    records: u64,
    tells: bool,
    classes: Option<Vec<u64>>,
}

fn body(folder: &ReleaseFolder) -> Result<Body, OpenError> {
    let wrong = |source| OpenError::Manifest { folder: folder.path().to_owned(), source };
    folder.envelope().body().map_err(wrong)
}

impl Referee for Model {
    fn kind(&self) -> &'static str {
        "model"
    }

    fn files(&self, folder: &ReleaseFolder) -> Result<Vec<String>, OpenError> {
        let mut files = vec![MODEL.to_owned()];
        let body = body(folder)?;
        files.extend(body.pmml.then(|| PMML.to_owned()));
        files.extend(body.recoded.then(|| RECORDS.to_owned()));
        Ok(files)
    }

    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
        let body = body(folder)?;
        let value: Value = serde_json::from_slice(&folder.read(MODEL)?)
            .map_err(|error| folder.malformed(MODEL, format!("line {}: no JSON", error.line())))?;
        progress.check().map_err(|_| OpenError::Cancelled)?;
        if value["type"].as_str() == Some("bayes") {
            return Ok(bayes::checks(folder, &value["model"], (body.records, body.pmml || body.recoded)));
        }
        let found = match value["type"].as_str() {
            Some("tree") => tree::spans(&value["model"]),
            Some("clusters") => clusters::spans(&value["model"]),
            Some("rules") => rules::spans(&value["model"]),
            _ => Err("the type of the model is not known".to_owned()),
        };
        let spans = match found {
            Ok(spans) => spans,
            Err(problem) => return Ok(vec![Check::failed("model", problem)]),
        };
        let counted: u64 = spans.spans.iter().map(|span| span.records).sum();
        let mut checks = vec![Check::passed("model", format!("{} spans fit the model", spans.spans.len()))];
        checks.push(match spans.records == counted && body.records == counted {
            true => Check::passed("records", format!("the spans hold all {counted} records")),
            false => Check::failed(
                "records",
                format!("the spans hold {counted} records, which is not what is stated"),
            ),
        });
        for promised in &folder.envelope().promises {
            checks.push(match promised.id.as_str() {
                "k-anonymous-records" if body.recoded => {
                    recoded::check(folder, promised, &spans, &value, progress)?
                }
                "k-anonymous-patterns" if value["type"].as_str() == Some("rules") => {
                    rules::patterns(promised, &value["model"], progress)?
                }
                _ => judged(promised, &spans, &value),
            });
        }
        if body.recoded && !folder.envelope().promises.iter().any(|own| own.id == "k-anonymous-records") {
            checks.push(Check::failed("promises", "records are published and nothing is promised of them"));
        }
        if !folder.envelope().promises.iter().any(|own| own.id == "k-anonymous-spans") {
            checks.push(Check::failed("promises", "no number of people per span is promised"));
        }
        Ok(checks)
    }

    fn on_trust(&self) -> &'static [Trusted] {
        &[Trusted {
            what: "populations",
            why: "how many people have each span, and that the spans of a clustering are those of its people: the people stay at home",
        }]
    }

    fn statement(&self, promised: &Promised) -> Option<String> {
        match promised.id.as_str() {
            "k-anonymous-spans" => {
                let k = promised.whole("k")?;
                Some(format!(
                    "Whoever knows the public attributes of everybody links no private value to fewer than {k} people through this model."
                ))
            }
            "k-anonymous-counts" => {
                let k = promised.whole("k")?;
                Some(format!(
                    "No count of this model, and no difference of its counts, tells of a group of fewer than {k} people."
                ))
            }
            "k-anonymous-patterns" => {
                let k = promised.whole("k")?;
                Some(format!(
                    "No group of from 1 to {} people who hold some items and not others follows from the published supports by subtraction.",
                    k.checked_sub(1)?
                ))
            }
            "k-anonymous-records" => {
                let k = promised.whole("k")?;
                Some(format!(
                    "Each published record agrees with at least {} others on all public columns.",
                    k.checked_sub(1)?
                ))
            }
            "span-confidence" => {
                let limit = promised.number("limit")?;
                promised.number("l")?;
                Some(format!("No class has more than {} % of the people of a span.", percent(limit)))
            }
            "span-criterion" => groups_statement(promised),
            _ => None,
        }
    }
}

fn percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn judged(promised: &Promised, spans: &Spans, value: &Value) -> Check {
    match promised.id.as_str() {
        "k-anonymous-spans" => people(promised, spans, value),
        "span-confidence" => confidence(promised, spans),
        "span-criterion" => criterion(promised, spans, value),
        _ => Check::failed("promise", "this promise is not known for models"),
    }
}

/// Claim 3: every span has one class or at least k people. Spans of nobody are allowed.
fn people(promised: &Promised, spans: &Spans, value: &Value) -> Check {
    const NAME: &str = "people per span";
    let Some(k) = promised.whole("k").filter(|&k| k > 0 && k <= spans.records) else {
        return Check::failed(NAME, "k is missing, 0, or above the number of records");
    };
    let every = value["model"]["rule"].as_str() == Some("three-way");
    let looked_at = |span: &&Span| (span.tells || every) && span.records > 0;
    let least = spans.spans.iter().filter(looked_at).map(|span| span.records).min();
    let telling =
        spans.spans.iter().filter(|span| span.tells && span.records > 0).map(|span| span.records).min();
    if promised.reached != telling.map(|own| own as f64) {
        return Check::failed(NAME, "the smallest span that is stated is not that of the model");
    }
    match least {
        Some(least) if least < k => Check::failed(NAME, format!("a span has {least} people, fewer than {k}")),
        Some(least) => Check::passed(NAME, format!("the smallest span has {least} people")),
        None => Check::passed(NAME, "no span tells of private attributes"),
    }
}

/// No class has a larger share of a span; for two classes this is entropy l-diversity with l = 2^H(limit).
fn confidence(promised: &Promised, spans: &Spans) -> Check {
    const NAME: &str = "confidence in a class";
    let (Some(limit), Some(l)) = (promised.number("limit"), promised.number("l")) else {
        return Check::failed(NAME, "the limit is missing");
    };
    let term = |share: f64| if share > 0.0 { -share * share.log2() } else { 0.0 };
    if !(0.5..=1.0).contains(&limit) || ((term(limit) + term(1.0 - limit)).exp2() - l).abs() > 1e-9 {
        return Check::failed(NAME, "the limit and l do not belong together");
    }
    let mut worst: f64 = 0.0;
    for span in spans.spans.iter().filter(|span| span.records > 0) {
        let Some(classes) = &span.classes else {
            return Check::failed(NAME, "the class is public, so nothing is promised of it");
        };
        let most = classes.iter().max().copied().unwrap_or(0);
        worst = worst.max(most as f64 / span.records as f64);
    }
    match worst <= limit + 1e-9 {
        true => {
            Check::passed(NAME, format!("the largest share of a class in a span is {} %", percent(worst)))
        }
        false => Check::failed(NAME, format!("a class has {} % of a span", percent(worst))),
    }
}

/// Any privacy model on the people of every span by class, by the definitions that tables are judged with.
fn criterion(promised: &Promised, spans: &Spans, value: &Value) -> Check {
    const NAME: &str = "privacy model of spans";
    let class = &value["model"]["model"]["schema"]["class"];
    let values: Option<Vec<String>> = class["values"]
        .as_array()
        .map(|own| own.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect());
    let (Some(column), Some(values)) = (class["name"].as_str(), values) else {
        return Check::failed(NAME, "the model has no class");
    };
    let counts: Option<Vec<Vec<u64>>> =
        spans.spans.iter().filter(|span| span.records > 0).map(|span| span.classes.clone()).collect();
    let Some(counts) = counts else {
        return Check::failed(NAME, "the class is public, so nothing is promised of it");
    };
    let what = promised.word("criterion").unwrap_or_default();
    match judge_groups(promised, &Groups { column, values: &values, counts: &counts }) {
        Err(problem) => Check::failed(NAME, format!("the promise cannot be judged: {problem}")),
        Ok(judged) if !judged.holds => Check::failed(NAME, format!("a span breaks {what}")),
        Ok(judged) => Check::passed(
            NAME,
            match judged.reached {
                Some(reached) => format!("{what}: the worst span reaches {reached:.4}"),
                None => format!("{what}: there is no span"),
            },
        ),
    }
}

/// A form of JSON that is read by serde; what is wrong is told without a value.
fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone())
        .map_err(|_| "the model does not have the documented form".to_owned())
}

#[cfg(test)]
mod tests;
