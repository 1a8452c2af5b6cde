//! The first page: projects, and a place for a file.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use tokio::io::AsyncWriteExt;

use super::{Context, arrival, changed, failed, frame, secret};
use crate::guard::Session;
use crate::project::{POPULATION, Project, Reading};
use crate::routes::{App, Posted, see_other};

/// How long a client may take for the next part of an upload.
const NEXT_PART: Duration = Duration::from_secs(30);
/// Files that are taken, by their ending.
const ENDINGS: [&str; 11] =
    ["csv", "tsv", "txt", "xlsx", "xlsm", "ods", "parquet", "pq", "arrow", "feather", "graphml"];

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    axum::Extension(session): axum::Extension<Session>,
) -> Response {
    let projects = app.desk.all();
    let tables = tables_of(&app).await;
    let body = html! {
        main id="main" class="alone" tabindex="-1" {
            h1 { "From a table about people to a release" }
            p {
                "Seven steps: data, roles, hierarchies, promises, explore, result, hand over. Each step changes one job file, which is \
                 always shown, and which the command line and Python run as well."
            }
            form method="post" action="/projects" enctype="multipart/form-data" class="drop" id="drop" {
                (secret(&session))
                label for="file" { "A CSV, Excel, OpenDocument, Parquet or Arrow file" }
                input type="file" name="file" id="file" required
                    accept=(ENDINGS.map(|own| format!(".{own}")).join(","));
                p class="hint" { "It is copied to a private folder of this machine"
                    @if app.desk.is_kept() { ", which is kept." } @else { ", which is removed when the program ends." } }
                details {
                    summary { "Reading" }
                    label { "Sheet, where there are several " input type="text" name="sheet"; }
                    label { "Delimiter " input type="text" name="delimiter" maxlength="1" size="2"; }
                    label { "Lines above the header " input type="number" name="skip" min="0" max="1000"; }
                    label { "First line " select name="header" {
                        option value="" { "find out" } option value="yes" { "names the columns" } option value="no" { "is a record" }
                    } }
                }
                button type="submit" { "Look at it" }
            }
            @match tables {
                None => {},
                Some(Err(problem)) => (super::alert(&problem)),
                Some(Ok(tables)) => form method="post" action="/tables" {
                    (secret(&session))
                    label { "Or a table of the database " select name="table" {
                        @for (number, (schema, table)) in tables.iter().enumerate() { option value=(number) { (schema) "." (table) } }
                    } }
                    button type="submit" { "Copy it here" }
                },
            }
            @if !projects.is_empty() {
                h2 { "Projects" }
                ul class="projects" {
                    @for project in projects {
                        @let id = project.folder().file_name().unwrap_or_default().to_string_lossy().into_owned();
                        li {
                            a href=(format!("/p/{id}/data")) { (project.name()) }
                            form method="post" action=(format!("/p/{id}/remove")) class="inline" {
                                (secret(&session))
                                button type="submit" class="quiet" aria-label=(format!("Remove {}", project.name())) { "Remove" }
                            }
                        }
                    }
                }
            }
        }
    };
    frame("Projects", body, false)
}

pub(crate) async fn remove(cx: Context, _form: Posted) -> Response {
    if cx.app.tasks.is_busy(&cx.id) {
        return failed(StatusCode::CONFLICT, "The project is at work; stop that first.");
    }
    cx.app.desk.remove(&cx.id);
    see_other("/")
}

/// The tables of the database; nothing where none was named.
async fn tables_of(app: &App) -> Option<Result<Vec<(String, String)>, String>> {
    let server = app.server.clone()?;
    let listed = tokio::task::spawn_blocking(move || server.tables()).await;
    Some(listed.unwrap_or_else(|_| Err("privet has a fault: the tables could not be listed".to_owned())))
}

/// Copies a table of the database to a private folder.
pub(crate) async fn take_table(State(app): State<Arc<App>>, form: Posted) -> Response {
    let (Some(server), Some(Ok(tables))) = (app.server.clone(), tables_of(&app).await) else {
        return failed(StatusCode::NOT_FOUND, "There is no database.");
    };
    let Some(table) = form.get("table").parse::<usize>().ok().and_then(|own| tables.get(own).cloned()) else {
        return failed(StatusCode::NOT_FOUND, "There is no such table.");
    };
    let (id, folder) = match app.desk.begin() {
        Ok(begun) => begun,
        Err(problem) => return failed(StatusCode::INSUFFICIENT_STORAGE, &problem),
    };
    let most = app.desk.max_upload;
    let name = format!("{}.{}", table.0, table.1);
    let title = format!("Copying {name}");
    arrival::begin(app, id, folder, &title, move |folder, shelf, task| {
        server.copy(&table, &folder.join("data.csv"), most, task)?;
        let reading =
            Reading { header: Some(true), delimiter: Some(b','), skip: Some(0), ..Reading::default() };
        Project::import(folder.to_owned(), &name, "data.csv", &reading, shelf, task)
    })
    .await
}

