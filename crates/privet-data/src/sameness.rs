//! When two texts of a column are one value.
//!
//! Numbers are one value when they are the same number, exactly: `100`, `100.0`, `+1e2` are one, and so are `0` and `-0`;
//! 9007199254740993 and 9007199254740992 are two, although floating-point numbers cannot tell them apart. Leading zeros do not
//! count: `007` is `7`. A column whose digits are codes is compared by its texts instead (the job says so, or its hierarchy
//! does). Dates are one value when day, time of day and offset are: a date alone is its midnight, `T` and a blank separate
//! alike, `Z` is `+00:00`; two offsets are never converted into each other. Texts are one value when they are equal, blanks at
//! their ends aside and, where asked for, letter case too.

use std::borrow::Cow;

use crate::table::{Kind, days_of};

/// Plain decimal notation is used for keys of numbers with at most so many digits or zeros on either side of the point.
const PLAIN: i64 = 40;

/// By what the values of a column are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// Columns of numbers and dates by their values, others by their texts.
    #[default]
    Kind,
    /// Cells that are numbers or dates by their values, whatever else the column holds.
    Value,
    /// By their texts: digits are codes.
    Text,
}

/// When two texts are one value, as a job says it of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Equality {
    /// By what values are compared.
    #[serde(default)]
    pub compare: Comparison,
    /// Blanks at the ends of a text do not count.
    #[serde(default = "yes")]
    pub trim: bool,
    /// The case of letters does not count.
    #[serde(default)]
    pub fold_case: bool,
}

fn yes() -> bool {
    true
}

impl Default for Equality {
    fn default() -> Self {
        Self { compare: Comparison::Kind, trim: true, fold_case: false }
    }
}

impl Equality {
    /// Texts are one value when they are the same text, character by character.
    pub const EXACT: Self = Self { compare: Comparison::Text, trim: false, fold_case: false };

    /// Codes: their texts are compared, blanks at the ends aside.
    pub const CODES: Self = Self { compare: Comparison::Text, trim: true, fold_case: false };

    /// What it comes to in a column of this kind.
    pub fn of_kind(self, kind: Kind) -> Sameness {
        let by = match (self.compare, kind) {
            (Comparison::Text, _) | (Comparison::Kind, Kind::Text) => By::Text,
            (Comparison::Value, Kind::Text) => By::Any,
            (_, Kind::Integer | Kind::Decimal) => By::Number,
            (_, Kind::Date) => By::Date,
            (_, Kind::Boolean) => By::Boolean,
        };
        Sameness { by, trim: self.trim, fold_case: self.fold_case }
    }

    /// The text without what does not count before its kind is known.
    pub fn trimmed(self, text: &str) -> &str {
        if self.trim { text.trim() } else { text }
    }
}

/// When two texts are one value of a column whose kind is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sameness {
    by: By,
    trim: bool,
    fold_case: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Text,
    Number,
    Date,
    Boolean,
    Any,
}

impl Sameness {
    /// Texts are one value when they are the same text, character by character.
    pub const EXACT: Self = Self { by: By::Text, trim: false, fold_case: false };

