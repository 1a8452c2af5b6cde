//! Step 3: how each quasi column is generalized, checked against its values while it is changed.

use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use privet_data::hierarchy::{HierarchySpec, build, write_hierarchy};
use privet_data::{Column, Hierarchy};
use serde::Deserialize;

use super::roles::role_of;
use super::{Context, alert, changed, grouped};
use crate::picture::bar;
use crate::routes::Posted;

/// Labels that are shown of a level.
const MOST_LABELS: usize = 8;
const UNITS: [&str; 6] = ["day", "week", "month", "quarter", "year", "decade"];

/// How often each value of a column occurs.
pub(super) fn counts(column: &Column) -> Vec<u64> {
    let mut counts = vec![0; column.domain.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    counts
}

/// The hierarchy that a job says for a column, as TOML.
pub(super) fn said(job: &toml::Table, column: &str) -> Option<toml::Value> {
    job.get("columns")?.get(column)?.get("hierarchy").cloned()
}

pub(super) fn spec_of(value: &toml::Value) -> Result<HierarchySpec, String> {
    #[derive(Deserialize)]
    struct Line {
        hierarchy: HierarchySpec,
    }
    let mut table = toml::Table::new();
    table.insert("hierarchy".to_owned(), value.clone());
    table.try_into::<Line>().map(|line| line.hierarchy).map_err(|error| error.message().to_owned())
}

/// What a hierarchy makes of a column: its levels with their most frequent labels, or what is wrong with it.
fn look(cx: &Context, column: &Column, spec: Option<&HierarchySpec>) -> Result<Markup, String> {
    let counts = counts(column);
    let hierarchy = match spec {
        Some(spec) => build(spec, cx.project.folder(), &column.domain, &counts)
            .map_err(|error| crate::project::plain(&error.to_string(), cx.project.folder()))?,
        None => Hierarchy::flat(&column.domain),
    };
    let bound = hierarchy.bind(&column.domain).map_err(|error| error.to_string())?;
    let records = column.codes.len().max(1) as f64;
    let levels = bound.levels.iter().map(|level| {
        let mut of_label = vec![0; level.labels.len()];
        for (code, &node) in level.node_of_code.iter().enumerate() {
            of_label[node as usize] += counts[code];
        }
        let mut order: Vec<usize> = (0..of_label.len()).collect();
        order.sort_by_key(|&own| std::cmp::Reverse(of_label[own]));
        let smallest = of_label.iter().copied().filter(|own| *own > 0).min().unwrap_or(0);
        html! {
            li {
                strong { (level.labels.len()) @if level.labels.len() == 1 { " label" } @else { " labels" } } ", the rarest with " (grouped(smallest)) @if smallest == 1 { " record" } @else { " records" }
                ul class="labels" { @for &own in order.iter().take(MOST_LABELS) {
                    li { (bar(of_label[own] as f64 / records)) " " (level.labels[own]) " " small { (grouped(of_label[own])) } }
                } }
            }
        }
    });
    let levels: Vec<Markup> = levels.collect();
    Ok(html! {
        p class="good" { "Covers every value of the column." }
        ol start="0" class="levels" { @for level in levels { (level) } }
    })
}

pub(crate) async fn show(cx: Context, axum::extract::Query(asked): axum::extract::Query<Asked>) -> Response {
    cx.show("hierarchies", "Hierarchies", move |cx| {
        let input = cx.project.table()?;
        let job = cx.project.job_table()?;
        let quasi: Vec<(usize, &Column)> = input
            .table
            .columns
            .iter()
            .enumerate()
            .filter(|(_, own)| role_of(&job, &own.name) == Some("quasi"))
            .collect();
        let Some((number, column)) =
            quasi.iter().find(|own| Some(own.0) == asked.column).or(quasi.first()).copied()
        else {
            return Ok(html! { h1 { "Hierarchies" } p { "No column is quasi. Give one that role first." } });
        };
        let value = said(&job, &column.name);
        let spec = value.as_ref().map(spec_of).transpose();
        let looked = spec.clone().and_then(|spec| look(cx, column, spec.as_ref()));
        Ok(html! {
            h1 { "Hierarchies" }
            p { "A hierarchy says how a column becomes coarser, step by step. The search chooses how many steps are needed." }
            ul class="tabs" { @for (own, column) in &quasi {
                li { a href=(format!("{}?column={own}", cx.to("hierarchies"))) aria-current=[(*own == number).then_some("true")] { (column.name) } }
            } }
            h2 { (column.name) }
            form method="post" id="hierarchy" data-check=(cx.to("check")) {
                (cx.secret())
                input type="hidden" name="column" value=(number);
                (builders(value.as_ref()))
                button type="submit" { "Save" }
            }
            section id="check" aria-live="polite" aria-label="What it makes of the column" {
                @match looked { Ok(markup) => (markup), Err(problem) => (alert(&problem)) }
            }
            @match spec { Ok(spec) => (super::groups::editor(cx, number, column, spec.as_ref(), &asked)), Err(_) => {} }
            p class="next" { a class="button" href=(cx.to("promises")) { "Next: promises" } }
        })
    })
    .await
}

/// Which column a page is about.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    column: Option<usize>,
    /// What the values that are shown hold.
    pub find: Option<String>,
    /// From which value on they are shown.
    pub from: Option<usize>,
}

