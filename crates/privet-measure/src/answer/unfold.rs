//! A release written out for learners that take values and not labels (survey US-11).
//!
//! *Leaf sampling* (i): every label is replaced by one of the values behind it, drawn evenly. *Range encoding* (ii): a column
//! of numbers, days or masked codes becomes two, `.lower` and `.upper`, the ends of its labels; other columns keep their
//! labels, each a category. In buckets, where it is not published who has which sensitive value, the values of a bucket are
//! dealt out to its records at random: one of the tables that the release may have come from.
//!
//! # Guarantee
//! Every drawn value is one that the label may stand for, as far as labels are read rightly; an end that there is not is an
//! empty cell. Labels that cannot be read stay as they are, and their columns are named. Where labels have no end on one
//! side (`>=90`) the end that they have is taken, since nothing tells how far they reach, and their columns are named too. Equal seeds give equal tables. Nothing here tells more than the release:
//! drawn values are no data about people, and what is learned from them is learned from noise too.

use foldhash::HashMap;
use privet_data::{Kind, Random, date_of};

use super::region::whole_below;
use super::{AnswerCells, AnswerColumn, AnswerError, Records, Region, Values};

/// How a release is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfolding {
    /// Every label becomes one of the values behind it.
    Leaves,
    /// Numbers, days and codes become a lower and an upper bound.
    Ranges,
}

/// A release, written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfolded {
    /// Its columns.
    pub columns: Vec<UnfoldedColumn>,
    /// Columns with labels that could not be read and stayed as they are.
    pub unread: Vec<String>,
    /// Columns with labels that have no end on one side, in which the end that they have was written: nothing tells how far the
    /// values behind them reach.
    pub open_ended: Vec<String>,
}

/// A column of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfoldedColumn {
    /// Its name.
    pub name: String,
    /// The different texts.
    pub texts: Vec<Box<str>>,
    /// Per record which of them.
    pub codes: Vec<u32>,
}

/// Texts as they come, each kept once.
#[derive(Default)]
struct Writer {
    number_of: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    codes: Vec<u32>,
}

impl Writer {
    fn write(&mut self, text: &str) {
        let number = match self.number_of.get(text) {
            Some(&number) => number,
            None => {
                let number = self.texts.len() as u32;
                self.texts.push(text.into());
                self.number_of.insert(text.into(), number);
                number
            }
        };
        self.codes.push(number);
    }

    fn column(self, name: impl Into<String>) -> UnfoldedColumn {
        UnfoldedColumn { name: name.into(), texts: self.texts, codes: self.codes }
    }
}

impl Records {
    /// Writes the release out.
    ///
    /// # Errors
    /// When its columns do not fit together.
    pub fn unfold(&self, how: Unfolding, seed: u64) -> Result<Unfolded, AnswerError> {
        self.check()?;
        let mut found = Unfolded { columns: Vec::new(), unread: Vec::new(), open_ended: Vec::new() };
        for (number, column) in (0..).zip(&self.columns) {
            let mut random = Random::stream(seed, number);
            match &column.cells {
                AnswerCells::PerGroup(histograms) => {
                    found.columns.push(self.dealt(column, histograms, &mut random));
                }
                AnswerCells::PerRecord(codes) if how == Unfolding::Ranges && is_ranged(column) => {
                    let ends: Vec<[String; 2]> =
                        (0..column.regions.len() as u32).map(|label| ends(column, label)).collect();
                    for (side, suffix) in [".lower", ".upper"].into_iter().enumerate() {
                        let mut writer = Writer::default();
                        let text = |&code: &u32| ends.get(code as usize).map_or("", |own| own[side].as_str());
                        codes.iter().for_each(|code| writer.write(text(code)));
                        found.columns.push(writer.column(self.free_name(format!("{}{suffix}", column.name))));
                    }
                }
                AnswerCells::PerRecord(codes) => {
                    let mut writer = Writer::default();
                    let mut is_read = true;
                    for &code in codes {
                        let label = column.labels.get(code as usize).map_or("", |label| &**label);
                        match how {
                            Unfolding::Ranges => writer.write(label),
                            Unfolding::Leaves => match drawn(column, code, label, &mut random) {
                                Some(text) => writer.write(&text),
                                None => {
                                    is_read = false;
                                    writer.write(label);
                                }
                            },
                        }
                    }
                    let is_open = |&code: &u32| column.regions.get(code as usize).is_some_and(has_one_end);
                    if how == Unfolding::Leaves && codes.iter().any(is_open) {
                        found.open_ended.push(column.name.clone());
                    }
                    if !is_read {
                        found.unread.push(column.name.clone());
                    }
                    found.columns.push(writer.column(column.name.clone()));
                }
            }
        }
        Ok(found)
    }

    fn free_name(&self, mut name: String) -> String {
        while self.columns.iter().any(|column| column.name == name) {
            name.push('_');
        }
        name
    }

    /// The values of each bucket, in a random order.
    fn dealt(
        &self,
        column: &AnswerColumn,
        histograms: &[Vec<(u32, u64)>],
        random: &mut Random,
    ) -> UnfoldedColumn {
        let expand = |histogram: &Vec<(u32, u64)>| -> Vec<u32> {
            histogram.iter().flat_map(|&(code, count)| (0..count).map(move |_| code)).collect()
        };
        let mut left: Vec<Vec<u32>> = histograms.iter().map(expand).collect();
        left.iter_mut().for_each(|values| random.shuffle(values));
        let mut writer = Writer::default();
        for &group in &self.group_of {
            let code = left.get_mut(group as usize).and_then(Vec::pop);
            let text = code.and_then(|code| column.values.texts().get(code as usize));
            writer.write(text.map_or("", |text| &**text));
        }
        writer.column(column.name.clone())
    }
}

