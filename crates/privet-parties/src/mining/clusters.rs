//! k-means over parts of a table. Coordinates are whole numbers: values in units of a declared grid.
//!
//! # What is revealed
//! Horizontal: of every round the exact sums of coordinates and the sizes of clusters, and of every group of people who went the same way so
//! far, which clusters at least the minimum of them are nearest to. Sums of two rounds may be subtracted, so a person who moves alone would
//! show. Therefore no fewer than the minimum move alone: people who went the same way in all rounds are a path; where fewer than the minimum
//! of a path are nearest to a cluster, they count with the nearest cluster that enough of the path are nearest to, or all of the path stay
//! together. Every sum that is opened is then one over whole paths, and whatever is computed from sums of any rounds is a combination of sums
//! over paths, which have nobody or at least the minimum each. With a minimum of 1 this is Lloyd's algorithm as it is.
//!
//! Vertical: which cluster each record is in, in every round (Vaidya and Clifton), to parties that know these people by the alignment;
//! distances stay shares, and each party's part of a centroid stays with it until the end; at the end clusters with fewer records than the
//! minimum are left out, and their records belong to the nearest centroid that is left, until every cluster has enough.

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

/// Cells of paths and clusters that are compared with the minimum in a round; with more, the centroids stay where they are.
const MOST_CELLS: usize = 1 << 18;

/// People who were counted in the same clusters in all rounds so far: nobody, or at least the minimum, over all parties.
#[derive(Debug, Clone)]
struct Paths {
    /// The path of each of this party's people.
    of: Vec<usize>,
    /// The cluster that each path was counted in last; none before the first round.
    cluster: Vec<Option<usize>>,
}

impl Paths {
    /// Everybody together.
    fn beginning(people: usize) -> Self {
        Self { of: vec![0; people], cluster: vec![None] }
    }

    /// Where each of this party's people is counted.
    fn counted(&self) -> impl Iterator<Item = usize> {
        self.of.iter().filter_map(|&path| self.cluster[path])
    }

    /// Per cluster whether a path is counted there.
    fn used(&self, clusters: usize) -> Vec<bool> {
        (0..clusters).map(|own| self.cluster.contains(&Some(own))).collect()
    }
}

/// Counts everybody in the nearest cluster, as far as nobody moves with fewer than the minimum.
fn step(
    session: &mut Session<'_>,
    joint: &mut Joint,
    paths: &Paths,
    points: &[Vec<i64>],
    centroids: &[Vec<i64>],
) -> Result<Paths, PartyError> {
    let clusters = centroids.len();
    let wishes: Vec<usize> = points.iter().map(|point| nearest(point, centroids)).collect();
    if joint.minimum() <= 1 {
        return Ok(Paths { of: wishes, cluster: (0..clusters).map(Some).collect() });
    }
    let mut counts = vec![0u64; paths.cluster.len() * clusters];
    paths.of.iter().zip(&wishes).for_each(|(path, wish)| counts[path * clusters + wish] += 1);
    let minimum = joint.minimum();
    let reached = joint.reached(session, &counts, minimum)?;
    let mut next = Vec::new();
    let mut path_of = vec![0; counts.len()];
    for (path, before) in paths.cluster.iter().enumerate() {
        let first = next.len();
        let enough: Vec<usize> = (0..clusters).filter(|wish| reached[path * clusters + wish]).collect();
        if enough.is_empty() {
            let Some(before) = before else { return Err(too_few()) };
            next.push(Some(*before));
            path_of[path * clusters..][..clusters].fill(first);
            continue;
        }
        for wish in 0..clusters {
            let far = |own: usize| (own != wish, distance(&centroids[wish], &centroids[own]), own);
            let place = (0..enough.len()).min_by_key(|&place| far(enough[place])).unwrap_or(0);
            path_of[path * clusters + wish] = first + place;
        }
        next.extend(enough.into_iter().map(Some));
    }
    let of = paths.of.iter().zip(&wishes).map(|(path, wish)| path_of[path * clusters + wish]).collect();
    Ok(Paths { of, cluster: next })
}

