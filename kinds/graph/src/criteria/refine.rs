//! Candidate sets by structural knowledge (survey AP-03; Hay and others 2008): H0 knows nothing, H1 the degree, H2 the
//! degrees of the neighbours, H(i+1) what H(i) says of every neighbour. That is colour refinement: cand(t) is the class of t.
//!
//! Guarantee. Classes are exact. Nodes are grouped by a sum of hashes over their neighbours, and every group is then
//! compared list by list; a collision costs time and changes nothing. A step takes O(m) hashes and comparisons and a
//! sort of n keys. Automorphic nodes are never told apart, so every class is a union of orbits: a bound from above on
//! the anonymity that any structural knowledge leaves.

use rayon::prelude::*;

use crate::{Classes, Graph, GraphError};

/// Candidate sets for growing knowledge: element `i` holds the classes of H(i), up to `depth`.
///
/// `visible` tells what else is known of a node and published with it, such as the code of an attribute.
///
/// ```
/// use privet_graph::{Graph, candidate_sets};
/// // survey FX-7.F1: 0 Bee-Chung, 1 Kristen, 2 Raghu, 3 Johannes, 4 Ashwin, 5 Dan
/// let edges = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)];
/// let (graph, _) = Graph::undirected(6, &edges)?;
/// let sets = candidate_sets(&graph, 2, None)?;
/// assert_eq!(sets[1].size_of(4), 1); // Ashwin is the only one with three neighbours
/// assert_eq!(sets[1].size_of(5), 3); // Dan's single neighbour does not give him away
/// assert_eq!(sets[2].size_of(5), 1); // that this neighbour has three neighbours does
/// # Ok::<(), privet_graph::GraphError>(())
/// ```
///
/// # Errors
/// When `visible` does not tell a value for each node.
pub fn candidate_sets(
    graph: &Graph,
    depth: u32,
    visible: Option<&[u32]>,
) -> Result<Vec<Classes>, GraphError> {
    let mut sets = vec![start(graph, visible)?];
    for _ in 0..depth {
        let next = step(graph, &sets[sets.len() - 1], !0); // why: there is a first one
        sets.push(next);
    }
    Ok(sets)
}

/// The classes that no depth of this knowledge refines further.
///
/// # Errors
/// When `visible` does not tell a value for each node.
pub fn stable_classes(graph: &Graph, visible: Option<&[u32]>) -> Result<Classes, GraphError> {
    Ok(stable(graph, start(graph, visible)?))
}

/// The same after so many steps at most: a graph like a long path would take as many as it has nodes.
pub(crate) fn stable_within(
    graph: &Graph,
    visible: Option<&[u32]>,
    steps: u32,
) -> Result<Classes, GraphError> {
    let mut classes = start(graph, visible)?;
    for _ in 0..steps {
        let next = step(graph, &classes, !0);
        if next.count() == classes.count() {
            break;
        }
        classes = next;
    }
    Ok(classes)
}

pub(crate) fn stable(graph: &Graph, mut classes: Classes) -> Classes {
    loop {
        let next = step(graph, &classes, !0);
        if next.count() == classes.count() {
            return classes;
        }
        classes = next;
    }
}

fn start(graph: &Graph, visible: Option<&[u32]>) -> Result<Classes, GraphError> {
    match visible {
        None => Ok(Classes::one(graph.nodes())),
        Some(codes) if codes.len() == graph.nodes() => Ok(Classes::by_key(codes)),
        Some(_) => Err(GraphError::Length { what: "what is visible", nodes: graph.nodes() }),
    }
}

/// What a node is grouped by before anything is compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    class: u32,
    sums: (u64, u64),
    node: u32,
}

impl Key {
    fn is_like(&self, other: &Self) -> bool {
        (self.class, self.sums) == (other.class, other.sums)
    }
}

