//! Who is learned from and who is tested on (survey US-10).
//!
//! **Strict.** With records of their own to test on, which never were part of the release: everything published is learned
//! from, and beside it the whole original; both are tested on those records. No statistic of them took part in choosing the
//! recoding. How many of them are also in the original, in every column looked at, is counted and told, since nobody can see
//! from a file where its records come from.
//!
//! **Not strict.** Without such records every third record of the original is set apart, raw, and what was published of the
//! others is learned from. The recoding was chosen with all records in view, so this is kinder to the release than the
//! strict protocol, and is said to be.

use foldhash::{HashSet, HashSetExt};
use privet_data::{Column, Hierarchy, Table};
use privet_measure::classify::{Feature, TrainingColumn};
use privet_report::Protocol;

use super::super::original::translate;
use super::Beside;
use crate::error::{JobError, RunError};

/// Records to learn from and records to test on, in terms of leaves.
pub(super) struct Split<'a> {
    pub features: Vec<Feature>,
    /// Published records that are learned from.
    pub released: Vec<TrainingColumn>,
    /// Original records that are learned from.
    pub raw: Vec<TrainingColumn>,
    /// Per feature the leaves of the tested records.
    pub tested: Vec<Vec<Option<u32>>>,
    /// Which published records they are.
    pub published: Vec<usize>,
    /// Which original records they are.
    pub originals: Vec<usize>,
    /// Where the tested records are, and which.
    tests: (&'a Table, Vec<usize>),
    pub protocol: Protocol,
}

impl<'a> Split<'a> {
    /// `apart` are records that never were part of the release.
    pub fn new(beside: &'a Beside<'_>, apart: Option<&'a Table>) -> Result<Self, RunError> {
        let (original, release) = (beside.original, beside.release);
        let rows = original.table.rows;
        let is_tested = |record: usize| apart.is_none() && record % 3 == 2;
        let published: Vec<usize> = (0..release.table.rows)
            .filter(|&published| !is_tested(original.record_of[published] as usize)) // why: one for each published record
            .collect();
        let originals: Vec<usize> = (0..rows).filter(|&record| !is_tested(record)).collect();
        let tests: (&Table, Vec<usize>) = match apart {
            Some(table) => (table, (0..table.rows).collect()),
            None => (&original.table, (0..rows).filter(|&record| is_tested(record)).collect()),
        };
        let protocol = Protocol {
            strict: apart.is_some(),
            released: published.len() as u64,
            raw: originals.len() as u64,
            tested: tests.1.len() as u64,
            also_in_original: apart.map(|table| seen(&original.table, table)),
        };
        let mut split = Self {
            features: Vec::new(),
            released: Vec::new(),
            raw: Vec::new(),
            tested: Vec::new(),
            published,
            originals,
            tests,
            protocol,
        };
        for (quasi, &at) in release.quasi.iter().enumerate() {
            let own = &original.table.columns[original.quasi[quasi].position];
            let flat;
            let hierarchy = match &original.quasi[quasi].hierarchy {
                Some(hierarchy) => hierarchy,
                None => {
                    flat = Hierarchy::flat(&own.domain);
                    &flat
                }
            };
            let feature = Feature::new(hierarchy, own.domain.kind());
            let (Some(released), Some(raw)) =
                (feature.training(&release.table.columns[at]), feature.training(own))
            else {
                continue;
            };
            let tested = feature.testing(split.test_column(&own.name)?);
            split.released.push(picked(&released, &split.published));
            split.raw.push(picked(&raw, &split.originals));
            split.tested.push(split.tests.1.iter().map(|&record| tested[record]).collect());
            split.features.push(feature);
        }
        Ok(split)
    }

    /// Whether there is somebody to learn from and somebody to test on.
    pub fn is_empty(&self) -> bool {
        self.published.is_empty() || self.tests.1.is_empty()
    }

    /// Which records of [`test_column`](Self::test_column) are tested.
    pub fn test_records(&self) -> &[usize] {
        &self.tests.1
    }

    /// A column of the table that tested records stand in.
    pub fn test_column(&self, name: &str) -> Result<&'a Column, RunError> {
        let problem = || JobError::new(format!("--test names a table without the column {name}"));
        Ok(self.tests.0.column(name).ok_or_else(problem)?)
    }
}

/// Some records of a column.
pub(super) fn picked(column: &TrainingColumn, records: &[usize]) -> TrainingColumn {
    TrainingColumn {
        leaves: column.leaves,
        is_ordered: column.is_ordered,
        codes: records.iter().map(|&record| column.codes[record]).collect(),
        spans: column.spans.clone(),
    }
}

/// How many records of `apart` have the values of an original record in all columns that both have.
fn seen(original: &Table, apart: &Table) -> u64 {
    let pairs: Vec<(&Column, &Column)> =
        apart.columns.iter().filter_map(|own| Some((original.column(&own.name)?, own))).collect();
    let mut tuples: HashSet<Vec<u32>> = HashSet::with_capacity(original.rows);
    for record in 0..original.rows {
        tuples.insert(pairs.iter().map(|(theirs, _)| theirs.codes[record]).collect());
    }
    let code_of: Vec<Vec<Option<u32>>> =
        pairs.iter().map(|(theirs, own)| translate(&own.domain, &theirs.domain)).collect();
    let tuple_of = |record: usize| -> Option<Vec<u32>> {
        pairs.iter().zip(&code_of).map(|((_, own), code_of)| code_of[own.codes[record] as usize]).collect()
    };
    (0..apart.rows).filter_map(tuple_of).filter(|tuple| tuples.contains(tuple)).count() as u64
}
