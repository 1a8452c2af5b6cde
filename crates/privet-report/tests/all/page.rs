//! The page as a whole: well formed, self-contained, deterministic, complete, and deaf to hostile input.

use crate::check;
use crate::samples;

use privet_report::{ColumnFacts, Facts, LabelCount, html, json};
use proptest::prelude::*;

use check::assert_well_formed;
use samples::{every_requirement, facts, finding, hostile, manifest, promise, recoded};

#[test]
fn a_page_is_well_formed_and_self_contained() {
    assert_well_formed(&html(&manifest(), &facts()));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(html(&manifest(), &facts()), html(&manifest(), &facts()));
}

#[test]
fn everything_in_the_manifest_is_told() {
    let manifest = manifest();
    let page = html(&manifest, &facts());
    for promise in &manifest.promises {
        assert!(page.contains(&promise.statement), "{}", promise.statement);
    }
    for word in manifest.metrics.keys() {
        assert!(page.contains(&format!("<code>{word}</code>")), "{word}");
    }
    for file in &manifest.files {
        assert!(page.contains(&file.name) && page.replace("<wbr>", "").contains(&file.sha256));
    }
    for column in &manifest.data.columns {
        assert!(page.contains(&column.name));
    }
    for removed in &manifest.data.removed_columns {
        assert!(page.contains(removed));
    }
    for told in ["29,512", "30,162", "650", "optimal", "240", "k ≥ 5", "k = 5", "privet verify FOLDER"] {
        assert!(page.contains(told), "{told}");
    }
    assert!(page.contains("Every published record looks like at least 4 others."));
    assert!(page.contains("privet anonymize job.toml"));
    assert!(page.contains("All 3 promises hold"));
}

#[test]
fn the_json_says_what_the_page_says() {
    let (mut manifest, mut facts) = (manifest(), facts());
    manifest.data.columns.push(recoded("as it was", 0, &[2, 1]));
    let label = LabelCount { label: "a raw value".into(), rows: 7 };
    facts.columns.push(ColumnFacts {
        name: "as it was".into(),
        labels: vec![label],
        ..ColumnFacts::default()
    });
    let told = json(&manifest, &facts);
    assert_eq!(told["promises"].as_array().unwrap().len(), manifest.promises.len());
    assert_eq!(told["verdict"]["promises"], "All 3 promises hold");
    assert_eq!(told["files"].as_array().unwrap().len(), manifest.files.len());
    assert!(told["manifest"]["seal"].is_null() && told["manifest"]["files"].is_null());
    // Of a column that was published as it was, ranks and counts.
    assert!(!told.to_string().contains("a raw value"));
    assert_eq!(told["labels"].as_array().unwrap().last().unwrap()["labels"][0]["records"], 7);
    manifest.promises[0].reached = f64::NAN;
    let told = json(&manifest, &facts);
    assert!(told["promises"][0]["reached"].is_null() && told["promises"][0]["holds"].is_null());
}

#[test]
fn a_broken_promise_is_told_at_the_top() {
    let mut manifest = manifest();
    manifest.promises[0].reached = 3.0;
    let page = html(&manifest, &facts());
    assert_well_formed(&page);
    assert!(page.contains("1 of 3 promises does not hold"));
    assert!(!page.contains("promises hold<"));
    manifest.promises.truncate(1);
    assert!(html(&manifest, &facts()).contains("The promise does not hold"));
    manifest.promises[0].reached = f64::NAN;
    assert!(html(&manifest, &facts()).contains("cannot be judged"));
}

#[test]
fn the_last_bit_breaks_no_promise() {
    let mut manifest = manifest();
    let t = match manifest.promises[2].requirement {
        privet_criteria::Requirement::TCloseness { t, .. } => t,
        _ => unreachable!(),
    };
    manifest.promises[2].reached = t + 1e-14;
    let page = html(&manifest, &facts());
    assert!(page.contains("All 3 promises hold"));
    assert!(page.contains(&format!("t = {t}")));
    manifest.promises[2].reached = t + 1e-5;
    let page = html(&manifest, &facts());
    assert!(page.contains("1 of 3 promises does not hold"));
    // Rounding must not hide it.
    assert!(!page.contains(&format!("t = {t}<")));
}

