//! The normal distribution: density, tail, quantile.
//!
//! # Guarantee
//! The tail has a relative error below 1e-12, far out as well. Anything that is no number gives NaN.

use std::f64::consts::{PI, SQRT_2};

/// The density at x.
pub(crate) fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// P(Z > x).
pub(crate) fn upper_tail(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - upper_tail(-x);
    }
    if x < 2.0 {
        // ½ − φ(x)·(x + x³/3 + x⁵/(3·5) + …): every term is positive.
        let (mut term, mut sum) = (x, x);
        let mut odd = 1.0;
        while term > sum * 1e-17 {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 - density(x) * sum;
    }
    // Laplace's continued fraction φ(x)/(x + 1/(x + 2/(x + 3/(x + …)))), from the inside out; it needs more terms the
    // nearer x is to 0.
    let terms = (20.0 + 600.0 / (x * x)).ceil() as u32;
    let mut below = x;
    for k in (1..=terms).rev() {
        below = x + f64::from(k) / below;
    }
    density(x) / below
}

/// P(a ≤ Z ≤ b), accurate in both tails; 0 when b is not above a.
pub(crate) fn between(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a {
        0.0
    } else if a > 0.0 {
        upper_tail(a) - upper_tail(b)
    } else if b < 0.0 {
        upper_tail(-b) - upper_tail(-a)
    } else {
        1.0 - upper_tail(-a) - upper_tail(b)
    }
}

/// The z with P(|Z| ≤ z) = `level`: 1.96 for 0.95. NaN when the level is not between 0 and 1.
pub(crate) fn two_sided_quantile(level: f64) -> f64 {
    if !(level > 0.0 && level < 1.0) {
        return f64::NAN;
    }
    // 40 deviations are beyond what a level below 1 can ask for. Bisection cannot diverge.
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if 2.0 * upper_tail(middle) > 1.0 - level {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// 2^h for the entropy h of the normal distribution in bits: √(2πe).
pub(crate) fn entropy_power() -> f64 {
    SQRT_2 * (PI * std::f64::consts::E).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (x, tail) in [
            (0.0, 0.5),
            (0.5, 0.308_537_538_725_986_9),
            (1.0, 0.158_655_253_931_457_05),
            (1.999, 0.022804176932658883),
            (2.0, 0.022_750_131_948_179_21),
            (3.0, 1.349_898_031_630_094_5e-3),
            (6.0, 9.865_876_450_376_98e-10),
            (10.0, 7.619_853_024_160_527e-24),
            (-1.0, 0.841_344_746_068_542_9),
        ] {
            let found = upper_tail(x);
            assert!((found - tail).abs() <= 1e-10 * tail, "{x}: {found}");
        }
        assert!(upper_tail(f64::NAN).is_nan());
        assert_eq!((upper_tail(f64::INFINITY), upper_tail(f64::NEG_INFINITY)), (0.0, 1.0));
        assert!((two_sided_quantile(0.95) - 1.959_963_984_540_054).abs() < 1e-11);
        assert!((two_sided_quantile(0.5) - 0.674_489_750_196_081_7).abs() < 1e-11);
        assert!(two_sided_quantile(1.0).is_nan() && two_sided_quantile(f64::NAN).is_nan());
    }

    /// The two ways of computing meet, and the tail is the integral of the density (Simpson's rule).
    #[test]
    fn the_tail_is_the_integral_of_the_density() {
        for (a, b) in [(-3.0, -1.0), (-1.0, 0.7), (0.3, 2.5), (1.99, 2.01), (4.0, 6.0), (-7.0, -5.0)] {
            let steps = 2000;
            let step = (b - a) / f64::from(steps);
            let weight = |i: i32| {
                if i == 0 || i == steps {
                    1.0
                } else if i % 2 == 1 {
                    4.0
                } else {
                    2.0
                }
            };
            let sum: f64 = (0..=steps).map(|i| weight(i) * density(a + step * f64::from(i))).sum();
            let integral = sum * step / 3.0;
            assert!((between(a, b) - integral).abs() <= 1e-11 * integral, "{a} {b}");
        }
        assert_eq!(between(1.0, 1.0), 0.0);
        assert_eq!(between(f64::NAN, 1.0), 0.0);
        assert_eq!(between(f64::NEG_INFINITY, f64::INFINITY), 1.0);
    }
}
