//! Every party is a process: this test program, started again. Some are killed, paused or slow.

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use privet_data::Silent;
use privet_parties::job::ReadJob;
use privet_parties::run::{RunOptions, run};
use privet_parties::session::tls::Identity;
use privet_parties::session::{connect, verify_transcript};

use crate::setting::{NAMES, NoGate, Setting};

/// What a process of this test does: nothing, unless it was started as a party.
#[test]
fn party() {
    let Ok(name) = std::env::var("PRIVET_TEST_PARTY") else { return };
    let job = ReadJob::read(std::env::var("PRIVET_TEST_JOB").unwrap().as_ref()).unwrap();
    if std::env::var("PRIVET_TEST_HANGS").is_ok() {
        // Is there, gives signs of life, and never says anything.
        let identity = Identity::read(&job.base.join(format!("{name}.key"))).unwrap();
        let me = job.party(&name).unwrap();
        let session = connect(&job.endpoints(), me, &identity, job.hash, job.limits(), None, &Silent);
        std::fs::write(job.base.join("hangs"), "").unwrap();
        std::thread::sleep(Duration::from_secs(60));
        drop(session);
    }
    let key = std::env::var("PRIVET_TEST_KEY").ok().map(Into::into);
    let result = run(&job, &RunOptions { name, key, replace: false }, &NoGate, &Silent);
    match result {
        Ok(summary) => println!("\nRESULT {}", summary.result),
        Err(error) => println!("\nERROR {error}"),
    }
}