#[test]
fn what_no_promise_covers_is_said() {
    let mut manifest = manifest();
    assert!(
        html(&manifest, &facts())
            .contains("No promise limits what can be inferred about <bdi class=\"name\">ward")
    );
    manifest.promises.truncate(1);
    let page = html(&manifest, &facts());
    assert!(page.contains("inferred about <bdi class=\"name\">diagnosis</bdi> and <bdi class=\"name\">ward"));
}

#[test]
fn attacks_are_told_with_their_control() {
    let page = html(&manifest(), &facts());
    for told in [
        "Homogeneity on",
        "The adversary knows",
        "Counts as success",
        "812 of 29,512",
        "744 of 812",
        "What statistics alone would tell",
        "People by how sure the adversary is of the best guess",
        "Worst attack",
    ] {
        assert!(page.contains(told), "{told}");
    }
    let bare = html(&manifest(), &Facts { attacks: vec![], ..facts() });
    assert_well_formed(&bare);
    assert!(bare.contains("No attack was asked for") && bare.contains("[adversary]"));
    assert!(!bare.contains("Worst attack"));
}

#[test]
fn an_attack_without_truth_or_control_says_so() {
    let mut facts = facts();
    facts.attacks.truncate(1);
    facts.attacks[0].right = None;
    facts.attacks[0].control = None;
    facts.attacks[0].histogram.clear();
    let page = html(&manifest(), &facts);
    assert_well_formed(&page);
    assert!(
        page.contains("Whether the adversary is right is not told here")
            && page.contains("No control is told here")
    );
}

#[test]
fn an_unknown_attack_is_told_in_its_own_words() {
    let facts = Facts { attacks: vec![finding("moon-phase", "diagnosis", 0.1)], ..facts() };
    let page = html(&manifest(), &facts);
    assert_well_formed(&page);
    assert!(page.contains("Moon phase on"));
}

#[test]
fn absurd_attacks_render() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e300] {
        let mut attack = finding("tracker", "diagnosis", value);
        attack.exposed = privet_attack::Rate::new(0, 0);
        attack.histogram = vec![attack.histogram[1]; 10_000];
        let facts = Facts { attacks: vec![attack; 60], ..facts() };
        let page = html(&manifest(), &facts);
        assert_well_formed(&page);
        assert!(!page.contains("NaN") && page.len() < 2_000_000, "{value}: {}", page.len());
    }
}

#[test]
fn records_are_told_by_their_risk() {
    let page = html(&manifest(), &facts());
    // The smallest class has 5 records, and 697 classes have 29,512.
    assert!(page.contains("Highest risk</dt><dd>20.0\u{a0}%"));
    assert!(page.contains("Mean risk</dt><dd>2.4\u{a0}%"));
    assert!(page.contains("Records by their risk"));
}

/// The page must not speak of levels where there are none, and must explain what there is instead.
#[test]
fn the_words_fit_the_kind_of_release() {
    let mut manifest = manifest();
    assert!(html(&manifest, &facts()).contains("Hierarchy, level, label"));
    for (kind, word) in [
        ("ranges", "Range"),
        ("group-ranges", "Group"),
        ("means", "Mean, median, most frequent value of a group"),
        ("cells", "Cell replaced by *"),
        ("cut", "Labels of mixed levels"),
    ] {
        for recoding in manifest.data.columns.iter_mut().filter_map(|c| c.recoding.as_mut()) {
            recoding.level = None;
            recoding.nodes =
                Some(privet_release::manifest::Nodes { kind: kind.into(), labels: 7, groups: None });
        }
        manifest.search.lattice_nodes = None;
        let page = html(&manifest, &facts());
        assert_well_formed(&page);
        assert!(page.contains(&format!("<dt>{word}</dt>")), "{kind}");
        assert_eq!(page.contains("Hierarchy, level, label"), kind == "cut", "{kind}");
        assert!(!page.contains("lattice"), "{kind}");
    }
    manifest.kind = privet_release::manifest::Form::Bucketized;
    let page = html(&manifest, &facts());
    assert_well_formed(&page);
    assert!(page.contains("<dt>Bucket</dt>") && !page.contains("class=\"tree\""));
}

