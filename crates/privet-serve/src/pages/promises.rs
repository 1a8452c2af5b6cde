//! Step 4: what must hold, in words, and what each promise costs on this data.

use axum::response::Response;
use maud::{Markup, html};
use privet_criteria::{KEYS, Requirement, statement};

use super::{Context, changed, grouped};
use crate::edit::inline;
use crate::picture::percent;
use crate::routes::Posted;
use crate::tries::{TRIES, Try};

/// A parameter of a form: its key, its name, the usual value, and what it holds.
type Parameter = (&'static str, &'static str, &'static str, Holds);

/// What a parameter holds.
#[derive(Clone, Copy)]
enum Holds {
    Number,
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// The file of a population.
    Population,
    /// Concepts with the values that they stand for.
    Concepts,
}

use Holds::{Concepts, Number, OneOf, Population};

/// A promise with a form of its own.
struct Known {
    key: &'static str,
    title: &'static str,
    says: &'static str,
    parameters: &'static [Parameter],
    /// Whether it is about a sensitive column.
    is_sensitive: bool,
}

const KNOWN: [Known; 13] = [
    Known {
        key: "k-anonymity",
        title: "k-anonymity",
        says: "Nobody can be told from at least k − 1 others by what others know of them.",
        parameters: &[("k", "k", "5", Number)],
        is_sensitive: false,
    },
    Known {
        key: "l-diversity",
        title: "l-diversity",
        says: "People who look alike have l different sensitive values, so that looking alike does not give them away.",
        parameters: &[
            ("l", "l", "3", Number),
            (
                "kind",
                "form",
                "distinct",
                OneOf(&[
                    "distinct",
                    "entropy",
                    "recursive",
                    "positive-disclosure",
                    "negative-positive-disclosure",
                ]),
            ),
            ("c", "c (recursive forms)", "", Number),
            ("c2", "c2 (negative/positive)", "", Number),
        ],
        is_sensitive: true,
    },
    Known {
        key: "t-closeness",
        title: "t-closeness",
        says: "Among people who look alike, sensitive values are spread as among all, up to t.",
        parameters: &[
            ("t", "t", "0.3", Number),
            (
                "kind",
                "distance",
                "variational",
                OneOf(&["variational", "kl", "equal", "ordered", "hierarchical"]),
            ),
        ],
        is_sensitive: true,
    },
    Known {
        key: "alpha-k",
        title: "(α,k)-anonymity",
        says: "People who look alike are at least k, and no sensitive value is held by more than a share α of them.",
        parameters: &[("alpha", "α", "0.5", Number), ("k", "k", "5", Number)],
        is_sensitive: true,
    },
    Known {
        key: "p-sensitivity",
        title: "p-sensitive k-anonymity",
        says: "People who look alike are at least k, with at least p different sensitive values.",
        parameters: &[("p", "p", "2", Number), ("k", "k", "5", Number)],
        is_sensitive: true,
    },
    Known {
        key: "beta-likeness",
        title: "β-likeness",
        says: "No sensitive value is much likelier among people who look alike than among all.",
        parameters: &[("beta", "β", "2", Number), ("kind", "form", "basic", OneOf(&["basic", "enhanced"]))],
        is_sensitive: true,
    },
    Known {
        key: "delta-disclosure",
        title: "δ-disclosure",
        says: "No sensitive value is much likelier or unlikelier among people who look alike than among all.",
        parameters: &[("delta", "δ", "1.5", Number)],
        is_sensitive: true,
    },
    Known {
        key: "c-k-safety",
        title: "(c,k)-safety",
        says: "Somebody who knows any k statements of the form “if A has x then B has y” stays less than c sure.",
        parameters: &[("c", "c", "0.8", Number), ("k", "k", "2", Number)],
        is_sensitive: true,
    },
    Known {
        key: "proximity-diversity",
        title: "proximity l-diversity",
        says: "People who look alike have numbers that differ by more than a width, so that nobody's number is known roughly.",
        parameters: &[
            ("l", "l", "2", Number),
            ("width", "width", "10", Number),
            ("kind", "form", "ranges", OneOf(&["ranges", "neighbourhood"])),
            ("balance", "balance", "", Number),
        ],
        is_sensitive: true,
    },
    Known {
        key: "concept-diversity",
        title: "concept l-diversity",
        says: "People who look alike have sensitive values of l different concepts, such as kinds of illness.",
        parameters: &[
            ("l", "l", "2", Number),
            ("kind", "form", "distinct", OneOf(&["distinct", "entropy", "recursive"])),
            ("c", "c (recursive)", "", Number),
            ("concepts", "concepts, one on a line, such as “lung = asthma; bronchitis”", "", Concepts),
        ],
        is_sensitive: true,
    },
    Known {
        key: "three-d",
        title: "3D privacy",
        says: "Somebody who knows l values that a person does not have, k other people, and m others with the same value stays less than c sure.",
        parameters: &[
            ("c", "c", "0.9", Number),
            ("l", "l", "1", Number),
            ("k", "k", "1", Number),
            ("m", "m", "1", Number),
        ],
        is_sensitive: true,
    },
    Known {
        key: "delta-presence",
        title: "δ-presence",
        says: "Nobody of a larger population is surer than δ that a person of it is in this table.",
        parameters: &[
            ("max", "at most", "0.5", Number),
            ("min", "at least", "", Number),
            ("population", "population", "", Population),
        ],
        is_sensitive: false,
    },
    Known {
        key: "k-map",
        title: "k-map",
        says: "Nobody can be told from at least k − 1 others of a larger population.",
        parameters: &[("k", "k", "5", Number), ("population", "population", "", Population)],
        is_sensitive: false,
    },
];

fn text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Table(concepts) => concepts_as_lines(concepts),
        other => other.to_string(),
    }
}

