//! Nodes cut into classes.

use foldhash::HashMap;
use serde::Serialize;

/// A partition of nodes. Classes are numbered by their first members, so equal partitions are equal values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    of: Vec<u32>,
    sizes: Vec<u32>,
}

impl Classes {
    /// Nodes with equal keys are in one class.
    pub fn by_key<T: std::hash::Hash + Eq>(keys: impl IntoIterator<Item = T>) -> Self {
        let (mut number, mut sizes): (HashMap<T, u32>, Vec<u32>) = Default::default();
        let mut of = Vec::new();
        for key in keys {
            let own = *number.entry(key).or_insert(sizes.len() as u32);
            if own as usize == sizes.len() {
                sizes.push(0);
            }
            sizes[own as usize] += 1;
            of.push(own);
        }
        Self { of, sizes }
    }

    /// All nodes in one class.
    pub fn one(nodes: usize) -> Self {
        Self { of: vec![0; nodes], sizes: if nodes == 0 { Vec::new() } else { vec![nodes as u32] } }
    }

    /// Per node the first member of its class.
    pub(crate) fn by_first(first: &[u32]) -> Self {
        let (mut of, mut sizes) = (vec![0u32; first.len()], Vec::new());
        for (node, &own) in first.iter().enumerate() {
            if own as usize == node {
                of[node] = sizes.len() as u32;
                sizes.push(1);
            } else {
                of[node] = of[own as usize]; // why: the first member comes before all others
                sizes[of[node] as usize] += 1;
            }
        }
        Self { of, sizes }
    }

    /// The class of each node.
    pub fn of(&self) -> &[u32] {
        &self.of
    }

    /// The number of nodes of each class.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The number of classes.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The number of nodes in the class of a node.
    #[inline]
    pub fn size_of(&self, node: u32) -> u32 {
        self.sizes[self.of[node as usize] as usize]
    }

    /// The number of nodes of the smallest class; 0 where there is no node.
    pub fn smallest(&self) -> u32 {
        self.sizes.iter().copied().min().unwrap_or(0)
    }

    /// How many nodes are in classes of less than `k`.
    pub fn below(&self, k: u32) -> u64 {
        self.sizes.iter().filter(|&&size| size < k).map(|&size| u64::from(size)).sum()
    }

    /// The members of each class.
    pub fn members(&self) -> Vec<Vec<u32>> {
        let mut members: Vec<Vec<u32>> =
            self.sizes.iter().map(|&size| Vec::with_capacity(size as usize)).collect();
        for (&class, node) in self.of.iter().zip(0..) {
            members[class as usize].push(node);
        }
        members
    }

    /// Whether every class of this partition lies within one of the other.
    pub fn refines(&self, other: &Self) -> bool {
        let mut within = vec![None; self.count()];
        self.of.len() == other.of.len()
            && self
                .of
                .iter()
                .zip(&other.of)
                .all(|(&own, &coarse)| *within[own as usize].get_or_insert(coarse) == coarse)
    }

    /// How many nodes have so many candidates.
    pub fn spread(&self) -> Spread {
        let count = |from: u32, to: u32| {
            let within = self.sizes.iter().filter(|&&size| (from..=to).contains(&size));
            within.map(|&size| u64::from(size)).sum()
        };
        Spread {
            nodes: self.of.len() as u64,
            classes: self.count() as u64,
            smallest: u64::from(self.smallest()),
            one: count(1, 1),
            two_to_four: count(2, 4),
            five_to_ten: count(5, 10),
            eleven_to_twenty: count(11, 20),
            more: count(21, u32::MAX),
        }
    }
}

/// How many nodes have how many candidates, in the steps that Hay and others (2008) use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Spread {
    /// All nodes.
    pub nodes: u64,
    /// The number of classes.
    pub classes: u64,
    /// The size of the smallest class.
    pub smallest: u64,
    /// Nodes that are alone in their class.
    pub one: u64,
    /// Nodes with 2 to 4 candidates.
    pub two_to_four: u64,
    /// Nodes with 5 to 10 candidates.
    pub five_to_ten: u64,
    /// Nodes with 11 to 20 candidates.
    pub eleven_to_twenty: u64,
    /// Nodes with more.
    pub more: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbered_by_their_first_members() {
        let classes = Classes::by_key(["b", "a", "b", "c"]);
        assert_eq!((classes.of(), classes.sizes()), (&[0, 1, 0, 2][..], &[2, 1, 1][..]));
        assert_eq!(Classes::by_first(&[0, 1, 0, 3]), classes);
        assert_eq!((classes.smallest(), classes.below(2), classes.size_of(2)), (1, 2, 2));
        assert_eq!(classes.members(), [vec![0, 2], vec![1], vec![3]]);
        assert!(classes.refines(&Classes::one(4)) && !Classes::one(4).refines(&classes));
        assert_eq!((Classes::one(0).smallest(), Classes::one(0).count()), (0, 0));
        let spread = classes.spread();
        assert_eq!((spread.one, spread.two_to_four, spread.classes), (2, 2, 3));
    }
}
