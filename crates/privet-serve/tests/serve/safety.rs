//! Every security property, from outside.

use std::path::PathBuf;

use crate::client::{Answer, Server, get, people, send};
use privet_serve::{Options, ServeError, serve};

/// Every address that needs a session.
const INSIDE: [&str; 17] = [
    "/",
    "/p/x",
    "/p/x/data",
    "/p/x/roles",
    "/p/x/hierarchies",
    "/p/x/promises",
    "/p/x/explore",
    "/p/x/result",
    "/p/x/handover",
    "/p/x/answers",
    "/p/x/job",
    "/p/x/events",
    "/p/x/file/job.toml",
    "/p/x/file/report",
    "/p/x/file/project.zip",
    "/new/x",
    "/new/x/events",
];

fn sealed(answer: &Answer) {
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(answer.header(name), value);
    }
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors"), "{policy}");
    assert!(
        !answer.headers.iter().any(|(name, _)| name == "server" || name == "access-control-allow-origin")
    );
}

#[test]
fn nothing_is_shown_without_the_cookie_and_the_token_works_once() {
    let server = Server::start();
    for path in INSIDE {
        let answer = send(&server.host, get(&server.host, path, "").as_bytes()).unwrap();
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.text().contains("csrf"), "{path}");
        sealed(&answer);
        let forged = format!("Cookie: privet-{}=0000\r\n", server.host.split(':').nth(1).unwrap());
        assert_eq!(send(&server.host, get(&server.host, path, &forged).as_bytes()).unwrap().status, 401);
    }
    for wrong in ["/enter", "/enter?token=", "/enter?token=0", "/enter?token=0&token=1"] {
        let answer = send(&server.host, get(&server.host, wrong, "").as_bytes()).unwrap();
        assert!([400, 401].contains(&answer.status), "{wrong}");
        assert_eq!(answer.header("set-cookie"), "");
    }
    let entrance = format!("/enter?token={}", server.token);
    let answer = send(&server.host, get(&server.host, &entrance, "").as_bytes()).unwrap();
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"),
        "{cookie}"
    );
    sealed(&answer);
    assert!(!answer.text().contains(&server.token));
    assert_eq!(send(&server.host, get(&server.host, &entrance, "").as_bytes()).unwrap().status, 401);
}

#[test]
fn pages_load_nothing_from_elsewhere_and_say_so() {
    let server = Server::start();
    let client = server.client();
    let page = client.get("/");
    sealed(&page);
    let policy = page.header("content-security-policy");
    assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"), "{policy}");
    let text = page.text();
    for outside in ["http://", "https://", "//cdn", "style=\"", "onclick", "<script>"] {
        assert!(!text.contains(outside), "{outside}");
    }
    for asset in ["style.css", "app.js", "icon.svg"] {
        let answer = client.get(&format!("/assets/{asset}"));
        assert_eq!(answer.status, 200);
        let text = answer.text().replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("http") && !text.contains("@import"), "{asset}");
        sealed(&answer);
    }
}

#[test]
fn other_names_and_other_sites_change_nothing() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("patients.csv", people(30).as_bytes());
    let own = format!("Cookie: {}\r\n", client.cookie);
    let as_other = get("evil.example", "/", &own);
    assert_eq!(send(&client.host, as_other.as_bytes()).unwrap().status, 403, "a name that points here");

    let job = client.get(&format!("{project}/file/job.toml")).text();
    let form = [("csrf", client.csrf.as_str()), ("k", "9")];
    let address = format!("{project}/explore");
    let post = |headers: &str| client.post_as(&address, &form, &format!("{own}{headers}")).status;
    assert_eq!(post("Origin: http://evil.example\r\n"), 403);
    assert_eq!(post("Origin: null\r\n"), 403);
    assert_eq!(post("Sec-Fetch-Site: cross-site\r\n"), 403);
    assert_eq!(post("Sec-Fetch-Site: same-site\r\n"), 403);
    for csrf in ["", "0", &client.csrf[1..], &client.cookie] {
        let answer = client.post_as(&address, &[("csrf", csrf), ("k", "9")], &own);
        assert_eq!(answer.status, 403, "{csrf}");
        sealed(&answer);
    }
    assert_eq!(client.get(&format!("{project}/file/job.toml")).text(), job, "nothing was changed");
    assert_eq!(post(""), 303, "a form of the session");
    // What only looks changes nothing.
    for path in ["begin", "stop", "remove", "check", "groups", "population"] {
        assert_eq!(client.get(&format!("{project}/{path}")).status, 405, "{path}");
    }
}

