//! A differentially private degree sequence (Hay, Li, Miklau and Jensen 2009): degrees in rising order with discrete Laplace noise,
//! then the nearest rising sequence (isotonic regression), which takes most of the noise away again.
//!
//! Guarantee. epsilon-differential privacy for `edges` edges that come or go at once; the number of nodes is public. One
//! edge changes two degrees by one each, and sorting moves nothing further apart, so the sensitivity is 2 per edge. That
//! hides relationships, not people: someone with more than `edges` edges is not wholly hidden. All that follows the noise
//! looks at noisy numbers alone.

use privet_data::Random;
use privet_dp::{Epsilon, Noise};

use super::degrees::excess;
use crate::{Graph, GraphError, generate};

/// A degree sequence that may be published, in rising order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateDegrees {
    /// The noisy numbers.
    pub noisy: Vec<i64>,
    /// The nearest degrees in rising order: between 0 and the number of nodes less one.
    pub degrees: Vec<u32>,
}

/// The noise that hides so many edges.
///
/// # Errors
/// When `edges` is 0.
pub fn degree_noise(epsilon: &Epsilon, edges: u32) -> Result<Noise, GraphError> {
    if edges == 0 {
        return Err(GraphError::Parameter { key: "edges", accepted: "1 or more" });
    }
    Ok(Noise::laplace(2 * u128::from(edges), epsilon))
}

/// Draws a private degree sequence. The noise comes from the operating system.
///
/// # Errors
/// When the graph is directed or the noise hides fewer than `edges` edges.
pub fn private_degrees(graph: &Graph, noise: &Noise) -> Result<PrivateDegrees, GraphError> {
    graph.must_be_undirected("a private degree sequence")?;
    let mut degrees: Vec<u64> = graph.degrees().into_iter().map(u64::from).collect();
    degrees.sort_unstable();
    let noisy = noise.add_to_all(&degrees)?;
    let degrees = fitted(&noisy, graph.nodes());
    Ok(PrivateDegrees { noisy, degrees })
}

/// The degrees that belong to noisy numbers: the nearest rising sequence, rounded, within the bounds of degrees.
#[must_use]
pub fn fitted(noisy: &[i64], nodes: usize) -> Vec<u32> {
    let most = nodes.saturating_sub(1) as f64;
    isotonic(noisy).into_iter().map(|own| own.round().clamp(0.0, most) as u32).collect()
}

/// The rising sequence with the least sum of squared differences: neighbours that fall are pooled (Ayer and others 1955).
fn isotonic(values: &[i64]) -> Vec<f64> {
    let mut pools: Vec<(i128, usize)> = Vec::new();
    for &value in values {
        let mut own = (i128::from(value), 1usize);
        // Compared as products of whole numbers: mean of the last pool above that of this one.
        while let Some(&(sum, count)) = pools.last() {
            if sum * own.1 as i128 <= own.0 * count as i128 {
                break;
            }
            pools.pop();
            own = (sum + own.0, count + own.1);
        }
        pools.push(own);
    }
    let mut fitted = Vec::with_capacity(values.len());
    for (sum, count) in pools {
        fitted.extend(std::iter::repeat_n(sum as f64 / count as f64, count));
    }
    fitted
}

/// A graph drawn at random among those with these degrees, or with the nearest ones that belong to a graph: largest degrees
/// are lowered until one exists. It is a model of the network, and no node of it is a person.
///
/// # Errors
/// When the person asked to stop.
pub fn sampled_from_degrees(
    degrees: &[u32],
    seed: u64,
    progress: &dyn privet_data::Progress,
) -> Result<Graph, GraphError> {
    let mut wanted = degrees.to_vec();
    wanted.sort_unstable_by(|a, b| b.cmp(a));
    let nodes = wanted.len();
    wanted.iter_mut().for_each(|own| *own = (*own).min(nodes.saturating_sub(1) as u32));
    let total: u64 = wanted.iter().map(|&own| u64::from(own)).sum();
    if !total.is_multiple_of(2)
        && let Some(place) = wanted.iter().rposition(|&own| own > 0)
    {
        wanted[place] -= 1;
    }
    // Fewer ends at the top, two at least in each step; every graph lacks as many as the excess.
    loop {
        let ends = excess(&wanted);
        if ends == 0 {
            break;
        }
        progress.check()?;
        for _ in 0..ends + ends % 2 {
            if let Some(top) = wanted.first().copied().filter(|&top| top > 0) {
                let last = wanted.partition_point(|&own| own == top) - 1;
                wanted[last] -= 1;
            }
        }
    }
    let edges = havel_hakimi(&wanted, progress)?;
    let mut number: Vec<u32> = (0..nodes as u32).collect();
    Random::stream(seed, 22).shuffle(&mut number);
    let graph = Graph::of(nodes, &edges).renumbered(&number)?;
    Ok(generate::rewired(&graph, 10, seed))
}

