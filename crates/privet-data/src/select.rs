//! Some records of a table as a table of their own.

use arrow_array::{ArrayRef, UInt32Array};
use arrow_select::take::take;

use crate::{Cells, Column, Domain, Table};

impl Table {
    /// The given records, in the order given. Values that none of them has leave the domains, so that nothing of the
    /// other records is left.
    pub fn select(&self, records: &[u32]) -> Table {
        let columns = self.columns.iter().map(|column| column.select(records)).collect();
        Table { columns, rows: records.len() }
    }
}

impl Column {
    fn select(&self, records: &[u32]) -> Column {
        let (codes, occurring) = compact(&self.codes, records, self.domain.len());
        let missing = occurring.partition_point(|&code| self.domain.is_missing(code)) as u32;
        let values = occurring.iter().map(|&code| self.domain.text(code).into()).collect();
        // The kind stays: text columns do not become numbers because the records at hand could be.
        let domain = Domain::from_sorted(values, missing, self.domain.kind()).with_sameness_of(&self.domain);
        let cells = match &self.cells {
            Cells::Plain => Cells::Plain,
            Cells::Quoted => Cells::Quoted,
            Cells::Verbatim { codes, cells, texts } => {
                let (codes, occurring) = compact(codes, records, cells.len());
                let own =
                    |all: &[Box<str>]| occurring.iter().map(|&code| all[code as usize].clone()).collect();
                Cells::Verbatim { codes, cells: own(cells), texts: texts.as_deref().map(own) }
            }
            Cells::Arrow(values) => pick(values, occurring).map_or(Cells::Plain, Cells::Arrow),
            Cells::ArrowVerbatim { codes, values } => {
                let (codes, occurring) = compact(codes, records, values.len());
                let picked = pick(values, occurring);
                picked.map_or(Cells::Plain, |values| Cells::ArrowVerbatim { codes, values })
            }
        };
        Column { name: self.name.clone(), codes, domain, cells }
    }
}

/// The codes of some records, numbered anew without gaps, and the old code of each new one.
fn compact(codes: &[u32], records: &[u32], values: usize) -> (Vec<u32>, Vec<u32>) {
    let mut number = vec![0u32; values];
    records.iter().for_each(|&record| number[codes[record as usize] as usize] = 1);
    let mut occurring = Vec::new();
    for (code, number) in number.iter_mut().enumerate() {
        if *number == 1 {
            *number = occurring.len() as u32;
            occurring.push(code as u32);
        }
    }
    (records.iter().map(|&record| number[codes[record as usize] as usize]).collect(), occurring)
}

/// Some values of an array; none when its type cannot be picked from, and the column is then written as texts.
fn pick(values: &ArrayRef, places: Vec<u32>) -> Option<ArrayRef> {
    take(values, &UInt32Array::from(places), None).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::Int64Array;

    use super::*;
    use crate::Kind;

    fn table() -> Table {
        let (domain, codes) =
            Domain::canonical(["7", "?", "30", "200"].map(Box::from).to_vec(), |text| text == "?");
        let values: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(7), Some(30), Some(200)]));
        let column = |cells| Column { name: "n".into(), codes: codes.clone(), domain: domain.clone(), cells };
        let verbatim = Cells::Verbatim {
            codes: vec![3, 2, 1, 0],
            cells: ["a", "b", "c", "d"].map(Box::from).to_vec(),
            texts: None,
        };
        Table { columns: vec![column(Cells::Arrow(values)), column(verbatim)], rows: 4 }
    }

    #[test]
    fn what_is_left_is_the_records_and_their_values() {
        let some = table().select(&[3, 1]);
        assert_eq!(some.rows, 2);
        let column = &some.columns[0];
        assert_eq!(column.codes, [1, 0]);
        assert_eq!(column.domain.texts(), ["?".into(), "200".into()]);
        assert_eq!((column.domain.missing(), column.domain.kind()), (1, Kind::Integer));
        let Cells::Arrow(values) = &column.cells else { panic!("the type was lost") };
        let expected: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(200)]));
        assert_eq!(values, &expected);
        let Cells::Verbatim { codes, cells, .. } = &some.columns[1].cells else {
            panic!("the quotes were lost")
        };
        assert_eq!((codes.as_slice(), cells.as_slice()), (&[0, 1][..], &["a".into(), "c".into()][..]));
    }

    #[test]
    fn no_record_and_all_records() {
        assert_eq!(table().select(&[]).columns[0].domain.len(), 0);
        let all = table().select(&[0, 1, 2, 3]);
        assert_eq!(all.columns[0].codes, table().columns[0].codes);
        assert_eq!(all.columns[0].domain.texts(), table().columns[0].domain.texts());
    }
}
