//! What a draft does with its destination.

use crate::common;

use std::fs;
use std::io::Write;
use std::path::Path;

use common::{Fixture, assert_holds};
use privet_release::{Draft, FolderError, VerifyOptions, verify};
use serde_json::json;

fn fixture() -> Fixture {
    let rows: [&[&str]; 4] = [&["20-29", "flu"], &["20-29", "cough"], &["30-39", "flu"], &["30-39", "cold"]];
    Fixture::new(&[("age", "quasi"), ("condition", "sensitive")], &rows).promise(
        json!({"criterion": "k-anonymity", "k": 2}),
        2.0,
        1,
    )
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_release_appears_whole_with_its_parents() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("a/b/release");
    let manifest = fixture().write(&folder);
    assert_eq!(entries(&folder), ["data.csv", "manifest.json", "report.html"]);
    assert_eq!(manifest.files.len(), 2);
    assert_eq!(manifest.seal.len(), 64);
    assert_eq!(entries(&home.path().join("a/b")), ["release"]);
    assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());
}

#[test]
fn the_same_release_twice_is_the_same_bytes() {
    let home = tempfile::tempdir().unwrap();
    let read = |name: &str| {
        fixture().write(&home.path().join(name));
        fs::read(home.path().join(name).join("manifest.json")).unwrap()
    };
    assert_eq!(read("one"), read("two"));
}

#[test]
fn a_dropped_draft_leaves_nothing_behind() {
    let home = tempfile::tempdir().unwrap();
    let draft = Draft::begin(&home.path().join("release"), false).unwrap();
    let mut file = draft.create("data.csv").unwrap();
    file.write_all(b"age\n").unwrap();
    assert_eq!(entries(home.path()).len(), 1);
    assert!(entries(home.path())[0].starts_with(".release.partial-"));
    drop(file);
    drop(draft);
    assert!(entries(home.path()).is_empty());
}

#[test]
fn a_release_is_replaced_only_on_request() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    fixture().write(&folder);
    let error = Draft::begin(&folder, false).unwrap_err();
    assert!(matches!(error, FolderError::Exists(_)) && error.to_string().contains("--force"), "{error}");
    let larger =
        fixture().promise(json!({"criterion": "l-diversity", "l": 2, "column": "condition"}), 2.0, 1);
    larger.write(&folder);
    assert_eq!(entries(home.path()), ["release"]);
    assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());
}

#[test]
fn what_is_not_a_release_is_never_replaced() {
    let home = tempfile::tempdir().unwrap();
    let refuse = |name: &str| {
        let error = Draft::begin(&home.path().join(name), true).unwrap_err();
        assert!(matches!(error, FolderError::NotARelease(_)), "{name}: {error}");
    };
    fs::write(home.path().join("file"), "precious").unwrap();
    refuse("file");
    fs::create_dir(home.path().join("empty")).unwrap();
    refuse("empty");
    // Web applications have a manifest.json as well.
    fs::create_dir(home.path().join("app")).unwrap();
    fs::write(home.path().join("app/manifest.json"), "{\"name\": \"an app\"}").unwrap();
    refuse("app");
    #[cfg(unix)]
    {
        fixture().write(&home.path().join("release"));
        std::os::unix::fs::symlink("release", home.path().join("link")).unwrap();
        refuse("link");
    }
    assert!(matches!(Draft::begin(Path::new("/"), true), Err(FolderError::NoName(_))));
}

#[test]
fn two_drafts_for_one_place_do_not_disturb_each_other() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    let first = Draft::begin(&folder, false).unwrap();
    let second = Draft::begin(&folder, false).unwrap();
    assert!(first.path().exists() && first.path() != second.path());
    let mut file = first.create("data.csv").unwrap();
    file.write_all(fixture().csv().as_bytes()).unwrap();
    file.finish().unwrap();
    first.commit(fixture().manifest()).unwrap();
    assert!(matches!(second.commit(fixture().manifest()), Err(FolderError::Exists(_))));
    assert_eq!(entries(home.path()), ["release"]);
    assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());
}

#[test]
fn names_are_plain_and_files_are_finished() {
    let home = tempfile::tempdir().unwrap();
    let draft = Draft::begin(&home.path().join("release"), false).unwrap();
    for name in ["", "../data.csv", "a/b", ".hidden", "manifest.json", "a\\b"] {
        assert!(matches!(draft.create(name), Err(FolderError::FileName(_))), "{name}");
    }
    let _unfinished = draft.create("data.csv").unwrap();
    assert!(matches!(draft.create("data.csv"), Err(FolderError::FileName(_))));
    assert!(matches!(draft.commit(fixture().manifest()), Err(FolderError::Unfinished(_))));
    assert!(entries(home.path()).is_empty());
}

#[test]
fn large_and_small_writes_give_the_same_file() {
    let home = tempfile::tempdir().unwrap();
    let draft = Draft::begin(&home.path().join("release"), false).unwrap();
    let bytes: Vec<u8> = (0..3_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let write = |name: &str, piece: usize| {
        let mut file = draft.create(name).unwrap();
        for piece in bytes.chunks(piece) {
            file.write_all(piece).unwrap();
        }
        file.finish().unwrap()
    };
    let (large, small) = (write("large", bytes.len()), write("small", 777));
    assert_eq!((&large.sha256, &large.blocks, large.bytes), (&small.sha256, &small.blocks, small.bytes));
    assert_eq!(large.blocks.len(), 3_000_000usize.div_ceil(65_536));
    assert_eq!(fs::read(draft.path().join("small")).unwrap(), bytes);
}

#[test]
fn a_scratch_folder_is_no_part_of_the_release_and_goes() {
    let home = tempfile::tempdir().unwrap();
    let draft = Draft::begin(&home.path().join("release"), false).unwrap();
    let scratch = draft.scratch().unwrap();
    assert_ne!(scratch.path(), draft.path());
    fs::write(scratch.path().join("codes"), "x").unwrap();
    // Another draft for the same place leaves alone what is in use.
    drop(Draft::begin(&home.path().join("release"), false).unwrap());
    assert!(scratch.path().join("codes").exists());
    drop(draft);
    assert_eq!(entries(home.path()).len(), 1);
    drop(scratch);
    assert_eq!(entries(home.path()), Vec::<String>::new());
    // What a process left that is gone is cleared away; no process has this number.
    let left = home.path().join(".release.partial-4194999-1");
    fs::create_dir(&left).unwrap();
    drop(Draft::begin(&home.path().join("release"), false).unwrap());
    assert!(!left.exists() || !Path::new("/proc/self").exists());
}
