//! Bounds on e^x, ln x and √x as fractions, each rounded in the direction that its name says.
//!
//! Guarantee: `exp_lower(x) ≤ e^x ≤ exp_upper(x)`, `ln_lower(x) ≤ ln x ≤ ln_upper(x)`, `√x ≤ sqrt_upper(x)`, always;
//! for moderate x they agree with the truth to more than thirty digits (logarithm and root to about twelve).
//! Fixed-point Taylor series on big integers: for y in [0, 1] the terms after the k-th sum to less than twice the
//! next one; e^x is e^(x/2^j) squared j times.

use dashu::base::{BitTest, SquareRoot};
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

/// Bits after the binary point.
const POINT: usize = 192;
/// Terms of the series; 1/41! is below 2^-164.
const TERMS: u32 = 40;
/// Steps of logarithms and roots: 2^-44.
const STEP: usize = 44;
/// The largest exponent; e^4096 has about 5900 bits.
const LARGEST: u32 = 4096;

#[derive(Clone, Copy, PartialEq)]
enum Round {
    Down,
    Up,
}

/// A lower bound of e^x for x ≥ 0; beyond x = 4096 that of e^4096.
pub(crate) fn exp_lower(x: &RBig) -> RBig {
    let largest = RBig::from(LARGEST);
    exp(if *x > largest { &largest } else { x }, Round::Down)
}

/// An upper bound of e^x for 0 ≤ x ≤ 4096, `None` beyond.
pub(crate) fn exp_upper(x: &RBig) -> Option<RBig> {
    (*x <= RBig::from(LARGEST)).then(|| exp(x, Round::Up))
}

fn exp(x: &RBig, round: Round) -> RBig {
    if *x <= RBig::ZERO {
        return RBig::ONE;
    }
    let halvings = x.ceil().to_f64().value().log2().ceil().max(0.0) as usize + 1;
    let y = shifted(x, POINT - halvings, round);
    let one = UBig::ONE << POINT;
    let mut term = one.clone();
    let mut sum = one;
    for k in 1..=TERMS {
        term = divide(&(term * &y), &(UBig::from(k) << POINT), round);
        sum += &term;
    }
    if round == Round::Up {
        // The next term, doubled, covers all terms left out.
        sum += divide(&(term * &y * UBig::from(2u8)), &(UBig::from(TERMS + 1) << POINT), round) + UBig::ONE;
    }
    for _ in 0..halvings {
        sum = divide(&(&sum * &sum), &(UBig::ONE << POINT), round);
    }
    RBig::from_parts(IBig::from(sum), UBig::ONE << POINT)
}

/// `x · 2^shift` as a whole number, for x ≥ 0.
fn shifted(x: &RBig, shift: usize, round: Round) -> UBig {
    let (numerator, denominator) = x.clone().into_parts();
    divide(&(numerator.into_parts().1 << shift), &denominator, round)
}

fn divide(numerator: &UBig, denominator: &UBig, round: Round) -> UBig {
    let quotient = numerator / denominator;
    if round == Round::Up && &quotient * denominator != *numerator { quotient + UBig::ONE } else { quotient }
}

/// An upper bound of ln x for x ≥ 1; `None` when ln x exceeds 4000.
pub(crate) fn ln_upper(x: &RBig) -> Option<RBig> {
    let mut steps = IBig::from((ln_guess(x)? * (1u64 << STEP) as f64) as u64);
    loop {
        let bound = RBig::from_parts(steps.clone(), UBig::ONE << STEP);
        if exp_lower(&bound) >= *x {
            return Some(bound);
        }
        // The guess errs by a few steps, by a few dozen near the limit.
        steps += IBig::from(4);
    }
}

