//! How far from 0 a sum of independent Laplace draws lies, by its own distribution.
//!
//! A Laplace draw of scale 1 is the difference of two exponential ones, so a sum of n is the difference of the times at
//! which two Poisson processes have their n-th event. The process that is behind when the other has all its events lacks
//! j of its own with probability C(2n−1−j, n−1)/2^(2n−1−j), and being without memory it takes the time of j events more.
//! So |sum| > x with probability Σ_j P(j)·P(fewer than j events of a Poisson process until x): n terms, all positive.
//!
//! Guarantee: for discrete Laplace draws of the same scale, whose sum is a whole number, the tail beyond a *whole* t is no
//! larger. An exponential number is its whole part and an independent fraction, so the sum of continuous draws is that of
//! discrete ones plus something symmetric and independent; the discrete sum is symmetric with a single peak (log-concave),
//! and an interval from −t to t that is shifted by anything holds at most as many whole numbers, farther from the peak.

/// The most draws: beyond them, terms would become smaller than a floating-point number can be.
const MOST_DRAWS: u64 = 1 << 13;

/// In units of the scale: what a sum of so many draws of Laplace noise is off by at most, with a probability of 95 %.
/// `None` for more draws than the terms can be computed of.
pub(crate) fn half_width_95(draws: u64) -> Option<f64> {
    if draws == 0 || draws > MOST_DRAWS {
        return None;
    }
    let lacking = lacking_more_than(draws);
    // The variance of the sum is 2·draws, so Chebyshev's bound is an upper end.
    let (mut low, mut high) = (0.0, (40.0 * draws as f64).sqrt());
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if beyond(&lacking, middle) > 0.05 { low = middle } else { high = middle }
    }
    Some(high)
}

/// The probability that the process behind lacks more than i events, for every i below the number of draws.
fn lacking_more_than(draws: u64) -> Vec<f64> {
    let all = draws as f64;
    // P(1) = C(2n−2, n−1)/4^(n−1), and P(j+1)/P(j) = 2(n−j)/(2n−1−j).
    let mut own: f64 = (1..draws).map(|i| (2.0 * i as f64 - 1.0) / (2.0 * i as f64)).product();
    let mut lacking = Vec::with_capacity(draws as usize);
    for j in 1..=draws {
        lacking.push(own);
        let j = j as f64;
        own *= 2.0 * (all - j) / (2.0 * all - 1.0 - j).max(1.0);
    }
    // From the back, so that the smallest are added first.
    let mut sum = 0.0;
    for own in lacking.iter_mut().rev() {
        sum += *own;
        *own = sum;
    }
    lacking
}

/// The probability that a sum of draws is farther from 0 than x.
fn beyond(lacking: &[f64], x: f64) -> f64 {
    let mut events = (-x).exp();
    let mut sum = 0.0;
    for (i, lacks) in lacking.iter().enumerate() {
        sum += events * lacks;
        events *= x / (i + 1) as f64;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One draw: e^(−x) = 0.05. Two: (1 + x/2)·e^(−x), the known tail of the difference of two Gamma(2) numbers. Many: 1.96
    /// standard deviations.
    #[test]
    fn known_tails() {
        assert!((half_width_95(1).unwrap() - 20f64.ln()).abs() < 1e-9);
        for x in [0.0, 0.5, 2.0, 7.0] {
            let known = (1.0 + x / 2.0) * f64::exp(-x);
            assert!((beyond(&lacking_more_than(2), x) - known).abs() < 1e-12, "{x}");
        }
        let many = half_width_95(4096).unwrap() / (2.0 * 4096f64).sqrt();
        assert!((many - 1.96).abs() < 1e-3, "{many}");
        assert!(half_width_95(MOST_DRAWS).unwrap().is_finite());
        assert!(half_width_95(0).is_none() && half_width_95(MOST_DRAWS + 1).is_none());
    }

    #[test]
    fn probabilities_are_probabilities() {
        for draws in [1, 2, 3, 7, 64, 1000, MOST_DRAWS] {
            let lacking = lacking_more_than(draws);
            assert!((lacking[0] - 1.0).abs() < 1e-9, "{draws}: {}", lacking[0]);
            assert!(lacking.windows(2).all(|pair| pair[0] >= pair[1] && pair[1] >= 0.0), "{draws}");
        }
    }

    /// Against the law of the sum of discrete draws, convolved number by number: at least 95 % within, and not by much more
    /// than it need be.
    #[test]
    fn discrete_sums_stay_within() {
        for scale in [0.5f64, 1.0, 3.0, 6.0] {
            let a = (-1.0 / scale).exp();
            let reach = (40.0 * scale) as usize;
            let one: Vec<f64> = (0..=2 * reach)
                .map(|z| (1.0 - a) / (1.0 + a) * a.powi((z as i32 - reach as i32).abs()))
                .collect();
            let mut law = one.clone();
            for draws in 2..=5u64 {
                let mut sum = vec![0.0; law.len() + one.len() - 1];
                for (i, p) in law.iter().enumerate() {
                    one.iter().enumerate().for_each(|(j, q)| sum[i + j] += p * q);
                }
                law = sum;
                let middle = law.len() / 2;
                let within = |t: usize| law[middle - t..=middle + t].iter().sum::<f64>();
                let t = (half_width_95(draws).unwrap() * scale).ceil() as usize;
                assert!(within(t) >= 0.95, "{scale} {draws}: {}", within(t));
                assert!(within(t - 2) < 0.95, "{scale} {draws}: {}", within(t - 2));
            }
        }
    }
}
