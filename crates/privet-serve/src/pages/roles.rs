//! Step 2: what each column is to the people behind the records, and how well columns tell people apart.

use axum::response::Response;
use maud::html;
use privet_data::Role;

use super::{Context, changed, grouped};
use crate::picture::{heat, percent, share};
use crate::power::{MOST_COLUMNS, MOST_RECORDS, pairs, together};
use crate::routes::Posted;

const ROLES: [(&str, &str); 4] = [
    ("identifier", "identifier: names people; left out"),
    ("quasi", "quasi: known to others; generalized"),
    ("sensitive", "sensitive: must not be learnt"),
    ("insensitive", "insensitive: published as it is"),
];

/// The role of a column in a job; none where the job does not speak of it.
pub(crate) fn role_of<'a>(job: &'a toml::Table, column: &str) -> Option<&'a str> {
    job.get("columns")?.get(column)?.get("role")?.as_str()
}

pub(crate) async fn show(cx: Context) -> Response {
    cx.show("roles", "Roles", |cx| {
        let input = cx.project.table()?;
        let job = cx.project.job_table()?;
        let table = &input.table;
        let role = |name: &str| role_of(&job, name).unwrap_or("");
        let with = |wanted: &str| -> Vec<usize> {
            (0..table.columns.len()).filter(|&own| role(&table.columns[own].name) == wanted).collect()
        };
        let quasi = with("quasi");
        let all = together(table, &quasi);
        let shown: Vec<usize> = quasi.iter().copied().take(MOST_COLUMNS).collect();
        let names: Vec<&str> = shown.iter().map(|&own| table.columns[own].name.as_str()).collect();
        let shares = pairs(table, &shown);
        Ok(html! {
            h1 { "Roles" }
            p { "Every role is a guess until you have looked at it. What others may know of a person is quasi." }
            form method="post" {
                (cx.secret())
                div class="scroll" tabindex="0" role="region" aria-label="Roles of the columns" {
                    table {
                        caption { "Roles of the columns" }
                        thead { tr { th scope="col" { "Column" } th scope="col" { "Role" } th scope="col" { "Alone by it" } th scope="col" { "Why" } } }
                        tbody { @for (number, column) in table.columns.iter().enumerate() {
                            @let alone = together(table, &[number]).map_or(0.0, |own| own.alone);
                            tr {
                                th scope="row" { (column.name) }
                                td { select name=(format!("role-{number}")) aria-label=(format!("Role of {}", column.name)) {
                                    @for (word, text) in ROLES { option value=(word) selected[role(&column.name) == word] { (text) } }
                                } }
                                td { (share(alone)) }
                                td class="why" { @for guess in cx.project.meta().guesses.iter().filter(|own| own.name == column.name) { (guess.reason) } }
                            }
                        } }
                    }
                }
                button type="submit" { "Save roles" }
            }
            h2 { "Identifying power" }
            @if let Some(power) = all {
                p {
                    "All " (quasi.len()) " quasi columns together tell " strong { (percent(power.alone)) } " of the records from all others, and "
                    strong { (percent(power.few)) } " from all but four. There are " (grouped(power.groups)) " combinations."
                }
                @if table.rows > MOST_RECORDS { p class="hint" { "Looked at the first " (grouped(MOST_RECORDS as u64)) " records." } }
                figure {
                    (heat(&names, &shares))
                    figcaption { "Per pair of columns the share of records, in per cent, that no other record shares both values with; on the diagonal by the column alone."
                        @if quasi.len() > shown.len() { " The first " (shown.len()) " quasi columns." } }
                }
                details {
                    summary { "The same as a table" }
                    div class="scroll" tabindex="0" role="region" aria-label="Pairs of columns" { table {
                        thead { tr { th scope="col" { "Column" } @for name in &names { th scope="col" { (name) } } } }
                        tbody { @for (name, row) in names.iter().zip(&shares) { tr { th scope="row" { (name) } @for share in row { td { (percent(*share)) } } } } }
                    } }
                }
            } @else { p { "No column is quasi, so there is nothing to generalize." } }
            p class="next" { a class="button" href=(cx.to("hierarchies")) { "Next: hierarchies" } }
        })
    })
    .await
}

pub(crate) async fn change(cx: Context, form: Posted) -> Response {
    let outcome = cx
        .blocking(move |cx| {
            let input = cx.project.table()?;
            let job = cx.project.job_table()?;
            cx.project.edit(|edit| {
                for (number, column) in input.table.columns.iter().enumerate() {
                    let wanted = form.get(&format!("role-{number}"));
                    let known = ROLES.iter().any(|(word, _)| *word == wanted);
                    if !known || role_of(&job, &column.name) == Some(wanted) {
                        continue;
                    }
                    let sections = ["columns", column.name.as_str()];
                    edit.set(&sections, "role", wanted);
                    // What goes with the quasi role only would be refused.
                    if wanted != Role::Quasi.word() {
                        edit.remove(&sections, "weight");
                        edit.remove(&sections, "hierarchy");
                    }
                }
                Ok(())
            })
        })
        .await;
    changed(&cx, "roles", outcome)
}
