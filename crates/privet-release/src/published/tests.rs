use privet_data::hierarchy::parse_hierarchy;
use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_data::{Coverage, Domain, Silent};

use super::{Histograms, Meaning, Published, coverage};

fn domain(values: &[&str]) -> Domain {
    Domain::canonical(values.iter().map(|&v| v.into()).collect(), str::is_empty).0
}

fn shown(labels: &[&str], values: &[&str], meaning: Meaning<'_>) -> Vec<Vec<String>> {
    let (labels_, values) = (domain(labels), domain(values));
    let own: Coverage = coverage(&labels_, &values, meaning);
    let of = |label: &&str| {
        let code = labels_.code_of(label).unwrap();
        own.of(code).iter().map(|value| values.text(value).to_owned()).collect()
    };
    labels.iter().map(of).collect()
}

#[test]
fn labels_are_read_as_anyone_would() {
    let ages = ["", "-3", "19", "20", "24", "25", "29", "90", "97"];
    let labels = ["20-29", "[20 to 24]", ">=90", "<20", "*", "2*", "25", "", "-5-20"];
    let read = shown(&labels, &ages, Meaning::default());
    let expected: [&[&str]; 9] = [
        &["20", "24", "25", "29"],
        &["20", "24"],
        &["90", "97"],
        &["-3", "19"],
        &ages,
        &["20", "24", "25", "29"],
        &["25"],
        &[""],
        &["-3", "19", "20"],
    ];
    assert_eq!(read, expected);
    let read = shown(&["[20,25)", "[25,30)"], &["20", "24.99", "25"], Meaning::default());
    assert_eq!(read, [vec!["20", "24.99"], vec!["25"]]);
    let days = ["2023-12-31", "2024-01-01", "2024-02-29", "2024-04-01", "2031-05-05"];
    let read = shown(&["2024", "2024-02", "2024-Q1", "2020-2029", "2024-04-01"], &days, Meaning::default());
    let expected: [&[&str]; 5] = [&days[1..4], &days[2..3], &days[1..3], &days[..4], &days[3..4]];
    assert_eq!(read, expected);
    // Masks of short values are filled up, at either end.
    assert_eq!(
        shown(&["E1***", "**11"], &["E1", "E11", "E1234", "11", "F1"], Meaning::default()),
        [vec!["E1", "E11", "E1234"], vec!["11", "E11"]]
    );
    // What cannot be read excludes nothing.
    assert_eq!(shown(&["European"], &["French", "Korean"], Meaning::default()), [["French", "Korean"]]);
}

#[test]
fn a_hierarchy_says_what_is_below_a_label() {
    let hierarchy =
        parse_hierarchy(b"French;European;*\nGerman;European;*\nKorean;Asian;*\nAsian;Other;*\n").unwrap();
    let meaning = Meaning { hierarchy: Some(&hierarchy), recoding: None };
    let values = ["", "French", "Korean", "Asian", "Martian"];
    let read = shown(&["European", "Asian", "Other", "*", "German", ""], &values, meaning);
    // Two nodes have the label Asian: nobody can tell which is meant. A value that the hierarchy does not know, and a
    // missing one, may hide behind the top only.
    let expected: [&[&str]; 6] = [
        &["French"],
        &["Asian", "Korean"],
        &["Asian"],
        &["", "Asian", "French", "Korean", "Martian"],
        &[],
        &[""],
    ];
    assert_eq!(read, expected);
}

#[test]
fn groups_are_those_who_show_the_same() {
    let csv = b"age,sex,illness\n1,m,flu\n2,m,flu\n1,m,cold\n1,f,flu\n";
    let table = read_csv_bytes(csv, &ReadOptions::default()).unwrap().table;
    let published = Published::of_table(table, vec![0, 1], vec![2], &Silent).unwrap();
    assert_eq!(published.group_of, [0, 1, 0, 2]);
    assert_eq!(published.groups, [2, 1, 1]);
    let histograms = &published.sensitive[0].histograms;
    assert_eq!(
        (histograms.of(0), histograms.of(1), histograms.of(9)),
        (&[(0, 1), (1, 1)][..], &[(1, 1)][..], &[][..])
    );
    assert_eq!(histograms.total(2), [1, 3]);
    assert_eq!(Histograms::default().groups(), 0);
}
