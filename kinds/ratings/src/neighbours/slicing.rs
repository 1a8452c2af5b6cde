//! Slicing (thesis 2.19, step 1): candidates within epsilon on the first axis, trimmed axis by axis.
//!
//! Points are sorted by all axes, the axis first on which they differ most, and cut into blocks of 512. For each block, axis
//! and tick one bit per point says whether its tick is at most that one, so an axis trims the candidates of a block by two
//! bit operations per 64 points; a block is left as soon as nobody remains. Where few remain, and on axes beyond [`PLANES`] bits per
//! point, whole rows are compared. Printed is `< epsilon`; the definition needs `<=` (register, defect 16).
//!
//! Growth: a query costs at most n m / 64 word operations, and less the sooner the telling axes empty a block; memory in n
//! times at most [`PLANES`] bits, whatever the number of axes.

use std::ops::ControlFlow;

use super::Neighbours;
use crate::Points;

/// Words of a block.
const WORDS: usize = 8;
/// Points of a block.
const BLOCK: usize = 64 * WORDS;
/// The most bits that are kept for a point.
const PLANES: usize = 1024;

/// So few candidates of a block are compared one by one.
const FEW: u32 = 8;

type Bits = [u64; WORDS];

const ALL: Bits = [u64::MAX; WORDS];
const NONE: Bits = [0; WORDS];

/// The points of a Hamming group, sorted and cut into blocks of bits.
#[derive(Debug, Clone)]
pub struct Slicing<'a> {
    points: &'a Points,
    ticks: u8,
    /// The axes with bits, the most telling one first.
    axes: Vec<u32>,
    /// The axes without.
    others: Vec<u32>,
    /// How many ticks have bits on each axis: all but the highest.
    levels: usize,
    /// Per block, axis and tick the points whose tick is at most that one.
    planes: Vec<Bits>,
    /// Per place in sorted order the point.
    point_at: Vec<u32>,
    /// Per point its place; `u32::MAX` where a point was left out.
    place_of: Vec<u32>,
}

impl<'a> Slicing<'a> {
    /// Sorts all points.
    pub fn new(points: &'a Points, ticks: u8) -> Self {
        Self::among(points, ticks, (0..points.len() as u32).collect())
    }

