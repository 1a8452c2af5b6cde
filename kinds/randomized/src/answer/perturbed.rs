//! Answers from a perturbed release (survey US-07, US-08): counts, sums and averages by inverting the published laws.
//!
//! A record that shows v counts, for a condition g on the original, as Σ_u g(u)·B[u,v] with B the inverse of the
//! transposed law; conditions on several columns multiply, because columns are perturbed independently. The same for
//! sums, with g(u)·x(u). A number with noise stands for itself: the noise has mean 0.
//!
//! # Guarantee
//! Counts and sums are unbiased, and so are their variances: of a record's weight w with E w = g ∈ {0, 1} the variance
//! is E w² − g, estimated by w² − w; of its part t of a sum, with E t = g·x, it is estimated by t² − s where E s = g·x².
//! An average is a ratio; its error is that of the first order and its interval Fieller's, and there is none where the number of
//! its records cannot be told from 0. Intervals are normal, for many records, and wider where few show what is asked for
//! (`weights.rs`). Hard bounds are the trivial ones: a perturbed value
//! excludes hardly anything.

use std::collections::BTreeMap;

use privet_data::{Column, Kind};
use privet_measure::answer::{
    Aggregate, Answer, AnswerError, AnswerSource, Comparison, Condition, Estimate, Line, Question, Test,
};
use privet_release::PublishedPerturbed;

use super::AskError;
use super::matching::passes;
use super::weights::{Tally, Target, Weighed, tally};
use crate::randomize::model::{ReadyColumn, ReadyLaw, ready};

/// Sets of items are asked about elsewhere.
fn of_items(name: &str) -> AnswerError {
    AnswerError::NotEstimable(format!(
        "`{name}` holds randomized sets of items; `privet reconstruct RELEASE {name} --itemset \"a,b\"` estimates how many held \
         some"
    ))
}

/// More lines than anyone reads.
const MOST_LINES: usize = 10_000;

/// A perturbed release to be asked.
pub(crate) struct Perturbed<'a> {
    published: &'a PublishedPerturbed,
    ready: Vec<ReadyColumn>,
}

/// A column of categories, and what is asked of it.
#[derive(Clone)]
struct Asked {
    position: usize,
    /// Per original value whether it meets the conditions.
    meets: Vec<bool>,
    /// Whether a missing value does.
    missing_meets: bool,
}

impl<'a> Perturbed<'a> {
    pub fn new(published: &'a PublishedPerturbed) -> Result<Self, AskError> {
        let ready = ready(&published.manifest.model)?;
        Ok(Self { published, ready })
    }

