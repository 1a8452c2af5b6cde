//! From the codes that threads gave to the cells of a column, to a column with its canonical domain.
//!
//! Threads encode cells as they stand, quotation marks included. Here each distinct cell is unquoted once,
//! equal texts become one value, and it is decided whether the marks follow a rule (only where needed, or
//! always) or must be remembered cell by cell.

use std::collections::HashMap;

use memchr::memchr;

use super::cell::{needs_quotes, unquote};
use super::csv_read::decode;
use super::dictionary::Dictionary;
use super::index::Shape;
use super::options::ReadOptions;
use crate::{Cells, Column, Domain};

/// The codes of some cells, in as few bytes as the number of distinct cells allows.
pub(super) enum Codes {
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
}

impl Codes {
    /// Packs codes that are all below `distinct`.
    pub(super) fn pack(codes: &[u32], distinct: usize) -> Self {
        if distinct <= 1 << 8 {
            Codes::One(codes.iter().map(|&code| code as u8).collect())
        } else if distinct <= 1 << 16 {
            Codes::Two(codes.iter().map(|&code| code as u16).collect())
        } else {
            Codes::Four(codes.to_vec())
        }
    }

    /// Adds what each code is mapped to.
    fn map_into(&self, map: &[u32], out: &mut Vec<u32>) {
        match self {
            Codes::One(codes) => out.extend(codes.iter().map(|&code| map[code as usize])),
            Codes::Two(codes) => out.extend(codes.iter().map(|&code| map[code as usize])),
            Codes::Four(codes) => out.extend(codes.iter().map(|&code| map[code as usize])),
        }
    }
}

/// All that is known of a column when the file has been read.
#[derive(Default)]
pub(super) struct Finisher {
    /// The dictionaries of the threads.
    pub(super) dictionaries: Vec<Dictionary>,
    /// The pieces of the column in order: the thread that encoded it, and its codes.
    pub(super) pieces: Vec<(usize, Codes)>,
}

/// The distinct cells of a column.
struct DistinctCells {
    /// As they stand; left out when each stands as the plain text of its value.
    cells: Vec<Box<str>>,
    /// Per cell the value it stands for.
    value_of: Vec<u32>,
    /// The distinct texts.
    values: Vec<Box<str>>,
}

impl Finisher {
    /// Makes the column.
    pub(super) fn finish(
        mut self,
        name: String,
        rows: usize,
        shape: &Shape,
        options: &ReadOptions,
    ) -> Column {
        let (cells, cell_of) = self.merge(shape);
        let equality = options.equality_in(&name);
        // Where texts became one, they are kept for columns that are published as they stood.
        let (domain, code_of, as_stood) =
            Domain::by_value_as_stood(cells.values, |text| options.is_missing(text), equality);
        let code_of_cell: Vec<u32> = cells.value_of.iter().map(|&value| code_of[value as usize]).collect();
        let (in_forms, texts) = (as_stood.is_some(), as_stood.unwrap_or_default());
        let style = if in_forms { None } else { style(&cells.cells, &code_of_cell, &domain, shape) };
        let codes = self.codes(rows, &cell_of, &code_of_cell);
        // Without any quotation mark cells are their texts.
        let cells_as_stood = if cells.cells.is_empty() && in_forms { &texts } else { &cells.cells };
        let value_of = &cells.value_of;
        let cells = match style {
            Some(cells) => cells,
            None => {
                // Cells in the order of their values, so that their codes do not depend on the threads.
                let mut order: Vec<u32> = (0..cells_as_stood.len() as u32).collect();
                order.sort_unstable_by_key(|&cell| {
                    (code_of_cell[cell as usize], &cells_as_stood[cell as usize])
                });
                let mut place = vec![0; order.len()];
                for (at, &cell) in order.iter().enumerate() {
                    place[cell as usize] = at as u32;
                }
                let codes = self.codes(rows, &cell_of, &place);
                let cells = order.iter().map(|&cell| cells_as_stood[cell as usize].clone()).collect();
                let text = |&cell: &u32| texts[value_of[cell as usize] as usize].clone();
                let texts = in_forms.then(|| order.iter().map(text).collect());
                Cells::Verbatim { codes, cells, texts }
            }
        };
        Column { name, codes, domain, cells }
    }

    /// The distinct cells of all threads, and per thread and code the place among them.
    fn merge(&mut self, shape: &Shape) -> (DistinctCells, Vec<Vec<u32>>) {
        // Whatever one thread found alone need not be looked up again.
        let mut of_threads = std::mem::take(&mut self.dictionaries).into_iter();
        let mut whole = of_threads.next().unwrap_or_else(Dictionary::new);
        let mut cell_of = vec![(0..whole.len() as u32).collect()];
        for dictionary in of_threads {
            let mut places = Vec::with_capacity(dictionary.len());
            dictionary.for_each(|cell| places.push(whole.code(cell)));
            cell_of.push(places);
        }
        let mut cells: Vec<Box<str>> = Vec::with_capacity(whole.len());
        let mut plain = true;
        whole.for_each(|cell| {
            plain &= memchr(shape.quote, cell).is_none();
            cells.push(decode(cell, shape.encoding).into());
        });
        if plain {
            let value_of = (0..cells.len() as u32).collect();
            return (DistinctCells { values: cells, value_of, cells: Vec::new() }, cell_of);
        }
        let mut places: HashMap<Box<str>, u32> = HashMap::new();
        let mut values: Vec<Box<str>> = Vec::new();
        let value_of = cells
            .iter()
            .map(|cell| {
                let text = unquote(cell.as_bytes(), shape.quote).unwrap_or(cell.as_bytes().into());
                let text: Box<str> = String::from_utf8_lossy(&text).into();
                *places.entry(text).or_insert_with_key(|text| {
                    values.push(text.clone());
                    values.len() as u32 - 1
                })
            })
            .collect();
        (DistinctCells { cells, value_of, values }, cell_of)
    }

    fn codes(&self, rows: usize, cell_of: &[Vec<u32>], map: &[u32]) -> Vec<u32> {
        let maps: Vec<Vec<u32>> =
            cell_of.iter().map(|cells| cells.iter().map(|&cell| map[cell as usize]).collect()).collect();
        let mut codes = Vec::with_capacity(rows);
        for (thread, piece) in &self.pieces {
            piece.map_into(&maps[*thread], &mut codes);
        }
        codes
    }
}

/// The rule that the quotation marks of a column follow, if they follow one.
fn style(cells: &[Box<str>], code_of_cell: &[u32], domain: &Domain, shape: &Shape) -> Option<Cells> {
    let (mut needed, mut always) = (true, true);
    for (cell, &code) in cells.iter().zip(code_of_cell) {
        let is_quoted = cell.as_bytes().first() == Some(&shape.quote);
        let text = domain.text(code).as_bytes();
        let as_needed = is_quoted == needs_quotes(text, shape.delimiter, shape.quote);
        needed &= as_needed;
        always &= if domain.is_missing(code) { as_needed } else { is_quoted };
    }
    match (needed, always) {
        (true, _) => Some(Cells::Plain),
        (false, true) => Some(Cells::Quoted),
        (false, false) => None,
    }
}
