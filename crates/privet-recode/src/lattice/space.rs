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
    /// The lattice over columns with these top levels; `None` when it has more nodes than can be numbered.
    pub fn new(heights: &[usize]) -> Option<Self> {
        let mut strides = vec![1u64; heights.len()];
        let mut nodes = 1u64;
        for (stride, &height) in strides.iter_mut().zip(heights).rev() {
            *stride = nodes;
            nodes = nodes.checked_mul(height as u64 + 1)?;
        }
        Some(Self { heights: heights.to_vec(), strides, nodes })
    }

    /// The number of nodes.
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
            let lattice = Lattice::new(&heights).unwrap();
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
    fn a_lattice_too_large_to_number_is_refused() {
        assert!(Lattice::new(&[9; 19]).is_some());
        assert!(Lattice::new(&[9; 30]).is_none());
    }
}
