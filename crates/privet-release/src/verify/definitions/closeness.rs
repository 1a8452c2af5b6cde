//! t-closeness (survey PM-26, papers T-PM6): the distribution of a sensitive column in every class is within
//! a distance t of the one in the input.
//!
//! With s of n records suppressed the input is a mixture of the published table and an unknown rest of weight
//! s/n. The earth mover's distances then lie within s/n times the largest ground distance of the distance to the
//! published table; for the Kullback-Leibler divergence the bounds follow from c/n <= q <= (c+s)/n.

use std::collections::{BTreeMap, HashMap};

use privet_criteria::DistanceKind;

use super::transport::transport;
use super::{Judged, Reach, TOLERANCE, Worst};
use crate::manifest::Evidence;
use crate::verify::table::{Histogram, Released};
use crate::verify::values::MISSING;

/// What the ground distance between two values is made of.
pub(super) struct Ground<'a> {
    pub costs: &'a [(String, String, f64)],
    pub order: &'a [String],
    pub evidence: &'a Evidence,
}

/// Which bound of a distance is asked for; they differ when the costs depend on what is not published.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Low,
    High,
}

/// The distance of a class from the published table.
type Distance = Box<dyn Fn(&Histogram, Bound) -> f64>;

/// Per code a share of the whole.
type Distribution = Vec<f64>;

pub(super) fn t_closeness(
    kind: DistanceKind,
    t: f64,
    ground: &Ground<'_>,
    column: usize,
    released: &Released,
) -> Result<Judged, String> {
    if released.classes.is_empty() {
        return Ok(Judged::new(Worst::Largest, Vec::new()));
    }
    let texts = &released.table.columns[column].texts;
    let published = released.histogram(column);
    let distance: Distance = {
        let q = shares(&published, texts.len());
        let values = texts.len();
        match kind {
            DistanceKind::Variational | DistanceKind::Equal => {
                Box::new(move |h, _| variational(&shares(h, values), &q))
            }
            DistanceKind::Kl => Box::new(move |h, _| kullback_leibler(&shares(h, values), &q)),
            DistanceKind::Ordered => {
                let line = Line::new(ground, texts, released.suppressed)?;
                Box::new(move |h, _| line.distance(&shares(h, values), &q))
            }
            DistanceKind::Hierarchical => {
                let tree = Tree::new(ground.evidence, texts)?;
                Box::new(move |h, _| tree.distance(&shares(h, values), &q))
            }
            DistanceKind::Matrix => {
                let low = closed_costs(ground.costs, texts, released.suppressed > 0)?;
                let high = closed_costs(ground.costs, texts, false)?;
                let published = published.clone();
                Box::new(move |h, bound| {
                    transport(h, &published, if bound == Bound::Low { &low } else { &high })
                })
            }
        }
    };
    let (n, s) = (released.input_rows as f64, released.suppressed as f64);
    let farthest = match kind {
        DistanceKind::Matrix => ground.costs.iter().map(|cost| cost.2).fold(1.0, f64::max),
        _ => 1.0,
    };
    let histograms = released.histograms(column);
    let classes = histograms.iter().map(|histogram| {
        let far = distance(histogram, Bound::High);
        let (low, high) = if released.suppressed == 0 {
            (far, far)
        } else if kind == DistanceKind::Kl {
            let p = shares(histogram, texts.len());
            let most: Distribution = published.values().map(|&c| (c as f64 + s) / n).collect();
            (kullback_leibler(&p, &most).max(0.0), far + (n / released.table.rows as f64).ln())
        } else {
            ((distance(histogram, Bound::Low) - farthest * s / n).max(0.0), far + farthest * s / n)
        };
        Reach { low, high, broken: low > t + TOLERANCE }
    });
    Ok(Judged::new(Worst::Largest, classes.collect()))
}

fn shares(histogram: &Histogram, values: usize) -> Distribution {
    let total: u64 = histogram.values().sum();
    (0..values as u32).map(|code| histogram.get(&code).copied().unwrap_or(0) as f64 / total as f64).collect()
}

/// Half the sum of the absolute differences (20.13); also the earth mover's distance when all values are
/// equally far apart.
fn variational(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0
}

/// Sum of p ln(p/q), in nats (20.14); 0 ln 0 is 0.
fn kullback_leibler(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).filter(|(p, _)| **p > 0.0).map(|(p, q)| p * (p / q).ln()).sum()
}

/// Values in an order: neighbours are 1/(m-1) apart, m being the number of values of the input.
struct Line {
    /// The codes in their order, each with its rank.
    ranked: Vec<(u64, usize)>,
    size: u64,
}