#[test]
fn no_address_leads_to_another_file() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("../../../tmp/évil name.csv", people(30).as_bytes());
    for path in [
        format!("{project}/file/..%2f..%2f..%2fetc%2fpasswd"),
        format!("{project}/file/../../../../etc/passwd"),
        format!("{project}/file/%2e%2e/project.json"),
        format!("{project}/file/data.csv"),
        format!("{project}/file/project.json"),
        format!("{project}/file/"),
        "/assets/..%2f..%2fCargo.toml".to_owned(),
        "/assets/../Cargo.toml".to_owned(),
        "/p/..%2f..%2fetc/data".to_owned(),
        "/p/%00/data".to_owned(),
        "/p/0000000000000000/data".to_owned(),
        "/etc/passwd".to_owned(),
    ] {
        let answer = client.get(&path);
        assert!([400, 404].contains(&answer.status), "{path}: {}", answer.status);
        assert!(!answer.text().contains("root:"), "{path}");
    }
    for ending in ["exe", "toml", "csv/../x", "sh"] {
        let request = client.upload_request(&client.csrf, &format!("x.{ending}"), b"a,b\n1,2\n");
        assert_eq!(send(&client.host, &request).unwrap().status, 400, "{ending}");
    }
}

#[test]
fn a_job_file_names_files_of_its_project_only() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("patients.csv", people(30).as_bytes());
    let job = client.get(&format!("{project}/file/job.toml")).text();
    for (from, to) in [
        ("path = \"patients.csv\"", "path = \"/etc/passwd\""),
        ("path = \"patients.csv\"", "path = \"../data.csv\""),
        ("folder = \"release\"", "folder = \"/tmp/privet-elsewhere\""),
        ("home = \"home\"", "home = \"../home\""),
        ("[privacy]", "[query]\nledger = \"postgres://127.0.0.1/x\"\n\n[privacy]"),
        ("[privacy]", "[adversary]\nknowledge = \"/etc/hostname\"\n\n[privacy]"),
    ] {
        assert!(job.contains(from), "{from} in {job}");
        let answer = client.post(&format!("{project}/job"), &[("job", &job.replace(from, to))]);
        assert_eq!(answer.status, 422, "{to}");
    }
    assert_eq!(client.get(&format!("{project}/file/job.toml")).text(), job);
    assert_eq!(client.post(&format!("{project}/job"), &[("job", "not [ toml")]).status, 422);
    let commented = format!("# Mine\n{job}");
    assert_eq!(client.post(&format!("{project}/job"), &[("job", &commented)]).status, 303);
    assert_eq!(client.get(&format!("{project}/file/job.toml")).text().trim(), commented.trim());
}

#[test]
fn what_is_sent_has_limits() {
    let server = Server::with(Options { max_upload: 2000, ..Options::default() });
    let client = server.client();
    let large = people(400);
    let answer = send(&client.host, &client.upload_request(&client.csrf, "x.csv", large.as_bytes())).unwrap();
    assert_eq!(answer.status, 413, "{}", answer.text());
    let answer = send(&client.host, &client.upload_request("0", "x.csv", b"a,b\n1,2\n")).unwrap();
    assert_eq!(answer.status, 403);
    assert_eq!(send(&client.host, &client.upload_request(&client.csrf, "x.csv", b"")).unwrap().status, 400);
    let project = client.upload("x.csv", people(20).as_bytes());
    // A form that says how long it is, and is too long, is refused before it is read.
    let head = format!(
        "POST {project}/job HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: \
         {}\r\nConnection: close\r\n\r\ncsrf=",
        client.host,
        client.cookie,
        9 << 20
    );
    assert_eq!(send(&client.host, head.as_bytes()).unwrap().status, 413);
    let head = get(&client.host, "/", &format!("X-Long: {}\r\n", "x".repeat(100 << 10)));
    let answer = send(&client.host, head.as_bytes());
    assert!(answer.is_err() || answer.unwrap().status >= 400);
}

/// What is wrong with a file is told with its place, and never with what stands there.
#[test]
fn no_value_is_told_of_what_cannot_be_read() {
    let server = Server::start();
    let client = server.client();
    let broken = "name,age\nSmith,31\n\"Jones,32\n";
    let answer =
        send(&client.host, &client.upload_request(&client.csrf, "x.csv", broken.as_bytes())).unwrap();
    let answer = client.arrived(answer);
    assert_eq!(answer.status, 422);
    let text = answer.text();
    assert!(text.contains("line 3") && !text.contains("Smith") && !text.contains("Jones"), "{text}");
}

#[test]
fn other_addresses_need_tls_and_a_password() {
    let open = Options { listen: "0.0.0.0:0".parse().unwrap(), ..Options::default() };
    let refused = serve(&open, &|| true, &|_| {}).unwrap_err();
    assert!(matches!(refused, ServeError::Usage(_)));
    assert!(refused.to_string().contains("--tls-cert"), "{refused}");
    let missing = PathBuf::from("missing.pem");
    let tls = Options {
        listen: "127.0.0.1:0".parse().unwrap(),
        tls: Some((missing.clone(), missing)),
        ..Options::default()
    };
    assert!(serve(&tls, &|| true, &|_| {}).unwrap_err().to_string().contains("missing.pem"));
}

