//! The referee's own reader of published sheets: every cell as its text, row by row.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use calamine::{DataRef, Reader, Xlsx};
use privet_data::io::open_plain;

/// Gives the texts of every row to `each`, the names of the columns first; the empty text for a cell that holds nothing. The library's
/// own messages may quote data and are not passed on.
pub(super) fn rows(path: &Path, each: &mut dyn FnMut(&[String]) -> bool) -> Result<(), &'static str> {
    let damaged = "it is not a workbook, or it is damaged";
    let file = open_plain(path).map_err(|_| "it cannot be opened")?;
    let mut book: Xlsx<BufReader<File>> = Xlsx::new(BufReader::new(file)).map_err(|_| damaged)?;
    let names = book.sheet_names();
    let [name] = names.as_slice() else { return Err("a published workbook has one sheet") };
    let mut reader = book.worksheet_cells_reader(name).map_err(|_| damaged)?;
    let (mut row, mut texts, mut columns) = (0, Vec::<String>::new(), None);
    while let Some(cell) = reader.next_cell().map_err(|_| damaged)? {
        let (at, column) = cell.get_position();
        if at != row {
            if at != row + 1 {
                return Err("a row is empty or out of order");
            }
            columns.get_or_insert(texts.len());
            texts.resize(columns.unwrap_or(0), String::new());
            if !each(&texts) {
                return Ok(());
            }
            texts.clear();
            row = at;
        }
        let column = column as usize;
        if column < texts.len() || columns.is_some_and(|columns| column >= columns) {
            return Err("a cell stands outside of the table or out of order");
        }
        texts.resize(column, String::new());
        texts.push(match cell.get_value() {
            DataRef::Empty => String::new(),
            DataRef::String(text) => text.clone(),
            DataRef::SharedString(text) => (*text).to_owned(),
            DataRef::Int(number) => number.to_string(),
            DataRef::Float(number) => number.to_string(),
            _ => return Err("a cell is neither a number nor a text"),
        });
    }
    texts.resize(columns.unwrap_or(texts.len()), String::new());
    if !texts.is_empty() {
        each(&texts);
    }
    Ok(())
}
