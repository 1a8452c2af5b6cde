//! Groups of records, and what is published for each of them in place of its values.
//!
//! Methods that regroup records (multidimensional and local recoding, clustering, microaggregation) say who is with
//! whom. What a group shows for itself in a column is the same for all of them: the lowest node of the hierarchy
//! above its values, their range, or one value that stands for all.
//!
//! Missing values: a group of numbers or dates in which some are missing and some are not shows a node of the hierarchy
//! above all of them, or `*`, where others would show a range; its mean, median or mode is that of the values that are
//! known, and a node again when fewer than two are. In a column of texts a missing value counts as a value.

use foldhash::{HashMap, HashMapExt};
use privet_data::{Generalization, GeneralizedLevel, Kind, date_of};
use rayon::prelude::*;
use serde::Deserialize;

use crate::lattice::{Problem, Quasi};

/// Who is with whom.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Groups {
    /// Per record its group.
    pub of: Vec<u32>,
    /// How many groups there are.
    pub count: usize,
}

/// What a group shows in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Represent {
    /// The lowest node of the hierarchy that is above all its values (survey ME-09).
    #[default]
    Nodes,
    /// `[first to last]` of its numbers or dates, the value itself when there is one; a node where a column has none.
    Ranges,
    /// The mean of its numbers or dates; the mode of a column that has none (survey ME-11).
    Means,
    /// The lower median of its numbers or dates; the mode of a column that has none.
    Medians,
    /// Its most frequent value, the first in the order of the column among equals.
    Modes,
}

impl Represent {
    /// The word in job files and manifests.
    pub fn word(self) -> &'static str {
        match self {
            Represent::Nodes => "nodes",
            Represent::Ranges => "ranges",
            Represent::Means => "means",
            Represent::Medians => "medians",
            Represent::Modes => "modes",
        }
    }

    /// What a column really shows: only numbers and dates have ranges, means and medians.
    pub fn for_column(self, quasi: &Quasi<'_>) -> Self {
        match (self, quasi.numbers) {
            (Represent::Ranges, None) => Represent::Nodes,
            (Represent::Means | Represent::Medians, None) => Represent::Modes,
            (how, _) => how,
        }
    }
}

/// A column in which records of one group show the same.
#[derive(Debug, Clone, PartialEq)]
pub struct RegroupedColumn {
    /// One code per record.
    pub codes: Vec<u32>,
    /// What the codes show: labels, and the leaves that each covers.
    pub level: GeneralizedLevel,
    /// Whether every record shows its own value, because no group has two different ones.
    pub unchanged: bool,
}

impl Groups {
    /// Groups from any numbering of them; they are numbered anew in the order in which they first appear.
    pub fn numbered(names: &[u32]) -> Self {
        const NEW: u32 = u32::MAX;
        let mut number = vec![NEW; names.iter().max().map_or(0, |&most| most as usize + 1)];
        let mut count = 0;
        let of = names
            .iter()
            .map(|&name| {
                let number = &mut number[name as usize];
                if *number == NEW {
                    *number = count;
                    count += 1;
                }
                *number
            })
            .collect();
        Self { of, count: count as usize }
    }

    /// The records of each group, in their order: those of group `g` are `records[starts[g]..starts[g + 1]]`.
    pub fn members(&self) -> (Vec<u32>, Vec<u32>) {
        members(&self.of, self.count)
    }

    /// What the groups show in every quasi column.
    pub fn represent(&self, problem: &Problem<'_>, how: Represent) -> Vec<RegroupedColumn> {
        let (starts, records) = self.members();
        problem.quasi.par_iter().map(|quasi| self.represent_column(quasi, how, &starts, &records)).collect()
    }

    fn represent_column(
        &self,
        quasi: &Quasi<'_>,
        how: Represent,
        starts: &[u32],
        records: &[u32],
    ) -> RegroupedColumn {
        let column = Column::new(quasi, how.for_column(quasi));
        let mut labelled = Labelled::new(&column);
        let mut codes: Vec<u32> = Vec::new();
        let node_of_group: Vec<u32> = starts
            .windows(2)
            .map(|bounds| {
                codes.clear();
                let members = &records[bounds[0] as usize..bounds[1] as usize];
                codes.extend(members.iter().map(|&record| quasi.codes[record as usize]));
                labelled.node(column.sign(&mut codes))
            })
            .collect();
        let codes = self.of.iter().map(|&group| node_of_group[group as usize]).collect();
        labelled.column(codes)
    }
}

