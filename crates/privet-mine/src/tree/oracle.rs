//! The spans of trees, read off the model alone: at a public test one child is followed, at a private test all children that the
//! private tests before allow (papers II.2).

use super::TreeModel;
use super::region::regions;
use crate::{Cell, SpanOracle};

/// A tree model with what its paths allow, ready to be asked for spans.
#[derive(Debug, Clone)]
pub(crate) struct TreeOracle<'a> {
    pub model: &'a TreeModel,
    /// Per node whether its private tests contradict each other nowhere on its path.
    possible: Vec<bool>,
    /// Per node its tree.
    tree_of: Vec<u32>,
    /// Whether the class belongs to what nobody knows.
    class_is_private: bool,
}

impl<'a> TreeOracle<'a> {
    pub fn new(model: &'a TreeModel) -> Self {
        let schema = &model.schema;
        let private: Vec<usize> =
            (0..schema.attributes.len()).filter(|&attribute| !schema.is_public(attribute)).collect();
        let possible = regions(model)
            .iter()
            .map(|region| private.iter().all(|&attribute| !region.0[attribute].is_empty()))
            .collect();
        Self { model, possible, tree_of: tree_of(model), class_is_private: schema.class_is_private() }
    }

    /// Appends the leaves that a record may reach when only its public attributes are known, ascending.
    pub fn leaves(&self, record: &[Cell], leaves: &mut Vec<u32>) {
        let first = leaves.len();
        let mut open: Vec<u32> = self.model.roots.clone();
        while let Some(at) = open.pop() {
            let node = &self.model.nodes[at as usize];
            if !self.possible[at as usize] {
                continue;
            }
            let Some(test) = node.test else {
                leaves.push(at);
                continue;
            };
            match self.model.schema.is_public(test.attribute()) {
                true => {
                    let answer = test.answer(&self.model.schema, record[test.attribute()]);
                    match answer.and_then(|answer| node.children[answer]) {
                        Some(child) => open.push(child),
                        // A value outside the domain ends at the inner node.
                        None => leaves.push(at),
                    }
                }
                false => open.extend(node.children.iter().flatten()),
            }
        }
        leaves[first..].sort_unstable();
    }
}

impl SpanOracle for TreeOracle<'_> {
    type Record = [Cell];

    fn span(&self, record: &[Cell], key: &mut Vec<u32>) {
        self.leaves(record, key);
        if let (false, Some(&Cell::Code(class))) = (self.class_is_private, record.last()) {
            key.push(class);
        }
    }

    /// The number of classes; of a forest with private tests at least the number that one tree alone tells apart, since what two
    /// trees ask may exclude each other. One means one.
    fn classes(&self, span: &[u32]) -> u64 {
        let leaves = if self.class_is_private { span } else { &span[..span.len() - 1] };
        let mut of_tree = vec![0u64; self.model.roots.len()];
        for &leaf in leaves {
            // Nodes of different trees may interleave: the tree of a leaf is that of its root.
            of_tree[self.tree_of[leaf as usize] as usize] += 1;
        }
        let ends = of_tree.iter().copied().max().unwrap_or(1).max(1);
        match self.class_is_private {
            true => ends * self.model.schema.class.values.len() as u64,
            false => ends,
        }
    }

    fn class(&self, record: &[Cell], key: &mut Vec<u32>) {
        key.extend(self.model.ends(record));
        if let Some(&Cell::Code(class)) = record.last() {
            key.push(class);
        }
    }
}

/// Per node the position of its tree's root. A node comes after its parent.
fn tree_of(model: &TreeModel) -> Vec<u32> {
    let mut tree_of = vec![0; model.nodes.len()];
    for (tree, &root) in (0..).zip(&model.roots) {
        tree_of[root as usize] = tree;
    }
    for (at, node) in model.nodes.iter().enumerate() {
        for &child in node.children.iter().flatten() {
            tree_of[child as usize] = tree_of[at];
        }
    }
    tree_of
}

impl TreeModel {
    /// Checks that the nodes form trees: parents before children, every node in one tree, children as many as answers.
    ///
    /// # Errors
    /// Names what does not fit.
    pub fn check(&self) -> Result<(), super::TreeError> {
        use super::TreeError;
        self.schema.check().map_err(TreeError::Schema)?;
        let mut seen = vec![0u32; self.nodes.len()];
        for &root in &self.roots {
            *seen.get_mut(root as usize).ok_or(TreeError::Node { node: root })? += 1;
        }
        for (place, node) in self.nodes.iter().enumerate() {
            let wrong = || TreeError::Node { node: place as u32 };
            let answers = match node.test {
                None => 0,
                Some(test) => {
                    let attribute = self.schema.attributes.get(test.attribute()).ok_or_else(wrong)?;
                    let fits = match (test, attribute.size()) {
                        (super::Test::Category { level, .. }, size) => {
                            size > 0 && level <= attribute.levels().len()
                        }
                        (super::Test::AtMost { number, .. }, 0) => number.is_finite(),
                        _ => false,
                    };
                    if !fits {
                        return Err(wrong());
                    }
                    test.answers(&self.schema)
                }
            };
            if node.children.len() != answers || (answers > 0 && node.children.iter().all(Option::is_none)) {
                return Err(wrong());
            }
            for &child in node.children.iter().flatten() {
                if child as usize <= place || child as usize >= self.nodes.len() {
                    return Err(wrong());
                }
                seen[child as usize] += 1;
            }
        }
        match seen.iter().position(|&times| times != 1) {
            Some(node) => Err(TreeError::Node { node: node as u32 }),
            None if self.roots.is_empty() => Err(TreeError::Node { node: 0 }),
            None => self.check_missing(),
        }
    }

    /// A child may be missing only where the path rules its answer out.
    fn check_missing(&self) -> Result<(), super::TreeError> {
        let regions = regions(self);
        for (place, node) in self.nodes.iter().enumerate() {
            let Some(test) = node.test else { continue };
            for (answer, child) in node.children.iter().enumerate() {
                let left = regions[place].0[test.attribute()].after(&self.schema, &test, answer);
                if child.is_none() && !left.is_empty() {
                    return Err(super::TreeError::Node { node: place as u32 });
                }
            }
        }
        Ok(())
    }

    /// The oracle of this model's spans.
    ///
    /// # Errors
    /// When the model is no model.
    pub fn oracle(&self) -> Result<impl SpanOracle<Record = [Cell]> + '_, super::TreeError> {
        self.check()?;
        Ok(TreeOracle::new(self))
    }
}
