//! What is known of groups whose records are read in passes: how many records, which is the first, and what lies between
//! their values. From that come what they publish, the classes of what is published, and the metrics.
//!
//! # Guarantee
//! For the same groups, labels, classes and what they reach are those that are computed from all records in memory
//! (`groups.rs`, `lattice/partition.rs`), and the last gate is applied to exactly the classes that are published: groups
//! that show the same are one. What is held grows with the groups and the distinct values, not with the records; the
//! histograms of classes are made for as many of them at once as the limit allows.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashMapExt};
use privet_criteria::{Class, Histogram};
use privet_data::{GeneralizedLevel, Progress};

use super::chunks::Chunks;
use super::names::Names;
use crate::groups::Extent;
use crate::lattice::{Partition, Problem, SearchError, judge_class, partition};

/// Fewer tuples or counts than these are held at once only when there are no more.
const LEAST: usize = 1 << 12;

/// What is known of groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summaries {
    /// Per group its records.
    pub rows: Vec<u64>,
    /// Per group its first record.
    pub first: Vec<u32>,
    /// Per quasi column and group what lies between its values.
    pub extents: Vec<Vec<Extent>>,
}

impl Summaries {
    /// Gathers what is known of so many groups, in one pass. The names of the records are their groups.
    ///
    /// # Errors
    /// When the records cannot be read, a name is not that of a group, a group has no record, or the person stopped it.
    pub fn gather(
        problem: &Problem<'_>,
        groups: usize,
        chunks: &mut dyn Chunks,
        names: &mut Names,
        progress: &dyn Progress,
    ) -> Result<Self, SearchError> {
        progress.stage("looking at the groups", Some(problem.rows as u64));
        let none = Extent::of(0);
        let mut own = Self {
            rows: vec![0; groups],
            first: vec![0; groups],
            extents: problem.quasi.iter().map(|_| vec![none; groups]).collect(),
        };
        chunks.pass(&mut |chunk| {
            progress.check()?;
            names.look(chunk.first, chunk.rows, |names| {
                require_groups(names, groups)?;
                for (at, &group) in names.iter().enumerate() {
                    let group = group as usize;
                    let is_new = own.rows[group] == 0;
                    if is_new {
                        own.first[group] = (chunk.first + at) as u32;
                    }
                    own.rows[group] += 1;
                    for ((extents, codes), quasi) in
                        own.extents.iter_mut().zip(chunk.quasi).zip(&problem.quasi)
                    {
                        match is_new {
                            true => extents[group] = Extent::of(codes[at]),
                            false => extents[group].add(quasi.generalization, codes[at]),
                        }
                    }
                }
                Ok::<bool, SearchError>(false)
            })?;
            progress.at((chunk.first + chunk.rows) as u64);
            Ok(())
        })?;
        match own.rows.contains(&0) {
            true => Err(damaged()),
            false => Ok(own),
        }
    }

    /// Per quasi column one code for each group: that of its first record.
    pub fn first_codes(&self) -> Vec<Vec<u32>> {
        self.extents.iter().map(|extents| extents.iter().map(|extent| extent.first).collect()).collect()
    }

