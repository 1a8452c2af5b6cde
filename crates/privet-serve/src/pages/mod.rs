//! The pages: what every page has in common, and the addresses that belong to no step.

pub(crate) mod answers;
pub(crate) mod arrival;
pub(crate) mod data;
pub(crate) mod explore;
mod findings;
pub(crate) mod groups;
pub(crate) mod handover;
pub(crate) mod hierarchies;
pub(crate) mod job;
pub(crate) mod promises;
pub(crate) mod result;
pub(crate) mod roles;
pub(crate) mod start;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::guard::Session;
use crate::project::Project;
use crate::routes::{App, Posted, see_other};
use crate::tasks::{Failure, Snapshot, Task};
use crate::tries;

/// What a page of a project has at hand.
#[derive(Clone)]
pub(crate) struct Context {
    pub app: Arc<App>,
    pub id: String,
    pub project: Arc<Project>,
    pub session: Session,
}

/// The steps, by their word in addresses.
const STEPS: [(&str, &str); 7] = [
    ("data", "Data"),
    ("roles", "Roles"),
    ("hierarchies", "Hierarchies"),
    ("promises", "Promises"),
    ("explore", "Explore"),
    ("result", "Result"),
    ("handover", "Hand over"),
];

/// The steps that data of every shape has; the others are about tables of one record per person.
const OF_ALL_SHAPES: [&str; 3] = ["data", "result", "handover"];

impl Context {
    pub fn to(&self, page: &str) -> String {
        format!("/p/{}/{page}", self.id)
    }

    /// The hidden field that a form of this session carries.
    pub fn secret(&self) -> Markup {
        secret(&self.session)
    }

    /// A form with one button that begins a task.
    pub fn button(&self, task: &str, text: &str, page: &str) -> Markup {
        html! {
            form method="post" action=(self.to("begin")) class="inline" {
                (self.secret())
                input type="hidden" name="task" value=(task);
                input type="hidden" name="page" value=(page);
                button type="submit" { (text) }
            }
        }
    }

    /// Does what reads files or computes for a while on a thread that may wait.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Context) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let own = self.clone();
        match tokio::task::spawn_blocking(move || work(&own)).await {
            Ok(outcome) => outcome,
            // A panic may quote data, so what it says is not told.
            Err(_) => Err("privet has a fault: the page could not be made".to_owned()),
        }
    }

    /// Shows a page that is made of files; what stands in its way is told in its place.
    pub async fn show(
        self,
        step: &'static str,
        title: &'static str,
        work: impl FnOnce(&Context) -> Result<Markup, String> + Send + 'static,
    ) -> Response {
        // Before the page is made: work that ends meanwhile is told as under way, and the page is loaded again.
        let tasks = self.tasks();
        let made = self.blocking(work).await;
        let body = made.unwrap_or_else(|problem| html! { h1 { (title) } (alert(&problem)) });
        self.page_with(step, title, body, &tasks)
    }

    fn tasks(&self) -> Vec<Snapshot> {
        told(&self.app, &self.id)
    }

    /// A page of a step.
    pub fn page(&self, step: &str, title: &str, body: Markup) -> Response {
        self.page_with(step, title, body, &self.tasks())
    }

    fn page_with(&self, step: &str, title: &str, body: Markup, tasks: &[Snapshot]) -> Response {
        let problem = self.project.job_problem();
        let is_busy = tasks.iter().any(|own| !own.state.is_over());
        let markup = html! {
            nav class="steps" aria-label="Steps" {
                ol {
                    @for (word, name) in STEPS.iter().filter(|(word, _)| self.project.is_table() || OF_ALL_SHAPES.contains(word)) {
                        li { a href=(self.to(word)) aria-current=[(*word == step).then_some("step")] { (name) } }
                    }
                }
                ul {
                    @if self.project.is_table() { li { a href=(self.to("answers")) aria-current=[(step == "answers").then_some("page")] { "Private answers" } } }
                    li { a href=(self.to("job")) aria-current=[(step == "job").then_some("page")] { "Job file" } }
                }
            }
            div class="columns" {
                main id="main" tabindex="-1" {
                    p class="project" { (self.project.name()) }
                    (tasks_of(&format!("/p/{}", self.id), &self.session, tasks))
                    @if self.project.was_interrupted && tasks.is_empty() {
                        (alert("The program ended in the middle of a run. Nothing of that run was published; run it again."))
                    }
                    (body)
                }
                aside class="job" aria-label="Job file" {
                    details open {
                        summary { "Job file" }
                        @if let Some(problem) = &problem {
                            p class="problem" { (problem) }
                        }
                        pre tabindex="0" role="region" aria-label="The text of the job file" { (self.project.job_outside()) }
                        p {
                            a href=(self.to("job")) { "Edit" } " · "
                            a href=(self.to("file/job.toml")) download="job.toml" { "Download" }
                        }
                    }
                }
            }
        };
        // Without scripts a page that waits loads itself again.
        frame(title, markup, is_busy)
    }
}

