//! The membership changing ratio (thesis, section 3; E6): the share of people whose k-means cluster changes.
//!
//! Both clusterings have the same number of clusters and the same starts: ten draws of people, of which the clustering with the
//! least sum of squares counts. Labels mean nothing, so clusters are matched by what they share, the largest overlap first.
//! Nulls are filled with the item's mean in both.

use privet_data::{Progress, Random};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{filled, shared_items};
use crate::RatingsError;
use crate::attack::Released;

/// The most rounds of k-means.
const ROUNDS: usize = 50;
/// How many starts are tried.
const STARTS: u64 = 10;

/// How cluster membership changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Membership {
    /// How many clusters.
    pub clusters: u32,
    /// How many people.
    pub people: u64,
    /// How many of them are in another cluster.
    pub changed: u64,
    /// Control: how many are in another cluster when the original is clustered from other starts.
    pub control: u64,
}

impl Membership {
    /// The share of people whose cluster changed.
    pub fn ratio(&self) -> f64 {
        self.changed as f64 / self.people.max(1) as f64
    }
}

/// Clusters the original and the release.
///
/// # Errors
/// When there are fewer people than clusters, or the person asks to stop.
pub fn membership_change(
    on: &Released<'_>,
    clusters: u32,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Membership, RatingsError> {
    let people = on.original.users().len();
    let items = shared_items(on);
    if clusters == 0 || people < clusters as usize || items.is_empty() {
        return Err(RatingsError::Parameter {
            key: "clusters",
            accepted: "between 1 and the number of people",
        });
    }
    let (old, new): (Vec<u32>, Vec<u32>) = items.into_iter().unzip();
    let before = filled(on.original, &old, 0..people as u32);
    let after = filled(on.release, &new, on.row_of.iter().copied());
    let best_of = |cells: &[f32], stream: u64| -> Result<Vec<u32>, RatingsError> {
        let mut best: Option<(f64, Vec<u32>)> = None;
        for start in 0..STARTS {
            let mut order: Vec<u32> = (0..people as u32).collect();
            Random::stream(seed, stream + start).shuffle(&mut order);
            let (error, found) = k_means(cells, old.len(), &order[..clusters as usize], progress)?;
            if best.as_ref().is_none_or(|(least, _)| error < *least) {
                best = Some((error, found));
            }
        }
        Ok(best.map(|(_, found)| found).unwrap_or_default())
    };
    let (first, second) = (best_of(&before, 100)?, best_of(&after, 100)?);
    let control = best_of(&before, 100 + STARTS)?;
    let count = clusters as usize;
    Ok(Membership {
        clusters,
        people: people as u64,
        changed: changed(&first, &second, count),
        control: changed(&first, &control, count),
    })
}

/// Lloyd's algorithm from the rows `starts`: the sum of squares, and the cluster of each row, the first of equals.
fn k_means(
    cells: &[f32],
    width: usize,
    starts: &[u32],
    progress: &dyn Progress,
) -> Result<(f64, Vec<u32>), RatingsError> {
    let mut centres: Vec<f32> =
        starts.iter().flat_map(|&row| cells[row as usize * width..][..width].iter().copied()).collect();
    let mut cluster = vec![u32::MAX; cells.len() / width];
    for _ in 0..ROUNDS {
        progress.check()?;
        let nearest = |row: &[f32]| {
            let distance =
                |centre: &[f32]| centre.iter().zip(row).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
            let distances = centres.chunks(width).map(distance);
            distances.zip(0u32..).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, at)| at)
        };
        let next: Vec<u32> = cells.par_chunks(width).map(nearest).collect();
        let is_stable = next == cluster;
        cluster = next;
        if is_stable {
            break;
        }
        let (mut sum, mut count) = (vec![0.0f64; centres.len()], vec![0u32; starts.len()]);
        for (row, &own) in cells.chunks(width).zip(&cluster) {
            count[own as usize] += 1;
            let sums = &mut sum[own as usize * width..][..width];
            sums.iter_mut().zip(row).for_each(|(sum, &cell)| *sum += f64::from(cell));
        }
        for (at, centre) in centres.iter_mut().enumerate() {
            // A cluster that lost everybody stays where it is.
            if count[at / width] > 0 {
                *centre = (sum[at] / f64::from(count[at / width])) as f32;
            }
        }
    }
    let square = |(row, &own): (&[f32], &u32)| -> f64 {
        let centre = &centres[own as usize * width..][..width];
        centre.iter().zip(row).map(|(a, b)| f64::from((a - b) * (a - b))).sum()
    };
    Ok((cells.chunks(width).zip(&cluster).map(square).sum(), cluster))
}

fn changed(first: &[u32], second: &[u32], clusters: usize) -> u64 {
    let mut shared = vec![0u64; clusters * clusters];
    for (&a, &b) in first.iter().zip(second) {
        shared[a as usize * clusters + b as usize] += 1;
    }
    let mut pairs: Vec<usize> = (0..shared.len()).collect();
    pairs.sort_by_key(|&pair| std::cmp::Reverse(shared[pair]));
    let (mut taken, mut given) = (vec![false; clusters], vec![false; clusters]);
    let mut same = 0;
    for pair in pairs {
        let (a, b) = (pair / clusters, pair % clusters);
        if !taken[a] && !given[b] {
            (taken[a], given[b]) = (true, true);
            same += shared[pair];
        }
    }
    first.len() as u64 - same
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    #[test]
    fn renamed_clusters_are_the_same() {
        assert_eq!(changed(&[0, 0, 1, 1, 2], &[2, 2, 0, 0, 1], 3), 0);
        assert_eq!(changed(&[0, 0, 1, 1, 2], &[2, 0, 0, 0, 1], 3), 1);
    }

    #[test]
    fn two_heaps_are_found() {
        let cells = [1.0, 1.1, 5.0, 5.2, 0.9, 4.9].map(|cell| cell as f32);
        assert_eq!(k_means(&cells, 1, &[0, 1], &Silent).unwrap().1, [0, 0, 1, 1, 0, 1]);
    }
}
