//! Step 5: the same job with other strengths, as a curve of loss and risk; any of them can be chosen, any two compared.

use axum::extract::Query;
use axum::response::Response;
use maud::{Markup, html};
use privet_data::io::ReadOptions;
use serde::Deserialize;

use super::{Context, changed, grid, grouped};
use crate::picture::{Mark, curve, percent};
use crate::preview::{self, Preview};
use crate::routes::Posted;
use crate::tries::{CANDIDATES, Candidate};

/// Records that are shown of a release.
const PREVIEW: usize = 10;

/// Which candidates are laid side by side.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    a: Option<i64>,
    b: Option<i64>,
}

pub(crate) async fn show(cx: Context, Query(asked): Query<Asked>) -> Response {
    cx.show("explore", "Explore", move |cx| {
        let job = cx.project.job_table()?;
        let k = job.get("privacy").and_then(|own| own.get("k-anonymity")).and_then(|own| match own {
            toml::Value::Table(own) => own.get("k").and_then(toml::Value::as_integer),
            own => own.as_integer(),
        });
        let (basis, candidates): (String, Vec<Candidate>) = cx.project.json(CANDIDATES).unwrap_or_default();
        let is_old = !candidates.is_empty() && basis != cx.project.basis(false);
        let marks: Vec<Mark> = candidates
            .iter()
            .map(|own| Mark {
                label: format!(
                    "k = {}: loses {} of the detail, leaves out {} records, largest risk {}",
                    own.k,
                    percent(own.loss),
                    grouped(own.suppressed),
                    percent(own.risk())
                ),
                loss: own.loss,
                risk: own.risk(),
                is_chosen: k == Some(own.k),
                href: format!("#k-{}", own.k),
            })
            .collect();
        let of = |k: Option<i64>| candidates.iter().find(|own| Some(own.k) == k);
        Ok(html! {
            h1 { "Explore" }
            p { "Each candidate is a complete release of your job with another class size k: the larger k, the safer and the coarser." }
            (cx.button("explore", if candidates.is_empty() { "Make candidates" } else { "Make them again" }, "explore"))
            @if is_old { p class="notice" { "The job file was changed after these candidates were made; make them again." } }
            @if !candidates.is_empty() {
                figure { (curve(&marks)) figcaption { "Loss of detail, and the largest chance to find somebody again, for each candidate. The filled mark is what the job asks for now." } }
                form method="get" action=(cx.to("explore")) id="compare" {}
                div class="scroll" tabindex="0" role="region" aria-label="Candidates" { table {
                    caption { "Candidates" }
                    thead { tr { th scope="col" { "k" } th scope="col" { "Loss" } th scope="col" { "Left out" } th scope="col" { "Largest risk" } th scope="col" { "Classes" } th scope="col" { "Compare" } th scope="col" { "Choose" } } }
                    tbody { @for own in &candidates {
                        tr id=(format!("k-{}", own.k)) class=[(k == Some(own.k)).then_some("on")] {
                            th scope="row" { (own.k) } td { (percent(own.loss)) } td { (grouped(own.suppressed)) } td { (percent(own.risk())) } td { (grouped(own.classes)) }
                            td {
                                label { input type="radio" form="compare" name="a" value=(own.k) checked[asked.a == Some(own.k)]; " left" } " "
                                label { input type="radio" form="compare" name="b" value=(own.k) checked[asked.b == Some(own.k)]; " right" }
                            }
                            td { form method="post" class="inline" {
                                (cx.secret()) input type="hidden" name="k" value=(own.k);
                                button type="submit" class="quiet" aria-label=(format!("Use k = {}", own.k)) { "Use" }
                            } }
                        }
                    } }
                } }
                p { button type="submit" form="compare" { "Compare" } }
                @if let (Some(a), Some(b)) = (of(asked.a), of(asked.b)) {
                    h2 { "Side by side" }
                    div class="beside" { (one(cx, a)) (one(cx, b)) }
                }
            }
            p class="next" { (cx.button("run", "Make the release", "result")) }
        })
    })
    .await
}

/// A release at a glance.
fn one(cx: &Context, own: &Candidate) -> Markup {
    let rows = records(cx, &own.folder());
    html! {
        section aria-label=(format!("k = {}", own.k)) {
            h3 { "k = " (own.k) }
            dl {
                dt { "Loss of detail" } dd { (percent(own.loss)) }
                dt { "Records left out" } dd { (grouped(own.suppressed)) " of " (grouped(own.rows)) }
                dt { "Largest risk" } dd { (percent(own.risk())) }
                @for (column, level) in &own.levels { dt { (column) } dd { "level " @if level.is_null() { "mixed" } @else { (level) } } }
            }
            @if let Ok(Preview { names, rows }) = rows {
                (grid(&format!("First records with k = {}", own.k), &names.iter().map(String::as_str).collect::<Vec<_>>(), &rows))
            }
        }
    }
}

/// The first records of a release below the project.
pub(crate) fn records(cx: &Context, folder: &str) -> Result<Preview, String> {
    let folder = cx.project.folder().join(folder);
    let manifest = std::fs::read(folder.join(privet_release::MANIFEST)).map_err(|error| error.to_string())?;
    let manifest = privet_release::Manifest::parse(&manifest).map_err(|_| "not a release of records")?;
    let options = ReadOptions {
        header: Some(true),
        delimiter: manifest.data.delimiter.and_then(|own| u8::try_from(own).ok()),
        ..ReadOptions::default()
    };
    preview::first(&folder.join(&manifest.data.file), &options.exactly(), PREVIEW)
}

pub(crate) async fn choose(cx: Context, form: Posted) -> Response {
    let outcome = cx
        .blocking(move |cx| {
            let k: i64 = form.get("k").parse().map_err(|_| "there is no such candidate")?;
            cx.project.edit(|edit| {
                edit.set(&["privacy"], "k-anonymity", k);
                Ok(())
            })
        })
        .await;
    changed(&cx, "explore", outcome)
}
