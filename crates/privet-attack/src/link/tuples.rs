//! Tuples of codes as dense numbers: rows with equal codes in all columns get the same number, in the order of first
//! occurrence.
//!
//! Keys are 64-bit numbers in mixed radix. When the next column would not fit, the keys so far are replaced by the
//! numbers of what occurs; rows and codes have 32 bits each, so the next column then fits always.

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

pub(crate) struct Keys {
    keys: Vec<u64>,
    /// All keys are below this; 2^64 at most.
    below: u128,
}

impl Keys {
    pub fn new(rows: usize) -> Self {
        Self { keys: vec![0; rows], below: 1 }
    }

    /// One more column: a code below `size` for each row.
    pub fn push(&mut self, codes: impl IndexedParallelIterator<Item = u32>, size: u64) {
        let size = size.max(1);
        if self.below * u128::from(size) > 1 << 64 {
            let (numbers, first) = dense(&self.keys);
            self.below = first.len().max(1) as u128;
            self.keys.iter_mut().zip(numbers).for_each(|(key, number)| *key = u64::from(number));
        }
        self.below *= u128::from(size);
        self.keys.par_iter_mut().zip(codes).for_each(|(key, code)| *key = *key * size + u64::from(code));
    }

    /// Per row the number of its tuple, and per tuple the first row that has it.
    pub fn finish(self) -> (Vec<u32>, Vec<u32>) {
        // What may be an index needs no hashing.
        if self.below <= 4 * self.keys.len() as u128 {
            const NEW: u32 = u32::MAX;
            let mut number = vec![NEW; self.below as usize];
            let (mut numbers, mut first) = (Vec::with_capacity(self.keys.len()), Vec::new());
            for (row, &key) in self.keys.iter().enumerate() {
                let place = &mut number[key as usize];
                if *place == NEW {
                    *place = first.len() as u32;
                    first.push(row as u32);
                }
                numbers.push(*place);
            }
            return (numbers, first);
        }
        dense(&self.keys)
    }
}

fn dense(keys: &[u64]) -> (Vec<u32>, Vec<u32>) {
    let mut number: HashMap<u64, u32> = HashMap::new();
    let (mut numbers, mut first) = (Vec::with_capacity(keys.len()), Vec::new());
    for (row, &key) in keys.iter().enumerate() {
        let next = first.len() as u32;
        let of = *number.entry(key).or_insert(next);
        if of == next {
            first.push(row as u32);
        }
        numbers.push(of);
    }
    (numbers, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_tuples_are_told_apart() {
        // Nine columns of 2^31 values need 279 bits.
        let rows: Vec<Vec<u32>> = (0..40u32)
            .map(|row| (0..9).map(|c| (row % 20 / (c + 1)) * 100_000_007 % (1 << 31)).collect())
            .collect();
        let mut keys = Keys::new(rows.len());
        for column in 0..9 {
            let codes: Vec<u32> = rows.iter().map(|row| row[column]).collect();
            keys.push(codes.into_par_iter(), 1 << 31);
        }
        let (numbers, first) = keys.finish();
        for (i, one) in rows.iter().enumerate() {
            assert_eq!(&rows[first[numbers[i] as usize] as usize], one);
            for (j, other) in rows.iter().enumerate() {
                assert_eq!(numbers[i] == numbers[j], one == other);
            }
        }
    }

    #[test]
    fn without_rows_or_columns() {
        assert_eq!(Keys::new(0).finish(), (vec![], vec![]));
        assert_eq!(Keys::new(3).finish(), (vec![0, 0, 0], vec![0]));
    }
}
