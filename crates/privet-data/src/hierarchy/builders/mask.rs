//! Masks: characters replaced by a symbol, from the right or from the left (survey ME-05).
//!
//! Values of different length are lined up as if the shorter ones were filled up with the symbol on the side
//! that is masked, to the length of the longest. So a mask from the right keeps a prefix: `E11` and
//! `E11.9` become `E11**` and `E11.*` at level 1, and both `E11**` at level 2. A label says everything about
//! the label above it, so levels nest, and the last level is the symbol in the length of the longest value.

use super::{Values, check_levels};
use crate::hierarchy::notation::{Keys, Notation};
use crate::hierarchy::{Hierarchy, HierarchyError, Level};

/// `{ mask = "right", symbol = "*", steps = [1, 2, 5] }`
///
/// Works on columns of any kind, character by character (Unicode scalar values). The leaves are the values in
/// the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Mask {
    /// Where masking begins.
    pub side: Side,
    /// What stands for a masked character.
    pub symbol: char,
    /// How many characters are masked at each level; when empty, one more at each level. A level with
    /// everything masked always follows as the last.
    pub steps: Vec<usize>,
}

/// An end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The end.
    Right,
    /// The beginning.
    Left,
}

/// Masks are for codes; a longer text is prose, and one label of this length for each value is too much.
pub(super) const LONGEST: usize = 256;

impl Mask {
    /// A mask with `*`, one more character at each level.
    pub fn new(side: Side) -> Self {
        Self { side, symbol: '*', steps: Vec::new() }
    }

    pub(in crate::hierarchy) fn read(mut keys: Keys) -> Result<Self, HierarchyError> {
        let accepted = "\"right\" or \"left\"";
        let side = match &*keys.need("mask")?.into_text("mask", accepted)? {
            "right" => Side::Right,
            "left" => Side::Left,
            _ => {
                return Err(HierarchyError::parameter(
                    "mask",
                    format!("is not known; accepted is {accepted}"),
                ));
            }
        };
        let mut mask = Self::new(side);
        if let Some(symbol) = keys.take("symbol") {
            let symbol = symbol.into_text("symbol", "one character")?;
            let mut characters = symbol.chars();
            match (characters.next(), characters.next()) {
                (Some(character), None) => mask.symbol = character,
                _ => return Err(HierarchyError::parameter("symbol", "must be exactly one character")),
            }
        }
        if let Some(steps) = keys.take("steps") {
            for step in steps.into_list("steps", "a list of whole numbers such as [1, 2, 5]")? {
                // A step beyond the address space masks everything, as does the largest.
                mask.steps.push(usize::try_from(step.into_count("steps")?).unwrap_or(usize::MAX));
            }
            if mask.steps.is_empty() {
                check_levels("steps", 0)?;
            }
        }
        keys.finish(&["mask", "symbol", "steps"])?;
        Ok(mask)
    }

    pub(in crate::hierarchy) fn write(&self) -> Notation {
        let side = match self.side {
            Side::Right => "right",
            Side::Left => "left",
        };
        let mut table = vec![
            ("mask".into(), Notation::Text(side.into())),
            ("symbol".into(), Notation::Text(self.symbol.into())),
        ];
        if !self.steps.is_empty() {
            let steps = self.steps.iter().map(|&step| Notation::count(step as u64)).collect();
            table.push(("steps".into(), Notation::List(steps)));
        }
        Notation::Table(table)
    }

    pub(super) fn build(&self, values: &Values<'_>) -> Result<Hierarchy, HierarchyError> {
        if self.symbol.is_control() {
            return Err(HierarchyError::parameter("symbol", "must be a character that can be printed"));
        }
        if self.steps.first() == Some(&0) || !self.steps.is_sorted_by(|a, b| a < b) {
            return Err(HierarchyError::parameter("steps", "must grow from level to level, from 1"));
        }
        check_levels("steps", self.steps.len().max(1))?;
        let longest = longest("mask", values)?;
        let masked = self.masked_at_levels(longest);
        if self.steps.is_empty() && masked.len() > crate::hierarchy::MOST_LEVELS {
            let problem = format!(
                "the longest value has {longest} characters, one level each are too many; give `steps` such as [1, 5, 20]"
            );
            return Err(HierarchyError::parameter("mask", problem));
        }
        let mut levels: Vec<Level> = Vec::with_capacity(masked.len());
        for &count in &masked {
            let kept = longest - count;
            let level = match levels.last() {
                None => {
                    let labels: Vec<String> =
                        values.texts.iter().map(|text| self.label(text, kept, longest)).collect();
                    Level::of(labels.iter().map(|label| &**label))
                }
                Some(below) => {
                    let labels: Vec<String> =
                        below.labels.iter().map(|text| self.label(text, kept, longest)).collect();
                    below.above(labels.iter().map(|label| &**label))
                }
            };
            levels.push(level);
        }
        if values.texts.is_empty() {
            levels = vec![Level::top(0)];
        }
        Hierarchy::from_levels(values.leaves(), levels)
    }

    /// How many characters are masked at each level, when the longest value has so many.
    fn masked_at_levels(&self, longest: usize) -> Vec<usize> {
        let mut masked: Vec<usize> = match &*self.steps {
            [] => (1..longest).collect(),
            steps => steps.iter().copied().filter(|&step| step < longest).collect(),
        };
        masked.push(longest);
        masked
    }

    /// The labels above a value from level 1 on, in a column whose longest value has so many characters.
    pub(in crate::hierarchy) fn labels_above(&self, value: &str, longest: usize) -> Vec<String> {
        let masked = self.masked_at_levels(longest).into_iter();
        masked.map(|count| self.label(value, longest - count, longest)).collect()
    }

    /// The first (or last) `kept` characters, with the symbol for the others up to the length.
    fn label(&self, text: &str, kept: usize, length: usize) -> String {
        match self.side {
            Side::Right => masked(text.chars(), kept, length, self.symbol).collect(),
            Side::Left => {
                let reversed: Vec<char> = masked(text.chars().rev(), kept, length, self.symbol).collect();
                reversed.into_iter().rev().collect()
            }
        }
    }
}

/// So many characters of a text, then the symbol up to the length.
pub(super) fn masked(
    text: impl Iterator<Item = char>,
    kept: usize,
    length: usize,
    symbol: char,
) -> impl Iterator<Item = char> {
    text.take(kept).chain(std::iter::repeat(symbol)).take(length)
}

/// The number of characters of the longest value.
pub(super) fn longest(key: &str, values: &Values<'_>) -> Result<usize, HierarchyError> {
    let longest = values.texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    if longest > LONGEST {
        let problem =
            format!("the column holds values of more than {LONGEST} characters; shorter ones are accepted");
        return Err(HierarchyError::parameter(key, problem));
    }
    Ok(longest)
}
