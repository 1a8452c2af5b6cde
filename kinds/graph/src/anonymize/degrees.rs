//! Degree sequences: which ones belong to graphs (Erdős and Gallai), and the nearest one in which every degree occurs
//! `k` times (survey AP-07; Liu and Terzi 2008).
//!
//! Guarantee. The sequence costs the least of all with groups of nodes that are consecutive by degree, which by an
//! exchange argument is the least of all. The dynamic program looks at groups of k to 2k-1 nodes, because a larger one
//! can be cut for no more: n·k steps.

use crate::GraphError;

/// Which degrees may change, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Degrees only grow: edges are added.
    Adding,
    /// Degrees grow and shrink: edges are added and deleted.
    AddingAndDeleting,
}

/// Whether a simple graph has these degrees (Erdős and Gallai 1960).
///
/// ```
/// use privet_graph::is_graphical;
/// assert!(is_graphical(&[3, 3, 2, 2, 2]));
/// assert!(!is_graphical(&[3, 3, 3, 1])); // three nodes cannot have all others as neighbours
/// assert!(!is_graphical(&[2, 1])); // an odd sum, or a neighbour that is not there
/// ```
#[must_use]
pub fn is_graphical(degrees: &[u32]) -> bool {
    let total: u64 = degrees.iter().map(|&own| u64::from(own)).sum();
    total.is_multiple_of(2) && excess(degrees) == 0
}

/// By how many ends a degree sequence exceeds what simple graphs have at most (Erdős and Gallai): so many are missing at least in every
/// graph that tries.
pub(crate) fn excess(degrees: &[u32]) -> u64 {
    // Of the nodes of highest degree, all other nodes take at most min(their degree, r) ends each.
    let mut sorted = degrees.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let mut left = 0u64;
    let mut first_below = sorted.len(); // the first place whose degree is below r
    let mut suffix = vec![0u64; sorted.len() + 1];
    for place in (0..sorted.len()).rev() {
        suffix[place] = suffix[place + 1] + u64::from(sorted[place]);
    }
    let mut most = 0;
    for (place, &degree) in sorted.iter().enumerate() {
        let taken = place as u64 + 1;
        left += u64::from(degree);
        while first_below > 0 && u64::from(sorted[first_below - 1]) < taken {
            first_below -= 1;
        }
        let from = first_below.max(place + 1);
        let full = (from - (place + 1)) as u64 * taken;
        most = most.max(left.saturating_sub(taken * (taken - 1) + full + suffix[from]));
    }
    most
}

/// Nodes that get the same degree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DegreeGroup {
    pub nodes: Vec<u32>,
    pub degree: u32,
}

/// The groups of the nearest degree sequence in which every degree occurs `k` times, with an even sum.
pub(crate) fn groups(degrees: &[u32], k: u32, direction: Direction) -> Result<Vec<DegreeGroup>, GraphError> {
    let nodes = degrees.len();
    if k == 0 {
        return Err(GraphError::Parameter { key: "k", accepted: "1 or more" });
    }
    if nodes == 0 {
        return Ok(Vec::new());
    }
    if k as usize > nodes {
        return Err(GraphError::Unreachable { k: k.into(), nodes: nodes as u64 });
    }
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    order.sort_by_key(|&node| std::cmp::Reverse(degrees[node as usize]));
    let sorted: Vec<u32> = order.iter().map(|&node| degrees[node as usize]).collect();
    let ends = cuts(&sorted, k as usize, direction);
    let mut start = 0;
    let mut groups = Vec::with_capacity(ends.len());
    for end in ends {
        let degree = target(&sorted, start, end, direction);
        groups.push(DegreeGroup { nodes: order[start..end].to_vec(), degree });
        start = end;
    }
    even(&mut groups, nodes)?;
    Ok(groups)
}

/// The nearest degree sequence, by node, in which every degree occurs at least `k` times and whose sum is even.
///
/// ```
/// use privet_graph::{Direction, anonymous_degrees};
/// let degrees = anonymous_degrees(&[5, 4, 4, 1, 1, 1], 3, Direction::Adding)?;
/// assert_eq!(degrees, [5, 5, 5, 1, 1, 1]);
/// # Ok::<(), privet_graph::GraphError>(())
/// ```
///
/// # Errors
/// When `k` is 0, there are fewer nodes than `k`, or no such sequence has an even sum.
pub fn anonymous_degrees(degrees: &[u32], k: u32, direction: Direction) -> Result<Vec<u32>, GraphError> {
    let mut wanted = vec![0; degrees.len()];
    for group in groups(degrees, k, direction)? {
        group.nodes.iter().for_each(|&node| wanted[node as usize] = group.degree);
    }
    Ok(wanted)
}

fn target(sorted: &[u32], start: usize, end: usize, direction: Direction) -> u32 {
    match direction {
        Direction::Adding => sorted[start],
        Direction::AddingAndDeleting => sorted[(start + end) / 2],
    }
}

