//! Which address does what. Every address but the entrance and the style sheet needs a session, and every change the secret of its forms.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use crate::desk::Desk;
use crate::guard::{Guard, Session, seal};
use crate::pages::{self, Context};
use crate::project::Project;
use crate::tables::Server;
use crate::tasks::Tasks;

/// How long a request other than an upload may take.
const LONGEST: Duration = Duration::from_secs(60);
/// The largest form.
const LARGEST_FORM: usize = 8 << 20;

/// What all requests share.
pub(crate) struct App {
    pub desk: Desk,
    pub guard: Guard,
    pub tasks: Tasks,
    /// A database whose tables may be taken.
    pub server: Option<Server>,
}

impl App {
    pub fn new(desk: Desk, guard: Guard, server: Option<Server>) -> Self {
        Self { desk, guard, tasks: Tasks::new(), server }
    }

    /// The most bytes that a request to this address may have.
    fn largest(&self, path: &str) -> u64 {
        match takes_a_file(path) {
            // A file, and the fields of the form around it.
            true => self.desk.max_upload.saturating_add(1 << 20),
            false => LARGEST_FORM as u64,
        }
    }
}

/// Whether a file is sent to this address.
fn takes_a_file(path: &str) -> bool {
    path == "/projects" || path.starts_with("/p/") && path.ends_with("/population")
}

pub(crate) fn router(app: Arc<App>) -> Router {
    let inside = Router::new()
        .route("/", get(pages::start::show))
        .route("/projects", post(pages::start::upload).layer(DefaultBodyLimit::disable()))
        .route("/tables", post(pages::start::take_table))
        .route("/new/{id}", get(pages::arrival::show))
        .route("/new/{id}/stop", post(pages::arrival::stop))
        .route("/new/{id}/events", get(pages::arrival::events))
        .route("/p/{id}", get(|Path(id): Path<String>| async move { see_other(&format!("/p/{id}/data")) }))
        .route("/p/{id}/data", get(pages::data::show).post(pages::data::change))
        .route("/p/{id}/roles", get(pages::roles::show).post(pages::roles::change))
        .route("/p/{id}/hierarchies", get(pages::hierarchies::show).post(pages::hierarchies::change))
        .route("/p/{id}/check", post(pages::hierarchies::check))
        .route("/p/{id}/groups", post(pages::groups::change))
        .route("/p/{id}/promises", get(pages::promises::show).post(pages::promises::change))
        .route("/p/{id}/population", post(pages::start::take_population).layer(DefaultBodyLimit::disable()))
        .route("/p/{id}/explore", get(pages::explore::show).post(pages::explore::choose))
        .route("/p/{id}/result", get(pages::result::show))
        .route("/p/{id}/handover", get(pages::handover::show))
        .route("/p/{id}/answers", get(pages::answers::show).post(pages::answers::change))
        .route("/p/{id}/job", get(pages::job::show).post(pages::job::change))
        .route("/p/{id}/begin", post(pages::begin))
        .route("/p/{id}/stop", post(pages::stop))
        .route("/p/{id}/remove", post(pages::start::remove))
        .route("/p/{id}/events", get(pages::events))
        .route("/p/{id}/file/{what}", get(pages::handover::file))
        .layer(from_fn_with_state(Arc::clone(&app), require_session));
    Router::new()
        .route("/enter", get(enter).post(enter_by_password))
        .route("/assets/{name}", get(asset))
        .merge(inside)
        .fallback(|| async { pages::failed(StatusCode::NOT_FOUND, "There is no such page.") })
        .layer(DefaultBodyLimit::max(LARGEST_FORM))
        .layer(from_fn_with_state(Arc::clone(&app), admit))
        .with_state(app)
}

/// Refuses what another site caused, ends what takes too long, and seals every answer.
async fn admit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let admitted = app.guard.admits(request.method(), request.uri(), request.headers());
    let mut response = match admitted {
        Err(_) => pages::failed(
            StatusCode::FORBIDDEN,
            "The request came by way of another site or name, so nothing was done. Open the address that privet printed.",
        ),
        // What says that it is too large is not read.
        Ok(()) if length_of(&request) > app.largest(request.uri().path()) => {
            pages::failed(StatusCode::PAYLOAD_TOO_LARGE, "That is more than this page takes.")
        }
        // An upload has a limit for each of its parts.
        Ok(()) if takes_a_file(request.uri().path()) => next.run(request).await,
        Ok(()) => match tokio::time::timeout(LONGEST, next.run(request)).await {
            Ok(response) => response,
            Err(_) => pages::failed(StatusCode::REQUEST_TIMEOUT, "The request took too long."),
        },
    };
    seal(response.headers_mut());
    response
}

