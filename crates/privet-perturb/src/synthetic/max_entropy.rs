//! Maximum entropy with given margins, and regressions for the rest (survey ME-41; Polettini, 2003).
//!
//! The categories of the columns that margins name are drawn from the joint table of maximum entropy among those with
//! the margins of the original, which iterative proportional fitting finds (`privet_measure::ipf`). Columns that no
//! margin names, numbers above all, are made one by one by regressions on those made before (`regression`), the
//! generalized linear models of the survey. A missing category in a margin is one more category; others are imputed.
//!
//! # Guarantee
//! The law that categories are drawn from has the margins of the original, as nearly as [`Model::MaximumEntropy`] says
//! (1e-9 of the records where fitting converges; it is slow where margins leave cells empty), and nothing else of it:
//! dependence that no margin shows is not there. A cell that a margin says is empty stays empty. The margins are those of
//! the sample, not drawn from a posterior, so estimates from several copies have too small a variance between
//! them and are not to be combined. No promise of privacy: small margins tell of few people.

use privet_measure::ipf::{FitError, FitOptions, Fitted, MOST_CELLS, Marginal, fit};

use super::draws::pick;
use super::plan::Task;
use super::regression::{Conditional, Regression, complete};
use super::{Column, ColumnModel, Frame, MISSING, Model, SyntheticError};
use crate::Coins;

const METHOD: &str = "maximum-entropy synthesis";

/// Which margins the law has; tables drawn from it have them in expectation.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct MaximumEntropy {
    /// Sets of columns of categories whose joint counts the law has. Without any, all pairs of such columns, as many of the
    /// first columns as fit into a joint table of 2¹⁶ cells.
    pub margins: Vec<Vec<usize>>,
}

/// The most cells of a joint table that nobody asked for.
const MOST_BY_DEFAULT: usize = 1 << 16;
const OPTIONS: FitOptions = FitOptions { rounds: 500, tolerance: 1e-9 };

/// The categories of a column, with one for missing ones where there are any.
fn domain(column: &Column) -> Option<usize> {
    match column {
        Column::Numeric(_) => None,
        Column::Categorical { categories, .. } => Some(categories + usize::from(column.any_missing())),
    }
}

/// Makes the copies of a task.
pub(super) fn synthesize<C: Coins + ?Sized>(
    task: &Task<'_>,
    options: &MaximumEntropy,
    coins: &mut C,
) -> Result<(Vec<Frame>, Vec<ColumnModel>), SyntheticError> {
    if !task.full {
        return Err(SyntheticError::Scope { method: METHOD, accepted: "makes all columns, not chosen ones" });
    }
    let columns = task.frame.columns();
    let domains: Vec<Option<usize>> = columns.iter().map(domain).collect();
    let margins = if options.margins.is_empty() { pairs(&domains) } else { options.margins.clone() };
    // The columns of the joint table, and where each is in it.
    let mut joined: Vec<usize> = Vec::new();
    for &column in margins.iter().flatten() {
        match domains.get(column) {
            None => return Err(SyntheticError::Column { column, columns: columns.len() }),
            Some(None) => {
                return Err(SyntheticError::Scope {
                    method: METHOD,
                    accepted: "keeps margins of categories only",
                });
            }
            Some(Some(_)) if !joined.contains(&column) => joined.push(column),
            Some(Some(_)) => {}
        }
    }
    joined.sort_unstable();
    let sizes: Vec<usize> = joined.iter().filter_map(|&column| domains[column]).collect();
    let (sums, off) =
        if joined.is_empty() { (Vec::new(), 0.0) } else { joint(task, &joined, &sizes, &margins)? };
    let rest: Vec<usize> = task.targets.iter().copied().filter(|column| !joined.contains(column)).collect();
    let mut models: Vec<ColumnModel> = Vec::with_capacity(task.targets.len());
    let mut copies = Vec::with_capacity(task.copies);
    let missing = rest.iter().any(|&column| columns[column].any_missing());
    for number in 0..task.copies {
        let mut copy = task.start(task.frame);
        if !joined.is_empty() {
            let mut cells = Vec::with_capacity(task.made.len());
            for _ in &task.made {
                cells.push(pick(&sums, coins)?);
            }
            let mut stride = 1;
            for (&column, &size) in joined.iter().zip(&sizes).rev() {
                if let Column::Categorical { codes, categories } = &mut copy.columns[column] {
                    for (code, cell) in codes.iter_mut().zip(&cells) {
                        let own = cell / stride % size;
                        *code = if own < *categories { own as u32 } else { MISSING };
                    }
                }
                stride *= size;
            }
        }
        let mut completed =
            if missing { Some(complete(task.frame, Regression::default(), coins)?) } else { None };
        if let Some(completed) = &mut completed {
            // A missing category of a margin is made as such, so it is learned from as such.
            joined.iter().for_each(|&column| completed.columns[column] = columns[column].clone());
        }
        let original = completed.as_ref().unwrap_or(task.frame);
        let mut known = joined.clone();
        for &target in &rest {
            let model =
                Conditional::learn(original.columns(), target, &known, &task.learned, task.round, false)?;
            model.draw(target, &mut copy, &task.made, coins)?;
            known.push(target);
            if number == 0 {
                models.push(model.describe(target));
            }
        }
        copies.push(copy);
    }
    let model = Model::MaximumEntropy { margins: margins.len(), cells: sums.len(), off };
    models.extend(joined.iter().map(|&column| ColumnModel { column, model, decimals: None }));
    models.sort_by_key(|own| task.targets.iter().position(|&target| target == own.column));
    Ok((copies, models))
}

