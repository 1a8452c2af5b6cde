//! Mondrian: the examples of the sources, the bounds on group sizes, minimality against brute force.

use crate::oracle;

use oracle::fixture::Fixture;
use oracle::json;
use privet_criteria::Criterion;
use privet_data::{Generalization, GeneralizedLevel, Silent};
use privet_measure::Metric;
use privet_recode::groups::{Groups, Represent};
use privet_recode::lattice::{Problem, Quasi, SearchError};
use privet_recode::partition::{
    Choose, Found, Mode, Mondrian, Query, Region, Wanted, Workload, class_entropy, imprecision, range_loss,
    variance,
};
use proptest::prelude::*;

/// A table of numbers; the values of a column are its codes unless numbers are given.
struct Numbers {
    columns: Vec<Vec<u32>>,
    numbers: Vec<Vec<f64>>,
    generalizations: Vec<Generalization>,
    criteria: Vec<Box<dyn Criterion>>,
    rows: usize,
}

/// Codes 0 to n - 1, then `*`.
fn flat(n: usize) -> Generalization {
    let leaf = GeneralizedLevel {
        node_of_code: (0..n as u32).collect(),
        labels: (0..n).map(|i| i.to_string().into()).collect(),
        leaves: vec![1; n],
    };
    let top = GeneralizedLevel {
        node_of_code: vec![0; n],
        labels: vec!["*".into()].into(),
        leaves: vec![n as u32],
    };
    Generalization { leaves: n as u32, levels: vec![leaf, top] }
}

fn k_anonymity(k: u64) -> Vec<Box<dyn Criterion>> {
    // As many rows as it takes, so that tables of fewer can be tried.
    privet_criteria::build(&[json("k-anonymity", &k.to_string())], &[], None, u64::MAX).unwrap()
}

impl Numbers {
    fn new(columns: Vec<Vec<u32>>, k: u64) -> Self {
        let numbers = columns.iter().map(|column| {
            let most = column.iter().max().map_or(0, |&most| most + 1);
            (0..most).map(f64::from).collect()
        });
        Self::with_numbers(columns.clone(), numbers.collect(), k)
    }

    fn with_numbers(columns: Vec<Vec<u32>>, numbers: Vec<Vec<f64>>, k: u64) -> Self {
        let rows = columns.first().map_or(0, Vec::len);
        let generalizations = numbers.iter().map(|numbers| flat(numbers.len())).collect();
        Self { columns, numbers, generalizations, criteria: k_anonymity(k), rows }
    }

    fn problem(&self) -> Problem<'_> {
        let quasi = |i: usize| Quasi {
            codes: &self.columns[i],
            counts: &[],
            generalization: &self.generalizations[i],
            numbers: Some(&self.numbers[i]),
            weight: 1.0,
            population: None,
        };
        Problem {
            rows: self.rows,
            quasi: (0..self.columns.len()).map(quasi).collect(),
            sensitive: Vec::new(),
            label: None,
            criteria: &self.criteria,
            metric: Metric::Loss,
            suppress_at_most: 0,
        }
    }

    fn search(&self, options: &Mondrian) -> Found {
        search(&self.problem(), options)
    }
}

fn search(problem: &Problem<'_>, options: &Mondrian) -> Found {
    options.search(problem, &Workload::default(), &Silent).unwrap()
}

fn relaxed() -> Mondrian {
    Mondrian { mode: Mode::Relaxed, ..Mondrian::default() }
}

/// The records of each group.
fn members(groups: &Groups) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.count];
    groups.of.iter().enumerate().for_each(|(record, &group)| members[group as usize].push(record));
    members
}

fn sizes(groups: &Groups) -> Vec<usize> {
    members(groups).iter().map(Vec::len).collect()
}

const NATIONS: [&str; 12] = [
    "Russian", "Russian", "Russian", "German", "German", "French", "French", "Japanese", "Japanese",
    "Japanese", "Chinese", "Korean",
];
const AGES: [f64; 12] = [20.0, 21.0, 24.0, 21.0, 23.0, 25.0, 25.0, 20.0, 24.0, 25.0, 22.0, 21.0];

