//! What a question gives on the original table, by the definition of SQL.
//!
//! A column is of the kind that all its values are of. Numbers are compared as numbers, days as days, texts as texts; a
//! missing value passes `is null` alone. A constant that cannot be a value and is a published label stands for the values
//! behind the label; that is asked only of columns in which every value has one label.

use std::collections::{BTreeMap, BTreeSet};

use privet_data::Kind;
use privet_measure::answer::{Aggregate, Comparison, Condition, Literal, Order, Question, Test};
use privet_release::Published;

use super::tables::Case;

/// The original records that are asked about, and what is published of them.
pub struct Original {
    pub columns: Vec<Column>,
    rows: usize,
}

/// A column of the original.
pub struct Column {
    pub name: String,
    pub kind: Kind,
    /// Per record its value; `None` where it is missing.
    values: Vec<Option<String>>,
    /// Per record the cell as it stood.
    cells: Vec<String>,
    /// Per record its published label, where one is.
    pub labels: Option<Vec<String>>,
    /// Per label the values behind it, where every value has one label.
    behind: BTreeMap<String, BTreeSet<String>>,
    /// All values of the original, those of suppressed records included.
    known: BTreeSet<String>,
}

impl Column {
    /// One of its values; any text where it has none.
    pub fn some_value(&self, number: usize) -> String {
        self.known.iter().nth(number % self.known.len().max(1)).cloned().unwrap_or_else(|| "x".into())
    }
}

impl Original {
    /// The records of a case that were published, in the order of the release; all of them for counts.
    pub fn new(case: &Case, published: Option<&Published>) -> Self {
        let ids: Vec<usize> = match published {
            None => (0..case.rows.len()).collect(),
            Some(own) => {
                let column = own.table.column("id").unwrap();
                column.codes.iter().map(|&code| column.domain.text(code)[1..].parse().unwrap()).collect()
            }
        };
        let column = |(at, name): (usize, &String)| {
            let is_missing = |text: &str| case.missing.iter().any(|own| own == text);
            let all = || case.rows.iter().map(|row| row[at].as_str()).filter(|text| !is_missing(text));
            let cells: Vec<String> = ids.iter().map(|&id| case.rows[id][at].clone()).collect();
            let values: Vec<Option<String>> =
                cells.iter().map(|text| (!is_missing(text)).then(|| text.clone())).collect();
            let shown = published.and_then(|own| own.table.column(name));
            let labels: Option<Vec<String>> =
                shown.map(|own| own.codes.iter().map(|&code| own.domain.text(code).to_owned()).collect());
            let mut behind: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            let mut label_of: BTreeMap<&str, &str> = BTreeMap::new();
            let mut is_function = true;
            for (label, value) in labels.iter().flatten().zip(&values) {
                let Some(value) = value else { continue };
                is_function &= *label_of.entry(value).or_insert(label) == label;
                behind.entry(label.clone()).or_default().insert(value.clone());
            }
            let level = published
                .and_then(|own| own.manifest.as_ref())
                .and_then(|own| own.data.columns.iter().find(|column| column.name == *name))
                .and_then(|own| own.recoding.as_ref())
                .and_then(|own| own.level);
            if !is_function || level.is_none() {
                behind.clear();
            }
            Column {
                name: name.clone(),
                kind: Kind::of(all()),
                values,
                cells,
                labels,
                behind,
                known: all().map(str::to_owned).collect(),
            }
        };
        Self { columns: case.names.iter().enumerate().map(column).collect(), rows: ids.len() }
    }

    pub fn column(&self, name: &str) -> &Column {
        self.columns.iter().find(|own| own.name == name).unwrap()
    }

