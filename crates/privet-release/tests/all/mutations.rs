//! A thousand releases changed after the fact: every one is caught, and no message tells a value.

use crate::common;

use std::fs;
use std::path::Path;

use common::{Fixture, assert_holds};
use privet_data::Kind;
use privet_release::manifest::{
    Alike, DependencyLink, Distorted, Microaggregation, Nodes, PSafe, Purpose, Search,
};
use privet_release::{Manifest, VerifyError, VerifyOptions, verify};
use serde_json::{Value, json};

/// A generator of numbers for tests: xorshift, seeded.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// papers FX-L3, whose promises are all reached exactly, with an insensitive column beside it.
fn release() -> Fixture {
    let classes = [
        ("1305*", "<=40 years", ["Heart disease", "Viral infection", "Cancer", "Cancer"]),
        ("1485*", ">40 years", ["Cancer", "Heart disease", "Viral infection", "Viral infection"]),
        ("1306*", "<=40 years", ["Heart disease", "Viral infection", "Cancer", "Cancer"]),
    ];
    let rows: Vec<Vec<&str>> = classes
        .iter()
        .flat_map(|(zip, age, conditions)| {
            conditions.map(|condition| vec![*zip, *age, condition, "ward seven"])
        })
        .collect();
    let columns = [("zip", "quasi"), ("age", "quasi"), ("condition", "sensitive"), ("ward", "insensitive")];
    let diversity = |kind: &str, l: f64, c: Option<f64>| json!({"criterion": "l-diversity", "kind": kind, "l": l, "c": c, "column": "condition"});
    Fixture::new(&columns, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
        .promise(json!({"criterion": "k-anonymity", "k": 4}), 4.0, 5)
        .promise(diversity("distinct", 3.0, None), 3.0, 9)
        .promise(diversity("entropy", 2.8, None), 2f64.powf(1.5), 1)
        .promise(diversity("recursive", 3.0, Some(2.5)), 2.0, 1)
        .promise(
            json!({"criterion": "t-closeness", "kind": "equal", "t": 0.2, "column": "condition"}),
            1.0 / 6.0,
            5,
        )
        .promise(json!({"criterion": "c-k-safety", "c": 0.8, "k": 1, "column": "condition"}), 0.75, 1)
        .promise(
            json!({"criterion": "three-d", "points": [{"c": 0.6}, {"l": 1, "c": 0.7}],
                   "values": {"Cancer": {"c": 0.9}}, "column": "condition"}),
            2.0 / 3.0 / 0.7,
            5,
        )
}

/// Changes the manifest in place and seals it again, as a careful forger would.
fn edit(folder: &Path, reseal: bool, change: impl FnOnce(&mut Manifest)) {
    let path = folder.join("manifest.json");
    let mut manifest = Manifest::parse(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    let json = if reseal { manifest.to_json_sealed() } else { manifest.to_json() };
    fs::write(path, json.unwrap()).unwrap();
}

/// Writes a changed table with the right hashes and seal, and with the manifest of the table that it was:
/// only a comparison of the two can tell. `true_counts` also corrects everything but the promises.
fn forge(folder: &Path, changed: &Fixture, true_counts: bool) {
    fs::remove_dir_all(folder).unwrap();
    let manifest = if true_counts { changed.manifest() } else { release().manifest() };
    changed.write_as(folder, manifest);
}

fn any_file(numbers: &mut Numbers) -> &'static str {
    ["data.csv", "report.html", "manifest.json"][numbers.below(3)]
}

const KINDS: usize = 16;

/// Changes the release in one way and says which.
fn mutate(folder: &Path, kind: usize, numbers: &mut Numbers) -> String {
    match kind {
        0 => {
            let name = any_file(numbers);
            let path = folder.join(name);
            let mut bytes = fs::read(&path).unwrap();
            let at = numbers.below(bytes.len());
            bytes[at] ^= 1 << numbers.below(8);
            fs::write(path, bytes).unwrap();
            format!("a bit of byte {at} of {name}")
        }
        1 => {
            let name = any_file(numbers);
            let path = folder.join(name);
            let bytes = fs::read(&path).unwrap();
            let length = numbers.below(bytes.len());
            fs::write(path, &bytes[..length]).unwrap();
            format!("{name} cut to {length} bytes")
        }
        2 => {
            let name = any_file(numbers);
            let path = folder.join(name);
            let mut bytes = fs::read(&path).unwrap();
            let at = numbers.below(bytes.len() + 1);
            bytes.insert(at, b" \nx,\""[numbers.below(5)]);
            fs::write(path, bytes).unwrap();
            format!("a byte added to {name} at {at}")
        }
        3 => {
            let path = folder.join("data.csv");
            let text = fs::read_to_string(&path).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            let at = numbers.below(lines.len());
            match numbers.below(3) {
                0 => {
                    lines.remove(at);
                }
                1 => lines.insert(at, lines[numbers.below(lines.len())]),
                _ => {
                    let mut other = numbers.below(lines.len());
                    while lines[other] == lines[at] {
                        other = numbers.below(lines.len());
                    }
                    lines.swap(at, other);
                }
            }
            fs::write(path, lines.join("\n") + "\n").unwrap();
            format!("line {at} deleted, doubled or moved")
        }
        4 => {
            let name = ["data.csv", "report.html", "manifest.json"][numbers.below(3)];
            fs::remove_file(folder.join(name)).unwrap();
            format!("{name} removed")
        }
        5 => {
            let name = ["notes.txt", ".hidden", "original.csv", "data.csv.bak"][numbers.below(4)];
            match numbers.below(3) {
                0 => fs::write(folder.join(name), "more").unwrap(),
                1 => fs::create_dir(folder.join(name)).unwrap(),
                _ => {
                    fs::rename(folder.join("report.html"), folder.join(name)).unwrap();
                }
            }
            format!("{name} added, made a folder, or renamed to")
        }
        #[cfg(unix)]
        6 => {
            let outside = folder.parent().unwrap().join("outside.csv");
            fs::rename(folder.join("data.csv"), &outside).unwrap();
            std::os::unix::fs::symlink(&outside, folder.join("data.csv")).unwrap();
            "the table is a link to the same bytes".to_owned()
        }
        // From here on the seal and the hashes are right.
        7 | 8 => {
            let mut changed = release();
            let row = numbers.below(12);
            let other = (row + 4) % 12;
            match numbers.below(3) {
                0 => changed.rows[row][0] = changed.rows[other][0].clone(),
                1 => changed.rows[row][1] = "any age".to_owned(),
                _ => changed.rows[row][0] = "13053".to_owned(),
            }
            forge(folder, &changed, kind == 8);
            format!("a quasi cell of record {}", row + 1)
        }
        9 => {
            let mut changed = release();
            // Every class has one value twice and two values once: give one of the latter the former's.
            let class = numbers.below(3);
            let (from, to) = [(1, 2), (0, 2), (0, 2)][class];
            changed.rows[class * 4 + from][2] = changed.rows[class * 4 + to][2].clone();
            forge(folder, &changed, true);
            format!("a sensitive cell of class {}", class + 1)
        }
        10 | 11 => {
            let mut changed = release();
            let row = numbers.below(12);
            if numbers.below(2) == 0 {
                changed.rows.remove(row);
                changed.suppressed = 1;
            } else {
                let mut alone = changed.rows[row].clone();
                alone[0] = "*".to_owned();
                changed.rows.push(alone);
            }
            forge(folder, &changed, kind == 11);
            format!("record {} removed or a lone one added", row + 1)
        }
        12 => {
            let claim = numbers.below(7);
            edit(folder, true, |manifest| {
                let stronger = &mut manifest.promises[claim];
                let mut requirement = serde_json::to_value(&stronger.requirement).unwrap();
                let (key, value) = match claim {
                    0 => ("k", json!(5 + numbers.below(9))),
                    1 => ("l", json!(4 + numbers.below(9))),
                    2 => ("l", json!(2.84 + numbers.below(9) as f64)),
                    3 => ("c", json!(2.0 / (1.0 + numbers.below(9) as f64))),
                    4 => ("t", json!(0.16 / (1.0 + numbers.below(9) as f64))),
                    5 => ("c", json!(0.75 / (1.0 + numbers.below(9) as f64))),
                    _ => ("points", json!([{"c": 0.5 / (1.0 + numbers.below(9) as f64)}])),
                };
                requirement[key] = value;
                stronger.requirement = serde_json::from_value(requirement).unwrap();
            });
            format!("promise {} made stronger than the table", claim + 1)
        }
        13 => {
            let claim = numbers.below(7);
            let number = 0.001 + numbers.below(1000) as f64 / 100.0;
            let what = numbers.below(3);
            edit(folder, true, |manifest| {
                let promise = &mut manifest.promises[claim];
                let worst = promise.worst_class.as_mut().unwrap();
                match what {
                    0 => promise.reached += number,
                    1 => worst.record += 1 + numbers.below(3) as u64,
                    _ => worst.rows += 1 + numbers.below(9) as u64,
                }
            });
            format!("what promise {} reached, part {what}", claim + 1)
        }
        14 => {
            let field = numbers.below(25);
            let by = 1 + numbers.below(9) as u64;
            edit(folder, true, |manifest| lie(manifest, field, by));
            format!("field {field} of the manifest by {by}")
        }
        _ => {
            edit(folder, false, |manifest| match numbers.below(6) {
                0 => manifest.software.push('x'),
                1 => manifest.promises[0].statement.push_str(" and more"),
                2 => manifest.search.nodes_checked += 1 + numbers.below(99) as u64,
                3 => *manifest.metrics.get_mut("loss").unwrap() /= 2.0 + numbers.below(9) as f64,
                4 => manifest.randomness = "seeded".to_owned(),
                _ => *manifest.search.lattice_nodes.get_or_insert(0) += 1 + numbers.below(99) as u64,
            });
            "the manifest, without sealing it".to_owned()
        }
    }
}

/// One false statement about the table.
fn lie(manifest: &mut Manifest, field: usize, by: u64) {
    let position = by as usize % 2;
    const RECODED: &str = "every quasi column of the fixture is recoded";
    match field {
        0 => manifest.data.rows += by,
        1 => manifest.data.input_rows += by,
        2 => manifest.data.suppressed += by,
        3 => manifest.data.columns.swap(position, 3),
        4 => manifest.data.columns[position].name.push('x'),
        5 => manifest.data.columns[position].role = "insensitive".to_owned(),
        6 => {
            *manifest.data.columns[position].recoding.as_mut().expect(RECODED).level.get_or_insert(0) +=
                1 + by as usize;
        }
        7 => {
            let recoding = manifest.data.columns[position].recoding.as_mut().expect(RECODED);
            recoding.labels_per_level[1] = 1;
        }
        8 => manifest.data.file = "../data.csv".to_owned(),
        9 => manifest.data.delimiter = Some(';'),
        10 => manifest.data.format = "parquet".to_owned(),
        11 => manifest.data.removed_columns.push("ward".to_owned()),
        12 => manifest.classes.count += by,
        13 => manifest.classes.min += by,
        14 => manifest.classes.max += by,
        15 => manifest.classes.mean += by as f64,
        16 => manifest.classes.sizes[0].classes += by,
        17 => manifest.classes.sizes.clear(),
        18 => *manifest.metrics.get_mut("discernibility").expect("the fixture has it") -= by as f64,
        19 => *manifest.metrics.get_mut("average-class-size").expect("the fixture has it") += by as f64,
        20 => manifest.files[position].bytes += by,
        21 => manifest.files[position].sha256 = "0".repeat(64),
        22 => manifest.files[position].blocks = vec!["0".repeat(16)],
        23 => {
            let alike = Alike { kind: Kind::Integer, length: None, digits: false, hides_missing: false };
            manifest.data.columns[2].alike = Some(alike);
        }
        _ => manifest.promises.clear(),
    }
}

#[test]
fn a_thousand_mutated_releases_are_all_caught_without_a_value_in_any_message() {
    let fixture = release();
    let home = tempfile::tempdir().unwrap();
    let (whole, folder) = (home.path().join("whole"), home.path().join("release"));
    fixture.write(&whole);
    let values: Vec<&String> = fixture.rows.iter().flatten().collect();
    let mut numbers = Numbers(0xC0FF_EE12_3456_789B);
    for round in 0..1_040 {
        let kind = round % KINDS;
        let _ = fs::remove_dir_all(&folder);
        let _ = fs::remove_file(home.path().join("outside.csv"));
        fs::create_dir(&folder).unwrap();
        for name in ["data.csv", "report.html", "manifest.json"] {
            fs::copy(whole.join(name), folder.join(name)).unwrap();
        }
        if round % 100 == 0 {
            assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());
        }
        let what = mutate(&folder, kind, &mut numbers);
        let details: Vec<String> = match verify(&folder, VerifyOptions::default()) {
            Ok(verdict) => {
                assert!(!verdict.holds(), "round {round}: not caught: {what}");
                verdict.checks.into_iter().flat_map(|check| [check.name, check.detail]).collect()
            }
            Err(error @ (VerifyError::NotARelease(_) | VerifyError::Manifest(_) | VerifyError::Kind)) => {
                vec![error.to_string()]
            }
            Err(error) => panic!("round {round}: {what}: {error}"),
        };
        for detail in &details {
            assert!(!values.iter().any(|value| detail.contains(*value)), "round {round}: {what}: {detail}");
        }
    }
}

