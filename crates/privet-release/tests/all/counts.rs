//! Releases of counts made by hand: what holds is said to hold, and every change is caught, by hashes or, where these
//! were forged too, by what the tables say.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use privet_release::counts::{
    CountsColumn, CountsData, CountsTable, Form, HiddenCells, Together, ViewClasses,
};
use privet_release::manifest::{Evidence, FORMAT, Promise};
use privet_release::shown::Grid;
use privet_release::{CountsManifest, Draft, Verdict, VerifyError, VerifyOptions, verify};
use serde_json::json;

/// A release as texts.
#[derive(Clone)]
struct Made {
    manifest: CountsManifest,
    files: BTreeMap<&'static str, String>,
}

impl Made {
    fn write(&self, folder: &Path) {
        let draft = Draft::begin(folder, true).unwrap();
        for (name, text) in &self.files {
            let mut file = draft.create(name).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.finish().unwrap();
        }
        draft.commit(self.manifest.clone()).unwrap();
    }

    fn verdict(&self) -> Verdict {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("release");
        self.write(&folder);
        verify(&folder, VerifyOptions::default()).unwrap()
    }

    /// With a text replaced, hashes and seal being those of the changed file.
    fn with(&self, file: &'static str, from: &str, to: &str) -> Self {
        let mut changed = self.clone();
        let text = changed.files.get_mut(file).unwrap();
        assert!(text.contains(from), "{from} is not in {file}");
        *text = text.replacen(from, to, 1);
        changed
    }

    fn claiming(&self, change: impl FnOnce(&mut CountsManifest)) -> Self {
        let mut changed = self.clone();
        change(&mut changed.manifest);
        assert_ne!(changed.manifest, self.manifest);
        changed
    }
}

fn holds(made: &Made) {
    let verdict = made.verdict();
    assert!(verdict.holds(), "{:#?}", verdict.failures().collect::<Vec<_>>());
}

/// Caught by a check of this name, with this in its sentence; and no value is told.
fn caught(made: &Made, name: &str, what: &str) {
    let verdict = made.verdict();
    let found = verdict.failures().any(|check| check.name.contains(name) && check.detail.contains(what));
    assert!(found, "{name}: {what} is not among {:#?}", verdict.failures().collect::<Vec<_>>());
    for check in &verdict.checks {
        for value in ["Russian", "Japanese", "cancer", "north"] {
            assert!(!check.detail.contains(value), "{check:?}");
        }
    }
}

fn column(name: &str, role: &str, labels: u64) -> CountsColumn {
    let level = (role == "quasi").then_some(0);
    CountsColumn {
        name: name.into(),
        role: role.into(),
        level,
        height: level.map(|_| 1),
        labels,
        labels_per_level: level.map(|_| vec![labels, 1]),
        reading: None,
        alike: None,
    }
}

fn k_anonymity(k: u64, reached: u64) -> Promise {
    let requirement = serde_json::from_value(json!({"criterion": "k-anonymity", "k": k})).unwrap();
    Promise {
        statement: privet_criteria::statement(&requirement, &[]),
        requirement,
        reached: reached as f64,
        worst_class: None,
        evidence: Evidence::default(),
    }
}

fn view(
    file: &str,
    columns: Vec<CountsColumn>,
    cells: u64,
    (count, smallest): (u64, u64),
    k: u64,
) -> CountsTable {
    CountsTable {
        file: file.into(),
        form: Form::Counts,
        columns,
        cells,
        classes: Some(ViewClasses { count, smallest }),
        promises: vec![k_anonymity(k, smallest)],
        own_promises: Vec::new(),
        suppression: None,
        changed: None,
    }
}

fn manifest(records: u64, tables: Vec<CountsTable>, together: Option<Together>) -> CountsManifest {
    CountsManifest {
        format: FORMAT,
        software: "privet test".into(),
        kind: "counts".into(),
        data: CountsData {
            missing: None,
            format: "csv".into(),
            delimiter: Some(','),
            encoding: None,
            records,
            removed_columns: vec!["name".into()],
            equality: Default::default(),
        },
        tables,
        together,
        randomness: "none".into(),
        files: vec![],
        shown: privet_release::Shown::default(),
        signer: None,
        seal: String::new(),
    }
}

