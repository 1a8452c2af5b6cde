//! Ordered groups that the job file writes down (survey ME-05).
//!
//! Values lie in groups, groups may lie in groups of groups, and `merge` joins neighbours into further levels.
//! A group without a label is called by its first and last member. The leaves are the values that are written down.

use super::{check_levels, from_to};
use crate::hierarchy::notation::{Keys, Notation};
use crate::hierarchy::{Hierarchy, HierarchyError, Level};
use foldhash::{HashMap, HashMapExt};

/// `{ groups = [["a", "b"], { label = "last", values = ["c"] }], merge = [2] }`
///
/// A last level `*` is added unless the top has a single group.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// The groups, in order. All must be nested equally deep.
    pub groups: Vec<Group>,
    /// Each number makes one more level, in which so many neighbouring groups of the level before are one.
    pub merge: Vec<usize>,
}

/// One group.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its label; `first-last` when there is none.
    pub label: Option<String>,
    /// What it holds.
    pub members: Members,
}

/// What a group holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Members {
    /// Values.
    Values(Vec<String>),
    /// Groups of the level below.
    Groups(Vec<Group>),
}

impl Groups {
    pub(in crate::hierarchy) fn read(mut keys: Keys) -> Result<Self, HierarchyError> {
        let groups =
            keys.need("groups")?.into_list("groups", "a list of groups such as [[\"a\", \"b\"], [\"c\"]]")?;
        let groups = groups.into_iter().map(Group::read).collect::<Result<_, _>>()?;
        let mut merge = Vec::new();
        if let Some(given) = keys.take("merge") {
            for count in given.into_list("merge", "a list of whole numbers such as [2, 4]")? {
                merge.push(usize::try_from(count.into_count("merge")?).unwrap_or(usize::MAX));
            }
        }
        keys.finish(&["groups", "merge"])?;
        Ok(Self { groups, merge })
    }

    pub(in crate::hierarchy) fn write(&self) -> Notation {
        let groups = self.groups.iter().map(Group::write).collect();
        let mut table = vec![("groups".into(), Notation::List(groups))];
        if !self.merge.is_empty() {
            let merge = self.merge.iter().map(|&count| Notation::count(count as u64)).collect();
            table.push(("merge".into(), Notation::List(merge)));
        }
        Notation::Table(table)
    }

    pub(in crate::hierarchy) fn build(&self) -> Result<Hierarchy, HierarchyError> {
        let depth = Group::depth(&self.groups)?;
        check_levels("groups", depth + self.merge.len())?;
        if self.merge.iter().any(|&count| count < 2) {
            return Err(HierarchyError::parameter(
                "merge",
                "joins fewer than 2 groups; accepted are numbers from 2",
            ));
        }
        let mut leaves: Vec<Box<str>> = Vec::new();
        // From the outermost groups to the innermost.
        let mut nested: Vec<(Vec<u32>, Vec<Span>)> = vec![Default::default(); depth];
        for group in &self.groups {
            group.lay_out(&mut leaves, &mut nested);
        }
        let mut levels: Vec<(Vec<u32>, Vec<Span>)> = nested.into_iter().rev().collect();
        for &count in &self.merge {
            let Some((node_of_leaf, spans)) = levels.last() else { break };
            let merged = (
                node_of_leaf.iter().map(|&node| (node as usize / count) as u32).collect(),
                spans.chunks(count).map(Span::over).collect(),
            );
            levels.push(merged);
        }
        let mut built = Vec::with_capacity(levels.len() + 1);
        for (number, (node_of_leaf, spans)) in levels.into_iter().enumerate() {
            let labels: Vec<Box<str>> =
                spans.iter().map(|span| from_to(&span.first, &span.last).into()).collect();
            check_labels(number + 1, &labels)?;
            built.push(Level { node_of_leaf, labels });
        }
        if built.last().is_none_or(|level| level.labels.len() > 1) {
            built.push(Level::top(leaves.len()));
        }
        Hierarchy::from_levels(leaves, built).map_err(|error| match error {
            HierarchyError::Duplicate { line, first } => HierarchyError::parameter(
                "groups",
                format!("value {line} already stands as value {first}, counted through all groups; keep one"),
            ),
            other => other,
        })
    }
}

/// No label is empty, and no two groups of a level have the same.
fn check_labels(level: usize, labels: &[Box<str>]) -> Result<(), HierarchyError> {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(labels.len());
    for (i, label) in labels.iter().enumerate() {
        if label.is_empty() {
            let problem = format!("group {} of level {level} has an empty label; give it one", i + 1);
            return Err(HierarchyError::parameter("groups", problem));
        }
        if let Some(first) = first.insert(label, i + 1) {
            let problem = format!(
                "groups {first} and {} of level {level} have the same label; give each a `label` of its own",
                i + 1
            );
            return Err(HierarchyError::parameter("groups", problem));
        }
    }
    Ok(())
}

