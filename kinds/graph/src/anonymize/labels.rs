//! Labels of nodes and what they may be generalized to (survey AP-06; Zhou and Pei 2008 generalize labels with a hierarchy).

use crate::GraphError;

/// Labels and what they may be generalized to: a forest given by the parent of each code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelTree {
    parents: Vec<Option<u32>>,
    depths: Vec<u32>,
}

impl LabelTree {
    /// A tree of codes; the one code without a parent is the root.
    ///
    /// # Errors
    /// When there is not exactly one root, or parents go round in a circle.
    pub fn new(parents: Vec<Option<u32>>) -> Result<Self, GraphError> {
        let wrong = GraphError::Parameter { key: "labels", accepted: "a tree with one root" };
        let mut depths = Vec::with_capacity(parents.len());
        for start in 0..parents.len() {
            let (mut node, mut depth) = (start, 0u32);
            while let Some(above) = parents[node] {
                depth += 1;
                node = above as usize;
                if depth as usize > parents.len() || node >= parents.len() {
                    return Err(wrong);
                }
            }
            depths.push(depth);
        }
        if parents.iter().filter(|own| own.is_none()).count() != 1 {
            return Err(wrong);
        }
        Ok(Self { parents, depths })
    }

    /// A tree in which so many labels have nothing above them but one root, whose code is the next one.
    #[must_use]
    pub fn flat(labels: u32) -> Self {
        let mut parents = vec![Some(labels); labels as usize];
        parents.push(None);
        let mut depths = vec![1; labels as usize];
        depths.push(0);
        Self { parents, depths }
    }

    /// The number of codes.
    #[must_use]
    pub fn codes(&self) -> usize {
        self.parents.len()
    }

    /// What a code is generalized to in one step; nothing for the root.
    #[must_use]
    pub fn parent(&self, code: u32) -> Option<u32> {
        self.parents[code as usize]
    }

    /// The least general code that covers both.
    #[must_use]
    pub fn common(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            let upper = if self.depths[a as usize] >= self.depths[b as usize] { &mut a } else { &mut b };
            match self.parents[*upper as usize] {
                Some(above) => *upper = above,
                None => return *upper, // why: there is one root, which covers everything
            }
        }
        a
    }

    /// Whether a code covers another.
    #[must_use]
    pub fn covers(&self, upper: u32, lower: u32) -> bool {
        self.common(upper, lower) == upper
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_rise_to_what_covers_both() {
        // 0 and 1 are left, 2 is right; 3 covers the left ones, 4 everything.
        let tree = LabelTree::new(vec![Some(3), Some(3), Some(4), Some(4), None]).unwrap();
        assert_eq!(
            (tree.common(0, 1), tree.common(0, 2), tree.common(3, 1), tree.common(2, 2)),
            (3, 4, 3, 2)
        );
        assert!(tree.covers(4, 0) && !tree.covers(3, 2));
        assert_eq!((tree.parent(0), tree.parent(4)), (Some(3), None));
        assert!(LabelTree::new(vec![Some(1), Some(0)]).is_err());
        assert!(LabelTree::new(vec![None, None]).is_err());
        assert_eq!(LabelTree::flat(2).common(0, 1), 2);
    }
}
