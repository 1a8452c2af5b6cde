//! A small seeded generator for what may be left to chance, in searches, attacks and measurements: SplitMix64 (Steele,
//! Lea and Flood, 2014).
//!
//! Equal seeds give equal numbers on every machine. It protects nobody: no promise of privacy rests on it.

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

    /// Puts the items into a random order, all orders equally likely.
    pub fn shuffle(&mut self, items: &mut [u32]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
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

    /// All six orders of three items; a count of 6000 that is off by more than 30 standard deviations is no chance.
    #[test]
    fn orders_are_equally_likely() {
        let mut random = Random::stream(1, 2);
        let mut seen = std::collections::HashMap::new();
        for _ in 0..36_000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *seen.entry(items).or_insert(0) += 1;
        }
        assert!(seen.len() == 6 && seen.values().all(|count| (3900..8100).contains(count)), "{seen:?}");
    }

    #[test]
    fn streams_differ() {
        assert_ne!(Random::stream(1, 0).number(), Random::stream(1, 1).number());
        assert_ne!(Random::stream(1, 0).number(), Random::stream(2, 0).number());
        assert_ne!(Random::stream(1, 2).number(), Random::stream(2, 1).number());
    }
}
