//! How much normal noise (epsilon, delta) needs at least: the analytic Gaussian mechanism (Balle and Wang 2018; survey ME-29 names the
//! noise and gives no calibration).
//!
//! Normal noise of deviation σ on numbers that change by a length of 1 is (epsilon, delta)-private exactly when δ ≥ Φ(1/(2σ) − εσ) −
//! e^ε·Φ(−1/(2σ) − εσ). With a = εσ − 1/(2σ), b = εσ + 1/(2σ) and Mills' ratio R(x) = (1 − Φ(x))/φ(x) that is φ(a)·(R(a) − R(b)), because
//! φ(a) = e^ε·φ(b): nothing of the size of δ is lost by cancelling.
//!
//! # Guarantee
//! The search for σ is in floating point, but what it finds counts only after δ has been proved for that fraction: φ is rounded up by
//! `exact.rs`, and R enclosed on whole numbers with 256 bits after the point, by its continued fraction or its power series, every step
//! rounded outwards. Where no σ is proved there is none, and the caller has the concentrated loss.

use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

use crate::exact;

/// Bits after the binary point.
const POINT: usize = 256;
/// Terms of the continued fraction: from 2 on they leave less than e^−90.
const TERMS: u32 = 400;
/// √(2π) and √(π/2), with digits after the point that are cut off.
const ROOT_OF_TWO_PI: &str = "2.506628274631000502415765284811045253006986740609938316629923";
const ROOT_OF_HALF_PI: &str = "1.253314137315500251207882642405522626503493370304969158314961";
/// One in the last of these digits.
const LAST_DIGIT: &str = "0.000000000000000000000000000000000000000000000000000000000001";

/// A deviation per unit of length that is proved to be (epsilon, delta)-private, larger than the least by less than a millionth. `None`
/// where none is proved: for a delta of 0 or below e^−4000, or an epsilon that is too large or too small for it.
pub(crate) fn deviation(epsilon: &RBig, delta: &RBig) -> Option<RBig> {
    if *delta <= RBig::ZERO || *epsilon <= RBig::ZERO || *delta >= RBig::ONE {
        return None;
    }
    let log = exact::ln_upper(&(RBig::ONE / delta))?.to_f64().value();
    let least = search(epsilon.to_f64().value(), -log)?;
    // Leaves room for what floating point gets wrong, which is more where neighbours hardly differ.
    [1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6].into_iter().find_map(|more| {
        let found = RBig::try_from(least * (1.0 + more)).ok()?;
        (delta_upper(epsilon, &found)? <= *delta).then_some(found)
    })
}

/// An upper bound of the least delta for this deviation per unit of length.
pub(crate) fn delta_upper(epsilon: &RBig, sigma: &RBig) -> Option<RBig> {
    if *sigma <= RBig::ZERO {
        return None;
    }
    let half = RBig::ONE / (RBig::from(2) * sigma);
    let (a, b) = (epsilon * sigma - &half, epsilon * sigma + &half);
    let (_, above) = mills(&a)?;
    let (below, _) = mills(&b)?;
    let square = &a * &a / RBig::from(2);
    if square > RBig::from(4096) {
        return None;
    }
    let density = RBig::ONE / (constant(ROOT_OF_TWO_PI)? * exact::exp_lower(&square));
    Some(density * (above - below))
}

fn constant(digits: &str) -> Option<RBig> {
    RBig::from_str_decimal(digits).ok()
}

/// Bounds of Mills' ratio, from −8 on.
fn mills(x: &RBig) -> Option<(RBig, RBig)> {
    let (low, high) = (fixed(x, false), fixed(x, true));
    if *x >= RBig::from(2) {
        return Some(continued(&low, &high));
    }
    if *x < RBig::from(-8) {
        return None;
    }
    let is_negative = *x < RBig::ZERO;
    let (least, most) = if is_negative { (-high, -low) } else { (low, high) };
    let series = (series(&least, false), series(&most, true));
    let root = constant(ROOT_OF_HALF_PI)?;
    let half_square = x * x / RBig::from(2);
    let whole = (
        &root * exact::exp_lower(&half_square),
        (&root + constant(LAST_DIGIT)?) * exact::exp_upper(&half_square)?,
    );
    Some(match is_negative {
        true => (whole.0 + series.0, whole.1 + series.1),
        false => (whole.0 - series.1, whole.1 - series.0),
    })
}

/// A number as a whole one of units, rounded.
fn fixed(x: &RBig, upwards: bool) -> IBig {
    let scaled = x * RBig::from(UBig::ONE << POINT);
    if upwards { scaled.ceil() } else { scaled.floor() }
}

fn number(units: IBig) -> RBig {
    RBig::from_parts(units, UBig::ONE << POINT)
}

/// a·b/c of numbers that are not negative, rounded.
fn ratio(a: &IBig, b: &IBig, c: &IBig, upwards: bool) -> IBig {
    let product = a * b;
    let quotient = &product / c;
    if upwards && &quotient * c != product { quotient + IBig::ONE } else { quotient }
}

