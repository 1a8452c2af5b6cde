//! Tables and their hierarchies, as a job would read them.

use std::path::Path;

use privet_data::hierarchy::{HierarchySpec, build};
use privet_data::io::{ReadOptions, read};
use privet_data::{Column, Hierarchy, Silent, Table};
use serde::Deserialize;

use crate::Result;

/// A quasi column.
#[derive(Deserialize)]
pub struct Quasi {
    pub name: String,
    pub hierarchy: Option<HierarchySpec>,
}

impl Quasi {
    /// The hierarchy of the column, fitted to these values where it is derived from values.
    pub fn hierarchy(&self, column: &Column) -> Result<Hierarchy> {
        Ok(match &self.hierarchy {
            Some(spec) => build(spec, Path::new(""), &column.domain, &counts(column))?,
            None => Hierarchy::flat(&column.domain),
        })
    }
}

/// Per code how many records have it.
pub fn counts(column: &Column) -> Vec<u64> {
    let mut counts = vec![0; column.domain.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    counts
}

/// Some columns of a file.
pub fn open(path: &Path, columns: Vec<String>) -> Result<Table> {
    let options = ReadOptions { columns: Some(columns), ..ReadOptions::default() };
    Ok(read(path, &options, &Silent)?.table)
}

/// A column by its name.
pub fn column<'t>(table: &'t Table, name: &str) -> Result<&'t Column> {
    table.column(name).ok_or_else(|| format!("there is no column {name}").into())
}
