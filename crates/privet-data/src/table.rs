//! The table: columns of dictionary codes.
//!
//! Equal values have one code, however they are written: see [`Equality`]. Codes are canonical. The domain of a column is sorted (missing values first, then by the order of
//! its [`Kind`]), so the same input gives the same codes whatever the number of threads that read it.

use std::borrow::Cow;

use arrow_array::ArrayRef;
use foldhash::{HashMap, HashSet};
use rayon::prelude::*;

use crate::kind_test::KindTest;
use crate::sameness::{Equality, Sameness};
use crate::texts::Texts;

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
    /// Text quoted here and there without need, or several forms of one value: per record a code, and per code the cell
    /// as it stood.
    Verbatim {
        /// One code per record.
        codes: Vec<u32>,
        /// Per code the cell with its quotation marks.
        cells: Vec<Box<str>>,
        /// Per code the text that the cell is, where some are not the text of their value.
        texts: Option<Vec<Box<str>>>,
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
    values: Texts,
    missing: u32,
    kind: Kind,
    sameness: Sameness,
    /// Markers that the one of the first code stands for as well.
    markers: Vec<Box<str>>,
}

impl Domain {
    /// A domain of values that are already in canonical order; the first `missing` of them are markers
    /// of a missing value.
    pub fn from_sorted(values: Vec<Box<str>>, missing: u32, kind: Kind) -> Self {
        debug_assert!(missing as usize <= values.len());
        Self { values: values.into(), missing, kind, sameness: Sameness::EXACT, markers: Vec::new() }
    }

    /// A domain whose values are not at hand, as those of a column that is published as it is and is too large to be listed:
    /// only their kind is known, and when two texts are one value.
    pub fn without_values(kind: Kind, sameness: Sameness) -> Self {
        let values = Vec::<Box<str>>::new().into();
        Self { values, missing: 0, kind, sameness, markers: Vec::new() }
    }

    /// The same values, of which texts are found that are one with them.
    pub(crate) fn with_sameness_of(self, other: &Self) -> Self {
        let markers = if self.missing > 0 { other.markers.clone() } else { Vec::new() };
        Self { sameness: other.sameness, markers, ..self }
    }

