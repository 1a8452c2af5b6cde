//! Every builder against tables computed by hand, and against what it must refuse (survey ME-05).

use super::super::*;
use crate::Domain;
use std::path::Path;

fn domain(values: &[&str]) -> Domain {
    Domain::canonical(values.iter().map(|&value| value.into()).collect(), |value| value == "?").0
}

fn spec(text: &str) -> HierarchySpec {
    #[derive(serde::Deserialize)]
    struct Line {
        hierarchy: HierarchySpec,
    }
    toml::from_str::<Line>(&format!("hierarchy = {text}")).unwrap_or_else(|error| panic!("{error}")).hierarchy
}

fn built(text: &str, domain: &Domain, counts: &[u64]) -> Result<Hierarchy, HierarchyError> {
    build(&spec(text), Path::new("."), domain, counts)
}

/// Each value with its labels, as a line of a hierarchy file.
fn table(text: &str, values: &[&str]) -> Vec<String> {
    counted(text, &values.iter().map(|&value| (value, 1)).collect::<Vec<_>>())
}

fn counted(text: &str, values: &[(&str, u64)]) -> Vec<String> {
    let (domain, code_of) = Domain::canonical(values.iter().map(|v| v.0.into()).collect(), |v| v == "?");
    let mut counts = vec![0; values.len()];
    code_of.iter().zip(values).for_each(|(&code, value)| counts[code as usize] = value.1);
    lines(&built(text, &domain, &counts).unwrap_or_else(|error| panic!("{text}: {error}")))
}

fn lines(hierarchy: &Hierarchy) -> Vec<String> {
    let mut bytes = Vec::new();
    write_hierarchy(&mut bytes, hierarchy, b';').unwrap();
    String::from_utf8(bytes).unwrap().replace('"', "").lines().map(String::from).collect()
}

#[test]
fn survey_me_05_intervals_of_whole_numbers_with_top_and_bottom_coding() {
    assert_eq!(
        table(
            "{ intervals = [5, 10, 20], top = 90, bottom = 15 }",
            &["3", "15", "19", "20", "37", "89", "90", "101"]
        ),
        [
            "3;<15;<15;<15;*",
            "15;15-19;15-19;15-19;*",
            "19;15-19;15-19;15-19;*",
            "20;20-24;20-29;20-39;*",
            "37;35-39;30-39;20-39;*",
            "89;85-89;80-89;80-89;*",
            "90;>=90;>=90;>=90;*",
            "101;>=90;>=90;>=90;*",
        ]
    );
}

#[test]
fn intervals_begin_at_min_and_go_on_below_it() {
    assert_eq!(
        table("{ intervals = [5, 10], min = 18 }", &["-3", "8", "17", "18", "22", "23", "28"]),
        [
            "-3;-7--3;-12--3;*",
            "8;8-12;8-17;*",
            "17;13-17;8-17;*",
            "18;18-22;18-27;*",
            "22;18-22;18-27;*",
            "23;23-27;18-27;*",
            "28;28-32;28-37;*"
        ]
    );
}

#[test]
fn intervals_end_at_top_and_bottom_wherever_these_lie() {
    assert_eq!(
        table("{ intervals = [5, 10], top = 92, bottom = 13 }", &["12", "13", "91", "92"]),
        ["12;<13;<13;*", "13;13-14;13-19;*", "91;90-91;90-91;*", "92;>=92;>=92;*"]
    );
    assert_eq!(
        table("{ intervals = [1], top = 90 }", &["007", "89", "+90"]),
        ["007;7;*", "89;89;*", "+90;>=90;*"]
    );
}

#[test]
fn intervals_of_decimals_are_exact_and_half_open() {
    assert_eq!(
        table(
            "{ intervals = [0.1, 0.5, 2], top = 2.25 }",
            &["-0.05", "0.3", "0.7", "0.79", "1e0", "2.2", "2.25"]
        ),
        [
            "-0.05;[-0.1,0);[-0.5,0);[-2,0);*",
            "0.3;[0.3,0.4);[0,0.5);[0,2);*",
            "0.7;[0.7,0.8);[0.5,1);[0,2);*",
            "0.79;[0.7,0.8);[0.5,1);[0,2);*",
            "1e0;[1,1.1);[1,1.5);[0,2);*",
            "2.2;[2.2,2.25);[2,2.25);[2,2.25);*",
            "2.25;>=2.25;>=2.25;>=2.25;*",
        ]
    );
    assert_eq!(table("{ intervals = [5] }", &["1.5", "7"]), ["1.5;[0,5);*", "7;[5,10);*"]);
}

