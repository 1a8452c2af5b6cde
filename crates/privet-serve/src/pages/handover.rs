//! Step 7: the release as an archive, its report, its proof on the spot, and scripts that make it again.

use std::fs::File;
use std::path::PathBuf;

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::html;
use privet_release::VerifyOptions;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use super::{Context, failed};
use crate::bundle;
use crate::guard::REPORT_POLICY;
use crate::project::{PEOPLE, Project, VERDICT};
use crate::tasks::{Failure, State, Task};

/// Bytes of a file that are in memory at once.
const PART: usize = 64 << 10;

/// What verifying found.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    holds: bool,
    checks: Vec<(bool, String, String)>,
}

/// Checks every promise again from the published files alone.
pub(crate) fn verify(project: &Project, task: &Task) -> Result<String, Failure> {
    if !project.has_release() {
        return Err(Failure::failed("there is no release yet; make it first"));
    }
    let options = VerifyOptions { progress: task, ..VerifyOptions::default() };
    let release = project.release();
    let folder = project.folder();
    let job = project.job_table().map_err(Failure::failed)?;
    let verdict = match crate::project::of_kind(&job) {
        true => privet::verify(&release, options),
        false => privet_job::verify(&release, options),
    };
    let verdict =
        verdict.map_err(|error| Failure::failed(crate::project::plain(&error.to_string(), folder)))?;
    let checks = verdict.checks.iter().map(|own| (own.ok, own.name.clone(), own.detail.clone())).collect();
    let told = Told { holds: verdict.holds(), checks };
    project.save_json(VERDICT, &told).map_err(Failure::failed)?;
    match told.holds {
        true => Ok("Every promise was proved again from the published files.".to_owned()),
        false => Err(Failure { state: State::Refused, message: "A promise does not hold.".to_owned() }),
    }
}

pub(crate) async fn show(cx: Context) -> Response {
    cx.show("handover", "Hand over", |cx| {
        if !cx.project.has_release() {
            return Ok(html! { h1 { "Hand over" } p { "There is no release yet." } (cx.button("run", "Make the release", "result")) });
        }
        let verdict: Option<Told> = cx.project.json(VERDICT);
        let file = |what: &str, text: &str| html! { li { a class="button" href=(cx.to(&format!("file/{what}"))) download=(what) { (text) } } };
        Ok(html! {
            h1 { "Hand over" }
            @if cx.project.is_changed() { p class="notice" { "The job file was changed after this release was made; make it again." } }
            ul class="files" {
                (file("release.zip", "The release, as an archive"))
                (file("report.html", "Its report"))
            }
            h2 { "To make it again" }
            p { "The archive holds the job file, " code { (bundle::data_name(&cx.project)) } ", the hierarchies and both scripts. It holds the data, so it is for you alone." }
            ul class="files" {
                (file("project.zip", "Everything that makes it again"))
                (file("job.toml", "The job file"))
                (file("release.sh", "A shell script"))
                (file("release.py", "The same in Python"))
            }
            h2 { "Verify on the spot" }
            p { "As anybody can who receives the archive: " code { "privet verify release" } }
            (cx.button("verify", "Verify the release", "handover"))
            @if let Some(told) = verdict {
                p class=(if told.holds { "good" } else { "problem" }) { @if told.holds { "All promises hold." } @else { "A promise does not hold." } }
                ul class="checks" { @for (ok, name, detail) in &told.checks {
                    li class=(if *ok { "good" } else { "problem" }) { strong { @if *ok { "holds: " } @else { "fails: " } (name) } " " (detail) }
                } }
            }
            h2 { "Its report" }
            iframe class="report" title="The report of the release" src=(cx.to("file/report")) sandbox="" {}
        })
    })
    .await
}

/// What a file is sent as: its type, whether it is saved in place of shown, and its bytes.
type Sent = (&'static str, bool, Bytes);

enum Bytes {
    Text(String),
    File(File),
}

/// A file of the project, by a word of ours; none for another word.
fn of_word(project: &Project, what: &str) -> Result<Option<Sent>, String> {
    const HTML: &str = "text/html; charset=utf-8";
    let file = |path: PathBuf| match File::open(path) {
        Ok(file) => Ok(Bytes::File(file)),
        Err(_) => Err("There is no such file yet.".to_owned()),
    };
    Ok(Some(match what {
        "job.toml" => ("application/toml", true, Bytes::Text(project.job_outside())),
        "release.zip" if project.has_release() => {
            ("application/zip", true, Bytes::File(bundle::release(project)?))
        }
        "project.zip" => ("application/zip", true, Bytes::File(bundle::project(project)?)),
        "release.sh" => ("text/x-shellscript", true, Bytes::Text(bundle::shell(project)?)),
        "release.py" => ("text/x-python", true, Bytes::Text(bundle::python(project)?)),
        "report" => (HTML, false, file(project.release().join("report.html"))?),
        "report.html" => (HTML, true, file(project.release().join("report.html"))?),
        "owner" => (HTML, false, file(project.home().join("report.html"))?),
        "people.csv" => ("text/csv; charset=utf-8", true, file(project.folder().join(PEOPLE))?),
        _ => return Ok(None),
    }))
}

/// A file part by part, so that memory does not grow with it.
fn streamed(file: File) -> Body {
    let parts = futures_util::stream::try_unfold(tokio::fs::File::from_std(file), |mut file| async move {
        let mut part = vec![0; PART];
        let read = file.read(&mut part).await?;
        part.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then_some((part, file)))
    });
    Body::from_stream(parts)
}

pub(crate) async fn file(cx: Context, Path((_, what)): Path<(String, String)>) -> Response {
    let read = cx.blocking(move |cx| of_word(&cx.project, &what)).await;
    let (kind, is_download, bytes) = match read {
        Ok(Some(found)) => found,
        Ok(None) => return failed(StatusCode::NOT_FOUND, "There is no such file."),
        Err(problem) => return failed(StatusCode::NOT_FOUND, &problem),
    };
    let mut response = match bytes {
        Bytes::Text(text) => ([(header::CONTENT_TYPE, kind)], text).into_response(),
        Bytes::File(file) => {
            let length = file.metadata().ok().map(|own| own.len());
            let mut response = ([(header::CONTENT_TYPE, kind)], streamed(file)).into_response();
            let length = length.map(HeaderValue::from);
            response.headers_mut().extend(length.map(|own| (header::CONTENT_LENGTH, own)));
            response
        }
    };
    let headers = response.headers_mut();
    // A page that is shown or saved is what a release says of itself; it may run nothing here.
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(REPORT_POLICY));
    if is_download {
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    }
    response
}
