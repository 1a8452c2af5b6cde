//! Tables of numbers with at most one column of classes: what is read, what is published, what attacks and measures look at.

use std::path::Path;

use privet_data::io::ReadOptions;
use privet_data::{Column, Kind, Progress, Table};
use privet_kind::KindError;

use crate::{Body, Input};

/// Records of numbers, each with a class where there is a column of classes.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberTable {
    /// The columns of numbers.
    pub names: Vec<String>,
    /// Per column the most digits behind the point.
    pub decimals: Vec<usize>,
    /// The numbers of the first record, then those of the second, and so on.
    pub values: Vec<f64>,
    /// The column of classes.
    pub class: Option<String>,
    /// Per record its class, a number of `labels`.
    pub classes: Vec<u32>,
    /// What the classes are called.
    pub labels: Vec<String>,
}

/// A published release.
#[derive(Debug)]
pub struct PublishedRecords {
    /// The synthetic records.
    pub table: NumberTable,
    /// The groups that they were drawn from.
    pub groups: u64,
    pub(crate) body: Body,
}

/// The original.
#[derive(Debug)]
pub struct OriginalRecords {
    /// Its records.
    pub table: NumberTable,
}

/// Columns are found by their names, so the first line has them.
pub(crate) fn named() -> ReadOptions {
    ReadOptions { header: Some(true), ..ReadOptions::default() }
}

impl NumberTable {
    pub(crate) fn read(path: &Path, input: &Input, progress: &dyn Progress) -> Result<Self, KindError> {
        let table = privet_data::io::read(path, &named(), progress)?.table;
        let is_class = |column: &&Column| Some(&column.name) != input.class.as_ref();
        let all = table.columns.iter().filter(is_class).map(|column| column.name.clone());
        let names = input.columns.clone().unwrap_or_else(|| all.collect());
        if names.is_empty() {
            return Err(KindError::key("input.columns", "names no column; condensation takes at least one"));
        }
        Self::of(&table, &names, input.class.as_deref())
            .map_err(|problem| KindError::bad_input(problem).at(path))
    }

    /// The columns of these names. The problem of an error holds no value.
    pub(crate) fn of(table: &Table, names: &[String], class: Option<&str>) -> Result<Self, String> {
        let column = |name: &str| table.column(name).ok_or_else(|| format!("the column `{name}` is missing"));
        let columns = names.iter().map(|name| column(name)).collect::<Result<Vec<_>, _>>()?;
        let numbers: Vec<Vec<f64>> = columns.iter().map(|own| numbers(own)).collect();
        for (own, numbers) in columns.iter().zip(&numbers) {
            if let Some(row) = numbers.iter().position(|number| !number.is_finite()) {
                return Err(format!(
                    "column `{}`, record {}: is no number; condensation takes columns of numbers without missing values",
                    own.name,
                    row + 1
                ));
            }
        }
        let class = class.map(column).transpose()?;
        let rows = table.rows;
        Ok(Self {
            names: names.to_vec(),
            decimals: columns.iter().map(|own| decimals(own)).collect(),
            values: (0..rows).flat_map(|row| numbers.iter().map(move |own| own[row])).collect(),
            class: class.map(|own| own.name.clone()),
            classes: class.map_or_else(|| vec![0; rows], |own| own.codes.to_vec()),
            labels: class.map_or_else(Vec::new, |own| {
                own.domain.texts().iter().map(|text| text.to_string()).collect()
            }),
        })
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// A record.
    pub fn record(&self, row: usize) -> &[f64] {
        let dimension = self.names.len();
        &self.values[row * dimension..(row + 1) * dimension]
    }

    /// A column.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> + Clone + '_ {
        self.values.iter().skip(column).step_by(self.names.len().max(1)).copied()
    }

    /// The mean and the standard deviation of a column.
    pub fn moments(&self, column: usize) -> (f64, f64) {
        let n = self.len().max(1) as f64;
        let mean = self.column(column).sum::<f64>() / n;
        let variance = self.column(column).map(|value| (value - mean).powi(2)).sum::<f64>() / n;
        (mean, variance.sqrt())
    }

    pub(crate) fn label(&self, class: u32) -> &str {
        self.labels.get(class as usize).map_or("", String::as_str)
    }
}

fn numbers(column: &Column) -> Vec<f64> {
    let of_code: Vec<f64> = (0..column.domain.len() as u32)
        .map(|code| match column.domain.is_missing(code) {
            true => f64::NAN,
            false => Kind::Decimal.number(column.domain.text(code)).unwrap_or(f64::NAN),
        })
        .collect();
    column.codes.iter().map(|&code| of_code[code as usize]).collect()
}

/// The most digits behind the point of any value.
fn decimals(column: &Column) -> usize {
    let digits = |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.len().min(17));
    column.domain.texts().iter().map(|text| digits(text)).max().unwrap_or(0)
}
