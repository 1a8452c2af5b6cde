//! Synthesis by trees (survey ME-38, ME-39; Reiter, 2005): for each column a tree on the columns before it is grown from
//! the original; a record of a copy goes down by the values it has by then, and draws from the leaf it comes to.
//!
//! Draws from a leaf are by Bayesian bootstrap: for each copy every value of the leaf gets a random weight, then values
//! are drawn with these. With `smooth`, a number is then drawn evenly around the value, from the middle of the gap below it to
//! the middle of the gap above, and at the ends of the leaf from the half gap that there is: what one value loses to a
//! neighbour it gets back, so that the mean of the leaf stays. The survey says no more than "grow a tree, sample within leaf".
//!
//! Missing values are something to be learned as well: a missing category is one more category; for numbers a first
//! tree tells whether there is one, a second which.
//!
//! # Guarantee
//! None of privacy: a leaf whose records all have one value gives it away, and [`TreeModel::one_valued`] says how many
//! records are in such leaves. What holds: every leaf has at least `min_leaf` records (unless a column has fewer known
//! values). Without `smooth`, every number is somebody's. With it, a drawn number lies between two neighbouring different
//! values of its leaf, on neither of them where floating-point numbers leave room, or equals a value that at least two records of the leaf have (or the only one of a
//! column with one known value), until it is rounded to the decimals of its column, when it may meet an original value by
//! chance. Smoothing leaves the mean of a leaf, in expectation, as it is. Categories are always somebody's.

mod goal;
mod tree;

use rayon::prelude::*;

use self::goal::{Classes, Numbers};
use self::tree::{Limits, Predictor, Tree, coded, grow, lowest};
use super::draws::{bootstrap, inside, pick};
use super::frame::to_decimals;
use super::plan::Task;
use super::{Column, ColumnModel, Frame, MISSING, Model, SyntheticError};
use crate::{Coins, PerturbError};

/// How trees are grown and drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cart {
    /// The fewest records in a leaf; at least 2.
    pub min_leaf: usize,
    /// The most splits between the root and a leaf, at least 1.
    pub max_depth: usize,
    /// Whether numbers are drawn between those of a leaf, so that none that only one record has is repeated.
    pub smooth: bool,
}

impl Default for Cart {
    fn default() -> Self {
        Self { min_leaf: 10, max_depth: 30, smooth: true }
    }
}

impl Cart {
    fn check(&self) -> Result<(), SyntheticError> {
        if self.min_leaf < 2 {
            return Err(SyntheticError::Parameter { name: "the size of a leaf", accepted: "at least 2" });
        }
        if self.max_depth == 0 {
            return Err(SyntheticError::Parameter { name: "the depth of a tree", accepted: "at least 1" });
        }
        Ok(())
    }
}

/// What is told of a tree.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TreeModel {
    /// Its leaves.
    pub leaves: usize,
    /// The records of its smallest leaf.
    pub smallest_leaf: usize,
    /// The most splits between the root and a leaf.
    pub depth: usize,
    /// The share of records in leaves whose records all have one value.
    pub one_valued: f64,
    /// Whether numbers are drawn between those of a leaf.
    pub smooth: bool,
}

/// A column made ready to split by.
enum Prepared {
    Numeric { order: Vec<u32> },
    Categorical { codes: Vec<u32>, categories: usize },
}

impl Prepared {
    fn new(column: &Column, rows: &[u32]) -> Self {
        match column {
            Column::Numeric(values) => {
                let mut order = rows.to_vec();
                let value = |row: u32| lowest(values[row as usize]);
                order.sort_unstable_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
                Prepared::Numeric { order }
            }
            Column::Categorical { codes, categories } => Prepared::Categorical {
                codes: codes.iter().map(|&code| coded(code, *categories)).collect(),
                categories: *categories,
            },
        }
    }
}

/// A tree and, leaf by leaf in the order of its rows, what is drawn.
struct Drawer<T> {
    tree: Tree,
    values: Vec<T>,
}

enum Learned {
    /// Whether there is a number, when that is not always so; and which, when there ever is one.
    Numeric {
        present: Option<Drawer<u32>>,
        number: Option<Drawer<f64>>,
        decimals: Option<u8>,
    },
    Categorical {
        code: Drawer<u32>,
        categories: usize,
    },
}

