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
    fn of(place: u32) -> Self;
    fn place(self) -> u32;
    fn record(lanes: &[Self]) -> u32;
    fn put_record(lanes: &mut [Self], record: u32);
}

impl Lane for u8 {
    const OF_RECORD: usize = 4;
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

/// Lanes that are compared at once: a few rows, so that compilers make vectors of them.
const BLOCK: usize = 128;

/// Rows of lanes; the last ones hold the number of the record.
struct Packed<L, const N: usize>(PhantomData<L>);

impl<L: Lane, const N: usize> Packed<L, N> {
    fn pack(&self, space: &Space, codes: &[&[u32]], rows: usize) -> Vec<[L; N]> {
        const PART: usize = 1 << 12;
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
        let (mut least, mut most) = (rows[0], rows[0]);
        let lanes = rows.as_flattened();
        // Whole blocks, and the last one again from the end: what overlaps changes no minimum.
        if let (Some(head), Some(tail)) = (lanes.first_chunk::<BLOCK>(), lanes.last_chunk::<BLOCK>()) {
            let (mut low, mut high) = (*head, *head);
            for block in lanes[BLOCK..].chunks_exact(BLOCK).chain([&tail[..]]) {
                for (low, &lane) in low.iter_mut().zip(block) {
                    *low = lane.min(*low);
                }
                for (high, &lane) in high.iter_mut().zip(block) {
                    *high = lane.max(*high);
                }
            }
            for (low, high) in low.chunks_exact(N).zip(high.chunks_exact(N)) {
                for lane in 0..N {
                    least[lane] = least[lane].min(low[lane]);
                    most[lane] = most[lane].max(high[lane]);
                }
            }
        } else {
            for row in rows {
                for lane in 0..N {
                    least[lane] = least[lane].min(row[lane]);
                    most[lane] = most[lane].max(row[lane]);
                }
            }
        }
        for (to, from) in first.iter_mut().zip(least) {
            *to = from.place();
        }
        for (to, from) in last.iter_mut().zip(most) {
            *to = from.place();
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