#[test]
fn a_change_is_located() {
    let mut fixture = Fixture::new(&[("label", "quasi"), ("value", "sensitive")], &[]);
    fixture.rows =
        (0..20_000).map(|i| vec![format!("label {}", i % 10), format!("value {}", i / 10 % 7)]).collect();
    let fixture = fixture.promise(json!({"criterion": "k-anonymity", "k": 2000}), 2000.0, 1);
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    fixture.write(&folder);
    let path = folder.join("data.csv");
    let mut lines: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(String::from).collect();
    // Line 9,001 is record 9,000. The length stays.
    lines[9_000] = lines[9_000].replace("value", "eulav");
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let verdict = verify(&folder, VerifyOptions::default()).unwrap();
    let failure = verdict.failures().next().unwrap();
    assert_eq!(failure.name, "file data.csv");
    let places: Vec<usize> = failure
        .detail
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    assert!(places[0] <= 9_001 && 9_001 <= places[1] && places[1] - places[0] < 5_000, "{}", failure.detail);
    assert_eq!(verdict.failures().count(), 1, "k still holds");

    fs::write(&path, lines[..9_000].join("\n") + "\n").unwrap();
    let verdict = verify(&folder, VerifyOptions::default()).unwrap();
    let failure = verdict.failures().next().unwrap();
    assert!(failure.detail.contains("bytes, the manifest says"), "{}", failure.detail);
}

