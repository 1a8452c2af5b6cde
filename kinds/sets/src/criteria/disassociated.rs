//! Sets taken apart (Terrovitis, Mamoulis, Liagouris and Skiadopoulos 2012) and the proof that k^m-anonymity holds.
//!
//! A cluster of baskets is published as record chunks, whose sub-records nobody can join, and a term chunk of items whose
//! supports nobody is told. *Guarantee*: for every set of at most m items that may have stood together in a basket of the
//! cluster, there is a reconstruction in which k baskets hold all of it. It holds when the cluster has k baskets, every
//! record chunk is k^m-anonymous, and the baskets that do not hold the set can all be filled: by the term chunk, or by
//! the sub-records that are left. With h = min(m, chunks) that is sum of sub-records ≥ baskets + k·(h − 1), because k
//! baskets may use up h sub-records each, and every other one needs one.

use privet_data::Progress;
use serde::Serialize;

use super::{Criterion, Verdict, k_m};
use crate::{Baskets, SetsError};

/// A cluster as it is published.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cluster {
    /// How many baskets it stands for.
    pub baskets: u64,
    /// The record chunks: sub-records in an order that says nothing. Empty sub-records are not published.
    pub chunks: Vec<Baskets>,
    /// The items whose supports are not told, in rising order.
    pub terms: Vec<u32>,
}

/// Baskets as clusters of chunks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Disassociated {
    /// The clusters.
    pub clusters: Vec<Cluster>,
}

impl Disassociated {
    /// The number of baskets.
    pub fn baskets(&self) -> u64 {
        self.clusters.iter().map(|cluster| cluster.baskets).sum()
    }

    /// Per item the fewest and the most baskets that may hold it: once per term chunk at least, and all of it at most.
    pub fn supports(&self, items: usize) -> Vec<Bounds> {
        let mut bounds = vec![Bounds::default(); items];
        for cluster in &self.clusters {
            for &item in cluster.chunks.iter().flat_map(|chunk| chunk.flat()) {
                bounds[item as usize].least += 1;
                bounds[item as usize].most += 1;
            }
            for &item in &cluster.terms {
                bounds[item as usize].least += 1;
                bounds[item as usize].most += cluster.baskets;
            }
        }
        bounds
    }
}

/// What a support lies between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Bounds {
    /// At least so many.
    pub least: u64,
    /// At most so many.
    pub most: u64,
}

/// Judges k^m-anonymity of sets that were taken apart.
///
/// # Errors
/// When there are too many sets to go through, or the person asks to stop.
pub fn judge_disassociated(
    published: &Disassociated,
    k: u64,
    m: usize,
    progress: &dyn Progress,
) -> Result<Verdict, SetsError> {
    let criterion = Criterion::KmAnonymity { k, m };
    criterion.check()?;
    let (mut failing, mut examined, mut least) = (0, 0, None::<u64>);
    for cluster in &published.clusters {
        for chunk in &cluster.chunks {
            let verdict = k_m(chunk, k, m, progress)?;
            failing += verdict.failing;
            examined += verdict.examined;
            least = least.into_iter().chain(verdict.least_support).min();
        }
        failing += u64::from(!is_sound(cluster, k, m));
        examined += 1;
    }
    Ok(Verdict {
        criterion,
        holds: failing == 0,
        least_support: least,
        largest_share: None,
        failing,
        examined,
    })
}