/// How long a request says that it is.
fn length_of(request: &Request) -> u64 {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|own| own.to_str().ok());
    length.and_then(|own| own.parse().ok()).unwrap_or(0)
}

async fn require_session(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    match app.guard.session(request.headers()) {
        Ok(session) => {
            request.extensions_mut().insert(session);
            next.run(request).await
        }
        Err(_) if app.guard.asks_password() => see_other("/enter"),
        Err(_) => pages::failed(
            StatusCode::UNAUTHORIZED,
            "This page is open to the browser only that was opened with the address that privet printed, and that address works \
             once. Stop privet serve and start it again for another one.",
        ),
    }
}

#[derive(serde::Deserialize)]
struct Token {
    #[serde(default)]
    token: String,
}

async fn enter(State(app): State<Arc<App>>, Query(Token { token }): Query<Token>) -> Response {
    if app.guard.asks_password() {
        return pages::password(false);
    }
    match app.guard.enter_by_token(&token) {
        Some(cookie) => entered(cookie),
        None => pages::failed(
            StatusCode::UNAUTHORIZED,
            "This address is not valid, or was used before: it works once. Stop privet serve and start it again for another one.",
        ),
    }
}

#[derive(serde::Deserialize)]
struct Password {
    #[serde(default)]
    password: String,
}

async fn enter_by_password(
    State(app): State<Arc<App>>,
    axum::Form(Password { password }): axum::Form<Password>,
) -> Response {
    // Guessing is slow, whoever guesses.
    tokio::time::sleep(Duration::from_millis(300)).await;
    match app.guard.enter_by_password(&password) {
        Some(cookie) => entered(cookie),
        None => pages::password(true),
    }
}

/// Sets the cookie, on a page that goes on by itself: a redirect of a link that another program opened would not send it.
fn entered(cookie: HeaderValue) -> Response {
    let mut response = pages::entered();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}

async fn asset(Path(name): Path<String>) -> Response {
    let (kind, text) = match name.as_str() {
        "style.css" => ("text/css; charset=utf-8", include_str!("../assets/style.css")),
        "app.js" => ("text/javascript; charset=utf-8", include_str!("../assets/app.js")),
        "icon.svg" => ("image/svg+xml", include_str!("../assets/icon.svg")),
        _ => return pages::failed(StatusCode::NOT_FOUND, "There is no such page."),
    };
    ([(header::CONTENT_TYPE, kind)], Body::from(text)).into_response()
}

/// Goes to another page, with a request that only looks.
pub(crate) fn see_other(to: &str) -> Response {
    Redirect::to(to).into_response()
}

/// The project that an address names.
impl axum::extract::FromRequestParts<Arc<App>> for Context {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        app: &Arc<App>,
    ) -> Result<Self, Response> {
        let missing = || pages::failed(StatusCode::NOT_FOUND, "There is no such project.");
        let session = parts.extensions.get::<Session>().cloned().ok_or_else(missing)?;
        let path: Path<std::collections::HashMap<String, String>> =
            Path::from_request_parts(parts, app).await.map_err(|_| missing())?;
        let id = path.0.get("id").cloned().unwrap_or_default();
        let project: Arc<Project> = app.desk.project(&id).ok_or_else(missing)?;
        Ok(Self { app: Arc::clone(app), id, project, session })
    }
}

/// A form that was made by a page of this session.
#[derive(Debug)]
pub(crate) struct Posted(Vec<(String, String)>);

impl Posted {
    /// The field of this name; empty when there is none.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.trim())
    }

    /// The field of this name as it was typed.
    pub fn raw(&self, name: &str) -> &str {
        self.0.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// Every field with its name, as it was typed.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A form with these fields.
    #[cfg(test)]
    pub fn of(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }

    /// Whether there is a field of this name that is not empty.
    pub fn has(&self, name: &str) -> bool {
        !self.get(name).is_empty()
    }
}

impl FromRequest<Arc<App>> for Posted {
    type Rejection = Response;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Response> {
        let session = request.extensions().get::<Session>().cloned();
        let form = axum::Form::<Vec<(String, String)>>::from_request(request, app).await;
        let form = form.map_err(IntoResponse::into_response)?;
        let posted = Posted(form.0);
        match session {
            Some(session) if session.made(posted.get("csrf")) => Ok(posted),
            _ => Err(pages::failed(
                StatusCode::FORBIDDEN,
                "The form is not one of this session, so nothing was changed. Load the page again.",
            )),
        }
    }
}
