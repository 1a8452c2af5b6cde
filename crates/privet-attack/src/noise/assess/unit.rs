//! What an adversary does who knows what originals are multiples of: rounds.
//!
//! # Guarantee
//! Estimates are rounded where that tells more records: an estimate that is off by less than half a unit comes out exactly right,
//! and otherwise only one within the tolerance counts. So columns are rounded whose unit is more than twice the tolerance; where
//! the unit is smaller nothing changes, for the better or the worse. The error that is then expected takes that of the estimate
//! for normal.

use super::Knowing;
use super::table::Table;

impl Table<'_> {
    /// Rounds the estimates of the columns where that helps, with the errors that are expected of them, in deviations of the
    /// noise; whether there is such a column.
    pub(super) fn round(&self, estimates: &mut [f64], errors: &mut [f64], knowing: &Knowing) -> bool {
        let (width, mut any) = (self.columns.len(), false);
        let columns = self.columns.iter().zip(self.deviations()).zip(errors);
        for (place, ((column, deviation), error)) in columns.enumerate() {
            if !helps(column.unit, deviation, knowing) {
                continue;
            }
            any = true;
            for own in estimates.iter_mut().skip(place).step_by(width) {
                *own = nearest(*own, column.unit);
            }
            *error = rounded_error(*error, column.unit / deviation);
        }
        any
    }
}

/// Whether rounding to a unit tells more records behind noise of this deviation.
pub(super) fn helps(unit: f64, deviation: f64, knowing: &Knowing) -> bool {
    deviation > 0.0 && unit > 2.0 * knowing.tolerance * deviation
}

/// The nearest multiple.
pub(super) fn nearest(value: f64, unit: f64) -> f64 {
    (value / unit).round() * unit
}

/// The root mean square of a normal error after rounding to a unit.
pub(super) fn rounded_error(error: f64, unit: f64) -> f64 {
    // k² = Σ (2j−1) for j up to k: each half unit that the error goes beyond adds its part.
    let beyond = |times: u32| {
        let edge = (f64::from(times) - 0.5) * unit;
        let noise = privet_perturb::Noise::Gaussian { deviation: error };
        (1.0 - noise.between(-edge, edge)).max(0.0) * f64::from(2 * times - 1)
    };
    if error <= 0.0 {
        return 0.0;
    }
    let most = (8.0 * error / unit).min(1000.0) as u32 + 1;
    unit * (1..=most).map(beyond).sum::<f64>().sqrt()
}

/// That estimates were rounded, as a sentence.
pub(super) fn words(rounded: bool) -> &'static str {
    match rounded {
        true => " Estimates are rounded to what the originals are multiples of, which the release tells.",
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: of a normal error of half a unit 31.73 % go beyond one half unit and 0.27 % beyond three.
    #[test]
    fn errors_after_rounding() {
        let found = rounded_error(1.0, 2.0);
        assert!((found * found / 4.0 - (0.317_310_5 + 3.0 * 0.002_699_8)).abs() < 1e-5, "{found}");
        assert!(rounded_error(1.0, 20.0) < 1e-6 && rounded_error(0.0, 1.0) == 0.0);
        // Rounding to a small unit adds what an even error within it has.
        let found = rounded_error(1.0, 0.5);
        assert!((found * found - (1.0 + 0.25 / 12.0)).abs() < 1e-6, "{found}");
    }
}
