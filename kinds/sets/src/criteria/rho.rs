//! rho-uncertainty (Cao, Karras, Raïssi and Tan 2010): no rule q → e from items of a basket to another, sensitive item has a
//! confidence above rho, whatever the size of q and whether or not q holds sensitive items itself.
//!
//! Exact without going through all sets: for a rule q → e let C be the closure of q ∪ {e}. Then C \ {e} contains q, so its
//! support is at most that of q, while C has the support of q ∪ {e}: the rule C \ {e} → e is at least as confident. It is
//! therefore enough to look at the closed sets that hold e. Where the number of items that an adversary knows is limited,
//! all sets up to that size are gone through.

use privet_data::Progress;
use rayon::prelude::*;

use super::itemsets::{Lists, Walk};
use super::{Criterion, Verdict};
use crate::{Baskets, SetsError};

/// A rule from known items to a sensitive one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What is known.
    pub known: Vec<u32>,
    /// What follows.
    pub follows: u32,
    /// How many baskets hold all of it.
    pub support: u64,
    /// How many baskets hold what is known.
    pub known_support: u64,
}

/// The most closed sets that are gone through.
const MOST_CLOSED: u64 = 20_000_000;

/// Judges rho-uncertainty.
///
/// # Errors
/// When there are too many sets to go through, or the person asks to stop.
pub fn rho_uncertainty(
    baskets: &Baskets,
    sensitive: &[bool],
    rho: f64,
    most: Option<usize>,
    progress: &dyn Progress,
) -> Result<Verdict, SetsError> {
    let found = search(baskets, sensitive, rho, most, 0, progress)?;
    Ok(Verdict {
        criterion: Criterion::RhoUncertainty { rho, most },
        holds: found.failing == 0,
        least_support: None,
        largest_share: Some(found.largest),
        failing: found.failing,
        examined: found.examined,
    })
}

/// Up to `wanted` rules whose confidence is above rho.
///
/// # Errors
/// As [`rho_uncertainty`].
pub fn violating_rules(
    baskets: &Baskets,
    sensitive: &[bool],
    rho: f64,
    most: Option<usize>,
    wanted: usize,
    progress: &dyn Progress,
) -> Result<Vec<Rule>, SetsError> {
    Ok(search(baskets, sensitive, rho, most, wanted, progress)?.rules)
}

#[derive(Default)]
struct Search {
    failing: u64,
    examined: u64,
    largest: f64,
    rules: Vec<Rule>,
}

fn search(
    baskets: &Baskets,
    sensitive: &[bool],
    rho: f64,
    most: Option<usize>,
    wanted: usize,
    progress: &dyn Progress,
) -> Result<Search, SetsError> {
    let codes = baskets.bound();
    let lists = Lists::new(baskets, codes);
    let targets: Vec<u32> =
        (0..codes as u32).filter(|&code| sensitive.get(code as usize).copied().unwrap_or(false)).collect();
    let each: Vec<Search> = targets
        .into_par_iter()
        .map(|item| {
            progress.check()?;
            let holders = baskets.select(lists.list(item).iter().map(|&number| number as usize));
            match most {
                Some(most) => bounded(&holders, &lists, item, rho, most, wanted, progress),
                None => closed(&holders, &lists, item, rho, wanted, progress),
            }
        })
        .collect::<Result<_, SetsError>>()?;
    let mut all = Search::default();
    for own in each {
        all.failing += own.failing;
        all.examined += own.examined;
        all.largest = all.largest.max(own.largest);
        all.rules.extend(own.rules);
    }
    all.rules.truncate(wanted);
    Ok(all)
}

impl Search {
    fn look(&mut self, known: &[u32], follows: u32, support: u64, lists: &Lists, rho: f64, wanted: usize) {
        if known.is_empty() {
            return;
        }
        self.examined += 1;
        let known_support = lists.support(known, u64::MAX);
        self.largest = self.largest.max(support as f64 / known_support as f64);
        if super::coherence::exceeds(support, known_support, rho) {
            self.failing += 1;
            if self.rules.len() < wanted {
                self.rules.push(Rule { known: known.to_vec(), follows, support, known_support });
            }
        }
    }
}

/// All rules of at most so many known items, over the baskets that hold the item.
fn bounded(
    holders: &Baskets,
    lists: &Lists,
    item: u32,
    rho: f64,
    most: usize,
    wanted: usize,
    progress: &dyn Progress,
) -> Result<Search, SetsError> {
    let others = holders.map(|own| (own != item).then_some(own));
    let searches = Walk::new(&others, most).run(progress, |search: &mut Search, set| {
        search.look(set.items, item, set.support, lists, rho, wanted);
        true
    })?;
    let mut all = Search::default();
    for own in searches {
        all.failing += own.failing;
        all.examined += own.examined;
        all.largest = all.largest.max(own.largest);
        all.rules.extend(own.rules);
    }
    all.rules.truncate(wanted);
    Ok(all)
}

