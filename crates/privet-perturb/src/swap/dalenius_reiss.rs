//! Data swapping that keeps every joint count of up to t columns (survey ME-33, TH-21; Dalenius and Reiss 1982).
//!
//! Values of a column A may be exchanged between a set of records X with A = a and a set Y with A = b when X and Y have
//! the same counts of every t−1 other columns: then no count of t columns changes. The smallest such sets are the
//! corners of a cube: take t+1 columns and two values of each, and of its 2^(t+1) corners those that differ from a first
//! one in an even number of columns. If the table has a record at each of these 2^t corners, and all of them agree on
//! the other columns, then changing one column in all of them gives the other corners, with the same counts of every t
//! columns.
//!
//! Where the table is small (at most 64 cells over the values that occur), all tables with these counts are listed, and
//! one of those nearest to the wanted share of changed records is drawn. Otherwise, or when they are too many to list,
//! cubes are looked for at random: classes of records that agree on all but t+1 columns are searched, for every choice
//! of t+1 columns, or 64 of them.
//!
//! # Guarantee
//! The counts of every combination of values of any t columns, and of fewer, are the same before and after; this is
//! checked before anything is returned. [`OrderSwapped::new_records`] is how many records really changed: records of
//! the result that have no equal in the original. If nothing can be swapped that is an error, never the original
//! silently. With [`Search::Exhaustive`] such an error is a proof. By the random search every record changes in one value
//! at most, and swaps of sets larger than cubes are not found. No formal privacy.
//!
//! The survey's text keeps one margin of t columns; that is [`super::swap_margin`].

use super::margin::{Groups, classes, difference, same_margins};
use super::{SwapError, check_columns, check_share, shuffle};
use crate::tables::{Counts, for_each_table};
use crate::{Coins, Drawn, PerturbError};

/// The most columns of a margin: a swap moves 2^t records at once.
const MOST_ORDER: usize = 10;
/// The most cells of a table whose fibre is listed.
const FEW_CELLS: usize = 64;
/// The most counts that are tried to list it.
const MOST_STEPS: u64 = 300_000;
/// The most choices of columns that are searched for cubes.
const MOST_CHOICES: usize = 64;
/// Cubes that are tried per record and choice of columns.
const ATTEMPTS: usize = 8;
/// The most sets of columns whose counts are checked, and the most for all records together.
const MOST_MARGINS: usize = 100_000;
const MOST_COUNTED: usize = 1 << 31;

/// How swaps were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// All tables with the same counts were listed.
    Exhaustive {
        /// How many there are, the original included.
        tables: u64,
    },
    /// Cubes were looked for at random.
    Random,
}

/// A table after swapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderSwapped {
    /// The columns.
    pub columns: Vec<Vec<u32>>,
    /// Records that have another value somewhere.
    pub changed: usize,
    /// Records that no record of the original is equal to, each of those counted once.
    pub new_records: usize,
    /// How swaps were found.
    pub search: Search,
}

/// Swaps values so that the counts of every `order` columns stay, until the `share` of records is changed or no more
/// swaps are found.
///
/// # Errors
/// When columns have different lengths, the order is not from 1 to one less than the number of columns (all columns
/// together determine the table) or above 10, the share is not above 0 and at most 1, nothing can be swapped, or the
/// source of randomness fails.
pub fn swap_order<C: Coins + ?Sized>(
    columns: &[&[u32]],
    order: usize,
    share: f64,
    coins: &mut C,
) -> Result<Drawn<OrderSwapped>, SwapError> {
    let records = check_columns(columns)?;
    check_share(share)?;
    if order == 0 || order >= columns.len() || order > MOST_ORDER {
        let accepted = "from 1 to one less than the number of columns, and at most 10";
        return Err(PerturbError::Parameter { name: "the order of the margins", accepted }.into());
    }
    let margins = binomial(columns.len(), order);
    let most = MOST_MARGINS.min(MOST_COUNTED / records.max(1));
    if margins > most {
        let what = "the number of sets of columns whose counts are kept";
        return Err(PerturbError::TooLarge { what, found: margins, most }.into());
    }
    let goal = ((share * records as f64).ceil() as usize).max(1);
    let dense: Vec<(Vec<u32>, usize)> = columns.iter().map(|column| classes(&[column], records)).collect();
    let (out, search) = match exhaustive(columns, &dense, order, goal, coins)? {
        Some(found) => found,
        None => (random(columns, &dense, order, goal, coins)?, Search::Random),
    };
    let after: Vec<&[u32]> = out.iter().map(|column| &column[..]).collect();
    if !same_margins(columns, &after, order) {
        return Err(SwapError::NotKept);
    }
    let (changed, new_records) = difference(columns, &after);
    Ok(Drawn { value: OrderSwapped { columns: out, changed, new_records, search }, source: coins.source() })
}

