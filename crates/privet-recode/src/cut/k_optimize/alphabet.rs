//! The alphabet: per quasi column its values in the order of the hierarchy's leaves, and the boundaries between
//! neighbours among those that occur. A set of boundaries cuts the leaves of each column into runs, and every leaf
//! belongs to exactly one: leaves that do not occur belong to the run before them, those before the first value to
//! the first run.

use std::collections::HashSet;

use privet_data::{Generalization, GeneralizedLevel, Texts};

use super::boundaries::Boundaries;
use crate::lattice::{Problem, Quasi};

/// The values of all quasi columns and the boundaries between them.
#[derive(Debug)]
pub(super) struct Alphabet {
    /// The columns, in the order of the problem.
    pub columns: Vec<Ordered>,
    // The number of each column's first boundary, and at the end the number of all.
    starts: Vec<usize>,
}

/// The values of a column that occur, in order.
#[derive(Debug)]
pub(super) struct Ordered {
    /// Per value its leaf, ascending.
    pub leaf_of_value: Vec<u32>,
    /// Per code its value; 0 for codes that do not occur.
    pub value_of_code: Vec<u32>,
}

/// The runs that a set makes of one column.
#[derive(Debug)]
pub(super) struct Runs {
    /// Per value its run.
    pub of_value: Vec<u32>,
    /// The boundaries of the set in this column: number `i` lies between the runs `i` and `i + 1`.
    pub boundaries: Vec<usize>,
}

impl Runs {
    /// How many runs there are.
    pub fn len(&self) -> usize {
        self.boundaries.len() + 1
    }
}

impl Ordered {
    fn new(quasi: &Quasi<'_>) -> Self {
        let leaf_of_code = quasi.generalization.levels.first().map_or(&[][..], |level| &level.node_of_code);
        let mut occurs = vec![false; leaf_of_code.len()];
        for &code in quasi.codes.iter().chain(quasi.population.unwrap_or_default()) {
            occurs[code as usize] = true;
        }
        let codes = leaf_of_code.iter().zip(&occurs);
        let mut leaf_of_value: Vec<u32> =
            codes.filter(|(_, occurs)| **occurs).map(|(&leaf, _)| leaf).collect();
        leaf_of_value.sort_unstable();
        leaf_of_value.dedup();
        let value = |leaf: &u32| leaf_of_value.binary_search(leaf).unwrap_or(0) as u32;
        let value_of_code = leaf_of_code.iter().map(value).collect();
        Self { leaf_of_value, value_of_code }
    }
}

impl Alphabet {
    /// Orders the values of a problem's columns.
    pub fn new(problem: &Problem<'_>) -> Self {
        let columns: Vec<Ordered> = problem.quasi.iter().map(Ordered::new).collect();
        let mut starts = vec![0];
        let mut next = 0;
        for column in &columns {
            next += column.leaf_of_value.len().saturating_sub(1);
            starts.push(next);
        }
        Self { columns, starts }
    }

    /// The number of boundaries.
    pub fn len(&self) -> usize {
        self.starts[self.columns.len()]
    }

    /// The boundaries of a column.
    pub fn of(&self, column: usize) -> Boundaries {
        let mut own = Boundaries::none(self.len());
        (self.starts[column]..self.starts[column + 1]).for_each(|boundary| own.insert(boundary));
        own
    }

    /// What a set makes of each column.
    pub fn runs(&self, set: &Boundaries) -> Vec<Runs> {
        (0..self.columns.len()).map(|column| self.runs_of(column, set)).collect()
    }

    fn runs_of(&self, column: usize, set: &Boundaries) -> Runs {
        let (start, end) = (self.starts[column], self.starts[column + 1]);
        let boundaries: Vec<usize> = (start..end).filter(|&boundary| set.contains(boundary)).collect();
        let mut of_value = Vec::with_capacity(self.columns[column].leaf_of_value.len());
        let mut run = 0;
        for value in 0..self.columns[column].leaf_of_value.len() {
            if value > 0 && set.contains(start + value - 1) {
                run += 1;
            }
            of_value.push(run);
        }
        Runs { of_value, boundaries }
    }