/// Makes the copies of a task.
pub(super) fn synthesize<C: Coins + ?Sized>(
    task: &Task<'_>,
    options: Cart,
    coins: &mut C,
) -> Result<(Vec<Frame>, Vec<ColumnModel>), SyntheticError> {
    options.check()?;
    let frame = task.frame;
    let prepared: Vec<Prepared> =
        frame.columns().par_iter().map(|column| Prepared::new(column, &task.learned)).collect();
    let learned: Vec<(usize, Learned)> = task
        .targets
        .par_iter()
        .enumerate()
        .map(|(place, &target)| (target, learn(task, &prepared, target, &task.before(place), options)))
        .collect();
    let models = learned.iter().map(|(column, own)| own.describe(*column, options)).collect();
    let mut copies = Vec::with_capacity(task.copies);
    for _ in 0..task.copies {
        let mut copy = task.start(frame);
        for (target, own) in &learned {
            own.draw(*target, &mut copy, &task.made, options.smooth, coins)?;
        }
        copies.push(copy);
    }
    Ok((copies, models))
}

fn learn(task: &Task<'_>, prepared: &[Prepared], target: usize, known: &[usize], options: Cart) -> Learned {
    let columns = task.frame.columns();
    let predictors: Vec<(usize, Predictor<'_>)> = known
        .iter()
        .map(|&column| {
            let predictor = match (&prepared[column], &columns[column]) {
                (Prepared::Numeric { order }, Column::Numeric(values)) => {
                    Predictor::Numeric { values, order }
                }
                (Prepared::Categorical { codes, categories }, _) => {
                    Predictor::Categorical { codes, categories: *categories }
                }
                // A column is prepared as what it is.
                (Prepared::Numeric { .. }, Column::Categorical { .. }) => {
                    Predictor::Categorical { codes: &[], categories: 0 }
                }
            };
            (column, predictor)
        })
        .collect();
    let records = task.frame.records();
    let limits = Limits { min_leaf: options.min_leaf, max_depth: options.max_depth };
    let classes = |codes: &[u32], classes: usize| {
        let mut goal = Classes::new(codes, classes);
        let tree = grow(&predictors, task.learned.clone(), records, &mut goal, limits);
        let values = tree.rows.iter().map(|&row| codes[row as usize]).collect();
        Drawer { tree, values }
    };
    match &columns[target] {
        Column::Categorical { codes, categories } => {
            let codes: Vec<u32> = codes.iter().map(|&code| coded(code, *categories)).collect();
            Learned::Categorical { code: classes(&codes, *categories + 1), categories: *categories }
        }
        Column::Numeric(values) => {
            let has = |row: &u32| !values[*row as usize].is_nan();
            let known: Vec<u32> = task.learned.iter().copied().filter(has).collect();
            let present = (known.len() < task.learned.len()).then(|| {
                let there: Vec<u32> = values.iter().map(|value| u32::from(!value.is_nan())).collect();
                classes(&there, 2)
            });
            let decimals = if task.round { columns[target].decimals() } else { None };
            let number = (!known.is_empty()).then(|| {
                let mut goal = Numbers::new(values, &known);
                let tree = grow(&predictors, known, records, &mut goal, limits);
                let mut drawn: Vec<f64> = tree.rows.iter().map(|&row| values[row as usize]).collect();
                for node in 0..tree.nodes() {
                    if let Some(leaf) = tree.leaf(node) {
                        drawn[leaf].sort_unstable_by(f64::total_cmp);
                    }
                }
                Drawer { tree, values: drawn }
            });
            Learned::Numeric { present, number, decimals }
        }
    }
}

impl Learned {
    fn describe(&self, column: usize, options: Cart) -> ColumnModel {
        let (presence, model, decimals) = match self {
            Learned::Categorical { code, .. } => (None, Some(code.describe(false)), None),
            Learned::Numeric { present, number, decimals } => (
                present.as_ref().map(|present| present.describe(false)),
                number.as_ref().map(|number| number.describe(options.smooth)),
                *decimals,
            ),
        };
        ColumnModel { column, model: Model::Tree { presence, values: model }, decimals }
    }

    fn draw<C: Coins + ?Sized>(
        &self,
        target: usize,
        copy: &mut Frame,
        rows: &[u32],
        smooth: bool,
        coins: &mut C,
    ) -> Result<(), PerturbError> {
        match self {
            Learned::Categorical { code, categories } => {
                let missing = *categories as u32;
                let mut drawn = Vec::with_capacity(rows.len());
                code.draw(
                    copy.columns(),
                    rows,
                    coins,
                    |leaf, sums, coins| {
                        let own = leaf[pick(sums, coins)?];
                        Ok(if own == missing { MISSING } else { own })
                    },
                    &mut drawn,
                )?;
                if let Some(Column::Categorical { codes, .. }) = copy.columns.get_mut(target) {
                    drawn.iter().for_each(|&(row, code)| codes[row as usize] = code);
                }
            }
            Learned::Numeric { present, number, decimals } => {
                let mut with = rows.to_vec();
                if let Some(present) = present {
                    let mut there = Vec::with_capacity(rows.len());
                    present.draw(
                        copy.columns(),
                        rows,
                        coins,
                        |leaf, sums, coins| Ok(leaf[pick(sums, coins)?]),
                        &mut there,
                    )?;
                    with = there.iter().filter(|(_, there)| *there == 1).map(|(row, _)| *row).collect();
                    with.sort_unstable();
                }
                let mut drawn = Vec::with_capacity(with.len());
                if let Some(number) = number {
                    let one = |leaf: &[f64], sums: &[f64], coins: &mut C| {
                        let place = pick(sums, coins)?;
                        let value = leaf[place];
                        let middle =
                            |other: Option<&f64>| other.map_or(value, |other| value / 2.0 + other / 2.0);
                        let below = place.checked_sub(1).and_then(|below| leaf.get(below));
                        let (low, high) = (middle(below), middle(leaf.get(place + 1)));
                        if !smooth || low >= high {
                            return Ok(value);
                        }
                        let share = inside(coins)?;
                        Ok((low * (1.0 - share) + high * share).clamp(low, high))
                    };
                    number.draw(copy.columns(), &with, coins, one, &mut drawn)?;
                }
                if let Some(Column::Numeric(values)) = copy.columns.get_mut(target) {
                    rows.iter().for_each(|&row| values[row as usize] = f64::NAN);
                    for (row, value) in drawn {
                        values[row as usize] = decimals.map_or(value, |places| to_decimals(value, places));
                    }
                }
            }
        }
        Ok(())
    }
}

impl<T: Copy + PartialEq + Send + Sync> Drawer<T> {
    fn describe(&self, smooth: bool) -> TreeModel {
        let mut found = TreeModel {
            leaves: 0,
            smallest_leaf: usize::MAX,
            depth: self.tree.depth,
            one_valued: 0.0,
            smooth,
        };
        let mut alike = 0;
        for leaf in (0..self.tree.nodes()).filter_map(|node| self.tree.leaf(node)) {
            found.leaves += 1;
            found.smallest_leaf = found.smallest_leaf.min(leaf.len());
            let own = &self.values[leaf];
            if own.iter().all(|value| own.first() == Some(value)) {
                alike += own.len();
            }
        }
        found.one_valued = alike as f64 / self.values.len().max(1) as f64;
        found
    }

    /// Draws for rows of a table. Leaves are gone through in their order and rows in theirs, so that the result does not
    /// depend on the number of threads.
    fn draw<C: Coins + ?Sized>(
        &self,
        columns: &[Column],
        rows: &[u32],
        coins: &mut C,
        mut one: impl FnMut(&[T], &[f64], &mut C) -> Result<T, PerturbError>,
        drawn: &mut Vec<(u32, T)>,
    ) -> Result<(), PerturbError> {
        let found: Vec<u32> =
            rows.par_iter().map(|&row| self.tree.find(columns, row as usize) as u32).collect();
        let mut starts = vec![0usize; self.tree.nodes() + 1];
        found.iter().for_each(|&leaf| starts[leaf as usize + 1] += 1);
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut next = starts.clone();
        let mut ordered = vec![0u32; rows.len()];
        for (&row, &leaf) in rows.iter().zip(&found) {
            let place = &mut next[leaf as usize];
            ordered[*place] = row;
            *place += 1;
        }
        let mut sums = Vec::new();
        for node in 0..self.tree.nodes() {
            let own = &ordered[starts[node]..starts[node + 1]];
            let Some(leaf) = self.tree.leaf(node).filter(|_| !own.is_empty()) else { continue };
            let values = &self.values[leaf];
            bootstrap(values.len(), &mut sums, coins)?;
            for &row in own {
                drawn.push((row, one(values, &sums, coins)?));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