/// 1/(x + 1/(x + 2/(x + 3/(x + …)))), which falls in x and has a tail from 0 to n/x.
fn continued(low: &IBig, high: &IBig) -> (RBig, RBig) {
    let one = IBig::from(UBig::ONE << POINT);
    let of = |n: u32| &one * IBig::from(n);
    let (mut least, mut most) = (IBig::ZERO, ratio(&of(TERMS), &one, low, true));
    for n in (1..TERMS).rev() {
        let next = (ratio(&of(n), &one, &(high + &most), false), ratio(&of(n), &one, &(low + &least), true));
        (least, most) = next;
    }
    (number(ratio(&one, &one, &(high + most), false)), number(ratio(&one, &one, &(low + least), true)))
}

/// x + x³/3 + x⁵/15 + …, for x ≥ 0 up to 8: a bound from below leaves terms out, one from above takes the last twice more.
fn series(x: &IBig, upwards: bool) -> RBig {
    let one = IBig::from(UBig::ONE << POINT);
    let square = ratio(x, x, &one, upwards);
    let (mut term, mut sum) = (x.clone(), x.clone());
    // From 2k + 3 > 2x² on, so from the 64th at the latest, each term is less than half of the one before.
    for k in 1..600u32 {
        term = ratio(&term, &square, &(&one * IBig::from(2 * k + 1)), upwards);
        sum += &term;
        if k > 70 && term <= IBig::ONE {
            break;
        }
    }
    if upwards {
        sum += &term + IBig::ONE;
    }
    number(sum)
}

/// The deviation at which the logarithm of delta is this, in floating point.
fn search(epsilon: f64, log: f64) -> Option<f64> {
    // Twice the textbook's is enough for any epsilon; a thousandth of it for none.
    let textbook = (((-log) + epsilon).sqrt() + (-log).sqrt()) / (epsilon * std::f64::consts::SQRT_2);
    let (mut low, mut high) = (textbook * 1e-4, textbook * 2.0);
    for _ in 0..90 {
        let middle = (low * high).sqrt();
        if log_delta(epsilon, middle) > log { low = middle } else { high = middle }
    }
    (high.is_finite() && high > 0.0).then_some(high)
}

/// ln(φ(a)·(R(a) − R(b))).
fn log_delta(epsilon: f64, sigma: f64) -> f64 {
    let (a, b) = (epsilon * sigma - 0.5 / sigma, epsilon * sigma + 0.5 / sigma);
    if a < -8.0 {
        return 0.0;
    }
    -a * a / 2.0 - std::f64::consts::TAU.sqrt().ln() + (ratio_of(a) - ratio_of(b)).ln()
}

/// Mills' ratio, in floating point.
pub(crate) fn ratio_of(x: f64) -> f64 {
    if x > 3.0 {
        let tail = (1..200).rev().fold(0.0, |tail, n| f64::from(n) / (x + tail));
        return 1.0 / (x + tail);
    }
    let (mut term, mut sum) = (x.abs(), 0.0);
    let mut k = 1.0;
    while term > 1e-18 * sum {
        sum += term;
        term *= x * x / (2.0 * k + 1.0);
        k += 1.0;
    }
    let whole = (std::f64::consts::FRAC_PI_2).sqrt() * (x * x / 2.0).exp();
    if x >= 0.0 { whole - sum } else { whole + sum }
}

