//! A small seeded generator for searches that choose at random: SplitMix64 (Steele, Lea and Flood, 2014).
//!
//! Equal seeds give equal searches on every machine. It protects nobody: no promise of privacy rests on it.

/// A stream of numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The stream with this number among those of a seed.
    pub fn stream(seed: u64, number: u64) -> Self {
        // Mixed, so that neither neighbouring seeds nor neighbouring numbers give overlapping streams.
        Self { state: Self::new(seed).number() ^ Self::new(!number).number() }
    }

    /// A number of 64 bits.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `end`; 0 when there is none.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.number()) * end as u128) >> 64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the published generator for the seed 1234567.
    #[test]
    fn is_splitmix() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.number(), 6_457_827_717_110_365_317);
        assert_eq!(random.number(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn keeps_its_bounds() {
        let mut random = Random::stream(7, 3);
        let mut seen = [0u32; 5];
        for _ in 0..1000 {
            seen[random.below(5)] += 1;
            assert!((0.0..1.0).contains(&random.unit()));
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
        assert_eq!(random.below(0), 0);
        assert!(!random.chance(0.0));
        assert!(random.chance(1.0));
    }

    #[test]
    fn streams_differ() {
        assert_ne!(Random::stream(1, 0).number(), Random::stream(1, 1).number());
        assert_ne!(Random::stream(1, 0).number(), Random::stream(2, 0).number());
        assert_ne!(Random::stream(1, 2).number(), Random::stream(2, 1).number());
    }
}
