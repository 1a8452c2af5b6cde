//! Step 1: how the table is read, and its first records.

use axum::response::Response;
use maud::html;
use privet_data::Kind;

use super::{Context, alert, changed, grid, grouped, rows_of};
use crate::picture::percent;
use crate::routes::Posted;

/// Records of the preview.
const PREVIEW: usize = 20;

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "whole numbers",
        Kind::Decimal => "numbers",
        Kind::Date => "dates",
        Kind::Boolean => "yes or no",
        Kind::Text => "texts",
    }
}

pub(crate) async fn show(cx: Context) -> Response {
    cx.show("data", "Data", |cx| {
        let meta = cx.project.meta();
        if let Some(kind) = &meta.kind {
            return Ok(html! {
                h1 { "Data" }
                p { "The file has the shape " code { (kind) } ". Its job file has sections of its own; edit it beside, then make the release." }
                ul { @for guess in &meta.guesses { li { (guess.reason) } } }
                (cx.button("run", "Make the release", "result"))
            });
        }
        let table = cx.project.job_table()?;
        let of = |key: &str| table.get("input").and_then(|own| own.get(key));
        let text = |key: &str| of(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        let missing: Vec<&str> =
            of("missing").and_then(toml::Value::as_array).map(|own| own.iter().filter_map(toml::Value::as_str).collect()).unwrap_or_default();
        let is_sheet = matches!(meta.data.rsplit_once('.'), Some((_, "xlsx" | "xlsm" | "ods")));
        let form = html! {
            form method="post" {
                (cx.secret())
                fieldset {
                    legend { "How it is read" }
                    label { "Missing values are marked by (one on a line; an empty cell always counts) "
                        textarea name="missing" rows="3" { (missing.iter().filter(|own| !own.is_empty()).map(|own| format!("{own}\n")).collect::<String>()) } }
                    label { "Lines above the header " input type="number" name="skip" min="0" max="1000" value=(of("skip").and_then(toml::Value::as_integer).unwrap_or(0)); }
                    @if is_sheet { label { "Sheet " input type="text" name="sheet" value=(text("sheet")); } }
                    @else { label { "Delimiter " input type="text" name="delimiter" size="2" maxlength="1" value=(text("delimiter")); } }
                    button type="submit" { "Read it so" }
                }
            }
        };
        let input = match cx.project.table() {
            Ok(input) => input,
            Err(problem) => return Ok(html! { h1 { "Data" } (alert(&problem)) (form) }),
        };
        let columns = &input.table.columns;
        let names: Vec<&str> = columns.iter().map(|own| own.name.as_str()).collect();
        Ok(html! {
            h1 { "Data" }
            p { (grouped(input.table.rows as u64)) " records, " (columns.len()) " columns." }
            @for notice in &input.notices { p class="notice" { (notice) } }
            div class="scroll" tabindex="0" role="region" aria-label="Columns" {
                table {
                    caption { "Columns" }
                    thead { tr { th scope="col" { "Column" } th scope="col" { "Holds" } th scope="col" { "Distinct values" } th scope="col" { "Missing" } } }
                    tbody { @for column in columns {
                        @let empty = column.codes.iter().filter(|code| column.domain.is_missing(**code)).count();
                        @let distinct = column.domain.len() as u64 - u64::from(column.domain.missing());
                        tr { th scope="row" { (column.name) } td { (word(column.domain.kind())) } td { (grouped(distinct)) }
                            td { (percent(empty as f64 / input.table.rows.max(1) as f64)) } }
                    } }
                }
            }
            (form)
            (grid("The first records", &names, &rows_of(&input.table, PREVIEW)))
            p class="next" { a class="button" href=(cx.to("roles")) { "Next: roles" } }
        })
    })
    .await
}

pub(crate) async fn change(cx: Context, form: Posted) -> Response {
    let outcome = cx
        .blocking(move |cx| {
            cx.project.edit(|edit| {
                let mut missing: Vec<&str> =
                    form.raw("missing").lines().map(str::trim).filter(|own| !own.is_empty()).collect();
                missing.insert(0, "");
                let list: toml_edit::Array = missing.iter().copied().collect();
                edit.set(&["input"], "missing", list);
                match form.get("skip").parse::<i64>() {
                    Ok(lines) if lines > 0 => edit.set(&["input"], "skip", lines),
                    _ => edit.remove(&["input"], "skip"),
                }
                for key in ["sheet", "delimiter"] {
                    match form.get(key) {
                        "" => edit.remove(&["input"], key),
                        text => edit.set(&["input"], key, text),
                    }
                }
                Ok(())
            })
        })
        .await;
    changed(&cx, "data", outcome)
}
