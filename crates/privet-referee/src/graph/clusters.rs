//! Releases that hold no network: clusters with numbers of edges (survey AP-04), and noisy degrees.

use std::collections::BTreeMap;

use privet_data::Progress;
use privet_release::{Check, OpenError, ReleaseFolder};

use super::{Network, at_least, numbers};

/// Numbers of edges by pair of clusters.
type Counts = BTreeMap<(u64, u64), u64>;

/// Checks clusters, their edges and the sample graphs.
pub(super) fn clusters(
    folder: &ReleaseFolder,
    nodes: u64,
    samples: u64,
    progress: &dyn Progress,
) -> Result<Vec<Check>, OpenError> {
    let rows = numbers(folder, "clusters.csv", "cluster", progress)?;
    let sizes = numbers(folder, "clusters.csv", "nodes", progress)?;
    let sizes: Vec<u64> = sizes.iter().map(|&own| u64::try_from(own).unwrap_or(0)).collect();
    let mut checks = Vec::new();
    let are_numbered = rows.iter().zip(0..).all(|(&own, row)| own == row);
    let total = sizes.iter().fold(0u64, |sum, &own| sum.saturating_add(own));
    checks.push(match are_numbered && total == nodes {
        true => Check::passed("clusters", format!("{} clusters of {nodes} nodes together", sizes.len())),
        false => Check::failed(
            "clusters",
            "the clusters are not numbered from 0 on, or have not the stated nodes together",
        ),
    });
    if !are_numbered || total != nodes {
        return Ok(checks);
    }
    let (counts, check) = edges(folder, &sizes, progress)?;
    checks.push(check);
    for promised in &folder.envelope().promises {
        checks.push(match promised.id.as_str() {
            "k-clusters" => {
                let k = promised.whole("k").unwrap_or(u64::MAX);
                let least = sizes.iter().copied().min();
                let mut check = at_least("k-clusters", k, least, "cluster");
                if check.ok {
                    check.detail = format!("every cluster has {} nodes or more", least.unwrap_or(0));
                }
                check
            }
            _ => Check::failed(&promised.id, "this form of release has no such promise"),
        });
    }
    let mut cluster_of = Vec::with_capacity(nodes as usize);
    for (cluster, &size) in sizes.iter().enumerate() {
        cluster_of.extend(std::iter::repeat_n(cluster as u64, size as usize));
    }
    for number in 1..=samples {
        let file = format!("sample-{number}.csv");
        let sample = Network::read(folder, &file, nodes, false, progress)?;
        let mut found: Counts = BTreeMap::new();
        for (a, around) in sample.around.iter().enumerate() {
            for &b in around.iter().filter(|&&b| (b as usize) > a) {
                let (a, b) = (cluster_of[a], cluster_of[b as usize]);
                *found.entry((a.min(b), a.max(b))).or_default() += 1;
            }
        }
        checks.push(match sample.problems.is_empty() && found == counts {
            true => Check::passed("samples", format!("{file} has the published numbers of edges")),
            false => {
                Check::failed("samples", format!("{file} has other numbers of edges than are published"))
            }
        });
    }
    Ok(checks)
}

fn edges(
    folder: &ReleaseFolder,
    sizes: &[u64],
    progress: &dyn Progress,
) -> Result<(Counts, Check), OpenError> {
    let file = "cluster-edges.csv";
    let mut columns = Vec::new();
    for name in ["source", "target", "edges"] {
        columns.push(numbers(folder, file, name, progress)?);
    }
    let mut counts: Counts = BTreeMap::new();
    let mut problem = None;
    for (row, ((&a, &b), &count)) in columns[0].iter().zip(&columns[1]).zip(&columns[2]).enumerate() {
        let size = |own: i64| usize::try_from(own).ok().and_then(|own| sizes.get(own).copied());
        let pairs = match (size(a), size(b)) {
            (Some(one), Some(_)) if a == b => Some(one * one.saturating_sub(1) / 2),
            (Some(one), Some(other)) if a < b => Some(one * other),
            _ => None,
        };
        let is_possible = count > 0 && pairs.is_some_and(|pairs| count as u64 <= pairs);
        if !is_possible || counts.insert((a as u64, b as u64), count as u64).is_some() {
            problem.get_or_insert(row + 1);
        }
    }
    let check = match problem {
        None => Check::passed(
            "edges",
            format!("{} pairs of clusters have possible numbers of edges", counts.len()),
        ),
        Some(record) => {
            let detail =
                format!("record {record} of {file} is no pair of clusters with a possible number of edges");
            Check::failed("edges", detail)
        }
    };
    Ok((counts, check))
}

