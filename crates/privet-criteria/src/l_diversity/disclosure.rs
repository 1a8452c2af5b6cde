//! Diversity that protects some values and not others (survey PM-10, papers L-PM9 and L-PM10).
//!
//! Positive disclosure: values of a set Y may be disclosed; every other value s that occurs must satisfy
//! r_s < c·(the sum of the other counts without the l − 2 largest of them), which is Def 4.3 without its
//! case distinction. A block of Y-values only is satisfied (papers DEF-23). Negative disclosure adds that
//! every value of a set W makes up at least c2 percent of a block. Both are closed (papers Theorem 5.3).

use super::Counts;
use super::recursive::{Recursive, edge};
use crate::keep::{TOLERANCE, whole_records};

/// pd-recursive (c,l)-diversity.
pub(crate) struct PositiveDisclosure {
    recursive: Recursive,
    /// Y: per code whether its disclosure is allowed.
    allowed: Vec<bool>,
}

/// What the other values are to one value.
struct Tails {
    /// For a value among the l − 1 most frequent: all counts without these.
    frequent: u64,
    /// For a rarer value, its own count not yet taken off: all counts without the l − 2 largest.
    rare: u64,
    /// The least count of a frequent value.
    limit: u32,
}

impl Tails {
    fn of(&self, count: u32) -> u64 {
        if count >= self.limit { self.frequent } else { self.rare.saturating_sub(count.into()) }
    }
}

impl PositiveDisclosure {
    pub fn new(recursive: Recursive, allowed: Vec<bool>) -> Self {
        Self { recursive, allowed }
    }

    pub fn holds(&self, rows: u64, counts: impl Counts) -> bool {
        if self.recursive.l == 1 {
            return true;
        }
        let first = self.most_frequent(counts.clone());
        first == 0 || f64::from(first) < self.recursive.c * self.tails(rows, counts).of(first) as f64
    }

    /// The c at the edge. The most frequent value that is not allowed decides: rarer ones have longer tails.
    pub fn reached(&self, rows: u64, counts: impl Counts) -> f64 {
        if self.recursive.l == 1 {
            return 0.0;
        }
        let first = self.most_frequent(counts.clone());
        edge(first, self.tails(rows, counts).of(first))
    }

    /// Removing records never lengthens a tail, so each value must fall to what its tail allows now.
    pub fn least_suppression(&self, rows: u64, counts: impl Counts) -> u64 {
        if self.recursive.l == 1 {
            return 0;
        }
        let tails = self.tails(rows, counts.clone());
        self.protected(counts)
            .map(|count| u64::from(count).saturating_sub(self.recursive.cap(tails.of(count))))
            .sum()
    }

    fn protected(&self, counts: impl Counts) -> impl Iterator<Item = u32> {
        counts.filter(|&(code, _)| !self.allowed[code as usize]).map(|(_, count)| count)
    }

    fn most_frequent(&self, counts: impl Counts) -> u32 {
        self.protected(counts).max().unwrap_or(0)
    }

    fn tails(&self, rows: u64, counts: impl Counts) -> Tails {
        let top = self.recursive.top(counts);
        let rare = rows.saturating_sub(top.sum - u64::from(top.last));
        Tails { frequent: rows.saturating_sub(top.sum), rare, limit: top.last }
    }

    pub fn clause(&self, nouns: &str) -> String {
        let Recursive { c, l } = self.recursive;
        let allowed = self.allowed.iter().filter(|&&allowed| allowed).count();
        format!(
            "holds {nouns} of which each, but for {allowed} that may be disclosed, occurs less than c = {c} times as \
             often as the others do when the l - 2 = {} most frequent others are ruled out",
            l.saturating_sub(2)
        )
    }
}

/// npd-recursive (c1,c2,l)-diversity.
pub(crate) struct NegativePositiveDisclosure {
    positive: PositiveDisclosure,
    /// The least share of each protected value, c2 / 100.
    share: f64,
    /// W: per code whether its absence must not be disclosed.
    protected: Vec<bool>,
    /// How many values W has.
    number: u64,
}

impl NegativePositiveDisclosure {
    pub fn new(positive: PositiveDisclosure, c2: f64, protected: &[bool]) -> Result<Self, String> {
        if !(0.0..100.0).contains(&c2) {
            return Err(format!("c2 = {c2} must be a percentage from 0 to below 100"));
        }
        let number = protected.iter().filter(|&&protected| protected).count() as u64;
        if c2 * number as f64 > 100.0 + TOLERANCE {
            return Err(format!(
                "c2 = {c2} percent of each of {number} protected values is more than a class can hold; c2 may be at \
                 most {}",
                100.0 / number as f64
            ));
        }
        Ok(Self { positive, share: c2 / 100.0, protected: protected.to_vec(), number })
    }

    pub fn holds(&self, rows: u64, counts: impl Counts) -> bool {
        self.represented(rows, counts.clone()) && self.positive.holds(rows, counts)
    }

    /// The c at the edge; no c suffices when a protected value is too rare.
    pub fn reached(&self, rows: u64, counts: impl Counts) -> f64 {
        if self.represented(rows, counts.clone()) {
            self.positive.reached(rows, counts)
        } else {
            f64::INFINITY
        }
    }

    pub fn least_suppression(&self, rows: u64, counts: impl Counts) -> u64 {
        let rare = if self.represented(rows, counts.clone()) {
            0
        } else {
            // Each protected value can make up its share of no more than this many records.
            let kept =
                f64::from(self.rarest(counts.clone())) / (self.share - TOLERANCE).max(f64::MIN_POSITIVE);
            rows.saturating_sub(whole_records(kept))
        };
        rare.max(self.positive.least_suppression(rows, counts))
    }

