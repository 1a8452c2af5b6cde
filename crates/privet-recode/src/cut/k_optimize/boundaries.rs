//! A set of boundaries of the alphabet: one bit for each.

/// A set of boundaries, by their numbers in the alphabet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Boundaries(Box<[u64]>);

impl Boundaries {
    /// The empty set in an alphabet of so many boundaries.
    pub fn none(alphabet: usize) -> Self {
        Self(vec![0; alphabet.div_ceil(64)].into())
    }

    /// The whole alphabet.
    pub fn all(alphabet: usize) -> Self {
        let mut all = Self::none(alphabet);
        (0..alphabet).for_each(|boundary| all.insert(boundary));
        all
    }

    pub fn contains(&self, boundary: usize) -> bool {
        self.0[boundary / 64] >> (boundary % 64) & 1 == 1
    }

    pub fn insert(&mut self, boundary: usize) {
        self.0[boundary / 64] |= 1 << (boundary % 64);
    }

    pub fn remove(&mut self, boundary: usize) {
        self.0[boundary / 64] &= !(1 << (boundary % 64));
    }

    /// The set with one more.
    pub fn with(&self, boundary: usize) -> Self {
        let mut set = self.clone();
        set.insert(boundary);
        set
    }

    /// The set with one less.
    pub fn without(&self, boundary: usize) -> Self {
        let mut set = self.clone();
        set.remove(boundary);
        set
    }

    pub fn union(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    pub fn minus(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_across_words() {
        let all = Boundaries::all(130);
        assert_eq!(all.len(), 130);
        let some = Boundaries::none(130).with(3).with(64).with(129);
        assert!([3, 64, 129].into_iter().all(|boundary| some.contains(boundary)) && some.len() == 3);
        let rest = all.minus(&some);
        assert!(!rest.contains(64) && rest.contains(65) && rest.len() == 127);
        assert_eq!(rest.union(&some), all);
        assert!(some.without(3).without(64).without(129).is_empty());
        assert!(Boundaries::none(0).is_empty() && Boundaries::all(0).is_empty());
    }
}
