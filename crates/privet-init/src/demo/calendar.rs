//! Days since 1970-01-01 and what the calendar calls them (proleptic Gregorian).

/// A calendar date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: i32,
    pub(super) month: u32,
    pub(super) day: u32,
}

impl Date {
    pub(super) const fn new(year: i32, month: u32, day: u32) -> Self {
        Self { year, month, day }
    }

    /// The date so many days after 1970-01-01.
    pub(super) fn from_days(days: i32) -> Self {
        // Eras of 400 years that begin on a first of March, so that the leap day ends its year.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i32::from(month <= 2);
        Self { year, month: month as u32, day: day as u32 }
    }

    /// Days since 1970-01-01.
    pub(super) fn days(self) -> i32 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = ((153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1) as i32;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
    }

    /// The same day so many years earlier; the 29th of February becomes the 28th.
    pub(super) fn years_before(self, years: i32) -> Self {
        Self {
            year: self.year - years,
            day: if self.month == 2 { self.day.min(28) } else { self.day },
            ..self
        }
    }
}

/// 0 for Monday to 6 for Sunday.
pub(super) fn weekday(days: i32) -> usize {
    (days + 3).rem_euclid(7) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        let mut last = Date::from_days(-60_001);
        for days in -60_000..60_000 {
            let date = Date::from_days(days);
            assert_eq!(date.days(), days);
            assert!((date.year, date.month, date.day) > (last.year, last.month, last.day));
            last = date;
        }
        assert_eq!(Date::new(2000, 2, 29).days(), 11_016);
        assert_eq!(Date::from_days(0), Date::new(1970, 1, 1));
    }

    #[test]
    fn the_first_of_january_2024_was_a_monday() {
        assert_eq!(weekday(Date::new(2024, 1, 1).days()), 0);
        assert_eq!(weekday(Date::new(1969, 12, 31).days()), 2);
    }
}
