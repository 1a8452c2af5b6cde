//! Metrics that look at who is with whom: sizes of classes, and how alike the records of a class are in columns that an
//! analysis wants (survey UM-05, UM-06, UM-07, UM-11, UM-16, UM-17, UM-19; the thesis' SSE and SST, Eq. 5.1).
//!
//! Where records of a class are compared (UM-11, UM-16, UM-17, UM-19, SSE), the suppressed records are one more class:
//! nothing that is published tells them apart. A missing number (one that is not finite) is left out.

use super::grouping::{Grouping, NONE, group};
use super::{UtilityError, entropy::entropy_of, same_length};
use crate::{Grouped, GroupedKind, Tally};

/// The classes of a release.
#[derive(Debug, Clone)]
pub struct Classes {
    /// Per record its class; suppressed records have the last one of their own.
    of: Vec<u32>,
    /// Per class how many records it has, suppressed ones last if there are any.
    sizes: Vec<u64>,
    suppressed: u64,
}

/// How wide the classes are in a column of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangeLoss {
    /// The widest class.
    pub largest: f64,
    /// All classes together.
    pub sum: f64,
}

/// How much of the spread of numbers is lost when each is replaced by the mean of its class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumOfSquares {
    /// Squared distances of records to the centroid of their class: SSE.
    pub within: f64,
    /// Squared distances of records to the centroid of all: SST.
    pub total: f64,
}

impl SumOfSquares {
    /// SSE/SST, between 0 and 1; 0 when all records are alike.
    pub fn ratio(self) -> f64 {
        if self.total > 0.0 { (self.within / self.total).clamp(0.0, 1.0) } else { 0.0 }
    }
}

impl Classes {
    /// From a class for each record, known by any number. `suppressed` marks the records that are not published.
    ///
    /// # Errors
    /// When the two differ in length.
    pub fn new(class_of: &[u32], suppressed: Option<&[bool]>) -> Result<Self, UtilityError> {
        Self::of_columns(&[class_of], suppressed)
    }

    /// From the published columns: records are in one class when they agree on all of them. Without a column there is
    /// one class, and only the mask tells of how many records.
    ///
    /// # Errors
    /// When columns and mask differ in length.
    pub fn of_columns(published: &[&[u32]], suppressed: Option<&[bool]>) -> Result<Self, UtilityError> {
        let rows = published.first().map_or(suppressed.map_or(0, <[bool]>::len), |column| column.len());
        let Grouping { mut of, mut sizes, .. } = group(published, rows, suppressed)?;
        let last = sizes.len() as u32;
        let mut out = 0;
        for own in of.iter_mut().filter(|own| **own == NONE) {
            *own = last;
            out += 1;
        }
        if out > 0 {
            sizes.push(out);
        }
        Ok(Self { of, sizes, suppressed: out })
    }

    fn rows(&self) -> u64 {
        self.of.len() as u64
    }

    /// How many classes are published.
    pub fn count(&self) -> usize {
        self.sizes.len() - usize::from(self.suppressed > 0)
    }

    /// The same sum over classes that a search minimizes.
    fn grouped(&self, kind: GroupedKind, majorities: &[u64]) -> f64 {
        let grouped = Grouped::of_release(kind, self.rows(), 0.0);
        let mut tally = Tally::default();
        for (class, &size) in self.sizes.iter().enumerate() {
            let majority = majorities.get(class).copied().unwrap_or(0);
            grouped.add(&mut tally, size, 0.0, majority, class < self.count());
        }
        grouped.value(&tally, std::iter::empty())
    }

    /// Sum of squared class sizes, plus the number of all records for each suppressed one (UM-06, DM).
    pub fn discernibility(&self) -> f64 {
        self.grouped(GroupedKind::Discernibility, &[])
    }

    /// Published records per class (UM-07); the number of all records when nothing is published.
    pub fn average_size(&self) -> f64 {
        self.grouped(GroupedKind::AverageClassSize, &[])
    }

    /// [`average_size`](Self::average_size) over the size that was asked for: C_AVG of UM-07 and the thesis.
    ///
    /// # Errors
    /// When k is 0.
    pub fn normalized_average_size(&self, k: u64) -> Result<f64, UtilityError> {
        if k == 0 {
            return Err(UtilityError::Parameter { what: "k", accepted: "at least 1" });
        }
        Ok(self.average_size() / k as f64)
    }

    /// Share of records that are suppressed or not of the most frequent label of their class (UM-05, CM).
    ///
    /// # Errors
    /// When there is not one label for each record.
    pub fn classification_penalty(&self, labels: &[u32]) -> Result<f64, UtilityError> {
        let mut majorities = vec![0; self.sizes.len()];
        self.counts_of(labels, |class, count| {
            let own: &mut u64 = &mut majorities[class];
            *own = count.max(*own);
        })?;
        Ok(self.grouped(GroupedKind::Classification, &majorities))
    }

