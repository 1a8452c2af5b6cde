//! Multiple imputation by chained equations (survey ME-40): missing values are replaced by draws from a model of their
//! column on all others, column after column, for several cycles.
//!
//! Missing values begin as random known values of their column. A cycle visits the columns with missing values, those
//! with fewest first; a model is learned from the records in which the column is known, with what is imputed so far in
//! the others. Each completed table has a chain of its own.
//!
//! # Guarantee
//! Known values stay. A column without any known value stays missing and is no predictor. Estimates are combined with
//! `privet_measure::combine::Rule::Imputed`.

use super::super::draws::pick;
use super::super::plan::MOST_COPIES;
use super::super::{Column, Frame, SyntheticError};
use super::{Conditional, Regression};
use crate::{Coins, Drawn};

/// Completes a table `copies` times.
///
/// # Errors
/// When a parameter is out of range, a column has too few known values for its model or too many categories, or the
/// source of randomness fails.
pub fn impute<C: Coins + ?Sized>(
    frame: &Frame,
    options: Regression,
    copies: usize,
    coins: &mut C,
) -> Result<Drawn<Vec<Frame>>, SyntheticError> {
    options.check()?;
    if copies == 0 || copies > MOST_COPIES {
        return Err(SyntheticError::Parameter { name: "the number of copies", accepted: "from 1 to 1000" });
    }
    let value: Result<Vec<Frame>, SyntheticError> =
        (0..copies).map(|_| complete(frame, options, coins)).collect();
    Ok(Drawn { value: value?, source: coins.source() })
}

/// Completes a table once.
pub(in super::super) fn complete<C: Coins + ?Sized>(
    frame: &Frame,
    options: Regression,
    coins: &mut C,
) -> Result<Frame, SyntheticError> {
    let mut completed = frame.clone();
    let mut visited: Vec<(usize, usize, Vec<u32>)> = Vec::new();
    for (column, own) in frame.columns().iter().enumerate() {
        let records = 0..frame.records() as u32;
        let (missing, known): (Vec<u32>, Vec<u32>) = records.partition(|&row| own.is_missing(row as usize));
        if missing.is_empty() || known.is_empty() {
            continue;
        }
        let even: Vec<f64> = (1..=known.len()).map(|count| count as f64).collect();
        for &row in &missing {
            let donor = known[pick(&even, coins)?] as usize;
            match &mut completed.columns[column] {
                Column::Numeric(values) => values[row as usize] = values[donor],
                Column::Categorical { codes, .. } => codes[row as usize] = codes[donor],
            }
        }
        visited.push((missing.len(), column, missing));
    }
    visited.sort_unstable_by_key(|(count, column, _)| (*count, *column));
    for _ in 0..options.cycles {
        for (_, column, missing) in &visited {
            let known = &frame.columns()[*column];
            let rows: Vec<u32> =
                (0..frame.records() as u32).filter(|&row| !known.is_missing(row as usize)).collect();
            let others: Vec<usize> = (0..frame.columns().len()).filter(|other| other != column).collect();
            let model =
                Conditional::learn(completed.columns(), *column, &others, &rows, true, options.within_range)?;
            model.draw(*column, &mut completed, missing, coins)?;
        }
    }
    Ok(completed)
}
