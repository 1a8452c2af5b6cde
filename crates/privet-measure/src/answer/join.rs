//! Joining two tables by a key, and columns made from cells.

use std::collections::HashMap;

use privet_data::{Cells, Column, Domain, Table};

/// Every pair of a record of a table and one of another with the same text in a column of each; with `keeps_all` also records without a
/// partner. Missing values are the same as nothing. Of each text no more pairs are made than the first limit; nothing where
/// there are more pairs in all than the second, or a column is not there.
pub fn joined(
    table: &Table,
    other: &Table,
    (own, theirs): (&str, &str),
    keeps_all: bool,
    (most_of_each, most): (Option<u32>, usize),
) -> Option<Table> {
    let (key, partner) = (table.column(own)?, other.column(theirs)?);
    let mut records_of: HashMap<&str, Vec<u32>> = HashMap::new();
    for (row, &code) in partner.codes.iter().enumerate() {
        if !partner.domain.is_missing(code) {
            records_of.entry(partner.domain.text(code)).or_default().push(row as u32);
        }
    }
    let mut count: HashMap<u32, u32> = HashMap::new();
    let (mut left, mut right): (Vec<u32>, Vec<Option<u32>>) = (Vec::new(), Vec::new());
    for (row, &code) in key.codes.iter().enumerate() {
        let is_missing = key.domain.is_missing(code);
        let found = if is_missing { None } else { records_of.get(key.domain.text(code)) };
        let so_far = count.entry(code).or_default();
        let room = |so_far: u32| is_missing || most_of_each.is_none_or(|most| so_far < most);
        for &partner in found.map_or(&[][..], Vec::as_slice) {
            if !room(*so_far) {
                break;
            }
            *so_far += 1;
            left.push(row as u32);
            right.push(Some(partner));
        }
        if found.is_none() && keeps_all && room(*so_far) {
            *so_far = so_far.saturating_add(1);
            left.push(row as u32);
            right.push(None);
        }
        if left.len() > most {
            return None;
        }
    }
    let mut columns: Vec<Column> = Vec::new();
    for own in &table.columns {
        let codes = left.iter().map(|&row| own.codes[row as usize]).collect(); // why: one code per record
        columns.push(Column {
            name: own.name.clone(),
            codes,
            domain: own.domain.clone(),
            cells: Cells::Plain,
        });
    }
    for own in other.columns.iter().filter(|own| own.name != theirs) {
        let text = |row: &Option<u32>| {
            let code = own.codes[(*row)? as usize]; // why: one code per record
            (!own.domain.is_missing(code)).then(|| own.domain.text(code))
        };
        let cells: Vec<Option<&str>> = right.iter().map(text).collect();
        columns.push(column_of(&own.name, &cells));
    }
    Some(Table { columns, rows: left.len() })
}

/// A column of these cells. Every text is a value of its own, and an empty one marks what is missing.
pub fn column_of(name: &str, cells: &[Option<&str>]) -> Column {
    let mut place_of: HashMap<&str, u32> = HashMap::new();
    let mut texts: Vec<Box<str>> = Vec::new();
    let places: Vec<u32> = cells
        .iter()
        .map(|cell| {
            let text = cell.unwrap_or_default();
            *place_of.entry(text).or_insert_with(|| {
                texts.push(text.into());
                texts.len() as u32 - 1
            })
        })
        .collect();
    let (domain, code_of) = Domain::canonical(texts, |text| text.is_empty());
    let codes = places.into_iter().map(|place| code_of[place as usize]).collect(); // why: one code per text
    Column { name: name.to_owned(), codes, domain, cells: Cells::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, &[Option<&str>])]) -> Table {
        let rows = columns[0].1.len();
        Table { columns: columns.iter().map(|(name, cells)| column_of(name, cells)).collect(), rows }
    }

    fn shown(table: &Table) -> Vec<String> {
        let cell = |column: &Column, row: usize| column.domain.text(column.codes[row]).to_owned();
        (0..table.rows)
            .map(|row| table.columns.iter().map(|own| cell(own, row)).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn pairs_with_the_same_key() {
        let visits = table(&[
            ("id", &[Some("a"), Some("a"), Some("b"), None, Some("c")]),
            ("cost", &[Some("1"), Some("2"), Some("3"), Some("4"), Some("5")]),
        ]);
        let people = table(&[
            ("person", &[Some("a"), Some("a"), Some("b"), None]),
            ("sex", &[Some("F"), Some("M"), Some("F"), Some("X")]),
        ]);
        let key = ("id", "person");
        let inner = joined(&visits, &people, key, false, (None, 100)).unwrap();
        assert_eq!(shown(&inner), ["a 1 F", "a 1 M", "a 2 F", "a 2 M", "b 3 F"]);
        let limited = joined(&visits, &people, key, true, (Some(3), 100)).unwrap();
        assert_eq!(shown(&limited), ["a 1 F", "a 1 M", "a 2 F", "b 3 F", " 4 ", "c 5 "]);
        assert!(joined(&visits, &people, key, false, (None, 3)).is_none());
        assert!(joined(&visits, &people, ("id", "none"), false, (None, 3)).is_none());
    }
}
