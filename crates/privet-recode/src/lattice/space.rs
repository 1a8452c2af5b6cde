//! The lattice of full-domain generalizations: one level per quasi column (papers T-AL4, thesis 1.2).

/// The candidates, numbered. The last column varies fastest, so counting down visits every node after
/// all nodes that are more general.
#[derive(Debug, Clone)]
pub struct Lattice {
    heights: Vec<usize>,
    strides: Vec<u64>,
    nodes: u64,
}

impl Lattice {
    /// The lattice over columns with these top levels.
    pub fn new(heights: &[usize]) -> Self {
        let mut strides = vec![1u64; heights.len()];
        let mut nodes = 1u64;
        for (stride, &height) in strides.iter_mut().zip(heights).rev() {
            *stride = nodes;
            nodes = nodes.saturating_mul(height as u64 + 1);
        }
        Self { heights: heights.to_vec(), strides, nodes }
    }

    /// The number of nodes; `u64::MAX` when there are more, and then they have no numbers.
    pub fn len(&self) -> u64 {
        self.nodes
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.heights.len()
    }

    /// The top level of a column.
    pub fn height(&self, column: usize) -> usize {
        self.heights[column]
    }

    /// How far the numbers of two nodes are apart that differ by one level in this column.
    pub fn stride(&self, column: usize) -> u64 {
        self.strides[column]
    }

    /// The number of a node.
    pub fn index(&self, levels: &[usize]) -> u64 {
        levels.iter().zip(&self.strides).map(|(&level, stride)| level as u64 * stride).sum()
    }

    /// The levels of a node.
    pub fn levels(&self, index: u64) -> Vec<usize> {
        self.strides
            .iter()
            .zip(&self.heights)
            .map(|(stride, &height)| (index / stride % (height as u64 + 1)) as usize)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_and_levels_are_one_to_one(heights in prop::collection::vec(0usize..5, 0..6)) {
            let lattice = Lattice::new(&heights);
            for index in 0..lattice.len() {
                let levels = lattice.levels(index);
                prop_assert_eq!(lattice.index(&levels), index);
                for (column, &level) in levels.iter().enumerate() {
                    if level < heights[column] {
                        let mut above = levels.clone();
                        above[column] += 1;
                        prop_assert_eq!(lattice.index(&above), index + lattice.stride(column));
                    }
                }
            }
        }
    }

    #[test]
    fn a_lattice_too_large_to_number_says_so() {
        assert_eq!(Lattice::new(&[9; 19]).len(), 10u64.pow(19));
        assert_eq!(Lattice::new(&[9; 30]).len(), u64::MAX);
    }
}