    fn find(&self, name: &str) -> Result<usize, AnswerError> {
        let columns = &self.published.table.columns;
        let exact = columns.iter().position(|column| column.name == name);
        exact.or_else(|| columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))).ok_or_else(
            || AnswerError::UnknownColumn {
                columns: columns.iter().map(|column| column.name.clone()).collect(),
            },
        )
    }

    fn column(&self, position: usize) -> Result<(&Column, &ReadyLaw), AnswerError> {
        let own = self.published.table.columns.get(position).zip(self.ready.get(position));
        own.map(|(column, own)| (column, &own.law)).ok_or(AnswerError::Unfit { column: String::new() })
    }

    /// Per record of a column of categories its code in the law; `None` where it is missing.
    fn codes(&self, position: usize) -> Result<Vec<Option<u32>>, AnswerError> {
        let (column, law) = self.column(position)?;
        let ReadyLaw::Categories(law) = law else { return Ok(Vec::new()) };
        let of_code: Vec<Option<u32>> = column.domain.texts().iter().map(|text| law.code(text)).collect();
        let fits = |&code: &u32| {
            of_code.get(code as usize).is_some_and(Option::is_some) || column.domain.is_missing(code)
        };
        if !column.codes.iter().all(fits) {
            return Err(AnswerError::Unfit { column: column.name.clone() });
        }
        Ok(column.codes.iter().map(|&code| of_code.get(code as usize).copied().flatten()).collect())
    }

    /// Per record whether it passes a test of a column that tells: one that is published as it was, or any for
    /// `is null`.
    fn exact(&self, test: &Test) -> Result<Vec<bool>, AnswerError> {
        let (column, _) = self.column(self.find(&test.column)?)?;
        let domain = &column.domain;
        let outcomes = (0..domain.len() as u32)
            .map(|code| passes(test, domain.kind(), (!domain.is_missing(code)).then(|| domain.text(code))))
            .collect::<Result<Vec<bool>, _>>()?;
        Ok(column.codes.iter().map(|&code| outcomes.get(code as usize).copied().unwrap_or(false)).collect())
    }

    /// Whether the outcome of a test is known of every record.
    fn is_known(&self, test: &Test) -> Result<bool, AnswerError> {
        let (column, law) = self.column(self.find(&test.column)?)?;
        Ok(match law {
            ReadyLaw::Keep => true,
            ReadyLaw::Noise(_) => matches!(test.comparison, Comparison::IsNull),
            ReadyLaw::Items(_) => false,
            ReadyLaw::Categories(law) => {
                // Where missing is a value of the domain it is perturbed like any other.
                let domain = &column.domain;
                let stays = (0..domain.missing()).all(|code| law.code(domain.text(code)).is_none());
                matches!(test.comparison, Comparison::IsNull) && stays
            }
        })
    }

    fn mask(&self, condition: &Condition) -> Result<Vec<bool>, AnswerError> {
        let rows = self.published.table.rows;
        match condition {
            Condition::Test(test) => self.exact(test),
            Condition::All(parts) => {
                let mut mask = vec![true; rows];
                for part in parts {
                    mask.iter_mut().zip(self.mask(part)?).for_each(|(own, part)| *own &= part);
                }
                Ok(mask)
            }
            Condition::Any(parts) => {
                let mut mask = vec![false; rows];
                for part in parts {
                    mask.iter_mut().zip(self.mask(part)?).for_each(|(own, part)| *own |= part);
                }
                Ok(mask)
            }
        }
    }

    /// Cuts a condition into what is known of every record, and what is asked of each perturbed column.
    fn plan(&self, filter: &Condition) -> Result<(Vec<bool>, Vec<Asked>), AnswerError> {
        let mut parts = Vec::new();
        flatten(filter, &mut parts);
        let mut mask = vec![true; self.published.table.rows];
        let mut asked: Vec<Asked> = Vec::new();
        for part in parts {
            let mut tests = Vec::new();
            part.for_each_test(&mut |test| tests.push(test));
            let mut unknown = Vec::new();
            for test in &tests {
                if !self.is_known(test)? {
                    unknown.push(self.find(&test.column)?);
                }
            }
            unknown.dedup();
            let Some(&position) = unknown.first() else {
                mask.iter_mut().zip(self.mask(part)?).for_each(|(own, part)| *own &= part);
                continue;
            };
            let (column, law) = self.column(position)?;
            if let ReadyLaw::Items(_) = law {
                return Err(of_items(&column.name));
            }
            let ReadyLaw::Categories(law) = law else {
                return Err(AnswerError::NotEstimable(format!(
                    "`{0}` has noise, and which records lie where before it is not known; `privet reconstruct RELEASE {0}` \
                     estimates its distribution",
                    column.name
                )));
            };
            for test in &tests {
                if self.find(&test.column)? != position {
                    return Err(AnswerError::NotEstimable(format!(
                        "the condition joins `{}`, which is perturbed, with another column by `or`; ask for the parts one by \
                         one",
                        column.name
                    )));
                }
            }
            let kind = Kind::of(law.values.iter().map(String::as_str));
            let markers: Vec<&str> =
                (0..column.domain.missing()).map(|code| column.domain.text(code)).collect();
            let meets = law
                .values
                .iter()
                .map(|value| holds(part, kind, (!markers.contains(&value.as_str())).then_some(value)))
                .collect::<Result<Vec<bool>, _>>()?;
            let missing_meets = holds(part, kind, None)?;
            merge(&mut asked, Asked { position, meets, missing_meets });
        }
        Ok((mask, asked))
    }
}

fn flatten<'c>(condition: &'c Condition, parts: &mut Vec<&'c Condition>) {
    match condition {
        Condition::All(all) => all.iter().for_each(|part| flatten(part, parts)),
        other => parts.push(other),
    }
}

fn holds(condition: &Condition, kind: Kind, text: Option<&String>) -> Result<bool, AnswerError> {
    let text_of = text.map(String::as_str);
    match condition {
        Condition::Test(test) => passes(test, kind, text_of),
        Condition::All(parts) => parts.iter().try_fold(true, |all, part| Ok(holds(part, kind, text)? && all)),
        Condition::Any(parts) => {
            parts.iter().try_fold(false, |any, part| Ok(holds(part, kind, text)? || any))
        }
    }
}

/// Two conditions on one column are both to be met.
fn merge(asked: &mut Vec<Asked>, own: Asked) {
    match asked.iter_mut().find(|other| other.position == own.position) {
        Some(other) => {
            other.meets.iter_mut().zip(&own.meets).for_each(|(a, b)| *a &= b);
            other.missing_meets &= own.missing_meets;
        }
        None => asked.push(own),
    }
}

