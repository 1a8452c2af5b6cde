//! Which regions overlap, and how much mass the regions put on each tuple that occurs.
//!
//! Regions are cut apart first: when, in some column, the labels of the regions at hand fall into families that share
//! no value, regions of different families cannot meet, and a tuple can lie in one family only. This is repeated until
//! it fails. What is left are *clusters*: a single region, or regions that overlap in a tangle. Full-domain recoding and
//! every partition made by cutting (Mondrian) fall apart into single regions completely, in nearly linear time, because
//! the first cut of a partition is one that no region crosses. Within a cluster, `stabbing.rs` finds a tuple's regions.

use std::ops::Range;

use super::spread::Spread;
use super::stabbing::stab;

/// Regions that may overlap each other and no others, and the tuples that may lie in them.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    regions: Range<usize>,
    tuples: Range<usize>,
}

/// The regions of a release, cut apart.
#[derive(Debug, Clone)]
pub(super) struct Arrangement {
    regions: Vec<u32>,
    tuples: Vec<u32>,
    pub clusters: Vec<Cluster>,
    /// Per distinct tuple ln of the share of records that the regions put on it; minus infinity where none does.
    pub ln_mass: Vec<f64>,
}

impl Arrangement {
    pub fn new(spread: &Spread<'_>) -> Self {
        let mut arrangement = Self {
            regions: (0..spread.regions() as u32).collect(),
            tuples: (0..spread.tuples() as u32).collect(),
            clusters: Vec::new(),
            ln_mass: vec![f64::NEG_INFINITY; spread.tuples()],
        };
        arrangement.cut(spread);
        let mut masses = vec![f64::NEG_INFINITY; spread.tuples()];
        for cluster in &mut arrangement.clusters {
            let tuples = &mut arrangement.tuples[cluster.tuples.clone()];
            let masses = &mut masses[cluster.tuples.clone()];
            stab(spread, &arrangement.regions[cluster.regions.clone()], tuples, masses);
            for (&tuple, &mass) in tuples.iter().zip(&*masses) {
                arrangement.ln_mass[tuple as usize] = mass;
            }
            // Keep only those that lie in a region.
            tuples.sort_by_key(|&tuple| arrangement.ln_mass[tuple as usize] == f64::NEG_INFINITY);
            let within =
                tuples.partition_point(|&tuple| arrangement.ln_mass[tuple as usize] > f64::NEG_INFINITY);
            cluster.tuples.end = cluster.tuples.start + within;
        }
        arrangement
    }

    /// The regions of a cluster.
    pub fn regions(&self, cluster: &Cluster) -> &[u32] {
        &self.regions[cluster.regions.clone()]
    }

    /// The tuples that occur and lie in a region of the cluster.
    pub fn tuples(&self, cluster: &Cluster) -> &[u32] {
        &self.tuples[cluster.tuples.clone()]
    }

    fn cut(&mut self, spread: &Spread<'_>) {
        if self.regions.is_empty() {
            return;
        }
        let mut families = Families::new(spread);
        let whole = Cluster { regions: 0..self.regions.len(), tuples: 0..self.tuples.len() };
        let mut open = vec![whole];
        while let Some(own) = open.pop() {
            let regions = &mut self.regions[own.regions.clone()];
            let width = spread.coverages.len();
            let Some(column) = (0..width).find(|&column| families.is_cut(column, regions)) else {
                self.clusters.push(own);
                continue;
            };
            let tuples = &mut self.tuples[own.tuples.clone()];
            regions.sort_by_key(|&region| families.of_region(column, region));
            // Tuples of no family are in no region; they come last and are dropped.
            tuples.sort_by_key(|&tuple| families.of_tuple(column, tuple).unwrap_or(u32::MAX));
            let (mut from, mut tuple_from) = (0, 0);
            while let Some(&first) = regions.get(from) {
                let family = families.of_region(column, first);
                let to = from + regions[from..].partition_point(|&r| families.of_region(column, r) <= family);
                let is_before = |t: &u32| families.of_tuple(column, *t).is_some_and(|own| own <= family);
                let tuple_to = tuple_from + tuples[tuple_from..].partition_point(is_before);
                open.push(Cluster {
                    regions: own.regions.start + from..own.regions.start + to,
                    tuples: own.tuples.start + tuple_from..own.tuples.start + tuple_to,
                });
                (from, tuple_from) = (to, tuple_to);
            }
        }
    }
}

/// Families of labels in a column: two labels with a common value are of the same family.
struct Families<'s> {
    spread: &'s Spread<'s>,
    columns: Vec<Family>,
    labels: Vec<u32>,
    round: u64,
}

/// What was last found in one column. Entries of earlier rounds are void, so nothing need be cleared.
struct Family {
    seen_label: Vec<u64>,
    seen_code: Vec<u64>,
    parent: Vec<u32>,
    round: u64,
}

impl<'s> Families<'s> {
    fn new(spread: &'s Spread<'s>) -> Self {
        let column = |coverage: &&privet_data::Coverage| Family {
            seen_label: vec![0; coverage.labels()],
            seen_code: vec![0; coverage.values() as usize],
            parent: vec![0; coverage.values() as usize],
            round: 0,
        };
        Self { spread, columns: spread.coverages.iter().map(column).collect(), labels: Vec::new(), round: 0 }
    }

    /// Whether the regions have more than one family in this column. If so, their families can be asked for.
    fn is_cut(&mut self, column: usize, regions: &[u32]) -> bool {
        self.round += 1;
        let (own, coverage) = (&mut self.columns[column], self.spread.coverages[column]);
        own.round = self.round;
        self.labels.clear();
        for &region in regions {
            let label = self.spread.labels(region as usize)[column];
            if own.seen_label[label as usize] != own.round {
                own.seen_label[label as usize] = own.round;
                if coverage.of(label).len() == coverage.values() as usize {
                    return false;
                }
                self.labels.push(label);
            }
        }
        let mut families = 0usize;
        for &label in &self.labels {
            let codes = coverage.of(label);
            let Some(first) = codes.first() else { continue };
            for code in codes.iter() {
                if own.seen_code[code as usize] != own.round {
                    own.seen_code[code as usize] = own.round;
                    own.parent[code as usize] = code;
                    families += 1;
                }
                let (a, b) = (own.root(first), own.root(code));
                if a != b {
                    own.parent[a.max(b) as usize] = a.min(b);
                    families -= 1;
                }
            }
        }
        families > 1
    }

    fn of_region(&self, column: usize, region: u32) -> u32 {
        // A region covers at least one value.
        self.columns[column].peek(self.spread.covered(region as usize, column).first().unwrap_or(0))
    }

    fn of_tuple(&self, column: usize, tuple: u32) -> Option<u32> {
        let (own, code) = (&self.columns[column], self.spread.codes(tuple as usize)[column]);
        (own.seen_code[code as usize] == own.round).then(|| own.peek(code))
    }
}

impl Family {
    /// The smallest value of a family, by which it is known.
    fn root(&mut self, mut code: u32) -> u32 {
        while self.parent[code as usize] != code {
            let above = self.parent[self.parent[code as usize] as usize];
            self.parent[code as usize] = above;
            code = above;
        }
        code
    }

    fn peek(&self, mut code: u32) -> u32 {
        while self.parent[code as usize] != code {
            code = self.parent[code as usize];
        }
        code
    }
}