#[test]
fn masks_count_characters_and_keep_prefixes_or_suffixes() {
    assert_eq!(
        table("{ mask = \"right\" }", &["1310", "1320", "2410"]),
        ["1310;131*;13**;1***;****", "1320;132*;13**;1***;****", "2410;241*;24**;2***;****"]
    );
    assert_eq!(
        table("{ mask = \"left\", symbol = \"#\", steps = [2] }", &["1310", "1320", "2410"]),
        ["1310;##10;####", "1320;##20;####", "2410;##10;####"]
    );
    assert_eq!(table("{ mask = \"right\", symbol = \"é\" }", &["äö", "äü"]), ["äö;äé;éé", "äü;äé;éé"]);
}

#[test]
fn masks_line_up_values_of_different_length() {
    assert_eq!(
        table("{ mask = \"right\" }", &["E11", "E11.9", "E2", "F"]),
        [
            "E11;E11**;E11**;E1***;E****;*****",
            "E11.9;E11.*;E11**;E1***;E****;*****",
            "E2;E2***;E2***;E2***;E****;*****",
            "F;F****;F****;F****;F****;*****",
        ]
    );
    assert_eq!(
        table("{ mask = \"left\", steps = [1, 3] }", &["9", "123", "4523"]),
        ["9;***9;***9;****", "123;*123;***3;****", "4523;*523;***3;****"]
    );
    // Steps beyond the longest value mask everything, once.
    assert_eq!(table("{ mask = \"right\", steps = [1, 5, 9] }", &["ab", "ac"]), ["ab;a*;**", "ac;a*;**"]);
    // A value may hold the symbol.
    assert_eq!(table("{ mask = \"right\" }", &["a", "a*c"]), ["a;a**;a**;***", "a*c;a**;a**;***"]);
}

#[test]
fn dates_go_from_day_to_century() {
    assert_eq!(
        table(
            "{ dates = [\"day\", \"month\", \"quarter\", \"year\", \"decade\", \"century\"] }",
            &["1999-12-31T23:59:59", "2000-01-01", "2024-02-29 08:00"]
        ),
        [
            "1999-12-31T23:59:59;1999-12-31;1999-12;1999-Q4;1999;1990-1999;1900-1999;*",
            "2000-01-01;2000-01-01;2000-01;2000-Q1;2000;2000-2009;2000-2099;*",
            "2024-02-29 08:00;2024-02-29;2024-02;2024-Q1;2024;2020-2029;2000-2099;*",
        ]
    );
}

#[test]
fn weeks_are_those_of_iso_8601() {
    for (date, week) in [
        ("1969-12-29", "1970-W01"),
        ("1970-01-01", "1970-W01"),
        ("2004-12-31", "2004-W53"),
        ("2005-01-01", "2004-W53"),
        ("2005-01-03", "2005-W01"),
        ("2007-12-31", "2008-W01"),
        ("2008-12-28", "2008-W52"),
        ("2008-12-29", "2009-W01"),
        ("2010-01-03", "2009-W53"),
        ("2024-03-04", "2024-W10"),
    ] {
        assert_eq!(table("{ dates = [\"week\"] }", &[date]), [format!("{date};{week};*")]);
    }
}

#[test]
fn groups_are_called_by_label_or_by_first_and_last() {
    assert_eq!(
        table(
            "{ groups = [[\"a\", \"b\"], [\"c\"], { label = \"rest\", values = [\"d\", \"e\"] }, [\"f\", 1]] }",
            &["a", "1"]
        ),
        ["a;a-b;*", "b;a-b;*", "c;c;*", "d;rest;*", "e;rest;*", "f;f-1;*", "1;f-1;*"]
    );
    assert_eq!(
        table("{ groups = [[\"a\"], [\"b\"], [\"c\"], [\"d\"], [\"e\"]], merge = [2, 2] }", &["a"]),
        ["a;a;a-b;a-d;*", "b;b;a-b;a-d;*", "c;c;c-d;a-d;*", "d;d;c-d;a-d;*", "e;e;e;e;*"]
    );
    assert_eq!(
        table(
            "{ groups = [[[\"a\"], [\"b\", \"c\"]], { label = \"z\", groups = [[\"d\"]] }], merge = [9] }",
            &["a"]
        ),
        ["a;a;a-c;a-z", "b;b-c;a-c;a-z", "c;b-c;a-c;a-z", "d;d;z;a-z"]
    );
}

