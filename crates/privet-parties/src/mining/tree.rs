//! A decision tree (ID3) over horizontal parts: the attribute with the largest gain of information splits a node, level by level.
//!
//! # What is revealed
//! The tree with the counts of classes at its nodes; per node and attribute that may split it the counts of classes of every value, and
//! which values of other attributes have too few records. An attribute may split a node only when every value has no record there or at
//! least as many as the minimum, so no opened group of people is smaller.

use serde::{Deserialize, Serialize};

use super::joint::Joint;
use crate::error::PartyError;
use crate::session::Session;

/// How a tree is grown.
#[derive(Debug, Clone, Copy)]
pub struct TreeOptions {
    /// Questions from the root to a leaf at most.
    pub depth: usize,
    /// The least gain of information of a split, in bits.
    pub gain: f64,
}

/// A node: a leaf has no question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Records per class.
    pub classes: Vec<u64>,
    /// The attribute that is asked, and per value the child; nothing where nobody has the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<(usize, Vec<Option<usize>>)>,
}

/// A tree; the root is the first node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// The nodes, parents before children.
    pub nodes: Vec<Node>,
}

impl Tree {
    /// The likeliest class at the leaf that a record comes to.
    pub fn predict(&self, values: &[u32]) -> usize {
        let mut at = 0;
        while let Some((attribute, children)) = &self.nodes[at].split
            && let Some(&Some(child)) = children.get(values[*attribute] as usize)
        {
            at = child;
        }
        let classes = &self.nodes[at].classes;
        (0..classes.len()).max_by_key(|&class| (classes[class], usize::MAX - class)).unwrap_or(0)
    }
}

fn entropy(counts: &[u64]) -> f64 {
    let total: u64 = counts.iter().sum();
    let share = |count: &u64| *count as f64 / total as f64;
    counts.iter().filter(|count| **count > 0).map(share).map(|p| -p * p.log2()).sum()
}

/// The gain of a split into values with these counts of classes.
fn gain(classes: &[u64], values: &[&[u64]]) -> f64 {
    let total: u64 = classes.iter().sum();
    let rest: f64 =
        values.iter().map(|counts| counts.iter().sum::<u64>() as f64 / total as f64 * entropy(counts)).sum();
    entropy(classes) - rest
}

/// Grows a tree over the records of all parties.
///
/// # Errors
/// When the session fails.
pub fn grow(
    session: &mut Session<'_>,
    joint: &mut Joint,
    (class, classes): (&[u32], usize),
    attributes: &[&[u32]],
    sizes: &[usize],
    options: TreeOptions,
) -> Result<Tree, PartyError> {
    let mut root = vec![0u64; classes];
    class.iter().for_each(|&own| root[own as usize] += 1);
    let root = joint.sums.sum(session, &root)?;
    if root.iter().sum::<u64>() < joint.minimum() {
        return Err(PartyError::Refused(
            "all parties together have fewer records than the minimum".to_owned(),
        ));
    }
    let mut tree = Tree { nodes: vec![Node { classes: root, split: None }] };
    // Where each record stands, and the open nodes with the attributes that their ancestors ask.
    let mut at = vec![0usize; class.len()];
    let mut open: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new())];
    for _ in 0..options.depth {
        open.retain(|(node, _)| tree.nodes[*node].classes.iter().filter(|count| **count > 0).count() > 1);
        let pairs: Vec<(usize, usize)> = open
            .iter()
            .enumerate()
            .flat_map(|(place, (_, asked))| {
                (0..sizes.len()).filter(|own| !asked.contains(own)).map(move |own| (place, own))
            })
            .collect();
        if pairs.is_empty() {
            break;
        }
        session.stage("growing a level of the tree", Some(pairs.len() as u64));
        let counts = level(&open, &pairs, &at, (class, classes), attributes, sizes);
        let totals: Vec<u64> = counts.iter().flatten().map(|value| value.iter().sum()).collect();
        let small = joint.small(session, &totals)?;
        let mut small = small.into_iter();
        let allowed: Vec<bool> = pairs
            .iter()
            .map(|&(_, attribute)| !small.by_ref().take(sizes[attribute]).fold(false, |any, own| any | own))
            .collect();
        let shown = counts.iter().zip(&allowed).filter(|(_, allowed)| **allowed);
        let shown: Vec<u64> = shown.flat_map(|(values, _)| values.concat()).collect();
        let mut opened = joint.sums.sum(session, &shown)?.into_iter();
        let mut best: Vec<Option<(f64, usize, Vec<Vec<u64>>)>> = vec![None; open.len()];
        for (&(place, attribute), _) in pairs.iter().zip(&allowed).filter(|(_, allowed)| **allowed) {
            let values: Vec<Vec<u64>> =
                (0..sizes[attribute]).map(|_| opened.by_ref().take(classes).collect()).collect();
            let views: Vec<&[u64]> = values.iter().map(Vec::as_slice).collect();
            let gain = gain(&tree.nodes[open[place].0].classes, &views);
            if gain > options.gain && best[place].as_ref().is_none_or(|(most, _, _)| gain > *most) {
                best[place] = Some((gain, attribute, values));
            }
        }
        let mut next = Vec::new();
        for ((node, mut asked), best) in open.into_iter().zip(best) {
            let Some((_, attribute, values)) = best else { continue };
            asked.push(attribute);
            let mut children = Vec::with_capacity(values.len());
            for counts in values {
                if counts.iter().all(|count| *count == 0) {
                    children.push(None);
                    continue;
                }
                children.push(Some(tree.nodes.len()));
                next.push((tree.nodes.len(), asked.clone()));
                tree.nodes.push(Node { classes: counts, split: None });
            }
            for (place, own) in at.iter_mut().enumerate().filter(|(_, own)| **own == node) {
                *own = children[attributes[attribute][place] as usize].unwrap_or(*own);
                debug_assert!(place < class.len());
            }
            tree.nodes[node].split = Some((attribute, children));
        }
        open = next;
    }
    Ok(tree)
}

