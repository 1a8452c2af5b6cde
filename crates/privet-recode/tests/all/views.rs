//! Views of a table: the numbers of the survey's Table 1.6, each view by itself, and what views tell together against all
//! tables of whole numbers.

use crate::oracle;

use std::collections::BTreeMap;

use oracle::fixture::Fixture;
use oracle::json;
use privet_criteria::Requirement;
use privet_data::{Cancelled, Domain, Generalization, Hierarchy, Progress, Silent};
use privet_measure::Metric;
use privet_recode::bucket::{Bounds, Combined, JointColumn, Method, View, ViewKind, Views};
use privet_recode::lattice::{Codes, Problem, Quasi, SearchError};
use proptest::prelude::*;

fn view(quasi: &[usize], sensitive: &[usize]) -> View {
    View { quasi: quasi.to_vec(), sensitive: sensitive.to_vec(), kind: ViewKind::Counts }
}

/// survey FX-1.1: gender and nationality, and condition as the sensitive column.
fn table_1_1(requirements: &[Requirement]) -> Fixture {
    let gender = ["F", "M", "F", "M", "M", "M", "M", "F", "M", "F", "M", "M"];
    let nation = [
        "Russian", "Chinese", "Japanese", "American", "Indian", "Japanese", "Chinese", "Korean", "American",
        "American", "American", "American",
    ];
    let ill = ["HD", "HD", "VI", "VI", "Ca", "Flu", "HD", "Flu", "Ca", "Ca", "Ca", "Ca"];
    let nations = ["American", "Chinese", "Indian", "Japanese", "Korean", "Russian"];
    let lines = |values: &[&'static str]| values.iter().map(|&value| vec![value, "*"]).collect();
    Fixture::new(
        &[(gender.to_vec(), lines(&["F", "M"])), (nation.to_vec(), lines(&nations))],
        &ill,
        requirements,
    )
}

// Codes are in the order of the texts.
const F: u32 = 0;
const M: u32 = 1;
const AMERICAN: u32 = 0;
const CHINESE: u32 = 1;
const INDIAN: u32 = 2;
const JAPANESE: u32 = 3;
const KOREAN: u32 = 4;
const RUSSIAN: u32 = 5;
const CA: u32 = 0;
const FLU: u32 = 1;
const HD: u32 = 2;
const VI: u32 = 3;

/// survey FX-1.6: the counts, all bounds and the estimates of maximum entropy.
#[test]
fn table_1_6() {
    let fixture = table_1_1(&[]);
    let problem = fixture.problem(Metric::Loss, 0);
    let views = Views::new(&problem, &[0, 0], &[view(&[0, 1], &[]), view(&[0], &[0])]).unwrap();
    let tables = views.tables();
    let counts = |cells: &[([u32; 2], u64)]| {
        let mut cells: Vec<(Vec<u32>, u64)> = cells.iter().map(|(cell, n)| (cell.to_vec(), *n)).collect();
        cells.sort();
        cells
    };
    let nationality = [
        ([F, RUSSIAN], 1),
        ([F, JAPANESE], 1),
        ([F, KOREAN], 1),
        ([F, AMERICAN], 1),
        ([M, CHINESE], 2),
        ([M, AMERICAN], 4),
        ([M, INDIAN], 1),
        ([M, JAPANESE], 1),
    ];
    assert_eq!(tables[0].cells, counts(&nationality));
    let condition = [
        ([F, HD], 1),
        ([F, VI], 1),
        ([F, FLU], 1),
        ([F, CA], 1),
        ([M, HD], 2),
        ([M, VI], 1),
        ([M, FLU], 1),
        ([M, CA], 4),
    ];
    assert_eq!(tables[1].cells, counts(&condition));

    let told = views.combined(2, &Silent).unwrap();
    assert_eq!(told.columns, [JointColumn::Quasi(0), JointColumn::Quasi(1), JointColumn::Sensitive(0)]);
    assert_eq!(told.methods, (Method::Closed, Method::Closed));
    assert_eq!(told.cells.len(), 32);
    for (cell, bounds) in told.cells.iter().zip(&told.bounds) {
        let high = match cell[..] {
            [M, AMERICAN, CA] => 4,
            [M, AMERICAN, HD] | [M, CHINESE, HD] | [M, CHINESE, CA] => 2,
            _ => 1,
        };
        assert_eq!(*bounds, Bounds { low: 0, high }, "{cell:?}");
    }
    let estimate = |cell: [u32; 3]| told.fitted[told.cell(&cell).unwrap()];
    let is =
        |value: f64, expected: f64| assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    is(estimate([M, AMERICAN, CA]), 2.0);
    is(estimate([M, CHINESE, CA]), 1.0);
    is(estimate([M, INDIAN, CA]), 0.5);
    for (cell, &value) in told.cells.iter().zip(&told.fitted) {
        if cell[0] == F {
            is(value, 0.25);
        }
        // n(g, nat) n(g, cond) / n(g)
        let of = |counts: &[([u32; 2], u64)], key| counts.iter().find(|(c, _)| *c == key).unwrap().1 as f64;
        let n = if cell[0] == F { 4.0 } else { 8.0 };
        is(value, of(&nationality, [cell[0], cell[1]]) * of(&condition, [cell[0], cell[2]]) / n);
    }
    // Four of the eight men have cancer, and nothing else is known of them.
    let inference = &told.inferences[0];
    is(inference.largest.unwrap().0, 0.5);
    assert_eq!(inference.largest.unwrap().2, CA);
    assert!(inference.determined.is_empty());
    // The groups are those of the first view: six of eight have one record.
    assert_eq!(told.group_bounds.iter().filter(|b| **b == Bounds { low: 1, high: 1 }).count(), 6);
    assert_eq!(told.small.len(), 6);
    assert_eq!(told.refuse_unsafe(), Err(SearchError::ViewsTell { k: 2, small: 6, determined: 0 }));
    assert!(views.combined(1, &Silent).unwrap().refuse_unsafe().is_ok());
}

/// Each view is judged by what it holds: counts of the first, conditions per gender of the second.
#[test]
fn views_by_themselves() {
    let requirements =
        [json("k-anonymity", "2"), json("l-diversity", r#"{"kind": "distinct", "l": 4, "column": "s"}"#)];
    let fixture = table_1_1(&requirements);
    let problem = fixture.problem(Metric::Loss, 0);
    let views =
        Views::new(&problem, &[0, 0], &[view(&[0, 1], &[]), view(&[0], &[0]), view(&[0, 1], &[0])]).unwrap();
    let checks = views.check_each();
    assert_eq!((checks[0].classes, checks[0].smallest, checks[0].failing), (8, 1, (6, 6)));
    assert_eq!(checks[0].reached, [Some(1.0), None]);
    assert_eq!(checks[0].fails.len(), 1);
    assert!(checks[1].holds());
    assert_eq!((checks[1].classes, checks[1].smallest), (2, 4));
    assert_eq!(checks[1].reached, [Some(4.0), Some(4.0)]);
    assert!(!checks[2].holds());
    assert_eq!(checks[2].failing.1, 12);
    // At the top of both hierarchies there is one class.
    let coarse = Views::new(&problem, &[1, 1], &[view(&[0, 1], &[0])]).unwrap().check_each();
    assert_eq!((coarse[0].classes, coarse[0].holds()), (1, true));
}

/// A table of codes below 3 with flat hierarchies.
struct Small {
    columns: Vec<Vec<u32>>,
    counts: Vec<Vec<u64>>,
    flat: Generalization,
}

impl Small {
    fn new(rows: &[Vec<u32>]) -> Self {
        let (domain, _) = Domain::canonical((0..3).map(|v| format!("{v}").into()).collect(), |_| false);
        let width = rows.first().map_or(4, Vec::len);
        let columns: Vec<Vec<u32>> = (0..width).map(|c| rows.iter().map(|row| row[c]).collect()).collect();
        let count = |codes: &Vec<u32>| {
            (0..3).map(|v| codes.iter().filter(|&&code| code == v).count() as u64).collect::<Vec<u64>>()
        };
        let counts = columns.iter().map(count).collect();
        Self { columns, counts, flat: Hierarchy::flat(&domain).bind(&domain).unwrap() }
    }

    /// The first columns are quasi columns, the others are sensitive.
    fn problem(&self, quasi: usize) -> Problem<'_> {
        Problem {
            rows: self.columns[0].len(),
            quasi: (0..quasi)
                .map(|c| Quasi {
                    codes: &self.columns[c],
                    counts: &self.counts[c],
                    generalization: &self.flat,
                    numbers: None,
                    weight: 1.0,
                    population: None,
                })
                .collect(),
            sensitive: self.columns[quasi..].iter().map(|codes| Codes { codes, values: 3 }).collect(),
            label: None,
            criteria: &[],
            metric: Metric::Loss,
            suppress_at_most: 0,
        }
    }

    /// What views, as sets of columns, tell together.
    fn told(&self, quasi: usize, views: &[&[usize]], k: u64) -> Combined {
        let problem = self.problem(quasi);
        let views: Vec<View> = views
            .iter()
            .map(|columns| {
                let (q, s): (Vec<usize>, Vec<usize>) = columns.iter().copied().partition(|&c| c < quasi);
                view(&q, &s.iter().map(|c| c - quasi).collect::<Vec<_>>())
            })
            .collect();
        Views::new(&problem, &vec![0; quasi], &views).unwrap().combined(k, &Silent).unwrap()
    }
}

type Counts = BTreeMap<Vec<u32>, u64>;

fn project(rows: &Counts, columns: &[usize]) -> Counts {
    let mut counts = Counts::new();
    for (row, n) in rows {
        *counts.entry(columns.iter().map(|&c| row[c]).collect()).or_default() += n;
    }
    counts
}

/// All tables over the combinations of all values that occur whose views are those of a table.
fn all_tables(rows: &[Vec<u32>], views: &[&[usize]]) -> Vec<Counts> {
    let truth: Counts = rows.iter().fold(Counts::new(), |mut counts, row| {
        *counts.entry(row.clone()).or_default() += 1;
        counts
    });
    let mut cells: Vec<Vec<u32>> = vec![Vec::new()];
    for column in 0..rows[0].len() {
        cells = cells
            .iter()
            .flat_map(|cell| (0..3).map(move |value| [&cell[..], &[value]].concat()))
            .filter(|cell| rows.iter().any(|row| row[column] == cell[column]))
            .collect();
    }
    let mut room: Vec<Counts> = views.iter().map(|view| project(&truth, view)).collect();
    let mut found = Vec::new();
    fn go(
        cells: &[Vec<u32>],
        views: &[&[usize]],
        room: &mut Vec<Counts>,
        table: &mut Counts,
        found: &mut Vec<Counts>,
    ) {
        let Some((cell, others)) = cells.split_first() else {
            if room.iter().all(|counts| counts.values().all(|&left| left == 0)) {
                found.push(table.clone());
            }
            return;
        };
        let key = |view: &[usize]| view.iter().map(|&c| cell[c]).collect::<Vec<u32>>();
        let most = views
            .iter()
            .zip(&*room)
            .map(|(view, counts)| counts.get(&key(view)).copied().unwrap_or(0))
            .min()
            .unwrap();
        for n in 0..=most {
            for (view, counts) in views.iter().zip(room.iter_mut()) {
                if n > 0 {
                    *counts.get_mut(&key(view)).unwrap() -= n;
                }
            }
            if n > 0 {
                table.insert(cell.clone(), n);
            }
            go(others, views, room, table, found);
            table.remove(cell);
            for (view, counts) in views.iter().zip(room.iter_mut()) {
                if n > 0 {
                    *counts.get_mut(&key(view)).unwrap() += n;
                }
            }
        }
    }
    go(&cells, views, &mut room, &mut Counts::new(), &mut found);
    assert!(found.contains(&truth));
    found
}

/// Sets of views over four columns, of which the last or the last two are sensitive; and whether there is a closed form.
const SETS: [(&[&[usize]], usize, bool, bool); 11] = [
    (&[&[0, 1], &[1, 2], &[2, 3]], 3, true, true),
    (&[&[0, 3], &[1, 3], &[2, 3]], 3, true, true),
    (&[&[0, 1, 3], &[1, 2]], 3, true, true),
    (&[&[0], &[1], &[2], &[3]], 3, true, true),
    (&[&[0, 1, 2, 3], &[0, 1]], 3, true, true),
    (&[&[0, 1], &[1, 2, 3]], 4, true, true),
    // The sensitive column is in two of three views.
    (&[&[0, 3], &[1, 3], &[1, 2]], 3, true, false),
    // Two sensitive columns.
    (&[&[0, 2], &[0, 3], &[1]], 2, true, false),
    // A triangle, and a cycle.
    (&[&[0, 1], &[1, 2], &[0, 2], &[3]], 4, false, false),
    (&[&[0, 1], &[1, 3], &[0, 3], &[2]], 3, false, false),
    (&[&[0, 1], &[1, 2], &[2, 3], &[0, 3]], 3, false, false),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Bounds contain, and in closed form are, the least and the most over all tables that agree with the views.
    #[test]
    fn bounds_against_all_tables(
        rows in prop::collection::vec(prop::collection::vec(prop_oneof![0u32..2, 0u32..2, 0u32..3], 4), 1..6),
        set in 0usize..SETS.len(),
    ) {
        let (views, quasi, cells_closed, groups_closed) = SETS[set];
        let told = Small::new(&rows).told(quasi, views, 3);
        let method = |closed| if closed { Method::Closed } else { Method::LinearProgram };
        prop_assert_eq!(told.methods, (method(cells_closed), method(groups_closed)));
        let tables = all_tables(&rows, views);
        let range = |counts: &dyn Fn(&Counts) -> u64| {
            let all: Vec<u64> = tables.iter().map(counts).collect();
            Bounds { low: *all.iter().min().unwrap(), high: *all.iter().max().unwrap() }
        };
        let fits = |told: Bounds, truth: Bounds, closed: bool| {
            if closed { told == truth } else { told.low <= truth.low && told.high >= truth.high }
        };
        for (cell, &bounds) in told.cells.iter().zip(&told.bounds) {
            let truth = range(&|table| table.get(cell).copied().unwrap_or(0));
            prop_assert!(fits(bounds, truth, cells_closed), "{:?} {:?} {:?}", cell, bounds, truth);
        }
        // Cells that are not listed are impossible.
        prop_assert!(tables.iter().flat_map(BTreeMap::keys).all(|cell| told.cell(cell).is_some()));
        let quasi_columns: Vec<usize> = (0..quasi).collect();
        let mut groups: Vec<Vec<u32>> = told.cells.iter().map(|cell| cell[..quasi].to_vec()).collect();
        groups.dedup();
        prop_assert_eq!(groups.len(), told.group_bounds.len());
        for (group, &bounds) in groups.iter().zip(&told.group_bounds) {
            let truth = range(&|table| project(table, &quasi_columns).get(group).copied().unwrap_or(0));
            prop_assert!(fits(bounds, truth, groups_closed), "{:?} {:?} {:?}", group, bounds, truth);
            // These tables are so small that rounding the linear programs inwards is sharp for groups that matter.
            if truth.low > 0 && truth.high < 3 && groups_closed {
                prop_assert!(told.small.iter().any(|&g| &groups[g as usize] == group));
            }
        }
        for inference in &told.inferences {
            let column = quasi + inference.column;
            for (number, group) in groups.iter().enumerate() {
                let mut values: Vec<u32> = tables
                    .iter()
                    .flat_map(BTreeMap::keys)
                    .filter(|cell| &cell[..quasi] == group)
                    .map(|cell| cell[column])
                    .collect();
                values.sort_unstable();
                values.dedup();
                let told = inference.determined.iter().find(|(g, _)| *g as usize == number);
                if cells_closed {
                    prop_assert_eq!(told.map(|&(_, code)| code), if values.len() == 1 { Some(values[0]) } else { None });
                } else if let Some(&(_, code)) = told {
                    prop_assert!(values.iter().all(|&value| value == code));
                }
            }
        }
        // The estimate agrees with all views.
        prop_assert!(told.fitted_off < 1e-6, "{}", told.fitted_off);
        let truth = rows.iter().fold(Counts::new(), |mut counts, row| {
            *counts.entry(row.clone()).or_default() += 1;
            counts
        });
        for view in views {
            for (key, count) in project(&truth, view) {
                let matches = |cell: &Vec<u32>| view.iter().zip(&key).all(|(&c, &value)| cell[c] == value);
                let sum: f64 = told.cells.iter().zip(&told.fitted).filter(|(cell, _)| matches(cell)).map(|(_, n)| n).sum();
                prop_assert!((sum - count as f64).abs() < 1e-5, "{} {}", sum, count);
            }
        }
    }
}

/// survey PM-01, AT-06: views with counts of at least 3 that together prove a group of one record.
#[test]
fn large_counts_can_prove_a_small_group() {
    // Pairs of three columns, in which 0 0 0 is there once: 2 2 2 2 elsewhere so that no pair is rare.
    let mut rows = vec![vec![0, 0, 0]];
    for cell in [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]] {
        rows.extend(std::iter::repeat_n(cell.to_vec(), 3));
    }
    let small = Small::new(&rows);
    let told = small.told(3, &[&[0, 1], &[1, 2], &[0, 2]], 3);
    assert_eq!(told.methods.0, Method::LinearProgram);
    // With x records in 0 0 0 all other cells follow: 4 - x, x - 1, … so x is 1 to 4.
    let zero = told.cell(&[0, 0, 0]).unwrap();
    assert_eq!(told.bounds[zero], Bounds { low: 1, high: 4 });
    assert_eq!(told.bounds[told.cell(&[0, 1, 1]).unwrap()], Bounds { low: 0, high: 3 });
    // Without 1 1 1 there is no room: everything is determined, and 0 0 0 is proven to be one record.
    let rows: Vec<Vec<u32>> = rows.into_iter().filter(|row| row != &[1, 1, 1]).collect();
    let told = Small::new(&rows).told(3, &[&[0, 1], &[1, 2], &[0, 2]], 3);
    assert_eq!(told.bounds[told.cell(&[0, 0, 0]).unwrap()], Bounds { low: 1, high: 1 });
    assert_eq!(told.small.len(), 1);
    let refused = told.refuse_unsafe().unwrap_err();
    assert_eq!(refused, SearchError::ViewsTell { k: 3, small: 1, determined: 0 });
    assert!(refused.to_string().contains("fewer than 3"), "{refused}");
}

/// Two views, each diverse, that leave one sensitive value for a combination of quasi values.
#[test]
fn two_views_can_tell_a_value() {
    // a0: s0 s1; b0: s1 s2; so a0 b0 is s1.
    let rows: Vec<Vec<u32>> = [[0, 0, 1], [0, 1, 0], [1, 0, 2], [0, 1, 1], [1, 1, 0], [1, 0, 1]]
        .iter()
        .map(|row| row.to_vec())
        .collect();
    let told = Small::new(&rows).told(2, &[&[0, 2], &[1, 2]], 1);
    assert_eq!(told.inferences[0].determined, [(0, 1)]);
    assert_eq!(told.inferences[0].largest, Some((1.0, 0, 1)));
    assert_eq!(told.refuse_unsafe(), Err(SearchError::ViewsTell { k: 1, small: 0, determined: 1 }));
}

#[test]
fn edges_and_bad_parameters() {
    let rows: Vec<Vec<u32>> = vec![vec![0, 1, 2, 0], vec![1, 1, 0, 0]];
    let small = Small::new(&rows);
    let problem = small.problem(3);
    let new = |levels: &[usize], views: &[View]| Views::new(&problem, levels, views).map(|_| ());
    for (levels, views) in [
        (&[0, 0, 0][..], &[][..]),
        (&[0, 0, 0], &[view(&[], &[])]),
        (&[0, 0, 0], &[view(&[1, 1], &[])]),
        (&[0, 0, 0], &[view(&[3], &[])]),
        (&[0, 0, 0], &[view(&[0], &[1])]),
        (&[0, 0, 0], &[view(&[0], &[0, 0])]),
        (&[0, 0], &[view(&[0], &[])]),
        (&[0, 0, 9], &[view(&[0], &[])]),
    ] {
        let refused = new(levels, views).unwrap_err();
        assert!(matches!(refused, SearchError::Parameter { .. }), "{refused:?}");
    }
    let views = Views::new(&problem, &[0, 0, 0], &[view(&[2, 0], &[0])]).unwrap();
    assert!(matches!(views.combined(0, &Silent), Err(SearchError::Parameter { key: "views.k", .. })));
    // One view: what it shows is what is known. Columns come in their order.
    let told = views.combined(2, &Silent).unwrap();
    assert_eq!(told.cells, [[0, 2, 0], [1, 0, 0]]);
    assert_eq!(told.bounds, [Bounds { low: 1, high: 1 }; 2]);
    assert_eq!(told.small, [0, 1]);
    // Views of sensitive columns alone: everybody is one group.
    let told = small.told(0, &[&[0], &[3]], 1);
    assert_eq!(told.group_bounds, [Bounds { low: 2, high: 2 }]);
    // No records.
    let none = Small::new(&[]);
    let told = none.told(3, &[&[0, 1], &[1, 3]], 2);
    assert!(told.cells.is_empty() && told.group_bounds.is_empty());
    assert!(told.refuse_unsafe().is_ok());
    // Without overlap there can be too many joint cells to list, and too many for linear programs.
    let many: Vec<u32> = (0..1100).collect();
    let codes = Codes { codes: &many, values: 1100 };
    let wide = |sensitive: Vec<Codes<'static>>| Problem { sensitive, ..small.problem(0) };
    let codes = Codes { codes: codes.codes.to_vec().leak(), ..codes };
    let problem = Problem { rows: 1100, ..wide(vec![codes; 2]) };
    let views = Views::new(&problem, &[], &[view(&[], &[0]), view(&[], &[1])]).unwrap();
    assert!(matches!(views.combined(2, &Silent), Err(SearchError::TooManyCells { .. })));
    assert_eq!(serde_json::from_str::<ViewKind>(r#""microdata""#).unwrap(), ViewKind::Microdata);
}

#[test]
fn stops_on_request() {
    struct Stop;
    impl Progress for Stop {
        fn stage(&self, _: &str, _: Option<u64>) {}
        fn at(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let small = Small::new(&[vec![0, 1, 2, 0]]);
    let problem = small.problem(3);
    let views = Views::new(&problem, &[0, 0, 0], &[view(&[0], &[])]).unwrap();
    assert_eq!(views.combined(1, &Stop), Err(SearchError::Cancelled(Cancelled)));
}

/// With criteria of their own, views are judged by those alone, wherever else they would be broken.
#[test]
fn views_with_criteria_of_their_own() {
    let requirements = [
        json("k-anonymity", "2"),
        json("k-anonymity", "4"),
        json("l-diversity", r#"{"kind": "distinct", "l": 4}"#),
    ];
    let fixture = table_1_1(&requirements);
    let problem = fixture.problem(Metric::Loss, 0);
    let wanted = [view(&[0, 1], &[]), view(&[0], &[0])];
    let check = |promised: &[Vec<usize>]| {
        Views::new(&problem, &[0, 0], &wanted).unwrap().promising(promised).check_each()
    };
    // The first view has classes of one record, the second of four, which hold four values each.
    let [first, second] = &check(&[vec![0], vec![1, 2]])[..] else { panic!() };
    assert!(!first.holds() && second.holds());
    assert_eq!((first.smallest, &first.reached), (1, &vec![Some(1.0), None, None]));
    assert_eq!((second.smallest, &second.reached), (4, &vec![None, Some(4.0), Some(4.0)]));
    assert_eq!(first.fails.len(), 1);
    // Nothing promised, nothing broken; a view that is not told of promises nothing.
    assert!(check(&[Vec::new(), vec![1]]).iter().all(|check| check.holds()));
    assert!(check(&[]).iter().all(|check| check.holds()));
    // Without a word each view keeps what it can break.
    let all = Views::new(&problem, &[0, 0], &wanted).unwrap().check_each();
    assert_eq!(all[0].reached, [Some(1.0), Some(1.0), None]);
    assert_eq!(all[1].reached, [Some(4.0), Some(4.0), Some(4.0)]);
}
