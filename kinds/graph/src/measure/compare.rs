//! How many edges of the original are published.

use crate::{Graph, NOBODY};

/// The edges of the original between the published nodes of the same people.
#[must_use]
pub fn edges_kept(original: &Graph, published: &Graph, truth: &[u32]) -> u64 {
    let node = |person: u32| truth.get(person as usize).copied().filter(|&own| own != NOBODY);
    let is_kept = |&(a, b): &(u32, u32)| match (node(a), node(b)) {
        (Some(a), Some(b)) => published.has_edge(a, b),
        _ => false,
    };
    original.edges().filter(is_kept).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_followed_through_the_truth() {
        let original = Graph::undirected(4, &[(0, 1), (1, 2), (2, 3)]).unwrap().0;
        let published = Graph::undirected(3, &[(2, 1), (0, 2)]).unwrap().0;
        assert_eq!(edges_kept(&original, &published, &[2, 1, 0, NOBODY]), 1);
    }
}
