//! What a party brings: its columns as codes of declared values or as whole numbers of a declared grid. Values never stand in errors.

use std::collections::{BTreeSet, HashMap};

use privet_data::hierarchy::build;
use privet_data::io::{ReadOptions, input_limit, read, read_plain};
use privet_data::{Domain, Kind, Progress, Table};

use crate::error::PartyError;
use crate::job::{ColumnSection, ReadJob};
use crate::mining::anonymous::Levels;

/// The labels of a column's categories.
pub fn labels(column: &ColumnSection) -> Vec<String> {
    let Some((low, high)) = column.range else { return column.values.clone() };
    let step = column.step.unwrap_or((high - low) / 10.0);
    let count = ((high - low) / step).ceil().max(1.0) as usize;
    (0..count)
        .map(|own| {
            let from = low + step * own as f64;
            format!("[{from}, {})", from + step)
        })
        .collect()
}

/// The number of units of a column's grid above its lowest value, at most.
pub fn units(column: &ColumnSection) -> u64 {
    let (low, high) = column.range.unwrap_or((0.0, 1.0));
    ((high - low) * 10f64.powi(column.decimals as i32)).round() as u64
}

/// The bits of such a number.
pub fn bits(column: &ColumnSection) -> u32 {
    units(column).max(1).ilog2() + 1
}

/// The levels of a column that is generalized: those of its hierarchy, or all values and `*`.
///
/// # Errors
/// When the hierarchy does not fit the values.
pub fn levels(job: &ReadJob, column: &ColumnSection) -> Result<Levels, PartyError> {
    let labels = labels(column);
    let wrong = |error: privet_data::HierarchyError| PartyError::Job(error.to_string());
    let texts: Vec<Box<str>> = labels.iter().map(|own| own.as_str().into()).collect();
    let (domain, _) = Domain::canonical(texts.clone(), |_| false);
    let hierarchy = match (&column.hierarchy, column.range) {
        (Some(spec), _) => build(spec, &job.base, &domain, &vec![1; domain.len()]).map_err(wrong)?,
        (None, Some((low, high))) => {
            // Intervals of twice the width at every level, up to one of all.
            let step = column.step.unwrap_or((high - low) / 10.0);
            let mut levels = Vec::new();
            let mut width = 2;
            while width < labels.len() {
                let label = |place: usize| -> Box<str> {
                    let from = low + step * (place / width * width) as f64;
                    format!("[{from}, {})", from + step * width as f64).into()
                };
                levels.push((0..labels.len()).map(label).collect());
                width *= 2;
            }
            levels.push(labels.iter().map(|_| "*".into()).collect());
            privet_data::Hierarchy::new(texts, levels).map_err(wrong)?
        }
        (None, None) => privet_data::Hierarchy::flat(&domain),
    };
    Levels::new(&labels, &hierarchy)
}

/// A party's table.
#[derive(Debug)]
pub struct LocalTable {
    table: Table,
}

impl LocalTable {
    /// Reads it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &std::path::Path, progress: &dyn Progress) -> Result<Self, PartyError> {
        // Columns are known by their names, so the first line has them.
        let options = ReadOptions { header: Some(true), ..ReadOptions::default() }.exactly();
        let input = read(path, &options, progress);
        Ok(Self { table: input.map_err(|error| PartyError::Input(error.to_string()))?.table })
    }

    fn column(&self, name: &str) -> Result<&privet_data::Column, PartyError> {
        self.table.column(name).ok_or_else(|| PartyError::Input(format!("there is no column `{name}`")))
    }

    /// How many records there are.
    pub fn records(&self) -> usize {
        self.table.rows
    }

    /// The codes of a column's declared categories.
    ///
    /// # Errors
    /// When the column is not there or has a value that is not declared.
    pub fn codes(&self, name: &str, declared: &ColumnSection) -> Result<Vec<u32>, PartyError> {
        if declared.range.is_some() {
            let step = declared
                .step
                .unwrap_or_else(|| declared.range.map_or(1.0, |(low, high)| (high - low) / 10.0));
            let per_unit = 10f64.powi(declared.decimals as i32);
            let most = labels(declared).len() as u32 - 1;
            let code = |value: i64| ((value as f64 / per_unit / step).floor() as u32).min(most);
            return Ok(self.numbers(name, declared)?.into_iter().map(code).collect());
        }
        let column = self.column(name)?;
        let place: HashMap<&str, u32> =
            declared.values.iter().zip(0u32..).map(|(own, code)| (own.as_str(), code)).collect();
        let of_code: Vec<Option<u32>> = (0..column.domain.len() as u32)
            .map(|code| place.get(column.domain.text(code)).copied())
            .collect();
        let unknown = column.codes.iter().filter(|code| of_code[**code as usize].is_none()).count();
        if unknown > 0 {
            return Err(PartyError::Input(format!(
                "the column `{name}` has a value in {unknown} records that the job does not declare"
            )));
        }
        Ok(column.codes.iter().filter_map(|code| of_code[*code as usize]).collect())
    }

    /// A column's numbers in units of its grid above its lowest value; what lies outside the range counts as its end.
    ///
    /// # Errors
    /// When the column is not there, declares no range, or has a value that is no number.
    pub fn numbers(&self, name: &str, declared: &ColumnSection) -> Result<Vec<i64>, PartyError> {
        let Some((low, high)) = declared.range else {
            return Err(PartyError::Job(format!("the column `{name}` needs a range")));
        };
        let per_unit = 10f64.powi(declared.decimals as i32);
        let numbers = self.column(name)?.numbers_as(Kind::Decimal);
        let missing = numbers.iter().filter(|own| own.is_nan()).count();
        if missing > 0 {
            return Err(PartyError::Input(format!("the column `{name}` has no number in {missing} records")));
        }
        Ok(numbers.iter().map(|own| ((own.clamp(low, high) - low) * per_unit).round() as i64).collect())
    }

    /// A column's texts.
    ///
    /// # Errors
    /// When the column is not there, or a value is missing.
    pub fn texts(&self, name: &str) -> Result<Vec<Vec<u8>>, PartyError> {
        let column = self.column(name)?;
        let missing = column.codes.iter().filter(|code| column.domain.is_missing(**code)).count();
        if missing > 0 {
            return Err(PartyError::Input(format!("the column `{name}` is empty in {missing} records")));
        }
        Ok(column.codes.iter().map(|code| column.domain.text(*code).as_bytes().to_vec()).collect())
    }
}

/// Transactions from lines of text.
///
/// # Errors
/// When the file cannot be read.
pub fn transactions(path: &std::path::Path, separator: char) -> Result<Vec<BTreeSet<String>>, PartyError> {
    let failed = |error| PartyError::io(path, "cannot be read", error);
    let bytes = read_plain(path, input_limit()).map_err(failed)?;
    let text = String::from_utf8(bytes).map_err(|_| PartyError::Input("it is not valid UTF-8".to_owned()))?;
    let items = |line: &str| {
        line.split(separator).map(str::trim).filter(|own| !own.is_empty()).map(str::to_owned).collect()
    };
    Ok(text.lines().map(items).collect())
}
