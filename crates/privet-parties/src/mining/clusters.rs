//! k-means over parts of a table. Coordinates are whole numbers: values in units of a declared grid.
//!
//! # What is revealed
//! Horizontal: the centroids of every round and how many records each has, where these reach the minimum; a centroid with fewer stays where it
//! is. Vertical: which cluster each record is in, in every round (Vaidya and Clifton), to parties that know these people by the alignment;
//! distances stay shares, and each party's part of a centroid stays with it until the end.
//!
//! At the end clusters with fewer records than the minimum are left out, and their records belong to the nearest centroid that is left, until
//! every cluster has enough: sizes are those of the published centroids.

use serde::{Deserialize, Serialize};

use super::joint::Joint;
use crate::error::PartyError;
use crate::protocol::compare::least;
use crate::session::Session;

/// Clusters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clusters {
    /// Per cluster a position on every axis.
    pub centroids: Vec<Vec<i64>>,
    /// Per cluster how many records are nearest to its centroid; at least the minimum, and at least one.
    pub sizes: Vec<u64>,
    /// Rounds until nothing moved, or the limit.
    pub rounds: usize,
}

/// Where centroids begin: spread over the declared ranges, the same for all parties, whatever the records.
pub fn beginning(ranges: &[(i64, i64)], clusters: usize) -> Vec<Vec<i64>> {
    let part = |cluster: usize, axis: usize| (cluster * (axis + 1)) % clusters;
    let at = |cluster: usize, axis: usize| {
        let (low, high) = ranges[axis];
        low + (high - low) * (2 * part(cluster, axis) as i64 + 1) / (2 * clusters as i64)
    };
    (0..clusters).map(|cluster| (0..ranges.len()).map(|axis| at(cluster, axis)).collect()).collect()
}

fn distance(point: &[i64], centroid: &[i64]) -> u64 {
    point.iter().zip(centroid).map(|(a, b)| a.abs_diff(*b).pow(2)).sum()
}

fn nearest(point: &[i64], centroids: &[Vec<i64>]) -> usize {
    (0..centroids.len()).min_by_key(|&own| (distance(point, &centroids[own]), own)).unwrap_or(0)
}

/// The whole number nearest to a mean.
fn mean(sum: i64, count: u64) -> i64 {
    let count = count as i64;
    (2 * sum + count).div_euclid(2 * count)
}

/// k-means over horizontal parts: `points` are this party's, one position per axis each.
///
/// # Errors
/// When the session fails.
pub fn horizontal(
    session: &mut Session<'_>,
    joint: &mut Joint,
    points: &[Vec<i64>],
    ranges: &[(i64, i64)],
    (clusters, rounds): (usize, usize),
) -> Result<Clusters, PartyError> {
    let mut centroids = beginning(ranges, clusters);
    let axes = ranges.len();
    let mut done = 0;
    for round in 1..=rounds {
        session.stage("moving the centroids", Some(rounds as u64));
        session.at(round as u64);
        let mut counts = vec![0u64; clusters];
        let mut sums = vec![0i64; clusters * axes];
        for point in points {
            let own = nearest(point, &centroids);
            counts[own] += 1;
            sums[own * axes..][..axes].iter_mut().zip(point).for_each(|(sum, value)| *sum += value);
        }
        let sizes = joint.open(session, &counts)?;
        let is_shown = |cluster: &usize| sizes[*cluster].is_some_and(|size| size > 0);
        let shown: Vec<usize> = (0..clusters).filter(is_shown).collect();
        let own: Vec<i64> = shown.iter().flat_map(|&own| sums[own * axes..][..axes].to_vec()).collect();
        let opened = joint.sums.sum_signed(session, &own)?;
        let before = centroids.clone();
        for (cluster, sums) in shown.iter().zip(opened.chunks(axes.max(1))) {
            let size = sizes[*cluster].unwrap_or(1);
            centroids[*cluster] = sums.iter().map(|sum| mean(*sum, size)).collect();
        }
        done = round;
        if before == centroids {
            break;
        }
    }
    loop {
        let mut counts = vec![0u64; centroids.len()];
        points.iter().for_each(|point| counts[nearest(point, &centroids)] += 1);
        let reached = joint.reached(session, &counts, joint.minimum().max(1))?;
        if keep(&mut centroids, &reached)? {
            let sizes = joint.sums.sum(session, &counts)?;
            return Ok(Clusters { centroids, sizes, rounds: done });
        }
    }
}

/// Leaves out the clusters that have too few records; whether all had enough.
fn keep<T>(clusters: &mut Vec<T>, reached: &[bool]) -> Result<bool, PartyError> {
    let mut has_enough = reached.iter();
    clusters.retain(|_| has_enough.next() == Some(&true));
    if clusters.is_empty() {
        return Err(PartyError::Refused("every cluster has fewer records than the minimum".to_owned()));
    }
    Ok(clusters.len() == reached.len())
}

