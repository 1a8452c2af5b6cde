//! Groups by keys that nobody declared: those that occur are counted with noise, and told of where the noisy count is above a threshold
//! (`privet_dp::Threshold`).
//!
//! Guarantee: what is told of a group that one person alone makes is told with a probability within the delta that is spent for
//! it; figures of groups that are told are those of any group. The number of groups that occur is told to nobody, also not before the
//! answer.

use std::collections::BTreeMap;

use privet_data::{Column, Table};
use privet_dp::{Delta, Epsilon, Loss, Rational, Threshold};
use privet_measure::answer::{Aggregate, Figure, PrivateQuestion, RankBy};

use super::declared::problem;
use super::error::QueryError;
use super::keys::{Keys, NOWHERE};
use super::plan::{Mechanism, Part};

/// How groups are found.
#[derive(Debug)]
pub(super) struct Unknown {
    /// The figure whose noisy counts decide.
    pub part: usize,
    pub threshold: Threshold,
}

/// The delta that is left for figures, where keys are not declared: half of it.
pub(super) fn halved(delta: Option<&Delta>) -> Result<Delta, QueryError> {
    let delta = delta.ok_or_else(|| {
        problem(
            "keys that are not declared need a --delta, such as 1e-6: the probability with which a group that one person alone makes may be told",
        )
    })?;
    Ok(Delta::new(delta.value() / Rational::from(2u8))?)
}

impl Unknown {
    /// From the parts of a plan, which cost so much, and the whole delta.
    pub fn new(
        question: &PrivateQuestion,
        people: privet_dp::People,
        parts: &[Part],
        epsilon: &Epsilon,
        loss: &Loss,
        delta: &Delta,
    ) -> Result<Self, QueryError> {
        let by_figure = question.order.is_some_and(|own| matches!(own.by, RankBy::Figure(_)));
        if question.limit.is_some() && by_figure {
            return Err(problem(
                "`limit` by a figure goes with declared keys: how wide the numbers of the groups that win are hangs on how many take part; leave \
                 `limit` out",
            ));
        }
        let counts = |part: &&Part| part.figure == Figure::Aggregate(Aggregate::Count);
        let found = parts.iter().enumerate().find(|(_, part)| counts(part));
        let Some((part, Part { mechanism: Mechanism::Count(noise), .. })) = found else {
            return Err(problem(
                "groups whose keys are not declared are found by their noisy number of records; ask for count(*) too",
            ));
        };
        // What the figures do not spend of the delta is for the threshold.
        let own = Delta::new(delta.value() - loss.delta())?;
        Ok(Self { part, threshold: Threshold::new(people, noise, epsilon, &own)? })
    }

    /// For people.
    pub fn remark(&self) -> String {
        format!(
            "The keys are not declared: a group is told where its noisy number of records is {} or more, so that a group of one person is told with a \
             probability of at most delta. Smaller groups are left out, and nobody learns how many there are; numbers of groups near the \
             threshold tend to be too large, because only those are told that got there.",
            self.threshold.least()
        )
    }
}

/// The groups that occur among records: per record its group, and the labels of each, in the order of their texts, so that neither the order of
/// the file nor the kind of a column is told.
pub(super) fn found(table: &Table, keys: &[Keys], group_of: &mut [u32]) -> Vec<Vec<Option<String>>> {
    let columns: Option<Vec<_>> = keys
        .iter()
        .map(|own| table.column(&own.column).map(|column| (column, own, own.of_codes(column))))
        .collect();
    let Some(columns) = columns else { return Vec::new() };
    let mut rows_of: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (row, group) in group_of.iter_mut().enumerate().filter(|(_, group)| **group != NOWHERE) {
        *group = NOWHERE;
        let labels =
            columns.iter().map(|(column, own, places)| label(column, own, places, column.codes[row])); // why: one code per record
        if let Some(label) = labels.collect::<Option<Vec<&str>>>() {
            rows_of.entry(label).or_default().push(row);
        }
    }
    let numbered = rows_of.into_iter().enumerate().map(|(group, (label, rows))| {
        rows.into_iter().for_each(|row| group_of[row] = group as u32); // why: rows are those of the table
        label.into_iter().map(|own| Some(own.to_owned())).collect()
    });
    numbered.collect()
}

/// The label of a key; nothing for a missing value, and for one that is not declared where others are.
fn label<'a>(column: &'a Column, own: &'a Keys, places: &[u32], code: u32) -> Option<&'a str> {
    match own.is_unknown {
        true => (!column.domain.is_missing(code)).then(|| column.domain.text(code)),
        false => places
            .get(code as usize)
            .filter(|place| **place != NOWHERE)
            .map(|&place| own.label(place as usize)),
    }
}
