//! How much mass overlapping regions put on each of many tuples.
//!
//! Tuples are divided by their value in the column that leaves the fewest regions for each, as long as that pays; then a
//! tuple's regions are the intersection of bit sets, one per column and value, 64 regions at a time. Masses are added
//! in the order of the regions, so they are the same for any number of threads.

use rayon::prelude::*;

use super::ln_add;
use super::spread::Spread;

/// How many regions have a bit set together; bounds the memory that the sets take.
const BLOCK: usize = 4096;

/// Fewer regions than this are not worth dividing.
const FEW_REGIONS: usize = 256;

/// Fewer tuples than this are not worth dividing or making bit sets for.
const FEW_TUPLES: usize = 32;

/// How many pairs of a region and a value may be listed at once; bounds memory too.
const PAIRS: u64 = 1 << 24;

/// Writes for each tuple ln of the mass that the regions put on it; minus infinity where none covers it. Tuples are
/// put in another order, and the masses are in that order.
pub(super) fn stab(spread: &Spread<'_>, regions: &[u32], tuples: &mut [u32], masses: &mut [f64]) {
    if regions.len() <= 2 || tuples.len() < FEW_TUPLES {
        return one_by_one(spread, regions, tuples, masses);
    }
    let Some(column) = dividing_column(spread, regions, tuples) else {
        return by_bits(spread, regions, tuples, masses);
    };
    let code_of = |tuple: u32| spread.codes(tuple as usize)[column];
    tuples.sort_by_key(|&tuple| code_of(tuple));
    let mut place = vec![u32::MAX; spread.coverages[column].values() as usize];
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for same in tuples.chunk_by(|&a, &b| code_of(a) == code_of(b)) {
        place[code_of(same[0]) as usize] = lists.len() as u32;
        lists.push(Vec::new());
    }
    for &region in regions {
        for code in spread.covered(region as usize, column).iter() {
            if let Some(list) = lists.get_mut(place[code as usize] as usize) {
                list.push(region);
            }
        }
    }
    let mut rest = masses;
    let parts: Vec<(&mut [u32], &mut [f64])> = tuples
        .chunk_by_mut(|&a, &b| code_of(a) == code_of(b))
        .map(|same| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(same.len());
            rest = others;
            (same, own)
        })
        .collect();
    parts
        .into_par_iter()
        .zip(&lists)
        .for_each(|((tuples, masses), regions)| stab(spread, regions, tuples, masses));
}

/// The column in which tuples have the fewest regions with their value, if at most half of all, so that dividing pays.
/// A column that was divided by is not found again: all regions that are left have the value.
fn dividing_column(spread: &Spread<'_>, regions: &[u32], tuples: &[u32]) -> Option<usize> {
    if regions.len() < FEW_REGIONS {
        return None;
    }
    let all = regions.len() as u64 * tuples.len() as u64;
    let cost = |column: usize| {
        let mut change = vec![0i64; spread.coverages[column].values() as usize + 1];
        let mut pairs = 0;
        for &region in regions {
            let codes = spread.covered(region as usize, column);
            pairs += codes.len() as u64;
            for &(first, last) in codes.runs() {
                change[first as usize] += 1;
                change[last as usize + 1] -= 1;
            }
        }
        let mut sum = 0;
        change.iter_mut().for_each(|own| {
            sum += *own;
            *own = sum;
        });
        let left: u64 =
            tuples.iter().map(|&t| change[spread.codes(t as usize)[column] as usize] as u64).sum();
        (left <= all / 2 && pairs <= PAIRS && pairs <= all / 8).then_some((left, column))
    };
    (0..spread.coverages.len()).filter_map(cost).min().map(|(_, column)| column)
}

fn one_by_one(spread: &Spread<'_>, regions: &[u32], tuples: &[u32], masses: &mut [f64]) {
    masses.fill(f64::NEG_INFINITY);
    for &region in regions {
        let density = spread.ln_density(region as usize);
        for (&tuple, mass) in tuples.iter().zip(&mut *masses) {
            let mut codes = spread.codes(tuple as usize).iter().enumerate();
            if codes.all(|(column, &code)| spread.covered(region as usize, column).contains(code)) {
                *mass = ln_add(*mass, density);
            }
        }
    }
}

