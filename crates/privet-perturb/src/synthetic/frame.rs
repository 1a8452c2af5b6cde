//! The table that is synthesized: columns of numbers and of categories, with missing values.
//!
//! # Guarantee
//! A [`Frame`] holds columns of one length, codes below the number of categories or [`MISSING`], and numbers between
//! −1e100 and 1e100 or NaN, which is a missing number. Nothing that works on it has to check again.

use super::SyntheticError;
use crate::error::is_number;

/// The code of a missing category.
pub const MISSING: u32 = u32::MAX;

/// The most categories of a column.
pub const MOST_CATEGORIES: usize = 1 << 20;

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers; NaN is missing.
    Numeric(Vec<f64>),
    /// Codes of categories; [`MISSING`] is missing.
    Categorical {
        /// One per record.
        codes: Vec<u32>,
        /// Codes are below this.
        categories: usize,
    },
}

impl Column {
    /// The records.
    pub fn len(&self) -> usize {
        match self {
            Column::Numeric(values) => values.len(),
            Column::Categorical { codes, .. } => codes.len(),
        }
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value of a record is missing; so is that of a record that there is not.
    pub fn is_missing(&self, record: usize) -> bool {
        match self {
            Column::Numeric(values) => values.get(record).is_none_or(|value| value.is_nan()),
            Column::Categorical { codes, .. } => codes.get(record).is_none_or(|&code| code == MISSING),
        }
    }

    /// Whether a value is missing.
    pub fn any_missing(&self) -> bool {
        match self {
            Column::Numeric(values) => values.iter().any(|value| value.is_nan()),
            Column::Categorical { codes, .. } => codes.contains(&MISSING),
        }
    }

    /// The decimals of its numbers, of all of them: also where only some records are made, the others are published
    /// beside them. `None` for categories, and where numbers are as good as continuous.
    pub(super) fn decimals(&self) -> Option<u8> {
        match self {
            Column::Numeric(values) => decimals(values),
            Column::Categorical { .. } => None,
        }
    }

    /// As many records, all missing.
    pub(super) fn blank(&self, records: usize) -> Column {
        match self {
            Column::Numeric(_) => Column::Numeric(vec![f64::NAN; records]),
            Column::Categorical { categories, .. } => {
                Column::Categorical { codes: vec![MISSING; records], categories: *categories }
            }
        }
    }

    /// What tells values apart: equal words for equal values, also for missing ones and both zeros. Numbers are compared by
    /// their leading 32 of 53 bits: an original that comes back up to rounding has come back.
    pub(super) fn word(&self, record: usize) -> u64 {
        match self {
            Column::Numeric(values) if values[record].is_nan() => f64::NAN.to_bits(),
            // -0 + 0 is +0.
            Column::Numeric(values) => ((values[record] + 0.0).to_bits() + (1 << 20)) >> 21,
            Column::Categorical { codes, .. } => u64::from(codes[record]),
        }
    }
}

/// Columns of one length.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub(super) columns: Vec<Column>,
    records: usize,
}

