//! The method `columns`: each column is perturbed by its own law, independently of the others (survey ME-27), but for
//! columns with correlated noise, which get theirs together (ME-24).
//!
//! # Guarantee
//! Every record gets its own chance in every column, drawn in the order of columns and records, so the same seed gives
//! the same table. Missing values stay missing, as the empty cell; that they are missing is told, but where the empty cell
//! is a value of the domain: then all of them are perturbed as that value. Values outside of the domain of their column
//! are an error and never passed on.

use std::collections::{BTreeMap, HashMap};

use privet_data::{Cells, Column, Domain, Progress, Table};
use privet_perturb::{Coins, PerturbError, correlated_noise};
use privet_release::perturbed::NoiseWay;

use super::items;
use super::model::{ReadyCategories, ReadyColumn, ReadyLaw, ReadyNoise};
use crate::error::{JobError, RunError};

/// A perturbed table: columns that changed stand in for the table's own.
pub(crate) struct Perturbed {
    pub columns: BTreeMap<usize, Column>,
    /// Per perturbed column with missing values how many.
    pub missing: BTreeMap<String, u64>,
}

/// Perturbs the columns of a table, which are those of the model in their order.
pub(crate) fn perturb<C: Coins + ?Sized>(
    table: &Table,
    model: &[ReadyColumn],
    coins: &mut C,
    progress: &dyn Progress,
) -> Result<Perturbed, RunError> {
    progress.stage("perturbing", Some(model.len() as u64));
    let mut columns = BTreeMap::new();
    let mut missing = BTreeMap::new();
    for (position, (column, own)) in table.columns.iter().zip(model).enumerate() {
        progress.check()?;
        let failed = |source| RunError::Perturb { column: column.name.clone(), source };
        let (texts, gone) = match &own.law {
            ReadyLaw::Keep => continue,
            ReadyLaw::Categories(law) => {
                columns.insert(position, categories(column, law, coins)?);
                (None, missing_of(column, |text| law.code_or_missing(text).is_none()))
            }
            ReadyLaw::Items(law) => {
                columns.insert(position, items::column(column, law, coins)?);
                (None, 0)
            }
            ReadyLaw::Noise(law) if law.way == NoiseWay::Correlated => continue,
            ReadyLaw::Noise(law) => {
                let numbers = originals(column, law)?;
                let mut texts = Vec::with_capacity(numbers.len());
                for number in numbers {
                    let own = number.map(|number| law.perturb(number, coins)).transpose().map_err(failed)?;
                    texts.push(own.map(|own| published(own, law, texts.len())).transpose().map_err(failed)?);
                }
                (Some(texts), missing_of(column, |_| true))
            }
        };
        if let Some(texts) = texts {
            columns.insert(position, of_texts(column, texts));
        }
        if gone > 0 {
            missing.insert(column.name.clone(), gone);
        }
        progress.at(position as u64 + 1);
    }
    correlated(table, model, coins, &mut columns)?;
    Ok(Perturbed { columns, missing })
}

/// How many values are missing and stay so.
fn missing_of(column: &Column, stays: impl Fn(&str) -> bool) -> u64 {
    let stays: Vec<bool> = (0..column.domain.missing()).map(|code| stays(column.domain.text(code))).collect();
    column.codes.iter().filter(|&&code| stays.get(code as usize).copied().unwrap_or(false)).count() as u64
}

fn published(value: f64, law: &ReadyNoise, record: usize) -> Result<String, PerturbError> {
    law.text(value).ok_or(PerturbError::Number { record })
}

/// Per record its number, `None` where it is missing.
pub(crate) fn numbers(column: &Column, law: &ReadyNoise) -> Result<Vec<Option<f64>>, RunError> {
    let domain = &column.domain;
    let mut of_code = Vec::with_capacity(domain.len());
    for code in 0..domain.len() as u32 {
        of_code.push(match domain.is_missing(code) {
            true => None,
            false => {
                Some(law.number(domain.text(code)).ok_or_else(|| not_a_number(&column.name, law.dates))?)
            }
        });
    }
    Ok(column.codes.iter().map(|&code| of_code.get(code as usize).copied().flatten()).collect())
}

