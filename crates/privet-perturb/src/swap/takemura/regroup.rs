//! Better pairs of many records: pairs are grouped anew along other borders, and the records of each group are paired again.
//!
//! # Guarantee
//! No pass makes the total distance larger, since a group keeps its pairs unless others are nearer. The result is the same for any
//! number of threads, and draws nothing at random. Passes end when one gains less than a thousandth of the distance.

use rayon::prelude::*;

use super::{GROUP, Space, Values, spread};

/// Where the first cuts of a pass are, as shares of the pairs: other borders in each pass.
const CUTS: [f64; 10] = [0.31, 0.62, 0.43, 0.71, 0.27, 0.55, 0.37, 0.66, 0.48, 0.24];
/// The part of the distance that a pass must gain for another one to follow.
const LEAST_GAIN: f64 = 1e-3;
/// How many passes there are at least: one direction may gain nothing where the next does.
const LEAST_PASSES: usize = 4;

type Pair = (u32, u32);

/// Pairs of the same records whose total distance is not larger.
pub(super) fn regrouped(space: &Space<'_>, mut pairs: Vec<Pair>) -> Vec<Pair> {
    let total = |pairs: &[Pair]| pairs.iter().map(|&(a, b)| space.distance(a, b)).sum::<f64>();
    let mut before = total(&pairs);
    for pass in 0..CUTS.len() {
        let mut groups = Vec::new();
        cut(space, &mut pairs, (pass, 0), &mut groups);
        let better: Vec<Vec<Pair>> = groups.into_par_iter().map(|group| paired_again(space, group)).collect();
        pairs = better.into_iter().flatten().collect();
        let after = total(&pairs);
        if pass + 1 >= LEAST_PASSES && before - after < LEAST_GAIN * before {
            break;
        }
        before = after;
    }
    pairs
}

/// The pairs of least distance of these records; those there are unless others are nearer.
fn paired_again(space: &Space<'_>, group: Vec<Pair>) -> Vec<Pair> {
    let distance = |pairs: &[Pair]| pairs.iter().map(|&(a, b)| space.distance(a, b)).sum::<f64>();
    let records: Vec<u32> = group.iter().flat_map(|&(a, b)| [a, b]).collect();
    let (better, _) = space.matched(&records);
    if distance(&better) < distance(&group) { better } else { group }
}

/// Cuts pairs into groups of neighbours by the one or the other record of each.
fn cut(space: &Space<'_>, pairs: &mut [Pair], (pass, depth): (usize, usize), groups: &mut Vec<Vec<Pair>>) {
    if pairs.len() <= GROUP / 2 {
        groups.push(pairs.to_vec());
        return;
    }
    let of = |pair: &Pair| (if pass.is_multiple_of(2) { pair.0 } else { pair.1 }) as usize;
    let varies = |(values, factor): &(Values<'_>, f64)| match values {
        Values::Numbers(values) => factor * spread(pairs.iter().map(|own| values[of(own)])), // why: records of the table
        Values::Codes(codes) => {
            let first = pairs.first().map(|own| codes[of(own)]); // why: as above
            factor * f64::from(pairs.iter().any(|own| Some(codes[of(own)]) != first)) // why: as above
        }
    };
    // Not always along the widest column: groups that cross earlier ones in another direction gain most.
    let mut wide: Vec<(f64, Values<'_>)> = space.columns.iter().map(|own| (varies(own), own.0)).collect();
    wide.retain(|own| own.0 > 0.0);
    wide.sort_by(|a, b| b.0.total_cmp(&a.0));
    let along = wide.get((pass + depth) % wide.len().max(1)).map(|own| own.1);
    match along {
        Some(Values::Numbers(values)) => pairs.sort_by(|a, b| values[of(a)].total_cmp(&values[of(b)])), // why: as above
        Some(Values::Codes(codes)) => pairs.sort_by_key(|own| codes[of(own)]), // why: as above
        None => {}
    }
    let share = CUTS.get((pass + depth) % CUTS.len()).copied().unwrap_or(0.5);
    let middle = ((pairs.len() as f64 * share) as usize).clamp(1, pairs.len() - 1); // why: more than half a group
    let (low, high) = pairs.split_at_mut(middle);
    cut(space, low, (pass, depth + 1), groups);
    cut(space, high, (pass, depth + 1), groups);
}

#[cfg(test)]
mod tests {
    use super::super::{Compared, Matching, nearest_pairs};
    use super::*;

    /// 600 records in two columns of numbers and one of codes.
    fn table() -> (Vec<f64>, Vec<f64>, Vec<u32>) {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 31)
        };
        let a: Vec<f64> = (0..600).map(|_| next()).collect();
        let b: Vec<f64> = (0..600).map(|_| next()).collect();
        let c: Vec<u32> = (0..600).map(|_| (next() * 5.0) as u32).collect();
        (a, b, c)
    }

    /// Against the exact pairing of all 600 records: without grouping anew the distance is more than a twentieth larger.
    #[test]
    fn many_records_are_paired_nearly_as_well_as_can_be() {
        let (a, b, c) = table();
        let column = |values| Compared { values, weight: 1.0 };
        let compared = [column(Values::Numbers(&a)), column(Values::Numbers(&b)), column(Values::Codes(&c))];
        let space = Space::new(&compared).unwrap();
        let all: Vec<u32> = (0..600).collect();
        let total = |pairs: &[Pair]| pairs.iter().map(|&(a, b)| space.distance(a, b)).sum::<f64>();
        let exact = total(&space.matched(&all).0);
        let mut groups = Vec::new();
        space.halve(&mut all.clone(), &mut groups);
        let first: Vec<Pair> = groups.iter().flat_map(|group| space.matched(group).0).collect();
        let found = nearest_pairs(&compared).unwrap();
        assert!(matches!(found.matching, Matching::WithinGroups { .. }));
        assert!(total(&first) > 1.05 * exact, "{} {exact}", total(&first));
        assert!(
            found.distance <= 1.04 * exact && found.distance >= exact - 1e-9,
            "{} {exact}",
            found.distance
        );
        let mut seen: Vec<u32> = found.pairs().iter().flat_map(|own| [own.0, own.1]).collect();
        seen.sort_unstable();
        assert_eq!(seen, all);
    }

    /// A group of pairs that cannot be bettered is left as it is.
    #[test]
    fn the_best_pairs_stay() {
        let at: Vec<f64> = (0..200).map(f64::from).collect();
        let compared = [Compared { values: Values::Numbers(&at), weight: 1.0 }];
        let space = Space::new(&compared).unwrap();
        let best: Vec<Pair> = (0..100).map(|own| (2 * own, 2 * own + 1)).collect();
        let mut again = regrouped(&space, best.clone());
        again.sort_unstable();
        assert_eq!(again, best);
    }
}
