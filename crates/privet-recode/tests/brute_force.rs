//! The optimal search against brute force: on random small tables, for every criterion and metric, the
//! optimum and the minimal safe nodes are those that trying every node finds.

mod oracle;

use oracle::{
    Table, VALUES, bind, domain, hierarchy, judge, minimal, problem, requirements, safe_nodes, tables,
    tables_of,
};
use privet_criteria::Requirement;
use privet_data::Silent;
use privet_measure::Metric;
use privet_recode::lattice::{Found, Options, SearchError, optimal, partition};
use proptest::prelude::*;

fn check(
    table: &Table,
    requirements: &[Requirement],
    metric: Metric,
    limit: u64,
) -> Result<(), TestCaseError> {
    let table = table.weighed_for(metric);
    let Some(bound) = bind(&table, requirements) else { return Ok(()) };
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, metric, limit);
    let found = optimal(&problem, Options { minimal_nodes: true }, &Silent);
    let safe = safe_nodes(&table, &bound, metric, limit);
    let best = safe.iter().map(|(_, value)| *value).min_by(f64::total_cmp);
    let Some(best) = best else {
        prop_assert!(matches!(found, Err(SearchError::NoSafeNode { .. })), "{found:?}");
        return Ok(());
    };
    let found = found.map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert!(
        (found.value - best).abs() <= 1e-9 * best.abs().max(1.0),
        "found {} best {best}",
        found.value
    );
    let own = judge(&table, &bound, &found.levels, metric, limit);
    prop_assert!(own.is_some_and(|v| (v - best).abs() <= 1e-9 * best.abs().max(1.0)), "{own:?} {best}");
    prop_assert_eq!(found.minimal.as_ref(), Some(&minimal(&safe)), "minimal nodes");

    let parts = partition(&problem, &problem.at(&found.levels));
    let suppressed: u64 = parts.rows.iter().zip(&parts.kept).filter(|(_, k)| !**k).map(|(r, _)| r).sum();
    prop_assert_eq!(suppressed, found.suppressed, "suppressed");
    prop_assert_eq!(parts.kept.iter().filter(|k| **k).count() as u64, found.classes, "classes");

    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = one_thread.install(|| optimal(&problem, Options { minimal_nodes: true }, &Silent));
    let again = again.map(|again| Found { reduction: found.reduction, ..again });
    prop_assert_eq!(again.ok(), Some(found), "threads");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every criterion with the metric loss, at several suppression limits.
    #[test]
    fn every_criterion(table in tables(), share in 0.0f64..0.6) {
        for requirements in requirements() {
            check(&table, &requirements, Metric::Loss, 0)?;
            check(&table, &requirements, Metric::Loss, (share * table.rows as f64) as u64)?;
        }
    }

    /// Every metric with criteria of each kind of merging.
    #[test]
    fn every_metric(table in tables(), share in 0.0f64..0.6) {
        let chosen: Vec<_> = requirements().into_iter().step_by(4).collect();
        for metric in Metric::ALL {
            for requirements in &chosen {
                check(&table, requirements, metric, (share * table.rows as f64) as u64)?;
            }
        }
    }

    /// Lattices that are large enough to be cut into blocks.
    #[test]
    fn lattices_of_several_blocks(table in tables_of(5..7, 60), share in 0.0f64..0.4, which in 0usize..30, metric in 0usize..9) {
        let all = requirements();
        let limit = (share * table.rows as f64) as u64;
        check(&table, &all[0], Metric::Loss, limit)?;
        check(&table, &all[which % all.len()], Metric::Loss, limit)?;
        check(&table, &all[which % all.len()], Metric::ALL[metric], limit)?;
    }

    /// Quasi-identifiers that need keys of more than one word, up to the widest.
    #[test]
    fn wide_keys(mut table in tables_of(3..4, 30), extra in 20usize..400, share in 0.0f64..0.8) {
        let identity = hierarchy(&[], false).bind(&domain()).unwrap();
        for column in 0..extra {
            // Few distinct tuples, so that classes of two exist.
            let spread = |code: u32| (code + column as u32) % VALUES as u32;
            table.quasi.push(table.quasi[column % 3].iter().map(|&c| spread(c)).collect());
            let population = table.population.as_mut().unwrap();
            population.push(population[column % 3].iter().map(|&c| spread(c)).collect());
            table.generalizations.push(identity.clone());
            table.weights.push(1.0);
        }
        let limit = (share * table.rows as f64) as u64;
        check(&table, &requirements()[0], Metric::Loss, limit)?;
        check(&table, &requirements()[5], Metric::Discernibility, limit)?;
    }
}