/// All that is kept of the values of a group in a column: enough for nodes and ranges, whatever its size. It is gathered
/// record by record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The code of its first record.
    pub first: u32,
    /// The lowest level at which all its codes are one; one more than there are when none is.
    level: u32,
    least: u32,
    most: u32,
}

impl Extent {
    /// That of a group of one record.
    pub fn of(code: u32) -> Self {
        Self { first: code, level: 0, least: code, most: code }
    }

    /// Adds a record.
    #[inline]
    pub fn add(&mut self, generalization: &Generalization, code: u32) {
        (self.least, self.most) = (self.least.min(code), self.most.max(code));
        // Levels nest: codes that are one at a level are one at all above.
        while let Some(level) = generalization.levels.get(self.level as usize) {
            if level.node_of_code[code as usize] == level.node_of_code[self.first as usize] {
                break;
            }
            self.level += 1;
        }
    }
}

/// What groups show in a column of which only the extents are known: as [`Groups::represent`] has it, with one code for
/// each group in place of one for each record. `None` for means, medians and modes, which need all values.
pub fn represent_extents(quasi: &Quasi<'_>, how: Represent, extents: &[Extent]) -> Option<RegroupedColumn> {
    if !matches!(how, Represent::Nodes | Represent::Ranges) {
        return None;
    }
    let column = Column::new(quasi, how.for_column(quasi));
    let mut labelled = Labelled::new(&column);
    let codes = extents.iter().map(|extent| labelled.node(column.sign_of_extent(extent))).collect();
    Some(labelled.column(codes))
}

/// A column whose labels are made as signs are met.
struct Labelled<'a, 'q> {
    column: &'a Column<'q>,
    node_of_sign: HashMap<Sign, u32>,
    node_of_label: HashMap<Box<str>, u32>,
    labels: Vec<Box<str>>,
    leaves: Vec<u32>,
    unchanged: bool,
}

impl<'a, 'q> Labelled<'a, 'q> {
    fn new(column: &'a Column<'q>) -> Self {
        let (node_of_sign, node_of_label) = (HashMap::new(), HashMap::new());
        Self { column, node_of_sign, node_of_label, labels: Vec::new(), leaves: Vec::new(), unchanged: true }
    }

    fn node(&mut self, sign: Sign) -> u32 {
        let Self { column, node_of_sign, node_of_label, labels, leaves: covered_by, unchanged } = self;
        *unchanged &= matches!(sign, Sign::Node { level: 0, .. });
        *node_of_sign.entry(sign).or_insert_with(|| {
            // Signs that read alike are one to whoever reads them. They cover what the widest of them does.
            let (label, leaves) = column.read(sign);
            let node = *node_of_label.entry(label).or_insert_with_key(|label| {
                labels.push(label.clone());
                covered_by.push(0);
                labels.len() as u32 - 1
            });
            let covered = &mut covered_by[node as usize];
            *covered = leaves.max(*covered);
            node
        })
    }

    fn column(self, codes: Vec<u32>) -> RegroupedColumn {
        let Self { labels, leaves, unchanged, .. } = self;
        let node_of_code = (0..labels.len() as u32).collect();
        let level = GeneralizedLevel { node_of_code, labels: labels.into(), leaves };
        RegroupedColumn { codes, level, unchanged }
    }
}

/// The records of each of so many groups, in their order: those of group `g` are `records[starts[g]..starts[g + 1]]`.
pub(crate) fn members(of: &[u32], groups: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; groups + 1];
    for &group in of {
        starts[group as usize + 1] += 1;
    }
    for group in 0..groups {
        starts[group + 1] += starts[group];
    }
    let mut next = starts.clone();
    let mut records = vec![0; of.len()];
    for (record, &group) in of.iter().enumerate() {
        records[next[group as usize] as usize] = record as u32;
        next[group as usize] += 1;
    }
    (starts, records)
}