/// Edges of a graph with falling degrees that belong to one: the node that lacks most is tied to those that lack most.
fn havel_hakimi(
    degrees: &[u32],
    progress: &dyn privet_data::Progress,
) -> Result<Vec<(u32, u32)>, GraphError> {
    // Nodes by what they lack; the heap of counts is a list of buckets.
    let most = degrees.first().copied().unwrap_or(0) as usize;
    let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); most + 1];
    for (node, &degree) in degrees.iter().enumerate() {
        buckets[degree as usize].push(node as u32);
    }
    let mut edges = Vec::new();
    let mut top = most;
    while top > 0 {
        let Some(node) = buckets[top].pop() else {
            top -= 1;
            continue;
        };
        if node.is_multiple_of(1024) {
            progress.check()?;
        }
        let mut lowered: Vec<(usize, u32)> = Vec::with_capacity(top);
        let mut level = top;
        while lowered.len() < top && level > 0 {
            match buckets[level].pop() {
                Some(other) => lowered.push((level - 1, other)),
                None => level -= 1,
            }
        }
        for (level, other) in lowered {
            edges.push((node, other));
            buckets[level].push(other);
        }
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::is_graphical;
    use privet_data::Silent;
    use proptest::prelude::*;

    /// The example of Hay and others: pools are means.
    #[test]
    fn falling_neighbours_are_pooled() {
        assert_eq!(isotonic(&[9, 14, 10]), [9.0, 12.0, 12.0]);
        assert_eq!(isotonic(&[14, 9, 10, 15]), [11.0, 11.0, 11.0, 15.0]);
        assert_eq!(fitted(&[-3, 1, 99], 3), [0, 1, 2]);
        assert!(fitted(&[], 0).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        /// No other rising sequence on a grid is nearer; and graphs have the degrees that were asked for.
        #[test]
        fn the_fit_is_the_nearest(values in prop::collection::vec(-3i64..4, 1..5)) {
            let distance = |own: &[f64]| -> f64 {
                own.iter().zip(&values).map(|(own, &value)| (own - value as f64).powi(2)).sum()
            };
            let fit = isotonic(&values);
            prop_assert!(fit.is_sorted());
            let steps = 13usize.pow(values.len() as u32);
            for code in 0..steps {
                let own: Vec<f64> = (0..values.len() as u32)
                    .map(|place| (code / 13usize.pow(place) % 13) as f64 / 2.0 - 3.0).collect();
                if own.is_sorted() {
                    prop_assert!(distance(&fit) <= distance(&own) + 1e-9);
                }
            }
        }

        #[test]
        fn graphs_have_the_degrees(degrees in prop::collection::vec(0u32..9, 0..12), seed in 0u64..3) {
            let graph = sampled_from_degrees(&degrees, seed, &Silent).unwrap();
            let mut own = graph.degrees();
            own.sort_unstable();
            let mut sorted = degrees;
            sorted.sort_unstable();
            if is_graphical(&sorted) {
                prop_assert_eq!(own, sorted);
            } else {
                prop_assert!(own.iter().sum::<u32>() < sorted.iter().sum::<u32>());
            }
        }
    }

    /// With a large epsilon the noise is nothing; with a small one the fit is far nearer than the noise.
    /// Mean squared errors differ by a factor of 20 or so here; a factor below 2 is no chance (< 1e-6).
    #[test]
    fn fitting_takes_noise_away() {
        let graph = generate::growing(2000, 4.0, 0.3, 1).unwrap();
        let mut real = graph.degrees();
        real.sort_unstable();
        let noise = degree_noise(&"40".parse().unwrap(), 1).unwrap();
        assert_eq!(private_degrees(&graph, &noise).unwrap().degrees, real);
        let noise = degree_noise(&"0.2".parse().unwrap(), 1).unwrap();
        let found = private_degrees(&graph, &noise).unwrap();
        let error = |own: &dyn Fn(usize) -> f64| -> f64 {
            (0..2000).map(|place| (own(place) - f64::from(real[place])).powi(2)).sum()
        };
        let (raw, fit) = (error(&|own| found.noisy[own] as f64), error(&|own| f64::from(found.degrees[own])));
        assert!(fit * 2.0 < raw, "{fit} {raw}");
        assert!(degree_noise(&"1".parse().unwrap(), 0).is_err());
    }
}
