//! The searches that are led by chance, genetic and simulated annealing: what they choose is safe and worth what they
//! say, and equal seeds choose the same.

use crate::oracle;

use oracle::{Table, VALUES, bind, domain, hierarchy, judge, problem, requirements, safe_nodes, tables};
use privet_criteria::Requirement;
use privet_data::Silent;
use privet_measure::Metric;
use privet_recode::lattice::{Annealing, Found, Genetic, SearchError, Strategy as Search, run};
use proptest::prelude::*;

fn annealing(seed: u64) -> Annealing {
    Annealing { seed, steps: 40, restarts: 1, cooling: 0.9, ..Annealing::default() }
}

fn genetic(seed: u64) -> Genetic {
    Genetic { seed, population: 8, generations: 6, elite: 2, ..Genetic::default() }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Safe, worth what is said, never below the optimum, and the same once more with one thread.
fn check(
    table: &Table,
    requirements: &[Requirement],
    metric: Metric,
    limit: u64,
    search: &(impl Search + Sync),
) -> Result<(), TestCaseError> {
    let table = table.weighed_for(metric);
    let Some(bound) = bind(&table, requirements) else {
        return Err(TestCaseError::reject("the case does not arise"));
    };
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, metric, limit);
    let found = run(&problem, search, &Silent);
    let safe = safe_nodes(&table, &bound, metric, limit);
    let optimum = safe.iter().map(|(_, value)| *value).min_by(f64::total_cmp);
    let found = match (found, optimum) {
        (Err(SearchError::NoSafeNode { .. } | SearchError::NothingFound { .. }), None) => return Ok(()),
        (found, None) => return Err(TestCaseError::fail(format!("nothing is safe, but {found:?}"))),
        (Err(SearchError::NothingFound { .. }), Some(_)) => {
            let top: Vec<usize> = table.generalizations.iter().map(|g| g.height()).collect();
            prop_assert!(judge(&table, &bound, &top, metric, limit).is_none(), "the top is safe");
            return Ok(());
        }
        (found, Some(_)) => found.map_err(|e| TestCaseError::fail(e.to_string()))?,
    };
    let optimum = optimum.unwrap_or(f64::INFINITY);
    let own = judge(&table, &bound, &found.levels, metric, limit);
    prop_assert!(own.is_some_and(|own| near(own, found.value)), "{own:?} {found:?}");
    prop_assert!(found.value >= optimum || near(found.value, optimum), "{found:?} {optimum}");
    prop_assert_eq!(found.bound, None);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = one_thread.install(|| run(&problem, search, &Silent));
    let again = again.map(|again| Found { reduction: found.reduction, ..again });
    prop_assert_eq!(again.ok(), Some(found), "threads");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn every_criterion(table in tables(), share in 0.0f64..0.6, seed in any::<u64>()) {
        for requirements in &requirements() {
            for limit in [0, (share * table.rows as f64) as u64] {
                check(&table, requirements, Metric::Loss, limit, &annealing(seed))?;
                check(&table, requirements, Metric::Loss, limit, &genetic(seed))?;
            }
        }
    }

    #[test]
    fn every_metric(table in tables(), share in 0.0f64..0.6, seed in any::<u64>()) {
        for metric in Metric::ALL {
            for requirements in requirements().iter().step_by(4) {
                let limit = (share * table.rows as f64) as u64;
                check(&table, requirements, metric, limit, &annealing(seed))?;
                check(&table, requirements, metric, limit, &genetic(seed))?;
            }
        }
    }
}

/// 50 records in columns of height 3.
fn wide(columns: usize) -> Table {
    let rows = 50;
    let code = |row: usize, column: usize| ((row * (column + 3) + row / 7) % VALUES) as u32;
    let quasi: Vec<Vec<u32>> =
        (0..columns).map(|column| (0..rows).map(|row| code(row, column)).collect()).collect();
    Table {
        population: Some(quasi.clone()),
        quasi,
        generalizations: vec![hierarchy(&[0, 1], true).bind(&domain()).unwrap(); columns],
        sensitive: vec![(0..rows).map(|row| code(row, 0)).collect(); 2],
        label: vec![0; rows],
        weights: vec![1.0; columns],
        rows,
    }
}