/// survey ME-17: a search that was p-safe is told of in words, with what it does not cover.
#[test]
fn a_p_safe_search_is_explained() {
    let mut manifest = manifest();
    assert!(!html(&manifest, &facts()).contains("p-safe"));
    let told = privet_release::manifest::PSafe { column: "diagnosis".into(), originals: 1_728 };
    manifest.search.p_safe = Some(told);
    let page = html(&manifest, &facts());
    assert_well_formed(&page);
    assert!(
        page.contains("<dt>Against those who know the search</dt>")
            && page.contains("<dt>p-safe, originals</dt>")
    );
    assert!(page.contains("1,728 originals") && page.contains("knows in which order"));
    manifest.search.p_safe.as_mut().unwrap().originals = 1 << 53;
    assert!(html(&manifest, &facts()).contains("or more originals"));
    assert_eq!(json(&manifest, &facts())["manifest"]["search"]["p_safe"]["column"], "diagnosis");
}

#[test]
fn the_number_of_every_model_is_explained() {
    let mut manifest = manifest();
    manifest.promises.clear();
    let none = html(&manifest, &facts()).matches("<dt>").count();
    for requirement in every_requirement("v", Some("diagnosis")) {
        manifest.promises = vec![promise(requirement.clone(), 1.0)];
        assert_eq!(html(&manifest, &facts()).matches("<dt>").count(), none + 1, "{requirement:?}");
    }
}

#[test]
fn hostile_text_stays_text() {
    for bad in [
        "\"><script>alert(1)</script>",
        "</style><img src=x onerror=alert(1)>",
        "' onload='x",
        "</title>",
        "]]>",
    ] {
        let (manifest, facts) = hostile(bad);
        let page = html(&manifest, &facts);
        assert_well_formed(&page);
        assert!(!page.contains("<script") && !page.contains("<img"), "{bad}");
        assert_eq!(page.matches("</style>").count(), 1);
        assert_eq!(
            page.matches("</title>").count(),
            html(&samples::manifest(), &samples::facts()).matches("</title>").count()
        );
    }
}

#[test]
fn odd_names_render() {
    for odd in ["", " ", "שלום עולם", "a\u{202e}txt.exe", "👩‍👩‍👧‍👦🏳️‍🌈", "\0\u{7}\u{1b}[31m", "\u{ffff}", "a\nb"]
    {
        let (manifest, facts) = hostile(odd);
        let page = html(&manifest, &facts);
        assert_well_formed(&page);
        assert!(!page.contains('\u{202e}') && !page.contains('\0') && !page.contains('\u{1b}'));
    }
    let (manifest, facts) = hostile(&"long ".repeat(20_000));
    assert_well_formed(&html(&manifest, &facts));
}

#[test]
fn labels_of_level_0_are_not_named() {
    let mut manifest = manifest();
    let secret = |n: u64| LabelCount { label: format!("secret-{n}"), rows: n };
    let facts = Facts {
        boxes: None,
        columns: manifest
            .data
            .columns
            .iter()
            .map(|c| ColumnFacts {
                name: c.name.clone(),
                labels: (1..40).map(secret).collect(),
                ..ColumnFacts::default()
            })
            .collect(),
        ..facts()
    };
    for column in &mut manifest.data.columns {
        if let Some(recoding) = &mut column.recoding {
            recoding.level = Some(0);
        }
    }
    let page = html(&manifest, &facts);
    assert_well_formed(&page);
    assert!(!page.contains("secret"));
    assert!(page.contains("unnamed") && page.contains("27\u{a0}more values"));
    if let Some(recoding) = &mut manifest.data.columns[0].recoding {
        recoding.level = Some(1);
    }
    let page = html(&manifest, &facts);
    assert!(page.contains("secret-39") && !page.contains("secret-1<"));
}