    /// Whether every protected value has its share.
    fn represented(&self, rows: u64, counts: impl Counts) -> bool {
        self.share == 0.0 || f64::from(self.rarest(counts)) >= (self.share - TOLERANCE) * rows as f64
    }

    /// The least count of a protected value, 0 when one is absent.
    fn rarest(&self, counts: impl Counts) -> u32 {
        let present = counts.filter(|&(code, _)| self.protected[code as usize]);
        let (number, least) =
            present.fold((0, u32::MAX), |(number, least), (_, count)| (number + 1, least.min(count)));
        if number == self.number { least } else { 0 }
    }

    pub fn clause(&self, nouns: &str) -> String {
        format!(
            "{}, and each of {} protected ones makes up at least {} percent of the group",
            self.positive.clause(nouns),
            self.number,
            100.0 * self.share
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::Criterion;
    use crate::testing::{Sample, build_one, column, holds};
    use proptest::prelude::*;
    use serde_json::json;

    /// pd- or npd-recursive diversity over values named v0, v1, ….
    fn disclosure(
        values: usize,
        c: f64,
        l: u32,
        allowed: &[usize],
        c2: Option<(f64, usize)>,
    ) -> Box<dyn Criterion> {
        let names: Vec<String> = (0..values).map(|i| format!("v{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut requirement = json!({
            "criterion": "l-diversity", "kind": "positive-disclosure", "l": l, "c": c,
            "allowed": allowed.iter().map(|&i| names[i]).collect::<Vec<_>>(),
        });
        if let Some((c2, protected)) = c2 {
            requirement["kind"] = json!("negative-positive-disclosure");
            requirement["c2"] = json!(c2);
            requirement["protected"] = json!([names[protected]]);
        }
        build_one(requirement, &column(&names, &vec![1000; values])).unwrap()
    }

    #[test]
    fn papers_fx_l6_and_survey_pm10() {
        // Y = {Healthy}, (3,2): 49 healthy and 1 AIDS pass, 1 healthy and 49 AIDS fail; plain fails both.
        assert!(holds(&*disclosure(2, 3.0, 2, &[0], None), &[49, 1]));
        assert!(!holds(&*disclosure(2, 3.0, 2, &[0], None), &[1, 49]));
        assert!(!holds(&*disclosure(2, 3.0, 2, &[], None), &[49, 1]));
        // Heart disease 10, flu 6, cancer 3, HIV 1, (2,3).
        let counts = [10, 6, 3, 1];
        assert!(!holds(&*disclosure(4, 2.0, 3, &[], None), &counts));
        assert!(holds(&*disclosure(4, 2.0, 3, &[0], None), &counts), "6 < 2·4");
        assert!(holds(&*disclosure(4, 2.0, 3, &[0, 1], None), &counts));
        // W = {HIV}: 1 of 20 records is 5 percent.
        assert!(holds(&*disclosure(4, 2.0, 3, &[0], Some((5.0, 3))), &counts));
        assert!(!holds(&*disclosure(4, 2.0, 3, &[0], Some((6.0, 3))), &counts));
    }

    #[test]
    fn one_diversity_leaves_only_the_percentage_to_suppress_for() {
        let criterion = disclosure(2, 0.1, 1, &[], Some((10.0, 0)));
        assert_eq!(
            Sample::of(&[1, 20]).ask(|class| criterion.least_suppression(class)),
            11,
            "1 of 10 is left"
        );
        assert_eq!(Sample::of(&[0, 20]).ask(|class| criterion.least_suppression(class)), 20);
    }

    #[test]
    fn papers_def_23_a_block_of_allowed_values_is_satisfied() {
        assert!(holds(&*disclosure(2, 1.0, 2, &[0], None), &[7, 0]));
    }

    /// Def 4.3 as printed, with its case distinction.
    fn as_printed(counts: &[u32], allowed: &[bool], c: f64, l: usize) -> bool {
        let mut ranked: Vec<(u32, bool)> = counts.iter().copied().zip(allowed.iter().copied()).collect();
        ranked.retain(|&(count, _)| count > 0);
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        let Some(y) = ranked.iter().position(|&(_, allowed)| !allowed).map(|position| position + 1) else {
            return true;
        };
        let r = |j: usize| ranked[j - 1].0;
        let m = ranked.len();
        let tail: u32 = if y < l {
            (l..=m).map(r).sum()
        } else {
            (l - 1..y).map(r).sum::<u32>() + (y + 1..=m).map(r).sum::<u32>()
        };
        f64::from(r(y)) < c * f64::from(tail)
    }

    proptest! {
        #[test]
        fn papers_iii_2_the_uniform_form_is_the_printed_one(
            counts in prop::collection::vec(0u32..9, 5),
            allowed in prop::collection::vec(any::<bool>(), 5),
            l in 2u32..5, c in 0.2f64..4.0,
        ) {
            let listed: Vec<usize> = (0..5).filter(|&i| allowed[i]).collect();
            let criterion = disclosure(5, c, l, &listed, None);
            prop_assert_eq!(holds(&*criterion, &counts), as_printed(&counts, &allowed, c, l as usize));
        }

        #[test]
        fn papers_l_pm9_without_allowed_values_it_is_recursive(
            counts in prop::collection::vec(0u32..9, 5), l in 1u32..5, c in 0.2f64..4.0,
        ) {
            prop_assume!(counts.iter().any(|&count| count > 0));
            let plain = crate::testing::diversity("recursive", l.into(), Some(c));
            prop_assert_eq!(holds(&*disclosure(5, c, l, &[], None), &counts), holds(&*plain, &counts));
        }
    }
}