/// Takes a file, part by part, to a private folder.
pub(crate) async fn upload(
    State(app): State<Arc<App>>,
    axum::Extension(session): axum::Extension<Session>,
    multipart: Multipart,
) -> Response {
    let (id, folder) = match app.desk.begin() {
        Ok(begun) => begun,
        Err(problem) => return failed(StatusCode::INSUFFICIENT_STORAGE, &problem),
    };
    match take(multipart, &folder, &session, app.desk.max_upload, "data").await {
        Ok((name, data, reading)) => {
            let title = format!("Reading {name}");
            arrival::begin(app, id, folder, &title, move |folder, shelf, task| {
                Project::import(folder.to_owned(), &name, &data, &reading, shelf, task)
            })
            .await
        }
        Err((status, problem)) => {
            // why: what cannot be removed now is removed with the whole folder
            let _ = std::fs::remove_dir_all(folder);
            arrival::not_taken(status, &problem)
        }
    }
}

/// Takes the file of a population, which some promises count people in, in place of an earlier one.
pub(crate) async fn take_population(
    cx: Context,
    axum::Extension(session): axum::Extension<Session>,
    multipart: Multipart,
) -> Response {
    let folder = cx.project.folder().to_owned();
    let failed = |error: std::io::Error| error.to_string();
    let draft = match tempfile::Builder::new().prefix(".population-").tempdir_in(&folder) {
        Ok(draft) => draft,
        Err(error) => return changed(&cx, "promises", Err(failed(error))),
    };
    match take(multipart, draft.path(), &session, cx.app.desk.max_upload, POPULATION).await {
        Ok((_, name, _)) => {
            let put = || {
                if let Some(old) = cx.project.population() {
                    std::fs::remove_file(folder.join(old)).map_err(failed)?;
                }
                std::fs::rename(draft.path().join(&name), folder.join(&name)).map_err(failed)
            };
            let outcome = put();
            changed(&cx, "promises", outcome)
        }
        Err((status, problem)) => arrival::not_taken(status, &problem),
    }
}

type Refused = (StatusCode, String);

async fn take(
    mut multipart: Multipart,
    folder: &Path,
    session: &Session,
    most: u64,
    stem: &str,
) -> Result<(String, String, Reading), Refused> {
    let bad = |problem: &str| (StatusCode::BAD_REQUEST, problem.to_owned());
    let cut = || bad("The upload was cut off or took too long; nothing was kept.");
    let (mut is_made, mut found, mut reading) = (false, None, Reading::default());
    loop {
        let next = tokio::time::timeout(NEXT_PART, multipart.next_field()).await;
        let Some(mut field) = next.map_err(|_| cut())?.map_err(|_| cut())? else { break };
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            // The secret of the session comes first, or nothing is written.
            if !is_made {
                return Err((StatusCode::FORBIDDEN, "The form is not one of this session.".to_owned()));
            }
            let shown = field.file_name().unwrap_or_default().to_owned();
            let data = name_of(&shown, stem).ok_or_else(|| {
                bad("The ending of the file tells no format; .csv, .tsv, .txt, .xlsx, .ods, .parquet, .arrow and .graphml are taken.")
            })?;
            let failed = |error: std::io::Error| (StatusCode::INSUFFICIENT_STORAGE, error.to_string());
            let mut file = tokio::fs::File::create_new(folder.join(&data)).await.map_err(failed)?;
            let mut size = 0;
            loop {
                let part = tokio::time::timeout(NEXT_PART, field.chunk()).await;
                let Some(part) = part.map_err(|_| cut())?.map_err(|_| cut())? else { break };
                size += part.len() as u64;
                if size > most {
                    let problem =
                        "The file is larger than this page takes; start it with a larger --max-upload.";
                    return Err((StatusCode::PAYLOAD_TOO_LARGE, problem.to_owned()));
                }
                file.write_all(&part).await.map_err(failed)?;
            }
            file.flush().await.map_err(failed)?;
            if size == 0 {
                return Err(bad("The file is empty."));
            }
            found = Some((shown.chars().take(120).collect::<String>(), data));
            continue;
        }
        let mut text = Vec::new();
        while let Ok(part) = tokio::time::timeout(NEXT_PART, field.chunk()).await {
            let Some(part) = part.map_err(|_| cut())? else { break };
            text.extend_from_slice(&part);
            if text.len() > 1024 {
                return Err(bad("A field of the form is too long."));
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        if name == "csrf" {
            is_made = session.made(&text);
            continue;
        }
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        match name.as_str() {
            "sheet" => reading.sheet = Some(text.to_owned()),
            "delimiter" => reading.delimiter = text.bytes().next().filter(u8::is_ascii),
            "skip" => reading.skip = text.parse().ok(),
            "header" => reading.header = Some(text == "yes"),
            _ => {}
        }
    }
    let (name, data) = found.ok_or_else(|| bad("The form holds no file."))?;
    Ok((name, data, reading))
}

/// What a file is called in its folder: one of our names with an ending of ours, whatever its owner calls it.
fn name_of(shown: &str, stem: &str) -> Option<String> {
    let (_, ending) = shown.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    ENDINGS.contains(&ending.as_str()).then(|| format!("{stem}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_get_names_of_ours() {
        assert_eq!(name_of("../../etc/cron.d/x.CSV", "data").unwrap(), "data.csv");
        assert_eq!(name_of("Ärzte 2026.xlsx", "data").unwrap(), "data.xlsx");
        for other in ["x", "x.exe", "x.csv/../../y", "", ".csv/..", "job.toml"] {
            assert!(name_of(other, "data").is_none(), "{other}");
        }
    }
}
