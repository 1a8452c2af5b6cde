//! What can be seen of a column without knowing what it means: kind, counts, uniqueness, pattern.

use privet_data::{Column, Kind};

use super::pattern::Pattern;

/// How many distinct values are looked at for a pattern.
const SAMPLE: usize = 1_000;

/// More distinct numbers than this are a measure and no numbers of categories.
const MOST_CODES: usize = 60;

/// A column as the guesses see it. Markers of a missing value are left out everywhere.
#[derive(Debug)]
pub(super) struct Profile<'a> {
    column: &'a Column,
    /// The distinct values that occur, in canonical order of the kind, each with its number of records.
    values: Vec<(&'a str, u64)>,
    /// Records with a value.
    pub(super) present: u64,
    /// What the values are.
    pub(super) kind: Kind,
    /// What most of them look like.
    pub(super) pattern: Option<Pattern>,
    /// Mean length of a distinct value in characters.
    pub(super) mean_length: f64,
    /// The length in bytes that all values share.
    pub(super) same_length: Option<usize>,
}

impl<'a> Profile<'a> {
    pub(super) fn new(column: &'a Column, is_missing: impl Fn(&str) -> bool) -> Self {
        let domain = &column.domain;
        let mut counts = vec![0_u64; domain.len()];
        for &code in &column.codes {
            if let Some(count) = counts.get_mut(code as usize) {
                *count += 1;
            }
        }
        let mut values: Vec<(&str, u64)> = (domain.missing()..domain.len() as u32)
            .map(|code| (domain.text(code), counts[code as usize]))
            .filter(|(text, count)| *count > 0 && !is_missing(text))
            .collect();
        let kind = Kind::of(values.iter().map(|v| v.0));
        if kind != domain.kind() {
            values.sort_by(|a, b| kind.order(a.0, b.0));
        }
        let present = values.iter().map(|v| v.1).sum();
        let step = values.len().div_ceil(SAMPLE).max(1);
        // Plain numbers and dates need no pattern, but a number may be one of a card or a telephone.
        let pattern = match kind {
            Kind::Decimal | Kind::Date | Kind::Boolean => None,
            Kind::Integer | Kind::Text => Pattern::of(&values.iter().step_by(step).map(|v| v.0)),
        };
        let characters: usize = values.iter().map(|v| v.0.chars().count()).sum();
        let mean_length = characters as f64 / values.len().max(1) as f64;
        let first_length = values.first().map(|v| v.0.len());
        let same_length = first_length.filter(|&length| values.iter().all(|v| v.0.len() == length));
        Self { column, values, present, kind, pattern, mean_length, same_length }
    }

    /// The name of the column.
    pub(super) fn name(&self) -> &'a str {
        &self.column.name
    }

    /// All records.
    pub(super) fn records(&self) -> usize {
        self.column.codes.len()
    }

    /// The number of distinct values.
    pub(super) fn distinct(&self) -> usize {
        self.values.len()
    }

    /// Distinct values per record with a value: 1 when each has its own.
    pub(super) fn uniqueness(&self) -> f64 {
        self.values.len() as f64 / self.present.max(1) as f64
    }

    /// The share of the records with a value that have the most frequent one.
    pub(super) fn most_frequent(&self) -> f64 {
        self.values.iter().map(|v| v.1).max().unwrap_or(0) as f64 / self.present.max(1) as f64
    }

    /// Whether the numbers are numbers of categories: few whole ones from 0 or so on, and hardly one left out.
    pub(super) fn may_be_codes(&self) -> bool {
        let span = self.range().map_or(f64::INFINITY, |(least, greatest)| greatest - least + 1.0);
        self.kind == Kind::Integer
            && self.values.len() <= MOST_CODES
            && self.range().is_some_and(|(least, _)| (-3.0..=2.0).contains(&least))
            && span <= 2.0 * self.values.len() as f64 + 2.0
    }

    /// Distinct values with their number of records.
    pub(super) fn values(&self) -> &[(&'a str, u64)] {
        &self.values
    }

    /// The number below which this share of the records lies; `None` when the values are no numbers or dates.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = share * self.present as f64;
        let mut below = 0.0;
        for (text, count) in &self.values {
            below += *count as f64;
            if below >= wanted {
                return self.kind.number(text);
            }
        }
        self.values.last().and_then(|(text, _)| self.kind.number(text))
    }

    /// The least and the greatest number.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        let number = |v: Option<&(&str, u64)>| v.and_then(|(text, _)| self.kind.number(text));
        Some((number(self.values.first())?, number(self.values.last())?))
    }

    /// Whether the numbers are codes: zeros lead some of them, and all have the same length.
    pub(super) fn is_code(&self) -> bool {
        self.kind == Kind::Integer
            && self.same_length.is_some_and(|length| length > 1)
            && self.values.iter().any(|v| v.0.starts_with('0'))
    }

    /// Whether the numbers count the records: no number twice, and hardly one left out.
    pub(super) fn is_running_number(&self) -> bool {
        self.kind == Kind::Integer
            && self.values.len() as u64 == self.present
            && self.range().is_some_and(|(least, greatest)| greatest - least < 1.1 * self.present as f64)
    }
}