impl Frame {
    /// Checks columns.
    ///
    /// # Errors
    /// When columns have different lengths, a code is outside of the categories, a number is infinite or beyond 1e100,
    /// or there are more categories than [`MOST_CATEGORIES`] or more records than a `u32` can count.
    pub fn new(columns: Vec<Column>) -> Result<Self, SyntheticError> {
        let records = columns.first().map_or(0, Column::len);
        check_records(records)?;
        for (column, own) in columns.iter().enumerate() {
            if own.len() != records {
                return Err(SyntheticError::Length { column, found: own.len(), expected: records });
            }
            match own {
                Column::Numeric(values) => {
                    if let Some(record) = values.iter().position(|v| !v.is_nan() && !is_number(*v)) {
                        return Err(SyntheticError::Number { column, record });
                    }
                }
                Column::Categorical { codes, categories } => {
                    if *categories > MOST_CATEGORIES {
                        return Err(SyntheticError::TooLarge {
                            what: "the categories of a column",
                            found: *categories,
                            most: MOST_CATEGORIES,
                        });
                    }
                    let bad = |&code: &u32| code != MISSING && code as usize >= *categories;
                    if let Some(record) = codes.iter().position(bad) {
                        return Err(SyntheticError::Code { column, record, categories: *categories });
                    }
                }
            }
        }
        Ok(Self { columns, records })
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The records.
    pub fn records(&self) -> usize {
        self.records
    }

    /// The columns, to publish them.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// The same columns with so many records, all missing.
    pub(super) fn blank(&self, records: usize) -> Frame {
        Frame { columns: self.columns.iter().map(|own| own.blank(records)).collect(), records }
    }

    /// The numbers of a column without missing ones, which a method needs.
    pub(super) fn complete_numbers(
        &self,
        column: usize,
        rows: &[u32],
        method: &'static str,
    ) -> Result<Vec<f64>, SyntheticError> {
        match &self.columns[column] {
            Column::Categorical { .. } => Err(SyntheticError::Categories { column, method }),
            Column::Numeric(values) => {
                let own: Vec<f64> = rows.iter().map(|&row| values[row as usize]).collect();
                if own.iter().any(|value| value.is_nan()) {
                    return Err(SyntheticError::Missing { column, method });
                }
                Ok(own)
            }
        }
    }
}

/// Records are counted with a `u32`.
pub(super) fn check_records(records: usize) -> Result<(), SyntheticError> {
    let most = u32::MAX as usize - 1;
    if records > most {
        return Err(SyntheticError::TooLarge { what: "the records", found: records, most });
    }
    Ok(())
}

/// The most decimals that are looked for: a number of 64 bits holds no more digits.
const MOST_DECIMALS: u8 = 15;

/// Beyond this, not every whole number is a number of 64 bits.
const MOST_WHOLE: f64 = 9e15;

/// The most decimals that any known value has; `None` when some have more digits than a text of 15 can tell.
fn decimals(values: &[f64]) -> Option<u8> {
    let known = || values.iter().copied().filter(|value| !value.is_nan());
    (0..=MOST_DECIMALS).find(|&places| known().all(|value| has_decimals(value, places)))
}

/// Whether a number is one with so many decimals, and can be told from its neighbours by them.
fn has_decimals(value: f64, places: u8) -> bool {
    value.fract() == 0.0
        || ((value * power(places)).abs() < MOST_WHOLE && to_decimals(value, places) == value)
}

/// A number with so many decimals; one that is too large to have any is itself.
pub(super) fn to_decimals(value: f64, places: u8) -> f64 {
    let scale = power(places);
    if (value * scale).abs() < MOST_WHOLE { (value * scale).round() / scale } else { value }
}

fn power(places: u8) -> f64 {
    10f64.powi(i32::from(places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        let codes = |codes: &[u32], categories| Column::Categorical { codes: codes.to_vec(), categories };
        let numbers = |values: &[f64]| Column::Numeric(values.to_vec());
        let frame = Frame::new(vec![numbers(&[1.0, f64::NAN]), codes(&[0, MISSING], 1)]).unwrap();
        assert_eq!(frame.records(), 2);
        assert!(frame.columns().iter().all(|column| column.any_missing() && column.is_missing(1)));
        assert!(frame.columns()[0].is_missing(7) && !frame.columns()[1].is_missing(0));
        assert_eq!(Frame::new(vec![]).unwrap().records(), 0);
        let short = Frame::new(vec![numbers(&[1.0]), numbers(&[])]);
        assert_eq!(short, Err(SyntheticError::Length { column: 1, found: 0, expected: 1 }));
        let code = Frame::new(vec![codes(&[0, 3], 3)]);
        assert_eq!(code, Err(SyntheticError::Code { column: 0, record: 1, categories: 3 }));
        for bad in [f64::INFINITY, f64::NEG_INFINITY, 1e101] {
            let found = Frame::new(vec![numbers(&[0.0, bad])]);
            assert_eq!(found, Err(SyntheticError::Number { column: 0, record: 1 }));
        }
        assert!(matches!(Frame::new(vec![codes(&[], 1 << 30)]), Err(SyntheticError::TooLarge { .. })));
        // A message says where, not what.
        let message = Frame::new(vec![numbers(&[123_456.0, f64::INFINITY])]).unwrap_err().to_string();
        assert!(!message.contains("123456") && message.contains("record 1"), "{message}");
    }

    #[test]
    fn decimals_are_those_that_are_written() {
        assert_eq!(decimals(&[1.0, -3.0, f64::NAN]), Some(0));
        assert_eq!(decimals(&[0.1, 0.25]), Some(2));
        assert_eq!(decimals(&[48.208_17, 16.373_819_4, 2.0]), Some(7));
        assert_eq!(decimals(&[1e-9, -0.25]), Some(9));
        // What takes all digits of a number is as good as continuous.
        assert_eq!(decimals(&[1.0 / 3.0]), None);
        assert_eq!(decimals(&[100.0 / 3.0]), None);
        assert_eq!(decimals(&[0.1 + 0.2]), None);
        assert_eq!(decimals(&[1e99, 2.0]), Some(0));
        assert_eq!(decimals(&[1e99, 0.125]), Some(3));
        assert_eq!(decimals(&[]), Some(0));
        assert_eq!(to_decimals(16.373_819_449, 7), 16.373_819_4);
        assert_eq!(to_decimals(2.346, 2), 2.35);
        assert_eq!(to_decimals(1e100, 6), 1e100);
    }
}
