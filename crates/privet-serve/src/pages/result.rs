//! Step 6: what was made: input beside output, what each column is still good for, risk before and after, attacks, who would be exposed.

use axum::response::Response;
use maud::{Markup, html};
use privet_data::io::ReadOptions;
use privet_job::assess::{AttackOptions, attack as attack_release};
use serde_json::Value;

use super::roles::role_of;
use super::{Context, explore, findings, grid, grouped, rows_of};
use crate::picture::{bar, percent, share};
use crate::power::together;
use crate::preview::{self, Preview};
use crate::project::{ATTACKS, PEOPLE, Project, SUMMARY};
use crate::tasks::{Failure, Task};

/// People who are shown.
const SHOWN: usize = 20;

/// Attacks the release, and writes what is concluded about whom.
pub(crate) fn attack(project: &Project, task: &Task) -> Result<String, Failure> {
    if !project.has_release() {
        return Err(Failure::failed("there is no release yet; make it first"));
    }
    if let Some(manifest) = findings::manifest(project) {
        let found = findings::attack(project, &manifest, task)?;
        project.save_json(ATTACKS, &found).map_err(Failure::failed)?;
        return Ok("The release was attacked.".to_owned());
    }
    let folder = project.folder();
    let options = AttackOptions {
        release: project.release(),
        original: Some(project.job_path()),
        confidence: 0.9,
        seed: 1,
        people: Some(folder.join(PEOPLE)),
        ..AttackOptions::default()
    };
    let found = attack_release(&options, task)
        .map_err(|error| Failure::of(error.outcome(), crate::project::plain(&error.to_string(), folder)))?;
    project.save_json(ATTACKS, &found).map_err(Failure::failed)?;
    Ok("The release was attacked.".to_owned())
}

pub(crate) async fn show(cx: Context) -> Response {
    cx.show("result", "Result", |cx| {
        let Some(summary) = cx.project.json::<Value>(SUMMARY).filter(|_| cx.project.has_release()) else {
            return Ok(html! { h1 { "Result" } p { "There is no release yet." } (cx.button("run", "Make the release", "result")) });
        };
        if let Some(manifest) = findings::manifest(&cx.project) {
            let attacked: Option<privet::Assessment> = cx.project.json(ATTACKS);
            return Ok(html! {
                (head(cx))
                (findings::show(manifest.kind().unwrap_or_default(), &summary, attacked.as_ref()))
                (cx.button("attack", "Attack the release", "result"))
                (reports(cx))
            });
        }
        // The owner's facts; a kind without them has its own page.
        let owner: Value = cx.project.json("home/report.json").unwrap_or_default();
        let found: Value = cx.project.json(ATTACKS).unwrap_or_default();
        let assessed = &owner["assessment"];
        Ok(html! {
            (head(cx))
            (at_a_glance(&summary))
            (before_and_after(cx, &summary))
            (risk(cx, &summary, assessed))
            (utility(assessed))
            (attacks(if found.is_object() { &found } else { assessed }))
            (exposed(cx))
            (reports(cx))
        })
    })
    .await
}

fn head(cx: &Context) -> Markup {
    html! {
        h1 { "Result" }
        @if cx.project.is_changed() { p class="notice" { "The job file was changed after this release was made; make it again." } }
        (cx.button("run", "Make it again", "result"))
    }
}

fn reports(cx: &Context) -> Markup {
    html! {
        h2 { "Reports" }
        ul {
            li { a href=(cx.to("file/report")) target="_blank" rel="noopener" { "The report of the release, for everybody" } }
            @if cx.project.home().join("report.html").is_file() { li { a href=(cx.to("file/owner")) target="_blank" rel="noopener" { "The owner's page, for you alone" } } }
        }
        p class="next" { a class="button" href=(cx.to("handover")) { "Next: hand over" } }
    }
}

fn at_a_glance(summary: &Value) -> Markup {
    let number = |key: &str| summary[key].as_u64();
    html! {
        dl class="facts" {
            @if let Some(rows) = number("rows") { div { dt { "Records" } dd { (grouped(rows)) } } }
            @if let Some(suppressed) = number("suppressed") { div { dt { "Left out" } dd { (grouped(suppressed)) } } }
            @if let Some(loss) = summary["loss"].as_f64() { div { dt { "Loss of detail" } dd { (percent(loss)) } } }
            @if let Some(classes) = number("classes") { div { dt { "Classes" } dd { (grouped(classes)) } } }
            @if let Some(smallest) = number("min_class_size") { div { dt { "Smallest class" } dd { (grouped(smallest)) } } }
        }
        @for note in summary["written"].as_array().into_iter().flatten().filter_map(Value::as_str) { p class="notice" { (note) } }
    }
}

