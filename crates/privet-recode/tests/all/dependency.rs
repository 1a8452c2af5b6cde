//! The dependency tree and its key attributes: the golden table of the thesis, and brute force over all trees.

use privet_data::Silent;
use privet_recode::cluster::DependencyTree;
use privet_recode::purpose::{IndependencyMatrix, variation_of_information};
use proptest::prelude::*;

/// Thesis 2.11, Table 5.1: 12 records of 6 binary attributes.
const TABLE: [&str; 12] = [
    "000111", "011010", "110100", "001111", "011100", "001001", "111001", "011000", "111011", "011101",
    "011100", "111111",
];

fn table_5_1() -> Vec<Vec<u32>> {
    (0..6).map(|column| TABLE.iter().map(|row| u32::from(row.as_bytes()[column] - b'0')).collect()).collect()
}

fn tree(columns: &[Vec<u32>]) -> DependencyTree {
    let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
    DependencyTree::new(&columns, &Silent).unwrap()
}

#[test]
fn the_matrix_of_table_5_1() {
    let columns = table_5_1();
    let printed = [
        (1, 2, 1.3796),
        (1, 3, 1.5339),
        (1, 4, 1.8777),
        (1, 5, 1.8777),
        (1, 6, 1.8126),
        (2, 3, 1.3753),
        (2, 4, 1.7772),
        (2, 5, 1.6681),
        (2, 6, 1.3180),
        (3, 4, 1.3368),
        (3, 5, 1.6217),
        (3, 6, 1.6217),
        (4, 5, 1.9586),
        (4, 6, 1.9586),
        (5, 6, 1.7510),
    ];
    for (i, j, bits) in printed {
        let found = variation_of_information(&columns[i - 1], &columns[j - 1]);
        assert!((found - bits).abs() <= 1.01e-4, "{i} {j} {found} {bits}");
    }
}

/// The true minimum spanning tree; the thesis' degrees (A2: 4, A3: 2) are not of one (defect 13).
#[test]
fn the_tree_of_table_5_1() {
    let tree = tree(&table_5_1());
    let links: Vec<(usize, usize)> = tree.links.iter().map(|&(i, j, _)| (i + 1, j + 1)).collect();
    assert_eq!(links, [(2, 6), (3, 4), (2, 3), (1, 2), (3, 5)]);
    assert_eq!(tree.degrees, [1, 3, 3, 1, 1, 1]);
    assert_eq!(tree.key_attributes(), [1, 2]);
}

/// Theorem 5.1 with ⌈m/2⌉: a path of five needs three, which is more than 5/2.
#[test]
fn a_path_of_five_has_three_key_attributes() {
    let path = DependencyTree { links: Vec::new(), degrees: vec![1, 2, 2, 2, 1] };
    assert_eq!(path.key_attributes(), [1, 2, 3]);
    let star = DependencyTree { links: Vec::new(), degrees: vec![1, 1, 4, 1, 1] };
    assert_eq!(star.key_attributes(), [0, 2], "ties go to the first column");
}

#[test]
fn few_columns_and_no_records() {
    assert_eq!(tree(&[]), DependencyTree { links: Vec::new(), degrees: Vec::new() });
    assert_eq!(tree(&[]).key_attributes(), [0usize; 0]);
    assert_eq!(tree(&[vec![0, 1]]).key_attributes(), [0]);
    assert_eq!(tree(&[vec![0, 1], vec![1, 1]]).key_attributes(), [0, 1]);
    let empty = tree(&[Vec::new(), Vec::new(), Vec::new()]);
    assert_eq!(empty.degrees, [2, 1, 1], "all at distance 0: links in the order of the columns");
    assert_eq!(empty.key_attributes(), [0, 1]);
}

/// The least weight over all spanning trees, each given by its Prüfer code.
fn least_weight(matrix: &IndependencyMatrix) -> f64 {
    let m = matrix.size();
    let mut least = f64::INFINITY;
    for number in 0..m.pow(m as u32 - 2) {
        let code: Vec<usize> = (0..m as u32 - 2).map(|i| number / m.pow(i) % m).collect();
        let mut degree: Vec<usize> = (0..m).map(|v| 1 + code.iter().filter(|&&c| c == v).count()).collect();
        let mut weight = 0.0;
        for &v in &code {
            let leaf = degree.iter().position(|&d| d == 1).unwrap();
            weight += matrix.row(leaf)[v];
            degree[leaf] -= 1;
            degree[v] -= 1;
        }
        let last: Vec<usize> = (0..m).filter(|&v| degree[v] == 1).collect();
        weight += matrix.row(last[0])[last[1]];
        least = least.min(weight);
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_spanning_tree_weighs_less(
        columns in (3usize..6, 1usize..20)
            .prop_flat_map(|(m, n)| prop::collection::vec(prop::collection::vec(0u32..3, n), m)),
    ) {
        let borrowed: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let matrix = IndependencyMatrix::new(&borrowed, &Silent).unwrap();
        let tree = DependencyTree::of(&matrix);
        let weight: f64 = tree.links.iter().map(|link| link.2).sum();
        prop_assert!((weight - least_weight(&matrix)).abs() < 1e-9);
        prop_assert_eq!(tree.links.len(), columns.len() - 1);
        prop_assert_eq!(tree.degrees.iter().sum::<usize>(), 2 * (columns.len() - 1));
    }

    /// Theorem 5.1, with ⌈m/2⌉ for m/2; and the keys are the fewest whose degrees suffice.
    #[test]
    fn key_attributes_are_at_most_half(
        columns in (3usize..12, 1usize..20)
            .prop_flat_map(|(m, n)| prop::collection::vec(prop::collection::vec(0u32..3, n), m)),
    ) {
        let tree = tree(&columns);
        let (m, keys) = (columns.len(), tree.key_attributes());
        prop_assert!((2..=m.div_ceil(2)).contains(&keys.len()), "{} of {}", keys.len(), m);
        let mut degrees: Vec<usize> = keys.iter().map(|&key| tree.degrees[key]).collect();
        degrees.sort_unstable();
        prop_assert!(degrees.iter().sum::<usize>() >= m);
        prop_assert!(degrees[1..].iter().sum::<usize>() < m);
    }
}