impl Perturbed<'_> {
    /// What is summed, and the column that must have a value.
    fn target(&self, aggregate: &Aggregate) -> Result<(Target, Option<usize>), AnswerError> {
        let Some(name) = aggregate.column() else { return Ok((Target::None, None)) };
        let position = self.find(name)?;
        if matches!(aggregate, Aggregate::CountOf(_)) {
            return Ok((Target::None, Some(position)));
        }
        let (column, law) = self.column(position)?;
        let domain = &column.domain;
        let not_numeric = || AnswerError::NotNumeric { column: column.name.clone() };
        let target = match law {
            ReadyLaw::Keep => {
                let is_numeric = matches!(domain.kind(), Kind::Integer | Kind::Decimal);
                if !is_numeric && domain.len() > domain.missing() as usize {
                    return Err(not_numeric());
                }
                Target::Known(column.codes.iter().map(|&code| domain.number(code).unwrap_or(0.0)).collect())
            }
            ReadyLaw::Items(_) => return Err(of_items(&column.name)),
            ReadyLaw::Noise(law) if law.dates => return Err(not_numeric()),
            ReadyLaw::Noise(law) => {
                let numbers = crate::randomize::numbers(column, law)
                    .map_err(|_| AnswerError::Unfit { column: column.name.clone() })?;
                Target::noise(law, &numbers)
            }
            ReadyLaw::Categories(law) => {
                let number = |value: &String| value.parse::<f64>().ok().filter(|x| x.is_finite());
                let numbers = law.values.iter().map(number).collect::<Option<Vec<f64>>>();
                Target::Category { position, numbers: numbers.ok_or_else(not_numeric)? }
            }
        };
        Ok((target, Some(position)))
    }

    /// A perturbed column and the originals that are asked for.
    fn weighed(&self, asked: &Asked, target: &Target) -> Result<Weighed, AnswerError> {
        let (column, law) = self.column(asked.position)?;
        let ReadyLaw::Categories(law) = law else {
            return Err(AnswerError::Unfit { column: column.name.clone() });
        };
        let inverse = law.inverse().map_err(|_| {
            AnswerError::NotEstimable(format!("the law of `{}` cannot be inverted", column.name))
        })?;
        let numbers = match target {
            Target::Category { position, numbers } if *position == asked.position => Some(numbers.as_slice()),
            _ => None,
        };
        Ok(Weighed::new(self.codes(asked.position)?, &inverse, &asked.meets, asked.missing_meets, numbers))
    }

    /// The records whose column has a value, for `count(COLUMN)` and sums.
    fn has_value(&self, position: usize) -> Result<Vec<bool>, AnswerError> {
        let (column, law) = self.column(position)?;
        if let ReadyLaw::Categories(law) = law
            && (0..column.domain.missing()).any(|code| law.code(column.domain.text(code)).is_some())
        {
            return Err(AnswerError::NotEstimable(format!(
                "whether `{}` is missing is perturbed too; use count(*) with a condition",
                column.name
            )));
        }
        Ok(column.codes.iter().map(|&code| !column.domain.is_missing(code)).collect())
    }

    /// The known columns of `group by`: per record its combination, and the combinations that occur.
    fn known_groups(&self, positions: &[usize]) -> Result<(Vec<u32>, Vec<Vec<u32>>), AnswerError> {
        let rows = self.published.table.rows;
        let mut keys = vec![Vec::with_capacity(positions.len()); rows];
        for &position in positions {
            let (column, _) = self.column(position)?;
            keys.iter_mut().zip(&column.codes).for_each(|(key, &code)| key.push(code));
        }
        let mut number_of: BTreeMap<Vec<u32>, u32> = keys.iter().map(|key| (key.clone(), 0)).collect();
        if positions.is_empty() {
            // Without `group by` there is one line, even of no record.
            number_of.insert(Vec::new(), 0);
        }
        if number_of.len() > MOST_LINES {
            return Err(AnswerError::TooManyLines);
        }
        number_of.values_mut().enumerate().for_each(|(number, own)| *own = number as u32);
        let group_of = keys.iter().map(|key| number_of.get(key).copied().unwrap_or(0)).collect();
        Ok((group_of, number_of.into_keys().collect()))
    }

    /// Every combination of values of the perturbed columns of `group by`.
    fn perturbed_groups(&self, positions: &[usize]) -> Result<Vec<Vec<usize>>, AnswerError> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for &position in positions {
            let (column, law) = self.column(position)?;
            if let ReadyLaw::Items(_) = law {
                return Err(of_items(&column.name));
            }
            let ReadyLaw::Categories(law) = law else {
                return Err(AnswerError::NotEstimable(format!(
                    "`{0}` has noise, so no record is known to be in a group of it; `privet reconstruct RELEASE {0}` \
                     estimates its distribution",
                    column.name
                )));
            };
            if all.len().saturating_mul(law.values.len()) > MOST_LINES {
                return Err(AnswerError::TooManyLines);
            }
            let longer = |own: &Vec<usize>| {
                let own = own.clone();
                (0..law.values.len()).map(move |value| [own.as_slice(), &[value]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        Ok(all)
    }
}

impl AnswerSource for Perturbed<'_> {
    fn answer(&self, question: &Question) -> Result<Answer, AnswerError> {
        let rows = self.published.table.rows;
        let (mask, asked) = self.plan(&question.filter)?;
        let positions =
            question.group_by.iter().map(|name| self.find(name)).collect::<Result<Vec<_>, _>>()?;
        let mut is_kept = Vec::new();
        for &position in &positions {
            is_kept.push(matches!(self.column(position)?.1, ReadyLaw::Keep));
        }
        let of = |kept: bool| -> Vec<usize> {
            positions.iter().zip(&is_kept).filter(|(_, own)| **own == kept).map(|(&at, _)| at).collect()
        };
        let (kept, hidden) = (of(true), of(false));
        let (group_of, keys) = self.known_groups(&kept)?;
        let combinations = self.perturbed_groups(&hidden)?;
        if keys.len().saturating_mul(combinations.len()) > MOST_LINES {
            return Err(AnswerError::TooManyLines);
        }
        let mut lines = Vec::new();
        for combination in &combinations {
            let mut with_groups = asked.clone();
            for (&position, &value) in hidden.iter().zip(combination) {
                let ReadyLaw::Categories(law) = self.column(position)?.1 else { continue };
                let meets = (0..law.values.len()).map(|own| own == value).collect();
                merge(&mut with_groups, Asked { position, meets, missing_meets: false });
            }
            let mut figures: Vec<Vec<Estimate>> = Vec::new();
            for output in &question.select {
                let (target, counted) = self.target(&output.aggregate)?;
                let mut own = with_groups.clone();
                if let (Target::Category { position, numbers }, Some(_)) = (&target, counted) {
                    // All values of the target, where nothing is asked of it.
                    merge(
                        &mut own,
                        Asked { position: *position, meets: vec![true; numbers.len()], missing_meets: false },
                    );
                }
                let mut possible = mask.clone();
                if let Some(position) = counted {
                    possible.iter_mut().zip(self.has_value(position)?).for_each(|(own, has)| *own &= has);
                }
                let weighed =
                    own.iter().map(|own| self.weighed(own, &target)).collect::<Result<Vec<_>, _>>()?;
                let tallies = tally(&weighed, &target, &possible, &group_of, keys.len());
                let is_exact = weighed.is_empty() && !matches!(target, Target::Noise(_));
                let estimate = |own: &Tally| own.estimate(&output.aggregate, is_exact, rows);
                figures.push(tallies.iter().map(estimate).collect());
            }
            for (number, key) in keys.iter().enumerate() {
                let (mut of_kept, mut of_hidden) = (kept.iter().zip(key), hidden.iter().zip(combination));
                let mut group = Vec::new();
                for is_kept in &is_kept {
                    let text = match is_kept {
                        true => of_kept
                            .next()
                            .map(|(&at, &code)| Ok(self.column(at)?.0.domain.text(code).to_owned())),
                        false => of_hidden.next().map(|(&at, &value)| {
                            Ok(match self.column(at)?.1 {
                                ReadyLaw::Categories(law) => {
                                    law.values.get(value).cloned().unwrap_or_default()
                                }
                                _ => String::new(),
                            })
                        }),
                    };
                    group.push(text.transpose()?.unwrap_or_default());
                }
                let estimates = figures.iter().filter_map(|own| own.get(number).copied()).collect();
                lines.push((number, Line { group, estimates }));
            }
        }
        // As they are asked for: the first column of `group by` changes last.
        if is_kept.first() == Some(&true) {
            lines.sort_by_key(|(number, _)| *number);
        }
        Ok(Answer {
            group_by: question.group_by.clone(),
            figures: question.select.iter().map(|output| output.name.clone()).collect(),
            lines: lines.into_iter().map(|(_, line)| line).collect(),
            records: rows as u64,
            suppressed: 0,
            labels_overlap: false,
        })
    }
}
