//! Greedy clustering: against a straightforward one written here from its description, every criterion on the
//! published table, the example of the thesis, and edge cases.

use crate::oracle;

use oracle::fixture::Fixture;
use oracle::{Bound, Table, VALUES, bind, domain, hierarchy, json, problem, requirements, tables};
use privet_criteria::{Class, Criterion, Histogram, Merging, Requirement};
use privet_data::{Cancelled, Generalization, Progress, Silent};
use privet_measure::Metric;
use privet_recode::cluster::{Clustered, Clustering};
use privet_recode::groups::{Groups, Represent};
use privet_recode::lattice::{Codes, Problem, Quasi, SearchError, partition};
use proptest::prelude::*;

fn sizes(groups: &Groups) -> Vec<usize> {
    (0..groups.count as u32).map(|g| groups.of.iter().filter(|&&of| of == g).count()).collect()
}

/// What a record of the cluster loses: per column the loss of the lowest level at which all are one.
fn loss(problem: &Problem<'_>, cluster: &[u32]) -> f64 {
    let column = |quasi: &Quasi<'_>| {
        let codes: Vec<u32> = cluster.iter().map(|&r| quasi.codes[r as usize]).collect();
        let levels = &quasi.generalization.levels;
        let one = |level: usize| {
            codes.iter().all(|&c| {
                levels[level].node_of_code[c as usize] == levels[level].node_of_code[codes[0] as usize]
            })
        };
        let lowest = (0..levels.len()).find(|&level| one(level));
        quasi.weight * lowest.map_or(1.0, |level| quasi.generalization.loss(level, codes[0]))
    };
    problem.quasi.iter().map(column).sum()
}

/// Looks at a class of these records, each counted so many times.
fn class<T>(problem: &Problem<'_>, cluster: &[u32], times: usize, look: impl FnOnce(&Class<'_>) -> T) -> T {
    let rows = (cluster.len() * times) as u64;
    let counted: Vec<(Vec<u32>, Vec<u32>)> = problem
        .sensitive
        .iter()
        .map(|Codes { codes, values }| {
            let mut counts = vec![0; *values];
            cluster.iter().for_each(|&r| counts[codes[r as usize] as usize] += times as u32);
            let present = (0..*values as u32).filter(|&c| counts[c as usize] > 0).collect();
            (counts, present)
        })
        .collect();
    let histograms: Vec<Histogram<'_>> =
        counted.iter().map(|(counts, present)| Histogram { counts, present, total: rows }).collect();
    look(&Class { rows, population: 0, histograms: &histograms })
}

fn holds(problem: &Problem<'_>, cluster: &[u32]) -> bool {
    class(problem, cluster, 1, |class| problem.criteria.iter().all(|c| c.holds(class)))
}

/// The clusters before any that fails is merged.
fn straightforward(problem: &Problem<'_>) -> Vec<Vec<u32>> {
    let k = problem.criteria.iter().map(|c| c.least_rows()).max().unwrap_or(1) as usize;
    let mut open: Vec<u32> = (0..problem.rows as u32).collect();
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    let mut last_seed = 0;
    while !open.is_empty() {
        let far = |&r: &u32| loss(problem, &[last_seed, r]);
        let seed = *open.iter().rev().max_by(|a, b| far(a).total_cmp(&far(b))).unwrap();
        let mut cluster = vec![seed];
        open.retain(|&r| r != seed);
        last_seed = seed;
        while cluster.len() < k || !holds(problem, &cluster) {
            let times = k.div_ceil(cluster.len()).max(1);
            let lacking: Vec<(usize, Option<Vec<bool>>)> = class(problem, &cluster, times, |class| {
                let failing = problem.criteria.iter().filter(|c| !c.holds(class));
                failing.flat_map(|c| c.histograms().into_iter().map(|h| (h, c.wanted(class)))).collect()
            });
            let is_new = |r: &&u32| {
                lacking.iter().any(|(h, wanted)| {
                    let codes = problem.sensitive[*h].codes;
                    if let Some(wanted) = wanted {
                        return wanted[codes[**r as usize] as usize];
                    }
                    cluster.iter().all(|&member| codes[member as usize] != codes[**r as usize])
                })
            };
            let cost = |r: &u32| loss(problem, &[&cluster[..], &[*r]].concat());
            let new = open.iter().filter(is_new).min_by(|a, b| cost(a).total_cmp(&cost(b)));
            let any = || open.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
            let Some(&record) = new.or_else(any) else { break };
            open.retain(|&r| r != record);
            cluster.push(record);
        }
        if holds(problem, &cluster) || clusters.is_empty() {
            clusters.push(cluster);
            continue;
        }
        cluster.sort_unstable();
        for record in cluster {
            let increase = |c: &Vec<u32>| {
                let after = loss(problem, &[&c[..], &[record]].concat());
                (c.len() + 1) as f64 * after - c.len() as f64 * loss(problem, c)
            };
            let least = (0..clusters.len())
                .min_by(|&a, &b| increase(&clusters[a]).total_cmp(&increase(&clusters[b])))
                .unwrap();
            clusters[least].push(record);
        }
    }
    clusters
}

