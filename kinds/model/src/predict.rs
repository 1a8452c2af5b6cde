//! Predicting with a published model: what people get it for.

use privet_data::{Kind, Table};
use privet_mine::bayes::BayesRelease;
use privet_mine::cluster::{AxisDomain, ClusterRelease};
use privet_mine::rules::RuleRelease;
use privet_mine::tree::TreeRelease;
use privet_mine::{AttributeDomain, Cell, Visibility};

use crate::PublishedModel;

/// Why a table cannot be predicted on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PredictError {
    /// A column that the model asks for is missing.
    #[error("the table has no column {column}, which the model asks for")]
    Column {
        /// The column.
        column: String,
    },
    /// A cell that is outside the model's domain.
    #[error(
        "record {record}: column {column} holds a value that the model does not know, or no number where it needs one"
    )]
    Value {
        /// The column.
        column: String,
        /// The record, counted from 1.
        record: usize,
    },
    /// A model that contradicts itself.
    #[error("the model contradicts itself")]
    Model,
}

/// Per record what the model says: the class of a tree or of naive Bayes, the number of a cluster, or, for rules over a table with one column of yes and no
/// per item, the consequents that follow, with the surest rule's first.
///
/// A tree stops at the node that does not know a category, and predicts from there; a clustering needs every value.
///
/// # Errors
/// When a column is missing, or a value cannot be used.
pub fn predict(model: &PublishedModel, table: &Table) -> Result<Vec<String>, PredictError> {
    match model {
        PublishedModel::Tree(own) => classes(own, table),
        PublishedModel::Clusters(own) => clusters(own, table),
        PublishedModel::Rules(own) => consequents(own, table),
        PublishedModel::Bayes(own) => likeliest(own, table),
    }
}

/// A value that the model does not know tells nothing.
fn likeliest(release: &BayesRelease, table: &Table) -> Result<Vec<String>, PredictError> {
    let class = |values: &Vec<Option<usize>>| release.class.values[release.predict(values)].clone();
    Ok(known_values(release, table)?.iter().map(class).collect())
}

/// Per record the positions of its values.
pub(crate) fn known_values(
    release: &BayesRelease,
    table: &Table,
) -> Result<Vec<Vec<Option<usize>>>, PredictError> {
    let mut records = vec![Vec::with_capacity(release.attributes.len()); table.rows];
    for attribute in &release.attributes {
        let missing = || PredictError::Column { column: attribute.name.clone() };
        let column = table.column(&attribute.name).ok_or_else(missing)?;
        for (record, &code) in records.iter_mut().zip(&column.codes) {
            let text = column.domain.text(code);
            record.push(attribute.values.iter().position(|own| own == text));
        }
    }
    Ok(records)
}

fn classes(release: &TreeRelease, table: &Table) -> Result<Vec<String>, PredictError> {
    let predictor = release.predictor();
    let class =
        |cells: &Vec<Cell>| release.model.schema.class.values[predictor.class(cells) as usize].clone();
    Ok(cells(release, table, false)?.iter().map(class).collect())
}

/// Per record its cells. Of private attributes nothing is read when the public ones alone are wanted.
pub(crate) fn cells(
    release: &TreeRelease,
    table: &Table,
    public_alone: bool,
) -> Result<Vec<Vec<Cell>>, PredictError> {
    let schema = &release.model.schema;
    let mut cells: Vec<Vec<Cell>> = vec![Vec::with_capacity(schema.attributes.len() + 1); table.rows];
    for attribute in &schema.attributes {
        if public_alone && attribute.visibility == Visibility::Private {
            cells.iter_mut().for_each(|own| own.push(Cell::Code(u32::MAX)));
            continue;
        }
        let missing = || PredictError::Column { column: attribute.name.clone() };
        let column = table.column(&attribute.name).ok_or_else(missing)?;
        for (record, (&code, cells)) in column.codes.iter().zip(&mut cells).enumerate() {
            cells.push(match &attribute.domain {
                AttributeDomain::Categories { values, .. } => {
                    let text = column.domain.text(code);
                    let known = values.iter().position(|own| own == text);
                    // A code beyond the domain ends the way where it is asked for.
                    Cell::Code(known.map_or(u32::MAX, |place| place as u32))
                }
                AttributeDomain::Numbers => {
                    let unknown =
                        || PredictError::Value { column: attribute.name.clone(), record: record + 1 };
                    Cell::Number(column.domain.number(code).ok_or_else(unknown)?)
                }
            });
        }
    }
    Ok(cells)
}

