//! Where randomness comes from: the operating system, or a seed (design, "randomness has two doors").
//!
//! # Guarantee
//! [`Coins::chance`] has exactly the probability that it is given, and [`Coins::below`] is exactly even; a failure of
//! the operating system is an error, never a silent fallback. Units and normal numbers are floating-point numbers of 53
//! random bits: good for estimates, not for differential privacy, which nothing in this crate claims. Equal seeds give
//! equal numbers on every machine, and protect nobody from who knows or guesses the seed.

use crate::PerturbError;

/// Where randomness came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The generator of the operating system.
    OperatingSystem,
    /// A seed: for tests, and for what promises nothing.
    Seeded,
}

/// Something that was drawn, and where its randomness came from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Drawn<T> {
    /// What was drawn.
    pub value: T,
    /// Where its randomness came from.
    pub source: Source,
}

/// A source of random numbers.
pub trait Coins {
    /// Where the numbers come from.
    fn source(&self) -> Source;

    /// 64 random bits.
    ///
    /// # Errors
    /// When the source fails.
    fn word(&mut self) -> Result<u64, PerturbError>;

    /// A number of [0, 1), a multiple of 2⁻⁵³.
    ///
    /// # Errors
    /// When the source fails.
    fn unit(&mut self) -> Result<f64, PerturbError> {
        Ok((self.word()? >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// A whole number below `end`, each with the same probability; 0 when there is none.
    ///
    /// # Errors
    /// When the source fails.
    fn below(&mut self, end: u64) -> Result<u64, PerturbError> {
        if end == 0 {
            return Ok(0);
        }
        // The 2⁶⁴ words do not divide evenly by `end`: the first 2⁶⁴ mod `end` of each stretch are drawn again.
        let uneven = end.wrapping_neg() % end;
        loop {
            let product = u128::from(self.word()?) * u128::from(end);
            if product as u64 >= uneven {
                return Ok((product >> 64) as u64);
            }
        }
    }

    /// True with exactly this probability; what is not above 0 never happens, what is not below 1 always does.
    ///
    /// # Errors
    /// When the source fails.
    fn chance(&mut self, probability: f64) -> Result<bool, PerturbError> {
        if probability.is_nan() || probability <= 0.0 || probability >= 1.0 {
            return Ok(probability >= 1.0);
        }
        // A random real number is compared with the probability, 64 binary digits at a time. Scaling by a power of two
        // and taking off the whole part are exact.
        let mut rest = probability;
        loop {
            let scaled = rest * 18_446_744_073_709_551_616.0;
            let whole = scaled.floor();
            let word = self.word()?;
            if word != whole as u64 {
                return Ok(word < whole as u64);
            }
            rest = scaled - whole;
            if rest == 0.0 {
                return Ok(false);
            }
        }
    }

    /// A number of the standard normal distribution (Box and Muller).
    ///
    /// # Errors
    /// When the source fails.
    fn normal(&mut self) -> Result<f64, PerturbError> {
        let (radius, angle) = (1.0 - self.unit()?, self.unit()?);
        Ok((-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos())
    }
}

/// The generator of the operating system. It cannot be cloned: a clone would give the same numbers again.
pub struct OsCoins {
    /// Fetched and not used yet; a call of the operating system costs as much as many words.
    words: [u64; OsCoins::FETCHED],
    used: usize,
}

impl OsCoins {
    const FETCHED: usize = 128;

    /// The generator; nothing is drawn yet.
    pub fn new() -> Self {
        Self { words: [0; Self::FETCHED], used: Self::FETCHED }
    }
}

impl Default for OsCoins {
    fn default() -> Self {
        Self::new()
    }
}

/// What is still to be used must not come into a log.
impl std::fmt::Debug for OsCoins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OsCoins").finish_non_exhaustive()
    }
}

impl Coins for OsCoins {
    fn source(&self) -> Source {
        Source::OperatingSystem
    }

    fn word(&mut self) -> Result<u64, PerturbError> {
        if self.used >= Self::FETCHED {
            let mut bytes = [0; 8 * Self::FETCHED];
            getrandom::fill(&mut bytes).map_err(|_| PerturbError::NoRandomness)?;
            for (word, bytes) in self.words.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            self.used = 0;
        }
        // Used words are forgotten, so that a later look into memory does not tell them.
        let word = self.words.get_mut(self.used).map(std::mem::take);
        self.used += 1;
        word.ok_or(PerturbError::NoRandomness)
    }
}

/// A generator from a seed: SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Debug, Clone)]
pub struct SeededCoins {
    state: u64,
}

impl SeededCoins {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }
}

impl Coins for SeededCoins {
    fn source(&self) -> Source {
        Source::Seeded
    }

