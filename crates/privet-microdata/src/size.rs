//! Sizes in bytes as people write them.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// Units in any case, and their bytes.
const UNITS: [(&str, u64); 9] = [
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

/// What is accepted, as the end of a sentence.
pub const ACCEPTED_SIZES: &str = "a size above 0 with its unit, such as \"512MB\" or \"8GiB\"";

/// So many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

/// The bytes of a size such as `512MB`.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let (_, bytes) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let bytes = number.parse::<f64>().ok().filter(|number| number.is_finite())? * *bytes as f64;
    (bytes >= 1.0).then_some(bytes as u64)
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_size(&text).map(Size).ok_or_else(|| D::Error::custom(format!("must be {ACCEPTED_SIZES}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("512MB", Some(512_000_000)),
            ("1.5 GiB", Some(3 << 29)),
            ("7b", Some(7)),
            ("7", None),
            ("MB", None),
            ("0MB", None),
            ("-1MB", None),
            ("1e9MB", None),
            ("5 apples", None),
        ] {
            assert_eq!(parse_size(text), bytes, "{text}");
        }
    }
}
