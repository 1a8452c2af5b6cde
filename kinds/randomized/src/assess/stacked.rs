//! Several copies of a table as one, for attacks that take all of them together.

use std::collections::HashMap;

use privet_data::{Cells, Column, Table};

/// Tables with the same columns, one behind the other.
pub(super) fn stacked(tables: &[Table]) -> Table {
    let [first, others @ ..] = tables else { return Table { columns: Vec::new(), rows: 0 } };
    if others.is_empty() {
        return first.clone();
    }
    let column = |at: usize, own: &Column| {
        let same: Vec<&Column> = tables.iter().filter_map(|table| table.columns.get(at)).collect();
        let mut place_of: HashMap<&str, u32> = HashMap::new();
        let mut texts: Vec<(Box<str>, bool)> = Vec::new();
        for (domain, code) in
            same.iter().flat_map(|own| (0..own.domain.len() as u32).map(|code| (&own.domain, code)))
        {
            let next = texts.len() as u32;
            place_of.entry(domain.text(code)).or_insert_with(|| {
                texts.push((domain.text(code).into(), domain.is_missing(code)));
                next
            });
        }
        let is_missing = |text: &str| {
            place_of.get(text).and_then(|&place| texts.get(place as usize)).is_some_and(|own| own.1)
        };
        let values = texts.iter().map(|own| own.0.clone()).collect();
        let (domain, code_of) = own.domain.like(values, is_missing);
        let place = |text: &str| {
            place_of.get(text).and_then(|&place| code_of.get(place as usize)).copied().unwrap_or(0)
        };
        let mut codes = Vec::with_capacity(tables.iter().map(|own| own.rows).sum());
        for own in &same {
            let of_code: Vec<u32> = own.domain.texts().iter().map(|text| place(text)).collect();
            codes.extend(own.codes.iter().map(|&code| of_code.get(code as usize).copied().unwrap_or(0)));
        }
        Column { name: own.name.clone(), codes, domain, cells: Cells::Plain }
    };
    Table {
        columns: first.columns.iter().enumerate().map(|(at, own)| column(at, own)).collect(),
        rows: tables.iter().map(|own| own.rows).sum(),
    }
}

#[cfg(test)]
mod tests {
    use privet_data::io::{ReadOptions, read_csv_bytes};

    use super::*;

    #[test]
    fn copies_are_stacked_with_their_values() {
        let table = |csv: &str| {
            let options =
                ReadOptions { header: Some(true), missing: vec!["?".to_owned()], ..ReadOptions::default() };
            read_csv_bytes(csv.as_bytes(), &options).unwrap().table
        };
        let (a, b) = (table("n,t\n5,x\n?,z\n"), table("n,t\n40,y\n5,?\n"));
        let own = stacked(&[a.clone(), b]);
        assert_eq!((own.rows, own.columns.len()), (4, 2));
        let texts = |column: &Column| -> Vec<String> {
            column.codes.iter().map(|&code| column.domain.text(code).to_owned()).collect()
        };
        assert_eq!(texts(&own.columns[0]), ["5", "?", "40", "5"]);
        assert_eq!(texts(&own.columns[1]), ["x", "z", "y", "?"]);
        assert_eq!((own.columns[0].domain.missing(), own.columns[1].domain.missing()), (1, 1));
        assert_eq!(own.columns[0].domain.number(1), Some(5.0));
        assert_eq!(stacked(&[a]).rows, 2);
        assert_eq!(stacked(&[]).rows, 0);
    }
}
