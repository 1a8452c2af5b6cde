//! What a cell of a spreadsheet holds, as the plain text that the table gets.
//!
//! Numbers are written without exponents and thousands, dates as `YYYY-MM-DD`; a time of day stands behind a `T` where there is one.

use calamine::{CellErrorType, Data, ExcelDateTime};

use super::super::spelling::Spelling;

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A number.
    Number(f64),
    /// A date, with a time of day where there is one.
    Date(String),
    /// A time or a length of time.
    Time(String),
    /// A text.
    Text(String),
    /// True or false.
    Truth(bool),
    /// What a formula gave up with, such as `#N/A`.
    Error(CellErrorType),
}

impl Value {
    /// The value of a cell that is not empty.
    pub fn of(data: Data, is_1904: bool) -> Self {
        match data {
            Data::Int(number) => Value::Number(number as f64),
            Data::Float(number) => Value::Number(number),
            Data::Bool(truth) => Value::Truth(truth),
            Data::Error(error) => Value::Error(error),
            Data::DateTime(date) => date_or_time(&date, is_1904),
            Data::DateTimeIso(text) => {
                let text = text.strip_suffix("T00:00:00").unwrap_or(&text).to_owned();
                Value::Date(text)
            }
            Data::DurationIso(text) => Value::Time(duration(&text)),
            Data::String(text) => Value::Text(text),
            Data::Empty => Value::Text(String::new()),
        }
    }

    /// Bytes beyond those of every cell.
    pub fn extra(&self) -> u64 {
        match self {
            Value::Text(text) | Value::Date(text) | Value::Time(text) => text.len() as u64,
            _ => 0,
        }
    }

    /// Whether there is nothing to see.
    pub fn is_blank(&self) -> bool {
        matches!(self, Value::Text(text) if text.is_empty())
    }

    /// As plain text.
    pub fn text(&self) -> String {
        match self {
            Value::Number(number) => plain(*number),
            Value::Date(text) | Value::Time(text) | Value::Text(text) => text.clone(),
            Value::Truth(truth) => truth.to_string(),
            Value::Error(error) => error.to_string(),
        }
    }

    /// As a text that is read back as the same value where the texts of the column are spelled in a way of their own.
    pub fn spelled(&self, spelling: Spelling) -> String {
        let text = self.text();
        match (self, spelling) {
            (Value::Number(_), Spelling::DecimalComma) => text.replace('.', ","),
            (Value::Date(_), Spelling::DayMonthYear | Spelling::MonthDayYear) => {
                let (date, time) = text.split_once('T').unwrap_or((&text, ""));
                let mut parts = date.splitn(3, '-');
                let [Some(year), Some(month), Some(day)] = [parts.next(), parts.next(), parts.next()] else {
                    return text;
                };
                let date = match spelling {
                    Spelling::DayMonthYear => format!("{day}.{month}.{year}"),
                    _ => format!("{month}/{day}/{year}"),
                };
                format!("{date} {time}").trim_end().to_owned()
            }
            _ => text,
        }
    }
}

/// The shortest digits that are read back as the number, without an exponent.
fn plain(number: f64) -> String {
    // Not -0.
    let number = if number == 0.0 { 0.0 } else { number };
    number.to_string()
}

fn date_or_time(date: &ExcelDateTime, is_1904: bool) -> Value {
    let days = date.as_f64();
    if date.is_duration() || (days < 1.0 && !is_1904) {
        let seconds = (days * 86_400.0).round().max(0.0) as u64;
        return Value::Time(format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
    }
    let (year, month, day, hour, minute, second, milli) = date.to_ymd_hms_milli();
    let mut text = format!("{year:04}-{month:02}-{day:02}");
    if (hour, minute, second, milli) != (0, 0, 0, 0) {
        text += &format!("T{hour:02}:{minute:02}:{second:02}");
        if milli != 0 {
            text += &format!(".{milli:03}");
        }
    }
    Value::Date(text)
}

/// `PT12H30M00S` as `12:30:00`; as it is when it is something else.
fn duration(text: &str) -> String {
    let read = || -> Option<String> {
        let (hours, rest) = text.strip_prefix("PT")?.split_once('H')?;
        let (minutes, rest) = rest.split_once('M')?;
        let seconds = rest.strip_suffix('S')?;
        let [hours, minutes, seconds] =
            [hours.parse::<u64>().ok()?, minutes.parse().ok()?, seconds.parse().ok()?];
        Some(format!("{hours:02}:{minutes:02}:{seconds:02}"))
    };
    read().unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_exponents_and_no_trailing_zeros() {
        let texts = [1.0, 0.1, 1e21, 1e-7, -0.0, 1234.5].map(|number| Value::Number(number).text());
        assert_eq!(texts, ["1", "0.1", "1000000000000000000000", "0.0000001", "0", "1234.5"]);
    }

    #[test]
    fn what_is_spelled_is_read_back_as_the_same() {
        let comma = Value::Number(1.234).spelled(Spelling::DecimalComma);
        assert_eq!(Spelling::DecimalComma.plain(&comma).unwrap().0, "1.234");
        for spelling in [Spelling::DayMonthYear, Spelling::MonthDayYear, Spelling::YearMonthDay] {
            for date in ["2021-04-03", "1999-12-31"] {
                let told = Value::Date(date.to_owned()).spelled(spelling);
                assert_eq!(spelling.plain(&told).unwrap().0, date, "{told}");
            }
        }
    }

    #[test]
    fn lengths_of_time_are_read() {
        assert_eq!(duration("PT12H30M05S"), "12:30:05");
        assert_eq!(duration("P1D"), "P1D");
    }
}
