//! The answer from records: lines, kinds of records that a condition cannot tell apart, and what they add up to.
//!
//! Labels with the same parts, and records with the same labels in that sense, are evaluated once. What they say is
//! added up in a fixed order, so that the answer does not depend on the number of threads.

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::extremes::Extremes;
use super::formula::{Outcome, Plan, evaluate};
use super::predicate::Predicate;
use super::region::{Part, cut};
use super::{
    Aggregate, Answer, AnswerCells, AnswerColumn, AnswerError, AnswerSource, Estimate, Line, MOST_LINES,
    Question, Records, bucket,
};
use crate::exact::ExactSum;

/// What is added up for one line.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub count: f64,
    pub sum: ExactSum,
    pub at_least: u64,
    pub at_most: u64,
    pub largest: Extremes,
    /// Of the negated numbers.
    pub smallest: Extremes,
    pub has_target: bool,
}

impl Tally {
    pub fn expect(&mut self, outcome: &Outcome, count: u64) {
        self.count += outcome.probability * count as f64;
        self.sum.add(outcome.sum, count);
    }
}

/// The lines of an answer: per record its line, and the labels of each.
struct Lines {
    of: Vec<u32>,
    labels: Vec<Vec<u32>>,
}

/// Kinds of records that a plan cannot tell apart: per kind its group, line, signature per slot, and number.
struct Kinds {
    /// Per kind (group, line).
    places: Vec<(u32, u32)>,
    /// Per kind and slot the number of its list of parts.
    lists: Vec<u32>,
    counts: Vec<u64>,
}

impl AnswerSource for Records {
    fn answer(&self, question: &Question) -> Result<Answer, AnswerError> {
        self.check()?;
        let by: Vec<usize> =
            question.group_by.iter().map(|name| self.find(name)).collect::<Result<_, _>>()?;
        let counted: Vec<usize> = by.iter().copied().filter(|&c| self.is_counted(c)).collect();
        let lines = self.lines(&by)?;
        let choices = self.choices(&counted, lines.labels.len())?;

        let mut answers: Vec<(Vec<String>, Vec<Estimate>)> = Vec::new();
        for choice in &choices {
            let codes: Vec<(usize, u32)> = counted.iter().copied().zip(choice.iter().copied()).collect();
            let mut figures = Vec::new();
            for output in &question.select {
                figures.push(self.figure(&output.aggregate, question, &lines, &codes)?);
            }
            for (line, labels) in lines.labels.iter().enumerate() {
                let mut labels = labels.iter();
                let mut group = Vec::with_capacity(by.len());
                for &column in &by {
                    let own = self.column(column)?;
                    let text = match codes.iter().find(|code| code.0 == column) {
                        Some(&(_, code)) => own.values.texts().get(code as usize),
                        None => labels.next().and_then(|&label| own.labels.get(label as usize)),
                    };
                    group.push(text.map_or_else(String::new, |text| (**text).to_owned()));
                }
                let estimates = figures.iter().filter_map(|figure| figure.get(line).copied()).collect();
                answers.push((group, estimates));
            }
        }
        Ok(Answer {
            group_by: by
                .iter()
                .map(|&c| self.column(c).map(|own| own.name.clone()))
                .collect::<Result<_, _>>()?,
            figures: question.select.iter().map(|output| output.name.clone()).collect(),
            lines: answers.into_iter().map(|(group, estimates)| Line { group, estimates }).collect(),
            records: self.rows as u64,
            suppressed: self.suppressed,
            labels_overlap: by
                .iter()
                .any(|&own| self.columns.get(own).is_some_and(AnswerColumn::labels_overlap)),
        })
    }
}

impl Records {
    pub(super) fn column(&self, position: usize) -> Result<&AnswerColumn, AnswerError> {
        self.columns.get(position).ok_or_else(|| AnswerError::UnknownColumn { columns: self.names() })
    }

    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// The column with this name, the case of letters aside when no other fits better.
    pub(super) fn find(&self, name: &str) -> Result<usize, AnswerError> {
        let exact = self.columns.iter().position(|column| column.name == name);
        let alike = || {
            let mut same = self.columns.iter().enumerate();
            let first = same.find(|(_, column)| column.name.eq_ignore_ascii_case(name))?;
            same.all(|(_, column)| !column.name.eq_ignore_ascii_case(name)).then_some(first.0)
        };
        exact.or_else(alike).ok_or_else(|| AnswerError::UnknownColumn { columns: self.names() })
    }