/// On a lattice of 256 nodes the search is long enough to see the optimum.
#[test]
fn finds_the_optimum_of_a_small_lattice() {
    let table = wide(4);
    let counts = table.counts();
    let bound = bind(&table, &requirements()[1]).unwrap();
    let problem = problem(&table, &counts, &bound, Metric::Loss, 3);
    let safe = safe_nodes(&table, &bound, Metric::Loss, 3);
    let optimum = safe.iter().map(|(_, value)| *value).min_by(f64::total_cmp).unwrap();
    for found in [run(&problem, &Annealing::default(), &Silent), run(&problem, &Genetic::default(), &Silent)]
    {
        let found = found.unwrap();
        assert!(near(found.value, optimum), "{found:?} {optimum}");
        // What was looked at is told, each once, and nothing that no suppression can mend.
        assert!(found.seen.len() > 10 && found.seen.len() as u64 <= found.nodes_checked + 1, "{found:?}");
        assert!(found.seen.iter().any(|own| own.levels == found.levels && own.safe), "{found:?}");
    }
}

#[test]
fn a_lattice_too_large_to_number() {
    let table = wide(40);
    let counts = table.counts();
    let bound = bind(&table, &requirements()[0]).unwrap();
    let problem = problem(&table, &counts, &bound, Metric::Loss, 5);
    for found in [run(&problem, &annealing(1), &Silent), run(&problem, &genetic(1), &Silent)] {
        let found = found.unwrap();
        assert_eq!(found.lattice_nodes, u64::MAX);
        let own = judge(&table, &bound, &found.levels, Metric::Loss, 5);
        assert!(own.is_some_and(|own| near(own, found.value)), "{own:?} {found:?}");
        // The top costs 1.
        assert!(found.value < 1.0, "{found:?}");
    }
}

/// No record, no column.
#[test]
fn edge_cases() {
    let empty = Table {
        quasi: vec![Vec::new(); 2],
        sensitive: vec![Vec::new(); 2],
        label: Vec::new(),
        rows: 0,
        ..wide(2)
    };
    for table in [empty, wide(0)] {
        let counts = table.counts();
        let Some(bound) = bind(&table, &requirements()[0]) else { continue };
        let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
        for found in [run(&problem, &annealing(0), &Silent), run(&problem, &genetic(0), &Silent)] {
            assert_eq!(found.unwrap().levels.len(), table.quasi.len());
        }
    }
}

fn refused(search: &impl Search) -> String {
    let table = wide(2);
    let counts = table.counts();
    let bound = bind(&table, &requirements()[0]).unwrap();
    let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
    let error = run(&problem, search, &Silent).unwrap_err();
    assert!(matches!(error, SearchError::Parameter { .. }), "{error:?}");
    error.to_string()
}

#[test]
fn bad_parameters_of_annealing_are_refused() {
    let fine = Annealing::default;
    for temperature in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let text = refused(&Annealing { temperature, ..fine() });
        assert_eq!(text, "search.simulated-annealing.temperature must be a number above 0");
    }
    for cooling in [0.0, 1.0, -0.5, 2.0, f64::NAN, f64::INFINITY] {
        let text = refused(&Annealing { cooling, ..fine() });
        assert_eq!(text, "search.simulated-annealing.cooling must be above 0 and below 1");
    }
    let text = refused(&Annealing { steps: 0, ..fine() });
    assert_eq!(text, "search.simulated-annealing.steps must be at least 1");
}

#[test]
fn parameters_of_annealing_are_read_from_a_job() {
    let read: Annealing = serde_json::from_str(r#"{"seed": 3, "temperature": 0.2, "restarts": 0}"#).unwrap();
    assert_eq!(read, Annealing { seed: 3, temperature: 0.2, restarts: 0, ..Annealing::default() });
    assert!(serde_json::from_str::<Annealing>(r#"{"heat": 9}"#).is_err());
}

#[test]
fn bad_parameters_of_the_genetic_search_are_refused() {
    let fine = Genetic::default;
    for population in [0, 1, 1_000_001, usize::MAX] {
        let text = refused(&Genetic { population, ..fine() });
        assert_eq!(text, "search.genetic.population must be from 2 to 1000000");
    }
    let text = refused(&Genetic { generations: 0, ..fine() });
    assert_eq!(text, "search.genetic.generations must be at least 1");
    for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let text = refused(&Genetic { mutation: share, ..fine() });
        assert_eq!(text, "search.genetic.mutation must be a probability from 0 to 1");
        let text = refused(&Genetic { crossover: share, ..fine() });
        assert_eq!(text, "search.genetic.crossover must be a probability from 0 to 1");
    }
    let text = refused(&Genetic { population: 10, elite: 10, ..fine() });
    assert_eq!(text, "search.genetic.elite must be less than search.genetic.population");
}

#[test]
fn parameters_of_the_genetic_search_are_read_from_a_job() {
    let read: Genetic = serde_json::from_str(r#"{"seed": 3, "population": 10, "mutation": 0.2}"#).unwrap();
    assert_eq!(read, Genetic { seed: 3, population: 10, mutation: 0.2, ..Genetic::default() });
    assert!(serde_json::from_str::<Genetic>(r#"{"size": 9}"#).is_err());
}
