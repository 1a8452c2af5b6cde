//! Synthetic records by tables of one and of two columns (`--mechanism marginals`, `privet_dp::MarginalTree`).
//!
//! Guarantee: all records together cost what the question costs, whatever is computed from them. Columns and their values are declared; records with
//! an undeclared value of one of the columns count nowhere, unless a group for such values is named.

use std::collections::BTreeMap;

use privet_dp::{DpError, Loss, MarginalTree, People, Privacy};
use privet_measure::answer::{Aggregate, Figure, PrivateQuestion};

use super::declared::{Flags, problem};
use super::error::QueryError;
use super::execute::{Line, Number, Released};
use super::keys::Keys;
use super::{NoiseOf, PlannedFigure};

/// The most records that are drawn.
const MOST_RECORDS: u64 = 10_000_000;

/// How records are drawn.
#[derive(Debug)]
pub(super) struct Tree {
    tree: MarginalTree,
    records: u64,
    columns: usize,
}

impl Tree {
    pub fn new(
        question: &PrivateQuestion,
        people: People,
        keys: &[Keys],
        privacy: &Privacy,
        flags: &Flags,
    ) -> Result<Self, QueryError> {
        let counts =
            matches!(&question.select[..], [only] if only.figure == Figure::Aggregate(Aggregate::Count));
        let is_plain =
            question.order.is_none() && question.limit.is_none() && question.grouping_sets.is_empty();
        if !counts || !is_plain || keys.len() < 2 {
            return Err(problem(
                "--mechanism marginals draws records from `select A, B, C, count(*) from data group by A, B, C`, of two columns or more, without \
                 `order by` and `limit`",
            ));
        }
        let Some(records) = flags.synthetic.filter(|own| (1..=MOST_RECORDS).contains(own)) else {
            return Err(problem(format!(
                "--mechanism marginals needs --synthetic N, the number of records to draw, from 1 to {MOST_RECORDS}"
            )));
        };
        let sizes: Vec<u32> = keys.iter().map(|own| u32::try_from(own.len()).unwrap_or(u32::MAX)).collect();
        let tree = MarginalTree::new(people, &sizes, privacy)?;
        Ok(Self { tree, records, columns: keys.len() })
    }

    pub fn loss(&self) -> &Loss {
        self.tree.loss()
    }

    pub fn planned(&self) -> PlannedFigure {
        let [ones, pairs] = self.tree.noises();
        PlannedFigure {
            name: "synthetic records".to_owned(),
            noise: format!("tables of one column: {ones}; of two: {pairs}"),
            law: None,
            half_width_95: None,
            half_width_95_times_records: None,
            rounding: None,
            rank_error_95: None,
            rank_error_95_if_even: None,
            rounded_to: None,
            noises: vec![
                NoiseOf::new("all tables of one column", ones, 1.0),
                NoiseOf::new("all tables of two columns", pairs, 1.0),
            ],
            untold: Some("drawn records are no estimate of the counts in the table".to_owned()),
        }
    }

    pub fn remarks(&self) -> Vec<String> {
        vec![format!(
            "{} records are drawn from a model of {} tables by one column and {} by two, which form a tree; the pairs are chosen privately, those that \
             depend most on each other. What three columns say together is kept only as far as pairs say it.",
            self.records,
            self.columns,
            self.columns - 1
        )]
    }

    /// The records, by combinations of keys. `columns` are the keys of the table's records that count.
    pub fn release(&self, columns: &[Vec<u32>], keys: &[Keys]) -> Result<Released, DpError> {
        let slices: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let drawn = self.tree.release(&slices, Some(self.records))?;
        let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for row in 0..drawn.columns.first().map_or(0, Vec::len) {
            let record = drawn.columns.iter().map(|column| column[row]).collect(); // why: all columns have as many rows
            *counts.entry(record).or_default() += 1;
        }
        let label = |(&code, own): (&u32, &Keys)| Some(own.label(code as usize).to_owned());
        let lines = counts.into_iter().map(|(record, count)| Line {
            group: record.iter().zip(keys).map(label).collect(),
            numbers: vec![Number { value: count as f64, half_width_95: None, rank_error_95: None }],
        });
        let name = |at: usize| keys.get(at).map_or("", |own| own.column.as_str());
        let pairs: Vec<String> =
            drawn.pairs.iter().map(|&(a, b)| format!("{} and {}", name(a), name(b))).collect();
        let remark = format!("The pairs of columns that were chosen: {}.", pairs.join("; "));
        Ok(Released { lines: lines.collect(), remarks: vec![remark] })
    }
}