fn by_bits(spread: &Spread<'_>, regions: &[u32], tuples: &[u32], masses: &mut [f64]) {
    masses.fill(f64::NEG_INFINITY);
    // Per column and value the place of its bit set; only values of these tuples have one.
    let mut place: Vec<Vec<u32>> =
        spread.coverages.iter().map(|coverage| vec![u32::MAX; coverage.values() as usize]).collect();
    let mut sets = vec![0u32; place.len()];
    for &tuple in tuples {
        for ((place, sets), &code) in place.iter_mut().zip(&mut sets).zip(spread.codes(tuple as usize)) {
            if place[code as usize] == u32::MAX {
                place[code as usize] = *sets;
                *sets += 1;
            }
        }
    }
    for block in regions.chunks(BLOCK) {
        let words = block.len().div_ceil(64);
        let mut bits: Vec<Vec<u64>> = sets.iter().map(|&sets| vec![0; sets as usize * words]).collect();
        for (column, (bits, place)) in bits.iter_mut().zip(&place).enumerate() {
            for (number, &region) in block.iter().enumerate() {
                for code in spread.covered(region as usize, column).iter() {
                    let place = place[code as usize];
                    if place != u32::MAX {
                        bits[place as usize * words + number / 64] |= 1 << (number % 64);
                    }
                }
            }
        }
        let densities: Vec<f64> = block.iter().map(|&region| spread.ln_density(region as usize)).collect();
        masses.par_iter_mut().zip(tuples).with_min_len(256).for_each_init(
            || vec![0u64; words],
            |common, (mass, &tuple)| {
                common.fill(u64::MAX);
                for ((bits, place), &code) in bits.iter().zip(&place).zip(spread.codes(tuple as usize)) {
                    let from = place[code as usize] as usize * words;
                    common.iter_mut().zip(&bits[from..from + words]).for_each(|(own, other)| *own &= other);
                }
                // A set has no bits beyond the last region, and there is at least one column, or there could not be
                // several regions: so every bit that is left has a density.
                for (own, densities) in common.iter().zip(densities.chunks(64)) {
                    let mut left = *own;
                    while left != 0 {
                        *mass = ln_add(*mass, densities[left.trailing_zeros() as usize]);
                        left &= left - 1;
                    }
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Coverage;

    use super::*;
    use crate::utility::SpreadColumn;

    /// All ways to find regions find the same, with more regions than have bit sets together. Labels are ranges in one
    /// column and every other value in another.
    #[test]
    fn all_ways_agree() {
        let rows = BLOCK as u32 + 500;
        let scatter = |row: u32, salt: u32, limit: u32| {
            (row * 7919 + salt).wrapping_mul(2_654_435_761) >> 7 & (limit - 1)
        };
        let originals: Vec<Vec<u32>> =
            (0..2).map(|c| (0..rows).map(|row| scatter(row, c, 32)).collect()).collect();
        let range = |row: u32| (scatter(row, 5, 32)..32).take(1 + scatter(row, 6, 8) as usize).collect();
        let every_other = |row: u32| (scatter(row, 8, 16)..32).step_by(2).collect();
        let coverages =
            [Coverage::new((0..rows).map(range), 32), Coverage::new((0..rows).map(every_other), 32)];
        let published: Vec<u32> = (0..rows).collect();
        let column = |c: usize| SpreadColumn {
            original: &originals[c],
            published: &published,
            coverage: &coverages[c],
        };
        let spread = Spread::new(&[column(0), column(1)], None).unwrap();
        let regions: Vec<u32> = (0..rows).collect();
        let mut tuples: Vec<u32> = (0..spread.tuples() as u32).collect();
        assert!(spread.regions() > BLOCK && tuples.len() > FEW_TUPLES);
        assert!(dividing_column(&spread, &regions, &tuples).is_some());
        let mut masses = [(); 3].map(|()| vec![f64::NAN; tuples.len()]);
        stab(&spread, &regions, &mut tuples, &mut masses[0]);
        one_by_one(&spread, &regions, &tuples, &mut masses[1]);
        by_bits(&spread, &regions, &tuples, &mut masses[2]);
        assert_eq!(masses[0], masses[1]);
        assert_eq!(masses[1], masses[2]);
        assert!(masses[0].iter().any(|&mass| mass > f64::NEG_INFINITY));
    }
}
