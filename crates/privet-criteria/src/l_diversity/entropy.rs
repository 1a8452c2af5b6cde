//! Entropy l-diversity (survey PM-08, papers T-PM3 and L-PM7, thesis 1.3): −Σ p log p >= log l.
//!
//! For a whole l the verdict is exact: floating point decides when its error cannot matter, and whole
//! numbers decide near ties (counts (2,2) are 2-diverse). Near ties of more than 4096 records without a
//! common divisor are judged as failing, the safe side. A fractional l is compared with a tolerance of
//! 1e-12. Closed, because entropy is concave (papers Theorem 5.2).

use std::sync::LazyLock;

use super::{Counts, exact};
use crate::keep::{TOLERANCE, whole_records};

/// x ln x for the small counts that classes are made of.
static X_LN_X: LazyLock<Vec<f64>> = LazyLock::new(|| (0..4096).map(|x| x_ln_x(f64::from(x))).collect());

fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// Entropy at least log l.
pub(crate) struct Entropy {
    l: f64,
    ln_l: f64,
    /// l when it is a whole number.
    whole: Option<u64>,
    table: &'static [f64],
}

impl Entropy {
    pub fn new(l: f64) -> Self {
        let whole = (l.fract() == 0.0).then_some(l as u64);
        Self { l, ln_l: l.ln(), whole, table: &X_LN_X }
    }

    pub fn l(&self) -> f64 {
        self.l
    }

    pub fn holds(&self, rows: u64, counts: impl Counts) -> bool {
        if self.l <= 1.0 {
            return true;
        }
        let (values, sum) = self.sum(counts.clone());
        self.decide(rows, values, sum, || {
            exact::entropy_at_least(counts.map(|(_, r)| r.into()), self.l as u64)
        })
    }

    /// The number of values that would have this entropy if they were equally frequent.
    pub fn reached(&self, rows: u64, counts: impl Counts) -> f64 {
        if rows == 0 {
            return 1.0;
        }
        let (values, sum) = self.sum(counts);
        let rows = rows as f64;
        // One value has entropy 0 and m values at most log m, whatever the rounding.
        (rows.ln() - sum / rows).exp().clamp(1.0, (values as f64).max(1.0))
    }

    /// Among the parts of a given size, the one with all counts cut to a common cap has the largest
    /// entropy, as every other part's distribution majorizes its own; and the lower the cap, the larger
    /// the entropy. So the part kept is no larger than at the highest cap, real numbers allowed, that
    /// reaches log l.
    pub fn least_suppression(&self, rows: u64, counts: impl Counts) -> u64 {
        let values = counts.clone().count();
        if (values as f64) < self.l {
            return rows;
        }
        let mut small = [0u32; 64];
        let mut large;
        let sorted = if values <= small.len() {
            &mut small[..values]
        } else {
            large = vec![0u32; values];
            &mut large[..]
        };
        for (slot, (_, count)) in sorted.iter_mut().zip(counts) {
            *slot = count;
        }
        sorted.sort_unstable();
        rows.saturating_sub(whole_records(self.largest_even_part(sorted)))
    }

