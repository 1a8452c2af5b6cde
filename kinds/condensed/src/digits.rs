//! How exactly condensed numbers are written: with as many digits as the column has, and never the sign of a zero, which tells from
//! which side it was rounded.

/// How exactly a column is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    /// So many digits behind the point.
    Decimals(usize),
    /// Three of them, and where a number is so small that less than three of its digits would be seen, three of these.
    Three,
}

/// More digits behind the point than these are written with an exponent.
const MOST_DECIMALS: usize = 17;

/// A number as exactly as asked for, and no sign when nothing but zeros is left.
pub(crate) fn number_text(x: f64, precision: Precision) -> String {
    let text = match precision {
        Precision::Decimals(decimals) if decimals <= MOST_DECIMALS => format!("{x:.decimals$}"),
        Precision::Decimals(decimals) => with_exponent(x, decimals),
        Precision::Three => match exponent(x) {
            Some(exponent @ -5..-1) => format!("{x:.0$}", (2 - exponent) as usize),
            Some(exponent) if exponent < -5 => format!("{x:.2e}"),
            _ => format!("{x:.3}"),
        },
    };
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

/// A number rounded to so many digits behind the point, with the shortest digits that say it.
fn with_exponent(x: f64, decimals: usize) -> String {
    let digits = exponent(x).map(|exponent| i64::from(exponent) + decimals as i64);
    let rounded = match digits {
        None | Some(i64::MIN..-1) => 0.0,
        // Rounds to the last digit or to nothing.
        Some(-1) => {
            let last: f64 = format!("1e-{decimals}").parse().unwrap_or(0.0);
            if x.abs() >= last / 2.0 { last.copysign(x) } else { 0.0 }
        }
        Some(digits) => {
            let digits = digits.min(17) as usize;
            format!("{x:.digits$e}").parse().unwrap_or(x)
        }
    };
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded:e}") }
}

/// The power of ten of the first digit of a number; `None` for 0.
fn exponent(x: f64) -> Option<i32> {
    let text = format!("{x:e}");
    let (_, exponent) = text.split_once('e')?;
    exponent.parse().ok().filter(|_| x != 0.0)
}

/// How many digits behind the point a number is written with, its exponent taken into account.
pub(crate) fn decimals_of(text: &str) -> usize {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let behind = digits.split_once('.').map_or(0, |(_, behind)| behind.len()) as i64;
    // Below the least number that there is, nothing can be told.
    behind.saturating_sub(exponent.parse::<i64>().unwrap_or(0)).clamp(0, 324) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_counted() {
        for (text, expected) in [
            ("12", 0),
            ("12.50", 2),
            ("-.125", 3),
            ("1e-3", 3),
            ("1.5E2", 0),
            ("1.5e-2", 3),
            ("1e-25", 25),
            ("2.50e-30", 32),
            ("1e-400", 324),
            ("1e99999999999999999999", 0),
            ("5.", 0),
        ] {
            assert_eq!(decimals_of(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_have_their_decimals_and_zero_no_sign() {
        for (x, decimals, expected) in [
            (-0.04, 1, "0.0"),
            (-0.4, 0, "0"),
            (-0.06, 1, "-0.1"),
            (1234.5678, 2, "1234.57"),
            // Beyond what digits behind the point show.
            (2.3456e-25, 27, "2.35e-25"),
            (2.0e-25, 27, "2e-25"),
            (-2.3456e-25, 25, "-2e-25"),
            (-4e-26, 25, "0"),
            (6e-26, 25, "1e-25"),
            (0.0, 25, "0"),
            (12.5, 25, "1.25e1"),
            (5e-324, 324, "5e-324"),
        ] {
            assert_eq!(number_text(x, Precision::Decimals(decimals)), expected, "{x} {decimals}");
        }
    }

    #[test]
    fn a_stream_shows_three_digits_of_every_number() {
        for (x, expected) in [
            (1234.5678, "1234.568"),
            (0.5, "0.500"),
            (-0.25, "-0.250"),
            (0.0, "0.000"),
            (-0.0, "0.000"),
            (0.012345, "0.0123"),
            (0.000_012_345, "0.0000123"),
            (0.000_001_234_5, "1.23e-6"),
            (-1e-25, "-1.00e-25"),
        ] {
            assert_eq!(number_text(x, Precision::Three), expected, "{x}");
        }
    }
}