    /// The classes of what the groups publish, each judged by its histograms. In the problem and in the result a
    /// *record* of a code or of a class is a group: `codes`, `class_of` and `first` have and are numbers of groups; `rows`
    /// counts real records. `recoding` tells per quasi column where codes go. At most about `limit` different values of
    /// classes are held at once.
    ///
    /// # Errors
    /// As [`gather`](Self::gather).
    pub fn partition(
        &self,
        problem: &Problem<'_>,
        recoding: &[&GeneralizedLevel],
        limit: usize,
        (chunks, names): (&mut dyn Chunks, &mut Names),
        progress: &dyn Progress,
    ) -> Result<Partition, SearchError> {
        let groups = self.rows.len();
        // Groups as records, and nothing to be judged yet.
        let alone = Problem {
            rows: groups,
            quasi: problem.quasi.clone(),
            sensitive: Vec::new(),
            label: None,
            criteria: &[],
            ..*problem
        };
        let mut classes = partition(&alone, recoding);
        classes.rows = vec![0; classes.first.len()];
        for (&class, &rows) in classes.class_of.iter().zip(&self.rows) {
            classes.rows[class as usize] += rows;
        }
        classes.reached = vec![None; problem.criteria.len()];
        let looks = problem.criteria.iter().any(|criterion| !criterion.histograms().is_empty());
        if !looks && problem.label.is_none() {
            for (class, (&rows, kept)) in classes.rows.iter().zip(&mut classes.kept).enumerate() {
                let view = Class { rows, population: 0, histograms: &[] };
                *kept = judge_class(problem.criteria, &view, class as u32, &mut classes.reached);
            }
            return Ok(classes);
        }
        let mut values: Vec<usize> = problem.sensitive.iter().map(|column| column.values).collect();
        if !looks {
            values.clear();
        }
        let histograms = values.len();
        values.extend(problem.label.as_ref().map(|label| label.values));
        let mut first = 0;
        while first < classes.rows.len() {
            // As many classes as the limit allows, and one at least.
            let mut held = 0;
            let mut end = first;
            while let Some(&rows) = classes.rows.get(end) {
                let own: usize = values.iter().map(|&values| values.min(rows as usize)).sum();
                if end > first && held + own > limit.max(LEAST) {
                    break;
                }
                (held, end) = (held + own, end + 1);
            }
            progress.stage("judging the classes", Some(problem.rows as u64));
            let mut counted: Vec<Counted> = values.iter().map(|_| Counted::default()).collect();
            let class_of = &classes.class_of;
            chunks.pass(&mut |chunk| {
                progress.check()?;
                let label = chunk.label.iter().copied().filter(|_| problem.label.is_some());
                let columns: Vec<&[u32]> =
                    chunk.sensitive.iter().copied().take(histograms).chain(label).collect();
                names.look(chunk.first, chunk.rows, |names| {
                    require_groups(names, groups)?;
                    for (at, &group) in names.iter().enumerate() {
                        let class = class_of[group as usize] as usize;
                        if (first..end).contains(&class) {
                            for (counted, codes) in counted.iter_mut().zip(&columns) {
                                counted.add((class - first) as u32, codes[at]);
                            }
                        }
                    }
                    Ok::<bool, SearchError>(false)
                })?;
                progress.at((chunk.first + chunk.rows) as u64);
                Ok(())
            })?;
            let mut listed: Vec<Listed> =
                counted.into_iter().zip(&values).map(|(counted, &values)| counted.list(values)).collect();
            for class in first..end {
                listed.iter_mut().for_each(|own| own.show((class - first) as u32));
                let rows = classes.rows[class];
                let views: Vec<Histogram<'_>> =
                    listed.iter().take(histograms).map(|own| own.view(rows)).collect();
                let view = Class { rows, population: 0, histograms: &views };
                classes.kept[class] =
                    judge_class(problem.criteria, &view, class as u32, &mut classes.reached);
                if problem.label.is_some() {
                    let label = listed.last().map(|label| label.view(rows));
                    let majority = label.and_then(|label| label.occurring().max());
                    classes.majority.push(majority.map_or(0, u64::from));
                }
            }
            first = end;
        }
        Ok(classes)
    }
}

