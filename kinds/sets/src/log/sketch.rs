//! Sketch-based anonymization (Aggarwal and Yu 2007; survey AP-14, PM-42, PM-43, TH-27, ERR-11, ERR-12).
//!
//! A history is a vector x of counts of terms. Published are m(u) sums s_j = Σ_t x_t·r_jt with random signs r of which every four are
//! independent; the signs stay secret. A count is estimated as the mean of s_j·r_jt with variance (‖x‖² − x_t²)/m, a dot product of two
//! histories as the mean of s_uj·s_vj with variance (‖x‖²‖y‖² + (x·y)² − 2Σ x_t²y_t²)/ρ, ρ = min(m(u), m(v)). The survey prints
//! (‖x‖²‖y‖² − (x·y)²)/ρ, which is wrong in general (ERR-11): for equal vectors it gives 0.
//!
//! *Guarantees*. delta-anonymity: the variance of every estimated count of a person is above delta, so m(u) < (‖x‖² − max x²)/delta.
//! k-variance: with vectors of length 1, the variance of the similarity of a person with each of its k nearest neighbours is
//! at least |x||y| − |x·y|; with the corrected variance that is a real choice of ρ and not a single component (ERR-12). Both
//! speak of somebody who does not know the signs: whoever does solves linear equations (`attack::reconstruct`). Nothing here
//! is differentially private.

use rayon::prelude::*;
use serde::Serialize;

use super::Log;
use crate::SetsError;
use crate::error::require;

/// A history: terms in rising order and what counts of them.
pub type History = Vec<(u32, f64)>;

/// Random signs of which every four are independent: the low bit of a random polynomial of degree 3 over GF(2^32), which is a fair
/// bit exactly.
#[derive(Clone)]
pub struct Signs {
    polynomials: Vec<[u32; 4]>,
}

impl std::fmt::Debug for Signs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Signs({})", self.polynomials.len())
    }
}

/// Product in GF(2^32) modulo x^32 + x^7 + x^3 + x^2 + 1.
fn product(a: u32, b: u32) -> u32 {
    let mut sum = 0u64;
    for bit in 0..32 {
        if b >> bit & 1 == 1 {
            sum ^= u64::from(a) << bit;
        }
    }
    for bit in (32..63).rev() {
        if sum >> bit & 1 == 1 {
            sum ^= MODULUS << (bit - 32);
        }
    }
    sum as u32
}

const MODULUS: u64 = 1 << 32 | 1 << 7 | 1 << 3 | 1 << 2 | 1;

impl Signs {
    /// So many sequences, drawn from the operating system.
    ///
    /// # Errors
    /// When the operating system gives no randomness.
    pub fn draw(sequences: usize) -> Result<Self, SetsError> {
        let mut bytes = vec![0u8; sequences * 16];
        getrandom::fill(&mut bytes).map_err(|_| privet_dp::DpError::Generator)?;
        let word = |own: &[u8]| own.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte));
        let polynomial =
            |own: &[u8]| [word(&own[..4]), word(&own[4..8]), word(&own[8..12]), word(&own[12..])];
        Ok(Self { polynomials: bytes.chunks_exact(16).map(polynomial).collect() })
    }

    /// Sequences from a seeded generator, for tests and for attacks that guess.
    pub fn seeded(sequences: usize, seed: u64) -> Self {
        let mut random = privet_data::Random::stream(seed, 77);
        Self { polynomials: (0..sequences).map(|_| [0; 4].map(|_: u32| random.number() as u32)).collect() }
    }

    /// The number of sequences.
    pub fn len(&self) -> usize {
        self.polynomials.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.polynomials.is_empty()
    }

    /// The sign of a term in a sequence: 1 or −1.
    pub fn sign(&self, sequence: usize, term: u32) -> f64 {
        let [a, b, c, d] = self.polynomials[sequence];
        // Horner, at term + 1 so that no term is special.
        let at = term.wrapping_add(1);
        let value = product(product(product(a, at) ^ b, at) ^ c, at) ^ d;
        if value & 1 == 1 { 1.0 } else { -1.0 }
    }

    /// The first so many components of the sketch of a history.
    pub fn sketch(&self, history: &[(u32, f64)], components: usize) -> Vec<f64> {
        let component =
            |sequence: usize| history.iter().map(|&(term, count)| count * self.sign(sequence, term)).sum();
        (0..components.min(self.len())).map(component).collect()
    }

    /// The estimate of a count from a sketch.
    pub fn estimate(&self, sketch: &[f64], term: u32) -> f64 {
        let sum: f64 = sketch.iter().enumerate().map(|(sequence, own)| own * self.sign(sequence, term)).sum();
        sum / sketch.len().max(1) as f64
    }
}

