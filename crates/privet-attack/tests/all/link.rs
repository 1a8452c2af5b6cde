//! The linking attack on the worked tables of the survey and the papers, and against the nested loop.

use privet_attack::link::{
    Candidate, LinkError, Links, People, Released, UNKNOWN, link, link_at_most, matches,
};
use privet_data::Coverage;
use proptest::prelude::*;

/// Codes of texts in a sorted domain.
fn codes(domain: &[&str], column: &[&str]) -> Vec<u32> {
    column
        .iter()
        .map(|text| domain.iter().position(|value| value == text).map_or(UNKNOWN, |at| at as u32))
        .collect()
}

/// What the candidates of a person say about a sensitive column, each record equally likely: values with their shares.
fn belief(links: &Links, person: usize, groups: &[u32], values: &[u32]) -> Vec<(u32, f64)> {
    let mut shares = std::collections::BTreeMap::new();
    let all: f64 = links.of_person(person).iter().map(|own| f64::from(own.records)).sum();
    for own in links.of_person(person) {
        let size = groups.iter().filter(|&&group| group == own.group).count() as f64;
        for (_, &value) in groups.iter().zip(values).filter(|(group, _)| **group == own.group) {
            *shares.entry(value).or_insert(0.0) += f64::from(own.records) / size / all;
        }
    }
    shares.into_iter().collect()
}

/// How many records may be each person's.
fn sizes(links: &Links) -> Vec<u64> {
    links.tuple_of_person().iter().map(|&tuple| links.records(tuple)).collect()
}

/// FX-1.1: age, gender, zip, nationality, condition.
const MEDICAL: [(u32, &str, &str, &str, &str); 12] = [
    (28, "F", "13053", "Russian", "Heart disease"),
    (29, "M", "13068", "Chinese", "Heart disease"),
    (21, "F", "13068", "Japanese", "Viral infection"),
    (23, "M", "13053", "American", "Viral infection"),
    (50, "M", "14853", "Indian", "Cancer"),
    (55, "M", "14750", "Japanese", "Flu"),
    (47, "M", "14562", "Chinese", "Heart disease"),
    (49, "F", "14821", "Korean", "Flu"),
    (31, "M", "13222", "American", "Cancer"),
    (37, "F", "13227", "American", "Cancer"),
    (36, "M", "13228", "American", "Cancer"),
    (35, "M", "13221", "American", "Cancer"),
];
const GENDERS: [&str; 2] = ["F", "M"];
const ZIPS: [&str; 10] =
    ["13053", "13068", "13221", "13222", "13227", "13228", "14562", "14750", "14821", "14853"];
const NATIONS: [&str; 6] = ["American", "Chinese", "Indian", "Japanese", "Korean", "Russian"];
const CONDITIONS: [&str; 4] = ["Cancer", "Flu", "Heart disease", "Viral infection"];

/// FX-1.1 as columns of codes; ages are their own codes.
fn medical() -> [Vec<u32>; 5] {
    [
        MEDICAL.iter().map(|row| row.0).collect(),
        codes(&GENDERS, &MEDICAL.map(|row| row.1)),
        codes(&ZIPS, &MEDICAL.map(|row| row.2)),
        codes(&NATIONS, &MEDICAL.map(|row| row.3)),
        codes(&CONDITIONS, &MEDICAL.map(|row| row.4)),
    ]
}

fn starting_with(prefix: &str) -> Vec<u32> {
    (0..ZIPS.len() as u32).filter(|&zip| ZIPS[zip as usize].starts_with(prefix)).collect()
}

