//! Which bucket a node of a value tree falls into, whether it passes, and the lowest height at which all do
//! (thesis Algorithms 2.1-2.4; spec 2.3-2.5).
//!
//! There are buckets 0 to k. A node with c tuples under it falls into bucket min(c, k), so bucket k is the
//! k-anonymous class. A node passes when it is in that class and its sensitive values pass the tests of
//! l-diversity: distinct, entropy, or recursive.

use privet_criteria::{Class, Criterion, Histogram};

use super::table::HashClass;
use crate::lattice::problem::Problem;

/// The tests that a node must pass.
pub struct Tests<'a> {
    criteria: &'a [Box<dyn Criterion>],
    k: u64,
    // Per sensitive column the counts of the class that is tested, and the codes that occur in it.
    counts: Vec<Vec<u32>>,
    present: Vec<Vec<u32>>,
}

impl<'a> Tests<'a> {
    /// The tests of a problem. Without k-anonymity k is 1, which every node reaches.
    pub fn new(problem: &Problem<'a>) -> Self {
        let counts_only = problem.criteria.iter().filter(|criterion| criterion.key() == "k-anonymity");
        Self {
            criteria: problem.criteria,
            k: counts_only.map(|criterion| criterion.least_rows()).max().unwrap_or(1).max(1),
            counts: problem.sensitive.iter().map(|column| vec![0; column.values]).collect(),
            present: vec![Vec::new(); problem.sensitive.len()],
        }
    }

    /// The bucket of a node with so many tuples under it.
    pub fn bucket(&self, children: u64) -> u64 {
        children.min(self.k)
    }

    /// Whether a node is in the k-anonymous class and its sensitive values are diverse.
    pub fn pass(&mut self, node: &HashClass) -> bool {
        for ((counts, present), list) in self.counts.iter_mut().zip(&mut self.present).zip(&node.sensitive) {
            for &(code, count) in list {
                counts[code as usize] = count;
                present.push(code);
            }
        }
        let histograms: Vec<Histogram<'_>> = self
            .counts
            .iter()
            .zip(&self.present)
            .map(|(counts, present)| Histogram { counts, present, total: node.count })
            .collect();
        let class = Class { rows: node.count, population: 0, histograms: &histograms };
        let passes = self.bucket(node.count) == self.k
            && self.criteria.iter().all(|criterion| criterion.holds(&class));
        for (counts, present) in self.counts.iter_mut().zip(&mut self.present) {
            for code in present.drain(..) {
                counts[code as usize] = 0;
            }
        }
        passes
    }
}

/// Algorithm 2.1: the lowest height that stays when those are dropped where more tuples than may be suppressed
/// lie under nodes that fail. When none may be, those are the heights with n(i) ≠ L\[i\], since every node has
/// a tuple under it.
pub fn minimal_height(failing: impl IntoIterator<Item = u64>, suppress_at_most: u64) -> Option<usize> {
    failing.into_iter().position(|tuples| tuples <= suppress_at_most)
}
