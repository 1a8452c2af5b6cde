//! Whole-number sampling for millions of cells: random bits in blocks, and the samplers of Canonne, Kamath and
//! Steinke ("The Discrete Gaussian for Differential Privacy", 2020, algorithms 1 and 2) on machine integers.
//!
//! Guarantee: exact. Every comparison is between whole numbers, no probability is rounded. Why beside `opendp`: its
//! samplers take a big-integer fraction and ask the generator several times per draw, some microseconds each, so a
//! table of a million cells would take seconds. This one draws the same distribution; tests compare both with the
//! formula. Production bits come from the operating system; a seeded source exists in tests alone.

use crate::DpError;

/// Where random bytes come from.
pub(crate) trait Source {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), DpError>;
}

/// The operating system's generator.
pub(crate) struct System;

impl Source for System {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), DpError> {
        getrandom::fill(bytes).map_err(|_| DpError::Generator)
    }
}

const BLOCK: usize = 1 << 13;

/// Random numbers cut from blocks of a source.
pub(crate) struct Bits<S> {
    source: S,
    block: Vec<u8>,
    used: usize,
}

impl Bits<System> {
    pub fn system() -> Self {
        Self::new(System)
    }
}

impl<S: Source> Bits<S> {
    pub fn new(source: S) -> Self {
        Self { source, block: vec![0; BLOCK], used: BLOCK }
    }

    #[inline]
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], DpError> {
        if self.used + N > BLOCK {
            self.source.fill(&mut self.block)?;
            self.used = 0;
        }
        let mut taken = [0; N];
        let place = &mut self.block[self.used..self.used + N]; // why: checked above, N is 8 at most
        taken.copy_from_slice(place);
        // Spent bits would tell the noise to whoever reads this memory later.
        place.fill(0);
        self.used += N;
        Ok(taken)
    }

    /// Uniform in `0..bound`, by multiplication and rejection (Lemire). A bound of 0 counts as 1.
    #[inline]
    pub fn below(&mut self, bound: u64) -> Result<u64, DpError> {
        if bound <= 1 {
            return Ok(0);
        }
        if let Ok(bound) = u32::try_from(bound) {
            loop {
                let product = u64::from(u32::from_le_bytes(self.bytes()?)) * u64::from(bound);
                let low = product as u32;
                if low >= bound || low >= bound.wrapping_neg() % bound {
                    return Ok(product >> 32);
                }
            }
        }
        loop {
            let product = u128::from(u64::from_le_bytes(self.bytes()?)) * u128::from(bound);
            let low = product as u64;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return Ok((product >> 64) as u64);
            }
        }
    }

    /// True with probability `above / below`.
    #[inline]
    pub fn bernoulli(&mut self, above: u64, below: u64) -> Result<bool, DpError> {
        Ok(self.below(below)? < above)
    }

    /// 64 bits.
    #[inline]
    pub fn word(&mut self) -> Result<u64, DpError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    pub fn flip(&mut self) -> Result<bool, DpError> {
        let [byte] = self.bytes::<1>()?;
        Ok(byte & 1 == 1)
    }

    /// True with probability e^(−above/below), for above ≤ below < 2^32: the parity of the first failure among
    /// trials with probability x/1, x/2, x/3, …
    #[inline]
    pub fn bernoulli_exp(&mut self, above: u64, below: u64) -> Result<bool, DpError> {
        let mut k = 1u64;
        loop {
            // A run of 2^31 successes has probability below 1/(2^31)!; it is an error rather than an overflow.
            let bound = below.checked_mul(k).ok_or(DpError::Generator)?;
            if !self.bernoulli(above, bound)? {
                return Ok(k % 2 == 1);
            }
            k += 1;
        }
    }

    /// Discrete Laplace noise of scale `above / below`, both from 1 to below 2^32: P(z) ∝ e^(−|z|·below/above).
    #[inline]
    pub fn discrete_laplace(&mut self, above: u32, below: u32) -> Result<i64, DpError> {
        loop {
            let magnitude = self.geometric(above, below)?;
            let negative = self.flip()?;
            if !(negative && magnitude == 0) {
                return Ok(if negative { -magnitude } else { magnitude });
            }
        }
    }

    /// A geometric number of scale `above / below`, both from 1 to below 2^32: P(k) ∝ e^(−k·below/above) for k from 0.
    #[inline]
    pub fn geometric(&mut self, above: u32, below: u32) -> Result<i64, DpError> {
        let (above, below) = (u64::from(above), u64::from(below));
        loop {
            let rest = self.below(above)?;
            if !self.bernoulli_exp(rest, above)? {
                continue;
            }
            let mut whole = 0u64;
            while self.bernoulli_exp(1, 1)? {
                whole += 1;
            }
            let number =
                whole.checked_mul(above).and_then(|x| x.checked_add(rest)).ok_or(DpError::Generator)?;
            return i64::try_from(number / below).map_err(|_| DpError::Generator);
        }
    }

    /// One of `of` independent numbers whose sum is geometric of scale `above / below`: negative binomial with the exponent r = 1/of.
    ///
    /// P(k) ∝ e^(−k·below/above) · Π (i − 1 + r)/i over i from 1 to k. Each factor is at most 1, so a geometric number is drawn and kept with
    /// the product's probability, one exact trial per factor. The sum's generating function is the of-th power of ((1 − q)/(1 − qz))^r.
    pub fn share_of_geometric(&mut self, above: u32, below: u32, of: u32) -> Result<i64, DpError> {
        let of = u64::from(of);
        'draw: loop {
            let drawn = self.geometric(above, below)?;
            for i in 1..=drawn.cast_unsigned() {
                let bound = of.checked_mul(i).ok_or(DpError::Generator)?;
                if !self.bernoulli(bound - of + 1, bound)? {
                    continue 'draw;
                }
            }
            return Ok(drawn);
        }
    }
}

