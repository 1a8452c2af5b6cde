//! The basic 3D privacy criterion (survey PM-13, Def 2.4; Chen, LeFevre and Ramakrishnan's privacy skyline), by
//! its closed form, and the summary of all buckets with which a partition is re-checked when one is cut (ME-10).
//!
//! Whoever wants to learn whether a person t has a value s knows (l) values that t does not have, (k) the values of
//! other people, and (m) people of t's same-value family: whoever of them has s tells that t has it too. The release
//! is safe when the chance of "t has s" given any such knowledge stays below c.
//!
//! Closed form: t is in a bucket of n records, s occurs n_s times in it, and the l most frequent other values make up
//! e of it. With R = max(0, n - n_s - e - k) the chance is n_s / (n_s + R·q), where q is the chance that nobody of the
//! family has s: Π_{i<m} max(0, N - N_s - i) / (N - i). A family in another bucket has its counts for N and N_s; one
//! in t's own bucket has N = n - k - 1 and N_s = n_s. The maximum over t, s and the family's bucket decides
//! (congregation: knowledge about at most two buckets is worst).
//!
//! What it guarantees: the maximum is exact; tests compare it with all worlds and all knowledge on small tables.
//! Nearness to c errs on the safe side: a chance within 1e-12 of c counts as reaching it. Where the printed product
//! would divide by zero (a bucket of fewer than m people, none of whom has s) the family ends with the bucket.
//!
//! The criterion is not bucket-independent (survey TH-09), so it is no [`Criterion`](crate::Criterion): no bucket can
//! be judged by itself.

mod criterion;

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::keep::TOLERANCE;

pub(crate) use criterion::ThreeDPrivacy;

/// The basic 3D privacy criterion.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThreeD {
    /// Values that the person is known not to have.
    #[serde(default)]
    pub l: u32,
    /// Other people whose values are known.
    #[serde(default)]
    pub k: u32,
    /// People of the same-value family.
    #[serde(default)]
    pub m: u32,
    /// The chance that must not be reached.
    pub c: f64,
}

impl ThreeD {
    /// What is wrong with the parameters, if anything is.
    pub fn fault(&self) -> Option<&'static str> {
        (!(self.c > 0.0 && self.c <= 1.0)).then_some("must be above 0 and at most 1")
    }

    /// What it promises, in one sentence for a person.
    pub fn promise(&self) -> String {
        let Self { l, k, m, c } = self;
        format!(
            "Whoever knows {l} values that a person does not have, the values of {k} other people, and {m} people who \
             would give the person away if they had the same value, learns no sensitive value with a chance of \
             {c} or more."
        )
    }

    /// Whether a chance is safely below c.
    pub fn allows(&self, breach: f64) -> bool {
        breach < self.c - TOLERANCE
    }

    /// The largest chance over a whole table, from the counts of the values in each bucket.
    ///
    /// ```
    /// use privet_criteria::ThreeD;
    /// // Heart disease, flu, a virus infection and cancer; then heart disease twice, flu and cancer.
    /// let buckets = [vec![1, 1, 1, 1], vec![2, 1, 0, 1]];
    /// let breach = ThreeD { l: 0, k: 0, m: 1, c: 0.8 }.breach(&buckets);
    /// assert!((breach - 0.75).abs() < 1e-12);
    /// ```
    pub fn breach(&self, buckets: &[Vec<u32>]) -> f64 {
        let mut maxima = GlobalMaxima::new(*self, buckets.iter().map(Vec::len).max().unwrap_or(0));
        for (number, counts) in buckets.iter().enumerate() {
            let occurring: Vec<(u32, u32)> = (0u32..).zip(counts.iter().copied()).collect();
            maxima.insert(number as u32, &occurring);
        }
        maxima.breach()
    }

    /// The chance that nobody of the family has a value that `having` of `people` have.
    fn nobody(&self, people: u64, having: u64) -> f64 {
        let mut chance = 1.0;
        for i in 0..u64::from(self.m).min(people) {
            if people - i <= having {
                return 0.0;
            }
            chance *= (people - having - i) as f64 / (people - i) as f64;
            if having == 0 {
                break;
            }
        }
        chance
    }

    /// What a bucket adds to the summary of each value that occurs in it.
    fn facts(&self, counts: &[(u32, u32)]) -> Vec<Facts> {
        let occurring = || counts.iter().filter(|(_, count)| *count > 0);
        let rows: u64 = occurring().map(|&(_, count)| u64::from(count)).sum();
        let mut ranked: Vec<u32> = occurring().map(|&(_, count)| count).collect();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        let most = (self.l as usize).min(ranked.len());
        let top: u64 = ranked[..most].iter().map(|&count| u64::from(count)).sum();
        occurring()
            .map(|&(value, count)| {
                let own = u64::from(count);
                // The most frequent *other* values: when the value is itself among them, the next one moves up.
                let excluded = match ranked.get(most.wrapping_sub(1)) {
                    Some(&last) if count >= last => {
                        top - own + ranked.get(most).map_or(0, |&next| u64::from(next))
                    }
                    _ => top,
                };
                let remain = rows - own - excluded;
                let remain = remain.saturating_sub(self.k.into());
                let odds = remain as f64 / own as f64;
                let inside = if remain == 0 { 0.0 } else { self.nobody(rows - u64::from(self.k) - 1, own) };
                Facts { value, own: odds * inside, alone: odds, family: self.nobody(rows, own) }
            })
            .collect()
    }
}

