//! The owner's page and its JSON: well formed, deterministic, complete, and deaf to hostile or absurd input.

use crate::check;
use crate::samples;

use privet_report::{Assessment, ColumnFacts, ColumnUtility, Facts, LabelCount, owner_html, owner_json};
use proptest::prelude::*;
use serde_json::Value;

use check::assert_well_formed;
use samples::{assessment, facts, hostile, manifest};

const BANNER: &str = "For the owner of the original only. Do not publish this page.";

#[test]
fn the_page_is_well_formed_and_says_whose_it_is() {
    let page = owner_html(&manifest(), &facts(), &assessment("age", 0.2, 3));
    assert_well_formed(&page);
    assert!(page.contains(BANNER));
    let public = privet_report::html(&manifest(), &facts());
    assert!(!public.contains(BANNER) && !public.contains("Columns before and after"));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let all = || (manifest(), facts(), assessment("age", 0.2, 5));
    let ((a, b, c), (d, e, f)) = (all(), all());
    assert_eq!(owner_html(&a, &b, &c), owner_html(&d, &e, &f));
    assert_eq!(owner_json(&a, &b, &c).to_string(), owner_json(&d, &e, &f).to_string());
}

#[test]
fn the_verdict_comes_first_and_compares_with_what_is_accepted() {
    let mut told = assessment("age", 0.2, 2);
    told.attacks[1].risk = 0.3;
    told.max_risk = Some(0.25);
    let heading = |told: &Assessment| {
        let page = owner_html(&manifest(), &facts(), told);
        let from = page.find("<h2 id=\"verdict\">").unwrap();
        page[from..from + page[from..].find("</h2>").unwrap()].to_owned()
    };
    let said = heading(&told);
    assert!(said.contains('✗') && said.contains("30.0\u{a0}% of people; accepted: 25\u{a0}%"), "{said}");
    assert_eq!(owner_json(&manifest(), &facts(), &told)["verdict"]["judgement"], "too-risky");
    told.max_risk = Some(0.3);
    assert!(heading(&told).contains('✓'));
    assert_eq!(owner_json(&manifest(), &facts(), &told)["verdict"]["judgement"], "accepted");
    // A risk just above what is accepted is not rounded to it.
    told.attacks[1].risk = 0.300_001;
    let said = heading(&told);
    assert!(said.contains('✗') && said.contains("more than 30\u{a0}% of people"), "{said}");
    told.max_risk = None;
    assert!(heading(&told).contains("accepted: no limit set"));
    let none = Facts { attacks: vec![], ..facts() };
    assert!(owner_html(&manifest(), &none, &Assessment::default()).contains("No attack was made"));
    // A broken promise is a failure whatever the attacks say.
    let mut broken = manifest();
    broken.promises[0].reached = 3.0;
    told.max_risk = Some(1.0);
    let page = owner_html(&broken, &facts(), &told);
    assert!(page.contains("class=\"verdict fails\"") && page.contains("1 of 3 promises does not hold"));
}

#[test]
fn everything_in_the_assessment_is_told() {
    let told = assessment("age", 0.2, 2);
    let page = owner_html(&manifest(), &facts(), &told);
    for part in [
        "Worst attack",
        "What single records risk",
        "Records by their risk of re-identification",
        "Total variation distance",
        "Columns that go together",
        "Trained on",
        "Median relative error",
        "Loss and risk of the candidates",
        "The most telling candidates",
        "What was not attacked",
        "What was promised, and what was reached",
        "How the identifying columns were coarsened",
        "Cramér’s V",
        "privet verify FOLDER",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("published, on the front"));
    // The manifest has no fingerprint of this page, so the page must not claim one.
    assert!(!page.contains("its own fingerprint"));
}

/// The verdict, what was not attacked and the pictures are open; everything else is folded.
#[test]
fn the_page_opens_with_what_matters() {
    let page = owner_html(&manifest(), &facts(), &assessment("age", 0.2, 2));
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
    let first_fold = at("<details>");
    assert!(
        at("id=\"verdict\"") < at("id=\"not-attacked\"") && at("id=\"not-attacked\"") < at("id=\"pictures\"")
    );
    for picture in ["risk-chart", "distribution-0", "curve-chart", "not-made-table"] {
        assert!(at("id=\"pictures\"") < first_fold && at(picture) < first_fold, "{picture}");
    }
    let (headings, folds) = (page.matches("<h2 id=").count(), page.matches("<details>").count());
    // The verdict and two sections are open.
    assert_eq!((headings - folds, page.matches("</details>").count()), (3, folds));
    assert!(at("id=\"promises-table\"") > first_fold && at("id=\"risk-table\"") > first_fold);
}

#[test]
fn nothing_measured_is_said_plainly() {
    for told in [
        Assessment::default(),
        Assessment {
            risk: Some(Default::default()),
            utility: Some(Default::default()),
            ..Assessment::default()
        },
    ] {
        let page = owner_html(&manifest(), &Facts::default(), &told);
        assert_well_formed(&page);
        for part in [
            "No attack was made",
            "Columns were not compared",
            "Nothing was learned from the release",
            "were not measured",
        ] {
            assert!(page.contains(part), "{part}");
        }
    }
}

#[test]
fn absurd_numbers_render() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e-300, 1e300] {
        let told = assessment("age", value, 4);
        let page = owner_html(&manifest(), &facts(), &told);
        assert_well_formed(&page);
        assert!(!page.contains("NaN") && !page.contains(">inf"), "{value}");
        assert_finite(&owner_json(&manifest(), &facts(), &told));
    }
}

