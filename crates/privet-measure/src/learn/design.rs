//! Released records as features for regression (survey US-11).
//!
//! A column of categories with L leaves is L features, one for each leaf; a column of numbers is one feature, or two with
//! [`Reading::Bounds`]. No leaf is set apart as a reference: of a label over several leaves, the ridge and the least sum of
//! squares make the coefficients of its leaves equal, and a reference, whose coefficient is fixed, could not be. So what is
//! learned does not depend on the order of leaves. Coefficients are told as differences from the first leaf afterwards
//! (`coefficient.rs`). A released cell becomes
//!
//! - the mean of the features of its leaves ([`Reading::Mean`]);
//! - for numbers the lowest and the highest of its leaves (US-11 ii, [`Reading::Bounds`]); for categories, which have
//!   no bounds, the mean;
//! - the features of one of its leaves, drawn evenly with a seed (US-11 i, [`Reading::Sample`]).
//!
//! Inside, numbers are moved to mean 0 and divided by their deviation, so that columns in different units are solved
//! equally well. Records with the same cells are kept once, with their number.
//!
//! # Guarantee
//! Deterministic. Where every cell is one leaf all readings tell the same of it. A cell that covers nothing says
//! nothing: it is read as one that covers every leaf.

use privet_data::Coverage;

use super::LearnError;
use crate::classify::{Feature, Span, TrainingColumn};
use privet_data::Random;

/// The most features, apart from the intercept.
pub const MOST_FEATURES: usize = 2000;

/// What the leaves of a column are.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Categories.
    Categories,
    /// Numbers: one for each leaf.
    Numbers(Vec<f64>),
}

impl Scale {
    /// That of a column as classifiers see it.
    pub fn of(feature: &Feature) -> Self {
        feature.numbers().map_or(Self::Categories, |numbers| Self::Numbers(numbers.to_vec()))
    }
}

/// What a released cell that covers several leaves becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reading {
    /// The mean over its leaves.
    #[default]
    Mean,
    /// Its lower and its upper bound.
    Bounds,
    /// One of its leaves.
    Sample {
        /// Equal seeds draw equal leaves.
        seed: u64,
    },
}

/// How one column becomes features. Kept by what was learned, to read raw records in the same way.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Encoded {
    /// Where its features begin.
    pub(super) base: usize,
    pub(super) kind: EncodedKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum EncodedKind {
    /// So many leaves, and the mean of each feature, for values that are not known.
    Categories { leaves: u32, means: Vec<f64> },
    /// A number for each leaf, and per feature the mean and the deviation that it is moved and divided by.
    Numbers { numbers: Vec<f64>, units: Vec<(f64, f64)> },
}

impl Encoded {
    pub(super) fn width(&self) -> usize {
        match &self.kind {
            EncodedKind::Categories { means, .. } => means.len(),
            EncodedKind::Numbers { units, .. } => units.len(),
        }
    }

    /// What the features of a leaf, each times its coefficient, add up to.
    pub(super) fn dot(&self, leaf: Option<u32>, coefficients: &[f64]) -> f64 {
        let own = coefficients.get(self.base..self.base + self.width()).unwrap_or_default();
        match (&self.kind, leaf) {
            (EncodedKind::Categories { leaves, .. }, Some(leaf)) if leaf < *leaves => {
                own.get(leaf as usize).copied().unwrap_or(0.0)
            }
            (EncodedKind::Categories { means, .. }, _) => {
                own.iter().zip(means).map(|(c, mean)| c * mean).sum()
            }
            (EncodedKind::Numbers { numbers, units }, Some(leaf)) => match numbers.get(leaf as usize) {
                Some(number) => {
                    own.iter().zip(units).map(|(c, (mean, unit))| c * ((number - mean) / unit)).sum()
                }
                None => 0.0,
            },
            // The mean of every feature is 0.
            (EncodedKind::Numbers { .. }, None) => 0.0,
        }
    }
}