    /// Sorts values into canonical order and finds their kind. Every text is a value of its own. Returns the domain and, per given
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
        (Self { values, missing, kind, sameness: Sameness::EXACT, markers: Vec::new() }, code_of)
    }

    /// As [`canonical`](Self::canonical), with one code for all texts that are one value, and one for all markers of a
    /// missing value. The plainest of the texts stands for the value.
    pub fn by_value(
        values: Vec<Box<str>>,
        is_missing: impl Fn(&str) -> bool,
        equality: Equality,
    ) -> (Self, Vec<u32>) {
        let (domain, code_of, _) = Self::by_value_as_stood(values, is_missing, equality);
        (domain, code_of)
    }

    /// As [`by_value`](Self::by_value), with the texts as they stood where some of them are not the text of their value.
    pub(crate) fn by_value_as_stood(
        values: Vec<Box<str>>,
        is_missing: impl Fn(&str) -> bool,
        equality: Equality,
    ) -> (Self, Vec<u32>, Option<Vec<Box<str>>>) {
        if equality == Equality::EXACT {
            let (domain, code_of) = Self::canonical(values, is_missing);
            return (domain, code_of, None);
        }
        let is_gone = |text: &str| is_missing(text) || is_missing(equality.trimmed(text));
        let present = values.iter().map(|text| equality.trimmed(text)).filter(|text| !is_gone(text));
        let sameness = equality.of_kind(Kind::of(present));
        let order = Order::of(&values, is_gone, sameness);
        // Most columns write each value in one way; a copy of their texts would be the most of what reading takes.
        let one_way = values.iter().all(|text| sameness.trimmed(text).len() == text.len())
            && (values.iter().zip(&order.code_of))
                .all(|(text, &code)| *text == values[order.chosen[code as usize] as usize]);
        let as_stood = if one_way { None } else { Some(values.clone()) };
        let (domain, code_of) = order.domain(values);
        (domain, code_of, as_stood)
    }

    /// As [`by_value`](Self::by_value), with texts that are one value wherever they are in another column: two tables are
    /// compared as the first is.
    pub fn like(&self, values: Vec<Box<str>>, is_missing: impl Fn(&str) -> bool) -> (Self, Vec<u32>) {
        let is_gone = |text: &str| is_missing(text) || is_missing(self.sameness.trimmed(text));
        let (mut domain, code_of) = Self::by_sameness(values, is_gone, self.sameness);
        // A value of this column keeps its text.
        let mut values = domain.values.to_vec();
        let finder = self.finder_of(&values);
        for (text, code) in values.iter_mut().zip(0..) {
            let own = finder.code(text).filter(|&own| self.is_missing(own) == (code < domain.missing));
            if let Some(own) = own {
                *text = self.text(own).into();
            }
        }
        if domain.missing > 0 && self.missing > 0 && !self.sameness.is_exact() {
            let marker = self.values[0].clone();
            let all = domain.markers().chain(self.markers()).map(Box::from);
            let mut others: Vec<Box<str>> = all.filter(|own| *own != marker).collect();
            others.sort_unstable();
            others.dedup();
            (values[0], domain.markers) = (marker, others);
        }
        domain.values = values.into();
        (domain, code_of)
    }

    fn by_sameness(
        values: Vec<Box<str>>,
        is_missing: impl Fn(&str) -> bool,
        sameness: Sameness,
    ) -> (Self, Vec<u32>) {
        Order::of(&values, is_missing, sameness).domain(values)
    }

    /// When two texts are one value of this column.
    pub fn sameness(&self) -> Sameness {
        self.sameness
    }

    /// Finds values by their texts, however they are written.
    pub fn finder(&self) -> Finder<'_> {
        self.finder_where(self.values.len() + self.markers.len(), |_| true)
    }

    /// As [`finder`](Self::finder), to find these texts and no others: it takes memory for them alone.
    pub fn finder_of(&self, texts: &[Box<str>]) -> Finder<'_> {
        let wanted: HashSet<Cow<'_, str>> = texts.iter().map(|text| self.sameness.key(text)).collect();
        self.finder_where(wanted.len(), |key| wanted.contains(key))
    }

    fn finder_where(&self, values: usize, is_wanted: impl Fn(&str) -> bool) -> Finder<'_> {
        let (missing, present) = self.values.split_at(self.missing as usize);
        let others = self.markers.iter().map(|text| (text, 0));
        let known = present.iter().zip(self.missing..).chain(missing.iter().zip(0..)).chain(others);
        let mut as_written: HashMap<&str, u32> = HashMap::default();
        let mut code_of: HashMap<Cow<'_, str>, u32> = HashMap::default();
        code_of.reserve(values);
        for (text, code) in known {
            let text: &str = text;
            let key = self.sameness.key(text);
            if !is_wanted(&key) {
                continue;
            }
            let first = *code_of.entry(key).or_insert(code);
            // As the marker `-9` beside the number `-9.0`.
            if first != code && *self.values[first as usize] != *text {
                as_written.entry(text).or_insert(code);
            }
        }
        Finder { sameness: self.sameness, as_written, code_of }
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

    /// All texts by code, to be kept.
    pub fn shared_texts(&self) -> Texts {
        self.values.clone()
    }

    /// How many codes, from 0 on, stand for a missing value.
    pub fn missing(&self) -> u32 {
        self.missing
    }

    /// The texts that stand for a missing value.
    pub fn markers(&self) -> impl Iterator<Item = &str> {
        self.values[..self.missing as usize].iter().chain(&self.markers).map(|text| &**text)
    }

    /// Whether the code stands for a missing value.
    pub fn is_missing(&self, code: u32) -> bool {
        code < self.missing
    }

    /// The code of a text, however the value is written. Whoever looks for many asks a [`finder`](Self::finder).
    pub fn code_of(&self, text: &str) -> Option<u32> {
        let as_written = self.values.iter().position(|own| **own == *text);
        if as_written.is_some() || self.sameness.is_exact() {
            return as_written.map(|place| place as u32);
        }
        if self.markers.iter().any(|own| **own == *text) {
            return Some(0);
        }
        let key = self.sameness.key(text);
        let same = |own: &str| self.sameness.key(own) == key;
        // A marker is one as it is written: what is a number as well is that number when it is written otherwise.
        let (missing, present) = self.values.split_at(self.missing as usize);
        let present = present.iter().position(|own| same(own)).map(|place| place as u32 + self.missing);
        let place = present.or_else(|| missing.iter().position(|own| same(own)).map(|place| place as u32));
        place.or_else(|| self.markers.iter().any(|own| same(own)).then_some(0))
    }

    /// The value as a number: integers and decimals as they are, dates as days since 1970-01-01.
    pub fn number(&self, code: u32) -> Option<f64> {
        if self.is_missing(code) { None } else { self.kind.number(self.text(code)) }
    }

    fn text_bytes(&self) -> usize {
        self.values.iter().map(|v| v.len()).sum()
    }
}