#[test]
fn trees_repeat_the_last_label_of_a_shallow_branch() {
    assert_eq!(
        table(
            "{ tree = { Europe = [\"French\", \"German\"], Asia = { East = [\"Japanese\"], Else = { South = [\"Indian\"] } } } }",
            &["French", "Indian"]
        ),
        [
            "French;Europe;Europe;Europe;*",
            "German;Europe;Europe;Europe;*",
            "Japanese;East;Asia;Asia;*",
            "Indian;South;Else;Asia;*",
        ]
    );
    assert_eq!(
        table("{ tree = { Anyone = { a = [1, 2], b = [3] } } }", &["1"]),
        ["1;a;Anyone", "2;a;Anyone", "3;b;Anyone"]
    );
}

#[test]
fn trees_are_read_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let toml = "Europe = [\"French\"]\n[Asia]\nEast = [\"Japanese\"]\n";
    let json = "\u{feff}{\"Europe\": [\"French\"], \"Asia\": {\"East\": [\"Japanese\"]}}";
    let expected = ["French;Europe;Europe;*", "Japanese;East;Asia;*"];
    for (name, text) in [("t.toml", toml), ("t.JSON", json)] {
        std::fs::write(folder.path().join(name), text).unwrap();
        let spec = HierarchySpec::File(name.into());
        let hierarchy = build(&spec, folder.path(), &domain(&["French", "?"]), &[1, 1]).unwrap();
        assert_eq!(lines(&hierarchy), expected);
    }
    for (name, text, expected) in [
        ("a.json", "{\n \"a\": [\"secret\"\n}", "a.json: line 3, column 1: not JSON"),
        ("b.json", "{\"a\": [\"x\"], \"a\": [\"y\"]}", "b.json: line 1, column"),
        ("c.json", "{\"a\": null}", "c.json: line 1, column"),
        ("d.json", "[\"secret\"]", "d.json: `tree`: is a list"),
        ("e.json", "", "e.json: line 1, column"),
        ("f.json", "{\"a\": [\"secret\"], \"b\": [\"secret\"]}", "value 2 already stands as value 1"),
        ("g.json", "{\"a\": [[\"secret\"]]}", "g.json: `tree`: is a list; accepted is a value"),
        ("h.toml", "a = [\"x\"]\nb = [\"secret\" \"y\"]\n", "h.toml: line 2, column"),
        ("i.toml", "a = [\"x\"]\nb = secret\n", "i.toml: line 2, column"),
        ("j.toml", "a = [\"x\"]\na = [\"secret\"]\n", "j.toml: line 2, column"),
        ("k.toml", "", "k.toml: `tree`: is empty"),
        ("l.toml", "a = []\n", "l.toml: `tree`: has a label with nothing under it"),
        ("m.toml", "a = 5\n", "m.toml: `tree`: is a whole number; accepted is a list of values"),
        ("n.toml", "\"\" = [\"x\"]\n", "n.toml: `tree`: has an empty label"),
        ("o.toml", "[a]\nx = [1]\n[b]\nx = [2]\n", "values 1 and 2"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
        let error = read_hierarchy(&folder.path().join(name)).unwrap_err().to_string();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(!error.contains("secret"), "{name}: {error}");
    }
    std::fs::write(folder.path().join("bytes.toml"), b"a = [\"x\"]\nb = [\"\xff\"]\n").unwrap();
    let error = read_hierarchy(&folder.path().join("bytes.toml")).unwrap_err().to_string();
    assert!(error.contains("line 2, column 7: not UTF-8"), "{error}");
}

#[test]
fn deep_trees_are_refused_and_do_not_overflow() {
    let folder = tempfile::tempdir().unwrap();
    for (name, open, close) in
        [("t.json", "{\"a\":", "}"), ("t.toml", "{a=", "}"), ("u.json", "[", "]"), ("u.toml", "[", "]")]
    {
        for depth in [70, 100_000] {
            let start = if name.ends_with("toml") { "a=" } else { "" };
            let text = format!("{start}{}[\"x\"]{}", open.repeat(depth), close.repeat(depth));
            std::fs::write(folder.path().join(name), text).unwrap();
            assert!(read_hierarchy(&folder.path().join(name)).is_err(), "{name} {depth}");
        }
    }
}