/// What a group is called by: its first and last member, or twice its label.
#[derive(Clone)]
struct Span {
    first: String,
    last: String,
}

impl Span {
    fn over(spans: &[Span]) -> Span {
        let text = |span: Option<&Span>, of: fn(&Span) -> &String| span.map(of).cloned().unwrap_or_default();
        Span { first: text(spans.first(), |span| &span.first), last: text(spans.last(), |span| &span.last) }
    }
}

impl Group {
    /// A group that is called by its first and last value.
    pub fn of(values: Vec<String>) -> Self {
        Self { label: None, members: Members::Values(values) }
    }

    fn read(notation: Notation) -> Result<Self, HierarchyError> {
        match notation {
            Notation::List(list) => Ok(Self { label: None, members: Members::read(list)? }),
            Notation::Table(table) => {
                let mut keys = Keys::new(table);
                let label = keys.take("label").map(|label| label.into_value("label")).transpose()?;
                let (key, members) = match keys.take("groups") {
                    Some(groups) => ("groups", groups),
                    None => ("values", keys.need("values")?),
                };
                let members = Members::read(members.into_list(key, "a list")?)?;
                keys.finish(&["label", "values", "groups"])?;
                Ok(Self { label, members })
            }
            other => {
                Err(other.instead_of("groups", "a list of values, or a table with `label` and `values`"))
            }
        }
    }

    fn write(&self) -> Notation {
        let (key, members) = match &self.members {
            Members::Values(values) => ("values", values.iter().cloned().map(Notation::Text).collect()),
            Members::Groups(groups) => ("groups", groups.iter().map(Group::write).collect()),
        };
        match &self.label {
            None => Notation::List(members),
            Some(label) => Notation::Table(vec![
                ("label".into(), Notation::Text(label.clone())),
                (key.into(), Notation::List(members)),
            ]),
        }
    }

    /// How many levels the groups make.
    fn depth(groups: &[Group]) -> Result<usize, HierarchyError> {
        let mut depths = Vec::with_capacity(groups.len());
        for group in groups {
            depths.push(match &group.members {
                Members::Values(values) if values.is_empty() => 0,
                Members::Values(_) => 1,
                Members::Groups(groups) => Group::depth(groups)? + 1,
            });
        }
        match (depths.iter().min(), depths.iter().max()) {
            (None | Some(0), _) => {
                Err(HierarchyError::parameter("groups", "has an empty group; each needs a value"))
            }
            (Some(least), Some(most)) if least == most => Ok(*most),
            _ => Err(HierarchyError::parameter(
                "groups",
                "are not nested equally deep; each value needs as many levels",
            )),
        }
    }

    /// Adds the group and what it holds to the levels, the outermost first.
    fn lay_out(&self, leaves: &mut Vec<Box<str>>, levels: &mut [(Vec<u32>, Vec<Span>)]) -> Span {
        let Some((own, below)) = levels.split_first_mut() else { return Span::over(&[]) };
        let from = leaves.len();
        let members: Vec<Span> = match &self.members {
            Members::Values(values) => {
                leaves.extend(values.iter().map(|value| Box::from(&**value)));
                values.iter().map(|value| Span { first: value.clone(), last: value.clone() }).collect()
            }
            Members::Groups(groups) => groups.iter().map(|group| group.lay_out(leaves, below)).collect(),
        };
        let span = match &self.label {
            Some(label) => Span { first: label.clone(), last: label.clone() },
            None => Span::over(&members),
        };
        let (node_of_leaf, spans) = own;
        node_of_leaf.extend(std::iter::repeat_n(spans.len() as u32, leaves.len() - from));
        spans.push(span.clone());
        span
    }
}

impl Members {
    fn read(list: Vec<Notation>) -> Result<Self, HierarchyError> {
        let nested =
            list.iter().filter(|member| matches!(member, Notation::List(_) | Notation::Table(_))).count();
        if nested == 0 {
            let values = list.into_iter().map(|value| value.into_value("groups"));
            values.collect::<Result<_, _>>().map(Members::Values)
        } else if nested == list.len() {
            list.into_iter().map(Group::read).collect::<Result<_, _>>().map(Members::Groups)
        } else {
            let problem = "has a group of values and groups; accepted are either values or groups";
            Err(HierarchyError::parameter("groups", problem))
        }
    }
}