#[test]
fn numbers_at_their_limits_are_judged_without_a_panic() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    let fixture = release()
        .promise(json!({"criterion": "beta-likeness", "beta": 1e300, "column": "condition"}), 0.5, 5)
        .promise(json!({"criterion": "delta-disclosure", "delta": 1e300, "column": "condition"}), 0.5, 5);
    for field in 0..12 {
        fixture.write(&folder);
        edit(&folder, true, |manifest| match field {
            0 => manifest.data.suppressed = u64::MAX,
            1 => manifest.data.input_rows = u64::MAX,
            2 => manifest.data.input_rows = 0,
            3 => manifest.data.rows = u64::MAX,
            4 => manifest.files.iter_mut().for_each(|file| file.bytes = u64::MAX),
            5 => manifest.data.columns[0].recoding.as_mut().unwrap().height = usize::MAX,
            6 => manifest.data.columns[0].recoding.as_mut().unwrap().level = Some(usize::MAX),
            7 => manifest.classes.sizes[0].to = u64::MAX,
            8 => manifest.promises[1].worst_class.as_mut().unwrap().record = u64::MAX,
            9 => {
                manifest.promises[1].requirement = serde_json::from_value(json!({"criterion": "l-diversity",
                "kind": "recursive", "l": 1e300, "c": 1e300, "column": "condition"}))
                .unwrap();
            }
            10 => manifest.data.delimiter = Some('"'),
            _ => manifest.data.delimiter = Some('\n'),
        });
        let verdict = verify(&folder, VerifyOptions::default()).unwrap();
        assert!(field == 7 || !verdict.holds(), "field {field}");
    }
}

