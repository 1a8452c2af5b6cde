//! Naive Bayes from noisy tables of the class with each column.
//!
//! # Guarantee
//! Computed from the tables alone. Counts below 0 are 0, and one is added to each, so that no value excludes a class. A value that was
//! not declared, or is missing, tells nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Table;

/// A naive Bayes classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bayes {
    /// The column that is predicted.
    pub class: String,
    /// Per class the logarithm of its share.
    pub classes: BTreeMap<String, f64>,
    /// Per column and value, per class the logarithm of the value's share in the class.
    pub columns: BTreeMap<String, BTreeMap<String, BTreeMap<String, f64>>>,
}

impl Bayes {
    /// From the table of each column.
    pub(super) fn new(class: &str, columns: &[String], tables: &[Table]) -> Self {
        let mut totals: BTreeMap<String, f64> = BTreeMap::new();
        let mut found = BTreeMap::new();
        for (column, table) in columns.iter().zip(tables) {
            let mut of_class: BTreeMap<&str, f64> = BTreeMap::new();
            for (texts, count) in table {
                if let [class, _] = &texts[..] {
                    *of_class.entry(class).or_default() += count.max(0.0) + 1.0;
                    // Every table tells how frequent classes are; their mean has less noise.
                    *totals.entry(class.clone()).or_default() += count.max(0.0) + 1.0;
                }
            }
            let mut values: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
            for (texts, count) in table {
                if let [class, value] = &texts[..] {
                    let all = of_class.get(class.as_str()).copied().unwrap_or(1.0);
                    let share = (count.max(0.0) + 1.0) / all;
                    values.entry(value.clone()).or_default().insert(class.clone(), share.ln());
                }
            }
            found.insert(column.clone(), values);
        }
        let all: f64 = totals.values().sum();
        let classes = totals.into_iter().map(|(class, own)| (class, (own / all).ln())).collect();
        Self { class: class.to_owned(), classes, columns: found }
    }

    /// The likeliest class; of equal ones the first.
    pub(super) fn predict<'a>(&self, text: &impl Fn(&str) -> Option<&'a str>) -> &str {
        let told: Vec<&BTreeMap<String, f64>> =
            self.columns.iter().filter_map(|(name, values)| values.get(text(name)?)).collect();
        let mut best: Option<(&str, f64)> = None;
        for (class, share) in &self.classes {
            let own = share + told.iter().filter_map(|own| own.get(class)).sum::<f64>();
            if best.is_none_or(|best| own > best.1) {
                best = Some((class, own));
            }
        }
        best.map_or("", |own| own.0)
    }
}