/// Where the groups of a falling sequence end.
fn cuts(sorted: &[u32], k: usize, direction: Direction) -> Vec<usize> {
    let nodes = sorted.len();
    let mut sums = vec![0u64; nodes + 1];
    for (place, &degree) in sorted.iter().enumerate() {
        sums[place + 1] = sums[place] + u64::from(degree);
    }
    let cost = |start: usize, end: usize| {
        let middle = (start + end) / 2;
        let degree = u64::from(target(sorted, start, end, direction));
        match direction {
            Direction::Adding => degree * (end - start) as u64 - (sums[end] - sums[start]),
            Direction::AddingAndDeleting => {
                let above = sums[middle] - sums[start] - degree * (middle - start) as u64;
                above + degree * (end - middle) as u64 - (sums[end] - sums[middle])
            }
        }
    };
    const NEVER: u64 = u64::MAX;
    let (mut best, mut begin) = (vec![NEVER; nodes + 1], vec![0; nodes + 1]);
    best[0] = 0;
    for end in k..=nodes {
        let least = end.saturating_sub(2 * k - 1);
        for start in least..=end - k {
            if best[start] != NEVER && best[start] + cost(start, end) < best[end] {
                best[end] = best[start] + cost(start, end);
                begin[end] = start;
            }
        }
    }
    let (mut ends, mut end) = (Vec::new(), nodes);
    while end > 0 {
        ends.push(end);
        end = begin[end];
    }
    ends.reverse();
    ends
}

/// Makes the sum of degrees even: a group of an odd number of nodes gets one more neighbour each, or one less.
fn even(groups: &mut [DegreeGroup], nodes: usize) -> Result<(), GraphError> {
    let total: u64 = groups.iter().map(|group| u64::from(group.degree) * group.nodes.len() as u64).sum();
    if total.is_multiple_of(2) {
        return Ok(());
    }
    let odd = groups.iter_mut().filter(|group| !group.nodes.len().is_multiple_of(2));
    let may_grow = odd.filter(|group| (group.degree as usize) + 1 < nodes);
    // The smallest one costs least; of equal ones the one of lowest degree has most room.
    let chosen = may_grow.min_by_key(|group| (group.nodes.len(), group.degree));
    chosen.ok_or(GraphError::NotGraphical)?.degree += 1;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Havel and Hakimi: take the largest away.
    fn has_graph(degrees: &[u32]) -> bool {
        let mut left = degrees.to_vec();
        loop {
            left.sort_unstable_by(|a, b| b.cmp(a));
            let Some((&mut first, rest)) = left.split_first_mut() else { return true };
            if first as usize > rest.len() || rest[..first as usize].contains(&0) {
                return first == 0;
            }
            rest[..first as usize].iter_mut().for_each(|own| *own -= 1);
            left.remove(0);
        }
    }

    /// The least cost over all ways to cut a falling sequence into groups of k or more.
    fn least(sorted: &[u32], k: usize, direction: Direction) -> u64 {
        if sorted.is_empty() {
            return 0;
        }
        let cost = |group: &[u32]| -> u64 {
            let off = |to: u32| group.iter().map(|&own| u64::from(own.abs_diff(to))).sum::<u64>();
            match direction {
                Direction::Adding => off(group[0]),
                Direction::AddingAndDeleting => (0..=group[0]).map(off).min().unwrap(),
            }
        };
        let ends = (k..=sorted.len()).filter(|&end| end == sorted.len() || sorted.len() - end >= k);
        ends.map(|end| cost(&sorted[..end]) + least(&sorted[end..], k, direction)).min().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn erdos_and_gallai_agree_with_havel_and_hakimi(degrees in prop::collection::vec(0u32..8, 0..9)) {
            prop_assert_eq!(is_graphical(&degrees), has_graph(&degrees));
        }

        #[test]
        fn the_sequence_costs_the_least(
            mut degrees in prop::collection::vec(0u32..12, 1..11), k in 1usize..5, adding: bool,
        ) {
            let direction = if adding { Direction::Adding } else { Direction::AddingAndDeleting };
            degrees.sort_unstable_by(|a, b| b.cmp(a));
            if k > degrees.len() {
                prop_assert!(anonymous_degrees(&degrees, k as u32, direction).is_err());
                return Ok(());
            }
            let mut start = 0;
            let mut cost = 0;
            for end in cuts(&degrees, k, direction) {
                let to = target(&degrees, start, end, direction);
                prop_assert!(end - start >= k);
                cost += degrees[start..end].iter().map(|&own| u64::from(own.abs_diff(to))).sum::<u64>();
                start = end;
            }
            prop_assert_eq!(cost, least(&degrees, k, direction));
        }

        #[test]
        fn every_degree_occurs_k_times(degrees in prop::collection::vec(0u32..30, 31..60), k in 1u32..9, adding: bool) {
            let direction = if adding { Direction::Adding } else { Direction::AddingAndDeleting };
            let wanted = anonymous_degrees(&degrees, k, direction).unwrap();
            prop_assert!(crate::Classes::by_key(&wanted).smallest() >= k);
            prop_assert!(wanted.iter().map(|&own| u64::from(own)).sum::<u64>().is_multiple_of(2));
            if adding {
                prop_assert!(wanted.iter().zip(&degrees).all(|(wanted, own)| wanted >= own));
            }
        }
    }
}