    /// The form that all texts of one value share. Not for publishing: `7` for `007`.
    pub fn key<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let text = if self.trim { text.trim() } else { text };
        let own = match self.by {
            By::Text => None,
            By::Number => number_key(text),
            By::Date => date_key(text),
            By::Boolean => boolean_key(text),
            By::Any => number_key(text).or_else(|| date_key(text)),
        };
        own.unwrap_or_else(|| match self.fold_case {
            true => Cow::Owned(text.to_lowercase()),
            false => Cow::Borrowed(text),
        })
    }

    /// Whether digits are codes, by what is said of the column: no numbers, whatever they look like.
    pub fn is_of_codes(&self) -> bool {
        self.by == By::Text && !self.is_exact()
    }

    /// Whether texts are compared character by character.
    pub fn is_exact(&self) -> bool {
        *self == Self::EXACT
    }

    /// Whether texts of a column of this kind are compared only because somebody says so.
    pub(crate) fn is_chosen(&self, kind: Kind) -> bool {
        self.is_exact() || self.by == By::Text && kind != Kind::Text
    }

    /// The text without the blanks that do not count.
    pub(crate) fn trimmed<'a>(&self, text: &'a str) -> &'a str {
        if self.trim { text.trim() } else { text }
    }

    /// Which of several forms of one value stands for all: the lesser in this order. The plainest notation, then the
    /// shortest, then the one with more small letters.
    pub(crate) fn plainness(&self, a: &str, b: &str) -> std::cmp::Ordering {
        let odd = |text: &str| match self.by {
            By::Text | By::Boolean => false,
            _ => text.starts_with(['+', '.']) || text.starts_with("-.") || text.contains(['e', 'E']),
        };
        let own = |text: &str| (odd(text), text.len());
        own(a).cmp(&own(b)).then_with(|| b.cmp(a))
    }
}

/// One form for each number: `-12.5`. Nothing for what is no number.
fn number_key(text: &str) -> Option<Cow<'_, str>> {
    let bytes = text.as_bytes();
    let is_number = bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !is_number {
        return None;
    }
    let (negative, unsigned) = match bytes[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, i64::from(power.parse::<i32>().ok()?)),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let is_plain = power == 0
        && unsigned.len() == mantissa.len()
        && !text.starts_with('+')
        && (whole == "0" || !(whole.is_empty() || whole.starts_with('0')))
        && (if fraction.is_empty() { !mantissa.ends_with('.') } else { !fraction.ends_with('0') })
        && !(negative && whole == "0" && fraction.is_empty())
        && whole.len().max(fraction.len()) < PLAIN as usize;
    if is_plain {
        return Some(Cow::Borrowed(text));
    }
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    // The place of the point: that many digits stand before it.
    let leading = kept.len() - kept.trim_start_matches('0').len();
    let point = whole.len() as i64 + power - leading as i64;
    let kept = &kept[leading..];
    if kept.is_empty() {
        return Some(Cow::Borrowed("0"));
    }
    let sign = if negative { "-" } else { "" };
    let count = kept.len() as i64;
    Some(Cow::Owned(match point {
        _ if point >= PLAIN || point <= -PLAIN || count - point >= PLAIN => {
            format!("{sign}{kept}e{}", point - count)
        }
        _ if point <= 0 => format!("{sign}0.{}{kept}", "0".repeat(point.unsigned_abs() as usize)),
        _ if point >= count => format!("{sign}{kept}{}", "0".repeat((point - count) as usize)),
        _ => format!("{sign}{}.{}", &kept[..point as usize], &kept[point as usize..]),
    }))
}

/// One form for each day, time of day and offset. Nothing for what is no date.
fn date_key(text: &str) -> Option<Cow<'_, str>> {
    days_of(text)?;
    let (day, rest) = text.split_at(10);
    if rest.is_empty() {
        return Some(Cow::Borrowed(text));
    }
    let time = rest[1..].trim();
    Some(match time_key(time) {
        Some(time) if time.is_empty() => Cow::Borrowed(day),
        Some(time) => Cow::Owned(format!("{day}T{time}")),
        None => Cow::Owned(format!("{day}T{time}")),
    })
}

/// `HH:MM:SS.fff+hh:mm` without what is zero; nothing for what is no time of day.
fn time_key(time: &str) -> Option<String> {
    let (clock, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => (time[..at].trim_end(), &time[at..]),
        None => (time, ""),
    };
    let offset = match offset {
        "" => "",
        "Z" | "z" => "Z",
        other => {
            let digits: String = other[1..].chars().filter(|&c| c != ':').collect();
            let is_offset = matches!(digits.len(), 2 | 4) && digits.bytes().all(|b| b.is_ascii_digit());
            match is_offset {
                true if digits.bytes().all(|b| b == b'0') => "Z",
                true => return Some(format!("{}{}{digits:0<4}", clock_key(clock)?, &other[..1])),
                false => return None,
            }
        }
    };
    let clock = clock_key(clock)?;
    match (clock.as_str(), offset) {
        ("00:00:00", "") => Some(String::new()),
        _ => Some(format!("{clock}{offset}")),
    }
}

