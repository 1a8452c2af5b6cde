//! The keys of a column of `group by`, and which of them a record has.
//!
//! Guarantee: a cell has one key at most, by its own text and the declared keys alone, whatever other records hold. A key
//! that is the same text comes first. A cell that equals none is compared as a number, digit by digit and without rounding,
//! so `1.0` and `1e0` have the key `1`: files of floating-point numbers write whole ones so. A text with an idle zero in
//! front, such as `007`, is a code and no number; it equals itself alone.
//!
//! Declared keys that are one whole number, such as `1` and `1.0`, are one key given twice, and refused. Keys that differ in
//! the zeros behind a fraction, such as the diagnoses `250.1` and `250.10`, are codes where both are declared, and each
//! stands for its own text.

use std::collections::HashMap;

use privet_data::Column;
use privet_job::declarations::{Decimal, decimal};

/// A record that is in no group.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The keys of a column of `group by`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys {
    pub column: String,
    /// The declared values, each the label of its group.
    pub keys: Vec<String>,
    /// The label of the group of all other values; without it they are in no group.
    pub other: Option<String>,
    /// Whether nothing is declared, and the keys are those that occur often enough (`unknown.rs`).
    pub is_unknown: bool,
}

impl Keys {
    /// The number of groups.
    pub fn len(&self) -> usize {
        if self.is_unknown { 1 } else { self.keys.len() + usize::from(self.other.is_some()) }
    }

    /// The label of a group.
    pub fn label(&self, group: usize) -> &str {
        self.keys.get(group).or(self.other.as_ref()).map_or("", String::as_str)
    }

    /// Per code of the column the position of its key, or nowhere.
    pub fn of_codes(&self, column: &Column) -> Vec<u32> {
        let other = if self.other.is_some() { self.keys.len() as u32 } else { NOWHERE };
        let mut by_text: HashMap<&str, u32> = HashMap::new();
        let mut by_number: HashMap<Decimal, Option<u32>> = HashMap::new();
        for (place, key) in self.keys.iter().enumerate() {
            by_text.insert(key, place as u32);
            if let Some(number) = decimal(key) {
                // Two keys that are one number are codes, and no cell is either of them by its number.
                by_number.entry(number).and_modify(|own| *own = None).or_insert(Some(place as u32));
            }
        }
        let of_number = |text: &str| by_number.get(&decimal(text)?).copied().flatten();
        let of = |text: &str| by_text.get(text).copied().or_else(|| of_number(text)).unwrap_or(other);
        column.domain.texts().iter().map(|text| of(text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::io::{ReadOptions, read_csv_bytes};
    use privet_job::declarations::check_keys;

    /// The label of each cell.
    fn found(keys: &[&str], cells: &[&str]) -> Vec<String> {
        let keys = Keys {
            column: "f".into(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            other: Some("other".into()),
            is_unknown: false,
        };
        let csv = format!("f\n{}\n", cells.join("\n"));
        let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
        let table = read_csv_bytes(csv.as_bytes(), &options).unwrap().table;
        let column = table.column("f").unwrap();
        let of_code = keys.of_codes(column);
        column.codes.iter().map(|&code| keys.label(of_code[code as usize] as usize).to_owned()).collect()
    }

    #[test]
    fn cells_that_are_the_number_of_a_key_have_that_key() {
        let cells = ["0.0", "1.0", "1", "1e0", "-0.0", "2.50", "20", "x", "NaN", "inf"];
        let expected = ["0", "1", "1", "1", "0", "2.5", "2e1", "other", "other", "other"];
        assert_eq!(found(&["0", "1", "2.5", "2e1"], &cells), expected);
        // Numbers that are one as floating-point numbers are not one.
        let long = ["12345678901234567890", "12345678901234567891"];
        assert_eq!(found(&long[..1], &long), ["12345678901234567890", "other"]);
    }

    #[test]
    fn codes_equal_themselves_alone() {
        assert_eq!(found(&["7"], &["7", "007", "7.0"]), ["7", "other", "7"]);
        assert_eq!(found(&["007"], &["7", "007", "07"]), ["other", "007", "other"]);
        assert_eq!(found(&["007", "7"], &["7", "007"]), ["7", "007"]);
        assert_eq!(
            found(&["250.1", "250.10"], &["250.1", "250.10", "250.100"]),
            ["250.1", "250.10", "other"]
        );
    }

    #[test]
    fn one_number_in_two_ways_is_one_key_twice() {
        let checked =
            |keys: &[&str]| check_keys(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>(), None);
        for twice in [["1", "1.0"], ["0", "-0"], ["10", "1e1"]] {
            assert!(checked(&twice).unwrap_err().contains("one number twice"), "{twice:?}");
        }
        for two in [["7", "007"], ["1", "-1"], ["250.1", "250.10"], ["1", "1.1"], ["a", "A"]] {
            assert!(checked(&two).is_ok(), "{two:?}");
        }
    }
}
