//! Buckets that are given: what holds in each, what is refused with which numbers, what merging makes of them.

use crate::oracle;

use std::collections::{BTreeMap, BTreeSet};

use oracle::json;
use privet_criteria::{Criterion, Requirement, SensitiveColumn, build};
use privet_data::{Domain, Silent};
use privet_measure::Metric;
use privet_recode::bucket::{Buckets, GivenBuckets};
use privet_recode::groups::Groups;
use privet_recode::lattice::{Codes, Problem, SearchError};
use proptest::prelude::*;

const VALUES: usize = 4;

fn diverse(l: u32) -> Requirement {
    json("l-diversity", &format!(r#"{{"kind": "distinct", "l": {l}, "column": "a"}}"#))
}

/// Looks at given buckets of a table of columns `a` and `b`, with a promise about `a`.
fn search(
    columns: &[Vec<u32>],
    given: &[u32],
    requirement: Requirement,
    merge: bool,
) -> Result<Buckets, SearchError> {
    let (domain, _) = Domain::canonical((0..VALUES).map(|v| format!("{v}").into()).collect(), |_| false);
    let count = |codes: &Vec<u32>, v: usize| codes.iter().filter(|&&code| code as usize == v).count() as u64;
    let counts: Vec<Vec<u64>> =
        columns.iter().map(|codes| (0..VALUES).map(|v| count(codes, v)).collect()).collect();
    let sensitive: Vec<SensitiveColumn<'_>> = ["a", "b"]
        .into_iter()
        .zip(&counts)
        .map(|(name, counts)| SensitiveColumn { name, domain: &domain, counts, hierarchy: None })
        .collect();
    let rows = columns.first().map_or(0, Vec::len);
    let criteria: Vec<Box<dyn Criterion>> = build(&[requirement], &sensitive, None, rows as u64).unwrap();
    let problem = Problem {
        rows,
        quasi: Vec::new(),
        sensitive: columns.iter().map(|codes| Codes { codes, values: VALUES }).collect(),
        label: None,
        criteria: &criteria,
        metric: Metric::Loss,
        suppress_at_most: 0,
    };
    GivenBuckets { merge }.search(&problem, &Groups::numbered(given), &Silent)
}

/// survey FX-1.4: of its three buckets the third has one condition alone.
#[test]
fn table_1_4() {
    let condition = vec![vec![2, 2, 3, 3, 0, 1, 2, 1, 0, 0, 0, 0]];
    let by_four = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2];
    let refused = search(&condition, &by_four, diverse(2), false).unwrap_err();
    let text = refused.to_string();
    match refused {
        SearchError::GivenBucketsFail { buckets: 1, of: 3, records: 4, is_mergeable: true, criteria } => {
            assert!(criteria[0].starts_with("l-diversity: ") && criteria.len() == 1, "{criteria:?}");
        }
        other => panic!("{other:?}"),
    }
    assert!(text.contains("1 of the 3 buckets") && text.contains("merge = true"), "{text}");
    let merged = search(&condition, &by_four, diverse(2), true).unwrap();
    assert_eq!((merged.count, merged.l), (2, None));
    // All four values are together in no two parts.
    assert_eq!(search(&condition, &by_four, diverse(4), true).unwrap().count, 1);
    let constant = vec![vec![1; 6]];
    let found = search(&constant, &[0, 0, 0, 1, 1, 1], close(0.5), true);
    assert_eq!(found.unwrap().count, 2, "all records have the value: no bucket tells more than the table");
}

fn close(t: f64) -> Requirement {
    json("t-closeness", &format!(r#"{{"kind": "equal", "t": {t}, "column": "a"}}"#))
}

#[test]
fn what_no_promise_is_about_is_not_told_either() {
    let columns = vec![vec![0, 1, 0, 1], vec![2, 2, 3, 1]];
    let refused = search(&columns, &[0, 0, 1, 1], diverse(2), false).unwrap_err();
    let SearchError::GivenBucketsFail { buckets: 1, of: 2, records: 2, criteria, .. } = refused else {
        panic!("{refused:?}");
    };
    assert!(criteria.len() == 1 && criteria[0].contains("no promise is about"), "{criteria:?}");
    assert_eq!(search(&columns, &[0, 0, 1, 1], diverse(2), true).unwrap().count, 1);
    assert_eq!(search(&columns, &[0, 1, 1, 0], diverse(2), false).unwrap().count, 2);
}

#[test]
fn tables_at_the_edge() {
    let none = vec![Vec::new()];
    assert_eq!(search(&none, &[], close(0.5), false).unwrap().count, 0);
    let one = search(&[vec![1]], &[0], close(0.5), true).unwrap();
    assert_eq!(one.count, 1, "a table of one record tells its value anyway; the promise compares with it");
    // One group per record is needed.
    assert!(matches!(
        search(&[vec![0, 1, 2]], &[0, 0], diverse(2), true),
        Err(SearchError::Parameter { key: "search.algorithm", .. })
    ));
    assert!(matches!(
        search(&[vec![0, 1]], &[0, 0], json("k-anonymity", r#"{"k": 2}"#), true),
        Err(SearchError::NotForCriterion { .. })
    ));
}

/// Whether a bucket of these records has l values of the first column, and tells no value of a second one.
fn keeps(columns: &[Vec<u32>], records: &[usize], l: usize) -> bool {
    let distinct = |column: &Vec<u32>, records: &[usize]| {
        records.iter().map(|&record| column[record]).collect::<BTreeSet<u32>>().len()
    };
    let all: Vec<usize> = (0..columns[0].len()).collect();
    distinct(&columns[0], records) >= l
        && columns[1..].iter().all(|column| distinct(column, records) > 1 || distinct(column, &all) == 1)
}

fn members(of: &[u32]) -> Vec<Vec<usize>> {
    let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    of.iter().enumerate().for_each(|(record, &bucket)| members.entry(bucket).or_default().push(record));
    members.into_values().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn as_the_definition_says(
        records in prop::collection::vec((0u32..4, 0u32..3, 0u32..5), 2..24),
        l in 2u32..4,
        second: bool,
    ) {
        let mut columns = vec![records.iter().map(|record| record.0).collect::<Vec<u32>>()];
        if second {
            columns.push(records.iter().map(|record| record.1).collect());
        }
        let values: BTreeSet<u32> = columns[0].iter().copied().collect();
        // A promise of more values than there are is refused before any search.
        prop_assume!(values.len() >= l as usize);
        let given: Vec<u32> = records.iter().map(|record| record.2).collect();
        let buckets = members(&given);
        let fail: Vec<&Vec<usize>> =
            buckets.iter().filter(|bucket| !keeps(&columns, bucket, l as usize)).collect();
        match search(&columns, &given, diverse(l), false) {
            Ok(found) => {
                prop_assert!(fail.is_empty());
                prop_assert_eq!(members(&found.of).len(), buckets.len());
            }
            Err(SearchError::GivenBucketsFail { buckets: failing, of, records, .. }) => {
                prop_assert_eq!((failing as usize, of as usize), (fail.len(), buckets.len()));
                prop_assert_eq!(records as usize, fail.iter().map(|bucket| bucket.len()).sum::<usize>());
                prop_assert!(failing > 0);
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
        // All records in one bucket have l values, so merging always ends well, and tears no bucket apart.
        let merged = search(&columns, &given, diverse(l), true).unwrap();
        let found = members(&merged.of);
        prop_assert!(found.iter().all(|bucket| keeps(&columns, bucket, l as usize)));
        prop_assert!(!fail.is_empty() || found.len() == buckets.len());
        for bucket in &buckets {
            prop_assert!(bucket.iter().all(|&record| merged.of[record] == merged.of[bucket[0]]));
        }
    }
}
