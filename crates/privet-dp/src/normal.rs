//! Normal noise rounded to whole numbers, drawn exactly (Karney, "Sampling exactly from the normal distribution", 2016, algorithms N, H and
//! B).
//!
//! # Guarantee
//! The number is round(X) for a normal X of the deviation that is named, a fraction: the draws are of whole numbers and of digits of
//! uniform numbers, as many as a comparison needs, so no probability and no digit is rounded. A whole number with it is the rounded sum of
//! that number and X, so what holds of (epsilon, delta) for normal noise holds for it, in any number of dimensions and for any whole
//! numbers: rounding what is released costs nothing.

use dashu::integer::IBig;
use dashu::rational::RBig;
use rayon::prelude::*;

use crate::DpError;
use crate::bits::{Bits, Source};

/// How many cells one task fills.
const CHUNK: usize = 1 << 12;

/// A uniform number from 0 to 1, of which as many digits are known as were needed.
struct Uniform {
    words: Vec<u64>,
}

impl Uniform {
    fn word<S: Source>(&mut self, place: usize, bits: &mut Bits<S>) -> Result<u64, DpError> {
        while self.words.len() <= place {
            self.words.push(bits.word()?);
        }
        Ok(self.words.get(place).copied().unwrap_or(0))
    }

    /// True with the probability that is this number.
    fn happens<S: Source>(&mut self, bits: &mut Bits<S>) -> Result<bool, DpError> {
        let mut place = 0;
        loop {
            let (other, own) = (bits.word()?, self.word(place, bits)?);
            if other != own {
                return Ok(other < own);
            }
            place += 1;
        }
    }
}

/// One draw of round(X), X normal with this deviation.
pub(crate) fn rounded_normal<S: Source>(sigma: &RBig, bits: &mut Bits<S>) -> Result<IBig, DpError> {
    if *sigma <= RBig::ZERO {
        return Ok(IBig::ZERO);
    }
    let (whole, mut rest) = standard(bits)?;
    let magnitude = rounded(sigma, whole, &mut rest, bits)?;
    Ok(if bits.flip()? { -magnitude } else { magnitude })
}

/// The magnitude of a standard normal number: what is before the point, and the digits behind it (algorithm N).
fn standard<S: Source>(bits: &mut Bits<S>) -> Result<(u64, Uniform), DpError> {
    'draw: loop {
        // P(k) ∝ e^(−k/2), then kept with probability e^(−k(k−1)/2).
        let mut whole = 0u64;
        while bits.bernoulli_exp(1, 2)? {
            whole += 1;
        }
        for _ in 0..whole * whole.saturating_sub(1) {
            if !bits.bernoulli_exp(1, 2)? {
                continue 'draw;
            }
        }
        // Kept with probability e^(−u(2k+u)/2), as k + 1 times e^(−u(2k+u)/(2k+2)).
        let mut rest = Uniform { words: Vec::new() };
        for _ in 0..=whole {
            if !decays(whole, &mut rest, bits)? {
                continue 'draw;
            }
        }
        return Ok((whole, rest));
    }
}

/// True with probability e^(−u(2k+u)/(2k+2)): the parity of the first failure among trials with probabilities x/1, x/2, x/3, …
fn decays<S: Source>(whole: u64, rest: &mut Uniform, bits: &mut Bits<S>) -> Result<bool, DpError> {
    let mut trial = 1u64;
    loop {
        let happens = bits.below(trial)? == 0 && rest.happens(bits)? && {
            // (2k + u)/(2k + 2)
            let drawn = bits.below(2 * whole + 2)?;
            drawn < 2 * whole || drawn == 2 * whole && rest.happens(bits)?
        };
        if !happens {
            return Ok(trial % 2 == 1);
        }
        trial += 1;
    }
}

/// ⌊σ(k + u) + 1/2⌋, with as many digits of u as decide it.
fn rounded<S: Source>(
    sigma: &RBig,
    whole: u64,
    rest: &mut Uniform,
    bits: &mut Bits<S>,
) -> Result<IBig, DpError> {
    let numerator = sigma.numerator().clone();
    let below = IBig::from(sigma.denominator().clone());
    let mut digits = IBig::from(whole);
    let mut words = 0;
    loop {
        digits = (digits << 64) + IBig::from(rest.word(words, bits)?);
        words += 1;
        // σ(k + u) + 1/2 = (2·numerator·digits + below·2^n)/(2·below·2^n)
        let half = &below << (64 * words);
        let whole_part = &half << 1;
        let least = &numerator * &digits * IBig::from(2) + &half;
        // The number is below this one: the next digits are unknown.
        let most = &least + &numerator * IBig::from(2);
        let (from, to) = (&least / &whole_part, (most - IBig::ONE) / &whole_part);
        if from == to {
            return Ok(from);
        }
    }
}