fn too_few() -> PartyError {
    PartyError::Refused("every cluster has fewer records than the minimum".to_owned())
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
    let mut paths = Paths::beginning(points.len());
    let axes = ranges.len();
    let mut done = 0;
    for round in 1..=rounds {
        session.stage("moving the centroids", Some(rounds as u64));
        session.at(round as u64);
        if paths.cluster.len().saturating_mul(clusters) > MOST_CELLS {
            break;
        }
        paths = step(session, joint, &paths, points, &centroids)?;
        let mut sizes = vec![0u64; clusters];
        let mut sums = vec![0i64; clusters * axes];
        for (own, point) in paths.counted().zip(points) {
            sizes[own] += 1;
            sums[own * axes..][..axes].iter_mut().zip(point).for_each(|(sum, value)| *sum += value);
        }
        let used = paths.used(clusters);
        let shown: Vec<usize> = (0..clusters).filter(|&own| used[own]).collect();
        let own: Vec<u64> = shown.iter().map(|&own| sizes[own]).collect();
        let sizes = joint.sums.sum(session, &own)?;
        let own: Vec<i64> = shown.iter().flat_map(|&own| sums[own * axes..][..axes].to_vec()).collect();
        let opened = joint.sums.sum_signed(session, &own)?;
        let before = centroids.clone();
        for ((cluster, sums), size) in shown.iter().zip(opened.chunks(axes.max(1))).zip(sizes) {
            // Without a minimum a cluster may have nobody.
            if size > 0 {
                centroids[*cluster] = sums.iter().map(|sum| mean(*sum, size)).collect();
            }
        }
        done = round;
        if before == centroids {
            break;
        }
    }
    let sizes = last_sizes(session, joint, paths, points, &mut centroids)?;
    Ok(Clusters { centroids, sizes, rounds: done })
}

/// How many people are counted in each cluster at the end; clusters in which nobody is counted are left out.
fn last_sizes(
    session: &mut Session<'_>,
    joint: &mut Joint,
    mut paths: Paths,
    points: &[Vec<i64>],
    centroids: &mut Vec<Vec<i64>>,
) -> Result<Vec<u64>, PartyError> {
    loop {
        let last = step(session, joint, &paths, points, centroids)?;
        let used = last.used(centroids.len());
        if used.iter().all(|own| *own) {
            let mut counts = vec![0u64; centroids.len()];
            last.counted().for_each(|own| counts[own] += 1);
            let sizes = joint.sums.sum(session, &counts)?;
            let has_people: Vec<bool> = sizes.iter().map(|size| *size > 0).collect();
            if keep(centroids, &has_people)? {
                return Ok(sizes);
            }
            continue;
        }
        // Paths that were counted in a cluster that goes are counted in the nearest one that stays.
        let staying: Vec<usize> = (0..centroids.len()).filter(|&own| used[own]).collect();
        let moved = |own: usize| {
            (0..staying.len()).min_by_key(|&place| {
                (staying[place] != own, distance(&centroids[own], &centroids[staying[place]]), place)
            })
        };
        paths.cluster = paths.cluster.iter().map(|own| own.and_then(moved)).collect();
        keep(centroids, &used)?;
    }
}