/// Per pair of an open node and an attribute, per value the counts of classes of this party's records.
fn level(
    open: &[(usize, Vec<usize>)],
    pairs: &[(usize, usize)],
    at: &[usize],
    (class, classes): (&[u32], usize),
    attributes: &[&[u32]],
    sizes: &[usize],
) -> Vec<Vec<Vec<u64>>> {
    let mut counts: Vec<Vec<Vec<u64>>> =
        pairs.iter().map(|&(_, attribute)| vec![vec![0; classes]; sizes[attribute]]).collect();
    let nodes = open.iter().map(|(node, _)| *node).max().unwrap_or(0);
    let mut of_node: Vec<Vec<usize>> = vec![Vec::new(); nodes + 1];
    for (pair, &(place, _)) in pairs.iter().enumerate() {
        of_node[open[place].0].push(pair);
    }
    for (record, node) in at.iter().enumerate() {
        for &pair in of_node.get(*node).into_iter().flatten() {
            let value = attributes[pairs[pair].1][record] as usize;
            counts[pair][value][class[record] as usize] += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    /// The tree of one owner of all records, grown node by node.
    fn central(table: &[[u32; 4]], minimum: u64, options: TreeOptions) -> Vec<(Vec<(usize, u32)>, Vec<u64>)> {
        fn counts(table: &[&[u32; 4]]) -> Vec<u64> {
            (0..2).map(|class| table.iter().filter(|own| own[3] == class).count() as u64).collect()
        }
        fn go(
            table: &[&[u32; 4]],
            way: Vec<(usize, u32)>,
            left: usize,
            (minimum, options): (u64, TreeOptions),
            leaves: &mut Vec<(Vec<(usize, u32)>, Vec<u64>)>,
        ) {
            let mut best: Option<(f64, usize)> = None;
            for attribute in 0..3 {
                let parts: Vec<Vec<&[u32; 4]>> = (0..3)
                    .map(|value| table.iter().filter(|own| own[attribute] == value).copied().collect())
                    .collect();
                let is_safe = parts.iter().all(|part| part.is_empty() || part.len() as u64 >= minimum);
                let is_new = way.iter().all(|(asked, _)| *asked != attribute);
                let parts: Vec<Vec<u64>> = parts.iter().map(|part| counts(part)).collect();
                let views: Vec<&[u64]> = parts.iter().map(Vec::as_slice).collect();
                let gain = gain(&counts(table), &views);
                let is_mixed = counts(table).iter().all(|count| *count > 0);
                if left > 0
                    && is_mixed
                    && is_safe
                    && is_new
                    && gain > options.gain
                    && best.is_none_or(|(most, _)| gain > most)
                {
                    best = Some((gain, attribute));
                }
            }
            let Some((_, attribute)) = best else { return leaves.push((way, counts(table))) };
            for value in 0..3 {
                let part: Vec<&[u32; 4]> =
                    table.iter().filter(|own| own[attribute] == value).copied().collect();
                if !part.is_empty() {
                    let way = [way.clone(), vec![(attribute, value)]].concat();
                    go(&part, way, left - 1, (minimum, options), leaves);
                }
            }
        }
        let mut leaves = Vec::new();
        go(&table.iter().collect::<Vec<_>>(), Vec::new(), options.depth, (minimum, options), &mut leaves);
        leaves
    }

    fn leaves(
        tree: &Tree,
        node: usize,
        way: Vec<(usize, u32)>,
        all: &mut Vec<(Vec<(usize, u32)>, Vec<u64>)>,
    ) {
        let Some((attribute, children)) = &tree.nodes[node].split else {
            return all.push((way, tree.nodes[node].classes.clone()));
        };
        for (value, child) in children.iter().enumerate() {
            if let Some(child) = child {
                leaves(tree, *child, [way.clone(), vec![(*attribute, value as u32)]].concat(), all);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5))]
        #[test]
        fn the_joint_tree_is_the_central_one(
            table in proptest::collection::vec(
                (0u32..3, 0u32..3, 0u32..3, 0u32..6).prop_map(|(a, b, c, noise)| [a, b, c, u32::from(a + b * c % 3 + noise > 4)]),
                40..90,
            ),
            minimum in prop_oneof![Just(1u64), Just(4)],
            parties in 2usize..4,
        ) {
            let options = TreeOptions { depth: 3, gain: 0.001 };
            let results = run_local(parties, |session| {
                let mut joint = Joint::new(session, minimum)?;
                let own: Vec<&[u32; 4]> = table.iter().skip(session.me()).step_by(parties).collect();
                let column = |place: usize| own.iter().map(|own| own[place]).collect::<Vec<u32>>();
                let columns = [column(0), column(1), column(2)];
                let views: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
                grow(session, &mut joint, (&column(3), 2), &views, &[3; 3], options)
            });
            let expected = central(&table, minimum, options);
            for result in results {
                let mut found = Vec::new();
                leaves(&result.unwrap(), 0, Vec::new(), &mut found);
                prop_assert_eq!(found, expected.clone());
            }
        }
    }
}
