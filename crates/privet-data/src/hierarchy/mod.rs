//! Value generalization hierarchies (survey ME-05, thesis 1.2).
//!
//! A hierarchy has leaves, the values that a column may hold, and levels: level 0 is the value itself,
//! each level above maps every leaf to a coarser label. Levels nest: leaves that share a label at one
//! level share it at every level above. The *domain* of a column, over which loss is counted, is the
//! set of leaves, whether or not the data holds them. Hierarchies that are written down (a file, groups,
//! a tree) have the leaves that are written down; those that are derived (intervals, masks, dates, regions)
//! have the values of the column as leaves, so their loss counts values that occur.
//!
//! A row, group or branch for `*` in a hierarchy that is written down is for all values that it does not name: each becomes a
//! leaf with its labels, so that the values of next month are covered too.
//!
//! A missing value that no leaf stands for is added as a leaf of its own. It keeps its marker at every
//! level below the top and takes the top label when the top has a single one.

mod builders;
mod csv;
mod error;
mod notation;
mod spec;

pub use builders::build;
pub use builders::dates::{DateUnit, Dates};
pub use builders::groups::{Group, Groups, Members};
pub use builders::intervals::Intervals;
pub use builders::mask::{Mask, Side};
pub use builders::regions::{Neighbourhood, Regions};
pub use builders::tree::{Branch, Tree};
pub use csv::{parse_hierarchy, read_hierarchy, write_hierarchy};
pub use error::HierarchyError;
pub use spec::HierarchySpec;

use crate::{Domain, Texts};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::borrow::Cow;

/// More levels than this are a mistake, not a hierarchy.
pub(crate) const MOST_LEVELS: usize = 64;

/// The leaf that stands for all values that a hierarchy does not name.
const CATCH_ALL: &str = "*";

/// How the values of one column are generalized.
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    leaves: Vec<Box<str>>,
    levels: Vec<Level>,
}

/// One level above the leaves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Level {
    /// Per leaf the node it belongs to.
    pub node_of_leaf: Vec<u32>,
    /// Per node its label; no two nodes of a level have the same.
    pub labels: Vec<Box<str>>,
}

impl Hierarchy {
    /// A hierarchy from its leaves and, per level above them, one label for each leaf.
    ///
    /// ```
    /// use privet_data::Hierarchy;
    /// let leaves = ["20", "23", "41"].map(Box::from).to_vec();
    /// let decades = ["20-29", "20-29", "40-49"].map(Box::from).to_vec();
    /// let top = ["*", "*", "*"].map(Box::from).to_vec();
    /// let hierarchy = Hierarchy::new(leaves, vec![decades, top])?;
    /// assert_eq!(hierarchy.height(), 2);
    /// # Ok::<(), privet_data::HierarchyError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no leaf, a leaf occurs twice, a level has another number of labels than there are
    /// leaves, or levels do not nest. Lines in the error count leaves from 1, columns count levels from 1
    /// (the leaf).
    pub fn new(leaves: Vec<Box<str>>, levels: Vec<Vec<Box<str>>>) -> Result<Self, HierarchyError> {
        if leaves.is_empty() {
            return Err(HierarchyError::Empty);
        }
        for (number, level) in levels.iter().enumerate() {
            if level.len() != leaves.len() {
                let line = level.len().min(leaves.len()) + 1;
                return Err(HierarchyError::Ragged { line, found: number + 1, expected: levels.len() + 1 });
            }
        }
        let level = |labels: Vec<Box<str>>| Level::of(labels.iter().map(|label| &**label));
        let levels = levels.into_iter().map(level).collect();
        Self::from_levels(leaves, levels)
    }

    /// A hierarchy from levels that have one node for each leaf. It may have no leaf: that of a column
    /// in which every value is missing.
    pub(crate) fn from_levels(leaves: Vec<Box<str>>, levels: Vec<Level>) -> Result<Self, HierarchyError> {
        error::check(&leaves, &levels)?;
        Ok(Self { leaves, levels })
    }

