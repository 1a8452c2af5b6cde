//! The cuts that were made, as a tree, and the regions of the groups that they leave.

use super::space::Space;

/// A node of the tree of cuts. Nodes are listed each before its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub entry: Entry,
    /// How many parts it is cut into; 0 for a group.
    pub parts: u32,
    /// Its records.
    pub rows: u32,
}

/// What the records of a node have in common that those of the node above have not: a run of places in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub column: u32,
    pub first: u32,
    pub last: u32,
}

impl Entry {
    /// The whole table.
    pub const ROOT: Self = Self { column: u32::MAX, first: 0, last: u32::MAX };

    pub fn new(column: usize, (first, last): (u32, u32)) -> Self {
        Self { column: column as u32, first, last }
    }
}

/// What the cuts leave of a quasi column to a group, whether or not it has records everywhere in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// A column of numbers, from one code to another.
    Codes {
        /// The first code.
        first: u32,
        /// The last code.
        last: u32,
    },
    /// A node of the hierarchy of a column without numbers.
    Node {
        /// Its level.
        level: usize,
        /// Its number at that level.
        node: u32,
    },
    /// All of a column whose hierarchy has several labels at the top.
    Anything,
}

/// Per group, in the order in which they are listed, and quasi column its region.
pub(super) fn regions(nodes: &[Node], space: &Space) -> Vec<Vec<Region>> {
    let mut at: Vec<(u32, u32)> =
        space.dimensions.iter().map(|d| (0, d.places.saturating_sub(1) as u32)).collect();
    // Per open node how many of its parts are still to come, and what it changed.
    let mut open: Vec<(u32, Entry)> = Vec::new();
    let mut all = Vec::new();
    for node in nodes {
        let mut undo = Entry::ROOT;
        if let Some(run) = at.get_mut(node.entry.column as usize) {
            undo = Entry::new(node.entry.column as usize, *run);
            *run = (run.0.max(node.entry.first), run.1.min(node.entry.last));
        }
        open.push((node.parts, undo));
        if node.parts == 0 {
            all.push(
                space.dimensions.iter().zip(&at).map(|(dimension, &run)| region(dimension, run)).collect(),
            );
        }
        while let Some(&(0, undo)) = open.last() {
            if let Some(run) = at.get_mut(undo.column as usize) {
                *run = (undo.first, undo.last);
            }
            open.pop();
            if let Some((to_come, _)) = open.last_mut() {
                *to_come -= 1;
            }
        }
    }
    all
}

fn region(dimension: &super::space::Dimension, (first, last): (u32, u32)) -> Region {
    if dimension.is_line() {
        let (first, last) = dimension.codes_between(first, last);
        return Region::Codes { first, last };
    }
    match dimension.node_above(first, last) {
        Some((level, node)) => Region::Node { level, node },
        None => Region::Anything,
    }
}
