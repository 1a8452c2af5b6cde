//! What a manifest and a report say in figures of what is published.

use std::collections::BTreeMap;

use privet_measure::{Metric, Objective, QuasiColumn, ReleasedClass};
use privet_release::manifest::{Classes, SizeBin};
use privet_release::shown::{LeftOut, MOST_LABELS, VALUES_AS_THEY_WERE, VALUES_OF_GROUPS};
use privet_report::{ColumnFacts, Facts, LabelCount};

use crate::boxes::boxes;
use crate::chosen::Place;
use crate::levels::levels_of;
use crate::publish::microaggregation;
use crate::publish::spread_within_classes;
use crate::run::Candidate;

/// Every metric that applies to the candidate.
pub(super) fn metrics(candidate: &Candidate<'_>) -> BTreeMap<String, f64> {
    let Candidate { own, problem, chosen, levels, partition, .. } = candidate;
    let in_levels = chosen.places.iter().all(|place| matches!(place, Place::Level(_)));
    let by_value = !chosen.places.iter().any(|place| matches!(place, Place::Cells { .. }));
    let tuple_entropy = chosen.tuple_entropy(own);
    let nodes: Vec<u32> = partition
        .first
        .iter()
        .flat_map(|&record| {
            problem.quasi.iter().zip(*levels).map(move |(quasi, &level)| {
                quasi.generalization.levels[level].node_of_code[quasi.codes[record as usize] as usize]
            })
        })
        .collect();
    let width = problem.quasi.len();
    let classes = (0..partition.rows.len()).map(|class| ReleasedClass {
        rows: partition.rows[class],
        nodes: &nodes[class * width..(class + 1) * width],
        majority: partition.majority.get(class).copied().unwrap_or(0),
        kept: partition.kept[class],
    });
    let mut result = BTreeMap::new();
    if let Some((name, value)) = chosen.own_metric {
        result.insert(name.to_owned(), value);
    }
    if let Some(ratio) = microaggregation(candidate).and_then(|_| spread_within_classes(candidate)) {
        result.insert("sse-sst".to_owned(), ratio);
    }
    for metric in Metric::ALL {
        // What a metric counts must be there: class labels, levels, one label for each value.
        let is_defined = match metric {
            Metric::Height | Metric::Precision => in_levels && chosen.buckets.is_none(),
            Metric::NonUniformEntropy => by_value,
            // Where equal values may show different labels, groups reach over the same tuples, and a sum over groups is not
            // the divergence. `measure` has it then.
            Metric::KullbackLeibler => by_value && chosen.buckets.is_none(),
            // Of buckets only the sizes are known; what they show is the records themselves.
            Metric::Loss | Metric::Discernibility | Metric::AverageClassSize => true,
            _ if chosen.buckets.is_some() => false,
            _ => !metric.needs_class() || problem.label.is_some(),
        };
        if !is_defined {
            continue;
        }
        let columns: Vec<QuasiColumn<'_>> = problem
            .quasi
            .iter()
            .map(|quasi| QuasiColumn {
                generalization: quasi.generalization,
                counts: quasi.counts,
                weight: if metric.takes_weights() { quasi.weight } else { 1.0 },
            })
            .collect();
        if let Ok(objective) = Objective::new(metric, &columns, problem.rows as u64, tuple_entropy) {
            let value = objective.evaluate(&columns, levels, classes.clone());
            result.insert(metric.word().to_owned(), value);
        }
    }
    result
}

/// Sizes of the published classes, in bins that double.
pub(super) fn classes(sizes: impl Iterator<Item = u64>) -> Classes {
    let sizes: Vec<u64> = sizes.collect();
    let mut bins: BTreeMap<u32, SizeBin> = BTreeMap::new();
    for &size in &sizes {
        let exponent = size.max(1).ilog2();
        let bin = bins.entry(exponent).or_insert(SizeBin {
            from: 1 << exponent,
            to: (1u64 << exponent) * 2 - 1,
            classes: 0,
            rows: 0,
        });
        bin.classes += 1;
        bin.rows += size;
    }
    let total: u64 = sizes.iter().sum();
    Classes {
        count: sizes.len() as u64,
        min: sizes.iter().copied().min().unwrap_or(0),
        max: sizes.iter().copied().max().unwrap_or(0),
        mean: if sizes.is_empty() { 0.0 } else { total as f64 / sizes.len() as f64 },
        sizes: bins.into_values().collect(),
    }
}

