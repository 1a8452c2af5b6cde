//! Keys that are published only when enough people have them, with noise: what Korolova's and ZEALOUS's releases share
//! (survey AP-12, PM-29).
//!
//! *Guarantee* for one key whose count changes by one person: let p be the probability that a count of exactly `people` is
//! published. Below `people` nothing ever leaves. From `people` − 1 to `people` the key is published with probability p at most,
//! which is counted in delta, and is not published with probability 1 or 1 − p, a ratio of at most e^(1/scale) because
//! p ≤ min(1, 1/scale)/2 ≤ 1 − e^(−1/scale). From there on the noisy count alone decides, and discrete Laplace noise changes no
//! probability by more than e^(1/scale). So the key costs (1/scale, p). The threshold is rounded up.

use privet_dp::{DpError, Rational};

use super::Log;
use crate::SetsError;
use crate::error::require;

/// Per key the number of people who have it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyCounts {
    /// The keys, in rising order.
    pub keys: Vec<u64>,
    /// Per key its people.
    pub people: Vec<u64>,
}

/// A threshold that a noisy count must reach.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedThreshold {
    /// The scale of the discrete Laplace noise.
    pub scale: Rational,
    /// The fewest people of a key that may leave: exact, without noise.
    pub people: u64,
    /// What the noisy count must reach.
    pub noisy: u64,
}

impl PlannedThreshold {
    /// The least threshold at which a key of exactly `people` people leaves with a probability of `delta` at most.
    ///
    /// # Errors
    /// When `people` is 0, or the noise is so wide that there is no such threshold.
    pub fn new(scale: Rational, people: u64, delta: &Rational) -> Result<Self, SetsError> {
        require(people >= 1, "people", "1 or more")?;
        let width = scale.to_f64().value();
        let most = delta.to_f64().value().min(0.5 * (1.0 / width).min(1.0));
        require(most > 0.0, "delta", "above 0: without it no key can be found in the data and published")?;
        // P(noise ≥ t) = e^(−t/scale)/(1 + e^(−1/scale)) < e^(−t/scale); one more than needed covers floating point.
        let above = (width * -most.ln()).ceil() + 1.0;
        require(above < 1e15, "epsilon", "larger: the noise would be wider than any count")?;
        Ok(Self { scale, people, noisy: people + above as u64 })
    }

    /// The keys that leave, with their noisy counts.
    ///
    /// # Errors
    /// When the generator fails.
    pub fn release(&self, counts: &KeyCounts) -> Result<Vec<(u64, i64)>, DpError> {
        let eligible = counts.keys.iter().zip(&counts.people).filter(|&(_, &people)| people >= self.people);
        let (keys, people): (Vec<u64>, Vec<u64>) = eligible.map(|(&key, &people)| (key, people)).unzip();
        let noisy = privet_dp::samplers::add_discrete_laplace(&self.scale, &people)?;
        let least = i64::try_from(self.noisy).unwrap_or(i64::MAX);
        Ok(keys.into_iter().zip(noisy).filter(|&(_, noisy)| noisy >= least).collect())
    }
}

/// Per key the number of people who have it among their first `most` distinct keys. A row has at most one key.
pub fn first_distinct(log: &Log, most: u32, key_of: impl Fn(usize) -> Option<u64>) -> KeyCounts {
    let mut kept: Vec<u64> = Vec::new();
    let mut own: Vec<u64> = Vec::new();
    let mut known: foldhash::HashSet<u64> = foldhash::HashSet::default();
    for person in 0..log.people() {
        own.clear();
        known.clear();
        for key in log.rows_of(person).filter_map(&key_of) {
            if own.len() >= most as usize {
                break;
            }
            // Few keys are compared one by one, many are looked up.
            let is_new = if own.len() < 32 {
                !own.contains(&key)
            } else {
                if known.is_empty() {
                    known.extend(&own);
                }
                known.insert(key)
            };
            if is_new {
                own.push(key);
            }
        }
        kept.extend(&own);
    }
    counted(kept)
}

