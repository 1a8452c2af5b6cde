//! Every party is a process: this test program, started again. Some are killed, paused or slow.

use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use privet_data::{Progress, Silent};
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
    if let Ok(attack) = std::env::var("PRIVET_TEST_ATTACK") {
        return crate::attacker::attack(&job, &name, &attack);
    }
    let key = std::env::var("PRIVET_TEST_KEY").ok().map(Into::into);
    let number = |name: &str| std::env::var(name).ok().and_then(|own| own.parse().ok());
    let progress = Disturbed {
        looks: AtomicU64::new(0),
        dies_at: number("PRIVET_TEST_DIES"),
        sleeps: Duration::from_millis(number("PRIVET_TEST_SLOW").unwrap_or(0)),
    };
    let replace = std::env::var("PRIVET_TEST_REPLACE").is_ok();
    let result = run(&job, &RunOptions { name, key, replace }, &NoGate, &progress);
    match result {
        Ok(summary) => println!("\nRESULT {}", summary.result),
        Err(error) => println!("\nERROR {error}"),
    }
}

/// A party that is slow at every look at whether to stop, or is gone at one of them.
struct Disturbed {
    looks: AtomicU64,
    dies_at: Option<u64>,
    sleeps: Duration,
}

impl Progress for Disturbed {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        std::thread::sleep(self.sleeps);
        if self.dies_at == Some(self.looks.fetch_add(1, Ordering::Relaxed)) {
            std::process::abort();
        }
        false
    }
}

pub fn start(job: &std::path::Path, name: &str, more: &[(&str, &str)]) -> Child {
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
pub fn said(mut child: Child, within: Duration) -> String {
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
    // Whatever is told of a fault, values of the data are not.
    assert!(!text.contains("Secretville"), "a value stands in the log");
    let line = text.lines().find(|own| own.starts_with("RESULT") || own.starts_with("ERROR"));
    line.unwrap_or("GONE").to_owned()
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
    assert_eq!(counts, [6, 12]);
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

/// A party that began anew while the others still waited for a third took the third's place, and the third was said to be unreachable.
#[test]
fn a_party_that_restarts_while_others_connect_is_one_party() {
    let setting = Setting::counts(3, "connect-seconds = 40\nsilence-seconds = 5\nstep-seconds = 30");
    let mut first = start(&setting.job, NAMES[0], &[]);
    let south = start(&setting.job, NAMES[1], &[]);
    // Long enough to be connected to each other; if it is not, the test shows less and does not fail.
    std::thread::sleep(Duration::from_millis(1500));
    first.kill().unwrap();
    first.wait().unwrap();
    let again = start(&setting.job, NAMES[0], &[]);
    std::thread::sleep(Duration::from_millis(500));
    let west = start(&setting.job, NAMES[2], &[]);
    let results = [again, south, west].map(|own| said(own, Duration::from_secs(60)));
    assert!(results[0].starts_with("RESULT") && results.iter().all(|own| *own == results[0]), "{results:?}");
}

/// The transcript of a result was replaced by that of a later session without one, and a session that never began left an empty one.
#[test]
fn the_transcript_of_a_result_stays_with_it() {
    let setting = Setting::counts(2, "connect-seconds = 1");
    let read = |name: &str| std::fs::read_to_string(setting.path(name)).unwrap();
    let missing = said(start(&setting.job, NAMES[0], &[]), Duration::from_secs(10));
    assert!(missing.starts_with("ERROR"), "{missing}");
    let failed = read("north-result.transcript.failed.jsonl");
    assert_eq!(verify_transcript(&failed), Ok(1));
    assert!(
        failed.contains("abort") && failed.contains("south") && failed.contains("unreachable"),
        "{failed}"
    );
    assert!(!setting.path("north-result.transcript.jsonl").exists());
    let text =
        std::fs::read_to_string(&setting.job).unwrap().replace("connect-seconds = 1", "connect-seconds = 9");
    std::fs::write(&setting.job, text).unwrap();
    let both = [0, 1].map(|party| start(&setting.job, NAMES[party], &[]));
    assert!(both.into_iter().all(|own| said(own, Duration::from_secs(60)).starts_with("RESULT")));
    let before = read("north-result.transcript.jsonl");
    let lost = start(&setting.job, NAMES[0], &[("PRIVET_TEST_REPLACE", "1")]);
    assert!(said(lost, Duration::from_secs(30)).starts_with("ERROR"));
    assert_eq!(read("north-result.transcript.jsonl"), before);
    assert!(setting.path("north-result/result.json").exists());
}

/// A party that is slow and goes on is waited for.
#[test]
fn a_slow_party_that_goes_on_is_no_fault() {
    let setting = Setting::counts(2, "connect-seconds = 30\nsilence-seconds = 4\nstep-seconds = 30");
    let slow = start(&setting.job, NAMES[0], &[("PRIVET_TEST_SLOW", "15")]);
    let other = start(&setting.job, NAMES[1], &[]);
    let results = [slow, other].map(|own| said(own, Duration::from_secs(120)));
    assert!(results[0].starts_with("RESULT") && results[0] == results[1], "{results:?}");
}

/// Strangers who reach the listener, with what they recorded of an earlier connection or with anything else, are no party.
#[test]
fn strangers_do_not_disturb_a_session() {
    use std::io::Write;
    let setting = Setting::counts(2, "connect-seconds = 30");
    let address = setting.read().job.parties[0].address.clone();
    let north = start(&setting.job, NAMES[0], &[]);
    let begun = Instant::now();
    let mut strangers = Vec::new();
    while strangers.len() < 4 && begun.elapsed() < Duration::from_secs(10) {
        let Ok(mut stream) = std::net::TcpStream::connect(&address) else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        // The beginning of a TLS handshake and nothing behind it, noise, a frame of this protocol, nothing at all.
        let bytes: &[u8] = [&[22, 3, 1, 2, 0, 1][..], &[0xee; 400], &[1; 24], &[]][strangers.len()];
        let _ = stream.write_all(bytes);
        strangers.push(stream);
    }
    assert_eq!(strangers.len(), 4);
    let south = start(&setting.job, NAMES[1], &[]);
    let results = [north, south].map(|own| said(own, Duration::from_secs(60)));
    assert!(results[0].starts_with("RESULT") && results[0] == results[1], "{results:?}");
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
