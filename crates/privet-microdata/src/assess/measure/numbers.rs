//! Columns of numbers and dates before and after: what survey UM-20 to UM-23 and UM-26 to UM-28 are worked out from.
//!
//! Numbers of any size are measured: those that are very large or very small are divided by a power of two first, which
//! changes no figure that is relative, and sums are exact. Codes that happen to be made of digits (postal codes under
//! `mask` or `regions`) are no numbers; see [`Original::is_code`](super::super::original::Original::is_code).
//!
//! The survey's UM-20 and UM-21 divide by the number and by the mean. Dates have no zero to be relative to: what it would be
//! depends on the day that counting begins with. Theirs are relative to the standard deviation of the column instead.

use privet_data::{Column, Domain, Kind};
use privet_measure::exact::{ExactSum, RunSums};
use privet_measure::utility::{Deviation, UtilityError, Variation};

use super::Beside;
use crate::assess::people::shows_points;

/// Numbers beyond 2 to this, or below 2 to minus this, are divided by a power of two.
const LARGE: i32 = 400;

/// A column of numbers, record by record of the original.
pub struct Numbers {
    /// The name of the column.
    pub name: String,
    /// In the original; NaN where it is missing.
    pub before: Vec<f64>,
    /// What the release says instead; NaN where it says nothing.
    pub after: Vec<f64>,
    /// What both were divided by.
    pub unit: f64,
    /// Whether they are dates.
    pub is_date: bool,
}

/// Whether values have numbers.
pub fn is_numeric(kind: Kind) -> bool {
    matches!(kind, Kind::Integer | Kind::Decimal | Kind::Date)
}

/// Per code its number; NaN for a missing value.
pub fn numbers_of(domain: &Domain) -> Vec<f64> {
    (0..domain.len() as u32).map(|code| domain.number(code).unwrap_or(f64::NAN)).collect()
}

impl Numbers {
    /// Two columns, of which the second need not have the records of the first.
    pub fn new(name: &str, kind: Kind, mut before: Vec<f64>, mut after: Vec<f64>) -> Self {
        let unit = unit(before.iter().chain(&after).copied());
        if unit != 1.0 {
            before.iter_mut().chain(&mut after).for_each(|number| *number /= unit);
        }
        Self { name: name.to_owned(), before, after, unit, is_date: kind == Kind::Date }
    }

    /// What cuts the numbers before into ranges that hold about as many records each: the first number of each range but the
    /// first one. Equal numbers are in the same range.
    pub fn bounds(&self, ranges: usize) -> Vec<f64> {
        let mut known: Vec<f64> = self.before.iter().copied().filter(|number| number.is_finite()).collect();
        known.sort_unstable_by(f64::total_cmp);
        let mut bounds: Vec<f64> =
            (1..ranges).filter_map(|range| known.get(range * known.len() / ranges).copied()).collect();
        bounds.dedup();
        bounds
    }

    /// Both with mean 0 and standard deviation 1 before, so that units do not matter.
    pub fn standardized(&self) -> (Vec<f64>, Vec<f64>) {
        let Moments { mean, deviation, .. } = Moments::of(self.before.iter().map(|&number| (number, 1)));
        let scale = if deviation > 0.0 { deviation } else { 1.0 };
        let of = |column: &[f64]| column.iter().map(|number| (number - mean) / scale).collect();
        (of(&self.before), of(&self.after))
    }
}

/// The numbers of a column with mean 0 and standard deviation 1; NaN where they are missing.
pub fn standardized(column: &Column) -> Vec<f64> {
    let number = numbers_of(&column.domain);
    let before = column.codes.iter().map(|&code| number[code as usize]).collect();
    Numbers::new(&column.name, column.domain.kind(), before, Vec::new()).standardized().0
}

/// A power of two that brings numbers to a size that can be squared and added up; 1 for almost all.
pub fn unit(numbers: impl Iterator<Item = f64>) -> f64 {
    let largest = numbers.map(f64::abs).filter(|number| number.is_finite()).fold(0.0, f64::max);
    if largest == 0.0 {
        return 1.0;
    }
    let exponent = largest.log2().floor().clamp(-1000.0, 1000.0) as i32;
    if exponent.abs() <= LARGE { 1.0 } else { 2f64.powi(exponent) }
}

