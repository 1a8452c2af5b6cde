//! A dictionary of byte strings: each distinct one gets the next code.
//!
//! Texts of up to 15 bytes live in their key, which is compared as one integer; longer ones live in one
//! buffer. Of those, texts of up to 32 bytes are read as their first and last 16 bytes, which together are all of
//! them. Hashes are seeded per process, so nobody can prepare a file of colliding cells; codes come out in order
//! of first appearance and do not depend on the seed.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;

/// The longest text that fits into a key.
const SHORT: usize = 15;
/// The bytes of one read, and twice as many: the longest text that two reads cover.
const HALF: usize = 16;
const MIDDLE: usize = 2 * HALF;
/// The highest byte of the key of a longer text.
const LONG: u128 = 0xff << 120;
/// Marks a slot that holds nothing.
const FREE: u32 = u32::MAX;

/// `MASKS[n]` keeps the first `n` bytes of a little-endian integer.
const MASKS: [u128; SHORT + 1] = {
    let mut masks = [0; SHORT + 1];
    let mut n = 0;
    while n <= SHORT {
        masks[n] = (1 << (8 * n)) - 1;
        n += 1;
    }
    masks
};

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    code: u32,
}

/// Distinct byte strings and their codes.
pub(super) struct Dictionary {
    slots: Vec<Slot>,
    /// Per code: up to 15 bytes of text under their length, or where a longer text lies and its length.
    keys: Vec<u128>,
    long: Vec<u8>,
    state: RandomState,
}

impl Dictionary {
    pub(super) fn new() -> Self {
        let slots = vec![Slot { hash: 0, code: FREE }; 64];
        Self { slots, keys: Vec::new(), long: Vec::new(), state: RandomState::default() }
    }

    /// The number of distinct texts.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The bytes that its texts take.
    pub(super) fn bytes(&self) -> usize {
        size_of::<u128>() * self.keys.len() + self.long.len()
    }

    /// The code of `text[start..start + length]`; fastest when 16 more bytes follow `start`.
    #[inline(always)]
    pub(super) fn code_at(&mut self, text: &[u8], start: usize, length: usize) -> u32 {
        if length <= SHORT
            && let Some(chunk) = text.get(start..).and_then(|rest| rest.first_chunk::<HALF>())
        {
            self.short((u128::from_le_bytes(*chunk) & MASKS[length]) | (length as u128) << 120)
        } else {
            self.code(&text[start..start + length])
        }
    }

    /// The code of a text.
    pub(super) fn code(&mut self, text: &[u8]) -> u32 {
        if text.len() > SHORT {
            return self.long(text);
        }
        let mut chunk = [0; 16];
        chunk[..text.len()].copy_from_slice(text);
        self.short(u128::from_le_bytes(chunk) | (text.len() as u128) << 120)
    }

    #[inline(always)]
    fn short(&mut self, key: u128) -> u32 {
        let mut hasher = self.state.build_hasher();
        hasher.write_u64(key as u64);
        hasher.write_u64((key >> 64) as u64);
        let hash = hasher.finish() as u32;
        match self.find(hash, |_, own| own == key) {
            Ok(code) => code,
            Err(free) => self.add(free, hash, key),
        }
    }

    fn long(&mut self, text: &[u8]) -> u32 {
        let (hash, found) = match ends(text) {
            Some(ends) => {
                let mut hasher = self.state.build_hasher();
                hasher.write_usize(text.len());
                ends.iter().for_each(|half| {
                    hasher.write_u64(*half as u64);
                    hasher.write_u64((half >> 64) as u64);
                });
                let hash = hasher.finish() as u32;
                let is_text = |own: &[u8]| own.len() == text.len() && self::ends(own) == Some(ends);
                (hash, self.find(hash, |long, key| long_text(long, key).is_some_and(is_text)))
            }
            None => {
                let hash = self.state.hash_one(text) as u32;
                (hash, self.find(hash, |long, key| long_text(long, key) == Some(text)))
            }
        };
        found.unwrap_or_else(|free| {
            let key = LONG | (text.len() as u128) << 64 | self.long.len() as u128;
            self.long.extend_from_slice(text);
            self.add(free, hash, key)
        })
    }

    /// The code of the text with this hash that is the one meant, or the slot where it belongs.
    #[inline(always)]
    fn find(&self, hash: u32, is_meant: impl Fn(&[u8], u128) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.code == FREE {
                return Err(at);
            }
            if slot.hash == hash && is_meant(&self.long, self.keys[slot.code as usize]) {
                return Ok(slot.code);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, at: usize, hash: u32, key: u128) -> u32 {
        let code = self.keys.len() as u32;
        self.keys.push(key);
        self.slots[at] = Slot { hash, code };
        if self.keys.len() * 2 > self.slots.len() {
            let size = self.slots.len() * 2;
            let old = std::mem::replace(&mut self.slots, vec![Slot { hash: 0, code: FREE }; size]);
            for slot in old.into_iter().filter(|slot| slot.code != FREE) {
                let mut at = slot.hash as usize & (size - 1);
                while self.slots[at].code != FREE {
                    at = (at + 1) & (size - 1);
                }
                self.slots[at] = slot;
            }
        }
        code
    }

    /// The texts in the order of their codes.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&[u8])) {
        for &key in &self.keys {
            match long_text(&self.long, key) {
                Some(text) => visit(text),
                None => visit(&key.to_le_bytes()[..((key >> 120) as usize).min(SHORT)]),
            }
        }
    }
}

/// The text of a key, if it is a longer one.
#[inline(always)]
fn long_text(long: &[u8], key: u128) -> Option<&[u8]> {
    if key < LONG {
        return None;
    }
    let (start, length) = (key as u64 as usize, (key >> 64) as u64 as usize & 0xff_ffff_ffff_ffff);
    long.get(start..start + length)
}

/// The first and the last 16 bytes of a text that has no others.
#[inline(always)]
fn ends(text: &[u8]) -> Option<[u128; 2]> {
    let halves = (text.first_chunk::<HALF>(), text.last_chunk::<HALF>());
    match halves {
        (Some(first), Some(last)) if text.len() <= MIDDLE => {
            Some([u128::from_le_bytes(*first), u128::from_le_bytes(*last)])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn codes_are_given_in_order_of_first_appearance() {
        let mut dictionary = Dictionary::new();
        let mut expected: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut order = Vec::new();
        for i in 0_u32..20_000 {
            let mut text = vec![b'a' + (i % 7) as u8; (i % 40) as usize];
            text.extend_from_slice((i % 3_000).to_string().as_bytes());
            let next = expected.len() as u32;
            let code = *expected.entry(text.clone()).or_insert_with(|| {
                order.push(text.clone());
                next
            });
            assert_eq!(dictionary.code(&text), code);
            let mut padded = text.clone();
            padded.extend_from_slice(&[0xaa; 32]);
            assert_eq!(dictionary.code_at(&padded, 0, text.len()), code);
        }
        let mut texts = Vec::new();
        dictionary.for_each(|text| texts.push(text.to_vec()));
        assert_eq!(texts, order);
        assert_eq!(dictionary.len(), order.len());
    }

    #[test]
    fn nul_bytes_and_lengths_are_told_apart() {
        let mut dictionary = Dictionary::new();
        let texts: [&[u8]; 6] = [b"", b"\0", b"\0\0", b"a", b"a\0", &[0xff; 16]];
        for (code, text) in texts.iter().enumerate() {
            assert_eq!(dictionary.code(text), code as u32);
        }
    }
}