/// What a bucket says of one value. Small numbers are the danger.
#[derive(Debug, Clone, Copy)]
struct Facts {
    value: u32,
    /// The odds against the value, with the family in the same bucket.
    own: f64,
    /// The odds against the value, without a family.
    alone: f64,
    /// The chance that nobody of a family in this bucket has the value.
    family: f64,
}

/// Per value the worst that any bucket, or pair of buckets, does. A bucket can be taken out and replaced by its
/// parts without looking at the others.
#[derive(Debug, Clone)]
pub struct GlobalMaxima {
    rule: ThreeD,
    values: Vec<Value>,
}

/// The buckets in which one value occurs, by what they say of it.
#[derive(Debug, Clone, Default)]
struct Value {
    own: BTreeSet<(u64, u32)>,
    alone: BTreeSet<(u64, u32)>,
    family: BTreeSet<(u64, u32)>,
}

impl Value {
    /// The largest chance of this value over all buckets and pairs of buckets.
    fn breach(&self) -> f64 {
        let least =
            |set: &BTreeSet<(u64, u32)>| set.first().map_or(f64::INFINITY, |&(bits, _)| f64::from_bits(bits));
        let mut odds = least(&self.own).min(least(&self.alone));
        // Two buckets of each kind suffice: the best of one kind and the best other bucket of the other.
        for &(alone, bucket) in self.alone.iter().take(2) {
            for &(family, other) in self.family.iter().take(2) {
                if bucket != other {
                    odds = odds.min(f64::from_bits(alone) * f64::from_bits(family));
                }
            }
        }
        1.0 / (1.0 + odds)
    }
}

impl GlobalMaxima {
    /// The summary of no bucket, for a column of so many values.
    pub fn new(rule: ThreeD, values: usize) -> Self {
        Self { rule, values: vec![Value::default(); values] }
    }

    /// Adds a bucket: each of its values, once, with its count.
    pub fn insert(&mut self, bucket: u32, counts: &[(u32, u32)]) {
        for facts in self.rule.facts(counts) {
            let value = &mut self.values[facts.value as usize];
            // The order of the bits is the order of numbers that are not negative.
            value.own.insert((facts.own.to_bits(), bucket));
            value.alone.insert((facts.alone.to_bits(), bucket));
            value.family.insert((facts.family.to_bits(), bucket));
        }
    }

