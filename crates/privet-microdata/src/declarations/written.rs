//! Numbers of a job file as they are written there, so that `bounds = [0.00, 1.00]` and `--bound rate=0.00..1.00` mean the
//! same.
//!
//! Guarantee: bounds and keys have the digits of the file, idle zeros included, because the grid of a column is as precise
//! as its bounds are written. A number that was read has lost them, so the text is looked at once more. What is written in
//! another base, or in quotation marks, stays as it was read.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::Plain;
use crate::job::Column;

/// Gives the bounds and keys of columns the digits that they have in the text of the job file.
pub fn restore(text: &str, columns: &mut BTreeMap<String, Column>) {
    let Ok(file) = DeTable::parse(text) else { return };
    let Some(sections) = file.get_ref().get("columns").map(|own| own.get_ref()) else { return };
    for (name, column) in columns {
        let Some(section) = sections.get(name.as_str()).map(|own| own.get_ref()) else { continue };
        let bounds = column.bounds.iter_mut().flatten();
        let keys = column.keys.iter_mut().flatten();
        bounds.enumerate().for_each(|(place, own)| replace(own, section, "bounds", place));
        keys.enumerate().for_each(|(place, own)| replace(own, section, "keys", place));
    }
}

fn replace(plain: &mut Plain, section: &DeValue<'_>, key: &str, place: usize) {
    let value = section.get(key).and_then(|list| list.get_ref().get(place));
    let digits = match value.map(|own| own.get_ref()) {
        Some(DeValue::Integer(number)) if number.radix() == 10 => number.as_str(),
        Some(DeValue::Float(number)) => number.as_str(),
        _ => return,
    };
    digits.strip_prefix('+').unwrap_or(digits).clone_into(&mut plain.0);
}

#[cfg(test)]
mod tests {
    use crate::job::Job;

    #[test]
    fn numbers_keep_the_digits_of_the_file() {
        let text = "[input]\npath = \"a.csv\"\n[columns.\"a b\"]\nrole = \"quasi\"\n\
                    bounds = [-0.50, +1_000.00]\nkeys = [0.0, 1, \"2.00\", 0x10, true, 1e3]\n";
        let job = Job::parse_declarations(text).unwrap();
        let column = &job.columns["a b"];
        let words =
            |list: &[super::Plain]| list.iter().map(|own| own.0.clone()).collect::<Vec<_>>().join(" ");
        assert_eq!(words(column.bounds.as_ref().unwrap()), "-0.50 1000.00");
        assert_eq!(words(column.keys.as_ref().unwrap()), "0.0 1 2.00 16 true 1e3");
    }
}