fn together(k: u64, joint_cells: u64, smallest_proven: Option<u64>) -> Together {
    let by = || "closed".to_owned();
    Together { k, joint_cells, smallest_proven, determined: 0, cells_by: by(), groups_by: by() }
}

/// survey FX-1.6.
fn two_views() -> Made {
    let nationality = "gender,nationality,count\nF,American,1\nF,Japanese,1\nF,Korean,1\nF,Russian,1\nM,American,4\n\
                       M,Chinese,2\nM,Indian,1\nM,Japanese,1\n";
    let condition = "gender,condition,count\nF,cancer,1\nF,flu,1\nF,heart,1\nF,virus,1\nM,cancer,4\nM,flu,1\nM,heart,2\n\
                     M,virus,1\n";
    let gender = || column("gender", "quasi", 2);
    let tables = vec![
        view("view-1.csv", vec![gender(), column("nationality", "quasi", 6)], 8, (8, 1), 1),
        view("view-2.csv", vec![gender(), column("condition", "sensitive", 4)], 8, (2, 4), 1),
    ];
    Made {
        manifest: manifest(12, tables, Some(together(1, 32, Some(1)))),
        files: [("view-1.csv", nationality.to_owned()), ("view-2.csv", condition.to_owned())].into(),
    }
}

/// Four cells, of which one is small, and their totals.
fn hidden_square() -> Made {
    let text = "region,disease,count\nnorth,cancer,\nnorth,flu,\nnorth,Total,21\nsouth,cancer,\nsouth,flu,\nsouth,Total,45\n\
                Total,cancer,35\nTotal,flu,31\nTotal,Total,66\n";
    let table = CountsTable {
        file: "counts.csv".into(),
        form: Form::Totals,
        columns: vec![column("region", "quasi", 2), column("disease", "sensitive", 2)],
        cells: 9,
        classes: None,
        promises: vec![],
        own_promises: Vec::new(),
        suppression: Some(HiddenCells { threshold: 3, lower: 1, upper: 1, hidden: 4 }),
        changed: None,
    };
    let mut manifest = manifest(66, vec![table], None);
    let texts = |all: [&str; 3]| all.map(str::to_owned).to_vec();
    manifest.shown.grids = vec![Grid {
        table: 0,
        rows: texts(["north", "south", "Total"]),
        columns: texts(["cancer", "flu", "Total"]),
        counts: vec![None, None, Some(21), None, None, Some(45), Some(35), Some(31), Some(66)],
    }];
    Made { manifest, files: [("counts.csv", text.to_owned())].into() }
}

#[test]
fn what_holds_is_said_to_hold() {
    holds(&two_views());
    let verdict = two_views().verdict();
    let check = verdict.checks.iter().find(|check| check.name == "views together").unwrap();
    assert!(check.detail.contains("32 joint cells") && check.reached == Some(1.0), "{check:?}");
    holds(&hidden_square());
    let verdict = hidden_square().verdict();
    let check = verdict.checks.iter().find(|check| check.name.starts_with("hidden cells")).unwrap();
    assert_eq!((check.reached, check.bounded), (Some(21.0), false), "{check:?}");
}

#[test]
fn changed_views_are_caught() {
    let views = two_views();
    // A count, two counts, a line, a count that is none.
    caught(&views.with("view-1.csv", "M,American,4", "M,American,5"), "counts view-1.csv", "13 records");
    let swapped = views.with("view-1.csv", "F,Japanese,1", "F,Japanese,2").with(
        "view-1.csv",
        "M,Chinese,2",
        "M,Chinese,1",
    );
    caught(&swapped, "views agree", "count differently");
    caught(&views.with("view-1.csv", "M,Indian,1\n", ""), "counts view-1.csv", "11 records");
    caught(&views.with("view-2.csv", "M,heart,2", "M,heart,0\nM,flu,2"), "counts view-2.csv", "above 0");
    caught(&views.with("view-2.csv", "M,heart,2", "M,heart,-2"), "counts view-2.csv", "above 0");
    caught(
        &views.with("view-2.csv", "M,cancer,4", "M,cancer,18446744073709551615"),
        "counts view-2.csv",
        "more records",
    );
    caught(
        &views.with("view-2.csv", "M,heart,2", "M,heart,1\nM,heart,1"),
        "counts view-2.csv",
        "several places",
    );
    caught(&views.with("view-2.csv", "condition", "illness"), "table view-2.csv", "other columns");
    let merged = views.with("view-1.csv", "F,Korean,1\nF,Russian,1", "F,Korean,2");
    caught(&merged, "counts view-1.csv", "7 different combinations");
    caught(&merged, "classes view-1.csv", "7 classes");
    caught(&merged, "views together", "joint cells");
}