fn name(rows: usize, clusters: &[Vec<u32>]) -> Groups {
    let mut names = vec![0; rows];
    for (number, cluster) in clusters.iter().enumerate() {
        cluster.iter().for_each(|&record| names[record as usize] = number as u32);
    }
    Groups::numbered(&names)
}

/// Whether every class of the published table satisfies every criterion.
fn all_kept(problem: &Problem<'_>, groups: &Groups) -> bool {
    let columns = groups.represent(problem, Represent::Nodes);
    let generalizations: Vec<Generalization> = columns
        .iter()
        .map(|c| Generalization { leaves: c.level.labels.len() as u32, levels: vec![c.level.clone()] })
        .collect();
    let quasi = columns.iter().zip(&generalizations).zip(&problem.quasi);
    let published = Problem {
        rows: problem.rows,
        quasi: quasi
            .map(|((column, generalization), quasi)| Quasi { codes: &column.codes, generalization, ..*quasi })
            .collect(),
        sensitive: problem.sensitive.clone(),
        label: None,
        criteria: problem.criteria,
        metric: Metric::Loss,
        suppress_at_most: 0,
    };
    partition(&published, &published.at(&vec![0; columns.len()])).kept.iter().all(|kept| *kept)
}

fn with_problem(
    table: &Table,
    requirements: &[Requirement],
    look: impl FnOnce(&Problem<'_>, &Bound) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let Some(bound) = bind(table, requirements) else {
        return Err(TestCaseError::reject("the case does not arise"));
    };
    let counts = table.counts();
    look(&problem(table, &counts, &bound, Metric::Loss, 0), &bound)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_criterion(table in tables()) {
        let table = table.weighed_for(Metric::Loss);
        for requirements in requirements() {
            with_problem(&table, &requirements, |problem, bound| {
                let found = Clustering::default().search(problem, &Silent);
                let refused = bound.asks_for_population
                    || bound.criteria.iter().any(|criterion| criterion.merging() == Merging::Arbitrary);
                if refused {
                    prop_assert!(matches!(found, Err(SearchError::NotForCriterion { .. })), "{:?}", found);
                    return Ok(());
                }
                let all: Vec<u32> = (0..problem.rows as u32).collect();
                if !holds(problem, &all) {
                    prop_assert!(matches!(found, Err(SearchError::NoSafeTable { .. })), "{:?}", found);
                    return Ok(());
                }
                let found = found.map_err(|e| TestCaseError::fail(e.to_string()))?;
                prop_assert!(all_kept(problem, &found.groups), "{:?} {:?}", requirements, found);
                let expected = straightforward(problem);
                if expected.iter().all(|cluster| holds(problem, cluster)) {
                    prop_assert_eq!(&found.groups, &name(table.rows, &expected), "{:?}", requirements);
                    let lost: f64 = expected.iter().map(|c| c.len() as f64 * loss(problem, c)).sum();
                    let weights: f64 = table.weights.iter().sum();
                    prop_assert!((found.loss - lost / (weights * table.rows as f64)).abs() < 1e-9);
                }
                Ok(())
            })?;
        }
    }
}