fn before_and_after(cx: &Context, summary: &Value) -> Markup {
    let after = explore::records(cx, crate::confine::RELEASE);
    let before = cx.project.table();
    html! {
        h2 { "Input beside output" }
        @if summary["suppressed"].as_u64().unwrap_or(0) > 0 { p class="hint" { "Records that were left out are missing on the right." } }
        div class="beside" {
            @if let Ok(input) = before {
                (grid("First records of the input", &input.table.columns.iter().map(|own| own.name.as_str()).collect::<Vec<_>>(), &rows_of(&input.table, 10)))
            }
            @match after {
                Ok(Preview { names, rows }) => (grid("First records of the release", &names.iter().map(String::as_str).collect::<Vec<_>>(), &rows)),
                Err(_) => p { "This kind of release has no single table of records; its report shows what it holds." },
            }
        }
    }
}

fn risk(cx: &Context, summary: &Value, assessed: &Value) -> Markup {
    let before = || -> Option<crate::power::Power> {
        let input = cx.project.table().ok()?;
        let job = cx.project.job_table().ok()?;
        let quasi: Vec<usize> = (0..input.table.columns.len())
            .filter(|&own| role_of(&job, &input.table.columns[own].name) == Some("quasi"))
            .collect();
        together(&input.table, &quasi)
    };
    let after = summary["min_class_size"].as_u64().filter(|own| *own > 0);
    html! {
        h2 { "Risk before and after" }
        @if let (Some(before), Some(after)) = (before(), after) {
            div class="scroll" tabindex="0" role="region" aria-label="Risk before and after" { table {
                thead { tr { th scope="col" { "Risk" } th scope="col" { "Before" } th scope="col" { "After" } } }
                tbody {
                    tr { th scope="row" { "Largest chance to find somebody again" } td { (share(1.0 / before.smallest.max(1) as f64)) } td { (share(1.0 / after as f64)) } }
                    tr { th scope="row" { "Records that are alone" } td { (share(before.alone)) } td { (bar(f64::from(u8::from(after < 2)))) " " @if after < 2 { "some" } @else { "0 %" } } }
                }
            } }
        }
        (figures(&assessed["risk"]["figures"]))
    }
}

/// Figures with their sentences.
fn figures(list: &Value) -> Markup {
    let list: Vec<&Value> = list.as_array().into_iter().flatten().collect();
    html! {
        @if !list.is_empty() { details { summary { "All figures" } dl { @for own in list {
            dt { (own["name"].as_str().unwrap_or_default()) ": "
                @match (own["value"].as_f64(), own["is_share"].as_bool()) { (Some(value), Some(true)) => (percent(value)), (Some(value), _) => (format!("{value:.3}")), _ => "none" } }
            dd { (own["says"].as_str().unwrap_or_default()) }
        } } } }
    }
}

fn utility(assessed: &Value) -> Markup {
    let columns: Vec<&Value> = assessed["utility"]["columns"].as_array().into_iter().flatten().collect();
    html! {
        @if !columns.is_empty() {
            h2 { "What each column is still good for" }
            div class="scroll" tabindex="0" role="region" aria-label="Utility per column" { table {
                thead { tr { th scope="col" { "Column" } th scope="col" { "Role" } th scope="col" { "Kept of its distribution" } } }
                tbody { @for own in columns {
                    @let kept = own["total_variation"].as_f64().map(|apart| 1.0 - apart);
                    tr { th scope="row" { (own["name"].as_str().unwrap_or_default()) } td { (own["role"].as_str().unwrap_or_default()) }
                        td { @match kept { Some(kept) => { (share(kept)) } None => "–" } } }
                } }
            } }
            (figures(&assessed["utility"]["figures"]))
        }
    }
}

fn attacks(found: &Value) -> Markup {
    let list: Vec<&Value> = found["attacks"].as_array().into_iter().flatten().collect();
    html! {
        h2 { "Attacks" }
        @if list.is_empty() { p { "No attack was made." } }
        @for own in list {
            @let risk = own["risk"].as_f64();
            article class="attack" {
                h3 { (own["attack"].as_str().unwrap_or_default()) @if let Some(column) = own["column"].as_str() { " on " (column) } }
                p { @if let Some(risk) = risk { (bar(risk)) " " strong { (percent(risk)) } " of the people are exposed. " } }
                @if let Some(assumed) = own["assumed"].as_str() { p { "Assumed knowledge: " (assumed) "." } }
                @if let Some(success) = own["success"].as_str() { p { "Success: " (success) "." } }
            }
        }
        @for own in found["not_made"].as_array().into_iter().flatten() {
            p class="hint" { (own["attack"].as_str().unwrap_or_default()) " was not made: " (own["why"].as_str().unwrap_or_default()) }
        }
    }
}

fn exposed(cx: &Context) -> Markup {
    let path = cx.project.folder().join(PEOPLE);
    let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
    let read = preview::first(&path, &options, SHOWN).and_then(|first| Ok((first, preview::count(&path)?)));
    html! {
        h2 { "Who would be exposed" }
        @match read {
            Ok((Preview { names, rows }, count)) => {
                p { (grouped(count)) " conclusions, with the record and how sure the adversary is. This is for you alone. "
                    a href=(cx.to("file/people.csv")) download="people.csv" { "Download all" } }
                (grid("The first conclusions", &names.iter().map(String::as_str).collect::<Vec<_>>(), &rows))
            },
            Err(_) => p { "Attack the release to see what would be concluded about whom." },
        }
        (cx.button("attack", "Attack the release", "result"))
    }
}
