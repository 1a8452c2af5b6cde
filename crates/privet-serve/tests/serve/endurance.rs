//! Many clients, slow ones, connections that break, work that is stopped, and a program that is killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::client::{Client, Server, get, people, projects, send, split};
use privet_serve::Options;

#[test]
fn fifty_clients_at_once_get_their_pages() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("patients.csv", people(200).as_bytes());
    // Some who send nothing, and some who do not read, meanwhile.
    let silent: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(&client.host).unwrap()).collect();
    let mut slow = TcpStream::connect(&client.host).unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    std::thread::scope(|scope| {
        for number in 0..50 {
            let (client, project) = (&client, &project);
            scope.spawn(move || {
                for step in ["data", "roles", "hierarchies", "promises"] {
                    let answer = client.get(&format!("{project}/{step}"));
                    assert_eq!(answer.status, 200, "client {number}, {step}");
                }
            });
        }
    });
    drop(silent);
}

/// A file that takes a while to be read waits behind other work, shows its progress, and leaves nothing when it is stopped.
#[test]
fn reading_is_a_task_that_can_be_stopped() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().join("kept");
    let server = Server::with(Options { keep: Some(folder.clone()), ..Options::default() });
    let client = server.client();
    let project = long_job(&client, 60_000);
    begin(&client, &project);
    let request = client.upload_request(&client.csrf, "second.csv", people(50).as_bytes());
    let answer = send(&client.host, &request).unwrap();
    let place = answer.header("location").to_owned();
    assert!(answer.status == 303 && place.starts_with("/new/"), "{place}");
    let page = client.get(&place).text();
    assert!(page.contains("Reading second.csv") && page.contains("class=\"task waiting\""), "{page}");
    assert!(page.contains(&format!("data-events=\"{place}/events\"")));
    assert_eq!(projects(&folder).len(), 2);
    // The third task: after the upload and the job of the first project.
    assert_eq!(client.post(&format!("{place}/stop"), &[("task", "3")]).status, 303);
    assert_eq!(client.post(&format!("{project}/stop"), &[("task", "2")]).status, 303);
    until("its folder is removed", || projects(&folder).len() == 1);
    let stopped = client.get(&place);
    assert!(stopped.status == 409 && stopped.text().contains("nothing was kept"), "{}", stopped.text());
    assert_eq!(client.get("/new/0000000000000000").status, 404);
}

/// What a killed program had begun to take is removed by the next one that uses the folder.
#[test]
fn data_that_did_not_become_a_project_is_removed_at_the_next_start() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().join("kept");
    let project = {
        let server = Server::with(Options { keep: Some(folder.clone()), ..Options::default() });
        server.client().upload("patients.csv", people(30).as_bytes())
    };
    let left = folder.join("0123456789abcdef");
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("data.csv"), people(3)).unwrap();
    let server = Server::with(Options { keep: Some(folder), ..Options::default() });
    assert!(!left.exists());
    assert_eq!(server.client().get(&format!("{project}/data")).status, 200);
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().join("kept");
    let server = Server::with(Options { keep: Some(folder.clone()), ..Options::default() });
    let client = server.client();
    let request = client.upload_request(&client.csrf, "x.csv", people(2000).as_bytes());
    let mut stream = TcpStream::connect(&client.host).unwrap();
    stream.write_all(&request[..request.len() / 2]).unwrap();
    drop(stream);
    let since = Instant::now();
    while !projects(&folder).is_empty() {
        assert!(since.elapsed() < Duration::from_secs(10), "the folder of the upload stays");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!client.get("/").text().contains("x.csv"));
}