/// The estimate of the dot product of two histories.
pub fn similarity(a: &[f64], b: &[f64]) -> f64 {
    let shared = a.len().min(b.len());
    a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() / shared.max(1) as f64
}

/// The squared length of a history.
pub fn squared_length(history: &[(u32, f64)]) -> f64 {
    history.iter().map(|(_, count)| count * count).sum()
}

/// The variance of an estimated count with one component: ‖x‖² − x_t².
pub fn count_variance(history: &[(u32, f64)], term: u32) -> f64 {
    let own = history.iter().find(|entry| entry.0 == term).map_or(0.0, |entry| entry.1);
    squared_length(history) - own * own
}

fn shared(a: &[(u32, f64)], b: &[(u32, f64)]) -> (f64, f64) {
    let (mut dot, mut squares) = (0.0, 0.0);
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                let own = a[i].1 * b[j].1;
                dot += own;
                squares += own * own;
                i += 1;
                j += 1;
            }
        }
    }
    (dot, squares)
}

/// The dot product of two histories.
pub fn dot(a: &[(u32, f64)], b: &[(u32, f64)]) -> f64 {
    shared(a, b).0
}

/// The variance of an estimated dot product with one component, as corrected in ERR-11.
pub fn similarity_variance(a: &[(u32, f64)], b: &[(u32, f64)]) -> f64 {
    let (dot, squares) = shared(a, b);
    squared_length(a) * squared_length(b) + dot * dot - 2.0 * squares
}

/// What is asked of sketches. At least one of both criteria.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SketchOptions {
    /// delta-anonymity: every estimated count has a variance above this.
    pub delta: Option<f64>,
    /// k-variance among so many nearest neighbours. Histories are brought to length 1 first.
    pub neighbours: Option<usize>,
    /// The most components of anybody.
    pub most_components: usize,
}

/// Sketches as they are published.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Sketches {
    /// The sketches, in an order that says nothing; of different lengths.
    pub sketches: Vec<Vec<f64>>,
    /// How many people were suppressed because not even one component is safe.
    pub suppressed: u64,
}

/// What was found of sketches, by whoever has the histories.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SketchCheck {
    /// The least variance of an estimated count.
    pub least_count_variance: Option<f64>,
    /// The least ratio of variance to |x||y| − |x·y| among nearest neighbours.
    pub least_similarity_ratio: Option<f64>,
    /// Whether all that was asked holds.
    pub holds: bool,
}

/// The most histories whose neighbours are looked for among all pairs.
const MOST_FOR_NEIGHBOURS: usize = 20_000;

/// Per history how many components are safe; 0 for who must be suppressed.
///
/// # Errors
/// When nothing is asked, a parameter makes no sense, or there are too many histories to compare.
pub fn safe_components(histories: &[History], options: SketchOptions) -> Result<Vec<usize>, SetsError> {
    require(
        options.delta.is_some() || options.neighbours.is_some(),
        "sketch",
        "a delta, neighbours, or both",
    )?;
    require(options.delta.is_none_or(|delta| delta > 0.0 && delta.is_finite()), "delta", "above 0")?;
    require(options.neighbours != Some(0), "neighbours", "1 or more")?;
    require(options.most_components >= 1, "components", "1 or more")?;
    let mut components = vec![options.most_components; histories.len()];
    if let Some(delta) = options.delta {
        for (own, history) in components.iter_mut().zip(histories) {
            let largest = history.iter().map(|(_, count)| count * count).fold(0.0, f64::max);
            let limit = (squared_length(history) - largest) / delta;
            *own = (*own).min((limit.ceil() - 1.0).max(0.0) as usize); // why: strictly below the limit
        }
    }
    if let Some(k) = options.neighbours {
        if histories.len() > MOST_FOR_NEIGHBOURS {
            return Err(SetsError::TooLarge {
                what: "comparing all histories",
                most: MOST_FOR_NEIGHBOURS as u64,
                advice: "use delta-anonymity alone",
            });
        }
        for (a, b) in neighbour_pairs(histories, k) {
            if let Some(limit) = similarity_limit(&histories[a], &histories[b]) {
                let limit = (limit * (1.0 + 1e-12)).floor() as usize;
                components[a] = components[a].min(limit);
                components[b] = components[b].min(limit);
            }
        }
    }
    Ok(components)
}

