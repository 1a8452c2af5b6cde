//! The probabilities of levels of agreement among matches and among other pairs, and the share of matches, by the
//! expectation-maximization algorithm over the counts of patterns.
//!
//! To agree more closely never speaks against a match: of all estimates the likeliest is sought for which the odds of a match do not fall
//! from a level to a closer one. Without that, on releases where many fit many, pairs that differ may be taken for matches because they
//! go together for another reason.
//!
//! **Guarantee.** The likelihood of the counts never falls from one round to the next (up to rounding). It may end in a
//! local maximum. Of the two kinds of pairs, the one that agrees more is called matches.

use serde::{Deserialize, Serialize};

use super::Pairs;

/// Probabilities below this are taken for it when weights are computed, so that no level decides alone.
const FLOOR: f64 = 1e-9;

/// When estimation ends, and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The most rounds.
    pub rounds: usize,
    /// It ends when a round raises the mean log-likelihood of a pair by no more than this.
    pub close: f64,
    /// The share of matches that it begins with; `None`: as if everybody on the shorter side had one.
    pub share: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { rounds: 2000, close: 1e-10, share: None }
    }
}

/// What was estimated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimation {
    /// The share of matches among the pairs.
    pub share: f64,
    /// Per column and level its probability among matches.
    pub m: Vec<Vec<f64>>,
    /// Per column and level its probability among other pairs.
    pub u: Vec<Vec<f64>>,
    /// Per pattern the probability that a pair with it is a match.
    pub posterior: Vec<f64>,
    /// Per pattern its weight: the sum of log2(m/u).
    pub weights: Vec<f64>,
    /// The log-likelihood after each round, the start included.
    pub log_likelihood: Vec<f64>,
}

impl Estimation {
    /// The weight of a level: log2(m/u), with both at least 10^-9.
    pub fn weight(&self, column: usize, level: u32) -> f64 {
        let of = |p: &[Vec<f64>]| p.get(column).and_then(|p| p.get(level as usize)).copied();
        match (of(&self.m), of(&self.u)) {
            (Some(m), Some(u)) => (m.max(FLOOR) / u.max(FLOOR)).log2(),
            _ => 0.0,
        }
    }
}

/// Estimates from the patterns of pairs. Without pairs nothing is learned: no match, and weights of 0.
pub fn estimate(pairs: &Pairs, options: &Options) -> Estimation {
    let total: f64 = pairs.counts.iter().map(|&count| count as f64).sum();
    let everywhere = frequencies(pairs, &vec![1.0; pairs.counts.len()]);
    let mut found = Estimation {
        share: 0.0,
        m: everywhere.clone(),
        u: everywhere,
        posterior: vec![0.0; pairs.counts.len()],
        weights: vec![0.0; pairs.counts.len()],
        log_likelihood: Vec::new(),
    };
    if total == 0.0 {
        return found;
    }
    let usual = pairs.rows.0.min(pairs.rows.1) as f64 / total;
    found.share = options.share.filter(|share| share.is_finite()).unwrap_or(usual).clamp(1e-9, 0.5);
    // Nobody has several records: more matches than that are pairs that go together for another reason, such as those of one
    // sex. The likelihood still never falls: under this bound its maximum is the bound.
    let most = found.share.max(usual).min(1.0);
    // Matches agree as closely as is possible nine times of ten; other pairs are as pairs are.
    for levels in &mut found.m {
        let count = levels.len() as f64;
        let best = levels.len().saturating_sub(1);
        for (level, p) in levels.iter_mut().enumerate() {
            *p = if count < 2.0 {
                1.0
            } else if level == best {
                0.9
            } else {
                0.1 / (count - 1.0)
            };
        }
    }
    let mut likelihood = found.expectation(pairs);
    found.log_likelihood.push(likelihood);
    for _ in 0..options.rounds {
        let others: Vec<f64> = found.posterior.iter().map(|p| 1.0 - p).collect();
        let (mut of_matches, mut of_others) = (sums(pairs, &found.posterior), sums(pairs, &others));
        of_matches.iter_mut().zip(&mut of_others).for_each(|(matches, others)| order(matches, others));
        found.m = keep_unseen(normalized(of_matches), &found.m);
        found.u = keep_unseen(normalized(of_others), &found.u);
        let matches = pairs.counts.iter().zip(&found.posterior).map(|(&n, p)| n as f64 * p).sum::<f64>();
        found.share = (matches / total).clamp(0.0, most);
        let next = found.expectation(pairs);
        found.log_likelihood.push(next);
        if next - likelihood <= options.close * total {
            break;
        }
        likelihood = next;
    }
    if found.agreement(&found.m) < found.agreement(&found.u) {
        std::mem::swap(&mut found.m, &mut found.u);
        found.share = 1.0 - found.share;
        found.expectation(pairs);
    }
    found.weights = pairs
        .patterns
        .iter()
        .map(|pattern| {
            let levels = pattern.iter().enumerate();
            levels.filter_map(|(c, level)| level.map(|level| found.weight(c, level))).sum()
        })
        .collect();
    found
}

