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
//!
//! Codes that happen to be made of digits are categories ([`Original::is_code`](super::super::original::Original::is_code)).
//! Regressions have one coefficient for each category but one, so they see codes at the finest level of their hierarchy that
//! has few nodes ([`Split::coarsened`]); the other learners see each code.
//!
//! What is learned from are all published columns but the predicted one. Those that are not identifying have no hierarchy that
//! could make many texts few; with more of them than a regression can see, and where records to test on lack them, they are
//! left out and named.

use foldhash::{HashSet, HashSetExt};
use privet_data::{Column, Hierarchy, Kind, Table};
use privet_measure::classify::{Feature, Span, TrainingColumn};
use privet_report::Protocol;

use super::super::original::translate;
use super::Beside;
use super::numbers::is_numeric;
use crate::error::{JobError, RunError};

/// Regressions see codes at a level of at most so many nodes.
const MOST_CODES: usize = 60;

/// Records to learn from and records to test on, in terms of leaves.
pub struct Split<'a> {
    /// What is learned from, by column.
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
    /// Per feature, of codes: per leaf its node at a coarser level.
    nodes: Vec<Option<Vec<u32>>>,
    /// Where the tested records are, and which.
    tests: (&'a Table, Vec<usize>),
    /// Who is learned from and who is tested on.
    pub protocol: Protocol,
    /// Published columns that are not learned from.
    left_out: Vec<String>,
}

impl<'a> Split<'a> {
    /// `predicted` is what is to be learned; `apart` are records that never were part of the release.
    pub fn new(beside: &'a Beside<'_>, predicted: &str, apart: Option<&'a Table>) -> Result<Self, RunError> {
        let (original, release) = (beside.original, beside.release);
        let rows = original.table.rows;
        let is_tested = |record: usize| apart.is_none() && is_third(record);
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
        let mut split = Self::empty(published, originals, tests, protocol);
        for (quasi, &at) in release.quasi.iter().enumerate() {
            let own = &original.table.columns[original.quasi[quasi].position];
            let hierarchy = original.quasi[quasi].hierarchy.as_ref();
            split.push(own, &release.table.columns[at], hierarchy, original.is_code(&own.name))?;
        }
        for (at, theirs) in release.table.columns.iter().enumerate() {
            if release.quasi.contains(&at) || theirs.name == predicted {
                continue;
            }
            // The number of a bucket is no column of the original.
            let Some(own) = original.table.column(&theirs.name) else { continue };
            let is_code = original.is_code(&own.name);
            let has_numbers = is_numeric(own.domain.kind()) && !is_code;
            match (has_numbers || own.domain.len() <= MOST_CODES) && split.tests.0.column(&own.name).is_some()
            {
                true => split.push(own, theirs, None, is_code)?,
                false => split.left_out.push(own.name.clone()),
            }
        }
        Ok(split)
    }

    /// Which published columns are not learned from.
    pub fn note(&self) -> Option<String> {
        (!self.left_out.is_empty()).then(|| {
            format!(
                "Not learned from: {}; columns of texts with more than {MOST_CODES} values, or those that records to test on lack.",
                self.left_out.join(", ")
            )
        })
    }

    /// Of a release whose values are values: swapped or synthetic records, `published` of which are learned from. `features`
    /// are the columns that are learned from. Where records stand in the order of the original, those that are tested are
    /// left out on both sides.
    pub fn of_records(
        original: &'a Table,
        release: &Table,
        features: &[&str],
        published: Vec<usize>,
        apart: Option<&'a Table>,
    ) -> Result<Self, RunError> {
        let is_tested = |record: usize| apart.is_none() && is_third(record);
        let originals: Vec<usize> = (0..original.rows).filter(|&record| !is_tested(record)).collect();
        let tests: (&Table, Vec<usize>) = match apart {
            Some(table) => (table, (0..table.rows).collect()),
            None => (original, (0..original.rows).filter(|&record| is_tested(record)).collect()),
        };
        let protocol = Protocol {
            strict: apart.is_some(),
            released: published.len() as u64,
            raw: originals.len() as u64,
            tested: tests.1.len() as u64,
            also_in_original: apart.map(|table| seen(original, table)),
        };
        let mut split = Self::empty(published, originals, tests, protocol);
        for name in features {
            let (Some(own), Some(theirs)) = (original.column(name), release.column(name)) else { continue };
            split.push(own, theirs, None, false)?;
        }
        Ok(split)
    }

