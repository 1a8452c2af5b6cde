use proptest::prelude::*;

use super::super::goal::{Classes, Numbers};
use super::*;

const LIMITS: Limits = Limits { min_leaf: 1, max_depth: 1 };

fn order(values: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| lowest(values[a as usize]).total_cmp(&lowest(values[b as usize])));
    order
}

/// A table of a number and a category, 0 for missing ones.
fn columns(numbers: &[u8], codes: &[u8]) -> Vec<Column> {
    let number = |&own: &u8| if own == 0 { f64::NAN } else { f64::from(own) };
    let code = |&own: &u8| if own == 0 { MISSING } else { u32::from(own) - 1 };
    vec![
        Column::Numeric(numbers.iter().map(number).collect()),
        Column::Categorical { codes: codes.iter().map(code).collect(), categories: 4 },
    ]
}

/// Grows a tree on both columns, and checks that records find the leaf they are in.
fn grown<G: Goal>(columns: &[Column], goal: &mut G, limits: Limits) -> Tree {
    let [Column::Numeric(values), Column::Categorical { codes, .. }] = columns else { unreachable!() };
    let order = order(values);
    let codes: Vec<u32> = codes.iter().map(|&code| coded(code, 4)).collect();
    let predictors = [
        (0, Predictor::Numeric { values, order: &order }),
        (1, Predictor::Categorical { codes: &codes, categories: 4 }),
    ];
    let rows: Vec<u32> = (0..values.len() as u32).collect();
    let tree = grow(&predictors, rows, values.len(), goal, limits);
    let mut seen = 0;
    for node in 0..tree.nodes() {
        let Some(leaf) = tree.leaf(node) else { continue };
        assert!(leaf.len() >= limits.min_leaf.min(values.len()));
        for &row in &tree.rows[leaf] {
            assert_eq!(tree.find(columns, row as usize), node);
            seen += 1;
        }
    }
    assert_eq!(seen, values.len());
    tree
}

/// All ways to divide the records by a threshold, with at least so many on either side. Where that is one, also all ways
/// to divide them by a set of categories: with more, the theorem about the order of categories does not hold.
fn divisions(numbers: &[u8], codes: &[u8], min_leaf: usize) -> Vec<Vec<bool>> {
    let thresholds = (0..=9u8).map(|threshold| numbers.iter().map(|&own| own <= threshold).collect());
    let subsets = (0..32u8).map(|set| codes.iter().map(|&own| set >> own & 1 == 1).collect());
    let enough = |sides: &Vec<bool>| {
        let first = sides.iter().filter(|side| **side).count();
        first >= min_leaf && sides.len() - first >= min_leaf
    };
    thresholds.chain(subsets.filter(|_| min_leaf == 1)).filter(enough).collect()
}

/// The squares within two sides.
fn squares(sides: &[bool], values: &[f64]) -> f64 {
    let within = |side: bool| {
        let own: Vec<f64> = values.iter().zip(sides).filter(|(_, s)| **s == side).map(|(v, _)| *v).collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        own.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
    };
    within(true) + within(false)
}

fn sides(tree: &Tree, records: usize) -> Option<Vec<bool>> {
    let first = tree.leaf(1)?;
    let mut sides = vec![false; records];
    tree.rows[first].iter().for_each(|&row| sides[row as usize] = true);
    Some(sides)
}

