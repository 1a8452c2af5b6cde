//! Cells that mean the same, whatever file they stand in.
//!
//! Guarantee: blanks around a cell, the way a number is written (`1`, `1.0`, `01`, `1e0`, `+1`), midnight behind a date and
//! the case of `true` and `false` make no difference. Numbers are compared digit by digit, so no two numbers that differ are
//! taken for one.

use std::borrow::Cow;

/// The one way in which a cell is written that means this.
pub(super) fn canonical(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if let Some(number) = number(text) {
        return Cow::Owned(number);
    }
    match text.to_ascii_lowercase().as_str() {
        "true" => Cow::Borrowed("true"),
        "false" => Cow::Borrowed("false"),
        _ => Cow::Borrowed(without_midnight(text)),
    }
}

/// A number as its digits without idle zeros and the power of ten of the last of them.
fn number(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, i64::from(power.parse::<i32>().ok()?)),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let all = [whole, fraction].concat();
    let kept = all.trim_end_matches('0');
    let digits = kept.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    let power = power - fraction.len() as i64 + (all.len() - kept.len()) as i64;
    Some(format!("{sign}{digits}e{power}"))
}

/// A date without the midnight that some files write behind it.
fn without_midnight(text: &str) -> &str {
    let is_date = |day: &str| {
        day.len() == 10
            && day.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    };
    match (text.get(..10), text.get(10..)) {
        (Some(day), Some(rest))
            if is_date(day)
                && rest.starts_with(['T', ' '])
                && rest[1..].trim_end_matches('Z').bytes().all(|byte| matches!(byte, b'0' | b':' | b'.')) =>
        {
            day
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_and_dates_are_one_value() {
        for same in [
            &["1", "1.0", "01", "1e0", "+1", " 1 ", "1.", "0.1e1", "10E-1"][..],
            &["0", "-0", "0.0", ".0", "0e9"],
            &["-2.5", "-2.50", "-25e-1"],
            &["1200", "1.2e3", "1200.00"],
            &["2020-01-05", "2020-01-05T00:00:00", "2020-01-05 00:00:00.000", "2020-01-05T00:00:00Z"],
            &["true", "TRUE", "True"],
            &["Ann", " Ann"],
        ] {
            assert!(same.iter().all(|text| canonical(text) == canonical(same[0])), "{same:?}");
        }
        let different = [
            "1",
            "-1",
            "10",
            "1.1",
            "12345678901234567890",
            "12345678901234567891",
            "1e400",
            "x",
            "NaN",
            "inf",
            "2020-01-05",
            "2020-01-05T00:10:00",
            "ann",
            "Ann",
            "",
            ".",
            "-",
            "1e",
            "1-2",
        ];
        for (at, one) in different.iter().enumerate() {
            assert!(different[..at].iter().all(|other| canonical(other) != canonical(one)), "{one}");
        }
    }
}
