//! Moments as texts: seconds since 1970, or dates with a time of day.

/// Seconds since 1970-01-01 UTC. Texts without an offset count as UTC.
///
/// ```
/// use privet_sets::seconds_of;
/// assert_eq!(seconds_of("1970-01-02 00:01"), Some(86_460));
/// assert_eq!(seconds_of("2024-06-04T19:02:42.010Z"), Some(1_717_527_762));
/// assert_eq!(seconds_of("1970-01-01T02:00:00+02:00"), Some(0));
/// assert_eq!(seconds_of("yesterday"), None);
/// ```
pub fn seconds_of(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<i64>() {
        return Some(seconds);
    }
    let (date, rest) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], text[at + 1..].trim()),
        None => (text, ""),
    };
    let days = days_of(date)?;
    let (time, offset) = split_offset(rest)?;
    let seconds = if time.is_empty() { 0 } else { time_of_day(time)? };
    Some(days * 86_400 + seconds - offset)
}

fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else {
        return Some((text, 0));
    };
    let sign = if text.as_bytes()[at] == b'-' { -1 } else { 1 };
    let offset = &text[at + 1..];
    let digits: String = offset.chars().filter(|own| *own != ':').collect();
    let (hours, minutes) = match digits.len() {
        2 => (digits.as_str(), "0"),
        4 => digits.split_at_checked(2)?,
        _ => return None,
    };
    let (hours, minutes) = (number(hours, 0, 23)?, number(minutes, 0, 59)?);
    Some((&text[..at], sign * (hours * 3600 + minutes * 60)))
}

fn time_of_day(text: &str) -> Option<i64> {
    let mut parts = text.trim().split(':');
    let (hours, minutes) = (number(parts.next()?, 0, 24)?, number(parts.next()?, 0, 59)?);
    let seconds = match parts.next() {
        None => 0,
        Some(seconds) => {
            let whole = seconds.split_once(['.', ',']);
            if let Some((_, fraction)) = whole
                && !fraction.bytes().all(|byte| byte.is_ascii_digit())
            {
                return None;
            }
            number(whole.map_or(seconds, |(whole, _)| whole), 0, 60)?
        }
    };
    if parts.next().is_some() { None } else { Some(hours * 3600 + minutes * 60 + seconds) }
}

fn number(text: &str, least: i64, most: i64) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|own| is_number && (least..=most).contains(own))
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days_of(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    let (year, month, day) = (number(year, 1, 9999)?, number(month, 1, 12)?, number(day, 1, 31)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if day > longest {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        assert_eq!(seconds_of("1199520600"), Some(1_199_520_600));
        assert_eq!(seconds_of("2008-01-05 08:10"), Some(1_199_520_600));
        assert_eq!(seconds_of("2008-01-05"), Some(1_199_491_200));
        assert_eq!(seconds_of("2000-02-29T00:00:00-0130"), Some(951_787_800));
        for bad in
            ["2001-02-29", "2008-13-01", "2008-01-05 25:00", "2008-01-05 08", "", "x", "2008-01-05T08:10:1x"]
        {
            assert_eq!(seconds_of(bad), None, "{bad}");
        }
    }
}