/// What is under way for a project, and what ended last.
fn told(app: &App, id: &str) -> Vec<Snapshot> {
    let mut over = 0;
    let told = |own: Snapshot| {
        over += usize::from(own.state.is_over());
        (!own.state.is_over() || over <= 2).then_some(own)
    };
    app.tasks.of(id).iter().map(|own| own.snapshot()).filter_map(told).collect()
}

/// Tasks with their progress; `base` is the address below which their events are and a stop is taken.
fn tasks_of(base: &str, session: &Session, tasks: &[Snapshot]) -> Markup {
    html! {
        section id="tasks" class="tasks" aria-live="polite" aria-label="Work" data-events=(format!("{base}/events")) {
            @for task in tasks {
                @let is_over = task.state.is_over();
                div class=(format!("task {}", task.state.word())) data-task=(task.id) {
                    p {
                        strong { (task.title) } ": " span class="state" { (task.state.word()) }
                        span class="stage" { @if !task.stage.is_empty() { ", " (task.stage) } }
                    }
                    @if !is_over {
                        progress aria-label=(task.title) max=[task.total] value=[task.total.map(|_| task.done)] {}
                        form method="post" action=(format!("{base}/stop")) class="inline" {
                            (secret(session))
                            input type="hidden" name="task" value=(task.id);
                            button type="submit" class="quiet" { "Stop" }
                        }
                    }
                    @if is_over && !task.message.is_empty() { p class="message" { (task.message) } }
                    @for notice in &task.notices { p class="notice" { (notice) } }
                }
            }
        }
    }
}

pub(crate) fn secret(session: &Session) -> Markup {
    html! { input type="hidden" name="csrf" value=(session.form); }
}

/// A sentence that must not be missed.
pub(crate) fn alert(text: &str) -> Markup {
    html! { p class="problem" role="alert" { (text) } }
}

/// A whole page.
pub(crate) fn frame(title: &str, body: Markup, is_waiting: bool) -> Response {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " – privet" }
                link rel="stylesheet" href="/assets/style.css";
                link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                script src="/assets/app.js" defer {}
                @if is_waiting { noscript { meta http-equiv="refresh" content="2"; } }
            }
            body {
                a class="skip" href="#main" { "Skip to the content" }
                header class="top" {
                    a href="/" { "privet" }
                    span { "Nothing leaves this machine." }
                }
                (body)
            }
        }
    };
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], markup.into_string()).into_response()
}

/// A page that only says something.
pub(crate) fn failed(status: StatusCode, text: &str) -> Response {
    let body = html! { main id="main" class="alone" { h1 { "privet" } p { (text) } } };
    let mut response = frame("privet", body, false);
    *response.status_mut() = status;
    response
}

