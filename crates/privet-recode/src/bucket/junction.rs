//! Junction trees of sets of columns: the order in which views can be put together so that each shares with those before
//! it only what it shares with one of them (the running intersection property).
//!
//! A spanning tree in which the views next to each other share as many columns as possible has that property when
//! any tree has it, that is when the views are decomposable; and it has it exactly when the shared columns along its
//! edges are as many as the views that hold each column, less one per column.

/// A view that is put to those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Joined {
    /// The view.
    pub view: usize,
    /// The view before it with which it shares most; `None` for the first.
    pub parent: Option<usize>,
    /// What it shares with it: columns in ascending order.
    pub separator: Vec<usize>,
}

/// The views in the order of such a tree, and whether it is a junction tree. Columns of a view are in ascending order.
pub(super) fn junction_tree(views: &[Vec<usize>]) -> (Vec<Joined>, bool) {
    let mut order: Vec<Joined> = Vec::with_capacity(views.len());
    let mut waiting: Vec<usize> = (0..views.len()).collect();
    while !waiting.is_empty() {
        // The pair that shares most; the first of equals, so that the order is always the same.
        let mut best =
            Joined { view: waiting[0], parent: order.first().map(|first| first.view), separator: Vec::new() };
        for &view in &waiting {
            for before in &order {
                let separator = shared(&views[view], &views[before.view]);
                if separator.len() > best.separator.len() {
                    best = Joined { view, parent: Some(before.view), separator };
                }
            }
        }
        waiting.retain(|&view| view != best.view);
        order.push(best);
    }
    let mut columns: Vec<usize> = views.iter().flatten().copied().collect();
    let places = columns.len();
    columns.sort_unstable();
    columns.dedup();
    let along_edges: usize = order.iter().map(|joined| joined.separator.len()).sum();
    (order, along_edges == places - columns.len())
}

/// The columns of both, in ascending order.
pub(super) fn shared(a: &[usize], b: &[usize]) -> Vec<usize> {
    a.iter().filter(|column| b.binary_search(column).is_ok()).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_junction(views: &[&[usize]]) -> bool {
        junction_tree(&views.iter().map(|view| view.to_vec()).collect::<Vec<_>>()).1
    }

    #[test]
    fn tells_decomposable_sets() {
        assert!(is_junction(&[]));
        assert!(is_junction(&[&[0, 1, 2]]));
        assert!(is_junction(&[&[0, 1], &[1, 2]]));
        assert!(is_junction(&[&[0], &[1]]), "without overlap");
        assert!(is_junction(&[&[0, 1], &[2, 3], &[1, 2]]), "a chain in any order");
        assert!(is_junction(&[&[0, 1, 2], &[1, 2, 3], &[2, 3, 4]]));
        assert!(!is_junction(&[&[0, 1], &[1, 2], &[0, 2]]), "a triangle");
        assert!(!is_junction(&[&[0, 1], &[1, 2], &[2, 3], &[0, 3]]), "a cycle");
        assert!(is_junction(&[&[0, 1, 2], &[0, 1], &[1, 2], &[0, 2]]), "a triangle within a view");
    }
}