    fn is_counted(&self, column: usize) -> bool {
        self.columns.get(column).is_some_and(|column| matches!(column.cells, AnswerCells::PerGroup(_)))
    }

    /// Refuses columns that do not fit together, so that nothing below needs to look again.
    pub(super) fn check(&self) -> Result<(), AnswerError> {
        for column in &self.columns {
            let fits = match &column.cells {
                AnswerCells::PerRecord(codes) => {
                    let labels = column.regions.len().min(column.labels.len());
                    codes.len() == self.rows && codes.iter().all(|&code| (code as usize) < labels)
                }
                AnswerCells::PerGroup(histograms) => {
                    let mut sizes = vec![0u64; histograms.len()];
                    let known = self.group_of.iter().all(|&group| match sizes.get_mut(group as usize) {
                        Some(size) => {
                            *size += 1;
                            true
                        }
                        None => false,
                    });
                    let total = |cells: &Vec<(u32, u64)>| {
                        cells.iter().try_fold(0u64, |sum, cell| sum.checked_add(cell.1))
                    };
                    let values = column.values.len();
                    let coded = histograms.iter().flatten().all(|cell| (cell.0 as usize) < values);
                    known
                        && coded
                        && self.group_of.len() == self.rows
                        && histograms.iter().zip(&sizes).all(|(cells, &size)| total(cells) == Some(size))
                }
            };
            if !fits {
                return Err(AnswerError::Unfit { column: column.name.clone() });
            }
        }
        Ok(())
    }

    /// Records by what they show in the columns of `group by` that are known per record.
    fn lines(&self, by: &[usize]) -> Result<Lines, AnswerError> {
        let mut lines = Lines { of: vec![0; self.rows], labels: vec![Vec::new()] };
        for &position in by {
            let column = self.column(position)?;
            let AnswerCells::PerRecord(codes) = &column.cells else { continue };
            let mut pairs: Vec<(u32, u32)> = lines.of.iter().copied().zip(codes.iter().copied()).collect();
            pairs.sort_unstable();
            pairs.dedup();
            if pairs.len() > MOST_LINES {
                return Err(AnswerError::TooManyLines);
            }
            let number_of: HashMap<(u32, u32), u32> = pairs.iter().copied().zip(0..).collect();
            for (line, &code) in lines.of.iter_mut().zip(codes) {
                *line = number_of.get(&(*line, code)).copied().unwrap_or(0);
            }
            let labels = |&(line, code): &(u32, u32)| {
                let mut own = lines.labels.get(line as usize).cloned().unwrap_or_default();
                own.push(code);
                own
            };
            lines.labels = pairs.iter().map(labels).collect();
        }
        Ok(lines)
    }

    /// Every combination of values of the counted columns of `group by`; one empty combination without any.
    fn choices(&self, counted: &[usize], lines: usize) -> Result<Vec<Vec<u32>>, AnswerError> {
        let mut choices = vec![Vec::new()];
        for &column in counted {
            let values = self.column(column)?.values.len() as u32;
            if choices.len().saturating_mul(values as usize).saturating_mul(lines.max(1)) > MOST_LINES {
                return Err(AnswerError::TooManyLines);
            }
            let longer = |choice: Vec<u32>| (0..values).map(move |value| [&choice[..], &[value]].concat());
            choices = choices.into_iter().flat_map(longer).collect();
        }
        Ok(choices)
    }

    /// One figure, for every line.
    fn figure(
        &self,
        aggregate: &Aggregate,
        question: &Question,
        lines: &Lines,
        codes: &[(usize, u32)],
    ) -> Result<Vec<Estimate>, AnswerError> {
        let target = aggregate.column().map(|name| self.find(name)).transpose()?;
        let needs_number = matches!(aggregate, Aggregate::Sum(_) | Aggregate::Average(_));
        if let Some(column) = target.filter(|_| needs_number)
            && !self.column(column)?.is_numeric()
        {
            return Err(AnswerError::NotNumeric { column: self.column(column)?.name.clone() });
        }
        let plan = Plan::new(self, &question.filter, target, codes)?;
        let tallies = self.tally(&plan, lines)?;
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        let estimate = |tally: &Tally| match aggregate {
            Aggregate::Count | Aggregate::CountOf(_) => Estimate {
                expected: finite(tally.count),
                at_least: Some(tally.at_least as f64),
                at_most: Some(tally.at_most.saturating_add(self.suppressed) as f64),
                share: finite(tally.count / self.rows as f64),
                ..Estimate::default()
            },
            Aggregate::Sum(_) => {
                within(tally.sum.value(), tally.smallest.sum().map(|sum| 0.0 - sum), tally.largest.sum())
            }
            Aggregate::Average(_) => within(
                tally.sum.divided(tally.count),
                tally.smallest.average().map(|average| 0.0 - average),
                tally.largest.average(),
            ),
        };
        Ok(tallies.iter().map(estimate).collect())
    }

