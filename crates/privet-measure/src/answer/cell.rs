//! What number a cell is, for figures and conditions alike.
//!
//! Guarantee: a cell is a finite number or none, by its own text alone. `NaN`, `inf` and words are none: figures of their
//! column leave the record out, as they do where the value is missing, and no comparison with them is true. Digits of a
//! number that is larger than any that a computer holds (`1e999`) are the largest one, so they lie beyond every bound.
//! Minus zero is zero.

/// The number of a cell.
pub fn cell_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let number: f64 = text.parse().ok()?;
    match number {
        own if own.is_finite() => Some(own + 0.0),
        own if own.is_infinite() && text.bytes().any(|byte| byte.is_ascii_digit()) => {
            Some(f64::MAX.copysign(own))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::cell_number as number;

    #[test]
    fn what_is_not_finite_is_no_number() {
        for none in
            ["", " ", "x", "NaN", "nan", "-NaN", "inf", "-inf", "+infinity", "Infinity", "1,5", "0x10"]
        {
            assert_eq!(number(none), None, "{none}");
        }
        for (text, value) in [
            (" 1.5 ", 1.5),
            ("-0", 0.0),
            ("1e999", f64::MAX),
            ("-1e999", -f64::MAX),
            ("5e-324", 5e-324),
            ("1e-999", 0.0),
        ] {
            let found = number(text).unwrap();
            assert!(found == value && (found != 0.0 || found.is_sign_positive()), "{text}: {found}");
        }
    }
}
