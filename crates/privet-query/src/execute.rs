//! From the data and a plan to noisy numbers.
//!
//! Guarantee: which group a record is in, whether it counts and with which number depends on that record alone and, for
//! contribution limits, on the earlier records of the same person; so what the plan says of one person's influence
//! holds. Numbers are rounded to the declared grid and moved within the declared bounds before anything is added up; a
//! record whose value is missing or no finite number (`cell.rs`) is left out of the figures of that column. Records of which
//! it is not known whose they are count nowhere when a limit per person is set.

use privet_data::io::{ReadOptions, read};
use privet_data::{Column, Progress, Silent, Table};
use privet_dp::ledger::{Marker, Population};
use privet_dp::{Bounds, DpError, Observation};
use privet_measure::answer::{ExplainedBy, Figure, Formula, RankBy, cell_number, taken};
use std::collections::HashSet;
use std::path::Path;

use super::error::QueryError;
use super::keys::{Keys, NOWHERE};
use super::model::Model;
use super::origin::unknown as unknown_column;
use super::plan::{Error, Mechanism, Part, Plan, Way};
use super::population::population;
use super::session::Session;
use super::unknown;

/// The records as a plan looks at them. Exact, so nothing of it may be shown.
pub(super) struct Exact {
    table: Table,
    /// Per record whether it is among those of its person that count.
    kept: Vec<bool>,
    /// Per record its group, or nowhere.
    group_of: Vec<u32>,
    /// The groups that occur, where keys are not declared.
    found: Option<Vec<Vec<Option<String>>>>,
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
        let is_missing = |name: &&String| !input.names.contains(name);
        if plan.sources.is_plain()
            && let Some(name) = needed.iter().find(is_missing)
        {
            return Err(unknown_column(path, name, input.names));
        }
        let mut table = input.table;
        progress.check()?;
        let person = plan.per_person.as_deref();
        let people = marker.map(|marker| population(&table, person, marker, only_persons));
        table.columns.retain(|column| needed.contains(&column.name));
        if !plan.sources.is_plain() {
            table = plan.sources.made(table, &needed, progress)?;
            let names = || table.columns.iter().map(|own| own.name.clone()).collect::<Vec<String>>();
            if let Some(name) = plan.outer_columns().into_iter().find(|name| table.column(name).is_none()) {
                return Err(unknown_column(path, &name, names()));
            }
        }
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
        if let Way::Marginals(_) | Way::Tree(_) = plan.way {
            return Self { table, kept, group_of, found: None };
        }
        let found = plan.unknown.as_ref().map(|_| unknown::found(&table, &plan.keys, &mut group_of));
        let declared = if found.is_some() { &[][..] } else { &plan.keys[..] };
        for keys in declared {
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
        let people = &plan.people;
        let is_limited = people.groups().min(people.per_group()) < people.contributions();
        if let Some(column) = plan.per_person.as_ref().and_then(|name| table.column(name))
            && is_limited
        {
            let persons: Vec<u64> = column.codes.iter().map(|&code| code.into()).collect();
            let groups: Vec<Option<u32>> =
                group_of.iter().map(|&group| (group != NOWHERE).then_some(group)).collect();
            for (group, keep) in group_of.iter_mut().zip(people.keep_in_groups(&persons, &groups)) {
                *group = if keep { *group } else { NOWHERE };
            }
        }
        Self { table, kept, group_of, found }
    }