/// Texts in canonical order: which of them stand for a value, and the code of each.
struct Order {
    kind: Kind,
    sameness: Sameness,
    missing: u32,
    /// Per code the position of its text.
    chosen: Vec<u32>,
    /// Per position its code.
    code_of: Vec<u32>,
    /// Markers that the one of the first code stands for as well.
    markers: Vec<Box<str>>,
}

impl Order {
    fn of(values: &[Box<str>], is_missing: impl Fn(&str) -> bool, sameness: Sameness) -> Self {
        let text = |position: usize| sameness.trimmed(&values[position]);
        let gone: Vec<bool> = values.iter().map(|text| is_missing(text)).collect();
        let present = (0..values.len()).filter(|&position| !gone[position]).map(text);
        let kind = Kind::of(present);
        let number = |position: usize| match gone[position] {
            true => 0.0,
            false => kind.number(text(position)).map_or(0.0, |own| own + 0.0),
        };
        let numbers: Vec<f64> = (0..values.len()).map(number).collect();
        let key = |position: usize| match gone[position] && !sameness.is_exact() {
            // Missing is one value.
            true => Cow::Borrowed(""),
            false => sameness.key(text(position)),
        };
        // Where values are numbers, few are told apart by anything else.
        let keys: Vec<Cow<'_, str>> = match kind {
            Kind::Text | Kind::Boolean => (0..values.len()).map(key).collect(),
            Kind::Integer | Kind::Decimal | Kind::Date => Vec::new(),
        };
        let key =
            |position: usize| keys.get(position).map_or_else(|| key(position), |own| Cow::Borrowed(&**own));
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        let by_value = |a: usize, b: usize| {
            let by_number = (!gone[a]).cmp(&!gone[b]).then_with(|| numbers[a].total_cmp(&numbers[b]));
            by_number.then_with(|| key(a).cmp(&key(b)))
        };
        let compare = |&a: &u32, &b: &u32| {
            let (a, b) = (a as usize, b as usize);
            by_value(a, b).then_with(|| match gone[a] {
                true => text(a).cmp(text(b)),
                false => sameness.plainness(text(a), text(b)),
            })
        };
        match order.len() > 1 << 14 {
            true => order.par_sort_unstable_by(compare),
            false => order.sort_unstable_by(compare),
        }
        let mut code_of = vec![0; values.len()];
        let mut chosen: Vec<u32> = Vec::new();
        let mut missing = 0;
        let mut before: Option<usize> = None;
        for &position in &order {
            let position = position as usize;
            if before.is_none_or(|before| by_value(before, position).is_ne()) {
                chosen.push(position as u32);
                missing += u32::from(gone[position]);
            }
            code_of[position] = chosen.len() as u32 - 1;
            before = Some(position);
        }
        let is_other = |position: &&u32| {
            let position = **position as usize;
            gone[position]
                && !sameness.is_exact()
                && chosen.first().is_some_and(|&first| first as usize != position)
        };
        let mut markers: Vec<Box<str>> =
            order.iter().filter(is_other).map(|&position| text(position as usize).into()).collect();
        markers.dedup();
        if let Some(&first) = chosen.first() {
            markers.retain(|own| **own != *text(first as usize));
        }
        Self { kind, sameness, missing, chosen, code_of, markers }
    }

    /// The domain of the texts that were ordered, and the code of each.
    fn domain(self, values: Vec<Box<str>>) -> (Domain, Vec<u32>) {
        let Self { kind, sameness, missing, chosen, code_of, markers } = self;
        let mut slots = values;
        let text = |position: u32| {
            let text = std::mem::take(&mut slots[position as usize]);
            let trimmed = sameness.trimmed(&text);
            if trimmed.len() == text.len() { text } else { trimmed.into() }
        };
        let values = chosen.into_iter().map(text).collect();
        (Domain { values, missing, kind, sameness, markers }, code_of)
    }
}

