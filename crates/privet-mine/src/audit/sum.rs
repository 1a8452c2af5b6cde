//! Auditing of sums (papers T-AL11): a question is denied when, with the questions that were answered, a unit vector lies in their row space.
//! Values are never looked at, so denials tell nothing.
//!
//! # Guarantee
//! The answered questions never span a unit vector, so for every person there are two tables that give all the same answers and differ in
//! that person's value.

use std::collections::HashSet;

use super::exact::{Effect, Rational};
use super::modular::Modular;
use super::{Decision, Denial};

/// People up to which fractions are used.
const SMALL: usize = 64;

/// An auditor of sums.
pub struct SumAuditor {
    people: usize,
    known: Vec<bool>,
    space: Space,
    answered: HashSet<Vec<u32>>,
}

enum Space {
    Rational(Rational),
    Modular(Box<Modular>),
}

impl SumAuditor {
    /// An auditor of the sums of this many people's values, of which the analysts know some: these are protected no longer, and
    /// the others are protected from whoever knows them.
    pub fn new(people: usize, known: &[u32]) -> Self {
        // The seed decides which harmless questions are denied by bad luck, once in 10^14; it protects nobody.
        let space = match people <= SMALL {
            true => Space::Rational(Rational::new(people)),
            false => Space::Modular(Box::new(Modular::new(people, 0x7072_6976_6574))),
        };
        let mut is_known = vec![false; people];
        for &person in known {
            if let Some(own) = is_known.get_mut(person as usize) {
                *own = true;
            }
        }
        Self { people, known: is_known, space, answered: HashSet::new() }
    }

    /// The number of people.
    pub fn people(&self) -> usize {
        self.people
    }

    /// Decides about a sum, and counts it as answered if it may be. People must be ascending and below [`people`](Self::people).
    pub fn ask(&mut self, people: &[u32]) -> Decision {
        let query: Vec<u32> = people.iter().copied().filter(|&person| !self.known[person as usize]).collect();
        if query.is_empty() || self.answered.contains(&query) {
            return Decision::Answer;
        }
        let effect = match &mut self.space {
            Space::Rational(own) => {
                let effect = own.effect(&query);
                if effect == Effect::Extends {
                    own.add(&query);
                }
                effect
            }
            Space::Modular(own) => {
                let found = own.effect(&query);
                if let (Effect::Extends, Some(independent)) = (found.effect, found.independent) {
                    own.add(&query, independent);
                }
                found.effect
            }
        };
        match effect {
            Effect::Follows | Effect::Extends => {
                self.answered.insert(query);
                Decision::Answer
            }
            Effect::Determines => Decision::Deny(Denial::Determines),
            Effect::Unproven => Decision::Deny(Denial::Unproven),
        }
    }
}

/// Keeping and taking up what was answered.
impl SumAuditor {
    /// What the answered sums span, as numbers; nothing where few people make it quick to find again.
    pub(super) fn frozen(&mut self) -> Option<Vec<u32>> {
        match &mut self.space {
            Space::Modular(own) if !own.is_empty() => Some(own.frozen()),
            _ => None,
        }
    }

    /// Takes up what was frozen. The answered sums themselves are to be counted one by one.
    pub(super) fn resume(&mut self, words: &[u32]) -> bool {
        let Some(own) = Modular::thawed(self.people, words) else { return false };
        let is_new = matches!(&self.space, Space::Modular(own) if own.is_empty());
        if is_new {
            self.space = Space::Modular(Box::new(own));
        }
        is_new
    }