    /// The hierarchy of a column that nothing is known about: the value, then `*`. Markers of a missing value
    /// are left to [`bind`](Self::bind), which makes them one.
    pub fn flat(domain: &Domain) -> Self {
        let leaves = domain.texts()[domain.missing() as usize..].to_vec();
        let top = Level::top(leaves.len());
        Self { leaves, levels: vec![top] }
    }

    /// The same hierarchy with a leaf for each value of a column that it does not name, where it has a catch-all: a leaf `*`,
    /// which then stands for no value itself.
    ///
    /// ```
    /// use privet_data::hierarchy::parse_hierarchy;
    /// use privet_data::{Domain, Kind};
    /// let hierarchy = parse_hierarchy(b"Bonn;Rhine;*\n*;elsewhere;*\n")?;
    /// let cities = Domain::from_sorted(["Bonn", "Ulm"].map(Box::from).to_vec(), 0, Kind::Text);
    /// let labels = hierarchy.catching_all(&cities).bind(&cities)?.levels[1].labels.clone();
    /// assert_eq!(labels[..], ["Rhine".into(), "elsewhere".into()]);
    /// # Ok::<(), privet_data::HierarchyError>(())
    /// ```
    pub fn catching_all(mut self, domain: &Domain) -> Self {
        let present = || domain.texts().iter().skip(domain.missing() as usize);
        // A star among the values is a value.
        let Some(star) = self.leaves.iter().position(|leaf| &**leaf == CATCH_ALL) else { return self };
        if present().any(|text| &**text == CATCH_ALL) {
            return self;
        }
        let sameness = domain.sameness();
        let known: HashSet<Cow<'_, str>> = self.leaves.iter().map(|leaf| sameness.key(leaf)).collect();
        let more: Vec<Box<str>> =
            present().filter(|text| !known.contains(&sameness.key(text))).cloned().collect();
        drop(known);
        self.leaves.remove(star);
        for level in &mut self.levels {
            let node = level.node_of_leaf.remove(star);
            level.node_of_leaf.extend(more.iter().map(|_| node));
            level.drop_empty(node);
        }
        self.leaves.extend(more);
        self
    }

    /// How many times a value can be generalized: the number of the top level.
    pub fn height(&self) -> usize {
        self.levels.len()
    }

    /// The values that it covers.
    pub fn leaves(&self) -> &[Box<str>] {
        &self.leaves
    }

    /// The levels above the leaves, from the finest.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Fits the hierarchy to the values that a column really holds.
    ///
    /// All markers of a missing value that are no leaf become one leaf: that of a marker which the
    /// hierarchy does cover, or else an added one.
    ///
    /// # Errors
    /// When the hierarchy does not cover a value that is not missing; the error says how many.
    pub fn bind(&self, domain: &Domain) -> Result<Generalization, HierarchyError> {
        let found = self.find(domain)?;
        let covered_marker = found[..domain.missing() as usize].iter().find_map(|&leaf| leaf);
        let added = covered_marker.is_none() && domain.missing() > 0;
        let for_missing = covered_marker.unwrap_or(self.leaves.len() as u32);
        let leaf_of_code: Vec<u32> = found.into_iter().map(|leaf| leaf.unwrap_or(for_missing)).collect();
        let leaf_count = self.leaves.len() + usize::from(added);
        let marker = if added { domain.text(0) } else { "" };

        // The text of a value is that of the column, whatever form of it is the leaf.
        let mut labels = self.leaves.clone();
        for (&leaf, text) in leaf_of_code.iter().zip(domain.texts()).skip(domain.missing() as usize) {
            if *labels[leaf as usize] != **text {
                labels[leaf as usize] = text.clone();
            }
        }
        if added {
            labels.push(marker.into());
        }
        let mut levels = Vec::with_capacity(self.height() + 1);
        levels.push(GeneralizedLevel {
            node_of_code: leaf_of_code.clone(),
            labels: labels.into(),
            leaves: vec![1; leaf_count],
        });
        // A leaf that the added one shares a label with, and so every label above.
        let mut companion: Option<usize> = None;
        for (number, level) in self.levels.iter().enumerate() {
            let mut labels = level.labels.clone();
            let mut node_of_leaf = level.node_of_leaf.clone();
            if added {
                let joins_top = number + 1 == self.height() && labels.len() == 1;
                let joined = match companion {
                    Some(leaf) => Some(node_of_leaf[leaf]),
                    None if joins_top => Some(0),
                    None => labels.iter().position(|label| **label == *marker).map(|node| node as u32),
                };
                companion = joined.and_then(|node| node_of_leaf.iter().position(|&n| n == node));
                node_of_leaf.push(joined.unwrap_or(labels.len() as u32));
                if joined.is_none() {
                    labels.push(marker.into());
                }
            }
            let mut leaves = vec![0; labels.len()];
            for &node in &node_of_leaf {
                leaves[node as usize] += 1;
            }
            let node_of_code = leaf_of_code.iter().map(|&leaf| node_of_leaf[leaf as usize]).collect();
            levels.push(GeneralizedLevel { node_of_code, labels: labels.into(), leaves });
        }
        Ok(Generalization { leaves: leaf_count as u32, levels })
    }

