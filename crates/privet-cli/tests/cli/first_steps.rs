//! What a newcomer does: the demo, a first job, a release, its check; and what the program says of itself.

use std::process::Stdio;

use crate::dir::{Dir, Run};
use crate::people;

const VERBS: [&str; 5] = ["init", "anonymize", "verify", "demo", "completions"];

#[test]
fn the_demo_makes_a_verified_release() {
    let dir = Dir::new();
    dir.expect(0, &["demo", "--rows", "500", "--folder", "d"]).prints("Verified: all");
    let names = [".demo.sha256", "admissions.csv", "hierarchies", "job.toml", "owner", "release"];
    assert_eq!(dir.names("d"), names);
    assert_eq!(dir.names("d/release"), ["data.csv", "manifest.json", "report.html", "report.json"]);
    dir.expect(0, &["verify", "d/release"]).prints("Every promise holds.");
    let data = dir.text("d/release/data.csv");
    assert!(!data.contains("patient_id") && !data.contains("name") && data.contains("diagnosis"));
    // Once more over the same folder, as JSON.
    let json = dir.expect(0, &["demo", "--rows", "500", "--folder", "d", "--json"]).json();
    assert_eq!((json["verified"].as_bool(), json["summary"]["rows"].as_u64()), (Some(true), Some(500)));
    dir.expect(2, &["demo", "--rows", "0", "--folder", "e"]).says("--rows");
}

#[test]
fn the_demo_does_not_replace_what_somebody_wrote() {
    let dir = Dir::new();
    dir.write("d/job.toml", "# my own job\n");
    dir.expect(2, &["demo", "--rows", "50", "--folder", "d"]).says("job.toml");
    assert_eq!(
        (dir.names("d"), dir.text("d/job.toml").as_str()),
        (vec!["hierarchies".to_owned(), "job.toml".to_owned()], "# my own job\n")
    );
}

#[test]
fn init_then_edit_then_anonymize_then_verify() {
    let dir = Dir::new();
    dir.expect(0, &["demo", "--rows", "500", "--folder", "d", "--quiet"]);
    dir.expect(0, &["init", "d/admissions.csv", "--output", "jobs/first.toml"])
        .prints("privet anonymize jobs/first.toml");
    let job = dir.text("jobs/first.toml");
    assert!(job.contains("[columns.diagnosis]") && job.contains("../d/admissions.csv"), "{job}");
    dir.expect(2, &["init", "d/admissions.csv", "--output", "jobs/first.toml"]).says("--force");
    dir.expect(0, &["init", "d/admissions.csv", "--output", "jobs/first.toml", "--force", "--quiet"]);
    assert_eq!(dir.text("jobs/first.toml"), job);
    let edited = job.replace("folder = \"release\"", "folder = \"published\"");
    dir.write("jobs/first.toml", &edited);
    dir.expect(0, &["anonymize", "jobs/first.toml"]).prints("Check it with: privet verify jobs/");
    let folder = dir.names("jobs").into_iter().find(|name| name == "published" || name == "release").unwrap();
    dir.expect(0, &["verify", &format!("jobs/{folder}")]).prints("ok    promise 1");
}

/// The proposed job named the data as if they stood beside it, wherever they were.
#[test]
fn init_recognises_shapes_and_names_their_files_from_the_job() {
    let dir = Dir::new();
    let edges: String = (0..40).map(|own| format!("{own},{}\n", (own + 7) % 40)).collect();
    dir.write("d/edges.csv", format!("source,target\n{edges}"));
    let ratings: String =
        (0..200).map(|own| format!("{},{},{}\n", own / 5, (own * 3) % 17, 1 + own % 5)).collect();
    dir.write("d/ratings.csv", format!("user,item,rating\n{ratings}"));
    for (name, key) in [("edges", "edges"), ("ratings", "path")] {
        let data = format!("d/{name}.csv");
        dir.expect(0, &["init", &data, "--output", "jobs/first.toml", "--force"]).prints("have the shape");
        let job = dir.text("jobs/first.toml");
        assert!(job.contains(&format!("{key} = \"../d/{name}.csv\"")), "{job}");
        dir.expect(0, &["init", &data, "--output", "-"]).prints(&format!("{key} = \"d/{name}.csv\""));
        assert_eq!(dir.names("."), ["d", "jobs"]);
    }
}

#[test]
fn init_as_json_lists_every_column_with_a_reason() {
    let dir = people::dir(50, "k-anonymity = 2", "");
    let json = dir.expect(0, &["init", "people.csv", "--output", "first.toml", "--json"]).json();
    let columns = json["columns"].as_array().unwrap();
    assert_eq!(columns.len(), 7);
    assert!(columns.iter().all(|column| !column["reason"].as_str().unwrap().is_empty()));
}