/// What a group shows, before it is put into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sign {
    /// A node of a level of the hierarchy.
    Node { level: u32, node: u32 },
    /// All that the column may hold.
    Anything,
    /// From one code to another.
    Range { first: u32, last: u32 },
    /// A number, by its bits, that stands for values between two codes, and for unknown ones.
    Number { bits: u64, first: u32, last: u32, unknown: bool },
    /// A value that stands for values between two codes, or for any when the column has no order, and for unknown ones.
    Value { code: u32, first: u32, last: u32, unknown: bool },
}

/// A column that is put into signs.
struct Column<'a> {
    quasi: &'a Quasi<'a>,
    how: Represent,
    /// The numbers of all leaves of the domain that have one, in ascending order.
    leaf_numbers: Vec<f64>,
    is_date: bool,
}

impl<'a> Column<'a> {
    fn new(quasi: &'a Quasi<'a>, how: Represent) -> Self {
        let mut column = Self { quasi, how, leaf_numbers: Vec::new(), is_date: false };
        let Some(numbers) = quasi.numbers else { return column };
        let labels = &quasi.generalization.levels[0].labels;
        let text = |code: usize| &labels[quasi.generalization.levels[0].node_of_code[code] as usize];
        let known = numbers.iter().position(|number| number.is_finite());
        column.is_date = known.is_some_and(|code| Kind::Decimal.number(text(code)).is_none());
        if how != Represent::Nodes {
            let kind = if column.is_date { Kind::Date } else { Kind::Decimal };
            column.leaf_numbers = labels.iter().filter_map(|label| kind.number(label)).collect();
            column.leaf_numbers.sort_unstable_by(f64::total_cmp);
        }
        column
    }

    fn is_known(&self, code: u32) -> bool {
        self.quasi.numbers.is_none_or(|numbers| !numbers[code as usize].is_nan())
    }

    fn leaf(&self, code: u32) -> u32 {
        self.quasi.generalization.levels[0].node_of_code[code as usize]
    }

    /// The sign of a group with these codes. Leaves them in another order.
    fn sign(&self, codes: &mut [u32]) -> Sign {
        let Some(&first) = codes.first() else { return Sign::Anything };
        let leaf = self.leaf(first);
        if codes.iter().all(|&code| self.leaf(code) == leaf) {
            return Sign::Node { level: 0, node: leaf };
        }
        if self.how == Represent::Nodes {
            return lowest_node(self.quasi.generalization, codes);
        }
        // Codes of missing values come first, so one look at both ends tells whether all are known.
        codes.sort_unstable();
        let unknown = codes.partition_point(|&code| !self.is_known(code));
        let known = &codes[unknown..];
        // What stands for a group must not be the one value that is known in it.
        if known.len() < 2 {
            return lowest_node(self.quasi.generalization, codes);
        }
        let (first, last) = (known[0], known[known.len() - 1]);
        let unknown = unknown > 0;
        match (self.how, self.quasi.numbers) {
            (Represent::Ranges, _) if unknown => lowest_node(self.quasi.generalization, codes),
            (Represent::Ranges, _) => Sign::Range { first, last },
            (Represent::Means, Some(numbers)) => {
                match mean(known.iter().map(|&code| numbers[code as usize]), known.len()) {
                    Some(mean) => Sign::Number { bits: mean.to_bits(), first, last, unknown },
                    // The mean of infinite numbers says nothing.
                    _ => Sign::Value { code: self.mode(known), first, last, unknown },
                }
            }
            (Represent::Medians, _) => {
                Sign::Value { code: known[(known.len() - 1) / 2], first, last, unknown }
            }
            _ => Sign::Value { code: self.mode(known), first, last, unknown },
        }
    }

    /// The sign of a group that shows nodes or ranges.
    fn sign_of_extent(&self, extent: &Extent) -> Sign {
        let Extent { first, level, least, most } = *extent;
        // Codes of missing values come first, so the least one tells whether all are known.
        if level > 0 && self.how == Represent::Ranges && self.is_known(least) {
            return Sign::Range { first: least, last: most };
        }
        match self.quasi.generalization.levels.get(level as usize) {
            Some(own) => Sign::Node { level, node: own.node_of_code[first as usize] },
            None => Sign::Anything,
        }
    }