#[test]
fn what_is_not_there_cannot_be_looked_at() {
    let home = tempfile::tempdir().unwrap();
    let ask = |path: &Path| verify(path, VerifyOptions::default()).unwrap_err();
    assert!(matches!(ask(&home.path().join("nowhere")), VerifyError::NoFolder(_)));
    assert!(matches!(ask(home.path()), VerifyError::NotARelease(_)));
    let folder = home.path().join("release");
    release().write(&folder);
    let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
    assert!(text.contains("\"generalized\""));
    fs::write(folder.join("manifest.json"), text.replace("\"generalized\"", "\"sketched\"")).unwrap();
    assert!(matches!(ask(&folder), VerifyError::Kind));
    let _: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
}

/// What the search says of its own choice is held against the choice.
#[test]
fn false_statements_about_the_search_are_caught() {
    let fixture = release();
    let columns = fixture.columns.iter().filter(|column| column.1 == "quasi").count();
    let purpose = Purpose {
        purpose: "research".into(),
        requester: None,
        trust: 0.5,
        degree: 0.25,
        priorities: vec![0.5; columns],
        levels: vec![1; columns],
    };
    let verdict = |change: &dyn Fn(&mut Search)| {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("release");
        let mut manifest = fixture.manifest();
        change(&mut manifest.search);
        fixture.write_as(&folder, manifest);
        verify(&folder, VerifyOptions::default()).unwrap().holds()
    };
    assert!(verdict(&|search| search.bound = Some(0.25)));
    assert!(verdict(&|search| search.purpose = Some(purpose.clone())));
    let listed = |word: &str, nodes: Vec<Vec<usize>>| {
        let word = word.to_owned();
        move |search: &mut Search| {
            search.algorithm.clone_from(&word);
            search.minimal_nodes = Some(nodes.clone());
        }
    };
    let (own, mut other) = (vec![1; columns], vec![1; columns]);
    (other[0], other[1]) = (0, 2);
    let (low, high) = (vec![0; columns], vec![2; columns]);
    assert!(verdict(&listed("samarati", vec![own.clone(), other.clone()])));
    assert!(!verdict(&listed("incognito", vec![other.clone()])), "the published node is not listed");
    assert!(!verdict(&listed("incognito", vec![low, own])), "a node above another");
    assert!(!verdict(&listed("samarati", vec![high, other])), "heights differ");
    assert!(!verdict(&|search| search.bound = Some(0.26)), "a bound above the value");
    assert!(!verdict(&|search| search.bound = Some(f64::MAX)));
    for lie in 0..5 {
        let mut purpose = purpose.clone();
        match lie {
            0 => purpose.levels[0] = 2,
            1 => purpose.trust = 1.5,
            2 => purpose.degree = -0.1,
            3 => purpose.priorities.push(0.1),
            _ => purpose.priorities[0] = f64::MAX,
        }
        assert!(!verdict(&|search| search.purpose = Some(purpose.clone())), "lie {lie}");
    }
}

