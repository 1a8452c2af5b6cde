//! Seeded randomness for made-up data: xoshiro256++ started by splitmix64 (Blackman and Vigna).
//!
//! Only for the demo's invented people, never for protection. It uses nothing but integer operations and the
//! four basic operations on `f64`, which are exactly rounded everywhere, so a seed gives the same data on every machine.

/// A generator of numbers that only look random.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: [u64; 4],
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        let mut word = seed;
        let state = std::array::from_fn(|_| {
            word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = word;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Self { state }
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform from 0 up to, not including, 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform from 0 up to, not including, `n`; 0 when `n` is 0. The bias of at most n / 2^64 is of no
    /// concern for made-up data.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// Whether something of this probability happens.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A factor around 1 whose logarithm is nearly normal with this deviation: the sum of eight uniform
    /// numbers stands in for the normal distribution.
    pub(super) fn log_normal(&mut self, deviation: f64) -> f64 {
        let mut sum = -4.0;
        for _ in 0..8 {
            sum += self.unit();
        }
        // The sum has variance 8/12; sqrt(12/8) = 1.2247.
        exponential(sum * 1.224_744_871_391_589 * deviation)
    }
}

/// e^x for moderate x, to about nine digits: the standard library leaves the last digits to the platform.
fn exponential(x: f64) -> f64 {
    // (1 + y + y^2/2 + ...)^16 with y = x/16 small.
    let y = x / 16.0;
    let mut power = 1.0;
    for n in (1..=10).rev() {
        power = 1.0 + y * power / f64::from(n);
    }
    for _ in 0..4 {
        power *= power;
    }
    power
}

/// Draws positions by weight in constant time (Walker's alias method).
#[derive(Debug, Clone)]
pub(super) struct Weighted {
    keep: Vec<f64>,
    other: Vec<u32>,
}

impl Weighted {
    /// Weights of at least 0, at least one of them above 0; a position of weight 0 is never drawn.
    pub(super) fn new(weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mut keep: Vec<f64> = weights.iter().map(|w| w * weights.len() as f64 / total).collect();
        let heaviest = (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0);
        let mut other = vec![heaviest as u32; weights.len()];
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&i| keep[i] < 1.0);
        while let (Some(&giver), Some(taker)) = (large.last(), small.pop()) {
            other[taker] = giver as u32;
            keep[giver] -= 1.0 - keep[taker];
            if keep[giver] < 1.0 {
                large.pop();
                small.push(giver);
            }
        }
        // What rounding left over: full slots, except those that must never be drawn.
        for i in large.into_iter().chain(small) {
            keep[i] = if weights[i] > 0.0 { 1.0 } else { 0.0 };
        }
        Self { keep, other }
    }

    pub(super) fn draw(&self, random: &mut Random) -> usize {
        let slot = random.below(self.keep.len() as u64) as usize;
        if random.unit() < self.keep[slot] { slot } else { self.other[slot] as usize }
    }
}

/// The weights 1/(rank + shift): a few frequent values and a long tail (Zipf and Mandelbrot).
pub(super) fn zipf(count: usize, shift: f64) -> impl Iterator<Item = f64> {
    (0..count).map(move |rank| 1.0 / (rank as f64 + shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighted_draws_follow_the_weights() {
        let weighted = Weighted::new(&[1.0, 0.0, 3.0, 6.0]);
        let mut random = Random::new(1);
        let mut counts = [0; 4];
        for _ in 0..100_000 {
            counts[weighted.draw(&mut random)] += 1;
        }
        assert_eq!(counts[1], 0);
        // Ten standard deviations at most 1,550: false alarm far below 1e-6.
        for (count, expected) in counts.into_iter().zip([10_000_i32, 0, 30_000, 60_000]) {
            assert!((count - expected).abs() < 1_550, "{counts:?}");
        }
    }

    #[test]
    fn the_exponential_is_exact_enough() {
        for x in [-4.0_f64, -1.0, -0.1, 0.0, 0.3, 1.0, 4.0] {
            assert!((exponential(x) / x.exp() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn log_normal_factors_have_median_one() {
        let mut random = Random::new(7);
        let above = (0..20_000).filter(|_| random.log_normal(0.5) > 1.0).count();
        assert!((9_500..10_500).contains(&above), "{above}");
    }

    #[test]
    fn below_zero_is_zero() {
        assert_eq!(Random::new(3).below(0), 0);
    }
}
