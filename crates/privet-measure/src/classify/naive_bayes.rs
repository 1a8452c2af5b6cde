//! Naive Bayes over categories and ranges of numbers, with Laplace smoothing (survey US-11).
//!
//! Columns are taken to be independent within a class. The probability of a leaf in a class is its share of the
//! records of the class plus `smoothing`, where a record that covers m leaves counts 1/m for each of them.
//!
//! [`NaiveBayes::by_ranges`] cuts numbers and dates with more leaves than the root of the number of records (and more than
//! ten) into that many ranges of about as many records each (proportional discretization, Yang and Webb): as categories, most
//! of them would occur once in training and never again, and say nothing. What is added to a range is in proportion to its
//! records of all classes.
//!
//! # Guarantee
//! Deterministic: among equally likely classes the first is told. A value that is not known says nothing, and so does
//! a column in which every record covers every leaf.

use super::{Classifier, Training, TrainingColumn};

/// So few leaves are never put together.
const FEW: usize = 10;

/// Naive Bayes.
#[derive(Debug, Clone, PartialEq)]
pub struct NaiveBayes {
    /// Per class the logarithm of its share; `None` for a class that no record has.
    prior: Vec<Option<f64>>,
    columns: Vec<Likelihood>,
}

/// How likely the leaves of a column are.
#[derive(Debug, Clone, PartialEq)]
struct Likelihood {
    /// Per leaf its range, where leaves are put together.
    range_of: Option<Vec<u32>>,
    /// Per leaf or range, and class, the logarithm of its probability in the class.
    ln: Vec<f64>,
}

impl Likelihood {
    /// `most` are the ranges that numbers are cut into, where they are.
    fn new(
        column: &TrainingColumn,
        training: &Training,
        records: &[f64],
        smoothing: f64,
        most: Option<usize>,
    ) -> Self {
        let classes = training.class_count;
        let mut shares = shares(column, training);
        let Some(most) = most.filter(|&most| column.is_ordered && column.leaves as usize > most) else {
            for (place, share) in shares.iter_mut().enumerate() {
                let records = records[place % classes];
                *share = ((*share + smoothing) / (records + smoothing * f64::from(column.leaves))).ln();
            }
            return Self { range_of: None, ln: shares };
        };
        let weights: Vec<f64> = shares.chunks(classes.max(1)).map(|own| own.iter().sum()).collect();
        let range_of = ranges(&weights, most);
        let count = range_of.last().map_or(0, |last| *last as usize + 1);
        let mut ln = vec![0.0; count * classes];
        for (&range, own) in range_of.iter().zip(shares.chunks(classes.max(1))) {
            for (sum, share) in ln[range as usize * classes..].iter_mut().zip(own) {
                *sum += share;
            }
        }
        let all = training.weight_of_all();
        for own in ln.chunks_mut(classes.max(1)) {
            let weight: f64 = own.iter().sum();
            for (share, &records) in own.iter_mut().zip(records) {
                let added = smoothing * count as f64;
                *share = ((*share + added * weight / all) / (records + added)).ln();
            }
        }
        Self { range_of: Some(range_of), ln }
    }

    /// ln of the probability of a leaf in a class; 0 for a leaf that the column has not.
    fn of(&self, leaf: u32, class: usize, classes: usize) -> f64 {
        let place = match &self.range_of {
            Some(ranges) => ranges.get(leaf as usize).copied(),
            None => Some(leaf),
        };
        place.and_then(|place| self.ln.get(place as usize * classes + class)).copied().unwrap_or(0.0)
    }
}

/// Per leaf its range, of at most so many that hold about the same weight. Leaves without weight are divided between those
/// next to them, so that a number is in the range of the published one that is nearer.
fn ranges(weights: &[f64], most: usize) -> Vec<u32> {
    let each = weights.iter().sum::<f64>() / most.max(1) as f64;
    let mut range_of = vec![0; weights.len()];
    let (mut range, mut held, mut last) = (0u32, 0.0, None);
    for (leaf, &weight) in weights.iter().enumerate().filter(|own| *own.1 > 0.0) {
        // What sums of shares are rounded by must not decide where a range ends.
        if held >= each * (1.0 - 1e-9) {
            (range, held) = (range + 1, 0.0);
        }
        held += weight;
        let from = last.map_or(0, |last: usize| last + 1 + (leaf - last - 1) / 2);
        range_of[from..=leaf].fill(range);
        if let Some(last) = last {
            let before = range_of[last];
            range_of[last..from].fill(before);
        }
        last = Some(leaf);
    }
    if let Some(last) = last {
        range_of[last..].fill(range);
    }
    range_of
}

impl NaiveBayes {
    /// Learns, adding so many records to each leaf and class; 1 is Laplace's rule. What is not above 0 counts as 1.
    /// Every leaf is a category of its own, those of numbers too.
    pub fn train(training: &Training, smoothing: f64) -> Self {
        Self::cut(training, smoothing, None)
    }

