//! Kills and interrupts: the destination holds the old release or the new one, whole, and nothing else stays.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::dir::Dir;
use crate::people::{self, Random};

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

fn quietly(dir: &Dir, args: &[&str]) -> Child {
    dir.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_kill_at_any_moment_leaves_one_whole_release() {
    const KILLS: u64 = 40;
    let dir = people::dir(20_000, "k-anonymity = 5", "suppress-at-most = 0.02");
    let run = |k: &str, folder: &str| {
        let set = format!("privacy.k-anonymity={k}");
        dir.command(&["anonymize", "job.toml", "--force", "--quiet", "--output", folder, "--set", &set])
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut usual = Duration::MAX;
    for (k, folder) in [("5", "five"), ("50", "fifty"), ("5", "release")] {
        let begun = Instant::now();
        assert!(run(k, folder).wait().unwrap().success());
        usual = usual.min(begun.elapsed());
        dir.expect(0, &["verify", folder, "--quiet"]);
    }
    let whole = [dir.files("five"), dir.files("fifty")];
    assert!(whole[0] != whole[1]);

    let mut random = Random(7);
    let mut killed = 0;
    for round in 0..KILLS {
        let mut child = run(if round % 2 == 0 { "50" } else { "5" }, "release");
        // Anywhere from before the start to after the end; most of them near the end, where names change.
        let share = if round % 4 == 0 { random.below(1_000) } else { 600 + random.below(500) };
        std::thread::sleep(usual * share as u32 / 1_000);
        child.kill().unwrap();
        killed += u64::from(child.wait().unwrap().code().is_none());
        let there = dir.files("release");
        assert!(whole.contains(&there), "round {round}: the destination is no whole release");
    }
    assert!(killed > KILLS / 4, "only {killed} of {KILLS} runs were killed before their end");
    assert!(run("5", "release").wait().unwrap().success());
    assert_eq!(dir.names("."), ["fifty", "five", "job.toml", "people.csv", "release"]);
    dir.expect(0, &["verify", "release"]);
}

/// Waits until the program writes its draft, so that there is something to leave behind.
fn drafting(dir: &Dir, child: &mut Child) -> Option<ExitStatus> {
    let begun = Instant::now();
    while !dir.names(".").iter().any(|name| name.starts_with(".release.partial")) {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "no draft appears");
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    // Looking at every node of a large lattice takes long enough to be interrupted.
    let columns = ["a", "b", "c", "d", "e", "f", "g"];
    let mut random = Random(3);
    let mut text = columns.join(",") + "\n";
    for _ in 0..3_000 {
        let cells: Vec<String> = columns.iter().map(|_| random.below(64).to_string()).collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    let mut job =
        "[input]\npath = \"people.csv\"\n[privacy]\nk-anonymity = 2\n[search]\nminimal-nodes = true\n"
            .to_owned();
    for column in columns {
        job.push_str(&format!(
            "[columns.{column}]\nrole = \"quasi\"\nhierarchy = {{ intervals = [2, 4, 8, 16, 32] }}\n"
        ));
    }
    for (name, wait) in [("-INT", 0), ("-TERM", 0), ("-INT", 300)] {
        let dir = Dir::new();
        dir.write("people.csv", &text).write("job.toml", &job);
        let mut child = quietly(&dir, &["anonymize", "job.toml"]);
        let early = drafting(&dir, &mut child);
        assert_eq!(early, None, "the job ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(wait));
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name} after {wait} ms");
        assert_eq!(dir.names("."), ["job.toml", "people.csv"], "{name} after {wait} ms");
    }
}