/// The most components for which the variance of the similarity is |x||y| − |x·y| or more; `None` where every number will do.
pub fn similarity_limit(a: &[(u32, f64)], b: &[(u32, f64)]) -> Option<f64> {
    let needed = (squared_length(a) * squared_length(b)).sqrt() - dot(a, b).abs();
    (needed > 1e-12).then(|| similarity_variance(a, b) / needed)
}

/// Every history with each of its k nearest neighbours.
fn neighbour_pairs(histories: &[History], k: usize) -> Vec<(usize, usize)> {
    let lengths: Vec<f64> = histories.iter().map(|own| squared_length(own).sqrt()).collect();
    let of_one = |a: usize| {
        let mut others: Vec<(f64, usize)> = (0..histories.len())
            .filter(|&b| b != a)
            .map(|b| (dot(&histories[a], &histories[b]) / (lengths[a] * lengths[b]).max(1e-300), b))
            .collect();
        let nearest = |x: &(f64, usize), y: &(f64, usize)| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1));
        if others.len() > k {
            others.select_nth_unstable_by(k - 1, nearest);
            others.truncate(k);
        }
        others.into_iter().map(move |(_, b)| (a, b)).collect::<Vec<_>>()
    };
    (0..histories.len()).into_par_iter().flat_map_iter(of_one).collect()
}

/// Histories of length 1, where they have any.
pub fn unit(histories: &[History]) -> Vec<History> {
    let scaled = |history: &History| {
        let length = squared_length(history).sqrt();
        history.iter().map(|&(term, count)| (term, if length > 0.0 { count / length } else { 0.0 })).collect()
    };
    histories.iter().map(scaled).collect()
}

/// Sketches that keep to what is asked, sorted by content.
///
/// # Errors
/// As [`safe_components`].
pub fn sketches(histories: &[History], signs: &Signs, options: SketchOptions) -> Result<Sketches, SetsError> {
    require(signs.len() >= options.most_components, "components", "at most the number of sequences")?;
    let scaled;
    let histories = match options.neighbours {
        Some(_) => {
            scaled = unit(histories);
            &scaled[..]
        }
        None => histories,
    };
    let components = safe_components(histories, options)?;
    let mut made: Vec<Vec<f64>> = histories
        .par_iter()
        .zip(&components)
        .filter(|(_, components)| **components > 0)
        .map(|(history, &components)| signs.sketch(history, components))
        .collect();
    let suppressed = (histories.len() - made.len()) as u64;
    let order = |a: &f64, b: &f64| a.total_cmp(b);
    made.par_sort_by(|a, b| {
        let first = a.iter().zip(b).map(|(x, y)| order(x, y)).find(|own| own.is_ne());
        first.unwrap_or_else(|| a.len().cmp(&b.len()))
    });
    Ok(Sketches { sketches: made, suppressed })
}