    /// Takes a bucket out again.
    pub fn remove(&mut self, bucket: u32, counts: &[(u32, u32)]) {
        for facts in self.rule.facts(counts) {
            let value = &mut self.values[facts.value as usize];
            value.own.remove(&(facts.own.to_bits(), bucket));
            value.alone.remove(&(facts.alone.to_bits(), bucket));
            value.family.remove(&(facts.family.to_bits(), bucket));
        }
    }

    /// The largest chance of all.
    pub fn breach(&self) -> f64 {
        self.values.iter().map(Value::breach).fold(0.0, f64::max)
    }

    /// The largest chance for people of one of the buckets.
    pub fn breach_in(&self, bucket: u32, counts: &[(u32, u32)]) -> f64 {
        let odds = |facts: Facts| {
            let families = self.values[facts.value as usize].family.iter();
            // The best family in another bucket is the first or the second of all.
            let elsewhere = families.take(2).find(|(_, other)| *other != bucket);
            let elsewhere = elsewhere.map_or(1.0, |&(bits, _)| f64::from_bits(bits));
            facts.own.min(facts.alone).min(facts.alone * elsewhere)
        };
        self.rule.facts(counts).into_iter().map(|facts| 1.0 / (1.0 + odds(facts))).fold(0.0, f64::max)
    }

    /// Whether all is safe.
    pub fn is_safe(&self) -> bool {
        self.rule.allows(self.breach())
    }

