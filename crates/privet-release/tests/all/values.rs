//! Releases that take ways to write a value for different values: the referee is not deceived.

use crate::common;

use std::collections::BTreeMap;

use common::{Fixture, assert_broken, assert_holds};
use privet_data::{Comparison, Equality};
use privet_release::{VerifyOptions, verify};
use serde_json::json;

const COLUMNS: [(&str, &str); 2] = [("q", "quasi"), ("s", "sensitive")];

fn two(rows: &[[&str; 2]]) -> Fixture {
    let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
    Fixture::new(&COLUMNS, &rows).promise(
        json!({"criterion": "l-diversity", "kind": "distinct", "l": 2.0, "column": "s"}),
        2.0,
        1,
    )
}

#[test]
fn equal_numbers_that_are_published_as_two_values_break_the_promise() {
    for values in [
        ["100", "100.0", "200", "2e2"],
        ["0", "-0", "7", "007"],
        ["2020-01-31", "2020-01-31T00:00", "2021-01-31", "2021-01-31 00:00:00"],
        ["flu", "flu ", "hiv", " hiv"],
    ] {
        let [a, b, c, d] = values;
        assert_broken(&two(&[["a", a], ["a", b], ["b", c], ["b", d]]).verdict(), "l-diversity");
        assert_holds(&two(&[["a", a], ["a", c], ["b", b], ["b", d]]).verdict());
    }
}

#[test]
fn two_markers_of_a_missing_value_are_one() {
    let fixture = two(&[["a", ""], ["a", "?"], ["b", "x"], ["b", "y"]]);
    assert_holds(&fixture.verdict());
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    let mut manifest = fixture.manifest();
    manifest.data.missing = Some(vec![String::new(), "?".to_owned()]);
    fixture.write_as(&folder, manifest);
    assert_broken(&verify(&folder, VerifyOptions::default()).unwrap(), "l-diversity");
}

#[test]
fn codes_are_told_apart_where_the_manifest_says_that_they_are_codes() {
    let fixture = two(&[["a", "01234"], ["a", "1234"], ["b", "01235"], ["b", "1235"]]);
    assert_broken(&fixture.verdict(), "l-diversity");
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    let mut manifest = fixture.manifest();
    let codes = Equality { compare: Comparison::Text, ..Equality::default() };
    manifest.data.equality = BTreeMap::from([("s".to_owned(), codes)]);
    fixture.write_as(&folder, manifest);
    assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());
}

/// A promise may name a value in another form than the table.
#[test]
fn promises_name_values_however_they_are_written() {
    let rows: [&[&str]; 4] = [&["a", "100"], &["a", "200"], &["a", "300"], &["a", "400"]];
    let cap = |alpha: f64| {
        let requirement =
            json!({"criterion": "alpha-k", "alpha": alpha, "k": 2, "values": ["1e2"], "column": "s"});
        Fixture::new(&COLUMNS, &rows).promise(requirement, 0.25, 1).verdict()
    };
    assert_holds(&cap(0.25));
    assert_broken(&cap(0.2), "alpha-k");
}