#[test]
fn false_claims_about_views_are_caught() {
    let views = two_views();
    let claims = |change: fn(&mut CountsManifest)| views.claiming(change);
    let with_k = claims(|m| {
        m.together.as_mut().unwrap().k = 2;
    });
    caught(&with_k, "views together", "6 groups of fewer than 2 records");
    let broken = claims(|m| {
        m.tables[1].promises = vec![k_anonymity(5, 4)];
        m.tables[1].own_promises = vec![0];
    });
    caught(&broken, "promise 1: k-anonymity", "broken");
    // What all views promise, all together must keep.
    let more = claims(|m| {
        for table in &mut m.tables {
            table.promises = vec![k_anonymity(2, 4)];
        }
    });
    caught(&more, "views together", "2 records are promised");
    caught(&claims(|m| m.tables[1].promises[0].reached = 5.0), "promise 1", "the table shows 4");
    caught(&claims(|m| m.tables[0].promises.clear()), "tables", "promises something");
    caught(&claims(|m| m.tables[0].cells = 9), "counts view-1.csv", "the manifest says 9");
    caught(&claims(|m| m.tables[0].columns[1].labels = 5), "counts view-1.csv", "6 different labels");
    caught(&claims(|m| m.tables[0].columns[0].level = Some(2)), "tables", "level");
    caught(&claims(|m| m.tables[0].columns[0].level = Some(1)), "tables", "another role or level");
    caught(
        &claims(|m| m.tables[0].classes = Some(ViewClasses { count: 8, smallest: 2 })),
        "classes view-1.csv",
        "says 2",
    );
    caught(&claims(|m| m.together.as_mut().unwrap().joint_cells = 31), "views together", "32 joint cells");
    caught(
        &claims(|m| m.together.as_mut().unwrap().smallest_proven = None),
        "views together",
        "smallest group",
    );
    caught(
        &claims(|m| m.together.as_mut().unwrap().cells_by = "magic".into()),
        "views together",
        "another way",
    );
    caught(&claims(|m| m.together = None), "tables", "told together");
    caught(&claims(|m| m.data.records = 11), "counts view-1.csv", "the manifest says 11");
    caught(&claims(|m| m.data.removed_columns.push("gender".into())), "tables", "removed");
    caught(&claims(|m| m.tables.clear()), "tables", "no table");
    caught(&claims(|m| m.tables[1].file = "view-1.csv".into()), "tables", "another table");
    caught(&claims(|m| m.tables[1].file = "../view-2.csv".into()), "table ../view-2.csv", "cannot stand");
}

/// A view may promise something else than all views do, if it says so.
#[test]
fn promises_of_single_views_are_told_apart() {
    let views = two_views();
    let own = views.claiming(|m| {
        m.tables[1].promises = vec![k_anonymity(4, 4)];
        m.tables[1].own_promises = vec![0];
        let together = m.together.as_mut().unwrap();
        together.k = 4;
    });
    let verdict = own.verdict();
    assert!(verdict.checks.iter().any(|check| check.ok && check.name.ends_with("(this view's own)")));
    // The promise of the one view is kept; all together prove groups of fewer than its k.
    let failing: Vec<&str> = verdict.failures().map(|check| check.name.as_str()).collect();
    assert_eq!(failing, ["views together"]);
    // The other view shows groups of one by itself, so that no more is asked of all.
    holds(&own.claiming(|m| m.together.as_mut().unwrap().k = 1));
    // As a promise of all views it is missing in the other one, and the other's in it.
    let common = own.claiming(|m| m.tables[1].own_promises.clear());
    caught(&common, "tables", "table 1: it lacks a promise that is made of all views");
    caught(&common, "tables", "table 2: it lacks a promise that is made of all views");
    for wrong in [vec![1], vec![0, 0], vec![0, 7]] {
        let mut made = own.clone();
        made.manifest.tables[1].own_promises = wrong;
        caught(&made, "tables", "promises that it does not make");
    }
    // A promise of its own besides that of all does no harm.
    let both = views.claiming(|m| {
        m.tables[0].promises.push(k_anonymity(1, 1));
        m.tables[0].own_promises = vec![1];
    });
    holds(&both);
}

