//! Exact random draws, through the samplers of `opendp`.
//!
//! Guarantee: whole numbers from exactly the named distribution, for any rational scale; no floating point, so none
//! of the attacks on the low bits of floating-point noise (Mironov 2012) apply. Decimals are handled by counting in
//! units of a declared [`crate::Grid`]. Under `opendp` bits come from `rand`'s thread generator: ChaCha with 12 rounds,
//! seeded by the operating system, seeded anew every 64 KiB and after a fork. Whoever must use OpenSSL's generator
//! builds with the feature `openssl`. The operating system's source is asked before each draw (`seeded`): where it
//! is not there, the thread generator would panic, and here it is an error. There is no seed to set. Draws do not take
//! constant time: keep the time that an answer took from whoever asked. The draws of millions of cells are in
//! `bits.rs`, which says why.

use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;
use opendp::traits::samplers as exact;
use rayon::prelude::*;

use crate::DpError;
use crate::bits::Bits;

/// How many cells one task fills.
const CHUNK: usize = 1 << 14;

fn checked(scale: &RBig) -> Result<(), DpError> {
    if *scale < RBig::ZERO {
        return Err(DpError::parameter("the scale of noise", "0 or more"));
    }
    Ok(())
}

/// Asks the operating system for a byte, so that a machine without randomness is an error and not a panic.
fn seeded() -> Result<(), DpError> {
    getrandom::fill(&mut [0]).map_err(|_| DpError::Generator)
}

/// Discrete Laplace noise: P(z) ∝ e^(−|z|/scale). A scale of 0 gives 0.
pub fn discrete_laplace(scale: &RBig) -> Result<IBig, DpError> {
    checked(scale)?;
    seeded()?;
    exact::sample_discrete_laplace(scale.clone()).map_err(|_| DpError::Generator)
}

/// Discrete Gaussian noise: P(z) ∝ e^(−z²/(2·sigma²)). A sigma of 0 gives 0.
pub fn discrete_gaussian(sigma: &RBig) -> Result<IBig, DpError> {
    checked(sigma)?;
    seeded()?;
    exact::sample_discrete_gaussian(sigma.clone()).map_err(|_| DpError::Generator)
}

/// A whole number from 0 to below the bound, each equally likely. A bound of 0 gives 0.
pub fn uniform_below(bound: &UBig) -> Result<UBig, DpError> {
    if *bound <= UBig::ONE {
        return Ok(UBig::ZERO);
    }
    seeded()?;
    exact::sample_uniform_ubig_below(bound.clone()).map_err(|_| DpError::Generator)
}

/// Counts with independent discrete Laplace noise each. Fast when numerator and denominator of the scale are below 2^32,
/// and otherwise as [`discrete_laplace`]. Sums beyond the range of `i64` are cut off there: the sums, not the noise,
/// because noise that always ends at the same limit would hide nothing.
pub fn add_discrete_laplace(scale: &RBig, counts: &[u64]) -> Result<Vec<i64>, DpError> {
    checked(scale)?;
    let above = u32::try_from(scale.numerator().clone()).ok().filter(|&above| above > 0);
    let below = u32::try_from(scale.denominator().clone()).ok();
    let Some((above, below)) = above.zip(below) else {
        return add_to_all(counts, || discrete_laplace(scale));
    };
    let mut noisy = vec![0i64; counts.len()];
    noisy.par_chunks_mut(CHUNK).zip(counts.par_chunks(CHUNK)).try_for_each(|(noisy, counts)| {
        let mut bits = Bits::system();
        for (cell, &count) in noisy.iter_mut().zip(counts) {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            *cell = bits.discrete_laplace(above, below)?.saturating_add(count);
        }
        Ok::<_, DpError>(())
    })?;
    Ok(noisy)
}

/// So many draws of a share of discrete Laplace noise: of `of` parties that add one each, the sum is discrete Laplace of this scale. The
/// numerator and the denominator of the scale must be below 2^32.
pub fn discrete_laplace_shares(scale: &RBig, draws: usize, of: u32) -> Result<Vec<i64>, DpError> {
    checked(scale)?;
    let above = u32::try_from(scale.numerator().clone()).ok().filter(|&above| above > 0);
    let below = u32::try_from(scale.denominator().clone()).ok();
    let Some((above, below)) = above.zip(below).filter(|_| of > 0) else {
        return Err(DpError::parameter(
            "the scale of shared noise",
            "a fraction of numbers from 1 to below 2^32",
        ));
    };
    let mut drawn = vec![0i64; draws];
    drawn.par_chunks_mut(CHUNK).try_for_each(|drawn| {
        let mut bits = Bits::system();
        for own in drawn {
            *own = bits.share_of_geometric(above, below, of)? - bits.share_of_geometric(above, below, of)?;
        }
        Ok::<_, DpError>(())
    })?;
    Ok(drawn)
}

