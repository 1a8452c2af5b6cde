//! Numbers and dates as spreadsheets and countries spell them: `1.234,50 €`, `12,5 %`, `31.12.1999`, `12/31/1999`.
//!
//! Where a table is read with a [`Spelling`] for a column, its cells become plain: `1234.50`, `12.5`, `1999-12-31`, so that
//! numbers are numbers and dates are dates to hierarchies, criteria, attacks and readers alike. Nothing is guessed while
//! reading: a cell that is spelled otherwise is an error. [`Spelling::of`] finds a spelling that reads all values in one way
//! only, and none where two would read them differently.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::error::ReadErrorKind;
use super::options::ReadOptions;
use crate::{Cells, Column, Domain, Kind, Table};

/// How the numbers or dates of a column are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// `1.234,5`, `1 234,5`, `1'234,5`; a unit may stand beside the number.
    DecimalComma,
    /// `1,234.5`, `1 234.5`, `1'234.5`; a unit may stand beside the number.
    DecimalPoint,
    /// `31.12.1999`, `31/12/1999`, `31-12-1999`, `31 Dec 1999`; a time of day may follow.
    DayMonthYear,
    /// `12/31/1999`, `12-31-1999`, `Dec 31, 1999`; a time of day may follow.
    MonthDayYear,
    /// `1999/12/31`, `1999.12.31`, `19991231`; a time of day may follow.
    YearMonthDay,
}

/// In the order in which they are tried.
const ALL: [Spelling; 5] = [
    Spelling::DecimalComma,
    Spelling::DecimalPoint,
    Spelling::YearMonthDay,
    Spelling::DayMonthYear,
    Spelling::MonthDayYear,
];

/// The first three letters of the months in the languages that exports write them in, `ä` and the like without accents.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen"],
    &["feb", "fev"],
    &["mar", "mrz", "mae", "maa", "mrt"],
    &["apr", "avr", "abr"],
    &["may", "mai", "mag", "mei", "maj"],
    &["jun", "giu"],
    &["jul", "lug"],
    &["aug", "aou", "ago"],
    &["sep", "set"],
    &["oct", "okt", "ott", "out"],
    &["nov"],
    &["dec", "dez", "dic"],
];

/// Marks of currencies that stand beside a number, besides codes of three letters.
const CURRENCIES: [&str; 16] =
    ["€", "$", "£", "¥", "₹", "₽", "₺", "₩", "₪", "₫", "kr", "kr.", "zł", "Kč", "Ft", "R$"];

impl Spelling {
    /// The word used in job files.
    pub fn word(self) -> &'static str {
        match self {
            Spelling::DecimalComma => "decimal-comma",
            Spelling::DecimalPoint => "decimal-point",
            Spelling::DayMonthYear => "day-month-year",
            Spelling::MonthDayYear => "month-day-year",
            Spelling::YearMonthDay => "year-month-day",
        }
    }

    /// Every word, for messages.
    pub const WORDS: &'static str =
        "decimal-comma, decimal-point, day-month-year, month-day-year or year-month-day";

    /// The cell in its plain form, and the unit that stood beside it; `None` when it is spelled otherwise.
    pub fn plain(self, text: &str) -> Option<(String, Unit)> {
        match self {
            Spelling::DecimalComma => number(text, ',', '.'),
            Spelling::DecimalPoint => number(text, '.', ','),
            dates => date(text, dates).map(|date| (date, Unit::None)),
        }
    }

    /// The spelling of these values, when they are not plain already and one spelling reads all of them, and no other does so
    /// differently.
    ///
    /// ```
    /// use privet_data::io::Spelling;
    /// assert_eq!(Spelling::of(["1.234,50 €", "7,00 €"].into_iter()), Some(Spelling::DecimalComma));
    /// assert_eq!(Spelling::of(["31.12.1999", "01.02.2003"].into_iter()), Some(Spelling::DayMonthYear));
    /// // May be the 3rd of April and may be the 4th of March.
    /// assert_eq!(Spelling::of(["03/04/2003"].into_iter()), None);
    /// ```
    pub fn of<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        if values.clone().next().is_none()
            || Kind::of(values.clone()) != Kind::Text && !compact_dates(&values)
        {
            return None;
        }
        let read = |spelling: Spelling| -> Option<Vec<String>> {
            let mut units = BTreeSet::new();
            let mut plain = Vec::new();
            for value in values.clone() {
                let (text, unit) = spelling.plain(value)?;
                units.insert(unit);
                plain.push(text);
            }
            (units.len() == 1).then_some(plain)
        };
        let readings: Vec<(Spelling, Vec<String>)> =
            ALL.into_iter().filter_map(|spelling| Some((spelling, read(spelling)?))).collect();
        let (first, rest) = readings.split_first()?;
        rest.iter().all(|other| other.1 == first.1).then_some(first.0)
    }
}