/// Finds the values of a column by their texts.
#[derive(Debug, Clone)]
pub struct Finder<'a> {
    sameness: Sameness,
    /// Texts that are found as they are written before others of the same form.
    as_written: HashMap<&'a str, u32>,
    code_of: HashMap<Cow<'a, str>, u32>,
}

impl Finder<'_> {
    /// The code of a text.
    pub fn code(&self, text: &str) -> Option<u32> {
        let as_written = self.as_written.get(text);
        as_written.or_else(|| self.code_of.get(&*self.sameness.key(text))).copied()
    }
}

impl Kind {
    /// The narrowest kind that fits all texts; text when there is none.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut test = KindTest::default();
        for text in texts {
            test.see(text);
            if test.is_settled() {
                break;
            }
        }
        test.kind()
    }

    pub(crate) fn fits(self, text: &str) -> bool {
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

    fn by_value(texts: &[&str], equality: Equality) -> (Vec<String>, Vec<u32>, u32) {
        let values = texts.iter().map(|&text| text.into()).collect();
        let (domain, codes) = Domain::by_value(values, |text| text == "?" || text.is_empty(), equality);
        (domain.texts().iter().map(|text| text.to_string()).collect(), codes, domain.missing())
    }

    #[test]
    fn equal_values_have_one_code_and_the_plainest_text() {
        let (texts, codes, missing) =
            by_value(&["1e2", "100.0", "?", "7", "100", " ", "007", "-0", "0.0"], Equality::default());
        assert_eq!(texts, ["", "-0", "7", "100"]);
        assert_eq!(codes, [3, 3, 0, 2, 3, 0, 2, 1, 1]);
        assert_eq!(missing, 1, "missing is one value");
        let (texts, codes, missing) = by_value(&["100.0", "?", "100", ""], Equality::EXACT);
        assert_eq!((texts.len(), codes, missing), (4, vec![3, 1, 2, 0], 2));
        let (texts, ..) = by_value(&["01234", "1234", "1234 "], Equality::CODES);
        assert_eq!(texts, ["01234", "1234"]);
        let (texts, codes, _) = by_value(&["Flu", "flu ", "FLU", "gout"], Equality::default());
        assert_eq!((texts.len(), codes), (4, vec![1, 2, 0, 3]));
        let folded = Equality { fold_case: true, ..Equality::default() };
        assert_eq!(by_value(&["Flu", "flu ", "FLU", "gout"], folded).0, ["flu", "gout"]);
    }

    #[test]
    fn values_are_found_however_they_are_written() {
        let values = ["100.0", "7", "?"].map(Box::from).to_vec();
        let (domain, _) = Domain::by_value(values, |text| text == "?", Equality::default());
        let finder = domain.finder();
        for (text, code) in
            [("100", Some(2)), ("1e2", Some(2)), ("07", Some(1)), ("8", None), ("?", Some(0)), ("", None)]
        {
            assert_eq!((domain.code_of(text), finder.code(text)), (code, code), "{text}");
        }
        let others = ["100", "7.0", "9", ""].map(Box::from).to_vec();
        let (joined, codes) = domain.like(others, str::is_empty);
        let expected: Vec<Box<str>> = ["?", "7", "9", "100.0"].map(Box::from).to_vec();
        assert_eq!((joined.texts().to_vec(), codes), (expected, vec![3, 1, 2, 0]));
        let values = ["?", "7", "NA"].map(Box::from).to_vec();
        let (domain, codes) = Domain::by_value(values, |text| text != "7", Equality::default());
        assert_eq!(
            (codes, domain.len(), domain.markers().collect::<Vec<_>>()),
            (vec![0, 1, 0], 2, vec!["?", "NA"])
        );
        assert_eq!((domain.code_of("NA"), domain.finder().code("NA")), (Some(0), Some(0)));
        // Markers that are numbers are markers as they are written, whichever of them stands for all.
        for markers in [&["-9"][..], &["", "-9"]] {
            let values = ["-9.0", "7"].iter().chain(markers).map(|&text| text.into()).collect();
            let (domain, codes) =
                Domain::by_value(values, |text| markers.contains(&text), Equality::default());
            assert_eq!((&codes[..3], domain.len()), (&[1, 2, 0][..], 3));
            let finder = domain.finder();
            for (text, code) in [("-9", 0), ("-9.0", 1), ("-9.00", 1), ("7.0", 2)] {
                assert_eq!((domain.code_of(text), finder.code(text)), (Some(code), Some(code)), "{text}");
            }
        }
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
