//! Metrics that look at cells: what was replaced, how far it was lifted, how wide it became (survey UM-01, UM-02,
//! UM-03, UM-04, UM-08; the thesis' distortion ratio).
//!
//! A cell counts as replaced by the root when its label may stand for every value of a column that has more than one.
//! The cells of suppressed records are lost entirely: they cost as much as the root does. UM-01 counts published cells
//! only, UM-03 those of suppressed records too.

use super::spread::Spread;
use super::{UtilityError, same_length};
use crate::{Grouped, GroupedKind, Tally};

impl Spread<'_> {
    /// Per column how many published cells were replaced by the root (UM-01).
    pub fn root_replacements(&self) -> Vec<u64> {
        let column = |column: usize| {
            let coverage = self.coverages[column];
            let is_root =
                |label: u32| coverage.values() > 1 && coverage.of(label).len() == coverage.values() as usize;
            let counts = self.label_counts(column);
            (0..).zip(&counts).filter(|&(label, _)| is_root(label)).map(|(_, &count)| count).sum()
        };
        (0..self.coverages.len()).map(column).collect()
    }

    /// How many cells say nothing, those of suppressed records included (UM-03).
    pub fn suppressed_cells(&self) -> u64 {
        self.root_replacements().iter().sum::<u64>() + self.suppressed * self.coverages.len() as u64
    }

    /// Per column the mean over records of (values covered − 1)/(values − 1), a suppressed record costing 1 (UM-04, LM).
    /// The survey's LM is their sum, [`crate::Metric::Loss`] their mean. A column with one value cannot lose anything.
    pub fn losses(&self) -> Vec<f64> {
        let column = |column: usize| {
            let coverage = self.coverages[column];
            if coverage.values() < 2 || self.rows == 0 {
                return 0.0;
            }
            let wide = f64::from(coverage.values() - 1);
            let cost = |label: u32| coverage.of(label).len().saturating_sub(1) as f64 / wide;
            let counts = self.label_counts(column);
            let sum: f64 = (0..).zip(&counts).map(|(label, &count)| count as f64 * cost(label)).sum();
            (sum + self.suppressed as f64) / self.rows as f64
        };
        (0..self.coverages.len()).map(column).collect()
    }

    /// Mean over records of how many tuples of the domain could have become what is published (UM-08, AM).
    pub fn ambiguity(&self) -> f64 {
        let grouped = Grouped::of_release(GroupedKind::Ambiguity, self.rows, self.domain.ln);
        let mut tally = Tally::default();
        for (&count, volume) in self.region_counts.iter().zip(&self.volumes) {
            grouped.add(&mut tally, count, volume.ln, 0, true);
        }
        if self.suppressed > 0 {
            grouped.add(&mut tally, self.suppressed, self.domain.ln, 0, false);
        }
        grouped.value(&tally, std::iter::empty())
    }
}

/// How far the cells of a column were lifted in its hierarchy.
#[derive(Debug, Clone, Copy)]
pub struct Climb<'a> {
    /// Per record its published label.
    pub published: &'a [u32],
    /// Per label its level; a value as it is has level 0. A label without a level counts as the top.
    pub level_of_label: &'a [u32],
    /// The level of the root.
    pub height: u32,
}

impl Climb<'_> {
    fn steps(&self, suppressed: Option<&[bool]>) -> Result<u64, UtilityError> {
        if let Some(mask) = suppressed {
            same_length("labels of a column", self.published.len(), mask.len())?;
        }
        let level =
            |label: u32| self.level_of_label.get(label as usize).map_or(self.height, |&l| l.min(self.height));
        let is_out = |row: usize| suppressed.is_some_and(|mask| mask[row]);
        let cells = self.published.iter().enumerate();
        Ok(cells.map(|(row, &label)| u64::from(if is_out(row) { self.height } else { level(label) })).sum())
    }
}