/// survey FX-4.2 with the hierarchy of FX-4.F1.
fn nationalities(requirements: &[privet_criteria::Requirement]) -> Fixture {
    let ages: Vec<String> = AGES.iter().map(f64::to_string).collect();
    let ill = [
        "HIV",
        "Flu",
        "Flu",
        "Cancer",
        "Hepatitis",
        "Cancer",
        "HIV",
        "Bronchitis",
        "Hepatitis",
        "Flu",
        "Hepatitis",
        "Flu",
    ];
    let european = ["French", "German", "Russian"].map(|nation| vec![nation, "European", "Any"]);
    let asian = ["Japanese", "Chinese", "Korean", "Indian"].map(|nation| vec![nation, "Asian", "Any"]);
    let american = vec!["American", "American", "Any"];
    let nations = european.into_iter().chain(asian).chain([american]).collect();
    let age_lines = ["20", "21", "22", "23", "24", "25"].map(|age| vec![age, "Any"]).to_vec();
    Fixture::new(
        &[(NATIONS.to_vec(), nations), (ages.iter().map(String::as_str).collect(), age_lines)],
        &ill,
        requirements,
    )
}

const AGE_NUMBERS: [f64; 6] = [20.0, 21.0, 22.0, 23.0, 24.0, 25.0];

/// The problem of FX-4.2; the column that weighs more is tried first.
fn weighed(fixture: &Fixture, nation: f64, age: f64) -> Problem<'_> {
    let mut problem = fixture.problem(Metric::Loss, 0);
    problem.quasi[1].numbers = Some(&AGE_NUMBERS);
    problem.quasi[0].weight = nation;
    problem.quasi[1].weight = age;
    problem
}

/// What the groups show, with their sizes, sorted.
fn shown(problem: &Problem<'_>, groups: &Groups) -> Vec<(String, usize)> {
    let columns = groups.represent(problem, Represent::Ranges);
    let label = |column: usize, record: usize| {
        let column = &columns[column];
        column.level.labels[column.codes[record] as usize].to_string()
    };
    let mut all: Vec<(String, usize)> = members(groups)
        .iter()
        .map(|records| (format!("{} {}", label(0, records[0]), label(1, records[0])), records.len()))
        .collect();
    all.sort();
    all
}

#[test]
fn survey_me09_nationality_first() {
    let fixture = nationalities(&[json("k-anonymity", "2")]);
    let problem = weighed(&fixture, 1000.0, 1.0);
    for one_sided in [true, false] {
        let found = search(&problem, &Mondrian { one_sided, ..Mondrian::default() });
        let expected = [
            ("Asian [20 to 22]", 3),
            ("French 25", 2),
            ("German [21 to 23]", 2),
            // The golden prints the node that was cut, Asian; both are Japanese, and that is what is shown.
            ("Japanese [24 to 25]", 2),
            ("Russian [20 to 24]", 3),
        ];
        assert_eq!(shown(&problem, &found.groups), expected.map(|(text, size)| (text.to_owned(), size)));
        assert_eq!(found.made, 3);
    }
}

#[test]
fn survey_me09_age_first() {
    let fixture = nationalities(&[json("k-anonymity", "2")]);
    let problem = weighed(&fixture, 1.0, 1000.0);
    let found = search(&problem, &Mondrian { one_sided: true, ..Mondrian::default() });
    let expected =
        [("Any 25", 3), ("Any [23 to 24]", 3), ("Asian [20 to 22]", 3), ("European [20 to 21]", 3)];
    assert_eq!(shown(&problem, &found.groups), expected.map(|(text, size)| (text.to_owned(), size)));
    // The other side of the median (21 of the six youngest) allows a cut that the printed example does not make.
    let both = search(&problem, &Mondrian::default());
    assert!(shown(&problem, &both.groups).contains(&("Any 20".to_owned(), 2)));
}