    /// Mean over records of the entropy, in bits, of the labels in their class (UM-16): what remains unknown of the label
    /// when the class is known. For several label columns, add them up.
    ///
    /// # Errors
    /// When there is not one label for each record.
    pub fn class_entropy(&self, labels: &[u32]) -> Result<f64, UtilityError> {
        let entropies = self.entropies(labels)?;
        let sum: f64 = entropies.iter().zip(&self.sizes).map(|(own, &size)| own * size as f64).sum();
        Ok(if self.of.is_empty() { 0.0 } else { sum / self.rows() as f64 })
    }

    /// Sum over classes and columns of the entropy, in bits, of the column's values in the class (UM-11), as the survey
    /// words it: a large class counts as much as a small one.
    ///
    /// # Errors
    /// When a column has not one value for each record.
    pub fn group_entropy(&self, columns: &[&[u32]]) -> Result<f64, UtilityError> {
        let mut sum = 0.0;
        for column in columns {
            sum += self.entropies(column)?.iter().sum::<f64>();
        }
        Ok(sum)
    }

    /// Mean over records of the variance of the target in their class (UM-17), the variance being the mean of squared
    /// distances to the class's mean. Records without a target are left out; 0 when none has one.
    ///
    /// # Errors
    /// When there is not one number for each record.
    pub fn regression_variance(&self, target: &[f64]) -> Result<f64, UtilityError> {
        let present = target.iter().filter(|x| x.is_finite()).count();
        let squares = self.sum_of_squares(&[target])?;
        Ok(if present == 0 { 0.0 } else { squares.within / present as f64 })
    }

    /// Per class the greatest minus the least number (UM-19): the widest class, and all together.
    ///
    /// # Errors
    /// When there is not one number for each record.
    pub fn range_loss(&self, numbers: &[f64]) -> Result<RangeLoss, UtilityError> {
        same_length("numbers of a column", numbers.len(), self.of.len())?;
        let mut bounds = vec![(f64::INFINITY, f64::NEG_INFINITY); self.sizes.len()];
        for (&class, &x) in self.of.iter().zip(numbers).filter(|(_, x)| x.is_finite()) {
            let own = &mut bounds[class as usize];
            *own = (own.0.min(x), own.1.max(x));
        }
        let widths = bounds.iter().map(|own| (own.1 - own.0).max(0.0));
        Ok(RangeLoss { largest: widths.clone().fold(0.0, f64::max), sum: widths.sum() })
    }

    /// Squared distances to the centroid of the class, and to that of all (thesis Eq. 5.1). Columns are taken as they
    /// are: standardize them first when their units differ.
    ///
    /// # Errors
    /// When a column has not one number for each record.
    pub fn sum_of_squares(&self, columns: &[&[f64]]) -> Result<SumOfSquares, UtilityError> {
        let mut sums = SumOfSquares { within: 0.0, total: 0.0 };
        let everyone = vec![0; self.of.len()];
        for column in columns {
            same_length("numbers of a column", column.len(), self.of.len())?;
            sums.within += squares(&self.of, self.sizes.len(), column);
            sums.total += squares(&everyone, 1, column);
        }
        Ok(sums)
    }

    fn entropies(&self, labels: &[u32]) -> Result<Vec<f64>, UtilityError> {
        let mut counts = vec![Vec::new(); self.sizes.len()];
        self.counts_of(labels, |class, count| counts[class].push(count))?;
        Ok(counts.iter().map(|own| entropy_of(own)).collect())
    }

    /// Goes through how often each label occurs in each class.
    fn counts_of(&self, labels: &[u32], mut each: impl FnMut(usize, u64)) -> Result<(), UtilityError> {
        let pairs = group(&[&self.of, labels], self.of.len(), None)?;
        for (&row, &size) in pairs.first.iter().zip(&pairs.sizes) {
            each(self.of[row] as usize, size);
        }
        Ok(())
    }
}