    /// The recoding that a set stands for, per column. `held` tells, per column and leaf, whether a published record
    /// has it: the ends of a range are such values, so that a range says nothing of records that are suppressed.
    pub fn recode(
        &self,
        problem: &Problem<'_>,
        set: &Boundaries,
        held: &dyn Fn(usize, u32) -> bool,
    ) -> Vec<GeneralizedLevel> {
        let recode = |(column, quasi): (usize, &Quasi<'_>)| {
            let start = self.starts[column];
            let leaf_of_value = &self.columns[column].leaf_of_value;
            let cuts = (start..self.starts[column + 1]).filter(|&boundary| set.contains(boundary));
            let first_leaves: Vec<u32> =
                std::iter::once(0).chain(cuts.map(|boundary| leaf_of_value[boundary - start + 1])).collect();
            publish(quasi.generalization, &first_leaves, &|leaf| held(column, leaf))
        };
        problem.quasi.iter().enumerate().map(recode).collect()
    }
}

/// The level whose nodes are the runs that begin at these leaves. A run that is a node of the hierarchy takes the
/// label of the finest such node, so a single leaf its own text; any other is `[first to last]` of those that are held.
fn publish(
    generalization: &Generalization,
    first_leaves: &[u32],
    held: &dyn Fn(u32) -> bool,
) -> GeneralizedLevel {
    let Some(values) = generalization.levels.first().filter(|values| !values.labels.is_empty()) else {
        return GeneralizedLevel { node_of_code: Vec::new(), labels: Texts::default(), leaves: Vec::new() };
    };
    let leaf_count = values.labels.len() as u32;
    let run_of = |leaf: u32| first_leaves.partition_point(|&first| first <= leaf) as u32 - 1;
    let node_of_code: Vec<u32> = values.node_of_code.iter().map(|&leaf| run_of(leaf)).collect();
    let ends = first_leaves.iter().skip(1).copied().chain([leaf_count]);
    let leaves: Vec<u32> = first_leaves.iter().zip(ends).map(|(first, end)| end - first).collect();

    let mut labels: Vec<Option<Box<str>>> = leaves
        .iter()
        .zip(first_leaves)
        .map(|(&length, &first)| (length == 1).then(|| values.labels[first as usize].clone()))
        .collect();
    for level in generalization.levels.iter().skip(1) {
        for (run, node) in nodes_that_are_runs(level, &node_of_code, &leaves) {
            labels[run].get_or_insert_with(|| level.labels[node].clone());
        }
    }
    // Labels of different levels may be the same text: the first run keeps it, and a range says what it holds.
    let mut taken: HashSet<Box<str>> = HashSet::new();
    let labels = labels
        .into_iter()
        .enumerate()
        .map(|(run, label)| {
            let mut own = (first_leaves[run]..first_leaves[run] + leaves[run]).filter(|&leaf| held(leaf));
            let mut label = label.filter(|label| !taken.contains(label)).unwrap_or_else(|| {
                let Some(first) = own.next() else { return "[-]".into() };
                let text = |leaf: u32| match &*values.labels[leaf as usize] {
                    "" => "(missing)",
                    text => text,
                };
                match own.next_back() {
                    Some(last) => format!("[{} to {}]", text(first), text(last)).into(),
                    None => values.labels[first as usize].clone(),
                }
            });
            while taken.contains(&label) {
                label = format!("[{label}]").into();
            }
            taken.insert(label.clone());
            label
        })
        .collect();
    GeneralizedLevel { node_of_code, labels, leaves }
}

