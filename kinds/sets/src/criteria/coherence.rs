//! (h,k,p)-coherence (Xu, Wang, Fu and Yu 2008) and l-diversity of sensitive items (Ghinita, Tao and Kalnis 2008).
//!
//! Both look at every set of at most p public items that occurs, and at the shares of sensitive items among the baskets that
//! hold it. Coherence also asks for k baskets. Exact: no set is left out, and shares are compared on whole numbers as far
//! as the thresholds allow.

use privet_data::Progress;

use super::itemsets::Walk;
use super::{Criterion, Verdict};
use crate::{Baskets, SetsError};

/// The parameters of coherence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coherence {
    /// The largest share of a sensitive item.
    pub h: f64,
    /// The fewest baskets.
    pub k: u64,
    /// The most public items an adversary knows.
    pub p: usize,
}

/// Judges coherence.
///
/// # Errors
/// When there are too many sets to go through, or the person asks to stop.
pub fn coherence(
    baskets: &Baskets,
    sensitive: &[bool],
    asked: Coherence,
    progress: &dyn Progress,
) -> Result<Verdict, SetsError> {
    let criterion = Criterion::Coherence { h: asked.h, k: asked.k, p: asked.p };
    judge(baskets, sensitive, asked, criterion, progress)
}

/// Judges l-diversity of sensitive items.
///
/// # Errors
/// As [`coherence`].
pub fn diversity(
    baskets: &Baskets,
    sensitive: &[bool],
    l: f64,
    m: usize,
    progress: &dyn Progress,
) -> Result<Verdict, SetsError> {
    let asked = Coherence { h: 1.0 / l, k: 1, p: m };
    judge(baskets, sensitive, asked, Criterion::LDiversity { l, m }, progress)
}

/// Whether `part` of `all` is more than a share. A share of 1/l is met by exactly one of l.
#[inline]
pub(crate) fn exceeds(part: u64, all: u64, share: f64) -> bool {
    part as f64 > share * all as f64 * (1.0 + 1e-12)
}

/// Baskets whose public items come before their sensitive ones: the code of each old item, and where in each basket the
/// sensitive ones begin.
pub(crate) struct PublicFirst {
    pub baskets: Baskets,
    pub public: u32,
    pub old: Vec<u32>,
    pub boundaries: Vec<u32>,
}

impl PublicFirst {
    pub fn new(baskets: &Baskets, sensitive: &[bool]) -> Self {
        let codes = baskets.bound();
        let is_sensitive = |code: usize| sensitive.get(code).copied().unwrap_or(false);
        let mut old: Vec<u32> = (0..codes as u32).filter(|&code| !is_sensitive(code as usize)).collect();
        let public = old.len() as u32;
        old.extend((0..codes as u32).filter(|&code| is_sensitive(code as usize)));
        let mut new = vec![0u32; codes];
        for (number, &code) in old.iter().enumerate() {
            new[code as usize] = number as u32;
        }
        let baskets = baskets.map(|item| new.get(item as usize).copied());
        let boundaries =
            baskets.iter().map(|basket| basket.partition_point(|&item| item < public) as u32).collect();
        Self { baskets, public, old, boundaries }
    }
}

fn judge(
    baskets: &Baskets,
    sensitive: &[bool],
    asked: Coherence,
    criterion: Criterion,
    progress: &dyn Progress,
) -> Result<Verdict, SetsError> {
    #[derive(Default)]
    struct Seen {
        examined: u64,
        failing: u64,
        least: Option<u64>,
        largest: f64,
        /// The public set that was counted last for its shares.
        counted: Vec<u32>,
    }
    let ordered = PublicFirst::new(baskets, sensitive);
    let walk = Walk::new(&ordered.baskets, asked.p + 1).ending_from(&ordered.boundaries);
    let seen = walk.run(progress, |seen: &mut Seen, set| {
        let (last, known) = match set.items.split_last() {
            Some((&last, known)) => (last, known),
            None => return false,
        };
        if last < ordered.public {
            if set.items.len() > asked.p {
                return false;
            }
            seen.examined += 1;
            seen.least = Some(seen.least.map_or(set.support, |least| least.min(set.support)));
            seen.failing += u64::from(set.support < asked.k);
            return true;
        }
        if !known.is_empty() {
            seen.largest = seen.largest.max(set.support as f64 / set.before as f64);
            // Sets with too few baskets were counted before; the sensitive items of one set come one after another.
            let is_new = set.before >= asked.k && seen.counted != known;
            if is_new && exceeds(set.support, set.before, asked.h) {
                seen.failing += 1;
                seen.counted = known.to_vec();
            }
        }
        false
    })?;
    let failing = seen.iter().map(|own| own.failing).sum();
    Ok(Verdict {
        criterion,
        holds: failing == 0,
        least_support: seen.iter().filter_map(|own| own.least).min(),
        largest_share: Some(seen.iter().map(|own| own.largest).fold(0.0, f64::max)),
        failing,
        examined: seen.iter().map(|own| own.examined).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::itemsets::tests::{all_sets, small_baskets};
    use super::*;
    use privet_data::Silent;
    use proptest::prelude::*;

    /// The failing sets, by going through all of them.
    fn by_definition(baskets: &Baskets, sensitive: &[bool], asked: Coherence) -> (u64, f64) {
        let is_sensitive = |item: u32| sensitive[item as usize];
        let (mut failing, mut largest) = (0, 0f64);
        for (set, support) in all_sets(baskets, asked.p) {
            if set.iter().any(|&item| is_sensitive(item)) {
                continue;
            }
            let mut most = 0;
            for own in (0..sensitive.len() as u32).filter(|&own| is_sensitive(own)) {
                let holds = |basket: &&[u32]| Baskets::contains_all(basket, &set) && basket.contains(&own);
                most = most.max(baskets.iter().filter(holds).count() as u64);
            }
            largest = largest.max(most as f64 / support as f64);
            failing += u64::from(support < asked.k || exceeds(most, support, asked.h));
        }
        (failing, largest)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn coherence_by_brute_force(
            baskets in small_baskets(6, 5), marks in 0u32..64, h in 0.2f64..1.0, k in 1u64..4, p in 1usize..4,
        ) {
            let sensitive: Vec<bool> = (0..6).map(|item| marks >> item & 1 == 1).collect();
            let asked = Coherence { h, k, p };
            let verdict = coherence(&baskets, &sensitive, asked, &Silent).unwrap();
            let (failing, largest) = by_definition(&baskets, &sensitive, asked);
            prop_assert_eq!(verdict.failing, failing);
            prop_assert!((verdict.largest_share.unwrap() - largest).abs() < 1e-12);
            let diverse = diversity(&baskets, &sensitive, 1.0 / h, p, &Silent).unwrap();
            prop_assert_eq!(diverse.failing, by_definition(&baskets, &sensitive, Coherence { h, k: 1, p }).0);
        }
    }

    #[test]
    fn exactly_one_of_l_is_diverse() {
        let baskets = Baskets::of([vec![0, 1], vec![0], vec![0]]);
        assert!(diversity(&baskets, &[false, true], 3.0, 1, &Silent).unwrap().holds);
        assert!(!diversity(&baskets, &[false, true], 3.1, 1, &Silent).unwrap().holds);
    }
}