/// Sum over the distinct tuples of the quasi-identifier of p ln p, as [`tuple_entropy`](crate::lattice::tuple_entropy)
/// has it but for the order of the sum. At most about `limit` tuples are held at once: those whose hashes lie in a range,
/// range after range.
///
/// # Errors
/// When the records cannot be read, or the person stopped it.
pub fn tuple_entropy_in_passes(
    problem: &Problem<'_>,
    limit: usize,
    chunks: &mut dyn Chunks,
    progress: &dyn Progress,
) -> Result<f64, SearchError> {
    let limit = limit.max(LEAST);
    let leaves: Vec<&[u32]> =
        problem.quasi.iter().map(|quasi| &*quasi.generalization.levels[0].node_of_code).collect();
    let state = RandomState::default();
    // Per number of records how many tuples have it: the sum does not depend on the hashes.
    let mut tuples_of: std::collections::BTreeMap<u64, u64> = std::collections::BTreeMap::new();
    let (mut low, mut high) = (0u64, u64::MAX);
    loop {
        progress.stage("counting distinct records", Some(problem.rows as u64));
        let mut counts: HashMap<Box<[u32]>, u64> = HashMap::new();
        let mut tuple = vec![0; leaves.len()];
        chunks.pass(&mut |chunk| {
            progress.check()?;
            for at in 0..chunk.rows {
                for ((leaf, leaves), codes) in tuple.iter_mut().zip(&leaves).zip(chunk.quasi) {
                    *leaf = leaves[codes[at] as usize];
                }
                if !(low..=high).contains(&state.hash_one(&tuple[..])) {
                    continue;
                }
                match counts.get_mut(&tuple[..]) {
                    Some(count) => *count += 1,
                    None => {
                        counts.insert(tuple.as_slice().into(), 1);
                        while counts.len() > limit && low < high {
                            high = low + (high - low) / 2;
                            counts.retain(|tuple, _| state.hash_one(&tuple[..]) <= high);
                        }
                    }
                }
            }
            progress.at((chunk.first + chunk.rows) as u64);
            Ok(())
        })?;
        // As wide a range as should just fit, were the tuples spread evenly.
        let width = (high - low) as f64 * (0.9 * limit as f64) / counts.len().max(1) as f64;
        counts.into_values().for_each(|count| *tuples_of.entry(count).or_default() += 1);
        if high == u64::MAX {
            break;
        }
        low = high + 1;
        high = low.saturating_add(width as u64);
    }
    let n = problem.rows.max(1) as f64;
    let terms = tuples_of.into_iter().map(|(count, tuples)| (count as f64 / n, tuples as f64));
    Ok(terms.map(|(p, tuples)| tuples * (p * p.ln())).sum())
}

/// Counts of values in several classes.
#[derive(Default)]
struct Counted {
    counts: HashMap<u64, u32>,
    /// The classes and values in the order in which they first appeared.
    order: Vec<(u32, u32)>,
}

impl Counted {
    fn add(&mut self, class: u32, code: u32) {
        let Self { counts, order } = self;
        *counts.entry(u64::from(class) << 32 | u64::from(code)).or_insert_with(|| {
            order.push((class, code));
            0
        }) += 1;
    }

    fn list(self, values: usize) -> Listed {
        let Self { counts, mut order } = self;
        // Stable: values of a class stay in the order in which they first appeared, as they are counted in memory.
        order.sort_by_key(|&(class, _)| class);
        let count = |&(class, code): &(u32, u32)| {
            (class, code, counts.get(&(u64::from(class) << 32 | u64::from(code))).copied().unwrap_or(0))
        };
        let entries = order.iter().map(count).collect();
        Listed { entries, next: 0, counts: vec![0; values], present: Vec::new() }
    }
}

/// Counts of classes that are shown one after the other.
struct Listed {
    /// Class, value and count.
    entries: Vec<(u32, u32, u32)>,
    next: usize,
    counts: Vec<u32>,
    present: Vec<u32>,
}

impl Listed {
    fn show(&mut self, class: u32) {
        for code in self.present.drain(..) {
            self.counts[code as usize] = 0;
        }
        while let Some(&(_, code, count)) = self.entries.get(self.next).filter(|entry| entry.0 == class) {
            self.counts[code as usize] = count;
            self.present.push(code);
            self.next += 1;
        }
    }

    fn view(&self, rows: u64) -> Histogram<'_> {
        Histogram { counts: &self.counts, present: &self.present, total: rows }
    }
}

/// Every name is that of a group.
fn require_groups(names: &[u32], groups: usize) -> Result<(), SearchError> {
    match names.iter().max().is_some_and(|&group| group as usize >= groups) {
        true => Err(damaged()),
        false => Ok(()),
    }
}

fn damaged() -> SearchError {
    SearchError::Temporary { done: "read", kind: std::io::ErrorKind::InvalidData }
}
