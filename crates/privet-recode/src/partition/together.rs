//! The first cuts of a large table, in which all records take part: several threads make one cut together.
//!
//! What comes out is the same as from one thread: extents and counts are those of all rows, and every thread moves a
//! run of rows behind those of the runs before it.

use rayon::prelude::*;

use super::rows::Table;

/// A part of so many rows is cut by several threads together; the parts of smaller ones are enough for all threads.
pub(super) const LARGE: usize = 1 << 18;
/// The rows that one thread takes at a time.
const RUN: usize = 1 << 16;

/// Per column the first and last place of rows.
pub(super) fn extent<T: Table>(table: &T, rows: &[T::Row], first: &mut [u32], last: &mut [u32]) {
    let columns = first.len();
    let extents = rows.par_chunks(RUN).map(|rows| {
        let (mut first, mut last) = (vec![0; columns], vec![0; columns]);
        table.extent(rows, &mut first, &mut last);
        (first, last)
    });
    let whole = extents.reduce_with(|mut one, other| {
        one.0.iter_mut().zip(other.0).for_each(|(one, other)| *one = other.min(*one));
        one.1.iter_mut().zip(other.1).for_each(|(one, other)| *one = other.max(*one));
        one
    });
    if let Some((least, most)) = whole {
        first.copy_from_slice(&least);
        last.copy_from_slice(&most);
    }
}

/// Moves rows below a place of a column to the front and the others behind them, keeping their order.
pub(super) fn scatter<T: Table>(
    table: &T,
    rows: &[T::Row],
    spare: &mut [T::Row],
    column: usize,
    threshold: u32,
    below: usize,
) {
    let goes_right = |row: &T::Row| table.place(row, column) >= threshold;
    let to_right: Vec<usize> =
        rows.par_chunks(RUN).map(|rows| rows.iter().filter(|row| goes_right(row)).count()).collect();
    let (mut left, mut right) = spare.split_at_mut(below);
    let mut runs = Vec::with_capacity(to_right.len());
    for (rows, count) in rows.chunks(RUN).zip(to_right) {
        let (own_left, other_left) = left.split_at_mut(rows.len() - count);
        let (own_right, other_right) = right.split_at_mut(count);
        runs.push((rows, own_left, own_right));
        (left, right) = (other_left, other_right);
    }
    runs.into_par_iter().for_each(|(rows, left, right)| {
        let (mut lefts, mut rights) = (0, 0);
        for row in rows {
            // Each row is written to both sides, and the next one of a side overwrites what does not belong there: a
            // branch on the row would be a guess.
            if let Some(to) = left.get_mut(lefts) {
                *to = *row;
            }
            if let Some(to) = right.get_mut(rights) {
                *to = *row;
            }
            let goes_right = goes_right(row);
            rights += usize::from(goes_right);
            lefts += usize::from(!goes_right);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records that look their places up in one column of numbers.
    struct One(Vec<u32>);

    impl Table for One {
        type Row = u32;

        fn place(&self, row: &u32, _: usize) -> u32 {
            self.0[*row as usize]
        }

        fn record(&self, row: &u32) -> u32 {
            *row
        }

        fn extent(&self, rows: &[u32], first: &mut [u32], last: &mut [u32]) {
            let places = rows.iter().map(|&row| self.0[row as usize]);
            first[0] = places.clone().min().unwrap();
            last[0] = places.max().unwrap();
        }
    }

    #[test]
    fn several_threads_do_what_one_would() {
        let count = 3 * RUN as u32 + 17;
        let table = One((0..count).map(|row| row.wrapping_mul(2_654_435_761) >> 22).collect());
        let rows: Vec<u32> = (0..count).collect();
        let (mut first, mut last) = ([0], [0]);
        extent(&table, &rows, &mut first, &mut last);
        assert_eq!((first, last), ([0], [1023]));
        for threshold in [0, 1, 300, 1023, 1024] {
            let (mut expected, right): (Vec<u32>, Vec<u32>) =
                rows.iter().partition(|row| table.place(row, 0) < threshold);
            let below = expected.len();
            expected.extend(right);
            let mut spare = vec![u32::MAX; rows.len()];
            scatter(&table, &rows, &mut spare, 0, threshold, below);
            assert!(spare == expected, "threshold {threshold}");
        }
    }
}
