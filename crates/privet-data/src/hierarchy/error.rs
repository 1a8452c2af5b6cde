//! What can be wrong with a hierarchy (survey ME-05).
//!
//! A message says where (file, line, column or job-file key), what is wrong and what would be accepted.
//! No message holds a value of the data: values are pointed at, never quoted.

use super::Level;
use foldhash::{HashMap, HashMapExt};
use std::path::{Path, PathBuf};

/// What is wrong with a hierarchy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// It has no leaf.
    #[error("the hierarchy is empty; it needs one row for each value of the column")]
    Empty,
    /// A row has another number of levels than the first.
    #[error(
        "line {line}, column {}: {found} levels where the first line has {expected}; every line needs one label for each level",
        (*found).min(*expected) + 1
    )]
    Ragged {
        /// The line, from 1.
        line: usize,
        /// Levels on this line, the value included.
        found: usize,
        /// Levels on the first line, the value included.
        expected: usize,
    },
    /// A value occurs in two rows.
    #[error("line {line}, column 1: the value already stands on line {first}; keep one of the two lines")]
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
    /// A label is empty although the value is not.
    #[error("line {line}, column {column}: the label is empty; write a label, or `*` for anything")]
    EmptyLabel {
        /// The line, from 1.
        line: usize,
        /// The column, from 1 (the value itself).
        column: usize,
    },
    /// The text is not in the layout of a hierarchy file.
    #[error("line {line}, column {column}: {problem}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The column, from 1: the cell in a table of labels, the character in a tree.
        column: usize,
        /// What is wrong and what would be accepted.
        problem: String,
    },
    /// The column holds values that the hierarchy does not know.
    #[error(
        "the hierarchy does not cover {missing} of the column's {distinct} distinct values; add each of them to it, or a \
         row * for all others"
    )]
    Uncovered {
        /// How many values it does not cover.
        missing: usize,
        /// How many distinct values the column has, markers of a missing value apart.
        distinct: usize,
        /// The codes of the values that it does not cover: whoever has the column can tell where they are.
        codes: Vec<u32>,
    },
    /// Texts that are one value to the column are generalized differently.
    #[error(
        "the hierarchy generalizes {values} values of the column in two ways, as different texts for one value (such as 007 and \
         7, which are one number); if these are codes, set compare = \"text\" for the column, otherwise keep one of the rows"
    )]
    Torn {
        /// How many values.
        values: usize,
    },
    /// The file cannot be read.
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
    /// Something is wrong with a hierarchy that comes from a file.
    #[error("{}: {problem}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: Box<HierarchyError>,
    },
}

impl HierarchyError {
    pub(super) fn parameter(key: &str, problem: impl Into<String>) -> Self {
        Self::Parameter { key: key.into(), problem: problem.into() }
    }

    /// The same error, saying in which file.
    pub(super) fn in_file(self, path: &Path) -> Self {
        Self::InFile { path: path.into(), problem: Box::new(self) }
    }

    /// The codes of the values that are not covered, where that is what is wrong.
    pub fn uncovered(&self) -> Option<&[u32]> {
        match self {
            Self::Uncovered { codes, .. } => Some(codes),
            Self::InFile { problem, .. } => problem.uncovered(),
            _ => None,
        }
    }

    /// The same error with rows turned into lines of a file: row `i` (from 1) stands on `lines[i - 1]`.
    pub(super) fn on_lines(self, lines: &[usize]) -> Self {
        let at = |row: usize| row.checked_sub(1).and_then(|i| lines.get(i)).copied().unwrap_or(row);
        match self {
            Self::Duplicate { line, first } => Self::Duplicate { line: at(line), first: at(first) },
            Self::NotNested { line, column, first } => {
                Self::NotNested { line: at(line), column, first: at(first) }
            }
            other => other,
        }
    }
}

/// Every leaf once, and levels that nest.
pub(super) fn check(leaves: &[Box<str>], levels: &[Level]) -> Result<(), HierarchyError> {
    let mut first_row: HashMap<&str, usize> = HashMap::with_capacity(leaves.len());
    for (i, leaf) in leaves.iter().enumerate() {
        if let Some(first) = first_row.insert(leaf, i + 1) {
            return Err(HierarchyError::Duplicate { line: i + 1, first });
        }
    }
    for (number, pair) in levels.windows(2).enumerate() {
        // Per node the row that showed it first and the node above it there.
        let mut parent: Vec<Option<(usize, u32)>> = vec![None; pair[0].labels.len()];
        for (i, (&node, &above)) in pair[0].node_of_leaf.iter().zip(&pair[1].node_of_leaf).enumerate() {
            let &mut (first, expected) = parent[node as usize].get_or_insert((i + 1, above));
            if expected != above {
                return Err(HierarchyError::NotNested { line: i + 1, column: number + 3, first });
            }
        }
    }
    Ok(())
}
