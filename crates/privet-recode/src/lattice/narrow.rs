//! Many small numbers, kept in as few bytes each as the largest of them needs.
//!
//! A large table has mostly tuples of one record, whose counts and sensitive values fit into a byte. Snapshots live as
//! long as the search and there are several, so those bytes are most of what a search takes besides the table.

/// Numbers of one width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Narrow {
    /// Up to 255.
    Byte(Vec<u8>),
    /// Up to 65,535.
    Short(Vec<u16>),
    /// Any.
    Full(Vec<u32>),
}

impl Narrow {
    /// The number at a position.
    #[inline]
    pub fn get(&self, at: usize) -> u32 {
        match self {
            Self::Byte(numbers) => u32::from(numbers[at]),
            Self::Short(numbers) => u32::from(numbers[at]),
            Self::Full(numbers) => numbers[at],
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Byte(numbers) => numbers.len(),
            Self::Short(numbers) => numbers.len(),
            Self::Full(numbers) => numbers.len(),
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }
}

impl Default for Narrow {
    fn default() -> Self {
        Self::Byte(Vec::new())
    }
}

impl From<&[u32]> for Narrow {
    fn from(numbers: &[u32]) -> Self {
        let largest = numbers.iter().copied().max().unwrap_or(0);
        if u8::try_from(largest).is_ok() {
            Self::Byte(numbers.iter().map(|&number| number as u8).collect())
        } else if u16::try_from(largest).is_ok() {
            Self::Short(numbers.iter().map(|&number| number as u16).collect())
        } else {
            Self::Full(numbers.to_vec())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_at_every_width() {
        for largest in [0, 1, 255, 256, 65_535, 65_536, u32::MAX] {
            let numbers = [0, largest, largest / 2];
            let narrow = Narrow::from(&numbers[..]);
            assert_eq!(narrow.iter().collect::<Vec<u32>>(), numbers);
            let width = match narrow {
                Narrow::Byte(_) => 1,
                Narrow::Short(_) => 2,
                Narrow::Full(_) => 4,
            };
            assert!(u64::from(largest) < 1 << (8 * width), "{largest}");
            assert!(width == 1 || u64::from(largest) >= 1 << (4 * width), "{largest}");
        }
        assert_eq!(Narrow::from(&[][..]).len(), 0);
    }
}