fn start(job: &std::path::Path, name: &str, more: &[(&str, &str)]) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::party", "--nocapture"])
        .env("PRIVET_TEST_PARTY", name)
        .env("PRIVET_TEST_JOB", job)
        .envs(more.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a process said, within the time.
fn said(mut child: Child, within: Duration) -> String {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > within {
            child.kill().unwrap();
            panic!("a party hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let Output { stdout, stderr, .. } = child.wait_with_output().unwrap();
    let text = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
    assert!(!text.contains("PRIVATE KEY"), "a key stands in the log");
    let line = text.lines().find(|own| own.starts_with("RESULT") || own.starts_with("ERROR"));
    line.unwrap_or_else(|| panic!("{text}")).to_owned()
}

fn signal(child: &Child, name: &str) -> bool {
    Command::new("kill").args([name, &child.id().to_string()]).status().is_ok_and(|own| own.success())
}

#[test]
fn three_processes_get_the_same_counts_and_leave_no_secret() {
    let setting = Setting::counts(3, "connect-seconds = 30");
    let children: Vec<Child> = NAMES.iter().map(|name| start(&setting.job, name, &[])).collect();
    let results: Vec<String> =
        children.into_iter().map(|child| said(child, Duration::from_secs(60))).collect();
    assert!(results.iter().all(|own| *own == results[0]), "{results:?}");
    let result: serde_json::Value =
        serde_json::from_str(results[0].strip_prefix("RESULT ").unwrap()).unwrap();
    let counts: Vec<u64> =
        result["counts"].as_array().unwrap().iter().map(|own| own["count"].as_u64().unwrap()).collect();
    assert_eq!(counts, [6, 1, 12]);
    for name in NAMES {
        let transcript =
            std::fs::read_to_string(setting.path(&format!("{name}-result.transcript.jsonl"))).unwrap();
        assert!(verify_transcript(&transcript).unwrap() > 10);
        let mut lines: Vec<&str> = transcript.lines().collect();
        lines.remove(3);
        assert_eq!(verify_transcript(&lines.join("\n")), Err(3));
        // Values and keys stand in no transcript.
        let key = std::fs::read_to_string(setting.path(&format!("{name}.key"))).unwrap();
        assert!(!transcript.contains("Secretville") && !transcript.contains(key.lines().nth(1).unwrap()));
    }
}

#[test]
fn a_party_that_is_killed_paused_or_slow_ends_the_session() {
    let limits = "connect-seconds = 30\nsilence-seconds = 3\nstep-seconds = 4";
    for (act, reason) in
        [("kill", "closed its connection"), ("-STOP", "no sign of life"), ("", "did not finish a step")]
    {
        let setting = Setting::counts(3, limits);
        let mut slow = start(&setting.job, NAMES[0], &[("PRIVET_TEST_HANGS", "1")]);
        let others: Vec<Child> = NAMES[1..].iter().map(|name| start(&setting.job, name, &[])).collect();
        let begun = Instant::now();
        while !setting.path("hangs").exists() {
            assert!(begun.elapsed() < Duration::from_secs(30));
            std::thread::sleep(Duration::from_millis(10));
        }
        match act {
            "kill" => slow.kill().unwrap(),
            "" => {}
            signal_name => {
                if !signal(&slow, signal_name) {
                    println!("skipped: there is no `kill` to pause a process with");
                    let _ = slow.kill();
                    continue;
                }
            }
        }
        for other in others {
            let text = said(other, Duration::from_secs(25));
            assert!(
                text.starts_with("ERROR") && text.contains("north") && text.contains(reason),
                "{act}: {text}"
            );
        }
        for name in &NAMES[1..] {
            assert!(!setting.path(&format!("{name}-result")).exists(), "a result was written");
        }
        let _ = slow.kill();
        let _ = slow.wait();
    }
}

/// A party that is killed and started again takes part in the next session, and in no old one: whoever was in that one ends it.
#[test]
fn a_party_that_restarts_begins_anew() {
    let setting = Setting::counts(3, "connect-seconds = 40\nsilence-seconds = 5\nstep-seconds = 20");
    let mut first = start(&setting.job, NAMES[0], &[("PRIVET_TEST_HANGS", "1")]);
    let others: Vec<Child> = NAMES[1..].iter().map(|name| start(&setting.job, name, &[])).collect();
    let begun = Instant::now();
    while !setting.path("hangs").exists() {
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(10));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let again = start(&setting.job, NAMES[0], &[]);
    for other in others {
        let text = said(other, Duration::from_secs(25));
        assert!(text.starts_with("ERROR") && text.contains("north"), "{text}");
    }
    let rest: Vec<Child> = NAMES[1..].iter().map(|name| start(&setting.job, name, &[])).collect();
    let results: Vec<String> =
        std::iter::once(again).chain(rest).map(|child| said(child, Duration::from_secs(60))).collect();
    assert!(results[0].starts_with("RESULT") && results.iter().all(|own| *own == results[0]), "{results:?}");
}

#[test]
fn another_job_and_another_certificate_are_noticed() {
    let setting = Setting::counts(2, "connect-seconds = 20");
    let other = setting.path("other.toml");
    std::fs::write(&other, std::fs::read_to_string(&setting.job).unwrap() + "\n# changed\n").unwrap();
    let children = [start(&setting.job, NAMES[0], &[]), start(&other, NAMES[1], &[])];
    for child in children {
        let text = said(child, Duration::from_secs(30));
        assert!(text.contains("holds a different job file"), "{text}");
    }
    let setting = Setting::counts(2, "connect-seconds = 5");
    // South has lost its key and made another one, and trusts itself.
    let made = privet_parties::session::tls::make_keys(&setting.path("new")).unwrap();
    let old = setting.read().job.parties[1].certificate.clone();
    let other = setting.path("other.toml");
    let job = std::fs::read_to_string(&setting.job).unwrap();
    std::fs::write(&other, job.replace(&old, &made.fingerprint)).unwrap();
    let key = made.key.to_str().unwrap().to_owned();
    let children =
        [start(&setting.job, NAMES[0], &[]), start(&other, NAMES[1], &[("PRIVET_TEST_KEY", &key)])];
    let texts = children.map(|child| said(child, Duration::from_secs(20)));
    // Whoever notices first tells why, and is gone for the other.
    assert!(texts[0].starts_with("ERROR") && texts[0].contains("south"), "{texts:?}");
    assert!(texts[1].starts_with("ERROR") && texts[1].contains("north"), "{texts:?}");
    assert!(texts.iter().any(|own| own.contains("certificate")), "{texts:?}");
    assert!(NAMES[..2].iter().all(|name| !setting.path(&format!("{name}-result")).exists()));
}

#[test]
fn a_party_that_does_not_come_is_named() {
    let setting = Setting::counts(2, "connect-seconds = 1");
    let text = said(start(&setting.job, NAMES[0], &[]), Duration::from_secs(10));
    assert!(text.contains("south could not be reached"), "{text}");
}