fn binomial(n: usize, k: usize) -> usize {
    (0..k).fold(1usize, |product, i| product.saturating_mul(n - i) / (i + 1))
}

/// All choices of `count` numbers below `end`, in ascending order.
fn choices(end: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .iter()
            .flat_map(|chosen: &Vec<usize>| {
                let from = chosen.last().map_or(0, |last| last + 1);
                (from..end).map(move |next| chosen.iter().copied().chain([next]).collect())
            })
            .collect();
    }
    all
}

type Found = (Vec<Vec<u32>>, Search);

/// One of the tables of the fibre; `None` when it is too large to list.
fn exhaustive<C: Coins + ?Sized>(
    columns: &[&[u32]],
    dense: &[(Vec<u32>, usize)],
    order: usize,
    goal: usize,
    coins: &mut C,
) -> Result<Option<Found>, SwapError> {
    let sizes: Vec<usize> = dense.iter().map(|(_, count)| *count).collect();
    let cells = sizes.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size));
    if cells.is_none_or(|cells| cells > FEW_CELLS) {
        return Ok(None);
    }
    let codes: Vec<&[u32]> = dense.iter().map(|(codes, _)| &codes[..]).collect();
    let Ok(table) = Counts::of(&codes, &sizes) else { return Ok(None) };
    let margins = choices(columns.len(), order);
    // Twice through the fibre: once to see how near to the goal tables come and how many do, once to take the drawn one.
    let near = |counts: &[u64]| {
        let moved = table.distance(counts) as usize;
        (moved > 0).then_some(moved.abs_diff(goal))
    };
    let (mut nearest, mut as_near) = (usize::MAX, 0u64);
    let listed = for_each_table(&table, &margins, MOST_STEPS, |counts| {
        if let Some(away) = near(counts) {
            as_near = if away < nearest { 1 } else { as_near + u64::from(away == nearest) };
            nearest = nearest.min(away);
        }
    });
    let Ok(Some(tables)) = listed else { return Ok(None) };
    if as_near == 0 {
        return Err(SwapError::NoOtherTable { order });
    }
    let mut skip = coins.below(as_near)? + 1;
    let mut drawn = Vec::new();
    // Listing cannot fail now: it did not the first time.
    let _ = for_each_table(&table, &margins, MOST_STEPS, |counts| {
        if skip > 0 && near(counts) == Some(nearest) {
            skip -= 1;
            if skip == 0 {
                drawn = counts.to_vec();
            }
        }
    });
    let out = moved(columns, &codes, &table, &drawn, coins)?;
    Ok(Some((out, Search::Exhaustive { tables })))
}