impl Estimation {
    /// Per pattern the probability of a match; the log-likelihood of all.
    fn expectation(&mut self, pairs: &Pairs) -> f64 {
        let mut likelihood = 0.0;
        for ((pattern, &count), posterior) in
            pairs.patterns.iter().zip(&pairs.counts).zip(&mut self.posterior)
        {
            let logarithm = |p: &[Vec<f64>], share: f64| {
                let of = |(p, level): (&Vec<f64>, &Option<u32>)| {
                    level.map(|level| p.get(level as usize).copied().unwrap_or(0.0).ln())
                };
                share.ln() + p.iter().zip(pattern).filter_map(of).sum::<f64>()
            };
            let (a, b) = (logarithm(&self.m, self.share), logarithm(&self.u, 1.0 - self.share));
            let largest = a.max(b);
            // A pattern that both have excluded was excluded by rounding: it stays what it was.
            if largest > f64::NEG_INFINITY {
                let sum = (a - largest).exp() + (b - largest).exp();
                *posterior = (a - largest).exp() / sum;
                likelihood += count as f64 * (largest + sum.ln());
            }
        }
        likelihood
    }

    /// How closely pairs agree, level by level, summed over columns.
    fn agreement(&self, p: &[Vec<f64>]) -> f64 {
        let of = |levels: &Vec<f64>| {
            let most = levels.len().saturating_sub(1).max(1) as f64;
            levels.iter().enumerate().map(|(level, p)| level as f64 / most * p).sum::<f64>()
        };
        p.iter().map(of).sum()
    }
}

/// Makes the share of matches among the pairs of a level rise with the level, as likely as possible: neighbours for which it falls have
/// it in common (pooling of adjacent violators).
fn order(matches: &mut [f64], others: &mut [f64]) {
    // Levels that have their share in common, from the lowest: where they end, their matches, and all of them.
    let mut pools: Vec<(usize, f64, f64)> = Vec::with_capacity(matches.len());
    for (level, (own, other)) in matches.iter().zip(others.iter()).enumerate() {
        let mut pool = (level + 1, *own, own + other);
        while let Some(&(_, before, of)) = pools.last() {
            // Without division, so that a level without pairs goes with either side.
            if before * pool.2 <= pool.1 * of {
                break;
            }
            pool = (pool.0, pool.1 + before, pool.2 + of);
            pools.pop();
        }
        pools.push(pool);
    }
    let mut begin = 0;
    for (end, own, all) in pools {
        for level in begin..end {
            let here = matches[level] + others[level];
            let share = if all > 0.0 { own / all } else { 0.0 };
            matches[level] = here * share;
            others[level] = here - matches[level];
        }
        begin = end;
    }
}

/// Per column how often each level is, among pairs with so much of each pattern; of no pairs, nothing (all 0).
fn frequencies(pairs: &Pairs, of_pattern: &[f64]) -> Vec<Vec<f64>> {
    normalized(sums(pairs, of_pattern))
}