/// Checks numbers of components against the histories.
///
/// # Errors
/// When there are too many histories to compare.
pub fn check(histories: &[History], components: &[usize], options: SketchOptions) -> SketchCheck {
    let published = |own: usize| components[own] > 0;
    let least_count_variance = options.delta.and_then(|_| {
        let of_one = |own: usize| {
            let history = &histories[own];
            let terms =
                history.iter().map(|&(term, _)| count_variance(history, term) / components[own] as f64);
            terms.fold(f64::INFINITY, f64::min)
        };
        (0..histories.len()).filter(|&own| published(own)).map(of_one).min_by(f64::total_cmp)
    });
    let least_similarity_ratio = options.neighbours.and_then(|k| {
        let pairs = neighbour_pairs(histories, k).into_iter().filter(|&(a, b)| published(a) && published(b));
        let ratio = |(a, b): (usize, usize)| {
            similarity_limit(&histories[a], &histories[b])
                .map(|limit| limit / components[a].min(components[b]) as f64)
        };
        pairs.filter_map(ratio).min_by(f64::total_cmp)
    });
    let holds = least_count_variance.is_none_or(|least| options.delta.is_none_or(|delta| least > delta))
        && least_similarity_ratio.is_none_or(|least| least >= 1.0 - 1e-9);
    SketchCheck { least_count_variance, least_similarity_ratio, holds }
}