/// Two views, each diverse, that leave one value for a combination; three that prove a small group.
#[test]
fn what_views_tell_together_is_found() {
    let pairs = |name: &str, cells: [u64; 6]| {
        let keys = [("0", "x"), ("0", "y"), ("0", "z"), ("1", "x"), ("1", "y"), ("1", "z")];
        let lines = keys.iter().zip(cells).filter(|(_, count)| *count > 0);
        lines.fold(format!("{name},s,count\n"), |text, ((a, s), count)| text + &format!("{a},{s},{count}\n"))
    };
    // a 0: x y; b 0: y z; so a 0 b 0 is y.
    let tables = vec![
        view("view-1.csv", vec![column("a", "quasi", 2), column("s", "sensitive", 3)], 5, (2, 3), 1),
        view("view-2.csv", vec![column("b", "quasi", 2), column("s", "sensitive", 3)], 4, (2, 3), 1),
    ];
    let made = Made {
        manifest: manifest(6, tables, Some(together(1, 7, None))),
        files: [
            ("view-1.csv", pairs("a", [1, 2, 0, 1, 1, 1])),
            ("view-2.csv", pairs("b", [0, 2, 1, 2, 1, 0])),
        ]
        .into(),
    };
    caught(&made, "views together", "one sensitive value alone is possible");

    let three = |x: &str, y: &str| format!("{x},{y},count\n0,0,4\n0,1,3\n1,0,3\n");
    let columns = |x: &str, y: &str| vec![column(x, "quasi", 2), column(y, "quasi", 2)];
    let tables = vec![
        view("view-1.csv", columns("a", "b"), 3, (3, 3), 3),
        view("view-2.csv", columns("b", "c"), 3, (3, 3), 3),
        view("view-3.csv", columns("a", "c"), 3, (3, 3), 3),
    ];
    let made = Made {
        manifest: manifest(10, tables, Some(together(3, 4, Some(1)))),
        files: [
            ("view-1.csv", three("a", "b")),
            ("view-2.csv", three("b", "c")),
            ("view-3.csv", three("a", "c")),
        ]
        .into(),
    };
    caught(
        &made,
        "views together",
        "1 groups of fewer than 3 records with the same quasi values are proven to exist",
    );
}

#[test]
fn changed_tables_with_totals_are_caught() {
    let square = hidden_square();
    // Filled in, the others follow; and a small count is published.
    let filled = |count: &str| {
        square
            .with("counts.csv", "north,cancer,\n", &format!("north,cancer,{count}\n"))
            .claiming(|m| m.tables[0].suppression.as_mut().unwrap().hidden = 3)
    };
    caught(&filled("20"), "hidden cells", "follows from those published");
    caught(&filled("1"), "small counts", "1 counts below 3 are published, the first in line 2");
    caught(&filled("22"), "totals", "do not fit");
    caught(&filled("x"), "counts counts.csv", "neither a whole number");
    caught(&square.with("counts.csv", "north,cancer,\n", "north,cancer,20\n"), "counts counts.csv", "4");
    caught(&square.with("counts.csv", "north,Total,21", "north,Total,22"), "totals", "do not fit");
    let swapped = square.with("counts.csv", "north,Total,21", "north,Total,35").with(
        "counts.csv",
        "Total,cancer,35",
        "Total,cancer,21",
    );
    caught(&swapped, "totals", "do not fit");
    caught(&square.with("counts.csv", "south,flu,\n", ""), "counts counts.csv", "once");
    caught(&square.with("counts.csv", "south,flu,\n", "north,flu,\n"), "counts counts.csv", "twice");
    caught(&square.with("counts.csv", "Total,Total,66", "Total,Total,"), "counts counts.csv", "grand total");
    caught(&square.with("counts.csv", "\nTotal,Total,66", "\nAll,All,66"), "counts counts.csv", "once");
    let hiding_more = square.with("counts.csv", "north,Total,21", "north,Total,");
    caught(&hiding_more, "counts counts.csv", "5 are hidden");
}

