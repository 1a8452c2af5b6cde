//! Who may ask: a one-time token in the printed address, a cookie that scripts cannot read, and a second secret in every form.
//!
//! Guarantees: no page but the entrance is shown without the cookie; nothing is changed by a request that another site caused (the host
//! and the origin are compared, the cookie is `SameSite=Strict`, every form carries a secret of the session); every answer has the headers
//! that keep a page from loading anything from elsewhere and from being shown inside another page. Secrets are compared in constant time.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Uri};

use crate::ServeError;

/// Sessions that are open at once; an older one is closed for a newer one.
const MOST_SESSIONS: usize = 8;
/// Wrong passwords before there is a pause.
const MOST_WRONG: u32 = 5;
/// The pause.
const PAUSE: Duration = Duration::from_secs(30);
/// The shortest password that is accepted.
const SHORTEST: usize = 12;

/// A session: what the cookie holds, and what forms carry.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    id: String,
    /// The secret of forms.
    pub form: String,
}

/// Who may ask.
pub(crate) struct Guard {
    address: SocketAddr,
    is_tls: bool,
    password: Option<String>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The token that was printed, until it is used.
    token: Option<String>,
    sessions: Vec<Session>,
    wrong: u32,
    paused: Option<Instant>,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It names another host: a page of another site may have made its own name point here.
    Host,
    /// Another site caused it.
    Origin,
    /// There is no session.
    Session,
}

/// 256 random bits as text.
fn secret() -> Result<String, ServeError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| ServeError::System(format!("no random numbers can be had: {error}")))?;
    Ok(hex(&bytes))
}

/// Bytes as text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// The password in a file that nobody else can read.
pub(crate) fn read_password(path: &Path) -> Result<String, ServeError> {
    let usage = |problem: &str| ServeError::Usage(format!("{}: {problem}", path.display()));
    let text = privet_data::io::read_plain(path, 4096)
        .map_err(|error| ServeError::Usage(format!("{}: {error}", path.display())))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_err(|error| usage(&error.to_string()))?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(usage("others can read it; chmod 600 it first"));
        }
    }
    let text = String::from_utf8(text).map_err(|_| usage("is not text"))?;
    let password = text.trim_end_matches(['\r', '\n']).to_owned();
    match password.chars().count() >= SHORTEST {
        true => Ok(password),
        false => Err(usage("the password must have at least 12 characters")),
    }
}

impl Guard {
    pub fn new(address: SocketAddr, is_tls: bool, password: Option<String>) -> Result<Self, ServeError> {
        let token = if password.is_none() { Some(secret()?) } else { None };
        let state = Mutex::new(State { token, ..State::default() });
        Ok(Self { address, is_tls, password, state })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether a password is asked for.
    pub fn asks_password(&self) -> bool {
        self.password.is_some()
    }

    fn origin(&self) -> String {
        format!("{}://{}", if self.is_tls { "https" } else { "http" }, self.address)
    }

    /// The address to open, with the token where there is one.
    pub fn address(&self) -> String {
        match &self.state().token {
            Some(token) => format!("{}/enter?token={token}", self.origin()),
            None => format!("{}/enter", self.origin()),
        }
    }

    /// Refuses what another site caused, whoever asks.
    pub fn admits(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = match uri.host() {
            Some(_) => uri.authority().map(|own| own.as_str()),
            None => text(headers, &header::HOST),
        };
        let host = host.ok_or(Refusal::Host)?;
        if self.address.ip().is_loopback() {
            let port = self.address.port();
            let known = [self.address.to_string(), format!("localhost:{port}")];
            if !known.iter().any(|own| own == host) {
                return Err(Refusal::Host);
            }
        }
        if method == Method::GET || method == Method::HEAD {
            return Ok(());
        }
        // A browser tells where a form came from in at least one of two ways.
        let of_same = |own: &str| own == format!("{}://{host}", if self.is_tls { "https" } else { "http" });
        match (text(headers, &header::ORIGIN), text(headers, &HeaderName::from_static("sec-fetch-site"))) {
            (Some(origin), _) if !of_same(origin) => Err(Refusal::Origin),
            (_, Some(site)) if site != "same-origin" => Err(Refusal::Origin),
            _ => Ok(()),
        }
    }

    /// The session of a request.
    pub fn session(&self, headers: &HeaderMap) -> Result<Session, Refusal> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let name = format!("{}=", self.cookie());
        let ids: Vec<&str> = cookies
            .flat_map(|own| own.split("; "))
            .filter_map(|own| own.strip_prefix(name.as_str()))
            .collect();
        let state = self.state();
        let found = state.sessions.iter().find(|own| ids.iter().any(|id| same(id, &own.id)));
        found.cloned().ok_or(Refusal::Session)
    }

    /// The name of the cookie. Pages on other ports of this machine share cookies, so the port is a part of it.
    fn cookie(&self) -> String {
        format!("privet-{}", self.address.port())
    }

    /// Takes a token, which is used up by it, and opens a session: the value of the header that sets the cookie.
    pub fn enter_by_token(&self, token: &str) -> Option<HeaderValue> {
        let mut state = self.state();
        match &state.token {
            Some(own) if same(own, token) => state.token = None,
            _ => return None,
        }
        self.open(&mut state)
    }