/// survey AT-01, FX-1.1: Eshwar (50, M, 14853, Indian) is record 5, and has cancer.
#[test]
fn eshwar_is_found_in_the_original() {
    let [age, gender, zip, nation, condition] = medical();
    let (ages, genders, zips, nations) =
        (Coverage::identity(100), Coverage::identity(2), Coverage::identity(10), Coverage::identity(6));
    let groups: Vec<u32> = (0..12).collect();
    let released = Released {
        labels: vec![&age, &gender, &zip, &nation],
        coverage: vec![&ages, &genders, &zips, &nations],
        groups: &groups,
    };
    let eshwar = People { values: vec![&[50], &[1], &[9], &[2]], count: 1 };
    let links = link(&released, &eshwar).unwrap();
    assert_eq!(links.of_person(0), [Candidate { group: 4, records: 1 }]);
    assert_eq!(belief(&links, 0, &groups, &condition), [(0, 1.0)]);

    // ERR-2: the voter list of FX-2.1 has Ann at another zip, so as printed nobody is found.
    let (age, gender, zip) = ([28, 21, 24, 21, 52], [0, 1, 0, 1, 1], [1; 5]);
    let voters = People { values: vec![&age, &gender, &zip], count: 5 };
    let shared = Released {
        labels: released.labels[..3].to_vec(),
        coverage: released.coverage[..3].to_vec(),
        groups: &groups,
    };
    assert_eq!(sizes(&link(&shared, &voters).unwrap()), [0; 5]);
    let corrected = [0, 1, 1, 1, 1];
    let voters = People { values: vec![&age, &gender, &corrected], count: 5 };
    assert_eq!(link(&shared, &voters).unwrap().of_person(0), [Candidate { group: 0, records: 1 }]);
}

/// survey AT-01, FX-1.2: everybody has the four records of a class as candidates; AT-02: Jean has cancer.
#[test]
fn four_candidates_in_the_generalized_table() {
    let [age, gender, zip, nation, condition] = medical();
    let ages = Coverage::new([(20..30).collect(), (40..60).collect(), (30..40).collect()], 100);
    let zips = Coverage::new([starting_with("130"), starting_with("14"), starting_with("1322")], 10);
    // Any, Asian, American.
    let nations = Coverage::new([(0..6).collect(), vec![1, 2, 3, 4], vec![0]], 6);
    let genders = Coverage::new([vec![0, 1]], 2);
    let class: Vec<u32> = (0..12).map(|record| record / 4).collect();
    let any = [0; 12];
    let released = Released {
        labels: vec![&class, &any, &class, &class],
        coverage: vec![&ages, &genders, &zips, &nations],
        groups: &class,
    };
    let people = People { values: vec![&age, &gender, &zip, &nation], count: 12 };
    let links = link(&released, &people).unwrap();
    assert_eq!(sizes(&links), [4; 12]);
    assert!((0..12).all(|person| links.of_person(person)[0].group == class[person]), "their own class");
    let of = |person: usize| belief(&links, person, &class, &condition);
    assert_eq!(of(9), [(0, 1.0)], "Jean");
    assert_eq!(of(4), [(0, 0.25), (1, 0.5), (2, 0.25)], "Eshwar");
    assert_eq!(of(2), [(2, 0.5), (3, 0.5)], "Cary");
}

