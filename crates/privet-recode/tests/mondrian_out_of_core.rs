//! Mondrian by passes over a table that memory need not hold.

mod oracle;

use std::cell::Cell;

use oracle::{VALUES, bind, json, problem, requirements, tables_of};
use privet_criteria::{Class, Histogram, Merging};
use privet_data::Silent;
use privet_measure::Metric;
use privet_recode::groups::Groups;
use privet_recode::lattice::{Problem, SearchError};
use privet_recode::partition::{Choose, Chunk, Chunks, InMemory, Mode, Mondrian, Spilled, Workload};
use proptest::prelude::*;

/// Hands on chunks, and notes how large they are and how often the table is read.
struct Counting<'a> {
    inner: InMemory<'a>,
    largest: Cell<usize>,
    passes: Cell<u64>,
}

impl<'a> Counting<'a> {
    fn new(problem: &'a Problem<'a>, most: usize) -> Self {
        Self { inner: InMemory::new(problem, most), largest: Cell::new(0), passes: Cell::new(0) }
    }
}

impl Chunks for Counting<'_> {
    fn pass(
        &mut self,
        each: &mut dyn FnMut(&Chunk<'_>) -> Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        self.passes.set(self.passes.get() + 1);
        self.inner.pass(&mut |chunk| {
            self.largest.set(self.largest.get().max(chunk.rows));
            each(chunk)
        })
    }
}

fn limited(limit: u64) -> Mondrian {
    Mondrian { memory_limit: Some(limit), ..Mondrian::default() }
}

fn members(groups: &Groups) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.count];
    groups.of.iter().enumerate().for_each(|(record, &group)| members[group as usize].push(record));
    members
}

/// The same problem without its records.
fn described<'a>(problem: &Problem<'a>) -> Problem<'a> {
    let mut described =
        Problem { quasi: problem.quasi.clone(), sensitive: problem.sensitive.clone(), ..*problem };
    described.quasi.iter_mut().for_each(|quasi| quasi.codes = &[]);
    described.sensitive.iter_mut().for_each(|column| column.codes = &[]);
    described
}

const NUMBERS: [f64; VALUES] = [0.0, 1.0, 2.0, 3.0, 4.0];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every group satisfies every criterion, no cut is left, and no more records are held than may be.
    #[test]
    fn every_criterion(table in tables_of(1..4, 80), numeric in prop::collection::vec(any::<bool>(), 3), limit in 1u64..60, most in 1usize..30) {
        let table = table.weighed_for(Metric::Loss);
        for requirements in requirements() {
            let Some(bound) = bind(&table, &requirements) else { continue };
            let takes = |c: &dyn privet_criteria::Criterion| {
                c.merging() != Merging::Arbitrary && !["delta-presence", "k-map"].contains(&c.key())
            };
            if !bound.criteria.iter().all(|criterion| takes(&**criterion)) {
                continue;
            }
            let counts = table.counts();
            let mut problem = problem(&table, &counts, &bound, Metric::Loss, 0);
            for (quasi, &numeric) in problem.quasi.iter_mut().zip(&numeric) {
                quasi.numbers = numeric.then_some(&NUMBERS);
            }
            let mut chunks = Counting::new(&problem, most);
            let found = limited(limit).search_out_of_core(&described(&problem), &mut chunks, &Silent);
            let whole = Mondrian::default().search(&problem, &Workload::default(), &Silent);
            let Ok(found) = found else {
                prop_assert_eq!(found.err(), whole.err());
                continue;
            };
            prop_assert!(whole.is_ok());
            prop_assert!(found.most_held as u64 <= limit, "held {} of {limit}", found.most_held);
            prop_assert_eq!(found.passes, chunks.passes.get());
            prop_assert!(chunks.largest.get() <= most);
            let safe = |records: &[usize]| {
                let views = [
                    (&table.sensitive[0], VALUES),
                    (&table.sensitive[1], VALUES),
                    (&bound.joint_codes, bound.joint.combinations.len()),
                ];
                let counted: Vec<(Vec<u32>, Vec<u32>)> = views.iter().map(|(codes, size)| {
                    let mut counts = vec![0u32; *size];
                    records.iter().for_each(|&record| counts[codes[record] as usize] += 1);
                    let present = (0..*size as u32).filter(|&code| counts[code as usize] > 0).collect();
                    (counts, present)
                }).collect();
                let histograms: Vec<Histogram<'_>> = counted
                    .iter()
                    .map(|(counts, present)| Histogram { counts, present, total: records.len() as u64 })
                    .collect();
                let class = Class { rows: records.len() as u64, population: 0, histograms: &histograms };
                bound.criteria.iter().all(|criterion| criterion.holds(&class))
            };
            for group in members(&found.groups) {
                prop_assert!(safe(&group));
                // Both cuts beside the median of every column of numbers.
                for (codes, _) in table.quasi.iter().zip(&numeric).filter(|(_, numeric)| **numeric) {
                    let mut values: Vec<u32> = group.iter().map(|&record| codes[record]).collect();
                    values.sort_unstable();
                    let median = values[(values.len() - 1) / 2];
                    for threshold in [median, median + 1] {
                        let (left, right): (Vec<usize>, Vec<usize>) =
                            group.iter().partition(|&&record| codes[record] < threshold);
                        let allowed = !left.is_empty() && !right.is_empty() && safe(&left) && safe(&right);
                        prop_assert!(!allowed, "{group:?} at {threshold}");
                    }
                }
            }
            // A file of codes holds the same table.
            let mut spilled = Spilled::write(&mut InMemory::new(&problem, most), &std::env::temp_dir()).unwrap();
            let again = limited(limit).search_out_of_core(&described(&problem), &mut spilled, &Silent).unwrap();
            prop_assert_eq!(again, found);
        }
    }
}