/// Per record the position of its class, which is public.
pub(crate) fn class_codes(release: &TreeRelease, table: &Table) -> Result<Vec<u32>, PredictError> {
    let class = &release.model.schema.class;
    let missing = || PredictError::Column { column: class.name.clone() };
    let column = table.column(&class.name).ok_or_else(missing)?;
    let code = |(record, &code): (usize, &u32)| {
        let text = column.domain.text(code);
        let known = class.values.iter().position(|own| own == text).map(|place| place as u32);
        known.ok_or_else(|| PredictError::Value { column: class.name.clone(), record: record + 1 })
    };
    column.codes.iter().enumerate().map(code).collect()
}

fn clusters(release: &ClusterRelease, table: &Table) -> Result<Vec<String>, PredictError> {
    let records = positions(release, table, false)?;
    Ok(records.iter().map(|record| (release.predict(record) + 1).to_string()).collect())
}

/// Per record its positions. Of private axes nothing is read when the public ones alone are wanted.
pub(crate) fn positions(
    release: &ClusterRelease,
    table: &Table,
    public_alone: bool,
) -> Result<Vec<Vec<u32>>, PredictError> {
    let mut records: Vec<Vec<u32>> = vec![Vec::new(); table.rows];
    for axis in &release.space.axes {
        if public_alone && axis.visibility == Visibility::Private {
            records.iter_mut().for_each(|own| own.push(0));
            continue;
        }
        let missing = || PredictError::Column { column: axis.name.clone() };
        let column = table.column(&axis.name).ok_or_else(missing)?;
        for (record, (&code, positions)) in column.codes.iter().zip(&mut records).enumerate() {
            let position = match &axis.domain {
                AxisDomain::Numbers { .. } => column.domain.number(code).and_then(|own| axis.position(own)),
                AxisDomain::Categories { values } => {
                    let text = column.domain.text(code);
                    values.iter().position(|own| own == text).map(|place| place as u32)
                }
            };
            let unknown = || PredictError::Value { column: axis.name.clone(), record: record + 1 };
            positions.push(position.ok_or_else(unknown)?);
        }
    }
    Ok(records)
}

fn consequents(release: &RuleRelease, table: &Table) -> Result<Vec<String>, PredictError> {
    let mut order: Vec<usize> = (0..release.rules.len()).collect();
    let confidence = |rule: &usize| release.rules[*rule].confidence();
    order.sort_by(|a, b| confidence(b).total_cmp(&confidence(a)).then(a.cmp(b)));
    let follow = |held: &Vec<bool>| {
        let mut said: Vec<&str> = Vec::new();
        for rule in order.iter().map(|&place| &release.rules[place]) {
            if rule.antecedent.iter().all(|&item| held[item as usize]) {
                for &item in &rule.consequent {
                    let label = release.items[item as usize].as_str();
                    if !held[item as usize] && !said.contains(&label) {
                        said.push(label);
                    }
                }
            }
        }
        said.join(" ")
    };
    Ok(held(release, table).iter().map(follow).collect())
}

/// Per record and item whether the record holds it: a yes, true, or a whole number above 0.
pub(crate) fn held(release: &RuleRelease, table: &Table) -> Vec<Vec<bool>> {
    let mut held: Vec<Vec<bool>> = vec![vec![false; release.items.len()]; table.rows];
    for (item, label) in release.items.iter().enumerate() {
        // Items without a column are held by nobody who is asked about.
        let Some(column) = table.column(label) else { continue };
        let is_count = matches!(column.domain.kind(), Kind::Integer);
        for (record, &code) in column.codes.iter().enumerate() {
            let text = column.domain.text(code).to_lowercase();
            let count = column.domain.number(code).is_some_and(|number| number > 0.0);
            held[record][item] = (is_count && count) || ["yes", "true"].contains(&text.as_str());
        }
    }
    held
}
