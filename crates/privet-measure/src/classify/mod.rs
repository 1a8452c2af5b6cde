//! How well a classifier learns from a release (survey US-10, US-11, UM-34).
//!
//! A classifier is trained on released records and tested on raw ones that were set apart before anything was
//! released. The two do not speak the same language: where the test says `23`, the release says `20-29`, `[20 to 24]`,
//! `23.4` or `*`. So everything is put in terms of leaves, the values that a column may hold ([`Feature`]): a released
//! cell covers a [`Span`] of leaves, a raw cell is one leaf, and a released record counts for each combination of the
//! leaves that it covers with the same weight.
//!
//! This is leaf sampling (US-11 i) carried to its end: instead of drawing one leaf for each cell, every leaf gets the
//! share of the record with which it would be drawn. Nothing is left to chance, and a release that changes nothing
//! trains the same classifier as the raw records do. In a column of numbers a cell is what lies between its lower and
//! its upper bound (US-11 ii).
//!
//! [`NaiveBayes`] and [`DecisionTree`] learn; [`accuracy`] tells how often they are right. The gap to a
//! classifier that learned from the raw records is the utility that was lost (UM-34).

mod decision_tree;
mod feature;
mod naive_bayes;
mod region;

pub use decision_tree::{DecisionTree, TreeOptions};
pub use feature::{Feature, Span};
pub use naive_bayes::NaiveBayes;

/// Released records to learn from.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    columns: Vec<TrainingColumn>,
    classes: Vec<u32>,
    /// Per record how much it counts; empty when all count 1.
    weights: Vec<f64>,
    /// How many classes there can be.
    class_count: usize,
}

/// A column of released records.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingColumn {
    /// How many leaves the column has.
    pub leaves: u32,
    /// Whether its leaves are in the order of numbers.
    pub is_ordered: bool,
    /// One code per record.
    pub codes: Vec<u32>,
    /// Per code the leaves that it covers.
    pub spans: Vec<Span>,
}

/// Why records cannot be learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TrainingError {
    /// A column is longer or shorter than the list of classes.
    #[error("column {column} has {found} records, but there are {expected} class labels")]
    Length {
        /// The column, counted from 0.
        column: usize,
        /// Its records.
        found: usize,
        /// The class labels.
        expected: usize,
    },
    /// Weights do not fit the records.
    #[error("each record needs one weight that is a finite number above 0")]
    Weights,
    /// A code has no span, or a span lies outside the leaves.
    #[error("column {column} has a code without a span of its leaves")]
    Span {
        /// The column, counted from 0.
        column: usize,
    },
}

impl Training {
    /// Records of these columns, each with the code of its class.
    ///
    /// # Errors
    /// When columns have different lengths, a code has no span, or a span lies outside the leaves.
    pub fn new(columns: Vec<TrainingColumn>, classes: Vec<u32>) -> Result<Self, TrainingError> {
        for (column, own) in columns.iter().enumerate() {
            if own.codes.len() != classes.len() {
                let (found, expected) = (own.codes.len(), classes.len());
                return Err(TrainingError::Length { column, found, expected });
            }
            let fits = |span: &Span| span.first <= span.last && span.last < own.leaves;
            if !own.spans.iter().all(fits) || own.codes.iter().any(|&code| code as usize >= own.spans.len()) {
                return Err(TrainingError::Span { column });
            }
        }
        let class_count = classes.iter().max().map_or(0, |&most| most as usize + 1);
        Ok(Self { columns, classes, weights: Vec::new(), class_count })
    }

    /// The same, where each record counts so much. Of a record whose class is known by chances alone, as in a bucket of which
    /// only the counts of classes are published, each class is a record that counts its chance (survey US-13).
    ///
    /// # Errors
    /// As with [`new`](Self::new), and when there is not one finite weight above 0 for each record.
    pub fn weighed(
        columns: Vec<TrainingColumn>,
        classes: Vec<u32>,
        weights: Vec<f64>,
    ) -> Result<Self, TrainingError> {
        let is_weight = |weight: &f64| *weight > 0.0 && weight.is_finite();
        if weights.len() != classes.len() || !weights.iter().all(is_weight) {
            return Err(TrainingError::Weights);
        }
        Ok(Self { weights, ..Self::new(columns, classes)? })
    }

