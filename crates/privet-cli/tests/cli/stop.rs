//! Ctrl-C and SIGTERM: every verb answers soon, at whatever moment, and leaves nothing behind.
#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::dir::Dir;
use crate::people::{Random, job, table};

/// The bound of the test; what is promised is a second, on a machine that has nothing else to do.
const SOON: Duration = Duration::from_secs(5);

fn send(signal: &str, child: &Child) {
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
}

/// Runs a verb, stops it after a while, and expects it to end soon.
fn stop(dir: &Dir, args: &[&str], after: Duration, signal: &str) {
    let mut child = dir.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let asked = Instant::now();
    send(signal, &child);
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if asked.elapsed() > SOON => {
                let _ = child.kill();
                panic!("{args:?} did not end within {SOON:?} of {signal} after {after:?}");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    // One that was done is done; a signal before there is a handler ends the process as ever.
    assert!(matches!(status.code(), Some(0 | 1 | 130) | None), "{args:?} after {after:?}: {status}");
    let left = dir.names(".");
    let partial = left.iter().filter(|name| name.contains(".partial")).count();
    assert!(partial == 0 || status.code().is_none(), "{args:?} after {after:?}, {status}: {left:?}");
}

const RANDOMIZED: &str = "[input]\npath = \"people.csv\"\n[columns.sex]\nrole = \"sensitive\"\nvalues = [\"f\", \"m\"]\n\
    perturb = { response = \"warner\", p = 0.8 }\n[output]\nfolder = \"randomized\"\n";

/// Ctrl-C took 20 seconds while an attack was running, and had no effect for two minutes on three million records.
#[test]
fn every_verb_answers_a_signal_soon() {
    let dir = Dir::new();
    let search = |own: &str| {
        job("k-anonymity = 5", &format!("{own}\n[output]\nfolder = \"release\"\nreplace = true\n"))
    };
    dir.write("people.csv", table(6_000, 3))
        .write("mondrian.toml", search("algorithm = \"mondrian\""))
        .write("passes.toml", search("algorithm = \"mondrian\"\n[search.mondrian]\nmemory-limit = 500"))
        .write("clusters.toml", search("algorithm = \"clustering\""));
    dir.expect(0, &["anonymize", "mondrian.toml", "--set", "output.folder=made", "--quiet"]);
    let verbs: [&[&str]; 8] = [
        &["anonymize", "mondrian.toml", "--quiet"],
        &["anonymize", "passes.toml", "--quiet"],
        &["anonymize", "clusters.toml", "--quiet"],
        &["verify", "made", "--quiet"],
        &["measure", "people.csv", "made", "--job", "mondrian.toml", "--quiet"],
        &["attack", "made", "--original", "people.csv", "--job", "mondrian.toml", "--quiet"],
        &[
            "condense",
            "people.csv",
            "--columns",
            "age,income",
            "-k",
            "20",
            "--seed",
            "1",
            "--output",
            "c.csv",
            "--force",
        ],
        &["init", "people.csv", "--output", "made/first.toml", "--force"],
    ];
    dir.write("r.toml", RANDOMIZED);
    dir.expect(0, &["demo", "--shape", "graph", "--folder", "graph", "--quiet"]);
    let verbs = verbs.into_iter().chain([
        &["randomize", "r.toml", "--force", "--quiet"] as &[&str],
        &["unfold", "made", "--leaf-sample", "-o", "u.csv", "--force", "--quiet"],
        &["answer", "made", "select count(*) from data where age < 40", "--quiet"],
        &["anonymize", "graph/safe.toml", "--force", "--quiet"],
    ]);
    let mut random = Random(11);
    for args in verbs {
        for signal in ["-INT", "-TERM"] {
            stop(&dir, args, Duration::from_millis(20 + random.below(900)), signal);
        }
    }
}