    /// The size of the largest part, cut at one cap, whose entropy reaches log l; counts ascend.
    fn largest_even_part(&self, sorted: &[u32]) -> f64 {
        let slack = 1e-10 * (1.0 + self.ln_l);
        let reaches = |capped: usize, cap: f64, kept: f64, sum: f64| {
            let size = kept + capped as f64 * cap;
            size.ln() - (sum + capped as f64 * x_ln_x(cap)) / size >= self.ln_l - slack
        };
        // The counts below the cap are kept whole: their number of records, and their sum of x ln x.
        let (mut kept, mut sum) = (0.0, 0.0);
        let mut cap = 0.0;
        for (position, &count) in sorted.iter().enumerate() {
            let capped = sorted.len() - position;
            let count = f64::from(count);
            if !reaches(capped, count, kept, sum) {
                // The cap lies between the last count, at which it still reached, and this one.
                let (mut low, mut high) = (cap, count);
                for _ in 0..40 {
                    let middle = 0.5 * (low + high);
                    if reaches(capped, middle, kept, sum) {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                return kept + capped as f64 * high;
            }
            cap = count;
            kept += count;
            sum += self.x_ln_x(count as u32);
        }
        kept
    }

    /// The number of values and the sum of x ln x over their counts.
    fn sum(&self, counts: impl Counts) -> (usize, f64) {
        counts.fold((0, 0.0), |(values, sum), (_, count)| (values + 1, sum + self.x_ln_x(count)))
    }

    fn x_ln_x(&self, count: u32) -> f64 {
        self.table.get(count as usize).copied().unwrap_or_else(|| x_ln_x(count.into()))
    }

    /// n ln n − Σ r ln r >= n ln l, asking `exactly` for near ties of a whole l.
    fn decide(&self, rows: u64, values: usize, sum: f64, exactly: impl FnOnce() -> Option<bool>) -> bool {
        let n = rows as f64;
        let all = x_ln_x(n);
        let excess = all - sum - n * self.ln_l;
        if self.whole.is_none() {
            return excess >= -TOLERANCE * n * self.ln_l.max(1.0);
        }
        // Each term and each addition errs by at most a unit in the last place of the largest number.
        let error = f64::EPSILON * (values as f64 + 16.0) * (all + n * self.ln_l + 1.0);
        if excess.abs() > error { excess > 0.0 } else { exactly().unwrap_or(false) }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sample, diversity, holds, reached};
    use proptest::prelude::*;

    fn bits(counts: &[u32]) -> f64 {
        reached(&*diversity("entropy", 1.0, None), counts).log2()
    }

    #[test]
    fn survey_pm08_goldens() {
        let classes_1_2: [(&[u32], f64); 3] = [(&[2, 2], 1.0), (&[1, 2, 1], 1.5), (&[4], 0.0)];
        let classes_1_3: [(&[u32], f64); 3] = [(&[1, 1, 1, 1], 2.0), (&[1, 1, 2], 1.5), (&[3, 1], 0.8113)];
        for (counts, expected) in classes_1_2.into_iter().chain(classes_1_3) {
            assert!((bits(counts) - expected).abs() < 5e-5, "FX-1.2, FX-1.3");
        }
        let worst = reached(&*diversity("entropy", 1.0, None), &[3, 1]);
        assert!((worst - 1.7548).abs() < 5e-5, "FX-1.3 reaches l = 2^0.8113");
        // FX-4.4 satisfies l = 2: classes {HIV,Flu,Cancer}, {Flu,Hepatitis}, {Cancer,HIV}, three and two Asians.
        for (counts, expected) in
            [(&[1, 1, 1][..], 1.585), (&[1, 1], 1.0), (&[1, 1], 1.0), (&[1, 1, 1], 1.585), (&[1, 1], 1.0)]
        {
            assert!(holds(&*diversity("entropy", 2.0, None), counts));
            assert!((bits(counts) - expected).abs() < 5e-5);
        }
        // FX-2.2 by row order: least entropy 1.5 bits, which is l = 2^1.5 and not l = 1.5 (ERR-3).
        assert!(holds(&*diversity("entropy", 1.5f64.exp2(), None), &[2, 1, 1]));
        assert!(!holds(&*diversity("entropy", 2.83, None), &[2, 1, 1]));
    }

    #[test]
    fn papers_goldens() {
        assert!((bits(&[2, 1]) - 0.9183).abs() < 5e-5, "FX-T3 class 2");
        assert!(bits(&[3]).abs() < 1e-12, "FX-T3 class 1");
        assert!((bits(&[3, 2, 1]) - 1.4591).abs() < 5e-5, "FX-T4");
        assert!((bits(&[5, 4, 3]) - 1.554_585).abs() < 5e-7, "FX-L1 whole table");
        assert!((reached(&*diversity("entropy", 1.0, None), &[5, 4, 3]) - 2.9375).abs() < 5e-5);
        for (counts, l) in [(&[2, 2][..], 2.0), (&[1, 1, 2], 2.8284), (&[4], 1.0)] {
            assert!((reached(&*diversity("entropy", 1.0, None), counts) - l).abs() < 5e-5, "FX-L2");
        }
        assert!((reached(&*diversity("entropy", 1.0, None), &[2, 1, 1]) - 2.8284).abs() < 5e-5, "FX-L3");
        // F-AL3: a confidence limit of 85 % on two classes is l = 1.526.
        assert!((reached(&*diversity("entropy", 1.0, None), &[85, 15]) - 1.526).abs() < 5e-4);
    }

    #[test]
    fn ties_hold_exactly() {
        for l in 2u32..60 {
            for count in [1u32, 3, 7, 1000, 1_000_003] {
                let even = vec![count; l as usize];
                assert!(holds(&*diversity("entropy", l.into(), None), &even), "{l} values of {count}");
                let mut uneven = even;
                uneven[0] += 1;
                assert!(
                    !holds(&*diversity("entropy", l.into(), None), &uneven) || count > 4096,
                    "{l} {count}"
                );
            }
        }
        assert!(
            holds(&*diversity("entropy", 4.0, None), &[4, 1, 1, 1, 1]),
            "half and four eighths are 2 bits"
        );
    }

    #[test]
    fn least_suppression_cuts_the_largest_counts() {
        let two = diversity("entropy", 2.0, None);
        let least = |counts: &[u32]| Sample::of(counts).ask(|class| two.least_suppression(class));
        assert_eq!(least(&[100, 1]), 99, "only (1, 1) is left");
        assert_eq!(least(&[7]), 7);
        assert_eq!(least(&[3, 3]), 0);
    }

    proptest! {
        #[test]
        fn floating_point_never_overrules_whole_numbers(
            counts in prop::collection::vec(1u32..20, 2..6), l in 2u32..6,
        ) {
            let truth = super::exact::entropy_at_least(counts.iter().map(|&c| c.into()), l.into());
            prop_assert_eq!(Some(holds(&*diversity("entropy", l.into(), None), &counts)), truth);
        }
    }
}