#[cfg(test)]
pub(crate) mod seeded {
    use super::*;

    /// Repeatable bits for tests; does not exist outside of them.
    pub(crate) struct Seeded(pub u64);

    impl Source for Seeded {
        fn fill(&mut self, bytes: &mut [u8]) -> Result<(), DpError> {
            for chunk in bytes.chunks_mut(8) {
                // SplitMix64.
                self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = self.0;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^= z >> 31;
                chunk.copy_from_slice(&z.to_le_bytes()[..chunk.len()]);
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::seeded::Seeded;
    use super::*;

    struct Broken;
    impl Source for Broken {
        fn fill(&mut self, _: &mut [u8]) -> Result<(), DpError> {
            Err(DpError::Generator)
        }
    }

    #[test]
    fn a_broken_generator_is_an_error() {
        let mut bits = Bits::new(Broken);
        assert!(matches!(bits.discrete_laplace(3, 2), Err(DpError::Generator)));
        assert!(matches!(bits.below(10), Err(DpError::Generator)));
    }

    /// Seeded, so it cannot fail by chance; with fresh bits a correct sampler would fail once in 10^6 runs per line
    /// (five standard deviations and 13 cells).
    #[test]
    fn frequencies_are_the_formula() {
        for (above, below, seed) in [(1, 1, 1), (5, 2, 2), (1, 3, 3), (7, 1, 4)] {
            let mut bits = Bits::new(Seeded(seed));
            let runs = 200_000;
            let mut counts = [0u32; 13];
            for _ in 0..runs {
                let z = bits.discrete_laplace(above, below).unwrap();
                if let Some(count) = usize::try_from(z + 6).ok().and_then(|z| counts.get_mut(z)) {
                    *count += 1;
                }
            }
            let a = (-f64::from(below) / f64::from(above)).exp();
            for (i, &count) in counts.iter().enumerate() {
                let p = (1.0 - a) / (1.0 + a) * a.powi((i as i32 - 6).abs());
                let (mean, deviation) = (f64::from(runs) * p, (f64::from(runs) * p * (1.0 - p)).sqrt());
                assert!(
                    (f64::from(count) - mean).abs() < 5.0 * deviation + 3.0,
                    "{above}/{below} at {i}: {count} for {mean}"
                );
            }
        }
    }

    /// Differences of summed shares against the formula of the discrete Laplace; a correct sampler fails in fewer than one of 10^6 runs (six
    /// standard deviations, 21 comparisons).
    #[test]
    fn shares_add_up_to_the_whole_noise() {
        let runs = 60_000;
        let a = (-3.0f64 / 7.0).exp();
        for of in [1u32, 2, 5] {
            let mut bits = Bits::new(Seeded(u64::from(of)));
            let mut counts = std::collections::HashMap::new();
            for _ in 0..runs {
                let mut side =
                    || -> i64 { (0..of).map(|_| bits.share_of_geometric(7, 3, of).unwrap()).sum() };
                *counts.entry(side() - side()).or_insert(0u32) += 1;
            }
            for z in -3i64..=3 {
                let p = (1.0 - a) / (1.0 + a) * a.powi(z.unsigned_abs() as i32);
                let found = f64::from(counts.get(&z).copied().unwrap_or(0));
                let deviation = (f64::from(runs) * p * (1.0 - p)).sqrt();
                assert!((found - f64::from(runs) * p).abs() < 6.0 * deviation, "{of} {z} {found}");
            }
        }
    }

    #[test]
    fn uniform_covers_its_range() {
        let mut bits = Bits::new(Seeded(9));
        let mut counts = [0u32; 6];
        (0..60_000).for_each(|_| counts[bits.below(6).unwrap() as usize] += 1);
        assert!(counts.iter().all(|&c| (9_500..10_500).contains(&c)), "{counts:?}");
        assert!((0..1000).any(|_| bits.below(1 << 40).unwrap() > 1 << 39));
        assert_eq!(bits.below(0).unwrap(), 0);
    }
}