/// Goes on to the first page by itself.
pub(crate) fn entered() -> Response {
    let body = html! { main id="main" class="alone" { h1 { "privet" } p { a href="/" { "Go on" } } } };
    let mut response = frame("privet", body, false);
    response.headers_mut().insert(header::REFRESH, axum::http::HeaderValue::from_static("0; url=/"));
    response
}

pub(crate) fn password(was_wrong: bool) -> Response {
    let body = html! {
        main id="main" class="alone" {
            h1 { "privet" }
            @if was_wrong { (alert("That is not the password, or there were too many attempts; wait for half a minute.")) }
            form method="post" action="/enter" {
                label { "Password " input type="password" name="password" autocomplete="current-password" required; }
                button type="submit" { "Enter" }
            }
        }
    };
    let mut response = frame("privet", body, false);
    if was_wrong {
        *response.status_mut() = StatusCode::UNAUTHORIZED;
    }
    response
}

/// After a change: the same page, or what stood in its way.
pub(crate) fn changed(cx: &Context, page: &str, outcome: Result<(), String>) -> Response {
    match outcome {
        Ok(()) => see_other(&cx.to(page)),
        Err(problem) => {
            let body = html! {
                h1 { "That did not work" }
                (alert(&problem))
                p { a href=(cx.to(page)) { "Back" } }
            };
            let mut response = cx.page(page, "That did not work", body);
            *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
            response
        }
    }
}

/// Begins a task.
pub(crate) async fn begin(cx: Context, form: Posted) -> Response {
    let (title, work): (&str, fn(&Project, &Task) -> Result<String, Failure>) = match form.get("task") {
        "run" => ("Making the release", |project, task| project.run(task)),
        "try" => ("Trying the promises", |project, task| tries::try_promises(project, task)),
        "explore" => ("Making candidates", |project, task| tries::explore(project, task)),
        "verify" => ("Verifying the release", handover::verify),
        "attack" => ("Attacking the release", result::attack),
        _ => return failed(StatusCode::BAD_REQUEST, "There is no such task."),
    };
    let page = STEPS.iter().map(|(word, _)| *word).find(|word| *word == form.get("page")).unwrap_or("result");
    let project = Arc::clone(&cx.project);
    let outcome = cx.app.tasks.begin(&cx.id, title, move |task| work(&project, task));
    changed(&cx, page, outcome.map(|_| ()))
}

/// Asks a task to stop.
pub(crate) async fn stop(cx: Context, form: Posted) -> Response {
    if let Ok(id) = form.get("task").parse() {
        cx.app.tasks.stop(&cx.id, id);
    }
    see_other(&cx.to("result"))
}

/// What is under way, as a stream that tells every change.
pub(crate) async fn events(cx: Context) -> Response {
    watched(cx.app, cx.id)
}

fn watched(app: Arc<App>, id: String) -> Response {
    let begun = (app, id, Vec::<Snapshot>::new(), true);
    let stream = futures_util::stream::unfold(begun, |(app, id, before, is_first)| async move {
        let mut waited = 0;
        loop {
            if !is_first || waited > 0 {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            waited += 1;
            let now = told(&app, &id);
            if is_first || now != before {
                let event = Event::default().data(serde_json::to_string(&now).unwrap_or_default());
                return Some((Ok::<_, Infallible>(event), (app, id, now, false)));
            }
        }
    });
    Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
}

/// The first records of a table, as rows of texts.
pub(crate) fn rows_of(table: &privet_data::Table, most: usize) -> Vec<Vec<String>> {
    (0..table.rows.min(most))
        .map(|row| {
            let text = |own: &privet_data::Column| own.domain.text(own.codes[row]).to_owned();
            table.columns.iter().map(text).collect()
        })
        .collect()
}

/// A table of texts that scrolls by itself.
pub(crate) fn grid(caption: &str, names: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div class="scroll records" tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for name in names { th scope="col" { (name) } } } }
                tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
            }
        }
    }
}

/// A number with its thousands set apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
