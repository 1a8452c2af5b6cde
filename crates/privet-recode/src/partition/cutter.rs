//! Cuts a part of the table in two or more, and those again, until no cut is allowed (survey ME-09, Algorithm 1 with
//! the recursion inside the loop, ERR-13).
//!
//! A cut moves the rows of a part into a second buffer, part after part, keeping their order; the next cut moves them
//! back. So parts are unbroken, rows of a part are in the order of their records, and small parts stay in the cache.
//! Large parts are cut by several threads; what comes out does not depend on how many there are.

use std::sync::atomic::{AtomicU64, Ordering};

use privet_data::{Cancelled, Progress};

use super::candidates::{Cut, Sides, attempt_each};
use super::judge::{Accept, Judge, Rule};
use super::rows::Table;
use super::space::Space;
use super::together::{self, LARGE};
use super::tree::{Entry, Node};
use super::workload::Goal;

/// Parts of fewer rows are cut by one thread.
const PARALLEL: usize = 1 << 13;
/// So many rows per place are counted in so many tables.
const MANY: usize = 8;
const TABLES: usize = 4;
/// Bytes by which the second buffer is shifted. Large buffers begin alike within a page, and processors take a read at
/// the same place of another page for one of what was just written, and wait.
const APART: usize = 2176;
/// A thread that cuts off small slices of a large part would not need another.
const DEEPEST: usize = 64;

/// How parts are cut.
pub(super) struct Cutter<'a, T> {
    pub table: &'a T,
    pub space: &'a Space,
    pub rule: &'a Rule<'a>,
    pub sides: Sides,
    pub goal: Option<&'a Goal<'a>>,
    /// Parts of so few rows are left as they are.
    pub enough: usize,
    pub progress: &'a dyn Progress,
    pub done: AtomicU64,
}

/// The tree of cuts in the order of its nodes, each before its parts, and how many cuts there were.
#[derive(Debug, Default)]
pub(super) struct Grown {
    pub nodes: Vec<Node>,
    pub tried: u64,
    pub made: u64,
}

impl Grown {
    fn append(&mut self, mut other: Self) {
        self.nodes.append(&mut other.nodes);
        self.tried += other.tried;
        self.made += other.made;
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub first: Vec<u32>,
    pub last: Vec<u32>,
    /// Per column whether a cut may leave parts that are large enough.
    divisible: Vec<bool>,
    widths: Vec<f64>,
    /// Per place a count; all 0 between uses.
    counts: Vec<u32>,
    /// Per place a bit.
    marks: Vec<u64>,
    values: Vec<u32>,
    pub profile: Vec<(u32, u32)>,
    pub cut: Cut,
    /// The column of the cut that was taken.
    pub column: usize,
    slots: Vec<u32>,
    next: Vec<usize>,
}

impl Scratch {
    pub fn new(space: &Space) -> Self {
        let columns = space.dimensions.len();
        Self {
            first: vec![0; columns],
            last: vec![0; columns],
            divisible: vec![false; columns],
            ..Self::default()
        }
    }
}

impl<T: Table> Cutter<'_, T> {
    /// Cuts rows as far as possible. Leaves the records of each group in `order`, group after group.
    pub fn run(&self, mut rows: Vec<T::Row>, order: &mut [u32]) -> Result<Grown, Cancelled> {
        let apart = APART / size_of::<T::Row>().max(1);
        let mut spare = vec![T::Row::default(); rows.len() + apart];
        let spare = &mut spare[apart..];
        let mut judge = Judge::new(self.rule);
        self.divide(&mut rows, spare, order, Entry::ROOT, 0, &mut Scratch::new(self.space), &mut judge)
    }

