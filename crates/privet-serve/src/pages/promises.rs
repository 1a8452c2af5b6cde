//! Step 4: what must hold, in words, and what each promise costs on this data.

use axum::response::Response;
use maud::{Markup, html};
use privet_criteria::{KEYS, Requirement, statement};

use super::{Context, changed, grouped};
use crate::edit::inline;
use crate::picture::percent;
use crate::routes::Posted;
use crate::tries::{TRIES, Try};

/// A parameter of a form: its key, its name, the usual value, and the words that are accepted where it is one of some.
type Parameter = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// A promise with a form of its own.
struct Known {
    key: &'static str,
    title: &'static str,
    says: &'static str,
    parameters: &'static [Parameter],
    /// Whether it is about a sensitive column.
    is_sensitive: bool,
}

const KNOWN: [Known; 8] = [
    Known {
        key: "k-anonymity",
        title: "k-anonymity",
        says: "Nobody can be told from at least k − 1 others by what others know of them.",
        parameters: &[("k", "k", "5", &[])],
        is_sensitive: false,
    },
    Known {
        key: "l-diversity",
        title: "l-diversity",
        says: "People who look alike have l different sensitive values, so that looking alike does not give them away.",
        parameters: &[
            ("l", "l", "3", &[]),
            ("kind", "form", "distinct", &["distinct", "entropy", "recursive"]),
            ("c", "c (recursive)", "", &[]),
        ],
        is_sensitive: true,
    },
    Known {
        key: "t-closeness",
        title: "t-closeness",
        says: "Among people who look alike, sensitive values are spread as among all, up to t.",
        parameters: &[
            ("t", "t", "0.3", &[]),
            ("kind", "distance", "variational", &["variational", "kl", "equal", "ordered", "hierarchical"]),
        ],
        is_sensitive: true,
    },
    Known {
        key: "alpha-k",
        title: "(α,k)-anonymity",
        says: "People who look alike are at least k, and no sensitive value is held by more than a share α of them.",
        parameters: &[("alpha", "α", "0.5", &[]), ("k", "k", "5", &[])],
        is_sensitive: true,
    },
    Known {
        key: "p-sensitivity",
        title: "p-sensitive k-anonymity",
        says: "People who look alike are at least k, with at least p different sensitive values.",
        parameters: &[("p", "p", "2", &[]), ("k", "k", "5", &[])],
        is_sensitive: true,
    },
    Known {
        key: "beta-likeness",
        title: "β-likeness",
        says: "No sensitive value is much likelier among people who look alike than among all.",
        parameters: &[("beta", "β", "2", &[]), ("kind", "form", "basic", &["basic", "enhanced"])],
        is_sensitive: true,
    },
    Known {
        key: "delta-disclosure",
        title: "δ-disclosure",
        says: "No sensitive value is much likelier or unlikelier among people who look alike than among all.",
        parameters: &[("delta", "δ", "1.5", &[])],
        is_sensitive: true,
    },
    Known {
        key: "c-k-safety",
        title: "(c,k)-safety",
        says: "Somebody who knows any k statements of the form “if A has x then B has y” stays less than c sure.",
        parameters: &[("c", "c", "0.8", &[]), ("k", "k", "2", &[])],
        is_sensitive: true,
    },
];

fn text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
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
        let others: Vec<&&str> = KEYS.iter().filter(|key| !KNOWN.iter().any(|own| own.key == **key)).collect();
        Ok(html! {
            h1 { "Promises" }
            p { "A release keeps every promise that is switched on, and the published files prove it again." }
            @if is_old { p class="notice" { "The job file was changed after the promises were tried; try them again." } }
            form method="post" {
                (cx.secret())
                @for known in &KNOWN {
                    @let is_on = privacy.contains_key(known.key);
                    fieldset class=(if is_on { "promise on" } else { "promise" }) {
                        legend { label class="choice" { input type="checkbox" name=(known.key) value="yes" checked[is_on]; " " (known.title) } }
                        p { (known.says) }
                        @for (key, name, usual, words) in known.parameters {
                            @let value = of(known.key, key).unwrap_or_else(|| if is_on { String::new() } else { (*usual).to_owned() });
                            label { (name) " "
                                @if words.is_empty() { input type="text" inputmode="decimal" size="6" name=(format!("{}.{key}", known.key)) value=(value); }
                                @else { select name=(format!("{}.{key}", known.key)) { @for word in *words { option selected[*word == value] { (word) } } } }
                            }
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
            p class="next" { a class="button" href=(cx.to("explore")) { "Next: explore" } }
        })
    })
    .await
}

pub(crate) async fn change(cx: Context, form: Posted) -> Response {
    let outcome = cx
        .blocking(move |cx| {
            let job = cx.project.job_table()?;
            let on = |key: &str| job.get("privacy").and_then(|own| own.get(key));
            cx.project.edit(|edit| {
                for known in &KNOWN {
                    if !form.has(known.key) {
                        edit.remove(&["privacy"], known.key);
                        continue;
                    }
                    let mut pairs = Vec::new();
                    for (key, name, _, words) in known.parameters {
                        let value = form.get(&format!("{}.{key}", known.key));
                        let value: toml_edit::Value = match (value.parse::<i64>(), value.parse::<f64>()) {
                            _ if value.is_empty() => continue,
                            _ if words.contains(&value) => value.into(),
                            (Ok(whole), _) => whole.into(),
                            (_, Ok(number)) if number.is_finite() => number.into(),
                            _ => return Err(format!("{}: {name} must be a number", known.title)),
                        };
                        pairs.push(((*key).to_owned(), value));
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