/// Moves random records from cells that have too many to cells that have too few.
fn moved<C: Coins + ?Sized>(
    columns: &[&[u32]],
    codes: &[&[u32]],
    table: &Counts,
    wanted: &[u64],
    coins: &mut C,
) -> Result<Vec<Vec<u32>>, SwapError> {
    let records = codes.first().map_or(0, |column| column.len());
    let code = |column: &[u32], record: usize| column[record] as usize; // why: records are below the length of each column
    let cell = |record: usize| {
        codes.iter().zip(table.sizes()).fold(0, |cell, (column, size)| cell * size + code(column, record))
    };
    let mut order: Vec<usize> = (0..records).collect();
    shuffle(&mut order, coins)?;
    let mut surplus: Vec<u64> =
        table.counts().iter().zip(wanted).map(|(has, wants)| has.saturating_sub(*wants)).collect();
    let mut leaving = Vec::new();
    for record in order {
        if let Some(surplus) = surplus.get_mut(cell(record)).filter(|surplus| **surplus > 0) {
            *surplus -= 1;
            leaving.push(record);
        }
    }
    let arriving = table
        .counts()
        .iter()
        .zip(wanted)
        .enumerate()
        .flat_map(|(cell, (has, wants))| std::iter::repeat_n(cell, wants.saturating_sub(*has) as usize));
    let mut out: Vec<Vec<u32>> = columns.iter().map(|column| column.to_vec()).collect();
    // What a dense code stands for: the value of the first record that has it.
    let values: Vec<Vec<u32>> =
        codes.iter().zip(columns).map(|(codes, own)| first_values(codes, own)).collect();
    for (record, mut cell) in leaving.into_iter().zip(arriving) {
        for ((column, values), size) in out.iter_mut().zip(&values).zip(table.sizes()).rev() {
            if let (Some(slot), Some(&value)) = (column.get_mut(record), values.get(cell % size)) {
                *slot = value;
            }
            cell /= size;
        }
    }
    Ok(out)
}

fn first_values(codes: &[u32], own: &[u32]) -> Vec<u32> {
    let mut values = Vec::new();
    for (&code, &value) in codes.iter().zip(own) {
        if code as usize == values.len() {
            values.push(value);
        }
    }
    values
}

/// Looks for cubes in classes of records that agree on all but `order`+1 columns.
fn random<C: Coins + ?Sized>(
    columns: &[&[u32]],
    dense: &[(Vec<u32>, usize)],
    order: usize,
    goal: usize,
    coins: &mut C,
) -> Result<Vec<Vec<u32>>, SwapError> {
    let count = columns.len();
    let rounds = if binomial(count, order + 1) <= MOST_CHOICES {
        let mut all = choices(count, order + 1);
        shuffle(&mut all, coins)?;
        all
    } else {
        let mut numbers: Vec<usize> = (0..count).collect();
        let mut some = Vec::with_capacity(MOST_CHOICES);
        for _ in 0..MOST_CHOICES {
            shuffle(&mut numbers, coins)?;
            let mut chosen: Vec<usize> = numbers.iter().take(order + 1).copied().collect();
            chosen.sort_unstable();
            some.push(chosen);
        }
        some
    };
    let mut state = State {
        out: columns.iter().map(|column| column.to_vec()).collect(),
        used: vec![false; columns.first().map_or(0, |column| column.len())],
        swapped: 0,
    };
    for chosen in rounds {
        let others: Vec<&[u32]> =
            (0..count).filter(|i| !chosen.contains(i)).filter_map(|i| columns.get(i).copied()).collect();
        let groups = Groups::new(&classes(&others, state.used.len()));
        let axes: Vec<Axis<'_>> = chosen
            .iter()
            .filter_map(|&i| {
                let (codes, size) = dense.get(i)?;
                Some(Axis { column: i, codes, size: *size as u128, values: columns.get(i)? })
            })
            .collect();
        // Columns with so many values that their combinations cannot be numbered have no cubes worth looking for.
        if axes.iter().try_fold(1u128, |product, axis| product.checked_mul(axis.size)).is_none() {
            continue;
        }
        for class in groups.each().filter(|class| class.len() >= 1 << order) {
            state.search(class, &axes, goal, coins)?;
            if state.swapped >= goal {
                return Ok(state.out);
            }
        }
    }
    if state.swapped == 0 { Err(SwapError::NoSwapFound { order }) } else { Ok(state.out) }
}