    #[expect(clippy::too_many_arguments, reason = "two buffers, where to, from where, and what is reused")]
    fn divide(
        &self,
        rows: &mut [T::Row],
        spare: &mut [T::Row],
        order: &mut [u32],
        entry: Entry,
        depth: usize,
        scratch: &mut Scratch,
        judge: &mut Judge<'_>,
    ) -> Result<Grown, Cancelled> {
        self.progress.check()?;
        if rows.len() < PARALLEL || depth > DEEPEST {
            return self.divide_alone(rows, spare, order, entry, scratch, judge);
        }
        let mut grown = Grown::default();
        if !self.cut(rows, spare, scratch, judge, &mut grown) {
            self.close(rows, order, entry, &mut grown);
            self.report(rows.len());
            return Ok(grown);
        }
        let dimension = &self.space.dimensions[scratch.column];
        let parts = scratch.cut.sizes.len();
        grown.nodes.push(Node { entry, parts: parts as u32, rows: rows.len() as u32 });
        let mut tasks: Vec<Part<'_, T::Row>> = Vec::with_capacity(parts);
        // The parts lie in the spare buffer now, so the buffers change places.
        let (mut rows, mut spare, mut order) = (spare, rows, order);
        for (part, &size) in scratch.cut.sizes.iter().enumerate() {
            let size = size as usize;
            let entry = Entry::new(scratch.column, scratch.cut.run(dimension, part));
            let (own_rows, other_rows) = rows.split_at_mut(size);
            let (own_spare, other_spare) = spare.split_at_mut(size);
            let (own_order, other_order) = order.split_at_mut(size);
            tasks.push(Part { rows: own_rows, spare: own_spare, order: own_order, entry });
            (rows, spare, order) = (other_rows, other_spare, other_order);
        }
        grown.append(self.divide_all(&mut tasks, depth + 1, scratch, judge)?);
        Ok(grown)
    }