    /// The figure of one line; `None` where the original has none.
    pub fn figure(
        &self,
        question: &Question,
        aggregate: &Aggregate,
        group_by: &[String],
        group: &[String],
    ) -> Option<f64> {
        let mut taken = Vec::new();
        for record in 0..self.rows {
            let is_in_line = group_by.iter().zip(group).all(|(name, text)| {
                let column = self.column(name);
                // What is published of each record is its label; else lines are values.
                column.labels.as_ref().map_or(&column.cells, |labels| labels)[record] == *text
            });
            if self.meets(&question.filter, record)? && is_in_line {
                taken.push(record);
            }
        }
        let numbers = |name: &String| -> Option<Vec<f64>> {
            let column = self.column(name);
            if !matches!(column.kind, Kind::Integer | Kind::Decimal) {
                return None;
            }
            Some(taken.iter().filter_map(|&record| column.values[record].as_ref()?.parse().ok()).collect())
        };
        match aggregate {
            Aggregate::Count => Some(taken.len() as f64),
            Aggregate::CountOf(name) => {
                let column = self.column(name);
                Some(taken.iter().filter(|&&record| column.values[record].is_some()).count() as f64)
            }
            Aggregate::Sum(name) => Some(numbers(name)?.iter().sum()),
            Aggregate::Average(name) => {
                let own = numbers(name)?;
                (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
            }
        }
    }

    fn meets(&self, condition: &Condition, record: usize) -> Option<bool> {
        match condition {
            // Every part is looked at, so that what has no meaning is noticed.
            Condition::All(parts) => {
                parts.iter().try_fold(true, |all, part| Some(self.meets(part, record)? && all))
            }
            Condition::Any(parts) => {
                parts.iter().try_fold(false, |any, part| Some(self.meets(part, record)? || any))
            }
            Condition::Test(test) => self.passes(test, record),
        }
    }

    fn passes(&self, test: &Test, record: usize) -> Option<bool> {
        let column = self.column(&test.column);
        let Some(text) = &column.values[record] else {
            // A constant must have a meaning even where the value is missing.
            self.compare(column, &test.comparison, "")?;
            return Some(matches!(test.comparison, Comparison::IsNull) && !test.negated);
        };
        Some(self.compare(column, &test.comparison, text)? != test.negated)
    }

    fn compare(&self, column: &Column, comparison: &Comparison, text: &str) -> Option<bool> {
        match comparison {
            Comparison::IsNull => Some(false),
            Comparison::Like(form) => Some(like(text.as_bytes(), form.as_bytes())),
            Comparison::Order(order, literal) => {
                let numeric = matches!(column.kind, Kind::Integer | Kind::Decimal | Kind::Date);
                let ordering = match literal {
                    _ if numeric => {
                        number(column.kind, text).partial_cmp(&Some(constant(column.kind, literal)?))
                    }
                    Literal::Number(own, _) => {
                        text.parse::<f64>().ok().and_then(|text| text.partial_cmp(own))
                    }
                    Literal::Text(own) => Some(text.cmp(own.as_str())),
                };
                Some(ordering.is_some_and(|own| match order {
                    Order::Less => own.is_lt(),
                    Order::AtMost => own.is_le(),
                    Order::Greater => own.is_gt(),
                    Order::AtLeast => own.is_ge(),
                }))
            }
            Comparison::In(list) => {
                let mut is = false;
                for literal in list {
                    is |= self.equals(column, literal, text)?;
                }
                Some(is)
            }
        }
    }

    fn equals(&self, column: &Column, literal: &Literal, text: &str) -> Option<bool> {
        let (Literal::Number(_, written) | Literal::Text(written)) = literal;
        if matches!(column.kind, Kind::Integer | Kind::Decimal | Kind::Date) {
            if let Some(constant) = constant(column.kind, literal) {
                return Some(number(column.kind, text) == Some(constant));
            }
        } else if column.known.contains(written) || !column.behind.contains_key(written) {
            let same = text == written || column.kind == Kind::Boolean && text.eq_ignore_ascii_case(written);
            // A published label of a column in which values have several.
            let is_label = column.labels.iter().flatten().any(|label| label == written);
            return (column.known.contains(written) || !is_label).then_some(same);
        }
        Some(column.behind.get(written)?.contains(text))
    }
}

fn number(kind: Kind, text: &str) -> Option<f64> {
    match kind {
        Kind::Date => kind.number(text),
        _ => text.parse().ok(),
    }
}

fn constant(kind: Kind, literal: &Literal) -> Option<f64> {
    match (kind, literal) {
        (Kind::Date, Literal::Number(..)) => None,
        (_, Literal::Number(own, _)) => Some(*own),
        (_, Literal::Text(own)) => number(kind, own).filter(|own| own.is_finite()),
    }
}

/// SQL's `like` on texts of one byte a character, by trying.
fn like(text: &[u8], form: &[u8]) -> bool {
    match form {
        [] => text.is_empty(),
        [b'%', rest @ ..] => (0..=text.len()).any(|from| like(&text[from..], rest)),
        [b'_', rest @ ..] => !text.is_empty() && like(&text[1..], rest),
        [own, rest @ ..] => text.first() == Some(own) && like(&text[1..], rest),
    }
}