/// Leaves out the clusters that are not kept; whether all were.
fn keep<T>(clusters: &mut Vec<T>, reached: &[bool]) -> Result<bool, PartyError> {
    let mut has_enough = reached.iter();
    clusters.retain(|_| has_enough.next() == Some(&true));
    if clusters.is_empty() {
        return Err(too_few());
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

    /// Where people are counted, by the whole history of each; the people of one history are a path. Fails when no group is large enough.
    fn counted_by_paths(
        histories: &[Vec<usize>],
        points: &[Vec<i64>],
        centroids: &[Vec<i64>],
        minimum: u64,
    ) -> Option<Vec<usize>> {
        let mut counted = Vec::new();
        for (history, point) in histories.iter().zip(points) {
            let same = || histories.iter().zip(points).filter(|own| own.0 == history);
            let wishing = |wish: usize| same().filter(|own| nearest(own.1, centroids) == wish).count() as u64;
            let enough = (0..centroids.len()).filter(|&wish| wishing(wish) >= minimum);
            let wish = nearest(point, centroids);
            let near = |own: &usize| (*own != wish, distance(&centroids[wish], &centroids[*own]), *own);
            counted.push(enough.min_by_key(near).or(history.last().copied())?);
        }
        Some(counted)
    }

    /// The same algorithm by one owner who keeps whole histories.
    fn central_by_paths(
        points: &[Vec<i64>],
        ranges: &[(i64, i64)],
        (clusters, rounds): (usize, usize),
        minimum: u64,
    ) -> Option<(Vec<Vec<i64>>, Vec<u64>)> {
        let mut centroids = beginning(ranges, clusters);
        let mut histories: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
        for _ in 0..rounds {
            let before = centroids.clone();
            let counted = counted_by_paths(&histories, points, &centroids, minimum)?;
            for (cluster, centroid) in centroids.iter_mut().enumerate() {
                let members: Vec<&Vec<i64>> =
                    points.iter().zip(&counted).filter(|own| *own.1 == cluster).map(|own| own.0).collect();
                for (axis, at) in centroid.iter_mut().enumerate().filter(|_| !members.is_empty()) {
                    *at = mean(members.iter().map(|own| own[axis]).sum(), members.len() as u64);
                }
            }
            histories.iter_mut().zip(counted).for_each(|(history, own)| history.push(own));
            // No opened cluster, and no two rounds together, tell of fewer than the minimum.
            for history in &histories {
                assert!(histories.iter().filter(|own| *own == history).count() as u64 >= minimum);
            }
            if before == centroids {
                break;
            }
        }
        // Paths stay what they are when their clusters are numbered anew.
        let path = |own: &Vec<usize>| histories.iter().position(|other| other == own).unwrap();
        let mut histories: Vec<Vec<usize>> =
            histories.iter().map(|own| vec![path(own), own.last().copied().unwrap_or(0)]).collect();
        loop {
            let counted = counted_by_paths(&histories, points, &centroids, minimum)?;
            let size = |cluster: usize| counted.iter().filter(|own| **own == cluster).count() as u64;
            let sizes: Vec<u64> = (0..centroids.len()).map(size).collect();
            if sizes.iter().all(|&size| size > 0) {
                return Some((centroids, sizes));
            }
            let staying: Vec<usize> = (0..sizes.len()).filter(|&own| sizes[own] > 0).collect();
            for last in histories.iter_mut().filter_map(|own| own.last_mut()) {
                let far = |place: &usize| {
                    (
                        staying[*place] != *last,
                        distance(&centroids[*last], &centroids[staying[*place]]),
                        *place,
                    )
                };
                *last = (0..staying.len()).min_by_key(far).unwrap();
            }
            centroids = staying.iter().map(|&own| centroids[own].clone()).collect();
        }
    }

    /// One person alone moves between two rounds: the difference of the sums of these rounds was this person's coordinates.
    #[test]
    fn nobody_moves_alone_between_opened_rounds() {
        let points: Vec<Vec<i64>> =
            (0..12).map(|own| vec![if own < 6 { 10 + own } else { 80 + own }]).chain([vec![47]]).collect();
        let beginning = vec![vec![30], vec![62]];
        let after = vec![vec![12], vec![88]];
        let results = run_local(2, |session| {
            let mut joint = Joint::new(session, 4)?;
            let own: Vec<Vec<i64>> = points.iter().skip(session.me()).step_by(2).cloned().collect();
            let first = step(session, &mut joint, &Paths::beginning(own.len()), &own, &beginning)?;
            // The last person is now nearer to the first centroid than to the second.
            let second = step(session, &mut joint, &first, &own, &after)?;
            Ok([first, second].map(|paths| {
                let mut sizes = vec![0u64; 2];
                paths.counted().for_each(|own| sizes[own] += 1);
                sizes
            }))
        });
        let total = |round: usize, cluster: usize| -> u64 {
            results.iter().map(|own| own.as_ref().unwrap()[round][cluster]).sum()
        };
        assert_eq!((nearest(&[47], &beginning), nearest(&[47], &after)), (1, 0));
        assert_eq!([total(0, 0), total(0, 1)], [6, 7]);
        assert_eq!([total(1, 0), total(1, 1)], [6, 7]);
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
            let by_paths = match minimum {
                0 => Some(central(&points, &ranges, (clusters, 5), minimum)),
                _ => central_by_paths(&points, &ranges, (clusters, 5), minimum),
            };
            let results = run_local(3, |session| {
                let mut joint = Joint::new(session, minimum)?;
                let own: Vec<Vec<i64>> = points.iter().skip(session.me()).step_by(3).cloned().collect();
                horizontal(session, &mut joint, &own, &ranges, (clusters, 5))
            });
            for result in results {
                prop_assert_eq!(result.ok().map(|own| (own.centroids, own.sizes)), by_paths.clone());
            }
            let expected = central(&points, &ranges, (clusters, 5), minimum);
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