    fn empty(
        published: Vec<usize>,
        originals: Vec<usize>,
        tests: (&'a Table, Vec<usize>),
        protocol: Protocol,
    ) -> Self {
        Self {
            features: Vec::new(),
            released: Vec::new(),
            raw: Vec::new(),
            tested: Vec::new(),
            published,
            originals,
            nodes: Vec::new(),
            tests,
            protocol,
            left_out: Vec::new(),
        }
    }

    /// One more column to learn from: `own` in the original, `theirs` in the release.
    fn push(
        &mut self,
        own: &Column,
        theirs: &Column,
        hierarchy: Option<&Hierarchy>,
        is_code: bool,
    ) -> Result<(), RunError> {
        let flat;
        let hierarchy = match hierarchy {
            Some(hierarchy) => hierarchy,
            None => {
                flat = Hierarchy::flat(&own.domain);
                &flat
            }
        };
        // Digits of a code are no number.
        let feature = Feature::new(hierarchy, if is_code { Kind::Text } else { own.domain.kind() });
        let (Some(released), Some(raw)) = (feature.training(theirs), feature.training(own)) else {
            return Ok(());
        };
        let tested = feature.testing(self.test_column(&own.name)?);
        self.released.push(picked(&released, &self.published));
        self.raw.push(picked(&raw, &self.originals));
        self.tested.push(self.tests.1.iter().map(|&record| tested[record]).collect());
        self.nodes.push(is_code.then(|| nodes(&feature, hierarchy, raw.leaves)).flatten());
        self.features.push(feature);
        Ok(())
    }

    /// Columns as regressions see them: codes at a coarser level.
    pub fn coarsened(&self, columns: &[TrainingColumn]) -> Vec<TrainingColumn> {
        let coarse = |(own, nodes): (&TrainingColumn, &Option<Vec<u32>>)| {
            let Some(nodes) = nodes else { return own.clone() };
            let node = |leaf: u32| nodes.get(leaf as usize).copied().unwrap_or(0);
            let spans = own.spans.iter().map(|span| Span { first: node(span.first), last: node(span.last) });
            TrainingColumn {
                leaves: nodes.last().map_or(0, |last| last + 1),
                is_ordered: own.is_ordered,
                codes: own.codes.clone(),
                spans: spans.collect(),
            }
        };
        columns.iter().zip(&self.nodes).map(coarse).collect()
    }

    /// The tested records as regressions see them.
    pub fn coarsely_tested(&self) -> Vec<Vec<Option<u32>>> {
        let coarse = |(own, nodes): (&Vec<Option<u32>>, &Option<Vec<u32>>)| match nodes {
            None => own.clone(),
            Some(nodes) => own.iter().map(|leaf| nodes.get((*leaf)? as usize).copied()).collect(),
        };
        self.tested.iter().zip(&self.nodes).map(coarse).collect()
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

/// Whether a record of the original is set apart where there are no others to test on.
pub fn is_third(record: usize) -> bool {
    record % 3 == 2
}

/// Per leaf its node at the finest level that has few, numbered in the order of the leaves, so that the leaves of a node
/// are one stretch; `None` where the leaves themselves are few, or no level has few nodes and more than one.
fn nodes(feature: &Feature, hierarchy: &Hierarchy, leaves: u32) -> Option<Vec<u32>> {
    if leaves as usize <= MOST_CODES {
        return None;
    }
    let level = hierarchy.levels().iter().find(|level| level.labels.len() <= MOST_CODES)?;
    let mut node_of = vec![None; leaves as usize];
    for (leaf, text) in hierarchy.leaves().iter().enumerate() {
        if let Some(slot) = feature.leaf(text).and_then(|place| node_of.get_mut(place as usize)) {
            *slot = level.node_of_leaf.get(leaf).copied();
        }
    }
    let mut numbered = Vec::with_capacity(node_of.len());
    let (mut next, mut last) = (0u32, None);
    for (place, node) in node_of.into_iter().enumerate() {
        if place > 0 && node != last {
            next += 1;
        }
        last = node;
        numbered.push(next);
    }
    (next > 0).then_some(numbered)
}

/// Some records of a column.
pub fn picked(column: &TrainingColumn, records: &[usize]) -> TrainingColumn {
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