    /// The same, with numbers and dates of many different values cut into ranges.
    pub fn by_ranges(training: &Training, smoothing: f64) -> Self {
        Self::cut(training, smoothing, Some((training.weight_of_all().sqrt() as usize).max(FEW)))
    }

    fn cut(training: &Training, smoothing: f64, most: Option<usize>) -> Self {
        let smoothing = if smoothing > 0.0 && smoothing.is_finite() { smoothing } else { 1.0 };
        let mut records = vec![0.0; training.class_count];
        for (row, &class) in training.classes.iter().enumerate() {
            records[class as usize] += training.weight(row);
        }
        let classes = records.iter().filter(|&&records| records > 0.0).count() as f64;
        let all = training.weight_of_all() + smoothing * classes;
        let prior = |&records: &f64| (records > 0.0).then(|| ((records + smoothing) / all).ln());
        let likelihood =
            |column: &TrainingColumn| Likelihood::new(column, training, &records, smoothing, most);
        Self {
            prior: records.iter().map(prior).collect(),
            columns: training.columns.iter().map(likelihood).collect(),
        }
    }
}

impl Classifier for NaiveBayes {
    fn predict(&self, record: &[Option<u32>]) -> Option<u32> {
        let classes = self.prior.len();
        let mut best: Option<(u32, f64)> = None;
        for (class, prior) in self.prior.iter().enumerate() {
            let Some(mut score) = *prior else { continue };
            for (column, leaf) in self.columns.iter().zip(record) {
                score += leaf.map_or(0.0, |leaf| column.of(leaf, class, classes));
            }
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((class as u32, score));
            }
        }
        best.map(|(class, _)| class)
    }
}

/// Per leaf and class the records, each of which is shared out evenly over the leaves that it covers.
fn shares(column: &TrainingColumn, training: &Training) -> Vec<f64> {
    let class_count = training.class_count;
    // Records with the same label and class count together, and a label is spread once.
    let mut counts = vec![0.0; column.spans.len() * class_count];
    for (row, (&code, &class)) in column.codes.iter().zip(&training.classes).enumerate() {
        counts[code as usize * class_count + class as usize] += training.weight(row);
    }
    let mut shares = vec![0.0; column.leaves as usize * class_count];
    // What begins at a leaf and ends before another.
    let mut steps = vec![0.0; (column.leaves as usize + 1) * class_count];
    for (span, counts) in column.spans.iter().zip(counts.chunks(class_count.max(1))) {
        let each = 1.0 / f64::from(span.last - span.first + 1);
        for (class, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
            let at = |leaf: u32| leaf as usize * class_count + class;
            let weight = count * each;
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
        for (own, expected) in bayes.columns[0].ln.iter().zip(expected) {
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

    /// Numbers that occur once each: by ranges they tell the class, one by one they would tell nothing. Half of 1,000 numbers
    /// are learned from, the others tested; below 600 the class is 0.
    #[test]
    fn numbers_with_many_values_are_learned_by_ranges() {
        let class = |leaf: u32| u32::from(leaf >= 600);
        let odd: Vec<u32> = (0..1000).filter(|leaf| leaf % 2 == 1).collect();
        let cells: Vec<(u32, u32)> = odd.iter().map(|&leaf| (leaf, leaf)).collect();
        let numbers = TrainingColumn { is_ordered: true, ..column(1000, &cells) };
        let training = Training::new(vec![numbers], odd.iter().map(|&leaf| class(leaf)).collect()).unwrap();
        let bayes = NaiveBayes::by_ranges(&training, 1.0);
        let right = |leaf: &u32| bayes.predict(&[Some(*leaf)]) == Some(class(*leaf));
        let even = (0..1000).filter(|leaf| leaf % 2 == 0);
        // 22 ranges of about 23 records: only in the one with 600 in it anything can be wrong.
        assert!(even.filter(right).count() >= 500 - 23 / 2, "{bayes:?}");
    }

    #[test]
    fn ranges_hold_as_much_and_end_half_way() {
        assert_eq!(ranges(&[1.0; 6], 3), [0, 0, 1, 1, 2, 2]);
        assert_eq!(ranges(&[3.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0], 2), [0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(ranges(&[0.0, 0.0, 5.0, 1.0], 4), [0, 0, 0, 1]);
        assert_eq!(ranges(&[0.0; 3], 4), [0, 0, 0]);
        assert!(ranges(&[], 4).is_empty());
    }

    /// Every record may be any number: the column says nothing, and the most frequent class is told.
    #[test]
    fn ranges_of_what_covers_everything_say_nothing() {
        let numbers = TrainingColumn { is_ordered: true, ..column(50, &[(0, 49); 7]) };
        let training = Training::new(vec![numbers], vec![0, 0, 1, 1, 1, 1, 2]).unwrap();
        let bayes = NaiveBayes::by_ranges(&training, 1.0);
        assert!((0..50).all(|leaf| bayes.predict(&[Some(leaf)]) == Some(1)));
        let own = &bayes.columns[0];
        (0..50).for_each(|leaf| near(own.of(leaf, 0, 3), own.of(leaf, 2, 3)));
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
