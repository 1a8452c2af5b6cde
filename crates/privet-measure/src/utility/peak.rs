//! The largest mass that overlapping regions put on a tuple that does not occur.
//!
//! How deep boxes can overlap is a hard question when there are many columns, so this is a branch and bound with a limit
//! on its work. The answer is a bracket: what was found, and what nothing can exceed. They are the same when the search
//! came to its end, which it does unless very many regions overlap.

use std::collections::BTreeMap;

use super::Bracket;
use super::spread::Spread;

/// Looks for the largest mass; the limit is shared by all clusters of a release.
pub(super) struct PeakSearch<'s> {
    spread: &'s Spread<'s>,
    /// How many more pairs of a region and a value may be looked at.
    work: u64,
}

struct Best {
    found: f64,
    /// Nothing that was left unsearched is above this.
    open: f64,
}

impl<'s> PeakSearch<'s> {
    pub fn new(spread: &'s Spread<'s>, work: u64) -> Self {
        Self { spread, work }
    }

    /// The largest mass on a tuple that does not occur, if it is above `floor`; `floor` otherwise.
    pub fn peak(&mut self, regions: &[u32], tuples: &[u32], floor: f64) -> Bracket {
        let mut best = Best { found: floor, open: floor };
        self.descend(0, regions, tuples, 1.0, &mut best);
        Bracket { least: best.found, most: best.open.max(best.found) }
    }

    fn mass(&self, regions: &[u32]) -> f64 {
        regions.iter().map(|&region| self.spread.ln_density(region as usize).exp()).sum()
    }

    /// `regions` are those that hold every choice of values made so far in the columns before this one, `tuples` the
    /// ones that occur among these choices, of which there are `choices`.
    fn descend(&mut self, column: usize, regions: &[u32], tuples: &[u32], choices: f64, best: &mut Best) {
        let mass = self.mass(regions);
        if mass <= best.found {
            return;
        }
        if column == self.spread.coverages.len() {
            if choices > tuples.len() as f64 {
                best.found = mass;
            }
            return;
        }
        let work: u64 = regions.iter().map(|&r| self.spread.covered(r as usize, column).len() as u64).sum();
        if work > self.work {
            best.open = best.open.max(mass);
            return;
        }
        self.work -= work;
        let mut regions_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &region in regions {
            for code in self.spread.covered(region as usize, column).iter() {
                regions_of.entry(code).or_default().push(region);
            }
        }
        // Values in the same regions need not be told apart.
        let mut alike: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (code, regions) in regions_of {
            alike.entry(regions).or_default().push(code);
        }
        let mut order: Vec<(f64, Vec<u32>, Vec<u32>)> =
            alike.into_iter().map(|(regions, codes)| (self.mass(&regions), regions, codes)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, regions, codes) in order {
            let is_in = |t: &&u32| codes.binary_search(&self.spread.codes(**t as usize)[column]).is_ok();
            let within: Vec<u32> = tuples.iter().filter(is_in).copied().collect();
            self.descend(column + 1, &regions, &within, choices * codes.len() as f64, best);
        }
    }
}
