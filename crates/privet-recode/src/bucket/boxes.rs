//! Changes of a table that keep its sums, made of whole numbers: what `protection.rs` falls back on when a linear
//! program answers with fractions, which happens in tables of three or more columns.
//!
//! A box takes two coordinates in every column and adds 1 to and subtracts 1 from its corners in turn; where one of
//! the two is the total of the column, both corners change alike. A transfer moves records from some inner cells to
//! others and all totals with them.

use std::collections::BTreeMap;

use super::count_table::{CountTable, Shape};

/// Cells and by how much each differs from its count; in ascending order of cells, none by 0.
pub(super) type Deviation = Vec<(usize, i64)>;

/// What a change may touch, and what it costs.
pub(super) struct Price<'a> {
    pub table: &'a CountTable,
    /// Cells that stay as they are.
    pub frozen: &'a [bool],
    /// Cells that cost nothing more.
    pub suppressed: &'a [bool],
}

impl Price<'_> {
    fn of(&self, cell: usize) -> f64 {
        if self.suppressed[cell] { 0.0 } else { self.table.counts[cell] as f64 + 1.0 }
    }
}

/// A sum of boxes that changes a cell by an amount, each time the cheapest per record; `None` when they do not reach.
pub(super) fn boxes(price: &Price<'_>, cell: usize, amount: i64) -> Option<Deviation> {
    let shape = &price.table.shape;
    // A box has two corners per column multiplied: beyond this, looking at all boxes takes too long.
    const MOST_COLUMNS: usize = 6;
    if shape.sizes.len() > MOST_COLUMNS {
        return None;
    }
    let mut change: BTreeMap<usize, i64> = BTreeMap::new();
    let mut rest = amount.unsigned_abs();
    let mut corners: Deviation = Vec::new();
    while rest > 0 {
        let mut best: Option<(f64, u64, Deviation)> = None;
        for other in 0..shape.cells {
            if !corners_of(shape, cell, other, amount.signum(), &mut corners)
                || corners.iter().any(|&(corner, _)| price.frozen[corner])
            {
                continue;
            }
            let room = corners.iter().filter(|&&(_, sign)| sign < 0).map(|(corner, _)| {
                let left = price.table.counts[*corner] as i64 + change.get(corner).copied().unwrap_or(0);
                left.max(0) as u64
            });
            let by = room.min().unwrap_or(rest).min(rest);
            let paid = |corner: &usize| change.get(corner).is_some_and(|&by| by != 0);
            let cost: f64 = corners.iter().filter(|(c, _)| !paid(c)).map(|&(c, _)| price.of(c)).sum();
            let per_record = cost / by as f64;
            if by > 0 && best.as_ref().is_none_or(|(least, ..)| per_record < *least) {
                best = Some((per_record, by, corners.clone()));
            }
        }
        let (_, by, corners) = best?;
        for (corner, sign) in corners {
            *change.entry(corner).or_default() += sign * by as i64;
        }
        rest -= by;
    }
    Some(change.into_iter().filter(|&(_, by)| by != 0).collect())
}

/// The corners of the box between two cells, with a change of `sign` at the first. False when a column has but one
/// coordinate, or the grand total is a corner.
fn corners_of(shape: &Shape, cell: usize, other: usize, sign: i64, corners: &mut Deviation) -> bool {
    corners.clear();
    corners.push((cell, sign));
    for column in 0..shape.sizes.len() {
        let to = shape.coordinate(other, column);
        if to == shape.coordinate(cell, column) {
            return false;
        }
        let alike = to == shape.sizes[column] || shape.is_total(cell, column);
        for i in 0..corners.len() {
            let (corner, sign) = corners[i];
            corners.push((shape.moved(corner, column, to), if alike { sign } else { -sign }));
        }
    }
    corners.iter().all(|&(corner, _)| corner != shape.grand_total())
}

/// Moves records into the cell, or out of it when the amount is negative; `None` when there are too few of them or no
/// cell to take them.
pub(super) fn transfer(price: &Price<'_>, cell: usize, amount: i64) -> Option<Deviation> {
    let shape = &price.table.shape;
    let usable = |&inner: &usize| shape.is_inner(inner) && !price.frozen[inner];
    let (inside, outside): (Vec<usize>, Vec<usize>) =
        (0..shape.cells).filter(usable).partition(|&inner| shape.covers(cell, inner));
    let (mut from, to) = if amount > 0 { (outside, inside) } else { (inside, outside) };
    let cheapest = to.into_iter().min_by(|&a, &b| price.of(a).total_cmp(&price.of(b)))?;
    // From as few cells as possible.
    from.sort_by_key(|&inner| (std::cmp::Reverse(price.table.counts[inner]), inner));
    let mut moved: BTreeMap<usize, i64> = BTreeMap::new();
    let mut rest = amount.unsigned_abs();
    for inner in from {
        let by = price.table.counts[inner].min(rest);
        add_with_totals(shape, inner, -(by as i64), &mut moved);
        add_with_totals(shape, cheapest, by as i64, &mut moved);
        rest -= by;
        if rest == 0 {
            return Some(moved.into_iter().filter(|&(_, by)| by != 0).collect());
        }
    }
    None
}

/// Changes an inner cell and every total that counts it.
fn add_with_totals(shape: &Shape, inner: usize, by: i64, change: &mut BTreeMap<usize, i64>) {
    let columns = shape.sizes.len();
    // The totals of a cell are as many as there are sets of columns; few, because every column doubles the cells.
    for set in 0..1usize << columns {
        let mut cell = inner;
        for column in (0..columns).filter(|column| set >> column & 1 == 1) {
            cell = shape.moved(cell, column, shape.sizes[column]);
        }
        *change.entry(cell).or_default() += by;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Both ways to change a cell keep all sums, make no count negative, leave frozen cells alone and change the cell
        /// by the amount. A transfer exists whenever there are records and a cell to move them between.
        #[test]
        fn changes_are_possible(
            inner in prop::collection::vec(0u64..6, 12),
            cell in 0usize..35,
            amount in 1i64..5,
            up in any::<bool>(),
        ) {
            let table = CountTable::from_counts(&[2, 2, 3], &inner).unwrap();
            let shape = &table.shape;
            let mut frozen = vec![false; shape.cells];
            frozen[shape.grand_total()] = true;
            let suppressed = vec![false; shape.cells];
            let price = Price { table: &table, frozen: &frozen, suppressed: &suppressed };
            let amount = if up { amount } else { -amount };
            let transferred = transfer(&price, cell, amount);
            let total = table.counts[shape.grand_total()] as i64;
            let count = table.counts[cell] as i64;
            prop_assert_eq!(transferred.is_some(), (0..=total).contains(&(count + amount)));
            for found in boxes(&price, cell, amount).into_iter().chain(transferred) {
                let mut sums = vec![0i64; shape.cells];
                for &(cell, by) in &found {
                    prop_assert!(by != 0 && !frozen[cell] && table.counts[cell] as i64 + by >= 0);
                    shape.sums(cell).for_each(|(sum, sign)| sums[sum] += sign * by);
                }
                prop_assert!(sums.iter().all(|&rest| rest == 0));
                prop_assert!(found.contains(&(cell, amount)), "{:?}", found);
                prop_assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
            }
        }
    }
}