impl Beside<'_> {
    /// The numbers of a quasi column before, and what the release says instead: the number itself where it shows one (a mean, a
    /// median), or else the mean over the values of the label. `None` for a column that has no numbers.
    pub fn numbers(&self, quasi: usize) -> Option<Numbers> {
        let own = self.original.quasi.get(quasi)?;
        let column = self.original.table.columns.get(own.position)?;
        if !is_numeric(column.domain.kind()) || self.original.is_code(&column.name) {
            return None;
        }
        let number = numbers_of(&column.domain);
        let coverage = &self.coverages[quasi];
        let shown = self.release.quasi.get(quasi).map(|&at| &self.release.table.columns[at].domain);
        let points = self.release.quasi.get(quasi).filter(|&&at| shows_points(self.release, at)).and(shown);
        let kind = if column.domain.kind() == Kind::Date { Kind::Date } else { Kind::Decimal };
        let sums = RunSums::new(&number);
        let mean = |label: u32| {
            if let Some(number) = points.and_then(|domain| kind.number(domain.text(label))) {
                return number;
            }
            let (mut sum, mut count) = (ExactSum::default(), 0u64);
            for &(first, last) in coverage.of(label).runs() {
                count += sums.add(first as usize, last as usize, &mut sum);
            }
            if count == 0 { f64::NAN } else { sum.divided(count as f64) }
        };
        let of_label: Vec<f64> = (0..coverage.labels() as u32).map(mean).collect();
        let before = column.codes.iter().map(|&code| number[code as usize]).collect();
        let after = self.labels[quasi]
            .iter()
            .zip(&self.suppressed)
            .map(|(&label, &gone)| if gone { f64::NAN } else { of_label[label as usize] })
            .collect();
        Some(Numbers::new(&column.name, column.domain.kind(), before, after))
    }

    /// All quasi columns of numbers.
    pub fn all_numbers(&self) -> Vec<Numbers> {
        (0..self.release.quasi.len()).filter_map(|quasi| self.numbers(quasi)).collect()
    }

    /// The other columns of numbers, which show what they held, of the records that are published.
    pub fn other_numbers(&self) -> Vec<Numbers> {
        let (original, release) = (self.original, self.release);
        let others = release.table.columns.iter().enumerate().filter(|(at, _)| !release.quasi.contains(at));
        others
            .filter_map(|(_, own)| original.table.column(&own.name))
            .filter(|theirs| is_numeric(theirs.domain.kind()) && !original.is_code(&theirs.name))
            .map(|theirs| {
                let number = numbers_of(&theirs.domain);
                let before: Vec<f64> = theirs.codes.iter().map(|&code| number[code as usize]).collect();
                let shown = before.iter().zip(&self.suppressed);
                let after = shown.map(|(&own, &gone)| if gone { f64::NAN } else { own }).collect();
                Numbers::new(&theirs.name, theirs.domain.kind(), before, after)
            })
            .collect()
    }
}

/// The mean and the standard deviation of the numbers that there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// The mean.
    pub mean: f64,
    /// Divided by the count.
    pub deviation: f64,
    /// How many numbers there are.
    pub count: u64,
}

impl Moments {
    /// Of numbers, each so many times. NaN without any.
    pub fn of(numbers: impl Iterator<Item = (f64, u64)> + Clone) -> Self {
        let known = numbers.filter(|own| own.0.is_finite() && own.1 > 0);
        let (mut sum, mut count) = (ExactSum::default(), 0u64);
        known.clone().for_each(|(number, times)| {
            sum.add(number, times);
            count += times;
        });
        if count == 0 {
            return Self { mean: f64::NAN, deviation: f64::NAN, count };
        }
        let mean = sum.divided(count as f64);
        // Halved and divided by the widest distance, so that no square is too large or vanishes.
        let half = |number: f64| number / 2.0 - mean / 2.0;
        let widest = known.clone().map(|own| half(own.0).abs()).fold(0.0, f64::max);
        if widest == 0.0 {
            return Self { mean, deviation: 0.0, count };
        }
        let squares: f64 = known.map(|(number, times)| (half(number) / widest).powi(2) * times as f64).sum();
        Self { mean, deviation: widest * (squares / count as f64).sqrt() * 2.0, count }
    }

    /// Of numbers that were divided by their `unit`, with the share of each; those that are missing are left out. NaN
    /// without any.
    pub fn of_shares(numbers: &[f64], shares: &[f64]) -> Self {
        let known = || numbers.iter().zip(shares).filter(|own| own.0.is_finite() && *own.1 > 0.0);
        let all: f64 = known().map(|own| own.1).sum();
        let mean = known().map(|(number, share)| number * (share / all)).sum::<f64>();
        let variance: f64 = known().map(|(number, share)| (number - mean).powi(2) * (share / all)).sum();
        match all > 0.0 {
            true => Self { mean, deviation: variance.sqrt(), count: known().count() as u64 },
            false => Self { mean: f64::NAN, deviation: f64::NAN, count: 0 },
        }
    }
}

/// A way to compare columns before and after.
type Compare = fn(&[&[f64]], &[&[f64]], Deviation) -> Result<Variation, UtilityError>;

