//! Text and numbers for the page: escaping, names that may be hostile, figures a person can read.
//!
//! Everything that comes from outside passes through here, so no input can leave its place in the page:
//! not by markup, not by control characters, not by reversing the direction of the text around it.

use privet_attack::Rate;
use privet_criteria::Better;

/// Longest name shown in full, in characters.
const LONGEST: usize = 120;

/// Escapes text for an element or a quoted attribute; control characters and marks that change the
/// direction of text are spelled out.
pub(crate) fn escape(text: &str) -> String {
    escape_with(text, false)
}

/// As [`escape`], keeping line breaks and tabs, for preformatted text.
pub(crate) fn escape_lines(text: &str) -> String {
    escape_with(text, true)
}

fn escape_with(text: &str, lines: bool) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' if lines => out.push(c),
            c if c.is_control() || changes_direction(c) || is_noncharacter(c) => {
                put!(out, "\u{27e8}U+{:04X}\u{27e9}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

fn changes_direction(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

fn is_noncharacter(c: char) -> bool {
    let code = u32::from(c);
    (0xfdd0..=0xfdef).contains(&code) || code & 0xfffe == 0xfffe
}

/// A name or label of the user's in running text: escaped, cut when very long, and kept from
/// disturbing the direction of its surroundings.
pub(crate) fn name(text: &str) -> String {
    format!("<bdi class=\"name\">{}</bdi>", plain_name(text))
}

/// As [`name`] for places that hold text only, such as the title of a drawing.
pub(crate) fn plain_name(text: &str) -> String {
    if text.is_empty() {
        return "(no name)".to_owned();
    }
    match text.char_indices().nth(LONGEST) {
        None => escape(text),
        Some((end, _)) => {
            let more = text[end..].chars().count() as u64;
            format!("{}… (and {} more characters)", escape(&text[..end]), count(more))
        }
    }
}

/// Up to `most` names in a sentence: `a, b and 3 more`.
pub(crate) fn names<'a>(all: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let total = all.len();
    let shown = if total <= most { total } else { most.max(1) };
    let mut out = String::new();
    for (i, n) in all.take(shown).enumerate() {
        if i > 0 {
            out.push_str(if i + 1 == total { " and " } else { ", " });
        }
        out.push_str(&name(n));
    }
    if shown < total {
        put!(out, " and {} more", count((total - shown) as u64));
    }
    out
}

/// The order in which people sort labels: numbers in them by their size.
pub(crate) fn natural_order(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) else {
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (own, other) = (digits(&mut left), digits(&mut right));
            own.len().cmp(&other.len()).then_with(|| own.cmp(other))
        } else {
            left = &left[x.len_utf8()..];
            right = &right[y.len_utf8()..];
            x.cmp(&y)
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Takes the digits that a text begins with, and gives them without leading zeros.
fn digits<'a>(text: &mut &'a str) -> &'a str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    digits.trim_start_matches('0')
}

/// `1 record`, `2 records`.
pub(crate) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{}\u{a0}{}", count(n), if n == 1 { one } else { many })
}

/// A whole number with thousands separators.
pub(crate) fn count(n: u64) -> String {
    group(&n.to_string())
}

/// A whole number in at most five characters, for labels in drawings.
pub(crate) fn short_count(n: u64) -> String {
    // Powers of a thousand up to the largest u64; figures are cut, never rounded up.
    const UNITS: [(u64, &str); 6] = [
        (1_000_000_000_000_000_000, "E"),
        (1_000_000_000_000_000, "P"),
        (1_000_000_000_000, "T"),
        (1_000_000_000, "G"),
        (1_000_000, "M"),
        (1_000, "k"),
    ];
    if n < 10_000 {
        return count(n);
    }
    for (unit, letter) in UNITS {
        if n >= unit {
            let whole = n / unit;
            let tenth = n % unit / (unit / 10);
            return if whole < 100 && tenth > 0 {
                format!("{whole}.{tenth}{letter}")
            } else {
                format!("{whole}{letter}")
            };
        }
    }
    count(n)
}

fn group(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A part of a whole in per cent, as [`share`] writes it.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    match (part, whole) {
        (_, 0) => "–".to_owned(),
        (part, whole) if part == whole => share(1.0),
        // So large that the last one is lost to rounding.
        (part, whole) if part < whole => share((part as f64 / whole as f64).min(1.0 - f64::EPSILON)),
        (part, whole) => share(part as f64 / whole as f64),
    }
}