#[test]
fn survey_me_05_regions_by_prefix_hold_enough_people() {
    let postcodes = [("1010", 300), ("1020", 400), ("1100", 90), ("1110", 500), ("2000", 800), ("20", 700)];
    // 1100 is too small, so 11** is not divided. 10** and 11** hold 700 and 590, so neither is 1*** at level 2.
    assert_eq!(
        counted("{ regions = [300, 1000], by = \"right\" }", &postcodes),
        [
            "20;20**;20**;*",
            "1010;1010;1***;*",
            "1020;1020;1***;*",
            "1100;11**;1***;*",
            "1110;11**;1***;*",
            "2000;2000;20**;*",
        ]
    );
}

#[test]
fn regions_by_suffix_and_of_a_small_table() {
    assert_eq!(
        counted("{ regions = 10, by = \"left\" }", &[("ax", 5), ("bx", 5), ("ay", 10)]),
        ["ax;*x;*", "ay;ay;*", "bx;*x;*"]
    );
    assert_eq!(counted("{ regions = [10, 20] }", &[("ax", 5), ("bx", 2)]), ["ax;*;*;*", "bx;*;*;*"]);
    assert_eq!(counted("{ regions = 10 }", &[("1", 5), ("2", 2)]), ["1;1-2;*", "2;1-2;*"]);
}

#[test]
fn regions_of_neighbours_take_in_what_follows() {
    let ages = [("20", 6), ("21", 3), ("22", 2), ("30", 1), ("31", 4), ("40", 2)];
    assert_eq!(
        counted("{ regions = [5, 6] }", &ages),
        [
            "20;20;20;*",
            "21;21-22;21-40;*",
            "22;21-22;21-40;*",
            "30;30-40;21-40;*",
            "31;30-40;21-40;*",
            "40;30-40;21-40;*"
        ]
    );
    assert_eq!(
        counted("{ regions = 2 }", &[("1.5", 1), ("2", 1), ("2.5", 2)]),
        ["1.5;[1.5,2];*", "2;[1.5,2];*", "2.5;2.5;*"]
    );
    assert_eq!(
        counted("{ regions = 2, by = \"order\" }", &[("a", 1), ("b", 1), ("c", 1)]),
        ["a;a-c;*", "b;a-c;*", "c;a-c;*"]
    );
}