fn builders(value: Option<&toml::Value>) -> Markup {
    let of = |key: &str| value.and_then(toml::Value::as_table).and_then(|own| own.get(key));
    let list = |key: &str| -> String {
        let items = of(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        items.iter().map(plain).collect::<Vec<_>>().join(", ")
    };
    let one = |key: &str| of(key).map(plain).unwrap_or_default();
    let units = list("dates");
    let kind = match value {
        None => "flat",
        Some(toml::Value::String(_)) => "file",
        Some(_) if of("intervals").is_some() => "intervals",
        Some(_) if of("mask").is_some() => "mask",
        Some(_) if of("dates").is_some() => "dates",
        Some(_) if of("tree").is_some() || of("groups").is_some() => "written",
        Some(_) => "other",
    };
    let choice = |word: &str, text: &str| {
        html! { label class="choice" { input type="radio" name="kind" value=(word) checked[kind == word]; " " (text) } }
    };
    html! {
        fieldset {
            legend { "How it becomes coarser" }
            (choice("flat", "The value, then nothing"))
            (choice("intervals", "Intervals of numbers"))
            div class="of" {
                label { "Widths " input type="text" name="intervals" value=(list("intervals")) placeholder="5, 10, 20"; }
                label { "From " input type="text" name="min" size="6" value=(one("min")); }
                label { "One group below " input type="text" name="bottom" size="6" value=(one("bottom")); }
                label { "One group from " input type="text" name="top" size="6" value=(one("top")); }
            }
            (choice("mask", "Masks of characters, such as of postal codes"))
            div class="of" {
                label { "From the " select name="mask" {
                    option value="right" selected[one("mask") != "left"] { "right" } option value="left" selected[one("mask") == "left"] { "left" }
                } }
            }
            (choice("dates", "Steps of the calendar"))
            div class="of" { @for unit in UNITS {
                label class="choice" { input type="checkbox" name=(format!("unit-{unit}")) value="yes" checked[units.split(", ").any(|own| own == unit)]; " " (unit) }
            } }
            @match kind {
                "file" => (choice(kind, "Groups of a file, below")),
                "written" => (choice(kind, "Groups of the job file, below")),
                "other" => { (choice(kind, "As the job file says")) (choice("file", "Groups, to be put together below")) },
                _ => (choice("file", "Groups, to be put together below")),
            }
        }
    }
}

fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The hierarchy that a form describes: nothing for one that is flat, none for one that stays as it is.
fn described(form: &Posted) -> Result<Option<Option<String>>, String> {
    let number = |name: &str| -> Result<Option<String>, String> {
        match form.get(name) {
            "" => Ok(None),
            text if text.parse::<f64>().is_ok_and(f64::is_finite) => Ok(Some(format!(", {name} = {text}"))),
            _ => Err(format!("`{name}` must be a number")),
        }
    };
    Ok(Some(Some(match form.get("kind") {
        "flat" => return Ok(Some(None)),
        "intervals" => {
            let widths: Vec<&str> = form
                .get("intervals")
                .split([',', ' '])
                .map(str::trim)
                .filter(|own| !own.is_empty())
                .collect();
            if widths.is_empty() || widths.iter().any(|own| own.parse::<f64>().is_err()) {
                return Err("the widths must be numbers, such as 5, 10, 20".to_owned());
            }
            let ends = [number("min")?, number("bottom")?, number("top")?];
            let ends: String = ends.into_iter().flatten().collect();
            format!("{{ intervals = [{}]{ends} }}", widths.join(", "))
        }
        "mask" => format!("{{ mask = \"{}\" }}", if form.get("mask") == "left" { "left" } else { "right" }),
        "dates" => {
            let units: Vec<String> = UNITS
                .iter()
                .filter(|unit| form.has(&format!("unit-{unit}")))
                .map(|unit| format!("\"{unit}\""))
                .collect();
            if units.is_empty() {
                return Err("choose at least one step of the calendar".to_owned());
            }
            format!("{{ dates = [{}] }}", units.join(", "))
        }
        _ => return Ok(None),
    })))
}

/// Looks at a hierarchy that is being changed, without changing anything.
pub(crate) async fn check(cx: Context, form: Posted) -> Response {
    let looked = cx
        .blocking(move |cx| {
            let input = cx.project.table()?;
            let column = column_of(&input.table, &form)?;
            let spec = match described(&form)? {
                Some(Some(text)) => {
                    let line: toml::Table =
                        toml::from_str(&format!("h = {text}")).map_err(|error| error.message().to_owned())?;
                    line.get("h").map(spec_of).transpose()?
                }
                Some(None) => None,
                None => said(&cx.project.job_table()?, &column.name).as_ref().map(spec_of).transpose()?,
            };
            look(cx, column, spec.as_ref())
        })
        .await;
    let markup = looked.unwrap_or_else(|problem| alert(&problem));
    ([(axum::http::header::CONTENT_TYPE, "text/html; charset=utf-8")], markup.into_string()).into_response()
}

pub(super) fn column_of<'a>(table: &'a privet_data::Table, form: &Posted) -> Result<&'a Column, String> {
    let number = form.get("column").parse::<usize>().ok();
    number.and_then(|own| table.columns.get(own)).ok_or_else(|| "there is no such column".to_owned())
}

