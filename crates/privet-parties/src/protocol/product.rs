//! Products between two parties as additive shares modulo 2^64: of a bit and a number, summed up or each by itself, and the scalar product of
//! two vectors of numbers bit by bit (Gilboa; papers T-AL12 "secure scalar product", the form from oblivious transfer).
//!
//! One party has bits, the other numbers. Per bit b and number x the transfer gives one party p and the other −p + b·x.
//!
//! # Security
//! That of [`super::extension`]: semi-honest parties. Each party sees values that are uniform without the other's share; nothing of the
//! product is known until both shares are put together. The lengths of the vectors and the range of the numbers are public.

use rayon::prelude::*;

use super::extension::{CHUNK, Receiver, Sender, Transfers};
use crate::error::PartyError;
use crate::session::Session;
use crate::session::wire::Tag;

/// Numbers per message.
const NUMBERS: usize = 1 << 19;

/// Rows per message: a multiple of 128, so that choices begin at a word.
fn rows_per_message(width: usize) -> usize {
    (NUMBERS / width.max(1)).clamp(128, CHUNK) / 128 * 128
}

/// The first `width` numbers of the hashes of each row.
fn pads(hashes: &[u128], width: usize, per_row: usize) -> impl IndexedParallelIterator<Item = &[u128]> {
    debug_assert!(width <= 2 * per_row);
    hashes.par_chunks(per_row)
}

fn pad(hashes: &[u128], place: usize) -> u64 {
    (hashes[place / 2] >> (64 * (place % 2))) as u64
}

/// The side with numbers: `value(row)` fills the numbers of a row. Returns shares of the sums over all rows, or of every row.
fn send(
    session: &mut Session<'_>,
    sender: &mut Sender,
    to: usize,
    (rows, width): (usize, usize),
    value: &(dyn Fn(usize, &mut [u64]) + Sync),
    mut take: impl FnMut(&[u64]),
) -> Result<(), PartyError> {
    let per_row = width.div_ceil(2);
    let chunk = rows_per_message(width);
    for begin in (0..rows).step_by(chunk) {
        let count = chunk.min(rows - begin);
        let extended = sender.extend(session, to, count)?;
        let (first, other) = (extended.hashes(per_row), sender.other(&extended).hashes(per_row));
        let mut shares = vec![0u64; count * width];
        let mut message = vec![0u8; 8 * count * width];
        let all = pads(&first, width, per_row).zip(pads(&other, width, per_row));
        all.zip(shares.par_chunks_mut(width)).zip(message.par_chunks_mut(8 * width)).enumerate().for_each(
            |(row, (((first, other), shares), message))| {
                value(begin + row, shares);
                for ((place, share), bytes) in shares.iter_mut().enumerate().zip(message.as_chunks_mut().0) {
                    let (p, q) = (pad(first, place), pad(other, place));
                    *bytes = p.wrapping_sub(q).wrapping_add(*share).to_le_bytes();
                    *share = p.wrapping_neg();
                }
            },
        );
        session.send(to, Tag::Correction, &message)?;
        take(&shares);
        session.advance(count as u64);
    }
    Ok(())
}

/// The side with bits.
fn receive(
    session: &mut Session<'_>,
    receiver: &mut Receiver,
    from: usize,
    (rows, width): (usize, usize),
    choices: &[u64],
    mut take: impl FnMut(&[u64]),
) -> Result<(), PartyError> {
    let per_row = width.div_ceil(2);
    let chunk = rows_per_message(width);
    for begin in (0..rows).step_by(chunk) {
        let count = chunk.min(rows - begin);
        let chosen = &choices[begin / 64..(begin + count).div_ceil(64)];
        let extended = receiver.extend(session, from, chosen, count)?;
        let hashes = extended.hashes(per_row);
        let corrections = session.receive_u64s(from, Tag::Correction, count * width)?;
        let mut shares = vec![0u64; count * width];
        let all = pads(&hashes, width, per_row).zip(corrections.par_chunks(width));
        all.zip(shares.par_chunks_mut(width)).enumerate().for_each(
            |(row, ((hashes, corrections), shares))| {
                let mask = (chosen[row / 64] >> (row % 64) & 1).wrapping_neg();
                for ((place, share), correction) in shares.iter_mut().enumerate().zip(corrections) {
                    *share = pad(hashes, place).wrapping_add(correction & mask);
                }
            },
        );
        take(&shares);
        session.advance(count as u64);
    }
    Ok(())
}

fn add_rows(sums: &mut [u64], shares: &[u64]) {
    for row in shares.chunks_exact(sums.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, share)| *sum = sum.wrapping_add(*share));
    }
}

/// Shares of Σ b·x over all rows, for several columns of numbers at once: the side with numbers.
///
/// # Errors
/// When the session fails.
pub fn send_sums(
    session: &mut Session<'_>,
    sender: &mut Sender,
    to: usize,
    size: (usize, usize),
    value: &(dyn Fn(usize, &mut [u64]) + Sync),
) -> Result<Vec<u64>, PartyError> {
    let mut sums = vec![0; size.1];
    send(session, sender, to, size, value, |shares| add_rows(&mut sums, shares))?;
    Ok(sums)
}

/// The same: the side with bits, the lowest of each word first.
///
/// # Errors
/// When the session fails.
pub fn receive_sums(
    session: &mut Session<'_>,
    receiver: &mut Receiver,
    from: usize,
    size: (usize, usize),
    choices: &[u64],
) -> Result<Vec<u64>, PartyError> {
    let mut sums = vec![0; size.1];
    receive(session, receiver, from, size, choices, |shares| add_rows(&mut sums, shares))?;
    Ok(sums)
}

