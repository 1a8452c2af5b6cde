//! Records as they are moved about while a table is cut: the places of one record lie side by side, its number with
//! them, so that a part of the table is one run of memory and all its extents are found in one pass.
//!
//! Up to 12 columns of up to 256 places make a row of 16 bytes; up to 14 columns of up to 32768 places make one of
//! 32 bytes. Anything wider is a row that only holds the number of its record, and looks its places up.

use std::marker::PhantomData;

use rayon::prelude::*;

use super::space::Space;

/// How the rows of a table are read.
pub(super) trait Table: Sync {
    /// A record on the move.
    type Row: Copy + Default + Send + Sync;

    /// The place of a row in a column.
    fn place(&self, row: &Self::Row, column: usize) -> u32;

    /// The record of a row.
    fn record(&self, row: &Self::Row) -> u32;

    /// Per column the first and the last place of some rows, of which there is at least one.
    fn extent(&self, rows: &[Self::Row], first: &mut [u32], last: &mut [u32]);

    /// The same, and per column whether a cut between places may leave `least` rows on both sides: the `least`th
    /// smallest place is below the `least`th largest. Says no (`false`), and does nothing, where counting costs less.
    fn extent_and_cuts(
        &self,
        rows: &[Self::Row],
        least: u64,
        first: &mut [u32],
        last: &mut [u32],
        divisible: &mut [bool],
    ) -> bool {
        let _ = (rows, least, first, last, divisible);
        false
    }
}

/// Does something with a table, whatever its rows are.
pub(super) trait Visit {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<T: Table>(self, table: &T, rows: Vec<T::Row>) -> Self::Output;
}

/// The bytes of a row in a space, or of its places where they lie apart from it.
pub(super) fn bytes_of_row(space: &Space) -> u64 {
    let (columns, places) = (space.dimensions.len(), space.most_places());
    if columns <= 12 && places <= 1 << 8 {
        16
    } else if columns <= 14 && places <= 1 << 15 {
        32
    } else {
        4 + 4 * columns as u64
    }
}

/// Makes rows of codes, one slice per column, as narrow as the space allows.
pub(super) fn with_table<V: Visit>(space: &Space, codes: &[&[u32]], rows: usize, visit: V) -> V::Output {
    let (columns, places) = (space.dimensions.len(), space.most_places());
    if columns <= 12 && places <= 1 << 8 {
        let table = Packed::<u8, 16>(PhantomData);
        let rows = table.pack(space, codes, rows);
        visit.visit(&table, rows)
    } else if columns <= 14 && places <= 1 << 15 {
        let table = Packed::<i16, 16>(PhantomData);
        let rows = table.pack(space, codes, rows);
        visit.visit(&table, rows)
    } else {
        let place = |(dimension, codes): (&super::space::Dimension, &&[u32])| {
            codes.iter().map(|&code| dimension.place_of_code[code as usize]).collect()
        };
        let columns = space.dimensions.iter().zip(codes).map(place).collect();
        visit.visit(&Wide { columns }, (0..rows as u32).collect())
    }
}

/// A narrow number that holds a place. Signed words rather than unsigned ones: their minimum is one instruction.
trait Lane: Copy + Default + Ord + Send + Sync {
    /// How many of them hold the number of a record.
    const OF_RECORD: usize;
    const LEAST: Self;
    const MOST: Self;
    fn of(place: u32) -> Self;
    fn place(self) -> u32;
    fn record(lanes: &[Self]) -> u32;
    fn put_record(lanes: &mut [Self], record: u32);
}

impl Lane for u8 {
    const OF_RECORD: usize = 4;
    const LEAST: Self = Self::MIN;
    const MOST: Self = Self::MAX;
    fn of(place: u32) -> Self {
        place as u8
    }
    fn place(self) -> u32 {
        self.into()
    }
    fn record(lanes: &[Self]) -> u32 {
        u32::from_le_bytes([lanes[0], lanes[1], lanes[2], lanes[3]])
    }
    fn put_record(lanes: &mut [Self], record: u32) {
        lanes.copy_from_slice(&record.to_le_bytes());
    }
}

