//! Control of sizes and overlaps (Dobkin, Jones, Lipton 1979), for counts and as a second line before sums.
//!
//! # Guarantee
//! Sums over at least `least` people of which any two questions share at most `overlap` determine no value in fewer than
//! (2·least − known − 1) / overlap questions, when the analyst knows `known` values; no more are answered.

use serde::{Deserialize, Serialize};

use super::Denial;
use crate::MineError;

/// Limits of sizes and overlaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Control {
    /// The fewest people that are asked about, and that are left out of a question that is not about everybody.
    pub least: u64,
    /// The most people that two different questions share; no limit when absent.
    #[serde(default)]
    pub overlap: Option<u64>,
    /// Values that the analyst knows.
    #[serde(default)]
    pub known: u64,
}

impl Control {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    /// When `least` or `overlap` is 0.
    pub fn check(&self) -> Result<(), MineError> {
        for (name, value) in [("least", self.least), ("overlap", self.overlap.unwrap_or(1))] {
            if value == 0 {
                return Err(MineError::Parameter { name, value: 0.0, accepted: "at least 1" });
            }
        }
        Ok(())
    }

    /// The most different questions that are safe together; no limit without a limit of overlaps.
    pub fn questions(&self) -> Option<u64> {
        // Fewer than the bound: the largest whole number below it.
        let overlap = self.overlap?;
        Some((2 * self.least).saturating_sub(self.known + 1).saturating_sub(1) / overlap)
    }

    /// Why a question is denied, after these were answered.
    pub fn denial(&self, people: &[u32], of: usize, answered: &[Vec<u32>]) -> Option<Denial> {
        let count = people.len() as u64;
        if count < self.least {
            return Some(Denial::TooFew);
        }
        if count < of as u64 && (of as u64) - count < self.least {
            return Some(Denial::TooMany);
        }
        let overlap = self.overlap?;
        if answered.iter().any(|own| own == people) {
            return None;
        }
        if answered.iter().any(|own| shared(own, people) > overlap) {
            return Some(Denial::Overlap);
        }
        let is_over = self.questions().is_some_and(|most| answered.len() as u64 >= most);
        is_over.then_some(Denial::Exhausted)
    }
}

/// How many people two ascending lists share.
fn shared(a: &[u32], b: &[u32]) -> u64 {
    let (mut at, mut count) = (0, 0);
    for person in a {
        at += b[at..].partition_point(|own| own < person);
        count += u64::from(b.get(at) == Some(person));
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Decision, SumAuditor};
    use super::*;

    #[test]
    fn sizes_and_overlaps_are_limited() {
        let control = Control { least: 3, overlap: Some(1), known: 0 };
        let answered = vec![vec![0, 1, 2]];
        let denial = |people: &[u32]| control.denial(people, 10, &answered);
        assert_eq!(denial(&[0, 1]), Some(Denial::TooFew));
        assert_eq!(denial(&[0, 1, 2, 3, 4, 5, 6, 7]), Some(Denial::TooMany));
        assert_eq!(denial(&[1, 2, 3]), Some(Denial::Overlap));
        assert_eq!((denial(&[2, 3, 4]), denial(&[0, 1, 2])), (None, None));
        assert_eq!(control.questions(), Some(4));
        assert!(Control { least: 0, overlap: None, known: 0 }.check().is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// What is let through determines nobody: the sum auditor finds nothing to deny.
        #[test]
        fn what_is_let_through_determines_nobody(
            stream in prop::collection::vec(prop::collection::btree_set(0u32..8, 2..6), 1..12), least in 2u64..4,
            overlap in 1u64..3
        ) {
            let control = Control { least, overlap: Some(overlap), known: 0 };
            let mut auditor = SumAuditor::new(8, &[]);
            let mut answered = Vec::new();
            for people in stream {
                let people: Vec<u32> = people.into_iter().collect();
                if control.denial(&people, 8, &answered).is_none() {
                    prop_assert_eq!(auditor.ask(&people), Decision::Answer);
                    answered.push(people);
                }
            }
        }
    }
}
