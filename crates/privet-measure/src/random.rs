//! A small seeded generator for what may be left to chance: SplitMix64 (Steele, Lea and Flood, 2014).
//!
//! Equal seeds give equal numbers on every machine. It protects nobody: no promise of privacy rests on it.

/// A stream of numbers.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The stream with this number among those of a seed.
    pub(crate) fn stream(seed: u64, number: u64) -> Self {
        // Mixed, so that neither neighbouring seeds nor neighbouring numbers give overlapping streams.
        let mixed = |state| Self { state }.number();
        Self { state: mixed(seed) ^ mixed(!number) }
    }

    /// A number of 64 bits.
    pub(crate) fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when there is none.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(end)) >> 64) as u64
    }
}

/// What only simulations in tests draw.
#[cfg(test)]
impl Random {
    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number of the standard normal distribution (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.unit(), self.unit());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the published generator for the seed 1234567.
    #[test]
    fn is_splitmix() {
        let mut random = Random { state: 1_234_567 };
        assert_eq!(random.number(), 6_457_827_717_110_365_317);
        assert_eq!(random.number(), 3_203_168_211_198_807_973);
        assert_eq!(random.below(0), 0);
    }
}