#[test]
fn evidence_and_protected_values_stay_out() {
    let mut manifest = manifest();
    manifest.promises[2].evidence.ranks = Some([("secret".to_owned(), 1)].into());
    manifest.promises[2].evidence.ancestors = Some([("secret".to_owned(), vec!["secret".to_owned()])].into());
    assert!(!html(&manifest, &facts()).contains("secret"));
    for requirement in every_requirement("secret", None) {
        manifest.promises = vec![promise(requirement, 1.0)];
        assert!(!html(&manifest, &facts()).contains("secret"));
    }
}

#[test]
fn every_model_is_described() {
    let mut manifest = manifest();
    for requirement in every_requirement("v", Some("diagnosis")) {
        for reached in [0.0, 1.0, 2.5, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            manifest.promises = vec![promise(requirement.clone(), reached)];
            let page = html(&manifest, &facts());
            assert_well_formed(&page);
            assert!(!page.contains("NaN"), "{requirement:?}");
        }
    }
}

#[test]
fn an_empty_release_renders() {
    let mut manifest = manifest();
    manifest.data.input_rows = 0;
    manifest.data.rows = 0;
    manifest.data.suppressed = 0;
    manifest.classes.count = 0;
    manifest.classes.sizes.clear();
    manifest.classes.mean = f64::NAN;
    let page = html(&manifest, &Facts::default());
    assert_well_formed(&page);
    assert!(page.contains("No record is published") && page.contains("No class is published"));
    assert!(!page.contains("promises hold<"));
    manifest.data.columns.clear();
    manifest.data.removed_columns.clear();
    manifest.promises.clear();
    manifest.metrics.clear();
    manifest.files.clear();
    let page = html(&manifest, &Facts::default());
    assert_well_formed(&page);
    assert!(page.contains("This release promises nothing"));
}

#[test]
fn a_huge_release_renders() {
    let mut manifest = manifest();
    let labels: Vec<u64> = (0..65).map(|i| 1u64 << (64 - i).min(63)).collect();
    manifest.data.columns = (0..100).map(|i| recoded(&format!("column {i}"), i % 65, &labels)).collect();
    manifest.data.input_rows = u64::MAX;
    manifest.data.rows = u64::MAX - 1;
    manifest.data.suppressed = 1;
    manifest.classes.sizes = (1..500)
        .map(|i| privet_release::manifest::SizeBin {
            from: i,
            to: u64::MAX / 500 * i,
            classes: u64::MAX / i,
            rows: u64::MAX,
        })
        .collect();
    let page = html(&manifest, &facts());
    assert_well_formed(&page);
    assert_eq!(page.matches("class=\"tree\"").count(), 100);
    assert!(page.len() < 4_000_000, "{}", page.len());
}