/// papers FX-T2 and FX-T3: the voter roll against the medical table as it is, and as it is generalized.
#[test]
fn the_voter_roll() {
    let zips = ["02139", "10547", "10562", "10598", "89119", "90210", "90345"];
    let age = [24, 37, 26, 38, 36, 25];
    let zip = codes(&zips, &["10598", "90210", "10547", "90345", "89119", "02139"]);
    // HIV, Hepatitis C, Diabetes.
    let disease = [0, 1, 0, 1, 2, 0];
    let voter_age = [38, 36, 31, 57, 26, 46, 25, 24, 37, 26];
    let voter_zip = codes(
        &zips,
        &["90345", "89119", "02139", "10562", "10547", "90345", "02139", "10598", "90210", "10547"],
    );
    let voters = People { values: vec![&voter_age, &voter_zip], count: 10 };
    let (ages, all_zips) = (Coverage::identity(100), Coverage::identity(7));
    let rows: Vec<u32> = (0..6).collect();
    let released = Released { labels: vec![&age, &zip], coverage: vec![&ages, &all_zips], groups: &rows };
    let links = link(&released, &voters).unwrap();
    let row = |person: usize| links.of_person(person).first().map(|candidate| candidate.group + 1);
    let rows_of: Vec<Option<u32>> = (0..10).map(row).collect();
    // Mary, John, Ann, Jack, Joy, Victor, Peter, Diana, William, Sue.
    let expected = [Some(4), Some(5), None, None, Some(3), None, Some(6), Some(1), Some(2), Some(3)];
    assert_eq!(rows_of, expected);

    // DEF-10: the intervals are (20,30] and (30,40].
    let ages = Coverage::new([(21..=30).collect(), (31..=40).collect()], 100);
    let regions = Coverage::new([vec![0, 1, 2, 3], vec![4, 5, 6]], 7);
    let class = [0, 1, 0, 1, 1, 0];
    let released = Released { labels: vec![&class, &class], coverage: vec![&ages, &regions], groups: &class };
    let links = link(&released, &voters).unwrap();
    let of = |person: usize| belief(&links, person, &class, &disease);
    for person in [4, 9, 6, 7] {
        assert_eq!(of(person), [(0, 1.0)]);
    }
    for person in [0, 1, 8] {
        assert_eq!(of(person), [(1, 2.0 / 3.0), (2, 1.0 / 3.0)]);
    }
    for person in [2, 3, 5] {
        assert_eq!(of(person), []);
    }
}

#[test]
fn a_unique_link_can_be_wrong() {
    // Person 1 is not in the table, and looks like the record of person 0.
    let values = Coverage::identity(3);
    let released = Released { labels: vec![&[0, 1, 1]], coverage: vec![&values], groups: &[5, 7, 7] };
    let people = People { values: vec![&[0, 0, 1, 2]], count: 4 };
    let links = link(&released, &people).unwrap();
    assert_eq!(sizes(&links), [1, 1, 2, 0]);
    assert_eq!(links.of_person(1), [Candidate { group: 5, records: 1 }]);
}

#[test]
fn nothing_to_link() {
    let none = Released { labels: vec![], coverage: vec![], groups: &[] };
    let nobody = People { values: vec![], count: 0 };
    assert_eq!(link(&none, &nobody).unwrap().tuples(), 0);
    let people = People { values: vec![], count: 2 };
    assert_eq!(link(&none, &people).unwrap().of_person(1), []);
    // Without a shared column everybody may be anything.
    let released = Released { labels: vec![], coverage: vec![], groups: &[3, 1, 3] };
    let both = [Candidate { group: 1, records: 1 }, Candidate { group: 3, records: 2 }];
    assert_eq!(link(&released, &people).unwrap().of_person(1), both);
    // A column without values, and an attribute that nobody knows.
    let empty = Coverage::default();
    let released = Released { labels: vec![&[0, 9]], coverage: vec![&empty], groups: &[0, 0] };
    let people = People { values: vec![&[UNKNOWN]], count: 1 };
    assert_eq!(link(&released, &people).unwrap().records(0), 2);
}

#[test]
fn refuses_what_does_not_fit_together() {
    let values = Coverage::identity(2);
    let released = Released { labels: vec![&[0, 1]], coverage: vec![&values], groups: &[0, 1] };
    let two = People { values: vec![&[0], &[1]], count: 1 };
    assert_eq!(link(&released, &two), Err(LinkError::Columns { labels: 1, coverage: 1, values: 2 }));
    let short = People { values: vec![&[0]], count: 2 };
    assert!(matches!(link(&released, &short), Err(LinkError::Rows { found: 1, expected: 2, .. })));
    let both = Coverage::new([vec![0, 1], vec![0, 1]], 2);
    let many = Released { labels: vec![&[0, 1]], coverage: vec![&both], groups: &[0, 1] };
    let person = People { values: vec![&[0]], count: 1 };
    assert_eq!(link_at_most(&many, &person, 1), Err(LinkError::TooManyCandidates { most: 1 }));
    assert_eq!(link_at_most(&many, &person, 2).unwrap().records(0), 2);
}

