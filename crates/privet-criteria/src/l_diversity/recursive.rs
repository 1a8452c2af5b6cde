//! Recursive (c,l)-diversity (survey PM-09, papers T-PM4 and L-PM8, thesis 1.3): with counts
//! r1 >= r2 >= … >= rm, r1 < c·(rl + … + rm).
//!
//! The inequality is strict; fewer than l values fail; 1-diversity always holds. "Eliminate one value" is
//! meant for every value (papers DEF-22), which the formula expresses. Closed: c·Σ_{i>=l} r_i − r_1 is
//! concave (papers T-TH9).

use super::Counts;

/// The most frequent value is less than c times the sum of those from the l-th on.
#[derive(Clone, Copy)]
pub(crate) struct Recursive {
    pub c: f64,
    pub l: u64,
}

impl Recursive {
    pub fn holds(&self, rows: u64, counts: impl Counts) -> bool {
        if self.l == 1 {
            return true;
        }
        let top = self.top(counts);
        f64::from(top.first) < self.c * rows.saturating_sub(top.sum) as f64
    }

    /// The c at the edge: it holds for every larger one.
    pub fn reached(&self, rows: u64, counts: impl Counts) -> f64 {
        if self.l == 1 {
            return 0.0;
        }
        let top = self.top(counts);
        edge(top.first, rows.saturating_sub(top.sum))
    }

    /// Removing records never makes the tail larger, so no count may stay above what the tail allows now.
    pub fn least_suppression(&self, rows: u64, counts: impl Counts) -> u64 {
        let top = self.top(counts.clone());
        let cap = self.cap(rows.saturating_sub(top.sum));
        counts.map(|(_, count)| u64::from(count).saturating_sub(cap)).sum()
    }

    /// The largest whole number below c times the tail.
    pub fn cap(&self, tail: u64) -> u64 {
        // A negative number becomes 0.
        ((self.c * tail as f64).ceil() - 1.0) as u64
    }

    /// The l − 1 largest counts.
    pub fn top(&self, counts: impl Counts) -> Top {
        Top::of(counts.map(|(_, count)| count), self.l as usize - 1)
    }

    pub fn clause(&self, nouns: &str) -> String {
        let Self { c, l } = self;
        format!(
            "holds {nouns} of which the most frequent occurs less than c = {c} times as often as all from rank l = {l} \
             on taken together"
        )
    }
}

/// The c at the edge of r < c·tail.
pub(super) fn edge(count: u32, tail: u64) -> f64 {
    match (count, tail) {
        (0, _) => 0.0,
        (_, 0) => f64::INFINITY,
        (count, tail) => f64::from(count) / tail as f64,
    }
}

/// The largest few counts of a block.
pub(crate) struct Top {
    /// The largest.
    pub first: u32,
    /// The last of them; 0 when the block has fewer values.
    pub last: u32,
    /// Their sum.
    pub sum: u64,
}

impl Top {
    /// How many counts are kept without allocating.
    const FEW: usize = 16;

    fn of(counts: impl Iterator<Item = u32>, number: usize) -> Self {
        if number <= Self::FEW {
            Self::insert(counts, &mut [0; Self::FEW][..number])
        } else {
            let mut all: Vec<u32> = counts.collect();
            all.sort_unstable_by(|a, b| b.cmp(a));
            let first = all.first().copied().unwrap_or(0);
            let last = all.get(number - 1).copied().unwrap_or(0);
            Self { first, last, sum: all.iter().take(number).map(|&count| u64::from(count)).sum() }
        }
    }