/// Sparse features of the cells of a column.
#[derive(Debug, Clone)]
struct Cells {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

/// Released records as features.
#[derive(Debug, Clone)]
pub struct Design {
    pub(super) columns: Vec<Encoded>,
    cells: Vec<Cells>,
    /// All features, without the intercept.
    pub(super) features: usize,
    /// Per record its tuple.
    pub(super) tuple_of: Vec<u32>,
    /// Per tuple and column the code.
    codes: Vec<u32>,
    /// Per tuple its records.
    pub(super) weights: Vec<f64>,
    /// Per record how much it counts; empty when all count 1.
    pub(super) row_weights: Vec<f64>,
}

/// A column before it is encoded: per code the spans of leaves that it covers.
struct Read {
    leaves: u32,
    codes: Vec<u32>,
    spans: Vec<Vec<Span>>,
}

impl Design {
    /// From columns that classifiers learn from, with one scale for each.
    ///
    /// # Errors
    /// When columns or scales do not fit, or there would be more than [`MOST_FEATURES`] features.
    pub fn new(columns: &[TrainingColumn], scales: &[Scale], reading: Reading) -> Result<Self, LearnError> {
        let read = |column: &TrainingColumn| Read {
            leaves: column.leaves,
            codes: column.codes.clone(),
            spans: column.spans.iter().map(|&span| vec![span]).collect(),
        };
        Self::of(columns.iter().map(read).collect(), scales, reading)
    }

    /// From codes of labels, and which leaves each label may stand for.
    ///
    /// # Errors
    /// When columns or scales do not fit, or there would be more than [`MOST_FEATURES`] features.
    pub fn from_coverage(
        columns: &[(&[u32], &Coverage)],
        scales: &[Scale],
        reading: Reading,
    ) -> Result<Self, LearnError> {
        let read = |&(codes, coverage): &(&[u32], &Coverage)| Read {
            leaves: coverage.values(),
            codes: codes.to_vec(),
            spans: (0..coverage.labels() as u32)
                .map(|label| {
                    let runs = coverage.of(label).runs().iter();
                    runs.map(|&(first, last)| Span { first, last }).collect()
                })
                .collect(),
        };
        Self::of(columns.iter().map(read).collect(), scales, reading)
    }

    fn of(mut columns: Vec<Read>, scales: &[Scale], reading: Reading) -> Result<Self, LearnError> {
        if columns.len() != scales.len() {
            return Err(LearnError::Scales { columns: columns.len(), scales: scales.len() });
        }
        let records = columns.first().map_or(0, |column| column.codes.len());
        for (column, (own, scale)) in columns.iter().zip(scales).enumerate() {
            if own.codes.len() != records {
                return Err(LearnError::Length { column, found: own.codes.len(), expected: records });
            }
            let fits = |span: &Span| span.first <= span.last && span.last < own.leaves;
            if !own.spans.iter().flatten().all(fits)
                || own.codes.iter().any(|&code| code as usize >= own.spans.len())
                || (own.leaves == 0 && records > 0)
            {
                return Err(LearnError::Span { column });
            }
            if let Scale::Numbers(numbers) = scale
                && (numbers.len() != own.leaves as usize || !numbers.iter().all(|x| x.abs() <= 1e100))
            {
                return Err(LearnError::Numbers { column });
            }
        }
        let width = |(column, scale): (&Read, &Scale)| match (scale, reading) {
            (Scale::Categories, _) => column.leaves as usize,
            (Scale::Numbers(_), Reading::Bounds) => 2,
            (Scale::Numbers(_), _) => 1,
        };
        let widths: Vec<usize> = columns.iter().zip(scales).map(width).collect();
        let features = widths.iter().fold(0usize, |sum, width| sum.saturating_add(*width));
        if features > MOST_FEATURES {
            return Err(LearnError::Features { features });
        }
        for (number, column) in columns.iter_mut().enumerate() {
            let everything = Span { first: 0, last: column.leaves.saturating_sub(1) };
            for spans in column.spans.iter_mut().filter(|spans| spans.is_empty() && column.leaves > 0) {
                spans.push(everything);
            }
            if let Reading::Sample { seed } = reading {
                column.draw(&mut Random::stream(seed, number as u64));
            }
        }
        let mut design = Self {
            columns: Vec::with_capacity(columns.len()),
            cells: Vec::with_capacity(columns.len()),
            features,
            tuple_of: vec![0; records],
            codes: Vec::new(),
            weights: Vec::new(),
            row_weights: Vec::new(),
        };
        let mut base = 0;
        for ((column, scale), width) in columns.iter().zip(scales).zip(widths) {
            let (kind, cells) = column.encode(scale, width, base);
            design.columns.push(Encoded { base, kind });
            design.cells.push(cells);
            base += width;
        }
        design.collapse(&columns);
        Ok(design)
    }