    fn tally(&self, plan: &Plan, lines: &Lines) -> Result<Vec<Tally>, AnswerError> {
        // Per slot the different lists of parts, and per label its list.
        let mut lists: Vec<Vec<Vec<Part>>> = Vec::new();
        let mut numbers: Vec<Option<Vec<u32>>> = Vec::new();
        let mut counted = Vec::new();
        for (slot, own) in plan.slots.iter().enumerate() {
            let column = self.column(own.column)?;
            if self.is_counted(own.column) {
                counted.push(slot);
                lists.push(Vec::new());
                numbers.push(None);
                continue;
            }
            let (own_lists, number_of) = distinct_lists(column, &own.predicates)?;
            lists.push(own_lists);
            numbers.push(Some(number_of));
        }
        let kinds = self.kinds(plan, lines, &numbers, !counted.is_empty())?;
        let width = plan.slots.len();
        let parts_of = |kind: usize| -> Vec<&[Part]> {
            let own = kinds.lists.get(kind * width..(kind + 1) * width).unwrap_or_default();
            let list = |(slot, &number): (usize, &u32)| {
                lists.get(slot).and_then(|l| l.get(number as usize)).map_or(&[][..], |parts| &parts[..])
            };
            own.iter().enumerate().map(list).collect()
        };
        let empty = Tally { has_target: plan.target.is_some(), ..Tally::default() };
        let mut tallies = vec![empty; lines.labels.len()];
        if counted.is_empty() {
            let outcomes: Vec<Outcome> = (0..kinds.counts.len())
                .into_par_iter()
                .map(|kind| evaluate(&plan.formula, plan.target, &parts_of(kind)))
                .collect::<Result<_, _>>()?;
            for ((outcome, &count), &(_, line)) in outcomes.iter().zip(&kinds.counts).zip(&kinds.places) {
                if let Some(tally) = tallies.get_mut(line as usize) {
                    bucket::add_record(outcome, count, tally);
                }
            }
            return Ok(tallies);
        }
        // Kinds are sorted by group, so each group is a stretch of them.
        let order: Vec<usize> = (0..kinds.counts.len()).collect();
        let stretches: Vec<&[usize]> =
            order.chunk_by(|&a, &b| kinds.places[a].0 == kinds.places[b].0).collect(); // why: as many places as counts
        let of_group = |stretch: &&[usize]| -> Result<Vec<(usize, Tally)>, AnswerError> {
            let Some(&(group, _)) = stretch.first().and_then(|&kind| kinds.places.get(kind)) else {
                return Ok(Vec::new());
            };
            let of_slot = |&slot: &usize| {
                let column = self.column(plan.slots[slot].column)?; // why: counted slots are slots
                let histogram = match &column.cells {
                    AnswerCells::PerGroup(all) => all.get(group as usize).map_or(&[][..], |cells| &cells[..]),
                    AnswerCells::PerRecord(_) => &[],
                };
                Ok(bucket::Counted::new(plan, slot, column, histogram))
            };
            let columns: Vec<bucket::Counted> =
                counted.iter().map(of_slot).collect::<Result<_, AnswerError>>()?;
            let own: Vec<bucket::Kind<'_>> = stretch
                .iter()
                .map(|&kind| bucket::Kind {
                    line: kinds.places[kind].1 as usize, // why: as many places as counts
                    count: kinds.counts[kind],           // why: a stretch of their positions
                    parts: parts_of(kind),
                })
                .collect();
            let mut present: Vec<usize> = own.iter().map(|kind| kind.line).collect();
            present.dedup();
            let mut found = Vec::with_capacity(present.len());
            for line in present {
                let mut tally = Tally { has_target: plan.target.is_some(), ..Tally::default() };
                bucket::add(plan, line, &own, &columns, &mut tally)?;
                found.push((line, tally));
            }
            Ok(found)
        };
        let found: Vec<Vec<(usize, Tally)>> = stretches.par_iter().map(of_group).collect::<Result<_, _>>()?;
        for (line, mut own) in found.into_iter().flatten() {
            let Some(tally) = tallies.get_mut(line) else { continue };
            tally.count += own.count;
            tally.sum.merge(&own.sum);
            tally.at_least += own.at_least;
            tally.at_most += own.at_most;
            for (all, own) in
                [(&mut tally.largest, &mut own.largest), (&mut tally.smallest, &mut own.smallest)]
            {
                all.forced.append(&mut own.forced);
                all.optional.append(&mut own.optional);
            }
        }
        Ok(tallies)
    }

