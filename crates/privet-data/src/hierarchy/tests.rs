//! Nesting, and the fitting of a hierarchy to a column (survey ME-05, UM-04).

use super::*;

fn hierarchy(rows: &[&[&str]]) -> Result<Hierarchy, HierarchyError> {
    let column = |i: usize| rows.iter().map(|row| Box::from(row[i])).collect::<Vec<Box<str>>>();
    Hierarchy::new(column(0), (1..rows[0].len()).map(column).collect())
}

fn domain(values: &[&str]) -> Domain {
    Domain::canonical(values.iter().map(|&v| v.into()).collect(), |v| ["", "?", "NA"].contains(&v)).0
}

#[test]
fn labels_of_one_level_must_agree_above() {
    let error = hierarchy(&[&["a", "x", "1"], &["b", "y", "1"], &["c", "x", "2"]]).unwrap_err();
    assert_eq!(error, HierarchyError::NotNested { line: 3, column: 3, first: 1 });
    // The same word at two levels is fine.
    assert!(hierarchy(&[&["a", "a", "a", "*"], &["b", "x", "a", "*"]]).is_ok());
    assert_eq!(hierarchy(&[&["a"], &["a"]]), Err(HierarchyError::Duplicate { line: 2, first: 1 }));
    assert_eq!(Hierarchy::new(vec![], vec![]), Err(HierarchyError::Empty));
    let ragged = Hierarchy::new(vec!["a".into(), "b".into()], vec![vec!["x".into()]]);
    assert_eq!(ragged, Err(HierarchyError::Ragged { line: 2, found: 1, expected: 2 }));
}

#[test]
fn leaves_that_the_data_lacks_count() {
    let bound = hierarchy(&[&["a", "x", "*"], &["b", "x", "*"], &["c", "y", "*"]])
        .unwrap()
        .bind(&domain(&["a", "c"]))
        .unwrap();
    assert_eq!((bound.leaves, bound.height()), (3, 2));
    assert_eq!(
        (bound.loss(0, 0), bound.loss(1, 0), bound.loss(1, 1), bound.loss(2, 1)),
        (0.0, 0.5, 0.0, 1.0)
    );
}

#[test]
fn what_is_not_covered_is_counted() {
    let column = domain(&["a", "d", "e", "?", "NA"]);
    let error = hierarchy(&[&["a", "*"], &["b", "*"]]).unwrap().bind(&column).unwrap_err();
    assert_eq!(error, HierarchyError::Uncovered { missing: 2, distinct: 3, codes: vec![3, 4] });
    assert!(error.to_string().contains("2 of the column's 3 distinct values"));
}

#[test]
fn all_markers_of_a_missing_value_become_one_leaf() {
    let bound = hierarchy(&[&["a", "x", "*"], &["b", "x", "*"]])
        .unwrap()
        .bind(&domain(&["a", "NA", "?", ""]))
        .unwrap();
    assert_eq!(bound.leaves, 3);
    assert_eq!(bound.levels[0].node_of_code, [2, 2, 2, 0]);
    assert_eq!(bound.levels[0].labels[..], ["a", "b", ""].map(Box::from));
    assert_eq!(bound.levels[1].node_of_code, [1, 1, 1, 0]);
    assert_eq!(bound.levels[1].leaves, [2, 1]);
    assert_eq!(bound.levels[2].node_of_code, [0; 4]);
    assert_eq!(bound.levels[2].leaves, [3]);
}

#[test]
fn a_marker_that_is_a_leaf_stands_for_the_others() {
    let bound =
        hierarchy(&[&["a", "x"], &["?", "unknown"]]).unwrap().bind(&domain(&["a", "NA", "?"])).unwrap();
    assert_eq!(bound.leaves, 2);
    assert_eq!(bound.levels[0].node_of_code, [1, 1, 0]);
    assert_eq!(bound.levels[1].node_of_code, [1, 1, 0]);
}

#[test]
fn a_missing_value_stays_apart_when_the_top_has_several_labels() {
    let bound = hierarchy(&[&["a", "x"], &["b", "y"]]).unwrap().bind(&domain(&["a", "?"])).unwrap();
    assert_eq!(bound.levels[1].labels[..], ["x", "y", "?"].map(Box::from));
    assert_eq!(bound.levels[1].node_of_code, [2, 0]);
}

#[test]
fn a_missing_value_whose_marker_is_a_label_joins_it_and_what_is_above() {
    let rows: &[&[&str]] = &[&["a", "?", "p", "*"], &["b", "y", "q", "*"]];
    let bound = hierarchy(rows).unwrap().bind(&domain(&["a", "b", "?"])).unwrap();
    assert_eq!(bound.levels[0].node_of_code, [2, 0, 1]);
    assert_eq!(bound.levels[1].node_of_code, [0, 0, 1]);
    assert_eq!(bound.levels[2].node_of_code, [0, 0, 1]);
    assert_eq!(bound.levels[1].labels.len(), 2);
}

#[test]
fn a_flat_hierarchy_has_the_value_and_the_top() {
    let column = domain(&["a", "b", "?"]);
    let bound = Hierarchy::flat(&column).bind(&column).unwrap();
    assert_eq!((bound.height(), bound.leaves), (1, 3));
    assert_eq!(bound.loss(1, 0), 1.0);
}

#[test]
fn markers_of_a_missing_value_are_one_leaf_of_a_flat_hierarchy() {
    let values = ["b", "?", "a", "-"].map(Box::from).to_vec();
    let column = Domain::canonical(values, |text| text == "?" || text == "-").0;
    let bound = Hierarchy::flat(&column).bind(&column).unwrap();
    assert_eq!(bound.leaves, 3);
    assert_eq!(bound.levels[0].node_of_code, [2, 2, 0, 1]);
    assert_eq!(bound.levels[1].labels.len(), 1);
}

proptest::proptest! {
    #[test]
    fn a_flat_generalization_is_a_flat_hierarchy_bound(
        texts in proptest::collection::btree_set("-?[0-9]{1,2}(\\.0)?|[a-c? ]{0,2}", 0..12),
        by_value: bool,
    ) {
        let values: Vec<Box<str>> = texts.iter().map(|text| text.as_str().into()).collect();
        let equality = if by_value { crate::Equality::default() } else { crate::Equality::EXACT };
        let is_missing = |text: &str| text == "?" || text == "-9" || text.is_empty();
        let (column, _) = Domain::by_value(values, is_missing, equality);
        proptest::prop_assert_eq!(Generalization::flat(&column), Hierarchy::flat(&column).bind(&column));
    }
}
