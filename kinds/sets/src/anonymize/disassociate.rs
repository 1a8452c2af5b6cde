//! Disassociation (Terrovitis, Mamoulis, Liagouris and Skiadopoulos 2012): every item is published as it is, and what is
//! hidden is which rare items stood together.
//!
//! *Horizontal partitioning* halves the baskets by their most frequent item that was not used yet, until clusters are small.
//! *Vertical partitioning* cuts the items of a cluster into record chunks whose projections are k^m-anonymous, greedily from
//! the most frequent item on; items that fewer than k baskets of the cluster hold, and sensitive items, go to the term
//! chunk. Sub-records are ordered by content. *Guarantee*: `judge_disassociated` holds for what comes back.
//!
//! Departure from the source: clusters are not refined by shared chunks.

use privet_data::Progress;
use rayon::prelude::*;

use crate::criteria::{Cluster, Disassociated, judge_disassociated, k_m};
use crate::error::require;
use crate::{Baskets, SetsError};

/// How baskets are taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisassociateOptions {
    /// The fewest baskets that must be possible for what an adversary knows.
    pub k: u64,
    /// The most items an adversary knows.
    pub m: usize,
    /// Clusters of more baskets are halved where that leaves k in both halves.
    pub largest_cluster: usize,
}

/// Takes baskets apart. Empty baskets are left out. Sensitive items go to term chunks, where nothing tells whose they are.
///
/// # Errors
/// When a parameter makes no sense, or fewer than k baskets hold anything.
pub fn disassociate(
    baskets: &Baskets,
    sensitive: &[bool],
    options: DisassociateOptions,
    progress: &dyn Progress,
) -> Result<Disassociated, SetsError> {
    require(options.k >= 2, "k", "2 or more")?;
    require(options.m >= 1, "m", "1 or more")?;
    require(options.largest_cluster as u64 >= options.k, "largest-cluster", "at least k baskets")?;
    let filled: Vec<u32> =
        (0..baskets.len() as u32).filter(|&number| !baskets.basket(number as usize).is_empty()).collect();
    if filled.is_empty() {
        return Ok(Disassociated::default());
    }
    if (filled.len() as u64) < options.k {
        return Err(SetsError::Unreachable { k: options.k, baskets: filled.len() as u64 });
    }
    progress.stage("taking apart", None);
    let parts = horizontal(baskets, filled, options, progress)?;
    let mut clusters = parts
        .par_iter()
        .map(|numbers| {
            progress.check()?;
            let own = baskets.select(numbers.iter().map(|&number| number as usize));
            vertical(&own, sensitive, options, progress)
        })
        .collect::<Result<Vec<Cluster>, SetsError>>()?;
    clusters.sort_by(|a, b| order_of(a).cmp(&order_of(b)));
    let published = Disassociated { clusters };
    match judge_disassociated(&published, options.k, options.m, progress)?.holds {
        true => Ok(published),
        false => Err(SetsError::Unproven { method: "disassociation", criterion: "k^m-anonymity" }),
    }
}

/// Clusters are published by content: their order in the input tells nothing.
fn order_of(cluster: &Cluster) -> (&[u32], u64, Vec<&[u32]>) {
    (&cluster.terms, cluster.baskets, cluster.chunks.iter().map(Baskets::flat).collect())
}