/// All closed sets of the baskets that hold the item (prefix-preserving extensions of Uno and others, LCM, 2004).
fn closed(
    holders: &Baskets,
    lists: &Lists,
    item: u32,
    rho: f64,
    wanted: usize,
    progress: &dyn Progress,
) -> Result<Search, SetsError> {
    let mut search = Search::default();
    let all: Vec<u32> = (0..holders.len() as u32).collect();
    let mut counts = vec![0u32; holders.bound()];
    let bottom = closure(holders, &all, &mut counts);
    let mut stack: Vec<(Vec<u32>, Vec<u32>, Option<u32>)> = vec![(bottom, all, None)];
    let mut seen = 0u64;
    while let Some((set, numbers, core)) = stack.pop() {
        seen += 1;
        if seen.is_multiple_of(1024) {
            progress.check()?;
        }
        if seen > MOST_CLOSED {
            return Err(SetsError::TooLarge {
                what: "going through all closed sets of items",
                most: MOST_CLOSED,
                advice: "limit what an adversary knows with `most`",
            });
        }
        let known: Vec<u32> = set.iter().copied().filter(|&own| own != item).collect();
        search.look(&known, item, numbers.len() as u64, lists, rho, wanted);
        // Per item that can be added, the baskets that hold it.
        let mut having: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
        for &number in &numbers {
            for &own in holders.basket(number as usize) {
                if core.is_none_or(|core| own > core) && set.binary_search(&own).is_err() {
                    having.entry(own).or_default().push(number);
                }
            }
        }
        for (own, numbers) in having {
            let larger = closure(holders, &numbers, &mut counts);
            let prefix = |set: &[u32]| set.partition_point(|&other| other < own);
            if larger[..prefix(&larger)] == set[..prefix(&set)] {
                stack.push((larger, numbers, Some(own)));
            }
        }
    }
    Ok(search)
}

/// The items that all these baskets hold.
fn closure(baskets: &Baskets, numbers: &[u32], counts: &mut [u32]) -> Vec<u32> {
    let Some(&first) = numbers.first() else {
        return Vec::new();
    };
    for &number in numbers {
        for &item in baskets.basket(number as usize) {
            counts[item as usize] += 1;
        }
    }
    let first = baskets.basket(first as usize);
    let set = first.iter().copied().filter(|&item| counts[item as usize] as usize == numbers.len()).collect();
    for &number in numbers {
        for &item in baskets.basket(number as usize) {
            counts[item as usize] = 0;
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::super::itemsets::tests::{all_sets, small_baskets};
    use super::*;
    use privet_data::Silent;
    use proptest::prelude::*;

    /// The largest confidence of any rule, by going through all sets.
    fn largest(baskets: &Baskets, sensitive: &[bool], most: usize) -> f64 {
        let sets = all_sets(baskets, most + 1);
        let mut largest = 0f64;
        for (set, &support) in &sets {
            for &item in set.iter().filter(|&&item| sensitive[item as usize]) {
                let known: Vec<u32> = set.iter().copied().filter(|&own| own != item).collect();
                if !known.is_empty() {
                    largest = largest.max(support as f64 / baskets.support(&known) as f64);
                }
            }
        }
        largest
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn confidence_by_brute_force(baskets in small_baskets(6, 6), marks in 0u32..64, rho in 0.1f64..1.0) {
            let sensitive: Vec<bool> = (0..6).map(|item| marks >> item & 1 == 1).collect();
            for (most, size) in [(None, 6), (Some(1), 1), (Some(2), 2)] {
                let verdict = rho_uncertainty(&baskets, &sensitive, rho, most, &Silent).unwrap();
                let expected = largest(&baskets, &sensitive, size);
                prop_assert!((verdict.largest_share.unwrap() - expected).abs() < 1e-12, "{:?}", most);
                prop_assert_eq!(verdict.holds, expected <= rho * (1.0 + 1e-12));
                let rules = violating_rules(&baskets, &sensitive, rho, most, 3, &Silent).unwrap();
                prop_assert_eq!(rules.is_empty(), verdict.holds);
                for rule in rules {
                    prop_assert_eq!(baskets.support(&rule.known), rule.known_support);
                    prop_assert!(rule.support as f64 > rho * rule.known_support as f64);
                }
            }
        }
    }
}