impl Lane for i16 {
    const OF_RECORD: usize = 2;
    const LEAST: Self = Self::MIN;
    const MOST: Self = Self::MAX;
    fn of(place: u32) -> Self {
        place as i16
    }
    fn place(self) -> u32 {
        self as u32
    }
    fn record(lanes: &[Self]) -> u32 {
        u32::from(lanes[0] as u16) | u32::from(lanes[1] as u16) << 16
    }
    fn put_record(lanes: &mut [Self], record: u32) {
        lanes[0] = record as u16 as i16;
        lanes[1] = (record >> 16) as u16 as i16;
    }
}

/// Rows that are compared at once; their minima and maxima stay in registers.
const BLOCK: usize = 4;
/// More rows than this are counted column by column: then the widest column can nearly always be cut, and most are
/// never looked at.
const FEW: usize = 64;

/// Lane by lane the lesser.
#[inline(always)]
fn lower<L: Lane, const N: usize>(mut one: [L; N], other: [L; N]) -> [L; N] {
    for lane in 0..N {
        one[lane] = one[lane].min(other[lane]);
    }
    one
}

/// Lane by lane the greater.
#[inline(always)]
fn upper<L: Lane, const N: usize>(mut one: [L; N], other: [L; N]) -> [L; N] {
    for lane in 0..N {
        one[lane] = one[lane].max(other[lane]);
    }
    one
}

/// Rows of lanes; the last ones hold the number of the record.
struct Packed<L, const N: usize>(PhantomData<L>);

impl<L: Lane, const N: usize> Packed<L, N> {
    fn pack(&self, space: &Space, codes: &[&[u32]], rows: usize) -> Vec<[L; N]> {
        // So few rows stay in the nearest cache while column after column is put into them.
        const PART: usize = 1 << 10;
        let lanes: Vec<Vec<L>> = space
            .dimensions
            .iter()
            .map(|dimension| dimension.place_of_code.iter().map(|&place| L::of(place)).collect())
            .collect();
        let mut packed = vec![[L::default(); N]; rows];
        packed.par_chunks_mut(PART).enumerate().for_each(|(part, packed)| {
            let begin = part * PART;
            for (column, (lanes, codes)) in lanes.iter().zip(codes).enumerate() {
                for (row, &code) in packed.iter_mut().zip(&codes[begin..]) {
                    row[column] = lanes[code as usize];
                }
            }
            for (record, row) in (begin as u32..).zip(packed) {
                L::put_record(&mut row[N - L::OF_RECORD..], record);
            }
        });
        packed
    }

    /// The `K` smallest and the `K` largest of every lane, sorted by inserting row after row: all columns at once,
    /// and nothing but minima and maxima.
    #[inline(always)]
    fn ends<const K: usize>(rows: &[[L; N]]) -> ([[L; N]; K], [[L; N]; K]) {
        let (mut smallest, mut largest) = ([[L::MOST; N]; K], [[L::LEAST; N]; K]);
        for row in rows {
            let (mut up, mut down) = (*row, *row);
            for (smallest, largest) in smallest.iter_mut().zip(&mut largest) {
                (*smallest, up) = (lower(*smallest, up), upper(*smallest, up));
                (*largest, down) = (upper(*largest, down), lower(*largest, down));
            }
        }
        (smallest, largest)
    }

    fn cuts<const K: usize>(
        rows: &[[L; N]],
        first: &mut [u32],
        last: &mut [u32],
        divisible: &mut [bool],
    ) -> bool {
        let (smallest, largest) = Self::ends::<K>(rows);
        for (lane, ((first, last), divisible)) in first.iter_mut().zip(last).zip(divisible).enumerate() {
            *first = smallest[0][lane].place();
            *last = largest[0][lane].place();
            *divisible = smallest[K - 1][lane] < largest[K - 1][lane];
        }
        true
    }
}