/// A job that takes a while: many quasi columns and a promise that is hard to keep.
fn long_job(client: &Client, rows: usize) -> String {
    let mut csv = "a,b,c,d,e,f,g,s\n".to_owned();
    for row in 0..rows {
        let cell = |by: usize, of: usize| (row.wrapping_mul(by) / 3) % of;
        csv.push_str(&format!(
            "{},{},{},{},{},{},{},s{}\n",
            cell(7919, 97),
            cell(104_729, 89),
            cell(1_299_709, 83),
            cell(15_485_863, 79),
            cell(32_452_843, 73),
            cell(49_979_687, 71),
            cell(67_867_967, 67),
            row % 7
        ));
    }
    let project = client.upload("long.csv", csv.as_bytes());
    let mut job = String::from(
        "[input]\npath = \"data.csv\"\nheader = true\n[columns.s]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 20\nl-diversity = { l = 3 }\n[search]\n\
         suppress-at-most = 0.01\n[output]\nfolder = \"release\"\nhome = \"home\"\nreplace = true\n",
    );
    for column in ["a", "b", "c", "d", "e", "f", "g"] {
        job.push_str(&format!("[columns.{column}]\nrole = \"quasi\"\nhierarchy = {{ intervals = [2, 4, 8, 16, 32, 64], min = 0 }}\n"));
    }
    let answer = client.post(&format!("{project}/job"), &[("job", &job)]);
    assert_eq!(answer.status, 303, "{}", answer.text());
    project
}

fn begin(client: &Client, project: &str) {
    let answer = client.post(&format!("{project}/begin"), &[("task", "run"), ("page", "result")]);
    assert_eq!(answer.status, 303, "{}", answer.text());
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn work_queues_tells_its_progress_and_can_be_stopped() {
    let server = Server::start();
    let client = server.client();
    let project = long_job(&client, 60_000);
    begin(&client, &project);
    begin(&client, &project);
    let page = || client.get(&format!("{project}/result")).text();
    until("it runs", || page().contains("class=\"task running\""));
    assert!(page().contains("class=\"task waiting\""), "the second waits, after any number of reloads");

    let mut stream = TcpStream::connect(&client.host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let own = format!("Cookie: {}\r\n", client.cookie);
    stream.write_all(get(&client.host, &format!("{project}/events"), &own).as_bytes()).unwrap();
    let mut events = BufReader::new(stream);
    let mut line = String::new();
    while !line.starts_with("data:") {
        line.clear();
        assert!(events.read_line(&mut line).unwrap() > 0, "a stream of events");
    }
    assert!(line.contains("\"state\":\"running\"") && line.contains("\"state\":\"waiting\""), "{line}");

    // The first task was the upload.
    for task in ["3", "2"] {
        assert_eq!(client.post(&format!("{project}/stop"), &[("task", task)]).status, 303);
    }
    until("it stops", || !page().contains("<progress"));
    assert_eq!(page().matches("class=\"task stopped\"").count(), 2, "{}", page());
    assert_eq!(client.get(&format!("{project}/file/release.zip")).status, 404, "nothing was published");
}

/// The program, with the lines that it prints.
struct Program {
    child: Child,
    client: Client,
}

impl Program {
    fn start(folder: &std::path::Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_privet-serve"))
            .arg("--keep")
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (host, token) = split(&line);
        Self { child, client: Client::enter(&host, &token) }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // why: it may have been killed
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_killed_program_leaves_no_half_release_and_says_so() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().join("kept");
    let mut program = Program::start(&folder);
    let project = long_job(&program.client, 60_000);
    begin(&program.client, &project);
    let client = program.client.clone();
    until("it runs", || client.get(&format!("{project}/result")).text().contains("class=\"task running\""));
    std::thread::sleep(Duration::from_millis(200));
    program.child.kill().unwrap();
    program.child.wait().unwrap();
    let of_project = projects(&folder).into_iter().next().unwrap();
    assert!(!of_project.join("release").exists(), "no half release");

    let program = Program::start(&folder);
    let page = program.client.get(&format!("{project}/result")).text();
    assert!(
        page.contains("ended in the middle of a run") && page.contains("There is no release yet."),
        "{page}"
    );
    let left: Vec<String> = std::fs::read_dir(&of_project)
        .unwrap()
        .map(|own| own.unwrap().file_name().into_string().unwrap())
        .filter(|own| own.starts_with('.') || own == "running")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_interrupted_program_removes_its_private_folder() {
    let parent = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_privet-serve"))
        .env("TMPDIR", parent.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let (host, token) = split(&line);
    let client = Client::enter(&host, &token);
    client.upload("patients.csv", people(30).as_bytes());
    assert_eq!(projects(parent.path()).len(), 1);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert!(rest.is_empty(), "nothing else is printed: {rest}");
    assert!(projects(parent.path()).is_empty(), "the folder is gone");
    assert!(send(&host, get(&host, "/", "").as_bytes()).is_err());
}
