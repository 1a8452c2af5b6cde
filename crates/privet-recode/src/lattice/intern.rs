//! Numbers distinct keys in the order in which they first appear.

use super::key::{Key, hash};

/// An open-addressing table from keys to numbers.
#[derive(Debug)]
pub struct Interner<const W: usize> {
    keys: Vec<Key<W>>,
    // Number + 1; 0 is empty.
    slots: Vec<u32>,
    // Bits of the hash that count: all, but for tests that force collisions.
    hash_mask: u64,
}

impl<const W: usize> Interner<W> {
    /// An empty table that will see so many keys, often the same ones: it grows when they differ.
    pub fn with_capacity(keys: usize) -> Self {
        let slots = (keys.clamp(16, 1 << 14) * 2).next_power_of_two();
        Self { keys: Vec::new(), slots: vec![0; slots], hash_mask: u64::MAX }
    }

    /// The same with a hash of few bits, so that nearly every key collides.
    #[cfg(test)]
    pub fn colliding(bits: u32) -> Self {
        Self { hash_mask: (1 << bits) - 1, ..Self::with_capacity(0) }
    }

    /// The number of a key, and whether it is new.
    pub fn intern(&mut self, key: &Key<W>) -> (u32, bool) {
        if self.keys.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = (hash(key) & self.hash_mask) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => {
                    self.keys.push(*key);
                    self.slots[slot] = self.keys.len() as u32;
                    return (self.keys.len() as u32 - 1, true);
                }
                number if self.keys[number as usize - 1] == *key => return (number - 1, false),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![0; mask + 1];
        for (number, key) in self.keys.iter().enumerate() {
            let mut slot = (hash(key) & self.hash_mask) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn forced_collisions_change_nothing(keys in prop::collection::vec((0u64..40, 0u64..3), 0..300), bits in 0u32..4) {
            let mut interner = Interner::<2>::colliding(bits);
            let mut expected = HashMap::new();
            for (a, b) in keys {
                let fresh = expected.len() as u32;
                let number = *expected.entry((a, b)).or_insert(fresh);
                prop_assert_eq!(interner.intern(&[a, b]), (number, number == fresh && expected.len() as u32 == fresh + 1));
            }
        }
    }
}
