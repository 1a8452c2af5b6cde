//! Finds the kind of a column whose values go by one after another, in any order and in several places at once.

use crate::Kind;

/// The kinds, from the narrowest on; text fits everything.
const KINDS: [Kind; 4] = [Kind::Integer, Kind::Decimal, Kind::Date, Kind::Boolean];

/// What is known of the kind of some texts.
///
/// **Guarantee.** Tests of parts of a column, put together in any order, give the kind that [`Kind::of`] gives of all texts.
///
/// ```
/// use privet_data::{Kind, KindTest};
///
/// let (mut one, mut other) = (KindTest::default(), KindTest::default());
/// one.see("7");
/// other.see("7.5");
/// one.join(other);
/// assert_eq!(one.kind(), Kind::Decimal);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindTest {
    fits: [bool; 4],
    is_empty: bool,
}

impl Default for KindTest {
    /// No text was seen.
    fn default() -> Self {
        Self { fits: [true; 4], is_empty: true }
    }
}

impl KindTest {
    /// Looks at a text that is no marker of a missing value.
    pub fn see(&mut self, text: &str) {
        self.is_empty = false;
        for (fits, kind) in self.fits.iter_mut().zip(KINDS) {
            *fits = *fits && kind.fits(text);
        }
    }

    /// Whether further texts change nothing.
    pub fn is_settled(&self) -> bool {
        self.fits == [false; 4]
    }

    /// Adds what is known of other texts of the column.
    pub fn join(&mut self, other: Self) {
        self.is_empty &= other.is_empty;
        for (fits, other) in self.fits.iter_mut().zip(other.fits) {
            *fits &= other;
        }
    }

    /// The narrowest kind that fits all texts; text when there is none.
    pub fn kind(&self) -> Kind {
        let narrowest = KINDS.into_iter().zip(self.fits).find(|(_, fits)| *fits && !self.is_empty);
        narrowest.map_or(Kind::Text, |(kind, _)| kind)
    }

    /// The test as five bits.
    pub fn bits(&self) -> u8 {
        let fits = self.fits.iter().zip(0..).map(|(&fits, bit)| u8::from(fits) << bit);
        fits.sum::<u8>() | u8::from(self.is_empty) << 4
    }

    /// The test that has these [`bits`](Self::bits).
    pub fn of_bits(bits: u8) -> Self {
        Self { fits: [0, 1, 2, 3].map(|bit| bits >> bit & 1 == 1), is_empty: bits >> 4 & 1 == 1 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXTS: [&str; 9] =
        ["7", "-1234567890123456", "2.5", "1e3", "2024-02-29", "yes", "t", "Ulm", "2024-02-29 10:00:00"];

    proptest! {
        #[test]
        fn parts_give_the_kind_of_the_whole(texts in prop::collection::vec(0..TEXTS.len(), 0..6), cut in 0usize..6) {
            let texts: Vec<&str> = texts.into_iter().map(|own| TEXTS[own]).collect();
            let parts = texts.split_at(cut.min(texts.len()));
            let mut joined = KindTest::default();
            for part in [parts.1, parts.0] {
                let mut test = KindTest::default();
                part.iter().for_each(|text| test.see(text));
                prop_assert_eq!(KindTest::of_bits(test.bits()), test);
                joined.join(test);
            }
            prop_assert_eq!(joined.kind(), Kind::of(texts.iter().copied()));
        }
    }
}
