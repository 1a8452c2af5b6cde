//! The worst knowledge by going through all worlds and all knowledge: the definitions of (c,k)-safety (survey PM-12) and
//! of the 3D criterion (PM-13) as they stand, for tables with at most 1536 worlds.
//!
//! It shares nothing with the fast forms, and exists to hold them to account. A set of worlds is one bit for each, so
//! that knowledge is a set too, and "and" is a few instructions.

use std::collections::BTreeSet;

use super::{Buckets, Worlds, WorldsError};

/// How the atoms on the right of an implication are joined (survey ERR-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consequent {
    /// One of them holds, as Martin et al. have it.
    Or,
    /// All of them hold, as the survey prints it.
    And,
}

/// The largest number of worlds.
const MOST_WORLDS: usize = 64 * WORDS;
const WORDS: usize = 24;

/// A set of worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Mask([u64; WORDS]);

const NONE: Mask = Mask([0; WORDS]);

impl Mask {
    fn with(mut self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own = join(*own, other));
        self
    }

    fn and(self, other: Self) -> Self {
        self.with(other, |a, b| a & b)
    }

    fn or(self, other: Self) -> Self {
        self.with(other, |a, b| a | b)
    }

    fn without(self, other: Self) -> Self {
        self.with(other, |a, b| a & !b)
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

/// Per person and value the worlds in which the person has it.
struct Masks {
    all: Mask,
    has: Vec<Vec<Mask>>,
    /// The first person of each bucket that has one: those of a bucket are alike.
    targets: Vec<usize>,
}

impl Masks {
    fn new(buckets: &Buckets) -> Result<Self, WorldsError> {
        let mut worlds = Worlds::new(buckets.list(), MOST_WORLDS as u64)?;
        let people: usize = buckets.list().iter().map(|bucket| bucket.people.len()).sum();
        let mut has = vec![vec![NONE; buckets.domain() as usize]; people];
        let mut all = NONE;
        let mut number = 0;
        while let Some(world) = worlds.advance() {
            let (word, bit) = (number / 64, 1u64 << (number % 64));
            all.0[word] |= bit;
            for (own, &value) in has.iter_mut().zip(world) {
                own[value as usize].0[word] |= bit;
            }
            number += 1;
        }
        let begins = buckets.list().iter().scan(0, |next, bucket| {
            let begin = *next;
            *next += bucket.people.len();
            Some((!bucket.people.is_empty()).then_some(begin))
        });
        Ok(Self { all, has, targets: begins.flatten().collect() })
    }

    /// Raises, per bucket, the largest chance of any value of its people to what it is when the world is one of these.
    fn raise(&self, most: &mut [f64], known: Mask) {
        if known == NONE {
            return;
        }
        let all = f64::from(known.count());
        for (most, &target) in most.iter_mut().zip(&self.targets) {
            let with = self.has[target].iter().map(|has| has.and(known).count()).max().unwrap_or(0);
            *most = most.max(f64::from(with) / all);
        }
    }
}

/// Per bucket with people the largest chance of any value of theirs, over all knowledge of at most `k` implications, about anybody,
/// with at most `atoms` atoms on either side. At most `limit` conjunctions are looked at.
///
/// # Errors
/// When there are more than 1536 worlds, or more to look at than `limit`.
pub fn ck_breach_by_worlds(
    buckets: &Buckets,
    k: u32,
    consequent: Consequent,
    atoms: usize,
    limit: u64,
) -> Result<Vec<f64>, WorldsError> {
    let masks = &Masks::new(buckets)?;
    let single: Vec<Mask> = masks.has.iter().flatten().copied().collect();
    let atoms = if k == 0 { 0 } else { atoms.min(single.len()) };
    // So many sets of atoms, and so many pairs of them, before anything is looked at.
    let (mut sets, mut of_size) = (0f64, 1f64);
    for size in 1..=atoms {
        of_size *= (single.len() + 1 - size) as f64 / size as f64;
        sets += of_size;
    }
    if sets * sets > limit as f64 {
        return Err(WorldsError::TooMany { limit });
    }
    let (mut all_of, mut one_of) = (BTreeSet::new(), BTreeSet::new());
    for size in 1..=atoms {
        subsets(single.len(), size, &mut |chosen| {
            let of = || chosen.iter().map(|&atom| single[atom]);
            all_of.insert(of().fold(masks.all, Mask::and));
            one_of.insert(of().fold(NONE, Mask::or));
        });
    }
    let then = match consequent {
        Consequent::Or => &one_of,
        Consequent::And => &all_of,
    };
    let implications: BTreeSet<Mask> = all_of
        .iter()
        .flat_map(|&when| then.iter().map(move |&then| masks.all.without(when).or(then)))
        .collect();
    let implications: Vec<Mask> = implications.into_iter().filter(|&known| known != masks.all).collect();
    let mut most = vec![0.0; masks.targets.len()];
    masks.raise(&mut most, masks.all);
    let mut known: BTreeSet<Mask> = BTreeSet::from([masks.all]);
    let mut looked = 0u64;
    for round in 1..=k {
        let mut next = BTreeSet::new();
        looked = looked.saturating_add((known.len() as u64).saturating_mul(implications.len() as u64));
        if looked > limit {
            return Err(WorldsError::TooMany { limit });
        }
        for &before in &known {
            for &implication in &implications {
                let now = before.and(implication);
                // What is known after the last round is only looked at, not kept.
                if round == k {
                    masks.raise(&mut most, now);
                } else if now != NONE {
                    next.insert(now);
                }
            }
        }
        if round < k {
            // Less knowledge than k implications is possible too.
            next.extend(&known);
            known = next;
        }
    }
    Ok(most)
}

/// Per bucket with people the largest chance of each value of theirs, over all knowledge L(l, k, m) of the 3D criterion: l values
/// that the person does not have, the values of k other people, and a family of m people, none of the k: whoever of them has
/// the value tells that the person has it.
///
/// # Errors
/// When there are more than 1536 worlds.
pub fn three_d_breach_by_worlds(
    buckets: &Buckets,
    l: usize,
    k: usize,
    m: usize,
) -> Result<Vec<Vec<f64>>, WorldsError> {
    let masks = Masks::new(buckets)?;
    let (people, values) = (masks.has.len(), buckets.domain() as usize);
    let mut most = vec![vec![0.0f64; values]; masks.targets.len()];
    for (&t, most) in masks.targets.iter().zip(&mut most) {
        let others: Vec<usize> = (0..people).filter(|&person| person != t).collect();
        subsets(others.len(), k.min(others.len()), &mut |chosen| {
            let known: Vec<usize> = chosen.iter().map(|&at| others[at]).collect();
            let rest: Vec<usize> = others.iter().copied().filter(|person| !known.contains(person)).collect();
            let mut facts = BTreeSet::from([masks.all]);
            for &person in &known {
                let told = facts
                    .iter()
                    .flat_map(|&fact: &Mask| masks.has[person].iter().map(move |&has| fact.and(has)));
                facts = told.filter(|&fact| fact != NONE).collect();
            }
            subsets(rest.len(), m.min(rest.len()), &mut |family| {
                for (s, most) in most.iter_mut().enumerate() {
                    let target = masks.has[t][s];
                    let some = family.iter().fold(NONE, |some, &at| some.or(masks.has[rest[at]][s]));
                    let other_values: Vec<usize> = (0..values).filter(|&value| value != s).collect();
                    subsets(other_values.len(), l.min(other_values.len()), &mut |denied| {
                        let not = denied.iter().fold(NONE, |not, &at| not.or(masks.has[t][other_values[at]]));
                        for fact in &facts {
                            // Whoever of the family has s tells that t has it.
                            let left = fact.without(not).without(some.without(target));
                            if left != NONE {
                                let with = left.and(target).count();
                                *most = most.max(f64::from(with) / f64::from(left.count()));
                            }
                        }
                    });
                }
            });
        });
    }
    Ok(most)
}

/// Calls `each` with every set of `size` numbers below `of`.
fn subsets(of: usize, size: usize, each: &mut dyn FnMut(&[usize])) {
    if size > of {
        return;
    }
    let mut chosen: Vec<usize> = (0..size).collect();
    loop {
        each(&chosen);
        // The last number that can still grow.
        let Some(at) = (0..size).rev().find(|&at| chosen[at] < of - size + at) else { return };
        chosen[at] += 1;
        for next in at + 1..size {
            chosen[next] = chosen[next - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use privet_criteria::ThreeD;
    use proptest::prelude::*;

    use super::super::fixtures::*;
    use super::*;

    fn largest(of_each: &[f64]) -> f64 {
        of_each.iter().copied().fold(0.0, f64::max)
    }

    #[test]
    fn all_subsets() {
        let mut seen = Vec::new();
        subsets(4, 2, &mut |chosen| seen.push(chosen.to_vec()));
        assert_eq!(seen, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        let mut none = 0;
        subsets(0, 0, &mut |_| none += 1);
        subsets(1, 2, &mut |_| none += 10);
        assert_eq!(none, 1);
    }

    /// survey PM-12: the goldens on the first two classes of FX-1.3.
    #[test]
    fn survey_pm12_goldens_by_definition() {
        let table = buckets(&[&[HD, FLU, VI, CA], &[CA, FLU, HD, HD]]);
        for consequent in [Consequent::Or, Consequent::And] {
            for (k, expected) in [(0, 0.5), (1, 0.75), (2, 1.0)] {
                let of_each = ck_breach_by_worlds(&table, k, consequent, 1, 10_000_000).unwrap();
                assert_eq!(largest(&of_each), expected);
            }
        }
        let error = ck_breach_by_worlds(&table, 2, Consequent::Or, 2, 5).unwrap_err();
        assert_eq!(error, WorldsError::TooMany { limit: 5 });
        let nobody = buckets(&[]);
        assert_eq!(ck_breach_by_worlds(&nobody, 1, Consequent::Or, 1, 10), Ok(Vec::new()));
        assert_eq!(three_d_breach_by_worlds(&nobody, 1, 1, 1), Ok(Vec::new()));
        let large = buckets(&[&[0, 1, 2, 3, 4, 5, 6]]);
        assert_eq!(
            three_d_breach_by_worlds(&large, 0, 0, 0).unwrap_err(),
            WorldsError::TooMany { limit: 1536 }
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// survey PM-13: the closed form of the criterion is the maximum over all worlds and all knowledge.
        #[test]
        fn survey_pm13_closed_form(
            one in prop::collection::vec(0u32..3, 2..5), two in prop::collection::vec(0u32..3, 2..5),
            l in 0u32..3, k in 0u32..3, m in 0u32..3,
        ) {
            let table = buckets(&[&one, &two]);
            let count = |values: &[u32]| (0..3).map(|v| values.iter().filter(|&&own| own == v).count() as u32).collect();
            let closed = ThreeD { l, k, m, c: 1.0 }.breach(&[count(&one), count(&two)]);
            match three_d_breach_by_worlds(&table, l as usize, k as usize, m as usize) {
                Ok(slow) => {
                    let slow = largest(&slow.concat());
                    prop_assert!((slow - closed).abs() < 1e-12, "({l},{k},{m}): {closed}, by worlds {slow}");
                }
                Err(error) => prop_assert_eq!(error, WorldsError::TooMany { limit: 1536 }),
            }
        }
    }
}