/// Whole numbers that are dates without separators: eight digits, all of a plausible year.
fn compact_dates<'a>(values: &(impl Iterator<Item = &'a str> + Clone)) -> bool {
    let is_one = |text: &str| {
        text.len() == 8
            && ("1850".."2150").contains(&text.get(..4).unwrap_or_default())
            && date(text, Spelling::YearMonthDay).is_some()
    };
    let mut distinct = BTreeSet::new();
    values.clone().all(|text| {
        distinct.insert(text);
        is_one(text)
    }) && distinct.len() >= 10
}

/// What a number is a number of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Nothing stood beside it.
    None,
    /// `%`.
    Percent,
    /// `‰`.
    PerMille,
    /// A currency.
    Currency(Box<str>),
}

/// The number without its unit.
fn split_unit(text: &str) -> Option<(&str, Unit)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let first = text.find(is_digit)?;
    let last = text.rfind(is_digit)?;
    // Signs and brackets belong to the number, and so does a point or comma before its first digit.
    let start = text[..first].trim_end_matches(['+', '-', '−', '(', '.', ',']).len();
    let end = text.len() - text[last + 1..].trim_start_matches(['-', ')']).len();
    let (before, after) = (trim(&text[..start]), trim(&text[end..]));
    // A sign may stand before the currency: -$5.
    let (sign, before) = match before.strip_prefix(['-', '−']) {
        Some(rest) => ("-", trim(rest)),
        None => ("", before),
    };
    let unit = match (before, after) {
        ("", "") => Unit::None,
        ("", "%") => Unit::Percent,
        ("", "‰") => Unit::PerMille,
        ("", word) | (word, "") if is_currency(word) => Unit::Currency(word.into()),
        _ => return None,
    };
    match sign {
        "" => Some((&text[start..end], unit)),
        // Between sign and digits stands the currency alone.
        _ if text[start..end].starts_with(is_digit) => {
            Some((&text[start..end], Unit::Currency(format!("-{before}").into())))
        }
        _ => None,
    }
}

fn is_currency(word: &str) -> bool {
    CURRENCIES.contains(&word) || (word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase()))
}

fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}'))
}

/// A number with this decimal mark; `other` is the mark that may part thousands besides blanks and apostrophes.
fn number(text: &str, decimal: char, other: char) -> Option<(String, Unit)> {
    let (digits, unit) = split_unit(trim(text))?;
    // `-$5`: the sign was taken off with the unit.
    let (signed, unit) = match unit {
        Unit::Currency(word) => match word.strip_prefix('-') {
            Some(word) => (true, Unit::Currency(word.into())),
            None => (false, Unit::Currency(word)),
        },
        unit => (false, unit),
    };
    let digits = trim(digits);
    let (negative, digits) = match digits.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => (true, inner),
        None => match (digits.strip_prefix(['-', '−']), digits.strip_suffix('-'), digits.strip_prefix('+'))
        {
            (Some(rest), None, _) => (true, rest),
            (None, Some(rest), _) => (true, rest),
            (None, None, Some(rest)) => (false, rest),
            (None, None, None) => (false, digits),
            _ => return None,
        },
    };
    if signed && negative {
        return None;
    }
    let (whole, fraction) = match digits.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let marks = [other, ' ', '\u{a0}', '\u{202f}', '\u{2009}', '\'', '’'];
    let mut plain = String::with_capacity(digits.len() + 1);
    if signed || negative {
        plain.push('-');
    }
    match whole.find(marks) {
        None if is_digits(whole) => plain.push_str(whole),
        None if whole.is_empty() && fraction.is_some() => plain.push('0'),
        None => return None,
        Some(at) => {
            // One mark throughout, and groups of three digits behind it.
            let mark = whole[at..].chars().next()?;
            let mut groups = whole.split(mark);
            let leading = groups.next().filter(|group| is_digits(group) && group.len() <= 3)?;
            plain.push_str(leading);
            for group in groups {
                if group.len() != 3 || !is_digits(group) {
                    return None;
                }
                plain.push_str(group);
            }
        }
    }
    if let Some(fraction) = fraction {
        if !is_digits(fraction) {
            return None;
        }
        plain.push('.');
        plain.push_str(fraction);
    }
    Some((plain, unit))
}

