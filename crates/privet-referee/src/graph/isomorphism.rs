//! Which neighbourhoods are isomorphic (survey AP-06), by trying: neighbours of one node are mapped to those of another one by one
//! so that labels and edges agree. Only neighbourhoods with the same numbers of edges per neighbour are compared at all.

use std::collections::{BTreeMap, BTreeSet};

use privet_data::Progress;
use privet_release::OpenError;

/// The most mappings that are tried for two neighbourhoods.
const STEPS: u64 = 2_000_000;

/// A neighbourhood: the edges between the neighbours, by place, and what quickly tells neighbours apart.
struct Neighbourhood {
    edges: Vec<BTreeSet<usize>>,
    /// Per neighbour its label, its number of edges and those of the neighbours it is tied to.
    marks: Vec<(u32, usize, Vec<usize>)>,
}

/// The class of each node, or nothing where two neighbourhoods could not be compared within the limit.
pub(super) fn classes(
    around: &[BTreeSet<u32>],
    labels: Option<&[u32]>,
    progress: &dyn Progress,
) -> Result<Option<Vec<u32>>, OpenError> {
    let label = |node: usize| labels.map_or(0, |own| own[node]);
    // Per label of the node and sorted marks the neighbourhoods that differ, each with its class.
    type Key = (u32, Vec<(u32, usize, Vec<usize>)>);
    let mut known: BTreeMap<Key, Vec<(Neighbourhood, u32)>> = BTreeMap::new();
    let mut classes = Vec::with_capacity(around.len());
    let mut count = 0;
    for (node, own) in around.iter().enumerate() {
        progress.check()?;
        let found = Neighbourhood::of(around, own, &label);
        let mut marks = found.marks.clone();
        marks.sort();
        let like = known.entry((label(node), marks)).or_default();
        let mut class = None;
        for (other, number) in like.iter() {
            let mut steps = STEPS;
            match found.is_like(other, &mut steps, progress)? {
                Some(true) => class = Some(*number),
                Some(false) => continue,
                None => return Ok(None),
            }
            break;
        }
        classes.push(class.unwrap_or_else(|| {
            like.push((found, count));
            count += 1;
            count - 1
        }));
    }
    Ok(Some(classes))
}

impl Neighbourhood {
    fn of(around: &[BTreeSet<u32>], own: &BTreeSet<u32>, label: &dyn Fn(usize) -> u32) -> Self {
        let place: BTreeMap<u32, usize> = own.iter().copied().zip(0..).collect();
        let edges: Vec<BTreeSet<usize>> = own
            .iter()
            .map(|&node| around[node as usize].iter().filter_map(|other| place.get(other).copied()).collect())
            .collect();
        let mark = |(&node, tied): (&u32, &BTreeSet<usize>)| {
            let mut further: Vec<usize> = tied.iter().map(|&other| edges[other].len()).collect();
            further.sort_unstable();
            (label(node as usize), tied.len(), further)
        };
        let marks = own.iter().zip(&edges).map(mark).collect();
        Self { edges, marks }
    }

    /// Whether an isomorphism exists; nothing where the limit was reached.
    fn is_like(
        &self,
        other: &Self,
        steps: &mut u64,
        progress: &dyn Progress,
    ) -> Result<Option<bool>, OpenError> {
        // Neighbours without edges are told by their labels, and the marks are the same.
        let tied: Vec<usize> = (0..self.edges.len()).filter(|&own| !self.edges[own].is_empty()).collect();
        // Each next one is tied to one before it where there is any, so that few images fit.
        let mut order: Vec<usize> = Vec::with_capacity(tied.len());
        let mut left: BTreeSet<usize> = tied.into_iter().collect();
        while !left.is_empty() {
            let next = left.iter().copied().max_by_key(|&own| {
                let placed = order.iter().filter(|earlier| self.edges[own].contains(earlier)).count();
                (placed > 0, placed, self.edges[own].len())
            });
            let Some(next) = next else { break };
            left.remove(&next);
            order.push(next);
        }
        let mut images = Vec::with_capacity(order.len());
        self.extend(other, &order, &mut images, steps, progress)
    }

    fn extend(
        &self,
        other: &Self,
        order: &[usize],
        images: &mut Vec<usize>,
        steps: &mut u64,
        progress: &dyn Progress,
    ) -> Result<Option<bool>, OpenError> {
        let Some(&next) = order.get(images.len()) else { return Ok(Some(true)) };
        for image in 0..other.edges.len() {
            if images.contains(&image) || self.marks[next] != other.marks[image] {
                continue;
            }
            if *steps == 0 {
                return Ok(None);
            }
            *steps -= 1;
            if steps.is_multiple_of(1 << 14) {
                progress.check()?;
            }
            let fits = order
                .iter()
                .zip(images.iter())
                .all(|(&earlier, to)| self.edges[next].contains(&earlier) == other.edges[image].contains(to));
            if !fits {
                continue;
            }
            images.push(image);
            let found = self.extend(other, order, images, steps, progress)?;
            images.pop();
            if found != Some(false) {
                return Ok(found);
            }
        }
        Ok(Some(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    fn around(nodes: usize, edges: &[(u32, u32)]) -> Vec<BTreeSet<u32>> {
        let mut around = vec![BTreeSet::new(); nodes];
        for &(a, b) in edges {
            around[a as usize].insert(b);
            around[b as usize].insert(a);
        }
        around
    }

    /// survey FX-7.F1: Bee-Chung, Kristen and Dan have one friend each; a label tells one of them.
    #[test]
    fn neighbourhoods_of_the_survey() {
        let graph = around(6, &[(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)]);
        assert_eq!(classes(&graph, None, &Silent).unwrap(), Some(vec![0, 0, 1, 2, 3, 0]));
        let labelled = classes(&graph, Some(&[0, 0, 0, 0, 1, 0]), &Silent).unwrap();
        assert_eq!(labelled, Some(vec![0, 0, 1, 2, 3, 4]));
    }

    /// A hub over two triangles and one over a ring of six: the same marks, and no isomorphism.
    #[test]
    fn the_same_numbers_are_not_enough() {
        let triangles = [(1, 2), (2, 3), (1, 3), (4, 5), (5, 6), (4, 6)];
        let ring = [(8, 9), (9, 10), (10, 11), (11, 12), (12, 13), (8, 13)];
        let mut edges: Vec<(u32, u32)> =
            (1..7).map(|node| (0, node)).chain((8..14).map(|node| (7, node))).collect();
        edges.extend(triangles);
        edges.extend(ring);
        let found = classes(&around(14, &edges), None, &Silent).unwrap().unwrap();
        assert_ne!(found[0], found[7]);
    }
}
