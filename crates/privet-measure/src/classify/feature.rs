//! A column as classifiers see it: leaves in an order in which whatever a release shows for several of them is one
//! stretch.
//!
//! Leaves of a column of numbers or dates are in the order of their numbers; those of other columns are in the order of
//! the hierarchy's nodes from the top down, so that the leaves below a node stand together. A label is read as, in
//! this order:
//!
//! - a leaf or a node of the hierarchy: the leaves below it (in a column of numbers those from the lowest to the
//!   highest); a label that occurs more than once covers what all its nodes do, for nobody can tell them apart;
//! - `[a to b]`: the numbers or dates from a to b;
//! - another number or date, such as a mean: the leaf nearest to it, the lower among equals;
//! - anything else, such as a missing value: every leaf. It says nothing.

use std::collections::HashMap;

use privet_data::{Column, Hierarchy, Kind};

use super::TrainingColumn;

/// Leaves from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

impl Span {
    /// One leaf.
    pub fn one(leaf: u32) -> Self {
        Self { first: leaf, last: leaf }
    }

    /// The smallest span with both.
    fn with(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

/// A column as classifiers see it.
#[derive(Debug, Clone)]
pub struct Feature {
    leaves: u32,
    kind: Kind,
    /// Per leaf its number, in ascending order, in a column of numbers or dates.
    numbers: Option<Vec<f64>>,
    leaf_of: HashMap<Box<str>, u32>,
    span_of: HashMap<Box<str>, Span>,
}

impl Feature {
    /// A column with this hierarchy, whose values are of this kind.
    pub fn new(hierarchy: &Hierarchy, kind: Kind) -> Self {
        let number_of: Vec<Option<f64>> = hierarchy.leaves().iter().map(|leaf| kind.number(leaf)).collect();
        let is_ordered = number_of.iter().any(Option::is_some);
        let mut order: Vec<usize> = match is_ordered {
            // What is no number is a marker of a missing value, and is read as one.
            true => (0..number_of.len()).filter(|&leaf| number_of[leaf].is_some()).collect(),
            false => (0..number_of.len()).collect(),
        };
        if is_ordered {
            let number = |leaf: usize| number_of[leaf].unwrap_or(f64::NAN);
            order.sort_by(|&a, &b| number(a).total_cmp(&number(b)));
        } else {
            let path =
                |leaf: usize| hierarchy.levels().iter().rev().map(move |level| level.node_of_leaf[leaf]);
            order.sort_by(|&a, &b| path(a).cmp(path(b)));
        }
        let mut feature = Self {
            leaves: order.len() as u32,
            kind,
            numbers: is_ordered.then(|| order.iter().filter_map(|&leaf| number_of[leaf]).collect()),
            leaf_of: HashMap::new(),
            span_of: HashMap::new(),
        };
        for (place, &leaf) in (0..).zip(&order) {
            let text = &hierarchy.leaves()[leaf];
            feature.leaf_of.insert(text.clone(), place);
            feature.cover(text, place);
            for level in hierarchy.levels() {
                feature.cover(&level.labels[level.node_of_leaf[leaf] as usize], place);
            }
        }
        feature
    }

    fn cover(&mut self, label: &str, leaf: u32) {
        let own = Span::one(leaf);
        match self.span_of.get_mut(label) {
            Some(span) => *span = span.with(own),
            None => {
                self.span_of.insert(label.into(), own);
            }
        }
    }

    /// Per leaf its number, ascending, in a column of numbers or dates.
    pub fn numbers(&self) -> Option<&[f64]> {
        self.numbers.as_deref()
    }

    /// The leaf of a raw value. A number that is no leaf is read as the nearest; `None` when the value is not known.
    pub fn leaf(&self, text: &str) -> Option<u32> {
        self.leaf_of.get(text).copied().or_else(|| self.nearest(self.kind.number(text)?))
    }

    /// The leaves that a published label covers.
    pub fn span(&self, label: &str) -> Option<Span> {
        if let Some(&span) = self.span_of.get(label) {
            return Some(span);
        }
        let range = label.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some((from, to)) = range.and_then(|range| range.split_once(" to ")) {
            return self.between(self.kind.number(from)?, self.kind.number(to)?);
        }
        // The mean of whole numbers need not be whole.
        let number = match self.kind {
            Kind::Integer => Kind::Decimal.number(label),
            kind => kind.number(label),
        };
        self.nearest(number?).map(Span::one)
    }

    /// The leaves from one number to another; where there is none between them, the nearest.
    fn between(&self, from: f64, to: f64) -> Option<Span> {
        let numbers = self.numbers.as_ref()?;
        let first = numbers.partition_point(|&number| number < from) as u32;
        let end = numbers.partition_point(|&number| number <= to) as u32;
        if first < end {
            return Some(Span { first, last: end - 1 });
        }
        self.nearest((from + to) / 2.0).map(Span::one)
    }

    fn nearest(&self, number: f64) -> Option<u32> {
        let numbers = self.numbers.as_ref()?;
        let above = numbers.partition_point(|&own| own < number);
        let distance = |place: usize| numbers.get(place).map_or(f64::INFINITY, |own| (own - number).abs());
        match above.checked_sub(1) {
            _ if number.is_nan() => None,
            // Of equal numbers the first stands for all.
            Some(below) if above == numbers.len() || distance(below) <= distance(above) => {
                Some(numbers.partition_point(|&own| own < numbers[below]) as u32)
            }
            _ => (above < numbers.len()).then_some(above as u32),
        }
    }

    /// A released column, to learn from; `None` when the feature has no leaf.
    pub fn training(&self, column: &Column) -> Option<TrainingColumn> {
        let anything = Span { first: 0, last: self.leaves.checked_sub(1)? };
        let spans = column.domain.texts().iter().map(|label| self.span(label).unwrap_or(anything));
        Some(TrainingColumn {
            leaves: self.leaves,
            is_ordered: self.numbers.is_some(),
            codes: column.codes.clone(),
            spans: spans.collect(),
        })
    }

    /// The leaves of a raw column.
    pub fn testing(&self, column: &Column) -> Vec<Option<u32>> {
        let leaf_of: Vec<Option<u32>> = column.domain.texts().iter().map(|text| self.leaf(text)).collect();
        column.codes.iter().map(|&code| leaf_of[code as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(rows: &[[&str; 3]]) -> Hierarchy {
        let column = |place: usize| rows.iter().map(|row| Box::from(row[place])).collect();
        Hierarchy::new(column(0), vec![column(1), column(2)]).unwrap()
    }

    fn span(first: u32, last: u32) -> Option<Span> {
        Some(Span { first, last })
    }

    #[test]
    fn labels_of_categories() {
        // The leaves below one node are not next to each other in the file.
        let rows = [["cook", "food", "*"], ["nurse", "care", "*"], ["baker", "food", "*"]];
        let jobs = Feature::new(&hierarchy(&rows), Kind::Text);
        assert_eq!([jobs.leaf("cook"), jobs.leaf("baker"), jobs.leaf("nurse")], [Some(0), Some(1), Some(2)]);
        assert_eq!(jobs.span("food"), span(0, 1));
        assert_eq!(jobs.span("care"), span(2, 2));
        assert_eq!(jobs.span("*"), span(0, 2));
        assert_eq!((jobs.leaf("food"), jobs.leaf("smith"), jobs.span("smith")), (None, None, None));
    }

    #[test]
    fn labels_of_numbers() {
        let rows = [["30", "30-39", "*"], ["9", "0-9", "*"], ["23", "20-29", "*"], ["20", "20-29", "*"]];
        let ages = Feature::new(&hierarchy(&rows), Kind::Integer);
        assert_eq!([ages.leaf("9"), ages.leaf("20"), ages.leaf("23")], [Some(0), Some(1), Some(2)]);
        assert_eq!(ages.span("20-29"), span(1, 2));
        assert_eq!(ages.span("[9 to 23]"), span(0, 2));
        assert_eq!(ages.span("[10 to 25]"), span(1, 2));
        // No leaf lies in the range: the nearest.
        assert_eq!(ages.span("[24 to 25]"), span(2, 2));
        // A mean, half-way between leaves, below all and above all.
        assert_eq!(
            [ages.span("21.4"), ages.span("21.5"), ages.span("22")],
            [span(1, 1), span(1, 1), span(2, 2)]
        );
        assert_eq!([ages.span("-4"), ages.span("99.5")], [span(0, 0), span(3, 3)]);
        assert_eq!(ages.leaf("27"), Some(3));
        assert_eq!([ages.span("old"), ages.span("NaN"), ages.span("[a to b]"), ages.span("")], [None; 4]);
    }

    #[test]
    fn dates_have_ranges_too() {
        let leaves = ["2024-01-01", "2024-01-05", "2024-02-01"].map(Box::from).to_vec();
        let months = ["2024-01", "2024-01", "2024-02"].map(Box::from).to_vec();
        let days = Feature::new(&Hierarchy::new(leaves, vec![months]).unwrap(), Kind::Date);
        assert_eq!(days.span("2024-01"), span(0, 1));
        assert_eq!(days.span("[2024-01-02 to 2024-02-01]"), span(1, 2));
        assert_eq!(days.span("2024-01-30"), span(2, 2));
    }

    #[test]
    fn a_label_that_occurs_twice_covers_both() {
        let rows = [["a", "x", "*"], ["x", "y", "*"], ["b", "x", "*"]];
        let feature = Feature::new(&hierarchy(&rows), Kind::Text);
        assert_eq!(feature.span("x"), span(0, 2));
        assert_eq!(feature.leaf("x"), Some(2));
    }
}
