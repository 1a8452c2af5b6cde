//! What holds for reading and writing as a whole.

mod columnar;
mod csv_rules;
mod damaged;
mod round_trip;
mod streaming;

use super::csv_read::{Tuning, read_csv};
use super::*;

/// Reads with blocks of this size in a pool of this many threads.
fn read_blocks(
    text: &[u8],
    options: &ReadOptions,
    block: usize,
    threads: usize,
) -> Result<Input, ReadErrorKind> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let tuning = Tuning { block: Some(block), parallel: true };
    pool.install(|| read_csv(text, None, options, &Silent, &tuning))
}

/// Writes all columns as they were.
fn write_back(input: &Input, format: Format) -> Vec<u8> {
    write_view(&whole(input), format, &input.dialect.clone().unwrap_or_default()).unwrap()
}

fn write_view(view: &View<'_>, format: Format, dialect: &Dialect) -> Result<Vec<u8>, WriteError> {
    let mut bytes = Vec::new();
    write(&mut bytes, view, format, dialect, &Silent)?;
    Ok(bytes)
}

fn whole(input: &Input) -> View<'_> {
    let columns = input.table.columns.iter().map(ViewColumn::unchanged).collect();
    View { columns, rows: input.table.rows, kept: None }
}

/// The texts of a column, row by row.
fn texts<'a>(input: &'a Input, name: &str) -> Vec<&'a str> {
    let column = input.table.column(name).unwrap();
    column.codes.iter().map(|&code| column.domain.text(code)).collect()
}
