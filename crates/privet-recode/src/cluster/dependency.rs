//! The best dependency tree of columns, and the key attributes among them (thesis 2.11, 2.12; Definitions 5.1 to 5.3).
//!
//! The tree is the minimum spanning tree over the columns, where two columns are as far apart as their variation of
//! information (the thesis' "MI", 2H(A,B) - H(A) - H(B)): columns that tell much about each other are linked. Key
//! attributes are the columns of highest degree in it, as few as have degrees that sum to the number of columns.
//!
//! The degrees that the thesis prints for its example are not those of a minimum spanning tree (defect 13: A5 hangs
//! on A3, not on A2); the key attributes are the same.
//!
//! # Guarantee
//! No spanning tree weighs less. Links of the same weight are taken in the order of their columns, and columns of the
//! same degree in theirs. Of m columns, N are key attributes: all of one or two, and 2 <= N <= ⌈m/2⌉ of three or
//! more (Theorem 5.1; the thesis prints m/2, which a path of five columns contradicts).

use privet_data::{Cancelled, Progress};

use crate::purpose::IndependencyMatrix;

/// A tree over columns.
#[derive(Debug, Clone, PartialEq)]
pub struct DependencyTree {
    /// Links of two columns, the lower one first, and their variation of information in bits; the closest first.
    pub links: Vec<(usize, usize, f64)>,
    /// Per column how many links it has.
    pub degrees: Vec<usize>,
}

impl DependencyTree {
    /// The best tree over columns of codes, one per record.
    ///
    /// # Errors
    /// When the person asked to stop.
    pub fn new(columns: &[&[u32]], progress: &dyn Progress) -> Result<Self, Cancelled> {
        Ok(Self::of(&IndependencyMatrix::new(columns, progress)?))
    }

    /// The best tree for distances that are known (Kruskal).
    pub fn of(matrix: &IndependencyMatrix) -> Self {
        let size = matrix.size();
        let mut pairs: Vec<(usize, usize, f64)> =
            (0..size).flat_map(|i| (i + 1..size).map(move |j| (i, j, matrix.row(i)[j]))).collect();
        // Stable: pairs of the same weight stay in the order of their columns.
        pairs.sort_by(|a, b| a.2.total_cmp(&b.2));
        // Per column a column of the same part of the forest, up to the one that stands for it.
        let mut towards: Vec<usize> = (0..size).collect();
        let part = |towards: &mut Vec<usize>, mut column: usize| {
            while towards[column] != column {
                towards[column] = towards[towards[column]];
                column = towards[column];
            }
            column
        };
        let mut tree = Self { links: Vec::new(), degrees: vec![0; size] };
        for (i, j, weight) in pairs {
            let (a, b) = (part(&mut towards, i), part(&mut towards, j));
            if a != b {
                towards[a] = b;
                tree.links.push((i, j, weight));
                tree.degrees[i] += 1;
                tree.degrees[j] += 1;
            }
        }
        tree
    }

    /// The key attributes, in the order of the columns.
    pub fn key_attributes(&self) -> Vec<usize> {
        let mut by_degree: Vec<usize> = (0..self.degrees.len()).collect();
        by_degree.sort_by_key(|&column| std::cmp::Reverse(self.degrees[column]));
        let mut sum = 0;
        let mut keys = Vec::new();
        for column in by_degree {
            if sum >= self.degrees.len() {
                break;
            }
            sum += self.degrees[column];
            keys.push(column);
        }
        keys.sort_unstable();
        keys
    }
}