    /// The number of groups, told or not.
    fn groups(&self, plan: &Plan) -> usize {
        self.found.as_ref().map_or(plan.groups.get(), Vec::len)
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
            Way::Tree(tree) => tree.release(&self.key_columns(&plan.keys), &plan.keys).map(Some),
            Way::Model(model) => model.release(self.observations(plan, model)).map(Some),
            Way::Session(session) => session.release(&self.answers(session)).map(Some),
            Way::Synthetic(synthetic) => {
                synthetic.release(&self.counts(None, plan.groups.get()), plan).map(Some)
            }
        }
    }

    /// Noisy numbers, in the order and as many as the question asks for.
    fn figures(&self, plan: &Plan) -> Result<Vec<Line>, DpError> {
        let groups = self.groups(plan);
        let columns = plan.parts.iter().map(|part| self.part(plan, part, groups));
        let columns = columns.collect::<Result<Vec<Vec<Number>>, DpError>>()?;
        let mut order: Vec<usize> = (0..groups).collect();
        if let Some(unknown) = &plan.unknown {
            let counts = columns.get(unknown.part);
            let count = |group: usize| counts.and_then(|own| own.get(group)).map_or(0.0, |own| own.value);
            // A group of which the limits leave no record does not occur: somebody could have any number of them.
            let records = self.counts(None, groups);
            let occurs = |group: usize| records.get(group).is_some_and(|&records| records > 0);
            order.retain(|&group| occurs(group) && unknown.threshold.tells(count(group) as i128));
        }
        if let Way::Chosen(choice) = &plan.way {
            order = choice.top.release(&self.counts(choice.column.as_deref(), plan.groups.get()))?;
        } else if let Some(ranking) = plan.question.order {
            match ranking.by {
                RankBy::Key(position) if self.found.is_some() => {
                    order.sort_by_key(|&group| self.labels(plan, group).get(position).cloned());
                }
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
                group: self.labels(plan, group),
                numbers: plan.part_of.iter().map(|&part| columns[part][group]).collect(), // why: one per part and group
            })
            .collect())
    }

    /// The labels of a group.
    fn labels(&self, plan: &Plan, group: usize) -> Vec<Option<String>> {
        match &self.found {
            Some(found) => found.get(group).cloned().unwrap_or_default(),
            None => plan.labels(group),
        }
    }

    /// The number of different values in each group.
    fn distinct(&self, column: &str, groups: usize) -> Vec<u64> {
        let mut counts = vec![0u64; groups];
        let Some(column) = self.table.column(column) else { return counts };
        let mut seen: HashSet<(u32, u32)> = HashSet::new();
        for (&group, &code) in self.group_of.iter().zip(&column.codes) {
            if let Some(count) = counts.get_mut(group as usize)
                && !column.domain.is_missing(code)
                && seen.insert((group, code))
            {
                *count += 1;
            }
        }
        counts
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
    fn part(&self, plan: &Plan, part: &Part, groups: usize) -> Result<Vec<Number>, DpError> {
        let error = part.error();
        let units = |bounds: &Bounds| match plan
            .question
            .computed
            .iter()
            .find(|own| part.figure.column() == Some(own.0.as_str()))
        {
            Some((_, formula)) => self.computed(plan, formula, groups),
            None => self.units(part, bounds, groups),
        };
        match &part.mechanism {
            Mechanism::Count(noise) => {
                let counts = match &part.figure {
                    Figure::CountDistinct { column } => self.distinct(column, groups),
                    other => self.counts(other.column(), groups),
                };
                let noisy = noise.add_to_all(&counts)?;
                Ok(noisy.into_iter().map(|count| number(count as f64, error)).collect())
            }
            Mechanism::Sum { sum, noise } => units(&sum.bounds)
                .into_iter()
                .map(|units| {
                    let noisy = sum.release(units, noise)?;
                    Ok(number(sum.bounds.grid().number(noisy), error))
                })
                .collect(),
            Mechanism::Average { mean, bounds } => {
                let width = bounds.grid().number(bounds.width() as i128);
                let rounding = match error {
                    Error::PerRecords { rounding, .. } => rounding,
                    _ => 0.0,
                };
                let told = |units: Vec<i64>| {
                    let (value, half) = mean.release_with_width(units, part.rivals)?;
                    // An average never leaves the bounds.
                    let half_width_95 = Some((half + rounding).min(width));
                    Ok(Number { value: value.to_f64().value(), half_width_95, rank_error_95: None })
                };
                units(bounds).into_iter().map(told).collect()
            }
            Mechanism::Spread { spread, bounds } => {
                let told = |units: Vec<i64>| {
                    let found = spread.release(units, part.rivals)?;
                    Ok(Number {
                        value: found.value,
                        half_width_95: Some(found.half_width_95),
                        rank_error_95: None,
                    })
                };
                units(bounds).into_iter().map(told).collect()
            }
            Mechanism::Quantile { quantile, bounds } => units(bounds)
                .into_iter()
                .map(|units| Ok(number(bounds.grid().number(quantile.release(units)?.into()), error)))
                .collect(),
            Mechanism::SmoothMedian { median, bounds } => units(bounds)
                .into_iter()
                .map(|units| Ok(number(bounds.grid().number(median.release(units)?.into()), error)))
                .collect(),
        }
    }

    /// What is computed from several columns, by group, in units of its grid; records in which one of them is missing are left out.
    fn computed(&self, plan: &Plan, formula: &Formula, groups: usize) -> Vec<Vec<i64>> {
        let mut units = vec![Vec::new(); groups];
        let value = self.evaluated(plan, formula);
        for (row, &group) in self.group_of.iter().enumerate() {
            if let (Some(units), Some(value)) = (units.get_mut(group as usize), value(row)) {
                units.push(value);
            }
        }
        units
    }

    /// The number of a formula in a record, in units of its grid.
    fn evaluated(&self, plan: &Plan, formula: &Formula) -> impl Fn(usize) -> Option<i64> + use<> {
        let mut columns = Vec::new();
        for name in formula.columns() {
            if let (Some(column), Some(bounds)) = (self.table.column(name), plan.bounds_of_column(name)) {
                let units = units_of_codes(column, &bounds);
                columns.push((name.to_owned(), column.codes.clone(), units, bounds.grid().decimals()));
            }
        }
        let formula = formula.clone();
        move |row: usize| {
            let of = |name: &str| {
                let (_, codes, of_code, decimals) = columns.iter().find(|own| own.0 == name)?;
                let code = *codes.get(row)? as usize;
                of_code.get(code).copied().flatten().map(|units| (units, *decimals))
            };
            formula.units(&of).and_then(|(value, _)| i64::try_from(value).ok())
        }
    }

    /// The records of a regression: those that count and in which all numbers are known.
    fn observations(&self, plan: &Plan, model: &Model) -> Vec<Observation> {
        let number = |name: &str| {
            let computed = plan.question.computed.iter().find(|own| own.0 == name);
            self.evaluated(
                plan,
                &computed.map_or_else(|| Formula::Column(name.to_owned()), |own| own.1.clone()),
            )
        };
        let explaining: Vec<_> = model.question.explaining.iter().map(|name| number(name)).collect();
        let (line, holds) = match &model.question.explained {
            ExplainedBy::Line(name) => (Some(number(name)), Vec::new()),
            ExplainedBy::LogOdds(condition) => (None, taken(condition, &self.table)),
        };
        let counted = (0..self.table.rows).filter(|&row| self.group_of.get(row) == Some(&0));
        counted
            .filter_map(|row| {
                let explained = match &line {
                    Some(number) => number(row)?,
                    None => i64::from(holds.get(row).copied().unwrap_or(false)),
                };
                let explaining = explaining.iter().map(|number| number(row)).collect::<Option<Vec<i64>>>()?;
                Some(Observation { explained, explaining })
            })
            .collect()
    }

    /// The numbers of a part's column by group, in units of its grid.
    pub(super) fn units(&self, part: &Part, bounds: &Bounds, groups: usize) -> Vec<Vec<i64>> {
        let mut units = vec![Vec::new(); groups];
        let Some(column) = part.figure.column().and_then(|name| self.table.column(name)) else {
            return units;
        };
        let of_code = units_of_codes(column, bounds);
        for (&group, &code) in self.group_of.iter().zip(&column.codes) {
            let value = of_code.get(code as usize).copied().flatten();
            if let (Some(value), Some(units)) = (value, units.get_mut(group as usize)) {
                units.push(value);
            }
        }
        units
    }
}

/// Per code of a column its number in units, within the bounds; nothing for what is missing or no number.
fn units_of_codes(column: &Column, bounds: &Bounds) -> Vec<Option<i64>> {
    let domain = &column.domain;
    let units = |code: u32| match domain.is_missing(code) {
        true => None,
        false => cell_number(domain.text(code)).map(|own| bounds.clamp_number(own)),
    };
    (0..domain.len() as u32).map(units).collect()
}

fn number(value: f64, error: Error) -> Number {
    let (half_width_95, rank_error_95) = match error {
        Error::HalfWidth(half) => (Some(half), None),
        Error::Rank(records) => (None, records),
        Error::PerRecords { .. } | Error::Beside { .. } | Error::IfEven(_) => (None, None),
    };
    Number { value, half_width_95, rank_error_95 }
}