    /// Replaces a bucket of a safe table by its parts, when the table stays safe; otherwise leaves all as it was.
    /// Only the values of that bucket are looked at.
    pub fn replace_if_safe(&mut self, whole: (u32, &[(u32, u32)]), parts: &[(u32, &[(u32, u32)])]) -> bool {
        self.remove(whole.0, whole.1);
        for (bucket, counts) in parts {
            self.insert(*bucket, counts);
        }
        let occurring = whole.1.iter().filter(|(_, count)| *count > 0);
        let safe = occurring
            .map(|&(value, _)| value as usize)
            .all(|value| self.rule.allows(self.values[value].breach()));
        if !safe {
            for (bucket, counts) in parts {
                self.remove(*bucket, counts);
            }
            self.insert(whole.0, whole.1);
        }
        safe
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{diversity, holds};

    fn breach(l: u32, k: u32, m: u32, buckets: &[Vec<u32>]) -> f64 {
        ThreeD { l, k, m, c: 1.0 }.breach(buckets)
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn survey_pm13_goldens() {
        let buckets = [vec![1, 1, 1, 1], vec![2, 1, 0, 1]];
        let goldens = [
            ((0, 0, 0), 1.0 / 2.0),
            ((1, 0, 0), 2.0 / 3.0),
            ((0, 1, 0), 2.0 / 3.0),
            ((0, 0, 1), 3.0 / 4.0),
            ((0, 0, 2), 1.0),
            ((1, 0, 1), 6.0 / 7.0),
            ((0, 1, 1), 1.0),
            ((1, 1, 0), 1.0),
        ];
        for ((l, k, m), expected) in goldens {
            assert!(near(breach(l, k, m, &buckets), expected), "({l},{k},{m})");
        }
    }

    #[test]
    fn survey_th09_two_safe_buckets_are_not_safe_together() {
        let (one, two) = (vec![4, 1, 1, 1], vec![3, 3, 1, 0]);
        assert!(near(breach(1, 0, 1, std::slice::from_ref(&one)), 6.0 / 7.0));
        assert!(near(breach(1, 0, 1, std::slice::from_ref(&two)), 6.0 / 7.0));
        assert!(near(breach(1, 0, 1, &[one.clone(), two.clone()]), 7.0 / 8.0));
        for c in [0.86, 0.875] {
            let rule = ThreeD { l: 1, k: 0, m: 1, c };
            assert!(rule.allows(rule.breach(std::slice::from_ref(&one))));
            assert!(rule.allows(rule.breach(std::slice::from_ref(&two))));
            assert!(!rule.allows(rule.breach(&[one.clone(), two.clone()])), "c = {c}");
        }
    }

    #[test]
    fn survey_th06_k_anonymity_with_identities_as_values() {
        for k in 2u32..6 {
            for rows in 1usize..9 {
                let rule = ThreeD { l: 0, k: k - 2, m: 0, c: 1.0 };
                assert_eq!(
                    rule.allows(rule.breach(&[vec![1; rows]])),
                    rows >= k as usize,
                    "k = {k}, n = {rows}"
                );
            }
        }
    }

    #[test]
    fn parameters_are_checked() {
        for c in [0.0, -0.5, 1.1, f64::NAN, f64::INFINITY] {
            assert!(ThreeD { l: 0, k: 0, m: 0, c }.fault().is_some(), "{c}");
        }
        assert!(ThreeD { l: u32::MAX, k: u32::MAX, m: u32::MAX, c: 1.0 }.fault().is_none());
        assert!(near(breach(u32::MAX, u32::MAX, u32::MAX, &[vec![1, 2], vec![0, 3]]), 1.0));
        assert_eq!(breach(0, 0, 0, &[]), 0.0);
        assert_eq!(breach(1, 1, 1, &[vec![], vec![0, 0]]), 0.0);
    }

    /// All ways to hand the values of a bucket to its people.
    fn worlds(counts: &[u32]) -> Vec<Vec<usize>> {
        fn extend(left: &mut [u32], so_far: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
            if left.iter().all(|&count| count == 0) {
                all.push(so_far.clone());
                return;
            }
            for value in 0..left.len() {
                if left[value] > 0 {
                    left[value] -= 1;
                    so_far.push(value);
                    extend(left, so_far, all);
                    so_far.pop();
                    left[value] += 1;
                }
            }
        }
        let mut all = Vec::new();
        extend(&mut counts.to_vec(), &mut Vec::new(), &mut all);
        all
    }

    fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
        match (size, of) {
            (0, _) => vec![Vec::new()],
            (_, []) => Vec::new(),
            (_, [first, rest @ ..]) => {
                let with = subsets(rest, size - 1).into_iter().map(|set| [&[*first], &set[..]].concat());
                with.chain(subsets(rest, size)).collect()
            }
        }
    }

    /// The definition: all worlds, all people, all values, all knowledge of at most this size.
    fn by_worlds(l: usize, k: usize, m: usize, buckets: &[Vec<u32>]) -> f64 {
        let values = buckets[0].len();
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for bucket in buckets {
            let of_bucket = worlds(bucket);
            all = all.iter().flat_map(|a| of_bucket.iter().map(move |b| [&a[..], &b[..]].concat())).collect();
        }
        let people = all[0].len();
        let firsts: Vec<usize> = buckets
            .iter()
            .scan(0, |next, bucket| {
                let first = *next;
                *next += bucket.iter().sum::<u32>() as usize;
                Some(first)
            })
            .collect();
        let mut most: f64 = 0.0;
        // People of one bucket are alike, so one of each stands for all.
        for &t in &firsts {
            let others: Vec<usize> = (0..people).filter(|&person| person != t).collect();
            for known in subsets(&others, k.min(others.len())) {
                let rest: Vec<usize> = others.iter().copied().filter(|w| !known.contains(w)).collect();
                let families = subsets(&rest, m.min(rest.len()));
                let mut seen = std::collections::HashSet::new();
                // Every way in which the known people's values may turn out.
                for world in &all {
                    let facts: Vec<usize> = known.iter().map(|&w| world[w]).collect();
                    if !seen.insert(facts.clone()) {
                        continue;
                    }
                    let left: Vec<&Vec<usize>> = all
                        .iter()
                        .filter(|world| known.iter().zip(&facts).all(|(&w, &v)| world[w] == v))
                        .collect();
                    for s in 0..values {
                        let other_values: Vec<usize> = (0..values).filter(|&v| v != s).collect();
                        for not in subsets(&other_values, l.min(other_values.len())) {
                            for family in &families {
                                let fits = |world: &&&Vec<usize>| {
                                    !not.contains(&world[t])
                                        && (world[t] == s || family.iter().all(|&w| world[w] != s))
                                };
                                let possible = left.iter().filter(fits).count();
                                let with = left.iter().filter(fits).filter(|world| world[t] == s).count();
                                if possible > 0 {
                                    most = most.max(with as f64 / possible as f64);
                                }
                            }
                        }
                    }
                }
            }
        }
        most
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// The closed form is the maximum over all worlds and all knowledge.
        #[test]
        fn survey_pm13_closed_form_against_all_worlds(
            one in prop::collection::vec(0usize..3, 2..5),
            two in prop::collection::vec(0usize..3, 2..5),
        ) {
            let count = |people: &[usize]| (0..3).map(|v| people.iter().filter(|&&p| p == v).count() as u32).collect();
            let buckets: Vec<Vec<u32>> = vec![count(&one), count(&two)];
            for (l, k, m) in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 2), (1, 0, 1), (0, 1, 1), (1, 1, 1)] {
                let expected = by_worlds(l as usize, k as usize, m as usize, &buckets);
                let found = breach(l, k, m, &buckets);
                prop_assert!(near(found, expected), "({l},{k},{m}) {buckets:?}: {found} by worlds {expected}");
            }
        }

