//! The few special functions that the estimators need: ln Γ, ψ, the regularized incomplete beta function, and the
//! quantiles of the normal and of Student's distribution.
//!
//! # Guarantee
//! Relative error below 1e-10 in the ranges that are tested against known values. Outside of the domain of a function
//! the answer is NaN, never a panic and never an endless loop.

use std::f64::consts::{PI, SQRT_2};

/// ln Γ(x) for x > 0.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    // Γ(x) = Γ(x + k) / (x (x+1) … (x+k-1)): Stirling's series is good from 10 on.
    let (mut x, mut below) = (x, 1.0);
    while x < 10.0 {
        below *= x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - y * (1.0 / 360.0
            - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y * (1.0 / 1188.0 - y * 691.0 / 360_360.0)))))
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - below.ln()
}

/// ln Γ(x + d) − ln Γ(x) for x > 0, x + d > 0 and small d, without the cancellation of two large numbers.
pub(crate) fn ln_gamma_step(x: f64, d: f64) -> f64 {
    if x > 1e4 && d.abs() <= 2.0 {
        // The next term is of the order of 1/x³.
        return d * x.ln() + d * (d - 1.0) / (2.0 * x) - d * (d - 1.0) * (2.0 * d - 1.0) / (12.0 * x * x);
    }
    ln_gamma(x + d) - ln_gamma(x)
}

/// ψ(x), the derivative of ln Γ, for x > 0.
pub(crate) fn digamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let (mut x, mut below) = (x, 0.0);
    while x < 10.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series =
        y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y * (1.0 / 132.0)))));
    x.ln() - 0.5 / x - series - below
}

/// The regularized incomplete beta function I_x(a, b), by its continued fraction (Lentz's evaluation).
pub(crate) fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&x)) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    let (large, small) = (a.max(b), a.min(b));
    let front = (ln_gamma_step(large, small) - ln_gamma(small) + a * x.ln() + b * (-x).ln_1p()).exp();
    // The fraction converges quickly on the near side of the mean only.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    // About √max(a, b) steps are needed; more than this would be a mistake of the caller.
    for step in 1..20_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// P(|T| > t) for Student's distribution with `degrees` of freedom and t ≥ 0.
pub(crate) fn student_two_sided(t: f64, degrees: f64) -> f64 {
    // t² may be more than a number can hold.
    let square = t * t;
    if square.is_infinite() { 0.0 } else { incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + square)) }
}

/// P(|Z| > z) for the normal distribution and z ≥ 0: erfc(z/√2).
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    let x = z / SQRT_2;
    if x < 2.0 {
        // erf x = 2/√π · e^(−x²) · Σ 2^k x^(2k+1) / (1·3·…·(2k+1)); every term is positive.
        let (mut term, mut sum) = (x, x);
        for k in 1..200 {
            term *= 2.0 * x * x / f64::from(2 * k + 1);
            sum += term;
            if term < sum * 1e-17 {
                break;
            }
        }
        return 1.0 - 2.0 / PI.sqrt() * (-x * x).exp() * sum;
    }
    // erfc x = e^(−x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …)))), from the inside out.
    let mut tail = x;
    for k in (1..120).rev() {
        tail = x + f64::from(k) / 2.0 / tail;
    }
    (-x * x).exp() / (PI.sqrt() * tail)
}

/// The t with P(|T| ≤ t) = `level`, for Student's distribution with `degrees` of freedom; infinite degrees give the
/// normal distribution. NaN when the level is not between 0 and 1 or the degrees are not above 0; infinite when the
/// quantile is too large for a number.
pub(crate) fn student_quantile(level: f64, degrees: f64) -> f64 {
    if !(level > 0.0 && level < 1.0 && degrees > 0.0) {
        return f64::NAN;
    }
    let outside = 1.0 - level;
    if degrees > 1e6 {
        let z = falls_to(outside, normal_two_sided);
        // Cornish and Fisher; what is left out is of the order of 1/degrees².
        return z + if degrees.is_finite() { (z * z * z + z) / (4.0 * degrees) } else { 0.0 };
    }
    falls_to(outside, |t| student_two_sided(t, degrees))
}

