//! Baskets taken apart: every record chunk is k^m-anonymous, and every set of known items has k baskets that may hold it.

use std::collections::{BTreeMap, BTreeSet};

use privet_data::Progress;
use privet_release::{Check, OpenError, ReleaseFolder};

use super::{MOST, Rows, count_sets};

const CLUSTERS: &str = "clusters.csv";
const CHUNKS: &str = "chunks.csv";

#[derive(Default)]
struct Cluster {
    baskets: u64,
    terms: BTreeSet<u32>,
    /// Per chunk and record its items.
    chunks: BTreeMap<u64, BTreeMap<u64, BTreeSet<u32>>>,
}

pub(super) fn verify(
    folder: &ReleaseFolder,
    baskets: u64,
    progress: &dyn Progress,
) -> Result<Vec<Check>, OpenError> {
    let clusters = read(folder, progress)?;
    let total: u64 = clusters.iter().map(|cluster| cluster.baskets).sum();
    let mut checks = vec![match total == baskets {
        true => Check::passed("form", format!("{baskets} baskets in {} clusters", clusters.len())),
        false => {
            Check::failed("form", format!("the clusters have {total} baskets, the manifest says {baskets}"))
        }
    }];
    for promised in &folder.envelope().promises {
        let name = "k^m-anonymity";
        let (Some(k), Some(m)) = (promised.whole("k"), promised.whole("m").filter(|m| (1..=64).contains(m)))
        else {
            checks.push(Check::failed(
                promised.id.clone(),
                "this form of release promises k^m-anonymity with k and m",
            ));
            continue;
        };
        if promised.id != "k-m-anonymity" {
            checks.push(Check::failed(promised.id.clone(), "this form of release has no such promise"));
            continue;
        }
        let mut problem = None;
        for (number, cluster) in clusters.iter().enumerate() {
            progress.check()?;
            problem =
                problem.or_else(|| problem_of(cluster, k, m).map(|own| format!("cluster {number}: {own}")));
        }
        checks.push(match problem {
            None => Check::passed(
                name,
                format!("whoever knows {m} items can be in {k} baskets of each cluster that fits"),
            ),
            Some(problem) => Check::failed(name, problem),
        });
    }
    Ok(checks)
}

fn read(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Cluster>, OpenError> {
    let list = Rows::read(folder, CLUSTERS, progress)?;
    let sizes: Vec<u64> = list.numbers(folder, CLUSTERS, "baskets")?;
    let mut clusters: Vec<Cluster> =
        sizes.into_iter().map(|baskets| Cluster { baskets, ..Cluster::default() }).collect();
    let rows = Rows::read(folder, CHUNKS, progress)?;
    let of_cluster: Vec<usize> = rows.numbers(folder, CHUNKS, "cluster")?;
    let of_chunk: Vec<u64> = rows.numbers(folder, CHUNKS, "chunk")?;
    let of_record: Vec<u64> = rows.numbers(folder, CHUNKS, "record")?;
    let item = rows.column(folder, CHUNKS, "item")?;
    for row in 0..rows.table.rows {
        let cluster = clusters.get_mut(of_cluster[row]);
        let cluster =
            cluster.ok_or_else(|| folder.malformed(CHUNKS, "a chunk belongs to no listed cluster"))?;
        match of_chunk[row] {
            0 => _ = cluster.terms.insert(item.codes[row]),
            chunk => {
                let records = cluster.chunks.entry(chunk).or_default();
                records.entry(of_record[row]).or_default().insert(item.codes[row]);
            }
        }
    }
    Ok(clusters)
}

/// What is wrong with a cluster, if anything.
fn problem_of(cluster: &Cluster, k: u64, m: u64) -> Option<String> {
    if cluster.baskets < k {
        return Some(format!("it has {} baskets, fewer than {k}", cluster.baskets));
    }
    let mut seen: BTreeSet<u32> = cluster.terms.clone();
    let mut records_in_all = 0;
    for records in cluster.chunks.values() {
        let own: BTreeSet<u32> = records.values().flatten().copied().collect();
        if own.iter().any(|item| seen.contains(item)) {
            return Some("an item stands in two chunks".to_owned());
        }
        seen.extend(own);
        records_in_all += records.len() as u64;
        if records.len() as u64 > cluster.baskets {
            return Some("a chunk has more records than the cluster has baskets".to_owned());
        }
        let records: Vec<Vec<u32>> = records.values().map(|own| own.iter().copied().collect()).collect();
        let mut rare = 0u64;
        if !count_sets(&records, m as usize, &mut |_, count| rare += u64::from(count < k)) {
            return Some(format!("more than {MOST} sets; the promise cannot be checked in full"));
        }
        if rare > 0 {
            return Some(format!(
                "{rare} sets of at most {m} items stand in fewer than {k} records of a chunk"
            ));
        }
    }
    // With no term chunk to fill them, the baskets without the known items need a record each of those that are left, when k
    // baskets have taken one from each of h chunks.
    let h = (cluster.chunks.len() as u64).min(m);
    let left = records_in_all.saturating_sub(k * h);
    if cluster.terms.is_empty() && left < cluster.baskets - k {
        return Some("too few records to fill every basket, so that chunks can be joined".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(baskets: u64, chunks: &[&[&[u32]]], terms: &[u32]) -> Cluster {
        let records =
            |chunk: &[&[u32]]| (0..).zip(chunk.iter().map(|own| own.iter().copied().collect())).collect();
        let chunks = (1..).zip(chunks.iter().map(|chunk| records(chunk))).collect();
        Cluster { baskets, terms: terms.iter().copied().collect(), chunks }
    }

    #[test]
    fn clusters_one_by_one() {
        assert!(problem_of(&cluster(4, &[&[&[0], &[0], &[0]], &[&[1], &[1], &[1]]], &[]), 2, 2).is_none());
        assert!(problem_of(&cluster(4, &[&[&[0], &[0], &[0]], &[&[1], &[1]]], &[]), 2, 2).is_some());
        assert!(problem_of(&cluster(4, &[&[&[0], &[0], &[0]], &[&[1], &[1]]], &[9]), 2, 2).is_none());
        assert!(problem_of(&cluster(4, &[&[&[0], &[0, 1]]], &[9]), 2, 1).is_some());
        assert!(problem_of(&cluster(1, &[], &[9]), 2, 1).is_some());
        assert!(problem_of(&cluster(4, &[&[&[0], &[0]]], &[0]), 2, 1).is_some());
    }
}