/// Thesis Table 3.1: age, country and zip of 12 people, and what they suffer from.
fn table_3_1(requirements: &[Requirement]) -> Fixture {
    let age = ["27", "28", "26", "25", "41", "48", "45", "42", "33", "37", "36", "35"];
    let country = [
        "USA", "Canada", "USA", "Canada", "China", "Japan", "India", "India", "USA", "Canada", "Canada",
        "USA",
    ];
    let zip = [
        "14248", "14207", "14206", "14249", "13053", "13074", "13064", "13062", "14248", "14204", "14205",
        "14248",
    ];
    let ill = [
        "HIV",
        "HIV",
        "Cancer",
        "Cancer",
        "Hepatitis",
        "Phthisis",
        "Asthma",
        "Obesity",
        "Flu",
        "Flu",
        "Flu",
        "Indigestion",
    ];
    let ages = age.iter().map(|&a| {
        vec![
            a,
            if a < "30" {
                "<30"
            } else if a > "40" {
                ">40"
            } else {
                "3*"
            },
            "*",
        ]
    });
    let countries =
        [("USA", "America"), ("Canada", "America"), ("China", "Asia"), ("Japan", "Asia"), ("India", "Asia")];
    let countries = countries.iter().map(|&(country, part)| vec![country, part, "*"]);
    let mut zips: Vec<&str> = zip.to_vec();
    zips.sort_unstable();
    zips.dedup();
    let zips = zips.into_iter().map(|z| {
        let four = if z.starts_with("1424") {
            "1424*"
        } else if z.starts_with("1420") {
            "1420*"
        } else if z.starts_with("1305") {
            "1305*"
        } else if z.starts_with("1306") {
            "1306*"
        } else {
            "1307*"
        };
        vec![z, four, if z.starts_with("142") { "142**" } else { "130**" }, "*"]
    });
    Fixture::new(
        &[
            (age.to_vec(), ages.collect()),
            (country.to_vec(), countries.collect()),
            (zip.to_vec(), zips.collect()),
        ],
        &ill,
        requirements,
    )
}