/// The pairs of a run and a node that hold the same codes and as many leaves.
fn nodes_that_are_runs(
    level: &GeneralizedLevel,
    run_of_code: &[u32],
    run_leaves: &[u32],
) -> Vec<(usize, usize)> {
    // Per run its node and per node its run: not seen yet, one, or several.
    const SEVERAL: u32 = u32::MAX;
    let mut node_of_run: Vec<Option<u32>> = vec![None; run_leaves.len()];
    let mut run_of_node: Vec<Option<u32>> = vec![None; level.labels.len()];
    let meet = |seen: &mut Option<u32>, now: u32| match *seen {
        Some(before) if before != now => *seen = Some(SEVERAL),
        _ => *seen = Some(now),
    };
    for (&node, &run) in level.node_of_code.iter().zip(run_of_code) {
        meet(&mut node_of_run[run as usize], node);
        meet(&mut run_of_node[node as usize], run);
    }
    let same = |(run, node): (usize, Option<u32>)| {
        let node = node.filter(|&node| node != SEVERAL)? as usize;
        let alone = run_of_node[node] == Some(run as u32) && level.leaves[node] == run_leaves[run];
        alone.then_some((run, node))
    };
    node_of_run.into_iter().enumerate().filter_map(same).collect()
}

#[cfg(test)]
mod tests {
    use privet_data::{Domain, Hierarchy};

    use super::*;

    fn texts(texts: &[&str]) -> Vec<Box<str>> {
        texts.iter().map(|&text| text.into()).collect()
    }

    fn labels(level: &GeneralizedLevel) -> Vec<&str> {
        level.labels.iter().map(|label| &**label).collect()
    }

    fn bound(leaves: &[&str], levels: &[&[&str]], values: &[&str]) -> Generalization {
        let hierarchy =
            Hierarchy::new(texts(leaves), levels.iter().map(|level| texts(level)).collect()).unwrap();
        hierarchy.bind(&Domain::canonical(texts(values), |_| false).0).unwrap()
    }

    #[test]
    fn runs_are_named_after_nodes_leaves_and_ends() {
        let leaves = ["a", "b", "c", "d", "e", "f"];
        let fitted = bound(&leaves, &[&["x", "x", "y", "y", "y", "z"], &["*"; 6]], &leaves);
        let cut = |starts: &[u32]| publish(&fitted, starts, &|_| true);
        assert_eq!(labels(&cut(&[0])), ["*"]);
        assert_eq!(labels(&cut(&[0, 2, 5])), ["x", "y", "f"]);
        assert_eq!(labels(&cut(&[0, 3])), ["[a to c]", "[d to f]"]);
        assert_eq!(cut(&[0, 1, 4]).leaves, [1, 3, 2]);
        assert_eq!(cut(&[0, 1, 4]).node_of_code, [0, 1, 1, 1, 2, 2]);
    }

    #[test]
    fn a_label_occurs_once_in_a_column() {
        // The label of a node is the text of another leaf, and one leaf looks like a range.
        let leaves = ["a", "b", "c", "[a-b]"];
        let fitted = bound(&leaves, &[&["c", "c", "u", "v"]], &leaves);
        assert_eq!(labels(&publish(&fitted, &[0, 2, 3], &|_| true)), ["c", "[c]", "[a-b]"]);
        let flat = bound(&leaves, &[], &leaves);
        assert_eq!(labels(&publish(&flat, &[0, 2, 3], &|_| true)), ["[a to b]", "c", "[a-b]"]);
    }

    #[test]
    fn ends_are_values_of_published_records() {
        let leaves = ["30", "40", "41", "103"];
        let fitted = bound(&leaves, &[], &leaves);
        // The one of 103 is suppressed; so is everybody else of the last run, below.
        assert_eq!(labels(&publish(&fitted, &[0, 1], &|leaf| leaf < 3)), ["30", "[40 to 41]"]);
        assert_eq!(labels(&publish(&fitted, &[0, 2], &|leaf| leaf < 2)), ["[30 to 40]", "[-]"]);
    }

    #[test]
    fn leaves_that_do_not_occur_belong_to_the_run_before() {
        let fitted = bound(&["1", "2", "3", "4", "5"], &[&["*"; 5]], &["2", "4"]);
        let level = publish(&fitted, &[0, 3], &|leaf| leaf == 1 || leaf == 3);
        assert_eq!(labels(&level), ["2", "4"]);
        assert_eq!((level.leaves, level.node_of_code), (vec![3, 2], vec![0, 1]));
    }
}
