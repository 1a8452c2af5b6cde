//! A server on a free port, and a client that says exactly what it is told to say.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use privet_serve::{Options, serve};

/// A running server.
pub struct Server {
    /// `127.0.0.1:PORT`
    pub host: String,
    pub token: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start() -> Self {
        Self::with(Options::default())
    }

    pub fn with(options: Options) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = channel();
        let own = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let said = |address: &str| sender.send(address.to_owned()).unwrap();
            serve(&options, &|| own.load(Ordering::SeqCst), &said).unwrap();
        });
        let address = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        let (host, token) = split(&address);
        Self { host, token, stop, thread: Some(thread) }
    }

    /// A client that has entered.
    pub fn client(&self) -> Client {
        Client::enter(&self.host, &self.token)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Host and token of a printed address.
pub fn split(address: &str) -> (String, String) {
    let (host, token) = address.trim().strip_prefix("http://").unwrap().split_once("/enter?token=").unwrap();
    (host.to_owned(), token.to_owned())
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|own| own.0 == name).map_or("", |own| &own.1)
    }
}

/// Sends bytes and reads the answer.
pub fn send(host: &str, request: &[u8]) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.write_all(request)?;
    read(stream)
}

pub fn read(stream: TcpStream) -> std::io::Result<Answer> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|own| own.parse().ok());
    let status = status.ok_or_else(|| std::io::Error::other(format!("no status: {line}")))?;
    let (mut headers, mut length) = (Vec::new(), None);
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse::<u64>().ok();
        }
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let mut body = Vec::new();
    match length {
        Some(length) => _ = reader.take(length).read_to_end(&mut body)?,
        None => _ = reader.read_to_end(&mut body)?,
    }
    Ok(Answer { status, headers, body })
}

/// Somebody with a session.
#[derive(Clone)]
pub struct Client {
    pub host: String,
    pub cookie: String,
    pub csrf: String,
}

impl Client {
    pub fn enter(host: &str, token: &str) -> Self {
        let answer = send(host, get(host, &format!("/enter?token={token}"), "").as_bytes()).unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        let mut client = Self { host: host.to_owned(), cookie, csrf: String::new() };
        let page = client.get("/").text();
        client.csrf = between(&page, "name=\"csrf\" value=\"", "\"").to_owned();
        client
    }

    pub fn get(&self, path: &str) -> Answer {
        send(&self.host, get(&self.host, path, &format!("Cookie: {}\r\n", self.cookie)).as_bytes()).unwrap()
    }

    /// Sends a form of this session.
    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let mut all = vec![("csrf", self.csrf.as_str())];
        all.extend(fields);
        self.post_as(path, &all, &format!("Cookie: {}\r\nOrigin: http://{}\r\n", self.cookie, self.host))
    }

    /// Sends a form with these headers.
    pub fn post_as(&self, path: &str, fields: &[(&str, &str)], headers: &str) -> Answer {
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        let body = body.join("&");
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}Content-Type: \
             application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        send(&self.host, request.as_bytes()).unwrap()
    }

    /// The bytes of an upload.
    pub fn upload_request(&self, csrf: &str, name: &str, bytes: &[u8]) -> Vec<u8> {
        self.upload_to("/projects", csrf, name, bytes)
    }

    /// The bytes of a form with a file for this address.
    pub fn upload_to(&self, path: &str, csrf: &str, name: &str, bytes: &[u8]) -> Vec<u8> {
        let mut body = format!(
            "--b\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n{csrf}\r\n--b\r\nContent-Disposition: form-data; \
             name=\"file\"; filename=\"{name}\"\r\nContent-Type: text/csv\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n--b--\r\n");
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nCookie: {}\r\nOrigin: http://{}\r\nContent-Type: \
             multipart/form-data; boundary=b\r\nContent-Length: {}\r\n\r\n",
            self.host,
            self.cookie,
            self.host,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(&body);
        request
    }

    /// What became of data that was sent: waits while it is read.
    pub fn arrived(&self, mut answer: Answer) -> Answer {
        let since = Instant::now();
        let place = answer.header("location").to_owned();
        while place.starts_with("/new/") && [200, 303].contains(&answer.status) {
            answer = self.get(&place);
            if answer.header("location").starts_with("/p/") {
                break;
            }
            assert!(since.elapsed() < Duration::from_secs(120), "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
        answer
    }

    /// Uploads a file and gives the address of its project.
    pub fn upload(&self, name: &str, bytes: &[u8]) -> String {
        let answer = self.arrived(send(&self.host, &self.upload_request(&self.csrf, name, bytes)).unwrap());
        assert_eq!(answer.status, 303, "{}", answer.text());
        answer.header("location").strip_suffix("/data").unwrap().to_owned()
    }

    /// Begins a task and waits until nothing is under way; gives the page of the result.
    pub fn work(&self, project: &str, task: &str) -> String {
        let answer = self.post(&format!("{project}/begin"), &[("task", task), ("page", "result")]);
        assert_eq!(answer.status, 303, "{}", answer.text());
        self.wait(project)
    }

    pub fn wait(&self, project: &str) -> String {
        let since = Instant::now();
        loop {
            let page = self.get(&format!("{project}/result")).text();
            if !page.contains("<progress") {
                return page;
            }
            assert!(since.elapsed() < Duration::from_secs(120), "it does not end");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

pub fn get(host: &str, path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n")
}

pub fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split_once(after).unwrap().0
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

/// Invented people.
pub fn people(rows: usize) -> String {
    let mut csv = "name,age,zip,sex,diagnosis,note\n".to_owned();
    let ills = ["flu", "asthma", "cancer", "angina", "gastritis"];
    for row in 0..rows {
        let (age, zip) = (20 + (row * 7) % 60, 10_000 + (row * 37) % 90 * 11);
        let sex = ["f", "m"][row % 2];
        csv.push_str(&format!(
            "Person {row},{age},{zip},{sex},{},x<script>alert({row})</script>\n",
            ills[row % 5]
        ));
    }
    csv
}

/// The folders of projects that are kept.
pub fn projects(folder: &std::path::Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|own| own.unwrap().path()).filter(|own| own.is_dir()).collect()
}