/// Shares of b·x for every row: the side with numbers.
///
/// # Errors
/// When the session fails.
pub fn send_each(
    session: &mut Session<'_>,
    sender: &mut Sender,
    to: usize,
    values: &[u64],
) -> Result<Vec<u64>, PartyError> {
    let mut all = Vec::with_capacity(values.len());
    let value = |row: usize, own: &mut [u64]| own[0] = values[row];
    send(session, sender, to, (values.len(), 1), &value, |shares| all.extend_from_slice(shares))?;
    Ok(all)
}

/// The same: the side with bits.
///
/// # Errors
/// When the session fails.
pub fn receive_each(
    session: &mut Session<'_>,
    receiver: &mut Receiver,
    from: usize,
    rows: usize,
    choices: &[u64],
) -> Result<Vec<u64>, PartyError> {
    let mut all = Vec::with_capacity(rows);
    receive(session, receiver, from, (rows, 1), choices, |shares| all.extend_from_slice(shares))?;
    Ok(all)
}

/// Bits as words, the first in the lowest place.
pub fn pack(bits: impl IntoIterator<Item = bool>) -> Vec<u64> {
    let mut words = Vec::new();
    for (place, bit) in bits.into_iter().enumerate() {
        if place % 64 == 0 {
            words.push(0);
        }
        if let Some(word) = words.last_mut() {
            *word |= u64::from(bit) << (place % 64);
        }
    }
    words
}

/// Shares of the scalar products of one column of the first party, whose numbers have so many bits, with every column of the second.
///
/// `mine` is this party's side: the column and its bits, or all columns. Both parties call this with the other's number.
///
/// # Errors
/// When the session fails.
pub fn scalar_products(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    other: usize,
    mine: Side<'_>,
) -> Result<Vec<u64>, PartyError> {
    match mine {
        Side::Bits { column, bits, width } => {
            let choices = pack(column.iter().flat_map(|x| (0..bits).map(move |bit| x >> bit & 1 == 1)));
            let size = (column.len() * bits as usize, width);
            receive_sums(session, transfers.receiver(other)?, other, size, &choices)
        }
        Side::Numbers { columns, bits } => {
            let rows = columns.first().map_or(0, |column| column.len());
            let value = |row: usize, own: &mut [u64]| {
                let (record, bit) = (row / bits as usize, row % bits as usize);
                own.iter_mut().zip(columns).for_each(|(own, column)| *own = column[record] << bit);
            };
            let size = (rows * bits as usize, columns.len());
            send_sums(session, transfers.sender(other)?, other, size, &value)
        }
    }
}

/// A party's side of scalar products.
#[derive(Debug, Clone, Copy)]
pub enum Side<'a> {
    /// One column of numbers below 2^bits, against so many columns of the other.
    Bits {
        /// The numbers.
        column: &'a [u64],
        /// Their bits.
        bits: u32,
        /// The other's columns.
        width: usize,
    },
    /// Columns of numbers modulo 2^64, against one of so many bits.
    Numbers {
        /// The columns.
        columns: &'a [Vec<u64>],
        /// Bits of the other's numbers.
        bits: u32,
    },
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]
        #[test]
        fn shares_add_up_to_the_products(
            x in proptest::collection::vec(0u64..1 << 10, 300),
            y in proptest::collection::vec(proptest::collection::vec(any::<i32>(), 300), 1..4),
        ) {
            let columns: Vec<Vec<u64>> =
                y.iter().map(|column| column.iter().map(|own| i64::from(*own).cast_unsigned()).collect()).collect();
            let results = run_local(2, |session| {
                let mut transfers = Transfers::new(session)?;
                let side = match session.me() {
                    0 => Side::Bits { column: &x, bits: 10, width: columns.len() },
                    _ => Side::Numbers { columns: &columns, bits: 10 },
                };
                scalar_products(session, &mut transfers, 1 - session.me(), side)
            });
            let [a, b] = [0, 1].map(|party: usize| results[party].as_ref().unwrap());
            for (place, column) in columns.iter().enumerate() {
                let expected = x.iter().zip(column).fold(0u64, |sum, (x, y)| sum.wrapping_add(x.wrapping_mul(*y)));
                prop_assert_eq!(a[place].wrapping_add(b[place]), expected);
            }
        }
    }

    /// FX-T10: X = (3, 0, 2, 5), Y = (1, 4, 2, 3), X·Y = 22; and across more than one message.
    #[test]
    fn fx_t10_scalar_product() {
        let long: Vec<u64> = (0..CHUNK as u64 + 70).collect();
        let results = run_local(2, |session| {
            let mut transfers = Transfers::new(session)?;
            let other = 1 - session.me();
            let short = match session.me() {
                0 => Side::Bits { column: &[3, 0, 2, 5], bits: 3, width: 1 },
                _ => Side::Numbers { columns: &[vec![1, 4, 2, 3]], bits: 3 },
            };
            let short = scalar_products(session, &mut transfers, other, short)?[0];
            let odd = pack(long.iter().map(|own| own % 2 == 1));
            let each = match session.me() {
                0 => receive_each(session, transfers.receiver(1)?, 1, long.len(), &odd)?,
                _ => send_each(session, transfers.sender(0)?, 0, &long)?,
            };
            Ok((short, each))
        });
        let [a, b] = [0, 1].map(|party: usize| results[party].as_ref().unwrap());
        assert_eq!(a.0.wrapping_add(b.0), 22);
        for ((a, b), own) in a.1.iter().zip(&b.1).zip(&long) {
            assert_eq!(a.wrapping_add(*b), own * (own % 2));
        }
    }
}
