//! The respondent's side: a published model applied to records as they come, before anything is collected.
//!
//! # Guarantee
//! What comes out holds the columns of the model and no other, each drawn by its law from that record alone; nothing is
//! kept. A model whose promises do not follow from its laws is refused. A record that does not fit the model is an error
//! by its line, and is not passed on. Missing values are sent as the empty cell.

use std::io::Read;

use privet_data::io::{ReadError, ReadErrorKind, ReadOptions, RecordReader};
use privet_perturb::{Coins, PerturbError};
use privet_release::perturbed::{ModelFile, NoiseWay};

use super::items::Misfit;
use super::model::{self, ReadyColumn, ReadyLaw};
use crate::error::{JobError, RunError};
use crate::load::unknown_among;

/// Perturbs the records of a CSV, one after the other.
pub struct Respond<R> {
    records: RecordReader<R>,
    columns: Vec<ReadyColumn>,
    positions: Vec<usize>,
    missing: Vec<String>,
    coins: Box<dyn Coins>,
    text: Vec<u8>,
}

/// What a look for the next record found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Responded<'a> {
    /// A perturbed record as a line of CSV, with its line feed.
    Record(&'a [u8]),
    /// There are no more.
    End,
}

impl<R: Read> Respond<R> {
    /// Reads the header of the records.
    ///
    /// # Errors
    /// When the model is none, or the records have not its columns.
    pub fn new(model: &ModelFile, source: R, seed: Option<u64>) -> Result<Self, RunError> {
        // A respondent relies on what the model says it protects, and on nothing else.
        if let Some(wrong) = privet_release::verify::laws(&model.model).into_iter().find(|check| !check.ok) {
            return Err(JobError::new(format!(
                "the model is not what it says, and nothing is sent by it; {}: {}",
                wrong.name, wrong.detail
            ))
            .into());
        }
        let columns = model::ready(&model.model)?;
        if columns.is_empty() || columns.iter().all(|column| matches!(column.law, ReadyLaw::Keep)) {
            return Err(JobError::new("the model perturbs no column").into());
        }
        let is_correlated =
            |own: &ReadyColumn| matches!(&own.law, ReadyLaw::Noise(law) if law.way == NoiseWay::Correlated);
        if columns.iter().any(is_correlated) {
            return Err(JobError::new(
                "the model has correlated noise, which follows a whole table and cannot come upon single records",
            )
            .into());
        }
        let unreadable = |kind: ReadErrorKind| RunError::Read(ReadError { path: None, kind });
        let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
        let records = RecordReader::new(source, &options).map_err(unreadable)?;
        let names = records.names();
        let mut positions = Vec::with_capacity(columns.len());
        for column in &columns {
            match names.iter().position(|name| *name == column.name) {
                Some(position) => positions.push(position),
                None => return Err(unknown_among(columns.iter().map(|own| &own.name), names).into()),
            }
        }
        let missing = model.model.missing.clone();
        Ok(Self { records, columns, positions, missing, coins: super::coins(seed), text: Vec::new() })
    }

    /// The header of what comes out, with its line feed.
    pub fn header(&self) -> Vec<u8> {
        let mut line = Vec::new();
        for (number, column) in self.columns.iter().enumerate() {
            if number > 0 {
                line.push(self.records.delimiter());
            }
            self.records.push_cell(&column.name, &mut line);
        }
        line.push(b'\n');
        line
    }

    /// Reads, perturbs and returns the next record.
    ///
    /// # Errors
    /// When it is malformed or does not fit the model, or the source or the coins fail.
    pub fn advance(&mut self) -> Result<Responded<'_>, RunError> {
        let unreadable = |kind: ReadErrorKind| RunError::Read(ReadError { path: None, kind });
        if !self.records.advance().map_err(unreadable)? {
            return Ok(Responded::End);
        }
        self.text.clear();
        for (number, (column, &position)) in self.columns.iter().zip(&self.positions).enumerate() {
            if number > 0 {
                self.text.push(self.records.delimiter());
            }
            let cell = self.records.cell(position);
            let line = self.records.line();
            let drawn = respond(column, &cell, &self.missing, &mut *self.coins, line)?;
            self.records.push_cell(drawn.as_deref().unwrap_or(&cell), &mut self.text);
        }
        self.text.push(b'\n');
        Ok(Responded::Record(&self.text))
    }
}

/// What a cell becomes; `None` when it stays as it is.
fn respond(
    column: &ReadyColumn,
    cell: &str,
    missing: &[String],
    coins: &mut dyn Coins,
    line: u64,
) -> Result<Option<String>, RunError> {
    let failed = |source| RunError::Perturb { column: column.name.clone(), source };
    let is_missing = missing.iter().any(|marker| marker == cell);
    let misfit = |what: &str| {
        RunError::from(JobError::new(format!("line {line}: the value of `{}` is {what}", column.name)))
    };
    match &column.law {
        ReadyLaw::Keep => Ok(is_missing.then(String::new)),
        ReadyLaw::Categories(law) => {
            match if is_missing { law.code_or_missing(cell) } else { law.code(cell) } {
                Some(code) => {
                    let drawn = law.randomize(&[code], coins).map_err(failed)?;
                    let value = drawn.first().and_then(|&code| law.values.get(code as usize)).cloned();
                    Ok(Some(value.ok_or(failed(PerturbError::NoRandomness))?))
                }
                None if is_missing => Ok(Some(String::new())),
                None => Err(misfit("none of the model's values")),
            }
        }
        ReadyLaw::Items(law) => {
            let set = law.original(if is_missing { "" } else { cell }).map_err(|wrong| match wrong {
                Misfit::Item => misfit("no set of the model's items"),
                Misfit::Size => misfit("a set of more items than the model takes"),
            })?;
            Ok(Some(law.draw(&set, coins).map_err(failed)?))
        }
        ReadyLaw::Noise(_) if is_missing => Ok(Some(String::new())),
        ReadyLaw::Noise(law) => {
            let what = if law.dates { "no date (YYYY-MM-DD)" } else { "no number" };
            let number = law.number(cell).ok_or_else(|| misfit(what))?;
            if !law.is_within(number) {
                return Err(misfit("outside of the model's range"));
            }
            if !law.takes_noise(cell, number) {
                return Err(misfit("too large for the noise of the model, which would be lost in it"));
            }
            if !law.is_multiple(number) {
                return Err(misfit("no multiple of the model's unit"));
            }
            let drawn = law.perturb(number, coins).map_err(failed)?;
            Ok(Some(law.text(drawn).ok_or_else(|| misfit("taken out of the calendar by the noise"))?))
        }
    }
}
