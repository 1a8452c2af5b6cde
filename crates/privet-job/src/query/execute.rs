//! From the data and a plan to noisy numbers.
//!
//! Guarantee: which group a record is in, whether it counts and with which number depends on that record alone and, for
//! contribution limits, on the earlier records of the same person; so what the plan says of one person's influence
//! holds. Numbers are rounded to the declared grid and moved within the declared bounds before anything is added up; a
//! record whose value is missing or no finite number (`cell.rs`) is left out of the figures of that column. Records of which
//! it is not known whose they are count nowhere when a limit per person is set.

use privet_data::io::{ReadError, ReadErrorKind, ReadOptions, read};
use privet_data::{Progress, Silent, Table};
use privet_dp::ledger::{Marker, Population};
use privet_dp::{Bounds, DpError};
use privet_measure::answer::RankBy;
use std::path::Path;

use super::cell;
use super::condition::taken;
use super::error::QueryError;
use super::keys::{Keys, NOWHERE};
use super::plan::{Error, Mechanism, Part, Plan, Way};
use super::population::population;
use super::session::Session;

/// The records as a plan looks at them. Exact, so nothing of it may be shown.
pub(super) struct Exact {
    table: Table,
    /// Per record whether it is among those of its person that count.
    kept: Vec<bool>,
    /// Per record its group, or nowhere.
    group_of: Vec<u32>,
}

/// What an answer says.
pub(super) struct Released {
    pub lines: Vec<Line>,
    /// What there is to know of it, in sentences.
    pub remarks: Vec<String>,
}

/// A noisy number.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Number {
    /// The answer.
    pub value: f64,
    /// With a probability of 95 % the noise is at most this, in the figure's own unit; that of all groups at once where
    /// the lines that are shown were chosen by this number.
    pub half_width_95: Option<f64>,
    /// Quantiles: with a probability of 95 % at most so many records lie between the answer and the true quantile; the
    /// same where lines were chosen.
    pub rank_error_95: Option<f64>,
}

/// One line of an answer.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Line {
    /// The keys of the columns of `group by`; none for a column that this table of several does not have.
    pub group: Vec<Option<String>>,
    /// One number for each figure.
    pub numbers: Vec<Number>,
}

impl Exact {
    /// Reads the columns that the plan needs, and who is in the table where the ledger marks people.
    pub fn read(
        plan: &Plan,
        path: &Path,
        options: &ReadOptions,
        marker: Option<&Marker>,
        progress: &dyn Progress,
    ) -> Result<(Self, Option<Population>), QueryError> {
        let needed = plan.columns();
        let only_persons = marker.is_none_or(|marker| marker.by_person);
        let columns = only_persons.then(|| needed.clone());
        let input = read(path, &ReadOptions { columns, ..options.clone() }, progress)?;
        if let Some(name) = needed.iter().find(|name| !input.names.contains(name)) {
            let kind = ReadErrorKind::UnknownColumn { name: name.clone(), names: input.names };
            return Err(ReadError { path: Some(path.to_owned()), kind }.into());
        }
        let mut table = input.table;
        progress.check()?;
        let person = plan.per_person.as_deref();
        let people = marker.map(|marker| population(&table, person, marker, only_persons));
        table.columns.retain(|column| needed.contains(&column.name));
        Ok((Self::new(plan, table), people))
    }

    pub fn new(plan: &Plan, table: Table) -> Self {
        let mut kept = vec![true; table.rows];
        if let Some(column) = plan.per_person.as_ref().and_then(|name| table.column(name)) {
            let persons: Vec<u64> = column.codes.iter().map(|&code| code.into()).collect();
            let keep = plan.people.keep(&persons);
            for ((kept, keep), &code) in kept.iter_mut().zip(keep).zip(&column.codes) {
                *kept = keep && !column.domain.is_missing(code);
            }
        }
        let taken = taken(&plan.question.filter, &table);
        let place = |(&kept, taken): (&bool, bool)| if kept && taken { 0 } else { NOWHERE };
        let mut group_of: Vec<u32> = kept.iter().zip(taken).map(place).collect();
        if let Way::Marginals(_) = plan.way {
            return Self { table, kept, group_of };
        }
        for keys in &plan.keys {
            let Some(column) = table.column(&keys.column) else { continue };
            let key_of_code = keys.of_codes(column);
            for (group, &code) in group_of.iter_mut().zip(&column.codes) {
                let key = key_of_code.get(code as usize).copied().unwrap_or(NOWHERE);
                // There are at most 2^20 groups.
                *group = if *group == NOWHERE || key == NOWHERE {
                    NOWHERE
                } else {
                    *group * keys.len() as u32 + key
                };
            }
        }
        Self { table, kept, group_of }
    }

