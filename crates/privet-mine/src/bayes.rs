//! What is published of naive Bayes: how many people have each class, and each value within a class. Several owners learn it together
//! (papers T-AL12), so there are no records to learn it from here.
//!
//! # Guarantee
//! A release that [`BayesRelease::verify`] accepts tells of no group of fewer than k people: neither a count that is shown nor the people whose
//! values are hidden within a class, which follow by subtraction.

use serde::{Deserialize, Serialize};

/// Counts of a class, and of attributes within it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BayesRelease {
    /// The version of this form, 1.
    pub version: u32,
    /// The records.
    pub records: u64,
    /// The people of every group that the counts tell of.
    pub k: u64,
    /// What is predicted.
    pub class: BayesColumn,
    /// From what; known of everybody.
    pub attributes: Vec<BayesColumn>,
    /// Per class its people; nothing where that is hidden.
    pub classes: Vec<Option<u64>>,
    /// Per attribute, per class and then per value the people; nothing where that is hidden.
    pub counts: Vec<Vec<Vec<Option<u64>>>>,
}

/// A column with its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BayesColumn {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<String>,
}

/// Why published counts are not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BayesError {
    /// A version that this program does not know, or a k of 0.
    #[error("the version of the counts is not known, or k is 0")]
    Version,
    /// Counts that do not have the form of the columns.
    #[error("there are other numbers of counts than of classes and values")]
    Form,
    /// Counts that no table has.
    #[error("the counts contradict each other or the number of records")]
    Counts,
}

/// What verifying published counts found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BayesVerdict {
    /// The people of the smallest group that the counts tell of.
    pub reached: Option<u64>,
    /// Groups of fewer than k people.
    pub violations: usize,
    /// Groups that the counts tell of.
    pub groups: usize,
}

impl BayesVerdict {
    /// Whether the promise holds.
    pub fn holds(&self) -> bool {
        self.violations == 0
    }
}

/// The people whose place in a row is hidden, where there can be any.
fn hidden(row: &[Option<u64>], all: u64) -> Result<Option<u64>, BayesError> {
    let shown = row.iter().flatten().try_fold(0u64, |sum, own| sum.checked_add(*own));
    let rest = shown.and_then(|shown| all.checked_sub(shown)).ok_or(BayesError::Counts)?;
    match row.contains(&None) {
        true => Ok(Some(rest)),
        false if rest == 0 => Ok(None),
        false => Err(BayesError::Counts),
    }
}

impl BayesRelease {
    /// The people of every group that the counts tell of.
    ///
    /// # Errors
    /// When the counts contradict themselves.
    pub fn groups(&self) -> Result<Vec<u64>, BayesError> {
        if self.version != 1 || self.k == 0 {
            return Err(BayesError::Version);
        }
        let classes = self.class.values.len();
        let fits = |(own, counts): (&BayesColumn, &Vec<Vec<Option<u64>>>)| {
            counts.len() == classes && counts.iter().all(|row| row.len() == own.values.len())
        };
        let has_form = self.classes.len() == classes
            && self.counts.len() == self.attributes.len()
            && self.attributes.iter().zip(&self.counts).all(fits);
        if !has_form {
            return Err(BayesError::Form);
        }
        let mut groups: Vec<u64> = self.classes.iter().flatten().copied().collect();
        groups.extend(hidden(&self.classes, self.records)?);
        for counts in &self.counts {
            for (all, row) in self.classes.iter().zip(counts) {
                match all {
                    Some(all) => groups.extend(hidden(row, *all)?),
                    None if row.iter().all(Option::is_none) => {}
                    None => return Err(BayesError::Counts),
                }
                groups.extend(row.iter().flatten());
            }
        }
        groups.retain(|&people| people > 0);
        Ok(groups)
    }

    /// Verifies the counts from what is published alone.
    ///
    /// # Errors
    /// When they contradict themselves.
    pub fn verify(&self) -> Result<BayesVerdict, BayesError> {
        let groups = self.groups()?;
        Ok(BayesVerdict {
            reached: groups.iter().min().copied(),
            violations: groups.iter().filter(|&&people| people < self.k).count(),
            groups: groups.len(),
        })
    }

    /// The likeliest class of a record, with one imagined record per value (Laplace). What is hidden counts as none; a value that is not known
    /// tells nothing.
    pub fn predict(&self, values: &[Option<usize>]) -> usize {
        let score = |class: usize| {
            let records = self.classes[class].unwrap_or(0) as f64;
            let likelihood = self.counts.iter().zip(values).filter_map(|(attribute, value)| {
                let counts = &attribute[class];
                let count = counts.get((*value)?)?.unwrap_or(0) as f64;
                Some(((count + 1.0) / (records + counts.len() as f64)).ln())
            });
            (records + 1.0).ln() + likelihood.sum::<f64>()
        };
        let classes = 0..self.classes.len();
        classes.max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a))).unwrap_or(0)
    }

    /// Per value of each attribute its people by class; a count that is hidden as 0. This is what an adversary reads who knows one attribute.
    pub fn by_value(&self) -> impl Iterator<Item = (usize, usize, Vec<u64>)> + '_ {
        self.attributes.iter().enumerate().flat_map(move |(attribute, column)| {
            (0..column.values.len()).map(move |value| {
                let counts = self.counts[attribute].iter().map(|row| row[value].unwrap_or(0)).collect();
                (attribute, value, counts)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release() -> BayesRelease {
        let column = |name: &str, values: &[&str]| BayesColumn {
            name: name.to_owned(),
            values: values.iter().map(|&own| own.to_owned()).collect(),
        };
        BayesRelease {
            version: 1,
            records: 20,
            k: 3,
            class: column("risk", &["good", "bad"]),
            attributes: vec![column("sex", &["f", "m"]), column("town", &["Bonn", "Ulm", "Kiel"])],
            classes: vec![Some(12), Some(8)],
            counts: vec![
                vec![vec![Some(9), Some(3)], vec![Some(4), Some(4)]],
                vec![vec![Some(7), None, None], vec![None, Some(8), None]],
            ],
        }
    }

    #[test]
    fn groups_that_are_hidden_are_counted_too() {
        let own = release();
        let verdict = own.verify().unwrap();
        assert_eq!((verdict.reached, verdict.violations), (Some(3), 0));
        // 12 people less 10 are 2.
        let mut telling = own.clone();
        telling.counts[1][0][0] = Some(10);
        assert_eq!(telling.verify().unwrap().violations, 1);
        let mut wrong = own.clone();
        wrong.counts[0][0][0] = Some(8);
        assert_eq!(wrong.verify(), Err(BayesError::Counts));
        wrong.counts[0][0].pop();
        assert_eq!(wrong.verify(), Err(BayesError::Form));
        assert_eq!(BayesRelease { records: 21, ..own }.verify(), Err(BayesError::Counts));
    }

    #[test]
    fn the_likelier_class_is_predicted() {
        let own = release();
        assert_eq!([own.predict(&[Some(0), Some(0)]), own.predict(&[Some(1), Some(1)])], [0, 1]);
        assert_eq!(own.predict(&[None, None]), 0);
    }
}
