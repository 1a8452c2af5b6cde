//! How well groups serve a workload (survey UM-16 to UM-19), from the groups alone.

use super::space::Space;
use super::workload::{Query, Region};
use crate::groups::Groups;
use crate::lattice::{Codes, Problem};

/// The class entropy that is left within groups, in bits: Σ |g|/n · H(class in g) (UM-16).
pub fn class_entropy(groups: &Groups, label: &Codes<'_>) -> f64 {
    let (starts, records) = groups.members();
    let mut counts = vec![0u32; label.values];
    let mut bits = 0.0;
    for bounds in starts.windows(2) {
        let members = &records[bounds[0] as usize..bounds[1] as usize];
        for &record in members {
            counts[label.codes[record as usize] as usize] += 1;
        }
        let rows = members.len() as f64;
        for &record in members {
            // The first record of a class takes the whole count with it.
            let count = std::mem::take(&mut counts[label.codes[record as usize] as usize]);
            if count > 0 {
                bits -= f64::from(count) * (f64::from(count) / rows).log2();
            }
        }
    }
    bits / records.len().max(1) as f64
}

/// The variance of a target that is left within groups: Σ |g|/n · Var(target in g) (UM-17). Records whose target is
/// not a number are left out of it.
pub fn variance(groups: &Groups, target: &[f64]) -> f64 {
    let mut summed: Vec<(f64, f64, f64)> = vec![(0.0, 0.0, 0.0); groups.count];
    for (&group, &number) in groups.of.iter().zip(target).filter(|(_, number)| number.is_finite()) {
        let (known, mean, squares) = &mut summed[group as usize];
        *known += 1.0;
        let off = number - *mean;
        *mean += off / *known;
        *squares += off * (number - *mean);
    }
    let known: f64 = summed.iter().map(|(known, ..)| known).sum();
    summed.iter().map(|(_, _, squares)| squares).sum::<f64>() / known.max(1.0)
}

/// How far a target spreads within groups.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RangeLoss {
    /// The largest difference within a group.
    pub largest: f64,
    /// The sum over all groups.
    pub sum: f64,
}

/// The sensitive range loss: per group the greatest minus the least number of the target (UM-19).
pub fn range_loss(groups: &Groups, target: &[f64]) -> RangeLoss {
    let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); groups.count];
    for (&group, &number) in groups.of.iter().zip(target).filter(|(_, number)| number.is_finite()) {
        let (least, most) = &mut ends[group as usize];
        *least = least.min(number);
        *most = most.max(number);
    }
    let ranges = ends.iter().map(|(least, most)| (most - least).max(0.0));
    ranges.fold(RangeLoss::default(), |so_far, range| RangeLoss {
        largest: so_far.largest.max(range),
        sum: so_far.sum + range,
    })
}

/// The imprecision of queries: over all queries, the records of all groups whose published region meets that of the
/// query, less the records that really lie in it (UM-18). A group shows the run of its numbers, or the lowest node of
/// the hierarchy above its values.
pub fn imprecision(problem: &Problem<'_>, groups: &Groups, queries: &[Query]) -> u64 {
    let space = Space::new(problem);
    let regions: Vec<Region> = queries.iter().map(|query| Region::new(query, &space)).collect();
    let (starts, records) = groups.members();
    let mut total = 0;
    let mut shown: Vec<(u32, u32)> = Vec::new();
    for bounds in starts.windows(2) {
        let members = &records[bounds[0] as usize..bounds[1] as usize];
        let place = |column: usize, record: u32| {
            let code = problem.quasi[column].codes[record as usize];
            space.dimensions[column].place_of_code[code as usize]
        };
        shown.clear();
        for (column, dimension) in space.dimensions.iter().enumerate() {
            let places = || members.iter().map(|&record| place(column, record));
            let (first, last) = (places().min().unwrap_or(0), places().max().unwrap_or(0));
            shown.push(dimension.shown(first, last));
        }
        for region in &regions {
            if shown.iter().enumerate().all(|(column, &(first, last))| region.meets(column, first, last)) {
                let lies_in = |&&record: &&u32| {
                    (0..shown.len()).all(|column| {
                        let place = place(column, record);
                        region.meets(column, place, place)
                    })
                };
                total += (members.len() - members.iter().filter(lies_in).count()) as u64;
            }
        }
    }
    total
}
