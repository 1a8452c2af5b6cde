//! A sensitive column bound to its place in a class, as the constructors of criteria need it.

use crate::SensitiveColumn;

/// How promises speak of an equivalence class.
pub(crate) const EVERY_GROUP: &str = "Every group of published records that share their quasi-identifiers";

/// A promise in the words of a bucketized release: what is said of classes holds in buckets, whose records need not share
/// their quasi-identifiers.
pub fn in_buckets(promise: &str) -> String {
    promise
        .replace("that share their quasi-identifiers and also", "that share their bucket and also")
        .replace(EVERY_GROUP, "Every bucket")
        .replace("every group of published records that share their quasi-identifiers", "every bucket")
        .replace("shares its quasi-identifiers with", "shares its bucket with")
        .replace("may be unique in their quasi-identifiers", "may be alone in their bucket")
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a criterion promises of classes, it does not say of buckets that their records look alike.
    #[test]
    fn promises_of_buckets_speak_of_buckets() {
        let told = [
            (format!("{EVERY_GROUP} holds at least 3."), "Every bucket holds at least 3."),
            (
                format!("{EVERY_GROUP} and also the same job holds 3."),
                "Every group of published records that share their bucket and also the same job holds 3.",
            ),
            (format!("In {}, x.", EVERY_GROUP.replacen('E', "e", 1)), "In every bucket, x."),
            (
                crate::k_anonymity::look_alikes(3),
                "Every published record shares its bucket with at least 2 others (k = 3).",
            ),
        ];
        for (promise, expected) in told {
            assert_eq!(in_buckets(&promise), expected);
        }
    }
}