    /// Keeps the largest counts in descending order in a buffer of zeros.
    fn insert(counts: impl Iterator<Item = u32>, largest: &mut [u32]) -> Self {
        for mut count in counts {
            if largest.last().is_none_or(|&last| count <= last) {
                continue;
            }
            for slot in largest.iter_mut() {
                if count > *slot {
                    std::mem::swap(&mut count, slot);
                }
            }
        }
        Self {
            first: largest.first().copied().unwrap_or(0),
            last: largest.last().copied().unwrap_or(0),
            sum: largest.iter().map(|&count| u64::from(count)).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sample, diversity, holds, reached};
    use proptest::prelude::*;

    fn recursive(c: f64, l: f64, counts: &[u32]) -> bool {
        holds(&*diversity("recursive", l, Some(c)), counts)
    }

    #[test]
    fn survey_pm09_goldens() {
        assert!(recursive(2.0, 2.0, &[2, 1, 1]));
        assert!(!recursive(2.0, 3.0, &[2, 1, 1]));
        assert!(recursive(2.5, 3.0, &[2, 1, 1]));
        assert!(!recursive(3.0, 2.0, &[3, 1]));
        assert!(recursive(4.0, 2.0, &[3, 1]));
        for c in [1.0, 10.0, 1e9] {
            assert!(!recursive(c, 3.0, &[3, 1]), "fewer than l values");
        }
        assert!(recursive(2.0, 3.0, &[1, 1, 1, 1]));
        assert!(recursive(1.0, 3.0, &[1, 1, 1, 1]));
        assert!(recursive(0.1, 1.0, &[9]), "1-diversity always holds");
        // FX-2.2 by row order: (c,3) holds exactly for c > 2, so the caption's (2,3) is false (ERR-3).
        assert!(!recursive(2.0, 3.0, &[1, 1, 2]) && recursive(2.000_001, 3.0, &[1, 1, 2]));
    }

    #[test]
    fn papers_fx_l3_and_def_2_def_22() {
        assert_eq!(reached(&*diversity("recursive", 3.0, Some(1.0)), &[2, 1, 1]), 2.0);
        assert_eq!(reached(&*diversity("recursive", 2.0, Some(1.0)), &[2, 1, 1]), 1.0);
        // T-PM4 with DEF-2: the sum starts at i = l, and fewer than l values fail.
        assert_eq!(reached(&*diversity("recursive", 3.0, Some(1.0)), &[5, 4]), f64::INFINITY);
        // DEF-22: counts (7,4,1,1), c = 2, l = 3 tell "every value" from "some value": 7 < 2·2 is false.
        assert!(!recursive(2.0, 3.0, &[7, 4, 1, 1]));
    }

    #[test]
    fn least_suppression_cuts_what_the_tail_does_not_allow() {
        let form = diversity("recursive", 2.0, Some(2.0));
        let least = |counts: &[u32]| Sample::of(counts).ask(|class| form.least_suppression(class));
        assert_eq!(least(&[20, 2, 1]), 15, "at most 5 < 2·3 of the first value");
        assert_eq!(least(&[20]), 20);
        assert_eq!(least(&[5, 2, 1]), 0);
    }

    /// Papers DEF-22: whichever value is eliminated, the rest is (c,l−1)-diverse.
    fn by_elimination(c: f64, l: u32, counts: &[u32]) -> bool {
        if l == 2 {
            let sum: u32 = counts.iter().sum();
            let first = counts.iter().max().copied().unwrap_or(0);
            return f64::from(first) < c * f64::from(sum - first);
        }
        !counts.is_empty()
            && (0..counts.len()).all(|gone| {
                let rest: Vec<u32> =
                    counts.iter().enumerate().filter(|&(i, _)| i != gone).map(|(_, &count)| count).collect();
                by_elimination(c, l - 1, &rest)
            })
    }

    proptest! {
        #[test]
        fn papers_def_22_the_formula_is_the_recursion(
            counts in prop::collection::vec(1u32..9, 1..6), l in 2u32..5, c in 0.3f64..4.0,
        ) {
            prop_assert_eq!(recursive(c, l.into(), &counts), by_elimination(c, l, &counts));
        }

        /// Survey TH-07, TH-08: after up to l − 2 eliminations every posterior stays below c/(c+1).
        #[test]
        fn survey_th07_posterior_bound(counts in prop::collection::vec(1u32..9, 1..7), l in 2usize..5, c in 0.3f64..4.0) {
            let mut sorted = counts.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            // The adversary's best: keep the most frequent value, eliminate the next l − 2.
            let tail: u32 = sorted.iter().skip(l - 1).sum();
            let posterior = f64::from(sorted[0]) / f64::from(sorted[0] + tail);
            let bound = c / (c + 1.0);
            if (posterior - bound).abs() > 1e-9 {
                prop_assert_eq!(recursive(c, l as f64, &counts), posterior < bound);
            }
        }

        #[test]
        fn many_ranks_are_handled_like_few(counts in prop::collection::vec(1u32..9, 18..40)) {
            let mut sorted = counts.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            for l in [2usize, 16, 17, 18] {
                let tail: u32 = sorted.iter().skip(l - 1).sum();
                let expected = f64::from(sorted[0]) / f64::from(tail);
                prop_assert_eq!(reached(&*diversity("recursive", l as f64, Some(1.0)), &counts), expected);
            }
        }
    }
}
