//! Classes and columns for tests.

use privet_data::{Domain, Hierarchy, Kind};
use serde_json::{Value, json};

use crate::{Class, Criterion, CriterionError, Histogram, Requirement, SensitiveColumn, build};

/// A class that owns its histograms.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub population: u64,
    /// One histogram per sensitive column, and perhaps one over combinations.
    pub counts: Vec<Vec<u32>>,
}

impl Sample {
    /// A class of one sensitive column.
    pub fn of(counts: &[u32]) -> Self {
        Self { population: 0, counts: vec![counts.to_vec()] }
    }

    /// A class of several sensitive columns with domains of these sizes, from its combinations.
    pub fn joint(combinations: &[Vec<u32>], sizes: &[usize], counts: &[u32]) -> Self {
        let mut all: Vec<Vec<u32>> = sizes.iter().map(|&size| vec![0; size]).collect();
        for (codes, &count) in combinations.iter().zip(counts) {
            for (histogram, &code) in all.iter_mut().zip(codes) {
                histogram[code as usize] += count;
            }
        }
        all.push(counts.to_vec());
        Self { population: 0, counts: all }
    }

    pub fn rows(&self) -> u64 {
        self.counts[0].iter().map(|&count| u64::from(count)).sum()
    }

    pub fn merge(&self, other: &Self) -> Self {
        let add = |(a, b): (&Vec<u32>, &Vec<u32>)| a.iter().zip(b).map(|(a, b)| a + b).collect();
        Self {
            population: self.population + other.population,
            counts: self.counts.iter().zip(&other.counts).map(add).collect(),
        }
    }

    /// Asks something of the class.
    pub fn ask<R>(&self, ask: impl FnOnce(&Class<'_>) -> R) -> R {
        // Present codes come in no particular order, so they come in descending order here.
        let present: Vec<Vec<u32>> = self
            .counts
            .iter()
            .map(|counts| (0..counts.len() as u32).rev().filter(|&code| counts[code as usize] > 0).collect())
            .collect();
        let histograms: Vec<Histogram<'_>> = self
            .counts
            .iter()
            .zip(&present)
            .map(|(counts, present)| Histogram { counts, present, total: self.rows() })
            .collect();
        ask(&Class { rows: self.rows(), population: self.population, histograms: &histograms })
    }
}

/// A sensitive column that owns its domain.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    domain: Domain,
    counts: Vec<u64>,
    hierarchy: Option<Hierarchy>,
}

impl Column {
    pub fn of(names: &[&str], counts: &[u32]) -> Self {
        let kind = Kind::of(names.iter().copied().filter(|&name| name != "?"));
        let values = names.iter().map(|&name| name.into()).collect();
        let counts = counts.iter().map(|&count| count.into()).collect();
        Self { domain: Domain::from_sorted(values, 0, kind), counts, hierarchy: None }
    }

    pub fn with_hierarchy(self, hierarchy: Hierarchy) -> Self {
        Self { hierarchy: Some(hierarchy), ..self }
    }

    pub fn with_missing(self, missing: u32) -> Self {
        let domain = Domain::from_sorted(self.domain.texts().to_vec(), missing, self.domain.kind());
        Self { domain, ..self }
    }

    pub fn as_sensitive<'a>(&'a self, name: &'a str) -> SensitiveColumn<'a> {
        SensitiveColumn {
            name,
            domain: &self.domain,
            counts: &self.counts,
            hierarchy: self.hierarchy.as_ref(),
        }
    }
}

/// A column of these values and counts, in this order of codes.
pub(crate) fn column(names: &[&str], counts: &[u32]) -> Column {
    Column::of(names, counts)
}

/// Builds one criterion on a table with one sensitive column named `s`.
pub(crate) fn build_one(requirement: Value, column: &Column) -> Result<Box<dyn Criterion>, CriterionError> {
    let requirement: Requirement = serde_json::from_value(requirement).unwrap();
    let rows = column.counts.iter().sum();
    Ok(build(&[requirement], &[column.as_sensitive("s")], None, rows)?.remove(0))
}

/// A form of l-diversity on a column of 64 equally frequent values.
pub(crate) fn diversity(kind: &str, l: f64, c: Option<f64>) -> Box<dyn Criterion> {
    let names: Vec<String> = (0..64).map(|i| i.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut requirement = json!({"criterion": "l-diversity", "kind": kind, "l": l});
    if let Some(c) = c {
        requirement["c"] = json!(c);
    }
    build_one(requirement, &column(&names, &[1; 64])).unwrap()
}

pub(crate) fn holds(criterion: &dyn Criterion, counts: &[u32]) -> bool {
    Sample::of(counts).ask(|class| criterion.holds(class))
}

pub(crate) fn reached(criterion: &dyn Criterion, counts: &[u32]) -> f64 {
    Sample::of(counts).ask(|class| criterion.reached(class))
}
