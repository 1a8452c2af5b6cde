//! Naive Bayes over categories with Laplace smoothing (survey US-11).
//!
//! Columns are taken to be independent within a class. The probability of a leaf in a class is its share of the
//! records of the class plus `smoothing`, where a record that covers m leaves counts 1/m for each of them.
//!
//! # Guarantee
//! Deterministic: among equally likely classes the first is told. A value that is not known says nothing, and so does
//! a column in which every record covers every leaf.

use super::{Classifier, Training, TrainingColumn};

/// Naive Bayes.
#[derive(Debug, Clone, PartialEq)]
pub struct NaiveBayes {
    /// Per class the logarithm of its share; `None` for a class that no record has.
    prior: Vec<Option<f64>>,
    /// Per column, leaf and class the logarithm of the probability of the leaf in the class.
    likelihood: Vec<Vec<f64>>,
}

impl NaiveBayes {
    /// Learns, adding so many records to each leaf and class; 1 is Laplace's rule. What is not above 0 counts as 1.
    pub fn train(training: &Training, smoothing: f64) -> Self {
        let smoothing = if smoothing > 0.0 && smoothing.is_finite() { smoothing } else { 1.0 };
        let mut records = vec![0u64; training.class_count];
        training.classes.iter().for_each(|&class| records[class as usize] += 1);
        let classes = records.iter().filter(|&&records| records > 0).count() as f64;
        let all = training.rows() as f64 + smoothing * classes;
        let prior = |&records: &u64| (records > 0).then(|| ((records as f64 + smoothing) / all).ln());
        let likelihood = |column: &TrainingColumn| {
            let mut shares = shares(column, &training.classes, training.class_count);
            for (place, share) in shares.iter_mut().enumerate() {
                let records = records[place % training.class_count] as f64;
                *share = ((*share + smoothing) / (records + smoothing * f64::from(column.leaves))).ln();
            }
            shares
        };
        Self {
            prior: records.iter().map(prior).collect(),
            likelihood: training.columns.iter().map(likelihood).collect(),
        }
    }
}

impl Classifier for NaiveBayes {
    fn predict(&self, record: &[Option<u32>]) -> Option<u32> {
        let classes = self.prior.len();
        let mut best: Option<(u32, f64)> = None;
        for (class, prior) in self.prior.iter().enumerate() {
            let Some(mut score) = *prior else { continue };
            for (likelihood, leaf) in self.likelihood.iter().zip(record) {
                let own = leaf.and_then(|leaf| likelihood.get(leaf as usize * classes + class));
                score += own.copied().unwrap_or(0.0);
            }
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((class as u32, score));
            }
        }
        best.map(|(class, _)| class)
    }
}

/// Per leaf and class the records, each of which is shared out evenly over the leaves that it covers.
fn shares(column: &TrainingColumn, classes: &[u32], class_count: usize) -> Vec<f64> {
    // Records with the same label and class count together, and a label is spread once.
    let mut counts = vec![0u64; column.spans.len() * class_count];
    for (&code, &class) in column.codes.iter().zip(classes) {
        counts[code as usize * class_count + class as usize] += 1;
    }
    let mut shares = vec![0.0; column.leaves as usize * class_count];
    // What begins at a leaf and ends before another.
    let mut steps = vec![0.0; (column.leaves as usize + 1) * class_count];
    for (span, counts) in column.spans.iter().zip(counts.chunks(class_count.max(1))) {
        let each = 1.0 / f64::from(span.last - span.first + 1);
        for (class, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let at = |leaf: u32| leaf as usize * class_count + class;
            let weight = count as f64 * each;
            if span.first == span.last {
                shares[at(span.first)] += weight;
            } else {
                steps[at(span.first)] += weight;
                steps[at(span.last + 1)] -= weight;
            }
        }
    }
    let mut running = vec![0.0; class_count];
    for (shares, steps) in shares.chunks_mut(class_count.max(1)).zip(steps.chunks(class_count.max(1))) {
        for ((share, step), running) in shares.iter_mut().zip(steps).zip(&mut running) {
            *running += step;
            // What rounding leaves of steps that cancel out must not become negative.
            *share += running.max(0.0);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::super::Span;
    use super::*;

    fn column(leaves: u32, cells: &[(u32, u32)]) -> TrainingColumn {
        TrainingColumn {
            leaves,
            is_ordered: false,
            codes: (0..cells.len() as u32).collect(),
            spans: cells.iter().map(|&(first, last)| Span { first, last }).collect(),
        }
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    #[test]
    fn probabilities_by_hand() {
        // Class 0: leaf 0, leaf 0, leaf 1; class 1: leaf 2 and one record that may be any of the three.
        let cells = column(3, &[(0, 0), (0, 0), (1, 1), (2, 2), (0, 2)]);
        let training = Training::new(vec![cells], vec![0, 0, 0, 1, 1]).unwrap();
        let bayes = NaiveBayes::train(&training, 1.0);
        near(bayes.prior[0].unwrap().exp(), 4.0 / 7.0);
        near(bayes.prior[1].unwrap().exp(), 3.0 / 7.0);
        let expected =
            [3.0 / 6.0, (4.0 / 3.0) / 5.0, 2.0 / 6.0, (4.0 / 3.0) / 5.0, 1.0 / 6.0, (7.0 / 3.0) / 5.0];
        for (own, expected) in bayes.likelihood[0].iter().zip(expected) {
            near(own.exp(), expected);
        }
        // 4/7 · 3/6 > 3/7 · 4/15, and 4/7 · 1/6 < 3/7 · 7/15.
        assert_eq!(bayes.predict(&[Some(0)]), Some(0));
        assert_eq!(bayes.predict(&[Some(2)]), Some(1));
        // What is not known, or no leaf at all, leaves the prior.
        assert_eq!(bayes.predict(&[None]), Some(0));
        assert_eq!(bayes.predict(&[Some(99)]), Some(0));
        assert_eq!(bayes.predict(&[]), Some(0));
    }

    #[test]
    fn ties_go_to_the_first_class() {
        let training = Training::new(vec![column(2, &[(0, 1), (0, 1)])], vec![1, 2]).unwrap();
        let bayes = NaiveBayes::train(&training, 1.0);
        assert_eq!(bayes.predict(&[Some(0)]), Some(1));
        assert_eq!(bayes.predict(&[Some(1)]), Some(1));
    }

    #[test]
    fn one_class_and_none() {
        let training = Training::new(vec![column(2, &[(0, 0)])], vec![3]).unwrap();
        assert_eq!(NaiveBayes::train(&training, 1.0).predict(&[Some(1)]), Some(3));
        let empty = Training::new(vec![column(2, &[])], vec![]).unwrap();
        assert_eq!(NaiveBayes::train(&empty, 1.0).predict(&[Some(1)]), None);
        let nothing = Training::new(vec![], vec![]).unwrap();
        assert_eq!(NaiveBayes::train(&nothing, 1.0).predict(&[]), None);
        let no_column = Training::new(vec![], vec![1, 1, 0]).unwrap();
        assert_eq!(NaiveBayes::train(&no_column, 1.0).predict(&[]), Some(1));
    }

    #[test]
    fn smoothing_must_be_a_positive_number() {
        let training = Training::new(vec![column(2, &[(0, 0), (1, 1)])], vec![0, 1]).unwrap();
        let laplace = NaiveBayes::train(&training, 1.0);
        for smoothing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(NaiveBayes::train(&training, smoothing), laplace);
        }
    }
}
