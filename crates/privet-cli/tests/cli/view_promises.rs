//! Views with promises of their own, and what is said of those that cannot be kept.

use super::counts::{BASE, dir};

/// A view may promise more, less or something else than the others.
#[test]
fn views_with_promises_of_their_own() {
    let dir = dir(400);
    let job = |own: [&str; 2], common: &str| {
        let section =
            |own: &str| if own.is_empty() { String::new() } else { format!("[views.privacy]\n{own}\n") };
        let common = if common.is_empty() { String::new() } else { format!("[privacy]\n{common}\n") };
        let [first, second] = own.map(section);
        let views = "[[views]]\ncolumns = [\"sex\", \"age\"]\n";
        format!("{BASE}{views}{first}[[views]]\ncolumns = [\"sex\", \"disease\"]\n{second}{common}")
    };
    let run = |own: [&str; 2], common: &str| {
        dir.write("job.toml", job(own, common));
        dir.expect(0, &["anonymize", "job.toml", "--force"]);
        let verdict = dir.expect(0, &["verify", "release"]).out;
        (dir.json("release/manifest.json"), verdict)
    };
    let promised = |manifest: &serde_json::Value, view: usize| -> Vec<String> {
        let promises = manifest["tables"][view]["promises"].as_array().unwrap().iter();
        promises.map(|own| own["requirement"]["criterion"].as_str().unwrap().to_owned()).collect()
    };
    // In place of the common one of the same model, and besides it.
    let (manifest, verdict) = run(["k-anonymity = 40", "l-diversity = 2"], "k-anonymity = 2");
    assert_eq!(promised(&manifest, 0), ["k-anonymity"]);
    assert_eq!(manifest["tables"][0]["promises"][0]["requirement"]["k"], 40);
    assert_eq!(manifest["tables"][0]["own_promises"], serde_json::json!([0]));
    assert!(manifest["tables"][0]["classes"]["smallest"].as_u64().unwrap() >= 40);
    assert_eq!(promised(&manifest, 1), ["k-anonymity", "l-diversity"]);
    assert_eq!(manifest["tables"][1]["promises"][0]["requirement"]["k"], 2);
    assert_eq!(manifest["tables"][1]["own_promises"], serde_json::json!([1]));
    assert_eq!(manifest["together"]["k"], 2, "the other view shows groups of two by itself");
    assert!(verdict.contains("view-1.csv, promise 1: k-anonymity (this view's own)"), "{verdict}");
    assert!(verdict.contains("view-2.csv, promise 2: l-diversity (this view's own)"), "{verdict}");
    let page = dir.text("release/report.html");
    assert_eq!(page.matches("a promise of this view alone").count(), 2);
    // A smaller k for one view lets its values stay finer; the other keeps the common one.
    let level = |manifest: &serde_json::Value| manifest["tables"][0]["columns"][1]["level"].as_u64().unwrap();
    let (coarse, _) = run(["", ""], "k-anonymity = 40");
    assert!(coarse["tables"][0].get("own_promises").is_none());
    let (fine, _) = run(["k-anonymity = 2", ""], "k-anonymity = 40");
    assert_eq!(fine["tables"][0]["promises"][0]["requirement"]["k"], 2);
    assert_eq!(fine["tables"][1]["promises"][0]["requirement"]["k"], 40);
    assert!(level(&fine) <= level(&coarse));
    // No common promise at all.
    let (alone, _) = run(["k-anonymity = 3", "l-diversity = 2"], "");
    assert_eq!(
        (promised(&alone, 0), promised(&alone, 1)),
        (vec!["k-anonymity".into()], vec!["l-diversity".into()])
    );

    for (own, common, told) in [
        (["k-anonymity = 3", ""], "", "`privacy` promises nothing of view 2"),
        (["", ""], "", "`privacy` promises nothing"),
        (
            ["l-diversity = 2", ""],
            "k-anonymity = 2",
            "`views.privacy` of view 1: l-diversity: it needs a sensitive column",
        ),
        (
            ["", "k-map = { k = 2, population = \"people.csv\" }"],
            "k-anonymity = 2",
            "`views.privacy.k-map` of view 2 cannot be promised of views",
        ),
        (["k-anonymty = 3", ""], "k-anonymity = 2", "`views.privacy` of view 1: k-anonymty: unknown key"),
        (["", "k-anonymity = 0"], "k-anonymity = 2", "`views.privacy` of view 2: k-anonymity: k must be"),
        (["k-anonymity = \"many\"", ""], "", "`views.privacy` of view 1: k-anonymity: "),
        (
            ["k-anonymity = 401", ""],
            "k-anonymity = 2",
            "`views.privacy` of view 1: k-anonymity: k = 401 but the table has 400 records",
        ),
        (
            ["", "l-diversity = 7"],
            "k-anonymity = 2",
            "`views.privacy` of view 2: l-diversity: l = 7 but column disease",
        ),
        (
            ["l-diversity = { l = 2, column = \"disease\" }", ""],
            "k-anonymity = 2",
            "`views.privacy` of view 1: l-diversity: its column is none of the view's",
        ),
        (
            ["", "l-diversity = { l = 2, column = \"age\" }"],
            "k-anonymity = 2",
            "`views.privacy` of view 2: l-diversity: column age is not a sensitive column",
        ),
    ] {
        dir.write("job.toml", job(own, common));
        let refused = dir.expect(2, &["anonymize", "job.toml", "--force"]).says(told);
        let is_common = told.starts_with("`privacy`");
        assert!(is_common || !refused.err.contains("[privacy]"), "{}", refused.err);
    }
    // No levels keep it: which view, and where it was promised.
    let mixed = "l-diversity = { kind = \"entropy\", l = 5.99 }";
    for (own, common, section) in [
        (["", mixed], "k-anonymity = 2".to_owned(), "Relax it in [views.privacy] of that view"),
        (["", ""], format!("k-anonymity = 2\n{mixed}"), "Relax it in [privacy]"),
    ] {
        dir.write("job.toml", job(own, &common));
        let refused =
            dir.expect(1, &["anonymize", "job.toml", "--force"]).says("view 2 cannot keep").says(section);
        assert!(!refused.err.contains("suppress-at-most"), "{}", refused.err);
    }
}
