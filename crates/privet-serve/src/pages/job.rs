//! The job file itself: to read, to edit, to take along.

use axum::response::Response;
use maud::html;

use super::{Context, alert, changed};
use crate::routes::Posted;

pub(crate) async fn show(cx: Context) -> Response {
    cx.show("job", "Job file", |cx| {
        Ok(html! {
            h1 { "Job file" }
            p { "All steps read and change this file. It names files of this project only; " code { "privet anonymize job.toml" } " runs it anywhere." }
            @if let Some(problem) = cx.project.job_problem() { (alert(&problem)) }
            form method="post" {
                (cx.secret())
                label for="job-text" { "Text" }
                textarea id="job-text" name="job" rows="32" class="code" spellcheck="false" { (cx.project.job_outside()) }
                button type="submit" { "Save" }
            }
        })
    })
    .await
}

pub(crate) async fn change(cx: Context, form: Posted) -> Response {
    let outcome =
        cx.blocking(move |cx| cx.project.set_job_from_outside(&form.raw("job").replace("\r\n", "\n"))).await;
    changed(&cx, "job", outcome)
}