/// Numbers from 1 to 8 and categories from 1 to 4, 0 for missing, and a goal from 0 to 4.
fn records() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec((0u8..9, 0u8..5, 0u8..5), 2..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// The split of a number leaves the least squares of all splits (brute force over thresholds and subsets).
    #[test]
    fn splits_of_numbers_are_the_best(records in records(), min_leaf in 1usize..4) {
        let (numbers, (codes, goal)): (Vec<u8>, (Vec<u8>, Vec<u8>)) =
            records.iter().map(|r| (r.0, (r.1, r.2))).unzip();
        let values: Vec<f64> = goal.iter().map(|&own| f64::from(own) * 1e3 - 7.0).collect();
        let rows: Vec<u32> = (0..values.len() as u32).collect();
        let mut own = Numbers::new(&values, &rows);
        let tree = grown(&columns(&numbers, &codes), &mut own, Limits { min_leaf, ..LIMITS });
        let whole = squares(&vec![true; values.len()], &values);
        let best = divisions(&numbers, &codes, min_leaf).iter().map(|s| squares(s, &values)).fold(f64::INFINITY, f64::min);
        match sides(&tree, values.len()) {
            Some(found) if min_leaf == 1 => prop_assert!((squares(&found, &values) - best).abs() <= 1e-6 * whole),
            Some(found) => prop_assert!(squares(&found, &values) <= best.min(whole) + 1e-6 * whole),
            None => prop_assert!(best.is_infinite() || best >= whole * (1.0 - 1e-9)),
        }
    }

    /// The split of two classes has the least Gini impurity of all splits.
    #[test]
    fn splits_of_two_classes_are_the_best(records in records(), min_leaf in 1usize..4) {
        let (numbers, (codes, goal)): (Vec<u8>, (Vec<u8>, Vec<u32>)) =
            records.iter().map(|r| (r.0, (r.1, u32::from(r.2 > 1)))).unzip();
        let tree = grown(&columns(&numbers, &codes), &mut Classes::new(&goal, 2), Limits { min_leaf, ..LIMITS });
        // For two classes Gini's impurity is twice the squares of the indicator.
        let values: Vec<f64> = goal.iter().map(|&class| f64::from(class)).collect();
        let whole = squares(&vec![true; values.len()], &values);
        let best = divisions(&numbers, &codes, min_leaf).iter().map(|s| squares(s, &values)).fold(f64::INFINITY, f64::min);
        match sides(&tree, values.len()) {
            Some(found) if min_leaf == 1 => prop_assert!((squares(&found, &values) - best).abs() <= 1e-9),
            Some(found) => prop_assert!(squares(&found, &values) <= best.min(whole) + 1e-9),
            None => prop_assert!(best.is_infinite() || best >= whole - 1e-9),
        }
    }

    /// Deep trees keep all records, sizes and ways down, for any number of classes.
    #[test]
    fn deep_trees_are_consistent(records in prop::collection::vec((0u8..9, 0u8..5, 0u8..5), 1..60), min_leaf in 1usize..5) {
        let (numbers, (codes, goal)): (Vec<u8>, (Vec<u8>, Vec<u32>)) =
            records.iter().map(|r| (r.0, (r.1, u32::from(r.2)))).unzip();
        let limits = Limits { min_leaf, max_depth: 20 };
        let columns = columns(&numbers, &codes);
        grown(&columns, &mut Classes::new(&goal, 5), limits);
        let values: Vec<f64> = goal.iter().map(|&class| f64::from(class)).collect();
        let rows: Vec<u32> = (0..values.len() as u32).collect();
        grown(&columns, &mut Numbers::new(&values, &rows), limits);
    }
}

#[test]
fn unseen_categories_go_to_the_larger_side() {
    let numbers = [1; 7];
    let codes = [1, 1, 2, 2, 2, 2, 2];
    let values = [0.0, 0.0, 5.0, 5.0, 5.0, 5.0, 5.0];
    let rows: Vec<u32> = (0..7).collect();
    let tree = grown(&columns(&numbers, &codes), &mut Numbers::new(&values, &rows), LIMITS);
    let usual = tree.find(&columns(&numbers, &codes), 6);
    let other = columns(&[1, 1, 1], &[1, 4, 0]);
    assert_ne!(tree.find(&other, 0), usual);
    assert_eq!((tree.find(&other, 1), tree.find(&other, 2)), (usual, usual));
}

#[test]
fn thresholds_lie_between() {
    assert_eq!(between(1.0, 2.0), 1.5);
    assert_eq!(between(f64::NEG_INFINITY, -1e300), f64::NEG_INFINITY);
    assert_eq!(between(1.0, 1.0 + f64::EPSILON), 1.0);
    assert!(between(-1e100, 1e100) == 0.0);
}
