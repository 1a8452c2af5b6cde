//! Regions that hold enough people (survey ME-05: geographic coarsening; the US Census asks for 100,000).
//!
//! Each threshold makes one level: the finest regions of which every one holds at least so many records. A
//! region that is too small joins others, by dropping characters of a code or by taking in its neighbours,
//! and a larger threshold only ever joins regions of the level before, so levels nest. When the whole table
//! holds fewer, the level is one region. A record is counted as a person; who has several is counted several times.

use super::mask::{longest, masked};
use super::{Values, check_levels, from_to};
use crate::Kind;
use crate::hierarchy::notation::{Keys, Notation};
use crate::hierarchy::{Hierarchy, HierarchyError, Level};

/// `{ regions = [500, 5000], by = "right" }`
///
/// A last level `*` is added. The leaves are the values in the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Regions {
    /// How many records each region must hold, level by level.
    pub thresholds: Vec<u64>,
    /// What lies near to what; when not given, prefixes for text and neighbours for numbers and dates.
    pub by: Option<Neighbourhood>,
}

/// What lies near to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbourhood {
    /// Values with a common beginning: characters are dropped from the right, as in postcodes. If one part of
    /// a region is too small, the region is not divided.
    Right,
    /// Values with a common end: characters are dropped from the left.
    Left,
    /// Values that follow each other: in number, in time, in the alphabet.
    Order,
}

const WORDS: [(&str, Neighbourhood); 3] =
    [("right", Neighbourhood::Right), ("left", Neighbourhood::Left), ("order", Neighbourhood::Order)];

impl Regions {
    pub(in crate::hierarchy) fn read(mut keys: Keys) -> Result<Self, HierarchyError> {
        let thresholds = match keys.need("regions")? {
            Notation::List(list) => list,
            one => vec![one],
        };
        let thresholds = thresholds.into_iter().map(|n| n.into_count("regions")).collect::<Result<_, _>>()?;
        let accepted = "\"right\", \"left\" or \"order\"";
        let by = match keys.take("by") {
            None => None,
            Some(word) => {
                let word = word.into_text("by", accepted)?;
                let known = WORDS.iter().find(|(name, _)| *name == word).map(|&(_, by)| by);
                let unknown =
                    || HierarchyError::parameter("by", format!("is not known; accepted is {accepted}"));
                Some(known.ok_or_else(unknown)?)
            }
        };
        keys.finish(&["regions", "by"])?;
        Ok(Self { thresholds, by })
    }

    pub(in crate::hierarchy) fn write(&self) -> Notation {
        let thresholds = self.thresholds.iter().map(|&threshold| Notation::count(threshold)).collect();
        let mut table = vec![("regions".into(), Notation::List(thresholds))];
        let word = WORDS.iter().find(|(_, by)| Some(*by) == self.by);
        table.extend(word.map(|&(word, _)| ("by".into(), Notation::Text(word.into()))));
        Notation::Table(table)
    }

    pub(super) fn build(&self, values: &Values<'_>) -> Result<Hierarchy, HierarchyError> {
        check_levels("regions", self.thresholds.len())?;
        if self.thresholds[0] == 0 || !self.thresholds.is_sorted_by(|a, b| a < b) {
            let problem = "must grow from level to level; accepted are whole numbers from 1";
            return Err(HierarchyError::parameter("regions", problem));
        }
        let Some(counts) = values.counts else {
            let problem = "needs the number of records for each distinct value of the column";
            return Err(HierarchyError::parameter("regions", problem));
        };
        let by = self.by.unwrap_or(match values.kind {
            Kind::Integer | Kind::Decimal | Kind::Date => Neighbourhood::Order,
            Kind::Boolean | Kind::Text => Neighbourhood::Right,
        });
        let mut levels = match by {
            Neighbourhood::Order => self.by_order(values, counts),
            Neighbourhood::Right => self.by_code(values, counts, false)?,
            Neighbourhood::Left => self.by_code(values, counts, true)?,
        };
        levels.push(Level::top(values.texts.len()));
        Hierarchy::from_levels(values.leaves(), levels)
    }

    /// Neighbours are taken in until a region holds enough; what is left at the end joins the last region.
    fn by_order(&self, values: &Values<'_>, counts: &[u64]) -> Vec<Level> {
        let mut levels = Vec::with_capacity(self.thresholds.len());
        // The first value of each region, and where the last one ends.
        let mut borders: Vec<usize> = (0..=values.texts.len()).collect();
        for &threshold in &self.thresholds {
            let mut coarser = vec![0];
            let mut held = 0_u64;
            for part in borders.windows(2) {
                held = counts[part[0]..part[1]].iter().fold(held, |sum, &count| sum.saturating_add(count));
                if held >= threshold {
                    coarser.push(part[1]);
                    held = 0;
                }
            }
            if coarser.len() > 1 {
                coarser.pop();
            }
            if !values.texts.is_empty() {
                coarser.push(values.texts.len());
            }
            borders = coarser;
            let mut level = Level::default();
            for (region, part) in borders.windows(2).enumerate() {
                let (first, last) = (&values.texts[part[0]], &values.texts[part[1] - 1]);
                let label = match values.kind {
                    Kind::Decimal | Kind::Date if first != last => format!("[{first},{last}]"),
                    _ => from_to(first, last),
                };
                level.labels.push(label.into());
                level.node_of_leaf.extend(std::iter::repeat_n(region as u32, part[1] - part[0]));
            }
            levels.push(level);
        }
        levels
    }

    /// A region is divided by its next character when every part holds enough.
    fn by_code(
        &self,
        values: &Values<'_>,
        counts: &[u64],
        reversed: bool,
    ) -> Result<Vec<Level>, HierarchyError> {
        let length = longest("regions", values)?;
        let codes: Vec<Vec<char>> = values
            .texts
            .iter()
            .map(|text| if reversed { text.chars().rev().collect() } else { text.chars().collect() })
            .collect();
        // Shorter codes count as filled up with `*`, as masks do.
        let character = |code: usize, depth: usize| codes[code].get(depth).copied().unwrap_or('*');
        let mut order: Vec<usize> = (0..codes.len()).collect();
        order.sort_by(|&a, &b| {
            (0..length).map(|depth| character(a, depth)).cmp((0..length).map(|depth| character(b, depth)))
        });
        let mut levels = Vec::with_capacity(self.thresholds.len());
        for &threshold in &self.thresholds {
            let mut level = Level { node_of_leaf: vec![0; codes.len()], labels: Vec::new() };
            let mut open: Vec<(&[usize], usize)> = if order.is_empty() { vec![] } else { vec![(&order, 0)] };
            while let Some((region, depth)) = open.pop() {
                let parts = || region.chunk_by(|&a, &b| character(a, depth) == character(b, depth));
                let holds_enough = |part: &[usize]| {
                    part.iter().fold(0_u64, |sum, &code| sum.saturating_add(counts[code])) >= threshold
                };
                if depth < length && parts().all(holds_enough) {
                    open.extend(parts().map(|part| (part, depth + 1)));
                    continue;
                }
                let code = (0..length).map(|depth| character(region[0], depth));
                let label: String = match depth {
                    0 => "*".into(),
                    _ if reversed => {
                        let reversed: Vec<char> = masked(code, depth, length, '*').collect();
                        reversed.into_iter().rev().collect()
                    }
                    _ => masked(code, depth, length, '*').collect(),
                };
                for &code in region {
                    level.node_of_leaf[code] = level.labels.len() as u32;
                }
                level.labels.push(label.into());
            }
            levels.push(level);
        }
        Ok(levels)
    }
}
