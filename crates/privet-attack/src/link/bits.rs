//! The different published tuples as bits: per column and kind of value one bit for each tuple that it may be, 64 tuples
//! at a time. What is left are the words that are not 0, which are few: tuples are sorted, and labels that cover the same
//! values are neighbours.

use rayon::prelude::*;

use super::overlap::{Index, Levels, Sorted};

/// More words than this are not made: 512 MiB.
const MOST_WORDS: usize = 1 << 26;

pub(super) struct Bits {
    /// Where the tuples with each label at the first level begin, and at last where they end.
    first: Vec<u32>,
    /// Words that all tuples need.
    words: usize,
    /// Per level but the first the words of each kind.
    bits: Vec<Vec<u64>>,
}

impl Bits {
    /// `None` when they would need too much memory.
    pub fn new(levels: &Levels<'_>, sorted: &Sorted) -> Option<Self> {
        let tuples = sorted.rows.len();
        let words = tuples.div_ceil(64);
        let all: usize = (1..levels.count()).map(|level| levels.kinds(level)).sum();
        if levels.count() == 0 || words == 0 || all.checked_mul(words)? > MOST_WORDS {
            return None;
        }
        let first = positions_by_label(levels, sorted, 0).0;
        let bits = (1..levels.count())
            .map(|level| {
                let (starts, positions) = positions_by_label(levels, sorted, level);
                let mut bits = vec![0u64; levels.kinds(level) * words];
                bits.par_chunks_mut(words).enumerate().for_each(|(kind, bits)| {
                    for &label in levels.carried(level, kind as u32) {
                        let range = starts[label as usize] as usize..starts[label as usize + 1] as usize;
                        for &position in &positions[range] {
                            bits[position as usize / 64] |= 1 << (position % 64);
                        }
                    }
                });
                bits
            })
            .collect();
        Some(Self { first, words, bits })
    }
}

/// Per label of a level where the positions of its tuples begin, and these positions.
fn positions_by_label(levels: &Levels<'_>, sorted: &Sorted, level: usize) -> (Vec<u32>, Vec<u32>) {
    let labels = levels.labels(level) as usize;
    let mut starts = vec![0u32; labels + 1];
    let of = |position: usize| sorted.tuple(position)[level] as usize;
    (0..sorted.rows.len()).for_each(|position| starts[of(position) + 1] += 1);
    for label in 0..labels {
        starts[label + 1] += starts[label];
    }
    let mut next = starts.clone();
    let mut positions = vec![0; sorted.rows.len()];
    for position in 0..sorted.rows.len() {
        let place = &mut next[of(position)];
        positions[*place as usize] = position as u32;
        *place += 1;
    }
    (starts, positions)
}

impl Index for Bits {
    /// After each level the words that are not 0, ascending.
    type Left = Vec<Vec<(u32, u64)>>;

    fn begin(&self) -> Self::Left {
        vec![Vec::new(); self.bits.len() + 1]
    }

    fn narrow(&self, levels: &Levels<'_>, left: &mut Self::Left, tuple: &[u32], from: usize) -> u64 {
        let mut steps = 0;
        for level in from..levels.count() {
            let (before, after) = left.split_at_mut(level);
            let after = &mut after[0];
            after.clear();
            match before.last() {
                None => {
                    for &label in levels.carried(0, tuple[0]) {
                        add(after, self.first[label as usize], self.first[label as usize + 1]);
                    }
                }
                Some(before) => {
                    let own = &self.bits[level - 1][tuple[level] as usize * self.words..][..self.words];
                    let words = before.iter().map(|&(at, word)| (at, word & own[at as usize]));
                    after.extend(words.filter(|&(_, word)| word != 0));
                    steps += before.len() as u64;
                }
            }
        }
        steps
    }

    fn positions(&self, left: &Self::Left, into: &mut Vec<u32>) {
        for &(at, mut word) in left.last().into_iter().flatten() {
            while word != 0 {
                into.push(at * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }
}

/// Adds the bits of positions beyond all that were added before.
fn add(words: &mut Vec<(u32, u64)>, from: u32, to: u32) {
    let mut position = from;
    while position < to {
        let at = position / 64;
        let end = to.min((at + 1) * 64);
        let mask = (!0u64 >> (64 - (end - position))) << (position % 64);
        match words.last_mut() {
            Some((last, word)) if *last == at => *word |= mask,
            _ => words.push((at, mask)),
        }
        position = end;
    }
}