/// One form for each instant that a time with an offset names, whatever the offset; nothing for what has none.
pub(crate) fn instant_key(text: &str) -> Option<String> {
    let text = text.trim();
    let days = days_of(text)?;
    let time = text.get(11..)?.trim();
    let (clock, offset) = time.split_at(time.find(['Z', 'z', '+', '-'])?);
    let clock = clock_key(clock.trim_end())?;
    let offset: i64 = match offset {
        "Z" | "z" => 0,
        other => {
            let digits: String = other[1..].chars().filter(|&c| c != ':').collect();
            if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let digits: i64 = format!("{digits:0<4}").parse().ok()?;
            (digits / 100 * 60 + digits % 100) * if other.starts_with('-') { -1 } else { 1 }
        }
    };
    let (hours, minutes): (i64, i64) = (clock.get(..2)?.parse().ok()?, clock.get(3..5)?.parse().ok()?);
    Some(format!("{}:{}", (days * 24 + hours) * 60 + minutes - offset, clock.get(6..)?))
}

fn clock_key(clock: &str) -> Option<String> {
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let parts: Vec<&str> = clock.split(':').collect();
    let two = |part: &&str| part.len() <= 2 && !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !(2..=3).contains(&parts.len())
        || !parts.iter().all(two)
        || !fraction.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    let seconds = parts.get(2).copied().unwrap_or("0");
    Some(format!("{:0>2}:{:0>2}:{seconds:0>2}{point}{fraction}", parts[0], parts[1]))
}