/// The probability that a standard normal number is above x, to about twelve digits.
pub(crate) fn above(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - above(-x);
    }
    (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() * ratio_of(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::parse;

    /// The constants, by squaring: 2π and π/2 lie between the squares of the digits and of one more in the last.
    #[test]
    fn roots_of_pi() {
        let pi = parse("3.1415926535897932384626433832795028841971693993751058209749445923").unwrap();
        let (last, small) = (constant(LAST_DIGIT).unwrap(), parse("1e-62").unwrap());
        for (digits, square) in
            [(ROOT_OF_TWO_PI, &pi * RBig::from(2)), (ROOT_OF_HALF_PI, &pi / RBig::from(2))]
        {
            let root = constant(digits).unwrap();
            let next = &root + &last;
            assert!(&root * &root <= square && &square + &small < &next * &next, "{digits}");
        }
    }

    /// Known values: R(0) = √(π/2), R(1) = 0.655679542…, R(2) = 0.421369229…, R(5) = 0.192808105…, R(−1) = 3.477…; both ways agree.
    #[test]
    fn ratios_are_enclosed() {
        for (x, value) in [
            ("0", 1.253_314_137_315_500_3),
            ("1", 0.655_679_542_418_798_5),
            ("2", 0.421_369_229_288_054_5),
            ("5", 0.192_808_104_715_315_8),
            ("37", 0.027_007_327_965_128_3),
        ] {
            let (low, high) = mills(&parse(x).unwrap()).unwrap();
            assert!(low <= high && (&high - &low).to_f64().value() < 1e-25, "{x}");
            assert!((low.to_f64().value() - value).abs() < 1e-12, "{x}: {}", low.to_f64().value());
            assert!((ratio_of(x.parse().unwrap()) - value).abs() < 1e-11, "{x}");
        }
        let (low, high) = mills(&-RBig::ONE).unwrap();
        // R(−x) = √(2π)·e^(x²/2) − R(x).
        let whole = (std::f64::consts::TAU).sqrt() * 0.5f64.exp();
        assert!((low.to_f64().value() - (whole - 0.655_679_542_418_798_5)).abs() < 1e-12 && high > low);
        assert!(mills(&RBig::from(-9)).is_none());
        // The series and the continued fraction meet at 2.
        let two = (fixed(&RBig::from(2), false), fixed(&RBig::from(2), true));
        let (least, most) = continued(&two.0, &two.1);
        let root = constant(ROOT_OF_HALF_PI).unwrap();
        let other = &root * exact::exp_lower(&RBig::from(2)) - series(&two.0, false);
        assert!(
            (least - &other).to_f64().value().abs() < 1e-24 && (most - other).to_f64().value().abs() < 1e-24
        );
        assert!(
            (above(1.959_963_984_540_054) - 0.025).abs() < 1e-12
                && (above(-1.0) - 0.841_344_746_068_543).abs() < 1e-12
        );
    }

    /// Delta by direct evaluation: the integral of max(0, p(x) − e^ε·p(x − 1)) from where both are equal, by Simpson's rule.
    fn evaluated(epsilon: f64, sigma: f64) -> f64 {
        // p(x + 1)/p(x) = e^−ε at x = εσ² − 1/2; beyond it the first density is of the nearer table.
        let from = epsilon * sigma * sigma - 0.5;
        let density =
            |x: f64| (-x * x / (2.0 * sigma * sigma)).exp() / (sigma * std::f64::consts::TAU.sqrt());
        let value = |x: f64| density(x) - epsilon.exp() * density(x + 1.0);
        let (steps, reach) = (200_000, 14.0 * sigma);
        let step = reach / f64::from(steps);
        let at = |i: i32| value(from + f64::from(i) * step);
        let inner: f64 = (1..steps).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * at(i)).sum();
        (at(0) + inner + at(steps)) * step / 3.0
    }

    /// survey ME-29 [X]: the delta that is reached is at most the one that is asked for, and within a thousandth of it.
    #[test]
    fn the_delta_is_reached_and_not_exceeded() {
        for (epsilon, delta) in [
            ("1", "1e-6"),
            ("0.1", "1e-3"),
            ("0.5", "1e-5"),
            ("0.01", "1e-9"),
            ("3", "1e-12"),
            ("8", "1e-9"),
            ("0.001", "0.001"),
        ] {
            let (e, d) = (parse(epsilon).unwrap(), parse(delta).unwrap());
            let sigma = deviation(&e, &d).unwrap();
            let (asked, real) = (d.to_f64().value(), sigma.to_f64().value());
            let reached = evaluated(e.to_f64().value(), real);
            assert!(reached <= asked * (1.0 + 1e-9), "{epsilon} {delta}: {reached}");
            assert!(reached >= asked * 0.999, "{epsilon} {delta}: {reached}");
            let bound = delta_upper(&e, &sigma).unwrap();
            assert!(bound <= d && bound.to_f64().value() >= reached * (1.0 - 1e-7), "{epsilon} {delta}");
            // A little less noise is refused.
            let less = &sigma * parse("0.9999").unwrap();
            assert!(delta_upper(&e, &less).unwrap() > d, "{epsilon} {delta}");
        }
        // Computed by another program from the same formula.
        let golden =
            [("1", "1e-6", 4.224_678_889), ("0.1", "1e-3", 17.404_396_203), ("8", "1e-9", 0.792_237_049)];
        for (epsilon, delta, least) in golden {
            let found = deviation(&parse(epsilon).unwrap(), &parse(delta).unwrap()).unwrap().to_f64().value();
            assert!(found >= least && found < least * 1.000_001, "{epsilon} {delta}: {found}");
        }
    }

    #[test]
    fn edges() {
        let of = |e: &str, d: &str| deviation(&parse(e).unwrap(), &parse(d).unwrap());
        assert!(of("1", "0").is_none() && deviation(&RBig::ZERO, &RBig::ONE).is_none());
        assert!(of("1", "1").is_none() && delta_upper(&RBig::ONE, &RBig::ZERO).is_none());
        // Extreme budgets have a proved deviation or none, and never a wrong one.
        for (e, d) in
            [("1000", "1e-300"), ("1e-6", "1e-12"), ("1e-9", "1e-6"), ("0.000001", "0.0009"), ("100", "1e-3")]
        {
            if let Some(sigma) = of(e, d) {
                assert!(delta_upper(&parse(e).unwrap(), &sigma).unwrap() <= parse(d).unwrap(), "{e} {d}");
            }
        }
    }
}