impl Line {
    fn new(ground: &Ground<'_>, texts: &[String], suppressed: u64) -> Result<Self, String> {
        let evidence = ground.evidence;
        let (Some(ranks), Some(size)) = (&evidence.ranks, evidence.domain_size) else {
            return Err("the manifest does not say in which order the values stand".to_owned());
        };
        let rank_of = |(code, text): (usize, &String)| Some((*ranks.get(text)?, code));
        let ranked: Option<Vec<(u64, usize)>> = texts.iter().enumerate().map(rank_of).collect();
        let mut ranked = ranked.ok_or("the manifest gives no rank for some of the published values")?;
        ranked.sort_unstable();
        let distinct = ranked.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let inside = ranked.last().is_none_or(|last| last.0 < size);
        // With nothing suppressed, the published values are all there are.
        let complete = suppressed > 0 || size == texts.len() as u64;
        if !distinct || !inside || !complete {
            return Err("the ranks that the manifest gives contradict the table".to_owned());
        }
        if !follows_order(&ranked, texts, ground.order) {
            return Err("the ranks that the manifest gives do not follow the order of the values".to_owned());
        }
        Ok(Self { ranked, size })
    }

    /// What must be carried over each gap between neighbours, times the width of the gap.
    fn distance(&self, p: &[f64], q: &[f64]) -> f64 {
        let mut carried = 0.0;
        let mut work = 0.0;
        for pair in self.ranked.windows(2) {
            let ((rank, code), (next, _)) = (pair[0], pair[1]);
            carried += p[code] - q[code];
            work += f64::abs(carried) * (next - rank) as f64;
        }
        if self.size <= 1 { 0.0 } else { work / (self.size - 1) as f64 }
    }
}

/// Whether ranks follow the order that the requirement states or, when it states none, that of the numbers.
/// The natural order of other columns depends on what counts as missing, which only the owner knows.
fn follows_order(ranked: &[(u64, usize)], texts: &[String], order: &[String]) -> bool {
    let key: Option<Vec<f64>> = if order.is_empty() {
        // What is missing lies below the lowest number or date.
        let number = |&(_, code): &(u64, usize)| match &*texts[code] {
            MISSING => Some(f64::NEG_INFINITY),
            text => super::proximity::number(text),
        };
        ranked.iter().map(number).collect()
    } else {
        let position: HashMap<&String, usize> = order.iter().zip(0..).collect();
        // A value that the order does not name is ranked by the owner.
        let known = ranked.iter().filter_map(|&(_, code)| position.get(&texts[code]));
        Some(known.map(|&position| position as f64).collect())
    };
    key.is_none_or(|key| key.windows(2).all(|pair| pair[0] <= pair[1]))
}

/// Values under a hierarchy of H levels: two of them are as far apart as their first common label is high,
/// divided by H. That is a tree whose every edge has length 1/(2H), and on a tree the earth mover's distance is
/// the sum over the edges of their length times what is carried over them.
struct Tree {
    /// Per level below the root, per node the codes under it.
    nodes: Vec<Vec<Vec<usize>>>,
}

impl Tree {
    fn new(evidence: &Evidence, texts: &[String]) -> Result<Self, String> {
        let Some(ancestors) = &evidence.ancestors else {
            return Err("the manifest does not give the hierarchy of the values".to_owned());
        };
        let paths: Option<Vec<&Vec<String>>> = texts.iter().map(|text| ancestors.get(text)).collect();
        let paths =
            paths.ok_or("the manifest gives no place in the hierarchy for some of the published values")?;
        let levels = paths.first().map_or(0, |path| path.len());
        let leaves =
            paths.iter().zip(texts).all(|(path, text)| path.len() == levels && path.first() == Some(text));
        // Paths of one length can be compared level by level.
        let nested = leaves
            && (1..levels).all(|level| {
                let mut above: HashMap<&String, &String> = HashMap::new();
                paths
                    .iter()
                    .all(|path| *above.entry(&path[level - 1]).or_insert(&path[level]) == &path[level])
            });
        let one_root = paths.windows(2).all(|pair| pair[0].last() == pair[1].last());
        if levels < 2 || !leaves || !nested || !one_root {
            return Err(
                "the hierarchy that the manifest gives is not one of nested levels under one root".to_owned()
            );
        }
        let nodes = (0..levels - 1).map(|level| {
            let mut under: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
            for (code, path) in paths.iter().enumerate() {
                under.entry(&path[level]).or_default().push(code);
            }
            under.into_values().collect()
        });
        Ok(Self { nodes: nodes.collect() })
    }