    /// Numbers the distinct records.
    fn collapse(&mut self, columns: &[Read]) {
        let key = |row: u32| columns.iter().map(move |column| column.codes[row as usize]);
        let mut order: Vec<u32> = (0..self.tuple_of.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
        for (tuple, same) in (0..).zip(order.chunk_by(|&a, &b| key(a).eq(key(b)))) {
            self.codes.extend(key(same[0]));
            self.weights.push(same.len() as f64);
            same.iter().for_each(|&row| self.tuple_of[row as usize] = tuple);
        }
    }

    /// Lets each record count so much.
    ///
    /// # Errors
    /// When there is not one weight for each record.
    pub fn weigh(mut self, weights: &[f64]) -> Result<Self, LearnError> {
        if weights.len() != self.rows() {
            return Err(LearnError::Targets { records: self.rows(), targets: weights.len() });
        }
        self.weights.fill(0.0);
        for (&tuple, weight) in self.tuple_of.iter().zip(weights) {
            self.weights[tuple as usize] += weight;
        }
        self.row_weights = weights.to_vec();
        Ok(self)
    }

    /// How much a record counts.
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.row_weights.get(row).copied().unwrap_or(1.0)
    }

    /// How many records there are.
    pub fn rows(&self) -> usize {
        self.tuple_of.len()
    }

    /// How many features there are, apart from the intercept.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Puts the features of a tuple that are not 0 into `row`, in ascending order.
    pub(super) fn read_tuple(&self, tuple: usize, row: &mut Vec<(u32, f64)>) {
        row.clear();
        let codes = &self.codes[tuple * self.columns.len()..(tuple + 1) * self.columns.len()];
        for (cells, &code) in self.cells.iter().zip(codes) {
            row.extend_from_slice(
                &cells.entries[cells.starts[code as usize]..cells.starts[code as usize + 1]],
            );
        }
    }
}

impl Read {
    /// Replaces each cell by one of its leaves.
    fn draw(&mut self, random: &mut Random) {
        for code in &mut self.codes {
            let spans = &self.spans[*code as usize];
            let leaves: u64 = spans.iter().map(|span| u64::from(span.last - span.first) + 1).sum();
            let mut place = random.below(leaves as usize) as u64;
            for span in spans {
                let own = u64::from(span.last - span.first) + 1;
                if place < own {
                    *code = span.first + place as u32;
                    break;
                }
                place -= own;
            }
        }
        self.spans = (0..self.leaves).map(|leaf| vec![Span::one(leaf)]).collect();
    }