/// A date in this order as `YYYY-MM-DD`, with the time of day that follows it.
fn date(text: &str, order: Spelling) -> Option<String> {
    let text = trim(text);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (day_part, time) = split_time(text)?;
    let parts: Vec<&str> = if order == Spelling::YearMonthDay && day_part.len() == 8 && is_number(day_part) {
        vec![&day_part[..4], &day_part[4..6], &day_part[6..]]
    } else {
        let separators = |c: char| matches!(c, '.' | '/' | '-' | ' ' | ',' | '\u{a0}');
        day_part.split(separators).filter(|part| !part.is_empty()).collect()
    };
    let [first, second, third] = *parts.as_slice() else { return None };
    let (year, month, day) = match order {
        // A year in front leaves nothing in doubt.
        _ if first.len() == 4 && is_number(first) => (first, second, third),
        Spelling::DayMonthYear => (third, second, first),
        Spelling::MonthDayYear => (third, first, second),
        _ => return None,
    };
    if year.len() != 4 || !is_number(year) || !is_number(day) || day.len() > 2 {
        return None;
    }
    let month: u32 =
        if is_number(month) && month.len() <= 2 { month.parse().ok()? } else { month_named(month)? };
    let date = format!("{year}-{month:02}-{:02}", day.parse::<u32>().ok()?);
    let plain = match time {
        Some(time) => format!("{date}T{time}"),
        None => date,
    };
    // The calendar decides: no 31st of April.
    (Kind::of(std::iter::once(plain.as_str())) == Kind::Date).then_some(plain)
}

/// A date and the time of day behind it as `HH:MM[:SS]`. Midnight, which spreadsheets add to dates, is no time.
fn split_time(text: &str) -> Option<(&str, Option<String>)> {
    let Some(colon) = text.find(':') else { return Some((text, None)) };
    let start = text[..colon].rfind([' ', 'T'])?;
    let (day, time) = (text[..start].trim_end_matches([',', ' ']), &text[start + 1..]);
    let (clock, afternoon) = match time.to_ascii_lowercase() {
        time if time.ends_with("am") => (time.trim_end_matches("am").trim().to_owned(), Some(false)),
        time if time.ends_with("pm") => (time.trim_end_matches("pm").trim().to_owned(), Some(true)),
        time => (time, None),
    };
    let mut parts = clock.split(':');
    let mut next = |most: u32| -> Option<u32> { parts.next()?.parse().ok().filter(|&part| part <= most) };
    let hour = next(23)?;
    let minute = next(59)?;
    let second = match parts.next() {
        None => 0,
        Some(part) => part.split('.').next()?.parse::<u32>().ok().filter(|&second| second <= 60)?,
    };
    if parts.next().is_some() {
        return None;
    }
    let hour = match afternoon {
        None => hour,
        Some(afternoon) if (1..=12).contains(&hour) => hour % 12 + if afternoon { 12 } else { 0 },
        Some(_) => return None,
    };
    let time = (hour, minute, second) != (0, 0, 0);
    Some((day, time.then(|| format!("{hour:02}:{minute:02}:{second:02}"))))
}

fn month_named(word: &str) -> Option<u32> {
    let letters: String = word
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            'é' | 'è' | 'ê' => 'e',
            'ä' | 'á' | 'à' => 'a',
            'û' | 'ú' => 'u',
            other => other,
        })
        .take(3)
        .collect();
    let is_word = word.chars().count() >= 3 && word.chars().all(char::is_alphabetic);
    let number = || (1..).zip(MONTHS).find(|(_, names)| names.contains(&&*letters)).map(|(number, _)| number);
    // French has two months that begin with the same letters.
    match letters.as_str() {
        _ if !is_word => None,
        "jui" => Some(if word.to_lowercase().starts_with("juil") { 7 } else { 6 }),
        _ => number(),
    }
}

/// Makes the cells of columns with a spelling plain. Where a column has one code for each entry in place of one for each
/// record, errors tell no record.
pub(super) fn apply(table: &mut Table, options: &ReadOptions) -> Result<(), ReadErrorKind> {
    for column in &mut table.columns {
        if let Some(&spelling) = options.spelling_of.get(&column.name) {
            respell(column, spelling, options, column.codes.len() == table.rows)?;
        }
    }
    Ok(())
}

/// As [`apply`], but a column with a value that is spelled otherwise stays as it is.
pub(super) fn apply_where_it_reads(table: &mut Table, options: &ReadOptions) {
    for column in &mut table.columns {
        if let Some(&spelling) = options.spelling_of.get(&column.name) {
            // A column is left as it was when an error is found.
            let _ = respell(column, spelling, options, column.codes.len() == table.rows);
        }
    }
}