/// Labels that are said to be groups of values must be among those that are published.
#[test]
fn groups_that_are_not_published_are_caught() {
    let fixture = release();
    let column = fixture.columns.iter().position(|column| column.1 == "quasi").unwrap();
    let told = |group: &str| {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("release");
        let mut manifest = fixture.manifest();
        let recoding = manifest.data.columns[column].recoding.as_mut().unwrap();
        let labels = recoding.labels_per_level[1];
        recoding.level = None;
        recoding.nodes = Some(Nodes { kind: "cut".into(), labels, groups: Some(vec![group.into()]) });
        fixture.write_as(&folder, manifest);
        let verdict = verify(&folder, VerifyOptions::default()).unwrap();
        let failures: Vec<_> = verdict.failures().collect();
        format!("{failures:?}").contains("names a group of values that is not published")
    };
    assert!(!told(&fixture.rows[0][column]));
    assert!(told("nowhere"));
}

/// What microaggregation says of its groups fits together (thesis 2.11 to 2.13), or is caught.
#[test]
fn false_statements_about_microaggregation_are_caught() {
    let fixture = release();
    let quasi = fixture.columns.iter().filter(|column| column.1 == "quasi").map(|column| column.0.to_owned());
    let quasi: Vec<String> = quasi.collect();
    let verdict = |ratio: Option<f64>, told: Option<Microaggregation>| {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("release");
        let mut manifest = fixture.manifest();
        manifest.search.microaggregation = told;
        ratio.map(|ratio| manifest.metrics.insert("sse-sst".to_owned(), ratio));
        fixture.write_as(&folder, manifest);
        verify(&folder, VerifyOptions::default()).unwrap().holds()
    };
    let told = Microaggregation {
        method: "mdav".into(),
        sse: 3.0,
        sst: 12.0,
        key_columns: quasi.clone(),
        dependency_tree: Vec::new(),
    };
    assert!(verdict(Some(0.25), Some(told.clone())));
    // A release without a column of numbers has no `sse-sst`; and no other release has it.
    assert!(verdict(None, Some(told.clone())) && !verdict(Some(0.25), None));
    for (sse, sst, ratio) in [(-3.0, 12.0, 0.25), (13.0, 12.0, 1.0), (3.0, 12.0, 1.1), (3.0, 12.0, -0.1)] {
        assert!(!verdict(Some(ratio), Some(Microaggregation { sse, sst, ..told.clone() })), "{sse} {sst}");
    }
    // Nothing varies: nothing can be lost.
    assert!(verdict(Some(0.0), Some(Microaggregation { sse: 0.0, sst: 0.0, ..told.clone() })));
    let without_one = quasi[1..].to_vec();
    assert!(!verdict(Some(0.25), Some(Microaggregation { key_columns: without_one, ..told.clone() })));
    assert!(!verdict(Some(0.25), Some(Microaggregation { method: "magic".into(), ..told.clone() })));
    // A path through all columns in their order: those with two links, and the first if these are too few.
    let link = |a: &String, b: &String, apart: f64| DependencyLink {
        columns: [a.clone(), b.clone()],
        variation_of_information: apart,
    };
    let path: Vec<DependencyLink> = quasi.windows(2).map(|pair| link(&pair[0], &pair[1], 0.5)).collect();
    let mut degrees: Vec<usize> = vec![2; quasi.len()];
    (degrees[0], *degrees.last_mut().unwrap()) = (1, 1);
    let mut order: Vec<usize> = (0..quasi.len()).collect();
    order.sort_by_key(|&column| std::cmp::Reverse(degrees[column]));
    let enough = (1..=quasi.len())
        .find(|&n| order[..n].iter().map(|&column| degrees[column]).sum::<usize>() >= quasi.len())
        .unwrap();
    let mut keys = order[..enough].to_vec();
    keys.sort_unstable();
    let key_columns: Vec<String> = keys.into_iter().map(|column| quasi[column].clone()).collect();
    let ama = Microaggregation { method: "ama".into(), key_columns, dependency_tree: path.clone(), ..told };
    assert!(verdict(Some(0.25), Some(ama.clone())));
    let mut circle = path.clone();
    circle.push(path[0].clone());
    let mut strange = path.clone();
    strange[0].columns[0] = "somebody".into();
    let mut negative = path.clone();
    negative[0].variation_of_information = -1.0;
    for dependency_tree in [circle, strange, negative] {
        assert!(!verdict(Some(0.25), Some(Microaggregation { dependency_tree, ..ama.clone() })));
    }
    let by_all = Microaggregation { key_columns: vec![quasi[0].clone()], ..ama };
    assert!(!verdict(Some(0.25), Some(by_all)));
    assert!(
        !verdict(Some(0.25), Some(Microaggregation { dependency_tree: path, ..told })),
        "mdav has no tree"
    );
}