    /// The most frequent value of codes in ascending order; the first among equals.
    fn mode(&self, codes: &[u32]) -> u32 {
        let runs = codes.chunk_by(|&a, &b| self.leaf(a) == self.leaf(b));
        runs.rev().max_by_key(|run| run.len()).map_or(0, |run| run[0])
    }

    /// The label of a sign, and the leaves it covers.
    fn read(&self, sign: Sign) -> (Box<str>, u32) {
        let generalization = self.quasi.generalization;
        let text = |code: u32| &generalization.levels[0].labels[self.leaf(code) as usize];
        match sign {
            Sign::Node { level, node } => {
                let level = &generalization.levels[level as usize];
                (level.labels[node as usize].clone(), level.leaves[node as usize])
            }
            Sign::Anything => ("*".into(), generalization.leaves),
            Sign::Range { first, last } => {
                (format!("[{} to {}]", text(first), text(last)).into(), self.leaves_between(first, last))
            }
            Sign::Number { bits, first, last, unknown } => {
                let number = f64::from_bits(bits);
                let label = match self.is_date {
                    true => date_of(number.round() as i64),
                    false => number.to_string(),
                };
                (label.into(), self.leaves_between(first, last) + u32::from(unknown))
            }
            Sign::Value { code, first, last, unknown } => (
                text(code).clone(),
                self.leaves_between(first, last) + u32::from(unknown && self.quasi.numbers.is_some()),
            ),
        }
    }

    /// How many leaves of the domain lie between two codes, both included; all of them in a column without an order.
    fn leaves_between(&self, first: u32, last: u32) -> u32 {
        let Some(numbers) = self.quasi.numbers else { return self.quasi.generalization.leaves };
        let (low, high) = (numbers[first as usize], numbers[last as usize]);
        let below = self.leaf_numbers.partition_point(|&number| number < low);
        let up_to = self.leaf_numbers.partition_point(|&number| number <= high);
        (up_to.saturating_sub(below) as u32).max(1)
    }
}

/// The mean of so many numbers, never outside them; `None` when they are not all finite.
fn mean(numbers: impl Iterator<Item = f64> + Clone, count: usize) -> Option<f64> {
    let count = count as f64;
    let (least, most) = (numbers.clone().reduce(f64::min)?, numbers.clone().reduce(f64::max)?);
    let mean = match numbers.clone().sum::<f64>() / count {
        mean if mean.is_finite() => mean,
        // The sum is too large for a number, the mean is not.
        _ => numbers.map(|number| number / count).sum(),
    };
    (least.is_finite() && most.is_finite()).then(|| mean.clamp(least, most))
}

/// The lowest node of a hierarchy above all codes; where even the top tells them apart, anything.
fn lowest_node(generalization: &Generalization, codes: &[u32]) -> Sign {
    let levels = &generalization.levels;
    let first = codes[0] as usize;
    let mut level = 0;
    for &code in codes {
        // Levels nest: codes that are one at a level are one at all above.
        while levels[level].node_of_code[code as usize] != levels[level].node_of_code[first] {
            level += 1;
            if level == levels.len() {
                return Sign::Anything;
            }
        }
    }
    Sign::Node { level: level as u32, node: levels[level].node_of_code[first] }
}

#[cfg(test)]
mod tests {
    use super::mean;

    #[test]
    fn a_mean_lies_among_its_numbers_however_large() {
        let of = |numbers: &[f64]| mean(numbers.iter().copied(), numbers.len());
        assert_eq!(of(&[1.0, 2.0, 6.0]), Some(3.0));
        let huge = of(&[1.5e308, 6.0, 1.2e308]).unwrap();
        assert!((huge / 0.9e308 - 1.0).abs() < 1e-12, "{huge}");
        assert_eq!(of(&[f64::MAX, f64::MAX]), Some(f64::MAX));
        assert_eq!(of(&[f64::MIN, f64::MAX]), Some(0.0));
        assert_eq!(of(&[1.0, f64::INFINITY]), None);
    }
}