    /// What the question asks for, with noise. Draws from the generator.
    pub fn release(&self, plan: &Plan) -> Result<Released, DpError> {
        self.release_until(plan, &Silent)?.ok_or(DpError::NoTable)
    }

    /// The same; nothing when the person asks to stop before it is there.
    pub fn release_until(&self, plan: &Plan, progress: &dyn Progress) -> Result<Option<Released>, DpError> {
        match &plan.way {
            Way::Figures | Way::Chosen(_) => {
                Ok(Some(Released { lines: self.figures(plan)?, remarks: Vec::new() }))
            }
            Way::Marginals(marginals) => {
                marginals.release(&self.key_columns(&plan.keys), &plan.keys, progress)
            }
            Way::Session(session) => session.release(&self.answers(session)).map(Some),
            Way::Synthetic(synthetic) => {
                synthetic.release(&self.counts(None, plan.groups.get()), plan).map(Some)
            }
        }
    }

    /// Noisy numbers, in the order and as many as the question asks for.
    fn figures(&self, plan: &Plan) -> Result<Vec<Line>, DpError> {
        let columns = plan.parts.iter().map(|part| self.part(part, plan.groups.get()));
        let columns = columns.collect::<Result<Vec<Vec<Number>>, DpError>>()?;
        let mut order: Vec<usize> = (0..plan.groups.get()).collect();
        if let Way::Chosen(choice) = &plan.way {
            order = choice.top.release(&self.counts(choice.column.as_deref(), plan.groups.get()))?;
        } else if let Some(ranking) = plan.question.order {
            match ranking.by {
                RankBy::Key(position) => {
                    order.sort_by_key(|&group| plan.keys_of(group).get(position).copied());
                }
                RankBy::Figure(position) => {
                    let part = plan.part_of.get(position).and_then(|&part| columns.get(part));
                    let value =
                        |group: usize| part.and_then(|own| own.get(group)).map_or(0.0, |own| own.value);
                    order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
                }
            }
            if ranking.descending {
                order.reverse();
            }
        }
        order.truncate(plan.question.limit.unwrap_or(usize::MAX));
        Ok(order
            .into_iter()
            .map(|group| Line {
                group: plan.labels(group),
                numbers: plan.part_of.iter().map(|&part| columns[part][group]).collect(), // why: one per part and group
            })
            .collect())
    }

    /// The number of records in each group, those left out whose value in a column is missing.
    pub(super) fn counts(&self, column: Option<&str>, groups: usize) -> Vec<u64> {
        let known = column.and_then(|name| self.table.column(name));
        let mut counts = vec![0u64; groups];
        for (row, &group) in self.group_of.iter().enumerate() {
            let missing = known.is_some_and(|own| own.domain.is_missing(own.codes[row])); // why: one code per record
            if let (false, Some(count)) = (missing, counts.get_mut(group as usize)) {
                *count += 1;
            }
        }
        counts
    }

    /// The keys of every record that counts, by column.
    fn key_columns(&self, keys: &[Keys]) -> Vec<Vec<u32>> {
        let of = |own: &Keys| {
            let Some(column) = self.table.column(&own.column) else { return Vec::new() };
            let key_of_code = own.of_codes(column);
            let records = self.group_of.iter().zip(&column.codes).filter(|(group, _)| **group != NOWHERE);
            records.map(|(_, &code)| key_of_code.get(code as usize).copied().unwrap_or(NOWHERE)).collect()
        };
        keys.iter().map(of).collect()
    }