/// survey FX-4.3 and FX-4.4, which is no result of median cuts, on the measures of UM-16 and UM-18.
#[test]
fn survey_um16_um18_goldens() {
    let fixture = nationalities(&[json("k-anonymity", "2")]);
    let problem = weighed(&fixture, 1.0, 1.0);
    let group = |bounds: [f64; 2], asian_bound: f64| {
        let name = |record: usize| {
            let (asian, age) = (record >= 7, AGES[record]);
            match asian {
                true => 10 + u32::from(age > asian_bound),
                false => bounds.iter().filter(|&&bound| age > bound).count() as u32,
            }
        };
        Groups::numbered(&(0..12).map(name).collect::<Vec<u32>>())
    };
    let (single, multi) = (group([22.0, 99.0], 22.0), group([22.0, 24.0], 22.0));
    assert_eq!(sizes(&multi), [3, 2, 2, 3, 2]);
    let label = problem.label.unwrap();
    assert!((class_entropy(&single, &label) - 1.625815).abs() < 1e-6);
    assert!((class_entropy(&multi, &label) - 1.292481).abs() < 1e-6);
    // European, 23 to 24. Codes of nations are in the order of their texts.
    let european = NATIONS
        .iter()
        .zip(problem.quasi[0].codes)
        .filter(|(nation, _)| ["French", "German", "Russian"].contains(*nation));
    let query = Query {
        wanted: vec![Wanted::Among(european.map(|(_, &code)| code).collect()), Wanted::Between(3, 4)],
    };
    assert_eq!(imprecision(&problem, &single, std::slice::from_ref(&query)), 2);
    assert_eq!(imprecision(&problem, &multi, &[query]), 0);
}

#[test]
fn papers_t_al6_table_20_1() {
    let ages = [24, 37, 26, 38, 36, 25];
    let zips = [10598, 90210, 10547, 90345, 89119, 2139];
    let code = |values: &[u32]| {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let codes =
            values.iter().map(|v| sorted.iter().position(|s| s == v).unwrap() as u32).collect::<Vec<_>>();
        (codes, sorted.into_iter().map(f64::from).collect::<Vec<_>>())
    };
    let ((age, age_numbers), (zip, zip_numbers)) = (code(&ages), code(&zips));
    for k in [2, 3] {
        let table = Numbers::with_numbers(
            vec![age.clone(), zip.clone()],
            vec![age_numbers.clone(), zip_numbers.clone()],
            k,
        );
        for options in [Mondrian::default(), relaxed()] {
            let found = table.search(&options);
            assert_eq!(members(&found.groups), [vec![0, 2, 5], vec![1, 3, 4]], "k = {k}");
        }
    }
}

#[test]
fn papers_t_al6_the_trap_of_one_sided_cuts() {
    let table = Numbers::new(vec![vec![0, 1, 2, 5, 5, 5, 5]], 2);
    assert_eq!(sizes(&table.search(&Mondrian { one_sided: true, ..Mondrian::default() }).groups), [7]);
    assert_eq!(sizes(&table.search(&Mondrian::default()).groups), [3, 4]);
}

#[test]
fn regions_of_two_columns_are_rectangles_that_tile_the_plane() {
    let columns = vec![(0..40).map(|i| i * 7 % 20).collect(), (0..40).map(|i| i * 11 % 17).collect()];
    let table = Numbers::new(columns, 3);
    let found = table.search(&Mondrian::default());
    let regions = found.regions(&table.problem());
    let inside = |region: &[Region], point: [u32; 2]| {
        region.iter().zip(point).all(|(region, at)| match region {
            Region::Codes { first, last } => (*first..=*last).contains(&at),
            _ => false,
        })
    };
    for x in 0..20 {
        for y in 0..17 {
            assert_eq!(regions.iter().filter(|region| inside(region, [x, y])).count(), 1, "{x}, {y}");
        }
    }
    for (record, &group) in found.groups.of.iter().enumerate() {
        assert!(inside(&regions[group as usize], [table.columns[0][record], table.columns[1][record]]));
    }
}