    /// The same by a password. After a few wrong ones there is a pause, in which the right one is refused, too.
    pub fn enter_by_password(&self, password: &str) -> Option<HeaderValue> {
        let own = self.password.as_deref()?;
        let mut state = self.state();
        if state.paused.is_some_and(|since| since.elapsed() < PAUSE) {
            return None;
        }
        if !same(own, password) {
            state.wrong += 1;
            if state.wrong >= MOST_WRONG {
                (state.wrong, state.paused) = (0, Some(Instant::now()));
            }
            return None;
        }
        state.wrong = 0;
        self.open(&mut state)
    }

    fn open(&self, state: &mut State) -> Option<HeaderValue> {
        let session = Session { id: secret().ok()?, form: secret().ok()? };
        let secure = if self.is_tls { "; Secure" } else { "" };
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict{secure}", self.cookie(), session.id);
        if state.sessions.len() >= MOST_SESSIONS {
            state.sessions.remove(0);
        }
        state.sessions.push(session);
        HeaderValue::from_str(&cookie).ok()
    }
}

impl Session {
    /// Whether a form carries the secret of this session.
    pub fn made(&self, secret: &str) -> bool {
        same(&self.form, secret)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// What a page may do: nothing but what came with the program.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'";
/// A report stands in a frame of its own, without scripts, forms or links to elsewhere.
pub(crate) const REPORT_POLICY: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

/// Headers of every answer; the policy is left to answers that have one.
pub(crate) fn seal(headers: &mut HeaderMap) {
    let fixed = [
        ("x-content-type-options", "nosniff"),
        // Not `no-referrer`: forms would come from the origin `null` then.
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ("cache-control", "no-store"),
    ];
    for (name, value) in fixed {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard::new("127.0.0.1:4000".parse().unwrap(), false, None).unwrap()
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    #[test]
    fn a_token_opens_one_session_once() {
        let guard = guard();
        let address = guard.address();
        let token = address.split_once("token=").unwrap().1;
        assert!(guard.enter_by_token("0").is_none());
        assert!(guard.enter_by_token("").is_none());
        let cookie = guard.enter_by_token(token).unwrap();
        let cookie = cookie.to_str().unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        assert!(guard.enter_by_token(token).is_none());
        let sent = headers(&[("cookie", cookie.split(';').next().unwrap())]);
        assert!(guard.session(&sent).unwrap().made(&guard.session(&sent).unwrap().form));
        assert!(guard.session(&headers(&[("cookie", "privet-4000=0")])).is_err());
        assert!(guard.session(&HeaderMap::new()).is_err());
    }

    #[test]
    fn other_hosts_and_other_sites_are_refused() {
        let guard = guard();
        let ask = |method: Method, pairs: &[(&'static str, &str)]| {
            guard.admits(&method, &Uri::from_static("/"), &headers(pairs))
        };
        assert_eq!(ask(Method::GET, &[("host", "127.0.0.1:4000")]), Ok(()));
        assert_eq!(ask(Method::GET, &[("host", "localhost:4000")]), Ok(()));
        for host in ["evil.example:4000", "127.0.0.1:4001", "127.0.0.1", "localhost"] {
            assert_eq!(ask(Method::GET, &[("host", host)]), Err(Refusal::Host), "{host}");
        }
        assert_eq!(ask(Method::GET, &[]), Err(Refusal::Host));
        let own = ("host", "127.0.0.1:4000");
        assert_eq!(ask(Method::POST, &[own, ("origin", "http://127.0.0.1:4000")]), Ok(()));
        for origin in ["null", "http://evil.example", "https://127.0.0.1:4000", "http://localhost:4000"] {
            assert_eq!(ask(Method::POST, &[own, ("origin", origin)]), Err(Refusal::Origin), "{origin}");
        }
        assert_eq!(ask(Method::POST, &[own, ("sec-fetch-site", "cross-site")]), Err(Refusal::Origin));
        assert_eq!(ask(Method::POST, &[own, ("sec-fetch-site", "same-site")]), Err(Refusal::Origin));
    }

    #[test]
    fn wrong_passwords_end_in_a_pause() {
        let own = "correct horse battery".to_owned();
        let guard = Guard::new("192.0.2.1:443".parse().unwrap(), true, Some(own.clone())).unwrap();
        assert!(guard.enter_by_token("").is_none());
        assert!(guard.enter_by_password(&own).unwrap().to_str().unwrap().contains("Secure"));
        for _ in 0..MOST_WRONG {
            assert!(guard.enter_by_password("wrong").is_none());
        }
        assert!(guard.enter_by_password(&own).is_none(), "not within the pause");
    }

    #[test]
    fn a_password_is_long_and_for_one_reader() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        std::fs::write(&path, "correct horse battery\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(read_password(&path).unwrap_err().to_string().contains("others can read it"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read_password(&path).unwrap(), "correct horse battery");
        std::fs::write(&path, "short\n").unwrap();
        assert!(read_password(&path).unwrap_err().to_string().contains("12 characters"));
    }
}