    /// The exact answers of a session.
    fn answers(&self, session: &Session) -> Vec<u64> {
        let mut answers = Vec::new();
        for question in &session.questions {
            let taken = taken(&question.filter, &self.table);
            for output in &question.select {
                let known = output.figure.column().and_then(|name| self.table.column(name));
                let counts = |row: &usize| {
                    self.kept[*row] && taken[*row] // why: one of each per record
                        && !known.is_some_and(|own| own.domain.is_missing(own.codes[*row])) // why: one code per record
                };
                answers.push((0..self.table.rows).filter(counts).count() as u64);
            }
        }
        answers
    }

    /// One number for each group.
    fn part(&self, part: &Part, groups: usize) -> Result<Vec<Number>, DpError> {
        let error = part.error();
        match &part.mechanism {
            Mechanism::Count(noise) => {
                let counts = self.counts(part.figure.column(), groups);
                let noisy = noise.add_to_all(&counts)?;
                Ok(noisy.into_iter().map(|count| number(count as f64, error, None)).collect())
            }
            Mechanism::Sum { sum, noise } => self
                .units(part, &sum.bounds, groups)
                .into_iter()
                .map(|units| {
                    let noisy = sum.release(units, noise)?;
                    Ok(number(sum.bounds.grid().number(noisy), error, None))
                })
                .collect(),
            Mechanism::Average { mean, bounds } => {
                let width = bounds.grid().number(bounds.width() as i128);
                let off = mean.records_off_95_of_all(part.rivals);
                self.units(part, bounds, groups)
                    .into_iter()
                    .map(|units| {
                        let (value, records) = mean.release_with_records(units)?;
                        let value = number(value.to_f64().value(), error, Some(records));
                        // Where there may be no record at all, the average may be anything within the bounds.
                        let is_there = records as f64 - off >= 1.0;
                        // An average never leaves the bounds.
                        let half = |own: f64| if is_there { own.min(width) } else { width };
                        Ok(Number { half_width_95: value.half_width_95.map(half), ..value })
                    })
                    .collect()
            }
            Mechanism::Quantile { quantile, bounds } => self
                .units(part, bounds, groups)
                .into_iter()
                .map(|units| Ok(number(bounds.grid().number(quantile.release(units)?.into()), error, None)))
                .collect(),
            Mechanism::SmoothMedian { median, bounds } => self
                .units(part, bounds, groups)
                .into_iter()
                .map(|units| Ok(number(bounds.grid().number(median.release(units)?.into()), error, None)))
                .collect(),
        }
    }

    /// The numbers of a part's column by group, in units of its grid.
    pub(super) fn units(&self, part: &Part, bounds: &Bounds, groups: usize) -> Vec<Vec<i64>> {
        let mut units = vec![Vec::new(); groups];
        let Some(column) = part.figure.column().and_then(|name| self.table.column(name)) else {
            return units;
        };
        let domain = &column.domain;
        let of_code: Vec<Option<i64>> = (0..domain.len() as u32)
            .map(|code| {
                let number = || cell::number(domain.text(code));
                if domain.is_missing(code) { None } else { number().map(|own| bounds.clamp_number(own)) }
            })
            .collect();
        for (&group, &code) in self.group_of.iter().zip(&column.codes) {
            let value = of_code.get(code as usize).copied().flatten();
            if let (Some(value), Some(units)) = (value, units.get_mut(group as usize)) {
                units.push(value);
            }
        }
        units
    }
}

fn number(value: f64, error: Error, records: Option<i128>) -> Number {
    let (half_width_95, rank_error_95) = match error {
        Error::HalfWidth(half) => (Some(half), None),
        Error::PerRecords { noise, rounding } => {
            (records.map(|records| noise / records.max(1) as f64 + rounding), None)
        }
        Error::Rank(records) => (None, records),
        Error::IfEven(_) => (None, None),
    };
    Number { value, half_width_95, rank_error_95 }
}