    fn encode(&self, scale: &Scale, width: usize, base: usize) -> (EncodedKind, Cells) {
        let mut records = vec![0u64; self.spans.len()];
        self.codes.iter().for_each(|&code| records[code as usize] += 1);
        let mut cells = Cells { starts: vec![0], entries: Vec::new() };
        let all = self.codes.len().max(1) as f64;
        match scale {
            Scale::Categories => {
                let mut means = vec![0.0; width];
                for (spans, &records) in self.spans.iter().zip(&records) {
                    let leaves: u64 = spans.iter().map(|span| u64::from(span.last - span.first) + 1).sum();
                    let each = 1.0 / leaves.max(1) as f64;
                    for leaf in spans.iter().flat_map(|span| span.first..=span.last) {
                        cells.entries.push((base as u32 + leaf, each));
                        means[leaf as usize] += records as f64 * each / all;
                    }
                    cells.starts.push(cells.entries.len());
                }
                (EncodedKind::Categories { leaves: self.leaves, means }, cells)
            }
            Scale::Numbers(numbers) => {
                let read = |spans: &Vec<Span>| self.number(spans, numbers, width == 2);
                let values: Vec<[f64; 2]> = self.spans.iter().map(read).collect();
                let mut units = Vec::with_capacity(width);
                for feature in 0..width {
                    let weighed =
                        || values.iter().zip(&records).map(|(own, &n)| (own[feature], n as f64 / all));
                    let mean: f64 = weighed().map(|(value, share)| value * share).sum();
                    let variance: f64 = weighed().map(|(value, share)| (value - mean).powi(2) * share).sum();
                    let unit = variance.sqrt();
                    // What is constant but for rounding stays where it is.
                    units.push((mean, if unit > 1e-12 * mean.abs() && unit > 0.0 { unit } else { 1.0 }));
                }
                for value in &values {
                    for (feature, (mean, unit)) in units.iter().enumerate() {
                        cells.entries.push(((base + feature) as u32, (value[feature] - mean) / unit));
                    }
                    cells.starts.push(cells.entries.len());
                }
                (EncodedKind::Numbers { numbers: numbers.clone(), units }, cells)
            }
        }
    }