    /// Per code its leaf. Only markers of a missing value may have none.
    fn find(&self, domain: &Domain) -> Result<Vec<Option<u32>>, HierarchyError> {
        let sameness = domain.sameness();
        let mut position: HashMap<Cow<'_, str>, u32> = HashMap::with_capacity(self.leaves.len());
        // Keys of which two leaves are generalized differently: codes, to a hierarchy that is not told so.
        let mut torn: HashSet<Cow<'_, str>> = HashSet::new();
        let mut texts: Option<HashSet<&str>> = None;
        for (leaf, own) in self.leaves.iter().zip(0u32..) {
            let key = sameness.key(leaf);
            match position.get(&key) {
                None => _ = position.insert(key, own),
                Some(&first) if self.are_generalized_alike(first, own) => {
                    // Of several leaves for one value, that which is its text.
                    let texts =
                        texts.get_or_insert_with(|| domain.texts().iter().map(|text| &**text).collect());
                    if texts.contains(&**leaf) {
                        position.insert(key, own);
                    }
                }
                Some(_) => _ = torn.insert(key),
            }
        }
        let keys: Vec<Cow<'_, str>> = domain.texts().iter().map(|text| sameness.key(text)).collect();
        let mut found: Vec<Option<u32>> = keys.iter().map(|key| position.get(key).copied()).collect();
        if let Some(missing) = found[..domain.missing() as usize].first_mut() {
            let markers = domain.markers().map(|marker| position.get(&sameness.key(marker)).copied());
            *missing = missing.or_else(|| markers.flatten().next());
        }
        match keys[domain.missing() as usize..].iter().filter(|key| torn.contains(*key)).count() {
            0 => {}
            values => return Err(HierarchyError::Torn { values }),
        }
        let present = &found[domain.missing() as usize..];
        let distinct = present.len();
        let codes: Vec<u32> = (domain.missing()..)
            .zip(present)
            .filter(|(_, leaf)| leaf.is_none())
            .map(|(code, _)| code)
            .collect();
        match codes.is_empty() {
            true => Ok(found),
            false => Err(HierarchyError::Uncovered { missing: codes.len(), distinct, codes }),
        }
    }

    fn are_generalized_alike(&self, one: u32, other: u32) -> bool {
        self.levels.iter().all(|level| level.node_of_leaf[one as usize] == level.node_of_leaf[other as usize])
    }

    /// Whether every value of the column that is not missing is a leaf.
    pub(crate) fn check_cover(&self, domain: &Domain) -> Result<(), HierarchyError> {
        self.find(domain).map(|_| ())
    }
}

impl Level {
    /// Takes a node out that no leaf belongs to any more.
    fn drop_empty(&mut self, node: u32) {
        if !self.node_of_leaf.contains(&node) {
            self.labels.remove(node as usize);
            self.node_of_leaf.iter_mut().filter(|own| **own > node).for_each(|own| *own -= 1);
        }
    }

    /// Takes the first leaf out, and its node, which has no other.
    pub(crate) fn drop_first(&mut self) {
        let node = self.node_of_leaf.remove(0);
        self.drop_empty(node);
    }

    /// The level at which everything is `*`.
    pub(crate) fn top(leaves: usize) -> Self {
        Self { node_of_leaf: vec![0; leaves], labels: vec!["*".into()] }
    }

