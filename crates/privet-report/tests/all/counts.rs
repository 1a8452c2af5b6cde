//! The page of a release of counts: well formed, complete, and deaf to hostile names and labels.

use crate::check;

use check::assert_well_formed;
use privet_attack::{Finding, HistogramOf, Rate, Unit};
use privet_release::CountsManifest;
use privet_release::counts::{
    ChangeWay, ChangedCells, CountsColumn, CountsData, CountsTable, Form, HiddenCells, Together, ViewClasses,
};
use privet_release::manifest::{Evidence, FORMAT, Promise};
use privet_report::{Assessment, CountsFacts, Grid, counts_html};

const HOSTILE: &str = "<script>alert('&\"')</script>\u{202e}";

fn column(name: &str, role: &str) -> CountsColumn {
    let level = (role == "quasi").then_some(1);
    CountsColumn {
        name: name.into(),
        role: role.into(),
        level,
        height: level.map(|_| 2),
        labels: 2,
        labels_per_level: None,
        reading: None,
        alike: None,
    }
}

fn manifest(tables: Vec<CountsTable>, together: Option<Together>) -> CountsManifest {
    CountsManifest {
        format: FORMAT,
        software: "privet test".into(),
        kind: "counts".into(),
        data: CountsData {
            missing: None,
            format: "csv".into(),
            delimiter: Some(','),
            encoding: None,
            records: 1234,
            removed_columns: vec![HOSTILE.into()],
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

fn views(reached: f64) -> CountsManifest {
    let promise = Promise {
        requirement: privet_criteria::Requirement::KAnonymity { k: 5 },
        statement: "Everybody looks like four others.".into(),
        reached,
        worst_class: None,
        evidence: Evidence::default(),
    };
    let view = |file: &str, columns| CountsTable {
        file: file.into(),
        form: Form::Counts,
        columns,
        cells: 17,
        classes: Some(ViewClasses { count: 9, smallest: reached as u64 }),
        promises: vec![promise.clone()],
        own_promises: Vec::new(),
        suppression: None,
        changed: None,
    };
    let together = Together {
        k: 5,
        joint_cells: 4321,
        smallest_proven: Some(6),
        determined: 0,
        cells_by: "closed".into(),
        groups_by: "closed".into(),
    };
    let tables = vec![
        view("view-1.csv", vec![column("sex", "quasi"), column(HOSTILE, "quasi")]),
        view("view-2.csv", vec![column("illness", "sensitive")]),
    ];
    manifest(tables, Some(together))
}

#[test]
fn a_page_about_views() {
    let page = counts_html(&views(5.0), &CountsFacts::default());
    assert_well_formed(&page);
    for word in ["View", "Proven to exist", "Fréchet bounds", "k (k-anonymity)"] {
        assert!(page.contains(&format!("<dt>{word}</dt>")), "{word}");
    }
    // Words of other pages are not explained.
    assert!(!page.contains("<dt>Random walk</dt>") && !page.contains("<dt>Hidden</dt>"));
    for told in [
        "Every promise holds",
        "4,321",
        "Everybody looks like four others.",
        "k = 5",
        "level 1 of 2",
        "1,234",
    ] {
        assert!(page.contains(told), "{told}");
    }
    assert!(!page.contains("<script"));
    let page = counts_html(&views(4.0), &CountsFacts::default());
    assert!(page.contains("A promise does not hold") && !page.contains("Every promise holds"));
    let mut telling = views(5.0);
    telling.together.as_mut().unwrap().smallest_proven = Some(4);
    assert!(counts_html(&telling, &CountsFacts::default()).contains("A promise does not hold"));
}

/// Published counts of sensitive values may well be smaller: the promise is about who shares identifying values.
#[test]
fn small_groups_are_those_that_share_identifying_values() {
    let page = counts_html(&views(5.0), &CountsFacts::default());
    assert!(
        page.contains("group of fewer than 5\u{a0}records with the same identifying values is proven"),
        "{page}"
    );
    assert!(
        page.contains("smallest group with the same identifying values that is proven to exist"),
        "{page}"
    );
    let mut none = views(5.0);
    none.together.as_mut().unwrap().smallest_proven = None;
    let page = counts_html(&none, &CountsFacts::default());
    assert!(page.contains("No group with the same identifying values is proven to exist"), "{page}");
}

#[test]
fn a_page_about_a_table_with_totals() {
    let table = CountsTable {
        file: "counts.csv".into(),
        form: Form::Totals,
        columns: vec![column("region", "quasi"), column("illness", "sensitive")],
        cells: 9,
        classes: None,
        promises: vec![],
        own_promises: Vec::new(),
        suppression: Some(HiddenCells { threshold: 5, lower: 4, upper: 3, hidden: 4 }),
        changed: None,
    };
    let labels = |first: &str| vec![first.to_owned(), "south".to_owned(), "Total".to_owned()];
    let hidden = None;
    let grid = Grid {
        table: 0,
        rows: labels(HOSTILE),
        columns: labels("a label that is much longer than there is room for"),
        counts: vec![hidden, hidden, Some(21), hidden, hidden, Some(45), Some(35), Some(31), Some(66)],
    };
    let facts = CountsFacts {
        reproduce: vec!["privet anonymize job.toml".into()],
        grids: vec![grid.clone()],
        ..CountsFacts::default()
    };
    let manifest = manifest(vec![table], None);
    let page = counts_html(&manifest, &facts);
    assert_well_formed(&page);
    assert_eq!(page.matches("class=\"hatched\" x=").count(), 4);
    assert_eq!(page.matches("class=\"empty\" x=").count(), 5);
    for told in ["no count from 1 to 4", "lower by 4", "higher by 3", "4\u{a0}cells are hidden"] {
        assert!(page.contains(told), "{told}");
    }
    assert_eq!(page, counts_html(&manifest, &facts));
    // Drawings survive any numbers, and none at all.
    for counts in [vec![], vec![Some(u64::MAX); 9], vec![Some(0); 9]] {
        let facts = CountsFacts { grids: vec![Grid { counts, ..grid.clone() }], ..CountsFacts::default() };
        let page = counts_html(&manifest, &facts);
        assert_well_formed(&page);
        assert!(!page.contains("NaN") && !page.contains("inf\""));
    }
    let none = CountsFacts { grids: vec![Grid::default()], ..CountsFacts::default() };
    assert_well_formed(&counts_html(&manifest, &none));
}

/// The foot names what the page is made from, and every table that scrolls has a name of its own.
#[test]
fn a_page_of_counts_with_attacks_says_so() {
    let attack = Finding {
        attack: "suppression-recovery",
        column: Some("view-1.csv".into()),
        assumed: "the published table with its totals".into(),
        success: "a hidden count can be computed back".into(),
        unit: Unit::Cells,
        exposed: Rate::new(0, 12),
        right: None,
        control: None,
        control_group: None,
        baseline: None,
        risk: 0.0,
        not_counted: None,
        histogram: vec![],
        histogram_of: HistogramOf::Nothing,
        notes: vec![],
    };
    let foot = "and from attacks on the release";
    assert!(!counts_html(&views(5.0), &CountsFacts::default()).contains(foot));
    let assessment = Assessment { attacks: vec![attack], ..Assessment::default() };
    let page = counts_html(&views(5.0), &CountsFacts { assessment, ..CountsFacts::default() });
    assert!(page.contains(foot));
    let mut captions: Vec<&str> = page
        .split("<caption")
        .skip(1)
        .filter_map(|rest| rest.split_once('>')?.1.split("</caption>").next())
        .collect();
    captions.sort_unstable();
    let all = captions.len();
    captions.dedup();
    assert_eq!(captions.len(), all, "{captions:?}");
}

/// A table whose counts were changed hides none, and its page speaks of none that is hidden.
#[test]
fn a_page_about_changed_counts_tells_of_nothing_hidden() {
    let changed = ChangedCells {
        threshold: 5,
        margins: vec![vec!["region".into()], vec!["illness".into()]],
        way: ChangeWay::Resample { target: "uniform".into(), steps: 9 },
    };
    let table = CountsTable {
        file: "counts.csv".into(),
        form: Form::Totals,
        columns: vec![column("region", "quasi"), column("illness", "sensitive")],
        cells: 4,
        classes: None,
        promises: vec![],
        own_promises: Vec::new(),
        suppression: None,
        changed: Some(changed),
    };
    let labels = || vec!["north".to_owned(), "Total".to_owned()];
    let grid = Grid { table: 0, rows: labels(), columns: labels(), counts: vec![Some(7); 4] };
    let facts = CountsFacts { grids: vec![grid], ..CountsFacts::default() };
    let page = counts_html(&manifest(vec![table], None), &facts);
    assert_well_formed(&page);
    let over = "over <bdi class=\"name\">region</bdi> and over <bdi class=\"name\">illness</bdi> are true";
    assert!(page.contains(over), "{page}");
    assert!(!page.contains("hidden cell") && !page.contains("</span>hidden</li>"), "{page}");
}