/// Whether everything but the chunks themselves is in order.
pub(crate) fn is_sound(cluster: &Cluster, k: u64, m: usize) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    let disjoint = cluster.chunks.iter().all(|chunk| {
        let own: std::collections::BTreeSet<u32> = chunk.flat().iter().copied().collect();
        own.iter().all(|&item| seen.insert(item))
    }) && cluster.terms.iter().all(|&item| seen.insert(item));
    let fits = cluster.chunks.iter().all(|chunk| {
        !chunk.is_empty() && chunk.len() as u64 <= cluster.baskets && chunk.filled() == chunk.len()
    });
    let total: u64 = cluster.chunks.iter().map(|chunk| chunk.len() as u64).sum();
    let h = cluster.chunks.len().min(m) as u64;
    let filled = !cluster.terms.is_empty() || total >= cluster.baskets + k * h.saturating_sub(1);
    cluster.baskets >= k && disjoint && fits && filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    fn cluster(baskets: u64, chunks: Vec<Vec<Vec<u32>>>, terms: Vec<u32>) -> Disassociated {
        let chunks = chunks.into_iter().map(Baskets::of).collect();
        Disassociated { clusters: vec![Cluster { baskets, chunks, terms }] }
    }

    /// Whether some joining of the chunks into baskets without an empty one has k baskets with all the known items, by
    /// going through all joinings.
    fn has_reconstruction(own: &Cluster, known: &[u32], k: u64) -> bool {
        fn place(own: &Cluster, chunk: usize, filled: &mut Vec<Vec<u32>>, known: &[u32], k: u64) -> bool {
            if chunk == own.chunks.len() {
                return filled.iter().all(|basket| !basket.is_empty())
                    && filled.iter().filter(|basket| known.iter().all(|item| basket.contains(item))).count()
                        as u64
                        >= k;
            }
            fn each(
                own: &Cluster,
                chunk: usize,
                record: usize,
                taken: u32,
                filled: &mut Vec<Vec<u32>>,
                known: &[u32],
                k: u64,
            ) -> bool {
                if record == own.chunks[chunk].len() {
                    return place(own, chunk + 1, filled, known, k);
                }
                let items = own.chunks[chunk].basket(record);
                (0..filled.len()).filter(|at| taken >> at & 1 == 0).any(|at| {
                    filled[at].extend(items);
                    let found = each(own, chunk, record + 1, taken | 1 << at, filled, known, k);
                    let length = filled[at].len() - items.len();
                    filled[at].truncate(length);
                    found
                })
            }
            each(own, chunk, 0, 0, filled, known, k)
        }
        place(own, 0, &mut vec![Vec::new(); own.baskets as usize], known, k)
    }

    /// The bound on sub-records is exact: at it there is a reconstruction, one below it there is none.
    #[test]
    fn the_bound_is_that_of_all_joinings() {
        let full = cluster(4, vec![vec![vec![0]; 3], vec![vec![1]; 3]], vec![]);
        assert!(judge_disassociated(&full, 2, 2, &Silent).unwrap().holds);
        assert!(has_reconstruction(&full.clusters[0], &[0, 1], 2));
        let short = cluster(4, vec![vec![vec![0]; 3], vec![vec![1]; 2]], vec![]);
        assert!(!judge_disassociated(&short, 2, 2, &Silent).unwrap().holds);
        assert!(!has_reconstruction(&short.clusters[0], &[0, 1], 2));
        // Whoever knows one item asks for less, and a term chunk fills every basket.
        assert!(judge_disassociated(&short, 2, 1, &Silent).unwrap().holds);
        assert!(has_reconstruction(&short.clusters[0], &[0], 2));
        let terms = cluster(4, vec![vec![vec![0]; 3], vec![vec![1]; 2]], vec![7]);
        assert!(judge_disassociated(&terms, 2, 2, &Silent).unwrap().holds);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let rare = cluster(4, vec![vec![vec![0], vec![1], vec![1]]], vec![9]);
        assert!(!judge_disassociated(&rare, 2, 1, &Silent).unwrap().holds);
        let twice = cluster(4, vec![vec![vec![0]; 2], vec![vec![0]; 2]], vec![9]);
        assert!(!judge_disassociated(&twice, 2, 1, &Silent).unwrap().holds);
        let small = cluster(1, vec![], vec![9]);
        assert!(!judge_disassociated(&small, 2, 1, &Silent).unwrap().holds);
        let empty = cluster(4, vec![vec![vec![0], vec![0], vec![]]], vec![9]);
        assert!(!judge_disassociated(&empty, 2, 1, &Silent).unwrap().holds);
        let bounds = cluster(4, vec![vec![vec![0]; 3]], vec![1]).supports(2);
        assert_eq!((bounds[0].least, bounds[0].most, bounds[1].least, bounds[1].most), (3, 3, 1, 4));
    }
}
