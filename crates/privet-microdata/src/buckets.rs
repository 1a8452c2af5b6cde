//! A bucketized release (survey ME-13): the quasi columns as they are, with the number of a bucket, and for each
//! sensitive column a table that counts its values per bucket.
//!
//! Who has which value is lost within a bucket, and only there. Buckets are numbered in the order in which they first
//! appear among the published records, and the values of a bucket stand in the order of the column, so neither order
//! tells more than the counts do.

use privet_data::io::{View, ViewColumn};
use privet_data::{Cells, Column, Domain, Kind};
use privet_recode::lattice::Partition;

/// The column with the number of each record's bucket.
pub const BUCKET: &str = "bucket";
/// The column that counts the records of a bucket with a sensitive value.
pub const COUNT: &str = "count";

/// The number of each record's bucket, as a column: 1, 2, … for the published ones.
pub fn column(partition: &Partition) -> Column {
    let mut number = 0;
    let number_of: Vec<u32> = partition
        .kept
        .iter()
        .map(|&kept| {
            number += u32::from(kept);
            number.saturating_sub(1)
        })
        .collect();
    let codes = partition.class_of.iter().map(|&class| number_of[class as usize]).collect();
    numbered(BUCKET, codes, number.max(1))
}

/// The table of a sensitive column.
pub struct Counted {
    bucket: Column,
    value: Column,
    count: Column,
}

impl Counted {
    /// Counts the values of a column per bucket. `buckets` is the column of bucket numbers.
    pub fn new(sensitive: &Column, buckets: &Column, partition: &Partition) -> Self {
        let kept = partition.class_of.iter().map(|&class| partition.kept[class as usize]);
        let pairs = buckets.codes.iter().zip(&sensitive.codes).zip(kept);
        let mut pairs: Vec<(u32, u32)> =
            pairs.filter(|(_, kept)| *kept).map(|((&bucket, &value), _)| (bucket, value)).collect();
        pairs.sort_unstable();
        let (mut of_bucket, mut values, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for run in pairs.chunk_by(|a, b| a == b) {
            of_bucket.push(run[0].0);
            values.push(run[0].1);
            counts.push(run.len() as u32 - 1);
        }
        let most = counts.iter().max().map_or(1, |&most| most + 1);
        Self {
            bucket: Column {
                name: BUCKET.to_owned(),
                codes: of_bucket,
                domain: buckets.domain.clone(),
                cells: Cells::Plain,
            },
            value: Column {
                name: sensitive.name.clone(),
                codes: values,
                domain: sensitive.domain.clone(),
                cells: own_cells(&sensitive.cells),
            },
            count: numbered(COUNT, counts, most),
        }
    }

    /// How many lines it has.
    pub fn rows(&self) -> usize {
        self.bucket.codes.len()
    }

    /// What is written of it.
    pub fn view(&self) -> View<'_> {
        let columns = [&self.bucket, &self.value, &self.count].map(ViewColumn::unchanged).to_vec();
        View { columns, rows: self.rows(), kept: None }
    }
}

/// Cells of a column whose records were gathered: what is told per code stays, what is told per record goes.
fn own_cells(cells: &Cells) -> Cells {
    match cells {
        Cells::Arrow(values) => Cells::Arrow(values.clone()),
        Cells::Quoted => Cells::Quoted,
        Cells::Plain | Cells::Verbatim { .. } | Cells::ArrowVerbatim { .. } => Cells::Plain,
    }
}

/// A column of the numbers 1 to `most`; code 0 is 1.
fn numbered(name: &str, codes: Vec<u32>, most: u32) -> Column {
    let values = (1..=most).map(|number| number.to_string().into()).collect();
    let domain = Domain::from_sorted(values, 0, Kind::Integer);
    Column { name: name.to_owned(), codes, domain, cells: Cells::Plain }
}
