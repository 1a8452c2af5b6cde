//! Data that is on its way to become a project: copied from a database or uploaded, then read, as a task that can be watched and stopped.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path as InAddress, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;

use super::{alert, failed, frame, tasks_of, told, watched};
use crate::guard::Session;
use crate::project::Project;
use crate::routes::{App, Posted, see_other};
use crate::shelf::Shelf;
use crate::tasks::{Failure, State as TaskState, Task};

/// How long the answer to an upload waits for the data to be read, before it becomes a page that shows the progress.
const AT_ONCE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(10);

/// The folder of a project that is not made yet: removed with everything in it unless it is kept.
struct Draft {
    folder: PathBuf,
    is_kept: bool,
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_kept {
            // why: what cannot be removed now is removed with the whole folder
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// Begins to make a project in a folder. Whatever goes wrong, a stop and a panic too, leaves nothing behind.
pub(super) async fn begin(
    app: Arc<App>,
    id: String,
    folder: PathBuf,
    title: &str,
    make: impl FnOnce(&Path, &Arc<Shelf>, &Task) -> Result<Project, Failure> + Send + 'static,
) -> Response {
    let draft = Draft { folder, is_kept: false };
    let (own, key) = (Arc::clone(&app), id.clone());
    let begun = app.tasks.begin(&id, title, move |task| {
        // As a whole: a field alone would be a copy of its own.
        let mut draft = draft;
        let project = make(&draft.folder, own.desk.shelf(), task)?;
        if task.is_stopped() {
            return Err(Failure { state: TaskState::Stopped, message: "Nothing was kept.".to_owned() });
        }
        draft.is_kept = true;
        own.desk.add(&key, project);
        Ok("The data was read.".to_owned())
    });
    if let Err(problem) = begun {
        return not_taken(StatusCode::SERVICE_UNAVAILABLE, &problem);
    }
    let until = tokio::time::Instant::now() + AT_ONCE;
    while tokio::time::Instant::now() < until && app.tasks.is_busy(&id) {
        tokio::time::sleep(LOOK).await;
    }
    match app.tasks.is_busy(&id) {
        true => see_other(&format!("/new/{id}")),
        false => arrived(&app, &id),
    }
}

/// Goes to a project that was made, or says what stood in its way.
fn arrived(app: &App, id: &str) -> Response {
    if app.desk.project(id).is_some() {
        return see_other(&format!("/p/{id}/data"));
    }
    match app.tasks.of(id).first().map(|task| task.snapshot()) {
        Some(task) if task.state == TaskState::Stopped => {
            not_taken(StatusCode::CONFLICT, "It was stopped, and nothing was kept.")
        }
        Some(task) => not_taken(StatusCode::UNPROCESSABLE_ENTITY, &task.message),
        None => failed(StatusCode::NOT_FOUND, "There is no such project."),
    }
}

/// What stood in the way of a file or a table.
pub(super) fn not_taken(status: StatusCode, problem: &str) -> Response {
    let body = html! {
        main id="main" class="alone" {
            h1 { "That was not taken" }
            (alert(problem))
            p { a href="/" { "Back" } }
        }
    };
    let mut response = frame("That was not taken", body, false);
    *response.status_mut() = status;
    response
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    axum::Extension(session): axum::Extension<Session>,
    InAddress(id): InAddress<String>,
) -> Response {
    if !app.tasks.is_busy(&id) {
        return arrived(&app, &id);
    }
    let body = html! {
        main id="main" class="alone" tabindex="-1" {
            h1 { "The data is being read" }
            (tasks_of(&format!("/new/{id}"), &session, &told(&app, &id)))
        }
    };
    frame("The data is being read", body, true)
}

pub(crate) async fn stop(
    State(app): State<Arc<App>>,
    InAddress(id): InAddress<String>,
    form: Posted,
) -> Response {
    if let Ok(task) = form.get("task").parse() {
        app.tasks.stop(&id, task);
    }
    see_other(&format!("/new/{id}"))
}

pub(crate) async fn events(State(app): State<Arc<App>>, InAddress(id): InAddress<String>) -> Response {
    if app.tasks.of(&id).is_empty() {
        return failed(StatusCode::NOT_FOUND, "There is no such project.");
    }
    watched(app, id)
}