    fn word(&mut self) -> Result<u64, PerturbError> {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Ok(mixed ^ (mixed >> 31))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_mean;

    /// Words that were written down beforehand.
    struct Fixed(Vec<u64>);

    impl Coins for Fixed {
        fn source(&self) -> Source {
            Source::Seeded
        }

        fn word(&mut self) -> Result<u64, PerturbError> {
            self.0.pop().ok_or(PerturbError::NoRandomness)
        }
    }

    fn fixed(words: &[u64]) -> Fixed {
        Fixed(words.iter().rev().copied().collect())
    }

    /// The first numbers of the published generator for the seed 1234567.
    #[test]
    fn is_splitmix() {
        let mut coins = SeededCoins::new(1_234_567);
        assert_eq!(coins.word(), Ok(6_457_827_717_110_365_317));
        assert_eq!(coins.word(), Ok(3_203_168_211_198_807_973));
        assert_eq!(coins.source(), Source::Seeded);
    }

    #[test]
    fn a_failing_source_is_an_error() {
        assert_eq!(fixed(&[]).unit(), Err(PerturbError::NoRandomness));
        assert_eq!(fixed(&[]).chance(0.5), Err(PerturbError::NoRandomness));
        assert_eq!(fixed(&[1]).normal(), Err(PerturbError::NoRandomness));
        // What is certain needs no randomness.
        assert_eq!(fixed(&[]).chance(1.0), Ok(true));
        assert_eq!(fixed(&[]).chance(f64::NAN), Ok(false));
        assert_eq!(fixed(&[]).below(0), Ok(0));
    }

    #[test]
    fn chance_is_exact_to_the_last_bit() {
        // 2⁻⁶⁴: true for no first word but 0, and then for nothing that follows.
        let least = 2f64.powi(-64);
        assert_eq!(fixed(&[0]).chance(least), Ok(true));
        assert_eq!(fixed(&[1]).chance(least), Ok(false));
        assert_eq!(fixed(&[2]).chance(least), Ok(false));
        // 2⁻¹²⁸ needs two words of zeros.
        assert_eq!(fixed(&[0, 0]).chance(least * least), Ok(true));
        assert_eq!(fixed(&[0, 1]).chance(least * least), Ok(false));
        // One half splits the words in the middle.
        assert_eq!(fixed(&[(1 << 63) - 1]).chance(0.5), Ok(true));
        assert_eq!(fixed(&[1 << 63]).chance(0.5), Ok(false));
        // Smaller than any normal number, and still not an endless loop.
        assert_eq!(SeededCoins::new(1).chance(5e-324), Ok(false));
    }

    /// Of the 2⁶⁴ words one is too many to divide by 3, and only that one is drawn again.
    #[test]
    fn below_is_even() {
        assert_eq!(fixed(&[0]).below(3), Err(PerturbError::NoRandomness));
        assert_eq!(fixed(&[0, u64::MAX]).below(3), Ok(2));
        assert_eq!(fixed(&[1]).below(3), Ok(0));
        assert_eq!(fixed(&[u64::MAX / 3 + 1]).below(3), Ok(1));
    }

    /// False alarm: 1e-6 for all 13 comparisons together.
    #[test]
    fn samplers_have_their_moments() {
        let draws = 200_000;
        let mut coins = SeededCoins::new(11);
        let mut counts = [0u32; 7];
        let (mut unit, mut chance, mut normal, mut square, mut fourth, mut beyond) =
            (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for _ in 0..draws {
            counts[coins.below(7).unwrap() as usize] += 1;
            unit += coins.unit().unwrap();
            chance += f64::from(coins.chance(0.3).unwrap());
            let x = coins.normal().unwrap();
            normal += x;
            square += x * x;
            fourth += x.powi(4);
            beyond += f64::from(x > 2.0);
        }
        let n = f64::from(draws);
        let deviation = |variance: f64| (variance / n).sqrt();
        for count in counts {
            assert_mean(f64::from(count) / n, 1.0 / 7.0, deviation(6.0 / 49.0), 13);
        }
        assert_mean(unit / n, 0.5, deviation(1.0 / 12.0), 13);
        assert_mean(chance / n, 0.3, deviation(0.21), 13);
        assert_mean(normal / n, 0.0, deviation(1.0), 13);
        assert_mean(square / n, 1.0, deviation(2.0), 13);
        assert_mean(fourth / n, 3.0, deviation(96.0), 13);
        let tail = crate::normal::upper_tail(2.0);
        assert_mean(beyond / n, tail, deviation(tail * (1.0 - tail)), 13);
    }

    /// False alarm: 1e-6.
    #[test]
    fn the_operating_system_gives_even_bits() {
        let mut coins = OsCoins::new();
        let draws = 2000;
        let ones: u32 = (0..draws).map(|_| coins.word().unwrap().count_ones()).sum();
        let bits = f64::from(64 * draws);
        assert_mean(f64::from(ones) / bits, 0.5, (0.25 / bits).sqrt(), 1);
        assert_eq!(coins.source(), Source::OperatingSystem);
        assert!(!format!("{coins:?}").contains("words"));
    }
}
