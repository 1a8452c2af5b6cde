//! Junction trees: the margins of a decomposable model put together so that each shares with those before it only what
//! it shares with one of them (the running intersection property; survey ME-36).
//!
//! A spanning tree in which neighbours share as many columns as possible has that property if any tree has it, and
//! it has it exactly when each column's margins lie next to each other: when the columns shared along the edges are as
//! many as the places of columns in margins less the number of columns.

use super::{Counts, TableError};

/// What an edge of the tree tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edge {
    /// The columns that both sides share.
    pub separator: Vec<usize>,
    /// The columns that only the side away from the first margin has.
    pub beyond: Vec<usize>,
}

/// The edges of a junction tree of margins, in the order in which margins join.
pub(super) fn junction_tree(table: &Counts, margins: &[Vec<usize>]) -> Result<Vec<Edge>, TableError> {
    let margins = table.checked(margins)?;
    if let Some(column) = (0..table.sizes.len()).find(|column| !margins.iter().any(|m| m.contains(column))) {
        return Err(TableError::Uncovered { column });
    }
    let shared = |a: &[usize], b: &[usize]| -> Vec<usize> {
        a.iter().filter(|column| b.binary_search(column).is_ok()).copied().collect()
    };
    // Per margin that joined, in order: its columns, the place of the one it joined to, what they share.
    let mut joined: Vec<(&Vec<usize>, usize, Vec<usize>)> = Vec::with_capacity(margins.len());
    let mut waiting: Vec<&Vec<usize>> = margins.iter().collect();
    while let Some(&first) = waiting.first() {
        let mut best = (0, first, 0, Vec::new());
        for (at, &columns) in waiting.iter().enumerate() {
            for (place, (other, _, _)) in joined.iter().enumerate() {
                let separator = shared(columns, other);
                if separator.len() > best.3.len() {
                    best = (at, columns, place, separator);
                }
            }
        }
        waiting.remove(best.0); // why: a place of a waiting one
        joined.push((best.1, best.2, best.3));
    }
    let places: usize = margins.iter().map(Vec::len).sum();
    let along: usize = joined.iter().map(|(_, _, separator)| separator.len()).sum();
    if along != places - table.sizes.len() {
        return Err(TableError::NotDecomposable);
    }
    // Beyond the edge to its parent lie a margin and all that joined to it later.
    let mut below: Vec<Vec<usize>> = joined.iter().map(|(columns, _, _)| columns.to_vec()).collect();
    for (at, (_, parent, _)) in joined.iter().enumerate().skip(1).rev() {
        let own = below.get(at).cloned().unwrap_or_default();
        if let Some(parent) = below.get_mut(*parent) {
            parent.extend(own);
        }
    }
    let mut edges = Vec::with_capacity(joined.len().saturating_sub(1));
    for ((_, _, separator), mut beyond) in joined.into_iter().zip(below).skip(1) {
        beyond.retain(|column| separator.binary_search(column).is_err());
        beyond.sort_unstable();
        beyond.dedup();
        edges.push(Edge { separator, beyond });
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(columns: usize, margins: &[&[usize]]) -> Result<Vec<Edge>, TableError> {
        let table = Counts::new(vec![2; columns], vec![0; 1 << columns]).unwrap();
        junction_tree(&table, &margins.iter().map(|m| m.to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn decomposable_models() {
        let edge = |s: &[usize], b: &[usize]| Edge { separator: s.to_vec(), beyond: b.to_vec() };
        assert_eq!(tree(2, &[&[0], &[1]]).unwrap(), [edge(&[], &[1])]);
        assert_eq!(tree(3, &[&[0, 1], &[1, 2]]).unwrap(), [edge(&[1], &[2])]);
        assert_eq!(tree(2, &[&[0, 1], &[0]]).unwrap(), []);
        // A chain in any order: what lies beyond an edge is all of that side.
        assert_eq!(tree(4, &[&[2, 3], &[0, 1], &[1, 2]]).unwrap(), [edge(&[1], &[2, 3]), edge(&[2], &[3])]);
        assert_eq!(tree(3, &[&[0, 1, 2], &[0, 1], &[1, 2], &[0, 2]]).unwrap(), []);
        assert_eq!(tree(5, &[&[0, 1, 2], &[1, 2, 3], &[2, 3, 4]]).unwrap().len(), 2);
    }

    #[test]
    fn others_are_refused() {
        assert_eq!(tree(3, &[&[0, 1], &[1, 2], &[0, 2]]), Err(TableError::NotDecomposable));
        assert_eq!(tree(4, &[&[0, 1], &[1, 2], &[2, 3], &[0, 3]]), Err(TableError::NotDecomposable));
        assert_eq!(tree(3, &[&[0, 1]]), Err(TableError::Uncovered { column: 2 }));
        assert_eq!(tree(2, &[&[0, 1], &[]]), Err(TableError::Margin { margin: 1 }));
        assert!(tree(2, &[]).is_err());
        assert!(TableError::NotDecomposable.to_string().contains("not decomposable"));
    }
}
