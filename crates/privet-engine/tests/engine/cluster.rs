//! Real schedulers and executors on loopback: the same bytes, and executors that are killed.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use privet_job::Outcome;

use crate::{assert_same, job_text, left_in, people, run, write_parquet};

/// A process that is ended when it is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(arguments: &[String]) -> Process {
    let child = Command::new(env!("CARGO_BIN_EXE_privet-cluster"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Process(child.unwrap())
}

/// Two ports that follow each other and are free now.
fn ports() -> u16 {
    loop {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            return port;
        }
    }
}

struct Cluster {
    port: u16,
    executors: Vec<Process>,
    _scheduler: Process,
}

impl Cluster {
    fn start(executors: usize, folder: &Path) -> Self {
        let port = ports();
        let scheduler = start(&["scheduler".to_owned(), "--port".to_owned(), port.to_string()]);
        wait_for(port);
        let mut cluster = Self { port, executors: Vec::new(), _scheduler: scheduler };
        (0..executors).for_each(|_| cluster.add(folder));
        cluster
    }

    fn add(&mut self, folder: &Path) {
        let port = ports();
        let work = tempfile::Builder::new().prefix("work-").tempdir_in(folder).unwrap().keep();
        let arguments = [
            "executor",
            "--scheduler",
            &format!("127.0.0.1:{}", self.port),
            "--port",
            &port.to_string(),
            "--threads",
            "1",
            "--folder",
            work.to_str().unwrap(),
        ];
        self.executors.push(start(&arguments.map(str::to_owned)));
        wait_for(port);
    }

    fn settings(&self) -> [String; 2] {
        ["engine.kind=\"ballista\"".to_owned(), format!("engine.scheduler=\"127.0.0.1:{}\"", self.port)]
    }
}

fn wait_for(port: u16) {
    for _ in 0..400 {
        if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("nothing listens at {port}");
}

#[test]
fn a_cluster_gives_the_bytes_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(400, 21), 90);
    let work = tempfile::tempdir().unwrap();
    let text = job_text(
        "people",
        "k-anonymity = 3",
        "[search]\nsuppress-at-most = 0.05\n[output]\nrows-per-file = 70\n",
    );
    run(base, &text, &["output.folder=memory"]).unwrap();
    let whole = job_text("people", "k-anonymity = 3", "[search]\nsuppress-at-most = 0.05\n");
    run(base, &whole, &["output.folder=memory-whole"]).unwrap();
    let mut cluster = Cluster::start(1, work.path());
    for executors in [1, 2, 4] {
        while cluster.executors.len() < executors {
            cluster.add(work.path());
        }
        let [kind, scheduler] = cluster.settings();
        let out = format!("ballista-{executors}");
        run(base, &text, &[&kind, &scheduler, &format!("output.folder={out}")]).unwrap();
        assert_same(&base.join("memory"), &base.join(&out));
    }
    let [kind, scheduler] = cluster.settings();
    run(base, &whole, &[&kind, &scheduler, "output.folder=whole"]).unwrap();
    assert_same(&base.join("memory-whole"), &base.join("whole"));

    // An executor that is killed while a job runs: others do its work, or nothing is published.
    let before = left_in(base, &[]);
    for round in 0..2 {
        let victim = cluster.executors.remove(0);
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(150 + 350 * round));
            drop(victim);
        });
        let out = format!("killed-{round}");
        let ran = run(base, &text, &[&kind, &scheduler, &format!("output.folder={out}")]);
        killer.join().unwrap();
        match ran {
            Ok(_) => assert_same(&base.join("memory"), &base.join(&out)),
            Err(error) => assert_eq!(error.outcome(), Outcome::Resources, "{error}"),
        }
        cluster.add(work.path());
    }
    // A scheduler that is lost.
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        drop(cluster);
    });
    match run(base, &text, &[&kind, &scheduler, "output.folder=lost"]) {
        Ok(_) => assert_same(&base.join("memory"), &base.join("lost")),
        Err(error) => assert_eq!(error.outcome(), Outcome::Resources, "{error}"),
    }
    killer.join().unwrap();
    let known: Vec<&str> =
        before.iter().map(String::as_str).chain(["killed-0", "killed-1", "lost"]).collect();
    assert!(left_in(base, &known).is_empty());
}

#[test]
fn no_scheduler_is_an_error_and_no_release() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(40, 2), 40);
    let text = job_text("people", "k-anonymity = 3", "");
    let scheduler = format!("engine.scheduler=\"127.0.0.1:{}\"", ports());
    let error = run(base, &text, &["engine.kind=\"ballista\"", &scheduler]).unwrap_err();
    assert_eq!(error.outcome(), Outcome::Resources, "{error}");
    let error = run(base, &text, &["engine.kind=\"ballista\""]).unwrap_err();
    assert_eq!(error.outcome(), Outcome::BadInput, "{error}");
    assert!(left_in(base, &["people"]).is_empty());
}