pub(crate) async fn change(cx: Context, form: Posted) -> Response {
    let page = format!("hierarchies?column={}", form.get("column").parse::<usize>().unwrap_or(0));
    let outcome = cx
        .blocking(move |cx| {
            let input = cx.project.table()?;
            let column = column_of(&input.table, &form)?;
            let sections = ["columns", column.name.as_str()];
            match described(&form)? {
                Some(Some(text)) => cx.project.edit(|edit| edit.set_text(&sections, "hierarchy", &text)),
                Some(None) => cx.project.edit(|edit| {
                    edit.remove(&sections, "hierarchy");
                    Ok(())
                }),
                // Groups begin with every value for itself.
                None if form.get("kind") == "file" => {
                    let job = cx.project.job_table()?;
                    match said(&job, &column.name) {
                        Some(toml::Value::String(_)) => Ok(()),
                        _ => {
                            let number = form.get("column").to_owned();
                            let flat = Hierarchy::flat(&column.domain);
                            save(cx, column, &number, &flat)
                        }
                    }
                }
                None => Ok(()),
            }
        })
        .await;
    changed(&cx, &page, outcome)
}

/// Writes a hierarchy to its file and names it in the job.
pub(super) fn save(cx: &Context, column: &Column, number: &str, hierarchy: &Hierarchy) -> Result<(), String> {
    let mut bytes = Vec::new();
    write_hierarchy(&mut bytes, hierarchy, b';').map_err(|error| error.to_string())?;
    let name = format!("hierarchies/column-{number}.csv");
    cx.project.save(&name, &bytes)?;
    cx.project.edit(|edit| {
        edit.set(&["columns", column.name.as_str()], "hierarchy", name.as_str());
        Ok(())
    })
}