#[test]
fn unknown_metrics_and_odd_values_render() {
    let mut manifest = manifest();
    for (word, value) in [
        ("odd-nan", f64::NAN),
        ("odd-inf", f64::INFINITY),
        ("odd-neg", f64::NEG_INFINITY),
        ("tiny", 5e-324),
        ("huge", f64::MAX),
    ] {
        manifest.metrics.insert(word.to_owned(), value);
    }
    let page = html(&manifest, &facts());
    assert_well_formed(&page);
    assert!(
        page.contains("not defined") && page.contains("unbounded (∞)") && page.contains("unbounded (−∞)")
    );
    assert!(!page.contains("NaN") && !page.contains(">inf<"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_input_breaks_the_page(
        text in any::<String>(),
        numbers in prop::collection::vec(any::<u64>(), 8),
        value in any::<f64>(),
        level in any::<usize>(),
        height in any::<usize>(),
    ) {
        let (mut manifest, facts) = hostile(&text);
        manifest.data.input_rows = numbers[0];
        manifest.data.rows = numbers[1];
        manifest.data.suppressed = numbers[2];
        manifest.classes.count = numbers[3];
        manifest.classes.sizes[0].from = numbers[4];
        manifest.classes.sizes[0].classes = numbers[5];
        manifest.search.suppress_at_most = value;
        for metric in manifest.metrics.values_mut() {
            *metric = value;
        }
        for promise in &mut manifest.promises {
            promise.reached = value;
        }
        for recoding in manifest.data.columns.iter_mut().filter_map(|c| c.recoding.as_mut()) {
            recoding.level = Some(level);
            recoding.height = height;
            recoding.loss = value;
            recoding.labels_per_level = numbers.clone();
        }
        let page = html(&manifest, &facts);
        assert_well_formed(&page);
        prop_assert_eq!(&page, &html(&manifest, &facts));
    }
}

/// What chance decided cannot be made again, unless its seed was kept.
#[test]
fn a_draw_that_was_not_kept_is_not_promised_again() {
    let facts = facts();
    let mut manifest = manifest();
    assert!(html(&manifest, &facts).contains("gets the release again"));
    manifest.randomness =
        "the sample was drawn with a seed from the operating system, which was not kept".into();
    manifest.unrepeatable = true;
    let page = html(&manifest, &facts);
    assert!(page.contains("makes another release with the same promises"));
    assert!(page.contains("What was left to chance: The sample was drawn"));
    assert!(!page.contains("gets the release again"));
}

/// What is not promised, and class sizes, are told to programs as they are to people.
#[test]
fn the_json_tells_what_is_not_promised_and_the_bins_of_the_page() {
    let mut own = manifest();
    own.classes.min = 5;
    let told = json(&own, &facts());
    let open = told["not_promised"].as_array().unwrap();
    assert!(open.len() >= 2 && open[0].as_str().unwrap().starts_with("Which columns identify a person"));
    assert!(!told["not_promised"].to_string().contains("<bdi"));
    for bin in told["manifest"]["classes"]["sizes"].as_array().unwrap() {
        assert!(
            bin["from"].as_u64().unwrap() >= own.classes.min
                && bin["to"].as_u64().unwrap() <= own.classes.max
        );
    }
}

#[test]
fn windows_can_be_told_apart() {
    let mut known = facts();
    known.title = String::new();
    let page = html(&manifest(), &known);
    let title = page.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    assert!(
        title.starts_with("Release of 29,512 records, ") && title.ends_with("– privet report"),
        "{title}"
    );
}

/// Everything was suppressed: nothing is said of labels, levels or rare people.
#[test]
fn of_an_empty_release_nothing_is_called_published() {
    let mut own = manifest();
    own.data.suppressed = own.data.input_rows;
    own.data.rows = 0;
    let page = html(&own, &facts());
    for said in ["published as it was", "rare combinations", "Hierarchy of"] {
        assert!(!page.contains(said), "{said}");
    }
    assert!(page.contains("Every record was left out") && page.contains("nothing: no record is published"));
}

/// What holds is no reason to look safe where an attack makes sure of many.
#[test]
fn a_large_attack_is_told_beside_promises_that_hold() {
    let mut known = facts();
    known.attacks = vec![finding("definetti", "pay", 0.4036)];
    let page = html(&manifest(), &known);
    assert!(
        page.contains("class=\"verdict holds warned\"") && page.contains("40.4\u{a0}% of the people"),
        "{page}"
    );
    assert!(!page.contains("40.36"));
    assert!(
        json(&manifest(), &known)["verdict"]["warning"].as_str().unwrap().contains("40.4 % of the people")
    );
    known.attacks = vec![finding("definetti", "pay", 0.01)];
    let page = html(&manifest(), &known);
    assert!(page.contains("class=\"verdict holds\"") && !page.contains("class=\"warned\""));
}

/// Buckets do not say whose values are whose; that nobody can tell is not promised.
#[test]
fn buckets_promise_no_more_than_they_do() {
    let mut own = manifest();
    own.kind = privet_release::manifest::Form::Bucketized;
    let page = html(&own, &facts());
    assert!(
        !page.contains("nobody can tell whose") && page.contains("the release does not say whose they are")
    );
    assert!(page.contains("Worst bucket") && !page.contains("Worst class"));
    assert!(page.contains("judged by the bucket that comes closest"));
}