fn concepts_as_lines(concepts: &toml::Table) -> String {
    let line = |(concept, values): (&String, &toml::Value)| {
        let values: Vec<String> = values.as_array().into_iter().flatten().map(text).collect();
        format!("{concept} = {}\n", values.join("; "))
    };
    concepts.iter().map(line).collect()
}

fn concepts_of_lines(lines: &str) -> Result<toml_edit::Value, String> {
    let mut pairs: Vec<(String, toml_edit::Value)> = Vec::new();
    for line in lines.lines().map(str::trim).filter(|own| !own.is_empty()) {
        let (concept, values) =
            line.split_once('=').ok_or("each line of the concepts has a concept, “=” and its values")?;
        let values = values.split(';').map(str::trim).filter(|own| !own.is_empty());
        let values: toml_edit::Array = values.collect();
        let concept = concept.trim().to_owned();
        if concept.is_empty() || values.is_empty() || pairs.iter().any(|own| own.0 == concept) {
            return Err("each concept has one line, with at least one value".to_owned());
        }
        pairs.push((concept, values.into()));
    }
    Ok(inline(pairs))
}

/// Whether the form shows all that a job says: not for a list of promises, and not for concepts that lines cannot hold.
fn fits_form(known: &Known, value: &toml::Value) -> bool {
    if value.is_array() {
        return false;
    }
    known.parameters.iter().filter(|own| matches!(own.3, Concepts)).all(|(key, ..)| {
        let Some(concepts) = value.get(key).and_then(toml::Value::as_table) else { return true };
        let again = concepts_of_lines(&concepts_as_lines(concepts)).ok();
        let again = again.and_then(|own| toml::from_str::<toml::Table>(&format!("h = {own}")).ok());
        again.as_ref().and_then(|own| own.get("h")?.as_table()) == Some(concepts)
    })
}

/// A field of a form.
fn field(known: &Known, parameter: &Parameter, value: &str, population: Option<&str>) -> Markup {
    let (key, label, _, holds) = parameter;
    let name = format!("{}.{key}", known.key);
    html! {
        @match holds {
            Number => label { (label) " " input type="text" inputmode="decimal" size="6" name=(name) value=(value); },
            OneOf(words) => label { (label) " " select name=(name) {
                // A word that is set in the job file stays, though it needs more than the form has.
                @if !value.is_empty() && !words.contains(&value) { option selected { (value) } }
                @for word in *words { option selected[*word == value] { (word) } }
            } },
            Concepts => label { (label) " " textarea name=(name) rows="4" { (value) } },
            Population => @match population {
                Some(file) => { label { (label) " " select name=(name) { option selected { (file) } } } },
                None => p class="hint" { "Needs the file of a population; give one below first." },
            },
        }
    }
}