    /// Counts a sum that was answered before what was taken up was frozen.
    pub(super) fn count_answered(&mut self, people: &[u32]) {
        self.answered.insert(people.iter().copied().filter(|&person| !self.known[person as usize]).collect());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decided(people: usize, stream: &[&[u32]]) -> Vec<bool> {
        let mut auditor = SumAuditor::new(people, &[]);
        let ask = |query: &&[u32]| {
            let query: Vec<u32> = query.iter().map(|person| person - 1).collect();
            auditor.ask(&query) == Decision::Answer
        };
        stream.iter().map(ask).collect()
    }

    /// FX-T9, on four people and as four among many.
    #[test]
    fn fx_t9() {
        for people in [4, 100] {
            assert_eq!(decided(people, &[&[1, 2], &[2, 3], &[1, 3]]), [true, true, false]);
            assert_eq!(decided(people, &[&[1, 2, 3], &[1, 2]]), [true, false]);
            assert_eq!(decided(people, &[&[1, 2, 3], &[2, 3, 4], &[1, 4]]), [true, true, false]);
            let stream: [&[u32]; 7] =
                [&[1, 2, 3, 4], &[1, 2], &[3, 4], &[2, 3], &[1, 3], &[2, 4], &[1, 2, 3]];
            assert_eq!(decided(people, &stream), [true, true, true, true, false, false, false]);
        }
    }

    /// The individual tracker of Denning, Denning and Schwartz: a formula C = A and B that finds one person is padded to allowed sets, and the
    /// answers are subtracted. The last of them is denied, so the difference is never reached.
    #[test]
    fn the_tracker_fails() {
        let men: Vec<u32> = (0..60).collect();
        let women: Vec<u32> = (60..120).collect();
        let target = 17;
        let without: Vec<u32> = men.iter().copied().filter(|&person| person != target).collect();
        let mut auditor = SumAuditor::new(120, &[]);
        assert_eq!(auditor.ask(&men), Decision::Answer);
        assert_eq!(auditor.ask(&without), Decision::Deny(Denial::Determines));
        // The general tracker: all people from a set and its complement, then the target with either.
        let all: Vec<u32> = (0..120).collect();
        assert_eq!(auditor.ask(&women), Decision::Answer);
        assert_eq!(auditor.ask(&all), Decision::Answer);
        let mut padded = women.clone();
        padded.insert(0, target);
        assert_eq!(auditor.ask(&padded), Decision::Deny(Denial::Determines));
        assert_eq!(auditor.ask(&[target]), Decision::Deny(Denial::Determines));
    }

    /// Whoever knows person 0 learns person 1 from their sum.
    #[test]
    fn people_who_are_known_protect_nobody() {
        let mut auditor = SumAuditor::new(3, &[0]);
        assert_eq!(auditor.ask(&[0, 1]), Decision::Deny(Denial::Determines));
        assert_eq!(auditor.ask(&[0]), Decision::Answer);
        assert_eq!(auditor.ask(&[0, 1, 2]), Decision::Answer);
    }

    fn streams() -> impl Strategy<Value = Vec<Vec<u32>>> {
        let query = prop::collection::btree_set(0u32..9, 1..7);
        prop::collection::vec(query.prop_map(|own| own.into_iter().collect()), 1..16)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// The answered questions never span a unit vector over the rationals, and modular decisions are those over the rationals.
        #[test]
        fn no_unit_vector_is_ever_derivable(stream in streams()) {
            let mut exact = SumAuditor::new(9, &[]);
            let mut modular = SumAuditor::new(SMALL + 40, &[]);
            let mut answered: Vec<Vec<u32>> = Vec::new();
            for query in &stream {
                let decision = exact.ask(query);
                prop_assert_eq!(decision, modular.ask(query));
                if decision == Decision::Answer {
                    answered.push(query.clone());
                } else {
                    // What was denied does determine somebody.
                    let mut all = answered.clone();
                    all.push(query.clone());
                    prop_assert!((0..9).any(|person| spans(&all, person)));
                }
                prop_assert!(!(0..9).any(|person| spans(&answered, person)));
            }
        }
    }

    /// Whether a unit vector is a combination of 0/1 rows: a plain elimination over i128 fractions without shared code.
    fn spans(rows: &[Vec<u32>], person: u32) -> bool {
        let rank = |mut rows: Vec<Vec<i128>>| {
            let mut rank = 0;
            for column in 0..9 {
                let Some(at) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
                rows.swap(rank, at);
                for row in rank + 1..rows.len() {
                    let (a, b) = (rows[rank][column], rows[row][column]);
                    let mixed: Vec<i128> =
                        rows[row].iter().zip(&rows[rank]).map(|(own, lead)| own * a - lead * b).collect();
                    let shared = mixed.iter().fold(0i128, |own, &value| gcd(own, value.abs())).max(1);
                    rows[row] = mixed.into_iter().map(|value| value / shared).collect();
                }
                rank += 1;
            }
            rank
        };
        let dense = |row: &Vec<u32>| (0..9u32).map(|own| i128::from(row.contains(&own))).collect::<Vec<_>>();
        let plain: Vec<Vec<i128>> = rows.iter().map(dense).collect();
        let mut more = plain.clone();
        more.push(dense(&vec![person]));
        rank(plain) == rank(more)
    }

    fn gcd(a: i128, b: i128) -> i128 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
}