/// A word for yes or no in small letters, and spelt out.
fn boolean_key(text: &str) -> Option<Cow<'_, str>> {
    let words = [("true", "t"), ("false", "f"), ("yes", "y"), ("no", "n")];
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    words.into_iter().find(|(long, short)| is(long) || is(short)).map(|(long, _)| Cow::Borrowed(long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(kind: Kind, text: &str) -> String {
        Equality::default().of_kind(kind).key(text).into_owned()
    }

    #[test]
    fn equal_numbers_have_one_key() {
        for (key_of, forms) in [
            ("100", &["100", "100.0", "+100", "1e2", "1E+2", " 100 ", "0100", "100.", "1000e-1"][..]),
            ("0", &["0", "-0", "0.0", ".0", "-0.00", "0e7", "000"]),
            ("-0.05", &["-0.05", "-.05", "-5e-2", "-00.050"]),
            ("12.5", &["12.5", "12.50", "+012.5", "125e-1"]),
        ] {
            for form in forms {
                assert_eq!(key(Kind::Decimal, form), key_of, "{form}");
            }
        }
        // Not by floating-point numbers, to which these are one.
        assert_ne!(key(Kind::Decimal, "9007199254740993"), key(Kind::Decimal, "9007199254740992"));
        assert_ne!(key(Kind::Decimal, "0.1"), key(Kind::Decimal, "0.1000000000000000055"));
        assert_eq!(key(Kind::Decimal, "1e300"), key(Kind::Decimal, "10e299"));
        assert_eq!(key(Kind::Decimal, "1e-300"), key(Kind::Decimal, "0.1e-299"));
        for odd in ["e", "-", "1e", "1e2e3", "1-2", "--1", "1.2.3", ".", "+-1", "1e99999999999"] {
            assert_eq!(key(Kind::Decimal, odd), odd, "what is no number stays a text");
        }
    }

    #[test]
    fn codes_are_told_apart_by_their_texts() {
        let codes = Equality::CODES.of_kind(Kind::Integer);
        assert_ne!(codes.key("01234"), codes.key("1234"));
        assert_eq!(codes.key("01234 "), codes.key("01234"));
        assert_eq!(key(Kind::Integer, "01234"), key(Kind::Integer, "1234"), "numbers have no leading zeros");
        assert_ne!(key(Kind::Text, "1.0"), key(Kind::Text, "1"));
        let values = Equality { compare: Comparison::Value, ..Equality::default() }.of_kind(Kind::Text);
        assert_eq!((values.key("1.0"), values.key("x")), (values.key("1"), "x".into()));
    }

    #[test]
    fn equal_dates_have_one_key() {
        for (key_of, forms) in [
            ("2020-01-31", &["2020-01-31", "2020-01-31T00:00", "2020-01-31 00:00:00.000", "2020-01-31 "][..]),
            ("2020-01-31T09:05:00", &["2020-01-31T09:05", "2020-01-31 9:05:00", "2020-01-31 09:05:00.0"]),
            (
                "2020-01-31T00:00:00Z",
                &["2020-01-31T00:00Z", "2020-01-31 00:00:00+00:00", "2020-01-31T00:00:00-0000"],
            ),
            ("2020-01-31T10:00:00+0100", &["2020-01-31T10:00+01:00", "2020-01-31 10:00:00+01"]),
        ] {
            for form in forms {
                assert_eq!(key(Kind::Date, form), key_of, "{form}");
            }
        }
        assert_ne!(key(Kind::Date, "2020-01-31T10:00+01:00"), key(Kind::Date, "2020-01-31T09:00Z"));
    }

    #[test]
    fn texts_differ_by_more_than_blanks_at_their_ends() {
        assert_eq!(key(Kind::Text, " flu\u{a0}"), key(Kind::Text, "flu"));
        assert_ne!(key(Kind::Text, "Flu"), key(Kind::Text, "flu"));
        let folded = Equality { fold_case: true, ..Equality::default() }.of_kind(Kind::Text);
        assert_eq!(folded.key("FLU"), folded.key("flu"));
        assert_eq!(key(Kind::Boolean, "Y"), key(Kind::Boolean, "yes"));
        assert_ne!(key(Kind::Boolean, "t"), key(Kind::Boolean, "y"), "letters may be codes");
        assert_ne!(Sameness::EXACT.key(" flu"), Sameness::EXACT.key("flu"));
    }

    proptest! {
        /// Keys are one exactly where the numbers are: checked by integers, scaled.
        #[test]
        fn keys_are_one_where_numbers_are(a in -2000i64..2000, b in -2000i64..2000, x in 0usize..4, y in 0usize..4) {
            let write = |number: i64, way: usize| match way {
                0 => format!("{}{}.{:02}", if number < 0 { "-" } else { "" }, number.abs() / 100, number.abs() % 100),
                1 => format!("{number}e-2"),
                2 => format!("{}{:04}.{:02}00", if number < 0 { "-" } else { "+" }, number.abs() / 100, number.abs() % 100),
                _ => format!("{}.{:03}e+1", if number < 0 { "-0" } else { "0" }, number.abs()).replacen("e+1", "e1", 1),
            };
            // The last way writes thousandths times ten, so hundredths: only where three digits hold the number.
            let (x, y) = (if a.abs() > 999 { x.min(2) } else { x }, if b.abs() > 999 { y.min(2) } else { y });
            let (one, two) = (write(a, x), write(b, y));
            prop_assert_eq!(key(Kind::Decimal, &one) == key(Kind::Decimal, &two), a == b, "{} {}", one, two);
            // A key is its own key, and the same number.
            let own = key(Kind::Decimal, &one);
            prop_assert_eq!(&key(Kind::Decimal, &own), &own);
            prop_assert_eq!(own.parse::<f64>().unwrap(), one.parse::<f64>().unwrap() + 0.0);
        }
    }
}
