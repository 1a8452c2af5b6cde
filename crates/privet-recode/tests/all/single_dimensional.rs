//! survey FX-4.2 and FX-4.3: the one worked example of single-dimensional recoding (ME-07), reached or beaten by every
//! search that can; and papers T-AL4, that the least height is not all that is minimal.

use crate::oracle;

use oracle::fixture::{Fixture, figure_one};
use oracle::json;
use privet_data::Silent;
use privet_measure::Metric;
use privet_recode::cut::{BottomUpGeneralization, KOptimize, TopDownSpecialization, measure};
use privet_recode::lattice::{Incognito, Options, Problem, Samarati, optimal, run};

/// survey FX-4.2, with the hierarchies of FX-4.3.
fn twelve_people() -> Fixture {
    let nations =
        "Russian Russian Russian German German French French Japanese Japanese Japanese Chinese Korean";
    let ages = "20 21 24 21 23 25 25 20 24 25 22 21";
    let diseases = "HIV Flu Flu Cancer Hepatitis Cancer HIV Bronchitis Hepatitis Flu Hepatitis Flu";
    let split = |text: &'static str| text.split(' ').collect::<Vec<&str>>();
    let lines = |lines: &'static str| lines.split(';').map(|line| line.split(',').collect()).collect();
    let continents = "Russian,European,*;German,European,*;French,European,*;Japanese,Asian,*;Chinese,Asian,*;Korean,Asian,*";
    let ranges = "20,[20-22],*;21,[20-22],*;22,[20-22],*;23,[23-25],*;24,[23-25],*;25,[23-25],*";
    let quasi = [(split(nations), lines(continents)), (split(ages), lines(ranges))];
    Fixture::new(&quasi, &split(diseases), &[json("k-anonymity", "2")])
}

/// The recoding of FX-4.3 and its figures.
fn printed(problem: &Problem<'_>) -> f64 {
    let columns: Vec<_> = problem.at(&[1, 1]).into_iter().cloned().collect();
    let (parts, value) = measure(problem, &columns).unwrap();
    let mut rows = parts.rows;
    rows.sort_unstable();
    assert_eq!(rows, [2, 3, 3, 4], "European 3 / 4, Asian 3 / 2");
    value
}

#[test]
fn fx_4_3_is_the_best_choice_of_levels() {
    let table = twelve_people();
    for (metric, value) in
        [(Metric::Discernibility, 38.0), (Metric::Loss, 0.4), (Metric::AverageClassSize, 3.0)]
    {
        let problem = table.problem(metric, 0);
        assert!((printed(&problem) - value).abs() < 1e-9, "{metric:?}");
        let found = optimal(&problem, Options::default(), &Silent).unwrap();
        assert_eq!(found.levels, [1, 1], "{metric:?}");
        assert!((found.value - value).abs() < 1e-9, "{metric:?}");
    }
}

#[test]
fn fx_4_3_is_reached_or_beaten_by_searches_for_cuts() {
    let table = twelve_people();
    let problem = table.problem(Metric::Discernibility, 0);
    let ranges = KOptimize::default().search(&problem, &Silent).unwrap();
    assert_eq!(ranges.bound, Some(ranges.value), "small enough to be exact");
    // Every choice of levels is a way to cut the ordered leaves into ranges here.
    assert!(ranges.value <= printed(&problem), "{}", ranges.value);
    let unlabelled = Problem { label: None, ..table.problem(Metric::Loss, 0) };
    let down = TopDownSpecialization::default().search(&unlabelled, &Silent).unwrap();
    assert!(down.value <= 0.4 + 1e-9, "{}", down.value);
    let up = BottomUpGeneralization::default().search(&unlabelled, &Silent).unwrap();
    assert!(up.suppressed == 0 && up.value <= 1.0, "{}", up.value);
}

/// papers T-AL4 on FX-L1 with k = 2: two minimal nodes, of which one has the least height.
#[test]
fn the_least_height_is_not_all_that_is_minimal() {
    let table = figure_one(&[json("k-anonymity", "2")]);
    let problem = table.problem(Metric::Loss, 0);
    let all = vec![vec![0, 1, 1], vec![3, 3, 0]];
    assert_eq!(run(&problem, &Incognito::default(), &Silent).unwrap().minimal, Some(all.clone()));
    let asked = optimal(&problem, Options { minimal_nodes: true }, &Silent).unwrap();
    assert_eq!(asked.minimal, Some(all));
    assert_eq!(run(&problem, &Samarati {}, &Silent).unwrap().minimal, Some(vec![vec![0, 1, 1]]));
}
