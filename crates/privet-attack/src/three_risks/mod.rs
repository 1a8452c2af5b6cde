//! The three risks by which the Article 29 Working Party (Opinion 05/2014, WP216) judges anonymization, as attacks on any table
//! that has the columns of its original: [`singling_out`], [`linkability`] and [`inference`]. They and the design of their
//! controls follow Giomi and others, A unified framework for quantifying privacy risk in synthetic data (2023), whose
//! program is `anonymeter`. [`closest`] asks beside them who is in the data.
//!
//! Each attack is tried on a random sample of people, beside a baseline that guesses at random from what is published, and a
//! control: the same attack on people who are not in the data, or on the same people without the records that came from
//! theirs. What the release adds is [`crate::added::Added`].
//!
//! # Guarantee
//! The adversary takes what is published and what each attack says is known of a person; everything else of the original
//! scores. Rates have Wilson intervals. The same seed gives the same figures on any number of threads. For so many targets
//! time is O(targets · (records · columns + different labels)), so it grows with the records as they do.

pub mod closest;
mod distance;
pub(crate) mod findings;
pub mod inference;
pub mod linkability;
mod settings;
pub mod singling_out;
#[cfg(test)]
mod tests;
mod weights;

use crate::added::Added;
use crate::rate::Rate;

pub use distance::{Nearest, Whose};
pub use findings::{Asked, WORDS};
pub use settings::Risks;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// It is missing.
    Missing,
    /// A number, or a day.
    Number(f64),
    /// One of the values of a column of text, by its code.
    Text,
}

/// What a published label stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Label {
    /// A value is missing.
    Missing,
    /// Numbers from one to another; a number has both ends in common.
    Between(f64, f64),
    /// Any of these values, by their codes, ascending.
    Values(Vec<u32>),
    /// Any value.
    Anything,
}

/// A published column beside that of the original, and that of people who are not in the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What the labels stand for.
    pub labels: Vec<Label>,
    /// Per published record the label.
    pub published: Vec<u32>,
    /// What the values are, of the original and of the control.
    pub values: Vec<Value>,
    /// Per person of the original the value.
    pub original: Vec<u32>,
    /// Per person of the control the value; nothing where the control has not this column.
    pub control: Option<Vec<u32>>,
}

impl Column {
    /// Whether it holds numbers.
    pub fn is_numeric(&self) -> bool {
        self.values.iter().any(|own| matches!(own, Value::Number(_)))
    }

    fn value(&self, code: u32) -> Value {
        self.values.get(code as usize).copied().unwrap_or(Value::Missing)
    }

    fn label(&self, code: u32) -> &Label {
        self.labels.get(code as usize).unwrap_or(&Label::Anything)
    }
}

/// Per person of the original the published records that came from theirs.
pub type OwnRecords<'a> = dyn Fn(u32) -> Vec<u32> + Sync + 'a;

/// A release beside its original and a control, column by column.
pub struct Beside<'a> {
    /// The columns that all have, but for the control.
    pub columns: Vec<Column>,
    /// How many records are published.
    pub records: usize,
    /// How many people the original has.
    pub people: usize,
    /// How many people the control has, where there is one.
    pub strangers: Option<usize>,
    /// Which records came from whose, where that is known.
    pub own: Option<&'a OwnRecords<'a>>,
}

/// How an attack is tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// On how many people, or with how many predicates, at most.
    pub attacks: usize,
    /// The seed of everything that is drawn.
    pub seed: u64,
}

/// With whom people in the data are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// People who are not in the data.
    Strangers,
    /// The same people without the records that came from theirs.
    WithoutOwn,
}

/// How often an attack succeeded.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// On people in the data.
    pub attack: Rate,
    /// By guessing at random from what is published.
    pub baseline: Rate,
    /// On the control.
    pub control: Option<(Compared, Rate)>,
}

impl Tried {
    /// What the release adds, where there is a control.
    pub fn added(&self) -> Option<Added> {
        self.control.as_ref().map(|(_, control)| Added::of(&self.attack, control))
    }
}

impl Beside<'_> {
    /// The columns with these names, by their places; those that there are not are left out.
    pub fn places<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<usize> {
        names.into_iter().filter_map(|name| self.columns.iter().position(|own| own.name == name)).collect()
    }

    /// How many people the control has, where it has all of these columns.
    pub fn strangers_with(&self, columns: &[usize]) -> Option<usize> {
        let has = |at: &usize| self.columns.get(*at).is_some_and(|own| own.control.is_some());
        self.strangers.filter(|count| *count > 0 && columns.iter().all(has))
    }
}

/// So many different numbers below `of`, drawn at random, ascending.
fn sample(of: usize, most: usize, seed: u64, stream: u64) -> Vec<u32> {
    let mut all: Vec<u32> = (0..of as u32).collect();
    if of > most {
        privet_data::Random::stream(seed, stream).shuffle(&mut all);
        all.truncate(most);
        all.sort_unstable();
    }
    all
}