/// Per person how often each query was asked.
pub fn histories(log: &Log) -> Vec<History> {
    let of_person = |person: usize| {
        let mut queries = log.queries_of(person).to_vec();
        queries.sort_unstable();
        queries.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64)).collect()
    };
    (0..log.people()).map(of_person).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(counts: &[f64]) -> History {
        (0..).zip(counts.iter().copied()).filter(|entry| entry.1 != 0.0).collect()
    }

    /// AP-14, machine-checked in the spec.
    #[test]
    fn goldens_of_the_survey() {
        let x = vector(&[3.0, 1.0, 2.0]);
        assert_eq!([0, 1, 2].map(|term| count_variance(&x, term)), [5.0, 13.0, 10.0]);
        let ones = vector(&[1.0, 1.0]);
        assert_eq!((dot(&ones, &ones), similarity_variance(&ones, &ones)), (2.0, 4.0));
        let (x, y) = (vector(&[1.0, 2.0, 0.0]), vector(&[2.0, 1.0, 3.0]));
        assert_eq!((dot(&x, &y), similarity_variance(&x, &y)), (4.0, 70.0));
    }

    /// ERR-12: two binary vectors of ten terms that share nine, brought to length 1.
    #[test]
    fn k_variance_is_a_real_choice() {
        let binary =
            |from: usize| vector(&(0..11).map(|t| f64::from(t >= from && t < from + 10)).collect::<Vec<_>>());
        let both = unit(&[binary(0), binary(1)]);
        let limit = similarity_limit(&both[0], &both[1]).unwrap();
        assert!((limit - 16.3).abs() < 1e-9, "{limit}");
        let options = SketchOptions { neighbours: Some(1), most_components: 64, ..SketchOptions::default() };
        assert_eq!(safe_components(&both, options).unwrap(), [16, 16]);
        assert!(check(&both, &[16, 16], options).holds && !check(&both, &[17, 17], options).holds);
    }

    /// Exact mean and variance over all sign vectors: TH-27 and ERR-11.
    #[test]
    fn formulas_over_all_signs() {
        let (x, y) = ([3.0, 1.0, 2.0, 0.0], [1.0, 0.0, 2.0, 5.0]);
        let (mut sum, mut squares, mut count) = (0.0, 0.0, [0.0; 2]);
        for mask in 0..16 {
            let sign = |t: usize| if mask >> t & 1 == 1 { 1.0 } else { -1.0 };
            let s: f64 = (0..4).map(|t| x[t] * sign(t)).sum();
            let r: f64 = (0..4).map(|t| y[t] * sign(t)).sum();
            sum += s * r / 16.0;
            squares += s * r * s * r / 16.0;
            count[0] += s * sign(0) / 16.0;
            count[1] += (s * sign(0)).powi(2) / 16.0;
        }
        let (x, y) = (vector(&x), vector(&y));
        assert!((sum - dot(&x, &y)).abs() < 1e-9);
        assert!((squares - sum * sum - similarity_variance(&x, &y)).abs() < 1e-9);
        assert!((count[0] - 3.0).abs() < 1e-9 && (count[1] - 9.0 - count_variance(&x, 0)).abs() < 1e-9);
    }

    /// The modulus is irreducible (Rabin's test), so polynomials of degree 3 are 4-wise independent and a low bit is fair.
    #[test]
    fn the_field_is_a_field() {
        let mut power = 2u32; // x
        for step in 1..=32 {
            power = product(power, power);
            assert_eq!(power == 2, step == 32, "x^(2^{step})");
        }
        let mut half = 2u32;
        (0..16).for_each(|_| half = product(half, half));
        let (mut a, mut b) = (MODULUS, u64::from(half ^ 2));
        while b != 0 {
            while a != 0 && a.ilog2() >= b.ilog2() {
                a ^= b << (a.ilog2() - b.ilog2());
            }
            (a, b) = (b, a);
        }
        assert_eq!(a, 1);
    }

    /// Estimates of 400 sketches of 64 components: the mean of 25,600 components lies within 6 standard deviations of the truth,
    /// which a correct estimator misses with a probability below 2e-9.
    #[test]
    fn estimates_are_unbiased() {
        let (x, y) = (vector(&[3.0, 1.0, 2.0]), vector(&[1.0, 2.0, 2.0, 4.0]));
        let signs = Signs::seeded(25_600, 5);
        let (a, b) = (signs.sketch(&x, 25_600), signs.sketch(&y, 25_600));
        let within = |found: f64, truth: f64, variance: f64| {
            (found - truth).abs() < 6.0 * (variance / 25_600.0).sqrt()
        };
        assert!(within(signs.estimate(&a, 0), 3.0, count_variance(&x, 0)));
        assert!(within(signs.estimate(&a, 9), 0.0, count_variance(&x, 9)));
        assert!(within(similarity(&a, &b), dot(&x, &y), similarity_variance(&x, &y)));
    }

    #[test]
    fn delta_anonymity_suppresses_who_has_one_term() {
        let histories = vec![vector(&[4.0]), vector(&[1.0, 1.0, 1.0, 1.0]), vector(&[3.0, 1.0, 2.0])];
        let options = SketchOptions { delta: Some(0.5), most_components: 100, ..SketchOptions::default() };
        // (4 − 1)/0.5 = 6 and (14 − 9)/0.5 = 10, strictly below.
        let components = safe_components(&histories, options).unwrap();
        assert_eq!(components, [0, 5, 9]);
        assert!(
            check(&histories, &components, options).holds && !check(&histories, &[0, 6, 9], options).holds
        );
        let signs = Signs::draw(100).unwrap();
        let made = sketches(&histories, &signs, options).unwrap();
        assert_eq!((made.sketches.len(), made.suppressed), (2, 1));
        assert!(sketches(&histories, &Signs::seeded(3, 1), options).is_err());
        assert!(
            safe_components(&histories, SketchOptions { most_components: 1, ..SketchOptions::default() })
                .is_err()
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// k-variance by brute force: with as many components as are safe, the similarity with each of the k most alike others, found by
        /// sorting all, varies by |x||y| − |x·y| or more.
        #[test]
        fn neighbours_are_those_of_sorting_all(
            lists in prop::collection::vec(prop::collection::btree_map(0u32..12, 1u32..5, 1..6), 2..14), k in 1usize..4,
        ) {
            let history = |own: &std::collections::BTreeMap<u32, u32>| {
                own.iter().map(|(&term, &count)| (term, f64::from(count))).collect::<History>()
            };
            let histories = unit(&lists.iter().map(history).collect::<Vec<_>>());
            let options = SketchOptions { neighbours: Some(k), most_components: 1000, ..SketchOptions::default() };
            let components = safe_components(&histories, options).unwrap();
            for a in 0..histories.len() {
                let mut others: Vec<usize> = (0..histories.len()).filter(|&own| own != a).collect();
                let alike = |own: usize| dot(&histories[a], &histories[own]);
                others.sort_by(|&x, &y| alike(y).total_cmp(&alike(x)));
                // Those who are as alike as the k-th are not told apart by order.
                let least = alike(others[k.min(others.len()) - 1]);
                for &b in others.iter().filter(|&&own| alike(own) > least + 1e-9) {
                    let published = components[a].min(components[b]);
                    let needed = 1.0 - alike(b).abs();
                    let enough = similarity_variance(&histories[a], &histories[b]) >= needed * published as f64 * (1.0 - 1e-9);
                    prop_assert!(published == 0 || needed <= 1e-9 || enough);
                }
            }
            prop_assert!(check(&histories, &components, options).holds);
        }
    }
}