#[test]
fn a_small_limit_still_cuts_and_bad_limits_are_refused() {
    let table = oracle::Table {
        quasi: vec![(0..50).map(|i| i * 3 % 5).collect(), (0..50).map(|i| i * 7 % 11 % 5).collect()],
        population: None,
        generalizations: vec![oracle::hierarchy(&[], true).bind(&oracle::domain()).unwrap(); 2],
        sensitive: vec![vec![0; 50], vec![0; 50]],
        label: vec![0; 50],
        weights: vec![1.0; 2],
        rows: 50,
    };
    let bound = bind(&table, &[json("k-anonymity", "3")]).unwrap();
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
    let found = limited(10).search_out_of_core(&problem, &mut InMemory::new(&problem, 7), &Silent).unwrap();
    let whole = Mondrian::default().search(&problem, &Workload::default(), &Silent).unwrap();
    assert!(found.groups.count > 4 && whole.groups.count > 4);
    assert!(found.most_held <= 10);
    let refused = |options: Mondrian| match options.search_out_of_core(
        &problem,
        &mut InMemory::new(&problem, 7),
        &Silent,
    ) {
        Err(SearchError::Parameter { key, .. }) => key,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(Mondrian::default()), "search.mondrian.memory-limit");
    assert_eq!(refused(limited(0)), "search.mondrian.memory-limit");
    assert_eq!(refused(Mondrian { mode: Mode::Relaxed, ..limited(9) }), "search.mondrian.memory-limit");
    assert_eq!(refused(Mondrian { choose: Choose::Variance, ..limited(9) }), "search.mondrian.memory-limit");
}

#[test]
fn the_temporary_file_is_removed() {
    let folder = std::env::temp_dir().join(format!("privet-spill-test-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let problem = Problem {
        rows: 0,
        quasi: Vec::new(),
        sensitive: Vec::new(),
        label: None,
        criteria: &[],
        metric: Metric::Loss,
        suppress_at_most: 0,
    };
    let mut spilled = Spilled::write(&mut InMemory::new(&problem, 3), &folder).unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    let found = limited(1).search_out_of_core(&problem, &mut spilled, &Silent).unwrap();
    assert_eq!(found.groups.count, 0);
    drop(spilled);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    std::fs::remove_dir(&folder).unwrap();
    let missing = Spilled::write(&mut InMemory::new(&problem, 3), &folder);
    assert!(matches!(missing, Err(SearchError::Temporary { done: "created", .. })), "{missing:?}");
}
