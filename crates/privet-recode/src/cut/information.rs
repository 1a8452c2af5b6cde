//! What is gained by telling the children of a taxonomy's node apart, and lost by no longer doing so.
//!
//! Both depend on the column alone: of all records below a node, how they fall to its children.

use privet_data::Generalization;
use privet_measure::Metric;
use rayon::prelude::*;

use super::taxonomy::Taxonomy;

/// Gains below this are what rounding leaves of none.
const NOTHING: f64 = 1e-12;

/// Per node its information gain in bits: the entropy of the class labels below it, minus that below each child,
/// weighed by the child's records (papers II.7). 0 for leaves.
pub fn information_gain(taxonomy: &Taxonomy, codes: &[u32], labels: &[u32]) -> Vec<f64> {
    let pair =
        |(&code, &label): (&u32, &u32)| u64::from(taxonomy.leaf_of_code(code)) << 32 | u64::from(label);
    let mut pairs: Vec<u64> = codes.iter().zip(labels).map(pair).collect();
    pairs.par_sort_unstable();
    let mut counted: Vec<Vec<(u32, u64)>> = vec![Vec::new(); taxonomy.nodes().len()];
    for run in pairs.chunk_by(|a, b| a == b) {
        let node = taxonomy.leaves()[(run[0] >> 32) as usize];
        counted[node as usize].push((run[0] as u32, run.len() as u64));
    }
    let mut gains = vec![0.0; counted.len()];
    let mut entropies = vec![0.0; counted.len()];
    let mut totals = vec![0u64; counted.len()];
    // Children come after their parents.
    for (number, node) in taxonomy.nodes().iter().enumerate().rev() {
        if !node.is_leaf() {
            let children = node.children.start as usize..node.children.end as usize;
            let mut all: Vec<(u32, u64)> =
                children.clone().flat_map(|c| std::mem::take(&mut counted[c])).collect();
            all.sort_unstable();
            counted[number] = all
                .chunk_by(|a, b| a.0 == b.0)
                .map(|same| (same[0].0, same.iter().map(|(_, count)| count).sum()))
                .collect();
        }
        let total: u64 = counted[number].iter().map(|(_, count)| count).sum();
        totals[number] = total;
        entropies[number] = entropy(&counted[number], total);
        if !node.is_leaf() && total > 0 {
            let children = node.children.start as usize..node.children.end as usize;
            let within: f64 = children.map(|c| totals[c] as f64 / total as f64 * entropies[c]).sum();
            let gain = entropies[number] - within;
            gains[number] = if gain < NOTHING { 0.0 } else { gain };
        }
    }
    gains
}

fn entropy(counted: &[(u32, u64)], total: u64) -> f64 {
    let share = |count: u64| count as f64 / total as f64;
    -counted.iter().map(|&(_, count)| share(count) * share(count).log2()).sum::<f64>()
}

/// Per node what an additive metric loses in value when its children replace it: non-uniform entropy, or else
/// loss. `scale` is what one record counts in this column. 0 for leaves.
pub fn saving(
    metric: Metric,
    taxonomy: &Taxonomy,
    generalization: &Generalization,
    codes: &[u32],
    scale: f64,
) -> Vec<f64> {
    let mut records = vec![0u64; taxonomy.nodes().len()];
    for &code in codes {
        records[taxonomy.leaves()[taxonomy.leaf_of_code(code) as usize] as usize] += 1;
    }
    let mut savings = vec![0.0; records.len()];
    let cost = |node: usize| {
        let node = &taxonomy.nodes()[node];
        generalization.node_loss(generalization.levels[node.level].leaves[node.number as usize])
    };
    for (number, node) in taxonomy.nodes().iter().enumerate().rev() {
        let children = node.children.start as usize..node.children.end as usize;
        if node.is_leaf() {
            continue;
        }
        records[number] = children.clone().map(|child| records[child]).sum();
        let saved = children.filter(|&child| records[child] > 0).map(|child| {
            let each = match metric {
                Metric::NonUniformEntropy => (records[number] as f64 / records[child] as f64).log2(),
                _ => cost(number) - cost(child),
            };
            records[child] as f64 * each
        });
        savings[number] = saved.sum::<f64>() * scale;
    }
    savings
}

#[cfg(test)]
mod tests {
    use privet_data::{Domain, Hierarchy};

    use super::*;

    fn near(found: &[f64], expected: &[f64]) {
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 5e-7);
        assert!(close && found.len() == expected.len(), "{found:?} {expected:?}");
    }

    /// papers FX-L1: the nationalities (American, Indian, Japanese, Russian) and conditions (cancer, heart disease,
    /// viral infection) of its twelve records.
    const NATIONS: [u32; 12] = [3, 0, 2, 0, 1, 3, 0, 0, 0, 1, 2, 0];
    const CONDITIONS: [u32; 12] = [1, 1, 2, 2, 0, 1, 2, 2, 0, 0, 0, 0];

    fn nations() -> Generalization {
        let leaves: Vec<Box<str>> = ["A", "I", "J", "R"].map(Box::from).to_vec();
        let (domain, _) = Domain::canonical(leaves, |_| false);
        Hierarchy::flat(&domain).bind(&domain).unwrap()
    }

    /// 1.554585 bits in the whole table; American 1, 3, 2 of 6 has 1.459148, Japanese 1, 1 has 1, the others none:
    /// 1.554585 - 6/12 1.459148 - 2/12 = 0.658345.
    #[test]
    fn gain_of_nationality() {
        let tree = Taxonomy::new(&nations(), &[true; 4]);
        near(&information_gain(&tree, &NATIONS, &CONDITIONS), &[0.658345, 0.0, 0.0, 0.0, 0.0]);
        near(&information_gain(&tree, &NATIONS, &[0; 12]), &[0.0; 5]);
        near(&information_gain(&tree, &[], &[]), &[0.0; 5]);
    }

    /// Loss falls from 1 to 0 for every record. Entropy: six records lose 1 bit, six lose log2 6.
    #[test]
    fn saving_of_nationality() {
        let generalization = nations();
        let tree = Taxonomy::new(&generalization, &[true; 4]);
        let of = |metric| saving(metric, &tree, &generalization, &NATIONS, 1.0 / 12.0);
        near(&of(Metric::Loss), &[1.0, 0.0, 0.0, 0.0, 0.0]);
        near(&of(Metric::NonUniformEntropy), &[(6.0 + 6.0 * 6f64.log2()) / 12.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
