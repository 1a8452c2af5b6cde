use privet_data::hierarchy::{HierarchySpec, parse_hierarchy};
use proptest::prelude::*;

use super::*;
use crate::manifest::Nodes;

fn domain(values: &[&str]) -> Domain {
    let mut values: Vec<Box<str>> = values.iter().map(|&own| own.into()).collect();
    values.sort();
    values.dedup();
    Domain::canonical(values, str::is_empty).0
}

/// A column on a level, or of nodes of a kind of which these are groups.
fn recoding(level: Option<usize>, nodes: Option<(&str, Option<&[&str]>)>, reading: LabelReading) -> Recoding {
    Recoding {
        level,
        nodes: nodes.map(|(kind, groups)| Nodes {
            kind: kind.into(),
            labels: 0,
            groups: groups.map(|own| own.iter().map(|&own| own.into()).collect()),
        }),
        height: 2,
        leaves: 9,
        labels_per_level: vec![9, 3, 1],
        reading: Some(reading),
        loss: 0.5,
        weight: 1.0,
    }
}

/// Per label the values that it may stand for.
fn shown(
    labels: &[&str],
    people: &[&str],
    recoded: Recoded<'_>,
    recoding: Option<&Recoding>,
) -> Vec<Vec<String>> {
    let (labels_, people) = (domain(labels), domain(people));
    let own = fits(&labels_, &people, recoded, recoding);
    let of = |label: &&str| {
        let code = labels_.code_of(label).unwrap();
        own.of(code).iter().map(|value| people.text(value).to_owned()).collect()
    };
    labels.iter().map(of).collect()
}

fn spec(json: &str) -> HierarchySpec {
    serde_json::from_str(json).unwrap()
}

/// A value that nobody on the list has is nobody's, where it is known to be a value; a word that may be a group is anybody's.
#[test]
fn a_value_that_nobody_has() {
    let people = ["French", "Korean", ""];
    let everybody: &[&str] = &["", "French", "Korean"];
    let raw = recoding(Some(0), None, LabelReading::Literal);
    assert_eq!(
        shown(&["German", "French", ""], &people, Recoded::Unknown, Some(&raw)),
        [&[""][..], &["", "French"], everybody]
    );
    let cells = recoding(None, Some(("cells", None)), LabelReading::Literal);
    assert_eq!(shown(&["German", "*"], &people, Recoded::Unknown, Some(&cells)), [&[""][..], everybody]);
    for (kind, reading) in [("cut", LabelReading::Literal), ("group-nodes", LabelReading::Names)] {
        let told = recoding(None, Some((kind, Some(&["European"]))), reading);
        let labels = ["German", "European", "French"];
        let own = shown(&labels, &people, Recoded::Unknown, Some(&told));
        assert_eq!(own, [&[""][..], everybody, &["", "French"]]);
        // Manifests that do not tell.
        let silent = recoding(None, Some((kind, None)), reading);
        assert_eq!(shown(&labels, &people, Recoded::Unknown, Some(&silent))[0], everybody);
    }
    let level = recoding(Some(1), None, LabelReading::Literal);
    assert_eq!(shown(&["German"], &people, Recoded::Unknown, Some(&level)), [everybody]);
    let means = recoding(None, Some(("modes", None)), LabelReading::Literal);
    assert_eq!(shown(&["German"], &people, Recoded::Flat, Some(&means)), [everybody]);
}

#[test]
fn numbers_and_dates_by_what_they_say() {
    let literal = recoding(None, Some(("group-nodes", Some(&[]))), LabelReading::Literal);
    let people = ["21", "24.0", "25", "forty", "", "1e1"];
    let labels = ["20-24", "24", "[20,25)", ">=25", "<20", "[20.5,24.5]"];
    // Who cannot be read is not known to be anything.
    let expected: [&[&str]; 6] = [
        &["", "21", "24.0", "forty"],
        &["", "24.0", "forty"],
        &["", "21", "24.0", "forty"],
        &["", "25", "forty"],
        &["", "1e1", "forty"],
        &["", "21", "24.0", "forty"],
    ];
    assert_eq!(shown(&labels, &people, Recoded::Unknown, Some(&literal)), expected);
    // 2024 is a year to who has days, and a number to who has numbers.
    let raw = recoding(Some(0), None, LabelReading::Literal);
    let people = ["2024", "2024-05-05", "2023-01-01", "2025"];
    assert_eq!(shown(&["2024"], &people, Recoded::Unknown, Some(&raw)), [["2024", "2024-05-05"]]);
    // A number of many digits may be below an end that it seems to be at.
    let people = ["24.9999999999999999999", "25"];
    assert_eq!(shown(&["[20,25)"], &people, Recoded::Unknown, Some(&literal)), [["24.9999999999999999999"]]);
    // Bands that are values.
    let bands = ["20-29", "30-39"];
    assert_eq!(shown(&bands, &bands, Recoded::Unknown, Some(&raw)), [["20-29"], ["30-39"]]);
}