/// What a field of a form says; nothing when it is empty.
fn value_of(
    known: &Known,
    parameter: &Parameter,
    form: &Posted,
    before: Option<&toml::Value>,
    population: Option<&str>,
) -> Result<Option<toml_edit::Value>, String> {
    let (key, label, _, holds) = parameter;
    let name = format!("{}.{key}", known.key);
    let value = form.get(&name);
    if value.is_empty() {
        return Ok(None);
    }
    let was = before.and_then(|own| own.get(key)).and_then(toml::Value::as_str);
    Ok(Some(match holds {
        Number => match (value.parse::<i64>(), value.parse::<f64>()) {
            (Ok(whole), _) => whole.into(),
            (_, Ok(number)) if number.is_finite() => number.into(),
            _ => return Err(format!("{}: {label} must be a number", known.title)),
        },
        OneOf(words) if words.contains(&value) || was == Some(value) => value.into(),
        Population if population == Some(value) => value.into(),
        Concepts => concepts_of_lines(form.raw(&name))?,
        OneOf(_) | Population => {
            return Err(format!("{}: {label} must be one of those that are offered", known.title));
        }
    }))
}

/// The promise of a job in words.
fn sentences(key: &str, value: &toml::Value, sensitive: &[&str]) -> Vec<String> {
    let parsed = serde_json::to_value(value).ok().and_then(|own| Requirement::parse(key, &own).ok());
    let all = privet_criteria::resolve(&parsed.unwrap_or_default(), sensitive).unwrap_or_default();
    all.iter().map(|own| statement(own, sensitive)).collect()
}

fn consequence(own: &Try) -> Markup {
    html! {
        @match (&own.problem, own.suppressed) {
            (Some(problem), _) => span class="problem" { (problem) },
            (None, Some(suppressed)) => span class=(if own.fits { "good" } else { "problem" }) {
                "leaves out " (grouped(suppressed)) " records (" (percent(suppressed as f64 / own.rows.max(1) as f64)) ")"
                @if let Some(loss) = own.loss { ", loses " (percent(loss)) " of the detail" }
                @if !own.fits { ": more than the job allows" }
            },
            (None, None) => "not tried",
        }
    }
}

pub(crate) async fn show(cx: Context) -> Response {
    cx.show("promises", "Promises", |cx| {
        let job = cx.project.job_table()?;
        let privacy = job.get("privacy").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        let sensitive: Vec<&str> = job
            .get("columns")
            .and_then(toml::Value::as_table)
            .into_iter()
            .flatten()
            .filter(|(_, own)| own.get("role").and_then(toml::Value::as_str) == Some("sensitive"))
            .map(|(name, _)| name.as_str())
            .collect();
        let (basis, tries): (String, Vec<Try>) = cx.project.json(TRIES).unwrap_or_default();
        let is_old = !tries.is_empty() && basis != cx.project.basis(true);
        let tried = |key: &str| tries.iter().find(|own| own.what == key);
        let of = |key: &str, parameter: &str| -> Option<String> {
            match privacy.get(key)? {
                toml::Value::Table(own) => own.get(parameter).map(text),
                // A number alone is the first parameter.
                own => KNOWN.iter().any(|known| known.key == key && known.parameters[0].0 == parameter).then(|| text(own)),
            }
        };
        let search = |key: &str| job.get("search").and_then(|own| own.get(key)).map(text);
        let has_form = |key: &str| KNOWN.iter().any(|own| own.key == key && privacy.get(key).is_none_or(|value| fits_form(own, value)));
        let others: Vec<&&str> = KEYS.iter().filter(|key| !has_form(key)).collect();
        let population = cx.project.population();
        Ok(html! {
            h1 { "Promises" }
            p { "A release keeps every promise that is switched on, and the published files prove it again." }
            @if is_old { p class="notice" { "The job file was changed after the promises were tried; try them again." } }
            form method="post" {
                (cx.secret())
                @for known in KNOWN.iter().filter(|own| has_form(own.key)) {
                    @let is_on = privacy.contains_key(known.key);
                    fieldset class=(if is_on { "promise on" } else { "promise" }) {
                        legend { label class="choice" { input type="checkbox" name=(known.key) value="yes" checked[is_on]; " " (known.title) } }
                        p { (known.says) }
                        @for parameter in known.parameters {
                            (field(known, parameter, &of(known.key, parameter.0).unwrap_or_else(|| if is_on { String::new() } else { parameter.2.to_owned() }), population.as_deref()))
                        }
                        @if known.is_sensitive && sensitive.len() > 1 {
                            label { "about " select name=(format!("{}.column", known.key)) { @for name in &sensitive { option selected[of(known.key, "column").as_deref() == Some(*name)] { (name) } } } }
                        }
                        @if let Some(value) = privacy.get(known.key) {
                            @for sentence in sentences(known.key, value, &sensitive) { p class="statement" { (sentence) } }
                            @if let Some(own) = tried(known.key) { p { "On this data, by itself: " (consequence(own)) "." } }
                        }
                    }
                }
                @for key in others { @if let Some(value) = privacy.get(*key) {
                    fieldset class="promise on" { legend { (key) } p { "Set in the job file." }
                        @for sentence in sentences(key, value, &sensitive) { p class="statement" { (sentence) } }
                        @if let Some(own) = tried(key) { p { "On this data, by itself: " (consequence(own)) "." } } }
                } }
                fieldset {
                    legend { "Limits" }
                    label { "Records that may be left out, in per cent " input type="text" inputmode="decimal" size="6" name="suppress"
                        value=(format!("{}", search("suppress-at-most").and_then(|own| own.parse::<f64>().ok()).unwrap_or(0.0) * 100.0)); }
                }
                button type="submit" { "Save promises" }
            }
            @if let Some(own) = tried("all") { p { "All promises together, on this data: " (consequence(own)) "." } }
            (cx.button("try", "Try each promise on this data", "promises"))
            (population_form(cx, population.is_some()))
            p class="next" { a class="button" href=(cx.to("explore")) { "Next: explore" } }
        })
    })
    .await
}

