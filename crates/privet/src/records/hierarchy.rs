//! How a column is generalized, as a program says it.

use std::path::Path;

use toml::{Table, Value};

/// How a column is generalized.
#[derive(Debug, Clone, Default)]
pub struct Hierarchy {
    value: Option<Value>,
}

impl Hierarchy {
    pub(crate) fn into_value(self) -> Option<Value> {
        self.value
    }

    fn table(key: &str, value: Value) -> Self {
        let mut table = Table::new();
        table.insert(key.to_owned(), value);
        Self { value: Some(Value::Table(table)) }
    }

    /// The same hierarchy with another key of the job file beside it, such as `("min", 0)` for intervals.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        if let Some(Value::Table(table)) = &mut self.value {
            table.insert(key.to_owned(), value.into());
        }
        self
    }
}

/// The value itself, or nothing.
pub fn values() -> Hierarchy {
    Hierarchy::default()
}

/// Intervals of these widths, from the narrowest to the widest.
pub fn intervals<N: Into<Value>>(widths: impl IntoIterator<Item = N>) -> Hierarchy {
    Hierarchy::table("intervals", Value::Array(widths.into_iter().map(Into::into).collect()))
}

/// One character after the other is masked, from the right: for postal codes.
pub fn mask_right() -> Hierarchy {
    Hierarchy::table("mask", Value::String("right".to_owned()))
}

/// One character after the other is masked, from the left.
pub fn mask_left() -> Hierarchy {
    Hierarchy::table("mask", Value::String("left".to_owned()))
}

/// Dates by these units, such as `["month", "year"]`.
pub fn dates<'a>(units: impl IntoIterator<Item = &'a str>) -> Hierarchy {
    let units = units.into_iter().map(|unit| Value::String(unit.to_owned())).collect();
    Hierarchy::table("dates", Value::Array(units))
}

/// A hierarchy file: one line per value, one column per level.
pub fn hierarchy_file(path: &Path) -> Hierarchy {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Hierarchy { value: Some(Value::String(path.to_string_lossy().into_owned())) }
}

/// Named groups of values: one level above the values.
pub fn groups<'a, V>(groups: impl IntoIterator<Item = (&'a str, V)>) -> Hierarchy
where
    V: IntoIterator<Item = &'a str>,
{
    let group = |(label, values): (&str, V)| {
        let values = values.into_iter().map(|value| Value::String(value.to_owned())).collect();
        let mut table = Table::new();
        table.insert("label".to_owned(), Value::String(label.to_owned()));
        table.insert("values".to_owned(), Value::Array(values));
        Value::Table(table)
    };
    Hierarchy::table("groups", Value::Array(groups.into_iter().map(group).collect()))
}