/// Makes the cells of a column plain.
fn respell(
    column: &mut Column,
    spelling: Spelling,
    options: &ReadOptions,
    has_records: bool,
) -> Result<(), ReadErrorKind> {
    let domain = &column.domain;
    let mut texts: Vec<Box<str>> = Vec::with_capacity(domain.len());
    let mut place_of = std::collections::HashMap::new();
    let mut text_of = Vec::with_capacity(domain.len());
    let mut otherwise = vec![false; domain.len()];
    let mut units: Vec<(Unit, u32)> = Vec::new();
    for code in 0..domain.len() as u32 {
        let text = domain.text(code);
        let plain: Box<str> = if domain.is_missing(code) {
            text.into()
        } else if let Some((plain, unit)) = spelling.plain(text) {
            if !units.iter().any(|(known, _)| *known == unit) {
                units.push((unit, code));
            }
            plain.into()
        } else {
            otherwise[code as usize] = true;
            text.into()
        };
        text_of.push(*place_of.entry(plain).or_insert_with_key(|text| {
            texts.push(text.clone());
            texts.len() - 1
        }));
    }
    let first_with = |is: &dyn Fn(u32) -> bool| {
        let place = column.codes.iter().position(|&code| is(code)).filter(|_| has_records);
        place.map_or_else(String::new, |place| format!(", first in record {}", place + 1))
    };
    let values = otherwise.iter().filter(|&&own| own).count();
    if values > 0 && !options.cell_by_cell {
        return Err(ReadErrorKind::Spelling {
            column: column.name.clone(),
            spelling: spelling.word(),
            values,
            distinct: domain.len() - domain.missing() as usize,
            first: first_with(&|code| otherwise[code as usize]),
        });
    }
    // A number without a unit beside others with a currency is one of that currency; beside percents it may be a share.
    let counts: Vec<&Unit> = units.iter().map(|(unit, _)| unit).collect();
    let currencies = counts.iter().filter(|unit| matches!(unit, Unit::Currency(_))).count();
    let others = counts.len() - currencies - usize::from(counts.contains(&&Unit::None));
    if !options.cell_by_cell && (currencies > 1 || others > 1 || (others == 1 && counts.len() > 1)) {
        let unit_of = |code: u32| spelling.plain(domain.text(code)).map(|(_, unit)| unit);
        let first =
            column.codes.iter().find_map(|&code| (!domain.is_missing(code)).then(|| unit_of(code)).flatten());
        let differs = |code: u32| !domain.is_missing(code) && unit_of(code) != first;
        return Err(ReadErrorKind::Units {
            column: column.name.clone(),
            units: counts.len(),
            first: first_with(&differs),
        });
    }
    let missing: Vec<Box<str>> = (0..domain.missing()).map(|code| domain.text(code).into()).collect();
    let markers: Vec<Box<str>> = domain.markers().map(Into::into).collect();
    let is_missing = |text: &str| {
        options.is_missing(text) || missing.iter().chain(&markers).any(|marker| **marker == *text)
    };
    let more: Vec<Box<str>> =
        markers.iter().filter(|&marker| !place_of.contains_key(marker)).cloned().collect();
    texts.extend(more);
    let (respelled, code_of) = Domain::by_value(texts, is_missing, options.equality_in(&column.name));
    column.codes.iter_mut().for_each(|code| *code = code_of[text_of[*code as usize]]);
    column.domain = respelled;
    column.cells = Cells::Plain;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_csv_bytes;

    fn plain(spelling: Spelling, text: &str) -> Option<String> {
        spelling.plain(text).map(|(text, _)| text)
    }

    #[test]
    fn numbers_of_countries_become_plain() {
        for (text, expected) in [
            ("1.234,50", "1234.50"),
            ("1.234.567", "1234567"),
            ("1 234,5", "1234.5"),
            ("1\u{a0}234,5 €", "1234.5"),
            ("1'234,5", "1234.5"),
            ("7,5", "7.5"),
            (" -7,5 ", "-7.5"),
            ("7,5-", "-7.5"),
            (",5", "0.5"),
            ("12,5 %", "12.5"),
            ("EUR 12", "12"),
            ("(12,00)", "-12.00"),
        ] {
            assert_eq!(plain(Spelling::DecimalComma, text).as_deref(), Some(expected), "{text}");
        }
        for (text, expected) in [
            ("$1,234.50", "1234.50"),
            ("-$5", "-5"),
            ("1,234,567", "1234567"),
            ("12.5%", "12.5"),
            ("1'234.5", "1234.5"),
        ] {
            assert_eq!(plain(Spelling::DecimalPoint, text).as_deref(), Some(expected), "{text}");
        }
        for text in
            ["1234.5", "1.23,4", "1.2345,6", "12,", "a", "", "1,2,3", "1.234 567", "7,5 Äpfel", "--5", "1e5"]
        {
            assert_eq!(plain(Spelling::DecimalComma, text), None, "{text}");
        }
    }

    #[test]
    fn dates_of_countries_become_plain() {
        for (text, expected) in [
            ("31.12.1999", "1999-12-31"),
            ("1.2.2003", "2003-02-01"),
            ("31/12/1999", "1999-12-31"),
            ("31 Dec 1999", "1999-12-31"),
            ("3. März 2001", "2001-03-03"),
            ("14 juillet 1989", "1989-07-14"),
            ("31.12.1999 00:00", "1999-12-31"),
            ("31.12.1999 13:05", "1999-12-31T13:05:00"),
            ("1999-12-31", "1999-12-31"),
        ] {
            assert_eq!(plain(Spelling::DayMonthYear, text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(
            plain(Spelling::MonthDayYear, "12/31/1999 1:05 PM").as_deref(),
            Some("1999-12-31T13:05:00")
        );
        assert_eq!(plain(Spelling::MonthDayYear, "Dec 31, 1999").as_deref(), Some("1999-12-31"));
        assert_eq!(plain(Spelling::YearMonthDay, "19991231").as_deref(), Some("1999-12-31"));
        for text in ["31.04.1999", "31.12.99", "12/31/1999", "1.2", "x", "32.1.2000"] {
            assert_eq!(plain(Spelling::DayMonthYear, text), None, "{text}");
        }
    }

    #[test]
    fn a_spelling_is_found_only_where_one_reading_is_possible() {
        let of = |texts: &[&str]| Spelling::of(texts.iter().copied());
        assert_eq!(of(&["1,5", "2,25"]), Some(Spelling::DecimalComma));
        assert_eq!(of(&["12,345,678", "1,234"]), Some(Spelling::DecimalPoint));
        // 1234 or 1.234?
        assert_eq!(of(&["1,234", "5,678"]), None);
        assert_eq!(of(&["12/31/1999", "01/02/2000"]), Some(Spelling::MonthDayYear));
        assert_eq!(of(&["31/12/1999", "01/02/2000"]), Some(Spelling::DayMonthYear));
        assert_eq!(of(&["01/02/2000"]), None);
        // Plain already.
        assert_eq!(of(&["1.5", "2"]), None);
        assert_eq!(of(&["1999-12-31"]), None);
        assert_eq!(of(&["12345678", "20000101"]), None);
        assert_eq!(of(&["5 €", "5 $"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_table_is_read_with_its_spellings() {
        let spelled = |text: &str, words: &[(&str, Spelling)]| {
            let options = ReadOptions {
                spelling_of: words.iter().map(|(name, own)| ((*name).to_owned(), *own)).collect(),
                missing: vec![String::new(), "k.A.".into()],
                ..ReadOptions::default()
            };
            read_csv_bytes(text.as_bytes(), &options)
        };
        let words = [("cost", Spelling::DecimalComma), ("day", Spelling::DayMonthYear)];
        let table = "cost;day\n1.234,50 €;31.12.1999\n7 €;1.2.2003\nk.A.;\n1234,5;01.02.2003\n";
        let input = spelled(table, &words).unwrap();
        let [cost, day] = &input.table.columns[..] else { unreachable!() };
        assert_eq!((cost.domain.kind(), day.domain.kind()), (Kind::Decimal, Kind::Date));
        assert_eq!(cost.codes[0], cost.codes[3], "one number however it is spelled");
        assert_eq!(day.codes[1], day.codes[3]);
        assert!(cost.domain.is_missing(cost.codes[2]) && day.domain.is_missing(day.codes[2]));
        let error = spelled("cost;day\n1,5;x\n1,5;31.12.1999\n", &words).unwrap_err().to_string();
        assert!(error.contains("`day`: 1 of its 2 distinct values") && error.contains("record 1"), "{error}");
        // Where records must not depend on each other, such a cell is no number and no error.
        let options =
            ReadOptions { spelling_of: [("cost".to_owned(), words[0].1)].into(), ..ReadOptions::default() };
        let input = read_csv_bytes(b"cost\n1,5\nx\n1,50\n", &options.exactly()).unwrap();
        let texts: Vec<&str> = input.table.columns[0].domain.texts().iter().map(|text| &**text).collect();
        assert_eq!(texts, ["1.5", "1.50", "x"]);
        let error = spelled("cost;day\n1,5 €;\n1,5 $;\n", &words).unwrap_err().to_string();
        assert!(error.contains("2 different units") && error.contains("record 2"), "{error}");
    }
}