fn population_form(cx: &Context, is_there: bool) -> Markup {
    html! {
        h2 { "Population" }
        p { "δ-presence and k-map count the people of a larger population that this table was taken from: a table with the same quasi columns. "
            @if is_there { "There is one; another file takes its place." } @else { "There is none yet." } }
        form method="post" action=(cx.to("population")) enctype="multipart/form-data" {
            (cx.secret())
            label { "The file of a population " input type="file" name="file" required; }
            button type="submit" { "Take it" }
        }
    }
}

pub(crate) async fn change(cx: Context, form: Posted) -> Response {
    let outcome = cx
        .blocking(move |cx| {
            let job = cx.project.job_table()?;
            let population = cx.project.population();
            let on = |key: &str| job.get("privacy").and_then(|own| own.get(key));
            cx.project.edit(|edit| {
                for known in &KNOWN {
                    // What the form did not show stays.
                    if on(known.key).is_some_and(|value| !fits_form(known, value)) {
                        continue;
                    }
                    if !form.has(known.key) {
                        edit.remove(&["privacy"], known.key);
                        continue;
                    }
                    let mut pairs = Vec::new();
                    for parameter in known.parameters {
                        let value = value_of(known, parameter, &form, on(known.key), population.as_deref())?;
                        pairs.extend(value.map(|value| (parameter.0.to_owned(), value)));
                    }
                    let column = form.get(&format!("{}.column", known.key));
                    if !column.is_empty() {
                        pairs.push(("column".to_owned(), column.into()));
                    }
                    // Keys that the form does not have stay.
                    if let Some(toml::Value::Table(old)) = on(known.key) {
                        let has =
                            |key: &str| key == "column" || known.parameters.iter().any(|own| own.0 == key);
                        for (key, value) in old.iter().filter(|(key, _)| !has(key)) {
                            let value = value
                                .to_string()
                                .parse()
                                .map_err(|_| "the job file cannot be kept".to_owned())?;
                            pairs.push((key.clone(), value));
                        }
                    }
                    match pairs.as_slice() {
                        [(key, value)] if key == "k" && known.key == "k-anonymity" => {
                            edit.set(&["privacy"], known.key, value.clone());
                        }
                        _ => edit.set(&["privacy"], known.key, inline(pairs)),
                    }
                }
                let share = form
                    .get("suppress")
                    .parse::<f64>()
                    .map_err(|_| "the limit must be a number in per cent")?;
                if !(0.0..=100.0).contains(&share) {
                    return Err("the limit must be from 0 to 100 per cent".to_owned());
                }
                edit.set(&["search"], "suppress-at-most", share / 100.0);
                Ok(())
            })?;
            match cx.project.job_problem() {
                Some(problem) => Err(problem),
                None => Ok(()),
            }
        })
        .await;
    changed(&cx, "promises", outcome)
}
