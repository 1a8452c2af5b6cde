//! Every security property, from outside.

use std::path::PathBuf;

use crate::client::{Answer, Server, get, people, send};
use privet_serve::{Options, ServeError, serve};

/// Every address that needs a session.
const INSIDE: [&str; 14] = [
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
    for path in ["begin", "stop", "remove", "check", "groups"] {
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
        ("path = \"data.csv\"", "path = \"/etc/passwd\""),
        ("path = \"data.csv\"", "path = \"../data.csv\""),
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

#[test]
fn a_password_is_asked_for_and_opens() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password");
    std::fs::write(&path, "correct horse battery\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let own = std::sync::Arc::clone(&stop);
    let options = Options { password_file: Some(path), ..Options::default() };
    let thread = std::thread::spawn(move || {
        serve(&options, &|| own.load(std::sync::atomic::Ordering::SeqCst), &|said| {
            sender.send(said.to_owned()).unwrap();
        })
    });
    let address = receiver.recv().unwrap();
    assert!(!address.contains("token"), "{address}");
    let host = address.strip_prefix("http://").unwrap().strip_suffix("/enter").unwrap().to_owned();
    let client = crate::client::Client { host: host.clone(), cookie: String::new(), csrf: String::new() };
    let origin = format!("Origin: http://{host}\r\n");
    assert_eq!(client.post_as("/enter", &[("password", "wrong")], &origin).status, 401);
    let entered = client.post_as("/enter", &[("password", "correct horse battery")], &origin);
    assert!(entered.header("set-cookie").contains("HttpOnly"));
    stop.store(true, std::sync::atomic::Ordering::SeqCst);
    thread.join().unwrap().unwrap();
}