/// k-means over vertical parts of the same records in the same order: `axes` are this party's columns, `ranges` those of all parties, and
/// `holders` tells per axis whose it is. The centroids are put together at the end; each record's cluster is known to all parties.
///
/// # Errors
/// When the session fails, or a cluster has fewer records than the minimum.
pub fn vertical(
    session: &mut Session<'_>,
    joint: &mut Joint,
    records: usize,
    axes: &[Vec<i64>],
    (ranges, holders): (&[(i64, i64)], &[usize]),
    (clusters, rounds): (usize, usize),
) -> Result<(Clusters, Vec<usize>), PartyError> {
    let mine: Vec<usize> = (0..ranges.len()).filter(|&axis| holders[axis] == session.me()).collect();
    let mut centroids = beginning(ranges, clusters);
    let mut assigned: Vec<usize> = Vec::new();
    let mut done = 0;
    for round in 1..=rounds {
        session.stage("assigning records to clusters", Some(rounds as u64));
        session.at(round as u64);
        let before = std::mem::take(&mut assigned);
        assigned = assign(session, joint, records, (axes, &mine), &centroids)?;
        done = round;
        if before == assigned {
            break;
        }
        for (cluster, centroid) in centroids.iter_mut().enumerate() {
            let members: Vec<usize> = (0..records).filter(|&record| assigned[record] == cluster).collect();
            // Parts of small clusters are not computed, so that they cannot be shown at the end.
            if members.is_empty() || (members.len() as u64) < joint.minimum() {
                continue;
            }
            for (axis, &place) in axes.iter().zip(&mine) {
                let sum = members.iter().map(|&record| axis[record]).sum();
                centroid[place] = mean(sum, members.len() as u64);
            }
        }
    }
    let sizes = loop {
        assigned = match centroids.len() {
            1 => vec![0; records],
            _ => assign(session, joint, records, (axes, &mine), &centroids)?,
        };
        let mut sizes = vec![0u64; centroids.len()];
        assigned.iter().for_each(|&own| sizes[own] += 1);
        let reached: Vec<bool> = sizes.iter().map(|&size| size >= joint.minimum().max(1)).collect();
        if keep(&mut centroids, &reached)? {
            break sizes;
        }
    };
    // Everybody adds its own axes, and 0 for those of others.
    let own: Vec<i64> = centroids
        .iter()
        .flat_map(|centroid| {
            centroid.iter().zip(holders).map(|(at, holder)| if *holder == session.me() { *at } else { 0 })
        })
        .collect();
    let opened = joint.sums.sum_signed(session, &own)?;
    let centroids = opened.chunks(ranges.len().max(1)).map(<[i64]>::to_vec).collect();
    Ok((Clusters { centroids, sizes, rounds: done }, assigned))
}

/// The nearest centroid of every record, from shares of distances along the axes of each party.
fn assign(
    session: &mut Session<'_>,
    joint: &mut Joint,
    records: usize,
    (axes, mine): (&[Vec<i64>], &[usize]),
    centroids: &[Vec<i64>],
) -> Result<Vec<usize>, PartyError> {
    let shares: Vec<Vec<u64>> = centroids
        .iter()
        .map(|centroid| {
            let share = |record: usize| {
                let parts = axes.iter().zip(mine);
                parts.map(|(axis, &place)| axis[record].abs_diff(centroid[place]).pow(2)).sum()
            };
            (0..records).map(share).collect()
        })
        .collect();
    let transfers = joint.transfers(session)?;
    least(session, transfers, &shares)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    /// Lloyd's algorithm of one owner.
    fn central(
        points: &[Vec<i64>],
        ranges: &[(i64, i64)],
        (clusters, rounds): (usize, usize),
        minimum: u64,
    ) -> (Vec<Vec<i64>>, Vec<u64>) {
        let mut centroids = beginning(ranges, clusters);
        for _ in 0..rounds {
            let before = centroids.clone();
            for (cluster, centroid) in centroids.iter_mut().enumerate() {
                let members: Vec<&Vec<i64>> =
                    points.iter().filter(|own| nearest(own, &before) == cluster).collect();
                if members.is_empty() || (members.len() as u64) < minimum {
                    continue;
                }
                for (axis, at) in centroid.iter_mut().enumerate() {
                    *at = mean(members.iter().map(|own| own[axis]).sum(), members.len() as u64);
                }
            }
            if before == centroids {
                break;
            }
        }
        loop {
            let size = |cluster: usize| {
                points.iter().filter(|own| nearest(own, &centroids) == cluster).count() as u64
            };
            let sizes: Vec<u64> = (0..centroids.len()).map(size).collect();
            if sizes.iter().all(|&size| size >= minimum.max(1)) {
                return (centroids, sizes);
            }
            let large = |own: &(Vec<i64>, &u64)| *own.1 >= minimum.max(1);
            centroids = centroids.into_iter().zip(&sizes).filter(large).map(|own| own.0).collect();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4))]
        #[test]
        fn parts_give_the_central_centroids(
            points in proptest::collection::vec(proptest::collection::vec(0i64..100, 3), 20..40),
            clusters in 2usize..4,
            minimum in prop_oneof![Just(0u64), Just(3)],
        ) {
            let ranges = [(0, 100); 3];
            let expected = central(&points, &ranges, (clusters, 5), minimum);
            let results = run_local(3, |session| {
                let mut joint = Joint::new(session, minimum)?;
                let own: Vec<Vec<i64>> = points.iter().skip(session.me()).step_by(3).cloned().collect();
                horizontal(session, &mut joint, &own, &ranges, (clusters, 5))
            });
            for result in results {
                let result = result.unwrap();
                prop_assert_eq!((result.centroids, result.sizes), expected.clone());
            }
            let holders = [0, 1, 0];
            let results = run_local(2, |session| {
                let mut joint = Joint::new(session, minimum)?;
                let mine = (0..3).filter(|&axis| holders[axis] == session.me());
                let axes: Vec<Vec<i64>> = mine.map(|axis| points.iter().map(|own| own[axis]).collect()).collect();
                vertical(session, &mut joint, points.len(), &axes, (&ranges, &holders), (clusters, 5))
            });
            for result in results {
                let result = result.unwrap().0;
                prop_assert_eq!((result.centroids, result.sizes), expected.clone());
            }
        }
    }
}
