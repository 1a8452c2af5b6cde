//! Of what kind the values of a published column are, told from its texts alone: the referee's own reading of numbers, dates
//! and truth values.

use privet_data::Kind;

/// The kinds that say something, the narrowest first.
const KINDS: [Kind; 4] = [Kind::Integer, Kind::Decimal, Kind::Date, Kind::Boolean];

/// Which kinds all texts so far are of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kinds {
    fits: [bool; 4],
}

impl Default for Kinds {
    fn default() -> Self {
        Self { fits: [true; 4] }
    }
}

impl Kinds {
    /// Looks at a value that is not missing.
    pub fn look(&mut self, text: &str) {
        for (fits, kind) in self.fits.iter_mut().zip(KINDS) {
            *fits = *fits && is_of(kind, text);
        }
    }

    /// Whether all of them are of this kind.
    pub fn are(&self, kind: Kind) -> bool {
        KINDS.iter().zip(self.fits).all(|(own, fits)| *own != kind || fits)
    }
}

/// Whether a text can be a value of this kind.
pub(super) fn is_of(kind: Kind, text: &str) -> bool {
    let is_digits = |own: &str| !own.is_empty() && own.bytes().all(|b| b.is_ascii_digit());
    match kind {
        Kind::Integer => is_digits(text.strip_prefix(['-', '+']).unwrap_or(text)),
        Kind::Decimal => {
            // The words that `parse` takes for numbers (`inf`, `nan`) have no digit.
            text.bytes().any(|b| b.is_ascii_digit()) && text.parse::<f64>().is_ok_and(f64::is_finite)
        }
        Kind::Date => {
            let part = |range: std::ops::Range<usize>| text.get(range).filter(|own| is_digits(own));
            let number = |range| part(range).and_then(|own| own.parse::<u32>().ok());
            let dashes = [4, 7].map(|at| text.as_bytes().get(at) == Some(&b'-'));
            let time = matches!(text.as_bytes().get(10), None | Some(b'T' | b' '));
            dashes == [true; 2]
                && time
                && part(0..4).is_some()
                && number(5..7).is_some_and(|month| (1..=12).contains(&month))
                && number(8..10).is_some_and(|day| (1..=31).contains(&day))
        }
        Kind::Boolean => {
            let words = ["true", "false", "yes", "no", "t", "f", "y", "n"];
            words.iter().any(|word| text.eq_ignore_ascii_case(word))
        }
        Kind::Text => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_numbers_and_no_dates() {
        for (kind, text, expected) in [
            (Kind::Integer, "-12", true),
            (Kind::Integer, "1.0", false),
            (Kind::Integer, "Ada", false),
            (Kind::Decimal, "1e3", true),
            (Kind::Decimal, "inf", false),
            (Kind::Date, "1970-02-03 10:00", true),
            (Kind::Date, "1970-13-03", false),
            (Kind::Date, "1970-02-03x", false),
            (Kind::Boolean, "Yes", true),
            (Kind::Boolean, "Ada", false),
            (Kind::Text, "Ada", true),
        ] {
            assert_eq!(is_of(kind, text), expected, "{kind:?} {text}");
        }
        let mut kinds = Kinds::default();
        ["1", "2.5"].into_iter().for_each(|text| kinds.look(text));
        assert!(kinds.are(Kind::Decimal) && kinds.are(Kind::Text) && !kinds.are(Kind::Integer));
    }
}