/// Where a function that falls from 1 to 0 on [0, ∞) reaches a value; bisection cannot diverge.
fn falls_to(value: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while function(high) > value {
        low = high;
        high *= 2.0;
        if high > 1e150 {
            return f64::INFINITY;
        }
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if function(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-10 * expected.abs().max(1.0), "{found} is not {expected}");
    }

    #[test]
    fn gamma_of_whole_and_half_numbers() {
        let mut factorial = 1.0f64;
        for n in 1..60 {
            near(ln_gamma(f64::from(n)), factorial.ln());
            factorial *= f64::from(n);
        }
        near(ln_gamma(0.5), PI.sqrt().ln());
        near(ln_gamma(1e-3), 6.907_178_885_383_853);
        // Γ(x+1) = x Γ(x), also where the difference of logarithms would have lost most of its digits.
        for x in [2e4, 2e6, 1e12] {
            near(ln_gamma_step(x, 1.0), x.ln());
            near(ln_gamma_step(x, 0.3) + ln_gamma_step(x + 0.3, 0.7), x.ln());
        }
        near(ln_gamma_step(2e4, -0.4), ln_gamma(2e4 - 0.4) - ln_gamma(2e4));
        assert!(ln_gamma(0.0).is_nan() && ln_gamma(-1.5).is_nan() && ln_gamma(f64::NAN).is_nan());
    }

    #[test]
    fn digamma_sums_reciprocals() {
        near(digamma(1.0), -0.577_215_664_901_532_9);
        near(digamma(0.5), -0.577_215_664_901_532_9 - 2.0 * 2f64.ln());
        for (x, steps) in [(0.3, 7), (4.2, 100), (50.0, 1000)] {
            let sum: f64 = (0..steps).map(|i| 1.0 / (x + f64::from(i))).sum();
            near(digamma(x + f64::from(steps)) - digamma(x), sum);
        }
        assert!(digamma(0.0).is_nan());
    }

    #[test]
    fn incomplete_beta_of_whole_numbers_is_a_binomial_tail() {
        // I_x(a, b) = P(Bin(a + b − 1, x) ≥ a).
        let choose = |n: u32, k: u32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
        for (a, b, x) in [(1u32, 1u32, 0.3f64), (3, 5, 0.2), (7, 2, 0.9), (10, 10, 0.5)] {
            let n = a + b - 1;
            let term = |k: u32| choose(n, k) * x.powi(k as i32) * (1.0 - x).powi((n - k) as i32);
            near(incomplete_beta(f64::from(a), f64::from(b), x), (a..=n).map(term).sum());
        }
        assert_eq!((incomplete_beta(2.0, 3.0, 0.0), incomplete_beta(2.0, 3.0, 1.0)), (0.0, 1.0));
        assert!(incomplete_beta(0.0, 1.0, 0.5).is_nan() && incomplete_beta(1.0, 1.0, 1.5).is_nan());
    }

    #[test]
    fn printed_quantiles() {
        // With one degree the distribution is Cauchy's: tan(π · level / 2).
        near(student_quantile(0.95, 1.0), (PI * 0.475).tan());
        // With two degrees: t = level · √(2 / (1 − level²)).
        near(student_quantile(0.95, 2.0), 0.95 * (2.0 / (1.0 - 0.95f64 * 0.95)).sqrt());
        near(student_quantile(0.95, 10.0), 2.228_138_851_964_939);
        near(student_quantile(0.99, 30.0), 2.749_995_653_567_231);
        near(student_quantile(0.95, f64::INFINITY), 1.959_963_984_540_054);
        near(student_quantile(0.999, f64::INFINITY), 3.290_526_731_491_896);
        // Both ways of computing meet.
        let (below, above) = (student_quantile(0.95, 1e6), student_quantile(0.95, 1.000_001e6));
        assert!((below - above).abs() < 1e-10, "{below} {above}");
        for (level, degrees) in [(0.0, 3.0), (1.0, 3.0), (f64::NAN, 3.0), (0.5, 0.0), (0.5, f64::NAN)] {
            assert!(student_quantile(level, degrees).is_nan());
        }
        assert_eq!(student_quantile(0.95, 1e-3), f64::INFINITY);
    }
}