/// A share of 1 in per cent; never `0 %` for something, never `100 %` for less than all.
///
/// This is how every share on the pages is written that was counted or computed: with one decimal, and below a tenth of a per
/// cent with two figures, so that small ones can be told apart. What a person set, such as a limit, is written by [`set_share`] as
/// it was set; what is promised is rounded to the side on which it promises less, by [`share_at_most`].
pub(crate) fn share(value: f64) -> String {
    in_per_cent(value, f64::round)
}

/// As the pages write a share, for places without markup such as a terminal: there is one rule for rounding, so that what is told
/// here and there is the same.
#[must_use]
pub fn share_in_text(value: f64) -> String {
    share(value).replace('\u{a0}', " ")
}

/// A share that is promised not to be passed: rounded up, with as many decimals as [`share`].
pub(crate) fn share_at_most(value: f64) -> String {
    in_per_cent(value, f64::ceil)
}

/// A share that somebody set, in per cent as it was set.
pub(crate) fn set_share(value: f64) -> String {
    if value.is_finite() { format!("{}\u{a0}%", number(value * 100.0)) } else { number(value) }
}

fn in_per_cent(value: f64, round: fn(f64) -> f64) -> String {
    if !value.is_finite() {
        return number(value);
    }
    if value == 0.0 || value == 1.0 {
        return format!("{:.0}\u{a0}%", value * 100.0);
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let per_cent = value.abs() * 100.0;
    if per_cent < LEAST * (1.0 - 1e-9) {
        return format!("less than {sign}{LEAST}\u{a0}%");
    }
    if value > 0.999 && value < 1.0 {
        return "more than 99.9\u{a0}%".to_owned();
    }
    let decimals = decimals(per_cent);
    let scale = 10f64.powi(decimals);
    let rounded = round_past_noise(value * 100.0 * scale, round).abs() / scale;
    let digits = format!("{rounded:.*}", decimals as usize);
    let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
    format!("{sign}{}{}{part}\u{a0}%", group(whole), if part.is_empty() { "" } else { "." })
}

/// Below this many per cent no figures are told.
const LEAST: f64 = 0.0001;

/// How many decimals so many per cent have: one, or as many as two figures take.
fn decimals(per_cent: f64) -> i32 {
    match per_cent {
        0.1.. => 1,
        0.01.. => 3,
        0.001.. => 4,
        _ => 5,
    }
}

/// The interval of a rate in per cent, its ends rounded outwards, both with as many decimals.
pub(crate) fn interval(rate: &Rate) -> String {
    if rate.of == 0 || !rate.low.is_finite() || !rate.high.is_finite() {
        return "not known".to_owned();
    }
    // A narrow one near 0 needs more than a decimal.
    let decimals = match rate.high * 100.0 {
        1.0.. => 1,
        0.1.. => 2,
        own => decimals(own),
    };
    let scale = 10f64.powi(decimals);
    let end = |value: f64, round: fn(f64) -> f64| {
        let rounded = round_past_noise(value * 100.0 * scale, round) / scale;
        match rounded {
            // Nothing and all are told without decimals, as everywhere.
            0.0 => "0".to_owned(),
            100.0.. => "100".to_owned(),
            own => format!("{own:.*}", decimals as usize),
        }
    };
    format!("{}–{}\u{a0}%", end(rate.low, f64::floor), end(rate.high, f64::ceil))
}

/// A figure: in per cent where it is a share.
pub(crate) fn value(value: f64, is_share: bool) -> String {
    if is_share { share(value) } else { number(value) }
}

/// A phrase of the program's as a sentence: escaped, cut when very long, with a capital and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    with_code(&phrase(text), str::to_owned)
}

/// As [`sentence`], with the thousands of its numbers set apart: for what the program found, where names stand between
/// backticks.
pub(crate) fn note(text: &str) -> String {
    with_code(&phrase(text), |part| part.split(' ').map(thousands).collect::<Vec<String>>().join(" "))
}

fn phrase(text: &str) -> String {
    const LONGEST: usize = 600;
    let text = text.trim();
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let mut out: String = first.to_uppercase().chain(letters.by_ref().take(LONGEST)).collect();
    if letters.next().is_some() {
        out.push('…');
    } else if !out.ends_with(['.', '!', '?', '…', ':']) {
        out.push('.');
    }
    escape(&out)
}

/// What stands between two backticks, as code; the rest is changed as asked.
fn with_code(markup: &str, change: fn(&str) -> String) -> String {
    let parts: Vec<&str> = markup.split('`').collect();
    if parts.len().is_multiple_of(2) {
        // One of them has no partner.
        return markup.to_owned();
    }
    let part = |(i, part): (usize, &&str)| match i % 2 {
        0 => change(part),
        _ => format!("<code>{part}</code>"),
    };
    parts.iter().enumerate().map(part).collect()
}

