//! A decision tree on one noisy table of the class with a few columns.
//!
//! # Guarantee
//! Computed from noisy tables alone. A column is asked where it lowers the entropy of the class most, and a node is split only where every class of
//! some child stands out of the noise: children with fewer people than the noise of their sum keep the class of the node above.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Table;

/// The most combinations of values that a tree is grown on.
const MOST_CELLS: usize = 20_000;

/// A node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreeNode {
    /// The class that is said where no child is for the value.
    pub class: String,
    /// The noisy number of people.
    pub people: f64,
    /// The column that is asked; none in a leaf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Per value the child.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub children: BTreeMap<String, TreeNode>,
}

impl TreeNode {
    pub(super) fn predict<'a>(&self, text: &impl Fn(&str) -> Option<&'a str>) -> &str {
        let child = self.column.as_deref().and_then(text).and_then(|own| self.children.get(own));
        child.map_or(&self.class, |own| own.predict(text))
    }

    /// The columns that are asked.
    pub(super) fn columns(&self) -> BTreeSet<&str> {
        let below = self.children.values().flat_map(Self::columns);
        self.column.as_deref().into_iter().chain(below).collect()
    }

    /// How many nodes it has, itself included.
    pub fn size(&self) -> usize {
        1 + self.children.values().map(Self::size).sum::<usize>()
    }
}

/// Counts of a class by value; those that noise alone may have made are left out.
fn by_value(table: &[(&[String], f64)], place: usize, width: f64) -> BTreeMap<String, BTreeMap<String, f64>> {
    let mut found: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    let mut cells: BTreeMap<(&str, &str), (f64, u32)> = BTreeMap::new();
    for (texts, count) in table {
        if let (Some(class), Some(value)) = (texts.first(), texts.get(place)) {
            let own = cells.entry((value.as_str(), class.as_str())).or_default();
            *own = (own.0 + count, own.1 + 1);
        }
    }
    for ((value, class), (count, summed)) in cells {
        // The noise of a sum grows with the root of the number of cells.
        let least = width / 2.0 * f64::from(summed).sqrt();
        let count = if count > least { count } else { 0.0 };
        found.entry(value.to_owned()).or_default().insert(class.to_owned(), count);
    }
    found
}

/// The entropy of the class, in people times bits.
fn entropy<'a>(counts: impl Iterator<Item = &'a f64> + Clone) -> f64 {
    let all: f64 = counts.clone().sum();
    counts.filter(|own| **own > 0.0).map(|own| own * (all / own).log2()).sum()
}

/// By how much knowing the value lowers the entropy of the class, in people times bits.
fn gain(by_value: &BTreeMap<String, BTreeMap<String, f64>>) -> f64 {
    let mut classes: BTreeMap<&String, f64> = BTreeMap::new();
    for counts in by_value.values() {
        counts.iter().for_each(|(class, count)| *classes.entry(class).or_default() += count);
    }
    let within: f64 = by_value.values().map(|own| entropy(own.values())).sum();
    entropy(classes.values()) - within
}

/// The columns that tell most of the class, as many as noise allows: people stay more than cells times their noise.
pub(super) fn columns_worth_asking(
    columns: &[String],
    tables: &[Table],
    most: usize,
    width: f64,
) -> Vec<String> {
    let mut ranked: Vec<(f64, &String, usize)> = columns
        .iter()
        .zip(tables)
        .map(|(column, table)| {
            let lines: Vec<(&[String], f64)> = table.iter().map(|own| (&own.0[..], own.1)).collect();
            let found = by_value(&lines, 1, width);
            (gain(&found), column, found.len())
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let people = tables.first().map_or(0.0, |own| own.iter().map(|line| line.1).sum::<f64>());
    let classes = tables
        .first()
        .map_or(1, |own| own.iter().filter_map(|line| line.0.first()).collect::<BTreeSet<_>>().len());
    let mut cells = classes.max(1);
    let mut chosen = Vec::new();
    for (_, column, values) in ranked {
        let next = cells.saturating_mul(values.max(1));
        let is_worth = next <= MOST_CELLS && people > next as f64 * width / 4.0;
        if chosen.len() < most && (chosen.is_empty() && next <= MOST_CELLS || is_worth) {
            cells = next;
            chosen.push(column.clone());
        }
    }
    if chosen.is_empty() {
        chosen.extend(columns.first().cloned());
    }
    chosen
}

/// Grows a tree on a table whose first column is the class.
pub(super) fn grow(columns: &[String], table: &Table, width: f64) -> TreeNode {
    let lines: Vec<(&[String], f64)> = table.iter().map(|own| (&own.0[..], own.1)).collect();
    let places: Vec<usize> = (1..=columns.len()).collect();
    node(columns, &places, &lines, width, "")
}

fn node(
    columns: &[String],
    places: &[usize],
    lines: &[(&[String], f64)],
    width: f64,
    above: &str,
) -> TreeNode {
    let mut classes: BTreeMap<&str, f64> = BTreeMap::new();
    for (texts, count) in lines {
        if let Some(class) = texts.first() {
            *classes.entry(class).or_default() += count;
        }
    }
    let people: f64 = classes.values().sum();
    let noise = width / 2.0 * (lines.len() as f64).sqrt();
    let frequent = classes.iter().max_by(|a, b| a.1.total_cmp(b.1)).map_or("", |own| *own.0);
    let class = if people > noise || above.is_empty() { frequent } else { above }.to_owned();
    let leaf = TreeNode { class, people, column: None, children: BTreeMap::new() };
    if people <= noise {
        return leaf;
    }
    let best = places
        .iter()
        .map(|&place| (gain(&by_value(lines, place, width)), place))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    // Below a bit for each class and unit of noise nothing is told apart.
    let Some((_, place)) = best.filter(|own| own.0 > noise.max(1e-9)) else { return leaf };
    let rest: Vec<usize> = places.iter().copied().filter(|own| *own != place).collect();
    let mut parts: BTreeMap<&str, Vec<(&[String], f64)>> = BTreeMap::new();
    for (texts, count) in lines {
        if let Some(value) = texts.get(place) {
            parts.entry(value).or_default().push((*texts, *count));
        }
    }
    let children: BTreeMap<String, TreeNode> = parts
        .into_iter()
        .map(|(value, lines)| (value.to_owned(), node(columns, &rest, &lines, width, &leaf.class)))
        .collect();
    // A split that changes no prediction is none.
    if children.values().all(|own| own.column.is_none() && own.class == leaf.class) {
        return leaf;
    }
    TreeNode { column: columns.get(place - 1).cloned(), children, ..leaf }
}