#[test]
fn false_claims_about_tables_with_totals_are_caught() {
    let square = hidden_square();
    let claims =
        |change: fn(&mut HiddenCells)| square.claiming(|m| change(m.tables[0].suppression.as_mut().unwrap()));
    caught(&claims(|hidden| hidden.upper = 30), "hidden cells", "no hidden count can be a small one");
    caught(&claims(|hidden| hidden.threshold = 22), "small counts", "published");
    caught(&claims(|hidden| hidden.hidden = 3), "counts counts.csv", "4 are hidden");
    caught(&claims(|hidden| hidden.threshold = 1), "tables", "threshold");
    caught(&claims(|hidden| hidden.lower = 0), "tables", "protection");
    caught(&square.claiming(|m| m.data.records = 67), "counts counts.csv", "grand total");
    caught(&square.claiming(|m| m.tables[0].cells = 8), "counts counts.csv", "9 cells");
    // Certainly small: rows 2 2 with columns 2 2 leave 0 to 2 in every cell.
    let small = Made {
        files: [(
            "counts.csv",
            "region,disease,count\nnorth,cancer,\nnorth,flu,\nnorth,Total,4\nsouth,cancer,\nsouth,flu,\nsouth,Total,4\n\
             Total,cancer,7\nTotal,flu,1\nTotal,Total,8\n"
                .to_owned(),
        )]
        .into(),
        ..square.claiming(|m| m.data.records = 8)
    };
    caught(&small, "small counts", "1 counts below 3");
    let known = Made {
        files: [(
            "counts.csv",
            "region,disease,count\nnorth,cancer,\nnorth,flu,\nnorth,Total,5\nsouth,cancer,\nsouth,flu,\nsouth,Total,4\n\
             Total,cancer,5\nTotal,flu,4\nTotal,Total,9\n"
                .to_owned(),
        )]
        .into(),
        ..square.claiming(|m| {
            m.data.records = 9;
            m.shown.grids[0].counts =
                vec![None, None, Some(5), None, None, Some(4), Some(5), Some(4), Some(9)];
        })
    };
    // 1 to 5, 0 to 4, 0 to 4, 0 to 4: the first is not 0, and may be 3.
    holds(&known);
    let stricter = known.claiming(|m| {
        *m.tables[0].suppression.as_mut().unwrap() =
            HiddenCells { threshold: 4, lower: 1, upper: 4, hidden: 4 }
    });
    caught(&stricter, "hidden cells", "no hidden count can be a small one");
}

/// Tables that share columns, and tables beside views, are refused whatever they hold.
#[test]
fn what_cannot_stand_together_is_refused() {
    let square = hidden_square();
    let mut twice = square.claiming(|m| {
        let mut other = m.tables[0].clone();
        other.file = "counts-2.csv".into();
        m.tables.push(other);
    });
    let text = twice.files["counts.csv"].clone();
    twice.files.insert("counts-2.csv", text);
    caught(&twice, "tables", "shares a column");
    let mut mixed = two_views().claiming(|m| m.tables.extend(hidden_square().manifest.tables));
    mixed.files.extend(square.files);
    caught(&mixed, "tables", "views and tables with totals");
}

#[test]
fn every_changed_byte_is_caught() {
    for made in [two_views(), hidden_square()] {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("release");
        made.write(&folder);
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            for at in (0..bytes.len()).step_by(7) {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                fs::write(&path, &changed).unwrap();
                match verify(&folder, VerifyOptions::default()) {
                    Ok(verdict) => assert!(!verdict.holds(), "byte {at} of {}", path.display()),
                    Err(VerifyError::Manifest(_) | VerifyError::Kind) => {}
                    Err(error) => panic!("byte {at} of {}: {error}", path.display()),
                }
            }
            fs::write(&path, &bytes).unwrap();
        }
        assert!(verify(&folder, VerifyOptions::default()).unwrap().holds());
    }
}

#[test]
fn a_release_of_counts_is_replaced_by_another() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    two_views().write(&folder);
    assert!(Draft::begin(&folder, false).is_err());
    hidden_square().write(&folder);
    assert!(!folder.join("view-1.csv").exists());
    // Even when its manifest is of another version.
    let path = folder.join("manifest.json");
    let text = fs::read_to_string(&path).unwrap().replacen("\"format\": 1", "\"format\": 9, \"more\": 1", 1);
    fs::write(&path, text).unwrap();
    assert!(matches!(verify(&folder, VerifyOptions::default()), Err(VerifyError::Manifest(_))));
    two_views().write(&folder);
}