/// Every number of a JSON tree is one that JSON can hold and a reader gets back.
fn assert_finite(value: &Value) {
    fn walk(value: &Value) {
        match value {
            Value::Number(number) => assert!(number.as_f64().is_some_and(f64::is_finite), "{number}"),
            Value::Array(all) => all.iter().for_each(walk),
            Value::Object(all) => all.values().for_each(walk),
            _ => {}
        }
    }
    walk(value);
    let back: Value = serde_json::from_str(&value.to_string()).unwrap();
    walk(&back);
}

#[test]
fn huge_assessments_are_thinned() {
    let mut told = assessment("column ", 0.2, 300);
    let one = told.candidates[1].clone();
    told.candidates = (0..10_000)
        .map(|i| {
            let mut point = one.clone();
            point.loss = f64::from(i % 100) / 100.0;
            point.risk = f64::from(i) / 10_000.0;
            point.safe = i % 3 == 0;
            point
        })
        .collect();
    if let Some(utility) = &mut told.utility {
        utility.columns[0] = ColumnUtility::of_values("many", "quasi", vec![(1e-4, 1e-4); 10_000], true);
        utility.columns[1] = ColumnUtility::of_values("more", "quasi", vec![(1e-4, 0.0); 10_000], false);
    }
    if let Some(risk) = &mut told.risk {
        risk.histogram = vec![risk.histogram[0]; 10_000];
    }
    let page = owner_html(&manifest(), &facts(), &told);
    assert_well_formed(&page);
    assert!(page.len() < 2_500_000, "{}", page.len());
    assert!(page.matches("class=\"small\"").count() <= 36);
    assert!(page.contains("the table has all 300"));
    for note in ["joins up to 313 neighbouring values", "the 9,968\u{a0}values rarest before"] {
        // To the eye and to the ear.
        assert_eq!(page.matches(note).count(), 2, "{note}");
    }
    let json = owner_json(&manifest(), &facts(), &told);
    assert_eq!(json["assessment"]["candidates"].as_array().map(Vec::len), Some(10_000));
}

#[test]
fn hostile_text_stays_text() {
    for bad in [
        "\"><script>alert(1)</script>",
        "</style><img src=x onerror=alert(1)>",
        "' onload='x",
        "a\u{202e}b\0",
        "",
    ] {
        let (manifest, facts) = hostile(bad);
        let page = owner_html(&manifest, &facts, &assessment(bad, 0.5, 3));
        assert_well_formed(&page);
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains('\u{202e}'), "{bad}");
    }
}

#[test]
fn json_tells_the_same_facts_and_names_no_value() {
    let mut manifest = manifest();
    let facts = Facts {
        columns: vec![ColumnFacts {
            name: "sex".into(),
            labels: vec![LabelCount { label: "secret".into(), rows: 9 }],
            ..ColumnFacts::default()
        }],
        ..facts()
    };
    let mut told = assessment("age", 0.25, 2);
    told.candidates[0].risk = 0.1;
    let json = owner_json(&manifest, &facts, &told);
    assert!(!json.to_string().contains("secret") && !owner_html(&manifest, &facts, &told).contains("secret"));
    assert_eq!(json["labels"][0]["labels"][0]["records"], 9);
    assert_eq!(json["promises"][0]["holds"], true);
    assert_eq!(json["verdict"]["risk"], 0.25);
    assert_eq!(json["assessment"]["candidates"][0]["front"], true);
    assert_eq!(json["manifest"]["data"]["rows"], 29_512);
    // Before 1/4, 1/4, 1/2 and after 1/4, 1/2, 0: three quarters of the differences, halved.
    assert_eq!(json["assessment"]["utility"]["columns"][0]["total_variation"], 0.375);
    manifest.data.columns[1].recoding.as_mut().unwrap().level = Some(1);
    assert!(owner_json(&manifest, &facts, &told).to_string().contains("secret"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_input_breaks_the_page(text in any::<String>(), value in any::<f64>(), many in 0usize..12) {
        let (manifest, facts) = hostile(&text);
        let told = assessment(&text, value, many);
        let page = owner_html(&manifest, &facts, &told);
        assert_well_formed(&page);
        prop_assert_eq!(&page, &owner_html(&manifest, &facts, &told));
        assert_finite(&owner_json(&manifest, &facts, &told));
    }
}

/// Why there is no curve is told by what was searched, not by what could be set.
#[test]
fn a_page_without_candidates_says_why() {
    let mut told = assessment("a", 0.2, 2);
    told.candidates = vec![];
    let mut own = manifest();
    own.search.lattice_nodes = Some(12);
    let page = owner_html(&own, &facts(), &told);
    assert!(page.contains("output.home") && !page.contains("are not drawn. The curve"), "levels");
    own.search.p_safe = Some(privet_release::manifest::PSafe { column: "a".into(), originals: 3 });
    let page = owner_html(&own, &facts(), &told);
    assert!(!page.contains("output.home") && page.contains("passed over"), "p-safe");
    own.search.p_safe = None;
    own.search.lattice_nodes = None;
    own.search.algorithm = "top-down-specialization".into();
    let page = owner_html(&own, &facts(), &told);
    assert!(!page.contains("output.home") && page.contains("<code>top-down-specialization</code>"), "cuts");
    own.kind = privet_release::manifest::Form::Bucketized;
    assert!(owner_html(&own, &facts(), &told).contains("it put records into buckets"));
}

/// Two risks that differ by far are not two opinions: buckets hide the value, not the record.
#[test]
fn buckets_do_not_hide_whose_record_it_is() {
    let said = "which buckets do not hide; they hide which of its bucket’s sensitive values";
    let told = assessment("age", 0.2, 2);
    let mut own = manifest();
    assert!(!owner_html(&own, &facts(), &told).contains(said));
    own.kind = privet_release::manifest::Form::Bucketized;
    assert!(owner_html(&own, &facts(), &told).contains(said));
}
