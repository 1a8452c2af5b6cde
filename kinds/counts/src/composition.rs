//! What views tell together of people whom somebody knows (survey AT-25): a group that one view shows shares out its sensitive
//! values among the same people as groups of the others.
//!
//! # Guarantee
//! Whoever knows who is in the data and what their identifying columns are is right about everybody who counts here, or as often
//! as the confidence says: `counting` excludes only what no table with these views has. It finds what follows from values that
//! are shared out group by group; all tables with these views are not gone through, so there may be more. It is made from the
//! original, before a release is handed over, and what it found stands in no published file.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};
use privet_attack::ids;
use privet_attack::{Finding, HistogramOf, Note, Rate, Unit};
use privet_data::Column;
use privet_measure::counting::{Bound, Group, narrow};
use privet_release::counts::{CountsManifest, Form};

use crate::load::Loaded;

/// The word for it.
pub(super) const COMPOSITION: &str = ids::COMPOSITION;

/// Per sensitive column that several views show what they tell of it together; nothing where none is in several.
pub(super) fn composition(manifest: &CountsManifest, loaded: &Loaded, confidence: f64) -> Vec<Finding> {
    let columns = loaded.sensitive.iter().map(|own| own.position);
    columns.filter_map(|column| of_column(manifest, loaded, column, confidence)).collect()
}

fn of_column(manifest: &CountsManifest, loaded: &Loaded, column: usize, confidence: f64) -> Option<Finding> {
    let table = &loaded.input.table;
    let sensitive = &table.columns[column];
    // Per view with the column who stands together in it: by the labels of its identifying columns.
    let views: Vec<Vec<u32>> = (manifest.tables.iter())
        .filter(|own| own.form != Form::Totals && own.columns.iter().any(|own| own.name == sensitive.name))
        .filter_map(|own| {
            let labels = own.columns.iter().filter_map(|own| labels(loaded, &own.name, own.level?));
            numbered(table.rows, &labels.collect::<Vec<_>>())
        })
        .collect();
    if views.len() < 2 {
        return None;
    }
    let cell_of = numbered(table.rows, &views)?;
    let cells = cell_of.iter().max().map_or(0, |&last| last as usize + 1);
    let (mut people, mut truth) = (vec![0u64; cells], vec![BTreeMap::<u32, u64>::new(); cells]);
    for (&cell, &value) in cell_of.iter().zip(&sensitive.codes) {
        people[cell as usize] += 1;
        *truth[cell as usize].entry(value).or_default() += 1;
    }
    let mut groups = Vec::new();
    let mut first = vec![Vec::new(); cells];
    for view in &views {
        let count = view.iter().max().map_or(0, |&last| last as usize + 1);
        let mut own = vec![(BTreeMap::<u32, ()>::new(), BTreeMap::<u32, u64>::new()); count];
        for ((&group, &cell), &value) in view.iter().zip(&cell_of).zip(&sensitive.codes) {
            let (cells, values) = &mut own[group as usize];
            cells.insert(cell, ());
            *values.entry(value).or_default() += 1;
        }
        for (cells, values) in own {
            // What the first view leaves is all that is possible; the others narrow it.
            for &cell in cells.keys() {
                if first[cell as usize].is_empty() {
                    first[cell as usize] = values.keys().copied().collect::<Vec<u32>>();
                }
            }
            let (cells, values) = (cells.into_keys().collect(), values.into_iter().collect());
            groups.push(Group { cells, values });
        }
    }
    let bound = |(values, &most): (Vec<u32>, &u64)| -> Vec<Bound> {
        values.into_iter().map(|value| Bound { value, least: 0, most }).collect()
    };
    let mut bounds: Vec<Vec<Bound>> = first.into_iter().zip(&people).map(bound).collect();
    narrow(&mut bounds, &people, &groups);
    let (mut exposed, mut right) = (0, 0);
    for ((bounds, &people), truth) in bounds.iter().zip(&people).zip(&truth) {
        // Who is sure that a value is missing has learned nothing.
        let told = bounds.iter().filter(|own| !sensitive.domain.is_missing(own.value));
        let Some(best) = told.max_by_key(|own| own.least) else { continue };
        if best.least > 0 && best.least as f64 / people as f64 >= confidence - 1e-12 {
            exposed += people;
            right += truth.get(&best.value).copied().unwrap_or(0);
        }
    }
    let (exposed, all) = (Rate::new(exposed, table.rows as u64), table.rows as u64);
    Some(finding(sensitive, views.len(), exposed, right, right as f64 / all.max(1) as f64, confidence))
}

/// What was found out by putting views together; `right` are the people about whom it is true.
fn finding(
    sensitive: &Column,
    views: usize,
    exposed: Rate,
    right: u64,
    risk: f64,
    confidence: f64,
) -> Finding {
    Finding {
        attack: COMPOSITION,
        column: Some(sensitive.name.clone()),
        assumed: "who is in the data, and their identifying columns".to_owned(),
        success: format!(
            "the views together leave one value, or one that at least {} % of those who stand together in all of them have",
            privet_attack::percent(confidence)
        ),
        unit: Unit::People,
        right: (exposed.hits > 0).then(|| Rate::new(right, exposed.hits)),
        exposed,
        control: None,
        control_group: None,
        baseline: None,
        risk,
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Nothing,
        notes: vec![
            Note::of_release(format!("Views put together: {views}.")),
            Note::no_control("There is no control: people who are not in the data stand in no group."),
        ],
    }
}

/// Per record the label of an identifying column at a level; `None` for a column that identifies nobody.
fn labels(loaded: &Loaded, name: &str, level: usize) -> Option<Vec<u32>> {
    let of = |position: usize| &loaded.input.table.columns[position];
    let own = loaded.quasi.iter().find(|own| of(own.position).name == name)?;
    let level = own.generalization.levels.get(level)?;
    Some(of(own.position).codes.iter().map(|&code| level.node_of_code[code as usize]).collect())
}

/// Numbers records by what they have in several columns; `None` without a column.
fn numbered(rows: usize, columns: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut of = columns.first()?.clone();
    for column in std::iter::once(&vec![0; rows]).chain(&columns[1..]) {
        let mut number: HashMap<(u32, u32), u32> = HashMap::new();
        for (own, &other) in of.iter_mut().zip(column) {
            let next = number.len() as u32;
            *own = *number.entry((*own, other)).or_insert(next);
        }
    }
    Some(of)
}
