//! The table: columns of dictionary codes.
//!
//! Codes are canonical. The domain of a column is sorted (missing values first, then by the order of
//! its [`Kind`]), so the same input gives the same codes whatever the number of threads that read it.

use arrow_array::ArrayRef;
use rayon::prelude::*;

/// A table read into memory.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The columns, in the order of the input.
    pub columns: Vec<Column>,
    /// The number of records.
    pub rows: usize,
}

impl Table {
    /// The position of the column with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The column with this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The size of the dictionary-coded table: codes and distinct texts, in bytes.
    pub fn coded_bytes(&self) -> usize {
        self.columns.iter().map(|c| 4 * c.codes.len() + c.domain.text_bytes()).sum()
    }
}

/// One column: a code per record, and what the codes stand for.
#[derive(Debug, Clone)]
pub struct Column {
    /// The name in the header.
    pub name: String,
    /// One code per record, an index into the domain.
    pub codes: Vec<u32>,
    /// The distinct values.
    pub domain: Domain,
    /// How the cells stood in the input, for columns that are published as they are.
    pub cells: Cells,
}

impl Column {
    /// The number of each record, its text read as of this kind; NaN for what is missing or none.
    pub fn numbers_as(&self, kind: Kind) -> Vec<f64> {
        let number = |code: u32| match self.domain.is_missing(code) {
            true => f64::NAN,
            false => kind.number(self.domain.text(code)).unwrap_or(f64::NAN),
        };
        let of_code: Vec<f64> = (0..self.domain.len() as u32).map(number).collect();
        self.codes.iter().map(|&code| of_code.get(code as usize).copied().unwrap_or(f64::NAN)).collect()
    }
}

/// How the cells of a column stood in the input, so that an unrecoded column comes out identical.
#[derive(Debug, Clone, Default)]
pub enum Cells {
    /// Text, quoted in one way throughout.
    #[default]
    Plain,
    /// Text in which every cell that is not missing was quoted, needed or not.
    Quoted,
    /// Text quoted here and there without need: per record a code, and per code the cell as it stood.
    Verbatim {
        /// One code per record.
        codes: Vec<u32>,
        /// Per code the cell with its quotation marks.
        cells: Vec<Box<str>>,
    },
    /// Values of an Arrow type: element `i` is the value with code `i`.
    Arrow(ArrayRef),
    /// Values of an Arrow type of which several have the same text, such as a null and an empty string:
    /// per record a position among the values.
    ArrowVerbatim {
        /// One position per record.
        codes: Vec<u32>,
        /// The distinct values.
        values: ArrayRef,
    },
}

/// When to put quotation marks around a text cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quoting {
    /// Only around cells that need them.
    #[default]
    Needed,
    /// Around every cell.
    Always,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Decimal,
    /// Calendar dates, `YYYY-MM-DD` (a time of day may follow).
    Date,
    /// `true`/`false`, `yes`/`no`, `t`/`f`, `y`/`n` in any case.
    Boolean,
    /// Anything else.
    Text,
}

/// The distinct values of a column.
#[derive(Debug, Clone)]
pub struct Domain {
    values: Vec<Box<str>>,
    missing: u32,
    kind: Kind,
}

impl Domain {
    /// A domain of values that are already in canonical order; the first `missing` of them are markers
    /// of a missing value.
    pub fn from_sorted(values: Vec<Box<str>>, missing: u32, kind: Kind) -> Self {
        debug_assert!(missing as usize <= values.len());
        Self { values, missing, kind }
    }

    /// Sorts values into canonical order and finds their kind. Returns the domain and, per given
    /// position, its code. `is_missing` tells which texts are markers of a missing value.
    pub fn canonical(values: Vec<Box<str>>, is_missing: impl Fn(&str) -> bool) -> (Self, Vec<u32>) {
        let kind = Kind::of(values.iter().map(|v| &**v).filter(|v| !is_missing(v)));
        // Each text is looked at once. Markers of a missing value are ordered by their text alone.
        let keys: Vec<(bool, f64)> = values
            .iter()
            .map(|v| if is_missing(v) { (false, 0.0) } else { (true, kind.number(v).unwrap_or(0.0)) })
            .collect();
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        let compare = |&a: &u32, &b: &u32| {
            let (x, y) = (keys[a as usize], keys[b as usize]);
            let by_key = x.0.cmp(&y.0).then_with(|| x.1.total_cmp(&y.1));
            by_key.then_with(|| values[a as usize].cmp(&values[b as usize]))
        };
        if order.len() > 1 << 14 {
            order.par_sort_unstable_by(compare);
        } else {
            order.sort_unstable_by(compare);
        }
        let mut code_of = vec![0; values.len()];
        for (code, &position) in order.iter().enumerate() {
            code_of[position as usize] = code as u32;
        }
        let missing = keys.iter().filter(|key| !key.0).count() as u32;
        let mut slots: Vec<Option<Box<str>>> = values.into_iter().map(Some).collect();
        let values = order.iter().map(|&p| slots[p as usize].take().unwrap_or_default()).collect();
        (Self { values, missing, kind }, code_of)
    }

    /// The number of distinct values, missing ones included.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The kind of the values that are not missing.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The text of a code. Never put it into a message: it is data about a person.
    pub fn text(&self, code: u32) -> &str {
        &self.values[code as usize]
    }