/// The most frequent labels in their order, and how many others there are.
pub(super) fn most_frequent(mut told: Vec<(usize, u64)>) -> (Vec<(usize, u64)>, LeftOut) {
    let mut left_out = LeftOut::default();
    if told.len() > MOST_LABELS {
        told.select_nth_unstable_by_key(MOST_LABELS, |&(node, rows)| (std::cmp::Reverse(rows), node));
        let others = told.split_off(MOST_LABELS);
        left_out.labels = others.len() as u64;
        left_out.records = others.iter().map(|own| own.1).sum();
        told.sort_unstable();
    }
    (told, left_out)
}

pub(super) fn facts(candidate: &Candidate<'_>, reproduce: &[String]) -> Facts {
    let Candidate { loaded, problem, chosen, levels, partition, .. } = candidate;
    let columns = problem
        .quasi
        .iter()
        .zip(*levels)
        .zip(loaded.quasi.iter().zip(&chosen.places))
        .zip(&candidate.own.quasi)
        .map(|(((quasi, &level), (own, place)), hierarchy)| {
            let generalized = &quasi.generalization.levels[level];
            let mut rows = vec![0u64; generalized.labels.len()];
            let mut add = |record: usize, size: u64| {
                let code = quasi.codes[record];
                rows[generalized.node_of_code[code as usize] as usize] += size;
            };
            let is_kept = |class: u32| partition.kept[class as usize];
            match chosen.buckets {
                // Records of a bucket show different things.
                Some(_) => {
                    let classes = partition.class_of.iter().enumerate();
                    classes.filter(|(_, class)| is_kept(**class)).for_each(|(record, _)| add(record, 1));
                }
                None => {
                    let classes = (0..).zip(partition.first.iter().zip(&partition.rows));
                    let kept = classes.filter(|(class, _)| is_kept(*class));
                    kept.for_each(|(_, (&first, &size))| add(first as usize, size));
                }
            }
            let levels = levels_of(place, hierarchy.generalization, generalized, &rows);
            // The page names labels, never values: at level 0 it shows ranks, elsewhere values are counted together.
            let mut told: Vec<(usize, u64)> = Vec::new();
            let (mut values, mut stands) = (0, 0);
            for (node, rows) in rows.into_iter().enumerate().filter(|(_, rows)| *rows > 0) {
                match place {
                    Place::Level(0) => told.push((node, rows)),
                    Place::Nodes { .. } | Place::Cells { .. } if generalized.leaves[node] == 1 => {
                        values += rows;
                    }
                    Place::Cells { kind: "medians" | "modes", .. } => stands += rows,
                    _ => told.push((node, rows)),
                }
            }
            let (told, left_out) = most_frequent(told);
            let label = |node: usize| match place {
                Place::Level(0) => String::new(),
                _ => generalized.labels[node].to_string(),
            };
            let mut labels: Vec<LabelCount> =
                told.into_iter().map(|(node, rows)| LabelCount { label: label(node), rows }).collect();
            if values > 0 {
                labels.push(LabelCount { label: VALUES_AS_THEY_WERE.to_owned(), rows: values });
            }
            if stands > 0 {
                labels.push(LabelCount { label: VALUES_OF_GROUPS.to_owned(), rows: stands });
            }
            let name = loaded.input.table.columns[own.position].name.clone();
            ColumnFacts { name, labels, left_out, levels }
        })
        .collect();
    Facts {
        title: String::new(),
        reproduce: reproduce.to_vec(),
        columns,
        boxes: boxes(candidate),
        attacks: Vec::new(),
    }
}
