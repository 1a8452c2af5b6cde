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

const PEOPLE: &str =
    "edges = \"friends.csv\"\nnodes = \"people.csv\"\nid = \"id\"\nattributes = { party = \"sensitive\" }";

fn run(folder: &Path, graph: &str, rest: &str) -> Result<Report, privet::KindError> {
    run_on(folder, PEOPLE, graph, rest)
}

fn run_on(folder: &Path, input: &str, graph: &str, rest: &str) -> Result<Report, privet::KindError> {
    let text = format!(
        "kind = \"graph\"\n[input]\n{input}\n[graph]\nseed = 5\n{graph}\n{rest}\n[output]\nfolder = \"release\"\n\
         home = \"home\"\nreplace = true\n"
    );
    std::fs::write(folder.join("job.toml"), text).unwrap();
    privet::run(&JobFile::read(&folder.join("job.toml"), &[])?, &[], &Silent)
}

/// By adding alone the search for k equal neighbourhoods gives up on networks whose hubs overlap, with a reason and without a release; with
/// deleting it ends. Where all neighbourhoods occur k times, the release is made and proven either way.
#[test]
fn equal_neighbourhoods_are_published_and_by_adding_alone_some_are_refused() {
    let folder = folder();
    let adding = "method = \"k-neighbourhood\"\nk = 2\ndirection = \"adding\"";
    let error = run(folder.path(), adding, "").unwrap_err();
    assert_eq!(error.fault(), Fault::Refused);
    assert!(!folder.path().join("release").exists());
    run(folder.path(), "method = \"k-neighbourhood\"\nk = 2", "").unwrap();
    let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.checks);
    let mut edges = String::from("source,target\n");
    for group in 0..20 {
        let id = |place: usize| format!("p{}", 4 * group + place);
        edges.push_str(&format!("{},{}\n{},{}\n{},{}\n", id(0), id(1), id(1), id(2), id(2), id(0)));
        edges.push_str(&format!("{},{}\n", id(2), id(3)));
    }
    std::fs::write(folder.path().join("friends.csv"), edges).unwrap();
    let report = run(folder.path(), adding, "").unwrap();
    assert!(report.promises.iter().any(|own| own.contains("neighbourhood")), "{:?}", report.promises);
    let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.checks);
}

/// Every attack on networks.
const ATTACKS: [&str; 10] = [
    "candidates",
    "nearest-degrees",
    "attribute-classes",
    "passive",
    "propagate",
    "active",
    "attribute-inference",
    "link-inference",
    "added-edges",
    "edge-presence",
];