/// Per column and level how many pairs there are, with so much of each pattern.
fn sums(pairs: &Pairs, of_pattern: &[f64]) -> Vec<Vec<f64>> {
    let mut p: Vec<Vec<f64>> = pairs.levels.iter().map(|&levels| vec![0.0; levels as usize]).collect();
    for ((pattern, &count), share) in pairs.patterns.iter().zip(&pairs.counts).zip(of_pattern) {
        for (p, level) in p.iter_mut().zip(pattern) {
            if let Some(p) = level.and_then(|level| p.get_mut(level as usize)) {
                *p += count as f64 * share;
            }
        }
    }
    p
}

fn normalized(mut p: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for p in &mut p {
        let sum: f64 = p.iter().sum();
        if sum > 0.0 {
            p.iter_mut().for_each(|p| *p /= sum);
        }
    }
    p
}

/// Columns of which a kind of pairs has shown nothing stay what they were.
fn keep_unseen(next: Vec<Vec<f64>>, before: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let seen = |p: &Vec<f64>| p.iter().sum::<f64>() > 0.0;
    next.into_iter()
        .zip(before)
        .map(|(next, before)| if seen(&next) { next } else { before.clone() })
        .collect()
}

#[cfg(test)]
mod tests {
    /// The share of matches rises with the level, nothing is lost, and what rises already stays.
    #[test]
    fn closer_levels_speak_for_a_match() {
        let (mut matches, mut others) = (vec![1.0, 6.0, 2.0, 9.0], vec![9.0, 4.0, 8.0, 1.0]);
        super::order(&mut matches, &mut others);
        // The second and the third have 8 of 20 in common.
        assert_eq!((matches, others), (vec![1.0, 4.0, 4.0, 9.0], vec![9.0, 6.0, 6.0, 1.0]));
        let (mut falls, mut rises) = (vec![9.0, 1.0], vec![1.0, 9.0]);
        super::order(&mut falls, &mut rises);
        assert_eq!((falls, rises), (vec![5.0, 5.0], vec![5.0, 5.0]));
        let (mut none, mut nothing) = (vec![0.0, 0.0, 3.0], vec![0.0, 2.0, 0.0]);
        super::order(&mut none, &mut nothing);
        assert_eq!((none, nothing), (vec![0.0, 0.0, 3.0], vec![0.0, 2.0, 0.0]));
    }

    /// Two equal tables with columns that go together: whoever is alone with their values is a match, and the pairs of one sex
    /// are not taken for matches in their place.
    #[test]
    fn nobody_has_several_records() {
        use super::*;
        // 400 people; sex and two columns that nearly follow it, and one that tells most people apart.
        let person = |n: u32| {
            [
                n % 2,
                n % 2 + u32::from(n.is_multiple_of(31)),
                (n % 2) * 3 + u32::from(n.is_multiple_of(17)),
                n * 7 % 397,
            ]
        };
        let people: Vec<[u32; 4]> = (0..400).map(person).collect();
        let mut counted: std::collections::BTreeMap<Vec<Option<u32>>, u64> = Default::default();
        for a in &people {
            for b in &people {
                *counted
                    .entry(a.iter().zip(b).map(|(a, b)| Some(u32::from(a == b))).collect())
                    .or_default() += 1;
            }
        }
        let (patterns, counts): (Vec<_>, Vec<u64>) = counted.into_iter().unzip();
        let pairs = Pairs { rows: (400, 400), levels: vec![2; 4], pairs: Vec::new(), patterns, counts };
        let found = estimate(&pairs, &Options::default());
        assert!(found.share <= 1.0 / 400.0 + 1e-12, "{}", found.share);
        let all = pairs.patterns.iter().position(|own| own.iter().all(|level| *level == Some(1))).unwrap();
        assert!(found.posterior[all] > 0.9, "{}", found.posterior[all]);
        let sex =
            pairs.patterns.iter().position(|own| own[..] == [Some(1), Some(1), Some(1), Some(0)]).unwrap();
        assert!(found.posterior[sex] < 0.1, "{}", found.posterior[sex]);
    }
}
