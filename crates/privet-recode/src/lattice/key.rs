//! Keys of classes: the nodes of a tuple packed into one or more 64-bit words.
//!
//! Every column gets a field as wide as its largest node number; fields do not cross words. `W` words
//! are fixed at compile time, so that the usual case is a plain `u64` and wide tables still work.

/// A packed tuple.
pub type Key<const W: usize> = [u64; W];

/// Where the field of one column lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The word.
    pub word: usize,
    /// Bits to its right.
    pub shift: u32,
    /// Its width in bits; 0 for a column with a single node.
    pub bits: u32,
}

impl Field {
    /// The node number in a key.
    pub fn get<const W: usize>(self, key: &Key<W>) -> usize {
        ((key[self.word] >> self.shift) & self.mask()) as usize
    }

    /// The field with this node number, all other bits 0.
    pub fn put(self, node: u32) -> u64 {
        u64::from(node) << self.shift
    }

    /// All bits of the field.
    pub fn mask_in_place(self) -> u64 {
        self.mask() << self.shift
    }

    fn mask(self) -> u64 {
        (1u64 << self.bits) - 1
    }
}

/// The fields of all columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// One field per column.
    pub fields: Vec<Field>,
    /// Words in use.
    pub words: usize,
}

impl Layout {
    /// Fields for columns with so many nodes each.
    pub fn new(sizes: impl Iterator<Item = usize>) -> Self {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::new();
        for size in sizes {
            let bits = usize::BITS - size.saturating_sub(1).leading_zeros();
            if used + bits > 64 {
                word += 1;
                used = 0;
            }
            // A field of no bits at the end of a full word would shift by 64.
            fields.push(Field { word, shift: used.min(63), bits });
            used += bits;
        }
        Self { fields, words: word + 1 }
    }

    /// How many of the lower bits of each word are in use; a key has at least as many words as the layout.
    pub fn bits_of_words<const W: usize>(&self) -> [u32; W] {
        let mut bits = [0; W];
        for field in &self.fields {
            bits[field.word] =
                bits[field.word].max(if field.bits > 0 { field.shift + field.bits } else { 0 });
        }
        bits
    }
}

/// Mixes a key into 64 bits. One folded multiplication per word suffices: every table that uses the
/// hash compares whole keys.
pub fn hash<const W: usize>(key: &Key<W>) -> u64 {
    key.iter().fold(0x9E37_79B9_7F4A_7C15, |state, &word| {
        let product = u128::from(state ^ word) * u128::from(0xA076_1D64_78BD_642Fu64);
        (product >> 64) as u64 ^ product as u64
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn fields_hold_their_nodes(sizes in prop::collection::vec(1usize..200_000, 1..12), seed: u64) {
            let layout = Layout::new(sizes.iter().copied());
            prop_assert!(layout.words <= 4);
            let mut key: Key<4> = [0; 4];
            let node = |i: usize| (seed.rotate_left(i as u32 * 7) % sizes[i] as u64) as u32;
            for (i, field) in layout.fields.iter().enumerate() {
                key[field.word] |= field.put(node(i));
            }
            for (i, field) in layout.fields.iter().enumerate() {
                prop_assert_eq!(field.get(&key), node(i) as usize);
            }
        }
    }

    #[test]
    fn a_column_of_one_node_takes_no_bits() {
        let layout = Layout::new([1usize << 32, 1 << 32, 1, 2].into_iter());
        assert_eq!(layout.fields[2].bits, 0);
        assert_eq!(layout.fields[3].word, 1);
        assert_eq!(layout.words, 2);
    }
}
