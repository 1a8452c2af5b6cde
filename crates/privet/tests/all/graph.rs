//! Graphs through every verb: every anonymizer is made, proven, attacked and measured.

use std::path::Path;

use privet::{AttackOptions, Fault, JobFile, Plan, Report};
use privet_data::Silent;
use privet_release::VerifyOptions;

/// A ring of ten groups of eight friends with chords between them, and an attribute.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut edges = String::from("source,target\n");
    let mut nodes = String::from("id,party\n");
    for group in 0..10u32 {
        for a in 0..8u32 {
            let id = 8 * group + a;
            nodes.push_str(&format!("p{id},{}\n", ["left", "right", "none"][(id % 3) as usize]));
            for b in 0..a {
                if (a + 3 * b + group) % 3 != 0 {
                    edges.push_str(&format!("p{id},p{}\n", 8 * group + b));
                }
            }
        }
        edges.push_str(&format!("p{},p{}\n", 8 * group + group % 8, (8 * group + 11) % 80));
    }
    edges.push_str("p1,p1\np1,p0\n");
    std::fs::write(folder.path().join("friends.csv"), edges).unwrap();
    std::fs::write(folder.path().join("people.csv"), nodes).unwrap();
    folder
}

fn run(folder: &Path, graph: &str, rest: &str) -> Result<Report, privet::KindError> {
    let text = format!(
        "kind = \"graph\"\n[input]\nedges = \"friends.csv\"\nnodes = \"people.csv\"\nid = \"id\"\n\
         attributes = {{ party = \"sensitive\" }}\n[graph]\nseed = 5\n{graph}\n{rest}\n[output]\nfolder = \"release\"\n\
         home = \"home\"\nreplace = true\n"
    );
    std::fs::write(folder.join("job.toml"), text).unwrap();
    privet::run(&JobFile::read(&folder.join("job.toml"), &[])?, &[], &Silent)
}

/// The search for k equal neighbourhoods gives up on networks whose hubs overlap, with a reason and without a release; where all
/// neighbourhoods occur k times, the release is made and proven.
#[test]
fn equal_neighbourhoods_are_published_and_others_refused() {
    let folder = folder();
    let error = run(folder.path(), "method = \"k-neighbourhood\"\nk = 2", "").unwrap_err();
    assert_eq!(error.fault(), Fault::Refused);
    assert!(!folder.path().join("release").exists());
    let mut edges = String::from("source,target\n");
    for group in 0..20 {
        let id = |place: usize| format!("p{}", 4 * group + place);
        edges.push_str(&format!("{},{}\n{},{}\n{},{}\n", id(0), id(1), id(1), id(2), id(2), id(0)));
        edges.push_str(&format!("{},{}\n", id(2), id(3)));
    }
    std::fs::write(folder.path().join("friends.csv"), edges).unwrap();
    let report = run(folder.path(), "method = \"k-neighbourhood\"\nk = 2", "").unwrap();
    assert!(report.promises.iter().any(|own| own.contains("neighbourhood")), "{:?}", report.promises);
    let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.checks);
}

#[test]
fn every_anonymizer_is_made_proven_attacked_and_measured() {
    let folder = folder();
    for (graph, promise) in [
        ("method = \"pseudonyms\"", "80 nodes"),
        ("method = \"perturbation\"\nshare = 0.1", "80 nodes"),
        ("method = \"k-degree\"\nk = 4", "Every degree occurs at 4 nodes"),
        ("method = \"k-degree\"\nk = 4\ndirection = \"adding\"\nl = 2", "at least 2 different values"),
        ("method = \"deletion\"\nk = 4\naround = \"count\"", "edges between the neighbours occurs at 4"),
        ("method = \"clusters\"\nk = 8\nsamples = 1", "Every cluster has 8 nodes"),
        ("method = \"private-degrees\"\nepsilon = 1\nsamples = 1", "epsilon 1 for 1 edges"),
    ] {
        let report = run(folder.path(), graph, "").unwrap_or_else(|error| panic!("{graph}: {error}"));
        assert!(report.promises.iter().any(|own| own.contains(promise)), "{graph}: {:?}", report.promises);
        let made: Vec<&str> = report.assessment.findings.iter().map(|own| own.attack.as_str()).collect();
        let not_made = report.assessment.not_made.len();
        assert!(!made.is_empty() || graph.contains("private"), "{graph}: {made:?}");
        assert!(not_made < 9 || graph.contains("private"), "{graph}");
        assert!(!report.assessment.figures.is_empty(), "{graph}");
        let release = folder.path().join("release");
        let verdict = privet::verify(&release, VerifyOptions::default()).unwrap();
        assert!(verdict.holds(), "{graph}: {:?}", verdict.checks);
        let options = AttackOptions {
            release: release.clone(),
            knowledge: None,
            job: Some(folder.path().join("job.toml")),
            plan: Plan::default(),
            confidence: 0.9,
            seed: 1,
            report: None,
        };
        let again = privet::attack(&options, &Silent).unwrap();
        assert_eq!(again.findings.len(), report.assessment.findings.len(), "{graph}");
        let measured = privet::measure(&folder.path().join("job.toml"), &release, None, &Silent).unwrap();
        assert_eq!(measured.figures, report.assessment.figures, "{graph}");
        for name in ["edges.csv", "nodes.csv", "clusters.csv", "manifest.json"] {
            let text = std::fs::read_to_string(release.join(name)).unwrap_or_default();
            assert!(
                !text.contains("p1,") && !text.contains("\"p1\""),
                "{graph}: an id is published in {name}"
            );
        }
    }
}

/// Naive pseudonyms are broken, and the gate says so; clusters are not.
#[test]
fn the_gate_refuses_pseudonyms_and_accepts_clusters() {
    let folder = folder();
    let limit = "[adversary]\nmax-risk = 0.1";
    let refused = run(folder.path(), "method = \"pseudonyms\"", limit).unwrap_err();
    assert_eq!(refused.fault(), Fault::Refused);
    assert!(!folder.path().join("release").exists());
    run(folder.path(), "method = \"clusters\"\nk = 10", limit).unwrap();
}

#[test]
fn the_same_job_gives_the_same_bytes() {
    let bytes = || {
        let folder = folder();
        run(folder.path(), "method = \"k-degree\"\nk = 3", "").unwrap();
        let read = |name: &str| std::fs::read(folder.path().join("release").join(name)).unwrap();
        ["manifest.json", "edges.csv", "nodes.csv", "report.html"].map(read)
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn mistakes_are_told_and_nothing_is_written() {
    let folder = folder();
    for (graph, fault) in [
        ("method = \"k-degree\"", Fault::BadInput),
        ("method = \"k-degree\"\nk = 1", Fault::BadInput),
        ("method = \"k-degree\"\nk = 4\nshare = 0.5", Fault::BadInput),
        ("method = \"k-degree\"\nk = 81", Fault::Refused),
        ("method = \"k-degree\"\nk = 4\nl = 4", Fault::Refused),
        ("method = \"perturbation\"\nshare = 2", Fault::BadInput),
        ("method = \"clusters\"\nk = 8\nl = 2", Fault::BadInput),
        ("method = \"private-degrees\"\nepsilon = -1", Fault::BadInput),
        ("method = \"k-neighbourhood\"\nk = 2\nlabel = \"nothing\"", Fault::BadInput),
    ] {
        let refused = run(folder.path(), graph, "").unwrap_err();
        assert_eq!(refused.fault(), fault, "{graph}: {refused}");
        assert!(!folder.path().join("release").exists(), "{graph}");
    }
}