/// A word that is a number, perhaps with a bracket before it, decimals or a sign after it, with its thousands set apart;
/// any other word as it is.
fn thousands(word: &str) -> String {
    let start = word.len() - word.trim_start_matches('(').len();
    let digits = word[start..].bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = word[start..].split_at(digits);
    let is_number = rest.chars().all(|c| c.is_ascii_digit() || ".,;:)%".contains(c));
    match is_number && digits > 3 && !whole.starts_with('0') {
        true => format!("{}{}{rest}", &word[..start], group(whole)),
        false => word.to_owned(),
    }
}

/// A number to four figures.
pub(crate) fn number(value: f64) -> String {
    figures(value, f64::round)
}

/// A number to four figures, rounded to the side on which it promises less.
pub(crate) fn number_against(value: f64, better: Better) -> String {
    match better {
        Better::Higher => figures(value, f64::floor),
        Better::Lower => figures(value, f64::ceil),
    }
}

fn figures(value: f64, round: fn(f64) -> f64) -> String {
    if value.is_nan() {
        return "not defined".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "unbounded (∞)" } else { "unbounded (−∞)" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let sign = if value < 0.0 { "−" } else { "" };
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{sign}{}", group(&format!("{:.0}", value.abs())));
    }
    let exponent = value.abs().log10().floor();
    // Large numbers keep their whole part, small ones four figures.
    let decimals = (3.0 - exponent).clamp(0.0, 400.0);
    if (-4.0..15.0).contains(&exponent) {
        let scale = 10f64.powf(decimals);
        let rounded = round_past_noise(value * scale, round) / scale;
        let digits = format!("{:.*}", decimals as usize, rounded.abs());
        let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
        let part = part.trim_end_matches('0');
        let point = if part.is_empty() { "" } else { "." };
        return format!("{sign}{}{point}{part}", group(whole));
    }
    let mut exponent = exponent;
    // 10^exponent itself may leave the range of f64, so divide in two steps.
    let half = (exponent / 2.0).trunc();
    let mantissa = value / 10f64.powf(half) / 10f64.powf(exponent - half);
    let mut mantissa = round_past_noise(mantissa * 1000.0, round) / 1000.0;
    if mantissa.abs() >= 10.0 {
        mantissa /= 10.0;
        exponent += 1.0;
    }
    let digits = format!("{:.3}", mantissa.abs());
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{sign}{digits}\u{a0}×\u{a0}10{}", superscript(exponent))
}

/// Rounds, taking what is a whole number but for the last bits as that number.
fn round_past_noise(value: f64, round: fn(f64) -> f64) -> f64 {
    let nearest = value.round();
    if (value - nearest).abs() <= nearest.abs() * 1e-12 { nearest } else { round(value) }
}