    fn distance(&self, p: &[f64], q: &[f64]) -> f64 {
        let carried = |codes: &Vec<usize>| codes.iter().map(|&code| p[code] - q[code]).sum::<f64>().abs();
        let work: f64 = self.nodes.iter().flatten().map(carried).sum();
        work / (2 * self.nodes.len()) as f64
    }
}

/// Per pair of codes the cost of moving from one to the other, over other values where that is cheaper: the
/// linear program of the source allows it (papers DEF-3). Pairs without a cost are 1 apart. With `unseen`, there
/// may also be values that nothing is known of, 1 away from every other.
fn closed_costs(
    costs: &[(String, String, f64)],
    texts: &[String],
    unseen: bool,
) -> Result<Vec<Vec<f64>>, String> {
    if costs.iter().any(|cost| !cost.2.is_finite() || cost.2 < 0.0) {
        return Err("a cost is negative or not a number".to_owned());
    }
    let mut code_of: HashMap<&String, usize> = texts.iter().zip(0..).collect();
    for (from, to, _) in costs {
        for value in [from, to] {
            let next = code_of.len();
            code_of.entry(value).or_insert(next);
        }
    }
    let values = code_of.len() + usize::from(unseen);
    let mut matrix = vec![vec![1.0; values]; values];
    for (code, row) in matrix.iter_mut().enumerate() {
        row[code] = 0.0;
    }
    for (from, to, cost) in costs {
        let (from, to) = (code_of[from], code_of[to]);
        if from != to {
            matrix[from][to] = *cost;
            matrix[to][from] = *cost;
        }
    }
    for over in 0..values {
        for from in 0..values {
            for to in 0..values {
                let detour = matrix[from][over] + matrix[over][to];
                matrix[from][to] = matrix[from][to].min(detour);
            }
        }
    }
    Ok(matrix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_fx_t7_scalars() {
        let (p, q) = ([0.5, 0.5], [0.01, 0.99]);
        assert!((variational(&p, &q) - 0.49).abs() < 1e-12);
        assert!((kullback_leibler(&p, &q) - 1.614463).abs() < 1e-6);

        // Li et al.: salaries 3k..11k.
        let line = Line { ranked: (0..9).map(|i| (i, i as usize)).collect(), size: 9 };
        let class = |codes: [usize; 3]| {
            let mut p = vec![0.0; 9];
            codes.iter().for_each(|&code| p[code] = 1.0 / 3.0);
            p
        };
        let q = [1.0 / 9.0; 9];
        assert!((line.distance(&class([0, 1, 2]), &q) - 0.375).abs() < 1e-12);
        assert!((line.distance(&class([3, 5, 8]), &q) - 1.0 / 6.0).abs() < 1e-12);

        // The stomach example: three diseases on each of two branches.
        let texts: Vec<String> =
            ["ulcer", "gastritis", "cancer", "flu", "bronchitis", "pneumonia"].map(String::from).into();
        let branch = |i: usize| if i < 3 { "stomach" } else { "lung" };
        let paths = texts
            .iter()
            .enumerate()
            .map(|(i, text)| (text.clone(), vec![text.clone(), branch(i).to_owned(), "any".to_owned()]));
        let evidence = Evidence { ancestors: Some(paths.collect()), ..Evidence::default() };
        let tree = Tree::new(&evidence, &texts).unwrap();
        let q = [1.0 / 6.0; 6];
        let third = 1.0 / 3.0;
        assert!((tree.distance(&[third, third, third, 0.0, 0.0, 0.0], &q) - 0.5).abs() < 1e-12);
        assert!((tree.distance(&[third, 0.0, 0.0, third, third, 0.0], &q) - third).abs() < 1e-12);
    }

    #[test]
    fn papers_def_3_costs_are_closed_over_detours() {
        let texts: Vec<String> = ["a", "b", "c"].map(String::from).into();
        let cost = |from: &str, to: &str, cost| (from.to_owned(), to.to_owned(), cost);
        let costs = [cost("a", "b", 1.0), cost("b", "c", 1.0), cost("a", "c", 10.0)];
        assert_eq!(closed_costs(&costs, &texts, false).unwrap()[0][2], 2.0);
        let costs = [cost("a", "c", 10.0)];
        assert_eq!(closed_costs(&costs, &texts[..1], true).unwrap()[0][1], 2.0, "over a value not seen");
    }
}
