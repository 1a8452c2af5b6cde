//! Mondrian for 3D privacy, with all points of a skyline (survey ME-10, PM-13, PM-14).
//!
//! Whether a cut is allowed depends on all other groups, so cuts are made one after the other, in one thread: the part
//! that lies first is cut as far as possible before the next one. At each cut the group is replaced by its parts in
//! the [`GlobalMaxima`] of the whole partition; the other groups are not looked at again.
//!
//! What it guarantees: the whole partition satisfies the criterion, checked once more from scratch at the end, and
//! every group satisfies the other criteria. The result is minimal: finer partitions breach at least as much, so that a
//! cut which was refused stays refused while other groups are cut further.

use privet_criteria::{GlobalMaxima, Skyline};

use super::cutter::{Cutter, Grown, Scratch};
use super::judge::{ALGORITHM, Accept, Judge};
use super::rows::Table;
use super::tree::{Entry, Node};
use crate::lattice::{Codes, SearchError};

/// Takes a cut when the whole partition stays safe.
struct Global<'a> {
    judge: Judge<'a>,
    maxima: GlobalMaxima,
    sensitive: &'a Codes<'a>,
    counts: Vec<u32>,
    /// The group that is being cut, and its counts.
    current: u32,
    whole: Vec<(u32, u32)>,
    /// The number of the next new group.
    next: u32,
}

impl Global<'_> {
    /// Each value of some rows with its count.
    fn occurring<T: Table>(&mut self, table: &T, rows: &[T::Row]) -> Vec<(u32, u32)> {
        let mut values = Vec::new();
        for row in rows {
            let value = self.sensitive.codes[table.record(row) as usize];
            if self.counts[value as usize] == 0 {
                values.push(value);
            }
            self.counts[value as usize] += 1;
        }
        values.into_iter().map(|value| (value, std::mem::take(&mut self.counts[value as usize]))).collect()
    }
}

impl<T: Table> Accept<T> for Global<'_> {
    fn accepts(&mut self, table: &T, parts: &[T::Row], sizes: &[u32]) -> bool {
        if !self.judge.accepts(table, parts, sizes) {
            return false;
        }
        let mut rest = parts;
        let mut counted = Vec::with_capacity(sizes.len());
        for (number, &size) in sizes.iter().enumerate() {
            let (part, after) = rest.split_at(size as usize);
            rest = after;
            // The first part keeps the number of the whole.
            let bucket = if number == 0 { self.current } else { self.next + number as u32 - 1 };
            counted.push((bucket, self.occurring(table, part)));
        }
        let parts: Vec<(u32, &[(u32, u32)])> =
            counted.iter().map(|(bucket, counts)| (*bucket, &counts[..])).collect();
        self.maxima.replace_if_safe((self.current, &self.whole), &parts)
    }
}

/// Cuts rows as far as the criterion allows. Leaves the records of each group in `order`.
pub(super) fn run<T: Table>(
    cutter: &Cutter<'_, T>,
    skyline: &Skyline,
    sensitive: &Codes<'_>,
    mut rows: Vec<T::Row>,
    order: &mut [u32],
) -> Result<Grown, SearchError> {
    let mut global = Global {
        judge: Judge::new(cutter.rule),
        maxima: GlobalMaxima::new(skyline.clone(), sensitive.values),
        sensitive,
        counts: vec![0; sensitive.values],
        current: 0,
        whole: Vec::new(),
        next: 1,
    };
    let everybody = global.occurring(cutter.table, &rows);
    global.maxima.insert(0, &everybody);
    if !global.maxima.is_safe() {
        let promise = skyline.promise();
        let criteria = vec![format!("three-d: {}", promise.trim_end_matches('.'))];
        return Err(SearchError::NoSafeTable { criteria });
    }
    let mut spare = vec![T::Row::default(); rows.len()];
    let mut scratch = Scratch::new(cutter.space);
    let mut grown = Grown::default();
    let mut open = vec![(0, rows.len(), Entry::ROOT, 0u32)];
    let mut groups: Vec<(usize, usize)> = Vec::new();
    while let Some((from, to, entry, bucket)) = open.pop() {
        cutter.progress.check()?;
        global.current = bucket;
        global.whole = global.occurring(cutter.table, &rows[from..to]);
        let (own, other) = (&rows[from..to], &mut spare[from..to]);
        if !cutter.cut(own, other, &mut scratch, &mut global, &mut grown) {
            for (record, row) in order[from..to].iter_mut().zip(own) {
                *record = cutter.table.record(row);
            }
            grown.nodes.push(Node { entry, parts: 0, rows: (to - from) as u32 });
            groups.push((from, to));
            cutter.progress.at(to as u64);
            continue;
        }
        rows[from..to].copy_from_slice(&spare[from..to]);
        let sizes = &scratch.cut.sizes;
        grown.nodes.push(Node { entry, parts: sizes.len() as u32, rows: (to - from) as u32 });
        let dimension = &cutter.space.dimensions[scratch.column];
        let mut end = to;
        for (part, &size) in sizes.iter().enumerate().rev() {
            let begin = end - size as usize;
            let entry = Entry::new(scratch.column, scratch.cut.run(dimension, part));
            let number = if part == 0 { bucket } else { global.next + part as u32 - 1 };
            open.push((begin, end, entry, number));
            end = begin;
        }
        global.next += sizes.len() as u32 - 1;
    }
    let mut afresh = GlobalMaxima::new(skyline.clone(), sensitive.values);
    for (number, &(from, to)) in (0u32..).zip(&groups) {
        let counts = global.occurring(cutter.table, &rows[from..to]);
        afresh.insert(number, &counts);
    }
    if !afresh.is_safe() {
        return Err(SearchError::Unsafe { algorithm: ALGORITHM });
    }
    Ok(grown)
}