#[test]
fn with_the_hierarchy() {
    let file = parse_hierarchy(b"39;20-39;*\n40;20-39;*\n41;41-59;*\n").unwrap();
    let people = ["39", "40.0", "41", "77", "forty"];
    let level = recoding(Some(1), None, LabelReading::Names);
    let own = shown(&["20-39", "41-59"], &people, Recoded::Written(&file), Some(&level));
    assert_eq!(own, [&["39", "40.0", "forty"][..], &["41", "forty"]]);
    let mixed = recoding(None, Some(("cut", Some(&["20-39"]))), LabelReading::Names);
    let labels = ["20-39", "41", "*", "20-39 (level 1)"];
    let own = shown(&labels, &people, Recoded::Written(&file), Some(&mixed));
    assert_eq!(own[..2], [&["39", "40.0", "forty"][..], &["41", "forty"]]);
    assert_eq!((own[2].len(), &own[3]), (5, &own[0]));
    // Ranges go by the order of the leaves.
    let file = parse_hierarchy(b"west;*\neast;*\nsouth;*\n").unwrap();
    let ranges = recoding(None, Some(("ranges", Some(&[]))), LabelReading::Literal);
    let own = shown(&["[west to east]"], &["east", "south", "west"], Recoded::Written(&file), Some(&ranges));
    assert_eq!(own, [["east", "west"]]);
    let own = shown(&["[a to c]", "b", "d"], &["b", "d"], Recoded::Flat, Some(&ranges));
    assert_eq!(own, [vec!["b", "d"], vec!["b"], vec!["d"]]);
}

#[test]
fn labels_that_are_made_from_a_value() {
    // With three characters shown, `E1***` is E1 and nothing else.
    let mask = spec(r##"{ "mask": "right", "steps": [2] }"##);
    let level = recoding(Some(1), None, LabelReading::Literal);
    let own = shown(&["E1***", "E11**"], &["E1", "E11", "E11.9"], Recoded::Made(&mask), Some(&level));
    assert_eq!(own, [vec!["E1"], vec!["E11", "E11.9"]]);
    let mask = spec(r##"{ "mask": "left", "symbol": "#" }"##);
    let named = recoding(None, Some(("group-nodes", Some(&["##3"]))), LabelReading::Names);
    let own = shown(&["##3", "123"], &["123", "13", "124"], Recoded::Made(&mask), Some(&named));
    assert_eq!(own, [vec!["13", "123"], vec!["123"]]);
    let weeks = spec(r##"{ "dates": ["week"] }"##);
    let level = recoding(Some(1), None, LabelReading::Dates);
    let people = ["2024", "2024-02-29", "2024-03-04", "then"];
    assert_eq!(
        shown(&["2024-W09"], &people, Recoded::Made(&weeks), Some(&level)),
        [["2024", "2024-02-29", "then"]]
    );
}

const LABELS: [&str; 27] = [
    "",
    "*",
    "**",
    "?",
    "39",
    "40",
    "20-39",
    "20-29",
    "[20 to 24]",
    "[20,25)",
    "[a to c]",
    ">=40",
    "<15",
    "1****",
    "13***",
    "13053",
    "2024",
    "2024-02",
    "2024-Q1",
    "2024-02-29",
    "2024-W09",
    "2020-2029",
    "a",
    "b",
    "European",
    "a (level 1)",
    "#39",
];
const PEOPLE: [&str; 22] = [
    "",
    "?",
    "39",
    "39.0",
    "40",
    "7",
    "22",
    "24.5",
    "13053",
    "13068",
    "1",
    "2024",
    "2024-02-29",
    "2024-03-04",
    "2024-02-29T10:00",
    "a",
    "b",
    "bb",
    "European",
    "forty",
    "*",
    "20-29",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// What may be somebody's label is the same alone as among any others.
    #[test]
    fn others_change_nothing(
        labels in prop::sample::subsequence(LABELS.to_vec(), 1..LABELS.len()),
        people in prop::sample::subsequence(PEOPLE.to_vec(), 1..PEOPLE.len()),
        known in 0usize..9,
        kind in prop::sample::select(vec![
            "raw", "level", "cut", "ranges", "cells", "group-nodes", "group-ranges", "means",
        ]),
        reading in prop::sample::select(vec![LabelReading::Literal, LabelReading::Names, LabelReading::Dates]),
        told in any::<bool>(),
    ) {
        let written = parse_hierarchy(b"39;20-39;*\n40;20-39;*\n7;<15;*\na;European;*\nb;a;*\n").unwrap();
        let specs = [
            spec(r##"{ "mask": "right" }"##),
            spec(r##"{ "mask": "left", "symbol": "#", "steps": [1, 3] }"##),
            spec(r##"{ "dates": ["day", "month", "year"] }"##),
            spec(r##"{ "dates": ["week"] }"##),
            spec(r##"{ "intervals": [5, 10] }"##),
        ];
        let recoded = match known {
            0 => Recoded::Unknown,
            1 => Recoded::Flat,
            2 => Recoded::Values,
            3 => Recoded::Written(&written),
            own => Recoded::Made(&specs[own - 4]),
        };
        let groups: &[&str] = &["European", "20-39"];
        let recoding = match kind {
            "raw" => recoding(Some(0), None, reading),
            "level" => recoding(Some(1), None, reading),
            kind => recoding(None, Some((kind, told.then_some(groups))), reading),
        };
        let all = shown(&labels, &people, recoded, Some(&recoding));
        for person in &people {
            let alone = shown(&labels, &[person], recoded, Some(&recoding));
            for (label, (all, alone)) in labels.iter().zip(all.iter().zip(&alone)) {
                let (all, alone) = (all.iter().any(|own| own == person), !alone.is_empty());
                prop_assert_eq!(all, alone, "{} {}", label, person);
            }
        }
    }
}
