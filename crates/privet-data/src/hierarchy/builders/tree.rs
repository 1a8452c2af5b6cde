//! A hierarchy written down as a tree, in the job file or in a TOML or JSON file (survey ME-05).
//!
//! Values stand in lists, the labels above them are keys. Branches may differ in depth: a value whose branch has
//! no further label keeps its last one at the levels above. `*` is added on top unless the tree has one root.

use super::check_levels;
use crate::hierarchy::notation::Notation;
use crate::hierarchy::{Hierarchy, HierarchyError, Level, LevelBuilder};
use serde::Deserialize;
use std::path::Path;

/// `{ tree = { Europe = ["French", "German"], Asia = { East = ["Japanese"] } } }`
///
/// `Japanese` goes to `East`, `Asia`, `*`, and `French` to `Europe`, `Europe`, `*`. The leaves are the values that
/// are written down.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The branches at the root, with their labels.
    pub branches: Vec<(String, Branch)>,
}

type Branches = [(String, Branch)];

/// What lies under a label.
#[derive(Debug, Clone, PartialEq)]
pub enum Branch {
    /// Values.
    Values(Vec<String>),
    /// Finer labels.
    Branches(Vec<(String, Branch)>),
}

impl Tree {
    /// Whether a file holds a tree, by its name.
    pub(in crate::hierarchy) fn is_tree_file(path: &Path) -> bool {
        path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml") || e.eq_ignore_ascii_case("json"))
    }

    /// The tree in a file. What the parsers say is left out, because they quote the text they stumble upon.
    pub(in crate::hierarchy) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, HierarchyError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let malformed = |line: usize, column: usize, problem: &str| HierarchyError::Malformed {
            line,
            column,
            problem: problem.into(),
        };
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let (line, column) = position(&bytes[..error.valid_up_to()]);
            malformed(line, column, "not UTF-8; save the file as UTF-8")
        })?;
        let notation = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
            serde_json::from_str::<Notation>(text).map_err(|error| {
                malformed(
                    error.line().max(1),
                    error.column().max(1),
                    "not JSON, or a key that occurs twice, or null",
                )
            })?
        } else {
            let read = toml::Deserializer::parse(text).and_then(Notation::deserialize);
            read.map_err(|error| {
                let (line, column) =
                    position(&bytes[..error.span().map_or(0, |span| span.start.min(bytes.len()))]);
                malformed(line, column, "not TOML, or a key that occurs twice")
            })?
        };
        Self::read(notation)
    }

    pub(in crate::hierarchy) fn read(notation: Notation) -> Result<Self, HierarchyError> {
        match notation {
            Notation::Table(table) => Ok(Self { branches: Branch::read(table)? }),
            other => Err(other.instead_of("tree", "a table of labels, or the name of a .toml or .json file")),
        }
    }

    pub(in crate::hierarchy) fn write(&self) -> Notation {
        Branch::write(&self.branches)
    }

    pub(in crate::hierarchy) fn build(&self) -> Result<Hierarchy, HierarchyError> {
        // Per leaf the labels above it, from the root down.
        let mut paths: Vec<Vec<&str>> = Vec::new();
        let mut leaves: Vec<Box<str>> = Vec::new();
        let mut open: Vec<(Vec<&str>, &Branches)> = vec![(Vec::new(), &self.branches)];
        while let Some((path, branches)) = open.pop() {
            let Some(((label, branch), others)) = branches.split_first() else { continue };
            if label.is_empty() {
                return Err(HierarchyError::parameter("tree", "has an empty label; each label needs a text"));
            }
            check_levels("tree", path.len() + 1)?;
            open.push((path.clone(), others));
            let mut path = path;
            path.push(label);
            match branch {
                Branch::Values(values) if values.is_empty() => return Err(empty_branch()),
                Branch::Branches(branches) if branches.is_empty() => return Err(empty_branch()),
                Branch::Branches(branches) => open.push((path, branches)),
                Branch::Values(values) => {
                    leaves.extend(values.iter().map(|value| Box::from(&**value)));
                    paths.extend(std::iter::repeat_n(path, values.len()));
                }
            }
        }
        let height = paths.iter().map(Vec::len).max().unwrap_or(0);
        if height == 0 {
            return Err(HierarchyError::parameter("tree", "is empty; it needs a label and a value"));
        }
        let mut levels: Vec<Level> = Vec::with_capacity(height + 1);
        for level in 0..height {
            let mut labels = LevelBuilder::default();
            paths.iter().for_each(|path| labels.push(path[path.len().saturating_sub(level + 1)]));
            levels.push(labels.finish());
        }
        if self.branches.len() > 1 {
            levels.push(Level::top(leaves.len()));
        }
        Hierarchy::from_levels(leaves, levels).map_err(in_tree)
    }
}

fn empty_branch() -> HierarchyError {
    HierarchyError::parameter("tree", "has a label with nothing under it; each label needs a value")
}

/// Lines and columns mean nothing in a tree: values are counted, and levels.
fn in_tree(error: HierarchyError) -> HierarchyError {
    let problem = match error {
        HierarchyError::Duplicate { line, first } => {
            format!(
                "value {line} already stands as value {first}, counted from the beginning; keep one of them"
            )
        }
        HierarchyError::NotNested { line, column, first } => format!(
            "values {first} and {line}, counted from the beginning, have the same label at level {} in different branches; give the labels different names",
            column - 2
        ),
        other => return other,
    };
    HierarchyError::parameter("tree", problem)
}

/// The line and the character behind a piece of text, both from 1.
fn position(before: &[u8]) -> (usize, usize) {
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let characters = String::from_utf8_lossy(&before[line_start..]).chars().count();
    (memchr::memchr_iter(b'\n', before).count() + 1, characters + 1)
}

impl Branch {
    fn read(table: Vec<(String, Notation)>) -> Result<Vec<(String, Branch)>, HierarchyError> {
        let mut branches = Vec::with_capacity(table.len());
        for (label, below) in table {
            let branch = match below {
                Notation::Table(table) => Branch::Branches(Branch::read(table)?),
                Notation::List(list) => {
                    let values = list.into_iter().map(|value| value.into_value("tree"));
                    Branch::Values(values.collect::<Result<_, _>>()?)
                }
                other => return Err(other.instead_of("tree", "a list of values or a table of labels")),
            };
            branches.push((label, branch));
        }
        Ok(branches)
    }

    fn write(branches: &[(String, Branch)]) -> Notation {
        let branch = |branch: &Branch| match branch {
            Branch::Values(values) => Notation::List(values.iter().cloned().map(Notation::Text).collect()),
            Branch::Branches(branches) => Branch::write(branches),
        };
        Notation::Table(branches.iter().map(|(label, below)| (label.clone(), branch(below))).collect())
    }
}