    /// Cuts several parts, by two threads where it pays.
    fn divide_all(
        &self,
        parts: &mut [Part<'_, T::Row>],
        depth: usize,
        scratch: &mut Scratch,
        judge: &mut Judge<'_>,
    ) -> Result<Grown, Cancelled> {
        match parts {
            [] => Ok(Grown::default()),
            [part] => self.divide(part.rows, part.spare, part.order, part.entry, depth, scratch, judge),
            _ => {
                let (left, right) = parts.split_at_mut(parts.len() / 2);
                let small =
                    |parts: &[Part<'_, T::Row>]| parts.iter().all(|part| part.rows.len() < PARALLEL / 4);
                if small(left) && small(right) {
                    let mut grown = self.divide_all(left, depth, scratch, judge)?;
                    grown.append(self.divide_all(right, depth, scratch, judge)?);
                    return Ok(grown);
                }
                let (left, right) = rayon::join(
                    || self.divide_all(left, depth, scratch, judge),
                    || {
                        self.divide_all(
                            right,
                            depth,
                            &mut Scratch::new(self.space),
                            &mut Judge::new(self.rule),
                        )
                    },
                );
                let mut grown = left?;
                grown.append(right?);
                Ok(grown)
            }
        }
    }

    /// Cuts a part and its parts one after the other. The open parts are on a stack of their own: a cut may part a
    /// few rows from very many.
    fn divide_alone(
        &self,
        rows: &mut [T::Row],
        spare: &mut [T::Row],
        order: &mut [u32],
        entry: Entry,
        scratch: &mut Scratch,
        judge: &mut Judge<'_>,
    ) -> Result<Grown, Cancelled> {
        let mut grown = Grown::default();
        let mut open = vec![(0, rows.len(), entry, false)];
        let mut since_check = 0;
        while let Some((from, to, entry, in_spare)) = open.pop() {
            since_check += to - from;
            if since_check > 1 << 20 {
                self.progress.check()?;
                since_check = 0;
            }
            let (own, other) = match in_spare {
                false => (&mut rows[from..to], &mut spare[from..to]),
                true => (&mut spare[from..to], &mut rows[from..to]),
            };
            if !self.cut(own, other, scratch, judge, &mut grown) {
                self.close(own, &mut order[from..to], entry, &mut grown);
                continue;
            }
            let dimension = &self.space.dimensions[scratch.column];
            let parts = scratch.cut.sizes.len() as u32;
            grown.nodes.push(Node { entry, parts, rows: (to - from) as u32 });
            // The first part is cut first, so it is put on top.
            let mut end = to;
            for (part, &size) in scratch.cut.sizes.iter().enumerate().rev() {
                let begin = end - size as usize;
                let entry = Entry::new(scratch.column, scratch.cut.run(dimension, part));
                open.push((begin, end, entry, !in_spare));
                end = begin;
            }
        }
        self.report(rows.len());
        Ok(grown)
    }

    fn close(&self, rows: &[T::Row], order: &mut [u32], entry: Entry, grown: &mut Grown) {
        for (to, row) in order.iter_mut().zip(rows) {
            *to = self.table.record(row);
        }
        grown.nodes.push(Node { entry, parts: 0, rows: rows.len() as u32 });
    }

    fn report(&self, rows: usize) {
        self.progress.at(self.done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64);
    }

    /// Looks for a cut that is allowed. When there is one, its parts are in `spare`, one after the other, and the
    /// cut is in `scratch`.
    pub fn cut(
        &self,
        rows: &[T::Row],
        spare: &mut [T::Row],
        scratch: &mut Scratch,
        accept: &mut impl Accept<T>,
        grown: &mut Grown,
    ) -> bool {
        if rows.len() <= self.enough || (rows.len() as u64) < self.rule.least.saturating_mul(2) {
            return false;
        }
        let Scratch { first, last, divisible, .. } = scratch;
        // Halves part equal records, so there each column of numbers can be cut.
        let told = self.sides != Sides::Halves
            && self.table.extent_and_cuts(rows, self.rule.least, first, last, divisible);
        if !told {
            match rows.len() {
                ..LARGE => self.table.extent(rows, first, last),
                _ => together::extent(self.table, rows, first, last),
            }
            for (divisible, (first, last)) in divisible.iter_mut().zip(first.iter().zip(last)) {
                *divisible = first < last;
            }
        }
        if let Some(goal) = self.goal {
            if self.cut_by_goal(goal, rows, spare, scratch, accept, grown) {
                return true;
            }
            // All cuts between places have been tried. Only ties are left to be divided.
            if self.sides != Sides::Halves {
                return false;
            }
        }
        let columns = self.space.dimensions.iter().zip(&scratch.divisible);
        let columns = columns.zip(scratch.first.iter().zip(&scratch.last));
        scratch.widths.clear();
        scratch.widths.extend(columns.map(|((dimension, &divisible), (&first, &last))| {
            let divisible = divisible || (self.sides == Sides::Halves && dimension.is_line());
            if divisible { dimension.width(first, last).max(0.0) } else { TRIED }
        }));
        while let Some(column) = widest(&scratch.widths) {
            scratch.widths[column] = TRIED;
            self.profile(rows, column, scratch);
            let mut cut = std::mem::take(&mut scratch.cut);
            let dimension = &self.space.dimensions[column];
            let profile = std::mem::take(&mut scratch.profile);
            let taken = attempt_each(dimension, &profile, rows.len() as u32, self.sides, &mut cut, |cut| {
                self.attempt(rows, spare, column, cut, scratch, accept, grown)
            });
            (scratch.cut, scratch.profile) = (cut, profile);
            if taken {
                return true;
            }
        }
        false
    }

    /// Makes a cut if it is allowed.
    #[expect(clippy::too_many_arguments, reason = "two buffers, the cut, and what is reused")]
    pub fn attempt(
        &self,
        rows: &[T::Row],
        spare: &mut [T::Row],
        column: usize,
        cut: &Cut,
        scratch: &mut Scratch,
        accept: &mut impl Accept<T>,
        grown: &mut Grown,
    ) -> bool {
        grown.tried += 1;
        if !cut.leaves_at_least(self.rule.least) {
            return false;
        }
        scratch.column = column;
        self.scatter(rows, spare, column, cut, scratch);
        let accepted = accept.accepts(self.table, spare, &cut.sizes);
        grown.made += u64::from(accepted);
        accepted
    }

    /// Finds the places of a column that occur, with their counts.
    pub fn profile(&self, rows: &[T::Row], column: usize, scratch: &mut Scratch) {
        let (first, last) = (scratch.first[column], scratch.last[column]);
        let range = (last - first) as usize + 1;
        scratch.profile.clear();
        if rows.len() >= MANY * range {
            self.profile_of_many(rows, column, first, range, scratch);
        } else if range <= 64 * (8 + rows.len()) {
            self.profile_of_few(rows, column, first, range, scratch);
        } else {
            scratch.values.clear();
            scratch.values.extend(rows.iter().map(|row| self.table.place(row, column)));
            scratch.values.sort_unstable();
            let runs = scratch.values.chunk_by(|a, b| a == b);
            scratch.profile.extend(runs.map(|run| (run[0], run.len() as u32)));
        }
    }

    /// Counts in several tables in turn: one after the other would wait for the last count of the same place.
    fn profile_of_many(
        &self,
        rows: &[T::Row],
        column: usize,
        first: u32,
        range: usize,
        Scratch { counts, profile, .. }: &mut Scratch,
    ) {
        if counts.len() < TABLES * range {
            counts.resize(TABLES * range, 0);
        }
        let counts = &mut counts[..TABLES * range];
        let mut turns = rows.chunks_exact(TABLES);
        for rows in &mut turns {
            for (table, row) in rows.iter().enumerate() {
                counts[table * range + (self.table.place(row, column) - first) as usize] += 1;
            }
        }
        for row in turns.remainder() {
            counts[(self.table.place(row, column) - first) as usize] += 1;
        }
        let total = |place: usize| (0..TABLES).map(|table| counts[table * range + place]).sum::<u32>();
        profile.extend((first..).zip((0..range).map(total)).filter(|&(_, count)| count > 0));
        counts.fill(0);
    }

    /// Marks the places that occur, and looks at no others.
    fn profile_of_few(
        &self,
        rows: &[T::Row],
        column: usize,
        first: u32,
        range: usize,
        Scratch { counts, marks, profile, .. }: &mut Scratch,
    ) {
        if counts.len() < range {
            counts.resize(range, 0);
        }
        marks.clear();
        marks.resize(range / 64 + 1, 0);
        for row in rows {
            let place = (self.table.place(row, column) - first) as usize;
            counts[place] += 1;
            marks[place / 64] |= 1 << (place % 64);
        }
        for (word, &mark) in marks.iter().enumerate() {
            let mut left: u64 = mark;
            while left != 0 {
                let place = word * 64 + left.trailing_zeros() as usize;
                profile.push((first + place as u32, std::mem::take(&mut counts[place])));
                left &= left - 1;
            }
        }
    }

    /// Moves rows into their parts, keeping their order.
    fn scatter(
        &self,
        rows: &[T::Row],
        spare: &mut [T::Row],
        column: usize,
        cut: &Cut,
        scratch: &mut Scratch,
    ) {
        if cut.level.is_none() {
            let threshold = cut.firsts[1];
            let (mut left, mut right) = (0, cut.sizes[0] as usize);
            if cut.tied == 0 && rows.len() >= LARGE {
                return together::scatter(self.table, rows, spare, column, threshold, right);
            }
            if cut.tied == 0 {
                for row in rows {
                    let goes_right = self.table.place(row, column) >= threshold;
                    spare[if goes_right { right } else { left }] = *row;
                    right += usize::from(goes_right);
                    left += usize::from(!goes_right);
                }
                return;
            }
            let mut tied = cut.tied;
            for row in rows {
                let place = self.table.place(row, column);
                let mut goes_right = place >= threshold;
                if tied > 0 && place == threshold {
                    tied -= 1;
                    goes_right = false;
                }
                spare[if goes_right { right } else { left }] = *row;
                right += usize::from(goes_right);
                left += usize::from(!goes_right);
            }
            return;
        }
        scratch.next.clear();
        let mut begin = 0;
        for &size in &cut.sizes {
            scratch.next.push(begin);
            begin += size as usize;
        }
        let (first, last) = (scratch.first[column], scratch.last[column]);
        let range = (last - first) as usize + 1;
        if range <= 64 + 4 * rows.len() {
            scratch.slots.clear();
            scratch.slots.extend((first..=last).map(|place| cut.part_of(place) as u32));
            for row in rows {
                let part = scratch.slots[(self.table.place(row, column) - first) as usize];
                let next = &mut scratch.next[part as usize];
                spare[*next] = *row;
                *next += 1;
            }
        } else {
            for row in rows {
                let next = &mut scratch.next[cut.part_of(self.table.place(row, column))];
                spare[*next] = *row;
                *next += 1;
            }
        }
    }
}

/// A part that waits to be cut.
struct Part<'a, R> {
    rows: &'a mut [R],
    spare: &'a mut [R],
    order: &'a mut [u32],
    entry: Entry,
}

/// The width of a column that has been tried, or cannot be cut.
const TRIED: f64 = -1.0;

/// The column of the greatest width that has not been tried; the first among equals.
fn widest(widths: &[f64]) -> Option<usize> {
    let mut best = None;
    let mut most = TRIED;
    for (column, &width) in widths.iter().enumerate() {
        if width > most {
            (best, most) = (Some(column), width);
        }
    }
    best
}