    /// Sorts some of the points; only they are found.
    pub(crate) fn among(points: &'a Points, ticks: u8, mut chosen: Vec<u32>) -> Self {
        let mut axes = telling_axes(points, &chosen, ticks);
        let key = |point: u32| axes.iter().map(move |&axis| points.row(point)[axis as usize]);
        chosen.sort_by(|&a, &b| key(a).cmp(key(b)));
        let mut place_of = vec![u32::MAX; points.len()];
        chosen.iter().zip(0..).for_each(|(&point, place)| place_of[point as usize] = place);
        let highest = chosen.iter().flat_map(|&point| points.row(point)).max().copied().unwrap_or(0);
        let levels = usize::from(highest);
        let others = axes.split_off(axes.len().min((PLANES / levels.max(1)).max(4)));
        let mut planes = vec![[0u64; WORDS]; chosen.len().div_ceil(BLOCK) * axes.len() * levels];
        for (place, &point) in chosen.iter().enumerate() {
            let (block, bit) = (place / BLOCK, place % BLOCK);
            let row = points.row(point);
            for (at, &axis) in axes.iter().enumerate() {
                let first = (block * axes.len() + at) * levels;
                for plane in &mut planes[first + usize::from(row[axis as usize])..first + levels] {
                    plane[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
        Self { points, ticks, axes, others, levels, planes, point_at: chosen, place_of }
    }

    /// Hands on the points between two corners, which are in the order of the axes of the points.
    pub(crate) fn between(&self, low: &[u8], high: &[u8], mut visit: impl FnMut(u32) -> ControlFlow<()>) {
        for block in 0..self.point_at.len().div_ceil(BLOCK) {
            if self.trim(block, low, high, &mut visit).is_break() {
                return;
            }
        }
    }

    /// Trims one block axis by axis.
    fn trim(
        &self,
        block: usize,
        low: &[u8],
        high: &[u8],
        visit: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let filled = (self.point_at.len() - block * BLOCK).min(BLOCK);
        let mut left: Bits = std::array::from_fn(|word| match filled.saturating_sub(64 * word) {
            0 => 0,
            bits if bits >= 64 => u64::MAX,
            bits => (1 << bits) - 1,
        });
        let (mut trimmed, mut is_exact) = (0, self.others.is_empty());
        for (at, &axis) in self.axes.iter().enumerate() {
            let first = (block * self.axes.len() + at) * self.levels;
            let (low, high) = (usize::from(low[axis as usize]), usize::from(high[axis as usize]));
            if low > self.levels {
                return ControlFlow::Continue(());
            }
            // Everybody's tick is at most the highest, which has no bits, and nobody's is below the lowest.
            let at_most = if high < self.levels { &self.planes[first + high] } else { &ALL };
            let below = if low > 0 { &self.planes[first + low - 1] } else { &NONE };
            let mut any = 0;
            for ((left, at_most), below) in left.iter_mut().zip(at_most).zip(below) {
                *left &= at_most & !below;
                any |= *left;
            }
            if any == 0 {
                return ControlFlow::Continue(());
            }
            trimmed += 1;
            let is_few = trimmed % 8 == 0
                && trimmed < self.axes.len()
                && left.iter().map(|word| word.count_ones()).sum::<u32>() <= FEW;
            if is_few {
                is_exact = false;
                break;
            }
        }
        for (word, mut bits) in left.into_iter().enumerate() {
            while bits != 0 {
                let point = self.point_at[block * BLOCK + 64 * word + bits.trailing_zeros() as usize];
                bits &= bits - 1;
                if is_exact || is_between(self.points.row(point), low, high) {
                    visit(point)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether a point lies between two corners; 64 axes at a time, so that the comparison is one of vectors.
fn is_between(row: &[u8], low: &[u8], high: &[u8]) -> bool {
    row.chunks(64).zip(low.chunks(64)).zip(high.chunks(64)).all(|((row, low), high)| {
        let outside = row.iter().zip(low).zip(high);
        outside.fold(0, |any, ((own, low), high)| any | u8::from(own < low) | u8::from(own > high)) == 0
    })
}

/// The axes by the share of pairs that they tell apart, most first.
fn telling_axes(points: &Points, chosen: &[u32], ticks: u8) -> Vec<u32> {
    let mut apart: Vec<(u64, u32)> = (0..points.dims())
        .map(|axis| {
            let mut count = [0u64; 256];
            chosen.iter().for_each(|&point| count[usize::from(points.row(point)[axis])] += 1);
            let mut below = [0u64; 257];
            (0..256).for_each(|at| below[at + 1] = below[at] + count[at]);
            let near = (0..256usize).map(|at| {
                let (low, high) = (at.saturating_sub(ticks.into()), (at + usize::from(ticks) + 1).min(256));
                count[at] * (below[high] - below[low])
            });
            (near.sum(), axis as u32)
        })
        .collect();
    apart.sort_unstable();
    apart.into_iter().map(|(_, axis)| axis).collect()
}

impl Neighbours for Slicing<'_> {
    fn near(&self, point: u32, mut visit: impl FnMut(u32) -> ControlFlow<()>) {
        let row = self.points.row(point);
        let low: Vec<u8> = row.iter().map(|tick| tick.saturating_sub(self.ticks)).collect();
        let high: Vec<u8> = row.iter().map(|tick| tick.saturating_add(self.ticks)).collect();
        // Neighbours are most likely near in sorted order: outwards from the block of the point.
        let blocks = self.point_at.len().div_ceil(BLOCK);
        let home = (self.place_of[point as usize] as usize / BLOCK).min(blocks.saturating_sub(1));
        for step in 0..blocks {
            for block in [home.checked_sub(step), Some(home + step)] {
                let Some(block) = block.filter(|&block| block < blocks) else { continue };
                if self.trim(block, &low, &high, &mut visit).is_break() {
                    return;
                }
                if step == 0 {
                    break;
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        8 * WORDS * self.planes.len()
            + 4 * (self.point_at.len() + self.place_of.len() + self.axes.len() + self.others.len())
    }
}