/// What levels say of height, precision and loss must be what the manifest says of them, however well it is sealed.
#[test]
fn metrics_that_contradict_the_levels_are_caught() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    release().write(&folder);
    // Two quasi columns at level 1 of 2, nothing suppressed.
    edit(&folder, true, |manifest| {
        manifest.metrics.insert("height".to_owned(), 2.0);
        manifest.metrics.insert("precision".to_owned(), 0.5);
    });
    assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());
    for (name, wrong) in [("height", 1.0), ("precision", 0.25), ("loss", 0.2)] {
        let forged = home.path().join(name);
        release().write(&forged);
        edit(&forged, true, |manifest| {
            manifest.metrics.insert(name.to_owned(), wrong);
        });
        let verdict = verify(&forged, VerifyOptions::default()).unwrap();
        assert!(!verdict.holds(), "{name}");
    }
}

/// survey ME-17: what a p-safe search says of itself must fit the table: three classes of four with one value twice leave 12³ originals.
#[test]
fn what_a_p_safe_search_tells_is_compared_with_the_table() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    let fixture = release();
    let with = |change: &dyn Fn(&mut Manifest)| {
        let mut manifest = fixture.manifest();
        manifest.search.p_safe = Some(PSafe { column: "condition".to_owned(), originals: 1728 });
        change(&mut manifest);
        fixture.write_as(&folder, manifest);
        verify(&folder, VerifyOptions::default()).unwrap()
    };
    assert_holds(&with(&|_| {}));
    assert_holds(&with(&|manifest| manifest.search.p_safe.as_mut().unwrap().originals = 1));
    type Change<'a> = &'a dyn Fn(&mut Manifest);
    let changes: [Change<'_>; 9] = [
        &|manifest| manifest.search.p_safe.as_mut().unwrap().originals = 1729,
        &|manifest| manifest.search.p_safe.as_mut().unwrap().originals = 0,
        &|manifest| manifest.search.p_safe.as_mut().unwrap().column = "ward".to_owned(),
        &|manifest| manifest.search.algorithm = "mondrian".to_owned(),
        &|manifest| manifest.search.bound = Some(0.0),
        &|manifest| manifest.search.nodes_checked = 0,
        &|manifest| manifest.search.nodes_checked = 82,
        &|manifest| manifest.promises.truncate(1),
        &|manifest| {
            manifest.data.distorted = Some(Distorted { column: "condition".to_owned(), records: 1 });
        },
    ];
    for (number, change) in changes.iter().enumerate() {
        let verdict = with(change);
        let failed: Vec<&str> =
            verdict.checks.iter().filter(|check| !check.ok).map(|check| check.name.as_str()).collect();
        assert_eq!(failed, ["p-safe"], "change {number}");
    }
}

