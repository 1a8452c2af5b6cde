//! A rate and what chance alone allows it to be.

use serde::{Deserialize, Serialize};

/// So many of so many, with the interval that covers the true rate with a confidence of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// How many.
    pub hits: u64,
    /// Of how many.
    pub of: u64,
    /// Hits divided by all; 0 when there is none.
    #[serde(deserialize_with = "crate::words::number")]
    pub rate: f64,
    /// The lower end of the interval.
    #[serde(deserialize_with = "crate::words::number")]
    pub low: f64,
    /// The upper end of the interval.
    #[serde(deserialize_with = "crate::words::number")]
    pub high: f64,
}

impl Rate {
    /// Nobody can say how many: neither a rate nor an interval.
    pub fn unknown() -> Self {
        Self { hits: 0, of: 0, rate: f64::NAN, low: f64::NAN, high: f64::NAN }
    }

    /// All of them, by a criterion that takes all or nobody: nothing was drawn, so there is no interval.
    pub fn everybody(of: u64) -> Self {
        Self { hits: of, of, rate: 1.0, low: f64::NAN, high: f64::NAN }
    }

    /// Whether there is a rate.
    pub fn is_known(&self) -> bool {
        !self.rate.is_nan()
    }

    /// The rate with its Wilson score interval at 95 %. Of none nothing is known: the interval is from 0 to 1.
    pub fn new(hits: u64, of: u64) -> Self {
        Self { hits, ..Self::expected(hits as f64, of) }
    }

    /// The same for a number of hits that is an average, and is told rounded.
    pub fn expected(hits: f64, of: u64) -> Self {
        let rounded = hits.round() as u64;
        if of == 0 {
            return Self { hits: rounded, of, rate: 0.0, low: 0.0, high: 1.0 };
        }
        const Z: f64 = 1.959_963_984_540_054;
        let n = of as f64;
        let share = (hits / n).clamp(0.0, 1.0);
        let centre = share + Z * Z / (2.0 * n);
        let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        let low = if share <= 0.0 { 0.0 } else { ((centre - spread) / scale).max(0.0) };
        let high = if share >= 1.0 { 1.0 } else { ((centre + spread) / scale).min(1.0) };
        Self { hits: rounded, of, rate: share, low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_wilson() {
        // 10 of 100: the textbook value 0.0552 to 0.1744.
        let rate = Rate::new(10, 100);
        assert!((rate.low - 0.055_229).abs() < 1e-5 && (rate.high - 0.174_366).abs() < 1e-5, "{rate:?}");
        assert_eq!(Rate::expected(0.6, 8), Rate { hits: 1, rate: 0.075, ..Rate::expected(0.6, 8) });
        assert_eq!(Rate::expected(3.0, 7), Rate::new(3, 7));
        assert_eq!((Rate::new(0, 5).low, Rate::new(5, 5).high), (0.0, 1.0));
        assert_eq!((Rate::new(0, 0).low, Rate::new(0, 0).high), (0.0, 1.0));
    }
}
