//! Synthesis by regressions in sequence (survey ME-40; SRMI, MICE): a model of each column on others, replaced by draws
//! from its posterior predictive distribution.
//!
//! Copies are made column by column: each given those that are kept and those made before. That is already a draw from
//! the joint distribution that the models make up, so one round suffices; with more `rounds`, every column is made
//! again, given all others, as the survey describes (Gibbs style). Missing values of the original are imputed first, anew
//! for each copy ([`impute`]); columns that are kept are published as they are, missing values and all.
//!
//! # Guarantee
//! None of privacy: a single outlier moves the coefficients (survey, L1390). Numbers are drawn around a line and need not
//! be anybody's, nor, unless asked for, within the range of the original; categories are those that occur. What is drawn
//! follows the posterior, so estimates from several copies can be combined (`multiple`), if the models hold. A column
//! with fewer known values than its model has coefficients, plus two, is refused.

mod features;
mod linear;
mod logistic;
mod mice;
mod solve;

use rayon::prelude::*;

pub use self::features::MOST_FEATURES;
pub(super) use self::features::{Features, mean_and_deviation};
pub(super) use self::linear::{Linear, dot};
use self::logistic::Logistic;
pub use self::logistic::MOST_OUTCOMES;
pub(super) use self::mice::complete;
pub use self::mice::impute;

use super::draws::inside;
use super::frame::to_decimals;
use super::plan::Task;
use super::{Column, ColumnModel, Frame, Model, SyntheticError};
use crate::{Coins, PerturbError};

/// How often columns are made again, and within which bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Regression {
    /// How often every column is made, from 1 to 100; from the second time on given all others.
    pub rounds: usize,
    /// How often missing values of the original are imputed in turn, from 1 to 100.
    pub cycles: usize,
    /// Whether numbers are drawn within the range of the known ones, as SRMI does with bounds. What is drawn outside is
    /// drawn again, so that it follows the truncated law: means near a bound move away from it.
    pub within_range: bool,
}

impl Default for Regression {
    fn default() -> Self {
        Self { rounds: 1, cycles: 5, within_range: false }
    }
}

impl Regression {
    pub(super) fn check(&self) -> Result<(), SyntheticError> {
        for (name, value) in [("the number of rounds", self.rounds), ("the number of cycles", self.cycles)] {
            if !(1..=100).contains(&value) {
                return Err(SyntheticError::Parameter { name, accepted: "from 1 to 100" });
            }
        }
        Ok(())
    }
}

/// What is told of a regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RegressionModel {
    /// The features, with the intercept.
    pub features: usize,
    /// Features that others determine, which were left out.
    pub left_out: usize,
    /// The categories that are told apart; 0 for a number.
    pub outcomes: usize,
    /// The records it was learned from.
    pub records: usize,
}

/// A model of one column on others.
pub(super) struct Conditional {
    features: Features,
    kind: Kind,
    records: usize,
    decimals: Option<u8>,
    /// The lowest and the highest number that may be drawn.
    range: (f64, f64),
}

/// How often a number is drawn again before any number of the range is as good.
const TRIES: usize = 100;

enum Kind {
    Linear(Linear),
    Logistic(Logistic),
}

impl Conditional {
    /// Learns a column from those rows in which it is known; other columns are complete.
    pub(super) fn learn(
        columns: &[Column],
        target: usize,
        known: &[usize],
        rows: &[u32],
        round: bool,
        within_range: bool,
    ) -> Result<Self, SyntheticError> {
        let own = &columns[target];
        let rows: Vec<u32> = rows.iter().copied().filter(|&row| !own.is_missing(row as usize)).collect();
        let features = Features::new(columns, known, &rows)?;
        let (mut places, mut range) = (None, (f64::NEG_INFINITY, f64::INFINITY));
        let kind = match own {
            Column::Numeric(values) => {
                if round {
                    places = own.decimals();
                }
                if within_range {
                    let own = rows.iter().map(|&row| values[row as usize]);
                    range = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
                }
                Kind::Linear(Linear::fit(target, columns, values, &rows, &features)?)
            }
            Column::Categorical { codes, categories } => {
                Kind::Logistic(Logistic::fit(target, columns, codes, *categories, &rows, &features)?)
            }
        };
        Ok(Self { features, kind, records: rows.len(), decimals: places, range })
    }

    /// Draws parameters, then a value for each of these rows of a table.
    pub(super) fn draw<C: Coins + ?Sized>(
        &self,
        target: usize,
        copy: &mut Frame,
        rows: &[u32],
        coins: &mut C,
    ) -> Result<(), PerturbError> {
        // The column is taken out while it is written: no feature is made of it.
        let Some(own) = copy.columns.get_mut(target) else { return Ok(()) };
        let mut own = std::mem::replace(own, Column::Numeric(Vec::new()));
        let drawn = self.draw_into(&mut own, &copy.columns, rows, coins);
        copy.columns[target] = own;
        drawn
    }

