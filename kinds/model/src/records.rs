//! Model-based anonymization (papers F-AL6): the records with their public columns recoded by the spans of a tree, as CSV.
//!
//! # Guarantee
//! Records of one span look alike on public columns, so each agrees with at least k − 1 others; private columns and the class stay as they
//! are. The order of the lines is that of their texts and tells nothing of the order of the original.

use privet_kind::KindError;
use privet_mine::tree::{TreeModel, recode};
use privet_mine::{AttributeDomain, Cell, Examples};

use crate::error::told;

/// What is published, and how good it is.
pub(crate) struct Recoded {
    pub csv: String,
    /// The records of the smallest group.
    pub least: u64,
    pub minority: u64,
    pub discernibility: u64,
}

pub(crate) fn recoded(model: &TreeModel, examples: &Examples) -> Result<Recoded, KindError> {
    let schema = examples.schema();
    if !schema.class_is_private() {
        return Err(KindError::key(
            "model.records",
            "needs a private class: records of a public one would need no spans",
        ));
    }
    let found = recode(model, examples).map_err(told)?;
    let private: Vec<usize> = (0..schema.attributes.len()).filter(|&own| !schema.is_public(own)).collect();
    let names = found.attributes.iter().chain(&private).map(|&own| schema.attributes[own].name.as_str());
    let head = line(names.chain([schema.class.name.as_str()]));
    let mut sizes = vec![0u64; found.labels.len()];
    let mut lines: Vec<String> = Vec::with_capacity(examples.len());
    for (record, &group) in examples.records().zip(&found.group_of) {
        sizes[group as usize] += 1;
        let mut cells = found.labels[group as usize].clone();
        for &attribute in &private {
            cells.push(match (&record[attribute], &schema.attributes[attribute].domain) {
                (Cell::Code(code), AttributeDomain::Categories { values, .. }) => {
                    values[*code as usize].clone()
                }
                (Cell::Number(number), _) => number.to_string(),
                // Numbers have number cells.
                (Cell::Code(_), AttributeDomain::Numbers) => String::new(),
            });
        }
        if let Some(Cell::Code(class)) = record.last() {
            cells.push(schema.class.values[*class as usize].clone());
        }
        lines.push(line(cells.iter().map(String::as_str)));
    }
    lines.sort_unstable();
    let least = sizes.iter().copied().min().unwrap_or(0);
    Ok(Recoded {
        csv: head + &lines.concat(),
        least,
        minority: found.minority,
        discernibility: found.discernibility,
    })
}

/// A line of a CSV.
pub(crate) fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let quoted = |cell: &str| match cell.contains([',', '"', '\n', '\r']) || cell.trim() != cell {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}
