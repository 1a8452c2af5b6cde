//! A kill at any moment leaves the old release or the whole new one, and nothing that stays.
#![cfg(target_os = "linux")] // Elsewhere a kill may leave the old release set aside until the next draft.

use crate::common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Fixture, assert_holds};
use privet_release::{Draft, Manifest, VerifyOptions, verify};
use serde_json::json;

const HOME: &str = "PRIVET_CRASH_TEST_HOME";

/// A release of a few hundred kilobytes whose manifest tells its number.
fn write(folder: &Path, number: u64) {
    let rows: Vec<Vec<String>> = (0..4_000)
        .map(|i| vec![format!("label {}", i % 40), format!("value {}", (i / 40 + number) % 7)])
        .collect();
    let mut fixture = Fixture::new(&[("label", "quasi"), ("value", "sensitive")], &[]);
    fixture.rows = rows;
    let fixture = fixture.promise(json!({"criterion": "k-anonymity", "k": 100}), 100.0, 1);
    let mut manifest = fixture.manifest();
    manifest.search.nodes_checked = number;
    fixture.write_as(folder, manifest);
}

fn number(folder: &Path) -> u64 {
    Manifest::parse(&std::fs::read(folder.join("manifest.json")).unwrap()).unwrap().search.nodes_checked
}

/// Not a test of its own: what the killed process does.
#[test]
fn child_that_replaces_a_release_again_and_again() {
    let Ok(home) = std::env::var(HOME) else { return };
    let folder = Path::new(&home).join("release");
    let first = number(&folder);
    for next in first + 1.. {
        write(&folder, next);
    }
}

#[test]
fn a_kill_leaves_the_old_release_or_the_whole_new_one() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    write(&folder, 0);
    let mut seed = 0x9E37_79B9_7F4A_7C15u64;
    for kill in 0..600 {
        // On a busy machine many are killed before they have done anything.
        if kill >= 60 && number(&folder) > 30 {
            break;
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::child_that_replaces_a_release_again_and_again"])
            .env(HOME, home.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        std::thread::sleep(Duration::from_micros(5_000 + seed % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());
    }
    assert!(number(&folder) > 30, "the processes were killed before they did anything: {}", number(&folder));

    drop(Draft::begin(&folder, true).unwrap());
    let left: Vec<_> =
        std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["release"], "what killed processes left is removed");
    assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());
}