/// A server that asks for a password, with TLS or without.
struct Guarded {
    address: String,
    stop: std::sync::Arc<std::sync::atomic::AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Guarded {
    fn start(folder: &std::path::Path, tls: Option<(PathBuf, PathBuf)>) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("password");
        std::fs::write(&path, "correct horse battery\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let own = std::sync::Arc::clone(&stop);
        // All addresses of the machine where there is TLS: what `--listen` is for.
        let listen = if tls.is_some() { "0.0.0.0:0" } else { "127.0.0.1:0" }.parse().unwrap();
        let options = Options { listen, password_file: Some(path), tls, ..Options::default() };
        let thread = std::thread::spawn(move || {
            let is_over = || own.load(std::sync::atomic::Ordering::SeqCst);
            serve(&options, &is_over, &|said| sender.send(said.to_owned()).unwrap()).unwrap();
        });
        let address = receiver.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
        assert!(!address.contains("token"), "{address}");
        Self { address, stop, thread: Some(thread) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.stop.store(true, std::sync::atomic::Ordering::SeqCst);
        self.thread.take().unwrap().join().unwrap();
    }
}

#[test]
fn a_password_is_asked_for_and_opens() {
    let folder = tempfile::tempdir().unwrap();
    let server = Guarded::start(folder.path(), None);
    let host = server.address.strip_prefix("http://").unwrap().strip_suffix("/enter").unwrap().to_owned();
    let client = crate::client::Client { host: host.clone(), cookie: String::new(), csrf: String::new() };
    let origin = format!("Origin: http://{host}\r\n");
    assert_eq!(client.post_as("/enter", &[("password", "wrong")], &origin).status, 401);
    let entered = client.post_as("/enter", &[("password", "correct horse battery")], &origin);
    assert!(entered.header("set-cookie").contains("HttpOnly"));
    assert!(!entered.header("set-cookie").contains("Secure"), "a browser would not send it back here");
}

/// With `--listen`: a certificate that clients can check, the password, a cookie that goes over TLS alone, and a pause after wrong guesses.
#[test]
fn another_address_talks_tls_and_asks_for_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let pair = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["page.example".to_owned()]).unwrap();
    let certificate = certificate.self_signed(&pair).unwrap();
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
    std::fs::write(&cert, certificate.pem()).unwrap();
    std::fs::write(&key, pair.serialize_pem()).unwrap();
    let server = Guarded::start(folder.path(), Some((cert, key)));
    let port = server.address.strip_suffix("/enter").unwrap().rsplit(':').next().unwrap().to_owned();
    assert!(server.address.starts_with("https://"), "{}", server.address);

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate.der().clone()).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let config = std::sync::Arc::new(config);
    let talk = |request: String| -> String {
        use std::io::{Read, Write};
        let name = "page.example".try_into().unwrap();
        let connection = rustls::ClientConnection::new(std::sync::Arc::clone(&config), name).unwrap();
        let tcp = std::net::TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        tcp.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
        let mut stream = rustls::StreamOwned::new(connection, tcp);
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    };
    let host = format!("page.example:{port}");
    let enter = |password: &str| {
        let body = format!("password={}", password.replace(' ', "+"));
        talk(format!(
            "POST /enter HTTP/1.1\r\nHost: {host}\r\nOrigin: https://{host}\r\nConnection: close\r\nContent-Type: \
             application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    };
    assert!(talk(get(&host, "/enter", "")).contains("type=\"password\""));
    assert!(talk(get(&host, "/", "")).starts_with("HTTP/1.1 303"), "the page asks for the password");
    assert!(enter("wrong guess of it").starts_with("HTTP/1.1 401"));
    let entered = enter("correct horse battery");
    let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    assert!(
        cookie.contains("Secure") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let own = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    assert!(talk(get(&host, "/", &own)).starts_with("HTTP/1.1 200"));
    let from_elsewhere = format!("{own}Origin: https://evil.example\r\n");
    let forged = talk(format!(
        "POST /p/x/begin HTTP/1.1\r\nHost: {host}\r\n{from_elsewhere}Connection: close\r\nContent-Length: 0\r\n\r\n"
    ));
    assert!(forged.starts_with("HTTP/1.1 403"), "{forged}");

    // What is not TLS gets no answer of the page.
    let plain = send(&format!("127.0.0.1:{port}"), get(&host, "/enter", "").as_bytes());
    assert!(plain.is_err());
    // After five wrong guesses in a row even the right one waits.
    (0..5).for_each(|_| assert!(enter("wrong guess of it").starts_with("HTTP/1.1 401")));
    assert!(enter("correct horse battery").starts_with("HTTP/1.1 401"));
}
