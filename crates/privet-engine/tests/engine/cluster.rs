//! Real schedulers and executors on loopback: the same bytes, and executors that are killed.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use privet_data::Random;
use privet_job::{Outcome, RunError, Summary};

use crate::same_bytes::{PRIVACY, SEARCH};
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
    start_as(Command::new(env!("CARGO_BIN_EXE_privet-cluster")), arguments)
}

/// A program that may write files of 16 KiB at most.
fn with_a_full_disk() -> Command {
    let mut command = Command::new("bash");
    let limited = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
    command.args(["-c", limited, env!("CARGO_BIN_EXE_privet-cluster")]);
    command
}

fn start_as(mut command: Command, arguments: &[String]) -> Process {
    let child =
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
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
    scheduler: Process,
}

impl Cluster {
    fn start(executors: usize, folder: &Path) -> Self {
        let port = ports();
        let mut cluster = Self { port, executors: Vec::new(), scheduler: scheduler_at(port) };
        (0..executors).for_each(|_| cluster.add(folder));
        cluster
    }

    fn add(&mut self, folder: &Path) {
        self.add_as(Command::new(env!("CARGO_BIN_EXE_privet-cluster")), folder);
    }

    fn add_as(&mut self, command: Command, folder: &Path) {
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
        self.executors.push(start_as(command, &arguments.map(str::to_owned)));
        wait_for(port);
    }

    /// Ends an executor, whose place another one takes.
    fn replace(&mut self, victim: usize, folder: &Path) {
        drop(self.executors.swap_remove(victim));
        self.add(folder);
    }

    fn settings(&self) -> [String; 2] {
        ["engine.kind=\"ballista\"".to_owned(), format!("engine.scheduler=\"127.0.0.1:{}\"", self.port)]
    }
}

fn scheduler_at(port: u16) -> Process {
    let scheduler = start(&["scheduler".to_owned(), "--port".to_owned(), port.to_string()]);
    wait_for(port);
    scheduler
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

    // An executor that is killed while a job runs: others do its work.
    let before = left_in(base, &[]);
    let finished = kills(&mut cluster, base, work.path(), &text, 2);
    assert!(finished > 0, "no job was finished by the executors that were left");
    // A scheduler that is lost.
    let port = cluster.port;
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        drop(cluster.scheduler);
        cluster.executors
    });
    same_or_nothing(run(base, &text, &[&kind, &scheduler, "output.folder=lost"]), base, "lost");
    let executors = killer.join().unwrap();
    // Another one at its place: the next job is done.
    let mut cluster = Cluster { port, executors, scheduler: scheduler_at(port) };
    cluster.add(work.path());
    run(base, &text, &[&kind, &scheduler, "output.folder=restarted"]).unwrap();
    assert_same(&base.join("memory"), &base.join("restarted"));
    let known: Vec<&str> = before.iter().map(String::as_str).chain(["lost", "restarted"]).collect();
    assert!(left_in(base, &known).is_empty());
}

/// A job is done, with the bytes of memory, or ends for lack of resources and leaves nothing. Tells which.
fn same_or_nothing(ran: Result<Summary, RunError>, base: &Path, out: &str) -> bool {
    match ran {
        Ok(_) => {
            assert_same(&base.join("memory"), &base.join(out));
            true
        }
        Err(error) => {
            assert_eq!(error.outcome(), Outcome::Resources, "{error}");
            assert!(!base.join(out).exists());
            false
        }
    }
}

