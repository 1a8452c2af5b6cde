//! A sensitive column bound to its place in a class, as the constructors of criteria need it.

use crate::SensitiveColumn;

/// What the records of a group have in common: promises speak of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// Equivalence classes: their records share the quasi-identifiers.
    #[default]
    Classes,
    /// Buckets: their records need not look alike.
    Buckets,
    /// Spans of a model: people of whom it says the same, as far as public attributes decide.
    Spans,
}

impl Grouping {
    /// Every group, as the subject of a sentence.
    pub(crate) fn every(self) -> &'static str {
        match self {
            Self::Classes => "Every group of published records that share their quasi-identifiers",
            Self::Buckets => "Every bucket",
            Self::Spans => "Every group of people with the same span",
        }
    }

    /// In every group, as the beginning of a sentence.
    pub(crate) fn in_every(self) -> &'static str {
        match self {
            Self::Classes => "In every group of published records that share their quasi-identifiers",
            Self::Buckets => "In every bucket",
            Self::Spans => "In every group of people with the same span",
        }
    }

    /// Every group whose records share something else besides, up to that.
    pub(crate) fn every_with_the_same(self) -> &'static str {
        match self {
            Self::Classes => {
                "Every group of published records that share their quasi-identifiers and also the same"
            }
            Self::Buckets => "Every group of published records that share their bucket and also the same",
            Self::Spans => "Every group of people with the same span and also the same",
        }
    }
}

/// A sensitive column and the position of its histogram in a class.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    pub position: usize,
    pub column: SensitiveColumn<'a>,
}

impl Bound<'_> {
    /// Its name.
    pub fn name(&self) -> String {
        self.column.name.to_owned()
    }

    /// How many distinct values the input has.
    pub fn distinct(&self) -> u64 {
        self.column.counts.iter().filter(|&&count| count > 0).count() as u64
    }

    /// How many records the input has.
    pub fn total(&self) -> u64 {
        self.column.counts.iter().sum()
    }

    /// Per code its share of the input.
    pub fn shares(&self) -> Vec<f64> {
        let total = self.total().max(1) as f64;
        self.column.counts.iter().map(|&count| count as f64 / total).collect()
    }

    /// The codes of texts; `None` for a text that the column does not hold.
    pub fn codes<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<Option<u32>> {
        let finder = self.column.domain.finder();
        texts.map(|text| finder.code(text)).collect()
    }

    /// Per code whether it is listed under this key of the requirement.
    ///
    /// # Errors
    /// When the list names values that the column does not hold; the error says how many.
    pub fn listed(&self, key: &str, values: &[String]) -> Result<Vec<bool>, String> {
        let mut listed = vec![false; self.column.domain.len()];
        let mut unknown = 0;
        for code in self.codes(values.iter().map(String::as_str)) {
            match code {
                Some(code) => listed[code as usize] = true,
                None => unknown += 1,
            }
        }
        self.all_known(key, unknown, values.len())?;
        Ok(listed)
    }

    /// A promise about a value that is misspelt would be weaker than it says.
    fn all_known(&self, key: &str, unknown: usize, named: usize) -> Result<(), String> {
        match unknown {
            0 => Ok(()),
            _ => Err(format!(
                "{key} names {unknown} of {named} values that column {} does not hold; every value must be written \
                 as it stands in the data",
                self.column.name
            )),
        }
    }

    /// Per code the list it stands in, of the lists under this key.
    ///
    /// # Errors
    /// When a value of the column stands in two lists, or a list names values that the column does not hold; the error says
    /// how many.
    pub fn grouped<'t>(
        &self,
        (key, word): (&str, &str),
        lists: impl Iterator<Item = &'t [String]>,
    ) -> Result<Vec<Option<u32>>, String> {
        let finder = self.column.domain.finder();
        let mut group = vec![None; self.column.domain.len()];
        let (mut twice, mut unknown, mut named) = (0, 0, 0);
        for (number, list) in lists.enumerate() {
            for text in list {
                named += 1;
                let Some(code) = finder.code(text) else {
                    unknown += 1;
                    continue;
                };
                let slot = &mut group[code as usize];
                twice += u64::from(slot.is_some_and(|other| other != number as u32));
                *slot = Some(number as u32);
            }
        }
        self.all_known(key, unknown, named)?;
        if twice > 0 {
            return Err(format!(
                "{twice} values of column {} stand in more than one {word}; each may stand in one",
                self.column.name
            ));
        }
        Ok(group)
    }
}

/// Checks the smallest class size of a criterion against the table.
pub(crate) fn check_k(k: u64, rows: u64) -> Result<(), String> {
    if k == 0 {
        return Err("k must be a whole number of at least 1".to_owned());
    }
    if rows == 0 {
        return Err("the table is empty".to_owned());
    }
    if k > rows {
        return Err(format!("k = {k} but the table has {rows} records; k may be at most {rows}"));
    }
    Ok(())
}

/// Checks that a parameter is a whole number of at least 1.
pub(crate) fn check_whole(name: &str, value: f64) -> Result<u64, String> {
    if value.is_finite() && value >= 1.0 && value.fract() == 0.0 && value <= u32::MAX.into() {
        Ok(value as u64)
    } else {
        Err(format!("{name} = {value} must be a whole number of at least 1"))
    }
}

/// Checks that a parameter is a number above 0.
pub(crate) fn check_positive(name: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(format!("{name} = {value} must be a number above 0"))
    }
}