#[inline]
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let value = (value ^ (value >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    value ^ (value >> 33)
}

/// Classes of nodes that were in one class and have as many neighbours of each class. `mask` keeps part of the hashes.
pub(crate) fn step(graph: &Graph, classes: &Classes, mask: u64) -> Classes {
    let of = classes.of();
    let sums = |list: &[u32], salt: u64| {
        list.iter().fold((0u64, 0u64), |(one, other), &node| {
            let first = mix(u64::from(of[node as usize]) ^ salt);
            (one.wrapping_add(first), other.wrapping_add(mix(first ^ 0x9E37_79B9_7F4A_7C15)))
        })
    };
    let key = |node: u32| {
        let class = of[node as usize];
        if classes.size_of(node) == 1 {
            return Key { class, sums: (0, 0), node };
        }
        let mut own = sums(graph.neighbours(node), 0x5851_F42D_4C95_7F2D);
        if graph.is_directed() {
            let back = sums(graph.predecessors(node), 0x1405_7B7E_F767_814F);
            own = (own.0.wrapping_add(back.0.rotate_left(7)), own.1.wrapping_add(back.1.rotate_left(13)));
        }
        Key { class, sums: (own.0 & mask, own.1 & mask), node }
    };
    let mut keys: Vec<Key> = (0..graph.nodes() as u32).into_par_iter().map(key).collect();
    keys.par_sort_unstable();
    let groups: Vec<&[Key]> = keys.chunk_by(Key::is_like).collect();
    // Per group the parts that it falls into, where it is no class.
    let split: Vec<Option<Vec<Vec<u32>>>> = groups
        .par_iter()
        .with_min_len(64)
        .map_init(Scratch::default, |scratch, group| scratch.split(graph, of, group))
        .collect();
    let mut first = vec![0u32; graph.nodes()];
    for (group, parts) in groups.iter().zip(split) {
        match parts {
            None => group.iter().for_each(|key| first[key.node as usize] = group[0].node),
            Some(parts) => {
                for part in parts {
                    part.iter().for_each(|&node| first[node as usize] = part[0]);
                }
            }
        }
    }
    Classes::by_first(&first)
}

/// The classes of the neighbours of two nodes, to compare them.
#[derive(Default)]
struct Scratch {
    first: Vec<u32>,
    other: Vec<u32>,
}

impl Scratch {
    /// The parts of a group whose members have not all the same neighbours; each in rising order.
    fn split(&mut self, graph: &Graph, of: &[u32], group: &[Key]) -> Option<Vec<Vec<u32>>> {
        let (leader, others) = group.split_first()?;
        if others.is_empty() {
            return None;
        }
        colours(graph, of, leader.node, &mut self.first);
        let is_same = |own: &Key| {
            if graph.degree(own.node) != graph.degree(leader.node) {
                return false;
            }
            colours(graph, of, own.node, &mut self.other);
            self.first == self.other
        };
        if others.iter().all(is_same) {
            return None;
        }
        let mut parts: std::collections::BTreeMap<Vec<u32>, Vec<u32>> = Default::default();
        for key in group {
            let mut list = Vec::new();
            colours(graph, of, key.node, &mut list);
            parts.entry(list).or_default().push(key.node);
        }
        Some(parts.into_values().collect())
    }
}

/// The classes of all neighbours, sorted; of a directed graph both lists with the length of the first.
fn colours(graph: &Graph, of: &[u32], node: u32, into: &mut Vec<u32>) {
    into.clear();
    into.extend(graph.neighbours(node).iter().map(|&other| of[other as usize]));
    into.sort_unstable();
    if graph.is_directed() {
        let middle = into.len();
        into.extend(graph.predecessors(node).iter().map(|&other| of[other as usize]));
        into[middle..].sort_unstable();
        into.push(middle as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// H(i) as it is defined: the multiset of what H(i-1) says of the neighbours, spelled out.
    fn signature(graph: &Graph, node: u32, depth: u32) -> String {
        if depth == 0 {
            return "*".to_owned();
        }
        let of = |list: &[u32]| {
            let mut parts: Vec<String> = list.iter().map(|&own| signature(graph, own, depth - 1)).collect();
            parts.sort();
            format!("({})", parts.join(","))
        };
        match graph.is_directed() {
            false => of(graph.neighbours(node)),
            true => of(graph.neighbours(node)) + &of(graph.predecessors(node)),
        }
    }

    proptest! {
        /// Of undirected and directed graphs; hashes that always collide change nothing.
        #[test]
        fn classes_are_those_of_the_definition(
            edges in prop::collection::vec((0u32..8, 0u32..8), 0..20), directed: bool,
        ) {
            let build = if directed { Graph::directed } else { Graph::undirected };
            let graph = build(8, &edges).unwrap().0;
            let sets = candidate_sets(&graph, 3, None).unwrap();
            for (depth, classes) in sets.iter().enumerate() {
                let expected = Classes::by_key((0..8).map(|node| signature(&graph, node, depth as u32)));
                prop_assert_eq!(classes, &expected);
                if depth > 0 {
                    prop_assert!(classes.refines(&sets[depth - 1]));
                    prop_assert_eq!(&step(&graph, &sets[depth - 1], 0), classes);
                    prop_assert_eq!(&step(&graph, &sets[depth - 1], 1), classes);
                }
            }
            let stable = stable_classes(&graph, None).unwrap();
            prop_assert_eq!(step(&graph, &stable, !0), stable);
        }
    }

    #[test]
    fn what_is_visible_tells_more() {
        let (graph, _) = Graph::undirected(4, &[(0, 1), (2, 3)]).unwrap();
        assert_eq!(stable_classes(&graph, None).unwrap().count(), 1);
        let classes = stable_classes(&graph, Some(&[7, 7, 7, 9])).unwrap();
        assert_eq!(classes.of(), [0, 0, 1, 2]);
        assert!(stable_classes(&graph, Some(&[1])).is_err());
    }
}
