//! What a recoding of single columns is worth, straight from the published labels.

use std::collections::BTreeSet;

use privet_data::{Generalization, GeneralizedLevel};
use privet_measure::Metric;

use super::{Bound, Table, classes, value};

/// The table with hierarchies of two levels: the value, and where the recoding sends it.
pub fn recoded(table: &Table, columns: &[GeneralizedLevel]) -> Table {
    let two_levels = |(generalization, column): (&Generalization, &GeneralizedLevel)| Generalization {
        leaves: generalization.leaves,
        levels: vec![generalization.levels[0].clone(), column.clone()],
    };
    let generalizations = table.generalizations.iter().zip(columns).map(two_levels).collect();
    Table { generalizations, ..table.clone() }
}

/// The metric and the number of suppressed records, or `None` when the recoding is not safe.
pub fn judge_recoding(
    table: &Table,
    bound: &Bound,
    columns: &[GeneralizedLevel],
    metric: Metric,
    limit: u64,
) -> Option<(f64, u64)> {
    let table = recoded(table, columns);
    let levels = vec![1; columns.len()];
    let (kept, suppressed) = classes(&table, bound, &levels)?;
    let limit = if bound.criteria.iter().any(|c| c.judges_absence()) { 0 } else { limit };
    let safe = suppressed.len() as u64 <= limit;
    safe.then(|| (value(&table, &levels, metric, &kept, &suppressed), suppressed.len() as u64))
}

/// The codes that occur at each published node of a column, where any do.
pub fn groups(table: &Table, bound: &Bound, column: usize, published: &GeneralizedLevel) -> Vec<Vec<u32>> {
    let population = table.population.as_ref().filter(|_| bound.asks_for_population);
    let people = population.map_or(&[][..], |population| &population[column]);
    let occurring: BTreeSet<u32> = table.quasi[column].iter().chain(people).copied().collect();
    (0..published.labels.len() as u32)
        .map(|node| {
            occurring.iter().copied().filter(|&c| published.node_of_code[c as usize] == node).collect()
        })
        .filter(|codes: &Vec<u32>| !codes.is_empty())
        .collect()
}

/// The node of the hierarchy that a group of a cut is: the finest that all its codes share.
pub fn node_of(generalization: &Generalization, group: &[u32]) -> Option<(usize, u32)> {
    let levels = generalization.levels.iter().enumerate();
    let mut shared = levels.filter_map(|(number, level)| {
        let node = level.node_of_code[group[0] as usize];
        group.iter().all(|&code| level.node_of_code[code as usize] == node).then_some((number, node))
    });
    shared.next()
}

/// Every recoding in which one node of a cut is replaced by its children.
pub fn specializations(
    table: &Table,
    bound: &Bound,
    columns: &[GeneralizedLevel],
) -> Vec<Vec<GeneralizedLevel>> {
    let mut all = Vec::new();
    for (i, published) in columns.iter().enumerate() {
        for group in groups(table, bound, i, published) {
            let Some((level @ 1.., _)) = node_of(&table.generalizations[i], &group) else { continue };
            let finer = &table.generalizations[i].levels[level - 1];
            let mut column = published.clone();
            let mut labels = column.labels.to_vec();
            for child in
                group.iter().map(|&code| finer.node_of_code[code as usize]).collect::<BTreeSet<u32>>()
            {
                for &code in group.iter().filter(|&&code| finer.node_of_code[code as usize] == child) {
                    column.node_of_code[code as usize] = labels.len() as u32;
                }
                labels.push(format!("child {child}").into());
                column.leaves.push(finer.leaves[child as usize]);
            }
            column.labels = labels.into();
            let mut specialized = columns.to_vec();
            specialized[i] = column;
            all.push(specialized);
        }
    }
    all
}

/// Whether each column is a cut: no two nodes have the same label, and each is a node of the hierarchy that holds
/// every occurring code below it and is published with its leaves.
pub fn are_cuts(table: &Table, bound: &Bound, columns: &[GeneralizedLevel]) -> bool {
    columns.iter().enumerate().all(|(i, published)| {
        let distinct: BTreeSet<&str> = published.labels.iter().map(|label| &**label).collect();
        let generalization = &table.generalizations[i];
        let groups = groups(table, bound, i, published);
        let is_node = |group: &Vec<u32>| {
            node_of(generalization, group).is_some_and(|(level, node)| {
                let level = &generalization.levels[level];
                let others = groups.iter().filter(|other| *other != group).flatten();
                let own = published.node_of_code[group[0] as usize] as usize;
                others.into_iter().all(|&code| level.node_of_code[code as usize] != node)
                    && published.leaves[own] == level.leaves[node as usize]
                    && published.labels[own].starts_with(&*level.labels[node as usize])
            })
        };
        distinct.len() == published.labels.len() && groups.iter().all(is_node)
    })
}