/// Checks that published degrees follow from the noisy numbers, and that samples have them.
pub(super) fn degrees(
    folder: &ReleaseFolder,
    nodes: u64,
    samples: u64,
    progress: &dyn Progress,
) -> Result<Vec<Check>, OpenError> {
    let noisy = numbers(folder, "degrees.csv", "noisy", progress)?;
    let stated = numbers(folder, "degrees.csv", "degree", progress)?;
    let mut checks = Vec::new();
    let expected = fitted(&noisy, nodes);
    checks.push(match noisy.len() as u64 == nodes && expected == stated {
        true => Check::passed("degrees", "the degrees are the rising sequence nearest to the noisy numbers"),
        false => Check::failed("degrees", "the degrees do not follow from the noisy numbers"),
    });
    for promised in &folder.envelope().promises {
        let has_terms =
            promised.word("epsilon").is_some() && promised.whole("edges").is_some_and(|own| own > 0);
        checks.push(match promised.id.as_str() {
            "differential-privacy" if has_terms => Check::passed(
                "differential privacy",
                "the degrees depend on the network through noisy numbers alone",
            ),
            _ => Check::failed(&promised.id, "this form of release has no such promise"),
        });
    }
    let total: i64 = stated.iter().sum();
    for number in 1..=samples {
        let file = format!("sample-{number}.csv");
        let sample = Network::read(folder, &file, nodes, false, progress)?;
        let mut own = sample.degrees();
        own.sort_unstable();
        // Where no graph has the degrees, the largest were lowered until one has.
        let is_below = own.iter().zip(&stated).all(|(&own, &most)| own <= u64::try_from(most).unwrap_or(0));
        let lowered = total - own.iter().sum::<u64>() as i64;
        checks.push(match sample.problems.is_empty() && is_below && lowered >= 0 {
            true => {
                Check::passed("samples", format!("{file} has the published degrees, {lowered} ends left out"))
            }
            false => Check::failed("samples", format!("{file} has larger degrees than are published")),
        });
    }
    Ok(checks)
}

/// The nearest rising sequence: slopes of the greatest convex minorant of the sums, rounded, between 0 and the most that
/// a degree can be.
fn fitted(noisy: &[i64], nodes: u64) -> Vec<i64> {
    let mut sums = vec![0i128];
    noisy.iter().for_each(|&own| sums.push(sums[sums.len() - 1] + i128::from(own)));
    let mut hull: Vec<usize> = Vec::new();
    for place in 0..sums.len() {
        while let [.., a, b] = hull[..] {
            // The corner b lies on or above the line from a to this place.
            let is_above =
                (sums[b] - sums[a]) * (place - a) as i128 >= (sums[place] - sums[a]) * (b - a) as i128;
            if !is_above {
                break;
            }
            hull.pop();
        }
        hull.push(place);
    }
    let mut fitted = Vec::with_capacity(noisy.len());
    for pair in hull.windows(2) {
        let slope = (sums[pair[1]] - sums[pair[0]]) as f64 / (pair[1] - pair[0]) as f64;
        let degree = slope.round().clamp(0.0, nodes.saturating_sub(1) as f64) as i64;
        fitted.extend(std::iter::repeat_n(degree, pair[1] - pair[0]));
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_pools_what_falls() {
        assert_eq!(fitted(&[9, 14, 10], 100), [9, 12, 12]);
        assert_eq!(fitted(&[14, 9, 10, 15], 100), [11, 11, 11, 15]);
        assert_eq!(fitted(&[-3, 1, 99], 3), [0, 1, 2]);
        assert!(fitted(&[], 0).is_empty());
    }
}
