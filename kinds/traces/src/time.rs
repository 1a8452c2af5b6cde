//! Times from texts and back: seconds since 1970-01-01 00:00 UTC.
//!
//! Accepted: whole or decimal seconds, and ISO 8601 dates with a time of day and an optional offset
//! (`2011-02-03 08:34:04`, `2014-09-13 7:24`, `2011-02-03T08:34:04.5+01:00`). Fractions of seconds are cut off. Nothing is
//! guessed: `03/04/2011` is refused, because nobody can tell its month.

/// The largest time in seconds, some 30,000 years: sums and differences of times do not overflow.
pub const LARGEST_TIME: i64 = 1_000_000_000_000;

const DAY: i64 = 86_400;

/// The days from 1970-01-01 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn date(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * shifted + 2) / 5 + 1)
}

fn digits(text: &str, least: usize, most: usize) -> Option<i64> {
    let fits = (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

fn day_of(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-');
    let year = digits(parts.next()?, 4, 4)?;
    let month = digits(parts.next()?, 1, 2).filter(|own| (1..=12).contains(own))?;
    let day = digits(parts.next()?, 1, 2).filter(|own| (1..=31).contains(own))?;
    let number = days(year, month, day);
    // A date such as 31 April becomes another one.
    (date(number) == (year, month, day)).then_some(number)
}

fn offset(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let rest = text[1..].replace(':', "");
    let hours = digits(rest.get(..2)?, 2, 2).filter(|own| *own <= 14)?;
    let minutes = match rest.get(2..)? {
        "" => 0,
        rest => digits(rest, 2, 2).filter(|own| *own < 60)?,
    };
    Some(sign * (hours * 3600 + minutes * 60))
}

fn second_of_day(text: &str) -> Option<i64> {
    let (clock, shift) = if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        (clock, 0)
    } else {
        match text.find(['+', '-']) {
            Some(place) => (&text[..place], offset(&text[place..])?),
            None => (text, 0),
        }
    };
    let mut parts = clock.trim().splitn(3, ':');
    let hour = digits(parts.next()?, 1, 2).filter(|own| *own <= 23)?;
    let minute = digits(parts.next()?, 2, 2).filter(|own| *own <= 59)?;
    let second = match parts.next() {
        None => 0,
        Some(text) => {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            digits(fraction, 1, 12)?;
            digits(whole, 2, 2).filter(|own| *own <= 60)?.min(59)
        }
    };
    Some(hour * 3600 + minute * 60 + second - shift)
}

/// The seconds of a text; `None` when it is no time.
///
/// ```
/// use privet_traces::{parse_time, time_text};
/// assert_eq!(parse_time("1970-01-02 00:00:01"), Some(86_401));
/// assert_eq!(parse_time("2011-02-03T08:34:04+01:00"), parse_time("2011-02-03 07:34:04"));
/// assert_eq!(parse_time("03/04/2011 10:00"), None);
/// assert_eq!(time_text(86_401), "1970-01-02T00:00:01Z");
/// ```
pub fn parse_time(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<i64>() {
        return (seconds.abs() <= LARGEST_TIME).then_some(seconds);
    }
    if let Some((day, clock)) = text.split_once(['T', 't', ' ']) {
        return Some(day_of(day)? * DAY + second_of_day(clock.trim_start())?);
    }
    if let Some(day) = day_of(text) {
        return Some(day * DAY);
    }
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let seconds = text.parse::<f64>().ok().filter(|_| is_decimal)?;
    (seconds.abs() <= LARGEST_TIME as f64).then(|| seconds.floor() as i64)
}

/// A time as ISO 8601 text.
pub fn time_text(seconds: i64) -> String {
    let (day, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = date(day);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The second of the day, from 0 to 86,399.
pub fn second_of(seconds: i64) -> i64 {
    seconds.rem_euclid(DAY)
}

/// The day since 1970-01-01, and whether it is a Saturday or Sunday.
pub fn day_and_weekend(seconds: i64) -> (i64, bool) {
    let day = seconds.div_euclid(DAY);
    // 1970-01-01 was a Thursday.
    (day, matches!(day.rem_euclid(7), 2 | 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_of_real_files() {
        assert_eq!(parse_time("2014-09-13 7:24"), parse_time("2014-09-13T07:24:00Z"));
        assert_eq!(parse_time("2011-02-03 08:34:04"), Some(1_296_722_044));
        assert_eq!(parse_time("1296722044"), Some(1_296_722_044));
        assert_eq!(parse_time("1296722044.75"), Some(1_296_722_044));
        assert_eq!(parse_time("2011-02-03"), Some(1_296_691_200));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "x",
            "NaN",
            "inf",
            "2011-02-30",
            "2011-13-01",
            "2011-02-03 24:00",
            "2011-02-03 10:60",
            "1/2/2011",
            "99999999999999999",
            "2011-02-03 10",
            "1e9",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn weekends() {
        let of = |text| day_and_weekend(parse_time(text).unwrap()).1;
        assert_eq!(
            ["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"].map(of),
            [false, true, true, false]
        );
    }

    proptest! {
        #[test]
        fn texts_come_back(seconds in -60_000_000_000i64..200_000_000_000) {
            prop_assert_eq!(parse_time(&time_text(seconds)), Some(seconds));
        }
    }
}
