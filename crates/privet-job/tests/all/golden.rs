//! Whole jobs as text: a folder with a job and its table in, the published table and the manifest out.
//!
//! Each folder under `tests/golden` holds `job.toml` and what it names, and under `expected` what must come
//! out. `PRIVET_BLESS=1 cargo test -p privet-job --test golden` writes what comes out; a person reads the
//! difference. Of the manifest, what tells nothing about the release is left out: the files and the seal
//! (they follow from the rest and from the page of the report), and how many nodes the search looked at.

use std::path::{Path, PathBuf};

use privet_data::Silent;
use privet_job::{Job, RunOptions, base_of, run};
use privet_release::{VerifyOptions, verify};

fn goldens() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

/// The files that a job leaves, by name.
fn outcome(golden: &Path) -> Vec<(String, Vec<u8>)> {
    let job_file = golden.join("job.toml");
    let mut job = Job::read(&job_file, &[]).unwrap();
    let out = tempfile::tempdir().unwrap();
    job.output.folder = out.path().join("release");
    let options = RunOptions { base: base_of(&job_file), ..RunOptions::default() };
    let summary =
        run(&job, &options, &Silent).unwrap_or_else(|error| panic!("{}: {error}", golden.display()));
    let population = golden.join("population.csv");
    let options =
        VerifyOptions { population: population.exists().then_some(&*population), ..VerifyOptions::default() };
    let verdict = verify(&summary.release, options).unwrap();
    assert!(verdict.holds(), "{}: {:?}", golden.display(), verdict.failures().collect::<Vec<_>>());

    let mut manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(summary.release.join("manifest.json")).unwrap()).unwrap();
    let fields = manifest.as_object_mut().unwrap();
    let data = fields["data"]["file"].as_str().unwrap().to_owned();
    fields.shift_remove("files");
    fields.shift_remove("seal");
    fields["search"].as_object_mut().unwrap().shift_remove("nodes_checked");
    let text = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
    vec![
        (data.clone(), std::fs::read(summary.release.join(data)).unwrap()),
        ("manifest.json".to_owned(), text.into_bytes()),
    ]
}

#[test]
fn what_comes_out_is_what_came_out_before() {
    let bless = std::env::var_os("PRIVET_BLESS").is_some();
    let goldens = goldens();
    assert!(goldens.len() >= 3);
    for golden in goldens {
        let expected = golden.join("expected");
        if bless {
            std::fs::create_dir_all(&expected).unwrap();
        }
        for (name, found) in outcome(&golden) {
            let path = expected.join(name);
            if bless {
                std::fs::write(&path, &found).unwrap();
            }
            let expected = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(
                String::from_utf8_lossy(&found),
                String::from_utf8_lossy(&expected),
                "{} is not what came out before; PRIVET_BLESS=1 accepts it",
                path.display()
            );
            assert!(found == expected, "{}", path.display());
        }
    }
}