    /// All texts by code.
    pub fn texts(&self) -> &[Box<str>] {
        &self.values
    }

    /// How many codes, from 0 on, stand for a missing value.
    pub fn missing(&self) -> u32 {
        self.missing
    }

    /// Whether the code stands for a missing value.
    pub fn is_missing(&self, code: u32) -> bool {
        code < self.missing
    }

    /// The code of a text.
    pub fn code_of(&self, text: &str) -> Option<u32> {
        self.values.iter().position(|v| &**v == text).map(|p| p as u32)
    }

    /// The value as a number: integers and decimals as they are, dates as days since 1970-01-01.
    pub fn number(&self, code: u32) -> Option<f64> {
        if self.is_missing(code) { None } else { self.kind.number(self.text(code)) }
    }

    fn text_bytes(&self) -> usize {
        self.values.iter().map(|v| v.len()).sum()
    }
}

impl Kind {
    /// The narrowest kind that fits all texts; text when there is none.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Self {
        const KINDS: [Kind; 4] = [Kind::Integer, Kind::Decimal, Kind::Date, Kind::Boolean];
        let mut fits = [true; 4];
        let mut is_empty = true;
        for text in texts {
            is_empty = false;
            for (fits, kind) in fits.iter_mut().zip(KINDS) {
                *fits = *fits && kind.fits(text);
            }
            if fits == [false; 4] {
                break;
            }
        }
        let narrowest = KINDS.into_iter().zip(fits).find(|(_, fits)| *fits && !is_empty);
        narrowest.map_or(Kind::Text, |(kind, _)| kind)
    }

    fn fits(self, text: &str) -> bool {
        match self {
            Kind::Integer => is_integer(text),
            Kind::Decimal => is_decimal(text),
            Kind::Date => days_of(text).is_some(),
            Kind::Boolean => is_boolean(text),
            Kind::Text => true,
        }
    }

    /// The order of two texts of this kind; equal numbers are told apart by their text.
    pub fn order(self, a: &str, b: &str) -> std::cmp::Ordering {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
            _ => a.cmp(b),
        }
    }

    /// The number that a text of this kind stands for.
    pub fn number(self, text: &str) -> Option<f64> {
        match self {
            Kind::Integer | Kind::Decimal => text.parse().ok(),
            Kind::Date => days_of(text).map(|days| days as f64),
            Kind::Boolean | Kind::Text => None,
        }
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.len() <= 15 && digits.bytes().all(|b| b.is_ascii_digit())
}

fn is_decimal(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'))
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_boolean(text: &str) -> bool {
    ["true", "false", "yes", "no", "t", "f", "y", "n"].iter().any(|w| text.eq_ignore_ascii_case(w))
}

/// Days since 1970-01-01 of a text that begins with `YYYY-MM-DD`.
pub(crate) fn days_of(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() < 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    if bytes.len() > 10 && bytes[10] != b'T' && bytes[10] != b' ' {
        return None;
    }
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let part = text.get(range)?;
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        _ => return None,
    };
    if day < 1 || day > length {
        return None;
    }
    // Days from civil date, counting years from March so that the leap day is the last of its year.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// The date so many days after 1970-01-01, as `YYYY-MM-DD`. Days that no calendar reaches are the last that one does.
pub fn date_of(days: i64) -> String {
    let shifted = days.clamp(-3_652_059_000, 3_652_059_000) + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months counted from March.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days_are_inverse() {
        for days in (-719_000..2_900_000).step_by(97) {
            assert_eq!(days_of(&date_of(days)), Some(days));
        }
        assert_eq!(date_of(11_016), "2000-02-29");
    }

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(days_of("1970-01-01"), Some(0));
        assert_eq!(days_of("2000-02-29"), Some(11_016));
        assert_eq!(days_of("1969-12-31T10:00:00"), Some(-1));
        assert_eq!(days_of("2001-02-29"), None);
        assert_eq!(days_of("2001-13-01"), None);
    }

    #[test]
    fn the_narrowest_kind_wins() {
        assert_eq!(Kind::of(["1", "-2"].into_iter()), Kind::Integer);
        assert_eq!(Kind::of(["1", "2.5"].into_iter()), Kind::Decimal);
        assert_eq!(Kind::of(["yes", "NO"].into_iter()), Kind::Boolean);
        assert_eq!(Kind::of(["2020-01-31"].into_iter()), Kind::Date);
        assert_eq!(Kind::of(["1", "x"].into_iter()), Kind::Text);
        assert_eq!(Kind::of(std::iter::empty()), Kind::Text);
        assert_eq!(Kind::of(["inf", "NaN"].into_iter()), Kind::Text);
    }

    #[test]
    fn domains_are_sorted_with_missing_values_first() {
        let values = ["10", "9", "?", "-1"].map(Box::from).to_vec();
        let (domain, codes) = Domain::canonical(values, |v| v == "?");
        assert_eq!(codes, [3, 2, 0, 1]);
        assert_eq!(domain.kind(), Kind::Integer);
        assert_eq!(domain.missing(), 1);
        assert_eq!(domain.number(3), Some(10.0));
        assert_eq!(domain.number(0), None);
    }
}