    /// A level from one label for each leaf.
    pub(crate) fn of<'a>(labels: impl Iterator<Item = &'a str>) -> Self {
        let mut gathered = LevelBuilder::default();
        labels.for_each(|label| gathered.push(label));
        gathered.finish()
    }

    /// The level above, from one label for each node of this one.
    pub(crate) fn above<'a>(&self, labels: impl Iterator<Item = &'a str>) -> Self {
        let Level { node_of_leaf: above, labels } = Self::of(labels);
        Self { node_of_leaf: self.node_of_leaf.iter().map(|&node| above[node as usize]).collect(), labels }
    }
}

/// A level that is gathered leaf by leaf.
#[derive(Default)]
pub(crate) struct LevelBuilder {
    node_of_label: HashMap<Box<str>, u32>,
    level: Level,
}

impl LevelBuilder {
    /// Gives the next leaf its label.
    pub(crate) fn push(&mut self, label: &str) {
        let node = match self.node_of_label.get(label) {
            Some(&node) => node,
            None => {
                let node = self.level.labels.len() as u32;
                self.level.labels.push(label.into());
                self.node_of_label.insert(label.into(), node);
                node
            }
        };
        self.level.node_of_leaf.push(node);
    }

    pub(crate) fn finish(self) -> Level {
        self.level
    }
}

/// A hierarchy fitted to the codes of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Generalization {
    /// The number of leaves of the column's domain, an added missing value included.
    pub leaves: u32,
    /// The levels from 0 (the value itself) to the top.
    pub levels: Vec<GeneralizedLevel>,
}

impl Generalization {
    /// As [`Hierarchy::flat`] bound to the same column, without the tables in which leaves are looked up: what is not generalized by
    /// anything known may have as many values as records.
    pub fn flat(domain: &Domain) -> Result<Self, HierarchyError> {
        let missing = domain.missing() as usize;
        let (sameness, present) = (domain.sameness(), &domain.texts()[missing..]);
        let markers: HashSet<Cow<'_, str>> = domain.markers().map(|marker| sameness.key(marker)).collect();
        if present.iter().any(|text| markers.contains(&sameness.key(text))) {
            // A marker that is a value of the column, too.
            return Hierarchy::flat(domain).bind(domain);
        }
        let values = present.len() as u32;
        let leaf_of_code = std::iter::repeat_n(values, missing).chain(0..values).collect();
        let marker = (missing > 0).then(|| domain.text(0).into());
        let labels = match missing {
            0 => domain.shared_texts(),
            _ => present.iter().cloned().chain(marker).collect(),
        };
        let leaves = labels.len() as u32;
        let top = GeneralizedLevel {
            node_of_code: vec![0; domain.len()],
            labels: vec!["*".into()].into(),
            leaves: vec![leaves],
        };
        let own = GeneralizedLevel { node_of_code: leaf_of_code, labels, leaves: vec![1; leaves as usize] };
        Ok(Self { leaves, levels: vec![own, top] })
    }

    /// How many times a value can be generalized.
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }

    /// Distinct labels at each level, from level 0 on.
    pub fn labels_per_level(&self) -> Vec<u64> {
        self.levels.iter().map(|level| level.labels.len() as u64).collect()
    }

    /// Loss of a code at a level: (leaves covered - 1) / (leaves of the domain - 1); 0 in a domain of one leaf
    /// (survey UM-04).
    pub fn loss(&self, level: usize, code: u32) -> f64 {
        let level = &self.levels[level];
        self.node_loss(level.leaves[level.node_of_code[code as usize] as usize])
    }

    /// Loss of a node that covers so many leaves.
    pub fn node_loss(&self, covered: u32) -> f64 {
        if self.leaves <= 1 { 0.0 } else { f64::from(covered.saturating_sub(1)) / f64::from(self.leaves - 1) }
    }
}

/// One level of a [`Generalization`].
#[derive(Debug, Clone, PartialEq)]
pub struct GeneralizedLevel {
    /// Per code of the column its node.
    pub node_of_code: Vec<u32>,
    /// Per node its label.
    pub labels: Texts,
    /// Per node the leaves it covers.
    pub leaves: Vec<u32>,
}

#[cfg(test)]
mod tests;
