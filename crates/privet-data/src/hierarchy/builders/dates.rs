//! Dates by calendar units (survey ME-05).
//!
//! Units go from fine to coarse and each lies within the next, so levels nest. Weeks are those of ISO 8601; they
//! cross the borders of months and years, so nothing but `*` comes above them.

use super::{Values, check_levels};
use crate::Kind;
use crate::hierarchy::notation::{Keys, Notation};
use crate::hierarchy::{Hierarchy, HierarchyError, Level, LevelBuilder};
use crate::table::days_of;

/// `{ dates = ["month", "quarter", "year", "decade"] }`
///
/// A last level `*` is added. The leaves are the values in the data, times of day included.
#[derive(Debug, Clone, PartialEq)]
pub struct Dates {
    /// The units, from fine to coarse.
    pub units: Vec<DateUnit>,
}

/// A stretch of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DateUnit {
    /// `2024-02-29`; drops a time of day.
    Day,
    /// `2024-W09`, from Monday to Sunday, in the year that has its Thursday.
    Week,
    /// `2024-02`
    Month,
    /// `2024-Q1`
    Quarter,
    /// `2024`
    Year,
    /// `2020-2029`
    Decade,
    /// `2000-2099`
    Century,
}

const UNITS: [(&str, DateUnit); 7] = [
    ("day", DateUnit::Day),
    ("week", DateUnit::Week),
    ("month", DateUnit::Month),
    ("quarter", DateUnit::Quarter),
    ("year", DateUnit::Year),
    ("decade", DateUnit::Decade),
    ("century", DateUnit::Century),
];

impl Dates {
    pub(in crate::hierarchy) fn read(mut keys: Keys) -> Result<Self, HierarchyError> {
        let mut units = Vec::new();
        for word in keys.need("dates")?.into_list("dates", "a list of units such as [\"month\", \"year\"]")? {
            let accepted = "\"day\", \"week\", \"month\", \"quarter\", \"year\", \"decade\", \"century\"";
            let word = word.into_text("dates", accepted)?;
            match UNITS.iter().find(|(name, _)| *name == word) {
                Some(&(_, unit)) => units.push(unit),
                None => {
                    let problem = format!("names an unknown unit; accepted are {accepted}");
                    return Err(HierarchyError::parameter("dates", problem));
                }
            }
        }
        keys.finish(&["dates"])?;
        Ok(Self { units })
    }

    pub(in crate::hierarchy) fn write(&self) -> Notation {
        let words = self.units.iter().filter_map(|unit| UNITS.iter().find(|(_, known)| known == unit));
        let words = words.map(|&(word, _)| Notation::Text(word.into())).collect();
        Notation::Table(vec![("dates".into(), Notation::List(words))])
    }

    pub(super) fn build(&self, values: &Values<'_>) -> Result<Hierarchy, HierarchyError> {
        check_levels("dates", self.units.len())?;
        for pair in self.units.windows(2) {
            if pair[0] >= pair[1] {
                return Err(HierarchyError::parameter(
                    "dates",
                    "must go from fine to coarse, each unit once",
                ));
            }
            if pair[0] == DateUnit::Week {
                let problem =
                    "levels do not nest: a week may lie in two months; \"week\" must be the last unit";
                return Err(HierarchyError::parameter("dates", problem));
            }
        }
        values.need_kind("dates", &[Kind::Date])?;
        let dates: Vec<Date> = values.texts.iter().filter_map(|text| Date::read(text)).collect();
        if dates.len() < values.texts.len() {
            let problem = format!(
                "{} of the column's values are no dates; accepted is YYYY-MM-DD",
                values.texts.len() - dates.len()
            );
            return Err(HierarchyError::parameter("dates", problem));
        }
        let mut levels = Vec::with_capacity(self.units.len() + 1);
        for unit in &self.units {
            let mut level = LevelBuilder::default();
            dates.iter().for_each(|date| level.push(&date.label(*unit)));
            levels.push(level.finish());
        }
        levels.push(Level::top(dates.len()));
        Hierarchy::from_levels(values.leaves(), levels)
    }
}

impl Dates {
    /// The labels above a date from level 1 on; nothing for what is none.
    pub(in crate::hierarchy) fn labels_above(&self, value: &str) -> Option<Vec<String>> {
        let date = Date::read(value)?;
        let labels = self.units.iter().map(|&unit| date.label(unit));
        Some(labels.chain(["*".to_owned()]).collect())
    }
}

/// A day of the calendar.
struct Date {
    year: i64,
    month: i64,
    day: i64,
    /// Days since 1970-01-01.
    days: i64,
}

impl Date {
    fn read(text: &str) -> Option<Self> {
        let days = days_of(text)?;
        let part = |range: std::ops::Range<usize>| text.get(range)?.parse().ok();
        Some(Self { year: part(0..4)?, month: part(5..7)?, day: part(8..10)?, days })
    }

    fn label(&self, unit: DateUnit) -> String {
        let Self { year, month, day, .. } = self;
        let span = |years: i64| {
            let first = year - year.rem_euclid(years);
            format!("{first:04}-{:04}", first + years - 1)
        };
        match unit {
            DateUnit::Day => format!("{year:04}-{month:02}-{day:02}"),
            DateUnit::Week => {
                let (year, week) = self.iso_week();
                format!("{year:04}-W{week:02}")
            }
            DateUnit::Month => format!("{year:04}-{month:02}"),
            DateUnit::Quarter => format!("{year:04}-Q{}", (month + 2) / 3),
            DateUnit::Year => format!("{year:04}"),
            DateUnit::Decade => span(10),
            DateUnit::Century => span(100),
        }
    }

    /// The year and week of ISO 8601: a week belongs to the year that has its Thursday.
    fn iso_week(&self) -> (i64, i64) {
        let length = |year: i64| 365 + i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
        let before: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
        let leap_day = i64::from(self.month > 2) * (length(self.year) - 365);
        let day_of_year = before[(self.month - 1).clamp(0, 11) as usize] + leap_day + self.day - 1;
        // 1970-01-01 was a Thursday.
        let since_monday = (self.days + 3).rem_euclid(7);
        let thursday = day_of_year - since_monday + 3;
        if thursday < 0 {
            (self.year - 1, (thursday + length(self.year - 1)) / 7 + 1)
        } else if thursday >= length(self.year) {
            (self.year + 1, (thursday - length(self.year)) / 7 + 1)
        } else {
            (self.year, thursday / 7 + 1)
        }
    }
}