/// Halves by the most frequent item until parts are small.
fn horizontal(
    baskets: &Baskets,
    all: Vec<u32>,
    options: DisassociateOptions,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, SetsError> {
    let codes = baskets.bound();
    let mut counts = vec![0u32; codes];
    let mut parts = Vec::new();
    let mut open: Vec<(Vec<u32>, Vec<u32>)> = vec![(all, Vec::new())];
    while let Some((numbers, used)) = open.pop() {
        progress.check()?;
        if numbers.len() <= options.largest_cluster {
            parts.push(numbers);
            continue;
        }
        for &number in &numbers {
            baskets.basket(number as usize).iter().for_each(|&item| counts[item as usize] += 1);
        }
        used.iter().for_each(|&item| counts[item as usize] = 0);
        // Halves of fewer than k baskets would not do; the next item may cut better.
        let limit = numbers.len() as u64 - options.k.min(numbers.len() as u64);
        let mut best: Option<(u32, u32)> = None;
        for &number in &numbers {
            for &item in baskets.basket(number as usize) {
                let count = std::mem::take(&mut counts[item as usize]);
                let fits = u64::from(count) >= options.k && u64::from(count) <= limit;
                if fits
                    && best.is_none_or(|(most, of)| {
                        (count, std::cmp::Reverse(item)) > (most, std::cmp::Reverse(of))
                    })
                {
                    best = Some((count, item));
                }
            }
        }
        let Some((_, item)) = best else {
            parts.extend(numbers.chunks(options.largest_cluster).map(<[u32]>::to_vec));
            // A last chunk of fewer than k baskets joins the one before.
            if parts.last().is_some_and(|last| (last.len() as u64) < options.k) && parts.len() > 1 {
                let last = parts.pop().unwrap_or_default();
                if let Some(before) = parts.last_mut() {
                    before.extend(last);
                }
            }
            continue;
        };
        let (with, without): (Vec<u32>, Vec<u32>) = numbers
            .into_iter()
            .partition(|&number| baskets.basket(number as usize).binary_search(&item).is_ok());
        let mut used_with = used.clone();
        used_with.push(item);
        open.push((without, used));
        open.push((with, used_with));
    }
    Ok(parts)
}

/// Cuts the items of a cluster into chunks.
fn vertical(
    cluster: &Baskets,
    sensitive: &[bool],
    options: DisassociateOptions,
    progress: &dyn Progress,
) -> Result<Cluster, SetsError> {
    let (k, m) = (options.k, options.m);
    let supports = cluster.supports(cluster.bound());
    let is_sensitive = |item: u32| sensitive.get(item as usize).copied().unwrap_or(false);
    let mut open: Vec<u32> = (0..supports.len() as u32).filter(|&item| supports[item as usize] > 0).collect();
    open.sort_by_key(|&item| (std::cmp::Reverse(supports[item as usize]), item));
    let (mut open, mut terms): (Vec<u32>, Vec<u32>) =
        open.into_iter().partition(|&item| supports[item as usize] >= k && !is_sensitive(item));
    let mut chunks: Vec<(Vec<u32>, Baskets)> = Vec::new();
    while !open.is_empty() {
        let mut chosen: Vec<u32> = Vec::new();
        let mut left = Vec::new();
        for &item in &open {
            chosen.push(item);
            // One item alone is in order: k baskets or more hold it.
            if chosen.len() > 1 && !k_m(&projected(cluster, &chosen), k, m, progress)?.holds {
                chosen.pop();
                left.push(item);
            }
        }
        let records = projected(cluster, &chosen);
        chunks.push((chosen, records));
        open = left;
    }
    let total = |chunks: &[(Vec<u32>, Baskets)]| chunks.iter().map(|(_, own)| own.len() as u64).sum::<u64>();
    let h = chunks.len().min(m) as u64;
    if terms.is_empty() && total(&chunks) < cluster.len() as u64 + k * h.saturating_sub(1) {
        // Not every joining would fill every basket: the rarest item gives up its support instead.
        let rarest =
            chunks.iter().flat_map(|(items, _)| items).min_by_key(|&&item| (supports[item as usize], item));
        if let Some(&rarest) = rarest {
            terms.push(rarest);
            for (items, records) in &mut chunks {
                items.retain(|&item| item != rarest);
                *records = projected(cluster, items);
            }
            chunks.retain(|(items, _)| !items.is_empty());
        }
    }
    terms.sort_unstable();
    let chunks = chunks.into_iter().map(|(_, records)| records.sorted()).collect();
    Ok(Cluster { baskets: cluster.len() as u64, chunks, terms })
}

/// The sub-records over some items, those that hold none left out.
fn projected(cluster: &Baskets, items: &[u32]) -> Baskets {
    let all = cluster.map(|item| items.contains(&item).then_some(item));
    all.select((0..all.len()).filter(|&number| !all.basket(number).is_empty()))
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
        fn nothing_is_lost_and_the_promise_holds(
            baskets in small_baskets(7, 5), k in 2u64..4, m in 1usize..4, extra in 0usize..4, marks in 0u32..128,
        ) {
            let sensitive: Vec<bool> = (0..7).map(|item| marks >> item & 1 == 1).collect();
            let options = DisassociateOptions { k, m, largest_cluster: k as usize + extra };
            let made = disassociate(&baskets, &sensitive, options, &Silent);
            let filled = baskets.filled() as u64;
            if filled > 0 && filled < k {
                prop_assert!(made.is_err());
                return Ok(());
            }
            // `judge_disassociated` ran within.
            let made = made.unwrap();
            prop_assert_eq!(made.baskets(), filled);
            let bounds = made.supports(7);
            for (item, support) in baskets.supports(7).into_iter().enumerate() {
                prop_assert!(bounds[item].least <= support && support <= bounds[item].most);
                let in_chunks = made.clusters.iter().flat_map(|own| &own.chunks).flat_map(Baskets::iter);
                let is_told = in_chunks.flatten().any(|&own| own as usize == item);
                prop_assert!(!(is_told && sensitive[item]));
            }
        }
    }

    #[test]
    fn what_is_frequent_stays_together() {
        let baskets = Baskets::of((0..30u32).map(|number| match number % 3 {
            0 => vec![0, 1],
            1 => vec![0, 1, 2],
            _ => vec![0, 3 + number],
        }));
        let options = DisassociateOptions { k: 5, m: 2, largest_cluster: 30 };
        let made = disassociate(&baskets, &[], options, &Silent).unwrap();
        assert_eq!(made.clusters.len(), 1);
        assert_eq!((made.clusters[0].chunks.len(), made.clusters[0].terms.len()), (1, 10));
        assert_eq!(made.clusters[0].chunks[0].support(&[0, 1, 2]), 10);
    }
}