        /// survey TH-07: recursive (c,l)-diversity is 3D (l-2, 0, 0) with confidence c/(c+1).
        #[test]
        fn survey_th07_recursive_diversity(counts in prop::collection::vec(0u32..6, 1..6), l in 2u32..5, halves in 1u32..8) {
            prop_assume!(counts.iter().any(|&count| count > 0));
            let c = f64::from(halves) / 2.0;
            let rule = ThreeD { l: l - 2, k: 0, m: 0, c: c / (c + 1.0) };
            let recursive = diversity("recursive", l.into(), Some(c));
            let mut padded = counts.clone();
            padded.resize(64, 0);
            prop_assert_eq!(rule.allows(rule.breach(&[counts])), holds(&*recursive, &padded));
        }

        /// Replacing buckets one by one comes to the same as a summary made at once, and a refusal changes nothing.
        #[test]
        fn buckets_are_replaced_by_their_parts(
            parts in prop::collection::vec(prop::collection::vec(0u32..4, 3), 2..6),
            l in 0u32..2, k in 0u32..2, m in 0u32..3, c in 0.5f64..1.0,
        ) {
            let rule = ThreeD { l, k, m, c };
            let listed = |counts: &[u32]| (0u32..).zip(counts.iter().copied()).collect::<Vec<_>>();
            let sum = |from: usize| -> Vec<u32> {
                (0..3).map(|v| parts[from..].iter().map(|part| part[v]).sum()).collect()
            };
            let mut maxima = GlobalMaxima::new(rule, 3);
            maxima.insert(0, &listed(&sum(0)));
            let mut current = vec![sum(0)];
            for (from, part) in parts.iter().enumerate().take(parts.len() - 1) {
                let whole = current.pop().unwrap();
                let (head, tail) = (part.clone(), sum(from + 1));
                let was_safe = maxima.is_safe();
                let number = current.len() as u32;
                let replaced = maxima.replace_if_safe(
                    (number, &listed(&whole)),
                    &[(number, &listed(&head)), (number + 1, &listed(&tail))],
                );
                let mut after = current.clone();
                after.extend([head, tail]);
                if was_safe {
                    prop_assert_eq!(replaced, rule.allows(rule.breach(&after)));
                }
                if replaced {
                    current = after;
                } else {
                    current.push(whole);
                }
                prop_assert!(near(maxima.breach(), rule.breach(&current)));
                if !replaced {
                    break;
                }
            }
        }
    }
}
