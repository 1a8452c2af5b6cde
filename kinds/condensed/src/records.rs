//! Tables of numbers with at most one column of classes: what is read, what is published, what attacks and measures look at.

use std::path::Path;

use crate::condense::LARGEST;
use privet_data::io::ReadOptions;
use privet_data::{Column, Equality, Progress, Table};
use privet_kind::KindError;
use privet_recode::groups::Groups;

use crate::columns::{Columns, delimiter, no_number};
use crate::digits::decimals_of;
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
    /// How many columns of numbers stand before that of the classes.
    pub before_class: usize,
}

/// A published release.
#[derive(Debug)]
pub struct PublishedRecords {
    /// The synthetic records.
    pub table: NumberTable,
    /// The groups that they were drawn from.
    pub groups: u64,
    /// The same records as they stand in the file.
    pub(crate) file: Table,
    pub(crate) body: Body,
}

/// The original.
#[derive(Debug)]
pub struct OriginalRecords {
    /// Its records.
    pub table: NumberTable,
}

/// Columns are found by their names, so the first line has them; numbers keep the digits that they are written with.
pub(crate) fn named() -> ReadOptions {
    ReadOptions { header: Some(true), equality: Equality::EXACT, ..ReadOptions::default() }
}

/// How published files are read: they are cut by commas, whatever else stands in the names of columns.
pub(crate) fn published() -> ReadOptions {
    ReadOptions { delimiter: Some(b','), ..named() }
}

/// The table that a job names.
pub(crate) struct Original {
    pub table: NumberTable,
    /// Who belongs together, when a column says so.
    pub groups: Option<Groups>,
}

impl Original {
    /// Reads it. No message holds a value.
    pub fn read(path: &Path, input: &Input, progress: &dyn Progress) -> Result<Self, KindError> {
        let options = ReadOptions { delimiter: delimiter(input.delimiter)?, ..named() };
        let table = privet_data::io::read(path, &options, progress)?.table;
        let names: Vec<&str> = table.columns.iter().map(|own| own.name.as_str()).collect();
        let columns = Columns::find(&names, input)?;
        let groups = columns.groups.map(|at| {
            let column = &table.columns[at];
            match column.codes.iter().position(|&code| column.domain.is_missing(code)) {
                Some(row) => Err(KindError::bad_input(format!(
                    "column `{}`, record {}: a missing value; the group of every record is needed",
                    column.name,
                    row + 1
                ))
                .at(path)),
                None => {
                    let (of, names) = numbered(column);
                    Ok(Groups { of, count: names.len() })
                }
            }
        });
        let groups = groups.transpose()?;
        Ok(Self { table: NumberTable::of(&table, &columns).map_err(|error| error.at(path))?, groups })
    }
}

/// The number of each record's value, in the order in which values first appear, and the values.
fn numbered(column: &Column) -> (Vec<u32>, Vec<String>) {
    const UNSEEN: u32 = u32::MAX;
    let mut numbers = vec![UNSEEN; column.domain.len()];
    let mut texts = Vec::new();
    let number = |&code: &u32| {
        let number = &mut numbers[code as usize];
        if *number == UNSEEN {
            *number = texts.len() as u32;
            texts.push(column.domain.text(code).to_owned());
        }
        *number
    };
    let of = column.codes.iter().map(number).collect();
    (of, texts)
}

impl NumberTable {
    /// The published records of these columns.
    pub(crate) fn published(table: &Table, body: &Body) -> Result<Self, KindError> {
        let names: Vec<&str> = table.columns.iter().map(|own| own.name.as_str()).collect();
        let input =
            Input { columns: Some(body.columns.clone()), class: body.class.clone(), ..Input::default() };
        Self::of(table, &Columns::find(&names, &input)?)
    }

    fn of(table: &Table, columns: &Columns) -> Result<Self, KindError> {
        let of_numbers: Vec<&Column> = columns.numbers.iter().map(|&at| &table.columns[at]).collect();
        let numbers: Vec<Vec<f64>> = of_numbers.iter().map(|own| numbers(own)).collect();
        for (own, numbers) in of_numbers.iter().zip(&numbers) {
            if let Some(row) = numbers.iter().position(|number| number.is_nan()) {
                let place = format!("column `{}`, record {}", own.name, row + 1);
                let text = own.domain.text(own.codes[row]).trim();
                return Err(no_number(&place, text));
            }
        }
        let class = columns.class.map(|at| &table.columns[at]);
        let (classes, labels) = class.map_or_else(|| (vec![0; table.rows], Vec::new()), numbered);
        Ok(Self {
            names: of_numbers.iter().map(|own| own.name.clone()).collect(),
            decimals: of_numbers.iter().map(|own| decimals(own)).collect(),
            values: (0..table.rows).flat_map(|row| numbers.iter().map(move |own| own[row])).collect(),
            class: class.map(|own| own.name.clone()),
            classes,
            labels,
            before_class: columns.before_class(),
        })
    }

    /// The names of all columns, in the order in which they are published.
    pub(crate) fn header(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        if let Some(class) = &self.class {
            names.insert(self.before_class, class);
        }
        names
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

/// The numbers of a column; not a number where there is none that can be condensed.
fn numbers(column: &Column) -> Vec<f64> {
    let number = |text: &str| text.trim().parse().ok().filter(|x: &f64| x.abs() <= LARGEST);
    let of_code: Vec<f64> =
        column.domain.texts().iter().map(|text| number(text).unwrap_or(f64::NAN)).collect();
    column.codes.iter().map(|&code| of_code[code as usize]).collect()
}

/// The most digits behind the point of any value.
fn decimals(column: &Column) -> usize {
    column.domain.texts().iter().map(|text| decimals_of(text.trim())).max().unwrap_or(0)
}

#[cfg(test)]
impl NumberTable {
    /// Records of numbers without classes.
    pub(crate) fn of_numbers(names: &[&str], values: Vec<f64>) -> Self {
        Self {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            decimals: vec![0; names.len()],
            class: None,
            classes: vec![0; values.len() / names.len()],
            labels: Vec::new(),
            before_class: names.len(),
            values,
        }
    }
}