/// Runs a job so many times, in each of which an executor is killed at a random moment and replaced. Tells how often it was done.
fn kills(cluster: &mut Cluster, base: &Path, work: &Path, text: &str, rounds: u64) -> u64 {
    let [kind, scheduler] = cluster.settings();
    let mut random = Random::new(27);
    let mut finished = 0;
    for round in 0..rounds {
        let out = format!("killed-{round}");
        let settings = [kind.clone(), scheduler.clone(), format!("output.folder={out}")];
        let (job, folder) = (text.to_owned(), base.to_owned());
        let running = std::thread::spawn(move || {
            run(&folder, &job, &settings.iter().map(String::as_str).collect::<Vec<_>>())
        });
        std::thread::sleep(Duration::from_millis(random.below(1_200) as u64));
        let victim = random.below(cluster.executors.len());
        cluster.replace(victim, work);
        finished += u64::from(same_or_nothing(running.join().unwrap(), base, &out));
        let _ = std::fs::remove_dir_all(base.join(&out));
        assert!(!left_in(base, &[]).iter().any(|name| name.starts_with('.')), "a draft is left");
    }
    finished
}

/// No executor has room for what it writes: exit code 4, and nothing is left behind.
#[cfg(target_os = "linux")]
#[test]
fn an_executor_whose_disk_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(20_000, 9), 5_000);
    let work = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::start(0, work.path());
    cluster.add_as(with_a_full_disk(), work.path());
    let [kind, scheduler] = cluster.settings();
    let text = job_text("people", "k-anonymity = 3", "[output]\nrows-per-file = 10000\n");
    let error = run(base, &text, &[&kind, &scheduler]).unwrap_err();
    assert_eq!(error.outcome(), Outcome::Resources, "{error}");
    assert!(left_in(base, &["people"]).is_empty());
}

/// The executors that were not killed finish most jobs; no release is partial. Takes minutes.
#[test]
#[ignore = "kills executors a hundred times"]
fn a_hundred_executors_are_killed() {
    kill_executors(100);
}

fn kill_executors(rounds: u64) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(4_000, 21), 500);
    let work = tempfile::tempdir().unwrap();
    let text = job_text(
        "people",
        "k-anonymity = 3",
        "[search]\nsuppress-at-most = 0.05\n[output]\nrows-per-file = 200\n",
    );
    run(base, &text, &["output.folder=memory"]).unwrap();
    let mut cluster = Cluster::start(3, work.path());
    let finished = kills(&mut cluster, base, work.path(), &text, rounds);
    println!("{finished} of {rounds} jobs were finished");
    assert!(finished * 2 > rounds, "{finished} of {rounds} jobs were finished");
}

/// Tables of other kinds, and jobs of many kinds, refused ones too.
#[test]
fn random_jobs_on_a_cluster_give_the_bytes_of_memory() {
    let work = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(2, work.path());
    let [kind, scheduler] = cluster.settings();
    for case in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let count = 30 + 40 * case;
        let text = people(count, 90 + case as u64);
        let suppress = [0.0, 0.1][case % 2];
        let search = format!("[search]\nsuppress-at-most = {suppress}\n{}\n", SEARCH[case % SEARCH.len()]);
        let more = match case {
            // Folders that are a column, and a CSV that stays one.
            1 => {
                write_parquet(&base.join("people/year=2024"), &text, 40);
                write_parquet(&base.join("people/year=2025"), &people(50, 7), 50);
                "[columns.year]\nrole = \"quasi\"\n"
            }
            2 => {
                std::fs::write(base.join("people.csv"), &text).unwrap();
                ""
            }
            _ => {
                write_parquet(&base.join("people"), &text, 1 + count / 3);
                "[output]\nrows-per-file = 25\n"
            }
        };
        let input = if case == 2 { "people.csv" } else { "people" };
        let job = job_text(input, PRIVACY[case % PRIVACY.len()], &format!("{search}{more}"));
        let memory = run(base, &job, &["output.folder=memory"]);
        let other = run(base, &job, &[&kind, &scheduler, "output.folder=ballista"]);
        match (memory, other) {
            (Ok(_), Ok(_)) => assert_same(&base.join("memory"), &base.join("ballista")),
            (Err(memory), Err(other)) => assert_eq!(memory.to_string(), other.to_string()),
            (memory, other) => panic!("case {case}: {:?} {:?}", memory.err(), other.err()),
        }
    }
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