/// Every anonymizer is attacked by every attack that applies; those that do not apply are listed with it.
#[test]
fn every_anonymizer_is_made_proven_attacked_and_measured() {
    let folder = folder();
    let degrees: Vec<&str> = ATTACKS[..9].to_vec();
    // What deletes nothing hides no friendship, what adds nothing makes none up, and clusters publish no edge and no attribute.
    for (graph, promise, does_not_apply) in [
        ("method = \"pseudonyms\"", "80 nodes", &["link-inference", "added-edges", "edge-presence"][..]),
        ("method = \"perturbation\"\nshare = 0.1", "80 nodes", &["edge-presence"]),
        ("method = \"k-degree\"\nk = 4", "Every degree occurs at 4 nodes", &["edge-presence"]),
        (
            "method = \"k-degree\"\nk = 4\ndirection = \"adding\"\nl = 2",
            "at least 2 different values",
            &["link-inference", "edge-presence"],
        ),
        ("method = \"deletion\"\nk = 4", "Every degree occurs at 4 nodes", &["added-edges", "edge-presence"]),
        (
            "method = \"deletion\"\nk = 4\naround = \"count\"",
            "edges between the neighbours occurs at 4",
            &["added-edges", "edge-presence"],
        ),
        (
            "method = \"k-neighbourhood\"\nk = 4",
            "Every neighbourhood, with its labels and the edges between the neighbours, occurs at 4",
            &["added-edges", "edge-presence"],
        ),
        (
            "method = \"clusters\"\nk = 8\nsamples = 1",
            "Every cluster has 8 nodes",
            &["attribute-classes", "active", "attribute-inference", "edge-presence"],
        ),
        ("method = \"private-degrees\"\nepsilon = 1\nsamples = 1", "epsilon 1 for 1 edges", &degrees),
    ] {
        let report = run(folder.path(), graph, "").unwrap_or_else(|error| panic!("{graph}: {error}"));
        assert!(report.promises.iter().any(|own| own.contains(promise)), "{graph}: {:?}", report.promises);
        let not_made: Vec<&str> = report.assessment.not_made.iter().map(|own| own.id.as_str()).collect();
        assert_eq!(not_made, does_not_apply, "{graph}: {:?}", report.assessment.not_made);
        for attack in ATTACKS.into_iter().filter(|own| !does_not_apply.contains(own)) {
            let found: Vec<_> =
                report.assessment.findings.iter().filter(|own| own.attack == attack).collect();
            assert!(!found.is_empty() && found.iter().all(|own| own.control.is_some()), "{graph}: {attack}");
        }
        assert!(report.assessment.counted().next().is_some(), "{graph}: something counts");
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
        ("method = \"k-degree\"\nk = 81", Fault::BadInput),
        ("method = \"clusters\"\nk = 81", Fault::BadInput),
        ("method = \"deletion\"\nk = 81", Fault::BadInput),
        ("method = \"k-neighbourhood\"\nk = 81", Fault::BadInput),
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

/// A directed network is published by pseudonyms and attacked; every other method needs its directions dropped, which the job may ask
/// for and the summary tells.
#[test]
fn directed_networks_are_published_by_pseudonyms_or_without_directions() {
    let folder = folder();
    let directed = format!("{PEOPLE}\ndirected = true");
    let report = run_on(folder.path(), &directed, "method = \"pseudonyms\"", "").unwrap();
    let not_made: Vec<&str> = report.assessment.not_made.iter().map(|own| own.id.as_str()).collect();
    assert_eq!(not_made, ["link-inference", "added-edges", "edge-presence"]);
    assert!(report.assessment.figures.len() > 8, "{:?}", report.assessment.not_measured);
    let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.checks);
    let limit = "[adversary]\nmax-risk = 0.1";
    let refused = run_on(folder.path(), &directed, "method = \"pseudonyms\"", limit).unwrap_err();
    assert_eq!(refused.fault(), Fault::Refused);

    for method in ["k-degree\"\nk = 4", "clusters\"\nk = 8", "private-degrees\"\nepsilon = 1"] {
        let graph = format!("method = \"{method}");
        let refused = run_on(folder.path(), &directed, &graph, "").unwrap_err();
        assert_eq!(refused.fault(), Fault::BadInput, "{graph}");
        assert!(refused.to_string().contains("drop-directions"), "{refused}");
        let dropped = format!("{directed}\ndrop-directions = true");
        let report = run_on(folder.path(), &dropped, &graph, "").unwrap();
        assert!(report.summary.iter().any(|own| own.0.contains("direction")), "{:?}", report.summary);
    }
    let text = "<graphml><graph edgedefault=\"directed\"><node id=\"a\"/><node id=\"b\"/><node id=\"c\"/><node id=\"d\"/>\
                <edge source=\"a\" target=\"b\"/><edge source=\"b\" target=\"a\"/><edge source=\"c\" target=\"d\"/></graph></graphml>";
    std::fs::write(folder.path().join("friends.graphml"), text).unwrap();
    let graphml = "edges = \"friends.graphml\"\ndrop-directions = true";
    let report = run_on(folder.path(), graphml, "method = \"k-degree\"\nk = 2", "").unwrap();
    assert!(report.summary.contains(&("edges".to_owned(), "2".to_owned())), "{:?}", report.summary);
}

/// A limit is checked or the release refused: noisy degrees are attacked, and a job that makes no attack keeps no limit.
#[test]
fn a_limit_is_never_passed_without_an_attack() {
    let folder = folder();
    let limit = "[adversary]\nmax-risk = 0.05";
    let report = run(folder.path(), "method = \"private-degrees\"\nepsilon = 0.5", limit).unwrap();
    assert!(report.assessment.counted().all(|own| own.attack == "edge-presence"));
    let told = report.summary.iter().find(|own| own.0 == "privacy spent").unwrap();
    assert!(told.1.contains("charged to no ledger"), "{told:?}");
    let page = std::fs::read_to_string(folder.path().join("release/report.html")).unwrap();
    assert!(page.contains("charged to no ledger"));
    let refused = run(folder.path(), "method = \"private-degrees\"\nepsilon = 20", limit).unwrap_err();
    assert_eq!(refused.fault(), Fault::Refused);
    assert!(refused.to_string().contains("edge-presence"), "{refused}");
    let none = "[adversary]\nattacks = []\nmax-risk = 0.05";
    let refused = run(folder.path(), "method = \"clusters\"\nk = 10", none).unwrap_err();
    assert_eq!(refused.fault(), Fault::Refused);
    assert!(refused.to_string().contains("No attack that counts"), "{refused}");
}

/// In a ring nobody is told apart by structure. What is published of each node tells everybody apart, and the attack sees it.
#[test]
fn candidates_are_told_apart_by_published_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let edges: String = (0..20).map(|id| format!("p{id},p{}\n", (id + 1) % 20)).collect();
    let nodes: String = (0..20).map(|id| format!("p{id},town {id}\n")).collect();
    std::fs::write(folder.path().join("friends.csv"), format!("source,target\n{edges}")).unwrap();
    std::fs::write(folder.path().join("people.csv"), format!("id,town\n{nodes}")).unwrap();
    let input = |role: &str| {
        format!(
            "edges = \"friends.csv\"\nnodes = \"people.csv\"\nid = \"id\"\nattributes = {{ town = \"{role}\" }}"
        )
    };
    let limit = "[adversary]\nattacks = [\"candidates\"]\nmax-risk = 0.1";
    let refused = run_on(folder.path(), &input("insensitive"), "method = \"pseudonyms\"", limit).unwrap_err();
    assert!(refused.to_string().contains("what is published"), "{refused}");
    // What is sensitive is no knowledge, and what is kept back tells nothing.
    for role in ["sensitive", "quasi"] {
        let report = run_on(folder.path(), &input(role), "method = \"pseudonyms\"", limit).unwrap();
        assert!(report.assessment.findings.iter().all(|own| own.sure.hits == 0), "{role}");
    }
    std::fs::write(folder.path().join("known.toml"), "[candidates]\nknows = [\"degrees\", \"everything\"]\n")
        .unwrap();
    let knowledge = "[adversary]\nattacks = [\"candidates\"]\nmax-risk = 1\nknowledge = \"known.toml\"";
    let report = run_on(folder.path(), &input("insensitive"), "method = \"pseudonyms\"", knowledge).unwrap();
    let right = |name: &str| {
        let found = report.assessment.findings.iter().find(|own| own.variant.starts_with(name));
        found.and_then(|own| own.right).map(|own| own.hits)
    };
    assert_eq!((right("degree"), right("all degrees"), right("neighbourhood")), (Some(0), Some(20), None));
}