/// How far columns are off, on average over all that is compared: numbers relative to what they are, dates relative to the
/// standard deviation of their column. `None` when nothing could be compared.
pub fn relative(columns: &[Numbers], compare: Compare) -> Result<Option<f64>, UtilityError> {
    let plain: Vec<&Numbers> = columns.iter().filter(|own| !own.is_date).collect();
    let dates: Vec<(Vec<f64>, Vec<f64>)> =
        columns.iter().filter(|own| own.is_date).map(Numbers::standardized).collect();
    let before: Vec<&[f64]> = plain.iter().map(|own| own.before.as_slice()).collect();
    let after: Vec<&[f64]> = plain.iter().map(|own| own.after.as_slice()).collect();
    let of_plain = compare(&before, &after, Deviation::Relative)?;
    let before: Vec<&[f64]> = dates.iter().map(|own| own.0.as_slice()).collect();
    let after: Vec<&[f64]> = dates.iter().map(|own| own.1.as_slice()).collect();
    let of_dates = compare(&before, &after, Deviation::Absolute)?;
    let compared = of_plain.compared + of_dates.compared;
    let part = |own: Variation| own.mean.map_or(0.0, |mean| mean * (own.compared as f64 / compared as f64));
    Ok((compared > 0).then(|| part(of_plain) + part(of_dates)))
}

#[cfg(test)]
mod tests {
    use privet_measure::utility::{mean_variation, variation_of_means};

    use super::*;

    fn each(numbers: &[f64]) -> Moments {
        Moments::of(numbers.iter().map(|&number| (number, 1)))
    }

    #[test]
    fn moments_of_any_size() {
        assert_eq!(each(&[1.0, 3.0, f64::NAN]), Moments { mean: 2.0, deviation: 1.0, count: 2 });
        assert_eq!(each(&[1e308, -1e308]), Moments { mean: 0.0, deviation: 1e308, count: 2 });
        assert_eq!(each(&[1e-200, 3e-200]).deviation, 1e-200);
        assert_eq!(each(&[7.0; 3]).deviation, 0.0);
        assert_eq!(Moments::of([(1.0, 3), (5.0, 1)].into_iter()).mean, 2.0);
        assert!(each(&[]).mean.is_nan());
        // A fifth is 1, four fifths are 6: the mean is 5 and the variance (16 + 4·1)/5.
        let own = Moments::of_shares(&[1.0, f64::NAN, 6.0], &[0.1, 0.5, 0.4]);
        assert!((own.mean - 5.0).abs() < 1e-12 && (own.deviation - 2.0).abs() < 1e-12, "{own:?}");
        assert!(Moments::of_shares(&[], &[]).mean.is_nan());
    }

    #[test]
    fn large_numbers_are_divided() {
        let own = Numbers::new("x", Kind::Decimal, vec![1e308, -1e308], vec![0.0, f64::NAN]);
        assert!(own.unit > 1e300 && own.before[0].abs() < 1e7 && own.after[1].is_nan());
        assert_eq!(own.before[0] * own.unit, 1e308);
        assert_eq!(Numbers::new("x", Kind::Decimal, vec![5.0], vec![5.0]).unit, 1.0);
        assert_eq!(Numbers::new("x", Kind::Decimal, vec![], vec![]).unit, 1.0);
    }

    /// The same dates thirty years later are off by as much.
    #[test]
    fn dates_do_not_depend_on_the_day_that_counting_begins_with() {
        let days = |from: f64| {
            let before: Vec<f64> = [0.0, 10.0, 20.0, 30.0].iter().map(|day| day + from).collect();
            let after: Vec<f64> = [5.0, 5.0, 25.0, 45.0].iter().map(|day| day + from).collect();
            Numbers::new("d", Kind::Date, before, after)
        };
        let measured = |from: f64| {
            let of = |compare: Compare| relative(&[days(from)], compare).unwrap().unwrap();
            (of(mean_variation), of(variation_of_means))
        };
        let (single, mean) = measured(10_957.0);
        // Off by 5, 5, 5 and 15, and the mean by 5; the deviation is √125.
        assert!((single - 7.5 / 125f64.sqrt()).abs() < 1e-12 && (mean - 5.0 / 125f64.sqrt()).abs() < 1e-12);
        let (earlier, earlier_mean) = measured(0.0);
        assert!((single - earlier).abs() < 1e-9 && (mean - earlier_mean).abs() < 1e-9);
        // Numbers keep the survey's definition.
        let numbers = Numbers::new("n", Kind::Integer, vec![2.0, 4.0], vec![3.0, 4.0]);
        assert_eq!(relative(&[numbers], mean_variation).unwrap(), Some(0.25));
        assert_eq!(relative(&[], mean_variation).unwrap(), None);
    }
}