#[test]
fn regions_of_a_hierarchy_are_its_nodes() {
    let fixture = nationalities(&[json("k-anonymity", "2")]);
    let problem = weighed(&fixture, 1000.0, 1.0);
    let found = search(&problem, &Mondrian::default());
    let regions = found.regions(&problem);
    let label = |region: &Region| match region {
        Region::Node { level, node } => {
            problem.quasi[0].generalization.levels[*level].labels[*node as usize].to_string()
        }
        other => format!("{other:?}"),
    };
    let labels: Vec<String> = regions.iter().map(|region| label(&region[0])).collect();
    assert_eq!(labels, ["Russian", "German", "French", "Asian", "Asian"]);
    assert_eq!(regions[3][1], Region::Codes { first: 0, last: 2 });
    assert_eq!(regions[4][1], Region::Codes { first: 3, last: 5 });
}

#[test]
fn a_virtual_root_is_above_several_tops() {
    // Two tops and no label for all: the root above them is cut first.
    let level = |nodes: Vec<u32>, n: usize| GeneralizedLevel {
        leaves: (0..n as u32)
            .map(|node| nodes.iter().filter(|&&other| other == node).count() as u32)
            .collect(),
        node_of_code: nodes,
        labels: (0..n).map(|i| format!("n{i}").into()).collect(),
    };
    let generalization =
        Generalization { leaves: 4, levels: vec![level(vec![0, 1, 2, 3], 4), level(vec![0, 0, 1, 1], 2)] };
    let codes = [0, 1, 0, 2, 3, 2];
    let table = Numbers::new(vec![vec![0; 6]], 3);
    let mut problem = table.problem();
    problem.quasi[0] =
        Quasi { codes: &codes, generalization: &generalization, numbers: None, ..problem.quasi[0] };
    let found = search(&problem, &Mondrian::default());
    assert_eq!(found.groups.of, [0, 0, 0, 1, 1, 1]);
    assert_eq!(found.regions(&problem)[1], [Region::Node { level: 1, node: 1 }]);
    let all = k_anonymity(4);
    problem.criteria = &all;
    let whole = search(&problem, &Mondrian::default());
    assert_eq!(whole.regions(&problem), [[Region::Anything]]);
}

#[test]
fn missing_values_are_parted_from_numbers_where_that_is_allowed() {
    let missing = f64::NAN;
    let numbers = vec![vec![missing, missing, 1.0, 2.0, 3.0]];
    let apart = Numbers::with_numbers(vec![vec![0, 1, 2, 3, 4, 4]], numbers.clone(), 2);
    assert_eq!(apart.search(&Mondrian::default()).groups.of, [0, 0, 1, 1, 2, 2]);
    // One missing value cannot stand alone: it counts as the lowest number.
    let single = Numbers::with_numbers(vec![vec![1, 2, 3, 4, 4]], numbers.clone(), 2);
    assert_eq!(single.search(&Mondrian::default()).groups.of, [0, 0, 0, 1, 1]);
    let all = Numbers::with_numbers(vec![vec![0, 1, 0, 1]], numbers, 2);
    assert_eq!(
        sizes(&all.search(&Mondrian::default()).groups),
        [4],
        "markers of a missing value are one value"
    );
    assert_eq!(sizes(&all.search(&relaxed()).groups), [2, 2]);
}