/// Thesis 1.4: the clusters of Table 3.1 are 2-sensitive and 4-anonymous, and Asians stay among themselves as in
/// Table 3.2. With p = 1 the first four records would be one cluster; either way all have 4 records.
#[test]
fn p_sensitive_k_anonymity_of_table_3_1() {
    let fixture = table_3_1(&[json("p-sensitivity", r#"{"p": 2, "k": 4, "column": "s"}"#)]);
    let problem = fixture.problem(Metric::Loss, 0);
    let found = Clustering::default().search(&problem, &Silent).unwrap();
    assert_eq!(sizes(&found.groups), [4, 4, 4]);
    assert_eq!(found.groups.of[4..8], [found.groups.of[4]; 4]);
    assert!(all_kept(&problem, &found.groups));
    // With three distinct values, the nearest with a new value comes in before nearer ones with an old value.
    let fixture = table_3_1(&[json("p-sensitivity", r#"{"p": 3, "k": 4, "column": "s"}"#)]);
    let problem = fixture.problem(Metric::Loss, 0);
    let diverse = Clustering::default().search(&problem, &Silent).unwrap();
    assert_eq!(sizes(&diverse.groups), [4, 4, 4]);
    assert!(all_kept(&problem, &diverse.groups));
    assert!(diverse.loss > found.loss);
}

fn numbers(columns: &[Vec<u32>]) -> Table {
    let rows = columns.first().map_or(0, Vec::len);
    let generalization = hierarchy(&[0, 1], true).bind(&domain()).unwrap();
    Table {
        quasi: columns.to_vec(),
        population: None,
        generalizations: vec![generalization; columns.len()],
        sensitive: vec![vec![0; rows]; 2],
        label: vec![0; rows],
        weights: vec![1.0; columns.len()],
        rows,
    }
}

fn search(columns: &[Vec<u32>], k: u64) -> Result<Clustered, SearchError> {
    let table = numbers(columns);
    let counts = table.counts();
    let requirement = [json("k-anonymity", &k.to_string())];
    let criteria: Vec<Box<dyn Criterion>> =
        privet_criteria::build(&requirement, &[], None, (table.rows as u64).max(k)).unwrap();
    let bound = Bound {
        criteria,
        joint: privet_criteria::Joint { combinations: Vec::new() },
        joint_codes: Vec::new(),
        asks_for_population: false,
    };
    Clustering::default().search(&problem(&table, &counts, &bound, Metric::Loss, 0), &Silent)
}

#[test]
fn edge_cases() {
    assert_eq!(search(&[Vec::new()], 3).unwrap(), Clustered { groups: Groups::default(), loss: 0.0 });
    assert!(matches!(search(&[vec![1, 2]], 3), Err(SearchError::NoSafeTable { .. })));
    assert_eq!(search(&[vec![2]], 1).unwrap().groups.count, 1);
    assert_eq!(
        search(&[vec![2, 3, 4]], 1).unwrap(),
        Clustered { groups: Groups { of: vec![0, 1, 2], count: 3 }, loss: 0.0 }
    );
    assert_eq!(search(&[vec![0, 4, 0, 4, 2]], 3).unwrap().groups.count, 1, "fewer than 2k");
    let constant = search(&[vec![3; 7]], 3).unwrap();
    assert_eq!(
        (constant.groups.of, constant.loss),
        (vec![0, 0, 0, 1, 1, 1, 0], 0.0),
        "in the order of the records"
    );
    let pairs = search(&[vec![0, 4, 0, 4, 0, 4]], 3).unwrap();
    assert_eq!((pairs.groups.of, pairs.loss), (vec![0, 1, 0, 1, 0, 1], 0.0));
}

#[test]
fn weights_are_checked() {
    for weight in [f64::NAN, -1.0, f64::INFINITY, 0.0] {
        let mut table = numbers(&[vec![0, 1, 2]]);
        table.weights = vec![weight];
        let bound = bind(&table, &[json("k-anonymity", "2")]).unwrap();
        let counts = table.counts();
        let found = Clustering::default().search(&problem(&table, &counts, &bound, Metric::Loss, 0), &Silent);
        assert!(matches!(found, Err(SearchError::Weight(_))), "{weight} {found:?}");
    }
    assert!(serde_json::from_str::<Clustering>(r#"{"p": 2}"#).is_err());
}

struct Stopped;

impl Progress for Stopped {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        true
    }
}

/// Enough records for the searches to run in parallel.
#[test]
fn can_be_stopped_and_does_not_depend_on_threads() {
    let rows = 18_000u32;
    let scatter = |row: u32, by: u32| (row.wrapping_mul(2_654_435_761) >> by) % VALUES as u32;
    let columns: Vec<Vec<u32>> =
        [9, 14, 19].iter().map(|&by| (0..rows).map(|r| scatter(r, by)).collect()).collect();
    let mut table = numbers(&columns);
    table.sensitive[0] = (0..rows).map(|row| scatter(row, 24).saturating_sub(2)).collect();
    let requirements = [json("p-sensitivity", r#"{"p": 3, "k": 300, "column": "a"}"#)];
    let bound = bind(&table, &requirements).unwrap();
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
    let stopped = Clustering::default().search(&problem, &Stopped);
    assert_eq!(stopped, Err(SearchError::Cancelled(Cancelled)));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Clustering::default().search(&problem, &Silent).unwrap())
    };
    let found = run(1);
    assert_eq!(found, run(4));
    assert!(all_kept(&problem, &found.groups));
}
