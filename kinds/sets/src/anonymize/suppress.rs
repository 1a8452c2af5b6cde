//! Suppression of items from all baskets: (h,k,p)-coherence (Xu, Wang, Fu and Yu 2008) and rho-uncertainty (Cao, Karras,
//! Raïssi and Tan 2010).
//!
//! Both delete whole items, never single occurrences, so that what is left is true and an adversary learns nothing from gaps.
//! *Guarantee*: the criterion holds for what is left; it is judged exactly before anything is handed over. The choice of items
//! is greedy: the item that ends the most violations for each occurrence lost, as in the sources.

use privet_data::Progress;

use crate::criteria::itemsets::Walk;
use crate::criteria::{Coherence, Criterion, coherence, judge, violating_rules};
use crate::{Baskets, SetsError};

/// What is left after items were suppressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// The baskets without the suppressed items.
    pub baskets: Baskets,
    /// The suppressed items, in rising order.
    pub items: Vec<u32>,
}

/// The most violating sets that are held at once.
const MOST_SETS: usize = 40_000_000;
/// The most violating rules that are looked at before items are chosen.
const RULES: usize = 20_000;

/// Suppresses public items until sets of at most p of them are coherent. With no sensitive item, h = 1 and p = m that is
/// k^m-anonymity by suppression.
///
/// # Errors
/// When a parameter makes no sense, or there are too many sets.
pub fn suppress_coherence(
    baskets: &Baskets,
    sensitive: &[bool],
    asked: Coherence,
    progress: &dyn Progress,
) -> Result<Suppressed, SetsError> {
    let criterion = Criterion::Coherence { h: asked.h, k: asked.k, p: asked.p };
    criterion.check()?;
    let codes = baskets.bound();
    let mut gone = vec![false; codes];
    let mut left = baskets.clone();
    for size in 1..=asked.p {
        progress.stage("suppressing", None);
        // All smaller sets are in order by now, so these are minimal: the moles of the source.
        let moles = moles(&left, sensitive, asked, size, progress)?;
        let chosen = hitting_set(&moles, size, &left.supports(codes));
        chosen.iter().for_each(|&item| gone[item as usize] = true);
        left = left.map(|item| (!gone[item as usize]).then_some(item));
    }
    let verdict = coherence(&left, sensitive, asked, progress)?;
    finish(left, &gone, verdict.holds, "suppression", "(h,k,p)-coherence")
}

fn finish(
    baskets: Baskets,
    gone: &[bool],
    holds: bool,
    method: &'static str,
    criterion: &'static str,
) -> Result<Suppressed, SetsError> {
    if !holds {
        return Err(SetsError::Unproven { method, criterion });
    }
    let items = (0..gone.len() as u32).filter(|&item| gone[item as usize]).collect();
    Ok(Suppressed { baskets, items })
}

/// The public sets of exactly this size that break the criterion, one after another.
fn moles(
    baskets: &Baskets,
    sensitive: &[bool],
    asked: Coherence,
    size: usize,
    progress: &dyn Progress,
) -> Result<Vec<u32>, SetsError> {
    let ordered = crate::criteria::PublicFirst::new(baskets, sensitive);
    let walk = Walk::new(&ordered.baskets, size + 1).ending_from(&ordered.boundaries);
    let found = walk.run(progress, |moles: &mut Vec<u32>, set| {
        let Some((&last, known)) = set.items.split_last() else {
            return false;
        };
        if last < ordered.public {
            if set.items.len() == size && set.support < asked.k && moles.len() < MOST_SETS {
                moles.extend(set.items);
                return false;
            }
            return set.items.len() <= size;
        }
        let is_wanted = known.len() == size && moles.len() < MOST_SETS;
        if is_wanted && crate::criteria::exceeds(set.support, set.before, asked.h) && !moles.ends_with(known)
        {
            moles.extend(known);
        }
        false
    })?;
    if found.iter().any(|own| own.len() >= MOST_SETS) {
        return Err(SetsError::TooLarge {
            what: "holding all sets that break the criterion",
            most: MOST_SETS as u64,
            advice: "ask for a smaller p, or generalize items first",
        });
    }
    Ok(found.into_iter().flatten().map(|item| ordered.old[item as usize]).collect())
}

