//! What can be wrong with a hierarchy. No message holds a value.

use std::collections::HashMap;

/// What is wrong with a hierarchy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// It has no leaf.
    #[error("the hierarchy is empty; it needs one row for each value of the column")]
    Empty,
    /// A row has another number of levels than the first.
    #[error("line {line}: {found} levels where the first line has {expected}; every line needs one label for each level")]
    Ragged {
        /// The line, from 1.
        line: usize,
        /// Levels on this line.
        found: usize,
        /// Levels on the first line.
        expected: usize,
    },
    /// A value occurs in two rows.
    #[error("line {line}: the value in column 1 already stands on line {first}; keep one of the two lines")]
    Duplicate {
        /// The line, from 1.
        line: usize,
        /// Where it stands first.
        first: usize,
    },
    /// Two leaves share a label at one level and not at the next.
    #[error(
        "line {line}, column {column}: levels do not nest; line {first} has the same label in column {} but another one in column {column}",
        column - 1
    )]
    NotNested {
        /// The line, from 1.
        line: usize,
        /// The column, from 1 (the value itself).
        column: usize,
        /// The line that it contradicts.
        first: usize,
    },
    /// The column holds values that the hierarchy does not know.
    #[error("the hierarchy does not cover {missing} of the column's {distinct} distinct values; add a row for each of them")]
    Uncovered {
        /// How many values it does not cover.
        missing: usize,
        /// How many distinct values the column has.
        distinct: usize,
    },
    /// The file cannot be read or is not in the layout of a hierarchy.
    #[error("{0}")]
    Unreadable(String),
    /// A builder was given something it cannot use.
    #[error("`{key}`: {problem}")]
    Parameter {
        /// The key in the job file.
        key: String,
        /// What is wrong and what would be accepted.
        problem: String,
    },
}

/// Every leaf once, as many labels as leaves at each level, levels that nest.
pub(super) fn check(leaves: &[Box<str>], levels: &[Vec<Box<str>>]) -> Result<(), HierarchyError> {
    if leaves.is_empty() {
        return Err(HierarchyError::Empty);
    }
    let mut first_line: HashMap<&str, usize> = HashMap::new();
    for (i, leaf) in leaves.iter().enumerate() {
        if let Some(first) = first_line.insert(leaf, i + 1) {
            return Err(HierarchyError::Duplicate { line: i + 1, first });
        }
    }
    for (number, level) in levels.iter().enumerate() {
        if level.len() != leaves.len() {
            let line = level.len().min(leaves.len()) + 1;
            return Err(HierarchyError::Ragged { line, found: number + 1, expected: levels.len() + 1 });
        }
    }
    for (number, pair) in levels.windows(2).enumerate() {
        let mut parent: HashMap<&str, (usize, &str)> = HashMap::new();
        for (i, (label, above)) in pair[0].iter().zip(&pair[1]).enumerate() {
            let &mut (first, expected) = parent.entry(label).or_insert((i + 1, above));
            if expected != &**above {
                return Err(HierarchyError::NotNested { line: i + 1, column: number + 3, first });
            }
        }
    }
    Ok(())
}
