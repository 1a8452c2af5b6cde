//! Diversity of a numeric column to which close values do not add (survey PM-25; Li, Tao and Xiao for the
//! neighbourhood form).
//!
//! Ranges are laid from the smallest value up: a range takes all values within `width` of its lowest, the next
//! begins beyond it. Dates count in days. Missing values make no range and are near each other only.

use privet_criteria::ProximityKind;

use super::{Judged, Reach, TOLERANCE, Worst};
use crate::verify::table::{Histogram, Released};

/// A form of diversity by distance, with its parameters.
pub(super) struct Form {
    pub kind: ProximityKind,
    pub l: f64,
    pub width: f64,
    pub balance: f64,
}

impl Form {
    pub fn judge(&self, missing: &[String], column: usize, released: &Released) -> Judged {
        let number_of = |text: &String| if missing.contains(text) { None } else { number(text) };
        let numbers: Vec<Option<f64>> = released.table.columns[column].texts.iter().map(number_of).collect();
        let histograms = released.histograms(column);
        let classes = histograms.iter().zip(&released.classes).map(|(histogram, class)| {
            let reached = match self.kind {
                ProximityKind::Ranges => self.ranges(histogram, &numbers, class.rows),
                ProximityKind::Neighbourhood => self.neighbourhood(histogram, &numbers, class.rows),
            };
            Reach::exactly(reached, reached >= self.l * (1.0 - TOLERANCE))
        });
        Judged::new(Worst::Smallest, classes.collect())
    }

    /// How many ranges hold a share of at least balance/l of the class.
    fn ranges(&self, histogram: &Histogram, numbers: &[Option<f64>], rows: u64) -> f64 {
        let mut values: Vec<(f64, u64)> =
            histogram.iter().filter_map(|(&code, &count)| Some((numbers[code as usize]?, count))).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut ranges: Vec<(f64, u64)> = Vec::new();
        for (value, count) in values {
            match ranges.last_mut() {
                Some((lowest, records)) if value - *lowest <= self.width => *records += count,
                _ => ranges.push((value, count)),
            }
        }
        let least = self.balance / self.l * rows as f64 - TOLERANCE;
        ranges.iter().filter(|(_, records)| *records as f64 >= least).count() as f64
    }

    /// One over the largest share of the class within the width of one of its values.
    fn neighbourhood(&self, histogram: &Histogram, numbers: &[Option<f64>], rows: u64) -> f64 {
        let near = |a: u32, b: u32| match (numbers[a as usize], numbers[b as usize]) {
            (Some(a), Some(b)) => (a - b).abs() <= self.width,
            (a, b) => a == b,
        };
        let around = |code: u32| {
            histogram.iter().filter(|(other, _)| near(code, **other)).map(|(_, n)| *n).sum::<u64>()
        };
        let most = histogram.keys().map(|&code| around(code)).max().unwrap_or(0);
        rows as f64 / most as f64
    }
}

/// A number, or a date as a number of days.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite()).or_else(|| days(text))
}

/// Days from 0000-01-01 to the date at the beginning of a text.
fn days(text: &str) -> Option<f64> {
    let (date, rest) = (text.get(..10)?, &text[10..]);
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<u32>().ok())?;
    let (year, month, day) = (digits(&date[..4])?, digits(&date[5..7])?, digits(&date[8..])?);
    let marks = date.as_bytes()[4] == b'-' && date.as_bytes()[7] == b'-';
    if !marks || !(rest.is_empty() || rest.starts_with(['T', ' '])) || !(1..=12).contains(&month) {
        return None;
    }
    let is_leap =
        |year: u32| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let february = 28 + u32::from(is_leap(year));
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let month = month as usize - 1;
    if day < 1 || day > lengths[month] {
        return None;
    }
    let years: u32 = (0..year).map(|year| 365 + u32::from(is_leap(year))).sum();
    Some(f64::from(years + lengths[..month].iter().sum::<u32>() + day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(kind: ProximityKind, l: f64, width: f64, balance: f64, values: &[(&str, u64)]) -> f64 {
        let numbers: Vec<Option<f64>> = values.iter().map(|(text, _)| number(text)).collect();
        let histogram: Histogram = (0..).zip(values.iter().map(|(_, count)| *count)).collect();
        let rows = histogram.values().sum();
        let form = Form { kind, l, width, balance };
        match kind {
            ProximityKind::Ranges => form.ranges(&histogram, &numbers, rows),
            ProximityKind::Neighbourhood => form.neighbourhood(&histogram, &numbers, rows),
        }
    }

    #[test]
    fn survey_pm_25_close_salaries_are_one_range() {
        let salaries = [("99000", 1), ("100000", 1), ("101000", 1)];
        let ranges = |width: f64| reach(ProximityKind::Ranges, 3.0, width, 0.0, &salaries);
        assert_eq!((ranges(0.0), ranges(999.0), ranges(1_000.0), ranges(2_000.0)), (3.0, 3.0, 2.0, 1.0));
        let near = |width: f64| reach(ProximityKind::Neighbourhood, 3.0, width, 0.0, &salaries);
        assert_eq!((near(0.0), near(1_000.0)), (3.0, 1.0));
    }

    #[test]
    fn balance_counts_only_ranges_with_their_share() {
        let values = [("1", 8), ("10", 1), ("20", 1)];
        let ranges = |balance: f64| reach(ProximityKind::Ranges, 2.0, 1.0, balance, &values);
        assert_eq!((ranges(0.0), ranges(0.2), ranges(1.0)), (3.0, 3.0, 1.0));
    }

    #[test]
    fn dates_count_in_days_and_missing_values_stand_apart() {
        assert_eq!(days("2000-03-01").unwrap() - days("2000-02-28").unwrap(), 2.0);
        assert_eq!(days("2001-01-01T08:00:00").unwrap() - days("2000-12-31").unwrap(), 1.0);
        assert_eq!(
            (days("2001-02-29"), days("2001-13-01"), days("20010101"), days("2001-01-011")),
            (None, None, None, None)
        );
        let values = [("5", 2), ("?", 1), ("NA", 1)];
        assert_eq!(reach(ProximityKind::Ranges, 1.0, 1.0, 0.0, &values), 1.0);
        assert_eq!(reach(ProximityKind::Neighbourhood, 1.0, 1.0, 0.0, &values), 2.0);
    }
}
