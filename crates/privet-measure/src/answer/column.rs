//! A published column as questions look at it.

use foldhash::HashMap;
use privet_data::{Coverage, Domain, Kind};

use super::mask::Mask;
use super::region::{Region, Values};

/// A published column: labels, what they may stand for, and who has them.
#[derive(Debug, Clone)]
pub struct AnswerColumn {
    /// Its name.
    pub name: String,
    /// What the values behind the labels are. Constants are read accordingly.
    pub kind: Kind,
    /// The published labels.
    pub labels: Vec<Box<str>>,
    /// Per label what it may stand for.
    pub regions: Vec<Region>,
    /// The values that listed regions speak of.
    pub values: Domain,
    /// Names of sets of values that a question may use, such as the labels of a hierarchy: per name the codes of the
    /// values, ascending.
    pub named: HashMap<Box<str>, Vec<u32>>,
    /// Per value how likely it is, where that is not the same for all behind a label; empty otherwise.
    pub weights: Vec<f64>,
    /// Whether two labels never stand for the same value, as on one level of a hierarchy.
    pub exclusive: bool,
    /// Whether a text may be a value although it is a label for others: then a constant is the value.
    pub ambiguous: bool,
    /// Who has which label.
    pub cells: AnswerCells,
}

/// Who has which label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerCells {
    /// One label per record.
    PerRecord(Vec<u32>),
    /// Per group (bucket) how often each of the column's values occurs in it; which record has which is not published.
    PerGroup(Vec<Vec<(u32, u64)>>),
}

impl AnswerColumn {
    /// A column that is published as it is.
    pub fn exact(name: impl Into<String>, values: Domain, cells: AnswerCells) -> Self {
        let regions = (0..values.len() as u32).map(|code| Region::listed([code])).collect();
        Self {
            name: name.into(),
            kind: values.kind(),
            labels: values.texts().to_vec(),
            regions,
            values,
            named: HashMap::default(),
            weights: Vec::new(),
            exclusive: true,
            ambiguous: false,
            cells,
        }
    }

    /// Whether two labels that somebody has may stand for the same value, a missing one aside.
    pub fn labels_overlap(&self) -> bool {
        let AnswerCells::PerRecord(codes) = &self.cells else { return false };
        if self.exclusive {
            return false;
        }
        let mut is_there = vec![false; self.labels.len()];
        codes.iter().for_each(|&code| is_there[code as usize] = true);
        let mut taken = vec![false; self.values.len()];
        for region in self.regions.iter().zip(is_there).filter(|own| own.1).map(|own| own.0) {
            let Values::Listed(values) = &region.values else { return true };
            for &value in values.iter().filter(|&&value| !self.values.is_missing(value)) {
                if std::mem::replace(&mut taken[value as usize], true) {
                    return true;
                }
            }
        }
        false
    }

    /// A column of labels that stand for values of a known domain. A label that covers no value stands for any.
    pub fn covered(
        name: impl Into<String>,
        labels: &Domain,
        values: Domain,
        coverage: &Coverage,
        codes: Vec<u32>,
    ) -> Self {
        let region = |label: u32| match coverage.of(label) {
            none if none.is_empty() => {
                Region { or_missing: true, ..Region::listed((0..values.len() as u32).collect::<Vec<_>>()) }
            }
            codes => Region::listed(codes.to_vec()),
        };
        Self {
            name: name.into(),
            kind: values.kind(),
            labels: labels.texts().to_vec(),
            regions: (0..labels.len() as u32).map(region).collect(),
            values,
            named: HashMap::default(),
            weights: Vec::new(),
            exclusive: coverage.is_function(),
            ambiguous: false,
            cells: AnswerCells::PerRecord(codes),
        }
    }

    /// What a masked label hides.
    pub(super) fn mask(&self, label: u32) -> Option<Mask> {
        match self.regions.get(label as usize)?.values {
            Values::Mask { one_length, digits } => {
                Some(Mask::new(self.labels.get(label as usize)?, one_length, digits))
            }
            _ => None,
        }
    }

    /// Whether its values are numbers that can be added up.
    pub(super) fn is_numeric(&self) -> bool {
        matches!(self.kind, Kind::Integer | Kind::Decimal)
    }
}