fn superscript(exponent: f64) -> String {
    format!("{exponent:.0}")
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4' => '⁴',
            '5' => '⁵',
            '6' => '⁶',
            '7' => '⁷',
            '8' => '⁸',
            '9' => '⁹',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_the_order_of_their_numbers() {
        let mut all =
            ["[10 to 19]", "[9 to 9]", "[100 to 119]", "b", "a10", "a9", "a09", "", "1975-02", "1975-01"];
        all.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            all,
            ["", "1975-01", "1975-02", "[9 to 9]", "[10 to 19]", "[100 to 119]", "a09", "a9", "a10", "b"]
        );
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1234567), "1,234,567");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(5.0), "5");
        assert_eq!(number(-1234.0), "−1,234");
        assert_eq!(number(0.14285714), "0.1429");
        assert_eq!(number(12345.678), "12,346");
        assert_eq!(number(99.9999), "100");
        assert_eq!(number(0.0000123456), "1.235\u{a0}×\u{a0}10⁻⁵");
        assert_eq!(number(1.5e300), "1.5\u{a0}×\u{a0}10³⁰⁰");
        assert_eq!(number(f64::NAN), "not defined");
        assert_eq!(number(f64::INFINITY), "unbounded (∞)");
        for extreme in [f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 9.9999999e14, -0.0] {
            assert!(!number(extreme).contains("NaN"), "{extreme}");
        }
    }

    #[test]
    fn a_reached_value_is_never_rounded_to_the_safe_side() {
        assert_eq!(number_against(2.49999, Better::Higher), "2.499");
        assert_eq!(number_against(0.20001, Better::Lower), "0.2001");
        assert_eq!(number_against(0.3, Better::Lower), "0.3");
        assert_eq!(number_against(0.1 + 0.2, Better::Lower), "0.3");
    }

    #[test]
    fn percentages_do_not_hide_the_last_record() {
        assert_eq!(percent(0, 10), "0\u{a0}%");
        assert_eq!(percent(1, 1_000_000), "0.00010\u{a0}%");
        assert_eq!(percent(1, 100_000_000), "less than 0.0001\u{a0}%");
        assert_eq!(percent(1, 5), "20.0\u{a0}%");
        assert_eq!(percent(999_999, 1_000_000), "more than 99.9\u{a0}%");
        assert_eq!(percent(u64::MAX - 1, u64::MAX), "more than 99.9\u{a0}%");
        assert_eq!(percent(0, 0), "–");
    }

    #[test]
    fn shares_do_not_hide_the_last_person() {
        assert_eq!(share(0.0), "0\u{a0}%");
        assert_eq!(share(1e-9), "less than 0.0001\u{a0}%");
        // Two versions with risks that small can be told apart.
        assert_eq!(share(0.000_421), "0.042\u{a0}%");
        assert_eq!(share(0.000_042_1), "0.0042\u{a0}%");
        assert_eq!(share(-0.125), "−12.5\u{a0}%");
        assert_eq!(share(0.02751), "2.8\u{a0}%");
        assert_eq!(share(1.0 - 1e-9), "more than 99.9\u{a0}%");
        assert_eq!(share(1.0), "100\u{a0}%");
        assert_eq!(share(32.0), "3,200.0\u{a0}%");
        assert_eq!(share(f64::NAN), "not defined");
        assert_eq!(share_at_most(0.050001), "5.1\u{a0}%");
        assert_eq!(share_at_most(0.05), "5.0\u{a0}%");
        assert_eq!((set_share(0.05), set_share(0.125)), ("5\u{a0}%".into(), "12.5\u{a0}%".into()));
    }

    #[test]
    fn intervals_are_rounded_outwards() {
        // 10 of 100: 0.05523 to 0.17437.
        assert_eq!(interval(&Rate::new(10, 100)), "5.5–17.5\u{a0}%");
        assert_eq!(interval(&Rate::new(0, 0)), "not known");
        assert_eq!(interval(&Rate { hits: 1, of: 1, rate: 1.0, low: f64::NAN, high: 1.0 }), "not known");
        // 1 of 100,000: 0.0001765 % to 0.005665 %; 7 of 5,000: 0.0678 % to 0.2885 %.
        assert_eq!(interval(&Rate::new(1, 100_000)), "0.0001–0.0057\u{a0}%");
        assert_eq!(interval(&Rate::new(7, 5_000)), "0.06–0.29\u{a0}%");
        assert_eq!(interval(&Rate::new(5, 5)), "56.5–100\u{a0}%");
        assert_eq!(interval(&Rate::unknown()), "not known");
    }

    #[test]
    fn phrases_become_sentences() {
        assert_eq!(sentence("who is in the data"), "Who is in the data.");
        assert_eq!(sentence(" Done. "), "Done.");
        assert_eq!(sentence("<b>"), "&lt;b&gt;.");
        assert_eq!(sentence("promise `a<b`, or `c`"), "Promise <code>a&lt;b</code>, or <code>c</code>.");
        assert_eq!(sentence("a ` alone"), "A ` alone.");
        assert_eq!(sentence(""), "");
        assert!(sentence(&"é".repeat(5_000)).chars().count() < 700);
    }

    #[test]
    fn short_counts_stay_short() {
        for n in [0, 9_999, 10_000, 12_345, 999_999, 1_000_000, u64::MAX] {
            assert!(short_count(n).chars().count() <= 5, "{}", short_count(n));
        }
        assert_eq!(short_count(12_345), "12.3k");
        assert_eq!(short_count(9_999), "9,999");
    }

    #[test]
    fn hostile_names_stay_in_their_place() {
        assert_eq!(escape("<a b='\"'>&"), "&lt;a b=&#39;&quot;&#39;&gt;&amp;");
        assert_eq!(escape("a\u{202e}b\n"), "a⟨U+202E⟩b⟨U+000A⟩");
        assert_eq!(escape_lines("a\n\tb"), "a\n\tb");
        assert!(name(&"é".repeat(10_000)).contains("9,880 more characters"));
        assert_eq!(plain_name(""), "(no name)");
    }

    #[test]
    fn names_in_a_sentence() {
        let bare = |n: &[&str], most| {
            names(n.iter().copied(), most).replace("<bdi class=\"name\">", "").replace("</bdi>", "")
        };
        assert_eq!(bare(&[], 3), "");
        assert_eq!(bare(&["a"], 3), "a");
        assert_eq!(bare(&["a", "b", "c"], 3), "a, b and c");
        assert_eq!(bare(&["a", "b", "c", "d"], 3), "a, b, c and 1 more");
    }
}
