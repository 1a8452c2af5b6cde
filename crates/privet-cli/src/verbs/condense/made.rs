//! Condensed records as tables: what will be written, beside what it was made from, so that it can be attacked first.

use std::borrow::Cow;
use std::collections::HashMap;

use privet_data::Table;
use privet_recode::condense::{Condensed, CondensedGroup};

use super::gate;
use super::input::{Input, Precision, number_text};

/// Records that were drawn, and how they are written.
pub struct Made<'a> {
    /// What was drawn.
    pub found: &'a Condensed,
    /// The classes.
    pub labels: &'a Labels,
    /// How exactly each column is written.
    pub decimals: &'a [Precision],
    /// Where the columns came from.
    pub input: &'a Input<'a>,
}

impl Made<'_> {
    /// What will be written, as a table.
    pub fn synthetic(&self) -> Table {
        let width = self.input.dimension();
        let records = || self.found.groups.iter().flat_map(|own| own.records.chunks_exact(width));
        let text = |at: usize| {
            let precision = self.decimals.get(at).copied().unwrap_or(Precision::Three);
            // `7.50` is 7.5 to whoever reads it.
            let plain = |x: f64| {
                let text = number_text(x, precision);
                text.parse::<f64>().map_or(text, |x| x.to_string())
            };
            records().map(|record| plain(record.get(at).copied().unwrap_or(f64::NAN))).collect()
        };
        let class = |group: &CondensedGroup| {
            let label = self.labels.text(group.class.unwrap_or(0)).to_owned();
            std::iter::repeat_n(label, group.records.len() / width.max(1))
        };
        let classes = || self.found.groups.iter().flat_map(class).collect();
        self.columns(text, self.input.class_name().map(|_| classes()))
    }

    /// What they were made from, as a table.
    pub fn original(&self, values: &[f64], classes: Option<&[u32]>) -> Table {
        let width = self.input.dimension();
        let text = |at: usize| values.iter().skip(at).step_by(width).map(f64::to_string).collect();
        let labels = |own: &[u32]| own.iter().map(|&label| self.labels.text(label).to_owned()).collect();
        self.columns(text, classes.map(labels))
    }

    fn columns(&self, text: impl Fn(usize) -> Vec<String>, classes: Option<Vec<String>>) -> Table {
        let numbers = (0..self.input.dimension()).map(|at| (self.input.name(at), text(at)));
        gate::table(numbers.chain(self.input.class_name().zip(classes)).collect())
    }
}

/// Labels of classes, numbered in the order in which they first appear.
#[derive(Debug, Default)]
pub struct Labels {
    numbers: HashMap<String, u32>,
    /// The labels.
    pub texts: Vec<String>,
}

impl Labels {
    /// The number of a label, which is new when nobody had it.
    pub fn number(&mut self, text: Cow<'_, str>) -> u32 {
        if let Some(&number) = self.numbers.get(&*text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.clone().into_owned());
        self.numbers.insert(text.into_owned(), number);
        number
    }

    /// The label of a number.
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }
}