/// All pairs of the first columns of categories; the column itself where there is one only.
fn pairs(domains: &[Option<usize>]) -> Vec<Vec<usize>> {
    let (mut chosen, mut cells) = (Vec::new(), 1usize);
    for (column, size) in domains.iter().enumerate() {
        let Some(size) = size.filter(|size| cells.saturating_mul(*size) <= MOST_BY_DEFAULT) else { continue };
        cells *= size.max(1);
        chosen.push(column);
    }
    match chosen[..] {
        [only] => vec![vec![only]],
        _ => {
            let pair = |(place, &b): (usize, &usize)| {
                chosen.iter().take(place).map(move |&a| vec![a, b]).collect::<Vec<_>>()
            };
            chosen.iter().enumerate().flat_map(pair).collect()
        }
    }
}

/// The cells of the fitted table, summed up, and how far it is from its margins.
fn joint(
    task: &Task<'_>,
    joined: &[usize],
    sizes: &[usize],
    margins: &[Vec<usize>],
) -> Result<(Vec<f64>, f64), SyntheticError> {
    let cells = sizes.iter().try_fold(1usize, |all, &size| all.checked_mul(size));
    if cells.is_none_or(|cells| cells > MOST_CELLS) {
        return Err(FitError::TooLarge.into());
    }
    let mut marginals = Vec::with_capacity(margins.len());
    for (marginal, margin) in margins.iter().enumerate() {
        if (1..margin.len()).any(|place| margin[..place].contains(&margin[place])) {
            return Err(FitError::Column { marginal }.into());
        }
        let places: Vec<usize> =
            margin.iter().filter_map(|column| joined.iter().position(|own| own == column)).collect();
        let mut counts = vec![0.0; places.iter().map(|&place| sizes[place]).product()];
        for &row in &task.learned {
            let cell = margin.iter().zip(&places).fold(0, |cell, (&column, &place)| {
                let own = match &task.frame.columns()[column] {
                    // A missing code is the last.
                    Column::Categorical { codes, .. } => (codes[row as usize] as usize).min(sizes[place] - 1),
                    Column::Numeric(_) => 0,
                };
                cell * sizes[place] + own
            });
            counts[cell] += 1.0;
        }
        marginals.push(Marginal { columns: places, counts });
    }
    let Fitted { mut joint, distance, .. } = fit(sizes, &marginals, OPTIONS)?;
    let mut sum = 0.0;
    for cell in &mut joint {
        sum += *cell;
        *cell = sum;
    }
    Ok((joint, distance / task.learned.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededCoins;
    use crate::synthetic::{Method, Plan, synthesize};
    use crate::testing::assert_mean;

    fn codes(frame: &Frame, column: usize) -> &[u32] {
        match &frame.columns()[column] {
            Column::Categorical { codes, .. } => codes,
            Column::Numeric(_) => unreachable!(),
        }
    }

    /// FX-1.6 as records, as far as US-14 uses it: gender, nationality, condition; and a number that is 10 for women, 20
    /// for men, give or take one.
    fn original(times: usize) -> Frame {
        let rows = [
            (0, 0, 0),
            (0, 1, 1),
            (0, 2, 2),
            (0, 3, 3),
            (1, 1, 0),
            (1, 3, 0),
            (1, 3, 1),
            (1, 3, 2),
            (1, 3, 3),
            (1, 4, 3),
            (1, 4, 3),
            (1, 5, 3),
        ];
        let column = |f: fn(&(u32, u32, u32)) -> u32, categories| Column::Categorical {
            codes: rows.iter().cycle().take(12 * times).map(f).collect(),
            categories,
        };
        let mut coins = SeededCoins::new(8);
        let number = rows
            .iter()
            .cycle()
            .take(12 * times)
            .map(|row| 10.0 + 10.0 * f64::from(row.0) + coins.normal().unwrap());
        Frame::new(vec![
            column(|r| r.0, 2),
            column(|r| r.1, 6),
            column(|r| r.2, 4),
            Column::Numeric(number.collect()),
        ])
        .unwrap()
    }

    /// The joint table of FX-1.6 with gender–nationality and gender–condition given has 2 of 12 in male, American, cancer
    /// (survey US-14); the original has 1. Cells that a margin excludes stay empty. False alarm: 1e-6 for all 4.
    #[test]
    fn draws_have_the_margins_and_nothing_else() {
        let frame = original(5);
        let made = 24_000;
        let method = Method::MaximumEntropy(MaximumEntropy { margins: vec![vec![0, 1], vec![0, 2]] });
        let drawn =
            synthesize(&frame, &Plan::full(made, method).copies(1), &mut SeededCoins::new(5)).unwrap();
        let copy = &drawn.copies[0];
        let share = |keep: &dyn Fn(u32, u32, u32) -> bool| {
            let rows = codes(copy, 0).iter().zip(codes(copy, 1)).zip(codes(copy, 2));
            rows.filter(|((a, b), c)| keep(**a, **b, **c)).count() as f64 / made as f64
        };
        let compare = |found: f64, expected: f64| {
            assert_mean(found, expected, (expected * (1.0 - expected) / made as f64).sqrt(), 4);
        };
        compare(share(&|a, b, c| (a, b, c) == (1, 3, 3)), 2.0 / 12.0);
        compare(share(&|a, b, _| (a, b) == (1, 3)), 4.0 / 12.0);
        compare(share(&|a, _, c| (a, c) == (1, 0)), 2.0 / 12.0);
        assert_eq!(share(&|a, b, _| (a, b) == (0, 5)), 0.0);
        // The number follows gender by its regression.
        let Column::Numeric(values) = &copy.columns()[3] else { unreachable!() };
        let men: Vec<f64> =
            values.iter().zip(codes(copy, 0)).filter(|(_, g)| **g == 1).map(|(v, _)| *v).collect();
        let mean = men.iter().sum::<f64>() / men.len() as f64;
        // The coefficient is drawn around one with a deviation of about 0.2.
        assert!((mean - 20.0).abs() < 1.2, "{mean}");
        assert_eq!(drawn.models.len(), 4);
        assert!(
            matches!(drawn.models[0].model, Model::MaximumEntropy { margins: 2, cells: 48, off } if off < 1e-9)
        );
        assert_eq!(drawn.rule(), None);
    }

    #[test]
    fn edges() {
        let coins = &mut SeededCoins::new(5);
        let of = |margins: Vec<Vec<usize>>| {
            Plan::full(30, Method::MaximumEntropy(MaximumEntropy { margins })).copies(2)
        };
        let frame = original(2);
        // With empty cells in every margin fitting converges slowly; how near it came is told.
        let by_default = synthesize(&frame, &of(vec![]), coins).unwrap();
        assert!(
            matches!(by_default.models[2].model, Model::MaximumEntropy { margins: 3, cells: 48, off } if off < 0.01)
        );
        for margins in [vec![vec![0, 9]], vec![vec![3]], vec![vec![0, 0]]] {
            assert!(synthesize(&frame, &of(margins), coins).is_err());
        }
        let partial = Plan::partial(vec![0], Method::MaximumEntropy(MaximumEntropy::default()));
        assert!(matches!(synthesize(&frame, &partial, coins), Err(SyntheticError::Scope { .. })));
        // A category that is always missing, beside one without any category.
        let gap = Frame::new(vec![
            Column::Categorical { codes: vec![MISSING; 3], categories: 2 },
            Column::Categorical { codes: vec![MISSING; 3], categories: 0 },
        ]);
        let made = synthesize(&gap.unwrap(), &of(vec![]), coins).unwrap();
        assert!(made.copies[1].columns().iter().all(|column| (0..30).all(|row| column.is_missing(row))));
        // Numbers only: regressions alone.
        let numbers = Frame::new(vec![Column::Numeric(vec![1.0, 2.0, 4.0])]).unwrap();
        assert_eq!(synthesize(&numbers, &of(vec![]), coins).unwrap().copies[0].records(), 30);
    }
}