fn counted(mut keys: Vec<u64>) -> KeyCounts {
    use rayon::prelude::*;
    // Keys in a narrow range, such as queries, are counted in place; others, such as pairs, are sorted.
    let most = keys.par_iter().copied().max().unwrap_or(0);
    if most < 4 * keys.len() as u64 + 1024 {
        let mut people = vec![0u64; most as usize + 1];
        for &key in &keys {
            people[key as usize] += 1;
        }
        let found = people.iter().zip(0u64..).filter(|(people, _)| **people > 0);
        let (people, keys) = found.map(|(&people, key)| (people, key)).unzip();
        return KeyCounts { keys, people };
    }
    keys.par_sort_unstable();
    let mut counts = KeyCounts::default();
    for run in keys.chunk_by(|a, b| a == b) {
        counts.keys.push(run[0]);
        counts.people.push(run.len() as u64);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_distinct_keys_of_each_person_count_once() {
        let texts: Vec<Box<str>> = (0..4).map(|query: u32| query.to_string().into()).collect();
        let log =
            Log::new(vec![0, 0, 0, 0, 1, 1], vec![3, 3, 1, 2, 3, 0], None, None, texts, Vec::new()).unwrap();
        let key = |row: usize| Some(u64::from(log.queries()[row]));
        let counts = first_distinct(&log, 2, key);
        assert_eq!((counts.keys, counts.people), (vec![0, 1, 3], vec![1, 1, 2]));
        let wide = first_distinct(&log, 9, |row| Some(u64::from(log.queries()[row]) << 40));
        assert_eq!((wide.keys.len(), wide.people[3]), (4, 2));
    }

    #[test]
    fn thresholds_rise_with_privacy() {
        let scale = Rational::from(10);
        let delta = |text: &str| Rational::from_str_decimal(text).unwrap();
        let low = PlannedThreshold::new(scale.clone(), 5, &delta("0.001")).unwrap();
        let high = PlannedThreshold::new(scale.clone(), 5, &delta("0.000001")).unwrap();
        assert!(low.noisy < high.noisy && low.people == 5);
        // 10·ln(1000) = 69.08, and one more.
        assert_eq!(low.noisy, 5 + 70 + 1);
        assert!(PlannedThreshold::new(scale, 0, &delta("0.1")).is_err());
        // Exact probability of leaving with `people` people: below delta.
        let p = (-7.1f64).exp() / (1.0 + (-0.1f64).exp());
        assert!(p < 0.001);
    }

    /// The law of the noise: of keys with exactly the threshold's number of people, the share that leaves is the p that delta is made of,
    /// and so is the share that exceeds the threshold by one more scale. Each of the two counts is binomial; 7 standard deviations are
    /// exceeded by chance less than once in 10^11 runs.
    #[test]
    fn as_many_keys_leave_as_delta_says() {
        const KEYS: usize = 20_000;
        let threshold = PlannedThreshold { scale: Rational::from(4), people: 5, noisy: 9 };
        let counts = KeyCounts { keys: (0..KEYS as u64).collect(), people: vec![5; KEYS] };
        let released = threshold.release(&counts).unwrap();
        let p = |above: f64| (-above / 4.0).exp() / (1.0 + (-0.25f64).exp());
        let expect = |count: usize, p: f64| {
            let (mean, sd) = (KEYS as f64 * p, (KEYS as f64 * p * (1.0 - p)).sqrt());
            assert!((count as f64 - mean).abs() < 7.0 * sd, "{count} instead of {mean:.0}");
        };
        expect(released.len(), p(4.0));
        expect(released.iter().filter(|own| own.1 >= 13).count(), p(8.0));
    }

    /// Whoever is below the exact threshold never leaves, whatever the noise.
    #[test]
    fn nothing_below_the_threshold_leaves() {
        let threshold = PlannedThreshold { scale: Rational::from(1000), people: 5, noisy: 5 };
        let counts = KeyCounts { keys: (0..1000).collect(), people: (0..1000).map(|key| key % 10).collect() };
        let released = threshold.release(&counts).unwrap();
        assert!(released.iter().all(|(key, noisy)| key % 10 >= 5 && *noisy >= 5));
        assert!(!released.is_empty());
    }
}