/// One draw.
pub(crate) fn draw(sigma: &RBig) -> Result<IBig, DpError> {
    rounded_normal(sigma, &mut Bits::system())
}

/// Counts with independent noise each; sums beyond the range of `i64` are cut off there.
pub(crate) fn add_to_all(sigma: &RBig, counts: &[u64]) -> Result<Vec<i64>, DpError> {
    let mut noisy = vec![0i64; counts.len()];
    noisy.par_chunks_mut(CHUNK).zip(counts.par_chunks(CHUNK)).try_for_each(|(noisy, counts)| {
        let mut bits = Bits::system();
        for (cell, &count) in noisy.iter_mut().zip(counts) {
            let value = rounded_normal(sigma, &mut bits)? + IBig::from(count);
            let cut = if value < IBig::ZERO { i64::MIN } else { i64::MAX };
            *cell = i64::try_from(value).unwrap_or(cut);
        }
        Ok::<_, DpError>(())
    })?;
    Ok(noisy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytic::above;
    use crate::bits::seeded::Seeded;

    /// Against the formula: P(z) is the normal probability from z − ½ to z + ½. A correct sampler fails in fewer than one of 10^6 runs
    /// of other seeds (six standard deviations, 50 comparisons).
    #[test]
    fn draws_have_the_law() {
        for (above_point, below) in [(5i32, 2u32), (1, 3), (41, 1), (4_330_000, 1_024_000)] {
            let sigma = RBig::from_parts(above_point.into(), below.into());
            let real = sigma.to_f64().value();
            let mut bits = Bits::new(Seeded(31));
            let runs = 60_000;
            let draws: Vec<i64> = (0..runs)
                .map(|_| i64::try_from(rounded_normal(&sigma, &mut bits).unwrap()).unwrap())
                .collect();
            for z in -6i64..=6 {
                let p = above((z as f64 - 0.5) / real) - above((z as f64 + 0.5) / real);
                let count = draws.iter().filter(|&&draw| draw == z).count() as f64;
                let spread = (f64::from(runs) * p * (1.0 - p)).sqrt().max(1.0);
                assert!((count - f64::from(runs) * p).abs() < 6.0 * spread, "{real} {z}: {count}");
            }
            // The variance of a squared draw is about 2σ⁴, or less than that of σ where nearly all draws are 0.
            let square = draws.iter().map(|&z| (z * z) as f64).sum::<f64>() / f64::from(runs);
            if real > 2.0 {
                let expected = real * real + 1.0 / 12.0;
                assert!(
                    (square / expected - 1.0).abs() < 6.0 * (2.0 / f64::from(runs)).sqrt(),
                    "{real}: {square}"
                );
            }
            let beyond = draws.iter().filter(|&&z| z.abs() as f64 > 2.0 * real).count() as f64;
            let least = 2.0 * above(((2.0 * real).floor() + 0.5) / real);
            let spread = (f64::from(runs) * least).sqrt().max(1.0);
            assert!((beyond - f64::from(runs) * least).abs() < 6.0 * spread, "{real}: {beyond}");
        }
    }

    #[test]
    fn edges() {
        assert_eq!(draw(&RBig::ZERO).unwrap(), IBig::ZERO);
        assert!(add_to_all(&RBig::ONE, &[]).unwrap().is_empty());
        assert_eq!(add_to_all(&RBig::ZERO, &[4, 2]).unwrap(), [4, 2]);
        let wide = RBig::from(IBig::from(10).pow(40));
        assert!(draw(&wide).unwrap() != IBig::ZERO);
        assert!(add_to_all(&wide, &[5; 8]).unwrap().iter().all(|&own| own == i64::MIN || own == i64::MAX));
        // Digits are drawn until they decide: a deviation of 2^200 needs more than three words.
        let mut bits = Bits::new(Seeded(1));
        let many = rounded_normal(&RBig::from(IBig::from(2).pow(200)), &mut bits).unwrap();
        assert!(many != IBig::ZERO && &many % IBig::from(1u64 << 63) != IBig::ZERO);
    }
}