/// A column in which corners of cubes differ.
struct Axis<'a> {
    column: usize,
    codes: &'a [u32],
    size: u128,
    values: &'a [u32],
}

struct State {
    out: Vec<Vec<u32>>,
    /// Records that were swapped, or are to be left alone.
    used: Vec<bool>,
    swapped: usize,
}

impl State {
    /// Looks for cubes among records that agree on everything but the axes.
    fn search<C: Coins + ?Sized>(
        &mut self,
        class: &[u32],
        axes: &[Axis<'_>],
        goal: usize,
        coins: &mut C,
    ) -> Result<(), SwapError> {
        let code = |axis: &Axis<'_>, record: u32| u128::from(axis.codes[record as usize]); // why: a record of the table
        let key = |record: u32| axes.iter().fold(0u128, |key, axis| key * axis.size + code(axis, record));
        let mut keyed: Vec<(u128, u32)> = class
            .iter()
            .filter(|&&record| self.used.get(record as usize) == Some(&false))
            .map(|&record| (key(record), record))
            .collect();
        keyed.sort_unstable();
        let mut cells: Vec<Cell> = Vec::new();
        for (at, &(key, _)) in keyed.iter().enumerate() {
            match cells.last_mut() {
                Some(last) if last.key == key => last.left += 1,
                _ => cells.push(Cell { key, start: at, left: 1 }),
            }
        }
        if cells.len() < 1 << (axes.len() - 1) {
            return Ok(());
        }
        let mut steps = vec![0u128; axes.len()];
        let mut corners = Vec::with_capacity(1 << axes.len());
        for _ in 0..ATTEMPTS * keyed.len() {
            let draw = |coins: &mut C| -> Result<(u128, u32), PerturbError> {
                Ok(keyed[coins.below(keyed.len() as u64)? as usize]) // why: below the length, which is not 0
            };
            let ((first, x), (_, y)) = (draw(coins)?, draw(coins)?);
            if axes.iter().any(|axis| code(axis, x) == code(axis, y)) {
                continue;
            }
            // What each axis adds to the key on the way from x to y; the sums wrap around and come out right.
            let mut stride = 1u128;
            for (step, axis) in steps.iter_mut().zip(axes).rev() {
                *step = code(axis, y).wrapping_sub(code(axis, x)).wrapping_mul(stride);
                stride = stride.wrapping_mul(axis.size);
            }
            corners.clear();
            for corner in (0..1u32 << axes.len()).filter(|corner| corner.count_ones() % 2 == 0) {
                let key = (0..axes.len())
                    .filter(|axis| corner >> axis & 1 == 1)
                    .fold(first, |key, axis| key.wrapping_add(steps[axis])); // why: one step per axis
                match cells.binary_search_by(|cell| cell.key.cmp(&key)) {
                    Ok(at) if cells[at].left > 0 => corners.push(at), // why: found there
                    _ => break,
                }
            }
            if corners.len() < 1 << (axes.len() - 1) {
                continue;
            }
            let axis = &axes[coins.below(axes.len() as u64)? as usize]; // why: below the length
            let (a, b) = (axis.values[x as usize], axis.values[y as usize]); // why: records of the table
            for &at in &corners {
                let cell = &mut cells[at]; // why: found above
                let pick = cell.start + coins.below(cell.left as u64)? as usize;
                cell.left -= 1;
                keyed.swap(pick, cell.start + cell.left); // why: both within the run of the cell
                let record = keyed[cell.start + cell.left].1 as usize; // why: as above
                let value = &mut self.out[axis.column][record]; // why: a column and a record of the table
                *value = if *value == a { b } else { a };
                self.used[record] = true;
                self.swapped += 1;
            }
            if self.swapped >= goal {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Records of a class with the same values, a run of its list; the first `left` of them were not swapped yet.
struct Cell {
    key: u128,
    start: usize,
    left: usize,
}

#[cfg(test)]
mod tests;
