//! The same bytes in memory and with DataFusion, over random jobs and any number of threads.

use privet_job::{Outcome, RunError};
use proptest::prelude::*;

use crate::{assert_same, job_text, left_in, people, run, write_parquet};

pub const PRIVACY: [&str; 5] = [
    "k-anonymity = 3",
    "k-anonymity = 2\nl-diversity = { l = 2, column = \"disease\" }",
    "k-anonymity = 2\nl-diversity = { l = 2, multi-attribute = true }",
    "t-closeness = { kind = \"ordered\", t = 0.4, column = \"income\" }\nl-diversity = { kind = \"entropy\", l = 1.5, column = \"disease\" }",
    "k-anonymity = 4\ndelta-disclosure = { delta = 2.5, column = \"disease\" }",
];

pub const SEARCH: [&str; 6] = [
    "algorithm = \"optimal\"\nminimal-nodes = true",
    "algorithm = \"optimal\"\nminimize = \"kullback-leibler\"",
    "algorithm = \"datafly\"",
    "algorithm = \"bottom-up\"",
    "algorithm = \"genetic\"\n[search.genetic]\nseed = 7",
    "algorithm = \"optimal\"\nminimize = \"classification\"\nclass = \"note\"",
];

fn both(count: usize, seed: u64, privacy: usize, search: usize, suppress: f64, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let per_file = 1 + count / (1 + seed as usize % 4);
    write_parquet(&base.join("people"), &people(count, seed), per_file);
    let search = SEARCH[search].replacen('\n', &format!("\nsuppress-at-most = {suppress}\n"), 1);
    let search = match search.contains("suppress") {
        true => search,
        false => format!("{search}\nsuppress-at-most = {suppress}"),
    };
    let text = job_text("people", PRIVACY[privacy], &format!("[search]\n{search}\n"));
    let settings = |kind: &str, folder: &str, threads: u64| -> Vec<String> {
        let mut all = vec![format!("engine.kind=\"{kind}\""), format!("output.folder={folder}")];
        all.push(format!("engine.threads={threads}"));
        all.extend(more.iter().map(|own| (*own).to_owned()));
        all
    };
    let run = |kind: &str, folder: &str, threads: u64| -> Result<(), RunError> {
        let settings = settings(kind, folder, threads);
        run(base, &text, &settings.iter().map(String::as_str).collect::<Vec<_>>()).map(drop)
    };
    match run("memory", "memory", 1) {
        Ok(()) => {
            for threads in [1, 3] {
                let name = format!("engine-{threads}");
                run("datafusion", &name, threads).unwrap();
                assert_same(&base.join("memory"), &base.join(&name));
            }
            assert!(left_in(base, &["memory", "people", "engine-1", "engine-3"]).is_empty());
        }
        Err(error) => {
            assert_ne!(error.outcome(), Outcome::BadInput, "{error}");
            let other = run("datafusion", "engine", 2).unwrap_err();
            assert_eq!(other.to_string(), error.to_string());
            assert!(left_in(base, &["people"]).is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn datafusion_gives_the_bytes_of_memory(
        count in 4usize..160,
        seed in any::<u64>(),
        privacy in 0..PRIVACY.len(),
        search in 0..SEARCH.len(),
        suppress in prop::sample::select(&[0.0, 0.02, 0.2][..]),
        format in prop::sample::select(&["parquet", "arrow"][..]),
        parts in prop::option::of(1usize..90),
        limit in prop::option::of(prop::sample::select(&["max-risk=0.3", "max-absolute-risk=0.5"][..])),
    ) {
        let format = format!("output.format={format}");
        let parts = parts.map(|parts| format!("output.rows-per-file={parts}"));
        let limit = limit.map(|limit| format!("adversary.{limit}"));
        let more = std::iter::once(format.as_str()).chain(parts.as_deref()).chain(limit.as_deref());
        let more: Vec<&str> = more.collect();
        both(count, seed, privacy, search, suppress, &more);
    }
}

/// More records than a batch, a window of the writer and a row group of a temporary file.
#[test]
fn many_records() {
    both(150_000, 3, 1, 0, 0.02, &[]);
    both(150_000, 4, 0, 0, 0.02, &["output.rows-per-file=70000"]);
}
