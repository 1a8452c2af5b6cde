//! Random numbers of protocols: seeds from the operating system, stretched by AES-128 in counter mode.
//!
//! The generator is pseudo-random under the assumption that AES is a pseudo-random permutation; it runs in constant time and its key is
//! erased when it is dropped. Nothing here takes a seed from a job or a flag.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use zeroize::Zeroize;

use crate::error::PartyError;

/// A seed of a generator.
pub type Seed = [u8; 16];

/// Fills bytes from the operating system.
///
/// # Errors
/// When the system gives none.
pub fn fill(bytes: &mut [u8]) -> Result<(), PartyError> {
    getrandom::fill(bytes).map_err(|_| PartyError::Random)
}

/// An array from the operating system.
///
/// # Errors
/// When the system gives none.
pub fn array<const N: usize>() -> Result<[u8; N], PartyError> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

/// A pseudo-random generator.
pub struct Generator {
    cipher: Aes128,
    counter: u128,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Generator")
    }
}

impl Generator {
    /// The generator of a seed, which is erased.
    pub fn new(mut seed: Seed) -> Self {
        let made = Self { cipher: Aes128::new(&Array(seed)), counter: 0 };
        seed.zeroize();
        made
    }

    /// A generator with a seed of the operating system.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn system() -> Result<Self, PartyError> {
        Ok(Self::new(array()?))
    }

    /// Fills bytes; each call begins with a fresh block.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        let mut blocks = [Array([0; 16]); 64];
        for chunk in bytes.chunks_mut(64 * 16) {
            let used = chunk.len().div_ceil(16);
            for block in &mut blocks[..used] {
                block.copy_from_slice(&self.counter.to_le_bytes());
                self.counter = self.counter.wrapping_add(1);
            }
            self.cipher.encrypt_blocks(&mut blocks[..used]);
            for (to, from) in chunk.chunks_mut(16).zip(&blocks) {
                to.copy_from_slice(&from[..to.len()]);
            }
        }
        blocks.iter_mut().for_each(|block| block.zeroize());
    }

    /// Fills words of 128 bits, each with one block.
    pub fn fill_blocks(&mut self, words: &mut [u128]) {
        let mut blocks = [Array([0; 16]); 64];
        for chunk in words.chunks_mut(64) {
            let blocks = &mut blocks[..chunk.len()];
            for block in blocks.iter_mut() {
                block.copy_from_slice(&self.counter.to_le_bytes());
                self.counter = self.counter.wrapping_add(1);
            }
            self.cipher.encrypt_blocks(blocks);
            for (word, block) in chunk.iter_mut().zip(blocks.iter()) {
                *word = u128::from_le_bytes(block.0);
            }
        }
        blocks.iter_mut().for_each(|block| block.zeroize());
    }

    /// So many numbers.
    pub fn u64s(&mut self, count: usize) -> Vec<u64> {
        let mut bytes = vec![0; count * 8];
        self.fill(&mut bytes);
        let values = bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        bytes.zeroize();
        values
    }

    /// A number.
    pub fn u64(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// A number below a bound above 0, by rejection, so that each is equally likely.
    pub fn below(&mut self, bound: u64) -> u64 {
        let limit = u64::MAX - u64::MAX % bound;
        loop {
            let drawn = self.u64();
            if drawn < limit {
                return drawn % bound;
            }
        }
    }

    /// Puts elements into a random order, each equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            elements.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_stream_and_another_seed_another() {
        let stream = |seed| Generator::new([seed; 16]).u64s(100);
        assert_eq!(stream(1), stream(1));
        assert_ne!(stream(1), stream(2));
        let mut whole = [0; 40];
        Generator::new([3; 16]).fill(&mut whole);
        let mut part = [0; 7];
        Generator::new([3; 16]).fill(&mut part);
        assert_eq!(whole[..7], part);
    }

    /// AES-128 of the zero block under the zero key (FIPS 197 test value).
    #[test]
    fn the_stream_is_aes_in_counter_mode() {
        let mut block = [0; 4];
        Generator::new([0; 16]).fill(&mut block);
        assert_eq!(block, [0x66, 0xe9, 0x4b, 0xd4]);
    }

    /// False alarms: a correct shuffle fails in fewer than one of 10^6 runs (chi-squared of 23 degrees above 80).
    #[test]
    fn every_order_is_equally_likely() {
        let mut generator = Generator::system().unwrap();
        let mut counts = std::collections::HashMap::new();
        for _ in 0..24_000 {
            let mut order = [0u8, 1, 2, 3];
            generator.shuffle(&mut order);
            *counts.entry(order).or_insert(0.0f64) += 1.0;
        }
        assert_eq!(counts.len(), 24);
        let chi: f64 = counts.values().map(|count| (count - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 80.0, "{chi}");
    }
}