/// Whether a column is better told by the ends of its labels.
fn is_ranged(column: &AnswerColumn) -> bool {
    let is_single = |region: &Region| matches!(&region.values, Values::Listed(codes) if codes.len() <= 1);
    let numeric = matches!(column.kind, Kind::Integer | Kind::Decimal | Kind::Date);
    let is_code = |(label, region): (usize, &Region)| match &region.values {
        Values::Mask { .. } => column.mask(label as u32).is_some_and(|mask| mask.span().is_some()),
        Values::Unknown { .. } => true,
        // A code that is shown in full.
        Values::Listed(codes) => codes.len() <= 1,
        Values::Range { .. } => false,
    };
    let masked = column.regions.iter().any(|region| matches!(region.values, Values::Mask { .. }))
        && column.regions.iter().enumerate().all(is_code);
    masked || numeric && !column.regions.iter().all(is_single)
}

fn text_of(number: f64, kind: Kind) -> String {
    match kind {
        _ if !number.is_finite() => String::new(),
        Kind::Date if number.abs() < 1e9 => date_of(number as i64),
        _ => number.to_string(),
    }
}

/// The ends of a label; empty where there is none.
fn ends(column: &AnswerColumn, label: u32) -> [String; 2] {
    let nothing = [String::new(), String::new()];
    let Some(region) = column.regions.get(label as usize) else { return nothing };
    match &region.values {
        // The ends of a code are the code, with all its digits.
        Values::Listed(codes) if matches!(column.kind, Kind::Boolean | Kind::Text) => {
            let text = match codes.as_slice() {
                [code] if !column.values.is_missing(*code) => column.values.text(*code),
                _ => "",
            };
            [text.to_owned(), text.to_owned()]
        }
        Values::Listed(codes) => {
            let known = codes.iter().filter_map(|&code| column.values.number(code));
            let low = known.clone().fold(f64::INFINITY, f64::min);
            let high = known.fold(f64::NEG_INFINITY, f64::max);
            [text_of(low, column.kind), text_of(high, column.kind)]
        }
        Values::Range { spread: Some((low, high)), from, to, .. }
            if from.is_infinite() && to.is_infinite() =>
        {
            // A mean is its own bounds; behind `*` nothing is known but where the others lie.
            match low == high {
                true => [text_of(*low, column.kind), text_of(*high, column.kind)],
                false => nothing,
            }
        }
        Values::Range { from, to, open, whole, .. } => {
            let last = if *open && *whole { whole_below(*to) } else { *to };
            [text_of(*from, column.kind), text_of(last, column.kind)]
        }
        Values::Mask { .. } => {
            let text = column.labels.get(label as usize).map_or("", |text| &**text);
            match column.mask(label).and_then(|mask| mask.span()) {
                Some(_) => [text.replace('*', "0"), text.replace('*', "9")],
                None => nothing,
            }
        }
        Values::Unknown { .. } => nothing,
    }
}

/// Whether a label is known to end on one side only.
fn has_one_end(region: &Region) -> bool {
    matches!(&region.values, Values::Range { from, to, spread: None, .. } if from.is_finite() != to.is_finite())
}

/// A value behind a label; `None` when the label cannot be read.
fn drawn(column: &AnswerColumn, code: u32, label: &str, random: &mut Random) -> Option<String> {
    let region = column.regions.get(code as usize)?;
    match &region.values {
        Values::Listed(codes) => {
            let at = if codes.len() > 1 { random.below(codes.len()) } else { 0 };
            match codes.get(at) {
                Some(&code) => Some(column.values.text(code).to_owned()),
                // Nothing but a missing value.
                None => Some(label.to_owned()),
            }
        }
        Values::Range { from, to, open, whole, spread } => {
            let (low, high) = spread.unwrap_or((*from, *to));
            let last = if *open && *whole && spread.is_none() { whole_below(high) } else { high };
            match (low.is_finite(), last.is_finite()) {
                (true, true) if low >= last => Some(match spread {
                    // A mean or a single value, as it is written.
                    Some(_) if column.kind != Kind::Date => label.to_owned(),
                    _ => text_of(low, column.kind),
                }),
                (true, true) if *whole => {
                    let (first, last) = (low.ceil(), last.floor());
                    let many = (last - first + 1.0).clamp(1.0, 1e15);
                    Some(text_of(first + random.below(many as usize) as f64, column.kind))
                }
                (true, true) => {
                    // As many digits as tell a thousand parts of the range from each other.
                    let digits = (3.0 - (last - low).log10().floor()).clamp(0.0, 17.0) as usize;
                    let unit = random.unit();
                    let value = match (last - low).is_finite() {
                        true => low + (last - low) * unit,
                        false => low * (1.0 - unit) + last * unit,
                    };
                    Some(format!("{value:.digits$}"))
                }
                (true, false) => Some(text_of(low, column.kind)),
                (false, true) => Some(text_of(last, column.kind)),
                (false, false) => None,
            }
        }
        Values::Mask { .. } => {
            column.mask(code)?.codes()?;
            let digit = |c: char| match c {
                '*' => char::from_digit(random.below(10) as u32, 10).unwrap_or('0'),
                shown => shown,
            };
            Some(label.chars().map(digit).collect())
        }
        Values::Unknown { expect_label: true, .. } => Some(label.to_owned()),
        Values::Unknown { .. } => None,
    }
}
