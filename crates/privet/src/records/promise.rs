//! What must hold, as a program says it.

use toml::{Table, Value};

/// A promise: its parameters, by their names in the `[privacy]` section of the job file.
#[derive(Debug, Clone)]
pub struct Promise {
    table: Table,
}

impl Promise {
    /// A promise with one parameter.
    pub fn of(parameter: &str, value: impl Into<Value>) -> Self {
        Self { table: Table::new() }.with(parameter, value)
    }

    /// The same promise with another parameter.
    #[must_use]
    pub fn with(mut self, parameter: &str, value: impl Into<Value>) -> Self {
        self.table.insert(parameter.to_owned(), value.into());
        self
    }

    /// The same promise about one sensitive column; needed where there are several.
    #[must_use]
    pub fn about(self, column: &str) -> Self {
        self.with("column", column)
    }

    pub(crate) fn into_value(self) -> Value {
        Value::Table(self.table)
    }
}

/// Distinct l-diversity: every class has at least `l` different sensitive values (PM-07).
pub fn distinct(l: i64) -> Promise {
    Promise::of("l", l)
}

/// Entropy l-diversity (PM-08).
pub fn entropy(l: f64) -> Promise {
    Promise::of("l", l).with("kind", "entropy")
}

/// Recursive (c,l)-diversity (PM-09).
pub fn recursive(c: f64, l: i64) -> Promise {
    Promise::of("l", l).with("kind", "recursive").with("c", c)
}
