//! Mondrian by passes over a table that memory need not hold.

use crate::oracle;

use std::cell::Cell;

use oracle::{VALUES, bind, json, problem, requirements, tables_of};
use privet_criteria::{Class, Histogram, Merging};
use privet_data::Silent;
use privet_measure::Metric;
use privet_recode::groups::{Groups, Represent, represent_extents};
use privet_recode::lattice::{Problem, Quasi, SearchError, partition, tuple_entropy};
use privet_recode::partition::{
    Choose, Chunk, Chunks, CodeFile, InMemory, Mode, Mondrian, Names, Spilled, Summaries, Workload,
    tuple_entropy_in_passes,
};
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
            prop_assert_eq!(&again, &found);
            summaries_agree(&problem, &found.groups, &mut spilled)?;
        }
    }
}

/// What is gathered in passes is what is computed from all records.
fn summaries_agree(
    problem: &Problem<'_>,
    groups: &Groups,
    chunks: &mut dyn Chunks,
) -> Result<(), TestCaseError> {
    let empty = described(problem);
    let mut names = Names::in_file(&std::env::temp_dir(), problem.rows).unwrap();
    names
        .change(|first, names| {
            names.iter_mut().zip(&groups.of[first..]).for_each(|(name, &group)| *name = group);
            Ok(true)
        })
        .unwrap();
    let found = Summaries::gather(&empty, groups.count, chunks, &mut names, &Silent).unwrap();
    let entropy = tuple_entropy_in_passes(&empty, 1, chunks, &Silent).unwrap();
    prop_assert!((entropy - tuple_entropy(problem)).abs() < 1e-12);
    for how in [Represent::Nodes, Represent::Ranges] {
        let whole = groups.represent(problem, how);
        let columns: Vec<_> = problem
            .quasi
            .iter()
            .zip(&found.extents)
            .map(|(quasi, extents)| represent_extents(quasi, how, extents).unwrap())
            .collect();
        for (whole, column) in whole.iter().zip(&columns) {
            let codes: Vec<u32> = groups.of.iter().map(|&group| column.codes[group as usize]).collect();
            prop_assert_eq!(
                (&whole.codes, &whole.level, whole.unchanged),
                (&codes, &column.level, column.unchanged)
            );
        }
        // The classes of what is published, from all records and from the groups.
        let of_records = whole.iter().zip(&problem.quasi);
        let of_records = of_records.map(|(column, quasi)| Quasi { codes: &column.codes, ..*quasi }).collect();
        let of_groups = columns.iter().zip(&problem.quasi);
        let of_groups = of_groups.map(|(column, quasi)| Quasi { codes: &column.codes, ..*quasi }).collect();
        let records = Problem { quasi: of_records, sensitive: problem.sensitive.clone(), ..*problem };
        let shown = Problem { quasi: of_groups, sensitive: empty.sensitive.clone(), ..*problem };
        let levels: Vec<_> = columns.iter().map(|column| &column.level).collect();
        let expected = partition(&records, &levels);
        let classes = found.partition(&shown, &levels, 1, (chunks, &mut names), &Silent).unwrap();
        let class_of: Vec<u32> = groups.of.iter().map(|&group| classes.class_of[group as usize]).collect();
        let first: Vec<u32> = classes.first.iter().map(|&group| found.first[group as usize]).collect();
        prop_assert_eq!((&class_of, &first), (&expected.class_of, &expected.first));
        prop_assert_eq!(
            (&classes.rows, &classes.kept, &classes.majority, &classes.reached),
            (&expected.rows, &expected.kept, &expected.majority, &expected.reached)
        );
    }
    prop_assert!(represent_extents(&problem.quasi[0], Represent::Means, &found.extents[0]).is_none());
    Ok(())
}

#[test]
fn a_file_of_codes_gives_back_what_it_was_given() {
    let mut file = CodeFile::create(&std::env::temp_dir(), 2, 4).unwrap();
    let all: [Vec<u32>; 2] = [(0..11).collect(), (100..111).collect()];
    let read = |file: &mut CodeFile| {
        let (mut found, mut sizes) = ([Vec::new(), Vec::new()], Vec::new());
        file.pass(&mut |first, rows, columns| {
            assert_eq!(first, found[0].len());
            sizes.push(rows);
            found.iter_mut().zip(columns).for_each(|(found, column)| found.extend_from_slice(column));
            Ok(())
        })
        .unwrap();
        (found, sizes)
    };
    file.push(3, &[&all[0][..3], &all[1][..3]]).unwrap();
    assert_eq!(read(&mut file).1, [3]);
    file.push(8, &[&all[0][3..], &all[1][3..]]).unwrap();
    assert_eq!(file.rows(), 11);
    for _ in 0..2 {
        assert_eq!(read(&mut file), (all.clone(), vec![4, 4, 3]));
    }
    let mut names = Names::in_memory(3);
    let problem = Problem {
        rows: 3,
        quasi: Vec::new(),
        sensitive: Vec::new(),
        label: None,
        criteria: &[],
        metric: Metric::Loss,
        suppress_at_most: 0,
    };
    // A group that has no record, and a name that is no group.
    let wrong = Summaries::gather(&problem, 2, &mut InMemory::new(&problem, 2), &mut names, &Silent);
    assert!(matches!(wrong, Err(SearchError::Temporary { .. })));
    let wrong = Summaries::gather(&problem, 0, &mut InMemory::new(&problem, 2), &mut names, &Silent);
    assert!(matches!(wrong, Err(SearchError::Temporary { .. })));
    let few = limited(1).search_in_passes(
        &problem,
        &mut InMemory::new(&problem, 2),
        &mut Names::in_memory(2),
        &Silent,
    );
    assert!(matches!(few, Err(SearchError::Parameter { .. })));
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
    // On Unix it has no name from the beginning, so that nothing is left even of a process that was killed.
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), usize::from(!cfg!(unix)));
    let found = limited(1).search_out_of_core(&problem, &mut spilled, &Silent).unwrap();
    assert_eq!(found.groups.count, 0);
    drop(spilled);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    std::fs::remove_dir(&folder).unwrap();
    let missing = Spilled::write(&mut InMemory::new(&problem, 3), &folder);
    assert!(matches!(missing, Err(SearchError::Temporary { done: "created", .. })), "{missing:?}");
}