#[test]
fn odd_tables() {
    let both = [Mondrian::default(), relaxed()];
    for options in &both {
        assert_eq!(Numbers::new(vec![vec![]], 2).search(options).groups.count, 0, "no record");
        assert_eq!(sizes(&Numbers::new(vec![vec![3]], 1).search(options).groups), [1], "one record");
        assert_eq!(
            Numbers::new(vec![vec![]], 2)
                .search(options)
                .regions(&Numbers::new(vec![vec![]], 2).problem())
                .len(),
            0
        );
        let infinite = vec![vec![f64::NEG_INFINITY, -1.0, f64::MAX, f64::INFINITY]];
        let table = Numbers::with_numbers(vec![vec![0, 1, 2, 3, 0, 1, 2, 3]], infinite, 2);
        assert_eq!(sizes(&table.search(options).groups), [2, 2, 2, 2], "infinities");
        let mut none = Numbers::new(vec![], 2);
        none.rows = 5;
        assert_eq!(none.search(options).groups.of, [0; 5], "no column");
    }
    let constant = Numbers::new(vec![vec![1; 10], vec![0; 10]], 2);
    assert_eq!(sizes(&constant.search(&Mondrian::default()).groups), [10]);
    assert!(sizes(&constant.search(&relaxed()).groups).iter().all(|&size| size <= 3));
    let few = Numbers::new(vec![vec![0, 1, 2]], 4);
    let refused = Mondrian::default().search(&few.problem(), &Workload::default(), &Silent);
    assert!(
        matches!(&refused, Err(SearchError::NoSafeTable { criteria }) if criteria[0].starts_with("k-anonymity")),
        "{refused:?}"
    );
}

#[test]
fn tables_too_wide_for_packed_rows() {
    let column =
        |seed: u32, modulus: u32| (0..400u32).map(|i| (i * 7919 + seed * 31) % modulus).collect::<Vec<u32>>();
    // 13 columns of few values, 15 of more, and one of very many.
    for columns in [
        (0..13).map(|seed| column(seed, 50)).collect::<Vec<_>>(),
        (0..15).map(|seed| column(seed, 300)).collect(),
        vec![column(1, 50), (0..400).map(|i| i * 100).collect()],
    ] {
        let table = Numbers::new(columns, 4);
        for options in [Mondrian::default(), relaxed()] {
            let found = table.search(&options);
            assert!(sizes(&found.groups).iter().all(|&size| size >= 4));
            assert!(found.groups.count > 40);
        }
    }
}