    fn draw_into<C: Coins + ?Sized>(
        &self,
        own: &mut Column,
        columns: &[Column],
        rows: &[u32],
        coins: &mut C,
    ) -> Result<(), PerturbError> {
        let mut row = Vec::new();
        match (&self.kind, own) {
            (Kind::Linear(linear), Column::Numeric(values)) => {
                let (coefficients, sigma) = linear.draw(coins)?;
                for &record in rows {
                    self.features.read(columns, record as usize, &mut row);
                    let centre = dot(&row, &coefficients);
                    let mut value = linear.value(centre + sigma * coins.normal()?);
                    let (low, high) = self.range;
                    for _ in 0..TRIES {
                        if (low..=high).contains(&value) {
                            break;
                        }
                        value = linear.value(centre + sigma * coins.normal()?);
                    }
                    if !(low..=high).contains(&value) {
                        let share = inside(coins)?;
                        value = (low * (1.0 - share) + high * share).clamp(low, high);
                    }
                    values[record as usize] =
                        self.decimals.map_or(value, |places| to_decimals(value, places));
                }
            }
            (Kind::Logistic(logistic), Column::Categorical { codes, .. }) => {
                let coefficients = logistic.draw(coins)?;
                for &record in rows {
                    self.features.read(columns, record as usize, &mut row);
                    codes[record as usize] = logistic.outcome(&coefficients, &row, coins)?;
                }
            }
            // A model is drawn into the column that it was learned from.
            (Kind::Linear(_), Column::Categorical { .. }) | (Kind::Logistic(_), Column::Numeric(_)) => {}
        }
        Ok(())
    }

    pub(super) fn describe(&self, column: usize) -> ColumnModel {
        let (left_out, outcomes) = match &self.kind {
            Kind::Linear(linear) => (self.features.size - linear.factor.rank(), 0),
            Kind::Logistic(logistic) => (0, logistic.outcomes.len()),
        };
        let model =
            RegressionModel { features: self.features.size, left_out, outcomes, records: self.records };
        ColumnModel { column, model: Model::Regression(model), decimals: self.decimals }
    }
}

/// Makes the copies of a task.
pub(super) fn synthesize<C: Coins + ?Sized>(
    task: &Task<'_>,
    options: Regression,
    coins: &mut C,
) -> Result<(Vec<Frame>, Vec<ColumnModel>), SyntheticError> {
    options.check()?;
    let missing = task.frame.columns().iter().any(Column::any_missing);
    let mut copies = Vec::with_capacity(task.copies);
    let mut learned: Option<(Vec<Conditional>, Vec<Conditional>)> = None;
    for _ in 0..task.copies {
        let completed = if missing { Some(complete(task.frame, options, coins)?) } else { None };
        let original = completed.as_ref().unwrap_or(task.frame);
        // What is learned is the same for all copies, unless the original is imputed anew.
        let (first, again) = match learned.take() {
            Some(models) if !missing => models,
            _ => {
                let first = learn_all(task, original, options, |place| task.before(place))?;
                let others = |place: usize| others(task, place);
                let again =
                    if options.rounds > 1 { learn_all(task, original, options, others)? } else { Vec::new() };
                (first, again)
            }
        };
        let mut copy = task.start(original);
        for round in 0..options.rounds {
            let models = if round == 0 { &first } else { &again };
            for (&target, model) in task.targets.iter().zip(models) {
                model.draw(target, &mut copy, &task.made, coins)?;
            }
        }
        if completed.is_some() && !task.full {
            // What is kept is kept as it was.
            for column in task.kept() {
                copy.columns[column] = task.frame.columns()[column].clone();
            }
            restore(task, &mut copy);
        }
        copies.push(copy);
        learned = Some((first, again));
    }
    let models = learned.map_or_else(Vec::new, |(first, _)| {
        task.targets.iter().zip(&first).map(|(&target, model)| model.describe(target)).collect()
    });
    Ok((copies, models))
}

/// Missing values of targets in records that are not made are missing again.
fn restore(task: &Task<'_>, copy: &mut Frame) {
    let mut made = vec![false; task.frame.records()];
    task.made.iter().for_each(|&row| made[row as usize] = true);
    for &target in &task.targets {
        match (&mut copy.columns[target], &task.frame.columns()[target]) {
            (Column::Numeric(values), Column::Numeric(was)) => {
                let own = values.iter_mut().zip(was).zip(&made);
                own.filter(|(_, made)| !**made).for_each(|((value, was), _)| *value = *was);
            }
            (Column::Categorical { codes, .. }, Column::Categorical { codes: was, .. }) => {
                let own = codes.iter_mut().zip(was).zip(&made);
                own.filter(|(_, made)| !**made).for_each(|((code, was), _)| *code = *was);
            }
            (Column::Numeric(_), _) | (Column::Categorical { .. }, _) => {}
        }
    }
}

fn others(task: &Task<'_>, place: usize) -> Vec<usize> {
    let target = task.targets.get(place).copied();
    (0..task.frame.columns().len()).filter(|&column| Some(column) != target).collect()
}

fn learn_all(
    task: &Task<'_>,
    original: &Frame,
    options: Regression,
    known: impl Fn(usize) -> Vec<usize> + Sync,
) -> Result<Vec<Conditional>, SyntheticError> {
    let learned: Vec<Result<Conditional, SyntheticError>> = task
        .targets
        .par_iter()
        .enumerate()
        .map(|(place, &target)| {
            let (rows, within) = (&task.learned, options.within_range);
            Conditional::learn(original.columns(), target, &known(place), rows, task.round, within)
        })
        .collect();
    // In order, so that the first error is the same on any number of threads.
    learned.into_iter().collect()
}

#[cfg(test)]
mod tests;