/// Per column how many times a cell was replaced by its parent, over all records (UM-02). Suppressed records were lifted
/// to the root. When a whole column is at one level, this is that level for each record, so that the sum over columns is
/// the number of records times the height of the generalization.
///
/// # Errors
/// When a column and the mask of suppressed records differ in length.
pub fn generalization_steps(
    columns: &[Climb<'_>],
    suppressed: Option<&[bool]>,
) -> Result<Vec<u64>, UtilityError> {
    columns.iter().map(|column| column.steps(suppressed)).collect()
}

/// The steps taken, over those that lead every cell to the root (thesis section 3): 0 for the original, 1 for nothing.
/// 0 when no step can be taken.
///
/// # Errors
/// When a column and the mask of suppressed records differ in length.
pub fn distortion_ratio(columns: &[Climb<'_>], suppressed: Option<&[bool]>) -> Result<f64, UtilityError> {
    let taken: u64 = generalization_steps(columns, suppressed)?.iter().sum();
    let all: f64 =
        columns.iter().map(|column| column.published.len() as f64 * f64::from(column.height)).sum();
    Ok(if all > 0.0 { taken as f64 / all } else { 0.0 })
}

/// Mean over records of (upper − lower)/(greatest − least), for a column of numbers published as ranges (UM-04 for
/// numbers). `domain` is the least and the greatest number that the column can have.
///
/// A range is cut to the domain; one that is not a range (a bound is no number, or they are the wrong way round) tells
/// nothing and costs 1. A domain of one number cannot lose anything.
///
/// # Errors
/// When there are not as many lower as upper bounds, or the domain is no range of finite numbers.
pub fn range_losses(lower: &[f64], upper: &[f64], domain: (f64, f64)) -> Result<f64, UtilityError> {
    same_length("upper bounds", upper.len(), lower.len())?;
    let (least, greatest) = domain;
    let width = greatest - least;
    if !least.is_finite() || !greatest.is_finite() || !width.is_finite() || width < 0.0 {
        let accepted = "two finite numbers, the smaller one first";
        return Err(UtilityError::Parameter { what: "the domain", accepted });
    }
    if width == 0.0 || lower.is_empty() {
        return Ok(0.0);
    }
    let cost = |(&from, &to): (&f64, &f64)| {
        if from <= to { (to.clamp(least, greatest) - from.clamp(least, greatest)) / width } else { 1.0 }
    };
    Ok(lower.iter().zip(upper).map(cost).sum::<f64>() / lower.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_their_share() {
        // A column of height 2 with one cell at each level, and one of height 1 that is not lifted.
        let first = Climb { published: &[0, 1, 2, 9], level_of_label: &[0, 1, 2], height: 2 };
        let second = Climb { published: &[0; 4], level_of_label: &[0], height: 1 };
        assert_eq!(generalization_steps(&[first, second], None), Ok(vec![5, 0]));
        assert_eq!(distortion_ratio(&[first, second], None), Ok(5.0 / 12.0));
        let mask = [true, false, false, false];
        assert_eq!(generalization_steps(&[first, second], Some(&mask)), Ok(vec![7, 1]));
        assert_eq!(distortion_ratio(&[], None), Ok(0.0));
        assert!(generalization_steps(&[first], Some(&[true])).is_err());
        let all = [true; 4];
        assert_eq!(distortion_ratio(&[first, second], Some(&all)), Ok(1.0));
    }

    #[test]
    fn ranges_of_numbers() {
        assert_eq!(range_losses(&[20.0, 23.0], &[22.0, 25.0], (20.0, 25.0)), Ok(0.4));
        assert_eq!(range_losses(&[f64::NAN, 9.0], &[22.0, 8.0], (0.0, 10.0)), Ok(1.0));
        assert_eq!(range_losses(&[f64::NEG_INFINITY], &[f64::INFINITY], (0.0, 10.0)), Ok(1.0));
        assert_eq!(range_losses(&[1.0], &[1.0], (1.0, 1.0)), Ok(0.0));
        assert_eq!(range_losses(&[], &[], (0.0, 1.0)), Ok(0.0));
        assert!(range_losses(&[1.0], &[], (0.0, 1.0)).is_err());
        for bad in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-f64::MAX, f64::MAX)] {
            assert!(range_losses(&[1.0], &[2.0], bad).is_err());
        }
    }
}
