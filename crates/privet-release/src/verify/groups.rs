//! A promise about groups of which only the number of people per value is published, such as the spans of a model: judged by the same
//! definitions as the classes of a table.

use std::collections::{BTreeMap, HashSet};

use privet_criteria::{Grouping, Requirement, statement_of};
use privet_data::Silent;
use serde_json::Value;

use super::definitions::judge;
use super::table::{Column, Released, Table};
use crate::Promised;
use crate::manifest::Evidence;

/// Groups by the number of their people with each value.
#[derive(Debug, Clone, Copy)]
pub struct Groups<'a> {
    /// What the values are of.
    pub column: &'a str,
    /// The values, each once.
    pub values: &'a [String],
    /// Per group and value the people. All groups together are all people.
    pub counts: &'a [Vec<u64>],
}

/// What judging a promise about groups found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupsJudged {
    /// Whether every group keeps the promise.
    pub holds: bool,
    /// What the worst group reaches; none when there is no group.
    pub reached: Option<f64>,
}

/// The privacy model that the parameters of a promise describe.
fn requirement(promised: &Promised) -> Option<Requirement> {
    let parameters = promised.parameters.iter().map(|(name, value)| (name.clone(), value.clone()));
    serde_json::from_value(Value::Object(parameters.collect())).ok()
}

/// Says what a promise about groups means for people of one span; none when its parameters are those of no privacy model.
pub fn groups_statement(promised: &Promised) -> Option<String> {
    let requirement = requirement(promised)?;
    let column = requirement.column().unwrap_or_default().to_owned();
    Some(statement_of(&requirement, &[&column], Grouping::Spans))
}

/// Judges a promise about groups, whose parameters are those of a privacy model.
///
/// # Errors
/// A sentence that says why the promise cannot be judged: then nothing is known to hold.
pub fn judge_groups(promised: &Promised, groups: &Groups<'_>) -> Result<GroupsJudged, String> {
    let requirement = requirement(promised).ok_or("its parameters are those of no privacy model")?;
    if requirement.population().is_some() {
        return Err("it is about a population, which spans do not have".to_owned());
    }
    let values = groups.values.len();
    if groups.values.iter().collect::<HashSet<_>>().len() != values
        || groups.counts.iter().any(|own| own.len() != values)
    {
        return Err("a value is listed twice, or a group does not count every value".to_owned());
    }
    let held: Vec<usize> =
        (0..values).filter(|&value| groups.counts.iter().any(|own| own[value] > 0)).collect();
    let released = released(groups, &held)?;
    let judged = judge(&requirement, &evidence(&requirement, groups, &held), &released, None)?;
    if let Some(problem) = judged.problem.clone() {
        return Err(problem);
    }
    let worst = judged.worst_reach();
    Ok(GroupsJudged { holds: worst.is_none_or(|own| !own.broken), reached: worst.map(|own| own.low) })
}

/// A table with a line for every value of every group, which stands for the people who have it.
fn released(groups: &Groups<'_>, held: &[usize]) -> Result<Released, String> {
    let (mut group_codes, mut value_codes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (group, counts) in groups.counts.iter().enumerate() {
        for (code, &value) in held.iter().enumerate().filter(|(_, value)| counts[**value] > 0) {
            group_codes.push(u32::try_from(group).map_err(|_| "there are too many groups")?);
            value_codes.push(code as u32);
            weights.push(counts[value]);
        }
    }
    let texts = (0..groups.counts.len()).map(|group| group.to_string()).collect();
    let values = held.iter().map(|&value| groups.values[value].clone()).collect();
    let table = Table {
        names: vec!["group".to_owned(), groups.column.to_owned()],
        rows: weights.len(),
        columns: vec![
            Column { texts, codes: group_codes, kinds: None },
            Column { texts: values, codes: value_codes, kinds: None },
        ],
    };
    Released::weighted(table, BTreeMap::new(), (vec![0], vec![1]), Some(weights), &Silent)
        .map_err(|_| "it was stopped".to_owned())
}

/// What a manifest says of the values of a table, taken from the values of the groups. An order must be stated: texts have none.
fn evidence(requirement: &Requirement, groups: &Groups<'_>, held: &[usize]) -> Evidence {
    let is_held = |text: &&String| held.iter().any(|&value| groups.values[value] == **text);
    let ranks = match requirement {
        Requirement::TCloseness { order, .. } if !order.is_empty() => {
            Some(order.iter().filter(is_held).cloned().zip(0..).collect())
        }
        _ => None,
    };
    Evidence { ranks, domain_size: Some(held.len() as u64), ..Evidence::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(
        criterion: &str,
        parameters: &[(&str, Value)],
        counts: &[Vec<u64>],
    ) -> Result<GroupsJudged, String> {
        let promised =
            parameters.iter().fold(Promised::new("x").with("criterion", criterion), |own, (name, value)| {
                own.with(*name, value.clone())
            });
        let values: Vec<String> = ["good", "bad", "late"].map(str::to_owned).to_vec();
        judge_groups(&promised, &Groups { column: "risk", values: &values, counts })
    }

    #[test]
    fn groups_are_judged_by_the_definitions() {
        let counts = [vec![2, 2, 0], vec![3, 1, 4]];
        let holds =
            |criterion: &str, parameters: &[(&str, Value)]| judged(criterion, parameters, &counts).unwrap();
        let entropy = |l: f64| [("kind", "entropy".into()), ("l", l.into())];
        assert!(holds("l-diversity", &entropy(2.0)).holds && !holds("l-diversity", &entropy(2.1)).holds);
        assert_eq!(holds("l-diversity", &[("l", 2.0.into())]).reached, Some(2.0));
        assert!(!holds("l-diversity", &[("l", 3.0.into())]).holds);
        assert_eq!(
            holds("k-anonymity", &[("k", 4.into())]),
            GroupsJudged { holds: true, reached: Some(4.0) }
        );
        assert!(!holds("k-anonymity", &[("k", 5.into())]).holds);
        let close = |t: f64| [("kind", "variational".into()), ("t", t.into())];
        // The whole table is 5, 3 and 4 of 12; the first group is a third away from it.
        assert!(holds("t-closeness", &close(0.334)).holds && !holds("t-closeness", &close(0.333)).holds);
        let order = ("order", serde_json::json!(["good", "late", "bad"]));
        assert!(holds("t-closeness", &[("kind", "ordered".into()), ("t", 0.5.into()), order]).holds);
    }

    #[test]
    fn what_cannot_be_judged_is_no_promise_kept() {
        let counts = [vec![2, 2, 0]];
        assert!(judged("unknown", &[], &counts).is_err());
        assert!(judged("l-diversity", &[("l", 2.0.into()), ("column", "wage".into())], &counts).is_err());
        assert!(judged("t-closeness", &[("kind", "ordered".into()), ("t", 0.5.into())], &counts).is_err());
        assert!(judged("k-map", &[("k", 2.into()), ("population", "p.csv".into())], &counts).is_err());
        assert!(judged("k-anonymity", &[("k", 2.into())], &[vec![2, 2]]).is_err());
    }
}