/// Counts with independent discrete Gaussian noise each, cut off as in [`add_discrete_laplace`].
pub fn add_discrete_gaussian(sigma: &RBig, counts: &[u64]) -> Result<Vec<i64>, DpError> {
    checked(sigma)?;
    add_to_all(counts, || discrete_gaussian(sigma))
}

fn add_to_all(counts: &[u64], noise: impl Fn() -> Result<IBig, DpError> + Sync) -> Result<Vec<i64>, DpError> {
    let add = |&count: &u64| Ok(saturating_i64(&(noise()? + IBig::from(count))));
    counts.par_iter().with_min_len(256).map(add).collect()
}

fn saturating_i64(value: &IBig) -> i64 {
    i64::try_from(value.clone()).unwrap_or(if *value < IBig::ZERO { i64::MIN } else { i64::MAX })
}

/// A big whole number cut off at the range of `i128`: what is done to a noisy value costs no privacy.
pub(crate) fn saturating_i128(value: &IBig) -> i128 {
    i128::try_from(value.clone()).unwrap_or(if *value < IBig::ZERO { i128::MIN } else { i128::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both samplers against the formula; a correct sampler fails in fewer than one of 10^6 runs (six standard
    /// deviations, 33 comparisons).
    #[test]
    fn both_doors_draw_the_same_distribution() {
        let scale = RBig::from_parts(7.into(), 3u8.into());
        let a = (-3.0f64 / 7.0).exp();
        let runs = 40_000;
        let one_by_one: Vec<i64> =
            (0..runs).map(|_| i64::try_from(discrete_laplace(&scale).unwrap()).unwrap()).collect();
        let many = add_discrete_laplace(&scale, &vec![0; runs]).unwrap();
        let sigma = RBig::from_parts(5.into(), 2u8.into());
        let gaussian = add_discrete_gaussian(&sigma, &vec![0; runs]).unwrap();
        let norm: f64 = (-60..=60).map(|z: i32| (-f64::from(z * z) / 12.5).exp()).sum();
        for z in -5i32..=5 {
            let laplace = (1.0 - a) / (1.0 + a) * a.powi(z.abs());
            let normal = (-f64::from(z * z) / 12.5).exp() / norm;
            for (draws, p) in [(&one_by_one, laplace), (&many, laplace), (&gaussian, normal)] {
                let count = draws.iter().filter(|&&draw| draw == i64::from(z)).count() as f64;
                let deviation = (runs as f64 * p * (1.0 - p)).sqrt();
                assert!((count - runs as f64 * p).abs() < 6.0 * deviation, "{z}: {count}");
            }
        }
    }

    #[test]
    fn edges() {
        assert_eq!(discrete_laplace(&RBig::ZERO).unwrap(), IBig::ZERO);
        assert_eq!(discrete_gaussian(&RBig::ZERO).unwrap(), IBig::ZERO);
        assert!(discrete_laplace(&RBig::from(-1)).is_err());
        assert!(add_discrete_laplace(&RBig::from(-1), &[1]).is_err());
        assert!(add_discrete_laplace(&RBig::ONE, &[]).unwrap().is_empty());
        assert_eq!(add_discrete_laplace(&RBig::ZERO, &[4, 2]).unwrap(), [4, 2]);
        assert_eq!(uniform_below(&UBig::ZERO).unwrap(), UBig::ZERO);
        let wide = RBig::from(IBig::from(10).pow(40));
        // Cut off at a limit, and not at a limit plus the count.
        let cut = add_discrete_laplace(&wide, &[5; 20]).unwrap();
        assert!(cut.iter().all(|&x| x == i64::MIN || x == i64::MAX), "{cut:?}");
        assert!(discrete_laplace(&wide).unwrap() != IBig::ZERO);
    }
}