/// Items that meet every set, chosen by the most open sets for each occurrence lost.
fn hitting_set(sets: &[u32], size: usize, supports: &[u64]) -> Vec<u32> {
    let count = sets.len() / size;
    let mut starts = vec![0usize; supports.len() + 1];
    for &item in sets {
        starts[item as usize + 1] += 1;
    }
    for item in 0..supports.len() {
        starts[item + 1] += starts[item];
    }
    let mut cursor = starts.clone();
    let mut holders = vec![0u32; sets.len()];
    for (place, &item) in sets.iter().enumerate() {
        holders[cursor[item as usize]] = (place / size) as u32;
        cursor[item as usize] += 1;
    }
    let mut open: Vec<u64> = starts.windows(2).map(|ends| (ends[1] - ends[0]) as u64).collect();
    let mut is_met = vec![false; count];
    let score = |open: u64, item: u32| open as f64 / (supports[item as usize].max(1)) as f64;
    let mut heap: std::collections::BinaryHeap<Candidate> = (0..supports.len() as u32)
        .filter(|&item| open[item as usize] > 0)
        .map(|item| Candidate { score: score(open[item as usize], item), item })
        .collect();
    let mut chosen = Vec::new();
    while let Some(best) = heap.pop() {
        let now = open[best.item as usize];
        if now == 0 {
            continue;
        }
        let score = score(now, best.item);
        if score < best.score {
            heap.push(Candidate { score, item: best.item }); // why: scores only fall, so a stale one is put back
            continue;
        }
        chosen.push(best.item);
        for &set in &holders[starts[best.item as usize]..starts[best.item as usize + 1]] {
            if !std::mem::replace(&mut is_met[set as usize], true) {
                let start = set as usize * size;
                sets[start..start + size].iter().for_each(|&item| open[item as usize] -= 1);
            }
        }
    }
    chosen
}

struct Candidate {
    score: f64,
    item: u32,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Candidate {}
impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.item.cmp(&self.item))
    }
}

/// Suppresses items, sensitive or not, until no rule to a sensitive item has a confidence above rho.
///
/// # Errors
/// When a parameter makes no sense, or there are too many sets to go through.
pub fn suppress_rho(
    baskets: &Baskets,
    sensitive: &[bool],
    rho: f64,
    most: Option<usize>,
    progress: &dyn Progress,
) -> Result<Suppressed, SetsError> {
    let criterion = Criterion::RhoUncertainty { rho, most };
    criterion.check()?;
    let mut gone = vec![false; baskets.bound()];
    let mut left = baskets.clone();
    // Small rules first: few items end many of them. The largest are looked for when none of these is left.
    let sizes: Vec<Option<usize>> = (1..=most.unwrap_or(2).min(2)).map(Some).chain([most]).collect();
    for size in sizes {
        loop {
            progress.check()?;
            let rules = violating_rules(&left, sensitive, rho, size, RULES, progress)?;
            if rules.is_empty() {
                break;
            }
            let supports = left.supports(gone.len());
            let mut ended = vec![0u64; gone.len()];
            let mut open: Vec<Vec<u32>> = Vec::new();
            for rule in rules {
                let mut items = rule.known;
                items.push(rule.follows);
                items.iter().for_each(|&item| ended[item as usize] += 1);
                open.push(items);
            }
            while !open.is_empty() {
                let payoff = |item: u32| ended[item as usize] as f64 / supports[item as usize].max(1) as f64;
                let items = open.iter().flatten().copied();
                let best = items.max_by(|&a, &b| payoff(a).total_cmp(&payoff(b)).then_with(|| b.cmp(&a)));
                // cannot fail: a rule has at least two items
                let Some(best) = best else { break };
                gone[best as usize] = true;
                open.retain(|rule| {
                    let stays = !rule.contains(&best);
                    if !stays {
                        rule.iter().for_each(|&item| ended[item as usize] -= 1);
                    }
                    stays
                });
            }
            left = left.map(|item| (!gone[item as usize]).then_some(item));
        }
    }
    let verdict = judge(&left, sensitive, criterion, progress)?;
    finish(left, &gone, verdict.holds, "suppression", "rho-uncertainty")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criteria::itemsets::tests::small_baskets;
    use privet_data::Silent;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_left_holds_and_is_true(
            baskets in small_baskets(7, 5), marks in 0u32..128, h in 0.3f64..1.0, k in 1u64..4, p in 1usize..4,
        ) {
            let sensitive: Vec<bool> = (0..7).map(|item| marks >> item & 1 == 1).collect();
            let made = suppress_coherence(&baskets, &sensitive, Coherence { h, k, p }, &Silent).unwrap();
            prop_assert!(made.items.iter().all(|&item| !sensitive[item as usize]));
            let expected = baskets.map(|item| (!made.items.contains(&item)).then_some(item));
            prop_assert_eq!(&made.baskets, &expected);
            for most in [None, Some(2)] {
                let made = suppress_rho(&baskets, &sensitive, h, most, &Silent).unwrap();
                let expected = baskets.map(|item| (!made.items.contains(&item)).then_some(item));
                prop_assert_eq!(&made.baskets, &expected);
            }
        }
    }

    #[test]
    fn nothing_is_suppressed_without_need() {
        let baskets = Baskets::of(vec![vec![0, 1]; 5]);
        let made =
            suppress_coherence(&baskets, &[false; 2], Coherence { h: 1.0, k: 5, p: 2 }, &Silent).unwrap();
        assert_eq!((made.items.len(), made.baskets), (0, baskets));
        // One rare item among many frequent ones goes alone.
        let baskets =
            Baskets::of((0..10u32).map(|number| if number == 0 { vec![0, 1, 2] } else { vec![0, 1] }));
        let made =
            suppress_coherence(&baskets, &[false; 3], Coherence { h: 1.0, k: 2, p: 2 }, &Silent).unwrap();
        assert_eq!(made.items, [2]);
    }
}