#[derive(Debug, Clone)]
struct Case {
    coverage: Vec<Coverage>,
    labels: Vec<Vec<u32>>,
    groups: Vec<u32>,
    values: Vec<Vec<u32>>,
    people: usize,
}

/// Labels that overlap or not, cover all or nothing, do not exist; values that are unknown or outside the domain.
fn case(functions: bool) -> impl Strategy<Value = Case> {
    let sizes = (0usize..4, 0usize..30, 0usize..30);
    sizes.prop_flat_map(move |(columns, records, people)| {
        let coverage = (0u32..6, 1usize..5).prop_flat_map(move |(values, labels)| {
            let lists = prop::collection::vec(prop::collection::vec(0u32..6, 0..6), labels);
            (lists, any::<bool>()).prop_map(move |(mut lists, star)| {
                if functions {
                    let mut taken = [false; 6];
                    for list in &mut lists {
                        list.retain(|&value| !std::mem::replace(&mut taken[value as usize], true));
                    }
                } else if star {
                    lists.push((0..values).collect());
                }
                Coverage::new(lists, values)
            })
        });
        (
            prop::collection::vec(coverage, columns),
            prop::collection::vec(prop::collection::vec(0u32..6, records), columns),
            prop::collection::vec(0u32..4, records),
            prop::collection::vec(
                prop::collection::vec(prop_oneof![9 => 0u32..7, 1 => Just(UNKNOWN)], people),
                columns,
            ),
        )
            .prop_map(move |(coverage, labels, groups, values)| Case {
                coverage,
                labels,
                groups,
                values,
                people,
            })
    })
}

fn equals_the_nested_loop(case: &Case) -> Result<(), TestCaseError> {
    let released = Released {
        labels: case.labels.iter().map(Vec::as_slice).collect(),
        coverage: case.coverage.iter().collect(),
        groups: &case.groups,
    };
    let people = People { values: case.values.iter().map(Vec::as_slice).collect(), count: case.people };
    let links = link(&released, &people).unwrap();
    prop_assert_eq!(links.people(), case.people);
    for person in 0..case.people {
        let mut expected = [0u32; 4];
        for (record, &group) in case.groups.iter().enumerate() {
            let may_be = (0..case.labels.len()).all(|c| {
                let (label, value) = (case.labels[c][record], case.values[c][person]);
                let covered = case.coverage[c].of(label);
                covered.contains(value) || covered.len() == case.coverage[c].values() as usize
            });
            prop_assert_eq!(may_be, matches(&released, record, &people, person));
            expected[group as usize] += u32::from(may_be);
        }
        let expected: Vec<Candidate> = (0..4)
            .filter(|&group| expected[group as usize] > 0)
            .map(|group| Candidate { group, records: expected[group as usize] })
            .collect();
        prop_assert_eq!(links.of_person(person), expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn equals_the_nested_loop_when_labels_overlap(case in case(false)) {
        equals_the_nested_loop(&case)?;
    }

    #[test]
    fn equals_the_nested_loop_when_values_tell_labels(case in case(true)) {
        equals_the_nested_loop(&case)?;
    }

    #[test]
    fn does_not_depend_on_threads(case in case(false)) {
        let released = Released {
            labels: case.labels.iter().map(Vec::as_slice).collect(),
            coverage: case.coverage.iter().collect(),
            groups: &case.groups,
        };
        let people = People { values: case.values.iter().map(Vec::as_slice).collect(), count: case.people };
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        prop_assert_eq!(one.install(|| link(&released, &people)), link(&released, &people));
    }
}