#[test]
fn json_has_the_documented_keys() {
    let dir = people::dir(300, "k-anonymity = 3", "suppress-at-most = 0.1");
    let run = dir.expect(0, &["anonymize", "job.toml", "--json"]);
    assert_eq!((run.out.lines().count(), run.err.as_str()), (1, ""));
    let json = run.json();
    for key in [
        "rows",
        "suppressed",
        "loss",
        "classes",
        "min_class_size",
        "lattice_nodes",
        "nodes_checked",
        "peak_rss_bytes",
    ] {
        assert!(json[key].is_number(), "{key}: {json}");
    }
    assert!(["release", "metric"].iter().all(|key| json[key].is_string()), "{json}");
    assert_eq!((json["release"].as_str(), json["rows"].as_u64()), (Some("release"), Some(300)));
    let levels: Vec<&String> = json["levels"].as_object().unwrap().keys().collect();
    assert_eq!(levels, ["age", "zip", "sex"]);
    for part in ["read", "search", "write", "total"] {
        assert!(json["seconds"][part].as_f64().unwrap() >= 0.0, "{part}: {json}");
    }
    let verdict = dir.expect(0, &["verify", "release", "--json"]).json();
    assert_eq!(verdict["holds"].as_bool(), Some(true));
}

#[test]
fn quiet_says_nothing() {
    let dir = people::dir(100, "k-anonymity = 2", "");
    for args in [
        &["anonymize", "job.toml", "--quiet"][..],
        &["verify", "release", "-q"],
        &["init", "people.csv", "--output", "first.toml", "--quiet"],
        &["demo", "--rows", "100", "--folder", "d", "--quiet"],
    ] {
        let run = dir.expect(0, args);
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "{args:?}");
    }
}

#[test]
fn help_shows_examples_first() {
    let dir = Dir::new();
    dir.expect(0, &["--help"]).prints("Exit codes: 0 done");
    for verb in VERBS {
        for flag in ["--help", "-h"] {
            let run = dir.expect(0, &[verb, flag]);
            let (examples, usage) = (run.out.find("Examples:").unwrap(), run.out.find("Usage:").unwrap());
            assert!(examples < usage && run.out.contains(&format!("privet {verb}")), "{run:?}");
        }
        dir.expect(0, &["help", verb]);
    }
    dir.expect(0, &["--version"]).prints("privet ");
}

#[test]
fn bad_usage_exits_2() {
    let dir = people::dir(50, "k-anonymity = 2", "");
    for verb in VERBS {
        dir.expect(2, &[verb, "--no-such-flag"]).says("--no-such-flag");
    }
    dir.expect(2, &["publish"]).says("publish");
    dir.expect(2, &["anonymize"]).says("<JOB>");
    dir.expect(2, &["completions", "csh"]).says("csh");
    dir.expect(2, &["anonymize", "job.toml", "--threads", "0"]).says("--threads");
    dir.expect(2, &["anonymize", "job.toml", "--threads", "two"]).says("--threads");
    dir.expect(2, &["init", "people.csv", "--delimiter", "é"]).says("--delimiter");
    dir.expect(2, &["demo", "--rows", "many"]).says("--rows");
    assert_eq!(dir.names("."), ["job.toml", "people.csv"]);
}

#[test]
fn completions_and_the_manual_page_are_printed() {
    let dir = Dir::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        dir.expect(0, &["completions", shell]).prints("anonymize");
    }
    dir.expect(0, &["completions", "man"]).prints(".TH privet");
}

/// A reader that went away has seen enough.
#[test]
fn a_closed_pipe_is_no_error() {
    let dir = people::dir(50, "k-anonymity = 2", "");
    dir.expect(0, &["anonymize", "job.toml"]);
    for args in [
        &["--help"][..],
        &["anonymize", "--help"],
        &["completions", "man"],
        &["completions", "bash"],
        &["verify", "release"],
        &["verify", "release", "--json"],
        &["anonymize", "job.toml", "--force"],
        &["anonymize", "job.toml", "--force", "--json"],
        &["demo", "--rows", "50", "--folder", "d"],
    ] {
        let mut child = dir.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        Run::of(child.wait_with_output().unwrap(), &args.join(" ")).expect(0);
    }
}

/// Writing an error to a closed standard error used to panic.
#[test]
fn a_closed_standard_error_keeps_the_exit_code() {
    let dir = people::dir(50, "k-anonymity = 51", "");
    for args in
        [&["anonymize", "job.toml"][..], &["anonymize", "none.toml"], &["verify", "none"], &["nothing"]]
    {
        let mut child = dir.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(2), "{args:?}");
    }
}