    /// How much a record counts.
    fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// How much all records count.
    fn weight_of_all(&self) -> f64 {
        if self.weights.is_empty() { self.rows() as f64 } else { self.weights.iter().sum() }
    }

    /// Per record how much it counts; empty when all count 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The columns.
    pub fn columns(&self) -> &[TrainingColumn] {
        &self.columns
    }

    /// The class of each record.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// How many records there are.
    pub fn rows(&self) -> usize {
        self.classes.len()
    }
}

/// Something that tells the class of a raw record.
pub trait Classifier {
    /// The class of a record, given the leaf of each column where it is known; `None` when nothing was learned.
    fn predict(&self, record: &[Option<u32>]) -> Option<u32>;
}

/// The share of raw records whose class is told right; `None` when there is no record.
///
/// `columns` has per column the leaf of each record, where it is known; `classes` the class of each, which is
/// `None` where it never occurs in the training records and so cannot be told.
pub fn accuracy(
    classifier: &dyn Classifier,
    columns: &[Vec<Option<u32>>],
    classes: &[Option<u32>],
) -> Option<f64> {
    let mut record = Vec::with_capacity(columns.len());
    let mut right = 0u64;
    for (row, class) in classes.iter().enumerate() {
        record.clear();
        record.extend(columns.iter().map(|column| column.get(row).copied().flatten()));
        right += u64::from(class.is_some() && classifier.predict(&record) == *class);
    }
    (!classes.is_empty()).then(|| right as f64 / classes.len() as f64)
}

/// The class with the most weight, the first among equals; `None` when none has any. Weights that differ by no more
/// than sums of shares are rounded by are equal.
fn heaviest(weights: &[f64]) -> Option<u32> {
    let mut best: Option<(usize, f64)> = None;
    for (class, &weight) in weights.iter().enumerate() {
        if weight > best.map_or(0.0, |(_, most)| most * (1.0 + 1e-9)) {
            best = Some((class, weight));
        }
    }
    best.map(|(class, _)| class as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Always(Option<u32>);

    impl Classifier for Always {
        fn predict(&self, _: &[Option<u32>]) -> Option<u32> {
            self.0
        }
    }

    #[test]
    fn accuracy_is_the_share_that_is_right() {
        let classes = [Some(0), Some(1), Some(0), None];
        assert_eq!(accuracy(&Always(Some(0)), &[], &classes), Some(0.5));
        // Who says nothing is not right about a class that nobody could tell.
        assert_eq!(accuracy(&Always(None), &[], &classes), Some(0.0));
        assert_eq!(accuracy(&Always(Some(0)), &[], &[]), None);
    }

    #[test]
    fn records_that_do_not_fit_are_refused() {
        let column = |codes: Vec<u32>, last: u32| TrainingColumn {
            leaves: 3,
            is_ordered: true,
            codes,
            spans: vec![Span { first: 0, last }],
        };
        assert!(Training::new(vec![column(vec![0, 0], 2)], vec![0, 1]).is_ok());
        let error = Training::new(vec![column(vec![0], 2)], vec![0, 1]);
        assert_eq!(error, Err(TrainingError::Length { column: 0, found: 1, expected: 2 }));
        let outside = Training::new(vec![column(vec![0, 0], 3)], vec![0, 1]);
        assert_eq!(outside, Err(TrainingError::Span { column: 0 }));
        let unknown = Training::new(vec![column(vec![0, 1], 2)], vec![0, 1]);
        assert_eq!(unknown, Err(TrainingError::Span { column: 0 }));
    }
}
