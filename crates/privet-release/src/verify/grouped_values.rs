//! Criteria on groups that a kind reads from its own files, by the same definitions that the classes of records are verified by.

use privet_criteria::{Grouping, Requirement, statement_of};
use privet_data::{Cancelled, Progress};
use serde_json::Value;

use super::definitions::judge;
use super::outcome::Check;
use super::table::{Column, Released, Table};
use crate::manifest::Evidence;

/// Published records with the group of each and its value in one sensitive column.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupedValues {
    /// The name of the sensitive column.
    pub column: String,
    /// Per record its group.
    pub groups: Vec<u32>,
    /// Per record its value.
    pub values: Vec<String>,
    /// How many records there were before some were left out; groups are compared with all of them.
    pub given: u64,
}

/// A column of texts, with one code for each distinct text.
fn column(texts: impl Iterator<Item = String>) -> Column {
    let mut of = std::collections::HashMap::new();
    let mut own = Column::default();
    for text in texts {
        let next = own.texts.len() as u32;
        let code = *of.entry(text.clone()).or_insert(next);
        if code == next {
            own.texts.push(text);
        }
        own.codes.push(code);
    }
    own
}

/// Whether every group satisfies a requirement, in the form in which a manifest states it.
///
/// # Errors
/// When the person asked to stop.
pub fn judge_grouped_values(
    requirement: &Value,
    published: &GroupedValues,
    progress: &dyn Progress,
) -> Result<Check, Cancelled> {
    const NAME: &str = "criterion";
    let Ok(requirement) = serde_json::from_value::<Requirement>(requirement.clone()) else {
        return Ok(Check::failed(NAME, "the promise states no criterion"));
    };
    let (rows, given) = (published.groups.len(), published.given);
    if rows != published.values.len() || given < rows as u64 {
        return Ok(Check::failed(NAME, "the promise states fewer records than are published"));
    }
    let columns =
        vec![column(published.groups.iter().map(u32::to_string)), column(published.values.iter().cloned())];
    let table = Table { names: vec![String::new(), published.column.clone()], rows, columns };
    let grouped = Released::weighted(table, Default::default(), (vec![0], vec![1]), None, progress);
    let Ok(grouped) = grouped else { return Err(Cancelled) };
    let released = Released { input_rows: given, suppressed: given - rows as u64, ..grouped };
    let judged = match judge(&requirement, &Evidence::default(), &released, None) {
        Ok(judged) => judged,
        Err(problem) => {
            return Ok(Check::failed(requirement.key(), format!("cannot be shown to hold: {problem}")));
        }
    };
    let breaking = judged.classes.iter().filter(|own| own.broken).count();
    Ok(match (breaking, &judged.problem, judged.worst_reach()) {
        (0, None, Some(worst)) if worst.low == worst.high => Check {
            reached: worst.low.is_finite().then_some(worst.low),
            ..Check::passed(requirement.key(), format!("holds; the worst group reaches {:.6}", worst.low))
        },
        (0, None, Some(worst)) => Check {
            bounded: true,
            ..Check::passed(
                requirement.key(),
                format!(
                    "is not contradicted; the worst group reaches between {:.6} and {:.6}, because records that were left out are not \
                     published",
                    worst.low, worst.high
                ),
            )
        },
        (0, None, None) => Check::passed(requirement.key(), "holds, since no record is published"),
        (0, Some(problem), _) => Check::failed(requirement.key(), problem.clone()),
        (groups, ..) => Check::failed(requirement.key(), format!("broken by {groups} groups")),
    })
}

/// The sentence of a requirement about groups; nothing where a manifest states none.
pub fn statement_on_groups(requirement: &Value, column: &str) -> Option<String> {
    let requirement = serde_json::from_value::<Requirement>(requirement.clone()).ok()?;
    Some(statement_of(&requirement, &[column], Grouping::Classes))
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use serde_json::json;

    use super::*;

    fn judged(requirement: Value, given: u64) -> Check {
        let own = |list: [&str; 6]| list.map(str::to_owned).to_vec();
        let published = GroupedValues {
            column: "doing".to_owned(),
            groups: vec![0, 0, 0, 1, 1, 1],
            values: own(["work", "work", "rest", "rest", "shop", "work"]),
            given,
        };
        judge_grouped_values(&requirement, &published, &Silent).unwrap()
    }

    #[test]
    fn groups_are_judged_by_the_definitions_of_records() {
        let close =
            |t: f64| json!({ "criterion": "t-closeness", "kind": "equal", "t": t, "column": "doing" });
        // By hand: all is (1/2, 1/3, 1/6) of work, rest and shop; both groups are 1/6 away.
        assert!(judged(close(0.17), 6).ok && !judged(close(0.16), 6).ok);
        // Two records that are not published could have made it closer.
        let unknown = judged(close(0.16), 8);
        assert!(unknown.ok && unknown.bounded, "{unknown:?}");
        let diverse =
            |l: f64| json!({ "criterion": "l-diversity", "kind": "distinct", "l": l, "column": "doing" });
        assert!(judged(diverse(2.0), 6).ok && !judged(diverse(3.0), 6).ok);
        assert!(!judged(json!({ "criterion": "no such" }), 6).ok);
        assert!(!judged(close(1.0), 5).ok, "fewer records than are published");
        assert!(statement_on_groups(&close(0.2), "doing").is_some());
        assert_eq!(statement_on_groups(&json!(3), "doing"), None);
    }
}