/// Per record its number, which lies within the range that the law declares, and is not so large that noise is lost in it.
fn originals(column: &Column, law: &ReadyNoise) -> Result<Vec<Option<f64>>, RunError> {
    let numbers = numbers(column, law)?;
    let text = |code: u32| column.domain.text(code);
    let with_codes = numbers.iter().zip(&column.codes).filter_map(|(number, &code)| Some(((*number)?, code)));
    let lost = with_codes.filter(|&(number, code)| !law.takes_noise(text(code), number)).count();
    if lost > 0 {
        let key = if law.way == NoiseWay::Correlated { "factor" } else { "sd" };
        let problem = format!(
            "makes noise that is lost in {lost} records: their numbers are so large beside it that computing rounds it off, or \
             whole and beyond 2^53, where they are not read exactly. Use wider noise, or publish the column in a larger unit or \
             less a constant"
        );
        return Err(JobError::key(format!("columns.{}.perturb.{key}", column.name), problem).into());
    }
    let odd = numbers.iter().flatten().filter(|&&number| !law.is_multiple(number)).count();
    if odd > 0 {
        let problem =
            format!("must divide all values; {odd} records have others. Correct it, or leave it out");
        return Err(JobError::key(format!("columns.{}.perturb.unit", column.name), problem).into());
    }
    match numbers.iter().flatten().filter(|&&number| !law.is_within(number)).count() {
        0 => Ok(numbers),
        records => Err(JobError::key(
            format!("columns.{}.perturb.min", column.name),
            format!(
                "and `max` must hold all values; {records} records lie outside. Widen them, or leave both out"
            ),
        )
        .into()),
    }
}

fn not_a_number(name: &str, dates: bool) -> JobError {
    let what = if dates { "dates as YYYY-MM-DD" } else { "numbers between -1e100 and 1e100" };
    JobError::key(
        format!("columns.{name}"),
        format!(
            "holds cells that are neither missing nor {what}; noise is for those alone. Name what means a missing value under `input.missing`"
        ),
    )
}

fn outside(name: &str, records: u64) -> JobError {
    JobError::key(
        format!("columns.{name}"),
        format!(
            "has values outside of its declared domain, in {records} records; declare them, or name them under \
             `input.missing`"
        ),
    )
}

fn categories<C: Coins + ?Sized>(
    column: &Column,
    law: &ReadyCategories,
    coins: &mut C,
) -> Result<Column, RunError> {
    let domain = &column.domain;
    // Per code of the table that of the law; missing values that are no value of it become the empty cell.
    let of_code: Vec<Option<u32>> = (0..domain.len() as u32)
        .map(|code| match domain.is_missing(code) {
            true => law.code_or_missing(domain.text(code)),
            false => law.code(domain.text(code)),
        })
        .collect();
    let unknown =
        |code: &&u32| !domain.is_missing(**code) && of_code.get(**code as usize).copied().flatten().is_none();
    let strangers = column.codes.iter().filter(unknown).count() as u64;
    if strangers > 0 {
        return Err(outside(&column.name, strangers).into());
    }
    let known: Vec<u32> =
        column.codes.iter().filter_map(|&code| of_code.get(code as usize).copied().flatten()).collect();
    let drawn = law
        .randomize(&known, coins)
        .map_err(|source| RunError::Perturb { column: column.name.clone(), source })?;
    // The empty cell stands first, where it is no value.
    let is_value = law.code("").is_some();
    let blank = (!is_value).then(Box::default);
    let texts: Vec<Box<str>> =
        blank.into_iter().chain(law.values.iter().map(|value| value.as_str().into())).collect();
    let shift = u32::from(!is_value);
    let mut drawn = drawn.into_iter();
    let codes: Vec<u32> = column
        .codes
        .iter()
        .map(|&code| match of_code.get(code as usize).copied().flatten() {
            Some(_) => drawn.next().unwrap_or(0) + shift,
            None => 0,
        })
        .collect();
    let (domain, code_of) = Domain::canonical(texts, str::is_empty);
    let codes = codes.iter().map(|&code| code_of.get(code as usize).copied().unwrap_or(0)).collect();
    Ok(Column { name: column.name.clone(), codes, domain, cells: Cells::Plain })
}