/// A lower bound of ln x for x ≥ 1; `None` when ln x exceeds 4000.
pub(crate) fn ln_lower(x: &RBig) -> Option<RBig> {
    let mut steps = IBig::from((ln_guess(x)? * (1u64 << STEP) as f64) as u64) + IBig::from(2);
    while steps > IBig::ZERO {
        let bound = RBig::from_parts(steps.clone(), UBig::ONE << STEP);
        if exp_upper(&bound)? <= *x {
            return Some(bound);
        }
        steps -= IBig::ONE;
    }
    Some(RBig::ZERO)
}

/// ln x in floating point, for fractions whose parts exceed its range; `None` above 4000 or below 0.
fn ln_guess(x: &RBig) -> Option<f64> {
    let of = |n: &UBig| {
        let excess = n.bit_len().saturating_sub(1000);
        (n >> excess).to_f64().value().ln() + excess as f64 * std::f64::consts::LN_2
    };
    if *x < RBig::ONE {
        return None;
    }
    let numerator = x.numerator().clone().into_parts().1;
    let guess = (of(&numerator) - of(x.denominator())).max(0.0);
    (guess <= 4000.0).then_some(guess)
}

/// An upper bound of √x for x ≥ 0.
pub(crate) fn sqrt_upper(x: &RBig) -> RBig {
    if *x <= RBig::ZERO {
        return RBig::ZERO;
    }
    let root = shifted(x, 2 * STEP, Round::Up).sqrt() + UBig::ONE;
    RBig::from_parts(IBig::from(root), UBig::ONE << STEP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ratio(p: u64, q: u64) -> RBig {
        RBig::from_parts(IBig::from(p), UBig::from(q))
    }

    #[test]
    fn known_digits() {
        // e = 2.718281828459045235360287471352662497757…, ln 2 = 0.693147180559945309417…
        let digits = RBig::from_str_decimal("2.718281828459045235360287471352662497757").unwrap();
        let step = RBig::from_str_decimal("0.000000000000000000000000000000000000001").unwrap();
        let (low, high) = (exp_lower(&RBig::ONE), exp_upper(&RBig::ONE).unwrap());
        assert!(digits <= low && low < high && high <= digits + step);
        let two = RBig::from(2);
        let (low, high) = (ln_lower(&two).unwrap(), ln_upper(&two).unwrap());
        let ln2 = RBig::from_str_decimal("0.693147180559945309417").unwrap();
        assert!(low <= ln2 && ln2 <= high);
        assert!((high - low).to_f64().value() < 1e-12);
        assert_eq!(exp_lower(&RBig::ZERO), RBig::ONE);
        assert_eq!(ln_upper(&RBig::ONE).unwrap(), RBig::ZERO);
        assert!(ln_upper(&ratio(1, 2)).is_none());
        // Larger than any floating-point number.
        let huge = RBig::from(IBig::from(10).pow(900));
        assert!((ln_upper(&huge).unwrap().to_f64().value() - 900.0 * 10f64.ln()).abs() < 1e-9);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn bounds_enclose(p in 0u64..2_000_000, q in 1u64..100_000) {
            let x = ratio(p, q);
            prop_assume!(x <= RBig::from(700));
            let (low, high) = (exp_lower(&x), exp_upper(&x).unwrap());
            prop_assert!(low <= high);
            let truth = x.to_f64().value().exp();
            prop_assert!((low.to_f64().value() / truth - 1.0).abs() < 1e-12 * (1.0 + x.to_f64().value()));
            prop_assert!((high.to_f64().value() / truth - 1.0).abs() < 1e-12 * (1.0 + x.to_f64().value()));
            let root = sqrt_upper(&x);
            prop_assert!(&root * &root >= x);
            prop_assert!(root.to_f64().value() - x.to_f64().value().sqrt() < 1e-12 + 1e-12 * root.to_f64().value());
            let v = x + RBig::ONE;
            let (low, high) = (ln_lower(&v).unwrap(), ln_upper(&v).unwrap());
            prop_assert!(exp_upper(&low).unwrap() <= v && exp_lower(&high) >= v);
            prop_assert!((high - low).to_f64().value() < 1e-11);
        }
    }
}