/// What somebody who seals again can say, one lie at a time, and which check notices it.
#[test]
fn resealed_lies_are_caught() {
    type Change = fn(&mut Manifest);
    let lies: &[(&str, &str, Change)] = &[
        ("a sentence that claims k = 1000", "promise 1: words", |manifest| {
            manifest.promises[0].statement =
                "Every published record shares its quasi-identifiers with at least 999 others (k = 1000)."
                    .into();
        }),
        ("names in a column that is said to hold whole numbers", "columns", |manifest| {
            manifest.data.columns[3].alike =
                Some(Alike { kind: Kind::Integer, length: None, digits: false, hides_missing: false });
        }),
        ("a divergence of groups that may overlap", "metrics", |manifest| {
            manifest.metrics.insert("kullback-leibler".into(), 0.0487);
            let recoding = manifest.data.columns[0].recoding.as_mut().unwrap();
            recoding.level = None;
            recoding.nodes = Some(Nodes { kind: "group-nodes".into(), labels: 3, groups: Some(vec![]) });
        }),
        ("a divergence that no original has", "metrics", |manifest| {
            manifest.metrics.insert("kullback-leibler".into(), 1e6);
        }),
        ("a metric that there is not", "levels", |manifest| {
            manifest.metrics.insert("safety".into(), 1.0);
        }),
        ("another label", "labels", |manifest| manifest.shown.columns[0].labels[0].label.push('9')),
        ("other records of a label", "labels", |manifest| manifest.shown.columns[0].labels[0].rows += 1),
        ("labels of no column", "labels", |manifest| manifest.shown.columns.clear()),
        ("another lattice", "levels", |manifest| manifest.search.lattice_nodes = Some(10)),
        ("another level", "levels", |manifest| {
            manifest.data.columns[0].recoding.as_mut().unwrap().level = Some(0);
        }),
    ];
    let home = tempfile::tempdir().unwrap();
    for (number, (lie, check, change)) in lies.iter().enumerate() {
        let folder = home.path().join(number.to_string());
        release().write(&folder);
        edit(&folder, true, change);
        let verdict = verify(&folder, VerifyOptions::default()).unwrap();
        assert!(verdict.failures().any(|own| own.name == *check), "{lie}: {:?}", verdict.checks);
    }
}

/// Pages are compared with what the manifest makes of them; a file that is neither table nor page is refused.
#[test]
fn pages_that_do_not_follow_from_the_manifest_are_caught() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    release().write(&folder);
    let page = fs::read(folder.join("report.html")).unwrap();
    let verdict = |page: Vec<u8>| {
        let pages = move |_: &[u8]| Ok(vec![("report.html".to_owned(), page.clone())]);
        let options = VerifyOptions { pages: Some(&pages), ..VerifyOptions::default() };
        verify(&folder, options).unwrap()
    };
    let own = verdict(page.clone());
    assert_holds(&own);
    assert!(own.on_trust.iter().all(|own| own.what != "pages"));
    assert!(!verdict([page, b"k = 1000".to_vec()].concat()).holds());
    let without = verify(&folder, VerifyOptions::default()).unwrap();
    assert!(without.on_trust.iter().any(|own| own.what == "pages"), "nobody compared them");
}