#[test]
fn what_cannot_be_built_is_refused_with_the_key() {
    let numbers = domain(&["1", "2"]);
    let decimals = domain(&["1.5", "2"]);
    let dates = domain(&["2020-01-31"]);
    let text = domain(&["a", "secret"]);
    let long = domain(&[&"x".repeat(65)]);
    let longer = domain(&[&"x".repeat(257)]);
    let huge = domain(&["1e300", "1.5"]);
    let many = format!("{{ intervals = [{}] }}", "5, ".repeat(65));
    for (form, domain, key, said) in [
        ("{ intervals = [] }", &numbers, "intervals", "at least one level"),
        ("{ intervals = [0] }", &numbers, "intervals", "not above 0"),
        ("{ intervals = [-5] }", &numbers, "intervals", "not above 0"),
        ("{ intervals = [nan] }", &numbers, "intervals", "up to 10^15"),
        ("{ intervals = [inf] }", &decimals, "intervals", "up to 10^15"),
        ("{ intervals = [1e16] }", &numbers, "intervals", "up to 10^15"),
        ("{ intervals = [5, 12] }", &numbers, "intervals", "12 is not a multiple of 5"),
        ("{ intervals = [10, 5] }", &numbers, "intervals", "5 is not a multiple of 10"),
        ("{ intervals = [5, 5] }", &numbers, "intervals", "two or more times"),
        ("{ intervals = [0.5] }", &numbers, "intervals", "whole numbers"),
        ("{ intervals = [5], min = 0.5 }", &numbers, "min", "whole numbers"),
        ("{ intervals = [5], min = nan }", &numbers, "min", "up to 10^15"),
        ("{ intervals = [5], top = 0.5 }", &numbers, "top", "whole numbers"),
        ("{ intervals = [5], top = 10, bottom = 10 }", &numbers, "top", "above `bottom`"),
        ("{ intervals = [5], top = 9, bottom = 10 }", &decimals, "top", "above `bottom`"),
        ("{ intervals = [1e-13] }", &decimals, "intervals", "at most 12"),
        ("{ intervals = [5] }", &text, "intervals", "whole numbers or decimal numbers"),
        ("{ intervals = [5] }", &dates, "intervals", "the column holds dates"),
        ("{ intervals = [5] }", &huge, "intervals", "1 of the column's values are too large"),
        (&many, &decimals, "intervals", "more than 64 levels"),
        ("{ mask = \"right\" }", &long, "mask", "give `steps`"),
        ("{ mask = \"right\", steps = [1] }", &longer, "mask", "more than 256 characters"),
        ("{ mask = \"right\", steps = [2, 1] }", &text, "steps", "must grow"),
        ("{ mask = \"right\", symbol = \"\\n\" }", &text, "symbol", "printed"),
        ("{ dates = [] }", &dates, "dates", "at least one level"),
        ("{ dates = [\"year\", \"month\"] }", &dates, "dates", "from fine to coarse"),
        ("{ dates = [\"year\", \"year\"] }", &dates, "dates", "each unit once"),
        ("{ dates = [\"week\", \"month\"] }", &dates, "dates", "\"week\" must be the last"),
        ("{ dates = [\"year\"] }", &numbers, "dates", "accepted are columns of dates"),
        ("{ groups = [] }", &text, "groups", "empty group"),
        ("{ groups = [[\"a\"], []] }", &text, "groups", "empty group"),
        ("{ groups = [[\"a\"], [[\"b\"]]] }", &text, "groups", "equally deep"),
        ("{ groups = [[\"a\"], [\"a\"]] }", &text, "groups", "groups 1 and 2 of level 1 have the same label"),
        ("{ groups = [[\"a\", \"b\", \"a\"]] }", &text, "groups", "value 3 already stands as value 1"),
        ("{ groups = [{ label = \"\", values = [1] }] }", &text, "groups", "empty label"),
        ("{ groups = [[\"a\"]], merge = [1] }", &text, "merge", "from 2"),
        ("{ tree = {} }", &text, "tree", "is empty"),
        ("{ regions = [] }", &text, "regions", "at least one level"),
        ("{ regions = [10, 5] }", &text, "regions", "must grow"),
        ("{ regions = 5, by = \"left\" }", &longer, "regions", "more than 256 characters"),
    ] {
        let counts = vec![1; domain.len()];
        let error = built(form, domain, &counts).expect_err(form);
        assert!(matches!(&error, HierarchyError::Parameter { key: k, .. } if k == key), "{form}: {error}");
        assert!(error.to_string().contains(said) && !error.to_string().contains("secret"), "{form}: {error}");
    }
    let regions = HierarchySpec::Regions(Regions { thresholds: vec![0], by: None });
    assert!(build(&regions, Path::new("."), &text, &[1, 1]).is_err());
    let regions = HierarchySpec::Regions(Regions { thresholds: vec![1], by: None });
    assert!(build(&regions, Path::new("."), &text, &[1]).is_err());
}

#[test]
fn what_is_written_down_must_cover_the_column() {
    let column = domain(&["a", "b", "c", "?"]);
    let uncovered = HierarchyError::Uncovered { missing: 2, distinct: 3, codes: vec![2, 3] };
    assert_eq!(built("{ groups = [[\"a\", \"z\"]] }", &column, &[]), Err(uncovered.clone()));
    assert_eq!(built("{ tree = { x = [\"a\"] } }", &column, &[]), Err(uncovered));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "a;*\n").unwrap();
    let error =
        build(&HierarchySpec::File("x.csv".into()), folder.path(), &column, &[]).unwrap_err().to_string();
    assert!(
        error.contains("x.csv: the hierarchy does not cover 2 of the column's 3 distinct values"),
        "{error}"
    );
}

#[test]
fn a_column_without_a_value_fits_every_derived_builder() {
    for column in [domain(&[]), domain(&["?"])] {
        let counts = vec![3; column.len()];
        for (form, height) in [
            ("{ intervals = [5, 10] }", 3),
            ("{ mask = \"right\" }", 1),
            ("{ mask = \"left\", steps = [1, 2] }", 1),
            ("{ dates = [\"year\"] }", 2),
            ("{ regions = [5, 6] }", 3),
            ("{ regions = 5, by = \"order\" }", 2),
        ] {
            let hierarchy = built(form, &column, &counts).unwrap();
            assert_eq!((hierarchy.leaves().len(), hierarchy.height()), (0, height), "{form}");
            let bound = hierarchy.bind(&column).unwrap();
            assert_eq!(bound.leaves as usize, column.len());
            assert_eq!(bound.levels[height].labels[..], [Box::from("*")]);
        }
    }
}