/// Squared distances of numbers to the mean of their group.
fn squares(group_of: &[u32], groups: usize, numbers: &[f64]) -> f64 {
    let present = || group_of.iter().zip(numbers).filter(|(_, x)| x.is_finite());
    let mut counts = vec![0u64; groups];
    present().for_each(|(&own, _)| counts[own as usize] += 1);
    let mut means = vec![0.0; groups];
    present().for_each(|(&own, x)| means[own as usize] += x / counts[own as usize] as f64);
    present().map(|(&own, x)| (x - means[own as usize]).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thesis section 3, derived values: Table 2.10 with classes of 4, 2 and 2 has DM 24 and CAVG(2) 4/3.
    #[test]
    fn sizes_of_the_thesis() {
        let classes = Classes::new(&[7, 7, 7, 7, 1, 1, 2, 2], None).unwrap();
        assert_eq!((classes.count(), classes.discernibility()), (3, 24.0));
        assert!((classes.normalized_average_size(2).unwrap() - 4.0 / 3.0).abs() < 1e-12);
        assert!(classes.normalized_average_size(0).is_err());
    }

    /// Survey FX-4.5: ages in three groups, and the means that are published for them.
    #[test]
    fn squares_of_microaggregation() {
        let ages = [25.0, 23.0, 20.0, 27.0, 19.0, 24.0, 40.0, 30.0];
        let classes = Classes::new(&[0, 0, 0, 1, 1, 1, 2, 2], None).unwrap();
        let squares = classes.sum_of_squares(&[&ages]).unwrap();
        // By hand: 38/3 + 98/3 + 50 around the means 68/3, 70/3 and 35; 5720 − 208²/8 around 26.
        assert!((squares.within - (38.0 / 3.0 + 98.0 / 3.0 + 50.0)).abs() < 1e-9);
        assert!((squares.total - 312.0).abs() < 1e-9);
        assert!((squares.ratio() - squares.within / 312.0).abs() < 1e-12);
        assert!((classes.regression_variance(&ages).unwrap() - squares.within / 8.0).abs() < 1e-12);
        assert_eq!(classes.range_loss(&ages), Ok(RangeLoss { largest: 10.0, sum: 23.0 }));
        assert_eq!(Classes::new(&[4; 8], None).unwrap().sum_of_squares(&[&ages]).unwrap().ratio(), 1.0);
    }

    /// Survey FX-1.3: the classes' entropies are 2, 1.5 and 0.8113 bits.
    #[test]
    fn entropies_of_classes() {
        let (hd, flu, vi, ca) = (0, 1, 2, 3);
        let conditions = [hd, flu, vi, ca, ca, flu, hd, hd, ca, vi, ca, ca];
        let classes = Classes::new(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], None).unwrap();
        let sum = classes.group_entropy(&[&conditions]).unwrap();
        assert!((sum - (2.0 + 1.5 + 0.811_278_124_459_132_8)).abs() < 1e-12);
        assert!((classes.class_entropy(&conditions).unwrap() - sum / 3.0).abs() < 1e-12);
        assert_eq!(classes.classification_penalty(&conditions), Ok(6.0 / 12.0));
    }

    #[test]
    fn suppressed_records_are_one_more_class() {
        let mask = [false, false, true, true];
        let classes = Classes::new(&[0, 0, 0, 1], Some(&mask)).unwrap();
        assert_eq!((classes.count(), classes.discernibility()), (1, 4.0 + 2.0 * 4.0));
        assert_eq!(classes.average_size(), 2.0);
        assert_eq!(classes.classification_penalty(&[5, 5, 5, 5]), Ok(0.5));
        assert_eq!(classes.class_entropy(&[5, 5, 6, 7]), Ok(0.5));
        assert_eq!(classes.range_loss(&[0.0, 1.0, 5.0, 9.0]), Ok(RangeLoss { largest: 4.0, sum: 5.0 }));
    }

    #[test]
    fn missing_numbers_and_nobody() {
        let classes = Classes::new(&[0, 0, 1], None).unwrap();
        assert_eq!(classes.regression_variance(&[1.0, 3.0, f64::NAN]), Ok(1.0));
        assert_eq!(classes.regression_variance(&[f64::NAN; 3]), Ok(0.0));
        assert_eq!(classes.range_loss(&[f64::INFINITY; 3]), Ok(RangeLoss { largest: 0.0, sum: 0.0 }));
        assert!(classes.range_loss(&[1.0]).is_err() && classes.class_entropy(&[1]).is_err());
        let nobody = Classes::new(&[], None).unwrap();
        assert_eq!((nobody.count(), nobody.discernibility()), (0, 0.0));
        assert_eq!((nobody.class_entropy(&[]), nobody.regression_variance(&[])), (Ok(0.0), Ok(0.0)));
        assert_eq!(nobody.sum_of_squares(&[&[]]).unwrap().ratio(), 0.0);
        let hidden = Classes::new(&[3, 4], Some(&[true, true])).unwrap();
        assert_eq!((hidden.count(), hidden.average_size(), hidden.discernibility()), (0, 2.0, 4.0));
    }
}