    /// The mean of the numbers of a cell, or its lower and its upper bound.
    fn number(&self, spans: &[Span], numbers: &[f64], bounds: bool) -> [f64; 2] {
        let own =
            || spans.iter().flat_map(|span| &numbers[span.first as usize..=span.last as usize]).copied();
        let count = own().count().max(1) as f64;
        match bounds {
            // A cell of no leaf can only be in a column of no record.
            true if own().next().is_none() => [0.0; 2],
            true => [own().fold(f64::INFINITY, f64::min), own().fold(f64::NEG_INFINITY, f64::max)],
            false => [own().map(|number| number / count).sum(), 0.0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(design: &Design) -> Vec<Vec<(u32, f64)>> {
        let mut row = Vec::new();
        let read = |&tuple: &u32| {
            design.read_tuple(tuple as usize, &mut row);
            row.clone()
        };
        design.tuple_of.iter().map(read).collect()
    }

    #[test]
    fn cells_become_means() {
        // Three categories: the first, the last two, all, and the first and the last.
        let coverage = Coverage::new([vec![0], vec![1, 2], vec![], vec![0, 2]], 3);
        let codes = [0, 1, 2, 3, 1];
        let design =
            Design::from_coverage(&[(&codes, &coverage)], &[Scale::Categories], Reading::Mean).unwrap();
        let third = 1.0 / 3.0;
        let expected = [
            vec![(0, 1.0)],
            vec![(1, 0.5), (2, 0.5)],
            vec![(0, third), (1, third), (2, third)],
            vec![(0, 0.5), (2, 0.5)],
            vec![(1, 0.5), (2, 0.5)],
        ];
        assert_eq!(rows(&design), expected);
        assert_eq!((design.rows(), design.features(), design.weights.len()), (5, 3, 4));
        // What is not known is the mean record.
        let mean = (0.5 + third + 0.5) / 5.0;
        assert!((design.columns[0].dot(None, &[0.0, 1.0, 0.0]) - mean).abs() < 1e-15);
        assert_eq!(design.columns[0].dot(Some(2), &[2.0, 3.0, 4.0]), 4.0);
        assert_eq!(design.columns[0].dot(Some(0), &[2.0, 3.0, 4.0]), 2.0);
        let beyond = design.columns[0].dot(Some(3), &[0.0, 0.0, 1.0]);
        assert_eq!(beyond, design.columns[0].dot(None, &[0.0, 0.0, 1.0]));
    }

    #[test]
    fn numbers_have_means_and_bounds() {
        let scale = [Scale::Numbers(vec![10.0, 20.0, 60.0])];
        let column = [TrainingColumn {
            leaves: 3,
            is_ordered: true,
            codes: vec![0, 1],
            spans: vec![Span { first: 0, last: 2 }, Span::one(2)],
        }];
        // 30 and 60: mean 45, deviation 15.
        let mean = Design::new(&column, &scale, Reading::Mean).unwrap();
        assert_eq!(rows(&mean), [[(0, -1.0)], [(0, 1.0)]]);
        assert_eq!(mean.columns[0].dot(Some(0), &[3.0]), 3.0 * (10.0 - 45.0) / 15.0);
        // Bounds 10 and 60, 60 and 60: the upper ones are constant.
        let bounds = Design::new(&column, &scale, Reading::Bounds).unwrap();
        assert_eq!(rows(&bounds), [[(0, -1.0), (1, 0.0)], [(0, 1.0), (1, 0.0)]]);
        assert_eq!(bounds.columns[0].dot(None, &[3.0, 4.0]), 0.0);
    }

    #[test]
    fn leaves_are_drawn_evenly_and_repeatably() {
        let coverage = Coverage::new([vec![0, 1, 3]], 4);
        let codes = vec![0; 3000];
        let draw = |seed| {
            let columns = [(&codes[..], &coverage)];
            rows(&Design::from_coverage(&columns, &[Scale::Categories], Reading::Sample { seed }).unwrap())
        };
        let drawn = draw(7);
        assert_eq!(drawn, draw(7));
        assert_ne!(drawn, draw(8));
        // A third each: the deviation of a count is 26.
        for (row, least) in [(vec![(0, 1.0)], 850), (vec![(1, 1.0)], 850), (vec![(3, 1.0)], 850)] {
            assert!(drawn.iter().filter(|own| **own == row).count() > least);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let coverage = Coverage::identity(3);
        let build = |codes: &[u32], scales: &[Scale]| {
            Design::from_coverage(&[(codes, &coverage)], scales, Reading::Mean)
                .map(|design| design.features())
        };
        assert_eq!(build(&[0, 2], &[Scale::Categories]), Ok(3));
        assert_eq!(build(&[0, 2], &[]), Err(LearnError::Scales { columns: 1, scales: 0 }));
        assert_eq!(build(&[3], &[Scale::Categories]), Err(LearnError::Span { column: 0 }));
        for numbers in [vec![1.0], vec![1.0, 2.0, f64::NAN], vec![1.0, 2.0, 1e200]] {
            assert_eq!(build(&[0], &[Scale::Numbers(numbers)]), Err(LearnError::Numbers { column: 0 }));
        }
        let two = [(&[0u32, 1][..], &coverage), (&[0][..], &coverage)];
        let scales = [Scale::Categories, Scale::Categories];
        let found = Design::from_coverage(&two, &scales, Reading::Mean).map(|_| ());
        assert_eq!(found, Err(LearnError::Length { column: 1, found: 1, expected: 2 }));
        let wide = Coverage::identity(2001);
        let found = Design::from_coverage(&[(&[0], &wide)], &scales[..1], Reading::Mean).map(|_| ());
        assert_eq!(found, Err(LearnError::Features { features: 2001 }));
        let none = Coverage::identity(0);
        let found = Design::from_coverage(&[(&[], &none)], &scales[..1], Reading::Sample { seed: 1 });
        assert_eq!(found.unwrap().features(), 0);
        assert_eq!(Design::from_coverage(&[], &[], Reading::Bounds).unwrap().rows(), 0);
    }
}