#[test]
fn bad_parameters() {
    let table = Numbers::new(vec![vec![0, 1, 2, 3]], 2);
    let refused = |options: Mondrian, workload: &Workload<'_>| match options.search(
        &table.problem(),
        workload,
        &Silent,
    ) {
        Err(SearchError::Parameter { key, .. }) => key,
        other => panic!("{other:?}"),
    };
    let choose = |choose| Mondrian { choose, ..Mondrian::default() };
    let none = Workload::default();
    assert_eq!(refused(choose(Choose::ClassEntropy), &none), "search.mondrian.choose");
    assert_eq!(refused(choose(Choose::Variance), &none), "search.mondrian.choose");
    assert_eq!(refused(choose(Choose::Queries), &none), "search.mondrian.choose");
    let short = Workload { target: Some(&[1.0]), ..none };
    assert_eq!(refused(choose(Choose::Variance), &short), "search.mondrian.choose");
    let query = [Query { wanted: vec![] }];
    let wrong = Workload { queries: &query, ..none };
    assert_eq!(refused(choose(Choose::Queries), &wrong), "search.mondrian.choose");
    assert_eq!(refused(Mondrian { one_sided: true, ..relaxed() }, &none), "search.mondrian.one-sided");
    for c in [0.0, -1.0, 1.5, f64::NAN, f64::INFINITY] {
        let three_d = Some(privet_criteria::ThreeD { l: 0, k: 0, m: 0, c });
        assert_eq!(refused(Mondrian { three_d, ..Mondrian::default() }, &none), "search.mondrian.three-d.c");
    }
    let three_d = Some(privet_criteria::ThreeD { l: 0, k: 0, m: 0, c: 0.5 });
    assert_eq!(refused(Mondrian { three_d, ..Mondrian::default() }, &none), "search.mondrian.three-d");
    let parsed: Mondrian = serde_json::from_str(
        r#"{"mode": "relaxed", "choose": "class-entropy", "three-d": {"l": 1, "c": 0.5}}"#,
    )
    .unwrap();
    assert_eq!((parsed.mode, parsed.choose), (Mode::Relaxed, Choose::ClassEntropy));
    assert!(serde_json::from_str::<Mondrian>(r#"{"modus": "strict"}"#).is_err());
}

#[test]
fn the_goal_of_a_workload_is_served() {
    // The class and the target follow the second column, the first is wider.
    let first: Vec<u32> = (0..32).map(|i| i * 5 % 32).collect();
    let second: Vec<u32> = (0..32).map(|i| i / 8).collect();
    let label: Vec<u32> = second.iter().map(|&x| x % 2).collect();
    let target: Vec<f64> = second.iter().map(|&x| f64::from(x) * 10.0).collect();
    let table = Numbers::new(vec![first, second], 8);
    let mut problem = table.problem();
    problem.label = Some(privet_recode::lattice::Codes { codes: &label, values: 2 });
    let queries = [Query { wanted: vec![Wanted::Anything, Wanted::Between(1, 1)] }];
    let workload = Workload { target: Some(&target), queries: &queries, sensitive: 0 };
    let run = |choose| {
        Mondrian { choose, ..Mondrian::default() }.search(&problem, &workload, &Silent).unwrap().groups
    };
    let plain = run(Choose::Width);
    let label = problem.label.unwrap();
    assert!(class_entropy(&plain, &label) > 0.0 && variance(&plain, &target) > 0.0);
    assert_eq!(class_entropy(&run(Choose::ClassEntropy), &label), 0.0);
    assert_eq!(variance(&run(Choose::Variance), &target), 0.0);
    assert_eq!(range_loss(&run(Choose::Variance), &target).sum, 0.0);
    assert_eq!(imprecision(&problem, &run(Choose::Queries), &queries), 0);
    assert!(imprecision(&problem, &plain, &queries) > 0 && range_loss(&plain, &target).largest > 0.0);
}

/// The median and both cuts beside it, from the definition; every other cut point too when asked.
fn allowed_cut(
    column: &[u32],
    records: &[usize],
    allowed: &dyn Fn(&[usize]) -> bool,
    everywhere: bool,
) -> Option<u32> {
    let mut values: Vec<u32> = records.iter().map(|&record| column[record]).collect();
    values.sort_unstable();
    let median = values[(values.len() - 1) / 2];
    values.dedup();
    let thresholds = if everywhere { values } else { vec![median, median + 1] };
    thresholds.into_iter().find(|&threshold| {
        let (left, right): (Vec<usize>, Vec<usize>) =
            records.iter().partition(|&&record| column[record] < threshold);
        !left.is_empty() && !right.is_empty() && allowed(&left) && allowed(&right)
    })
}

fn number_tables() -> impl Strategy<Value = (Vec<Vec<u32>>, u64)> {
    (1usize..4, 1usize..70, 1u32..12, 1u64..6).prop_flat_map(|(columns, rows, values, k)| {
        (prop::collection::vec(prop::collection::vec(0..values, rows), columns), Just(k))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// papers T-TH4: the bounds on the size of a group, and that no cut of any group is allowed at all.
    #[test]
    fn bounds_and_minimality((columns, k) in number_tables()) {
        let rows = columns[0].len();
        prop_assume!(rows as u64 >= k);
        let (d, k_size) = (columns.len(), k as usize);
        let mut tuples = std::collections::HashMap::new();
        for record in 0..rows {
            *tuples.entry(columns.iter().map(|column| column[record]).collect::<Vec<_>>()).or_insert(0usize) += 1;
        }
        let copies = *tuples.values().max().unwrap();
        let table = Numbers::new(columns.clone(), k);
        let found = table.search(&Mondrian::default());
        for group in members(&found.groups) {
            prop_assert!(group.len() >= k_size && group.len() <= copies + 2 * d * (k_size - 1));
            let large = |part: &[usize]| part.len() >= k_size;
            for column in &columns {
                prop_assert_eq!(allowed_cut(column, &group, &large, true), None, "{:?}", group);
            }
        }
        for size in sizes(&table.search(&relaxed()).groups) {
            prop_assert!(size >= k_size && size < 2 * k_size);
        }
    }
}