    /// Records that stand in the same line and have the same lists of parts, in the same group where groups count.
    fn kinds(
        &self,
        plan: &Plan,
        lines: &Lines,
        numbers: &[Option<Vec<u32>>],
        by_group: bool,
    ) -> Result<Kinds, AnswerError> {
        let group_of = |record: usize| {
            if by_group { self.group_of.get(record).copied().unwrap_or(0) } else { 0 }
        };
        let mut ids: Vec<u32> = vec![0; self.rows];
        let mut columns: Vec<Box<dyn Fn(usize) -> u32 + '_>> = Vec::new();
        columns.push(Box::new(group_of));
        columns.push(Box::new(|record| lines.of.get(record).copied().unwrap_or(0)));
        for (slot, number_of) in plan.slots.iter().zip(numbers) {
            let own = match (&self.column(slot.column)?.cells, number_of) {
                (AnswerCells::PerRecord(codes), Some(number_of)) => Some((codes, number_of)),
                _ => None,
            };
            columns.push(Box::new(move |record| {
                own.and_then(|(codes, number_of)| number_of.get(*codes.get(record)? as usize).copied())
                    .unwrap_or(0)
            }));
        }
        for column in &columns {
            let mut number_of: HashMap<u64, u32> = HashMap::new();
            for (record, id) in ids.iter_mut().enumerate() {
                let next = number_of.len() as u32;
                *id = *number_of.entry(u64::from(*id) << 32 | u64::from(column(record))).or_insert(next);
            }
        }
        // One record of each kind, and how many there are.
        let mut found: Vec<(usize, u64)> = Vec::new();
        for (record, &id) in ids.iter().enumerate() {
            match found.get_mut(id as usize) {
                Some(kind) => kind.1 += 1,
                None => found.push((record, 1)),
            }
        }
        let tuple = |record: usize| columns.iter().map(|column| column(record)).collect::<Vec<u32>>();
        let mut tuples: Vec<(Vec<u32>, u64)> =
            found.into_iter().map(|(record, count)| (tuple(record), count)).collect();
        tuples.sort_unstable();
        let mut kinds = Kinds { places: Vec::new(), lists: Vec::new(), counts: Vec::new() };
        for (tuple, count) in &tuples {
            if let [group, line, lists @ ..] = &tuple[..] {
                kinds.places.push((*group, *line));
                kinds.lists.extend(lists);
                kinds.counts.push(*count);
            }
        }
        Ok(kinds)
    }
}

/// An expectation with its bounds. Only rounding can carry it out of them, and far where large numbers nearly cancel; bounds
/// are exact, so it is moved to them then.
fn within(expected: f64, at_least: Option<f64>, at_most: Option<f64>) -> Estimate {
    let expected = Some(expected).filter(|own| own.is_finite()).map(|own| {
        let own = at_least.map_or(own, |least| own.max(least));
        at_most.map_or(own, |most| own.min(most))
    });
    Estimate { expected, at_least, at_most, ..Estimate::default() }
}

/// Cuts every label, and numbers the different lists of parts. Labels with the same list need not be told apart.
pub(super) fn distinct_lists(
    column: &AnswerColumn,
    predicates: &[Predicate],
) -> Result<(Vec<Vec<Part>>, Vec<u32>), AnswerError> {
    let labels = column.regions.len() as u32;
    let cuts: Vec<Vec<Part>> =
        (0..labels).into_par_iter().map(|label| cut(column, label, predicates)).collect::<Result<_, _>>()?;
    let key = |parts: &[Part]| -> Vec<u64> {
        let bits =
            |p: &Part| [p.truth, p.share.to_bits(), p.least.to_bits(), p.most.to_bits(), p.mean.to_bits()];
        parts.iter().flat_map(bits).collect()
    };
    let mut number_of: HashMap<Vec<u64>, u32> = HashMap::new();
    let mut lists = Vec::new();
    let mut numbers = Vec::with_capacity(cuts.len());
    for parts in cuts {
        let next = lists.len() as u32;
        let number = *number_of.entry(key(&parts)).or_insert(next);
        if number == next {
            lists.push(parts);
        }
        numbers.push(number);
    }
    Ok((lists, numbers))
}