impl<L: Lane, const N: usize> Table for Packed<L, N>
where
    [L; N]: Default,
{
    type Row = [L; N];

    #[inline(always)]
    fn place(&self, row: &[L; N], column: usize) -> u32 {
        // A remainder by a power of two instead of a bounds check.
        row[column % N].place()
    }

    #[inline(always)]
    fn record(&self, row: &[L; N]) -> u32 {
        L::record(&row[N - L::OF_RECORD..])
    }

    #[inline(always)]
    fn extent(&self, rows: &[[L; N]], first: &mut [u32], last: &mut [u32]) {
        let (mut low, mut high) = ([rows[0]; BLOCK], [rows[0]; BLOCK]);
        let (blocks, rest) = rows.as_chunks::<BLOCK>();
        for block in blocks {
            for (row, (low, high)) in block.iter().zip(low.iter_mut().zip(&mut high)) {
                (*low, *high) = (lower(*low, *row), upper(*high, *row));
            }
        }
        let least = low.iter().chain(rest).copied().reduce(lower).unwrap_or_default();
        let most = high.iter().chain(rest).copied().reduce(upper).unwrap_or_default();
        for (to, from) in first.iter_mut().zip(least) {
            *to = from.place();
        }
        for (to, from) in last.iter_mut().zip(most) {
            *to = from.place();
        }
    }

    fn extent_and_cuts(
        &self,
        rows: &[[L; N]],
        least: u64,
        first: &mut [u32],
        last: &mut [u32],
        divisible: &mut [bool],
    ) -> bool {
        if rows.len() > FEW || (rows.len() as u64) < least {
            return false;
        }
        // A number that the compiler knows, so that the smallest and largest stay in registers.
        match least {
            1 => Self::cuts::<1>(rows, first, last, divisible),
            2 => Self::cuts::<2>(rows, first, last, divisible),
            3 => Self::cuts::<3>(rows, first, last, divisible),
            4 => Self::cuts::<4>(rows, first, last, divisible),
            5 => Self::cuts::<5>(rows, first, last, divisible),
            6 => Self::cuts::<6>(rows, first, last, divisible),
            7 => Self::cuts::<7>(rows, first, last, divisible),
            8 => Self::cuts::<8>(rows, first, last, divisible),
            9 => Self::cuts::<9>(rows, first, last, divisible),
            10 => Self::cuts::<10>(rows, first, last, divisible),
            _ => false,
        }
    }
}

/// Any number of columns of any number of places.
struct Wide {
    columns: Vec<Vec<u32>>,
}

impl Table for Wide {
    type Row = u32;

    fn place(&self, row: &u32, column: usize) -> u32 {
        self.columns[column][*row as usize]
    }

    fn record(&self, row: &u32) -> u32 {
        *row
    }

    fn extent(&self, rows: &[u32], first: &mut [u32], last: &mut [u32]) {
        for (column, (first, last)) in self.columns.iter().zip(first.iter_mut().zip(last)) {
            let (mut least, mut most) = (u32::MAX, 0);
            for &row in rows {
                let place = column[row as usize];
                least = least.min(place);
                most = most.max(place);
            }
            (*first, *last) = (least, most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of sixteen lanes that look random and repeat themselves often.
    fn rows<L: Lane>(count: usize) -> Vec<[L; 16]> {
        let mut random = 7u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            L::of((random >> 33) as u32 % 7)
        };
        (0..count).map(|_| std::array::from_fn(|_| next())).collect()
    }

    fn agrees_with_sorting<L: Lane>(count: usize) {
        let (table, rows) = (Packed::<L, 16>(PhantomData), rows::<L>(count));
        let columns = 12;
        let sorted = |column: usize| {
            let mut places: Vec<u32> = rows.iter().map(|row| row[column].place()).collect();
            places.sort_unstable();
            places
        };
        let (mut first, mut last) = (vec![0; columns], vec![0; columns]);
        table.extent(&rows, &mut first, &mut last);
        for column in 0..columns {
            assert_eq!((first[column], last[column]), (sorted(column)[0], sorted(column)[count - 1]));
        }
        for least in 1..=11 {
            let (mut low, mut high, mut divisible) =
                (vec![9; columns], vec![9; columns], vec![false; columns]);
            let told = table.extent_and_cuts(&rows, least, &mut low, &mut high, &mut divisible);
            assert_eq!(told, least <= 10 && count >= least as usize && count <= FEW);
            for (column, &divisible) in divisible.iter().enumerate().filter(|_| told) {
                let places = sorted(column);
                let least = least as usize;
                let may_be = (least..=count - least.min(count)).any(|cut| places[cut - 1] < places[cut]);
                assert_eq!(divisible, may_be, "{count} rows, {least} at least");
                assert_eq!((low[column], high[column]), (first[column], last[column]));
            }
        }
    }

    #[test]
    fn smallest_and_largest_places_are_those_of_sorted_columns() {
        for count in (1..=20).chain([FEW - 1, FEW, FEW + 1, 200]) {
            agrees_with_sorting::<u8>(count);
            agrees_with_sorting::<i16>(count);
        }
    }
}