/// A column of published texts; missing ones are the empty cell, which no noise can bring forth.
fn of_texts(column: &Column, texts: Vec<Option<String>>) -> Column {
    let mut place_of: HashMap<String, u32> = HashMap::new();
    let mut all: Vec<Box<str>> = vec![Box::default()];
    let places: Vec<u32> = texts
        .into_iter()
        .map(|text| match text {
            None => 0,
            Some(text) => *place_of.entry(text).or_insert_with_key(|text| {
                all.push(text.as_str().into());
                all.len() as u32 - 1
            }),
        })
        .collect();
    let (domain, code_of) = Domain::canonical(all, str::is_empty);
    let codes = places.iter().map(|&place| code_of.get(place as usize).copied().unwrap_or(0)).collect();
    Column { name: column.name.clone(), codes, domain, cells: Cells::Plain }
}

/// A column as it was, with the empty cell for whatever stood for a missing value; `None` when that changes nothing.
pub(super) fn blanked(column: &Column) -> Option<Column> {
    let domain = &column.domain;
    if !matches!(column.cells, Cells::Plain) || (0..domain.missing()).all(|code| domain.text(code).is_empty())
    {
        return None;
    }
    // Empty cells that were no marker mean the same from here on.
    let stays = |code: u32| !domain.is_missing(code) && !domain.text(code).is_empty();
    let mut all: Vec<Box<str>> = vec![Box::default()];
    let place_of: Vec<u32> = (0..domain.len() as u32)
        .map(|code| {
            if !stays(code) {
                return 0;
            }
            all.push(domain.text(code).into());
            all.len() as u32 - 1
        })
        .collect();
    let (domain, code_of) = Domain::canonical(all, str::is_empty);
    let code =
        |code: u32| place_of.get(code as usize).and_then(|&place| code_of.get(place as usize)).copied();
    let codes = column.codes.iter().map(|&own| code(own).unwrap_or(0)).collect();
    Some(Column { name: column.name.clone(), codes, domain, cells: Cells::Plain })
}

/// Noise for all columns that share it.
fn correlated<C: Coins + ?Sized>(
    table: &Table,
    model: &[ReadyColumn],
    coins: &mut C,
    columns: &mut BTreeMap<usize, Column>,
) -> Result<(), RunError> {
    let together: Vec<(usize, &Column, &ReadyNoise)> = of_correlated(table, model).collect();
    let Some((_, first, law)) = together.first() else { return Ok(()) };
    let values = records(&together)?;
    let drawn = correlated_noise(&values, together.len(), law.factor, coins)
        .map_err(|source| RunError::Perturb { column: first.name.clone(), source })?
        .value;
    for (place, (position, column, law)) in together.iter().enumerate() {
        let failed = |source| RunError::Perturb { column: column.name.clone(), source };
        let own = drawn.iter().skip(place).step_by(together.len()).enumerate();
        let texts = own.map(|(record, &value)| published(value, law, record).map(Some));
        let texts = texts.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        columns.insert(*position, of_texts(column, texts));
    }
    Ok(())
}

/// The columns with correlated noise.
fn of_correlated<'a>(
    table: &'a Table,
    model: &'a [ReadyColumn],
) -> impl Iterator<Item = (usize, &'a Column, &'a ReadyNoise)> {
    table.columns.iter().zip(model).enumerate().filter_map(|(position, (column, own))| match &own.law {
        ReadyLaw::Noise(law) if law.way == NoiseWay::Correlated => Some((position, column, law)),
        _ => None,
    })
}

/// The numbers of columns, record by record.
fn records(together: &[(usize, &Column, &ReadyNoise)]) -> Result<Vec<f64>, RunError> {
    let width = together.len();
    let rows = together.first().map_or(0, |(_, column, _)| column.codes.len());
    let mut values = vec![0.0; rows * width];
    for (place, (_, column, law)) in together.iter().enumerate() {
        let own = originals(column, law)?;
        if own.iter().any(Option::is_none) {
            return Err(JobError::key(
                format!("columns.{}", column.name),
                "has missing values, and correlated noise needs every value of every record; use another noise",
            )
            .into());
        }
        for (slot, number) in values.iter_mut().skip(place).step_by(width.max(1)).zip(own) {
            *slot = number.unwrap_or(0.0);
        }
    }
    Ok(values)
}
